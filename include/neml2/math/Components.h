// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Components.h"
#include "neml2/engine/evaluate.h"
#include "neml2/kernels/Components.h"
#include "neml2/kernels/Scalar.h"
#include "neml2/math/operators.h"

/// Contractions over all components of tensors of any type. Result, the type to return, is a template parameter because
/// Scalar is not complete in this header.
namespace neml2
{
namespace math
{
struct NEML2_ONE_A_PROGRAM Inner
{
  static constexpr auto name = "inner";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return kernels::inner(a, b);
  }
};

struct NEML2_ONE_A_PROGRAM NormSq
{
  static constexpr auto name = "norm_sq";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::norm_sq(a);
  }
};

struct NEML2_ONE_A_PROGRAM Norm
{
  static constexpr auto name = "norm";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & epsilon) const
  {
    return kernels::norm(a, epsilon);
  }
};

struct NEML2_ONE_A_PROGRAM Unit
{
  static constexpr auto name = "unit",
                        source = "[](const auto & a, const auto & e) { return a / norm(a, e); }";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & epsilon) const
  {
    return a / kernels::norm(a, epsilon);
  }
};
} // namespace math

namespace math
{
/// Σ a_i b_i over all base components.
template <class Result, Accepts accepts = Accepts::floating, class T>
Result
inner(const T & a, const T & b)
{
  return evaluate_leaf<Result, accepts>(
      math::Inner(),
      [](const T & x, const T & y) { return Result(composed::contracted(x, y, x.base_dim())); },
      a,
      b);
}

/// Σ t_i t_i over all base components.
template <class Result, Accepts accepts = Accepts::floating, class T>
Result
norm_sq(const T & t)
{
  return evaluate_leaf<Result, accepts>(
      math::NormSq(),
      [](const T & a) { return Result(composed::contracted(a, a, a.base_dim())); },
      t);
}

/// √(Σ t_i t_i + epsilon) over all base components. The gradient at t = 0 is 0, even if epsilon is 0.
template <class Result, class T>
Result
norm(const T & t, double epsilon)
{
  return evaluate_leaf<Result>(
      math::Norm(),
      [](const T & a, double e) { return Result(composed::frobenius(a, a.base_dim(), e)); },
      t,
      epsilon);
}

/// t / √(Σ t_i t_i + epsilon) over all base components.
template <class T>
T
unit(const T & t, double epsilon)
{
  return evaluate_leaf<T>(
      math::Unit(),
      [](const T & a, double e) { return T(composed::over_frobenius(a, a.base_dim(), e)); },
      t,
      epsilon);
}
} // namespace math
} // namespace neml2
