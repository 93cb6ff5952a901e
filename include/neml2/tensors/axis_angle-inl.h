// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"
#include "neml2/composed/axis_angle.h"
#include "neml2/kernels/axis_angle.h"
#include "neml2/tensors/Rot.h"

/// Rotations by axis and angle, and between two directions: bodies of functions that Rot.h declares.
namespace neml2
{
NEML2_BODY Rot
Rot::axis_angle(const Vec & n, const Scalar & theta)
{
  return engine::evaluate_leaf<Rot>(
      "Rot::axis_angle",
      [](const auto & axis, const auto & angle) { return kernels::axis_angle(axis, angle); },
      composed::rotation_about,
      n,
      theta);
}

NEML2_BODY Rot
Rot::from_axis_angle(const Vec & n, const Scalar & theta)
{
  return axis_angle(n, theta);
}

NEML2_BODY Rot
Rot::axis_angle_standard(const Vec & n, const Scalar & theta)
{
  return engine::evaluate_leaf<Rot>(
      "Rot::axis_angle_standard",
      [](const auto & axis, const auto & angle)
      { return kernels::axis_angle_standard(axis, angle); },
      composed::shortest_rotation_about,
      n,
      theta);
}

NEML2_BODY Rot
Rot::from_axis_angle_standard(const Vec & n, const Scalar & theta)
{
  return axis_angle_standard(n, theta);
}

NEML2_BODY Rot
Rot::rotation_from_to(const Vec & a, const Vec & b)
{
  const double tolerance = composed::rounding(a.defined() ? a.scalar_type() : kFloat64);
  return engine::evaluate_leaf<Rot>(
      "Rot::rotation_from_to",
      [=](const auto & from, const auto & to)
      { return kernels::rotation_from_to(from, to, tolerance); },
      composed::rotation_from_to,
      a,
      b);
}

NEML2_BODY Vec
Rot::axis() const
{
  return engine::evaluate_leaf<Vec>(
      "Rot::axis",
      [](const auto & r) { return kernels::axis(r); },
      composed::axis_of_rotation,
      *this);
}

NEML2_BODY Scalar
Rot::angle() const
{
  return engine::evaluate_leaf<Scalar>(
      "Rot::angle",
      [](const auto & r) { return kernels::angle(r); },
      composed::angle_of_rotation,
      *this);
}
} // namespace neml2
