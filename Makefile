# SPDX-License-Identifier: MIT
# The front door: each command first installs what is missing. `make help` lists them.
LIBTORCH ?= auto
PRESET ?= $(if $(filter system,$(LIBTORCH)),system,dev)

# Warnings are errors in the presets. A newcomer may have a newer compiler with more warnings, which must not stop the build.
strict := $(if $(CI),,-DCMAKE_COMPILE_WARNING_AS_ERROR=OFF)
jobs := $(shell getconf _NPROCESSORS_ONLN)
configure = scripts/setup.sh $(LIBTORCH) $(PART) && cmake --preset $(PRESET) $(strict) $(FLAGS) \
  -DNEML2_LIBTORCH=$(LIBTORCH) -DNEML2_LIBTORCH_DOWNLOAD=$(CURDIR)/build/libtorch

.PHONY: help tutorial test test-all asan tsan aarch64 coverage fuzz random benchmark gpu python-test wheel integrations docs docs-test packages
help:
	@echo 'make tutorial    build and run examples/broadcasting.cpp'
	@echo 'make test        build and run the tests of every room; with PRESET=cxx20 as C++20; with TARGETS= and TESTS= a part,'
	@echo '                 with FLAGS= more of them for cmake'
	@echo 'make test-all    these and the guards: every header alone, packages, programs of NEML2 2.x, examples, random rows;'
	@echo '                 SKIP= leaves some out'
	@echo 'make asan        the tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make tsan        a program that uses several threads under ThreadSanitizer'
	@echo 'make aarch64     the tests of kernels and packs compiled for aarch64 (Debian), run by qemu'
	@echo 'make coverage    the lines of the headers that the tests execute'
	@echo 'make fuzz        a million random sequences of operations on labels (needs clang)'
	@echo 'make random      a million random chains of operations against references in LibTorch; SEED= and CASES= choose,'
	@echo '                 PRESET=asan runs them under the sanitizers'
	@echo 'make benchmark   build and run the benchmarks; ARGS go to scripts/benchmark.py'
	@echo 'make gpu         on a machine with a GPU, without network: all of the library on it, in 15 minutes; STAGES= choose, see scripts/gpu.sh'
	@echo 'make python-test build the Python package, install it into a fresh environment, test it there; with'
	@echo '                 BUILD_TYPE=Release as users build it'
	@echo 'make wheel       a wheel for other machines with the same torch, in build/wheel, tried in a fresh environment'
	@echo 'make integrations run formulas inside finite-element codes: scikit-fem, FElupe and torch-fem, which pip installs, deal.II and FEniCSx'
	@echo 'make docs        build the site of these pages and of the reference, to be opened from build/docs/site'
	@echo 'make docs-test   and look at it in headless Chromium'
	@echo 'make packages    the archive of headers and the source distribution for pip, in build/packages'
	@echo
	@echo 'with LIBTORCH=auto     the one you name, or your Python'"'"'s, the system'"'"'s, a private one (default)'
	@echo '     LIBTORCH=system   the system'"'"'s (Debian: libtorch-dev)'
	@echo '     LIBTORCH=private  2.13 from pip, in build/libtorch'

tutorial:
	@{ $(configure) && cmake --build --preset $(PRESET) --target broadcasting; } >&2
	@build/$(PRESET)/examples/broadcasting

# `test` runs the tests that tests/CMakeLists.txt does not label "guard"; `test-all` runs all tests. Each prints the current part, the number
# of parts, and the seconds so far.
test test-all: PART = test
test: TARGETS ?= quick
test: only = $(if $(TESTS),-R '$(TESTS)',-LE guard)
test-all: only = $(if $(TESTS),-R '$(TESTS)') $(if $(SKIP),-E '$(SKIP)')
test test-all:
	@echo '-- $@, 1 of 3: what is missing is installed, LibTorch is looked for'
	@$(configure)
	@echo '-- $@, 2 of 3: compiling [step/steps, seconds so far]'
	@NINJA_STATUS='[%f/%t, %e s] ' cmake --build --preset $(PRESET) $(if $(TARGETS),--target $(TARGETS))
	@echo '-- $@, 3 of 3: running'
	@ctest --preset $(PRESET) -j $(jobs) $(only)

asan: PRESET = asan
asan: test-all

tsan: PRESET = tsan
tsan: TARGETS = threads_tests
tsan: test-all

aarch64:
	@scripts/setup.sh auto aarch64
	@scripts/test_aarch64.sh

coverage: PRESET = coverage
coverage: test-all
	@python3 -m venv build/gcovr && build/gcovr/bin/pip install -q gcovr
	@build/gcovr/bin/gcovr --filter include/ --object-directory build/coverage --gcov-ignore-parse-errors all \
	  --merge-mode-functions separate --merge-lines --sort uncovered-number --txt build/coverage/lines.txt --print-summary

fuzz: PRESET = fuzz
fuzz:
	@$(configure)
	@cmake --build --preset fuzz
	@mkdir -p build/fuzz/corpus
	@build/fuzz/tests/labels_fuzz -runs=1000000 -max_len=200 build/fuzz/corpus tests/fuzz/corpus

# Runs both rooms with half of the cases each, from the same seed.
CASES ?= 1000000
SEED ?= 1
random:
	@$(configure)
	@cmake --build --preset $(PRESET) --target math_tests tensors_tests
	@NEML2_RANDOM_CASES=$$((($(CASES) + 1) / 2)) NEML2_RANDOM_SEED=$(SEED) OMP_NUM_THREADS=1 \
	  ctest --preset $(PRESET) -j $(jobs) -R /random_chains -V

benchmark: PRESET = release
benchmark: strict += -DNEML2_BUILD_BENCHMARKS=ON
benchmark:
	@$(configure)
	@cmake --build --preset $(PRESET) --target benchmarks
	@scripts/benchmark.py build/$(PRESET)/benchmarks $(ARGS)

gpu:
	@scripts/gpu.sh $(STAGES)

python-test:
	@scripts/setup.sh private python
	@scripts/test_python.sh $(BUILD_TYPE)

wheel:
	@scripts/setup.sh private python
	@scripts/wheel.sh $(BUILD_TYPE)

integrations:
	@scripts/setup.sh private python
	@integrations/run.sh

docs:
	@scripts/docs.sh

docs-test:
	@scripts/docs.sh test

# Builds the uncompiled files of a release: the archive of headers and the source distribution.
packages:
	@scripts/setup.sh $(LIBTORCH)
	@cmake -S . -B build/packages/headers -DNEML2_BUILD_TESTS=OFF -DNEML2_BUILD_EXAMPLES=OFF \
	  -DNEML2_LIBTORCH=$(LIBTORCH) -DNEML2_LIBTORCH_DOWNLOAD=$(CURDIR)/build/libtorch
	@cpack --config build/packages/headers/CPackConfig.cmake -B build/packages
	@python3 -m venv build/packages/venv && build/packages/venv/bin/pip install -q build scikit-build-core libclang
	@build/packages/venv/bin/python -B scripts/reference.py # into the source distribution, as that of Python where the package was built
	@rm -f build/docs/python_reference.md
	@! ls build/python/*/python/neml2_tensors/*.pyi >/dev/null 2>&1 || build/packages/venv/bin/python -B scripts/python_reference.py
	@build/packages/venv/bin/python -m build --sdist --no-isolation --skip-dependency-check --outdir build/packages .
