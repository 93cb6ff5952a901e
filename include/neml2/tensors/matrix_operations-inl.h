// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"
#include "neml2/composed/isotropic_functions.h"
#include "neml2/kernels/isotropic_functions.h"
#include "neml2/kernels/matrix_functions.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"

/// The types of the operations that matrix_functions.h declares. They take an SR2 or an R2.
namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM Expm : GainsFromAvx512
{
  static constexpr auto name = "expm";
  template <class... A>
  NEML2_INLINE auto operator()(const A &... a) const
  {
    return kernels::expm(a...);
  }
};

struct NEML2_ONE_A_PROGRAM Dexpm : GainsFromAvx512
{
  static constexpr auto name = "dexpm";
  template <class... A>
  NEML2_INLINE auto operator()(const A &... a) const
  {
    return kernels::dexpm(a...);
  }
};

struct NEML2_ONE_A_PROGRAM Logm : GainsFromAvx512
{
  static constexpr auto name = "logm";
  template <class... A>
  NEML2_INLINE auto operator()(const A &... a) const
  {
    return kernels::logm(a...);
  }
};

struct NEML2_ONE_A_PROGRAM Dlogm : GainsFromAvx512
{
  static constexpr auto name = "dlogm";
  template <class... A>
  NEML2_INLINE auto operator()(const A &... a) const
  {
    return kernels::dlogm(a...);
  }
};

struct NEML2_ONE_A_PROGRAM Sqrtm : GainsFromAvx512
{
  static constexpr auto name = "sqrtm";
  template <class... A>
  NEML2_INLINE auto operator()(const A &... a) const
  {
    return kernels::sqrtm(a...);
  }
};

struct NEML2_ONE_A_PROGRAM Dsqrtm : GainsFromAvx512
{
  static constexpr auto name = "dsqrtm";
  template <class... A>
  NEML2_INLINE auto operator()(const A &... a) const
  {
    return kernels::dsqrtm(a...);
  }
};

// The functions below evaluate a function of a matrix (SR2 or R2), or its derivative. op has the formula for rows (single
// tensors), and f is the function for batches.

template <class Op, class T>
T
matrix_leaf(const Op & op, composed::MatrixFunction f, const T & A)
{
  const auto batch_body = [&](const at::Tensor & a)
  {
    return std::is_same_v<T, SR2> ? composed::isotropic_function(f, a)
                                  : composed::matrix_function(f, a);
  };
  return evaluate_leaf<T>(op, batch_body, A);
}

/// The derivative at A along E.
template <class Op, class T>
T
matrix_leaf(const Op & op, composed::MatrixFunction f, const T & A, const T & E)
{
  const auto batch_body = [&](const at::Tensor & a, const at::Tensor & e)
  {
    return std::is_same_v<T, SR2> ? composed::isotropic_function_along(f, a, e)
                                  : composed::matrix_function_along(f, a, e);
  };
  return evaluate_leaf<T>(op, batch_body, A, E);
}

/// The derivative with respect to A.
template <class Op, class T>
auto
matrix_derivative_leaf(const Op & op, composed::MatrixFunction f, const T & A)
{
  using Result = std::conditional_t<std::is_same_v<T, SR2>, SSR4, R4>;
  const auto batch_body = [&](const at::Tensor & a)
  {
    return std::is_same_v<T, SR2> ? composed::isotropic_derivative(f, a)
                                  : composed::matrix_derivative(f, a);
  };
  return evaluate_leaf<Result>(op, batch_body, A);
}
} // namespace tensors
} // namespace neml2
