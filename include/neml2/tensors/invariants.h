// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/invariants.h"
#include "neml2/tensors/fwd.h"

/**
 * Invariants of symmetric tensors; d_ij = s_ij - s_kk δ_ij / 3 is the deviator.
 *
 * principal_values(s) is in spectral.h; tr, det and norm are in SR2.h.
 * Source: Chen and Han (1988), Plasticity for Structural Engineers, section 2.
 */
namespace neml2
{
/// First invariant s_kk. (...; 6) -> (...; ), in the unit of s.
Scalar I1(const SR2 & s);
/// Second invariant (s_ii s_jj - s_ij s_ij) / 2, the sum of the principal minors. (...; 6) -> (...; ), in
/// the square of the unit of s.
Scalar I2(const SR2 & s);
/// Third invariant det s. (...; 6) -> (...; ), in the cube of the unit of s.
Scalar I3(const SR2 & s);
/// d_ij d_ij / 2 with the deviator d = dev(s). (...; 6) -> (...; ), in the square of the unit of s.
Scalar J2(const SR2 & s);
/// det d = d_ij d_jk d_ki / 3 with the deviator d = dev(s). (...; 6) -> (...; ), in the cube of the unit of s.
Scalar J3(const SR2 & s);
/// s_kk / 3. For a stress it is minus the pressure. (...; 6) -> (...; ), in the unit of s.
Scalar hydrostatic(const SR2 & s);
/// √(3 J2(s)) = √(3/2 d_ij d_ij), the equivalent stress, with the deviator d = dev(s). (...; 6) -> (...; ),
/// in the unit of s. Its gradient where d = 0 is 0.
Scalar von_mises(const SR2 & s);
/// Stress triaxiality hydrostatic(s) / von_mises(s), without unit: 1/3 in uniaxial tension, 0 in shear,
/// infinite under pressure alone, NaN where s = 0. (...; 6) -> (...; )
///
/// Source: Rice and Tracey (1969), J. Mech. Phys. Solids 17, 201-217.
Scalar triaxiality(const SR2 & s);
/**
 * Lode angle θ in [0, π/3], in radians: cos 3θ = (3√3/2) J3(s) / J2(s)^(3/2). (...; 6) -> (...; )
 *
 * It is 0 where the two smaller principal values are equal, as in uniaxial tension, π/3 where the two larger
 * principal values are equal, as in uniaxial compression, and π/6 in shear. It is computed from the principal
 * values, tan θ = √3 (λ_1 - λ_0) / (2 λ_2 - λ_1 - λ_0), which loses no digits at the ends 0 and π/3.
 *
 * θ has a kink at the ends. Its gradient there is bounded, and belongs to one choice of eigenvectors. Where
 * J2 = 0, both θ and its gradient are 0. Second derivatives are undefined at the ends and where J2 = 0.
 */
Scalar lode_angle(const SR2 & s);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/spectral.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/invariants-inl.h"
#endif
