# SPDX-License-Identifier: MIT
"""Choices and places that there are not, in formulas and of newton, are refused; `%` in formulas is that of Python."""

import pytest
import torch

import neml2
from neml2 import math
from neml2.tensors import R2, Scalar, Tensor

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
    with pytest.raises(ValueError, match="index i is of size"):
        neml2.vmap(lambda a, b: math.einsum("...i,...i->...", [a, b]), a, b)


@pytest.mark.parametrize("b", [3.0, -3.0, 1e-300, -0.7])
def test_the_remainder_in_a_formula_is_that_of_python(b):
    values = [-5.5, 5.5, -3.0, 3.0, 0.0, 1e-310, -2.0 * b]
    a = Scalar(torch.tensor(values, dtype=torch.float64))
    assert neml2.vmap(lambda x: x % b, a).torch().tolist() == [x % b for x in values]
    assert neml2.vmap(lambda x, y: x % y, a, Scalar(torch.tensor(b, dtype=torch.float64))).torch().tolist() == [x % b for x in values]
    assert neml2.vmap(lambda x: 7.5 % x, Scalar(torch.tensor([b], dtype=torch.float64))).torch().tolist() == [7.5 % b]
