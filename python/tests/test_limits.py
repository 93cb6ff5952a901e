# SPDX-License-Identifier: MIT
"""Checks that the features that docs/limits.md calls missing are still missing."""

import neml2
import pytest
import torch
from neml2 import math
from neml2.tensors import R2, SR2, Rot, Vec

HALF = [torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", HALF)
def test_half_precision_is_composed_of_what_torch_has(dtype):
    s = SR2(torch.rand(4, 6).to(dtype))
    for value in (s + s, s.dev(), math.exp(s), s.rotate(Rot(torch.rand(3).to(dtype))), neml2.vmap(lambda s: 2 * s.dev(), s)):
        assert value.dtype == dtype and torch.isfinite(value.torch()).all()


@pytest.mark.parametrize("dtype", HALF)
def test_half_precision_has_no_eigenvalues_and_systems(dtype):
    s, A, b = SR2(torch.rand(4, 6).to(dtype)), R2(torch.eye(3, dtype=dtype)), Vec(torch.rand(3).to(dtype))
    for use in (lambda: math.eigh(s), lambda: math.solve(A, b)):
        with pytest.raises((ValueError, RuntimeError), match="not defined for dtype .*float16"):
            use()


def test_complex_numbers_have_arithmetic_but_no_functions_and_inner_products():
    s = SR2(torch.rand(4, 6, dtype=torch.complex128))
    assert torch.equal((s + 2 * s).torch(), s.torch() + 2 * s.torch())
    for use in (s.dev, lambda: math.exp(s), lambda: math.eigh(s), lambda: s.inner(s)):
        with pytest.raises(ValueError, match="not defined for dtype complex128"):
            use()


def test_integers_have_elementwise_arithmetic_only():
    s = SR2(torch.arange(6))
    assert (s + s).dtype == torch.int64 and (s > 2).torch().any()
    for use in (s.dev, lambda: math.eigh(s), lambda: s.rotate(Rot(torch.zeros(3, dtype=torch.int64)))):
        with pytest.raises(ValueError, match="not defined for dtype int64"):
            use()


def test_sparse_tensors_are_no_operands():
    with pytest.raises((ValueError, RuntimeError), match="SparseCPU"):
        SR2(torch.rand(4, 6).to_sparse()).dev()


def test_more_dimensions_than_eight_that_do_not_lie_regularly_are_computed():
    t = torch.rand(*[3] * 10, 6)[tuple(slice(2) for _ in range(10))]
    assert torch.allclose(SR2(t).dev().torch(), SR2(t.contiguous()).dev().torch())
