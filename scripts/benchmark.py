#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmark programs and prints how the library compares, as Markdown tables of ratios.

Writes the minima to FOLDER/results.json and a picture to FOLDER/speed.svg. Standard library only.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

import pages
import svg

PROGRAMS = ["elementwise", "functions", "products", "inverses", "rotations", "rotation_derivatives", "quaternions", "spectral",
            "j2", "j2_gradient"]
LARGEST = 10**6  # or the largest size of a case, if it is smaller
SIZES = {1: "1", 100: "100", 10**4: "10⁴", LARGEST: "10⁶"}
PICTURE = [
    "C(2) * strain", "C * strain", "SSR4 * SSR4", "SR2 dev", "SR2 norm", "von Mises", "SR2 + SR2", "R2 * R2",
    "R2 to SR2", "R2 inverse", "SR2 inverse", "SSR4 inverse", "isotropic E, nu", "Rot to matrix", "Rot * Rot",
    "SR2 rotate by Rot", "SSR4 rotate by Rot", "SR2 drotate by Rot", "Quaternion * Quaternion", "SR2 eigh", "SR2 expm", "J2",
    "J2 and backward to strain", "J2 and tangent",
]
FLOPS = {"SSR4 rotate by Rot": 864}  # per row: two products of 6×6 matrices

# The cases that docs/memory.md compares: text, flags, environment.
THRESHOLD = "4294967296"
MALLOC = [
    ("default", ["--default_malloc"], {}),
    ("`MALLOC_MMAP_THRESHOLD_` and `MALLOC_TRIM_THRESHOLD_`", ["--default_malloc"],
     {"MALLOC_MMAP_THRESHOLD_": THRESHOLD, "MALLOC_TRIM_THRESHOLD_": THRESHOLD}),
    ("`MALLOC_MMAP_THRESHOLD_` alone", ["--default_malloc"], {"MALLOC_MMAP_THRESHOLD_": THRESHOLD}),
    ("`MALLOC_TRIM_THRESHOLD_` alone", ["--default_malloc"], {"MALLOC_TRIM_THRESHOLD_": THRESHOLD}),
    ("`GLIBC_TUNABLES`: both thresholds", ["--default_malloc"],
     {"GLIBC_TUNABLES": f"glibc.malloc.mmap_threshold={THRESHOLD}:glibc.malloc.trim_threshold={THRESHOLD}"}),
    ("`GLIBC_TUNABLES`: huge pages", ["--default_malloc"], {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}),
    ("`mallopt` in the program", [], {}),
]

# The targets of the library, in float64 with one thread: "best" is a ratio to be reached, "floor" one not to be exceeded.
TARGETS = [
    ("SR2 rotate by Rot", {1: ("best", 50), 10**4: ("best", 20), LARGEST: ("floor", 1.5)}),
    ("SSR4 rotate by Rot", {1: ("best", 50), 10**4: ("best", 25)}),
    ("Rot * Rot", {1: ("best", 15), 10**4: ("best", 15), LARGEST: ("floor", 1.3)}),
    ("R2 inverse", {1: ("best", 15), 10**4: ("best", 15), LARGEST: ("floor", 1.3)}),
    ("C * strain", {1: ("best", 7), 10**4: ("best", 5), LARGEST: ("floor", 1.4)}),
    ("J2", {1: ("best", 30), 10**4: ("best", 8), LARGEST: ("floor", 1.5)}),
    ("J2 and backward to strain", {1: ("best", 8), 10**4: ("best", 5), LARGEST: ("best", 5)}),
    ("J2 and backward to yield stress", {1: ("best", 8), 10**4: ("best", 5), LARGEST: ("best", 5)}),
]
AT_LEAST_OF_BEST, CALL_NS, TANGENT_OVER_VALUE, SCALING = 0.95, 500, 5, 1.7


def cpu():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"


def run(program, *flags, statistic=min, environment={}):
    """Runs a program; returns its context and the fastest sample of each benchmark in ns, or another statistic of the samples.

    With one thread the times are CPU times, which other programs on the machine disturb less than elapsed times.
    """
    print(" ".join([*(f"{k}={v}" for k, v in environment.items()), str(program), *flags]), file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out.json"
        process = subprocess.run(
            [program, f"--benchmark_out={out}", "--benchmark_out_format=json", *flags],
            capture_output=True,
            text=True,
            env=os.environ | environment,
        )
        if process.returncode:
            sys.exit(process.stderr)
        result = json.loads(pathlib.Path(out).read_text())
    samples = {}
    for b in sorted(result["benchmarks"], key=lambda b: b["family_index"]):
        if b["run_type"] == "iteration":
            name = "/".join(b["name"].split("/")[:4])  # Google Benchmark appends its own parameters
            time = b["cpu_time" if name.split("/")[2] == "1" else "real_time"]
            samples.setdefault(name, []).append(time)
    return result["context"], {name: statistic(s) for name, s in samples.items()}


def measure_malloc(folder, *flags):
    """The median times with each setting. The minimum would be luck, because sometimes a free block happens to exist."""
    times = {}
    for text, setting, environment in MALLOC:
        times[text] = run(folder / "memory", "--benchmark_filter=/1000000/1/", *setting, *flags,
                          statistic=statistics.median, environment=environment)[1]
    return times


def run_script(python, name, *flags):
    """The times of a peer in Python by operation/N; None if the peer cannot run there."""
    script = pathlib.Path(__file__).resolve().parent.parent / "benchmarks" / name
    print(f"{python} {script}", file=sys.stderr, flush=True)
    process = subprocess.run([python, script, *flags], capture_output=True, text=True)
    if process.returncode:
        print(f"{name} left out: {process.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(process.stdout)


def measure(folder, threads, python, quick):
    context, times = {}, {}
    for t in threads:  # one process per number of threads: idle threads of a team spin, which would disturb the single thread
        for program in PROGRAMS:
            context, found = run(folder / program, f"--benchmark_filter=^[^/]*/[0-9]*/{t}/", *quick)
            times |= found
    results = {
        "cpu": cpu(),
        "compiler": context["compiler"],
        "libtorch": context["libtorch"],
        "malloc": context["malloc"],
        "times": times,
        "core": run(folder / "core")[1],
        "labels": run(folder / "labels")[1],
        "memory": measure_malloc(folder, *quick),
        "compilers": {},
    }
    for name in ("torch_compile.py", "jax_jit.py") if python else ():
        found = run_script(python, name, *quick)
        if found:
            results["compilers"][found["peer"]] = found["times"]
    return results


class Cell:
    """One operation at one size and number of threads."""

    def __init__(self, times, operation, size, threads):
        if size == LARGEST:
            size = max(int(name.split("/")[1]) for name in times if name.startswith(f"{operation}/"))
        prefix = f"{operation}/{size}/{threads}/"
        peers = {k.removeprefix(prefix): v for k, v in times.items() if k.startswith(prefix)}
        self.operation, self.size, self.threads = operation, size, threads
        self.measured = "neml2" in peers
        if not self.measured:
            return
        self.ours, self.floor, self.hand = peers.pop("neml2"), peers.pop("floor"), peers.pop("hand", None)
        self.other_ways = {k: peers.pop(k) for k in list(peers) if k.startswith("neml2 ")}
        self.best_name = min(peers, key=peers.get)
        self.best = peers[self.best_name]
        self.obvious = peers.get("obvious", self.best)


def operations(times):
    return list(dict.fromkeys(name.split("/")[0] for name in times))


def title(operation, cell, size):
    smaller = {10**5: " (10⁵)", 10**4: " (10⁴)"}
    return operation + (smaller.get(cell.size, "") if size == LARGEST else "")


def number(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def table(header, rows):
    rows = [header, *rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(header))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("-" * w for w in widths) + " |")
    return "\n".join(lines)


def size_table(times, size):
    """All operations at one size."""
    one_thread = ["operation", "neml2 µs", "obvious", "best", "best ATen is", "hand", "floor"]
    two_threads = ["2 threads: µs", "gain", "best", "best ATen is", "floor"]
    rows, with_two = [], Cell(times, operations(times)[0], size, 2).measured
    for operation in operations(times):
        one, two = (Cell(times, operation, size, threads) for threads in (1, 2))
        row = [title(operation, one, size), number(one.ours / 1e3), number(one.obvious / one.ours)]
        row += [number(one.best / one.ours), one.best_name]
        row += [number(one.ours / one.hand) if one.hand else "", number(one.ours / one.floor)]
        if with_two and not two.measured:
            row += [""] * len(two_threads)
        elif with_two:
            row += [number(two.ours / 1e3), number(one.ours / two.ours), number(two.best / two.ours)]
            row += [two.best_name, number(two.ours / two.floor)]
        rows.append(row)
    return table(one_thread + (two_threads if with_two else []), rows)


def other_ways(times):
    rows = []
    for operation in operations(times):
        cells = [Cell(times, operation, size, 1) for size in SIZES]
        for way in cells[0].other_ways:
            ratios = [number(cell.other_ways[way] / cell.ours) for cell in cells]
            rows.append([operation, way.removeprefix("neml2 "), *ratios])
    return table(["operation", "way", *(f"N = {text}" for text in SIZES.values())], rows)


def flop_rates(times):
    rows = []
    for operation, flops in FLOPS.items():
        for threads in (1, 2):
            cells = [Cell(times, operation, size, threads) for size in SIZES]
            rates = [f"{flops * c.size / c.ours:.1f}" if c.measured else "" for c in cells]
            rows.append([operation, str(threads), *rates])
    sizes = [f"N = {10**5 if size == LARGEST else size}" for size in SIZES]
    return table(["operation, GFLOP/s", "threads", *sizes], rows)


def compilers(results):
    """The ratio of other compilers' times to ours, for benchmarks that have both."""
    times, rows = results["times"], []
    for peer, found in results["compilers"].items():
        for operation in operations(found):
            ratios = []
            for size in SIZES:
                theirs, ours = found.get(f"{operation}/{size}"), times.get(f"{operation}/{size}/1/neml2")
                ratios.append(number(theirs / ours) if theirs and ours else "")
            rows.append([operation, peer, *ratios])
    return table(["operation", "peer", *(f"N = {text}" for text in SIZES.values())], rows)


def tables(results):
    times = results["times"]
    yield (f"{results['cpu']}; {results['compiler']} -O3; LibTorch {results['libtorch']}; float64 unless it says "
           f"float; malloc: {results['malloc']}; minima.\\\n"
           "obvious, best: time of ATen / time of neml2; hand, floor: time of neml2 / time of the hand-written loop, "
           "of the memory floor;\\\ngain: time with one thread / time with two.")
    for size, text in SIZES.items():
        yield f"### N = {text}"
        yield size_table(times, size)
    yield (f"### Slower than LibTorch\n\nThese are all cells whose \"best\" is below {AT_LEAST_OF_BEST}. If no reason is given "
           "above, the cell is a defect.")
    yield table(["operation", "N", "threads", "best", "best ATen is"],
                [[cell.operation, str(cell.size), str(cell.threads), number(cell.best / cell.ours), cell.best_name]
                 for cell in defects(times)])
    yield "### Other ways through the library\n\nThe figures are time / time of the operation in the tables above, with one thread."
    yield other_ways(times)
    yield ("### Arithmetic\n\nThe rotation of an SSR4 is counted as two products of 6×6 matrices, "
           f"{FLOPS['SSR4 rotate by Rot']} floating point operations per row.")
    yield flop_rates(times)
    yield "### One call of C * strain at N = 1"
    names = {"checks": "its checks alone", "call": "all of it"}
    rows = [[name.split("/")[-1], f"{t:.0f}"] for name, t in sorted(results["core"].items())]
    yield table(["part", "ns"], [[names.get(part, part), t] for part, t in rows])
    yield "### Labels\n\nViews and fills use an axis of 100 variables of size 6."
    yield table(["", "ns"], [[name.split("/")[-1], f"{t:.0f}" if t > 10 else number(t)] for name, t in results["labels"].items()])
    if results.get("compilers"):
        yield "### Other compilers\n\nTheir time, Python's call included, / time of neml2; one thread."
        yield compilers(results)


def memory_table(results):
    """Allocator settings, and results written into existing tensors."""
    settings = results["memory"]
    columns = list(next(iter(settings.values())))
    columns.sort(key=lambda c: (["SR2 + SR2", "SR2 dev", "J2"].index(c.split("/")[0]), "add" in c, "_out" in c))
    header = ["malloc setting"]
    for column in columns:
        operation, _, _, peer = column.split("/")
        way = {"neml2": "", "neml2 vmap_out": ", `vmap_out`"}.get(peer, f", `{peer}`")
        header.append(operation + way)
    rows = [[text, *(number(times[c] / 1e6) for c in columns)] for text, times in settings.items()]
    return f"ms for N = 10⁶ in float64, one thread, median; {results['cpu']}.\n\n" + table(header, rows)


def defects(times):
    """The cells that are slower than the best composition of LibTorch."""
    cells = (Cell(times, operation, size, threads)
             for operation in operations(times) for size in SIZES for threads in (1, 2))
    return [cell for cell in cells if cell.measured and cell.best < AT_LEAST_OF_BEST * cell.ours]


def missed(results):
    """The cells that miss their targets."""
    times = results["times"]
    ratio = {
        "best": lambda c: c.best / c.ours,
        "floor": lambda c: c.ours / c.floor,
    }
    for operation, targets in TARGETS:
        for size, (kind, limit) in targets.items():
            cell = Cell(times, operation, size, 1)
            got = ratio[kind](cell)
            if got < limit if kind == "best" else got > limit:
                yield f"{operation}, N = {cell.size}: {kind} {number(got)}, wanted {limit}"
    for operation in operations(times):
        for size in SIZES:
            for threads in (1, 2):
                cell = Cell(times, operation, size, threads)
        one = Cell(times, operation, 1, 1)
        if one.ours > CALL_NS and "backward" not in operation and "tangent" not in operation:
            yield f"{operation}, N = 1: {one.ours:.0f} ns, wanted {CALL_NS}"
        large, two = Cell(times, operation, LARGEST, 1), Cell(times, operation, LARGEST, 2)
        if two.measured and large.ours > 1.5 * large.floor and large.ours < SCALING * two.ours:
            yield f"{operation}, N = {large.size}: gain of two threads {number(large.ours / two.ours)}, wanted {SCALING}"
    for size in SIZES:
        tangent, value = (Cell(times, name, size, 1) for name in ("J2 and tangent", "J2"))
        got = tangent.ours / tangent.size / (value.ours / value.size)
        if got > TANGENT_OVER_VALUE:
            yield f"J2 and tangent, N = {tangent.size}: {number(got)} times J2, wanted {TANGENT_OVER_VALUE}"
    for cell in defects(times):
        yield f"{cell.operation}, N = {cell.size}, {cell.threads} threads: {number(cell.best / cell.ours)} of {cell.best_name}"


def picture(results):
    """Speed-up over the best ATen composition: one panel per size and one bar per operation, on log axes."""
    times = results["times"]
    names = [name for name in PICTURE if name in operations(times)]
    sizes = [1, 10**4, LARGEST]
    left, width, gap, top, row = 176, 188, 26, 88, 21
    bottom = top + row * len(names)
    cells = {(n, s): Cell(times, n, s, 1) for n in names for s in sizes}
    limit = 1.5 * max(c.best / c.ours for c in cells.values())  # floors beyond it are left out
    ratios = [max(c.best / c.ours, min(limit, c.best / c.floor)) for c in cells.values()]
    low = min(0.5, *(c.best / c.ours for c in cells.values()))
    low = 10 ** (math.floor(math.log10(low) * 4) / 4)
    high = max(ratios) * 1.9  # room for the number beside the longest bar

    def x(panel, ratio):
        return left + panel * (width + gap) + width * math.log(ratio / low) / math.log(high / low)

    def parts():
        yield svg.text(0, 20, "How many times faster than the best composition of LibTorch operations", "start", "bold", size=16)
        yield f'<rect x="0" y="33" width="22" height="10" rx="2" fill="{svg.BLUE}"/>'
        yield svg.text(28, 42, "NEML2 tensors", "start")
        yield f'<rect x="135" y="31" width="3" height="14" fill="{svg.ORANGE}"/>'
        yield svg.text(144, 42, "memory floor: moves the same bytes, computes nothing", "start")
        for panel, size in enumerate(sizes):
            yield svg.text(x(panel, 1), top - 14, f"N = {SIZES[size]}", "start", "bold", size=13)
            for tick in (1, 3, 10, 30, 100, 300, 1000):
                if tick > high / 1.3:
                    continue
                px = x(panel, tick)
                yield svg.line(px, top - 4, px, bottom + 4, 0.9 if tick == 1 else 0.22)
                yield svg.text(px, bottom + 18, f"{tick}×", size=11)
            for k, name in enumerate(names):
                cell = cells[name, size]
                ours, floor, y = cell.best / cell.ours, cell.best / cell.floor, top + row * k
                a, b = sorted((x(panel, 1), x(panel, ours)))
                yield (f'<rect x="{a:.1f}" y="{y + 3}" width="{max(b - a, 1):.1f}" height="{row - 7}" '
                       f'rx="2" fill="{svg.BLUE}"/>')
                if floor <= limit:
                    yield f'<rect x="{x(panel, floor) - 1.5:.1f}" y="{y + 1}" width="3" height="{row - 3}" fill="{svg.ORANGE}"/>'
                else:
                    floor = 1
                label = f"{ours:.0f}×" if ours >= 9.95 else f"{ours:.1f}×"
                yield svg.text(max(b, x(panel, floor)) + 5, y + 14, label, "start", "bold", svg.BLUE, 11)
        for k, name in enumerate(names):
            yield svg.text(left - 6, top + row * k + 14, name, "end")
        yield svg.text(0, bottom + 40, "C(2) * strain is the product in the broadcasting tutorial: C (2; 6, 6), strain (N, 2; 6). "
                   "SSR4 results, tangents, eigh and expm: N = 10⁵ instead of 10⁶.", "start", size=11)
        yield svg.text(0, bottom + 56, f"float64, one thread, {results['cpu'].split(',')[0]}, "
                   f"{results['compiler']} -O3, LibTorch {results['libtorch']}. How it was measured: docs/benchmarks.md", "start", size=11)

    return svg.picture("Speed-up of NEML2 tensors over the best composition of LibTorch operations",
                       left + len(sizes) * (width + gap), bottom + 66, parts())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="holds the built programs, or results.json")
    parser.add_argument("--threads", type=int, choices=[1, 2], nargs="+", default=[1, 2])
    parser.add_argument("--python", help="a Python whose torch.compile or jax shall be compared, too")
    parser.add_argument("--quick", action="store_true", help="two repetitions, to see that all works")
    parser.add_argument("--no-run", action="store_true", help="read FOLDER/results.json instead")
    parser.add_argument("--docs", action="store_true", help="put tables and picture into docs/, too")
    parser.add_argument("--targets", action="store_true", help="print the cells that miss what we aim at")
    args = parser.parse_args()
    folder = args.folder.resolve()
    saved = folder / "results.json"
    if not args.no_run:
        results = measure(folder, args.threads, args.python, ["--quick"] if args.quick else [])
        saved.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    results = json.loads(saved.read_text())
    plot, text, memory = picture(results), "\n\n".join(tables(results)), memory_table(results)
    (folder / "speed.svg").write_text(plot)
    if args.docs:
        docs = pathlib.Path(__file__).resolve().parent.parent / "docs"
        (docs / "images" / "speed.svg").write_text(plot)
        pages.replace_results(docs / "benchmarks.md", pages.BENCHMARKS, text)
        pages.replace_results(docs / "memory.md", pages.BENCHMARKS, memory)
    print(text, memory, sep="\n\n### Memory\n\n")
    if args.targets:
        print("\n### Missed targets\n", *missed(results), sep="\n")
    print(f"\nWrote {saved} and {folder / 'speed.svg'}", file=sys.stderr)


if __name__ == "__main__":
    main()
