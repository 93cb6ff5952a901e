# SPDX-License-Identifier: MIT
"""gradient, jacobian and hessian: in formulas, interpreted and compiled, on batches, and differentiated again."""

import functools
import itertools
import re
import typing

import numpy
import pytest
import torch
from formulas_support import arguments, condensed, cubic, energy, hardening_energy, potential, same, strain_of, stress, stress_of
from operations import values
from support import name
from test_formulas import VOCABULARY, function_of

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, Rot, Scalar, Tensor, Vec

one = torch.tensor(1.0, dtype=torch.float64)


def spread(*batch, size=0.2):
    """Symmetric tensors near the identity."""
    s = size * (2.0 * torch.rand(*batch, 6) - 1.0)
    return SR2(s + torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))


# ---- A solid defined by its energy ----


def stress_by_hand(C, mu, K):
    """Source: Holzapfel (2000), Nonlinear Solid Mechanics, eqs. 6.88 to 6.92."""
    J = math.sqrt(math.det(C))
    inverse = math.inv(C)
    one = SR2.identity(dtype=torch.float64)
    return mu * math.pow(J, -2.0 / 3.0) * (one - math.tr(C) / 3.0 * inverse) + K * math.log(J) * inverse


@pytest.mark.parametrize("batch", [(), (0,), (1,), (7, 3)])
def test_a_stress_and_its_tangent_follow_from_an_energy(batch):
    C, mu, K = spread(*batch), Scalar(1.0 + torch.rand(3)), Scalar(torch.tensor(20.0))
    if batch == (0,):
        mu = Scalar(torch.tensor(1.5))
    f, g = neml2.formula(stress), neml2.formula(stress_by_hand)
    same(f(C, mu, K), g(C, mu, K), 13)
    S, tangent = f.value_and_jacobian(C, mu, K)
    T, expected = g.value_and_jacobian(C, mu, K)
    same(S, T, 13)
    same(tangent, expected, 12)
    assert type(S) is SR2 and type(tangent) is SSR4


def test_on_batches_they_are_what_they_are_in_a_formula():
    C, mu, K = spread(5), Scalar(torch.tensor(1.3)), 20.0
    same(2.0 * neml2.gradient(energy, C, mu, K), neml2.vmap(stress, C, mu, K), 14)
    tangent = neml2.value_and_jacobian(stress, C, mu, K)[1]
    same(2.0 * neml2.hessian(energy, C, mu, K), tangent, 13)
    same(neml2.jacobian(stress, C, mu, K), tangent)
    value, slope = neml2.value_and_gradient(energy, C, mu, K)
    same(value, neml2.vmap(energy, C, mu, K))
    same(2.0 * slope, neml2.vmap(stress, C, mu, K), 14)
    same(neml2.gradient(energy, C, K=K, mu=mu, argnums="C"), slope)


def test_autograd_differentiates_them_once_and_again():
    raw, mu, K = spread(4).torch(), torch.tensor(1.3, requires_grad=True), Scalar(torch.tensor(20.0))

    def of(function):
        def f(c, m):
            return neml2.vmap(function, SR2(c), Scalar(m), K).torch()

        return f

    c = raw.clone().requires_grad_()
    weights = torch.rand(4, 6)
    for create_graph in (False, True):
        found = torch.autograd.grad((of(stress)(c, mu) * weights).sum(), (c, mu), create_graph=create_graph)
        expected = torch.autograd.grad((of(stress_by_hand)(c, mu) * weights).sum(), (c, mu), create_graph=create_graph)
        for a, b in zip(found, expected):
            torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-12)
    second = torch.autograd.grad(found[0].square().sum(), (c, mu))
    for a, b in zip(second, torch.autograd.grad(expected[0].square().sum(), (c, mu))):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-11)


def test_other_dtypes_and_transforms_have_them():
    C = spread(4)
    expected = neml2.vmap(stress, C, 1.3, 20.0).torch()
    single = neml2.vmap(stress, SR2(C.torch().float()), 1.3, 20.0).torch()
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), expected, rtol=1e-4, atol=1e-4)
    of_function = torch.func.jacrev(lambda c: neml2.vmap(stress, SR2(c), 1.3, 20.0).torch().sum(0))(C.torch())
    tangent = neml2.value_and_jacobian(stress, C, 1.3, 20.0)[1].torch()
    torch.testing.assert_close(of_function, tangent.movedim(0, 1), rtol=1e-11, atol=1e-11)


# ---- Every function of numbers ----

FUNCTIONS = {
    "sqrt": (math.sqrt, torch.sqrt, 0.1, 3.0),
    "cbrt": (math.cbrt, lambda x: x.sign() * x.abs() ** (1.0 / 3.0), -3.0, 3.0),
    "exp": (math.exp, torch.exp, -3.0, 3.0),
    "expm1": (math.expm1, torch.expm1, -3.0, 3.0),
    "log": (math.log, torch.log, 0.1, 3.0),
    "log1p": (math.log1p, torch.log1p, -0.9, 3.0),
    "log10": (math.log10, torch.log10, 0.1, 3.0),
    "sin": (math.sin, torch.sin, -3.0, 3.0),
    "cos": (math.cos, torch.cos, -3.0, 3.0),
    "tan": (math.tan, torch.tan, -1.4, 1.4),
    "asin": (math.asin, torch.asin, -0.9, 0.9),
    "acos": (math.acos, torch.acos, -0.9, 0.9),
    "atan": (math.atan, torch.atan, -3.0, 3.0),
    "sinh": (math.sinh, torch.sinh, -3.0, 3.0),
    "cosh": (math.cosh, torch.cosh, -3.0, 3.0),
    "tanh": (math.tanh, torch.tanh, -3.0, 3.0),
    "asinh": (math.asinh, torch.asinh, -3.0, 3.0),
    "acosh": (math.acosh, torch.acosh, 1.1, 3.0),
    "atanh": (math.atanh, torch.atanh, -0.9, 0.9),
    "abs": (math.abs, torch.abs, -3.0, 3.0),
    "macaulay": (math.macaulay, torch.relu, -3.0, 3.0),
    "pow": (lambda x: math.pow(x, 3.7), lambda x: x**3.7, 0.1, 3.0),
    "pow of a negative number": (lambda x: math.pow(x, 3), lambda x: x**3, -3.0, 3.0),
    "exponential": (lambda x: math.pow(1.7, x), lambda x: 1.7**x, -3.0, 3.0),
    "power": (lambda x: math.pow(x, x), lambda x: x**x, 0.1, 3.0),
    "divide": (lambda x: 1.0 / x - x / (1.0 + x * x), lambda x: 1.0 / x - x / (1.0 + x * x), 0.1, 3.0),
    "atan2": (lambda x: math.atan2(x, 1.0 - x), lambda x: torch.atan2(x, 1.0 - x), -3.0, 3.0),
    "hypot": (lambda x: math.hypot(x, 1.0 - x), lambda x: torch.hypot(x, 1.0 - x), -3.0, 3.0),
    "fmod": (lambda x: math.fmod(x, 0.7) * x, lambda x: torch.fmod(x, 0.7) * x, -3.0, 3.0),
    "maximum": (lambda x: math.maximum(x * x, x + 0.5), lambda x: torch.maximum(x * x, x + 0.5), -3.0, 3.0),
    "minimum": (lambda x: math.minimum(x * x, x + 0.5), lambda x: torch.minimum(x * x, x + 0.5), -3.0, 3.0),
    "where": (lambda x: math.where(x > 0.3, x * x, math.sin(x)), lambda x: torch.where(x > 0.3, x * x, torch.sin(x)), -3.0, 3.0),
}


def derivative(f, order):
    for _ in range(order):
        f = (lambda g: lambda x: neml2.gradient(g, x))(f)
    return f


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numbers_have_derivatives_of_any_order(name):
    ours, of_torch, lower, upper = FUNCTIONS[name]
    x = torch.linspace(lower, upper, 23).requires_grad_()
    expected = of_torch(x)
    for order in range(1, 4):
        if expected.requires_grad:
            expected = torch.autograd.grad(expected.sum(), x, create_graph=True)[0]
        else:
            expected = torch.zeros_like(x)
        found = neml2.vmap(derivative(ours, order), Scalar(x.detach())).torch()
        torch.testing.assert_close(found, expected.detach(), rtol=1e-10, atol=1e-11, msg=lambda m, k=order: f"{name}, {k}: {m}")


@pytest.mark.parametrize(
    "f, at, expected",
    [
        (lambda x: x * math.abs(x), 0.0, 0.0),
        (lambda x: math.macaulay(x) * x, -1.0, 0.0),
        (lambda x: math.where(x > 0.0, math.sqrt(x), x * x), 0.0, 2.0),
        (lambda x: math.where(x > 0.0, x * math.log(x), 0.0), 0.0, 0.0),
        (lambda x: math.pow(x, 2), 0.0, 2.0),
        (lambda x: math.pow(x, 2.0), 0.0, 2.0),
        (lambda x: math.exp(-x * x), 0.0, -2.0),
        (lambda x: math.sqrt(x), 0.0, None),
    ],
    ids=itertools.count(),
)
def test_second_derivatives_at_special_points(f, at, expected):
    x = Scalar(torch.tensor([at, 0.5]))
    found = neml2.hessian(f, x).torch()
    assert found[0] == expected if expected is not None else not found[0].isfinite()
    assert found[1].isfinite()


def test_a_weight_of_zero_does_not_hide_a_derivative():
    """√x y has the derivative 1 / (2 √x) by x and y, also where y is 0."""
    x, y = Scalar(torch.tensor(4.0)), Scalar(torch.tensor(0.0))
    blocks = neml2.hessian(lambda a, b: math.sqrt(a) * b, x, y, argnums=(0, 1))
    assert [[float(b.torch()) for b in row] for row in blocks] == [[0.0, 0.25], [0.25, 0.0]]


def test_variables_of_different_levels_are_not_confused():
    """Source: Siskind and Pearlmutter (2005), Perturbation confusion and referential transparency."""
    x = Scalar(torch.tensor([0.5, 2.0]))
    same(neml2.gradient(lambda a: a * neml2.gradient(lambda b: a + b, a), x), Scalar.ones())
    same(neml2.gradient(lambda a: a * neml2.gradient(lambda b: a * b * b, a), x), 6.0 * x * x)  # a 2 a²
    captured = neml2.vmap(lambda a: neml2.gradient(lambda b: neml2.gradient(lambda c: a * b * c * c, b), a), x)
    same(captured, 4.0 * x * x)  # ∂(2 a b²)/∂b at b = a


# ---- Functions of tensors ----

a_matrix = R2(torch.tensor([[0.3, -0.2, 0.5], [0.1, 0.7, -0.4], [0.6, 0.2, -0.1]]))
a_symmetric = SR2(torch.tensor([0.3, -0.5, 0.7, 0.2, -0.4, 0.6]))

ISOTROPIC = {
    "expm": math.expm,
    "logm": math.logm,
    "sqrtm": math.sqrtm,
    "powm": lambda s: math.powm(s, 1.3),
    "inv": math.inv,
    "the exponent of powm": lambda s: math.powm(SR2.fill(1.2, 0.9, 1.1), math.tr(s)),
}
STRETCHES = {
    "of three eigenvalues": [1.3, 0.9, 1.1, 0.1, -0.2, 0.05],
    "of two": [1.3, 1.3, 0.8, 0.0, 0.0, 0.0],
    "of two, turned": [1.05, 1.05, 1.05, 0.3, 0.3, 0.3],
    "of nearly two": [1.3, 1.3 + 1e-9, 0.8, 0.0, 0.0, 0.0],
    "of one": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
    "of nearly one": [1.0, 1.0, 1.0, 1e-9, 0.0, -1e-9],
}


def by_differences(f, x, h=1e-5):
    """The derivative of f by the numbers of x, by central differences of fourth order."""
    columns = []
    for k in range(x.shape[-1]):
        e = torch.zeros(x.shape[-1])
        e[k] = h
        columns.append((8.0 * (f(x + e) - f(x - e)) - (f(x + 2.0 * e) - f(x - 2.0 * e))) / (12.0 * h))
    return torch.stack(columns, -1)


@pytest.mark.parametrize("name", ISOTROPIC)
@pytest.mark.parametrize("at", STRETCHES)
def test_functions_of_symmetric_tensors_are_exact_at_equal_eigenvalues(name, at):
    def of(s):
        return math.inner(ISOTROPIC[name](s), a_symmetric)

    slope = neml2.formula(lambda s: neml2.gradient(of, s))
    x = torch.tensor(STRETCHES[at])
    found, H = slope.value_and_jacobian(SR2(x))
    torch.testing.assert_close(found.torch(), neml2.value_and_jacobian(of, SR2(x))[1].torch(), rtol=1e-13, atol=1e-14)
    torch.testing.assert_close(H.torch(), by_differences(lambda y: slope(SR2(y)).torch(), x), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(H.torch(), H.torch().mT, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "f",
    [math.det, math.norm, math.norm_sq, math.von_mises, lambda s: math.sqrt(math.norm_sq(math.dev(s))), math.J2],
    ids=["det", "norm", "norm_sq", "von_mises", "root of a square", "J2"],
)
def test_invariants_have_second_derivatives(f):
    s = SR2(torch.tensor([[0.4, -0.3, 0.8, 0.1, 0.2, -0.5], [0.7, 0.7, 0.7, 0.1, 0.0, 0.0]]))
    H = neml2.hessian(f, s).torch()
    slope = neml2.formula(lambda x: neml2.gradient(f, x))
    expected = by_differences(lambda y: slope(SR2(y)).torch(), s.torch())
    torch.testing.assert_close(H, expected, rtol=1e-8, atol=1e-8)


def test_a_norm_of_zero_has_derivatives_of_zero():
    s = SR2(torch.zeros(2, 6))
    assert neml2.gradient(math.norm, s).torch().eq(0.0).all()
    assert neml2.hessian(math.norm, s).torch().eq(0.0).all()


def test_the_second_derivative_of_a_ramp_follows_the_first_at_its_corner():
    x = Scalar(torch.tensor([-1.0, 0.0, 1.0]))
    found = neml2.value_and_gradient(lambda a: math.macaulay(a) ** 2, x)
    assert found[0].torch().tolist() == [0.0, 0.0, 1.0] and found[1].torch().tolist() == [0.0, 0.0, 2.0]
    assert neml2.hessian(lambda a: math.macaulay(a) ** 2, x).torch().tolist() == [0.0, 0.5, 2.0]
    assert neml2.hessian(lambda a: math.maximum(a, 0.0) ** 2, x).torch().tolist() == [0.0, 0.0, 2.0]


def by_vectors(s):
    l, V = math.eigh(s)
    return math.ieigh(Vec.fill(math.exp(l(0)), math.exp(l(1)), math.exp(l(2))), V)


def test_eigenvectors_of_equal_eigenvalues_have_no_derivative():
    s = SR2(torch.tensor([[1.4, 0.7, 2.0, 0.3, -0.2, 0.25], [2.0, 2.0, 3.0, 0.0, 0.0, 0.0]]))
    for f in (by_vectors, lambda x: neml2.isotropic(lambda l: Vec.fill(math.exp(l(0)), math.exp(l(1)), math.exp(l(2))), x)):
        for J in (neml2.value_and_jacobian(f, s)[1], neml2.jacobian(f, s), neml2.vmap(lambda x: neml2.jacobian(f, x), s)):
            torch.testing.assert_close(J.torch()[0], neml2.jacobian(math.expm, s).torch()[0], rtol=1e-12, atol=1e-12)
            assert J.torch()[1].isnan().any().item() == (f is by_vectors)  # not silently without the shear of the two
        # The weights of the eigenvectors are 0 where the function of equal eigenvalues is, or where its other eigenvalue is.
        x = s.torch().clone().requires_grad_()
        ((neml2.vmap(f, SR2(x)).torch() - math.expm(s).torch()) * torch.arange(1.0, 7.0)).sum().backward()
        assert x.grad[0].isfinite().all() and x.grad[1].isnan().any().item() == (f is by_vectors)


def test_eigenvectors_that_a_where_drops_have_no_part_in_gradients():
    def f(x):
        l = math.eigenvalues(x)
        return math.where(math.minimum(l(1) - l(0), l(2) - l(1)) > 0.0, by_vectors(x), 2.0 * x)

    x = torch.tensor([[1.4, 0.7, 2.0, 0.3, -0.2, 0.25], [2.0, 2.0, 3.0, 0.0, 0.0, 0.0], [0.0] * 6], requires_grad=True)
    w = torch.arange(1.0, 7.0)
    (neml2.vmap(f, SR2(x)).torch() * w).sum().backward()
    torch.testing.assert_close(x.grad[1:], 2.0 * w.expand(2, 6))
    assert x.grad[0].isfinite().all()


@pytest.mark.parametrize(
    "outer, slope",
    [(lambda w: w * w, lambda w: 2.0 * w), (math.exp, math.exp), (lambda w: 3.0 * w, lambda w: 3.0 + 0.0 * w)],
    ids=["square", "exp", "multiple"],
)
def test_a_function_of_a_function_of_eigenvalues(outer, slope):
    """Source: the trace, which is also a sum of eigenvalues."""
    s = SR2(torch.tensor([[0.3, 0.2, 0.1, 0.4, 0.5, 0.6], [0.5, 0.5, 0.5, 0.0, 0.0, 0.0]]))

    def trace(x):
        return neml2.isotropic(lambda l: l(0) + l(1) + l(2), x)

    one = torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    expected = slope(math.tr(s)).torch()[:, None] * one
    for f in (lambda x: outer(trace(x)), neml2.formula(lambda x: outer(trace(x)), backend="interpreter")):
        same(neml2.gradient(f, s), SR2(expected), 13)
        same(neml2.value_and_jacobian(f, s)[1], SR2(expected), 13)
        same(neml2.hessian(f, s), neml2.hessian(lambda x: outer(math.tr(x)), s), 12)


def test_what_is_infinite_within_a_function_is_not_lost():
    """The function is x, but its derivative is a product of 0 and infinity: the gradient is NaN like the Jacobian, and not 0."""
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    for f in (lambda a: math.sqrt(a) ** 2, lambda a: math.sqrt(a) * math.sqrt(a), lambda a: math.pow(math.cbrt(a), 3.0)):
        (g,) = torch.autograd.grad(neml2.vmap(f, Scalar(x)).torch().sum(), x)
        assert g[0].isnan()
        torch.testing.assert_close(g[1], torch.tensor(1.0))


def test_hessians_of_torch_are_those_of_the_library_at_special_points():
    def both(f, kind, x):
        def raw(t):
            return neml2.vmap(f, kind(t)).torch()

        expected = neml2.hessian(f, kind(x)).torch()
        for found in (torch.func.hessian(raw)(x), torch.func.jacrev(torch.func.jacrev(raw))(x), torch.func.jacfwd(torch.func.jacfwd(raw))(x)):
            torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)

    for x in (-1.0, 0.5):
        both(lambda a: math.where(a > 0.0, math.sqrt(a), a * a), Scalar, torch.tensor(x))
    both(lambda C: math.norm_sq(math.logm(C)), SR2, torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
    both(lambda C: math.norm_sq(math.sqrtm(C)), SR2, torch.tensor([1.1, 0.9, 1.0, 0.1, 0.0, 0.2]))


def test_weights_of_zero_from_outside_have_derivatives():
    def f(t):
        return neml2.vmap(lambda C: math.tr(math.logm(C)), SR2(t)).torch() ** 2

    def g(t):
        value = neml2.vmap(lambda a: math.where(a > 0.5, math.log(a), 0.0 * a), Scalar(t)).torch()
        return value**2

    x = torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    expected = torch.zeros(6, 6)
    expected[:3, :3] = 2.0
    torch.testing.assert_close(torch.func.hessian(f)(x), expected)
    torch.testing.assert_close(torch.func.jacrev(torch.func.jacrev(f))(x), expected)
    torch.testing.assert_close(torch.func.hessian(g)(torch.tensor(1.0)), torch.tensor(2.0))


def test_rows_of_weight_zero_have_no_part_in_second_derivatives():
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    y = neml2.vmap(math.sqrt, Scalar(x)).torch()
    (g,) = torch.autograd.grad((torch.tensor([0.0, 1.0]) * y).sum(), x, create_graph=True)
    g.sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([0.0, -1.0 / 32.0]))


class Law:
    k = 1.0

    @neml2.formula
    def energy(self, a, b):
        return self.k * a * a * b


def test_arguments_of_methods_have_their_names():
    o, a, b = Law(), Scalar(torch.tensor(2.0)), Scalar(torch.tensor(5.0))
    for f in (o.energy, neml2.formula(lambda a, b: a * a * b), lambda a, b: a * a * b):
        assert neml2.gradient(f, a, b, argnums="a").torch() == 20.0
        assert neml2.gradient(f, a, b, argnums="b").torch() == 4.0
        assert neml2.gradient(f, a, b=b).torch() == 20.0
        assert neml2.hessian(f, a, b, argnums="a").torch() == 10.0
        assert neml2.vmap(lambda x, y: neml2.value_and_jacobian(f, x, y, argnums="a")[1], a, b).torch() == 20.0
        with pytest.raises(TypeError, match=r"argnums is \(0, 'a'\), which has an argument twice"):
            neml2.gradient(f, a, b, argnums=(0, "a"))


def test_keywords_after_omitted_defaults():
    def f(a, k=None, mode="square"):
        return a * a if mode == "square" else a * a * a

    a = Scalar(torch.tensor(2.0))
    assert neml2.gradient(f, a, mode="cube").torch() == 12.0
    assert neml2.hessian(f, a).torch() == 2.0


    def g(a, k=None, mode="square"):  # the default that follows is left to the function
        return f(a, mode=mode) * (1.0 if k is None else k)

    assert neml2.gradient(g, a=a, k=3.0).torch() == 12.0


def test_arguments_are_those_of_the_outermost_function_that_names_them():
    o, a, b = Law(), Scalar(torch.tensor(2.0)), Scalar(torch.tensor(5.0))

    def decorated(f):
        @functools.wraps(f)
        def call(*arguments, **keywords):
            return f(*arguments, **keywords)

        return call

    @functools.wraps(o.energy)
    def exchanged(b, a):
        return o.energy(a, b)

    of_partial = functools.update_wrapper(functools.partial(lambda k, a, b: k * a * a * b, 1.0), o.energy)
    for f in (decorated(o.energy), decorated(decorated(lambda a, b: a * a * b)), exchanged, of_partial):
        for call in (f, neml2.formula(f)):
            x = (b, a) if f is exchanged else (a, b)
            assert neml2.gradient(call, *x, argnums="a").torch() == 20.0
            assert neml2.gradient(call, *x, argnums="b").torch() == 4.0
            assert neml2.gradient(call, x[0], **{"a" if f is exchanged else "b": x[1]}, argnums="a").torch() == 20.0
            assert neml2.vmap(call, a=a, b=b).torch() == 20.0


def test_positional_only_arguments_have_no_names():
    def f(x, /, **options):
        return x * x

    with pytest.raises(TypeError, match="positional only|missing a required argument|passed by place"):
        neml2.gradient(f, x=Scalar(torch.tensor(2.0)))


def test_names_for_a_function_without_a_signature_are_refused():
    with pytest.raises(TypeError, match="gradient: a: .* does not say the names of its arguments. Pass them by place"):
        neml2.gradient(max, a=Scalar(torch.tensor(2.0)))


def test_rows_with_nan_stay_alone():
    x = spread(3).torch()
    expected = neml2.hessian(energy, SR2(x), 1.0, 2.0).torch()
    x[1, 2] = numpy.nan
    found = neml2.hessian(energy, SR2(x), 1.0, 2.0).torch()
    assert found[1].isnan().any() and found[[0, 2]].equal(expected[[0, 2]])


def ogden(C, mu, alpha):
    l = math.eigenvalues(C)
    return mu / alpha * (math.pow(l(0), 0.5 * alpha) + math.pow(l(1), 0.5 * alpha) + math.pow(l(2), 0.5 * alpha) - 3.0)


def test_energies_of_eigenvalues_have_stresses_and_tangents_where_they_differ():
    C = SR2(torch.tensor([[1.3, 0.9, 1.1, 0.1, -0.2, 0.05], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [1.2, 1.2, 0.8, 0.0, 0.0, 0.0]]))
    by_powers = neml2.formula(lambda c, mu, a: mu / a * (math.tr(math.powm(c, 0.5 * a)) - 3.0))
    same(neml2.gradient(ogden, C, 1.5, 2.6), neml2.gradient(by_powers, C, 1.5, 2.6), 13)
    found, expected = neml2.hessian(ogden, C, 1.5, 2.6).torch(), neml2.hessian(by_powers, C, 1.5, 2.6).torch()
    torch.testing.assert_close(found[0], expected[0], rtol=1e-12, atol=1e-12)
    assert expected.isfinite().all()
    assert found[1].isnan().any() and found[2].isnan().any()  # eigenvectors of equal eigenvalues have no derivative: not silently wrong


def by_powers(C, mu, alpha):
    return mu / alpha * (math.tr(math.powm(C, 0.5 * alpha)) - 3.0)


def of_stretches(l, mu, alpha):
    return mu / alpha * (math.pow(l(0), 0.5 * alpha) + math.pow(l(1), 0.5 * alpha) + math.pow(l(2), 0.5 * alpha) - 3.0)


@pytest.mark.parametrize("at", STRETCHES)
def test_functions_of_eigenvalues_are_exact_where_they_are_equal(at):
    C, mu = SR2(torch.tensor(STRETCHES[at])), Scalar(torch.tensor(1.5))

    def W(c, m, a):
        return neml2.isotropic(of_stretches, c, m, a)

    def in_its_place(c, m, a):  # uses variables of the enclosing function
        return neml2.isotropic(lambda l: of_stretches(l, m, a), c)

    for f in (W, in_its_place):
        same(neml2.vmap(f, C, mu, 2.6), by_powers(C, mu, Scalar(torch.tensor(2.6))), 13)
        for x, y in zip(neml2.gradient(f, C, mu, 2.6, argnums=(0, 1)), neml2.gradient(by_powers, C, mu, 2.6, argnums=(0, 1))):
            same(x, y, 13)
        H, expected = neml2.hessian(f, C, mu, 2.6, argnums=(0, 1)), neml2.hessian(by_powers, C, mu, 2.6, argnums=(0, 1))
        for x, y in zip((*H[0], *H[1]), (*expected[0], *expected[1])):
            same(x, y, 12)
    raw = C.torch().clone().requires_grad_()
    slope = torch.autograd.grad(neml2.isotropic(of_stretches, SR2(raw), mu, 2.6).torch(), raw)[0]
    same(slope, neml2.gradient(by_powers, C, mu, 2.6), 13)


def test_tensors_of_eigenvalues_are_as_those_of_the_library():
    def root(l):
        mean = l(0) * l(1) * l(2)  # each value depends on all eigenvalues
        return Vec.fill(math.sqrt(l(0)), math.sqrt(l(1)), math.sqrt(l(2))) * mean

    s = SR2(torch.tensor(list(STRETCHES.values())))
    found, J = neml2.value_and_jacobian(lambda x: neml2.isotropic(root, x), s)
    expected, K = neml2.value_and_jacobian(lambda x: math.det(x) * math.sqrtm(x), s)
    same(found, expected, 13)
    same(J, K, 12)
    same(
        neml2.gradient(lambda x: math.norm_sq(neml2.isotropic(root, x)), s),
        neml2.gradient(lambda x: math.norm_sq(math.det(x) * math.sqrtm(x)), s),
        12,
    )
    with pytest.raises(ValueError, match="a function of eigenvalues, isotropic, has two derivatives"):
        neml2.value_and_jacobian(lambda x: neml2.gradient(lambda y: math.norm_sq(neml2.isotropic(root, y)), x), s)
    with pytest.raises(TypeError, match="isotropic: the tensor is a Vec. Expected an SR2"):
        neml2.isotropic(root, Vec(torch.rand(3)))
    with pytest.raises(TypeError, match="isotropic: the function returned an? SR2. Expected a scalar, or a Vec"):
        neml2.isotropic(lambda l: SR2.fill(l(0)), s)


def test_hencky_energy():
    F = R2(torch.eye(3) + 0.2 * torch.rand(4, 3, 3))

    def W(f):
        return math.norm_sq(math.hencky_strain(f))

    def by_logarithm(f):
        return 0.25 * math.norm_sq(math.logm(math.right_cauchy_green(f)))

    same(neml2.gradient(W, F), neml2.gradient(by_logarithm, F), 13)
    same(neml2.hessian(W, F), neml2.hessian(by_logarithm, F), 12)


# ---- Systems, and newton ----


@pytest.mark.parametrize("f", [lambda A, b: math.inner(math.solve(A, b), b), lambda A, b: math.log(math.det(A)) + math.norm(b)])
@pytest.mark.parametrize("kind, other", [(R2, Vec), (SSR4, SR2)])
def test_systems_have_second_derivatives(f, kind, other):
    A, b = kind(values(kind, 3)), other(values(other, 3))
    n = A.base.shape.numel() if hasattr(A.base.shape, "numel") else int(numpy.prod(A.base.shape))
    (by_A, by_b) = neml2.gradient(f, A, b, argnums=(0, 1))
    blocks = neml2.hessian(f, A, b, argnums=(0, 1))
    slope = neml2.formula(lambda a, c: neml2.gradient(f, a, c, argnums=(0, 1)))
    shape = A.torch().shape
    for i in range(2):
        by_matrix = by_differences(lambda y: slope(kind(y.reshape(shape)), b)[i].torch().flatten(1), A.torch().flatten(1), 1e-4)
        torch.testing.assert_close(blocks[i][0].torch().reshape(by_matrix.shape), by_matrix, rtol=1e-6, atol=1e-6)
        by_vector = by_differences(lambda y: slope(A, other(y))[i].torch().flatten(1), b.torch(), 1e-4)
        torch.testing.assert_close(blocks[i][1].torch().reshape(by_vector.shape), by_vector, rtol=1e-6, atol=1e-6)
    assert by_A.torch().numel() == 3 * n and type(by_b) is other


def test_equations_have_gradients_in_them():
    strain, k = SR2(0.3 * (2.0 * torch.rand(9, 6) - 1.0)), Scalar(torch.tensor(0.5))
    f = neml2.formula(stress_of)
    found, tangent = f.value_and_jacobian(strain, k)
    same(neml2.vmap(strain_of, found, k), strain, 12)
    compliance = neml2.hessian(potential, found, k)
    same(math.inv(compliance), tangent, 11)
    raw = strain.torch().clone().requires_grad_()
    slope = torch.autograd.grad(f(SR2(raw), k).torch().sum(), raw)[0]
    torch.testing.assert_close(slope, tangent.torch().sum(-2), rtol=1e-11, atol=1e-11)


def test_what_newton_found_may_be_used_in_a_gradient():
    """W(y; x) with y = x³ found by newton outside of it: ∂W/∂y, differentiated by x."""

    def f(x):
        y = neml2.newton(lambda u, a: u - a * a * a, x, x)
        captured = neml2.gradient(lambda z: z * z * y, x)  # 2 x y
        return neml2.gradient(lambda u, a: u * u * a, y, x) + captured  # 2 y x

    x = Scalar(torch.tensor([0.5, 2.0]))
    value, slope = neml2.value_and_jacobian(f, x)
    same(value, 4.0 * math.pow(x, 4), 13)
    same(slope, 16.0 * math.pow(x, 3), 13)


# ---- newton in a function that is differentiated ----


def root_of_cubic(a):
    """u of u³ + u = a, for the guess a, and its first three derivatives. Source: the implicit function theorem."""
    u = a.clone()
    for _ in range(100):
        u = u - (u**3 + u - a) / (3 * u**2 + 1)
    d = 1 / (3 * u**2 + 1)
    return u, d, -6 * u * d**3, (-6 * d**4 + 108 * u**2 * d**5)


def test_newton_in_a_function_that_is_differentiated():
    a = Scalar(torch.tensor([-2.0, 0.0, 0.5, 3.0, 1e3]))
    u, du, ddu, dddu = root_of_cubic(a.torch())
    f = lambda a: neml2.newton(cubic, a, a)  # noqa: E731
    torch.testing.assert_close(neml2.gradient(f, a).torch(), du, rtol=1e-12, atol=0)
    value, slope = neml2.value_and_gradient(f, a)
    torch.testing.assert_close(value.torch(), u, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(slope.torch(), du, rtol=1e-12, atol=0)
    torch.testing.assert_close(neml2.hessian(f, a).torch(), ddu, rtol=1e-10, atol=1e-15)
    third = neml2.vmap(lambda a: neml2.gradient(lambda b: neml2.hessian(f, b), a), a)
    torch.testing.assert_close(third.torch(), dddu, rtol=1e-9, atol=1e-15)
    value, slope = neml2.value_and_jacobian(lambda a: neml2.gradient(f, a), a)
    torch.testing.assert_close(slope.torch(), ddu, rtol=1e-10, atol=1e-15)
    raw = a.torch().clone().requires_grad_()
    y = neml2.gradient(f, Scalar(raw)).torch()
    found = torch.autograd.grad(y.sum(), raw, create_graph=True)[0]
    torch.testing.assert_close(found.detach(), ddu, rtol=1e-10, atol=1e-15)
    torch.testing.assert_close(torch.autograd.grad(found.sum(), raw)[0], dddu, rtol=1e-9, atol=1e-15)


def test_an_energy_that_newton_makes_least_gives_stress_and_tangent():
    e, k = SR2(torch.randn(7, 6, dtype=torch.float64)), Scalar(torch.rand(7) + 0.5)
    p = neml2.newton(lambda p, e, k: neml2.gradient(lambda q: hardening_energy(e, q, k), p), 0.5 * e, e, k)
    # at the least energy the derivative by p vanishes: dW/de = ∂ψ/∂e, and d²W/de² is the Schur complement of the Hessian
    same(neml2.gradient(condensed, e, k), neml2.gradient(hardening_energy, e, p, k), 10)
    (ee, ep), (pe, pp) = neml2.hessian(hardening_energy, e, p, k, argnums=(0, 1))
    same(neml2.hessian(condensed, e, k), ee - ep * math.inv(pp) * pe, 9)


def test_newton_in_newton_in_a_function_that_is_differentiated():
    def outer(y, a):  # y = u(a) / 2 + sin(u(y)) / 4
        return y - 0.5 * neml2.newton(cubic, a, a) - 0.25 * math.sin(neml2.newton(cubic, y, y))

    a = torch.tensor([-1.0, 0.3, 2.0], dtype=torch.float64)
    y, (ua, da, dda, _) = a.clone(), root_of_cubic(a)
    for _ in range(200):
        y = 0.5 * ua + 0.25 * torch.sin(root_of_cubic(y)[0])
    uy, dy, ddy, _ = root_of_cubic(y)
    g1 = 0.25 * uy.cos() * dy
    g2 = 0.25 * (uy.cos() * ddy - uy.sin() * dy**2)
    first = 0.5 * da / (1 - g1)
    second = (0.5 * dda + g2 * first**2) / (1 - g1)
    f = lambda a: neml2.newton(outer, a, a)  # noqa: E731
    torch.testing.assert_close(neml2.gradient(f, Scalar(a)).torch(), first, rtol=1e-9, atol=0)
    torch.testing.assert_close(neml2.hessian(f, Scalar(a)).torch(), second, rtol=1e-8, atol=0)


def test_what_newton_reports_may_be_used_in_a_function_that_is_differentiated():
    def f(a):
        r = neml2.newton_report(lambda u, a: math.atan(u) - a, 0.0 * a, a, max_iterations=30)
        return math.where(r.converged, r.solution * r.solution, 7.0 * a) + 0.0 * r.iterations

    a = torch.tensor([0.25, -1.0, 2.0], dtype=torch.float64)  # the last has no solution
    t = torch.tan(a)
    first = torch.where(a < 1.5, 2 * t * (1 + t**2), 7.0)
    second = torch.where(a < 1.5, 2 * (1 + t**2) ** 2 + 4 * t**2 * (1 + t**2), 0.0)
    torch.testing.assert_close(neml2.gradient(f, Scalar(a)).torch(), first, rtol=1e-9, atol=0)
    torch.testing.assert_close(neml2.hessian(f, Scalar(a)).torch(), second, rtol=1e-9, atol=0)


def test_rows_without_a_solution_are_nan_alone():
    a = torch.tensor([0.25, 2.0, -1.0], dtype=torch.float64)
    f = lambda a: neml2.newton(lambda u, a: math.atan(u) - a, 0.0 * a, a)  # noqa: E731
    for found in (neml2.gradient(f, Scalar(a)), neml2.hessian(f, Scalar(a))):
        assert found.torch().isnan().tolist() == [False, True, False]


def test_a_guess_and_options_that_matter_are_kept():
    """u² = a has two roots: the guess and the bounds choose."""
    a = Scalar(torch.tensor([4.0, 9.0]))
    for sign in (1.0, -1.0):
        by_guess = lambda a, s=sign: neml2.newton(lambda u, a: u * u - a, s * a, a)  # noqa: E731
        by_bounds = lambda a, s=sign: neml2.newton(  # noqa: E731
            lambda u, a: u * u - a, s, a, bounds=(0.0, 100.0) if s > 0 else (-100.0, 0.0)
        )
        for f in (by_guess, by_bounds):
            same(neml2.gradient(f, a), sign * 0.5 / math.sqrt(a), 12)
            same(neml2.hessian(f, a), -sign * 0.25 * math.pow(a, -1.5), 11)


# ---- Arguments and results ----


class Pair(typing.NamedTuple):
    a: Scalar
    v: Vec
    n: float


def test_groups_names_and_several_arguments():
    p = Pair(Scalar(torch.tensor([2.0, 3.0])), Vec(torch.rand(2, 3)), 4.0)
    b = Scalar(torch.tensor([0.5, 0.25]))

    def W(pair, other):
        return pair.n * pair.a * pair.a * other * math.norm_sq(pair.v)

    by = neml2.gradient(W, p, b)
    assert type(by) is Pair and by.n is None
    square = math.norm_sq(p.v)
    same(by.a, 8.0 * p.a * b * square, 14)
    same(by.v, 8.0 * p.a * p.a * b * p.v, 14)
    slopes = neml2.gradient(W, p, b, argnums=("other", 0))
    same(slopes[0], 4.0 * p.a * p.a * square, 14)
    same(slopes[1].a, by.a)
    H = neml2.hessian(W, p, b)
    same(H.a.a, 8.0 * b * square, 14)
    same(H.a.v, 16.0 * p.a * b * p.v, 14)
    assert H.n is None and H.v.n is None and H.v.v.base.shape == (3, 3)
    same(neml2.hessian(W, p, b, argnums=(0, 1))[1][0].a, 8.0 * p.a * square, 14)


def test_value_and_jacobian_in_a_formula():
    s = spread(4)

    def f(x):
        (value, twice), J = neml2.value_and_jacobian(lambda y: (math.dev(y), 2.0 * math.tr(y)), x, of=0)
        assert J.type is SSR4
        return J * value + twice * x

    same(neml2.vmap(f, s), math.dev(s) + 2.0 * math.tr(s) * s, 14)
    formula = neml2.formula(lambda x, y: x * y)
    a, b = Scalar(torch.rand(3)), Scalar(torch.rand(3))
    same(neml2.vmap(lambda x, y: formula.value_and_jacobian(x, y, argnums="y")[1], a, b), a)


def test_rotations_and_plain_tensors():
    r = Rot(0.3 * torch.rand(3, 3))
    v = Vec(torch.rand(3, 3))

    def W(rot, x):
        return math.inner(x.rotate(rot), Vec.fill(1.0, 2.0, 3.0))

    found = neml2.gradient(W, r, v).torch()
    torch.testing.assert_close(
        found, by_differences(lambda y: neml2.vmap(W, Rot(y), v).torch()[..., None], r.torch())[..., 0, :], rtol=1e-9, atol=1e-9
    )
    t = Tensor(torch.rand(3, 2, 4), 1)
    H = neml2.hessian(lambda x: math.base_sum(x * x * x, 0).base[0] * 1.0, t)
    assert H.base.shape == (2, 4, 2, 4)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda s: neml2.gradient(math.dev, s), "gradient: the function returned an SR2. Expected a scalar: jacobian is for tensors"),
        (lambda s: neml2.hessian(math.dev, s), "hessian: the function returned an SR2. Expected a scalar"),
        (lambda s: neml2.gradient(lambda x: (math.tr(x), x), s), "gradient: the function returned a tuple of 2 tensors"),
        (lambda s: neml2.gradient(math.norm, s, argnums=1), "argnums is 1. Expected the places of tensors among the 1 arguments"),
        (lambda s: neml2.gradient(math.norm, s, argnums=()), "argnums is \\(\\). Expected the place or the name"),
        (lambda s: neml2.gradient(lambda x, n: math.norm(x) * n, s, 2.0, argnums="n"), "argument 1 of argnums is a plain number"),
        (lambda s: neml2.gradient(lambda x: x, 2.0), "gradient: no argument is a tensor of this library"),
    ],
    ids=itertools.count(),
)
def test_what_cannot_be_differentiated_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call(spread(2))


def test_third_derivatives_of_functions_of_tensors_are_refused():
    def third(f, kind):
        at = kind(values(kind, 2))
        return neml2.jacobian(lambda s: neml2.hessian(f, s), at)

    for f in (math.expm, math.logm, math.sqrtm, lambda s: math.powm(s, 1.5)):
        with pytest.raises(ValueError, match="third derivative of a function of a symmetric tensor"):
            third(lambda s, f=f: math.tr(f(s)), SR2)
    with pytest.raises(ValueError, match="second derivative of expm, logm and sqrtm of an R2"):
        neml2.hessian(lambda a: math.tr(math.expm(a)), R2(values(R2, 2)))


# ---- Every function ----

HAVE_ONE_DERIVATIVE = {"dexpm", "dlogm", "dsqrtm", "expm", "logm", "sqrtm"}  # one derivative for some types
REFUSED = "third derivative of a function|second derivative of expm, logm and sqrtm of an R2"


SMALL = [(f, types) for f, types in VOCABULARY if sum(t.zeros().torch().numel() for t in types) <= 45]


@pytest.mark.parametrize("operation, types", SMALL, ids=lambda x: x if isinstance(x, str) else "-".join(map(name, x)))
def test_the_second_derivatives_of_every_function_are_those_of_differences(operation, types):
    """The results are combined into one number. Its first derivatives are those of the Jacobian of the operation."""
    f = function_of(operation, types)

    def W(*x):
        returned = f(*x)
        total = 0.0
        for k, r in enumerate(returned if isinstance(returned, tuple) else (returned,)):
            total = total + (1.0 + 0.3 * k) * (math.sin(r) * r if r.type is Scalar else math.inner(math.sin(r), r))
        return total

    x = arguments(types, 2)
    places = tuple(range(len(x)))
    slope = neml2.formula(lambda *a: neml2.gradient(W, *a, argnums=places), backend="interpreter")
    try:
        (found, H) = slope.value_and_jacobian(*x, argnums=places)
    except ValueError as e:
        if "1,048,576 operations" in str(e):
            assert SSR4 in types  # 36 numbers have 1296 second derivatives
        else:
            assert re.search(REFUSED, str(e)) and operation in HAVE_ONE_DERIVATIVE, e
        return
    for a, b in zip(found, neml2.value_and_jacobian(W, *x, argnums=places)[1] if len(places) > 1 else [neml2.value_and_jacobian(W, *x)[1]]):
        same(a, b, 12)
    for k, kind in enumerate(types):
        raw = x[k].torch()

        def at(y, k=k, kind=kind, shape=raw.shape):
            changed = [*x[:k], kind(y.reshape(shape)), *x[k + 1 :]]
            return torch.cat([g.torch().reshape(2, -1) for g in slope(*changed)], 1)

        expected = by_differences(at, raw.reshape(2, -1), 1e-4)
        parts = [H[i * len(places) + k].torch() for i in places]
        blocks = torch.cat([p.reshape(2, -1, raw[0].numel()) for p in parts], 1)
        torch.testing.assert_close(blocks, expected, rtol=1e-6, atol=1e-6 * (1.0 + expected.abs().max().item()))
