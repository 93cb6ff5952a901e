#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what the library costs at compile time, as a Markdown table: user seconds, minimum of some runs.

Compiles benchmarks/compile_time/*.cpp at -O2 without linking. Standard library only.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = {
    "operations_aten": "ten operations over plain ATen headers",
    "operations_neml2": "the same ten operations with the library",
    "vmap_includes": "includes of a vmap",
    "vmap": "includes and a vmap of a stress update",
    "gradient_includes": "includes of a vmap with gradient",
    "gradient": "includes and the vmap with gradient",
}


def libtorch(python):
    """The folder of a Python's LibTorch."""
    code = "import torch, os; print(os.path.dirname(torch.__file__))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def user_seconds(command):
    before = os.times().children_user
    subprocess.run(command, check=True)
    return os.times().children_user - before


def measure(compiler, flags, torch, repetitions):
    """User seconds by program, all programs in turn so that a busy moment disturbs all alike."""
    includes = [f"{torch}/include", f"{torch}/include/torch/csrc/api/include"]
    system = [x for folder in includes if pathlib.Path(folder).exists() for x in ("-isystem", folder)]
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repetitions):
            for name in PROGRAMS:
                source = root / "benchmarks" / "compile_time" / f"{name}.cpp"
                command = [*shlex.split(compiler), *flags, *system, "-I", str(root / "include"),
                           "-c", "-o", f"{folder}/{name}.o", str(source)]
                best[name] = min(user_seconds(command), best.get(name, float("inf")))
    return best


def table(best):
    lines = ["| compiled | user s |", "| --- | --- |"]
    lines += [f"| {text} | {best[name]:.1f} |" for name, text in PROGRAMS.items()]
    ratio = best["operations_neml2"] / best["operations_aten"]
    lines.append(f"| **the library over ATen, ten operations** | **{ratio:.2f} ×** |")
    lines.append(f"| **a vmap on top of its includes** | **{best['vmap'] - best['vmap_includes']:.1f}** |")
    gradient = best["gradient"] - best["gradient_includes"]
    lines.append(f"| **a vmap with gradient on top of its includes** | **{gradient:.1f}** |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--flags", default="-O2 -std=c++17 -fopenmp")
    parser.add_argument("--torch", help="LibTorch's folder (default: that of --python's torch)")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path, help="write the seconds there, too")
    args = parser.parse_args()
    torch = args.torch or libtorch(args.python)
    best = measure(args.compiler, shlex.split(args.flags), torch, args.repetitions)
    if args.json:
        args.json.write_text(json.dumps(best, indent=1) + "\n")
    print(table(best))


if __name__ == "__main__":
    main()
