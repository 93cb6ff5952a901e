# SPDX-License-Identifier: MIT
"""torch.compile leaves calls of this library to Python, with the same results; torch.export and traces fix sizes."""

import shutil
import warnings

import pytest
import torch

from neml2 import math
from neml2.tensors import R2, SR2, SSR4, LabeledAxis, LabeledVector, Quaternion, Rot, Scalar, Vec

pytestmark = pytest.mark.skipif(torch.__version__ < "2.13", reason="Dynamo of PyTorch 2.6 fails at types of compiled extensions")
C = SSR4.isotropic_E_nu(200.0, 0.3, dtype=torch.float64)
AXIS = LabeledAxis().add("a", Scalar).add("s", SR2).setup_layout()


def to_torch_and_on(e):
    return SR2(e).torch() * 2


def a_method(e):
    return (e + 1) * SR2(e * 2).dev().torch() + 1


def in_place(e):
    s = SR2(e.clone())
    s += 1
    s -= 0.5
    s *= Scalar(2.0, dtype=e.dtype)
    s /= 4
    return s.torch() * 2


def a_product(e):
    return (C * SR2(e)).torch().exp()


def a_function_of_any_type(e):
    return math.dev(SR2(e)).torch() + math.norm(SR2(e)).torch().unsqueeze(-1)


def index_of_the_batch(e):
    return SR2(e).batch[0].torch() * 2


def writing_to_an_index(e):
    s = SR2(e.clone())
    s.batch[0] = 1.0
    s.base[3:] *= 0.5
    return s.torch().sum()


def over_the_batch(e):
    total = e.new_zeros(6)
    for s in SR2(e).batch:
        total = total + s.dev().torch()
    return total


def factories(e):
    return SR2.zeros(3, dtype=e.dtype).torch() + SR2.fill(1.0, dtype=e.dtype).torch() + e[:3]


def operators_with_numbers(e):
    s = SR2(e)
    return (2.0 * s - s / 3 + (1 - s) ** 2).torch() - e


def components(e):
    s, R = SR2(e), R2(SR2(e))
    return s(0, 1).torch() * 2 + R(1, 2).torch() + R.row(0)(2).torch() + len(s.batch)


def comparisons(e):
    s = SR2(e)
    return math.where(s > 0.5, s, 0.0).torch() + (1 if (s < 2).all() else 2)


def a_branch_on_a_shape(e):
    s = SR2(e)
    return e.sum() if s.batch.dim() == 1 and s.base.shape == (6,) and s.dtype == e.dtype else e.mean()


def several_results(e):
    s = SR2(e * 1)
    return {"tr": s.tr().torch(), "parts": (s.dev().torch(), [s.vol().torch() + 1])}


def comprehensions(e):
    return math.batch_stack([SR2(x) * k for k, x in enumerate(e)]).torch() + 1


def rotations(e):
    r, q = Rot(e[:, :3]), Quaternion.fill(1.0, 0.0, 0.0, 0.0, dtype=e.dtype)
    return (r * Vec(e[:, 3:])).torch() + SR2(e).rotate(r).rotate(q).torch().sum() + (R2(r) @ Vec(e[:, 3:])).torch()


def copies(e):
    s = SR2(e).clone().detach().to(dtype=torch.float32).double()
    return s.torch() + 1


def exceptions(e):
    try:
        return SR2(e[:, :5]).torch()
    except ValueError:
        return e * 2


def labels(e):
    v = LabeledVector.assemble(AXIS, {"a": Scalar(e[:, 0]), "s": SR2(e)})
    return v.base["s"].torch() * v.reinterpret("a", Scalar).torch().unsqueeze(-1)


def an_inner_function(e):
    scale = e.max()

    def scaled(s):
        return s * Scalar(scale)

    return scaled(SR2(e)).torch() * scale


def derivatives_within(e):
    s = SR2(e.detach()).requires_grad_()
    return math.jacrev(s.norm_sq(), s).torch() * 2


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.E = torch.nn.Parameter(torch.tensor(200.0, dtype=torch.float64))

    def forward(self, e):
        return (SSR4.isotropic_E_nu(Scalar(self.E), 0.3) * SR2(e)).norm_sq().torch().sum()


PROGRAMS = [
    to_torch_and_on,
    a_method,
    in_place,
    a_product,
    a_function_of_any_type,
    index_of_the_batch,
    writing_to_an_index,
    over_the_batch,
    factories,
    operators_with_numbers,
    components,
    comparisons,
    a_branch_on_a_shape,
    several_results,
    comprehensions,
    rotations,
    copies,
    exceptions,
    labels,
    an_inner_function,
    derivatives_within,
]
# For these types Dynamo does not leave an operator of two of the library's tensors to Python, as it does with other methods.
OPERATORS = pytest.mark.xfail(
    torch.__version__ >= "2.15",
    raises=torch._dynamo.exc.InternalTorchDynamoError,
    strict=True,
    reason="Dynamo of PyTorch 2.15 calls itself without end at operators of extension types",
)
WITH_OPERATORS = [a_product, operators_with_numbers, rotations, an_inner_function]


def marked(programs):
    return [pytest.param(p, marks=OPERATORS if p in WITH_OPERATORS else (), id=p.__name__) for p in programs]


def same(a, b):
    leaves, spec = torch.utils._pytree.tree_flatten(a)
    others, other_spec = torch.utils._pytree.tree_flatten(b)
    return spec == other_spec and all(torch.allclose(x, y) for x, y in zip(leaves, others))


@pytest.fixture(autouse=True)
def compiled_anew():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("program", marked(PROGRAMS))
def test_compiled_programs_give_the_same(program, backend):
    compiled = torch.compile(program, backend=backend)
    for n in (4, 7, 4):
        e = torch.rand(n, 6)
        assert same(compiled(e), program(e))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_fullgraph_works_or_says_where_it_cannot(program):
    e = torch.rand(4, 6)
    try:
        result = torch.compile(program, backend="eager", fullgraph=True)(e)
    except torch._dynamo.exc.Unsupported as refusal:
        message = str(refusal)  # names what is compiled, nb_func is a function of neml2, and the user's line
        assert ("neml2_tensors.tensors" in message or "nb_func" in message) and f"in {program.__name__}\n" in message, message
    else:
        assert same(result, program(e))


@pytest.mark.parametrize("program", marked([to_torch_and_on, a_method, in_place, a_product]))
def test_compiled_programs_give_the_same_by_inductor(program):
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        pytest.skip("no compiler")
    e = torch.rand(4, 6)
    assert same(torch.compile(program)(e), program(e))


def test_tensors_of_this_library_are_arguments_and_results_of_what_is_compiled():
    f = torch.compile(lambda s, k: (C * s.dev(), k * 2), backend="eager")
    s, k = SR2.rand(4), Scalar.rand(4)
    stress, twice = f(s, k)
    assert type(stress) is SR2 and torch.equal(stress.torch(), (C * s.dev()).torch())
    assert type(twice) is Scalar and torch.equal(twice.torch(), 2 * k.torch())


@OPERATORS
def test_gradients_flow_through_what_is_compiled():
    e = torch.rand(4, 6, requires_grad=True)
    f = lambda e: (C * SR2(e * 2)).inner(SR2(e)).torch().sum() * 3  # noqa: E731
    (expected,) = torch.autograd.grad(f(e), e)
    for backend in ("eager", "aot_eager"):
        (found,) = torch.autograd.grad(torch.compile(f, backend=backend)(e), e)
        assert torch.allclose(found, expected)


@OPERATORS
def test_a_compiled_module_learns():
    model, e = Model(), torch.rand(4, 6)
    compiled = torch.compile(model, backend="aot_eager")
    compiled(e).backward()
    found = model.E.grad.clone()
    model.E.grad = None
    model(e).backward()
    assert torch.allclose(found, model.E.grad)


@OPERATORS
def test_a_derived_class_is_left_to_python_too():
    class Stress(SR2):
        def twice(self):
            return self * 2

    f = torch.compile(lambda e: Stress(e).twice().torch() + 1, backend="eager")
    e = torch.rand(4, 6)
    assert torch.allclose(f(e), 2 * e + 1)


# ---- Export and traces ----


class Norms(torch.nn.Module):
    def forward(self, e):
        return (C * SR2(e)).dev().norm().torch()


def test_export_works_for_the_sizes_that_it_is_given():
    e = torch.rand(4, 6)
    exported = torch.export.export(Norms(), (e,), strict=False).module()
    other = torch.rand(4, 6)
    assert torch.allclose(exported(other), Norms()(other))
    with pytest.raises(Exception, match="(?i)size|shape|guard"):
        exported(torch.rand(5, 6))  # raises an error instead of computing with another size


def test_export_with_dynamic_sizes_is_refused():
    n = torch.export.Dim("n", min=2, max=100)
    with pytest.raises(Exception, match="specialized it to be a constant|symbolic sizes"):
        torch.export.export(Norms(), (torch.rand(4, 6),), dynamic_shapes=({0: n},), strict=False)


def test_tensors_of_this_library_are_arguments_of_what_is_exported():
    class Twice(torch.nn.Module):
        def forward(self, s):
            return s * 2

    exported = torch.export.export(Twice(), (SR2.rand(4),), strict=False).module()
    s = SR2.rand(4)
    assert torch.allclose(exported(s).torch(), 2 * s.torch())


def traced(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.trace(f, torch.rand(4, 6))


def test_traces_of_the_sizes_that_they_were_given_compute_the_same():
    e = torch.rand(4, 6)
    assert torch.allclose(traced(Norms())(e), Norms()(e))
    from torch.fx.experimental.proxy_tensor import make_fx

    assert torch.allclose(make_fx(lambda t: SR2(t).dev().torch())(e)(e), SR2(e).dev().torch())


@pytest.mark.parametrize("program", [Norms(), to_torch_and_on, a_method, rotations, labels], ids=lambda f: str(f)[:20])
def test_traces_of_other_sizes_are_right_or_refused(program):
    f, e = traced(program), torch.rand(5, 6)
    try:
        result = f(e)
    except RuntimeError:
        return
    assert torch.allclose(result, program(e))
