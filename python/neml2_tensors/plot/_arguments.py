# SPDX-License-Identifier: MIT
"""Converts the arguments of the plotting functions to tensors of torch, and raises the errors for wrong arguments."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar

import torch

from .. import crystallography
from ..tensors import R2, MillerIndex, Quaternion, Rot, TensorBase, Vec

Orientations: TypeAlias = Rot | Quaternion
Maps: TypeAlias = Literal["sample to crystal", "crystal to sample"]
Direction: TypeAlias = Vec | MillerIndex | Sequence[float]

CUBIC = ("23", "432")

P = ParamSpec("P")
T = TypeVar("T")


def on_cpu(function: Callable[P, T]) -> Callable[P, T]:
    """Changes a function so that it creates its tensors on the CPU, whatever torch's default device is."""

    @wraps(function)
    def wrapped(*arguments: P.args, **keywords: P.kwargs) -> T:
        with torch.device("cpu"):
            return function(*arguments, **keywords)

    return wrapped


def choice(function: str, name: str, value: object, *choices: object) -> None:
    if value not in choices:
        raise ValueError(f"{function}: {name} is {value!r}. Expected {' or '.join(map(repr, choices))}.")


def count(function: str, name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{function}: {name} is {value!r}. Expected an integer of at least {least}.")


def numbers(function: str, name: str, value: Any, *types: type[TensorBase]) -> torch.Tensor:
    """The numbers of a tensor of one of these types, in float64, on the CPU and without a gradient."""
    if not isinstance(value, types):
        expected = " or ".join(t.__name__ for t in types)
        raise TypeError(f"{function}: expected {name} of type {expected}, not {type(value).__name__}.")
    if not value.defined():
        raise ValueError(f"{function}: {name} is undefined: a {type(value).__name__}() without values.")
    t: torch.Tensor = value.torch().detach().to("cpu", torch.float64)
    bad = int((~t.isfinite()).sum())
    if bad:
        raise ValueError(f"{function}: {bad} of the {t.numel()} numbers of {name} are NaN or infinite.")
    return t


def direction(function: str, name: str, value: Any) -> torch.Tensor:
    """A direction as a unit vector, (3)."""
    if isinstance(value, (list, tuple)) and len(value) == 3 and all(isinstance(c, (int, float)) for c in value):
        value = Vec(torch.tensor(value, dtype=torch.float64))
    if not isinstance(value, (Vec, MillerIndex)):
        raise TypeError(f"{function}: expected {name} as Vec, MillerIndex or three numbers, not {value!r}.")
    v = numbers(function, name, value, Vec, MillerIndex)
    if v.dim() != 1:
        raise ValueError(
            f"{function}: {name} has the batch shape {value.batch.shape}. Expected one direction: take one of the batch."
        )
    if not v.any():
        raise ValueError(f"{function}: {name} is zero and has no direction.")
    return torch.nn.functional.normalize(v, dim=0)


def crystal_to_sample(function: str, orientations: Any, maps: Maps, *, empty: bool = False) -> torch.Tensor:
    """Matrices (n, 3, 3) whose columns are the axes of the crystal in the frame of the sample. Only if `empty` is True, n may be 0."""
    choice(function, "maps", maps, "sample to crystal", "crystal to sample")
    values = numbers(function, "orientations", orientations, Rot, Quaternion)
    if values.numel() == 0 and not empty:
        raise ValueError(f"{function}: there are no orientations in the batch shape {orientations.batch.shape}.")
    if isinstance(orientations, Quaternion):
        worst = float((values.norm(dim=-1) - 1).abs().max()) if values.numel() else 0.0
        if worst > 1e-3:
            raise ValueError(
                f"{function}: a quaternion differs from unit length by {worst:.2g} and is not a rotation. Divide by its norm."
            )
        matrix: R2 = Quaternion(values / values.norm(dim=-1, keepdim=True)).to_R2()
    else:
        matrix = Rot(values).euler_rodrigues()
    R = matrix.torch().reshape(-1, 3, 3)
    return R.mT if maps == "sample to crystal" else R


def rotation_group(function: str, crystal_class: Any) -> str:
    """The name of the rotation group of a crystal class or point group. For example, it is "432" for "m-3m"."""
    if not isinstance(crystal_class, str):
        raise TypeError(f'{function}: expected a crystal class as a string, such as "432", not {crystal_class!r}.')
    try:
        group: str = crystallography.rotation_group(crystal_class)
    except ValueError as error:
        raise ValueError(f"{function}: {error}") from None
    return group


def symmetry(group: str) -> torch.Tensor:
    """The rotations (n, 3, 3) of a crystal class."""
    operations: torch.Tensor = crystallography.symmetry(group, dtype=torch.float64).torch()
    return operations


def equivalent_poles(function: str, pole: Any, crystal_class: str) -> torch.Tensor:
    """The unit vectors (m, 3) that are equivalent to a pole, in the frame of the crystal; opposite vectors count as one."""
    group = rotation_group(function, crystal_class)
    operations = symmetry(group)
    if not isinstance(pole, Vec) and group not in CUBIC:
        raise ValueError(
            f"{function}: the meaning of Miller indices in class {crystal_class} depends on the lattice, which is "
            "not given here. Give the pole as a Vec in the Cartesian frame of the crystal."
        )
    v = direction(function, "the pole", pole)
    return crystallography.unique_bidirectional(R2(operations), Vec(v)).torch()
