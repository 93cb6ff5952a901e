# SPDX-License-Identifier: MIT
"""Parts of SVG pictures: colours that can be read on light and dark backgrounds, text, lines, and the picture as a whole."""
GREY, BLUE, ORANGE, RED = "#6e7781", "#3b82c4", "#d97706", "#dc2626"
FONT = "-apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif"


def text(x, y, s, anchor="middle", weight="normal", fill=GREY, size=12):
    s = s.replace("&", "&amp;").replace("<", "&lt;")
    bold = ' font-weight="bold"' if weight == "bold" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{bold} fill="{fill}">{s}</text>'


def line(x1, y1, x2, y2, opacity):
    """A line of a grid, or an axis."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{GREY}" stroke-opacity="{opacity}"/>'


def curve(points, colour, width=2, more=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{more}/>'


def picture(title, width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      f'font-family="{FONT}">', f"<title>{title}</title>", *parts, "</svg>"]) + "\n"
