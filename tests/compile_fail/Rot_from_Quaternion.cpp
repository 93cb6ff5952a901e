// error: that of a quaternion q is q\.to_rot\(\)
// SPDX-License-Identifier: MIT
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/Rot.h"

using namespace neml2;

Rot
f(const Quaternion & q)
{
  return Rot(q);
}
