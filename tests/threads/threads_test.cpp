// SPDX-License-Identifier: MIT
#include "neml2/math/jacobian.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"

#include <ATen/ops/rand.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdio>
#include <thread>
#include <vector>

/**
 * The library from several threads at once, as a program of its own: small enough to be built with
 * ThreadSanitizer (preset tsan), which reports accesses of two threads to the same memory.
 */
using namespace neml2;

namespace
{
constexpr auto update = [](auto C, auto strain, auto k)
{
  const auto s = C * strain;
  const auto n = norm(dev(s));
  return std::tuple(where(n > k, s * (k / n), s), n);
};

/// The data that all threads read; each thread has its own results.
struct Shared
{
  SSR4 C;
  SR2 strain;
  Scalar k;
  at::Tensor stress, tangent, by_C; ///< as one thread computes them
  at::Tensor graph;                 ///< whose backward all threads run
  SSR4 variable;
  TensorOptions options;
};

at::Tensor
gradient(const at::Tensor & y, const at::Tensor & x)
{
  return torch::autograd::grad({y.sum()}, {x}, {}, /*retain_graph=*/true)[0];
}

Shared
make_shared_data(Size n, Dtype dtype)
{
  Shared d;
  d.options = TensorOptions(dtype);
  d.C = SSR4(at::rand({6, 6}, d.options));
  d.strain = SR2(at::rand({n, 6}, d.options));
  d.k = Scalar(at::rand({n}, d.options));
  d.variable = SSR4(d.C.detach().clone().set_requires_grad(true));
  d.graph = std::get<0>(vmap(with_gradient(update), d.variable, d.strain, d.k));
  d.stress = std::get<0>(vmap(update, d.C, d.strain, d.k));
  d.tangent = std::get<0>(value_and_jacobian<1>(update, d.C, d.strain, d.k).second);
  d.by_C = gradient(d.graph, d.variable);
  return d;
}

/// Runs each kind of loop once; returns whether all results are those of one thread.
bool
evaluate(const Shared & d)
{
  const SR2 half = d.C * d.strain * 0.5; // operations fused one by one
  bool right = at::Tensor(half + half).allclose(d.C * d.strain);

  const auto [stress, n] = vmap(update, d.C, d.strain, d.k);
  right = right && stress.equal(d.stress);

  SR2 out = SR2::empty(d.strain.batch_sizes().concrete(), d.options);
  Scalar norm = Scalar::empty(d.strain.batch_sizes().concrete(), d.options);
  vmap_out(std::tie(out, norm), update, d.C, d.strain, d.k);
  right = right && out.equal(d.stress) && norm.equal(n);

  const auto both = value_and_jacobian<1>(update, d.C, d.strain, d.k);
  right = right && std::get<0>(both.second).equal(d.tangent);

  const SSR4 own(d.C.detach().clone().set_requires_grad(true));
  const auto recorded = vmap(with_gradient(update), own, d.strain, d.k);
  right = right && gradient(std::get<0>(recorded), own).allclose(d.by_C);
  return right && gradient(d.graph, d.variable).allclose(d.by_C);
}

/// The same on several threads, each of which may have threads of OpenMP.
bool
evaluate_on_threads(const Shared & d, int openmp_threads)
{
  std::vector<char> right(4, false);
  std::vector<std::thread> threads;
  for (auto & r : right)
    threads.emplace_back(
        [&]
        {
          at::set_num_threads(openmp_threads);
          r = true;
          for (int i = 0; i < 3; i++)
            r = r && evaluate(d);
        });
  for (auto & t : threads)
    t.join();
  return right == std::vector<char>(4, true);
}
} // namespace

int
main()
{
  bool right = true;
  const auto check = [&](Size rows, Dtype dtype, int openmp_threads)
  {
    at::set_num_threads(openmp_threads);
    if (evaluate_on_threads(make_shared_data(rows, dtype), openmp_threads))
      return;
    std::printf(
        "wrong results for %d rows on threads of %d OpenMP threads\n", int(rows), openmp_threads);
    right = false;
  };
  for (const auto dtype : {kFloat64, kFloat32})
    for (const Size rows : {1, 300})
      check(rows, dtype, 1);
  check(3000, kFloat64, 2);
  return right ? 0 : 1;
}
