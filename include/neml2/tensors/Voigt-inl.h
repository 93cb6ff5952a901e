// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Voigt.h"

#include "neml2/composed/Voigt.h"

namespace neml2
{
namespace tensors
{
/// The shear components times a factor, of both dimensions of an SSR4.
template <class A>
A
scale_shear(const Operation & op, const A & a, double factor)
{
  return evaluate_leaf<A>(
      op,
      [=](const auto & t) { return kernels::scale_shear(t, factor); },
      [=](const A & t)
      {
        return A::const_base_dim == 1 ? composed::scale_shear(t, factor)
                                      : composed::scale_both_shears(t, factor);
      },
      a);
}

/// The numbers of an SR2 or SSR4 that are still in Voigt's notation.
template <class Mandel, class T>
Mandel
voigt_numbers(const T & voigt)
{
  static_assert(!is_primitive<T>,
                "this type is in Mandel's notation: what comes in Voigt's is a neml2::Tensor of "
                "base shape (6) or (6, 6)");
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

inline Tensor
to_voigt_stress(const SR2 & stress)
{
  return tensors::scale_shear("to_voigt_stress", stress, kernels::invsqrt2);
}

inline Tensor
to_voigt_strain(const SR2 & strain)
{
  return tensors::scale_shear("to_voigt_strain", strain, kernels::sqrt2);
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

inline Tensor
stiffness_to_voigt(const SSR4 & stiffness)
{
  return tensors::scale_shear("stiffness_to_voigt", stiffness, kernels::invsqrt2);
}

inline Tensor
compliance_to_voigt(const SSR4 & compliance)
{
  return tensors::scale_shear("compliance_to_voigt", compliance, kernels::sqrt2);
}
} // namespace neml2
