#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the system packages that this project needs and this machine lacks. If no package is missing, it calls no package
# manager. Arguments: auto, system or private, as for NEML2_LIBTORCH; and the purpose, if it is test, python, aarch64, docs or
# docs-test.
set -eu
libtorch=${1:-auto}
part=${2:-}
docs=${part%%-test}
missing=

need() # need PACKAGE COMMAND...: the package is missing if the command fails
{
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}
testing() # testing PACKAGE COMMAND...: need, for the libraries of tests and benchmarks
{
  [ "$docs" = docs ] || need "$@"
}
drawing() # drawing PACKAGE COMMAND...: need, for the packages that all examples need
{
  [ "$part" != test ] && [ "$docs" != docs ] || need "$@"
}
browsing() # browsing PACKAGE COMMAND...: need, for the browser that checks the site
{
  [ "$part" != docs-test ] || need "$@"
}
has_browser() { command -v chromium || command -v google-chrome || [ -d "/Applications/Google Chrome.app" ]; }
has_header() { echo "#include <$1>" | c++ -x c++ -E -; }
has_python_header()
{
  python3 -c 'import pathlib, sysconfig; (pathlib.Path(sysconfig.get_path("include")) / "Python.h").stat()'
}
has_cmake() # 3.25 or newer
{
  version=$(cmake --version | sed -n '1s/cmake version //p')
  [ "$(printf '3.25\n%s\n' "$version" | sort -V | head -n 1)" = 3.25 ]
}

if command -v apt-get >/dev/null; then
  need g++ c++ --version
  need cmake has_cmake
  need ninja-build ninja --version
  [ "$part" != test ] || need pkg-config pkg-config --version
  need python3-venv python3 -c 'import ensurepip, venv'
  [ "$part" != python ] || need python3-dev has_python_header
  testing catch2 has_header catch2/catch.hpp
  testing libbenchmark-dev has_header benchmark/benchmark.h
  drawing libeigen3-dev has_header eigen3/Eigen/Sparse
  [ "$part" != test ] || need libgloo-dev has_header gloo/config.h
  [ "$libtorch" != system ] || need libtorch-dev has_header torch/csrc/api/include/torch/version.h
  [ "$part" != aarch64 ] || need g++-aarch64-linux-gnu aarch64-linux-gnu-g++ --version
  [ "$part" != aarch64 ] || need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdlib.h
  [ "$part" != aarch64 ] || need qemu-user qemu-aarch64 --version
  browsing chromium has_browser
  browsing chromium-driver command -v chromedriver
  update="apt-get update -o Acquire::Retries=3"
  install="apt-get install -y --no-install-recommends -o Acquire::Retries=3"
elif command -v brew >/dev/null; then
  need cmake has_cmake
  need ninja ninja --version
  need python python3 -c 'import ensurepip, venv'
  testing catch2 brew list catch2
  testing google-benchmark brew list google-benchmark
  drawing eigen brew list eigen
  [ "$part" != test ] || need pkgconf pkg-config --version
  [ "$libtorch" != system ] || need pytorch brew list pytorch
  browsing google-chrome has_browser
  browsing chromedriver command -v chromedriver
  install="brew install"
  update=true
else
  need "a C++17 compiler" c++ --version
  need "CMake 3.25 or newer" has_cmake
  need Ninja ninja --version
  need "Python 3 with venv" python3 -c 'import ensurepip, venv'
  [ "$part" != python ] || need "Python's headers" has_python_header
  browsing "Chromium or Chrome" has_browser
  browsing "its chromedriver" command -v chromedriver
  [ -z "$missing" ] || { echo "Please install:$missing; for the tests also Catch2, for the benchmarks Google Benchmark." >&2; exit 1; }
fi

if [ -n "$missing" ]; then
  sudo=
  if [ "$install" != "brew install" ] && [ "$(id -u)" != 0 ]; then
    sudo=sudo
    command -v sudo >/dev/null || { echo "Please install, as root:$missing" >&2; exit 1; }
  fi
  log=$(mktemp)
  echo "Installing$missing (log: $log)" >&2
  export DEBIAN_FRONTEND=noninteractive
  { $sudo $update && $sudo $install $missing; } </dev/null >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
fi

# scripts/headers.py looks for libclang in this folder; if it is missing, the tests that need it say so.
cd "$(dirname "$0")/.."
if [ "$part" = test ] && ! python3 -B scripts/headers.py 2>/dev/null; then
  echo "Installing libclang in build/libclang" >&2
  python3 -m venv --clear build/libclang && build/libclang/bin/pip install --quiet --disable-pip-version-check libclang >&2 ||
    echo "That failed: the tests of the docs will fail" >&2
fi
