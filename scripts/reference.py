#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/reference.md: every public function of the headers with its comment. --check only compares."""
import re
import sys

from headers import INCLUDE, ROOT, Class, declaring, read

PAGE = ROOT / "docs" / "reference.md"
CORE = ["TensorBase.h", "Tensor.h", "PrimitiveTensor.h", "factories.h", "operators.h", "comparison.h", "in_place.h", "shape.h", "options.h",
        "TensorCache.h", "errors.h"]
MEMBERS_ONLY = {"factories.h"}  # what is not a member there is for the library
FIRST = "Scalar Vec R2 SR2 WR2 R3 R4 SSR4 Rot Quaternion MillerIndex".split()


def section(path, header):
    """The comments of the header's classes, and its functions: those of one comment together."""
    out, entry, last = [f"### `{path.relative_to(INCLUDE.parent)}`", ""], [], ""

    def flush():
        if entry:
            out.extend(["```cpp", *entry, "```", last, ""])
            entry.clear()

    for item in header.items:
        if isinstance(item, Class):
            if item.defined and item.comment:
                flush()
                out.extend([item.comment, ""])
            continue
        if path.name in MEMBERS_ONLY and not item.is_class:
            continue
        if item.comment != last:
            flush()
            last = item.comment
        if item.comment or item.args or not item.constructor:
            entry.append(item.text.replace("= default_tensor_options()", "= ..."))
    flush()
    return "\n".join(out) if len(out) > 2 else ""


def page():
    tensors = sorted(declaring("tensors"),
                     key=lambda h: (FIRST.index(h.stem) if h.stem in FIRST else 99, h.name))
    groups = [("Types, and what belongs to one", [h for h in tensors if h.name not in ("fwd.h", "tensors.h", "gradients.h", "operations.h")]),
              ("Functions of any type", declaring("math")),
              ("Over several processes", [INCLUDE / "distributed" / "batch.h"]),
              ("What all tensors have", [INCLUDE / "core" / n for n in CORE if (INCLUDE / "core" / n).is_file()])]
    parts = ["# Reference", "Written by `scripts/reference.py` from the comments of the headers. Shapes are `(batch; base)`, `...` "
             "any batch shape; unless a function says otherwise, batch shapes broadcast, and a wrong shape, dtype or device or an "
             "undefined tensor throws `NEMLException`. See also [conventions](conventions.md) and [names](nomenclature.md).",
             "`neml2/neml2.h` includes every header below but `tensors/gradients.h` and `distributed/batch.h`. All names are in the namespace `neml2`; functions of a field "
             "have one of its own: `linalg::`, `crystallography::`, `discretization::`, `distributed::`. The factories that all types have, `zeros`, `full`, `rand` "
             "and others, are [under `core/factories.h`](#neml2corefactoriesh)."]
    declared = read([h for _, headers in groups for h in headers])
    for title, headers in groups:
        parts.append(f"## {title}")
        parts += [s for s in (section(h, declared[h]) for h in headers) if s]
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(parts)) + "\n"


def main():
    text = page()
    if "--check" in sys.argv:
        if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
            print("docs/reference.md is not what the headers say; run scripts/reference.py")
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
