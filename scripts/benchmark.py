#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmark programs and prints how the library compares, as Markdown tables of ratios.

Writes the minima to FOLDER/results.json and a picture to FOLDER/speed.svg. Standard library only.
"""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

SIZES = {1: "1", 100: "100", 10**4: "10⁴", 10**6: "10⁶"}
BEGIN, END = "<!-- results: written by scripts/benchmark.py --docs -->", "<!-- end of results -->"
LARGE_OUTPUT = r"SR2 (dev|\+ SR2)/1000000/1/(neml2|floor|obvious)/"


def cpu():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"


def run(program, *flags, statistic=min):
    """Runs a program; returns its context and the fastest sample of each benchmark in ns.

    With one thread CPU time counts: other programs on the machine disturb it less than the clock.
    """
    print(f"{program} {' '.join(flags)}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out.json"
        process = subprocess.run(
            [program, f"--benchmark_out={out}", "--benchmark_out_format=json", *flags],
            capture_output=True,
            text=True,
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


def measure(folder, threads):
    context, tensors = {}, {}
    for t in threads:  # a process each: idle threads of a team spin, which would disturb the single thread
        context, times = run(folder / "tensors", f"--benchmark_filter=^[^/]*/[0-9]*/{t}/")
        tensors |= times
    return {
        "cpu": cpu(),
        "compiler": context["compiler"],
        "libtorch": context["libtorch"],
        "malloc": context["malloc"],
        "tensors": tensors,
        "core": run(folder / "core")[1],
        # The median: sometimes a free block happens to be there, and the fastest sample is pure luck.
        "default malloc": run(
            folder / "tensors",
            "--default_malloc",
            f"--benchmark_filter={LARGE_OUTPUT}",
            statistic=statistics.median,
        )[1],
    }


class Cell:
    """One operation at one size and number of threads."""

    def __init__(self, times, operation, size, threads):
        prefix = f"{operation}/{size}/{threads}/"
        peers = {k.removeprefix(prefix): v for k, v in times.items() if k.startswith(prefix)}
        self.ours, self.floor, self.obvious = (peers.pop(k) for k in ("neml2", "floor", "obvious"))
        peers["obvious"] = self.obvious
        self.best_name = min(peers, key=peers.get)
        self.best = peers[self.best_name]


def operations(times):
    return list(dict.fromkeys(name.split("/")[0] for name in times))


def number(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def table(header, rows):
    rows = [header, *rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(header))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("-" * w for w in widths) + " |")
    return "\n".join(lines)


def tables(results):
    times = results["tensors"]
    yield (f"{results['cpu']}; {results['compiler']} -O3; LibTorch {results['libtorch']}; float64; "
           f"malloc: {results['malloc']}; minima.\\\n"
           "obvious, best: time of ATen / time of neml2; floor: time of neml2 / time of the memory floor.")
    one_thread = ["operation", "neml2 µs", "obvious", "best", "best ATen is", "floor"]
    two_threads = ["2 threads: µs", "best", "best ATen is", "floor"]
    for size, text in SIZES.items():
        rows = []
        threads = 2 if f"{operations(times)[0]}/{size}/2/neml2" in times else 1
        for operation in operations(times):
            one = Cell(times, operation, size, 1)
            row = [operation, number(one.ours / 1e3), number(one.obvious / one.ours)]
            row += [number(one.best / one.ours), one.best_name, number(one.ours / one.floor)]
            if threads == 2:
                two = Cell(times, operation, size, 2)
                row += [number(two.ours / 1e3), number(two.best / two.ours), two.best_name]
                row.append(number(two.ours / two.floor))
            rows.append(row)
        yield f"### N = {text}"
        yield table(one_thread + (two_threads if threads == 2 else []), rows)
    yield "### One call of C * strain at N = 1"
    names = {"checks": "its checks alone", "call": "all of it"}
    rows = [[name.split("/")[-1], f"{t:.0f}"] for name, t in sorted(results["core"].items())]
    yield table(["part", "ns"], [[names.get(part, part), t] for part, t in rows])
    yield "### A result of 48 MB, µs (N = 10⁶, one thread; default malloc: median)"
    rows = []
    for name, t in sorted(results["default malloc"].items()):
        operation, _, _, peer = name.split("/")
        rows.append([operation, peer, number(times[name] / 1e3), number(t / 1e3)])
    yield table(["operation", "peer", "malloc keeps memory", "default malloc"], rows)


def picture(results):
    """Speed-up over the best ATen composition: a panel a size, a bar an operation, on log axes."""
    import math

    times = results["tensors"]
    names = operations(times)
    sizes = [1, 10**4, 10**6]
    left, width, gap, top, row = 128, 204, 26, 88, 21
    total = left + len(sizes) * (width + gap)
    bottom = top + row * len(names)
    cells = {(n, s): Cell(times, n, s, 1) for n in names for s in sizes}
    ratios = [max(c.best / c.ours, c.best / c.floor) for c in cells.values()]
    low = min(0.5, *(c.best / c.ours for c in cells.values()))
    low = 10 ** (math.floor(math.log10(low) * 4) / 4)
    high = max(ratios) * 1.9  # room for the number beside the longest bar

    def x(panel, ratio):
        return left + panel * (width + gap) + width * math.log(ratio / low) / math.log(high / low)

    def text(px, py, s, size=12, anchor="start", weight="normal", fill="#6e7781"):
        s = s.replace("&", "&amp;")
        return (f'<text x="{px:.1f}" y="{py:.1f}" font-size="{size}" text-anchor="{anchor}" '
                f'font-weight="{weight}" fill="{fill}">{s}</text>')

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {bottom + 66}" '
           f'width="{total}" height="{bottom + 66}" '
           'font-family="-apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif">')
    yield "<title>Speed-up of NEML2 tensors over the best composition of LibTorch operations</title>"
    yield text(0, 20, "How many times faster than the best composition of LibTorch operations", 16, weight="bold")
    yield '<rect x="0" y="33" width="22" height="10" rx="2" fill="#3b82c4"/>'
    yield text(28, 42, "NEML2 tensors")
    yield '<rect x="135" y="31" width="3" height="14" fill="#d97706"/>'
    yield text(144, 42, "memory floor: moves the same bytes, computes nothing")
    for panel, size in enumerate(sizes):
        yield text(x(panel, 1), top - 14, f"N = {SIZES[size]}", 13, weight="bold")
        for tick in (1, 3, 10, 30, 100, 300):
            if tick > high / 1.3:
                continue
            px = x(panel, tick)
            yield (f'<line x1="{px:.1f}" y1="{top - 4}" x2="{px:.1f}" y2="{bottom + 4}" stroke="#6e7781" '
                   f'stroke-opacity="{0.9 if tick == 1 else 0.22}"/>')
            yield text(px, bottom + 18, f"{tick}×", 11, "middle")
        for k, name in enumerate(names):
            cell = cells[name, size]
            ours, floor, y = cell.best / cell.ours, cell.best / cell.floor, top + row * k
            a, b = sorted((x(panel, 1), x(panel, ours)))
            yield (f'<rect x="{a:.1f}" y="{y + 3}" width="{max(b - a, 1):.1f}" height="{row - 7}" '
                   'rx="2" fill="#3b82c4"/>')
            yield f'<rect x="{x(panel, floor) - 1.5:.1f}" y="{y + 1}" width="3" height="{row - 3}" fill="#d97706"/>'
            label = f"{ours:.0f}×" if ours >= 9.95 else f"{ours:.1f}×"
            yield text(max(b, x(panel, floor)) + 5, y + 14, label, 11, weight="bold", fill="#3b82c4")
    for k, name in enumerate(names):
        yield text(left - 6, top + row * k + 14, name, 12, "end")
    yield text(0, bottom + 40, "C(2) * strain is the broadcasting tutorial's product: C of shape (2; 6, 6), "
               "strain of shape (N, 2; 6).", 11)
    yield text(0, bottom + 56, f"float64, one thread, {results['cpu'].split(',')[0]}, "
               f"{results['compiler']} -O3, LibTorch {results['libtorch']}. How it was measured: docs/benchmarks.md", 11)
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="holds the built programs, or results.json")
    parser.add_argument("--threads", type=int, choices=[1, 2], nargs="+", default=[1, 2])
    parser.add_argument("--no-run", action="store_true", help="read FOLDER/results.json instead")
    parser.add_argument("--docs", action="store_true", help="put tables and picture into docs/, too")
    args = parser.parse_args()
    folder = args.folder.resolve()
    saved = folder / "results.json"
    if not args.no_run:
        saved.write_text(json.dumps(measure(folder, args.threads), indent=1, ensure_ascii=False) + "\n")
    results = json.loads(saved.read_text())
    plot, text = "\n".join(picture(results)) + "\n", "\n\n".join(tables(results))
    (folder / "speed.svg").write_text(plot)
    if args.docs:
        docs = pathlib.Path(__file__).resolve().parent.parent / "docs"
        (docs / "images" / "speed.svg").write_text(plot)
        page = (docs / "benchmarks.md").read_text()
        head, rest = page.split(BEGIN)
        page = f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}"
        (docs / "benchmarks.md").write_text(page)
    print(text)
    print(f"\nWrote {saved} and {folder / 'speed.svg'}", file=sys.stderr)


if __name__ == "__main__":
    main()
