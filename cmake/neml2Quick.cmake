# SPDX-License-Identifier: MIT
# neml2_quick: options for programs that are checked and need not be fast. Inlined row formulas take most of the time to compile, and
# NEML2_RECORDS avoids them. With gcc on a machine with AVX2 loops keep their calls, too (NEML2_KEEPS_CALLS), and run the formulas on packs
# all the same. A configuration without optimisation stays so: there packs are plain rows.
set(neml2_quick -DNEML2_RECORDS)
string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" flags)
if(NOT "${CMAKE_CXX_FLAGS} ${${flags}}" MATCHES "-O0" AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  list(APPEND neml2_quick -Og)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_CROSSCOMPILING)
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }"
                          NEML2_HAS_AVX2)
    if(NEML2_HAS_AVX2)
      list(APPEND neml2_quick -DNEML2_KEEPS_CALLS -mavx2 -mfma -ffp-contract=off)
    endif()
  endif()
endif()
unset(flags)
