# SPDX-License-Identifier: MIT
"""The views .batch and .base against the indexing and reshaping of PyTorch on the same numbers."""

import gc
import typing

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from support import random, typed

from neml2.tensors import R2, SR2, BatchView, LabeledAxis, LabeledVector, Scalar, Tensor, Vec

SIZES = st.integers(0, 3)
SHAPES = st.lists(SIZES, max_size=3).map(tuple)
BASES = {Scalar: (), SR2: (6,), R2: (3, 3), Tensor: (2, 3)}
TYPES = st.sampled_from(list(BASES))


def numbers(cls, batch):
    shape = (*batch, *BASES[cls])
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape)


def of(cls, t, batch):
    return Tensor(t, len(batch)) if cls is Tensor else cls(t)


# ---- Indices ----


@st.composite
def indices(draw, shape, tensors=True):
    """An index of some of these dimensions; not always a valid one."""
    n, count = draw(st.integers(0, len(shape))), draw(st.integers(1, 3))

    def item(size):
        kinds = [st.integers(-size, max(size - 1, 0)), slices(size), st.just(slice(None))]
        if tensors:
            entries = st.lists(st.integers(-size, max(size - 1, 0)), min_size=count, max_size=count)
            mask = st.lists(st.booleans(), min_size=size, max_size=size).map(
                lambda m: torch.tensor(m, dtype=torch.bool)
            )
            kinds += [entries, entries.map(torch.tensor), entries.map(np.array), mask]
        return st.one_of(kinds)

    front = draw(st.integers(0, n))
    used = shape[:front] + shape[len(shape) - (n - front) :]
    items = [draw(item(size)) for size in used]
    if n < len(shape) and front < n or draw(st.booleans()):
        items.insert(front, ...)
    for _ in range(draw(st.integers(0, 2))):
        items.insert(
            draw(st.integers(0, len(items))), draw(st.sampled_from([None, None, True, False]) if tensors else st.none())
        )
    if len(items) == 1 and not isinstance(items[0], list) and draw(st.booleans()):
        return items[0]
    return tuple(items)


def slices(size):
    bound = st.none() | st.integers(-size - 2, size + 2)
    return st.builds(slice, bound, bound, st.none() | st.integers(1, 3))


def in_full(index, dims):
    """The index with slices instead of an ellipsis, which for torch would stand for base dimensions, too."""
    items = list(index) if isinstance(index, tuple) else [index]
    items = [
        torch.as_tensor(i, dtype=None if len(i) else torch.int64) if isinstance(i, (list, np.ndarray)) else i
        for i in items
    ]

    def consumed(i):
        if i is None or i is ... or isinstance(i, bool):
            return 0
        return i.dim() if isinstance(i, torch.Tensor) and i.dtype == torch.bool else 1

    for k, i in enumerate(items):
        if i is ...:
            items[k : k + 1] = [slice(None)] * (dims - sum(map(consumed, items)))
            break
    return tuple(items)


def expected(f):
    try:
        return f()
    except IndexError as e:
        return e


@given(cls=TYPES, batch=SHAPES, data=st.data())
def test_batch_indices(cls, batch, data):
    t = numbers(cls, batch)
    index = data.draw(indices(batch))
    e = expected(lambda: t[in_full(index, len(batch))])
    if isinstance(e, IndexError):
        with pytest.raises(IndexError):
            of(cls, t, batch).batch[index]
        return
    r = of(cls, t, batch).batch[index]
    assert type(r) is cls
    assert r.base.shape == BASES[cls]
    assert torch.equal(r.torch(), e)
    if r.numel():  # a view where PyTorch's is one
        assert (r.torch().data_ptr() == e.data_ptr()) == (e.data_ptr() in range(t.data_ptr(), t.data_ptr() + t.nbytes))


@given(cls=TYPES, batch=SHAPES, data=st.data())
def test_base_indices(cls, batch, data):
    t = numbers(cls, batch)
    base = BASES[cls]
    index = data.draw(indices(base))
    full = in_full(index, len(base))
    rows = t.reshape((torch.Size(batch).numel(), *base))
    e = expected(lambda: torch.zeros(base)[full])
    if isinstance(e, IndexError):
        with pytest.raises(IndexError):
            of(cls, t, batch).base[index]
        return
    r = of(cls, t, batch).base[index]
    assert type(r) is Tensor
    assert r.batch.shape == batch and r.base.shape == e.shape
    values = torch.stack([row[full] for row in rows]) if len(rows) else torch.zeros(0, *e.shape)
    assert torch.equal(r.torch(), values.reshape((*batch, *e.shape)))


@given(cls=TYPES, batch=SHAPES, data=st.data(), kind=st.sampled_from(["number", "torch", "typed", "integer"]))
def test_writing_by_batch_indices(cls, batch, data, kind):
    t = numbers(cls, batch)
    index = data.draw(indices(batch))
    full = in_full(index, len(batch))
    part = expected(lambda: t[full])
    assume(not isinstance(part, IndexError))
    e, a = t.clone(), of(cls, t.clone(), batch)
    memory = a.torch().data_ptr()
    if kind == "number":
        value = raw = -1.5
    elif kind == "integer":
        value = raw = -torch.arange(part.numel()).reshape(part.shape)
    else:
        value = raw = -torch.rand(part.shape)
        if kind == "typed":
            value = of(cls, raw, part.shape[: part.dim() - len(BASES[cls])])
    e[full] = raw.to(t.dtype) if kind == "integer" else raw
    a.batch[index] = value
    # Entries that are written twice take either value.
    if not twice(full, batch):
        assert torch.equal(a.torch(), e)
    assert a.torch().data_ptr() == memory


def twice(full, shape):
    if any(s == 0 for s in shape):
        return False
    positions = torch.arange(torch.Size(shape).numel()).reshape(shape)[full]
    return positions.unique().numel() != positions.numel()


@given(cls=TYPES, batch=SHAPES, data=st.data())
def test_writing_by_base_indices(cls, batch, data):
    t = numbers(cls, batch)
    index = data.draw(indices(BASES[cls], tensors=False))
    full = (*[slice(None)] * len(batch), *in_full(index, len(BASES[cls])))
    part = expected(lambda: t[full])
    assume(not isinstance(part, IndexError))
    for value in (2.5, -torch.rand(part.shape)):
        e, a = t.clone(), of(cls, t.clone(), batch)
        e[full] = value
        a.base[index] = value
        assert torch.equal(a.torch(), e)


def test_indices_by_tensors_of_the_library():
    a, i = random(SR2, 5), Scalar(torch.tensor([3, 0]))
    assert torch.equal(a.batch[i].torch(), a.torch()[[3, 0]])
    mask = Scalar(torch.tensor([True, False, False, True, True]))
    assert torch.equal(a.batch[mask].torch(), a.torch()[mask.torch()])
    assert torch.equal(a.batch[a.norm() > 1.2].torch(), a.torch()[a.torch().norm(dim=-1) > 1.2])
    a.batch[mask] = 0
    assert (a.norm() == 0).torch().tolist() == mask.tolist()


def test_indices_of_numpy():
    a = random(SR2, 5, 4)
    for i in (np.int64(2), np.int32(-1), np.uint8(3)):
        assert torch.equal(a.batch[i].torch(), a.torch()[int(i)])
    assert torch.equal(a.batch[np.array([True, False, True, False, True])].torch(), a.torch()[[0, 2, 4]])
    assert torch.equal(a.batch[:, np.array([[0, 1], [2, 3]])].torch(), a.torch()[:, [[0, 1], [2, 3]]])
    assert torch.equal(a.batch[torch.tensor(2)].torch(), a.torch()[2])
    assert torch.equal(a.batch[range(2)].torch(), a.torch()[:2])


@pytest.mark.parametrize(
    "index, error",
    [
        (5, IndexError),
        (-6, IndexError),
        ((0, 0, 0), IndexError),
        (10**30, (IndexError, OverflowError)),
        (-(10**30), (IndexError, OverflowError)),
        (1.5, (TypeError, IndexError)),
        (torch.tensor([0.5]), (TypeError, IndexError)),
        (torch.tensor([9]), IndexError),
        (torch.tensor([True] * 7), IndexError),
        ("x", TypeError),
        (b"0", TypeError),
        ({}, TypeError),
        (object(), TypeError),
        ([0, "x"], (TypeError, ValueError)),
        ([[0], [0, 1]], ValueError),
        (slice(None, None, 0), (ValueError, IndexError)),
        (slice(None, None, -1), (ValueError, IndexError)),
        (slice(0.5, None), TypeError),
        (slice("a", "b"), TypeError),
        (SR2, TypeError),
        ((0, (1, 2), "x"), TypeError),
    ],
    ids=lambda x: type(x).__name__,
)
def test_wrong_indices(index, error):
    a = random(SR2, 5, 4)
    before = a.torch().clone()
    with pytest.raises(error):
        a.batch[index]
    with pytest.raises(error):
        a.batch[index] = 1
    wide = random(Tensor).base
    with pytest.raises((IndexError, TypeError, ValueError, OverflowError)):
        wide[index]
    assert torch.equal(a.torch(), before)


def test_undefined_indices():
    with pytest.raises((IndexError, ValueError, TypeError), match="undefined|Scalar"):
        random(SR2, 5).batch[Scalar()]


def test_large_slices():
    """Slices behave as for lists: bounds beyond the end are replaced by the end."""
    a = random(SR2, 5)
    assert a.batch[: 10**30].batch.shape == (5,)
    assert a.batch[-(10**30) :].batch.shape == (5,)
    assert a.batch[2**62 :].batch.shape == (0,)


def test_messages_of_wrong_indices():
    a = random(SR2, 5)
    with pytest.raises(IndexError, match=r"^\.batch\[\.\.\.\]: 2 indices for the 1 batch dimensions of .*\(5; 6\)"):
        a.batch[0, 0]
    with pytest.raises(IndexError, match=r"^\.base\[\.\.\.\]: 2 indices for the 1 base dimensions"):
        a.base[0, 0]
    with pytest.raises(IndexError, match="7"):
        a.batch[7]
    with pytest.raises(IndexError, match="7"):
        a.base[7]


@pytest.mark.parametrize("value", [None, "x", [1.0] * 6, object(), SR2, b"1"], ids=lambda value: type(value).__name__)
def test_wrong_values(value):
    a = random(SR2, 5)
    before = a.torch().clone()
    for view in (a.batch, a.base):
        with pytest.raises(TypeError, match="cannot write"):
            view[0] = value
    assert torch.equal(a.torch(), before)


def test_values_that_do_not_fit():
    a = random(SR2, 5)
    before = a.torch().clone()
    for view, value in [(a.batch, torch.rand(5)), (a.batch, random(SR2, 2)), (a.base, torch.rand(3)), (a.batch, SR2())]:
        with pytest.raises((IndexError, ValueError)):
            view[0] = value
    assert torch.equal(a.torch(), before)
    expanded = random(SR2).batch.expand(3)
    with pytest.raises((IndexError, ValueError), match="expanded"):
        expanded.batch[0] = 1
    with pytest.raises((IndexError, ValueError, RuntimeError)):
        random(SR2, 2, grad=True).batch[0] = 1
    with pytest.raises((TypeError, AttributeError)):
        del a.batch[0]


def test_values_take_dtype_and_overlap():
    a = random(SR2, 5).to(dtype=torch.float32)
    b = random(SR2)
    a.batch[1] = b
    assert a.dtype == torch.float32 and torch.equal(a.torch()[1], b.torch().to(torch.float32))
    before = a.torch().clone()
    a.batch[1:] = a.batch[:-1]
    assert torch.equal(a.torch()[1:], before[:-1])
    a.batch[0] += 1
    assert torch.equal(a.torch()[0], before[0] + 1)
    a.base[0] *= 2
    assert a.torch()[0, 0] == 2 * (before[0, 0] + 1)


# ---- Shapes ----


@given(cls=TYPES, batch=st.lists(st.integers(0, 3), max_size=2).map(tuple), data=st.data())
def test_expand(cls, batch, data):
    t = numbers(cls, batch)
    shape = data.draw(st.lists(st.integers(0, 3), max_size=2 - len(batch)).map(tuple))
    shape += tuple(data.draw(st.integers(0, 3)) if n == 1 else n for n in batch)
    a, e = of(cls, t, batch), t.expand((*shape, *BASES[cls]))
    for r in (a.batch.expand(*shape), a.batch.expand(shape), a.batch.expand_as(Scalar(torch.zeros(shape)))):
        assert type(r) is cls and r.batch.shape == shape
        assert torch.equal(r.torch(), e) and (r.torch().data_ptr() == t.data_ptr() or not e.numel())
    copied = a.batch.expand_copy(shape)
    assert torch.equal(copied.torch(), e) and (copied.torch().data_ptr() != t.data_ptr() or not e.numel())


@given(cls=TYPES, batch=SHAPES, data=st.data())
def test_dimensions(cls, batch, data):
    t, base, n = numbers(cls, batch), BASES[cls], len(batch)
    a = of(cls, t, batch)

    def check(r, e, shape):
        assert type(r) is cls and r.batch.shape == shape and r.base.shape == base
        assert torch.equal(r.torch(), e)

    i = data.draw(st.integers(0, n))
    check(a.batch.unsqueeze(i), t.unsqueeze(i), (*batch[:i], 1, *batch[i:]))
    check(a.batch.unsqueeze(i - n - 1, n=2), t.unsqueeze(i).unsqueeze(i), (*batch[:i], 1, 1, *batch[i:]))
    check(a.batch.flatten(), t.reshape((torch.Size(batch).numel(), *base)), (torch.Size(batch).numel(),))
    order = data.draw(st.permutations(batch))
    check(a.batch.reshape(order), t.reshape((*order, *base)), tuple(order))
    if a.numel():
        check(a.batch.reshape(-1), t.reshape((-1, *base)), (torch.Size(batch).numel(),))
    if n == 0:
        return
    i, j = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    swapped = t.transpose(i, j)
    check(a.batch.transpose(i, j - n), swapped, tuple(swapped.shape[:n]))
    moved = t.movedim(i, j)
    check(a.batch.movedim(i - n, j), moved, tuple(moved.shape[:n]))
    s = data.draw(slices(batch[i]))
    index = (*[slice(None)] * i, s)
    check(a.batch.slice(i - n, s.start, s.stop, s.step), t[index], tuple(t[index].shape[:n]))
    assert a.batch.size(i) == a.batch.size(i - n) == batch[i]
    assert len(a.batch) == batch[0]
    if batch[i] == 1:
        check(a.batch.squeeze(i), t.squeeze(i), batch[:i] + batch[i + 1 :])
    else:
        with pytest.raises((IndexError, ValueError)):
            a.batch.squeeze(i)


@given(cls=TYPES, batch=SHAPES, data=st.data())
def test_base_dimensions(cls, batch, data):
    t, base, n = numbers(cls, batch), BASES[cls], len(BASES[cls])
    a, b = of(cls, t, batch), len(batch)

    def check(r, e):
        assert type(r) is Tensor and r.batch.shape == batch
        assert torch.equal(r.torch(), e)

    i = data.draw(st.integers(0, n))
    check(a.base.unsqueeze(i), t.unsqueeze(b + i))
    check(a.base.unsqueeze(i - n - 1, 2).base.squeeze(i), t.unsqueeze(b + i))
    check(a.base.reshape(base[::-1]), t.reshape((*batch, *base[::-1])))
    check(a.base.expand(2, *base), t.reshape((*batch, 1, *base)).expand(*batch, 2, *base))
    check(a.base.expand_copy((2, *base)), t.reshape((*batch, 1, *base)).expand(*batch, 2, *base))
    first = t[(..., *[0] * n)]
    check(Scalar(first).base.expand_as(a), first.reshape((*batch, *[1] * n)).expand(t.shape))
    check(a.base.flatten(), t.reshape(*batch, torch.Size(base).numel()))
    if n == 0:
        return
    i, j = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    check(a.base.transpose(i, j - n), t.transpose(b + i, b + j))
    check(a.base.movedim(i - n, j), t.movedim(b + i, b + j))
    s = data.draw(slices(base[i]))
    check(a.base.slice(i - n, s.start, s.stop, s.step), t[(*[slice(None)] * (b + i), s)])
    assert a.base.size(i - n) == base[i] and len(a.base) == base[0]
    check(a.base.flatten(min(i, j), max(i, j)), t.flatten(b + min(i, j), b + max(i, j)))


def test_wrong_dimensions():
    a = random(SR2, 2, 1)
    for view in (a.batch, random(R2, 2).base):
        for d in (2, -3, 2**62):
            for use in (
                lambda: view.transpose(d, 0),
                lambda: view.movedim(0, d),
                lambda: view.squeeze(d),
                lambda: view.size(d),
                lambda: view.slice(d),
                lambda: view.unsqueeze(d + 1 if d > 0 else d - 1),
            ):
                with pytest.raises((IndexError, ValueError)):
                    use()
    with pytest.raises((IndexError, ValueError)):
        a.batch.unsqueeze(0, -1)
    with pytest.raises(ValueError, match=r"^\.batch\.reshape: "):
        a.batch.reshape(5)
    with pytest.raises(ValueError, match=r"^\.batch\.expand: "):
        a.batch.expand(3, 1)
    with pytest.raises(ValueError, match=r"^\.base\.expand: "):
        a.base.expand(3)
    for wrong in ("x", 1.5, None, (1, "x"), [[2]], np.ones(2)):
        for use in (a.batch.expand, a.batch.reshape, a.base.expand, a.base.reshape):
            with pytest.raises((TypeError, ValueError)):
                use(wrong)
    with pytest.raises(TypeError):
        len(random(SR2).batch)
    for step in (0, -1):
        with pytest.raises((IndexError, ValueError)):
            a.batch.slice(0, 0, 1, step)


def test_iteration_ends():
    a = random(SR2, 3)
    rows = list(a.batch)
    assert len(rows) == 3 and all(type(x) is SR2 and x.batch.shape == () for x in rows)
    assert [x.item() for x in random(Vec).base] and len(list(random(Vec).base)) == 3
    with pytest.raises(TypeError):
        iter(a)


def test_shapes_are_tuples():
    a = typed(SR2, torch.rand(2, 3, 6))
    assert f"{a.batch.shape} {a.base.shape} {random(SR2).batch.shape}" == "(2, 3) (6,) ()"
    assert a.batch.shape + a.base.shape == a.shape
    assert hash(a.batch.shape) == hash((2, 3))


# ---- Lifetime ----


def test_views_keep_their_parents_alive():
    view = SR2(torch.arange(12.0).reshape(2, 6)).batch
    part = Tensor(torch.arange(12.0).reshape(2, 6), 1).base
    for _ in range(3):
        gc.collect()
        [torch.rand(2, 6) for _ in range(100)]  # freed memory would be overwritten
    assert view.shape == (2,) and view[1].tolist() == [6, 7, 8, 9, 10, 11]
    assert part.shape == (6,) and part[5].tolist() == [5, 11]
    view[0] = 3
    assert view[0].tolist() == [3.0] * 6


def test_views_see_what_is_written_later():
    a = SR2.zeros(3)
    view = a.batch
    a += 1
    assert view[0].tolist() == [1.0] * 6


# ---- Iteration, and indexing of the tensor itself ----


@given(st.data())
def test_iteration_is_over_the_first_dimension(data):
    cls = data.draw(TYPES)
    batch = data.draw(SHAPES.filter(len))
    a = of(cls, numbers(cls, batch), batch)
    parts = list(a.batch)
    assert len(parts) == batch[0] and all(type(p) is cls and p.batch.shape == batch[1:] for p in parts)
    assert all(torch.equal(p.torch(), a.batch[i].torch()) for i, p in enumerate(parts))


def test_iteration_over_the_base_and_over_labeled_tensors():
    R = R2(torch.rand(2, 3, 3))
    rows = list(R.base)
    assert len(rows) == 3 and all(type(r) is Tensor and torch.equal(r.torch(), R.torch()[:, i]) for i, r in enumerate(rows))
    axis = LabeledAxis().add("s", SR2).setup_layout()
    v = LabeledVector(torch.rand(3, 6), axis)
    parts = list(v.batch)
    assert len(parts) == len(v.batch) == 3 and all(type(p) is LabeledVector and p.axes() == (axis,) for p in parts)
    assert torch.equal(parts[1].torch(), v.torch()[1])


def test_what_iteration_gives_is_a_view():
    a = SR2(torch.zeros(3, 6))
    for k, s in enumerate(a.batch):
        s += k
    assert a.torch()[:, 0].tolist() == [0, 1, 2]


def test_nothing_to_iterate_over():
    axis = LabeledAxis().add("s", SR2).setup_layout()
    for view in (SR2.zeros().batch, Scalar.zeros(2).base, LabeledVector.zeros((), axis).batch):
        with pytest.raises(TypeError, match="without dimensions"):
            iter(view)
    with pytest.raises(ValueError, match="undefined"):
        iter(SR2().batch)


@pytest.mark.parametrize(
    "use",
    [
        lambda s: s[0],
        lambda s: s[..., 0],
        lambda s: s[None],
        lambda s: s.__setitem__(0, 1.0),
        lambda s: list(s),
        lambda s: [*s],
    ],
)
def test_indexing_a_tensor_says_how(use):
    for s in (SR2.zeros(3), SR2(), Tensor.zeros((3,), (2,))):
        with pytest.raises(TypeError, match=rf"{type(s).__name__}\[...\] does not say .*s.batch\[...\].*s.base\[...\].*s.torch\(\)"):
            use(s)


def test_a_tensor_is_still_no_sequence_to_numpy_and_torch():
    s = SR2(torch.rand(3, 6))
    assert np.array_equal(np.asarray(s), s.torch().numpy())
    assert isinstance(2.0 * np.float64(3) * s, SR2)
    with pytest.raises(TypeError):
        len(s)


# ---- Types ----


def test_the_view_of_a_batch_is_generic():
    assert typing.get_origin(BatchView[SR2]) is BatchView and typing.get_args(BatchView[SR2]) == (SR2,)

    def first(view: BatchView[SR2]) -> SR2:
        return view[0]

    assert typing.get_type_hints(first) == {"view": BatchView[SR2], "return": SR2}
    assert isinstance(SR2.zeros(2).batch, BatchView) and type(first(SR2.zeros(2).batch)) is SR2
    with pytest.raises(TypeError):
        BatchView[SR2]()
