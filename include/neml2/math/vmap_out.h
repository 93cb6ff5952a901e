// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/outputs.h"
#include "neml2/math/vmap.h"

/// A formula run over the batch into existing tensors; into new ones by vmap.h.
namespace neml2
{
namespace core
{
template <class Out, class Result>
constexpr bool is_tuple_of_references = false;
template <class... O, class... R>
constexpr bool is_tuple_of_references<std::tuple<O...>, std::tuple<R...>> =
    std::is_same_v<std::tuple<O...>, std::tuple<R &...>>;

/// Evaluates a formula into existing tensors.
template <class F, class... R, class... A>
void
evaluate_formula_into(const F & f, const std::tuple<R &...> & out, const A &... a)
{
  using Call = Formula<F, A...>;
  const Operation op("vmap_out", Accepts::any);
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  const auto outputs = std::apply(
      [](const R &... r) { return std::array<Operand, sizeof...(R)>{operand(r)...}; }, out);
  check_outputs(op, outputs, batch, o);
  typename Call::Tensors results;
  for (size_t i = 0; i < Call::count; i++)
    results[i] = *outputs[i].tensor;

  Path path = choose_path(o);
  if (choose_path(outputs) == Path::composed)
    path = Path::composed;
  if (path == Path::fused)
  {
    for (const auto & r : results) // what autograd has saved of it is outdated
      call_translated("vmap_out", [&] { r.unsafeGetTensorImpl()->bump_version(); });
    if (evaluate_into(row_formula<typename Call::Tile>(f), o, batch, results))
      return;
  }
  typename Call::Tensors composed;
  compose(f, batch, first_tensor(o), composed.data(), a...); // what f throws passes as it is
  call_translated("vmap_out",
                  [&]
                  {
                    for (auto & c : composed) // views of what is about to be overwritten
                      c = unshared(c, o);
                    for (size_t i = 0; i < Call::count; i++)
                      results[i].copy_(composed[i]);
                  });
}
} // namespace core

/**
 * vmap into existing tensors: the fused pass allocates none. `out` is a tensor of the result's type, or for a
 * formula that returns a std::tuple, std::tie(...) of them; an argument may be its own output.
 *
 *     vmap_out(std::tie(stress, plastic_strain), update, strain, plastic_strain, E, nu);
 *
 * It must have the result's batch shape, and the dtype and device of the arguments.
 * @throws NEMLException, with nothing written, as vmap does, and if an output has another shape, dtype
 *   or device, shares memory with itself, with another output or with a part of an argument, or if a
 *   gradient would have to be recorded.
 */
template <class Out, class F, class... A>
void
vmap_out(Out && out, const F & f, const A &... a)
{
  if constexpr (core::is_formula<F, A...>)
  {
    using Result = typename core::Formula<F, A...>::Result;
    if constexpr (core::is_tuple<std::decay_t<Out>>)
    {
      constexpr bool fits = core::is_tuple_of_references<std::decay_t<Out>, Result>;
      static_assert(
          fits,
          "vmap_out: the outputs must be std::tie(...) of the types that the formula returns");
      if constexpr (fits)
        core::evaluate_formula_into(f, out, core::formula_argument(a)...);
    }
    else
    {
      constexpr bool fits = std::is_same_v<std::decay_t<Out>, Result>;
      static_assert(fits, "vmap_out: the output must be of the type that the formula returns");
      if constexpr (fits)
        core::evaluate_formula_into(f, std::tie(out), core::formula_argument(a)...);
    }
  }
}
} // namespace neml2
