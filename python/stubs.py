# SPDX-License-Identifier: MIT
"""Writes the type stubs of the compiled modules: stubs.py FOLDER_OF_THE_PACKAGE PATH... (of torch)."""

import re
import sys
from importlib import import_module
from pathlib import Path

from nanobind.stubgen import ReplacePattern, StubGen


class Stub(StubGen):
    """Names torch, float and int differently, since in a class with methods torch, float and int these names would mean the methods."""

    def put(self, value: object, name: str | None = None, parent: object | None = None) -> None:
        """Writes nanobind's function in place of the Python function that wraps it, or of a method that Python binds."""
        value = getattr(value, "__wrapped__", value)
        super().put(value.__func__ if type(value).__name__ == "instancemethod" else value, name, parent)

    def simplify_types(self, s: str) -> str:
        s = re.sub(r"types\.UnionType\[([^][]*)\]", lambda union: union[1].replace(", ", " | "), s)  # from functions written in Python
        s = super().simplify_types(s)
        if "torch" in self.module_refs:
            self.module_refs.remove("torch")
            self.bind("torch", name="_torch")
        for name in ("float", "int"):
            s, n = re.subn(rf"(?<![.\w]){name}\b", f"_{name}", s)
            if n:
                self.bind("builtins", name, name=f"_{name}")
        return re.sub(r"\btorch\.(?=\w)", "_torch.", s)


package = Path(sys.argv[1])
sys.path[:0] = [str(package.parent)]
sys.path += sys.argv[2:]
for name in ["tensors", "math", "crystallography"]:
    module = import_module(f"{package.name}.{name}")
    # nanobind takes names that end in an underscore for private; here and in torch they are in-place operations.
    private = ReplacePattern(re.compile(r"(^|\.)_(?!T_co$)[^_.][^.]*$|\bmath\.__getattr__$"), [], 0)
    inherited = ReplacePattern(re.compile(r"\.__hash__$"), ["def __hash__(self) -> _int: ...", ""], 0)
    stub = Stub(module, include_private=True, patterns=[private, inherited])
    stub.put(module)
    # The overload for any other operand exists only to raise an error that names suitable types.
    anything = r" *@overload\n *def __i\w+__\(self, (?:other: object(?: \| None)?|other: Never)\) -> [^\n]*\n\n"
    text = re.sub(anything, "", stub.get()).replace("__all__: list = ", "__all__ = ")
    # The operators of a type take other operands than the operators of its base class; for mypy this breaks the rules of inheritance.
    text = '# mypy: disable-error-code="override,misc"\n' + text
    (package / f"{name}.pyi").write_text(text, encoding="utf-8")
