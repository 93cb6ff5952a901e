# SPDX-License-Identifier: MIT
"""J2 plasticity over several processes: 1001 points are strained in ten steps, and each process has a part of the points. The yield
stress and the hardening modulus, which all points share, are found from measured stresses. The output is the same for any number
of processes, in all digits (--digits shows them). distributed_j2.cpp has the same points and gives the same numbers.

    python distributed_j2.py
    torchrun --nproc-per-node 4 distributed_j2.py
"""

import os
import sys
from datetime import timedelta
from math import sqrt

import neml2
import torch
from neml2 import distributed as many
from neml2.math import dev, exp, maximum, norm, vol, von_mises
from neml2.tensors import SR2, Scalar

torch.set_default_dtype(torch.float64)
digits = "--digits" in sys.argv

# The processes that torchrun started, or this one alone. A process that waits longer than the limit for another gets an error.
limit = timedelta(seconds=60)
if "RANK" in os.environ:
    torch.distributed.init_process_group("gloo", timeout=limit)
else:
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1, timeout=limit)


@neml2.formula
def radial_return(strain: SR2, plastic_strain: SR2, alpha: Scalar, yield_stress: Scalar, modulus: Scalar) -> tuple[SR2, SR2, Scalar]:
    """One point: stress, plastic strain and equivalent plastic strain α at this strain, in MPa."""
    mu, kappa = 80e3, 160e3
    trial = 2 * mu * dev(strain - plastic_strain)
    mises = sqrt(1.5) * norm(trial)
    excess = maximum(mises - (yield_stress + modulus * alpha), 0.0)
    multiplier = excess / (3 * mu + modulus)
    increment = trial * (1.5 * multiplier / maximum(mises, 1e-12))
    return 3 * kappa * vol(strain) + trial - 2 * mu * increment, plastic_strain + increment, alpha + multiplier


points, steps = 1001, 10
start, truth = (300.0, 500.0), (250.0, 2000.0)  # yield stress and hardening modulus


def stresses(strain: SR2, logarithms: torch.Tensor) -> SR2:
    """The final stress of the points of this process, (n; 6)."""
    (n,) = strain.batch.shape
    # one value per point, so that the derivative is the sum over all points
    yield_stress, modulus = (many.expand_batch(s * exp(Scalar(x)), n) for s, x in zip(start, logarithms))
    stress, plastic_strain, alpha = SR2.zeros(n), SR2.zeros(n), Scalar.zeros(n)
    for step in range(1, steps + 1):
        stress, plastic_strain, alpha = radial_return(step / steps * strain, plastic_strain, alpha, yield_stress, modulus)
    return stress


# The points of this process; they are made here, from their numbers.
part = many.batch_part(points)
i = torch.arange(part.start, part.stop, dtype=torch.float64)
axial, zero = Scalar(0.01 * (i + 1) / points), Scalar(0.0)
strain = SR2.fill(axial, -0.4 * axial, -0.4 * axial, zero, zero, 0.5 * axial)
noise = Scalar(6 * (torch.frac(0.6180339887 * i * i) - 0.5))  # MPa
exact = torch.log(torch.tensor([t / s for t, s in zip(truth, start)]))
measured = von_mises(stresses(strain, exact)) + noise


def misfit(logarithms: torch.Tensor) -> torch.Tensor:
    """The misfit of all points, in all processes."""
    error = von_mises(stresses(strain, logarithms)) - measured
    return many.batch_mean(error * error).torch()


x = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.LBFGS([x], max_iter=20, line_search_fn="strong_wolfe")


def evaluate() -> torch.Tensor:
    optimizer.zero_grad()
    value = misfit(x)
    value.backward()
    return value


before = optimizer.step(evaluate)
with torch.no_grad():
    mises = von_mises(stresses(strain, x))
    results = {
        "misfit at the start, MPa": before.sqrt(),
        "misfit found, MPa": misfit(x).sqrt(),
        "yield stress, MPa": start[0] * x[0].exp(),
        "hardening modulus, MPa": start[1] * x[1].exp(),
        "von Mises stress, smallest": many.batch_min(mises).torch(),
        "                  mean": many.batch_mean(mises).torch(),
        "                  largest": many.batch_max(mises).torch(),
        "                  of all": many.gather_batch(mises).torch().sum(),
    }
if torch.distributed.get_rank() == 0:  # all processes have the same results
    for what, value in results.items():
        print(f"{what:28s} {value.item().hex() if digits else format(value.item(), '10.3f')}")
torch.distributed.destroy_process_group()
