# SPDX-License-Identifier: MIT
"""Functions that Python and torch call to copy, pickle, flatten, collate (in a DataLoader) and compile tensors of the library."""

import copyreg
import functools
import inspect
from typing import Any

import torch
from torch.utils import _pytree
from torch.utils.data._utils import collate

from . import math, tensors
from .tensors import LabeledAxis, LabeledAxisAccessor, LabeledMatrix, LabeledTensor3D, LabeledVector, Tensor, TensorBase

LABELED = (LabeledVector, LabeledMatrix, LabeledTensor3D)
TYPES: tuple[Any, ...] = (
    *(c for c in vars(tensors).values() if isinstance(c, type) and TensorBase in c.__bases__),
    *LABELED,
)


# ---- Copies ----


def parts(a: Any) -> tuple[Any, ...]:
    """The arguments with which the type of a tensor makes an equal tensor."""
    if not a.defined():
        return ()
    if isinstance(a, LABELED):
        return a.tensor(), a.axes()
    return (a.torch(), a.batch.dim()) if isinstance(a, Tensor) else (a.torch(),)


def rebuilt(cls: Any, *parts: Any) -> Any:
    """An object of a class that a user derived from a class of this library, made without calling the __init__ of the user's class."""
    (own,) = [c for c in cls.__mro__ if c in (*TYPES, LabeledAxis)]
    a = own.__new__(cls)
    own.__init__(a, *parts)
    return a


def attributes(a: Any) -> tuple[Any, Any]:
    """The attributes that a derived class adds, as pickle expects them: first __dict__, then a dict of the attributes in __slots__."""
    slots = {name: getattr(a, name) for name in copyreg._slotnames(type(a)) if hasattr(a, name)}  # type: ignore[attr-defined]
    return getattr(a, "__dict__", None), slots


def reduce(self: Any) -> tuple[Any, ...]:
    """The function and arguments from which copy, deepcopy and pickle make an equal object."""
    if type(self) in TYPES:
        return type(self), parts(self)
    return rebuilt, (type(self), *parts(self)), attributes(self)


def copy_of_axis(self: Any, memo: Any = None) -> Any:
    """A copy of an axis. It shares the items if the axis is set up."""
    if type(self) is LabeledAxis:
        return LabeledAxis(self)
    a = rebuilt(type(self), self)
    for state in attributes(self):
        for name, value in (state or {}).items():
            object.__setattr__(a, name, value)
    return a


# ---- Tensors as nodes of trees of torch.utils._pytree, which torch.func, torch.export and others use ----


def flatten(a: Any) -> tuple[list[torch.Tensor], Any]:
    if not a.defined():
        return [], None
    return [a.torch()], a.axes() if isinstance(a, LABELED) else a.base.dim()


def flatten_with_keys(a: Any) -> tuple[list[Any], Any]:
    leaves, context = flatten(a)
    return [(_pytree.GetAttrKey("tensor"), t) for t in leaves], context


def unflatten(cls: Any, leaves: Any, context: Any) -> Any:
    if context is None:
        return cls()
    (t,) = leaves
    if not isinstance(t, torch.Tensor):
        return t  # the function of a tree_map returned something other than a tensor
    if cls is Tensor:
        return Tensor(t, t.dim() - context)
    return cls(t, context) if cls in LABELED else cls(t)


def register_tree(cls: Any) -> None:
    register = getattr(_pytree, "register_pytree_node", None) or _pytree._register_pytree_node  # before torch 2.2
    known = inspect.signature(register).parameters
    options: dict[str, Any] = {"flatten_with_keys_fn": flatten_with_keys}
    if cls not in LABELED:
        options["serialized_type_name"] = f"neml2_tensors.{cls.__name__}"
    register(cls, flatten, functools.partial(unflatten, cls), **{k: v for k, v in options.items() if k in known})


# ---- Batches of a DataLoader ----


def collated(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Stacks tensors of one type and shape along a new first batch dimension."""
    first = batch[0]
    if any(type(a) is not type(first) for a in batch):
        raise TypeError(f"default_collate: expected tensors of one type, not {sorted({type(a).__name__ for a in batch})}.")
    if isinstance(first, LABELED) and any(a.axes() != first.axes() for a in batch):
        raise ValueError(f"default_collate: the axes of these {type(first).__name__}s differ.")
    if isinstance(first, Tensor) and any(a.base.shape != first.base.shape for a in batch):
        math.batch_stack(batch)  # its error says which shapes differ
    stacked = collate.collate([a.torch() for a in batch], collate_fn_map=collate_fn_map)
    t = Tensor(stacked, first.batch.dim() + 1)
    return rebuilt(type(first), t, first.axes()) if isinstance(first, LABELED) else rebuilt(type(first), t)


# ---- torch.compile ----


def inlined(name: str) -> Any:
    """An in-place operator as a Python function. torch.compile looks into this function, and then lets Python call the operator.
    torch.compile would take the operator itself, which is compiled, for a recursive call."""
    operate = getattr(TensorBase, name)

    @functools.wraps(operate)
    def operator(self: Any, other: Any) -> Any:
        return operate(self, other)

    return operator


def install() -> None:
    bases: tuple[Any, ...] = (TensorBase, *LABELED)
    for base in bases:
        base.__reduce__ = reduce
        collate.default_collate_fn_map[base] = collated
    axis: Any = LabeledAxis
    axis.__copy__ = axis.__deepcopy__ = copy_of_axis
    for name in ("__iadd__", "__isub__", "__imul__", "__itruediv__"):
        setattr(TensorBase, name, inlined(name))
    for cls in TYPES:
        register_tree(cls)
    if hasattr(torch.serialization, "add_safe_globals"):  # torch 2.4 and newer, for torch.load with weights_only
        torch.serialization.add_safe_globals([*TYPES, LabeledAxis, LabeledAxisAccessor, rebuilt])
