# SPDX-License-Identifier: MIT
"""Exported formulas, called from C and as UMAT, compared with the batch."""

import ctypes
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
from export_support import YIELD, G, H, K, P, ROOT, State, batch, check_refused, example, linear, norton, random_states, tensor, variables

import neml2
from neml2 import R2, SR2, SSR4, WR2, Scalar, Vec, math
from neml2._compilers import library_name

pytestmark = pytest.mark.skipif(not neml2._compilers.compiler(), reason="there is no C++ compiler")

ORDER = [0, 1, 2, 5, 4, 3]


class Umat:
    """Calls UMAT as a solver does, with arrays that it may write."""

    def __init__(self, library, n_states, props, ndi=3, nshr=3):
        self.call = ctypes.CDLL(str(library)).umat_
        n = ndi + nshr
        self.n, self.sizes = n, [ctypes.c_int(k) for k in (ndi, nshr, n, n_states, len(props))]
        self.stress, self.statev, self.ddsdde = np.zeros(n), np.zeros(n_states), np.zeros((n, n), order="F")
        self.props, self.pnewdt = np.array(props, dtype=float), np.ones(1)
        self.F0, self.F1 = np.eye(3), np.eye(3)

    def __call__(self, strain, increment=None, rotation=None, dt=1.0, time=(0.0, 0.0), temperature=(0.0, 0.0)):
        increment = np.zeros(self.n) if increment is None else increment
        spare = np.zeros(36)
        strain, increment = np.ascontiguousarray(strain), np.ascontiguousarray(increment)
        rotation = np.asfortranarray(np.eye(3) if rotation is None else rotation)
        self.F0, self.F1 = np.asfortranarray(self.F0), np.asfortranarray(self.F1)
        scalars = [np.array(v, dtype=float) for v in (time, [dt], temperature[:1], temperature[1:])]
        arrays = [self.stress, self.statev, self.ddsdde, *[spare] * 7, strain, increment, *scalars, spare, spare]
        integers = [ctypes.byref(k) for k in self.sizes]
        as_pointers = [a.ctypes.data_as(P) for a in arrays]
        rest = [spare, rotation, self.pnewdt, spare, self.F0, self.F1]
        self.call(*as_pointers, b"MODEL".ljust(80), *integers[:4], self.props.ctypes.data_as(P), integers[4],
                  *[a.ctypes.data_as(P) for a in rest], *[ctypes.byref(ctypes.c_int(1))] * 6)  # fmt: skip
        return self.stress.copy(), self.statev.copy(), self.ddsdde.copy()


def to_umat(mandel, shear=1.0):
    """Mandel components in UMAT's order, with shears times `shear`."""
    return (mandel / ROOT * np.array([1, 1, 1, shear, shear, shear]))[..., ORDER]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    place = tmp_path_factory.mktemp("exported")
    neml2.export(linear, "umat", *example(), to=place / "linear")
    neml2.export(linear, "c", *example(), to=place / "linear_c", argnums=(0, 1), of=0)
    return place


def test_umat_is_the_batch(built):
    n = 10000
    strain, plastic, alpha = random_states(n)
    # Shears of strains as the solver holds them, so that both see the same numbers.
    voigt = to_umat(strain, 2.0)
    strain = (voigt[:, ORDER] / np.array([1, 1, 1, 2, 2, 2])) * ROOT
    stress, state, tangent = batch(strain, plastic, alpha)
    call = Umat(built / library_name("linear"), 7, (G, K, YIELD, H))
    worst = 0.0
    for i in range(n):
        call.statev[:] = [*plastic[i], alpha[i]]
        s, now, C = call(voigt[i])
        expected = to_umat(stress[i]), (tangent[i] / np.outer(ROOT, ROOT))[np.ix_(ORDER, ORDER)]
        worst = max(worst, abs(s - expected[0]).max() / 1e3, abs(now - state[i]).max(), abs(C - expected[1]).max() / G)
    assert worst < 1e-14
    assert call.pnewdt == 1.0
    assert (state[:, 6] > alpha).sum() > 1000 and (state[:, 6] == alpha).sum() > 100  # both branches


def test_the_strain_is_that_at_the_end_of_the_increment(built):
    a, b = np.array([1e-3, -4e-4, 2e-4, 3e-4, -1e-4, 2e-4]), np.array([3e-4, 1e-4, 0, -2e-4, 5e-4, 1e-4])
    one, other = (Umat(built / library_name("linear"), 7, (G, K, YIELD, H)) for _ in range(2))
    for x, y in zip(one(a, b), other(a + b)):
        np.testing.assert_array_equal(x, y)


def test_plane_strain_has_four_components(built):
    strain = np.array([2e-3, -1e-3, 0, 1e-3])
    flat, full = Umat(built / library_name("linear"), 7, (G, K, YIELD, H), nshr=1), Umat(built / library_name("linear"), 7, (G, K, YIELD, H))
    (s, state, C), (s3, state3, C3) = flat(strain), full(np.array([*strain, 0, 0]))
    np.testing.assert_array_equal(s, s3[:4])
    np.testing.assert_array_equal(state, state3)
    np.testing.assert_array_equal(C, C3[:4, :4])


def test_drot_turns_the_tensors_of_the_state(built):
    axis = np.array([1, 2, 3]) / 14**0.5
    W = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    R = np.eye(3) + np.sin(0.3) * W + (1 - np.cos(0.3)) * W @ W
    strain, plastic, alpha = (a[0] for a in random_states(1))
    turned = math.rotate(tensor(SR2, plastic), tensor(R2, R)).numpy()
    a, b = (Umat(built / library_name("linear"), 7, (G, K, YIELD, H)) for _ in range(2))
    a.statev[:], b.statev[:] = [*plastic, alpha], [*turned, alpha]
    for x, y in zip(a(to_umat(strain, 2.0), rotation=R), b(to_umat(strain, 2.0))):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14)


def test_types_that_drot_turns(tmp_path):
    class Many(NamedTuple):
        n: Vec
        w: WR2
        F: R2
        a: Scalar

    def hold(strain, state):
        return strain * (1.0 + 0.0 * state.a), state

    values = Many(tensor(Vec, [1, 2, 3]), tensor(WR2, [0.1, 0.2, 0.3]), tensor(R2, np.arange(1, 10).reshape(3, 3)), tensor(Scalar, 2))
    files = neml2.export(hold, "umat", tensor(SR2, np.zeros(6)), values, to=tmp_path / "hold")
    R = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    call = Umat(files.library, 16, ())
    start = np.concatenate([v.numpy().ravel() for v in values])
    call.statev[:] = start
    found = call(np.zeros(6), rotation=R)[1]
    expected = np.concatenate([*(math.rotate(v, tensor(R2, R)).numpy().ravel() for v in values[:3]), [2.0]])
    np.testing.assert_allclose(found, expected, atol=1e-15)
    files = neml2.export(hold, "umat", tensor(SR2, np.zeros(6)), values, to=tmp_path / "hold", rotate=["state.w"])
    # A loaded library cannot be replaced, so the copy has another name.
    shutil.copy(files.library, tmp_path / "libagain.so")
    call = Umat(tmp_path / "libagain.so", 16, ())
    call.statev[:] = start
    found = call(np.zeros(6), rotation=R)[1]
    np.testing.assert_allclose(found, [*start[:3], *expected[3:6], *start[6:]], atol=1e-15)


def test_where_newton_does_not_converge_the_step_is_halved(tmp_path):
    def never(x, strain):
        return x * x + 1.0 + math.norm(strain)

    def model(strain, state):
        return strain * neml2.newton(never, 1.0, strain), state + 1.0

    files = neml2.export(model, "umat", tensor(SR2, np.zeros(6)), tensor(Scalar, 0.0), to=tmp_path / "never", roles={"state": "state"})
    call = Umat(files.library, 1, ())
    call.stress[:], call.ddsdde[:] = 7.0, 8.0
    stress, state, C = call(np.full(6, 1e-3))
    assert call.pnewdt == 0.5 and (stress == 7).all() and state == 0 and (C == 8).all()
    call.pnewdt[:] = 0.25  # set by another point
    call(np.full(6, 1e-3))
    assert call.pnewdt == 0.25


def test_what_a_solver_passes(tmp_path):
    def model(
        strain_increment, strain_before, stress_before, deformation_gradient, deformation_gradient_before, time_step, time, temperature, c
    ):
        s = stress_before + c * strain_increment + 2.0 * strain_before
        return (
            s + time_step * math.sym(deformation_gradient) + time * math.sym(deformation_gradient_before) + temperature * c * SR2.identity()
        )

    rng = np.random.default_rng(1)
    d, e, s = (rng.normal(0, 1, 6) for _ in range(3))
    F0, F1 = (np.eye(3) + rng.normal(0, 0.1, (3, 3)) for _ in range(2))
    numbers = [tensor(SR2, v) for v in (d, e, s)] + [tensor(R2, F1), tensor(R2, F0)] + [tensor(Scalar, v) for v in (0.5, 3.0, 310.0)]
    files = neml2.export(model, "umat", *numbers, 4.0, to=tmp_path / "all")
    call = Umat(files.library, 0, (4.0,))
    call.stress[:], call.F0, call.F1 = to_umat(s), F0, F1
    stress, _, C = call(to_umat(e, 2.0), to_umat(d, 2.0), dt=0.5, time=(9.0, 2.5), temperature=(300.0, 10.0))
    value, J = neml2.value_and_jacobian(model, *numbers, 4.0)
    np.testing.assert_allclose(stress, to_umat(value.numpy()), rtol=1e-14)
    np.testing.assert_allclose(C, (J.numpy() / np.outer(ROOT, ROOT))[np.ix_(ORDER, ORDER)], atol=1e-14)


@pytest.mark.parametrize(
    "n_states, props, ndi, said", [(6, 4, 3, "at least 7 states"), (7, 3, 3, "4 properties"), (7, 4, 2, "3 normal components")]
)
def test_an_element_that_does_not_fit(built, capfd, n_states, props, ndi, said, tmp_path):
    library = shutil.copy(built / library_name("linear"), tmp_path / f"lib{n_states}{props}{ndi}.so")  # it says what is wrong once
    call = Umat(library, n_states, (1.0,) * props, ndi=ndi, nshr=1)
    stress, state, C = call(np.zeros(ndi + 1))
    assert np.isnan(stress).all() and np.isnan(C).all() and (state == 0).all()
    call(np.zeros(ndi + 1))
    found = capfd.readouterr().err
    assert found.startswith("linear: ") and said in found and found.count("\n") == 1


# ---- C ----


def pointers(*arrays):
    return [a.ctypes.data_as(P) for a in arrays]


def test_functions_of_c_are_the_batch(built):
    n = 1000
    strain, plastic, alpha = random_states(n, 3)
    old, material = np.column_stack([plastic, alpha]), np.array([G, K, YIELD, H])
    lib = ctypes.CDLL(str(built / library_name("linear_c")))
    stress, state, C, by_plastic, by_alpha = np.zeros((n, 6)), np.zeros((n, 7)), np.zeros((n, 36)), np.zeros((n, 36)), np.zeros((n, 6))
    assert lib.linear_c(ctypes.c_ssize_t(n), *pointers(strain, old, material, stress, state)) == 0
    (s, new), (J, of_state) = neml2.value_and_jacobian(
        linear, tensor(SR2, strain), State(tensor(SR2, plastic), tensor(Scalar, alpha)), (G, K, YIELD, H), argnums=(0, 1), of=0
    )
    np.testing.assert_array_equal(stress, s.numpy())
    np.testing.assert_array_equal(state, np.column_stack([new.plastic.numpy(), new.alpha.numpy()]))
    strain[7] = np.nan
    assert lib.linear_c_jacobian(ctypes.c_ssize_t(n), *pointers(strain, old, material, stress, state, C, by_plastic, by_alpha)) == 1
    there = np.arange(n) != 7
    np.testing.assert_array_equal(stress[there], s.numpy()[there])
    np.testing.assert_array_equal(C.reshape(n, 6, 6)[there], J.numpy()[there])
    np.testing.assert_array_equal(by_plastic.reshape(n, 6, 6)[there], of_state.plastic.numpy()[there])
    np.testing.assert_array_equal(by_alpha[there], of_state.alpha.numpy()[there])


@dataclass
class Material:
    G: float
    K: float

    def stress(self, strain):
        return 3.0 * self.K * math.vol(strain) + 2.0 * self.G * math.dev(strain)

    @neml2.formula
    def formula(self, strain):
        return self.stress(strain)


class Configured:
    """No group: its numbers are constants."""

    factor = 3.0

    def stress(self, strain):
        return self.factor * strain


def test_methods(tmp_path):
    """The object of a method is an argument if it is a group of numbers."""
    strain, twice = tensor(SR2, [1e-3, 0, 0, 0, 0, 0]), tensor(SR2, [0, 1, 0, 0, 0, 0])
    for k, method in enumerate((Material(2.0, 3.0).stress, Material(2.0, 3.0).formula)):
        files = neml2.export(method, "umat", strain, to=tmp_path / "new" / f"method{k}")
        assert variables(files.library, f"method{k}") == [("property", f"self.{n}", "number", 0, p, 1) for p, n in enumerate("GK")]
        found = Umat(files.library, 0, (4.0, 5.0))(np.array([1.0, 0, 0, 0, 0, 0]))[0]
        np.testing.assert_allclose(found, to_umat(Material(4.0, 5.0).stress(tensor(SR2, [1, 0, 0, 0, 0, 0])).numpy()), atol=1e-14)
    files = neml2.export(Configured().stress, "c", twice, to=tmp_path / "constant")
    y = np.zeros(6)
    assert ctypes.CDLL(str(files.library)).constant(ctypes.c_ssize_t(1), *pointers(twice.numpy(), y)) == 0
    np.testing.assert_array_equal(y, 3.0 * twice.numpy())


def test_names_that_c_does_not_have(tmp_path):
    """Keywords, other alphabets, the same name twice, and names that end a comment."""

    def model(double, σ, y, double_):
        return {"double": double + 1.0, '*/ "a\\': σ * y, "___a_": σ + double_}

    one = tensor(Scalar, 2.0)
    files = neml2.export(model, "c", one, one, 3.0, 0.5, to=tmp_path / "names")
    names = [v[1] for v in variables(files.library, "names")]
    assert names == ["double", "argument_1", "y", "double_", "double", '*/ "a\\', "___a_"]
    results = [np.zeros(1) for _ in range(3)]
    assert (
        ctypes.CDLL(str(files.library)).names(
            ctypes.c_ssize_t(1), *pointers(one.numpy(), one.numpy(), np.array([3.0]), np.array([0.5]), *results)
        )
        == 0
    )
    assert [r[0] for r in results] == [3.0, 6.0, 2.5]
    (tmp_path / "main.c").write_text('#include "names.h"\n')
    subprocess.run([*neml2._compilers.compiler(), "-x", "c", "-Wall", "-Werror", "-c", "main.c"], cwd=tmp_path, check=True)


def test_names_of_the_source_and_of_macros(tmp_path):
    def model(Value, Derivatives, compute_point, linux, unix, ptrdiff_t, size_t, NULL, EOF, I):  # noqa: E741
        return {"NAN": Value + Derivatives + compute_point + linux + unix + ptrdiff_t + size_t + NULL + EOF + I}

    one = tensor(Scalar, 1.0)
    files = neml2.export(model, "c", *[one] * 10, to=tmp_path / "taken", argnums="Value")
    y, d = np.zeros(1), np.zeros(1)
    rows = [np.array([float(k)]) for k in range(10)]
    assert ctypes.CDLL(str(files.library)).taken_jacobian(ctypes.c_ssize_t(1), *pointers(*rows, y, d)) == 0 and (y, d) == (45.0, 1.0)
    (tmp_path / "main.c").write_text('#include <complex.h>\n#include <math.h>\n#include <stdio.h>\n#include "taken.h"\n')
    compiler = neml2._compilers.compiler()  # linux and unix are macros in its GNU modes
    subprocess.run([*compiler, "-std=gnu++17", "-fsyntax-only", files.source], check=True)
    subprocess.run([*compiler, "-x", "c", "-std=gnu11", "-Werror", "-fsyntax-only", "main.c"], cwd=tmp_path, check=True)


def test_arguments_without_numbers_and_numbers_of_numpy(tmp_path):
    """None carries nothing: the function of C has no parameter for it."""

    def model(a, nothing, b, c):
        assert nothing is None
        return a * b + c[0]

    one = tensor(Scalar, 1.0)
    files = neml2.export(model, "c", one, None, np.int64(2), (np.float32(3), None), to=tmp_path / "none", argnums=0)
    assert [v[1:4] for v in variables(files.library, "none")[:3]] == [("a", "Scalar", 0), ("b", "number", 2), ("c[0]", "number", 3)]
    y = np.zeros(1)
    assert ctypes.CDLL(str(files.library)).none(ctypes.c_ssize_t(1), *pointers(*(np.array([v]) for v in (5.0, 4.0, 3.0)), y)) == 0
    assert y == 23.0
    law = lambda strain, state, E, nu: (E * strain, state)  # noqa: E731
    files = neml2.export(law, "umat", tensor(SR2, np.zeros(6)), None, np.int64(2), None, to=tmp_path / "law")
    np.testing.assert_array_equal(Umat(files.library, 0, (2.0,))([1.0, 0, 0, 0, 0, 0])[0], [2.0, 0, 0, 0, 0, 0])


def test_threads(built):
    n, results = 2000, {}
    strain, plastic, alpha = random_states(n, 5)
    old, material = np.column_stack([plastic, alpha]), np.array([G, K, YIELD, H])
    lib = ctypes.CDLL(str(built / library_name("linear_c")))

    def work(k):
        stress, state = np.zeros((n, 6)), np.zeros((n, 7))
        for _ in range(20):
            lib.linear_c(ctypes.c_ssize_t(n), *pointers(strain, old, material, stress, state))
        results[k] = stress

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    expected = batch(strain, plastic, alpha)[0]
    for found in results.values():
        np.testing.assert_array_equal(found, expected)


def test_a_host_asks_for_names_and_sizes(built):
    assert variables(built / library_name("linear"), "linear") == [
        ("state", "old.plastic", "SR2", 1, 0, 6),
        ("state", "old.alpha", "Scalar", 1, 6, 1),
        *(("property", f"material[{k}]", "number", 2, k, 1) for k in range(4)),
    ]
    found = variables(built / library_name("linear_c"), "linear_c")
    assert [v[0] for v in found] == ["argument"] * 7 + ["result"] * 3 + ["derivative"] * 3
    assert found[-3:] == [("derivative", "result_0 by strain", "SSR4", 0, 0, 36), ("derivative", "result_0 by old.plastic", "SSR4", 1, 36, 36),
                          ("derivative", "result_0 by old.alpha", "SR2", 1, 72, 6)]  # fmt: skip


def test_it_needs_no_library(built):
    """Not even the library of C++."""
    for name in (library_name("linear"), library_name("linear_c")):
        script = f"import ctypes; ctypes.CDLL('{built / name}'); print(open('/proc/self/maps').read())"
        if sys.platform == "linux":
            loaded = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True).stdout
            assert name in loaded and "torch" not in loaded and "libstdc++" not in loaded


def test_sources_of_two_models_in_one_program_of_c(built, tmp_path):
    """Compiled by the user, and called from C."""

    def energy(strain, material):
        return 0.5 * material.k * math.inner(strain, strain), math.exp(material.k)

    class Material(NamedTuple):
        k: Scalar

    one = Material(tensor(Scalar, 2.0))
    neml2.export(energy, "c", tensor(SR2, np.zeros(6)), one, to=tmp_path / "energy", argnums=0, of=0, compile=False)
    assert not (tmp_path / library_name("energy")).exists()
    for suffix in (".cpp", ".h"):
        shutil.copy(built / f"linear_c{suffix}", tmp_path)
    (tmp_path / "main.c").write_text(
        '#include "energy.h"\n#include "linear_c.h"\n#include <stdio.h>\n'
        "int main(void)\n{\n  double e[6] = {1e-3, 0, 0, 0, 0, 0}, k = 4, w, other, d[6], old[7] = {0}, m[4] = {77e3, 167e3, 250, 3e3}, s[6], now[7];\n"
        "  if (energy_jacobian(1, e, &k, &w, &other, d) || linear_c(1, e, old, m, s, now)) return 1;\n"
        '  printf("%.17g %.17g %.17g\\n", w, d[0], s[0]);\n  return 0;\n}\n'
    )
    cxx = list(neml2._compilers.compiler())
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-const-variable"]
    for source in ("energy.cpp", "linear_c.cpp"):
        subprocess.run([*cxx, *flags, "-c", source], cwd=tmp_path, check=True)
    subprocess.run([*cxx, "-x", "c", "-c", "main.c"], cwd=tmp_path, check=True)
    subprocess.run([*cxx, "main.o", "energy.o", "linear_c.o", "-o", "main"], cwd=tmp_path, check=True)
    w, d, s = map(float, subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout.split())
    assert (w, d) == (2e-6, 4e-3)
    assert s == batch(np.array([[1e-3, 0, 0, 0, 0, 0]]), np.zeros((1, 6)), np.zeros(1))[0][0, 0]


def test_newton_and_powers(tmp_path):
    """Elementary functions are the C library's: the last bits may differ, and newton does not amplify the difference."""
    n = 300
    strain, plastic, alpha = random_states(n, 8)
    old = State(tensor(SR2, plastic), tensor(Scalar, alpha))
    (stress, state), J = neml2.value_and_jacobian(norton, tensor(SR2, strain), tensor(Scalar, np.full(n, 0.5)), old, 1e-3, 4.0, of=0)
    files = neml2.export(
        norton,
        "umat",
        tensor(SR2, strain[0]),
        tensor(Scalar, 0.5),
        State(tensor(SR2, plastic[0]), tensor(Scalar, 0.0)),
        1e-3,
        4.0,
        to=tmp_path / "norton",
    )
    call = Umat(files.library, 7, (1e-3, 4.0))
    for i in range(n):
        call.statev[:] = [*plastic[i], alpha[i]]
        s, now, C = call(to_umat(strain[i], 2.0), dt=0.5)
        np.testing.assert_allclose(s, to_umat(stress.numpy()[i]), rtol=1e-9, atol=1e-7)
        np.testing.assert_allclose(C, (J.numpy()[i] / np.outer(ROOT, ROOT))[np.ix_(ORDER, ORDER)], rtol=1e-7, atol=1e-3)
    assert call.pnewdt == 1.0


FORTRAN = """
program solver
  implicit none
  external umat
  real(8) :: stress(6), statev(7), ddsdde(6, 6), spare(36), stran(6), dstran(6), time(2), drot(3, 3), props(4), pnewdt
  integer :: i
  character(80) :: cmname
  cmname = 'LINEAR'
  stress = 0; statev = 0; stran = 0; time = 0; spare = 0; pnewdt = 1
  drot = reshape([1d0, 0d0, 0d0, 0d0, 1d0, 0d0, 0d0, 0d0, 1d0], [3, 3])
  dstran = [1d-3, -4d-4, -4d-4, 5d-4, 0d0, 1d-4]
  props = [77d3, 167d3, 250d0, 3d3]
  do i = 1, 5
    call umat(stress, statev, ddsdde, spare, spare, spare, spare, spare, spare, spare, stran, dstran, time, 1d0, 0d0, 0d0, &
              spare, spare, cmname, 3, 3, 6, 7, props, 4, spare, drot, pnewdt, 1d0, drot, drot, 1, 1, 1, 1, 1, i)
    stran = stran + dstran
  end do
  print '(6es25.17)', stress
  print '(6es25.17)', ddsdde
end program
"""


@pytest.mark.skipif(not shutil.which("gfortran"), reason="there is no gfortran")
def test_a_program_of_fortran(built, tmp_path):
    (tmp_path / "solver.f90").write_text(FORTRAN)
    subprocess.run(["gfortran", "solver.f90", "-L", built, "-llinear", f"-Wl,-rpath,{built}", "-o", "solver"], cwd=tmp_path, check=True)
    found = np.array(subprocess.run([tmp_path / "solver"], capture_output=True, text=True, check=True).stdout.split(), dtype=float)
    call = Umat(built / library_name("linear"), 7, (G, K, YIELD, H))
    increment = np.array([1e-3, -4e-4, -4e-4, 5e-4, 0, 1e-4])
    strain = np.zeros(6)
    for _ in range(5):
        stress, _, C = call(strain, increment)
        strain = strain + increment
    np.testing.assert_allclose(found[:6], stress, rtol=1e-14)
    np.testing.assert_allclose(found[6:].reshape(6, 6).T, C, rtol=1e-12, atol=1e-9)


# ---- Refused formulas and options ----


def test_what_is_refused(tmp_path):
    to = tmp_path / "model"
    check_refused("uel", "the kind is 'uel'. Expected one of c, umat, vumat", to=to)
    check_refused("c", "the name of the files is 'a-b'", to=tmp_path / "a-b")
    check_refused("c", "roles and rotate are for UMAT and VUMAT", to=to, roles={"strain": "strain"})
    check_refused("c", "roles and rotate are for UMAT and VUMAT", to=to, rotate=False)
    check_refused("umat", "argnums and of are for functions of C", to=to, argnums=0)
    check_refused("umat", r"0 arguments are strain or strain_increment.*roles=", to=to, roles={"strain": "props"})
    check_refused("umat", "roles names 'eps'. The arguments of the formula are strain, old, material", to=to, roles={"eps": "strain"})
    check_refused("umat", "the role of old is 'statev'. Expected one of strain", to=to, roles={"old": "statev"})
    check_refused("umat", "more than one argument is the state", to=to, roles={"material": "state"})
    check_refused(
        "umat",
        r"returns \(result_0: SR2, result_1.plastic: SR2, result_1.alpha: Scalar\). Expected the stress, an SR2\.",
        to=to,
        roles={"old": "props"},
        error=TypeError,
    )
    check_refused("umat", "rotate names 'x'. The tensors of the state are old.plastic", to=to, rotate=["x"])
    strain, old, material = example()
    check_refused(
        "c", "strain is torch.float32 on cpu. Expected float64", SR2.zeros(dtype=torch.float32), old, material, to=to, error=TypeError
    )
    check_refused(
        "c",
        "strain is a torch.Tensor. Expected a tensor of this library or a number",
        torch.zeros(6),
        old,
        material,
        to=to,
        error=TypeError,
    )
    check_refused("umat", "material is a Scalar. Expected SR2, as it is strain", strain, tensor(Scalar, 1.0), function=lambda eps, material: eps * material,
                  to=to, roles={"material": "strain", "eps": "props"}, error=TypeError)  # fmt: skip

    def turning(strain, state):
        return strain, state

    stiff = SSR4.zeros(dtype=torch.float64)
    check_refused("umat", "state is a SSR4, which DROT does not turn", strain, stiff, function=turning, to=to, error=TypeError)
    assert list(tmp_path.iterdir()) == []  # nothing was written


def test_names_that_files_cannot_have(tmp_path):
    names = ("int", "exp", "neml2", "export", "Value", "Derivatives", "linux", "unix", "ptrdiff_t", "size_t", "NULL", "EOF", "offsetof")
    for name in (*names, *(("abort", "write") if sys.platform == "linux" else ())):
        check_refused("c", f"the name of the files is '{name}', which C, its library or the source has", to=tmp_path / name)


def test_arguments_of_umat_that_are_refused(tmp_path):
    strain, old, material = example()
    one = tensor(Scalar, 1.0)
    check_refused("umat", "temperature is a group. Expected Scalar", strain, (one, one), function=lambda strain, temperature: strain, to=tmp_path / "m", error=TypeError)  # fmt: skip
    check_refused("c", "argnums is None. Name the arguments", to=tmp_path / "m", of=0)
    other = lambda strain, state: (strain, {"b": state["a"]})  # noqa: E731
    check_refused("umat", r"returns \(.*\['b'\]: Scalar\). Expected the stress, an SR2, and a group like the state \(\['a'\]: Scalar\)", strain, {"a": one}, function=other, to=tmp_path / "m", error=TypeError)  # fmt: skip


def test_states_go_by_their_names(tmp_path):
    """Also where a dict that is returned has another order; plain numbers of a state are tensors."""

    def model(strain, state):
        return 2.0 * strain, {"b": state["b"] + 10.0, "a": state["a"] + 1.0}

    files = neml2.export(model, "umat", tensor(SR2, np.zeros(6)), {"a": tensor(Scalar, 0.0), "b": 0.0}, to=tmp_path / "names")
    assert [v[1:3] for v in variables(files.library, "names")] == [("state['a']", "Scalar"), ("state['b']", "Scalar")]
    call = Umat(files.library, 2, ())
    for k in range(1, 4):
        assert call(np.zeros(6))[1].tolist() == [k, 10 * k]


def test_a_umat_without_state_and_properties(tmp_path):
    files = neml2.export(lambda strain: 3.0 * strain, "umat", tensor(SR2, np.zeros(6)), to=tmp_path / "plain")
    assert variables(files.library, "plain") == []
    np.testing.assert_allclose(Umat(files.library, 0, ())(np.ones(6))[0], [3.0, 3.0, 3.0, 1.5, 1.5, 1.5], rtol=1e-15)


def test_rows_of_arguments_with_numbers(tmp_path):
    """An argument of plain numbers alone is one row for all points; any other has one row per point."""

    def model(x, mixed, shared):
        return x * mixed[0] + mixed[1] * shared[0] + shared[1]

    one = tensor(Scalar, 1.0)
    files = neml2.export(model, "c", one, (one, 2.0), (3.0, 4.0), to=tmp_path / "rows")
    assert files.header.read_text().count("shared by all points") == 2
    y = np.zeros(2)
    rows = np.array([5.0, 6.0]), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([7.0, 8.0])
    assert ctypes.CDLL(str(files.library)).rows(ctypes.c_ssize_t(2), *pointers(*rows, y)) == 0
    assert y.tolist() == [5 * 1 + 2 * 7 + 8, 6 * 3 + 4 * 7 + 8]


def test_derivatives_have_names(tmp_path):
    one = tensor(Scalar, 1.0)
    files = neml2.export(
        lambda a, b, c: (a * b[0], {"z": a * b[1], "w": a * c}), "c", one, (one, one), 3.0, to=tmp_path / "d", argnums=("b", 0), of=1
    )
    found = [v[1] for v in variables(files.library, "d") if v[0] == "derivative"]
    assert found == [f"result_1['{r}'] by {x}" for r in "zw" for x in ("b[0]", "b[1]", "a")]
    results = [np.zeros(n) for n in (1, 2, 1, 1, 1, 1, 1, 1)]
    values = np.array([2.0]), np.array([5.0, 7.0]), np.array([3.0])
    assert ctypes.CDLL(str(files.library)).d_jacobian(ctypes.c_ssize_t(1), *pointers(*values, *results)) == 0
    assert [r[0] for r in results[2:]] == [0.0, 2.0, 7.0, 0.0, 0.0, 3.0]
    assert "double * d_result_1_w_d_a" in files.header.read_text()


def test_files_of_others_are_kept(tmp_path):
    theirs = tmp_path / "model.h"
    theirs.write_text("int theirs;\n")
    check_refused("c", "model.h exists, and was not exported", to=tmp_path / "model", error=FileExistsError)
    assert theirs.read_text() == "int theirs;\n" and [p.name for p in tmp_path.iterdir()] == ["model.h"]
    theirs.unlink()
    (tmp_path / "model.cpp").write_text("// model calls model: exported by neml2\n")  # a file of the user, with the mark only in a comment
    check_refused("c", "model.cpp exists, and was not exported", to=tmp_path / "model", error=FileExistsError)
    (tmp_path / "model.cpp").unlink()
    for _ in range(2):  # exported files are replaced
        files = neml2.export(linear, "c", *example(), to=tmp_path / "model", compile=False)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.cpp", "model.h"] and files.library is None


@pytest.mark.parametrize(
    "platform, name", [("linux", "libvoce.so"), ("darwin", "libvoce.dylib"), ("win32", "voce.dll"), ("cygwin", "voce.dll")]
)
def test_names_of_libraries(platform, name):
    assert library_name("voce", platform) == name


def test_libraries_of_other_systems(tmp_path, monkeypatch):
    """The library has the name of its system, and a second export overwrites it."""
    monkeypatch.setattr(neml2._compilers, "library_name", lambda name: library_name(name, "darwin"))
    for _ in range(2):
        files = neml2.export(linear, "c", *example(), to=tmp_path / "model")
        assert files.library == tmp_path / "libmodel.dylib" and files.library.exists()
    files.library.write_bytes(b"theirs")
    check_refused("c", "libmodel.dylib exists, and was not exported", to=tmp_path / "model", error=FileExistsError)


def test_a_compiler_that_fails(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", f"{sys.executable} -c 'import+sys;sys.exit(1)'")
    with pytest.raises(RuntimeError, match="export: the compiler failed"):
        neml2.export(linear, "c", *example(), to=tmp_path / "model")
    assert (tmp_path / "model.cpp").exists() and not (tmp_path / library_name("model")).exists()
    monkeypatch.setenv("CXX", "env true")
    with pytest.raises(RuntimeError, match="export: .*env true .*reported no error, but did not write .*Set CXX to a C\\+\\+ compiler"):
        neml2.export(linear, "c", *example(), to=tmp_path / "model")
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(RuntimeError, match="there is no C\\+\\+ compiler: set CXX"):
        neml2.export(linear, "c", *example(), to=tmp_path / "model")
    assert isinstance(tmp_path, Path)
