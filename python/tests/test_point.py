# SPDX-License-Identifier: MIT
"""Histories of a material point, against closed forms."""

from dataclasses import dataclass

import numpy
import pytest
import torch
import neml2
from neml2 import math, point
from neml2.tensors import R2, SR2, SSR4, Scalar

E, NU, YIELD, H = 200e3, 0.3, 250.0, 10e3  # MPa


@dataclass
class State:
    plastic_strain: SR2
    p: Scalar


def new() -> State:
    return State(SR2(torch.zeros(6, dtype=torch.float64)), Scalar(0.0))


def elastic(strain, state, E, nu):
    return SSR4.isotropic_E_nu(E, nu) * strain, state


def j2(strain, state, E, yield_stress, H):
    """Radial return with linear kinematic hardening, whose modulus in tension is H."""
    G, K = E / (2 * (1 + NU)), E / (3 * (1 - 2 * NU))
    trial = 2 * G * math.dev(strain - state.plastic_strain)
    over = trial - 2 / 3 * H * state.plastic_strain
    mises = 1.5**0.5 * math.norm(over)
    dp = math.macaulay(mises - yield_stress) / (3 * G + H)
    flow = (1.5 * dp / math.maximum(mises, 1e-9)) * over
    return 3 * K * math.vol(strain) + trial - 2 * G * flow, State(state.plastic_strain + flow, state.p + dp)


def saturating(strain, state, E, limit):
    """σ = E ε / sqrt(1 + (E |ε| / limit)²). Newton's method maps x = E ε / limit to -x³ on the way to 0."""
    x = E / limit * strain
    return limit * x / math.sqrt(1 + math.inner(x, x)), state


def creep(strain, state, rate, dt):
    return E * (strain - (state + rate * dt) * SR2.identity()), state + rate * dt


def close(a, b, relative=1e-9):
    a, b = (torch.as_tensor(t, dtype=torch.float64) for t in (a, b))
    assert (a - b).abs().max() <= relative * b.abs().max(), (a, b)


def cyclic(path, yield_stress=YIELD):
    """The stress in tension for this strain, by the one-dimensional return mapping."""
    stress, back, plastic = [], 0.0, 0.0
    for e in path.tolist():
        trial = E * (e - plastic) - back
        flow = max(abs(trial) - yield_stress, 0.0) / (E + H)
        plastic += flow if trial > 0 else -flow
        back = H * plastic
        stress.append(E * (e - plastic))
    return stress


def test_elastic_closed_forms():
    t = torch.linspace(0, 1, 4)
    h = point.drive(elastic, Scalar(0.0), (E, NU), time=t, strain={"xx": 1e-3 * t})
    close(h.column("stress.xx"), E * 1e-3 * t)
    close(h.column("strain.yy"), -NU * 1e-3 * t)
    close(h.column("strain.zz"), -NU * 1e-3 * t)
    assert h.strain.batch.shape == (4,) and h.substeps.tolist() == [0, 1, 1, 1]
    # Shear has no extra factor: σ_xy = 2 G ε_xy.
    h = point.drive(elastic, Scalar(0.0), (E, NU), time=t, stress={"xy": 10.0 * t})
    close(h.column("strain.xy"), 10.0 * t * (1 + NU) / E)
    close(h.strain.torch()[:, 5], 2**0.5 * 10.0 * t * (1 + NU) / E)
    # Plane stress with given strains in the plane.
    h = point.drive(elastic, Scalar(0.0), (E, NU), time=t, strain={"xx": 1e-3 * t, "yy": -2e-3 * t, "xy": 5e-4 * t})
    close(h.column("stress.xx"), E / (1 - NU**2) * (1e-3 - NU * 2e-3) * t)
    close(h.column("strain.zz"), NU / (1 - NU) * 1e-3 * t)
    # Plane strain: a number stands for a constant.
    h = point.drive(elastic, Scalar(0.0), (E, NU), time=t, strain={"xx": 1e-3 * t, "zz": 0.0})
    close(h.column("stress.zz"), NU * h.column("stress.xx"))


def test_uniaxial_plasticity_monotone_and_cyclic():
    turns = torch.cat([torch.linspace(0, 0.02, 21), torch.linspace(0.02, -0.02, 41)[1:], torch.linspace(-0.02, 0.01, 31)[1:]])
    h = point.drive(j2, new(), (E, YIELD, H), time=torch.arange(len(turns)), strain={"xx": turns})
    close(h.column("stress.xx"), cyclic(turns))
    assert h.stress.torch()[:, 1:].abs().max() < 1e-6 * YIELD
    tangent = (h.column("stress.xx")[20] - h.column("stress.xx")[10]) / 0.01
    close(tangent, E * H / (E + H))
    assert h.state.p.torch()[-1] > 0.05


def test_plastic_shear_by_stress():
    t = torch.linspace(0, 1, 11)
    tau = 1.2 * YIELD / 3**0.5
    h = point.drive(j2, new(), (E, YIELD, H), time=t, stress={"xy": tau * t})
    plastic = 1.5 * (tau - YIELD / 3**0.5) / H  # ε_xy = 3/2 τ / H
    close(h.column("strain.xy")[-1], tau * (1 + NU) / E + plastic)
    close(h.column("stress.xy"), tau * t)


def test_strains_are_found_again_from_stresses():
    generator = torch.Generator().manual_seed(3)
    walk = torch.cat([torch.zeros(1, 5, 6), 5e-4 * torch.randn(12, 5, 6, generator=generator).cumsum(0)])
    time = torch.linspace(0, 2, 13)
    by_strain = point.drive(j2, new(), (E, YIELD, H), time=time, strain={c: walk[..., i] for i, c in enumerate(point.COMPONENTS)})
    for controlled in ((0,), (1, 3), (0, 2, 4, 5), (0, 1, 2, 3, 4)):
        strain = {c: walk[..., i] for i, c in enumerate(point.COMPONENTS) if i in controlled}
        stress = {c: by_strain.column(f"stress.{c}") for i, c in enumerate(point.COMPONENTS) if i not in controlled}
        h = point.drive(j2, new(), (E, YIELD, H), time=time, strain=strain, stress=stress)
        whole = h.substeps[1:] == 1  # where both follow the same path
        first = int((~whole).any(1).nonzero()[0]) + 1 if not whole.all() else len(time)
        assert first > 1
        close(h.strain.torch()[:first], by_strain.strain.torch()[:first], 1e-7)
        close(h.state.p.torch()[:first], by_strain.state.p.torch()[:first], 1e-7)
        again = {c: h.column(f"stress.{c}") for c in stress}
        for c, value in again.items():
            close(value, stress[c], 1e-7)


def test_batches_are_single_runs():
    t = torch.linspace(0, 1, 9)
    amplitude = torch.tensor([0.005, 0.01, 0.02])
    yields = torch.tensor([[100.0], [300.0]])
    h = point.drive(j2, new(), (E, Scalar(yields), H), time=t, strain={"xx": t[:, None] * amplitude})
    assert h.stress.torch().shape == (9, 2, 3, 6) and h.state.p.torch().shape == (9, 2, 3)
    for i in range(2):
        for j in range(3):
            one = point.drive(j2, new(), {"H": H, "E": E, "yield_stress": yields[i].item()}, time=t, strain={"xx": t * amplitude[j]})
            close(h.stress.torch()[:, i, j], one.stress.torch(), 1e-12)
            close(h.strain.torch()[:, i, j], one.strain.torch(), 1e-12)
            close(h.stress.torch()[:, i, j, 0], cyclic(t * amplitude[j], yields[i].item()))
    table = h.table()
    assert len(table) == 54 and table["point"].tolist() == [k for k in range(6) for _ in range(9)]
    close(table["stress_xx"][9:18], h.stress.torch()[:, 0, 1, 0])


def test_steps_that_fail_at_once_go_in_parts():
    limit = Scalar.create([100.0, 1000.0])
    targets = torch.tensor([0.0, 50.0, 80.0, 95.0, -95.0])
    h = point.drive(saturating, Scalar(0.0), (E, limit), time=torch.arange(5.0), stress={"xx": targets})
    assert h.substeps[4, 0] > 1 and h.substeps[4, 1] == 1  # each point has its own steps
    for k, s in enumerate((100.0, 1000.0)):
        close(h.column("strain.xx")[:, k], targets / E / (1 - (targets / s) ** 2).sqrt(), 1e-8)
    with pytest.raises(RuntimeError, match=r"step 4, to time 4, does not converge at point \(0,\)"):
        point.drive(saturating, Scalar(0.0), (E, limit), time=torch.arange(5.0), stress={"xx": targets}, max_halvings=0)
    with pytest.raises(RuntimeError, match=r"step 1, to time 1, does not converge, also not in parts of 1/256 of it"):
        point.drive(saturating, Scalar(0.0), (E, 100.0), time=[0.0, 1.0], stress={"xx": [0.0, 101.0]})


def test_the_time_step_and_a_start():
    time = torch.tensor([1.0, 1.5, 3.0, 7.0])
    h = point.drive(creep, Scalar(0.0), (Scalar(1e-3),), time=time)
    close(h.state.torch(), 1e-3 * (time - 1))
    close(h.column("strain.yy"), 1e-3 * (time - 1))
    half = point.drive(creep, Scalar(0.0), (1e-3,), time=time[:2], stress={"xx": [0.0, 10.0]})
    rest = point.drive(
        creep, half.state.batch[-1], (1e-3,), time=time[1:], stress={"xx": 10.0},
        initial_strain=half.strain.batch[-1], initial_stress=half.stress.batch[-1],
    )  # fmt: skip
    close(rest.column("strain.xx")[-1], 6e-3 + 10.0 / E)
    in_pascal = point.drive(elastic, Scalar(0.0), (E * 1e6, NU), time=[0, 1], stress={"xx": [0.0, 1e8]})
    close(in_pascal.column("strain.xx")[-1], 1e8 / (E * 1e6))


@pytest.mark.parametrize("update, at", [(j2, (E, YIELD, H)), (saturating, (E, 100.0))])
def test_autograd_is_finite_differences(update, at):
    start = new() if update is j2 else Scalar(0.0)
    targets = torch.tensor([0.0, 90.0, 95.0, -95.0]) * (1 if update is saturating else 3)

    def strain(*values):
        return point.drive(update, start, values, time=torch.arange(4.0), stress={"xx": targets, "xy": 0.1 * targets}).strain.torch()

    parameters = [torch.tensor(v, requires_grad=True) for v in at]
    found = strain(*map(Scalar, parameters))
    weights = torch.sin(torch.arange(24.0)).reshape(4, 6)
    for k, slope in enumerate(torch.autograd.grad((weights * found).sum(), parameters)):
        near = [[v * (1 + (h if i == k else 0)) for i, v in enumerate(at)] for h in (1e-5, -1e-5)]
        up, down = ((weights * strain(*map(Scalar, v))).sum() for v in near)
        close(slope, (up - down) / (2e-5 * at[k]), 1e-5)


def test_autograd_by_targets():
    target = torch.tensor(0.01, requires_grad=True)
    ramp = torch.linspace(0, 1, 5)
    h = point.drive(j2, new(), (E, YIELD, H), time=ramp, strain={"xx": target * ramp})
    close(torch.autograd.grad(h.column("stress.xx")[-1], target)[0], E * H / (E + H))


def with_autograd(update, state, parameters, by, columns, **path):
    """The derivatives of the columns by the parameters named, (steps, batch, parameters), one backward pass per number."""
    raw = {n: torch.as_tensor(parameters[n].torch() if isinstance(parameters[n], Scalar) else parameters[n]).clone().requires_grad_() for n in by}
    history = point.drive(update, state, {**parameters, **{n: Scalar(t) for n, t in raw.items()}}, **path)
    found = {}
    for name in columns:
        column = history.column(name)
        slopes = torch.zeros(*column.shape, len(by))
        for at in numpy.ndindex(*column.shape):
            if column[at].requires_grad:
                for k, g in enumerate(torch.autograd.grad(column[at], list(raw.values()), retain_graph=True, allow_unused=True, materialize_grads=True)):
                    slopes[at][k] = g.sum()
        found[name] = slopes
    return history, found


@pytest.mark.parametrize("control", ["strain", "stress", "both"])
def test_derivatives_are_carried_from_step_to_step(control):
    steps = torch.linspace(0.0, 1.0, 9)
    path = {
        "strain": {"strain": {"xx": 4e-3 * steps, "xy": -2e-3 * steps}},
        "stress": {"stress": {"xx": 110.0 * steps, "xy": 30.0 * steps}},
        "both": {"strain": {"xx": 4e-3 * steps}, "stress": {"yy": -40.0 * steps}},
    }[control]
    parameters = {"E": 200e3, "yield_stress": Scalar(torch.tensor([60.0, 90.0])), "H": 10e3}
    by = ["H", "yield_stress"]
    columns = ["strain.xx", "strain.yy", "stress.xx", "stress.xy", "state.plastic_strain.xx", "state.p"]
    history, jacobian = point.drive_and_jacobian(j2, new(), parameters, by, time=steps, **path)
    expected_history, expected = with_autograd(j2, new(), parameters, by, columns, time=steps, **path)
    assert jacobian.column("stress.xx").shape == (9, 2, 2)
    for name in columns:
        close(history.column(name), expected_history.column(name))
        torch.testing.assert_close(jacobian.column(name), expected[name], rtol=1e-7, atol=1e-11)
    assert jacobian.column("strain.xx" if control == "stress" else "stress.xx").abs().max() > 0


def test_derivatives_through_parts_of_steps_and_times():
    time = torch.tensor([0.0, 1.0, 3.0])
    history, jacobian = point.drive_and_jacobian(creep, Scalar(0.0), {"rate": 2e-3}, ["rate"], time=time, stress={"xx": [0.0, 50.0, 50.0]})
    _, expected = with_autograd(creep, Scalar(0.0), {"rate": 2e-3}, ["rate"], ["strain.xx"], time=time, stress={"xx": [0.0, 50.0, 50.0]})
    close(jacobian.column("strain.xx"), expected["strain.xx"])
    options = {"time": torch.arange(5.0), "stress": {"xx": torch.tensor([0.0, 50.0, 80.0, 95.0, -95.0])}}
    history, jacobian = point.drive_and_jacobian(saturating, Scalar(0.0), {"E": E, "limit": 100.0}, ["E", "limit"], **options)
    _, expected = with_autograd(saturating, Scalar(0.0), {"E": E, "limit": 100.0}, ["E", "limit"], ["strain.xx"], **options)
    assert history.substeps.max() > 1
    for k in range(2):
        close(jacobian.column("strain.xx")[..., k], expected["strain.xx"][..., k], 1e-6)


@pytest.mark.parametrize("by", ["E", [], ["E", "E"], ["G"]])
def test_parameters_of_derivatives_are_names(by):
    with pytest.raises(ValueError, match="Expected the names of some parameters of update, each once: E, nu"):
        point.drive_and_jacobian(elastic, (), (200e3, 0.3), by, time=[0.0, 1.0])


def test_parameters_of_derivatives_are_scalars():
    with pytest.raises(TypeError, match="the parameter 'E' is a SR2. Expected a number or a Scalar"):
        point.drive_and_jacobian(lambda strain, state, E: (strain * math.tr(E), state), (), (SR2.zeros(),), ["E"], time=[0.0, 1.0])


def test_csv(tmp_path):
    t = numpy.linspace(0, 1, 5)
    path = tmp_path / "targets.csv"
    numpy.savetxt(path, numpy.stack([t, 1e-2 * t, -50 * t], 1), delimiter=",", header="time,strain_xx,stress_yy", comments="")
    h = point.drive(j2, new(), (E, YIELD, H), **point.read_csv(path))
    close(h.column("stress.yy"), -50 * t)
    h.to_csv(tmp_path / "history.csv")
    back = numpy.genfromtxt(tmp_path / "history.csv", delimiter=",", names=True)
    assert back.dtype.names[:2] == ("time", "strain_xx") and "state_plastic_strain_xy" in back.dtype.names
    assert (back["stress_xx"] == h.table()["stress_xx"]).all()
    path.write_text("time,strain_ab\n0,0\n1,1\n")
    with pytest.raises(ValueError, match="column 'strain_ab'"):
        point.read_csv(path)
    path.write_text("strain_xx\n0\n1\n")
    with pytest.raises(ValueError, match="has no column time"):
        point.read_csv(path)


def test_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    h = point.drive(elastic, Scalar(0.0), (Scalar.create([E, 2 * E]), NU), time=[0, 1], strain={"xx": [0, 1e-3]})
    ax = h.plot("strain.xx", "stress.xx", ax=pyplot.figure().subplots())
    assert len(ax.lines) == 2 and ax.get_xlabel() == "strain.xx"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"strain": {"xz ": 0.0}}, "strain names the component 'xz '. Expected some of xx, yy, zz, yz, xz, xy"),
        ({"strain": {"xx": 0.0}, "stress": {"xx": 0.0}}, "xx is given as a strain and as a stress"),
        ({"stress": {"yy": [0.0, 1.0]}}, "stress yy has 2 values in time. Expected 3"),
        ({"stress": {"yy": [0.0, 1.0, float("nan")]}}, "stress yy has values that are NaN"),
        ({"stress": {"yy": [2.0, 1.0, 3.0]}}, "stress yy starts 2 off the initial value"),
        ({"time": [0.0, 2.0, 1.0]}, "Expected at least two times, each later than the one before"),
        ({"time": [0.0]}, "Expected at least two times"),
        ({"parameters": (E,)}, "1 parameters are given. Expected 2 for the arguments of update: E, nu"),
        ({"parameters": {"E": E, "mu": 1.0}}, "the parameters are 'E', 'mu'. Expected the arguments of update: E, nu"),
        ({"relative_tolerance": 0.0}, "relative_tolerance is 0.0"),
        ({"max_iterations": 2.5}, "max_iterations 2.5, max_halvings 8. Expected a number between 0 and 1, a positive integer"),
        ({"max_halvings": 63}, "max_halvings 63. Expected a number between 0 and 1, a positive integer, and an integer from 0 to 62"),
        ({"max_halvings": 1.5}, "max_halvings 1.5"),
        ({"initial_strain": torch.zeros(6)}, "initial_strain is a Tensor. Expected an SR2, such as SR2(t)"),
        ({"initial_stress": R2.zeros()}, "initial_stress is a R2. Expected an SR2"),
        ({"parameters": (Scalar.full(E, 2), Scalar.full(NU, 3))}, "batch shapes do not broadcast"),
        ({"update": lambda strain, state, E, nu: (E * strain, strain)}, "the state that update returned is"),
        ({"update": lambda strain, state, E, nu: (E * strain, (state, state))}, "the state that update returned is"),
    ],
)
def test_errors(options, message):
    given = {"update": elastic, "state": Scalar(0.0), "parameters": (E, NU), "time": [0.0, 1.0, 2.0], **options}
    with pytest.raises((TypeError, ValueError)) as caught:
        point.drive(given.pop("update"), given.pop("state"), given.pop("parameters"), **given)
    assert message in str(caught.value), caught.value


def test_unknown_columns_are_refused():
    h = point.drive(elastic, Scalar(0.0), (E, NU), time=[0, 1])
    with pytest.raises(LookupError, match="no column 'stress.yx'"):
        h.column("stress.yx")


class Elastic:
    def __init__(self, E):
        self.E = E

    @neml2.formula
    def update(self, strain, state, nu=0.25):
        return elastic(strain, state, self.E, nu)


def test_a_formula_that_is_a_method_and_a_default():
    for parameters in ((), (0.25,), {"nu": 0.25}):
        h = point.drive(Elastic(E).update, Scalar(0.0), parameters, time=[0, 1], stress={"xx": [0.0, 100.0]})
        close(h.column("strain.yy")[-1], -0.25 * 100 / E)
    with pytest.raises(TypeError, match="2 parameters are given. Expected 1 for the arguments of update: nu"):
        point.drive(Elastic(E).update, Scalar(0.0), (0.25, 1.0), time=[0, 1])


def test_states_go_by_their_names():
    """Also where a dict that is returned has another order."""

    def update(strain, state):
        return E * strain, {"b": state["b"] + 10.0, "a": state["a"] + 1.0}

    h = point.drive(update, {"a": Scalar(0.0), "b": Scalar(0.0)}, time=torch.arange(4.0), strain={"xx": torch.arange(4.0)})
    close(h.column("state.a"), torch.arange(4.0))
    close(h.column("state.b"), 10 * torch.arange(4.0))

    def other(strain, state):
        return E * strain, {"a": state["a"], "c": state["b"]}

    with pytest.raises(
        TypeError,
        match=r"returned is \['a'\]: Scalar, \['c'\]: Scalar. Expected the members of the initial state: \['a'\]: Scalar, \['b'\]: Scalar",
    ):
        point.drive(other, {"a": Scalar(0.0), "b": Scalar(0.0)}, time=[0, 1])


def thermal(strain, state, rate, dt):
    T = state + rate * dt
    free = 1.3e-5 * T * SR2.identity()
    return 2 * 0.77e5 * math.dev(strain - free) + 3 * 1.67e5 * math.vol(strain - free), T


def test_free_expansion_has_no_stress():
    """Without stress the residual has no reference value: only round-off is left."""
    h = point.drive(thermal, Scalar(0.0), (7.3,), time=torch.arange(30.0))
    for c in ("xx", "yy", "zz"):
        close(h.column(f"strain.{c}"), 1.3e-5 * 7.3 * torch.arange(30.0))
    assert (h.substeps[1:] == 1).all()


def test_nan_is_no_state():
    def update(strain, state):
        return E * strain, state + math.sqrt(math.tr(strain) - 0.5)

    with pytest.raises(
        RuntimeError,
        match="step 1, to time 1, does not converge at point .1,., also not in parts of 1/4 of it: the stress or the new state is NaN",
    ):
        point.drive(
            update, Scalar(0.0), time=[0, 1], strain={"xx": [[1.0, 0.0], [1.0, 0.25]]}, max_halvings=2,
            initial_strain=SR2(torch.tensor([[1.0, 0, 0, 0, 0, 0], [0.0, 0, 0, 0, 0, 0]])),
            initial_stress=SR2(torch.tensor([[E, 0, 0, 0, 0, 0], [0.0, 0, 0, 0, 0, 0]])),
        )  # fmt: skip


def test_what_fails_says_why():
    truss = lambda strain, state: (E * strain(0, 0) * SR2.fill(1.0, 0.0, 0.0), state)  # noqa: E731
    with pytest.raises(RuntimeError, match="does not converge: .*the derivative is singular.*for a component without stiffness give the strain"):
        point.drive(truss, Scalar(0.0), time=[0, 1], stress={"xx": [0.0, 1.0]}, max_halvings=0)
    with pytest.raises(TypeError, match="update returned a SR2. Expected a pair of the stress, an SR2, and the new state"):
        point.drive(lambda strain, state: 2.0 * strain, Scalar(0.0), time=[0, 1])
    with pytest.raises(ValueError, match="has no points"):
        point.drive(elastic, Scalar(0.0), (Scalar.zeros(0), 0.3), time=[0, 1])


def test_csv_of_a_spreadsheet(tmp_path):
    (tmp_path / "t.csv").write_bytes("\ufefftime,strain_xx\r\n0,0\r\n1,0.5\r\n".encode())
    read = point.read_csv(tmp_path / "t.csv")
    assert read["time"].tolist() == [0, 1] and read["strain"]["xx"].tolist() == [0, 0.5]


@pytest.mark.parametrize(
    "text",
    [
        '"time","strain_xx"\n"0","0"\n"1", "0.5"\n',
        "time;strain_xx\n0;0\n1;0.5\n",
        "time\tstrain_xx\n0\t0\n\n1\t0.5\n",
        "# a test, of time\ntime,strain_xx\n0,0\n1,0.5  # the end\n",
        "# a test, of time\n# time,strain_xx\n0,0\n1,0.5\n",
    ],
)
def test_tables_that_other_programs_write(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    read = point.read_csv(tmp_path / "t.csv")
    assert read["time"].tolist() == [0, 1] and read["strain"]["xx"].tolist() == [0, 0.5] and read["stress"] == {}


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "t.csv has no column time. Expected a line that names the columns, such as time,strain_xx,stress_yy."),
        ("0,0\n1,1\n", "t.csv has no column time"),
        ("time,strain_xx\n0,0\n1,1D-3\n", "strain_xx in line 3 of {} is '1D-3'. Expected a number, such as 1.5e-3."),
        ("time,strain_xx\n\n0,0\nend,1\n", "time in line 4 of {} is 'end'. Expected a number"),
        ("time;strain_xx\n0;0\n1;0,5\n", "strain_xx in line 3 of {} is '0,5'. Expected a number"),
        ("time,strain_xx\n0,0\n1,\n", "strain_xx in line 3 of {} is ''. Expected a number"),
        ("time,strain_xx\n0,0\n1,1,2\n", "line 3 of {} has 3 cells. Expected 2: time, strain_xx."),
        ("time,strain_xx,strain_xx\n0,0,0\n", "{} has a column 'strain_xx'. Expected time, and strain_ or stress_ with one of xx, yy"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError) as caught:
        point.read_csv(tmp_path / "t.csv")
    assert message.format(tmp_path / "t.csv") in str(caught.value), caught.value


@pytest.mark.parametrize("integer", [torch.int64, torch.int32, torch.bool])
def test_integers_in_the_state_are_numbers(integer):
    start = {"a": Scalar(torch.tensor(0, dtype=integer)), "b": Scalar(torch.tensor([1, 1], dtype=integer))}
    h = point.drive(lambda e, s: (E * e, {"a": s["a"] + 0.5, "b": s["b"]}), start, time=[0, 1], strain={"xx": [0.0, 1.0]})
    assert h.state["a"].dtype == h.state["b"].dtype == torch.float64
    assert h.column("state.a").tolist() == [[0, 0], [0.5, 0.5]] and h.column("state.b").tolist() == [[1, 1], [1, 1]]


def test_columns_of_one_name():
    h = point.drive(lambda e, s: (E * e, s), {"a_b": Scalar(0.0), "a": {"b": Scalar(0.0)}}, time=[0, 1])
    with pytest.raises(ValueError, match="two columns of a table would have one name"):
        h.table()
