// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Rot.h"

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

inline Rot
Rot::identity(const TensorOptions & options)
{
  return zeros(options);
}

inline R2
Rot::identity_map(const TensorOptions & options)
{
  return R2::identity(options);
}

inline Rot
Rot::fill(const Scalar & r0, const Scalar & r1, const Scalar & r2)
{
  return core::stack<Rot>(core::Operation("Rot::fill", core::Accepts::any), {r0, r1, r2});
}

inline Rot
Rot::fill_matrix(const R2 & R)
{
  return engine::evaluate_leaf<Rot>(tensors::RotFillMatrix(), composed::rotation_of_matrix, R);
}

inline Rot
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

inline R2
euler_rodrigues(const Rot & r)
{
  return engine::evaluate_leaf<R2>(tensors::EulerRodrigues(), composed::rotation_matrix, r);
}

inline R3
deuler_rodrigues(const Rot & r)
{
  return engine::evaluate_leaf<R3>(
      "deuler_rodrigues",
      [](const auto & a) { return kernels::deuler_rodrigues(a); },
      composed::rotation_matrix_derivative,
      r);
}

inline Rot
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

inline Rot
rotate(const Rot & x, const Rot & r)
{
  return r * x;
}

inline R2
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

inline R2
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

inline Scalar
inner(const Rot & r, const Rot & q)
{
  return inner(Vec(r), Vec(q));
}

inline Scalar
norm_sq(const Rot & r)
{
  return norm_sq(Vec(r));
}

inline Scalar
norm(const Rot & r)
{
  return norm(Vec(r));
}

inline Scalar
Rot::norm_sq() const
{
  return neml2::norm_sq(*this);
}

inline Scalar
Rot::norm() const
{
  return neml2::norm(*this);
}

inline Scalar
Rot::dot(const Vec & v) const
{
  return neml2::inner(Vec(*this), v);
}

inline Rot
Rot::cross(const Vec & v) const
{
  return neml2::cross(Vec(*this), v);
}

inline R2
Rot::outer(const Vec & v) const
{
  return neml2::outer(Vec(*this), v);
}

inline Rot
Rot::inverse() const
{
  return inv(*this);
}

inline R2
Rot::euler_rodrigues() const
{
  return neml2::euler_rodrigues(*this);
}

inline R3
Rot::deuler_rodrigues() const
{
  return neml2::deuler_rodrigues(*this);
}

inline Rot
Rot::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

inline R2
Rot::drotate(const Rot & r) const
{
  return neml2::drotate(*this, r);
}

inline R2
Rot::drotate_self(const Rot & r) const
{
  return neml2::drotate_self(*this, r);
}

} // namespace neml2
