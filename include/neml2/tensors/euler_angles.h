// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/euler_angles.h"
#include "neml2/tensors/fwd.h"

#include <string>

/// Conversion between conventions of Euler angles. Rotations from Euler angles are in Rot.h.
namespace neml2
{
/// Converts Euler angles (a, b, c) in radians from Kocks' convention to another convention. (...; 3) -> (...; 3)
/// "kocks": (a, b, c); "bunge": (a + π/2, b, π/2 - c), where the first and the last angle are taken modulo 2π
/// and keep their sign; "roe": (a, b, π - c).
/// @throws NEMLException also for any other convention.
Vec convert_euler_angles_from_kocks(const Vec & kocks, const std::string & convention);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/euler_angles-inl.h"
#endif
