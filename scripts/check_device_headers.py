#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the headers of kernels for devices with recorded/cuda_standard.h in place of the standard library, as NVRTC does.

So the check needs no NVRTC. It fails if recorded/cuda_standard.h lacks a part of the standard library that kernels/ and packs/ use.
Usage: check_device_headers.py COMPILER INCLUDE
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Declarations that NVRTC has built in, and std::get, which a compiler for the host must see before the templates that use it.
BUILT_IN = """
#define __CUDACC_RTC__
#define __forceinline__ inline
#define __global__
#include <math.h>
#include <stddef.h>
extern "C" void * memcpy(void *, const void *, size_t);
void __trap();
struct Dim3 { unsigned x; };
extern Dim3 gridDim, blockDim, blockIdx, threadIdx;
namespace std
{
template <unsigned long> struct none;
template <unsigned long i> void get(none<i> *);
}
"""

compiler, include = sys.argv[1], Path(sys.argv[2])
text = (include / "neml2/recorded/cuda_standard.h").read_text()
names = re.findall(r'"([a-z_]+)"', re.search(r"cuda_header_names = \{(.*?)\}", text, re.DOTALL)[1])
standard = re.search(r'cuda_standard_header = R"\((.*?)\)";', text, re.DOTALL)[1]
assert len(names) > 10 and "namespace std" in standard
with tempfile.TemporaryDirectory() as folder:
    for name in names:
        (Path(folder) / name).write_text(standard)
    failed = False
    for header in ("cuda_operation", "cuda_kernel"):
        source = f'{BUILT_IN}#include "neml2/recorded/{header}.h"\n'
        flags = ["-std=c++17", "-nostdinc++", "-fsyntax-only", "-w", f"-I{folder}", f"-I{include}", "-x", "c++", "-"]
        done = subprocess.run([compiler, *flags], input=source, text=True, stderr=subprocess.PIPE)
        if done.returncode:
            print(f"recorded/{header}.h does not compile with the standard library of recorded/cuda_standard.h:\n{done.stderr[:4000]}")
            failed = True
sys.exit(failed)
