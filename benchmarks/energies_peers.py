# SPDX-License-Identifier: MIT
"""The stresses and tangents of energies.py with JAX, and with tensortrax and FElupe. energies.py runs it: energies_peers.py FOLDER PARAMETERS."""

import os
import sys

if hasattr(os, "sched_setaffinity"):  # before XLA makes its thread pool
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import json

import felupe
import jax
import jax.numpy as jnp
import numpy
import tensortrax
import tensortrax.math as tm
from cpu_time import timed

jax.config.update("jax_enable_x64", True)
folder, (MU, LAMBDA, OGDEN, K) = sys.argv[1], json.loads(sys.argv[2])
F = numpy.load(f"{folder}/in.npz")["F"]
rows = []


def add(solid, name, call, arrays):
    first, best = timed(call)
    P, A = arrays(call())
    file = f"{len(rows)}.npz"
    numpy.savez(f"{folder}/{file}", P=P, A=A)
    rows.append({"solid": solid, "name": name, "first": first, "best": best, "file": file})


# ---- JAX ----


def neo_hooke(F):
    ln_J = jnp.log(jnp.linalg.det(F))
    return 0.5 * MU * ((F * F).sum() - 3.0) - MU * ln_J + 0.5 * LAMBDA * ln_J**2


def ogden(F):
    c = jnp.linalg.eigvalsh(F.T @ F)
    J2 = c.prod()
    W = 0.25 * K * (J2 - 1.0 - jnp.log(J2))
    for mu, alpha in OGDEN:
        W = W + mu / alpha * (J2 ** (-alpha / 6) * (c ** (alpha / 2)).sum() - 3.0)
    return W


def stress_and_tangent(energy):
    def twice(F):
        P = jax.grad(energy)(F)
        return P, P

    return jax.jit(jax.vmap(jax.jacfwd(twice, has_aux=True)))


x = jnp.asarray(F)
for solid, energy in (("neo-Hooke", neo_hooke), ("Ogden", ogden)):
    call = stress_and_tangent(energy)
    add(solid, f"JAX {jax.__version__}", lambda: jax.block_until_ready(call(x)), lambda r: (numpy.asarray(r[1]), numpy.asarray(r[0])))


# ---- tensortrax and FElupe, whose points are the last axis ----


def neo_hooke_trax(F):
    ln_J = tm.log(tm.linalg.det(F))
    return 0.5 * MU * (tm.trace(tm.transpose(F) @ F) - 3.0) - MU * ln_J + 0.5 * LAMBDA * ln_J**2


def ogden_trax(F):
    c = tm.linalg.eigvalsh(tm.transpose(F) @ F, eps=0.0)
    J2 = c[0] * c[1] * c[2]
    W = 0.25 * K * (J2 - 1.0 - tm.log(J2))
    for mu, alpha in OGDEN:
        W = W + mu / alpha * (J2 ** (-alpha / 6) * (c[0] ** (alpha / 2) + c[1] ** (alpha / 2) + c[2] ** (alpha / 2)) - 3.0)
    return W


def last_first(r):
    return numpy.moveaxis(r[0], -1, 0), numpy.moveaxis(r[1], -1, 0)


y = numpy.ascontiguousarray(numpy.moveaxis(F, 0, -1))
for solid, energy in (("neo-Hooke", neo_hooke_trax), ("Ogden", ogden_trax)):
    call = tensortrax.hessian(energy, ntrax=1, full_output=True)
    add(solid, f"tensortrax {tensortrax.__version__}", lambda: call(y), lambda r: last_first((r[1], r[0])))

material = felupe.NeoHookeCompressible(mu=MU, lmbda=LAMBDA)  # written by hand, in NumPy
z = [y[..., None, :], None]
add(
    "neo-Hooke",
    f"FElupe {felupe.__version__}, by hand",
    lambda: (material.gradient(z)[0], material.hessian(z)[0]),
    lambda r: last_first((r[0][..., 0, :], r[1][..., 0, :])),
)
with open(f"{folder}/times.json", "w") as out:
    json.dump(rows, out)
