// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/fused.h"
#include "neml2/engine/memories.h"
#include "neml2/engine/tiles.h"

#include <cmath>
#include <limits>

namespace neml2::engine
{
/// Whether a number is in the range of float32: it is 0, infinite or NaN, or its size is between the smallest normal and the largest finite
/// number of float32.
inline bool
fits_float(double x)
{
  const double size = std::fabs(x);
  return !(size > 0 && size < std::numeric_limits<float>::min()) &&
         !(size > std::numeric_limits<float>::max() && std::isfinite(x));
}

/// Returns whether all tensors are float32 and float32 can hold all plain numbers. In this case it converts the numbers into `copies`.
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

/// A new result. Its batch dimensions have this order in memory.
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
