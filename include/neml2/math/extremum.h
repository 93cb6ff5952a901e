// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/componentwise.h"

#include <cmath>

/// The larger or the smaller of two tensors, component by component, and clamp, which applies bounds. elementwise.h
/// describes shapes, dtypes and errors.
namespace neml2
{
namespace math
{
/// The larger or the smaller of two numbers. It is the second one at a tie, and NaN if either is NaN. LibTorch's own functions
/// are several times as fast, but at a tie they give each of the two numbers half of the derivative. They are used only if
/// nothing is differentiated.
template <bool Larger>
struct Extremum
{
  static constexpr Operation op{Larger ? "maximum" : "minimum", Accepts::numbers};

  static at::Tensor of(const at::Tensor & a, const at::Tensor & b)
  {
    if (only_values(a, b))
      return Larger ? a.maximum(b) : a.minimum(b);
    const at::Tensor first = Larger ? a.gt(b) : a.lt(b);
    return select(a.is_floating_point() ? first.bitwise_or(a.ne(a)) : first, a, b);
  }
  // A comparison with NaN is false, so the tensor keeps its own NaNs.
  static at::Tensor of(const at::Tensor & a, const CScalar & b)
  {
    const bool nan = is_nan(b);
    if (!nan && only_values(a))
      return clamped(a, b);
    return select(nan ? a.eq(a) : Larger ? a.le(b) : a.ge(b), b, a);
  }
  static at::Tensor of(const CScalar & a, const at::Tensor & b)
  {
    const bool nan = is_nan(a);
    if (!nan && only_values(b))
      return clamped(b, a);
    return select(nan ? b.eq(b) : Larger ? b.lt(a) : b.gt(a), a, b);
  }

private:
  static bool is_nan(const CScalar & n) { return std::isnan(real_value(op.name, n)); }
  static at::Tensor clamped(const at::Tensor & t, const CScalar & n)
  {
    return Larger ? t.clamp_min(n) : t.clamp_max(n);
  }
};

/// Refuses complex numbers.
template <class X>
void
check_real(const char * name, const X & x)
{
  if constexpr (is_number<X>)
    real_value(name, number(x));
}

/// Whether clamp accepts a bound of type Bound for a tensor of type A.
template <class A, class Bound>
constexpr bool is_bound =
    is_number<Bound> || std::is_same_v<Bound, A> || std::is_same_v<Bound, Scalar>;
} // namespace math

/// The larger of a and b, in their common unit. Each is a tensor, a Scalar or a number. The result is NaN if either
/// is NaN. At a tie the derivative is that of b: for maximum(x, 0), the positive part, it is 0 at 0.
/// (...; base), (...; base) -> (...; base). For integers and floating types.
/// @throws NEMLException also for a complex number.
template <class A, class B, math::if_elementwise<A, B, math::is_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
maximum(const A & a, const B & b)
{
  using Larger = math::Extremum<true>;
  return math::componentwise(Larger::op,
                             a,
                             b,
                             [](const at::Tensor & x, const at::Tensor & y)
                             { return Larger::of(x, y); });
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
maximum(const A & a, const N & b)
{
  using Larger = math::Extremum<true>;
  return math::componentwise(
      Larger::op, a, [&](const at::Tensor & x) { return Larger::of(x, core::number(b)); });
}
template <class N, class B, core::if_number<N> = 0, core::if_tensor<B> = 0>
B
maximum(const N & a, const B & b)
{
  using Larger = math::Extremum<true>;
  return math::componentwise(
      Larger::op, b, [&](const at::Tensor & x) { return Larger::of(core::number(a), x); });
}

/// The smaller of a and b, in their common unit. Each is a tensor, a Scalar or a number. The result is NaN if either
/// is NaN. At a tie the derivative is that of b. (...; base), (...; base) -> (...; base). For integers and
/// floating types.
/// @throws NEMLException also for a complex number.
template <class A, class B, math::if_elementwise<A, B, math::is_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
minimum(const A & a, const B & b)
{
  using Smaller = math::Extremum<false>;
  return math::componentwise(Smaller::op,
                             a,
                             b,
                             [](const at::Tensor & x, const at::Tensor & y)
                             { return Smaller::of(x, y); });
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
minimum(const A & a, const N & b)
{
  using Smaller = math::Extremum<false>;
  return math::componentwise(
      Smaller::op, a, [&](const at::Tensor & x) { return Smaller::of(x, core::number(b)); });
}
template <class N, class B, core::if_number<N> = 0, core::if_tensor<B> = 0>
B
minimum(const N & a, const B & b)
{
  using Smaller = math::Extremum<false>;
  return math::componentwise(
      Smaller::op, b, [&](const at::Tensor & x) { return Smaller::of(core::number(a), x); });
}

/// a within bounds: minimum(upper, maximum(lower, a)), which is upper where lower > upper. Each bound is a number, a
/// Scalar or a tensor of the type of a, in the unit of a. (...; base) -> (...; base). For integers, too. NaN if one of the
/// three is NaN. The result has the derivative of the argument whose value it takes; where a equals a bound, that argument is a.
/// @throws NEMLException also for a complex number.
template <class A, class Lower, class Upper, core::if_tensor<A> = 0>
A
clamp(const A & a, const Lower & lower, const Upper & upper)
{
  static_assert(math::is_bound<A, Lower> && math::is_bound<A, Upper>,
                "clamp: a bound must be a number, a Scalar or of the type of the tensor");
  const core::Operation op("clamp", core::Accepts::numbers);
  math::check_real(op.name, lower);
  math::check_real(op.name, upper);
  const auto r = math::check_together(op, math::tensors_among(a, lower, upper));
  const Size n = r.base_dim();
  return A(core::Trusted(),
           core::translate_errors(op.name,
                                  [&]
                                  {
                                    const at::Tensor x = math::Extremum<true>::of(
                                        math::aligned(lower, n), math::aligned(a, n));
                                    return math::Extremum<false>::of(math::aligned(upper, n), x);
                                  }),
           r.batch_dim);
}
/// Another name for clamp(a, lower, upper).
template <class A, class Lower, class Upper, core::if_tensor<A> = 0>
A
clip(const A & a, const Lower & lower, const Upper & upper)
{
  return clamp(a, lower, upper);
}

// These overloads refuse two types that have no such operation.

template <class A, class B>
auto
maximum(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
template <class A, class B>
auto
minimum(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
} // namespace neml2
