// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Operand.h"
#include "neml2/engine/limits.h"

namespace neml2::engine
{
/// A formula for rows, in the form in which a device other than the CPU runs it.
class DeviceFormula
{
public:
  virtual ~DeviceFormula() = default;

  /// Evaluates plain operands on one device into new tensors there, one for each base shape. Returns false if the formula cannot be
  /// evaluated there.
  virtual bool evaluate(const Operation & op,
                        ArrayRef<Operand> operands,
                        TensorShapeRef batch,
                        ArrayRef<TensorShapeRef> bases,
                        at::Tensor * results) const = 0;

  /// Evaluates into existing tensors, which are not broadcast. If the formula cannot be evaluated
  /// there, writes nothing and returns false.
  virtual bool evaluate_into(ArrayRef<Operand> operands,
                             TensorShapeRef batch,
                             ArrayRef<at::Tensor> results) const = 0;

  /// For a formula that computes each row's part of a gradient: the gradient by argument k, in the argument's shape, summed in float64
  /// over the dimensions along which the argument was broadcast. Undefined if it cannot be computed. `numbers` is the largest count of
  /// numbers in a row.
  virtual at::Tensor
  gradient(ArrayRef<Operand> operands, TensorShapeRef batch, size_t k, Size numbers) const = 0;
};
} // namespace neml2::engine
