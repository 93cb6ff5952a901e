#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the four tests of examples/material_point.cpp: the program, and the same histories by neml2.point.drive.

    material_point.py build/release/examples/material_point [materials]

needs the installed package. One thread, float64, the fastest of five runs. It compares the von Mises stresses of both.
"""

import os
import subprocess
import sys
import time

import torch
from neml2 import math, point
from neml2.tensors import SR2, Scalar

STEPS, AMPLITUDE, PRESSURE = 20, 0.01, 100.0
program, materials = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


def update(strain, old, E, nu, yield_stress, modulus):
    plastic_strain, alpha = old
    G, K = E / (2 * (1 + nu)), E / (3 * (1 - 2 * nu))
    trial = 2 * G * math.dev(strain - plastic_strain)
    mises = math.maximum(math.von_mises(trial), 1e-12)
    dp = math.maximum(mises - yield_stress - modulus * alpha, 0.0) / (3 * G + modulus)
    flow = trial * (1.5 * dp / mises)
    return 3 * K * math.vol(strain) + trial - 2 * G * flow, (plastic_strain + flow, alpha + dp)


t = torch.arange(3 * STEPS + 1) / STEPS
path = AMPLITUDE * torch.where(t < 1, t, torch.where(t < 2, 3 - 2 * t, 2 * t - 5))
tests = {
    "tension": {"strain": {"xx": path}},
    "tension under pressure": {"strain": {"xx": path}, "stress": {"yy": -PRESSURE, "zz": -PRESSURE}},
    "biaxial tension": {"strain": {"xx": path, "yy": path}},
    "shear": {"strain": {"xy": path}},
}
modulus = Scalar(torch.linspace(1000, 10000, materials))


def run():
    virgin = (SR2.zeros(), Scalar(0.0))
    return {name: point.drive(update, virgin, (200e3, 0.3, 250.0, modulus), time=t, **targets) for name, targets in tests.items()}


def seconds():
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


histories = run()  # compiles the formulas
fastest = len(tests) * 3 * STEPS * materials / min(seconds() for _ in range(5))
command, environment = [program, str(materials)], {**os.environ, "OMP_NUM_THREADS": "1"}
outputs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(5)]
for name, history in histories.items():
    mises = math.von_mises(history.stress).torch()[STEPS::STEPS]  # at the turns
    row = name.ljust(22) + "".join(f"{x:9.2f}" for material in (0, -1) for x in mises[:, material].tolist())
    if row not in outputs[0].stdout.split("\n"):
        sys.exit(f"{program} does not print the stresses of point.drive:\n{row}")
print(f"{materials} materials, millions of steps of a point per second")
print(f"  point.drive     {fastest / 1e6:.3f}\n  the C++ program {max(float(o.stderr.split()[0]) for o in outputs) / 1e6:.3f}")
