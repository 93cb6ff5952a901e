// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SR2.h"
#include "neml2/composed/matrix_functions.h"

/// Functions of symmetric tensors in Mandel components, computed by LibTorch calls and by the functions of matrix_functions.h.
namespace neml2::composed
{
/// f(s). (..., 6) -> (..., 6)
inline at::Tensor
isotropic_function(MatrixFunction f, const at::Tensor & s)
{
  return sym(matrix_function(f, full(s)));
}

/// The derivative of f at s along e. (..., 6), (..., 6) -> (..., 6)
inline at::Tensor
isotropic_function_along(MatrixFunction f, const at::Tensor & s, const at::Tensor & e)
{
  return sym(matrix_function_along(f, full(s), full(e)));
}

/// The derivative of f with respect to s; it is a symmetric matrix. (..., 6) -> (..., 6, 6)
inline at::Tensor
isotropic_derivative(MatrixFunction f, const at::Tensor & s)
{
  return isotropic_function_along(f, s.unsqueeze(-2), at::eye(6, s.options().requires_grad(false)));
}

/// The function A -> A^p, with one p for all matrices, or with one p per matrix. `dims` dimensions of size 1 are appended to a tensor p.
inline auto
to_the_power(double p, Size)
{
  return [p](const at::Tensor & A, Size n) { return matrix_power(A, n, p); };
}
inline auto
to_the_power(const at::Tensor & p, Size dims)
{
  return [x = append_dims(p, dims)](const at::Tensor & A, Size n) { return matrix_power(A, n, x); };
}

/// s^p for a number or a tensor p. (..., 6), (...) -> (..., 6)
template <class P>
at::Tensor
isotropic_power(const at::Tensor & s, const P & p)
{
  return isotropic_function(to_the_power(p, 0), s);
}

/// The derivative of s^p along e. (..., 6), (...), (..., 6) -> (..., 6)
template <class P>
at::Tensor
isotropic_power_along(const at::Tensor & s, const P & p, const at::Tensor & e)
{
  return isotropic_function_along(to_the_power(p, 0), s, e);
}

/// The derivative of s^p with respect to s. (..., 6), (...) -> (..., 6, 6)
template <class P>
at::Tensor
isotropic_power_derivative(const at::Tensor & s, const P & p)
{
  return isotropic_derivative(to_the_power(p, 1), s);
}
} // namespace neml2::composed
