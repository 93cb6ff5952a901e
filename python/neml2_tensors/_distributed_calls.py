# SPDX-License-Identifier: MIT
"""Calls of distributed functions with tensors of the library and groups of them. This module checks that all processes make the same call,
and moves the dimension that is divided among the processes to the front."""

import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import torch

from . import _interop
from ._distributed_functions import ScatterFrom, differentiated, divided
from ._processes import Processes
from .tensors import Tensor, TensorBase

recording: Any = import_module("._C", __package__).recording
dist: Any = torch.distributed
T = TypeVar("T")
Group = Any  # torch.distributed.ProcessGroup, which some builds of torch lack


class Leaf:
    """A tensor of the library, and the place of batch dimension d among all its dimensions."""

    def __init__(self, name: str, a: Any, d: int, new: int):
        if not isinstance(a, (TensorBase, *_interop.LABELED)):
            raise TypeError(
                f"{name}: expected tensors of this library or groups of them, not {type(a).__name__}. For a tensor of torch, say which "
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
        """A text such as SR2 (5, 2; 6). The size at place n_at is written as n."""
        sizes = ["n" if i == n_at else str(size) for i, size in enumerate(self.x.shape)]
        batch, base = ", ".join(sizes[: self.batch_dim]), ", ".join(sizes[self.batch_dim :])
        return f"{type(self.tensor).__name__} ({batch};{' ' if base else ''}{base})"

    def described(self, new: int) -> str:
        """The description that must be the same in all processes."""
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


def on_leaves(
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
    """Calls run(processes, x, counts) for each tensor of a group. The result has `more` dimensions more than x (-1, 0 or 1). Dimension d is
    the first dimension of x. If `more` is 1, d is a new dimension, which is the first one of the result."""
    p = Processes(name, group)
    try:
        leaves, together, entries, call = _checked(p, a, d, n, accepts)
    except Exception as error:
        p.refuse(error)
        raise
    counts = p.agree(call, entries)
    results = []
    for leaf in leaves:
        if isinstance(leaf, Leaf):
            x = run(p, leaf.x if more == 1 else leaf.x.movedim(leaf.d, 0), counts)
            if more >= 0 and leaf.d != 0:
                x = x.movedim(0, leaf.d)
            leaf = leaf.like(x, leaf.batch_dim + more)
        results.append(leaf)
    return together(results)  # type: ignore[no-any-return]


def _checked(p: Processes, a: Any, d: int, n: int | None, accepts: str) -> tuple[list[Any], Any, int, str]:
    """The leaves of a group, the function that joins them, the number of entries, and the description that all processes must share."""
    new = 0 if n is None else 1
    if n is not None and n < 0:
        raise ValueError(f"{p.name}: {n} entries. Expected 0 or more.")
    leaves, together = _flat(a)
    leaves = [leaf if type(leaf) in (int, float) else Leaf(p.name, leaf, d, new) for leaf in leaves]
    tensors = [leaf for leaf in leaves if isinstance(leaf, Leaf)]
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
    described = [leaf.described(new) if isinstance(leaf, Leaf) else repr(leaf) for leaf in leaves]
    if not recording.is_leaf(a):  # if groups differ in order or kind, their tensors do not belong together
        described = [f"{path}: {text}" for path, text in zip(together.paths(), described, strict=True)]
        described = [f"a {type(a).__name__} with {', '.join(described)}"]
    return leaves, together, sizes.pop() if sizes else 0, f"{p.name} of {', '.join(described)} along dimension {d}"


def _flat(a: Any) -> tuple[list[Any], Any]:
    leaves, together = recording.flatten(a)
    return leaves, together


def _is_recorded(x: torch.Tensor) -> bool:
    return torch.is_grad_enabled() and x.requires_grad


# ---- From one process ----


def scatter_from(p: Processes, a: Any, d: int, source: int) -> Any:
    try:
        if not 0 <= source < p.size:
            raise ValueError(
                f"scatter_batch: the source is {source}, and the group has {p.size} processes. Expected a rank in [0, {p.size})."
            )
        leaves, together, n, _ = _checked(p, a if p.rank == source else (), d, None, "")
        message = _about(leaves, together) if p.rank == source else None
    except Exception as error:
        p.refuse(error)
        raise
    grad = "on" if torch.is_grad_enabled() else "off"
    counts = divided(p.agree(f"scatter_batch from process {source} along dimension {d}, grad mode {grad}", n)[source], p.size)
    shared = p.share(message, source)
    try:  # a class of the group may be missing here
        empty, devices, recorded = pickle.loads(shared)
    except Exception as error:
        p.refuse(error)
        raise
    p.agree("scatter_batch of a group that all know")
    if p.rank != source:
        leaves, together = _flat(empty)
        leaves = [leaf if type(leaf) in (int, float) else Leaf(p.name, leaf, d, 0) for leaf in leaves]
    results = []
    for leaf, device, is_recorded in zip(leaves, devices, recorded, strict=True):
        if isinstance(leaf, Leaf):
            x = leaf.x.movedim(leaf.d, 0)
            if p.rank != source:  # represents the whole batch, so that autograd asks for its gradient here, too
                x = x.to(torch.device("cuda", torch.cuda.current_device()) if device == "cuda" else device).requires_grad_(is_recorded)
            leaf = leaf.like(differentiated(ScatterFrom, x, p, counts, source).movedim(0, leaf.d), leaf.batch_dim)
        results.append(leaf)
    return together(results)


def _about(leaves: list[Any], together: Any) -> bytes:
    """A description from which the other processes make the group before its numbers arrive. It contains the group without entries, and for
    each tensor the type of its device and whether it requires grad."""
    tensors = [leaf if isinstance(leaf, Leaf) else None for leaf in leaves]
    empty = [leaf.like(_empty(leaf), leaf.batch_dim) if isinstance(leaf, Leaf) else leaf for leaf in leaves]
    return pickle.dumps((together(empty), [t and t.x.device.type for t in tensors], [t is not None and _is_recorded(t.x) for t in tensors]))


def _empty(leaf: Leaf) -> torch.Tensor:
    shape = list(leaf.x.shape)
    shape[leaf.d] = 0
    return torch.empty(shape, dtype=leaf.x.dtype)
