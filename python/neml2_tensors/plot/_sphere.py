# SPDX-License-Identifier: MIT
"""The unit sphere: its projections, and densities on it."""

from math import cos, expm1, log, pi, radians
from typing import Literal, TypeAlias

import torch

from ._arguments import choice

Projection: TypeAlias = Literal["equal_area", "stereographic"]


def project(function: str, v: torch.Tensor, projection: Projection) -> tuple[torch.Tensor, torch.Tensor]:
    """Projects unit vectors of the upper hemisphere onto the unit disc, seen from +z with x to the right and y up. At the angle θ from z
    the radius is √2 sin(θ/2) = √(1 - z) in the equal-area projection (Lambert), and tan(θ/2) in the stereographic projection.

    Source: Bunge (1982), Texture Analysis in Materials Science.
    """
    choice(function, "projection", projection, "equal_area", "stereographic")
    x, y, z = v.unbind(-1)
    scale = 1 + z if projection == "stereographic" else (1 + z).sqrt()
    return x / scale, y / scale


def upper(v: torch.Tensor) -> torch.Tensor:
    """The points where axes (n, 3) meet the upper hemisphere. For an axis in the plane of its rim these are both ends."""
    v = torch.where(v[:, 2:] < 0, -v, v)
    return torch.cat([v, -v[v[:, 2] < 1e-6]])


def spherical(polar: torch.Tensor, azimuth: torch.Tensor) -> torch.Tensor:
    """Unit vectors at these polar angles from z and azimuths about z, in radians."""
    return torch.stack([polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos().expand_as(azimuth)], -1)


def spacing(function: str, halfwidth: float) -> float:
    """The distance, in radians, between the points at which a density is computed. It is so small that the density is nearly linear between
    them."""
    if not 0 < halfwidth <= 90:
        raise ValueError(f"{function}: halfwidth is {halfwidth!r}. Expected degrees above 0, up to 90.")
    return radians(min(2.5, max(halfwidth / 3, 0.25)))


def density(poles: torch.Tensor, points: torch.Tensor, halfwidth: float) -> torch.Tensor:
    """The density (...) of the axes (n, 3) at points (..., 3), in multiples of a random distribution (m.r.d.). Its mean over
    the sphere is 1.

    Each axis p adds κ cosh(κ p·x) / sinh(κ) / n, half of the von Mises-Fisher distribution about p and half about -p,
    which falls to one half at the angle halfwidth, in degrees: κ = ln 2 / (1 - cos halfwidth).

    Source of the distribution: Mardia and Jupp (2000), Directional Statistics, ch. 9.
    """
    kappa = log(2) / (1 - cos(radians(halfwidth)))
    at = kappa * points.reshape(-1, 3)
    total = torch.zeros(len(at), dtype=torch.float64)
    some = max(1, 2**17 // len(at))  # the number of points that fit in the cache
    for i in range(0, len(poles), some):
        c = (at @ poles[i : i + some].mT).abs_()
        if kappa < 40:  # the kernel about the opposite pole; for larger kappa it is less than a rounding error of the mean
            total += torch.exp(-kappa - c).sum(-1)
        total += c.sub_(kappa).exp_().sum(-1)
    return (total * (kappa / -expm1(-2 * kappa) / len(poles))).reshape(points.shape[:-1])


def hemisphere(step: float) -> torch.Tensor:
    """A grid of points (polar, azimuth, 3) on the upper hemisphere. The first azimuth appears again at the end."""
    polar = torch.linspace(0, pi / 2, round(pi / 2 / step) + 1, dtype=torch.float64)
    azimuth = torch.linspace(0, 2 * pi, round(2 * pi / step) + 1, dtype=torch.float64)
    return spherical(polar[:, None], azimuth.expand(len(polar), -1))
