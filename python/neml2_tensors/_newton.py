# SPDX-License-Identifier: MIT
"""Newton's method at each point, in formulas and over batches."""

import dataclasses
import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any, Generic, TypeVar

import torch

from . import math
from .formulas import _key, formula_of, names_of, places_named
from .tensors import Scalar, TensorBase

recording: Any = import_module("._C", __package__).recording
flatten = recording.flatten
X = TypeVar("X")


@dataclasses.dataclass(frozen=True)
class NewtonReport(Generic[X]):
    """The result of newton_report: at each point the solution, the number of evaluations of the residual, whether the iteration has
    converged, and the norm of the residual at the solution. Outside of formulas this norm has no derivatives."""

    solution: X
    iterations: Scalar
    converged: Any
    residual: Scalar


@dataclasses.dataclass(frozen=True)
class _Options:
    relative_tolerance: float = 1e-8
    absolute_tolerance: float = 1e-10
    max_iterations: int = 50
    bounds: Any = ()
    max_step: Any = ()
    line_search: bool = True
    keep_unconverged: bool = False

    def of(self, guess: Any) -> "_Options":
        """These options, with names of unknowns replaced by their places in a guess."""
        try:
            operator.index(self.max_iterations)
        except TypeError:
            raise TypeError(f"newton: max_iterations is {self.max_iterations!r}. Expected a whole number.") from None
        bounds = _of_unknowns(self.bounds, guess, lambda b: tuple(map(float, b)), "bounds", "(lower, upper)")
        max_step = _of_unknowns(self.max_step, guess, lambda s: (float(s),), "max_step", "a number")
        return dataclasses.replace(self, bounds=bounds, max_step=max_step)

    def chosen(self) -> Any:
        return recording.NewtonOptions(*dataclasses.astuple(self))


def _of_unknowns(choice: Any, guess: Any, read: Callable[[Any], tuple[float, ...]], name: str, expected: str) -> tuple[Any, ...]:
    """Reads a choice, which is for all unknowns, or a dict {place or name: choice for this unknown}. Returns tuples that begin with the
    place of an unknown, or with -1 for all unknowns."""
    if choice is None or choice == ():
        return ()
    try:
        if not isinstance(choice, dict):
            return ((-1, *read(choice)),)
        return tuple((place, *read(c)) for k, c in choice.items() for place in _places(k, guess, name))
    except (TypeError, ValueError):
        raise TypeError(
            f"newton: {name} is {choice!r}. Expected {expected}, or a dict of them by the places or the names of unknowns."
        ) from None


def _places(unknown: Any, guess: Any, name: str) -> list[int]:
    """The places in a guess that the key of a choice means. A number is a place. A name, such as `p` or `inner.p`, stands for the unknown
    with this name, or for all members of the group with this name."""
    leaves, structure = flatten(guess)
    if not isinstance(unknown, str):
        place = operator.index(unknown)
        if not -len(leaves) <= place < len(leaves):
            raise LookupError(f"newton: {name} names the unknown {place}. There are {len(leaves)}, counted from 0.")
        return [place % len(leaves)]
    places: list[int] = places_named(unknown, structure)
    if not places:
        names = ", ".join(filter(None, names_of(structure))) or "one, without a name"
        raise LookupError(f"newton: {name} names {unknown!r}. The unknowns are {names}.")
    return places


@dataclasses.dataclass(frozen=True, eq=False)
class _Solve:
    """newton as a function of the guess and the arguments."""

    residual: Callable[..., Any]
    options: _Options

    @property
    def __wrapped__(self) -> Callable[..., Any]:  # lets the caller see what the function uses besides its arguments
        return self.residual

    def __call__(self, guess: Any, *arguments: Any) -> Any:
        solution, iterations, converged = _solve(self.residual, guess, arguments, self.options)
        return solution, iterations, math.where(converged, 1.0, 0.0 * iterations)


@dataclasses.dataclass(frozen=True, eq=False)
class _Left:
    """The norm of the residual at a solution, as a function of the solution and the arguments."""

    residual: Callable[..., Any]

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.residual

    def __call__(self, solution: Any, *arguments: Any) -> Any:
        square: Any = 0.0
        for leaf in flatten(self.residual(solution, *arguments))[0]:
            kind = leaf.type if isinstance(leaf, recording.Row) else float
            square = square + (math.norm_sq(leaf) if issubclass(kind, TensorBase) and kind is not Scalar else leaf * leaf)
        is_zero = square <= 0.0
        return math.where(is_zero, 0.0, math.sqrt(math.where(is_zero, 1.0, square)))


def _solve(residual: Callable[..., Any], guess: Any, arguments: tuple[Any, ...], options: _Options) -> tuple[Any, Any, Any]:
    leaves, together = flatten(guess)

    def equations(x: list[Any]) -> Any:
        return flatten(residual(together(x), *arguments))[0]

    solution, iterations, converged = recording.newton_in_formula(equations, leaves, options.chosen())
    return together(solution), iterations, converged


def newton(
    residual: Callable[..., Any],
    guess: X,
    *arguments: Any,
    relative_tolerance: float = 1e-8,
    absolute_tolerance: float = 1e-10,
    max_iterations: int = 50,
    bounds: Any = None,
    max_step: Any = None,
    line_search: bool = True,
    keep_unconverged: bool = False,
) -> X:
    """The x with residual(x, *arguments) = 0 at each point, by Newton's method from a guess; also in a formula.

    x is a tensor or a group of tensors (tuples, dicts, dataclasses). residual is a function of single tensors, as for vmap. It returns a
    tensor or a group, too, with as many numbers as x. Batch shapes broadcast: (batch; base) of the guess -> (batch; base).

    Each point is iterated independently. It has converged if |r_i| <= absolute_tolerance + relative_tolerance Σ_j |∂r_i/∂x_j x_j| in each
    equation i; then it takes one more step. With line_search, a step is halved if the step after it, computed with the same derivatives,
    would not be shorter. bounds = (lower, upper) keep the iterates inside these bounds. max_step limits the change of each number in a
    step. Both may be dicts by the places or names of unknowns: {"p": (0.0, 1.0)}. x is NaN if max_iterations evaluations do not suffice, if
    the derivatives are singular, or if a number is NaN; with keep_unconverged it is the last iterate instead.

    The solution is differentiated as an implicit function, ∂x/∂a = -(∂r/∂x)^-1 ∂r/∂a. In a formula it has derivatives by everything that
    the residual uses; outside of formulas it has derivatives only by the arguments. It has no derivative by the guess.

    Source: Deuflhard (2011), Newton Methods for Nonlinear Problems, Springer, sections 2.1.2 and 3.3.
    """
    options = _Options(relative_tolerance, absolute_tolerance, max_iterations, bounds, max_step, line_search, keep_unconverged)
    solution: X = _found(residual, guess, arguments, options)[0]
    return solution


def newton_report(residual: Callable[..., Any], guess: X, *arguments: Any, **options: Any) -> NewtonReport[X]:
    """newton with a report at each point: solution, iterations, converged, and residual, the norm of the residual at the solution. It takes
    the options of newton.

    At a simple root the residual is much smaller than the tolerance, because one step follows the test. A residual near the absolute
    tolerance means that the derivatives vanish at the solution, as at a multiple root, or that the values of the equations are small
    everywhere. Then x may be wrong although it has converged.
    """
    solution, iterations, converged = _found(residual, guess, arguments, _Options(**options))
    left = _Left(residual)
    if recording.is_recording():
        return NewtonReport(solution, iterations, converged, left(solution, *arguments))
    with torch.no_grad():
        size = formula_of(left, ("newton_report", _key(residual)))(solution, *arguments)
    return NewtonReport(solution, iterations, converged, size)


def _found(residual: Callable[..., Any], guess: Any, arguments: tuple[Any, ...], options: _Options) -> tuple[Any, Any, Any]:
    """The solution, the number of evaluations of the residual, and whether the iteration has converged."""
    chosen = options.of(guess)
    chosen.chosen()  # checks the options
    if recording.is_recording():
        return _solve(residual, guess, arguments, chosen)
    if not any(isinstance(leaf, TensorBase) for leaf in flatten([guess, *arguments])[0]):
        raise TypeError(
            "newton: neither the guess nor an argument is a tensor of this library. Pass tensors that the residual uses as arguments; "
            "only in a formula (neml2.vmap) may it use tensors around it."
        )
    solve = formula_of(_Solve(residual, chosen), ("newton", _key(residual), chosen))
    solution, iterations, converged = solve(guess, *arguments)
    return solution, iterations, converged > 0.5

