# SPDX-License-Identifier: MIT
"""The operations of formulas.py with jax.jit on one CPU core; prints ns per call as JSON."""
import os

if hasattr(os, "sched_setaffinity"):  # before XLA makes its thread pool
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax
import jax.numpy as jnp
import numpy

import formulas

jax.config.update("jax_enable_x64", True)
generator = numpy.random.default_rng(0)


def waiting(call):
    return lambda *a: call(*a).block_until_ready()


def compiled(f):
    return waiting(jax.jit(lambda *a: f(jnp, *a)))


def compiled_gradient(f):
    def gradient(strain, plastic_strain, alpha, g):
        stress, pull_back = jax.vjp(lambda e: f(jnp, e, plastic_strain, alpha), strain)
        return jnp.concatenate([stress, pull_back(g)[0]], -1)

    return waiting(jax.jit(gradient))


formulas.main("jax.jit", jax.__version__, lambda *s: jnp.asarray(generator.random(s)), compiled, compiled_gradient)
