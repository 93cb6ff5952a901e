# SPDX-License-Identifier: MIT
"""Exports formulas for other programs: a C++ source that needs neither this library nor LibTorch, a C header, and a shared library."""

import ctypes
import dataclasses
import functools
import math
import re
import sys
import types
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch

from . import __file__ as _package
from . import _compilers
from ._build import __version__
from .formulas import Formula, _Method, argument_names
from .tensors import Scalar, TensorBase

recording: Any = import_module("._C", __package__).recording

KINDS = ("c", "umat")
MARK = "exported by neml2"  # follows the name in each file that export writes; files without it are never overwritten
TURNED = ("Vec", "WR2", "R2", "SR2")  # types that DROT rotates
RESERVED = {  # names that are reserved in C and C++, or used in the exported functions
    *"alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const const_cast consteval constexpr".split(),
    *"constinit continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern".split(),
    *"false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private".split(),
    *"protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct".split(),
    *"switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while".split(),
    *"xor xor_eq points failed i x y std neml2 main".split(),
}
INDENT = "    "
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

# The arguments that a solver passes to UMAT: their names in a formula, and their types. Members of Umat have the same names.
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
  std::copy_n(y, 6, stress.v);
  std::copy_n(y + {tangent}, 36, tangent.v);
  call.give(stress, tangent);
{write}}}"""


class Exported(NamedTuple):
    """The files that export wrote; library is None if nothing was compiled."""

    source: Path
    header: Path
    library: Path | None


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


def export(
    function: Callable[..., Any],
    kind: str,
    *arguments: Any,
    to: str | Path,
    argnums: Any = None,
    of: Any = None,
    roles: dict[str, str] | None = None,
    rotate: bool | Sequence[str] = True,
    compile: bool = True,
) -> Exported:
    """Writes a formula as a C++ source, a C header and a shared library for programs that have neither Python nor LibTorch.

        neml2.export(update, "umat", strain, state, material, to="build/voce")  # voce.cpp, voce.h, libvoce.so

    The arguments are those of a call, but only their types matter. kind is one of

    - "c": the C function `NAME(points, arguments..., results...)` and, with argnums, `NAME_jacobian(..., derivatives...)`. NAME_jacobian
      also computes the derivatives of the results `of` by the arguments argnums, like value_and_jacobian. Each argument is an array. It has
      one row per point; only if the argument consists of plain numbers, it has a single row for all points. A row contains the tensors of
      the argument one after the other, an SR2 as xx, yy, zz, √2 yz, √2 xz, √2 xy. Each function returns the number of points at which a
      result is NaN.
    - "umat": the subroutine UMAT of Abaqus/Standard and of codes with the same interface. The names of the formula's arguments say what the
      solver passes: strain, strain_before, strain_increment, stress_before, deformation_gradient, deformation_gradient_before, time_step,
      time, temperature. An argument with the name state, old, old_state or state_before is the state, which is in STATEV. All other
      arguments are in PROPS, in their order. `roles` gives other names these meanings: {"eps": "strain", "mu": "props"}. The formula
      returns the stress, an SR2, or the stress and the new state. DDSDDE is the derivative of the stress by strain or strain_increment
      only; it ignores a dependence of the stress on the deformation gradient. DROT rotates the tensors of the state, or those that `rotate`
      names. If a result is NaN, for example because newton does not converge, the subroutine changes only PNEWDT, which it halves.

    Both kinds have a function `NAME_variables`, which returns names, types, places and sizes of all arguments, states, properties and
    results. Existing files of that name are overwritten only if export wrote them. CXX names the compiler, as for formulas, and may contain
    options: CXX="g++ -march=native". The elementary functions are those of the C library; the last bits of their results may differ from
    those of the functions used on batches.
    """
    if kind not in KINDS:
        raise ValueError(f"export: the kind is {kind!r}. Expected one of {', '.join(KINDS)}.")
    path = Path(to)
    if not re.fullmatch(r"[A-Za-z]\w*", path.name, re.ASCII):
        raise ValueError(
            f"export: the name of the files is {path.name!r}. Expected letters, digits and _, as in to='build/voce': the C functions get this name."
        )
    if path.name in RESERVED or hasattr(math, path.name) or _is_of_c(path.name):
        raise ValueError(
            f"export: the name of the files is {path.name!r}, which C or its library has. Expected another one: the C functions get this name."
        )
    model = _Model(path.name, *_unbound(function, arguments))
    if kind == "umat":
        if argnums is not None or of is not None:
            raise ValueError("export: argnums and of are for functions of C; DDSDDE is the derivative of the stress by the strain.")
        text, header = model.umat(roles or {}, rotate)
    else:
        if roles or rotate is not True:
            raise ValueError("export: roles and rotate are for UMAT; a function of C gets its arguments as they are.")
        if of is not None and argnums is None:
            raise ValueError("export: of names results whose derivatives are wanted, but argnums is None. Name the arguments in argnums.")
        text, header = model.c(argnums, of)
    files = Exported(path.with_suffix(".cpp"), path.with_suffix(".h"), path.with_name(f"lib{path.name}.so") if compile else None)
    mark = f"{path.name}: {MARK}".encode()
    for file in filter(None, files):
        begins = file.read_bytes() if file.exists() else b""
        is_ours = begins[3:].startswith(mark) if file.suffix != ".so" else mark in begins
        if file.exists() and not is_ours:
            raise FileExistsError(f"export: {file} exists, and was not exported: it is not overwritten. Choose another name in to=.")
    path.parent.mkdir(parents=True, exist_ok=True)
    files.source.write_text(text, encoding="utf-8")
    files.header.write_text(header, encoding="utf-8")
    if files.library:
        _compile(files.source, files.library)
    return files


def _is_of_c(name: str) -> bool:
    """Whether the C library has a function of this name. Programs would call it instead of the exported function."""
    try:
        return any(hasattr(ctypes.CDLL(library), name) for library in ("libc.so.6", "libm.so.6"))
    except OSError:  # another platform
        return False


def _compile(source: Path, library: Path) -> None:
    command = _compilers.compiler()
    if command is None:
        raise RuntimeError("export: there is no C++ compiler: set CXX to one, or write the source alone with compile=False.")
    flags = [*_compilers.FLAGS, *_compilers.LIBRARY, "-fvisibility=hidden"]
    library.unlink(missing_ok=True)  # a program that has loaded the old library keeps it
    done = _compilers.run([*command, *flags, str(source), "-o", str(library), *(["-Wl,--as-needed"] if sys.platform == "linux" else [])])
    if done.returncode != 0:
        raise RuntimeError(f"export: the compiler failed: {done.stderr[:1000]}")


def _unbound(function: Any, arguments: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The Python function of a function, formula or method, and its arguments. If the object of a method is a tensor or a group of tensors
    and numbers, it becomes the first argument."""
    if isinstance(function, _Method):
        function = types.MethodType(function._formula.__wrapped__, function._first[0] if function._first else function._instance)
    elif isinstance(function, Formula):
        function = function.__wrapped__
    if isinstance(function, types.MethodType) and (isinstance(function.__self__, TensorBase) or not recording.is_leaf(function.__self__)):
        return function.__func__, (function.__self__, *arguments)
    return function, arguments


def _leaves(group: Any) -> list[tuple[Any, str]]:
    """The tensors and numbers of an argument or a result, each with its path in it, such as `.plastic` or `[0]`."""
    if recording.is_leaf(group):
        return [(group, "")]
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
        if kind == "number" and not isinstance(leaf, (int, float)):
            raise TypeError(
                f"export: {name}{where} is a {type(leaf).__module__}.{type(leaf).__name__}. Expected a tensor of this library or a number."
            )
        made.append(Variable(role, name + where, kind, operand, _end(before + made), _size(leaf), name, where))
    return made


def _size(leaf: Any) -> int:
    return math.prod(leaf.base.shape) if isinstance(leaf, TensorBase) else 1


def _end(variables: Sequence[Variable]) -> int:
    return variables[-1].place + variables[-1].size if variables else 0


class _Model:
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
            given = [leaf for leaf, _ in _leaves(jacobians) if leaf is not None]  # None: the derivative by a plain number
            for leaf, (y, x) in zip(given, self._pairs(value, argnums, of, outputs), strict=True):
                outputs.append(Variable("derivative", f"{y.name} by {x.name}", type(leaf).__name__, x.operand, _end(outputs), _size(leaf)))
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

    # ---- Functions of C ----

    def c(self, argnums: Any, of: Any) -> tuple[str, str]:
        name, arrays = self.name, list[str]()
        for n in self.names:
            arrays.append(_identifier(n, arrays))
        bodies, declarations = [], []
        text, outputs = self.record()
        variables = [*self.inputs, *outputs]
        bodies.append(self._point("Value", text))
        declarations.append(self._function(name, "Value", arrays, outputs, bodies))
        if argnums is not None:
            text, outputs = self.record(argnums, of)
            derivatives = [v for v in outputs if v.role == "derivative"]
            variables += [v._replace(place=v.place - derivatives[0].place) for v in derivatives]
            bodies.append(self._point("Derivatives", text))
            declarations.append(self._function(f"{name}_jacobian", "Derivatives", arrays, outputs, bodies))
        return self._files(bodies, declarations, variables)

    def _function(self, name: str, struct: str, arrays: list[str], outputs: list[Variable], bodies: list[str]) -> str:
        """Declares a function of C, and appends its definition to bodies."""
        is_shared = [self._is_shared(k) for k in range(len(arrays))]
        groups: dict[Any, list[Variable]] = {}  # each becomes one array: the tensors of a result, or a derivative
        for v in outputs:
            groups.setdefault(v.operand if v.role == "result" else v.name, []).append(v)
        results: dict[str, list[Variable]] = {}
        for vs in groups.values():
            name_of = vs[0].member if vs[0].role == "result" else "d_" + vs[0].name.replace(" by ", "_d_")
            results[_identifier(re.sub(r"[\W_]+", "_", name_of).strip("_"), [*arrays, *results])] = vs
        taken = {v.operand for v in self.inputs}
        parameters = [f"const double * {a}" for k, a in enumerate(arrays) if k in taken] + [f"double * {r}" for r in results]
        reads = [self._copies(f"x + {v.place}", a, v, is_shared[k]) for k, a in enumerate(arrays) for v in self.inputs if v.operand == k]
        writes = [
            f"    {_copy(f'y + {v.place}', f'{r} + {_end(vs) - vs[0].place} * i + {v.place - vs[0].place}', v.size)}"
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

    def _is_shared(self, k: int) -> bool:
        """Whether an argument is one row for all points."""
        return all(v.type == "number" for v in self.inputs if v.operand == k)

    def _copies(self, to: str, array: str, v: Variable, is_shared: bool) -> str:
        of_operand = [w for w in self.inputs if w.operand == v.operand]
        first, moving = of_operand[0].place, _end(of_operand) - of_operand[0].place
        step = "" if is_shared else f" + {moving} * i"
        return f"    {_copy(f'{array}{step} + {v.place - first}', to, v.size)}"

    @staticmethod
    def _point(struct: str, text: str) -> str:
        return text.replace("struct Formula\n", f"struct {struct}\n", 1)

    # ---- UMAT ----

    def umat(self, roles: dict[str, str], rotate: bool | Sequence[str]) -> tuple[str, str]:
        given = self._roles(roles)
        self._numbers_to_scalars(given)
        by = given.index("strain") if "strain" in given else given.index("strain_increment")
        text, outputs = self.record(argnums=by, of=0)
        results = [v for v in outputs if v.role == "result"]
        state, props = ([v for v in self.inputs if given[v.operand] == role] for role in ("state", "props"))
        new = {v.where: v for v in results if v.operand == 1}
        found, expected = (sorted((v.where, v.type) for v in vs) for vs in (results[1:], state))
        if [v.type for v in results[:1]] != ["SR2"] or len(new) != len(results) - 1 or found != expected:
            returned = ", ".join(f"{v.name}: {v.type}" for v in results)
            wanted = ", ".join(f"{v.where.lstrip('.') or 'the new state'}: {v.type}" for v in state)
            raise TypeError(
                f"export: the formula returns ({returned}). Expected the stress, an SR2"
                + (f", and a group like the state ({wanted})." if state else ".")
            )
        turned = self._turned(state, rotate)

        lines, writes, variables, places = [], [], [], {"state": 0, "props": 0}
        for v in self.inputs:
            role = given[v.operand]
            if role not in places:
                call = f"call.{role}()"
                lines.append(
                    f"  x[{v.place}] = {call};" if PASSED[role] == "Scalar" else f"  {_copy(f'{call}.v', f'x + {v.place}', v.size)}"
                )
                continue
            place, is_state = places[role], role == "state"
            places[role] += v.size
            variables.append(Variable("state" if is_state else "property", v.name, v.type, v.operand, place, v.size))
            numbers = f"call.{'statev' if is_state else 'props'} + {place}"
            if is_state:
                writes.append(f"  {_copy(f'y + {new[v.where].place}', numbers, v.size)}\n")
            if v in turned:
                numbers = f"call.read<kernels::{v.type}<double>>({place}).v"
            lines.append(f"  {_copy(numbers, f'x + {v.place}', v.size)}")
        body = UMAT.format(
            name=self.name,
            states=places["state"],
            props=places["props"],
            arguments=_end(self.inputs),
            results=_end(outputs),
            tangent=_end(results),
            reads="\n".join(lines),
            write="".join(writes),
        )
        self.headers.append("neml2/packs/umat.h")
        return self._files([self._point("Model", text), body], [], variables)

    def _numbers_to_scalars(self, given: list[str]) -> None:
        """Turns plain numbers in a state into Scalars, because a state changes."""
        if "state" not in given:
            return
        k = given.index("state")
        leaves, together = recording.flatten(self.arguments[k])
        leaves = [leaf if isinstance(leaf, TensorBase) else Scalar(torch.tensor(float(leaf), dtype=torch.float64)) for leaf in leaves]
        self.take((*self.arguments[:k], together(leaves), *self.arguments[k + 1 :]))

    def _roles(self, roles: dict[str, str]) -> list[str]:
        """The role of each argument: a name in PASSED, "state" or "props"."""
        if unknown := [n for n in roles if n not in self.names]:
            raise ValueError(f"export: roles names {unknown[0]!r}. The arguments of the formula are {', '.join(self.names)}.")
        given = [roles.get(n, n if n in PASSED else "state" if n in STATES else "props") for n in self.names]
        for name, role in zip(self.names, given):
            if role not in (*PASSED, "state", "props"):
                raise ValueError(f"export: the role of {name} is {role!r}. Expected one of {', '.join((*PASSED, 'state', 'props'))}.")
        if given.count("strain") + given.count("strain_increment") != 1:
            raise ValueError(
                f"export: {given.count('strain') + given.count('strain_increment')} arguments are strain or strain_increment; "
                f"the arguments are {', '.join(self.names)}. Expected exactly one: DDSDDE is the derivative by it. "
                f"roles={{'eps': 'strain'}} says which."
            )
        if given.count("state") > 1:
            raise ValueError("export: more than one argument is the state. Expected one, a group of tensors.")
        for v in self.inputs:
            role = given[v.operand]
            if role in PASSED and v.where:
                raise TypeError(
                    f"export: {v.member} is a group. Expected {PASSED[role]}, as it is {role}; a group is the state, or in PROPS."
                )
            if role in PASSED and v.type != PASSED[role] and (v.type, PASSED[role]) != ("number", "Scalar"):
                raise TypeError(f"export: {v.name} is a {v.type}. Expected {PASSED[role]}, as it is {role}.")
        return given

    @staticmethod
    def _turned(states: list[Variable], rotate: bool | Sequence[str]) -> list[Variable]:
        """The tensors of the state that DROT rotates."""
        tensors = [v for v in states if v.type not in ("Scalar", "number", "Tensor")]
        if not isinstance(rotate, bool):
            names = [rotate] if isinstance(rotate, str) else list(rotate)
            if unknown := set(names).difference(v.name for v in tensors):
                raise ValueError(
                    f"export: rotate names {sorted(unknown)[0]!r}. The tensors of the state are {', '.join(v.name for v in tensors) or 'none'}."
                )
            tensors = [v for v in tensors if v.name in names]
        chosen = tensors if rotate else []
        for v in chosen:
            if v.type not in TURNED:
                raise TypeError(
                    f"export: {v.name} of the state is a {v.type}, which DROT does not turn. Expected {', '.join(TURNED)}; "
                    "rotate=[...] names the tensors that it is to turn, rotate=False none."
                )
        return chosen

    # ---- Files ----

    def _files(self, bodies: list[str], declarations: list[str], variables: list[Variable]) -> tuple[str, str]:
        """The texts of the source and the header."""
        mark = f"{self.name}: {MARK} {__version__}"
        rows = [f'    {{"{v.role}", {_quoted(v.name)}, "{v.type}", {v.operand}, {v.place}, {v.size}}}' for v in variables]
        table = ",\n".join(rows or ["    {0, 0, 0, 0, 0, 0}"])
        lines = "\n".join(
            f" * {v.role:10} {v.name.replace('*/', '* /'):24} {v.type:8} {_where(v, v.role == 'argument' and self._is_shared(v.operand))}"
            for v in variables
        )
        header = (
            f"/* {mark}.\n *\n * SR2: xx, yy, zz, sqrt(2) yz, sqrt(2) xz, sqrt(2) xy; matrices by rows.\n *\n{lines}\n */\n"
            f'#ifndef {self.name}_h\n#define {self.name}_h\n\n#include <stddef.h>\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{VARIABLE}\n'
            + "".join(f"{d}\n" for d in declarations)
            + f"/* All variables, and how many there are. */\nconst struct neml2_variable * {self.name}_variables(int * count);\n"
            + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n"
        )
        source = (
            f"// {mark}. SPDX-License-Identifier: MIT\n// Compile it with {' '.join(_compilers.FLAGS)}; it needs no library.\n"
            f"#include <algorithm>\n#define neml2 neml2_of_{self.name}\n#define NEML2_EXPORTED\n{_joined(tuple(self.headers))}\n"
            "using namespace neml2;\nusing namespace neml2::recorded;\n\n"
            + "\n\n".join(bodies)
            + f'\n\n#undef neml2\nextern "C"\n{{\n{VARIABLE}\nNEML2_C const struct neml2_variable *\n{self.name}_variables(int * count)\n{{\n'
            f"  static const struct neml2_variable all[] = {{\n{table}}};\n  *count = {len(variables)};\n  return all;\n}}\n"
            f'extern NEML2_C const char {self.name}_version[];\nconst char {self.name}_version[] = "{mark}";\n}}\n'
        )
        return source, header


def _copy(source: str, to: str, n: int) -> str:
    return f"std::copy_n({source}, {n}, {to});"


def _where(v: Variable, is_shared: bool) -> str:
    if v.role in ("state", "property"):
        array = "STATEV" if v.role == "state" else "PROPS"
        return f"{array}({v.place + 1})" if v.size == 1 else f"{array}({v.place + 1}:{v.place + v.size})"
    return f"{v.size} number{'s' if v.size > 1 else ''}" + (", shared by all points" if is_shared else "")


def _identifier(name: str, taken: Collection[str]) -> str:
    """A name for a parameter of a C function that differs from the names of its other parameters."""
    name = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not name[:1].isalpha():
        name = f"a{name}"
    while name in RESERVED or name in taken:
        name += "_"
    return name


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
