# SPDX-License-Identifier: MIT
"""Every operation on a device other than the CPU: the stand-in of the C++ tests, which scripts/test_python.sh builds, or a GPU."""

import re

import pytest
import torch
from operations import ROWS

from neml2.tensors import SR2


@pytest.mark.parametrize("row", [r for r in ROWS if ".cpu" not in r.name], ids=lambda row: row.name)
def test_every_operation_is_the_same_on_a_device(row, device):
    here = row.arguments(2)
    expected = row.results(*here)
    with torch.device(device):  # for tensors made without a device argument
        found = row.results(*(t.to(device) for t in here))
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert (a.device, a.shape, a.dtype) == (device, b.shape, b.dtype)
        if not re.search("rand|empty", row.name):
            torch.testing.assert_close(a.cpu(), b, equal_nan=True)


def test_gradients_are_the_same_on_a_device(device):
    s = torch.rand(5, 6)
    gradients = []
    for x in (s.clone(), s.to(device)):
        SR2(x.requires_grad_()).dev().norm().torch().sum().backward()
        assert x.grad.device == x.device
        gradients.append(x.grad.cpu())
    torch.testing.assert_close(*gradients)


def test_tensors_of_two_devices_are_refused(device):
    s = torch.rand(5, 6)
    with pytest.raises(ValueError, match=f"different devices.*{device}"):
        SR2(s) + SR2(s.to(device))
