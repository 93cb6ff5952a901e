#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/images/calibration.svg: measured stresses, and those computed with the first and with the fitted parameters,
from the output of `calibration`.

    build/dev/examples/calibration curve.txt && scripts/plot_calibration.py curve.txt docs/images/calibration.svg
"""
import sys
from pathlib import Path

from svg import BLUE, GREY, curve, line, picture, text

LEFT, TOP, WIDTH, HEIGHT, GAP = 44, 50, 308, 270, 24
TUBES = [(0, "1e-6 /s", GREY), (3, "1e-3 /s", BLUE), (5, "1e-1 /s", "#b91c1c")]
TITLE = "Twisted tubes: shear stress in MPa over shear strain in %"


def main(source, target):
    with open(source, encoding="utf-8") as file:
        rows = [[0.0] * 19, *([float(x) for x in line.split()] for line in file)]

    def at(panel, strain, stress):
        return (LEFT + panel * (WIDTH + GAP) + WIDTH * (strain / 0.0215 + 1) / 2,
                TOP + HEIGHT * (1 - stress / 185) / 2)

    lines = [text(0, 20, TITLE, "start", "bold", size=14)]
    for panel, name in enumerate(["at the start", "found"]):
        for strain in (-0.02, -0.01, 0, 0.01, 0.02):
            x, _ = at(panel, strain, 0)
            lines += [line(x, TOP, x, TOP + HEIGHT, 0.22 if strain else 0.8),
                      text(x, TOP + HEIGHT + 18, f"{100 * strain:g}")]
        for stress in range(-150, 151, 50):
            (left, y), (right, _) = at(panel, -0.0215, stress), at(panel, 0.0215, stress)
            lines.append(line(left, y, right, y, 0.22 if stress else 0.8))
            if panel == 0:
                lines.append(text(left - 8, y + 4, f"{stress}", "end"))
        lines.append(text(at(panel, -0.0215, 0)[0], TOP - 8, name, "start", "bold"))
        for tube, _, colour in TUBES:
            lines.append(curve([at(panel, r[0], r[7 + 6 * panel + tube]) for r in rows], colour, 1.8))
            lines.append(f'<g fill="{colour}" fill-opacity="0.55">')
            for x, y in (at(panel, r[0], r[1 + tube]) for r in rows[1:]):
                lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2"/>')
            lines.append("</g>")
    x = LEFT + 2 * WIDTH + GAP
    for _, rate, colour in TUBES[::-1]:
        lines.append(text(x, TOP - 8, rate, "end", "bold", colour))
        x -= 62
    lines.append(text(LEFT + WIDTH, TOP - 8, "dots: measured", "end"))
    Path(target).write_text(picture(TITLE, 700, 350, lines), encoding="utf-8")


main(*sys.argv[1:])
