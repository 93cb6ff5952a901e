# SPDX-License-Identifier: MIT
# OpenMP::OpenMP_CXX, if OpenMP is available: LibTorch's parallel loops are header code that needs it.
file(GLOB neml2_gomp ${neml2_torch}/lib/libgomp*.so.1) # the OpenMP library that came with LibTorch
if(neml2_gomp)
  set(OpenMP_gomp_LIBRARY ${neml2_gomp})
endif()
find_package(OpenMP QUIET COMPONENTS CXX)
if(NOT TARGET OpenMP::OpenMP_CXX)
  message(STATUS "neml2: no OpenMP for this compiler, operations run on one thread")
endif()
