# SPDX-License-Identifier: MIT
"""Every operation under transforms that look inside it: recorded traces, fake and meta tensors, torch.func, vectorized gradients."""

import re
import warnings

import pytest
import torch
from operations import MISSING, ROWS
from support import run
from torch._subclasses.fake_tensor import DynamicOutputShapeException, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from neml2 import crystallography, math
from neml2.tensors import R2, SR2, Vec

BATCH = (2,)
OF_VALUES = {"TensorBase.BatchView.__getitem__ #6"}  # as many results as a mask has true entries


def test_every_operation_has_a_row_or_a_reason():
    assert not MISSING


def same(found, expected, digits=8):
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        torch.testing.assert_close(a, b, rtol=10**-digits, atol=10**-digits, equal_nan=True, check_dtype=digits == 8)


def described(tensors):
    return [(tuple(t.shape), t.dtype) for t in tensors]


# ---- Recorded ----


def quietly(f, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about sizes that become constants
        return f(*arguments, **options)


def function(row):
    return row.name.split("(")[0]


def each_of(rows):
    return pytest.mark.parametrize("row", rows, ids=lambda row: row.name)


WITH_TENSORS = [r for r in ROWS if r.results(*r.arguments(*BATCH))]
FIRST = {function(r): r for r in reversed(WITH_TENSORS)}
# Each makes thousands of PyTorch calls, which take 2 ms each in a graph and 4 ms each in an export.
LONG = {"math.logm", "math.dlogm", "math.powm", "math.dpowm", "math.hencky_strain"}
IN_GRAPHS = [r for r in WITH_TENSORS if function(r) not in LONG or r is FIRST[function(r)]]
EXPORTED = [r for f, r in FIRST.items() if r.name not in OF_VALUES and f not in LONG - {"math.logm"}]  # An export takes a second.

every_row = each_of(ROWS)
every_result = each_of(WITH_TENSORS)


@every_result
def test_a_trace_computes_what_it_recorded(row):
    traced = quietly(torch.jit.trace, row.results, row.arguments(*BATCH), check_trace=False)
    other = row.arguments(*BATCH)
    same(traced(*other), row.results(*other))


@each_of(IN_GRAPHS)
def test_a_graph_of_make_fx_computes_what_it_recorded(row):
    graph = quietly(make_fx(row.results), *row.arguments(*BATCH))
    other = row.arguments(*BATCH)
    same(graph(*other), row.results(*other))


class Module(torch.nn.Module):
    def __init__(self, row):
        super().__init__()
        self.row = row

    def forward(self, *raw):
        return self.row.results(*raw)


@each_of(EXPORTED)
def test_an_exported_program_computes_the_same(row):
    exported = quietly(torch.export.export, Module(row), row.arguments(*BATCH), strict=False).module()
    other = row.arguments(*BATCH)
    same(exported(*other), row.results(*other))


# ---- Without values ----

def shapes_agree(row, x):
    expected = row.arguments(*BATCH)
    try:
        assert described(row.results(*x)) == described(row.results(*expected))
        assert row.others(*x) == row.others(*expected)
    except DynamicOutputShapeException:
        assert row.name in OF_VALUES


@every_row
def test_fake_tensors_have_the_shapes_of_the_results(row):
    x = row.arguments(*BATCH)
    expected, others = described(row.results(*x)), row.others(*x)
    mode = FakeTensorMode()
    fake = [mode.from_tensor(t) for t in x]
    with mode:
        try:
            assert described(row.results(*fake)) == expected and row.others(*fake) == others
        except DynamicOutputShapeException:
            assert row.name in OF_VALUES


@every_row
def test_fake_tensors_are_right_or_refused_outside_of_their_mode(row):
    mode = FakeTensorMode()
    fake = [mode.from_tensor(t) for t in row.arguments(*BATCH)]
    try:
        shapes_agree(row, fake)
    except AssertionError as refusal:  # an error of PyTorch if constants are involved
        assert "Please convert all Tensors to FakeTensors first" in str(refusal)


@every_row
def test_meta_tensors_have_the_shapes_of_the_results(row):
    meta = [t.to("meta") for t in row.arguments(*BATCH)]
    if function(row).endswith(".cpu"):
        with pytest.raises(NotImplementedError, match="meta"):
            row.results(*meta)
        return
    expected = described(row.results(*row.arguments(*BATCH)))
    with torch.device("meta"):
        try:
            assert described(row.results(*meta)) == expected
        except (NotImplementedError, RuntimeError):
            assert row.name in OF_VALUES


# ---- Derivatives ----


def smooth(row):
    x = row.arguments(*BATCH)
    return all(t.is_floating_point() for t in x) and any(t.is_floating_point() for t in row.results(*x))


every_derivative = pytest.mark.parametrize("row", [r for r in ROWS if smooth(r)], ids=lambda row: row.name)


class Case:
    """A row at some point, with random cotangents and tangents, and its derivatives by autograd of the fused operation."""

    def __init__(self, row, *batch):
        self.row, self.x = row, row.arguments(*batch)
        self.weights = tuple(torch.rand_like(t) for t in self.f(*self.x))
        self.tangents = tuple(torch.rand_like(t) for t in self.x)
        self.inputs = tuple(range(len(self.x)))
        self.digits = 8 if all(t.dtype == torch.float64 for t in self.weights) else 2

    def f(self, *x):
        return tuple(t for t in self.row.results(*x) if t.is_floating_point())

    def loss(self, *x):
        return weighted(self.weights, self.f(*x))

    def gradient(self):
        x = self.leaves()
        return derivatives(self.loss(*x), x)

    def leaves(self):
        return tuple(t.clone().requires_grad_() for t in self.x)

    def size(self):
        return sum(t.numel() for t in self.x) * sum(t.numel() for t in self.weights)


def weighted(weights, results):
    return sum((w * t).sum() for w, t in zip(weights, results, strict=True))


def derivatives(y, x, **options):
    """The derivatives of y by x; 0 if y does not depend on x."""
    if not y.requires_grad:
        return tuple(torch.zeros_like(t) for t in x)
    return torch.autograd.grad(y, x, materialize_grads=True, **options)


LARGEST = 200_000  # entries of a Jacobian


@every_derivative
def test_func_grad_is_that_of_autograd(row):
    c = Case(row, *BATCH)
    same(torch.func.grad(c.loss, c.inputs)(*c.x), c.gradient(), c.digits)


@every_derivative
def test_func_vjp_is_that_of_autograd(row):
    c = Case(row, *BATCH)
    results, pull = torch.func.vjp(c.f, *c.x)
    same(results, c.f(*c.x))
    same(pull(c.weights), c.gradient(), c.digits)


@every_derivative
def test_func_jvp_is_that_of_autograd(row):
    c = Case(row, *BATCH)
    results, tangents = torch.func.jvp(c.f, c.x, c.tangents)
    same(results, c.f(*c.x))
    same([weighted(c.weights, tangents)], [weighted(c.tangents, c.gradient())], c.digits)


@every_derivative
def test_func_jacrev_is_that_of_autograd(row):
    c = Case(row, *BATCH)
    if c.size() > LARGEST:
        pytest.skip("a large Jacobian")
    by_input = zip(*torch.func.jacrev(c.f, c.inputs)(*c.x), strict=True)
    found = [sum(torch.tensordot(w, J.to(w.dtype), w.dim()) for w, J in zip(c.weights, column)) for column in by_input]
    same(found, c.gradient(), c.digits)


@every_derivative
def test_func_hessian_is_that_of_autograd(row):
    c = Case(row, *BATCH)
    if sum(t.numel() for t in c.x) > 100:
        pytest.skip("a large Hessian")
    x = c.leaves()
    first = derivatives(c.loss(*x), x, create_graph=True)
    expected = derivatives(weighted(c.tangents, first), x)
    gradient = torch.func.jacrev(c.loss, c.inputs)
    rows = torch.func.jacfwd(gradient, c.inputs, randomness="same")(*c.x)  # the same as torch.func.hessian
    found = [sum(torch.tensordot(u, row[k].to(u.dtype), u.dim()) for u, row in zip(c.tangents, rows)) for k in c.inputs]
    same(found, expected, c.digits)


@every_derivative
def test_vectorized_gradients_are_those_of_autograd(row):
    """The derivative rules of fused operations, on a batch of cotangents."""
    c = Case(row, *BATCH)
    x = c.leaves()
    results = [(t, w) for t, w in zip(c.f(*x), c.weights) if t.requires_grad]
    if not results:
        return
    y, w = zip(*results)
    options = {"retain_graph": True, "allow_unused": True}
    each = [torch.autograd.grad(y, x, [k * t for t in w], **options) for k in (1, 2)]
    try:
        both = torch.autograd.grad(y, x, [torch.stack([t, 2 * t]) for t in w], is_grads_batched=True, **options)
    except RuntimeError as refusal:  # an error of PyTorch: its old vmap, which torch.func does not use, lacks these operations
        assert re.search("Batching rule not implemented for aten::(flatten|unflatten|detach)", str(refusal))
        return
    same(*zip(*((g, torch.stack(t)) for g, t in zip(both, zip(*each)) if g is not None)), c.digits)


# ---- vmap ----


@every_derivative
def test_func_vmap_of_forward_mode_is_that_of_autograd(row):
    c = Case(row, *BATCH)
    if sum(t.numel() for t in c.x) > 100:
        pytest.skip("a large Jacobian")
    x = row.arguments(2, *BATCH)
    found = torch.func.vmap(torch.func.jacfwd(c.loss, c.inputs, randomness="same"), randomness="same")(*x)
    for k in range(2):
        c.x = tuple(t[k] for t in x)
        same([t[k] for t in found], c.gradient(), c.digits)


@pytest.mark.parametrize("f", [lambda A, b: math.solve(R2(A), Vec(b)), lambda A, b: R2(A).inverse() * Vec(b)], ids=["solve", "inverse"])
def test_a_singular_matrix_spoils_no_other(f):
    A, b = torch.rand(3, 3, 3) + torch.eye(3), torch.rand(3, 3)
    A[1] = 0.0

    def loss(A, b):
        return f(A, b).torch().sum()

    expected = torch.func.grad(loss, (0, 1))(A[::2], b[::2])
    for found in [torch.func.grad(loss, (0, 1))(A, b), torch.func.vmap(torch.func.grad(loss, (0, 1)))(A, b)]:
        same([t[::2] for t in found], expected)
        assert all(t[1].isnan().any() for t in found)


OF_SYMMETRIC = {
    "eigenvalues": math.eigenvalues,
    "eigenvectors": lambda s: math.eigh(s)[1],
    "lode_angle": math.lode_angle,
    "cholesky": math.cholesky,
    "inv": math.inv,
    "logm": math.logm,
    "expm": math.expm,
}


@pytest.mark.parametrize("f", OF_SYMMETRIC.values(), ids=OF_SYMMETRIC)
def test_derivatives_are_nan_where_the_value_is(f):
    s = torch.tensor([[2.0, 3.0, 4.0, 0.1, 0.2, 0.3], [-2.0, 3.0, 4.0, 0.1, 0.2, 0.3], [torch.nan, 3.0, 4.0, 0.1, 0.2, 0.3]])

    def raw(s):
        return f(SR2(s)).torch()

    bad = raw(s).reshape(3, -1).isnan().any(-1)
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        found = torch.func.vmap(jacobian(raw))(s).reshape(3, -1)
        assert found.isnan().any(-1).equal(bad)
        torch.testing.assert_close(found[~bad], torch.stack([torch.autograd.functional.jacobian(raw, x) for x in s]).reshape(3, -1)[~bad])


def test_the_first_tensor_of_a_process_may_be_made_in_a_transform():
    program = "t = torch.func.grad(lambda t: (SR2.ones(2).torch() * t).sum())(torch.ones(2, 6)); assert t.eq(1.0).all()"
    done = run(f"import torch\nfrom neml2.tensors import SR2\n{program}")
    assert done.returncode == 0, done.stderr


@every_result
def test_func_vmap_is_the_batch(row):
    x = row.arguments(3, *BATCH)
    expected = [torch.stack(t) for t in zip(*(row.results(*(t[k] for t in x)) for k in range(3)))]
    same(torch.func.vmap(row.results, randomness="different")(*x), expected)


@every_result
def test_func_vmap_of_the_first_argument_is_the_batch(row):
    x, *others = row.arguments(3, *BATCH)
    others = [t[0] for t in others]
    expected = [torch.stack(t) for t in zip(*(row.results(t, *others) for t in x))]
    mapped = torch.func.vmap(row.results, in_dims=(0, *[None] * len(others)), randomness="different")
    same(mapped(x, *others), expected)


# ---- Results that depend on values, and results that are kept ----


def directions(v):
    return crystallography.unique_bidirectional(crystallography.symmetry("4"), Vec(v)).torch()


@pytest.mark.parametrize(
    "transformed",
    [
        lambda v: torch.jit.trace(directions, v),
        lambda v: make_fx(directions)(v),
        lambda v: torch.func.vmap(directions)(v[None]),
        lambda v: torch.func.jvp(directions, (v,), (v,)),
        lambda v: directions(v.to("meta")),
    ],
)
def test_results_whose_number_depends_on_values_are_refused(transformed):
    v = torch.tensor([1.0, 0.0, 0.0])
    assert directions(v).shape == (2, 3)
    with pytest.raises(Exception, match="depends on the values|different devices"):
        quietly(transformed, v)


@pytest.mark.parametrize(
    "first",
    [
        "with FakeTensorMode(): math.mandel_to_full(SR2.zeros(2)), math.full_to_skew_factor()",
        "torch.func.vmap(lambda t: math.mandel_to_full(SR2(t)).torch())(x)",
        "torch.func.grad(lambda t: math.mandel_to_full(SR2(t)).torch().sum())(x)",
        "make_fx(lambda t: math.mandel_to_full(SR2(t)).torch())(x)",
        "torch.jit.trace(lambda t: math.mandel_to_full(SR2(t)).torch(), x)",
    ],
)
def test_constants_outlive_the_mode_that_needed_them_first(first):
    done = run(
        f"""
import torch
from neml2 import math
from neml2.tensors import R2, SR2
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
x = torch.rand(2, 6)
{first}
assert torch.allclose(math.mandel_to_full(SR2(x)).torch(), R2(SR2(x)).torch())
assert math.full_to_skew_factor().tolist() == [1, 1, 1]
"""
    )
    assert done.returncode == 0, done.stderr
