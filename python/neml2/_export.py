# SPDX-License-Identifier: MIT
"""Formulas for other programs: a C++ source that needs neither this library nor LibTorch, a C header, and a shared library."""

import dataclasses
import functools
import keyword
import math
import re
import sys
import types
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch

from . import __file__ as _package
from . import _compilers
from ._build import __version__
from .formulas import Formula, _Method, argument_names
from .tensors import TensorBase

recording: Any = import_module("._C", __package__).recording

KINDS = ("c", "umat")
MARK = "exported by neml2"  # in each file that is written here: no other is ever overwritten
TURNED = ("Vec", "WR2", "R2", "SR2")  # types that DROT turns
RESERVED = ("auto", "case", "char", "const", "default", "delete", "do", "double", "enum", "extern", "failed", "float", "goto", "i", "inline",
            "int", "long", "new", "operator", "points", "register", "restrict", "short", "signed", "sizeof", "static", "struct", "switch", "template",
            "this", "typedef", "union", "unsigned", "virtual", "void", "volatile", "x", "y")  # fmt: skip
INDENT = "    "
VARIABLE = """#ifndef NEML2_VARIABLE
#define NEML2_VARIABLE
/* A tensor or number: what it is of the formula, its type, the argument or result it belongs to, its place among the numbers, its size. */
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

# What a solver passes to UMAT, by the names of the arguments of a formula, which are those of members of Umat: their types.
PASSED = {
    "strain": "SR2",
    "strain_before": "SR2",
    "strain_increment": "SR2",
    "stress_before": "SR2",
    "deformation_gradient": "R2",
    "deformation_gradient_before": "R2",
    "time_step": "Scalar",
    "time": "Scalar",
    "temperature": "Scalar",
}
STATES = ("state", "old", "old_state", "state_before")
UMAT = """NEML2_UMAT(call)
{{
  if (!call.fits({states}, {props}, "{name}"))
    return;
  double x[{arguments}], y[{results}];
{reads}
  if (!compute_point<Model, {arguments}, {results}>(x, y))
    return call.retry();
  kernels::SR2<double> stress{{}};
  kernels::SSR4<double> tangent{{}};
  copy_numbers(stress.v, y, 6);
  copy_numbers(tangent.v, y + {tangent}, 36);
  call.give(stress, tangent);
{write}}}"""


class Exported(NamedTuple):
    """The files that export wrote; library is None where nothing was compiled."""

    source: Path
    header: Path
    library: Path | None


class Variable(NamedTuple):
    """A tensor or number among the arguments, results or derivatives of a formula."""

    role: str
    name: str
    type: str
    operand: int  # which argument of the formula it belongs to, or which result
    place: int  # among all numbers of arguments, or of results
    size: int


def export(
    function: Callable[..., Any],
    kind: str,
    *arguments: Any,
    to: str | Path,
    argnums: Any = None,
    of: Any = None,
    roles: dict[str, str] | None = None,
    turns: bool | Sequence[str] = True,
    compile: bool = True,
) -> Exported:
    """Writes a formula as a C++ source, a C header and a shared library for programs that have neither Python nor LibTorch.

        neml2.export(update, "umat", strain, state, material, to="build/voce")  # voce.cpp, voce.h, libvoce.so

    The arguments are as in a call; only their types count. kind is one of

    - "c": functions of C, `NAME(points, arguments..., results...)` and, with argnums, `NAME_jacobian(..., derivatives...)`, which also gives
      the derivatives by the arguments argnums of the results `of`, as value_and_jacobian does. The tensors of an argument lie one after the
      other: an SR2 as xx, yy, zz, √2 yz, √2 xz, √2 xy. Plain numbers are shared by all points. Each returns at how many points a result is NaN.
    - "umat": the subroutine UMAT of Abaqus/Standard and of codes that call the same. The names of the formula's arguments say what the solver passes:
      strain, strain_before, strain_increment, stress_before, deformation_gradient, deformation_gradient_before, time_step, time, temperature; state,
      old, old_state or state_before is the state, in STATEV; any other is in PROPS, in the order of the arguments. `roles` says so for other names,
      {"eps": "strain", "mu": "props"}. The formula returns the stress, an SR2, or the stress and the new state. DDSDDE is its derivative by
      strain, or by strain_increment. DROT turns the tensors of the state, or those that `turns` names. Where a result is NaN, as where
      newton does not converge, the subroutine changes nothing but PNEWDT, which it halves.

    Both have a function `NAME_variables`, which tells names, types, places and sizes of all arguments, states, properties and results.
    Files of that name are overwritten if they were exported before; others are refused. The compiler is that of formulas, CXX, whose options hold:
    CXX="g++ -march=native". Nothing is linked but the C library's elementary functions, which may differ from those in batches in the last bit.
    """
    if kind not in KINDS:
        raise ValueError(f"export: the kind is {kind!r}. Expected one of {', '.join(KINDS)}.")
    path = Path(to)
    if not re.fullmatch(r"[A-Za-z]\w*", path.name, re.ASCII):
        raise ValueError(
            f"export: the name of the files is {path.name!r}. Expected letters, digits and _, as in to='build/voce': functions of C have it."
        )
    model = _Model(path.name, *_unbound(function, arguments))
    if kind == "umat":
        if argnums is not None or of is not None:
            raise ValueError("export: argnums and of are for functions of C; DDSDDE is the derivative of the stress by the strain.")
        text, header = model.umat(roles or {}, turns)
    else:
        if roles or turns is not True:
            raise ValueError("export: roles and turns are for UMAT; a function of C gets its arguments as they are.")
        text, header = model.c(argnums, of)
    files = Exported(path.with_suffix(".cpp"), path.with_suffix(".h"), path.with_name(f"lib{path.name}.so") if compile else None)
    for file in filter(None, files):
        if file.exists() and MARK.encode() not in file.read_bytes():
            raise FileExistsError(f"export: {file} exists, and was not exported: it is not overwritten. Choose another name in to=.")
    path.parent.mkdir(parents=True, exist_ok=True)
    files.source.write_text(text, encoding="utf-8")
    files.header.write_text(header, encoding="utf-8")
    if files.library:
        _compile(files.source, files.library)
    return files


def _compile(source: Path, library: Path) -> None:
    command = _compilers.compiler()
    if command is None:
        raise RuntimeError("export: there is no C++ compiler: set CXX to one, or write the source alone with compile=False.")
    flags = [
        "-std=c++17",
        "-O2",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-fvisibility=hidden",
        "-shared",
        "-fPIC",
        "-w",
    ]
    library.unlink(missing_ok=True)  # A program that has loaded it keeps what it has.
    done = _compilers.run([*command, *flags, str(source), "-o", str(library), *(["-Wl,--as-needed"] if sys.platform == "linux" else [])])
    if done.returncode != 0:
        raise RuntimeError(f"export: the compiler failed: {done.stderr[:1000]}")


def _unbound(function: Any, arguments: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function, and its arguments: the object of a method is the first one where it is a tensor or a group of tensors and numbers."""
    if isinstance(function, _Method):
        function = types.MethodType(function._formula.__wrapped__, function._first[0] if function._first else function._instance)
    elif isinstance(function, Formula):
        function = function.__wrapped__
    if isinstance(function, types.MethodType) and (isinstance(function.__self__, TensorBase) or not recording.is_leaf(function.__self__)):
        return function.__func__, (function.__self__, *arguments)
    return function, arguments


def _leaves(group: Any) -> list[tuple[Any, str]]:
    """The tensors and numbers of an argument or a result, and where each is in it: `.plastic`, `[0]`."""
    if recording.is_leaf(group):
        return [(group, "")]
    leaves, together = recording.flatten(group)
    return list(zip(leaves, together.paths()))


def _members(group: Any) -> list[tuple[str, Any]]:
    """The members of what a formula returned, by name."""
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
        if kind == "number" and not isinstance(leaf, (int, float)):
            raise TypeError(
                f"export: {name}{where} is a {type(leaf).__module__}.{type(leaf).__name__}. Expected a tensor of this library or a number."
            )
        made.append(Variable(role, name + where, kind, operand, _end(before + made), _size(leaf)))
    return made


def _size(leaf: Any) -> int:
    return math.prod(leaf.base.shape) if isinstance(leaf, TensorBase) else 1


def _end(variables: Sequence[Variable]) -> int:
    return variables[-1].place + variables[-1].size if variables else 0


class _Model:
    """A recorded formula, and its arguments and results by name."""

    def __init__(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]):
        self.name, self.arguments = name, arguments
        self.formula = Formula(function, "interpreter")
        names = [n if n.isascii() else "" for n in argument_names(function)[: len(arguments)]]
        self.names = [n or f"argument_{k}" for k, n in enumerate([*names, *[""] * (len(arguments) - len(names))])]
        self.headers = ["neml2/recorded/compiled_point.h"]
        self.inputs: list[Variable] = []
        for k, argument in enumerate(arguments):
            self.inputs += _variables("argument", self.names[k], argument, k, self.inputs)

    def record(self, argnums: Any = None, of: Any = None) -> tuple[str, list[Variable]]:
        """The source of its recording, with the derivatives by argnums, and what it gives."""
        known = len(self.formula.programs())
        jacobians: Any = ()
        with torch.no_grad():
            if argnums is None:
                value = self.formula(*self.arguments)
            else:
                value, jacobians = self.formula.value_and_jacobian(*self.arguments, argnums=argnums, of=of)
        outputs: list[Variable] = []
        for k, (member, result) in enumerate(_members(value)):
            outputs += _variables("result", member, result, k, outputs)
        for leaf, where in _leaves(jacobians) if argnums is not None else ():
            if leaf is not None:  # by a number
                outputs.append(Variable("derivative", f"derivative{where}", type(leaf).__name__, len(outputs), _end(outputs), _size(leaf)))
        text = recording.source(self.formula.programs()[known:][-1][2])
        sizes = [[int(n) for n in found.split(",") if n.strip()] for found in re.findall(r"Sizes<([^>]*)>", text)]
        if sizes != [[v.size for v in self.inputs], [v.size for v in outputs]]:
            raise RuntimeError(f"export: the recording has the operands {sizes}, other than the arguments and results of the formula.")
        self.headers += [h for h in re.findall(r'#include "([^"]*)"', text) if h not in (*self.headers, "neml2/recorded/compiled_tile.h")]
        return text[text.index("namespace\n{\n") : text.index('extern "C"')].rstrip(), outputs

    # ---- Functions of C ----

    def c(self, argnums: Any, of: Any) -> tuple[str, str]:
        name, arrays = self.name, [_identifier(n) for n in self.names]
        bodies, declarations = [], []
        text, outputs = self.record()
        variables = [*self.inputs, *outputs]
        bodies.append(self._point("Value", text))
        declarations.append(self._function(name, "Value", arrays, outputs, bodies))
        if argnums is not None:
            text, outputs = self.record(argnums, of)
            variables += [v for v in outputs if v.role == "derivative"]
            bodies.append(self._point("Derivatives", text))
            declarations.append(self._function(f"{name}_jacobian", "Derivatives", arrays, outputs, bodies))
        return self._files(bodies, declarations, variables)

    def _function(self, name: str, struct: str, arrays: list[str], outputs: list[Variable], bodies: list[str]) -> str:
        """Declares a function of C, and appends its definition to bodies."""
        is_shared = [all(v.type == "number" for v in self.inputs if v.operand == k) for k in range(len(arrays))]
        results: dict[str, list[Variable]] = {}  # by name, what is passed for it, and the outputs in it
        for of in dict.fromkeys((v.role, v.operand) for v in outputs):
            vs = [v for v in outputs if (v.role, v.operand) == of]
            key = _identifier(re.split(r"[.\[]", vs[0].name)[0] if of[0] == "result" else re.sub(r"\W+", "_", vs[0].name).strip("_"))
            while key in arrays or key in results:
                key += "_"
            results[key] = vs
        taken = {v.operand for v in self.inputs}
        parameters = [f"const double * {a}" for k, a in enumerate(arrays) if k in taken] + [f"double * {r}" for r in results]
        reads = [self._copies(f"x + {v.place}", a, v, is_shared[k]) for k, a in enumerate(arrays) for v in self.inputs if v.operand == k]
        writes = [
            f"    copy_numbers({r} + {_end(vs) - vs[0].place} * i + {v.place - vs[0].place}, y + {v.place}, {v.size});"
            for r, vs in results.items()
            for v in vs
        ]
        signature = f"{name}(\n{INDENT}ptrdiff_t points,\n{INDENT}" + f",\n{INDENT}".join(parameters) + ")"
        bodies.append(
            f'extern "C" NEML2_C int\n{signature}\n{{\n  int failed = 0;\n  for (ptrdiff_t i = 0; i < points; i++)\n  {{\n'
            f"    double x[{max(_end(self.inputs), 1)}], y[{_end(outputs)}];\n"
            + "\n".join(reads)
            + f"\n    failed += !compute_point<{struct}, {_end(self.inputs)}, {_end(outputs)}>(x, y);\n"
            + "\n".join(writes)
            + "\n  }\n  return failed;\n}"
        )
        return f"int {signature};"

    def _copies(self, to: str, array: str, v: Variable, is_shared: bool) -> str:
        of_operand = [w for w in self.inputs if w.operand == v.operand]
        first, moving = of_operand[0].place, _end(of_operand) - of_operand[0].place
        step = "" if is_shared else f" + {moving} * i"
        return f"    copy_numbers({to}, {array}{step} + {v.place - first}, {v.size});"

    @staticmethod
    def _point(struct: str, text: str) -> str:
        return text.replace("struct Formula\n", f"struct {struct}\n", 1)

    # ---- UMAT ----

    def umat(self, roles: dict[str, str], turns: bool | Sequence[str]) -> tuple[str, str]:
        given = self._roles(roles)
        by = given.index("strain") if "strain" in given else given.index("strain_increment")
        text, outputs = self.record(argnums=by, of=0)
        results = [v for v in outputs if v.role == "result"]
        state, props = ([v for v in self.inputs if given[v.operand] == role] for role in ("state", "props"))
        found, expected = ([v.type for v in results], ["SR2", *(v.type for v in state)])
        if found != expected:
            raise TypeError(
                f"export: the formula returns ({', '.join(found)}). Expected the stress and the new state: ({', '.join(expected)})."
            )
        turned = self._turned(state, turns)

        lines, variables, places = [], [], {"state": 0, "props": 0}
        for v in self.inputs:
            role = given[v.operand]
            if role not in places:
                call = f"call.{role}()"
                lines.append(
                    f"  x[{v.place}] = {call};" if PASSED[role] == "Scalar" else f"  copy_numbers(x + {v.place}, {call}.v, {v.size});"
                )
                continue
            place, is_state = places[role], role == "state"
            places[role] += v.size
            variables.append(Variable("state" if is_state else "property", v.name, v.type, v.operand, place, v.size))
            numbers = f"call.statev + {place}" if is_state else f"call.props + {place}"
            lines.append(
                f"  copy_numbers(x + {v.place}, {f'call.read<kernels::{v.type}<double>>({place}).v' if v in turned else numbers}, {v.size});"
            )
        body = UMAT.format(
            name=self.name,
            states=places["state"],
            props=places["props"],
            arguments=_end(self.inputs),
            results=_end(outputs),
            tangent=_end(results),
            reads="\n".join(lines),
            write=f"  copy_numbers(call.statev, y + 6, {places['state']});\n" if state else "",
        )
        self.headers.append("neml2/packs/umat.h")
        return self._files([self._point("Model", text), body], [], variables)

    def _roles(self, roles: dict[str, str]) -> list[str]:
        """What each argument is in UMAT."""
        if unknown := [n for n in roles if n not in self.names]:
            raise ValueError(f"export: roles names {unknown[0]!r}. The arguments of the formula are {', '.join(self.names)}.")
        given = [roles.get(n, n if n in PASSED else "state" if n in STATES else "props") for n in self.names]
        for name, role in zip(self.names, given):
            if role not in (*PASSED, "state", "props"):
                raise ValueError(f"export: the role of {name} is {role!r}. Expected one of {', '.join((*PASSED, 'state', 'props'))}.")
        if given.count("strain") + given.count("strain_increment") != 1:
            raise ValueError(
                f"export: {given.count('strain') + given.count('strain_increment')} arguments are strain or strain_increment, by which DDSDDE is the "
                f"derivative; the arguments are {', '.join(self.names)}. Expected one; roles={{'eps': 'strain'}} says which."
            )
        if given.count("state") > 1:
            raise ValueError("export: more than one argument is the state. Expected one, a group of tensors.")
        for v in self.inputs:
            role = given[v.operand]
            if role in PASSED and v.type != PASSED[role] and (v.type, PASSED[role]) != ("number", "Scalar"):
                raise TypeError(f"export: {v.name} is a {v.type}. Expected {PASSED[role]}, as it is {role}.")
        return given

    @staticmethod
    def _turned(states: list[Variable], turns: bool | Sequence[str]) -> list[Variable]:
        """The tensors of the state that DROT turns."""
        tensors = [v for v in states if v.type not in ("Scalar", "number", "Tensor")]
        if not isinstance(turns, bool):
            names = [turns] if isinstance(turns, str) else list(turns)
            if unknown := set(names).difference(v.name for v in tensors):
                raise ValueError(
                    f"export: turns names {sorted(unknown)[0]!r}. The tensors of the state are {', '.join(v.name for v in tensors) or 'none'}."
                )
            tensors = [v for v in tensors if v.name in names]
        chosen = tensors if turns else []
        for v in chosen:
            if v.type not in TURNED:
                raise TypeError(
                    f"export: {v.name} of the state is a {v.type}, which DROT does not turn. Expected {', '.join(TURNED)}; "
                    "turns=[...] names the tensors that it is to turn, turns=False none."
                )
        return chosen

    # ---- Files ----

    def _files(self, bodies: list[str], declarations: list[str], variables: list[Variable]) -> tuple[str, str]:
        """The source and the header."""
        mark = f"{self.name}: {MARK} {__version__}"
        table = ",\n".join(f'    {{"{v.role}", {_quoted(v.name)}, "{v.type}", {v.operand}, {v.place}, {v.size}}}' for v in variables)
        lines = "\n".join(f" * {v.role:10} {v.name.replace('*/', '* /'):24} {v.type:8} {_where(v)}" for v in variables)
        header = (
            f"/* {mark}.\n *\n * SR2: xx, yy, zz, sqrt(2) yz, sqrt(2) xz, sqrt(2) xy; matrices by rows.\n *\n{lines}\n */\n"
            f'#ifndef {self.name}_h\n#define {self.name}_h\n\n#include <stddef.h>\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{VARIABLE}\n'
            + "".join(f"{d}\n" for d in declarations)
            + f"/* All variables, and how many there are. */\nconst struct neml2_variable * {self.name}_variables(int * count);\n"
            + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n"
        )
        flags = "-std=c++17 -O2 -ffp-contract=off -fno-math-errno"
        source = (
            f"// {mark}. SPDX-License-Identifier: MIT\n// Compile it with {flags}; it needs no library.\n"
            f"#define neml2 neml2_of_{self.name}\n#define NEML2_EXPORTED\n{_joined(tuple(self.headers))}\n"
            "using namespace neml2;\nusing namespace neml2::recorded;\n\n"
            + "\n\n".join(bodies)
            + f'\n\n#undef neml2\nextern "C"\n{{\n{VARIABLE}\nNEML2_C const struct neml2_variable *\n{self.name}_variables(int * count)\n{{\n'
            f"  static const struct neml2_variable all[] = {{\n{table}}};\n  *count = {len(variables)};\n  return all;\n}}\n"
            f'extern NEML2_C const char {self.name}_version[];\nconst char {self.name}_version[] = "{mark}";\n}}\n'
        )
        return source, header


def _where(v: Variable) -> str:
    if v.role in ("state", "property"):
        array = "STATEV" if v.role == "state" else "PROPS"
        return f"{array}({v.place + 1})" if v.size == 1 else f"{array}({v.place + 1}:{v.place + v.size})"
    return f"{v.size} number{'s' if v.size > 1 else ''}"


def _identifier(name: str) -> str:
    """The name of a parameter of a function of C."""
    name = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"{name}_" if name in RESERVED or keyword.iskeyword(name) or not name[:1].isalpha() else name


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
