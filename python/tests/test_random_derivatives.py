# SPDX-License-Identifier: MIT
"""Random formulas with nested derivatives, to two and three levels, compared with autograd in plain PyTorch.

NEML2_RANDOM_CASES is the number of cases, NEML2_RANDOM_SEED the seed of the first case; the next case has the next seed. Each has 40
states, some with ties, zeros, equal eigenvalues and NaN. test_compiled_formulas.py compiles some of them.
"""

import os

import pytest
import torch
from formulas_support import bitwise, on_columns
from random_derivatives import NAN, random_case, states, typed

import neml2
from neml2 import math
from neml2.tensors import SR2, Scalar

SEED, CASES = int(os.environ.get("NEML2_RANDOM_SEED", 1)), int(os.environ.get("NEML2_RANDOM_CASES", 25))
PARTS = min(CASES, 5)


def close(case, what, found, expected):
    """Compares with a tolerance relative to the largest number of a row."""
    assert found.shape == expected.shape, f"{case}\n{what}: {found.shape}"
    found, expected = found.reshape(len(found), -1), expected.reshape(len(found), -1)
    error = ((found - expected).abs() / (1.0 + expected.abs().max(1, keepdim=True).values)).max(1).values
    bad = ~(error < 1e-9)
    alone = f"NEML2_RANDOM_SEED={case.seed} NEML2_RANDOM_CASES=1"
    assert (
        not bad.any()
    ), f"{case}\n{what}: rows {bad.nonzero().flatten().tolist()} differ by {error[bad].tolist()}. This case alone: {alone}"


@pytest.mark.parametrize("part", range(PARTS))
def test_random_derivatives(part):
    refused = 0
    for seed in range(SEED + part, SEED + CASES, PARTS):
        case, raw = random_case(seed), states(seed)
        formula = neml2.formula(case, backend="interpreter")
        try:
            found = formula(*typed(raw)).torch()
        except ValueError as error:
            assert "1,048,576 operations" in str(error), f"{case}"
            refused += 1
            continue
        close(case, "interpreted", found[:NAN], case.in_torch(*raw).detach()[:NAN])
        bitwise(formula(*typed([x[:NAN] for x in raw])), found[:NAN])
        close(case, "on columns", on_columns(formula, *typed([x[:NAN] for x in raw])).torch(), found[:NAN])
    assert refused <= 1 + CASES // 20


def test_the_value_of_isotropic_in_a_gradient_has_second_derivatives_at_equal_eigenvalues():
    def f(s):
        w = neml2.isotropic(lambda l: math.exp(l(0)) + math.exp(l(1)) + math.exp(l(2)), s)
        return neml2.gradient(lambda y: y * y * w, Scalar(torch.tensor(0.5)) + 0.0 * s(0, 0))  # w

    one = SR2.identity()
    found = neml2.hessian(f, one).torch()
    expected = neml2.hessian(lambda s: math.tr(math.expm(s)), one).torch()
    torch.testing.assert_close(found, expected)
