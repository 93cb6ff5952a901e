// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/spectral.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/spectral.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM Ieigh
{
  static constexpr auto name = "ieigh";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return kernels::ieigh(a, b);
  }
};

struct NEML2_ONE_A_PROGRAM Eigenvalues
{
  static constexpr auto name = "eigenvalues";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::eigenvalues(a);
  }
};

/// Evaluates an operation with two results. The operation is fused if no gradient is recorded.
template <class X, class Y, class RowBody, class BatchBody, class A>
std::pair<X, Y>
evaluate_pair(const Operation & op,
              const RowBody & row_body,
              const BatchBody & batch_body,
              const A & a)
{
  using Tile = ForwardTile<RowBody, Types<X, Y>, Types<A>>;
  const Operand o[] = {operand(a)};
  check_operands(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  const TensorShapeRef bases[] = {X::base_shape, Y::base_shape};
  const auto composed = [&](at::Tensor * r)
  {
    call_translated(
        op.name, [&] { std::tie(r[0], r[1]) = batch_body(a); }, o);
  };
  at::Tensor r[2];
  evaluate({op, o, batch, row_formula<Tile>(row_body), bases, composed, no_gradient}, r);
  return {X(std::move(r[0])), Y(std::move(r[1]))};
}
} // namespace tensors

namespace linalg
{
NEML2_BODY std::pair<Vec, R2>
eigh(const SR2 & s)
{
  return tensors::evaluate_pair<Vec, R2>(
      "eigh",
      [](const auto & a)
      {
        const auto r = kernels::eigh(a);
        return std::tuple(r.first, r.second);
      },
      composed::eigen_decomposition,
      s);
}

NEML2_BODY SR2
ieigh(const Vec & l, const R2 & V)
{
  return engine::evaluate_leaf<SR2>(tensors::Ieigh(), composed::ieigh, l, V);
}

NEML2_BODY SSR4
dsptrf(const Vec & l, const R2 & V, const Vec & f, const Vec & df)
{
  core::check_defined("dsptrf", l);
  return engine::evaluate_leaf<SSR4>(
      "dsptrf",
      [](const auto &... a) { return kernels::dsptrf(a...); },
      composed::dsptrf,
      l,
      V,
      f,
      df,
      core::epsilon_of(l.scalar_type()));
}
} // namespace linalg

NEML2_BODY std::pair<Vec, R2>
eigh(const SR2 & s)
{
  return linalg::eigh(s);
}

NEML2_BODY SR2
ieigh(const Vec & l, const R2 & V)
{
  return linalg::ieigh(l, V);
}

NEML2_BODY Vec
eigenvalues(const SR2 & s)
{
  return engine::evaluate_leaf<Vec>(tensors::Eigenvalues(), composed::eigenvalues, s);
}

NEML2_BODY Vec
principal_values(const SR2 & s)
{
  return eigenvalues(s);
}
} // namespace neml2
