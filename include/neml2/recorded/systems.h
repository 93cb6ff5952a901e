// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/cholesky.h"
#include "neml2/recorded/lu.h"

#include <vector>

/// Linear equations in recorded formulas. Matrices have n rows, and are given as lists of their numbers, row by row.
namespace neml2::recorded
{
/// The solution x of A x = b for several right-hand sides, the columns of b, as in kernels::solve.
template <int n>
std::vector<Number>
solve(const std::vector<Number> & A, std::vector<Number> b)
{
  const auto lu = kernels::factored<n, Symbol>(A);
  const size_t columns = b.size() / n;
  for (size_t c = 0; c < columns; c++)
  {
    const auto at = [&](int i) -> Number & { return b[size_t(i) * columns + c]; };
    Symbol x[n][1], d[n][1];
    for (int i = 0; i < n; i++)
      x[i][0] = at(i).x;
    lu.solve(x);
    for (int i = 0; i < n; i++)
    {
      d[i][0] = at(i).d[0];
      for (int j = 0; j < n; j++)
        d[i][0] = d[i][0] - A[size_t(n * i + j)].d[0] * x[j][0];
    }
    lu.solve(d);
    for (int i = 0; i < n; i++)
    {
      at(i).x = x[i][0];
      at(i).d[0] = d[i][0];
    }
  }
  return b;
}

template <int n>
std::vector<Number>
inverse(const std::vector<Number> & A)
{
  std::vector<Number> identity;
  for (int i = 0; i < n * n; i++)
    identity.emplace_back(i / n == i % n ? 1.0 : 0.0);
  return solve<n>(A, identity);
}

/// The matrix type of the argument and the result of kernels::cholesky_factor.
template <int n>
struct Matrix
{
  using value_type = Number;
  std::vector<Number> numbers = std::vector<Number>(size_t(n * n), Number(0.0));

  const Number & operator[](int i) const { return numbers[size_t(i)]; }
  Number & operator[](int i) { return numbers[size_t(i)]; }
  friend Matrix operator*(Matrix A, const Symbol & factor)
  {
    for (Number & a : A.numbers)
      a = a * factor;
    return A;
  }
};
template <int n>
std::vector<Number>
cholesky(const std::vector<Number> & A)
{
  return kernels::cholesky_factor<n>(Matrix<n>{A}).numbers;
}
} // namespace neml2::recorded
