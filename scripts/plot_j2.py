#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/images/j2.svg: the stress-strain loops that `j2_plasticity curve.txt` writes.

    build/dev/examples/j2_plasticity curve.txt && scripts/plot_j2.py curve.txt docs/images/j2.svg
"""
import sys

NAMES, COLOURS = ["steel", "copper", "aluminium"], ["#3b82c4", "#d97706", "#6e7781"]
LEFT, TOP, WIDTH, HEIGHT = 60, 40, 520, 300


def main(source, target):
    with open(source, encoding="utf-8") as file:
        rows = [[0.0] * 7] + [[float(x) for x in line.split()] for line in file]
    strain_max = max(abs(r[0]) for r in rows) * 1.08
    stress_max = max(abs(x) for r in rows for x in r[1::2]) * 1.1

    def at(strain, stress):
        return LEFT + WIDTH * (strain / strain_max + 1) / 2, TOP + HEIGHT * (1 - stress / stress_max) / 2

    def text(x, y, s, anchor="middle", weight="normal", fill="#6e7781", size=12):
        return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
                f'font-weight="{weight}" fill="{fill}">{s}</text>')

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 384" width="700" height="384" '
             'font-family="-apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif">',
             "<title>Axial stress over axial strain of twisted tubes</title>",
             text(0, 20, "Twisted tubes, pulled and pushed: axial stress in MPa over axial strain in %", "start",
                  "bold", size=15)]
    for strain in (-0.01, -0.005, 0, 0.005, 0.01):
        x, _ = at(strain, 0)
        lines.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" stroke="#6e7781" '
                     f'stroke-opacity="{0.8 if strain == 0 else 0.22}"/>')
        lines.append(text(x, TOP + HEIGHT + 18, f"{100 * strain:g}"))
    for stress in range(-400, 401, 200):
        _, y = at(0, stress)
        lines.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" stroke="#6e7781" '
                     f'stroke-opacity="{0.8 if stress == 0 else 0.22}"/>')
        lines.append(text(LEFT - 8, y + 4, f"{stress}", "end"))
    for m, (name, colour) in enumerate(zip(NAMES, COLOURS)):
        points = [at(r[0], r[1 + 2 * m]) for r in rows]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    ends = sorted((at(0, max(r[1 + 2 * m] for r in rows if r[0] > 0.0095))[1], m) for m in range(3))
    free = 0.0
    for y, m in ends:
        free = max(free, y + 4)
        lines.append(text(LEFT + WIDTH + 8, free, NAMES[m], "start", "bold", COLOURS[m]))
        free += 15
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "</svg>"]) + "\n")


main(*sys.argv[1:])
