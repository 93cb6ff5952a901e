// error: .= is elementwise, and . of these two tensor types is not
// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

using namespace neml2;

void
f(R2 & a, const R2 & b)
{
  a *= b;
}
