# SPDX-License-Identifier: MIT
"""The device of new tensors if a call names none."""

from collections.abc import Callable

import torch


def _knows_blocks() -> bool:
    """Whether torch.get_default_device respects `with torch.device(...)`: in torch 2.6 it does not, and torch 2.1 has no such function."""
    with torch.device("meta"):
        return hasattr(torch, "get_default_device") and torch.get_default_device().type == "meta"


def _of_an_empty_tensor() -> torch.device:
    return torch.empty(0).device


default_device: Callable[[], torch.device] = torch.get_default_device if _knows_blocks() else _of_an_empty_tensor
