// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/euler_angles.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/euler_angles.h"
#include "neml2/kernels/euler_angles.h"

#include <optional>

/// Rotations by Euler angles: bodies of functions that Rot.h and euler_angles.h declare.
namespace neml2
{
namespace tensors
{
using kernels::EulerConvention;

/// The axes that a name of three letters, such as "ZXZ" or "xyz", stands for; nullopt for any other name.
NEML2_BODY std::optional<kernels::EulerSequence>
euler_sequence(const std::string & name)
{
  for (const char first : {'x', 'X'})
  {
    kernels::EulerSequence s{{}, first == 'X'};
    bool fits = name.size() == 3;
    for (size_t n = 0; n < 3 && fits; n++)
    {
      s.axis[n] = name[n] - first;
      fits = s.axis[n] >= 0 && s.axis[n] < 3 && (n == 0 || s.axis[n] != s.axis[n - 1]);
    }
    if (fits)
      return s;
  }
  return std::nullopt;
}

NEML2_BODY EulerConvention
euler_convention(const char * where, const std::string & name, bool sequences = true)
{
  if (name == "kocks")
    return EulerConvention::kocks;
  if (name == "bunge")
    return EulerConvention::bunge;
  if (name == "roe")
    return EulerConvention::roe;
  fail(
      where,
      ": unknown convention of Euler angles '",
      name,
      "'. Expected \"kocks\", \"bunge\" or \"roe\"",
      sequences
          ? ", or three axes, with adjacent letters different: \"ZXZ\" for axes that turn with the "
            "body, \"zxz\" for fixed axes."
          : ".");
}

/// The size of a unit of angles, "degrees" or "radians", in radians.
NEML2_BODY double
angle_unit(const char * where, const std::string & name)
{
  if (name == "radians")
    return 1;
  if (name == "degrees")
    return pi / 180;
  fail(where, ": unknown type of angles '", name, "'. Expected \"degrees\" or \"radians\".");
}
} // namespace tensors

NEML2_BODY Rot
Rot::fill_euler_angles(const Vec & angles, const std::string & convention, const std::string & type)
{
  const core::Operation op("Rot::fill_euler_angles");
  const double unit = tensors::angle_unit(op.name, type);
  if (const auto s = tensors::euler_sequence(convention))
    return engine::evaluate_leaf<Rot>(
        op,
        [s = *s, unit](const auto & x) { return kernels::rotation_of_sequence(x * unit, s); },
        [s = *s, unit](const at::Tensor & x)
        { return composed::rotation_of_sequence(x * unit, s); },
        angles);
  const auto from = tensors::euler_convention(op.name, convention);
  return engine::evaluate_leaf<Rot>(
      op,
      packs::Wide([=](const auto & x)
                  { return kernels::rotation_of_kocks(kernels::to_kocks(x * unit, from)); }),
      [=](const at::Tensor & x) { return composed::rotation_of_euler_angles(x, from, unit); },
      angles);
}

NEML2_BODY Vec
Rot::to_euler_angles(const std::string & convention, const std::string & type) const
{
  const core::Operation op("Rot::to_euler_angles");
  const double unit = tensors::angle_unit(op.name, type);
  const double tolerance = composed::rounding(defined() ? scalar_type() : kFloat64);
  if (const auto s = tensors::euler_sequence(convention))
    return engine::evaluate_leaf<Vec>(
        op,
        [s = *s, unit, tolerance](const auto & r)
        { return kernels::sequence_of_rotation(r, s, tolerance) / unit; },
        [s = *s, unit](const at::Tensor & r)
        { return composed::sequence_of_rotation(r, s) / unit; },
        *this);
  const auto to = tensors::euler_convention(op.name, convention);
  return engine::evaluate_leaf<Vec>(
      op,
      packs::Wide(
          [=](const auto & r)
          { return kernels::from_kocks(kernels::kocks_of_rotation(r, tolerance), to) / unit; }),
      [=](const at::Tensor & r) { return composed::euler_angles_of_rotation(r, to, unit); },
      *this);
}

NEML2_BODY Vec
convert_euler_angles_from_kocks(const Vec & kocks, const std::string & convention)
{
  const core::Operation op("convert_euler_angles_from_kocks");
  const auto to = tensors::euler_convention(op.name, convention, /*sequences=*/false);
  return engine::evaluate_leaf<Vec>(
      op,
      [=](const auto & x) { return kernels::from_kocks(x, to); },
      [=](const at::Tensor & x) { return composed::from_kocks(x, to); },
      kocks);
}
} // namespace neml2
