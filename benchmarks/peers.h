// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <torch/version.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/**
 * Times several ways of computing the same thing, "peers", in one process.
 *
 * Each peer becomes a Google Benchmark named operation/N/threads/peer; scripts/benchmark.py makes
 * tables of ratios of them. The first peer is the library. The one called "floor" moves the same
 * bytes and computes nothing; "obvious" is the ATen composition one writes first; the others are
 * ATen compositions that may be faster.
 */
namespace peers
{
struct Peer
{
  std::string name;
  std::function<at::Tensor()> run;
};
using Peers = std::vector<Peer>;

#if defined(__x86_64__) && (!defined(__clang__) || __clang_major__ >= 14)
#define FLOOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define FLOOR_CLONES
#endif

/// Reads blocks of 16 numbers, `in` of them, adds them up lane by lane, and writes `out` such blocks.
FLOOR_CLONES inline void
move_blocks(const double * a, int64_t na, const double * b, int64_t nb, double * out, int64_t nout)
{
  double sum[16] = {};
  for (int64_t i = 0; i < na; i++)
    for (int k = 0; k < 16; k++)
      sum[k] += a[16 * i + k];
  for (int64_t i = 0; i < nb; i++)
    for (int k = 0; k < 16; k++)
      sum[k] += b[16 * i + k];
  for (int64_t i = 0; i < nout; i++)
    for (int k = 0; k < 16; k++)
      out[16 * i + k] = sum[k];
}

/// The memory floor of an operation: reads all of a and b (b may be undefined) and writes a fresh
/// tensor of this shape, N first, in pieces that fit the first cache level, with the rows spread over the threads.
/// Inputs that all rows share are left out.
inline at::Tensor
floor(const at::Tensor & a, const at::Tensor & b, at::IntArrayRef shape)
{
  at::Tensor result = at::empty(shape, at::kDouble);
  const int64_t N = shape[0], n = result.numel() / N;
  const double * const x = a.data_ptr<double>();
  const double * const y = b.defined() ? b.data_ptr<double>() : x;
  double * const out = result.data_ptr<double>();
  const int64_t nx = a.numel() / N, ny = b.defined() ? b.numel() / N : 0;
  const auto move = [&](int64_t begin, int64_t end) // blocks of 16 rows
  {
    for (int64_t i = begin; i < end; i++)
      move_blocks(x + 16 * nx * i, nx, y + 16 * ny * i, ny, out + 16 * n * i, n);
  };
  if (N / 16 < 512)
    move(0, N / 16);
  else
    at::parallel_for(0, N / 16, 512, move);
  for (int64_t i = N / 16 * 16; i < N; i++)
  {
    double sum = 0;
    for (int64_t k = 0; k < nx; k++)
      sum += x[nx * i + k];
    for (int64_t k = 0; k < ny; k++)
      sum += y[ny * i + k];
    for (int64_t k = 0; k < n; k++)
      out[n * i + k] = sum;
  }
  return result;
}

/// All peers but the floor must give what the first gives.
inline void
check_agreement(const std::string & operation, const Peers & peers)
{
  const at::Tensor expected = peers.front().run();
  for (const auto & peer : peers)
  {
    const at::Tensor result = peer.run();
    const bool agrees =
        result.sizes() == expected.sizes() && at::allclose(result, expected, 1e-10, 1e-10);
    if (peer.name != "floor" && !agrees)
    {
      std::cerr << operation << ": the peer '" << peer.name << "' gives something else, of shape "
                << result.sizes() << '\n';
      std::exit(1);
    }
  }
}

/// Registers the peers of an operation at each batch size and number of threads.
inline void
add(const std::string & operation, const std::function<Peers(int64_t)> & peers)
{
  check_agreement(operation, peers(33));
  const Peers names = peers(1);
  for (const int64_t N : {1, 100, 10'000, 1'000'000})
    for (const int threads : {1, 2})
      for (size_t k = 0; k < names.size(); k++)
      {
        if (threads > 1 && N < 10'000)
          continue; // too little to share
        const std::string name = operation + '/' + std::to_string(N) + '/' +
                                 std::to_string(threads) + '/' + names[k].name;
        auto * const b =
            benchmark::RegisterBenchmark(name.c_str(),
                                         [=](benchmark::State & state)
                                         {
                                           if (at::get_num_threads() != threads)
                                             at::set_num_threads(threads);
                                           const auto run = peers(N)[k].run;
                                           run(); // what memory it needs is warm from here on
                                           for (auto _ : state)
                                             benchmark::DoNotOptimize(run());
                                         });
        b->UseRealTime()->Repetitions(N < 1'000'000 ? 25 : 6);
        // Samples are shorter than a time slice, so that on a busy machine some are undisturbed. Two
        // threads lose a whole slice whenever one of them has to wait for a core.
        if (threads == 1)
          b->MinTime(0.003);
        else
          b->Iterations(N < 1'000'000 ? 5 : 1);
      }
}

/// Keeps malloc from returning memory to the system: otherwise every peer pays page faults for each
/// large result, and these swamp what it computes. --default_malloc leaves malloc as users have it.
inline bool
keep_memory()
{
#ifdef __GLIBC__
  return mallopt(M_MMAP_MAX, 0) && mallopt(M_TRIM_THRESHOLD, -1) && mallopt(M_TOP_PAD, 64 << 20);
#else
  return false;
#endif
}

/// Runs what was registered, all repetitions of all peers in random order; the user's flags win.
inline int
run(int argc, char ** argv)
{
  bool keep = true;
  std::vector<std::string> flags{argv[0],
                                 "--benchmark_enable_random_interleaving=true",
                                 "--benchmark_repetitions=25",
                                 "--benchmark_min_time=0.003",
                                 "--benchmark_display_aggregates_only=true"};
  for (int i = 1; i < argc; i++)
    if (argv[i] == std::string("--default_malloc"))
      keep = false;
    else
      flags.push_back(argv[i]);
  std::vector<char *> pointers;
  for (auto & flag : flags)
    pointers.push_back(flag.data());
  int count = int(pointers.size());

  keep = keep && keep_memory();
  std::cerr << "malloc "
            << (keep ? "keeps the memory it gets: no peer pays page faults for its result"
                     : "as the system sets it: large results pay page faults")
            << '\n';
  benchmark::AddCustomContext("malloc", keep ? "keeps memory" : "default");
#ifdef __clang__
  benchmark::AddCustomContext("compiler", __VERSION__);
#else
  benchmark::AddCustomContext("compiler", "gcc " __VERSION__);
#endif
  benchmark::AddCustomContext("libtorch", TORCH_VERSION);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data()))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
} // namespace peers
