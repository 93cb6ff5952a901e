#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks who includes whom in include/neml2 (CONTRIBUTING.md, "Rooms"). Prints each breach."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "include"
ROOMS = ["kernels", "core", "math", "tensors"]  # a room includes only itself and those before it
UMBRELLA = ROOT / "neml2" / "neml2.h"
ONCE_A_PROGRAM = ROOT / "neml2" / "tensors" / "gradients.h"  # it and its parts, gradients/*.h, do not belong there
TORCH = re.compile(r"(ATen|c10|torch|caffe2)/")


def includes(header):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', header.read_text(encoding="utf-8"), re.M)


def breaches(header):
    name = header.relative_to(ROOT / "neml2")
    room = name.parts[0] if len(name.parts) > 1 else None
    for included in includes(header):
        own = re.match(r"neml2/(\w+)/", included)
        if included.startswith("neml2/") and not (ROOT / included).is_file():
            yield f"includes {included}, which does not exist"
        if own and room and ROOMS.index(own[1]) > ROOMS.index(room):
            yield f"includes {included}, of a higher room"
        if room == "kernels" and ("/" in included and not included.startswith("neml2/kernels/")):
            yield f"includes {included}; kernels use the standard library only"
        if TORCH.match(included) and name.as_posix() != "core/aten.h":
            if not (included.startswith("torch/csrc/autograd/") and name.as_posix() == "math/autograd.h"):
                yield f"includes {included}; only core/aten.h does that"
        if room == "tensors" and re.search("/labeled", included, re.I) \
                and not re.match("labeled|tensors.h", name.name, re.I):
            yield f"includes {included}; primitive types know no labels"


def main():
    headers = sorted((ROOT / "neml2").rglob("*.h"))
    found = [f"{h.relative_to(ROOT)} {b}" for h in headers for b in breaches(h)]
    if UMBRELLA.is_file():
        reached, todo = set(), [UMBRELLA]
        while todo:
            header = todo.pop()
            if header not in reached:
                reached.add(header)
                todo += [ROOT / i for i in includes(header) if i.startswith("neml2/") and (ROOT / i).is_file()]
        found += [f"neml2/neml2.h does not bring {h.relative_to(ROOT)}" for h in headers
                  if h not in reached and h != ONCE_A_PROGRAM and h.parent.name != "gradients"]
    else:
        found.append("neml2/neml2.h does not exist")
    print("\n".join(found) or f"{len(headers)} headers, no breach")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
