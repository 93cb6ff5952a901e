#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles the tests of kernels and packs, which need no LibTorch, for aarch64, and runs them in qemu. Needs Catch2 2.13, a single header.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/aarch64
mkdir -p $build/include
ln -sfn /usr/include/catch2 $build/include/catch2
compile="aarch64-linux-gnu-g++ -std=c++17 -O2 -Wall -Wextra -Werror -Iinclude -Itests -isystem $build/include"
echo '#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>' >$build/main.cpp

tests=$(grep -L 'neml2/core/' tests/kernels/*_test.cpp tests/packs/*_test.cpp)
objects=
rules="$build/main.o: $build/main.cpp; @$compile -c -o $build/main.o $build/main.cpp"$'\n'
for test in $tests; do
  object=$build/$(basename "$test" .cpp).o
  objects+=" $object"
  rules+="$object: $test; @echo $test; $compile -c -o $object $test"$'\n'
done
make -B -j"$(nproc)" -f <(echo "all:$objects $build/main.o"$'\n'"$rules") all
aarch64-linux-gnu-g++ -o $build/tests $build/main.o $objects
qemu-aarch64 -L /usr/aarch64-linux-gnu $build/tests
