// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/KernelFormula.h"

#include "neml2/core/operands.h"
#include "neml2/device/compilers.h"
#include "neml2/device/launch_kernel.h"
#include "neml2/engine/memories.h"
#include "neml2/engine/slabs.h"
#include "neml2/engine/warned.h"
#include "neml2/recorded/KernelArguments.h"

namespace neml2::device
{
/// Warns once why a formula is evaluated by LibTorch's operations.
NEML2_BODY void
warn_of_composing(const std::string & name, const std::string & device, const std::exception & why)
{
  if (!is_first_warning(why.what()))
    return;
  const bool again = is_transient(why);
  TORCH_WARN("neml2: ",
             name,
             " runs by LibTorch's calls on ",
             device,
             again ? " this time, which is slower, because its kernel is not available: "
                   : ", which is slower, because there is no kernel for it: ",
             why.what(),
             again ? ". The next call tries again. " : ". ",
             "Fix this, or set NEML2_DEVICE_KERNELS=0 in the environment to turn kernels off. "
             "This warning is given once.");
}

NEML2_BODY std::shared_ptr<LoadedKernel>
KernelFormula::kernel(const at::Tensor & like) const
{
  if (device_kernels_are("0"))
    return nullptr;
  const c10::Device device = like.device();
  const bool is_float = like.scalar_type() == kFloat32;
  try
  {
    const auto compiler = device_compiler(device.type());
    if (!compiler)
      return nullptr;
    const std::lock_guard<std::mutex> lock(_mutex); // the second thread waits for the first
    for (const Made & m : _made)
      if (m.compiler == compiler && m.device == device && m.is_float == is_float)
        return m.kernel && !m.kernel->fails ? m.kernel : nullptr;
    std::shared_ptr<LoadedKernel> made;
    try
    {
      made = load_kernel(compiler, _name, source(is_float), like.scalar_type(), device);
    }
    catch (const std::exception & e)
    {
      if (!is_transient(e))
        _made.push_back({compiler, device, is_float, nullptr});
      throw;
    }
    _made.push_back({compiler, device, is_float, made});
    return made->fails ? nullptr : made;
  }
  catch (const std::exception & e)
  {
    warn_of_composing(_name, device.str(), e);
    return nullptr;
  }
}

NEML2_BODY bool
KernelFormula::evaluate_into(ArrayRef<Operand> operands,
                             TensorShapeRef batch,
                             ArrayRef<at::Tensor> results) const
{
  const at::Tensor & like = first_tensor(operands);
  if (operands.size() + results.size() > size_t(recorded::max_kernel_operands))
    return false;
  const std::shared_ptr<LoadedKernel> k = kernel(like);
  if (!k)
    return false;
  const c10::NoGradGuard copies_are_not_recorded;
  std::vector<Operand> o = operands.vec();
  std::vector<at::Tensor> copies(o.size()), dense(results.begin(), results.end());
  std::vector<const double *> numbers;
  for (size_t i = 0; i < o.size(); i++)
  {
    numbers.push_back(o[i].tensor ? nullptr : o[i].number);
    if (!o[i].tensor || has_adjacent_components(*o[i].tensor, o[i].batch_dim))
      continue;
    copies[i] = with_adjacent_components(*o[i].tensor, o[i].batch_dim);
    o[i].tensor = &copies[i];
  }
  Memories m = memories(o);
  for (auto & r : dense)
  {
    if (!has_adjacent_components(r, Size(batch.size())))
      r = at::empty(r.sizes(), r.options().requires_grad(false));
    m.push_back(memory(r, Size(batch.size())));
  }
  Plan plan;
  if (!plan.set(batch, m, int(operands.size())))
    return false;
  try
  {
    launch_kernel(*k, plan, numbers, like.device());
  }
  catch (const std::exception & e)
  {
    if (!is_transient(e))
      k->fails = true;
    warn_of_composing(_name, like.device().str(), e);
    return false;
  }
  for (size_t i = 0; i < dense.size(); i++)
    if (!dense[i].is_same(results[i]))
      results[i].copy_(dense[i]);
  return true;
}

/// A new result on a device. Its batch dimensions have this order in memory.
NEML2_BODY at::Tensor
empty_result_on_device(TensorShapeRef batch,
                       const Order & order,
                       TensorShapeRef base,
                       const TensorOptions & options)
{
  const TensorShape shape = utils::add_shapes(batch, base);
  return order.empty() ? at::empty(shape, options)
                       : at::empty_strided(shape, strides_in_order(shape, order), options);
}

NEML2_BODY bool
KernelFormula::evaluate(const Operation & op,
                        ArrayRef<Operand> operands,
                        TensorShapeRef batch,
                        ArrayRef<TensorShapeRef> bases,
                        at::Tensor * results) const
{
  const at::Tensor & like = first_tensor(operands);
  if (operands.size() + bases.size() > size_t(recorded::max_kernel_operands) || !kernel(like))
    return false;
  std::vector<at::Tensor> made(bases.size());
  bool fused = false;
  call_translated(
      op.name,
      [&]
      {
        const Order order = batch.size() > 1 ? common_order(operands, batch) : Order();
        const TensorOptions options = like.options().requires_grad(false);
        for (size_t i = 0; i < bases.size(); i++)
          made[i] = empty_result_on_device(batch, order, bases[i], options);
        fused = evaluate_into(operands, batch, made);
      },
      operands);
  for (size_t i = 0; i < bases.size() && fused; i++)
    results[i] = std::move(made[i]);
  return fused;
}

/// The gradient with respect to `argument`, which is one of these operands. If the gradient is a sum over rows, its dtype is float64.
NEML2_BODY at::Tensor
KernelFormula::part_of_gradient(ArrayRef<Operand> operands, const Operand & argument) const
{
  const at::Tensor & x = *argument.tensor;
  const TensorShape batch = broadcast_batch("vmap", operands);
  const at::Tensor parts =
      at::empty(utils::add_shapes(batch, argument.base), x.options().requires_grad(false));
  if (!evaluate_into(operands, batch, parts))
    return at::Tensor();
  const Size missing = Size(batch.size()) - argument.batch_dim;
  TensorShape shared;
  for (Size d = 0; d < Size(batch.size()); d++)
    if (d < missing || (x.size(d - missing) == 1 && batch[size_t(d)] != 1))
      shared.push_back(d);
  const at::Tensor sum = shared.empty() ? parts : parts.sum(shared, /*keepdim=*/true, kFloat64);
  return sum.reshape(x.sizes());
}

NEML2_BODY at::Tensor
KernelFormula::gradient(ArrayRef<Operand> o, TensorShapeRef batch, size_t k, Size numbers) const
{
  constexpr Size numbers_in_slab = Size(1) << 24; // 128 megabytes
  const Slabs slabs(batch, o[k].batch(), numbers, numbers_in_slab);
  const c10::NoGradGuard sums_are_not_recorded;
  at::Tensor sum;
  for (Size s = 0; s < slabs.count; s++)
  {
    std::vector<at::Tensor> tensors(o.size());
    std::vector<Operand> part = o.vec();
    for (size_t i = 0; i < o.size() && slabs.count > 1; i++)
      if (o[i].tensor)
      {
        tensors[i] = slabs.of(*o[i].tensor, o[i].batch_dim, s);
        part[i].tensor = &tensors[i];
      }
    const at::Tensor p = part_of_gradient(part, part[k]);
    if (!p.defined())
      return p;
    if (s == 0)
      sum = slabs.count > 1 ? p.to(kFloat64) : p;
    else
      sum.add_(p);
  }
  return sum.to(o[k].tensor->scalar_type());
}
} // namespace neml2::device
