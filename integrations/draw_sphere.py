# SPDX-License-Identifier: MIT
"""Draws the output of `sphere --draw DATA`: an eighth of the sphere, its displacements over the pressure, and the residuals.

draw_sphere.py DATA PICTURE
"""

import sys

import matplotlib
import numpy
from matplotlib import pyplot
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

data, picture = sys.argv[1:]
rows: dict[str, list[numpy.ndarray]] = {"face": [], "exact": [], "displacement": [], "residuals": []}
with open(data, encoding="utf-8") as lines:
    for line in lines:
        kind, *numbers = line.split()
        rows[kind].append(numpy.array(numbers, dtype=float))

figure = pyplot.figure(figsize=(11, 4), layout="constrained")
solid, middle, right = figure.add_subplot(1, 3, 1, projection="3d"), figure.add_subplot(1, 3, 2), figure.add_subplot(1, 3, 3)
values = numpy.array([face[0] for face in rows["face"]])
corners = -numpy.array([face[1:].reshape(4, 3) for face in rows["face"]])  # mirrored, so that the planes of symmetry face the viewer
scale = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, values.max()), "viridis")
solid.add_collection3d(Poly3DCollection(corners, facecolors=scale.to_rgba(values), edgecolors="white", linewidth=0.4))
solid.set(xlim=(-165, 0), ylim=(-165, 0), zlim=(-165, 0), box_aspect=(1, 1, 1), title="accumulated plastic strain, %")
solid.view_init(elev=28, azim=40)
solid.set_axis_off()
figure.colorbar(scale, ax=solid, shrink=0.7, location="left")

for kind, style, label in (("exact", "-C0", "exact"), ("displacement", "oC3", "finite elements")):
    middle.plot(*numpy.array(rows[kind]).T[::-1], style, label=label)
middle.set(xlabel="displacement of the inner side, mm", ylabel="pressure, MPa", title="pressure")
middle.legend()
for pressure, *residuals in rows["residuals"][2:]:
    right.semilogy(range(len(residuals)), residuals, "o-", markersize=3, label=f"to {pressure:.0f} MPa")
right.set(xlabel="iteration", ylabel="residual over load", title="Newton's method", ylim=(1e-16, 2))
right.legend(loc="lower left", fontsize="small")
figure.savefig(picture, metadata={"Date": None})
