// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Voigt.h"
#include "neml2/math/arithmetic.h"
#include "neml2/tensors/fwd.h"

/**
 * Conversion between this library's Mandel notation and Voigt's notation, which other codes use for
 * symmetric tensors.
 *
 * Voigt's order is 11, 22, 33, 23, 13, 12 here, the same as Mandel's (see SR2). Some codes order the
 * shear components differently, for example 12, 13, 23: reorder their arrays first. The shear
 * components of a stress are σ_ij. The shear components of a strain are the angles γ_ij = 2 ε_ij.
 * Therefore a stiffness in Voigt's notation differs from one in Mandel's notation by factors of √2 and
 * 2, not in the order. A tensor in Voigt's notation is a Tensor, or a raw at::Tensor, of base shape (6)
 * or (6, 6). An SR2 or SSR4 is in Mandel's notation, and does not compile where Voigt's notation is
 * expected.
 *
 * Source: Nye (1985), Physical Properties of Crystals, chapter VIII.
 */
namespace neml2
{
/// The stress with Voigt's components (σ11, σ22, σ33, σ23, σ13, σ12). (...; 6) -> (...; 6)
template <class T>
SR2 from_voigt_stress(const T & voigt);
/// The strain with Voigt's components (ε11, ε22, ε33, 2 ε23, 2 ε13, 2 ε12). (...; 6) -> (...; 6)
template <class T>
SR2 from_voigt_strain(const T & voigt);
/// Voigt's components (σ11, σ22, σ33, σ23, σ13, σ12) of a stress. (...; 6) -> (...; 6)
Tensor to_voigt_stress(const SR2 & stress);
/// Voigt's components (ε11, ε22, ε33, 2 ε23, 2 ε13, 2 ε12) of a strain. (...; 6) -> (...; 6)
Tensor to_voigt_strain(const SR2 & strain);

/// The stiffness from the matrix that maps Voigt's strains to stresses. The entries of the matrix are C_ijkl.
/// (...; 6, 6) -> (...; 6, 6)
template <class T>
SSR4 stiffness_from_voigt(const T & voigt);
/// The compliance from the matrix that maps Voigt's stresses to strains. The entries of the matrix are
/// S_ijkl, times 2 in a shear row and times 2 in a shear column. (...; 6, 6) -> (...; 6, 6)
template <class T>
SSR4 compliance_from_voigt(const T & voigt);
/// The matrix that maps Voigt's strains to stresses, with entries C_ijkl. (...; 6, 6) -> (...; 6, 6)
Tensor stiffness_to_voigt(const SSR4 & stiffness);
/// The matrix that maps Voigt's stresses to strains. Its entries are S_ijkl, times 2 in a shear row and
/// times 2 in a shear column. (...; 6, 6) -> (...; 6, 6)
Tensor compliance_to_voigt(const SSR4 & compliance);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"

namespace neml2
{
namespace tensors
{
/// Multiplies the shear components of an SR2, or the shear rows and the shear columns of an SSR4, by a factor.
template <class A>
A scale_shear(const Operation & op, const A & a, double factor);

/// Components in Voigt's notation, stored as an SR2 or SSR4 that is not yet scaled.
template <class Mandel, class T>
Mandel
voigt_numbers(const T & voigt)
{
  static_assert(!is_primitive<T>,
                "this type is in Mandel's notation: components in Voigt's notation are a "
                "neml2::Tensor of base shape (6) or (6, 6)");
  return Mandel(voigt);
}
} // namespace tensors

template <class T>
SR2
from_voigt_stress(const T & voigt)
{
  return tensors::scale_shear(
      "from_voigt_stress", tensors::voigt_numbers<SR2>(voigt), kernels::sqrt2);
}

template <class T>
SR2
from_voigt_strain(const T & voigt)
{
  return tensors::scale_shear(
      "from_voigt_strain", tensors::voigt_numbers<SR2>(voigt), kernels::invsqrt2);
}

template <class T>
SSR4
stiffness_from_voigt(const T & voigt)
{
  return tensors::scale_shear(
      "stiffness_from_voigt", tensors::voigt_numbers<SSR4>(voigt), kernels::sqrt2);
}

template <class T>
SSR4
compliance_from_voigt(const T & voigt)
{
  return tensors::scale_shear(
      "compliance_from_voigt", tensors::voigt_numbers<SSR4>(voigt), kernels::invsqrt2);
}
} // namespace neml2

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/Voigt-inl.h"
#endif
