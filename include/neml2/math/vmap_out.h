// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/formula_into.h"
#include "neml2/math/vmap.h"

/// Runs a formula over the batch and writes its results into existing tensors; vmap.h makes new tensors.
namespace neml2
{
/**
 * vmap into existing tensors: the fused pass allocates no tensors. `out` is a tensor of the result's type. If the formula returns a group,
 * `out` is such a group, or std::tie(...) of tensors and groups. An output may be the same tensor as an argument.
 *
 *     vmap_out(std::tie(stress, plastic_strain), update, strain, plastic_strain, E, nu);
 *
 * An output must have the result's batch shape, and the dtype and device of the arguments.
 * @throws NEMLException as vmap does, and if an output has another shape, dtype or device, overlaps itself, another
 * output or a part of an argument, or if a gradient would have to be recorded. The outputs are then unchanged.
 */
template <class Out, class F, class... A>
void
vmap_out(Out && out, const F & f, const A &... a)
{
  if constexpr (engine::is_nested<std::decay_t<Out>>)
    vmap_out(engine::Group<std::decay_t<Out>>::leaves(out), f, a...);
  else if constexpr (engine::needs_groups<F, A...>())
    std::apply([&](const auto &... leaf)
               { vmap_out(std::forward<Out>(out), engine::Grouped<F, A...>{f}, leaf...); },
               engine::all_leaves(a...));
  else if constexpr (engine::is_formula<F, A...>)
  {
    using Result = typename engine::Formula<F, A...>::Result;
    if constexpr (packs::is_tuple<std::decay_t<Out>>)
    {
      constexpr bool fits = math::is_tuple_of_references<std::decay_t<Out>, Result>;
      static_assert(
          fits,
          "vmap_out: the outputs must be std::tie(...) of the types that the formula returns");
      if constexpr (fits)
        math::evaluate_formula_into(f, out, engine::formula_argument(a)...);
    }
    else
    {
      constexpr bool fits = std::is_same_v<std::decay_t<Out>, Result>;
      static_assert(fits, "vmap_out: the output must be of the type that the formula returns");
      if constexpr (fits)
        math::evaluate_formula_into(f, std::tie(out), engine::formula_argument(a)...);
    }
  }
}
} // namespace neml2
