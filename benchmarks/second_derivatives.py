#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gradients of formulas that autograd differentiates again, compared with the same functions on whole batches.

    second_derivatives.py

needs the installed package and a C++ compiler. One thread, float64, minima, µs: the first backward pass, the same with create_graph, and the
backward pass of its result.
"""

import time

import neml2
import python_formulas
import torch
from neml2.tensors import SR2

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def least(call):
    """The least of several times of a call, in µs."""
    found, end = [], time.perf_counter() + 0.5
    while len(found) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        found.append(1e6 * (time.perf_counter() - start))
    return min(found)


def passes(function, arguments):
    """The three times of a function, by its first argument, and the second derivative."""
    x = arguments[0].torch().detach().requires_grad_()

    def value():
        y = function(SR2(x), *arguments[1:])
        return (y[0] if isinstance(y, tuple) else y).torch()

    def first(**options):
        return torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True, **options)[0]

    def second():
        return torch.autograd.grad(slope, x, torch.ones_like(slope), retain_graph=True)[0]

    for _ in range(2):  # the second time all programs have been compiled
        y = value()
        first()
        slope = first(create_graph=True)
        second()
    return [least(first), least(lambda: first(create_graph=True)), least(second)], second()


for name in ("J2 radial return", "Chaboche, 13 unknowns"):
    row = python_formulas.ROWS[name]
    for N in (1, 100, 10**4):
        arguments = row.arguments(N)
        fused, expected = passes(neml2.formula(row.formula, backend="compiler"), arguments)
        on_batches, found = passes(row.formula, arguments)
        known = found.isfinite()  # on batches they are NaN where newton does not converge in the branch that is not taken
        torch.testing.assert_close(found[known], expected[known], rtol=1e-7, atol=1e-6)
        numbers = "  ".join(f"{a:8.0f} / {b:8.0f}" for a, b in zip(fused, on_batches, strict=True))
        print(f"{name:22} {N:6}  formula / on batches: first, create_graph, second  {numbers}", flush=True)
