// SPDX-License-Identifier: MIT
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"

#include "support/peers.h"

#include <ATen/ATen.h>
#include <benchmark/benchmark.h>

/// The cost of one call with almost nothing to compute, C * strain at N = 1: the checks alone, the
/// whole call, and the allocation of the result, which is a lower bound for any call.
using namespace neml2;

namespace
{
void
time(const char * name, const std::function<void(benchmark::State &)> & run)
{
  benchmark::RegisterBenchmark(name, run)->UseRealTime();
}
} // namespace

int
main(int argc, char ** argv)
{
  at::set_num_threads(1);
  SSR4 C(at::rand({2, 6, 6}, at::kDouble));
  SR2 strain(at::rand({1, 2, 6}, at::kDouble));

  time("C * strain/1/1/checks",
       [&](benchmark::State & state)
       {
         for (auto _ : state)
         {
           benchmark::DoNotOptimize(C);
           benchmark::DoNotOptimize(strain);
           const core::Operand operands[] = {core::operand(C), core::operand(strain)};
           core::check_operands("C * strain", operands);
           benchmark::DoNotOptimize(core::broadcast_batch("C * strain", operands));
         }
       });
  time("C * strain/1/1/call",
       [&](benchmark::State & state)
       {
         for (auto _ : state)
           benchmark::DoNotOptimize(C * strain);
       });
  time("C * strain/1/1/at::empty",
       [&](benchmark::State & state)
       {
         for (auto _ : state)
           benchmark::DoNotOptimize(at::empty({1, 2, 6}, at::kDouble));
       });
  time("C * strain/1/1/at::detail::empty_cpu",
       [&](benchmark::State & state)
       {
         for (auto _ : state)
           benchmark::DoNotOptimize(at::detail::empty_cpu({1, 2, 6}, at::kDouble));
       });
  return peers::run(argc, argv);
}
