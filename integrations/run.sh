#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs this library's formulas inside finite-element codes, each of the version named here, and compares the output of the programs.
# The package is the wheel of `make python-test`, which is built if it is missing or old. If PyPI cannot be reached, a program is skipped, and
# the reason is printed.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/build/integrations/venv
export PIP_DISABLE_PIP_VERSION_CHECK=1 OMP_WAIT_POLICY=PASSIVE
torch=$(grep -o 'torch==[0-9.]*' cmake/FindTorch.cmake)

wheel=$(ls build/python/wheel/*.whl 2>/dev/null || true)
[ -n "$wheel" ] && [ -z "$(find include python/neml2_tensors python/bindings src -newer "$wheel" -print -quit)" ] || scripts/test_python.sh
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet "$torch" numpy scipy matplotlib
"$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps build/python/wheel/*.whl

failed=0
try() # try PROGRAM REQUIREMENTS...
{
  local out=build/integrations/$1.out
  if ! "$venv/bin/python" -m pip install --quiet "$torch" "${@:2}" 2>"$out.log"; then
    if "$venv/bin/python" -m pip download --quiet --no-deps --dest build/integrations six >/dev/null 2>&1; then
      echo "FAILED: integrations/$1.py: pip does not install ${*:2}: $(tail -n 1 "$out.log")" >&2
      failed=1
    else
      echo "skipped: integrations/$1.py, because there is no PyPI: $(tail -n 1 "$out.log")"
    fi
  elif "$venv/bin/python" "integrations/$1.py" --plot "build/integrations/$1.svg" >"$out" && diff "integrations/$1.out" "$out"; then
    echo "passed: integrations/$1.py with ${*:2}"
  else
    echo "FAILED: integrations/$1.py with ${*:2}: its output is $out" >&2
    failed=1
  fi
}
try plate scikit-fem==12.0.2
try block felupe==11.3.0 tensortrax==0.29.0
exit $failed
