# SPDX-License-Identifier: MIT
"""A round steel bar is pulled in FEniCSx until it necks. The plasticity of large deformations is a formula of this library: it computes
stress and tangent at all quadrature points in one call. Newton's method of the structure converges quadratically.

    necking.py [--plot FILE] [--time] [--refine N]
"""

import sys
from typing import NamedTuple

# begin headers
import basix
import neml2
import numpy
import scipy.optimize
import torch
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from neml2.math import dev, exp, expm, inv, logm, maximum, pull_back, push_forward, transpose, vol, von_mises, where
from neml2.tensors import R2, R4, SR2, Scalar
from petsc4py import PETSc

torch.set_default_dtype(torch.float64)
# end headers
from support import Checks, options_of, seconds, shortest, timed

options = options_of("the bar, the force and the residuals", "the material, assembly and the solver")
checks = Checks()


# ---- The material at one point ----


# begin material
class State(NamedTuple):
    inverse_Cp: SR2  # of the plastic right Cauchy-Green tensor
    p: Scalar  # accumulated plastic strain


class Material(NamedTuple):  # GPa
    K: float
    G: float
    yield_stress: float
    Q: float  # Voce's hardening, and linear hardening
    b: float
    H: float


def flow_stress(p, m):
    return m.yield_stress + m.Q * (1 - exp(-m.b * p)) + m.H * p


def overstress(dp, mises, p, m):
    return (mises - 3 * m.G * dp - flow_stress(p + dp, m)) / m.yield_stress


@neml2.formula
def update(F: R2, old: State, m: Material) -> tuple[R2, State]:
    """First Piola-Kirchhoff stress. Hooke's law and radial return hold for the logarithms of the elastic stretches. Source: Simo (1992),
    Comput. Methods Appl. Mech. Eng. 99, 61-112."""
    trial = 0.5 * logm(push_forward(old.inverse_Cp, F))
    mises = maximum(von_mises(2 * m.G * dev(trial)), 1e-12)
    flows = overstress(0.0, mises, old.p, m) > 0.0
    dp = where(flows, neml2.newton(overstress, 0.0, mises, old.p, m), 0.0)
    elastic = trial - dev(trial) * (3 * m.G * dp / mises)
    kirchhoff = 3 * m.K * vol(elastic) + 2 * m.G * dev(elastic)
    return R2(kirchhoff) * transpose(inv(F)), State(pull_back(expm(2 * elastic), F), old.p + dp)


# end material
steel = Material(K=164.21, G=80.1938, yield_stress=0.45, Q=0.265, b=16.93, H=0.12924)  # Simo (1988)
radius, half = 6.413, 26.667  # mm


# ---- Conversions: with axial symmetry four of the nine components are zero ----


# begin convert
IN_USE = [0, 1, 3, 4, 8]  # rr, rz, zr, zz, and the component around the axis


def tensors(components: numpy.ndarray) -> R2:
    """(cells, 5 points) -> (cells, points; 3, 3)"""
    full = numpy.zeros((len(components), components.shape[1] // 5, 9))
    full[..., IN_USE] = components.reshape(*full.shape[:2], 5)
    return R2(torch.from_numpy(full).unflatten(-1, (3, 3)))


def stress_components(P: R2) -> numpy.ndarray:
    """(cells, points; 3, 3) -> (cells, points, 5)"""
    return P.torch().flatten(-2)[..., IN_USE].numpy()


def tangent_components(A: R4) -> numpy.ndarray:
    """(cells, points; 3, 3, 3, 3) -> (cells, points, 5, 5)"""
    return A.torch().flatten(-4, -3).flatten(-2)[..., IN_USE, :][..., IN_USE].numpy()


# end convert


class Bar:
    """Half of a bar, which is thinner in its middle by the part `taper`. It is axially symmetric; the coordinates are r and z."""

    def __init__(self, across: int, along: int, taper: float):
        self.mesh = mesh.create_rectangle(MPI.COMM_SELF, [(0, 0), (radius, half)], [across, along])
        x = self.mesh.geometry.x
        x[:, 1] = half * (x[:, 1] / half) ** 1.7
        x[:, 0] *= 1 - taper * (1 - x[:, 1] / half)

        # begin forms
        r = ufl.SpatialCoordinate(self.mesh)[0]

        def gradient(u):
            g = ufl.grad(u)
            return ufl.as_vector([g[0, 0], g[0, 1], g[1, 0], g[1, 1], u[0] / r])

        V = fem.VectorFunctionSpace(self.mesh, ("Lagrange", 2))
        self.u, v, du = fem.Function(V), ufl.TestFunction(V), ufl.TrialFunction(V)
        rule = {"family": "Quadrature", "cell": self.mesh.ufl_cell(), "degree": 2, "quad_scheme": "default"}
        self.P = fem.Function(fem.FunctionSpace(self.mesh, ufl.VectorElement(**rule, dim=5)))
        self.A = fem.Function(fem.FunctionSpace(self.mesh, ufl.TensorElement(**rule, shape=(5, 5))))
        around, dx = 2 * ufl.pi * r, ufl.dx(metadata={"quadrature_degree": 2, "quadrature_scheme": "default"})
        self.force = fem.form(around * ufl.inner(self.P, gradient(v)) * dx)
        self.stiffness = fem.form(around * ufl.inner(self.A * gradient(du), gradient(v)) * dx)
        points, _ = basix.make_quadrature(basix.CellType.triangle, 2)
        self.gradient = fem.Expression(gradient(self.u), points)
        # end forms

        def dofs(side, component: int) -> numpy.ndarray:
            return fem.locate_dofs_geometrical((V.sub(component), V.sub(component).collapse()[0]), side)

        middle, axis, top = (lambda x: numpy.isclose(x[1], 0)), (lambda x: numpy.isclose(x[0], 0)), (lambda x: numpy.isclose(x[1], half))
        self.jump = fem.Constant(self.mesh, 0.0)
        pulled = dofs(top, 1)
        self.conditions = [fem.dirichletbc(self.jump, pulled[0], V.sub(1))]
        for side, component in ((middle, 1), (axis, 0)):
            self.conditions.append(fem.dirichletbc(0.0, dofs(side, component)[0], V.sub(component)))
        self.pulled = pulled[0]
        self.free = numpy.setdiff1d(numpy.arange(len(self.u.x.array)), numpy.concatenate([c.dof_indices()[0] for c in self.conditions]))

        self.cells = numpy.arange(self.mesh.topology.index_map(2).size_local, dtype=numpy.int32)
        size = len(self.cells), len(points)
        assert (self.P.function_space.dofmap.list.array == numpy.arange(size[0] * size[1])).all()  # ordered as Expression's values
        self.old = self.new = State(SR2.fill(1.0).batch.expand(*size), Scalar.zeros(*size))
        self.solver = PETSc.KSP().create(MPI.COMM_SELF)
        self.solver.setType("preonly")
        self.solver.getPC().setType("lu")
        self.evaluate()

    # begin evaluate
    def evaluate(self) -> numpy.ndarray:
        """The internal forces at the displacements u; sets the stresses P, the tangents A and the new state."""
        with timed("material"):
            self.F = tensors(self.gradient.eval(self.cells)) + R2.identity()
            (P, self.new), A = neml2.value_and_jacobian(update, self.F, self.old, steel, of=0)
            self.P.x.array[:] = stress_components(P).ravel()
            self.A.x.array[:] = tangent_components(A).ravel()
        with timed("assembly"):
            return fem.assemble_vector(self.force).array

    # end evaluate

    # begin newton
    def pull(self, end: float) -> tuple[float, list[float]]:
        """Newton's method of the structure until the end of the bar is displaced by `end`: the force there, and the residuals."""
        self.jump.value = end - self.u.x.array[self.pulled[0]]
        residuals: list[float] = []
        while not residuals or not residuals[-1] <= 1e-10:
            if len(residuals) == 20:
                raise RuntimeError(f"Newton's method of the bar did not converge: residuals {residuals}. Pull in smaller steps.")
            with timed("assembly"):
                K = fem.petsc.assemble_matrix(self.stiffness, self.conditions)
                K.assemble()
                b = fem.petsc.assemble_vector(self.force)
                b.scale(-1)
                fem.petsc.apply_lifting(b, [self.stiffness], [self.conditions])
                fem.petsc.set_bc(b, self.conditions)
            with timed("solver"):
                self.solver.setOperators(K)
                change = b.duplicate()
                self.solver.solve(b, change)
            self.u.x.array[:] += change.array
            self.jump.value = 0.0
            forces = self.evaluate()
            residuals.append(numpy.linalg.norm(forces[self.free]) / numpy.linalg.norm(forces[self.pulled]))
        self.before, self.old = self.old, self.new
        return forces[self.pulled].sum(), residuals

    # end newton

    def deformed(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """The places of the corners, and the corners of each triangle."""
        V = fem.VectorFunctionSpace(self.mesh, ("Lagrange", 1))
        u = fem.Function(V)
        u.interpolate(self.u)
        return V.tabulate_dof_coordinates()[:, :2] + u.x.array.reshape(-1, 2), V.dofmap.list.array.reshape(-1, 3)


# ---- Known results ----


def uniform_force(end: float) -> float:
    """The force on a bar without taper that is displaced by `end`, in closed form."""
    log_stretch, E = numpy.log(1 + end / half), 9 * steel.K * steel.G / (3 * steel.K + steel.G)

    def excess(p: float) -> float:
        return E * (log_stretch - p) - flow_stress(p, steel)

    p = scipy.optimize.brentq(excess, 0, log_stretch, xtol=1e-15) if excess(0) > 0 else 0.0
    return numpy.pi * radius**2 * E * (log_stretch - p) * numpy.exp(-log_stretch)


def stress_by_hand(F: numpy.ndarray, inverse_Cp: numpy.ndarray, p: numpy.ndarray, m: Material) -> numpy.ndarray:
    """The stress alone, by eigenvalues and eigenvectors, in NumPy."""
    squares, axes = numpy.linalg.eigh(F @ inverse_Cp @ F.swapaxes(-1, -2))
    trial = 0.5 * numpy.log(squares)
    mean = trial.mean(-1, keepdims=True)
    mises = 2 * m.G * numpy.sqrt(1.5) * numpy.linalg.norm(trial - mean, axis=-1)
    dp = numpy.zeros_like(p)
    for _ in range(30):
        slope = 3 * m.G + m.Q * m.b * numpy.exp(-m.b * (p + dp)) + m.H
        over = mises - 3 * m.G * dp - m.yield_stress - m.Q * (1 - numpy.exp(-m.b * (p + dp))) - m.H * (p + dp)
        dp = numpy.maximum(dp + over / slope, 0)
        if abs(over * (dp > 0)).max() < 1e-14:
            break
    principal = 3 * m.K * mean + 2 * m.G * (trial - mean) * (1 - 3 * m.G * dp / numpy.maximum(mises, 1e-12))[..., None]
    kirchhoff = (axes * principal[..., None, :]) @ axes.swapaxes(-1, -2)
    return kirchhoff @ numpy.linalg.inv(F).swapaxes(-1, -2)


uniform = Bar(2, 4, taper=0.0)
error = max(abs(uniform.pull(end)[0] / uniform_force(end) - 1) for end in (0.05, 0.5, 1.5))
checks.within("without taper the force is the closed form", error, 1e-11)

# ---- The bar is pulled ----

bar = Bar(8 * options.refine, 32 * options.refine, taper=0.018)
seconds.clear()
print(f"\n{len(bar.cells)} triangles, {bar.new.p.numpy().size} points, {len(bar.u.x.array)} displacements")
print("\nResiduals after each iteration, relative to the force\n  mm")
ends, history, all_residuals = 0.25 * numpy.arange(1, 25), [(0.0, 0.0)], []
for end in ends:
    force, residuals = bar.pull(end)
    history.append((end, force))
    all_residuals.append(residuals)
    print(f"{end:5.2f}" + "".join(f"{r:8.0e}" if r > 1e-10 else " < 1e-10" for r in residuals))
spent = dict(seconds)

# In the first iterations of a step the set of yielding points changes. From then on r_(k + 1) <= c r_k².
ratios = [b / a**2 for r in all_residuals for a, b in zip(r, r[1:]) if a < 1e-4 and b > 1e-10]
print(f"\nbelow 1e-4 each residual is at most {max(ratios):.0f} times the square of the one before it")
checks.true(0 < max(ratios) < 1000)

F, p = bar.F.numpy(), bar.before.p.numpy()
(P, _), A = neml2.value_and_jacobian(update, bar.F, bar.before, steel, of=0)
by_hand = stress_by_hand(F, R2(bar.before.inverse_Cp).numpy(), p, steel)
checks.within("the stresses are those by hand", abs(P.numpy() - by_hand).max() / steel.yield_stress, 1e-10)
differences = numpy.empty(A.numpy().shape)
for k, l in numpy.ndindex(3, 3):
    step = numpy.zeros((3, 3))
    step[k, l] = 1e-6
    up, down = (update(R2(torch.from_numpy(F + s * step)), bar.before, steel)[0].numpy() for s in (1, -1))
    differences[..., k, l] = (up - down) / 2e-6
checks.within("the tangents are difference quotients of the stresses", abs(A.numpy() - differences).max() / abs(differences).max(), 1e-7)

print("\n  mm      kN   uniform bar")
for end, kN in history[::2]:
    print(f"{end:5.2f} {kN:7.3f} {uniform_force(end):9.3f}")
most = max(uniform_force(end) for end in numpy.linspace(3, 4, 101))  # Considère's criterion
largest = max(kN for _, kN in history)
print(f"largest force {largest:.2f} kN; by Considère's criterion {0.982**2 * most:.2f} in the middle and {most:.2f} at the ends")
checks.true(0.982**2 * most < largest < most)
places, triangles = bar.deformed()
neck = places[numpy.isclose(places[:, 1], 0), 0].max()
print(f"radius of the neck {neck:.3f} mm; largest plastic strain {bar.new.p.numpy().max():.2f}")

if options.time:
    total = sum(spent.values())
    print("\nTime: " + ", ".join(f"{name} {1e3 * t:.0f} ms ({100 * t / total:.0f} %)" for name, t in spent.items()))
    times = []
    for call in (
        lambda: neml2.value_and_jacobian(update, bar.F, bar.before, steel, of=0),
        lambda: update(bar.F, bar.before, steel),
        lambda: stress_by_hand(F, R2(bar.before.inverse_Cp).numpy(), p, steel),
    ):
        times.append(shortest(call))
    print(f"At {p.size} points: stress and tangent {times[0]:.2f} ms, stress {times[1]:.2f} ms, by hand {times[2]:.2f} ms")

if options.plot:
    from matplotlib import pyplot, tri

    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(11, 4), layout="constrained", width_ratios=(0.8, 1.2, 1.2))
    values = 100 * bar.new.p.numpy().mean(1)
    for sign_r, sign_z in numpy.ndindex(2, 2):
        r, z = places[:, 0] * (1 - 2 * sign_r), places[:, 1] * (1 - 2 * sign_z)
        drawn = left.tripcolor(tri.Triangulation(r, z, triangles), facecolors=values, cmap="viridis", rasterized=True)
    left.set(aspect="equal", title="plastic strain, %")
    left.set_axis_off()
    figure.colorbar(drawn, ax=left, shrink=0.7, location="left")
    lengths = numpy.linspace(0, ends[-1], 200)
    middle.plot(*zip(*history), "o-", color="C0", markersize=3, label="finite elements")
    middle.plot(lengths, [uniform_force(end) for end in lengths], "--", color="C3", label="uniform bar")
    middle.set(xlabel="displacement of each end, mm", ylabel="force, kN", title="force")
    middle.legend()
    for end, residuals in list(zip(ends, all_residuals))[3::5]:
        right.semilogy(range(1, len(residuals) + 1), residuals, "o-", markersize=3, label=f"to {end:.2f} mm")
    right.set(xlabel="iteration", ylabel="residual over force", title="Newton's method", ylim=(1e-16, 10))
    right.legend()
    figure.savefig(options.plot, dpi=110, metadata={"Date": None})
sys.exit(checks.failed)
