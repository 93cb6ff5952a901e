// error: (could not convert|cannot convert|invalid initialization|no viable conversion|no matching)
// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

using namespace neml2;

auto
f(const SR2 & a, const Vec & b)
{
  return a.inner(b);
}
