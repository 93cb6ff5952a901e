// error: (no matching function for call|no matching constructor)
// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

using namespace neml2;

neml2::Tensor
f(const at::Tensor & t)
{
  return neml2::Tensor(t);
}
