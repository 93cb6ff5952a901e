# SPDX-License-Identifier: MIT
"""Compiles recorded formulas: C++ source to a shared library, kept in a folder of this user."""

import ctypes
import functools
import hashlib
import os
import platform
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from . import __file__ as _package
from ._build import __version__

recording: Any = import_module("._C", __package__).recording

BACKENDS = ("auto", "interpreter", "compiler")
CALLS = 20  # calls of a formula before "auto" compiles it in the background: a formula that is called once is not worth it

KEPT = 1000  # formulas in the cache: the oldest are removed
_LIBRARY = re.compile(r"formula-[0-9a-f]{64}\.so")  # the names of files and folders that are made here: no other is ever removed
_UNFINISHED = re.compile(r"unfinished-[a-z0-9_]{8}")

_loaded: list[Any] = []
_warned: set[str] = set()


def checked(backend: str | None) -> str:
    backend = os.environ.get("NEML2_FORMULAS", "auto") if backend is None else backend
    if backend not in BACKENDS:
        raise ValueError(f"formula: the backend is {backend!r}. Expected one of {', '.join(BACKENDS)}.")
    return backend


def compiler() -> tuple[str, ...] | None:
    """The C++ compiler that CXX names, with its options, or c++."""
    try:
        command, *options = shlex.split(os.environ.get("CXX", "c++"))
    except ValueError:  # empty, or an unmatched quote
        return None
    found = shutil.which(command)
    return (found, *options) if found else None


def folder() -> Path:
    """The folder of compiled formulas: one of their own in NEML2_CACHE, or in neml2 in the user's folder of caches. Whatever
    else is there is the user's."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.environ.get("NEML2_CACHE") or os.path.join(home, "neml2")) / "neml2-formulas"


def flags() -> list[str]:
    width = recording.width()
    sets = {8: ["-mavx512f", "-mavx512dq", "-mavx512vl"], 4: []}.get(width)
    x86 = [] if sets is None else ["-mavx2", "-mfma", f"-DNEML2_WIDTH={width}", *sets]
    return ["-std=c++17", "-O2", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-w", *x86]


def link_flags() -> list[str]:
    """Flags that link torch, which is loaded already and has the elementary functions of packs: outside of Linux they are found
    without."""
    if sys.platform != "linux":
        return []
    return [f"-L{Path(torch.__file__).parent / 'lib'}", "-Wl,--no-as-needed", "-ltorch_cpu"]


def compile_programs(formula: Any, backend: str) -> None:
    """Compiles the recorded programs of a formula: now, or in the background."""
    for _, _, program, is_compiled in formula.programs():
        if is_compiled:
            continue
        if backend == "compiler":
            use(program)
        elif compiler():
            threading.Thread(target=_use_quietly, args=(program, formula), daemon=True).start()


def _use_quietly(program: Any, formula: Any) -> None:  # the formula keeps the program alive
    try:
        use(program)
    except Exception as error:
        warnings.warn(f"a formula could not be compiled, and stays interpreted: {error}", RuntimeWarning, stacklevel=2)


def use(program: Any) -> None:
    """Compiles a program, and runs it compiled from then on."""
    source = recording.source(program)
    command = compiler()
    if command is None:
        named = f"CXX is {os.environ['CXX']!r}" if "CXX" in os.environ else "c++ was not found"
        raise RuntimeError(f"there is no C++ compiler: set CXX to one, or use backend='interpreter' ({named})")
    text = "\n".join([source, __version__, _version(command), *command[1:], *flags(), platform.machine()])
    name = f"formula-{hashlib.sha256(text.encode()).hexdigest()}.so"
    _set_loop(program, _from_cache(folder() / name) or _made(command, source, name))


def _set_loop(program: Any, library: Any) -> None:
    run, width = ctypes.c_void_p(), ctypes.c_int()
    library.neml2_tile_loop(ctypes.byref(run), ctypes.byref(width))
    if run.value is None:
        raise RuntimeError("there is no loop for this machine in it")
    _loaded.append(library)  # never unloaded: its loops may be running
    recording.set_loop(program, run.value, width.value)


@functools.cache
def _version(command: tuple[str, ...]) -> str:
    return _run([*command, "--version"]).stdout


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """The output of a compiler, in whichever encoding."""
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="backslashreplace", check=False)


# A library in the cache ends with the digest of its contents: one that a full disk or a crash cut short is not loaded.


def _from_cache(path: Path) -> Any:
    """A library of the cache; None if it does not exist, is not whole, or could have been written by another user."""
    if not _is_own(path.parent) or _why_not_private(path):
        return None
    try:
        contents = path.read_bytes()
        if hashlib.sha256(contents[:-32]).digest() != contents[-32:]:
            return None
        os.utime(path)  # marks the time of the last use
    except OSError:
        pass
    try:
        return ctypes.CDLL(str(path)) if path.is_file() else None
    except OSError:
        return None


def _made(command: tuple[str, ...], source: str, name: str) -> Any:
    """The library of a source, compiled, and kept in the cache if that can be written."""
    error: Exception | None = None
    for parent in (folder(), None):  # None: the folder of temporary files
        try:
            if parent:
                for f in (parent.parent, parent):
                    f.mkdir(parents=True, exist_ok=True, mode=0o700)
                if not _is_own(parent):
                    continue
            with tempfile.TemporaryDirectory(prefix="unfinished-", dir=parent) as place:
                made = _compile(command, source, Path(place))
                library = ctypes.CDLL(str(made))
                if parent:
                    os.replace(made, parent / name)  # at once, so that no process sees half of it
                    _tidy(parent)
                return library
        except (OSError, RuntimeError) as e:  # read-only, or full
            error = e
    raise RuntimeError(str(error)) from error


def _compile(command: tuple[str, ...], source: str, place: Path) -> Path:
    cpp, made = place / "formula.cpp", place / "formula.so"
    cpp.write_text(source, encoding="utf-8")
    include = Path(_package).parent / "include"
    done = _run([*command, *flags(), "-I", str(include), str(cpp), "-o", str(made), *link_flags()])
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)} failed: {done.stderr[:1000]}")
    contents = made.read_bytes()
    made.write_bytes(contents + hashlib.sha256(contents).digest())
    made.chmod(0o700)
    return made


def _is_own(parent: Path) -> bool:
    """Whether the folder of compiled formulas, and its parent, are private."""
    return _is_private(parent.parent) and _is_private(parent)


def _is_private(place: Path) -> bool:
    """Whether no other user can write the contents of a folder; one warning says why not."""
    why = _why_not_private(place)
    text = (
        f"neml2: compiled formulas are not kept in {place}, which {why}: what is loaded from there could be another user's. Each process "
        "compiles for itself. Set NEML2_CACHE in the environment to a folder of your own."
    )
    if why and text not in _warned:
        _warned.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return not why


def _why_not_private(path: Path) -> str:
    """Why a file or folder could be written by another user; empty if it could not, or does not exist. On Windows the folders of
    a user are private, and nothing is checked."""
    if not hasattr(os, "geteuid"):
        return ""
    try:
        found = path.stat()
    except OSError:
        return ""
    if found.st_uid != os.geteuid():
        return "belongs to another user"
    return "can be written by others (chmod go-w)" if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def _tidy(parent: Path) -> None:
    """Removes the files unused for longest, and those left by processes that were killed while compiling; files with other names
    are kept."""
    now = time.time()
    entries = [p for p in parent.iterdir() if not p.is_symlink()]
    libraries = sorted((p for p in entries if _LIBRARY.fullmatch(p.name) and p.is_file()), key=_age, reverse=True)
    for old in libraries[KEPT:]:
        old.unlink(missing_ok=True)
    for left in entries:
        if _UNFINISHED.fullmatch(left.name) and left.is_dir() and now - _age(left) > 86400:
            shutil.rmtree(left, ignore_errors=True)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0
