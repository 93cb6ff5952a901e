#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the C++ examples that draw pictures: pictures.py EXAMPLES FOLDER

    scripts/pictures.py build/dev/examples docs/images   # draws the pictures of the repository again
    scripts/pictures.py ... --check                      # also lists the pictures in docs/images that differ from the new ones

EXAMPLES is the folder of the programs. The Python examples draw their pictures in `make python-test`.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The program that writes its results, and the script that draws them.
PICTURES = {
    "j2.svg": ("j2_plasticity", "plot_loops.py", "j2"),
    "viscoplasticity.svg": ("viscoplasticity", "plot_loops.py", "viscoplasticity"),
    "finite_elements.svg": ("finite_elements", "plot_mesh.py"),
    "calibration.svg": ("calibration", "plot_calibration.py"),
    "taylor.svg": ("taylor", "plot_poles.py"),
}
NUMBER = r"-?\d+(?:\.\d+)?"


def alike(a, b):
    """Whether two pictures differ at most by round-off: last bits depend on the machine."""
    numbers = zip(re.findall(NUMBER, a), re.findall(NUMBER, b))
    return re.sub(NUMBER, "0", a) == re.sub(NUMBER, "0", b) and all(abs(float(x) - float(y)) < 0.5 for x, y in numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    stale = []
    with tempfile.TemporaryDirectory() as work:
        found = Path(work) / "found.txt"
        for name, (program, script, *kind) in PICTURES.items():
            subprocess.run([args.examples.resolve() / program, found], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([sys.executable, ROOT / "scripts" / script, *kind, found, args.folder / name], check=True)
            if args.check and not alike(*((folder / name).read_text(encoding="utf-8") for folder in (args.folder, ROOT / "docs" / "images"))):
                stale.append(f"docs/images/{name} is not what the example {program} draws: cp {args.folder / name} docs/images")
    sys.exit("\n".join(stale) or None)


if __name__ == "__main__":
    main()
