// SPDX-License-Identifier: MIT
#include "neml2/packs/sleef.h"
#include "neml2/packs/instruction_set.h"

#include "neml2/core/aten.h" // links the library that brings SLEEF

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"

namespace sleef_test
{
using namespace neml2::packs;

namespace
{
constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

/// Numbers of all sizes and signs, and what is no number.
std::vector<double>
numbers()
{
  std::vector<double> x{inf, -inf, nan};
  for (const double size : {0.0,  5e-324, 1e-310,  1e-300, 1e-160, 1e-20, 1e-8,   1e-3,  0.1,  0.5,
                            0.7,  0.9,    0.99999, 1.0,    1.5,    2.0,   3.0,    7.25,  14.0, 15.0,
                            20.0, 100.0,  700.0,   709.7,  710.,   745.,  1e3,    1.1e5, 1e8,  1e13,
                            1e15, 1e20,   1e99,    1e102,  1e154,  1e200, 1.7e308})
    for (const double sign : {1.0, -1.0})
      x.push_back(sign * size);
  return x;
}

/// Equal but for 2 units in the last place, of the same sign where 0, or both not a number.
bool
close(double a, double b)
{
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::signbit(a) != std::signbit(b))
    return false;
  double c = a;
  for (int i = 0; i < 2; i++)
    c = std::nextafter(c, b);
  return a == b || c == b;
}

bool
same(double a, double b)
{
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

int
raised()
{
  return std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
}

template <int W>
Pack<W>
filled(double x)
{
  Pack<W> p;
  for (int w = 0; w < W; w++)
    p.lane(w, x);
  return p;
}

/// f of packs is the standard library's g: with its special values, without exceptions where it is finite and
/// what it is called with ordinary, and whatever numbers lie beside.
template <int W, class F, class G>
void
require_function(const std::string & name, const F & f, const G & g, bool ordinary = true)
{
  std::mt19937 generator(3);
  const auto all = numbers();
  std::uniform_int_distribution<size_t> any(0, all.size() - 1);
  for (const double x : all)
  {
    const double expected = g(x);
    const Pack<W> a = filled<W>(x);
    std::feclearexcept(FE_ALL_EXCEPT);
    const Pack<W> alone = f(a);
    const int exceptions = raised();
    INFO(name << "(" << x << ") of " << W << " lanes is " << alone.lane(0) << ", expected "
              << expected);
    REQUIRE(close(alone.lane(0), expected));
    if (ordinary && !std::isnan(x) && std::isfinite(expected))
      REQUIRE(exceptions == 0);
    for (int place = 0; place < W; place++)
      for (int i = 0; i < 8; i++)
      {
        Pack<W> b;
        for (int w = 0; w < W; w++)
          b.lane(w, w == place ? x : all[any(generator)]);
        REQUIRE(same(f(b).lane(place), alone.lane(0)));
      }
  }
}

template <int W>
void
test_functions_of_one()
{
  require_function<W>(
      "exp", [](const auto & a) { return exp(a); }, [](double a) { return std::exp(a); });
  require_function<W>(
      "expm1", [](const auto & a) { return expm1(a); }, [](double a) { return std::expm1(a); });
  require_function<W>(
      "log", [](const auto & a) { return log(a); }, [](double a) { return std::log(a); });
  require_function<W>(
      "log1p", [](const auto & a) { return log1p(a); }, [](double a) { return std::log1p(a); });
  require_function<W>(
      "log10", [](const auto & a) { return log10(a); }, [](double a) { return std::log10(a); });
  require_function<W>(
      "sin", [](const auto & a) { return sin(a); }, [](double a) { return std::sin(a); });
  require_function<W>(
      "cos", [](const auto & a) { return cos(a); }, [](double a) { return std::cos(a); });
  require_function<W>(
      "tan", [](const auto & a) { return tan(a); }, [](double a) { return std::tan(a); });
  require_function<W>(
      "asin", [](const auto & a) { return asin(a); }, [](double a) { return std::asin(a); });
  require_function<W>(
      "acos", [](const auto & a) { return acos(a); }, [](double a) { return std::acos(a); });
  require_function<W>(
      "atan", [](const auto & a) { return atan(a); }, [](double a) { return std::atan(a); });
  require_function<W>(
      "sinh", [](const auto & a) { return sinh(a); }, [](double a) { return std::sinh(a); });
  require_function<W>(
      "cosh", [](const auto & a) { return cosh(a); }, [](double a) { return std::cosh(a); });
  require_function<W>(
      "tanh", [](const auto & a) { return tanh(a); }, [](double a) { return std::tanh(a); });
  require_function<W>(
      "asinh", [](const auto & a) { return asinh(a); }, [](double a) { return std::asinh(a); });
  require_function<W>(
      "acosh", [](const auto & a) { return acosh(a); }, [](double a) { return std::acosh(a); });
  require_function<W>(
      "atanh", [](const auto & a) { return atanh(a); }, [](double a) { return std::atanh(a); });
  require_function<W>(
      "cbrt", [](const auto & a) { return cbrt(a); }, [](double a) { return std::cbrt(a); });
}

template <int W>
void
test_functions_of_two()
{
  for (const double y : numbers())
  {
    require_function<W>(
        "pow(., " + std::to_string(y) + ")",
        [y](const auto & a) { return pow(a, filled<W>(y)); },
        [y](double a) { return std::pow(a, y); },
        !std::isnan(y));
    require_function<W>(
        "atan2(., " + std::to_string(y) + ")",
        [y](const auto & a) { return atan2(a, filled<W>(y)); },
        [y](double a) { return std::atan2(a, y); },
        !std::isnan(y));
    require_function<W>(
        "fmod(., " + std::to_string(y) + ")",
        [y](const auto & a) { return fmod(a, filled<W>(y)); },
        [y](double a) { return std::fmod(a, y); },
        !std::isnan(y));
  }
  for (const double n : {0.0, 1.0, 3.0, -1.0, 0.5, -2.5, 1000.0})
    require_function<W>(
        "pow(., number)",
        [n](const auto & a) { return pow(a, n); },
        [n](double a) { return std::pow(a, n); });
}
} // namespace

TEST_CASE("Elementary functions of packs are the standard library's, whatever lies beside",
          "[core][simd]")
{
  test_functions_of_one<1>();
  test_functions_of_one<2>();
  test_functions_of_one<4>();
#ifdef NEML2_SIMD
  if (has_avx512())
    test_functions_of_one<8>();
#endif
}

TEST_CASE("Powers, angles and remainders of packs are the standard library's", "[core][simd]")
{
  test_functions_of_two<1>();
  test_functions_of_two<2>();
  test_functions_of_two<4>();
#ifdef NEML2_SIMD
  if (has_avx512())
    test_functions_of_two<8>();
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
template <int W>
void
require_all_found()
{
  const auto & f = sleef::functions<W>();
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
    require_all_found<4>();
#ifndef __clang__
  if (has_avx512())
    require_all_found<8>();
#endif
}
#endif
} // namespace sleef_test
