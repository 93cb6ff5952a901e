// SPDX-License-Identifier: MIT
#include "neml2/core/simd.h"

#include <array>
#include <limits>

#include "support/catch.h"

using namespace neml2::core;

namespace
{
/// All lanes of f(a, b) are f of the lanes' numbers.
template <class E, int W, class F>
bool
lanewise(const F & f)
{
  Pack<E, W> a, b;
  for (int w = 0; w < W; w++)
  {
    a.lane(w, E(1.25) + E(w));
    b.lane(w, E(7) - E(2 * w)); // of either sign
  }
  const Pack<E, W> r = f(a, b);
  for (int w = 0; w < W; w++)
    if (r.lane(w) != f(a.lane(w), b.lane(w)))
      return false;
  return true;
}

template <class E, int W>
void
test_arithmetic()
{
  REQUIRE(lanewise<E, W>([](const auto & a, const auto & b) { return a + b; }));
  REQUIRE(lanewise<E, W>([](const auto & a, const auto & b) { return a - b; }));
  REQUIRE(lanewise<E, W>([](const auto & a, const auto & b) { return a * b; }));
  REQUIRE(lanewise<E, W>([](const auto & a, const auto & b) { return a / b; }));
  REQUIRE(lanewise<E, W>([](const auto & a, const auto &) { return -a; }));
  REQUIRE(
      lanewise<E, W>([](const auto & a, const auto & b) { return E(2) * a + b * E(0.5) - E(1); }));
  REQUIRE(
      lanewise<E, W>([](const auto & a, const auto & b) { return (E(1) - a) / E(4) + E(8) / b; }));
  REQUIRE(lanewise<E, W>(
      [](const auto & a, const auto &)
      {
        using std::sqrt;
        return sqrt(a);
      }));
}

template <class E, int W>
void
test_selection()
{
  Pack<E, W> a, b;
  for (int w = 0; w < W; w++)
  {
    a.lane(w, E(w));
    b.lane(w, E(1));
  }
  const Pack<E, W> smaller = where(a < b, a, b), larger = where(a > b, a, b);
  const Pack<E, W> positive = where(a > 0.5, a, Pack<E, W>(-1)),
                   below = where(a < 0.5, a, Pack<E, W>(9));
  for (int w = 0; w < W; w++)
  {
    const E x = E(w);
    REQUIRE(smaller.lane(w) == std::min(x, E(1)));
    REQUIRE(larger.lane(w) == std::max(x, E(1)));
    REQUIRE(positive.lane(w) == (x > E(0.5) ? x : E(-1)));
    REQUIRE(below.lane(w) == (x < E(0.5) ? x : E(9)));
  }
}

template <class E, int W>
void
test_numbers()
{
  const Pack<E, W> zero, minus_zero(-0.0), third(1.0 / 3),
      infinite(std::numeric_limits<double>::infinity());
  for (int w = 0; w < W; w++)
  {
    REQUIRE((zero.lane(w) == 0 && !std::signbit(zero.lane(w))));
    REQUIRE((minus_zero.lane(w) == 0 && std::signbit(minus_zero.lane(w))));
    REQUIRE(third.lane(w) == E(1.0 / 3));
    REQUIRE(std::isinf(infinite.lane(w)));
  }
}
} // namespace

TEST_CASE("arithmetic of packs is that of their lanes", "[core][simd]")
{
  test_arithmetic<double, 1>();
  test_arithmetic<double, 2>();
  test_arithmetic<float, 1>();
  test_arithmetic<float, 4>();
}

TEST_CASE("where selects lane by lane", "[core][simd]")
{
  test_selection<double, 1>();
  test_selection<double, 2>();
  test_selection<float, 1>();
  test_selection<float, 4>();
}

TEST_CASE("a number fills all lanes, with its sign", "[core][simd]")
{
  test_numbers<double, 1>();
  test_numbers<double, 2>();
  test_numbers<float, 1>();
  test_numbers<float, 4>();
}
