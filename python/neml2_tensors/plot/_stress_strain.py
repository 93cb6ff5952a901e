# SPDX-License-Identifier: MIT
from typing import Any, Literal

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from .. import math
from ..tensors import SR2
from ._arguments import numbers, on_cpu
from ._axes import current_axes


@on_cpu
def stress_strain(
    strain: SR2,
    stress: SR2,
    component: tuple[int, int] | Literal["equivalent"] = (0, 0),
    *,
    unit: str | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> list[Line2D]:
    """Stress-strain curves of histories (steps, ...; 6): one line for each entry of the other batch dimensions.

    component: (i, j), counted from 0, for both tensors; a shear strain is the tensor's component, half of the angle. Or
        "equivalent": the von Mises stress √(3/2 s_ij s_ij) and strain √(2/3 e_ij e_ij) of the deviators s and e.
    unit: the unit of the stress, for the label.
    A history without other batch dimensions, such as a strain that all points share, is paired with each curve of the other history.

    Draws with Axes.plot; its label may be a list with one name per curve.
    """
    x, y = _measure("strain", strain, component), _measure("stress", stress, component)
    if len(x) != len(y):
        raise ValueError(
            f"stress_strain: the strain has {len(x)} steps, the stress {len(y)}: the first batch dimensions must agree."
        )
    x, y = (t.reshape(len(t), *[1] * (max(x.dim(), y.dim()) - t.dim()), *t.shape[1:]) for t in (x, y))
    try:
        xs, ys = np.broadcast_arrays(x.numpy(), y.numpy())
    except ValueError:
        raise ValueError(
            f"stress_strain: batch shapes {strain.batch.shape} of the strain and {stress.batch.shape} of the stress "
            "do not broadcast."
        ) from None
    ax = current_axes("stress_strain", ax)
    index = r"\mathrm{eq}" if component == "equivalent" else "".join("xyz"[i] for i in component)
    ax.set_xlabel(rf"$\varepsilon_{{{index}}}$")
    ax.set_ylabel(rf"$\sigma_{{{index}}}$" + (f" ({unit})" if unit else ""))
    return ax.plot(xs.reshape(len(x), -1), ys.reshape(len(y), -1), **style)


def _measure(name: str, history: Any, component: Any) -> torch.Tensor:
    """The values of a history that are plotted, (steps, ...)."""
    s = SR2(numbers("stress_strain", f"the {name}", history, SR2))
    if s.batch.dim() == 0:
        raise ValueError(f"stress_strain: the {name} has no batch dimension. Expected a history (steps, ...; 6).")
    if component == "equivalent":
        equivalent = math.von_mises(s).torch()
        return equivalent if name == "stress" else equivalent * 2 / 3
    if component not in [(i, j) for i in range(3) for j in range(3)]:
        raise ValueError(f'stress_strain: component is {component!r}. Expected (i, j) of 0, 1 and 2, or "equivalent".')
    return s(*component).torch()
