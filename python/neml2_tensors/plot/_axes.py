# SPDX-License-Identifier: MIT
"""The axes into which the functions draw, and common styles."""

from typing import Any

import torch
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.patches import Polygon

# The blue of Okabe and Ito, whose colours can be told apart with any colour vision.
BLUE, GREY = "#0072B2", "#6e7781"


def current_axes(function: str, ax: Any, projection: str = "rectilinear") -> Axes:
    """The axes into which to draw: the given axes, otherwise pyplot's current axes. If these have another projection, axes in a new
    figure."""
    if ax is None:
        if not pyplot.gcf().axes:
            return pyplot.gcf().add_subplot(projection=projection)
        return pyplot.gca() if pyplot.gca().name == projection else pyplot.figure().add_subplot(projection=projection)
    if not isinstance(ax, Axes):
        raise TypeError(f"{function}: expected ax as Axes of matplotlib, not {type(ax).__name__}.")
    if ax.name != projection:
        raise ValueError(f"{function}: ax is {ax.name}. Expected axes made by add_subplot(projection={projection!r}).")
    return ax


def outline(ax: Axes, corners: torch.Tensor) -> bool:
    """Draws a closed line instead of the frame of the axes, with room for labels around it. If the line exists already, returns False."""
    if any(patch.get_gid() == "outline" for patch in ax.patches):
        return False
    ax.set_axis_off()
    ax.set_aspect("equal")
    low, high = corners.amin(0), corners.amax(0)
    margin = 0.08 * float((high - low).max())
    ax.set_xlim(float(low[0]) - margin, float(high[0]) + margin)
    ax.set_ylim(float(low[1]) - margin, float(high[1]) + margin)
    ax.add_patch(Polygon(corners.numpy(), fill=False, edgecolor=GREY, linewidth=1, gid="outline", zorder=3, clip_on=False))
    return True


def scatter(ax: Axes, x: torch.Tensor, y: torch.Tensor, style: dict[str, Any]) -> PathCollection:
    """Draws points in a common style. The more points there are, the smaller they are drawn."""
    defaults: dict[str, Any] = {"s": min(30.0, max(2.0, 3000 / len(x))), "linewidths": 0, "clip_on": False}
    if "c" not in style and "facecolors" not in style:
        defaults["color"] = BLUE
    return ax.scatter(x.numpy(), y.numpy(), **(defaults | style))
