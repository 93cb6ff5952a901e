// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SSR4.h"

namespace neml2::kernels
{
/// C1 on the diagonal of the normal components, C2 between normal components, C3 on the diagonal of the shear components.
template <class T>
NEML2_INLINE constexpr SSR4<T>
fill_C1_C2_C3(const T & C1, const T & C2, const T & C3)
{
  SSR4<T> r;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
  {
    NEML2_UNROLL
    for (int j = 0; j < 3; j++)
      r(i, j) = C2;
    r(i, i) = C1;
    r(i + 3, i + 3) = C3;
  }
  return r;
}

/// Isotropic stiffness from Young's modulus and Poisson's ratio.
template <class A, class B>
NEML2_INLINE constexpr SSR4<product_t<A, B>>
isotropic_E_nu(const A & E, const B & nu)
{
  using T = product_t<A, B>;
  const T p = T(E / ((1.0 + nu) * (1.0 - 2.0 * nu)));
  return fill_C1_C2_C3<T>(T((1.0 - nu) * p), nu * p, T((1.0 - 2.0 * nu) * p));
}

/// Isotropic stiffness from bulk and shear modulus.
template <class A, class B>
NEML2_INLINE constexpr SSR4<sum_t<A, B>>
isotropic_K_G(const A & K, const B & G)
{
  using T = sum_t<A, B>;
  const T g = T(2.0 * G), l = T(K - g * (1.0 / 3.0));
  return fill_C1_C2_C3<T>(T(l + g), l, g);
}

/// Isotropic stiffness from Lamé's parameters.
template <class A, class B>
NEML2_INLINE constexpr SSR4<sum_t<A, B>>
isotropic_lambda_mu(const A & lambda, const B & mu)
{
  using T = sum_t<A, B>;
  const T g = T(2.0 * mu);
  return fill_C1_C2_C3<T>(T(lambda + g), T(lambda), g);
}

/// Cubic stiffness in the axes of the crystal.
template <class A, class B, class C>
NEML2_INLINE constexpr SSR4<sum_t<A, sum_t<B, C>>>
cubic(const A & C11, const B & C12, const C & C44)
{
  using T = sum_t<A, sum_t<B, C>>;
  return fill_C1_C2_C3<T>(T(C11), T(C12), T(2.0 * C44));
}

/// Orthotropic stiffness from E1, E2, E3, ν12, ν13, ν23, G12, G13, G23, all of one type.
template <class T>
NEML2_INLINE constexpr SSR4<T>
orthotropic_of(const T (&x)[9])
{
  const T &E1 = x[0], &E2 = x[1], &E3 = x[2], &nu12 = x[3], &nu13 = x[4], &nu23 = x[5];
  const T i1 = T(1.0 / E1), E31 = E3 * i1, nu1223 = nu12 * nu23, nu1213 = nu12 * nu13;
  const T a = nu12 * nu12 * E2 * i1, b = nu13 * nu13 * E31, c = T(nu23 * nu23 * E3 / E2);
  const T d = T(1.0 / (1.0 - a - b - c - 2.0 * nu1223 * nu13 * E31));
  SSR4<T> r;
  r(0, 0) = E1 * (1.0 - c) * d;
  r(1, 1) = E2 * (1.0 - b) * d;
  r(2, 2) = E3 * (1.0 - a) * d;
  r(0, 1) = (nu12 * E2 + nu13 * nu23 * E3) * d;
  r(0, 2) = E3 * (nu13 + nu1223) * d;
  r(1, 2) = E3 * (nu23 + nu1213 * E2 * i1) * d;
  r(1, 0) = r(0, 1);
  r(2, 0) = r(0, 2);
  r(2, 1) = r(1, 2);
  r(3, 3) = 2.0 * x[8];
  r(4, 4) = 2.0 * x[7];
  r(5, 5) = 2.0 * x[6];
  return r;
}

/// Orthotropic stiffness from E1, E2, E3, ν12, ν13, ν23, G12, G13, G23.
template <class... N, std::enable_if_t<sizeof...(N) == 9, int> = 0>
NEML2_INLINE constexpr auto
orthotropic(const N &... constants)
{
  using T = std::decay_t<decltype((... + constants))>;
  const T x[9] = {T(constants)...};
  return orthotropic_of(x);
}

/// Transversely isotropic stiffness about axis 3; p marks the plane of isotropy, t the direction normal to it.
template <class A, class B, class C, class D, class E>
NEML2_INLINE constexpr auto
transversely_isotropic(const A & E_p, const B & E_t, const C & nu_p, const D & nu_pt, const E & G_t)
{
  return orthotropic(E_p, E_p, E_t, nu_p, nu_pt, nu_pt, E_p * (0.5 / (1.0 + nu_p)), G_t, G_t);
}
} // namespace neml2::kernels
