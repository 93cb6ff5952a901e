#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/images/finite_elements.svg: deformed meshes of hexahedra, coloured by a value of each element.

    build/dev/examples/finite_elements mesh.txt && scripts/plot_mesh.py mesh.txt docs/images/finite_elements.svg

Each line of the file has the angle, the value and the eight corners of an element; the last coordinate varies fastest.
"""
import math
import sys
from pathlib import Path

from svg import picture, text

WIDTH, HEIGHT, SCALE = 700, 424, 84  # pixels; SCALE is the pixels per unit of length
AZIMUTH, ELEVATION = math.radians(32), math.radians(20)  # the position of the viewer
LIGHT = (-0.35, 0.55, 0.75)  # to the right, up, to the viewer
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]  # outward
STOPS = [(50, 136, 189), (102, 194, 165), (171, 221, 164), (230, 245, 152),
         (254, 224, 139), (253, 174, 97), (244, 109, 67), (213, 62, 79)]


def colour(t, light=1.0):
    """A colour: blue at t = 0, red at 1, darker with less light."""
    t = min(max(t, 0), 1) * (len(STOPS) - 1)
    i = min(int(t), len(STOPS) - 2)
    return "#" + "".join(f"{round((p + (t - i) * (q - p)) * light):02x}" for p, q in zip(STOPS[i], STOPS[i + 1]))


def view(x, y, z):
    """The coordinates of a point to the right, up and to the viewer."""
    x, y, z = x - 0.5, y - 0.5, z - 2
    right, back = x * math.cos(AZIMUTH) + y * math.sin(AZIMUTH), y * math.cos(AZIMUTH) - x * math.sin(AZIMUTH)
    return (right, z * math.cos(ELEVATION) + back * math.sin(ELEVATION), z * math.sin(ELEVATION) - back * math.cos(ELEVATION))


def visible_faces(elements):
    """(depth, projected corners, value, light) of the faces that belong to one element only and that face the viewer; values are
    averaged at the nodes."""
    at_node, of_face = {}, {}
    for value, corners in elements:
        for corner in corners:
            at_node.setdefault(corner, []).append(value)
        for face in FACES:
            quad = [corners[k] for k in face]
            of_face.setdefault(frozenset(quad), []).append(quad)
    for quads in of_face.values():
        if len(quads) > 1:
            continue
        seen = [view(*corner) for corner in quads[0]]
        u, v = ([b - a for a, b in zip(seen[i], seen[i + 2])] for i in (0, 1))
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        length = math.hypot(*normal)
        if normal[2] <= 0:
            continue
        light = 0.78 + 0.22 * max(0, sum(n * c for n, c in zip(normal, LIGHT)) / length / math.hypot(*LIGHT))
        value = sum(sum(at_node[c]) / len(at_node[c]) for c in quads[0]) / 4
        yield sum(s[2] for s in seen), seen, value, light


def main(source, target):
    states = {}
    with open(source, encoding="utf-8") as file:
        for line in file:
            angle, value, *x = map(float, line.split())
            states.setdefault(angle, []).append((value, [tuple(x[k:k + 3]) for k in range(0, 24, 3)]))
    drawn = {angle: sorted(visible_faces(elements), key=lambda face: face[0]) for angle, elements in states.items()}
    highest = max(value for faces in drawn.values() for _, _, value, _ in faces)
    lines = ['<g stroke="#000000" stroke-opacity="0.3" stroke-width="0.5" stroke-linejoin="round">']
    for column, (angle, faces) in enumerate(drawn.items()):
        middle = 80 + 145 * column
        for _, seen, value, light in faces:
            points = " ".join(f"{middle + SCALE * x:.1f},{HEIGHT / 2 - 10 - SCALE * y:.1f}" for x, y, _ in seen)
            lines.append(f'<path d="M{points}z" fill="{colour(value / highest, light)}"/>')
    lines.append("</g>")

    for column, angle in enumerate(drawn):
        lines.append(text(80 + 145 * column, HEIGHT - 14, f"{angle:g}°", size=13))
    for k in range(64):
        lines.append(f'<rect x="622" y="{310 - 3.5 * k:.1f}" width="16" height="4" fill="{colour((k + 0.5) / 64)}"/>')
    lines += [text(645, 60, "von Mises", size=13), text(645, 76, "stress / μ", size=13)]
    step = 0.2 if highest < 1.2 else 0.5
    for k in range(int(highest / step) + 1):
        lines.append(text(644, 318 - 224 * k * step / highest, f"{k * step:.1f}", "start", size=13))
    Path(target).write_text(picture("A square bar of a neo-Hookean solid, twisted", WIDTH, HEIGHT, lines), encoding="utf-8")


main(*sys.argv[1:])
