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
 * Equivalent stresses of anisotropic metals, polymers, soils and rock, in addition to von_mises of invariants.h. They are
 * functions of a stress, homogeneous of degree one, for yield functions and flow rules. Their gradients are the directions
 * of associated flow.
 *
 *     constexpr auto equivalent = [](const auto & stress, const auto & exponent) { return hosford(stress, exponent); };
 *     const SR2 direction = gradient<0>(equivalent, stress, 8.0);
 *
 * Tension is positive. Anisotropic equivalent stresses take the components s_ij in the axes of the material: for a sheet,
 * axis 0 is the rolling direction, axis 1 the transverse direction, and axis 2 the normal. The shear coefficients are in
 * the order of Mandel components: yz, zx, xy, for s_12, s_02, s_01.
 *
 * In formulas the first and the second derivative are exact, also at equal principal stresses. Where the deviator is zero,
 * only the term that depends on the pressure contributes to the value and the derivatives. Exponents may be large, because
 * powers are taken of ratios of at most 1.
 */
namespace neml2
{
namespace tensors
{
/// SR2::fill as an operation, for batches and for formulas.
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
 * √(F (s_11 - s_22)² + G (s_22 - s_00)² + H (s_00 - s_11)² + 2 L s_12² + 2 M s_02² + 2 N s_01²). (...; 6), (...; ) per
 * parameter -> (...; ), in the unit of s. The parameters are a group of six numbers or Scalars, such as
 * std::tuple(F, G, H, L, M, N) or the result of hill_parameters. For F = G = H = 1/2, L = M = N = 3/2 it is von_mises.
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
 * The parameters F, G, H, L, M, N of hill for a sheet, as a std::tuple of numbers or Scalars. r0, r45 and r90 are the
 * r-values of the sheet in tension at 0°, 45° and 90° to the rolling direction. An r-value is the strain across the width
 * divided by the strain through the thickness. In tension along the rolling direction, the equivalent stress is the tensile
 * stress: G + H = 1. Tests of the sheet do not determine L and M: they are 3/2, as for an isotropic material.
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
 * (...; 6), (...; ) -> (...; ), in the unit of s. The exponent a is at least 1. For a = 2 and a = 4 it is von_mises. For
 * large a it approaches Tresca's equivalent stress, the largest difference of principal stresses. For metals a is about 6
 * (body-centred cubic) or 8 (face-centred cubic). For a < 2 second derivatives at equal principal stresses are infinite or
 * NaN.
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
 * The equivalent stress of Drucker and Prager, von_mises(s) + √3 α tr(s), which is √3 (α I1(s) + √J2(s)). The source has it
 * without the factor √3. (...; 6), (...; ) -> (...; ), in the unit of s. The cone through the compressive corners of the
 * Mohr-Coulomb pyramid has α = 2 sin φ / (√3 (3 - sin φ)), and the cone through its tensile corners has
 * α = 2 sin φ / (√3 (3 + sin φ)).
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
 * The equivalent stress of Mohr and Coulomb, (l_2 - l_0) + (l_2 + l_0) sin φ with rounded edges, where l_2 is the largest
 * and l_0 the smallest principal stress. At yield it is 2 c cos φ with the cohesion c. (...; 6), (...; ), (...; ) ->
 * (...; ), in the unit of s; angles in radians. The friction angle φ is in [0, π/2).
 *
 * In terms of the Lode angle θ, which is in [-π/6, π/6] here, the function without rounding is
 * 2/3 tr(s) sin φ + 2 √J2(s) K(θ) with K = cos θ - sin φ sin θ / √3. Where |θ| is at least the transition,
 * A - B sin 3θ replaces K, with A and B that give it the value and slope of K at the transition. The transition is in
 * [0, π/6), by default 25°. Second derivatives of the function jump at the transition. With a transition of 25° the
 * function is convex for φ up to 86°; with a transition of 0° it is convex for φ up to 40°. For φ = 0 and a transition
 * of 0° it is 2/√3 von_mises. On the hydrostatic axis, including the apex of the yield surface and beyond it, only the
 * pressure contributes to the derivative.
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
 * Barlat's Yld2004-18p, (Σ_ij |l_i - m_j|^a / 4)^(1/a), of the principal values l and m of two transformed deviators.
 * (...; 6), (...; ) per coefficient, (...; ) for a -> (...; ), in the unit of s. It is hosford if all coefficients are 1.
 *
 * Each transformation is a group of nine numbers or Scalars c12, c13, c21, c23, c31, c32, c44, c55, c66. Their names count
 * axes from 1, as the source does. The transformation maps the deviator d to the tensor with the components
 * t_00 = -c12 d_11 - c13 d_22, t_11 = -c21 d_00 - c23 d_22, t_22 = -c31 d_00 - c32 d_11, t_12 = c44 d_12, t_02 = c55 d_02,
 * t_01 = c66 d_01. The exponent a is at least 1.
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
