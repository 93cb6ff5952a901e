#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes build/docs/reference.md, every public function of the headers with its comment, and the tables of docs/reference.md, which list
the names that each header declares. --check writes no files, and prints whether the tables differ."""
import re
import sys
from os.path import relpath

from derivative_rules import has_no_rule
from headers import INCLUDE, ROOT, Class, declaring, read
from inherited import Bases
from pages import END, TABLES, reference_introduction, write_or_check
from vocabulary import in_formulas, in_python_formulas

INDEX = ROOT / "docs" / "reference.md"
PAGE = ROOT / "build" / "docs" / "reference.md"
CORE = ["TensorBase.h", "Tensor.h", "PrimitiveTensor.h", "factories.h", "operators.h", "comparison.h", "in_place.h", "shape.h", "options.h",
        "TensorCache.h", "errors.h", "types.h", "indexing.h", "TensorDataContainer.h", "TraceableTensorShape.h", "DynamicDims.h"]
MEMBERS_ONLY = {"factories.h"}  # in these headers, names that are not members are internal
FIRST = "Scalar Vec R2 SR2 WR2 R3 R4 SSR4 Rot Quaternion MillerIndex".split()
NO_PAGE = {"fwd.h", "tensors.h", "operations.h"}
ABOUT_ONLY = {"gradients.h"}



def headers():
    """The headers of the reference, by the titles of its parts."""
    tensors = sorted(declaring("tensors"), key=lambda h: (FIRST.index(h.stem) if h.stem in FIRST else 99, h.name))
    return {"Types, and what belongs to one": [h for h in tensors if h.name not in NO_PAGE],
            "Functions of any type": declaring("math"),
            "Over several processes": [INCLUDE / "distributed" / "batch.h"],
            "What all tensors have": [*(p for n in CORE if (p := INCLUDE / "core" / n).is_file()), INCLUDE / "kernels" / "errors.h"]}


def shown(text):
    """A declaration without its internal parts."""
    text = re.sub(r"core::dependent_scalar_t<\w+>|typename core::dependent_scalar<.*?>::type(?= )", "Scalar", text)
    text = text.replace(", core::Implicit = core::Implicit(\"\")", "")
    text = text.replace(", core::Strictness = core::Strictness(\"\")", "")
    text = text.replace("core::Strictness::relaxed", "false")  # true in programs of NEML2 2.x
    text = text.replace("const O &... o", "const TensorOptions & options = default_tensor_options()")  # core/factories.h
    return text.replace("const O & options", "const TensorOptions & options")


def block(texts):
    return ["```cpp", *(shown(t).replace("= default_tensor_options()", "= ...") for t in texts), "```"]


def is_shown(f):
    """Whether a function is for users."""
    internal = "core::Trusted" in f.text or f.name in ("expected_base_sizes", "name_in_messages")
    return not internal and (f.comment or f.args or not f.constructor)


def marks(functions):
    """A sentence, perhaps empty, that says where functions with the same comment may be called, and how their derivatives are computed."""
    languages = [n for n, test in (("C++", in_formulas), ("Python", in_python_formulas)) if any(map(test, functions))]
    formulas = ["In formulas of " + " and ".join(languages) + "."] if languages else []
    return " ".join(formulas + ["No derivative rule."] * all(map(has_no_rule, functions)))


def entries(found):
    """Groups of adjacent functions that share a comment."""
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
    """Types and constants, as lines of one block; declarations with longer comments follow below it."""
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


def first_sentence(text):
    return re.split(r"(?<=[.:])\s", " ".join(text.split()) + " ")[0]


def row(path, header):
    """A header in the tables: its purpose, and the names that it declares besides members."""
    own = next((c.comment for c in header.items if isinstance(c, Class) and c.name == path.stem and c.comment), header.about)
    shown_here = [f for f in header.functions if is_shown(f) and not f.is_class and path.name not in MEMBERS_ONLY]
    found = [n for n in header.items if isinstance(n, Class) and n.defined and n.comment and n.name != path.stem]
    found += [n for n in header.names if not n.is_class] + [f for f in shown_here if not f.name.startswith("operator")]
    inner = ["" if isinstance(n, Class) else re.sub(r"^neml2(::)?", "", n.scope) for n in found]
    names = dict.fromkeys(f"`{scope}::{n.name}`" if scope else f"`{n.name}`" for scope, n in zip(inner, found))
    name = path.relative_to(INCLUDE).as_posix()
    return f"| [{name}](../include/neml2/{name}) | {first_sentence(own).strip(' .:')} | {' '.join(names)} |".replace("|  |", "| |").replace("|  |", "| |")


def index(parts):
    """docs/reference.md: its present text before the tables, and the new tables."""
    text = [INDEX.read_text(encoding="utf-8").partition(TABLES)[0] + TABLES]
    for title, found in parts.items():
        text += [f"\n## {title}\n", "| header of `neml2/` | purpose | names besides members |", "| --- | --- | --- |", *(row(*h) for h in found)]
    return "\n".join([*text, "", END, ""])


def anchors(text):
    """Links of a page to headings that it lacks."""
    there = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"(?m)^#+ (.*)$", text)}
    return [f"the reference has no heading for the link to #{a}" for a in sorted({*re.findall(r"\]\(#([^)]*)\)", text)} - there)]


def pages():
    """The complete reference, and the page with the tables."""
    groups, parts = headers(), [f"# Reference\n\n{reference_introduction()}"]
    declared = read([h for found in groups.values() for h in found])
    bases = Bases(declared.values())
    public = {}
    for title, found in groups.items():
        sections = {h: s for h in found if (s := section(h, declared[h], bases))}
        parts += [f"## {title}", *sections.values()]
        public[title] = [(h, declared[h]) for h in sections]
    parts[0] = re.sub(r"\]\(([^)]*)\)", lambda m: f"]({relpath(INDEX.parent / m[1], PAGE.parent)})", parts[0])
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(parts)) + "\n", index(public)


def main():
    text, tables = pages()
    if faults := anchors(text):
        sys.exit("\n".join(faults))
    if "--check" not in sys.argv:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text, encoding="utf-8")
    return write_or_check(INDEX, tables, "The tables of docs/reference.md are not what the headers declare; run scripts/reference.py")


if __name__ == "__main__":
    sys.exit(main())
