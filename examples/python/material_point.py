# SPDX-License-Identifier: MIT
"""A material point in laboratory tests: strain cycles at three amplitudes without stress on the sides, with the closed form of the
stabilized amplitude; ratchetting under stress cycles with a mean stress; and the derivative of a history by the parameters. The
model has isotropic hardening (Voce) and kinematic hardening (Armstrong and Frederick), and does not depend on the rate.
Source: Lemaitre and Chaboche (1990), Mechanics of Solid Materials, Cambridge University Press.

    material_point.py [--plot FILE]
"""

import argparse
from dataclasses import dataclass
from math import sqrt

import neml2
import torch
from neml2.math import dev, exp, macaulay, maximum, norm, vol, where
from neml2.tensors import SR2, Scalar

torch.set_default_dtype(torch.float64)
parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws the histories into this file (needs matplotlib)")
plot = parser.parse_args().plot


# begin update
@dataclass
class State:
    plastic_strain: SR2
    X: SR2  # backstress
    p: Scalar  # accumulated plastic strain


def update(strain: SR2, old: State, E, nu, yield_stress, Q, b, C, gamma) -> tuple[SR2, State]:
    """The stress and the state at the end of a step at one point; the plastic strain increment solves one equation."""
    G, K = E / (2 * (1 + nu)), E / (3 * (1 - 2 * nu))
    trial = 2 * G * dev(strain - old.plastic_strain)

    def driving(dp):
        return trial - old.X / (1 + gamma * dp)

    def equation(dp, scale):
        size = yield_stress + Q * (1 - exp(-b * (old.p + dp)))
        return (sqrt(1.5) * norm(driving(dp)) - (3 * G + C / (1 + gamma * dp)) * dp - size) / scale

    over = sqrt(1.5) * norm(trial - old.X) - yield_stress - Q * (1 - exp(-b * old.p))
    guess = macaulay(over) / (3 * G + C + b * Q)
    dp = where(over > 0, neml2.newton(equation, guess, yield_stress), 0.0)
    direction = driving(dp)
    flow = (1.5 * dp / maximum(sqrt(1.5) * norm(direction), 1e-12)) * direction
    X = (old.X + 2 / 3 * C * flow) / (1 + gamma * dp)
    return 3 * K * vol(strain) + trial - 2 * G * flow, State(old.plastic_strain + flow, X, old.p + dp)
# end update


def cycles(mean: float, amplitude: torch.Tensor | float, number: int, steps: int) -> torch.Tensor:
    """A ramp to the mean plus the amplitude, then down and up again, in straight lines."""
    x = torch.arange(steps // 4 + number * steps + 1) / steps
    wave = torch.where(x < 0.25, 4 * x, 4 * ((x - 0.25) % 1 - 0.5).abs() - 1)
    return (mean * (4 * x).clamp(max=1)).unsqueeze(-1) + wave.unsqueeze(-1) * amplitude


# begin strain
parameters = {"E": 200e3, "nu": 0.3, "yield_stress": 100.0, "Q": 50.0, "b": 60.0, "C": 20e3, "gamma": 200.0}  # MPa
virgin = State(SR2.zeros(), SR2.zeros(), Scalar(0.0))

amplitudes = torch.tensor([0.004, 0.006, 0.01])
path = cycles(0.0, amplitudes, number=10, steps=40)  # (steps, 3)
time = torch.arange(len(path))
history = neml2.point.drive(update, virgin, parameters, time=time, strain={"xx": path})
# end strain

m = parameters
highest = history.column("stress.xx")[-21:].amax(0)
largest = history.column("state.plastic_strain.xx")[-21:].amax(0)
closed = m["yield_stress"] + m["Q"] + m["C"] / m["gamma"] * torch.tanh(m["gamma"] * largest)
print("Amplitude of the last cycle\n    strain   stress, MPa   closed form")
for e, found, expected in zip(amplitudes.tolist(), highest.tolist(), closed.tolist()):
    print(f"{e:10.3f} {found:13.2f} {expected:13.2f}")
sides = history.stress.torch()[..., 1:].abs().max()
print("The sides are free of stress, to 1e-6 MPa" if sides < 1e-6 else "NO")

# begin stress
stress_path = cycles(30.0, 150.0, number=5, steps=40)[:, 0]
ratchetting = neml2.point.drive(update, virgin, parameters, time=torch.arange(len(stress_path)), stress={"xx": stress_path})
# end stress
peaks = ratchetting.column("strain.xx")[10::40]
print("\nStrain in % at the peaks of cycles of stress, from -120 to 180 MPa")
print(" ".join(f"{100 * e:7.3f}" for e in peaks.tolist()))

# begin gradient
yield_stress = torch.tensor(100.0, requires_grad=True)
of_yield = neml2.point.drive(
    update, virgin, {**parameters, "yield_stress": Scalar(yield_stress)}, time=time[:31], strain={"xx": path[:31, 2]}
)
slope = torch.autograd.grad(of_yield.column("stress.xx")[-1], yield_stress)[0]
# end gradient
up, down = (
    neml2.point.drive(update, virgin, {**parameters, "yield_stress": 100.0 + h}, time=time[:31], strain={"xx": path[:31, 2]})
    for h in (1e-3, -1e-3)
)
difference = (up.column("stress.xx")[-1] - down.column("stress.xx")[-1]) / 2e-3
agree = "to 1e-6" if abs(slope - difference) < 1e-6 * abs(difference) else "NOT to 1e-6"
print(f"\nDerivative of a stress by the yield stress {slope.item():.4f}, as central differences {agree}")

# begin fit
measured = of_yield.column("stress.xx").detach()
names, x = ("yield_stress", "C"), torch.tensor([120.0, 15e3])
for _ in range(8):  # Gauss-Newton
    tried = {**parameters, **dict(zip(names, x.tolist()))}
    found, jacobian = neml2.point.drive_and_jacobian(update, virgin, tried, names, time=time[:31], strain={"xx": path[:31, 2]})
    misfit, slopes = found.column("stress.xx") - measured, jacobian.column("stress.xx")
    x = x - torch.linalg.lstsq(slopes, misfit.unsqueeze(-1)).solution.squeeze(-1)
# end fit
print(f"\nFitted to that curve: yield stress {x[0]:.4f}, C {x[1]:.2f}")

if plot:
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    # begin plot
    history.plot("strain.xx", "stress.xx", ax=left, linewidth=0.8)
    ratchetting.plot("strain.xx", "stress.xx", ax=right, linewidth=0.8)
    # end plot
    left.set_title("cycles of strain")
    right.set_title("cycles of stress with a mean")
    for panel in (left, right):
        panel.set_xlabel("strain")
        panel.set_ylabel("stress, MPa")
    figure.savefig(plot)
