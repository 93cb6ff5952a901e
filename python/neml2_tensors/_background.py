# SPDX-License-Identifier: MIT
"""Compiles the programs of formulas (their lists of operations): at once, or in the background in the order of the requests."""

import os
import sys
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Sized
from typing import Any, NamedTuple

from . import _compiled, _compilers

SHORTEST, LONGEST = 0.05, 1.0  # the pauses between attempts, in seconds, while other processes compile


def compile_programs(formula: Any, backend: str) -> None:
    """Compiles the recorded programs of a formula: at once if the backend is "compiler", otherwise in the background."""
    for _, _, program, is_compiled in formula.programs():
        if is_compiled:
            continue
        if backend == "compiler":
            _compiled.use(program)
        elif _compilers.compiler():
            background.add(program, formula)


class Request(NamedTuple):
    program: Any
    formula: Callable[[], Any]  # returns None if the formula has been deleted; then the program need not be compiled


class Background:
    """Programs that wait to be compiled. One thread looks for them in the cache, another one compiles, so that programs which are in the
    cache do not wait for the compiler. The threads exist only while there is work.

    A program stays in its queue until it is done. Therefore a process that is forked meanwhile compiles it, too.
    """

    def __init__(self) -> None:
        self._new: deque[Request] = deque()
        self._waiting: dict[_compiled.Source, list[Request]] = {}
        self._failed: set[_compiled.Source] = set()
        self.start_again()

    def start_again(self) -> None:
        """Starts the threads; a forked process calls it, too."""
        self._lock = threading.RLock()
        self._threads: dict[str, threading.Thread] = {}
        self._start_threads()

    def add(self, program: Any, formula: Any) -> None:
        with self._lock:
            self._new.append(Request(program, weakref.ref(formula)))
            self._start_threads()

    def _start_threads(self) -> None:
        steps: dict[str, tuple[Sized, Callable[[], bool]]] = {"look": (self._new, self._look_up), "make": (self._waiting, self._make)}
        with self._lock:
            for work, (queue, step) in steps.items():
                if queue and work not in self._threads and not _compilers.ended.is_set():
                    name = f"{_compilers.THREADS}: {work}"
                    self._threads[work] = threading.Thread(target=self._work, args=(work, queue, step), name=name, daemon=True)
                    self._threads[work].start()

    def _work(self, work: str, queue: Sized, step: Callable[[], bool]) -> None:
        pause = SHORTEST
        while True:
            with self._lock:
                if not queue or _compilers.ended.is_set():
                    self._threads.pop(work, None)
                    return
            if step():
                pause = SHORTEST
            else:
                _compilers.ended.wait(pause)
                pause = min(2 * pause, LONGEST)

    def _look_up(self) -> bool:
        """Looks for the first new program in the cache, and loads it. If it is not there, it is queued for the compiler."""
        request = self._new[0]
        try:
            if request.formula() is not None:
                source = _compiled.source_of(request.program)
                library = _compiled.cached(source)
                if library:
                    _compiled.set_loop(request.program, library)
                elif source not in self._failed and _compiled.operations(source.text) <= _compiled.LARGEST:
                    with self._lock:
                        self._waiting.setdefault(source, []).append(request)
                        self._start_threads()
        except Exception as error:
            _warn(error)
        with self._lock:
            self._new.popleft()
        return True

    def _make(self) -> bool:
        """Loads the programs that other processes have compiled meanwhile. If there are none, compiles the first program that no other
        process is compiling. Returns whether any program is done."""
        with self._lock:
            for source, requests in list(self._waiting.items()):
                if all(r.formula() is None for r in requests):
                    del self._waiting[source]
            sources = list(self._waiting)
        if any([self._done(s, _compiled.cached) for s in sources]):
            return True
        with (
            _compilers.turn.take(is_waited_for=False),
            _compilers.place_on_machine(_compiled.writable_folder(), is_waited_for=False) as is_free,
        ):
            return is_free and any(self._done(s, lambda s: _compiled.made(s, is_waited_for=False)) for s in sources)

    def _done(self, source: "_compiled.Source", library_of: Callable[[_compiled.Source], Any]) -> bool:
        try:
            library = library_of(source)
            if not library:
                return False
            with self._lock:
                requests = self._waiting.pop(source)
            for request in requests:
                _compiled.set_loop(request.program, library)
        except Exception as error:
            with self._lock:
                self._waiting.pop(source, None)
                self._failed.add(source)
            _warn(error)
        return True


def _warn(error: Exception) -> None:
    if _compilers.ended.is_set():  # when the program ends, it also ends its compilers
        return
    try:
        warnings.warn(f"a formula could not be compiled, and stays interpreted: {error}", RuntimeWarning, stacklevel=2)
    except Warning:  # the user turns warnings into errors: the thread must survive such an error
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))


background = Background()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=background.start_again)
