// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/newton.h"
#include "neml2/math/operators.h"
#include "neml2/math/vmap.h"

/**
 * Newton's method at each point: one system of equations per entry of the batch, all in one pass.
 *
 *     constexpr auto residual = [](const auto & x, const auto & a) { return x * x - a; };
 *     const Scalar root = newton(residual, 1.0, a, NewtonOptions().bounds(0, 10));
 *
 * Inside a formula of vmap, the same call solves the equations of one point; see kernels/newton.h.
 */
namespace neml2
{
using kernels::newton;
using kernels::newton_report;
using kernels::NewtonOptions;
using kernels::NewtonReport;

namespace math
{
/// Whether T is a batch, or a group that contains a batch.
template <class T, class = void>
struct has_batch : std::bool_constant<core::is_tensor<T>>
{
};
template <class... A>
constexpr bool have_batch = (has_batch<A>::value || ...);
template <class Types>
constexpr bool elements_have_batch = false;
template <class... T>
constexpr bool elements_have_batch<std::tuple<T...>> = have_batch<T...>;
template <class G>
struct has_batch<G, std::enable_if_t<kernels::is_group<G>>>
  : std::bool_constant<elements_have_batch<typename kernels::Fields<G>::types>>
{
};

/// newton as a formula of the guess and the arguments. It returns the solution; if Report is true, also the number of iterations, whether
/// it converged, and the norm of the residual.
template <class F, bool Report>
struct NewtonFormula
{
  using FormulaWithin = F;
  static constexpr auto name = "newton";
  static constexpr bool has_fused_gradient = engine::has_gradient<F>, owns_what_it_holds = true;

  F f;
  NewtonOptions options;

  template <class X, class... A>
  NEML2_CALLS_FORMULA auto operator()(const X & guess, const A &... a) const
  {
    if constexpr (Report)
    {
      const auto report = kernels::newton_report(residual(), guess, a..., options);
      using T = std::decay_t<decltype(report.iterations)>;
      return std::tuple(report.solution,
                        report.iterations,
                        where(report.converged, T(1.0), T(0.0)),
                        report.residual);
    }
    else
      return kernels::newton(residual(), guess, a..., options);
  }

  template <class... L, class G>
  std::shared_ptr<const engine::Gradient> gradient_by_duals(const G & g) const
  {
    return f.template gradient_by_duals<L...>(g);
  }

  /// The bytes of the options, a part of the key of a recording.
  std::string key_of_options() const
  {
    double all[NewtonOptions::number_count];
    options.copy_to(all);
    return std::string(reinterpret_cast<const char *>(all), sizeof(all));
  }

private:
  NEML2_INLINE const auto & residual() const
  {
    if constexpr (engine::has_gradient<F>)
      return f.f;
    else
      return f;
  }
};

/// newton with its options before the arguments.
template <bool Report, class F, class X, class... A>
auto
newton_on_batches(const F & f, const NewtonOptions & options, const X & guess, const A &... a)
{
  constexpr bool valid =
      engine::are_formula_arguments<X> && (engine::are_formula_arguments<A> && ...);
  static_assert(
      valid,
      "newton: the guess and the arguments must be tensors whose types fix their base shapes "
      "(Scalar, Vec, SR2, ...), plain numbers, or groups of them: std::tuples, or structs that are "
      "templates of the types of their fields");
  if constexpr (valid)
    return vmap(NewtonFormula<F, Report>{f, options}, guess, a...);
}
} // namespace math

/**
 * Finds x with residual(x, a...) = 0 at each point, by Newton's method from a guess.
 *
 * x is a tensor or a group of tensors (a std::tuple, a struct as for vmap). The result of residual is also a tensor or a group, and has as
 * many numbers as x. residual takes the unknown first, then the arguments; it is a formula like those of vmap, and must not capture
 * variables (a struct may have plain numbers as fields). The guess and the arguments are tensors, plain numbers, or groups of them, whose
 * batch shapes broadcast; the last argument may be NewtonOptions.
 *
 * Each point converges independently, when |r_i| <= 1e-10 + 1e-8 Σ_j |∂r_i/∂x_j x_j| in each equation i, and then takes one more step. A
 * step is halved if the step after it, computed with the same derivatives, would not be shorter (natural monotonicity). x is NaN at a point
 * where 50 evaluations do not suffice, the derivatives are singular, or a number is NaN. NewtonOptions can change all these rules.
 *
 * Derivatives are those of the implicit function, ∂x/∂a = -(∂r/∂x)^-1 ∂r/∂a; the iterations are not differentiated, and nothing is
 * differentiated with respect to the guess. Iterations compute in float64 if the device has it, whatever the dtype. They take one pass over
 * memory for dense tensors on the CPU, and one kernel on CUDA; elsewhere they run as LibTorch's operations, which read one result from the
 * device per iteration.
 *
 * @throws NEMLException as vmap does.
 * Source: Deuflhard (2011), Newton Methods for Nonlinear Problems, Springer, sections 2.1.2 and 3.3.
 */
template <class F, class X, class... A, std::enable_if_t<math::have_batch<X, A...>, int> = 0>
auto
newton(const F & residual, const X & guess, const A &... a)
{
  return kernels::with_newton_options(
      [&](const NewtonOptions & o, const auto &... x)
      { return math::newton_on_batches<false>(residual, o, guess, x...); },
      a...);
}

/**
 * newton with a report at each point: {solution, iterations, converged, residual}. The last three are Scalars; converged is of dtype
 * bool. residual is √(Σ_i r_i²) of the residual r at the solution, without derivatives.
 *
 * At a simple root the residual is small compared with the tolerance, because one more step follows the test. A residual near the absolute
 * tolerance means that the derivatives vanish at the solution, as at a multiple root, or that all numbers in the equations are small: then
 * x may be wrong although it has converged.
 */
template <class F, class X, class... A, std::enable_if_t<math::have_batch<X, A...>, int> = 0>
auto
newton_report(const F & residual, const X & guess, const A &... a)
{
  const auto [solution, iterations, converged, left] = kernels::with_newton_options(
      [&](const NewtonOptions & o, const auto &... x)
      { return math::newton_on_batches<true>(residual, o, guess, x...); },
      a...);
  const auto condition = converged > 0.5;
  return NewtonReport<std::decay_t<decltype(solution)>,
                      std::decay_t<decltype(iterations)>,
                      std::decay_t<decltype(condition)>>{solution, iterations, condition, left};
}
} // namespace neml2
