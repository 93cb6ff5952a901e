// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/solve.h"
#include "neml2/engine/evaluate.h"
#include "neml2/math/composed_newton.h"

namespace neml2::math
{
/// The unknowns of the equations: unknown k has numbers[k] numbers, and all unknowns together have n numbers. Each limit is a tensor (n).
struct ComposedUnknowns
{
  ArrayRef<Size> numbers;
  at::Tensor lower, upper, step;

  ComposedUnknowns(ArrayRef<Size> n, const NewtonOptions & options, const at::Tensor & like)
    : numbers(n)
  {
    const auto each = [&](double NewtonOptions::Limits::*which)
    {
      std::vector<at::Tensor> parts;
      for (size_t k = 0; k < n.size(); k++)
        parts.push_back(at::full({n[k]}, options.limits_at(int(k)).*which, like.options()));
      return at::cat(parts);
    };
    lower = each(&NewtonOptions::Limits::lower);
    upper = each(&NewtonOptions::Limits::upper);
    step = each(&NewtonOptions::Limits::step);
  }

  /// The largest |x_k| + |d_k| of each unknown, repeated for each of its numbers.
  at::Tensor scale(const at::Tensor & x, const at::Tensor & d) const
  {
    std::vector<at::Tensor> parts;
    for (const auto & part : (x.abs() + d.abs()).split_with_sizes(numbers, -1))
      parts.push_back(part.amax(-1, /*keepdim=*/true).expand(part.sizes()));
    return at::cat(parts, -1);
  }

  /// The step d from x, shortened as kernels::NewtonUnknowns shortens it, and whether a bound changed its direction.
  std::pair<at::Tensor, at::Tensor> shorten(const at::Tensor & x, const at::Tensor & d) const
  {
    const at::Tensor part = (step / d.abs()).clamp_max(1.0).amin(-1, /*keepdim=*/true),
                     e = part * d, next = x + e, below = next.lt(lower), above = next.gt(upper);
    return {at::where(below, 0.9 * (lower - x), at::where(above, 0.9 * (upper - x), e)),
            below.bitwise_or(above).any(-1)};
  }
};

/// max_k |t_k| / scale_k; |t_k| itself where scale_k is 0. (batch; n), (batch; n) -> (batch; )
NEML2_BODY at::Tensor
newton_level(const at::Tensor & t, const at::Tensor & scale)
{
  return (t.abs() / scale.masked_fill(scale.eq(0), 1.0)).amax(-1);
}

NEML2_BODY ComposedNewton
composed_newton(const at::Tensor & guess,
                ArrayRef<Size> numbers,
                const NewtonOptions & options,
                bool differentiable,
                const ComposedEquations & equations)
{
  if (guess.is_meta())
    return {guess.clone(), guess.select(-1, 0).clone(), guess.select(-1, 0).to(c10::kBool)};
  const c10::InferenceMode normal(false); // in inference mode autograd would not record
  const bool recorded = differentiable && c10::GradMode::is_enabled();
  const ComposedUnknowns unknowns(numbers, options, guess);
  at::Tensor x = engine::saveable(guess).detach();
  if (options.limited)
    x = x.maximum(unknowns.lower).minimum(unknowns.upper);
  const at::Tensor none = at::zeros_like(x.select(-1, 0), c10::kBool);
  at::Tensor base = x, base_r = at::zeros_like(x), base_J, d = base_r, scale = base_r, level,
             iterations = at::zeros_like(none, x.scalar_type()), active = none.bitwise_not(),
             converged = none, turned = none;
  for (int it = 0; it < options.iterations && active.any().item<bool>(); it++)
  { // the same iteration as kernels::newton_iterate
    const auto [r, J] = equations(x, {});
    const at::NoGradGuard no_grad;
    iterations = iterations + active.to(iterations.scalar_type());
    const at::Tensor size = (J * x.unsqueeze(-2)).abs().sum(-1),
                     bound = options.relative_tolerance * size + options.absolute_tolerance,
                     small = active.bitwise_and(
                         r.abs().le(bound).bitwise_and(bound.isfinite()).all(-1));
    converged = converged.bitwise_or(small);
    at::Tensor accept = active.bitwise_and(r.isfinite().all(-1));
    if (it == 0)
    {
      // If the residual of the guess is not finite, there is no earlier x to go back to.
      active = accept;
      base_J = J;
    }
    else if (options.halve_steps)
    {
      const at::Tensor shorter = newton_level(composed::solve_vector(base_J, r), scale).lt(level);
      accept = accept.bitwise_and(small.bitwise_or(turned).bitwise_or(shorter));
    }
    const at::Tensor each = accept.unsqueeze(-1);
    base = at::where(each, x, base);
    base_r = at::where(each, r, base_r);
    base_J = at::where(each.unsqueeze(-1), J, base_J);
    at::Tensor step = -composed::solve_vector(base_J, base_r);
    scale = unknowns.scale(base, step);
    level = newton_level(step, scale);
    const at::Tensor stays = small.bitwise_and(step.isfinite().all(-1).bitwise_not());
    at::Tensor bounded = none;
    if (options.limited)
      std::tie(step, bounded) = unknowns.shorten(base, step);
    turned = at::where(accept, bounded, turned);
    d = at::where(each, step.masked_fill(stays.unsqueeze(-1), 0.0), 0.5 * d);
    x = at::where(active.unsqueeze(-1), base + d, x);
    active = active.bitwise_and(small.bitwise_not());
  }
  const at::Tensor each = converged.unsqueeze(-1);
  if (recorded)
  { // Steps of Newton's method from the solution: n steps give x its derivatives up to order 2^n - 1, since each step squares the error.
    x = x.detach(); // a trace does not record the NoGradGuard
    const at::Tensor known = at::where(each, x, engine::saveable(guess).detach());
    at::Tensor y = known.clone().requires_grad_(true);
    for (int k = 0; k < 3; k++)
    {
      const auto [r, J] = equations(y, converged);
      const at::Tensor identity = at::eye(J.size(-1), J.options().requires_grad(false));
      y = y - composed::solve_vector(at::where(each.unsqueeze(-1), J, identity), r);
    }
    x = at::where(each, y + (known - y.detach()), x); // x keeps the value that was found
  }
  if (!options.keep)
    x = x.masked_fill(each.bitwise_not(), std::numeric_limits<double>::quiet_NaN());
  return {x, iterations, converged};
}
} // namespace neml2::math
