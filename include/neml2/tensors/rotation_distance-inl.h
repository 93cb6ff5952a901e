// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"
#include "neml2/composed/rotation_distance.h"
#include "neml2/kernels/rotation_distance.h"
#include "neml2/tensors/Rot.h"

/// Angles between rotations, and the two parameter vectors of each rotation: bodies of functions that Rot.h declares.
namespace neml2
{
NEML2_BODY Rot
shadow(const Rot & r)
{
  return engine::evaluate_leaf<Rot>(
      "shadow", [](const auto & a) { return kernels::shadow(a); }, composed::shadow, r);
}

NEML2_BODY R2
dshadow(const Rot & r)
{
  return engine::evaluate_leaf<R2>(
      "dshadow",
      [](const auto & a) { return kernels::dshadow(a); },
      composed::shadow_derivative,
      r);
}

NEML2_BODY Scalar
gdist(const Rot & a, const Rot & b)
{
  return engine::evaluate_leaf<Scalar>(
      "gdist",
      packs::Wide([](const auto & x, const auto & y) { return kernels::gdist(x, y); }),
      composed::angle_between_parameters,
      a,
      b);
}

NEML2_BODY Scalar
dist(const Rot & a, const Rot & b)
{
  return engine::evaluate_leaf<Scalar>(
      "dist",
      packs::Wide([](const auto & x, const auto & y) { return kernels::dist(x, y); }),
      composed::angle_between_rotations,
      a,
      b);
}

NEML2_BODY Scalar
dV(const Rot & r)
{
  return engine::composed<Scalar>("dV", composed::rotation_volume, r);
}

NEML2_BODY Rot
Rot::shadow() const
{
  return neml2::shadow(*this);
}

NEML2_BODY R2
Rot::dshadow() const
{
  return neml2::dshadow(*this);
}

NEML2_BODY Scalar
Rot::gdist(const Rot & q) const
{
  return neml2::gdist(*this, q);
}

NEML2_BODY Scalar
Rot::dist(const Rot & q) const
{
  return neml2::dist(*this, q);
}

NEML2_BODY Scalar
Rot::dV() const
{
  return neml2::dV(*this);
}
} // namespace neml2
