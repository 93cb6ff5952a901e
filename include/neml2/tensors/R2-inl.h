// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/R2.h"

#include "neml2/engine/evaluate.h"
#include "neml2/math/Components.h"
#include "neml2/tensors/operations.h"
#include "neml2/composed/R2.h"
#include "neml2/composed/Rot.h"
#include "neml2/kernels/drotate.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM R2TimesR2
{
  static constexpr auto name = "R2 * R2";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return x * y;
  }
};

struct NEML2_ONE_A_PROGRAM R2TimesVec
{
  static constexpr auto name = "R2 * Vec";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return x * y;
  }
};
} // namespace tensors

NEML2_BODY
R2::R2(const SR2 & S) : R2(neml2::full(S)) {}

NEML2_BODY
R2::R2(const WR2 & W) : R2(neml2::skew(Vec(W))) {}

NEML2_BODY
R2::R2(const Rot & r) : R2(neml2::euler_rodrigues(r)) {}

NEML2_BODY R2
R2::fill(const CScalar & a, const TensorOptions & options)
{
  return fill(a, a, a, options);
}

NEML2_BODY R2
R2::fill(const CScalar & a00,
         const CScalar & a11,
         const CScalar & a22,
         const TensorOptions & options)
{
  return from_values({a00, 0, 0, 0, a11, 0, 0, 0, a22}, options);
}

NEML2_BODY R2
R2::fill(const CScalar & a00,
         const CScalar & a11,
         const CScalar & a22,
         const CScalar & a12,
         const CScalar & a02,
         const CScalar & a01,
         const TensorOptions & options)
{
  return from_values({a00, a01, a02, a01, a11, a12, a02, a12, a22}, options);
}

NEML2_BODY R2
R2::fill(const CScalar & a00,
         const CScalar & a01,
         const CScalar & a02,
         const CScalar & a10,
         const CScalar & a11,
         const CScalar & a12,
         const CScalar & a20,
         const CScalar & a21,
         const CScalar & a22,
         const TensorOptions & options)
{
  return from_values({a00, a01, a02, a10, a11, a12, a20, a21, a22}, options);
}

NEML2_BODY R2
R2::fill(const Scalar & a)
{
  return fill(a, a, a);
}

NEML2_BODY R2
R2::fill(const Scalar & a00, const Scalar & a11, const Scalar & a22)
{
  core::check_defined("R2::fill", a00);
  const auto zero = Scalar::zeros(a00.options());
  return fill(a00, zero, zero, zero, a11, zero, zero, zero, a22);
}

NEML2_BODY R2
R2::fill(const Scalar & a00,
         const Scalar & a11,
         const Scalar & a22,
         const Scalar & a12,
         const Scalar & a02,
         const Scalar & a01)
{
  return fill(a00, a01, a02, a01, a11, a12, a02, a12, a22);
}

NEML2_BODY R2
R2::fill(const Scalar & a00,
         const Scalar & a01,
         const Scalar & a02,
         const Scalar & a10,
         const Scalar & a11,
         const Scalar & a12,
         const Scalar & a20,
         const Scalar & a21,
         const Scalar & a22)
{
  return core::stack<R2>(core::Operation("R2::fill", core::Accepts::any),
                         {a00, a01, a02, a10, a11, a12, a20, a21, a22});
}

NEML2_BODY R2
R2::skew(const Vec & v)
{
  return neml2::skew(v);
}

NEML2_BODY R2
R2::identity(const TensorOptions & options)
{
  return fill(1, options);
}

NEML2_BODY R4
R2::identity_map(const TensorOptions & options)
{
  return core::make("R2::identity_map",
                    R4::base_shape,
                    options,
                    [](auto shape, const auto & o) { return at::eye(9, o).reshape(shape); });
}

NEML2_BODY Vec
row(const R2 & A, Size i)
{
  core::check_defined("row", A);
  return Vec(A.select(A.batch_dim(), core::component("row", i, 3)), A.batch_dim());
}

NEML2_BODY Vec
col(const R2 & A, Size j)
{
  core::check_defined("col", A);
  return Vec(A.select(A.batch_dim() + 1, core::component("col", j, 3)), A.batch_dim());
}

NEML2_BODY Vec
R2::row(Size i) const
{
  return neml2::row(*this, i);
}

NEML2_BODY Vec
R2::col(Size j) const
{
  return neml2::col(*this, j);
}

NEML2_BODY Scalar
tr(const R2 & A)
{
  return engine::evaluate_leaf<Scalar, core::Accepts::numbers>(
      tensors::Tr(), composed::tr_matrix, A);
}

NEML2_BODY R2
vol(const R2 & A)
{
  return engine::evaluate_leaf<R2>(tensors::Vol(), composed::vol_matrix, A);
}

NEML2_BODY R2
dev(const R2 & A)
{
  return engine::evaluate_leaf<R2>(tensors::Dev(), composed::dev_matrix, A);
}

NEML2_BODY Scalar
det(const R2 & A)
{
  return engine::evaluate_leaf<Scalar, core::Accepts::numbers>(tensors::Det(), composed::det, A);
}

NEML2_BODY R2
inv(const R2 & A)
{
  return engine::evaluate_leaf<R2>(tensors::Inv(), composed::inv, A);
}

NEML2_BODY R2
transpose(const R2 & A)
{
  core::check_defined("transpose", A);
  return R2(A.at::Tensor::transpose(-1, -2), A.batch_dim());
}

NEML2_BODY Scalar
inner(const R2 & A, const R2 & B)
{
  return math::inner<Scalar, core::Accepts::numbers>(A, B);
}

NEML2_BODY R4
outer(const R2 & A, const R2 & B)
{
  return engine::evaluate_leaf<R4, core::Accepts::numbers>(
      tensors::Outer(), composed::outer_matrix, A, B);
}

NEML2_BODY R4
outer(const R2 & A)
{
  return outer(A, A);
}

NEML2_BODY Scalar
norm_sq(const R2 & A)
{
  return math::norm_sq<Scalar, core::Accepts::numbers>(A);
}

NEML2_BODY Scalar
norm(const R2 & A, Real epsilon)
{
  return math::norm<Scalar>(A, epsilon);
}

NEML2_BODY R2
unit(const R2 & A, Real epsilon)
{
  return math::unit(A, epsilon);
}

NEML2_BODY R2
skew(const Vec & v)
{
  return engine::evaluate_leaf<R2, core::Accepts::numbers>(tensors::Skew(), composed::skew, v);
}

template <class A, class B, math::if_types<A, R2, B, R2>>
R2
operator*(const A & a, const B & b)
{
  return engine::evaluate_leaf<R2, core::Accepts::numbers>(
      tensors::R2TimesR2(), [](const R2 & x, const R2 & y) { return at::matmul(x, y); }, a, b);
}

template <class A, class B, math::if_types<A, R2, B, Vec>>
Vec
operator*(const A & a, const B & b)
{
  return engine::evaluate_leaf<Vec, core::Accepts::numbers>(
      tensors::R2TimesVec(), composed::matrix_vector, a, b);
}

NEML2_BODY R2
rotate(const R2 & A, const R2 & R)
{
  return engine::evaluate_leaf<R2, core::Accepts::numbers>(
      tensors::Rotate(), composed::rotate_matrix, A, R);
}

NEML2_BODY R2
rotate(const R2 & A, const Rot & r)
{
  return engine::evaluate_leaf<R2>(
      tensors::Rotate(),
      [](const R2 & a, const Rot & b)
      { return composed::rotate_matrix(a, composed::rotation_matrix(b)); },
      A,
      r);
}

NEML2_BODY R4
drotate(const R2 & A, const R2 & R)
{
  return engine::evaluate_leaf<R4>(
      core::Operation("drotate", core::Accepts::numbers),
      [](const auto & a, const auto & r) { return kernels::drotate(a, r); },
      composed::drotate_matrix,
      A,
      R);
}

NEML2_BODY R3
drotate(const R2 & A, const Rot & r)
{
  return engine::evaluate_leaf<R3>(
      "drotate",
      packs::Wide([](const auto & a, const auto & b) { return kernels::drotate(a, b); }),
      [](const R2 & a, const Rot & b)
      {
        const at::Tensor B = composed::rotate_matrix(a, composed::rotation_matrix(b));
        return composed::turned_matrix_derivative(B, composed::spin_by_rate(b));
      },
      A,
      r);
}

NEML2_BODY R4
R2::drotate(const R2 & R) const
{
  return neml2::drotate(*this, R);
}

NEML2_BODY R3
R2::drotate(const Rot & r) const
{
  return neml2::drotate(*this, r);
}

NEML2_BODY R2
R2::rotate(const R2 & R) const
{
  return neml2::rotate(*this, R);
}

NEML2_BODY R2
R2::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

NEML2_BODY R2
R2::transpose() const
{
  return neml2::transpose(*this);
}

NEML2_BODY R2
R2::inverse() const
{
  return inv(*this);
}

NEML2_BODY Scalar
R2::det() const
{
  return neml2::det(*this);
}

NEML2_BODY Scalar
R2::tr() const
{
  return neml2::tr(*this);
}

NEML2_BODY R2
R2::vol() const
{
  return neml2::vol(*this);
}

NEML2_BODY R2
R2::dev() const
{
  return neml2::dev(*this);
}

NEML2_BODY Scalar
R2::norm_sq() const
{
  return neml2::norm_sq(*this);
}

NEML2_BODY Scalar
R2::norm(Real epsilon) const
{
  return neml2::norm(*this, epsilon);
}

NEML2_BODY Scalar
R2::inner(const R2 & B) const
{
  return neml2::inner(*this, B);
}

NEML2_BODY R4
R2::outer(const R2 & B) const
{
  return neml2::outer(*this, B);
}
} // namespace neml2
