# SPDX-License-Identifier: MIT
set(prefix_path ${TORCH})
if(WAY MATCHES "^(installed|compiled)$") # in one place, used in another
  file(REMOVE_RECURSE ${WAY}/new)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WAY}/old COMMAND_ERROR_IS_FATAL ANY)
  if(WAY STREQUAL "compiled")
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WAY}/old --component compiled
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(RENAME ${WAY}/old ${WAY}/new)
  file(REAL_PATH ${WAY}/new new)
  list(APPEND prefix_path ${new})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/user -B ${WAY}
                        -D WAY=${WAY} -D NEML2=${NEML2} -D CMAKE_CXX_COMPILER=${CXX}
                        "-DCMAKE_PREFIX_PATH=${prefix_path}" -D CMAKE_CXX_FLAGS_RELEASE=-O0
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WAY} COMMAND_ERROR_IS_FATAL ANY)
set(PROGRAM ${WAY}/broadcasting)
set(EXPECTED ${NEML2}/examples/broadcasting.out)
include(${NEML2}/cmake/CompareOutput.cmake)
if(WAY STREQUAL "compiled")
  execute_process(COMMAND ${WAY}/rules COMMAND_ERROR_IS_FATAL ANY)
endif()
