# SPDX-License-Identifier: MIT
"""The device of new tensors if a call does not name a device."""

from collections.abc import Callable

import torch


def _knows_blocks() -> bool:
    """Whether torch.get_default_device respects `with torch.device(...)`. In torch 2.6 it does not; torch 2.1 does not have the
    function."""
    with torch.device("meta"):
        return hasattr(torch, "get_default_device") and torch.get_default_device().type == "meta"


def _of_an_empty_tensor() -> torch.device:
    return torch.empty(0).device


default_device: Callable[[], torch.device] = torch.get_default_device if _knows_blocks() else _of_an_empty_tensor
