# SPDX-License-Identifier: MIT
# find_package(Torch): chooses one LibTorch, in this order,
#   1. the one the user names: Torch_DIR, Torch_ROOT or CMAKE_PREFIX_PATH
#   2. the torch of the Python environment in which this file was installed, otherwise of the active one
#   3. the system's
#   4. only if NEML2_LIBTORCH_DOWNLOAD names a folder: a virtual environment made there
# and takes headers and libraries from the same place. NEML2_LIBTORCH=system considers only 3, private only 4.
# If the wheel or archive was built with CUDA but this machine has no CUDA toolkit, it takes the libraries without the toolkit: the driver is
# enough to run on a GPU. If they do not load, for example because pip packages that they need are missing, it takes only the CPU part.

include(FindPackageHandleStandardArgs)
set(NEML2_LIBTORCH auto CACHE STRING "Which LibTorch: auto, system or private")
if(NOT NEML2_LIBTORCH MATCHES "^(auto|system|private)$")
  message(FATAL_ERROR "NEML2_LIBTORCH is auto, system or private, not ${NEML2_LIBTORCH}")
endif()
set(NEML2_LIBTORCH_DOWNLOAD "" CACHE PATH "Folder for a private LibTorch if there is no other")

# Looks where find_package would look, but loads nothing, because it asks for a version that does not exist.
macro(neml2_look_for_torch)
  if(NOT neml2_torch)
    find_package(Torch 9999 QUIET CONFIG NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_PACKAGE_REGISTRY
                                         NO_CMAKE_SYSTEM_PACKAGE_REGISTRY ${ARGN})
    list(POP_FRONT Torch_CONSIDERED_CONFIGS neml2_torch)
  endif()
endmacro()

# Takes the wheel in this folder, if the folder contains one.
macro(neml2_take_torch_wheel)
  if(NOT neml2_torch AND EXISTS ${ARGV0}/share/cmake/Torch/TorchConfig.cmake)
    set(neml2_torch ${ARGV0}/share/cmake/Torch/TorchConfig.cmake)
  endif()
endmacro()

# Whether the TorchConfig.cmake of a LibTorch with CUDA works here: without the CUDA toolkit it stops with an error.
macro(neml2_try_cuda)
  if(NOT DEFINED NEML2_TORCH_CUDA)
    set(neml2_trial ${CMAKE_BINARY_DIR}/CMakeFiles/neml2_torch_cuda)
    file(REMOVE_RECURSE ${neml2_trial})
    file(WRITE ${neml2_trial}/CMakeLists.txt
      "cmake_minimum_required(VERSION 3.25)\nproject(torch_cuda LANGUAGES CXX)\n"
      "find_package(Torch REQUIRED CONFIG PATHS \"${neml2_torch}\" NO_DEFAULT_PATH)\n")
    set(neml2_hints "")
    foreach(neml2_hint IN ITEMS CUDAToolkit_ROOT CUDA_TOOLKIT_ROOT_DIR CMAKE_CUDA_COMPILER CMAKE_TOOLCHAIN_FILE)
      if(${neml2_hint})
        list(APPEND neml2_hints -D ${neml2_hint}=${${neml2_hint}})
      endif()
    endforeach()
    execute_process(COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${neml2_trial} -B ${neml2_trial} ${neml2_hints}
                            -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH}"
                    RESULT_VARIABLE neml2_failed OUTPUT_FILE ${neml2_trial}.log ERROR_FILE ${neml2_trial}.log)
    if(neml2_failed)
      set(NEML2_TORCH_CUDA OFF)
    else()
      set(NEML2_TORCH_CUDA ON)
    endif()
    set(NEML2_TORCH_CUDA ${NEML2_TORCH_CUDA} CACHE BOOL "Compile against a CUDA build of LibTorch with the CUDA toolkit" FORCE)
    mark_as_advanced(NEML2_TORCH_CUDA)
  endif()
endmacro()

# Defines the targets of TorchConfig.cmake without those of the CUDA toolkit. The libraries of CUDA are linked by name although nothing calls
# them: LibTorch can use the GPU once they are loaded.
macro(neml2_take_without_toolkit)
  file(STRINGS ${neml2_torch}/TorchConfigVersion.cmake Torch_VERSION REGEX "PACKAGE_VERSION \"" LIMIT_COUNT 1)
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" Torch_VERSION "${Torch_VERSION}")
  file(STRINGS ${neml2_torch}/TorchConfig.cmake TORCH_CXX_FLAGS REGEX "_GLIBCXX_USE_CXX11_ABI=" LIMIT_COUNT 1)
  string(REGEX MATCH "-D_GLIBCXX_USE_CXX11_ABI=[01]" TORCH_CXX_FLAGS "${TORCH_CXX_FLAGS}")
  file(STRINGS ${neml2_prefix}/share/cmake/Caffe2/Caffe2Targets.cmake neml2_definitions
       REGEX "COMPILE_DEFINITIONS \"USE_.*DISTRIBUTED" LIMIT_COUNT 1)
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" neml2_definitions "${neml2_definitions}")
  string(REPLACE "\\;" ";" neml2_definitions "${neml2_definitions}") # file(STRINGS) escapes semicolons
  foreach(neml2_target IN ITEMS c10 torch_cpu torch)
    string(REGEX REPLACE "^torch$" torch_cpu neml2_library ${neml2_target}) # libtorch itself loads libtorch_cuda
    add_library(${neml2_target} SHARED IMPORTED)
    set_target_properties(${neml2_target} PROPERTIES
      IMPORTED_LOCATION ${neml2_prefix}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}${neml2_library}${CMAKE_SHARED_LIBRARY_SUFFIX}
      INTERFACE_INCLUDE_DIRECTORIES "${neml2_prefix}/include;${neml2_prefix}/include/torch/csrc/api/include")
  endforeach()
  set_target_properties(torch_cpu PROPERTIES INTERFACE_COMPILE_DEFINITIONS "${neml2_definitions}"
                                             INTERFACE_LINK_LIBRARIES c10)
  set_target_properties(torch PROPERTIES INTERFACE_COMPILE_OPTIONS "${TORCH_CXX_FLAGS}" INTERFACE_LINK_LIBRARIES torch_cpu)
  execute_process(COMMAND python3 -c "import ctypes, sys; ctypes.CDLL(sys.argv[1])" ${neml2_prefix}/lib/libtorch_cuda.so
                  RESULT_VARIABLE neml2_failed ERROR_VARIABLE neml2_reason OUTPUT_QUIET)
  if(neml2_failed)
    string(REGEX MATCH "[^\n]*\n?$" neml2_reason "${neml2_reason}")
    string(STRIP "${neml2_reason}" neml2_reason)
    set(neml2_taken " (only its part for CPUs, as its libraries of CUDA do not load: ${neml2_reason})")
  else()
    set(neml2_taken " (with its CUDA, without the CUDA toolkit)")
    set(neml2_cuda ${neml2_prefix}/lib/libtorch_cuda.so ${neml2_prefix}/lib/libc10_cuda.so)
    # The libraries that these need are found when the program runs, as in Python.
    set_target_properties(torch PROPERTIES INTERFACE_LINK_OPTIONS
      "LINKER:--push-state,--no-as-needed;${neml2_cuda};LINKER:--pop-state,--allow-shlib-undefined")
  endif()
  if(Torch_VERSION VERSION_GREATER_EQUAL 2.14) # its headers are C++20
    set_property(TARGET torch PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_20)
  endif()
  set(TORCH_LIBRARIES torch)
endmacro()

if(NOT TARGET torch)
  set(neml2_torch "")
  if(NEML2_LIBTORCH STREQUAL "auto")
    neml2_look_for_torch(NO_CMAKE_SYSTEM_PATH)
    cmake_path(SET neml2_wheel NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../../../torch) # beside the package neml2_tensors
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
  endif()

  if(neml2_torch)
    # TorchConfig.cmake looks for its other parts in all prefixes: this puts its own folder first.
    cmake_path(GET neml2_torch PARENT_PATH neml2_torch)
    string(REGEX REPLACE "/(share|lib|lib/[^/]+)/cmake/Torch$" "" neml2_prefix "${neml2_torch}")
    list(PREPEND CMAKE_PREFIX_PATH ${neml2_prefix})
    foreach(neml2_cached IN ITEMS Caffe2_DIR TORCH_LIBRARY c10_LIBRARY)
      unset(${neml2_cached} CACHE)
    endforeach()
    set(neml2_taken "")
    if(EXISTS ${neml2_prefix}/lib/libtorch_cuda.so)
      neml2_try_cuda()
    endif()
    if(EXISTS ${neml2_prefix}/lib/libtorch_cuda.so AND NOT NEML2_TORCH_CUDA)
      neml2_take_without_toolkit()
    else()
      set(neml2_log_level "${CMAKE_MESSAGE_LOG_LEVEL}")
      set(CMAKE_MESSAGE_LOG_LEVEL ERROR) # it warns about static libraries that are not needed
      find_package(Torch CONFIG QUIET PATHS ${neml2_torch} NO_DEFAULT_PATH)
      set(CMAKE_MESSAGE_LOG_LEVEL "${neml2_log_level}")
    endif()
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
  # The ABI of std::string for which it was compiled, if it says so.
  get_target_property(neml2_definitions torch INTERFACE_COMPILE_DEFINITIONS)
  get_target_property(neml2_options torch INTERFACE_COMPILE_OPTIONS)
  string(REGEX MATCH "_GLIBCXX_USE_CXX11_ABI=[01]" neml2_torch_abi
                     "${neml2_definitions};${neml2_options};${CMAKE_CXX_FLAGS};${TORCH_CXX_FLAGS}")
  set(neml2_libraries ${TORCH_LIBRARY} ${c10_LIBRARY}) # the other libraries in TORCH_LIBRARIES
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
    message(STATUS "LibTorch ${Torch_VERSION} from ${neml2_torch}${neml2_taken}")
  endif()
endif()
