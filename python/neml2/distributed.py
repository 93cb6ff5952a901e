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

import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, cast

import torch
from torch.autograd.function import once_differentiable

from . import _interop
from ._processes import Processes, tree_sum
from .tensors import Tensor, TensorBase

__all__ = ["batch_max", "batch_mean", "batch_min", "batch_part", "batch_sum", "expand_batch", "gather_batch", "scatter_batch"]

recording: Any = import_module("._C", __package__).recording
dist: Any = torch.distributed
T = TypeVar("T")
Group = Any  # torch.distributed.ProcessGroup, which a torch without it lacks
ACCUMULATED = {torch.float16: torch.float32, torch.bfloat16: torch.float32}  # sums, in more digits


# ---- Parts ----


def batch_part(n: int, group: Group = None) -> slice:
    """The entries of a batch of n that scatter_batch gives this process: as many as the others have, or one more or less.

    Nothing is exchanged: what can be made or read in parts, as a mesh, need not be whole anywhere.
    """
    p = Processes("batch_part", group)
    if n < 0:
        raise ValueError(f"batch_part: a batch of {n} entries. Expected none or more.")
    return _slice(_counts(n, p.size), p.rank)


def scatter_batch(a: T, d: int = 0, group: Group = None, *, source: int | None = None) -> T:
    """To each process its part along batch dimension d: (..., N, ...; base) -> (..., n, ...; base), n = N / processes, one more in
    the first if that leaves a rest.

    Without a source all processes have the whole batch, with the same numbers, and nothing is sent. Otherwise the process of this rank
    in the group has it, and what the others pass is not looked at: None. There the parts are on the CPU, or on the current CUDA device
    if they come from one.

    Derivatives: the gradients of all parts, gathered; in all processes, or in the source only (of first order).
    """
    if source is not None:
        return cast(T, _scatter_from(Processes("scatter_batch", group), a, d, source))

    def part(p: Processes, x: torch.Tensor, sizes: list[int]) -> torch.Tensor:
        if len(set(sizes)) > 1:
            raise ValueError(
                f"scatter_batch: the processes have batches of {', '.join(map(str, sizes))} entries along dimension {d}. Expected the "
                "same one in all; if one has it, name it as source."
            )
        return _call(_Part, x, p, _counts(sizes[0], p.size))

    return _on_leaves("scatter_batch", a, d, group, part)


def gather_batch(a: T, d: int = 0, group: Group = None) -> T:
    """All parts, one after the other by rank along batch dimension d, in all processes: (..., n, ...; base) -> (..., Σn, ...; base).

    Derivatives: of each part, those of its entries.
    """
    return _on_leaves("gather_batch", a, d, group, lambda p, x, counts: _call(_Gather, x, p, counts))


def expand_batch(a: T, n: int, d: int = 0, group: Group = None) -> T:
    """What all processes have, for each of the n entries of this one, along a new batch dimension at d, as a view:
    (...; base) -> (..., n, ...; base). n may be another one in each process; a must have the same numbers in all.

    Derivatives: Σ over the entries of all processes, as batch_sum, so that parameters which the whole batch shares have the same
    gradient in all processes, bitwise that of one process.
    """

    def expanded(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        return _call(_Expand, x, p, counts)

    return _on_leaves("expand_batch", a, d, group, expanded, more=1, n=n)


# ---- Reductions ----


def batch_sum(a: T, d: int = 0, group: Group = None) -> T:
    """Σ along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of a. Of integers
    and bool, which are counted, int64.

    Entries are added by pairs in an order that is that of the whole batch, not of its parts: the result is bitwise the same for
    any number of processes, but in the last digits not that of math.batch_sum. Each process sends 2 log2(Σn) tensors at most.
    """
    return _on_leaves("batch_sum", a, d, group, _sum, more=-1)


def batch_mean(a: T, d: int = 0, group: Group = None) -> T:
    """Mean along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of a; NaN if no
    process has an entry. Floating types. batch_sum, over their number.
    """

    def mean(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        more = x.to(ACCUMULATED.get(x.dtype, x.dtype))
        return (_sum(p, more, counts) / sum(counts)).to(x.dtype) if sum(counts) else _sum(p, x, counts) / 0

    return _on_leaves("batch_mean", a, d, group, mean, more=-1, accepts="a floating type")


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


def _sum(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
    if not x.is_floating_point() and not x.is_complex():
        x = x.to(torch.int64)
    return _call(_Sum, x.to(ACCUMULATED.get(x.dtype, x.dtype)), p, counts).to(x.dtype)


def _extremum(name: str, a: T, d: int, group: Group, of: Callable[..., torch.Tensor]) -> T:
    def extremum(p: Processes, x: torch.Tensor, counts: list[int]) -> torch.Tensor:
        if sum(counts) == 0:
            raise ValueError(f"{name}: no process has an entry along dimension {d}. Expected at least one.")
        return _call(_Extremum, x, p, counts, of)

    return _on_leaves(name, a, d, group, extremum, more=-1, accepts="an integer or floating type")


# ---- Tensors of the library, and groups of them ----


class _Leaf:
    """A tensor of the library, and its dimension d among all."""

    def __init__(self, name: str, a: Any, d: int, new: int):
        if not isinstance(a, (TensorBase, *_interop.LABELED)):
            raise TypeError(
                f"{name}: expected tensors of this library or groups of them, not {type(a).__name__}. Of a tensor of torch say which "
                "dimensions are batch dimensions: Tensor(t, batch_dim)."
            )
        if not a.defined():
            raise ValueError(f"{name}: undefined tensor: an operand of type {type(a).__name__} has no value. Assign it first.")
        self.tensor = a
        self.x: torch.Tensor = a.torch()
        self.batch_dim: int = a.batch.dim()
        dims = self.batch_dim + new
        if dims == 0:
            raise IndexError(f"{name}: {self.text()} has no batch dimension. Add one (.batch.unsqueeze).")
        if not -dims <= d < dims:
            raise IndexError(f"{name}: The dimension {d} is out of range for {self.text()}: expected one in [{-dims}, {dims}).")
        self.d = d % dims

    def text(self, n_at: int = -1) -> str:
        """SR2 (5, 2; 6), or with n instead of one size."""
        sizes = ["n" if i == n_at else str(size) for i, size in enumerate(self.x.shape)]
        batch, base = ", ".join(sizes[: self.batch_dim]), ", ".join(sizes[self.batch_dim :])
        return f"{type(self.tensor).__name__} ({batch};{' ' if base else ''}{base})"

    def described(self, new: int) -> str:
        """What must be the same in all processes."""
        axes = "".join(f" with the axis {axis}" for axis in self.tensor.axes()) if isinstance(self.tensor, _interop.LABELED) else ""
        kind, dtype = self.x.device.type, str(self.x.dtype).removeprefix("torch.")
        return f"{self.text(-1 if new else self.d)}{axes} {dtype} on {kind}{' that requires grad' if _is_recorded(self.x) else ''}"

    def check_dtype(self, name: str, accepts: str) -> None:
        dtype = self.x.dtype
        if not accepts or dtype.is_floating_point or ("integer" in accepts and dtype != torch.bool and not dtype.is_complex):
            return
        words = str(dtype).removeprefix("torch.")
        raise ValueError(f"{name}: not defined for dtype {words} ({self.text()}). Expected {accepts}; convert with .to(torch.float64).")

    def like(self, x: torch.Tensor, batch_dim: int) -> Any:
        cls = type(self.tensor)
        if isinstance(self.tensor, _interop.LABELED):
            return _interop.rebuilt(cls, Tensor(x, batch_dim), self.tensor.axes())
        return _interop.rebuilt(cls, x, batch_dim) if isinstance(self.tensor, Tensor) else _interop.rebuilt(cls, x)


Run = Callable[[Processes, torch.Tensor, list[int]], torch.Tensor]


def _on_leaves(
    name: str,
    a: T,
    d: int,
    group: Group,
    run: Run,
    *,
    more: int = 0,
    n: int | None = None,
    accepts: str = "",
) -> T:
    """run(processes, x, n of each) of each tensor of a group, d first in x; its result has so many more dimensions."""
    p = Processes(name, group)
    try:
        leaves, together, entries, call = _checked(p, a, d, n, accepts)
    except Exception as error:
        p.refuse(error)
        raise
    counts = p.agree(call, entries)
    results = []
    for leaf in leaves:
        if isinstance(leaf, _Leaf):
            x = run(p, leaf.x if more == 1 else leaf.x.movedim(leaf.d, 0), counts)
            if more >= 0 and leaf.d != 0:
                x = x.movedim(0, leaf.d)
            leaf = leaf.like(x, leaf.batch_dim + more)
        results.append(leaf)
    return together(results)  # type: ignore[no-any-return]


def _checked(p: Processes, a: Any, d: int, n: int | None, accepts: str) -> tuple[list[Any], Any, int, str]:
    """The leaves of a group, what puts them together, the number of entries, and what must be the same in all processes."""
    new = 0 if n is None else 1
    if n is not None and n < 0:
        raise ValueError(f"{p.name}: {n} entries. Expected none or more.")
    leaves, together = _flat(a)
    leaves = [leaf if type(leaf) in (int, float) else _Leaf(p.name, leaf, d, new) for leaf in leaves]
    tensors = [leaf for leaf in leaves if isinstance(leaf, _Leaf)]
    for leaf in tensors:
        if not p.reaches(leaf.x.device.type):
            raise ValueError(
                f"{p.name}: {leaf.text()} is on {leaf.x.device}, and the backend of the group, {dist.get_backend(p.group)}, has no access to "
                "that device. Move it with .to(device), or call init_process_group('cpu:gloo,cuda:nccl')."
            )
        leaf.check_dtype(p.name, accepts)
    sizes = {leaf.x.shape[leaf.d] for leaf in tensors} if n is None else {n}
    if len(sizes) > 1:
        raise ValueError(
            f"{p.name}: the tensors of the group have {' and '.join(map(str, sorted(sizes)))} entries along dimension {d}. Expected the "
            "same number in all (.batch.expand)."
        )
    described = [leaf.described(new) if isinstance(leaf, _Leaf) else repr(leaf) for leaf in leaves]
    if not recording.is_leaf(a):  # a difference in order or kind would mix up what is added
        described = [f"{path}: {text}" for path, text in zip(together.paths(), described, strict=True)]
        described = [f"a {type(a).__name__} with {', '.join(described)}"]
    return leaves, together, sizes.pop() if sizes else 0, f"{p.name} of {', '.join(described)} along dimension {d}"


def _flat(a: Any) -> tuple[list[Any], Any]:
    leaves, together = recording.flatten(a)
    return leaves, together


def _is_recorded(x: torch.Tensor) -> bool:
    return torch.is_grad_enabled() and x.requires_grad


def _counts(n: int, size: int) -> list[int]:
    return [n // size + (k < n % size) for k in range(size)]


def _slice(counts: list[int], rank: int) -> slice:
    begin = sum(counts[:rank])
    return slice(begin, begin + counts[rank])


# ---- From one process ----


def _scatter_from(p: Processes, a: Any, d: int, source: int) -> Any:
    try:
        if not 0 <= source < p.size:
            raise ValueError(f"scatter_batch: the source is {source}, and the group has {p.size} processes. Expected one in [0, {p.size}).")
        leaves, together, n, _ = _checked(p, a if p.rank == source else (), d, None, "")
        message = _about(leaves, together) if p.rank == source else None
    except Exception as error:
        p.refuse(error)
        raise
    grad = "on" if torch.is_grad_enabled() else "off"
    counts = _counts(p.agree(f"scatter_batch from process {source} along dimension {d}, grad mode {grad}", n)[source], p.size)
    shared = p.share(message, source)
    try:  # where a class of the group may be missing
        empty, devices, recorded = pickle.loads(shared)
    except Exception as error:
        p.refuse(error)
        raise
    p.agree("scatter_batch of a group that all know")
    if p.rank != source:
        leaves, together = _flat(empty)
        leaves = [leaf if type(leaf) in (int, float) else _Leaf(p.name, leaf, d, 0) for leaf in leaves]
    results = []
    for leaf, device, is_recorded in zip(leaves, devices, recorded, strict=True):
        if isinstance(leaf, _Leaf):
            x = leaf.x.movedim(leaf.d, 0)
            if p.rank != source:  # stands for the whole batch, so that its gradient is asked for here too
                x = x.to(torch.device("cuda", torch.cuda.current_device()) if device == "cuda" else device).requires_grad_(is_recorded)
            leaf = leaf.like(_call(_ScatterFrom, x, p, counts, source).movedim(0, leaf.d), leaf.batch_dim)
        results.append(leaf)
    return together(results)


def _about(leaves: list[Any], together: Any) -> bytes:
    """What the others make of a group before its numbers come: it without entries, the kinds of device, and what requires grad."""
    tensors = [leaf if isinstance(leaf, _Leaf) else None for leaf in leaves]
    empty = [leaf.like(_empty(leaf), leaf.batch_dim) if isinstance(leaf, _Leaf) else leaf for leaf in leaves]
    return pickle.dumps((together(empty), [t and t.x.device.type for t in tensors], [t is not None and _is_recorded(t.x) for t in tensors]))


def _empty(leaf: _Leaf) -> torch.Tensor:
    shape = list(leaf.x.shape)
    shape[leaf.d] = 0
    return torch.empty(shape, dtype=leaf.x.dtype)


# ---- Autograd ----
#
# What all processes have and what each has a part of: _Gather and _Part, _Sum and _Expand are each other's derivatives. All of x,
# whose first dimension is the one along which it is divided.


def _call(function: Any, x: torch.Tensor, p: Processes, counts: list[int], *more: Any) -> torch.Tensor:
    return function.apply(x, p, counts, *more)  # type: ignore[no-any-return]


def _agree_on(p: Processes, function: str, counts: list[int]) -> Processes:
    """That all call the derivative of the same function now."""
    q = p.named(f"backward of {p.name}")
    q.agree(f"{function}, parts of {counts} entries")
    return q


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int]) -> torch.Tensor:
        ctx.p, ctx.counts = p, counts
        return p.gather(x, counts)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return _call(_Part, gradients[0], ctx.p, ctx.counts), None, None


class _Part(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int]) -> torch.Tensor:
        ctx.p, ctx.counts = p, counts
        return x[_slice(counts, p.rank)]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (g,) = gradients
        p = _agree_on(ctx.p, f"gradient {_shape(g)}", ctx.counts)
        return _call(_Gather, g, p, ctx.counts), None, None


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int]) -> torch.Tensor:
        ctx.p, ctx.counts = p, counts
        return tree_sum(p, x, counts)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return _call(_Expand, gradients[0], ctx.p, ctx.counts), None, None


class _Expand(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int]) -> torch.Tensor:
        ctx.p, ctx.counts = p, counts
        return x.expand(counts[p.rank], *x.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (g,) = gradients
        p = _agree_on(ctx.p, f"gradient {_shape(g)}", ctx.counts)
        return _sum(p, g, ctx.counts), None, None


class _Extremum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int], of: Callable[..., torch.Tensor]) -> torch.Tensor:
        found = [int(n > 0) for n in counts]
        mine = of(x, 0).unsqueeze(0) if len(x) else x
        result = of(p.gather(mine, found), 0)
        if ctx.needs_input_grad[0]:
            equal = x == result
            number = p.gather(equal.sum(0).unsqueeze(0), [1] * p.size).sum(0)
            ctx.save_for_backward(equal, number)
        ctx.p, ctx.counts = p, counts
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        equal, number = ctx.saved_tensors
        each = _call(_Expand, gradients[0], ctx.p, ctx.counts)
        return each * equal / number, None, None, None


class _ScatterFrom(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: Processes, counts: list[int], source: int) -> torch.Tensor:
        ctx.p, ctx.counts, ctx.source, ctx.empty = p, counts, source, x.new_empty((0, *x.shape[1:]))
        part = x.new_empty((counts[p.rank], *x.shape[1:]))
        return p.scatter(x if p.rank == source else None, part, counts, source)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        (g,) = gradients
        p = _agree_on(ctx.p, f"gradient {_shape(g)}", ctx.counts)
        whole = p.gather_to(g, ctx.counts, ctx.source)
        return ctx.empty if whole is None else whole, None, None, None


def _shape(g: torch.Tensor) -> str:
    """Of a part, without its number of entries."""
    return f"({', '.join(['n', *map(str, g.shape[1:])])}) {str(g.dtype).removeprefix('torch.')}"
