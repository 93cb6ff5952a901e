// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"

namespace neml2::engine
{
NEML2_BODY at::Tensor
saveable(const at::Tensor & t)
{
  return t.is_inference() ? t.clone() : t;
}

NEML2_BODY void
record_results(const Operation & op,
               RecordGradient record,
               std::shared_ptr<const Gradient> gradient,
               ArrayRef<Operand> operands,
               at::Tensor * results,
               size_t count)
{
  call_translated(op.name,
                  [&]
                  {
                    SmallVector<at::Tensor, max_operands> arguments;
                    for (const auto & x : operands)
                      arguments.push_back(x.tensor
                                              ? saveable(*x.tensor)
                                              : at::full({}, *x.number, TensorOptions(kFloat64)));
                    record(std::move(gradient), arguments, results, count);
                  });
}

NEML2_BODY at::Tensor
unshared(const at::Tensor & result, ArrayRef<Operand> operands)
{
  if (!result.has_storage() || result.layout() != kStrided)
    return result;
  bool shared = false;
  for (const auto & x : operands)
    shared = shared || (x.tensor && x.tensor->has_storage() && result.is_alias_of(*x.tensor));
  for (Size d = 0; d < result.dim(); d++)
    shared = shared || (result.stride(d) == 0 && result.size(d) > 1);
  return shared ? result.clone(at::MemoryFormat::Contiguous) : result;
}

/// Evaluates by a kernel of the device. If the device has no kernel for the operation, it computes nothing and returns false.
NEML2_BODY bool
evaluate_on_device(const Evaluation & e, at::Tensor * results)
{
  const Path path = choose_device_path(e.operands);
  const DeviceFormula * const formula = path == Path::composed ? nullptr : device_formula(e.rows);
  if (!formula)
    return false;
  const RecordGradient record = path == Path::recorded ? record_gradient.load() : nullptr;
  std::shared_ptr<const Gradient> gradient = record ? e.gradient() : nullptr;
  if ((path == Path::recorded && !gradient) ||
      !formula->evaluate(e.op, e.operands, e.batch, e.bases, results))
    return false;
  if (gradient)
    record_results(e.op, record, std::move(gradient), e.operands, results, e.bases.size());
  return true;
}

NEML2_BODY bool
evaluate(const Evaluation & e, at::Tensor * results)
{
  const Path path = choose_path(e.operands);
  const RecordGradient record =
      path == Path::recorded && e.rows.loop.run ? record_gradient.load() : nullptr;
  std::shared_ptr<const Gradient> gradient = record ? e.gradient() : nullptr;
  const bool fuses = path == Path::fused || gradient;
  if (!fuses || !fused_pass(e.op, e.rows, e.operands, e.batch, e.bases, results))
  {
    if (evaluate_on_device(e, results))
      return true;
    e.composed(results);
    return false;
  }
  if (gradient)
    record_results(e.op, record, std::move(gradient), e.operands, results, e.bases.size());
  return true;
}

NEML2_BODY void
evaluate_into(const Evaluation & e, ArrayRef<Operand> outputs, at::Tensor * results)
{
  if (choose_path(e.operands) == Path::fused && choose_path(outputs) != Path::composed)
  {
    // The new version number tells autograd that tensors which it saved earlier have changed.
    for (size_t i = 0; i < outputs.size(); i++)
      call_translated(e.op.name, [&] { results[i].unsafeGetTensorImpl()->bump_version(); });
    if (fused_pass_into(e.rows, e.operands, e.batch, {results, outputs.size()}))
      return;
  }
  else if (choose_device_path(e.operands) == Path::fused &&
           choose_device_path(outputs) != Path::composed)
  {
    const DeviceFormula * const formula = device_formula(e.rows);
    if (formula && formula->evaluate_into(e.operands, e.batch, {results, outputs.size()}))
    {
      for (size_t i = 0; i < outputs.size(); i++)
        call_translated(e.op.name, [&] { results[i].unsafeGetTensorImpl()->bump_version(); });
      return;
    }
  }
  e.composed(results);
}
} // namespace neml2::engine
