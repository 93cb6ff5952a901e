// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/Scalar.h"

namespace neml2::gradients
{
/// Gradient of a / s with respect to s, from g · a.
struct ByDivisor
{
  template <class G, class S>
  NEML2_INLINE auto operator()(const G & ga, const S & s) const
  {
    return -ga / (s * s);
  }
};

/// The rules of + - * / with a scalar.
template <class T>
bool
add_scalar_rules()
{
  const auto same = [](const T & g, const auto &, const auto &) { return g; };
  const auto negative = [](const T & g, const auto &, const auto &) { return -g; };
  const auto sum = [](const T & g, const auto &, const auto &)
  { return inner(g, T::ones(g.options())); };
  const auto negative_sum = [](const T & g, const auto &, const auto &)
  { return -inner(g, T::ones(g.options())); };

  add_gradient_rule<math::Plus, T, T, Scalar>(same, sum);
  add_gradient_rule<math::Plus, T, Scalar, T>(sum, same);
  add_gradient_rule<math::Minus, T, T, Scalar>(same, negative_sum);
  add_gradient_rule<math::Minus, T, Scalar, T>(sum, negative);
  add_gradient_rule<math::Times, T, T, Scalar>(
      [](const T & g, const T &, const Scalar & s) { return g * s; },
      [](const T & g, const T & a, const Scalar &) { return inner(g, a); });
  add_gradient_rule<math::Times, T, Scalar, T>(
      [](const T & g, const Scalar &, const T & a) { return inner(g, a); },
      [](const T & g, const Scalar & s, const T &) { return g * s; });
  add_gradient_rule<math::Over, T, T, Scalar>(
      [](const T & g, const T &, const Scalar & s) { return g / s; },
      [](const T & g, const T & a, const Scalar & s)
      { return evaluate<Scalar>("/", ByDivisor(), inner(g, a), s); });
  add_gradient_rule<math::Over, T, Scalar, T>(
      [](const T & g, const Scalar &, const T & a) { return inner(g, 1.0 / a); },
      [](const T & g, const Scalar & s, const T & a) { return g * -s / a / a; });
  return true;
}

/// The rules of contractions, which are the same for all types.
template <class T>
bool
add_contraction_rules()
{
  add_gradient_rule<math::Inner, Scalar, T, T>(
      [](const Scalar & g, const T &, const T & b) { return b * g; },
      [](const Scalar & g, const T & a, const T &) { return a * g; });
  add_gradient_rule<math::NormSq, Scalar, T>([](const Scalar & g, const T & a)
                                             { return a * (2.0 * g); });
  // g a / |a|; 0 where |a| is 0
  add_gradient_rule<math::Norm, Scalar, T, double>(
      [](const Scalar & g, const T & a, double epsilon)
      {
        return evaluate<T>(
            "norm",
            [](const auto & h, const auto & x, const auto & e)
            {
              const auto n = norm(x, e);
              const auto is_zero = n <= 0.0;
              return x * (where(is_zero, 0.0 * n, h) / where(is_zero, n + 1.0, n));
            },
            g,
            a,
            epsilon);
      },
      nullptr);
  // (g - u (u · g)) / |a|, u = a / |a|
  add_gradient_rule<math::Unit, T, T, double>(
      [](const T & g, const T & a, double epsilon)
      {
        return evaluate<T>(
            "unit",
            [](const auto & h, const auto & x, const auto & e)
            {
              const auto n = norm(x, e);
              const auto u = x / n;
              return (h - u * inner(u, h)) / n;
            },
            g,
            a,
            epsilon);
      },
      nullptr);
  return true;
}
} // namespace neml2::gradients
