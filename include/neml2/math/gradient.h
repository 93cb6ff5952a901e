// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/jacobian.h"

/**
 * Derivatives of formulas, for example for models that are derived from energies. The calls are the same in a formula and on batches.
 *
 *     constexpr auto stress = [](const auto & C, const auto & mu) { return 2.0 * gradient<0>(energy, C, mu); };
 *     const auto [S, tangent] = value_and_jacobian<0>(stress, C, mu);
 *
 * Inside a formula, such a call runs a function of kernels/gradient.h.
 */
namespace neml2
{
using kernels::gradient;
using kernels::hessian;
using kernels::jacobian;
using kernels::value_and_gradient;

namespace math
{
/// The derivative of a scalar with respect to an X. It is converted to an X from what value_and_jacobian returns.
template <class X, class J>
X gradient_as(const J & j);
template <class X, class J, size_t... K>
X
gradient_of_elements(const J & j, std::index_sequence<K...>)
{
  using Each = typename engine::Fields<X>::types;
  return X{gradient_as<std::tuple_element_t<K, Each>>(std::get<K>(engine::fields(j)))...};
}
template <class X, class J>
X
gradient_as(const J & j)
{
  if constexpr (engine::is_group<X>)
    return gradient_of_elements<X>(j, std::make_index_sequence<engine::Fields<X>::count>());
  else if constexpr (std::is_same_v<X, J>)
    return j;
  else
    return X(at::Tensor(j));
}

/// Whether a formula has a gradient with respect to its argument I. If not, a static_assert says why, and callers avoid further
/// errors.
template <size_t I, class F, class... A>
constexpr bool
has_gradient_by()
{
  static_assert(I < sizeof...(A), "gradient<I>, hessian<I>: there is no argument I");
  if constexpr (I < sizeof...(A))
  {
    using X = std::tuple_element_t<I, std::tuple<A...>>;
    constexpr bool is_tensor = are_tensors<decltype(engine::Group<X>::leaves(std::declval<X &>()))>;
    static_assert(is_tensor,
                  "gradient<I>, hessian<I>: argument I must be a tensor, or a group of them, not a "
                  "plain number; make a number a Scalar");
    if constexpr (is_tensor)
    {
      constexpr bool is_scalar = engine::is_component<engine::returned_t<F, A...>>;
      static_assert(is_scalar,
                    "gradient<I>, hessian<I>: the formula must return a scalar: use jacobian<I> "
                    "for tensors");
      return is_scalar;
    }
    else
      return false;
  }
  else
    return false;
}

/// The formula f as a function of a group and of all arguments. The elements of the group replace the arguments I.
template <class F, size_t... I>
struct ByGroup
{
  using FormulaWithin = F;
  static constexpr bool owns_what_it_holds = engine::is_kept<F>;

  F f;

  template <class X, class... A>
  NEML2_CALLS_FORMULA auto operator()(const X & x, const A &... a) const
  {
    return call(x, std::tie(a...), std::index_sequence_for<A...>());
  }

private:
  template <class X, class All, size_t... K>
  NEML2_CALLS_FORMULA auto call(const X & x, const All & a, std::index_sequence<K...>) const
  {
    return f(argument<K>(x, a)...);
  }
  template <size_t K, class X, class All>
  NEML2_INLINE static const auto & argument(const X & x, const All & a)
  {
    if constexpr (((I == K) || ...))
    {
      constexpr size_t place = place_of(K);
      return std::get<place>(x);
    }
    else
      return std::get<K>(a);
  }
  static constexpr size_t place_of(size_t k)
  {
    size_t place = 0, next = 0;
    ((place = I == k ? next : place, next++), ...);
    return place;
  }
};

/// The gradient of f with respect to argument I. This struct is itself a formula.
template <size_t I, class F>
struct GradientOf
{
  using FormulaWithin = F;
  static constexpr bool owns_what_it_holds = engine::is_kept<F>;

  F f;

  template <class... A>
  NEML2_CALLS_FORMULA auto operator()(const A &... a) const
  {
    return kernels::differentiate_scalar<I>(f, a...).second;
  }
};
} // namespace math

/**
 * The value of a scalar formula f and its gradient with respect to argument I, in one pass. The gradient is that of gradient<I>(f, a...).
 *
 *     const auto [energy, P] = value_and_gradient<0>(free_energy, F, mu);
 */
template <size_t... I, class F, class... A, kernels::if_on_batches<A...> = 0>
auto
value_and_gradient(const F & f, const A &... a)
{
  static_assert(sizeof...(I) > 0, "gradient<I>: name an argument, as in gradient<0>(f, x)");
  if constexpr (sizeof...(I) > 0 && (math::has_gradient_by<I, F, A...>() && ...))
  {
    using All = std::tuple<A...>;
    if constexpr (sizeof...(I) == 1)
    {
      const auto r = value_and_jacobian<I...>(f, a...);
      return std::pair(r.first, math::gradient_as<std::tuple_element_t<I, All>...>(r.second));
    }
    else
    {
      const All all(a...);
      using X = std::tuple<std::tuple_element_t<I, All>...>;
      const auto r = value_and_jacobian<0>(math::ByGroup<F, I...>{f}, X(std::get<I>(all)...), a...);
      return std::pair(r.first, math::gradient_as<X>(r.second));
    }
  }
  else // so that no further errors are reported
    return std::pair(0.0, 0.0);
}

/**
 * The derivative of a scalar formula with respect to its argument I. It has the type of that argument: it is an SR2 of Mandel components
 * for an SR2, an R2 for an R2, and a group for a group. gradient<0, 1>(f, x, y) gives a std::tuple.
 *
 * On batches it is the second part of value_and_jacobian<I>(f, a...). In a formula the same call gives the derivative at one point:
 *
 *     const SR2 S = vmap([](const auto & C, const auto & mu) { return 2.0 * gradient<0>(energy, C, mu); }, C, mu);
 *
 * The derivative is exact, by dual numbers, and may be differentiated again: value_and_jacobian of a formula that calls gradient gives the
 * tangent, and the residual of newton may contain a gradient. Inside a formula, f must not capture variables: pass everything that f
 * depends on as an argument. Second derivatives of expm, logm, sqrtm and powm, and of a scalar isotropic(f, s), are exact also at equal
 * eigenvalues. Derivatives of eigenvectors and second derivatives of eigenvalues do not exist at equal eigenvalues, and are NaN there.
 */
template <size_t... I, class F, class... A, kernels::if_on_batches<A...> = 0>
auto
gradient(const F & f, const A &... a)
{
  return value_and_gradient<I...>(f, a...).second;
}

/// The derivative of a formula with respect to its argument I: the second part of value_and_jacobian<I>(f, a...), on batches and in a
/// formula.
template <size_t I, class F, class... A, kernels::if_on_batches<A...> = 0>
auto
jacobian(const F & f, const A &... a)
{
  return value_and_jacobian<I>(f, a...).second;
}

/**
 * The second derivative of a scalar formula with respect to its argument I, on batches and in a formula. If the argument is an SR2, the
 * result is an SSR4 of Mandel components; it is an R4 for an R2, an R2 for a Vec, and a Scalar for a Scalar.
 *
 *     const SSR4 D = hessian<0>(energy, strain, mu);
 */
template <size_t I, class F, class... A, kernels::if_on_batches<A...> = 0>
auto
hessian(const F & f, const A &... a)
{
  if constexpr (math::has_gradient_by<I, F, A...>())
    return value_and_jacobian<I>(math::GradientOf<I, F>{f}, a...).second;
  else
    return 0.0;
}
} // namespace neml2
