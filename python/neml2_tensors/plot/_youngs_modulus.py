# SPDX-License-Identifier: MIT
from math import pi, sqrt
from typing import Any

import torch
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from .. import math
from ..tensors import SSR4
from . import _sphere
from ._arguments import Direction, count, direction, numbers, on_cpu
from ._axes import current_axes


@on_cpu
def youngs_modulus(
    stiffness: SSR4, *, points: int = 61, unit: str | None = None, ax: Axes | None = None, **style: Any
) -> PolyCollection:
    """The surface of the directional Young's modulus E(n) of one stiffness. In each direction n it contains the point E(n) n; its colour
    shows E.

    E(n) = 1 / (n_i n_j S_ijkl n_k n_l), with the compliance S, is the ratio of stress to strain along n in tension along n. If the material
    is isotropic, the surface is a sphere.
    points: the number of points from pole to pole; there are twice as many around the axis.
    unit: the unit of the stiffness, for the label.
    ax: axes made with projection="3d"; by default the current axes if they are of this kind, otherwise axes in a new figure.

    Draws with Axes3D.plot_surface; figure.colorbar(result) adds the scale.
    Source: Nye (1985), Physical Properties of Crystals, ch. 8.
    Raises ValueError also if the stiffness is not positive definite.
    """
    S = _compliance("youngs_modulus", stiffness)
    if S.dim() != 2:
        raise ValueError(
            f"youngs_modulus: the stiffness has the batch shape {stiffness.batch.shape}. "
            "Expected one: take one of the batch."
        )
    count("youngs_modulus", "points", points, 3)
    polar = torch.linspace(0, pi, points, dtype=torch.float64)
    azimuth = torch.linspace(0, 2 * pi, 2 * points - 1, dtype=torch.float64)
    n = _sphere.spherical(polar[:, None], azimuth.expand(points, -1))
    E = _modulus(S, n)
    ax3d: Any = current_axes("youngs_modulus", ax, "3d")
    x, y, z = (n * E[..., None]).numpy().transpose(2, 0, 1)
    defaults: dict[str, Any] = {"linewidth": 0, "antialiased": False}
    if not {"color", "facecolors"} & style.keys():
        defaults["cmap"] = "viridis"
    surface: PolyCollection = ax3d.plot_surface(x, y, z, **(defaults | style), rstride=1, cstride=1)
    if surface.get_array() is not None:  # the array contains the heights of the faces
        corners = E[:-1, :-1] + E[1:, :-1] + E[:-1, 1:] + E[1:, 1:]
        surface.set_array((corners / 4).flatten().numpy())
        if "norm" not in style:
            surface.set_clim(style.get("vmin", float(E.min())), style.get("vmax", float(E.max())))
    ax3d.set_aspect("equal")
    for axis, name in zip((ax3d.xaxis, ax3d.yaxis, ax3d.zaxis), "xyz"):
        axis.set_label_text(name + (f" ({unit})" if unit else ""))
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    return surface


@on_cpu
def youngs_modulus_section(
    stiffness: SSR4,
    normal: Direction = (0, 0, 1),
    *,
    unit: str | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> list[Line2D]:
    """The section of the surface of the directional Young's modulus by the plane with this normal through the centre. It shows E over the
    angle in the plane, with one line for each stiffness of the batch.

    The angle is counted counterclockwise about the normal, from the projection of the x axis onto the plane, or from
    the y axis if the normal is x.
    unit: the unit of the stiffness, for the label.
    ax: axes made with projection="polar"; by default the current axes if they are of this kind, otherwise axes in a new figure.

    Draws with PolarAxes.plot; its label may be a list with one name per stiffness. The formula and its source are those of youngs_modulus.
    """
    S = _compliance("youngs_modulus_section", stiffness).reshape(-1, 1, 6, 6)
    n = direction("youngs_modulus_section", "the normal", normal)
    start = torch.eye(3, dtype=torch.float64)[int(n[0].abs() > 1 - 1e-9)]
    start = start - (start @ n) * n
    start /= start.norm()
    angle = torch.linspace(0, 2 * pi, 361, dtype=torch.float64)
    in_plane = angle.cos()[:, None] * start + angle.sin()[:, None] * torch.linalg.cross(n, start)
    E = _modulus(S, in_plane)
    ax = current_axes("youngs_modulus_section", ax, "polar")
    lines = ax.plot(angle.numpy(), E.mT.numpy(), **style)
    ax.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    ax.set_ylim(0, 1.05 * ax.dataLim.y1)
    ax.set_title("E" + (f" ({unit})" if unit else ""))
    return lines


def _compliance(function: str, stiffness: Any) -> torch.Tensor:
    """The compliance of a stiffness, in Mandel components (..., 6, 6)."""
    C = numbers(function, "the stiffness", stiffness, SSR4)
    smallest = float(torch.linalg.eigvalsh((C + C.mT) / 2).amin())
    if not smallest > 0:
        raise ValueError(
            f"{function}: the stiffness is not positive definite, its smallest eigenvalue is {smallest:.3g}: "
            "Young's modulus is not positive and finite in all directions."
        )
    return math.inv(SSR4(C)).torch()


def _modulus(S: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    """1 / (n_i n_j S_ijkl n_k n_l) for compliances (..., 6, 6) and directions (..., 3)."""
    x, y, z = n.unbind(-1)
    nn = torch.stack([x * x, y * y, z * z, sqrt(2) * y * z, sqrt(2) * x * z, sqrt(2) * x * y], -1)  # Mandel components
    return 1 / torch.einsum("...i,...ij,...j->...", nn, S, nn)
