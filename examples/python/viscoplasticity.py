# SPDX-License-Identifier: MIT
"""Cyclic viscoplasticity: six specimens are pulled and pushed between two strains, at rates that differ by a factor of a hundred
thousand. The model has isotropic hardening (Voce), kinematic hardening (Armstrong and Frederick) and a power law for the rate
(Norton), as Chaboche's models do: thirteen equations at each point, which Newton's method solves. The amplitude of the last cycle is
compared with the closed form of Lemaitre and Chaboche (1990), Mechanics of Solid Materials, Cambridge University Press, section 5.4.4.

    viscoplasticity.py [--plot FILE]
"""

# %% only in the script
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws the last cycle into this file (needs matplotlib)")
file = parser.parse_args().plot

# %%
from dataclasses import dataclass
from math import inf, sqrt

import neml2
import torch
from neml2.math import batch_stack, dev, exp, macaulay, minimum, norm, tanh, vol, where
from neml2.tensors import SR2, Scalar

try:
    from tqdm import tqdm
except ImportError:  # the progress bar is optional

    def tqdm(steps, **_):
        return steps


torch.set_default_dtype(torch.float64)


# %% [markdown]
# ## The equations
# The equations at the end of a step are written for one point. The unknowns are thirteen numbers, a dataclass of two tensors and a
# scalar. In units of the yield stress all equations have equal weight. The overstress is an unknown rather than the plastic strain: the
# power law is smooth in the overstress, while its inverse has an infinite slope where flow begins.


# %%
@dataclass
class Material:  # MPa, s
    G: float
    kappa: float
    yield_stress: float
    Q: float
    b: float
    C: float
    gamma: float
    K: float
    n: float


@dataclass
class State:
    plastic_strain: SR2
    X: SR2  # backstress
    p: Scalar  # accumulated plastic strain


@dataclass
class Unknowns:
    s: SR2  # deviator of the stress
    X: SR2
    over: Scalar  # overstress, which determines the rate of flow


# begin equations
def plastic_strain_of(over: Scalar, m: Material, dt: Scalar | float) -> Scalar:
    return dt * (over / m.K) ** m.n


def equations(x: Unknowns, trial: SR2, old: State, m: Material, dt: Scalar | float) -> tuple[SR2, SR2, Scalar]:
    stress = x.s - x.X
    mises = sqrt(1.5) * norm(stress)
    direction = stress * (1.5 / mises)
    dp = plastic_strain_of(x.over, m, dt)
    hardening = m.Q * (1 - exp(-m.b * (old.p + dp)))
    return (
        (x.s - trial + 2 * m.G * dp * direction) / m.yield_stress,
        (x.X - old.X - 2 / 3 * m.C * dp * direction + m.gamma * dp * x.X) / m.yield_stress,
        (mises - m.yield_stress - hardening - x.over) / m.yield_stress,
    )


# end equations


# %% [markdown]
# ## A step
# `newton` solves the equations in the pass that computes the rest. The guess is the overstress if all of the stress beyond the yield stress
# flowed, which is a bound close to the solution. `where` takes the solution at points that flow, and the elastic stress at the others.


# %%
# begin update
@neml2.formula
def update(strain: SR2, old: State, m: Material, dt: Scalar | float) -> tuple[SR2, State]:
    """Stress and new state at this strain, after a time dt."""
    trial = 2 * m.G * dev(strain - old.plastic_strain)
    stress = trial - old.X
    mises = sqrt(1.5) * norm(stress)
    beyond = macaulay(mises - m.yield_stress - m.Q * (1 - exp(-m.b * old.p)))
    over = minimum(beyond, m.K * (beyond / ((3 * m.G + m.C) * dt)) ** (1 / m.n))
    guess = trial - 3 * m.G * plastic_strain_of(over, m, dt) / mises * stress
    found = neml2.newton(equations, Unknowns(guess, old.X, over), trial, old, m, dt, bounds={"over": (0, inf)})
    flows = beyond > 0
    s = where(flows, found.s, trial)
    plastic_strain = old.plastic_strain + (trial - s) / (2 * m.G)
    dp = where(flows, plastic_strain_of(found.over, m, dt), 0.0)
    new = State(plastic_strain, where(flows, found.X, old.X), old.p + dp)
    return 3 * m.kappa * vol(strain) + s, new


# end update


# %% [markdown]
# ## Forty cycles at six rates

# %%
material = Material(G=80e3, kappa=160e3, yield_stress=100, Q=50, b=20, C=20e3, gamma=200, K=80, n=5)
rate = Scalar.create([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1])
amplitude, cycles, steps = 0.01, 40, 200  # steps of a cycle
path = SR2.fill(1.0, -0.5, -0.5)  # without change of volume
dt = 4 * amplitude / steps / rate

state = State(SR2.zeros(6), SR2.zeros(6), Scalar.zeros(6))
strains, stresses, plastic = [], [], []  # of the last cycle
for step in tqdm(range(1, cycles * steps + 1), disable=None):  # None: no bar if there is no terminal
    t = 4 * (step % steps) / steps
    strain = amplitude * (t if t < 1 else 2 - t if t < 3 else t - 4) * path
    stress, state = update(strain, state, material, dt)
    if step >= (cycles - 1) * steps:
        strains.append(strain)
        stresses.append(1.5 * dev(stress))  # for uniaxial tension and compression
        plastic.append(state.plastic_strain(0, 0))

highest = batch_stack(stresses)(0, 0).torch()[1:].amax(0)
m, largest = material, Scalar(batch_stack(plastic).torch()[1:].amax(0))
expected = m.yield_stress + m.Q + m.K * rate ** (1 / m.n) + m.C / m.gamma * tanh(m.gamma * largest)
print("Amplitude of the last cycle, MPa\n  rate 1/s   computed   closed form")
for r, computed, closed in zip(rate.tolist(), highest.tolist(), expected.tolist()):
    print(f"{r:10.0e} {computed:10.2f} {closed:13.2f}")

# %% [markdown]
# ## The consistent tangent
# The tangent comes from the same formula, and includes the solution of the equations. Here it is compared with central differences, at
# strains in all directions; the response to the small strains is elastic. A formula may use numbers and tensors without a batch that are
# not its arguments, such as the material and the state here.

# %%
N, h = 1000, 1e-8
directions = torch.sin(1.7 * torch.arange(6.0 * N)).reshape(N, 6)
small = SR2(torch.linspace(0, 3e-3, N).unsqueeze(-1) * directions)
virgin = State(SR2.zeros(), SR2.zeros(), Scalar(0.0))


@neml2.formula
def first_step(strain: SR2) -> tuple[SR2, Scalar]:
    stress, new = update(strain, virgin, material, 1.0)
    return stress, new.p


(_, p), (tangent, _) = neml2.value_and_jacobian(first_step, small)
error = 0.0
for k, d in enumerate(h * torch.eye(6)):
    difference = (first_step(small + SR2(d))[0] - first_step(small - SR2(d))[0]) / (2 * h)
    error = max(error, (difference.torch() - tangent.torch()[..., k]).abs().max().item())
agree = "1e-7" if error < 1e-7 * 3 * m.kappa else "NOT 1e-7"
print(f"\nTangents agree with differences to {agree} of the stiffness, {(p.torch() > 0).sum()} of {N} points flow")

# %% only in the script
if not file:
    raise SystemExit

# %%
from matplotlib import pyplot
from neml2 import plot

chosen = [0, 2, 4, 5]
cycle = batch_stack(stresses).batch[:, chosen]  # (201, 4; 6)
plot.stress_strain(batch_stack(strains), cycle, unit="MPa", label=[f"{rate.batch[i].item():.0e} /s" for i in chosen])
pyplot.legend(title="strain rate")
pyplot.locator_params(axis="x", nbins=5)

# %% only in the script
pyplot.savefig(file)
