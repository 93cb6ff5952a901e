# SPDX-License-Identifier: MIT
"""Formulas that several tests run, and random ones."""

import dataclasses
import math as numbers

import torch
from hypothesis import strategies as st
from operations import ROWS, values
from support import FIXED
from torch.utils._python_dispatch import TorchDispatchMode

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


def exponential_step(F, L):
    """The deformation gradient F after a step with the velocity gradient L, its logarithm and its root."""
    F = math.expm(0.5 * L) * F
    return F, math.logm(F), math.sqrtm(F)


def energy(C, mu, K):
    J = math.sqrt(math.det(C))
    return 0.5 * mu * (math.tr(C) / math.pow(J, 2.0 / 3.0) - 3.0) + 0.5 * K * (math.log(J)) ** 2


def stress(C, mu, K):
    return 2.0 * neml2.gradient(energy, C, mu, K)


def potential(stress, compliance):
    """The complementary energy of a solid that creeps."""
    return 0.5 * compliance * math.norm_sq(stress) + 0.1 * math.pow(math.norm(math.dev(stress)), 4.0)


def strain_of(stress, compliance):
    return neml2.gradient(potential, stress, compliance)


def stress_of(strain, compliance):
    """Three levels: the derivative of a potential in an equation, whose solution is differentiated."""

    def residual(x, e, c):
        return strain_of(x, c) - e

    return neml2.newton(residual, strain / compliance, strain, compliance)


def cubic(u, a):
    return u * u * u + u - a


def slope_of_root(a):
    """1 / (3 u² + 1) at u³ + u = a, by the derivative of the solution of newton."""
    return neml2.gradient(lambda b: neml2.newton(cubic, b, b), a)


def hardening_energy(e, p, k):
    """Free energy of a strain and an internal strain; convex in p."""
    return 0.5 * math.norm_sq(e - p) + 0.5 * k * math.norm_sq(p) + 0.1 * math.pow(math.norm_sq(p) + 1.0, 1.5)


def condensed(e, k):
    """The energy at the internal strain that makes it least."""
    internal = neml2.newton(lambda p, e, k: neml2.gradient(lambda q: hardening_energy(e, q, k), p), 0.5 * e, e, k)
    return hardening_energy(e, internal, k)


FORMULAS = {
    "flow_rule": (flow_rule, (Scalar,)),
    "j2": (j2, (SR2, SR2, Scalar, SSR4)),
    "rotated": (rotated, (SR2, Rot)),
    "neo_hookean": (neo_hookean, (R2,)),
    "exponential_step": (exponential_step, (R2, R2)),
    "stress": (stress, (SR2, Scalar, Scalar)),
    "stress_of": (stress_of, (SR2, Scalar)),
    "slope_of_root": (slope_of_root, (Scalar,)),
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


def chaboche(strain, plastic_strain, X, p, dt):
    """An implicit step of viscoplasticity with isotropic and kinematic hardening: stress, back stress and plastic strain. Source: Chaboche
    (1989), Int. J. Plasticity 5, 247-302, the model of examples/python/viscoplasticity.py."""
    G, yield_stress, Q, b, C, gamma, K, n = 80e3, 100.0, 50.0, 20.0, 20e3, 200.0, 80.0, 5.0
    trial = 2.0 * G * math.dev(strain - plastic_strain)

    def residual(x, trial, X, p, dt):
        s, new_X, dp = x
        overstress = s - new_X
        mises = numbers.sqrt(1.5) * math.norm(overstress)
        direction = overstress * (1.5 / mises)
        hardening = Q * (1.0 - math.exp(-b * (p + dp)))
        return (
            (s - trial + 2.0 * G * dp * direction) / yield_stress,
            (new_X - X - 2.0 / 3.0 * C * dp * direction + gamma * dp * new_X) / yield_stress,
            (mises - yield_stress - hardening - K * math.pow(dp / dt, 1.0 / n)) / yield_stress,
        )

    mises = numbers.sqrt(1.5) * math.norm(trial - X)
    over = mises - yield_stress - Q * (1.0 - math.exp(-b * p))
    guess = 0.5 * math.macaulay(over) / (3.0 * G + C)
    start = (trial - 3.0 * G * guess / mises * (trial - X), X, guess)
    s, new_X, dp = neml2.newton(residual, start, trial, X, p, dt, bounds={2: (0.0, 1.0)})
    flows = over > 0.0
    return math.where(flows, s, trial), math.where(flows, new_X, X), p + math.where(flows, dp, 0.0)


def slip_systems():
    """Mandel components of the symmetric parts of b n for {111}<110>."""
    systems = []
    for plane in range(4):
        normal = [-1.0 if plane == i + 1 else 1.0 for i in range(3)]
        for k in range(3):  # the direction lies in the plane and is perpendicular to axis k
            b = [0.0, 0.0, 0.0]
            b[(k + 1) % 3], b[(k + 2) % 3] = normal[(k + 2) % 3], -normal[(k + 1) % 3]
            shear = [(normal[i] * b[j] + normal[j] * b[i]) / numbers.sqrt(12.0) for i, j in ((1, 2), (0, 2), (0, 1))]
            systems.append(SR2(torch.tensor([x * y / numbers.sqrt(6.0) for x, y in zip(normal, b)] + shear, dtype=torch.float64)))
    return systems


SLIP = slip_systems()


def crystal(strain, C, g):
    """An implicit step of 1 s of a crystal that slips by a power law at the resistance g: its stress. Source: Kalidindi et al. (1992), J.
    Mech. Phys. Solids 40, 537-569, section 3."""

    def residual(s, trial, C, g):
        flow = 0.0 * s
        for P in SLIP:
            ratio = math.inner(P, s) / g
            flow = flow + 1e-3 * math.pow(math.abs(ratio), 9.0) * ratio * P
        return (s - trial + C * flow) / g

    trial = C * strain
    return neml2.newton(residual, trial * (g / (g + math.norm(trial))), trial, C, g)


def steps_of_materials(*batch):
    """Arguments of chaboche and of crystal with which most points flow."""
    strain = SR2(2e-3 * (2.0 * torch.rand(*batch, 6) - 1.0))
    state = (SR2(torch.zeros(*batch, 6)), SR2(10.0 * torch.rand(*batch, 6)), Scalar(1e-3 * torch.rand(*batch)))
    C = SSR4.isotropic_E_nu(120e3, 0.34, dtype=torch.float64)
    return (strain, *state, 1.0), (strain, C, Scalar(20.0 + torch.rand(*batch)))


def cubes(x, a):
    """A residual whose Jacobian is singular at 0."""
    v, root = x
    return math.inner(v, v) * v - a * root * Vec.fill(1.0, 2.0, 3.0), root * root - a


def nested(x, a):
    """A residual that solves equations itself."""
    v, root = neml2.newton(cubes, (ONES, 1.0), a + x[1] * x[1])
    return x[0] - v * x[1], x[1] * root - a


def of_a_vector(x, a):
    return math.outer(x, x) * x - a * x + Vec.fill(0.1, 0.1, 0.2)


def of_a_matrix(X, a):
    return X * X - a * R2.fill(2.0, 0.1, 0.2, 0.3, 1.0, 0.4, 0.5, 0.6, 3.0)


def of_two(x, a):
    return x[0] * x[0] * x[0] - a * x[1], x[1] * x[1] - a


ONES = Vec.fill(1.0, 1.0, 1.0)
ITERATIONS = {
    "bounds and steps": (cubes, (ONES, 1.0), dict(bounds={1: (-10.0, 0.9)}, max_step={0: 0.1})),
    "bounds of all": (cubes, (ONES, 1.0), dict(bounds=(0.0, 5.0))),
    "tolerances": (cubes, (3.0 * ONES, 2.0), dict(relative_tolerance=1e-3, absolute_tolerance=1e-2)),
    "few iterations": (cubes, (2.0 * ONES, 2.0), dict(max_iterations=7)),
    "last iterates": (cubes, (2.0 * ONES, 2.0), dict(max_iterations=7, keep_unconverged=True)),
    "no line search": (cubes, (0.01 * ONES, 2.0), dict(line_search=False)),
    "singular": (cubes, (0.0 * ONES, 0.0), {}),
    "nested": (nested, (ONES, 1.0), {}),
    "a vector": (of_a_vector, ONES, {}),
    "a matrix": (of_a_matrix, R2.fill(1.0), {}),
    "two numbers": (of_two, (1.0, 1.0), {}),
}


def iteration(case):
    """A formula of a Scalar: newton's solution, the number of iterations, and 1 where it has converged."""
    residual, guess, options = ITERATIONS[case]

    def f(a):
        found = neml2.newton_report(residual, guess, a, **options)
        solution = found.solution if isinstance(found.solution, tuple) else (found.solution,)
        return *solution, found.iterations, math.where(found.converged, 1.0, 0.0)

    return f


def counted(function):
    """The function, and a list that gets an entry at each of its calls."""
    calls = []

    def f(*x):
        calls.append(x)
        return function(*x)

    return f, calls


# ---- On whole batches ----


class Watched(TorchDispatchMode):
    """A mode that sees all operations of PyTorch, as traces do: formulas then run as PyTorch's operations."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        self.calls += 1
        return function(*arguments, **(keywords or {}))


def on_columns(f, *arguments, call=neml2.vmap, **options):
    """vmap, or another call, of a formula by PyTorch's operations."""
    with Watched() as watched:
        found = call(f, *arguments, **options)
    assert watched.calls > 0
    return found


# ---- Every operation ----

IN_FORMULAS = [r for r in ROWS if r.types and all(t in FIXED for t in r.types)]


def outcome(row, raw, call=neml2.vmap):
    """The result of an operation in a formula; the message of the error if it does not exist."""
    try:
        return call(row.call, *(t(x) for t, x in zip(row.types, raw)))
    except (TypeError, ValueError, AttributeError) as error:
        return str(error)


# ---- Random formulas ----

TYPES = (Scalar, Vec, SR2, R2)
STEPS = [  # steps that make a tensor of some type from others, and keep moderate numbers moderate
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
    """Compares bits, except the signs of NaN."""
    for a, b in zip(torches(found), torches(expected), strict=True):
        assert a.shape == b.shape and torch.equal(a.isnan(), b.isnan())
        assert torch.equal(*(x.nan_to_num(0.0).contiguous().view(torch.int64) for x in (a, b)))
