# SPDX-License-Identifier: MIT
"""A formula as the user subroutines UMAT and VUMAT: exported, and called as solvers call them. Without a C++ compiler the formula itself is
called."""

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


# ---- The same formula as VUMAT ----

# begin vumat
explicit = neml2.export(update, "vumat", *before, steel, to=folder / "voce_explicit", compile=has_compiler)
# end vumat
print("\n" + "\n".join(line[3:] for line in explicit.header.read_text().splitlines() if "STATEV" in line))
POINTS = 100


def block_of_vumat(library, increment):
    """The stresses of a block after one increment. Each array has the shape (components, points): points are side by side in memory."""
    zeros, ones = (torch.full((13, POINTS), number) for number in (0.0, 1.0))
    unit = torch.cat([ones[:3], zeros[:3]])
    stress, state, energies = torch.empty(6, POINTS), torch.empty(13, POINTS), torch.empty(2, POINTS)
    dt, props = torch.tensor([1e-6]), torch.tensor(steel)
    counts = [ctypes.byref(ctypes.c_int(n)) for n in (POINTS, 3, 3, 13, 0, len(steel), 0)]
    passed = [zeros, zeros, props, ones, increment, zeros, zeros, unit, *[zeros] * 6, zeros, unit, zeros, zeros]
    pointers = [ctypes.c_void_p(a.data_ptr()) for a in (*passed, stress, state, energies[0], energies[1])]
    times = [ctypes.c_void_p(dt.data_ptr())] * 3
    ctypes.CDLL(str(library)).vumat_(*counts, *times, b"VOCE".ljust(80), *pointers)
    return stress


increment = torch.linspace(0, 1e-2, POINTS) * torch.tensor([2.0, -0.8, -0.8, 0.5, 0.0, 0.0])[:, None]  # 11, 22, 33, 12, 23, 31
strain = SR2.fill(*(Scalar(increment[k]) for k in (0, 1, 2, 4, 5, 3)))
by_formula, _ = neml2.vmap(update, strain, before[1], steel)
expected = torch.stack([by_formula(i, j).torch() for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))])
stress = block_of_vumat(explicit.library, increment) if has_compiler else expected
assert torch.allclose(stress, expected, rtol=1e-9, atol=1e-9)
print(f"\n{POINTS} points, largest stress 11 {stress[0].max():.2f}")
shutil.rmtree(folder)
