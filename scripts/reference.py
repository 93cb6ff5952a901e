#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/reference.md: every public function of the headers with its comment. --check only compares."""
import re
import sys

from derivative_rules import has_no_rule
from headers import INCLUDE, ROOT, Class, declaring, read
from inherited import Bases
from pages import write_or_check
from vocabulary import in_formulas, in_python_formulas

PAGE = ROOT / "docs" / "reference.md"
CORE = ["TensorBase.h", "Tensor.h", "PrimitiveTensor.h", "factories.h", "operators.h", "comparison.h", "in_place.h", "shape.h", "options.h",
        "TensorCache.h", "errors.h", "types.h", "indexing.h", "TensorDataContainer.h", "TraceableTensorShape.h", "DynamicDims.h"]
MEMBERS_ONLY = {"factories.h"}  # names there that are not members are for the library
FIRST = "Scalar Vec R2 SR2 WR2 R3 R4 SSR4 Rot Quaternion MillerIndex".split()
NO_PAGE = {"fwd.h", "tensors.h", "operations.h"}
ABOUT_ONLY = {"gradients.h"}
INTRODUCTION = """# Reference

Written by `scripts/reference.py` from the comments of the headers. Shapes are `(batch; base)`, `...` any batch shape; unless a function says
otherwise, batch shapes broadcast, and a wrong shape, dtype or device or an undefined tensor throws `NEMLException`. Angles are in radians
unless an argument says degrees. See also [conventions](conventions.md), [names](nomenclature.md) and the [dtypes](limits.md#numbers) that
are supported.

Each function is under the header to include; `neml2/neml2.h` includes every header below but `math/formula.h`, `tensors/gradients.h` and
`distributed/batch.h`. All names are in the namespace `neml2`, unless a heading says otherwise: functions of a field have one of its own,
`linalg::`, `crystallography::`, `discretization::`, `distributed::`. Templates whose parameters are `A`, `B` or `T` take tensors of any type,
`N` a plain number. The factories that all types have, `zeros`, `full`, `rand` and others, are listed with each type, and described
[under `core/factories.h`](#neml2corefactoriesh).

"In formulas of C++ and Python" marks what [formulas](vmap.md) of `vmap` can call, and with them of `value_and_jacobian` and `newton`;
tensors of a formula have methods in Python only. Operations of the types are [fused](engine.md) on the CPU, and where they have a derivative
rule so are their gradients, for which programs of headers alone include `neml2/tensors/gradients.h` once, and most have a
[kernel on CUDA](devices.md#formulas-of-c); "No derivative rule" marks operations for which autograd records LibTorch's calls.

Python has the same names: types in `neml2.tensors`, functions in `neml2.math`, those of `crystallography::` in `neml2.crystallography`, and
`vmap`, `value_and_jacobian` and `newton` in `neml2`, all [listed with their arguments](python_reference.md)."""


def headers():
    """The headers of the reference, by the titles of its parts."""
    tensors = sorted(declaring("tensors"), key=lambda h: (FIRST.index(h.stem) if h.stem in FIRST else 99, h.name))
    return {"Types, and what belongs to one": [h for h in tensors if h.name not in NO_PAGE],
            "Functions of any type": declaring("math"),
            "Over several processes": [INCLUDE / "distributed" / "batch.h"],
            "What all tensors have": [*(p for n in CORE if (p := INCLUDE / "core" / n).is_file()), INCLUDE / "kernels" / "errors.h"]}


def shown(text):
    """A declaration without what is for the library only."""
    text = re.sub(r"core::dependent_scalar_t<\w+>|typename core::dependent_scalar<.*?>::type(?= )", "Scalar", text)
    text = text.replace(", core::Implicit = core::Implicit(\"\")", "")
    text = text.replace(", core::Strictness = core::Strictness(\"\")", "")
    text = text.replace("core::Strictness::relaxed", "false")  # in programs of NEML2 2.x true
    text = text.replace("const O &... o", "const TensorOptions & options = default_tensor_options()")  # core/factories.h
    return text.replace("const O & options", "const TensorOptions & options")


def block(texts):
    return ["```cpp", *(shown(t).replace("= default_tensor_options()", "= ...") for t in texts), "```"]


def is_shown(f):
    """Whether it is not for the library's own use."""
    internal = "core::Trusted" in f.text or f.name in ("expected_base_sizes", "name_in_messages")
    return not internal and (f.comment or f.args or not f.constructor)


def marks(functions):
    """A sentence, perhaps empty, that says where functions of one comment may be called, and how their derivatives are computed."""
    languages = [n for n, test in (("C++", in_formulas), ("Python", in_python_formulas)) if any(map(test, functions))]
    formulas = ["In formulas of " + " and ".join(languages) + "."] if languages else []
    return " ".join(formulas + ["No derivative rule."] * all(map(has_no_rule, functions)))


def entries(found):
    """Functions of one comment, next to each other."""
    out = []
    for f in found:
        if not out or f.comment != out[-1][0].comment:
            out.append([])
        out[-1].append(f)
    return out


def in_one_line(name):
    return name.text + ";" * ("#" not in name.text) + f" // {name.comment}" * bool(name.comment)


def by_namespace(found):
    """Types and constants by their namespace, neml2 first; macros have none."""
    spaces = {n.scope: None for n in found if not n.is_class and n.scope not in ("", "neml2")}
    yield "neml2", [n for n in found if n.scope not in spaces]
    yield from ((space, [n for n in found if n.scope == space]) for space in spaces)


def names(found):
    """Types and constants: lines of one block, those with longer comments below it."""
    out = []
    for space, part in by_namespace(found):
        short = [n for n in part if "\n" not in n.comment]
        out += [f"In the namespace `{space}`:", ""] if space != "neml2" else []
        out += ["```cpp", *map(in_one_line, short), "```", ""] if short else []
        for n in part:
            if n not in short:
                out += ["```cpp", n.text, "```", n.comment, ""]
    return out


def functions(found):
    out = []
    for entry in entries(found):
        said = marks(entry)
        out += [*block(dict.fromkeys(f.text for f in entry)), entry[0].comment, f"*{said}*" * bool(said), ""]
    return out


def inherited(c, bases):
    """The members that a type has from its bases."""
    if not bases.is_type(c.name):
        return []
    factories, shape = bases.factories(c.name), bases.shape(c.name)
    shapes = f", unbatched `(; {shape})` or `(batch; {shape})`" if shape is not None else ""
    out = ["Constructors ([core/PrimitiveTensor.h](#neml2coreprimitivetensorh)) and factories ([core/factories.h](#neml2corefactoriesh)) of all "
           f"types, as this one has them{shapes}:", "", *block(factories), "",
           "Members of all types ([core/TensorBase.h](#neml2coretensorbaseh)), beside those of LibTorch's `at::Tensor`:", ""]
    out += [f"- {heading}: " + " ".join(f"`{f.name}`" for f in members) for heading, members in bases.members(c.name).items()]
    return [*out, "- Other names of batch and base dimensions, `dynamic_dim` and more: [core/DynamicDims.h](#neml2coredynamicdimsh)", ""]


def section(path, header, bases):
    """The comments of the header's namespaces and classes, and its functions."""
    out = [header.about, "", *names([n for n in header.names if not n.is_class])]
    found = [f for f in header.functions if is_shown(f) and (f.is_class or path.name not in MEMBERS_ONLY)]
    classes = [c for c in header.items if isinstance(c, Class) and c.defined and (c.comment or any(f.scope == c.name for f in found))]
    for c in classes:
        out += [f"#### class `{' : '.join([c.name] + [', '.join(c.bases)] * bool(c.bases))}`", "", c.comment, "",
                *names([n for n in header.names if n.is_class and n.scope == c.name]),
                *functions([f for f in found if f.is_class and f.scope == c.name]), *inherited(c, bases)]
    free = [f for f in found if not f.is_class]
    for scope in dict.fromkeys(f.scope for f in free):
        out += [f"#### Functions in `{scope}`", "", *functions([f for f in free if f.scope == scope])]
    text = "\n".join(out).strip()
    return f"### `{path.relative_to(INCLUDE.parent)}`\n\n{text}\n" if classes or free or header.names or path.name in ABOUT_ONLY else ""


def page():
    groups, parts = headers(), [INTRODUCTION]
    declared = read([h for found in groups.values() for h in found])
    bases = Bases(declared.values())
    for title, found in groups.items():
        parts.append(f"## {title}")
        parts += [s for s in (section(h, declared[h], bases) for h in found) if s]
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(parts)) + "\n"


def main():
    return write_or_check(PAGE, page(), "docs/reference.md is not what the headers say; run scripts/reference.py")


if __name__ == "__main__":
    sys.exit(main())
