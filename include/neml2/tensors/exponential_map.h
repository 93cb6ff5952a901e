// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/exponential_map.h"
#include "neml2/tensors/fwd.h"

/// Maps from skew tensors to rotations, and back. Quaternion.h has the exponential and logarithm of quaternions.
namespace neml2
{
/// The rotation with the matrix e^W, by the angle θ = |w| in radians about w: r = w tan(θ/4) / θ. A series is
/// used for θ < 1. (...; 3) -> (...; 3)
/// The formula holds for any w. For θ in (π, 3π), |r| > 1. Close to 2π, |r| is about 4 / (2π - θ). At θ = 2π no
/// finite r exists: the result is infinite (with rounding, about 1e16).
Rot exp_map(const WR2 & w);
/// ∂exp_map_i/∂w_j = g δ_ij + h w_i w_j, with g = t / θ, h = ((1 + t²) / 4 - g) / θ², t = tan(θ/4). Series
/// are used for θ < 1; at w = 0 it is δ_ij / 4. (...; 3) -> (...; 3, 3), per radian.
R2 dexp_map(const WR2 & w);
/// The skew tensor whose exponential is the matrix of r: 4 atan(|r|) r_i / |r|. Its angle is at most 2π. A
/// series is used for |r| < 1/4. (...; 3) -> (...; 3), in radians.
/// exp_map(log_map(r)) is r; log_map(exp_map(w)) is w where |w| < 2π.
WR2 log_map(const Rot & r);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/WR2.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/exponential_map-inl.h"
#endif
