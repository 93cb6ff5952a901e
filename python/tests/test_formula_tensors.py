# SPDX-License-Identifier: MIT
"""Formulas of tensors of any base shape, of tables, and with groups: the same as their functions on whole batches."""

import dataclasses
import typing

import pytest
import torch
from formulas_support import same, torches
from operations import values

import neml2
from neml2 import math
from neml2.tensors import SR2, SSR4, Quaternion, R2, Rot, Scalar, Tensor, Vec


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("NEML2_FORMULAS", "interpreter")


def tensor(*sizes, base=1):
    return Tensor(torch.rand(*sizes, dtype=torch.float64) + 0.2, len(sizes) - base)


# ---- Tensors of any base shape ----

OF_TENSORS = {
    "+ - * /": (lambda a, b: (a + 2.0 * b) / (1.0 + a * b) - a, [(5,), (5,)]),
    "broadcast": (lambda a, b: a * b - b / a, [(3, 1), (4,)]),
    "scalars": (lambda a, b: (a * 2.0 - 1.0) ** 2 / math.norm(b), [(5,), (2, 2)]),
    "negate": (lambda a, b: -a - (-b), [(4,), (4,)]),
    "functions": (lambda a, b: math.exp(-a) + math.sin(b) + math.pow(a, 1.5) + math.maximum(a, b), [(2, 3), (2, 3)]),
    "inner": (lambda a, b: math.inner(a, b) + math.norm(a) * math.norm_sq(b), [(2, 3), (2, 3)]),
    "unit": (lambda a, b: math.unit(a) - math.unit(b), [(7,), (7,)]),
    "matrix @ vector": (lambda a, b: a @ b, [(12, 6), (6,)]),
    "matrix @ matrix": (lambda a, b: a @ b, [(2, 3), (3, 4)]),
    "vector @ vector": (lambda a, b: a @ b, [(5,), (5,)]),
    "mv": (lambda a, b: math.mv(a, b), [(4, 3), (3,)]),
    "vdot": (lambda a, b: math.vdot(a, b), [(4,), (4,)]),
    "clamp": (lambda a, b: math.clamp(a, 0.4, 0.8) + b, [(4,), (4,)]),
    "components": (lambda a, b: a(0, 1) * b(2), [(2, 2), (3,)]),
    "base": (lambda a, b: a.base[1] - a.base[..., 0].base[:2].base.unsqueeze(0).base[0, :, None].base[0] * b.base[-1], [(2, 3), (4, 3)]),
    "reshape": (lambda a, b: a.base.reshape(3, 2) @ b.base.transpose(0, 1), [(6,), (5, 2)]),
    "flatten": (lambda a, b: a.base.flatten() + b.base.movedim(0, 1).base.flatten(), [(2, 3), (3, 2)]),
    "stack": (lambda a, b: math.base_stack([a, b, a + b]), [(3,), (3,)]),
    "stack at the end": (lambda a, b: math.base_stack([a, b], -1), [(3,), (3,)]),
    "stack of scalars": (lambda a, b: math.base_stack([a(0), b(1), math.norm(a)]), [(3,), (3,)]),
    "cat": (lambda a, b: math.base_cat([a, b]), [(3,), (2,)]),
    "cat of matrices": (lambda a, b: math.base_cat([a, b]), [(2, 3), (4, 3)]),
    "sum": (lambda a, b: math.base_sum(a, 1) + math.base_mean(b), [(2, 3), (4, 2)]),
    "sum of all": (lambda a, b: math.base_sum(a, (0, 1)) * math.base_sum(b, -1, True), [(2, 3), (4,)]),
    "to a type": (lambda a, b: SR2(a) - SR2(b), [(6,), (6,)]),
    "einsum": (lambda a, b: math.einsum("...ij,...jk->...ki", [a, b]) + math.einsum("...ij,...jk->...", [a, b]), [(2, 3), (3, 2)]),
    "iteration": (lambda a, b: sum(x * y for x, y in zip(a.base, b.base)), [(3,), (3,)]),
}


@pytest.mark.parametrize("name", OF_TENSORS)
@pytest.mark.parametrize("batch", [(), (9,), (2, 70)], ids=str)
def test_a_formula_of_tensors_is_its_function_on_batches(name, batch):
    f, bases = OF_TENSORS[name]
    a = [tensor(*batch, *b, base=len(b)) for b in bases]
    found, expected = neml2.vmap(f, *a), f(*a)
    assert type(found) is type(expected) and found.base.shape == expected.base.shape
    same(found, expected)


@pytest.mark.parametrize("name", OF_TENSORS)
def test_its_gradients_are_exact(name):
    f, bases = OF_TENSORS[name]
    raw = tuple(tensor(2, *b, base=len(b)).torch().requires_grad_() for b in bases)

    def g(*x):
        return tuple(torches(neml2.vmap(f, *(Tensor(y, 1) for y in x))))

    assert torch.autograd.gradcheck(g, raw)
    assert torch.autograd.gradgradcheck(g, raw)


def system(n, columns=None):
    A = Tensor(torch.rand(8, n, n, dtype=torch.float64) + n * torch.eye(n, dtype=torch.float64), 1)
    return A, tensor(8, n) if columns is None else tensor(8, n, columns, base=2)


@pytest.mark.parametrize("n, columns", [(1, None), (4, None), (12, None), (5, 2), (24, None)])
def test_systems(n, columns):
    A, b = system(n, columns)
    x = neml2.vmap(lambda A, b: math.solve(A, b), A, b)
    expected = torch.linalg.solve(A.torch(), b.torch())
    torch.testing.assert_close(x.torch(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("f", [math.det, math.inv, lambda A: math.cholesky(A @ A.base.transpose(0, 1)), math.tr])
def test_matrices(f):
    A = system(4)[0]
    found = neml2.vmap(f, A)
    expected = f(A)
    assert type(found) is type(expected)
    same(found, expected)
    raw = A.torch()[:2].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: neml2.vmap(f, Tensor(x, 1)).torch(), raw)


def test_gradients_of_systems():
    A, b = (t.torch()[:2].clone().requires_grad_() for t in system(4))
    assert torch.autograd.gradcheck(lambda A, b: neml2.vmap(math.solve, Tensor(A, 1), Tensor(b, 1)).torch(), (A, b))


def test_pivots_are_of_each_point():
    A = torch.tensor([[[0.0, 1.0], [1.0, 0.0]], [[1e-20, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 4.0]]], dtype=torch.float64)
    x = neml2.vmap(math.solve, Tensor(A, 1), Tensor(torch.tensor([1.0, 2.0], dtype=torch.float64), 0)).torch()
    torch.testing.assert_close(x[:2], torch.tensor([[2.0, 1.0], [1.0, 1.0]], dtype=torch.float64))
    assert x[2].isnan().all()


def test_slip():
    """Resolved shear stresses of twelve systems, and the plastic strain rate that they cause."""

    def rate(stress, schmid, strength):
        tau = math.base_stack([math.inner(SR2(p), stress) for p in schmid.base])
        slip = math.where(tau > 0.0, tau, 0.5 * tau) / strength
        return SR2(schmid.base.transpose(0, 1) @ slip)

    stress, schmid, strength = SR2(values(SR2, 30)), tensor(12, 6, base=2), tensor(30, 12)
    found = neml2.vmap(rate, stress, schmid, strength)
    tau = stress.torch() @ schmid.torch().T
    expected = torch.where(tau > 0.0, tau, 0.5 * tau) / strength.torch() @ schmid.torch()
    torch.testing.assert_close(found.torch(), expected)
    value, J = neml2.value_and_jacobian(rate, stress, schmid, strength)
    assert type(J) is SSR4 and J.batch.shape == (30,)


def test_unknowns_of_newton():
    A, b = system(5)

    def residual(x, A, b):
        return A @ x + 0.1 * x * x * x - b

    x = neml2.newton(residual, Tensor(torch.zeros(8, 5), 1), A, b)
    assert residual(x, A, b).torch().abs().max() < 1e-13


def test_comparisons_of_components():
    a, b = SR2(values(SR2, 20)), SR2(values(SR2, 20))
    f = lambda a, b: math.where((a > b) & (a > 0.0), a, 2.0 * b)  # noqa: E731
    expected = torch.where((a.torch() > b.torch()) & (a.torch() > 0.0), a.torch(), 2.0 * b.torch())
    assert torch.equal(neml2.vmap(f, a, b).torch(), expected)
    t = tensor(20, 3)
    assert torch.equal(neml2.vmap(lambda t: math.where(t > 0.5, 1.0, 0.0), t).torch(), (t.torch() > 0.5).double())
    assert torch.equal(neml2.vmap(lambda t: math.where(t(0) > 0.5, t, -t), t).torch(), torch.where(t.torch()[:, :1] > 0.5, t.torch(), -t.torch()))


def test_conditions_by_functions():
    a, b = (Scalar(torch.rand(20, dtype=torch.float64)) for _ in range(2))
    for f in (
        lambda a, b: math.where(math.logical_and(math.gt(a, b), math.le(a, 0.8)), a, b),
        lambda a, b: math.where(math.logical_or(math.lt(a, 0.2), math.logical_not(math.ge(b, 0.5))), 1.0, b),
        lambda a, b: math.where(math.logical_xor(math.ne(a, b), a > 0.5), a, b),
        lambda a, b: math.where((a > b) ^ (a > 0.5), math.where(math.eq(a, a), a, 0.0), b),
    ):
        same(neml2.vmap(f, a, b), f(a, b))


@pytest.mark.parametrize("f", [math.expm, math.logm, math.sqrtm, lambda A: math.powm(A, 0.3), math.dexpm], ids="expm logm sqrtm powm dexpm".split())
def test_functions_of_symmetric_tensors(f):
    s = SR2(0.2 * values(SR2, 6)) + SR2.identity(dtype=torch.float64)
    same(neml2.vmap(f, s), f(s), 10)
    raw = s.torch()[:2].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: neml2.vmap(f, SR2(x)).torch(), raw)
    equal = SR2.identity(dtype=torch.float64).batch.expand(2).torch().clone().requires_grad_()
    g = lambda h, x: torch.autograd.grad(h(SR2(x)).torch().sum(), x)[0]  # noqa: E731
    torch.testing.assert_close(g(lambda s: neml2.vmap(f, s), equal), g(f, equal))


MATRICES = [  # equal, defective, complex and almost equal eigenvalues, large and small, almost singular
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[2, 1, 0], [0, 2, 1], [0, 0, 2]],
    [[0.1, -2, 0], [2, 0.1, 0], [0, 0, 1]],
    [[1 + 1e-9, 1e-9, 0], [0, 1, 1e-8], [0, 0, 1]],
    [[30, 2, 0], [1, 50, 3], [0, 2, 40]],
    [[1e-3, 0, 0], [2e-4, 2e-3, 0], [0, 0, 1e-3]],
    [[1, 30, 0], [0, 1, 0], [0, 0, 1e-6]],
    [[1, 1, 1], [1, 1 + 1e-5, 1], [1, 1, 1 + 2e-5]],
]
OF_MATRICES = {"expm": (math.expm, math.dexpm), "logm": (math.logm, math.dlogm), "sqrtm": (math.sqrtm, math.dsqrtm)}


@pytest.mark.parametrize("name", OF_MATRICES)
def test_functions_of_matrices(name):
    f, derivative = OF_MATRICES[name]
    A = R2(torch.cat([torch.tensor(MATRICES, dtype=torch.float64), values(R2, 130)]))
    single = R2(A.torch().float())
    assert torch.equal(neml2.vmap(f, A).torch(), f(A).torch())
    assert torch.equal(neml2.vmap(f, single).torch(), f(single).torch())
    value, by_A = neml2.value_and_jacobian(f, A)
    assert torch.equal(value.torch(), f(A).torch())
    scale = derivative(A).torch().flatten(1).norm(dim=1)[:, None]
    error = (by_A.torch() - derivative(A).torch()).flatten(1).abs() / scale
    assert error.max() < 1e-9
    raw = A.torch()[[0, 1, 2, 9]].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: neml2.vmap(f, R2(x)).torch(), raw)
    assert torch.autograd.gradgradcheck(lambda x: neml2.vmap(f, R2(x)).torch(), raw)


@pytest.mark.parametrize("f", [math.logm, math.sqrtm])
def test_a_matrix_without_function_is_nan_alone(f):
    A = R2(values(R2, 70))
    wrong = A.torch().clone()
    wrong[::3] = -torch.eye(3, dtype=torch.float64)
    found = neml2.vmap(f, R2(wrong.requires_grad_()))
    assert found.torch()[::3].isnan().all()
    kept = torch.ones(70, dtype=torch.bool)
    kept[::3] = False
    assert torch.equal(found.torch()[kept], f(A).torch()[kept])
    (g,) = torch.autograd.grad(found.torch()[kept].sum(), wrong)
    assert g[~kept].eq(0.0).all() and g.isfinite().all()


def test_functions_of_matrices_in_newton():
    """Inverts an exponential map: newton finds the velocity gradient whose exponential is given at each point."""
    F = R2(values(R2, 20))
    found = neml2.newton(lambda L, F: math.expm(L) - F, 0.0 * F, F)
    same(found, math.logm(F), 8)
    same(neml2.vmap(lambda F: math.expm(neml2.newton(lambda L, F: math.expm(L) - F, 0.0 * F, F)), F), F, 8)
    raw = values(R2, 2).requires_grad_()
    solution = lambda x: neml2.vmap(lambda F: neml2.newton(lambda L, F: math.expm(L) - F, 0.0 * F, F), R2(x))  # noqa: E731
    assert torch.autograd.gradcheck(lambda x: solution(x).torch(), raw)


def test_other_functions():
    q, p = (Quaternion(torch.nn.functional.normalize(torch.rand(5, 4, dtype=torch.float64), dim=-1)) for _ in range(2))
    s, A = SR2(values(SR2, 5)), R2(values(R2, 5))
    for f, a in [
        (lambda s, q: s.rotate(q), (s, q)),
        (math.slerp, (q, p, Scalar(torch.rand(5, dtype=torch.float64)))),
        (lambda A: math.row(A, 1) + A.col(2), (A,)),
        (lambda s: math.ieigh(*math.eigh(s)), (s,)),
    ]:
        same(neml2.vmap(f, *a), f(*a), 10)


def refused(f, *a, error=TypeError):
    with pytest.raises(error) as e:
        neml2.vmap(f, *a)
    return str(e.value)


def test_errors():
    a, s = tensor(4, 3), SR2(values(SR2, 4))
    assert "unsupported operand types for * in a formula: 'Tensor' and 'SR2'. Instead of a * b write a * b.tensor()" in refused(lambda a, s: a * s, a, s)
    assert "dlogm: not defined in formulas for R2" in refused(math.dlogm, R2(values(R2, 2)))
    assert "cannot take the base shapes [3] and [4] in a formula" in refused(lambda a, b: a @ b, a, tensor(4, 4))
    assert "Expected a square matrix" in refused(math.det, tensor(4, 2, 3, base=2), error=(TypeError, ValueError))
    assert "cannot take the base shape [3] in a formula. Expected [6]" in refused(lambda a: SR2(a), a)
    assert "index 0 is 3. Expected 0 to 2 of a Tensor" in refused(lambda a: a(3), a, error=IndexError)
    assert "index 1 is -1. Expected 0 to 2 of an SR2" in refused(lambda s: s(0, -1), s, error=IndexError)
    assert "no component of 2 indices" in refused(lambda a: a(0, 1), a)
    assert "it takes conditions" in refused(lambda a: math.logical_and(a, a), a)
    assert "cannot write into tensors" in refused(lambda a: a.base.__setitem__(0, 1.0), a)
    assert "not available for .base" in refused(lambda a: a.base.dance(), a, error=AttributeError)
    assert "1 to 24 unknown numbers, or rows of a matrix, not 30" in refused(math.det, tensor(1, 30, 30, base=2), error=ValueError)
    assert "65536 at most: are batch dimensions among them?" in refused(lambda a: a, Tensor(torch.zeros(1, 70000), 1))
    assert "conditions of a formula have different base shapes" in refused(lambda a, s: math.where((a > 0.0) & (s > 0.0), a, a), a, s)
    with pytest.raises((ValueError, RuntimeError)):
        neml2.vmap(lambda a, b: a + b, a, tensor(4, 2))


def test_another_base_shape_is_another_recording():
    calls = []

    def f(a):
        calls.append(a.base.shape)
        return 2.0 * a

    for n in (3, 4, 3):
        a = tensor(5, n)
        same(neml2.vmap(f, a), 2.0 * a)
    assert calls == [(3,), (4,)]
    assert "Tensor [3]" in neml2.show(f) and "Tensor [4]" in neml2.show(f)


def test_under_transforms_and_modes():
    from torch._subclasses.fake_tensor import FakeTensorMode

    def f(x):
        return neml2.vmap(lambda a: math.base_stack([a(0), a(1) * SR2.identity()(0, 0)]), Tensor(x, x.dim() - 1)).torch()

    x = torch.rand(4, 2, dtype=torch.float64)
    torch.testing.assert_close(torch.func.vmap(f)(x), x)
    torch.testing.assert_close(torch.func.jacrev(lambda x: f(x).sum())(x), torch.ones_like(x))
    with FakeTensorMode():
        assert f(torch.rand(4, 2)).shape == (4, 2)


# ---- Tables ----

T = torch.tensor([20.0, 200.0, 400.0, 600.0], dtype=torch.float64)
E = torch.tensor([210.0, 202.0, 185.0, 160.0], dtype=torch.float64)


@pytest.mark.parametrize("options", [(), ("monotone_cubic",), ("linear", "extrapolate"), ("monotone_cubic", "extrapolate"), ("linear", "nan")])
def test_tables(options):
    x = Scalar(torch.linspace(-100.0, 800.0, 181, dtype=torch.float64))
    expected = math.interpolate(x, T, E, *options)
    same(neml2.vmap(lambda x: math.interpolate(x, T, E, *options), x), expected)
    same(neml2.vmap(lambda x, T, E: math.interpolate(x, T, E, *options), x, Tensor(T, 0), Tensor(E, 0)), expected)
    if options == ("linear", "nan"):
        return
    at = torch.tensor([100.0, 333.0, 700.0], dtype=torch.float64)
    of_table = lambda x, T, E: neml2.vmap(lambda *a: math.interpolate(*a, *options), Scalar(x), Tensor(T, 0), Tensor(E, 0)).torch()  # noqa: E731
    raw = tuple(t.clone().requires_grad_() for t in (at, T, E))
    assert torch.autograd.gradcheck(of_table, raw)
    assert torch.autograd.gradgradcheck(of_table, raw)


def test_tables_by_other_names():
    x = Scalar(torch.linspace(0.0, 700.0, 50, dtype=torch.float64))
    expected = math.interpolate(x, T, E)
    same(math.linear_interpolation(x, T, E), expected)
    same(neml2.vmap(lambda x: math.linear_interpolation(x, T, E), x), expected)
    same(neml2.vmap(lambda x: math.interpolate(x, abscissae=T, ordinates=E, beyond="nan"), x), math.interpolate(x, T, E, beyond="nan"))
    y, z, table = Scalar(torch.rand(50, dtype=torch.float64) * 2.0), torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64), torch.rand(4, 3, dtype=torch.float64)
    expected = math.interpolate(x, y, T, z, table)
    same(math.bilinear_interpolation(x, y, T, z, table), expected)
    same(neml2.vmap(lambda x, y: math.bilinear_interpolation(x, y, T, z, table), x, y), expected)
    same(neml2.vmap(lambda x, y: math.interpolate(x, y, T, z, table, "extrapolate"), x, y), math.interpolate(x, y, T, z, table, "extrapolate"))
    same(neml2.vmap(lambda x, y, v: math.interpolate(x, y, T, z, values=v), x, y, Tensor(table, 0)), expected)


def test_what_is_no_table():
    x = Scalar(torch.rand(3, dtype=torch.float64))
    assert "must be finite and increase strictly" in refused(lambda x: math.interpolate(x, E, T), x, error=ValueError)
    assert "a table has 3 values, and abscissae for 4" in refused(lambda x: math.interpolate(x, T, E[:3]), x, error=ValueError)
    said = refused(lambda x: math.interpolate(x, x, T, T.flip(0), torch.rand(4, 4)), x, error=ValueError)
    assert "must be finite and increase strictly" in said and "These are the y_abscissae of 4 points from" in said
    assert "in a formula the values of a table have 1 base dimensions. Expected 2" in refused(lambda x: math.interpolate(x, x, T, T, T), x)
    assert "interpolate() got an unexpected keyword argument 'kind'" in refused(lambda x: math.interpolate(x, T, E, kind="linear"), x)
    assert "the abscissae of a table are 1. Expected at least two points" in refused(lambda x: math.interpolate(x, T[:1], E[:1]), x, error=ValueError)
    assert "'cubic' is not one of" in refused(lambda x: math.interpolate(x, T, E, "cubic"), x, error=ValueError)
    assert "the value looked up is a Vec" in refused(lambda v: math.interpolate(v, T, E), Vec(values(Vec, 2)))
    nan = neml2.vmap(lambda x, T: math.interpolate(x, T, E), x, Tensor(torch.stack([T, T.flip(0), T]), 1)).torch()
    assert nan.isnan().tolist() == [False, True, False]


# ---- Groups in value_and_jacobian ----


class State(typing.NamedTuple):
    strain: SR2
    p: Scalar


@dataclasses.dataclass
class Material:
    C: SSR4
    n: float


def update(strain, state, material):
    stress = material.C * (strain - state.strain)
    p = state.p + math.pow(math.norm(stress), material.n)
    return {"stress": stress, "state": State(0.5 * strain, p)}


def update_arguments():
    C = SSR4.isotropic_E_nu(2.0, 0.3, dtype=torch.float64)
    return SR2(values(SR2, 7)), State(SR2(values(SR2, 7)), Scalar(values(Scalar, 7))), Material(C, 1.5)


def test_the_results_that_are_named_are_differentiated():
    strain, state, material = update_arguments()
    value, J = neml2.value_and_jacobian(update, strain, state, material, of="stress")
    same(value["stress"], update(strain, state, material)["stress"])
    same(value["state"].p, update(strain, state, material)["state"].p)
    same(J, material.C.batch.expand(7))
    for of in (1, "state"):
        dstrain, dp = neml2.value_and_jacobian(update, strain, state, material, of=of)[1]
        same(dstrain, 0.5 * SSR4.identity_sym(dtype=torch.float64))
        assert type(dp) is SR2
    for of in (3, "strain", 1.5):
        with pytest.raises(TypeError, match="Expected places or names of the results: stress, state.strain, state.p"):
            neml2.value_and_jacobian(update, strain, state, material, of=of)
    same(neml2.value_and_jacobian(math.dev, strain, of=0)[1], SSR4.identity_dev(dtype=torch.float64))


def test_the_jacobian_by_a_group_is_such_a_group():
    strain, state, material = update_arguments()
    value, (by_state, by_material) = neml2.value_and_jacobian(update, strain, state, material, argnums=(1, 2), of="stress")
    assert type(by_state) is State and type(by_material) is Material and by_material.n is None
    same(by_state.strain, -1.0 * material.C.batch.expand(7))
    assert by_state.p.torch().eq(0.0).all()
    assert by_material.C.base.shape == (6, 6, 6)
    with pytest.raises(TypeError, match="argument 1 of argnums is a plain number"):
        neml2.value_and_jacobian(lambda s, n: s * n, strain, 2.0, argnums=1)
    with pytest.raises(TypeError, match="argnums is 3. Expected the places of tensors among the 2 arguments, or their names: s, n"):
        neml2.value_and_jacobian(lambda s, n: s * n, strain, 2.0, argnums=3)


def test_on_whole_batches_jacobians_are_the_same():
    strain, state, material = update_arguments()
    grads = strain.torch().clone().requires_grad_()
    value, J = neml2.value_and_jacobian(update, SR2(grads), state, material, of=("stress", 1))
    expected = neml2.value_and_jacobian(update, strain, state, material, of=("stress", 1))[1]
    for a, b in zip(J, expected, strict=True):
        same(a, b)


def test_rotations_are_built():
    s = Scalar(torch.rand(4, dtype=torch.float64))
    q = neml2.vmap(lambda s: Quaternion.fill(s, 2.0 * s, 0.1, -s), s)
    same(q, Quaternion(torch.stack([s.torch(), 2.0 * s.torch(), 0.1 + 0.0 * s.torch(), -s.torch()], -1)))
    assert type(neml2.vmap(lambda s: Rot.fill(s, s, s), s)) is Rot
    assert type(neml2.vmap(lambda s: R2.fill(s), s)) is R2


def test_tensors_without_components_have_results_without():
    matrices = neml2.Tensor(torch.zeros(3, 0, 0, dtype=torch.float64), 1)
    vectors = neml2.Tensor(torch.zeros(3, 0, dtype=torch.float64), 1)
    assert neml2.vmap(lambda a: math.tr(a), matrices).torch().tolist() == [0, 0, 0]
    assert neml2.vmap(lambda a: math.norm(a), vectors).torch().tolist() == [0, 0, 0]
    for f in (lambda a: a + a, lambda a: 2 * a, lambda a: -a):
        assert neml2.vmap(f, vectors).shape == (3, 0)
        assert neml2.vmap(f, matrices).shape == (3, 0, 0)
    with pytest.raises(ValueError, match="det: in a formula there may be 1 to 24 unknown numbers, or rows"):
        neml2.vmap(lambda a: math.det(a), matrices)


@pytest.mark.parametrize("cls", ["R5", "R8", "SFR4", "WFR4", "SSSSR8", "MillerIndex"])
def test_types_without_kernels_have_arithmetic_in_formulas(cls):
    t = getattr(neml2.tensors, cls)
    a, b = (t(torch.rand(2, *t.zeros().base.shape, dtype=torch.float64) + 0.5) for _ in range(2))
    k = Scalar(torch.rand(2, dtype=torch.float64))
    for f in (lambda x, y, k: x + y - 2.0 * x, lambda x, y, k: -x / y, lambda x, y, k: k * x + y / k, lambda x, y, k: x * k - 1.0):
        same(neml2.vmap(f, a, b, k), f(a, b, k))
    with pytest.raises(TypeError, match=r"unsupported operand types for \* in a formula"):
        neml2.vmap(lambda x, y: x * y, a, b)


def test_the_stiffness_acts_on_any_second_order_tensor():
    C, A = SSR4(torch.rand(2, 6, 6, dtype=torch.float64)), R2(torch.rand(2, 3, 3, dtype=torch.float64))
    same(neml2.vmap(lambda C, A: C * A, C, A), C * A)
    with pytest.raises(TypeError, match="unsupported operand types for @"):
        neml2.vmap(lambda a: a @ 2.0, Scalar(torch.rand(2)))
