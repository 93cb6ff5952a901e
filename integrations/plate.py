# SPDX-License-Identifier: MIT
"""A plate with a hole, in plane strain, is pulled until it yields. The von Mises plasticity is a formula of this library; meshes, assembly
and linear solvers are those of scikit-fem. The formula's tangent is exact, so Newton's method of the structure converges quadratically.

    plate.py [--plot FILE] [--time] [--refine N]
"""

import sys
from typing import NamedTuple

# begin headers
import neml2
import numpy
import scipy
import skfem
import torch
from neml2.math import dev, exp, maximum, vol, von_mises, where
from neml2.tensors import R2, R4, SR2, SSR4, Scalar
from skfem.helpers import grad

torch.set_default_dtype(torch.float64)
# end headers
from support import Checks, options_of, seconds, timed

options = options_of("plastic strain, force and residuals", "the material, assembly and the solver")
checks = Checks()


# ---- The material: one point, then its tangent ----


# begin material
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


@neml2.formula
def update(strain: SR2, state: State, m: Material) -> tuple[SR2, State]:
    """Radial return. Source: Simo and Hughes (1998), Computational Inelasticity, section 3.3."""
    trial = 2 * m.G * dev(strain - state.plastic_strain)
    mises = maximum(von_mises(trial), 1e-12)
    flows = overstress(0.0, mises, state.p, m) > 0.0
    dp = where(flows, neml2.newton(overstress, 0.0, mises, state.p, m), 0.0)
    flow = trial * (1.5 * dp / mises)
    return 3 * m.kappa * vol(strain) + trial - 2 * m.G * flow, State(state.plastic_strain + flow, state.p + dp)


# end material


# ---- Conversions: in scikit-fem the components come first and the batch last, (3, 3, elements, points) ----


# begin convert
def strain_of(gradient: numpy.ndarray) -> SR2:
    """(2, 2, elements, points) of displacements, in plane strain -> (elements, points; 6), the symmetric part."""
    full = numpy.zeros((3, 3, *gradient.shape[2:]))
    full[:2, :2] = gradient
    return SR2(R2(torch.from_numpy(full).movedim((0, 1), (-2, -1))))


def in_plane(stress: SR2) -> numpy.ndarray:
    """(elements, points; 6) -> (2, 2, elements, points), a view of (3, 3, ...)."""
    return R2(stress).torch().movedim((-2, -1), (0, 1)).numpy()[:2, :2]


def tangent_in_plane(tangent: SSR4) -> numpy.ndarray:
    """(elements, points; 6, 6) -> (2, 2, 2, 2, elements, points), of (3, 3, 3, 3, ...)."""
    full = R4(tangent).torch().movedim((-4, -3, -2, -1), (0, 1, 2, 3))  # a view
    return full[:2, :2, :2, :2].contiguous().numpy()  # points are innermost: each pair of shape functions reads all of them


# end convert


# begin forms
@skfem.BilinearForm
def stiffness(u, v, w):
    return numpy.einsum("ijkl...,kl...,ij...->...", w["tangent"], grad(u), grad(v))


@skfem.LinearForm
def internal_force(v, w):
    return numpy.einsum("ij...,ij...->...", w["stress"], grad(v))


# end forms


# ---- The mesh: a quarter of the plate ----

width, height, radius = 10.0, 16.0, 5.0  # mm
around, outwards = 24 * options.refine, 16 * options.refine


def quarter() -> skfem.MeshQuad:
    """Quadrilaterals between the hole and the two outer sides, smaller at the hole."""
    corner = numpy.arctan2(height, width)
    half = around // 2
    angle = numpy.concatenate([numpy.linspace(0, corner, half + 1), numpy.linspace(corner, numpy.pi / 2, half + 1)[1:]])
    hole = radius * numpy.array([numpy.cos(angle), numpy.sin(angle)])
    outside = hole / numpy.maximum(hole[0] / width, hole[1] / height)
    t = numpy.linspace(0, 1, outwards + 1) ** 1.5
    points = hole[:, :, None] + (outside - hole)[:, :, None] * t
    number = numpy.arange(points[0].size).reshape(points[0].shape)
    corners = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    return skfem.MeshQuad(points.reshape(2, -1), numpy.array([c.ravel() for c in corners]))


# begin basis
mesh = quarter()
element = skfem.ElementVector(skfem.ElementQuadS2())  # eight nodes and 2 x 2 points: no locking at constant volume
basis = skfem.Basis(mesh, element, intorder=3)
# end basis
bottom, left, top = (basis.get_dofs(lambda x, i=i, at=at: numpy.isclose(x[i], at)) for i, at in ((1, 0.0), (0, 0.0), (1, height)))
pulled = top.all(["u^2"])
fixed = numpy.unique(numpy.concatenate([bottom.all(["u^2"]), left.all(["u^1"]), pulled]))
free = numpy.setdiff1d(numpy.arange(basis.N), fixed)

steel = Material(G=77e3, kappa=167e3, yield_stress=250.0, Q=120.0, b=15.0)


# begin newton
def evaluate(u: numpy.ndarray, state: State) -> tuple[numpy.ndarray, scipy.sparse.csr_matrix, State]:
    """Forces, stiffness and new state at these displacements."""
    with timed("material"):
        strain = strain_of(numpy.asarray(basis.interpolate(u).grad))
        (stress, new), tangent = neml2.value_and_jacobian(update, strain, state, steel, of=0)
        sigma, slope = in_plane(stress), tangent_in_plane(tangent)
    with timed("assembly"):
        return internal_force.assemble(basis, stress=sigma), stiffness.assemble(basis, tangent=slope), new


def equilibrium(u: numpy.ndarray, force: numpy.ndarray, K: scipy.sparse.csr_matrix, state: State, end: float):
    """Newton's method of the structure: from the end of a step, its forces and stiffness, to equilibrium with the top displaced by end."""
    residuals = []
    jump = numpy.zeros(basis.N)
    jump[pulled] = end - u[pulled]
    while not residuals or not residuals[-1] <= 1e-10:
        if len(residuals) == 20:
            raise RuntimeError(f"Newton's method of the plate did not converge: residuals {residuals}. Pull in smaller steps.")
        with timed("solver"):
            u = u + skfem.solve(*skfem.condense(K, -force, x=jump, D=fixed))
        jump[:] = 0.0
        force, K, new = evaluate(u, state)
        residuals.append(numpy.linalg.norm(force[free]) / numpy.linalg.norm(force[fixed]))
    return u, force, K, new, residuals


# end newton


# ---- Known results ----


def by_hand(strain: numpy.ndarray, p: numpy.ndarray, dp: numpy.ndarray, plastic: numpy.ndarray, m: Material) -> numpy.ndarray:
    """The consistent tangent of radial return, (..., 3, 3, 3, 3). Source: Simo and Hughes (1998), section 3.3.2."""
    one = numpy.eye(3)
    symmetric = 0.5 * (numpy.einsum("ik,jl->ijkl", one, one) + numpy.einsum("il,jk->ijkl", one, one))
    volume = numpy.einsum("ij,kl->ijkl", one, one)
    e = strain - plastic
    s = 2 * m.G * (e - numpy.trace(e, axis1=-2, axis2=-1)[..., None, None] / 3 * one)
    length = numpy.sqrt((s**2).sum((-2, -1)))
    n = s / length[..., None, None]
    flows = dp > 0
    slope = m.Q * m.b * numpy.exp(-m.b * p)  # p at the end of the step
    theta = numpy.where(flows, 1 - 2 * m.G * numpy.sqrt(1.5) * dp / length, 1.0)
    theta_bar = numpy.where(flows, 1 / (1 + slope / (3 * m.G)) - (1 - theta), 0.0)
    theta, theta_bar = theta[..., None, None, None, None], theta_bar[..., None, None, None, None]
    return m.kappa * volume + 2 * m.G * (theta * (symmetric - volume / 3) - theta_bar * numpy.einsum("...ij,...kl->...ijkl", n, n))


u = numpy.zeros(basis.N)
points = basis.dx.shape
state = State(SR2.zeros(*points), Scalar.zeros(*points))
force, K, _ = evaluate(u, state)

from skfem.models.elasticity import linear_elasticity  # noqa: E402

own = linear_elasticity(steel.kappa - 2 * steel.G / 3, steel.G).assemble(basis)
checks.within("without load the stiffness is scikit-fem's", abs(K - own).max() / abs(own).max(), 1e-13)
# Conversions: there and back.
some = numpy.random.default_rng(0).standard_normal((2, 2, 5, 4))
some += some.swapaxes(0, 1)
checks.within("a stress goes there and back", abs(in_plane(strain_of(some)) - some).max(), 1e-14)

# ---- The plate is pulled ----

print(f"\n{mesh.t.shape[1]} elements, {points[0] * points[1]} points, {basis.N} displacements")
print("\nResiduals after each iteration, relative to the forces at the supports\n   mm")
ends, history, all_residuals = 0.006 * numpy.arange(1, 11), [(0.0, 0.0)], []
for end in ends:
    before, last_u, last_force = state, u, force
    u, force, K, state, residuals = equilibrium(u, force, K, state, end)
    history.append((end, 2e-3 * force[pulled].sum()))
    all_residuals.append(residuals)
    print(f"{end:6.3f}" + "".join(f"{r:8.0e}" if r > 1e-10 else " < 1e-10" for r in residuals))

spent = dict(seconds)

# In the first iterations of a step the set of yielding points changes. From then on r_(k + 1) <= c r_k².
ratios = [b / a**2 for r in all_residuals for a, b in zip(r, r[1:]) if a < 1e-4 and b > 1e-10]
print(f"\nbelow 1e-4 each residual is at most {max(ratios):.0f} times the square of the one before it")
checks.true(0 < max(ratios) < 50)

strain = strain_of(numpy.asarray(basis.interpolate(u).grad))
(_, _), tangent = neml2.value_and_jacobian(update, strain, before, steel, of=0)
p, dp = state.p.numpy(), (state.p - before.p).numpy()
expected = by_hand(R2(strain).numpy(), p, dp, R2(before.plastic_strain).numpy(), steel)
checks.within("the tangent is Simo and Hughes' by hand", abs(R4(tangent).numpy() - expected).max() / abs(expected).max(), 1e-12)
checks.within("the forces at both ends are equal", abs(force[pulled].sum() / force[bottom.all(["u^2"])].sum() + 1), 1e-9)

print("\n    mm   kN per mm of thickness")
for end, kN in history:
    print(f"{end:6.3f} {kN:8.3f}")
print(f"largest plastic strain {100 * p.max():.1f} %; {100 * (p > 0).mean():.0f} % of the points have flowed")

# The benefit of the exact tangent: the last step is repeated with the unloaded stiffness in all iterations.
other, other_force = last_u, last_force
jump = numpy.zeros(basis.N)
jump[pulled] = ends[-1] - last_u[pulled]
for iteration in range(30):
    other = other + skfem.solve(*skfem.condense(own, -other_force, x=jump, D=fixed))
    jump[:] = 0.0
    other_force, _, _ = evaluate(other, before)
residual = numpy.linalg.norm(other_force[free]) / numpy.linalg.norm(other_force[fixed])
print(f"with the stiffness without load the last step has the residual {residual:.0e} after 30 iterations")

if options.time:
    total = sum(spent.values())
    print("\nTime: " + ", ".join(f"{name} {1e3 * t:.0f} ms ({100 * t / total:.0f} %)" for name, t in spent.items()))

if options.plot:
    from matplotlib import collections, pyplot

    figure, (left_panel, middle, right) = pyplot.subplots(1, 3, figsize=(11, 4), layout="constrained", width_ratios=(1, 1.2, 1.2))
    corners = (mesh.p + 20 * u[basis.nodal_dofs[:2]]).T[mesh.t.T]
    drawn = collections.PolyCollection(corners, array=100 * p.mean(1), cmap="viridis", edgecolor="face", linewidth=0.3, rasterized=True)
    left_panel.add_collection(drawn)
    left_panel.set(aspect="equal", xlim=(-0.3, width + 0.3), ylim=(-0.3, height + 1.8), title="accumulated plastic strain, %")
    left_panel.set_axis_off()
    figure.colorbar(drawn, ax=left_panel, shrink=0.7, location="left")
    middle.plot(*zip(*history), "o-", color="C0", markersize=3)
    middle.set(xlabel="displacement of each end, mm", ylabel="force, kN per mm of thickness", title="force")
    for end, residuals in list(zip(ends, all_residuals))[2::2]:
        right.semilogy(range(1, len(residuals) + 1), residuals, "o-", markersize=3, label=f"to {end:.3f} mm")
    right.set(xlabel="iteration", ylabel="residual over force at the supports", title="Newton's method", ylim=(1e-16, 1))
    right.legend()
    figure.savefig(options.plot, dpi=110)
sys.exit(checks.failed)
