# SPDX-License-Identifier: MIT
# The front door: each command first installs what is missing. `make help` lists them.
LIBTORCH ?= auto
PRESET ?= $(if $(filter system,$(LIBTORCH)),system,dev)

# Warnings are errors in the presets; a newcomer's newer compiler shall not stop at one.
strict := $(if $(CI),,-DCMAKE_COMPILE_WARNING_AS_ERROR=OFF)
jobs := $(shell getconf _NPROCESSORS_ONLN)
configure = scripts/setup.sh $(LIBTORCH) && cmake --preset $(PRESET) $(strict) \
  -DNEML2_LIBTORCH=$(LIBTORCH) -DNEML2_LIBTORCH_DOWNLOAD=$(CURDIR)/build/libtorch

.PHONY: help tutorial test asan tsan benchmark
help:
	@echo 'make tutorial    build and run examples/broadcasting.cpp'
	@echo 'make test        build and run all tests; with PRESET=cxx20 as C++20'
	@echo 'make asan        the tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make tsan        a program that uses several threads under ThreadSanitizer'
	@echo 'make benchmark   build and run the benchmarks; ARGS go to scripts/benchmark.py'
	@echo
	@echo 'with LIBTORCH=auto     the one you name, or your Python'"'"'s, the system'"'"'s, a private one (default)'
	@echo '     LIBTORCH=system   the system'"'"'s (Debian: libtorch-dev)'
	@echo '     LIBTORCH=private  2.13 from pip, in build/libtorch'

tutorial:
	@{ $(configure) && cmake --build --preset $(PRESET) --target broadcasting; } >&2
	@build/$(PRESET)/examples/broadcasting

test:
	@$(configure)
	@cmake --build --preset $(PRESET)
	@ctest --preset $(PRESET) -j $(jobs)

asan: PRESET = asan
asan: test

tsan: PRESET = tsan
tsan: test

benchmark: PRESET = release
benchmark:
	@$(configure)
	@cmake --build --preset $(PRESET) --target benchmarks
	@scripts/benchmark.py build/$(PRESET)/benchmarks $(ARGS)
