# SPDX-License-Identifier: MIT
"""A formula that is exported: its recording, the names and places of its variables, and the text of its files."""

import dataclasses
import functools
import math
import numbers
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch

from . import __file__ as _package
from . import _compilers
from ._build import __version__
from .formulas import Formula, argument_names
from .tensors import TensorBase

recording: Any = import_module("._C", __package__).recording

MARK = "exported by neml2"  # follows the name in each file that export writes; files without it are never overwritten
VARIABLE = """#ifndef NEML2_VARIABLE
#define NEML2_VARIABLE
/* A tensor or number: its role in the formula, its type, the argument or result it belongs to, its place among the numbers, its size. */
struct neml2_variable
{
  const char * role;
  const char * name;
  const char * type;
  int operand;
  int place;
  int size;
};
#endif
"""


class Variable(NamedTuple):
    """A tensor or number among the arguments, results or derivatives of a formula."""

    role: str
    name: str
    type: str
    operand: int  # the place of its argument or result in the formula; for a derivative, the place of the argument by which it is taken
    place: int  # the index among all numbers of the arguments, or of the results and derivatives
    size: int
    member: str = ""  # the name of its argument or result
    where: str = ""  # the path in this argument or result, such as .p


def _leaves(group: Any) -> list[tuple[Any, str]]:
    """The tensors and numbers of an argument or a result, each with its path in it, such as `.plastic` or `[0]`."""
    leaves, together = recording.flatten(group)
    return list(zip(leaves, together.paths()))


def _members(group: Any) -> list[tuple[str, Any]]:
    """The members of a formula's result, with their names."""
    if recording.is_leaf(group):
        return [("result", group)]
    if isinstance(group, dict):
        return [(str(k), v) for k, v in group.items()]
    if dataclasses.is_dataclass(group):
        return [(f.name, getattr(group, f.name)) for f in dataclasses.fields(group)]
    fields = getattr(group, "_fields", None) or [f"result_{k}" for k in range(len(group))]
    return list(zip(fields, group))


def _variables(role: str, name: str, group: Any, operand: int, before: list[Variable]) -> list[Variable]:
    made: list[Variable] = []
    for leaf, where in _leaves(group):
        kind = type(leaf).__name__ if isinstance(leaf, TensorBase) else "number"
        if kind != "number" and (leaf.torch().dtype != torch.float64 or leaf.torch().device.type != "cpu"):
            raise TypeError(f"export: {name}{where} is {leaf.torch().dtype} on {leaf.torch().device}. Expected float64 on the CPU.")
        if kind == "number" and not isinstance(leaf, numbers.Real):
            raise TypeError(
                f"export: {name}{where} is a {type(leaf).__module__}.{type(leaf).__name__}. Expected a tensor of this library or a number."
            )
        made.append(Variable(role, name + where, kind, operand, end(before + made), _size(leaf), name, where))
    return made


def _size(leaf: Any) -> int:
    return math.prod(leaf.base.shape) if isinstance(leaf, TensorBase) else 1


def end(variables: Sequence[Variable]) -> int:
    return variables[-1].place + variables[-1].size if variables else 0


class ExportedFormula:
    """A recorded formula, with the names of its arguments and results."""

    def __init__(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]):
        self.name = name
        self.formula = Formula(function, "interpreter")
        names = [n if n.isascii() else "" for n in argument_names(function)[: len(arguments)]]
        self.names = [n or f"argument_{k}" for k, n in enumerate([*names, *[""] * (len(arguments) - len(names))])]
        self.headers = ["neml2/recorded/compiled_point.h"]
        self.take(arguments)

    def take(self, arguments: tuple[Any, ...]) -> None:
        self.arguments, self.inputs = arguments, list[Variable]()
        for k, argument in enumerate(arguments):
            self.inputs += _variables("argument", self.names[k], argument, k, self.inputs)

    def record(self, argnums: Any = None, of: Any = None) -> tuple[str, list[Variable]]:
        """Records the formula, with the derivatives by argnums. Returns the source, and the results with the derivatives."""
        known = len(self.formula.programs())
        with torch.no_grad():
            if argnums is None:
                value = self.formula(*self.arguments)
            else:
                value, jacobians = self.formula.value_and_jacobian(*self.arguments, argnums=argnums, of=of)
        outputs: list[Variable] = []
        for k, (member, result) in enumerate(_members(value)):
            outputs += _variables("result", member, result, k, outputs)
        if argnums is not None:
            given = [leaf for leaf, _ in _leaves(jacobians)]  # without None, the derivative by a plain number
            for leaf, (y, x) in zip(given, self._pairs(value, argnums, of, outputs), strict=True):
                outputs.append(Variable("derivative", f"{y.name} by {x.name}", type(leaf).__name__, x.operand, end(outputs), _size(leaf)))
        text = recording.source(self.formula.programs()[known:][-1][2])
        sizes = [[int(n) for n in found.split(",") if n.strip()] for found in re.findall(r"Sizes<([^>]*)>", text)]
        if sizes != [[v.size for v in self.inputs], [v.size for v in outputs]]:
            raise RuntimeError(f"export: the recording has the operands {sizes}, other than the arguments and results of the formula.")
        self.headers += [h for h in re.findall(r'#include "([^"]*)"', text) if h not in (*self.headers, "neml2/recorded/compiled_tile.h")]
        return text[text.index("namespace\n{\n") : text.index('extern "C"')].rstrip(), outputs

    def _pairs(self, value: Any, argnums: Any, of: Any, results: list[Variable]) -> list[tuple[Variable, Variable]]:
        """Pairs of a result and an argument by which it is differentiated, in the order of the derivatives."""
        chosen = range(len(results)) if of is None or recording.is_leaf(value) else self.formula._chosen(recording.flatten(value)[1], of)
        by = [
            self.names.index(k) if isinstance(k, str) else k % len(self.names)
            for k in (argnums if isinstance(argnums, (tuple, list)) else [argnums])
        ]
        return [(results[i], x) for i in chosen for k in by for x in self.inputs if x.operand == k and x.type != "number"]

    def is_shared(self, k: int) -> bool:
        """Whether an argument is one row for all points."""
        return all(v.type == "number" for v in self.inputs if v.operand == k)

    def files(self, bodies: list[str], declarations: list[str], variables: list[Variable]) -> tuple[str, str]:
        """The texts of the source and the header."""
        mark = f"{self.name}: {MARK} {__version__}"
        rows = [f'    {{"{v.role}", {_quoted(v.name)}, "{v.type}", {v.operand}, {v.place}, {v.size}}}' for v in variables]
        table = ",\n".join(rows or ["    {0, 0, 0, 0, 0, 0}"])
        lines = "\n".join(
            f" * {v.role:10} {v.name.replace('*/', '* /'):24} {v.type:8} {_where(v, v.role == 'argument' and self.is_shared(v.operand))}"
            for v in variables
        )
        header = (
            f"/* {mark}.\n *\n * SR2: xx, yy, zz, sqrt(2) yz, sqrt(2) xz, sqrt(2) xy; matrices by rows.\n *\n{lines}\n */\n"
            f"#ifndef {self.name}_h\n#define {self.name}_h\n\n#include <stddef.h>\n\n"
            f'#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{VARIABLE}\n' + "".join(f"{d}\n" for d in declarations)
            + f"/* All variables, and how many there are. */\nconst struct neml2_variable * {self.name}_variables(int * count);\n"
            + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n"
        )
        source = (
            f"// {mark}. SPDX-License-Identifier: MIT\n// Compile it with {' '.join(_compilers.FLAGS)}; it needs no library.\n"
            f"#include <algorithm>\n#define neml2 neml2_of_{self.name}\n#define NEML2_EXPORTED\n{_joined(tuple(self.headers))}\n"
            "using namespace neml2;\nusing namespace neml2::recorded;\n\n"
            + "\n\n".join(bodies)
            + f'\n\n#undef neml2\nextern "C"\n{{\n{VARIABLE}\n'
            f"NEML2_C const struct neml2_variable *\n{self.name}_variables(int * count)\n{{\n"
            f"  static const struct neml2_variable all[] = {{\n{table}}};\n  *count = {len(variables)};\n  return all;\n}}\n"
            f'extern NEML2_C const char {self.name}_version[];\nconst char {self.name}_version[] = "{mark}";\n}}\n'
        )
        return source, header


def named(struct: str, text: str) -> str:
    """The text of a recorded formula, as a struct of this name."""
    return text.replace("struct Formula\n", f"struct {struct}\n", 1)


def copy(source: str, to: str, n: int) -> str:
    return f"std::copy_n({source}, {n}, {to});"


def _where(v: Variable, is_shared: bool) -> str:
    if v.role in ("state", "property"):
        array = "STATEV" if v.role == "state" else "PROPS"
        return f"{array}({v.place + 1})" if v.size == 1 else f"{array}({v.place + 1}:{v.place + v.size})"
    return f"{v.size} number{'s' if v.size > 1 else ''}" + (", shared by all points" if is_shared else "")


def _quoted(text: str) -> str:
    return (
        '"' + "".join(c if c.isalnum() and c.isascii() or c in " ._[]'-" else "".join(f"\\{b:03o}" for b in c.encode()) for c in text) + '"'
    )


@functools.cache
def _joined(headers: tuple[str, ...]) -> str:
    """Headers of this library as one text, without comments."""
    include, seen = Path(_package).parent / "include", set[str]()

    def text_of(header: str) -> list[str]:
        if header in seen:
            return []
        seen.add(header)
        lines: list[str] = []
        in_comment = False
        for line in (include / header).read_text(encoding="utf-8").splitlines():
            stripped = line.strip()
            included = re.match(r'#include "(neml2/[^"]*)"', stripped)
            if included:
                lines += text_of(included[1])
            elif in_comment or stripped.startswith("/*"):
                in_comment = not stripped.endswith("*/")
            elif stripped and stripped != "#pragma once" and not stripped.startswith("//"):
                lines.append(line)
        return lines

    return "\n".join(line for header in headers for line in text_of(header))
