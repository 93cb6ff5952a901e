// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/newton_iteration.h"
#include "neml2/packs/multiply_add.h"

/// The functions that the sources of recorded formulas call, on CPUs and on other devices.
namespace neml2::recorded
{
template <int... n>
struct Sizes
{
  static constexpr int count = sizeof...(n), total = (n + ... + 0);
  static constexpr std::array<int, sizeof...(n)> size = {n...};

  static constexpr int before(int k)
  {
    int sum = 0;
    for (int i = 0; i < k; i++)
      sum += size[size_t(i)];
    return sum;
  }
};

using kernels::LU;
using kernels::NewtonOptions;

/// Solves for x by kernels::NewtonIteration, from the guess in x. evaluate(x, r, J) computes the
/// residual and its derivatives.
template <int n, class P, class Evaluate>
NEML2_CALLS_FORMULA auto
iterate(P (&x)[n],
        const NewtonOptions & options,
        const int (&unknown)[n],
        const Evaluate & evaluate)
{
  P J[n][n];
  for (auto & row : J) // initialised, because some compilers would warn otherwise
    for (P & entry : row)
      entry = P(0.0);
  return kernels::newton_iterate<false>(
      x, J, kernels::NewtonUnknowns<n>{options, unknown}, evaluate);
}

template <int N, class P>
NEML2_INLINE void
set_matrix(LU<N, P> & lu, const P (&numbers)[N * N])
{
  for (int i = 0; i < N * N; i++)
    lu.a[i / N][i % N] = numbers[i];
}
template <int N, class P>
NEML2_INLINE void
set_factor(LU<N, P> & lu, const P (&over)[N], const typename P::Mask (&swapped)[N * (N - 1) / 2])
{
  const auto * s = swapped;
  for (int k = 0; k < N; k++)
  {
    lu.over[k] = over[k];
    for (int i = k + 1; i < N; i++)
      lu.swapped[k][i] = *s++;
  }
}
} // namespace neml2::recorded
