# SPDX-License-Identifier: MIT
"""Checks for build faults that would otherwise be missed: check_module.py FOLDER_OF_THE_PACKAGE READELF PATH... (of torch).

A module linked with a second C++ standard library whose symbols are visible shares half of it with torch, and crashes.
"""

import subprocess
import sys
from pathlib import Path

package, readelf = Path(sys.argv[1]), sys.argv[2]
(module,) = package.glob("_C.*.so")


def lines(option: str) -> list[str]:
    return subprocess.run([readelf, "--wide", option, module], check=True, capture_output=True, text=True).stdout.splitlines()


# std::ostream << unsigned long, std::locale::classic(), std::cout: a C++ standard library defines them, and no template does.
library = {"_ZNSolsEm", "_ZNSt6locale7classicEv", "_ZSt4cout"}
given = {x[7].split("@")[0] for x in map(str.split, lines("--dyn-syms")) if len(x) > 7 and x[6] != "UND"}
if found := sorted(library & given):
    sys.exit(f"{module} gives {', '.join(found)} to other libraries: a C++ library is linked into it (-static-libstdc++ in LDFLAGS or "
             "a compiler's specs), and torch's would be mixed with it. Link the shared one.")
needed = [x.split("[")[1].rstrip("]") for x in lines("--dynamic") if "(NEEDED)" in x]
if not any("c++" in x for x in needed):
    print(f"-- {module.name} has a C++ library of its own, hidden from torch; it needs {', '.join(needed)}")

sys.path[:0] = [str(package.parent)]
sys.path += sys.argv[3:]
import torch  # noqa: E402

import neml2_tensors as neml2  # noqa: E402
from neml2_tensors.tensors import SR2  # noqa: E402

result = neml2.vmap(lambda s: 2.0 * s + s.dev(), SR2(torch.ones(5, 6, dtype=torch.float64))).torch()
expected = torch.tensor([2.0, 2.0, 2.0, 3.0, 3.0, 3.0], dtype=torch.float64).expand(5, 6)
if not torch.allclose(result, expected):
    sys.exit(f"{module} is built, but a formula gives {result[0].tolist()} in place of {expected[0].tolist()}.")
