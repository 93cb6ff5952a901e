# SPDX-License-Identifier: MIT
"""Calibration: seven parameters of a viscoplastic model are found from measured stresses. Thin tubes are twisted forward, back and forward
again at six rates; the measurements are simulated here, from known parameters and noise. An optimizer of PyTorch uses the gradient of the
misfit, which passes back through all steps, and in each step through the equations that newton solved. In shear, as here, the thirteen
equations of the model in viscoplasticity.py reduce to three.

    calibration.py [--plot FILE]
"""

# %% only in the script
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--plot", metavar="FILE", help="draws measured and computed stresses into this file (needs matplotlib)")
file = parser.parse_args().plot

# %%
from dataclasses import dataclass
from math import inf, sqrt

import neml2
import torch
from neml2.math import exp, macaulay, minimum, sign, where
from neml2.tensors import Scalar

try:
    from tqdm import tqdm
except ImportError:  # the progress bar is optional

    def tqdm(steps, **_):
        return steps


torch.set_default_dtype(torch.float64)


# %% [markdown]
# ## A tube in a step


# %%
@dataclass
class State:
    plastic_strain: Scalar  # ε_12
    X: Scalar  # backstress
    p: Scalar  # accumulated plastic strain


G = 80e3  # MPa
Parameters = dict[str, Scalar]


def equations(unknowns: tuple[Scalar, ...], trial: Scalar, old: State, m: Parameters, dt: Scalar) -> tuple[Scalar, ...]:
    """The equations at the end of the step, in units of the yield stress."""
    stress, X, over = unknowns
    dp = dt * (over / m["K, MPa"]) ** m["n"]
    mises = sqrt(3) * abs(stress - X)
    flow = sqrt(0.75) * dp * sign(stress - X)
    hardening = m["Q, MPa"] * (1 - exp(-m["b"] * (old.p + dp)))
    return (
        (stress - trial + 2 * G * flow) / m["yield, MPa"],
        (X - old.X - 2 / 3 * m["C, MPa"] * flow + m["gamma"] * dp * X) / m["yield, MPa"],
        (mises - m["yield, MPa"] - hardening - over) / m["yield, MPa"],
    )


@neml2.formula
def twist(strain: Scalar, old: State, logarithms: Parameters, dt: Scalar) -> tuple[Scalar, State]:
    """Shear stress and new state."""
    m = {name: start[name] * exp(x) for name, x in logarithms.items()}
    trial = 2 * G * (strain - old.plastic_strain)
    beyond = macaulay(sqrt(3) * abs(trial - old.X) - m["yield, MPa"] - m["Q, MPa"] * (1 - exp(-m["b"] * old.p)))
    most = beyond / (3 * G + m["C, MPa"])  # if all stress beyond the yield stress flowed
    over = minimum(beyond, m["K, MPa"] * (most / dt) ** (1 / m["n"]))
    guess = (trial - sqrt(3) * G * dt * (over / m["K, MPa"]) ** m["n"] * sign(trial - old.X), old.X, over)
    stress, X, over = neml2.newton(equations, guess, trial, old, m, dt, bounds={2: (0, inf)})  # of the overstress
    dp = dt * (over / m["K, MPa"]) ** m["n"]
    flows = beyond > 0
    stress = where(flows, stress, trial)
    plastic_strain = old.plastic_strain + (trial - stress) / (2 * G)
    return stress, State(plastic_strain, where(flows, X, old.X), old.p + where(flows, dp, 0.0))


# %% [markdown]
# ## Measurements
# The unknowns are the logarithms of the ratios to the start values, so that all values that the optimizer tries are positive and have equal
# weight.

# %%
truth = {"yield, MPa": 100, "Q, MPa": 50, "b": 30, "C, MPa": 20e3, "gamma": 200, "K, MPa": 80, "n": 5}
start = {"yield, MPa": 60, "Q, MPa": 100, "b": 15, "C, MPa": 40e3, "gamma": 400, "K, MPa": 40, "n": 8}
steps = 100
rate = Scalar.create([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1])  # of six tubes
times = 5 * torch.arange(1, steps + 1) / steps
strains = 0.02 * torch.where(times < 1, times, torch.where(times < 3, 2 - times, times - 4))


def stresses(logarithms: torch.Tensor) -> torch.Tensor:
    """The shear stress of each tube after each step, (steps, tubes)."""
    parameters = dict(zip(start, map(Scalar, logarithms.unbind())))
    state = State(Scalar.zeros(6), Scalar.zeros(6), Scalar.zeros(6))
    found = []
    for strain in strains.tolist():
        stress, state = twist(strain, state, parameters, 0.1 / steps / rate)
        found.append(stress.torch())
    return torch.stack(found)


exact = torch.tensor([truth[name] / start[name] for name in start]).log()
i = torch.arange(6.0 * steps).reshape(steps, 6)
noise = 6 * sqrt(3) * (torch.frac(0.6180339887 * i * i) - 0.5)  # 3 MPa
measured = stresses(exact) + noise


def loss(logarithms: torch.Tensor) -> torch.Tensor:
    return (stresses(logarithms) - measured).square().mean()


# %% [markdown]
# ## The gradient
# The gradient is exact. Here it is compared with central differences.

# %%
x = torch.zeros(7, requires_grad=True)
(gradient,) = torch.autograd.grad(loss(x), x)
with torch.no_grad():
    differences = torch.stack([loss(h) - loss(-h) for h in 1e-5 * torch.eye(7)]) / 2e-5
agree = "1e-7" if (gradient - differences).abs().max() < 1e-7 * gradient.abs().max() else "NOT 1e-7"
print(f"The gradient at the start agrees with differences to {agree} of the largest\n")

# %% [markdown]
# ## The search

# %%
optimizer = torch.optim.LBFGS([x], max_iter=10, line_search_fn="strong_wolfe")


def evaluate() -> torch.Tensor:
    optimizer.zero_grad()
    value = loss(x)
    value.backward()
    return value


misfits = []
for _ in tqdm(range(6), disable=None):  # None: no bar if there is no terminal
    misfits.append(optimizer.step(evaluate).sqrt())  # the misfit before these ten iterations

print("iterations   misfit, MPa")
for k, misfit in enumerate(misfits):
    print(f"{10 * k:10d} {misfit:13.2f}")
print(f"     truth {loss(exact).sqrt():13.2f}\n")
print("parameter        true     start     found")
for name, ratio in zip(start, x.exp().tolist()):
    print(f"{name:10s} {truth[name]:10.1f} {start[name]:9.1f} {ratio * start[name]:9.1f}")

# %% only in the script
if not file:
    raise SystemExit

# %%
from matplotlib import pyplot

figure, panels = pyplot.subplots(1, 2, sharey=True, figsize=(9, 4), layout="constrained")
for panel, title, point in zip(panels, ("at the start", "found"), (torch.zeros(7), x.detach())):
    computed = torch.cat([torch.zeros(1, 6), stresses(point)])
    for tube, colour in ((5, "C3"), (3, "C0"), (0, "C7")):
        panel.plot(100 * strains, measured[:, tube], ".", color=colour, alpha=0.5)
        panel.plot([0, *(100 * strains)], computed[:, tube], color=colour, label=f"{rate.batch[tube].item():.0e} /s")
    panel.set_title(title)
    panel.set_xlabel("shear strain, %")
panels[0].set_ylabel("shear stress, MPa (dots: measured)")
_ = panels[1].legend(title="rate", loc=(0.15, 0.35))

# %% only in the script
figure.savefig(file)
