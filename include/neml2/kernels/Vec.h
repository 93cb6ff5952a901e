// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"

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

/// a divided by its largest component, so that no square overflows or underflows; NaN where a is 0.
template <class T>
NEML2_INLINE Vec<T>
over_largest(const Vec<T> & a)
{
  using P = typename plain_number<T>::type;
  const P largest = maximum(maximum(abs(P(value(a[0]))), abs(P(value(a[1])))), abs(P(value(a[2]))));
  return {a[0] / largest, a[1] / largest, a[2] / largest};
}

/// ε_ijk a_j b_k
template <class A, class B>
NEML2_INLINE constexpr Vec<product_t<A, B>>
cross(const Vec<A> & a, const Vec<B> & b)
{
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
} // namespace neml2::kernels
