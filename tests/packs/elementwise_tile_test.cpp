// SPDX-License-Identifier: MIT
#include "neml2/packs/elementwise_tile.h"

#include "neml2/math/arithmetic.h"
#include "neml2/packs/forward_tile.h"

#include <vector>

#include "support/catch.h"

namespace elementwise_tile_test
{
using namespace neml2;
using namespace neml2::packs;

namespace
{
/// Numbers that differ, none of them 0.
std::vector<double>
numbers(int64_t count, double first)
{
  std::vector<double> x;
  for (int64_t i = 0; i < count; i++)
    x.push_back((i % 2 ? -1 : 1) * (first + 0.37 * double(i)));
  return x;
}

/// Where the result goes: into memory of its own, or over an operand.
enum class Into
{
  itself,
  left,
  right
};

/// Compares the loop with an operation on each number. There are `gap` numbers between two rows; a shared operand has one row.
template <class Op>
void
require_each(
    const RowPair & pair, int64_t rows, int gap, bool shares_left, bool shares_right, Into into)
{
  const int n = pair.components, left = pair.left_is_number ? 1 : n,
            right = pair.right_is_number ? 1 : n;
  const int64_t stride[] = {shares_left ? 0 : left + gap, shares_right ? 0 : right + gap, n + gap};
  const auto a = numbers(rows * (left + gap), 1.5), b = numbers(rows * (right + gap), 0.25);
  auto x = a, y = b, z = std::vector<double>(size_t(rows * (n + gap)), 77);
  auto & result = into == Into::left ? x : into == Into::right ? y : z;
  const auto before = result;
  double * const data[] = {x.data(), y.data(), result.data()};
  tile_loop<ElementwiseTile<Op>>().run(&pair, data, stride, rows);
  for (int64_t i = 0; i < rows; i++)
    for (int k = 0; k < n + gap; k++)
    {
      const double p = a[size_t(i * stride[0] + (pair.left_is_number || k >= n ? 0 : k))],
                   q = b[size_t(i * stride[1] + (pair.right_is_number || k >= n ? 0 : k))];
      INFO("row " << i << ", component " << k << " of " << n);
      const double expected = k < n ? Op()(p, q) : before[size_t(i * stride[2] + k)];
      REQUIRE(result[size_t(i * stride[2] + k)] == expected);
    }
}
} // namespace

TEMPLATE_TEST_CASE(
    "elementwise loops: rows of any length", "", math::Plus, math::Minus, math::Times, math::Over)
{
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 36, 81})
    for (const int64_t rows : {1, 2, 5})
      for (const int gap : {0, 2})
        for (const bool shared : {false, true})
        {
          require_each<TestType>({n, true, false}, rows, gap, shared, false, Into::itself);
          require_each<TestType>({n, false, true}, rows, gap, false, shared, Into::itself);
          require_each<TestType>({n, false, false}, rows, gap, shared, !shared, Into::itself);
          require_each<TestType>({n, false, true}, rows, gap, false, shared, Into::left);
          require_each<TestType>({n, true, false}, rows, gap, shared, false, Into::right);
          require_each<TestType>({n, false, false}, rows, gap, false, shared, Into::left);
        }
}

TEST_CASE("elementwise loops: no rows")
{
  const RowPair pair{6, false, true};
  const int64_t stride[] = {6, 1, 6};
  double x[6] = {1, 2, 3, 4, 5, 6}, y = 2, z[6] = {0};
  double * const data[] = {x, &y, z};
  tile_loop<ElementwiseTile<math::Plus>>().run(&pair, data, stride, 0);
  REQUIRE(z[0] == 0);
}
} // namespace elementwise_tile_test
