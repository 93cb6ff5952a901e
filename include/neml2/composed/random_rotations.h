// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Quaternion.h"

/// Uniformly distributed rotations, computed by LibTorch calls.
namespace neml2::composed
{
/// The unit quaternion of a random rotation, from three random numbers in [0, 1). (..., 3) -> (..., 4)
inline at::Tensor
quaternion_of_uniform(const at::Tensor & u)
{
  const at::Tensor t = u.select(-1, 0);
  const at::Tensor x = 2 * pi * u.select(-1, 1), y = 2 * pi * u.select(-1, 2);
  const at::Tensor p = (1 - t).sqrt(), q = t.sqrt();
  return at::stack({p * x.sin(), p * x.cos(), q * y.sin(), q * y.cos()}, -1);
}
} // namespace neml2::composed
