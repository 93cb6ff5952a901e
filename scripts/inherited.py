# SPDX-License-Identifier: MIT
"""The members that a type inherits: factories, shown as if the type declared them, and other members, grouped by their headings."""
import re

from headers import Class

class Bases:
    """The classes of some headers."""

    def __init__(self, headers):
        self.functions, self.classes, self.shown_again = {}, {}, {}
        for header in headers:
            self.classes |= {c.name: c for c in header.items if isinstance(c, Class) and c.defined}
            for scope, name in header.brought:
                self.shown_again.setdefault(scope, set()).add(name)  # using PrimitiveTensor::fill
            for f in header.functions:
                self.functions.setdefault(f.scope, []).append(f)

    def of(self, name):
        for base in self.classes[name].bases:
            base = re.match(r"[\w:]+", base)[0].removeprefix("core::mixins::")
            if base in self.classes:  # at::Tensor is not among them
                yield base
                yield from self.of(base)

    def inherited(self, name):
        """The functions of the bases that are not hidden by a function of the same name."""
        hidden = {f.name for f in self.functions.get(name, [])} - self.shown_again.get(name, set())
        for base in self.of(name):
            found = [f for f in self.functions.get(base, []) if not f.constructor and f.name not in hidden]
            hidden |= {f.name for f in found}
            yield from found

    def is_type(self, name):
        """Whether the class is a type of tensor, and not a base of such types."""
        return "TensorBase" in self.of(name) and name != "PrimitiveTensor"

    def factories(self, name):
        """Constructors and factories, as declarations of the type. Overloads for dynamic and intermediate dimensions are left out if
        other overloads exist."""
        base = next(self.of(name))
        if name in self.shown_again.get(name, set()):  # using PrimitiveTensor::PrimitiveTensor
            for f in self.functions[base]:
                internal = "core::Trusted" in f.text or {a.name for a in f.args} & {"dynamic_dim", "dynamic_shape"}
                if f.constructor and f.args and not internal:
                    yield f.text.replace(f"{base}(", f"{name}(", 1)
        found = [f for f in self.inherited(name) if f.static and f.args and f.comment != "What messages call it."
                 and not f.text.startswith(("static auto", "static Tensor identity_map", "static TensorShapeRef"))]
        of_batch = {f.name for f in found if any(a.name == "batch" for a in f.args)}
        for f in found:
            if f.name not in of_batch or all(a.name != "intmd" for a in f.args):
                yield re.sub(r"\bDerived\b", name, f.text)

    def members(self, name):
        """The functions that are not factories, by heading."""
        out = {}
        for f in self.inherited(name):
            if not f.static and not f.name.startswith("operator") and f.section:
                out.setdefault(f.section, {})[f.name] = f
        return {heading: list(found.values()) for heading, found in out.items()}

    def shape(self, name):
        """The base shape of a type that fixes it: `3, 3` of PrimitiveTensor<R2, 3, 3>."""
        bases = ", ".join(self.classes[name].bases)
        found = re.fullmatch(rf"PrimitiveTensor<{name}((?:, \d+)*)>", bases)
        return found and found[1].removeprefix(", ")
