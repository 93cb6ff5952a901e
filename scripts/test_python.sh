#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests the Python package as its users see it: builds a wheel, installs it into a fresh environment and tests it there, outside
# this tree and without access to a compiler; then builds a C++ program with the library in the wheel. Argument: CMAKE_BUILD_TYPE, if
# it differs from that of the other tests. Users build the package as Release, which takes longer to compile.
. "$(dirname "$0")/python_build.sh"

say "without torch, or with one that is too old, the build says so"
python3 -m venv --without-pip "$work/bare"
refuses()
{
  cmake -S . -B "$work/refused" -DNEML2_BUILD_PYTHON=ON -DPython_EXECUTABLE="$work/bare/bin/python" >"$work/log" 2>&1 || true
  tr -s '\n ' ' ' <"$work/log" | grep -q "$1" || { cat "$work/log"; exit 1; }
}
refuses "No torch to build against: .*No module named 'torch' .*2.1 or newer"
old=$("$work/bare/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir "$old/torch"
printf '__version__ = "2.0.1"\ncompiled_with_cxx11_abi = bool\n' >"$old/torch/__init__.py"
refuses "torch 2.0.1 in .*/torch is too old"

# The requirements in pyproject.toml are tested although the wheel is not built isolated, since the source distribution is.
say "the source distribution"
pip "$builder" install build
"$builder/bin/python" -m build --sdist --outdir "$work/sdist" . >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

say "the wheel"
rm -rf build/python/wheel
build_wheel "${1:-RelWithDebInfo}" build/python/wheel
grep -q "files to compile, which take about" "$work/build"
ls -l build/python/wheel

say "a fresh environment"
venv=$source/build/python/venv
python3 -m venv --clear "$venv"
pip "$venv" install "$torch" numpy matplotlib pytest pytest-xdist hypothesis mypy build/python/wheel/*.whl
clean() # clean COMMAND...: runs a command in the fresh environment, with nothing else in PATH
{
  (cd "$work" && env -i HOME="$work" PATH="$venv/bin" LANG=C.UTF-8 "$@")
}

say "its tests"
cp -r python/tests python/bindings "$work"  # a test reads the messages in the bindings
cp tests/support/equivalent_stresses.h "$work/tests"
clean OMP_WAIT_POLICY=PASSIVE python -m pytest -q -p no:cacheprovider -n logical tests --ignore tests/test_compiled_formulas.py \
  --ignore tests/test_compilers.py --ignore tests/test_cuda_sources.py --ignore tests/test_device.py --ignore tests/test_device_kernels.py --ignore tests/test_distributed.py --ignore tests/test_export.py --ignore tests/test_export_vumat.py

say "batches over several processes"
clean python -m pytest -q -p no:cacheprovider tests/test_distributed.py
cp scripts/processes.py examples/python/distributed_j2.py "$work"
clean python processes.py 1,2,4 python distributed_j2.py --digits

say "formulas that compilers compile, for GPUs by NVRTC"
cp tests/support/cuda_on_host.h "$work/tests"
# The smallest NVRTC that supports sm_70, sm_80 and sm_90. Where PyPI has none, its tests are skipped, and print how many sources were not compiled.
pip "$venv" install nvidia-cuda-nvrtc-cu11 || echo "no NVRTC for this machine" >&2
clean OMP_WAIT_POLICY=PASSIVE PATH="$venv/bin:$PATH" python -m pytest -q -rs -p no:cacheprovider -n logical tests/test_compiled_formulas.py \
  tests/test_compilers.py tests/test_cuda_sources.py tests/test_export.py tests/test_export_vumat.py

say "every operation on a device"
torch_at=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch
c++ -std=c++17 -O1 -fPIC -shared -Itests -isystem "$torch_at/include" -isystem "$torch_at/include/torch/csrc/api/include" \
  tests/support/stand_in.cpp -o "$work/stand_in.so" -L"$torch_at/lib" -ltorch_cpu -lc10
clean NEML2_STAND_IN="$work/stand_in.so" python -m pytest -q -p no:cacheprovider tests/test_device.py

say "formulas as kernels of a device"
clean NEML2_STAND_IN="$work/stand_in.so" PATH="$venv/bin:$PATH" python -m pytest -q -p no:cacheprovider tests/test_device_kernels.py

say "its stubs"
clean python -m mypy --strict tests/typed.py
clean python -m mypy --strict -p neml2_tensors
"$builder/bin/python" -B scripts/python_reference.py "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/neml2_tensors"

for example in examples/python/*.py; do
  say "$example"
  cp "$example" "$work"
  clean python "$(basename "$example")" >"$work/out"
  expected=${example%.py}.out
  [ ! -e "$expected" ] || diff "$expected" "$work/out"
done

say "pictures of the examples" # the site takes them from here
clean python fit_elastic_constants.py --plot fit.svg >"$work/out"
clean python texture.py --plot texture.svg >"$work/out"
clean python hyperelastic.py --plot hyperelastic.svg >"$work/out"
clean python standard_material.py --plot standard_material.svg >"$work/out"
clean python material_point.py --plot material_point.svg >"$work/out"
clean python associated_flow.py --plot associated_flow.svg >"$work/out"
mkdir -p build/python/pictures && cp "$work"/{fit,texture,hyperelastic,standard_material,material_point,associated_flow}.svg build/python/pictures

say "what executes notebooks"
pip "$venv" install nbclient ipykernel tqdm
cp scripts/notebooks.py "$work"
for notebook in examples/python/*.ipynb; do
  say "$notebook"
  cp "$notebook" "$work"
  clean python notebooks.py --run "$(basename "$notebook")" >"$work/out"
  diff "${notebook%.ipynb}.out" "$work/out"
done

prefix=$(clean python -m neml2_tensors --cmake-prefix)
for way in installed compiled; do
  say "C++ with the wheel's headers, $way"
  cmake -G Ninja -S tests/package/user -B "$work/$way" -DWAY=$way -DNEML2="$source" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" ||
    { cat "$work/log"; exit 1; }
  grep -q "LibTorch .* from $venv" "$work/log"
  cmake --build "$work/$way"
  "$work/$way/broadcasting" | diff examples/broadcasting.out -
done
"$work/compiled/rules"
