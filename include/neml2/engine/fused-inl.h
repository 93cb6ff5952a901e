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
        for (size_t i = 0; i < bases.size(); i++)
          results[i] = at::detail::empty_cpu(utils::add_shapes(batch, bases[i]), dtype);
      },
      operands);
  return fused_pass_into(formula, operands, batch, {results, bases.size()});
}
} // namespace neml2::engine
