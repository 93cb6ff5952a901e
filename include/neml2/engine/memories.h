// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Operand.h"
#include "neml2/engine/plan.h"

/// The places of operands in memory, and the order of the dimensions of results in memory.
namespace neml2::engine
{
/// The memory of operands and results, in the order in which a tile loop takes them.
using Memories = SmallVector<Memory, max_operands>;

Memories memories(ArrayRef<Operand> operands);

/// The order in which all operands that span the batch have their dimensions in memory. Empty if the operands differ in this order, or if
/// it is the order of the shape.
Order common_order(ArrayRef<Operand> operands, TensorShapeRef batch);

/// The strides of a tensor whose first dimensions lie in memory in this order.
TensorShape strides_in_order(TensorShapeRef shape, const Order & order);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/memories-inl.h"
#endif
