# SPDX-License-Identifier: MIT
"""Runs the compilers of formulas: one at a time per process, few per machine, and at low priority if nobody waits for the result."""

import atexit
import contextlib
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
import threading
import time
from collections.abc import Iterator
from multiprocessing import util
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NICENESS = "10"  # of compilers for which nobody waits; beside a program that uses all cores they get a tenth of one core
PROCESSOR_TIME, TIME = 120, 900  # the limits of these compilers in seconds of processor time and of elapsed time
# Options that compile a formula's source to a library, with the same arithmetic as in this library, and without warnings about unused code.
FLAGS = ("-std=c++17", "-O2", "-ffp-contract=off", "-fno-math-errno")
LIBRARY = ("-shared", "-fPIC", "-w")
LOCK = re.compile(r"(formula-[0-9a-f]{64}|compiler-[0-9a-f]{8}-[0-9]{1,4})\.lock")


def compiler() -> tuple[str, ...] | None:
    """The command of the C++ compiler. CXX may name it, with options, or with a launcher in front of it; otherwise it is c++. None if the
    program does not exist."""
    try:
        command, *options = shlex.split(os.environ.get("CXX", "c++"))
    except ValueError:  # empty, or an unmatched quote
        return None
    found = shutil.which(command)
    return (found, *options) if found else None


def library_name(name: str, platform: str = sys.platform) -> str:
    """The file name of a shared library on a platform, in the words of sys.platform."""
    return f"{name}.dll" if platform in ("win32", "cygwin") else f"lib{name}.dylib" if platform == "darwin" else f"lib{name}.so"


@functools.cache
def version(command: tuple[str, ...]) -> str:
    return run([*command, "--version"]).stdout


# ---- Running a compiler ----

_running: dict[subprocess.Popen[str], Path | None] = {}  # the running compilers, and the folders to which they write
_state = threading.Lock()  # guards _running
ended = threading.Event()  # set when the program ends; from then on nothing is compiled in the background

# A script for a shell. It runs a compiler in the process group of the shell, and ends the group when the shell's input ends. The program
# holds the other end of the input, so the compiler ends with the program, however the program ends. Linux can also end a process together
# with its parent (PR_SET_PDEATHSIG), but this does not end the processes that the compiler starts.
WATCHED = """
[ -z "$1" ] || ulimit -t "$1" 2>/dev/null
shift
exec 3<&0
{ read -r end; kill -9 0; } <&3 >/dev/null 2>&1 &
watch=$!
"$@" </dev/null 3<&-
status=$?
exec 2>/dev/null
kill -9 $watch
wait $watch
exit $status
"""
_ends: set[int] = set()  # the file descriptors of this process's ends of these inputs


class TookTooLong(Exception):
    """Raised when a compiler for which nobody waits has exceeded its time limit and was ended."""


@contextlib.contextmanager
def _input() -> Iterator[int]:
    """The input of a shell. It ends when the `with` block ends, or when the process ends."""
    read, write = os.pipe()
    _ends.add(write)
    try:
        yield read
    finally:
        os.close(read)
        _ends.discard(write)
        os.close(write)


def run(command: list[str], place: Path | None = None, is_waited_for: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a compiler and returns its output, which may be in any encoding. Its temporary files are in the folder `place`. If nobody waits
    for the compiler, it has a time limit; exceeding it is an error."""
    nice = None if is_waited_for else shutil.which("nice")
    if nice:
        command = [nice, "-n", NICENESS, *command]
    if os.name != "posix":
        return _run(command, subprocess.DEVNULL, place, is_waited_for)
    with _input() as lasts:
        return _run(["/bin/sh", "-c", WATCHED, "sh", "" if is_waited_for else str(PROCESSOR_TIME), *command], lasts, place, is_waited_for)


def _run(command: list[str], stdin: int, place: Path | None, is_waited_for: bool) -> subprocess.CompletedProcess[str]:
    # The compiler runs in a separate process group, which is ended as a whole, because a compiler starts other processes. It has no session
    # of its own where this can be avoided: Linux gives each session a share of the processor, whatever its priority.
    group: Any = {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True}
    start = time.monotonic()
    # Processes of multiprocessing end without running the functions of atexit.
    at_end = util.Finalize(None, end, exitpriority=10)  # type: ignore[no-untyped-call, unused-ignore]
    try:
        with _state:
            if ended.is_set() and not is_waited_for:
                raise RuntimeError("the program ends")
            process = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="backslashreplace",
                env={**os.environ, "TMPDIR": str(place)} if place else None,
                **(group if os.name == "posix" else {}),
            )
            _running[process] = place
        try:
            out, err = process.communicate(timeout=None if is_waited_for else TIME)
        except BaseException as error:  # an interrupt, or the time limit
            _kill(process)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise TookTooLong(f"the compiler took more than {TIME} s{INSTEAD}") from None
            raise
        finally:
            with _state:
                _running.pop(process, None)
    finally:
        at_end.cancel()
    if process.returncode != 0 and not is_waited_for and time.monotonic() - start > PROCESSOR_TIME:
        raise TookTooLong(f"the compiler took more than {PROCESSOR_TIME} s of a processor{INSTEAD}")
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


INSTEAD = ", the limit in the background; with backend='compiler' a call waits without a limit"


def _kill(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix" and process.poll() is None:
            os.killpg(process.pid, 9)
        else:
            process.kill()


def end() -> None:
    """Ends the compilers of this process, and removes what they were writing."""
    ended.set()
    with _state:
        running = dict(_running)
    for process in running:
        _kill(process)
    for thread in [t for t in threading.enumerate() if t.name.startswith(THREADS)]:
        thread.join(2)  # these threads end at once, because no compiler runs any more
    for place in filter(None, running.values()):
        shutil.rmtree(place, ignore_errors=True)


THREADS = "neml2 compiles"  # the beginning of the names of threads that compile in the background
atexit.register(end)

# ---- One compiler at a time ----


class Turn:
    """Decides which thread of this process compiles next. Threads for which somebody waits are first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False
        self._waited_for = 0

    @contextlib.contextmanager
    def take(self, is_waited_for: bool) -> Iterator[None]:
        with self._changed:
            self._waited_for += is_waited_for
            try:
                self._changed.wait_for(lambda: not self._is_taken and (is_waited_for or not self._waited_for))
                self._is_taken = True
            finally:
                self._waited_for -= is_waited_for
                self._changed.notify_all()  # an interrupt may have ended the wait
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()


turn = Turn()


class FileLock:
    """A lock in the form of a file, which exists while a process holds the lock. When the process dies, the lock becomes free. If files
    cannot be locked, as on Windows and on some network drives, the lock is always free."""

    def __init__(self, path: Path):
        self._path = path
        self._file: int | None = None
        self._owner = 0

    def acquire(self) -> bool:
        """Takes the lock if it is free, and returns whether it was free."""
        while fcntl:
            try:
                file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            except OSError:  # for example a folder that cannot be written, or a link
                return True
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    return True
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(file), os.stat(self._path, follow_symlinks=False)):
                    self._file, self._owner, file = file, os.getpid(), -1
                    _held.add(self)
                    return True
            except FileNotFoundError:  # the process that held the lock has removed the file meanwhile
                pass
            except BlockingIOError:
                return False
            except OSError:
                self._remove()
                return True
            finally:
                if file >= 0:
                    os.close(file)
        return True

    def release(self) -> None:
        _held.discard(self)
        if self._file is not None and self._owner == os.getpid():
            self._remove()
            fcntl.flock(self._file, fcntl.LOCK_UN)  # also releases it in a forked process that inherited the file
            os.close(self._file)
        self._file = None

    def _remove(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def close_in_child(self) -> None:
        if self._file is not None:
            os.close(self._file)
        self._file = None

    @contextlib.contextmanager
    def hold(self) -> Iterator[bool]:
        """Tries to take the lock for a `with` block; the value is whether the lock was free."""
        is_free = self.acquire()
        try:
            yield is_free
        finally:
            if is_free:
                self.release()


_held: set[FileLock] = set()


def most(is_waited_for: bool) -> int:
    """The number of compilers that may run on this machine at once: a quarter of its cores, or all cores if somebody waits."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if is_waited_for else max(1, cores // 4)


@contextlib.contextmanager
def place_on_machine(folder: Path | None, is_waited_for: bool) -> Iterator[bool]:
    """Whether one more compiler may run on this machine. The compilers of all processes that use this folder count; several machines may
    share the folder."""
    if folder is None:
        yield True
        return
    machine = hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:8]
    places = range(most(is_waited_for))
    for k in reversed(places) if is_waited_for else places:
        with FileLock(folder / f"compiler-{machine}-{k}.lock").hold() as is_free:
            if is_free:
                yield True
                return
    yield False


def _after_fork_in_child() -> None:
    """Makes this module forget compilers, locks and waiting threads in a forked process, because they belong to the parent."""
    global _state, ended, turn
    _state, ended, turn = threading.Lock(), threading.Event(), Turn()
    _running.clear()
    for write in _ends:
        os.close(write)
    _ends.clear()
    for lock in list(_held):
        lock.close_in_child()
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
