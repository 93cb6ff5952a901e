// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Quaternion.h"

#include "neml2/engine/evaluate.h"
#include "neml2/math/Components.h"
#include "neml2/tensors/operations.h"
#include "neml2/composed/Quaternion.h"
#include "neml2/kernels/axis_angle.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM QuaternionOfRot
{
  static constexpr auto name = "Quaternion(Rot)", source = "to_quaternion";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::to_quaternion(a);
  }
};

struct NEML2_ONE_A_PROGRAM QuaternionTimesQuaternion
{
  static constexpr auto name = "Quaternion * Quaternion";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return x * y;
  }
};

struct NEML2_ONE_A_PROGRAM Conjugate
{
  static constexpr auto name = "conjugate";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::conjugate(a);
  }
};

struct NEML2_ONE_A_PROGRAM RotationMatrix
{
  static constexpr auto name = "rotation_matrix";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::rotation_matrix(a);
  }
};

struct NEML2_ONE_A_PROGRAM ToRot
{
  static constexpr auto name = "to_rot";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::to_rot(a);
  }
};
} // namespace tensors

template <class R, std::enable_if_t<std::is_same_v<R, Rot>, int>>
Quaternion::Quaternion(const R & r)
  : Quaternion(engine::evaluate_leaf<Quaternion>(
        tensors::QuaternionOfRot(), composed::quaternion_of_rotation, r))
{
}

NEML2_BODY Quaternion
Quaternion::fill(const Scalar & s, const Scalar & x, const Scalar & y, const Scalar & z)
{
  return core::stack<Quaternion>(core::Operation("Quaternion::fill", core::Accepts::any),
                                 {s, x, y, z});
}

NEML2_BODY Quaternion
Quaternion::identity(const TensorOptions & options)
{
  return fill(1, 0, 0, 0, options);
}

NEML2_BODY Quaternion
Quaternion::fill_matrix(const R2 & R)
{
  return engine::evaluate_leaf<Quaternion>(
      "Quaternion::fill_matrix",
      [](const auto & M) { return kernels::to_quaternion(M); },
      composed::quaternion_of_matrix,
      R);
}

NEML2_BODY Quaternion
Quaternion::axis_angle(const Vec & n, const Scalar & theta)
{
  return engine::evaluate_leaf<Quaternion>(
      "Quaternion::axis_angle",
      [](const auto & axis, const auto & angle)
      { return kernels::axis_angle_quaternion(axis, angle); },
      composed::quaternion_about,
      n,
      theta);
}

NEML2_BODY Quaternion
Quaternion::exp_map(const Vec & w)
{
  return engine::evaluate_leaf<Quaternion>(
      "Quaternion::exp_map",
      packs::Wide([](const auto & a) { return kernels::exp_quaternion(a); }),
      composed::quaternion_exp_map,
      w);
}

template <class A, class B, math::if_types<A, Quaternion, B, Quaternion>>
Quaternion
operator*(const A & q, const B & p)
{
  return engine::evaluate_leaf<Quaternion>(
      tensors::QuaternionTimesQuaternion(), composed::quaternion_product, q, p);
}

NEML2_BODY Quaternion
conjugate(const Quaternion & q)
{
  return engine::evaluate_leaf<Quaternion>(tensors::Conjugate(), composed::quaternion_conjugate, q);
}

NEML2_BODY Quaternion
inv(const Quaternion & q)
{
  return engine::evaluate_leaf<Quaternion>(tensors::Inv(), composed::quaternion_inverse, q);
}

NEML2_BODY Scalar
inner(const Quaternion & q, const Quaternion & p)
{
  return math::inner<Scalar, core::Accepts::numbers>(q, p);
}

NEML2_BODY Scalar
norm_sq(const Quaternion & q)
{
  return math::norm_sq<Scalar, core::Accepts::numbers>(q);
}

NEML2_BODY Scalar
norm(const Quaternion & q, Real epsilon)
{
  return math::norm<Scalar>(q, epsilon);
}

NEML2_BODY Quaternion
unit(const Quaternion & q, Real epsilon)
{
  return math::unit(q, epsilon);
}

NEML2_BODY R2
rotation_matrix(const Quaternion & q)
{
  return engine::evaluate_leaf<R2>(tensors::RotationMatrix(), composed::quaternion_matrix, q);
}

NEML2_BODY Rot
to_rot(const Quaternion & q)
{
  return engine::evaluate_leaf<Rot>(tensors::ToRot(), composed::rotation_of_quaternion, q);
}

NEML2_BODY Vec
rotate(const Vec & v, const Quaternion & q)
{
  return engine::evaluate_leaf<Vec>(tensors::Rotate(), composed::rotate_vector_by_quaternion, v, q);
}

NEML2_BODY Vec
log_map(const Quaternion & q)
{
  return engine::evaluate_leaf<Vec>("log_map",
                                    packs::Wide([](const auto & a) { return kernels::log_map(a); }),
                                    composed::quaternion_log_map,
                                    q);
}

NEML2_BODY Scalar
dist(const Quaternion & p, const Quaternion & q)
{
  return engine::evaluate_leaf<Scalar>(
      "dist",
      packs::Wide([](const auto & a, const auto & b, const auto & e)
                  { return kernels::dist(a, b, e); }),
      composed::quaternion_distance,
      p,
      q,
      16 * core::epsilon_of(p.scalar_type()));
}

NEML2_BODY Quaternion
slerp(const Quaternion & q, const Quaternion & p, const Scalar & t)
{
  return engine::evaluate_leaf<Quaternion>(
      "slerp",
      packs::Wide([](const auto & a, const auto & b, const auto & f)
                  { return kernels::slerp(a, b, f); }),
      composed::slerp,
      q,
      p,
      t);
}

NEML2_BODY R2
Quaternion::rotation_matrix() const
{
  return neml2::rotation_matrix(*this);
}

NEML2_BODY R2
Quaternion::to_R2() const
{
  return neml2::rotation_matrix(*this);
}

NEML2_BODY Rot
Quaternion::to_rot() const
{
  return neml2::to_rot(*this);
}

NEML2_BODY Vec
Quaternion::log_map() const
{
  return neml2::log_map(*this);
}

NEML2_BODY Scalar
Quaternion::angle() const
{
  return engine::evaluate_leaf<Scalar>(
      "Quaternion::angle",
      packs::Wide([](const auto & q) { return kernels::angle(q); }),
      composed::quaternion_angle,
      *this);
}

NEML2_BODY Vec
Quaternion::axis() const
{
  return engine::evaluate_leaf<Vec>(
      "Quaternion::axis",
      [](const auto & q) { return kernels::axis(q); },
      composed::quaternion_axis,
      *this);
}

NEML2_BODY Quaternion
Quaternion::conjugate() const
{
  return neml2::conjugate(*this);
}

NEML2_BODY Quaternion
Quaternion::inverse() const
{
  return neml2::inv(*this);
}

NEML2_BODY Scalar
Quaternion::norm_sq() const
{
  return neml2::norm_sq(*this);
}

NEML2_BODY Scalar
Quaternion::norm() const
{
  return neml2::norm(*this);
}

NEML2_BODY Scalar
Quaternion::dot(const Quaternion & p) const
{
  return neml2::inner(*this, p);
}

NEML2_BODY Scalar
Quaternion::dist(const Quaternion & p) const
{
  return neml2::dist(*this, p);
}
} // namespace neml2
