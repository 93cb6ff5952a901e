// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/outputs.h"
#include "neml2/math/formula.h"

/// Evaluates formulas of the caller into existing tensors.
namespace neml2::math
{
template <class Out, class Result>
constexpr bool is_tuple_of_references = false;
template <class... O, class... R>
constexpr bool is_tuple_of_references<std::tuple<O...>, std::tuple<R...>> =
    std::is_same_v<std::tuple<O...>, std::tuple<R &...>>;

/// Existing tensors as operands.
template <class... R>
std::array<Operand, sizeof...(R)>
outputs_of(const std::tuple<R &...> & out)
{
  return std::apply([](const R &... r) { return std::array<Operand, sizeof...(R)>{operand(r)...}; },
                    out);
}

/// Evaluates a formula on rows (the tensors of a batch) into existing tensors, one per result. Where no loop over rows and no kernel can
/// run, `evaluate_otherwise` makes the results.
inline void
evaluate_rows_into(const Operation & op,
                   ArrayRef<Operand> o,
                   TensorShapeRef batch,
                   const engine::RowFormula & rows,
                   ArrayRef<Operand> outputs,
                   c10::function_ref<void(at::Tensor *)> evaluate_otherwise)
{
  engine::check_outputs(op, outputs, batch, o);
  SmallVector<at::Tensor, 4> results;
  for (const Operand & out : outputs)
    results.push_back(*out.tensor);
  const auto composed = [&](at::Tensor * existing)
  {
    SmallVector<at::Tensor, 4> r(outputs.size());
    evaluate_otherwise(r.data()); // exceptions of a formula pass unchanged
    call_translated(op.name,
                    [&]
                    {
                      for (auto & c : r) // c may be a view of memory to be overwritten
                        c = engine::unshared(c, o);
                      for (size_t i = 0; i < r.size(); i++)
                        existing[i].copy_(r[i]);
                    });
  };
  engine::evaluate_into(
      {op, o, batch, rows, {}, composed, engine::no_gradient}, outputs, results.data());
}

/// Evaluates a formula into existing tensors.
template <class F, class... R, class... A>
void
evaluate_formula_into(const F & f, const std::tuple<R &...> & out, const A &... a)
{
  const Operation op("vmap_out", core::Accepts::numbers);
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  const auto record = [&] { return engine::recorded_formula<A...>(f); };
  const CallRecording recording(record);
  evaluate_rows_into(op,
                     o,
                     batch,
                     engine::with_device_formula(engine::Formula<F, A...>::rows(f), recording),
                     outputs_of(out),
                     [&](at::Tensor * r)
                     { evaluate_recording(op, recording.formula(), o, batch, r); });
}
} // namespace neml2::math
