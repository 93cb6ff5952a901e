# SPDX-License-Identifier: MIT
"""Exports formulas for other programs: a C++ source that needs neither this library nor LibTorch, a C header, and a shared library."""

import ctypes
import math
import re
import shlex
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import _compilers
from ._exported_formula import MARK, recording
from ._exported_functions import RESERVED, Functions
from ._exported_subroutines import Umat, Vumat
from .formulas import Formula, _Method
from .tensors import TensorBase

KINDS = ("c", "umat", "vumat")


class Exported(NamedTuple):
    """The files that export wrote; library is None if nothing was compiled."""

    source: Path
    header: Path
    library: Path | None


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
    - "vumat": the subroutine VUMAT of Abaqus/Explicit, for blocks of points. The arguments of the formula have the same names as for
      "umat". All tensors are in the frame that rotates with the material; the deformation gradient is the right stretch U. The argument
      strain is the sum of the strain increments, in six additional numbers of STATEV. Before the first increment the stress is the elastic
      response. If a result of a point is NaN, its stress becomes NaN, its state does not change, and a message on stderr says so.

    All kinds have a function `NAME_variables`, which returns names, types, places and sizes of all arguments, states, properties and
    results. On macOS the library is libNAME.dylib, on Windows NAME.dll. Existing files of that name are overwritten only if export wrote
    them. CXX names the compiler, as for formulas, and may contain options: CXX="g++ -march=native". The elementary functions are those of
    the C library; the last bits of their results may differ from those of the functions used on batches.
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
            f"export: the name of the files is {path.name!r}, which C, its library or the source has. Expected another one: the C functions get this name."
        )
    _check_options(kind, argnums, of, roles, rotate)
    function, arguments = _unbound(function, arguments)
    if kind == "umat":
        text, header = Umat(path.name, function, arguments, roles or {}).texts(rotate)
    elif kind == "vumat":
        text, header = Vumat(path.name, function, arguments, roles or {}).texts()
    else:
        text, header = Functions(path.name, function, arguments).texts(argnums, of)
    library = path.with_name(_compilers.library_name(path.name)) if compile else None
    files = Exported(path.with_suffix(".cpp"), path.with_suffix(".h"), library)
    mark = f"{path.name}: {MARK}".encode()
    for file in filter(None, files):
        begins = file.read_bytes() if file.exists() else b""
        is_ours = mark in begins if file == library else begins[3:].startswith(mark)
        if file.exists() and not is_ours:
            raise FileExistsError(f"export: {file} exists, and was not exported: it is not overwritten. Choose another name in to=.")
    path.parent.mkdir(parents=True, exist_ok=True)
    files.source.write_text(text, encoding="utf-8")
    files.header.write_text(header, encoding="utf-8")
    if files.library:
        _compile(files.source, files.library)
    return files


def _check_options(kind: str, argnums: Any, of: Any, roles: Any, rotate: Any) -> None:
    if kind == "c":
        if roles or rotate is not True:
            raise ValueError("export: roles and rotate are for UMAT and VUMAT; a function of C gets its arguments as they are.")
        if of is not None and argnums is None:
            raise ValueError("export: of names results whose derivatives are wanted, but argnums is None. Name the arguments in argnums.")
    elif argnums is not None or of is not None:
        has = "DDSDDE is the derivative of the stress by the strain." if kind == "umat" else "VUMAT has no derivatives."
        raise ValueError(f"export: argnums and of are for functions of C; {has}")
    if kind == "vumat" and rotate is not True:
        raise ValueError("export: rotate is for UMAT; the tensors of VUMAT are in a frame that rotates with the material. Leave it out.")


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
    if not library.exists():
        raise RuntimeError(f"export: {shlex.join(command)} reported no error, but did not write {library}. Set CXX to a C++ compiler.")


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
