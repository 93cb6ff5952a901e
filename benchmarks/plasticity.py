#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stress and tangent of von Mises plasticity with linear hardening, the model that the pages "Coming from" have in several libraries:

    plasticity.py [--peers PYTHON] [--docs]

needs the installed package and a C++ compiler. PYTHON is an interpreter that has some of jax, casadi and simcoon, and runs plasticity_peers.py.
One thread, float64, CPU time, minima; the first call has the compiler's seconds. It stops if two results differ by 1e-9. --docs writes the table
of docs/moving.md. In the column "existing arrays" the results are written to arrays that were there before, in libraries that can do this:
new arrays of this size cost page faults, which take longer than the arithmetic.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import neml2
import numpy
import torch
from cpu_time import timed
from neml2 import math
from neml2.tensors import SR2, SSR4, Scalar

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
MATERIAL = (77e3, 167e3, 250.0, 2e3)  # MPa
POINTS = (1, 100, 10**4)
LARGE = 10**6  # points, into existing arrays
BEGIN = "<!-- results: written by benchmarks/plasticity.py --docs -->"

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def radial_return(strain, plastic_strain, alpha):
    """One point: stress and new state from the strain and the state before the step."""
    mu, kappa, yield_stress, modulus = MATERIAL
    trial = 2 * mu * math.dev(strain - plastic_strain)
    mises = math.maximum(math.von_mises(trial), 1e-12)
    increment = math.maximum(mises - yield_stress - modulus * alpha, 0.0) / (3 * mu + modulus)
    flow = trial * (1.5 * increment / mises)
    return 3 * kappa * math.vol(strain) + trial - 2 * mu * flow, plastic_strain + flow, alpha + increment


def here(strain, n, backend):
    """The row of this library, and its stress and tangent."""
    f = neml2.formula(radial_return, backend=backend)
    arguments = SR2(strain.torch()[:n]), SR2.zeros(n), Scalar.zeros(n)
    out = ((SR2.empty(n), SR2.empty(n), Scalar.empty(n)), SSR4.empty(n)) if n == LARGE else None
    first, best = timed(lambda: f.value_and_jacobian(*arguments, of=0, out=out), 1.0)
    (stress, _, _), tangent = f.value_and_jacobian(*arguments, of=0, out=out)
    kept = slice(max(POINTS))
    stress, tangent = SR2(stress.torch()[kept]), SSR4(tangent.torch()[kept])
    return (f"here, {backend}", n, first, best), (math.full(stress).torch(), math.full(tangent).torch())


def symmetric(tangent):
    """The tangent by the symmetric part of the strain: some libraries give derivatives by nine independent numbers."""
    return (tangent + tangent.transpose(-1, -2) + tangent.transpose(-3, -4) + tangent.transpose(-1, -2).transpose(-3, -4)) / 4


def check(name, found, expected):
    for a, b in zip(found, expected, strict=True):
        error = ((a - b).abs().max() / b.abs().max()).item()
        if not error < 1e-9:
            sys.exit(f"{name}: differs by {error:.1e}")


def measured(peers):
    """Rows of a name, points, CPU seconds of the first call, and ns of the fastest."""
    strain = SR2(4e-3 * torch.randn(LARGE, 6))
    rows, expected = [], {}
    for backend in ("interpreter", "compiler"):
        for n in (*POINTS, LARGE):
            row, found = here(strain, n, backend)
            check(row[0], (found[0], symmetric(found[1])), expected.setdefault(n, (found[0], symmetric(found[1]))))
            rows.append(row)
    if peers:
        with tempfile.TemporaryDirectory() as folder:
            numpy.savez(f"{folder}/in.npz", strain=math.full(strain).torch().numpy())
            with open(f"{folder}/in.json", "w") as f:
                json.dump((MATERIAL, POINTS, LARGE), f)
            subprocess.run([peers, HERE / "plasticity_peers.py", folder], check=True, cwd=folder)
            with open(f"{folder}/times.json") as f:
                for row in json.load(f):
                    with numpy.load(f"{folder}/{row['file']}") as r:
                        check(row["name"], (torch.from_numpy(r["stress"]), symmetric(torch.from_numpy(r["tangent"]))), expected[row["points"]])
                    rows.append((row["name"], row["points"], row["first"], row["best"]))
    return rows


def table(rows):
    names = list(dict.fromkeys(row[0] for row in rows))
    best = {row[:2]: row[3] / row[1] for row in rows}
    first = {row[0]: row[2] for row in rows if row[1] == POINTS[0]}
    cell = lambda ns: f"{ns / 1e3:.3g}"  # noqa: E731
    head = ["", *(f"{n} point{'s' * (n > 1)}" for n in POINTS), f"{LARGE} points, existing arrays", "first call, s"]
    large = {name: cell(best[name, LARGE]) if (name, LARGE) in best else "-" for name in names}
    lines = [[name, *(cell(best[name, n]) for n in POINTS), large[name], f"{first[name]:.2f}"] for name in names]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines)).replace("|  |", "| |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # compilers and peers inherit it
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NEML2_CACHE"] = cache
        text = "µs per point, stress and tangent\n\n" + table(measured(options.peers))
    print(text)
    if options.docs:
        from pages import DOCS, replace_results

        replace_results(DOCS / "moving.md", BEGIN, text)


if __name__ == "__main__":
    main()
