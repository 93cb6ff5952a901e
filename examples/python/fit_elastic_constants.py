# SPDX-License-Identifier: MIT
"""Finds the elastic constants of a cubic crystal from noisy stresses, by gradient descent.

100 grains of copper, whose random orientations are known from diffraction, were strained in 20 ways each, and
their stresses measured. The constants are leaves of autograd: the gradient of the misfit passes through C * strain,
the rotation of the stiffness and SSR4.cubic.

    fit_elastic_constants.py [--plot FILE]
"""

import argparse

import torch
from neml2.tensors import SR2, SSR4, Rot, Scalar

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws the misfit into this file (needs matplotlib)")
plot = parser.parse_args().plot

orientation = Rot.rand(100, 1)  # (100, 1; 3)
strain = SR2(torch.randn(100, 20, 6))  # in 1e-3, (100, 20; 6)

# The constants to be found, in GPa, and the measured stresses, in MPa
copper = {"C11": 168.4, "C12": 121.4, "C44": 75.4}
noise = 10
measured = SSR4.cubic(*copper.values()).rotate(orientation) * strain
measured += SR2(noise * torch.randn(100, 20, 6))

# A guess: isotropic, too soft
constants = {name: Scalar(value, requires_grad=True) for name, value in [("C11", 100), ("C12", 40), ("C44", 30)]}
optimizer = torch.optim.Adam([c.torch() for c in constants.values()], lr=2)

misfit = []
for step in range(151):
    C = SSR4.cubic(*constants.values()).rotate(orientation)  # (100, 1; 6, 6)
    stress = C * strain  # (100, 20; 6)
    loss = (stress - measured).torch().square().mean()
    misfit.append(loss.sqrt().item())
    if step % 25 == 0:
        print(f"step {step:3d}: misfit {misfit[-1]:6.2f} MPa")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"\n     copper  found, GPa (noise: {noise} MPa)")
for name, c in constants.items():
    print(f"{name}  {copper[name]:6.1f}  {c.item():6.1f}")

if plot:
    from matplotlib import pyplot

    pyplot.semilogy(misfit, label="misfit")
    pyplot.axhline(noise, color="gray", linestyle=":", label="noise")
    pyplot.xlabel("steps")
    pyplot.ylabel("misfit of the stresses, MPa")
    pyplot.legend()
    pyplot.savefig(plot)
