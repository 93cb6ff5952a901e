// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <utility>

namespace hand
{
/// A linear system J x = b of n equations with several right sides, solved in place by elimination with row
/// pivoting.
template <int size, int sides>
struct Gauss
{
  static constexpr int n = size;
  double J[n][n], b[n][sides];
  int row[n];

  void factor()
  {
    for (int k = 0; k < n; k++)
    {
      row[k] = k;
      for (int i = k + 1; i < n; i++)
        if (std::abs(J[i][k]) > std::abs(J[row[k]][k]))
          row[k] = i;
      if (row[k] != k)
        std::swap(J[k], J[row[k]]);
      for (int i = k + 1; i < n; i++)
      {
        J[i][k] /= J[k][k];
        for (int j = k + 1; j < n; j++)
          J[i][j] -= J[i][k] * J[k][j];
      }
    }
  }
  /// Overwrites the first columns of b with the solutions.
  void solve(int columns)
  {
    for (int k = 0; k < n; k++)
      if (row[k] != k)
        std::swap(b[k], b[row[k]]);
    for (int k = 0; k < n; k++)
      for (int i = k + 1; i < n; i++)
        for (int m = 0; m < columns; m++)
          b[i][m] -= J[i][k] * b[k][m];
    for (int k = n - 1; k >= 0; k--)
      for (int m = 0; m < columns; m++)
      {
        for (int j = k + 1; j < n; j++)
          b[k][m] -= J[k][j] * b[j][m];
        b[k][m] /= J[k][k];
      }
  }
};
} // namespace hand
