# SPDX-License-Identifier: MIT
"""A steel beam is bent up and down in torch-fem, by a material with kinematic hardening that is a formula of this library. Newton's method
of the structure converges quadratically. torch-fem differentiates through the analysis, and therefore through the formula.

    beam.py [--plot FILE] [--time] [--refine N]
"""

import sys
from typing import NamedTuple

# begin headers
import neml2
import torch
from neml2.math import dev, exp, maximum, vol, von_mises, where
from neml2.tensors import R2, R4, SR2, Scalar
from torch import Tensor
from torchfem import Solid
from torchfem.elements import linear_to_quadratic
from torchfem.materials import IsotropicPlasticity3D
from torchfem.materials.base import MechanicsMaterial
from torchfem.mesh import cube_hexa

torch.set_default_dtype(torch.float64)
# end headers
from support import Checks, options_of, seconds, shortest, timed

options = options_of("the beam, the force and the residuals", "the material and the analysis")
checks = Checks()


# ---- The material at one point ----


# begin formula
class State(NamedTuple):
    stress: SR2
    backstress: SR2
    p: Scalar  # accumulated plastic strain


class Material(NamedTuple):  # MPa
    G: float
    kappa: float
    yield_stress: float | Scalar
    Q: float  # isotropic hardening (Voce)
    b: float
    H: float  # kinematic hardening (Prager)


def overstress(dp, mises, p, m):
    return (mises - (3 * m.G + m.H) * dp - m.yield_stress - m.Q * (1 - exp(-m.b * (p + dp)))) / m.G


@neml2.formula
def update(increment: SR2, old: State, m: Material) -> State:
    """Radial return from an increment of the strain. Source: Simo and Hughes (1998), Computational Inelasticity, section 3.3."""
    trial = old.stress + 3 * m.kappa * vol(increment) + 2 * m.G * dev(increment)
    relative = dev(trial) - old.backstress
    mises = maximum(von_mises(relative), 1e-12)
    flows = overstress(0.0, mises, old.p, m) > 0.0
    dp = where(flows, neml2.newton(overstress, 0.0, mises, old.p, m), 0.0)
    flow = relative * (1.5 * dp / mises)
    return State(trial - 2 * m.G * flow, old.backstress + 2 / 3 * m.H * flow, old.p + dp)


# end formula


# begin material
class Plasticity(MechanicsMaterial):
    """The formula as a material of torch-fem, which stores the stress itself."""

    def __init__(self, m: Material):
        super().__init__()
        self.m, self.n_state, self.is_vectorized = m, 7, True

    def step(self, H_inc: Tensor, F: Tensor, stress: Tensor, state: Tensor, de0: Tensor, cl: Tensor, iter: int):
        old = State(SR2(R2(stress)), SR2(state[..., :6]), Scalar(state[..., 6]))
        new, tangent = neml2.value_and_jacobian(update, SR2(R2(H_inc - de0)), old, self.m, of="stress")
        state = torch.cat([new.backstress.torch(), new.p.torch()[..., None]], -1)
        return R2(new.stress).torch(), state, R4(tangent).torch()


# end material
steel = Material(G=77e3, kappa=167e3, yield_stress=250.0, Q=120.0, b=15.0, H=5e3)

# ---- The beam: clamped at one end, a force on the other ----

length, force = 12.0, 7.0  # mm, N; the section is 1 mm by 1 mm
cells = 12 * options.refine, 2 * options.refine, 2 * options.refine
nodes, elements = linear_to_quadratic(*cube_hexa(*(n + 1 for n in cells), length, 1.0, 1.0))
tip = nodes[:, 0] == length


# begin analysis
class Beam(Solid):
    """Keeps the residuals of each iteration."""

    def __init__(self, material: MechanicsMaterial):
        super().__init__(nodes, elements, material)
        self.constraints[nodes[:, 0] == 0.0] = True
        self.forces[tip, 2] = force / tip.sum()
        self.steps: list[tuple[float, list[float]]] = []

    def _residual(self, load: Tensor, *rest):
        residual, K = super()._residual(load, *rest)
        if rest[6] == 0:  # the number of the iteration
            self.steps.append((load.sum().item() / force, []))
        self.steps[-1][1].append(residual.norm().item() / force)
        return residual, K

    def bend(self, factors: list[float], parameters: tuple[Tensor, ...] = ()) -> Tensor:
        """The mean deflections of the tip under the force times each factor, which autograd can differentiate by the parameters."""
        options = {"rtol": 1e-10, "atol": 1e-9 * force, "max_iter": 12, "growth_factor": 8.0}
        loads = torch.tensor([0.0, *factors])
        self.u, _, _, _, self.state = self.solve(loads, return_intermediate=True, differentiable_parameters=parameters, **options)
        return self.u[1:, tip, 2].mean(-1)


# end analysis

# ---- Without kinematic hardening the material is one of torch-fem's own ----

E, nu = 9 * steel.kappa * steel.G / (3 * steel.kappa + steel.G), (3 * steel.kappa - 2 * steel.G) / (6 * steel.kappa + 2 * steel.G)
own = IsotropicPlasticity3D(
    E,
    nu,
    sigma_f=lambda p: steel.yield_stress + steel.Q * (1 - torch.exp(-steel.b * p)),
    sigma_f_prime=lambda p: steel.Q * steel.b * torch.exp(-steel.b * p),
    tolerance=1e-9,
)
up = [0.4, 0.7, 0.8, 0.9]
here, there = Beam(Plasticity(steel._replace(H=0.0))).bend(up), Beam(own).bend(up)
error = (here / there - 1).abs().max().item()
checks.within("without kinematic hardening the deflections are those of torch-fem's own material", error, 1e-9)

# ---- Up, down and up again ----

factors = [*up, 1.0, 0.5, 0.0, -0.5, -0.7, -0.8, -0.9, -1.0, -0.5, 0.0, 0.5, 0.7, 0.8, 0.9, 1.0]
material = Plasticity(steel)
material.step = timed("material")(material.step)
beam = Beam(material)
beam.integrate_material = timed("assembly")(beam.integrate_material)
beam.assemble_matrix = timed("assembly")(beam.assemble_matrix)
deflections = timed("all")(beam.bend)(factors)
spent = dict(seconds)
print(f"\n{len(elements)} elements, {8 * len(elements)} points, {nodes.numel()} displacements")
print("\nResiduals before each iteration, relative to the force\n load")
ratios = [0.0]
# torch-fem repeats a step with half the load if Newton's method does not converge, as at first after each reversal: these are left out.
converged = [(factor, r) for factor, r in beam.steps if r[-1] < 1e-8]
for factor, residuals in converged:
    if len(residuals) > 3:
        print(f"{factor:5.2f}" + "".join(f"{r:8.0e}" if r > 1e-9 else " < 1e-09" for r in residuals))
        ratios += [b / a**2 for a, b in zip(residuals, residuals[1:]) if a < 1e-1 and b > 1e-9]
print(f"\nbelow 1e-1 each residual is at most {max(ratios):.1f} times the square of the one before it")
checks.true(0 < max(ratios) < 10)
print("\n load  deflection, mm")
for factor, w in zip(factors, deflections.tolist()):
    print(f"{factor:5.2f} {w:8.4f}")

# ---- The derivatives of the last deflection by two parameters of the material ----


# begin gradient
def deflection(yield_stress: Tensor, H: Tensor) -> Tensor:
    m = steel._replace(yield_stress=Scalar(yield_stress), H=Scalar(H))
    return Beam(Plasticity(m)).bend([*up, 1.0], parameters=(yield_stress, H))[-1]


values = torch.tensor(250.0, requires_grad=True), torch.tensor(5e3, requires_grad=True)
slopes = torch.autograd.grad(deflection(*values), values)
# end gradient
print("\nThe derivatives of the deflection under the largest force")
for number, (name, slope) in enumerate(zip(("yield stress", "kinematic hardening"), slopes)):
    h = 1e-5 * values[number].item()
    down, up_ = (deflection(*(v.detach() + s * h * (k == number) for k, v in enumerate(values))) for s in (-1, 1))
    quotient = ((up_ - down) / (2 * h)).item()
    print(f"{slope.item():.4e} mm per MPa of the {name}")
    checks.within("it is the difference quotient", abs(slope.item() / quotient - 1), 1e-7)

if options.time:
    print(f"\nTime: analysis {spent['all']:.2f} s, assembly {spent['assembly']:.2f} s, of that the material {spent['material']:.2f} s")
    for count in 100, 10000:
        start = torch.zeros(count, 3, 3)
        H_inc = 2e-3 * torch.randn(count, 3, 3, generator=torch.Generator().manual_seed(0))
        times = []
        for m in (Plasticity(steel._replace(H=0.0)), own.vectorize(count)):
            state, length = torch.zeros(count, m.n_state), torch.ones(count, 1)
            times.append(shortest(lambda: m.step(H_inc, start, start, state, torch.zeros(3, 3), length, 0)))  # noqa: B023
        print(f"{count:6d} points: {times[0]:.2f} ms, torch-fem's own material {times[1]:.2f} ms")

if options.plot:
    from matplotlib import collections, pyplot

    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(11, 4), layout="constrained", width_ratios=(1.5, 1.2, 1.2))
    for step in factors.index(1.0), factors.index(-1.0):
        corners = (nodes + 3 * beam.u[step + 1])[elements[:, [0, 1, 5, 4]]][..., [0, 2]].numpy()
        p = 100 * beam.state[step + 1, :, 6].numpy()
        drawn = collections.PolyCollection(corners, array=p, cmap="viridis", edgecolor="white", linewidth=0.3)
        drawn.set_clim(0, 100 * beam.state[..., 6].max().item())
        left.add_collection(drawn)
    left.set(aspect="equal", xlim=(-0.2, 12.2), ylim=(-2.2, 3.8), title="plastic strain, %")
    left.set_axis_off()
    figure.colorbar(drawn, ax=left, location="bottom", shrink=0.7)
    middle.plot([0.0, *deflections.tolist()], [0.0, *(force * f for f in factors)], "o-", markersize=3)
    middle.set(xlabel="deflection of the tip, mm", ylabel="force, N", title="force")
    for factor, residuals in [c for c in converged if len(c[1]) > 4][::3]:
        right.semilogy(range(len(residuals)), residuals, "o-", markersize=3, label=f"to {force * factor:.1f} N")
    right.set(xlabel="iteration", ylabel="residual over force", title="Newton's method", ylim=(1e-13, 100))
    right.legend(loc="lower left", fontsize="small")
    figure.savefig(options.plot, metadata={"Date": None})
sys.exit(checks.failed)
