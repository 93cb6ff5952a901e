// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/launch_kernel.h"

#include "neml2/recorded/KernelArguments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace neml2::device
{
NEML2_BODY void
launch_kernel(LoadedKernel & kernel,
              const Plan & plan,
              ArrayRef<const double *> numbers,
              c10::Device device)
{
  using recorded::KernelOperand;
  using First = recorded::KernelArguments<1>;
  constexpr size_t head = offsetof(First, operand);
  static_assert(max_dims == recorded::max_kernel_dims &&
                sizeof(First) == head + sizeof(KernelOperand));
  First first{};
  first.rows = 1;
  first.dims = plan.dims;
  for (int d = 0; d < plan.dims; d++)
  {
    first.size[d] = plan.size[d];
    first.rows *= plan.size[d];
  }
  if (first.rows == 0)
    return;
  alignas(First) std::array<char, head + recorded::max_kernel_operands * sizeof(KernelOperand)>
      arguments{};
  std::memcpy(arguments.data(), &first, head);
  for (int k = 0; k < plan.operands; k++)
  {
    KernelOperand o{};
    if (size_t(k) < numbers.size() && numbers[size_t(k)])
      o.number = *numbers[size_t(k)];
    else
    {
      o.data = plan.operand[k].data;
      for (int d = 0; d < plan.dims; d++)
        o.stride[d] = plan.operand[k].stride[d];
    }
    std::memcpy(arguments.data() + head + size_t(k) * sizeof o, &o, sizeof o);
  }
  constexpr Size most_blocks = (Size(1) << 31) - 1; // with more rows, threads compute several
  const Size blocks = (first.rows + recorded::block_size - 1) / recorded::block_size;
  kernel.compiler->launch({kernel.function,
                           unsigned(std::min(blocks, most_blocks)),
                           unsigned(recorded::block_size),
                           arguments.data(),
                           head + size_t(plan.operands) * sizeof(KernelOperand),
                           current_stream(device)});
  kernel.launches++;
}

NEML2_BODY bool
has_adjacent_components(const at::Tensor & t, Size batch_dim)
{
  Size count = 1;
  for (Size d = t.dim(); d-- > batch_dim;)
  {
    if (t.size(d) != 1 && t.stride(d) != count)
      return false;
    count *= t.size(d);
  }
  return true;
}

NEML2_BODY at::Tensor
with_adjacent_components(const at::Tensor & t, Size batch_dim)
{
  at::Tensor rows = t.detach();
  for (Size d = 0; d < batch_dim; d++)
    if (rows.stride(d) == 0 && rows.size(d) > 1)
      rows = rows.narrow(d, 0, 1);
  return rows.clone(at::MemoryFormat::Contiguous);
}
} // namespace neml2::device
