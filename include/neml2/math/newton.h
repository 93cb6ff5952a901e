// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula_jacobian.h"
#include "neml2/kernels/newton.h"
#include "neml2/math/operators.h"
#include "neml2/math/vmap.h"

#include <functional>

/**
 * Newton's method at each point: a system of equations per entry of the batch, in one pass.
 *
 *     constexpr auto residual = [](const auto & x, const auto & a) { return x * x - a; };
 *     const Scalar root = newton(residual, 1.0, a, NewtonOptions().bounds(0, 10));
 *
 * In a formula of vmap the same call solves at the points of the formula: kernels/newton.h.
 */
namespace neml2
{
using kernels::newton;
using kernels::newton_report;
using kernels::NewtonOptions;
using kernels::NewtonReport;

namespace math
{
/// The result of newton on whole batches: (batch; n), (batch; ), (batch; ) bool.
struct ComposedNewton
{
  at::Tensor solution, iterations, converged;
};

/// The residual (batch; n) at x (batch; n), and its derivatives by x (batch; n, n). If a condition is given, both are
/// differentiable, by the arguments except at points where it does not hold.
using ComposedEquations = std::function<std::pair<at::Tensor, at::Tensor>(
    const at::Tensor & x, const at::Tensor & counts)>;

/// Newton's method by LibTorch's operations, for unknowns of these counts of numbers; it is differentiable if autograd is enabled
/// and derivatives are requested.
ComposedNewton composed_newton(const at::Tensor & guess,
                               ArrayRef<Size> unknowns,
                               const NewtonOptions & options,
                               bool differentiable,
                               const ComposedEquations & equations);

/// NaN at each point of a batch (batch; ), whose derivatives by these arguments are NaN too.
at::Tensor no_solution(ArrayRef<Operand> arguments, TensorShapeRef batch);

/// A result of newton on whole batches, split into its types.
template <class... R>
std::tuple<R...>
newton_parts(const at::Tensor & x, TensorShapeRef batch)
{
  const Size dim = Size(batch.size());
  Size first = 0;
  const auto part = [&](Size n, TensorShapeRef base)
  {
    const at::Tensor p = x.narrow(dim, first, n).reshape(utils::add_shapes(batch, base));
    first += n;
    return p;
  };
  return std::tuple<R...>{R(part(R::const_base_numel, R::base_shape))...};
}

/// Whether some of the arguments are batches, or groups with a batch.
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

/// newton as a formula of the guess and the arguments: the solution; with Report also the number of iterations, whether it
/// converged, and the norm of the residual.
template <class F, bool Report>
struct NewtonFormula
{
  static constexpr auto name = "newton";
  static constexpr bool has_fused_gradient = engine::has_gradient<F>, owns_what_it_holds = true;

  F f;
  NewtonOptions options;

  template <class X, class... A>
  NEML2_CALLS_FORMULA auto operator()(const X & guess, const A &... a) const
  {
    if constexpr (have_batch<X, A...>)
      return on_batches(guess, a...);
    else if constexpr (Report)
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

private:
  NEML2_INLINE const auto & residual() const
  {
    if constexpr (engine::has_gradient<F>)
      return f.f;
    else
      return f;
  }

  /// An argument in the form that the residual takes: detached, or with autograd's graph at the points where
  /// derivatives are wanted.
  template <class T>
  static auto argument(const T & a, TensorShapeRef batch, const at::Tensor & counts)
  {
    if constexpr (engine::is_group<T>)
      return engine::Group<T>::template regroup<0>(std::apply(
          [&](const auto &... leaf) { return std::tuple(argument(leaf, batch, counts)...); },
          engine::Group<T>::leaves(a)));
    else if (!counts.defined())
      return T(engine::saveable(a).detach().to(kFloat64));
    else
    {
      const at::Tensor each =
          at::Tensor(a).to(kFloat64).expand(utils::add_shapes(batch, T::base_shape));
      const TensorShape ones(T::base_shape.size(), 1);
      return T(at::where(counts.reshape(utils::add_shapes(batch, ones)), each, each.detach()));
    }
  }

  /// The residual, or a part of it, as (batch; n).
  template <class R>
  static at::Tensor flat(const R & r, TensorShapeRef batch, const at::Tensor & like)
  {
    if constexpr (engine::is_group<R>)
      return std::apply([&](const auto &... leaf)
                        { return at::cat({flat(leaf, batch, like)...}, Size(batch.size())); },
                        engine::Group<R>::leaves(r));
    else
    {
      using Batch = std::conditional_t<std::is_arithmetic_v<R>, Scalar, R>;
      return engine::composed_result<Batch>(r, batch, like)
          .reshape(utils::add_shapes(batch, Size(Batch::const_base_numel)));
    }
  }

  template <class X, class... A>
  auto on_batches(const X & guess, const A &... a) const
  {
    return std::apply([&](const auto &... x) { return composed(guess, std::tuple(x...), a...); },
                      engine::Group<X>::leaves(guess));
  }

  template <class X, class... R, class... A>
  auto composed(const X & guess, const std::tuple<R...> &, const A &... a) const
  {
    const std::vector<Operand> o =
        std::apply([](const auto &... leaf) { return std::vector<Operand>{operand(leaf)...}; },
                   engine::all_leaves(guess, a...));
    const TensorShape batch = broadcast_batch(name, o);
    const Dtype dtype = engine::first_tensor(o).scalar_type();
    const at::Tensor like = engine::first_tensor(o).detach().to(kFloat64);
    const auto unknown = [&](const at::Tensor & x)
    { return engine::Group<X>::template regroup<0>(newton_parts<R...>(x, batch)); };
    const auto residual_at = [&](const at::Tensor & x, const at::Tensor & counts)
    { return flat(residual()(unknown(x), argument(a, batch, counts)...), batch, like); };
    const auto equations = [&](const at::Tensor & x, const at::Tensor & counts)
    {
      const bool again = counts.defined();
      const at::AutoGradMode record(true);
      const at::Tensor variable = again ? x : x.detach().requires_grad_(true),
                       r = residual_at(variable, counts);
      const at::Tensor J = engine::composed_jacobians(r, Size(batch.size()), {variable}, again)[0];
      return again ? std::pair(r, J) : std::pair(r.detach(), J.detach());
    };
    bool differentiable = false;
    for (size_t i = sizeof...(R); i < o.size(); i++)
      differentiable = differentiable || o[i].tensor->requires_grad();
    const auto found = composed_newton(flat(guess, batch, like).to(kFloat64),
                                       {R::const_base_numel...},
                                       options,
                                       differentiable,
                                       equations);
    at::Tensor x = found.solution;
    if (differentiable && !options.keep && c10::GradMode::is_enabled())
      x = at::where(found.converged.unsqueeze(-1),
                    x,
                    no_solution(ArrayRef<Operand>(o).slice(sizeof...(R)), batch).unsqueeze(-1));
    const auto solution = unknown(x.to(dtype));
    if constexpr (Report)
    {
      const c10::AutoGradMode off(false);
      const at::Tensor left =
          found.solution.is_meta()
              ? found.iterations
              : residual_at(found.solution.detach(), {}).square().sum(-1).sqrt();
      return std::tuple(solution,
                        Scalar(found.iterations.to(dtype)),
                        Scalar(found.converged.to(dtype)),
                        Scalar(left.to(dtype)));
    }
    else
      return solution;
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
 * The x with residual(x, a...) = 0 at each point, by Newton's method from a guess.
 *
 * x is a tensor or a group of tensors (a std::tuple, a struct as for vmap). The result of residual is also a tensor or a group, and has as
 * many numbers as x. residual takes the unknown first, then the arguments; it is a formula like those of vmap, and must not capture (a struct may
 * have plain numbers as fields). The guess and the arguments are tensors, plain numbers, or groups of them, whose batch shapes broadcast; the last may
 * be NewtonOptions.
 *
 * Each point converges independently, when |r_i| <= 1e-10 + 1e-8 Σ_j |∂r_i/∂x_j x_j| in each equation i, and then takes one more
 * step. A step is halved if the step after it, computed with the same derivatives, would not be shorter (natural
 * monotonicity). If 50 evaluations do not suffice, the derivatives are singular or a number is NaN, x is NaN at that
 * point. NewtonOptions change all this.
 *
 * Derivatives are those of the implicit function, ∂x/∂a = -(∂r/∂x)^-1 ∂r/∂a; the iterations are not differentiated, and
 * the guess has no derivative. Iterations compute in float64, whatever the dtype. They take one pass over memory for dense
 * tensors on the CPU; elsewhere they run as LibTorch's operations, with one backward pass per number of x in each
 * iteration, and read one result from a GPU per iteration.
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
 * At a simple root the residual is small beside the tolerance, because the last step follows the test. A residual near the absolute
 * tolerance means that the derivatives vanish at the solution, as at a multiple root, or that the equations are small numbers: then x may
 * be wrong although it has converged.
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

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/math/newton-inl.h"
#endif
