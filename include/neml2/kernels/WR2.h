// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One skew second order tensor by its axial vector, W_ij = -ε_ijk w_k.
template <class T>
struct WR2 : Components<T, 3>
{
  using Components<T, 3>::Components;
};
} // namespace neml2::kernels
