# SPDX-License-Identifier: MIT
"""Newton's method at each point, in formulas and on batches."""

import warnings

import pytest
import torch
from formulas_support import State, creep, creep_arguments, on_columns, same
from operations import values

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, Scalar, Vec


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("NEML2_FORMULAS", "interpreter")


def square(x, a):
    return x * x - a


def positive(*batch):
    return Scalar(torch.rand(*batch) + 0.5)


@pytest.mark.parametrize("batch", [(), (0,), (1,), (7,), (65,), (3, 50)], ids=str)
def test_a_root(batch):
    a = Scalar(torch.rand(*batch, 1).squeeze(-1) + 0.5)
    x = neml2.newton(square, 1.0, a)
    assert type(x) is Scalar and x.batch.shape == batch
    torch.testing.assert_close(x.torch(), a.torch().sqrt(), rtol=1e-15, atol=0)


def test_its_derivatives_are_those_of_the_implicit_function():
    a = (torch.rand(5) + 0.5).requires_grad_()

    def root(a):
        return neml2.newton(square, 1.0, Scalar(a)).torch()

    (g,) = torch.autograd.grad(root(a).sum(), a)
    torch.testing.assert_close(g, 0.5 / a.detach().sqrt(), rtol=1e-14, atol=0)
    assert torch.autograd.gradcheck(root, (a,)) and torch.autograd.gradgradcheck(root, (a,))
    guess = torch.ones(5, requires_grad=True)
    (none,) = torch.autograd.grad(neml2.newton(square, Scalar(guess), Scalar(a)).torch().sum(), guess)
    assert not none.any()


def test_in_a_formula_it_may_use_what_is_there():
    def f(a, b):
        def outer(x):
            return math.pow(x, 3.0) - a * neml2.newton(lambda y: y * y - b * x, 1.0)

        return neml2.newton(outer, 2.0)

    a, b = positive(70), positive(70)
    x, (dx_da, dx_db) = neml2.value_and_jacobian(f, a, b, argnums=(0, 1))
    expected = (a.torch() * b.torch().sqrt()) ** 0.4  # x^3 = a sqrt(b x)
    torch.testing.assert_close(x.torch(), expected, rtol=1e-14, atol=0)
    torch.testing.assert_close(dx_da.torch(), 0.4 * expected / a.torch(), rtol=1e-13, atol=0)
    torch.testing.assert_close(dx_db.torch(), 0.2 * expected / b.torch(), rtol=1e-13, atol=0)


def test_unknowns_and_equations_in_groups():
    stress, C, rate = creep_arguments(20)
    guess = State(SR2.zeros(20), Scalar.zeros(20))
    found = neml2.newton(creep, guess, stress, C, rate)
    assert type(found) is State and type(found.strain) is SR2
    left = creep(found, stress, C, rate)
    assert left.strain.torch().abs().max() < 1e-13 and left.p.torch().abs().max() < 1e-13


@pytest.mark.parametrize("batch", [(4,), (2, 3)], ids=str)
def test_on_whole_batches_it_is_the_same(batch):
    stress, C, rate = creep_arguments(*batch)
    guess = State(SR2.zeros(*batch), Scalar.zeros(*batch))

    def report(guess, stress, C, rate):
        found = neml2.newton_report(creep, guess, stress, C, rate)
        return found.solution.strain, found.solution.p, found.iterations, math.where(found.converged, 1.0, 0.0)

    fused, (strain, p, iterations, converged) = neml2.vmap(report, guess, stress, C, rate), on_columns(report, guess, stress, C, rate)
    same(fused[:2], (strain, p), 13)
    assert torch.equal(fused[2].torch(), iterations.torch())
    assert converged.torch().all()


def test_the_residual_of_a_report():
    """At a triple root the derivative vanishes, and the test of convergence is passed far from the root: the residual shows it."""

    def cube(x, a):
        return (x - a) * (x - a) * (x - a)

    a = torch.linspace(0.5, 2.0, 5, dtype=torch.float64)

    def in_a_formula(a):
        report = neml2.newton_report(cube, 3.0, a)
        return report.solution, report.residual, math.where(report.converged, 1.0, 0.0)

    report = neml2.newton_report(cube, 3.0, Scalar(a))
    with_a_half = neml2.newton_report(cube, 3.0, Scalar(a.requires_grad_()))
    assert with_a_half.solution.requires_grad and not with_a_half.residual.requires_grad
    for x, residual, converged in (
        (report.solution, report.residual, report.converged),
        (with_a_half.solution, with_a_half.residual, with_a_half.converged),
        neml2.vmap(in_a_formula, Scalar(a.detach())),
    ):
        error = (x.torch() - a).abs()
        assert converged.torch().bool().all() and (error > 1e-5).all()
        torch.testing.assert_close(residual.torch(), (error**3).detach(), rtol=1e-9, atol=0.0)
        assert (residual.torch() < 1e-10).all() and (residual.torch() > 1e-13).all()
    simple = neml2.newton_report(square, 1.0, Scalar(a.detach()))
    assert simple.converged.torch().all() and (simple.residual.torch() < 1e-15).all()
    failed = neml2.newton_report(square, 1.0, Scalar(torch.tensor([-1.0, 4.0])))
    assert failed.residual.torch().isnan().tolist() == [True, False]
    kept = neml2.newton_report(square, 3.0, Scalar(torch.tensor([1.0])), max_iterations=1, keep_unconverged=True)
    x = kept.solution.torch()
    torch.testing.assert_close(kept.residual.torch(), (x * x - 1.0).abs())


def test_the_residual_of_groups_is_the_norm_of_all_numbers():
    stress, C, rate = creep_arguments(20)
    guess = State(SR2.zeros(20), Scalar.zeros(20))
    report = neml2.newton_report(creep, guess, stress, C, rate, max_iterations=1, keep_unconverged=True)
    left = creep(report.solution, stress, C, rate)
    expected = (left.strain.torch().square().sum(-1) + left.p.torch().square()).sqrt()
    torch.testing.assert_close(report.residual.torch(), expected, rtol=1e-12, atol=0.0)


def test_the_residual_of_a_report_on_whole_batches():
    def root(a):
        report = neml2.newton_report(square, 3.0, Scalar(a), max_iterations=1, keep_unconverged=True)
        return report.solution.torch().sum(), report.residual.torch()

    a = torch.rand(4, dtype=torch.float64)
    _, residual = torch.func.grad(root, has_aux=True)(a)
    torch.testing.assert_close(residual, root(a)[1])


def test_gradients_of_groups():
    stress, C, rate = creep_arguments(2)

    def f(stress, C, rate):
        found = neml2.newton(creep, State(SR2.zeros(2), Scalar.zeros(2)), SR2(stress), SSR4(C), Scalar(rate))
        return found.strain.torch(), found.p.torch()

    raw = tuple(x.torch().clone().requires_grad_() for x in (stress, C, rate))
    assert torch.autograd.gradcheck(f, raw)
    assert torch.autograd.gradgradcheck(f, raw)


def test_points_that_fail_are_nan_and_harm_no_other():
    a = torch.rand(200) + 0.5
    a[::3] = -1
    a[1::7] = float("nan")
    a.requires_grad_()
    report = neml2.newton_report(square, 1.0, Scalar(a))
    good = a.detach() > 0
    assert torch.equal(report.converged.torch(), good) and torch.equal(report.solution.torch().isnan(), ~good)
    alone = neml2.newton(square, 1.0, Scalar(a.detach()[good]))
    assert torch.equal(report.solution.torch()[good], alone.torch())
    assert (report.iterations.torch()[~good & (a == a)] == 50).all()
    (g,) = torch.autograd.grad(report.solution.torch()[good].sum(), a, retain_graph=True)
    assert not g[~good].any() and torch.isfinite(g[good]).all()
    (g,) = torch.autograd.grad(report.solution.torch().sum(), a)
    assert g[~good].isnan().all() and torch.isfinite(g[good]).all()


def test_options():
    a = positive(5)
    assert not neml2.newton_report(square, 1.0, a, max_iterations=1).converged.torch().any()
    kept = neml2.newton(square, 1.0, a, max_iterations=1, keep_unconverged=True)
    torch.testing.assert_close(kept.torch(), 0.5 * (1.0 + a.torch()))
    loose = neml2.newton_report(square, 1.0, a, relative_tolerance=1e-2)
    assert (loose.iterations.torch() < neml2.newton_report(square, 1.0, a).iterations.torch()).any()
    negative = neml2.newton(square, 1.0, a, bounds=(-10.0, 0.0))
    assert not (negative.torch() > 0).any()
    short = neml2.newton_report(square, 1.0, Scalar(torch.full((3,), 100.0)), max_step=1.0)
    assert (short.iterations.torch() > 9).all()
    powell = lambda x: Vec.fill(1e4 * x(0) * x(1) - 1.0, math.exp(-x(0)) + math.exp(-x(1)) - 1.0001, x(2))  # noqa: E731
    found = neml2.newton_report(powell, Vec(torch.tensor([[0.0, 1.0, 0.5]])))
    assert found.converged.torch().all() and (found.iterations.torch() < 30).all()
    far = Scalar(torch.full((3,), 3.0))
    arctan = lambda x: math.atan(x)  # noqa: E731
    assert neml2.newton_report(arctan, far).converged.torch().all()
    assert not neml2.newton_report(arctan, far, line_search=False).converged.torch().any()

    def two(x, a):
        return x[0] * x[0] - a, x[1] * x[1] - a

    first, second = neml2.newton(two, (1.0, 1.0), a, bounds={1: (-10.0, -0.1)}, max_step={0: 0.1})
    torch.testing.assert_close(first.torch(), a.torch().sqrt())
    torch.testing.assert_close(second.torch(), -a.torch().sqrt())


def test_float32_is_computed_in_float64():
    a = Scalar(torch.rand(9, dtype=torch.float32) + 0.5)
    x = neml2.newton(square, 1.0, a)
    assert x.dtype == torch.float32
    torch.testing.assert_close(x.torch(), a.torch().sqrt(), rtol=2e-7, atol=0)


def test_transforms():
    a = torch.rand(4) + 0.5
    root = lambda a: neml2.newton(square, 1.0, Scalar(a)).torch()  # noqa: E731
    torch.testing.assert_close(torch.func.grad(lambda a: root(a).sum())(a), 0.5 / a.sqrt())


def test_matrices():
    A = R2(values(R2, 6))
    root = neml2.newton(lambda X, A: X * X - A, R2(torch.eye(3)), A)
    same(root * root, A, 12)


def refused(residual, guess, *arguments, error=TypeError, **options):
    with pytest.raises(error) as e:
        neml2.newton(residual, guess, *arguments, **options)
    return str(e.value)


def test_errors():
    a = positive(3)
    assert "returned 1 numbers, but there are 3 unknown numbers" in refused(lambda x, a: x(0) - a, Vec.zeros(3), a)
    assert "does not depend on the unknown" in refused(lambda x, a: a * 1.0, 1.0, a, error=ValueError)
    assert "neither the guess nor an argument is a tensor" in refused(square, 1.0, 2.0)
    assert "1 to 24 unknown numbers, or rows of a matrix, not 36" in refused(lambda x, a: x * a, SSR4.zeros(3), a, error=ValueError)
    assert "expected a lower bound below the upper one" in refused(square, 1.0, a, bounds=(1.0, 0.0), error=ValueError)
    assert "bounds is 3. Expected (lower, upper)" in refused(square, 1.0, a, bounds=3)
    assert "max_iterations must be at least 1" in refused(square, 1.0, a, max_iterations=0, error=ValueError)
    assert "unexpected keyword argument" in refused(square, 1.0, a, tolerance=1e-3)
    assert "Pass it as an argument" in refused(lambda x: x * x - a, Scalar.zeros(3))
    kept = []
    keeps = lambda x, a: kept[0] * x if kept else kept.append(x * x) or x * x - a  # noqa: E731
    assert "uses a value outside of the iteration in which it was computed" in refused(keeps, 1.0, a, error=ValueError)


def test_a_residual_that_fails_leaves_its_formula_as_it_was():
    def f(a):
        for residual in (lambda x, a: undefined(x), square):  # noqa: F821
            try:
                return neml2.newton(residual, 1.0, a) + neml2.newton(square, 1.0, a)
            except NameError:
                pass

    a = positive(3)
    torch.testing.assert_close(neml2.vmap(f, a).torch(), 2.0 * a.torch().sqrt())


def test_traces_of_newton_with_bounds_have_gradients():
    def root(q):
        return neml2.newton(lambda x, q: x * x * x + x - q, 0.0, Scalar(q), bounds=(0.0, 2.0)).torch()

    q = torch.tensor([0.4, 0.9], dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(root, (q,), check_trace=False)
    x = root(q)
    q.requires_grad_()
    torch.testing.assert_close(traced(q), x)
    torch.testing.assert_close(torch.autograd.grad(traced(q).sum(), q)[0], 1.0 / (3.0 * x * x + 1.0))
