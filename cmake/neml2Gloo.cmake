# SPDX-License-Identifier: MIT
# The target neml2_gloo, for programs whose processes exchange data by LibTorch's c10d and Gloo. It exists if the headers of both do. pip's
# LibTorch contains Gloo but not its headers (Debian: libgloo-dev).
include_guard(GLOBAL)
get_target_property(definitions torch_cpu INTERFACE_COMPILE_DEFINITIONS)
find_path(NEML2_GLOO_HEADERS gloo/context.h)
mark_as_advanced(NEML2_GLOO_HEADERS)
if(NOT "USE_C10D_GLOO" IN_LIST definitions)
  message(STATUS "Examples and tests of several processes are left out: this LibTorch has no Gloo")
elseif(NOT NEML2_GLOO_HEADERS)
  message(STATUS "Examples and tests of several processes are left out: they need Gloo's headers (Debian: libgloo-dev)")
else()
  add_library(neml2_gloo INTERFACE)
  target_include_directories(neml2_gloo SYSTEM INTERFACE ${NEML2_GLOO_HEADERS})
  target_include_directories(neml2_gloo INTERFACE ${PROJECT_SOURCE_DIR}/examples) # processes.h
endif()
