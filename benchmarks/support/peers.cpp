// SPDX-License-Identifier: MIT
#include "peers.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <benchmark/benchmark.h>
#include <torch/version.h>

#include <array>
#include <cstdlib>
#include <iostream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace peers
{
namespace
{
constexpr int64_t block = 16,
                  max_tensors = 4; // rows moved at a time; inputs, and outputs, of a floor

/// Some tensors of a floor: the start of the next block of rows, and the count of numbers in a row.
template <class T>
struct Moved
{
  std::array<T *, max_tensors> data{};
  std::array<int64_t, max_tensors> width{};
  int64_t count = 0;

  void add(T * p, int64_t n)
  {
    data[count] = p;
    width[count++] = n;
  }
};

template <class T>
[[gnu::always_inline]] inline void
move_blocks(const Moved<const T> & in, const Moved<T> & out, int64_t begin, int64_t end)
{
  for (int64_t i = begin; i < end; i++)
  {
    T sum[block] = {};
    for (int64_t k = 0; k < in.count; k++)
    {
      const T * const p = in.data[k] + i * block * in.width[k];
      for (int64_t j = 0; j < in.width[k]; j++)
        for (int64_t l = 0; l < block; l++)
          sum[l] += p[block * j + l];
    }
    for (int64_t k = 0; k < out.count; k++)
    {
      T * const p = out.data[k] + i * block * out.width[k];
      for (int64_t j = 0; j < out.width[k]; j++)
        for (int64_t l = 0; l < block; l++)
          p[block * j + l] = sum[l];
    }
  }
}

#if defined(__x86_64__) && (!defined(__clang__) || __clang_major__ >= 14)
#define FLOOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define FLOOR_CLONES
#endif

FLOOR_CLONES void
move(const Moved<const double> & in, const Moved<double> & out, int64_t begin, int64_t end)
{
  move_blocks(in, out, begin, end);
}

FLOOR_CLONES void
move(const Moved<const float> & in, const Moved<float> & out, int64_t begin, int64_t end)
{
  move_blocks(in, out, begin, end);
}

/// Moves the remaining rows, which do not fill a block.
template <class T>
void
move_rest(const Moved<const T> & in, const Moved<T> & out, int64_t begin, int64_t end)
{
  T sum = 0;
  for (int64_t k = 0; k < in.count; k++)
    for (int64_t j = begin * in.width[k]; j < end * in.width[k]; j++)
      sum += in.data[k][j];
  for (int64_t k = 0; k < out.count; k++)
    for (int64_t j = begin * out.width[k]; j < end * out.width[k]; j++)
      out.data[k][j] = sum;
}

template <class T>
void
move_rows(const std::vector<at::Tensor> & inputs, std::array<at::Tensor, 2> & results)
{
  const int64_t N = results[0].size(0);
  Moved<const T> in;
  Moved<T> out;
  for (const auto & t : inputs)
    in.add(t.data_ptr<T>(), t.numel() / N);
  for (const auto & t : results)
    if (t.defined())
      out.add(t.data_ptr<T>(), t.numel() / N);
  const int64_t blocks = N / block, grain = 512;
  if (blocks < grain)
    move(in, out, 0, blocks);
  else
    at::parallel_for(
        0, blocks, grain, [&](int64_t begin, int64_t end) { move(in, out, begin, end); });
  move_rest(in, out, blocks * block, N);
}

std::vector<benchmark::internal::Benchmark *> registered;

bool
agree(const at::Tensor & a, const at::Tensor & b)
{
  if (!a.defined() || !b.defined())
    return a.defined() == b.defined();
  const double tolerance = a.scalar_type() == at::kFloat ? 1e-4 : 1e-10;
  return a.sizes() == b.sizes() &&
         a.sub(b).abs().max().item<double>() <= tolerance * b.abs().max().item<double>();
}

void
check_agreement(const std::string & operation, const Peers & peers)
{
  const Results expected = peers.front().run();
  for (const auto & peer : peers)
  {
    const Results r = peer.run();
    if (peer.name != "floor" &&
        !(agree(r.first, expected.first) && agree(r.second, expected.second)))
    {
      std::cerr << operation << ": the peer '" << peer.name << "' gives something else, of shape "
                << r.first.sizes() << '\n';
      std::exit(1);
    }
  }
}

/// Keeps malloc from returning memory to the system: otherwise every peer pays page faults for each
/// large result, and these cost more than its arithmetic. (glibc < 2.35 refuses an M_MMAP_THRESHOLD
/// above 32 MB; M_MMAP_MAX does the same.)
bool
keep_memory()
{
#ifdef __GLIBC__
  return mallopt(M_MMAP_MAX, 0) && mallopt(M_TRIM_THRESHOLD, -1) && mallopt(M_TOP_PAD, 64 << 20);
#else
  return false;
#endif
}
} // namespace

Peer
floor(const std::vector<at::Tensor> & inputs, const std::vector<std::vector<int64_t>> & shapes)
{
  const auto options = inputs.front().options();
  return {"floor",
          [=]() -> Results
          {
            std::array<at::Tensor, 2> results;
            for (size_t i = 0; i < shapes.size(); i++)
              results[i] = at::empty(shapes[i], options);
            if (options.dtype() == at::kFloat)
              move_rows<float>(inputs, results);
            else
              move_rows<double>(inputs, results);
            return {std::move(results[0]), std::move(results[1])};
          }};
}

void
add(const std::string & operation, const std::function<Peers(int64_t)> & peers, int64_t largest)
{
  check_agreement(operation, peers(300));
  const Peers names = peers(1);
  for (const int64_t N : {int64_t(1), int64_t(100), int64_t(10'000), largest})
    for (const int threads : {1, 2})
      for (size_t k = 0; k < names.size(); k++)
      {
        if (threads > 1 && N < 10'000)
          continue; // too few rows to share
        const std::string name = operation + '/' + std::to_string(N) + '/' +
                                 std::to_string(threads) + '/' + names[k].name;
        benchmark::internal::Benchmark * const b =
            benchmark::RegisterBenchmark(name.c_str(),
                                         [=](benchmark::State & state)
                                         {
                                           if (at::get_num_threads() != threads)
                                             at::set_num_threads(threads);
                                           const auto run = peers(N)[k].run;
                                           run(); // warms up the memory that it needs
                                           for (auto _ : state)
                                             benchmark::DoNotOptimize(run());
                                         });
        const bool large = N > 10'000;
        b->UseRealTime()->Repetitions(large ? 5 : 25);
        // Samples are shorter than a time slice, so that on a busy machine some are undisturbed. Two
        // threads lose a whole slice whenever one of them has to wait for a core.
        if (threads == 1)
          b->MinTime(0.003);
        else
          b->Iterations(large ? 1 : 5);
        registered.push_back(b);
      }
}

int
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
    else if (argv[i] == std::string("--quick"))
      for (auto * const b : registered)
        b->Repetitions(2);
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
