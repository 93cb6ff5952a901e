// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/solve.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/solve.h"

namespace neml2
{
template <class A, class B, math::if_types<A, R2, B, Vec>>
Vec
solve(const A & a, const B & b)
{
  return engine::evaluate_leaf<Vec>(tensors::Solve(), composed::solve_vector, a, b);
}

template <class A, class B, math::if_types<A, R2, B, R2>>
R2
solve(const A & a, const B & b)
{
  return engine::evaluate_leaf<R2>(tensors::Solve(), composed::solve_matrix, a, b);
}

template <class A, class B, math::if_types<A, SSR4, B, SR2>>
SR2
solve(const A & C, const B & s)
{
  return engine::evaluate_leaf<SR2>(tensors::Solve(), composed::solve_vector, C, s);
}

template <class A, class B, math::if_types<A, SSR4, B, SSR4>>
SSR4
solve(const A & a, const B & b)
{
  return engine::evaluate_leaf<SSR4>(tensors::Solve(), composed::solve_matrix, a, b);
}

template <class A, class B, math::if_types<A, R4, B, R2>>
R2
solve(const A & t, const B & b)
{
  return engine::evaluate_leaf<R2>(tensors::Solve(), composed::solve_second, t, b);
}

template <class A, class B, math::if_types<A, R4, B, R4>>
R4
solve(const A & t, const B & b)
{
  return engine::evaluate_leaf<R4>(tensors::Solve(), composed::solve_fourth, t, b);
}
} // namespace neml2
