# SPDX-License-Identifier: MIT
# The recipes of the page "How to": short answers to common needs of material models, one function each.

# begin headers
from dataclasses import dataclass

import neml2
import numpy
import torch
from neml2 import math
from neml2.tensors import SR2, SSR4, LabeledAxis, LabeledMatrix, LabeledVector, Rot, Scalar, Tensor, Vec

torch.set_default_dtype(torch.float64)
# end headers


# begin stress_update
@dataclass
class State:
    plastic_strain: SR2
    alpha: Scalar  # equivalent plastic strain


@neml2.formula
def radial_return(strain: SR2, old: State, material: tuple[float, ...]) -> tuple[SR2, State]:
    """One point: stress and new state from the strain, the state before the step and the material."""
    mu, kappa, yield_stress, modulus = material
    trial = 2 * mu * math.dev(strain - old.plastic_strain)
    mises = math.maximum(math.von_mises(trial), 1e-12)
    increment = math.maximum(mises - yield_stress - modulus * old.alpha, 0.0) / (3 * mu + modulus)
    flow = trial * (1.5 * increment / mises)
    stress = 3 * kappa * math.vol(strain) + trial - 2 * mu * flow
    return stress, State(old.plastic_strain + flow, old.alpha + increment)


steel = (77e3, 167e3, 250.0, 2e3)  # MPa
# end stress_update


def stress_update() -> None:
    # begin tangent
    strain = Scalar.create([0.5e-3, 1e-3, 2e-3, 4e-3]) * SR2.fill(1.0, -0.4, -0.4)
    old = State(SR2.zeros(4), Scalar.zeros(4))
    (stress, state), tangent = neml2.value_and_jacobian(radial_return, strain, old, steel, of=0)
    # end tangent
    print("strain  stress, MPa  C_0000, GPa")
    for e, s, C in zip(strain(0, 0).tolist(), stress(0, 0).tolist(), tangent(0, 0, 0, 0).tolist()):
        print(f"{e:.4f} {s:12.2f} {C / 1e3:12.2f}")


def steps_in_existing_tensors() -> None:
    # begin out
    n = 1000
    before, after = State(SR2.zeros(n), Scalar.zeros(n)), State(SR2.empty(n), Scalar.empty(n))
    stress, tangent = SR2.empty(n), SSR4.empty(n)
    for k in range(1, 6):
        strain = Scalar.full(1e-3 * k, n) * SR2.fill(1.0, -0.4, -0.4)
        neml2.value_and_jacobian(radial_return, strain, before, steel, of=0, out=((stress, after), tangent))
        before, after = after, before
    # end out
    print(f"after 5 steps: stress {stress.batch[0](0, 0).item():.2f} MPa, plastic strain {before.alpha.batch[0].item():.6f}")


# begin calibrate
@neml2.formula
def hardening(strain: Scalar, p: dict[str, Scalar]) -> Scalar:
    """Voce's law: the yield stress after a plastic strain."""
    return p["yield"] + p["saturation"] * (1 - math.exp(-p["rate"] * strain))


def calibrate(strain: Scalar, measured: Scalar, guess: dict[str, Scalar]) -> dict[str, Scalar]:
    """The parameters whose yield stresses are closest to the measured ones."""
    x = [math.log(value).requires_grad_() for value in guess.values()]  # logarithms: all stay positive
    optimizer = torch.optim.LBFGS([a.torch() for a in x], max_iter=100, line_search_fn="strong_wolfe")

    def misfit() -> torch.Tensor:
        optimizer.zero_grad()
        error = hardening(strain, dict(zip(guess, map(math.exp, x)))) - measured
        mean = (error * error).torch().mean()
        mean.backward()
        return mean

    optimizer.step(misfit)
    return {name: math.exp(a.detach()) for name, a in zip(guess, x)}
# end calibrate


def calibration() -> None:
    strain = Scalar.create([0.0, 0.02, 0.05, 0.1, 0.15, 0.2])
    truth = {"yield": Scalar(250.0), "saturation": Scalar(120.0), "rate": Scalar(20.0)}
    guess = {"yield": Scalar(100.0), "saturation": Scalar(100.0), "rate": Scalar(5.0)}
    for name, value in calibrate(strain, hardening(strain, truth), guess).items():
        print(f"{name:10s} {value.item():8.3f}")


# begin crystal
def stress_by_stiffness(C: SSR4, strain: SR2, to_crystal: Rot) -> SR2:
    """Rotates the stiffness to the axes of the sample: only once, if the crystals do not rotate."""
    return C.rotate(to_crystal.inverse()) * strain


@neml2.formula
def stress_by_strain(C: SSR4, strain: SR2, to_crystal: Rot) -> SR2:
    """Rotates the strain to the axes of the crystal and the stress back, for a law in these axes."""
    stress = C * strain.rotate(to_crystal)
    return stress.rotate(to_crystal.inverse())
# end crystal


def crystal() -> None:
    # begin angles
    angles = Vec.create([[0.0, 0.0, 0.0], [0.0, 45.0, 0.0], [20.0, 54.7356, 45.0]])
    to_crystal = Rot.fill_euler_angles(angles, "bunge", "degrees")  # of φ1, Φ, φ2
    copper = SSR4.cubic(168.4e3, 121.4e3, 75.4e3)  # MPa, in the crystal's axes
    strain = SR2.fill(0.0, 0.0, 1e-3)  # in the sample's axes
    stress = stress_by_stiffness(copper, strain, to_crystal)
    same = stress_by_strain(copper, strain, to_crystal)
    # end angles
    print("Stress along z, MPa:", *(f"{s:.1f}" for s in stress(2, 2).tolist()))
    agree = (stress - same).torch().abs().max() < 1e-10
    print(f"Both ways give {'one stress' if agree else 'DIFFERENT STRESSES'}")


# begin table
temperatures = Tensor.create([20.0, 200.0, 400.0, 600.0], 0)  # °C
moduli = Tensor.create([210e3, 202e3, 185e3, 160e3], 0)  # MPa


def thermoelastic(strain: SR2, T: Scalar, nu: float) -> SR2:
    """Elasticity with a modulus from a table."""
    E = math.interpolate(T, temperatures, moduli)
    return SSR4.isotropic_E_nu(E, nu) * strain


def stress_by_temperature(strain: SR2, T: Scalar) -> tuple[SR2, SR2]:
    """The stress, and its derivative by the temperature."""
    return neml2.value_and_jacobian(thermoelastic, strain, T, 0.3, argnums="T")
# end table


def table() -> None:
    T = Scalar.create([100.0, 300.0, 500.0])
    stress, by_T = stress_by_temperature(SR2.fill(1e-3, 0.0, 0.0), T)
    print("   T   stress, MPa   by T, MPa/K")
    for t, s, d in zip(T.tolist(), stress(0, 0).tolist(), by_T(0, 0).tolist()):
        print(f"{t:4.0f} {s:13.2f} {d:13.4f}")


# begin residual
unknowns = LabeledAxis().add("stress", SR2).add("creep_strain", Scalar).setup_layout()
equations = LabeledAxis().add("elasticity", SR2).add("creep_law", Scalar).setup_layout()


def creep(x: tuple[SR2, Scalar], strain: SR2, C: SSR4, dt: float) -> tuple[SR2, Scalar]:
    """The equations of a creep step from rest, by Norton's law; they are 0 at its end."""
    stress, creep_strain = x
    mises = math.von_mises(stress)
    elastic_strain = strain - 1.5 * creep_strain / mises * math.dev(stress)
    return (stress - C * elastic_strain) / 1e5, creep_strain - 1e-6 * dt * (mises / 100.0) ** 3.0


def assemble(x: LabeledVector, strain: SR2, C: SSR4, dt: float) -> tuple[LabeledVector, LabeledMatrix]:
    """The residual, and its exact Jacobian."""
    values = x.reinterpret("stress", SR2), x.reinterpret("creep_strain", Scalar)
    r, J = neml2.value_and_jacobian(creep, values, strain, C, dt)
    rows, columns = ("elasticity", "creep_law"), ("stress", "creep_strain")
    blocks = {(row, column): J[i][k] for i, row in enumerate(rows) for k, column in enumerate(columns)}
    return LabeledVector.assemble(equations, dict(zip(rows, r))), LabeledMatrix.assemble(equations, unknowns, blocks)
# end residual


def residual() -> None:
    strain = Scalar.create([0.5e-3, 1e-3, 2e-3]) * SR2.fill(1.0, -0.4, -0.4)
    # begin newton
    C = SSR4.isotropic_E_nu(160e3, 0.3)
    x = LabeledVector.assemble(unknowns, {"stress": C * strain})
    for _ in range(8):
        r, J = assemble(x, strain, C, 100.0)
        x = LabeledVector(x.tensor() - math.solve(J.tensor(), r.tensor()), unknowns)
    r, J = assemble(x, strain, C, 100.0)
    by_stress = J.base["creep_law", "stress"]  # a view
    # end newton
    n, rows, columns = by_stress.torch().shape
    hold = "hold" if r.torch().abs().max() < 1e-12 else "DO NOT HOLD"
    print(f"The equations {hold}; a block of the Jacobian is ({n}; {rows}, {columns})")
    print("strain  stress, MPa  creep strain")
    stress, creep_strain = x.reinterpret("stress", SR2), x.reinterpret("creep_strain", Scalar)
    for e, s, c in zip(strain(0, 0).tolist(), stress(0, 0).tolist(), creep_strain.tolist()):
        print(f"{e:.4f} {s:12.2f} {c:13.6f}")


# begin points
# The data that a finite-element code keeps per integration point, in Voigt's notation.
Point = numpy.dtype(
    [
        ("strain", float, 6),
        ("stress", float, 6),
        ("tangent", float, (6, 6)),
        ("old_state", float, 7),  # plastic strain as stored in an SR2, equivalent plastic strain
        ("state", float, 7),
    ]
)


def state_of(rows: numpy.ndarray) -> State:
    """A state that shares the memory of the array: nothing is copied."""
    numbers = torch.from_numpy(rows)
    return State(SR2(numbers[:, :6]), Scalar(numbers[:, 6]))
# end points


# begin update
def update(points: numpy.ndarray) -> None:
    """Stress, new state and tangent of n points from their strain and old state."""
    strain = math.from_voigt_strain(Tensor(torch.from_numpy(points["strain"]), 1))
    old, new = state_of(points["old_state"]), state_of(points["state"])
    (stress, state), tangent = neml2.value_and_jacobian(radial_return, strain, old, steel, of=0)
    new.plastic_strain.torch().copy_(state.plastic_strain.torch())
    new.alpha.torch().copy_(state.alpha.torch())
    points["stress"] = math.to_voigt_stress(stress).numpy()
    points["tangent"] = math.stiffness_to_voigt(tangent).numpy()
# end update


def finite_elements() -> None:
    n, ranks = 1000, 3
    points = numpy.zeros(n, Point)
    points["strain"][:, 5] = 1e-5 * numpy.arange(1, n + 1)  # an angle γ_12
    whole = points.copy()
    for rank in range(ranks):
        # begin rank
        torch.set_num_threads(1)  # once, at the start of each rank
        first, end = n * rank // ranks, n * (rank + 1) // ranks  # the points of this rank
        update(points[first:end])
        # end rank
    update(whole)
    for title, point in ("Shear stress of an angle of 0.001", points[99]), ("after yield", points[999]):
        print(f"{title}: {point['stress'][5]:.3f} MPa, tangent {point['tangent'][5, 5]:.1f} MPa")
    print(f"{'The same' if points.tobytes() == whole.tobytes() else 'OTHER'} bits from one rank and from three")


for title, recipe in {
    "A stress update": stress_update,
    "Steps in existing tensors": steps_in_existing_tensors,
    "Calibration": calibration,
    "A crystal": crystal,
    "A table": table,
    "A residual": residual,
    "Finite elements": finite_elements,
}.items():
    print(f"# {title}")
    recipe()
