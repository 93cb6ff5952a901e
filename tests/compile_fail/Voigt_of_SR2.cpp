// error: in Mandel's notation
// SPDX-License-Identifier: MIT
#include "neml2/tensors/Voigt.h"

using namespace neml2;

SR2
f(const SR2 & s)
{
  return from_voigt_stress(s);
}
