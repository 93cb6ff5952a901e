#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs this library's formulas inside finite-element codes, and compares the output of the programs. The codes from PyPI are of the versions
# named here; deal.II and FEniCSx are the system's. The package is the wheel of `make python-test`, which is built if it is missing or old.
# If PyPI cannot be reached, or a code of the system is missing, a program is skipped, and the reason is printed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/build/integrations
venv=$build/venv
export PIP_DISABLE_PIP_VERSION_CHECK=1 OMP_WAIT_POLICY=PASSIVE
torch=$(grep -o 'torch==[0-9.]*' cmake/FindTorch.cmake)
failed=0

skip() { echo "skipped: integrations/$1, because $2"; }
fail() # fail PROGRAM REASON
{
  echo "FAILED: integrations/$1: $2" >&2
  failed=1
}
compare() # compare PROGRAM CODE COMMAND...: whether the command succeeds with the output of the .out file
{
  local expected=integrations/${1%.*}.out out=$build/${1%.*}.out
  if "${@:3}" >"$out" 2>"$out.err" && diff "$expected" "$out"; then
    echo "passed: integrations/$1 with $2"
  else
    tail -n 20 "$out.err" >&2
    fail "$1" "with $2 its output is $out"
  fi
}

wheel=$(ls build/python/wheel/*.whl 2>/dev/null || true)
[ -n "$wheel" ] && [ -z "$(find include python/neml2_tensors python/bindings src -newer "$wheel" -print -quit)" ] || scripts/test_python.sh
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet "$torch" numpy scipy matplotlib
"$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps build/python/wheel/*.whl

from_pypi() # from_pypi PROGRAM REQUIREMENTS...
{
  local log=$build/$1.log
  if "$venv/bin/python" -m pip install --quiet "$torch" "${@:2}" 2>"$log"; then
    compare "$1" "${*:2}" "$venv/bin/python" "integrations/$1" --plot "$build/${1%.*}.svg"
  elif "$venv/bin/python" -m pip download --quiet --no-deps --dest "$build" six >/dev/null 2>&1; then
    fail "$1" "pip does not install ${*:2}: $(tail -n 1 "$log")"
  else
    skip "$1" "there is no PyPI: $(tail -n 1 "$log")"
  fi
}

# deal.II, in C++.
in_dealii()
{
  local log=$build/sphere.log
  if ! cmake -S integrations -B "$build/dealii" -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >"$log" 2>&1; then
    if grep -q '"deal.II"' "$log"; then
      skip sphere.cpp "deal.II 9.4 or newer is not installed (Debian: libdeal.ii-dev)"
    else
      fail sphere.cpp "cmake says: $(tail -n 5 "$log")"
    fi
  elif ! cmake --build "$build/dealii" >"$log" 2>&1; then
    fail sphere.cpp "it does not compile, see $log"
  else
    compare sphere.cpp "deal.II" "$build/dealii/sphere" --draw "$build/sphere.txt"
    "$venv/bin/python" integrations/draw_sphere.py "$build/sphere.txt" "$build/sphere.svg"
  fi
}

# FEniCSx, in the Python that has it. Its NumPy stays, because its other packages are compiled for this version.
in_fenicsx()
{
  local candidate python= log=$build/necking.log version numpy
  for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import dolfinx' 2>/dev/null && python=$candidate && break
  done
  if [ -z "$python" ]; then
    skip necking.py "no Python here has FEniCSx (Debian: python3-dolfinx)"
    return
  fi
  version=$("$python" -c 'import dolfinx; print(dolfinx.__version__)')
  if [ "${version%.*}" != 0.5 ]; then
    skip necking.py "it is written for DOLFINx 0.5, and here is $version"
    return
  fi
  numpy=$("$python" -c 'import numpy; print(numpy.__version__)')
  [ -x "$build/fenicsx/bin/python" ] || "$python" -m venv --system-site-packages "$build/fenicsx"
  if ! "$build/fenicsx/bin/python" -m pip install --quiet "$torch" "numpy==$numpy" matplotlib 2>"$log"; then
    skip necking.py "pip cannot install torch and matplotlib into the Python of FEniCSx: $(tail -n 1 "$log")"
  elif ! "$build/fenicsx/bin/python" -m pip install --quiet --force-reinstall --no-deps build/python/wheel/*.whl 2>"$log"; then
    skip necking.py "the wheel is for another Python than that of FEniCSx: $(tail -n 1 "$log")"
  else
    compare necking.py "DOLFINx $version" "$build/fenicsx/bin/python" integrations/necking.py --plot "$build/necking.svg"
  fi
}

from_pypi plate.py scikit-fem==12.0.2
from_pypi block.py felupe==11.3.0 tensortrax==0.29.0
from_pypi beam.py torch-fem==0.14.0
in_dealii
in_fenicsx
exit $failed
