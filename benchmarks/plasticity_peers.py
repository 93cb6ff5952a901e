# SPDX-License-Identifier: MIT
"""The model of plasticity.py with those of JAX, CasADi and simcoon that are installed. plasticity.py runs it: plasticity_peers.py FOLDER."""

import os
import sys

if hasattr(os, "sched_setaffinity"):  # before XLA makes its thread pool
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import importlib
import importlib.metadata
import json

import numpy
from cpu_time import timed

folder = sys.argv[1]
with open(f"{folder}/in.json") as f:
    MATERIAL, POINTS, LARGE = json.load(f)
MU, KAPPA, YIELD, MODULUS = MATERIAL
strains = numpy.load(f"{folder}/in.npz")["strain"]  # (points, 3, 3)
rows = []


def add(name, n, call, arrays):
    """arrays gives the stress, (n, 3, 3), and the tangent, (n, 3, 3, 3, 3), of the first points at least."""
    first, best = timed(call, 1.0)
    stress, tangent = (a[: max(POINTS)] for a in arrays(call()))
    file = f"{len(rows)}.npz"
    numpy.savez(f"{folder}/{file}", stress=stress, tangent=tangent)
    rows.append({"name": name, "points": n, "first": first, "best": best, "file": file})


def with_jax(jax):
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy

    def stress_of(strain, old):
        plastic_strain, alpha = old
        elastic = strain - plastic_strain
        mean = jnp.trace(elastic) / 3
        trial = 2 * MU * (elastic - mean * jnp.eye(3))
        square = 1.5 * jnp.sum(trial * trial)
        mises = jnp.sqrt(jnp.where(square > 0, square, 1.0))
        increment = jnp.maximum(mises - YIELD - MODULUS * alpha, 0.0) / (3 * MU + MODULUS)
        flow = trial * (1.5 * increment / mises)
        stress = 3 * KAPPA * mean * jnp.eye(3) + trial - 2 * MU * flow
        return stress, (stress, (plastic_strain + flow, alpha + increment))

    update = jax.jit(jax.vmap(jax.jacfwd(stress_of, has_aux=True)))
    for n in POINTS:
        x, old = jnp.asarray(strains[:n]), (jnp.zeros((n, 3, 3)), jnp.zeros(n))
        add(f"JAX {jax.__version__}", n, lambda: jax.block_until_ready(update(x, old)), lambda r: (r[1][0], r[0]))


def with_casadi(casadi):
    """Points are side by side; matrices are stored by columns."""
    strain, plastic_strain, alpha = casadi.SX.sym("strain", 3, 3), casadi.SX.sym("plastic_strain", 3, 3), casadi.SX.sym("alpha")
    one = casadi.SX.eye(3)
    elastic = strain - plastic_strain
    mean = casadi.trace(elastic) / 3
    trial = 2 * MU * (elastic - mean * one)
    mises = casadi.fmax(casadi.sqrt(1.5 * casadi.sumsqr(trial)), 1e-12)
    increment = casadi.fmax(mises - YIELD - MODULUS * alpha, 0) / (3 * MU + MODULUS)
    flow = trial * (1.5 * increment / mises)
    stress = 3 * KAPPA * mean * one + trial - 2 * MU * flow
    results = [stress, plastic_strain + flow, alpha + increment, casadi.jacobian(stress, strain)]
    compiled = {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-O3", "-march=native"]}}

    def arrays(r):
        n = r[0].shape[1] // 3
        stress, tangent = r[0].full().reshape(3, n, 3), r[3].full().reshape(9, n, 9)
        return stress.transpose(1, 0, 2), tangent.transpose(1, 0, 2).reshape(n, 3, 3, 3, 3)

    for n in POINTS:
        x = casadi.DM(strains[:n].transpose(1, 0, 2).reshape(3, 3 * n))
        old = casadi.DM.zeros(3, 3 * n), casadi.DM.zeros(1, n)
        update = []

        def call():
            if not update:  # with the seconds of its compiler
                update.append(casadi.Function("radial_return", [strain, plastic_strain, alpha], results, compiled).map(n))
            return update[0](x, *old)

        add(f"CasADi {casadi.__version__}, compiled", n, call, arrays)

    f = casadi.Function("radial_return", [strain, plastic_strain, alpha], [casadi.densify(r) for r in results], compiled).map(LARGE)
    given = strains.copy(), numpy.zeros((LARGE, 3, 3)), numpy.zeros(LARGE)
    taken = numpy.empty((LARGE, 3, 3)), numpy.empty((LARGE, 3, 3)), numpy.empty(LARGE), numpy.empty((LARGE, 9, 9))
    buffer, evaluate = f.buffer()
    for i, a in enumerate(given):
        buffer.set_arg(i, memoryview(a))
    for i, a in enumerate(taken):
        buffer.set_res(i, memoryview(a))
    stress_and_tangent = lambda _: (taken[0], taken[3].reshape(LARGE, 3, 3, 3, 3))  # noqa: E731
    add(f"CasADi {casadi.__version__}, compiled", LARGE, evaluate, stress_and_tangent)


def with_simcoon(sim):
    """Voigt's order 11, 22, 33, 12, 13, 23, engineering shears, points last."""
    E = 9 * KAPPA * MU / (3 * KAPPA + MU)
    nu = (3 * KAPPA - 2 * MU) / (2 * (3 * KAPPA + MU))
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    place = numpy.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])

    def arrays(r):
        return numpy.moveaxis(r[0][place], -1, 0), numpy.moveaxis(r[3][place][:, :, place], -1, 0)

    for n in POINTS:
        zeros = lambda *shape: numpy.zeros((*shape, n), order="F")  # noqa: E731, B023
        strain = numpy.asfortranarray(numpy.array([strains[:n, i, j] * (1 if i == j else 2) for i, j in pairs]))
        props = numpy.asfortranarray(numpy.tile([E, nu, 0.0, YIELD, MODULUS, 1.0], (n, 1)).T)
        turns = numpy.asfortranarray(numpy.repeat(numpy.eye(3)[:, :, None], n, axis=2))
        none = numpy.empty(0)
        old = zeros(6), zeros(6), zeros(8), zeros(4)
        call = lambda: sim.umat("EPICP", old[0], strain, none, none, old[1], turns, props, old[2], 0.0, 1.0, old[3])  # noqa: E731, B023
        add(f"simcoon {importlib.metadata.version('simcoon')}", n, call, arrays)


for module, run in (("jax", with_jax), ("casadi", with_casadi), ("simcoon", with_simcoon)):
    try:
        found = importlib.import_module(module)
    except ImportError:
        continue
    run(found)
with open(f"{folder}/times.json", "w") as out:
    json.dump(rows, out)
