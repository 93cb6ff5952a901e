# SPDX-License-Identifier: MIT
"""Equivalent stresses: compared with mpmath, with the values of C++, and with statements in the literature."""

import dataclasses
import itertools
import re
from pathlib import Path

import mpmath
import pytest
import torch
from formulas_support import same

import neml2
from neml2 import math
from neml2.tensors import SR2, Scalar, Vec

HERE = Path(__file__).resolve().parent
TABLES = HERE / "equivalent_stresses.h", HERE.parents[1] / "tests" / "support" / "equivalent_stresses.h"
PI = torch.pi
SHEET = (0.25, 0.6, 0.4, 1.2, 1.7, 1.4)
ONES = (1.0,) * 9
FIRST = (-0.069888, 0.936408, 0.079143, 1.003060, 0.524741, 1.363180, 1.023770, 1.069060, 0.954322)
SECOND = (0.981171, 0.476741, 0.575316, 0.866827, 1.145010, -0.079294, 1.051660, 1.147100, 1.404620)
FUNCTIONS = {
    "hill": lambda s: math.hill(s, SHEET),
    "hosford 8": lambda s: math.hosford(s, 8.0),
    "hosford 100": lambda s: math.hosford(s, 100.0),
    "drucker_prager": lambda s: math.drucker_prager(s, 0.2),
    "mohr_coulomb": lambda s: math.mohr_coulomb(s, 0.5),
    "yld2004 8": lambda s: math.yld2004(s, FIRST, SECOND, 8.0),
    "yld2004 100": lambda s: math.yld2004(s, FIRST, SECOND, 100.0),
}
OF_PRESSURE = {"drucker_prager", "mohr_coulomb"}
STRESSES = {
    "any": [1.0, 0.3, -0.4, 0.2, 0.5, -0.1],
    "compression": [0.2, -1.1, 0.4, 0.7, -0.3, 0.9],
    "tension": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    "both ways": [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
}


@pytest.fixture(autouse=True)
def float64():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)


# ---- The formulas of the sources, in 40 digits ----


def principal(s):
    """The eigenvalues of Mandel components."""
    root = mpmath.sqrt(2)
    a, b, c = s[3] / root, s[4] / root, s[5] / root
    return sorted(mpmath.eigsy(mpmath.matrix([[s[0], c, b], [c, s[1], a], [b, a, s[2]]]), eigvals_only=True))


def transformed(s, c):
    mean = (s[0] + s[1] + s[2]) / 3
    d = [s[0] - mean, s[1] - mean, s[2] - mean]
    c = [mpmath.mpf(x) for x in c]
    normal = [-c[0] * d[1] - c[1] * d[2], -c[2] * d[0] - c[3] * d[2], -c[4] * d[0] - c[5] * d[1]]
    return [*normal, c[6] * s[3], c[7] * s[4], c[8] * s[5]]


def exact_hill(s):
    F, G, H, L, M, N = map(mpmath.mpf, SHEET)
    normal = F * (s[1] - s[2]) ** 2 + G * (s[2] - s[0]) ** 2 + H * (s[0] - s[1]) ** 2
    return mpmath.sqrt(normal + L * s[3] ** 2 + M * s[4] ** 2 + N * s[5] ** 2)


def exact_hosford(s, a):
    l = principal(s)
    return (sum(abs(x - y) ** a for x, y in itertools.combinations(l, 2)) / 2) ** (mpmath.mpf(1) / a)


def exact_drucker_prager(s):
    l = principal(s)
    J2 = sum((x - y) ** 2 for x, y in itertools.combinations(l, 2)) / 6
    return mpmath.sqrt(3 * J2) + mpmath.sqrt(3) * mpmath.mpf(0.2) * sum(l)


def exact_mohr_coulomb(s):
    """Source: Abbo and Sloan (1995), including A and B."""
    l, sin_phi = principal(s), mpmath.sin(mpmath.mpf(0.5))
    mean = sum(l) / 3
    J2 = sum((x - mean) ** 2 for x in l) / 2
    J3 = mpmath.fprod(x - mean for x in l)
    triple = max(-1, min(1, -3 * mpmath.sqrt(3) / 2 * J3 / J2 ** mpmath.mpf(1.5)))
    theta, end = mpmath.asin(triple) / 3, 25 * mpmath.pi / 180
    if abs(theta) < end:
        K = mpmath.cos(theta) - sin_phi * mpmath.sin(theta) / mpmath.sqrt(3)
    else:
        sign = mpmath.sign(theta)
        bracket = 3 + mpmath.tan(end) * mpmath.tan(3 * end) + sign * (mpmath.tan(3 * end) - 3 * mpmath.tan(end)) * sin_phi / mpmath.sqrt(3)
        A = mpmath.cos(end) * bracket / 3
        B = (sign * mpmath.sin(end) + sin_phi * mpmath.cos(end) / mpmath.sqrt(3)) / (3 * mpmath.cos(3 * end))
        K = A - B * triple
    return 2 * (mean * sin_phi + mpmath.sqrt(J2) * K)


def exact_yld2004(s, a):
    l, m = principal(transformed(s, FIRST)), principal(transformed(s, SECOND))
    return (sum(abs(x - y) ** a for x in l for y in m) / 4) ** (mpmath.mpf(1) / a)


EXACT = {
    "hill": exact_hill,
    "hosford 8": lambda s: exact_hosford(s, 8),
    "hosford 100": lambda s: exact_hosford(s, 100),
    "drucker_prager": exact_drucker_prager,
    "mohr_coulomb": exact_mohr_coulomb,
    "yld2004 8": lambda s: exact_yld2004(s, 8),
    "yld2004 100": lambda s: exact_yld2004(s, 100),
}


def moved(s, *steps):
    s = [mpmath.mpf(x) for x in s]
    for k, h in steps:
        s[k] += h
    return s


@pytest.mark.parametrize("at", STRESSES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_derivatives_are_those_of_the_sources(name, at):
    f, exact, raw = FUNCTIONS[name], EXACT[name], STRESSES[at]
    s = SR2(torch.tensor([raw]))
    value, slope = neml2.value_and_gradient(f, s)
    H = neml2.hessian(f, s).torch()[0]
    scale = 1.0 + H.abs().max().item()
    with mpmath.workdps(40):  # differences of these have 15 digits and more
        assert abs(value.item() - exact(moved(raw))) < 1e-15 * 4
        h = mpmath.mpf("1e-12")
        for i in range(6):
            expected = (exact(moved(raw, (i, h))) - exact(moved(raw, (i, -h)))) / (2 * h)
            assert abs(slope.torch()[0, i].item() - expected) < 1e-13
        h = mpmath.mpf("1e-9")
        for i, j in itertools.combinations_with_replacement(range(6), 2):
            corners = [a * b * exact(moved(raw, (i, a * h), (j, b * h))) for a in (1, -1) for b in (1, -1)]
            assert abs(H[i, j].item() - sum(corners) / (4 * h * h)) < 1e-7 * scale if at == "both ways" else 1e-8 * scale
            assert abs(H[j, i].item() - H[i, j].item()) < 1e-10 * scale


def test_values_are_those_of_cpp():
    """The table with which tests/kernels/equivalent_stresses_test.cpp compares the formulas of C++."""
    text = next(p for p in TABLES if p.exists()).read_text(encoding="utf-8")
    rows = re.findall(r'\{"(\w+(?: \d+)?)", \{([^}]*)\}, ([\d.e+-]+)\}', " ".join(text.split()))
    assert len(rows) == len(FUNCTIONS) * len(STRESSES)
    for name, raw, expected in rows:
        s = SR2(torch.tensor([[float(x) for x in raw.split(",")]]))
        assert FUNCTIONS[name](s).item() == pytest.approx(float(expected), rel=1e-14), name


# ---- Properties of all equivalent stresses ----


def random_stresses(*batch):
    return SR2(torch.randn(*batch, 6))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_homogeneous_and_convex(name):
    f, s = FUNCTIONS[name], random_stresses(50)
    value, slope = neml2.value_and_gradient(f, s)
    H = neml2.hessian(f, s).torch()
    same(math.inner(s, slope), value, 13)  # Euler
    size = 1.0 + H.abs().amax((-1, -2))
    assert ((H @ s.torch()[..., None])[..., 0].abs().amax(-1) < 1e-12 * size).all()
    assert (torch.linalg.eigvalsh(0.5 * (H + H.mT)).amin(-1) > -1e-10 * size).all()
    for factor in (1e-150, 3.0, 1e150):
        same(f(factor * s) / factor, value, 13)
        torch.testing.assert_close(neml2.gradient(f, factor * s).torch(), slope.torch(), rtol=1e-9, atol=1e-9)
    if name not in OF_PRESSURE:
        same(f(s + SR2.fill(3.0)), value, 12)
        assert math.tr(slope).torch().abs().max() < 1e-13


@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_a_deviator_the_derivatives_are_those_of_the_pressure(name):
    f, s = FUNCTIONS[name], SR2(torch.tensor([[0.0] * 6, [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]]))
    value, slope = neml2.value_and_gradient(f, s)
    mean = math.tr(slope) / 3
    torch.testing.assert_close(slope.torch(), (mean * SR2.fill(1.0)).torch(), rtol=1e-14, atol=1e-15)
    torch.testing.assert_close(value.torch(), torch.tensor([0.0, 6.0]) * mean.torch(), rtol=1e-14, atol=1e-15)
    assert (mean.torch() == 0.0).all().item() == (name not in OF_PRESSURE)
    assert neml2.hessian(f, s).torch().abs().max() == 0.0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_on_batches_they_are_what_they_are_in_a_formula(name):
    f = FUNCTIONS[name]
    for s in (random_stresses(), random_stresses(0), random_stresses(7, 3), SR2(torch.randn(6, 5).t())):
        expected = neml2.vmap(lambda x: 1.0 * f(x), s)
        assert type(expected) is Scalar and f(s).torch().equal(expected.torch())
    s = random_stresses(4)
    single = f(SR2(s.torch().float()))
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.torch().double(), f(s).torch(), rtol=1e-6, atol=1e-6)
    raw = s.torch().clone().requires_grad_()
    torch.testing.assert_close(torch.autograd.grad(f(SR2(raw)).torch().sum(), raw)[0], neml2.gradient(f, s).torch(), rtol=1e-12, atol=1e-12)
    of_torch = torch.func.grad(lambda t: f(SR2(t)).torch().sum())(s.torch())  # whole batches
    torch.testing.assert_close(of_torch, neml2.gradient(f, s).torch(), rtol=1e-10, atol=1e-10)
    raw = s.torch().clone()
    raw[1, 3] = float("nan")
    found = f(SR2(raw)).torch()
    assert found.isnan().tolist() == [False, True, False, False] and found[2:].equal(f(s).torch()[2:])


def test_parameters_broadcast_and_have_derivatives():
    s, a = random_stresses(3, 1), Scalar(torch.tensor([6.0, 8.0]))
    found = math.yld2004(s, (a / 8, *FIRST[1:]), SECOND, a)
    assert found.batch.shape == (3, 2)
    alone = math.yld2004(s.batch[2, 0], (0.75, *FIRST[1:]), SECOND, 6.0)
    assert found.torch()[2, 0].item() == pytest.approx(alone.item(), rel=1e-14)
    raw = torch.tensor(SHEET, requires_grad=True)
    torch.autograd.grad(math.hill(s, [Scalar(x) for x in raw]).torch().sum(), raw)
    torch.autograd.gradcheck(lambda p, e: math.hill(s, [Scalar(x) for x in p]).torch() + math.hosford(s, Scalar(e)).torch(), (raw, torch.tensor(8.0, requires_grad=True)))
    assert math.hosford(a=8.0, s=s).torch().equal(math.hosford(s, 8.0).torch())

    @dataclasses.dataclass
    class Parameters:
        F: float
        G: float
        H: float
        L: float
        M: float
        N: float

    assert math.hill(s, Parameters(*SHEET)).torch().equal(math.hill(s, SHEET).torch())


# ---- Each function ----


def test_isotropic_cases_are_von_mises():
    s = random_stresses(20)
    expected = math.von_mises(s)
    for found in (
        math.hill(s, math.hill_parameters(1.0, 1.0, 1.0)),
        math.hosford(s, 2.0),
        math.hosford(s, 4.0),
        math.drucker_prager(s, 0.0),
        math.yld2004(s, ONES, ONES, 2.0),
        0.5 * 3.0**0.5 * math.mohr_coulomb(s, 0.0, 0.0),
    ):
        same(found, expected, 13)
    for a in (6.0, 8.0, 100.0):
        same(math.yld2004(s, ONES, ONES, a), math.hosford(s, a), 13)
    l = math.eigenvalues(s)
    tresca = l(2) - l(0)
    same(math.hosford(s, 1.0), tresca, 13)
    ratio = math.hosford(s, 1e4).torch() / tresca.torch()
    assert ((ratio <= 1.0) & (ratio > 0.9999)).all()


def pulled(degrees):
    angle = torch.as_tensor(degrees) * PI / 180
    c, s = angle.cos(), angle.sin()
    return SR2.fill(Scalar(c * c), Scalar(s * s), Scalar(0 * c), Scalar(0 * c), Scalar(0 * c), Scalar(c * s))


def yield_stress_and_r(f, degrees):
    value, flow = neml2.value_and_gradient(f, pulled(degrees))
    return (1.0 / value).torch(), (math.inner(pulled(degrees + 90.0), flow) / flow(2, 2)).torch()


def test_hill_has_the_r_values_of_its_parameters():
    degrees = torch.arange(0.0, 91.0, 15.0)
    r0, r45, r90 = 0.8, 0.6, 1.3
    parameters = math.hill_parameters(r0, r45, r90)
    stress, r = yield_stress_and_r(lambda s: math.hill(s, parameters), degrees)
    torch.testing.assert_close(r[[0, 3, 6]], torch.tensor([r0, r45, r90]), rtol=1e-13, atol=0.0)
    F, G, H, _, _, N = parameters
    s2, c2 = (degrees * PI / 180).sin() ** 2, (degrees * PI / 180).cos() ** 2
    torch.testing.assert_close(stress, (F * s2**2 + G * c2**2 + H * (c2 - s2) ** 2 + 2 * N * s2 * c2) ** -0.5, rtol=1e-13, atol=0.0)
    # Hill (1950), The Mathematical Theory of Plasticity, chapter XII
    torch.testing.assert_close(r, (H + (2 * N - F - G - 4 * H) * s2 * c2) / (F * s2 + G * c2), rtol=1e-12, atol=0.0)
    assert stress[0].item() == pytest.approx(1.0, rel=1e-14)


def test_yld2004_has_the_measured_stresses_and_r_values_of_2090_T3():
    """Source: Barlat et al. (2005), Int. J. Plasticity 21, 1009-1039."""
    stress, r = yield_stress_and_r(FUNCTIONS["yld2004 8"], torch.arange(0.0, 91.0, 15.0))
    torch.testing.assert_close(stress, torch.tensor([1.0, 0.9605, 0.9102, 0.8114, 0.8096, 0.8815, 0.9102]), rtol=0.0, atol=0.012)
    torch.testing.assert_close(r, torch.tensor([0.2115, 0.3269, 0.6923, 1.5769, 1.0385, 0.5384, 0.6923]), rtol=0.0, atol=0.06)


def test_mohr_coulomb_is_its_pyramid_between_the_edges():
    s = random_stresses(2000)
    l = math.eigenvalues(s)
    exact = ((l(2) - l(0)) + (l(2) + l(0)) * 0.5).torch()
    found = math.mohr_coulomb(s, float(torch.asin(torch.tensor(0.5)))).torch()
    theta = math.lode_angle(s).torch()
    inside = (theta > 5.0 * PI / 180) & (theta < 55.0 * PI / 180)  # 25° from the middle
    assert inside.sum() > 100 and (~inside).sum() > 10
    torch.testing.assert_close(found[inside], exact[inside], rtol=1e-12, atol=1e-12)
    assert (found[~inside] > exact[~inside]).all()


def test_a_step_of_associated_flow_ends_on_the_yield_surface():
    f = FUNCTIONS["yld2004 8"]

    def step(trial):
        def residual(x, trial):
            value, flow = neml2.value_and_gradient(f, x[0])
            return x[0] - trial + x[1] * flow, value - 1.0

        return neml2.newton(residual, (trial, 0.0 * trial(0, 0)), trial)

    trial = SR2(2.0 * torch.tensor(list(STRESSES.values())))
    stress, increment = neml2.vmap(step, trial)
    same(f(stress), Scalar(torch.ones(4)), 9)
    torch.testing.assert_close((stress + increment * neml2.gradient(f, stress)).torch(), trial.torch(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: math.hill(SR2.zeros(2), (1.0, 2.0)), ValueError, "hill: the parameters are 2. Expected a group of 6 numbers or Scalars"),
        (lambda: math.yld2004(SR2.zeros(2), ONES, (1.0,), 8.0), ValueError, "yld2004: the coefficients of a transformation are 1. Expected a group of 9"),
        (lambda: math.hosford(Vec.zeros(2), 8.0), TypeError, "hosford: the stress is a Vec. Expected an SR2."),
        (lambda: math.hosford(torch.zeros(6), 8.0), TypeError, "hosford: the stress is a Tensor. Expected an SR2."),
        (lambda: math.hosford(SR2.zeros(2), Scalar.zeros(3)), ValueError, "do not broadcast"),
        (lambda: neml2.vmap(lambda v: math.mohr_coulomb(v, 0.5), Vec.zeros(2)), TypeError, "component: a Vec of a formula has no component of 2 indices"),
        (lambda: math.hill_parameters(-1.0, 1.0, 1.0), ValueError, "hill_parameters: r0 is -1.0. Expected an r-value above 0"),
    ],
)
def test_what_is_not_of_a_stress_is_refused(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()
