# SPDX-License-Identifier: MIT
"""Energies and an equivalent stress with their derivatives to three levels, against differences in 220 digits.

The tolerance of a derivative is a few roundings of each term of the energy and of the argument: the effect of a rounding of the argument is
computed in 220 digits, too, so that a badly conditioned derivative has a correspondingly larger tolerance.
"""

import itertools

import mpmath
import pytest
import torch
from mpmath import mpf

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, Scalar, Vec

DIGITS = 220
STEP = mpf(10) ** -40  # the step of one-sided differences, relative to the argument: the error of a third difference is of this size
EPS = mpf(2) ** -52
ROUNDINGS = 10  # the number of roundings of its terms and of its argument that a formula may make
RANDOM = 50
ALONG = [0.3, -0.5, 0.7, 0.2, -0.4, 0.6]  # a tensor: its product with a second derivative is differentiated


# ---- Energies in mpmath, as lists of terms ----


def entries(x):
    """The matrix of Mandel components."""
    root = mpmath.sqrt(2)
    a, b, c = x[3] / root, x[4] / root, x[5] / root
    return [[x[0], c, b], [c, x[1], a], [b, a, x[2]]]


def det(x):
    (a, f, e), (_, b, d), (_, _, c) = entries(x)
    return a * b * c + 2 * d * e * f - a * d * d - b * e * e - c * f * f


def principal(x):
    """Eigenvalues by the angle of the deviator; in float64 they would lose half of the digits where two are equal."""
    mean = (x[0] + x[1] + x[2]) / 3
    d = [x[0] - mean, x[1] - mean, x[2] - mean, *x[3:]]
    r = mpmath.sqrt(sum(y * y for y in d) / 6)
    if r == 0:
        return [mean] * 3
    angle = mpmath.acos(max(-1, min(1, det([y / r for y in d]) / 2))) / 3
    return [mean + 2 * r * mpmath.cos(angle + 2 * k * mpmath.pi / 3) for k in range(3)]


MU, LAMBDA = 1.3, 7.5
C1, C2, C = 0.4, 0.15, 2.5
RUBBER, K = ((0.63, 1.3), (0.0012, 5.0), (-0.01, -2.0)), 12.0
EXPONENT = 8.0
SOFT, K1, K2 = 3.0, 2.3632, 0.8393
A0, A1 = 0.8746197071393957, 0.484809620246337  # the direction of fibres, at 29 degrees


def neo_hooke(C):
    ln_J = 0.5 * math.log(math.det(C))
    return 0.5 * MU * (math.tr(C) - 3.0) - MU * ln_J + 0.5 * LAMBDA * ln_J**2


def neo_hooke_terms(x):
    ln_J = mpmath.log(det(x)) / 2
    return mpf(0.5 * MU) * (x[0] + x[1] + x[2]), -mpf(1.5 * MU), -mpf(MU) * ln_J, mpf(0.5 * LAMBDA) * ln_J**2


def mooney_rivlin(x):
    J, I1 = math.sqrt(math.det(x)), math.tr(x)
    I2 = 0.5 * (I1**2 - math.norm_sq(x))
    return C1 * (I1 - 3.0) + C2 * (I2 - 3.0) + C * (J - 1.0) ** 2 - 2.0 * (C1 + 2.0 * C2) * math.log(J)


def mooney_rivlin_terms(x):
    J, I1, squares, c1, c2, c = mpmath.sqrt(det(x)), x[0] + x[1] + x[2], sum(y * y for y in x), mpf(C1), mpf(C2), mpf(C)
    volume = c * J * J, -2 * c * J, c, -mpf(2.0 * (C1 + 2.0 * C2)) * mpmath.log(J)
    return c1 * I1, -3 * c1, c2 * I1 * I1 / 2, -c2 * squares / 2, -3 * c2, *volume


def of_squares(l):
    J = math.sqrt(l(0) * l(1) * l(2))
    W = 0.25 * K * (J**2 - 1.0 - 2.0 * math.log(J))
    for mu, a in RUBBER:
        W = W + mu / a * (J ** (-a / 3.0) * (l(0) ** (0.5 * a) + l(1) ** (0.5 * a) + l(2) ** (0.5 * a)) - 3.0)
    return W


def ogden(x):
    return neml2.isotropic(of_squares, x)


def ogden_terms(x):
    l, J, k = principal(x), mpmath.sqrt(det(x)), mpf(0.25 * K)
    terms = [k * J * J, -k, -2 * k * mpmath.log(J)]
    for mu, a in RUBBER:
        shape = mpf(mu / a) * J ** mpf(-a / 3.0)
        terms += [*(shape * y ** mpf(0.5 * a) for y in l), -3 * mpf(mu / a)]
    return terms


def artery(x, fibres=((A0, A1), (A0, -A1))):
    J2 = math.det(x)
    scale = J2 ** (-1.0 / 3.0)
    W = 0.25 * K * (J2 - 1.0 - math.log(J2)) + 0.5 * SOFT * (scale * math.tr(x) - 3.0)
    for a, b in fibres:
        v = Vec.fill(a, b, 0.0)
        E = math.macaulay(scale * math.inner(v, R2(x) * v) - 1.0)
        W = W + 0.5 * K1 / K2 * (math.exp(K2 * E * E) - 1.0)
    return W


def artery_terms(x, fibres=((A0, A1), (A0, -A1)), ramp=lambda e: max(mpf(0), e)):
    J2, k = det(x), mpf(0.25 * K)
    scale, root = J2 ** mpf(-1.0 / 3.0), mpmath.sqrt(2)
    terms = [k * J2, -k, -k * mpmath.log(J2), mpf(0.5 * SOFT) * scale * (x[0] + x[1] + x[2]), -mpf(1.5 * SOFT)]
    for a, b in fibres:
        a, b = mpf(a), mpf(b)
        E = ramp(scale * (a * a * x[0] + b * b * x[1] + root * a * b * x[5]) - 1)
        terms += [mpf(0.5 * K1 / K2) * mpmath.exp(mpf(K2) * E * E), -mpf(0.5 * K1 / K2)]
    return terms


def hosford(x):
    return math.hosford(x, EXPONENT)


def hosford_terms(x):
    return [(sum(abs(a - b) ** int(EXPONENT) for a, b in itertools.combinations(principal(x), 2)) / 2) ** (1 / mpf(EXPONENT))]


ENERGIES = {  # with the number of derivatives in formulas
    "neo-Hooke": (neo_hooke, neo_hooke_terms, 3),
    "Mooney-Rivlin": (mooney_rivlin, mooney_rivlin_terms, 3),
    "Ogden": (ogden, ogden_terms, 2),
    "artery": (artery, artery_terms, 3),
    "Hosford": (hosford, hosford_terms, 2),
}

# ---- Derivatives in mpmath ----


def unit(*places):
    return tuple(mpf(sum(i == k for k in places)) for i in range(6))


def derivatives(terms, x, order):
    """For each term: the value, the first and the second derivatives, and the first derivatives of the second derivative along ALONG, twice."""
    h = STEP * max(abs(y) for y in x)
    along = [mpf(a) for a in ALONG]
    at: dict = {}

    def w(*places, n=0):
        key = (*sorted(places), n)
        if key not in at:
            at[key] = terms([y + h * (e + n * a) for y, e, a in zip(x, unit(*places), along)])
        return at[key]

    def combined(*rows):
        """Sums of weighted terms over a power of the step."""
        power = h ** rows[0]
        return [sum(c * v for c, v in zip(rows[1], values)) / power for values in zip(*rows[2])]

    found = [[w()]]
    found.append([combined(1, (1, -1), (w(i), w())) for i in range(6)])
    found.append([combined(2, (1, -1, -1, 1), (w(i, j), w(i), w(j), w())) for i in range(6) for j in range(6)])
    if order > 2:
        weights = (1, -2, 1, -1, 2, -1)
        found.append([combined(3, weights, (w(i, n=2), w(i, n=1), w(i), w(n=2), w(n=1), w())) for i in range(6)])
    return [list(map(list, zip(*level))) for level in found]  # [level][term][component]


def norm(v):
    return max(map(abs, v))


SIGNS = (1, -1, 1, 1, -1, -1)  # signs of the roundings of an argument


def expected_and_tolerances(terms, x, order):
    """The derivatives of each level, and the effects on them of roundings of the terms and of the argument."""
    mpmath.mp.dps = DIGITS
    x = [mpf(y) for y in x]
    size = max(abs(y) for y in x)
    exact = derivatives(terms, x, order)
    tolerances = [EPS * sum(map(norm, level)) for level in exact]
    near = derivatives(terms, [y + EPS * size * sign for y, sign in zip(x, SIGNS)], order)
    for k, (level, other) in enumerate(zip(exact, near)):
        tolerances[k] += sum(norm([a - b for a, b in zip(u, v)]) for u, v in zip(level, other))
    levels = [[sum(component) for component in zip(*level)] for level in exact]
    g, H = levels[1], levels[2]
    of_gradient = [2 * sum(H[6 * i + j] * g[j] for j in range(6)) for i in range(6)]
    tolerance = 12 * (norm(H) * tolerances[1] + norm(g) * tolerances[2])
    return [*levels[:3], of_gradient, *levels[3:]], [*tolerances[:3], tolerance, *tolerances[3:]]


# ---- In formulas ----

LEVELS = ("value", "gradient", "hessian", "gradient of a norm of the gradient", "gradient of a product with the hessian")


def of_neml2(energy, order, states):
    along = SR2(torch.tensor(ALONG))

    def gradient_of_norm(x):
        return neml2.gradient(lambda y: math.norm_sq(neml2.gradient(energy, y)), x)

    def third(x):
        return neml2.gradient(lambda y: math.inner(along, neml2.hessian(energy, y) * along), x)

    formulas = [energy, lambda x: neml2.gradient(energy, x), lambda x: neml2.hessian(energy, x), gradient_of_norm, third]
    s = SR2(torch.tensor(states))
    return [neml2.formula(f, backend="interpreter")(s).torch().reshape(len(states), -1) for f in formulas[: order + 2]]


def turned(l, angle=0.7):
    """A tensor with these eigenvalues and axes that are turned about the axis 2, then about the axis 0."""
    c, s = torch.cos(torch.tensor(angle)).item(), torch.sin(torch.tensor(angle)).item()
    R = torch.tensor([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]) @ torch.tensor([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    M = R @ torch.diag(torch.tensor(l)) @ R.T
    root = 2.0**0.5
    return [M[i, i].item() for i in range(3)] + [root * M[i, j].item() for i, j in ((1, 2), (0, 2), (0, 1))]


def scaled(x, by):
    return [by * y for y in x]


def states_of(name):
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(7)
    one = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    states = {}
    center, size = (0.0, 3.0) if name == "Hosford" else (1.0, 0.3)
    for k, numbers in enumerate((2.0 * torch.rand(RANDOM, 6) - 1.0).tolist()):
        states[f"random {k}"] = [center * u + size * y for u, y in zip(one, numbers)]
    special = {
        "two equal": [1.3, 1.3, 0.8, 0.0, 0.0, 0.0],
        "two equal, turned": turned([1.3, 0.8, 0.8]),
        "nearly two": [1.3, 1.3 + 1e-9, 0.8, 0.0, 0.0, 0.0],
        "nearly two, turned": turned([1.3, 0.8, 0.8 + 1e-9]),
        "nearly all, turned": turned([1.1, 1.1 + 1e-9, 1.1 - 2e-9]),
        "nearly one": [1.0, 1.0, 1.0, 1e-9, 0.0, -1e-9],
        "any": [1.2, 0.9, 1.1, 0.1, -0.2, 0.05],
    }
    if name != "Hosford":  # Hosford's stress has no derivative there
        special |= {"one": one, "all equal": [1.7, 1.7, 1.7, 0.0, 0.0, 0.0]}
    if name == "artery":
        del special["all equal"]  # its fibres are at their corner: see below
        del special["one"], special["nearly one"], special["nearly all, turned"]
    for by in (1e-8, 1e8):
        special |= {f"{what}, times {by}": scaled(special[what], by) for what in ("any", "two equal", "nearly two, turned")}
    return states | special


def compare(states, found, terms, order):
    """Ratios of errors to tolerances, and the errors that exceed them."""
    worst: dict = {}
    wrong = []
    for n, (at, x) in enumerate(states.items()):
        exact, tolerances = expected_and_tolerances(terms, x, order)
        for what, of_level, numbers, tolerance in zip(LEVELS, found, exact, tolerances):
            error = max(abs(mpf(a) - b) for a, b in zip(of_level[n].tolist(), numbers))
            ratio = float(error / tolerance) if error else 0.0
            worst[what] = max(worst.get(what, (0.0, "")), (ratio, at))
            if not ratio <= ROUNDINGS:
                wrong.append(f"{what} at {at}, {x}: {of_level[n].tolist()}, expected {[float(y) for y in numbers]}: {ratio:.3g}")
    print(worst)  # pytest -s shows how much of the tolerances is used
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ENERGIES)
def test_an_energy_has_its_derivatives_to_the_last_digits(name):
    energy, terms, order = ENERGIES[name]
    states = states_of(name)
    compare(states, of_neml2(energy, order, list(states.values())), terms, order)


# ---- Corners ----

AXES = ((1.0, 0.0), (0.0, 1.0))  # directions of fibres


def artery_along_axes(x):
    return artery(x, AXES)


def test_fibres_that_are_hardly_stretched_have_their_derivatives():
    states = {
        "both by 1e-9": [1.0 + 1e-9, 1.0 + 1e-9, 1.0 - 1e-9, 0.0, 0.0, 0.0],
        "one by -1e-9": [1.0 + 1e-9, 1.0 - 1e-9, 1.0, 0.0, 0.0, 0.0],
        "one by 1e-9, sheared": [1.0 + 1e-9, 0.5, 2.0, 0.0, 1e-9, 1e-8],
    }
    compare(states, of_neml2(artery_along_axes, 3, list(states.values())), lambda x: artery_terms(x, AXES), 3)


@pytest.mark.parametrize("x", [[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.5, 2.0, 0.0, 0.0, 0.0]], ids=["one", "volume kept"])
def test_at_the_corner_of_fibres_the_second_derivative_is_that_of_a_ramp_of_slope_one_half(x):
    """At a corner value and gradient are still unique."""
    at_corner = [f for f, stretch in zip(AXES, x) if stretch == 1.0]  # the others are compressed
    found = of_neml2(artery_along_axes, 2, [x])
    off, _ = expected_and_tolerances(lambda y: artery_terms(y, at_corner, lambda e: mpf(0)), x, 2)
    on, tolerances = expected_and_tolerances(lambda y: artery_terms(y, at_corner, lambda e: e), x, 2)
    assert norm([a - b for a, b in zip(on[1], off[1])]) < 1e-30
    for k, weight in enumerate((0, 0, mpf(1) / 4)):
        expected = [a + weight * (b - a) for a, b in zip(off[k], on[k])]
        assert max(abs(mpf(a) - b) for a, b in zip(found[k][0].tolist(), expected)) <= ROUNDINGS * tolerances[k], LEVELS[k]
    assert max(abs(a - b) for a, b in zip(on[2], off[2])) > 1.0


@pytest.mark.parametrize("pressure", [0.0, 1.7, -1e8])
def test_an_equivalent_stress_of_a_pressure_has_derivatives_of_zero(pressure):
    for level in of_neml2(hosford, 2, [[pressure] * 3 + [0.0] * 3]):
        assert level.eq(0.0).all()


@pytest.mark.parametrize("n", [2, 3])
def test_a_power_has_no_derivative_beyond_its_exponent(n):
    def derivative(f, order):
        for _ in range(order):
            f = (lambda g: lambda x: neml2.gradient(g, x))(f)
        return f

    x = Scalar(torch.tensor([1.0, 1e-3, 1e-9, 1e-20, 1e-30]))
    found = neml2.formula(derivative(lambda y: y**n, n + 1), backend="interpreter")(x).torch()
    assert found.eq(0.0).all(), found
