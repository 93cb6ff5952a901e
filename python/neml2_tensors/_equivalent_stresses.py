# SPDX-License-Identifier: MIT
"""Equivalent stresses, for formulas and for batches. include/neml2/kernels/equivalent_stresses.h has the same equations in C++;
test_equivalent_stresses.py compares the two."""

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any, ParamSpec

from . import math
from ._derivatives import isotropic
from .formulas import formula_of
from .tensors import SR2, Scalar, Vec

__all__ = ["drucker_prager", "hill", "hill_parameters", "hosford", "mohr_coulomb", "yld2004"]

recording: Any = import_module("._C", __package__).recording
P = ParamSpec("P")
SQRT3, SQRT6 = 3.0**0.5, 6.0**0.5


def _of_batches(function: Callable[P, Scalar]) -> Callable[P, Scalar]:
    """Turns a formula of a stress into a function of neml2.math, which works in formulas and on batches."""

    @functools.wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> Scalar:
        if recording.is_recording():
            return function(*arguments, **keywords)
        s = arguments[0] if arguments else keywords.get("s")
        if not isinstance(s, SR2):
            raise TypeError(f"{function.__name__}: the stress is {recording.with_article(type(s).__name__)}. Expected an SR2.")
        result: Scalar = formula_of(function)(*arguments, **keywords)
        return result

    function.__module__ = math.__name__
    return call


def _members(name: str, what: str, group: Any, count: int) -> list[Any]:
    """The numbers and Scalars of a group."""
    members: list[Any] = recording.flatten(group)[0]
    if len(members) != count:
        raise ValueError(f"{name}: {what} are {len(members)}. Expected a group of {count} numbers or Scalars, such as a tuple.")
    return members


def _or_one(is_zero: Any, a: Any) -> Any:
    """a, or a + 1 where is_zero holds, so that divisions by the result and roots of it are defined."""
    return math.where(is_zero, a + 1.0, a)


@_of_batches
def hill(s: SR2, parameters: Any) -> Scalar:
    """Hill's quadratic equivalent stress of 1948,
    √(F (s_11 - s_22)² + G (s_22 - s_00)² + H (s_00 - s_11)² + 2 L s_12² + 2 M s_02² + 2 N s_01²).

    (batch; 6), (batch; ) of each parameter -> (batch; ), in the unit of s. The parameters are a group of six numbers or Scalars F, G, H, L,
    M, N, such as the result of hill_parameters. Axis 0 is the rolling direction of a sheet, 1 the transverse and 2 the normal direction.
    hill equals von_mises for F = G = H = 1/2, L = M = N = 3/2.

    Source: Hill (1948), Proc. R. Soc. Lond. A 193, 281-297.
    """
    F, G, H, L, M, N = _members("hill", "the parameters", parameters, 6)
    x, y, z = s(1, 1) - s(2, 2), s(2, 2) - s(0, 0), s(0, 0) - s(1, 1)
    a, b, c = s(1, 2), s(0, 2), s(0, 1)
    D = functools.reduce(math.maximum, map(math.abs, (x, y, z, a, b, c)))
    is_zero = D == 0.0
    scale = _or_one(is_zero, D)
    total = F * (x / scale) ** 2 + G * (y / scale) ** 2 + H * (z / scale) ** 2
    total = total + 2.0 * (L * (a / scale) ** 2 + M * (b / scale) ** 2 + N * (c / scale) ** 2)
    result: Scalar = math.where(is_zero, 0.0 * total, D * math.sqrt(_or_one(is_zero, total)))
    return result


def hill_parameters(r0: Scalar | float, r45: Scalar | float, r90: Scalar | float) -> tuple[Any, ...]:
    """The parameters F, G, H, L, M, N of hill for a sheet with the r-values r0, r45 and r90, in tension at these angles to the rolling
    direction.

    An r-value is the ratio of the width strain to the thickness strain. In tension along the rolling direction the equivalent stress
    equals the applied stress. Tests of the sheet do not determine L and M: they are 3/2, as for an isotropic material.

    Source: Hill (1948), Proc. R. Soc. Lond. A 193, 281-297.
    """
    for name, r in (("r0", r0), ("r45", r45), ("r90", r90)):
        if isinstance(r, (int, float)) and not r > 0:
            raise ValueError(f"hill_parameters: {name} is {r}. Expected an r-value above 0, or a Scalar.")
    G = 1.0 / (1.0 + r0)
    H = r0 * G
    F = H / r90
    return F, G, H, 1.5, 1.5, (F + G) * (0.5 + r45)


@_of_batches
def hosford(s: SR2, a: Scalar | float) -> Scalar:
    """Hosford's equivalent stress ((|l_0 - l_1|^a + |l_1 - l_2|^a + |l_2 - l_0|^a) / 2)^(1/a) of the principal stresses l.

    (batch; 6), (batch; ) -> (batch; ), in the unit of s. The exponent a is at least 1. The result is von_mises for a = 2 and a = 4, and
    tends to Tresca's stress as a grows. For metals a is about 6 (body-centred cubic) or 8 (face-centred cubic). In formulas two derivatives
    are exact, also at equal principal stresses. For a < 2 the second derivative is infinite or NaN there.

    Source: Hosford (1972), J. Appl. Mech. 39, 607-609.
    """
    return _isotropic(_hosford, s, a)


def _isotropic(function: Callable[..., Any], s: SR2, *arguments: Any) -> Scalar:
    result: Scalar = isotropic(function, s, *arguments)
    return result


def _hosford(l: Vec, a: Any) -> Scalar:
    D = l(2) - l(0)
    is_zero = D == 0.0
    scale = _or_one(is_zero, D)
    total = 1.0 + ((l(1) - l(0)) / scale) ** a + ((l(2) - l(1)) / scale) ** a
    result: Scalar = math.where(is_zero, 0.0 * D, D * (0.5 * total) ** (1.0 / a))
    return result


@_of_batches
def drucker_prager(s: SR2, alpha: Scalar | float) -> Scalar:
    """Drucker's and Prager's equivalent stress √3 (α I1(s) + √J2(s)) = von_mises(s) + √3 α tr(s). Tension is positive.

    (batch; 6), (batch; ) -> (batch; ), in the unit of s. The cone through the compressive corners of Mohr's and Coulomb's pyramid has
    α = 2 sin φ / (√3 (3 - sin φ)); the cone through its tensile corners has 2 sin φ / (√3 (3 + sin φ)).

    Source: Drucker and Prager (1952), Q. Appl. Math. 10, 157-165.
    """
    result: Scalar = math.von_mises(s) + SQRT3 * alpha * math.tr(s)
    return result


@_of_batches
def mohr_coulomb(s: SR2, phi: Scalar | float, transition: Scalar | float = 0.43633231299858239423) -> Scalar:
    """Mohr's and Coulomb's equivalent stress (l_2 - l_0) + (l_2 + l_0) sin φ of the largest and the smallest principal stress l_2 and l_0,
    with rounded edges.

    (batch; 6), (batch; ), (batch; ) -> (batch; ), in the unit of s; angles in radians, tension positive. At yield it is 2 c cos φ with the
    cohesion c. The friction angle φ is in [0, π/2), the Lode angle θ in [-π/6, π/6], and the transition in [0, π/6), by default 25°. Where
    |θ| is larger than the transition, A - B sin 3θ replaces cos θ - sin φ sin θ / √3. It has the same value and slope at the transition.
    The function is convex for φ up to 86° with a transition of 25°, and up to 40° with a transition of 0.

    Source: Abbo and Sloan (1995), Comput. Struct. 54, 427-441.
    """
    phi, transition = phi + 0.0 * s(0, 0), transition + 0.0 * s(0, 0)
    d = math.dev(s)
    r = math.norm(d)
    sin_3theta = -3.0 * SQRT6 * math.det(d / _or_one(r == 0.0, r))
    is_corner = math.abs(sin_3theta) >= math.sin(3.0 * transition)
    part = math.sin(phi) / SQRT3
    theta = math.asin(math.where(is_corner, 0.0 * sin_3theta, sin_3theta)) / 3.0
    between = math.cos(theta) - part * math.sin(theta)
    side = math.where(sin_3theta < 0.0, 0.0 * sin_3theta - 1.0, 0.0 * sin_3theta + 1.0)
    sin_end = side * math.sin(transition)
    B = (sin_end + part * math.cos(transition)) / (3.0 * math.cos(3.0 * transition))
    near = math.cos(transition) - part * sin_end + B * (side * math.sin(3.0 * transition) - sin_3theta)
    result: Scalar = 2.0 / 3.0 * math.sin(phi) * math.tr(s) + 2.0**0.5 * r * math.where(is_corner, near, between)
    return result


@_of_batches
def yld2004(s: SR2, first: Any, second: Any, a: Scalar | float) -> Scalar:
    """Barlat's Yld2004-18p, (Σ_ij |l_i - m_j|^a / 4)^(1/a), of the principal values l and m of two transformed deviators.

    (batch; 6), (batch; ) of each coefficient, and of a -> (batch; ), in the unit of s. If all coefficients are 1, it equals hosford. Each
    transformation (first, second) is a group of nine numbers or Scalars c12, c13, c21, c23, c31, c32, c44, c55, c66; as in the source,
    these names count axes from 1. It maps the deviator d to the tensor t_00 = -c12 d_11 - c13 d_22, t_11 = -c21 d_00 - c23 d_22, t_22 =
    -c31 d_00 - c32 d_11, t_12 = c44 d_12, t_02 = c55 d_02, t_01 = c66 d_01. Axis 0 is the rolling direction of a sheet, 1 the transverse
    and 2 the normal direction.

    Source: Barlat, Aretz, Yoon, Karabin, Brem and Dick (2005), Int. J. Plasticity 21, 1009-1039.
    """

    def of_first(l: Vec) -> Scalar:
        return _isotropic(lambda m: _yld2004(l, m, a), _transformed(s, second))

    return _isotropic(of_first, _transformed(s, first))


def _transformed(s: SR2, coefficients: Any) -> SR2:
    c12, c13, c21, c23, c31, c32, c44, c55, c66 = _members("yld2004", "the coefficients of a transformation", coefficients, 9)
    x, y, z = (s(0, 0) - s(1, 1)) / 3.0, (s(1, 1) - s(2, 2)) / 3.0, (s(2, 2) - s(0, 0)) / 3.0
    d0, d1, d2 = x - z, y - x, z - y  # the normal components of the deviator
    normal = -(c12 * d1 + c13 * d2), -(c21 * d0 + c23 * d2), -(c31 * d0 + c32 * d1)
    return SR2.fill(*normal, c44 * s(1, 2), c55 * s(0, 2), c66 * s(0, 1))


def _yld2004(l: Vec, m: Vec, a: Any) -> Scalar:
    D = math.maximum(m(2) - l(0), l(2) - m(0))
    is_zero = D == 0.0
    scale = _or_one(is_zero, D)
    differences = [l(i) - m(j) for i in range(3) for j in range(3)]
    powers = [(math.where(d < 0.0, -d, d) / scale) ** a for d in differences]  # math.abs has no slope at 0
    total = functools.reduce(lambda x, y: x + y, powers)
    result: Scalar = math.where(is_zero, 0.0 * D, D * (0.25 * _or_one(is_zero, total)) ** (1.0 / a))
    return result
