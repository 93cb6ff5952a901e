# SPDX-License-Identifier: MIT
# neml2::compiled: static, or shared with BUILD_SHARED_LIBS. The static library hides its symbols, as it may be linked into
# several shared libraries of one program; the Python module contains a copy, too.
set(library_type STATIC)
if(BUILD_SHARED_LIBS AND NOT NEML2_BUILD_PYTHON)
  set(library_type SHARED)
endif()
if(library_type STREQUAL "SHARED" AND WIN32)
  message(FATAL_ERROR "neml2::compiled can only be static on Windows, as its functions are not marked for export: set BUILD_SHARED_LIBS=OFF")
endif()

file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
add_library(neml2_compiled ${library_type} ${sources})
add_library(neml2::compiled ALIAS neml2_compiled)
target_link_libraries(neml2_compiled PUBLIC neml2)
target_compile_definitions(neml2_compiled PUBLIC NEML2_COMPILED PRIVATE NEML2_LIBRARY)
target_precompile_headers(neml2_compiled PRIVATE include/neml2/tensors/tensors.h)
set_target_properties(neml2_compiled PROPERTIES
  EXPORT_NAME compiled OUTPUT_NAME neml2 POSITION_INDEPENDENT_CODE ON
  UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5 # joined files compile in half of the time
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION}) # a program needs the version that it was compiled with
# Functions of matrices are long kernels. Their results are bitwise the same in operations, in interpreted formulas and in compiled formulas,
# so the compiler must not contract a product and a sum to a fused multiply-add.
set_source_files_properties(src/matrix_functions.cpp src/interpreter.cpp src/recorded.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
  COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off>)
# This file calls row formulas with symbols only, once per formula: inlined, unrolled and optimised it would take three times as long to compile.
set_source_files_properties(src/recorded.cpp PROPERTIES COMPILE_DEFINITIONS NEML2_RECORDS)
set_property(SOURCE src/recorded.cpp APPEND PROPERTY
  COMPILE_OPTIONS $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang,AppleClang>>:-O1;-Wno-maybe-uninitialized>)
if(library_type STREQUAL "STATIC")
  set_target_properties(neml2_compiled PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(neml2_compiled PRIVATE -fno-semantic-interposition) # its own calls may be inlined
endif()

# The library is installed beside the headers, for programs with the same LibTorch. A build for tests does not install it.
set(optional "")
if(NEML2_BUILD_TESTS)
  set(optional EXCLUDE_FROM_ALL)
endif()
set(openmp OFF)
if(TARGET OpenMP::OpenMP_CXX)
  set(openmp ON)
endif()
configure_file(cmake/neml2Compiled.cmake.in neml2Compiled.cmake @ONLY)
install(TARGETS neml2_compiled EXPORT neml2CompiledTargets COMPONENT compiled ${optional})
install(EXPORT neml2CompiledTargets NAMESPACE neml2:: DESTINATION ${package_dir} COMPONENT compiled ${optional})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/neml2Compiled.cmake DESTINATION ${package_dir} COMPONENT compiled ${optional})
