# SPDX-License-Identifier: MIT
"""Formulas that are exported as VUMAT, called as an explicit solver calls them, compared with the batch."""

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from typing import NamedTuple

import numpy as np
import pytest
from export_support import YIELD, G, H, K, ROOT, batch, check_refused, example, linear, norton, random_states, tensor, variables

import neml2
from neml2 import R2, SR2, SSR4, Scalar, math
from neml2._compilers import library_name

pytestmark = pytest.mark.skipif(not neml2._compilers.compiler(), reason="there is no C++ compiler")

INDEX = [0, 1, 2, 5, 3, 4]  # the Mandel components in the order of VUMAT: 11, 22, 33, 12, 23, 31
PROPS = (G, K, YIELD, H)
EDGE = 12345.0  # the number behind each array


class Array:
    """An array (points, n) with the points side by side, and with a number behind its end that no call may change."""

    def __init__(self, values, real=float):
        values = np.asarray(values, dtype=real)
        values = values[:, None] if values.ndim == 1 else values
        self.memory = np.full(values.size + 8, EDGE, real)
        self.values = self.memory[: values.size].reshape(values.shape, order="F")
        self.values[:] = values

    def address(self):
        return self.memory.ctypes.data_as(ctypes.c_void_p)


class Vumat:
    """Calls VUMAT for a block of points. The attributes, except for counts and times, are arrays with one row per point."""

    def __init__(self, library, props=PROPS, ndir=3, nshr=3, real=float):
        self.call, self.props, self.ndir, self.nshr, self.real = ctypes.CDLL(str(library)).vumat_, props, ndir, nshr, real

    def __call__(self, increment, state, stress=None, step_time=1.0, time=1.0, dt=1.0, density=None, internal=None, temperature=None,
                 stretch_before=None, stretch=None):  # fmt: skip
        n, size = len(increment), self.ndir + self.nshr
        unit = np.tile([1.0] * self.ndir + [0.0] * self.nshr, (n, 1))

        def array(values, otherwise):
            return Array(otherwise if values is None else values, self.real)

        given = {
            "density": array(density, np.ones(n)), "increment": array(increment, None), "stress": array(stress, np.zeros((n, size))),
            "state": array(state, None), "internal": array(internal, np.zeros(n)), "temperature": array(temperature, np.zeros(n)),
            "stretch_before": array(stretch_before, unit), "stretch": array(stretch, unit), "inelastic": array(None, np.full(n, 4.0)),
        }  # fmt: skip
        before = {name: a.memory.copy() for name, a in given.items()}
        results = {name: array(None, np.full((n, k), EDGE)) for name, k in (("stress", size), ("state", given["state"].values.shape[1]),
                                                                            ("internal", 1), ("inelastic", 1))}  # fmt: skip
        counts = [ctypes.byref(ctypes.c_int(k)) for k in (n, self.ndir, self.nshr, given["state"].values.shape[1], 0, len(self.props), 0)]
        times = [ctypes.byref(np.ctypeslib.as_ctypes_type(self.real)(t)) for t in (step_time, time, dt)]
        nothing, props = None, Array(np.reshape(self.props, (1, -1)), self.real)
        a = {name: g.address() for name, g in given.items()}
        self.call(*counts, *times, b"MODEL".ljust(80), nothing, nothing, props.address(), a["density"], a["increment"], nothing,
                  nothing, a["stretch_before"], nothing, nothing, a["stress"], a["state"], a["internal"], a["inelastic"],
                  a["temperature"], a["stretch"], nothing, nothing, *(r.address() for r in results.values()))  # fmt: skip
        for name, g in given.items():
            np.testing.assert_array_equal(g.memory, before[name])  # arguments do not change
        assert all((r.memory[r.values.size :] == EDGE).all() for r in results.values())
        assert (results["inelastic"].values == 4.0).all()
        self.internal = results["internal"].values[:, 0]
        return results["stress"].values, results["state"].values


def to_vumat(mandel):
    """Mandel components as those of VUMAT, whose shears are those of the tensor."""
    return (np.asarray(mandel) * np.where(ROOT > 1, 0.5**0.5, 1.0))[..., INDEX]


def to_mandel(components):
    return components[..., [INDEX.index(k) for k in range(6)]] * ROOT


def blocks(call, sizes, increment, state, **arrays):
    """Calls VUMAT for blocks of these sizes, one after the other."""
    first, results = 0, []
    for size in sizes:
        of_block = slice(first, min(first + size, len(increment)))
        results.append(call(increment[of_block], state[of_block], **{k: v[of_block] for k, v in arrays.items()}))
        first += size
        if first >= len(increment):
            break
    return tuple(np.concatenate(r) for r in zip(*results))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    place = tmp_path_factory.mktemp("exported")
    neml2.export(linear, "vumat", *example(), to=place / "linear")
    return place / library_name("linear")


def points(n, seed=0):
    """Increments, states with the strain before, and the results of the batch: stress, state with the new strain."""
    strain, plastic, alpha = random_states(n, seed)
    increment = to_vumat(np.random.default_rng(seed + 1).normal(0, 1e-4, (n, 6)))
    after = strain + to_mandel(increment)
    stress, state, _ = batch(after, plastic, alpha)
    return increment, np.column_stack([plastic, alpha, strain]), to_vumat(stress), np.column_stack([state, after])


def test_vumat_is_the_batch(built):
    """All bits agree in one block and in blocks of any size."""
    n = 10000
    increment, old, stress, state = points(n)
    assert (state[:, 6] > old[:, 6]).sum() > 1000 and (state[:, 6] == old[:, 6]).sum() > 100  # both branches
    call = Vumat(built)
    rng = np.random.default_rng(2)
    for sizes in ([n], [1] * 50 + list(range(1, 40)) + [int(k) for k in rng.integers(1, 200, 1000)]):
        found = blocks(call, sizes, increment, old)
        np.testing.assert_array_equal(found[0], stress)
        np.testing.assert_array_equal(found[1], state)


def test_increments_are_summed(built):
    n, steps = 7, 5
    increment, old, *_ = points(n, 3)
    call, state, stress, internal = Vumat(built), np.zeros((n, 13)), np.zeros((n, 6)), np.zeros(n)
    density = np.linspace(1, 2, n)
    strain, work = np.zeros((n, 6)), np.zeros(n)
    for _ in range(steps):
        before = state
        new, state = call(10 * increment, state, stress=stress, density=density, internal=internal)
        strain += to_mandel(10 * increment)
        work += ((stress + new) / 2 * 10 * increment * [1, 1, 1, 2, 2, 2]).sum(1) / density
        stress, internal = new, call.internal
        np.testing.assert_allclose(internal, work, rtol=1e-13)
    np.testing.assert_allclose(state[:, 7:], strain, rtol=1e-14)
    np.testing.assert_allclose(stress, to_vumat(batch(strain, before[:, :6], before[:, 6])[0]), rtol=1e-11)
    assert (state[:, 6] > 0).all()


def test_plane_strain_has_four_components(built):
    increment, old, *_ = points(9, 4)
    increment[:, 4:] = 0
    old[:, [3, 4, 10, 11]] = 0
    flat, full = Vumat(built, nshr=1), Vumat(built)
    (s, state), (s3, state3) = flat(increment[:, :4], old), full(increment, old)
    np.testing.assert_array_equal(s, s3[:, :4])
    np.testing.assert_array_equal(state, state3)
    np.testing.assert_array_equal(flat.internal, full.internal)


def test_states_of_others_are_kept(built):
    """The states behind those of the model keep their values."""
    increment, old, stress, state = points(11, 5)
    others = np.arange(22.0).reshape(11, 2)
    found = Vumat(built)(increment, np.column_stack([old, others]))
    np.testing.assert_array_equal(found[0], stress)
    np.testing.assert_array_equal(found[1], np.column_stack([state, others]))


def test_threads(built):
    n, results = 1000, {}
    increment, old, stress, state = points(n, 6)

    def work(k):
        for _ in range(20):
            results[k] = Vumat(built)(increment, old)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 4
    for found in results.values():
        np.testing.assert_array_equal(found[0], stress)
        np.testing.assert_array_equal(found[1], state)


def test_special_rows(built, tmp_path, capfd):
    """Rows that are zero, huge, infinite or NaN do not change their neighbours."""
    library = shutil.copy(built, tmp_path / "special.so")  # it says once what is wrong
    increment, old, stress, state = points(16, 7)
    bad = {1: 0.0, 2: 1e100, 5: np.inf, 6: np.nan, 15: np.nan}
    for row, number in bad.items():
        increment[row] = number
    call = Vumat(library)
    found = call(increment, old)
    good = [k for k in range(16) if k not in bad]
    np.testing.assert_array_equal(found[0][good], stress[good])
    np.testing.assert_array_equal(found[1][good], state[good])
    for row in (5, 6, 15):
        assert np.isnan(found[0][row]).all() and np.isnan(call.internal[row])
        np.testing.assert_array_equal(found[1][row, :7], old[row, :7])
    np.testing.assert_array_equal(found[0][1:2], to_vumat(batch(old[1:2, 7:], old[1:2, :6], old[1:2, 6])[0]))
    call(increment, old)
    said = capfd.readouterr().err
    assert said.startswith("linear: the stress is NaN at 3 of the 16 points of a block, at the total time 1. The first of them is point 6.")
    assert said.count("\n") == 1


def test_where_newton_does_not_converge(tmp_path, capfd):
    """A point where newton finds no solution is NaN, and keeps its state."""

    def root(x, strain):
        return x * x + math.tr(strain)

    def model(strain_increment, state):
        return strain_increment * neml2.newton(root, 1.0, strain_increment), state + 1.0

    files = neml2.export(model, "vumat", tensor(SR2, np.zeros(6)), tensor(Scalar, 0.0), to=tmp_path / "never")
    increment = np.zeros((10, 6))
    increment[:, 0] = [-1, -4, -4, 9, -1, -1, -1, -9, 1, -4]
    stress, state = Vumat(files.library, props=())(increment, np.full((10, 1), 5.0))
    converged = increment[:, 0] < 0
    np.testing.assert_allclose(stress[converged, 0], -np.abs(increment[converged, 0]) ** 1.5, rtol=1e-12)
    assert (stress[converged, 1:] == 0).all() and np.isnan(stress[~converged]).all()
    np.testing.assert_array_equal(state[:, 0], np.where(converged, 6.0, 5.0))
    said = "never: the stress is NaN at 2 of the 10 points of a block, at the total time 1. The first of them is point 4."
    assert said in capfd.readouterr().err


# ---- The call before the first increment ----


def elastic(strain):
    return to_vumat((3 * K * math.vol(tensor(SR2, strain)) + 2 * G * math.dev(tensor(SR2, strain))).numpy())


def test_the_initial_check_gets_the_elastic_response(built):
    """Also for strains far beyond yield; the state stays as it was."""
    strain, plastic, alpha = random_states(50, 8)
    old = np.column_stack([plastic, alpha, strain])
    for stress_before in (np.zeros((50, 6)), np.random.default_rng(9).normal(0, 10, (50, 6))):
        rest = np.zeros((50, 13))
        stress, state = Vumat(built)(to_vumat(100 * strain), rest, stress=stress_before, step_time=0.0, time=0.0)
        np.testing.assert_allclose(stress, stress_before + elastic(100 * strain), rtol=1e-12, atol=1e-9)
        np.testing.assert_array_equal(state, rest)
    state = Vumat(built)(to_vumat(strain), old, step_time=0.0, time=0.0)[1]
    np.testing.assert_array_equal(state, old)
    stress = Vumat(built)(to_vumat(100 * strain), rest, step_time=0.0, time=1.0)[0]  # a later step
    assert abs(stress - elastic(100 * strain)).max() > 1e3


def test_the_initial_check_of_other_formulas(tmp_path):
    strain, plastic, _ = random_states(9, 10)
    one = tensor(Scalar, 0.5)
    files = neml2.export(norton, "vumat", tensor(SR2, np.zeros(6)), one, example()[1], 1e-3, 4.0, to=tmp_path / "norton")
    stress = Vumat(files.library, (1e-3, 4.0))(to_vumat(strain), np.zeros((9, 13)), step_time=0.0, time=0.0)[0]
    np.testing.assert_allclose(stress, elastic(strain), rtol=1e-9, atol=1e-6)

    def hypoelastic(strain_increment, stress_before):
        return stress_before + 3 * K * math.vol(strain_increment) + 2 * G * math.dev(strain_increment)

    def of_gradient(deformation_gradient):
        e = math.sym(math.transpose(deformation_gradient) @ deformation_gradient - R2.identity()) * 0.5
        return 3 * K * math.vol(e) + 2 * G * math.dev(e)

    def of_both(strain, deformation_gradient):
        return K * math.vol(strain) + G * math.dev(strain) + of_gradient(deformation_gradient)

    zero, unit, before = tensor(SR2, np.zeros(6)), tensor(R2, np.eye(3)), np.random.default_rng(1).normal(0, 10, (9, 6))
    models = [(hypoelastic, (zero, zero), 0), (of_gradient, (unit,), 0), (of_both, (zero, unit), 6)]
    for k, (formula, arguments, states) in enumerate(models):
        files = neml2.export(formula, "vumat", *arguments, to=tmp_path / f"model{k}")
        stress = Vumat(files.library, ())(to_vumat(strain), np.zeros((9, states)), stress=before, step_time=0.0, time=0.0)[0]
        expected = elastic(strain)
        if formula is of_both:
            expected = expected + to_vumat((K * math.vol(tensor(SR2, strain)) + G * math.dev(tensor(SR2, strain))).numpy())
        np.testing.assert_allclose(stress, before + expected, rtol=1e-12, atol=1e-9)


# ---- Large deformations ----


def random_gradients(n, seed, size=0.3):
    """Deformation gradients F = R U, with their R and U."""
    F = tensor(R2, np.eye(3) + np.random.default_rng(seed).uniform(-size, size, (n, 3, 3)))
    R, U = math.polar(F)
    return F, R, U


def in_frame(s, R):
    """Rᵀ s R in VUMAT's components."""
    return to_vumat(math.rotate(s, math.transpose(R)).numpy())


def neo_hooke(deformation_gradient, mu, bulk):
    """Cauchy stress of a compressible neo-Hookean solid."""
    J, b = math.det(deformation_gradient), math.sym(deformation_gradient @ math.transpose(deformation_gradient))
    return (mu / J) * (b - SR2.identity()) + bulk * (J - 1.0) * SR2.identity()


def test_the_deformation_gradient_is_that_of_the_rotating_frame(tmp_path):
    """The stress is Rᵀ σ(F) R."""
    n = 1000
    F, R, U = random_gradients(n, 11)
    files = neml2.export(neo_hooke, "vumat", tensor(R2, np.eye(3)), 1.5, 20.0, to=tmp_path / "neo_hooke")
    assert variables(files.library, "neo_hooke") == [("property", "mu", "number", 1, 0, 1), ("property", "bulk", "number", 2, 1, 1)]
    stress = Vumat(files.library, (1.5, 20.0))(np.zeros((n, 6)), np.zeros((n, 0)), stretch=to_vumat(U.numpy()))[0]
    np.testing.assert_allclose(stress, in_frame(neo_hooke(F, 1.5, 20.0), R), rtol=1e-11, atol=1e-12)
    assert abs(stress - to_vumat(neo_hooke(F, 1.5, 20.0).numpy())).max() > 0.1  # rotations are not small


def test_tensors_of_the_state_rotate_with_the_frame(tmp_path):
    """A formula that updates a tensor of the deformed solid by F1 F0⁻¹, and the same formula in a fixed frame."""

    def update(deformation_gradient, deformation_gradient_before, state):
        f = deformation_gradient @ math.inv(deformation_gradient_before)
        b = math.sym(f @ R2(state) @ math.transpose(f))  # elastic left Cauchy-Green tensor
        return 2.0 * math.dev(b), SR2.identity() + 0.9 * (b - SR2.identity())

    n = 200
    (F0, R0, U0), (F1, R1, U1) = random_gradients(n, 12), random_gradients(n, 13)
    b = tensor(SR2, np.array([1, 1, 1, 0, 0, 0]) + np.random.default_rng(14).normal(0, 0.1, (n, 6)))
    unit = tensor(R2, np.eye(3))
    files = neml2.export(update, "vumat", unit, unit, SR2(unit), to=tmp_path / "left")
    old = math.rotate(b, math.transpose(R0)).numpy()
    stress, state = Vumat(files.library, ())(
        np.zeros((n, 6)), old, stretch_before=to_vumat(U0.numpy()), stretch=to_vumat(U1.numpy())
    )
    expected = update(F1, F0, b)
    np.testing.assert_allclose(stress, in_frame(expected[0], R1), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(to_vumat(state), in_frame(expected[1], R1), rtol=1e-9, atol=1e-10)


# ---- Arguments ----


def test_what_a_solver_passes(tmp_path):
    """Also plain numbers: those that differ from point to point, and those that all points share."""

    def model(strain, strain_increment, strain_before, stress_before, deformation_gradient, deformation_gradient_before, time_step, time,
              temperature, old, c):  # fmt: skip
        s = stress_before + c * strain_increment + 2.0 * strain_before + 3.0 * strain + old[0] * old[1]
        moved = time_step * math.sym(deformation_gradient) + time * math.sym(deformation_gradient_before)
        return s + moved + temperature * c * SR2.identity(), (old[0] + time, old[1] + temperature * SR2.identity())

    n = 13
    rng = np.random.default_rng(15)
    increment, before, stress, U0, U1, of_state = rng.normal(0, 1, (6, n, 6))
    temperature, number = rng.normal(300, 10, (2, n))
    zero, unit = tensor(SR2, np.zeros(6)), tensor(R2, np.eye(3))
    for k, (dt, time, T) in enumerate([(0.5, 3.0, 300.0), (tensor(Scalar, 0.5), tensor(Scalar, 3.0), tensor(Scalar, 300.0))]):
        files = neml2.export(model, "vumat", *[zero] * 4, unit, unit, dt, time, T, (1.0, zero), 4.0, to=tmp_path / f"all{k}")
        table = [("state", "old[0]", "Scalar", 9, 0, 1), ("state", "old[1]", "SR2", 9, 1, 6), ("state", "strain", "SR2", 0, 7, 6),
                 ("property", "c", "number", 10, 0, 1)]  # fmt: skip
        assert variables(files.library, f"all{k}") == table
        found = Vumat(files.library, (4.0,))(
            to_vumat(increment), np.column_stack([number, of_state, before]), stress=to_vumat(stress), step_time=2.0, time=3.0, dt=0.5,
            temperature=temperature, stretch_before=to_vumat(U0), stretch=to_vumat(U1),
        )  # fmt: skip
        by_batch = [tensor(SR2, v) for v in (before + increment, increment, before, stress)]
        gradients = [R2(tensor(SR2, v)) for v in (U1, U0)]
        value, (a, b) = model(
            *by_batch, *gradients, 0.5, 3.0, tensor(Scalar, temperature), (tensor(Scalar, number), tensor(SR2, of_state)), 4.0
        )
        np.testing.assert_allclose(found[0], to_vumat(value.numpy()), rtol=1e-11, atol=1e-11)
        expected = np.column_stack([a.numpy(), b.numpy(), before + increment])
        np.testing.assert_allclose(found[1], expected, rtol=1e-12, atol=1e-14)


def test_any_tensor_may_be_in_the_state(tmp_path):
    """VUMAT rotates nothing."""
    files = neml2.export(
        lambda strain, state: (strain, state), "vumat", tensor(SR2, np.zeros(6)), SSR4.zeros(), to=tmp_path / "stiff"
    )
    old = np.random.default_rng(16).normal(0, 1, (5, 42))
    state = Vumat(files.library, ())(np.zeros((5, 6)), old)[1]
    np.testing.assert_array_equal(state, old)


# ---- Other builds ----


def test_single_precision(tmp_path, monkeypatch):
    """The solver's numbers are float; the formula computes in double."""
    monkeypatch.setenv("CXX", f"{os.environ.get('CXX', 'c++')} -DNEML2_VUMAT_REAL=float")
    files = neml2.export(linear, "vumat", *example(), to=tmp_path / "single")
    increment, old, *_ = (a.astype(np.float32) for a in points(1001, 17))
    found = Vumat(files.library, real=np.float32)(increment, old)
    assert found[0].dtype == np.float32
    strain = old[:, 7:].astype(float) + to_mandel(increment.astype(float))
    stress, state, _ = batch(strain, old[:, :6].astype(float), old[:, 6].astype(float), np.array(PROPS, np.float32).astype(float).tolist())
    np.testing.assert_array_equal(found[0], to_vumat(stress).astype(np.float32))
    np.testing.assert_array_equal(found[1], np.column_stack([state, strain]).astype(np.float32))


@pytest.mark.parametrize("options, capability", [("", "default"), ("-DNEML2_AVX512", "")])
def test_other_instruction_sets(tmp_path, monkeypatch, options, capability):
    """All bits agree without AVX2 and with AVX-512."""
    monkeypatch.setenv("CXX", f"{os.environ.get('CXX', 'c++')} {options}")
    library = neml2.export(linear, "vumat", *example(), to=tmp_path / "other").library
    increment, old, stress, state = points(101, 18)
    for name, a in {"increment": increment, "old": old, "stress": stress, "state": state}.items():
        np.save(tmp_path / f"{name}.npy", a)
    script = (
        f"import sys; sys.path[:0] = {sys.path}\nimport numpy as np, test_export_vumat as t\n"
        f"a = {{n: np.load(f'{tmp_path}/{{n}}.npy') for n in ('increment', 'old', 'stress', 'state')}}\n"
        f"found = t.Vumat({str(library)!r})(a['increment'], a['old'])\n"
        "assert (found[0] == a['stress']).all() and (found[1] == a['state']).all()\n"
    )
    environment = {**os.environ, "ATEN_CPU_CAPABILITY": capability} if capability else os.environ
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_it_needs_no_library(built):
    if sys.platform == "linux":
        script = f"import ctypes; ctypes.CDLL('{built}'); print(open('/proc/self/maps').read())"
        loaded = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True).stdout
        assert built.name in loaded and "torch" not in loaded and "libstdc++" not in loaded


def test_umat_and_vumat_in_one_program(built, tmp_path):
    """Several subroutines of several formulas, compiled without warnings."""
    neml2.export(linear, "umat", *example(), to=tmp_path / "implicit", compile=False)
    neml2.export(lambda strain: 3.0 * strain, "vumat", tensor(SR2, np.zeros(6)), to=tmp_path / "plain", compile=False)
    shutil.copy(built.parent / "linear.cpp", tmp_path)
    cxx = list(neml2._compilers.compiler())
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-const-variable", "-fPIC"]
    for source, name in {"implicit": "", "plain": "-DNEML2_VUMAT_NAME=plain_", "linear": "-DNEML2_VUMAT_NAME=linear_"}.items():
        subprocess.run([*cxx, *flags, *filter(None, [name]), "-c", f"{source}.cpp"], cwd=tmp_path, check=True)
    library = tmp_path / library_name("all")
    subprocess.run([*cxx, "-shared", *(f"{n}.o" for n in ("implicit", "plain", "linear")), "-o", library], cwd=tmp_path, check=True)
    call = Vumat(built)
    call.call = ctypes.CDLL(str(library)).linear_
    increment, old, stress, _ = points(9, 19)
    np.testing.assert_array_equal(call(increment, old)[0], stress)
    call.call = ctypes.CDLL(str(library)).plain_
    np.testing.assert_allclose(call(increment, np.zeros((9, 6)))[0], 3.0 * increment, rtol=1e-15)


# ---- Refused elements and formulas ----


@pytest.mark.parametrize(
    "states, props, ndir, said", [(12, 4, 3, "at least 13 states"), (13, 3, 3, "4 properties"), (13, 4, 2, "3 normal components")]
)
def test_an_element_that_does_not_fit(built, capfd, states, props, ndir, said, tmp_path):
    library = shutil.copy(built, tmp_path / f"lib{states}{props}{ndir}.so")  # it says what is wrong once
    call, old = Vumat(library, (1.0,) * props, ndir=ndir, nshr=1), np.random.default_rng(0).normal(0, 1, (5, states))
    for _ in range(2):
        stress, state = call(np.zeros((5, ndir + 1)), old)
        assert np.isnan(stress).all()
        np.testing.assert_array_equal(state, old)
    found = capfd.readouterr().err
    assert found.startswith("linear: ") and said in found and "(NSTATEV)" in found and found.count("\n") == 1


def test_what_is_refused(tmp_path):
    to = tmp_path / "model"
    check_refused("vumat", "argnums and of are for functions of C; VUMAT has no derivatives", to=to, argnums=0)
    check_refused("vumat", "rotate is for UMAT; the tensors of VUMAT are in a frame that rotates", to=to, rotate=["old.plastic"])
    check_refused(
        "vumat",
        r"no argument is strain, strain_increment or deformation_gradient; the arguments are strain, old, material.*roles=",
        to=to,
        roles={"strain": "props"},
    )
    text = r"returns \(result: Scalar\). Expected the stress, an SR2\."
    check_refused("vumat", text, *example()[:1], function=lambda strain: math.tr(strain), to=to, error=TypeError)
    check_refused("vumat", "strain is a R2. Expected SR2", R2.zeros(), function=lambda strain: SR2(strain), to=to, error=TypeError)
    assert list(tmp_path.iterdir()) == []  # nothing was written


# ---- Fortran ----

FORTRAN = """
subroutine read_array(array, n)
  integer, intent(in) :: n
  real(8), intent(out) :: array(n)
  read (10) array
end subroutine

program solver
  implicit none
  external vumat
  integer, parameter :: points = POINTS, states = 13
  integer :: first, last, nblock, b
  integer :: sizes(5) = [POINTS, 1, 7, 128, 300]
  real(8) :: increment(points, 6), old(points, states), stress(points, 6), state(points, states)
  real(8) :: props(4) = [77d3, 167d3, 250d0, 3d3]
  open (10, file='in', access='stream', form='unformatted')
  call read_array(increment, points * 6)
  call read_array(old, points * states)
  open (20, file='out', access='stream', form='unformatted')
  do b = 1, 5
    do first = 1, points, sizes(b)
      nblock = min(sizes(b), points - first + 1)
      call update(nblock)
    end do
    write (20) stress, state
  end do

contains

  subroutine update(n)
    integer, intent(in) :: n
    real(8) :: density(n), ones(n, 6), zeros(n, 9), energy(n, 2), new_stress(n, 6), new_state(n, states)
    character(80) :: cmname
    cmname = 'LINEAR'
    density = 7.8d-9; ones = 0; ones(:, 1:3) = 1; zeros = 0
    last = first + n - 1
    call vumat(n, 3, 3, states, 0, 4, 0, 1d-3, 1d-3, 1d-6, cmname, zeros, density, props, density, increment(first:last, :), &
               zeros, zeros, ones, zeros, zeros, zeros, old(first:last, :), zeros, zeros, zeros, ones, zeros, zeros, &
               new_stress, new_state, energy(:, 1), energy(:, 2))
    stress(first:last, :) = new_stress
    state(first:last, :) = new_state
  end subroutine
end program
"""


@pytest.mark.skipif(not shutil.which("gfortran"), reason="there is no gfortran")
def test_a_program_of_fortran(built, tmp_path):
    n = 10000
    increment, old, stress, state = points(n)
    (tmp_path / "in").write_bytes(increment.tobytes("F") + old.tobytes("F"))
    (tmp_path / "solver.f90").write_text(FORTRAN.replace("POINTS", str(n)))
    link = ["-L", built.parent, "-llinear", f"-Wl,-rpath,{built.parent}"]
    subprocess.run(["gfortran", "-O1", "solver.f90", *link, "-o", "solver"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "solver"], cwd=tmp_path, check=True)
    for found in np.fromfile(tmp_path / "out").reshape(5, 19, n):
        np.testing.assert_array_equal(found[:6].T, stress)
        np.testing.assert_array_equal(found[6:].T, state)


def test_names_of_the_state(tmp_path):
    """The strain is behind the state of the formula, also where the formula has no state or calls the strain eps."""

    class Two(NamedTuple):
        a: Scalar
        b: SR2

    one, zero = tensor(Scalar, 1.0), tensor(SR2, np.zeros(6))
    files = neml2.export(lambda eps, old: (eps, old), "vumat", zero, Two(one, zero), to=tmp_path / "two", roles={"eps": "strain"})
    found = [v[1:] for v in variables(files.library, "two")]
    assert found == [("old.a", "Scalar", 1, 0, 1), ("old.b", "SR2", 1, 1, 6), ("strain", "SR2", 0, 7, 6)]
    assert "strain                   SR2      STATEV(8:13)" in files.header.read_text()
