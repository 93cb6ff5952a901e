# SPDX-License-Identifier: MIT
"""Formulas compiled by the C++ compiler of this machine: the results are bitwise those of the interpreter, and no event breaks the cache.

Only these tests and test_compilers.py need a compiler.
"""

import multiprocessing
import os
import stat
import time
import warnings

import pytest
import torch
from formulas_support import (
    FORMULAS,
    IN_FORMULAS,
    ITERATIONS,
    ONES,
    State,
    arguments,
    bitwise,
    condensed,
    creep,
    creep_arguments,
    cubes,
    iteration,
    outcome,
    random_formulas,
    same,
    torches,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from operations import values
from random_derivatives import random_case, states, typed
from support import FIXED, run

import neml2
from neml2 import _compiled, _compilers, math
from neml2.tensors import R2, SR2, MillerIndex, Scalar, Vec

pytestmark = pytest.mark.skipif(_compilers.compiler() is None, reason="there is no C++ compiler")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NEML2_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "neml2-formulas"


def both(f):
    return neml2.formula(f, backend="interpreter"), neml2.formula(f, backend="compiler")


def compile_the_rest(formula):
    """Compiles the programs that were interpreted in their first call."""
    for _, _, program, is_compiled in formula.programs():
        if not is_compiled:
            _compiled.use(program)
    assert "interpreted:" not in neml2.show(formula)


def run_everything(formula, types, *batch):
    """Values, gradients and Jacobians."""
    torch.manual_seed(3)
    a = arguments(types, *batch, grad=True)
    found = torches(formula(*a))
    weights = [torch.rand_like(x) for x in found]
    gradients = torch.autograd.grad(found, [x.torch() for x in a], weights)
    _, jacobians = formula.value_and_jacobian(*(t(x.torch().detach()) for t, x in zip(types, a)), argnums=0)
    return [*found, *gradients, *torches(jacobians)]


@pytest.mark.parametrize("formula", FORMULAS)
def test_compiled_is_interpreted_bitwise(formula):
    f, types = FORMULAS[formula]
    interpreted, compiled = both(f)
    run_everything(compiled, types, 3)
    compile_the_rest(compiled)
    for batch in [(), (0,), (1,), (2,), (7,), (8,), (9,), (63,), (64,), (65,), (130,), (3, 50), (1000,)]:
        bitwise(run_everything(compiled, types, *batch), run_everything(interpreted, types, *batch))


STEP = int(os.environ.get("NEML2_COMPILED_STEP", 20))  # 1 tests all operations, which takes about ten minutes
TOGETHER = 30
def test_the_hessian_of_an_energy_that_newton_makes_least():
    e, k = SR2(torch.randn(7, 6)), Scalar(torch.rand(7) + 0.5)
    interpreted, compiled = both(lambda e, k: neml2.hessian(condensed, e, k))
    bitwise(compiled(e, k), interpreted(e, k))


def test_results_in_existing_tensors():
    f, types = FORMULAS["j2"]
    interpreted, compiled = both(f)
    a = arguments(types, 37)
    expected = interpreted(*a)
    out = type(expected)(type(x)(torch.zeros_like(x.torch())) for x in expected)
    assert compiled(*a, out=out) is out
    bitwise(out, expected)
    value, slope = compiled.value_and_jacobian(*a, of=0)
    first = SR2(torch.zeros(6, 37).movedim(0, -1))  # components first
    both_out = ((first, out[1]), type(slope)(torch.zeros_like(slope.torch())))
    compiled.value_and_jacobian(*a, of=0, out=both_out)
    bitwise([first, both_out[1]], [value[0], slope])


CHOSEN = [r for r in IN_FORMULAS if MillerIndex not in r.types][::STEP]  # the numbers of a MillerIndex are integers


@pytest.mark.parametrize("first", range(0, len(CHOSEN), TOGETHER))
def test_operations_are_interpreted_bitwise(first):
    rows = [r for r in CHOSEN[first : first + TOGETHER] if not isinstance(outcome(r, r.arguments(2)), str)]
    arguments = [[t(x) for t, x in zip(r.types, r.arguments(37))] for r in rows]

    def results(x):
        return [y for y in (x if isinstance(x, (tuple, list)) else (x,)) if not isinstance(y, (int, float))]

    if rows:
        interpreted, compiled = both(lambda a: [y for r, x in zip(rows, a) for y in results(r.call(*x))])
        compiled(arguments)  # it is compiled then
        bitwise(compiled(arguments), interpreted(arguments))


@given(st.lists(random_formulas(), min_size=8, max_size=40))
@settings(max_examples=int(os.environ.get("NEML2_RANDOM_COMPILED", 10)), suppress_health_check=list(HealthCheck))
def test_random_formulas(formulas):
    """Many operations compiled in one formula: bitwise as the interpreted formula. Compiled alone they may round differently, since a formula
    computes common parts only once."""
    torch.manual_seed(1)
    interpreted, compiled = both(lambda *a: [f(*a) for f in formulas])
    a = [t(2 * torch.rand(77, *FIXED[t]) - 1) for t in (Scalar, Vec, SR2, R2)]
    gradients(compiled, a)
    compile_the_rest(compiled)
    for found, expected, alone in zip(compiled(*a), interpreted(*a), formulas, strict=True):
        bitwise(found, expected)
        same(found, neml2.vmap(alone, *a), 8)
    bitwise(gradients(compiled, a), gradients(interpreted, a))


COMPILED = int(os.environ.get("NEML2_RANDOM_COMPILED", 10))


def test_random_derivatives_are_interpreted_bitwise():
    """Formulas of test_random_derivatives.py, many of them compiled together."""
    first = int(os.environ.get("NEML2_RANDOM_SEED", 1))
    raw = states(first)

    def is_short(case):  # the compiler takes minutes for the longest ones
        f = neml2.formula(case, backend="interpreter")
        f(*typed(raw))
        return len(neml2.show(f).splitlines()) < 1500

    cases = list(filter(is_short, map(random_case, range(first, first + COMPILED))))
    assert cases
    interpreted, compiled = both(lambda *x: [case(*x) for case in cases])
    for batch in (slice(None), slice(3), slice(-9, None)):
        x = typed([t[batch] for t in raw])
        compiled(*x)  # it is compiled then
        bitwise(compiled(*x), interpreted(*x))
    assert "interpreted:" not in neml2.show(compiled)


def gradients(formula, a):
    a = [type(x)(x.torch().clone().requires_grad_()) for x in a]
    results = [t for several in formula(*a) for t in torches(several)]
    return torch.autograd.grad(
        results, [x.torch() for x in a], [torch.ones_like(t) for t in results], allow_unused=True, materialize_grads=True
    )


def test_numbers_are_arguments_of_what_is_compiled():
    interpreted, compiled = both(lambda s, a, b: math.pow(s, a) + b)
    s = Scalar(values(Scalar, 50))
    for a, b in ((2.0, 1.0), (0.5, -3.0), (float("inf"), float("nan"))):
        bitwise(compiled(s, a, b), interpreted(s, a, b))


# ---- Newton's iterations ----


@pytest.mark.parametrize("case", ITERATIONS)
def test_iterations_are_interpreted_bitwise(case):
    torch.manual_seed(1)
    a = Scalar(torch.rand(133) + 0.2)
    a.torch()[::9] = float("nan")
    a.torch()[1::9] *= -1
    interpreted, compiled = both(iteration(case))
    for run_it in (lambda g: g(a), lambda g: torches(g.value_and_jacobian(a)[1])):
        run_it(compiled)  # it is compiled then
        bitwise(run_it(compiled), run_it(interpreted))
    assert "interpreted:" not in neml2.show(compiled)
    assert case == "singular" or 0 < compiled(a)[-1].torch().sum() < 133


def test_formulas_alike_keep_their_own_options():
    """Formulas that differ only in the options of newton, in one process."""
    a = Scalar(torch.rand(50) + 0.2)
    for n in (1, 2, 20):
        options = dict(max_iterations=n, keep_unconverged=True)
        interpreted, compiled = both(lambda a, options=options: neml2.newton(cubes, (ONES, 1.0), a, **options))
        compiled(a)  # it is compiled then
        bitwise(compiled(a), interpreted(a))


def test_equations_in_groups_are_interpreted_bitwise():
    def f(stress, C, rate):
        found = neml2.newton(creep, State(0.0 * stress, 0.0 * rate), stress, C, rate)
        return found.strain, found.p

    torch.manual_seed(1)
    a = creep_arguments(100)
    a[2].torch()[::9] = float("nan")
    interpreted, compiled = both(f)
    for run_it in (lambda g: g(*a), lambda g: torches(g.value_and_jacobian(*a)[1])):
        run_it(compiled)
        bitwise(run_it(compiled), run_it(interpreted))


# ---- The cache ----


def exponential(k=1.0):
    s = Scalar(torch.linspace(0, 1, 20))
    f = neml2.formula(lambda x: math.exp(x) * 1.25, backend="compiler")
    f(s)
    assert ", compiled:" in neml2.show(f)
    torch.testing.assert_close(f(s).torch(), (math.exp(s) * 1.25).torch())


def libraries(cache):
    return sorted(cache.glob("*.so"))


def test_what_is_in_the_cache_is_not_compiled_again(cache, monkeypatch):
    exponential()
    assert len(libraries(cache)) == 1 and [p.name for p in cache.iterdir()] == [p.name for p in libraries(cache)]
    monkeypatch.setattr(_compiled, "_compile", None)
    exponential()


@pytest.mark.parametrize("spoil", ["cut", "empty", "text", "changed", "folder"])
def test_a_spoilt_library_is_compiled_again(cache, spoil):
    exponential()
    (library,) = libraries(cache)
    whole = library.read_bytes()
    library.unlink()
    if spoil == "folder":
        library.mkdir()
    else:
        library.write_bytes(
            {"cut": whole[: len(whole) // 2], "empty": b"", "text": b"no library" * 9, "changed": whole[:-1] + b"x"}[spoil]
        )
    exponential()
    if spoil != "folder":
        assert library.read_bytes()[:64] == whole[:64] and len(library.read_bytes()) > 1000


def test_a_cache_that_cannot_be_written(cache, monkeypatch):
    cache.parent.parent.joinpath("file").write_text("")
    monkeypatch.setenv("NEML2_CACHE", str(cache.parent.parent / "file"))  # no folder, for root too
    exponential()
    monkeypatch.setenv("NEML2_CACHE", "/proc/no/folder")
    exponential()


of_users = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no such owner")


@of_users
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("mode", [0o720, 0o702])
def test_a_folder_that_others_can_write_is_not_used(cache, mode, which):
    cache.mkdir(parents=True)
    folders = [cache.parent, cache]
    [f.chmod(0o700) for f in folders]
    folders[which].chmod(mode)
    with pytest.warns(RuntimeWarning, match=f"not kept in {folders[which]}, which can be written by others") as said:
        exponential(), exponential()
    assert len(said) == 1 and not list(cache.iterdir())


@of_users
def test_a_folder_of_another_user_is_not_used(cache, monkeypatch):
    exponential()
    monkeypatch.setattr(os, "geteuid", lambda owner=cache.stat().st_uid: owner + 1)
    monkeypatch.setattr(_compiled, "_tidy", None)
    loaded = len(_compiled._loaded)
    with pytest.warns(RuntimeWarning, match=f"not kept in {cache.parent}, which belongs to another user"):
        exponential()
    assert len(_compiled._loaded) == loaded + 1 and not _compiled._loaded[-1]._name.startswith(str(cache))


@of_users
def test_a_library_that_others_can_write_is_compiled_again(cache):
    exponential()
    (library,) = libraries(cache)
    assert [stat.S_IMODE(p.stat().st_mode) for p in (cache, library)] == [0o700, 0o700]
    library.chmod(0o722)
    before = library.stat().st_ino
    exponential()
    assert library.stat().st_ino != before and stat.S_IMODE(library.stat().st_mode) == 0o700


def test_two_versions_have_libraries_of_their_own(cache, monkeypatch):
    exponential()
    monkeypatch.setattr(_compiled, "__version__", "0.0.1")
    exponential()
    assert len(libraries(cache)) == 2


def test_the_oldest_of_a_large_cache_go(cache, monkeypatch):
    cache.mkdir(mode=0o700, parents=True)
    made = [cache / f"formula-{k:064x}.so" for k in range(5)]
    for k, path in enumerate(made):
        path.write_text("")
        os.utime(path, (k, k))
    killed = cache / "unfinished-killed_1"
    killed.mkdir()
    os.utime(killed, (0, 0))
    monkeypatch.setattr(_compiled, "KEPT", 3)
    exponential()
    assert set(libraries(cache)) > set(made[3:]) and len(libraries(cache)) == 3
    assert not killed.exists()


def test_what_is_not_of_the_cache_is_never_touched(cache, monkeypatch):
    cache.mkdir(mode=0o700, parents=True)
    elsewhere = cache.parent.parent / "results"
    elsewhere.mkdir()
    names = ["new-mesh", "new-data.so", "unfinished-thesis", "libmine.so", f"{0:064x}.so", "formula-of-mine.so", "mine.kernel"]
    for place in (cache.parent, cache):
        for name in names:
            place.joinpath(name).write_text("of the user")
        place.joinpath("new-folder").mkdir()
        place.joinpath("new-folder", "results.csv").write_text("of the user")
        place.joinpath("unfinished-abcd1234").symlink_to(elsewhere)
        place.joinpath(f"formula-{1:064x}.so").symlink_to(place / "libmine.so")
    cache.joinpath(f"formula-{2:064x}.so").mkdir()
    elsewhere.joinpath("results.csv").write_text("of the user")
    before = {p: p.read_text() for p in cache.parent.parent.rglob("*") if p.is_file()}
    for p in [*cache.parent.parent.rglob("*")][::-1]:
        if p not in (cache, cache.parent):
            os.utime(p, (0, 0))
    monkeypatch.setattr(_compiled, "KEPT", 0)
    exponential()
    assert {p: p.read_text() for p in before if p.exists()} == before
    assert cache.joinpath(f"formula-{2:064x}.so").is_dir() and cache.joinpath("unfinished-abcd1234").is_symlink()


PROGRAM = """
import torch, neml2
from neml2 import Scalar, math
f = neml2.formula(lambda x: math.exp(x) * 1.25, backend="compiler")
s = Scalar(torch.linspace(0, 1, 20, dtype=torch.float64))
assert torch.allclose(f(s).torch(), (math.exp(s) * 1.25).torch(), rtol=1e-14)
print(", compiled:" in neml2.show(f))
"""


def test_several_processes_compile_at_once(cache):
    context = multiprocessing.get_context("fork")
    outcomes = context.Queue()
    workers = [context.Process(target=lambda: outcomes.put(run(PROGRAM).stdout)) for _ in range(4)]
    [w.start() for w in workers]
    assert [outcomes.get(timeout=120) for _ in workers] == ["True\n"] * 4
    [w.join() for w in workers]
    assert len(libraries(cache)) == 1 and not list(cache.glob("unfinished-*"))


def test_a_process_that_is_killed_while_it_compiles(cache, tmp_path, monkeypatch):
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\n[ "$1" = --version ] || touch {tmp_path}/started\nsleep 60\n')
    slow.chmod(0o755)
    monkeypatch.setenv("CXX", str(slow))
    slow.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit 0\ntouch {tmp_path}/started\nexec sleep 60\n')
    worker = multiprocessing.get_context("fork").Process(target=run, args=(PROGRAM,))
    worker.start()
    for _ in range(1200):
        if (tmp_path / "started").exists():
            break
        time.sleep(0.1)
    os.kill(worker.pid, 9)
    assert not libraries(cache)
    monkeypatch.delenv("CXX")
    exponential()


def test_a_compiler_that_fails(cache, monkeypatch, tmp_path):
    bad = tmp_path / "bad"
    bad.write_text("#!/bin/sh\necho no space left on device >&2\nexit 1\n")
    bad.chmod(0o755)
    monkeypatch.setenv("CXX", str(bad))
    with pytest.raises(RuntimeError, match="bad failed: no space left on device"):
        exponential()
    f = neml2.formula(lambda x: math.exp(x) * 1.5, backend="auto")
    s = Scalar(torch.rand(5))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(_compiled.CALLS + 1):
            f(s)
        for _ in range(2400):
            if seen:
                break
            time.sleep(0.05)
    assert "could not be compiled, and stays interpreted" in str(seen[0].message)
    torch.testing.assert_close(f(s).torch(), (math.exp(s) * 1.5).torch())
    assert not libraries(cache) and not list(cache.glob("unfinished-*"))


def test_a_compiler_that_writes_nothing(cache, monkeypatch):
    monkeypatch.setenv("CXX", "env true")
    with pytest.raises(RuntimeError, match="env true reported no error, but wrote no library. Set CXX to a C[+][+] compiler"):
        exponential()


def test_variables_of_the_environment(monkeypatch):
    monkeypatch.setenv("NEML2_FORMULAS", "compiled")
    with pytest.raises(ValueError, match="'compiled', from NEML2_FORMULAS in the environment. Expected one of auto, interpreter, compiler"):
        _compiled.checked(None)
    with pytest.raises(ValueError, match="the backend is 'gpu'. Expected one of auto, interpreter, compiler"):
        _compiled.checked("gpu")
    for given, backend in (("", "auto"), ("interpreter", "interpreter")):
        monkeypatch.setenv("NEML2_FORMULAS", given)
        assert _compiled.checked(None) == backend
    monkeypatch.setenv("HOME", "/home/mine")
    monkeypatch.setenv("NEML2_CACHE", "~/x")
    assert str(_compiled.folder()) == "/home/mine/x/neml2-formulas"


def test_a_compiler_with_options(monkeypatch):
    name = os.environ.get("CXX", "c++")
    monkeypatch.setenv("CXX", f"{name} -O1 '-DMINE=\"a b\"'")
    exponential()
    for none in ("", "  ", "'c++", "/no/such/compiler -O1"):
        monkeypatch.setenv("CXX", none)
        assert _compilers.compiler() is None
    with pytest.raises(RuntimeError, match="no C[+][+] compiler: .*CXX is '/no/such/compiler -O1'"):
        exponential()


def test_a_compiler_that_says_so_in_latin_1(monkeypatch, tmp_path):
    bad = tmp_path / "bad"
    bad.write_bytes("#!/bin/sh\necho 'Datei fehlt für \'\'ä' >&2\nexit 1\n".encode("latin-1"))
    bad.chmod(0o755)
    monkeypatch.setenv("CXX", str(bad))
    with pytest.raises(RuntimeError, match=r"bad failed: Datei fehlt f\\xfcr"):
        exponential()


def test_what_is_called_often_is_compiled_meanwhile():
    f = neml2.formula(lambda x: math.exp(x) * 1.75, backend="auto")
    s = Scalar(torch.rand(5))
    expected = f(s).torch()
    for _ in range(2400):
        assert torch.equal(f(s).torch(), expected)  # before, while, and after
        if ", compiled:" in neml2.show(f):
            break
        time.sleep(0.05)
    assert ", compiled:" in neml2.show(f)


def test_after_a_fork():
    f = neml2.formula(lambda x: math.exp(x) * 2.25, backend="compiler")
    s = Scalar(torch.rand(5))
    expected = f(s).torch().tolist()
    context = multiprocessing.get_context("fork")
    outcomes = context.Queue()
    worker = context.Process(target=lambda: outcomes.put(f(s).torch().tolist()))
    worker.start()
    assert outcomes.get(timeout=60) == expected
    worker.join()


FORKED = """
import os, signal, torch, neml2
from neml2 import SR2, math
torch.set_num_threads(2)
f = neml2.formula(lambda s: s / (1.0 + math.norm(s)), backend={backend!r})
s = SR2(torch.rand(200_000, 6, dtype=torch.float64))
def calls():
    value, tangent = neml2.value_and_jacobian(f, s)
    return [t.torch().numpy().tobytes() for t in (f(s), s.dev(), value, tangent)]
expected = calls()  # starts the threads
child = os.fork()
if child == 0:
    signal.alarm(60)  # ends a process that waits for threads
    os._exit(0 if calls() == expected else 1)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize("backend", ["interpreter", "compiler"])
def test_large_calls_after_a_fork(backend):
    """OpenMP's threads exist only in the parent, so that the child must not wait for them."""
    done = run(FORKED.format(backend=backend))
    assert done.stdout == "0\n", done.stderr


def test_the_source_needs_nothing_of_torch():
    f = neml2.formula(FORMULAS["j2"][0])
    f(*arguments(FORMULAS["j2"][1], 2))
    source = neml2._C.recording.source(f.programs()[0][2])
    assert "torch" not in source and "ATen" not in source and source.count("#include") == 1
