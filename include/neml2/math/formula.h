// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula_recording.h"
#include "neml2/math/arithmetic.h"

#include <functional>

/// Evaluates formulas of the caller: in one pass over the rows (the tensors of a batch), or by a kernel. Where neither can run,
/// LibTorch's calls evaluate the recording of the formula, which is the list of its operations.
namespace neml2::math
{
using engine::CallRecording;
using engine::RecordedFormula;

/// Functions that evaluate recorded formulas so that autograd records one node, whose gradient is a recorded formula.
/// math/recorded_gradient.h or the compiled library sets them. Without them autograd differentiates LibTorch's
/// operations.
struct WithRecordedGradients
{
  using Record = std::function<std::shared_ptr<const RecordedFormula>()>;

  void (*evaluate)(const Operation & op,
                   const std::shared_ptr<const RecordedFormula> & formula,
                   ArrayRef<Operand> operands,
                   TensorShapeRef batch,
                   at::Tensor * results);
  /// The gradient of a formula, which `record` records in the first backward pass.
  std::shared_ptr<const engine::Gradient> (*gradient)(Record record);
};
NEML2_ONE_A_PROGRAM inline std::atomic<const WithRecordedGradients *> with_recorded_gradients{
    nullptr};

/// Evaluates the recording of a formula on operands over which no loop and no kernel can run.
void evaluate_recording(const Operation & op,
                        const std::shared_ptr<const RecordedFormula> & formula,
                        ArrayRef<Operand> operands,
                        TensorShapeRef batch,
                        at::Tensor * results);

/// The gradient that autograd's node keeps for a formula of arguments of types A. It is null if with_recorded_gradients is not set, except
/// for a formula with a gradient of its own (with_gradient).
template <class... A, class F>
std::shared_ptr<const engine::Gradient>
gradient_of_formula(const F & f, const CallRecording & recording)
{
  if constexpr (engine::has_gradient<F>)
    return f.template gradient_by_duals<A...>(f);
  else
  {
    const auto * const with = with_recorded_gradients.load();
    if (!with)
      return nullptr;
    if constexpr (engine::is_kept<F>)
      return with->gradient([f] { return engine::recorded_formula<A...>(f); });
    else // captured variables may be gone in the backward pass
      return with->gradient([recorded = recording.formula()] { return recorded; });
  }
}

/// Evaluates a formula into new tensors.
template <class F, class... A>
auto
evaluate_formula(const F & f, const A &... a)
{
  using Call = engine::Formula<F, A...>;
  const Operation op(engine::formula_name<F>(), core::Accepts::numbers);
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  const auto bases = engine::base_shapes(typename Call::Results());
  const auto record = [&] { return engine::recorded_formula<A...>(f); };
  const CallRecording recording(record);
  const auto composed = [&](at::Tensor * r)
  { evaluate_recording(op, recording.formula(), o, batch, r); };
  const auto gradient = [&] { return gradient_of_formula<A...>(f, recording); };
  typename Call::Tensors results;
  const auto rows = engine::with_device_formula(Call::rows(f), recording);
  engine::evaluate({op, o, batch, rows, bases, composed, gradient}, results.data());
  return engine::as_results<typename Call::Result, typename Call::Results>(results.data());
}
} // namespace neml2::math

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/math/formula-inl.h"
#endif
