# SPDX-License-Identifier: MIT
"""Drives a material point: computes its history for given components of strain and stress. The material update is a formula.

    def update(strain, state, E, nu): ...  # one point: the stress and the new state at the end of a step

    history = neml2.point.drive(update, state, (E, nu), time=t, strain={"xx": e})  # the stress of all other components is 0

Components are those of the tensors: `xy` of a strain is ε_xy, half of the engineering shear strain, without Mandel's factor √2.
"""

import csv
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from numbers import Integral
from typing import Any

import torch

from .formulas import names_of, parameters_of, value_and_jacobian, vmap
from .tensors import SR2, Scalar, Tensor, TensorBase

__all__ = ["COMPONENTS", "History", "drive", "drive_and_jacobian", "read_csv"]

flatten: Any = import_module("._C", __package__).recording.flatten
COMPONENTS = ("xx", "yy", "zz", "yz", "xz", "xy")
_mandel = (1.0, 1.0, 1.0, 2**0.5, 2**0.5, 2**0.5)


@dataclasses.dataclass(frozen=True)
class History:
    """The result of drive: values at each time, (steps, batch; ...). substeps is the number of parts into which each step was cut."""

    time: torch.Tensor
    strain: SR2
    stress: SR2
    state: Any
    substeps: torch.Tensor

    def column(self, name: str) -> torch.Tensor:
        """One number at each time, (steps, batch), by its name: `time`, `strain.xx`, `stress.xy`, `state.p`, `state.backstress.xx` and so
        on."""
        columns = self._columns()
        if name not in columns:
            raise LookupError(f"point: there is no column {name!r}. Expected one of {', '.join(columns)}.")
        return columns[name]

    def table(self) -> Any:
        """All columns as a structured array of NumPy, with names such as `strain_xx`. The points of a batch follow one after the other; the
        column `point` contains the number of the point."""
        import numpy

        known = self._columns()
        columns = {name.replace(".", "_"): c.detach().cpu() for name, c in known.items()}
        if len(columns) < len(known):
            raise ValueError(f"point: two columns of a table would have one name: {', '.join(known)}. Rename one in the state.")
        steps, batch = self.time.shape[0], self.substeps.shape[1:]
        if batch:
            columns = {"point": torch.arange(batch.numel()).reshape(batch).expand((steps, *batch)), **columns}
        rows = {n: c.reshape(steps, -1).expand(steps, batch.numel()).T.reshape(-1).numpy() for n, c in columns.items()}
        table = numpy.empty(steps * batch.numel(), dtype=[(n, r.dtype) for n, r in rows.items()])
        for n, r in rows.items():
            table[n] = r
        return table

    def to_csv(self, path: Any) -> None:
        """Writes table() as CSV, with a header row of names."""
        import numpy

        table = self.table()
        numpy.savetxt(path, table, delimiter=",", header=",".join(table.dtype.names), comments="", fmt="%.17g")

    def plot(self, x: str, y: str, ax: Any = None, **options: Any) -> Any:
        """Draws column y over column x with matplotlib, one line per point, and returns the axes. matplotlib's plot gets the options."""
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.gca()
        steps = self.time.shape[0]
        ax.plot(*(self.column(name).detach().cpu().reshape(steps, -1).numpy() for name in (x, y)), **options)
        ax.set(xlabel=x, ylabel=y)
        return ax

    def _columns(self) -> dict[str, torch.Tensor]:
        columns = {"time": self.time}
        leaves, structure = flatten(self.state)
        names = [f"state.{n}" if n else "state" for n in names_of(structure)] if leaves else []
        for name, t in (("strain", self.strain), ("stress", self.stress), *zip(names, leaves, strict=True)):
            if isinstance(t, SR2):
                columns.update({f"{name}.{c}": t.torch()[..., i] / _mandel[i] for i, c in enumerate(COMPONENTS)})
            elif not t.base.shape:
                columns[name] = t.torch()
            else:
                flat = t.torch().flatten(-len(t.base.shape))
                columns.update({f"{name}.{i}": flat[..., i] for i in range(flat.shape[-1])})
        return columns


def drive(
    update: Callable[..., Any],
    state: Any,
    parameters: Any = (),
    *,
    time: Any,
    strain: Mapping[str, Any] | None = None,
    stress: Mapping[str, Any] | None = None,
    initial_strain: SR2 | None = None,
    initial_stress: SR2 | None = None,
    relative_tolerance: float = 1e-8,
    max_iterations: int = 25,
    max_halvings: int = 8,
) -> History:
    """Strain, stress and state over time; for each component either the strain or the stress is given.

    update(strain, state, *parameters) -> (stress, state) computes one step of one point; it is a formula, as for vmap. strain is the SR2 at
    the end of the step, and state is a tensor or a group of tensors. An argument named dt gets the time step. parameters is a tuple in the
    order of the other arguments, or a dict by their names. strain and stress are dicts with the targets of the components xx, yy, zz, yz,
    xz, xy. A target is a constant number, or an array (steps, ) or (steps, batch). For a component that is in neither dict the stress is 0.
    The batch shapes of targets, parameters, state and initial values broadcast; all points are computed at once.

    The first time is the start: the history begins with state, initial_strain and initial_stress (by default 0). The first value of an
    array must equal the initial value. Each step is solved by Newton's method with the derivative of update. A point has converged when the
    error of each given stress is below relative_tolerance times the largest stress of the point (given, or computed so far), or when the
    strain changes only by round-off. Then one more iteration follows. If a point does not converge in max_iterations iterations, its step
    is halved, at most max_halvings times; within a step, targets change linearly in time.

    Autograd computes first derivatives of the history by parameters, targets, state and initial values: each step is an implicit function.

    Source: Simo and Hughes (1998), Computational Inelasticity, Springer, on consistent tangents.
    """
    run = _Drive(update, state, parameters, time, strain or {}, stress or {}, initial_strain, initial_stress)
    run.set_options(relative_tolerance, max_iterations, max_halvings)
    return run.history()


def drive_and_jacobian(
    update: Callable[..., Any],
    state: Any,
    parameters: Any,
    by: Sequence[str],
    *,
    time: Any,
    strain: Mapping[str, Any] | None = None,
    stress: Mapping[str, Any] | None = None,
    initial_strain: SR2 | None = None,
    initial_stress: SR2 | None = None,
    relative_tolerance: float = 1e-8,
    max_iterations: int = 25,
    max_halvings: int = 8,
) -> tuple[History, History]:
    """The history of drive, and its derivatives by parameters.

    `by` is a list of names of arguments of update whose values are numbers or Scalars. The derivatives are a History, too: its last batch
    dimension has one entry per parameter, so jacobian.column("stress.xx") is (steps, batch, parameters). Targets and initial values must
    not depend on the parameters.

    The derivatives are computed step by step together with the history, so the cost does not depend on the number of results: a
    least-squares fit needs one call per iteration. Autograd needs one backward pass per result; it is suited to one loss with many
    parameters. Nothing is recorded for autograd.

    Source: Michaleris, Tortorelli and Vidal (1994), Int. J. Numer. Meth. Engng. 37, 2471-2499, on direct differentiation of transient
    problems.
    """
    with torch.no_grad():
        run = _DriveForward(by, update, state, parameters, time, strain or {}, stress or {}, initial_strain, initial_stress)
        run.set_options(relative_tolerance, max_iterations, max_halvings)
        return run.history(), run.jacobian()


def read_csv(path: Any) -> dict[str, Any]:
    """Reads targets from a table with columns such as time, strain_xx, stress_yy. Use it as drive(update, state, **read_csv(path)).

    A line names the columns, and the numbers follow below it. Commas, semicolons or tabs separate the cells. Comments begin with #.
    """
    import numpy

    with open(path, encoding="utf-8-sig", errors="replace") as file:
        lines = list(file)
    heads = [k for k, line in enumerate(lines) if "time" in _cells(line.lstrip("# "), line)]
    if not heads:
        raise ValueError(f"point: {path} has no column time. Expected a line that names the columns, such as time,strain_xx,stress_yy.")
    head = min(heads, key=lambda k: lines[k].startswith("#"))  # numpy.savetxt writes the names as a comment
    names = _cells(lines[head].lstrip("# "), lines[head])
    rows = [(k, _cells(line.partition("#")[0], lines[head])) for k, line in enumerate(lines[head + 1 :], head + 2)]
    rows = [(k, cells) for k, cells in rows if any(cells)]
    for k, cells in rows:
        if len(cells) != len(names):
            raise ValueError(f"point: line {k} of {path} has {len(cells)} cells. Expected {len(names)}: {', '.join(names)}.")
    read: dict[str, Any] = {"strain": {}, "stress": {}}
    for i, name in enumerate(names):
        kind, _, component = name.partition("_")
        is_known = name == "time" or (kind in ("strain", "stress") and component in COMPONENTS)
        if not is_known or name in names[:i]:
            raise ValueError(
                f"point: {path} has a column {name!r}. Expected time, and strain_ or stress_ with one of {', '.join(COMPONENTS)}, each once."
            )
        column = numpy.array([_number(cells[i], f"{name} in line {k} of {path}") for k, cells in rows])
        if name == "time":
            read[name] = column
        else:
            read[kind][component] = column
    return read


def _cells(line: str, head: str) -> list[str]:
    """The cells of a line of a table. head is the line with the names of the columns; it shows which character separates cells."""
    separator = next((c for c in ",;\t" if c in head), ",")
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]


def _number(cell: str, what: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ValueError(f"point: {what} is {cell!r}. Expected a number, such as 1.5e-3.") from None


class _Drive:
    """One call of drive. All points are in one batch dimension."""

    options: tuple[float, int, int]

    def __init__(
        self, update: Any, state: Any, parameters: Any, time: Any, strain: Any, stress: Any, initial_strain: Any, initial_stress: Any
    ) -> None:
        self.update = update
        leaves, self.together = flatten(state)
        self.names = self.together.paths()
        tensors = [leaf for leaf in leaves if isinstance(leaf, TensorBase)]
        options: dict[str, Any] = {"dtype": next((t.dtype for t in tensors if not _is_integer(t)), torch.get_default_dtype())}
        if tensors:
            options["device"] = tensors[0].device
        self.dtype: torch.dtype = options["dtype"]
        self.tensor: Callable[[Any], torch.Tensor] = lambda a: torch.as_tensor(a, **options)
        leaves = [self._state(leaf) for leaf in leaves]
        self.time = self.tensor(time).detach()
        if self.time.ndim != 1 or len(self.time) < 2 or not bool((self.time.diff() > 0).all()) or not bool(self.time.isfinite().all()):
            raise ValueError(
                f"point: time is {time!r}. Expected at least two times, each later than the one before; the first is the start."
            )
        self.arguments = _by_place(update, parameters)
        for name, t in (("initial_strain", initial_strain), ("initial_stress", initial_stress)):
            if t is not None and not isinstance(t, SR2):
                raise TypeError(f"point: {name} is a {type(t).__name__}. Expected an SR2, such as SR2(t).")
        start = [SR2(self.tensor(torch.zeros(6))) if t is None else t for t in (initial_strain, initial_stress)]
        targets = self._targets(strain, stress)
        given = flatten(self.arguments)[0]
        others = [t for t in (*leaves, *given, *start) if isinstance(t, TensorBase)]
        shapes = [t.batch.shape for t in others]
        try:
            self.batch = _broadcast(*shapes, *(t.shape[1:] for t in targets.values()))
        except RuntimeError:
            raise ValueError(
                f"point: batch shapes do not broadcast: {', '.join(str(tuple(s)) for s in shapes if s)} of state, parameters and initial values, "
                f"{', '.join(f'{tuple(t.shape[1:])} of {k}' for k, t in targets.items() if t.ndim > 1)}. The first dimension of a target is time."
            ) from None
        self.points = self.batch.numel()
        if self.points == 0:
            raise ValueError(f"point: the batch {tuple(self.batch)} of targets, parameters, state and initial values has no points.")
        self.state = [self._flat(leaf) for leaf in leaves]
        self.start = [self._flat(t).torch() for t in start]
        self.controlled = torch.tensor([f"strain.{c}" in targets for c in COMPONENTS], device=self.time.device)
        self.targets = self._table(targets)
        self.arguments = self._each(self.arguments, self._flat)
        self.differentiable = torch.is_grad_enabled() and any(t.requires_grad for t in (*(x.torch() for x in others), *targets.values()))

    def _state(self, leaf: Any) -> Any:
        """A tensor of the state. Numbers and tensors of integers become floating-point tensors."""
        if not isinstance(leaf, TensorBase):
            return Scalar(self.tensor(float(leaf)))
        return leaf.to(self.dtype) if _is_integer(leaf) else leaf

    def set_options(self, relative_tolerance: float, max_iterations: int, max_halvings: int) -> None:
        is_whole = isinstance(max_iterations, Integral) and isinstance(max_halvings, Integral)
        if not (is_whole and 0 < relative_tolerance < 1 and max_iterations > 0 and 0 <= max_halvings <= 62):  # parts are counted in int64
            raise ValueError(
                f"point: relative_tolerance is {relative_tolerance}, max_iterations {max_iterations}, max_halvings {max_halvings}. "
                "Expected a number between 0 and 1, a positive integer, and an integer from 0 to 62."
            )
        self.options = max(relative_tolerance, 100 * torch.finfo(self.dtype).eps), max_iterations, max_halvings

    def _targets(self, strain: Any, stress: Any) -> dict[str, torch.Tensor]:
        """The given targets by name, each (steps or 1, batch)."""
        targets = {}
        for kind, given in (("strain", strain), ("stress", stress)):
            for c, value in given.items():
                if c not in COMPONENTS:
                    raise ValueError(f"point: {kind} names the component {c!r}. Expected some of {', '.join(COMPONENTS)}.")
                if kind == "stress" and c in strain:
                    raise ValueError(f"point: {c} is given as a strain and as a stress. Expected one of them.")
                t = self.tensor(value.torch() if isinstance(value, TensorBase) else value)
                if t.ndim and len(t) != len(self.time):
                    raise ValueError(
                        f"point: {kind} {c} has {len(t)} values in time. Expected {len(self.time)}, one per time, or a number."
                    )
                if not bool(t.isfinite().all()):
                    raise ValueError(f"point: {kind} {c} has values that are NaN or infinite. Expected finite numbers.")
                targets[f"{kind}.{c}"] = t if t.ndim else t.reshape(1)
        return targets

    def _table(self, targets: dict[str, torch.Tensor]) -> torch.Tensor:
        """The targets in Mandel components, (steps, points, 6)."""
        columns = []
        for i, c in enumerate(COMPONENTS):
            name = f"strain.{c}" if f"strain.{c}" in targets else f"stress.{c}"
            t = _mandel[i] * targets.get(name, self.tensor(torch.zeros(1)))
            t = t.reshape(len(t), *(1 for _ in range(len(self.batch) + 1 - t.ndim)), *t.shape[1:]).expand((-1, *self.batch))
            t = t.reshape(len(t), self.points)
            first = self.start[not bool(self.controlled[i])][:, i]
            off = (t[0] - first).abs().max()
            if len(t) > 1 and off > 1e-9 * t.abs().max():
                raise ValueError(
                    f"point: {name.replace('.', ' ')} starts {off.item() / _mandel[i]:.3g} off the initial value. Expected arrays that begin with the "
                    "initial value, which is 0 unless initial_strain or initial_stress says otherwise."
                )
            columns.append(t.expand(len(self.time), -1))
        return torch.stack(columns, -1)

    def _each(self, group: Any, function: Callable[[Any], Any]) -> Any:
        leaves, together = flatten(group)
        return together([function(leaf) if isinstance(leaf, TensorBase) and len(leaf.batch.shape) else leaf for leaf in leaves])

    def _flat(self, t: Any) -> Any:
        base = t.base.shape
        return _like(t, t.torch().expand((*self.batch, *base)).reshape((self.points, *base)))

    def _at(self, group: Any, points: torch.Tensor) -> Any:
        return group if len(points) == self.points else self._each(group, lambda t: _like(t, t.torch()[points]))

    def history(self) -> History:
        (strain, stress), state = self.start, self.state
        largest = stress.detach().abs().amax(-1)
        if not bool(self.controlled.all()):
            largest = torch.maximum(largest, self.targets[..., ~self.controlled].detach().abs().amax((0, 2)))
        rows, counts = [(strain, stress, *(s.torch() for s in state))], [torch.zeros(self.points, dtype=torch.int64)]
        for step in range(1, len(self.time)):
            strain, stress, state, substeps = self._step(step, strain, stress, state, largest)
            largest = torch.maximum(largest, stress.detach().abs().amax(-1))
            rows.append((strain, stress, *(s.torch() for s in state)))
            self._ends_step()
            counts.append(substeps.cpu())
        stacked = [torch.stack(c) for c in zip(*rows, strict=True)]
        shaped = [c.reshape(len(rows), *self.batch, *c.shape[2:]) for c in stacked]
        leaves = [_like(s, c, 1 + len(self.batch)) for s, c in zip(self.state, shaped[2:], strict=True)]
        count = torch.stack(counts).reshape(len(rows), *self.batch)
        return History(self.time, SR2(shaped[0]), SR2(shaped[1]), self.together(leaves), count)

    def _step(self, step: int, strain: torch.Tensor, stress: torch.Tensor, state: list[Any], largest: torch.Tensor) -> Any:
        """One step, from one time to the next. The step of each point is cut into as many parts as the point needs."""
        halvings = self.options[2]
        whole = self.time[step] - self.time[step - 1]
        done, part = (torch.full((self.points,), v, dtype=torch.int64) for v in (0, 2**halvings))  # in units of the smallest part of a step
        substeps = torch.zeros(self.points, dtype=torch.int64)
        end = torch.where(self.controlled, self.targets[step] - strain, self.targets[step] - stress)  # the whole change in this step
        begin = torch.where(self.controlled, strain, stress)
        while len(active := torch.nonzero(done < 2**halvings).flatten()):
            fraction = ((done + part)[active] / 2**halvings).to(whole)
            goal = begin[active] + fraction.unsqueeze(-1) * end[active]
            goal = torch.where((fraction == 1).unsqueeze(-1), self.targets[step][active], goal)
            dt = Scalar((part[active] / 2**halvings).to(whole) * whole)
            old, arguments = self._at(state, active), self._at(self.arguments, active)
            x, slope, residual, ok = self._solve(goal, strain[active], old, arguments, dt, largest[active])
            solved = active[ok]
            accepted = self._accept(
                goal[ok], x[ok], slope[ok], self._at(state, solved), self._at(self.arguments, solved), Scalar(dt.torch()[ok])
            )
            before = (strain[solved], stress[solved], *(t.torch() for t in self._at(state, solved)))
            valid = ~_has_new_nan(before, (accepted[0], accepted[1], *(t.torch() for t in accepted[2]))).cpu()
            ok = ok.masked_scatter(ok, valid)
            failed, good = active[~ok], active[ok]
            if bool((part[failed] == 1).any()):
                self._fails(step, int(failed[part[failed] == 1][0]), active, residual)
            part[failed] //= 2
            if not len(good):
                continue
            self._follow(good, accepted[0][valid], state, Scalar(dt.torch()[ok]))
            if len(good) == self.points:
                strain, stress, state = accepted
            else:
                strain, stress = strain.index_put((good,), accepted[0][valid]), stress.index_put((good,), accepted[1][valid])
                state = [_like(s, s.torch().index_put((good,), n.torch()[valid])) for s, n in zip(state, accepted[2], strict=True)]
            done[good] += part[good]
            substeps[good] += 1
        return strain, stress, state, substeps

    def _follow(self, points: torch.Tensor, strain: torch.Tensor, state: list[Any], dt: Scalar) -> None:
        """Called when these points have taken a part of a step, from `state` to this strain."""

    def _ends_step(self) -> None:
        """Called at the end of each step."""

    def _fails(self, step: int, point: int, active: torch.Tensor, residual: torch.Tensor) -> None:
        """Raises an error that says why a step does not converge."""
        off, allowed = residual[active == point][0].tolist()
        where = f" at point {tuple(int(i) for i in torch.unravel_index(torch.tensor(point), self.batch))}" if self.batch else ""
        parts = f", also not in parts of 1/{2 ** self.options[2]} of it" if self.options[2] else ""
        if off <= allowed:
            why = "the stress or the new state is NaN. Expected an update that gives numbers there"
        elif off > allowed:
            why = f"a stress is {off:.3g} off, with {allowed:.3g} allowed. Expected stresses that the material can reach"
        else:
            why = (
                "the stress or its derivative is NaN or infinite, or the derivative is singular. Expected a stiffness in each component that is free "
                "of stress; for a component without stiffness give the strain"
            )
        raise RuntimeError(
            f"point: step {step}, to time {self.time[step].item():g}, does not converge{where}{parts}: {why}; shorter steps, max_halvings "
            "and max_iterations help if the path causes the difficulty."
        )

    def _solve(self, goal: Any, strain: Any, state: Any, arguments: Any, dt: Scalar, largest: Any) -> Any:
        """Newton's method, without recording for autograd. Returns the strain, the tangent there, the residual with its limit, and whether
        each point has converged."""
        with torch.no_grad():
            goal, x = goal.detach(), torch.where(self.controlled, goal, strain).detach()
            state, arguments = (self._each(group, lambda t: _like(t, t.torch().detach())) for group in (state, arguments))
            ok = torch.zeros(len(x), dtype=torch.bool, device=x.device)
            for _ in range(self.options[1]):
                stress, slope = self._slope(x, state, arguments, dt)
                off = torch.where(self.controlled, 0.0, stress - goal)
                allowed = self.options[0] * torch.maximum(largest, stress.abs().amax(-1))
                residual = off.abs().amax(-1)
                change = self._correction(slope, off)
                size = change.abs().amax(-1)  # NaN or infinite if a model overflows, although its stress may equal the given one
                is_rounding = size <= 1e3 * torch.finfo(self.dtype).eps * x.abs().amax(-1)  # converged, as for a point without stress
                ok = ok | (size.isfinite() & ((residual <= allowed) | is_rounding))
                if bool(ok.all()):
                    break
                x = torch.where(ok.unsqueeze(-1), x, x - change)
            return x, slope, torch.stack((residual, allowed), -1), ok.cpu()

    def _correction(self, slope: torch.Tensor, off: torch.Tensor) -> torch.Tensor:
        """The change of strain that causes the change `off` of the stress. It is 0 in components whose strain is given."""
        if bool(self.controlled.all()):
            return torch.zeros_like(off)
        rows = torch.where(self.controlled.unsqueeze(-1), torch.eye(6).to(slope) * slope.abs().amax((-1, -2), keepdim=True), slope)
        change: torch.Tensor = torch.linalg.solve_ex(rows, off).result
        return change

    def _accept(self, goal: Any, x: Any, slope: Any, state: Any, arguments: Any, dt: Scalar) -> Any:
        """Makes one more iteration, by which autograd gets the derivatives of the strain as an implicit function of all inputs."""
        with torch.set_grad_enabled(self.differentiable):
            x = torch.where(self.controlled, goal, x)
            if not bool(self.controlled.all()):
                stress = self._call(x, state, arguments, dt)[0].torch()
                x = x - self._correction(slope, torch.where(self.controlled, 0.0, stress - goal))
            stress, new = self._call(x, state, arguments, dt)
            return x, stress.torch().expand(len(x), 6), new

    def _slope(self, x: torch.Tensor, state: list[Any], arguments: Any, dt: Scalar) -> tuple[torch.Tensor, torch.Tensor]:
        result, slope = value_and_jacobian(self.update, SR2(x), self.together(state), *_with(arguments, dt), argnums=0, of=0)
        stress = self._checked(result, state)[0]
        return stress.torch().expand(len(x), 6), slope.torch().expand(len(x), 6, 6)

    def _call(self, x: torch.Tensor, state: list[Any], arguments: Any, dt: Scalar) -> tuple[Any, list[Any]]:
        stress, leaves = self._checked(vmap(self.update, SR2(x), self.together(state), *_with(arguments, dt)), state)
        return stress, [_like(t, t.torch().expand((len(x), *t.base.shape))) for t in leaves]

    def _checked(self, result: Any, state: list[Any]) -> tuple[Any, list[Any]]:
        """The stress that update returned, and the tensors of the new state in the order of the initial state."""
        if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], SR2)):
            raise TypeError(f"point: update returned a {type(result).__name__}. Expected a pair of the stress, an SR2, and the new state.")
        leaves, structure = flatten(result[1])
        found = {name: _kind(t) for name, t in zip(structure.paths(), leaves, strict=True)}
        expected = {name: _kind(t) for name, t in zip(self.names, state, strict=True)}
        if found != expected:
            raise TypeError(
                f"point: the state that update returned is {_text(found)}. Expected the members of the initial state: {_text(expected)}."
            )
        by_name = dict(zip(structure.paths(), leaves, strict=True))
        return result[0], [by_name[name] for name in self.names]


class _DriveForward(_Drive):
    """One call of drive_and_jacobian. Derivatives have the shape (points, numbers, parameters)."""

    def __init__(self, by: Sequence[str], *arguments: Any) -> None:
        super().__init__(*arguments)
        names = [p.name for p in parameters_of(self.update)[2:]]
        if isinstance(by, str) or not by or len(set(by)) < len(by) or any(n not in names or n == "dt" for n in by):
            known = ", ".join(n for n in names if n != "dt")
            raise ValueError(f"point: by is {by!r}. Expected the names of some parameters of update, each once: {known or 'it has none'}.")
        self.places = [names.index(n) for n in by]
        for name, k in zip(by, self.places, strict=True):
            given = self.arguments[k]
            if isinstance(given, (int, float)):
                self.arguments[k] = given = Scalar(self.tensor(float(given)))
            if not isinstance(given, Scalar):
                raise TypeError(f"point: the parameter {name!r} is a {type(given).__name__}. Expected a number or a Scalar in by.")
        self.slopes = [torch.zeros(self.points, n, len(by)).to(self.start[0]) for n in (6, 6, *(_size(s) for s in self.state))]
        self.rows = [[s.clone() for s in self.slopes]]

    def _follow(self, points: torch.Tensor, strain: torch.Tensor, state: list[Any], dt: Scalar) -> None:
        old = self._at(state, points)
        argnums = (0, *((1,) if state else ()), *(2 + k for k in self.places))
        result, found = value_and_jacobian(
            self.update, SR2(strain), self.together(old), *_with(self._at(self.arguments, points), dt), argnums=argnums
        )
        leaves, structure = flatten(result[1])
        order = dict(zip(structure.paths(), range(len(leaves)), strict=True))
        results = [0, *(1 + order[name] for name in self.names)]
        sizes = [6, *(_size(s) for s in self.state)]
        before = [s[points] for s in self.slopes[2:]]

        def matrix(t: Any, rows: int, columns: int) -> torch.Tensor:
            raw: torch.Tensor = t.torch()
            raw = raw.reshape(*raw.shape[: raw.ndim - len(t.base.shape)], rows * columns)
            return raw.expand(len(points), rows * columns).reshape(len(points), rows, columns)

        by_strain, along = [], []  # the derivatives of each result by the strain, and by the parameters at a fixed strain
        for k, rows in zip(results, sizes, strict=True):
            row = found[k * len(argnums) : (k + 1) * len(argnums)]
            by_strain.append(matrix(row[0], rows, 6))
            total = torch.cat([matrix(t, rows, 1) for t in row[len(argnums) - len(self.places) :]], -1)
            for J, n, S in zip(flatten(row[1])[0] if state else [], sizes[1:], before, strict=True):
                total = total + matrix(J, rows, n) @ S
            along.append(total)
        free = torch.where(self.controlled.unsqueeze(-1), 0.0, along[0])
        change = -self._correction(by_strain[0], free)
        change = torch.where(self.controlled.unsqueeze(-1), 0.0, change)
        self.slopes[0][points] = change
        for slope, A, total in zip(self.slopes[1:], by_strain, along, strict=True):
            slope[points] = A @ change + total

    def _ends_step(self) -> None:
        self.rows.append([s.clone() for s in self.slopes])

    def jacobian(self) -> History:
        stacked = [torch.stack(c).transpose(-1, -2) for c in zip(*self.rows, strict=True)]
        shaped = [c.reshape(len(self.rows), *self.batch, *c.shape[2:]) for c in stacked]
        bases = [t.base.shape for t in self.state]
        leaves = [
            _like(s, c.reshape(*c.shape[:-1], *base), 2 + len(self.batch)) for s, c, base in zip(self.state, shaped[2:], bases, strict=True)
        ]
        count = torch.zeros(shaped[0].shape[:-1], dtype=torch.int64)
        return History(self.time, SR2(shaped[0]), SR2(shaped[1]), self.together(leaves), count)


def _size(t: Any) -> int:
    return math.prod(t.base.shape)


def _is_integer(t: Any) -> bool:
    return not (t.dtype.is_floating_point or t.dtype.is_complex)


def _kind(t: Any) -> str:
    return f"{type(t).__name__} of {tuple(t.base.shape)}" if isinstance(t, Tensor) else type(t).__name__


def _text(kinds: dict[str, str]) -> str:
    return ", ".join(f"{name.lstrip('.')}: {kind}" if name else kind for name, kind in kinds.items()) or "empty"


def _has_new_nan(before: Any, after: Any) -> torch.Tensor:
    """Whether each point has a NaN where there was no NaN before."""
    news = [(a.isnan() & ~b.expand_as(a).isnan()).unsqueeze(-1).flatten(1).any(-1) for a, b in zip(after, before, strict=True)]
    return torch.stack(news).any(0)


_broadcast: Callable[..., torch.Size] = torch.broadcast_shapes


class _Time:
    """Stands for the time step dt among the arguments of update."""


def _with(arguments: list[Any], dt: Scalar) -> list[Any]:
    return [dt if a is _Time else a for a in arguments]


def _like(t: Any, value: torch.Tensor, batch: int = 1) -> Any:
    kind: Any = type(t)
    return kind(value, batch) if kind is Tensor else kind(value)


def _by_place(update: Any, parameters: Any) -> list[Any]:
    """The arguments of update that follow strain and state, in their order."""
    known = parameters_of(update)[2:]
    wanted = [p.name for p in known if p.name != "dt"]
    named = {p.name: p.default for p in known if p.name != "dt" and p.default is not p.empty}
    needed = len(wanted) - len(named)
    if isinstance(parameters, Mapping):
        named |= parameters
    else:
        values = parameters if isinstance(parameters, (tuple, list)) and not hasattr(parameters, "_fields") else (parameters,)
        if not needed <= len(values) <= len(wanted):
            raise TypeError(
                f"point: {len(values)} parameters are given. Expected {len(wanted)} for the arguments of update: {', '.join(wanted) or 'none'}."
            )
        named |= dict(zip(wanted, values))
    if set(named) != set(wanted):
        raise TypeError(
            f"point: the parameters are {', '.join(map(repr, named)) or 'none'}. Expected the arguments of update: {', '.join(wanted) or 'none'}."
        )
    return [_Time if p.name == "dt" else named[p.name] for p in known]
