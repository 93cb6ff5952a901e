# SPDX-License-Identifier: MIT
"""How compilers of formulas run: one at a time, once per source, few per machine, at a lower priority than the program, and not after its end.

The compilers of these tests are scripts that record their calls, and make a library whose loop is empty.
"""

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch
from support import run

import neml2
from neml2 import _background, _compiled, _compilers, math
from neml2.tensors import SR2, Scalar

pytestmark = [
    pytest.mark.skipif(os.name != "posix" or _compilers.compiler() is None, reason="there is no C++ compiler, or no shell"),
    pytest.mark.filterwarnings("ignore:a formula could not be compiled"),
]

SCRIPT = """#!/bin/sh
for a; do
  case $a in
    --version) echo a compiler; exit;;
    *.cpp) size=$(grep -c '' "$a");;
  esac
  [ "$before" != -o ] || made=$a
  before=$a
done
echo "start $size $(nice) $MINE $*" >> {folder}/log
{work}
status=$?
echo "end $size" >> {folder}/log
exit $status
"""
LOOP = """
static void run(void) {}
extern "C" void neml2_tile_loop(void (**loop)(void), int * width) { *loop = run; *width = 1; }
"""
WORKS = 'cp {folder}/library "$made"'
FAILS = "sleep 0.05; false"
WAITS = "while [ ! -e {folder}/go ]; do sleep 0.05; done"


class Compilers:
    """The behaviour of the compilers of a test, and a record of their calls. The number of lines identifies a source."""

    def __init__(self, folder):
        self.folder, self.path, self.cache = folder, folder / "compiler", folder / "cache" / "neml2-formulas"

    def do(self, work):
        work = work.replace("{folder}", str(self.folder))
        self.path.write_text(SCRIPT.replace("{folder}", str(self.folder)).replace("{work}", work))
        self.path.chmod(0o755)

    def log(self):
        path = self.folder / "log"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def started(self):
        return [words for words in self.log() if words[0] == "start"]

    def sources(self):
        """The sources in the order of compiling. A source that fails is tried again at once, in the folder of temporary files."""
        sizes = [int(words[1]) for words in self.started()]
        return [n for i, n in enumerate(sizes) if i == 0 or n != sizes[i - 1]]

    def at_once(self):
        running, most = 0, 0
        for words in self.log():
            running += 1 if words[0] == "start" else -1
            most = max(most, running)
        return most

    def go(self):
        (self.folder / "go").touch()


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    (folder / "loop.cpp").write_text(LOOP)
    subprocess.run([*_compilers.compiler(), "-shared", "-fPIC", folder / "loop.cpp", "-o", folder / "library"], check=True)
    return folder / "library"


@pytest.fixture
def compilers(library, tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    shutil.copy(library, tmp_path / "library")
    made = Compilers(tmp_path)
    made.do(WORKS)
    monkeypatch.setenv("CXX", str(made.path))
    monkeypatch.setenv("NEML2_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MINE", "none")
    yield made
    made.go()
    until(idle)


def until(condition):
    for _ in range(2400):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def idle():
    return not (_background.background._new or _background.background._waiting or _background.background._threads)


S = torch.linspace(0, 1, 5, dtype=torch.float64)


def formula(k, backend="auto"):
    """A formula with k functions: the larger k, the longer its source."""

    def f(x):
        for _ in range(k):
            x = math.tanh(x) + 1.25
        return x

    return neml2.formula(f, backend=backend)


def called(k):
    """A formula that is compiled in the background from now on."""
    f = formula(k)
    for _ in range(_compiled.CALLS + 1):
        f(Scalar(S))
    return f


def is_compiled(f):
    return "interpreted:" not in neml2.show(f)


# ---- In one process ----


def test_one_runs_at_a_time_in_the_order_of_the_calls(compilers):
    compilers.do(FAILS)
    _alive = [called(k) for k in range(1, 13)]
    until(idle)
    assert compilers.at_once() == 1
    assert len(compilers.sources()) == 12 and compilers.sources() == sorted(compilers.sources())


def test_formulas_alike_are_compiled_once(compilers):
    alike = [called(1) for _ in range(4)]
    until(idle)
    assert len(compilers.started()) == 1 and all(is_compiled(f) for f in alike)
    another = called(1)
    until(idle)
    assert len(compilers.started()) == 1 and is_compiled(another)


def test_a_formula_that_is_no_more_is_not_compiled(compilers):
    compilers.do(WAITS)
    _first, second = called(1), called(2)
    until(compilers.started)
    until(lambda: len(_background.background._waiting) == 2)
    del second
    compilers.go()
    until(idle)
    assert len(compilers.sources()) == 1


def test_a_source_that_fails_is_not_tried_again(compilers):
    compilers.do(FAILS)
    with pytest.warns(RuntimeWarning, match="could not be compiled, and stays interpreted: .*compiler failed"):
        first = called(1)
        until(idle)
    n = len(compilers.started())
    second = called(1)
    until(idle)
    assert len(compilers.started()) == n and not is_compiled(first) and not is_compiled(second)


def test_what_somebody_waits_for_is_next(compilers):
    compilers.do(WAITS + "\n" + FAILS)
    _alive = [called(1)]
    until(compilers.started)
    _alive += [called(2), called(3)]
    outcome = []

    def call():
        with pytest.raises(RuntimeError, match="compiler failed"):
            formula(4, "compiler")(Scalar(S))
        outcome.append(True)

    thread = threading.Thread(target=call)
    thread.start()
    until(lambda: _compilers.turn._waited_for == 1)
    compilers.go()
    thread.join()
    until(idle)
    first, second, *others = compilers.sources()
    assert outcome and compilers.at_once() == 1 and second > max(others) and first < min(others)


def test_what_is_in_the_cache_does_not_wait(compilers, monkeypatch):
    formula(2, "compiler")(Scalar(S))
    monkeypatch.setattr(_compilers, "run", lambda *a, run=_compilers.run: (compilers.do(WAITS), run(*a))[1])
    first = called(1)
    until(lambda: len(compilers.started()) == 2)
    second = called(2)
    until(lambda: is_compiled(second))
    assert not is_compiled(first) and len(compilers.log()) == 3


def test_priority(compilers):
    formula(1, "compiler")(Scalar(S))
    f = called(2)
    until(lambda: is_compiled(f))
    own = os.nice(0)
    assert [int(words[2]) for words in compilers.started()] == [own, min(own + int(_compilers.NICENESS), 19)]


def test_warnings_that_are_errors_end_no_queue(compilers, monkeypatch):
    compilers.do(FAILS)
    seen = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    monkeypatch.setattr("warnings.warn", lambda text, *_, **__: (_ for _ in ()).throw(RuntimeWarning(text)))
    _alive = [called(1), called(2)]
    until(idle)
    assert len(seen) == 2 and len(compilers.sources()) == 2


def test_what_is_too_large_is_not_compiled_in_the_background(compilers, monkeypatch):
    monkeypatch.setattr(_compiled, "LARGEST", 100)
    small, large = called(20), called(60)
    until(idle)
    assert is_compiled(small) and len(compilers.started()) == 1
    said = neml2.show(large).splitlines()[0]
    assert said == 'value of (Scalar), interpreted, because "auto" compiles at most 100 operations and these are 120:'
    assert neml2.show(large, source=True).startswith(said)
    waited_for = formula(60, "compiler")
    waited_for(Scalar(S))
    assert len(compilers.started()) == 2 and "compiled:" in neml2.show(waited_for)
    another = called(60)
    until(idle)
    assert len(compilers.started()) == 2 and "compiled:" in neml2.show(another)  # it is in the cache


def test_formulas_of_usual_size_are_compiled_in_the_background():
    def energy(C):
        ln_J = 0.5 * math.log(math.det(C))
        return 0.5 * (math.tr(C) - 3.0) - ln_J + ln_J * ln_J

    f = neml2.formula(lambda C: neml2.hessian(energy, C), backend="interpreter")
    f(SR2.identity(dtype=torch.float64))
    ((_, _, program, _),) = f.programs()
    assert 100 < _compiled.operations(_compiled.recording.source(program)) < _compiled.LARGEST / 5


@pytest.mark.parametrize(
    "work, bound, message",
    [
        ("sleep 300", "TIME", "took more than 1 s, the limit"),
        ("while :; do :; done", "PROCESSOR_TIME", "took more than 1 s of a processor, the limit"),
    ],
    ids=["waits", "computes"],
)
def test_a_compiler_in_the_background_has_a_bound_of_its_time(compilers, monkeypatch, work, bound, message):
    compilers.do(work)
    monkeypatch.setattr(_compilers, bound, 1)
    start = time.monotonic()
    with pytest.warns(RuntimeWarning, match=f"could not be compiled, and stays interpreted: the compiler {message}"):
        f = called(1)
        until(idle)
    assert time.monotonic() - start < 100 and len(compilers.started()) == 1  # not tried in another folder
    compilers.do(WORKS)
    assert not is_compiled(f)
    formula(1, "compiler")(Scalar(S))
    assert len(compilers.started()) == 2


def test_a_compiler_that_is_waited_for_has_none(compilers, monkeypatch):
    compilers.do(f"sleep 1.5; {WORKS}")
    monkeypatch.setattr(_compilers, "TIME", 1)
    monkeypatch.setattr(_compilers, "PROCESSOR_TIME", 1)
    f = formula(1, "compiler")
    f(Scalar(S))
    assert is_compiled(f)


# ---- The command ----


def test_what_starts_the_compiler_and_flags(compilers, monkeypatch):
    monkeypatch.setenv("CXX", f"env MINE=yes {compilers.path} -DX '-DY=\"a b\"'")
    f = called(1)
    until(lambda: is_compiled(f))
    ((*_, mine, x, y, b), *_) = [words[:7] for words in compilers.started()]
    assert (mine, x, y, b) == ("yes", "-DX", '-DY="a', 'b"')


def test_paths_and_messages_in_latin_1(compilers, monkeypatch):
    place = Path(os.fsdecode(os.fsencode(compilers.folder) + b"/f\xfcr"))
    try:
        place.mkdir()
    except OSError:
        pytest.skip("the names of files are text here")
    compilers.path.rename(place / "compiler")
    monkeypatch.setenv("CXX", f"{place}/compiler {os.fsdecode(bytes([*b'-DX=', 252]))}")
    formula(1, "compiler")(Scalar(S))
    (place / "compiler").write_bytes(b"#!/bin/sh\necho 'Datei fehlt f\xfcr' >&2\nexit 1\n")
    with pytest.warns(RuntimeWarning, match=r"failed: Datei fehlt f\\xfcr"):
        _alive = called(2)
        until(idle)


# ---- In several processes ----

PROGRAM = """
import sys, time, warnings
sys.path.insert(0, {tests!r})
warnings.simplefilter("ignore")
import test_compilers as t
from neml2 import _background, _compilers
"""


def programs(n, body, **environment):
    """Starts a program n times; its file is not this test's, so that nothing is collected."""
    code = PROGRAM.format(tests=str(Path(__file__).parent)) + body
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **environment}
    return [subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True) for _ in range(n)]


def outputs(started):
    return [p.communicate(timeout=120)[0] for p in started]


def test_a_source_is_compiled_by_one_of_several_processes(compilers):
    compilers.do(f"{WAITS}\n{WORKS}")
    started = programs(3, "f = t.called(1); print('asked', flush=True); t.until(lambda: t.is_compiled(f)); print('compiled')")
    assert [p.stdout.readline() for p in started] == ["asked\n"] * 3
    compilers.go()
    assert outputs(started) == ["compiled\n"] * 3
    assert len(compilers.started()) == 1
    assert [p.suffix for p in compilers.cache.iterdir()] == [".so"]  # no lock is left


def test_a_source_is_compiled_by_one_of_several_processes_that_wait_for_it(compilers):
    assert outputs(programs(3, "f = t.formula(1, 'compiler'); f(t.Scalar(t.S)); print(t.is_compiled(f))")) == ["True\n"] * 3
    assert len(compilers.started()) == 1


def test_few_run_on_a_machine(compilers):
    compilers.do(FAILS)
    outputs(programs(3, "import os; a = [t.called(3 * (os.getpid() % 100) + k + 1) for k in range(3)]; t.until(t.idle)"))
    assert len(compilers.started()) >= 3 and compilers.at_once() <= _compilers.most(is_waited_for=False)


def test_places_on_a_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(_compilers, "most", lambda is_waited_for: 3 if is_waited_for else 1)

    def is_free(is_waited_for):
        with _compilers.place_on_machine(tmp_path, is_waited_for) as found:
            return found

    with _compilers.place_on_machine(tmp_path, False) as first:
        assert first and not is_free(False) and is_free(True)
        with _compilers.place_on_machine(tmp_path, True) as second, _compilers.place_on_machine(tmp_path, True) as third:
            assert second and third and not is_free(True)
            assert all(_compilers.LOCK.fullmatch(p.name) for p in tmp_path.iterdir()) and len(list(tmp_path.iterdir())) == 3
    assert is_free(False) and not list(tmp_path.iterdir())


# ---- At the end ----

HANGS = "touch $TMPDIR/of_the_compiler\nsleep 300 &\necho $! > {folder}/pid\nwait"


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except OSError:
        return False


FORKED = """
import multiprocessing
def work():
    f = t.called(1)
    t.until(lambda: t.Path(FOLDER, "pid").exists())
if __name__ == "__main__":
    p = multiprocessing.get_context("fork").Process(target=work)
    p.start()
    p.join()
"""


@pytest.mark.parametrize("body", ["f = t.called(1); t.until(lambda: t.Path(FOLDER, 'pid').exists())", FORKED], ids=["program", "worker"])
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_program_that_ends_does_not_wait(compilers, body):
    compilers.do(HANGS)
    (program,) = programs(1, f"FOLDER = {str(compilers.folder)!r}\n{body}", TMPDIR=str(compilers.folder / "tmp"))
    assert outputs([program]) == [""] and program.returncode == 0
    until((compilers.folder / "pid").exists)
    until(lambda: not is_running(int((compilers.folder / "pid").read_text())))
    assert not list(compilers.cache.iterdir()) and not list((compilers.folder / "tmp").iterdir())


@pytest.mark.parametrize("backend", ["auto", "compiler"])
@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)", "os.kill(os.getpid(), signal.SIGTERM)", "os.abort()"])
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_compiler_does_not_outlive_a_program_that_ends_at_once(compilers, end, backend):
    """Processes that the compiler has started end, too, also if a forked process lives on."""
    compilers.do(HANGS)
    body = f"""
import os, resource, signal, threading
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
def run():
    t.formula(1, "compiler")(t.Scalar(t.S))
if {backend!r} == "auto":
    f = t.called(1)
else:
    threading.Thread(target=run).start()
t.until(lambda: t.Path({str(compilers.folder)!r}, "pid").exists())
if {backend!r} == "compiler" and os.fork() == 0:  # with "auto" it would go on with the formula
    os.close(1)
    while not t.Path({str(compilers.folder)!r}, "go").exists():
        time.sleep(0.05)
    os._exit(0)
{end}
"""
    (program,) = programs(1, body)
    outputs([program])
    assert program.returncode != 0
    until(lambda: not is_running(int((compilers.folder / "pid").read_text())))
    until(lambda: not running_with(str(compilers.path)))


def running_with(text):
    """The processes whose command has a text."""
    found = []
    for p in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if text.encode() in p.read_bytes() and is_running(int(p.parent.name)):
                found.append(p.parent.name)
    return found


def test_nothing_is_left_when_a_compiler_ends(compilers):
    formula(1, "compiler")(Scalar(S))
    f = called(2)
    until(lambda: is_compiled(f) and idle())
    assert not running_with(str(compilers.path)) and not _compilers._ends and not _compilers._running


def test_an_interrupt_ends_what_is_waited_for(compilers):
    compilers.do(HANGS)
    program = run(
        PROGRAM.format(tests=str(Path(__file__).parent))
        + f"""
import os, signal, threading
def interrupt():
    t.until(lambda: t.Path({str(compilers.folder)!r}, "pid").exists())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    t.formula(1, "compiler")(t.Scalar(t.S))
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert program.stdout == "interrupted\n"
    until(lambda: not is_running(int((compilers.folder / "pid").read_text())))
    assert not list(compilers.cache.iterdir())


# ---- Forks ----


def test_a_forked_process_goes_on_with_what_waits(compilers):
    """A forked process can also compile the formula that its parent is compiling, and its end does not end the parent's compiler."""
    compilers.do(f"{WAITS}\n{WORKS}")
    body = f"""
import os
a = [t.called(1), t.called(2)]
t.until(lambda: len(_background.background._waiting) == 2 and t.Path({str(compilers.folder)!r}, "log").exists())
if os.fork() == 0:
    sys.exit()  # by the handlers of the end
os.wait()
child = os.fork()
if child == 0:
    assert not _compilers._running and not _compilers._held
    print("forked", flush=True)
t.until(lambda: all(t.is_compiled(f) for f in a))
t.until(t.idle)
print("compiled", flush=True)
if child:
    os.wait()
"""
    (program,) = programs(1, body)
    assert program.stdout.readline() == "forked\n"
    compilers.go()
    assert outputs([program]) == ["compiled\n" * 2]
    assert len(compilers.started()) == 2 and compilers.at_once() == 1
    assert [p.suffix for p in compilers.cache.iterdir()] == [".so"] * 2


def test_a_forked_process_without_work_has_no_threads(compilers):
    body = """
import os, threading
f = t.called(1)
t.until(lambda: t.is_compiled(f) and t.idle())
if os.fork() == 0:
    assert threading.active_count() == 1
    g = t.called(2)
    t.until(lambda: t.is_compiled(g))
    print("compiled", flush=True)
else:
    os.wait()
"""
    assert outputs(programs(1, body)) == ["compiled\n"]


# ---- Locks ----


def test_a_lock_has_one_owner(tmp_path):
    path = tmp_path / "a.lock"
    first, second = _compilers.FileLock(path), _compilers.FileLock(path)
    assert first.acquire() and not second.acquire()
    code = "import sys\nfrom neml2._compilers import FileLock\nfrom pathlib import Path\nprint(FileLock(Path(sys.argv[1])).acquire())"
    assert subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True).stdout == "False\n"
    first.release()
    assert not path.exists()
    assert subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True).stdout == "True\n"
    assert path.exists() and second.acquire()  # the other process did not release it
    second.release()


def test_a_lock_that_was_removed_meanwhile_is_not_held(tmp_path, monkeypatch):
    path = tmp_path / "a.lock"
    flock, calls = _compilers.fcntl.flock, []

    def removed_before(file, how):
        if not calls:
            path.unlink()
        calls.append(how)
        flock(file, how)

    monkeypatch.setattr(_compilers.fcntl, "flock", removed_before)
    lock = _compilers.FileLock(path)
    assert lock.acquire() and len(calls) == 2 and path.exists()
    assert not _compilers.FileLock(path).acquire()
    lock.release()


def test_where_files_cannot_be_locked_there_is_no_lock(compilers, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOTSUP, "not supported")

    monkeypatch.setattr(_compilers.fcntl, "flock", flock)
    formula(1, "compiler")(Scalar(S))
    monkeypatch.setattr(_compilers, "fcntl", None)
    formula(2, "compiler")(Scalar(S))
    assert [p.suffix for p in compilers.cache.iterdir()] == [".so"] * 2


def test_locks_that_were_left_are_removed_and_the_users_files_are_not(compilers):
    compilers.cache.mkdir(mode=0o700, parents=True)
    left = [compilers.cache / f"formula-{1:064x}.lock", compilers.cache / f"compiler-{1:08x}-0.lock"]
    held = compilers.cache / f"formula-{2:064x}.lock"
    users = [place / name for place in (compilers.cache, compilers.cache.parent) for name in ("my.lock", "compiler-0.lock", "formula-x.lock")]
    users.append(compilers.cache.parent / left[0].name)
    for path in (*left, *users):
        path.write_text("text")
    link, folder = compilers.cache / f"formula-{3:064x}.lock", compilers.cache / f"formula-{4:064x}.lock"
    link.symlink_to(users[0])
    folder.mkdir()
    with _compilers.FileLock(held).hold():
        formula(1, "compiler")(Scalar(S))
        assert held.exists() and not any(p.exists() for p in left)
    assert all(p.read_text() == "text" for p in users) and link.is_symlink() and folder.is_dir()
    for path in (link, folder):
        with _compilers.FileLock(path).hold() as is_free:
            assert is_free  # compiled without a lock, rather than never
    assert link.is_symlink() and folder.is_dir() and users[0].read_text() == "text"
