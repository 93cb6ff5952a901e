// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One third order tensor, a symmetric pair, then a full index.
template <class T>
struct SFR3 : Components<T, 18>
{
  using Components<T, 18>::Components;
};
} // namespace neml2::kernels
