# SPDX-License-Identifier: MIT
"""Construction, factories, conversions and the members of every type, with the behaviour that users of PyTorch expect."""

import copy
import io
import math
import pickle
import re
import warnings

import numpy as np
import pytest
import torch
from support import FIXED, SMALL, TENSOR_BASE, TYPES, name, random, run, typed
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import neml2
from neml2 import crystallography, tensors
from neml2.tensors import (
    R2,
    R4,
    SR2,
    SSR4,
    SWR4,
    WR2,
    WSR4,
    WWR4,
    MillerIndex,
    Quaternion,
    Rot,
    Scalar,
    Tensor,
    TensorBase,
    Vec,
)

TUTORIAL = """
import torch
from neml2.tensors import Scalar, SR2, SSR4

# Number of samples
ns = 2
# Number of strain measurements
nm = 1000

# Elasticity tensor of the two materials
youngs_modulus = Scalar(torch.tensor([1e5, 2e5], dtype=torch.float64))
poissons_ratio = Scalar(torch.tensor([0.1, 0.2], dtype=torch.float64))
C = SSR4.isotropic_E_nu(youngs_modulus, poissons_ratio)

# (Fake) strain measurements
strain = SR2(torch.rand(nm, ns, 6, dtype=torch.float64))

# Perform the constitutive update
stress = C * strain

# Do the shapes make sense?
print("     Shape of C:", C.batch.shape, C.base.shape)
print("Shape of strain:", strain.batch.shape, strain.base.shape)
print("Shape of stress:", stress.batch.shape, stress.base.shape)
"""

every_type = pytest.mark.parametrize("cls", TYPES, ids=name)
every_fixed_type = pytest.mark.parametrize("cls", FIXED, ids=name)
every_small_type = pytest.mark.parametrize("cls", SMALL, ids=name)


def same(a, b):
    """Whether two tensors have the same type, shape and values."""
    return type(a) is type(b) and a.batch.shape == b.batch.shape and torch.equal(a.torch(), b.torch())


def shares_storage(a, b):
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def test_the_tutorial_prints_its_three_lines():
    r = run(TUTORIAL)
    assert r.stdout.splitlines() == [
        "     Shape of C: (2,) (6, 6)",
        "Shape of strain: (1000, 2) (6,)",
        "Shape of stress: (1000, 2) (6,)",
    ]
    assert (r.returncode, r.stderr) == (0, "")


def test_every_type_is_here_and_at_the_top():
    classes = {c for c in vars(tensors).values() if isinstance(c, type) and issubclass(c, TensorBase)}
    assert classes - {TensorBase} == set(TYPES)
    for cls in classes:
        assert getattr(neml2, cls.__name__) is cls
        assert cls.__module__ == "neml2_tensors.tensors"


# ---- Construction ----


@every_fixed_type
@pytest.mark.parametrize("batch", [(), (2,), (0,), (1, 2)])
def test_of_a_tensor_of_torch(cls, batch):
    base = FIXED[cls]
    t = torch.rand((*batch, *base))
    a = cls(t)
    assert (a.batch.shape, a.base.shape, a.shape) == (batch, base, batch + base)
    assert (a.batch.dim(), a.base.dim(), a.dim()) == (len(batch), len(base), len(batch) + len(base))
    assert all(type(s) is tuple for s in (a.batch.shape, a.base.shape, a.shape))
    assert (a.numel(), a.batched(), a.defined()) == (t.numel(), bool(batch), True)
    assert a.torch() is t
    raw = a.tensor()
    assert type(raw) is Tensor and raw.torch() is t and raw.batch.shape == batch


@pytest.mark.parametrize("batch_dim", [0, 1, 2, 3])
def test_of_a_tensor_of_torch_with_batch_dimensions(batch_dim):
    t = torch.rand(2, 3, 4)
    a = Tensor(t, batch_dim)
    assert (a.batch.shape, a.base.shape) == ((2, 3, 4)[:batch_dim], (2, 3, 4)[batch_dim:])
    assert a.torch() is t
    assert same(Tensor(tensor=t, batch_dim=batch_dim), a)


@every_fixed_type
def test_refuses_another_base_shape(cls):
    base = FIXED[cls]
    if not base:
        return
    for shape in [(), base[:-1], (*base[:-1], base[-1] + 1), (*base, 1)]:
        with pytest.raises(ValueError, match=cls.__name__):
            cls(torch.rand(shape))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((torch.rand(2, 3),), r"Tensor\(t, batch_dim\)"),
        ((torch.rand(2, 3), 3), "3"),
        ((torch.rand(2, 3), -1), "-1"),
        (([1.0, 2.0],), "create"),
        ((np.ones(3),), "ndarray"),
        ((torch.rand(3), "1"), "1"),
        ((torch.rand(3), 1.0), "incompatible|float"),
        ((None, 1), "None"),
    ],
)
def test_tensor_says_what_it_needs(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Tensor(*arguments)


@every_type
def test_refuses_what_is_no_tensor(cls):
    for wrong in ([1.0] * 6, (1.0,), np.ones(6), "SR2", object(), torch.float64, cls, None):
        remedy = r".*torch.as_tensor\(array\)" if isinstance(wrong, np.ndarray) else ""
        with pytest.raises(TypeError, match=rf"{cls.__name__}: cannot be made from{remedy}"):
            cls(wrong)
    with pytest.raises(TypeError):
        cls(torch.rand(3), 1, 2, 3)
    with pytest.raises(TypeError):
        cls(nonsense=torch.rand(3))


@every_type
def test_memory_is_shared_both_ways(cls):
    t = torch.zeros(2, *TYPES[cls])
    a = typed(cls, t)
    assert a.torch().data_ptr() == t.data_ptr()
    t.fill_(3)
    assert bool((a.torch() == 3).all())
    a.torch().fill_(4)
    a.batch[0] = 5
    assert torch.equal(t[0], torch.full(TYPES[cls], 5.0)) and torch.equal(t[1], torch.full(TYPES[cls], 4.0))


def test_strides_are_kept():
    t = torch.rand(6, 4).T
    a = SR2(t)
    assert a.torch().stride() == (1, 4)
    assert torch.equal(a.norm().torch(), SR2(t.contiguous()).norm().torch())
    assert a.contiguous().torch().stride() == (6, 1)


def test_a_number_as_scalar():
    a = Scalar(3.5)
    assert (a.batch.shape, a.base.shape, a.item(), a.dtype) == ((), (), 3.5, torch.float64)
    b = Scalar(2, dtype=torch.float32, device="cpu", requires_grad=True)
    assert (b.dtype, b.requires_grad, b.torch().is_leaf) == (torch.float32, True, True)
    assert Scalar(np.float32(1.5)).item() == 1.5
    assert Scalar(np.int64(2)).dtype == torch.float64
    with pytest.raises(TypeError):
        SR2(1.0)


def test_a_parameter_stays_itself():
    p = torch.nn.Parameter(torch.rand(6))
    a = SR2(p)
    assert a.torch() is p and a.requires_grad
    a.norm().backward()
    assert torch.allclose(p.grad, p.detach() / p.detach().norm())


# ---- Undefined ----


@every_type
def test_undefined(cls):
    a = cls()
    assert not a.defined()
    assert repr(a) == f"<{cls.__name__}, undefined>"
    assert not cls(cls()).defined() and not copy.copy(a).defined() and not copy.deepcopy(a).defined()
    assert not pickle.loads(pickle.dumps(a)).defined()
    assert a.torch() is None
    assert not a.requires_grad
    assert isinstance(str(a), str)


@every_type
@pytest.mark.parametrize(
    "use",
    {
        "clone": lambda a: a.clone(),
        "detach": lambda a: a.detach(),
        "shape": lambda a: a.shape,
        "dtype": lambda a: a.dtype,
        "device": lambda a: a.device,
        "dim": lambda a: a.dim(),
        "numpy": lambda a: a.numpy(),
        "item": lambda a: a.item(),
        "tolist": lambda a: a.tolist(),
        "bool": bool,
        "float": float,
        "batch.shape": lambda a: a.batch.shape,
        "base.shape": lambda a: a.base.shape,
        "batch[0]": lambda a: a.batch[0],
        "base[...]": lambda a: a.base[...],
        "batch[...] = 1": lambda a: a.batch.__setitem__(..., 1),
        "base[...] = 1": lambda a: a.base.__setitem__(..., 1),
        "expand": lambda a: a.batch.expand(2),
        "reshape": lambda a: a.base.reshape(2),
        "to": lambda a: a.to(dtype=torch.float32),
        "+": lambda a: a + a,
        "* 2": lambda a: a * 2,
        "-": lambda a: -a,
        "<": lambda a: a < a,
        "+=": lambda a: a.__iadd__(1),
        "copy_": lambda a: a.copy_(a),
        "zero_": lambda a: a.zero_(),
        "fill_": lambda a: a.fill_(1),
        "backward": lambda a: a.backward(),
        "grad": lambda a: a.grad,
        "requires_grad_": lambda a: a.requires_grad_(),
        "zeros_like": lambda a: type(a).zeros_like(a),
        "linspace": lambda a: type(a).linspace(a, a, 2),
        "all": lambda a: a.all(),
    }.items(),
    ids=lambda item: item[0],
)
def test_undefined_tensors_are_refused(cls, use):
    with pytest.raises((ValueError, IndexError), match="undefined"):
        use[1](cls())


@every_fixed_type
def test_undefined_tensors_in_methods(cls):
    for method in set(dir(cls)) - set(dir(TensorBase)):
        f = getattr(cls(), method)
        try:
            f()
        except (ValueError, TypeError) as e:
            assert re.search("undefined|incompatible function arguments|not implemented", str(e)), method


# ---- Factories ----

SHAPED = ["empty", "zeros", "ones", "rand"]


def shape_arguments(cls, *batch):
    return (batch, TENSOR_BASE) if cls is Tensor else batch


@every_small_type
@pytest.mark.parametrize("factory", SHAPED)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_factories(cls, factory, dtype):
    a = getattr(cls, factory)(*shape_arguments(cls, 2, 3), dtype=dtype, device="cpu", requires_grad=True)
    assert type(a) is cls and a.torch().shape == (2, 3, *TYPES[cls])
    assert (a.dtype, a.device, a.requires_grad, a.is_leaf) == (dtype, torch.device("cpu"), True, True)
    values = a.detach().torch()
    if factory in ("zeros", "ones"):
        assert torch.equal(values, torch.full_like(values, factory == "ones"))
    if factory == "rand" and cls not in (Rot, MillerIndex):
        assert values.min() >= 0 and values.max() < 1 and values.unique().numel() > values.numel() / 2


@every_small_type
def test_factories_of_a_shape_as_one_argument(cls):
    if cls is Tensor:
        assert Tensor.zeros((2, 3)).base.shape == (2, 3)
        assert Tensor.zeros([2], torch.Size([3])).shape == (2, 3)
        assert Tensor.zeros((), ()).shape == ()
        return
    for shape in ((2, 3), [2, 3], torch.Size([2, 3]), (np.int64(2), 3)):
        assert cls.zeros(shape).batch.shape == cls.zeros(*shape).batch.shape == (2, 3)
    assert cls.zeros().batch.shape == cls.zeros(()).batch.shape == ()
    assert cls.zeros(0).batch.shape == (0,)


@every_small_type
def test_full(cls):
    arguments = shape_arguments(cls, 2)
    a = cls.full(3, *arguments, dtype=torch.float32)
    assert torch.equal(a.torch(), torch.full((2, *TYPES[cls]), 3.0, dtype=torch.float32))
    assert same(cls.full(3, *arguments, dtype=torch.int64), typed(cls, torch.full((2, *TYPES[cls]), 3)))
    with pytest.raises(TypeError):
        cls.full("3", *arguments)


@every_small_type
def test_like(cls):
    a = random(cls, 2, 3, dtype=torch.float32, grad=True)
    for factory in ("empty_like", "zeros_like", "ones_like", "rand_like"):
        b = getattr(cls, factory)(a)
        assert type(b) is cls and (b.shape, b.batch.shape, b.dtype) == (a.shape, a.batch.shape, a.dtype)
        assert not b.requires_grad
    assert torch.equal(cls.ones_like(a).torch(), torch.ones_like(a.torch()))
    assert torch.equal(cls.full_like(a, 2.5).torch(), torch.full_like(a.torch(), 2.5))
    other = Vec.zeros(2) if cls is not Vec else SR2.zeros(2)
    for factory in ("empty_like", "zeros_like", "ones_like", "rand_like"):
        with pytest.raises(TypeError, match=cls.__name__):
            getattr(cls, factory)(other)
        with pytest.raises(TypeError):
            getattr(cls, factory)(a.torch())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_defaults_are_those_of_torch(dtype):
    torch.set_default_dtype(dtype)
    for a in (SR2.zeros(2), Tensor.ones((2,)), Scalar(1.0), SR2.fill(1.0), R2.identity(), Scalar.create([1, 2])):
        assert a.dtype == dtype
    if dtype in (torch.float32, torch.float64):
        for a in (Rot.identity(), Rot.rand(2), SSR4.isotropic_E_nu(1e5, 0.3), crystallography.symmetry("432")):
            assert a.dtype == dtype
    with torch.device("meta"):
        assert SR2.zeros(2).device.type == SR2.identity().device.type == Scalar(1.0).device.type == "meta"
    assert SR2.zeros(2).device.type == "cpu"


def test_integers_stay_integers():
    for a in (MillerIndex.zeros(2), MillerIndex.fill(1, 1, 0), MillerIndex.create([1, 2, 3])):
        assert a.dtype == torch.int64
    assert MillerIndex.create([2, 4, 6]).reduce().tolist() == [1, 2, 3]
    assert MillerIndex.create([1, 2, 2]).to_normalized_vec().torch().tolist() == [1 / 3, 2 / 3, 2 / 3]
    assert MillerIndex.create([1, 2, 2]).to_vec(dtype=torch.float32).dtype == torch.float32
    assert SR2.zeros(2, dtype=torch.int32).dtype == torch.int32
    assert (SR2.full(2, 2, dtype=torch.int64) + 1).dtype == torch.int64


def test_linspace():
    a, b = random(SR2, 3), random(SR2, 3)
    r = SR2.linspace(a, b, 5)
    assert type(r) is SR2 and r.batch.shape == (5, 3)
    for i in range(5):
        assert torch.allclose(r.batch[i].torch(), a.torch() + (b.torch() - a.torch()) * i / 4)
    assert SR2.linspace(a, b, nstep=5, dim=1).batch.shape == (3, 5)
    r = Scalar.linspace(0.0, 0.2, 5, dtype=torch.float32, requires_grad=True)
    assert type(r) is Scalar and r.batch.shape == (5,) and r.dtype == torch.float32 and r.requires_grad
    assert torch.allclose(r.torch(), torch.linspace(0.0, 0.2, 5, dtype=torch.float32))
    assert Scalar.linspace(0, 1, 3).dtype == torch.get_default_dtype()
    assert torch.allclose(Scalar.logspace(0, 2.0, 3, base=2).torch(), torch.tensor([1.0, 2.0, 4.0]))
    r = Scalar.logspace(Scalar(0.0), Scalar(2.0), 3)
    assert torch.allclose(r.torch(), torch.tensor([1.0, 10.0, 100.0]))
    assert torch.allclose(Scalar.logspace(Scalar(0.0), Scalar(2.0), 3, base=2).torch(), torch.tensor([1.0, 2.0, 4.0]))
    for wrong in (0, -1):
        with pytest.raises(ValueError):
            SR2.linspace(a, b, wrong)
    with pytest.raises((IndexError, ValueError)):
        SR2.linspace(a, b, 5, 3)


@every_small_type
def test_create(cls):
    t = torch.arange(2 * torch.Size(TYPES[cls]).numel(), dtype=torch.float64).reshape(2, *TYPES[cls])
    options = {"batch_dim": 1} if cls is Tensor else {}
    a = cls.create(t.tolist(), **options, dtype=torch.float64)
    assert same(a, typed(cls, t))
    assert cls.create(t.numpy(), **options, dtype=torch.float32).dtype == torch.float32
    assert cls.create(t.tolist(), **options, dtype=torch.float64, requires_grad=True).is_leaf


def test_create_refuses():
    with pytest.raises(ValueError, match="SR2"):
        SR2.create([1, 2, 3])
    with pytest.raises((TypeError, ValueError)):
        SR2.create("123456")
    with pytest.raises(ValueError):
        SR2.create([[1, 2], [3]])
    with pytest.raises(RuntimeError):
        SR2.create([1, 2, 3, 4, 5, 6], dtype=torch.int64, requires_grad=True)


def test_fill():
    assert SR2.fill(2.0).tolist() == [2, 2, 2, 0, 0, 0]
    assert SR2.fill(1, 2, 3, 4, 5, 6).torch().tolist() == pytest.approx(
        [1, 2, 3, *(math.sqrt(2) * x for x in (4, 5, 6))]
    )
    s = Scalar(torch.rand(2, 1)), Scalar(torch.rand(3)), Scalar(torch.rand(()))
    assert SR2.fill(*s).batch.shape == (2, 3)
    assert Vec.fill(1, 2, 3, requires_grad=True).requires_grad
    assert SR2.fill(a=1.5, dtype=torch.float32).dtype == torch.float32
    assert R2.fill(*range(9)).tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    with pytest.raises(TypeError):
        SR2.fill(1, 2)
    with pytest.raises(TypeError):
        SR2.fill(torch.tensor(1.0))  # a tensor of torch is not a number: its gradient would be lost


def test_random_rotations_are_rotations():
    r = Rot.rand(20)
    R = r.euler_rodrigues().torch()
    assert torch.allclose(R @ R.mT, torch.eye(3).expand(20, 3, 3))
    assert not torch.equal(R[0], R[1])
    assert same(Rot.fill_random(4, 7), Rot.fill_random(n=4, seed=7))


def test_pytorch_seeds():
    torch.manual_seed(3)
    a = SR2.rand(4).torch()
    torch.manual_seed(3)
    assert torch.equal(a, torch.rand(4, 6))


# ---- Conversions ----

MANDEL = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
FACTOR = torch.tensor([1, 1, 1, 2, 2, 2], dtype=torch.float64).sqrt()


def mandel_basis():
    """E_ijA, the basis of symmetric tensors for Mandel components."""
    E = torch.zeros(3, 3, 6, dtype=torch.float64)
    for A, (i, j) in enumerate(MANDEL):
        E[i, j, A] = E[j, i, A] = 1 / FACTOR[A]
    return E


def skew_basis():
    """W_ij = B_ija w_a"""
    B = torch.zeros(3, 3, 3, dtype=torch.float64)
    B[2, 1, 0], B[0, 2, 1], B[1, 0, 2] = 1, 1, 1
    return B - B.transpose(0, 1)


def symmetrized(t, left, right):
    """The part of t that is symmetric (1) or skew (-1) in its first and in its last two indices."""
    t = t + left * t.transpose(-4, -3)
    return (t + right * t.transpose(-2, -1)) / 4


@pytest.mark.parametrize("batch", [(), (4,), (2, 3), (0,)])
def test_conversions(batch):
    E, B = mandel_basis(), skew_basis()
    s, A, w, C, r = (random(cls, *batch) for cls in (SR2, R2, WR2, SSR4, Rot))

    def check(a, formula, *operands):
        assert a.batch.shape == batch
        torch.testing.assert_close(a.torch(), torch.einsum(formula, *operands))

    check(R2(s), "ijA,...A->...ij", E, s.torch())
    check(SR2(A), "ijA,...ij->...A", E, A.torch())
    check(R2(w), "ija,...a->...ij", B, w.torch())
    check(WR2(A), "ija,...ij->...a", B / 2, A.torch())
    check(R4(C), "ijA,...AB,klB->...ijkl", E, C.torch(), E)
    check(SSR4(R4(C)), "...AB->...AB", C.torch())
    T = random(R4, *batch)
    check(SSR4(T), "ijA,...ijkl,klB->...AB", E, T.torch(), E)
    # Derivatives by an axial vector count both components of the skew tensor.
    S = symmetrized(T.torch(), 1, -1)
    check(SWR4(R4(S)), "ijA,...ijkl,klb->...Ab", E, S, B)
    S = symmetrized(T.torch(), -1, 1)
    check(WSR4(R4(S)), "ija,...ijkl,klB->...aB", B / 2, S, E)
    S = symmetrized(T.torch(), -1, -1)
    check(WWR4(R4(S)), "ija,...ijkl,klb->...ab", B, S, B)
    q = Quaternion(r)
    x, n = r.torch(), r.torch().square().sum(-1, keepdim=True)
    torch.testing.assert_close(q.torch(), torch.cat([(1 - n) / (1 + n), 2 * x / (1 + n)], -1))
    torch.testing.assert_close(R2(r).torch(), q.to_R2().torch())
    torch.testing.assert_close(R2(r).torch(), r.euler_rodrigues().torch())
    if batch != (0,):
        torch.testing.assert_close(q.to_rot().euler_rodrigues().torch(), R2(r).torch())
        torch.testing.assert_close(Rot.fill_matrix(R2(r)).euler_rodrigues().torch(), R2(r).torch())


def test_types_of_one_base_shape_share_storage():
    for a, b in [(Vec, Rot), (Rot, Vec), (Vec, WR2), (WR2, Rot), (MillerIndex, Vec)]:
        x = random(a, 2)
        y = b(x)
        assert type(y) is b and y.torch().data_ptr() == x.torch().data_ptr()
    t = Tensor(torch.rand(2, 6, 6), 1)
    assert SSR4(t).torch().data_ptr() == t.torch().data_ptr()
    assert Tensor(SSR4(t)).batch.shape == (2,)
    assert SSR4(SSR4(t)).torch() is t.torch()


def test_conversions_keep_the_batch():
    """A Tensor of batch (2, 6) and base (6,) is not a batch of SSR4."""
    t = Tensor(torch.rand(2, 6, 6), 2)
    assert SR2(t).batch.shape == (2, 6)
    with pytest.raises(ValueError, match="SSR4"):
        SSR4(t)


def test_types_of_other_base_shapes_are_refused():
    for a, cls in [(SR2.zeros(3), Vec), (Vec.zeros(6), SR2), (R2.zeros(3), Vec), (Quaternion.zeros(), Rot)]:
        with pytest.raises((TypeError, ValueError), match=cls.__name__):
            cls(a)


def test_to():
    a = random(SR2, 3, grad=True)
    b = a.to(dtype=torch.float32)
    assert type(b) is SR2 and b.dtype == torch.float32 and b.requires_grad and not b.is_leaf
    assert a.to().torch() is a.torch() or shares_storage(a.to().torch(), a.torch())
    assert not a.to(requires_grad=False).requires_grad and a.requires_grad
    c = random(SR2).to(dtype=torch.float32, requires_grad=True)
    assert c.is_leaf and c.requires_grad
    assert a.to(device="meta").device == torch.device("meta")
    assert a.to(device=torch.device("cpu")).device.type == "cpu"
    assert torch.equal(a.to(dtype=torch.int64).torch(), a.torch().to(torch.int64))


def test_to_refuses():
    a = SR2.zeros(2)
    for wrong in ({"dtype": 3}, {"dtype": "float64"}, {"dtype": float}, {"device": 0.5}, {"requires_grad": "yes"}):
        with pytest.raises(TypeError):
            a.to(**wrong)
    with pytest.raises(RuntimeError, match="nonsense"):
        a.to(device="nonsense")
    with pytest.raises(RuntimeError):
        SR2.zeros(2, device="nonsense:7")
    with pytest.raises(TypeError):
        a.to(torch.float32, "cpu")  # the other way round
    with pytest.raises((RuntimeError, ValueError), match="floating point"):
        a.to(dtype=torch.int64, requires_grad=True)


# ---- Copies, pickles, text ----


@every_type
def test_pickles(cls):
    for a in (random(cls, 2), random(cls, grad=True), random(cls, 0)):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            b = pickle.loads(pickle.dumps(a, protocol))
            assert same(a, b) and a.requires_grad == b.requires_grad
            assert not a.numel() or not shares_storage(a.torch(), b.torch())


def test_torch_saves():
    a = {"stress": random(SR2, 4), "state": [random(Tensor, 2)]}
    file = io.BytesIO()
    torch.save(a, file)
    file.seek(0)
    b = torch.load(file, weights_only=False)
    assert same(a["stress"], b["stress"]) and same(a["state"][0], b["state"][0])


@every_type
def test_copies(cls):
    a = random(cls, 2, grad=True)
    shallow = copy.copy(a)
    assert same(shallow, a) and shallow is not a and shares_storage(shallow.torch(), a.torch())
    deep = copy.deepcopy(a)
    assert same(deep, a) and not shares_storage(deep.torch(), a.torch())
    assert deep.requires_grad and deep.is_leaf
    clone = a.clone()
    assert same(clone, a) and not shares_storage(clone.torch(), a.torch()) and not clone.is_leaf
    assert same(a.detach(), a) and shares_storage(a.detach().torch(), a.torch()) and not a.detach().requires_grad


def test_deepcopy_keeps_what_is_shared():
    t = torch.rand(2, 6)
    a = SR2(t)
    b, u, c = copy.deepcopy([a, t, a])
    assert b is c
    assert b.torch() is u
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(random(SR2, grad=True) * 2)
    with_gradient = random(SR2, 2, grad=True)
    with_gradient.norm().torch().sum().backward()
    assert same(copy.deepcopy(with_gradient).grad, with_gradient.grad)


def test_repr_of_few_values_shows_them_as_torch_does():
    assert repr(SR2.zeros(1)) == "<SR2 of shape [1][6]: [[0., 0., 0., 0., 0., 0.]]>"
    assert repr(Scalar(1.0)) == "<Scalar of shape [][]: 1.>"
    assert repr(Scalar(1.5, dtype=torch.float32)) == "<Scalar of shape [][]: 1.5000, dtype=torch.float32>"
    assert repr(Vec.zeros(requires_grad=True)) == "<Vec of shape [][3]: [0., 0., 0.], requires_grad=True>"
    assert repr(MillerIndex.fill(1, -1, 0)) == "<MillerIndex of shape [][3]: [ 1, -1,  0]>"
    assert repr(SR2.zeros() > 1).startswith("<Tensor of shape [][6]: [False, False,")
    assert repr(Scalar(torch.tensor([1 + 2j]))) == "<Scalar of shape [1][]: [1.+2.j]>"
    assert repr(Scalar(1.0, requires_grad=True) * 2).startswith("<Scalar of shape [][]: 2., grad_fn=<")
    assert repr(R2(torch.nn.Parameter(torch.eye(3)))) == (
        "<R2 of shape [][3, 3]:\n [[1., 0., 0.],\n  [0., 1., 0.],\n  [0., 0., 1.]], requires_grad=True>"
    )
    blocks = repr(R2.zeros(2))
    assert blocks.startswith("<R2 of shape [2][3, 3]:\n [[[0., 0., 0.],\n   [0., 0., 0.],\n   [0., 0., 0.]],\n\n  [[0., 0., 0.],\n")
    assert "[2]" in repr(SR2.zeros(2).batch) and "[6]" in repr(SR2.zeros(2).base)


def test_repr_follows_the_print_options_of_torch():
    try:
        torch.set_printoptions(precision=1)
        assert repr(Scalar(1.25)) in ("<Scalar of shape [][]: 1.2>", "<Scalar of shape [][]: 1.3>")
        torch.set_printoptions(threshold=3, edgeitems=1)
        assert repr(Scalar.zeros(9)) == "<Scalar of shape [9][]: [0.,  ..., 0.]>"
    finally:
        torch.set_printoptions(profile="default")


def test_repr_of_many_values_shows_the_shape():
    assert repr(SSR4.zeros(1000, 2)) == "<SSR4 of shape [1000, 2][6, 6]>"
    assert repr(Tensor.zeros((0, 2), (3,))) == "<Tensor of shape [0, 2][3]>"
    assert repr(Scalar.zeros(101)) == "<Scalar of shape [101][]>" and "\n" in repr(Scalar.zeros(100))


# Tensors whose values are not available, or would differ from those that torch shows.
OTHERS = {
    "meta": lambda t: t.to("meta"),
    "sparse": lambda t: t.to_sparse(),
    "csr": lambda t: t.to_sparse_csr(),
    "mkldnn": lambda t: t.float().to_mkldnn(),
    "quantized": lambda t: torch.quantize_per_tensor(t.float(), 0.1, 0, torch.qint8),
    "zero": lambda t: torch._efficientzerotensor((2, 6)),
    "conjugate": lambda t: t.cfloat().conj(),
    "negative": lambda t: torch._neg_view(t),
}


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("kind", OTHERS)
def test_repr_of_what_is_no_plain_tensor_shows_the_shape(kind):
    try:
        a = SR2(OTHERS[kind](torch.rand(2, 6)))
    except (RuntimeError, ValueError, NotImplementedError) as e:
        pytest.skip(str(e))
    assert repr(a) == "<SR2 of shape [2][6]>"


def test_repr_does_not_look_at_values_under_transforms_and_traces():
    seen = []

    def f(t):
        seen.append(repr(SR2(t)))
        seen.append(repr(constant))
        return t * 2

    constant, t = SR2.ones(), torch.rand(2, 6)
    torch.func.vmap(f)(t)
    torch.func.vmap(torch.func.grad(lambda t: f(t).sum()))(t)
    torch.func.jvp(f, (t,), (t,))
    with warnings.catch_warnings():
        warnings.simplefilter("error", torch.jit.TracerWarning)
        torch.jit.trace(f, t, check_trace=False)
    for mode in ("real", "fake", "symbolic"):
        make_fx(f, tracing_mode=mode)(t)
    with FakeTensorMode():
        f(torch.rand(2, 6))
    assert len(seen) == 16 and all(re.fullmatch(r"<SR2 of shape (\[\w*\])?\[6\]>", s) for s in seen), seen
    assert repr(constant).endswith(": [1., 1., 1., 1., 1., 1.]>")


def test_repr_of_what_left_a_transform():
    kept = []
    torch.func.vmap(lambda t: (kept.append(SR2(t)), t)[1])(torch.rand(3, 6))
    torch.func.grad(lambda t: (kept.append(SR2(t)), t.sum())[1])(torch.rand(6))
    torch.func.jvp(lambda t: (kept.append(SR2(t)), t.sum())[1], (torch.rand(6),), (torch.rand(6),))
    with torch.autograd.forward_ad.dual_level():
        kept.append(SR2(torch.autograd.forward_ad.make_dual(torch.rand(6), torch.rand(6))))
        repr(kept[-1])
    for a in kept:
        assert repr(a).startswith("<SR2 of shape [")


def test_repr_never_fails():
    for spoil in (
        lambda r: r.resize_(()),
        lambda r: r.resize_(10, 7),
        lambda r: r.unsqueeze_(0),
        lambda r: r.set_(),
        lambda r: r.untyped_storage().resize_(0),
        lambda r: r.untyped_storage().resize_(8),
    ):
        raw = torch.rand(2, 6)
        a, t = SR2(raw), Tensor(raw, 2)
        spoil(raw)
        assert repr(a).startswith("<SR2 of shape [") and repr(t).startswith("<Tensor of shape [")

    class Odd(torch.Tensor):
        @classmethod
        def __torch_function__(cls, f, types, args=(), kwargs=None):
            if f is torch.Tensor.__repr__:
                raise RuntimeError("no")
            return super().__torch_function__(f, types, args, kwargs or {})

    assert repr(SR2(torch.rand(2, 6).as_subclass(Odd))) == "<SR2 of shape [2][6]>"

    class Named(torch.Tensor):
        pass

    assert repr(Scalar(torch.ones(1).as_subclass(Named))) == "<Scalar of shape [1][]: [1.]>"

    class Interrupted(torch.Tensor):
        @classmethod
        def __torch_function__(cls, f, types, args=(), kwargs=None):
            if f is torch.Tensor.__repr__:
                raise KeyboardInterrupt
            return super().__torch_function__(f, types, args, kwargs or {})

    with pytest.raises(KeyboardInterrupt):
        repr(SR2(torch.rand(2, 6).as_subclass(Interrupted)))


@every_small_type
def test_text(cls):
    a = random(cls, 2)
    text = str(a)
    assert text.startswith(cls.__name__)
    assert f"{a.torch().flatten()[0].item():.4f}".lstrip("-0") in text
    assert str(cls()).startswith(cls.__name__)


# ---- Numbers of Python and NumPy ----


def test_numpy_shares_storage():
    a = random(SR2, 3)
    n = a.numpy()
    assert n.shape == (3, 6) and n.dtype == np.float64
    n[0] = 7
    assert a.batch[0].tolist() == [7.0] * 6
    assert np.shares_memory(np.asarray(a), n)
    assert np.asarray(a, dtype=np.float32).dtype == np.float32
    assert np.array_equal(np.array([a, a]), np.stack([n, n]))
    grad = random(SR2, grad=True)
    with pytest.raises(RuntimeError, match="requires grad"):
        grad.numpy()
    assert grad.numpy(force=True).shape == (6,)
    with pytest.raises(TypeError):
        SR2.zeros(2, device="meta").numpy()
    assert SR2.zeros(2, dtype=torch.float32).numpy().dtype == np.float32


def test_numbers():
    s = Scalar(torch.tensor(2.5))
    assert (s.item(), float(s), s.tolist()) == (2.5, 2.5, 2.5)
    assert Scalar(torch.tensor(3)).item() == 3 and type(Scalar(torch.tensor(3)).item()) is int
    assert Scalar(torch.tensor(True)).item() is True
    assert float(Scalar(1.5, requires_grad=True).detach()) == 1.5
    assert SR2.ones(2).tolist() == [[1.0] * 6] * 2
    for f in (float, Scalar.item):
        with pytest.raises((RuntimeError, ValueError, TypeError)):
            f(Scalar.zeros(2))
    with pytest.raises(RuntimeError):
        Scalar.zeros(device="meta").item()


def test_writes():
    a, b = random(SR2, 3), random(SR2, 3)
    memory = a.torch()
    assert a.copy_(b) is a and torch.equal(memory, b.torch())
    assert a.copy_(b.to(dtype=torch.float32)) is a and a.dtype == torch.float64
    assert a.copy_(random(SR2)) is a  # broadcasts
    assert a.fill_(2) is a and torch.equal(memory, torch.full((3, 6), 2.0))
    assert a.zero_() is a and not memory.any()
    with pytest.raises(ValueError, match="copy_"):
        a.copy_(random(SR2, 2, 3))
    with pytest.raises(ValueError, match="copy_"):
        a.copy_(random(SSR4, 3))
    for wrong in (None, "x", torch.rand(6), [1.0]):
        with pytest.raises(TypeError):
            a.copy_(wrong)
    with pytest.raises(TypeError):
        a.fill_("x")
    expanded = random(SR2).batch.expand(3)
    with pytest.raises(ValueError, match="expanded"):
        expanded.copy_(a)
    assert expanded.fill_(1).tolist() == [[1.0] * 6] * 3  # as torch


# ---- Devices ----


@every_small_type
def test_meta_tensors_have_shapes_only(cls):
    a = typed(cls, torch.empty(2, *TYPES[cls], device="meta"))
    b = (a + a) * 2 - a / 3
    assert type(b) is cls and b.device.type == "meta" and b.batch.shape == (2,)
    assert a.batch[None, 0].batch.shape == (1,)
    assert repr(a) == f"<{cls.__name__} of shape [2][{', '.join(map(str, TYPES[cls]))}]>"


def test_meta_functions():
    C, e = SSR4.zeros(2, device="meta"), SR2.zeros(3, 2, device="meta")
    assert (C * e).shape == (3, 2, 6)
    assert e.dev().norm().device.type == "meta"
    assert e.rotate(Rot.zeros(device="meta")).shape == (3, 2, 6)
    with pytest.raises(ValueError, match="device|meta"):
        e + SR2.zeros(2)
    with pytest.raises(ValueError, match="device|meta"):
        C * SR2.zeros(2)


# ---- Types in Python ----


def test_classes_of_users():
    class Stress(SR2):
        """A derived class with a different name."""

        def __init__(self, t, unit="MPa"):
            super().__init__(t)
            self.unit = unit

    a = Stress(torch.rand(3, 6))
    assert isinstance(a, SR2) and a.unit == "MPa" and repr(a).startswith("<SR2")
    assert torch.equal((a + a).torch(), 2 * a.torch())
    assert type(SSR4.isotropic_E_nu(1.0, 0.0) * a) is SR2
    assert isinstance(a.dev(), SR2) and isinstance(a.batch[0], SR2)
    assert SR2(a).torch() is a.torch()
    a += 1
    assert type(a) is Stress and a.unit == "MPa"


def test_what_is_of_the_class_of_its_operand_is_so_for_classes_of_users_too():
    class Stress(SR2):
        def __init__(self, t, unit):
            super().__init__(t)
            self.unit = unit

        def twice(self):
            return self * 2

    a = Stress(torch.rand(3, 2, 6), "MPa")
    v = a.batch
    for b in (v[0], v[:, None], v[[True, False, True]], v.expand(4, 3, 2), v.expand_as(Scalar.zeros(1, 3, 2)), v.expand_copy(3, 2), v.reshape(6),
              v.unsqueeze(0), v[:1].batch.squeeze(0), v.transpose(0, 1), v.movedim(0, 1), v.flatten(), v.slice(0, 0, 2), *v,
              -a, abs(a), a**2, 2 * a, a.clone(), a.detach(), a.contiguous(), a.to(torch.float32), a.cpu(), a.double(),
              neml2.math.exp(a), neml2.math.batch_sum(a), neml2.math.where(a > 0.5, a, 0.0), neml2.math.batch_stack([a, a])):  # fmt: skip
        assert type(b) is Stress and type(b.twice()) is Stress and not hasattr(b, "unit")
        assert torch.equal(b.twice().torch(), 2 * b.torch())
    assert type(a + a) is type(a.dev()) is SR2

    class Slotted(Tensor):
        __slots__ = ("mark",)

    assert type(Slotted(torch.rand(2, 3), 1).batch[0]) is Slotted


@pytest.mark.filterwarnings("ignore:nanobind. attempted")
def test_classes_that_forget_to_construct():
    class Empty(SR2):
        def __init__(self):
            pass

    for use in (lambda: Empty().norm(), lambda: Empty() + 1, lambda: Empty().batch, lambda: SR2.zeros() + Empty()):
        with pytest.raises(TypeError):
            use()


def test_no_new_attributes_by_accident():
    with pytest.raises(AttributeError):
        SR2.zeros().nrom = 1
    with pytest.raises(AttributeError):
        SR2.zeros().nrom
    with pytest.raises(AttributeError):
        SR2.zeros().batch.nrom = 1
    with pytest.raises(AttributeError):
        SR2.zeros().shape = (2, 6)


# ---- Conversions, as those of torch.Tensor ----


@every_small_type
def test_to_takes_what_that_of_torch_takes(cls):
    a = random(cls, 2)
    other = typed(cls, torch.zeros(1, *TYPES[cls], dtype=torch.float32))
    for b in (
        a.to(torch.float32),
        a.to("cpu", torch.float32),
        a.to(torch.device("cpu"), dtype=torch.float32),
        a.to(other),
        a.to(other.torch()),
        a.to(torch.float32, non_blocking=True, copy=True),
        a.float(),
    ):
        assert type(b) is cls and b.dtype == torch.float32 and b.batch.shape == (2,)
        assert torch.equal(b.torch(), a.torch().float())
    assert a.to("meta").device.type == "meta" and a.to(torch.device("meta")).batch.shape == (2,)
    assert a.to(a.dtype).torch() is a.torch() and a.to(a.dtype, copy=True).torch() is not a.torch()


@pytest.mark.parametrize("method", ["double", "float", "half", "bfloat16", "long", "int", "cpu"])
def test_conversions_have_the_names_of_torch(method):
    for a in (random(SR2, 2), random(Tensor, 3), neml2.LabeledVector(torch.rand(2, 6), labels())):
        if isinstance(a, neml2.LabeledVector) and method in ("long", "int"):
            continue
        b = getattr(a, method)()
        assert type(b) is type(a) and torch.equal(b.torch(), getattr(a.torch(), method)())
        assert b.batch.shape == a.batch.shape


def labels():
    return neml2.LabeledAxis().add("s", SR2).setup_layout()


def test_conversions_of_labeled_tensors_keep_the_labels():
    v = neml2.LabeledVector(torch.rand(2, 6), labels())
    for w in (v.to(torch.float32), v.to("cpu", torch.float32), v.to(dtype=torch.float32), v.float()):
        assert w.dtype == torch.float32 and w.axes() == v.axes()
    assert v.to(torch.float32, requires_grad=True).requires_grad


def test_conversions_are_differentiable_and_refuse_what_is_wrong():
    a = random(SR2, 2, grad=True)
    a.float().double().norm_sq().torch().sum().backward()
    assert torch.allclose(a.grad.torch(), 2 * a.torch(), atol=1e-6)
    for use in (lambda: a.to("nonsense"), lambda: a.to(nonsense=1), lambda: a.to(SR2, 1), lambda: a.double(1)):
        with pytest.raises((TypeError, RuntimeError)):
            use()
    for use in (lambda: SR2().to(torch.float32), lambda: SR2().double(), lambda: SR2().cuda()):
        with pytest.raises(ValueError, match="undefined"):
            use()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_cuda_without_a_gpu_is_the_error_of_torch():
    with pytest.raises((AssertionError, RuntimeError)) as expected:
        torch.zeros(2).cuda()
    with pytest.raises(type(expected.value)):
        SR2.zeros(2).cuda()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_cuda_and_back():
    a = random(SR2, 2)
    assert a.cuda().device.type == "cuda" and torch.equal(a.cuda().cpu().torch(), a.torch())


# ---- Scalars and numbers mixed ----

STIFFNESSES = {
    "isotropic_E_nu": (200.0, 0.3),
    "isotropic_K_G": (160.0, 75.0),
    "isotropic_lambda_mu": (110.0, 75.0),
    "cubic": (168.0, 121.0, 75.0),
    "fill_C1_C2_C3": (168.0, 121.0, 75.0),
    "transversely_isotropic": (10.0, 20.0, 0.2, 0.3, 5.0),
    "orthotropic": (10.0, 12.0, 14.0, 0.2, 0.25, 0.3, 4.0, 5.0, 6.0),
}


@pytest.mark.parametrize("f", STIFFNESSES)
def test_stiffnesses_take_scalars_and_numbers_mixed(f):
    numbers, make = STIFFNESSES[f], getattr(SSR4, f)
    expected = make(*numbers, dtype=torch.float64).torch()
    for k in range(len(numbers)):
        mixed = [Scalar(x, dtype=torch.float64) if i == k else x for i, x in enumerate(numbers)]
        assert torch.equal(make(*mixed).torch(), make(*(Scalar(x, dtype=torch.float64) for x in numbers)).torch())
        assert torch.allclose(make(*mixed).torch(), expected)
        if f in vars(neml2.math):
            assert torch.equal(getattr(neml2.math, f)(*mixed).torch(), make(*mixed).torch())


def test_numbers_among_scalars_take_their_dtype_and_gradients_flow():
    E = Scalar(torch.tensor([1e5, 2e5], dtype=torch.float32))
    C = SSR4.isotropic_E_nu(E, 0.3)
    assert C.dtype == torch.float32 and C.batch.shape == (2,)
    E = Scalar(2.0, requires_grad=True)
    SSR4.isotropic_E_nu(E, 0.3)(0, 0, 0, 0).torch().backward()
    assert torch.allclose(E.grad.torch(), SSR4.isotropic_E_nu(1.0, 0.3)(0, 0, 0, 0).torch())
    assert SSR4.isotropic_E_nu(E=200.0, nu=Scalar(0.3)).batch.shape == ()
    assert torch.equal(Vec.fill(Scalar.ones(2), 0.0, 2).torch(), torch.tensor([[1.0, 0, 2], [1.0, 0, 2]]))
    for use in (lambda: SSR4.isotropic_E_nu(E, "x"), lambda: SSR4.isotropic_E_nu(E, SR2.zeros()), lambda: SSR4.isotropic_E_nu(E, None)):
        with pytest.raises(TypeError, match="isotropic_E_nu"):
            use()
    with pytest.raises(ValueError, match="dtype"):
        Vec.fill(Scalar(torch.tensor(1)), 0.5, 1)  # the result is not an integer
    with pytest.raises(ValueError, match="undefined"):
        SSR4.isotropic_E_nu(Scalar(), 0.3)


def test_miller_indices_are_not_truncated():
    with pytest.raises(ValueError, match="MillerIndex.create: Miller indices are integers, and int64 cannot hold"):
        MillerIndex.create([1.5, 2.9, -0.9])
    with pytest.raises(ValueError, match="MillerIndex.full: Miller indices are integers, and int64 cannot hold"):
        MillerIndex.full(1.5, 2)
    assert MillerIndex.create([1.0, -2.0, 0.0]).torch().tolist() == [1, -2, 0]
    assert MillerIndex.create([1.5, 2.9, -0.9], dtype=torch.float64).torch().tolist() == [1.5, 2.9, -0.9]
    assert MillerIndex.full(2.0, 1).torch().tolist() == [[2, 2, 2]]
    assert MillerIndex.full(1.0, 2, device="meta").batch.shape == (2,)
    assert MillerIndex.create([1, 2, 3], device="meta").torch().is_meta


def test_complex_numbers_are_printed_whole():
    text = str(Scalar(torch.tensor([1 + 2j, 3j], dtype=torch.complex128)))
    assert text.startswith("Scalar (2;) complex128 cpu") and "0  3" in text
