# SPDX-License-Identifier: MIT
"""Formulas, recorded and interpreted: they give the same results as their functions on whole batches."""

import dataclasses
import gc
import math as numbers
import operator
import os
import threading
import typing
import weakref

import numpy
import pytest
import torch
from formulas_support import FORMULAS, IN_FORMULAS, arguments, j2, outcome, random_formulas, same, torches
from hypothesis import given, settings
from operations import values
from support import FIXED, name, run

import neml2
from neml2 import math
from neml2._C import recording
from neml2.tensors import R2, SR2, SSR4, Quaternion, Rot, Scalar, TensorBase, Vec

C = SSR4.isotropic_E_nu(200.0, 0.3, dtype=torch.float64)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("NEML2_FORMULAS", "interpreter")


# ---- Every operation ----


def torches_or_numbers(x):
    return list(x) if isinstance(x, (tuple, list)) else [x]


@pytest.mark.parametrize("row", IN_FORMULAS, ids=lambda row: row.name)
def test_every_operation_is_as_on_batches_or_says_that_it_is_not_there(row):
    raw = row.arguments(5)
    found = outcome(row, raw)
    if isinstance(found, str):
        assert "formula" in found, found
        return
    expected = row.call(*(t(x) for t, x in zip(row.types, raw)))
    if isinstance(expected, (int, tuple, list)) and not any(isinstance(x, TensorBase) for x in torches_or_numbers(expected)):
        assert [x.torch().unique().tolist() for x in torches_or_numbers(found)] == [[x] for x in torches_or_numbers(expected)]
        return  # such as the shape, which a formula returns as numbers
    if isinstance(found, tuple):
        assert [type(x) for x in found] == [type(x) for x in expected]
    else:
        assert type(found) is type(expected)
    same(found, expected, 9)


def test_most_operations_of_numbers_and_tensors_are_there():
    there = [r.name for r in IN_FORMULAS if not isinstance(outcome(r, r.arguments(2)), str)]
    assert len(there) > 250, sorted(there)


OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "negate": operator.neg}
NAMES = {"inv": "inverse", "solve": "solve"}


def function_of(name, types):
    """A function of neml2.math, or of a type, as users write it."""
    if name in OPERATORS:
        return OPERATORS[name]
    name = NAMES.get(name, name)
    places = [math, *types, SSR4, *FIXED]
    return next((getattr(p, name) for p in places if hasattr(p, name)), None)


VOCABULARY = [(name, types) for name, types in recording.vocabulary() if function_of(name, types)]


@pytest.mark.parametrize("operation, types", VOCABULARY, ids=lambda x: x if isinstance(x, str) else "-".join(map(name, x)))
def test_the_gradients_of_every_function_are_those_of_batches(operation, types):
    f = function_of(operation, types)
    a = arguments(types, 4, grad=True)
    b = [t(x.torch().detach().requires_grad_()) for t, x in zip(types, a)]
    try:
        expected = torches(f(*b))
    except TypeError:
        pytest.fail(f"{operation} is not there on batches of {types}")
    weights = [torch.rand_like(x) for x in expected]
    found = torches(neml2.vmap(f, *a))
    for x, y in zip(found, expected, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-10, atol=1e-10)
    if not any(x.requires_grad for x in expected):
        return

    def gradients(results, of):
        return torch.autograd.grad(results, [x.torch() for x in of], weights, allow_unused=True, materialize_grads=True)

    for x, y in zip(gradients(found, a), gradients(expected, b)):
        torch.testing.assert_close(x, y, rtol=1e-8, atol=1e-8)


# ---- Formulas ----


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("batch", [(), (0,), (1,), (7,), (64,), (3, 45), (1000,)], ids=str)
def test_a_formula_is_its_function_on_batches(formula, batch):
    f, types = FORMULAS[formula]
    a = arguments(types, *batch)
    found, expected = neml2.vmap(f, *a), f(*a)
    assert type(found) is type(expected)
    same(found, expected)


@pytest.mark.parametrize("formula", FORMULAS)
def test_its_gradients_are_exact(formula):
    f, types = FORMULAS[formula]
    raw = tuple(values(t, 2).requires_grad_() for t in types)

    def g(*x):
        return tuple(torches(neml2.vmap(f, *(t(y) for t, y in zip(types, x)))))

    assert torch.autograd.gradcheck(g, raw)
    assert torch.autograd.gradgradcheck(g, raw)


@pytest.mark.parametrize("formula", FORMULAS)
def test_its_jacobians_are_those_of_autograd(formula):
    f, types = FORMULAS[formula]
    a = arguments(types, 3)
    for k in range(len(types)):

        def one(x, k=k):
            return torches(f(*a[:k], types[k](x), *a[k + 1 :]))[0]

        value, jacobian = neml2.value_and_jacobian(f, *a, argnums=k)
        same(value, f(*a))
        jacobian = jacobian[0] if isinstance(jacobian, tuple) else jacobian
        full = torch.autograd.functional.jacobian(one, a[k].torch())  # (3, y, 3, x)
        y = jacobian.base.dim() - a[k].base.dim()
        expected = torch.stack([full[i].select(y, i) for i in range(3)])
        torch.testing.assert_close(jacobian.torch(), expected, rtol=1e-10, atol=1e-10)


def test_jacobians_of_several_results_by_several_arguments():
    a = arguments((SR2, SR2, Scalar, SSR4), 6)
    (stress, p), (ds_de, ds_dp, dp_de, dp_dp) = neml2.value_and_jacobian(j2, *a, argnums=(0, 2))
    assert [type(x) for x in (stress, p, ds_de, ds_dp, dp_de, dp_dp)] == [SR2, Scalar, SSR4, SR2, SR2, Scalar]
    assert ds_de.batch.shape == (6,)


def test_a_jacobian_has_a_gradient():
    C = arguments((SSR4,), 2)[0]
    e = values(SR2, 2)

    def tangent(x, y):
        return neml2.value_and_jacobian(lambda e, C: math.norm(C * e) * e, SR2(x), SSR4(y))[1].torch()

    assert torch.autograd.gradcheck(tangent, (e.requires_grad_(), C.torch().requires_grad_()))


def test_batches_broadcast():
    e = SR2(values(SR2, 4, 1))
    s = Scalar(values(Scalar, 5))
    f = lambda a, b: a * b  # noqa: E731
    assert neml2.vmap(f, e, s).batch.shape == (4, 5)
    same(neml2.vmap(f, e, s), e * s)
    same(neml2.vmap(f, SR2(e.torch().expand(4, 5, 6)), s), e * s)
    with pytest.raises(ValueError, match="(?s)vmap.*4.*3"):
        neml2.vmap(f, e.batch[:, 0], Scalar(values(Scalar, 3)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dtypes(dtype):
    e = SR2(values(SR2, 10).to(dtype))
    found = neml2.vmap(lambda e: math.dev(e) * 2.0, e)
    assert found.dtype == dtype
    same(found, math.dev(e) * 2.0, 6)


def test_layouts():
    e = SR2(values(SR2, 6, 10).transpose(0, 1))
    f = FORMULAS["j2"][0]
    rest = arguments((SR2, Scalar, SSR4), 1, 6)
    same(neml2.vmap(f, e, *rest), f(e, *rest))
    columns = SR2(torch.rand(6, 100).mT)
    same(neml2.vmap(math.dev, columns), math.dev(columns))


def test_rows_do_not_depend_on_their_neighbours():
    a = arguments((SR2, SR2, Scalar, SSR4), 150)
    whole = torches(neml2.vmap(j2, *a))
    bad = SR2(a[0].torch().clone())
    bad.torch()[::3] = float("nan")
    bad.torch()[1::3] = float("inf")
    beside = torches(neml2.vmap(j2, bad, *a[1:]))
    for i in (2, 65, 149):
        alone = torches(neml2.vmap(j2, *(x.batch[i : i + 1] for x in a)))
        for x, y, z in zip(whole, alone, beside):
            assert torch.equal(x[i], y[0]) and torch.equal(x[i], z[i])


@given(random_formulas())
@settings(max_examples=int(os.environ.get("NEML2_RANDOM_FORMULAS", 300)))
def test_random_formulas(f):
    torch.manual_seed(1)
    raw = [2 * torch.rand(9, *FIXED[t]) - 1 for t in (Scalar, Vec, SR2, R2)]
    a, b = ([t(x.clone().requires_grad_()) for t, x in zip((Scalar, Vec, SR2, R2), raw)] for _ in range(2))
    found, expected = neml2.vmap(f, *a), f(*b)
    same(found, expected, 8)

    def gradients(results, of):
        total = sum((t * torch.linspace(0.5, 1.0, t.numel()).reshape(t.shape)).sum() for t in torches(results))
        return torch.autograd.grad(total, [t.torch() for t in of], allow_unused=True, materialize_grads=True)

    for x, y in zip(gradients(found, a), gradients(expected, b)):
        torch.testing.assert_close(x, y, rtol=1e-7, atol=1e-7)


# ---- Groups ----


class State(typing.NamedTuple):
    stress: SR2
    p: Scalar


@dataclasses.dataclass
class Material:
    C: SSR4
    hardening: float


def test_groups_go_in_and_out():
    def update(state, material, strain):
        stress = state.stress + material.C * strain
        return State(stress, state.p + material.hardening * math.norm(strain)), {"trace": math.tr(stress)}

    state = State(*arguments((SR2, Scalar), 5))
    strain = SR2(values(SR2, 5))
    new, more = neml2.vmap(update, state, Material(C, 2.0), strain)
    assert type(new) is State and list(more) == ["trace"]
    same(new.stress, state.stress + C * strain)
    same(new.p, state.p + 2.0 * math.norm(strain))
    same(more["trace"], math.tr(new.stress))


def test_a_list_stays_a_list_and_nothing_else_is_a_group():
    v = Vec(values(Vec, 3))
    found = neml2.vmap(lambda v: [v, [v(0), 1.0]], v)
    assert type(found) is list and type(found[1][1]) is Scalar and found[1][1].batch.shape == (3,)
    with pytest.raises(TypeError, match="vmap: an argument is a complex"):
        neml2.vmap(lambda v, s: v, v, 1j)
    with pytest.raises(TypeError, match=r"vmap: an argument is a torch.Tensor \(s\[0\]\), which does not say which of its dimensions are"):
        neml2.vmap(lambda v, s: v, v, [v.torch()])


def test_arguments_by_name():
    s = Scalar(values(Scalar, 3))

    def f(x, factor=2.0, offset=0.0):
        return x * factor + offset

    same(neml2.vmap(f, s, offset=s), 2.0 * s + s)
    same(neml2.vmap(f, x=s, factor=3.0), 3.0 * s)
    with pytest.raises(TypeError, match="missing a required argument"):
        neml2.vmap(f, factor=s)
    with pytest.raises(TypeError, match="none may be keyword-only"):
        neml2.vmap(lambda x, *, k: x * k, s, k=2.0)


# ---- Numbers ----


def test_a_number_is_an_argument_and_is_not_recorded_again():
    calls = []

    def f(s, n):
        calls.append(n)
        return math.pow(s, n)

    s = Scalar(values(Scalar, 5))
    for n in (2.0, 3, 0.5):
        same(neml2.vmap(f, s, n), math.pow(s, n))
    assert len(calls) == 1


def test_constants_of_a_formula():
    s = SR2(values(SR2, 5))
    two = torch.tensor(2.0).item()
    same(neml2.vmap(lambda s: s + two * SR2.identity(dtype=torch.float64, device="cpu"), s), s + 2.0 * SR2.identity(dtype=torch.float64, device="cpu"))
    with pytest.raises(TypeError, match="batch dimensions.*Pass it as an argument"):
        neml2.vmap(lambda x: x + s, s)
    with pytest.raises(TypeError, match="requires a gradient.*Pass it as an argument"):
        neml2.vmap(lambda x: SSR4(C.torch().clone().requires_grad_()) * x, s)


def test_functions_of_plain_numbers_are_constants_of_a_formula():
    s = Scalar(values(Scalar, 5))
    same(neml2.vmap(lambda x: math.sqrt(2.0) * x + math.maximum(1.0, math.e) * math.pi, s), 2.0**0.5 * s + numbers.e * numbers.pi)
    calls = []

    def f(x):
        calls.append((math.exp(1.0), math.where(True, 1.0, 2.0), math.gt(2.0, 1.0)))
        return math.where(math.gt(2.0, 1.0), x, 0.0) - math.where(False, x, 1.0) + math.where(numpy.bool_(True), 3.0, x)

    same(neml2.vmap(f, s), s + 2.0)
    assert [type(c) for c in calls[0]] == [float, float, bool]
    same(f(s), s + 2.0)
    with pytest.raises(TypeError, match="where: in a formula its arguments are a condition"):
        neml2.vmap(lambda x: math.where(x, x, 1.0), s)


scale = 2.0


def test_a_global_or_a_variable_with_another_value_is_seen():
    global scale
    s = Scalar(values(Scalar, 3))
    f = lambda x: x * scale  # noqa: E731
    same(neml2.vmap(f, s), 2.0 * s)
    scale = 3.0
    same(neml2.vmap(f, s), 3.0 * s)
    scale = 2.0

    k = 4.0

    @neml2.formula
    def g(x):
        return x * k

    same(g(s), 4.0 * s)
    k = 5.0
    same(g(s), 5.0 * s)


def test_a_function_called_by_a_formula_is_looked_into():
    global helper
    s = Scalar(values(Scalar, 3))

    def f(x):
        return helper(x)

    helper = lambda x: x + 1.0  # noqa: E731
    same(neml2.vmap(f, s), s + 1.0)
    helper = lambda x: x + 2.0  # noqa: E731
    same(neml2.vmap(f, s), s + 2.0)


# ---- Errors ----


def refused(f, *a, error=TypeError):
    with pytest.raises(error) as e:
        neml2.vmap(f, *a)
    return e


def test_what_decides_by_values_is_refused_with_its_line():
    s = Scalar(values(Scalar, 3))

    def f(x):
        if x > 0.0:
            return x
        return -x

    e = refused(f, s)
    assert "choose with math.where(condition, a, b)" in str(e.value)
    assert e.traceback[-1].lineno + 1 == f.__code__.co_firstlineno + 1
    assert "no truth value" in str(refused(lambda x: x and 1.0, s).value)
    assert "no value while it is recorded" in str(refused(lambda x: float(x), s).value)
    assert "components are" in str(refused(lambda x: sum(x), Vec(values(Vec, 2))).value)


def test_what_is_no_formula_is_refused():
    s = Scalar(values(Scalar, 3))
    assert "the formula is a int" in str(refused(3, s).value)
    assert "returned a NoneType" in str(refused(lambda x: None, s).value)
    assert "returned nothing" in str(refused(lambda x: (), s).value)
    assert "at least one argument must be a tensor" in str(refused(lambda x: x, 1.0).value)
    assert "without batch, dtype and device" in str(refused(lambda x: x.batch, s, error=AttributeError).value)
    assert "unsupported operand types for + in a formula: 'SR2' and 'Vec'" in str(
        refused(lambda a, b: a + b, SR2(values(SR2, 2)), Vec(values(Vec, 2))).value
    )
    with pytest.raises(TypeError, match="argnums is 2. Expected the places of tensors among the 1 arguments"):
        neml2.value_and_jacobian(lambda x: x, s, argnums=2)
    with pytest.raises(ValueError, match="backend is 'gpu'. Expected one of auto, interpreter, compiler"):
        neml2.formula(lambda x: x, backend="gpu")


def test_a_failing_function_fails_again_and_leaves_nothing_behind():
    s = Scalar(values(Scalar, 3))

    def f(x):
        raise KeyError("mine")

    for _ in range(2):
        refused(f, s, error=KeyError)
    same(neml2.vmap(lambda x: 2.0 * x, s), 2.0 * s)


def test_a_tensor_of_another_formula_is_refused():
    s = Scalar(values(Scalar, 3))
    kept = []
    neml2.vmap(lambda x: kept.append(x) or x, s)
    assert "another formula" in str(refused(lambda x: x + kept[0], s).value)
    with pytest.raises(TypeError, match="another formula"):
        kept[0] + kept[0]


# ---- Values from the enclosing scope, and transforms ----


def test_torch_transforms():
    e = values(SR2, 4)

    def f(x):
        return neml2.vmap(lambda e: math.norm(e) * e, SR2(x)).torch()

    expected = (math.norm(SR2(e)) * SR2(e)).torch()
    torch.testing.assert_close(torch.func.vmap(f)(e), expected)
    torch.testing.assert_close(torch.func.jacrev(f)(e), torch.func.jacfwd(f)(e))
    torch.testing.assert_close(torch.jit.trace(f, e)(2 * e), f(2 * e))
    with torch.inference_mode():
        torch.testing.assert_close(f(e), expected)
    with torch.no_grad():
        assert not f(e.clone().requires_grad_()).requires_grad


def test_autocast():
    e = SR2(values(SR2, 3))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        same(neml2.vmap(lambda e: C * e, e), C * e)  # with a constant


def test_no_gradients_are_lost_in_threads():
    s = SR2(values(SR2, 500))
    expected = math.dev(s).torch()
    wrong = []

    def work(k):
        f = lambda x: math.dev(x) + 0.0 * math.tr(x)  # noqa: E731
        for _ in range(50):
            if not torch.allclose(neml2.vmap(f, s).torch(), expected):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def test_formulas_are_freed():
    class Heavy:
        pass

    heavy = Heavy()
    gone = weakref.ref(heavy)
    f = neml2.formula(lambda x, h=heavy: x * 2.0)
    f(Scalar(values(Scalar, 2)))
    del f, heavy
    gc.collect()
    assert gone() is None


def test_many_lambdas_of_a_line_are_one_formula():
    s = Scalar(values(Scalar, 2))
    neml2.formulas._formulas.clear()
    for _ in range(20):
        neml2.vmap(lambda x: x * 3.5, s)
    assert len(neml2.formulas._formulas) == 1


def test_show():
    @neml2.formula
    def f(s):
        return math.exp(-2.0 * s)

    assert "not recorded yet" in neml2.show(f)
    f(Scalar(values(Scalar, 2)))
    text = neml2.show(f)
    assert "value of (Scalar), interpreted:" in text and "exp(" in text
    assert "#include" in neml2.show(f, source=True)


def test_the_decorator_keeps_name_and_text():
    @neml2.formula
    def energy(strain):
        """Half of its square."""
        return 0.5 * math.inner(strain, strain)

    assert energy.__name__ == "energy" and energy.__doc__ == "Half of its square." and "energy" in repr(energy)
    e = SR2(values(SR2, 2))
    same(energy(e), 0.5 * math.inner(e, e))


def test_without_a_compiler_a_formula_stays_interpreted():
    code = """
import torch, neml2
from neml2 import Scalar, math
f = neml2.formula(lambda x: math.exp(x))
for _ in range(50): f(Scalar(torch.zeros(3)))
print("interpreted" in neml2.show(f))
try:
    neml2.formula(lambda x: math.exp(x), backend="compiler")(Scalar(torch.zeros(3)))
except RuntimeError as error:
    print(error)
"""
    done = run(f"import os; os.environ.update(PATH='', CXX='no-compiler'); os.environ.pop('NEML2_FORMULAS', None)\n{code}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "True"
    assert "there is no C++ compiler: set CXX to one, or use backend='interpreter'" in done.stdout


def test_rotations_and_quaternions():
    v, q, r = Vec(values(Vec, 3)), Quaternion(values(Quaternion, 3)), Rot(values(Rot, 3))
    same(neml2.vmap(lambda v, q: v.rotate(q), v, q), v.rotate(q))
    same(neml2.vmap(lambda v, r: v.rotate(r), v, r), v.rotate(r))


FACTOR = 1.0


def test_a_recording_during_which_a_value_changed_is_not_kept():
    global FACTOR
    recording, go_on = threading.Event(), threading.Event()

    def slow(x):
        r = x * FACTOR
        if threading.current_thread() is not threading.main_thread():
            recording.set()
            go_on.wait()
        return r

    f = neml2.formula(slow)
    s = SR2.fill(1.0, 1.0, 1.0)
    other = threading.Thread(target=f, args=(s,))
    other.start()
    recording.wait()
    try:
        FACTOR = 2.0
        assert f(Scalar(torch.tensor(1.0))).torch() == 2.0
        go_on.set()
        other.join()
        assert f(s).torch()[0] == 2.0
    finally:
        FACTOR = 1.0


def test_threads_may_clear_a_formula_that_others_call():
    program = """
import sys, threading
import neml2, torch
from neml2 import math
from neml2.tensors import Scalar
sys.setswitchinterval(1e-5)
K = 1.0
f = neml2.formula(lambda x, a: math.exp(x) * a * K, backend="interpreter")
x = Scalar(torch.ones(3))
def work():
    for n in range(1500):
        f(x, 2.0)
        if n % 3 == 0:
            f.clear()
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
print("done")
"""
    assert run(program).stdout.strip() == "done"
