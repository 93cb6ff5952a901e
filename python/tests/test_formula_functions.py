# SPDX-License-Identifier: MIT
"""Functions as formulas: groups and constants among their arguments, methods, and the names that they use besides their arguments."""

import argparse
import collections
import copy
import dataclasses
import enum
import functools
import gc
import importlib
import pickle
import sys
import types
import typing
import weakref

import numpy
import pytest
import torch
from formulas_support import same
from operations import values
from support import FIXED

import neml2
from neml2 import _uses, math
from neml2.tensors import R2, R4, SR2, SSR4, SWR4, WSR4, WWR4, MillerIndex, Rot, Scalar, Vec


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
class InDegrees:
    angle: Scalar
    twice: Scalar = dataclasses.field(init=False)

    def __post_init__(self):
        self.angle = self.angle * 2.0
        self.twice = 2.0 * self.angle


class Doubled(typing.NamedTuple("Doubled", [("x", Scalar)])):
    def __new__(cls, x):
        return super().__new__(cls, 2.0 * x)


@dataclasses.dataclass(frozen=True, slots=True)
class InSlots:
    x: Scalar
    y: Scalar


def test_groups_are_put_together_as_they_were_taken_apart():
    s = scalar()
    half = Scalar(s.torch().to(torch.float16))
    for x, digits in ((s, 11), (half, 2)):
        d = InDegrees(x)
        same(neml2.vmap(lambda d: d.angle + d.twice, d), d.angle + d.twice, digits)
        found = neml2.vmap(InDegrees, x)
        same(found.angle, 2.0 * x, digits)
        same(found.twice, 4.0 * x, digits)
        same(neml2.vmap(lambda d: 1.0 * d.x, Doubled(x)), 2.0 * x, digits)
        same(neml2.vmap(Doubled, x).x, 2.0 * x, digits)
        swapped = neml2.vmap(lambda p: dataclasses.replace(p, x=p.y, y=p.x), InSlots(x, 3.0 * x))
        same(swapped.x, 3.0 * x, digits)
    by = neml2.value_and_jacobian(lambda d: d.angle * 1.0, InDegrees(s))[1]
    assert by.angle.torch().eq(1.0).all()
    assert type(neml2.vmap(lambda d: d, collections.OrderedDict(a=s))) is collections.OrderedDict


def test_attributes_that_are_no_fields_are_refused():
    material = Material(scalar())
    object.__setattr__(material, "scale", 5.0)
    with pytest.raises(TypeError, match="a Material has the attribute 'scale', which is not one of its fields"):
        material.stress(scalar())


class Three(typing.NamedTuple):
    a: Scalar
    b: Scalar
    rest: dict[str, Scalar]


def test_results_that_of_names():
    s = scalar()

    def f(x):
        return Three(x, 3.0 * x, {"c": 5.0 * x, "d": 7.0 * x})

    for of, slopes in [("a", [1]), ("b", [3]), ("rest", [5, 7]), ("rest.d", [7]), (1, [3]), (-1, [5, 7]), ((2, "a"), [5, 7, 1])]:
        by = neml2.value_and_jacobian(f, s, of=of)[1]
        assert [x.torch().unique().item() for x in (by if isinstance(by, tuple) else [by])] == slopes
    for wrong in ("c", "count", 3, -4, 1.5, ("a", "z")):
        with pytest.raises(TypeError, match="Expected places or names of the results: a, b, rest.c, rest.d"):
            neml2.value_and_jacobian(f, s, of=wrong)
    assert neml2.value_and_jacobian(lambda x: InDegrees(x), s, of="twice")[1].torch().unique().item() == 4.0
    with pytest.raises(TypeError, match="Expected places or names of the results: 1 without names"):
        neml2.value_and_jacobian(lambda x: x, s, of="a")
    with_text = lambda x: (x, 3.0 * x, "text")  # noqa: E731
    assert neml2.value_and_jacobian(with_text, s, of=-2)[1].torch().unique().item() == 3.0
    with pytest.raises(TypeError, match="Expected places or names of the results: 0, 1"):
        neml2.value_and_jacobian(with_text, s, of=-1)


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


# ---- Functions of NumPy, and of Python ----

OF_NUMPY = {
    "exp": lambda a, b: (numpy.exp(a), math.exp(a)),
    "arctan": lambda a, b: (numpy.arctan(a), math.atan(a)),
    "arctan2": lambda a, b: (numpy.arctan2(a, 2.0), math.atan2(a, 2.0)),
    "arccosh": lambda a, b: (numpy.arccosh(a + 1.0), math.acosh(a + 1.0)),
    "absolute": lambda a, b: (numpy.abs(a - b), math.abs(a - b)),
    "sign": lambda a, b: (numpy.sign(a - b), math.sign(a - b)),
    "maximum": lambda a, b: (numpy.maximum(a, numpy.float64(0.5)), math.maximum(a, 0.5)),
    "minimum": lambda a, b: (numpy.minimum(0.5, b), math.minimum(0.5, b)),
    "clip": lambda a, b: (numpy.clip(a, 0.2, 0.4), math.clamp(a, 0.2, 0.4)),
    "square": lambda a, b: (numpy.square(a), a * a),
    "power": lambda a, b: (numpy.power(a, b), a**b),
    "add": lambda a, b: (numpy.add(a, b), a + b),
    "numbers": lambda a, b: (numpy.float64(2.0) * a - numpy.int64(3) / b, 2.0 * a - 3.0 / b),
    "comparison": lambda a, b: (math.where(numpy.less(a, b) & (numpy.float64(0.5) > a), a, b), math.where((a < b) & (a < 0.5), a, b)),
    "hypot": lambda a, b: (numpy.hypot(a, b), math.hypot(a, b)),
    "remainder": lambda a, b: (numpy.remainder(a, -0.3), a % -0.3),
    "degrees": lambda a, b: (numpy.degrees(a), math.rad2deg(a)),
}


@pytest.mark.parametrize("name", OF_NUMPY)
def test_functions_of_numpy_are_those_of_the_library(name):
    found, expected = neml2.vmap(OF_NUMPY[name], scalar(), Scalar(torch.rand(3) + 0.1))
    assert torch.equal(found.torch(), expected.torch())


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda a: numpy.floor(a), "numpy.floor: not available in formulas"),
        (lambda a: numpy.heaviside(a, 0.5), "numpy.heaviside: not available in formulas"),
        (lambda a: numpy.exp(a, where=True), "numpy.exp: not available in formulas"),
        (lambda a: numpy.ones(2) * a, "numpy.multiply: .* not arrays"),
        (lambda a: round(a), r"round is not .* On batches torch has it: Scalar\(a.torch\(\).round\(\)\)"),
        (lambda a: numpy.round(a), "round is not defined for tensors"),
        (lambda a: int(a), "has a value per point"),
        (lambda a: divmod(a, 2.0), r"divmod is not .* Write a % b, and \(a - a % b\) / b"),
        (lambda a: divmod(2.0, a), "divmod is not defined for tensors"),
    ],
)
def test_other_functions_say_what_to_write(f, message):
    with pytest.raises(TypeError, match=message):
        neml2.vmap(f, scalar())


@pytest.mark.parametrize("f", [round, lambda a: divmod(a, 2.0), lambda a: divmod(2.0, a)])
def test_functions_of_python_say_what_to_write_on_batches(f):
    with pytest.raises(TypeError, match="is not defined for tensors, nor in formulas"):
        f(scalar())


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


# ---- The names and values that a function uses ----


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


class Law1D:
    exponent = 1.0

    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return self.inner(x)

    def inner(self, x):
        return self.k * x**self.exponent

    def residual(self, y, x):
        return y - self.k * x

    @neml2.formula
    def formula(self, x):
        return self.inner(x)

    @classmethod
    def by_class(cls, x):
        return cls.exponent * x


class WithSlots:
    __slots__ = ("__k",)

    def __init__(self, k):
        self.__k = k

    def set(self, k):
        self.__k = k

    def times(self, x):
        return self.__k * x


class Around:
    def __init__(self, law):
        self.law = law

    def times(self, x):
        return self.law.inner(x)

    @property
    def hidden(self):
        return getattr(self, "_hidden", 2.0)

    def by_property(self, x):
        return self.hidden * x


LAW = Law1D(2.0)
NAMED = {"law": Law1D(2.0).inner}


def of_default(x, law=LAW.inner):
    return law(x)


def test_what_objects_have_is_seen(monkeypatch):
    """Attributes of various objects: of a method, a callable object, a global object, an object in another, a default argument, and objects
    that a helper reads."""
    s = scalar()
    own, inner, slots = Law1D(2.0), Law1D(2.0), WithSlots(2.0)
    around = Around(inner)
    monkeypatch.setattr(LAW, "k", 2.0)
    ways = [
        (own, lambda: neml2.vmap(own.inner, s)),
        (own, lambda: neml2.vmap(own, s)),
        (own, lambda: own.formula(s)),
        (own, lambda: neml2.newton(own.residual, s, s)),
        (inner, lambda: neml2.vmap(around.times, s)),
        (LAW, lambda: neml2.vmap(lambda x: LAW.inner(x), s)),
        (LAW, lambda: neml2.vmap(lambda x: LAW.formula(x), s)),
        (LAW, lambda: neml2.vmap(lambda x: LAW(x), s)),
        (LAW, lambda: neml2.vmap(of_default, s)),
        (own, lambda: neml2.vmap(functools.partial(Law1D.inner, own), s)),
    ]
    for changed, call in ways:
        for k in (2.0, 3.0, 2.0):
            changed.k = k
            same(call(), k * s)
    for k in (2.0, 3.0):
        slots.set(k)
        same(neml2.vmap(slots.times, s), k * s)
        around._hidden = k
        same(neml2.vmap(around.by_property, s), k * s)
        monkeypatch.setattr(Law1D, "exponent", k)
        same(own.formula(s), 2.0 * s**k)
        same(neml2.vmap(Law1D.by_class, s), k * s)
    monkeypatch.undo()
    same(own.formula(s), 2.0 * s)
    own.inner = lambda x: 5.0 * x  # another method
    same(own.formula(s), 5.0 * s)
    own.__dict__ = {"k": 7.0}
    same(own.formula(s), 7.0 * s)


def with_attribute(x):
    return with_attribute.k * x


def of_helper(x):
    return of_default_number(x)


def of_default_number(x, k=2.0):
    return k * x


def test_what_namespaces_and_functions_have_is_seen():
    s = scalar()
    simple, parsed = types.SimpleNamespace(k=2.0), argparse.Namespace(k=2.0)
    for k in (2.0, 3.0, 2.0):
        simple.k = parsed.k = with_attribute.k = k
        same(neml2.vmap(lambda x: simple.k * x, s), k * s)
        same(neml2.vmap(lambda x: parsed.k * x, s), k * s)
        same(neml2.vmap(with_attribute, s), k * s)
        of_default_number.__defaults__ = (k,)
        same(neml2.vmap(of_helper, s), k * s)


class Equal:
    """Equal to any object."""

    def __init__(self, k):
        self.k = k

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    def __call__(self, x):
        return self.k * x

    def residual(self, y, x):
        return y - self.k * x


def test_objects_that_are_equal_are_not_the_same():
    s = scalar()
    for k in (2.0, 3.0):
        e = Equal(k)
        same(neml2.vmap(e, s), k * s)
        same(neml2.vmap(functools.partial(Equal.__call__, e), s), k * s)
        same(neml2.newton(e.residual, s, s), k * s)


def test_a_callable_group_is_an_argument():
    calls = []

    @dataclasses.dataclass
    class Law:
        k: typing.Any

        def __call__(self, x):
            calls.append(1)
            return self.k * x

    s = scalar()
    for k in (2.0, 3.0):
        same(neml2.vmap(Law(k), s), k * s)
    assert len(calls) == 1  # only the first object is recorded


def test_what_a_function_imports_is_seen(monkeypatch):
    module = types.ModuleType("module_of_a_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    s = scalar()

    def inside(x):
        import module_of_a_test

        return module_of_a_test.k * x

    def member(x):
        from module_of_a_test import k

        return k * x

    def around():
        import module_of_a_test as m

        return lambda x: m.k * x

    closure = around()
    for k in (2.0, 3.0):
        module.k = k
        for f in (inside, member, closure):
            same(neml2.vmap(f, s), k * s)


class Linked:
    """One object of a chain."""

    def __init__(self, next_=None):
        self.next = next_
        self.k = 2.0

    def times(self, x):
        return self.k * x if self.next is None else self.next.times(x)


def searched(*roots):
    """The numbers of visited functions and objects, and of lookups of names."""
    search = _uses._Search(_uses.packages_of(*roots))
    counts = collections.Counter()
    add = search._add
    search._add = lambda place, name: (counts.update(["looked up"]), add(place, name))
    search.left.extend(roots)
    search.run()
    return len(search._kept), counts["looked up"]


def test_objects_are_searched_once():
    chains, chain = {}, None
    for n in range(1, 401):
        chain = Linked(chain)
        if n in (100, 200, 400):
            chains[n] = searched(Linked.times, chain)
    for k in (0, 1):  # grows in proportion to the number of objects, not faster
        assert chains[400][k] - chains[200][k] == 2 * (chains[200][k] - chains[100][k])
    assert chains[400][1] < 20 * 400
    first = chain
    while chain.next is not None:
        chain = chain.next
    chain.k = 3.0
    s = scalar()
    same(neml2.vmap(first.times, s), 3.0 * s)
    chain.k = 5.0
    same(neml2.vmap(first.times, s), 5.0 * s)


def installed(tmp_path, monkeypatch, name, source):
    """A module that is installed in a folder of packages."""
    folder = tmp_path / "site-packages"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def test_installed_packages_are_not_searched(tmp_path, monkeypatch):
    source = """
class Figure:
    def __init__(self, n):
        self.inner = Figure(n - 1) if n else None

    def draw(self):
        return self.inner.draw()

def law(x):
    return K * x

K = 2.0
"""
    other = installed(tmp_path, monkeypatch, "package_of_a_test", source)

    class Draws:
        def __init__(self, figure):
            self.figure = figure
            self.k = 2.0

        def plot(self):
            return self.figure.draw()

        def times(self, x):
            return self.k * x

    few, many = Draws(other.Figure(1)), Draws(other.Figure(300))
    assert searched(Draws.times, few) == searched(Draws.times, many)
    assert searched(lambda x: other.law(x))[0] < 6
    s = scalar()
    for k in (2.0, 3.0):
        many.k = k
        same(neml2.vmap(many.times, s), k * s)
    # ... except the package of the formula itself
    f = neml2.formula(other.law)
    for k in (2.0, 3.0):
        other.K = k
        same(f(s), k * s)


def test_reloaded_code_is_seen():
    def helper(x):
        return 2.0 * x

    s = scalar()
    f = neml2.formula(lambda x: helper(x))
    same(f(s), 2.0 * s)
    helper.__code__ = (lambda x: 3.0 * x).__code__
    same(f(s), 3.0 * s)


def test_what_a_method_writes_while_it_is_recorded_is_seen():
    class Counts:
        n = 1.0

        @neml2.formula
        def f(self, x):
            r = self.n * x
            self.n += 1.0
            return r

    s, c = scalar(), Counts()
    same(c.f(s), s)
    same(c.f(s), 2.0 * s)


def test_formulas_in_finalizers_do_not_wait():
    s = scalar()

    class Ends:
        def __del__(self):
            neml2.vmap(lambda x: x * 5.0, s)

    def made():
        ends = Ends()
        return lambda x: x * (1.0 if ends else 0.0)

    for _ in range(300):  # more than the library keeps
        neml2.vmap(made(), s)


def test_methods_of_members_are_looked_into(monkeypatch):
    s, m = scalar(), Material(scalar())

    @neml2.formula
    def f(x, material):
        return material.factor() * x

    same(f(s, m), s)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 5.0)
    same(f(s, m), 5.0 * s)


RATE = 2.0


@pytest.mark.parametrize(("a", "b"), [(0.0, -0.0), (2.0, float("nan"))])
def test_another_number_is_seen(a, b):
    k = a
    f = neml2.formula(lambda x: 1.0 / (k * (x / x)))
    s = scalar()
    for k in (a, b, a):
        same(f(s), Scalar(1.0 / torch.full((3,), k, dtype=torch.float64)))


def test_a_cleared_formula_is_recorded_again():
    factors, recordings = [2.0], []

    @neml2.formula
    def f(x):
        recordings.append(1)
        return factors[0] * x

    s = scalar(grad=True)
    y = f(s)
    factors[0] = 3.0
    same(f(s), 2.0 * s)  # the change inside the list is not noticed
    f.clear()
    same(f(s), 3.0 * s)
    assert len(recordings) == 2
    assert torch.autograd.grad(y.torch().sum(), s.torch())[0].eq(2.0).all()  # of the earlier recording
    model = Model(2.0)
    model.power(s)
    model.power.clear()
    same(model.power(s), 2.0 * s * s)
    f.clear()
    f.clear()


def test_derivatives_are_those_of_the_recorded_values(monkeypatch):
    s = (0.1 * values(SR2, 3).abs() + torch.tensor([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])).requires_grad_()
    y = neml2.vmap(lambda s: RATE * math.tr(math.expm(s)), SR2(s)).torch().sum()
    slope = torch.autograd.grad(y, s, create_graph=True)[0]
    second = torch.autograd.grad(slope.sum(), s, create_graph=True)[0]
    monkeypatch.setattr(sys.modules[__name__], "RATE", 3.0)
    again = torch.autograd.grad(y, s, create_graph=True)[0]  # by the recorded value
    torch.testing.assert_close(again, slope)
    torch.testing.assert_close(slope.detach(), 2.0 * math.expm(SR2(s.detach())).torch())
    third = torch.autograd.grad(second.sum(), s)[0]  # formulas refuse it, so PyTorch's operations compute it
    monkeypatch.setattr(sys.modules[__name__], "RATE", 2.0)
    at, step = SR2(s.detach()), SR2(torch.full((6,), 1e-5))
    one, other = (neml2.hessian(lambda s: RATE * math.tr(math.expm(s)), x).torch().sum(-1) for x in (at + step, at - step))
    torch.testing.assert_close(third, (one - other) / 2e-5, rtol=1e-6, atol=1e-6)


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

    @functools.wraps(f)
    def swapped(y, x):
        return f(x, y)

    same(neml2.vmap(swapped, x=s, y=t), f(s, t))
    with pytest.raises(TypeError, match="the default of law, which comes before b, is a function"):
        neml2.vmap(lambda x, law=(lambda x: x), b=1.0: law(x), s, b=2.0)
    same(neml2.vmap(lambda x, law=None, b=1.0: x * b if law is None else law(x), s, b=2.0), 2.0 * s)


def test_places_count_from_behind_the_object():
    s, E = scalar(), scalar()
    material = Material(E)
    for k in (0, -1, numpy.int64(0), "strain", [0], ("strain",)):
        by = neml2.value_and_jacobian(material.stress, s, argnums=k)[1]
        same(by[0] if isinstance(by, tuple) else by, E)
    for wrong in (1, -2, True):
        with pytest.raises(TypeError, match="argnums is .* among the 1 arguments, or their names: strain"):
            neml2.value_and_jacobian(material.stress, s, argnums=wrong)


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


def test_steps_have_derivative_zero():
    x = Scalar(torch.tensor([-1.0, 0.0, -0.0, 2.0], requires_grad=True))
    for step in math.sign, math.heaviside:
        assert torch.equal(neml2.value_and_jacobian(step, Scalar(x.torch().detach()))[1].torch(), torch.zeros(4))
        (slope,) = torch.autograd.grad(neml2.vmap(step, x).torch().sum(), x.torch())
        assert torch.equal(slope, torch.zeros(4))


def test_norm_with_epsilon_is_smooth_at_zero():
    e = SR2(torch.zeros(3, 6, dtype=torch.float64, requires_grad=True))
    n = neml2.vmap(lambda e: math.norm(e, 1e-4), e)
    same(n, Scalar(torch.full((3,), 1e-2, dtype=torch.float64)))
    (g,) = torch.autograd.grad(n.torch().sum(), e.torch())
    assert g.eq(0.0).all()


@pytest.mark.parametrize("to", FIXED, ids=lambda t: t.__name__)
def test_types_made_of_others(to):
    """The same results as on batches, except where batches take batch dimensions from base dimensions. Formulas compute integers in float64."""
    for of in FIXED:
        x = of(values(of, 3))
        try:
            expected = to(x)
        except (TypeError, ValueError):
            continue
        if expected.batch.shape == (3,):
            same(neml2.vmap(lambda a: to(a), x), expected if to is MillerIndex else expected.double())


@pytest.mark.parametrize("of, to", [(WWR4, R4), (R4, WWR4), (R4, SWR4), (R4, WSR4)], ids=lambda t: t.__name__)
def test_fourth_order_types_made_of_others(of, to):
    x = of(values(of, 7))
    expected = to(x)
    found, by = neml2.value_and_jacobian(lambda a: 2.0 * to(a), x)
    same(found, 2.0 * expected)
    n = x.torch()[0].numel()
    basis = of(torch.eye(n, dtype=torch.float64).reshape(n, *x.torch().shape[1:]))  # the images of its columns are the derivatives
    image = 2.0 * to(basis).torch().reshape(n, -1).T
    torch.testing.assert_close(by.torch().reshape(7, -1, n), image.expand(7, -1, n))
    raw = values(of, 2).requires_grad_()
    assert torch.autograd.gradcheck(lambda a: neml2.vmap(to, of(a)).torch(), raw)
    single = of(x.torch().float())
    same(neml2.vmap(to, single), to(single), 5)


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


@pytest.mark.parametrize("n", [1, 3, 6, 9])
def test_matrices_of_scalars(n):
    a = [scalar() * (k + 1.0) for k in range(n)]
    same(neml2.vmap(lambda *a: R2.fill(*a), *a), R2.fill(*a))


def test_what_a_tensor_of_a_formula_is_not():
    e = SR2(values(SR2, 3))
    for f, message in [
        (lambda x: x[0], r"an SR2 of a formula cannot be indexed: its components are r\(0\)"),
        (lambda x: len(x), "an SR2 of a formula has no length"),
        (lambda x: torch.exp(x), "torch's exp: not available in formulas. Use functions of neml2.math"),
        (lambda x: math.clamp(x, 0.0), r"clamp: takes a value and two bounds"),
    ]:
        with pytest.raises(TypeError, match=message):
            neml2.vmap(f, e)
