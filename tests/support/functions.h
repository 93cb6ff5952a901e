// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

namespace neml2::test
{
/// (f(x + h) - f(x - h)) / 2h, of relative error h²
template <class F>
double
slope(const F & f, double x)
{
  const double h = 1e-5 * (1 + std::fabs(x));
  return (f(x + h) - f(x - h)) / (2 * h);
}
} // namespace neml2::test

/// The functions of plain numbers, which the library does not define: formulas find the functions of duals by their
/// arguments.
namespace neml2::test::functions
{
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::cos;
using std::cosh;
using std::exp;
using std::expm1;
using std::fmod;
using std::hypot;
using std::log;
using std::log10;
using std::log1p;
using std::pow;
using std::sin;
using std::sinh;
using std::tan;
using std::tanh;
} // namespace neml2::test::functions
