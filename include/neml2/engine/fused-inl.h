// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/fused.h"
#include "neml2/engine/tiles.h"

#include <cmath>
#include <limits>

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

/// Whether float32 holds the number, neither as infinity nor with fewer digits.
inline bool
fits_float(double x)
{
  const double size = std::fabs(x);
  return !(size > 0 && size < std::numeric_limits<float>::min()) &&
         !(size > std::numeric_limits<float>::max() && std::isfinite(x));
}

/// Whether all tensors are float32, and plain numbers may be: these become so, in `copies`.
inline bool
as_floats(Memories & m, ArrayRef<Operand> operands, float * copies)
{
  for (size_t k = 0; k < m.size(); k++)
    if (k < operands.size() && !operands[k].tensor ? !fits_float(*operands[k].number)
                                                   : !m[k].is_float)
      return false;
  for (size_t k = 0; k < operands.size(); k++)
    if (!operands[k].tensor)
    {
      copies[k] = float(*operands[k].number);
      m[k].data = reinterpret_cast<char *>(copies + k);
      m[k].is_float = true;
    }
  return true;
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
  float copies[max_operands];
  const bool in_float32 = formula.float_loop.run && as_floats(m, operands, copies);
  Plan plan;
  if (!plan.set(batch, m, int(operands.size())))
    return false;
  for (int k = 0; k < plan.operands; k++)
    plan.operand[k].stays_float = in_float32;
  const TileLoop & loop = in_float32 ? formula.float_loop : formula.loop;
  const Size tile = tile_rows(loop, plan, formula.numbers);
  run_tiles(loop, formula.object, plan, tile, formula.numbers);
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

/// The strides of a tensor whose first dimensions lie in memory in this order.
NEML2_BODY TensorShape
strides_in_order(TensorShapeRef shape, const Order & order)
{
  TensorShape strides(shape.size());
  Size numbers = 1;
  for (size_t d = shape.size(); d-- > 0;)
  {
    const size_t at = d < order.size() ? size_t(order[d]) : d;
    strides[at] = numbers;
    numbers *= std::max<Size>(1, shape[at]);
  }
  return strides;
}

/// A result whose batch dimensions lie in memory in this order.
NEML2_BODY at::Tensor
empty_result(TensorShapeRef batch, const Order & order, TensorShapeRef base, Dtype dtype)
{
  const TensorShape shape = utils::add_shapes(batch, base);
  return order.empty()
             ? at::detail::empty_cpu(shape, dtype)
             : at::detail::empty_strided_cpu(shape, strides_in_order(shape, order), dtype);
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
