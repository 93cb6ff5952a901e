# SPDX-License-Identifier: MIT
"""CUDA sources of formulas without a GPU: compiled for the host they give the interpreter's results, bitwise except for the elementary
functions; and NVRTC compiles them for GPUs."""

import functools
import os

import cuda_support as cuda
import pytest
import torch
from cuda_support import Source, interpret, launch, on_host
from formulas_support import (
    FORMULAS,
    IN_FORMULAS,
    ITERATIONS,
    State,
    arguments,
    chaboche,
    creep,
    creep_arguments,
    crystal,
    iteration,
    outcome,
    steps_of_materials,
    torches,
)
from support import FIXED

import neml2
from neml2 import _compilers, math
from neml2.tensors import R2, R4, SR2, SSR4, MillerIndex, Rot, Scalar

BATCH = (5, 7)
ARCHITECTURES = ("sm_70", "sm_80", "sm_90")
needs_compiler = pytest.mark.skipif(_compilers.compiler() is None, reason="there is no C++ compiler")
STEP = int(os.environ.get("NEML2_CUDA_STEP", 20))  # 1 tests all operations, which takes about ten minutes


# ---- Formulas, and their arguments ----


def equations(stress, C, rate):
    found = neml2.newton(creep, State(0.0 * stress, 0.0 * rate), stress, C, rate)
    return found.strain, found.p


def materials():
    return {name: (f, arguments(types, *BATCH)) for name, (f, types) in FORMULAS.items()}


def implicit():
    of_chaboche, of_crystal = steps_of_materials(*BATCH)
    return {"creep": (equations, creep_arguments(*BATCH)), "crystal": (crystal, of_crystal), "chaboche": (chaboche, of_chaboche)}


def numbers_with_exceptions():
    a = Scalar(torch.rand(*BATCH) + 0.2)
    a.torch()[::2, ::3] = float("nan")
    a.torch()[1::2, 1::3] *= -1
    return a


def iterations():
    return {case: (iteration(case), (numbers_with_exceptions(),)) for case in ITERATIONS}


def operations():
    rows = [r for r in IN_FORMULAS if MillerIndex not in r.types][::STEP]  # the numbers of a MillerIndex are integers
    rows = [r for r in rows if not isinstance(outcome(r, r.arguments(2)), str)]
    return {f"{r.name} {k}": (r.call, tuple(t(x) for t, x in zip(r.types, r.arguments(*BATCH)))) for k, r in enumerate(rows)}


def large():
    """Rows with more numbers than a thread has registers."""
    return {"inverse": (math.inv, arguments((R4,), *BATCH)), "product": (lambda A, B: A * B, arguments((R4, R4), *BATCH))}


GROUPS = {"materials": materials, "implicit": implicit, "iterations": iterations, "operations": operations, "large": large}


def leaves(x):
    """The rows of an argument, (...; components), or its number."""
    if isinstance(x, (int, float)):
        return [float(x)]
    t = x.torch().detach().to(torch.float64)
    return [t.expand(*BATCH, *FIXED[type(x)]).reshape(*BATCH, -1)]


def sources_of(name, f, a, is_float=False, with_derivatives=True):
    """The sources of the value, of the gradients by all arguments, and of the Jacobians by the first."""
    formula = neml2.formula(f, backend="interpreter")
    own = [type(x)(x.torch().detach().clone().requires_grad_()) if not isinstance(x, float) else x for x in a]
    found = [t for t in torches(formula(*own)) if t.requires_grad]
    inputs = [x.torch() for x in own if not isinstance(x, float)]
    if found and with_derivatives:
        torch.autograd.grad(found, inputs, [torch.ones_like(t) for t in found], allow_unused=True)
        formula.value_and_jacobian(*a, argnums=0)
    return [Source(f"{name}: {what}", program, is_float) for _, what, program, _ in formula.programs()]


@functools.cache
def sources_with_arguments(group):
    """The sources of a group of formulas, each third one of float32, with the rows of their arguments."""
    torch.manual_seed(1)
    sources = []
    for name, (f, a) in GROUPS[group]().items():
        own = [leaf for x in a for leaf in leaves(x)]
        numbers = sum(leaf.shape[-1] for leaf in own if not isinstance(leaf, float))
        with_derivatives = group in ("materials", "implicit") or numbers < 20  # otherwise a Jacobian has more than a thousand numbers
        for source in sources_of(name, f, a, len(sources) % 3 == 2, with_derivatives):
            weights = [torch.rand(*BATCH, size, dtype=torch.float64) for size in source.arguments[len(own) :]]
            sources.append((source, own + weights))
    assert len(sources) > 1
    return sources


# ---- On the host ----


def laid_out(x, layout, k):
    """The rows of operand k in another memory layout."""
    if isinstance(x, float):
        return x
    rows, n = x.shape[:-1], x.shape[-1]
    if layout == "side by side":
        return x.contiguous()
    if layout == "transposed":
        return x.transpose(0, 1).contiguous().transpose(0, 1) if k % 2 == 0 else x.contiguous()
    if layout == "apart":  # a stride with one number more, and no row at a multiple of 16 bytes
        room = torch.zeros(x.numel() + x.shape[:-1].numel() + 1, dtype=x.dtype)
        rows_apart = room.as_strided((*rows, n), ((n + 1) * rows[1], n + 1, 1), 1)
        rows_apart.copy_(x)
        return rows_apart
    assert layout == "shared"  # along one dimension, the other, or both
    return [x[:1], x[:, :1], x[:1, :1]][k % 3].contiguous().expand_as(x)


@needs_compiler
@pytest.mark.parametrize("group", GROUPS)
def test_on_the_host_they_are_the_interpreter(group, tmp_path):
    sources = sources_with_arguments(group)
    library = on_host([source for source, _ in sources], tmp_path)
    for k, (source, own) in enumerate(sources):
        dtype = torch.float32 if source.is_float else torch.float64
        for layout in ("side by side", "transposed", "apart", "shared"):
            a = [laid_out(x if isinstance(x, float) else x.to(dtype), layout, i) for i, x in enumerate(own)]
            plain = [x if isinstance(x, float) else x.double().reshape(-1, x.shape[-1]).contiguous() for x in a]
            expected = interpret(source, plain, BATCH[0] * BATCH[1])
            how = "side by side" if layout == "shared" else layout
            found = [laid_out(torch.full((*BATCH, n), 7.0, dtype=dtype), how, i) for i, n in enumerate(source.results)]
            launch(library, k, source, a, found, BATCH)
            for y, z in zip(found, expected, strict=True):
                same(source, y, z.reshape(y.shape).to(dtype), f"{source.name}, {layout}")
    exact = sum(source.is_exact() for source, _ in sources)
    print(f"{group}: {len(sources)} sources, {exact} of them bitwise")


def same(source, found, expected, what):
    if source.is_exact():
        assert torch.equal(found.isnan(), expected.isnan()) and torch.equal(found.nan_to_num(), expected.nan_to_num()), what
        return
    scale = expected.nan_to_num(0.0, 0.0, 0.0).abs().max().item()
    eps = 1e-6 if source.is_float else 1e-11
    torch.testing.assert_close(found, expected, rtol=eps, atol=eps * scale, equal_nan=True, msg=lambda m: f"{what}: {m}")


@needs_compiler
def test_empty_and_single_batches(tmp_path):
    f, types = FORMULAS["j2"]
    (source, *_) = sources_of("j2", f, arguments(types, 2))
    library = on_host([source], tmp_path)
    for batch in ((0,), (1,), (3, 0), (1, 1, 1, 1, 1, 1, 1, 2)):
        a = [torch.rand(*batch, n, dtype=torch.float64) for n in source.arguments]
        found = [torch.zeros(*batch, n, dtype=torch.float64) for n in source.results]
        launch(library, 0, source, a, found, batch)
        rows = torch.Size(batch).numel()
        for y, z in zip(found, interpret(source, [x.reshape(rows, -1) for x in a], rows) if rows else found, strict=True):
            assert torch.equal(y.reshape(z.shape), z)


# ---- By NVRTC ----


def compile_all(sources, architecture):
    if cuda.nvrtc() is None:
        pytest.skip(f"{len(sources)} sources for {architecture}: there is no NVRTC, which pip install nvidia-cuda-nvrtc-cu11 has")
    cubin = cuda.Cubin("".join(source.named(k) for k, source in enumerate(sources)), architecture)
    assert cubin.code, cubin.log
    assert len(cubin.usage()) == len(sources)
    print(f"{len(sources)} sources for {architecture} in {cubin.seconds:.1f} s")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("group", GROUPS)
def test_nvrtc_compiles_them(group, architecture):
    """Compiles all sources for one architecture, and every fourth one, or all, for the others."""
    step = 1 if STEP == 1 or architecture == "sm_80" else 4
    compile_all([source for source, _ in sources_with_arguments(group)][::step], architecture)


# ---- All of kernels/ ----

XS, YS = [0.0, 0.15, 0.3, 0.5], [1.0, 3.0, 2.0, 4.0]
CALLS = [  # functions of rows, the types of the rows, the counts of their results' numbers, and the results in Python
    ("rotate(a, b)", (SSR4, Rot), 36, lambda C, r: C.rotate(r)),
    ("inv(a)", (SSR4,), 36, lambda C: math.inv(C)),
    ("expm(a)", (SR2,), 6, lambda s: math.expm(s)),
    ("expm(a)", (R2,), 9, lambda A: math.expm(A)),
    ("dexpm(a)", (R2,), 81, lambda A: math.dexpm(A)),
    ("polar_rotation(a)", (R2,), 9, lambda A: math.polar_rotation(A)),
    ("eigh(a).first", (SR2,), 3, lambda s: math.eigh(s)[0]),
    ("eigh(a).second", (SR2,), 9, lambda s: math.eigh(s)[1]),
    ("logm(a)", (SR2,), 6, lambda s: math.logm(s)),
    ("drotate(a, b)", (SR2, Rot), 18, lambda s, r: s.drotate(r)),
    ("euler_rodrigues(a)", (Rot,), 9, lambda r: r.euler_rodrigues()),
    ("cholesky(a)", (SSR4,), 36, lambda C: math.cholesky(C)),
    (
        "interpolate(a, std::array<double, 4>{%s}, std::array<double, 4>{%s}, Interpolant::monotone_cubic)" % tuple(str(x)[1:-1] for x in (XS, YS)),
        (Scalar,),
        1,
        lambda x: math.interpolate(x, torch.tensor(XS), torch.tensor(YS), "monotone_cubic"),
    ),
    (
        "newton([](const auto & x, const auto & c) { return x * x * x + x - c; }, P(1.0), a)",
        (Scalar,),
        1,
        lambda c: neml2.newton(lambda x, c: x * x * x + x - c, 1.0, c),
    ),
]


class Call:
    """The source of a function of kernels/, in the form of formula sources, with all headers of kernels/."""

    is_float = False

    def __init__(self, call, types, results):
        self.name = call
        self.arguments, self.results = [torch.Size(FIXED[t]).numel() for t in types], [results]
        headers = "".join(f'#include "neml2/kernels/{h.name}"\n' for h in sorted((cuda.INCLUDE / "neml2/kernels").glob("*.h")))
        rows = ""
        for name, t, n in zip("ab", types, self.arguments):
            x = f"x + {sum(self.arguments[: 'ab'.index(name)])}"
            rows += f"P {name} = *x;" if t is Scalar else f"{t.__name__}<P> {name}{{Unset()}}; for (int i = 0; i < {n}; i++) {name}[i] = ({x})[i];"
        gives = f"y[0] = {call};" if results == 1 else f"const auto r = {call}; for (int i = 0; i < {results}; i++) y[i] = r[i];"
        sizes = ", ".join(map(str, self.arguments))
        self.text = f"""{headers}#include "neml2/recorded/cuda_kernel.h"
using namespace neml2;
using namespace neml2::kernels;
using namespace neml2::recorded;
namespace
{{
struct Formula
{{
  static constexpr int shared = 0;
  template <class P>
  NEML2_INLINE static void once(const P *, P *) {{}}
  template <class P>
  NEML2_INLINE static void each(const P * x, const P *, P * y)
  {{
    {rows}
    {gives}
  }}
}};
}} // namespace
extern "C" __global__ void
neml2_kernel(const KernelArguments<{len(types) + 1}> arguments)
{{
  Kernel<Formula, double, Sizes<{sizes}>, Sizes<{results}>, IsNumber<{", ".join("false" for _ in types)}>>::run(arguments);
}}
"""

    named = Source.named


def call_sources():
    return [Call(call, types, results) for call, types, results, _ in CALLS]


@needs_compiler
def test_functions_of_kernels_on_the_host(tmp_path):
    sources = call_sources()
    library = on_host(sources, tmp_path)
    for k, (source, (_, types, _, expected)) in enumerate(zip(sources, CALLS)):
        a = arguments(types, *BATCH)
        found = torch.zeros(*BATCH, *source.results, dtype=torch.float64)
        launch(library, k, source, [x.torch().reshape(*BATCH, -1) for x in a], [found], BATCH)
        y = torches(expected(*a))[0].reshape(found.shape)
        torch.testing.assert_close(found, y, rtol=1e-11, atol=1e-11, msg=lambda m, name=source.name: f"{name}: {m}")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_nvrtc_compiles_all_of_kernels(architecture):
    compile_all(call_sources(), architecture)
