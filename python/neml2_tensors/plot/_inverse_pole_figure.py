# SPDX-License-Identifier: MIT
from typing import Any

import torch
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.contour import QuadContourSet

from ..tensors import Vec
from . import _sphere
from ._arguments import Direction, Maps, Orientations, crystal_to_sample, direction, on_cpu, rotation_group, symmetry
from ._axes import current_axes, outline, scatter
from ._sectors import SECTORS, Sector
from ._sphere import Projection


@on_cpu
def inverse_pole_figure_directions(
    orientations: Orientations,
    sample_direction: Direction,
    crystal_class: str,
    *,
    maps: Maps = "sample to crystal",
) -> Vec:
    """The directions that inverse_pole_figure draws: for each orientation the unit vector, in the frame of the crystal, that is equivalent
    to the direction of the sample and lies in the fundamental sector of the crystal class. The result is (...; 3) with the batch shape of
    the orientations, which may be empty. It is float64, on the CPU, and has no gradient.

    For 432 the sector is 0 ≤ y ≤ x ≤ z, the triangle 001-101-111. The arguments are those of inverse_pole_figure.
    """
    function = "inverse_pole_figure_directions"
    group = rotation_group(function, crystal_class)
    v = _directions(function, orientations, sample_direction, maps, empty=True)
    return Vec(SECTORS[group].reduce(v, symmetry(group)).reshape(*orientations.batch.shape, 3))


@on_cpu
def inverse_pole_figure(
    orientations: Orientations,
    sample_direction: Direction,
    crystal_class: str,
    *,
    maps: Maps = "sample to crystal",
    projection: Projection = "equal_area",
    ax: Axes | None = None,
    **style: Any,
) -> PathCollection:
    """Inverse pole figure: for each orientation the direction of the crystal that lies along a direction of the sample. It is drawn in the
    fundamental sector of the crystal class, which contains one equivalent of each direction. For 432 this is the standard triangle
    001-101-111.

    sample_direction: a Vec or three numbers.
    crystal_class: "1" to "432" or a point group such as "m-3m", as in neml2.crystallography.symmetry. The sector is the sector of its Laue
        group, in which a direction and its opposite are equivalent.
    The other arguments are those of pole_figure.

    Draws with Axes.scatter. inverse_pole_figure_directions returns the directions as numbers. Source: Bunge (1982), Texture
    Analysis in Materials Science.
    """
    function = "inverse_pole_figure"
    group = rotation_group(function, crystal_class)
    sector = SECTORS[group]
    v = sector.reduce(_directions(function, orientations, sample_direction, maps), symmetry(group))
    x, y = _sphere.project(function, v, projection)
    ax = _sector_axes(current_axes(function, ax), sector, projection)
    return scatter(ax, x, y, style)


@on_cpu
def inverse_pole_figure_density(
    orientations: Orientations,
    sample_direction: Direction,
    crystal_class: str,
    *,
    halfwidth: float = 10.0,
    maps: Maps = "sample to crystal",
    projection: Projection = "equal_area",
    ax: Axes | None = None,
    **style: Any,
) -> QuadContourSet:
    """Inverse pole figure as a density, in multiples of a random distribution (m.r.d.). The mean over the sector is 1. The arguments are
    those of inverse_pole_figure and pole_figure_density.

    Draws with Axes.contourf; figure.colorbar(result) adds the scale.
    """
    function = "inverse_pole_figure_density"
    group = rotation_group(function, crystal_class)
    operations, sector = symmetry(group), SECTORS[group]
    points = sector.points(_sphere.spacing(function, halfwidth))
    x, y = _sphere.project(function, points, projection)
    v = _directions(function, orientations, sample_direction, maps)
    values = _sphere.density(torch.einsum("gij,nj->gni", operations, v).reshape(-1, 3), points, halfwidth)
    ax = _sector_axes(current_axes(function, ax), sector, projection)
    return ax.contourf(x.numpy(), y.numpy(), values.numpy(), **style)


def _directions(
    function: str, orientations: Orientations, sample_direction: Direction, maps: Maps, *, empty: bool = False
) -> torch.Tensor:
    """The direction of the sample in the frame of each crystal, (n, 3)."""
    R = crystal_to_sample(function, orientations, maps, empty=empty)
    return torch.einsum("nij,i->nj", R, direction(function, "the sample direction", sample_direction))


def _sector_axes(ax: Axes, sector: Sector, projection: Projection) -> Axes:
    """The axes with the outline of the sector and the names of its corners, drawn once."""
    edge = torch.stack(_sphere.project("", sector.edge(), projection), -1)
    if outline(ax, edge):
        corners = torch.tensor(list(sector.corners.values()), dtype=torch.float64)
        at = torch.stack(_sphere.project("", corners / corners.norm(dim=-1, keepdim=True), projection), -1)
        middle = (edge.amin(0) + edge.amax(0)) / 2
        for name, corner, away in zip(
            sector.corners, at.tolist(), torch.nn.functional.normalize(at - middle, dim=-1).tolist()
        ):
            ax.annotate(
                name,
                corner,
                (5 * away[0], 5 * away[1]),
                textcoords="offset points",
                ha="center" if abs(away[0]) < 0.3 else "left" if away[0] > 0 else "right",
                va="center" if abs(away[1]) < 0.3 else "bottom" if away[1] > 0 else "top",
            )
    return ax
