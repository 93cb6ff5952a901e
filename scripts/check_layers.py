#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the includes between headers in include/neml2, and that tests cover them (CONTRIBUTING.md, "Rooms"). Prints each breach."""
import re
import sys
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
ROOT = PROJECT / "include"
ROOMS = {  # the rooms that each room may include besides itself
    "kernels": [],
    "packs": ["kernels"],
    "recorded": ["kernels", "packs"],
    "core": ["kernels"],
    "engine": ["kernels", "packs", "recorded", "core"],
    "composed": ["kernels", "core"],
    "device": ["kernels", "packs", "recorded", "core", "engine"],
    "math": ["kernels", "packs", "recorded", "core", "engine", "composed", "device"],
    "tensors": ["kernels", "packs", "core", "engine", "composed", "math"],
    "gradients": ["kernels", "packs", "core", "engine", "composed", "math", "tensors"],
    "distributed": ["kernels", "packs", "core", "engine", "composed", "math", "tensors"],
}
WITHOUT_TORCH = ["kernels", "packs", "recorded"]
UMBRELLA = ROOT / "neml2" / "neml2.h"
APART = [  # headers that take long to compile: programs of headers alone include them in addition to neml2.h
    ROOT / "neml2" / "math" / "recordings.h",
]
ONCE_A_PROGRAM = ROOT / "neml2" / "tensors" / "gradients.h"  # includes the room gradients, an exception to the order of the rooms
DOORS = {  # the headers other than core/aten.h that include headers of LibTorch, with the headers that they include
    "engine/autograd.h": ("torch/csrc/autograd/",),
    "distributed/c10d.h": ("torch/csrc/distributed/",),
    "device/libtorch_devices.h": ("ATen/DynamicLibrary.h", "ATen/detail/CUDAHooksInterface.h", "ATen/ops/empty_strided.h", "c10/core/", "c10/util/hash.h"),
}
TORCH = re.compile(r"(ATen|c10|torch|caffe2)/")
PAST = re.compile(r"NEML2 [12]\.|NEML2_COMPAT")  # only compat/ may contain these


PUBLIC = re.compile(r"^\| \[(\w+)/(\w+)\.h\]", re.M)  # the headers of docs/reference.md
COMMON = "tests/tensors/types_without_members_test.cpp"
MAPS = "tests/tensors/R8_test.cpp"
REDUCTIONS = "tests/math/reduction_test.cpp"
TESTED_ELSEWHERE = {  # public headers without a test file of the same name: where they are tested, and why
    "kernels/errors": ("tests/kernels/indices_test.cpp", "what formulas throw"),
    "math/mandel_maps": ("tests/math/mandel_test.cpp", "the tables of the functions there"),
    "math/sum": (REDUCTIONS, "all reductions are in one table"),
    "tensors/R5": (MAPS, "a class without members"),
    "tensors/SFFR4": (COMMON, "a class without members"),
    "tensors/SFR3": (COMMON, "a class without members"),
    "tensors/SFR4": (COMMON, "a class without members"),
    "tensors/SSFR5": (MAPS, "a class without members"),
    "tensors/SSSSR8": (MAPS, "a class with an identity only"),
    "tensors/SWR4": (MAPS, "a class with conversions only"),
    "tensors/WFFR4": (COMMON, "a class without members"),
    "tensors/WFR4": (COMMON, "a class without members"),
    "tensors/WSR4": (MAPS, "a class with conversions only"),
    "tensors/WWR4": (MAPS, "a class with an identity and conversions only"),
}


@cache
def includes(header):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', header.read_text(encoding="utf-8"), re.M)


def breaches(header):
    name = header.relative_to(ROOT / "neml2")
    room = name.parts[0] if len(name.parts) > 1 else None
    for included in includes(header):
        own = re.match(r"neml2/(\w+)/", included)
        if included.startswith("neml2/") and not (ROOT / included).is_file():
            yield f"includes {included}, which does not exist"
        if own and room and own[1] not in [room] + ROOMS[room] and header != ONCE_A_PROGRAM:
            yield f"includes {included}; {room} may include {', '.join(ROOMS[room]) or 'the standard library only'}"
        if room in WITHOUT_TORCH and "/" in included and not included.startswith("neml2/"):
            yield f"includes {included}; {room} uses the standard library only"
        if TORCH.match(included) and name.as_posix() != "core/aten.h":
            if not included.startswith(DOORS.get(name.as_posix(), ("-",))):
                yield f"includes {included}; only core/aten.h does that"
        if room == "tensors" and re.search("/labeled", included, re.I) \
                and not re.match("labeled|tensors.h", name.name, re.I):
            yield f"includes {included}; primitive types know no labels"


def class_needs(header):
    """The headers that a header of types must not include above its class. There it may include headers of lower rooms, fwd.h, and the
    headers of its base classes and of their template arguments. Headers of labels may include one another, since they form no circles."""
    text = header.read_text(encoding="utf-8")
    below = re.search(r'^(// ---- Definitions|#include "[^"]*-inl\.h")', text, re.M)
    if header.parent.name != "tensors" or header.name.startswith("Labeled") or not below:
        return
    above = text[:below.start()]
    derivations = re.findall(r"^(?:class|struct) [^;{]*?: public ([^{]*)", above, re.M)
    bases = {name for bases in derivations for name in re.findall(r"\w+", bases)}
    for name in re.findall(r'#include "neml2/tensors/(\w+)\.h"', above):
        if name != "fwd" and name not in bases:
            yield (f"includes tensors/{name}.h above its class; there it may include lower rooms, tensors/fwd.h and "
                   "base classes")


def past(header):
    """Lines that mention older releases."""
    if header.name != "aten.h":  # <torch/types.h> has to come before everything
        for line in filter(PAST.search, header.read_text(encoding="utf-8").splitlines()):
            yield f"knows other releases, whose names are in compat/: {line.strip()}"


def foreign_namespaces(header):
    """The namespaces that a header opens besides neml2 and the namespace of its room."""
    name = header.relative_to(ROOT / "neml2")
    room = name.parts[0] if len(name.parts) > 1 else None
    text = header.read_text(encoding="utf-8")
    for opened in re.findall(r"^namespace (?:neml2::)?(\w+)(?:::\w+)*\n\{\n(?!\})", text, re.M):
        if opened in ROOMS and opened != room:
            yield f"opens namespace {opened}; a header's namespace is that of its room"


def untested():
    """Public headers without a test: no test file has their name, and the list above names none for them."""
    public = PUBLIC.findall((PROJECT / "docs" / "reference.md").read_text(encoding="utf-8"))
    for room, name in public:
        listed = TESTED_ELSEWHERE.get(f"{room}/{name}")
        test = PROJECT / (listed[0] if listed else f"tests/{room}/{name}_test.cpp")
        if not test.is_file():
            yield f"neml2/{room}/{name}.h has no {test.relative_to(PROJECT)}"
        elif f"neml2/{room}/{name}.h" not in includes(test):
            yield f"{test.relative_to(PROJECT)} does not include neml2/{room}/{name}.h, which it tests"
        elif listed and (PROJECT / f"tests/{room}/{name}_test.cpp").is_file():
            yield f"neml2/{room}/{name}.h has a test file of its name: strike it off TESTED_ELSEWHERE"
    for header in TESTED_ELSEWHERE.keys() - {"/".join(p) for p in public}:
        yield f"neml2/{header}.h is not a public header: strike it off TESTED_ELSEWHERE"


def reached_from(headers, past=None):
    """These headers of the library, and all headers that they include, directly or indirectly, but not through the header `past`."""
    reached, todo = set(), list(headers)
    while todo:
        header = todo.pop()
        if header not in reached and header != past and header.is_file():
            reached.add(header)
            todo += [ROOT / i for i in includes(header) if i.startswith("neml2/")]
    return reached


def uses_torch_unseen(header):
    """Whether a header uses LibTorch's names but does not include core/aten.h, directly or indirectly: alone it would not compile."""
    text = re.sub(r"//.*|/\*[\s\S]*?\*/", "", header.read_text(encoding="utf-8"))
    if re.search(r"\b(at|c10|torch)::", text) and ROOT / "neml2" / "core" / "aten.h" not in reached_from([header]):
        yield "uses LibTorch and does not include core/aten.h, itself or by others"


def not_compiled():
    """The parts missing in neml2::compiled: bodies and rules that no file in src/ includes, and elementwise loops of types."""
    sources = "\n".join(f.read_text(encoding="utf-8") for f in sorted((PROJECT / "src").glob("*.cpp")))
    reached = reached_from(ROOT / i for i in re.findall(r'#include "([^"]+)"', sources))
    for header in [*ROOT.rglob("*-inl.h"), *ROOT.rglob("gradients/*.h")]:
        if header not in reached:
            yield f"{header.relative_to(ROOT)} is in no file of src/: neml2::compiled would lack what it defines"
    fwd = (ROOT / "neml2" / "tensors" / "fwd.h").read_text(encoding="utf-8")
    for name in re.findall(r"^class (?:NEML2_ONE_A_PROGRAM )?(\w+);", fwd, re.M):
        if f"has_loops<{name}>" not in fwd + (ROOT / "neml2" / "core" / "TensorBase.h").read_text(encoding="utf-8"):
            yield f"tensors/fwd.h does not say that {name} has_loops"
        for operation in ("Plus", "Minus", "Times", "Over"):
            if f"template struct ElementwiseOn<{operation}, {name}>;" not in sources:
                yield f"ElementwiseOn<{operation}, {name}> is instantiated in no file of src/"


def shared_namespaces():
    """Namespaces shared by test files, each of which needs a separate one, since they may be compiled as one file."""
    for test in sorted((PROJECT / "tests").glob("*/*_test.cpp")):
        if test.parent.name not in ("kernels", "threads") and f"\nnamespace {test.stem}\n" not in test.read_text(encoding="utf-8"):
            yield f"{test.relative_to(PROJECT)} is not in a namespace {test.stem}: a room's files are compiled joined"


def main():
    headers = sorted((ROOT / "neml2").rglob("*.h"))
    found = [f"{h.relative_to(ROOT)} {b}" for h in headers for b in [*breaches(h), *class_needs(h), *past(h), *foreign_namespaces(h), *uses_torch_unseen(h)]]
    if UMBRELLA.is_file():
        reached = reached_from([UMBRELLA, *APART])
        found += [f"neml2/neml2.h does not bring {h.relative_to(ROOT)}" for h in headers
                  if h not in reached and h != ONCE_A_PROGRAM and h.parent.name not in ("gradients", "recorded", "distributed")]
    else:
        found.append("neml2/neml2.h does not exist")
    found += [*untested(), *not_compiled(), *shared_namespaces()]
    print("\n".join(found) or f"{len(headers)} headers, no breach")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
