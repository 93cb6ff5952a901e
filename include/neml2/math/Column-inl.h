// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/elementwise.h"

namespace neml2::math
{
/// A number of a formula at all points: a tensor (batch; ), or () if all points share the number. recorded::with_function calls the
/// functions below, which have the values and derivatives of the library's functions on whole batches.
struct Column
{
  at::Tensor t;

  friend Column operator-(const Column & a) { return {a.t.neg()}; }
  friend Column operator+(const Column & a, const Column & b) { return {a.t + b.t}; }
  friend Column operator-(const Column & a, const Column & b) { return {a.t - b.t}; }
  friend Column operator*(const Column & a, const Column & b) { return {a.t * b.t}; }
  friend Column operator/(const Column & a, const Column & b) { return {a.t / b.t}; }
  friend Column abs(const Column & a) { return {magnitude(a.t)}; }
  friend Column macaulay(const Column & a) { return {positive_part(a.t)}; }
  friend Column cbrt(const Column & a) { return {cube_root(a.t)}; }
  friend Column sqrt(const Column & a) { return {a.t.sqrt()}; }
  friend Column exp(const Column & a) { return {a.t.exp()}; }
  friend Column expm1(const Column & a) { return {a.t.expm1()}; }
  friend Column log(const Column & a) { return {a.t.log()}; }
  friend Column log1p(const Column & a) { return {a.t.log1p()}; }
  friend Column log10(const Column & a) { return {a.t.log10()}; }
  friend Column sin(const Column & a) { return {a.t.sin()}; }
  friend Column cos(const Column & a) { return {a.t.cos()}; }
  friend Column tan(const Column & a) { return {a.t.tan()}; }
  friend Column asin(const Column & a) { return {a.t.asin()}; }
  friend Column acos(const Column & a) { return {a.t.acos()}; }
  friend Column atan(const Column & a) { return {a.t.atan()}; }
  friend Column sinh(const Column & a) { return {a.t.sinh()}; }
  friend Column cosh(const Column & a) { return {a.t.cosh()}; }
  friend Column tanh(const Column & a) { return {a.t.tanh()}; }
  friend Column asinh(const Column & a) { return {a.t.asinh()}; }
  friend Column acosh(const Column & a) { return {a.t.acosh()}; }
  friend Column atanh(const Column & a) { return {a.t.atanh()}; }
  friend Column pow(const Column & a, const Column & b) { return {a.t.pow(b.t)}; }
  friend Column atan2(const Column & a, const Column & b) { return {a.t.atan2(b.t)}; }
  friend Column hypot(const Column & a, const Column & b) { return {length_of_two(a.t, b.t)}; }
  friend Column fmod(const Column & a, const Column & b) { return {remainder_of_two(a.t, b.t)}; }
  friend Column minimum(const Column & a, const Column & b)
  {
    return {Extremum<false>::of(a.t, b.t)};
  }
  friend Column maximum(const Column & a, const Column & b)
  {
    return {Extremum<true>::of(a.t, b.t)};
  }
  /// √a, whose derivative at 0 is 0.
  friend Column norm_of_square(const Column & a)
  {
    const at::Tensor is_zero = a.t.eq(0);
    return {select(is_zero, 0, select(is_zero, 1, a.t).sqrt())};
  }
};
} // namespace neml2::math
