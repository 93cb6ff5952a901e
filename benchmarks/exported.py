#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exported formulas called from C one point at a time, by their functions and as UMAT, and in blocks, as VUMAT, compared with the same call
of a batch from Python.

    exported.py [--points 1000]

needs the installed package and a C and C++ compiler. One thread, float64, minima over repetitions.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time
from typing import NamedTuple

import neml2
import python_formulas
import torch
from neml2 import math
from neml2.tensors import R2, SR2, Scalar

parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=1000)
POINTS = parser.parse_args().points
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
G, K, YIELD = 77e3, 167e3, 250.0
BLOCK = 100  # points in a call of VUMAT


class State(NamedTuple):
    plastic: SR2
    alpha: Scalar


def linear_hardening(strain, old, material):
    shear, bulk, first, slope = material
    trial = 2.0 * shear * math.dev(strain - old.plastic)
    mises = math.maximum(math.von_mises(trial), 1e-12)
    dp = math.maximum(mises - first - slope * old.alpha, 0.0) / (3.0 * shear + slope)
    flow = trial * (1.5 * dp / mises)
    return 3.0 * bulk * math.vol(strain) + trial - 2.0 * shear * flow, State(old.plastic + flow, old.alpha + dp)


def overstress(s, mises, dt, material):
    shear, _, first, rate, n = material
    return mises / first - 3.0 * shear / first * dt * rate * s**n - s


def norton(strain, old, time_step, material):
    shear, bulk, first, rate, n = material
    trial = 2.0 * shear * math.dev(strain - old.plastic)
    mises = math.maximum(math.von_mises(trial), 1e-3)
    s = neml2.newton(overstress, math.minimum(mises / first, 1.0), mises, time_step, material)
    dp = time_step * rate * s**n
    flow = trial * (1.5 * dp / mises)
    return 3.0 * bulk * math.vol(strain) + trial - 2.0 * shear * flow, State(old.plastic + flow, old.alpha + dp)


def neo_hooke(F, mu, lame):
    J = math.det(F)
    return mu * F + (lame * math.log(J) - mu) * math.transpose(math.inv(F))


def models():
    """Name, formula, and the arguments of a step in which some of the points flow."""
    strain = SR2(1.2e-3 * torch.randn(POINTS, 6))
    plastic, alpha = math.dev(SR2(2e-4 * torch.randn(POINTS, 6))), Scalar(1e-3 * torch.rand(POINTS))
    yield "linear", linear_hardening, (strain, State(plastic, alpha), (G, K, YIELD, 3e3))
    yield "norton", norton, (strain, State(plastic, alpha), Scalar(torch.ones(POINTS)), (G, K, YIELD, 1e-3, 4.0))
    yield "chaboche", python_formulas.viscoplasticity, python_formulas.tensors_of_viscoplasticity(POINTS)
    yield "neohooke", neo_hooke, (R2(torch.eye(3) + 0.1 * torch.randn(POINTS, 3, 3)), 1.0, 1.5)


MAIN = """
#include "%(header)s"
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * t.tv_sec + t.tv_nsec;
}
%(subroutines)s
static double buffer[%(numbers)d * %(points)d];
int main(int count, char ** names)
{
  double best[4] = {1e30, 1e30, 1e30, 1e30};
  FILE * f = fopen(names[count - 1], "rb");
  if (!f || fread(buffer, sizeof(double), %(numbers)d * %(points)d, f) == 0)
    return 1;
  for (int k = 0; k < 40; k++)
  {
    double start = now();
%(value)s
    double middle = now();
%(jacobian)s
    double end = now();
%(call)s
    double last = now();
%(block)s
    double took[4] = {middle - start, end - middle, last - end, now() - last};
    for (int i = 0; i < 4; i++)
      if (took[i] < best[i])
        best[i] = took[i];
  }
  for (int i = 0; i < 4; i++)
    printf("%%g\\n", best[i] / %(points)d);
  return 0;
}
"""

UMAT = """
void umat_(double *, double *, double *, double *, double *, double *, double *, double *, double *, double *, const double *, const double *,
           const double *, const double *, const double *, const double *, const double *, const double *, const char *, const int *, const int *,
           const int *, const int *, const double *, const int *, const double *, const double *, double *, const double *, const double *,
           const double *, const int *, const int *, const int *, const int *, const int *, const int *);
static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[9];
static double props[] = {%(props)s};
static void call_umat(double * strain, const double * old, int states)
{
  double stress[6], statev[32], ddsdde[36], spare[6], pnewdt = 1;
  const double dt = 1;
  const int three = 3, six = 6, nprops = sizeof props / sizeof *props;
  memcpy(statev, old, states * sizeof(double));
  umat_(stress, statev, ddsdde, spare, spare, spare, spare, spare, spare, spare, strain, zero, zero, &dt, zero, zero, zero, zero, "MODEL", &three,
        &three, &six, &states, props, &nprops, zero, unit, &pnewdt, &dt, unit, unit, &six, &six, &six, &six, &six, &six);
}
"""

VUMAT = """
void vumat_(const int *, const int *, const int *, const int *, const int *, const int *, const int *, const double *, const double *,
            const double *, const char *, const double *, const double *, const double *, const double *, const double *, const double *, const double *,
            const double *, const double *, const double *, const double *, const double *, const double *, const double *, const double *,
            const double *, const double *, const double *, double *, double *, double *, double *);
static void call_vumat(const double * increment, const double * old)
{
  static const int block = %(block)d, three = 3, states = %(states)d, nprops = sizeof props / sizeof *props;
  static double zeros[9 * %(block)d], density[%(block)d], stress[6 * %(block)d], statev[%(states)d * %(block)d], energy[2 * %(block)d];
  const double dt = 1;
  for (int i = 0; i < block; i++)
    density[i] = 1;
  vumat_(&block, &three, &three, &states, &three, &nprops, &three, &dt, &dt, &dt, "MODEL", zeros, zeros, props, density, increment, zeros,
         zeros, zeros, zeros, zeros, zeros, old, zeros, zeros, zeros, zeros, zeros, zeros, stress, statev, energy, energy + block);
}
"""


def run(place, name, formula, arguments):
    by_umat = name != "neohooke"
    roles = {"dt": "time_step", "m": "props"} if name == "chaboche" else None
    start = time.perf_counter()
    files = neml2.export(formula, "c", *arguments, to=place / f"{name}_c", argnums=0, of=0 if by_umat else None)
    seconds = time.perf_counter() - start
    kinds = ("umat", "vumat") if by_umat else ()
    subroutines = [neml2.export(formula, kind, *arguments, to=place / f"{name}_{kind}", roles=roles) for kind in kinds]

    # All numbers of one argument of a point are contiguous, as the functions expect; all points share plain numbers.
    columns, shared, first, pointers = [], [], 0, []
    for argument in arguments:
        leaves = neml2._C.recording.flatten(argument)[0]
        if all(isinstance(leaf, float) for leaf in leaves):
            pointers.append(f"shared + {len(shared)}")
            shared += leaves
        else:
            rows = torch.cat([leaf.torch().reshape(POINTS, -1) for leaf in leaves], 1)
            pointers.append(f"buffer + {first} + {rows.shape[1]} * i")
            first += rows.shape[1] * POINTS
            columns.append(rows)
    numbers = torch.cat([c.reshape(-1) for c in columns])
    states = columns[1].shape[1] if by_umat else 0
    if by_umat:  # in the order and notation of the solvers
        root = torch.tensor([1, 1, 1, 2**0.5, 2**0.5, 2**0.5])
        voigt = (arguments[0].torch() / root * torch.tensor([1, 1, 1, 2, 2, 2]))[:, [0, 1, 2, 5, 4, 3]]
        pointers.append(f"buffer + {len(numbers)} + 6 * i")
        increments = (arguments[0].torch() / root)[:, [0, 1, 2, 5, 3, 4]]
        blocks = torch.cat([increments, columns[1], torch.zeros(POINTS, 6)], 1).reshape(-1, BLOCK, 12 + states).transpose(1, 2)
        pointers.append(f"buffer + {len(numbers) + 6 * POINTS} + {BLOCK * (12 + states)} * i")
        numbers = torch.cat([numbers, voigt.reshape(-1), blocks.reshape(-1)])
    (place / "numbers").write_bytes(numbers.numpy().tobytes())
    loop = f"    for (int i = 0; i < {POINTS}; i++)\n      "
    inputs = ", ".join(pointers[: len(arguments)])
    results = "y, z, w" if by_umat else "y, w"
    text = MAIN % {
        "header": files.header.name,
        "subroutines": (UMAT % {"props": ", ".join(map(str, shared))} + VUMAT % {"block": BLOCK, "states": states + 6} if by_umat else "")
        + f"static double shared[] = {{{', '.join(map(str, shared))}}};\nstatic double y[64], z[64], w[128];",
        "numbers": len(numbers) // POINTS,
        "points": POINTS,
        "value": f"{loop}{name}_c(1, {inputs}, {results[:-3]});",
        "jacobian": f"{loop}{name}_c_jacobian(1, {inputs}, {results});",
        "call": f"{loop}call_umat({pointers[-2]}, {pointers[1]}, {states});" if by_umat else "",
        "block": f"    for (int i = 0; i < {POINTS // BLOCK}; i++)\n      call_vumat({pointers[-1]}, {pointers[-1]} + {6 * BLOCK});"
        if by_umat
        else "",
    }
    (place / "main.c").write_text(text)
    libraries = [f"{place}/lib{name}_c.so", *(str(s.library) for s in subroutines)]
    subprocess.run(["cc", "-O2", "main.c", *libraries, f"-Wl,-rpath,{place}", "-o", "main"], cwd=place, check=True)
    times = subprocess.run([place / "main", place / "numbers"], capture_output=True, text=True, check=True).stdout.split()
    value, jacobian, call, block = (float(t) / 1e3 for t in times)
    if not by_umat:
        call = block = float("nan")

    known = neml2.formula(formula, backend="compiler")

    def best(f):
        took = float("inf")
        for _ in range(50):
            start = time.perf_counter()
            f()
            took = min(took, 1e6 * (time.perf_counter() - start))
        return took / POINTS

    with_tangent = best(lambda: known.value_and_jacobian(*arguments, of=0 if by_umat else None))
    print(
        f"{name:10} {value:9.3f} {jacobian:9.3f} {call:9.3f} {block:9.3f} {best(lambda: known(*arguments)):9.3f} {with_tangent:9.3f} "
        f"{seconds:9.1f} {files.library.stat().st_size / 1e3:8.0f}"
    )


def main():
    print(
        f"µs per point{'':13}one point per call     blocks of {BLOCK}      batch of {POINTS}, s to export, kB of the library\n"
        f"{'':14}value   tangent      UMAT     VUMAT     value   tangent"
    )
    with tempfile.TemporaryDirectory() as place:
        for name, formula, arguments in models():
            run(pathlib.Path(place), name, formula, arguments)


main()
