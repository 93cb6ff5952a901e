# SPDX-License-Identifier: MIT
"""Results of formulas written to existing tensors: the keyword out."""

import dataclasses
import typing

import pytest
import torch
from formulas_support import FORMULAS, energy, j2
from formulas_support import arguments as of_types

import neml2
from neml2 import math
from neml2.tensors import R2, SR2, SSR4, MillerIndex, Scalar, Tensor, TensorBase, Vec

f64 = torch.float64
flatten = neml2._C.recording.flatten


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("NEML2_FORMULAS", "interpreter")


def torches(results):
    return [x.torch() for x in flatten(results)[0] if isinstance(x, TensorBase)]


def fresh(x):
    """A tensor like x, full of a number that no formula here returns."""
    if not isinstance(x, TensorBase):
        return x
    t = torch.full_like(x.torch(), 4711.0)
    return Tensor(t, x.batch.dim()) if type(x) is Tensor else type(x)(t)


def existing(results):
    leaves, together = flatten(results)
    return together([fresh(x) for x in leaves])


def same(found, expected):
    for x, y in zip(torches(found), torches(expected), strict=True):
        assert x.shape == y.shape and x.dtype == y.dtype
        assert torch.equal(x.nan_to_num(1e99), y.nan_to_num(1e99))


class State(typing.NamedTuple):
    plastic: SR2
    p: Scalar


@dataclasses.dataclass
class Result:
    stress: SR2
    state: State
    more: dict


def strains(*batch, dtype=f64):
    torch.manual_seed(7)
    return SR2(0.01 * torch.randn(*batch, 6, dtype=f64).to(dtype))


def step(strain, state, G):
    trial = 2.0 * G * math.dev(strain - state.plastic)
    dp = 0.1 * math.norm(trial)
    new = State(state.plastic + 0.001 * trial, state.p + dp)
    return Result(trial, new, {"energy": 0.5 * math.inner(trial, strain), "pair": [math.tr(strain), strain * 2.0]})


def arguments(*batch, dtype=f64):
    return strains(*batch, dtype=dtype), State(0.1 * strains(*batch, dtype=dtype), Scalar(torch.rand(batch, dtype=dtype))), 70.0


# ---- Values ----


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_the_results_are_bitwise_those_without_out(name):
    formula, types = FORMULAS[name]
    x = of_types(types, 37)
    expected = neml2.vmap(formula, *x)
    out = existing(expected)
    assert neml2.vmap(formula, *x, out=out) is out
    same(out, expected)


@pytest.mark.parametrize("batch", [(), (0,), (1,), (3,), (1000,), (4, 5), (2, 0)])
def test_every_batch_shape(batch):
    x = arguments(*batch)
    expected = neml2.vmap(step, *x)
    out = existing(expected)
    neml2.vmap(step, *x, out=out)
    same(out, expected)
    assert type(out) is Result and type(out.state) is State


def test_batches_broadcast_to_the_shape_of_out():
    a, b = SR2(torch.rand(4, 1, 6, dtype=f64)), Scalar(torch.rand(5, dtype=f64))
    out = SR2(torch.empty(4, 5, 6, dtype=f64))
    neml2.vmap(lambda a, b: a * b, a, b, out=out)
    same(out, a * b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_other_dtypes(dtype):
    x = arguments(20, dtype=dtype)
    expected = neml2.vmap(step, *x)
    out = existing(expected)
    neml2.vmap(step, *x, out=out)
    same(out, expected)


def test_a_miller_index_stays_one_of_integers():
    m = MillerIndex(torch.tensor([[1, 2, 3], [4, 5, 6]]))
    out = MillerIndex(torch.zeros(2, 3, dtype=torch.int64))
    neml2.vmap(lambda m: m, m, out=out)
    same(out, m)


def test_an_output_may_be_an_argument():
    x = arguments(100)
    expected = neml2.vmap(lambda e, s: State(s.plastic + e, s.p * 2.0), x[0], x[1])
    place = x[1].plastic.torch().data_ptr()
    neml2.vmap(lambda e, s: State(s.plastic + e, s.p * 2.0), x[0], x[1], out=x[1])
    same(x[1], expected)
    assert x[1].plastic.torch().data_ptr() == place


def test_outputs_may_be_columns_of_one_tensor_and_have_the_components_first():
    x = arguments(50)
    expected = neml2.vmap(step, *x)
    memory = torch.zeros(50, 40, dtype=f64)
    first = torch.zeros(6, 50, dtype=f64)
    out = Result(
        SR2(memory[:, 0:6]),
        State(SR2(first.movedim(0, -1)), Scalar(memory[:, 7])),
        {"energy": Scalar(memory[:, 9]), "pair": [Scalar(memory[:, 8]), SR2(memory[:, 30:36])]},
    )
    neml2.vmap(step, *x, out=out)
    same(out, expected)
    assert torch.equal(first.T, expected.state.plastic.torch())
    assert (memory[:, 10:30] == 0).all() and (memory[:, 36:] == 0).all()


def test_a_row_of_nan_stays_alone():
    x = arguments(9)
    x[0].torch()[4] = float("nan")
    out = existing(neml2.vmap(step, *x))
    neml2.vmap(step, *x, out=out)
    same(out, neml2.vmap(step, *x))
    assert out.stress.torch().isnan().any(-1).nonzero().flatten().tolist() == [4]


# ---- All ways to call ----


def test_decorated_formulas_and_methods():
    @neml2.formula
    def double(x):
        return 2.0 * x

    class Model:
        factor = 3.0

        @neml2.formula
        def __call__(self, x):
            return self.factor * x

    x, out = strains(8), SR2(torch.zeros(8, 6, dtype=f64))
    assert double(x, out=out) is out
    same(out, 2.0 * x)
    assert double(x=x, out=out) is out
    assert Model()(x, out=out) is out
    same(out, 3.0 * x)
    double.clear()
    assert neml2.vmap(double, x, out=out) is out


def test_value_and_jacobian():
    C = SSR4.isotropic_E_nu(200.0, 0.3, dtype=f64)
    e, plastic, p = strains(30), 0.1 * strains(30), Scalar(torch.rand(30, dtype=f64))
    for choice in (
        {},
        {"argnums": (0, 2)},
        {"argnums": "strain", "of": 1},
        {"argnums": [1], "of": (0, 1)},
    ):
        expected = neml2.value_and_jacobian(j2, e, plastic, p, C, **choice)
        out = existing(expected)
        assert neml2.value_and_jacobian(j2, e, plastic, p, C, **choice, out=out) is out
        same(out, expected)
        assert neml2.formula(j2).value_and_jacobian(e, plastic, p, C, **choice, out=out) is out


def test_the_jacobian_by_a_group_has_none_for_numbers():
    e, state, G = arguments(6)
    f = lambda e, s: s[0].plastic * s[1] + e  # noqa: E731
    expected = neml2.value_and_jacobian(f, e, (state, 2.0), argnums=1)
    leaves, together = flatten(expected)
    out = together([fresh(x) for x in leaves])
    assert out[1][1] is None
    neml2.value_and_jacobian(f, e, (state, 2.0), argnums=1, out=out)
    same(out, expected)


def test_gradient_hessian_and_jacobian():
    C = SR2(R2(torch.eye(3, dtype=f64) + 0.1 * torch.rand(20, 3, 3, dtype=f64)))
    for derivative, f in (
        (neml2.gradient, energy),
        (neml2.hessian, energy),
        (neml2.value_and_gradient, energy),
        (neml2.jacobian, lambda C, mu, K: mu * C * K),
    ):
        expected = derivative(f, C, 3.0, 5.0)
        out = existing(expected)
        assert derivative(f, C, 3.0, 5.0, out=out) is out
        same(out, expected)


def test_a_parameter_named_out_is_the_parameter():
    x = strains(4)
    same(neml2.vmap(lambda x, out: x * out, x, out=Scalar(torch.full((4,), 3.0, dtype=f64))), 3.0 * x)


def test_autograd_notices_that_a_saved_tensor_was_overwritten():
    x = torch.rand(3, 6, dtype=f64)
    a = Scalar(torch.rand(3, dtype=f64).requires_grad_())
    y = a * SR2(x)
    with torch.no_grad():
        neml2.vmap(lambda s: 2.0 * s, SR2(torch.rand(3, 6, dtype=f64)), out=SR2(x))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.torch().sum().backward()


def test_arguments_that_require_grad_are_written_without_grad():
    x = SR2(torch.rand(3, 6, dtype=f64).requires_grad_())
    out = SR2(torch.zeros(3, 6, dtype=f64))
    with torch.no_grad():
        neml2.vmap(lambda s: 2.0 * s, x, out=out)
    same(out, SR2(2.0 * x.torch().detach()))


# ---- Refusals; nothing is written ----


def refused(out, match, f=lambda e, s: (e + s.plastic, s), error=TypeError, **choice):
    e, state, _ = arguments(5)
    before = [t.clone() for t in torches(out)] if not isinstance(out, torch.Tensor) else []
    with pytest.raises(error, match=match):
        neml2.vmap(f, e, state, out=out, **choice)
    if before:
        for t, b in zip(torches(out), before, strict=True):
            assert torch.equal(t, b)


def zeros(cls, *shape, dtype=f64):
    return cls(torch.zeros(*shape, dtype=dtype))


def test_out_of_another_structure_or_type_is_refused():
    e, s, p = zeros(SR2, 5, 6), zeros(SR2, 5, 6), zeros(Scalar, 5)
    expected = r"Expected existing tensors in the form of the result: \(SR2, State\(plastic=SR2, p=Scalar\)\)"
    refused(e, "vmap: out is an SR2. " + expected)
    refused((e, s, p), "vmap: out is a tuple with other members than the result. " + expected)
    refused([e, State(s, p)], "vmap: out is a list with other members")
    refused((e, (s, p)), expected)
    refused(torch.zeros(5, 6), "vmap: out is a torch.Tensor. Expected")
    refused((e, State(zeros(Vec, 5, 3), p)), r"vmap: out\[1\].plastic is a Vec. Expected an SR2")
    refused((e, State(s, torch.zeros(5))), r"vmap: out\[1\].p is a torch.Tensor. Expected a Scalar")
    refused((e, State(s, 1.0)), r"vmap: out\[1\].p is a float. Expected a Scalar")
    refused(None, "out is a NoneType. Expected")


def test_a_tensor_of_another_base_shape_is_refused():
    x = Tensor(torch.rand(5, 4, dtype=f64), 1)
    with pytest.raises(TypeError, match=r"out is a Tensor of base shape \[3\]. Expected a Tensor of base shape \[4\]"):
        neml2.vmap(lambda x: 2.0 * x, x, out=Tensor(torch.zeros(5, 3, dtype=f64), 1))


def test_out_that_does_not_fit_is_refused():
    one = lambda e, s: e + s.plastic  # noqa: E731
    refused(zeros(SR2, 4, 6), r"does not have the result's batch shape \[5\]", one, ValueError)
    refused(zeros(SR2, 6), r"does not have the result's batch shape \[5\]", one, ValueError)
    refused(zeros(SR2, 5, 6, dtype=torch.float32), "dtype", one, ValueError)
    refused(SR2(torch.zeros(1, 6, dtype=f64).expand(5, 6)), "overlaps itself", one, ValueError)
    refused(SR2(torch.zeros(5, 6, dtype=f64).requires_grad_()), r"torch.no_grad\(\)", one, ValueError)
    same_twice = zeros(SR2, 5, 6)
    refused((same_twice, State(same_twice, zeros(Scalar, 5))), "may share memory", error=ValueError)


def test_out_that_shares_a_part_of_an_argument_is_refused():
    memory = torch.rand(6, 6, dtype=f64)
    with pytest.raises(ValueError, match="may share memory with the argument"):
        neml2.vmap(lambda x: 2.0 * x, SR2(memory[:-1]), out=SR2(memory[1:]))


def test_arguments_that_require_grad_are_refused():
    out = zeros(SR2, 3, 6)
    with pytest.raises(ValueError, match=r"requires grad, and writing to an existing tensor records no gradient.*torch.no_grad\(\)"):
        neml2.vmap(lambda x: 2.0 * x, SR2(torch.rand(3, 6, dtype=f64).requires_grad_()), out=out)
    assert (out.torch() == 0).all()


def test_out_in_a_formula_is_refused():
    x, out = strains(3), zeros(SR2, 3, 6)
    double = neml2.formula(lambda x: 2.0 * x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        neml2.vmap(lambda x: double(x, out=out), x)
    for derivative in (neml2.gradient, neml2.value_and_gradient, neml2.hessian):
        with pytest.raises(TypeError, match=f"{derivative.__name__}: out was given in a formula"):
            neml2.vmap(lambda x, d=derivative: d(lambda y: math.norm_sq(y), x, out=out), x)
    for derivative in (neml2.jacobian, neml2.value_and_jacobian):
        with pytest.raises(TypeError, match=f"{derivative.__name__}: out was given in a formula"):
            neml2.vmap(lambda x, d=derivative: d(lambda y: 2.0 * y, x, out=out), x)


def test_transforms_and_forward_mode_are_refused():
    out = zeros(SR2, 3, 6)
    f = lambda x: neml2.vmap(lambda s: 2.0 * s, SR2(x), out=out).torch()  # noqa: E731
    message = "vmap: out was given, but writing to existing tensors has no derivatives of forward mode"
    x = torch.rand(3, 6, dtype=f64)
    with pytest.raises(ValueError, match=message):
        torch.func.jvp(f, (x,), (x,))
    with torch.autograd.forward_ad.dual_level(), pytest.raises(ValueError, match=message):
        f(torch.autograd.forward_ad.make_dual(x, x))
    assert (out.torch() == 0).all()


def test_integers_give_results_of_float64():
    n = Scalar(torch.tensor([1, 2, 3]))
    expected = neml2.vmap(lambda x: 0.5 * x, n)
    out = Scalar.empty(3, dtype=f64)
    neml2.vmap(lambda x: 0.5 * x, n, out=out)
    same(out, expected)
    integers = Scalar(torch.zeros(3, dtype=torch.int64))
    with pytest.raises(ValueError, match="is of dtype int64. Expected float64"):
        neml2.vmap(lambda x: 0.5 * x, n, out=integers)
    with pytest.raises(ValueError, match="is of dtype int64. Expected float64"):
        neml2.value_and_jacobian(lambda x: 0.5 * x, n, out=(Scalar.empty(3, dtype=f64), integers))
    assert integers.torch().eq(0).all()


def test_a_miller_index_is_one_of_integers_only_if_its_numbers_stay_integers():
    m = MillerIndex(torch.tensor([3, 5, 7]))
    whole = neml2.vmap(lambda x: math.where(x > 4.0, 2 * x - x, math.maximum(-x, -3)), m)
    assert whole.torch().dtype == torch.int64 and whole.torch().tolist() == [-3, 5, 7]
    for f in (lambda x: math.exp(math.log(x)), lambda x: math.maximum(x, 3.5), lambda x: math.sqrt(x)):
        found = neml2.vmap(f, m).torch()
        assert found.dtype == f64
        torch.testing.assert_close(found, f(MillerIndex(m.torch().double())).torch())
    with pytest.raises(ValueError, match="is of dtype int64. Expected float64"):
        neml2.vmap(lambda x: 0.5 * x, m, out=MillerIndex(torch.zeros(3, dtype=torch.int64)))
    assert neml2.vmap(lambda x: math.where(x > 4.0, x, math.maximum(x, 1e300)), m).torch().dtype == f64
    one, expanded = MillerIndex(torch.zeros(3, dtype=torch.int64)), MillerIndex(torch.zeros(1, dtype=torch.int64).expand(3))
    for out in ((one, one), (one, expanded)):
        with pytest.raises(ValueError, match="may share memory with another output, or overlaps itself"):
            neml2.vmap(lambda x: (2 * x, 3 * x), m, out=out)
        assert one.torch().eq(0).all()
