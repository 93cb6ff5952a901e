# SPDX-License-Identifier: MIT
"""The common part of scripts/gpu_checks.py and benchmarks/gpu.py: the device, which is the GPU or, in a rehearsal, the CPU; and the timing
of calls."""

import contextlib
import os
import statistics
import time

import operations  # of python/tests
import torch

REHEARSED = not torch.cuda.is_available()
DEVICE = torch.device("cpu" if REHEARSED else "cuda:0")


class Nothing:
    """Replaces a CUDA stream on the CPU."""

    def __init__(self, *a, **k):
        pass

    def synchronize(self):
        pass

    def wait_stream(self, other):
        pass


if REHEARSED:
    torch.cuda.Stream = Nothing
    torch.cuda.stream = lambda stream: contextlib.nullcontext()
    torch.cuda.current_stream = Nothing
    torch.cuda.synchronize = torch.cuda.empty_cache = lambda: None


def there(x, dtype=None):
    """Copies tensors of this library, also those in groups, to the device; returns plain numbers unchanged."""
    if isinstance(x, tuple):
        return tuple(there(part, dtype) for part in x)
    return type(x)(x.torch().to(DEVICE, dtype).contiguous()) if hasattr(x, "torch") else x


def leaves(x):
    """The tensors of torch in x."""
    return [leaf for leaf in operations.leaves(x) if isinstance(leaf, torch.Tensor)]


def size_in_bytes(x):
    return sum(t.numel() * t.element_size() for t in leaves(x))


def difference(found, expected):
    """The largest difference, relative to the largest number."""
    worst = 0.0
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert a.shape == b.shape, f"{tuple(a.shape)} and {tuple(b.shape)}"
        a, b = a.detach().cpu().double(), b.detach().cpu().double()
        one = ((a - b).abs().max() / b.abs().max().clamp_min(1e-300)).item() if a.numel() else 0.0
        worst = one if one != one or worst != worst else max(worst, one)
    return worst


@contextlib.contextmanager
def without_kernels():
    os.environ["NEML2_DEVICE_KERNELS"] = "0"
    try:
        yield
    finally:
        del os.environ["NEML2_DEVICE_KERNELS"]


def microseconds(f, wait=torch.cuda.synchronize):
    """The time per call of many calls with one wait at the end: the median of several runs. f must have been called before."""

    def of(calls):
        start = time.perf_counter()
        for _ in range(calls):
            f()
        wait()
        return (time.perf_counter() - start) / calls

    wait()
    one = of(1)
    if one > 0.5:
        return 1e6 * one
    calls = max(1, min(200, int(0.02 / of(1))))
    return 1e6 * statistics.median(of(calls) for _ in range(3))
