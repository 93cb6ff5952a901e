# SPDX-License-Identifier: MIT
"""Formulas where no loop runs them: as PyTorch's operations on columns, under torch.func, with tangents of forward mode, in half
precision. Values and derivatives are those of the loop."""

import pytest
import torch
import torch.autograd.forward_ad as forward
from formulas_support import FORMULAS, IN_FORMULAS, ITERATIONS, Watched, arguments, counted, iteration, on_columns, outcome, same, torches
from operations import values
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, MillerIndex, Scalar, TensorBase, Vec


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("NEML2_FORMULAS", "interpreter")


# ---- Columns ----


@pytest.mark.parametrize("row", IN_FORMULAS, ids=lambda row: row.name)
def test_every_operation_is_that_of_the_loop(row):
    raw = row.arguments(5)
    found, expected = outcome(row, raw, on_columns), outcome(row, raw)
    if isinstance(expected, str):
        assert found == expected
        return
    same(found, expected, 9)


@pytest.mark.parametrize("batch", [(), (0,), (1,), (7,), (3, 5)], ids=str)
@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_is_that_of_the_loop(formula, batch):
    f, types = FORMULAS[formula]
    a = arguments(types, *batch)
    found, expected = on_columns(f, *a), neml2.vmap(f, *a)
    assert type(found) is type(expected)
    same(found, expected)


@pytest.mark.parametrize("formula", FORMULAS)
def test_jacobians_and_gradients_are_those_of_the_loop(formula):
    f, types = FORMULAS[formula]
    places = tuple(range(len(types)))
    x = [values(t, 3) for t in types]
    loop, columns = ([t(v.clone().requires_grad_()) for t, v in zip(types, x)] for _ in range(2))
    expected, by = neml2.value_and_jacobian(f, *loop, argnums=places)
    found, by_columns = on_columns(f, *columns, call=neml2.value_and_jacobian, argnums=places)
    same(found, expected)
    same(by_columns, by)
    for results, of in [((expected, by), loop), ((found, by_columns), columns)]:
        sum(t.sum() for t in torches((*torches(results[0]), *torches(results[1])))).backward()
    same([t.torch().grad for t in columns], [t.torch().grad for t in loop], 9)


@pytest.mark.parametrize("case", ITERATIONS)
def test_newton_is_that_of_the_loop(case):
    a = Scalar(torch.rand(6) + 0.5)
    *solution, iterations, converged = on_columns(iteration(case), a)
    *expected, count, has = neml2.vmap(iteration(case), a)
    same(solution, expected, 9)
    assert torch.equal(converged.torch(), has.torch())
    assert (iterations.torch() - count.torch()).abs().max() <= 1  # another rounding


def test_a_gradient_of_what_the_loop_computed_runs_on_columns():
    s = torch.stack([torch.zeros(6), torch.rand(6)]).requires_grad_()
    y = neml2.vmap(lambda s: math.norm(s) * math.maximum(s(0, 0), 0.0), SR2(s)).torch()
    (expected,) = torch.autograd.grad(y.sum(), s, retain_graph=True)
    with Watched():
        (found,) = torch.autograd.grad(y.sum(), s, retain_graph=True)
        (again,) = torch.autograd.grad(y.sum(), s, create_graph=True)
        second = torch.autograd.grad((again * again).sum(), s)[0]
    same([found, again.detach()], [expected, expected])
    (again,) = torch.autograd.grad(y.sum(), s, create_graph=True)
    same([second[1]], [torch.autograd.grad((again * again).sum(), s)[0][1]])


def test_batched_weights_are_taken():
    s = values(SR2, 4).requires_grad_()
    y = neml2.vmap(lambda s: math.dev(s) / (1.0 + math.norm(s)), SR2(s)).torch()
    weights = torch.rand(3, 4, 6)
    (found,) = torch.autograd.grad(y, s, weights, is_grads_batched=True, retain_graph=True)
    same([found], [torch.stack([torch.autograd.grad(y, s, w, retain_graph=True)[0] for w in weights])])
    pull = torch.func.vmap(lambda w: torch.autograd.grad(y, s, w, retain_graph=True)[0])
    same([pull(weights)], [found])


def test_without_values_shapes_are_right():
    def f(s, a):
        return a * math.dev(s), math.norm(s), neml2.newton(lambda x: x * x - a, 1.0)

    shapes = [(2, 3, 6), (2, 3), (2, 3)]
    meta = neml2.vmap(f, SR2(torch.empty(2, 3, 6, device="meta")), Scalar(torch.empty(3, device="meta")))
    assert [t.shape for t in torches(meta)] == shapes and all(t.is_meta for t in torches(meta))
    with FakeTensorMode():
        fake = neml2.vmap(lambda s, a: f(s, a)[:2], SR2(torch.empty(2, 3, 6)), Scalar(torch.empty(3)))
    assert [t.shape for t in torches(fake)] == shapes[:2]


def test_a_trace_computes_what_it_recorded():
    g, calls = counted(lambda s, a: math.where(math.norm(s) > a, a * math.dev(s), math.expm(s)))

    def f(s, a):
        return neml2.vmap(g, SR2(s), Scalar(a)).torch()

    s, a, others = values(SR2, 3), torch.rand(()), (values(SR2, 3), torch.tensor(0.7))
    same([make_fx(f)(s, a)(*others)], [f(*others)])
    same([torch.jit.trace(f, (s, a))(*others)], [f(*others)])
    assert len(calls) <= 6  # the lambda is new in each call of f


# ---- torch.func and forward mode ----


def at_kinks(s, a):
    """Has a root of 0, a tie, a norm of 0, and a branch with an infinite derivative."""
    return math.where(a > 0.0, math.sqrt(a), 0.0) * math.norm(s) + math.maximum(a, 0.0) * s(0, 0) + math.norm(math.dev(s))


AT = (
    torch.tensor([[0.0] * 6, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [-1.0, -0.5, 0.25, 0.5, 0.75, 1.0]], dtype=torch.float64),
    torch.tensor([0.0, 0.0, 0.5], dtype=torch.float64),
)


def test_derivatives_are_exact_where_those_of_the_loop_are():
    g, calls = counted(at_kinks)
    f = neml2.formula(g)

    def values_of(s, a):
        return f(SR2(s), Scalar(a)).torch()

    _, (by_s, by_a) = f.value_and_jacobian(*map(SR2, AT[:1]), Scalar(AT[1]), argnums=(0, 1))
    slopes = torch.func.vmap(torch.func.grad(values_of, argnums=(0, 1)))(*AT)
    same(slopes, (by_s, by_a))
    same(torch.func.vmap(torch.func.jacfwd(values_of, argnums=(0, 1)))(*AT), (by_s, by_a))
    along = torch.rand(3, 6), torch.rand(3)
    expected = (by_s.torch() * along[0]).sum(-1) + by_a.torch() * along[1]
    same([torch.func.jvp(values_of, AT, along)[1]], [expected])
    with forward.dual_level():
        dual = values_of(*map(forward.make_dual, AT, along))
        same([forward.unpack_dual(dual).tangent], [expected])
    assert len(calls) == 1


def energy(s, a):
    return math.exp(a * math.tr(s)) * math.norm_sq(s) + math.tr(math.sqrtm(math.expm(s)))


def test_second_derivatives_in_any_order_of_modes():
    s, a = values(SR2, 4), torch.rand(4)
    expected = neml2.hessian(energy, SR2(s), Scalar(a))

    def f(s, a):
        return neml2.vmap(energy, SR2(s), Scalar(a)).torch()

    jacobians = torch.func.jacrev, torch.func.jacfwd
    for outer in jacobians:
        for inner in jacobians:
            same([torch.func.vmap(outer(inner(f)))(s, a)], [expected], 10)
    same([torch.func.vmap(torch.func.hessian(f))(s, a)], [expected], 10)


def test_value_and_jacobian_under_transforms():
    def update(s, a):
        stress = a * math.dev(s)
        return stress * math.where(math.norm(stress) > 0.2, 0.2 / math.norm(stress), 1.0)

    def tangent(s, a):
        return neml2.value_and_jacobian(update, SR2(s), Scalar(a))[1].torch()

    s, a = values(SR2, 4), torch.rand(4) + 0.5
    each = torch.func.vmap(tangent)(s, a)
    same([each], [tangent(s, a)])
    with_grad = a.clone().requires_grad_()
    slope = torch.func.vmap(torch.func.jacrev(tangent, argnums=1))(s, a)
    for i in (0, 5):
        expected = torch.autograd.grad(tangent(s, with_grad)[:, i, 2].sum(), with_grad)[0]
        same([slope[:, i, 2]], [expected])
    same([torch.func.jvp(lambda a: tangent(s, a), (a,), (torch.ones(4),))[1]], [slope])


def test_batches_broadcast_under_vmap():
    def f(s, C, a):
        return neml2.vmap(lambda s, C, a, k: k * (C * s) * a, SR2(s), SSR4(C), Scalar(a), 2.0).torch()

    s, C, a = values(SR2, 5, 2, 3), values(SSR4, 2, 1), torch.rand(5)
    found = torch.func.vmap(f, in_dims=(0, None, 0))(s, C, a)
    same([found], [torch.stack([f(s[k], C, a[k]) for k in range(5)])])
    same([torch.func.vmap(f, in_dims=(1, 0, None), out_dims=1)(s, C, a[0])], [torch.stack([f(s[:, k], C[k], a[0]) for k in range(2)], 1)])
    constant = torch.func.vmap(lambda x: f(s[0], C, a[0]) + x)(a)
    same([constant], [torch.stack([f(s[0], C, a[0]) + x for x in a])])


def test_newton_is_differentiated_by_transforms():
    g, calls = counted(lambda a, b: neml2.newton(lambda x: x * x * x - a * b, 1.0))
    f = neml2.formula(g)
    a, b = torch.rand(3) + 0.5, torch.rand(3) + 0.5

    def root(a, b):
        return f(Scalar(a), Scalar(b)).torch()

    same([torch.func.vmap(torch.func.grad(root))(a, b)], [(a * b) ** (1 / 3) / (3 * a)])
    same([torch.func.vmap(torch.func.grad(torch.func.grad(root)))(a, b)], [-2 / 9 * (a * b) ** (1 / 3) / a**2])
    same([torch.func.vmap(torch.func.jacfwd(torch.func.grad(root), argnums=1))(a, b)], [(a * b) ** (-2 / 3) / 9])
    assert len(calls) == 1


EQUAL_EIGENVALUES = torch.tensor(
    [
        [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 2.0, 0.0, 0.0, 0.0],
        [1.0, 1.0 + 2e-16, 2.0, 1e-16, 0.0, 3e-16],
        [0.75, 1.25, 1.5, 0.25, 0.375, -0.5],
    ],
    dtype=torch.float64,
)


def stress_of_eigenvalues(s, a):
    return neml2.isotropic(lambda l, a: Vec.fill(*(math.exp(a * l(i)) + l(0) * l(1) * l(2) * l(i) for i in range(3))), s, a)


def energy_of_eigenvalues(s, a):
    return neml2.isotropic(lambda l, a: l(0) ** a + l(1) ** a + l(2) ** a + l(0) * l(1) * l(2), s, a)


FIRST_DERIVATIVES = {
    "isotropic": stress_of_eigenvalues,
    "logm": lambda s, a: math.logm(s) * a,
    "logm of R2": lambda s, a: math.sym(math.logm(math.full(s))) * a,
}
SECOND_DERIVATIVES = {
    "isotropic": energy_of_eigenvalues,
    "hosford": lambda s, a: math.hosford(math.dev(s) + SR2.fill(0.0, 0.0, 2.0), a + 6.0),
    "logm": lambda s, a: a * math.norm_sq(math.logm(s)),
}


@pytest.mark.parametrize("name", FIRST_DERIVATIVES)
def test_first_derivatives_are_exact_at_equal_eigenvalues(name):
    f = FIRST_DERIVATIVES[name]
    s, a = EQUAL_EIGENVALUES, torch.tensor([0.5, 0.25, 1.0, 1.5], dtype=torch.float64)
    expected = neml2.jacobian(f, SR2(s), Scalar(a), argnums=(0, 1))

    def g(s, a):
        return neml2.vmap(f, SR2(s), Scalar(a)).torch()

    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        same(torch.func.vmap(jacobian(g, argnums=(0, 1)))(s, a), expected, 12)
        same([jacobian(g)(s[k], a[k]) for k in range(4)], list(expected[0].torch()), 12)
    along = torch.rand(4, 6, dtype=torch.float64)
    tangent = (expected[0].torch() @ along[..., None])[..., 0]
    same([torch.func.jvp(lambda s: g(s, a), (s,), (along,))[1]], [tangent], 12)
    with forward.dual_level():
        same([forward.unpack_dual(g(forward.make_dual(s, along), a)).tangent], [tangent], 12)


@pytest.mark.parametrize("name", SECOND_DERIVATIVES)
def test_second_derivatives_are_exact_at_equal_eigenvalues(name):
    f = SECOND_DERIVATIVES[name]
    s, a = EQUAL_EIGENVALUES, torch.tensor([2.5, 2.25, 3.0, 1.5], dtype=torch.float64)
    expected = neml2.hessian(f, SR2(s), Scalar(a))

    def g(s, a):
        return neml2.vmap(f, SR2(s), Scalar(a)).torch()

    jacobians = torch.func.jacrev, torch.func.jacfwd
    for outer in jacobians:
        for inner in jacobians:
            same([torch.func.vmap(outer(inner(g)))(s, a)], [expected], 11)


@pytest.mark.parametrize("name", ["isotropic", "logm of R2"])
def test_forward_mode_nests(name):
    """Also third derivatives, which PyTorch's operations compute."""
    f = FIRST_DERIVATIVES[name]
    s, along = EQUAL_EIGENVALUES[3], torch.tensor([0.1, 0.2, -0.3, 0.4, 0.1, -0.2], dtype=torch.float64)

    def first(s):
        return neml2.vmap(f, SR2(s), 0.7).torch().sum()

    def along_of(g):
        return lambda s: torch.func.jvp(g, (s,), (along,))[1]

    second, third = along_of(along_of(first)), along_of(along_of(along_of(first)))
    for derivative, lower in ((second, along_of(first)), (third, second)):
        difference = (lower(s + 1e-5 * along) - lower(s - 1e-5 * along)) / 2e-5
        torch.testing.assert_close(derivative(s), difference, rtol=1e-6, atol=1e-8)


def test_derivatives_of_jacobians_without_further_derivatives_are_refused():
    def tangent(s):
        return neml2.jacobian(stress_of_eigenvalues, SR2(s), Scalar(torch.tensor(0.5, dtype=torch.float64))).torch()

    s = EQUAL_EIGENVALUES[3]
    for differentiate in (torch.func.jacrev, torch.func.jacfwd):
        with pytest.raises(ValueError, match="torch.func"):
            differentiate(tangent)(s)


def test_an_argument_without_a_tangent_is_constant():
    a, b = torch.tensor(2.0), torch.tensor(0.0)

    def g(a, b):
        return neml2.vmap(lambda a, b: a * a + math.sqrt(b), Scalar(a), Scalar(b)).torch()

    assert torch.func.jvp(lambda a: g(a, b), (a,), (torch.tensor(1.0),))[1] == 4.0
    with forward.dual_level():
        assert forward.unpack_dual(g(forward.make_dual(a, torch.tensor(1.0)), b)).tangent == 4.0


@pytest.mark.parametrize("function", ["expm", "logm", "sqrtm"])
def test_derivatives_that_formulas_refuse_are_those_of_pytorch(function):
    """The second derivative of a function of an R2."""
    A = torch.eye(3) + 0.2 * torch.rand(3, 3)

    def f(A):
        return math.inner(getattr(math, function)(A), A)

    def of_formula(A):
        return neml2.vmap(f, R2(A)).torch()

    def of_batches(A):
        return f(R2(A)).torch()

    expected = torch.func.jacrev(torch.func.jacrev(of_batches))(A)
    same([torch.func.jacrev(torch.func.jacrev(of_formula))(A)], [expected], 9)
    same([torch.func.hessian(of_formula)(A)], [expected], 9)
    with pytest.raises(ValueError, match="torch.func"):
        torch.func.vmap(lambda A: neml2.value_and_jacobian(lambda A: neml2.gradient(f, A), R2(A))[1].torch())(A[None])


# ---- dtypes ----


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32_and_rounded_once(dtype):
    s = (100.0 * values(SR2, 5)).to(dtype).requires_grad_()

    def f(s):
        return s / math.sqrt(math.norm_sq(s) * 1e4)  # more than the largest float16

    y = neml2.vmap(f, SR2(s))
    single = s.detach().float().requires_grad_()
    expected = neml2.vmap(f, SR2(single))
    assert y.dtype == dtype and torch.equal(y.torch(), expected.torch().to(dtype))
    J = neml2.value_and_jacobian(f, SR2(s.detach()))[1]
    assert J.dtype == dtype and torch.equal(J.torch(), neml2.value_and_jacobian(f, SR2(single.detach()))[1].torch().to(dtype))
    (g,) = torch.autograd.grad(y.torch().sum(), s)
    (h,) = torch.autograd.grad(expected.torch().sum(), single)
    assert g.dtype == dtype and torch.equal(g, h.to(dtype))
    mapped = torch.func.vmap(lambda s: neml2.vmap(f, SR2(s)).torch())(s.detach())
    assert torch.equal(mapped, y.torch().detach())


def test_integers_are_computed_in_float64():
    m = MillerIndex(torch.tensor([[1, 0, 0], [1, 2, 3]]))
    v = neml2.vmap(lambda m: 0.5 * Vec(m), m)
    assert type(v) is Vec and v.dtype == torch.float64 and v.tolist() == [[0.5, 0.0, 0.0], [0.5, 1.0, 1.5]]
    same_index = neml2.vmap(lambda m: m, m)
    assert type(same_index) is MillerIndex and torch.equal(same_index.torch(), m.torch())


@pytest.mark.parametrize("dtype", [torch.bool, torch.complex128])
def test_other_dtypes_are_refused(dtype):
    with pytest.raises(ValueError, match="vmap: not defined for dtype"):
        neml2.vmap(lambda a: 2.0 * a, Scalar(torch.ones(3).to(dtype)))


def test_results_share_no_memory_with_arguments():
    s = SR2(values(SR2, 3))
    found = on_columns(lambda s: s, s)
    assert isinstance(found, TensorBase) and found.torch().data_ptr() != s.torch().data_ptr()
    wide = on_columns(lambda s, a: a, s, Scalar(torch.tensor(2.0)))
    assert wide.torch().is_contiguous() and wide.torch().shape == (3,)
