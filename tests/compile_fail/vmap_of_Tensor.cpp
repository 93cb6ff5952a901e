// error: vmap: every argument must be a tensor whose type fixes its base shape
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const neml2::Tensor & t)
{
  vmap([](auto a) { return a; }, t);
}
