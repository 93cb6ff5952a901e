#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the site of the pages, the reference and the examples with their pictures, into build/docs/site. With the argument test
# it also checks the site in Chromium.
# The first run installs the necessary packages; later runs need no network.
set -eu
cd "$(dirname "$0")/.."
out=build/docs
venv=$out/venv
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

scripts/setup.sh auto "docs${1:+-$1}"

has() # has FILE: whether the packages that this requirements file names are installed
{
  cmp -s "docs/site/$1" "$venv/$1"
}
install() # install FILE
{
  echo "Installing what docs/site/$1 names in $venv" >&2
  "$venv/bin/pip" install --quiet -r "docs/site/$1" >&2
  cp "docs/site/$1" "$venv/$1"
}

if ! has requirements.txt; then
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "The site needs Python 3.11 or newer, for Sphinx.")'
  python3 -m venv --clear "$venv"
  install requirements.txt
fi
# The examples draw the pictures of the site. They are those of `make test-all` if it was run, otherwise they are compiled from the headers
# alone, which takes less time here than compiling the library.
build=build/dev
{
  [ -x build/dev/examples/calibration ] || {
    build=$out/build
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 \
      -DNEML2_BUILD_TESTS=OFF -DNEML2_LIBTORCH_DOWNLOAD="$PWD/build/libtorch"
  } && cmake --build "$build" --target pictures
} >"$out/build.log" || { tail -n 40 "$out/build.log" >&2; exit 1; }
rm -rf "$out/pictures"
cp -r "$build/examples/pictures" "$out"
"$venv/bin/python" scripts/site_pages.py "$out/source"
# After an incomplete run Sphinx would not repeat its warnings about pages that it has read, nor copy the pictures of the last page.
[ -e "$out/complete" ] || rm -rf "$out/doctrees"
rm -f "$out/complete"
"$venv/bin/sphinx-build" -q -W --keep-going -b html -c docs/site -d "$out/doctrees" "$out/source" "$out/site"
touch "$out/complete"
"$venv/bin/python" scripts/check_site.py "$out/site"
if [ "${1:-}" = test ]; then
  has requirements-test.txt || install requirements-test.txt
  "$venv/bin/python" scripts/browse_site.py "$out/site" "$out/screenshots"
fi
echo "file://$PWD/$out/site/index.html"
