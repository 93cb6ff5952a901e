#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of docs/images that explain shapes, components, rotations and the fused pass: draw_concepts.py [--check]

They are 480 wide, so that letters of size 15 can be read on a phone; boxes leave room for fonts that are wider than usual.
The batch is blue, the base orange, and parts that are not stored are hatched. `--check` lists the pictures that differ from new drawings.
"""
import sys
from math import cos, radians, sin
from pathlib import Path

from pages import write_or_check
from svg import BLUE, FONT, GREY, ORANGE, RED

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
WIDTH = 480
NAMES = {BLUE: "blue", ORANGE: "orange"}
LANES = (0.85, 0.6, 0.38, 0.18)  # opacities of the rows of a pack


class Picture:
    def __init__(self, title, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-size="15" '
            f'text-anchor="middle" fill="{GREY}" font-family="{FONT}">',
            f"<title>{title}</title>", "<defs>"]
        for colour, name in NAMES.items():
            self.add(f'<pattern id="{name}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
                     f'<path d="M0 0V5" stroke="{colour}" stroke-opacity="0.45" stroke-width="1.6"/></pattern>')
        self.add("</defs>")

    def add(self, part):
        self.parts.append(part)

    def svg(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"

    def text(self, x, y, text, colour=GREY, size=15, bold=False, anchor="middle", turn=0):
        """A text, or a list of (text, colour), with its base line at y."""
        if not isinstance(text, str):
            text = "".join(f'<tspan fill="{c}">{t}</tspan>' for t, c in text)
        more = (f' fill="{colour}"' if colour != GREY else "") + (f' font-size="{size}"' if size != 15 else "")
        more += (' font-weight="bold"' if bold else "") + (f' text-anchor="{anchor}"' if anchor != "middle" else "")
        more += f' transform="rotate({turn} {x:g} {y:g})"' if turn else ""
        self.add(f'<text x="{x:g}" y="{y:g}"{more}>{text}</text>')

    def box(self, x, y, width, height, colour=GREY, opacity=0.14, hatched=False, radius=3):
        fill = f'fill="url(#{NAMES[colour]})" stroke-dasharray="3 2"' if hatched else f'fill="{colour}" fill-opacity="{opacity}"'
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" {fill} stroke="{colour}" '
                 f'stroke-opacity="{0.6 if hatched else 1}"/>')

    def grid(self, x, y, columns, rows, width, height, colour=ORANGE, hatched=False, opacity=0.2):
        """Cells of this width and height: the inside of a tensor."""
        self.box(x, y, columns * width, rows * height, colour, opacity, hatched, 1)
        inner = "".join(f"M{x + i * width:g} {y:g}v{rows * height:g}" for i in range(1, columns))
        inner += "".join(f"M{x:g} {y + i * height:g}h{columns * width:g}" for i in range(1, rows))
        self.add(f'<path d="{inner}" stroke="{colour}" stroke-opacity="{0.25 if hatched else 0.6}" fill="none"/>')

    def line(self, points, colour=GREY, width=1.5, dashed=False, opacity=1.0):
        path = "M" + "L".join(f"{x:.4g} {y:.4g}" for x, y in points)
        more = (' stroke-dasharray="4 3"' if dashed else "") + (f' stroke-opacity="{opacity}"' if opacity < 1 else "")
        self.add(f'<path d="{path}" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round" fill="none"{more}/>')

    def head(self, x, y, angle, colour, size=10):
        """The head of an arrow that points to (x, y), in degrees from the x axis, counterclockwise."""
        corners = [(x - size * cos(radians(angle + d)), y + size * sin(radians(angle + d))) for d in (24, -24)]
        self.add(f'<path d="M{x:.4g} {y:.4g}' + "".join(f"L{a:.4g} {b:.4g}" for a, b in corners) + f'z" fill="{colour}"/>')

    def arrow(self, x, y, angle, length, colour=GREY, width=1.5, opacity=1.0):
        end = x + length * cos(radians(angle)), y - length * sin(radians(angle))
        neck = x + (length - 7) * cos(radians(angle)), y - (length - 7) * sin(radians(angle))
        self.line([(x, y), neck], colour, width, opacity=opacity)
        self.head(*end, angle, colour)
        return end

    def arc(self, x, y, radius, begin, end, colour=GREY):
        """An arrow along a circle; it turns clockwise if it ends at the smaller angle."""
        turn = 1 if end > begin else -1
        stop = end - turn * 300 / radius
        (x0, y0), (x1, y1), (xn, yn) = [(x + radius * cos(radians(a)), y - radius * sin(radians(a))) for a in (begin, end, stop)]
        self.add(f'<path d="M{x0:.4g} {y0:.4g}A{radius} {radius} 0 0 {int(turn < 0)} {xn:.4g} {yn:.4g}" stroke="{colour}" '
                 'stroke-width="1.5" fill="none"/>')
        self.head(x1, y1, end + turn * (90 - 200 / radius), colour, 9)

    def span(self, x0, y0, x1, y1, colour):
        """A dimension line between two points, horizontal or vertical."""
        dx, dy = (0, 4) if y0 == y1 else (4, 0)
        self.add(f'<path d="M{x0} {y0}L{x1} {y1}M{x0 - dx} {y0 - dy}l{2 * dx} {2 * dy}M{x1 - dx} {y1 - dy}l{2 * dx} {2 * dy}" '
                 f'stroke="{colour}" stroke-width="1.5"/>')

    def dots(self, x, y):
        for i in (-1, 0, 1):
            self.add(f'<circle cx="{x:g}" cy="{y + 7 * i:g}" r="1.7"/>')

    def size(self, x, y, width, text, colour, hatched=False):
        """A box that shows the size of one dimension."""
        self.box(x, y, width, 28, colour, hatched=hatched)
        self.text(x + width / 2, y + 20, text, colour, 17, True)

    def matrix(self, x, y, rows, pitch, row=24):
        """Numbers in brackets. The first number is centred at x, with its base line at y."""
        for i, numbers in enumerate(rows):
            for j, number in enumerate(numbers):
                self.text(x + j * pitch, y + i * row, number)
        left, right, top, bottom = x - pitch * 0.6, x + pitch * (len(rows[0]) - 0.4), y - 18, y + row * (len(rows) - 1) + 9
        self.line([(left + 6, top), (left, top), (left, bottom), (left + 6, bottom)])
        self.line([(right - 6, top), (right, top), (right, bottom), (right - 6, bottom)])

    def axes(self, x, y, length, names=("x", "y"), turn=0, colour=GREY):
        for angle, name in zip((turn, turn + 90), names):
            self.arrow(x, y, angle, length, colour)
            far = length + 13
            self.text(x + far * cos(radians(angle)), y - far * sin(radians(angle)) + 5, name, colour)


def shape():
    p = Picture("A batch of shape (1000, 2; 6): a grid of 1000 times 2 entries, each a row of 6 numbers", 262)
    p.text(240, 24, [("SR2 (", GREY), ("1000, 2", BLUE), ("; ", GREY), ("6", ORANGE), (")", GREY)], size=22, bold=True)
    p.span(84, 84, 84, 226, BLUE)
    p.text(74, 152, "1000", BLUE, 17, True, "end")
    p.text(74, 171, "points", BLUE, anchor="end")
    p.span(98, 70, 274, 70, BLUE)
    p.text(186, 61, [("<tspan font-size=\"17\" font-weight=\"bold\">2</tspan> samples", BLUE)])
    p.add(f'<path d="M274 116L300 104V140L274 134z" fill="{ORANGE}" fill-opacity="0.2"/>')
    for y in (84, 116, 148, 208):
        for x in (98, 196):
            p.grid(x, y, 6, 1, 13, 18, ORANGE if (x, y) == (196, 116) else BLUE, opacity=0.5 if (x, y) == (196, 116) else 0.14)
    p.dots(137, 187)
    p.dots(235, 187)
    p.grid(300, 104, 6, 1, 29, 36, opacity=0.3)
    for i in range(6):
        p.text(314.5 + 29 * i, 127, str(i), ORANGE)
    p.span(300, 92, 474, 92, ORANGE)
    p.text(387, 83, [("<tspan font-size=\"17\" font-weight=\"bold\">6</tspan> components", ORANGE)])
    p.text(387, 164, "one entry: a strain")
    p.text(186, 254, "batch", BLUE, 17, True)
    p.text(387, 254, "base", ORANGE, 17, True)
    return p.svg()


def broadcasting():
    p = Picture("Shapes (2; 6, 6) and (1000, 2; 6), aligned at the semicolon; the stiffnesses serve all 1000 points", 388)
    p.text(212, 18, "batch", BLUE, 17, True)
    p.text(370, 18, "base", ORANGE, 17, True)
    for y, name, sizes, base in ((28, "stiffness", ("", "2"), 2), (62, "strain", ("1000", "2"), 1), (108, "stress", ("1000", "2"), 1)):
        p.text(112, y + 20, name, anchor="end")
        p.size(128, y, 92, sizes[0], BLUE, not sizes[0])
        p.size(228, y, 68, sizes[1], BLUE)
        p.text(306, y + 20, ";", size=20, bold=True)
        for i in range(base):
            p.size(318 + 54 * i, y, 48, "6", ORANGE)
    p.line([(128, 99), (420, 99)])
    p.text(174, 156, "missing: fine", BLUE)
    p.text(262, 156, "equal", BLUE)
    for x, kind, batch, base in ((78, "SSR4", "2", "6, 6"), (240, "SR2", "1000, 2", "6"), (398, "SR2", "1000, 2", "6")):
        p.text(x, 200, [(f"{kind} (", GREY), (batch, BLUE), ("; ", GREY), (base, ORANGE), (")", GREY)])
    p.text(160, 282, "*", size=24, bold=True)
    p.text(320, 278, "=", size=24, bold=True)
    for i, y in enumerate((212, 256, 318)):
        for x in (37, 83):
            p.grid(x, y, 6, 6, 6, 6, hatched=i > 0)
        for x in (214, 254, 372, 412):
            p.grid(x, y, 1, 6, 12, 6)
    for x in (55, 101, 220, 260, 378, 418):
        p.dots(x, 305)
    p.box(37, 369, 22, 14, ORANGE, hatched=True)
    p.text(68, 381, "read again, not stored: a stride of 0", anchor="start")
    return p.svg()


def refused():
    p = Picture("(2; 6, 6) and (6; 6) are refused, as 2 is not 6; (2; 6, 6) and (6, 1; 6) fit", 166)

    def rows(x, operands):
        for y, (batch, base, colour) in zip((34, 82, 130), operands):
            for i, size in enumerate(batch):
                p.size(x + 40 * i, y, 36, size, colour, not size)
            p.text(x + 40 * len(batch) + 6, y + 20, ";", size=20, bold=True)
            for i in range(base):
                p.size(x + 40 * len(batch) + 16 + 40 * i, y, 36, "6", ORANGE)

    p.text(120, 18, "refused", RED, 17, True)
    p.text(46, 54, "SSR4", anchor="end")
    p.text(46, 102, "SR2", anchor="end")
    rows(56, [(("2",), 2, RED), (("6",), 1, RED)])
    p.text(74, 78, "≠", RED, 17, True)
    p.arrow(168, 96, 0, 108)
    p.text(372, 18, "SR2.batch_unsqueeze(-1)")
    rows(292, [(("", "2"), 2, BLUE), (("6", "1"), 1, BLUE), (("6", "2"), 1, BLUE)])
    p.line([(292, 120), (464, 120)])
    return p.svg()


def mandel():
    p = Picture("Where the six Mandel components are in a symmetric matrix: down the diagonal, up the last column, to the left", 196)
    order = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]  # row, column
    for i, j in order:
        colour = BLUE if i == j else ORANGE
        for row, column in dict.fromkeys([(i, j), (j, i)]):
            p.box(16 + 56 * column, 14 + 56 * row, 56, 56, colour, hatched=row > column, radius=0)
    path = [(44 + 56 * j, 42 + 56 * i) for i, j in order]
    p.line([(path[0][0] - 14, path[0][1] - 14), *path, (path[-1][0] - 8, path[-1][1])], GREY, 12, opacity=0.2)
    for k, (i, j) in enumerate(order):
        colour = BLUE if i == j else ORANGE
        p.text(44 + 56 * j, 43 + 56 * i, str(k), colour, 21, True)
        p.text(44 + 56 * j, 61 + 56 * i, f"s{i}{j}", colour, 14)
        if i != j:
            p.text(44 + 56 * i, 43 + 56 * j, str(k), colour, 21)
        p.box(262, 14 + 28 * k, 108, 28, colour, radius=0)
        p.text(252, 34 + 28 * k, str(k), colour, 17, True, "end")
        p.text(316, 33 + 28 * k, f"s{i}{j}" if i == j else f"√2 s{i}{j}", colour)
    p.arrow(194, 98, 0, 36)
    for y, colour, name, factor in ((14, BLUE, "normal", "× 1"), (98, ORANGE, "shear", "× √2")):
        p.line([(380, y + 4), (386, y + 4), (386, y + 80), (380, y + 80)], colour)
        p.text(396, y + 38, name, colour, anchor="start")
        p.text(396, y + 59, factor, colour, 17, True, "start")
    return p.svg()


def rotation():
    p = Picture("An active rotation by the angle θ about z: the vector turns counterclockwise, the axes stay", 218)
    x, y = 48, 176
    p.axes(x, y, 150)
    p.arrow(x, y, 14, 132, BLUE, 3)
    p.arrow(x, y, 64, 132, ORANGE, 3)
    p.arc(x, y, 66, 14, 64)
    p.text(x + 84 * cos(radians(39)), y - 84 * sin(radians(39)) + 5, "θ", size=18)
    p.text(x + 138, y - 38, "v", BLUE, 18, True)
    p.text(x + 66, y - 126, "v' = R v", ORANGE, 18, True, "start")
    p.add(f'<circle cx="{x}" cy="{y}" r="7" fill="#fff" fill-opacity="0" stroke="{GREY}" stroke-width="1.5"/>')
    p.add(f'<circle cx="{x}" cy="{y}" r="2.5"/>')
    p.text(x - 8, y + 28, "z, to the viewer", anchor="start")
    p.text(374, 62, "a quarter turn about z")
    p.text(300, 121, "R =", size=18)
    p.matrix(348, 97, [("0", "-1", "0"), ("1", "0", "0"), ("0", "0", "1")], 36)
    p.text(374, 192, "takes x to y")
    return p.svg()


def bunge():
    p = Picture("The crystal's axes turned by 30 degrees; the components of a vector in them, and the rotation with the same matrix", 214)
    y, length, turn, at = 150, 100, 30, 62
    for x, axes, vector in ((84, turn, at), (310, 0, at - turn)):
        end = x + length * cos(radians(vector)), y - length * sin(radians(vector))
        for part, direction in ((cos(radians(at - turn)), axes), (sin(radians(at - turn)), axes + 90)):
            foot = x + length * part * cos(radians(direction)), y - length * part * sin(radians(direction))
            p.line([(x, y), foot], BLUE, 9, opacity=0.4)
            p.line([end, foot], BLUE, dashed=True)
        p.axes(x, y, 130)
        if axes:
            p.axes(x, y, 116, ("x'", "y'"), axes, ORANGE)
            p.arc(x, y, 60, 0, axes)
            p.text(x + 78, y - 14, "φ1", size=16)
        else:
            p.arrow(x, y, at, length, BLUE, 2.5, 0.4)
            p.text(x + 52, y - 94, "v", BLUE, 18, True, "start")
            p.arc(x, y, 60, at, vector)
        p.arrow(x, y, vector, length, BLUE, 3)
        p.text(end[0] + 6, end[1] - 4, "v" if axes else "M v", BLUE, 18, True, "start")
    p.text(122, 186, [("x, y: sample", GREY), (" &#160; x', y': crystal", ORANGE)])
    p.text(122, 206, "components in x', y': M v", BLUE)
    p.text(368, 186, "the rotation of M")
    p.text(368, 206, "turns v back by φ1", BLUE)
    return p.svg()


def fused():
    p = Picture("A tile of rows of a batch goes through registers in packs of 4 rows; threads have a part of the batch each", 330)
    for x, text in ((72, "memory"), (248, "registers"), (440, "memory")):
        p.text(x, 18, text, size=17, bold=True)
    for x, name, colour in ((72, "strain", BLUE), (440, "stress", ORANGE)):
        p.text(x, 40, name, colour)
        p.grid(x - 30, 50, 6, 20, 10, 10, colour, opacity=0.05)
        for i, opacity in enumerate(LANES):
            p.add(f'<rect x="{x - 30}" y="{70 + 10 * i}" width="60" height="10" fill="{colour}" fill-opacity="{opacity}"/>')
        p.box(x - 33, 69, 66, 82, colour, 0.08)
    for i, y in enumerate((50, 154)):
        p.span(30, y, 30, y + 96, GREY)
        p.text(20, y + 50, f"thread {i}", turn=-90)
    p.text(72, 272, "a tile: framed", BLUE)
    for x, colour in ((158, BLUE), (286, ORANGE)):
        for k in range(6):
            for i, opacity in enumerate(LANES):
                p.box(x + 14 * i, 62 + 20 * k, 14, 15, colour, opacity, radius=0)
    p.text(186, 54, "a pack", BLUE)
    p.arrow(110, 92, 0, 42)
    p.text(130, 84, "load")
    p.arrow(348, 92, 0, 52)
    p.text(372, 84, "store")
    p.line([(218, 120), (232, 120)])
    p.add(f'<circle cx="250" cy="120" r="18" fill="{GREY}" fill-opacity="0.14" stroke="{GREY}"/>')
    p.text(250, 126, "C ε", bold=True)
    p.arrow(268, 120, 0, 14)
    p.grid(223, 200, 6, 6, 9, 9, GREY)
    p.arrow(250, 198, 90, 56)
    p.text(250, 272, "stiffness: once a tile")
    p.text(240, 300, "a register has one component of each row of a pack:")
    p.text(240, 320, "8 rows with AVX-512, 4 with AVX2 (drawn)")
    return p.svg()


def paths():
    p = Picture("How a call runs: fused, recorded or composed, by its operands", 420)

    def lines(x, y, *texts):
        for i, text in enumerate(texts):
            p.text(x, y + 19 * i, text, anchor="start")

    def outcome(begin, y, name, colour, *texts):
        p.arrow(begin, y, 0, 316 - begin, colour, 2)
        p.box(318, y - 33, 161, 66, colour, radius=6)
        p.text(398.5, y - 12, name, colour, 17, True)
        for i, text in enumerate(texts):
            p.text(398.5, y + 7 + 18 * i, text, colour, 14)

    for y, height in ((1, 48), (73, 170), (267, 54), (345, 74)):
        p.box(1, y, 286, height, opacity=0.1, radius=6)
        if y > 1:
            p.arrow(143, y - 23, -90, 22)
        if y > 73:
            p.text(152, y - 7, "else", size=14, anchor="start")
    for y, height in ((125, 48), (183, 48)):
        p.box(13, y, 262, height, opacity=0.1, radius=6)
    lines(14, 21, "operands are checked, always:", "defined, shapes, dtype, device")
    lines(14, 95, "dense CPU tensors,", "all float64 or all float32")
    lines(26, 154, "no gradient to record")
    lines(26, 203, "a gradient to record,", "and a derivative rule")
    lines(14, 290, "dense CUDA tensors, a formula", "or an operation with a kernel")
    lines(14, 367, "other dtypes, other operations", "on CUDA, functorch, tracing,", "forward-mode tangents …")
    outcome(276, 145, "fused", BLUE, "one pass", "over memory")
    outcome(276, 217, "recorded", ORANGE, "the same pass,", "a node of autograd")
    outcome(288, 294, "fused", BLUE, "one kernel,", "by NVRTC")
    outcome(288, 382, "composed", GREY, "LibTorch's calls", "on whole batches")
    return p.svg()


PICTURES = {"shape": shape, "broadcasting": broadcasting, "refused": refused, "mandel": mandel, "rotation": rotation, "bunge": bunge,
            "fused": fused, "paths": paths}


if __name__ == "__main__":
    sys.exit(max(write_or_check(IMAGES / f"{name}.svg", picture(), f"docs/images/{name}.svg is not what is drawn; run scripts/draw_concepts.py")
                 for name, picture in PICTURES.items()))
