# SPDX-License-Identifier: MIT
"""Von Mises plasticity with linear isotropic hardening: radial return (Simo and Hughes, Computational Inelasticity, 1998,
section 3.3), written for one point and run over a batch; its consistent tangent from the same formula; and Newton's method,
with that tangent, for thin tubes that are twisted by a constant torque while they are pulled and pushed: five stresses and
one strain are prescribed. j2_plasticity.cpp has the same tubes, and gives the same numbers.

    j2_plasticity.py [--plot FILE]
"""

# %% only in the script
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws the curves into this file (needs matplotlib)")
file = parser.parse_args().plot

# %%
from dataclasses import dataclass
from math import sqrt

import neml2
import torch
from neml2.math import dev, maximum, norm, solve, vol
from neml2.tensors import SR2, Scalar

torch.set_default_dtype(torch.float64)


# %% [markdown]
# ## The model
# `@neml2.formula` turns a function of one point into a function of batches, which runs in one pass over memory. The material and
# the state are passed as dataclasses, and the new state is returned as one.

# %%
@dataclass
class Material:
    E: Scalar
    nu: Scalar
    yield_stress: Scalar
    hardening_modulus: Scalar


@dataclass
class State:
    plastic_strain: SR2
    alpha: Scalar  # equivalent plastic strain


# begin radial_return
@neml2.formula
def radial_return(strain: SR2, old: State, material: Material) -> tuple[SR2, State]:
    """Stress and new state at this strain."""
    E, nu, modulus = material.E, material.nu, material.hardening_modulus
    mu, kappa = E / (2 * (1 + nu)), E / (3 * (1 - 2 * nu))
    trial = 2 * mu * dev(strain - old.plastic_strain)
    mises = sqrt(1.5) * norm(trial)
    excess = maximum(mises - (material.yield_stress + modulus * old.alpha), 0.0)
    multiplier = excess / (3 * mu + modulus)
    increment = trial * (1.5 * multiplier / maximum(mises, 1e-12))
    stress = 3 * kappa * vol(strain) + trial - 2 * mu * increment
    return stress, State(old.plastic_strain + increment, old.alpha + multiplier)
# end radial_return


# %% [markdown]
# ## Prescribed stresses
# The axial strain is given, and the other components make the other five stresses equal to the prescribed ones. `value_and_jacobian`
# computes the stresses and their exact derivatives by the strain in the same pass.

# %%
def find_strain(start: SR2, axial: Scalar, prescribed: SR2, old: State, material: Material, verbose: bool) -> SR2:
    """The strain with the given axial component at which all other stresses are the prescribed ones."""
    strain = start.clone()
    strain.base[0] = axial
    for iteration in range(20):
        (stress, _), tangent = neml2.value_and_jacobian(radial_return, strain, old, material, of=0)
        residual = (stress - prescribed).base[1:]
        error = residual.torch().abs().max().item()
        if verbose:
            print(f"{iteration:5d}   {error:8.1e}" if error > 1e-9 else f"{iteration:5d}  converged")
        if error < 1e-9:
            break
        strain.base[1:] -= solve(tangent.base[1:, 1:], residual)
    return strain


# %% [markdown]
# ## Three materials, four tubes of each
# One call computes all twelve: batch shapes `(3, 1)` of the materials and `(4,)` of the tubes broadcast.

# %%
names = ["steel", "copper", "aluminium"]
material = Material(  # MPa, (3, 1; )
    E=Scalar.create([[200e3], [110e3], [70e3]]),
    nu=Scalar.create([[0.3], [0.34], [0.33]]),
    yield_stress=Scalar.create([[250.0], [200.0], [95.0]]),
    hardening_modulus=Scalar.create([[2000.0], [10000.0], [700.0]]),
)
amplitude = Scalar.create([0.0025, 0.005, 0.0075, 0.01])  # of the axial strain of four tubes each, (4; )
zero = Scalar(0.0)
prescribed = SR2.fill(zero, zero, zero, zero, zero, 0.3 * material.yield_stress)  # (3, 1; 6)
strain = SR2.zeros(3, 4)  # materials, tubes
state = State(SR2.zeros(3, 4), Scalar.zeros(3, 4))

steps, rows, curve = 40, [], [[0.0] * 4]  # tension, compression, tension
for step in range(1, steps + 1):
    t = 4 * step / steps
    axial = amplitude * (t if t < 1 else 2 - t if t < 3 else t - 4)
    if step == 10:
        print("Newton's method in step 10: largest error of the prescribed stresses, MPa")
    strain = find_strain(strain, axial, prescribed, state, material, verbose=step == 10)
    stress, state = radial_return(strain, state, material)

    furthest = stress.batch[:, 3](0, 0).tolist()  # axial stress of the tubes pulled furthest
    twist = strain.batch[:, 3](0, 1).tolist()
    percent = 100 * axial.batch[3].item()
    curve.append([percent, *furthest])
    if step % 5 == 0:
        columns = (f"  {a:8.2f} {100 * g:6.3f}" for a, g in zip(furthest, twist))
        rows.append(f"{percent:7.2f} " + "".join(columns))
print("\nAxial stress in MPa and shear strain in % of the tubes pulled furthest")
print("strain %            steel           copper        aluminium", *rows, sep="\n")

# %% only in the script
if not file:
    raise SystemExit

# %%
from matplotlib import pyplot

strains, *stresses = zip(*curve)
for name, values in zip(names, stresses):
    pyplot.plot(strains, values, label=name)
pyplot.xlabel("axial strain, %")
pyplot.ylabel("axial stress, MPa")
_ = pyplot.legend()

# %% only in the script
pyplot.savefig(file)
