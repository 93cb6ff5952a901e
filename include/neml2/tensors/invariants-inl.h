// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/invariants.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/invariants.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM I2
{
  static constexpr auto name = "I2";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::I2(a);
  }
};

struct NEML2_ONE_A_PROGRAM J2
{
  static constexpr auto name = "J2";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::J2(a);
  }
};

struct NEML2_ONE_A_PROGRAM J3
{
  static constexpr auto name = "J3";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::J3(a);
  }
};

struct NEML2_ONE_A_PROGRAM Hydrostatic
{
  static constexpr auto name = "hydrostatic";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::hydrostatic(a);
  }
};

struct NEML2_ONE_A_PROGRAM VonMises
{
  static constexpr auto name = "von_mises";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::von_mises(a);
  }
};

struct NEML2_ONE_A_PROGRAM Triaxiality
{
  static constexpr auto name = "triaxiality";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::triaxiality(a);
  }
};

struct NEML2_ONE_A_PROGRAM LodeAngle
{
  static constexpr auto name = "lode_angle";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::lode_angle(a);
  }
};
} // namespace tensors

NEML2_BODY Scalar
I1(const SR2 & s)
{
  return tr(s);
}

NEML2_BODY Scalar
I2(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar>(tensors::I2(), composed::I2, s);
}

NEML2_BODY Scalar
I3(const SR2 & s)
{
  return det(s);
}

NEML2_BODY Scalar
J2(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar>(tensors::J2(), composed::J2, s);
}

NEML2_BODY Scalar
J3(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar>(tensors::J3(), composed::J3, s);
}

NEML2_BODY Scalar
hydrostatic(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar>(tensors::Hydrostatic(), composed::hydrostatic, s);
}

NEML2_BODY Scalar
von_mises(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar>(tensors::VonMises(), composed::von_mises, s);
}

NEML2_BODY Scalar
triaxiality(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar>(tensors::Triaxiality(), composed::triaxiality, s);
}

NEML2_BODY Scalar
lode_angle(const SR2 & s)
{
  return engine::evaluate_leaf<Scalar>(tensors::LodeAngle(), composed::lode_angle, s);
}
} // namespace neml2
