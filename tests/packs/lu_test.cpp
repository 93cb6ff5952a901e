// SPDX-License-Identifier: MIT
#include "neml2/kernels/lu.h"

#include "neml2/packs/Pack.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "support/catch.h"

namespace lu_test
{
using namespace neml2;

namespace
{
constexpr int lanes = 4, columns = 3;

template <int N>
struct Equations
{
  double A[N][N], b[N][columns];
};

/// Number k: a random matrix; a permuted diagonal; a matrix with a row of zeros; one with a NaN; one whose pivots do not move.
template <int N>
Equations<N>
equations(int k, std::mt19937 & g)
{
  std::normal_distribution<double> number;
  Equations<N> e;
  for (int i = 0; i < N; i++)
  {
    for (int j = 0; j < N; j++)
      e.A[i][j] = k == 1 ? (j == (i + 1) % N ? number(g) : 0.0)
                         : number(g) + (k == 4 && i == j ? 100.0 : 0.0);
    for (double & x : e.b[i])
      x = number(g);
  }
  if (k == 2)
    std::fill(std::begin(e.A[0]), std::end(e.A[0]), 0.0);
  if (k == 3)
    e.A[N / 2][0] = std::numeric_limits<double>::quiet_NaN();
  return e;
}

/// The solutions of A x = b and of Aᵀ x = b, then the determinant. `number` makes an entry from lane 0 to lanes - 1.
template <int N, class T, class Number>
std::vector<T>
solutions(const Number & number)
{
  kernels::LU<N, T> lu;
  T x[2][N][columns];
  for (int i = 0; i < N; i++)
  {
    for (int j = 0; j < N; j++)
      lu.a[i][j] = number([&](const Equations<N> & e) { return e.A[i][j]; });
    for (int c = 0; c < columns; c++)
      x[0][i][c] = x[1][i][c] = number([&](const Equations<N> & e) { return e.b[i][c]; });
  }
  lu.factor();
  lu.solve(x[0]);
  lu.solve_transposed(x[1]);
  std::vector<T> all{lu.det};
  for (const auto & of : x)
    for (const auto & row : of)
      all.insert(all.end(), std::begin(row), std::end(row));
  return all;
}

bool
same_bits(double a, double b)
{
  return std::memcmp(&a, &b, sizeof(a)) == 0 || (std::isnan(a) && std::isnan(b));
}

/// The largest |A x - b| / (|A| |x|), which is of the order of the unit round-off.
template <int N>
double
backward_error(const Equations<N> & e, const std::vector<double> & found, bool transposed)
{
  double largest = 0.0;
  const double * x = found.data() + 1 + (transposed ? N * columns : 0);
  for (int i = 0; i < N; i++)
    for (int c = 0; c < columns; c++)
    {
      long double r = -e.b[i][c], size = 0.0;
      for (int j = 0; j < N; j++)
      {
        const long double product =
            static_cast<long double>(transposed ? e.A[j][i] : e.A[i][j]) * x[j * columns + c];
        r += product;
        size += std::abs(product);
      }
      largest = std::max(largest, double(std::abs(r) / (size + std::abs(e.b[i][c]))));
    }
  return largest;
}

template <int N>
void
check_size()
{
  std::mt19937 g(N);
  for (int round = 0; round < 10; round++)
    for (int first = 0; first < 5; first++)
    {
      INFO(N << " rows, kind " << first << ", round " << round);
      Equations<N> e[lanes];
      for (int w = 0; w < lanes; w++)
        e[w] = equations<N>((first + w) % 5, g);
      const auto packs = solutions<N, packs::Pack<lanes>>(
          [&](const auto & entry)
          {
            packs::Pack<lanes> p;
            for (int w = 0; w < lanes; w++)
              p.lane(w, entry(e[w]));
            return p;
          });
      for (int w = 0; w < lanes; w++)
      {
        const auto numbers = solutions<N, double>([&](const auto & entry) { return entry(e[w]); });
        const auto packs_of_one = solutions<N, packs::Pack<1>>(
            [&](const auto & entry) { return packs::Pack<1>(entry(e[w])); });
        for (size_t i = 0; i < numbers.size(); i++)
        {
          REQUIRE(same_bits(packs_of_one[i].v, packs[i].lane(w)));
#if !defined(__FMA__) &&                                                                           \
    !defined(__FP_FAST_FMA) // otherwise compilers may fuse products of plain numbers
          REQUIRE(same_bits(numbers[i], packs_of_one[i].v));
#endif
        }
        const int kind = (first + w) % 5;
        if (kind == 0 || kind == 1 || kind == 4)
        {
          REQUIRE(backward_error(e[w], numbers, false) < 1e-12);
          REQUIRE(backward_error(e[w], numbers, true) < 1e-12);
        }
        if (kind == 2 || kind == 3)
          REQUIRE(std::isnan(numbers[1]));
      }
    }
}
template <int... N>
void
check_sizes(std::integer_sequence<int, N...>)
{
  (check_size<N + 1>(), ...);
}
} // namespace

TEST_CASE("One point is solved with the bits of a pack", "[packs][lu]")
{
  check_sizes(std::make_integer_sequence<int, 7>());
  check_size<12>();
  check_size<13>();
  check_size<18>();
}
} // namespace lu_test
