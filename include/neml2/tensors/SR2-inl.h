// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/SR2.h"

#include "neml2/engine/evaluate.h"
#include "neml2/math/Components.h"
#include "neml2/tensors/operations.h"
#include "neml2/composed/SR2.h"
#include "neml2/composed/Vec.h"
#include "neml2/kernels/drotate.h"

namespace neml2
{
template <>
inline constexpr bool packs::gains_from_avx512<tensors::Outer, SR2, SR2> = true;

NEML2_BODY
SR2::SR2(const R2 & A) : SR2(neml2::sym(A)) {}

NEML2_BODY SR2
SR2::fill(const CScalar & a, const TensorOptions & options)
{
  return fill(a, a, a, options);
}

NEML2_BODY SR2
SR2::fill(const CScalar & s00,
          const CScalar & s11,
          const CScalar & s22,
          const TensorOptions & options)
{
  return from_values({s00, s11, s22, 0, 0, 0}, options);
}

NEML2_BODY SR2
SR2::fill(const CScalar & s00,
          const CScalar & s11,
          const CScalar & s22,
          const CScalar & s12,
          const CScalar & s02,
          const CScalar & s01,
          const TensorOptions & options)
{
  core::check_floating("SR2::fill", options); // √2 is not an integer
  const auto shear = [](const CScalar & s)
  { return CScalar(kernels::sqrt2 * core::real_value("SR2::fill", s)); };
  return from_values({s00, s11, s22, shear(s12), shear(s02), shear(s01)}, options);
}

NEML2_BODY SR2
SR2::fill(const Scalar & a)
{
  return fill(a, a, a);
}

NEML2_BODY SR2
SR2::fill(const Scalar & s00, const Scalar & s11, const Scalar & s22)
{
  core::check_defined("SR2::fill", s00);
  const auto zero = Scalar::zeros(s00.options());
  return fill(s00, s11, s22, zero, zero, zero);
}

NEML2_BODY SR2
SR2::fill(const Scalar & s00,
          const Scalar & s11,
          const Scalar & s22,
          const Scalar & s12,
          const Scalar & s02,
          const Scalar & s01)
{
  const SR2 components = core::stack<SR2>("SR2::fill", {s00, s11, s22, s12, s02, s01});
  const SR2 factors = fill(1, 1, 1, 1, 1, 1, components.options());
  return SR2(core::raw(components) * core::raw(factors));
}

NEML2_BODY SR2
SR2::identity(const TensorOptions & options)
{
  return fill(1, options);
}

NEML2_BODY SSR4
SR2::identity_map(const TensorOptions & options)
{
  return SSR4::identity_sym(options);
}

NEML2_BODY Scalar
SR2::operator()(Size i, Size j) const
{
  constexpr const char * where = "SR2(i, j)";
  const int k =
      kernels::mandel_reverse_index[core::component(where, i, 3)][core::component(where, j, 3)];
  const Scalar stored = (*this)(k);
  return k < 3 ? stored : stored * kernels::invsqrt2;
}

NEML2_BODY Scalar
tr(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar, core::Accepts::numbers>(
      tensors::Tr(), composed::tr_mandel, s);
}

NEML2_BODY SR2
vol(const SR2 & s)
{
  return engine::evaluate_leaf<SR2>(tensors::Vol(), composed::vol, s);
}

NEML2_BODY SR2
dev(const SR2 & s)
{
  return engine::evaluate_leaf<SR2>(tensors::Dev(), composed::dev_mandel, s);
}

NEML2_BODY Scalar
det(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar>(tensors::Det(), composed::det_mandel, s);
}

NEML2_BODY Scalar
inner(const SR2 & s, const SR2 & t)
{
  return math::inner<Scalar>(s, t);
}

NEML2_BODY Scalar
norm_sq(const SR2 & s)
{
  return math::norm_sq<Scalar>(s);
}

NEML2_BODY Scalar
norm(const SR2 & s, Real epsilon)
{
  return math::norm<Scalar>(s, epsilon);
}

NEML2_BODY SR2
unit(const SR2 & s, Real epsilon)
{
  return math::unit(s, epsilon);
}

NEML2_BODY SSR4
outer(const SR2 & s, const SR2 & t)
{
  return engine::evaluate_leaf<SSR4>(tensors::Outer(), composed::outer_last, s, t);
}

NEML2_BODY SSR4
outer(const SR2 & s)
{
  return outer(s, s);
}

NEML2_BODY SR2
inv(const SR2 & s)
{
  return engine::evaluate_leaf<SR2>(tensors::Inv(), composed::inv_mandel, s);
}

NEML2_BODY SR2
transpose(const SR2 & s)
{
  core::check_defined("transpose", s);
  return s;
}

NEML2_BODY SR2
rotate(const SR2 & s, const R2 & R)
{
  return engine::evaluate_leaf<SR2>(tensors::Rotate(), composed::rotate_mandel, s, R);
}

NEML2_BODY SR2
rotate(const SR2 & s, const Rot & r)
{
  return engine::evaluate_leaf<SR2>(tensors::Rotate(), composed::rotate_mandel_by_parameters, s, r);
}

NEML2_BODY SFFR4
drotate(const SR2 & s, const R2 & R)
{
  return engine::evaluate_leaf<SFFR4>(
      "drotate",
      [](const auto & a, const auto & r) { return kernels::drotate(a, r); },
      composed::drotate_mandel,
      s,
      R);
}

NEML2_BODY SFR3
drotate(const SR2 & s, const Rot & r)
{
  return engine::evaluate_leaf<SFR3>(
      "drotate",
      packs::Wide([](const auto & a, const auto & b) { return kernels::drotate(a, b); }),
      composed::drotate_mandel_by_parameters,
      s,
      r);
}

NEML2_BODY SFFR4
SR2::drotate(const R2 & R) const
{
  return neml2::drotate(*this, R);
}

NEML2_BODY SFR3
SR2::drotate(const Rot & r) const
{
  return neml2::drotate(*this, r);
}

NEML2_BODY R2
full(const SR2 & s)
{
  return engine::evaluate_leaf<R2>(tensors::Full(), composed::full, s);
}

NEML2_BODY SR2
sym(const R2 & A)
{
  return engine::evaluate_leaf<SR2>(tensors::Sym(), composed::sym, A);
}

NEML2_BODY SR2
SR2::rotate(const R2 & R) const
{
  return neml2::rotate(*this, R);
}

NEML2_BODY SR2
SR2::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

NEML2_BODY Scalar
SR2::tr() const
{
  return neml2::tr(*this);
}

NEML2_BODY SR2
SR2::vol() const
{
  return neml2::vol(*this);
}

NEML2_BODY SR2
SR2::dev() const
{
  return neml2::dev(*this);
}

NEML2_BODY Scalar
SR2::det() const
{
  return neml2::det(*this);
}

NEML2_BODY Scalar
SR2::inner(const SR2 & t) const
{
  return neml2::inner(*this, t);
}

NEML2_BODY Scalar
SR2::norm_sq() const
{
  return neml2::norm_sq(*this);
}

NEML2_BODY Scalar
SR2::norm(Real epsilon) const
{
  return neml2::norm(*this, epsilon);
}

NEML2_BODY SSR4
SR2::outer(const SR2 & t) const
{
  return neml2::outer(*this, t);
}

NEML2_BODY SR2
SR2::inverse() const
{
  return inv(*this);
}

NEML2_BODY SR2
SR2::transpose() const
{
  return neml2::transpose(*this);
}
} // namespace neml2
