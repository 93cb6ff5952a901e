# SPDX-License-Identifier: MIT
import hypothesis
import pytest
import torch

# The same examples in every run.
hypothesis.settings.register_profile("neml2", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("neml2")


@pytest.fixture(autouse=True)
def double_precision():
    """Random numbers are those of each test alone, and of float64 unless it says so."""
    torch.manual_seed(0)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)
