# SPDX-License-Identifier: MIT
"""Formulas as kernels of a device, equal to the CPU: on a GPU, or on the stand-in, whose kernels the host compiles from the same sources
and runs in its memory."""

import ctypes
import struct
import subprocess
import warnings

import pytest
import torch
from cuda_support import HERE, INCLUDE
from formulas_support import FORMULAS, arguments, creep_arguments
from operations import values

import neml2
from neml2 import _compilers, math
from neml2.tensors import SR2, SSR4, Scalar, Vec

recording = neml2._C.recording


class HostCompiler:
    """Compiles a kernel for the host, and calls it for each thread."""

    HEAD = 10 * 8  # rows, dimensions and sizes
    OPERAND = 9 * 8  # an address or a number, and strides

    def __init__(self, folder):
        self.folder = folder
        self.loaded, self.compiled, self.launched = [], [], []

    def version(self):
        return "of the host"

    def architecture(self, index):
        return "host"

    def compile(self, source, architecture):
        header = next(h for h in (HERE / "cuda_on_host.h", HERE.parents[1] / "tests/support/cuda_on_host.h") if h.exists())
        cpp, library = self.folder / "kernel.cpp", self.folder / "kernel.so"
        cpp.write_text(
            f'#include "{header}"\n{source}\n'
            "template <class A> void call(void (*kernel)(A), const void * a, unsigned blocks, unsigned threads)\n"
            "{ launch(kernel, blocks, threads, *static_cast<const A *>(a)); }\n"
            'extern "C" void run(const void * a, unsigned blocks, unsigned threads) { call(neml2_kernel, a, blocks, threads); }\n'
        )
        x86 = ["-mavx2", "-mfma"] if recording.width() > 1 else []
        flags = ["-std=c++17", "-O1", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-w", *x86, "-I", str(INCLUDE)]
        done = subprocess.run([*_compilers.compiler(), *flags, str(cpp), "-o", str(library)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr[:2000])
        self.compiled.append(source)
        return library.read_bytes()

    def load(self, image, index):
        path = self.folder / f"loaded{id(self)}_{len(self.loaded)}.so"
        path.write_bytes(image)
        self.loaded.append(ctypes.CDLL(str(path)).run)
        return len(self.loaded)

    def launch(self, function, blocks, threads, arguments, stream):
        a = bytearray(arguments)
        for at in range(self.HEAD, len(a), self.OPERAND):
            (word,) = struct.unpack_from("Q", a, at)
            if word >> 47 == 1 << 7:  # an address of the stand-in, which the host cannot read directly
                struct.pack_into("Q", a, at, word ^ 1 << 54)
        self.launched.append((blocks, threads, bytes(a)))
        self.loaded[function - 1]((ctypes.c_char * len(a)).from_buffer(a), ctypes.c_uint(blocks), ctypes.c_uint(threads))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def compiler(device, cache, tmp_path, monkeypatch):
    """Compiles each source once: later tests find it in the cache."""
    monkeypatch.setenv("NEML2_CACHE", str(cache))
    if device.type == "cuda":
        yield None
        return
    host = HostCompiler(tmp_path)
    recording.set_device_compiler(host)
    yield host
    recording.set_device_compiler(None)


def launches():
    return sum(k.launches for k in neml2.device_kernels())


def fused(f, *a, times=1):
    """The result of f, and a check that this many kernels were launched."""
    before = launches()
    result = f(*a)
    assert launches() - before == times
    return result


def leaves(x):
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


def assert_same(found, expected, device):
    assert len(leaves(found)) == len(leaves(expected))
    for a, b in zip(leaves(found), leaves(expected)):
        assert type(a) is type(b)
        a, b = (x.torch() if hasattr(x, "torch") else x for x in (a, b))
        assert (a.shape, a.dtype, a.device) == (b.shape, b.dtype, device)
        tolerance = 1e-5 if a.dtype == torch.float32 else 1e-11
        torch.testing.assert_close(a.cpu(), b, rtol=tolerance, atol=tolerance, equal_nan=True)


def there(a, device):
    return tuple(x.to(device) if hasattr(x, "to") else x for x in a)


LAYOUTS = {
    "one": lambda x: x.torch()[0, 0],
    "rows": lambda x: x.torch()[0],
    "rows of two dimensions": lambda x: x.torch(),
    "every second row": lambda x: x.torch()[:, ::2],
    "the other order": lambda x: x.torch().transpose(0, 1),
    "expanded": lambda x: x.torch()[:, :1].expand(*x.torch().shape),
    "columns": lambda x: x.torch().movedim(0, -1).contiguous().movedim(-1, 0),
    "none": lambda x: x.torch()[:0],
}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("name", FORMULAS)
def test_values_are_those_of_the_cpu(name, dtype, device):
    f, kinds = FORMULAS[name]
    f = neml2.formula(f)
    all_rows = tuple(t(x.torch().to(dtype)) for t, x in zip(kinds, arguments(kinds, 3, 4)))
    for layout, lay in LAYOUTS.items():
        here = tuple(t(lay(x)) for t, x in zip(kinds, all_rows))
        on_device = tuple(t(lay(t(x.torch().to(device)))) for t, x in zip(kinds, all_rows))
        assert_same(fused(f, *on_device, times=layout != "none"), f(*here), device)
    shared = tuple(t(x.torch()[0, 0] if k % 2 else x.torch()) for k, (t, x) in enumerate(zip(kinds, all_rows)))
    assert_same(fused(f, *there(shared, device)), f(*shared), device)


def test_values_and_jacobians_are_those_of_the_cpu(device):
    f, kinds = FORMULAS["j2"]
    here = arguments(kinds, 7)
    jacobians = lambda *a: neml2.value_and_jacobian(f, *a, argnums=(0, 2), of=0)
    assert_same(fused(jacobians, *there(here, device)), jacobians(*here), device)


def energy(strain, C, k):
    return 0.5 * k * math.inner(strain, C * strain) + math.norm(strain)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("shapes", [((7,), (7,)), ((4, 7), ()), ((4, 1), (7,)), ((), (7,)), ((0,), ())], ids=str)
def test_gradients_are_those_of_the_cpu(shapes, dtype, device):
    strain, C = (values(t, *s).to(dtype) for t, s in zip((SR2, SSR4), shapes))
    found = []
    for where in (torch.device("cpu"), device):
        a, b = (t.detach().to(where).requires_grad_() for t in (strain, C))
        y = fused(lambda: neml2.vmap(energy, SR2(a), SSR4(b), 2.5), times=(where == device) * (0 not in shapes[0])).torch()
        w = torch.linspace(1.0, 2.0, y.numel(), dtype=dtype).view(y.shape).to(where)
        found.append(fused(lambda: torch.autograd.grad(y, (a, b), w), times=2 * (where == device) * (0 not in shapes[0])))
    assert_same(found[1], found[0], device)


def test_second_derivatives_are_those_of_the_cpu(device):
    strain, C = values(SR2, 5), values(SSR4, 1)[0]
    found = []
    for where in (torch.device("cpu"), device):
        a, b = (t.detach().to(where).requires_grad_() for t in (strain, C))
        y = neml2.vmap(energy, SR2(a), SSR4(b), 2.5).torch().sum()
        (g,) = torch.autograd.grad(y, (a,), create_graph=True)
        found.append(torch.autograd.grad((g * g).sum(), (a, b)))
    assert_same(found[1], found[0], device)


def test_newton_is_that_of_the_cpu(device):
    stress, C, rate = creep_arguments(6)
    step = lambda s, C, r: math.norm(s) + r + math.tr(C * s)
    assert_same(fused(neml2.formula(step), *there((stress, C, rate), device)), step(stress, C, rate), device)

    def root(a):
        return neml2.newton(lambda x, a: x * x * x - a, 1.0 + 0.0 * a, a)

    a = Scalar(1.0 + torch.rand(6, dtype=torch.float64))
    assert_same(fused(neml2.formula(root), *there((a,), device)), neml2.vmap(root, a), device)


def test_a_kernel_is_compiled_once_and_then_from_the_cache(device, compiler, cache, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("NEML2_CACHE", str(tmp_path / "another"))
    monkeypatch.setenv("NEML2_DEVICE_KERNELS", "verbose")
    x = Scalar(torch.rand(4, dtype=torch.float64).to(device))

    def of_its_own(x):
        return 3.0 * x * x - 0.123456

    f = neml2.formula(of_its_own)
    fused(f, x), fused(f, x)
    made = neml2.device_kernels()[-1]
    assert (made.name, made.dtype, made.device, made.from_cache, made.launches) == ("of_its_own", torch.float64, str(device), False, 2)
    assert "neml2: of_its_own (float64) for" in capfd.readouterr().err
    if compiler:
        assert len(compiler.compiled) == 1
        second = HostCompiler(tmp_path)
        recording.set_device_compiler(second)  # as in another process
        assert_same(fused(f, x), neml2.vmap(of_its_own, Scalar(x.torch().cpu())), device)
        assert not second.compiled and neml2.device_kernels()[-1].from_cache
        assert "read from the cache" in capfd.readouterr().err


def test_kernels_can_be_turned_off(device, monkeypatch):
    x = Scalar(torch.rand(4, dtype=torch.float64).to(device))
    f = neml2.formula(lambda x: x + 2.0)
    monkeypatch.setenv("NEML2_DEVICE_KERNELS", "0")
    off = fused(f, x, times=0)
    monkeypatch.delenv("NEML2_DEVICE_KERNELS")
    assert_same(fused(f, x), Scalar(off.torch().cpu()), device)


def test_what_cannot_be_compiled_is_composed_and_warned_of_once(device, compiler, monkeypatch):
    if compiler is None:
        monkeypatch.setenv("NEML2_INCLUDE", "/nowhere")
    else:
        monkeypatch.setattr(compiler, "compile", lambda source, architecture: 1 / 0)
    x = Scalar(torch.rand(4, dtype=torch.float64).to(device))
    f = neml2.formula(lambda x: 7.25 * x)
    with pytest.warns(UserWarning, match="runs by LibTorch's calls on .*, which is slower, because there is no kernel for it: .*"):
        result = fused(f, x, times=0)
    torch.testing.assert_close(result.torch(), 7.25 * x.torch())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fused(f, x, times=0)


def test_what_fails_for_want_of_memory_is_tried_again(device, compiler, monkeypatch):
    if compiler is None:
        pytest.skip("a GPU has memory")
    x = Scalar(torch.rand(4, dtype=torch.float64).to(device))
    f = neml2.formula(lambda x: 8.25 * x)

    def without_memory(image, index):
        raise MemoryError("there is none left")

    with monkeypatch.context() as now:
        now.setattr(compiler, "load", without_memory)
        with pytest.warns(UserWarning, match="there is none left. The next call tries again"):
            fused(f, x, times=0)
    fused(f, x)
    assert len(compiler.compiled) == 1


def test_a_launch_has_the_rows_of_its_operands(device, compiler):
    if compiler is None:
        pytest.skip("a GPU does not say what it was given")
    a, b = (Vec(torch.rand(*s, 3, dtype=torch.float64).to(device)) for s in ((300, 2), (2,)))
    fused(neml2.formula(lambda a, b, k: a + k * b), a, b, 1.5)
    blocks, threads, arguments = compiler.launched[-1]
    assert (blocks, threads, len(arguments)) == (5, 128, 80 + 4 * 72)
    words = struct.unpack(f"{len(arguments) // 8}q", arguments)
    assert words[:4] == (600, 2, 300, 2)
    assert words[11:13] == (6, 3) and words[20:22] == (0, 3) and words[38:40] == (6, 3)
    assert struct.unpack_from("d", arguments, 80 + 2 * 72) == (1.5,)
