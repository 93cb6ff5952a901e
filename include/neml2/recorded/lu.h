// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/lu.h"
#include "neml2/recorded/Symbol.h"

/// LU factors of matrices in recordings. The factor of a matrix of four or more rows is recorded as one operation, because the
/// factor of a matrix of ten rows consists of about a thousand operations.
namespace neml2
{
template <int N>
struct kernels::LU<N, recorded::Symbol>
{
  using T = recorded::Symbol;
  using Condition = recorded::Condition;

  static constexpr bool is_one = N > 3; ///< whether the factor is recorded as one operation

  T a[N][N], over[N], det;
  Condition swapped[N][N];
  bool stays[N] = {};

  void factor()
  {
    if constexpr (is_one)
    {
      const auto outputs =
          recorded::Recording::now().record_system(recorded::Op::factor, N, matrix());
      auto next = outputs.begin();
      for (auto & row : a)
        for (T & x : row)
          x.id = *next++;
      for (T & x : over)
        x.id = *next++;
      det.id = *next++;
      each_exchange([&](int k, int i) { swapped[k][i].id = *next++; });
    }
    else
      factor_lu<N>(*this, N);
  }

  template <int M>
  void solve(T (&b)[N][M]) const
  {
    if constexpr (is_one)
      record(recorded::Op::solve, b);
    else
      solve_lu<N>(*this, N, b, M);
  }
  template <int M>
  void solve_transposed(T (&b)[N][M]) const
  {
    if constexpr (is_one)
      record(recorded::Op::solve_transposed, b);
    else
      solve_lu_transposed<N>(*this, N, b, M);
  }

private:
  template <class F>
  static void each_exchange(const F & f)
  {
    for (int k = 0; k < N; k++)
      for (int i = k + 1; i < N; i++)
        f(k, i);
  }

  std::vector<int32_t> matrix() const
  {
    std::vector<int32_t> all;
    for (const auto & row : a)
      for (const T & x : row)
        all.push_back(x.id);
    return all;
  }

  template <int M>
  void record(recorded::Op op, T (&b)[N][M]) const
  {
    std::vector<int32_t> factor = matrix();
    for (const T & x : over)
      factor.push_back(x.id);
    each_exchange([&](int k, int i) { factor.push_back(swapped[k][i].id); });
    for (int m = 0; m < M; m++)
    {
      std::vector<int32_t> operands = factor;
      for (const auto & row : b)
        operands.push_back(row[m].id);
      const auto x = recorded::Recording::now().record_system(op, N, operands);
      for (int i = 0; i < N; i++)
        b[i][m].id = x[size_t(i)];
    }
  }
};
} // namespace neml2
