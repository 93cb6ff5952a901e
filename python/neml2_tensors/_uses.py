# SPDX-License-Identifier: MIT
"""The names and values that functions use besides their arguments: global names, variables of enclosing functions, members of modules, and
attributes of classes and of objects."""

import dis
import functools
import sys
import sysconfig
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_MOST = 10000  # the largest number of functions and objects that are searched; uses in others are not found
_LIBRARIES = {"neml2_tensors", "torch", "numpy", "builtins"}
_STANDARD = str(Path(sysconfig.get_path("stdlib")))
_INSTALLED = {"site-packages", "dist-packages"}  # folders of installed packages

Use = tuple[Any, str]  # a namespace, a cell or an object, and a name that is looked up in it, whether it exists or not


def uses(*roots: Any) -> list[Use]:
    """The uses of functions and objects, that is, the names that they look up. Functions, classes and objects that they use are searched,
    too, but not libraries: Python, torch, NumPy, this library, and all installed packages except the packages of the roots."""
    search = _Search(packages_of(*roots))
    search.left.extend(roots)
    return search.run()


def is_foreign(cls: type, own: frozenset[str] = frozenset()) -> bool:
    """Whether a class belongs to a library that is not among the packages `own`."""
    module = getattr(cls, "__module__", None) or ""
    return module.partition(".")[0] not in own and _is_library(module)


def packages_of(*roots: Any) -> frozenset[str]:
    """The installed packages to which functions and objects belong."""
    left, found = list(roots), set()
    for _ in range(100):  # a wrapped function may wrap itself
        if not left:
            break
        x = left.pop()
        found |= {module.partition(".")[0] for of in (x, type(x)) if isinstance(module := getattr(of, "__module__", None), str)}
        names = ("func",) if isinstance(x, functools.partial) else ("__wrapped__", "__func__", "__self__")
        left += [y for name in names if (y := getattr(x, name, None)) is not None]
    return frozenset(found - _LIBRARIES - sys.stdlib_module_names)


@functools.cache
def _is_library(module: str) -> bool:
    if module.split(".")[0] in _LIBRARIES:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)  # a user's module may have the name of a module of the standard library
    if file is None:
        return module in sys.builtin_module_names
    return file.startswith(_STANDARD) or not _INSTALLED.isdisjoint(Path(file).parts)


class _Search:
    def __init__(self, own: frozenset[str]) -> None:
        self.left: list[Any] = []
        self._own = own
        self._kept: dict[int, Any] = {}  # visited objects by their addresses; kept alive, so that no other object gets an address
        self._names: dict[str, None] = {}  # names of attributes that functions read from any object, in the order found
        self._objects: list[Any] = []
        self._found: dict[tuple[int, str], Use] = {}
        self._of_classes: dict[int, Any] = {}  # namespaces of classes, because each call of vars makes a new one

    def run(self) -> list[Use]:
        objects = names = 0  # how many objects and names have been looked up
        while self.left and len(self._kept) < _MOST:
            while self.left:
                self._visit(self.left.pop())
            # Looks up each pair of an object and a name once. In old objects only the names that were found since the last time are
            # looked up, in new objects all names.
            known = list(self._names)
            for o in self._objects[:objects] if names < len(known) else ():
                self._look_up(o, known[names:])
            new, objects, names = self._objects[objects:], len(self._objects), len(known)
            for o in new:
                self._look_up(o, known)
                for place in self._namespaces(o):
                    for name in _operators(place):
                        self._add(place, name)
        return list(self._found.values())

    def _look_up(self, o: Any, names: list[str]) -> None:
        for place in self._namespaces(o):
            for name in names:
                self._add(place, name)
        for slot in _slots(o).intersection(names):
            self._add(o, slot)

    def _add(self, place: Any, name: str) -> None:
        if (id(place), name) in self._found:
            return
        self._found[id(place), name] = place, name
        self.left += _value(place, name)

    def _visit(self, x: Any) -> None:
        if id(x) in self._kept or len(self._kept) >= _MOST:
            return
        self._kept[id(x)] = x
        if callable(x) and not isinstance(x, type):
            self.left.append(getattr(x, "__wrapped__", None))
        if isinstance(x, types.FunctionType):
            if not self._is_library(x.__module__ or ""):
                self._function(x)
                if vars(x):  # attributes of the function
                    self._objects.append(x)
        elif isinstance(x, (staticmethod, classmethod)):
            self.left.append(x.__func__)
        elif isinstance(x, types.MethodType):
            self.left += [x.__func__, x.__self__]
        elif isinstance(x, property):
            self.left += [x.fget]
        elif isinstance(x, functools.cached_property):
            self.left.append(x.func)
        elif isinstance(x, (functools.partial, functools.partialmethod)):
            self.left += [x.func, *x.args, *x.keywords.values()]
        elif isinstance(x, (tuple, list, dict)) and len(x) <= 64:
            self.left += x.values() if isinstance(x, dict) else x
        elif not isinstance(x, types.ModuleType) and (not is_foreign(_class_of(x), self._own) or _is_namespace(x)):
            self._objects.append(x)

    def _is_library(self, module: str) -> bool:
        return module.partition(".")[0] not in self._own and _is_library(module)

    def _namespaces(self, o: Any) -> list[Any]:
        """The namespaces of an object, and of its classes."""
        own = [] if isinstance(o, type) or not hasattr(o, "__dict__") else [vars(o)]
        classes = [c for c in _class_of(o).__mro__ if not is_foreign(c, self._own)]
        return [*own, *(self._of_classes.setdefault(id(c), vars(c)) for c in classes)]

    def _function(self, f: types.FunctionType) -> None:
        for name in ("__code__", "__defaults__", "__kwdefaults__"):  # reloading a module replaces them
            self._add(f, name)
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
        for name, cell in cells.items():
            self._add(cell, name)
        for code in _codes(f.__code__):
            self._code(f, code, cells)

    def _code(self, f: types.FunctionType, code: types.CodeType, cells: dict[str, Any]) -> None:
        module: types.ModuleType | None = None  # the module whose member is read next
        imported = []  # names imported by the code itself
        if {"getattr", "hasattr"} & set(code.co_names):
            self._names.update(dict.fromkeys(c for c in code.co_consts if isinstance(c, str) and c.isidentifier()))
        for i in dis.get_instructions(code):
            if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                self._add(f.__globals__, i.argval)
                module = _module(_value(f.__globals__, i.argval))
            elif i.opname == "LOAD_DEREF":
                module = _module(_value(cells[i.argval], i.argval)) if i.argval in cells else None
            elif i.opname in ("IMPORT_NAME", "IMPORT_FROM"):
                if i.opname == "IMPORT_NAME":
                    module = sys.modules.get(i.argval)
                    imported.append(module)
                elif module is not None:
                    self._member(module, i.argval)
            elif i.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                self._names[i.argval] = None
                module = _module(self._member(module, i.argval)) if module is not None else None
            elif i.opname not in ("EXTENDED_ARG", "PUSH_NULL", "CACHE", "STORE_FAST", "STORE_DEREF", "POP_TOP"):
                module = None
        for m in imported:
            for name in self._names.keys() & set(vars(m) if m else ()):
                self._member(m, name)

    def _member(self, module: Any, name: str) -> list[Any]:
        if self._is_library(module.__name__):
            return []
        self._add(vars(module), name)
        return _value(vars(module), name)


def _is_namespace(x: Any) -> bool:
    """Whether x only holds attributes, although its class belongs to Python."""
    return isinstance(x, types.SimpleNamespace) or (_class_of(x).__module__, _class_of(x).__name__) == ("argparse", "Namespace")


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object, and the code objects of functions defined in it."""
    yield code
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield from _codes(c)


def _module(found: list[Any]) -> types.ModuleType | None:
    return found[0] if found and isinstance(found[0], types.ModuleType) else None


def _class_of(o: Any) -> type:
    return o if isinstance(o, type) else type(o)


def _operators(place: Any) -> set[str]:
    """The names of special methods in the namespace of a class. Python calls these methods although no code contains their names."""
    return set() if isinstance(place, dict) else {n for n in place if n.startswith("__") and isinstance(place[n], types.FunctionType)}


def _slots(o: Any) -> set[str]:
    if isinstance(o, type):
        return set()
    return {n for c in type(o).__mro__ for n, d in vars(c).items() if isinstance(d, types.MemberDescriptorType)}


def _value(place: Any, name: str) -> list[Any]:
    """A list with the value of a use; empty if there is no value."""
    if isinstance(place, types.CellType):
        try:
            return [place.cell_contents]
        except ValueError:  # not set yet
            return []
    if isinstance(place, (dict, types.MappingProxyType)):
        return [place[name]] if name in place else []
    return [getattr(place, name)] if hasattr(place, name) else []
