# SPDX-License-Identifier: MIT
# The target torch for the Python module: the torch of the Python that will import it, and no other. It does not use
# TorchConfig.cmake, which needs the CUDA toolkit if torch has CUDA; this module needs only the CUDA in that torch.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)

# pip builds in an environment without torch, made with PYTHONPATH: with -E Python ignores it and sees the user's torch.
foreach(flag IN ITEMS -B -E)
  execute_process(
    COMMAND ${Python_EXECUTABLE} ${flag} -c
            "import sys, torch; \
             print(torch.__version__, int(torch.compiled_with_cxx11_abi()), torch.__path__[0], \
                   *sys.path[1:], sep=';')"
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    OUTPUT_VARIABLE found ERROR_VARIABLE reason RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    break()
  endif()
endforeach()
set(help "neml2 is built against the torch that it will be used with, 2.1 or newer. Install the one you want for \
${Python_EXECUTABLE} (pip install torch), then try again. If it is installed there and your \
installer hides it (uv, build): pip install scikit-build-core nanobind libclang, and use its option --no-build-isolation.")
if(failed)
  string(REGEX MATCH "[^\n]*\n?$" reason "${reason}")
  message(FATAL_ERROR "No torch to build against: ${reason}\n${help}")
endif()
list(POP_FRONT found Torch_VERSION torch_cxx11_abi torch_folder)
set(torch_python_path ${found})
if(Torch_VERSION VERSION_LESS 2.1)
  message(FATAL_ERROR "torch ${Torch_VERSION} in ${torch_folder} is too old.\n${help}")
endif()

set(torch_libraries torch_cpu torch_python c10)
list(TRANSFORM torch_libraries REPLACE "(.+)" "${torch_folder}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}\\1${CMAKE_SHARED_LIBRARY_SUFFIX}")
list(POP_FRONT torch_libraries torch_library)
add_library(torch SHARED IMPORTED GLOBAL)
set_target_properties(torch PROPERTIES
  IMPORTED_LOCATION ${torch_library}
  INTERFACE_LINK_LIBRARIES "${torch_libraries}"
  INTERFACE_INCLUDE_DIRECTORIES "${torch_folder}/include;${torch_folder}/include/torch/csrc/api/include"
  INTERFACE_COMPILE_DEFINITIONS _GLIBCXX_USE_CXX11_ABI=${torch_cxx11_abi})
if(Torch_VERSION VERSION_GREATER_EQUAL 2.14 AND NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 20) # its headers need it
endif()
