# SPDX-License-Identifier: MIT
"""Exports a formula as functions of C."""

import re
from collections.abc import Collection
from typing import Any

from ._exported_formula import ExportedFormula, Variable, copy, end, named

RESERVED = {  # names that are reserved in C and C++, types and macros of their headers and of gcc, names in the exported functions
    *"alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const const_cast consteval constexpr".split(),
    *"constinit continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern".split(),
    *"false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private".split(),
    *"protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct".split(),
    *"switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while".split(),
    *"xor xor_eq typeof char8_t char16_t char32_t ptrdiff_t size_t max_align_t nullptr_t int8_t int16_t int32_t int64_t intptr_t div_t".split(),
    *"FILE EOF NULL offsetof errno stdin stdout stderr NAN INFINITY HUGE_VAL M_PI M_E I complex linux unix".split(),
    *"points failed i x y std neml2 main Value Derivatives compute_point".split(),
}
INDENT = "    "


class Functions(ExportedFormula):
    """A formula as functions of C: one for its value, and one that also gives derivatives."""

    def texts(self, argnums: Any, of: Any) -> tuple[str, str]:
        name, arrays = self.name, list[str]()
        for n in self.names:
            arrays.append(_identifier(n, arrays))
        bodies, declarations = [], []
        text, outputs = self.record()
        variables = [*self.inputs, *outputs]
        bodies.append(named("Value", text))
        declarations.append(self._function(name, "Value", arrays, outputs, bodies))
        if argnums is not None:
            text, outputs = self.record(argnums, of)
            derivatives = [v for v in outputs if v.role == "derivative"]
            variables += [v._replace(place=v.place - derivatives[0].place) for v in derivatives]
            bodies.append(named("Derivatives", text))
            declarations.append(self._function(f"{name}_jacobian", "Derivatives", arrays, outputs, bodies))
        return self.files(bodies, declarations, variables)

    def _function(self, name: str, struct: str, arrays: list[str], outputs: list[Variable], bodies: list[str]) -> str:
        """Declares a function of C, and appends its definition to bodies."""
        is_shared = [self.is_shared(k) for k in range(len(arrays))]
        groups: dict[Any, list[Variable]] = {}  # each becomes one array: the tensors of a result, or a derivative
        for v in outputs:
            groups.setdefault(v.operand if v.role == "result" else v.name, []).append(v)
        results: dict[str, list[Variable]] = {}
        for vs in groups.values():
            name_of = vs[0].member if vs[0].role == "result" else "d_" + vs[0].name.replace(" by ", "_d_")
            results[_identifier(re.sub(r"[\W_]+", "_", name_of).strip("_"), [*arrays, *results])] = vs
        taken = {v.operand for v in self.inputs}
        parameters = [f"const double * {a}" for k, a in enumerate(arrays) if k in taken] + [f"double * {r}" for r in results]
        reads = [self._copies(f"x + {v.place}", a, v, is_shared[k]) for k, a in enumerate(arrays) for v in self.inputs if v.operand == k]
        writes = [
            f"    {copy(f'y + {v.place}', f'{r} + {end(vs) - vs[0].place} * i + {v.place - vs[0].place}', v.size)}"
            for r, vs in results.items()
            for v in vs
        ]
        signature = f"{name}(\n{INDENT}ptrdiff_t points,\n{INDENT}" + f",\n{INDENT}".join(parameters) + ")"
        bodies.append(
            f'extern "C" NEML2_C int\n{signature}\n{{\n  int failed = 0;\n  for (ptrdiff_t i = 0; i < points; i++)\n  {{\n'
            f"    double x[{max(end(self.inputs), 1)}], y[{end(outputs)}];\n"
            + "\n".join(reads)
            + f"\n    failed += !compute_point<{struct}, {end(self.inputs)}, {end(outputs)}>(x, y);\n"
            + "\n".join(writes)
            + "\n  }\n  return failed;\n}"
        )
        return f"int {signature};"

    def _copies(self, to: str, array: str, v: Variable, is_shared: bool) -> str:
        of_operand = [w for w in self.inputs if w.operand == v.operand]
        first, moving = of_operand[0].place, end(of_operand) - of_operand[0].place
        step = "" if is_shared else f" + {moving} * i"
        return f"    {copy(f'{array}{step} + {v.place - first}', to, v.size)}"


def _identifier(name: str, taken: Collection[str]) -> str:
    """A name for a parameter of a C function that differs from the names of its other parameters."""
    name = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not name[:1].isalpha():
        name = f"a{name}"
    while name in RESERVED or name in taken:
        name += "_"
    return name
