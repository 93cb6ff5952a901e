// SPDX-License-Identifier: MIT
#pragma once

// For the tests of the kernels, without LibTorch.

namespace neml2::test
{
/// A user's number type: a value and one derivative, with arithmetic only.
struct Number
{
  double value = 0, slope = 0;

  constexpr Number() = default;
  constexpr Number(double v, double s = 0) : value(v), slope(s) {}
};

constexpr Number
operator-(const Number & a)
{
  return {-a.value, -a.slope};
}
constexpr Number
operator+(const Number & a, const Number & b)
{
  return {a.value + b.value, a.slope + b.slope};
}
constexpr Number
operator-(const Number & a, const Number & b)
{
  return {a.value - b.value, a.slope - b.slope};
}
constexpr Number
operator*(const Number & a, const Number & b)
{
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
constexpr Number
operator/(const Number & a, const Number & b)
{
  return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
}

constexpr double
magnitude(double a)
{
  return a < 0 ? -a : a;
}

/// Equal up to rounding, relative to numbers of about 1.
constexpr bool
close(double a, double b, double tolerance = 1e-14)
{
  return magnitude(a - b) <= tolerance * (1 + magnitude(b));
}

/// Whether all components of two rows are equal in this sense.
template <class Row>
constexpr bool
close(const Row & a, const Row & b, double tolerance = 1e-14)
{
  for (int i = 0; i < Row::n; i++)
    if (!close(double(a[i]), double(b[i]), tolerance))
      return false;
  return true;
}

/// A row of numbers with slopes 1 0 0 ...: its i-th component varies.
template <template <class> class Row>
constexpr Row<Number>
vary(const Row<double> & x, int i)
{
  Row<Number> r;
  for (int k = 0; k < Row<double>::n; k++)
    r[k] = Number(x[k], k == i ? 1 : 0);
  return r;
}
} // namespace neml2::test
