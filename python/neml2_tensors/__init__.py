# SPDX-License-Identifier: MIT
"""Batched tensors over PyTorch for constitutive models, in one pass over memory.

The types are in neml2.tensors and in neml2 itself, functions of tensors of any type in neml2.math, crystal symmetry in
neml2.crystallography. Here neml2 stands for this package: `import neml2_tensors as neml2` always imports it;
`import neml2` imports it only where no other package has that name. `python -m neml2_tensors --cmake-prefix` prints
the folder in which C++ programs find the same library.
"""

from importlib import import_module
from typing import TypeVar

from ._build import CXX11_ABI, TORCH
from ._build import __version__ as __version__


def _import_torch() -> None:
    """Imports torch. If its version does not fit, the error says which one is needed; without this check the loader would only name a
    missing symbol."""
    release = ".".join(TORCH.split(".")[:2])
    built = f"neml2-tensors {__version__} was built with torch {TORCH} and works with torch {release}"
    mend = (
        f"Install that one (pip install 'torch=={release}.*'), or build neml2-tensors for the torch that you want "
        "(with it installed: pip install --force-reinstall --no-deps --no-cache-dir <folder of its source>)."
    )
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(f"{built}, but there is no torch here. {mend}", name="torch") from None
    if torch.__version__.split(".")[:2] != release.split("."):
        raise ImportError(f"{built}, but here is torch {torch.__version__}. {mend}", name="torch")
    if torch.compiled_with_cxx11_abi() != CXX11_ABI:
        raise ImportError(f"{built} with {'' if CXX11_ABI else 'no '}CXX11 ABI, unlike this one. {mend}", name="torch")


_import_torch()

import_module("._C", __name__)  # defines the modules below
for _name in ("tensors", "math", "crystallography"):
    _module = import_module(f".{_name}", __name__)
    setattr(_module, "__all__", [n for n, v in vars(_module).items() if not n.startswith("_") and not isinstance(v, TypeVar)])
from . import _defaults as _defaults  # noqa: E402  # now, because no transform of torch.func may be active during this import
from . import _equivalent_stresses, _interop, _refusals, _rotations, crystallography, distributed, formulas, math, tensors  # noqa: E402
from ._derivatives import gradient as gradient, hessian as hessian, jacobian as jacobian  # noqa: E402
from ._derivatives import isotropic as isotropic, value_and_gradient as value_and_gradient  # noqa: E402
from ._export import Exported as Exported, export as export  # noqa: E402
from ._devices import DeviceKernel as DeviceKernel, device_kernels as device_kernels  # noqa: E402
from ._newton import NewtonReport as NewtonReport, newton as newton, newton_report as newton_report  # noqa: E402
from .formulas import formula as formula, show as show  # noqa: E402
from .formulas import value_and_jacobian as value_and_jacobian, vmap as vmap  # noqa: E402
from . import point as point  # noqa: E402
from .tensors import *  # noqa: E402, F403

_interop.install()
setattr(math, "__getattr__", _refusals.no_function)  # set here so that the stub has no __getattr__, which would allow any name
for _module in (_equivalent_stresses, _rotations):
    for _name in _module.__all__:
        setattr(math, _name, getattr(_module, _name))
        getattr(math, _name).__module__ = math.__name__
        math.__all__.append(_name)

__all__ = [
    "DeviceKernel",
    "Exported",
    "NewtonReport",
    "crystallography",
    "device_kernels",
    "distributed",
    "export",
    "formula",
    "formulas",
    "gradient",
    "hessian",
    "isotropic",
    "jacobian",
    "math",
    "newton",
    "newton_report",
    "point",
    "show",
    "tensors",
    "value_and_gradient",
    "value_and_jacobian",
    "vmap",
]
__all__ += tensors.__all__
