# SPDX-License-Identifier: MIT
"""Writes the type stubs of the compiled modules: stubs.py FOLDER_OF_NEML2 PATH... (where torch is)."""

import re
import sys
from importlib import import_module
from pathlib import Path

from nanobind.stubgen import ReplacePattern, StubGen


class Stub(StubGen):
    """With torch, float and int under other names: in a class that has methods torch, float and int, they would mean those."""

    def put(self, value: object, name: str | None = None, parent: object | None = None) -> None:
        """nanobind's own function behind a function of Python that replaces it, or behind a method that Python binds."""
        value = getattr(value, "__wrapped__", value)
        super().put(value.__func__ if type(value).__name__ == "instancemethod" else value, name, parent)

    def simplify_types(self, s: str) -> str:
        s = re.sub(r"types\.UnionType\[([^][]*)\]", lambda union: union[1].replace(", ", " | "), s)  # of functions of Python
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
    # To nanobind what ends in an underscore is private; here and in torch it is what works in place.
    private = ReplacePattern(re.compile(r"(^|\.)_(?!T_co$)[^_.][^.]*$|\bmath\.__getattr__$"), [], 0)
    inherited = ReplacePattern(re.compile(r"\.__hash__$"), ["def __hash__(self) -> _int: ...", ""], 0)
    stub = Stub(module, include_private=True, patterns=[private, inherited])
    stub.put(module)
    # The overload of anything else is there to say what fits.
    anything = r" *@overload\n *def __i\w+__\(self, (?:other: object(?: \| None)?|other: Never)\) -> [^\n]*\n\n"
    text = re.sub(anything, "", stub.get()).replace("__all__: list = ", "__all__ = ")
    # A type's own operators take what those of all types do not; to mypy that breaks its rules of inheritance.
    text = '# mypy: disable-error-code="override,misc"\n' + text
    (package / f"{name}.pyi").write_text(text, encoding="utf-8")
