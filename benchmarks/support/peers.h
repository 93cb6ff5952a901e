// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

/**
 * Times several ways of computing the same thing, "peers", in one process.
 *
 * Each peer becomes a Google Benchmark named operation/N/threads/peer; scripts/benchmark.py makes
 * tables of ratios of them. The names mean: "neml2" is the library, "neml2 ..." another way through
 * it; "floor" moves the same bytes and computes nothing; "hand" is a hand-written loop over rows;
 * "obvious" is the ATen composition one writes first; all others are ATen compositions that may be
 * faster.
 */
namespace peers
{
/// The result of a peer: one tensor or two.
struct Results
{
  Results(at::Tensor a, at::Tensor b = {}) : first(std::move(a)), second(std::move(b)) {}
  at::Tensor first, second;
};

struct Peer
{
  std::string name;
  std::function<Results()> run;
};
using Peers = std::vector<Peer>;

/// The memory floor of an operation: reads all of the inputs and writes fresh tensors (one or two) of
/// these shapes, N rows each, in pieces that fit the first cache level, with the rows spread over the
/// threads. Inputs that all rows share are left out.
Peer floor(const std::vector<at::Tensor> & inputs,
           const std::vector<std::vector<int64_t>> & shapes);

/// Registers the peers of an operation; all peers except the floor must give the same results. They
/// run at N = 1, 100, 10⁴ and the largest size, with one thread and, from 10⁴ on, two.
void add(const std::string & operation,
         const std::function<Peers(int64_t)> & peers,
         int64_t largest = 1'000'000);

/// Runs all registered peers, with all repetitions of all peers in random order; flags of the user
/// override these settings. --default_malloc leaves malloc at its default settings; --quick repeats
/// only twice, as a check that everything works.
int run(int argc, char ** argv);
} // namespace peers
