# SPDX-License-Identifier: MIT
"""Exports a formula as a user subroutine of a solver: UMAT or VUMAT."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ._exported_formula import ExportedFormula, Variable, copy, end, named, recording
from .tensors import Scalar, TensorBase

# The arguments that a solver passes: their names in a formula, and their types. Members of Umat and VumatPoints have the same names.
PASSED = {
    "strain": "SR2",
    "strain_before": "SR2",
    "strain_increment": "SR2",
    "stress_before": "SR2",
    "deformation_gradient": "R2",
    "deformation_gradient_before": "R2",
    "time_step": "Scalar",
    "time": "Scalar",
    "temperature": "Scalar",
}
STATES = ("state", "old", "old_state", "state_before")
TURNED = ("Vec", "WR2", "R2", "SR2")  # types that DROT rotates
UMAT = """NEML2_UMAT(call)
{{
  if (!call.fits({states}, {props}, "{name}"))
    return;
  double x[{arguments}], y[{results}];
{reads}
  if (!compute_point<Model, {arguments}, {results}>(x, y))
    return call.retry();
  kernels::SR2<double> stress{{}};
  kernels::SSR4<double> tangent{{}};
  std::copy_n(y, 6, stress.v);
  std::copy_n(y + {tangent}, 36, tangent.v);
  call.give(stress, tangent);
{write}}}"""
VUMAT = """namespace
{{
struct Roles
{{
  static constexpr int arguments = {arguments}, results = {results}, states = {states};
  template <class P>
  NEML2_INLINE static void read_block([[maybe_unused]] const packs::Vumat & block, [[maybe_unused]] P * x)
  {{
{of_block}  }}
  template <class Points, class P>
  NEML2_INLINE static void read(const Points & points, P * x)
  {{
{of_points}  }}
  template <class Points, class P>
  NEML2_INLINE static void write([[maybe_unused]] const Points & points, [[maybe_unused]] const P * y)
  {{
{writes}  }}
  template <class Mask, class P>
  NEML2_INLINE static void keep([[maybe_unused]] const Mask & valid, [[maybe_unused]] const P * x, [[maybe_unused]] P * y)
  {{
{keeps}  }}
  static kernels::SR2<double> elastic_stress(const double * y, const kernels::SR2<double> & increment)
  {{
    return {elastic};
  }}
}};
}} // namespace

NEML2_VUMAT(block)
{{
  if (block.fits({states}, {props}, "{name}"))
    update_block<Model, Derivatives, {derivatives}, Roles>(block, "{name}");
}}"""


class Subroutine(ExportedFormula):
    """A formula whose arguments are those of a subroutine, its state, and the properties of the material."""

    by: tuple[str, ...]  # roles of the arguments by which the stress is differentiated

    def __init__(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], roles: dict[str, str]):
        super().__init__(name, function, arguments)
        self.given = self._roles(roles)
        self._numbers_to_scalars()
        self.places: dict[Variable, int] = {}  # of the tensors of the state in STATEV, and of properties in PROPS
        self.sizes = {"state": 0, "props": 0}
        self.variables: list[Variable] = []  # for the table
        for v in self.inputs:
            role = self.given[v.operand]
            if role in self.sizes:
                self.places[v] = self.sizes[role]
                kind = "state" if role == "state" else "property"
                self.variables.append(Variable(kind, v.name, v.type, v.operand, self.sizes[role], v.size))
                self.sizes[role] += v.size

    def of_role(self, *roles: str) -> list[Variable]:
        return [v for v in self.inputs if self.given[v.operand] in roles]

    def record_derivatives(self) -> tuple[str, list[Variable]]:
        """Records the formula with the derivatives of the stress by the arguments `by`."""
        return self.record(argnums=tuple(k for k, role in enumerate(self.given) if role in self.by), of=0)

    def new_state(self, outputs: list[Variable]) -> list[tuple[Variable, Variable]]:
        """Pairs of a tensor of the state and its new value among the results of the formula."""
        results = [v for v in outputs if v.role == "result"]
        state = self.of_role("state")
        new = {v.where: v for v in results if v.operand == 1}
        found, expected = (sorted((v.where, v.type) for v in vs) for vs in (results[1:], state))
        if [v.type for v in results[:1]] != ["SR2"] or len(new) != len(results) - 1 or found != expected:
            returned = ", ".join(f"{v.name}: {v.type}" for v in results)
            wanted = ", ".join(f"{v.where.lstrip('.') or 'the new state'}: {v.type}" for v in state)
            raise TypeError(
                f"export: the formula returns ({returned}). Expected the stress, an SR2"
                + (f", and a group like the state ({wanted})." if state else ".")
            )
        return [(v, new[v.where]) for v in state]

    def _numbers_to_scalars(self) -> None:
        """Turns plain numbers that differ from point to point into Scalars, because formulas use a plain number for all points."""
        arguments = list(self.arguments)
        for k, role in enumerate(self.given):
            if role in ("state", "temperature"):
                leaves, together = recording.flatten(arguments[k])
                arguments[k] = together([
                    leaf if isinstance(leaf, TensorBase) else Scalar(torch.tensor(float(leaf), dtype=torch.float64)) for leaf in leaves
                ])
        self.take(tuple(arguments))

    def _roles(self, roles: dict[str, str]) -> list[str]:
        """The role of each argument: a name in PASSED, "state" or "props"."""
        if unknown := [n for n in roles if n not in self.names]:
            raise ValueError(f"export: roles names {unknown[0]!r}. The arguments of the formula are {', '.join(self.names)}.")
        given = [roles.get(n, n if n in PASSED else "state" if n in STATES else "props") for n in self.names]
        for name, role in zip(self.names, given):
            if role not in (*PASSED, "state", "props"):
                raise ValueError(f"export: the role of {name} is {role!r}. Expected one of {', '.join((*PASSED, 'state', 'props'))}.")
        self.check_strains(given)
        if given.count("state") > 1:
            raise ValueError("export: more than one argument is the state. Expected one, a group of tensors.")
        for v in self.inputs:
            role = given[v.operand]
            if role in PASSED and v.where:
                raise TypeError(
                    f"export: {v.member} is a group. Expected {PASSED[role]}, as it is {role}; a group is the state, or in PROPS."
                )
            if role in PASSED and v.type != PASSED[role] and (v.type, PASSED[role]) != ("number", "Scalar"):
                raise TypeError(f"export: {v.name} is a {v.type}. Expected {PASSED[role]}, as it is {role}.")
        return given

    def check_strains(self, given: list[str]) -> None:
        """Checks that the formula has arguments by which the subroutine differentiates the stress."""
        raise NotImplementedError


class Umat(Subroutine):
    """A formula as UMAT of Abaqus/Standard."""

    by = ("strain", "strain_increment")

    def texts(self, rotate: bool | Sequence[str]) -> tuple[str, str]:
        text, outputs = self.record_derivatives()
        new_state = self.new_state(outputs)
        turned = self._turned(rotate)
        reads = []
        for v in self.inputs:
            role = self.given[v.operand]
            if role in PASSED:
                is_tensor = PASSED[role] != "Scalar"
                reads.append(f"  {copy(f'call.{role}().v', f'x + {v.place}', v.size)}" if is_tensor else f"  x[{v.place}] = call.{role}();")
                continue
            place = self.places[v]
            numbers = f"call.{'statev' if role == 'state' else 'props'} + {place}"
            if v in turned:
                numbers = f"call.read<kernels::{v.type}<double>>({place}).v"
            reads.append(f"  {copy(numbers, f'x + {v.place}', v.size)}")
        body = UMAT.format(
            name=self.name,
            states=self.sizes["state"],
            props=self.sizes["props"],
            arguments=end(self.inputs),
            results=end(outputs),
            tangent=next(v.place for v in outputs if v.role == "derivative"),
            reads="\n".join(reads),
            write="".join(f"  {copy(f'y + {new.place}', f'call.statev + {self.places[v]}', v.size)}\n" for v, new in new_state),
        )
        self.headers.append("neml2/packs/umat.h")
        return self.files([named("Model", text), body], [], self.variables)

    def check_strains(self, given: list[str]) -> None:
        if given.count("strain") + given.count("strain_increment") != 1:
            raise ValueError(
                f"export: {given.count('strain') + given.count('strain_increment')} arguments are strain or strain_increment; "
                f"the arguments are {', '.join(self.names)}. Expected exactly one: DDSDDE is the derivative by it. "
                f"roles={{'eps': 'strain'}} says which."
            )

    def _turned(self, rotate: bool | Sequence[str]) -> list[Variable]:
        """The tensors of the state that DROT rotates."""
        tensors = [v for v in self.of_role("state") if v.type not in ("Scalar", "number", "Tensor")]
        if not isinstance(rotate, bool):
            names = [rotate] if isinstance(rotate, str) else list(rotate)
            if unknown := set(names).difference(v.name for v in tensors):
                raise ValueError(
                    f"export: rotate names {sorted(unknown)[0]!r}. "
                    f"The tensors of the state are {', '.join(v.name for v in tensors) or 'none'}."
                )
            tensors = [v for v in tensors if v.name in names]
        chosen = tensors if rotate else []
        for v in chosen:
            if v.type not in TURNED:
                raise TypeError(
                    f"export: {v.name} of the state is a {v.type}, which DROT does not turn. Expected {', '.join(TURNED)}; "
                    "rotate=[...] names the tensors that it is to turn, rotate=False none."
                )
        return chosen


class Vumat(Subroutine):
    """A formula as VUMAT of Abaqus/Explicit. VUMAT gets no total strain: if the formula has it as an argument, it is the sum of the
    increments, in six numbers of STATEV after the state of the formula."""

    by = ("strain", "strain_increment", "deformation_gradient")

    def texts(self) -> tuple[str, str]:
        text, results = self.record()
        new_state = self.new_state(results)
        with_derivatives, outputs = self.record_derivatives()
        states, sums = self.sizes["state"], self.of_role("strain", "strain_before")
        writes = [f"write_states<{v.size}>(points, {self.places[v]}, y + {new.place});" for v, new in new_state]
        variables = self.variables
        if sums:
            writes.append(f"points.write({states}, points.strain({states}));")
            place = sum(v.role == "state" for v in variables)
            variables = [*variables[:place], Variable("state", "strain", "SR2", sums[0].operand, states, 6), *variables[place:]]
        of_block, of_points = [], []
        for v in self.inputs:
            role, to = self.given[v.operand], f"x + {v.place}"
            if role == "props":
                of_block.append(f"read_props<{v.size}>(block, {self.places[v]}, {to});")
            elif role in ("time", "time_step"):
                of_block.append(f"read_tensor(P(block.{role}()), {to});")
            elif role == "state":
                of_points.append(f"read_states<{v.size}>(points, {self.places[v]}, {to});")
            else:
                of_points.append(f"read_tensor(points.{role}({states if v in sums else ''}), {to});")
        products = [
            f"product(y + {v.place}, {'full(increment)' if self.given[v.operand] == 'deformation_gradient' else 'increment'}.v)"
            for v in outputs
            if v.role == "derivative"
        ]
        body = VUMAT.format(
            name=self.name,
            states=states + (6 if sums else 0),
            props=self.sizes["props"],
            arguments=end(self.inputs),
            results=end(results),
            of_block=_lines(of_block),
            of_points=_lines(of_points),
            writes=_lines(writes),
            keeps=_lines(f"keep_states<{v.size}>(valid, x + {v.place}, y + {new.place});" for v, new in new_state),
            elastic=" + ".join(products),
            derivatives=end(outputs),
        )
        self.headers.append("neml2/recorded/compiled_block.h")
        return self.files([named("Model", text), named("Derivatives", with_derivatives), body], [], variables)

    def check_strains(self, given: list[str]) -> None:
        if not set(given).intersection(self.by):
            raise ValueError(
                f"export: no argument is {', '.join(self.by[:-1])} or {self.by[-1]}; the arguments are {', '.join(self.names)}. "
                f"Expected at least one: the stress depends on it. roles={{'eps': 'strain'}} says which."
            )


def _lines(statements: Any) -> str:
    return "".join(f"    {s}\n" for s in statements)
