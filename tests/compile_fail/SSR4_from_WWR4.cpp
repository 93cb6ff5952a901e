// error: (no matching function for call|no matching constructor)
// SPDX-License-Identifier: MIT
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/WWR4.h"

using namespace neml2;

SSR4
f(const WWR4 & w)
{
  return SSR4(w);
}
