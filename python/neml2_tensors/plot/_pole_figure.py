# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import Any, cast, overload

import torch
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.contour import QuadContourSet
from matplotlib.ticker import MaxNLocator

from ..tensors import MillerIndex, Vec
from . import _sphere
from ._arguments import Direction, Maps, Orientations, crystal_to_sample, equivalent_poles, on_cpu
from ._axes import current_axes, outline, scatter
from ._sphere import Projection


@overload
def pole_figure(
    orientations: Orientations,
    pole: Direction,
    crystal_class: str,
    *,
    maps: Maps = ...,
    projection: Projection = ...,
    labels: tuple[str, str] = ...,
    ax: Axes | None = ...,
    **style: Any,
) -> PathCollection: ...
@overload
def pole_figure(
    orientations: Orientations,
    pole: Sequence[Direction],
    crystal_class: str,
    *,
    maps: Maps = ...,
    projection: Projection = ...,
    labels: tuple[str, str] = ...,
    ax: Sequence[Axes] | None = ...,
    **style: Any,
) -> list[PathCollection]: ...
@on_cpu
def pole_figure(
    orientations: Orientations,
    pole: Direction | Sequence[Direction],
    crystal_class: str,
    *,
    maps: Maps = "sample to crystal",
    projection: Projection = "equal_area",
    labels: tuple[str, str] = ("x", "y"),
    ax: Axes | Sequence[Axes] | None = None,
    **style: Any,
) -> PathCollection | list[PathCollection]:
    """Pole figure: for each orientation a direction of the crystal (a pole), and all directions that are equivalent to it, in the frame of
    the sample. The figure shows the upper hemisphere, seen from +z, with x to the right and y up.

    orientations: Rot or Quaternion of any batch shape. By default each orientation maps vectors from the frame of the sample to the frame
        of the crystal, as in neml2.crystallography and for Bunge's Euler angles. Give maps="crystal to sample" if the orientations rotate
        the crystal, as in C.rotate(orientation).
    pole: Miller indices (MillerIndex, or three numbers) for cubic classes; for any class a Vec in the Cartesian frame of the crystal. For a
        list of poles there is one figure per pole, side by side; then ax is a list of axes, and the result a list of artists.
    crystal_class: "1" to "432" or a point group such as "m-3m", as in neml2.crystallography.symmetry. A pole and its
        opposite count as one.
    projection: "equal_area" (Lambert; equal solid angles are equal areas) or "stereographic" (preserves angles and circles).
    labels: names of the sample's axes x and y, such as ("RD", "TD").

    Draws with Axes.scatter. Source: Bunge (1982), Texture Analysis in Materials Science.
    Raises TypeError or ValueError for other arguments, NaN, and quaternions that are not of unit length.
    """
    function = "pole_figure"

    def draw(one: Any, axes: Any) -> PathCollection:
        points = _sphere.upper(_poles(function, orientations, one, crystal_class, maps))
        x, y = _sphere.project(function, points, projection)
        return scatter(_disc(current_axes(function, axes), _title(one), labels), x, y, style)

    if not _are_several(function, pole):
        return draw(pole, ax)
    poles = cast(Sequence[Direction], pole)
    return [draw(one, axes) for one, axes in zip(poles, _row_of_axes(function, len(poles), ax), strict=True)]


@overload
def pole_figure_density(
    orientations: Orientations,
    pole: Direction,
    crystal_class: str,
    *,
    halfwidth: float = ...,
    maps: Maps = ...,
    projection: Projection = ...,
    labels: tuple[str, str] = ...,
    ax: Axes | None = ...,
    **style: Any,
) -> QuadContourSet: ...
@overload
def pole_figure_density(
    orientations: Orientations,
    pole: Sequence[Direction],
    crystal_class: str,
    *,
    halfwidth: float = ...,
    maps: Maps = ...,
    projection: Projection = ...,
    labels: tuple[str, str] = ...,
    ax: Sequence[Axes] | None = ...,
    **style: Any,
) -> list[QuadContourSet]: ...
@on_cpu
def pole_figure_density(
    orientations: Orientations,
    pole: Direction | Sequence[Direction],
    crystal_class: str,
    *,
    halfwidth: float = 10.0,
    maps: Maps = "sample to crystal",
    projection: Projection = "equal_area",
    labels: tuple[str, str] = ("x", "y"),
    ax: Axes | Sequence[Axes] | None = None,
    **style: Any,
) -> QuadContourSet | list[QuadContourSet]:
    """Pole figure as the density of the poles, in multiples of a random distribution (m.r.d.). Without texture it is 1 everywhere; with any
    texture its mean is 1.

    halfwidth: the width of the von Mises-Fisher kernel about each pole: the angle, in degrees, at which the kernel has fallen to one half.
        The fewer grains there are, the wider the kernel must be.
    The other arguments are those of pole_figure. The figures of several poles have the same levels, so that one scale serves all of them.

    Draws with Axes.contourf; figure.colorbar(result) adds the scale. Sources: Bunge (1982), Texture
    Analysis in Materials Science; Mardia and Jupp (2000), Directional Statistics, ch. 9 (the kernel's distribution).
    """
    function = "pole_figure_density"
    points = _sphere.hemisphere(_sphere.spacing(function, halfwidth))
    x, y = _sphere.project(function, points, projection)

    def values(one: Any) -> torch.Tensor:
        return _sphere.density(_poles(function, orientations, one, crystal_class, maps), points, halfwidth)

    def draw(one: Any, density: torch.Tensor, axes: Any, keywords: dict[str, Any]) -> QuadContourSet:
        ax = _disc(current_axes(function, axes), _title(one), labels)
        return ax.contourf(x.numpy(), y.numpy(), density.numpy(), **keywords)

    if not _are_several(function, pole):
        return draw(pole, values(pole), ax, style)
    poles = cast(Sequence[Direction], pole)
    densities = torch.stack([values(one) for one in poles])
    # These are the levels that matplotlib would choose for a single figure.
    levels = MaxNLocator(8, min_n_ticks=1).tick_values(float(densities.min()), float(densities.max()))
    rows = zip(poles, densities, _row_of_axes(function, len(poles), ax), strict=True)
    return [draw(one, density, axes, {"levels": levels} | style) for one, density, axes in rows]


def _are_several(function: str, pole: Any) -> bool:
    """Whether the argument is a list of poles. Three numbers are one pole."""
    if not isinstance(pole, (list, tuple)):
        return False
    if not pole:
        raise ValueError(f"{function}: the list of poles is empty. Expected at least one.")
    return any(isinstance(p, (list, tuple, Vec, MillerIndex)) for p in pole)


def _row_of_axes(function: str, count: int, ax: Any) -> list[Any]:
    """The axes of several figures: the given axes, otherwise a row of axes in the current figure, or in a new figure if that has axes."""
    if ax is None:
        figure = pyplot.figure(figsize=(3.2 * count, 3.4)) if pyplot.gcf().axes else pyplot.gcf()
        return list(figure.subplots(1, count, squeeze=False)[0])
    given = list(ax.flat) if hasattr(ax, "flat") else list(ax) if isinstance(ax, (list, tuple)) else [ax]
    if len(given) != count:
        raise ValueError(f"{function}: ax has {len(given)} axes for {count} poles. Expected a list of as many.")
    return given


def _poles(function: str, orientations: Orientations, pole: Direction, crystal_class: str, maps: Maps) -> torch.Tensor:
    """All equivalent poles of all orientations, (n, 3), in the frame of the sample."""
    R = crystal_to_sample(function, orientations, maps)
    h = equivalent_poles(function, pole, crystal_class)
    return torch.einsum("nij,mj->nmi", R, h).reshape(-1, 3)


def _title(pole: Direction) -> str:
    """The Miller indices of a pole in braces, with bars for minus signs."""
    if not isinstance(pole, (MillerIndex, list, tuple)):
        return ""
    indices = pole.torch().tolist() if isinstance(pole, MillerIndex) else pole
    space = r"\," if any(abs(i) > 9 for i in indices) else ""
    return r"$\{" + space.join(rf"\bar{{{-i:g}}}" if i < 0 else f"{i:g}" for i in indices) + r"\}$"


def _disc(ax: Axes, title: str, labels: tuple[str, str]) -> Axes:
    """Makes the axes a disc. The rim and the labels are drawn only once."""
    azimuth = torch.linspace(0, 2 * torch.pi, 361)
    if outline(ax, torch.stack([azimuth.cos(), azimuth.sin()], -1)):
        ax.text(1.04, 0, labels[0], ha="left", va="center")
        ax.text(0, 1.04, labels[1], ha="center", va="bottom")
    if title:
        ax.set_title(title)
    return ax
