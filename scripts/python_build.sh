# SPDX-License-Identifier: MIT
# For scripts that build the Python package: it is sourced, and starts in the root of the tree. It leaves a temporary folder, $work, and an
# environment with torch, $builder.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
work=$(mktemp -d)
trap 'status=$?; [ $status = 0 ] || echo "$(basename "$0"): FAILED: $doing" >&2; rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1
doing=

say()
{
  doing=$1
  echo "-- $doing ($SECONDS s so far)" >&2
}
pip() # pip VENV ARGUMENTS
{
  "$1/bin/python" -m pip --quiet "${@:2}"
}

# By default pip isolates the build; here it does not, so that a second build continues the first.
build_wheel() # build_wheel CMAKE_BUILD_TYPE FOLDER
{
  local strict=${CI:+ON}
  pip "$builder" install $(sed -n 's/^requires = //p' pyproject.toml | tr -d '[]",')
  # With -v, as the documentation recommends, the build prints its progress.
  SKBUILD_CMAKE_BUILD_TYPE=$1 SKBUILD_CMAKE_ARGS="--preset=python;-DCMAKE_COMPILE_WARNING_AS_ERROR=${strict:-OFF}" \
    "$builder/bin/python" -m pip wheel -v . --no-deps --no-build-isolation --wheel-dir "$2" 2>&1 | tee "$work/build" >&2
}

# Takes the same torch as cmake/FindTorch.cmake.
torch=$(grep -o 'torch==[0-9.]*' cmake/FindTorch.cmake)
builder=$source/build/libtorch
say "an environment with $torch to build in"
if [ ! -e "$builder/$torch" ]; then
  python3 -m venv --clear "$builder"
  pip "$builder" install "$torch"
  touch "$builder/$torch"
fi
