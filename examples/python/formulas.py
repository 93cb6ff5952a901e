# SPDX-License-Identifier: MIT
# The formulas of docs/python_formulas.md, piece by piece.
from dataclasses import dataclass

import neml2
import torch
from neml2 import math
from neml2.tensors import SR2, SSR4, Scalar

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


# A formula
@neml2.formula
def flow_rate(stress: Scalar, n: Scalar | float) -> Scalar:
    return 1e-3 * (stress / 0.5) ** n * math.exp(-2 * stress)


rate = flow_rate(Scalar(torch.rand(1000, 2)), 3.5)
print(rate.batch.shape)

# A function that is given to vmap
strain = SR2(1e-3 * torch.randn(1000, 2, 6))
C = SSR4.isotropic_E_nu(Scalar.create([1e5, 2e5]), 0.3)
energy = neml2.vmap(lambda e, C: 0.5 * math.inner(e, C * e), strain, C)
print(energy.batch.shape)


# Groups
@dataclass
class State:
    plastic_strain: SR2
    p: Scalar


@neml2.formula
def creep(strain: SR2, old: State, material: dict[str, float]) -> tuple[SR2, State]:
    """Stress at this strain, and the state after a small step."""
    C = SSR4.isotropic_E_nu(material["E"], material["nu"])
    stress = C * (strain - old.plastic_strain)
    mises = math.von_mises(stress)
    rate = math.where(mises > 1.0, 1e-9 * mises ** material["n"], 0.0)
    direction = 1.5 * math.dev(stress) / math.maximum(mises, 1e-12)
    return stress, State(old.plastic_strain + rate * direction, old.p + rate)


state = State(SR2.zeros(1000, 2), Scalar.zeros(1000, 2))
material = {"E": 1e5, "nu": 0.3, "n": 2.0}
for step in range(3):
    stress, state = creep(strain, state, material)
print(stress.batch.shape, state.p.batch.shape)


# Methods
@dataclass
class PowerLaw:
    n: Scalar | float
    inverted: bool = False

    @neml2.formula
    def rate(self, stress: Scalar) -> Scalar:
        return stress ** (1.0 / self.n if self.inverted else self.n)


for law in PowerLaw(3.5), PowerLaw(3.5, inverted=True):
    print(f"{law.rate(Scalar(0.5)).torch():.4f}")


# Jacobians
def law(e: SR2, C: SSR4) -> tuple[Scalar, SR2]:
    stress = (1.0 + math.norm(e)) * (C * e)
    return 0.5 * math.inner(e, stress), stress


(energy, stress), (slope, tangent) = neml2.value_and_jacobian(law, strain, C)
print(slope.base.shape, tangent.base.shape)

# The recording
print(neml2.show(flow_rate))

# Gradients
n = Scalar(3.0, requires_grad=True)
mean = flow_rate(Scalar(torch.linspace(0.1, 1.0, 1000)), n).torch().mean()
(slope,) = torch.autograd.grad(mean, n.torch(), create_graph=True)
(curvature,) = torch.autograd.grad(slope, n.torch())
print(f"{mean:.4e} {slope:.4e} {curvature:.4e}")


# Equations
def relaxed(stress: Scalar, before: Scalar, dt: float) -> Scalar:
    """Relaxation: the stress decreases by creep at a rate proportional to its fourth power."""
    return (stress - before + 1e-9 * dt * stress**4) / 100.0


before = Scalar(torch.linspace(50.0, 150.0, 5))
after = neml2.newton(relaxed, before, before, 1000.0)
print(after.torch().numpy().round(2))


# Errors
def wrong(stress: Scalar) -> Scalar:
    if stress > 100.0:
        return 0.5 * stress
    return stress


try:
    neml2.vmap(wrong, before)
except TypeError as error:
    print(error)
try:
    neml2.vmap(lambda s: s * rate, before)
except TypeError as error:
    print(error)
