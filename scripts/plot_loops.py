#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the stress-strain loops that an example writes.

    build/dev/examples/j2_plasticity curve.txt && scripts/plot_loops.py j2 curve.txt docs/images/j2.svg
    build/dev/examples/viscoplasticity curve.txt && scripts/plot_loops.py viscoplasticity curve.txt docs/images/viscoplasticity.svg
"""
import sys
from pathlib import Path

from svg import BLUE, GREY, ORANGE, curve, line, picture, text

LEFT, TOP, WIDTH, HEIGHT = 60, 40, 520, 300
# Title, the columns of stress, their names and colours, the largest stress that is marked, and whether the loop begins at 0.
CURVES = {
    "j2": ("Twisted tubes, pulled and pushed: axial stress in MPa over axial strain in %",
           [1, 3, 5], ["steel", "copper", "aluminium"], [BLUE, ORANGE, GREY], 400, True),
    "viscoplasticity": ("Cycle 40 at four strain rates: axial stress in MPa over axial strain in %",
                        [1, 3, 5, 6], ["1e-6 /s", "1e-4 /s", "1e-2 /s", "1e-1 /s"],
                        [GREY, BLUE, ORANGE, "#b91c1c"], 200, False),
}


def main(kind, source, target):
    title, columns, names, colours, mark, from_zero = CURVES[kind]
    with open(source, encoding="utf-8") as file:
        rows = [[float(x) for x in line.split()] for line in file]
    if from_zero:
        rows.insert(0, [0.0] * len(rows[0]))
    strain_max = max(abs(r[0]) for r in rows) * 1.08
    stress_max = max(abs(r[c]) for r in rows for c in columns) * 1.1

    def at(strain, stress):
        return LEFT + WIDTH * (strain / strain_max + 1) / 2, TOP + HEIGHT * (1 - stress / stress_max) / 2

    lines = [text(0, 20, title, "start", "bold", size=14)]
    for strain in (-0.01, -0.005, 0, 0.005, 0.01):
        x, _ = at(strain, 0)
        lines.append(line(x, TOP, x, TOP + HEIGHT, 0.22 if strain else 0.8))
        lines.append(text(x, TOP + HEIGHT + 18, f"{100 * strain:g}"))
    for stress in range(-mark, mark + 1, mark // 2):
        _, y = at(0, stress)
        lines.append(line(LEFT, y, LEFT + WIDTH, y, 0.22 if stress else 0.8))
        lines.append(text(LEFT - 8, y + 4, f"{stress}", "end"))
    for c, colour in zip(columns, colours):
        lines.append(curve([at(r[0], r[c]) for r in rows], colour))
    ends = sorted((at(0, max(r[c] for r in rows if r[0] > 0.0095))[1], i) for i, c in enumerate(columns))
    free = 0.0
    for y, i in ends:
        free = max(free, y + 4)
        lines.append(text(LEFT + WIDTH + 8, free, names[i], "start", "bold", colours[i]))
        free += 15
    Path(target).write_text(picture(title, 700, 384, lines), encoding="utf-8")


main(*sys.argv[1:])
