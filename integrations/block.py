# SPDX-License-Identifier: MIT
"""A block of rubber, nearly incompressible, is pressed and sheared in FElupe by materials that are energies here. Displacements are
those of FElupe's own materials, and Newton's method of the structure converges quadratically.

    block.py [--plot FILE] [--time] [--refine N]
"""

import sys

# begin headers
import felupe
import neml2
import numpy
import torch
from neml2 import math
from neml2.tensors import R2, R4, Scalar

torch.set_default_dtype(torch.float64)
# end headers
from support import Checks, options_of, shortest

options = options_of("the block and the residuals", "stresses and elasticity tensors")
checks = Checks()


# ---- Energies: the part of the change of shape, and that of the volume ----


# begin energies
def neo_hooke(F: R2, mu: float, bulk: float) -> Scalar:
    J = math.det(F)
    return 0.5 * mu * (J ** (-2 / 3) * math.norm_sq(F) - 3) + 0.5 * bulk * (J - 1) ** 2


def mooney_rivlin(F: R2, C10: float, C01: float) -> Scalar:
    """Without its volumetric part, which belongs to the element."""
    C = math.right_cauchy_green(F)
    J, I1 = math.det(F), math.tr(C)
    I2 = 0.5 * (I1**2 - math.norm_sq(C))
    return C10 * (J ** (-2 / 3) * I1 - 3) + C01 * (J ** (-4 / 3) * I2 - 3)


# end energies


# ---- A FElupe material made from an energy ----


# begin material
def points(F: numpy.ndarray) -> R2:
    """(3, 3, points, cells) -> (points, cells; 3, 3), a view."""
    return R2(torch.from_numpy(F).movedim((0, 1), (-2, -1)))


def components_first(a: R2 | R4) -> numpy.ndarray:
    """(points, cells; 3, 3, ...) -> (3, 3, ..., points, cells), a view."""
    return a.torch().movedim(tuple(range(-a.base.dim(), 0)), tuple(range(a.base.dim()))).numpy()


def material(energy, **parameters) -> felupe.Material:
    def stress(x, **parameters):
        return [components_first(neml2.gradient(energy, points(x[0]), **parameters)), x[-1]]

    def elasticity(x, **parameters):
        return [components_first(neml2.hessian(energy, points(x[0]), **parameters))]

    return felupe.Material(stress, elasticity, **parameters)


# end material


# ---- The block ----

edge = 4 * options.refine
mesh = felupe.Cube(b=(2.0, 1.0, 1.0), n=(2 * edge + 1, edge + 1, edge + 1))


# begin solve
def press(umat, mixed: bool):
    """The block, glued between two plates, is pressed by a fifth and sheared by as much: the field, and the residuals of each step."""
    region, residuals = felupe.RegionHexahedron(mesh), []
    field = felupe.FieldsMixed(region, n=3) if mixed else felupe.FieldContainer([felupe.Field(region, dim=3)])
    solid = felupe.SolidBody(umat, field)
    for move in (0.05, 0.1, 0.15, 0.2):
        plates = felupe.dof.shear(field, moves=(move, 0.0, -move), axes=(0, 1), sym=False, return_loadcase=False)
        dof0, dof1 = felupe.dof.partition(field, plates)
        ext0 = felupe.dof.apply(field, plates, dof0)
        result = felupe.newtonraphson(items=[solid], dof0=dof0, dof1=dof1, ext0=ext0, tol=1e-10, verbose=False)
        residuals.append((move, list(result.fnorms)))
    force = felupe.tools.force(field, solid.results.force, plates["move"])
    return field, force, residuals


# end solve


# begin cases
cases = {  # the material here, FElupe's own, and whether pressure and volume are fields, too
    "neo-Hooke": (material(neo_hooke, mu=1.0, bulk=50.0), felupe.NeoHooke(mu=1.0, bulk=50.0), False),
    "Mooney-Rivlin": (
        felupe.NearlyIncompressible(material(mooney_rivlin, C10=0.4, C01=0.1), bulk=5000.0),
        felupe.NearlyIncompressible(felupe.Hyperelastic(felupe.mooney_rivlin, C10=0.4, C01=0.1), bulk=5000.0),
        True,
    ),
}
# end cases
print(f"{mesh.ncells} hexahedra, {mesh.npoints} nodes")
found = {}
for name, (here, own, mixed) in cases.items():
    field, force, residuals = press(here, mixed)
    other, other_force, _ = press(own, mixed)
    found[name] = field, residuals
    print(f"\n{name}: residuals after each iteration, relative to the forces at the plates\n move")
    for move, norms in residuals:
        print(f"{move:5.2f}" + "".join(f"{r:8.0e}" if r > 1e-11 else " < 1e-11" for r in norms))
    ratios = [b / a**2 for _, norms in residuals for a, b in zip(norms, norms[1:]) if b > 1e-11]
    print(f"each residual is at most {max(ratios):.2f} times the square of the one before it")
    checks.true(0 < max(ratios) < 50)
    checks.within("displacements are those of FElupe's own material", abs(field[0].values - other[0].values).max(), 1e-10)
    checks.within("the forces on the plate too", abs(force - other_force).max() / abs(force).max(), 1e-10)
    print(f"force on the plate: {force[0]:.4f} {force[1]:.4f}")

if options.time:
    F = found["neo-Hooke"][0].extract()[0]
    print(f"\nStress and elasticity tensor at {F[0, 0].size} points, ms: here, FElupe's own")
    own_mooney = felupe.Hyperelastic(felupe.mooney_rivlin, C10=0.4, C01=0.1)
    for name, pair in {
        "neo-Hooke": cases["neo-Hooke"][:2],
        "Mooney-Rivlin": (material(mooney_rivlin, C10=0.4, C01=0.1), own_mooney),
    }.items():
        times = []
        for umat in pair:
            times.append(shortest(lambda: (umat.gradient([F, None]), umat.hessian([F, None]))))  # noqa: B023
        print(f"{name:14s} {times[0]:8.2f} {times[1]:8.2f}")

if options.plot:
    from matplotlib import pyplot
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure = pyplot.figure(figsize=(9, 4), layout="constrained")
    solid, lines = figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)
    places = mesh.points + found["Mooney-Rivlin"][0][0].values
    faces = felupe.RegionHexahedronBoundary(mesh).mesh.cells_faces
    drawn = Poly3DCollection(places[faces][..., [0, 2, 1]], facecolors="C0", edgecolors="white", linewidth=0.5, shade=True)
    solid.add_collection3d(drawn)
    solid.set(xlim=(0, 2.2), ylim=(-0.2, 1.2), zlim=(0, 1), box_aspect=(2.2, 1.4, 1), title="Mooney-Rivlin")
    solid.set_axis_off()
    for (name, (_, residuals)), colour in zip(found.items(), ("C0", "C3")):
        norms = residuals[-1][1]
        lines.semilogy(range(1, len(norms) + 1), norms, "o-", color=colour, label=name)
    lines.set(xlabel="iteration", ylabel="residual over force at the plates", title="Newton's method, last step")
    lines.xaxis.get_major_locator().set_params(integer=True)
    lines.legend()
    figure.savefig(options.plot)
sys.exit(checks.failed)
