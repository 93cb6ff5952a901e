# SPDX-License-Identifier: MIT
"""Derivatives through the library's operations, compared with those through PyTorch's operations."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from support import SMALL, name, random, run
from torch.autograd import gradcheck, gradgradcheck

from neml2 import math
from neml2.tensors import R2, R4, SR2, SSR4, WR2, Quaternion, Rot, Scalar, Vec


def leaf(*shape, low=-1.0, high=1.0):
    return (low + (high - low) * torch.rand(*shape)).requires_grad_()


def symmetric_positive(*batch):
    """Symmetric positive definite tensors with well-separated principal values."""
    A = torch.rand(*batch, 3, 3)
    return SR2(R2(A @ A.mT + torch.diag(torch.tensor([1.0, 3.0, 6.0])))).torch().detach().requires_grad_()


def near_identity(*batch):
    return (torch.eye(3) + 0.3 * torch.rand(*batch, 3, 3)).requires_grad_()


FUNCTIONS = {
    "C * e": (lambda C, e: SSR4(C) * SR2(e), lambda: (leaf(2, 6, 6), leaf(3, 2, 6))),
    "e * C": (lambda e, C: SR2(e) * SSR4(C), lambda: (leaf(6), leaf(2, 6, 6))),
    "C * C": (lambda C, D: SSR4(C) * SSR4(D), lambda: (leaf(6, 6), leaf(1, 6, 6))),
    "A * B": (lambda A, B: R2(A) * R2(B), lambda: (leaf(2, 3, 3), leaf(3, 3))),
    "A * v": (lambda A, v: R2(A) * Vec(v), lambda: (leaf(2, 3, 3), leaf(3))),
    "r * q": (lambda r, q: Rot(r) * Rot(q), lambda: (leaf(2, 3), leaf(3))),
    "p * q": (lambda p, q: Quaternion(p) * Quaternion(q), lambda: (leaf(2, 4), leaf(4))),
    "a + s": (lambda a, s: SR2(a) + Scalar(s), lambda: (leaf(2, 6), leaf(3, 1))),
    "a - b": (lambda a, b: SR2(a) - SR2(b), lambda: (leaf(2, 6), leaf(6))),
    "s * a": (lambda s, a: Scalar(s) * SR2(a), lambda: (leaf(2), leaf(6))),
    "s / a": (lambda s, a: Scalar(s) / SR2(a), lambda: (leaf(2), leaf(6, low=0.5))),
    "a / s": (lambda a, s: R2(a) / Scalar(s), lambda: (leaf(2, 3, 3), leaf(2, low=0.5))),
    "2 - 3 a": (lambda a: 2 - 3 * Vec(a), lambda: (leaf(2, 3),)),
    "a ** s": (lambda a, s: SR2(a) ** Scalar(s), lambda: (leaf(2, 6, low=0.5), leaf(2))),
    "a ** 3": (lambda a: Scalar(a) ** 3, lambda: (leaf(4),)),
    "dev": (lambda a: SR2(a).dev(), lambda: (leaf(2, 6),)),
    "vol": (lambda a: R2(a).vol(), lambda: (leaf(2, 3, 3),)),
    "norm": (lambda a: SR2(a).norm(), lambda: (leaf(2, 6),)),
    "norm with epsilon": (lambda a: SR2(a).norm(0.1), lambda: (leaf(2, 6),)),
    "inner": (lambda a, b: SR2(a).inner(SR2(b)), lambda: (leaf(2, 6), leaf(6))),
    "outer": (lambda a, b: SR2(a).outer(SR2(b)), lambda: (leaf(2, 6), leaf(6))),
    "det": (lambda a: SR2(a).det(), lambda: (leaf(2, 6),)),
    "inverse": (lambda a: SR2(a).inverse(), lambda: (symmetric_positive(2),)),
    "inverse of C": (lambda C: SSR4(C).inverse(), lambda: ((torch.eye(6) + 0.1 * torch.rand(6, 6)).requires_grad_(),)),
    "rotate": (lambda a, r: SR2(a).rotate(Rot(r)), lambda: (leaf(2, 6), leaf(3))),
    "rotate by R": (lambda a, R: SR2(a).rotate(R2(R)), lambda: (leaf(2, 6), leaf(3, 3))),
    "rotate C": (lambda C, r: SSR4(C).rotate(Rot(r)), lambda: (leaf(6, 6), leaf(2, 3))),
    "rotate v": (lambda v, r: Vec(v).rotate(Rot(r)), lambda: (leaf(2, 3), leaf(3))),
    "euler_rodrigues": (lambda r: Rot(r).euler_rodrigues(), lambda: (leaf(2, 3),)),
    "exp_map": (lambda w: WR2(w).exp_map(), lambda: (leaf(2, 3),)),
    "cross": (lambda v, w: Vec(v).cross(Vec(w)), lambda: (leaf(2, 3), leaf(3))),
    "isotropic": (
        lambda E, nu: SSR4.isotropic_E_nu(Scalar(E), Scalar(nu)),
        lambda: (leaf(2, low=1), leaf(2, low=0.1, high=0.4)),
    ),
    "von_mises": (lambda s: math.von_mises(SR2(s)), lambda: (leaf(2, 6),)),
    "J3": (lambda s: math.J3(SR2(s)), lambda: (leaf(2, 6),)),
    "eigenvalues": (lambda s: math.eigenvalues(SR2(s)), lambda: (symmetric_positive(2),)),
    "expm": (lambda s: math.expm(SR2(s)), lambda: (leaf(2, 6),)),
    "logm": (lambda s: math.logm(SR2(s)), lambda: (symmetric_positive(2),)),
    "sqrtm": (lambda s: math.sqrtm(SR2(s)), lambda: (symmetric_positive(2),)),
    "expm of R2": (lambda A: math.expm(R2(A)), lambda: (leaf(2, 3, 3),)),
    "right_stretch": (lambda F: math.right_stretch(R2(F)), lambda: (near_identity(2),)),
    "polar": (lambda F: math.polar_rotation(R2(F)), lambda: (near_identity(2),)),
    "push_forward": (lambda s, F: math.push_forward(SR2(s), R2(F)), lambda: (leaf(6), near_identity(2))),
    "full": (lambda s: R2(SR2(s)), lambda: (leaf(2, 6),)),
    "sym": (lambda A: SR2(R2(A)), lambda: (leaf(2, 3, 3),)),
    "R4": (lambda C: R4(SSR4(C)), lambda: (leaf(6, 6),)),
    "batch": (lambda a: SR2(a).batch[1:, None].batch.expand(2, 3), lambda: (leaf(3, 6),)),
    "base": (lambda a: SR2(a).base[2:].base.reshape(2, 2), lambda: (leaf(3, 6),)),
    "create, fill": (lambda s: SR2.fill(Scalar(s), Scalar(s) * 2, Scalar(s) ** 2), lambda: (leaf(3),)),
    "linspace": (lambda a, b: SR2.linspace(SR2(a), SR2(b), 3), lambda: (leaf(6), leaf(2, 6))),
    "exp": (lambda a: math.exp(Scalar(a)), lambda: (leaf(3),)),
}


@pytest.mark.parametrize("f", FUNCTIONS.items(), ids=lambda item: item[0])
def test_first_and_second_derivatives(f):
    formula, arguments = f[1]
    x = arguments()
    assert gradcheck(lambda *t: formula(*t).torch(), x)
    assert gradgradcheck(lambda *t: formula(*t).torch(), x)


@pytest.mark.parametrize("n", [0, 1, 1000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_of_batches(n, dtype):
    C, e = random(SSR4, 1, dtype=dtype, grad=True), random(SR2, n, dtype=dtype, grad=True)
    weight = torch.rand(n, 6, dtype=dtype)
    (C * e.dev()).backward(weight)
    c, x = C.torch().detach().requires_grad_(), e.torch().detach().requires_grad_()
    volume = x[:, :3].mean(-1, keepdim=True)
    dev = x - torch.nn.functional.pad(volume.expand(n, 3), (0, 3))
    torch.einsum("...ij,...j->...i", c, dev).backward(weight)
    torch.testing.assert_close(C.grad.torch(), c.grad)
    torch.testing.assert_close(e.grad.torch(), x.grad)


@pytest.mark.parametrize("cls", SMALL, ids=name)
def test_gradients_have_the_type_of_their_leaf(cls):
    a = random(cls, 2, 3, grad=True)
    assert a.grad is None and a.requires_grad and a.is_leaf
    b = a * 2 + a
    assert b.requires_grad and not b.is_leaf
    b.torch().sum().backward()
    assert type(a.grad) is cls and a.grad.batch.shape == (2, 3)
    assert torch.equal(a.grad.torch(), torch.full_like(a.torch(), 3))
    assert a.grad.torch() is a.torch().grad


def test_backward():
    a = random(SR2, 2, grad=True)
    s = a.norm_sq()
    s.backward(Scalar.ones(2), retain_graph=True)
    assert torch.allclose(a.grad.torch(), 2 * a.detach().torch())
    s.backward(gradient=torch.ones(2))
    assert torch.allclose(a.grad.torch(), 4 * a.detach().torch())
    with pytest.raises(RuntimeError):
        s.backward(torch.ones(2))  # its graph is gone
    with pytest.raises(RuntimeError, match="scalar"):
        a.norm_sq().backward()
    with pytest.raises(RuntimeError):
        SR2.zeros().norm().backward()
    with pytest.raises(TypeError):
        a.norm_sq().backward("x")
    a.torch().grad = None
    assert a.grad is None
    x = random(Vec, grad=True)
    (g,) = torch.autograd.grad(x.norm_sq().torch(), x.torch(), create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x.torch())
    assert torch.allclose(h, torch.full((3,), 2.0))


def test_the_gradient_of_what_is_no_leaf():
    with pytest.warns(UserWarning, match="not a leaf"):  # as torch, and not on stderr
        assert (random(SR2, grad=True) * 2).grad is None


def test_requires_grad():
    a = SR2.zeros(2)
    assert a.requires_grad_() is a and a.requires_grad
    a.requires_grad = False
    assert not a.requires_grad
    assert not a.requires_grad_(False).requires_grad
    with pytest.raises((RuntimeError, ValueError), match="floating point"):
        SR2.zeros(2, dtype=torch.int64).requires_grad_()
    with pytest.raises((RuntimeError, ValueError), match="leaf"):
        (a.requires_grad_() * 2).requires_grad = False
    with pytest.raises(TypeError):
        a.requires_grad = "yes"


def test_no_grad():
    a, b = random(SSR4, grad=True), random(SR2, 2, grad=True)
    with torch.no_grad():
        assert not (a * b).requires_grad and not b.norm().requires_grad
        with torch.enable_grad():
            assert (a * b).requires_grad
    assert (a * b).requires_grad
    with torch.inference_mode():
        c = a * b
        d = SR2.zeros(2)
        assert not c.requires_grad and c.torch().is_inference() and d.torch().is_inference()
        c += 1
        assert c.dev().torch().is_inference()
    (b * 2).inner(c).torch().sum().backward()  # from a copy: autograd cannot notice a later change of c
    assert torch.equal(b.grad.torch(), 2 * c.torch())


def test_hooks_and_anomalies():
    a, seen = random(SR2, 2, grad=True), []
    b = a.dev()
    b.torch().register_hook(seen.append)
    b.torch().retain_grad()
    b.norm().torch().sum().backward()
    assert len(seen) == 1 and b.grad is not None and type(b.grad) is SR2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError, match="nan"), torch.autograd.detect_anomaly():
            x = Scalar(0.0, requires_grad=True)
            (math.sqrt(x) * 0).backward()


def test_writes_that_spoil_a_graph_are_noticed():
    a = random(SR2, 2, grad=True)
    b = a * 1
    c = b.norm()
    b += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        c.torch().sum().backward()


def test_gradients_through_writes():
    a = random(SR2, 3, grad=True)
    b = a * 2
    b.batch[0] = Scalar(1.0).torch()
    b += a
    b *= 2
    b.torch().sum().backward()
    assert torch.equal(a.grad.torch(), torch.tensor([2.0, 6, 6])[:, None].expand(3, 6))
    c = SR2.zeros(2)
    v = random(SR2, grad=True)
    c.batch[1] = v
    c.norm_sq().torch().sum().backward()
    assert torch.allclose(v.grad.torch(), 2 * v.detach().torch())


def test_checkpoint():
    from torch.utils.checkpoint import checkpoint

    def f(t):
        return math.expm(SR2(t).dev()).norm().torch()

    x = leaf(4, 6)
    y = x.detach().clone().requires_grad_()
    checkpoint(f, x, use_reentrant=False).sum().backward()
    f(y).sum().backward()
    torch.testing.assert_close(x.grad, y.grad)


def test_functions_of_autograd_in_python():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return (SR2(t) * 2).torch()

        @staticmethod
        def backward(ctx, g):
            return (SR2(g) * 2).torch()

    x = leaf(3, 6)
    Double.apply(x).sum().backward()
    assert torch.equal(x.grad, torch.full((3, 6), 2.0))


def test_optimizers():
    E, nu = Scalar(1.0, requires_grad=True), Scalar(0.1, requires_grad=True)
    strain = random(SR2, 20)
    stress = SSR4.isotropic_E_nu(2.0, 0.3) * strain
    optimizer = torch.optim.Adam([E.torch(), nu.torch()], lr=0.1)
    for _ in range(150):
        optimizer.zero_grad()
        (SSR4.isotropic_E_nu(E, nu) * strain - stress).norm_sq().torch().mean().backward()
        optimizer.step()
    assert abs(E.item() - 2) < 0.02 and abs(nu.item() - 0.3) < 0.01


# ---- torch.func ----


def energy(e):
    C = SSR4.isotropic_E_nu(2.0, 0.3)
    return (0.5 * SR2(e).inner(C * SR2(e))).torch()


def stress(e):
    return (SSR4.isotropic_E_nu(2.0, 0.3) * SR2(e)).torch()


def chain(e):
    a = SR2(e)
    return (a.rotate(Rot.fill(0.1, 0.2, 0.3)).dev() * a.norm() + math.expm(a) / 2).torch()


def without_constants(e):
    """A function without tensors made from numbers."""
    a = SR2(e)
    return (a.dev() * a.norm() + math.expm(a) / 2 - a.inner(a) * a + SR2(R2(a) * R2(a))).torch()


every_formula = pytest.mark.parametrize("f", [stress, chain, without_constants], ids=name)


def test_func_grad():
    e = torch.rand(6)
    torch.testing.assert_close(torch.func.grad(energy)(e), stress(e))
    gradient, value = torch.func.grad_and_value(energy)(e)
    torch.testing.assert_close(value, energy(e))
    torch.testing.assert_close(torch.func.hessian(energy)(e) @ e, gradient)


@every_formula
def test_func_jacobians(f):
    e = torch.rand(6)
    expected = torch.autograd.functional.jacobian(f, e)
    torch.testing.assert_close(torch.func.jacrev(f)(e), expected)
    torch.testing.assert_close(torch.func.jacfwd(f)(e), expected)
    direction = torch.rand(6)
    value, tangent = torch.func.jvp(f, (e,), (direction,))
    torch.testing.assert_close(value, f(e))
    torch.testing.assert_close(tangent, expected @ direction)
    value, pull = torch.func.vjp(f, e)
    torch.testing.assert_close(pull(direction)[0], direction @ expected)


@every_formula
def test_func_vmap(f):
    e = torch.rand(4, 6)
    torch.testing.assert_close(torch.func.vmap(f)(e), f(e))
    torch.testing.assert_close(torch.func.vmap(f, in_dims=1, out_dims=1)(e.T.contiguous()), f(e).T)
    jacobians = torch.func.vmap(torch.func.jacrev(f))(e)
    torch.testing.assert_close(jacobians, torch.stack([torch.func.jacrev(f)(x) for x in e]))
    torch.testing.assert_close(
        torch.func.jacrev(torch.func.vmap(f))(e).diagonal(dim1=0, dim2=2).movedim(-1, 0), jacobians
    )


def test_func_vmap_of_factories_and_views():
    def f(t):
        a = SR2(t)
        b = SR2.zeros_like(a) + SR2.identity() + a.batch[None].batch[0]
        return b.torch()

    e = torch.rand(4, 6)
    torch.testing.assert_close(torch.func.vmap(f)(e), (SR2(e) + SR2.identity()).torch())
    assert torch.func.vmap(lambda t: torch.tensor(SR2(t).batch.dim()))(e).tolist() == [0] * 4


def test_func_functional_call():
    module = torch.nn.Linear(6, 6, bias=False)
    parameters = {"weight": torch.rand(6, 6)}

    def loss(p, t):
        return SR2(torch.func.functional_call(module, p, t)).norm().torch()

    g = torch.func.grad(loss)(parameters, torch.rand(6))
    assert g["weight"].shape == (6, 6)


@every_formula
def test_forward_mode(f):
    import torch.autograd.forward_ad as forward

    e, d = torch.rand(2, 6), torch.rand(2, 6)
    with forward.dual_level():
        value, tangent = forward.unpack_dual(f(forward.make_dual(e, d)))
    torch.testing.assert_close(value, f(e))
    jacobian = torch.stack([torch.autograd.functional.jacobian(f, x) for x in e])
    torch.testing.assert_close(tangent, torch.einsum("nij,nj->ni", jacobian, d))


def test_typed_tensors_are_arguments_and_results_of_torch_func():
    a = random(SR2, 2)
    for f, x in ((lambda s: s * 2, a), (lambda t: SR2(t) * 2, a.torch())):
        r = torch.func.vmap(f)(x)
        assert type(r) is SR2 and torch.equal(r.torch(), 2 * a.torch())


def test_the_functions_of_which_torch_func_has_gradients_return_tensors_of_torch():
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        torch.func.grad(lambda t: SR2(t).norm())(torch.rand(6))


# ---- Fakes, traces, modes ----


def test_fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        e = torch.rand(4, 6)
        assert without_constants(e).shape == (4, 6)
        assert stress(e).shape == (4, 6)  # also for tensors made from numbers
        assert SR2(e).dev().norm().batch.shape == (4,)
    assert SR2(e).dev().norm().batch.shape == (4,)  # also when its mode has ended
    real = mode.from_tensor(torch.rand(3, 6))
    assert without_constants(real).shape == (3, 6)


def test_dispatch_modes_see_the_operations():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Record(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.names = []

        def __torch_dispatch__(self, f, types, args=(), kwargs=None):
            self.names.append(f.__name__)
            return f(*args, **(kwargs or {}))

    a = random(SR2, 2)
    with Record() as record:
        b = a.dev()
    assert record.names
    torch.testing.assert_close(a.dev().torch(), b.torch())


def test_subclasses_of_torch_tensor():
    class Marked(torch.Tensor):
        pass

    t = torch.rand(2, 6).as_subclass(Marked)
    a = SR2(t)
    assert a.torch() is t
    torch.testing.assert_close(a.norm().torch(), torch.Tensor(t).norm(dim=-1))


def test_views_with_negative_bits():
    """Lazy negation: PyTorch computes it only when the tensor is read."""
    z = torch.rand(2, 6, dtype=torch.complex128).conj().imag
    assert z.is_neg()
    a = SR2(z)
    torch.testing.assert_close(a.dev().torch(), SR2(z.resolve_neg()).dev().torch())
    torch.testing.assert_close(a.norm().torch(), z.norm(dim=-1))
    torch.testing.assert_close((a + a).torch(), 2 * z)


def test_autocast():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        C, e = random(SSR4, 2, dtype=torch.float32), random(SR2, 2, dtype=torch.float32)
        r = C * e
        assert type(r) is SR2 and r.batch.shape == (2,)


@every_formula
def test_tracing(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(f, (torch.rand(2, 6),))
    e = torch.rand(2, 6)
    torch.testing.assert_close(traced(e), f(e))


@every_formula
def test_make_fx(f):
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = make_fx(f)(torch.rand(2, 6))
    e = torch.rand(2, 6)
    torch.testing.assert_close(graph(e), f(e))


# ---- Threads ----


def test_threads():
    C = random(SSR4)

    def work(seed):
        generator = torch.Generator().manual_seed(seed)
        for _ in range(20):
            e = SR2(torch.rand(50, 6, generator=generator).requires_grad_())
            s = (C * e).dev().rotate(Rot.fill(0.1, 0.2, 0.3))
            s.norm_sq().torch().sum().backward()
            view, last = s.batch, e.grad.torch()
            assert view[0].base.shape == (6,)
        return last

    serial = [work(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for a, b in zip(serial, pool.map(work, range(8)), strict=True):
            assert torch.equal(a, b)


def test_threads_of_one_tensor():
    """Readers of one object; each result is whole."""
    a = random(SR2, 1000)
    expected = a.dev().torch()

    def work(_):
        return all(torch.equal(a.dev().torch(), expected) and a.batch[3].base.shape == (6,) for _ in range(50))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_backward_hooks_may_call_back():
    """The thread that runs the graph holds no lock that Python needs."""
    code = """
import torch, threading
from neml2.tensors import SR2, SSR4
done = []
def work():
    a = SR2(torch.rand(100, 6).requires_grad_())
    b = a.dev()
    b.torch().register_hook(lambda g: (SR2(g) * 2).torch() / 2)
    (SSR4.isotropic_E_nu(1.0, 0.3) * b).norm_sq().torch().sum().backward()
    done.append(a.grad is not None)
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]; [t.join(60) for t in threads]
assert done == [True] * 8, done
"""
    r = run(code)
    assert (r.returncode, r.stderr) == (0, "")


@pytest.mark.parametrize("function", [math.sqrtm, math.logm])
def test_many_derivatives_of_a_function_of_a_matrix_at_the_identity(function):
    """The derivatives of f(1 + t a) by t, for each a on the diagonal."""
    t, a = torch.zeros((), requires_grad=True), torch.tensor([1.0, -0.4, 2.0])
    y = function(R2(torch.eye(3) + t * torch.diag(a))).torch().diagonal()
    factor = 1.0
    for n in range(1, 7):
        slopes = [torch.autograd.grad(entry, t, create_graph=True)[0] for entry in y]
        factor *= 1.5 - n if function is math.sqrtm else 1.0 if n == 1 else 1.0 - n
        torch.testing.assert_close(torch.stack(slopes).detach(), factor * a**n, rtol=1e-9, atol=1e-12)
        y = torch.stack(slopes)
