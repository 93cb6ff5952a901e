# SPDX-License-Identifier: MIT
import os
import types

import hypothesis
import pytest
import torch

# The same examples in every run.
hypothesis.settings.register_profile("neml2", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("neml2")


@pytest.fixture(autouse=True)
def double_precision():
    """Each test has its own random numbers, in float64 unless it says otherwise."""
    torch.manual_seed(0)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.fixture(scope="session")
def device():
    """A GPU, or the stand-in of the C++ tests, which scripts/test_python.sh builds."""
    if torch.cuda.is_available():
        return torch.device("cuda:0")
    torch.ops.load_library(os.environ["NEML2_STAND_IN"])
    torch.utils.rename_privateuse1_backend("standin")
    module = types.ModuleType("torch.standin")  # torch asks this module before it makes a tensor there
    module.is_initialized = module.is_available = lambda: True
    module._is_in_bad_fork = lambda: False
    module._lazy_init = lambda: None
    module.manual_seed_all = lambda seed: None
    module.device_count, module.current_device = lambda: 1, lambda: 0
    torch._register_device_module("standin", module)
    return torch.device("standin:0")
