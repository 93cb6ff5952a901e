#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles each header of include/neml2 with nothing before it: check_headers.py FOLDER COMPILER FLAG...

A header is tested alone if the compiler has read, before the first declaration of the header, only headers that it includes itself. So if
X.h includes W.h there, one file that includes first W.h and then X.h tests both. The script compiles the fewest such files, less than half
as many as there are headers. LibTorch's headers, which only core/aten.h includes, are compiled once; check_layers.py checks that headers
that use LibTorch include core/aten.h.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from check_layers import ROOT, reached_from

DOOR = ROOT / "neml2" / "core" / "aten.h"
NOT_ALONE = re.compile(r"(-inl|/cuda_kernel|/cuda_operation)\.h$")  # X.h includes X-inl.h; device compilers compile the kernels
COMMENT = re.compile(r"//.*|/\*[\s\S]*?\*/")


def before(header):
    """The headers that have been read before the first declaration of a header."""
    above = []
    for line in COMMENT.sub("", header.read_text(encoding="utf-8")).splitlines():
        if line.strip() and not line.startswith("#"):
            break
        above += [ROOT / i for i in re.findall(r'^#include "(neml2/[^"]+)"', line)]
    return reached_from(above, past=header)


def chains(headers):
    """Lists that together contain each header once; within a list every header precedes the headers that include it. Headers are matched
    so that the most text is saved."""
    closure = {h: reached_from([h]) for h in headers}
    size = {h: h.stat().st_size for h in ROOT.rglob("*.h")}
    cost = {h: sum(map(size.get, closure[h])) for h in headers}
    above = {h: before(h) for h in headers}
    after = {p: [q for q in headers if p in above[q] and q not in closure[p] and (DOOR in closure[p]) == (DOOR in closure[q])]
             for p in headers}
    previous = {}

    def place(header, tried):
        for q in after[header]:
            if q not in tried:
                tried.add(q)
                if q not in previous or place(previous[q], tried):
                    previous[q] = header
                    return True
        return False

    for header in sorted(headers, key=cost.get, reverse=True):
        place(header, set())
    for last in sorted(set(headers) - set(previous.values()), key=cost.get, reverse=True):
        chain = [last]
        while chain[0] in previous:
            chain.insert(0, previous[chain[0]])
        yield chain


def main(folder, *compiler):
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    headers = [h for h in sorted(ROOT.rglob("*.h")) if not NOT_ALONE.search(h.as_posix())]
    if "-DUSE_DISTRIBUTED" not in compiler:  # without c10d, whose headers the room distributed needs
        headers = [h for h in headers if h.parent.name != "distributed"]
    door = folder / "door.h"
    door.write_text(f'#include "{DOOR.relative_to(ROOT)}"\n', encoding="utf-8")

    def compile(*arguments):
        return subprocess.run([*compiler, *arguments], capture_output=True, text=True)

    def check(chain):
        names = [h.relative_to(ROOT).as_posix() for h in chain]
        file = folder / (names[-1].replace("/", "_") + ".cpp")
        file.write_text("".join(f'#include "{n}"\n' for n in names), encoding="utf-8")
        after_door = ["-include", str(door)] if DOOR in reached_from(chain[:1]) and chain[0] != DOOR else []
        return names, compile("-fsyntax-only", *after_door, str(file))

    precompiled = compile("-x", "c++-header", str(door), "-o", f"{door}.gch")
    if precompiled.returncode:
        sys.exit(precompiled.stderr)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, chains(headers)))
    failed = [(names, result) for names, result in results if result.returncode]
    for names, result in failed:
        print(f"\n{names[-1]} does not compile alone" + f", after {', '.join(names[:-1])}" * (len(names) > 1), result.stderr, sep="\n")
    print(f"{len(headers)} headers in {len(results)} files, {len(failed)} do not compile")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
