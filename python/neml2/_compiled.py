# SPDX-License-Identifier: MIT
"""Compiles recorded formulas: C++ source to a shared library, kept in a folder of this user."""

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

from . import __file__ as _package
from ._build import __version__
from ._C import recording  # type: ignore[attr-defined]

BACKENDS = ("auto", "interpreter", "compiler")
CALLS = 20  # of a formula, from which on "auto" compiles it meanwhile: what is called once is not worth it

_loaded: list[Any] = []


def checked(backend: str | None) -> str:
    backend = os.environ.get("NEML2_FORMULAS", "auto") if backend is None else backend
    if backend not in BACKENDS:
        raise ValueError(f"formula: the backend is {backend!r}. Expected one of {', '.join(BACKENDS)}.")
    return backend


def compiler() -> str | None:
    """The C++ compiler that CXX names, or c++."""
    return shutil.which(os.environ.get("CXX", "c++"))


def folder() -> Path:
    """Where compiled formulas are kept: NEML2_CACHE, or neml2 in the user's folder of caches."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.environ.get("NEML2_CACHE") or os.path.join(home, "neml2"))


def flags() -> list[str]:
    sets = {8: ["-mavx512f", "-mavx512dq", "-mavx512vl", "-DNEML2_AVX512"], 4: []}.get(recording.width())
    x86 = [] if sets is None else ["-mavx2", "-mfma", *sets]
    return ["-std=c++17", "-O2", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-w", *x86]


def compile_programs(formula: Any, backend: str) -> None:
    """Has what was recorded run compiled: now, or by and by."""
    for _, _, program, is_compiled in formula.programs():
        if is_compiled:
            continue
        if backend == "compiler":
            use(program)
        elif compiler():
            threading.Thread(target=_use_quietly, args=(program, formula), daemon=True).start()


def _use_quietly(program: Any, formula: Any) -> None:  # the formula has the program live
    try:
        use(program)
    except Exception as error:
        warnings.warn(f"a formula could not be compiled, and stays interpreted: {error}", RuntimeWarning, stacklevel=2)


def use(program: Any) -> None:
    """Has a program run compiled."""
    library = ctypes.CDLL(str(built(recording.source(program))))
    run, width = ctypes.c_void_p(), ctypes.c_int()
    library.neml2_tile_loop(ctypes.byref(run), ctypes.byref(width))
    if run.value is None:
        raise RuntimeError("there is no loop for this machine in it")
    _loaded.append(library)  # never unloaded: its loops may be running
    recording.set_loop(program, run.value, width.value)


def built(source: str) -> Path:
    """The shared library of a source, compiled unless it is there."""
    command = compiler()
    if command is None:
        raise RuntimeError("there is no C++ compiler: set CXX to one, or use backend='interpreter'")
    include = Path(_package).parent / "include"
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
    text = "\n".join([source, __version__, version, *flags(), platform.machine()])
    name = hashlib.sha256(text.encode()).hexdigest()
    cache = folder()
    path = cache / f"{name}.so"
    if path.is_file():
        return path
    try:
        cache.mkdir(parents=True, exist_ok=True)
        place = tempfile.mkdtemp(dir=cache)
    except OSError:  # read only, or full
        place = tempfile.mkdtemp()
        path = Path(place) / f"{name}.so"
    made = Path(place) / "made.so"
    cpp = Path(place) / "formula.cpp"
    cpp.write_text(source, encoding="utf-8")
    done = subprocess.run(
        [command, *flags(), "-I", str(include), str(cpp), "-o", str(made)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command} failed: {done.stderr[:1000]}")
    os.replace(made, path)  # at once, so that no process sees half of it
    if path.parent != Path(place):
        shutil.rmtree(place, ignore_errors=True)
    return path
