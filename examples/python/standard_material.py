# SPDX-License-Identifier: MIT
"""Two potentials define a generalized standard material: a free energy and a dissipation potential. Stress, forces and flow are their
gradients, an implicit step solves equations that contain these gradients, and the consistent tangent is the derivative of the
step. The energy has kinematic hardening (Prager) and isotropic hardening (Voce), the dissipation potential is Norton's. The step is
compared with one written by hand, the last of forty cycles with a closed form, and the energies with the work supplied.
Sources: Halphen and Nguyen (1975), Journal de mécanique 14, 39-63; Lemaitre and Chaboche (1990), Mechanics of Solid Materials,
Cambridge University Press.

    standard_material.py [--plot FILE]
"""

import argparse
from dataclasses import dataclass
from math import sqrt

import neml2
import torch
from neml2.math import batch_stack, dev, exp, inner, macaulay, minimum, norm, norm_sq, tr, vol, where
from neml2.tensors import SR2, Scalar

torch.set_default_dtype(torch.float64)
parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws loops and energies into this file (needs matplotlib)")
plot = parser.parse_args().plot


@dataclass
class State:
    plastic_strain: SR2
    p: Scalar  # accumulated plastic strain


@dataclass
class Forces:  # on the plastic strain and on p
    plastic_strain: SR2
    p: Scalar


# ---- The material: two potentials ----


# begin potentials
@dataclass
class Material:  # MPa, s
    G: float
    kappa: float
    yield_stress: float
    Q: float
    b: float
    C: float
    K: float
    n: float

    def energy(self, strain: SR2, state: State) -> Scalar:
        """Per volume: elasticity, kinematic hardening (Prager) and isotropic hardening (Voce)."""
        elastic = 0.5 * self.kappa * tr(strain) ** 2 + self.G * norm_sq(dev(strain) - state.plastic_strain)
        kinematic = self.C / 3 * norm_sq(state.plastic_strain)
        return elastic + kinematic + self.Q * (state.p + (exp(-self.b * state.p) - 1) / self.b)

    def dissipation_potential(self, forces: Forces) -> Scalar:
        """A power of the overstress (Norton)."""
        overstress = macaulay(sqrt(1.5) * norm(dev(forces.plastic_strain)) + forces.p - self.yield_stress)
        return self.K / (self.n + 1) * (overstress / self.K) ** (self.n + 1)


# end potentials


# ---- A step of any such material: gradients ----


# begin step
def forces_of(strain: SR2, state: State, m: Material) -> Forces:
    """The forces, minus the gradient of the energy by the state."""
    slope = neml2.gradient(m.energy, strain, state, argnums="state")
    return Forces(-slope.plastic_strain, -slope.p)


def flow(forces: Forces, old: State, m: Material, dt: Scalar | float) -> State:
    """The state after a time dt with these forces: an implicit step along the gradient of the dissipation potential."""
    rate = neml2.gradient(m.dissipation_potential, forces)
    return State(old.plastic_strain + dt * rate.plastic_strain, old.p + dt * rate.p)


def equations(x: Forces, strain: SR2, old: State, m: Material, dt: Scalar | float) -> tuple[SR2, Scalar]:
    """The residual: zero if the forces are those of the state to which they lead."""
    found = forces_of(strain, flow(x, old, m, dt), m)
    return (x.plastic_strain - found.plastic_strain) / m.yield_stress, (x.p - found.p) / m.yield_stress


@neml2.formula
def update(strain: SR2, old: State, m: Material, dt: Scalar | float) -> tuple[SR2, State]:
    """Stress and new state at this strain, after a time dt."""
    forces = neml2.newton(equations, guess(forces_of(strain, old, m), m, dt), strain, old, m, dt)
    new = flow(forces, old, m, dt)
    return neml2.gradient(m.energy, strain, new), new


# end step


# begin guess
def guess(trial: Forces, m: Material, dt: Scalar | float) -> Forces:
    """Forces with an overstress close to that of the solution, and never below it, however large n is."""
    mises = sqrt(1.5) * norm(trial.plastic_strain)
    over = macaulay(mises + trial.p - m.yield_stress)
    less = minimum(over, m.K * (over / ((3 * m.G + m.C) * dt)) ** (1 / m.n))
    return Forces(where(over > 0, 1 - (over - less) / mises, 1.0) * trial.plastic_strain, trial.p)


# end guess


# ---- The same by hand ----


def overstress_equation(x: Scalar, over: Scalar, p: Scalar, m: Material, dt: Scalar | float) -> Scalar:
    dp = dt * (x / m.K) ** m.n
    harder = m.Q * (exp(-m.b * p) - exp(-m.b * (p + dp)))
    return (x + (3 * m.G + m.C) * dp + harder - over) / m.yield_stress


@neml2.formula
def by_hand(strain: SR2, old: State, m: Material, dt: Scalar | float) -> tuple[SR2, State]:
    """Radial return: the flow has the direction of the trial stress, and one equation remains.
    Source: Simo and Hughes (1998), Computational Inelasticity, chapters 2 and 3."""
    trial = 2 * m.G * (dev(strain) - old.plastic_strain)
    shifted = trial - 2 / 3 * m.C * old.plastic_strain
    mises = sqrt(1.5) * norm(shifted)
    over = macaulay(mises - m.yield_stress - m.Q * (1 - exp(-m.b * old.p)))
    start = minimum(over, m.K * (over / ((3 * m.G + m.C) * dt)) ** (1 / m.n))
    x = neml2.newton(overstress_equation, start, over, old.p, m, dt)
    flows = over > 0
    dp = where(flows, dt * (x / m.K) ** m.n, 0.0)
    plastic_strain = old.plastic_strain + where(flows, 1.5 * dp / mises, 0.0) * shifted
    return 3 * m.kappa * vol(strain) + 2 * m.G * (dev(strain) - plastic_strain), State(plastic_strain, old.p + dp)


def check(what: str, a: torch.Tensor, b: torch.Tensor, relative: float = 1e-10) -> None:
    error = (a - b).abs().max() / b.abs().max()
    print(f"{what}, to {relative:.0e}" if error < relative else f"{what}: NO, but to {error:.0e}")


# Strains in all directions, from a state that has hardened; the response to the small strains is elastic.
N = 1000
directions = torch.sin(1.7 * torch.arange(6.0 * N)).reshape(N, 6)
strain = SR2(torch.linspace(0, 3e-3, N).unsqueeze(-1) * directions)
old = State(SR2.fill(4e-4, -1e-4, -3e-4, 2e-4, 1e-4, -3e-4), Scalar(0.02))
for n in (1.0, 5.0, 20.0, 80.0):
    m = Material(G=80e3, kappa=160e3, yield_stress=100, Q=50, b=20, C=10e3, K=80, n=n)
    # begin tangent
    (stress, new), tangent = neml2.value_and_jacobian(update, strain, old, m, 1.0, of=0)
    # end tangent
    (expected, state), slope = neml2.value_and_jacobian(by_hand, strain, old, m, 1.0, of=0)
    print(f"n = {n:.0f}: {int((state.p.torch() > 0.02).sum())} of {N} points flow")
    check("  the stress is that by hand", stress.torch(), expected.torch())
    check("  the state too", new.plastic_strain.torch(), state.plastic_strain.torch())
    check("  the tangent too", tangent.torch(), slope.torch())
    check("  the tangent is symmetric", tangent.torch(), tangent.torch().mT)


# ---- Forty cycles at four rates, pulled and pushed without change of volume ----

material = Material(G=80e3, kappa=160e3, yield_stress=100, Q=50, b=20, C=10e3, K=80, n=5)
rate = Scalar.create([1e-6, 1e-4, 1e-2, 1.0])
amplitude, path = 0.01, SR2.fill(1.0, -0.5, -0.5)
energy = neml2.formula(lambda strain, state, m: m.energy(strain, state))
forces = neml2.formula(forces_of)


@dataclass
class History:  # (steps + 1, rates)
    strain: torch.Tensor  # axial
    stress: torch.Tensor
    work: torch.Tensor  # supplied
    stored: torch.Tensor
    dissipated: torch.Tensor
    by_overstress: torch.Tensor  # the dissipated energy, from yield stress and overstress


def cycle(cycles: int, steps: int) -> History:
    """steps is the number of steps per cycle."""
    m, dt = material, 4 * amplitude / steps / rate
    strain, stress, state = SR2.zeros(4), SR2.zeros(4), State(SR2.zeros(4), Scalar.zeros(4))
    work, dissipated, closed = Scalar.zeros(4), Scalar.zeros(4), Scalar.zeros(4)
    rows = [(strain, stress, work, energy(strain, state, m), dissipated, closed)]
    for step in range(1, cycles * steps + 1):
        before, old, t = stress, state, 4 * (step % steps) / steps
        moved = amplitude * (t if t < 1 else 2 - t if t < 3 else t - 4) * path - strain
        strain = strain + moved
        stress, state = update(strain, old, m, dt)
        force, dp = forces(strain, state, m), state.p - old.p
        work = work + inner(0.5 * (before + stress), moved)
        dissipated = dissipated + inner(force.plastic_strain, state.plastic_strain - old.plastic_strain) + force.p * dp
        closed = closed + (m.yield_stress + m.K * (dp / dt) ** (1 / m.n)) * dp
        rows.append((strain, stress, work, energy(strain, state, m), dissipated, closed))
    strains, stresses, *energies = (batch_stack(list(column)) for column in zip(*rows))
    return History(strains(0, 0).torch(), 1.5 * dev(stresses)(0, 0).torch(), *(e.torch() for e in energies))


cycles, steps = 40, 200
h = cycle(cycles, steps)
# When the stress is steady, σ = yield + Q + C εp + K ε̇p^(1/n) with 3 G (ε̇ - ε̇p) = C ε̇p and σ = 3 G (ε - εp).
m = material
flowing = 3 * m.G / (3 * m.G + m.C)
closed = flowing * (m.yield_stress + m.Q + m.K * (flowing * rate.torch()) ** (1 / m.n) + m.C * amplitude)
last = h.stress[-steps - 1 :]
print("\nLast of forty cycles, MPa\n  rate 1/s   highest   closed form     lowest")
for r, high, form, low in zip(rate.tolist(), last.amax(0).tolist(), closed.tolist(), last.amin(0).tolist()):
    print(f"{r:10.0e} {high:9.4f} {form:13.4f} {low:10.4f}")
check("The loop is closed", last[-1], last[0], relative=1e-8)
print("Dissipation >= 0 in every step" if (h.dissipated.diff(dim=0) >= 0).all() else "NO: dissipation < 0")

check("The dissipation is (yield stress + overstress) dp", h.dissipated, h.by_overstress)
print("\nStored + dissipated energy - work, over the work of two cycles\nsteps of a cycle" + "".join(f"{r:9.0e}" for r in rate.tolist()))
for count in (100, 200, 400, 800):
    two = cycle(2, count)
    difference = two.stored[-1] + two.dissipated[-1] - two.work[-1]
    print(f"{count:16d}" + "".join(f"{d:9.1e}" for d in (difference / two.work[-1]).tolist()))

if plot:
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for i, (r, colour) in enumerate(zip(rate.tolist(), ("C7", "C0", "C2", "C3"))):
        left.plot(100 * h.strain[: steps // 4 + 1, i], h.stress[: steps // 4 + 1, i], color=colour, linewidth=0.8, linestyle="--")
        left.plot(100 * h.strain[-steps - 1 :, i], last[:, i], color=colour, label=f"{r:.0e} /s")
    left.set_title("first pull, and cycle 40")
    left.set_xlabel("axial strain, %")
    left.set_ylabel("axial stress, MPa")
    left.locator_params(axis="x", nbins=5)
    left.legend(title="strain rate", loc=(0.55, 0.34), fontsize="small")
    count = 2 * steps + 1
    time = 4 * amplitude / steps / rate.tolist()[1] * torch.arange(count)
    stored, dissipated = h.stored[:count, 1], h.dissipated[:count, 1]
    right.fill_between(time, torch.zeros(count), dissipated, color="C3", alpha=0.6, linewidth=0, label="dissipated")
    right.fill_between(time, dissipated, dissipated + stored, color="C0", alpha=0.6, linewidth=0, label="stored")
    right.plot(time, h.work[:count, 1], color="black", linewidth=1, label="work supplied")
    right.set_title(f"two cycles at {rate.tolist()[1]:.0e} /s")
    right.set_xlabel("time, s")
    right.set_ylabel("energy per volume, MJ/m³")
    right.legend()
    figure.savefig(plot)
