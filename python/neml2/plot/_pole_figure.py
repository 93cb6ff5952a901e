# SPDX-License-Identifier: MIT
from typing import Any

import torch
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.contour import QuadContourSet

from ..tensors import MillerIndex
from . import _sphere
from ._arguments import Direction, Maps, Orientations, crystal_to_sample, equivalent_poles, on_cpu
from ._axes import current_axes, outline, scatter
from ._sphere import Projection


@on_cpu
def pole_figure(
    orientations: Orientations,
    pole: Direction,
    crystal_class: str,
    *,
    maps: Maps = "sample to crystal",
    projection: Projection = "equal_area",
    labels: tuple[str, str] = ("x", "y"),
    ax: Axes | None = None,
    **style: Any,
) -> PathCollection:
    """Pole figure: where a crystal direction, and all that are equivalent to it, point in the sample, on the upper
    hemisphere seen from +z, x to the right and y up.

    orientations: Rot or Quaternion of any batch shape. By default each takes vectors of the sample to the frame of the
        crystal, as in neml2.crystallography and as Bunge's Euler angles do; maps="crystal to sample" where they turn the
        crystal, as in C.rotate(orientation).
    pole: Miller indices (MillerIndex, or three numbers) for cubic classes; for any class a Vec in the Cartesian frame of the
        crystal.
    crystal_class: "1" to "432", as in neml2.crystallography.symmetry. A pole and its opposite are not told apart.
    projection: "equal_area" (Lambert; equal solid angles are equal areas) or "stereographic" (angles and circles are kept).
    labels: names of the sample's axes x and y, such as ("RD", "TD").

    Draws with Axes.scatter. Source: Bunge (1982), Texture Analysis in Materials Science.
    Raises TypeError or ValueError for other arguments, NaN, and quaternions that are not of unit length.
    """
    points = _sphere.upper(_poles("pole_figure", orientations, pole, crystal_class, maps))
    x, y = _sphere.project("pole_figure", points, projection)
    ax = _disc(current_axes("pole_figure", ax), _title(pole), labels)
    return scatter(ax, x, y, style)


@on_cpu
def pole_figure_density(
    orientations: Orientations,
    pole: Direction,
    crystal_class: str,
    *,
    halfwidth: float = 10.0,
    maps: Maps = "sample to crystal",
    projection: Projection = "equal_area",
    labels: tuple[str, str] = ("x", "y"),
    ax: Axes | None = None,
    **style: Any,
) -> QuadContourSet:
    """Pole figure as the density of the poles, in multiples of a random distribution (m.r.d.): 1 everywhere without
    texture, and 1 on average with any.

    halfwidth: width of the von Mises-Fisher kernel about each pole, in degrees: the angle at which it has fallen to one half.
        Few grains need a wide kernel.
    The other arguments are those of pole_figure.

    Draws with Axes.contourf. figure.colorbar(...) of the result is the scale. Sources: Bunge (1982), Texture
    Analysis in Materials Science; Mardia and Jupp (2000), Directional Statistics, ch. 9 (the kernel's distribution).
    """
    points = _sphere.hemisphere(_sphere.spacing("pole_figure_density", halfwidth))
    x, y = _sphere.project("pole_figure_density", points, projection)
    poles = _poles("pole_figure_density", orientations, pole, crystal_class, maps)
    values = _sphere.density(poles, points, halfwidth)
    ax = _disc(current_axes("pole_figure_density", ax), _title(pole), labels)
    return ax.contourf(x.numpy(), y.numpy(), values.numpy(), **style)


def _poles(function: str, orientations: Orientations, pole: Direction, crystal_class: str, maps: Maps) -> torch.Tensor:
    """All equivalent poles of all orientations, (n, 3), in the frame of the sample."""
    R = crystal_to_sample(function, orientations, maps)
    h = equivalent_poles(function, pole, crystal_class)
    return torch.einsum("nij,mj->nmi", R, h).reshape(-1, 3)


def _title(pole: Direction) -> str:
    """The indices in braces, minus signs as bars."""
    if not isinstance(pole, (MillerIndex, list, tuple)):
        return ""
    indices = pole.torch().tolist() if isinstance(pole, MillerIndex) else pole
    space = r"\," if any(abs(i) > 9 for i in indices) else ""
    return r"$\{" + space.join(rf"\bar{{{-i:g}}}" if i < 0 else f"{i:g}" for i in indices) + r"\}$"


def _disc(ax: Axes, title: str, labels: tuple[str, str]) -> Axes:
    """The axes as a disc, whose rim and labels are drawn once."""
    azimuth = torch.linspace(0, 2 * torch.pi, 361)
    if outline(ax, torch.stack([azimuth.cos(), azimuth.sin()], -1)):
        ax.text(1.04, 0, labels[0], ha="left", va="center")
        ax.text(0, 1.04, labels[1], ha="center", va="bottom")
    if title:
        ax.set_title(title)
    return ax
