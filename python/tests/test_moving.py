# SPDX-License-Identifier: MIT
"""The tables of docs/moving.md, row by row: both columns are run and give the same numbers.

The environment of the tests has no NEML2 3.x: they compare this package's column of its table with the formula in plain torch.
If the environment variable NEML2_3 names a Python with NEML2 3.x, they compare the column of NEML2 3.x with that formula, too.
"""

import os
import subprocess

import moving
import neml2
import pytest
import torch
from neml2 import math, tensors


def here(code):
    """The column of this library."""
    names = {**vars(tensors), "neml2": neml2, "math": math, **{k: getattr(moving, k) for k in ("f", "grains", "t", "x", "y")}}
    names |= {k: getattr(tensors, t)(getattr(moving, k)) for k, t in (moving.TYPES | {"r": "Rot", "q": "Rot", "R": "R2"}).items()}
    value = eval(code, names)
    while not isinstance(value, (torch.Tensor, tuple)):
        value = value.torch()
    return value


@pytest.mark.parametrize("theirs, ours", moving.TORCH)
def test_torch(theirs, ours):
    assert moving.same(here(ours), moving.plain(theirs))


@pytest.mark.parametrize("theirs, ours, formula", moving.NEML2_3)
def test_neml2_3(theirs, ours, formula):
    assert moving.same(here(ours), moving.plain(formula))


@pytest.mark.skipif("NEML2_3" not in os.environ, reason="the environment variable NEML2_3 names no Python that has NEML2 3.x")
def test_the_column_of_neml2_3():
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run([os.environ["NEML2_3"], moving.__file__], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
