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

constexpr double
subnormal(double)
{
  return 1e-310;
}
constexpr float
subnormal(float)
{
  return 1e-39f;
}

/// Zeros of both signs, ties, infinities, NaN, subnormal and huge numbers.
template <class E>
const std::vector<E> numbers{E(-0.0),
                             E(0.0),
                             E(1.0),
                             E(-1.0),
                             E(0.5),
                             E(-0.7),
                             E(2.0),
                             subnormal(E()),
                             -std::numeric_limits<E>::max(),
                             E(7.25),
                             E(inf),
                             E(-inf),
                             E(nan_),
                             E(0.1)};

/// Whether a and b are equal, with equal signs if they are 0, or are both NaN.
bool
same(double a, double b)
{
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// W successive numbers of the list, from number `first` on.
template <int W, class E>
Pack<W, E>
lanes_from(size_t first)
{
  Pack<W, E> p;
  for (int w = 0; w < W; w++)
    p.lane(w, numbers<E>[(first + size_t(w)) % numbers<E>.size()]);
  return p;
}

/// Checks that every lane of f(a) is g of the number in that lane.
template <int W, class E, class F, class G>
void
require_unary(const char * name, const F & f, const G & g)
{
  for (size_t i = 0; i < numbers<E>.size(); i++)
  {
    const Pack<W, E> a = lanes_from<W, E>(i), r = f(a);
    for (int w = 0; w < W; w++)
    {
      INFO(name << '(' << a.lane(w) << ") of " << W << " lanes is " << r.lane(w));
      REQUIRE(same(r.lane(w), g(a.lane(w))));
    }
  }
}

/// Checks that every lane of f(a, b) is g of the numbers in that lane, also where a or b is a plain
/// number.
template <int W, class E, class F, class G>
void
require_binary(const char * name, const F & f, const G & g)
{
  for (size_t i = 0; i < numbers<E>.size(); i++)
    for (size_t j = 0; j < numbers<E>.size(); j++)
    {
      const Pack<W, E> a = lanes_from<W, E>(i), b = lanes_from<W, E>(j);
      const Pack<W, E> r = f(a, b), left = f(numbers<E>[i], b), right = f(a, numbers<E>[j]);
      for (int w = 0; w < W; w++)
      {
        INFO(name << '(' << a.lane(w) << ", " << b.lane(w) << ") of " << W << " lanes");
        REQUIRE(same(r.lane(w), g(a.lane(w), b.lane(w))));
        REQUIRE(same(left.lane(w), g(numbers<E>[i], b.lane(w))));
        REQUIRE(same(right.lane(w), g(a.lane(w), numbers<E>[j])));
      }
    }
}

/// The truth value of each lane, as 1 or 0.
template <int W, class E>
Pack<W, E>
shown(const Mask<W, E> & m)
{
  return where(m, Pack<W, E>(1.0), Pack<W, E>(0.0));
}

template <int W, class E>
void
test_arithmetic()
{
  require_unary<W, E>(
      "-", [](const auto & a) { return -a; }, [](E a) { return -a; });
  const auto plus = [](const auto & a, const auto & b) { return a + b; };
  const auto minus = [](const auto & a, const auto & b) { return a - b; };
  const auto times = [](const auto & a, const auto & b) { return a * b; };
  const auto over = [](const auto & a, const auto & b) { return a / b; };
  require_binary<W, E>("+", plus, plus);
  require_binary<W, E>("-", minus, minus);
  require_binary<W, E>("*", times, times);
  require_binary<W, E>("/", over, over);
}

template <int W, class E>
void
test_functions()
{
  require_unary<W, E>(
      "abs", [](const auto & a) { return abs(a); }, [](E a) { return std::fabs(a); });
  require_unary<W, E>(
      "sqrt", [](const auto & a) { return sqrt(a); }, [](E a) { return std::sqrt(a); });
  require_unary<W, E>(
      "square", [](const auto & a) { return pow(a, 2); }, [](E a) { return a * a; });
}

template <int W, class E>
void
test_selection()
{
  const auto less = [](const auto & a, const auto & b) { return shown<W, E>(a < b); };
  const auto greater = [](const auto & a, const auto & b) { return shown<W, E>(a > b); };
  const auto at_most = [](const auto & a, const auto & b) { return shown<W, E>(a <= b); };
  const auto at_least = [](const auto & a, const auto & b) { return shown<W, E>(a >= b); };
  require_binary<W, E>("<", less, [](E a, E b) { return a < b ? 1.0 : 0.0; });
  require_binary<W, E>(">", greater, [](E a, E b) { return a > b ? 1.0 : 0.0; });
  require_binary<W, E>("<=", at_most, [](E a, E b) { return a <= b ? 1.0 : 0.0; });
  require_binary<W, E>(">=", at_least, [](E a, E b) { return a >= b ? 1.0 : 0.0; });

  require_binary<W, E>(
      "where",
      [](const auto & a, const auto & b) { return where(Pack<W, E>(a) < Pack<W, E>(b), a, b); },
      [](E a, E b) { return a < b ? a : b; });
  require_binary<W, E>(
      "&",
      [](const auto & a, const auto & b)
      { return shown<W, E>((Pack<W, E>(a) > 0.0) & (Pack<W, E>(b) > 0.0)); },
      [](E a, E b) { return a > 0 && b > 0 ? 1.0 : 0.0; });
  require_binary<W, E>(
      "|",
      [](const auto & a, const auto & b)
      { return shown<W, E>((Pack<W, E>(a) > 0.0) | (Pack<W, E>(b) > 0.0)); },
      [](E a, E b) { return a > 0 || b > 0 ? 1.0 : 0.0; });
  require_unary<W, E>(
      "!",
      [](const auto & a) { return shown<W, E>(~(a > 0.0)); },
      [](E a) { return a > 0 ? 0.0 : 1.0; });

  using namespace neml2::kernels; // the functions of plain numbers
  require_unary<W, E>(
      "sign",
      [](const auto & a) { return sign(a); },
      [](E a) { return a > 0   ? 1
                       : a < 0 ? -1
                               : a; });
  require_unary<W, E>(
      "heaviside",
      [](const auto & a) { return heaviside(a); },
      [](E a) {
        return std::isnan(a) ? a : a > 0 ? 1 : a < 0 ? 0 : 0.5;
      });
  require_unary<W, E>(
      "macaulay",
      [](const auto & a) { return macaulay(a); },
      [](E a) { return std::isnan(a) || a > 0 ? a : 0; });
  require_unary<W, E>(
      "dmacaulay", [](const auto & a) { return dmacaulay(a); }, [](E a) { return heaviside(a); });
  require_unary<W, E>(
      "deg2rad", [](const auto & a) { return deg2rad(a); }, [](E a) { return deg2rad(a); });
  require_unary<W, E>(
      "rad2deg", [](const auto & a) { return rad2deg(a); }, [](E a) { return rad2deg(a); });
  require_binary<W, E>(
      "clamp",
      [](const auto & a, const auto & b) { return clamp(Pack<W, E>(a), b, 2.0); },
      [](E a, E b) { return clamp(a, b, E(2)); });

  // maximum gives b at a tie, whatever the signs of zeros, and NaN if either is NaN.
  require_binary<W, E>(
      "maximum",
      [](const auto & a, const auto & b) { return maximum(a, b); },
      [](E a, E b) { return std::isnan(a) || std::isnan(b) ? E(nan_)
                            : a > b                        ? a
                                                           : b; });
  require_binary<W, E>(
      "minimum",
      [](const auto & a, const auto & b) { return minimum(a, b); },
      [](E a, E b) { return std::isnan(a) || std::isnan(b) ? E(nan_)
                            : a < b                        ? a
                                                           : b; });
}

/// Copies rows of N components, at most as many as there are lanes, to packs and back; memory
/// beside the rows does not change.
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

template <int W, class E>
void
test_memory_of_numbers()
{
  E x[W + 1], y[W + 2];
  for (int i = 0; i <= W; i++)
    x[i] = y[i] = E(10 + i);
  y[W + 1] = -1;
  Pack<W, E>::load(x + 1).store(y); // an address that is not aligned for any vector
  for (int w = 0; w < W; w++)
    REQUIRE(y[w] == E(11 + w));
  REQUIRE(y[W] == 10 + W);
}

template <int W>
void
test_memory()
{
  test_memory_of_numbers<W, double>();
  test_rows<W, 1>();
  test_rows<W, 2>();
  test_rows<W, 3>();
  test_rows<W, 6>();
  test_rows<W, 9>();
}

/// A body for compiled(): it doubles numbers, and returns the width of the packs.
struct Twice
{
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
  test_arithmetic<1, double>();
  test_arithmetic<2, double>();
  test_arithmetic<4, double>();
  test_arithmetic<8, double>();
  test_arithmetic<1, float>();
  test_arithmetic<4, float>();
  test_arithmetic<8, float>();
  test_arithmetic<16, float>();
}

TEST_CASE("abs, square root and square of packs are those of their lanes", "[core][simd]")
{
  test_functions<1, double>();
  test_functions<2, double>();
  test_functions<4, double>();
  test_functions<8, double>();
  test_functions<1, float>();
  test_functions<4, float>();
  test_functions<8, float>();
  test_functions<16, float>();
}

TEST_CASE("comparisons, where, maximum and minimum select lane by lane", "[core][simd]")
{
  test_selection<1, double>();
  test_selection<2, double>();
  test_selection<4, double>();
  test_selection<8, double>();
  test_selection<1, float>();
  test_selection<4, float>();
  test_selection<8, float>();
  test_selection<16, float>();
}

namespace
{
template <int W, class E>
void
test_conditions()
{
  const int every = (1 << W) - 1, odd = every / 3 * 2;
  for (int bits = 0; bits <= every; bits++)
  {
    Pack<W, E> a(0.0), b(0.0);
    for (int w = 0; w < W; w++)
    {
      a.lane(w, E(bits >> w & 1));
      b.lane(w, E(w % 2));
    }
    const auto x = a == 1.0, y = b != 0.0;
    const auto lanes_of = [](const Mask<W, E> & c)
    {
      const Pack<W, E> ones = where(c, Pack<W, E>(1.0), Pack<W, E>(0.0));
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
    REQUIRE(lanes_of(Pack<W, E>(nan_) == Pack<W, E>(nan_)) == 0);
    REQUIRE(lanes_of(Pack<W, E>(nan_) != Pack<W, E>(nan_)) == every);
  }
}
} // namespace

TEST_CASE("conditions combine lane by lane, and any and all look at every lane", "[core][simd]")
{
  test_conditions<2, double>();
  test_conditions<4, double>();
  test_conditions<8, double>();
  test_conditions<4, float>();
  test_conditions<8, float>();
  test_conditions<16, float>();
}

TEST_CASE("a number fills all lanes, with its sign", "[core][simd]")
{
  for (const double x : numbers<double>)
  {
    REQUIRE(same(Pack<1>(x).lane(0), x));
    for (int w = 0; w < 2; w++)
      REQUIRE(same(Pack<2>(x).lane(w), x));
    for (int w = 0; w < 4; w++)
      REQUIRE(same(Pack<4>(x).lane(w), x));
    for (int w = 0; w < 16; w++)
      REQUIRE(same(Pack<16, float>(x).lane(w), float(x)));
  }
}

TEST_CASE("rows are loaded and stored whole, and nothing beside them", "[core][simd]")
{
  test_memory<1>();
  test_memory<4>();
  test_memory<8>();
  test_memory_of_numbers<1, float>();
  test_memory_of_numbers<8, float>();
  test_memory_of_numbers<16, float>();
}

TEST_CASE("every instruction set's loop is run with packs of its width", "[core][simd]")
{
  const auto best = compiled<Twice, double *, int *>();
  if (best.run)
    require_twice(best.run, best.width);
#ifdef NEML2_SIMD
  require_twice(run_plain<Twice, double *, int *>, 1);
  const bool eight = has_avx512() && (with_avx512 || sleef::has_widest()); // rows are numbers
  REQUIRE(best.width == (eight ? 8 : has_avx2() ? 4 : 1));
  REQUIRE(bool(best.run) == has_avx2());
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
