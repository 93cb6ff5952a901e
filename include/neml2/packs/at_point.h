// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/gradient.h"
#include "neml2/kernels/newton.h"
#include "neml2/packs/multiply_add.h"

/**
 * Evaluates a formula at one point, on plain numbers. It is meant for programs that call a material model point by point, such as a
 * finite-element code with a UMAT. This header includes nothing of LibTorch, and needs no library.
 *
 *     #include "neml2/packs/at_point.h"
 *     using neml2::kernels::SR2;
 *
 *     const SR2<double> stress = neml2::at_point(stress_of, strain, 200.0, 0.3);
 *
 * vmap in math/vmap.h evaluates a formula at many points at once.
 */
namespace neml2
{
using kernels::gradient;
using kernels::hessian;
using kernels::jacobian;
using kernels::value_and_gradient;
using kernels::value_and_jacobian;

namespace packs
{
/// Converts the numbers of `a` to the type T: from plain numbers to packs of one number, or back.
template <class T, class A>
NEML2_INLINE auto
with_numbers(const A & a)
{
  return kernels::converted<T>(a,
                               [](const auto & c) NEML2_INLINE_LAMBDA
                               {
                                 if constexpr (std::is_arithmetic_v<std::decay_t<decltype(c)>>)
                                   return T(double(c));
                                 else
                                   return c.v;
                               });
}
template <class T, class A, class B>
NEML2_INLINE auto
with_numbers(const std::pair<A, B> & a)
{
  return std::pair(with_numbers<T>(a.first), with_numbers<T>(a.second));
}

/// Whether a formula at a point may return an R.
template <class R>
constexpr bool is_of_point = kernels::has_numbers<R>;
template <class A, class B>
constexpr bool is_of_point<std::pair<A, B>> = is_of_point<A> && is_of_point<B>;

/// Checks the arguments of a formula at a point.
template <class A>
constexpr bool
is_argument_at_point()
{
  constexpr bool valid = []
  {
    if constexpr (kernels::has_numbers<A>)
      return std::is_arithmetic_v<kernels::number_t<A>>;
    else
      return false;
  }();
  static_assert(valid,
                "at_point: arguments are plain numbers, single tensors of them, such as "
                "kernels::SR2<double>, and groups; for batches of tensors call vmap");
  return valid;
}

// With gcc, for a target with a fused multiply-add, the formula is compiled without this instruction (NEML2_ROUNDS_PRODUCTS); otherwise
// the formula is inlined. With gcc, a formula with derivatives is not inlined, and is compiled with -O3: at -O2 gcc does not put the
// derivatives into vectors, and the formula takes six times as long.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#ifdef __FP_FAST_FMA
#define NEML2_VALUE NEML2_ROUNDS_PRODUCTS
#else
#define NEML2_VALUE NEML2_INLINE
#endif
#define NEML2_WITH_DERIVATIVES __attribute__((optimize("O3", "fp-contract=off"), flatten, noinline))
#else
#define NEML2_VALUE NEML2_INLINE
#define NEML2_WITH_DERIVATIVES NEML2_INLINE
#endif
template <class F, class... A>
NEML2_VALUE auto
evaluate_at_point(const F & f, const A &... a)
{
  return with_numbers<double>(f(with_numbers<Pack<1>>(a)...));
}
template <size_t I, size_t... Of, class F, class... A>
NEML2_WITH_DERIVATIVES auto
differentiate_at_point(const F & f, const A &... a)
{
  return with_numbers<double>(kernels::differentiate_row<I, Of...>(f, with_numbers<Pack<1>>(a)...));
}
#undef NEML2_VALUE
#undef NEML2_WITH_DERIVATIVES
} // namespace packs

/**
 * The formula f at one point. The arguments of f, and its results, are plain numbers (scalars in f), single tensors of float64, such as
 * kernels::SR2<double>, and groups of them. f is a formula that vmap would accept: it may call newton and derivatives.
 *
 * The result has the same bits as the result for this point in a batch, except where f calls an elementary function (exp, log, pow, sin …).
 * There the last bit may differ: at one point f calls the functions of the C library, in batches the functions of SLEEF. If newton does not
 * converge, the result is NaN. A call allocates nothing, throws nothing, and calls nothing of LibTorch; several threads may call at once.
 */
template <class F, class... A>
NEML2_INLINE auto
at_point(const F & f, const A &... a)
{
  if constexpr ((packs::is_argument_at_point<A>() && ...))
  {
    using Returned = std::decay_t<decltype(f(packs::with_numbers<packs::Pack<1>>(a)...))>;
    static_assert(packs::is_of_point<Returned>,
                  "at_point: the formula must return a tensor, a number, or a group of them");
    if constexpr (packs::is_of_point<Returned> && kernels::is_of_values<Returned>())
      return packs::evaluate_at_point(f, a...);
  }
}

/**
 * The value of a formula at one point, and its exact derivative with respect to argument I. The derivative has the tensor type of the
 * Jacobian: the derivative of an SR2 with respect to an SR2 is a kernels::SSR4<double>. If the formula returns a group and Of names some of
 * its results, only their derivatives are returned. Argument I may be a plain number. In all other respects this function works like
 * at_point.
 *
 *     const auto [stress, tangent] = value_and_jacobian_at_point<0>(stress_of, strain, 200.0, 0.3);
 */
template <size_t I, size_t... Of, class F, class... A>
NEML2_INLINE auto
value_and_jacobian_at_point(const F & f, const A &... a)
{
  static_assert(I < sizeof...(A), "value_and_jacobian_at_point<I>: there is no argument I");
  if constexpr ((packs::is_argument_at_point<A>() && ...) && I < sizeof...(A))
    return packs::differentiate_at_point<I, Of...>(f, a...);
}
} // namespace neml2
