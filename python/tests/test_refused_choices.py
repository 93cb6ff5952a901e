# SPDX-License-Identifier: MIT
"""Formulas and newton refuse choices and places that do not exist; `%` behaves as in Python and torch."""

import pytest
import torch

import neml2
from neml2 import math
from neml2.tensors import R2, Scalar, Tensor, Vec

FOURS = Scalar(torch.full((3,), 4.0, dtype=torch.float64))


def squares(x, a):
    return x[0] * x[0] - a, x[1] * x[1] - a


def solved(**options):
    guess = (Scalar(torch.full((3,), 1.5, dtype=torch.float64)), Scalar(torch.full((3,), 1.5, dtype=torch.float64)))
    return [x.torch() for x in neml2.newton(squares, guess, FOURS, **options)]


@pytest.mark.parametrize("place", [1, -1])
def test_a_place_from_the_end_is_that_unknown_alone(place):
    first, last = solved(bounds={place: (0.0, 1.75)}, max_iterations=8, keep_unconverged=True)
    torch.testing.assert_close(first, FOURS.torch().sqrt())
    assert (last <= 1.75).all()


@pytest.mark.parametrize("place", [2, 7, -3])
@pytest.mark.parametrize("option", [{"bounds": (0.0, 9.0)}, {"max_step": 1.0}])
def test_an_unknown_that_there_is_not_is_refused(place, option):
    ((name, value),) = option.items()
    with pytest.raises(LookupError, match=f"newton: {name} names the unknown {place}. There are 2, counted from 0"):
        solved(**{name: {place: value}})


def test_iterations_are_counted_in_whole_numbers():
    with pytest.raises(TypeError, match="newton: max_iterations is 2.5. Expected a whole number"):
        solved(max_iterations=2.5)


@pytest.mark.parametrize("d", [2, -3])
def test_a_sum_over_a_dimension_that_there_is_not_is_refused(d):
    A = R2(torch.rand(4, 3, 3, dtype=torch.float64))
    with pytest.raises(IndexError):
        math.base_sum(A, d)
    with pytest.raises(IndexError, match="no base dimension"):
        neml2.vmap(lambda A: math.base_sum(A, d), A)


def test_an_index_of_two_sizes_is_refused():
    a, b = Tensor(torch.rand(4, 3, dtype=torch.float64), 1), Tensor(torch.rand(4, 2, dtype=torch.float64), 1)
    message = "einsum: the letter i of ...i,...i->... stands for base dimensions of the sizes 3 and 2. Expected equal ones"
    for of in (lambda a, b: math.einsum("...i,...i->...", [a, b]), neml2.formula(lambda a, b: math.einsum("...i,...i->...", [a, b]))):
        with pytest.raises(ValueError, match=message):
            of(a, b)


@pytest.mark.parametrize("equation", ["...i->...i", "...ij->...ijk", "...ij,...j->...i", "...i1->...", "...ij"])
def test_an_equation_is_refused_in_a_formula_as_on_batches(equation):
    A = R2(torch.rand(4, 3, 3, dtype=torch.float64))
    if equation == "...ij":  # the result is implied
        assert torch.equal(neml2.vmap(lambda A: math.einsum("ij", [A]), A).torch(), math.einsum(equation, [A]).torch())
        return
    with pytest.raises(ValueError, match="einsum") as on_batches:
        math.einsum(equation, [A])
    with pytest.raises(ValueError, match="einsum") as in_formula:
        neml2.vmap(lambda A: math.einsum(equation, [A]), A)
    assert str(in_formula.value).replace("(; 3, 3)", "(4; 3, 3)") == str(on_batches.value)


EDGES = [-5.5, 5.5, -3.0, 3.0, 0.0, -0.0, 1e-310, 0.7, -0.7, 1e300, torch.inf, -torch.inf, torch.nan]


@pytest.mark.parametrize("b", [3.0, -3.0, 1e-300, -0.7])
def test_the_remainder_is_that_of_python(b):
    values = [-5.5, 5.5, -3.0, 3.0, 0.0, 1e-310, -2.0 * b]
    a, s, one = (Scalar(torch.tensor(x, dtype=torch.float64)) for x in (values, b, [b]))
    for on in (lambda f, *x: f(*x), neml2.vmap):
        assert on(lambda x: x % b, a).torch().tolist() == [x % b for x in values]
        assert on(lambda x, y: x % y, a, s).torch().tolist() == [x % b for x in values]
        assert on(lambda x: 7.5 % x, one).torch().tolist() == [7.5 % b]


def test_the_remainder_is_that_of_torch_at_zero_and_infinity():
    a, b = torch.tensor(EDGES, dtype=torch.float64)[:, None], torch.tensor([e for e in EDGES if e != 1e-310], dtype=torch.float64)
    expected = torch.remainder(a, b)
    for on in (lambda f, *x: f(*x), neml2.vmap):
        found = on(lambda x, y: x % y, Scalar(a), Scalar(b)).torch()
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
        assert torch.equal(found.signbit()[~expected.isnan()], expected.signbit()[~expected.isnan()])
    v = Vec(torch.tensor([[1.0, -2.5, 7.0], [-0.5, 0.0, 3.0]], dtype=torch.float64))
    assert torch.equal((v % 2.0).torch(), torch.remainder(v.torch(), 2.0)) and type(v % 2.0) is Vec
    assert torch.equal((v % Scalar(torch.tensor(-2.0, dtype=torch.float64))).torch(), torch.remainder(v.torch(), -2.0))


def test_the_remainder_has_the_same_derivatives_in_formulas():
    x = torch.tensor([5.5, -5.5, 0.3], dtype=torch.float64, requires_grad=True)
    y = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    expected = torch.autograd.grad(torch.remainder(x, y).sum(), (x, y))
    for on in (lambda f, *a: f(*a), neml2.vmap):
        found = torch.autograd.grad(on(lambda a, b: a % b, Scalar(x), Scalar(y)).torch().sum(), (x, y), create_graph=True)
        torch.testing.assert_close(found, expected)


def test_floor_division_and_others_are_refused():
    for on in (lambda f, *a: f(*a), neml2.vmap):
        for f in (lambda a: a // 2.0, lambda a: 2.0 // a, lambda a: a // a):
            with pytest.raises(TypeError, match=r"// is not defined for tensors, nor in formulas. Write \(a - a % b\) / b"):
                on(f, FOURS)
        with pytest.raises(TypeError, match="unsupported operand"):
            on(lambda a: a % "x", FOURS)
