# SPDX-License-Identifier: MIT
# find_package(Torch): chooses one LibTorch, in this order,
#   1. the one the user names: Torch_DIR, Torch_ROOT or CMAKE_PREFIX_PATH
#   2. the torch of the Python environment that this file was installed in, or else of the active one
#   3. the system's
#   4. only if NEML2_LIBTORCH_DOWNLOAD names a folder: a virtual environment made there
# and takes headers and libraries from the same place. NEML2_LIBTORCH=system considers 3 alone, private 4 alone.

include(FindPackageHandleStandardArgs)
set(NEML2_LIBTORCH auto CACHE STRING "Which LibTorch: auto, system or private")
if(NOT NEML2_LIBTORCH MATCHES "^(auto|system|private)$")
  message(FATAL_ERROR "NEML2_LIBTORCH is auto, system or private, not ${NEML2_LIBTORCH}")
endif()
set(NEML2_LIBTORCH_DOWNLOAD "" CACHE PATH "Folder for a private LibTorch if there is no other")

# Looks where find_package would look, but loads nothing: no version is that high.
macro(neml2_look_for_torch)
  if(NOT neml2_torch)
    find_package(Torch 9999 QUIET CONFIG NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_PACKAGE_REGISTRY
                                         NO_CMAKE_SYSTEM_PACKAGE_REGISTRY ${ARGN})
    list(POP_FRONT Torch_CONSIDERED_CONFIGS neml2_torch)
  endif()
endmacro()

# Takes the wheel in this folder, if there is one that can be compiled against here.
macro(neml2_take_torch_wheel)
  if(NOT neml2_torch AND EXISTS ${ARGV0}/share/cmake/Torch/TorchConfig.cmake)
    find_program(NEML2_NVCC nvcc HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(NEML2_NVCC)
    if(NEML2_NVCC OR NOT EXISTS ${ARGV0}/lib/libtorch_cuda.so)
      set(neml2_torch ${ARGV0}/share/cmake/Torch/TorchConfig.cmake)
    else()
      message(STATUS "LibTorch: not ${ARGV0}, a CUDA build that needs the CUDA toolkit (nvcc)")
    endif()
  endif()
endmacro()

if(NOT TARGET torch)
  set(neml2_torch "")
  if(NEML2_LIBTORCH STREQUAL "auto")
    neml2_look_for_torch(NO_CMAKE_SYSTEM_PATH)
    cmake_path(SET neml2_wheel NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../../../torch) # beside the package neml2
    neml2_take_torch_wheel("${neml2_wheel}")
    execute_process(
      COMMAND python3 -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
      OUTPUT_VARIABLE neml2_wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    neml2_take_torch_wheel("${neml2_wheel}")
  endif()
  unset(Torch_DIR CACHE)
  if(NOT NEML2_LIBTORCH STREQUAL "private")
    neml2_look_for_torch(NO_PACKAGE_ROOT_PATH NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH)
  endif()
  if(NOT neml2_torch AND NEML2_LIBTORCH_DOWNLOAD AND NOT NEML2_LIBTORCH STREQUAL "system")
    set(neml2_wheel torch==2.13.0)
    if(NOT EXISTS ${NEML2_LIBTORCH_DOWNLOAD}/${neml2_wheel})
      message(STATUS "LibTorch: none found, installing ${neml2_wheel} in ${NEML2_LIBTORCH_DOWNLOAD}")
      execute_process(COMMAND python3 -m venv --clear ${NEML2_LIBTORCH_DOWNLOAD}
                      COMMAND_ERROR_IS_FATAL ANY)
      execute_process(COMMAND ${NEML2_LIBTORCH_DOWNLOAD}/bin/pip install --quiet
                              --disable-pip-version-check ${neml2_wheel}
                      COMMAND_ERROR_IS_FATAL ANY)
      file(TOUCH ${NEML2_LIBTORCH_DOWNLOAD}/${neml2_wheel}) # complete
    endif()
    file(GLOB neml2_wheel ${NEML2_LIBTORCH_DOWNLOAD}/lib/python3*/site-packages/torch)
    neml2_take_torch_wheel("${neml2_wheel}")
    if(NOT neml2_torch)
      message(FATAL_ERROR "pip chose a CUDA build of LibTorch. Install the CUDA toolkit, or set "
        "PIP_INDEX_URL to PyTorch's index of CPU builds, remove ${NEML2_LIBTORCH_DOWNLOAD} and try again.")
    endif()
  endif()

  if(neml2_torch)
    # TorchConfig.cmake looks for the rest of itself everywhere: show it its own folder first.
    cmake_path(GET neml2_torch PARENT_PATH neml2_torch)
    string(REGEX REPLACE "/(share|lib|lib/[^/]+)/cmake/Torch$" "" neml2_prefix "${neml2_torch}")
    list(PREPEND CMAKE_PREFIX_PATH ${neml2_prefix})
    foreach(neml2_cached IN ITEMS Caffe2_DIR TORCH_LIBRARY c10_LIBRARY)
      unset(${neml2_cached} CACHE)
    endforeach()
    set(neml2_log_level "${CMAKE_MESSAGE_LOG_LEVEL}")
    set(CMAKE_MESSAGE_LOG_LEVEL ERROR) # it warns about static libraries that no one needs
    find_package(Torch CONFIG QUIET PATHS ${neml2_torch} NO_DEFAULT_PATH)
    set(CMAKE_MESSAGE_LOG_LEVEL "${neml2_log_level}")
    list(POP_FRONT CMAKE_PREFIX_PATH)
  endif()
endif()

set(neml2_torch "")
set(neml2_reason "no LibTorch found. Name one (-DCMAKE_PREFIX_PATH=<...>/torch), activate a Python \
environment with torch, install the system's (Debian: libtorch-dev), or allow a private one with \
-DNEML2_LIBTORCH_DOWNLOAD=<folder>.")
if(TARGET torch)
  get_target_property(neml2_torch torch INTERFACE_INCLUDE_DIRECTORIES)
  list(GET neml2_torch 0 neml2_torch)
  cmake_path(GET neml2_torch PARENT_PATH neml2_torch)
  # Which C++ library's strings it was compiled for, if it says so.
  get_target_property(neml2_definitions torch INTERFACE_COMPILE_DEFINITIONS)
  get_target_property(neml2_options torch INTERFACE_COMPILE_OPTIONS)
  string(REGEX MATCH "_GLIBCXX_USE_CXX11_ABI=[01]" neml2_torch_abi
                     "${neml2_definitions};${neml2_options};${CMAKE_CXX_FLAGS};${TORCH_CXX_FLAGS}")
  set(neml2_libraries ${TORCH_LIBRARY} ${c10_LIBRARY}) # what TORCH_LIBRARIES holds beside the targets
  foreach(neml2_target IN ITEMS torch torch_cpu c10)
    if(TARGET ${neml2_target})
      get_target_property(neml2_library ${neml2_target} LOCATION)
      list(APPEND neml2_libraries ${neml2_library})
    endif()
  endforeach()
  foreach(neml2_library IN LISTS neml2_libraries)
    cmake_path(IS_PREFIX neml2_torch "${neml2_library}" NORMALIZE neml2_same)
    if(NOT neml2_same)
      set(neml2_reason "LibTorch's headers and libraries come from different places, \
${neml2_torch}/include and ${neml2_library}. Put the folder of the one you want first in \
CMAKE_PREFIX_PATH (for a wheel: <site-packages>/torch) and start with an empty build folder.")
      set(neml2_torch "")
      break()
    endif()
  endforeach()
endif()
if(NOT neml2_torch)
  find_package_handle_standard_args(Torch REQUIRED_VARS neml2_torch
                                    REASON_FAILURE_MESSAGE "${neml2_reason}")
else()
  set(Torch_FOUND TRUE)
  if(NOT Torch_FIND_QUIETLY)
    message(STATUS "LibTorch ${Torch_VERSION} from ${neml2_torch}")
  endif()
endif()
