// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/spectral.h"
#include "neml2/kernels/invariants.h"

/// Invariants of symmetric tensors, computed by LibTorch calls.
namespace neml2::composed
{
/// The deviator, as in kernels::dev_of_differences. (..., 6) -> (..., 6)
inline at::Tensor
dev_of_differences(const at::Tensor & s)
{
  const at::Tensor a = s.select(-1, 0), b = s.select(-1, 1), c = s.select(-1, 2);
  const at::Tensor x = a - b, y = b - c, z = c - a;
  return at::cat({at::stack({x - z, y - x, z - y}, -1) / 3, s.slice(-1, 3, 6)}, -1);
}

/// (s_ii s_jj - s_ij s_ij) / 2. (..., 6) -> (...)
inline at::Tensor
I2(const at::Tensor & s)
{
  const at::Tensor x = s.select(-1, 0), y = s.select(-1, 1), z = s.select(-1, 2);
  const at::Tensor shear = s.slice(-1, 3, 6);
  return x * y + y * z + z * x - 0.5 * (shear * shear).sum(-1);
}

/// d_ij d_ij / 2 of the deviator d. (..., 6) -> (...)
inline at::Tensor
J2(const at::Tensor & s)
{
  const at::Tensor d = dev_of_differences(s);
  return (d * d).sum(-1) * 0.5;
}

/// det d of the deviator d. (..., 6) -> (...)
inline at::Tensor
J3(const at::Tensor & s)
{
  return composed::det(full(dev_of_differences(s)));
}

/// s_kk / 3. (..., 6) -> (...)
inline at::Tensor
hydrostatic(const at::Tensor & s)
{
  return s.slice(-1, 0, 3).mean(-1);
}

/// √(3/2 d_ij d_ij) of the deviator d. (..., 6) -> (...)
inline at::Tensor
von_mises(const at::Tensor & s)
{
  const at::Tensor d = dev_of_differences(s);
  return at::linalg_vector_norm(d, 2, at::IntArrayRef(-1)) * kernels::sqrt_of_3_halves;
}

/// Hydrostatic stress divided by von Mises stress. (..., 6) -> (...)
inline at::Tensor
triaxiality(const at::Tensor & s)
{
  return hydrostatic(s) / von_mises(s);
}

/// The angle θ with tan θ = √3 (λ_1 - λ_0) / (2 λ_2 - λ_1 - λ_0); 0 where the quotient is 0 / 0. (..., 6) -> (...)
inline at::Tensor
lode_angle(const at::Tensor & s)
{
  const at::Tensor l = eigenvalues(s);
  const at::Tensor first = l.select(-1, 0), second = l.select(-1, 1), third = l.select(-1, 2);
  const at::Tensor x = (third - second) + (third - first);
  const at::Tensor is_zero = x.eq(0), y = (second - first).masked_fill(is_zero, 0);
  return (kernels::sqrt3 * y / x.masked_fill(is_zero, 1)).atan();
}
} // namespace neml2::composed
