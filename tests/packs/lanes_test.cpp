// SPDX-License-Identifier: MIT
#include "neml2/packs/lanes.h"
#include "neml2/packs/instruction_set.h"

#include <array>
#include <limits>
#include <vector>

#include "support/catch.h"

namespace lanes_test
{
using namespace neml2::packs;

namespace
{
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

/// Signs, zeros, ties, infinities, not-a-number, subnormal and huge numbers.
const std::vector<double> numbers{
    -0.0, 0.0, 1.0, -1.0, 0.5, -0.7, 2.0, 1e-310, -3e200, 7.25, inf, -inf, nan_, 0.1};

/// The same number: also of the same sign where it is 0, or not-a-number both.
bool
same(double a, double b)
{
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// W numbers that follow each other in the list, from any on.
template <int W>
Pack<W>
lanes_from(size_t first)
{
  Pack<W> p;
  for (int w = 0; w < W; w++)
    p.lane(w, numbers[(first + size_t(w)) % numbers.size()]);
  return p;
}

/// Every lane of f(a) is g of the lane's number.
template <int W, class F, class G>
void
require_unary(const char * name, const F & f, const G & g)
{
  for (size_t i = 0; i < numbers.size(); i++)
  {
    const Pack<W> a = lanes_from<W>(i), r = f(a);
    for (int w = 0; w < W; w++)
    {
      INFO(name << '(' << a.lane(w) << ") of " << W << " lanes is " << r.lane(w));
      REQUIRE(same(r.lane(w), g(a.lane(w))));
    }
  }
}

/// Every lane of f(a, b) is g of the lanes' numbers, also where a or b is a number.
template <int W, class F, class G>
void
require_binary(const char * name, const F & f, const G & g)
{
  for (size_t i = 0; i < numbers.size(); i++)
    for (size_t j = 0; j < numbers.size(); j++)
    {
      const Pack<W> a = lanes_from<W>(i), b = lanes_from<W>(j);
      const Pack<W> r = f(a, b), left = f(numbers[i], b), right = f(a, numbers[j]);
      for (int w = 0; w < W; w++)
      {
        INFO(name << '(' << a.lane(w) << ", " << b.lane(w) << ") of " << W << " lanes");
        REQUIRE(same(r.lane(w), g(a.lane(w), b.lane(w))));
        REQUIRE(same(left.lane(w), g(numbers[i], b.lane(w))));
        REQUIRE(same(right.lane(w), g(a.lane(w), numbers[j])));
      }
    }
}

/// The truth value of each lane, as 1 or 0.
template <int W>
Pack<W>
shown(const Mask<W> & m)
{
  return where(m, Pack<W>(1.0), Pack<W>(0.0));
}

template <int W>
void
test_arithmetic()
{
  require_unary<W>(
      "-", [](const auto & a) { return -a; }, [](double a) { return -a; });
  const auto plus = [](const auto & a, const auto & b) { return a + b; };
  const auto minus = [](const auto & a, const auto & b) { return a - b; };
  const auto times = [](const auto & a, const auto & b) { return a * b; };
  const auto over = [](const auto & a, const auto & b) { return a / b; };
  require_binary<W>("+", plus, plus);
  require_binary<W>("-", minus, minus);
  require_binary<W>("*", times, times);
  require_binary<W>("/", over, over);
}

template <int W>
void
test_functions()
{
  require_unary<W>(
      "abs", [](const auto & a) { return abs(a); }, [](double a) { return std::fabs(a); });
  require_unary<W>(
      "sqrt", [](const auto & a) { return sqrt(a); }, [](double a) { return std::sqrt(a); });
  require_unary<W>(
      "square", [](const auto & a) { return pow(a, 2); }, [](double a) { return a * a; });
}

template <int W>
void
test_selection()
{
  const auto less = [](const auto & a, const auto & b) { return shown<W>(a < b); };
  const auto greater = [](const auto & a, const auto & b) { return shown<W>(a > b); };
  const auto at_most = [](const auto & a, const auto & b) { return shown<W>(a <= b); };
  const auto at_least = [](const auto & a, const auto & b) { return shown<W>(a >= b); };
  require_binary<W>("<", less, [](double a, double b) { return a < b ? 1.0 : 0.0; });
  require_binary<W>(">", greater, [](double a, double b) { return a > b ? 1.0 : 0.0; });
  require_binary<W>("<=", at_most, [](double a, double b) { return a <= b ? 1.0 : 0.0; });
  require_binary<W>(">=", at_least, [](double a, double b) { return a >= b ? 1.0 : 0.0; });

  require_binary<W>(
      "where",
      [](const auto & a, const auto & b) { return where(Pack<W>(a) < Pack<W>(b), a, b); },
      [](double a, double b) { return a < b ? a : b; });
  require_binary<W>(
      "&",
      [](const auto & a, const auto & b)
      { return shown<W>((Pack<W>(a) > 0.0) & (Pack<W>(b) > 0.0)); },
      [](double a, double b) { return a > 0 && b > 0 ? 1.0 : 0.0; });
  require_binary<W>(
      "|",
      [](const auto & a, const auto & b)
      { return shown<W>((Pack<W>(a) > 0.0) | (Pack<W>(b) > 0.0)); },
      [](double a, double b) { return a > 0 || b > 0 ? 1.0 : 0.0; });
  require_unary<W>(
      "!",
      [](const auto & a) { return shown<W>(~(a > 0.0)); },
      [](double a) { return a > 0 ? 0.0 : 1.0; });

  using namespace neml2::kernels; // of plain numbers
  require_unary<W>(
      "sign",
      [](const auto & a) { return sign(a); },
      [](double a) { return a > 0   ? 1
                            : a < 0 ? -1
                                    : a; });
  require_unary<W>(
      "heaviside",
      [](const auto & a) { return heaviside(a); },
      [](double a) {
        return std::isnan(a) ? a : a > 0 ? 1 : a < 0 ? 0 : 0.5;
      });
  require_unary<W>(
      "macaulay",
      [](const auto & a) { return macaulay(a); },
      [](double a) { return std::isnan(a) || a > 0 ? a : 0; });
  require_unary<W>(
      "dmacaulay",
      [](const auto & a) { return dmacaulay(a); },
      [](double a) { return heaviside(a); });
  require_unary<W>(
      "deg2rad", [](const auto & a) { return deg2rad(a); }, [](double a) { return deg2rad(a); });
  require_binary<W>(
      "clamp",
      [](const auto & a, const auto & b) { return clamp(Pack<W>(a), b, 2.0); },
      [](double a, double b) { return clamp(a, b, 2.0); });

  // b at a tie, whatever the signs of zeros; not-a-number if either is.
  require_binary<W>(
      "maximum",
      [](const auto & a, const auto & b) { return maximum(a, b); },
      [](double a, double b) { return std::isnan(a) || std::isnan(b) ? nan_
                                      : a > b                        ? a
                                                                     : b; });
  require_binary<W>(
      "minimum",
      [](const auto & a, const auto & b) { return minimum(a, b); },
      [](double a, double b) { return std::isnan(a) || std::isnan(b) ? nan_
                                      : a < b                        ? a
                                                                     : b; });
}

/// Rows of N components, fewer than lanes or as many, go to packs and back; what is beside stays.
template <int W, int N>
void
test_rows()
{
  constexpr int stride = N + 2;
  for (int64_t rows = 1; rows <= W; rows++)
  {
    std::array<double, size_t(stride) * W + 4> from, to;
    for (size_t i = 0; i < from.size(); i++)
    {
      from[i] = double(i);
      to[i] = -1;
    }
    Pack<W> x[N];
    load_rows<N>(x, Lanes<Pack<W>>(from.data() + 1, stride, rows));
    for (int w = 0; w < W; w++)
      for (int k = 0; k < N; k++)
        REQUIRE(x[k].lane(w) == double(1 + k + stride * std::min<int64_t>(w, rows - 1)));
    store_rows<N>(x, Lanes<Pack<W>>(to.data() + 1, stride, rows));
    for (size_t i = 0; i < to.size(); i++)
    {
      const auto row = (int64_t(i) - 1) / stride, k = (int64_t(i) - 1) % stride;
      const bool inside = i > 0 && row < rows && k < N;
      REQUIRE(to[i] == (inside ? from[i] : -1));
    }
  }
}

template <int W>
void
test_memory()
{
  test_rows<W, 1>();
  test_rows<W, 2>();
  test_rows<W, 3>();
  test_rows<W, 6>();
  test_rows<W, 9>();
  double x[W + 1], y[W + 2];
  for (int i = 0; i <= W; i++)
    x[i] = y[i] = 10 + i;
  y[W + 1] = -1;
  Pack<W>::load(x + 1).store(y); // aligned for no vector
  for (int w = 0; w < W; w++)
    REQUIRE(y[w] == 11 + w);
  REQUIRE(y[W] == 10 + W);
}

/// What compiled() takes: doubles numbers, and how wide the packs were.
struct Twice
{
  static constexpr int baseline_width = 2;
  static constexpr bool is_numbers = true;

  template <class P>
  static void run(double * x, int * width)
  {
    (P::load(x) * 2.0).store(x);
    *width = P::width;
  }
};

void
require_twice(void (*run)(double *, int *), int width)
{
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int found = 0;
  run(x, &found);
  REQUIRE(found == width);
  for (int i = 0; i < 8; i++)
    REQUIRE(x[i] == (i < width ? 2 : 1) * (i + 1));
}
} // namespace

TEST_CASE("arithmetic of packs is that of their lanes", "[core][simd]")
{
  test_arithmetic<1>();
  test_arithmetic<2>();
  test_arithmetic<4>();
  test_arithmetic<8>();
}

TEST_CASE("abs, square root and square of packs are those of their lanes", "[core][simd]")
{
  test_functions<1>();
  test_functions<2>();
  test_functions<4>();
  test_functions<8>();
}

TEST_CASE("comparisons, where, maximum and minimum select lane by lane", "[core][simd]")
{
  test_selection<1>();
  test_selection<2>();
  test_selection<4>();
  test_selection<8>();
}

namespace
{
template <int W>
void
test_conditions()
{
  const int every = (1 << W) - 1, odd = every / 3 * 2;
  for (int bits = 0; bits <= every; bits++)
  {
    Pack<W> a(0.0), b(0.0);
    for (int w = 0; w < W; w++)
    {
      a.lane(w, bits >> w & 1);
      b.lane(w, w % 2);
    }
    const auto x = a == 1.0, y = b != 0.0;
    const auto lanes_of = [](const Mask<W> & c)
    {
      const Pack<W> ones = where(c, Pack<W>(1.0), Pack<W>(0.0));
      int found = 0;
      for (int w = 0; w < W; w++)
        found |= int(ones.lane(w)) << w;
      return found;
    };
    REQUIRE(lanes_of(x) == bits);
    REQUIRE(lanes_of(x && y) == (bits & odd));
    REQUIRE(lanes_of(x || y) == (bits | odd));
    REQUIRE(lanes_of(!x) == every - bits);
    REQUIRE(any(x) == (bits != 0));
    REQUIRE(all(x) == (bits == every));
    REQUIRE(lanes_of(Pack<W>(nan_) == Pack<W>(nan_)) == 0);
    REQUIRE(lanes_of(Pack<W>(nan_) != Pack<W>(nan_)) == every);
  }
}
} // namespace

TEST_CASE("conditions combine lane by lane, and any and all look at every lane", "[core][simd]")
{
  test_conditions<2>();
  test_conditions<4>();
  test_conditions<8>();
}

TEST_CASE("a number fills all lanes, with its sign", "[core][simd]")
{
  for (const double x : numbers)
  {
    REQUIRE(same(Pack<1>(x).lane(0), x));
    for (int w = 0; w < 2; w++)
      REQUIRE(same(Pack<2>(x).lane(w), x));
    for (int w = 0; w < 4; w++)
      REQUIRE(same(Pack<4>(x).lane(w), x));
  }
}

TEST_CASE("rows are loaded and stored whole, and nothing beside them", "[core][simd]")
{
  test_memory<1>();
  test_memory<2>();
  test_memory<4>();
  test_memory<8>();
}

TEST_CASE("every instruction set's loop is run with packs of its width", "[core][simd]")
{
  const auto best = compiled<Twice, double *, int *>();
  if (best.run)
    require_twice(best.run, best.width);
#ifdef NEML2_SIMD
  require_twice(run_baseline<Twice, double *, int *>, 2);
  const bool eight = has_avx512() && (with_avx512 || sleef::has_eight()); // of numbers
  REQUIRE(best.width == (eight ? 8 : has_avx2() ? 4 : 1));
  REQUIRE(bool(best.run) == has_avx2()); // without NEML2_BASELINE
  if (has_avx2())
    require_twice(run_avx2<Twice, double *, int *>, 4);
  if (has_avx512())
    require_twice(run_avx512<Twice, double *, int *>, 8);
#else
  REQUIRE(best.run);
  REQUIRE(best.width == 1);
#endif
}
} // namespace lanes_test
