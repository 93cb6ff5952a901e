#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the compile time of programs with the headers alone and with neml2::compiled, as a Markdown table: user seconds, the
minimum of some runs.

Compiles benchmarks/compile_time/*.cpp at -O2 without linking. --profile prints the time of each phase of gcc instead. Standard
library only.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
ATEN = ("one_aten", "operations_aten")  # plain ATen, the same in both modes
LIBRARY = ("one_neml2", "operations_neml2", "vmap_includes", "vmap", "gradient_includes", "gradient", "rules_includes", "rules")
PHASES = {"reading headers": "phase parsing", "instantiating templates": "phase lang. deferred",
          "optimising, generating code": "phase opt and generate", "all": "TOTAL"}  # names in gcc's -ftime-report
MODES = {"headers alone": [], "neml2::compiled": ["-DNEML2_COMPILED"]}


def libtorch(python):
    """The folder of LibTorch in the torch of this Python."""
    code = "import torch, os; print(os.path.dirname(torch.__file__))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def user_seconds(command):
    before = os.times().children_user
    subprocess.run(command, check=True)
    return os.times().children_user - before


def commands(compiler, flags, torch, folder):
    """The command that compiles each program in each mode."""
    includes = [f"{torch}/include", f"{torch}/include/torch/csrc/api/include"]
    system = [x for folder in includes if pathlib.Path(folder).exists() for x in ("-isystem", folder)]
    runs = [(name, "headers alone") for name in ATEN] + [(name, mode) for name in LIBRARY for mode in MODES]
    return {(name, mode): [*shlex.split(compiler), *flags, *MODES[mode], *system, "-I", str(root / "include"),
                           "-c", "-o", f"{folder}/{name}.o", str(root / "benchmarks" / "compile_time" / f"{name}.cpp")]
            for name, mode in runs}


def measure(programs, repetitions):
    """User seconds by program and mode. The programs take turns, so that a busy moment disturbs all of them equally."""
    best = {}
    for _ in range(repetitions):
        for which, command in programs.items():
            best[which] = min(user_seconds(command), best.get(which, float("inf")))
    return best


def profile(programs):
    """A table of gcc's user seconds by phase."""
    lines = ["| | " + " | ".join(PHASES) + " |", "| --- |" + " --- |" * len(PHASES)]
    for (name, mode), command in programs.items():
        report = subprocess.run([*command, "-ftime-report"], check=True, capture_output=True, text=True,
                                env={**os.environ, "LC_ALL": "C"}).stderr
        times = [re.search(rf"^ {re.escape(phase)} *: *([\d.]+)", report, re.M) for phase in PHASES.values()]
        lines.append(f"| `{name}`{'' if name in ATEN else ', ' + mode} | "
                     + " | ".join(f"{float(t[1]):.1f} s" if t else "-" for t in times) + " |")
    return "\n".join(lines)


def table(best):
    def row(text, figure):
        return f"| {text} | " + " | ".join(figure(mode) for mode in MODES) + " |"

    def ratio(name, over):
        return lambda mode: f"{best[name, mode] / best[over, 'headers alone']:.2f} ×"

    def seconds(name, less=None):
        return lambda mode: f"{best[name, mode] - (best[less, mode] if less else 0):.1f} s"

    lines = ["| | " + " | ".join(MODES) + " |", "| --- |" + " --- |" * len(MODES)]
    lines.append(row(f"ten operations ÷ plain ATen ({best['operations_aten', 'headers alone']:.1f} s)",
                     ratio("operations_neml2", "operations_aten")))
    lines.append(row(f"`tensors/SSR4.h` and one operation ÷ one of ATen ({best['one_aten', 'headers alone']:.1f} s)",
                     ratio("one_neml2", "one_aten")))
    lines.append(row("includes of a `vmap`", seconds("vmap_includes")))
    lines.append(row("a `vmap` of a stress update on top of them", seconds("vmap", "vmap_includes")))
    lines.append(row("a `vmap` with gradient on top of its includes", seconds("gradient", "gradient_includes")))
    lines.append(row("the derivative rules of all operations", seconds("rules", "rules_includes")))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--flags", default="-O2 -std=c++17 -fopenmp")
    parser.add_argument("--torch", help="LibTorch's folder (default: that of --python's torch)")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--profile", action="store_true", help="where gcc spends the time, by its -ftime-report")
    parser.add_argument("--json", type=pathlib.Path, help="write the seconds there, too")
    args = parser.parse_args()
    torch = args.torch or libtorch(args.python)
    with tempfile.TemporaryDirectory() as folder:
        programs = commands(args.compiler, shlex.split(args.flags), torch, folder)
        if args.profile:
            print(profile(programs))
            return
        best = measure(programs, args.repetitions)
    if args.json:
        args.json.write_text(json.dumps({f"{name}, {mode}": s for (name, mode), s in best.items()}, indent=1) + "\n")
    print(table(best))


if __name__ == "__main__":
    main()
