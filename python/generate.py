#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the bindings of the declarations in include/neml2/tensors/*.h, and the docstrings, from the headers themselves.

A function that is added to a header is in Python with the next build, with its comment as its docstring. Bindings without such a
declaration are written by hand in bindings/: the members of all types, and the templates of include/neml2/math.

    generate.py --list       prints the names of the files, one per line
    generate.py --out DIR    writes the files
"""
import argparse
import itertools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from headers import INCLUDE, declaring, read  # noqa: E402

# One source file per group: each header that compiles slowly has a separate file, and the rest share one.
GROUPS = {
    "SR2": ["SR2.h", "invariants.h", "Voigt.h"],
    "R2": ["R2.h", "Transformable.h"],
    "Vec": ["Vec.h", "Scalar.h", "WR2.h", "MillerIndex.h"],
    "SSR4": ["SSR4.h", "stiffness.h", "solve.h", "cholesky.h"],
    "R4": ["R3.h", "R4.h", "R5.h", "R8.h", "SFR3.h", "SFR4.h", "SFFR4.h", "WFR4.h", "WFFR4.h", "SWR4.h", "WSR4.h",
           "WWR4.h", "SSFR5.h", "SSSSR8.h", "kronecker.h"],
    "Rot": ["Rot.h", "exponential_map.h", "euler_angles.h"],
    "Quaternion": ["Quaternion.h", "crystallography.h", "slip_systems.h"],
    "kinematics": ["spectral.h", "kinematics.h", "skew_products.h"],
    "matrix_functions": ["matrix_functions.h"],
}
# Headers that are bound elsewhere, or have nothing for Python.
LABELS = sorted(h.name for h in declaring("tensors") if h.name.lower().startswith("labeled"))
BY_HAND = {*LABELS, "equivalent_stresses.h", "fwd.h", "gradients.h", "interpolation.h", "isotropic.h", "operations.h", "tensors.h"}
SKIPPED = {"Scalar::Scalar", "Rot::rand", "MillerIndex::create", "Transformable::transform", "Scalar::base_unsqueeze_to"}
# Types with separate fused loops for + - * / with a Scalar.
FUSED = "Scalar Vec R2 SR2 WR2 Rot Quaternion SSR4 R4".split()
STIFFNESSES = "isotropic_E_nu isotropic_K_G isotropic_lambda_mu cubic transversely_isotropic orthotropic".split()
# The types that template parameters of a declaration may stand for.
TEMPLATES = {
    "R4::R4": {"T": ["SSR4", "WWR4"]},
    "SSR4::SSR4": {"T": ["R4"]}, "SWR4::SWR4": {"T": ["R4"]}, "WSR4::WSR4": {"T": ["R4"]}, "WWR4::WWR4": {"T": ["R4"]},
    "Quaternion::Quaternion": {"R": ["Rot"]},
    "from_voigt_stress": {"T": ["Tensor"]}, "from_voigt_strain": {"T": ["Tensor"]},
    "stiffness_from_voigt": {"T": ["Tensor"]}, "compliance_from_voigt": {"T": ["Tensor"]},
    "kron": {"A": ["R2"], "B": ["R2"]}, "kron_transposed": {"A": ["R2"], "B": ["R2"]},
    "sym_kron": {"A": ["SR2"], "B": ["SR2"]},
    **dict.fromkeys(["solve", "inv", "det", "cholesky"], {"A": [], "B": []}),  # for types that a program defines
    # for formulas
    **dict.fromkeys(["R2::fill", "SR2::fill", "SSR4::fill_C1_C2_C3"], {"V": []}),
    **dict.fromkeys([of + name for of in ("", "SSR4::") for name in STIFFNESSES], {"V": []}),
    **dict.fromkeys(["R2::identity", "SR2::identity", "SSR4::identity", "SSR4::identity_sym", "SSR4::identity_vol",
                     "SSR4::identity_dev"], {"Like": []}),
    "cross": {"A": ["Rot", "WR2"], "B": ["Rot", "WR2"]}, "outer": {"A": ["Rot", "WR2"], "B": ["Rot", "WR2"]},
}
# The vocabulary of formulas, for rows of one or two types, and for several scalars: docs/vmap.md lists it.
ROW_FUNCTIONS = {
    1: "tr dev vol transpose transpose_major transpose_minor self_outer norm norm_sq unit skew skew_part sym full det inv "
       "cholesky eigenvalues principal_values eigh I1 I2 I3 J2 J3 von_mises hydrostatic triaxiality lode_angle "
       "polar polar_rotation nearest_rotation principal_stretches right_stretch left_stretch right_cauchy_green left_cauchy_green "
       "green_lagrange hencky_strain "
       "euler_rodrigues deuler_rodrigues exp_map log_map dexp_map shadow dshadow rotation_matrix to_rot conjugate "
       "d_multiply_and_make_skew_d_first d_multiply_and_make_skew_d_second d_skew_and_sym_to_sym_d_skew d_skew_and_sym_to_sym_d_sym",
    2: "inner vdot outer cross drotate drotate_self solve gdist dist multiply_and_make_skew skew_and_sym_to_sym",
}
SCALAR_FUNCTIONS = {2: "isotropic_E_nu isotropic_K_G isotropic_lambda_mu", 3: "cubic fill_C1_C2_C3", 5: "transversely_isotropic",
                    9: "orthotropic"}
# Functions bound only for rows of these types: the templates in the headers accept any type, and fail in their bodies for other types.
TYPED_FUNCTIONS = [("rotate", "Vec R2 SR2 WR2 R4 SSR4", "R2 Rot"), ("rotate", "Rot", "Rot"), ("rotate", "Vec", "Quaternion"),
                   ("push_forward pull_back", "SR2 SSR4", "R2"), ("push_forward_covariant pull_back_covariant", "SR2", "R2"),
                   ("kron kron_transposed", "R2", "R2"), ("sym_kron", "SR2", "SR2"), ("contract_k", "R3", "Vec"),
                   ("expm logm sqrtm", "SR2 R2"), ("dexpm dlogm dsqrtm", "SR2"), ("dexpm dlogm dsqrtm", "SR2", "SR2"),
                   ("powm dpowm", "SR2", "Scalar"), ("dpowm", "SR2", "Scalar", "SR2"), ("ieigh", "Vec", "R2"),
                   ("slerp", "Quaternion", "Quaternion", "Scalar"), ("to_quaternion", "Rot R2"),
                   ("full_skew_pairs", "WWR4"), ("skew_by_skew sym_by_skew skew_by_sym", "R4")]
OPERATORS = "+ - * /"
PYTHON_NAMES = {"operator()": ["__call__"], "operator*": ["__mul__", "__matmul__"],
                "symmetry": ["symmetry", "symmetry_operations_from_orbifold"]}


def expanded(f):
    """The function for each choice of its template parameters."""
    choices = TEMPLATES.get(f.key, {})
    out = [[]]
    for kind, name, default in f.args:
        letters = [w for w in re.findall(r"\w+", kind) if w in choices]
        options = [re.sub(rf"\b{letters[0]}\b", t, kind) for t in choices[letters[0]]] if letters else [kind]
        out = [args + [(k, name, default)] for args in out for k in options]
    return out


ARGUMENTS = {"Real": "Number", "Size": "Size", "bool": "bool", "const std::string &": "const std::string &",
             "const CScalar &": "const CScalar &"}


def argument_type(kind, types):
    if kind in ARGUMENTS:
        return ARGUMENTS[kind]
    m = re.fullmatch(r"const (\w+) &", kind)
    return f"const {m[1]} &" if m and m[1] in types else None


def literal(kind, default):
    return {"Number": f"Number{{{default}}}", "Size": f"Size({default})"}.get(kind, default)


ERRORS = {
    "NEMLException": "ValueError",
    "IndexException": "IndexError",
    "LabelException": "KeyError",
    "std::invalid_argument": "ValueError",
}


def quoted(text):
    """A comment of the headers, with Python's names in place of C++ names."""
    for cpp, python in ERRORS.items():
        text = text.replace(f"@throws {cpp}", f"Raises {python}")
    text = text.replace("a std::array of n constants", "n constants as a torch.Tensor").replace("neml2::", "")
    text = re.sub(r"in formulas of vmap\s+and on whole batches", "in formulas of vmap (on whole batches all abscissae are checked)", text)
    text = text.replace("at::manual_seed", "torch.manual_seed")
    text = re.sub(r"\b(?:Interpolant|Beyond)::(\w+)", r'"\1"', text)  # strings in Python
    text = re.sub(r"\b([A-Z]\w*)::(?=\w)", r"\1.", text)  # members
    return "R\"doc(" + text + ")doc\""


def mixed(f):
    """The overloads of a function of Scalars that take numbers, where the headers have a function of Scalars only."""
    if len(f.args) < 2 or any(kind != "const Scalar &" for kind, _, _ in f.args) or f.is_class and not f.static:
        return
    name = f"{f.scope}::{f.name}"
    parameters = ", ".join(f"const Factor & {n}_" for _, n, _ in f.args)
    passed = ", ".join(f"&{n}_" for _, n, _ in f.args)
    scalars = ", ".join(f"s[{i}]" for i in range(len(f.args)))
    body = f"const auto s = scalars({{{passed}}}); return {name}({scalars});"
    extras = [f'nb::arg("{n + "_" if n == "lambda" else n}")' for _, n, _ in f.args]
    text = '"The same, where some arguments are numbers: they take the dtype and the device of the Scalars."'
    line = ", ".join([f'"{f.name}"', f"[]({parameters}) {{ {body} }}", *extras, text])
    yield f.scope if f.is_class else "math", f"{'def_static' if f.is_class else 'def'}({line});"


def by_quaternion(f):
    """rotate by a Quaternion, added where the headers have rotate by a Rot."""
    if f.name != "rotate" or f.args[-1][0] != "const Rot &":
        return
    own = f.scope if f.is_class else re.search(r"\w+(?= &)", f.args[0][0])[0]
    name = "self" if f.is_class else f"{f.args[0][1]}_"
    rotated = {"Rot": "rotate({}, q_.to_rot())", "Vec": "rotate({}, q_)"}.get(own, "rotate({}, q_.rotation_matrix())")
    extras = ([] if f.is_class else [f'nb::arg("{f.args[0][1]}")']) + ['nb::arg("q")']
    line = ", ".join(['"rotate"', f"[](const {own} & {name}, const Quaternion & q_) {{ return {rotated.format(name)}; }}",
                      *extras, "nb::call_guard<nb::gil_scoped_release>()", '"The same rotation, by a unit quaternion."'])
    yield f.scope if f.is_class else "math", f"def({line});"


def definitions(f, types):
    """The nanobind calls that bind a function, one for each choice of its template parameters."""
    for args in expanded(f):
        options = args[-1][0] == "const TensorOptions &" if args else False
        integers = options and "integer" in (args[-1][2] or "")
        plain = args[:-1] if options else args
        kinds = [argument_type(k, types) if n else None for k, n, _ in plain]
        if None in kinds or f.name.startswith("operator") and f.name not in PYTHON_NAMES:
            yield None
            continue
        parameters = [f"{k} {n}_" for k, (_, n, _) in zip(kinds, plain)]
        passed = [f"{n}_" for _, n, _ in plain]
        extras = [f'nb::arg("{n + "_" if n == "lambda" else n}")' + (f" = {literal(k, d)}" if d else "")
                  for k, (_, n, d) in zip(kinds, plain)]
        if options:
            parameters += ["OptionalDtype dtype_", "const OptionalDevice & device_", "bool requires_grad_"]
            passed.append(("integer_options" if integers else "options") + "(dtype_, device_, requires_grad_)")
            extras += ["nb::kw_only()", 'nb::arg("dtype") = nb::none()', 'nb::arg("device") = nb::none()',
                       'nb::arg("requires_grad") = false']
        call, scope = ", ".join(passed), f.scope
        method = f.is_class and not f.static and not f.constructor
        if f.constructor:
            head, body = f"{scope} * self", f"new (self) {scope}({call});"
            name, define = "__init__", "def"
        elif method:
            head = f"const {scope} & self"
            body = f"return self({call});" if f.name == "operator()" else f"return self.{f.name}({call});"
            name, define = f.name, "def"
        elif f.name == "operator*":
            head, body, name, define = "", f"return {passed[0]} * {passed[1]};", f.name, "def"
            extras = ['nb::arg("other").noconvert()', "nb::is_operator()"]
        else:
            owner = f"{scope}::"
            head, body, name, define = "", f"return {owner}{f.name}({call});", f.name, "def_static" if f.is_class else "def"
        if not f.constructor and not options:  # constructors and functions with options use Python's defaults
            extras.append("nb::call_guard<nb::gil_scoped_release>()")
        parameters = ", ".join(([head] if head else []) + parameters)
        text = quoted(f.comment) if f.comment else None
        target = "math"
        if f.name == "operator*":
            target = re.search(r"\w+(?= &)", kinds[0])[0]
        elif f.is_class:
            target = scope
        elif "crystallography" in scope:
            target = "crystallography"
        for spelled in PYTHON_NAMES.get(name, [name]):
            line = ", ".join([f'"{spelled}"', f"[]({parameters}) {{ {body} }}"] + extras + ([text] if text else []))
            yield target, f"{define}({line});"


def group_source(name, headers, declared, types, report):
    lines, last, seen, docs = {}, {}, set(), {}
    for header in headers:
        found = declared[INCLUDE / "tensors" / header].functions
        docs.update(declared[INCLUDE / "tensors" / header].classes)
        # If there are overloads with and without options, only the overload with options is bound.
        with_options = {(f.key, *f.args[:-1]) for f in found if f.args and f.args[-1][0] == "const TensorOptions &"}
        for f in found:
            if (f.key, *f.args) in with_options or f.constructor and not f.args:
                continue
            if f.key in SKIPPED or f.name in ("operator=", "operator<<"):
                continue
            identity = (f.key, tuple(k for k, _, _ in f.args))
            if identity in seen:
                continue
            seen.add(identity)
            for definition in definitions(f, types):
                if definition is None:
                    report.append(f"{header}: {f.text}")
                else:
                    lines.setdefault(definition[0], []).append(definition[1])
            for target, call in by_quaternion(f):
                lines.setdefault(target, []).append(call)
            for target, call in mixed(f):
                last.setdefault(target, []).append(call)
    out = ["// SPDX-License-Identifier: MIT", f"// Written by python/generate.py from the headers of include/neml2/tensors: {name}.",
           '#include "bindings/common.h"', '#include "bindings/math.h"', "#include <neml2/neml2.h>", "",
           "namespace neml2::python", "{", "void",
           f"bind_{name}(nb::module_ & math, nb::module_ & crystallography)", "{", "(void)math;", "(void)crystallography;"]
    for target, calls in last.items():  # must follow the overloads that take only numbers
        lines[target] += calls
    for target, calls in lines.items():
        of_class = target in types
        out.append("{")
        if of_class:
            out.append(f"auto cls = nb::borrow<nb::class_<{target}>>(nb::type<{target}>());")
        out += [f"{'cls' if of_class else target}.{call}" for call in calls]
        if of_class and target in FUSED and target in docs:
            out.append("bind_arithmetic(cls);")
        if any('"__call__"' in call for call in calls):
            out += ["auto any = nb::borrow<AnyClass>(cls);", "bind_components(any);"]
        out.append("}")
    return "\n".join(out + ["}", "} // namespace neml2::python", ""]), docs


def module_source(types, docs):
    out = ["// SPDX-License-Identifier: MIT", "// Written by python/generate.py: the types, and what binds their functions.",
           '#include "bindings/generated.h"', "#include <neml2/neml2.h>", "", "namespace neml2::python", "{"]
    out += [f"void bind_{g}(nb::module_ & math, nb::module_ & crystallography);" for g in GROUPS]
    out += ["void", "declare_types(nb::module_ & m)", "{"]
    out += [f"declare<{t}>(m, {quoted(docs.get(t, ''))});" for t in types]
    out += ["}", "void", "bind_generated(nb::module_ & math, nb::module_ & crystallography)", "{"]
    out += [f"bind_{g}(math, crystallography);" for g in GROUPS]
    return "\n".join(out + ["}", "} // namespace neml2::python", ""])


def vocabulary_source():
    """The functions that formulas call, for each choice of row types that the kernels have."""
    lines = []
    for n, names in ROW_FUNCTIONS.items():
        a = ["a", "b"][:n]
        parameters, call = ", ".join(f"const auto & {x}" for x in a), ", ".join(a)
        lines += [f'add_of_rows<{n}>("{f}", []({parameters}) -> decltype({f}({call})) {{ return {f}({call}); }});'
                  for f in names.split()]
    for n, names in SCALAR_FUNCTIONS.items():
        a = [f"a{i}" for i in range(n)]
        parameters, call = ", ".join(f"const auto & {x}" for x in a), ", ".join(a)
        lines += [f'add_of_scalars<{n}>("{f}", []({parameters}) -> decltype({f}({call})) {{ return {f}({call}); }});'
                  for f in names.split()]
    for names, *types in TYPED_FUNCTIONS:
        a = ["a", "b", "c"][:len(types)]
        parameters, call = ", ".join(f"const auto & {x}" for x in a), ", ".join(a)
        lines += [f'add_for<{", ".join(t)}>("{f}", []({parameters}) {{ return {f}({call}); }});'
                  for f in names.split() for t in itertools.product(*(t.split() for t in types))]
    lines += [f'add_of_rows<2>("{o}", [](const auto & a, const auto & b) -> decltype(a {o} b) {{ return a {o} b; }});'
              for o in OPERATORS.split()]
    lines += ['add_of_rows<1>("negate", [](const auto & a) -> decltype(-a) { return -a; });']
    out = ["// SPDX-License-Identifier: MIT", "// Written by python/generate.py: the vocabulary of formulas in Python.",
           '#include "bindings/row_functions.h"', "", "namespace neml2::python", "{", "void", "add_row_functions()", "{"]
    return "\n".join(out + lines + ["}", "} // namespace neml2::python", ""])


def docs_source(headers):
    """The comments of functions that are bound by hand: members of TensorBase and the functions of include/neml2/math."""
    entries, plain = {}, {f.key for h in headers for f in h.functions if f.scope == "neml2"}
    for header in headers:
        for name, text in header.classes.items():
            entries.setdefault(name, text)
        for f in header.functions:
            key = f.key
            if not f.is_class and f.scope != "neml2" and key in plain:  # discretization::interpolate
                key = f"{f.scope.removeprefix('neml2::')}::{key}"
            text = entries.get(key, "")
            if f.comment not in text:
                entries[key] = (text + "\n" if text else "") + f.comment
    out = ["// SPDX-License-Identifier: MIT", "// Written by python/generate.py: the comments of the headers, as docstrings.",
           '#include "bindings/Any.h"', "#include <unordered_map>", "", "namespace neml2::python", "{", "const char *",
           "doc(const char * name)", "{", "static const std::unordered_map<std::string, const char *> docs = {"]
    out += [f'{{"{k}", {quoted(v)}}},' for k, v in sorted(entries.items()) if v]
    out += ["};", "const auto found = docs.find(name);",
            'NEML2_CHECK(found != docs.end(), "no comment in the headers for ", name);', "return found->second;",
            "}", "} // namespace neml2::python", ""]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    names = [f"{g}.cpp" for g in GROUPS] + ["types.cpp", "vocabulary.cpp", "docs.cpp"]
    if options.list:
        print("\n".join(names))
        return 0
    if not options.out:
        parser.error("--list or --out")
    docs, report, sources = {}, [], {}
    bound = {h for headers in GROUPS.values() for h in headers}
    by_hand = [INCLUDE / "core" / "TensorBase.h", *declaring("math"), INCLUDE / "tensors" / "interpolation.h",
               *(INCLUDE / "tensors" / h for h in LABELS)]
    tensor, names = INCLUDE / "core" / "Tensor.h", INCLUDE / "tensors" / "fwd.h"
    declared = read([INCLUDE / "tensors" / h for h in bound] + by_hand + [tensor, names])
    types = [c.name for c in declared[names].items]
    for header in (h.name for h in declaring("tensors")):
        if header not in bound | BY_HAND:
            report.append(f"{header}: in no group")
    for name, headers in GROUPS.items():
        sources[f"{name}.cpp"], found = group_source(name, headers, declared, types, report)
        docs.update(found)
    docs.update(declared[tensor].classes)
    sources["types.cpp"] = module_source(types, docs)
    sources["vocabulary.cpp"] = vocabulary_source()
    sources["docs.cpp"] = docs_source([declared[h] for h in by_hand])
    if report:
        print("generate.py cannot bind these declarations; mend it, or name them in it:", *report, sep="\n  ")
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    for name, text in sources.items():
        path = options.out / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
