// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Components.h"
#include "neml2/engine/evaluate.h"
#include "neml2/kernels/Components.h"
#include "neml2/kernels/Scalar.h"
#include "neml2/math/operators.h"

/// Contractions of all components, of any type. Result is the type to return; it is a template parameter
/// because Scalar is complete only above this room.
namespace neml2::math
{
/// Σ a_i b_i over all base components.
template <class Result, class T>
Result
inner(const Operation & op, const T & a, const T & b)
{
  return evaluate_leaf<Result>(
      op,
      [](const auto & x, const auto & y) { return kernels::inner(x, y); },
      [](const T & x, const T & y) { return Result(composed::contracted(x, y, x.base_dim())); },
      a,
      b);
}

/// Σ t_i t_i over all base components.
template <class Result, class T>
Result
norm_sq(const Operation & op, const T & t)
{
  return evaluate_leaf<Result>(
      op,
      [](const auto & a) { return kernels::norm_sq(a); },
      [](const T & a) { return Result(composed::contracted(a, a, a.base_dim())); },
      t);
}

/// √(Σ t_i t_i + epsilon) over all base components. The gradient at t = 0 is 0 where epsilon is 0.
template <class Result, class T>
Result
norm(const T & t, double epsilon)
{
  return evaluate_leaf<Result>(
      "norm",
      [](const auto & a, const auto & e) { return kernels::norm(a, e); },
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
      "unit",
      [](const auto & a, const auto & e) { return a / kernels::norm(a, e); },
      [](const T & a, double e) { return T(composed::over_frobenius(a, a.base_dim(), e)); },
      t,
      epsilon);
}
} // namespace neml2::math
