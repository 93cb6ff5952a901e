#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stress P = ∂W/∂F and tangent ∂P/∂F of two hyperelastic solids from their energies, compared with hand-written formulas, JAX, and tensortrax
with FElupe; and the growth of the cost with the level of derivatives and with the number of inputs.

    energies.py [--peers PYTHON] [--points 10000] [--growth]

needs the installed package and a C++ compiler. PYTHON is an interpreter with jax, tensortrax and felupe, which runs energies_peers.py.
One thread, float64, CPU time, minima; the compiler's seconds are measured with an empty cache. It stops if two results differ by 1e-10.
"""

import argparse
import functools
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
from neml2.tensors import R2, R4, SR2, Rot, Scalar, Vec

HERE = pathlib.Path(__file__).resolve().parent
MU, LAMBDA = 1.0, 1.5  # of the neo-Hookean solid
OGDEN = ((0.63, 1.3), (0.0012, 5.0), (-0.01, -2.0))  # pairs of μ and α: Ogden (1972)
K = 100.0  # of Ogden's solid

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def deformations(n):
    """Principal stretches that are 0.02 apart, since the hand-written tangents and those of the peers divide by the differences of eigenvalues."""
    stretches = 0.7 + 0.6 * torch.rand(20 * n, 3)
    apart = (stretches - stretches.roll(1, -1)).abs().min(-1).values > 0.02
    U = torch.diag_embed(stretches[apart][:n])
    return R2((R2(Rot.rand(n)).torch() @ U @ R2(Rot.rand(n)).torch()).contiguous())


# ---- Energies ----


def neo_hooke(F):
    """Source: Bonet and Wood (2008), Nonlinear Continuum Mechanics for Finite Element Analysis, eq. 6.27."""
    ln_J = math.log(math.det(F))
    return 0.5 * MU * (math.norm_sq(F) - 3.0) - MU * ln_J + 0.5 * LAMBDA * ln_J**2


def of_eigenvalues(c):
    """Ogden's energy as a function of the eigenvalues of FᵀF. Source: Ogden (1972), Proc. R. Soc. Lond. A 326, 565-584; with a change of
    volume: Holzapfel (2000), Nonlinear Solid Mechanics, section 6.5."""
    J2 = c(0) * c(1) * c(2)
    W = 0.25 * K * (J2 - 1.0 - math.log(J2))
    for mu, alpha in OGDEN:
        W = W + mu / alpha * (J2 ** (-alpha / 6) * sum(c(i) ** (alpha / 2) for i in range(3)) - 3.0)
    return W


def ogden(F):
    return neml2.isotropic(of_eigenvalues, math.right_cauchy_green(F))


# ---- Hand-written formulas ----

ONE = R4(torch.einsum("ik,jl->ijkl", torch.eye(3), torch.eye(3)))


def neo_hooke_by_hand(F):
    inverse, ln_J = math.inv(F), math.log(math.det(F))
    G = math.transpose(inverse)
    return MU * (F - G) + LAMBDA * ln_J * G, MU * ONE + LAMBDA * math.outer(G, G) + (MU - LAMBDA * ln_J) * math.kron_transposed(G, inverse)


def ogden_by_hand(F):
    """In the principal axes: F = Σ λ_i n_i N_i, with ∂²W/∂λ_i∂λ_j for diagonal entries, and for i ≠ j the entries (λ_i W_i - λ_j W_j) / (λ_i² -
    λ_j²) and (λ_j W_i - λ_i W_j) / (λ_i² - λ_j²). Source: Ogden (1984), Non-Linear Elastic Deformations, chapter 6."""
    squares, V = math.eigh(math.right_cauchy_green(F))
    l = [math.sqrt(squares(i)) for i in range(3)]
    J = l[0] * l[1] * l[2]
    slope, second = [0.5 * K * (J * J - 1.0) / l[i] for i in range(3)], {}
    for i in range(3):
        for j in range(i + 1):
            same = -0.5 * K * (J * J - 1.0) / (l[i] * l[i]) if i == j else 0.0
            second[i, j] = K * J * J / (l[i] * l[j]) + same
    for mu, alpha in OGDEN:
        powers = [l[i] ** alpha for i in range(3)]
        scale, mean = mu * J ** (-alpha / 3), (powers[0] + powers[1] + powers[2]) / 3.0
        for i in range(3):
            slope[i] = slope[i] + scale * (powers[i] - mean) / l[i]
            for j in range(i + 1):
                here = alpha / 3.0 * (mean - powers[i] - powers[j])
                if i == j:
                    here = here + alpha * powers[i] - (powers[i] - mean)
                second[i, j] = second[i, j] + scale * here / (l[i] * l[j])
    N = [Vec.fill(V(0, i), V(1, i), V(2, i)) for i in range(3)]
    n = [F * N[i] / l[i] for i in range(3)]
    m = [[math.outer(n[i], N[j]) for j in range(3)] for i in range(3)]
    P = slope[0] * m[0][0] + slope[1] * m[1][1] + slope[2] * m[2][2]
    A = 0.0
    for i in range(3):
        row = [second[max(i, j), min(i, j)] for j in range(3)]
        A = A + math.outer(m[i][i], row[0] * m[0][0] + row[1] * m[1][1] + row[2] * m[2][2])
        for j in range(i):
            by = 1.0 / (squares(i) - squares(j))
            a, b = (l[i] * slope[i] - l[j] * slope[j]) * by, (l[j] * slope[i] - l[i] * slope[j]) * by
            A = A + math.outer(m[i][j], a * m[i][j] + b * m[j][i]) + math.outer(m[j][i], a * m[j][i] + b * m[i][j])
    return P, A


SOLIDS = {"neo-Hooke": (neo_hooke, neo_hooke_by_hand), "Ogden": (ogden, ogden_by_hand)}


# ---- Times ----


def both(energy, backend):
    f = neml2.formula(lambda F: neml2.gradient(energy, F), backend=backend)
    return f.value_and_jacobian


def compare(points, peers):
    F = deformations(points)
    rows, expected = [], {}
    for solid, (energy, by_hand) in SOLIDS.items():
        for name, call in (
            ("by hand, compiled", neml2.formula(by_hand, backend="compiler")),
            ("by hand, interpreted", neml2.formula(by_hand, backend="interpreter")),
            ("from the energy, compiled", both(energy, "compiler")),
            ("from the energy, interpreted", both(energy, "interpreter")),
        ):
            first, best = timed(functools.partial(call, F))
            found = [t.torch() for t in call(F)]
            rows.append((solid, name, first, best, check(solid, name, found, expected)))
    if peers:
        with tempfile.TemporaryDirectory() as folder:
            numpy.savez(f"{folder}/in.npz", F=F.numpy())
            subprocess.run([peers, HERE / "energies_peers.py", folder, json.dumps([MU, LAMBDA, OGDEN, K])], check=True)
            for row in json.loads(pathlib.Path(folder, "times.json").read_text()):
                found = numpy.load(f"{folder}/{row['file']}")
                found = [torch.from_numpy(found["P"]), torch.from_numpy(found["A"])]
                rows.append((row["solid"], row["name"], row["first"], row["best"], check(row["solid"], row["name"], found, expected)))
    hand = {solid: best for solid, name, _, best, _ in rows if name == "by hand, compiled"}
    print(
        f"\nP and ∂P/∂F at {points} points\n\n| solid | | µs | ÷ by hand | first call, s | differs by |\n| --- | --- | --- | --- | --- | --- |"
    )
    for solid, name, first, best, error in rows:
        print(f"| {solid} | {name} | {best / 1e3:.0f} | {best / hand[solid]:.1f} | {first:.2f} | {error:.0e} |")


# ---- Growth of the cost ----


def sample(x):
    square = math.inner(x, x) if x.base.shape else x * x
    return math.log(1.0 + square) + math.exp(-0.1 * square) + 0.5 * square


def inverted(b):
    """The x at which the gradient is b."""
    return neml2.newton(lambda x, b: neml2.gradient(sample, x) - b, 0.5 * b, b)


INPUTS = {1: Scalar, 3: Vec, 6: SR2, 9: R2}
LEVELS = {
    "value": lambda backend: neml2.formula(sample, backend=backend),
    "gradient": lambda backend: neml2.formula(lambda x: neml2.gradient(sample, x), backend=backend),
    "Hessian": lambda backend: neml2.formula(lambda x: neml2.hessian(sample, x), backend=backend),
    "third derivative": lambda backend: neml2.formula(lambda x: neml2.jacobian(lambda y: neml2.hessian(sample, y), x), backend=backend),
    "`newton` on the gradient": lambda backend: neml2.formula(inverted, backend=backend),
    "its Jacobian": lambda backend: neml2.formula(inverted, backend=backend).value_and_jacobian,
}


def grow(points):
    print(f"\nns per point at {points} points, interpreted / compiled, and CPU seconds of the compiler\n")
    print("| | " + " | ".join(f"{n} numbers" for n in INPUTS) + " |\n| --- |" + " --- |" * len(INPUTS))
    for level, made in LEVELS.items():
        cells = []
        for kind in INPUTS.values():
            x = 0.5 * kind.rand(points)
            _, interpreted = timed(functools.partial(made("interpreter"), x), 0.5)
            seconds, compiled = timed(functools.partial(made("compiler"), x), 0.5)
            cells.append(f"{interpreted / points:.0f} / {compiled / points:.0f}, {seconds:.1f} s")
        print(f"| {level} | " + " | ".join(cells) + " |", flush=True)


def check(solid, name, found, expected):
    """The largest difference from the first result for this solid, relative to the largest number."""
    first = expected.setdefault(solid, found)
    error = max(((a.reshape(b.shape) - b).abs().max() / b.abs().max()).item() for a, b in zip(found, first, strict=True))
    if not error < 1e-10:
        sys.exit(f"{solid}, {name}: differs by {error:.1e}")
    return error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--points", type=int, default=10**4)
    parser.add_argument("--growth", action="store_true", help="only the growth of times and operations")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # compilers and peers inherit this setting
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NEML2_CACHE"] = cache
        if options.growth:
            grow(options.points)
        else:
            compare(options.points, options.peers)


if __name__ == "__main__":
    main()
