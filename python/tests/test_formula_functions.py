# SPDX-License-Identifier: MIT
"""What is a formula: functions with groups and constants, methods, and what they use besides their arguments."""

import copy
import dataclasses
import enum
import gc
import pickle
import sys
import types
import typing
import weakref

import pytest
import torch
from formulas_support import same
from operations import values
from support import FIXED

import neml2
from neml2 import math
from neml2.tensors import SR2, SSR4, Rot, Scalar, Vec


def scalar(n=3, grad=False):
    return Scalar(values(Scalar, n).requires_grad_(grad))


# ---- Groups ----


class Pair(typing.NamedTuple):
    a: Scalar
    b: Scalar


class Law(enum.Enum):
    LINEAR = 1
    QUADRATIC = 2


@dataclasses.dataclass(frozen=True)
class Material:
    modulus: Scalar
    law: Law = Law.LINEAR
    name: str | None = None
    softens: bool = False

    @neml2.formula
    def stress(self, strain):
        grown = strain if self.law is Law.LINEAR else strain * strain
        return (-1.0 if self.softens else 1.0) * self.modulus * grown

    def factor(self):
        return FACTOR


FACTOR = 1.0


def test_members_that_are_no_tensors_choose_what_is_recorded():
    s, E = scalar(), scalar()
    same(Material(E).stress(s), E * s)
    same(Material(E, Law.QUADRATIC).stress(s), E * s * s)
    same(Material(E, name="soft", softens=True).stress(s), -1.0 * E * s)
    same(neml2.vmap(lambda x, law: x if law is Law.LINEAR else 2.0 * x, s, Law.QUADRATIC), 2.0 * s)
    same(neml2.vmap(lambda x, kind=None, on=True: x if on and kind is None else 3.0 * x, s, "kind"), 3.0 * s)
    found = neml2.vmap(lambda x: {"x": x, "note": "text", "none": None}, s)
    assert found["note"] == "text" and found["none"] is None


def test_members_of_the_same_structure_are_recorded_once():
    calls = []

    @neml2.formula
    def f(x, m):
        calls.append(1)
        return x * m["E"]

    s = scalar()
    for E in (1.0, 2.0, 3.0):
        same(f(s, {"E": E, "name": "a"}), E * s)
    same(f(s, {"name": "a", "E": 4.0}), 4.0 * s)  # in another order
    same(f(s, {"E": 5.0, "name": "b"}), 5.0 * s)
    assert len(calls) == 3


def test_a_group_of_a_user_comes_back_as_it_is():
    s = scalar()
    found = neml2.vmap(lambda p: p._replace(a=p.b), Pair(s, 2.0 * s))
    assert type(found) is Pair
    same(found.a, 2.0 * s)
    value, by = neml2.value_and_jacobian(lambda p: p.a * p.b, Pair(s, 2.0 * s))
    assert type(by) is Pair
    same(by.a, 2.0 * s)
    same(by.b, s)


@dataclasses.dataclass
class WithField:
    x: Scalar
    twice: Scalar = dataclasses.field(init=False)

    def __post_init__(self):
        self.twice = 2.0 * self.x


def test_a_dataclass_with_fields_that_its_constructor_does_not_take():
    s = scalar()
    found = neml2.vmap(lambda w: WithField(w.twice), WithField(s))
    same(found.x, 2.0 * s)
    same(found.twice, 4.0 * s)


def test_groups_that_are_none_are_refused():
    s = scalar()
    loop = [s]
    loop.append(loop)
    deep = s
    for _ in range(300):
        deep = [deep]
    for group, message in [
        (loop, "a list contains itself"),
        (deep, "nested more than 200 deep"),
        ({"x": s.torch()}, r"a torch.Tensor \(g\['x'\]\), which does not say"),
        ([s, 1j], r"a complex \(g\[1\]\)"),
        ([1.0], "at least one argument must be a tensor"),
        ([s] * 70000, "more than 65536 members"),
    ]:
        with pytest.raises(TypeError, match=message):
            neml2.vmap(lambda g: g[0], group)
    for returned, message in [(None, "returned a NoneType"), ("a", "returned a str"), ((), "returned nothing"), (1j, "returned a complex")]:
        with pytest.raises(TypeError, match=message):
            neml2.vmap(lambda x, r=returned: r, s)


def test_a_group_that_differs_on_whole_batches_is_refused():
    s = Scalar(values(Scalar, 3).to(torch.float16))  # which formulas do on whole batches
    returned = iter([{"a": s}, [s]])
    with pytest.raises(TypeError, match="returned another group on whole batches"):
        neml2.vmap(lambda x: {k: x for k in r} if isinstance(r := next(returned), dict) else [x], s)


# ---- Methods ----


class Model:
    rate = 2.0

    def __init__(self, n):
        self.n = n

    @neml2.formula
    def power(self, x):
        return self.rate * x**self.n

    @neml2.formula
    def shifted(self, x):
        return self.power(x) + 1.0


def test_a_formula_is_a_method(monkeypatch):
    s = scalar()
    square, cube = Model(2.0), Model(3.0)
    same(square.power(s), 2.0 * s * s)
    same(cube.power(s), 2.0 * s * s * s)
    same(cube.shifted(s), 2.0 * s * s * s + 1.0)
    same(neml2.vmap(square.power, x=s), 2.0 * s * s)
    square.n = 1.0
    same(square.power(s), 2.0 * s)
    monkeypatch.setattr(Model, "rate", 3.0)
    same(square.power(s), 3.0 * s)
    value, by = neml2.value_and_jacobian(square.power, s)
    same(value, 3.0 * s)
    assert by.torch().eq(3.0).all()
    assert "pow" in neml2.show(Model(5.5).power) or "pow" in neml2.show(cube.power)
    dead = weakref.ref(cube)
    del cube
    gc.collect()
    assert dead() is None


def test_a_formula_is_a_method_of_a_group():
    s, E = scalar(), scalar()
    material = Material(E)
    same(neml2.value_and_jacobian(material.stress, s)[1], E)
    same(neml2.value_and_jacobian(material.stress, strain=s, argnums="strain")[1], E)
    by_material = neml2.value_and_jacobian(material.stress, s, argnums="self")[1]
    assert type(by_material) is Material
    same(by_material.modulus, s)
    E.torch().requires_grad_()
    material.stress(s).torch().sum().backward()
    same(Scalar(E.torch().grad), s)


def test_formulas_are_pickled_and_copied_by_name():
    for f in (Model.power, Material.stress, module_formula):
        assert pickle.loads(pickle.dumps(f)) is f
        assert copy.deepcopy(f) is f
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(neml2.formula(lambda x: x))
    s, E = scalar(), scalar()
    same(pickle.loads(pickle.dumps(Material(E).stress))(s), E * s)


@neml2.formula
def module_formula(x):
    return later(x) if "later" in globals() else x


# ---- What a function uses ----


def test_a_name_that_comes_later_is_seen(monkeypatch):
    s = scalar()
    same(module_formula(s), s)
    monkeypatch.setattr(sys.modules[__name__], "later", lambda x: 2.0 * x, raising=False)
    same(module_formula(s), 2.0 * s)
    monkeypatch.setattr(sys.modules[__name__], "later", lambda x: 3.0 * x)
    same(module_formula(s), 3.0 * s)
    monkeypatch.undo()
    same(module_formula(s), s)


def test_a_variable_that_comes_later_is_seen():
    s = scalar()

    @neml2.formula
    def f(x):
        return helper(x)

    with pytest.raises(NameError, match="helper"):
        f(s)

    def helper(x):
        return 2.0 * x

    same(f(s), 2.0 * s)

    def helper(x):  # noqa: F811
        return 3.0 * x

    same(f(s), 3.0 * s)


def test_members_of_modules_are_seen():
    module = types.ModuleType("constants_of_a_test")
    module.E = 2.0
    module.inner = types.ModuleType("constants_of_a_test.inner")
    module.inner.law = lambda x: x
    names = {"constants": module, "__name__": __name__}
    f = neml2.formula(eval("lambda x: constants.E * constants.inner.law(x)", names))
    s = scalar()
    same(f(s), 2.0 * s)
    module.E = 3.0
    same(f(s), 3.0 * s)
    module.inner.law = lambda x: x * x
    same(f(s), 3.0 * s * s)


def test_methods_of_members_are_looked_into(monkeypatch):
    s, m = scalar(), Material(scalar())

    @neml2.formula
    def f(x, material):
        return material.factor() * x

    same(f(s, m), s)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 5.0)
    same(f(s, m), 5.0 * s)


RATE = 2.0


def test_second_derivatives_of_another_function_are_refused(monkeypatch):
    x = scalar(grad=True)
    y = neml2.vmap(lambda x: RATE * x * x, x)
    (g,) = torch.autograd.grad(y.torch().sum(), x.torch(), create_graph=True)
    monkeypatch.setattr(sys.modules[__name__], "RATE", 3.0)
    same(Scalar(torch.autograd.grad(y.torch().sum(), x.torch(), retain_graph=True)[0]), 4.0 * x)  # what was recorded
    with pytest.raises(RuntimeError, match="RATE, which the formula uses, has another value than when it ran"):
        torch.autograd.grad(y.torch().sum(), x.torch(), create_graph=True)


def test_a_formula_writes_into_no_argument():
    def f(x, y):
        total = x
        total += y
        total *= 2.0
        total -= x
        total /= 4.0
        return total

    s, t = scalar(), scalar()
    before = s.torch().clone()
    expected = (2.0 * (s + t) - s) / 4.0
    same(neml2.vmap(f, s, t), expected)
    half = Scalar(s.torch().to(torch.float16)), Scalar(t.torch().to(torch.float16))
    same(neml2.vmap(f, *half), Scalar(expected.torch().to(torch.float16)), 2)
    found = torch.func.vmap(lambda a, b: neml2.vmap(f, Scalar(a), Scalar(b)).torch())(s.torch(), t.torch())
    torch.testing.assert_close(found, expected.torch())
    assert s.torch().equal(before)
    s += t  # outside it does
    assert not s.torch().equal(before)


# ---- Names of arguments ----


def test_jacobians_by_names():
    s, t = scalar(), scalar()

    def f(x, y=2.0):
        return x * x * y

    same(neml2.value_and_jacobian(f, s, y=t, argnums="y")[1], s * s)
    value, (by_y, by_x) = neml2.value_and_jacobian(f, x=s, y=t, argnums=["y", "x"])
    same(by_x, 2.0 * s * t)
    same(by_y, s * s)
    for wrong in ("z", True, 1.5, 2, -3, ()):
        with pytest.raises(TypeError, match="argnums is .* Expected the places of tensors among the 2 arguments, or their names: x, y"):
            neml2.value_and_jacobian(f, s, t, argnums=wrong)
    with pytest.raises(TypeError, match="missing a required argument"):
        neml2.value_and_jacobian(f, y=t)


def test_functions_of_the_library_take_arguments_by_name():
    e, r, s = SR2(values(SR2, 3)), Rot(values(Rot, 3)), scalar()
    same(neml2.vmap(lambda e, r: math.rotate(s=e, r=r), e, r), math.rotate(e, r))
    same(neml2.vmap(lambda e, r: e.rotate(r=r), e, r), math.rotate(e, r))
    same(neml2.vmap(lambda e: math.norm(e, epsilon=1e-3), e), math.norm(e, 1e-3))
    same(neml2.vmap(lambda e: math.unit(e, 1e-3), e), math.unit(e, 1e-3))
    same(neml2.vmap(lambda x: math.clamp(x, upper=0.5, lower=0.2), s), math.clamp(s, 0.2, 0.5))
    with pytest.raises(TypeError, match="norm: has no eps besides 1 arguments"):
        neml2.vmap(lambda e: math.norm(e, eps=1e-3), e)


def test_stiffnesses_of_scalars():
    a, b = scalar(), scalar()
    same(neml2.vmap(lambda a, b: SSR4.fill_C1_C2_C3(a, b, 2.0), a, b), SSR4.fill_C1_C2_C3(a, b, 2.0))


def test_norm_with_epsilon_is_smooth_at_zero():
    e = SR2(torch.zeros(3, 6, dtype=torch.float64, requires_grad=True))
    n = neml2.vmap(lambda e: math.norm(e, 1e-4), e)
    same(n, Scalar(torch.full((3,), 1e-2, dtype=torch.float64)))
    (g,) = torch.autograd.grad(n.torch().sum(), e.torch())
    assert g.eq(0.0).all()


@pytest.mark.parametrize("to", FIXED, ids=lambda t: t.__name__)
def test_types_made_of_others(to):
    """As on batches, where these do not take batch dimensions from base dimensions."""
    for of in FIXED:
        x = of(values(of, 3))
        try:
            expected = to(x)
        except (TypeError, ValueError):
            continue
        if (to.__name__, of.__name__) in (("R4", "WWR4"), ("WWR4", "R4"), ("SWR4", "R4"), ("WSR4", "R4")):  # which C++ composes
            with pytest.raises(TypeError, match="not available in formulas"):
                neml2.vmap(lambda a: to(a), x)
        elif expected.batch.shape == (3,):
            same(neml2.vmap(lambda a: to(a), x), expected)


# ---- Newton ----


def test_what_a_residual_takes_from_around_it_is_of_the_batch():
    x = scalar(grad=True)

    def root(x):
        return neml2.newton(lambda y: y * y - x, 1.0)

    r = neml2.vmap(root, x)
    (g,) = torch.autograd.grad(r.torch().sum(), x.torch(), create_graph=True)  # on whole batches
    (h,) = torch.autograd.grad(g.sum(), x.torch())
    torch.testing.assert_close(h, -0.25 * x.torch().detach() ** -1.5)
    single = Scalar(x.torch().detach().to(torch.float16))
    same(neml2.vmap(root, single), math.sqrt(single), 2)


@dataclasses.dataclass
class Unknowns:
    p: Scalar
    inner: dict[str, Vec]


def test_bounds_by_names_of_unknowns():
    a = scalar()
    guess = Unknowns(a, {"v": Vec(values(Vec, 3))})

    def residual(u, a):
        return [u.p * u.p - a, u.inner["v"] - 2.0 * Vec.fill(1.0, 1.0, 1.0)]

    for names in ({"p": (0.0, 9.0), "inner.v": (-5.0, 5.0)}, {"inner": (-5.0, 5.0)}, {0: (0.0, 9.0)}):
        found = neml2.newton(residual, guess, a, bounds=names)
        same(found.p, math.sqrt(a))
    held = neml2.newton(residual, guess, a, bounds={"inner.v": (0.0, 1.0)}, max_iterations=30, keep_unconverged=True)
    assert held.inner["v"].torch().le(1.0).all()
    with pytest.raises(LookupError, match="bounds names 'q'. The unknowns are p, inner.v."):
        neml2.newton(residual, guess, a, bounds={"q": (0.0, 1.0)})
    with pytest.raises(TypeError, match="max_step is {'p': 'far'}. Expected a number"):
        neml2.newton(residual, guess, a, max_step={"p": "far"})


# ---- Messages ----


def test_what_a_tensor_of_a_formula_is_not():
    e = SR2(values(SR2, 3))
    for f, message in [
        (lambda x: x[0], r"a SR2 of a formula is not indexed: its components are r\(0\)"),
        (lambda x: len(x), "a SR2 of a formula has no length"),
        (lambda x: torch.exp(x), "torch's exp: not available in formulas. Their functions are in neml2.math"),
        (lambda x: math.clamp(x, 0.0), r"clamp: takes a value and two bounds"),
    ]:
        with pytest.raises(TypeError, match=message):
            neml2.vmap(f, e)
