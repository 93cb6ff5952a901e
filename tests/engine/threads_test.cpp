// SPDX-License-Identifier: MIT
#include "neml2/engine/threads.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/guards.h"

#include <torch/csrc/autograd/autograd.h>

#include <cstring>
#include <vector>

#ifdef __unix__
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "support/catch.h"

namespace threads_test
{
using namespace neml2;

TEST_CASE("Parts of a parallel loop cover all numbers once", "[engine]")
{
  const test::Threads two(2);
  for (const Size count : {0, 1, 7, 100})
    for (const Size grain : {1, 7, 1000})
    {
      std::vector<int> times(size_t(count), 0);
      engine::in_parallel(count,
                          grain,
                          [&](Size begin, Size end)
                          {
                            for (Size i = begin; i < end; i++)
                              times[size_t(i)]++;
                          });
      REQUIRE(times == std::vector<int>(size_t(count), 1));
    }
}

#ifdef __unix__
namespace
{
/// Whether the stored numbers are the same; LibTorch's comparison would use threads.
bool
same_numbers(const at::Tensor & a, const at::Tensor & b)
{
  return a.numel() == b.numel() && a.is_contiguous() && b.is_contiguous() &&
         std::memcmp(a.data_ptr(), b.data_ptr(), size_t(a.numel()) * a.element_size()) == 0;
}
} // namespace

TEST_CASE("Large calls end in a forked process, on one thread", "[engine]")
{
  const test::Threads two(2);
  const auto scaled = [](const auto & s, const auto & k) { return k * dev(s) + s; };
  const SR2 s(at::rand({200'000, 6}, kFloat64));
  const Scalar k(at::rand({}, kFloat64).requires_grad_()), weight(at::rand({}, kFloat64));
  const SR2 weights(at::rand({200'000, 6}, kFloat64)), recorded = s.dev() * k;
  const auto gradient =
      [&] { // not by autograd's engine, which refuses forked processes if there are devices
        const at::NoGradGuard no_graph;
        return (*at::Tensor(recorded).grad_fn())({weights})[1];
      };
  const at::Tensor stress = vmap(scaled, s, weight), slope = gradient(); // starts the threads
  REQUIRE(!engine::is_forked());
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0)
  {             // without Catch2, whose report belongs to the parent
    alarm(120); // ends a process that waits for threads
    const bool right = engine::is_forked() && same_numbers(vmap(scaled, s, weight), stress) &&
                       same_numbers(gradient(), slope);
    _exit(right ? 0 : 1);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
}
#endif
} // namespace threads_test
