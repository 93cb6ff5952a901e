// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/slabs.h"
#include "neml2/engine/threads.h"

namespace neml2::engine
{
/// Adds each row of `from`, one after the other, to the row of `to` that broadcasts to it. Both are float64 with adjacent components;
/// the shapes are batch shapes.
NEML2_BODY void
add_rows(const double * from,
         TensorShapeRef from_batch,
         double * to,
         TensorShapeRef to_batch,
         Size components)
{
  const size_t n = from_batch.size(), missing = n - to_batch.size();
  std::vector<Size> at(n, 0), stride(n, 0);
  Size rows = 1, distance = components;
  for (size_t d = n; d-- > 0;)
  {
    rows *= from_batch[d];
    if (d >= missing && to_batch[d - missing] != 1)
    {
      stride[d] = distance;
      distance *= to_batch[d - missing];
    }
  }
  for (Size r = 0; r < rows; r++, from += components)
  {
    for (Size c = 0; c < components; c++)
      to[c] += from[c];
    for (size_t d = n; d-- > 0;)
    {
      to += stride[d];
      if (++at[d] < from_batch[d])
        break;
      to -= stride[d] * from_batch[d];
      at[d] = 0;
    }
  }
}

NEML2_BODY at::Tensor
summed(const at::Tensor & t, TensorShapeRef to, Size base_dim)
{
  const at::Tensor from = t.to(kFloat64).contiguous();
  if (from.sizes() == to)
    return from;
  const at::Tensor sum = at::zeros(to, TensorOptions(kFloat64));
  const size_t n = size_t(from.dim() - base_dim), m = to.size() - size_t(base_dim);
  add_rows(static_cast<const double *>(from.data_ptr()),
           from.sizes().slice(0, n),
           static_cast<double *>(sum.data_ptr()),
           to.slice(0, m),
           utils::numel(to.slice(m)));
  return sum;
}

NEML2_BODY at::Tensor
sum_of_slabs(const Slabs & slabs,
             const at::Tensor & argument,
             Size batch_dim,
             GradientOfSlab gradient)
{
  const Size base_dim = argument.dim() - batch_dim;
  const auto part = [&](Size s) { return summed(gradient(s), argument.sizes(), base_dim); };
  constexpr Size numbers_kept = 1 << 20;
  if (slabs.count == 1 || slabs.count * argument.numel() > numbers_kept)
  {
    at::Tensor sum = part(0);
    if (slabs.count > 1)
      sum = sum.clone(); // the sum may be a gradient that other code holds
    for (Size s = 1; s < slabs.count; s++)
      sum.add_(part(s));
    return sum.to(argument.scalar_type());
  }
  std::vector<at::Tensor> parts(size_t(slabs.count));
  in_parallel(slabs.count,
              1,
              [&](Size begin, Size end)
              {
                // Each thread has its own grad mode.
                const c10::AutoGradMode off(false);
                for (Size s = begin; s < end; s++)
                  parts[size_t(s)] = part(s);
              });
  at::Tensor sum = parts[0].clone();
  for (size_t s = 1; s < parts.size(); s++)
    sum.add_(parts[s]);
  return sum.to(argument.scalar_type());
}
} // namespace neml2::engine
