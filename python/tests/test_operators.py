# SPDX-License-Identifier: MIT
"""Operators, compared with PyTorch, where batch dimensions are aligned by hand."""

import operator
import re
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given
from support import SMALL, TYPES, name, random, typed

from neml2 import math
from neml2.tensors import (
    R2,
    R4,
    SR2,
    SSR4,
    WR2,
    MillerIndex,
    Quaternion,
    Rot,
    Scalar,
    Tensor,
    Vec,
)

ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
LOGIC = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
IN_PLACE = {"+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv}

every_type = pytest.mark.parametrize("cls", SMALL, ids=name)
arithmetic = pytest.mark.parametrize("op", ARITHMETIC.items(), ids=lambda item: item[0])
PRODUCTS = {Scalar, Tensor}  # types whose * with themselves is elementwise
TYPED_PRODUCTS = {R2, R4, SSR4, Rot, Quaternion}


def positive(cls, *batch, **options):
    return typed(cls, 0.5 + torch.rand((*batch, *TYPES[cls]), **options))


def beside(s, base_dim):
    """A batch of scalars with dimensions of size 1 instead of the base dimensions."""
    return s.reshape((*s.shape, *[1] * base_dim))


def aligned(t, batch_dim, base_dim):
    return t.reshape((*[1] * (batch_dim - (t.dim() - base_dim)), *t.shape))


def check(r, cls, e, batch=None):
    assert type(r) is cls
    assert r.dtype == e.dtype
    torch.testing.assert_close(r.torch(), e)
    if batch is not None:
        assert r.batch.shape == batch


@every_type
@arithmetic
def test_with_numbers(cls, op, batch=(2, 3)):
    a, f = positive(cls, *batch), op[1]
    for n in (2, 2.5, np.float64(2.5), np.float32(2.5), np.int64(2), Fraction(5, 2)):
        number = n if isinstance(n, (int, float)) else float(n)
        check(f(a, n), cls, f(a.torch(), number), batch)
        check(f(n, a), cls, f(number, a.torch()), batch)


@every_type
@arithmetic
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_with_itself_and_scalars(cls, op, dtype):
    symbol, f = op
    a, b = positive(cls, 2, 1, dtype=dtype), positive(cls, 3, dtype=dtype)
    n = len(TYPES[cls])
    if symbol != "*" or cls in PRODUCTS:
        check(f(a, b), cls, f(a.torch(), aligned(b.torch(), 2, n)), (2, 3))
    s = Scalar(0.5 + torch.rand(3, dtype=dtype))
    check(f(a, s), cls, f(a.torch(), beside(s.torch(), n)), (2, 3))
    check(f(s, a), cls, f(beside(s.torch(), n), a.torch()), (2, 3))


BATCHES = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@given(
    cls=st.sampled_from([Scalar, Vec, SR2, R2, SSR4, Tensor]),
    left=BATCHES,
    right=BATCHES,
    op=st.sampled_from(list(ARITHMETIC.items())),
    scalar=st.booleans(),
)
def test_broadcasting(cls, left, right, op, scalar):
    symbol, f = op
    other = Scalar if scalar or symbol == "*" and cls not in PRODUCTS else cls
    a, b = positive(cls, *left), positive(other, *right)
    try:
        batch = tuple(torch.broadcast_shapes(left, right))
    except RuntimeError:
        with pytest.raises(ValueError, match="batch"):
            f(a, b)
        return
    t = b.torch().reshape((*right, *TYPES[other], *[1] * (len(TYPES[cls]) - len(TYPES[other]))))
    dim, base = len(batch), len(TYPES[cls])
    check(f(a, b), cls, f(aligned(a.torch(), dim, base), aligned(t, dim, base)), batch)
    check(f(b, a), cls if other is Scalar else other, f(aligned(t, dim, base), aligned(a.torch(), dim, base)), batch)


def test_a_scalar_meets_the_batch_never_the_base():
    """A raw tensor of shape (6,), a batch of 6 scalars, beside a batch of 6 tensors with 6 components."""
    a, s = random(SR2, 6), random(Scalar, 6)
    check(a * s, SR2, a.torch() * s.torch()[:, None])
    v = random(Vec)
    check(v + s, Vec, v.torch() + s.torch()[:, None], (6,))


def test_tensors_broadcast_base_with_base():
    a, b = Tensor(torch.rand(2, 1, 3, 4), 2), Tensor(torch.rand(5, 4), 1)
    check(a + b, Tensor, a.torch() + b.torch().reshape(1, 5, 1, 4), (2, 5))


@every_type
def test_dtypes_mix_as_in_torch(cls):
    a, b = positive(cls, 2), positive(cls, 2).to(dtype=torch.float32)
    assert (a + b).dtype == (b + a).dtype == torch.float64
    assert (b + Scalar(1.0)).dtype == torch.float64
    assert (b + 1.0).dtype == (1.0 - b).dtype == torch.float32
    i = typed(cls, torch.ones(2, *TYPES[cls], dtype=torch.int64))
    assert (i + i).dtype == (i * 2).dtype == torch.int64
    assert (i / 2).dtype == torch.float64


@every_type
def test_powers(cls):
    a, s = positive(cls, 2, 1), random(Scalar, 3)
    check(a**2, cls, a.torch() ** 2)
    check(a**-0.5, cls, a.torch() ** -0.5)
    check(a ** np.float32(2), cls, a.torch() ** 2)
    check(a**s, cls, a.torch() ** beside(s.torch(), len(TYPES[cls])))
    check(2**a, cls, 2 ** a.torch())
    check(np.float64(2) ** a, cls, 2 ** a.torch())
    check(s.batch[:2] ** 2, Scalar, s.torch()[:2] ** 2)
    check(positive(Scalar, 3) ** 0, Scalar, torch.ones(3))
    assert type(positive(Scalar, 3) ** a) is cls
    with pytest.raises(TypeError):
        pow(a, 2, 3)
    with pytest.raises(TypeError):
        a ** "2"


@every_type
def test_signs(cls):
    a = random(cls, 2)
    check(-a, cls, -a.torch(), (2,))
    check(abs(a), cls, a.torch().abs(), (2,))
    assert (+a).torch().data_ptr() == a.torch().data_ptr()


# ---- Comparison and logic ----


@every_type
@pytest.mark.parametrize("op", COMPARISONS.items(), ids=lambda item: item[0])
def test_comparisons_are_truth_values(cls, op):
    f = op[1]
    a, b, n = positive(cls, 2, 3), positive(cls, 3), len(TYPES[cls])
    b.batch[0] = a.batch[0, 0]
    truth = Scalar if cls is Scalar else Tensor
    check(f(a, b), truth, f(a.torch(), aligned(b.torch(), 2, n)), (2, 3))
    check(f(a, 1), truth, f(a.torch(), 1), (2, 3))
    check(f(1, a), truth, f(1, a.torch()))
    check(f(a, np.float64(1)), truth, f(a.torch(), 1))
    check(f(np.float64(1), a), truth, f(1, a.torch()))
    s = Scalar(0.5 + torch.rand(3))
    check(f(a, s), truth, f(a.torch(), beside(s.torch(), n)), (2, 3))
    check(f(s, a), truth, f(beside(s.torch(), n), a.torch()), (2, 3))


@every_type
@pytest.mark.parametrize("op", LOGIC.items(), ids=lambda item: item[0])
def test_logic(cls, op):
    f = op[1]
    a, b, n = random(cls, 2, 3) > 0, random(cls, 3) > 0, len(TYPES[cls])
    truth = Scalar if cls is Scalar else Tensor
    check(f(a, b), truth, f(a.torch(), aligned(b.torch(), 2, n)), (2, 3))
    check(~a, truth, ~a.torch())
    s = random(Scalar, 3) > 0
    check(f(a, s), truth, f(a.torch(), beside(s.torch(), n)), (2, 3))
    check(f(s, a), truth, f(beside(s.torch(), n), a.torch()), (2, 3))
    i = typed(cls, torch.randint(0, 8, (2, *TYPES[cls])))
    check(f(i, i), cls, f(i.torch(), i.torch()))  # for integers bitwise, in their type


@every_type
def test_truth_values_choose(cls):
    a, b = random(cls, 2, 3, grad=True), random(cls, 2, 3)
    mask = (a > 0) & ~(b > 0.5) | (a == b)
    chosen = math.where(mask, a, b)
    expected = torch.where(mask.torch(), a.torch(), b.torch())
    check(chosen, cls, expected, (2, 3))
    chosen.torch().sum().backward()
    assert torch.equal(a.grad.torch(), mask.torch().to(a.dtype))
    size = a.torch()[0, 0].numel()
    assert mask.torch().sum() == math.where(mask, Tensor.ones((2, 3), TYPES[cls]), 0.0).torch().sum() <= 6 * size
    every = Scalar((a > 0).torch().reshape(2, 3, -1).all(-1))
    check(a.batch[every], cls, a.torch()[every.torch()])


def test_truth_values_are_no_stresses():
    s = SR2.rand(2) < 0.5
    for missing in ("tr", "rotate", "dev", "norm"):
        assert not hasattr(s, missing)
    assert s.base.shape == (6,) and s.batch.shape == (2,) and s.dtype == torch.bool


def test_truth_values_are_masks():
    a = random(SR2, 4)
    points, components = a.norm() > 1, a.batch[0] > 0
    check(a.batch[points], SR2, a.torch()[points.torch()])
    check(a.base[components], Tensor, a.torch()[:, components.torch()])
    a.batch[~points] = 0
    assert (a.norm() > 1).torch().equal(points.torch()) and not a.batch[~points].torch().any()


def test_truth_values_of_derived_classes_are_tensors():
    class Stress(SR2):
        pass

    class Angle(Scalar):
        pass

    assert type(Stress(torch.rand(6)) < 1) is Tensor and type(Angle(1.0) < Angle(2.0)) is Scalar


def test_equality_of_other_things():
    a = SR2.zeros(2)
    for other in (None, "x", [1], object(), SR2, torch.float64):
        assert (a == other) is False and (a != other) is True
    with pytest.raises(TypeError):
        a < "x"
    assert a in [a] and a not in ["x", None]


def test_truth():
    assert Scalar(1.0) and not Scalar(0.0) and Scalar(2.0) > 1
    assert bool(Scalar(torch.tensor(True)))
    a = SR2.ones(2)
    for ambiguous in (a, a == a, Scalar.zeros(0)):
        with pytest.raises(ValueError, match="all"):
            bool(ambiguous)
    assert (a == a).all() is True and (a != a).any() is False
    assert bool(Scalar.ones(1, 1))
    if Scalar(2.0) < 1:
        raise AssertionError


@every_type
def test_hashes(cls):
    a = random(cls, 2)
    b = cls(a) if cls is not Tensor else Tensor(a)
    assert len({a, b, a}) == 2 and {a: 1}[a] == 1
    assert hash(a) == hash(a)


# ---- In place ----


@every_type
@arithmetic
def test_in_place(cls, op):
    symbol, f = op
    g = IN_PLACE[symbol]
    n = len(TYPES[cls])
    for other in (2.5, np.float64(2.5), Scalar(0.5 + torch.rand(3)), positive(cls, 3)):
        if type(other) is cls and symbol == "*" and cls not in PRODUCTS:
            continue
        a = positive(cls, 2, 3)
        before, memory, raw = a, a.torch().data_ptr(), other
        if type(other) is cls:
            raw = other.torch()
        elif type(other) is Scalar:
            raw = beside(other.torch(), n)
        e = f(a.torch(), raw)
        a = g(a, other)
        assert a is before and a.torch().data_ptr() == memory
        check(a, cls, e)


def test_in_place_by_its_own_parts():
    a = random(Vec, 4)
    e = a.torch() / a.torch().norm(dim=-1, keepdim=True)
    a /= a.norm()
    check(a, Vec, e)
    a = positive(Scalar, 4)
    e = a.torch() / a.torch()[0]
    a /= a.batch[0]
    check(a, Scalar, e)
    a = random(SR2, 4)
    e = a.torch() + a.torch().flip(0)
    a += a.batch[[3, 2, 1, 0]]
    check(a, SR2, e)


def test_power_in_place_makes_another():
    a = b = positive(SR2, 2)
    a **= 2
    assert a is not b
    check(a, SR2, b.torch() ** 2)


@pytest.mark.parametrize("op", IN_PLACE.items(), ids=lambda item: item[0])
def test_what_fails_in_place_changes_nothing(op):
    symbol, f = op
    a = positive(SR2, 3)
    before, same = a.torch().clone(), a
    wrong = [random(Scalar, 2), random(Scalar, 2, 3), SR2(), Scalar(), SR2.zeros(3, device="meta")]
    if symbol != "*":
        wrong += [random(SR2, 2), random(SR2, 2, 3)]
    for other in wrong:
        with pytest.raises((ValueError, TypeError)):
            a = f(a, other)
        assert a is same and torch.equal(a.torch(), before)
    for other in (random(Vec, 3), random(SSR4, 3), torch.ones(3), None, "x", [1.0], random(Tensor, 3)):
        with pytest.raises(TypeError):
            a = f(a, other)
        assert a is same and torch.equal(a.torch(), before)
    s, wide = random(Scalar, 3), random(SR2, 3)
    with pytest.raises(TypeError):  # and not one more SR2 of the name s
        s = f(s, wide)
    integers = SR2.ones(3, dtype=torch.int64)
    with pytest.raises((ValueError, RuntimeError), match="dtype|cast"):
        integers = f(integers, random(Scalar))
    assert torch.equal(integers.torch(), torch.ones(3, 6, dtype=torch.int64))
    expanded = random(SR2).batch.expand(3)
    with pytest.raises(ValueError, match="expanded"):
        expanded = f(expanded, 2)


def test_leaves_of_autograd_are_not_written():
    a = random(SR2, 2, grad=True)
    before = a.detach().clone()
    with pytest.raises((RuntimeError, ValueError), match="leaf"):
        a += 1
    assert torch.equal(a.detach().torch(), before.torch())
    with torch.no_grad():
        a += 1
    assert torch.equal(a.detach().torch(), before.torch() + 1)


# ---- Refusals ----

PAIRS = [(SR2, Vec), (SR2, R2), (R2, SR2), (SSR4, Vec), (Vec, Rot), (Tensor, SR2), (SR2, Tensor), (Quaternion, Vec)]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: f"{p[0].__name__}-{p[1].__name__}")
@pytest.mark.parametrize(
    "op", [*ARITHMETIC.items(), ("**", operator.pow), ("<", operator.lt), ("&", operator.and_)], ids=str
)
def test_types_do_not_mix(pair, op):
    left, right = (random(cls, 2) for cls in pair)
    with pytest.raises(TypeError, match="unsupported operand|not supported"):
        op[1](left, right)


def beside_type(cls, other):
    """An operand of this type; a Tensor has the base shape of the other one."""
    return Tensor(torch.ones(2, *TYPES[other]), 1) if cls is Tensor else typed(cls, torch.ones(2, *TYPES[cls]))


ALL = [*TYPES]
OPERATORS = {
    **ARITHMETIC,
    "**": operator.pow,
    "@": operator.matmul,
    **{k: COMPARISONS[k] for k in ("<", "<=", ">", ">=")},
    **LOGIC,
}


@pytest.mark.parametrize("left", ALL, ids=name)
def test_each_pair_of_types_has_a_result_or_an_error_that_says_what_to_write(left):
    refused = 0
    for right in ALL:
        for symbol, f in OPERATORS.items():
            a, b = beside_type(left, right), beside_type(right, left)
            if symbol in LOGIC:
                a, b = a.to(torch.bool), b.to(torch.bool)
            try:
                assert f(a, b).defined()
            except ValueError as error:  # two Tensors are refused because of their base shapes
                assert left is right is Tensor and symbol == "@" and "Tensor" in str(error)
            except TypeError as error:
                refused += 1
                said = str(error)
                assert said.startswith(f"unsupported operand types for {symbol}: '{left.__name__}' and '{right.__name__}'. ")
                written = re.search(r"Instead of a \S+ b write (.*)\.$", said)
                assert written or "Expected " in said or "There is no " in said
                for expression in written[1].split(" or ") if written else []:
                    names = {"a": a, "b": b, "math": math, "R2": R2, "R4": R4, "Quaternion": Quaternion}
                    assert eval(expression, names).defined(), expression
    assert refused > 100 or left is Scalar


def test_what_to_write_instead():
    for left, symbol, right, written in [
        (R2, "*", SR2, "a * R2(b)"),
        (SR2, "@", R2, "R2(a) @ b"),
        (R2, "+", SR2, "a + R2(b)"),
        (Rot, "*", SR2, "b.rotate(a)"),
        (Rot, "*", R2, "b.rotate(a) or R2(a) * b"),
        (Rot, "*", Quaternion, "a * b.to_rot()"),
        (Vec, "*", R2, "b.transpose() * a"),
        (Vec, "*", Vec, "a.dot(b) or a.cross(b) or a.outer(b)"),
        (SR2, "*", SR2, "R2(a) * R2(b) or math.inner(a, b)"),
        (Tensor, "-", SR2, "a - b.tensor()"),
        (R2, "<", SR2, "a < R2(b)"),
    ]:
        with pytest.raises(TypeError, match=re.escape(f"Instead of a {symbol} b write {written}.")):
            OPERATORS[symbol](beside_type(left, right), beside_type(right, left))
    with pytest.raises(TypeError, match="Expected on the right of SSR4: SR2, R2, SSR4, a Scalar, a number"):
        random(SSR4) * random(Vec)


def test_what_other_types_define_comes_before_refusing():
    class Foreign:
        def __radd__(self, other):
            return "radd"

        def __rmatmul__(self, other):
            return "rmatmul"

        def __gt__(self, other):
            return "gt"

    class Mine(SR2):
        def __radd__(self, other):
            below = super().__radd__(other)
            return "mine" if below is NotImplemented else below

        def __rmul__(self, other):
            return NotImplemented

    a, mine = random(R2), Mine(torch.rand(6))
    assert (a + Foreign(), a @ Foreign(), a < Foreign()) == ("radd", "rmatmul", "gt")
    assert a + mine == "mine" and type(2.0 + mine) is Mine
    with pytest.raises(TypeError, match="unsupported operand"):
        a * mine
    assert a.__add__(random(SR2)) is NotImplemented  # Python then asks SR2
    assert (a == random(SR2)) is False and (a != random(SR2)) is True


@every_type
def test_products_of_a_type_with_itself(cls):
    if cls in PRODUCTS | TYPED_PRODUCTS:
        return
    with pytest.raises(TypeError, match="unsupported operand"):
        random(cls, 2) * random(cls, 2)
    with pytest.raises(TypeError, match=r"\*=: cannot write"):
        a = random(cls, 2)
        a *= random(cls, 2)


@every_type
@pytest.mark.parametrize("op", [*ARITHMETIC.items(), ("**", operator.pow)], ids=lambda item: item[0])
def test_other_operands_are_refused(cls, op):
    """Raw tensors are refused, too: it is not clear which of their dimensions are batch dimensions."""
    a = random(cls, 2)
    others = (
        None,
        "x",
        b"x",
        [1.0],
        (1.0, 2.0),
        {},
        object(),
        np.ones(2),
        torch.ones(2),
        torch.tensor(1.0),
        SR2,
        torch.float64,
    )
    for other in others:
        with pytest.raises(TypeError):
            op[1](a, other)
        with pytest.raises(TypeError):
            op[1](other, a)


def test_batches_that_do_not_fit():
    with pytest.raises(ValueError, match=r"\[2\].*\[3\]"):
        random(SR2, 2) + random(SR2, 3)
    with pytest.raises(ValueError, match=r"SSR4.*SR2"):
        random(SSR4, 2) * random(SR2, 3)
    with pytest.raises(ValueError, match=r"Float|float|dtype"):
        random(SSR4) * random(SR2).to(dtype=torch.float32)


def test_numbers_that_are_special():
    a = random(SR2, 2)
    assert torch.isnan((a + float("nan")).torch()).all()
    assert torch.isinf((a + float("inf")).torch()).all()
    check(a + 2**70, SR2, a.torch() + float(2**70))
    check(a * -(2**63), SR2, a.torch() * float(-(2**63)))
    with pytest.raises((TypeError, OverflowError)):
        a + 10**400
    with pytest.raises(ValueError, match="complex"):
        a + 1j
    assert torch.isinf((a / 0).torch()).all()


# ---- Products of types ----


@pytest.mark.parametrize(
    "left, right, result, formula",
    [
        (SSR4, SR2, SR2, "...ij,...j->...i"),
        (SR2, SSR4, SR2, "...i,...ij->...j"),
        (SSR4, SSR4, SSR4, "...ij,...jk->...ik"),
        (R2, R2, R2, "...ij,...jk->...ik"),
        (R2, Vec, Vec, "...ij,...j->...i"),
        (R4, R4, R4, "...ijmn,...mnkl->...ijkl"),
        (R4, R2, R2, "...ijkl,...kl->...ij"),
        (R2, R4, R2, "...ij,...ijkl->...kl"),
    ],
    ids=lambda x: x.__name__ if isinstance(x, type) else "",
)
@pytest.mark.parametrize("batches", [((), ()), ((4,), (4,)), ((2, 1), (3,)), ((), (2, 3)), ((0,), (1,))], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_products(left, right, result, formula, batches, dtype):
    a, b = random(left, *batches[0], dtype=dtype), random(right, *batches[1], dtype=dtype)
    check(a * b, result, torch.einsum(formula, a.torch(), b.torch()), tuple(torch.broadcast_shapes(*batches)))


def test_product_with_a_tensor_that_is_not_symmetric():
    C, A = random(SSR4, 2), random(R2, 2)
    check(C * A, SR2, (C * SR2(A)).torch())


@pytest.mark.parametrize("batches", [((), ()), ((4,), (4,)), ((2, 1), (3,))], ids=str)
def test_compositions_of_rotations(batches):
    a, b = random(Rot, *batches[0]), random(Rot, *batches[1])
    c = a * b
    assert type(c) is Rot
    torch.testing.assert_close((R2(a) * R2(b)).torch(), R2(c).torch())
    p, q = Quaternion(a), Quaternion(b)
    assert type(p * q) is Quaternion
    torch.testing.assert_close((p * q).to_R2().torch(), R2(c).torch())
    v = random(Vec)
    torch.testing.assert_close((R2(c) * v).torch(), v.rotate(c).torch())


def test_products_of_integers():
    a = R2(torch.arange(9).reshape(3, 3))
    check(a * a, R2, a.torch() @ a.torch())
    m = MillerIndex.fill(1, 2, 3)
    check(m * 2, MillerIndex, torch.tensor([2, 4, 6]))
    check(WR2.fill(1, 2, 3) * 2, WR2, torch.tensor([2.0, 4, 6]))


# ---- Products by @, and of rotations ----


@pytest.mark.parametrize("a, b", [(R2, R2), (R2, Vec), (SSR4, SR2), (SR2, SSR4), (SSR4, SSR4), (R4, R2), (R4, R4), (Rot, Rot), (Quaternion, Quaternion)])
def test_at_is_the_product_of_the_types(a, b):
    x, y = random(a, 2), random(b, 3, 1)
    assert type(x @ y) is type(x * y) and torch.equal((x @ y).torch(), (x * y).torch())


def test_at_of_tensors_is_that_of_torch_on_the_base():
    A, v = Tensor(torch.rand(2, 1, 3, 4), 2), Tensor(torch.rand(5, 4), 1)
    B = Tensor(torch.rand(5, 4, 2), 1)
    assert torch.allclose((A @ B).torch(), A.torch() @ B.torch())
    assert torch.allclose((A @ v).torch(), (A.torch() @ v.torch().unsqueeze(-1)).squeeze(-1))
    assert torch.allclose((v @ v).torch(), v.torch().square().sum(-1)) and (v @ v).base.shape == ()
    with pytest.raises(ValueError, match=r"@: not defined for Tensor \(5; 4\) and Tensor \(2, 1; 3, 4\)"):
        v @ A


@pytest.mark.parametrize(
    "use",
    [
        lambda: random(SR2) @ random(SR2),
        lambda: random(R2) @ 2.0,
        lambda: 2.0 @ random(R2),
        lambda: random(R2) @ random(Scalar),
        lambda: random(Scalar) @ random(Scalar),
        lambda: random(Vec) @ random(R2),
        lambda: random(Rot) @ random(SR2),
        lambda: random(Vec) * random(Rot),
    ],
)
def test_there_is_no_such_product(use):
    with pytest.raises(TypeError):
        use()


def test_rotations_turn_vectors():
    r, v = random(Rot, 2), random(Vec, 3, 1)
    for rotated in (r * v, r @ v, v.rotate(Quaternion(r))):
        assert type(rotated) is Vec and torch.allclose(rotated.torch(), v.rotate(r).torch())
    v = random(Vec, grad=True)
    (random(Rot) * v).norm_sq().torch().backward()
    assert torch.allclose(v.grad.torch(), 2 * v.torch())


@pytest.mark.parametrize("cls", [Vec, R2, SR2, WR2, R4, SSR4, Rot])
def test_rotation_by_a_quaternion_is_that_by_its_rotation(cls):
    a, r = random(cls, 2), random(Rot, 3, 1)
    q = Quaternion(r)
    expected = a.rotate(r)
    assert type(a.rotate(q)) is cls and torch.allclose(a.rotate(q).torch(), expected.torch())
    assert torch.allclose(math.rotate(a, q).torch(), expected.torch())


# ---- Numbers cost no more than Scalars ----


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_number_needs_no_call_of_torch_as_a_scalar_needs_none(dtype):
    s, k = SR2.ones(dtype=dtype), Scalar(2.0, dtype=dtype)

    def calls(f):
        f()
        with torch.autograd.profiler.profile() as seen:
            f()
        return [event.name for event in seen.function_events]

    assert "aten::mul" in calls(lambda: s.torch() * 2.0)
    for use in (lambda: s * k, lambda: s * 2.0, lambda: 2.0 * s, lambda: s + 2.0, lambda: s / 2.0, lambda: 1 - s):
        assert calls(use) == []


@pytest.mark.parametrize("n", [1, 100, 1000])
def test_numbers_and_float32_give_what_torch_gives(n):
    s = random(SR2, n, dtype=torch.float32)
    t = s.torch()
    for k in (0.1, 3, -2.5, 1e30, float("inf")):
        for op in (operator.add, operator.sub, operator.mul, operator.truediv):
            for mine, theirs in ((op(s, k), op(t, k)), (op(k, s), op(k, t))):
                assert mine.dtype == torch.float32
                assert torch.allclose(mine.torch(), theirs, rtol=3e-7, equal_nan=True)
