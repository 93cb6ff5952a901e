// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/vector_jacobian.h"

#include "neml2/engine/memories.h"
#include "neml2/engine/slabs.h"
#include "neml2/engine/tiles.h"

namespace neml2::engine
{
NEML2_BODY at::Tensor
vector_jacobian(const RowFormula & formula,
                ArrayRef<Operand> operands,
                TensorShapeRef batch,
                const Operand & argument)
{
  const at::Tensor & x = *argument.tensor;
  const at::Tensor dense = at::detail::empty_cpu(x.sizes(), x.scalar_type());
  Memories m = memories(operands);
  m.push_back(memory(dense, argument.batch_dim));
  Plan plan;
  if (!plan.set(batch, m, int(operands.size())))
    return at::Tensor();
  RowLayout & o = plan.operand[plan.operands - 1];
  const Size tile = tile_rows(formula.loop, plan, formula.numbers);
  // If the argument was broadcast, the tiles write parts of the gradient, which are then summed over the dimensions along which it was
  // broadcast. `parts` is the shape of these parts. If the argument was broadcast along lane_dim, there is one sum per tile along lane_dim.
  // Along all other dimensions there is one value per row.
  TensorShape parts, sums;
  bool broadcast = false;
  for (int d = 0; d < plan.dims; d++)
  {
    const bool is_lane = d == plan.lane_dim;
    const bool shared = o.stride[d] == 0 && plan.size[d] != 1;
    broadcast = broadcast || shared;
    parts.push_back(is_lane && shared ? (plan.size[d] + tile - 1) / tile : plan.size[d]);
    sums.push_back(shared ? 1 : plan.size[d]);
  }
  at::Tensor partial;
  if (broadcast)
  {
    parts.push_back(o.components);
    sums.push_back(o.components);
    partial = at::detail::empty_cpu(parts, kFloat64);
    Size rows = o.components;
    o.data = static_cast<char *>(partial.data_ptr());
    o.offset = nullptr;
    o.is_float = false;
    for (int d = plan.dims - 1; d >= 0; d--)
    {
      const bool is_sum = d == plan.lane_dim && o.stride[d] == 0;
      o.stride[d] = is_sum ? 0 : rows;
      if (is_sum)
        o.tile_stride = rows;
      rows *= parts[size_t(d)];
    }
  }
  run_tiles(formula.loop, formula.object, plan, tile, formula.numbers);
  return broadcast ? summed(partial, sums, 1).reshape(x.sizes()) : dense;
}

NEML2_BODY at::Tensor
gradient_over_batch(const RowFormula & formula, ArrayRef<Operand> o, TensorShapeRef batch, size_t k)
{
  const Slabs slabs(batch, o[k].batch(), formula.numbers);
  if (slabs.dim == 0)
    return vector_jacobian(formula, o, batch, o[k]);
  const auto of_slab = [&](Size s)
  {
    std::array<at::Tensor, max_operands> tensors;
    std::vector<Operand> part = o.vec();
    for (size_t i = 0; i < o.size(); i++)
      if (o[i].tensor)
      {
        tensors[i] = slabs.of(*o[i].tensor, o[i].batch_dim, s);
        part[i].tensor = &tensors[i];
      }
    return vector_jacobian(formula, part, broadcast_batch("vmap", part), part[k]);
  };
  return sum_of_slabs(slabs, *o[k].tensor, o[k].batch_dim, of_slab);
}
} // namespace neml2::engine
