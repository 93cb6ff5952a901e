#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds the public functions that a formula of vmap can call: kernels/ and packs/ have these functions, too, for rows of the same types.

A formula is called with rows: `dev(s)` is then kernels::dev of a kernels::SR2<T>. So a function is part of the vocabulary if
kernels/ or packs/ have a function of the same name that takes rows of its arguments' types. Calls with a namespace, `linalg::eigh(s)`, find
no such function. In Python the function must also be registered for rows by python/generate.py, or written by hand in
bindings/row_calls.cpp, neml2_tensors/_rows.py or neml2_tensors/_equivalent_stresses.py.

    vocabulary.py COMPILER    checks that the compiler finds exactly these functions for rows
"""
import re
import subprocess
import sys

from headers import INCLUDE, ROOT, declaring, read

sys.path.append(str(ROOT / "python"))
from generate import OPERATORS, ROW_FUNCTIONS, SCALAR_FUNCTIONS, TYPED_FUNCTIONS  # noqa: E402

DECLARED = re.compile(r"(?m)(?:^|friend [\w ]+ )(operator[^\w\s(]+|\w+)\(")
NUMBERS = {"Size", "Real", "bool", "int", "double", "CScalar"}
TYPES = set(re.findall(r"(?m)^class (?:NEML2_\w+ )?(\w+);", (INCLUDE / "tensors" / "fwd.h").read_text(encoding="utf-8"))) - {"Tensor"}
# The pattern for types that a program defines allows these calls, but it is meant for matrices, and a WR2 is not a matrix.
REFUSED = {("det", "WR2")}


def without_comments(header):
    return re.sub(r"(?m)^\s*(//|/?\*).*$", "", header.read_text(encoding="utf-8"))


def parameters(text):
    """The parts between the parentheses with which text begins, split at the commas of the outermost level."""
    out, depth = [""], 0
    for c in text:
        depth += (c in "(<[{") - (c in ")>]}")
        if not depth:
            break
        if c == "," and depth == 1:
            out.append("")
        elif depth > 1 or c != "(":
            out[-1] += c
    return [p for p in map(str.strip, out) if p]


def kind(parameter):
    """The type of a parameter: SR2 for `const SR2<A> & a`. An ellipsis stands for any number of parameters."""
    return "..." if "..." in parameter else re.sub(r"\b(const|constexpr)\b|\[\[\w+\]\]", "", parameter).split("<")[0].split()[0]


def functions_of_rows():
    """The functions of rows by name; for each overload, the kinds of its parameters and whether each may be left out."""
    out = {}
    for header in [*INCLUDE.glob("kernels/*.h"), *INCLUDE.glob("packs/*.h")]:
        text = without_comments(header)
        for f in DECLARED.finditer(text):
            out.setdefault(f[1], []).append([(kind(p), "=" in p) for p in parameters(text[f.end() - 1:])])
    return out


ROWS = functions_of_rows()


def fits(public, row, letters):
    """Whether a function of rows takes a row of the public type at this place; letters in the type are template parameters."""
    if public in letters:
        return row not in TYPES | NUMBERS
    if public in NUMBERS | {"Scalar"}:
        return row not in TYPES
    return public == row or public in TYPES and row not in TYPES | NUMBERS


def takes(given, types, least, letters):
    """Whether a function of rows with these parameters takes arguments of these types, or only the first `least` arguments."""
    kinds = [k for k, _ in given]
    if "..." in kinds:  # any number of parameters
        at = kinds.index("...")
        kinds[at:] = ["..."] if "..." in types else ["T"] * (len(types) - at)
    least = max(least, sum(not default for k, default in given if k != "..."))
    pairs = list(zip(types[:least], kinds))
    alike = all(a == b for a, r in pairs for b, s in pairs if r == s and {a, b} <= TYPES)  # R<A>, R<B>
    return len(kinds) >= least <= len(types) and alike and all(fits(p, r, letters | {"..."}) for p, r in pairs)


def callable_with(name, types, least=0, letters=frozenset()):
    return (name, *types) not in REFUSED and any(takes(given, types, least or len(types), letters) for given in ROWS.get(name, []))


def in_formulas(f):
    """Whether the function f of the headers may be called in a C++ formula. Of members, only the factories declared for formulas may:
    static templates that return auto."""
    if f.static and f.letters and f.text.startswith("static auto "):
        return True
    least = sum(not a.default for a in f.args)
    return not f.is_class and f.scope == "neml2" and least > 0 and callable_with(f.name, [kind(a.type) for a in f.args], least, f.letters)


# ---- Python ----

BY_HAND = (ROOT / "python" / "bindings" / "row_calls.cpp").read_text(encoding="utf-8")
COMPONENTWISE = set(re.findall(r'\{"(\w+)", (?:\[\]\(const D|power)', BY_HAND)) | {"where", "clamp", "clip"}
OF_TENSORS = set(re.findall(r'name == "(\w+)"', BY_HAND.partition("call_of_tensor(")[2].partition("call_of_tensors(")[0]))
DEFINED = (ROOT / "python" / "neml2_tensors" / "_rows.py").read_text(encoding="utf-8")
IN_PYTHON = {f.removeprefix("_") for f in re.search(r"for _function in \((.*)\):", DEFINED)[1].split(", ")} | {"newton", "newton_report"}
IN_PYTHON |= {*re.findall(r'"(\w+)"', re.search(r"for _name in \((.*)\):", DEFINED)[1])}
IN_PYTHON |= {f"logical_{name}" for name in re.findall(r'(?m)^_logical\("(\w+)"', DEFINED)}
IN_PYTHON |= {*re.findall(r"(?m)^@_of_batches\ndef (\w+)", (ROOT / "python" / "neml2_tensors" / "_equivalent_stresses.py").read_text(encoding="utf-8"))}
OTHER_NAMES = dict(re.findall(r'\{"(\w+)", "(\w+)"\}', BY_HAND.partition("\nformula_name(")[2].partition("\n}")[0]))
OPERATORS_OF_ROWS = {"operator" + o for o in [*OPERATORS.split(), *"== != < > <= >= & | ~".split()]}
NO_ROWS = {"SFR4", "WFR4", "R5", "R8", "SSSSR8", "MillerIndex"}  # formulas have SFFR4 and WFFR4 in place of the first two


def in_python_formulas(f):
    """Whether the function may be called in a Python formula, as a function or as a method of a tensor."""
    types = [f.scope] * (f.is_class and not f.static) + [kind(a.type) for a in f.args]
    name, least = OTHER_NAMES.get(f.name, f.name), len(types) - sum(bool(a.default) for a in f.args)
    if f.static and in_formulas(f):
        return f.name == "fill" and f'type == "{f.scope}"' in BY_HAND
    if not least or NO_ROWS & {*types}:
        return False
    if not f.is_class and (name in COMPONENTWISE and f.letters or name in IN_PYTHON and f.args[0].name != "elem_dofs"  # another interpolate
                           or name in OPERATORS_OF_ROWS and in_formulas(f)):
        return True
    if {*types[:least]} <= {"Tensor", *f.letters} and name in OF_TENSORS:
        return True
    if {*types} == {"Scalar"}:
        return name in SCALAR_FUNCTIONS.get(len(types), "").split()
    plain = ["Scalar" if t == "Real" else "R2" if t == "Quaternion" and name == "rotate" else t for t in types]
    if any(name in names.split() and len(of) == len(types) and all(t in {*n.split(), *f.letters} for t, n in zip(plain, of))
           for names, *of in TYPED_FUNCTIONS):
        return True
    return name in ROW_FUNCTIONS.get(least, "").split() and callable_with(name, types[:least], least, f.letters)


# ---- The check by the compiler ----

def source(functions):
    """A program that compiles only if exactly the functions of the vocabulary take rows."""
    lines = [f'#include "neml2/{h.relative_to(INCLUDE).as_posix()}"' for h in sorted(INCLUDE.glob("kernels/*.h"))]
    lines += ['#include "neml2/packs/Pack.h"', "using P = neml2::packs::Pack<4>;"]
    for at, f in enumerate(functions):
        types = [kind(a.type) for a in f.args if not a.default]
        if f.scope == "neml2" and types and all(t in NUMBERS | TYPES for t in types) and not f.name.startswith("operator"):
            rows = ["P" if t == "Scalar" else f"neml2::kernels::{t}<P>" if t in TYPES else "int" for t in types]
            lines += [f"constexpr auto call_{at} = [](const auto &... a) -> decltype({f.name}(a...)) {{ return {f.name}(a...); }};",
                      f"static_assert(std::is_invocable_v<decltype(call_{at}), {', '.join(rows)}> == {str(in_formulas(f)).lower()}, \"{f.text}\");"]
    return "\n".join([*lines, ""])


def main():
    declared = read([*declaring("math"), *declaring("tensors")])
    text = source([f for h in declared.values() for f in h.functions if not f.is_class])
    found = subprocess.run([*sys.argv[1:], "-std=c++17", "-fsyntax-only", f"-I{INCLUDE.parent}", "-x", "c++", "-"],
                           input=text, text=True)
    lost = [f for n, names in ROW_FUNCTIONS.items() for f in names.split() if all(len(given) != n for given in ROWS.get(f, []))]
    if lost:
        print("python/generate.py, ROW_FUNCTIONS: no overload takes the given number of rows:", *lost)
    return bool(found.returncode or lost or text.count("static_assert") < 150)


if __name__ == "__main__":
    sys.exit(main())
