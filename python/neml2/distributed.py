# SPDX-License-Identifier: MIT
"""Batches over several processes, on torch.distributed (Gloo on CPUs, NCCL on GPUs).

Each process has a part of a batch, and calls all other functions of the library on that. Here is what takes all parts:

    scatter_batch, expand_batch    of what all processes have, or one has: to each its part
    gather_batch, batch_sum, batch_mean, batch_max, batch_min    of the parts: to all processes the same

What the latter give is bitwise the same for any number of processes, and so are the gradients.

Gradients are those of one loss that all processes compute, each from the same numbers: of what all have, all get the same
gradient, that by the whole batch; of parts, each gets that of its part. So a loss is made of what batch_sum, batch_mean or
gather_batch gave, and parameters that all points share go through expand_batch (or scatter_batch, if each point has its own).

All processes of the group (default: all that there are) call a function together, with tensors of one type, dtype and shape but
for the number of entries along batch dimension d; each may have another number of these, or none. Groups of tensors (tuples, lists,
dicts, dataclasses) go through in one call. What differs is a ValueError in all processes, in which nothing has been exchanged yet.
A process that ends, or does not come within the time limit that init_process_group was given, is a RuntimeError in the others.
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
    """The entries of a batch of n that scatter_batch gives this process: as many as the others have, or one more or less.

    Nothing is exchanged: what can be made or read in parts, as a mesh, need not be whole anywhere.
    """
    p = Processes("batch_part", group)
    if n < 0:
        raise ValueError(f"batch_part: a batch of {n} entries. Expected none or more.")
    return slice_of(divided(n, p.size), p.rank)


def scatter_batch(a: T, d: int = 0, group: Group = None, *, source: int | None = None) -> T:
    """To each process its part along batch dimension d: (..., N, ...; base) -> (..., n, ...; base), n = N / processes, one more in
    the first if that leaves a rest.

    Without a source all processes have the whole batch, with the same numbers, and nothing is sent. Otherwise the process of this rank
    in the group has it, and what the others pass is not looked at: None. There the parts are on the CPU, or on the current CUDA device
    if they come from one.

    Derivatives: the gradients of all parts, gathered; in all processes, or in the source only (of first order).
    """
    if source is not None:
        return cast(T, scatter_from(Processes("scatter_batch", group), a, d, source))

    def part(p: Processes, x: torch.Tensor, sizes: list[int]) -> torch.Tensor:
        if len(set(sizes)) > 1:
            raise ValueError(
                f"scatter_batch: the processes have batches of {', '.join(map(str, sizes))} entries along dimension {d}. Expected the "
                "same one in all; if one has it, name it as source."
            )
        return differentiated(Part, x, p, divided(sizes[0], p.size))

    return on_leaves("scatter_batch", a, d, group, part)


def gather_batch(a: T, d: int = 0, group: Group = None) -> T:
    """All parts, one after the other by rank along batch dimension d, in all processes: (..., n, ...; base) -> (..., Σn, ...; base).

    Derivatives: of each part, those of its entries.
    """
    return on_leaves("gather_batch", a, d, group, lambda p, x, counts: differentiated(Gather, x, p, counts))


def expand_batch(a: T, n: int, d: int = 0, group: Group = None) -> T:
    """What all processes have, for each of the n entries of this one, along a new batch dimension at d, as a view:
    (...; base) -> (..., n, ...; base). n may be another one in each process; a must have the same numbers in all.

    Derivatives: Σ over the entries of all processes, as batch_sum, so that parameters which the whole batch shares have the same
    gradient in all processes, bitwise that of one process.
    """

    def expanded(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        return differentiated(Expand, x, p, counts)

    return on_leaves("expand_batch", a, d, group, expanded, more=1, n=n)


# ---- Reductions ----


def batch_sum(a: T, d: int = 0, group: Group = None) -> T:
    """Σ along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of a. Of integers
    and bool, which are counted, int64.

    Entries are added by pairs in an order that is that of the whole batch, not of its parts: the result is bitwise the same for
    any number of processes, but in the last digits not that of math.batch_sum. Each process sends 2 log2(Σn) tensors at most.
    """
    return on_leaves("batch_sum", a, d, group, add, more=-1)


def batch_mean(a: T, d: int = 0, group: Group = None) -> T:
    """Mean along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of a; NaN if no
    process has an entry. Floating types. batch_sum, over their number.
    """

    def mean(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        more = x.to(ACCUMULATED.get(x.dtype, x.dtype))
        return (add(p, more, counts) / sum(counts)).to(x.dtype) if sum(counts) else add(p, x, counts) / 0

    return on_leaves("batch_mean", a, d, group, mean, more=-1, accepts="a floating type")


def batch_max(a: T, d: int = 0, group: Group = None) -> T:
    """The largest of each component along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in
    the unit of a. NaN if one is. Equal ones share the derivative. Integers too. A ValueError if no process has an entry.
    """
    return _extremum("batch_max", a, d, group, torch.amax)


def batch_min(a: T, d: int = 0, group: Group = None) -> T:
    """The smallest of each component along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in
    the unit of a. NaN if one is. Equal ones share the derivative. Integers too. A ValueError if no process has an entry.
    """
    return _extremum("batch_min", a, d, group, torch.amin)


def _extremum(name: str, a: T, d: int, group: Group, of: Callable[..., torch.Tensor]) -> T:
    def extremum(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        if sum(counts) == 0:
            raise ValueError(f"{name}: no process has an entry along dimension {d}. Expected at least one.")
        return differentiated(Extremum, x, p, counts, of)

    return on_leaves(name, a, d, group, extremum, more=-1, accepts="an integer or floating type")
