#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/reference.md: every public function of the headers with its comment. --check only compares."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include" / "neml2"
PAGE = ROOT / "docs" / "reference.md"
CORE = ["TensorBase.h", "Tensor.h", "PrimitiveTensor.h", "operators.h", "comparison.h", "in_place.h", "shape.h", "options.h",
        "strings.h", "TensorCache.h", "errors.h"]
FIRST = "Scalar Vec R2 SR2 WR2 R3 R4 SSR4 Rot Quaternion MillerIndex".split()


def pieces(text):
    """(comment, declaration) in order, and (None, "{" or "}") around classes and namespaces."""
    comment, declaration, depth, skipping = [], "", 0, 0
    lines = iter(text.split("// ---- Definitions")[0].splitlines())
    for line in lines:
        stripped = line.strip()
        if skipping:  # a function's body
            skipping += line.count("{") - line.count("}")
            continue
        if stripped.startswith("#"):
            while stripped.endswith("\\"):
                stripped = next(lines).strip()
            continue
        if not declaration and stripped.startswith("/**"):
            comment = []
            while not stripped.endswith("*/"):
                stripped = next(lines).strip()
                comment.append(re.sub(r"^\*/?|\*/$", "", stripped).removeprefix(" ") if stripped != "*/" else "")
            continue
        if not declaration and stripped.startswith("///") and not stripped.startswith("///<"):
            if comment and not comment[-1].startswith("\0"):
                comment = comment if pieces.open else []
            pieces.open = True
            comment.append(stripped[3:].removeprefix(" "))
            continue
        pieces.open = False
        if not declaration and (not stripped or stripped.startswith("//")):
            comment = []
            continue
        declaration += (" " if declaration else "") + re.sub(r"\s*//.*", "", stripped)
        if declaration in ("public:", "protected:", "private:") or re.fullmatch(r"};?|} // .*", declaration):
            yield None, declaration
        elif re.match(r"(template <.*?> )?(class|struct|namespace|enum)\b", declaration) and declaration.endswith("{"):
            yield comment, declaration
        elif declaration.count("{") > declaration.count("}"):
            if re.search(r"[=(,]\s*{[^}]*$", declaration) and not declaration.endswith(") {"):
                continue  # an initialiser
            skipping = declaration.count("{") - declaration.count("}")
            yield comment, declaration[: declaration.index("{")].rstrip()
        elif declaration.endswith((";", "}")):
            yield comment, declaration.rstrip(";")
        else:
            continue
        declaration = ""
        comment = [] if re.search(r"[{:}]", declaration) else comment


pieces.open = False


def clean(declaration):
    if types := re.search(r"if_types<A, (\w+), B, (\w+)>", declaration):
        declaration = declaration.replace("const A &", f"const {types[1]} &").replace("const B &", f"const {types[2]} &")
    d = re.sub(r"^(template <[^;]*?> )(?=[A-Za-z\[])", "", declaration)
    while d.startswith("template <"):
        depth = 0
        for i, c in enumerate(d):
            depth += (c == "<") - (c == ">")
            if c == ">" and depth == 0:
                d = d[i + 1:].lstrip()
                break
        else:
            break
    d = re.sub(r"\[\[nodiscard\]\]\s*|NEML2_\w+\s*|\binline\s+|\bneml2::", "", d)
    d = re.sub(r" : [_\w]+\(.*$|\s*= (default|0)$", "", re.sub(r"\)\s*(const)?\s*{.*", r") \1", d)).strip()
    return re.sub(r"default_tensor_options\(\)", "...", re.sub(r"\s+", " ", d))


def section(header):
    where = header.relative_to(INCLUDE.parent)
    out, scopes, entry, last = [f"### `{where}`", ""], [], [], None  # entry: the declarations of one comment

    def flush():
        if entry:
            out.extend(["```cpp", *entry, "```", *last, ""])
            entry.clear()

    for comment, declaration in pieces(header.read_text(encoding="utf-8")):
        if comment is None and declaration.startswith("}"):
            if scopes:
                scopes.pop()
            continue
        if comment is None:
            if scopes:
                scopes[-1][1] = declaration
            continue
        kind = re.match(r"(?:template <.*?> )?(class|struct|namespace|enum)(?: class)? ?(?:NEML2_\w+ )?([\w:]*)", declaration)
        if kind and declaration.endswith("{"):
            visible = "public:" if kind[1] != "class" else "private:"
            hidden = kind[2].split("::")[-1] == "core" or kind[2].startswith("core") or any(s[2] for s in scopes) \
                or any(s[1] != "public:" for s in scopes)
            scopes.append([kind[2], visible, hidden])
            if kind[1] == "class" and not hidden and comment:
                flush()
                out.extend(["\n".join(comment).strip(), ""])
            continue
        if any(s[2] or s[1] != "public:" for s in scopes) or "(" not in declaration:
            continue
        if re.search(r"=\s*delete|\boperator\w*\s*(at::|neml2::)?Tensor\b|static_assert|^using |^friend ", declaration):
            continue
        if comment and comment != last:
            flush()
            last = comment
        if last:
            entry.append(clean(declaration))
    flush()
    return "\n".join(out) if len(out) > 2 else ""


def page():
    tensors = sorted((INCLUDE / "tensors").glob("*.h"),
                     key=lambda h: (FIRST.index(h.stem) if h.stem in FIRST else 99, h.name))
    groups = [("Types, and what belongs to one", [h for h in tensors if h.name not in ("fwd.h", "tensors.h", "gradients.h")]),
              ("Functions of any type", sorted((INCLUDE / "math").glob("*.h"))),
              ("What all tensors have", [INCLUDE / "core" / n for n in CORE if (INCLUDE / "core" / n).is_file()])]
    parts = ["# Reference", "Written by `scripts/reference.py` from the comments of the headers. Shapes are `(batch; base)`, `...` "
             "any batch shape; unless a function says otherwise, batch shapes broadcast, and a wrong shape, dtype or device or an "
             "undefined tensor throws `NEMLException`. See also [conventions](conventions.md) and [names](nomenclature.md)."]
    for title, headers in groups:
        parts.append(f"## {title}")
        parts += [s for s in map(section, headers) if s]
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
