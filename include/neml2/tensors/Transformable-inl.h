// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Transformable.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/Transformable.h"

namespace neml2
{
NEML2_BODY R2
transform_from_quaternion(const Quaternion & q)
{
  return rotation_matrix(q);
}

NEML2_BODY R2
identity_transform(const TensorOptions & options)
{
  return R2::identity(options);
}

NEML2_BODY R2
proper_rotation_transform(const Rot & r)
{
  return euler_rodrigues(r);
}

NEML2_BODY R2
improper_rotation_transform(const Rot & r) // R n = n, so that R (1 - 2 n n) = R - 2 n n
{
  return engine::evaluate_leaf<R2>(
      "improper_rotation_transform",
      [](const auto & x) { return kernels::improper_rotation(x); },
      composed::improper_rotation,
      r);
}

NEML2_BODY R2
reflection_transform(const Vec & n)
{
  return engine::evaluate_leaf<R2>(
      "reflection_transform",
      [](const auto & x) { return kernels::reflection(x); },
      composed::reflection,
      n);
}

NEML2_BODY R2
inversion_transform(const TensorOptions & options)
{
  return R2::fill(-1, options);
}
} // namespace neml2
