// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/equivalent_stresses.h"
#include "neml2/math/operators.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/isotropic.h"

/**
 * Equivalent stresses of anisotropic metals, of polymers, soils and rock, beside von_mises: functions of a stress, homogeneous of
 * degree one, from which yield functions and flow rules are built. Their gradients are the directions of associated flow.
 *
 *     constexpr auto equivalent = [](const auto & stress, const auto & exponent) { return hosford(stress, exponent); };
 *     const SR2 direction = gradient<0>(equivalent, stress, 8.0);
 *
 * Tension is positive. Anisotropic equivalent stresses take the components s_ij in the axes of the material: for a sheet axis 0 is the
 * direction of rolling, 1 the transverse one, 2 the normal. The coefficients of shear are in the order of Mandel components: yz, zx, xy,
 * which are s_12, s_02, s_01.
 *
 * In formulas the first and the second derivative are exact, also at equal principal stresses. Where the deviator is zero, value and
 * derivatives are those of the part that depends on the pressure alone. Exponents may be large: powers are taken of ratios up to 1.
 */
namespace neml2
{
namespace tensors
{
/// SR2::fill, of batches and in formulas.
struct FillSR2
{
  template <class... T>
  auto operator()(const T &... components) const
  {
    return SR2::fill(components...);
  }
};
} // namespace tensors

/**
 * Hill's quadratic equivalent stress of 1948,
 * √(F (s_11 - s_22)² + G (s_22 - s_00)² + H (s_00 - s_11)² + 2 L s_12² + 2 M s_02² + 2 N s_01²). (...; 6), (...; ) of each parameter ->
 * (...; ), in the unit of s. The parameters are a group of six numbers or Scalars, such as std::tuple(F, G, H, L, M, N), or those of
 * hill_parameters. It is von_mises for F = G = H = 1/2, L = M = N = 3/2.
 *
 * Source: Hill (1948), Proc. R. Soc. Lond. A 193, 281-297.
 */
template <class P>
auto
hill(const SR2 & s, const P & parameters)
{
  return vmap(kernels::Hill(), s, parameters);
}

/**
 * The parameters F, G, H, L, M, N of hill for a sheet, as a std::tuple of numbers or Scalars, from its r-values r0, r45 and r90 in tension
 * at these angles to the direction of rolling. An r-value is the strain across the width over that through the thickness. The equivalent
 * stress of tension along the direction of rolling is that tension: G + H = 1. Tests of the sheet do not determine L and M: they are 3/2,
 * as for an isotropic material.
 *
 * Source: Hill (1948), Proc. R. Soc. Lond. A 193, 281-297.
 */
template <class A, class B, class C>
constexpr auto
hill_parameters(const A & r0, const B & r45, const C & r90)
{
  const auto G = 1.0 / (1.0 + r0), H = r0 * G;
  const auto F = H / r90, N = (F + G) * (0.5 + r45);
  const auto L = 1.5 + 0.0 * N;
  return std::tuple(F, G, H, L, L, N);
}

/**
 * Hosford's equivalent stress ((|l_0 - l_1|^a + |l_1 - l_2|^a + |l_2 - l_0|^a) / 2)^(1/a) of the principal stresses l.
 * (...; 6), (...; ) -> (...; ), in the unit of s. The exponent a is at least 1. It is von_mises for a = 2 and a = 4; as a grows, it becomes
 * Tresca's, the largest difference. For metals a is about 6 (body-centred cubic) or 8 (face-centred cubic). For a < 2 second derivatives at
 * equal principal stresses are infinite or NaN.
 *
 * Source: Hosford (1972), J. Appl. Mech. 39, 607-609.
 */
template <class A>
auto
hosford(const SR2 & s, const A & a)
{
  return vmap(kernels::Hosford(), s, a);
}

/**
 * Drucker's and Prager's α I1(s) + √J2(s), times √3: von_mises(s) + √3 α tr(s). (...; 6), (...; ) -> (...; ), in the unit of s.
 * The cone through the corners of Mohr's and Coulomb's pyramid in compression has α = 2 sin φ / (√3 (3 - sin φ)), and that in tension
 * 2 sin φ / (√3 (3 + sin φ)).
 *
 * Source: Drucker and Prager (1952), Q. Appl. Math. 10, 157-165.
 */
template <class A>
auto
drucker_prager(const SR2 & s, const A & alpha)
{
  return vmap(kernels::DruckerPrager(), s, alpha);
}

/**
 * The equivalent stress of Mohr and Coulomb, (l_2 - l_0) + (l_2 + l_0) sin φ of the largest and the smallest principal stress, with
 * rounded edges. It is 2 c cos φ at yield, c the cohesion. (...; 6), (...; ), (...; ) -> (...; ), in the unit of s; angles in radians. The
 * friction angle φ is in [0, π/2).
 *
 * If the Lode angle θ, which is in [-π/6, π/6] here, is beyond the transition, A - B sin 3θ replaces cos θ - sin φ sin θ / √3, with the
 * same value and slope at the transition. The transition is in [0, π/6), by default 25°. Second derivatives of the function jump there. The
 * function is convex for φ up to 86° with a transition of 25°, and up to 40° with a transition of 0°. For φ = 0 and a transition of 0° it
 * is 2/√3 von_mises. Along the axis of pressure, at its apex and beyond, the derivative is that of the pressure alone.
 *
 * Source: Abbo and Sloan (1995), Comput. Struct. 54, 427-441.
 */
template <class P, class T = double>
auto
mohr_coulomb(const SR2 & s, const P & phi, const T & transition = kernels::rounded_from)
{
  return vmap(kernels::MohrCoulomb(), s, phi, transition);
}

/**
 * Barlat's Yld2004-18p, (Σ_ij |l_i - m_j|^a / 4)^(1/a), of the principal values l and m of two transformed deviators. (...; 6), (...; ) of
 * each coefficient, and of a -> (...; ), in the unit of s. It is hosford where all coefficients are 1.
 *
 * Each transformation is a group of nine numbers or Scalars c12, c13, c21, c23, c31, c32, c44, c55, c66, which count axes from 1 as the
 * source does. It maps the deviator d to the tensor with the components t_00 = -c12 d_11 - c13 d_22, t_11 = -c21 d_00 - c23 d_22, t_22 =
 * -c31 d_00 - c32 d_11, t_12 = c44 d_12, t_02 = c55 d_02, t_01 = c66 d_01. The exponent a is at least 1.
 *
 * Source: Barlat, Aretz, Yoon, Karabin, Brem and Dick (2005), Int. J. Plasticity 21, 1009-1039.
 */
template <class P, class Q, class A>
auto
yld2004(const SR2 & s, const P & first, const Q & second, const A & a)
{
  return vmap(kernels::Yld2004<tensors::FillSR2>(), s, first, second, a);
}
} // namespace neml2
