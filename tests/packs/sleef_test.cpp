// SPDX-License-Identifier: MIT
#include "neml2/packs/sleef.h"
#include "neml2/packs/instruction_set.h"

#include "neml2/core/aten.h" // links the library that contains SLEEF

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.h"

namespace sleef_test
{
using namespace neml2::packs;

namespace
{
/// Numbers of all magnitudes and signs, infinities and NaN.
template <class E>
std::vector<E>
numbers()
{
  constexpr E inf = std::numeric_limits<E>::infinity(), nan = std::numeric_limits<E>::quiet_NaN();
  std::vector<E> x{inf, -inf, nan};
  const auto add = [&](double size)
  {
    x.push_back(E(size));
    x.push_back(E(-size));
  };
  for (const double size :
       {0.0,   1e-20, 1e-8,  1e-3, 0.1,  0.5,  0.7,   0.9,  0.99999, 1.0,   1.5,
        2.0,   3.0,   7.25,  14.0, 15.0, 20.0, 88.0,  89.0, 100.0,   119.0, 121.0,
        126.0, 700.0, 709.7, 710., 745., 1e3,  1.1e5, 1e8,  1e13,    1e15,  1e20})
    add(size);
  if (std::is_same_v<E, double>)
    for (const double size :
         {5e-324, 1e-310, 1e-300, 1e-200, 1e-161, 1e99, 1e102, 1e154, 1e200, 1e220, 1e289, 1.7e308})
      add(size);
  else
    for (const double size :
         {1.5e-45, 1e-39, 1.2e-38, 1e-30, 1e-19, 1e17, 1e19, 1e30, 1e37, 3.4e38})
      add(size);
  return x;
}

/// Whether a and b differ by at most 2 units in the last place, have the same sign if they are 0, or are both
/// NaN.
template <class E>
bool
close(E a, E b)
{
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::signbit(a) != std::signbit(b))
    return false;
  E c = a;
  for (int i = 0; i < 2; i++)
    c = std::nextafter(c, b);
  return a == b || c == b;
}

template <class E>
bool
same(E a, E b)
{
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

int
raised()
{
  return std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
}

template <int W, class E>
Pack<W, E>
filled(E x)
{
  Pack<W, E> p;
  for (int w = 0; w < W; w++)
    p.lane(w, x);
  return p;
}

/// Checks that f of packs is g, the function of the standard library, also for special values and for any
/// numbers in the other lanes, and that it raises no exception if arguments are ordinary and the result is
/// finite.
template <int W, class E, class F, class G>
void
require_function(const std::string & name, const F & f, const G & g, bool ordinary = true)
{
  std::mt19937 generator(3);
  const auto all = numbers<E>();
  std::uniform_int_distribution<size_t> any(0, all.size() - 1);
  for (const E x : all)
  {
    const E expected = g(x);
    const Pack<W, E> a = filled<W, E>(x);
    std::feclearexcept(FE_ALL_EXCEPT);
    const Pack<W, E> alone = f(a);
    const int exceptions = raised();
    INFO(name << "(" << x << ") of " << W << " lanes is " << alone.lane(0) << ", expected "
              << expected);
    REQUIRE(close(alone.lane(0), expected));
    if (ordinary && !std::isnan(x) && std::isfinite(expected))
      REQUIRE(exceptions == 0);
    for (int place = 0; place < W; place++)
      for (int i = 0; i < 8; i++)
      {
        Pack<W, E> b;
        for (int w = 0; w < W; w++)
          b.lane(w, w == place ? x : all[any(generator)]);
        REQUIRE(same(f(b).lane(place), alone.lane(0)));
      }
  }
}

template <int W, class E>
void
test_functions_of_one()
{
  require_function<W, E>(
      "exp", [](const auto & a) { return exp(a); }, [](E a) { return std::exp(a); });
  require_function<W, E>(
      "expm1", [](const auto & a) { return expm1(a); }, [](E a) { return std::expm1(a); });
  require_function<W, E>(
      "log", [](const auto & a) { return log(a); }, [](E a) { return std::log(a); });
  require_function<W, E>(
      "log1p", [](const auto & a) { return log1p(a); }, [](E a) { return std::log1p(a); });
  require_function<W, E>(
      "log10", [](const auto & a) { return log10(a); }, [](E a) { return std::log10(a); });
  require_function<W, E>(
      "sin", [](const auto & a) { return sin(a); }, [](E a) { return std::sin(a); });
  require_function<W, E>(
      "cos", [](const auto & a) { return cos(a); }, [](E a) { return std::cos(a); });
  require_function<W, E>(
      "tan", [](const auto & a) { return tan(a); }, [](E a) { return std::tan(a); });
  require_function<W, E>(
      "asin", [](const auto & a) { return asin(a); }, [](E a) { return std::asin(a); });
  require_function<W, E>(
      "acos", [](const auto & a) { return acos(a); }, [](E a) { return std::acos(a); });
  require_function<W, E>(
      "atan", [](const auto & a) { return atan(a); }, [](E a) { return std::atan(a); });
  require_function<W, E>(
      "sinh", [](const auto & a) { return sinh(a); }, [](E a) { return std::sinh(a); });
  require_function<W, E>(
      "cosh", [](const auto & a) { return cosh(a); }, [](E a) { return std::cosh(a); });
  require_function<W, E>(
      "tanh", [](const auto & a) { return tanh(a); }, [](E a) { return std::tanh(a); });
  require_function<W, E>(
      "asinh", [](const auto & a) { return asinh(a); }, [](E a) { return std::asinh(a); });
  require_function<W, E>(
      "acosh", [](const auto & a) { return acosh(a); }, [](E a) { return std::acosh(a); });
  require_function<W, E>(
      "atanh", [](const auto & a) { return atanh(a); }, [](E a) { return std::atanh(a); });
  require_function<W, E>(
      "cbrt", [](const auto & a) { return cbrt(a); }, [](E a) { return std::cbrt(a); });
}

template <int W, class E>
void
test_functions_of_two()
{
  for (const E y : numbers<E>())
  {
    require_function<W, E>(
        "pow(., " + std::to_string(y) + ")",
        [y](const auto & a) { return pow(a, filled<W, E>(y)); },
        [y](E a) { return std::pow(a, y); },
        !std::isnan(y));
    require_function<W, E>(
        "atan2(., " + std::to_string(y) + ")",
        [y](const auto & a) { return atan2(a, filled<W, E>(y)); },
        [y](E a) { return std::atan2(a, y); },
        !std::isnan(y));
    require_function<W, E>(
        "hypot(., " + std::to_string(y) + ")",
        [y](const auto & a) { return hypot(a, filled<W, E>(y)); },
        [y](E a) { return std::hypot(a, y); },
        !std::isnan(y));
    require_function<W, E>(
        "fmod(., " + std::to_string(y) + ")",
        [y](const auto & a) { return fmod(a, filled<W, E>(y)); },
        [y](E a) { return std::fmod(a, y); },
        !std::isnan(y));
  }
  for (const double n : {0.0, 1.0, 3.0, -1.0, 0.5, -2.5, 1000.0})
    require_function<W, E>(
        "pow(., number)",
        [n](const auto & a) { return pow(a, n); },
        [n](E a) { return std::pow(a, E(n)); });
}
} // namespace

TEST_CASE("Elementary functions of packs are the standard library's, whatever lies beside",
          "[core][simd]")
{
  test_functions_of_one<1, double>();
  test_functions_of_one<2, double>();
  test_functions_of_one<4, double>();
  test_functions_of_one<1, float>();
  test_functions_of_one<4, float>();
  test_functions_of_one<8, float>();
#ifdef NEML2_SIMD
  if (has_avx512())
  {
    test_functions_of_one<8, double>();
    test_functions_of_one<16, float>();
  }
#endif
}

TEST_CASE("Powers, angles and remainders of packs are the standard library's", "[core][simd]")
{
  test_functions_of_two<1, double>();
  test_functions_of_two<2, double>();
  test_functions_of_two<4, double>();
  test_functions_of_two<1, float>();
  test_functions_of_two<4, float>();
  test_functions_of_two<8, float>();
#ifdef NEML2_SIMD
  if (has_avx512())
  {
    test_functions_of_two<8, double>();
    test_functions_of_two<16, float>();
  }
#endif
}

#if defined(NEML2_SIMD) && defined(__unix__) && !defined(__clang__)
TEST_CASE("sleef.h alone makes packs call SLEEF, whatever is included first", "[core][simd]")
{
  STATIC_REQUIRE(sleef::is_there);
}
#endif

#ifdef NEML2_SLEEF
namespace
{
template <int W, class E>
void
require_all_found()
{
  const auto & f = sleef::functions<W, E>();
  for (const auto one : {f.exp,
                         f.expm1,
                         f.log,
                         f.log1p,
                         f.log10,
                         f.sin,
                         f.cos,
                         f.tan,
                         f.asin,
                         f.acos,
                         f.atan,
                         f.sinh,
                         f.cosh,
                         f.tanh,
                         f.atanh,
                         f.cbrt})
    REQUIRE(one != nullptr);
  for (const auto two : {f.pow, f.atan2, f.fmod})
    REQUIRE(two != nullptr);
}
} // namespace

TEST_CASE("The SLEEF that LibTorch brings is found", "[core][simd]")
{
  at::empty({1});
  if (has_avx2())
  {
    require_all_found<4, double>();
    require_all_found<8, float>();
  }
#ifndef __clang__
  if (has_avx512())
  {
    require_all_found<8, double>();
    require_all_found<16, float>();
  }
#endif
}
#endif
} // namespace sleef_test
