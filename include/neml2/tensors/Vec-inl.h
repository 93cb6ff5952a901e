// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Vec.h"

#include "neml2/engine/evaluate.h"
#include "neml2/math/Components.h"
#include "neml2/tensors/operations.h"
#include "neml2/composed/Vec.h"
#include "neml2/kernels/drotate.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM Cross
{
  static constexpr auto name = "cross";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return kernels::cross(a, b);
  }
};

struct NEML2_ONE_A_PROGRAM SelfOuter
{
  static constexpr auto name = "self_outer";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::self_outer(a);
  }
};
} // namespace tensors

NEML2_BODY Vec
Vec::fill(const Scalar & v0, const Scalar & v1, const Scalar & v2)
{
  return core::stack<Vec>(core::Operation("Vec::fill", core::Accepts::any), {v0, v1, v2});
}

NEML2_BODY R2
Vec::identity_map(const TensorOptions & options)
{
  return R2::identity(options);
}

NEML2_BODY Scalar
norm_sq(const Vec & v)
{
  return math::norm_sq<Scalar, core::Accepts::numbers>(v);
}

NEML2_BODY Scalar
norm(const Vec & v, Real epsilon)
{
  return math::norm<Scalar>(v, epsilon);
}

NEML2_BODY Vec
unit(const Vec & v, Real epsilon)
{
  return math::unit(v, epsilon);
}

NEML2_BODY Scalar
inner(const Vec & v, const Vec & w)
{
  return math::inner<Scalar, core::Accepts::numbers>(v, w);
}

NEML2_BODY Scalar
vdot(const Vec & v, const Vec & w)
{
  return inner(v, w);
}

NEML2_BODY Vec
cross(const Vec & v, const Vec & w)
{
  return engine::evaluate_leaf<Vec, core::Accepts::numbers>(
      tensors::Cross(), composed::cross_last, v, w);
}

NEML2_BODY R2
outer(const Vec & v, const Vec & w)
{
  return engine::evaluate_leaf<R2, core::Accepts::numbers>(
      tensors::Outer(), composed::outer_last, v, w);
}

NEML2_BODY R2
outer(const Vec & v)
{
  return outer(v, v);
}

template <class A, class B, tensors::if_vectors<A, B>>
Vec
cross(const A & v, const B & w)
{
  return cross(Vec(v), Vec(w));
}

template <class A, class B, tensors::if_vectors<A, B>>
R2
outer(const A & v, const B & w)
{
  return outer(Vec(v), Vec(w));
}

NEML2_BODY SR2
self_outer(const Vec & v)
{
  return engine::evaluate_leaf<SR2>(tensors::SelfOuter(), composed::self_outer, v);
}

NEML2_BODY Scalar
Vec::norm_sq() const
{
  return neml2::norm_sq(*this);
}

NEML2_BODY Scalar
Vec::norm() const
{
  return neml2::norm(*this);
}

NEML2_BODY Scalar
Vec::dot(const Vec & w) const
{
  return neml2::inner(*this, w);
}

NEML2_BODY Vec
Vec::cross(const Vec & w) const
{
  return neml2::cross(*this, w);
}

NEML2_BODY R2
Vec::outer(const Vec & w) const
{
  return neml2::outer(*this, w);
}

NEML2_BODY SR2
Vec::self_outer() const
{
  return neml2::self_outer(*this);
}

NEML2_BODY Vec
rotate(const Vec & v, const R2 & R)
{
  return R * v;
}

NEML2_BODY Vec
rotate(const Vec & v, const Rot & r)
{
  return engine::evaluate_leaf<Vec>(tensors::Rotate(), composed::rotate_vector_by_parameters, v, r);
}

NEML2_BODY R3
drotate(const Vec & v, const R2 & R)
{
  return engine::evaluate_leaf<R3>(
      core::Operation("drotate", core::Accepts::numbers),
      [](const auto & a, const auto & b) { return kernels::drotate(a, b); },
      composed::drotate_vector,
      v,
      R);
}

NEML2_BODY R2
drotate(const Vec & v, const Rot & r)
{
  return engine::evaluate_leaf<R2>(
      "drotate",
      [](const auto & a, const auto & b) { return kernels::drotate(a, b); },
      composed::drotate_vector_by_parameters,
      v,
      r);
}

NEML2_BODY Vec
transform(const Vec & v, const R2 & T)
{
  return T * v;
}

NEML2_BODY Vec
Vec::rotate(const R2 & R) const
{
  return neml2::rotate(*this, R);
}

NEML2_BODY R3
Vec::drotate(const R2 & R) const
{
  return neml2::drotate(*this, R);
}

NEML2_BODY R2
Vec::drotate(const Rot & r) const
{
  return neml2::drotate(*this, r);
}

NEML2_BODY Vec
Vec::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

NEML2_BODY Vec
Vec::transform(const R2 & T) const
{
  return neml2::transform(*this, T);
}
namespace linalg
{
NEML2_BODY Vec
cross(const Vec & v, const Vec & w)
{
  return neml2::cross(v, w);
}

NEML2_BODY R2
outer(const Vec & v, const Vec & w)
{
  return neml2::outer(v, w);
}
} // namespace linalg
} // namespace neml2
