// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/stiffness.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/stiffness.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM SSR4FillC1C2C3 : GainsFromAvx512
{
  static constexpr auto name = "SSR4::fill_C1_C2_C3";
  template <class A, class B, class C>
  NEML2_INLINE auto operator()(const A & a, const B & b, const C & c) const
  {
    return kernels::fill_C1_C2_C3(a, b, c);
  }
};

struct NEML2_ONE_A_PROGRAM SSR4IsotropicENu : GainsFromAvx512
{
  static constexpr auto name = "SSR4::isotropic_E_nu";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & e, const B & v) const
  {
    return kernels::isotropic_E_nu(e, v);
  }
};

struct NEML2_ONE_A_PROGRAM SSR4IsotropicKG : GainsFromAvx512
{
  static constexpr auto name = "SSR4::isotropic_K_G";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return kernels::isotropic_K_G(a, b);
  }
};

struct NEML2_ONE_A_PROGRAM SSR4IsotropicLambdaMu : GainsFromAvx512
{
  static constexpr auto name = "SSR4::isotropic_lambda_mu";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return kernels::isotropic_lambda_mu(a, b);
  }
};

struct NEML2_ONE_A_PROGRAM SSR4Cubic : GainsFromAvx512
{
  static constexpr auto name = "SSR4::cubic";
  template <class A, class B, class C>
  NEML2_INLINE auto operator()(const A & a, const B & b, const C & c) const
  {
    return kernels::cubic(a, b, c);
  }
};
} // namespace tensors

NEML2_BODY SSR4
SSR4::fill_C1_C2_C3(const CScalar & C1,
                    const CScalar & C2,
                    const CScalar & C3,
                    const TensorOptions & options)
{
  const CScalar o(0);
  return from_values({C1, C2, C2, o,  o, o, C2, C1, C2, o, o,  o, C2, C2, C1, o, o, o,
                      o,  o,  o,  C3, o, o, o,  o,  o,  o, C3, o, o,  o,  o,  o, o, C3},
                     options);
}

namespace tensors
{
/// Calls f with Scalars that are made from plain numbers.
template <class F, class... Numbers>
SSR4
stiffness_of_numbers(const F & f, const TensorOptions & options, const Numbers &... numbers)
{
  const auto plain = options.requires_grad(false);
  SSR4 C = f(Scalar(numbers, plain)...);
  C.set_requires_grad(options.requires_grad());
  return C;
}
} // namespace tensors

NEML2_BODY SSR4
SSR4::fill_C1_C2_C3(const Scalar & C1, const Scalar & C2, const Scalar & C3)
{
  return engine::evaluate_leaf<SSR4, core::Accepts::numbers>(
      tensors::SSR4FillC1C2C3(), composed::fill_C1_C2_C3, C1, C2, C3);
}

NEML2_BODY SSR4
SSR4::isotropic_E_nu(const Scalar & E, const Scalar & nu)
{
  return engine::evaluate_leaf<SSR4>(tensors::SSR4IsotropicENu(), composed::isotropic_E_nu, E, nu);
}

NEML2_BODY SSR4
SSR4::isotropic_K_G(const Scalar & K, const Scalar & G)
{
  return engine::evaluate_leaf<SSR4>(tensors::SSR4IsotropicKG(), composed::isotropic_K_G, K, G);
}

NEML2_BODY SSR4
SSR4::isotropic_lambda_mu(const Scalar & lambda, const Scalar & mu)
{
  return engine::evaluate_leaf<SSR4>(
      tensors::SSR4IsotropicLambdaMu(), composed::isotropic_lambda_mu, lambda, mu);
}

NEML2_BODY SSR4
SSR4::cubic(const Scalar & C11, const Scalar & C12, const Scalar & C44)
{
  return engine::evaluate_leaf<SSR4>(tensors::SSR4Cubic(), composed::cubic, C11, C12, C44);
}

NEML2_BODY SSR4
SSR4::transversely_isotropic(const Scalar & E_p,
                             const Scalar & E_t,
                             const Scalar & nu_p,
                             const Scalar & nu_pt,
                             const Scalar & G_t)
{
  return engine::evaluate_leaf<SSR4>(
      "SSR4::transversely_isotropic",
      packs::Wide([](const auto &... a) { return kernels::transversely_isotropic(a...); }),
      composed::transversely_isotropic,
      E_p,
      E_t,
      nu_p,
      nu_pt,
      G_t);
}

NEML2_BODY SSR4
SSR4::orthotropic(const Scalar & E1,
                  const Scalar & E2,
                  const Scalar & E3,
                  const Scalar & nu12,
                  const Scalar & nu13,
                  const Scalar & nu23,
                  const Scalar & G12,
                  const Scalar & G13,
                  const Scalar & G23)
{
  return engine::evaluate_leaf<SSR4>(
      "SSR4::orthotropic",
      packs::Wide([](const auto &... a) { return kernels::orthotropic(a...); }),
      composed::orthotropic,
      E1,
      E2,
      E3,
      nu12,
      nu13,
      nu23,
      G12,
      G13,
      G23);
}

NEML2_BODY SSR4
isotropic_E_nu(const Scalar & E, const Scalar & nu)
{
  return SSR4::isotropic_E_nu(E, nu);
}

NEML2_BODY SSR4
SSR4::isotropic_E_nu(const CScalar & E, const CScalar & nu, const TensorOptions & options)
{
  return tensors::stiffness_of_numbers(
      [](const auto &... s) { return SSR4::isotropic_E_nu(s...); }, options, E, nu);
}

NEML2_BODY SSR4
isotropic_K_G(const Scalar & K, const Scalar & G)
{
  return SSR4::isotropic_K_G(K, G);
}

NEML2_BODY SSR4
SSR4::isotropic_K_G(const CScalar & K, const CScalar & G, const TensorOptions & options)
{
  return tensors::stiffness_of_numbers(
      [](const auto &... s) { return SSR4::isotropic_K_G(s...); }, options, K, G);
}

NEML2_BODY SSR4
isotropic_lambda_mu(const Scalar & lambda, const Scalar & mu)
{
  return SSR4::isotropic_lambda_mu(lambda, mu);
}

NEML2_BODY SSR4
SSR4::isotropic_lambda_mu(const CScalar & lambda, const CScalar & mu, const TensorOptions & options)
{
  return tensors::stiffness_of_numbers(
      [](const auto &... s) { return SSR4::isotropic_lambda_mu(s...); }, options, lambda, mu);
}

NEML2_BODY SSR4
cubic(const Scalar & C11, const Scalar & C12, const Scalar & C44)
{
  return SSR4::cubic(C11, C12, C44);
}

NEML2_BODY SSR4
SSR4::cubic(const CScalar & C11,
            const CScalar & C12,
            const CScalar & C44,
            const TensorOptions & options)
{
  return tensors::stiffness_of_numbers(
      [](const auto &... s) { return SSR4::cubic(s...); }, options, C11, C12, C44);
}

NEML2_BODY SSR4
transversely_isotropic(const Scalar & E_p,
                       const Scalar & E_t,
                       const Scalar & nu_p,
                       const Scalar & nu_pt,
                       const Scalar & G_t)
{
  return SSR4::transversely_isotropic(E_p, E_t, nu_p, nu_pt, G_t);
}

NEML2_BODY SSR4
SSR4::transversely_isotropic(const CScalar & E_p,
                             const CScalar & E_t,
                             const CScalar & nu_p,
                             const CScalar & nu_pt,
                             const CScalar & G_t,
                             const TensorOptions & options)
{
  return tensors::stiffness_of_numbers([](const auto &... s)
                                       { return SSR4::transversely_isotropic(s...); },
                                       options,
                                       E_p,
                                       E_t,
                                       nu_p,
                                       nu_pt,
                                       G_t);
}

NEML2_BODY SSR4
orthotropic(const Scalar & E1,
            const Scalar & E2,
            const Scalar & E3,
            const Scalar & nu12,
            const Scalar & nu13,
            const Scalar & nu23,
            const Scalar & G12,
            const Scalar & G13,
            const Scalar & G23)
{
  return SSR4::orthotropic(E1, E2, E3, nu12, nu13, nu23, G12, G13, G23);
}

NEML2_BODY SSR4
SSR4::orthotropic(const CScalar & E1,
                  const CScalar & E2,
                  const CScalar & E3,
                  const CScalar & nu12,
                  const CScalar & nu13,
                  const CScalar & nu23,
                  const CScalar & G12,
                  const CScalar & G13,
                  const CScalar & G23,
                  const TensorOptions & options)
{
  return tensors::stiffness_of_numbers([](const auto &... s) { return SSR4::orthotropic(s...); },
                                       options,
                                       E1,
                                       E2,
                                       E3,
                                       nu12,
                                       nu13,
                                       nu23,
                                       G12,
                                       G13,
                                       G23);
}
} // namespace neml2
