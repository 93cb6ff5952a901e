# SPDX-License-Identifier: MIT
"""Formulas: Python functions of single tensors that run over batches in one pass over memory.

    def von_mises(stress):
        return math.sqrt(1.5) * math.norm(math.dev(stress))

    neml2.vmap(von_mises, stress)  # (1000000; 6) -> (1000000; )

The function is called once for each choice of argument types. It gets tensors of a formula, which record the operations on them. The
recorded operations run at the speed of C++. They are interpreted for blocks of points that fit in the processor's cache, or compiled if a
compiler is available. They are differentiated exactly, by the rules of the library.
"""

import atexit
import collections
import functools
import inspect
import os
import re
import threading
import types
import weakref
from collections.abc import Callable
from importlib import import_module
from typing import Any, ParamSpec, TypeVar, overload

from . import _background, _compiled, _rows, _transforms, _uses  # the import of _rows gives tensors of formulas their methods
from .tensors import TensorBase

__all__ = ["Formula", "formula", "show", "value_and_jacobian", "vmap"]

recording: Any = import_module("._C", __package__).recording
P = ParamSpec("P")
R = TypeVar("R")


class Formula(recording.Formula):  # type: ignore[misc]
    """A formula that is recorded when it is first called with arguments of certain types.

    Calling it with tensors and numbers is the same as vmap of its function. In a class it is a method. Values that the function uses
    besides its arguments become constants of the recording. The formula is recorded again if a global name, a variable of the enclosing
    function, a member of a module or an attribute gets another value, even if only a function that it calls uses it. Changes inside a
    list, a dict or a tensor are not noticed: pass these as arguments, or call clear().

    The keyword out gives existing tensors for the results, in the form of the result; see vmap.
    """

    def __init__(self, function: Callable[..., Any], backend: str | None = None):
        if not callable(function):
            raise TypeError(f"vmap: the formula is a {type(function).__name__}. Expected a function.")
        functools.update_wrapper(self, function)
        self.backend = _compiled.checked(backend)
        super().__init__(function, {"interpreter": -1, "compiler": 0, "auto": _compiled.CALLS}[self.backend])
        self._classes: weakref.WeakSet[type] = weakref.WeakSet()  # classes of all groups, and of objects of methods, so far

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else _Method(self, instance)

    def __repr__(self) -> str:
        return f"<formula {getattr(self.__wrapped__, '__qualname__', self.__wrapped__)}>"

    def __reduce__(self) -> str:
        return str(self.__qualname__)  # formulas are pickled and copied by name, like functions

    def value_and_jacobian(self, *arguments: Any, argnums: Any = 0, of: Any = None, out: Any = None, **keywords: Any) -> Any:
        """See neml2.value_and_jacobian."""
        if recording.is_recording():
            return _inside(self, arguments, keywords, argnums, of, out)
        return self._value_and_jacobian(None, arguments, keywords, argnums, of, out)

    def clear(self) -> None:
        """Deletes all recordings. The next call records the function again, with the present values of everything that it uses."""
        self._forget()

    # ---- Called by the compiled base class ----

    def _used(self) -> list[Any]:
        return _uses.uses(self.__wrapped__, *self._classes)

    def _used_of(self, instance: Any) -> list[Any]:
        """The uses of a method and its object; see _uses."""
        return _uses.uses(self.__wrapped__, instance)

    def _look_into(self, classes: list[type]) -> bool:
        """Remembers classes in which to look for names that the function uses. Returns whether any class is new."""
        own = _uses.packages_of(self.__wrapped__)
        new = {c for c in classes if not _uses.is_foreign(c, own)}.difference(self._classes)
        self._classes |= new
        return bool(new)

    def _names(self) -> list[str]:
        """The names of the positional arguments."""
        return argument_names(self.__wrapped__)

    def _by_place(self, instance: tuple[Any, ...], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments by their places, also those that were passed by name."""
        return by_place("vmap", self.__wrapped__, instance, arguments, keywords)

    def _chosen(self, returned: Any, of: Any) -> list[int]:
        """The places of the results that `of` names, among the leaves of the structure `returned`."""
        members = returned.members()
        chosen: list[int] = []
        for name in of if isinstance(of, (tuple, list)) else (of,):
            if isinstance(name, str):
                found = places_named(name, returned)
            else:
                member = name + len(returned) if isinstance(name, int) and name < 0 else name
                found = [i for i, m in enumerate(members) if m == member]
            if not found:
                results = ", ".join(filter(None, names_of(returned))) or f"{len(returned)} without names"
                raise TypeError(f"value_and_jacobian: of is {of!r}. Expected places or names of the results: {results}.")
            chosen += found
        return chosen

    _transformed = staticmethod(_transforms.evaluated)

    def _compile(self) -> None:
        _background.compile_programs(self, self.backend)


class _Method:
    """A formula as a method of an object. If the object is a tensor or a group of tensors, it is the first argument of the formula."""

    def __init__(self, formula: Formula, instance: Any):
        functools.update_wrapper(self, formula, updated=())
        self._formula = formula
        is_argument = isinstance(instance, TensorBase) or not recording.is_leaf(instance)
        self._instance = None if is_argument else instance
        self._first = (instance,) if is_argument else ()

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._formula._call(self._instance, (*self._first, *arguments), keywords)

    def value_and_jacobian(self, *arguments: Any, argnums: Any = 0, of: Any = None, out: Any = None, **keywords: Any) -> Any:
        """See neml2.value_and_jacobian. argnums does not count the object of the method."""
        if recording.is_recording():
            return _inside(self, arguments, keywords, argnums, of, out)
        first = self._first
        return self._formula._value_and_jacobian(self._instance, (*first, *arguments), keywords, argnums, of, out, len(first))

    def clear(self) -> None:
        """See Formula.clear."""
        self._formula.clear()


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The positional arguments of a function, a formula or a method; an empty list if it has no signature."""
    try:
        return _positional(_signature(function))
    except (TypeError, ValueError):
        return []


def _signature(function: Any) -> inspect.Signature:
    """The signature with which a function is called. That of a decorator's (*args, **kwargs) is the signature of the decorated function."""
    if isinstance(function, _Method):
        inner = _signature(function._formula)
        return inner.replace(parameters=list(inner.parameters.values())[1:])
    if isinstance(function, Formula):
        return _signature(function.__wrapped__)
    own = inspect.signature(function, follow_wrapped=False)
    wrapped = getattr(function, "__wrapped__", None)
    kinds = {p.kind for p in own.parameters.values()}
    passes_all = inspect.Parameter.VAR_POSITIONAL in kinds and kinds <= {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    if wrapped is None or not passes_all:
        return own
    return _signature(types.MethodType(wrapped, function.__self__) if isinstance(function, types.MethodType) else wrapped)


def _positional(signature: inspect.Signature) -> list[inspect.Parameter]:
    return [p for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def by_place(
    operation: str, function: Callable[..., Any], instance: tuple[Any, ...], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, ...]:
    """All arguments by their places, also those that were passed by name. instance has the object of a method, or nothing."""
    try:
        signature = _signature(function)
    except ValueError as error:  # a function that is not written in Python
        raise TypeError(f"{operation}: {', '.join(keywords)}: {function!r} does not say the names of its arguments. Pass them by place.") from error
    bound = signature.bind(*instance, *arguments, **keywords)
    known = _positional(signature)
    if no_place := [name for name in keywords if name not in [p.name for p in known if p.kind != p.POSITIONAL_ONLY]]:
        raise TypeError(f"{operation}: {', '.join(no_place)}: arguments of a formula are passed by place: none may be keyword-only.")
    last = max(k for k, p in enumerate(known) if p.name in bound.arguments)
    for p in known[: last + 1]:  # an omitted argument before another one gets its default, which may be None
        if p.name in bound.arguments or p.default is None or isinstance(p.default, (TensorBase, int, float)):
            continue
        if recording.is_leaf(p.default):
            raise TypeError(
                f"{operation}: the default of {p.name}, which comes before {', '.join(keywords)}, is a {type(p.default).__name__}, "
                "which a formula cannot take as an argument."
            )
    return (*(bound.arguments.get(p.name, p.default) for p in known[: last + 1]), *bound.args[last + 1 :])[len(instance) :]


def argument_names(function: Callable[..., Any]) -> list[str]:
    """The names of the positional arguments of a function."""
    return [p.name for p in parameters_of(function)]


def names_of(structure: Any) -> list[str]:
    """The names of the leaves of a group: `p`, `inner.p`, `0.p`; an empty name if it is not a group."""
    return [re.sub(r"\['?([^]']*)'?\]", r".\1", path)[1:] for path in structure.paths()]


def places_named(name: str, structure: Any) -> list[int]:
    """The places of the leaf with this name, or of all leaves in the group with this name."""
    return [i for i, n in enumerate(names_of(structure)) if n and f"{n}.".startswith(f"{name}.")]


_most = 256  # the largest number of formulas that vmap keeps
_formulas: "collections.OrderedDict[Any, Formula]" = collections.OrderedDict()
atexit.register(_formulas.clear)  # a formula of a module's function would keep that module alive
_lock = threading.RLock()


def _after_fork_in_child() -> None:
    global _lock
    _lock = threading.RLock()  # another thread of the parent may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


@overload
def formula(function: Callable[P, R], *, backend: str | None = None) -> Callable[P, R]: ...
@overload
def formula(function: None = None, *, backend: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def formula(function: Callable[..., Any] | None = None, *, backend: str | None = None) -> Any:
    """Turns a function of single tensors into a function of batches, as vmap does. It can be used as a decorator.

        @neml2.formula
        def energy(strain, stiffness): ...

    backend is "auto" (interpreted at first, and compiled in the background after 20 calls), "interpreter" or "compiler". The default is the
    value of the environment variable NEML2_FORMULAS, or "auto" if it is not set.
    """
    if function is None:
        return functools.partial(formula, backend=backend)
    return function if isinstance(function, (Formula, _Method)) else Formula(function, backend)


def _key(function: Any) -> Any:
    """A key that is the same for equal functions. A function without captured variables and default arguments, as most lambdas are, equals
    any other function with the same code in the same module. Any other function equals only itself, whatever == says."""
    if type(function) is types.FunctionType and not (function.__closure__ or function.__defaults__ or function.__kwdefaults__):
        return function.__code__, id(function.__globals__)
    if type(function) is types.MethodType:
        return _key(function.__func__), id(function.__self__)
    return id(function)


def formula_of(function: Any, key: Any = None) -> Any:
    """The formula of a function. The most recently used formulas are kept."""
    if isinstance(function, (Formula, _Method)):
        return function
    if key is None:
        if type(function) is types.MethodType:
            return _Method(formula_of(function.__func__), function.__self__)
        if not isinstance(function, (types.FunctionType, type, functools.partial)) and isinstance(
            getattr(type(function), "__call__", None), types.FunctionType
        ):
            return _Method(formula_of(type(function).__call__), function)
        key = _key(function)
    try:
        known = _formulas[key]
        _formulas.move_to_end(key)
        return known
    except KeyError:
        made = Formula(function)
    with _lock:
        known = _formulas.setdefault(key, made)
        gone = _formulas.popitem(last=False) if len(_formulas) > _most else None
    del gone  # outside the lock, because it may run code that calls formulas
    return known


@overload
def vmap(function: Callable[..., R], *arguments: Any, out: R, **keywords: Any) -> R: ...
@overload
def vmap(function: Callable[P, R], *arguments: P.args, **keywords: P.kwargs) -> R: ...
def vmap(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Calls a function of single tensors over a batch, in one pass over memory. The results have gradients.

    (batch; base) of each argument -> (batch; base) of each result; batch shapes broadcast. Arguments are tensors, numbers, and groups of
    them. The function is called once for each choice of argument types, with tensors of a formula. It must not branch on their values: use
    math.where.

    With out=existing the results are written to existing tensors, without gradients, and out is returned. It has the form of the result,
    such as out=(stress, state), the result's batch shape, and the dtype and the device of the arguments. An output may be the same tensor
    as an argument. Strides are free: R2(torch.empty(3, 3, n).movedim((0, 1), (-2, -1))) has the components first in memory. If the
    function has a parameter named out, the keyword is this parameter.
    """
    return formula_of(function)(*arguments, **keywords)


def value_and_jacobian(
    function: Callable[..., R], *arguments: Any, argnums: Any = 0, of: Any = None, out: Any = None, **keywords: Any
) -> tuple[R, Any]:
    """The value of a function of single tensors over a batch, and its exact Jacobians by the arguments argnums, in one pass.

    argnums is the place or the name of an argument, or a tuple of these.

    Returns the value and the Jacobian. For several argnums or results there is a tuple of Jacobians: those of the first result by each
    argument, then those of the next result. The Jacobian by a group has the group's structure, with None in the place of plain numbers.
    `of` names the results that are differentiated, by place or name, or a tuple of these; by default all results are differentiated.
    value_and_jacobian can also be called in a formula. With out=(value, Jacobian) the results are written to existing tensors, as in vmap.
    (batch; y), (batch; x) -> (batch; y, x): the Jacobian of an SR2 by an SR2 is an SSR4.
    """
    if recording.is_recording():
        return _inside(function, arguments, keywords, argnums, of, out)
    result: tuple[R, Any] = formula_of(function).value_and_jacobian(*arguments, argnums=argnums, of=of, out=out, **keywords)
    return result


def _inside(function: Any, *rest: Any) -> tuple[Any, Any]:
    """value_and_jacobian when it is called in a formula."""
    from ._derivatives import value_and_jacobian_inside

    return value_and_jacobian_inside(function, *rest)


def show(function: Any, source: bool = False) -> str:
    """The recordings of a formula as text, one for each choice of argument types. Each is the list of its operations on numbers or, if
    source is True, its C++ source. The text says so if "auto" does not compile a recording because it is too large."""
    lines = []
    known = formula_of(function)
    known = getattr(known, "_formula", known)
    for types_, what, program, is_compiled in known.programs():
        how = "compiled" if is_compiled else "interpreted"
        if not is_compiled and known.backend == "auto" and (n := _compiled.operations(recording.source(program))) > _compiled.LARGEST:
            how += f', because "auto" compiles at most {_compiled.LARGEST:,} operations and these are {n:,}'
        lines += [f"{what} of ({types_}), {how}:", recording.source(program) if source else recording.listing(program)]
    return "\n".join(lines) or "not recorded yet: call it"
