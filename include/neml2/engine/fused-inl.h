// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/fused.h"
#include "neml2/engine/tiles.h"

namespace neml2::engine
{
/// The memory of operands and results, in the order that a tile loop takes them.
using Memories = SmallVector<Memory, max_operands>;

NEML2_BODY Memories
memories(ArrayRef<Operand> operands)
{
  Memories m;
  for (const auto & x : operands)
    if (x.tensor)
      m.push_back(memory(*x.tensor, x.batch_dim));
    else
      m.push_back({reinterpret_cast<char *>(const_cast<double *>(x.number)), {}, {}, 0});
  return m;
}

NEML2_BODY bool
fused_pass_into(const RowFormula & formula,
                ArrayRef<Operand> operands,
                TensorShapeRef batch,
                ArrayRef<at::Tensor> results)
{
  if (!formula.loop.run)
    return false;
  Memories m = memories(operands);
  for (const auto & r : results)
    m.push_back(memory(r, Size(batch.size())));
  Plan plan;
  if (!plan.set(batch, m, int(operands.size())))
    return false;
  const Size tile = tile_rows(formula.loop, plan, formula.numbers);
  run_tiles(formula.loop, formula.object, plan, tile, formula.numbers);
  return true;
}

/// The order of all operands that span the batch, if they agree that it is not that of its dimensions.
NEML2_BODY Order
common_order(ArrayRef<Operand> operands, TensorShapeRef batch)
{
  Order order;
  for (const auto & x : operands)
    if (x.tensor && Size(batch.size()) == x.batch_dim)
      if (const Memory m = memory(*x.tensor, x.batch_dim); spans(m, batch))
      {
        const Order its = memory_order(m, batch);
        if (its.empty() || (!order.empty() && its != order))
          return Order();
        order = its;
      }
  return order;
}

/// A result whose batch dimensions lie in memory in this order.
NEML2_BODY at::Tensor
empty_result(TensorShapeRef batch, const Order & order, TensorShapeRef base, Dtype dtype)
{
  const TensorShape shape = utils::add_shapes(batch, base);
  if (order.empty())
    return at::detail::empty_cpu(shape, dtype);
  TensorShape strides(shape.size());
  Size numbers = 1;
  for (size_t d = shape.size(); d-- > 0;)
  {
    const size_t at = d < order.size() ? size_t(order[d]) : d;
    strides[at] = numbers;
    numbers *= std::max<Size>(1, shape[at]);
  }
  return at::detail::empty_strided_cpu(shape, strides, dtype);
}

NEML2_BODY bool
fused_pass(const Operation & op,
           const RowFormula & formula,
           ArrayRef<Operand> operands,
           TensorShapeRef batch,
           ArrayRef<TensorShapeRef> bases,
           at::Tensor * results)
{
  if (!formula.loop.run)
    return false;
  const Dtype dtype = first_tensor(operands).scalar_type();
  call_translated(
      op.name,
      [&]
      {
        const Order order = batch.size() > 1 ? common_order(operands, batch) : Order();
        for (size_t i = 0; i < bases.size(); i++)
          results[i] = empty_result(batch, order, bases[i], dtype);
      },
      operands);
  return fused_pass_into(formula, operands, batch, {results, bases.size()});
}
} // namespace neml2::engine
