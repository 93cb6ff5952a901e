// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fourth order tensor, a skew pair, then two full indices.
template <class T>
struct WFFR4 : Components<T, 27>
{
  using Components<T, 27>::Components;
};
} // namespace neml2::kernels
