# SPDX-License-Identifier: MIT
"""Errors use the names of Python: .batch.unsqueeze, not batch_unsqueeze. The tests also search the messages in the headers."""

import re
from pathlib import Path

import neml2
import pytest
import torch
from neml2 import math
from neml2._C import in_python
from neml2.tensors import R2, SR2, SSR4, LabeledAxis, LabeledMatrix, LabeledVector, MillerIndex, Rot, Scalar, Tensor, Vec
from support import of_cpp

HERE = Path(__file__).resolve()
HEADERS = next(
    p for p in (Path(neml2.__file__).parent / "include/neml2", HERE.parents[2] / "include/neml2") if (p / "neml2.h").is_file()
)
BINDINGS = HERE.parents[1] / "bindings"

AXIS = LabeledAxis().add("a", SR2).add("batch_unsqueeze", Scalar).setup_layout()


@pytest.mark.parametrize(
    "use, message",
    [
        (
            lambda: SR2.zeros(2) + SR2.zeros(3),
            r"Make them equal, or make one of them 1 \(\.batch\.unsqueeze\)\. The operands are SR2 \(2; 6\) and SR2 \(3; 6\)",
        ),
        (lambda: SR2.zeros(2).batch[0, 0], r"\.batch\[\.\.\.\]: 2 indices .*\. Use \.base\[\.\.\.\] for base dimensions"),
        (lambda: R2.zeros(2).base[0, 0, 0], r"\.base\[\.\.\.\]: 3 indices .*\. Use \.batch\[\.\.\.\] for batch dimensions"),
        (lambda: SR2.zeros(2).batch.__setitem__(0, torch.zeros(5)), r"^\.batch\[\.\.\.\] = value: "),
        (lambda: SR2.zeros(2).base.__setitem__(0, torch.zeros(5)), r"^\.base\[\.\.\.\] = value: "),
        (lambda: SR2.zeros(2).batch.expand(3), r"^\.batch\.expand: "),
        (lambda: SR2.zeros(2).batch.reshape(3), r"^\.batch\.reshape: "),
        (lambda: SR2.zeros(2).batch.squeeze(0), r"^\.batch\.squeeze: "),
        (lambda: SR2.zeros(2).batch.size(2), r"^\.batch\.size: "),
        (lambda: Tensor.zeros((2,), (3,)).base.expand(5), r"^\.base\.expand: "),
        (lambda: math.batch_sum(SR2.zeros(), 0), r"^batch_sum: .* Add one \(\.batch\.unsqueeze\), or use"),
        (lambda: math.base_max(Tensor.zeros((2,), ()), 0), r"^base_max: .* Add one \(\.base\.unsqueeze\), or use"),
        (lambda: SR2.zeros(dtype=torch.int64).dev(), r"^dev: not defined for dtype int64 .* \.to\(torch\.float64\)\."),
        (lambda: SR2.zeros(dtype=torch.complex128).dev(), r"dev: not defined for dtype complex128 "),
        (lambda: MillerIndex.create([1.5, 0, 0], dtype=torch.float64).reduce(), r"\.to\(torch\.int64\)"),
        (lambda: Rot.rand(2, dtype=torch.int64), r"^Rot\.rand: expected a floating dtype such as torch\.float64, got int64\."),
        (lambda: math.full_to_mandel_map(dtype=torch.float64), r"expected an integer dtype such as torch\.int64, got float64: "),
        (lambda: MillerIndex.fill(0.5, 0, 0), r"^MillerIndex\.fill: .* or another dtype\."),
        (lambda: SSR4.isotropic_E_nu(Scalar.zeros(2), Scalar.zeros(3)), r"^SSR4\.isotropic_E_nu: "),
        (lambda: Rot.fill_euler_angles(Vec.zeros(), "SR2::fill", "radians"), r"^Rot\.fill_euler_angles: .* 'SR2::fill'\."),
        (lambda: math.solve(Tensor.zeros((2,), (3, 3)), Tensor.zeros((2,), (4,))), r"^math\.solve: "),
        (lambda: math.vector_norm(R2.zeros(2)), r"^math\.vector_norm: "),
        (lambda: math.jacrev(SR2.zeros(3).requires_grad_(), SR2.zeros(2)), r"expand x \(\.batch\.expand\) before"),
        (lambda: math.base_cat([Tensor.zeros((2,), (3, 3)), Tensor.zeros((2,), (4, 4))]), r"\(\.base\.expand, \.base\.reshape\)"),
        (lambda: math.diff(SR2.zeros(2), 1, -1), r"Use base_diff, which returns a Tensor, or batch_diff"),
        (lambda: math.where(torch.rand(2, 4, 6) > 0, SR2.zeros(4), 0.0), r"Tensor\(condition, batch_dim\)"),
        (lambda: LabeledVector().dtype, r"^dtype: undefined"),
        (lambda: LabeledVector.zeros(2, AXIS).base.__setitem__("a", torch.zeros(2, 5)), r"^\.base\[\.\.\.\] = value: the value "),
        (lambda: LabeledMatrix.zeros(2, (AXIS, AXIS)).base["a"], r"^\.base\[\.\.\.\]: 1 labels for 2 base dimensions"),
        (lambda: LabeledVector.zeros(2, AXIS).base["x"], r"Its variables are: a, batch_unsqueeze\."),
        (lambda: LabeledAxis().add("kFloat64", 1).add("kFloat64", 2), r"variable 'kFloat64'"),
        (lambda: SR2.zeros(2**40, 2**20), r"."),
    ],
)
def test_messages_name_what_python_has(use, message):
    with pytest.raises((ValueError, IndexError, KeyError, RuntimeError), match=message) as e:
        use()
    assert not of_cpp(str(e.value))


@pytest.mark.parametrize(
    "use, message",
    [
        (lambda: SR2.linspace(0.0, 1.0, 3), "SR2.linspace: incompatible function arguments, no overload takes (float, float, int)."),
        (lambda: Scalar.linspace(Scalar(0.0), 0.2, 3), "no overload takes (Scalar, float, int). Write Scalar(0.2) for end."),
        (
            lambda: math.interpolate(Scalar(0.5), [0.0, 1.0], [0.0, 1.0]),
            "math.interpolate: incompatible function arguments, no overload takes (Scalar, list, list). "
            "Write torch.as_tensor(...) for abscissae, torch.as_tensor(...) for ordinates.",
        ),
        (lambda: math.interpolate(0.5, torch.rand(3), torch.rand(3)), "Write Scalar(0.5) for x.\n"),
        (lambda: math.dev(2), "math.dev: incompatible function arguments, no overload takes (int)."),
        (lambda: math.vector_norm(2), "math.vector_norm: incompatible function arguments, no overload takes (int). Write Scalar(2) for "),
        (lambda: math.eigenvalues(R2.zeros()), "Write SR2(...) for s."),
        (lambda: R2.zeros().inner(SR2.zeros()), "R2.inner: incompatible function arguments, no overload takes (SR2). Write R2(...) for "),
        (lambda: Rot.fill_euler_angles([1.0, 2.0, 3.0], "kocks", "degrees"), "Write Vec.create(...) for angles."),
        (lambda: SR2.fill([1.0, 2.0, 3.0]), "Write SR2.fill(*...): its components are given one by one."),
        (lambda: math.von_mises(torch.zeros(6)), "math.von_mises: incompatible function arguments, no overload takes (torch.Tensor). A torch.Tensor "),
        (lambda: math.norm(SR2.zeros(), "x"), "no overload takes (SR2, str).\n"),
        (lambda: math.norm(SR2.zeros(), eps=1.0), "math.norm: incompatible function arguments, no overload takes ("),
    ],
)
def test_calls_that_no_overload_takes_say_what_to_write(use, message):
    with pytest.raises(TypeError) as e:
        use()
    said = str(e.value)
    assert message in said and re.search(r"(The overloads are|It takes):\n    1\. \w+\(", said)
    assert not re.search(r"neml2\.tensors|Invoked with", said)


RAW = "A torch.Tensor does not say which of its dimensions are batch dimensions: make it a tensor of this library first, for example SR2(t)"
T = torch.zeros(6)


@pytest.mark.parametrize(
    "use, message",
    [
        (lambda: SR2.zeros() * T, f"unsupported operand types for *: 'SR2' and 'torch.Tensor'. {RAW}"),
        (lambda: T * SR2.zeros(), f"unsupported operand types for *: 'torch.Tensor' and 'SR2'. {RAW}"),
        (lambda: SR2.zeros() - torch.nn.Parameter(T), f"unsupported operand types for -: 'SR2' and 'torch.Tensor'. {RAW}"),
        (lambda: T / Scalar(1.0), f"unsupported operand types for /: 'torch.Tensor' and 'Scalar'. {RAW}"),
        (lambda: SR2.zeros() < T, f"unsupported operand types for <: 'SR2' and 'torch.Tensor'. {RAW}"),
        (lambda: Scalar(T, requires_grad=True), "Scalar: a tensor has a dtype, a device and requires_grad of its own, and takes no requires_grad. "
         "Write Scalar(t).requires_grad_()."),
        (lambda: SR2(T, dtype=torch.float64), "and takes no dtype. Write SR2(t).to(...)."),
        (lambda: SR2(R2.zeros(), device="cpu", requires_grad=True), "takes no device, requires_grad. Write SR2(t).to(...).requires_grad_()."),
    ],
)
def test_tensors_of_torch_are_refused_with_the_cure(use, message):
    with pytest.raises(TypeError) as e:
        use()
    assert message in str(e.value)


def test_a_class_of_torch_tensors_may_know_tensors_of_the_library():
    class Own(torch.Tensor):
        def __rmul__(self, other):
            return "product"

    assert SR2.zeros() * T.as_subclass(Own) == "product"


@pytest.mark.parametrize(
    "formula, message",
    [
        (lambda s, A, e: A * e, "unsupported operand types for * in a formula: 'R2' and 'SR2'. Instead of a * b write a * R2(b)."),
        (lambda s, A, e: A + e, "for + in a formula: 'R2' and 'SR2'. Instead of a + b write a + R2(b)."),
        (lambda s, A, e: e @ e, "for @ in a formula: 'SR2' and 'SR2'. Instead of a @ b write R2(a) @ R2(b) or math.inner(a, b)."),
        (lambda s, A, e: e**A, "for ** in a formula: 'SR2' and 'R2'. Instead of a ** b write R2(a) ** b."),
        (lambda s, A, e: e % A, "for % in a formula: 'SR2' and 'R2'. Instead of a % b write R2(a) % b."),
        (lambda s, A, e: e + T, f"for + in a formula: 'SR2' and 'torch.Tensor'. {RAW}"),
        (lambda s, A, e: T * e, f"for * in a formula: 'torch.Tensor' and 'SR2'. {RAW}"),
        (lambda s, A, e: s + None, "for + in a formula: 'Scalar' and 'NoneType'. Expected tensors of the formula, tensors without batch, or numbers."),
        (lambda s, A, e: "a" < s, "for > in a formula: 'Scalar' and 'str'. Expected tensors of the formula"),
        (lambda s, A, e: None - s, "for - in a formula: 'NoneType' and 'Scalar'. Expected tensors of the formula"),
        (lambda s, A, e: e + [s, s], "for + in a formula: 'SR2' and 'list'. For a list write math.base_stack([...])"),
        (lambda s, A, e: s * (1 + 2j), "for * in a formula: 'Scalar' and 'complex'. Formulas compute with real numbers: pass real and imaginary part"),
        (lambda s, A, e: (1 + 2j) / s, "for / in a formula: 'complex' and 'Scalar'. Formulas compute with real numbers"),
        (lambda s, A, e: s * Scalar(torch.tensor(1 + 2j)), "a formula uses a Scalar of complex numbers. Formulas compute with real numbers"),
        (lambda s, A, e: (s > 0) * e, "for * in a formula: 'Condition' and 'SR2'. A condition has no value to calculate with: math.where(condition, 1.0, 0.0)"),
        (lambda s, A, e: 1 + (s > 0), "for + in a formula: 'int' and 'Condition'. A condition has no value"),
        (lambda s, A, e: (s > 0) & s, "for & in a formula: 'Condition' and 'Scalar'. It takes conditions, as a < b gives: for a number write a != 0."),
        (lambda s, A, e: 1.0 | (s > 0), "for | in a formula: 'float' and 'Condition'. It takes conditions"),
        (lambda s, A, e: e & A, "for & in a formula: 'SR2' and 'R2'. It takes conditions"),
        (lambda s, A, e: (s > 0) + 1, "for + in a formula: 'Condition' and 'int'. A condition has no value"),
        (lambda s, A, e: (s > 0) & 1, "for & in a formula: 'Condition' and 'int'. It takes conditions"),
        (lambda s, A, e: e * [1.0], "for * in a formula: 'SR2' and 'list'. For a list write math.base_stack([...])"),
        (lambda s, A, e: s * "a", "for * in a formula: 'Scalar' and 'str'. Expected tensors of the formula"),
        (lambda s, A, e: s // 2, "// is not defined for tensors, nor in formulas. Write (a - a % b) / b"),
        (lambda s, A, e: pow(s, 2, 3), "unsupported operand type(s) for ** or pow()"),
        (lambda s, A, e: s ^ 1.0, "for ^ in a formula: 'Scalar' and 'float'. It takes conditions"),
    ],
)
def test_operators_of_formulas_say_what_to_write(formula, message):
    with pytest.raises(TypeError) as e:
        neml2.vmap(formula, Scalar(torch.rand(2)), R2(torch.rand(2, 3, 3)), SR2(torch.rand(2, 6)))
    assert message in str(e.value)


def test_operators_of_formulas_leave_to_classes_what_they_know():
    class Doubles:
        def __radd__(self, other):
            return other * 2.0

        def __rfloordiv__(self, other):
            return other * 3.0

    s = Scalar(torch.rand(3))
    assert torch.equal(neml2.vmap(lambda s: s + Doubles(), s).torch(), (s * 2.0).torch())
    assert torch.equal(neml2.vmap(lambda s: s // Doubles(), s).torch(), (s * 3.0).torch())
    assert torch.equal((s // Doubles()).torch(), (s * 3.0).torch())
    anything = neml2.vmap(lambda s: math.where(math.logical_and(s > 0.5, True), 1.0, 0.0), s)
    assert anything.torch().bool().tolist() == (s > 0.5).torch().tolist()
    for truth in (True, False):
        with_truths = (lambda c: c & truth, lambda c: truth & c, lambda c: c | truth, lambda c: truth ^ c)
        found = neml2.vmap(lambda s: tuple(math.where(f(s > 0.5), 1.0, 0.0) for f in with_truths), s)  # noqa: B023
        assert [f.torch().bool().tolist() for f in found] == [f((s > 0.5).torch()).tolist() for f in with_truths]


def test_articles():
    axis = LabeledAxis().add("a", 2).setup_layout()
    with pytest.raises(ValueError, match="2 entries, an R2 has 9"):
        LabeledVector.zeros((), axis).reinterpret("a", R2)
    with pytest.raises(ValueError, match="2 entries, a Vec has 3"):
        LabeledVector.zeros((), axis).reinterpret("a", Vec)


def test_what_is_quoted_or_of_no_rule_stays():
    for text in (
        "the variable 'batch_unsqueeze' is given twice",
        'Unknown crystal class "linalg::solve". Expected one of 1',
        "the result's dtype, of kHardening and batch_dim",
        "batch_sum, base_diff, batch_stack and base_logspace",
        "Could not run aten::add",
        "",
        "'",
        "::",
    ):
        assert in_python(text) == (text if text != "::" else ".")
    assert in_python("the result's batch_unsqueeze('base_index')") == "the result's .batch.unsqueeze('base_index')"
    assert in_python("my_batch_unsqueeze xbase_index batch_unsqueezed") == "my_batch_unsqueeze xbase_index batch_unsqueezed"


# ---- All messages of the library ----

LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|\'(?:\\.|[^\'\\\n])\'|R"doc\(.*?\)doc"|((?:"(?:\\.|[^"\\\n])*"\s*)+)', re.DOTALL | re.MULTILINE
)
# Messages of compilers, which only C++ programs see.
COMPILED = re.compile(r"(?:static_assert|deprecated)\s*\((?:[^()\"]|\"(?:\\.|[^\"\\])*\"|\((?:[^()]|\([^()]*\))*\))*\)")


def literals(path):
    """The string literals of a source with their positions; adjacent literals are joined."""
    text = path.read_text(encoding="utf-8")
    text = COMPILED.sub(lambda m: "\n" * m[0].count("\n"), text)
    for m in LITERAL.finditer(text):
        if m[1] and not re.search(r"\bdoc\([^\n]*$", text[: m.start()]):
            yield f"{path.name}:{text.count(chr(10), 0, m.start()) + 1}", re.sub(r'"\s*"', "", m[1].strip()[1:-1]).replace('\\"', '"')


def test_no_message_of_the_headers_is_spelled_as_in_cpp():
    # Texts that are never shown in Python: names of NEML2 2.x, source code, functions that Python writes itself, Tensor::identity and an
    # option of NVRTC.
    others = {"core/DynamicDims.h", "core/TraceableTensorShape.h"}
    others |= {f"recorded/{h}.h" for h in ("source", "source-inl", "Writer", "listing-inl", "Code", "cuda_standard", "layout_check", "tile_source-inl")}
    headers = [p for p in sorted(HEADERS.rglob("*.h")) if p.parent.name != "distributed" and str(p.relative_to(HEADERS)) not in others]
    found = [(where, text) for p in headers for where, text in literals(p)]
    assert len(found) > 1000 and any("batch_unsqueeze" in text for _, text in found)
    for other in ("Tensor::identity", "-std=c++17"):
        found.remove(next(f for f in found if f[1] == other))
    assert not [(where, text, words) for where, text in found if (words := of_cpp(in_python(text)))]


@pytest.mark.skipif(not BINDINGS.is_dir(), reason="the sources are not here")
def test_no_message_of_the_bindings_is_spelled_as_in_cpp():
    found = [(where, text) for p in sorted(BINDINGS.glob("*.*")) if p.name != "messages.cpp" for where, text in literals(p)]
    assert len(found) > 1000
    assert not [(where, text, words) for where, text in found if (words := of_cpp(text))]


def test_the_guard_knows_cpp_from_python():
    for text in (
        "SR2::fill",
        "(batch_unsqueeze)",
        "base_index",
        "kFloat64",
        "a NEMLException",
        "std::tie",
        "with tensors/solve.h",
        "SR2.no_such_function",
        ".batch.no_such_function",
        "torch.no_such_dtype",
        "math.no_such_function",
        "got long int",
    ):
        assert of_cpp(text), text
    for text in ("SR2.fill", ".batch.unsqueeze", "base_diff", "torch.float64", "math.solve", "Tensor(t, batch_dim)", "'SR2::fill'"):
        assert not of_cpp(text), text
