# SPDX-License-Identifier: MIT
"""What functions use besides their arguments: global names, variables of functions around them, and members of modules."""

import dataclasses
import dis
import functools
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

_FOREIGN = {"neml2", "torch", "numpy", "builtins", *sys.stdlib_module_names}


def uses(functions: Iterable[Any]) -> list[tuple[Any, str]]:
    """Of functions, and of the functions and classes that they use, but for those of libraries: namespaces with names that are
    looked up in them, there or not, and cells of variables with their names."""
    found: list[tuple[Any, str]] = []
    seen: set[int] = set()
    left = list(functions)
    while left:
        f = left.pop()
        if id(f) in seen:
            continue
        seen.add(id(f))
        left += _made_of(f)
        if isinstance(f, types.FunctionType) and not _is_foreign(f):
            own = [*_variables(f), *_globals(f, f.__code__)]
            found += own
            left += [value for place, name in own for value in _value(place, name)]
    return found


def methods(cls: type) -> Iterator[Any]:
    """The functions of a class that it does not have from a library."""
    for base in cls.__mro__:
        if not _is_foreign(base):
            yield from vars(base).values()


def attribute_names(function: Any) -> set[str]:
    """The names of attributes that a function reads, of whatever it is."""
    codes = [function.__code__] if isinstance(function, types.FunctionType) else []
    return {i.argval for code in _all(codes) for i in dis.get_instructions(code) if i.opname in ("LOAD_ATTR", "LOAD_METHOD")}


def _is_foreign(f: Any) -> bool:
    return (getattr(f, "__module__", None) or "").split(".")[0] in _FOREIGN


def _made_of(f: Any) -> list[Any]:
    """The functions behind what is not a plain function."""
    if isinstance(f, (staticmethod, classmethod, types.MethodType)):
        return [f.__func__]
    if isinstance(f, property):
        return [f.fget]
    if isinstance(f, (functools.partial, functools.partialmethod)):
        return [f.func]
    if isinstance(f, type):
        return list(methods(f))
    parts = [f.__wrapped__] if hasattr(f, "__wrapped__") else []
    if dataclasses.is_dataclass(f) and callable(f):
        parts += vars(f).values()
    if not isinstance(f, (types.FunctionType, types.ModuleType)) and callable(f):
        parts += methods(type(f))
    return parts


def _all(codes: list[types.CodeType]) -> list[types.CodeType]:
    """And those of functions defined in them."""
    for code in codes:
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return codes


def _variables(f: types.FunctionType) -> list[tuple[Any, str]]:
    return list(zip(f.__closure__ or (), f.__code__.co_freevars, strict=True))


def _globals(f: types.FunctionType, code: types.CodeType) -> Iterator[tuple[Any, str]]:
    for each in _all([code]):
        module = None
        for i in dis.get_instructions(each):
            if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                yield f.__globals__, i.argval
                module = f.__globals__.get(i.argval)
            elif i.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(module, types.ModuleType):
                own = module.__name__.split(".")[0] not in _FOREIGN
                if own:
                    yield vars(module), i.argval
                module = vars(module).get(i.argval) if own else None
            else:
                module = None


def _value(place: Any, name: str) -> list[Any]:
    """What is looked up, if it is there."""
    if isinstance(place, dict):
        return [place[name]] if name in place else []
    try:
        return [place.cell_contents]
    except ValueError:  # not set yet
        return []
