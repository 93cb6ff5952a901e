#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles each header of include/neml2 with nothing before it: check_headers.py FOLDER COMPILER FLAG...

A header sees what it includes above its first declaration. Where that brings another header, a file that includes first
the one and then the other tests both: the fewest such files are compiled, two thirds fewer than there are headers.
LibTorch's headers, which core/aten.h only includes, are compiled once.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "include"
DOOR = "neml2/core/aten.h"
NOT_ALONE = re.compile(r"(-inl|/cuda_kernel|/cuda_formula)\.h$")  # X.h includes X-inl.h; kernels are of a device
INCLUDE = re.compile(r'^#include "(neml2/[^"]+)"', re.M)
COMMENT = re.compile(r"//.*|/\*[\s\S]*?\*/")


class Headers:
    def __init__(self, root):
        self.text = {h.relative_to(root).as_posix(): h.read_text(encoding="utf-8") for h in sorted(root.rglob("*.h"))}
        self.includes = {h: INCLUDE.findall(t) for h, t in self.text.items()}
        self.closure = {h: self.reached([h]) for h in self.text}
        self.lines = {h: sum(self.text[q].count("\n") for q in c) for h, c in self.closure.items()}

    def reached(self, start, without=None):
        found, todo = set(), list(start)
        while todo:
            header = todo.pop()
            if header in self.text and header != without and header not in found:
                found.add(header)
                todo += self.includes[header]
        return found

    def before(self, header):
        """What has been read where the first declaration of a header comes."""
        above = []
        for line in COMMENT.sub("", self.text[header]).splitlines():
            if line.strip() and not line.startswith("#"):
                break
            above += INCLUDE.findall(line)
        return self.reached(above, without=header)

    def chains(self, without):
        """Each header once, in lists of which each member is before the next: by the matching that saves most lines."""
        alone = [h for h in self.text if not NOT_ALONE.search(h) and not (without and h.startswith(without))]
        before = {h: self.before(h) for h in alone}
        after = {p: [q for q in alone if p in before[q] and q not in self.closure[p]
                     and (DOOR in self.closure[p]) == (DOOR in self.closure[q])] for p in alone}
        previous = {}

        def place(header, tried):
            for q in after[header]:
                if q not in tried:
                    tried.add(q)
                    if q not in previous or place(previous[q], tried):
                        previous[q] = header
                        return True
            return False

        for header in sorted(alone, key=self.lines.get, reverse=True):
            place(header, set())
        for last in sorted(set(alone) - set(previous.values()), key=self.lines.get, reverse=True):
            chain = [last]
            while chain[0] in previous:
                chain.insert(0, previous[chain[0]])
            yield chain


def main(folder, *compiler):
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    headers = Headers(ROOT)
    door = folder / "door.h"
    door.write_text(f'#include "{DOOR}"\n', encoding="utf-8")

    def compile(*arguments):
        return subprocess.run([*compiler, *arguments], capture_output=True, text=True)

    def check(chain):
        file = folder / (chain[-1].replace("/", "_") + ".cpp")
        file.write_text("".join(f'#include "{h}"\n' for h in chain), encoding="utf-8")
        after_door = ["-include", str(door)] if DOOR in headers.closure[chain[0]] and chain[0] != DOOR else []
        return chain, compile("-fsyntax-only", *after_door, str(file))

    precompiled = compile("-x", "c++-header", str(door), "-o", f"{door}.gch")
    if precompiled.returncode:
        sys.exit(precompiled.stderr)
    failed = 0
    chains = list(headers.chains(None if "-DUSE_DISTRIBUTED" in compiler else "neml2/distributed/"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for chain, result in pool.map(check, chains):
            if result.returncode:
                failed += 1
                print(f"\n{chain[-1]} does not compile alone" + f", after {', '.join(chain[:-1])}" * (len(chain) > 1), result.stderr, sep="\n")
    print(f"{sum(map(len, chains))} headers in {len(chains)} files, {failed} of which do not compile")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
