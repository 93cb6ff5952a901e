# SPDX-License-Identifier: MIT
# neml2_quick: options for programs that are checked and need not be fast, except in the configuration Release. Inlined row formulas take
# most of the time to compile; NEML2_RECORDS avoids them. If this machine has AVX2, the programs are compiled for it: then their loops keep
# calls and run the formulas on packs all the same.
include(CheckCXXSourceRuns)
check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }" NEML2_HAS_AVX2)
set(neml2_quick -Og -DNEML2_RECORDS)
if(NEML2_HAS_AVX2)
  list(APPEND neml2_quick -mavx2 -mfma -ffp-contract=off)
endif()
set(neml2_quick "$<$<NOT:$<CONFIG:Release>>:${neml2_quick}>")
