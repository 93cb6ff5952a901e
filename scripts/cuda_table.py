#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of kernels in docs/kernels.md: NVRTC's output for the main formulas of the tests; the machine needs no GPU.

    pip install --target build/nvrtc nvidia-cuda-nvrtc-cu12
    NEML2_NVRTC=build/nvrtc python scripts/cuda_table.py    # with the package neml2
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "python" / "tests"))

import cuda_support  # noqa: E402
import test_cuda_sources  # noqa: E402
import torch  # noqa: E402

NAMES = {
    "flow_rule": "flow rule of a power",
    "rotated": "rotation of a stress",
    "neo_hookean": "neo-Hookean stress",
    "j2": "J2 plasticity, closed form",
    "creep": "creep, 7 equations",
    "chaboche": "Chaboche, 13 equations",
    "crystal": "crystal, 12 systems, 6 equations",
}
ARCHITECTURES = ("sm_70", "sm_80", "sm_90")


def rows():
    yield ["formula", "computes", "numbers in, out", *(f"{a}: registers, stack, spilled" for a in ARCHITECTURES), "compiled in"]
    yield ["---"] * (len(ARCHITECTURES) + 4)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1)
    formulas = {**test_cuda_sources.materials(), **test_cuda_sources.implicit()}
    for name, text in NAMES.items():
        for source in test_cuda_sources.sources_of(name, *formulas[name]):
            cubins = [cuda_support.Cubin(source.text, a) for a in ARCHITECTURES]
            usage = [cubin.usage()["neml2_kernel"] for cubin in cubins]
            yield [
                text,
                source.name.split(": ")[1],
                f"{sum(source.arguments)}, {sum(source.results)}",
                *(f"{registers}, {stack}, {spilled}" if stack else str(registers) for registers, stack, spilled in usage),
                f"{max(cubin.seconds for cubin in cubins):.1f} s",
            ]


page = root / "docs" / "kernels.md"
table = "\n".join("| " + " | ".join(cells) + " |" for cells in rows())
begin, end = "<!-- kernels, by scripts/cuda_table.py -->\n", "<!-- end of kernels -->"
text, found = re.subn(f"(?s){begin}.*?{end}", lambda _: begin + table + "\n" + end, page.read_text(encoding="utf-8"))
assert found == 1
page.write_text(text, encoding="utf-8")
print(table)
