# SPDX-License-Identifier: MIT
# cmake -D PROGRAM=... -D EXPECTED=... -P: fails unless the program prints exactly the contents of that file.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}\nprinted:\n${printed}")
endif()
