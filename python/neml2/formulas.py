# SPDX-License-Identifier: MIT
"""Formulas of one's own: a Python function of single tensors, run over batches in one pass over memory.

    def von_mises(stress):
        return math.sqrt(1.5) * math.norm(math.dev(stress))

    neml2.vmap(von_mises, stress)  # (1000000; 6) -> (1000000; )

The function is called once for each choice of argument types, with tensors of a formula, which record what is done with
them. What was recorded runs at the speed of C++: interpreted block by block in the cache, or compiled where there is a
compiler. It is differentiated exactly, by the rules of the library.
"""

import collections
import dataclasses
import functools
import inspect
import itertools
import math as numbers
import operator
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, ParamSpec, TypeVar, overload

from . import _compiled, math
from .tensors import TensorBase, Vec

__all__ = ["Formula", "formula", "show", "value_and_jacobian", "vmap"]

recording: Any = import_module("._C", __package__).recording
P = ParamSpec("P")
R = TypeVar("R")

Row, Condition = recording.Row, recording.Condition


def _member(name: str) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        return recording.call(name, *arguments)

    call.__name__ = name
    return call


def _getattr(row: Any, name: str) -> Any:
    """A method of the types, on a tensor of a formula: s.dev() is math.dev(s)."""
    if not name.startswith("_") and recording.has_function(name):
        return functools.partial(_member(f"{row.type.__name__}.{name}"), row)
    raise AttributeError(
        f"{name}: not available in formulas, where a {row.type.__name__} is one tensor, without batch, dtype and device",
        name=name,
    )


def _no_member(condition: Any, name: str) -> Any:
    raise AttributeError(f"{name}: not available of a condition of a formula. Choose with math.where(condition, a, b).", name=name)


Row.__getattr__, Condition.__getattr__ = _getattr, _no_member


class _Base:
    """s.base of a tensor of a formula: what it gives are Tensors of the formula, as of batches."""

    def __init__(self, row: Any):
        self._row = row

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._row._sizes)

    def dim(self) -> int:
        return len(self.shape)

    def size(self, dim: int) -> int:
        return self.shape[dim]

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        return recording.rearranged([self._row], lambda places: places[0].base[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("a formula does not write into tensors: make another one, by math.where or math.base_stack.")

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in ("expand", "expand_copy", "flatten", "movedim", "reshape", "slice", "squeeze", "transpose", "unsqueeze"):
            raise AttributeError(f"{name}: not available of .base in formulas", name=name)

        def call(*arguments: Any) -> Any:
            return recording.rearranged([self._row], lambda places: getattr(places[0].base, name)(*arguments))

        return call


Row.base = property(_Base)


# ---- Functions of lists and with options, for tensors of a formula ----


def _base_stack(tensors: Any, d: int = 0) -> Any:
    return recording.rearranged(list(tensors), lambda places: math.base_stack(places, d))


def _base_cat(tensors: Any, d: int = -1) -> Any:
    return recording.rearranged(list(tensors), lambda places: math.base_cat(places, d))


def _base_sum(a: Any, d: int | Sequence[int] = 0, keepdim: bool = False) -> Any:
    rank = len(a.base.shape)
    for k in sorted(({d % rank} if isinstance(d, int) else {i % rank for i in d}), reverse=True):
        a = functools.reduce(operator.add, a.base.movedim(k, 0).base)
        a = a.base.unsqueeze(k) if keepdim else a
    return a


def _base_mean(a: Any, d: int | Sequence[int] = 0, keepdim: bool = False) -> Any:
    total = _base_sum(a, d, keepdim)
    return total / (numbers.prod(a.base.shape) / numbers.prod(total.base.shape))


def _interpolate(x: Any, *arguments: Any, **options: Any) -> Any:
    """A table of one abscissa, or of two, as math.interpolate tells them apart."""
    if "values" in options or (len(arguments) > 3 and not isinstance(arguments[2], str)):
        return _bilinear_interpolation(x, *arguments, **options)

    def one(abscissae: Any, ordinates: Any, interpolant: str = "linear", beyond: str = "constant") -> Any:
        return recording.interpolate(x, abscissae, ordinates, interpolant, beyond)

    return one(*arguments, **options)


def _linear_interpolation(x: Any, abscissae: Any, ordinates: Any, beyond: str = "constant") -> Any:
    return recording.interpolate(x, abscissae, ordinates, "linear", beyond)


def _bilinear_interpolation(x: Any, y: Any, x_abscissae: Any, y_abscissae: Any, values: Any, beyond: str = "constant") -> Any:
    return recording.interpolate(x, y, x_abscissae, y_abscissae, values, beyond)


def _row(A: Any, i: int) -> Any:
    return Vec(A.base[i])


def _col(A: Any, i: int) -> Any:
    return Vec(A.base[:, i])


def _einsum(equation: str, operands: Any) -> Any:
    """Sums of products of components, one by one."""
    inputs, result = equation.replace(" ", "").replace("...", "").split("->")
    letters = inputs.split(",")
    sizes = {i: n for indices, t in zip(letters, operands, strict=True) for i, n in zip(indices, t.base.shape, strict=True)}
    summed = [i for i in sizes if i not in result]

    def component(places: tuple[int, ...]) -> Any:
        at = dict(zip(result, places, strict=True))
        terms = []
        for others in itertools.product(*(range(sizes[i]) for i in summed)):
            at.update(zip(summed, others, strict=True))
            terms.append(functools.reduce(operator.mul, (t(*(at[i] for i in own)) for own, t in zip(letters, operands, strict=True))))
        return functools.reduce(operator.add, terms)

    flat = [component(places) for places in itertools.product(*(range(sizes[i]) for i in result))]
    return _base_stack(flat).base.reshape(*(sizes[i] for i in result))


for _function in (_base_stack, _base_cat, _base_sum, _base_mean, _interpolate, _linear_interpolation, _bilinear_interpolation, _row, _col, _einsum):
    recording.define(_function.__name__.removeprefix("_"), _function)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    recording.define(_name, getattr(operator, _name))


def _logical(name: str, of_conditions: Callable[..., Any]) -> None:
    def call(*conditions: Any) -> Any:
        if not all(isinstance(c, Condition) for c in conditions):
            raise TypeError(f"logical_{name}: in a formula it takes conditions, as a < b gives. Write a != 0 of a number.")
        return of_conditions(*conditions)

    recording.define(f"logical_{name}", call)


_logical("and", operator.and_)
_logical("or", operator.or_)
_logical("xor", operator.xor)
_logical("not", operator.invert)


# ---- Groups: tuples, lists, dicts, named tuples and dataclasses of tensors and numbers ----


def _parts(group: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """The members of a group, and what makes one of its kind; None of what is no group."""
    kind = type(group)
    if isinstance(group, tuple) and hasattr(group, "_fields"):
        return list(group), lambda members: kind(*members)
    if isinstance(group, (tuple, list)):
        return list(group), kind
    if isinstance(group, dict):
        keys = list(group)
        return list(group.values()), lambda members: dict(zip(keys, members, strict=True))
    if dataclasses.is_dataclass(group) and not isinstance(group, type):
        names = [f.name for f in dataclasses.fields(group)]
        return [getattr(group, n) for n in names], lambda members: kind(**dict(zip(names, members, strict=True)))
    return None


def _flatten(group: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """All tensors and numbers of a group, and what makes the group of as many."""
    parts = _parts(group)
    if parts is None:
        return [group], lambda leaves: leaves[0]
    members, make = parts
    flat = [_flatten(m) for m in members]
    if type(group) is tuple and all(len(leaves) == 1 and _parts(m) is None for m, (leaves, _) in zip(members, flat, strict=True)):
        return members, tuple

    def together(leaves: list[Any]) -> Any:
        at, made = 0, []
        for part, remake in flat:
            made.append(remake(leaves[at : at + len(part)]))
            at += len(part)
        return make(made)

    return [leaf for leaves, _ in flat for leaf in leaves], together


def _structure(group: Any) -> Any:
    """What two groups have in common that are made alike."""
    parts = _parts(group)
    if parts is None:
        return None
    keys = tuple(group) if isinstance(group, dict) else None
    return type(group), keys, tuple(_structure(m) for m in parts[0])


# ---- What a function uses besides its arguments ----


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return cell


def _used(function: Any) -> tuple[list[Any], list[Any]]:
    """The global names of a function, each with its namespace and value, and the variables of functions around it; and those
    of the functions among them, but the library's."""
    names: list[Any] = []
    variables: list[Any] = []
    seen: set[int] = set()
    left = [function]
    while left:
        f = left.pop()
        f = getattr(f, "__func__", f)
        f = f.__wrapped__ if isinstance(f, Formula) else f  # type: ignore[attr-defined]
        if dataclasses.is_dataclass(f) and callable(f) and not isinstance(f, type):
            left += vars(f).values()
        if not isinstance(f, types.FunctionType) or id(f) in seen or f.__module__.split(".")[0] in ("neml2", "torch"):
            continue
        seen.add(id(f))
        codes = [f.__code__]
        for code in codes:  # and those of functions defined in it
            codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
            names += [(f.__globals__, n, f.__globals__[n]) for n in code.co_names if n in f.__globals__]
        variables += [(c, _contents(c)) for c in f.__closure__ or ()]
        left += [value for _, _, value in names] + [value for _, value in variables]
    return names, variables


# ---- Formulas ----


class Formula:
    """A formula that is recorded when it is first called with arguments of certain types.

    Called with tensors and numbers it is vmap of its function. What the function uses besides its arguments is taken as it
    is while it is recorded. Where a global name or a variable of the function around it has another value later, also in
    functions that it calls, it is recorded again; what changes inside of an object is not seen: pass it as an argument.
    """

    def __init__(self, function: Callable[..., Any], backend: str | None = None):
        if not callable(function):
            raise TypeError(f"vmap: the formula is a {type(function).__name__}. Expected a function.")
        self.backend = _compiled.checked(backend)
        functools.update_wrapper(self, function)
        self._start()

    def _start(self) -> None:
        """Forgets what was recorded."""
        function = self.__wrapped__  # type: ignore[attr-defined]
        self._formula = recording.Formula(function, _flatten)
        self._grouped: dict[Any, Formula] = {}
        self._calls = 0
        self._programs = 0  # that are compiled, or are being
        self._names, self._variables = _used(function)

    def _update(self) -> None:
        """Starts again if what the function uses is another."""
        for namespace, name, value in self._names:
            if namespace.get(name) is not value:
                return self._start()
        for cell, value in self._variables:
            if _contents(cell) is not value:
                return self._start()

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if recording.is_recording():  # in another formula it is what its function is
            return self.__wrapped__(*arguments, **keywords)  # type: ignore[attr-defined]
        self._update()
        if keywords:
            arguments = self._in_order(arguments, keywords)
        result = self._formula(*arguments)
        if result is None:
            formula, leaves = self._flat(arguments)
            return formula(*leaves)
        if self.backend != "interpreter":
            self._compile()
        return result

    def _in_order(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
        """Arguments by their places that were passed by name."""
        bound = inspect.signature(self.__wrapped__).bind(*arguments, **keywords)  # type: ignore[attr-defined]
        if bound.kwargs:  # behind one that is left out
            bound.apply_defaults()
        if bound.kwargs:
            raise TypeError(f"vmap: {', '.join(bound.kwargs)}: the arguments of a formula have places, none is keyword-only.")
        return bound.args

    def __repr__(self) -> str:
        return f"<formula {getattr(self.__wrapped__, '__qualname__', self.__wrapped__)}>"  # type: ignore[attr-defined]

    def value_and_jacobian(self, *arguments: Any, argnums: int | tuple[int, ...] = 0, of: Any = None) -> Any:
        """See neml2.value_and_jacobian."""
        if recording.is_recording():
            raise TypeError("value_and_jacobian: not available in formulas. Return what is needed of its parts.")
        self._update()
        places = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        places = tuple(k + len(arguments) if k < 0 else k for k in places)
        if not places or any(not 0 <= k < len(arguments) for k in places):
            raise TypeError(f"value_and_jacobian: argnums is {argnums}. Expected the places of tensors among the {len(arguments)} arguments.")
        formula, leaves = self._flat(arguments)
        starts = list(itertools.accumulate((len(_flatten(a)[0]) for a in arguments), initial=0))
        members = [[i for i in range(starts[k], starts[k + 1]) if isinstance(leaves[i], TensorBase)] for k in places]
        if not all(members):
            raise TypeError("value_and_jacobian: an argument of argnums is a plain number. Expected a tensor, or a group with one.")
        value, jacobians = formula._differentiate(list(itertools.chain(*members)), of, leaves)

        # One for each result and argument: of a group the group of them.
        each = iter(jacobians)
        grouped = []
        for _ in range(len(jacobians) // sum(map(len, members))):
            for k, of_k in zip(places, members, strict=True):
                own = [next(each) if i in of_k else None for i in range(starts[k], starts[k + 1])]
                grouped.append(_flatten(arguments[k])[1](own))
        if self.backend != "interpreter":
            formula._compile()
        return value, grouped[0] if isinstance(argnums, int) and len(grouped) == 1 else tuple(grouped)

    def _differentiate(self, by: list[int], of: Any, leaves: list[Any]) -> Any:
        """Value and Jacobians of the results that `of` names, one after the other."""
        results = None
        if of is not None:
            n, together = self._formula.returned(*leaves)
            group = 0 if together is None else together(list(range(n)))
            chosen = of if isinstance(of, (tuple, list)) else (of,)
            try:
                results = [i for o in chosen for i in _flatten(_member_of(group, o))[0]]
            except (LookupError, AttributeError, TypeError):
                raise TypeError(
                    f"value_and_jacobian: of is {of!r}. Expected places or names of results, of which the formula returned {group!r}."
                ) from None
        return self._formula.value_and_jacobian(by, results, *leaves)

    def _flat(self, arguments: tuple[Any, ...]) -> "tuple[Formula, list[Any]]":
        """The formula of all members of the groups among arguments, and these; itself without groups."""
        for a in _flatten(list(arguments))[0]:
            if isinstance(a, bool) or not isinstance(a, (TensorBase, int, float)):
                raise TypeError(
                    f"vmap: an argument is a {type(a).__name__}. Expected tensors of this library, numbers, and groups of them: "
                    "tuples, lists, dicts and dataclasses."
                )
        structure = tuple(_structure(a) for a in arguments)
        leaves, together = _flatten(list(arguments))
        if not any(structure):
            return self, leaves
        formula = self._grouped.get(structure)
        if formula is None:
            function = self.__wrapped__  # type: ignore[attr-defined]
            formula = Formula(lambda *flat: function(*together(list(flat))), self.backend)
            self._grouped[structure] = formula
        return formula, leaves

    def _compile(self) -> None:
        """Has what was recorded since the last call be compiled, if it is time to."""
        self._calls += 1
        count = self._formula.program_count()
        if count != self._programs and (self.backend == "compiler" or self._calls >= _compiled.CALLS):
            self._programs = count
            _compiled.compile_programs(self._formula, self.backend)


def _member_of(group: Any, name: Any) -> Any:
    """A result by its place or name; of one alone, itself."""
    if isinstance(name, str) and not isinstance(group, dict):
        return getattr(group, name)
    parts = _parts(group)
    if parts is None:
        return [group][name]
    return group[name] if isinstance(group, dict) and isinstance(name, str) else parts[0][name]


_most = 256  # formulas of functions that vmap keeps
_formulas: "collections.OrderedDict[Any, Formula]" = collections.OrderedDict()
_lock = threading.Lock()


@overload
def formula(function: Callable[P, R], *, backend: str | None = None) -> Callable[P, R]: ...
@overload
def formula(function: None = None, *, backend: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def formula(function: Callable[..., Any] | None = None, *, backend: str | None = None) -> Any:
    """A function of single tensors as one of batches: vmap of it, as a decorator.

        @neml2.formula
        def energy(strain, stiffness): ...

    backend is "auto" (interpreted, and compiled while it runs once that is worth it), "interpreter" or "compiler"; the
    environment variable NEML2_FORMULAS is the default.
    """
    if function is None:
        return functools.partial(formula, backend=backend)
    return function if isinstance(function, Formula) else Formula(function, backend)


def _key(function: Any) -> Any:
    """What functions have in common that are the same. A function that takes nothing but its arguments from where it stands,
    as most lambdas, is any other that is made of the same code."""
    if type(function) is types.FunctionType:
        own = function.__closure__ or function.__defaults__ or function.__kwdefaults__
        return function if own else (function.__code__, id(function.__globals__))
    return function


def formula_of(function: Any, key: Any = None) -> Formula:
    """The formula of a function, that used last being kept."""
    if isinstance(function, Formula):
        return function
    key = _key(function) if key is None else key
    try:
        with _lock:
            known = _formulas.get(key)
            if known is None:
                known = _formulas[key] = Formula(function)
                if len(_formulas) > _most:
                    _formulas.popitem(last=False)
            else:
                _formulas.move_to_end(key)
            return known
    except TypeError:  # of what has no hash
        return Formula(function)


def vmap(function: Callable[P, R], *arguments: P.args, **keywords: P.kwargs) -> R:
    """A function of single tensors, over a batch: in one pass over memory, with its gradients.

    (batch; base) of each argument, whose batch shapes broadcast, -> (batch; base) of each result. Arguments are tensors whose
    type fixes their base shape, numbers, and groups of them. The function is called once for each choice of types, with
    tensors of a formula, and must not decide by their values: math.where chooses. Where it cannot run so (other devices and
    dtypes, transforms of functorch) it is called with the batches.
    """
    result: R = formula_of(function)(*arguments, **keywords)
    return result


def value_and_jacobian(function: Callable[..., R], *arguments: Any, argnums: int | tuple[int, ...] = 0, of: Any = None) -> tuple[R, Any]:
    """A function of single tensors over a batch, and its exact Jacobians by the arguments argnums, in one pass.

    Returns the value, and the Jacobian or, for several argnums or results, the tuple of them: of the first result by each
    argument, then of the next. The Jacobian by a group is such a group, with None for its numbers. `of` names the results that
    are differentiated, by place or name or a tuple of these; the others are carried along.
    (batch; y), (batch; x) -> (batch; y, x): an SSR4 of an SR2 by an SR2.
    """
    result: tuple[R, Any] = formula_of(function).value_and_jacobian(*arguments, argnums=argnums, of=of)
    return result


def show(function: Any) -> str:
    """What was recorded of a formula: the operations on numbers, for each choice of argument types."""
    lines = []
    for types_, what, program, is_compiled in formula_of(function)._formula.programs():
        listing = recording.listing(program)
        lines += [f"{what} of ({types_}), {'compiled' if is_compiled else 'interpreted'}:", listing]
    return "\n".join(lines) or "not recorded yet: call it"
