# SPDX-License-Identifier: MIT
"""Tensors of this library in Python's and torch's own tools: copies, pickles, trees, loaders, weak references."""

import copy
import gc
import io
import pickle
import weakref
from pathlib import Path

import pytest
import torch
from support import SMALL, TYPES, name, random, typed
from torch.utils import _pytree as pytree

from neml2 import math, tensors
from neml2.tensors import R2, SR2, SSR4, LabeledAxis, LabeledMatrix, LabeledVector, Rot, Scalar, Tensor, TensorBase

AXIS = LabeledAxis().add("a", Scalar).add("sub/s", SR2).setup_layout()


def labeled_vector(*batch):
    return LabeledVector(torch.rand(*batch, 7), AXIS)


# ---- Classes that users derive ----


class Stress(SR2):
    """A class with a different __init__, which a copy must not need."""

    def __init__(self, values, unit):
        super().__init__(values)
        self.unit = unit
        self.history = [unit]


class Slotted(Tensor):
    __slots__ = ("mark",)


class State(LabeledVector):
    pass


def derived():
    s, t, v = Stress(torch.rand(2, 6), "MPa"), Slotted(torch.rand(2, 3, 3), 1), State(torch.rand(2, 7), AXIS)
    t.mark, v.step = 7, 3
    return s, t, v


def pickled(a):
    return pickle.loads(pickle.dumps(a))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_of_a_derived_class_are_of_that_class_with_its_attributes(copied):
    s, t, v = derived()
    for a in (s, t, v):
        b = copied(a)
        assert type(b) is type(a) and torch.equal(b.torch(), a.torch()) and b.batch.shape == a.batch.shape
        assert (b.torch().data_ptr() == a.torch().data_ptr()) == (copied is copy.copy)
    r = copied(s)
    assert r.unit == "MPa" and r.history == ["MPa"] and (r.history is s.history) == (copied is copy.copy)
    assert copied(t).mark == 7 and copied(v).step == 3 and copied(v).axes() == v.axes()


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_a_copy_of_an_object_in_itself_holds_the_copy(copied):
    s = Stress(torch.rand(6), "MPa")
    s.me = s
    r = copied(s)
    assert r.me is r


def test_an_undefined_derived_tensor_can_be_copied():
    class Plain(SR2):
        pass

    assert not copy.deepcopy(Plain()).defined() and type(copy.copy(Plain())) is Plain


def test_a_derived_axis_keeps_its_class():
    class Named(LabeledAxis):
        pass

    a = Named().add("x", Scalar)
    a.note = "mine"
    for b in (copy.copy(a), copy.deepcopy(a)):
        assert type(b) is Named and b.note == "mine" and b == a


# ---- Weak references ----


@pytest.mark.parametrize("cls", TYPES, ids=name)
def test_weak_references_of_tensors(cls):
    a = typed(cls, torch.zeros(2, *TYPES[cls]))
    r = weakref.ref(a)
    assert r() is a
    del a
    gc.collect()
    assert r() is None


def test_weak_references_of_views_and_labels():
    v = labeled_vector(2)
    for a in (SR2.zeros(2).batch, SR2.zeros(2).base, v, v.batch, v.base, AXIS, tensors.LabeledAxisAccessor("a")):
        assert weakref.ref(a)() is a
    cache = weakref.WeakKeyDictionary({v: 1})
    assert cache[v] == 1


# ---- Trees ----


@pytest.mark.parametrize("cls", SMALL, ids=name)
def test_trees_have_the_tensor_as_their_leaf(cls):
    a = random(cls, 2)
    leaves, spec = pytree.tree_flatten({"x": [a, 1.0]})
    assert leaves[0] is a.torch() and leaves[1] == 1.0
    b = pytree.tree_unflatten(leaves, spec)["x"][0]
    assert type(b) is cls and b.torch() is a.torch() and b.batch.shape == (2,)
    twice = pytree.tree_map_only(torch.Tensor, lambda t: 2 * t, a)
    assert type(twice) is cls and torch.equal(twice.torch(), 2 * a.torch())


def test_trees_of_undefined_and_labeled_tensors():
    assert pytree.tree_leaves(SR2()) == [] and not pytree.tree_map(lambda t: t, SR2()).defined()
    v = pytree.tree_map(lambda t: 2 * t, labeled_vector(3))
    assert type(v) is LabeledVector and v.axes() == (AXIS,)
    m = LabeledMatrix.zeros(2, (AXIS, AXIS))
    assert pytree.tree_map(lambda t: t + 1, m).base["a", "a"].torch().sum() == 2


def test_trees_may_hold_something_else_than_tensors():
    shapes = pytree.tree_map(lambda t: t.shape, {"s": SR2.zeros(2)})
    assert shapes == {"s": (2, 6)}
    with pytest.raises(ValueError, match="SR2"):
        pytree.tree_map(lambda t: t[..., :3], SR2.zeros(2))


def test_torch_func_takes_and_returns_tensors_of_this_library():
    s, C = random(SR2, 5), SSR4.isotropic_E_nu(2.0, 0.3)
    stress = torch.func.vmap(lambda e: C * e)(s)
    assert type(stress) is SR2 and torch.allclose(stress.torch(), (C * s).torch())
    g = torch.func.grad(lambda e: e.norm_sq().torch().sum())(s)
    assert type(g) is SR2 and torch.allclose(g.torch(), 2 * s.torch())
    t = torch.func.vmap(lambda a: a * 2)(random(Tensor, 4))
    assert type(t) is Tensor and t.batch.shape == (4,)


# ---- torch.save and torch.load ----


def test_torch_loads_what_it_saved_with_weights_only():
    state = {name(cls): random(cls, 2) for cls in SMALL}
    state |= {"v": labeled_vector(2), "axis": AXIS, "path": tensors.LabeledAxisAccessor("sub", "s"), "none": SR2()}
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=True)
    assert loaded.keys() == state.keys() and loaded["axis"] == AXIS and loaded["v"].axes() == (AXIS,)
    for key, a in loaded.items():
        assert type(a) is type(state[key])
        if isinstance(a, (TensorBase, LabeledVector)) and a.defined():
            assert torch.equal(a.torch(), state[key].torch()) and a.batch.shape == (2,)


def numbers(*shape):
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape)


# The contents of saved/1.0.pt, written by torch.save with version 1.0.0: later versions read it.
SAVED = {name(cls): cls(numbers(2, *cls.zeros().base.shape)) for cls in SMALL if cls is not Tensor} | {
    "Tensor": Tensor(numbers(2, 3, 4), 1),
    "v": LabeledVector(numbers(2, 7), AXIS),
    "m": LabeledMatrix(numbers(2, 7, 7), (AXIS, AXIS)),
    "axis": AXIS,
}


@pytest.mark.parametrize("weights_only", [True, False])
def test_files_of_older_versions_are_read(weights_only):
    loaded = torch.load(Path(__file__).parent / "saved" / "1.0.pt", weights_only=weights_only)
    assert loaded.keys() == SAVED.keys() and loaded.pop("axis") == AXIS
    for key, a in loaded.items():
        b = SAVED[key]
        assert type(a) is type(b) and torch.equal(a.torch(), b.torch()) and a.batch.shape == b.batch.shape == (2,)
    assert loaded["v"].axes() == (AXIS,) and loaded["m"].axes() == (AXIS, AXIS)


# ---- DataLoader ----


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return {"strain": SR2.full(float(i)), "r": Rot.zeros(3), "t": Tensor(torch.ones(2, 3) * i, 1), "i": i}


@pytest.mark.parametrize("workers", [0, 1])
def test_a_loader_stacks_samples_along_a_new_batch_dimension(workers):
    for k, batch in enumerate(torch.utils.data.DataLoader(Samples(), batch_size=2, num_workers=workers)):
        s, r, t = batch["strain"], batch["r"], batch["t"]
        assert type(s) is SR2 and s.batch.shape == (2,) and s.torch()[:, 0].tolist() == [2.0 * k, 2.0 * k + 1]
        assert type(r) is Rot and r.batch.shape == (2, 3)
        assert type(t) is Tensor and t.batch.shape == (2, 2) and t.base.shape == (3,)


def test_default_collate_of_labeled_tensors_and_of_what_does_not_fit():
    from torch.utils.data import default_collate

    v = default_collate([labeled_vector(), labeled_vector()])
    assert type(v) is LabeledVector and v.batch.shape == (2,) and v.axes() == (AXIS,)
    other = LabeledAxis().add("b", 7).setup_layout()
    with pytest.raises(ValueError, match="axes"):
        default_collate([labeled_vector(), LabeledVector(torch.rand(7), other)])
    with pytest.raises(TypeError, match="R2.*SR2"):
        default_collate([SR2.zeros(), R2.zeros()])
    for cls in (Tensor, Slotted):
        with pytest.raises(ValueError, match=r"base shapes \[3\] and \[\] differ"):
            default_collate([cls(torch.rand(2, 3), 1), cls(torch.rand(2, 3), 2)])


# ---- Out of memory ----


def test_memory_that_cannot_be_had_is_torchs_error():
    mode = """
import torch
from torch.utils._python_dispatch import TorchDispatchMode
class Full(TorchDispatchMode):
    def __torch_dispatch__(self, f, types, args=(), kwargs=None):
        raise torch.OutOfMemoryError("no memory left")
"""
    scope = {}
    exec(mode, scope)
    s, C = random(SR2, 2), SSR4.isotropic_E_nu(2.0, 0.3)
    for use in (lambda: C * s, lambda: s * 2, lambda: math.dev(s), lambda: SR2.zeros(2), lambda: s.clone(), lambda: math.batch_sum(s)):
        with pytest.raises(torch.OutOfMemoryError, match="no memory left"), scope["Full"]():
            use()


def test_memory_that_an_operation_asks_for_in_vain_is_torchs_error():
    rows = 2**45
    many = SR2(torch.rand(6)).batch.expand(rows)
    grad = SR2(torch.rand(6, requires_grad=True)).batch.expand(rows)
    for name, use in {
        r"\*": lambda: many * 2.0,
        "dev": lambda: many.dev(),
        "inner": lambda: many.inner(many),
        "norm": lambda: grad.norm(),
        "exp": lambda: math.exp(many),
        "zeros": lambda: SR2.zeros(rows),
        "full": lambda: SR2.full(0.5, rows),
        "rand": lambda: SR2.rand(rows),
        "ones": lambda: SR2.ones_like(many),
    }.items():
        with pytest.raises(torch.OutOfMemoryError, match=rf"^{name}.*\b{rows}\b"):
            use()
    assert SR2.zeros(2).norm().batch.shape == (2,)  # and later calls work
