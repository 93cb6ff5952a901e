// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula.h"

/// Formulas of the caller that are computed in float32 for tensors of float32.
namespace neml2::engine
{
/// The formula f, to be computed in float32 for tensors of float32.
template <class F>
struct InFloat32
{
  using FormulaWithin = F;
  static constexpr bool in_float32 = true, has_fused_gradient = has_gradient<F>,
                        owns_what_it_holds = is_kept<F>;
  static constexpr auto name = formula_name<F>();

  F f;

  template <class... A>
  NEML2_CALLS_FORMULA auto operator()(const A &... a) const
  {
    return f(a...);
  }
  template <class... A, class G>
  std::shared_ptr<const Gradient> gradient_by_duals(const G & g) const
  {
    return f.template gradient_by_duals<A...>(g);
  }
};
} // namespace neml2::engine
