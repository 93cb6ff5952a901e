// SPDX-License-Identifier: MIT
#include "neml2/math/elementwise.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include "j2.inc"

neml2::SR2
stress(const neml2::SR2 & strain,
       const neml2::SR2 & plastic_strain,
       const neml2::Scalar & alpha,
       const neml2::Scalar & E,
       const neml2::Scalar & nu,
       const neml2::Scalar & yield,
       const neml2::Scalar & hardening)
{
  return neml2::vmap(radial_return, strain, plastic_strain, alpha, E, nu, yield, hardening);
}
