// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/WR2.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/WR2.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM SkewPart
{
  static constexpr auto name = "skew_part";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::skew_part(a);
  }
};
} // namespace tensors

NEML2_BODY
WR2::WR2(const R2 & A) : WR2(neml2::skew_part(A)) {}

NEML2_BODY WR2
WR2::fill(const Scalar & w0, const Scalar & w1, const Scalar & w2)
{
  return core::stack<WR2>(core::Operation("WR2::fill", core::Accepts::any), {w0, w1, w2});
}

NEML2_BODY R2
WR2::identity_map(const TensorOptions & options)
{
  return R2::identity(options);
}

NEML2_BODY Scalar
WR2::operator()(Size i, Size j) const
{
  core::check_defined("()", *this);
  for (const Size k : {i, j})
    NEML2_CHECK_AS(IndexException,
                   -3 <= k && k < 3,
                   "WR2: the component index ",
                   k,
                   " is out of range: expected one in [-3, 3).");
  const Size row = (i + 3) % 3, column = (j + 3) % 3;
  if (row == column)
    return Scalar::zeros(batch_sizes(), options());
  const Scalar w = (*this)(3 - row - column);
  return (row - column + 3) % 3 == 1 ? w : -w;
}

NEML2_BODY R2
full(const WR2 & w)
{
  return skew(Vec(w));
}

NEML2_BODY WR2
skew_part(const R2 & A)
{
  return engine::evaluate_leaf<WR2>(tensors::SkewPart(), composed::skew_part, A);
}

NEML2_BODY Scalar
inner(const WR2 & w, const WR2 & v)
{
  return inner(Vec(w), Vec(v));
}

NEML2_BODY Scalar
norm_sq(const WR2 & w)
{
  return norm_sq(Vec(w));
}

NEML2_BODY Scalar
norm(const WR2 & w)
{
  return norm(Vec(w));
}

NEML2_BODY WR2
rotate(const WR2 & w, const R2 & R)
{
  return rotate(Vec(w), R);
}

NEML2_BODY WR2
rotate(const WR2 & w, const Rot & r)
{
  return rotate(Vec(w), r);
}

NEML2_BODY Scalar
tr(const WR2 & w)
{
  core::check_defined("tr", w);
  return Scalar::zeros(w.batch_sizes(), w.options());
}

NEML2_BODY Scalar
det(const WR2 & w)
{
  core::check_defined("det", w);
  return Scalar::zeros(w.batch_sizes(), w.options());
}

NEML2_BODY WR2
vol(const WR2 & w)
{
  core::check_defined("vol", w);
  return WR2::zeros(w.batch_sizes(), w.options());
}

NEML2_BODY WR2
dev(const WR2 & w)
{
  core::check_defined("dev", w);
  return w;
}

NEML2_BODY WR2
transpose(const WR2 & w)
{
  core::check_defined("transpose", w);
  return -w;
}

NEML2_BODY Scalar
WR2::norm_sq() const
{
  return neml2::norm_sq(*this);
}

NEML2_BODY Scalar
WR2::norm() const
{
  return neml2::norm(*this);
}

NEML2_BODY Scalar
WR2::inner(const Vec & v) const
{
  return neml2::inner(Vec(*this), v);
}

NEML2_BODY Scalar
WR2::dot(const Vec & v) const
{
  return inner(v);
}

NEML2_BODY WR2
WR2::cross(const Vec & v) const
{
  return neml2::cross(Vec(*this), v);
}

NEML2_BODY R2
WR2::outer(const Vec & v) const
{
  return neml2::outer(Vec(*this), v);
}

NEML2_BODY WR2
WR2::rotate(const R2 & R) const
{
  return neml2::rotate(*this, R);
}

NEML2_BODY WR2
WR2::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

NEML2_BODY R2
WR2::drotate(const Rot & r) const
{
  return Vec(*this).drotate(r);
}

NEML2_BODY R3
WR2::drotate(const R2 & R) const
{
  return Vec(*this).drotate(R);
}

NEML2_BODY Scalar
WR2::tr() const
{
  return neml2::tr(*this);
}

NEML2_BODY Scalar
WR2::det() const
{
  return neml2::det(*this);
}

NEML2_BODY WR2
WR2::vol() const
{
  return neml2::vol(*this);
}

NEML2_BODY WR2
WR2::dev() const
{
  return neml2::dev(*this);
}

NEML2_BODY WR2
WR2::transpose() const
{
  return neml2::transpose(*this);
}

} // namespace neml2
