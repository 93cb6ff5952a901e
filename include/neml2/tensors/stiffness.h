// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/TensorBase.h"
#include "neml2/kernels/stiffness.h"
#include "neml2/tensors/fwd.h"

/// Free functions for the elastic stiffnesses of SSR4.h, for use in formulas of vmap. This header also includes the bodies
/// of SSR4's factories.
namespace neml2
{
/// See SSR4::isotropic_E_nu(E, nu). (...; ), (...; ) -> (...; 6, 6)
SSR4 isotropic_E_nu(const Scalar & E, const Scalar & nu);
/// See SSR4::isotropic_K_G(K, G). (...; ), (...; ) -> (...; 6, 6)
SSR4 isotropic_K_G(const Scalar & K, const Scalar & G);
/// See SSR4::isotropic_lambda_mu(lambda, mu). (...; ), (...; ) -> (...; 6, 6)
SSR4 isotropic_lambda_mu(const Scalar & lambda, const Scalar & mu);
/// See SSR4::cubic(C11, C12, C44). (...; ) three times -> (...; 6, 6)
SSR4 cubic(const Scalar & C11, const Scalar & C12, const Scalar & C44);
/// See SSR4::transversely_isotropic(E_p, E_t, nu_p, nu_pt, G_t). (...; ) five times -> (...; 6, 6)
SSR4 transversely_isotropic(const Scalar & E_p,
                            const Scalar & E_t,
                            const Scalar & nu_p,
                            const Scalar & nu_pt,
                            const Scalar & G_t);
/// See SSR4::orthotropic(E1, ..., G23). (...; ) nine times -> (...; 6, 6)
SSR4 orthotropic(const Scalar & E1,
                 const Scalar & E2,
                 const Scalar & E3,
                 const Scalar & nu12,
                 const Scalar & nu13,
                 const Scalar & nu23,
                 const Scalar & G12,
                 const Scalar & G13,
                 const Scalar & G23);

namespace tensors
{
/// Enables an overload for Scalars and numbers, at least one of each.
template <class... V>
using if_scalars_and_numbers =
    std::enable_if_t<((std::is_same_v<V, Scalar> || core::is_number<V>)&&...) &&
                         (std::is_same_v<V, Scalar> || ...) && (core::is_number<V> || ...),
                     int>;
} // namespace tensors

// Overloads for calls in which some of the moduli are numbers.
template <class... V, tensors::if_scalars_and_numbers<V...> = 0>
SSR4
isotropic_E_nu(const V &... v)
{
  return SSR4::isotropic_E_nu(v...);
}
template <class... V, tensors::if_scalars_and_numbers<V...> = 0>
SSR4
isotropic_K_G(const V &... v)
{
  return SSR4::isotropic_K_G(v...);
}
template <class... V, tensors::if_scalars_and_numbers<V...> = 0>
SSR4
isotropic_lambda_mu(const V &... v)
{
  return SSR4::isotropic_lambda_mu(v...);
}
template <class... V, tensors::if_scalars_and_numbers<V...> = 0>
SSR4
cubic(const V &... v)
{
  return SSR4::cubic(v...);
}
template <class... V, tensors::if_scalars_and_numbers<V...> = 0>
SSR4
transversely_isotropic(const V &... v)
{
  return SSR4::transversely_isotropic(v...);
}
template <class... V, tensors::if_scalars_and_numbers<V...> = 0>
SSR4
orthotropic(const V &... v)
{
  return SSR4::orthotropic(v...);
}
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/SSR4.h"
#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/stiffness-inl.h"
#endif
