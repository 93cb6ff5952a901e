// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/matrix_operations-inl.h"

#include "neml2/tensors/matrix_functions.h"

/// Functions of symmetric tensors: bodies of functions that matrix_functions.h declares.
namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM Powm : GainsFromAvx512
{
  static constexpr auto name = "powm";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & n) const
  {
    return kernels::powm(a, n);
  }
};

template <class P>
SR2
dpowm(const SR2 & s, const P & p, const SR2 & e)
{
  return evaluate_leaf<SR2>(
      "dpowm",
      Wide([](const auto & a, const auto & n, const auto & b) { return kernels::dpowm(a, n, b); }),
      composed::isotropic_power_along<P>,
      s,
      p,
      e);
}
template <class P>
SSR4
dpowm(const SR2 & s, const P & p)
{
  return evaluate_leaf<SSR4>(
      "dpowm",
      Wide([](const auto & a, const auto & n) { return kernels::dpowm(a, n); }),
      composed::isotropic_power_derivative<P>,
      s,
      p);
}
} // namespace tensors

NEML2_BODY SR2
expm(const SR2 & s)
{
  return tensors::matrix_leaf(tensors::Expm(), composed::matrix_exp, s);
}

NEML2_BODY SR2
dexpm(const SR2 & s, const SR2 & e)
{
  return tensors::matrix_leaf(tensors::Dexpm(), composed::matrix_exp, s, e);
}

NEML2_BODY SSR4
dexpm(const SR2 & s)
{
  return tensors::matrix_derivative_leaf(tensors::Dexpm(), composed::matrix_exp, s);
}

NEML2_BODY SR2
logm(const SR2 & s)
{
  return tensors::matrix_leaf(tensors::Logm(), composed::matrix_log, s);
}

NEML2_BODY SR2
dlogm(const SR2 & s, const SR2 & e)
{
  return tensors::matrix_leaf(tensors::Dlogm(), composed::matrix_log, s, e);
}

NEML2_BODY SSR4
dlogm(const SR2 & s)
{
  return tensors::matrix_derivative_leaf(tensors::Dlogm(), composed::matrix_log, s);
}

NEML2_BODY SR2
sqrtm(const SR2 & s)
{
  return tensors::matrix_leaf(tensors::Sqrtm(), composed::matrix_sqrt, s);
}

NEML2_BODY SR2
dsqrtm(const SR2 & s, const SR2 & e)
{
  return tensors::matrix_leaf(tensors::Dsqrtm(), composed::matrix_sqrt, s, e);
}

NEML2_BODY SSR4
dsqrtm(const SR2 & s)
{
  return tensors::matrix_derivative_leaf(tensors::Dsqrtm(), composed::matrix_sqrt, s);
}

NEML2_BODY SR2
powm(const SR2 & s, const Scalar & p)
{
  return engine::evaluate_leaf<SR2>(tensors::Powm(), composed::isotropic_power<at::Tensor>, s, p);
}

NEML2_BODY SR2
powm(const SR2 & s, Real p)
{
  return engine::evaluate_leaf<SR2>(tensors::Powm(), composed::isotropic_power<Real>, s, p);
}

NEML2_BODY SR2
dpowm(const SR2 & s, const Scalar & p, const SR2 & e)
{
  return tensors::dpowm(s, p, e);
}

NEML2_BODY SR2
dpowm(const SR2 & s, Real p, const SR2 & e)
{
  return tensors::dpowm(s, p, e);
}

NEML2_BODY SSR4
dpowm(const SR2 & s, const Scalar & p)
{
  return tensors::dpowm(s, p);
}

NEML2_BODY SSR4
dpowm(const SR2 & s, Real p)
{
  return tensors::dpowm(s, p);
}
} // namespace neml2
