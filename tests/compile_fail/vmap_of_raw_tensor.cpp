// error: vmap: every argument must be a tensor whose type fixes its base shape
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const at::Tensor & t, const SR2 & s)
{
  vmap([](auto a, auto b) { return a * b; }, t, s);
}
