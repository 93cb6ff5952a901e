#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times formulas of the Python package, interpreted and compiled, against the same formulas in C++ and against PyTorch.

    python_formulas.py build/release/benchmarks [--neml2-3 PYTHON] [--docs] [--targets] [--quick]

needs the installed package, a C++ compiler, and the benchmarks `functions`, `j2`, `rotations` and `implicit` in that folder.
PYTHON is an interpreter that has NEML2 3.x. One thread, float64. `--docs` puts the tables into docs/python_speed.md, `--targets` prints the times
that miss our targets, `--quick` takes few samples, to check that everything works.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import timeit
from dataclasses import dataclass
from math import inf, sqrt

import neml2
import torch
from neml2.math import dev, exp, macaulay, maximum, minimum, norm, vol, where
from neml2.tensors import SR2, Rot, Scalar

import formulas

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import benchmark  # noqa: E402
import pages  # noqa: E402

SIZES = {1: "1", 100: "100", 10**4: "10⁴", 10**6: "10⁶"}
BEGIN = "<!-- results: written by benchmarks/python_formulas.py --docs -->"

# The targets: time / time of C++ from N = 10⁴ on, additional µs of a call at N = 1, ms of a first call.
AT_MOST = {"compiled": 1.3, "interpreted": 2.5}
LONGER_US = 2
FIRST_MS = {"interpreted": 5, "compiled": 3000, "from the cache": 20}

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


# ---- The formulas, as in benchmarks/functions.cpp, support/j2.h, rotations.cpp and examples/viscoplasticity.h ----


def flow_rule(stress, n):
    return 1e-3 * (stress / 0.5) ** n * exp(-2.0 * stress)


def radial_return(strain, plastic_strain, alpha, E, nu, yield_stress, hardening):
    mu, kappa = E / (2 * (1 + nu)), E / (3 * (1 - 2 * nu))
    elastic = strain - plastic_strain
    trial = 2 * mu * dev(elastic)
    mises = sqrt(1.5) * norm(trial)
    excess = maximum(mises - (yield_stress + hardening * alpha), 0.0)
    shrink = 1 - 3 * mu / (3 * mu + hardening) * excess / maximum(mises, 1e-12)
    return 3 * kappa * vol(elastic) + shrink * trial


def rotate(s, r):
    return s.rotate(r)


@dataclass
class Material:
    G: float
    kappa: float
    yield_stress: float
    Q: float
    b: float
    C: float
    gamma: float
    K: float
    n: float


@dataclass
class State:
    plastic_strain: SR2
    X: SR2
    p: Scalar


@dataclass
class Unknowns:
    s: SR2
    X: SR2
    over: Scalar


def plastic_strain_of(over, m, dt):
    return dt * (over / m.K) ** m.n


def equations(x, trial, old, m, dt):
    stress = x.s - x.X
    mises = sqrt(1.5) * norm(stress)
    direction = stress * (1.5 / mises)
    dp = plastic_strain_of(x.over, m, dt)
    hardening = m.Q * (1 - exp(-m.b * (old.p + dp)))
    return (
        (x.s - trial + 2 * m.G * dp * direction) / m.yield_stress,
        (x.X - old.X - 2 / 3 * m.C * dp * direction + m.gamma * dp * x.X) / m.yield_stress,
        (mises - m.yield_stress - hardening - x.over) / m.yield_stress,
    )


def viscoplasticity(strain, old, m, dt):
    trial = 2 * m.G * dev(strain - old.plastic_strain)
    stress = trial - old.X
    mises = sqrt(1.5) * norm(stress)
    beyond = macaulay(mises - m.yield_stress - m.Q * (1 - exp(-m.b * old.p)))
    over = minimum(beyond, m.K * (beyond / ((3 * m.G + m.C) * dt)) ** (1 / m.n))
    guess = trial - 3 * m.G * plastic_strain_of(over, m, dt) / mises * stress
    found = neml2.newton(equations, Unknowns(guess, old.X, over), trial, old, m, dt, bounds={2: (0, inf)})
    flows = beyond > 0
    s = where(flows, found.s, trial)
    new = State(
        old.plastic_strain + (trial - s) / (2 * m.G),
        where(flows, found.X, old.X),
        old.p + where(flows, plastic_strain_of(found.over, m, dt), 0.0),
    )
    return 3 * m.kappa * vol(strain) + s, new


# ---- Arguments of the formulas, and the same formulas in PyTorch ----


def tensors_of_flow(N):
    return Scalar(0.1 + 1.9 * torch.rand(N)), Scalar(1 + 5 * torch.rand(N))


def tensors_of_j2(N):
    constants = (Scalar(x) for x in (formulas.E, formulas.NU, formulas.YIELD, formulas.HARDENING))
    return (
        SR2(4e-3 * (torch.rand(N, 6) - 0.5)),
        SR2(1e-3 * (torch.rand(N, 6) - 0.5)),
        Scalar(0.01 * (torch.rand(N) - 0.5).abs()),
        *constants,
    )


def tensors_of_rotation(N):
    return SR2(torch.rand(N, 6)), Rot(0.6 * torch.rand(N, 3) - 0.3)


def tensors_of_viscoplasticity(N):
    plastic, X = dev(SR2(1e-4 * torch.rand(N, 6))), dev(SR2(40 * (torch.rand(N, 6) - 0.5)))
    material = Material(80e3, 160e3, 100.0, 50.0, 20.0, 20e3, 200.0, 80.0, 5.0)
    return SR2(8e-3 * (torch.rand(N, 6) - 0.5)), State(plastic, X, Scalar(1e-2 * torch.rand(N))), material, 1.0


def torch_flow(xp, s, n):
    return 1e-3 * xp.pow(s / 0.5, n) * xp.exp(-2.0 * s)


@dataclass
class Row:
    formula: object
    arguments: object
    program: str  # of C++
    name: str  # of the benchmark in that program, and in neml2_3.py
    torch: object = None  # of benchmarks/formulas.py, of the first `takes` arguments; constants are folded
    takes: int = 0
    largest: int = 10**6


ROWS = {
    "flow rule": Row(flow_rule, tensors_of_flow, "functions", "flow rule", torch_flow, 2),
    "J2 radial return": Row(radial_return, tensors_of_j2, "j2", "J2", formulas.radial_return, 3),
    "rotation of an SR2": Row(rotate, tensors_of_rotation, "rotations", "SR2 rotate by Rot", formulas.rotate, 2),
    "Chaboche, 13 unknowns": Row(viscoplasticity, tensors_of_viscoplasticity, "implicit", "viscoplasticity", largest=10**4),
}


def sizes(row, quick):
    return [N for N in SIZES if N <= row.largest and not (quick and N in (100, 10**6))]


def torch_compiled(row, arguments):
    """The call compiled by torch.compile, and its arguments."""
    torch._dynamo.reset()
    call = torch.compile(lambda *a: row.torch(torch, *a), dynamic=False)
    return torch.no_grad()(call), [a.torch() for a in arguments[: row.takes]]


def peers(row, N):
    """The call from Python, and its arguments."""
    a = row.arguments(N)
    yield "compiled", neml2.formula(row.formula, backend="compiler"), a
    yield "interpreted", neml2.formula(row.formula, backend="interpreter"), a
    yield "op by op", row.formula, a
    if row.torch:
        yield "torch.compile", *torch_compiled(row, a)


def first_tensor(result):
    result = result[0] if isinstance(result, tuple) else result
    return result if isinstance(result, torch.Tensor) else result.torch()


def times(name, row, N, rounds):
    """µs of each peer: the fastest of many samples of 2 ms or of one call, taken in turns. It measures CPU time, which other programs
    on the machine disturb less than elapsed time."""
    timers, expected = {}, None
    for peer, call, a in peers(row, N):
        found = first_tensor(call(*a))
        expected = found if expected is None else expected
        if not torch.allclose(found, expected, rtol=1e-9, atol=1e-9 * float(expected.abs().max())):
            sys.exit(f"{name}, {peer}, N = {N}: results differ")
        timer = timeit.Timer("call(*a)", globals={"call": call, "a": a}, timer=time.thread_time)
        timers[peer] = timer, max(1, int(2e-3 * 3 / max(timer.timeit(3), 1e-9)))
    found = dict.fromkeys(timers, float("inf"))
    for _ in range(rounds):
        for peer in random.sample(list(timers), len(timers)):
            timer, calls = timers[peer]
            found[peer] = min(found[peer], timer.timeit(calls) / calls * 1e6)
    return found


# ---- First calls, each in a separate process ----


def print_first_call(name, backend):
    """ms of the first call with one point: the time that a program waits after its imports."""
    row = ROWS[name]
    formula, a = neml2.formula(row.formula, backend=backend), row.arguments(1)
    start = time.perf_counter()
    formula(*a)
    print(1e3 * (time.perf_counter() - start))


def first_calls(name, rounds):
    """ms of the fastest of several processes."""

    def run(backend, cache):
        command = [sys.executable, __file__, "--first", name, backend]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"NEML2_CACHE": cache})
        if done.returncode:
            sys.exit(done.stderr)
        return float(done.stdout)

    found = dict.fromkeys(FIRST_MS, float("inf"))
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            for kind, backend in (("interpreted", "interpreter"), ("compiled", "compiler"), ("from the cache", "compiler")):
                found[kind] = min(found[kind], run(backend, cache))
    return found


# ---- Contents of the tables ----


def of_cpp(folder, quick):
    """µs of C++, whose benchmarks keep freed memory by default, unlike Python's allocator."""
    found = {}
    for row in ROWS.values():
        name = f"--benchmark_filter=^{row.name}/[0-9]*/1/neml2(/|$)"
        flags = ["--default_malloc", *(["--quick"] if quick else [])]
        ns = benchmark.run(folder / row.program, name, *flags)[1]
        found |= {tuple(k.split("/")[:2]): t / 1e3 for k, t in ns.items()}
    return {(name, N): found[row.name, str(N)] for name, row in ROWS.items() for N in sizes(row, quick)}


def of_neml2_3(python, quick):
    """The version of NEML2 3.x, and µs of the fastest way through it; none if it is not requested or cannot run."""
    if not python:
        return "", {}
    own = os.environ.pop("PYTHONPATH", None)  # PYTHONPATH may contain this package, and what gives it the same name
    found = benchmark.run_script(python, "neml2_3.py", *(["--quick"] if quick else []))
    if own:
        os.environ["PYTHONPATH"] = own
    if not found:
        return "", {}
    fastest = {}
    for name, row in ROWS.items():
        for N in SIZES:
            ways = {k.rpartition("/")[2]: t for k, t in found["times"].items() if k.rpartition("/")[0] == f"{row.name}/{N}"}
            if ways:
                fastest[name, N] = min(ways.values()) / 1e3
    return found["version"], fastest


def speed_table(results):
    columns = ["compiled", "interpreted", "op by op", "torch.compile"] + (["NEML2 3.x"] if results["neml2_3"] else [])
    rows = []
    for (name, N), cpp in results["cpp"].items():
        found = results["python"][name, N] | {"NEML2 3.x": results["neml2_3"].get((name, N))}
        ratios = [benchmark.number(found[c] / cpp) if found.get(c) else "" for c in columns]
        rows.append([name, SIZES[N], benchmark.number(cpp), *ratios])
    return benchmark.table(["formula", "N", "C++ µs", *columns], rows)


def call_table(results):
    rows = []
    for name in ROWS:
        cpp, found = results["cpp"][name, 1], results["python"][name, 1]
        longer = [benchmark.number(found[c] - cpp) for c in ("compiled", "interpreted")]
        rows.append([name, *longer, *(benchmark.number(results["first"][name][c]) for c in FIRST_MS)])
    header = ["formula", "compiled", "interpreted", "first call, interpreted: ms", "compiled", "from the cache"]
    return benchmark.table(header, rows)


def missed(results):
    for (name, N), cpp in results["cpp"].items():
        for peer, limit in AT_MOST.items():
            found = results["python"][name, N][peer]
            if N >= 10**4 and found > limit * cpp:
                yield f"{name}, {peer}, N = {N}: {benchmark.number(found / cpp)} × C++, wanted {limit}"
            if N == 1 and found - cpp > LONGER_US:
                yield f"{name}, {peer}, N = 1: {benchmark.number(found - cpp)} µs more than C++, wanted {LONGER_US}"
    for name, found in results["first"].items():
        for kind, limit in FIRST_MS.items():
            if found[kind] > limit:
                yield f"{name}, first call {kind}: {benchmark.number(found[kind])} ms, wanted {limit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="holds the built benchmarks of C++")
    parser.add_argument("--neml2-3", metavar="PYTHON", help="a Python that has NEML2 3.x, which shall be compared, too")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--docs", action="store_true", help="put the tables into docs/python_speed.md, too")
    parser.add_argument("--targets", action="store_true", help="print the cells that miss what we aim at")
    parser.add_argument("--quick", action="store_true", help="few sizes and samples, to see that all works")
    args = parser.parse_args()
    rounds = 5 if args.quick else args.rounds
    version, neml2_3 = of_neml2_3(args.neml2_3, args.quick)
    results = {"cpp": of_cpp(args.folder.resolve(), args.quick), "python": {}, "first": {}, "neml2_3": neml2_3}
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NEML2_CACHE"] = cache
        for name, row in ROWS.items():
            for N in sizes(row, args.quick):
                results["python"][name, N] = times(name, row, N, rounds)
                print(name, N, results["python"][name, N], file=sys.stderr, flush=True)
            results["first"][name] = first_calls(name, 1 if args.quick else 3)
            print(name, results["first"][name], file=sys.stderr, flush=True)
    versions = f"Python {sys.version.split()[0]}; torch {torch.__version__}" + (f"; NEML2 {version}" if version else "")
    text = "\n\n".join(
        [
            f"{benchmark.cpu()}; {versions}; float64, one thread; minima; time / time of C++.",
            speed_table(results),
            "Extra µs per call over C++ at N = 1, and times of first calls:",
            call_table(results),
        ]
    )
    print(text)
    if args.targets:
        print("\nMissed targets", *missed(results), sep="\n")
    if args.docs:
        pages.replace_results(ROOT / "docs" / "python_speed.md", BEGIN, text)


if __name__ == "__main__":
    print_first_call(*sys.argv[2:]) if sys.argv[1:2] == ["--first"] else main()
