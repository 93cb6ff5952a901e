# SPDX-License-Identifier: MIT
"""Formulas that the tests of exported formulas export, and functions that they call."""

import ctypes
from typing import NamedTuple

import numpy as np
import pytest
import torch

import neml2
from neml2 import SR2, Scalar, math

ROOT = np.array([1, 1, 1, 2**0.5, 2**0.5, 2**0.5])
P = ctypes.POINTER(ctypes.c_double)
G, K, YIELD, H = 77e3, 167e3, 250.0, 3000.0


class State(NamedTuple):
    plastic: SR2
    alpha: Scalar


def linear(strain, old, material):
    """Von Mises plasticity with linear hardening: no elementary function, so all bits are those of the batch."""
    shear, bulk, first, slope = material
    trial = 2.0 * shear * math.dev(strain - old.plastic)
    mises = math.maximum(math.von_mises(trial), 1e-12)
    dp = math.maximum(mises - first - slope * old.alpha, 0.0) / (3.0 * shear + slope)
    flow = trial * (1.5 * dp / mises)
    return 3.0 * bulk * math.vol(strain) + trial - 2.0 * shear * flow, State(old.plastic + flow, old.alpha + dp)


def over(s, mises, dt, eta, n):
    """s is the equivalent stress over the yield stress."""
    return mises / YIELD - 3.0 * G / YIELD * dt * eta * s**n - s


def norton(strain, time_step, old, eta, n):
    trial = 2.0 * G * math.dev(strain - old.plastic)
    mises = math.maximum(math.von_mises(trial), 1e-3)
    s = neml2.newton(over, math.minimum(mises / YIELD, 1.0), mises, time_step, eta, n)
    dp = time_step * eta * s**n
    flow = trial * (1.5 * dp / mises)
    return 3.0 * K * math.vol(strain) + trial - 2.0 * G * flow, State(old.plastic + flow, old.alpha + dp)


def tensor(kind, numbers):
    return kind(torch.as_tensor(np.asarray(numbers), dtype=torch.float64))


def example(n=()):
    return (
        SR2.zeros(*n, dtype=torch.float64),
        State(SR2.zeros(*n, dtype=torch.float64), Scalar.zeros(*n, dtype=torch.float64)),
        (G, K, YIELD, H),
    )


def random_states(n, seed=0):
    rng = np.random.default_rng(seed)
    strain, plastic = rng.normal(0, 1e-3, (2, n, 6))
    plastic[:, :3] -= plastic[:, :3].mean(1, keepdims=True)
    return strain, plastic, np.abs(rng.normal(0, 1e-3, n))


def batch(strain, plastic, alpha, material=(G, K, YIELD, H)):
    """Stress, state and tangent of the formula linear."""
    (stress, state), C = neml2.value_and_jacobian(
        linear, tensor(SR2, strain), State(tensor(SR2, plastic), tensor(Scalar, alpha)), material, of=0
    )
    return stress.numpy(), np.column_stack([state.plastic.numpy(), state.alpha.numpy()]), C.numpy()


class Variable(ctypes.Structure):
    _fields_ = [*((n, ctypes.c_char_p) for n in ("role", "name", "type")), *((n, ctypes.c_int) for n in ("operand", "place", "size"))]


def variables(library, name):
    function = getattr(ctypes.CDLL(str(library)), f"{name}_variables")
    function.restype = ctypes.POINTER(Variable)
    count = ctypes.c_int()
    all_of = function(ctypes.byref(count))
    return [(v.role.decode(), v.name.decode(), v.type.decode(), v.operand, v.place, v.size) for v in all_of[: count.value]]


def check_refused(kind, text, *arguments, error=ValueError, function=linear, to="model", **keywords):
    with pytest.raises(error, match=text):
        neml2.export(function, kind, *(arguments or example()), to=to, **keywords)
