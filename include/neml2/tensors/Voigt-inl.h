// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Voigt.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/Voigt.h"

namespace neml2
{
namespace tensors
{
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

} // namespace tensors

NEML2_BODY Tensor
to_voigt_stress(const SR2 & stress)
{
  return tensors::scale_shear("to_voigt_stress", stress, kernels::invsqrt2);
}

NEML2_BODY Tensor
to_voigt_strain(const SR2 & strain)
{
  return tensors::scale_shear("to_voigt_strain", strain, kernels::sqrt2);
}

NEML2_BODY Tensor
stiffness_to_voigt(const SSR4 & stiffness)
{
  return tensors::scale_shear("stiffness_to_voigt", stiffness, kernels::invsqrt2);
}

NEML2_BODY Tensor
compliance_to_voigt(const SSR4 & compliance)
{
  return tensors::scale_shear("compliance_to_voigt", compliance, kernels::sqrt2);
}
} // namespace neml2
