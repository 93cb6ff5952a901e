// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Operand.h"
#include "neml2/engine/limits.h"

namespace neml2::engine
{
/// A formula on rows (single tensors of a batch), in the form in which a device other than the CPU runs it.
class DeviceFormula
{
public:
  virtual ~DeviceFormula() = default;

  /// Evaluates the formula on a device into new tensors, one for each base shape. The operands are dense tensors on this device, or plain
  /// numbers. Returns false if the formula cannot be evaluated on the device.
  virtual bool evaluate(const Operation & op,
                        ArrayRef<Operand> operands,
                        TensorShapeRef batch,
                        ArrayRef<TensorShapeRef> bases,
                        at::Tensor * results) const = 0;

  /// Evaluates into existing tensors, which are not broadcast. If the formula cannot be evaluated on the device, the function writes
  /// nothing and returns false.
  virtual bool evaluate_into(ArrayRef<Operand> operands,
                             TensorShapeRef batch,
                             ArrayRef<at::Tensor> results) const = 0;

  /// Computes the gradient with respect to argument k, in the argument's shape. This formula must be one that computes each row's
  /// contribution to the gradient. The contributions are summed in float64 over the dimensions along which the argument was broadcast. The
  /// result is undefined if it cannot be computed. Large batches are cut into Slabs; `numbers` is the count of numbers per row.
  virtual at::Tensor
  gradient(ArrayRef<Operand> operands, TensorShapeRef batch, size_t k, Size numbers) const = 0;
};
} // namespace neml2::engine
