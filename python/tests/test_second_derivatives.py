# SPDX-License-Identifier: MIT
"""Formulas that autograd differentiates twice and more: each derivative is a formula again, and the function is not called for it."""

import pytest
import torch
from formulas_support import counted, same

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, Rot, Scalar, Tensor, Vec

W = torch.tensor([0.3, -0.5, 0.7, 0.2, -0.4, 0.6], dtype=torch.float64)
EQUAL = [[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [1.2, 1.2, 0.7, 0.0, 0.0, 0.0], [2.0, 1.0, 1.0, 0.0, 0.0, 0.0]]


def near_identity(*batch):
    s = 0.2 * (2.0 * torch.rand(*batch, 6) - 1.0)
    return s + torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


def ogden(l, alpha):
    return l(0) ** alpha + l(1) ** alpha + l(2) ** alpha


def root(s, a):
    return neml2.newton(lambda x, s, a: x * x * x + a * x - math.tr(s), 1.0, s, a)


def two_roots(s, a):
    def residual(unknowns, s, a):
        x, y = unknowns
        return x * x + y - math.tr(s), y * y * y + a * x - math.norm_sq(s)

    x, y = neml2.newton(residual, (1.0, 1.0), s, a)
    return x * y


def soft(s, a):
    e = math.dev(s) * 3.0
    q = math.norm(e)
    return math.where(q > a, q * q - a * math.sqrt(q - a), q**3 / a)


ENERGIES = {
    "products": lambda s, a: math.norm_sq(s) * math.tr(s) * a + math.det(s),
    "norm": lambda s, a: math.norm(math.dev(s) + a * SR2.identity()) ** 3,
    "exponential": lambda s, a: math.exp(a * math.inner(s, s)) / (1.0 + math.tr(s)),
    "inverse": lambda s, a: math.tr(math.inv(s)) * a,
    "logm": lambda s, a: a * math.norm_sq(math.logm(s)),
    "sqrtm": lambda s, a: math.inner(math.sqrtm(s), s) * a,
    "powm": lambda s, a: math.tr(math.powm(s, a)),
    "expm": lambda s, a: math.norm_sq(math.expm(a * s)),
    "isotropic": lambda s, a: neml2.isotropic(ogden, s, a),
    "where": soft,
    "newton": root,
    "newton of two": two_roots,
    "solve": lambda s, a: math.inner(math.solve(math.full(s), Vec.fill(1.0, 2.0, 3.0)), Vec.fill(0.3, a, 0.2)),
    "gradient": lambda s, a: math.norm_sq(neml2.gradient(lambda s: math.norm_sq(s) * math.tr(s) * a, s)),
}


SOLVED = ("newton", "newton of two")  # hessian refuses them


def again(y, x, **options):
    return torch.autograd.grad(y, x, materialize_grads=True, allow_unused=True, **options)


def by_components(slope, x):
    """The derivatives of the components of a slope, (batch; n), by the x of the same point: (batch; n, m)."""
    return torch.stack([again(slope[..., j].sum(), x, create_graph=True)[0] for j in range(slope.shape[-1])], -2)


def arguments(name):
    s = near_identity(8) if name == "where" else torch.cat([near_identity(5), torch.tensor(EQUAL)])
    return s.requires_grad_(), torch.linspace(0.3, 0.9, 8).requires_grad_()


@pytest.mark.parametrize("name", ENERGIES)
def test_they_are_those_of_hessian(name):
    function, calls = counted(ENERGIES[name])
    s, a = arguments(name)
    energy = neml2.formula(function)(SR2(s), Scalar(a)).torch().sum()
    by_s, by_a = again(energy, (s, a), create_graph=True)
    both, mixed = by_components(by_s, s), again(by_s.sum(), a, retain_graph=True)[0]
    across = again(by_a.sum(), s, create_graph=True)[0]
    assert len(calls) == 1
    if name in SOLVED:
        on_batches = ENERGIES[name](SR2(s), Scalar(a)).torch().sum()
        slope = again(on_batches, (s, a), create_graph=True)
        torch.testing.assert_close((by_s, by_a), slope)
        torch.testing.assert_close(both, by_components(slope[0], s))
        torch.testing.assert_close(mixed, again(slope[0].sum(), a, retain_graph=True)[0])
        torch.testing.assert_close(across, again(slope[1].sum(), s)[0])
        return
    fixed = SR2(s.detach()), Scalar(a.detach())
    same(SR2(by_s.detach()), neml2.gradient(ENERGIES[name], *fixed), 12)
    same(SSR4(both.detach()), neml2.hessian(ENERGIES[name], *fixed), 10)
    expected = neml2.jacobian(lambda s, a: neml2.gradient(ENERGIES[name], s, a), *fixed, argnums=1)
    same(SR2(across.detach()), expected, 10)
    same(Scalar(mixed), Scalar(expected.torch().sum(-1)), 10)


THIRD = [name for name in ENERGIES if name not in ("logm", "sqrtm", "powm", "expm", "isotropic")]


@pytest.mark.parametrize("name", THIRD)
def test_third_derivatives_are_formulas_too(name):
    function, calls = counted(ENERGIES[name])
    s, a = arguments(name)
    by_s = again(neml2.formula(function)(SR2(s), Scalar(a)).torch().sum(), s, create_graph=True)[0]
    along = again((by_s * W).sum(), s, create_graph=True)[0]
    third = by_components(along, s)
    assert len(calls) == 1

    if name in SOLVED:
        on_batches = ENERGIES[name](SR2(s), Scalar(a)).torch().sum()
        along = again((again(on_batches, s, create_graph=True)[0] * W).sum(), s, create_graph=True)[0]
        torch.testing.assert_close(third, by_components(along, s), rtol=1e-9, atol=1e-9)
        return

    def slope_along(s, a, w):
        return neml2.gradient(lambda s: math.inner(neml2.gradient(ENERGIES[name], s, a), w), s)

    same(SSR4(third.detach()), neml2.jacobian(slope_along, SR2(s.detach()), Scalar(a.detach()), SR2(W)), 9)


@pytest.mark.parametrize("name", [name for name in ENERGIES if name not in THIRD])
def test_third_derivatives_that_formulas_refuse_are_those_of_pytorch(name):
    function, calls = counted(ENERGIES[name])
    s, a = near_identity(3).requires_grad_(), torch.linspace(0.3, 0.9, 3).requires_grad_()
    y = neml2.formula(function)(SR2(s), Scalar(a)).torch()
    assert len(calls) == 1
    by_s = again(y.sum(), s, create_graph=True)[0]
    along = again((by_s * W).sum(), s, create_graph=True)[0]
    third = again(along.sum(), s)[0]
    assert len(calls) == 1
    step = torch.full((6,), 1e-5)
    one, other = (neml2.hessian(ENERGIES[name], SR2(s.detach() + d), Scalar(a.detach())).torch() @ W for d in (step, -step))
    torch.testing.assert_close(third, (one - other) / 2e-5, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("value", [0.3, 2.0, 1e4])
def test_any_derivative_of_newton_is_exact(value):
    """The derivatives of √a: the fourth is -15/16 a^(-7/2)."""
    a = torch.tensor([value, 2.0 * value]).requires_grad_()
    y = neml2.vmap(lambda a: neml2.newton(lambda x, a: x * x - a, 1.0, a), Scalar(a)).torch()
    factor = 1.0
    for n in range(6):
        torch.testing.assert_close(y.detach(), factor * a.detach() ** (0.5 - n), rtol=1e-12, atol=0.0)
        (y,) = torch.autograd.grad(y.sum(), a, create_graph=True)
        factor *= 0.5 - n


def test_a_branch_that_is_not_taken_adds_nothing():
    x = torch.tensor([0.0, -2.0, 3.0]).requires_grad_()
    y = neml2.vmap(lambda x: math.where(x > 1.0, math.sqrt(x), x * x) + math.where(x < 1.0, 1.0, math.log(x)), Scalar(x)).torch()
    slope = again(y.sum(), x, create_graph=True)[0]
    second = again(slope.sum(), x, create_graph=True)[0]
    third = again(second.sum(), x)[0]
    torch.testing.assert_close(slope.detach(), torch.tensor([0.0, -4.0, 0.5 * 3.0**-0.5 + 1.0 / 3.0]))
    torch.testing.assert_close(second.detach(), torch.tensor([2.0, 2.0, -0.25 * 3.0**-1.5 - 1.0 / 9.0]))
    torch.testing.assert_close(third, torch.tensor([0.0, 0.0, 0.375 * 3.0**-2.5 + 2.0 / 27.0]))


def test_equations_of_a_branch_that_is_not_taken_add_nothing():
    """The equation has no solution at a = -1, and the matrix is singular at b = 0."""

    def f(a, b):
        root = neml2.newton(lambda x, a: x * x - a, 1.0, a)
        A = b * R2.fill(1.0, 2.0, 3.0) + R2.fill(0.0, 0.0, 0.0, 0.0, 0.0, b, b, 0.0, 0.0)
        x = math.solve(A, Vec.fill(1.0, 2.0, 3.0))
        return math.where(a > 0.0, root, a * a) * math.where(b > 0.0, math.inner(x, x), b + 1.0)

    a, b = torch.tensor([4.0, -1.0, -1.0]).requires_grad_(), torch.tensor([0.0, 0.0, 2.0]).requires_grad_()
    slope = again(neml2.vmap(f, Scalar(a), Scalar(b)).torch().sum(), (a, b), create_graph=True)
    second = again(slope[0].sum() + slope[1].sum(), (a, b), create_graph=True)
    third = again(second[0].sum() + second[1].sum(), (a, b))
    for found in (*slope, *second, *third):
        assert found.isfinite().all()
    torch.testing.assert_close(second[0].detach()[:2], torch.tensor([-1.0 / 32.0 + 0.25, 2.0 - 2.0]))
    torch.testing.assert_close(second[1].detach()[:2], torch.tensor([0.25, -2.0]))


def test_functions_of_tensors_in_a_branch_that_is_not_taken_add_nothing():
    s = torch.tensor([[-1.0, 2.0, 3.0, 0.1, 0.2, 0.3], [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]]).requires_grad_()
    for function in (math.sqrtm, math.logm, lambda s: math.powm(s, 0.3)):
        f = neml2.formula(lambda s: math.where(math.det(s) > 0.0, math.tr(function(s)), math.tr(s) ** 2))
        slope = again(f(SR2(s)).torch().sum(), s, create_graph=True)[0]
        second = by_components(slope, s).detach()
        same(SSR4(second), neml2.hessian(f, SR2(s.detach())), 10)
        one = torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
        torch.testing.assert_close(second[0], 2.0 * torch.outer(one, one))


def test_no_jacobian_is_named():
    s = near_identity(3).requires_grad_()
    f = neml2.formula(lambda s: math.norm(s) * s)
    value, jacobians = f.value_and_jacobian(SR2(s), of=())
    assert jacobians == ()
    same(value, f(SR2(s)))
    slope = again(f(SR2(s)).torch().sum(), s, create_graph=True)[0]
    torch.testing.assert_close(slope, again((math.norm(SR2(s)) * SR2(s)).torch().sum(), s)[0])


def test_a_derivative_that_formulas_refuse_at_once():
    """The second derivative of expm of an R2."""
    F = (torch.eye(3) + 0.1 * torch.rand(4, 3, 3)).requires_grad_()

    def f(F):
        return math.tr(neml2.gradient(lambda F: math.tr(math.expm(F)), F))

    slope = again(neml2.vmap(f, R2(F)).torch().sum(), F, create_graph=True)[0]
    torch.testing.assert_close(slope, math.expm(R2(F)).torch().mT)
    second = again(slope.sum(), F)[0]
    assert second.isfinite().all() and second.abs().min() > 0.0


def test_shared_arguments_have_the_same_gradient_with_and_without_create_graph():
    s, a = near_identity(50000).float().requires_grad_(), torch.tensor(0.3, dtype=torch.float32, requires_grad=True)
    y = neml2.vmap(lambda s, a: math.exp(a * math.norm(s)), SR2(s), Scalar(a)).torch()
    once, again_ = again(y.sum(), (s, a), retain_graph=True), again(y.sum(), (s, a), create_graph=True)
    for plain, graph in zip(once, again_, strict=True):
        assert torch.equal(plain, graph)


def test_an_argument_that_is_given_twice():
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    slope = again(neml2.vmap(lambda a, b: a * a * b, Scalar(x), Scalar(x)).torch().sum(), x, create_graph=True)[0]
    torch.testing.assert_close(slope.detach(), 3.0 * x.detach() ** 2)
    torch.testing.assert_close(again(slope.sum(), x)[0], 6.0 * x.detach())


def test_one_of_two_results():
    s, a = near_identity(3).requires_grad_(), torch.tensor([0.3, 0.4, 0.5]).requires_grad_()
    _, second = neml2.vmap(lambda s, a: (a * s, math.norm_sq(s) * a * a), SR2(s), Scalar(a))
    slope = again(second.torch().sum(), (s, a), create_graph=True)
    twice = again(slope[1].sum(), (s, a))
    torch.testing.assert_close(twice[0], (4.0 * a.unsqueeze(-1) * s).detach())
    torch.testing.assert_close(twice[1], (2.0 * (s * s).sum(-1)).detach())


def test_a_weight_of_zero_may_be_differentiated():
    """PyTorch's jvp differentiates by the weights, at zero."""
    x = torch.tensor([0.5, 2.0, 3.0])
    f = neml2.formula(lambda x: math.sqrt(x) / x + math.tr(math.inv(x * SR2.identity())))
    tangent = torch.autograd.functional.jvp(lambda t: f(Scalar(t)).torch(), x, torch.ones(3))[1]
    torch.testing.assert_close(tangent, -0.5 * x**-1.5 - 3.0 / (x * x))


def test_arguments_that_points_share():
    s, a = near_identity(4, 3), torch.tensor([0.4, 0.5, 0.6])
    f = ENERGIES["products"]

    def total(function, s, a):
        return function(SR2(s), Scalar(a)).torch()

    results = []
    for function in (neml2.formula(f), f):
        x, y = s[:, :1].clone().requires_grad_(), a.clone().requires_grad_()
        by_x, by_y = again((total(function, x, y) ** 2).sum(), (x, y), create_graph=True)
        assert by_x.shape == x.shape and by_y.shape == y.shape
        results.append((by_x, by_y, *again((by_x**2).sum() + by_y.sum(), (x, y))))
    for fused, expected in zip(*results, strict=True):
        torch.testing.assert_close(fused, expected)


@pytest.mark.parametrize("shape", [(0, 6), (1, 6), (6,)])
def test_batches_of_any_size(shape):
    s = near_identity(*shape[:-1]).requires_grad_()
    by_s = again(neml2.formula(ENERGIES["exponential"])(SR2(s), 0.4).torch().sum(), s, create_graph=True)[0]
    found = by_components(by_s, s)
    same(SSR4(found.detach()), neml2.hessian(ENERGIES["exponential"], SR2(s.detach()), 0.4), 12)


def test_rotations_and_tensors_of_any_base_shape():
    q, A, v = torch.rand(5, 3), torch.rand(5, 2), torch.rand(5, 3)
    check = torch.autograd.gradgradcheck
    function = neml2.formula(lambda A, v: math.norm_sq(v) * A(0) * A(1) + A(1) ** 3)
    assert check(lambda A, v: function(Tensor(A, 1), Vec(v)).torch(), (A.requires_grad_(), v.requires_grad_()))
    rotate = neml2.formula(lambda q, v: v.rotate(q))
    assert check(lambda q, v: rotate(Rot(q), Vec(v)).torch(), (q.requires_grad_(), v))


def test_the_jacobian_can_be_differentiated():
    function, calls = counted(lambda s, a: math.exp(a * math.tr(s)) * s + math.logm(s))
    s, a = near_identity(4).requires_grad_(), torch.tensor(0.3, requires_grad=True)
    f = neml2.formula(function)
    value, J = f.value_and_jacobian(SR2(s), Scalar(a))
    by_s, by_a = again((J.torch() * W).sum() + value.torch().sum(), (s, a), create_graph=True)
    assert len(calls) == 1
    second = again(by_s.sum(), (s, a))
    assert len(calls) == 1  # though formulas refuse the third derivative of logm
    batches = SR2(s), Scalar(a)
    on_batches = math.jacrev(math.exp(batches[1] * math.tr(batches[0])) * batches[0] + math.logm(batches[0]), batches[0], create_graph=True)
    rest = (math.exp(batches[1] * math.tr(batches[0])) * batches[0] + math.logm(batches[0])).torch()
    expected = again((on_batches.torch() * W).sum() + rest.sum(), (s, a), create_graph=True)
    torch.testing.assert_close(J.torch(), on_batches.torch())
    torch.testing.assert_close((by_s, by_a), expected)
    torch.testing.assert_close(second, again(expected[0].sum(), (s, a)), rtol=1e-9, atol=1e-9)


def test_single_precision():
    s = near_identity(6).float().requires_grad_()
    by_s = again(neml2.formula(ENERGIES["products"])(SR2(s), 0.4).torch().sum(), s, create_graph=True)[0]
    found = by_components(by_s, s).detach()
    assert found.dtype == torch.float32
    same(SSR4(found.double()), neml2.hessian(ENERGIES["products"], SR2(s.detach().double()), 0.4), 5)


def test_what_the_function_uses_is_what_it_was_when_it_ran():
    factor = 2.0
    f = neml2.formula(lambda x: factor * x * x * x)
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    y = f(Scalar(x)).torch().sum()
    factor = 5.0
    slope = again(y, x, create_graph=True)[0]
    torch.testing.assert_close(again(slope.sum(), x)[0], 12.0 * x.detach())


def test_programs_of_derivatives_are_shown():
    f = neml2.formula(lambda x: x * x * math.exp(x), backend="interpreter")
    x = torch.tensor([0.3], requires_grad=True)
    slope = again(f(Scalar(x)).torch().sum(), x, create_graph=True)[0]
    again(slope.sum(), x)
    shown = neml2.formulas.show(f)
    assert "gradient by 0 of (Scalar)" in shown and "gradient by 0 of (gradient by 0) of (Scalar)" in shown


def test_functions_with_a_corner_have_no_second_derivative_there():
    def corners(x):
        return math.abs(x) + math.sign(x) * x + math.heaviside(x) * x

    x = torch.tensor([-1.0, -0.0, 0.0, 2.0], dtype=torch.float64, requires_grad=True)
    (first,) = again(neml2.vmap(corners, Scalar(x)).torch().sum(), x, create_graph=True)
    torch.testing.assert_close(first.detach(), torch.tensor([-2.0, 0.5, 0.5, 3.0], dtype=torch.float64))
    (second,) = again(first.sum(), x)
    assert second.eq(0).all()
