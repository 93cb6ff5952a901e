// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/math/elementwise.h"

/// Derivative rules of functions that work number by number.
namespace neml2::gradients
{
/// ∂(a^n)/∂a = n a^(n - 1); for n = 0 it is 0, even if a is 0.
inline Tensor
slope_of_power(const Tensor & a, double n)
{
  return n == 0 ? a * 0.0 : n * pow(a, n - 1);
}
inline Tensor
slope_of_power(const Tensor & a, const Tensor & n)
{
  return where(n.eq(0), 0.0, n * pow(a, n - 1.0));
}

/// ∂(a^n)/∂n = a^n log a, 0 where a is 0 and n is not negative.
inline Tensor
growth_of_power(double a, const Tensor & n)
{
  const Tensor p = pow(a, n);
  return a == 0 ? where(n.ge(0), n * 0.0, p * std::log(a)) : p * std::log(a);
}
inline Tensor
growth_of_power(const Tensor & a, const Tensor & n)
{
  return where(a.eq(0).logical_and(n.ge(0)), 0.0, pow(a, n) * log(a));
}

// The functions below work step by step, so that intermediate tensors are freed early and rules need little memory.

/// The denominator of ∂∛a/∂a = 1 / (3 ∛a²).
inline Tensor
three_cbrt_squared(const Tensor & a)
{
  Tensor r = cbrt(a);
  r = r * r;
  return 3.0 * r;
}

/// t / (x² + y²), where t is x or y; 0 where both are 0.
inline Tensor
over_sum_of_squares(const Tensor & t, const Tensor & x, const Tensor & y)
{
  Tensor r = hypot(x, y);
  r = where(r.eq(0), 1.0, r);
  const Tensor share = t / r;
  return share / r;
}

/// a / hypot(a, b); 0 where both are 0.
inline Tensor
share_of_length(const Tensor & a, const Tensor & b)
{
  Tensor r = hypot(a, b);
  const at::Tensor is_zero = r.eq(0);
  r = where(is_zero, 1.0, r); // each line frees the tensor that the line before it made
  r = a / r;
  return where(is_zero, 0.0, r);
}

inline const bool has_elementwise_rules = []
{
  add_gradient_rule<math::Sinh, Numbers, Numbers>([](const Tensor & g, const Tensor & a)
                                                  { return g * cosh(a); });
  add_gradient_rule<math::Cosh, Numbers, Numbers>([](const Tensor & g, const Tensor & a)
                                                  { return g * sinh(a); });
  add_gradient_rule<math::Atanh, Numbers, Numbers>([](const Tensor & g, const Tensor & a)
                                                   { return g / (1 - a * a); });
  add_gradient_rule<math::Cbrt, Numbers, Numbers>([](const Tensor & g, const Tensor & a)
                                                  { return g / three_cbrt_squared(a); });
  add_gradient_rule<math::Pow, Numbers, Numbers, Numbers>(
      [](const Tensor & g, const Tensor & a, const Tensor & n) { return g * slope_of_power(a, n); },
      [](const Tensor & g, const Tensor & a, const Tensor & n)
      { return g * growth_of_power(a, n); });
  add_gradient_rule<math::Pow, Numbers, Numbers, double>(
      [](const Tensor & g, const Tensor & a, double n) { return g * slope_of_power(a, n); },
      nullptr);
  add_gradient_rule<math::Pow, Numbers, double, Numbers>(
      nullptr,
      [](const Tensor & g, double a, const Tensor & n) { return g * growth_of_power(a, n); });
  add_gradient_rule<math::Atan2, Numbers, Numbers, Numbers>(
      [](const Tensor & g, const Tensor & y, const Tensor & x)
      { return g * over_sum_of_squares(x, x, y); },
      [](const Tensor & g, const Tensor & y, const Tensor & x)
      { return -g * over_sum_of_squares(y, x, y); });
  add_gradient_rule<math::Hypot, Numbers, Numbers, Numbers>(
      [](const Tensor & g, const Tensor & a, const Tensor & b)
      { return g * share_of_length(a, b); },
      [](const Tensor & g, const Tensor & a, const Tensor & b)
      { return g * share_of_length(b, a); });
  return true;
}();
} // namespace neml2::gradients
