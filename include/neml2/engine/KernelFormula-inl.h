// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/KernelFormula.h"

#include "neml2/engine/KernelCache.h"
#include "neml2/engine/device_compilers.h"
#include "neml2/core/operands.h"
#include "neml2/engine/memories.h"
#include "neml2/engine/slabs.h"
#include "neml2/recorded/KernelArguments.h"
#include "neml2/version.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

namespace neml2
{
namespace engine
{
struct LoadedKernel
{
  std::shared_ptr<DeviceCompiler> compiler;
  DeviceCompiler::Function function;
  DeviceKernel made; ///< but for its launches
  std::atomic<int64_t> launches{0};
  std::atomic<bool> fails{false};
};

/// All kernels of a program. None is unloaded: it may be running.
struct NEML2_ONE_A_PROGRAM LoadedKernels
{
  std::mutex mutex;
  std::vector<std::pair<std::string, std::shared_ptr<LoadedKernel>>> all; ///< by key and device
  std::set<std::string> warned;
};

NEML2_ONE_A_PROGRAM inline LoadedKernels &
loaded_kernels()
{
  static LoadedKernels * const kernels = new LoadedKernels; // threads may run to the very end
  return *kernels;
}

namespace kernels_asked
{
inline bool
is(const char * word)
{
  const char * const asked = std::getenv("NEML2_DEVICE_KERNELS");
  return asked && std::strcmp(asked, word) == 0;
}
} // namespace kernels_asked

/// Says once why a formula runs by LibTorch's calls.
NEML2_BODY void
warn_of_composing(const std::string & name, const std::string & device, const char * why)
{
  const std::string reason = why;
  {
    LoadedKernels & k = loaded_kernels();
    const std::lock_guard<std::mutex> lock(k.mutex);
    if (!k.warned.insert(reason).second)
      return;
  }
  TORCH_WARN(
      "neml2: ",
      name,
      " runs by LibTorch's calls on ",
      device,
      ", which is slower, as there is no kernel for it: ",
      reason,
      ". Mend that, or set NEML2_DEVICE_KERNELS=0 in the environment to have no kernels. This "
      "is said once.");
}

/// A kernel of a source, from those of the program, from the cache, or compiled.
NEML2_BODY std::shared_ptr<LoadedKernel>
load_kernel(const std::shared_ptr<DeviceCompiler> & compiler,
            const std::string & name,
            const std::string & source,
            Dtype dtype,
            c10::Device device)
{
  const auto start = std::chrono::steady_clock::now();
  const std::string architecture = compiler->architecture(device);
  const std::string key =
      digest(source + '\n' + compiler->version() + '\n' + architecture + "\nneml2 " +
             std::to_string(NEML2_VERSION_MAJOR) + '.' + std::to_string(NEML2_VERSION_MINOR) + '.' +
             std::to_string(NEML2_VERSION_PATCH));
  const std::string place = key + ' ' + device.str();
  LoadedKernels & kernels = loaded_kernels();
  const auto find = [&]() -> std::shared_ptr<LoadedKernel>
  {
    for (const auto & k : kernels.all)
      if (k.first == place && k.second->compiler == compiler)
        return k.second;
    return nullptr;
  };
  {
    const std::lock_guard<std::mutex> lock(kernels.mutex);
    if (auto found = find())
      return found;
  }
  const KernelCache cache;
  std::string image = cache.find(key);
  bool from_cache = !image.empty();
  auto made = std::make_shared<LoadedKernel>();
  if (from_cache)
    try
    {
      made->function = compiler->load(image, device);
    }
    catch (const std::exception &) // it is whole, and yet no kernel
    {
      from_cache = false;
    }
  if (!from_cache)
  {
    image = compiler->compile(source, architecture);
    made->function = compiler->load(image, device);
    cache.keep(key, image);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  made->compiler = compiler;
  made->made = {name, dtype, device.str(), architecture, from_cache, took.count(), 0};
  if (kernels_asked::is("verbose"))
    std::fprintf(stderr,
                 "neml2: %s (%s) for %s on %s: %s in %.0f ms\n",
                 name.c_str(),
                 dtype_name(dtype),
                 architecture.c_str(),
                 device.str().c_str(),
                 from_cache ? "read from the cache" : "compiled",
                 1e3 * took.count());
  const std::lock_guard<std::mutex> lock(kernels.mutex);
  if (auto found = find()) // by another thread meanwhile
    return found;
  kernels.all.emplace_back(place, made);
  return made;
}

NEML2_BODY std::shared_ptr<LoadedKernel>
KernelFormula::kernel(const at::Tensor & like) const
{
  if (kernels_asked::is("0"))
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
    _made.push_back({compiler, device, is_float, nullptr});
    _made.back().kernel =
        load_kernel(compiler, _name, source(is_float), like.scalar_type(), device);
    return _made.back().kernel;
  }
  catch (const std::exception & e)
  {
    warn_of_composing(_name, device.str(), e.what());
    return nullptr;
  }
}

/// Whether the numbers of each row lie side by side.
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

/// A copy of the rows of a tensor with the numbers of each side by side; along a dimension that is expanded, of one.
NEML2_BODY at::Tensor
with_adjacent_components(const at::Tensor & t, Size batch_dim)
{
  at::Tensor rows = t.detach();
  for (Size d = 0; d < batch_dim; d++)
    if (rows.stride(d) == 0 && rows.size(d) > 1)
      rows = rows.narrow(d, 0, 1);
  return rows.clone(at::MemoryFormat::Contiguous);
}

/// Puts a kernel of planned operands on the stream of their device. `numbers`: the value of each operand that is a plain number, else
/// null.
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
  constexpr Size most_blocks = (Size(1) << 31) - 1; // each thread goes on to other rows
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
    k->fails = true;
    warn_of_composing(_name, like.device().str(), e.what());
    return false;
  }
  for (size_t i = 0; i < dense.size(); i++)
    if (!dense[i].is_same(results[i]))
      results[i].copy_(dense[i]);
  return true;
}

/// A result on a device whose batch dimensions lie in memory in this order.
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

/// The gradient by an argument of these operands, of float64 where it is a sum.
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
} // namespace engine

NEML2_BODY std::vector<DeviceKernel>
device_kernels()
{
  engine::LoadedKernels & kernels = engine::loaded_kernels();
  const std::lock_guard<std::mutex> lock(kernels.mutex);
  std::vector<DeviceKernel> all;
  for (const auto & k : kernels.all)
  {
    all.push_back(k.second->made);
    all.back().launches = k.second->launches;
  }
  return all;
}
} // namespace neml2
