// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/memories.h"

#include <algorithm>

namespace neml2::engine
{
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
} // namespace neml2::engine
