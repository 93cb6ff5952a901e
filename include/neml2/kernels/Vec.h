// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"
#include "neml2/kernels/Scalar.h"

namespace neml2::kernels
{
/// One vector, v_i.
template <class T>
struct Vec : Components<T, 3>
{
  using Components<T, 3>::Components;
};

/// a_i b_i
template <class A, class B>
NEML2_INLINE constexpr product_t<A, B>
vdot(const Vec<A> & a, const Vec<B> & b)
{
  return inner(a, b);
}

/// ε_ijk a_j b_k
template <class A, class B>
NEML2_INLINE constexpr Vec<product_t<A, B>>
cross(const Vec<A> & a, const Vec<B> & b)
{
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
} // namespace neml2::kernels
