# SPDX-License-Identifier: MIT
"""The main operations for torch_compile.py and jax_jit.py, and the function that times them.

`xp` is torch or jax.numpy. Optional: scripts/benchmark.py runs them in an environment that you name.
"""
import argparse
import json
import time

SQRT2 = 2**0.5
E, NU, YIELD, HARDENING = 200e3, 0.3, 300.0, 2000.0
MU, KAPPA = E / (2 * (1 + NU)), E / (3 * (1 - 2 * NU))


def inner(a, b):
    return (a * b).sum(-1)


def mean(xp, s):
    m = (s[..., 0] + s[..., 1] + s[..., 2]) / 3
    zero = xp.zeros_like(m)
    return xp.stack([m, m, m, zero, zero, zero], -1)


def dev(xp, s):
    return s - mean(xp, s)


def multiply(xp, C, e):
    return e @ C.T


def matrix_inverse(xp, A):
    a = [[A[..., i, j] for j in range(3)] for i in range(3)]

    def cofactor(i, j):
        k, l, m, n = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
        return a[k][m] * a[l][n] - a[k][n] * a[l][m]

    det = sum(a[0][j] * cofactor(0, j) for j in range(3))
    return xp.stack([xp.stack([cofactor(i, j) / det for i in range(3)], -1) for j in range(3)], -2)


def matrix(r):
    x, y, z = r[..., 0], r[..., 1], r[..., 2]
    s = x * x + y * y + z * z
    q = 1 / (1 + s)
    u, t = 4 * (1 - s) * q * q, 8 * q * q
    return [
        [1 - t * (y * y + z * z), t * x * y - u * z, t * x * z + u * y],
        [t * x * y + u * z, 1 - t * (x * x + z * z), t * y * z - u * x],
        [t * x * z - u * y, t * y * z + u * x, 1 - t * (x * x + y * y)],
    ]


def rotate(xp, s, r):
    c = [s[..., k] for k in range(6)]
    f, g, h = c[3] / SQRT2, c[4] / SQRT2, c[5] / SQRT2
    a, R = [[c[0], h, g], [h, c[1], f], [g, f, c[2]]], matrix(r)
    b = [[sum(R[i][k] * a[k][j] for k in range(3)) for j in range(3)] for i in range(3)]

    def entry(i, j):
        return sum(b[i][k] * R[j][k] for k in range(3))

    shear = [SQRT2 * entry(1, 2), SQRT2 * entry(0, 2), SQRT2 * entry(0, 1)]
    return xp.stack([entry(0, 0), entry(1, 1), entry(2, 2), *shear], -1)


def compose(xp, a, b):
    s, t, d = inner(a, a), inner(b, b), inner(a, b)
    x, y = [a[..., k] for k in range(3)], [b[..., k] for k in range(3)]
    cross = [x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3] for k in range(3)]
    n = 1 + s * t - 2 * d
    return xp.stack([((1 - t) * x[k] + (1 - s) * y[k] + 2 * cross[k]) / n for k in range(3)], -1)


def radial_return(xp, strain, plastic_strain, alpha):
    elastic = strain - plastic_strain
    volumetric = mean(xp, elastic)
    trial = 2 * MU * (elastic - volumetric)
    mises = xp.sqrt(1.5 * inner(trial, trial))
    ratio = (YIELD + HARDENING * alpha) / mises
    c = 3 * MU / (3 * MU + HARDENING)
    factor = xp.where(ratio < 1, 1 - c + c * ratio, xp.ones_like(ratio))
    return 3 * KAPPA * volumetric + factor[..., None] * trial


def cases(random):
    """The operations under their names in the C++ benchmarks: the function and its arguments for a batch of N."""
    return {
        "C * strain": (multiply, lambda n: (random(6, 6), random(n, 6))),
        "SR2 dev": (dev, lambda n: (random(n, 6),)),
        "R2 inverse": (matrix_inverse, lambda n: (random(n, 3, 3),)),
        "SR2 rotate by Rot": (rotate, lambda n: (random(n, 6), random(n, 3) * 0.5)),
        "Rot * Rot": (compose, lambda n: (random(n, 3) * 0.3, random(n, 3) * 0.5)),
        "J2": (radial_return, lambda n: (random(n, 6) * 4e-3, random(n, 6) * 1e-3, random(n) * 0.01)),
    }


def main(peer, version, random, compiled, compiled_gradient):
    """Prints the time of the fastest of several calls, in ns, as JSON. compiled(f) and compiled_gradient(f) return
    functions that wait for their result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    times = {}
    for size in (1, 10**4) if quick else (1, 100, 10**4, 10**6):
        for name, (f, arguments) in cases(random).items():
            times[f"{name}/{size}"] = best_ns(compiled(f), arguments(size), quick)
        name, (f, arguments) = "J2 and backward to strain", cases(random)["J2"]
        times[f"{name}/{size}"] = best_ns(compiled_gradient(f), (*arguments(size), random(size, 6)), quick)
    print(json.dumps({"peer": peer, "version": version, "times": times}))


def best_ns(call, arguments, quick):
    call(*arguments)  # compiles
    best, deadline, calls = float("inf"), time.perf_counter() + (0.05 if quick else 0.5), 1
    while time.perf_counter() < deadline:
        start = time.perf_counter_ns()
        for _ in range(calls):
            call(*arguments)
        elapsed = time.perf_counter_ns() - start
        best = min(best, elapsed / calls)
        calls = max(1, min(1000, int(2e6 / best)))  # samples of 2 ms
    return best
