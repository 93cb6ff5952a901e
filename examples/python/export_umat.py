# SPDX-License-Identifier: MIT
"""A formula as a user subroutine UMAT: exported, and called as a solver calls it. Without a C++ compiler the formula itself is called."""

import ctypes
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import neml2
import torch
from neml2.math import dev, exp, maximum, von_mises, vol, where
from neml2.tensors import SR2, Scalar

torch.set_default_dtype(torch.float64)
folder = Path(tempfile.mkdtemp())


# begin update
class State(NamedTuple):
    plastic_strain: SR2
    p: Scalar  # accumulated plastic strain


class Material(NamedTuple):  # MPa
    G: float
    kappa: float
    yield_stress: float
    Q: float  # Voce's hardening
    b: float


def overstress(dp, mises, p, m):
    return (mises - 3 * m.G * dp - m.yield_stress - m.Q * (1 - exp(-m.b * (p + dp)))) / m.yield_stress


def update(strain: SR2, state: State, m: Material) -> tuple[SR2, State]:
    trial = 2 * m.G * dev(strain - state.plastic_strain)
    mises = maximum(von_mises(trial), 1e-12)
    flows = overstress(0.0, mises, state.p, m) > 0.0
    dp = where(flows, neml2.newton(overstress, 0.0, mises, state.p, m), 0.0)
    flow = trial * (1.5 * dp / mises)
    return 3 * m.kappa * vol(strain) + trial - 2 * m.G * flow, State(state.plastic_strain + flow, state.p + dp)


steel = Material(G=77e3, kappa=167e3, yield_stress=250.0, Q=120.0, b=15.0)
# end update
has_compiler = shutil.which("c++") is not None
before = SR2.zeros(), State(SR2.zeros(), Scalar.zeros())
# begin export
files = neml2.export(update, "umat", *before, steel, to=folder / "voce", compile=has_compiler)
# end export
print("\n".join(line[3:] for line in files.header.read_text().splitlines() if "STATEV" in line or "PROPS" in line))


# ---- The solver ----

ROOT = 2**0.5


class Solver:
    """One point: it passes the addresses of its numbers, as Fortran programs do, and keeps the state."""

    def __init__(self, library):
        self.umat = ctypes.CDLL(str(library)).umat_
        numbers = {
            "stress": 6,
            "statev": 7,
            "ddsdde": 36,
            "spare": 36,
            "strain": 6,
            "increment": 6,
            "time": 2,
            "one": 1,
            "zero": 1,
            "turn": 9,
            "pnewdt": 1,
        }
        self.at = {name: (ctypes.c_double * n)() for name, n in numbers.items()}
        self.at["one"][0] = 1.0
        self.at["turn"][::4] = [1.0, 1.0, 1.0]
        self.at["props"] = (ctypes.c_double * len(steel))(*steel)
        self.count = [ctypes.byref(ctypes.c_int(n)) for n in (3, 3, 6, 7, len(steel))]

    def step(self, increment):
        a, count, spare = self.at, self.count, self.at["spare"]
        a["increment"][:] = increment
        values = (
            a["stress"],
            a["statev"],
            a["ddsdde"],
            *[spare] * 7,
            a["strain"],
            a["increment"],
            a["time"],
            a["one"],
            a["zero"],
            a["zero"],
        )
        rest = (a["props"], count[4], spare, a["turn"], a["pnewdt"], a["one"], a["turn"], a["turn"], *[count[0]] * 6)
        a["pnewdt"][0] = 1.0
        self.umat(*values, spare, spare, b"VOCE", *count[:4], *rest)
        assert a["pnewdt"][0] == 1.0  # otherwise a solver tries a smaller step
        a["strain"][:] = [e + d for e, d in zip(a["strain"], increment)]
        return a["strain"][0], a["stress"][0], a["stress"][3], a["ddsdde"][0]


class Formula:
    """The same point, computed by the formula."""

    def __init__(self):
        self.strain, self.state = before

    def step(self, increment):
        e = torch.tensor([*increment[:3], increment[5] / ROOT, increment[4] / ROOT, increment[3] / ROOT])
        self.strain = self.strain + SR2(e)
        (stress, self.state), tangent = neml2.value_and_jacobian(update, self.strain, self.state, steel, of=0)
        s = stress.torch()
        return self.strain.torch()[0].item(), s[0].item(), s[5].item() / ROOT, tangent.torch()[0, 0].item()


points = [Formula(), Solver(files.library) if has_compiler else Formula()]
print("\nstrain 11  stress 11  stress 12  dS11/dE11, GPa")
for _ in range(5):
    one, other = (point.step([2e-3, -8e-4, -8e-4, 1e-3, 0.0, 0.0]) for point in points)
    assert all(abs(x - y) <= 1e-9 * abs(x) for x, y in zip(one, other))
    print("{:9.4f} {:10.2f} {:10.2f}  {:14.2f}".format(*other[:3], other[3] / 1e3))
shutil.rmtree(folder)
