// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/formula.h"

#include "neml2/math/columns.h"

namespace neml2::math
{
/// Converts float16 and bfloat16 to float32, integers to float64, calls evaluate, and rounds the results back to float16 or bfloat16.
/// Returns false for other dtypes.
NEML2_BODY bool
evaluate_widened(ArrayRef<Operand> operands,
                 at::Tensor * results,
                 size_t count,
                 c10::function_ref<void(ArrayRef<Operand>)> evaluate)
{
  const Dtype dtype = engine::first_tensor(operands).scalar_type();
  const bool is_half = dtype == kFloat16 || dtype == c10::kBFloat16;
  if (!is_half && !c10::isIntegralType(dtype, /*includeBool=*/false))
    return false;
  std::vector<Operand> wide = operands.vec();
  std::vector<at::Tensor> tensors;
  tensors.reserve(wide.size()); // operands refer to them
  for (Operand & o : wide)
    if (o.tensor)
    {
      tensors.push_back(o.tensor->to(is_half ? kFloat32 : kFloat64));
      o.tensor = &tensors.back();
    }
  evaluate(wide);
  for (size_t k = 0; k < count && is_half; k++)
    results[k] = results[k].to(dtype);
  return true;
}

/// Refuses sparse tensors.
NEML2_BODY void
check_dense(const Operation & op, ArrayRef<Operand> operands)
{
  for (const Operand & o : operands)
    NEML2_CHECK(!o.tensor || o.tensor->layout() == kStrided,
                op.name,
                ": ",
                o,
                " is sparse. Expected dense tensors: to_dense() makes one.");
}

NEML2_BODY void
evaluate_recording(const Operation & op,
                   const std::shared_ptr<const RecordedFormula> & formula,
                   ArrayRef<Operand> operands,
                   TensorShapeRef batch,
                   at::Tensor * results)
{
  if (const auto * const with = with_recorded_gradients.load())
    return with->evaluate(op, formula, operands, batch, results);
  check_dense(op, operands);
  const auto on_columns = [&](ArrayRef<Operand> o)
  {
    call_translated(
        op.name,
        [&] { evaluate_on_columns(formula->value(), o, batch, formula->bases(), results); },
        operands);
  };
  if (!evaluate_widened(operands, results, formula->bases().size(), on_columns))
    on_columns(operands);
}
} // namespace neml2::math
