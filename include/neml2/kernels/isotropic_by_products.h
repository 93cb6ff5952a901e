// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SSR4.h"
#include "neml2/kernels/eigenvalue_functions.h"
#include "neml2/kernels/matrix_functions.h"

/// Isotropic functions of symmetric tensors whose numbers have derivatives of several levels.
namespace neml2::kernels
{
/// The function F computed by products and inverses, which work on duals of any level. It is used for third derivatives and
/// beyond.
template <template <class> class F>
struct ByProducts;
template <>
struct ByProducts<Exponential>
{
  template <class T>
  NEML2_INLINE static SR2<T> of(const SR2<T> & s)
  {
    return sym(expm(full(s)));
  }
};
template <>
struct ByProducts<Logarithm>
{
  template <class T>
  NEML2_INLINE static SR2<T> of(const SR2<T> & s)
  {
    return sym(logm(full(s)));
  }
};
template <>
struct ByProducts<SquareRoot>
{
  template <class T>
  NEML2_INLINE static SR2<T> of(const SR2<T> & s)
  {
    return sym(sqrtm(full(s)));
  }
};

/// The derivative of f along e.
template <class F, class R>
NEML2_INLINE SR2<R>
derivative_by_products(const F & f, const SR2<R> & s, const SR2<R> & e)
{
  SR2<Dual<R, 1>> x{Unset()};
  set_values(x, s);
  set_partials(x, 0, e);
  return partials_of(f(x), 0);
}
/// The derivative of f.
template <class F, class R>
NEML2_INLINE SSR4<R>
derivative_by_products(const F & f, const SR2<R> & s)
{
  SSR4<R> r;
  NEML2_KEEP_LOOP
  for (int q = 0; q < 6; q++)
  {
    SR2<R> direction;
    direction[q] = R(1.0);
    const SR2<R> column = derivative_by_products(f, s, direction);
    NEML2_UNROLL
    for (int p = 0; p < 6; p++)
      r[6 * p + q] = column[p];
  }
  return r;
}
} // namespace neml2::kernels
