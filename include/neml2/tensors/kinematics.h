// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/kinematics.h"
#include "neml2/tensors/fwd.h"

#include <utility>

/**
 * Kinematics of finite deformation, from the deformation gradient F_ij = ∂x_i / ∂X_j.
 *
 * No function here requires det F = 1 or multiplies by det F. matrix_functions.h has logarithms and roots of
 * tensors, and spectral.h has eigenvalues.
 * Source: Holzapfel (2000), Nonlinear Solid Mechanics, sections 2.4-2.6.
 */
namespace neml2
{
/**
 * Polar decomposition F_ij = R_ik U_kj, with orthogonal R and a symmetric, positive definite right stretch
 * U. (...; 3, 3) -> (...; 3, 3), (...; 6); R without unit, U in the unit of F.
 *
 * det R is the sign of det F: where det F < 0, R contains a reflection, and U is still positive definite. R is
 * orthogonal up to round-off even where F is nearly singular, but its sensitivity to F is large there: 1 over
 * the sum of the two smallest stretches. Where F is singular, R is NaN. Everywhere else derivatives are
 * correct, also at F = I.
 */
std::pair<R2, SR2> polar(const R2 & F);
/// The orthogonal tensor R of F = R U, as in polar(F). (...; 3, 3) -> (...; 3, 3), without unit.
/// It is computed by Newton's iteration. Source: Higham (1986), SIAM J. Sci. Stat. Comput. 7, 1160-1174.
R2 polar_rotation(const R2 & F);
/// The rotation (of determinant 1) that is nearest to A: the sum of the squared differences of their components is
/// smallest. Where det A > 0 it is polar_rotation(A); where det A < 0, it is polar_rotation(A) times the reflection that reverses
/// the direction of the smallest stretch. (...; 3, 3) -> (...; 3, 3), without unit. NaN where A is singular.
/// Source: Kabsch (1978), Acta Cryst. A 34, 827-828.
R2 nearest_rotation(const R2 & A);
/// The principal stretches of F (its singular values), in ascending order. Their absolute error is the unit round-off
/// times the largest stretch. They are not computed as the roots of the eigenvalues of F_ki F_kj, because small stretches
/// would lose digits. (...; 3, 3) -> (...; 3), in the unit of F. NaN where F is singular.
Vec principal_stretches(const R2 & F);
/// The right stretch U of F = R U, as in polar(F). (...; 3, 3) -> (...; 6), in the unit of F.
SR2 right_stretch(const R2 & F);
/// The left stretch V of F = V R, with R as in polar(F). (...; 3, 3) -> (...; 6), in the unit of F.
SR2 left_stretch(const R2 & F);

/// C_ij = F_ki F_kj. (...; 3, 3) -> (...; 6), in the square of the unit of F.
SR2 right_cauchy_green(const R2 & F);
/// b_ij = F_ik F_jk. (...; 3, 3) -> (...; 6), in the square of the unit of F.
SR2 left_cauchy_green(const R2 & F);
/// E_ij = (F_ki F_kj - δ_ij) / 2, for F without unit. For small strains, too, its relative error is as
/// small as the relative error of F - I.
/// (...; 3, 3) -> (...; 6)
SR2 green_lagrange(const R2 & F);
/// Hencky's logarithmic strain log U = log(F_ki F_kj) / 2, for F without unit. (...; 3, 3) -> (...; 6)
/// In the fused loop, its relative error is as small as the relative error of F - I, for small strains, too. NaN where F
/// is singular.
SR2 hencky_strain(const R2 & F);

/// Push-forward of a tensor with contravariant components, such as a stress: F_ik s_kl F_jl. There is no factor
/// 1 / det F: the second Piola-Kirchhoff stress gives the Kirchhoff stress. Divide the Kirchhoff stress by det F to
/// get the Cauchy stress. (...; 6), (...; 3, 3) -> (...; 6)
SR2 push_forward(const SR2 & s, const R2 & F);
/// The inverse of push_forward(s, F), F^-1_ik s_kl F^-1_jl. (...; 6), (...; 3, 3) -> (...; 6). Infinite or
/// NaN where F is singular.
SR2 pull_back(const SR2 & s, const R2 & F);
/// Push-forward of a tensor with covariant components, such as a strain: F^-1_ki e_kl F^-1_lj. The Green-Lagrange
/// strain gives the Almansi strain. (...; 6), (...; 3, 3) -> (...; 6). Infinite or NaN where F is singular.
SR2 push_forward_covariant(const SR2 & e, const R2 & F);
/// The inverse of push_forward_covariant(e, F), F_ki e_kl F_lj. (...; 6), (...; 3, 3) -> (...; 6)
SR2 pull_back_covariant(const SR2 & e, const R2 & F);

/// Push-forward of a stiffness: F_im F_jn F_ko F_lp C_mnop, without the factor 1 / det F.
/// (...; 6, 6), (...; 3, 3) -> (...; 6, 6). Source: Simo and Hughes (1998), Computational Inelasticity,
/// section 7.1.
SSR4 push_forward(const SSR4 & C, const R2 & F);
/// The inverse of push_forward(C, F), F^-1_im F^-1_jn F^-1_ko F^-1_lp C_mnop. (...; 6, 6), (...; 3, 3) ->
/// (...; 6, 6). Infinite or NaN where F is singular.
SSR4 pull_back(const SSR4 & C, const R2 & F);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/kinematics-inl.h"
#endif
