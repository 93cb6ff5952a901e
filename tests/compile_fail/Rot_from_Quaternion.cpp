// error: (use of deleted function|call to deleted constructor)
// SPDX-License-Identifier: MIT
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/Rot.h"

using namespace neml2;

Rot
f(const Quaternion & q)
{
  return Rot(q);
}
