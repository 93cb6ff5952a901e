// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fourth order tensor, T_ijkl at 27i + 9j + 3k + l.
template <class T>
struct R4 : Components<T, 81>
{
  using Components<T, 81>::Components;
};
} // namespace neml2::kernels
