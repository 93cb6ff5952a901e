// SPDX-License-Identifier: MIT
#include "neml2/tensors/SSR4.h"

neml2::SR2
product(const neml2::SSR4 & C, const neml2::SR2 & e)
{
  return C * e;
}
