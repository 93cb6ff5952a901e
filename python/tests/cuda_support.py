# SPDX-License-Identifier: MIT
"""Recorded formulas as CUDA sources. They are compiled for the host and run, or compiled by NVRTC for GPUs; the machine needs no GPU."""

import ctypes
import functools
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import torch

import neml2
from neml2 import _compilers

recording = neml2._C.recording
INCLUDE = Path(neml2.__file__).parent / "include"
HERE = Path(__file__).resolve().parent
MAX_DIMS = 8


class Source:
    """The CUDA source of a program, and a description of its kernel's arguments."""

    def __init__(self, name, program, is_float=False):
        self.name, self.program, self.is_float = name, program, is_float
        self.text = recording.cuda_source(program, is_float)
        m = re.search(r"Kernel<Formula, (\w+), Sizes<([^>]*)>, Sizes<([^>]*)>, IsNumber<([^>]*)>>", self.text)
        numbers = lambda text: [int(n) for n in text.split(",")] if text else []
        self.arguments, self.results = numbers(m[2]), numbers(m[3])
        self.is_number = [word.strip() == "true" for word in m[4].split(",")] if m[4] else []

    def named(self, k):
        """The text with unique names, so that one file may contain several."""
        return f"#define Formula Formula_{k}\n#define neml2_kernel neml2_kernel_{k}\n{self.text}#undef Formula\n#undef neml2_kernel\n"

    def is_exact(self):
        """Whether it calls no function that the standard library and SLEEF may round differently."""
        return not re.search(r"\b(cbrt|exp|expm1|log|log1p|log10|a?sinh?|a?cosh?|a?tanh?|atan2|fmod|pow)\(", self.text)


# ---- On the host ----


def on_host(sources, place):
    """A library with functions launch_<k>(arguments, blocks) of these sources."""
    header = next(h for h in (HERE / "cuda_on_host.h", HERE.parents[1] / "tests/support/cuda_on_host.h") if h.exists())
    launches = "".join(
        f'extern "C" void launch_{k}(const KernelArguments<{len(s.arguments) + len(s.results)}> * a, unsigned blocks)\n'
        f"{{ launch(neml2_kernel_{k}, blocks, unsigned(block_size), *a); }}\n"
        for k, s in enumerate(sources)
    )
    cpp, library = place / "kernels.cpp", place / "kernels.so"
    cpp.write_text(f'#include "{header}"\n' + "".join(s.named(k) for k, s in enumerate(sources)) + launches)
    x86 = ["-mavx2", "-mfma"] if recording.width() > 1 else []
    flags = ["-std=c++17", "-O1", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-w", *x86, "-I", str(INCLUDE)]
    done = subprocess.run([*_compilers.compiler(), *flags, str(cpp), "-o", str(library)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return ctypes.CDLL(str(library))


class Operand(ctypes.Structure):
    class Value(ctypes.Union):
        _fields_ = [("data", ctypes.c_void_p), ("number", ctypes.c_double)]

    _fields_ = [("value", Value), ("stride", ctypes.c_int64 * MAX_DIMS)]


def launch(library, k, source, arguments, results, batch, blocks=2):
    """Runs kernel k. Operands are tensors of torch with these batch dimensions and one dimension of components, or floats for numbers."""

    class Arguments(ctypes.Structure):
        _fields_ = [
            ("rows", ctypes.c_int64),
            ("dims", ctypes.c_int64),
            ("size", ctypes.c_int64 * MAX_DIMS),
            ("operand", Operand * (len(arguments) + len(results))),
        ]

    a = Arguments(torch.Size(batch).numel(), len(batch), (ctypes.c_int64 * MAX_DIMS)(*batch))
    for o, x, size in zip(a.operand, [*arguments, *results], [*source.arguments, *source.results], strict=True):
        if isinstance(x, float):
            o.value.number = x
            continue
        assert x.shape == (*batch, size) and x.dtype == (torch.float32 if source.is_float else torch.float64)
        assert size == 1 or x.stride(-1) == 1
        o.value.data = x.data_ptr()
        o.stride[: len(batch)] = x.stride()[:-1]
    getattr(library, f"launch_{k}")(ctypes.byref(a), blocks)


def interpret(source, arguments, rows):
    """The results of the interpreter, of contiguous float64 rows."""
    results = [torch.zeros(rows, size, dtype=torch.float64) for size in source.results]
    shared = [torch.tensor([x], dtype=torch.float64) if isinstance(x, float) else x for x in arguments]
    strides = [0 if isinstance(x, float) else x.shape[-1] for x in arguments] + source.results
    recording.interpret(source.program, [x.data_ptr() for x in [*shared, *results]], strides, rows)
    return results


# ---- By NVRTC ----


@functools.cache
def nvrtc():
    """NVRTC, from PyPI's packages nvidia-cuda-nvrtc or the folder that NEML2_NVRTC names; None if it is missing."""
    places = [os.environ["NEML2_NVRTC"]] if "NEML2_NVRTC" in os.environ else sys.path
    for place in map(Path, places):
        for path in sorted(place.glob("nvidia/*/lib/libnvrtc.so.*[0-9]")):
            for builtins in path.parent.glob("libnvrtc-builtins.so.*[0-9]"):
                ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(str(path))
    return None


class Cubin:
    """A source compiled for an architecture such as sm_80."""

    def __init__(self, text, architecture):
        rtc, program = nvrtc(), ctypes.c_void_p()
        names, header = recording.cuda_standard_headers()
        array = lambda texts: (ctypes.c_char_p * len(texts))(*(t.encode() for t in texts))
        made = rtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"neml2.cu", len(names), array([header] * len(names)), array(names))
        assert made == 0
        options = [f"--gpu-architecture={architecture}", "-std=c++17", "-default-device", "--fmad=false", "--ptxas-options=-v", f"-I{INCLUDE}"]
        start = time.process_time()
        failed = rtc.nvrtcCompileProgram(program, len(options), array(options))
        self.seconds = time.process_time() - start
        self.log = self._read(rtc.nvrtcGetProgramLogSize, rtc.nvrtcGetProgramLog, program).decode().rstrip("\0")
        self.code = b"" if failed else self._read(rtc.nvrtcGetCUBINSize, rtc.nvrtcGetCUBIN, program)
        rtc.nvrtcDestroyProgram(ctypes.byref(program))

    @staticmethod
    def _read(size, get, program):
        n = ctypes.c_size_t()
        assert size(program, ctypes.byref(n)) == 0
        text = ctypes.create_string_buffer(n.value)
        assert get(program, text) == 0
        return text.raw

    def usage(self):
        """For each kernel: registers per thread, bytes of stack, and bytes of register spills."""
        found = {}
        for part in self.log.split("Compiling entry function '")[1:]:
            registers = re.search(r"Used (\d+) registers", part)
            stack = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", part)
            found[part[: part.index("'")]] = (int(registers[1]), int(stack[1]), int(stack[2]))
        return found
