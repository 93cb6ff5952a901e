#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests and times the library on a GPU, on a machine with a GPU and without network, from a clean checkout, in 15 minutes:
#
#   scripts/gpu.sh --prepare             here, with network: makes build/gpu-kit, the files that such a machine lacks, to be carried there
#   scripts/gpu.sh [STAGE...]            there: runs these stages, or all, each with a time limit; files built before are used again
#   scripts/gpu.sh rest                  there: runs the stages that have no result yet
#   scripts/gpu.sh --rehearse [STAGE...] here: the same on the CPU and the tests' stand-in for a device, without network, in a new folder
#
# Variables: OUT, the folder of log.txt, summary.txt, times.json and other logs (build/gpu/out); PYTHON, a Python with torch (python3); LIMIT,
# the limit in seconds for all stages together (590); REHEARSAL, the folder of a rehearsal, which a second rehearsal continues; WHEEL, a wheel
# of the package that --prepare includes in the kit.
set -uo pipefail
self=$(realpath "$0")
[ -z "${OUT:-}" ] || OUT=$(realpath -m "$OUT")
cd "$(dirname "$self")/.." || exit
root=$PWD
kit=$root/build/gpu-kit
work=$root/build/gpu
source=$work/source # a copy of the compiled files, in which only changed files have new dates
programs=$source/build/gpu/tests
OUT=${OUT:-$work/out}
PYTHON=$(command -v "${PYTHON:-python3}")
LIMIT=${LIMIT:-590}
REHEARSED=${REHEARSED:-}
jobs=$(nproc)
PATH=$PATH$(printf ':%s' /usr/local/cuda*/bin) # for the sanitizer

stages=(versions build known operations_cpp operations_python tests_cpp tests_python concurrency memory sanitizer times processes)
declare -A limits=([versions]=40 [build]=240 [known]=60 [operations_cpp]=60 [operations_python]=90 [tests_cpp]=160 [tests_python]=120
                   [concurrency]=60 [memory]=60 [sanitizer]=80 [times]=230 [processes]=40)
rows=100000 largest=10000000
if [ -n "$REHEARSED" ]; then # on fewer and slower cores
  rows=300 largest=1000
  for stage in "${stages[@]}"; do limits[$stage]=1200; done
fi

# ---- Preparation ----

prepare()
{
  rm -rf "$kit" && mkdir -p "$kit/wheels" && cd "$kit" || exit
  apt-get download catch2 && dpkg -x catch2_*.deb . && rm -r catch2_*.deb usr/share || exit
  local requirement requirements
  requirements=$(sed -n 's/^requires = //p' "$root/pyproject.toml" | tr -d '[]",')
  for requirement in $requirements; do
    "$PYTHON" -m pip --quiet download --no-deps --only-binary=:all: --python-version 3.12 --platform manylinux2010_x86_64 \
      --platform manylinux_2_28_x86_64 --dest wheels "$requirement" || exit
  done
  [ -z "${WHEEL:-}" ] || cp "$WHEEL" wheels || exit
  find . -type f -size +100k -exec du -h {} +
  echo "$(du -sm . | cut -f 1) MiB to be carried: build/gpu-kit"
}

rehearse() # [STAGE...]
{
  local folder=${REHEARSAL:-$(mktemp -d)} kept apart=(unshare --net)
  [ "$(id -u)" = 0 ] || apart+=(--map-root-user)
  mkdir -p "$folder/build"
  git ls-files -z --cached --others --exclude-standard | tar --null --files-from - --create | tar --extract --directory "$folder" || exit
  [ ! -e "$kit" ] || cp -r "$kit" "$folder/build"
  echo "In $folder"
  mapfile -t kept < <(env | grep -E '^(CCACHE_|CMAKE_CXX_COMPILER_LAUNCHER=|OUT=)')
  exec "${apart[@]}" sh -c '/sbin/ip link set lo up; exec "$@"' sh env -i "${kept[@]}" HOME="$folder" LANG=C.UTF-8 PYTHON="$PYTHON" \
    REHEARSED=1 LIMIT=100000 PATH="$(dirname "$PYTHON"):/usr/local/bin:/usr/bin:/bin" bash "$folder/scripts/gpu.sh" "$@"
}

# ---- Stages: the last lines that each prints explain its line in the summary ----

there() # there COMMAND...: runs a command that can import the package and the modules that its tests and benchmarks share
{
  PYTHONPATH=$work/site:$root/python/tests:$root/benchmarks NEML2_CACHE=$work/cache PYTHONDONTWRITEBYTECODE=1 "$@"
}

stage_versions()
{
  uname -srm
  grep -m 1 'model name' /proc/cpuinfo
  echo "$jobs cores, $(awk '/MemTotal/ {printf "%d GiB", $2 / 2^20}' /proc/meminfo)"
  [ -n "$REHEARSED" ] || nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader || return
  local tool
  for tool in c++ cmake ninja nvcc compute-sanitizer; do
    echo "$tool: $("$tool" --version 2>/dev/null | grep -oE '[0-9]+\.[0-9][0-9.]*' | head -n 1 | grep . || echo none)"
  done
  env | grep -E '^(CUDA|NCCL|OMP|TORCH|NEML2|CC|CXX|CFLAGS|CXXFLAGS|LD_|PYTHON)' | sort
  "$PYTHON" - <<'END'
import importlib.metadata, pathlib, sys, sysconfig, torch
print("Python", sys.version.split()[0], sys.executable, "Python.h:", (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists())
print("torch", torch.__version__, "CUDA", torch.version.cuda, "C++11 ABI", torch.compiled_with_cxx11_abi(), torch.__config__.show().split("\n")[1].strip())
for name in ("jax", "nanobind", "scikit-build-core", "pytest", "pytest-xdist", "hypothesis", "nvidia-cuda-nvrtc", "triton"):
    try:
        print(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        print(name, "none")
if torch.cuda.is_available():
    print(torch.cuda.get_device_properties(0), torch.cuda.get_arch_list())
END
}

copy_sources()
{
  local file
  mkdir -p "$source"
  find . -path ./build -prune -o -path ./.git -prune -o -type f -print | while read -r file; do
    cmp --silent "$file" "$source/$file" || install -D --mode "$(stat -c %a "$file")" "$file" "$source/$file"
  done
  (cd "$source" && find . -path ./build -prune -o -type f -print) | while read -r file; do
    [ -e "$file" ] || rm "$source/$file"
  done
  [ ! -e "$kit/usr" ] || find "$kit/usr" -exec touch --date @1 {} + # files that were only carried again must not cause a new build
}

build_programs()
{
  cd "$source" && mkdir -p build || return
  local catch2=$kit/usr/lib/cmake/Catch2
  [ ! -e "$catch2" ] || set -- "$@" -DCatch2_DIR="$catch2"
  cmake --preset gpu -DPython3_EXECUTABLE="$PYTHON" \
    -DCMAKE_PREFIX_PATH="$("$PYTHON" -c 'import torch; print(torch.__path__[0])')" "$@" | tee build/configured || return
  if [ -z "$REHEARSED" ] && ! grep -q NEML2_TORCH_CUDA:BOOL=ON build/gpu/CMakeCache.txt && ! grep -q 'with its CUDA' build/configured; then
    echo "error: what is built is for CPUs"
    return 1
  fi
  cmake --build --preset gpu --parallel "$jobs" -- -k 0
}

# Installs into a folder, since the environment belongs to someone else. A wheel from the kit is used if it can be imported. Python reads
# no .pth files there, so sitecustomize.py gives the package its name neml2.
build_package()
{
  cd "$source" && mkdir -p "$work/site" || return
  echo 'import _neml2_alias; _neml2_alias.install()' >"$work/site/sitecustomize.py"
  local pip=("$PYTHON" -m pip --disable-pip-version-check install --no-index --no-deps --upgrade) ours
  ours=$(ls "$kit"/wheels/neml2_tensors-*.whl 2>/dev/null)
  [ -z "$ours" ] || echo "Of the kit: $ours"
  if [ -n "$ours" ] && "${pip[@]}" --target "$work/site" "$ours" && there "$PYTHON" -c 'import neml2_tensors'; then
    return
  fi
  "${pip[@]}" --target "$work/tools" "$kit"/wheels/{libclang,nanobind,scikit_build_core}-*.whl &&
    PYTHONPATH=$work/tools CMAKE_BUILD_PARALLEL_LEVEL=$jobs "${pip[@]}" -v --no-build-isolation --target "$work/site" \
      --config-settings=cmake.build-type=RelWithDebInfo --config-settings=cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 .
}

timed() # timed NAME COMMAND...: writes a separate log, which remains if the command is stopped
{
  local start=$SECONDS name=$1 result=ok
  shift
  "$@" >"$OUT/$name.log" 2>&1 || result=FAILED
  [ $result = ok ] || grep -E 'error:|Error |ERROR|FAILED:' "$OUT/$name.log" | head -n 15
  echo "$result: $name in $((SECONDS - start)) s"
  [ $result = ok ]
}

stage_build()
{
  copy_sources
  local programs_job status=0
  timed programs build_programs &
  programs_job=$!
  timed package build_package || status=1
  wait $programs_job || status=1
  return $status
}

# Tests for earlier faults: a module that contains a second C++ standard library; gradients after the stand-in became a second device.
stage_known()
{
  local module status=0
  module=$(ls "$work"/site/neml2_tensors/_C*.so) || return
  readelf -d "$module" | grep -E 'NEEDED|RPATH|RUNPATH'
  readelf -d "$module" | grep -q 'NEEDED.*libstdc++' || { echo "FAILED: the module has libstdc++ in itself"; status=1; }
  there "$PYTHON" -c 'import neml2, torch
x = torch.rand(5, 6, dtype=torch.float64, device="cuda" if torch.cuda.is_available() else "cpu").requires_grad_()
neml2.tensors.SR2(x).dev().norm().torch().sum().backward()
print("ok: a gradient in Python", x.grad.device, neml2.__file__)' || status=1
  (cd "$programs" && there ./math_tests --filenames-as-tags "[#device_test][cuda]~[stand-in]") || status=1
  return $status
}

stage_operations_cpp()
{
  there "$programs/gpu" checks $rows
}

stage_operations_python()
{
  there "$PYTHON" scripts/gpu_checks.py operations $rows
}

some_tests() # some_tests ROOM WHICH: runs these tests in a separate process; hides the GPU from the tests of the stand-in itself
{
  local start=$SECONDS log result=ok
  log=$work/tests/$1_${2//[^a-zA-Z0-9_]/}.log
  [ "$2" != '[stand-in]' ] || export CUDA_VISIBLE_DEVICES=
  timeout --kill-after=5 "$SOME_LIMIT" "./$1_tests" --filenames-as-tags "$2" >"$log" 2>&1 || result=FAILED
  [ $result = ok ] || tail -n 60 "$log"
  echo "$result $1 $2 in $((SECONDS - start)) s: $(grep -E '^(All tests|test cases|No test)' "$log")"
}

stage_tests_cpp()
{
  cd "$programs" || return
  mkdir -p "$work/tests"
  local room all=$work/tests/all.log
  export -f some_tests
  export work SOME_LIMIT=$((limits[tests_cpp] - 30)) OMP_NUM_THREADS=2 OMP_WAIT_POLICY=PASSIVE
  { # the slowest tests first
    [ -n "$REHEARSED" ] || printf '%s [every][cuda]~[stand-in]\n' tensors math
    printf '%s_test][cuda]~[stand-in]\n' 'tensors [#matrix_functions' 'math [#formula' 'math [#newton' 'tensors [#kinematics' 'tensors [#R4'
    printf '%s ~[stand-in]\n' device engine
    for room in tensors math; do
      grep -lE '\[cuda\]' "$source/tests/$room/"*_test.cpp | sed "s|.*/|$room [#|; s|\.cpp$|][cuda]~[stand-in]|"
    done
    printf '%s [stand-in]\n' tensors math device
  } | awk '!seen[$0]++' >"$work/tests/list"
  there xargs -P "$jobs" -L 1 bash -c 'some_tests "$@"' bash <"$work/tests/list" 2>&1 | tee "$all"
  echo "The longest:"
  grep -E '^(ok|FAILED) ' "$all" | sed -E 's/.* in ([0-9]+) s.*/\1 &/' | sort -n -r | head -n 5
  echo "Of $(wc -l <"$work/tests/list") parts $(grep -c '^ok ' "$all") passed, these did not:"
  ! grep '^FAILED ' "$all" && [ "$(grep -c '^ok ' "$all")" = "$(wc -l <"$work/tests/list")" ]
}

stage_tests_python()
{
  local torch_at
  if [ -n "$REHEARSED" ]; then
    torch_at=$("$PYTHON" -c 'import torch; print(torch.__path__[0])')
    c++ -std=c++17 -O1 -fPIC -shared -Itests -isystem "$torch_at/include" -isystem "$torch_at/include/torch/csrc/api/include" \
      tests/support/stand_in.cpp -o "$work/stand_in.so" -L"$torch_at/lib" -ltorch_cpu -lc10 || return
    export NEML2_STAND_IN=$work/stand_in.so
  fi
  OMP_NUM_THREADS=2 there "$PYTHON" -m pytest -q -p no:cacheprovider -n "$((jobs < 8 ? jobs : 8))" --durations 5 \
    python/tests/test_device.py python/tests/test_device_kernels.py
}

stage_concurrency()
{
  there "$PYTHON" scripts/gpu_checks.py concurrency $rows
}

stage_memory()
{
  there "$PYTHON" scripts/gpu_checks.py memory $rows
}

stage_sanitizer()
{
  local tool status=0
  command -v compute-sanitizer || { there "$programs/gpu" checks 3 | tail -n 1; [ -n "$REHEARSED" ]; return; }
  for tool in memcheck racecheck; do
    there compute-sanitizer --tool $tool --error-exitcode 1 "$programs/gpu" checks 300 >"$OUT/$tool.log" 2>&1 || status=1
    grep -v '^ok ' "$OUT/$tool.log" | tail -n 20
  done
  return $status
}

stage_times()
{
  there "$PYTHON" benchmarks/gpu.py --largest $largest --seconds $((limits[times] - 15)) --program "$programs/gpu" --json "$OUT/times.json"
}

stage_processes()
{
  there "$PYTHON" scripts/gpu_checks.py processes $rows
}

# ---- Running them ----

run() # run STAGE: runs a stage within its time limit and the remaining total time
{
  local start=$SECONDS limit=${limits[$1]} left=$((LIMIT - SECONDS)) status result=passed
  if ((left < 15)); then
    echo "$1: left out, no time" >>"$OUT/summary.txt"
    return
  fi
  limit=$((limit < left ? limit : left))
  timeout --kill-after=5 $limit bash "$self" --stage "$1" >"$work/stage.log" 2>&1
  status=$?
  [ $status = 0 ] || result="FAILED ($status)"
  [ $status != 124 ] && [ $status != 137 ] || result="FAILED (stopped after its $limit s)"
  { echo "==== $1"; cat "$work/stage.log"; } >>"$OUT/log.txt"
  echo "==== $1"
  tail -n 40 "$work/stage.log" | cut -c 1-220
  echo "$1: $result in $((SECONDS - start)) s" | tee -a "$OUT/summary.txt" "$work/done/$1"
}

case ${1:-} in
  --prepare) prepare; exit ;;
  --rehearse) rehearse "${@:2}" ;;
  --stage) "stage_$2"; exit ;;
esac
if [ -z "$REHEARSED" ] && ! nvidia-smi -L 2>/dev/null; then
  echo "No GPU here: scripts/gpu.sh --rehearse runs the same without" >&2
  exit 1
fi
mkdir -p "$OUT" "$work/done"
rm -f "$OUT/log.txt" "$OUT/summary.txt"
[ $# -gt 0 ] || set -- "${stages[@]}"
if [ "$1" = rest ]; then
  set --
  for stage in "${stages[@]}"; do [ -e "$work/done/$stage" ] || set -- "$@" "$stage"; done
fi
for stage; do
  [ -n "${limits[$stage]:-}" ] || { echo "No stage $stage: ${stages[*]}" >&2; exit 2; }
done
for stage; do run "$stage"; done
printf '\n== in %s s\n' $SECONDS
cat "$OUT/summary.txt"
! grep -qv ': passed' "$OUT/summary.txt"
