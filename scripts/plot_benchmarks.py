#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the tables of the pages: plot_benchmarks.py [--check]

docs/images/sizes.svg shows the time per point over the number of points, from benchmarks.md; docs/images/formulas.svg shows the time of
Python formulas relative to C++. --check lists the pictures that do not match the tables.
"""
import sys
from math import log10
from pathlib import Path

from pages import benchmarks, results, tables, write_or_check
from svg import BLUE, GREY, ORANGE, RED, curve, line, picture, text

DOCS = Path(__file__).resolve().parent.parent / "docs"
WIDTH, HEIGHT, LEFT, TOP, ACROSS, DOWN = 290, 170, 52, 84, 354, 226  # the size of a panel, the margins, and the distances between panels
POWERS = {"1": 0, "100": 2, "10⁴": 4, "10⁵": 5, "10⁶": 6}


def panels(title, label_of, curves, found):
    """Four panels of (name, {curve: [(power of ten of N, value)]}); curves are (name, colour, more)."""
    parts = [text(0, 20, title, "start", "bold", size=15)]
    x = 0
    for name, colour, more in curves:
        parts += [curve([(x, 42), (x + 22, 42)], colour, 2.4, more), text(x + 28, 46, name, "start", size=12.5)]
        x += 48 + 6.8 * len(name)
    values = [v for _, lines in found for points in lines.values() for _, v in points]
    low, high = log10(min(values)) - 0.08, log10(max(values)) + 0.08
    for k, (name, lines) in enumerate(found):
        left, top = LEFT + k % 2 * ACROSS, TOP + k // 2 * DOWN

        def at(power, value, left=left, top=top):
            return left + WIDTH * (power + 0.3) / 6.6, top + HEIGHT * (high - log10(value)) / (high - low)

        parts.append(text(left, top - 10, name, "start", "bold", size=13))
        for tick in (10.0**p * d for p in range(-2, 7) for d in ((1, 3) if high - low < 3 else (1,))):
            if low <= log10(tick) <= high:
                _, y = at(0, tick)
                parts += [line(left, y, left + WIDTH, y, 0.8 if label_of(tick) == "1 ×" else 0.22),
                          text(left - 6, y + 4, label_of(tick), "end", size=11)]
        for label in ("1", "100", "10⁴", "10⁶"):
            px, _ = at(POWERS[label], 1)
            parts += [line(px, top, px, top + HEIGHT, 0.22), text(px, top + HEIGHT + 16, ("N = " if label == "1" else "") + label, size=11)]
        for name_of, colour, more in reversed(curves):
            points = [at(p, v) for p, v in lines[name_of]]
            if points:
                parts.append(curve(points, colour, 2.4, more))
                parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in points]
    return picture(title, LEFT + ACROSS + WIDTH + 8, TOP + DOWN + HEIGHT + 28, parts)


def sizes():
    operations = ["C * strain", "SR2 rotate by Rot", "J2", "J2 and tangent"]
    names = {"neml2": "NEML2 tensors", "best": "best composition of LibTorch", "obvious": "obvious one", "hand": "loop by hand"}
    found = {operation: {name: [] for name in names.values()} for operation in operations}
    for _, operation, size, row in benchmarks(DOCS / "benchmarks.md"):
        if operation in found:
            power = POWERS[size]
            ours = float(row["neml2 µs"]) * 1000 / 10**power
            for kind, name in names.items():
                if ratio := {"neml2": "1"}.get(kind) or row[kind]:
                    found[operation][name].append((power, ours / float(ratio) if kind == "hand" else ours * float(ratio)))
    colours = [(BLUE, ""), (ORANGE, ""), (GREY, ""), (RED, ' stroke-dasharray="5 3"')]
    return panels("Time of one point, over the number of points N", lambda ns: f"{ns:g} ns" if ns < 1000 else f"{ns / 1000:g} µs",
                  [(name, *colour) for name, colour in zip(names.values(), colours)], list(found.items()))


def formulas():
    curves = {"compiled": (BLUE, ""), "interpreted": (BLUE, ' stroke-dasharray="5 3"'), "op by op": (GREY, ""), "torch.compile": (ORANGE, ""),
              "NEML2 3.x": (RED, "")}
    begin = "<!-- results: written by benchmarks/python_formulas.py --docs -->"
    page = next(p for p in sorted(DOCS.glob("*.md")) if begin in p.read_text(encoding="utf-8"))
    found = {}
    for row in next(tables(results(page, begin))):
        lines = found.setdefault(row["formula"], {name: [] for name in curves})
        for name in curves:
            if row[name]:
                lines[name].append((POWERS[row["N"]], float(row[name])))
    return panels("Formulas of Python: time over that of C++", lambda ratio: f"{ratio:g} ×",
                  [(name, *c) for name, c in curves.items()], list(found.items()))


if __name__ == "__main__":
    sys.exit(max(write_or_check(DOCS / "images" / name, drawn, f"docs/images/{name} is not what the tables have; run scripts/plot_benchmarks.py")
                 for name, drawn in (("sizes.svg", sizes()), ("formulas.svg", formulas()))))
