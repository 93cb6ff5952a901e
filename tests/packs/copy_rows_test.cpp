// SPDX-License-Identifier: MIT
#include "neml2/packs/copy_rows.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.h"

namespace copy_rows_test
{
using namespace neml2::packs;

namespace
{
/// Numbers that rounding to float32 changes, and special values.
double
number(int64_t i)
{
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double special[] = {
      -0.0, inf, -inf, std::numeric_limits<double>::quiet_NaN(), 1e-310, 1e200};
  return i % 11 == 7 ? special[i / 11 % 6] : 0.1 * double(i + 1) + 1e-9;
}

template <class E>
bool
same(E a, E b)
{
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Rows of n numbers in memory of E, filled with numbers that no copy may change.
template <class E>
struct Rows
{
  std::string name;
  std::vector<int64_t> offset;
  RowsAt at;
  std::vector<E> memory;

  Rows(const char * layout, std::vector<int64_t> offsets, int64_t n, int64_t stride, int64_t rows)
    : name(layout),
      offset(std::move(offsets)),
      at{offset.empty() ? nullptr : offset.data(), n, stride},
      memory(size_t(2 * (rows + 2) * (n + 3)), E(-1))
  {
  }
  E * first() { return memory.data() + 1; }
};

template <class E>
void
require_copies(Rows<E> && rows, int64_t count)
{
  const int64_t n = rows.at.n;
  INFO(rows.name << ": " << count << " rows of " << n << " numbers of " << sizeof(E) << " bytes");
  std::vector<double> buffer(size_t(count * n) + 2, -2.0);
  const auto untouched = rows.memory;
  for (int64_t r = 0; r < count; r++)
    for (int64_t c = 0; c < n; c++)
      buffer[size_t(r * n + c) + 1] = number(r * n + c);

  copy_rows<true>(buffer.data() + 1, rows.first(), rows.at, count);
  auto expected = untouched;
  for (int64_t r = 0; r < count; r++)
    for (int64_t c = 0; c < n; c++)
      expected[size_t(rows.at(r, c)) + 1] = E(number(r * n + c));
  for (size_t i = 0; i < expected.size(); i++)
    REQUIRE(same(rows.memory[i], expected[i]));

  std::fill(buffer.begin(), buffer.end(), -2.0);
  copy_rows<false>(buffer.data() + 1, rows.first(), rows.at, count);
  REQUIRE(buffer.front() == -2.0);
  REQUIRE(buffer.back() == -2.0);
  for (int64_t r = 0; r < count; r++)
    for (int64_t c = 0; c < n; c++)
      REQUIRE(same(buffer[size_t(r * n + c) + 1], double(E(number(r * n + c)))));
}

template <class E>
void
test_layouts()
{
  for (const int64_t n : {1, 2, 3, 4, 5, 6, 9, 36})
    for (int64_t count = 0; count <= 11; count++)
    {
      std::vector<int64_t> columns, backwards, spread;
      for (int64_t c = 0; c < n; c++)
      {
        columns.push_back(c * (count + 1));
        backwards.push_back(n - 1 - c);
        spread.push_back(c * 2 * (count + 1));
      }
      require_copies(Rows<E>("side by side", {}, n, n, count), count);
      require_copies(Rows<E>("apart", {}, n, n + 2, count), count);
      require_copies(Rows<E>("columns", columns, n, 1, count), count);
      require_copies(Rows<E>("components backwards", backwards, n, n + 1, count), count);
      require_copies(Rows<E>("every second of columns", spread, n, 2, count), count);
    }
}
} // namespace

TEST_CASE("rows are copied to buffers and back, whole, and nothing beside them", "[core][simd]")
{
  test_layouts<double>();
  test_layouts<float>();
}
} // namespace copy_rows_test
