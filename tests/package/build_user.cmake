# SPDX-License-Identifier: MIT
set(prefix_path ${TORCH})
set(project ${CMAKE_CURRENT_LIST_DIR}/user)
set(options -D WAY=${WAY} -D NEML2=${NEML2})
set(program broadcasting)
set(expected broadcasting)
if(WAY MATCHES "^(installed|compiled|pkg_config)$") # in one place, used in another
  file(REMOVE_RECURSE ${WAY}/new)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WAY}/old COMMAND_ERROR_IS_FATAL ANY)
  if(WAY STREQUAL "compiled")
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WAY}/old --component compiled
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(RENAME ${WAY}/old ${WAY}/new)
  file(REAL_PATH ${WAY}/new new)
  list(APPEND prefix_path ${new})
elseif(WAY STREQUAL "archive")
  file(REMOVE_RECURSE ${WAY})
  execute_process(COMMAND ${CMAKE_CPACK_COMMAND} --config ${BUILD}/CPackConfig.cmake -B ${CMAKE_CURRENT_BINARY_DIR}/${WAY}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB archive ${WAY}/neml2-*.tar.gz)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${WAY})
  cmake_path(GET archive FILENAME name)
  string(REPLACE .tar.gz "" name ${name})
  file(REAL_PATH ${WAY}/${name} new)
  list(APPEND prefix_path ${new})
endif()

if(WAY STREQUAL "pkg_config")
  find_program(PKG_CONFIG pkg-config REQUIRED)
  file(GLOB_RECURSE pc ${new}/*/neml2.pc)
  cmake_path(GET pc PARENT_PATH folder)
  foreach(option IN ITEMS --cflags --modversion)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} ${option} neml2
                    OUTPUT_VARIABLE ${option} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  if(NOT "${--modversion}" STREQUAL "${VERSION}")
    message(FATAL_ERROR "neml2.pc says version ${--modversion}, not ${VERSION}")
  endif()
  separate_arguments(flags UNIX_COMMAND "${--cflags}")
  list(TRANSFORM TORCH_INCLUDES PREPEND -I)
  execute_process(COMMAND ${CXX} -std=c++17 -fsyntax-only ${flags} ${TORCH_INCLUDES} ${NEML2}/examples/stress_update.cpp
                  COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

if(WAY MATCHES "^(installed|archive)$") # the project and the program of docs/start.md
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/start DESTINATION ${WAY})
  file(COPY_FILE ${NEML2}/examples/stress_update.cpp ${WAY}/start/model.cpp)
  set(project ${WAY}/start)
  set(options -D CMAKE_FIND_PACKAGE_PREFER_CONFIG=ON) # as Conan has it
  set(program model)
  set(expected stress_update)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${project} -B ${WAY}/build
                        ${options} -D CMAKE_CXX_COMPILER=${CXX}
                        "-DCMAKE_PREFIX_PATH=${prefix_path}" -D CMAKE_CXX_FLAGS_RELEASE=-O0
                COMMAND_ERROR_IS_FATAL ANY)
if(WAY STREQUAL "archive") # which is found; it has the files that `installed` has
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WAY}/build COMMAND_ERROR_IS_FATAL ANY)
set(PROGRAM ${WAY}/build/${program})
set(EXPECTED ${NEML2}/examples/${expected}.out)
include(${NEML2}/cmake/CompareOutput.cmake)
if(WAY STREQUAL "compiled")
  execute_process(COMMAND ${WAY}/build/rules COMMAND_ERROR_IS_FATAL ANY)
endif()
