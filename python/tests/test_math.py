# SPDX-License-Identifier: MIT
"""The functions of neml2.math that take tensors of any type, compared with PyTorch on the same numbers."""
import math as numbers
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
import torch

import neml2
from neml2 import math
from neml2.tensors import R2, R4, SR2, SSR4, WR2, WWR4, Quaternion, Rot, Scalar, Tensor, TensorBase, Vec
from support import run

TYPES = {Scalar: (), Vec: (3,), R2: (3, 3), SR2: (6,), WR2: (3,), Rot: (3,), SSR4: (6, 6), R4: (3, 3, 3, 3)}

NAN = float("nan")


def random(cls, *batch, low=-1.0, high=1.0, base=None, grad=False):
    base = TYPES.get(cls, (2, 3)) if base is None else base
    x = low + (high - low) * torch.rand((*batch, *base))
    x.requires_grad_(grad)
    return Tensor(x, len(batch)) if cls is Tensor else cls(x)


def integers(cls, *values, batch_dim=0):
    t = torch.tensor(values)
    return Tensor(t, batch_dim) if cls is Tensor else cls(t)


def check(result, cls, expected, batch=None):
    """Checks the type, the batch shape and the values of a result."""
    assert type(result) is cls
    torch.testing.assert_close(result.torch(), expected, equal_nan=True)
    if batch is not None:
        assert result.batch.shape == tuple(batch)


# ---- Component by component ---------------------------------------------------------------------

UNARY = {
    "abs": torch.abs, "sign": torch.sign, "heaviside": lambda x: (torch.sign(x) + 1) / 2, "macaulay": torch.relu,
    "dmacaulay": lambda x: (torch.sign(x) + 1) / 2, "sqrt": torch.sqrt, "exp": torch.exp, "log": torch.log,
    "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3), "log10": torch.log10, "deg2rad": torch.deg2rad,
    "rad2deg": torch.rad2deg, "expm1": torch.expm1, "log1p": torch.log1p,
    "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "asin": torch.asin, "acos": torch.acos, "atan": torch.atan,
    "sinh": torch.sinh, "cosh": torch.cosh, "tanh": torch.tanh, "asinh": torch.asinh, "acosh": torch.acosh,
    "atanh": torch.atanh,
}
INTEGERS_TOO = {"abs", "sign"}


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("cls", [Scalar, SR2, R4, Tensor])
def test_unary(name, cls):
    f, range_ = getattr(math, name), (1, 3) if name == "acosh" else (0.1, 0.9)
    x = random(cls, 4, 2, low=range_[0], high=range_[1])
    check(f(x), cls, UNARY[name](x.torch()), (4, 2))
    check(f(a=-x), cls, UNARY[name](-x.torch()), (4, 2))  # also where it is NaN


@pytest.mark.parametrize("name", UNARY)
def test_unary_refuses(name):
    f = getattr(math, name)
    with pytest.raises(ValueError, match=f"{name}: undefined tensor"):
        f(SR2())
    for wrong in (torch.rand(6), [1.0], None, "x", SR2, 1j):
        with pytest.raises(TypeError, match=rf"{name}\(a: T\) -> T"):
            f(wrong)
    if name not in INTEGERS_TOO:
        with pytest.raises(ValueError, match="int64"):
            f(integers(Vec, 1, 2, 3))
    else:
        assert f(integers(Vec, 1, -2, 3)).dtype == torch.int64


@pytest.mark.parametrize("name", sorted(set(UNARY) - {"sign", "heaviside", "dmacaulay"}))
def test_gradients_of_unary(name):
    f, range_ = getattr(math, name), (1.2, 3) if name == "acosh" else (0.2, 0.8)
    x = random(Vec, 2, low=range_[0], high=range_[1], grad=True).torch()
    assert torch.autograd.gradcheck(lambda t: f(Vec(t)).torch(), x)
    assert torch.autograd.gradgradcheck(lambda t: f(Vec(t)).torch(), x)


ON_BOTH_SIDES = {  # either operand may be a number
    "pow": torch.pow, "maximum": torch.maximum, "minimum": torch.minimum,
    "gt": torch.gt, "lt": torch.lt, "ge": torch.ge, "le": torch.le, "eq": torch.eq, "ne": torch.ne,
    "logical_and": torch.logical_and, "logical_or": torch.logical_or, "logical_xor": torch.logical_xor,
}
BINARY = {**ON_BOTH_SIDES, "fmod": torch.fmod}


def spread(x, n):
    """The values of a Scalar, for n base dimensions."""
    return x.torch().reshape(*x.torch().shape, *[1] * n)


TRUTH = set("gt lt ge le eq ne logical_and logical_or logical_xor".split())


def full(x, like):
    return torch.full_like(like.torch(), x)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("cls", [Scalar, SR2, R4, Tensor])
def test_binary(name, cls):
    f, expected = getattr(math, name), BINARY[name]
    a, b = random(cls, 4, 1, low=0.1, high=2), random(cls, 2, low=0.1, high=2)
    n = a.base.dim()
    b.torch()[0] = a.torch()[0, 0]  # some equal ones
    cls = Tensor if name in TRUTH and cls is not Scalar else cls  # of the results
    wide = [a.torch(), b.torch()]
    check(f(a, b), cls, expected(*wide), (4, 2))
    s = random(Scalar, 5, 1, 1, low=0.1, high=2)
    check(f(a, s), cls, expected(a.torch(), spread(s, n)), (5, 4, 1))
    check(f(s, b), cls, expected(spread(s, n), b.torch()), (5, 1, 2))
    for number in (2, 0.5, True, np.float64(0.5), np.float32(0.5), np.int32(2)):
        check(f(a, number), cls, expected(a.torch(), full(number, a)), (4, 1))
        if name in ON_BOTH_SIDES:
            check(f(number, a), cls, expected(full(number, a), a.torch()), (4, 1))


@pytest.mark.parametrize("name", BINARY)
def test_binary_refuses(name):
    f = getattr(math, name)
    for a, b in [(random(Vec), random(R2)), (random(Vec), random(WR2)), (random(SR2), random(Tensor, base=(6,))),
                 (random(Tensor, base=(3,)), random(Vec))]:
        message = f"{name}: not defined for {type(a).__name__} and {type(b).__name__}. Expected two tensors of one type"
        with pytest.raises(TypeError, match=message):
            f(a, b)
    for wrong in (torch.rand(3), np.ones(3), [1.0], None, "1"):
        with pytest.raises(TypeError, match=f"{name}\\(a: T, "):
            f(random(Vec), wrong)
        with pytest.raises(TypeError, match="incompatible function arguments"):
            f(wrong, random(Vec))
    with pytest.raises(ValueError, match=f"{name}: .*2.*3"):
        f(random(Vec, 2), random(Vec, 3))
    with pytest.raises(ValueError, match="undefined tensor"):
        f(random(Vec), Vec())
    with pytest.raises(ValueError, match="undefined tensor"):
        f(random(Vec), Scalar())


# ---- Plain numbers: the values of Python's math, and those of a batch where Python's math raises an exception ----

EDGES = (0.0, -0.0, 0.3, -0.3, 1.0, -1.0, 2.5, -2.5, 710.0, numbers.inf, -numbers.inf, NAN)


def check_number(result, expected):
    """A float, equal to the only value of a batch."""
    assert type(result) is float
    assert result == pytest.approx(expected.item(), rel=1e-14, abs=0, nan_ok=True)


@pytest.mark.parametrize("name", UNARY)
def test_unary_of_numbers(name):
    f = getattr(math, name)
    for x in (*EDGES, 2, True, np.float64(0.5), np.float32(0.25), np.int32(3)):
        check_number(f(x), f(Scalar(float(x), dtype=torch.float64)).torch())
    check_number(f(a=0.5), f(Scalar(0.5, dtype=torch.float64)).torch())


def test_number_of_python():
    assert math.sqrt(2.0) == numbers.sqrt(2.0) and math.cos(math.pi) == -1.0 and math.exp(1) == math.e
    assert (math.pi, math.e, math.tau, math.inf) == (numbers.pi, numbers.e, numbers.tau, numbers.inf) and math.nan != math.nan
    assert numbers.isnan(math.sqrt(-1.0)) and math.log(0.0) == -math.inf and math.exp(1000.0) == math.inf


@pytest.mark.parametrize("name", [*ON_BOTH_SIDES, "fmod", "atan2", "hypot"])
def test_binary_of_numbers(name):
    f = getattr(math, name)
    for x in EDGES:
        for y in EDGES:
            expected = f(Scalar(x, dtype=torch.float64), Scalar(y, dtype=torch.float64)).torch()
            if name in TRUTH:
                assert f(x, y) is expected.item()
            else:
                check_number(f(x, y), expected)
    with pytest.raises(TypeError, match=f"{name}: incompatible"):
        f(1.0, "x")


def test_other_functions_of_numbers():
    for clamp in (math.clamp, math.clip):
        assert [clamp(x, 0, 1.5) for x in (-1, 0.5, 2)] == [0.0, 0.5, 1.5] and clamp(0.0, 2.0, 1.0) == 1.0
        assert numbers.isnan(clamp(NAN, 0.0, 1.0))
    assert math.where(True, 1, 2.0) == 1.0 and math.where(np.bool_(False), 1.0, 2.0) == 2.0
    assert math.logical_not(0.0) is True and math.logical_not(NAN) is False
    assert math.gcd(12, -18) == 6 and type(math.gcd(12, 18)) is int
    with pytest.raises(TypeError, match="incompatible"):
        math.gcd(1.5, 2)


def test_functions_that_only_python_has():
    for name in ("floor", "isnan", "gamma"):
        with pytest.raises(AttributeError, match=rf"neml2.math has no {name}\. Python's own math has it, for plain numbers: import math"):
            getattr(math, name)
    with pytest.raises(AttributeError, match=r"neml2.math has no degrees\. Write rad2deg\."):
        math.degrees  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'neml2.math' has no attribute 'no_such'"):
        math.no_such  # noqa: B018


def test_batch_never_meets_base():
    with pytest.raises(ValueError, match="do not broadcast"):
        math.maximum(random(Vec, 2), random(Vec, 3, 3))
    check(math.maximum(random(Vec, 3, low=-2, high=-1), random(Scalar, 2, 1, low=1, high=1)), Vec, torch.ones(2, 3, 3))
    a, b = random(Tensor, 4, base=(2, 1)), random(Tensor, base=(5,))  # base shapes of Tensors broadcast
    check(math.minimum(a, b), Tensor, torch.minimum(a.torch(), b.torch().expand(4, 2, 5)), (4,))


shapes = st.lists(st.sampled_from([1, 2, 3]), max_size=3).map(tuple)


@hypothesis.given(shapes, shapes)
@hypothesis.settings(suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
def test_shapes(one, other):
    a, b, s = random(SR2, *one), random(SR2, *other), random(Scalar, *other)
    try:
        batch = tuple(torch.broadcast_shapes(one, other))
    except RuntimeError:
        for f in (lambda: math.maximum(a, b), lambda: math.fmod(a, s), lambda: math.inner(a, b),
                  lambda: math.broadcast_shapes(one, other), lambda: math.broadcasted(a, s)):
            with pytest.raises(ValueError, match="broadcast"):
                f()
        assert not math.can_broadcast_to_match(a, s)
        return
    assert math.maximum(a, b).batch.shape == math.fmod(a, s).batch.shape == math.inner(a, b).batch.shape == batch
    assert math.broadcast_shapes(one, other) == math.broadcast_batch_sizes([a, s, b]) == batch
    assert [x.batch.shape for x in math.broadcasted(a, s)] == [batch, batch]
    assert math.can_broadcast_to_match(a, s)


def test_pow():
    with pytest.raises(ValueError, match="negative"):
        math.pow(integers(Vec, 1, 2, 3), Scalar(torch.tensor(-1)))
    with pytest.raises(ValueError, match="pow"):
        math.pow(random(Vec), 1j)
    check(math.pow(integers(Vec, 1, 2, 3), 2), Vec, torch.tensor([1, 4, 9]))
    a, n = random(Vec, 2, low=0.5, grad=True, high=2), random(Scalar, low=1, high=2, grad=True)
    assert torch.autograd.gradcheck(lambda x, y: math.pow(Vec(x), Scalar(y)).torch(), (a.torch(), n.torch()))
    assert torch.autograd.gradgradcheck(lambda x, y: math.pow(Vec(x), Scalar(y)).torch(), (a.torch(), n.torch()))
    check(math.pow(a=2, n=a), Vec, 2 ** a.torch())


def test_extrema_of_nan_and_ties():
    x = Vec(torch.tensor([NAN, 0.0, 1.0]))
    check(math.maximum(x, 0), Vec, torch.tensor([NAN, 0.0, 1.0]))
    check(math.minimum(0, x), Vec, torch.tensor([NAN, 0.0, 0.0]))
    zero = Scalar(torch.tensor(0.0)).requires_grad_()
    math.maximum(zero, 0.0).backward()
    assert zero.grad.item() == 0


def test_comparison_of_nan_and_dtypes():
    x = Vec(torch.tensor([NAN, 0.0, 1.0]))
    assert math.ge(x, 0).tolist() == [False, True, True]
    assert math.ne(x, x).tolist() == [True, False, False]
    assert math.eq(integers(Vec, 0, 1, 2), Vec(torch.tensor([0.0, 1.5, 2.0]))).tolist() == [True, False, True]
    assert math.logical_and(x, 1).tolist() == [True, False, True]
    assert (x > 0).tolist() == math.gt(x, 0).tolist() == math.lt(0, x).tolist()


def test_logical_not():
    check(math.logical_not(integers(Vec, 0, 1, 2)), Tensor, torch.tensor([True, False, False]))
    check(math.logical_not(integers(Scalar, 0, 1)), Scalar, torch.tensor([True, False]))
    with pytest.raises(ValueError, match="undefined"):
        math.logical_not(Vec())


def test_fmod():
    a = Vec(torch.tensor([-3.5, 3.5, 1.0]))
    check(math.fmod(a, 2), Vec, torch.tensor([-1.5, 1.5, 1.0]))
    check(math.fmod(2, a), Vec, torch.tensor([2.0, 2.0, 0.0]))


def test_gcd():
    a = integers(Vec, 4, -6, 0)
    check(math.gcd(a, integers(Vec, 6, 4, 5)), Vec, torch.tensor([2, 2, 5]))
    check(math.gcd(a, Scalar(torch.tensor(4))), Vec, torch.tensor([4, 2, 4]))
    check(math.gcd(Scalar(torch.tensor(4)), a), Vec, torch.tensor([4, 2, 4]))
    for numbers_ in [(a, 2), (2, a)]:
        with pytest.raises(TypeError, match="incompatible"):
            math.gcd(*numbers_)
    with pytest.raises(TypeError, match="gcd: not defined for Vec and R2"):
        math.gcd(a, R2(torch.ones(3, 3, dtype=torch.int64)))
    with pytest.raises(ValueError, match="Expected an integer type"):
        math.gcd(random(Vec), random(Vec))


def test_normalize_gcd():
    check(math.normalize_gcd(integers(Vec, 4, -2, 6)), Vec, torch.tensor([2, -1, 3]))
    rounded = math.normalize_gcd(Tensor(torch.tensor([[4.0, 2.0], [0.0, 0.0]]), 1))
    check(rounded, Tensor, torch.tensor([[2, 1], [0, 0]]), (2,))
    with pytest.raises(ValueError, match="undefined"):
        math.normalize_gcd(Vec())


def test_atan2():
    y, x = random(Vec, 2, 1, grad=True), random(Vec, 3, grad=True)
    check(math.atan2(y, x), Vec, torch.atan2(y.torch(), x.torch()), (2, 3))
    assert torch.autograd.gradgradcheck(lambda s, c: math.atan2(Vec(s), Vec(c)).torch(), (y.torch(), x.torch()))
    with pytest.raises(TypeError, match="atan2: not defined for Vec and Scalar"):
        math.atan2(y, random(Scalar))  # as in C++
    with pytest.raises(TypeError):
        math.atan2(y, "1")


def test_hypot():
    a, b = random(Vec, 2, 1, grad=True), random(Vec, 3, grad=True)
    check(math.hypot(a, b), Vec, torch.hypot(a.torch(), b.torch()), (2, 3))
    assert torch.autograd.gradcheck(lambda s, c: math.hypot(Vec(s), Vec(c)).torch(), (a.torch(), b.torch()))
    assert torch.autograd.gradgradcheck(lambda s, c: math.hypot(Vec(s), Vec(c)).torch(), (a.torch(), b.torch()))
    with pytest.raises(TypeError, match="hypot: not defined for Vec and Scalar"):
        math.hypot(a, random(Scalar))


@pytest.mark.parametrize("name", ["atan2", "hypot", "fmod"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_number_stands_for_a_tensor(name, dtype):
    f, a = getattr(math, name), Vec(random(Vec, 2, grad=True, low=0.3).torch().to(dtype))
    n = Vec(torch.full((3,), 0.75, dtype=dtype))
    check(f(a, 0.75), Vec, f(a, n).torch(), (2,))
    check(f(0.75, a), Vec, f(n, a).torch(), (2,))
    for call in (lambda x: f(x, 0.75), lambda x: f(0.75, x)):
        on_batches, in_formula = call(a).torch(), neml2.vmap(call, a).torch()
        torch.testing.assert_close(in_formula, on_batches)
        torch.testing.assert_close(*(torch.autograd.grad(y.sum(), a.torch())[0] for y in (in_formula, on_batches)))


def triangles(dtype):
    """Sides a, b and the hypotenuse over the first of them: 3, 4, 5 of any magnitude, and nothing."""
    size = torch.tensor([1e300, 1e-300, 1.0, 0.0] if dtype == torch.float64 else [1e30, 1e-30, 1.0, 0.0], dtype=dtype)
    return Scalar(3 * size), Scalar(4 * size), size


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_hypot_of_any_magnitude(dtype):
    a, b, size = triangles(dtype)

    def slopes(x, y):
        return neml2.gradient(math.hypot, x, y), neml2.gradient(lambda s, t: math.hypot(t, s), y, x)

    for f in (math.hypot, lambda x, y: neml2.vmap(math.hypot, x, y)):
        torch.testing.assert_close(f(a, b).torch() / size, torch.tensor([5.0, 5.0, 5.0, NAN], dtype=dtype), equal_nan=True)
        assert f(a, b).torch()[3] == 0
    for by_a, by_b in (slopes(a, b), neml2.vmap(slopes, a, b)):
        torch.testing.assert_close(by_a.torch(), torch.tensor([0.6, 0.6, 0.6, 0.0], dtype=dtype))
        torch.testing.assert_close(by_b.torch(), torch.tensor([0.8, 0.8, 0.8, 0.0], dtype=dtype))
    t = a.torch().clone().requires_grad_()
    math.hypot(Scalar(t), b).torch().sum().backward()
    torch.testing.assert_close(t.grad, torch.tensor([0.6, 0.6, 0.6, 0.0], dtype=dtype))
    of_function = torch.func.grad(lambda x: math.hypot(Scalar(x), b).torch().sum())(a.torch())
    torch.testing.assert_close(of_function, t.grad)


PRECISE = {  # the functions in mpmath, with two derivatives
    "expm1": (math.expm1, mpmath.expm1, mpmath.exp, mpmath.exp),
    "log1p": (math.log1p, mpmath.log1p, lambda x: 1 / (1 + x), lambda x: -1 / (1 + x) ** 2),
}


@pytest.mark.parametrize("name", PRECISE)
def test_precise_near_zero(name):
    f, *exact = PRECISE[name]
    points = [1e-300, -1e-12, 1e-10, -0.3, 0.7, 20.0]
    with mpmath.workdps(50):
        expected = [torch.tensor([float(g(mpmath.mpf(x))) for x in points], dtype=torch.float64) for g in exact]
    x = Scalar(torch.tensor(points, dtype=torch.float64))
    close = {"rtol": 4e-16, "atol": 0.0}
    torch.testing.assert_close(torch.tensor([f(p) for p in points], dtype=torch.float64), expected[0], **close)
    calls = (f, lambda s: neml2.gradient(f, s), lambda s: neml2.hessian(f, s))
    for call, numbers_, tolerance in zip(calls, expected, (4e-16, 1e-15, 1e-15), strict=True):
        for result in (call(x), neml2.vmap(call, x)):
            torch.testing.assert_close(result.torch(), numbers_, rtol=tolerance, atol=0.0)
    single = Scalar(x.torch()[1:].float())
    torch.testing.assert_close(f(single).torch().double(), f(Scalar(single.torch().double())).torch(), rtol=2.4e-7, atol=0.0)


@pytest.mark.parametrize("f", [math.clamp, math.clip])
@pytest.mark.parametrize("cls", [Scalar, SR2, Tensor])
def test_clamp(f, cls):
    x = random(cls, 5, low=-2, high=2)
    n = x.base.dim()
    low, high = random(cls, low=-1, high=0), random(cls, 2, 1, low=0, high=1)
    s = random(Scalar, 3, 1, low=-1, high=0)
    check(f(x, -1, 1.0), cls, x.torch().clamp(-1, 1))
    check(f(x, low, high), cls, torch.minimum(torch.maximum(x.torch(), low.torch()), high.torch()), (2, 5))
    check(f(x, s, 1), cls, torch.maximum(x.torch(), spread(s, n)).clamp_max(1), (3, 5))
    check(f(a=x, lower=s, upper=high.batch[0]), cls,
          torch.minimum(torch.maximum(x.torch(), spread(s, n)), high.torch()[0]), (3, 5))
    check(f(x, -1, random(Scalar, low=1, high=1)), cls, x.torch().clamp(-1, 1))
    check(f(x, low, 1), cls, torch.maximum(x.torch(), low.torch()).clamp_max(1))
    check(f(x, low, random(Scalar, low=1, high=1)), cls, torch.maximum(x.torch(), low.torch()).clamp_max(1))
    with pytest.raises(TypeError, match="Vec"):
        f(x, random(Vec), 1)
    with pytest.raises(TypeError, match="Vec"):
        f(x, 0, random(Vec))
    with pytest.raises(TypeError, match="incompatible"):
        f(x, None, 1)
    with pytest.raises(ValueError, match="undefined"):
        f(cls(), 0, 1)


@pytest.mark.parametrize("cls", [Scalar, SR2, Tensor])
def test_where(cls):
    a, b, s = random(cls, 4, 1), random(cls, 2), random(Scalar, 2)
    n = a.base.dim()
    chosen = torch.where(spread(s, n) > 0, a.torch(), b.torch())
    for condition in (s > 0, (s > 0).torch()):
        check(math.where(condition, a, b), cls, chosen, (4, 2))
    check(math.where(a > 0, a, b), cls, torch.where(a.torch() > 0, a.torch(), b.torch()), (4, 2))
    check(math.where(a > 0, a, 0), cls, torch.where(a.torch() > 0, a.torch(), 0.0), (4, 1))
    check(math.where(condition=s > 0, a=1.5, b=b), cls, torch.where(spread(s, n) > 0, 1.5, b.torch()), (2,))
    with pytest.raises(TypeError, match="where: not defined for"):
        math.where(s > 0, a, random(Vec))
    with pytest.raises(TypeError, match=r"where\(condition: "):
        math.where(s > 0, 1.0, 2.0)
    with pytest.raises(TypeError, match=r"where\(condition: "):
        math.where(1.0, a, b)
    for truth in (True, False, np.bool_(True)):  # a condition that is the same for the whole batch
        check(math.where(truth, a, b), cls, torch.where(torch.tensor(bool(truth)), a.torch(), b.torch()), (4, 2))
        check(math.where(truth, a, 2.0), cls, torch.where(torch.tensor(bool(truth)), a.torch(), full(2.0, a)), (4, 1))
    with pytest.raises(ValueError, match="where: undefined"):
        math.where(True, cls(), 1.0)
    with pytest.raises(ValueError, match="expected bool"):
        math.where(s, a, b)
    with pytest.raises(ValueError, match="undefined"):
        math.where(Scalar(), a, b)


def test_where_refuses_raw_conditions_of_doubt():
    a = random(SR2, 4)
    with pytest.raises(ValueError, match="which of its dimensions are batch dimensions"):
        math.where(torch.rand(2, 4, 6) > 0, a, 0.0)


# ---- Along dimensions ---------------------------------------------------------------------------

REDUCTIONS = {
    "sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin,
    "argmax": lambda x, d: torch.argmax(x, d, keepdim=True), "argmin": lambda x, d: torch.argmin(x, d, keepdim=True),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("cls", [Scalar, SR2, R4, Tensor])
def test_reduction(name, cls):
    x, expected = random(cls, 4, 2), REDUCTIONS[name]
    f, g = getattr(math, "batch_" + name), getattr(math, "base_" + name)
    check(f(x), cls, expected(x.torch(), 0))
    check(f(x, -1), cls, expected(x.torch(), 1))
    check(f(a=x, d=1), cls, expected(x.torch(), 1))
    for d in (2, -3):
        with pytest.raises(IndexError, match=f"batch_{name}: .*{d}"):
            f(x, d)
    with pytest.raises(IndexError, match="has no batch dimension"):
        f(random(cls))
    with pytest.raises(ValueError, match="undefined"):
        f(cls())
    with pytest.raises(TypeError, match=f"batch_{name}\\(a: T, d: int = 0\\) -> T"):
        f(x.torch())
    if cls is Scalar:
        with pytest.raises(IndexError, match="has no base dimension"):
            g(x)
        return
    check(g(x), Tensor, expected(x.torch(), 2), (4, 2))
    check(g(x, d=-1), Tensor, expected(x.torch(), -1), (4, 2))
    with pytest.raises(IndexError, match=f"base_{name}"):
        g(x, 7)
    with pytest.raises(TypeError):
        g(x.torch())


def test_base_sum_of_several():
    x = random(R2, 4)
    check(math.base_sum(x, [0, 1]), Tensor, x.torch().sum((1, 2)), (4,))
    check(math.base_sum(x, (-1,), keepdim=True), Tensor, x.torch().sum(-1, keepdim=True), (4,))
    with pytest.raises(ValueError, match="the list is empty"):
        math.base_sum(x, [])
    check(math.batch_sum(x > 0), Tensor, (x.torch() > 0).sum(0))


def test_sum_to_size():
    x = random(R2, 4, 2)
    check(math.batch_sum_to_size(x, (2,)), R2, x.torch().sum(0), (2,))
    check(math.batch_sum_to_size(x, (4, 1)), R2, x.torch().sum(1, keepdim=True), (4, 1))
    check(math.batch_sum_to_size(x, ()), R2, x.torch().sum((0, 1)), ())
    check(math.base_sum_to_size(x, (1, 3)), Tensor, x.torch().sum(2, keepdim=True), (4, 2))
    check(math.base_sum_to_size(x, 3), Tensor, x.torch().sum(2), (4, 2))
    for f in (math.batch_sum_to_size, math.base_sum_to_size):
        with pytest.raises(ValueError, match="does not expand"):
            f(x, (5,))
        with pytest.raises(TypeError):
            f(x, "x")


def test_diff():
    x = random(SR2, 4, 3)
    t = x.torch()
    check(math.batch_diff(x), SR2, t.diff(dim=1), (4, 2))
    check(math.batch_diff(x, 2, 0), SR2, t.diff(n=2, dim=0), (2, 3))
    check(math.base_diff(x, n=2), Tensor, t.diff(n=2), (4, 3))
    check(math.diff(x, d=0), SR2, t.diff(dim=0), (3, 3))
    check(math.diff(Scalar(t)), Scalar, t.diff(), (4, 3, 5))
    check(math.diff(Tensor(t, 2)), Tensor, t.diff(), (4, 3))
    check(math.diff(x, 0), SR2, t)
    with pytest.raises(ValueError, match="SR2 is a base dimension, whose size the type fixes. Use base_diff"):
        math.diff(x)
    for f in (math.batch_diff, math.base_diff, math.diff):
        with pytest.raises(ValueError, match="times"):
            f(x, -1)
        with pytest.raises(ValueError, match="undefined"):
            f(SR2())


def test_diagonals():
    x = random(Vec, 2, 4)
    t = x.torch()
    check(math.batch_diag_embed(x), Vec, torch.diag_embed(t.movedim(1, -1), dim1=1, dim2=2), (2, 4, 4))
    check(math.batch_diag_embed(x, offset=1, d1=0, d2=1), Vec, torch.diag_embed(t.movedim(1, -1), 1, 0, 1), (5, 5, 2))
    check(math.base_diag_embed(x), Tensor, torch.diag_embed(t), (2, 4))
    check(math.base_diag_embed(x, -1, 1, 0), Tensor, torch.diag_embed(t, -1, 3, 2), (2, 4))
    check(math.batch_diagonalize(x), Vec, torch.diag_embed(t.movedim(1, -1), dim1=1, dim2=2), (2, 4, 4))
    check(math.batch_diagonalize(x, 0), Vec, torch.diag_embed(t.movedim(0, -1), dim1=0, dim2=1), (2, 2, 4))
    check(math.base_diagonalize(x), Tensor, torch.diag_embed(t), (2, 4))
    for f in (math.batch_diag_embed, math.base_diag_embed):
        with pytest.raises(ValueError, match="are the same dimension"):
            f(x, 0, 1, 1)
    with pytest.raises(IndexError, match="has no batch dimension"):
        math.batch_diagonalize(random(Vec))
    with pytest.raises(IndexError, match="has no base dimension"):
        math.base_diagonalize(random(Scalar, 2))


def test_spaces():
    a, b = random(SR2, 2, 1), random(SR2, 3)
    k = torch.linspace(0, 1, 5)
    line = a.torch() + (b.torch() - a.torch()) * k.reshape(5, 1, 1, 1)
    check(math.batch_linspace(a, b, 5), SR2, line, (5, 2, 3))
    check(math.batch_linspace(a, b, nstep=5, d=-1), SR2, line.movedim(0, 2), (2, 3, 5))
    check(math.batch_logspace(a, b, 5), SR2, 10**line, (5, 2, 3))
    check(math.batch_logspace(a, b, 5, base=2), SR2, 2**line, (5, 2, 3))
    check(math.base_linspace(a, b, 5), Tensor, line.movedim(0, 2), (2, 3))
    check(math.base_linspace(a, b, 5, d=-1), Tensor, line.movedim(0, 3), (2, 3))
    check(math.base_logspace(a, b, 5, base=numbers.e), Tensor, torch.exp(line.movedim(0, 2)), (2, 3))
    for name in ("batch_linspace", "batch_logspace", "base_linspace", "base_logspace"):
        f = getattr(math, name)
        with pytest.raises(TypeError, match=f"{name}: not defined for SR2 and Scalar"):
            f(a, random(Scalar), 5)
        with pytest.raises(ValueError, match="step"):
            f(a, b, 0)
        with pytest.raises(TypeError):
            f(a, 1.0, 5)


# ---- Lists --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [Scalar, SR2, Tensor])
def test_join(cls):
    a, b, c = random(cls, 4, 2), random(cls, 1, 2), random(cls, 2)
    t = [x.torch() for x in (a, b, c.batch.unsqueeze(0))]
    check(math.batch_cat([a, b, c]), cls, torch.cat(t), (6, 2))
    check(math.batch_cat((a, a), -1), cls, torch.cat([t[0], t[0]], 1), (4, 4))
    expanded = [x.expand_as(t[0]) for x in t]
    check(math.batch_stack([a, b, c]), cls, torch.stack(expanded), (3, 4, 2))
    check(math.batch_stack(list=(a, b, c), d=-1), cls, torch.stack(expanded, 2), (4, 2, 3))
    check(math.base_stack([a, b, c]), Tensor, torch.stack(expanded, 2), (4, 2))
    check(math.base_stack([a, b, c], d=-1), Tensor, torch.stack(expanded, -1), (4, 2))
    if cls is not Scalar:
        check(math.base_cat([a, b, c]), Tensor, torch.cat(expanded, 2), (4, 2))


JOINS = ["batch_cat", "batch_stack", "base_cat", "base_stack"]


@pytest.mark.parametrize("name", JOINS)
def test_join_refuses(name):
    f = getattr(math, name)
    with pytest.raises(ValueError, match=f"{name}: the list is empty"):
        f([])
    vec = random(Vec)
    for wrong in (vec, torch.rand(2, 3), [torch.rand(3)], [vec, 1.0], None, "ab", iter([vec])):
        with pytest.raises(TypeError, match=f"{name}\\("):
            f(wrong)
    with pytest.raises(ValueError, match="undefined"):
        f([random(Vec, 2), Vec()])
    with pytest.raises(IndexError, match=name):
        f([random(Vec, 2)], 3)
    if name.startswith("batch"):
        with pytest.raises(TypeError, match=f"{name}: not defined for Vec and WR2. Expected tensors of one type"):
            f([random(Vec, 2), random(Vec, 2), random(WR2, 2)])
    else:  # all are Tensors to it
        assert type(f([random(Vec, 2), random(WR2, 2)])) is Tensor


def test_einsum():
    A, v, C = random(R2, 4, 1), random(Vec, 3), random(R4)
    equation = "...ij,...j->...i"
    check(math.einsum(equation, [A, v]), Tensor, torch.einsum(equation, A.torch(), v.torch()), (4, 3))
    check(math.einsum("...ijkl,...kl", (C, A)), Tensor, torch.einsum("ijkl,...kl->...ij", C.torch(), A.torch()), (4, 1))
    check(math.einsum(equation="...ii", operands=[A]), Tensor, torch.einsum("...ii", A.torch()), (4, 1))
    with pytest.raises(ValueError, match="empty list"):
        math.einsum("...", [])
    with pytest.raises(ValueError, match="letters"):
        math.einsum("...i", [A])
    with pytest.raises(TypeError):
        math.einsum("...ij", A)


# ---- Products -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bmm", "mm"])
def test_matrix_matrix(name):
    f = getattr(math, name)
    a, b = random(Tensor, 4, 1, base=(2, 5)), random(Tensor, 3, base=(5, 3))
    check(f(a, b), Tensor, a.torch() @ b.torch(), (4, 3))
    A = random(R2, 4)
    check(f(a=A, b=A), Tensor, A.torch() @ A.torch(), (4,))
    with pytest.raises(ValueError, match=f"{name}: the contracted base dimensions"):
        f(a, a)
    with pytest.raises(ValueError, match="base dimensions"):
        f(A, random(Vec))
    with pytest.raises(TypeError):
        f(A, A.torch())


@pytest.mark.parametrize("name", ["bmv", "mv"])
def test_matrix_vector(name):
    f = getattr(math, name)
    A, v = random(Tensor, 4, 1, base=(2, 3)), random(Vec, 3)
    check(f(A, v), Tensor, torch.einsum("...ij,...j->...i", A.torch(), v.torch()), (4, 3))
    with pytest.raises(ValueError, match=name):
        f(v, A)
    with pytest.raises(TypeError):
        f(A, [1.0])


@pytest.mark.parametrize("name", ["bvv", "vdot", "vecdot"])
def test_vector_vector(name):
    f = getattr(math, name)
    v, w = random(Vec, 4, 1), random(Tensor, 3, base=(3,))
    check(f(v, w), Scalar, (v.torch() * w.torch()).sum(-1), (4, 3))
    check(f(v, v), Scalar, (v.torch() ** 2).sum(-1), (4, 1))
    with pytest.raises(ValueError, match=name):
        f(w, random(Tensor, base=(4,)))
    with pytest.raises(TypeError):
        f(v, 1.0)


@pytest.mark.parametrize("cls", [Scalar, Vec, R2, SR2, WR2, Rot, SSR4, R4, Quaternion, Tensor])
def test_products_of_all_components(cls):
    base = (4,) if cls is Quaternion else None
    a, b = random(cls, 4, 1, base=base), random(cls, 3, base=base)
    n = a.base.dim()
    dims = tuple(range(-n, 0))

    def total(x):
        return x.sum(dims) if n else x

    check(math.inner(a, b), Scalar, total(a.torch() * b.torch()), (4, 3))
    check(math.norm_sq(a), Scalar, total(a.torch() ** 2), (4, 1))
    check(math.norm(a), Scalar, total(a.torch() ** 2).sqrt(), (4, 1))
    check(math.norm(a, epsilon=0.5), Scalar, (total(a.torch() ** 2) + 0.5).sqrt(), (4, 1))
    size = spread(math.norm(a, 1), n)
    check(math.unit(a, 1), cls, a.torch() / size, (4, 1))
    for f in (math.norm, math.norm_sq, math.unit):
        with pytest.raises(ValueError, match="undefined"):
            f(cls())
        with pytest.raises(TypeError):
            f(a.torch())
    with pytest.raises(TypeError):
        math.inner(a, 1.0)


def test_inner_of_two_types():
    check(math.inner(random(Vec, low=1), random(WR2, low=1)), Scalar, torch.tensor(3.0))
    check(math.inner(random(Tensor, base=(3,), low=1), random(Vec, low=1)), Scalar, torch.tensor(3.0))
    with pytest.raises(TypeError, match="inner: not defined for SR2 and R2. Expected tensors of one base shape"):
        math.inner(random(SR2), random(R2))
    with pytest.raises(ValueError, match="base shapes"):
        math.inner(random(SR2), random(Tensor, base=(5,)))


def test_outer():
    v, w, r = random(Vec, 4, 1), random(Vec, 3), random(Rot)
    check(math.outer(v, w), R2, torch.einsum("...i,...j->...ij", v.torch(), w.torch()), (4, 3))
    check(math.outer(v, r), R2, torch.einsum("...i,j->...ij", v.torch(), r.torch()), (4, 1))
    check(math.outer(r), R2, torch.outer(r.torch(), r.torch()), ())
    s, A = random(SR2), random(R2, 2)
    check(math.outer(s, s), SSR4, torch.outer(s.torch(), s.torch()))
    check(math.outer(s, A), Tensor, torch.einsum("i,...jk->...ijk", s.torch(), A.torch()), (2,))
    x = random(Tensor, 2, base=(4,))
    check(math.outer(x), Tensor, torch.einsum("bi,bj->bij", x.torch(), x.torch()), (2,))
    check(math.outer(x, v.batch[0]), Tensor, torch.einsum("bi,bj->bij", x.torch(), v.torch()[0].expand(2, 3)), (2,))
    with pytest.raises(ValueError, match="undefined"):
        math.outer(Tensor())
    with pytest.raises(TypeError):
        math.outer(x, 1.0)


def test_functions_of_square_matrices():
    A = random(Tensor, 3, base=(4, 4)) + Tensor(torch.eye(4) * 4, 0)
    t = A.torch()
    check(math.tr(A), Scalar, torch.einsum("...ii", t), (3,))
    check(math.det(A), Scalar, torch.linalg.det(t), (3,))
    check(math.inv(A), Tensor, torch.linalg.inv(t), (3,))
    volume = torch.einsum("b,ij->bij", torch.einsum("...ii", t) / 4, torch.eye(4))
    check(math.vol(A), Tensor, volume, (3,))
    check(math.dev(A), Tensor, t - volume, (3,))
    for f in (math.tr, math.det, math.inv, math.vol, math.dev):
        for base in [(2, 3), (4,), ()]:
            with pytest.raises(ValueError, match="base dimensions|is not square"):
                f(random(Tensor, base=base))
        with pytest.raises(TypeError):
            f(random(Vec))
    C = random(SSR4, 4) + SSR4.identity()
    check(math.det(C), Scalar, torch.linalg.det(C.torch()), (4,))
    with pytest.raises(TypeError):
        math.det(random(WWR4, base=(3, 3)))  # as in C++
    maps = random(Tensor, base=(2, 2, 2, 2))
    check(math.einsum("ijmn,mnkl", [math.inv(maps), maps]), Tensor,
          torch.einsum("ik,jl->ijkl", torch.eye(2), torch.eye(2)))


def test_vector_norm():
    check(math.vector_norm(random(Vec, 4, low=1)), Scalar, torch.full((4,), numbers.sqrt(3)))
    check(math.vector_norm(Scalar(torch.tensor(-2.0))), Scalar, torch.tensor(2.0))
    with pytest.raises(ValueError, match="Use norm"):
        math.vector_norm(random(R2))


def test_solve():
    A, v, B = random(R2, 4, 1) + R2.identity() * 3, random(Vec, 3), random(Tensor, 3, base=(3, 2))
    x = math.solve(A, v)
    expected = torch.linalg.solve(A.torch(), v.torch().unsqueeze(-1)).squeeze(-1)
    check(x, Vec, expected, (4, 3))
    check(math.solve(A, Tensor(v.torch(), 1)), Tensor, expected, (4, 3))
    check(math.solve(A, B), Tensor, torch.linalg.solve(A.torch(), B.torch()), (4, 3))
    singular = R2(torch.ones(3, 3))
    assert math.solve(singular, v).torch().isnan().all()
    with pytest.raises(torch.linalg.LinAlgError, match="1 of the 1 matrices .* singular"):
        math.solve(singular, v, check_errors=True)
    several = torch.eye(3).repeat(4, 2, 1, 1)
    several[2, 1] = several[3, 0] = 0.0
    with pytest.raises(torch.linalg.LinAlgError, match=r"2 of the 8 matrices .* singular, the first at the index \[2, 1\] of the batch"):
        math.lu_factor(R2(several))
    with pytest.raises(ValueError, match="the right side"):
        math.solve(A, random(Tensor, base=(4,)))
    with pytest.raises(TypeError):
        math.solve(A, v.torch())


def test_slogdet():
    for A in (random(Tensor, 4, base=(5, 5)), random(R2, 2, 3)):
        expected = torch.linalg.slogdet(A.torch())
        sign, logarithm = math.slogdet(A)
        check(sign, Scalar, expected[0], A.batch.shape)
        check(logarithm, Scalar, expected[1], A.batch.shape)
    A = random(R2, 3, grad=True).torch()
    assert torch.autograd.gradcheck(lambda t: math.slogdet(R2(t))[1].torch(), A)
    assert torch.autograd.gradgradcheck(lambda t: math.slogdet(R2(t))[1].torch(), A)
    tiny = math.slogdet(R2(1e-200 * torch.eye(3, dtype=torch.float64)))
    assert float(tiny[0]) == 1 and float(tiny[1]) == pytest.approx(3 * np.log(1e-200))
    with pytest.raises(ValueError, match=r"slogdet: Vec \(; 3\)"):
        math.slogdet(random(Vec))


def test_lu():
    A, B = random(Tensor, 4, base=(3, 3)), random(Tensor, 2, 1, base=(3, 2))
    LU, pivots = math.lu_factor(A)
    expected = torch.linalg.lu_factor(A.torch())
    check(LU, Tensor, expected[0], (4,))
    check(pivots, Tensor, expected[1], (4,))
    check(math.lu_solve(LU, pivots, B), Tensor, torch.linalg.solve(A.torch(), B.torch()), (2, 4))
    check(math.lu_solve(LU, pivots, B, adjoint=True), Tensor, torch.linalg.solve(A.torch().mT, B.torch()), (2, 4))
    C = random(Tensor, base=(2, 3))
    check(math.lu_solve(LU, pivots, C, left=False), Tensor, torch.linalg.solve(A.torch(), C.torch(), left=False), (4,))
    with pytest.raises(ValueError, match="lu_factor"):
        math.lu_factor(random(Vec))
    with pytest.raises(ValueError, match="pivots"):
        math.lu_solve(LU, Tensor(pivots.torch() + 7, 1), B)


# ---- Shapes -------------------------------------------------------------------------------------


def test_broadcast_shapes():
    assert math.broadcast_shapes((4, 1), (3,)) == (4, 3)
    assert math.broadcast_shapes([2], [1], c=(5, 1), d=(1, 1, 1)) == (1, 5, 2)
    with pytest.raises(ValueError):
        math.broadcast_shapes((2,), (3,))
    assert math.broadcast_batch_sizes([]) == ()
    assert math.broadcast_batch_sizes([random(SR2, 4, 1), random(Scalar, 3), Vec()]) == (4, 3)
    with pytest.raises(ValueError, match="broadcast"):
        math.broadcast_batch_sizes([random(SR2, 2), random(SR2, 3)])


def test_broadcasted():
    a, b, c = random(SR2, 4, 1), random(Scalar, 3), random(Tensor, base=(2, 3))
    x, y = math.broadcasted(a, b)
    check(x, SR2, a.torch().expand(4, 3, 6), (4, 3))
    check(y, Scalar, b.torch().expand(4, 3), (4, 3))
    assert [(type(t), t.batch.shape, t.base.shape) for t in math.broadcasted(a, b, c)] == [
        (SR2, (4, 3), (6,)), (Scalar, (4, 3), ()), (Tensor, (4, 3), (2, 3))]
    assert x.torch().data_ptr() == a.torch().data_ptr()  # a view
    check(math.broadcasted(a, (2, 4, 5)), SR2, a.torch().expand(2, 4, 5, 6), (2, 4, 5))
    # base dimensions of Tensors, too
    d = random(Tensor, 4, base=(1,))
    assert [t.base.shape for t in math.broadcasted(c, d)] == [(2, 3)] * 2
    assert [t.shape for t in math.broadcasted(c, d, c)] == [(4, 2, 3)] * 3
    for wrong in (lambda: math.broadcasted(a, random(Scalar, 2, 3)), lambda: math.broadcasted(a, (3,)),
                  lambda: math.broadcasted(c, random(Tensor, base=(4,))), lambda: math.broadcasted(a, Scalar())):
        with pytest.raises(ValueError, match="broadcast"):
            wrong()
    with pytest.raises(TypeError):
        math.broadcasted(a, 1.0)


def test_with_matching_ranks():
    a, b = random(SR2, 4, 1), random(Scalar)
    assert [(type(t), t.batch.shape) for t in math.with_matching_ranks(a, b)] == [(SR2, (4, 1)), (Scalar, (1, 1))]
    c, d = random(Tensor, 5, base=(3,)), random(Tensor, base=(2, 3))
    assert [(t.batch.shape, t.base.shape) for t in math.with_matching_ranks(c, d)] == [((5,), (1, 3)), ((1,), (2, 3))]
    with pytest.raises(ValueError, match="undefined"):
        math.with_matching_ranks(a, SR2())


def test_can_broadcast_to_match():
    assert math.can_broadcast_to_match(random(SR2, 4, 1), random(Vec, 3))
    assert not math.can_broadcast_to_match(random(SR2, 2), random(Vec, 3))
    assert not math.can_broadcast_to_match(random(Tensor, base=(2,)), random(Tensor, base=(3,)))
    assert math.can_broadcast_to_match(random(Tensor, base=(2,)), random(Vec))
    with pytest.raises(ValueError, match="undefined"):
        math.can_broadcast_to_match(random(SR2), SR2())


# ---- Derivatives --------------------------------------------------------------------------------


def test_jacrev():
    x, C = random(SR2, 4, grad=True), random(SSR4)
    y = C * x
    check(math.jacrev(y, x), Tensor, C.torch().expand(4, 6, 6), (4,))
    with pytest.raises(ValueError, match="jacrev: .*backward through the graph a second time"):
        math.jacrev(y, x)
    n = math.norm_sq(x)
    check(math.jacrev(n, x, retain_graph=True), Tensor, 2 * x.torch(), (4,))
    check(math.jacrev(y=n, x=x), Tensor, 2 * x.torch(), (4,))


def test_jacrev_of_several():
    x, k = random(SR2, 4, grad=True), random(Scalar, 4, grad=True)
    unused = random(Vec, 4, grad=True)
    y = k * x
    by_x, by_k = math.jacrev(y, [x, k], retain_graph=True)
    check(by_x, Tensor, torch.einsum("b,ij->bij", k.torch(), torch.eye(6)), (4,))
    check(by_k, Tensor, x.torch(), (4,))
    assert by_k.base.shape == (6,)
    _, zero = math.jacrev(y, (x, unused), allow_unused=True)
    check(zero, Tensor, torch.zeros(4, 6, 3), (4,))
    assert math.jacrev(y, []) == []
    with pytest.raises(ValueError, match="jacrev"):
        math.jacrev(k * x, [x, unused])
    with pytest.raises(TypeError):
        math.jacrev(y, [x.torch()])


def test_jacrev_again():
    k = random(Scalar, 4, grad=True)
    y = math.pow(k, 3)
    first = math.jacrev(y, k, create_graph=True)
    check(Scalar(first.torch().detach()), Scalar, 3 * k.torch().detach() ** 2)
    check(math.jacrev(Scalar(first.torch()), k), Tensor, 6 * k.torch(), (4,))


def test_jacrev_refuses():
    x = random(SR2, 4, grad=True)
    with pytest.raises(ValueError, match="batch shapes"):
        math.jacrev(x * 2, random(SR2, grad=True))
    with pytest.raises(ValueError, match="does not require grad"):
        math.jacrev(x * 2, random(SR2, 4))
    with pytest.raises(ValueError, match="undefined"):
        math.jacrev(SR2(), x)
    with pytest.raises(ValueError, match="requires_grad_"):
        math.jacrev(random(SR2, 4), x)


def test_jacrev_calls_python_back():
    """The engine calls Python functions from its threads, and their errors reach the caller."""

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return 2 * t

        @staticmethod
        def backward(ctx, g):
            if fails:
                raise KeyError("from backward")
            return 2 * g

    x, fails = random(SR2, 4, grad=True), False
    check(math.jacrev(SR2(Twice.apply(x.torch())), x), Tensor, 2 * torch.eye(6).expand(4, 6, 6), (4,))
    fails = True
    with pytest.raises(KeyError, match="from backward"):
        math.jacrev(SR2(Twice.apply(x.torch())), x)


def test_lists_of_derivatives():
    a, b, r = random(Vec, 2, 4), random(Vec, 2, 5), random(Vec, 2)
    seen = []

    def f(x, y):
        seen.append((type(x), type(y)))
        return math.outer(x, y)

    by_a = torch.einsum("nli,nj->nlij", a.torch(), r.torch())
    by_b = torch.einsum("ni,nlj->nilj", r.torch(), b.torch())
    by_both = torch.einsum("nli,nmj->nlimj", a.torch(), b.torch())
    check(math.list_derivative_outer_product_a(f, a, r), Tensor, by_a, (2,))
    check(math.list_derivative_outer_product_b(f, r, b), Tensor, by_b, (2,))
    check(math.list_derivative_outer_product_ab(f=f, a=a, b=b), Tensor, by_both, (2,))
    assert seen == [(Vec, Vec)] * 3


@pytest.mark.parametrize("name", ["list_derivative_outer_product_" + x for x in ("a", "b", "ab")])
def test_lists_of_derivatives_refuse(name):
    f, a = getattr(math, name), random(Vec, 2, 4)

    def fails(x, y):
        raise ZeroDivisionError("here")

    with pytest.raises(ZeroDivisionError, match="here"):
        f(fails, a, a)
    with pytest.raises(TypeError, match="must return a tensor of neml2"):
        f(lambda x, y: x.torch(), a, a)
    with pytest.raises(ValueError, match="without the batch dimensions"):
        f(lambda x, y: random(Vec), a, a)
    with pytest.raises(ValueError, match="no batch dimension"):
        f(math.outer, random(Vec), random(Vec))
    with pytest.raises(TypeError):
        f(1, a, a)


@pytest.mark.parametrize("f", [math.imap_v, math.imap])
def test_identity_map(f):
    check(f(SR2), SSR4, torch.eye(6))
    check(f(Vec, dtype=torch.float32), R2, torch.eye(3, dtype=torch.float32))
    check(f(R2), R4, torch.einsum("ik,jl->ijkl", torch.eye(3), torch.eye(3)))
    assert f(Scalar, requires_grad=True).requires_grad
    with pytest.raises(ValueError, match="Tensor has no identity_map"):
        f(Tensor)
    for wrong in (int, 1, random(SR2)):
        with pytest.raises(TypeError):
            f(wrong)
    with pytest.raises(TypeError):
        f(SR2, dtype="float")


# ---- Mandel components, meshes ------------------------------------------------------------------


def test_mandel():
    s = random(SR2, 4)
    matrix = Tensor(R2(s).torch(), 1)
    check(math.full_to_mandel(matrix), Tensor, s.torch(), (4,))
    check(math.mandel_to_full(s), Tensor, matrix.torch(), (4,))
    assert math.mandel_to_full(random(SSR4), dim=1).base.shape == (6, 3, 3)
    w = random(WR2, 4)
    check(math.skew_to_full(w), Tensor, R2(w).torch(), (4,))
    check(math.full_to_skew(R2(w)), Tensor, w.torch(), (4,))
    for f in (math.full_to_mandel, math.full_to_skew, math.mandel_to_full, math.skew_to_full):
        with pytest.raises(ValueError, match="[Ee]xpected"):
            f(random(Tensor, base=(2, 2)))
        with pytest.raises(TypeError):
            f(torch.rand(3, 3))


MAPS = {
    "full_to_mandel_map": [0, 4, 8, 5, 2, 1], "mandel_to_full_map": [0, 5, 4, 5, 1, 3, 4, 3, 2],
    "full_to_skew_map": [7, 2, 3], "skew_to_full_map": [0, 2, 1, 2, 0, 0, 1, 0, 0],
}
ROOT = numbers.sqrt(2)
FACTORS = {
    "full_to_mandel_factor": [1, 1, 1, ROOT, ROOT, ROOT],
    "mandel_to_full_factor": [1, 1 / ROOT, 1 / ROOT, 1 / ROOT, 1, 1 / ROOT, 1 / ROOT, 1 / ROOT, 1],
    "full_to_skew_factor": [1, 1, 1], "skew_to_full_factor": [0, -1, 1, 1, 0, -1, -1, 1, 0],
}


def test_maps():
    for name, entries in MAPS.items():
        check(getattr(math, name)(), Tensor, torch.tensor(entries), ())
        assert getattr(math, name)(dtype=torch.int32, device="cpu").dtype == torch.int32
    for name, entries in FACTORS.items():
        check(getattr(math, name)(), Tensor, torch.tensor(entries, dtype=torch.float64), ())
        assert getattr(math, name)(dtype=torch.float32).dtype == torch.float32
    with pytest.raises(ValueError, match="integer"):
        math.full_to_mandel_map(dtype=torch.float32)
    with pytest.raises(ValueError):
        math.full_to_mandel_factor(dtype=torch.int64)
    math.full_to_mandel_map().zero_()  # is a copy
    assert math.full_to_mandel_map().tolist() == MAPS["full_to_mandel_map"]


def test_reduced():
    s = random(SR2, 4)
    full_ = math.reduced_to_full(s, math.mandel_to_full_map(), math.mandel_to_full_factor())
    check(full_, Tensor, math.mandel_to_full(s).torch(), (4,))
    reduced = math.full_to_reduced(full_, math.full_to_mandel_map(), math.full_to_mandel_factor(), dim=0)
    check(reduced, Tensor, s.torch(), (4,))
    with pytest.raises(ValueError, match="indices from"):
        math.full_to_reduced(full_, Tensor(torch.tensor([9]), 0), Tensor(torch.tensor([1.0]), 0))
    with pytest.raises(ValueError, match="Expected nine"):
        math.reduced_to_full(s, math.full_to_skew_map() * 0, math.full_to_skew_factor())


def test_mandel_factor():
    assert [math.mandel_factor(i) for i in range(6)] == pytest.approx([1, 1, 1, ROOT, ROOT, ROOT])
    with pytest.raises(IndexError, match="out of range"):
        math.mandel_factor(6)


def test_discretization():
    v, dofs = torch.rand(5), Scalar(torch.tensor([[0, 1, 2], [2, 3, 4]]))
    at_elements = math.scatter(v, dofs)
    check(at_elements, Tensor, v[dofs.torch()], (2, 3))
    expected = torch.zeros(5).index_add(0, dofs.torch().flatten(), at_elements.torch().flatten())
    for values in (at_elements, at_elements.torch()):
        result = math.assemble(values, dofs, 5)
        assert isinstance(result, torch.Tensor)
        torch.testing.assert_close(result, expected)
    total = torch.ones(5)
    assert math.assemble_(total, at_elements, dofs) is None
    torch.testing.assert_close(total, expected + 1)
    basis = random(Tensor, 2, 3, 7, base=(2,))
    at_points = torch.einsum("ed,edqi->eqi", at_elements.torch(), basis.torch())
    check(math.interpolate(at_elements, basis), Tensor, at_points, (2, 7))
    with pytest.raises(ValueError, match="indices from"):
        math.scatter(v[:3], dofs)
    with pytest.raises(ValueError, match="negative"):
        math.assemble(at_elements, dofs, -1)
    with pytest.raises(ValueError, match="Expected one value for each entry"):
        math.assemble_(total, v, dofs)
    with pytest.raises(ValueError, match="do not fit"):
        math.interpolate(basis, basis)
    with pytest.raises(ValueError, match="undefined"):
        math.scatter(Tensor(), dofs)
    with pytest.raises(TypeError):
        math.scatter([1.0], dofs)


def test_interpolate_table():
    T, E = torch.tensor([20.0, 200.0, 400.0]), torch.tensor([210e3, 202e3, 185e3])
    x = Scalar(torch.tensor([[-5.0, 110.0], [300.0, 500.0]]))
    expected = torch.tensor([[210e3, 206e3], [193.5e3, 185e3]])
    for abscissae, ordinates in ((T, E), (Tensor(T, 0), Tensor(E, 0))):
        check(math.interpolate(x, abscissae, ordinates), Scalar, expected, (2, 2))
    assert math.interpolate(x, T, E, beyond="nan").torch().isnan().tolist() == [[True, False], [False, True]]
    beyond = math.interpolate(x, T, E, "monotone_cubic", beyond="extrapolate").torch()
    assert beyond[0, 0] > 210e3 and beyond[1, 1] < 185e3 and 202e3 < beyond[0, 1] < 210e3
    each = math.interpolate(x, T, torch.stack([E, 2 * E]))  # a table per entry
    check(each, Scalar, expected * torch.tensor([1.0, 2.0]), (2, 2))
    y, values = Scalar(torch.tensor(0.25)), torch.stack([E, 3 * E], 1)
    check(math.interpolate(x, y, T, torch.tensor([0.0, 1.0]), values), Scalar, 1.5 * expected, (2, 2))
    check(math.bilinear_interpolation(x, y, T, torch.tensor([0.0, 1.0]), values), Scalar, 1.5 * expected, (2, 2))
    check(math.linear_interpolation(x, T, E), Scalar, expected, (2, 2))
    z = Scalar(torch.tensor([100.0], dtype=torch.float64, requires_grad=True))
    double = T.double(), E.double()
    assert torch.autograd.gradcheck(lambda t: math.interpolate(Scalar(t), *double).torch(), z.torch())
    with pytest.raises(ValueError, match="'cubic' is not one of 'linear', 'monotone_cubic'"):
        math.interpolate(x, T, E, "cubic")
    with pytest.raises(ValueError, match="'zero' is not one of 'constant', 'extrapolate', 'nan'"):
        math.interpolate(x, T, E, beyond="zero")
    with pytest.raises(ValueError, match="increase"):
        math.interpolate(x, E, T)
    with pytest.raises(ValueError, match="expected a table of 1 dimension or more"):
        math.interpolate(x, torch.tensor(1.0), E)
    with pytest.raises(TypeError):
        math.interpolate(x, [1.0, 2.0], E)


# ---- Everything ---------------------------------------------------------------------------------

GRADIENTS = {
    "maximum": lambda x: math.maximum(x, math.sin(x)), "fmod": lambda x: math.fmod(x, 0.3),
    "clamp": lambda x: math.clamp(x, -0.5, 0.5), "where": lambda x: math.where(x > 0, x * 2, math.exp(x)),
    "batch_sum": math.batch_sum, "batch_mean": lambda x: math.batch_mean(x, 1), "batch_max": math.batch_max,
    "base_sum": math.base_sum, "base_min": math.base_min, "batch_diff": math.batch_diff, "base_diff": math.base_diff,
    "diagonal": math.base_diagonalize, "linspace": lambda x: math.batch_linspace(x, math.exp(x), 3),
    "cat": lambda x: math.batch_cat([x, math.exp(x)]), "stack": lambda x: math.base_stack([x, math.exp(x)], -1),
    "inner": lambda x: math.inner(x, math.exp(x)), "norm": math.norm, "unit": math.unit,
    "outer": lambda x: math.outer(x, math.exp(x)), "bvv": lambda x: math.bvv(x, math.exp(x)),
    "einsum": lambda x: math.einsum("...i,...j->...ij", [x, x]), "mandel_to_full": math.skew_to_full,
    "solve": lambda x: math.solve(math.outer(x) + R2.identity(), x),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    f = GRADIENTS[name]
    x = random(Vec, 2, 2, low=0.31, high=0.55, grad=True).torch()
    assert torch.autograd.gradcheck(lambda t: f(Vec(t)).torch(), x)
    assert torch.autograd.gradgradcheck(lambda t: f(Vec(t)).torch(), x)


HERE = {
    *UNARY, *BINARY, "logical_not", "gcd", "normalize_gcd", "atan2", "hypot", "clamp", "clip", "where",
    *("batch_" + n for n in REDUCTIONS), *("base_" + n for n in REDUCTIONS), "batch_sum_to_size", "base_sum_to_size",
    "batch_diff", "base_diff", "diff", "batch_diag_embed", "base_diag_embed", "batch_diagonalize", "base_diagonalize",
    "batch_linspace", "base_linspace", "batch_logspace", "base_logspace", *JOINS, "einsum", "bmm", "mm", "bmv", "mv",
    "bvv", "vdot", "vecdot", "inner", "norm", "norm_sq", "unit", "outer", "tr", "det", "inv", "vol", "dev",
    "vector_norm", "solve", "slogdet", "lu_factor", "lu_solve", "broadcast_shapes", "broadcast_batch_sizes", "broadcasted",
    "with_matching_ranks", "can_broadcast_to_match", "jacrev", "list_derivative_outer_product_a",
    "list_derivative_outer_product_b", "list_derivative_outer_product_ab", "imap_v", "imap", "full_to_mandel",
    "mandel_to_full", "full_to_skew", "skew_to_full", "full_to_reduced", "reduced_to_full", "mandel_factor", *MAPS,
    *FACTORS, "scatter", "assemble", "assemble_", "interpolate",
    "linear_interpolation", "bilinear_interpolation",
}


def functions():
    return {n: f for n, f in vars(math).items() if callable(f) and not n.startswith("_") and n not in ("T", "U", "V")}


def test_all_are_tested():
    of_any_type = {n for n, f in functions().items()
                   if any(": T" in s[0] or "TensorBase" in s[0] for s in getattr(f, "__nb_signature__", ()))}
    assert of_any_type <= HERE
    assert HERE <= set(functions())


def test_all_have_docstrings():
    for name, f in functions().items():
        for signature, text, *_ in getattr(f, "__nb_signature__", [(name, f.__doc__)]):  # a function of Python
            assert text, f"{name}: {signature}"


def test_no_names_of_intermediate_dimensions():
    assert not [n for n in functions() if n.startswith(("dynamic_", "intmd_", "static_"))]


def calls():
    """Calls every function with arguments of all kinds: each gives an answer or an exception, never a crash."""
    some = [SR2(), SR2(torch.rand(2, 6)), Scalar(torch.rand(3)), Tensor(torch.rand(2, 2), 1), 1, -1, 2.5, None, "x", [],
            [SR2()], [SR2(torch.rand(6))], torch.rand(2), SR2, (1,), Vec(torch.ones(3, dtype=torch.int64)),
            SR2(torch.empty(2, 6, device="meta")), SR2.__new__(SR2), TensorBase, {}, True]
    for name in sorted(functions()):
        for n in range(4):
            for i in range(len(some) ** min(n, 2)):
                arguments = [some[i % len(some)], some[i // len(some)], some[(i + n) % len(some)]][:n]
                yield name, arguments


def test_nothing_crashes():
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_math
count = 0
for name, arguments in test_math.calls():
    try:
        getattr(test_math.math, name)(*arguments)
    except (TypeError, ValueError, IndexError, RuntimeError, NotImplementedError):
        pass
    count += 1
print(count)
"""
    done = run(code)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 10000
