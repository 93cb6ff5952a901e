# SPDX-License-Identifier: MIT
from collections.abc import Callable
from math import cos, pi, sin, sqrt
from typing import Any, Literal

import torch
from matplotlib.axes import Axes
from matplotlib.contour import QuadContourSet

from ..tensors import SR2, Scalar
from ._arguments import choice, count, on_cpu
from ._axes import BLUE, GREY, current_axes


@on_cpu
def yield_surface(
    f: Callable[[SR2], Scalar],
    limit: float,
    plane: Literal["plane_stress", "pi", "normal_shear"] = "plane_stress",
    *,
    mean: float = 0.0,
    points: int = 301,
    unit: str | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> QuadContourSet:
    """The yield surface f(σ) = 0 in a plane of the space of stresses.

    f: a function of stresses, (n, n; 6) -> (n, n; ), which is negative in the elastic range. It is called once, with float64 on the CPU.
    limit: the largest absolute value of the two coordinates, in the unit of stress. It determines the window.
    plane: "plane_stress": the principal stresses σ1 and σ2, along x and y, with σ3 = 0. "normal_shear": σxx and σxy; all other components
        are 0. "pi": principal stresses with the given mean, seen along the hydrostatic axis. σ1 points up, σ2 to the lower left, σ3 to the
        lower right, and the distance from the centre is √(s_ij s_ij) of the deviator, which is √(2/3) times the von Mises stress.
    mean: the mean stress of the pi plane.
    points: the number of grid points along each coordinate; between them f is interpolated linearly.
    unit: the unit of the stress, for the labels.

    Draws with Axes.contour. For legends use legend_elements() of the result. Source: Hill (1950), The Mathematical Theory of
    Plasticity, ch. 2.
    Raises ValueError also if f is NaN somewhere, or does not change its sign in the window.
    """
    choice("yield_surface", "plane", plane, "plane_stress", "pi", "normal_shear")
    count("yield_surface", "points", points, 2)
    if not isinstance(limit, (int, float)) or not 0 < limit < float("inf"):
        raise ValueError(f"yield_surface: limit is {limit!r}. Expected a positive stress, beyond the surface.")
    if mean != 0 and plane != "pi":
        raise ValueError(
            f"yield_surface: mean is {mean!r}, but the plane {plane!r} goes through 0. Expected a mean only with the plane 'pi'."
        )
    a = torch.linspace(-limit, limit, points, dtype=torch.float64)
    x, y = torch.meshgrid(a, a, indexing="xy")
    values = _values(f, _stress(x, y, plane, mean), limit)
    ax = current_axes("yield_surface", ax)
    _labels(ax, plane, limit, f" ({unit})" if unit else "")
    if "cmap" not in style:
        style.setdefault("colors", BLUE)
    return ax.contour(x.numpy(), y.numpy(), values.numpy(), levels=[0.0], **style)


def _stress(x: torch.Tensor, y: torch.Tensor, plane: str, mean: float) -> SR2:
    """The stresses at these coordinates of the plane."""
    zero = torch.zeros_like(x)
    if plane == "pi":
        s1, s2, s3 = (mean + sqrt(2 / 3) * (x * cos(a) + y * sin(a)) for a in _pi_axes())
        components = (s1, s2, s3, zero, zero, zero)
    elif plane == "plane_stress":
        components = (x, y, zero, zero, zero, zero)
    else:
        components = (x, zero, zero, zero, zero, y)
    return SR2.fill(*map(Scalar, components))


def _pi_axes() -> tuple[float, float, float]:
    """The directions of the principal axes in the pi plane, as angles in radians."""
    return pi / 2, 7 * pi / 6, 11 * pi / 6


def _values(f: Callable[[SR2], Scalar], stress: SR2, limit: float) -> torch.Tensor:
    """f at all stresses, checked."""
    result = f(stress)
    if not isinstance(result, Scalar):
        raise TypeError(f"yield_surface: f returned a {type(result).__name__}. Expected a Scalar for each stress.")
    if result.batch.shape != stress.batch.shape:
        raise ValueError(
            f"yield_surface: f returned the batch shape {result.batch.shape} for stresses of {stress.batch.shape}. "
            "Expected the same."
        )
    values = result.torch().detach().to("cpu", torch.float64)
    if not values.isfinite().all():
        raise ValueError(
            f"yield_surface: f is NaN or infinite at {int((~values.isfinite()).sum())} of {values.numel()} stresses."
        )
    if (values < 0).all() or (values > 0).all():
        sign, mend = ("negative", "larger") if values[0, 0] < 0 else ("positive", "smaller")
        raise ValueError(
            f"yield_surface: f is {sign} at all stresses up to {limit:g}: there is nothing to draw. Is a {mend} limit meant?"
        )
    return values


def _labels(ax: Axes, plane: str, limit: float, unit: str) -> None:
    """Draws the names of the coordinates, and lines where a coordinate is 0, but only once."""
    names = {
        "plane_stress": (r"\sigma_1", r"\sigma_2"),
        "normal_shear": (r"\sigma_{xx}", r"\sigma_{xy}"),
        "pi": (r"(\sigma_3 - \sigma_2)/\sqrt{2}", r"(2\sigma_1 - \sigma_2 - \sigma_3)/\sqrt{6}"),
    }
    ax.set_aspect("equal")
    ax.set_xlabel(f"${names[plane][0]}${unit}")
    ax.set_ylabel(f"${names[plane][1]}${unit}")
    if any(line.get_gid() == "axis" for line in ax.lines):
        return
    thin: dict[str, Any] = {"color": GREY, "linewidth": 0.6, "zorder": 0, "gid": "axis"}
    if plane != "pi":
        ax.axhline(0, **thin)
        ax.axvline(0, **thin)
        return
    for i, a in enumerate(_pi_axes(), 1):
        x, y = limit * cos(a), limit * sin(a)
        ax.plot([0, x], [0, y], **thin)
        ax.annotate(
            rf"$\sigma_{i}$",
            (0.9 * x, 0.9 * y),
            (-5 if i == 2 else 5, 5),
            textcoords="offset points",
            ha="right" if i == 2 else "left",
        )
