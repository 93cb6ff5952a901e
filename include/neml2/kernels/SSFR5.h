// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fifth order tensor, two symmetric pairs, then a full index.
template <class T>
struct SSFR5 : Components<T, 108>
{
  using Components<T, 108>::Components;
};
} // namespace neml2::kernels
