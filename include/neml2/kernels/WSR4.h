// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fourth order tensor, a skew pair, then a symmetric pair.
template <class T>
struct WSR4 : Components<T, 18>
{
  using Components<T, 18>::Components;
};
} // namespace neml2::kernels
