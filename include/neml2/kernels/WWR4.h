// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fourth order tensor, two skew pairs.
template <class T>
struct WWR4 : Components<T, 9>
{
  using Components<T, 9>::Components;
};
} // namespace neml2::kernels
