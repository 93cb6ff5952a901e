# SPDX-License-Identifier: MIT
"""Pictures of textures and of material behaviour, with matplotlib: pole figures and inverse pole figures, stress-strain
curves, yield surfaces, the directional Young's modulus.

Each function draws into `ax`, by default the current axes of pyplot, and returns artists of matplotlib. `.axes` of an artist are the axes
in which it is drawn, and `figure.colorbar(...)` takes artists that have colours. Further keywords are passed to the function of matplotlib
that draws, which the docstring names. Tensors may have any floating dtype, be on any device, and require gradients.

matplotlib is an extra of the package, neml2-tensors[plot].
"""

try:
    import matplotlib  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "matplotlib":
        raise
    raise ImportError(
        "neml2.plot draws with matplotlib, which is not installed here: pip install matplotlib, which is what the extra "
        "neml2-tensors[plot] installs.",
        name="matplotlib",
    ) from None

from ._inverse_pole_figure import (
    inverse_pole_figure,
    inverse_pole_figure_density,
    inverse_pole_figure_directions,
)
from ._pole_figure import pole_figure, pole_figure_density
from ._stress_strain import stress_strain
from ._yield_surface import yield_surface
from ._youngs_modulus import youngs_modulus, youngs_modulus_section

__all__ = [
    "inverse_pole_figure",
    "inverse_pole_figure_density",
    "inverse_pole_figure_directions",
    "pole_figure",
    "pole_figure_density",
    "stress_strain",
    "yield_surface",
    "youngs_modulus",
    "youngs_modulus_section",
]
