# SPDX-License-Identifier: MIT
"""Batches over several processes, on torch.distributed (Gloo on CPUs, NCCL on GPUs).

Each process has a part of a batch, and calls all other functions of the library on that part. This module has the functions of all parts:

    scatter_batch, expand_batch    give each process its part of a tensor that all processes have, or that one process has
    gather_batch, batch_sum, batch_mean, batch_max, batch_min    give all processes the same result from the parts

The results of the second group are bitwise the same for any number of processes, and so are the gradients.

Gradients are those of one loss that all processes compute from the same numbers. For a tensor that all processes have, all of them
get the same gradient, over the whole batch. For a divided batch, each process gets the gradient by its own part. So compute a loss
from results of batch_sum, batch_mean or gather_batch, and pass parameters that all points share through expand_batch (or
scatter_batch, if each point has its own).

All processes of the group (default: all processes) call a function together, with tensors of the same type, dtype and shape except
for the number of entries along batch dimension d; each may have a different number of these, or none. One call may take a group of
tensors (tuples, lists, dicts, dataclasses). Any other difference is a ValueError in all processes, before tensors are exchanged.
If a process ends, or does not call within the time limit given to init_process_group, the others get a RuntimeError.
"""

from collections.abc import Callable
from typing import TypeVar, cast

import torch

from ._distributed_calls import Group, on_leaves, scatter_from
from ._distributed_functions import ACCUMULATED, Expand, Extremum, Gather, Part, add, differentiated, divided, slice_of
from ._processes import Processes

__all__ = ["batch_max", "batch_mean", "batch_min", "batch_part", "batch_sum", "expand_batch", "gather_batch", "scatter_batch"]

T = TypeVar("T")


# ---- Parts ----


def batch_part(n: int, group: Group = None) -> slice:
    """The slice of a batch of n entries that scatter_batch gives this process. The numbers of entries of any two processes differ by at
    most one.

    Nothing is exchanged: if a batch, such as a mesh, can be made or read in parts, no process needs all of it.
    """
    p = Processes("batch_part", group)
    if n < 0:
        raise ValueError(f"batch_part: a batch of {n} entries. Expected 0 or more.")
    return slice_of(divided(n, p.size), p.rank)


def scatter_batch(a: T, d: int = 0, group: Group = None, *, source: int | None = None) -> T:
    """Gives each process its part along batch dimension d: (..., N, ...; base) -> (..., n, ...; base) with n = N / processes. If there is a
    remainder, the first processes have one entry more.

    Without a source all processes have the whole batch, with the same numbers, and nothing is sent. Otherwise source is the rank in the
    group of the only process that has it; the others pass None, since their arguments are ignored. Their parts are on the CPU, or on the
    current CUDA device if the source's batch is on a CUDA device.

    Derivatives: the gradients of all parts, gathered in all processes; with a source, gathered in the source only, and of first order only.
    """
    if source is not None:
        return cast(T, scatter_from(Processes("scatter_batch", group), a, d, source))

    def part(p: Processes, x: torch.Tensor, sizes: list[int]) -> torch.Tensor:
        if len(set(sizes)) > 1:
            raise ValueError(
                f"scatter_batch: the processes have batches of {', '.join(map(str, sizes))} entries along dimension {d}. Expected the "
                "same batch in all; if only one process has it, name that process as source."
            )
        return differentiated(Part, x, p, divided(sizes[0], p.size))

    return on_leaves("scatter_batch", a, d, group, part)


def gather_batch(a: T, d: int = 0, group: Group = None) -> T:
    """All parts, one after the other by rank along batch dimension d, in all processes: (..., n, ...; base) -> (..., Σn, ...; base).

    Derivatives: each part gets the derivatives by its entries.
    """
    return on_leaves("gather_batch", a, d, group, lambda p, x, counts: differentiated(Gather, x, p, counts))


def expand_batch(a: T, n: int, d: int = 0, group: Group = None) -> T:
    """Repeats a tensor that all processes have, for each of the n entries of this process, along a new batch dimension at d, as a view:
    (...; base) -> (..., n, ...; base). n may differ between processes; a must have the same numbers in all of them.

    Derivatives: Σ over the entries of all processes, as in batch_sum. So parameters that the whole batch shares have the same
    gradient in all processes, bitwise equal to the gradient of a run in one process.
    """

    def expanded(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        return differentiated(Expand, x, p, counts)

    return on_leaves("expand_batch", a, d, group, expanded, more=1, n=n)


# ---- Reductions ----


def batch_sum(a: T, d: int = 0, group: Group = None) -> T:
    """Σ along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of a. Integers
    give int64; bool gives the number of true entries, as int64.

    Entries are added in pairs, in an order that depends on the whole batch, not on its parts: the result is bitwise the same for
    any number of processes, but its last digits may differ from math.batch_sum. Each process sends at most 2 log2(Σn) tensors.
    """
    return on_leaves("batch_sum", a, d, group, add, more=-1)


def batch_mean(a: T, d: int = 0, group: Group = None) -> T:
    """Mean along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of a; NaN if no
    process has an entry. Only for floating dtypes. Computed as batch_sum divided by the number of entries.
    """

    def mean(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        more = x.to(ACCUMULATED.get(x.dtype, x.dtype))
        return (add(p, more, counts) / sum(counts)).to(x.dtype) if sum(counts) else add(p, x, counts) / 0

    return on_leaves("batch_mean", a, d, group, mean, more=-1, accepts="a floating type")


def batch_max(a: T, d: int = 0, group: Group = None) -> T:
    """The largest value of each component along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in
    the unit of a; NaN if any value is NaN. Equal values share the derivative. Also for integers. A ValueError if no process has an entry.
    """
    return _extremum("batch_max", a, d, group, torch.amax)


def batch_min(a: T, d: int = 0, group: Group = None) -> T:
    """The smallest value of each component along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in
    the unit of a; NaN if any value is NaN. Equal values share the derivative. Also for integers. A ValueError if no process has an entry.
    """
    return _extremum("batch_min", a, d, group, torch.amin)


def _extremum(name: str, a: T, d: int, group: Group, of: Callable[..., torch.Tensor]) -> T:
    def extremum(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        if sum(counts) == 0:
            raise ValueError(f"{name}: no process has an entry along dimension {d}. Expected at least one.")
        return differentiated(Extremum, x, p, counts, of)

    return on_leaves(name, a, d, group, extremum, more=-1, accepts="an integer or floating type")
