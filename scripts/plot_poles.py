#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/images/taylor.svg: {111} pole figures before and after tension, from the output of `taylor poles.txt`.

    build/dev/examples/taylor poles.txt && scripts/plot_poles.py poles.txt docs/images/taylor.svg

The projection is equal-area, along the axis of tension; the colour is the density of poles relative to that of random crystals.
"""
import math
import sys
from pathlib import Path

from svg import GREY, picture, text

CELLS, RADIUS = 32, 120  # cells from edge to edge, pixels


def densities(points):
    """The number of points in each cell divided by the number for a uniform distribution."""
    counts = [[0.0] * CELLS for _ in range(CELLS)]
    for x, y, z in points:
        s = -1 if z < 0 else 1  # a pole and its opposite count as one
        scale = 1 / math.sqrt(1 + abs(z))  # the hemisphere within the unit circle
        i, j = (min(CELLS - 1, int((c * s * scale + 1) / 2 * CELLS)) for c in (x, y))
        counts[j][i] += 1
    return [[c / (len(points) * 4 / (math.pi * CELLS**2)) for c in row] for row in counts]


def colour(density):
    """A colour: white at 0, blue at 1, dark red from 4 on."""
    stops = [(0, (255, 255, 255)), (1, (147, 190, 225)), (2, (253, 190, 110)), (4, (160, 20, 20))]
    for (a, low), (b, high) in zip(stops, stops[1:]):
        if density <= b:
            t = (density - a) / (b - a)
            return "#" + "".join(f"{round(p + t * (q - p)):02x}" for p, q in zip(low, high))
    return "#a01414"


def main(source, target):
    steps = {}
    with open(source, encoding="utf-8") as file:
        for line in file:
            step, *pole = line.split()
            steps.setdefault(int(step), []).append([float(c) for c in pole])
    lines = []
    cell = 2 * RADIUS / CELLS
    for figure, (step, points) in enumerate(sorted(steps.items())):
        left, top = 30 + figure * 2.2 * RADIUS, 40
        name = "before" if step == 0 else "after 50 % strain"
        lines.append(text(left + RADIUS, 24, f"{{111}}, {name}", weight="bold", size=14))
        for j, row in enumerate(densities(points)):
            for i, density in enumerate(row):
                if math.hypot(i + 0.5 - CELLS / 2, j + 0.5 - CELLS / 2) < CELLS / 2:
                    lines.append(f'<rect x="{left + i * cell:.1f}" y="{top + j * cell:.1f}" width="{cell + 0.2:.1f}" '
                                 f'height="{cell + 0.2:.1f}" fill="{colour(density)}"/>')
        lines.append(f'<circle cx="{left + RADIUS:.0f}" cy="{top + RADIUS}" r="{RADIUS}" fill="none" stroke="{GREY}"/>')
    for k, density in enumerate((0, 0.5, 1, 1.5, 2, 3, 4)):
        lines.append(f'<rect x="575" y="{220 - 24 * k}" width="18" height="24" fill="{colour(density)}" stroke="{GREY}" '
                     'stroke-width="0.5"/>')
        lines.append(text(598, 236 - 24 * k, f"{density:g}", "start"))
    lines.append(text(560, 264, "× random", "start"))
    title = "{111} pole figures of a face-centred cubic metal in tension"
    Path(target).write_text(picture(title, 640, 310, lines), encoding="utf-8")


main(*sys.argv[1:])
