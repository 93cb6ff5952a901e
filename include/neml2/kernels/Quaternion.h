// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One quaternion (s, x, y, z), scalar first.
template <class T>
struct Quaternion : Components<T, 4>
{
  using Components<T, 4>::Components;
};
} // namespace neml2::kernels
