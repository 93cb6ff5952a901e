# SPDX-License-Identifier: MIT
"""Compiles recorded formulas: their C++ source becomes a shared library, which is kept in a folder of this user."""

import ctypes
import hashlib
import os
import platform
import re
import shlex
import shutil
import stat
import sys
import tempfile
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch

from . import __file__ as _package
from . import _compilers
from ._build import __version__

recording: Any = import_module("._C", __package__).recording

BACKENDS = ("auto", "interpreter", "compiler")
CALLS = 20  # calls of a formula before "auto" compiles it in the background: compiling does not pay for a formula that is called once
# The largest number of operations that "auto" compiles: up to this number a compiler takes less than a minute on a slow core, and less than
# half a GB. On such a core gcc 12 took, at -O2: 2 s and 0.11 GB for 850 operations, 5 s and 0.17 GB for 3500 (21 s and 0.32 GB if 800 of
# them are tanh), 32 to 41 s and 0.34 GB for 7000 to 7700, 41 s and 0.46 GB for 10500. A random formula with derivatives at three levels
# took 19 minutes and 3.4 GB. -O1 takes half as long.
LARGEST = 6000
KEPT = 1000  # the largest number of formulas in the cache; the least recently used ones are removed
_LIBRARY = re.compile(r"formula-[0-9a-f]{64}\.so")  # names of files and folders that are made here; others are never removed
_UNFINISHED = re.compile(r"unfinished-[a-z0-9_]{8}")

_loaded: list[Any] = []
_warned: set[str] = set()


def checked(backend: str | None) -> str:
    chosen = (os.environ.get("NEML2_FORMULAS") or "auto") if backend is None else backend
    if chosen not in BACKENDS:
        source = ", from NEML2_FORMULAS in the environment" if backend is None else ""
        raise ValueError(f"formula: the backend is {chosen!r}{source}. Expected one of {', '.join(BACKENDS)}.")
    return chosen


def folder() -> Path:
    """The folder of compiled formulas. It is a subfolder of the folder that NEML2_CACHE names, or of neml2 in the user's folder of caches.
    This module uses no other folder there."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.path.expanduser(os.environ.get("NEML2_CACHE") or os.path.join(home, "neml2"))) / "neml2-formulas"


def flags() -> list[str]:
    width = recording.width()
    sets = {8: ["-mavx512f", "-mavx512dq", "-mavx512vl"], 4: []}.get(width)
    x86 = [] if sets is None else ["-mavx2", "-mfma", f"-DNEML2_WIDTH={width}", *sets]
    return [*_compilers.FLAGS, *_compilers.LIBRARY, *x86]


def link_flags() -> list[str]:
    """Flags that link torch. It is loaded already, and contains the elementary functions that compiled formulas call. Outside Linux the
    linker needs no flags."""
    if sys.platform != "linux":
        return []
    return [f"-L{Path(torch.__file__).parent / 'lib'}", "-Wl,--no-as-needed", "-ltorch_cpu"]


class Source(NamedTuple):
    """The compiler's command, the source that it compiles, and the name of the library."""

    command: tuple[str, ...]
    text: str
    name: str


def source_of(program: Any) -> Source:
    command = _compilers.compiler()
    if command is None:
        named = f"CXX is {os.environ['CXX']!r}" if "CXX" in os.environ else "c++ was not found"
        raise RuntimeError(f"there is no C++ compiler: set CXX to one, or use backend='interpreter' ({named})")
    source = recording.source(program)
    text = "\n".join([source, __version__, _compilers.version(command), *command[1:], *flags(), platform.machine()])
    digest = hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()
    return Source(command, source, f"formula-{digest}.so")


def operations(text: str) -> int:
    """The number of operations in a source text."""
    return text.count("const auto ")


def use(program: Any) -> None:
    """Compiles a program at once; from then on its compiled form runs."""
    source = source_of(program)
    set_loop(program, cached(source) or _waited_for(source))


def _waited_for(source: Source) -> Any:
    with _compilers.turn.take(is_waited_for=True):
        while True:
            with _compilers.place_on_machine(writable_folder(), is_waited_for=True) as is_free:
                library = made(source, is_waited_for=True) if is_free else cached(source)
            if library:
                return library
            time.sleep(0.05)


def set_loop(program: Any, library: Any) -> None:
    run, width = ctypes.c_void_p(), ctypes.c_int()
    library.neml2_tile_loop(ctypes.byref(run), ctypes.byref(width))
    if run.value is None:
        raise RuntimeError("the library has no loop for this machine")
    _loaded.append(library)  # never unloaded: its loops may be running
    recording.set_loop(program, run.value, width.value)


# A library in the cache ends with the digest of its contents. Therefore a library that a full disk or a crash cut short is not loaded.


def cached(source: Source) -> Any:
    """The library of a source from the cache; None if it does not exist, is incomplete, or could have been written by another user."""
    path = folder() / source.name
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


def made(source: Source, is_waited_for: bool) -> Any:
    """The library of a source. It is compiled unless another process has compiled it. None while another process is compiling it."""
    kept = writable_folder()
    if kept is None:
        return _made(source, None, is_waited_for)
    with _compilers.FileLock(kept / source.name.replace(".so", ".lock")).hold() as is_free:
        return (cached(source) or _made(source, kept, is_waited_for)) if is_free else None


def writable_folder() -> Path | None:
    """The folder of compiled formulas, which is made if it does not exist; None if it cannot be made or is not private."""
    parent = folder()
    try:
        for f in (parent.parent, parent):
            f.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    return parent if _is_own(parent) else None


def _made(source: Source, kept: Path | None, is_waited_for: bool) -> Any:
    """The library of a source, compiled now; it is kept in the cache if the cache is writable."""
    error: Exception | None = None
    for parent in dict.fromkeys((kept, None)):  # None: the folder of temporary files
        place = None
        try:
            place = Path(tempfile.mkdtemp(prefix="unfinished-", dir=parent))
            library_file = _compile(source, place, is_waited_for)
            library = ctypes.CDLL(str(library_file))
            if parent:
                os.replace(library_file, parent / source.name)  # in one step, so that no process sees an incomplete file
                _tidy(parent)
            return library
        except (OSError, RuntimeError) as e:  # such as a folder that is read-only, or a full disk
            error = e
        finally:
            if place:
                shutil.rmtree(place, ignore_errors=True)
    raise RuntimeError(str(error)) from error


def _compile(source: Source, place: Path, is_waited_for: bool) -> Path:
    cpp, library = place / "formula.cpp", place / "formula.so"
    cpp.write_text(source.text, encoding="utf-8")
    include = Path(_package).parent / "include"
    command = [*source.command, *flags(), "-I", str(include), str(cpp), "-o", str(library), *link_flags()]
    done = _compilers.run(command, place, is_waited_for)
    if done.returncode != 0 or not library.exists():
        silent = "reported no error, but wrote no library. Set CXX to a C++ compiler."
        text = f"{shlex.join(source.command)} {f'failed: {done.stderr[:1000]}' if done.returncode != 0 else silent}"
        raise RuntimeError(text.encode(errors="surrogateescape").decode(errors="backslashreplace"))  # file names may be in any encoding
    contents = library.read_bytes()
    library.write_bytes(contents + hashlib.sha256(contents).digest())
    library.chmod(0o700)
    return library


def _is_own(parent: Path) -> bool:
    """Whether the folder of compiled formulas, and its parent, are private."""
    return _is_private(parent.parent) and _is_private(parent)


def _is_private(place: Path) -> bool:
    """Whether no other user can write into a folder. If another user can, a warning says why."""
    why = _why_not_private(place)
    text = (
        f"neml2: compiled formulas are not kept in {place}, which {why}: libraries loaded from there could be another user's. Each process "
        "compiles for itself. Set NEML2_CACHE in the environment to a folder of your own."
    )
    if why and text not in _warned:
        _warned.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return not why


def _why_not_private(path: Path) -> str:
    """The reason why another user could write to a file or folder; empty if no other user can, or if the file does not exist. On Windows
    nothing is checked, because the folders of a user are private."""
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
    """Removes the libraries that have been unused for the longest time, and the files of processes that were killed while compiling. Files
    with other names are kept."""
    now = time.time()
    entries = [p for p in parent.iterdir() if not p.is_symlink()]
    libraries = sorted((p for p in entries if _LIBRARY.fullmatch(p.name) and p.is_file()), key=_age, reverse=True)
    for old in libraries[KEPT:]:
        old.unlink(missing_ok=True)
    for left in entries:
        if _UNFINISHED.fullmatch(left.name) and left.is_dir() and now - _age(left) > 86400:
            shutil.rmtree(left, ignore_errors=True)
        elif _compilers.LOCK.fullmatch(left.name) and left.is_file():
            with _compilers.FileLock(left).hold():
                pass  # removes the file of the lock if no process holds it


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0
