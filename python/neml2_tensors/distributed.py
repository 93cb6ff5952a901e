# SPDX-License-Identifier: MIT
"""Batches over several processes, on torch.distributed (Gloo on CPUs, NCCL on GPUs).

Each process has a part of a batch, and calls all other functions of the library with this part. The functions of this module connect the
parts:

    scatter_batch, expand_batch    give each process its part of a tensor that all processes or one process have
    gather_batch, batch_sum, batch_mean, batch_max, batch_min    give all processes the same result, from all parts

The results of the functions in the second line are bitwise the same for any number of processes, and so are the gradients.

For gradients, all processes must compute one loss from the same numbers. Therefore compute the loss from results of batch_sum, batch_mean
or gather_batch, and pass parameters that all points share through expand_batch (or scatter_batch, if each point has its own parameters).
Then all processes get the same gradient by a tensor that they all have, over the whole batch, and each process gets the gradient by its own
part of a divided batch.

All processes of `group` (by default all processes) call a function together. Their tensors have the same type, dtype and shape, except for
the number of entries along batch dimension d, which may be different in each process, also 0. Any other difference is a ValueError in all
processes, before tensors are exchanged. Instead of a tensor a function may take a group of tensors (tuples, lists, dicts, dataclasses). If
a process ends, or does not call the function within the time limit given to init_process_group, the others get a RuntimeError.
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

    Nothing is exchanged. Use it if a batch, such as a mesh, can be made or read in parts, so that no process needs all of it.
    """
    p = Processes("batch_part", group)
    if n < 0:
        raise ValueError(f"batch_part: a batch of {n} entries. Expected 0 or more.")
    return slice_of(divided(n, p.size), p.rank)


def scatter_batch(a: T, d: int = 0, group: Group = None, *, source: int | None = None) -> T:
    """Gives each process its part along batch dimension d: (..., N, ...; base) -> (..., n, ...; base) with n = N / processes. If there is a
    remainder, the first processes have one entry more.

    Without a source all processes have the whole batch, with the same numbers, and nothing is sent. Otherwise only one process has the
    batch, and source is its rank in the group. The argument a of the other processes is ignored; they may pass None. Their parts are on the
    CPU, or on their current CUDA device if the source's batch is on a CUDA device.

    Derivatives: the gradients by all parts are gathered in all processes. With a source they are gathered in the source only, and are of
    first order only.
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

    Derivatives: each process gets the gradient by the entries of its part.
    """
    return on_leaves("gather_batch", a, d, group, lambda p, x, counts: differentiated(Gather, x, p, counts))


def expand_batch(a: T, n: int, d: int = 0, group: Group = None) -> T:
    """Repeats a tensor that all processes have, n times along a new batch dimension d, as a view: (...; base) -> (..., n, ...; base). n is
    the number of entries of this process, and may differ between processes. a must have the same numbers in all of them.

    Derivatives: the gradients are summed over the entries of all processes, as in batch_sum. Therefore the gradient by parameters that the
    whole batch shares is the same in all processes, and bitwise equal to the gradient in a run with one process.
    """

    def expanded(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        return differentiated(Expand, x, p, counts)

    return on_leaves("expand_batch", a, d, group, expanded, more=1, n=n)


# ---- Reductions ----


def batch_sum(a: T, d: int = 0, group: Group = None) -> T:
    """The sum along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of a. The sum of
    integers is an int64; for bool it is the number of true entries, as an int64.

    Entries are added in pairs, in an order that depends on the whole batch, not on its parts. Therefore the result is bitwise the same for
    any number of processes, but its last digits may differ from those of math.batch_sum. Each process sends at most 2 log2(Σn) tensors.
    """
    return on_leaves("batch_sum", a, d, group, add, more=-1)


def batch_mean(a: T, d: int = 0, group: Group = None) -> T:
    """The mean along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of a. It is
    batch_sum divided by the number of entries; NaN if no process has an entry. Only for floating dtypes.
    """

    def mean(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        more = x.to(ACCUMULATED.get(x.dtype, x.dtype))
        return (add(p, more, counts) / sum(counts)).to(x.dtype) if sum(counts) else add(p, x, counts) / 0

    return on_leaves("batch_mean", a, d, group, mean, more=-1, accepts="a floating type")


def batch_max(a: T, d: int = 0, group: Group = None) -> T:
    """The largest value of each component along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in
    the unit of a; NaN if any value is NaN. Equal values share the derivative. Also for integers. Raises ValueError if no
    process has an entry.
    """
    return _extremum("batch_max", a, d, group, torch.amax)


def batch_min(a: T, d: int = 0, group: Group = None) -> T:
    """The smallest value of each component along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in
    the unit of a; NaN if any value is NaN. Equal values share the derivative. Also for integers. Raises ValueError if no
    process has an entry.
    """
    return _extremum("batch_min", a, d, group, torch.amin)


def _extremum(name: str, a: T, d: int, group: Group, of: Callable[..., torch.Tensor]) -> T:
    def extremum(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        if sum(counts) == 0:
            raise ValueError(f"{name}: no process has an entry along dimension {d}. Expected at least one.")
        return differentiated(Extremum, x, p, counts, of)

    return on_leaves(name, a, d, group, extremum, more=-1, accepts="an integer or floating type")
