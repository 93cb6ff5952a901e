// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Rot.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/Rot.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM RotFillMatrix
{
  static constexpr auto name = "Rot::fill_matrix";
  template <class A>
  NEML2_INLINE auto operator()(const A & M) const
  {
    return kernels::fill_matrix(M);
  }
};

struct NEML2_ONE_A_PROGRAM RotFillRodrigues
{
  static constexpr auto name = "Rot::fill_rodrigues";
  template <class A, class B, class C>
  NEML2_INLINE auto operator()(const A & x, const B & y, const C & z) const
  {
    return kernels::fill_rodrigues(x, y, z);
  }
};

struct NEML2_ONE_A_PROGRAM EulerRodrigues
{
  static constexpr auto name = "euler_rodrigues";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::euler_rodrigues(a);
  }
};

struct NEML2_ONE_A_PROGRAM RotTimesRot
{
  static constexpr auto name = "Rot * Rot";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return x * y;
  }
};
} // namespace tensors

NEML2_BODY Rot
Rot::identity(const TensorOptions & options)
{
  return zeros(options);
}

NEML2_BODY R2
Rot::identity_map(const TensorOptions & options)
{
  return R2::identity(options);
}

NEML2_BODY Rot
Rot::fill(const Scalar & r0, const Scalar & r1, const Scalar & r2)
{
  return core::stack<Rot>(core::Operation("Rot::fill", core::Accepts::any), {r0, r1, r2});
}

NEML2_BODY Rot
Rot::fill_matrix(const R2 & R)
{
  return engine::evaluate_leaf<Rot>(tensors::RotFillMatrix(), composed::rotation_of_matrix, R);
}

NEML2_BODY Rot
Rot::fill_rodrigues(const Scalar & rx, const Scalar & ry, const Scalar & rz)
{
  return engine::evaluate_leaf<Rot>(
      tensors::RotFillRodrigues(),
      [](const Scalar & x, const Scalar & y, const Scalar & z) {
        return composed::rotation_of_rodrigues(core::stack<Rot>({x, y, z}));
      },
      rx,
      ry,
      rz);
}

NEML2_BODY R2
euler_rodrigues(const Rot & r)
{
  return engine::evaluate_leaf<R2>(tensors::EulerRodrigues(), composed::rotation_matrix, r);
}

NEML2_BODY R3
deuler_rodrigues(const Rot & r)
{
  return engine::evaluate_leaf<R3>(
      "deuler_rodrigues",
      [](const auto & a) { return kernels::deuler_rodrigues(a); },
      composed::rotation_matrix_derivative,
      r);
}

NEML2_BODY Rot
inv(const Rot & r)
{
  core::check_defined("inv", r);
  return -r;
}

template <class A, class B, math::if_types<A, Rot, B, Rot>>
Rot
operator*(const A & a, const B & b)
{
  return engine::evaluate_leaf<Rot>(tensors::RotTimesRot(), composed::rotation_product, a, b);
}

NEML2_BODY Rot
rotate(const Rot & x, const Rot & r)
{
  return r * x;
}

NEML2_BODY R2
drotate(const Rot & x, const Rot & r)
{
  return engine::evaluate_leaf<R2>(
      "drotate",
      [](const auto & a, const auto & b) { return kernels::drotate(a, b); },
      [](const at::Tensor & a, const at::Tensor & b)
      { return composed::rotation_product_derivative(b, a, 1); },
      x,
      r);
}

NEML2_BODY R2
drotate_self(const Rot & x, const Rot & r)
{
  return engine::evaluate_leaf<R2>(
      "drotate_self",
      [](const auto & a, const auto & b) { return kernels::drotate_self(a, b); },
      [](const at::Tensor & a, const at::Tensor & b)
      { return composed::rotation_product_derivative(a, b, -1); },
      x,
      r);
}

NEML2_BODY Scalar
inner(const Rot & r, const Rot & q)
{
  return inner(Vec(r), Vec(q));
}

NEML2_BODY Scalar
norm_sq(const Rot & r)
{
  return norm_sq(Vec(r));
}

NEML2_BODY Scalar
norm(const Rot & r)
{
  return norm(Vec(r));
}

NEML2_BODY Scalar
Rot::norm_sq() const
{
  return neml2::norm_sq(*this);
}

NEML2_BODY Scalar
Rot::norm() const
{
  return neml2::norm(*this);
}

NEML2_BODY Scalar
Rot::dot(const Vec & v) const
{
  return neml2::inner(Vec(*this), v);
}

NEML2_BODY Rot
Rot::cross(const Vec & v) const
{
  return neml2::cross(Vec(*this), v);
}

NEML2_BODY R2
Rot::outer(const Vec & v) const
{
  return neml2::outer(Vec(*this), v);
}

NEML2_BODY Rot
Rot::inverse() const
{
  return inv(*this);
}

NEML2_BODY R2
Rot::euler_rodrigues() const
{
  return neml2::euler_rodrigues(*this);
}

NEML2_BODY R3
Rot::deuler_rodrigues() const
{
  return neml2::deuler_rodrigues(*this);
}

NEML2_BODY Rot
Rot::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

NEML2_BODY R2
Rot::drotate(const Rot & r) const
{
  return neml2::drotate(*this, r);
}

NEML2_BODY R2
Rot::drotate_self(const Rot & r) const
{
  return neml2::drotate_self(*this, r);
}

} // namespace neml2
