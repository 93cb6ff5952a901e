# SPDX-License-Identifier: MIT
"""Kernels of formulas on a GPU: the list of compiled kernels, and the folder of their headers."""

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch

from . import __file__ as _package

recording: Any = import_module("._C", __package__).recording

recording.set_device_headers(str(Path(_package).parent / "include"))


class DeviceKernel(NamedTuple):
    """A kernel that exists on a device."""

    name: str
    """The name of the formula, and of the results that the kernel computes."""
    dtype: torch.dtype
    device: str
    architecture: str
    from_cache: bool
    """Whether the kernel was read from the cache on disk instead of compiled."""
    seconds: float
    """The time that it took to compile or to read the kernel."""
    launches: int


def device_kernels() -> list[DeviceKernel]:
    """The kernels that this process has made so far, in this order. A formula without a kernel in the list did not run fused on a device.

    A kernel is made when a formula is first called with tensors of a dtype on a CUDA device.
    """
    return [DeviceKernel(*k) for k in recording.device_kernels()]
