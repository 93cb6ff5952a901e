#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the stress-strain loops that an example writes.

    build/dev/examples/j2_plasticity curve.txt && scripts/plot_loops.py j2 curve.txt docs/images/j2.svg
    build/dev/examples/viscoplasticity curve.txt && scripts/plot_loops.py viscoplasticity curve.txt docs/images/viscoplasticity.svg
"""
import sys

LEFT, TOP, WIDTH, HEIGHT = 60, 40, 520, 300
# Title, the columns of stress, their names and colours, the largest stress that is marked, and whether the loop begins at 0.
CURVES = {
    "j2": ("Twisted tubes, pulled and pushed: axial stress in MPa over axial strain in %",
           [1, 3, 5], ["steel", "copper", "aluminium"], ["#3b82c4", "#d97706", "#6e7781"], 400, True),
    "viscoplasticity": ("Cycle 40 at four strain rates: axial stress in MPa over axial strain in %",
                        [1, 3, 5, 6], ["1e-6 /s", "1e-4 /s", "1e-2 /s", "1e-1 /s"],
                        ["#6e7781", "#3b82c4", "#d97706", "#b91c1c"], 200, False),
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

    def text(x, y, s, anchor="middle", weight="normal", fill="#6e7781", size=12):
        return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
                f'font-weight="{weight}" fill="{fill}">{s}</text>')

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 384" width="700" height="384" '
             'font-family="-apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif">',
             f"<title>{title}</title>", text(0, 20, title, "start", "bold", size=14)]
    for strain in (-0.01, -0.005, 0, 0.005, 0.01):
        x, _ = at(strain, 0)
        lines.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" stroke="#6e7781" '
                     f'stroke-opacity="{0.8 if strain == 0 else 0.22}"/>')
        lines.append(text(x, TOP + HEIGHT + 18, f"{100 * strain:g}"))
    for stress in range(-mark, mark + 1, mark // 2):
        _, y = at(0, stress)
        lines.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" stroke="#6e7781" '
                     f'stroke-opacity="{0.8 if stress == 0 else 0.22}"/>')
        lines.append(text(LEFT - 8, y + 4, f"{stress}", "end"))
    for c, colour in zip(columns, colours):
        points = [at(r[0], r[c]) for r in rows]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    ends = sorted((at(0, max(r[c] for r in rows if r[0] > 0.0095))[1], i) for i, c in enumerate(columns))
    free = 0.0
    for y, i in ends:
        free = max(free, y + 4)
        lines.append(text(LEFT + WIDTH + 8, free, names[i], "start", "bold", colours[i]))
        free += 15
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "</svg>"]) + "\n")


main(*sys.argv[1:])
