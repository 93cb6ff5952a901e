# SPDX-License-Identifier: MIT
"""Formulas that several tests run, and random ones."""

import dataclasses
import math as numbers

import torch
from hypothesis import strategies as st
from operations import ROWS, values
from support import FIXED

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, Rot, Scalar, Vec


def flow_rule(s):
    return 1e-3 * math.pow(s / 0.5, 3.2) * math.exp(-2.0 * s)


def j2(strain, plastic_strain, p, C):
    """Radial return with linear hardening: stress and equivalent plastic strain."""
    trial = C * (strain - plastic_strain)
    s = math.dev(trial)
    norm = math.norm(s)
    f = norm - numbers.sqrt(2.0 / 3.0) * (0.2 + 1.5 * p)
    dp = math.macaulay(f) / (2.0 * 70.0 + 1.0)
    direction = s / math.where(norm > 1e-12, norm, 1.0)
    return trial - 2.0 * 70.0 * dp * direction, p + numbers.sqrt(2.0 / 3.0) * dp


def rotated(stress, rotation):
    return stress.rotate(rotation)


def neo_hookean(F):
    J = math.det(F)
    inverse = F.inverse().transpose()
    return 3.0 * (F - inverse) + 5.0 * math.log(J) * inverse


FORMULAS = {
    "flow_rule": (flow_rule, (Scalar,)),
    "j2": (j2, (SR2, SR2, Scalar, SSR4)),
    "rotated": (rotated, (SR2, Rot)),
    "neo_hookean": (neo_hookean, (R2,)),
}


def arguments(types, *batch, grad=False):
    return tuple(t(values(t, *batch, 1).squeeze(len(batch)).requires_grad_(grad)) for t in types)


# ---- Equations ----


@dataclasses.dataclass
class State:
    strain: SR2
    p: Scalar


def creep(state, stress, C, rate):
    flow = rate * math.pow(math.norm(stress), 3.0)
    return State(C * state.strain - stress + flow * math.dev(state.strain), state.p * (1.0 + state.p) - flow)


def creep_arguments(*batch):
    C = SSR4.isotropic_E_nu(2.0, 0.3, dtype=torch.float64)
    return SR2(values(SR2, *batch)), C, Scalar(0.3 + 0.1 * torch.rand(*batch))


# ---- Every operation ----

IN_FORMULAS = [r for r in ROWS if r.types and all(t in FIXED for t in r.types)]


def outcome(row, raw):
    """What an operation gives in a formula; the message of the error if it is not there."""
    try:
        return neml2.vmap(row.call, *(t(x) for t, x in zip(row.types, raw)))
    except (TypeError, ValueError, AttributeError) as error:
        return str(error)


# ---- Random formulas ----

TYPES = (Scalar, Vec, SR2, R2)
STEPS = [  # what makes a tensor of some type out of others, and stays of moderate size where its arguments are
    (Scalar, (Scalar, Scalar), lambda a, b: a + b),
    (Scalar, (Scalar, Scalar), lambda a, b: a * b - 0.5),
    (Scalar, (Scalar, Scalar), lambda a, b: a / (2.0 + b * b)),
    (Scalar, (Scalar, Scalar), lambda a, b: math.where(a > b, math.sin(a), 2.0 * b)),
    (Scalar, (Scalar, Scalar), lambda a, b: math.where((a > 0.1) & ~(b > a), a, math.cos(b))),
    (Scalar, (Scalar, Scalar), lambda a, b: math.maximum(a, b)),
    (Scalar, (Scalar,), lambda a: math.tanh(a)),
    (Scalar, (Scalar,), lambda a: math.exp(-a * a)),
    (Scalar, (Scalar,), lambda a: math.sqrt(1.0 + a * a)),
    (Scalar, (Scalar,), lambda a: math.pow(1.1 + math.abs(a), 1.7)),
    (Scalar, (Scalar,), lambda a: math.macaulay(a)),
    (Scalar, (SR2,), lambda s: math.tr(s)),
    (Scalar, (SR2,), lambda s: math.norm(s)),
    (Scalar, (SR2,), lambda s: s(0, 1)),
    (Scalar, (SR2, SR2), lambda s, t: math.inner(s, t)),
    (Scalar, (R2,), lambda A: math.det(A)),
    (Scalar, (Vec, Vec), lambda u, v: math.inner(u, v)),
    (Vec, (Vec, Vec), lambda u, v: math.cross(u, v)),
    (Vec, (Vec, Scalar), lambda u, a: u * a),
    (Vec, (R2, Vec), lambda A, u: A * u),
    (SR2, (SR2, SR2), lambda s, t: s - 0.5 * t),
    (SR2, (SR2, Scalar), lambda s, a: s * a),
    (SR2, (SR2,), lambda s: math.dev(s)),
    (SR2, (SR2,), lambda s: math.vol(s)),
    (SR2, (R2,), lambda A: math.sym(A)),
    (R2, (R2, R2), lambda A, B: A * B),
    (R2, (R2, Scalar), lambda A, a: A / (1.0 + a * a)),
    (R2, (R2,), lambda A: A.transpose()),
    (R2, (SR2,), lambda s: R2(s)),
    (R2, (Vec, Vec), lambda u, v: math.outer(u, v)),
]


@st.composite
def random_formulas(draw, most=12):
    """A formula of a Scalar, a Vec, an SR2 and an R2."""
    kinds = list(TYPES)
    steps = []
    for _ in range(draw(st.integers(1, most))):
        result, types, f = draw(st.sampled_from(STEPS))
        steps.append((f, [draw(st.sampled_from([i for i, k in enumerate(kinds) if k is t])) for t in types]))
        kinds.append(result)
    results = draw(st.lists(st.sampled_from(range(len(TYPES), len(kinds))), min_size=1, max_size=3))

    def formula(*arguments):
        known = list(arguments)
        for f, places in steps:
            known.append(f(*(known[i] for i in places)))
        return tuple(known[i] for i in results)

    return formula


def torches(x):
    return [t if isinstance(t, torch.Tensor) else t.torch() for t in (x if isinstance(x, (tuple, list)) else (x,))]


def same(found, expected, digits=11):
    found, expected = torches(found), torches(expected)
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        torch.testing.assert_close(a, b.expand_as(a), rtol=10**-digits, atol=10**-digits, equal_nan=True)


def bitwise(found, expected):
    """But the signs of NaN."""
    for a, b in zip(torches(found), torches(expected), strict=True):
        assert a.shape == b.shape and torch.equal(a.isnan(), b.isnan())
        assert torch.equal(*(x.nan_to_num(0.0).contiguous().view(torch.int64) for x in (a, b)))
