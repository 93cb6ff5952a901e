# SPDX-License-Identifier: MIT
include(CMakeFindDependencyMacro)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_dependency(Torch MODULE) # by FindTorch.cmake beside this file
list(POP_FRONT CMAKE_MODULE_PATH)
include(${CMAKE_CURRENT_LIST_DIR}/neml2OpenMP.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/neml2Targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/neml2Compiled.cmake OPTIONAL) # if the library was built
