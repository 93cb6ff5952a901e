// SPDX-License-Identifier: MIT
#include "support/stand_in.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>
#if __has_include(<ATen/detail/PrivateUse1HooksInterface.h>)
#include <ATen/detail/PrivateUse1HooksInterface.h>
#define NEML2_HOOKS
#endif

#include <mutex>
#include <stdexcept>
#include <utility>

namespace neml2::test
{
namespace
{
constexpr auto standing_in = c10::DeviceType::PrivateUse1;

bool
is_on_stand_in(const at::Tensor & t)
{
  return t.defined() && t.device().type() == standing_in;
}

/// No address of a program has this bit: a program that reads there ends.
void *
hidden(const void * p)
{
  return p ? reinterpret_cast<void *>(uintptr_t(p) ^ uintptr_t(1) << 54) : nullptr;
}

/// Memory of the host as memory of the stand-in; the context of the latter keeps the former alive.
at::DataPtr
hidden_memory(const c10::Storage & host)
{
  return {hidden(host.data_ptr().get()),
          new c10::Storage(host),
          [](void * p) { delete static_cast<c10::Storage *>(p); },
          stand_in()};
}

/// t with its values in other memory.
at::Tensor
tensor_like(const at::Tensor & t, c10::Storage storage, c10::DispatchKey key)
{
  auto r = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(key), t.dtype());
  r.unsafeGetTensorImpl()->set_sizes_and_strides(t.sizes(), t.strides(), t.storage_offset());
  return r;
}

/// v with each tensor t in it replaced by f(t).
template <class F>
c10::IValue
each_tensor(const c10::IValue & v, const F & f)
{
  const auto of_list = [&f](auto list)
  {
    for (size_t i = 0; i < list.size(); i++)
      list.set(i, f(list.get(i)));
    return list;
  };
  if (v.isTensor())
    return f(v.toTensor());
  if (v.isTensorList())
    return of_list(v.toTensorList().copy());
  if (v.isOptionalTensorList())
  {
    auto list = v.toOptionalTensorList().copy();
    for (size_t i = 0; i < list.size(); i++)
      if (const auto t = list.get(i); t.has_value())
        list.set(i, f(*t));
    return list;
  }
  return v;
}

/// Tensors of the stand-in, and the same memory as tensors of the CPU.
class Memory
{
public:
  at::Tensor to_host(const at::Tensor & t)
  {
    if (!is_on_stand_in(t))
      return t;
    _device.push_back(t);
    _host.push_back(tensor_like(t,
                                *static_cast<c10::Storage *>(t.storage().data_ptr().get_context()),
                                c10::DispatchKey::CPU));
    return _host.back();
  }

  /// The kind of an operator's result: an argument, a view of one, or new memory.
  at::Tensor to_device(const at::Tensor & t) const
  {
    if (!t.defined())
      return t;
    for (size_t i = 0; i < _host.size(); i++)
      if (t.is_same(_host[i]))
        return _device[i];
    for (size_t i = 0; i < _host.size(); i++)
      if (t.is_alias_of(_host[i]))
        return tensor_like(t, _device[i].storage(), c10::DispatchKey::PrivateUse1);
    return tensor_like(t,
                       c10::Storage(c10::Storage::use_byte_size_t(),
                                    t.storage().nbytes(),
                                    hidden_memory(t.storage()),
                                    /*allocator=*/nullptr,
                                    /*resizable=*/false),
                       c10::DispatchKey::PrivateUse1);
  }

  /// Shows the tensors that the operator resized.
  void resize() const
  {
    for (size_t i = 0; i < _host.size(); i++)
    {
      const auto & host = _host[i].storage();
      const auto & storage = _device[i].storage();
      if (storage.data_ptr().get() != hidden(host.data_ptr().get()))
        storage.set_data_ptr_noswap(hidden_memory(host));
      storage.set_nbytes(host.nbytes());
      if (_device[i].sizes() != _host[i].sizes() || _device[i].strides() != _host[i].strides())
        _device[i].unsafeGetTensorImpl()->set_sizes_and_strides(_host[i].sizes(),
                                                                _host[i].strides());
    }
  }

private:
  std::vector<at::Tensor> _device, _host;
};

/// The operators in which the host waited, in all threads.
class Waits
{
public:
  void add(const std::string & name)
  {
    const std::lock_guard<std::mutex> lock(_mutex);
    _names.insert(name);
  }

  std::set<std::string> take()
  {
    const std::lock_guard<std::mutex> lock(_mutex);
    return std::exchange(_names, {});
  }

private:
  std::mutex _mutex;
  std::set<std::string> _names;
};
Waits waited;

/// Operators that give the host a number or a size that depends on values, or that wait inside LibTorch's code
/// for CUDA.
const std::set<std::string> waiting{"aten::_local_scalar_dense",
                                    "aten::_linalg_eigh",
                                    "aten::_linalg_eigvals",
                                    "aten::_linalg_svd",
                                    "aten::_unique2",
                                    "aten::bincount",
                                    "aten::equal",
                                    "aten::histc",
                                    "aten::linalg_eig",
                                    "aten::linalg_eigh",
                                    "aten::linalg_lstsq",
                                    "aten::linalg_matrix_exp",
                                    "aten::masked_select",
                                    "aten::nonzero",
                                    "aten::repeat_interleave",
                                    "aten::unique_consecutive",
                                    "aten::unique_dim"};

using Values = c10::ArrayRef<c10::IValue>;

/// Whether an operator waits for indices: masks become indices, whose number depends on values, and
/// indices on the CPU are copied.
bool
indices_wait(Values arguments)
{
  bool found = false;
  for (const auto & v : arguments)
    if (v.isOptionalTensorList())
      each_tensor(v,
                  [&](const at::Tensor & t)
                  {
                    found = found ||
                            (t.defined() && (!is_on_stand_in(t) || t.scalar_type() == at::kBool));
                    return t;
                  });
  return found;
}

void
check_devices(const std::string & name, Values arguments)
{
  bool device = false, host = false;
  for (const auto & v : arguments)
    if (!v.isOptionalTensorList()) // indices may be on the CPU
      each_tensor(v,
                  [&](const at::Tensor & t)
                  {
                    (is_on_stand_in(t) ? device : host) |= t.defined() && t.dim() > 0;
                    return t;
                  });
  TORCH_CHECK(!(device && host), name, ": tensors of ", stand_in(), " and of the CPU");
}

/// aten::_copy_from, which the CPU does not have.
void
copy_between(const at::Tensor & from, const at::Tensor & to, bool non_blocking)
{
  if (is_on_stand_in(from) && !is_on_stand_in(to))
    waited.add("copy to the host");
  if (!is_on_stand_in(from) && is_on_stand_in(to) && !non_blocking)
    waited.add("copy to the device");
  Memory memory;
  memory.to_host(to).copy_(memory.to_host(from));
}

/// Runs an operator on the CPU.
void
call(const c10::OperatorHandle & op, c10::Stack * stack)
{
  const auto & name = op.schema().name();
  const auto arguments = torch::jit::pop(*stack, op.schema().arguments().size());
  if (name == "aten::_copy_from")
  {
    copy_between(arguments[0].toTensor(), arguments[1].toTensor(), arguments[2].toBool());
    stack->push_back(arguments[1]);
    return;
  }
  check_devices(name, arguments);
  if (waiting.count(name) > 0 || indices_wait(arguments))
    waited.add(name);
  Memory memory;
  const auto to_host = [&](const at::Tensor & t) { return memory.to_host(t); };
  const auto to_device = [&](const at::Tensor & t) { return memory.to_device(t); };
  for (const auto & v : arguments)
    stack->push_back(v.isDevice() ? c10::IValue(at::Device(at::kCPU)) : each_tensor(v, to_host));
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  memory.resize();
  for (auto & v : torch::jit::pop(*stack, op.schema().returns().size()))
    stack->push_back(each_tensor(v, to_device));
}

/// One device with one stream, on which all work is done at once.
struct Guard : c10::impl::DeviceGuardImplInterface
{
  c10::DeviceType type() const override { return standing_in; }
  at::Device exchangeDevice(at::Device) const override { return device(); }
  at::Device getDevice() const override { return device(); }
  void setDevice(at::Device) const override {}
  void uncheckedSetDevice(at::Device) const noexcept override {}
  c10::Stream getStream(at::Device) const noexcept override { return stream(); }
  c10::Stream exchangeStream(c10::Stream) const noexcept override { return stream(); }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void
  record(void **, const c10::Stream &, const c10::DeviceIndex, const c10::EventFlag) const override
  {
  }
  void block(void *, const c10::Stream &) const override {}

  static at::Device device() { return {standing_in, 0}; }
  static c10::Stream stream() { return c10::Stream(c10::Stream::DEFAULT, device()); }
};
const c10::impl::DeviceGuardImplRegistrar guard(standing_in, new Guard);

#ifdef NEML2_HOOKS
/// Tells the engine of autograd that the device exists. No function is marked override, since LibTorch 2.1 has
/// only one of them.
struct Hooks : at::PrivateUse1HooksInterface
{
  bool isBuilt() const { return true; }
  bool isAvailable() const { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const { return true; }
};
#endif

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&call>());
}
} // namespace

at::Device
stand_in()
{
  if (at::hasCUDA())
    throw std::logic_error(
        "The stand-in for a GPU and a GPU do not go together in one program: run the tests "
        "[stand-in] "
        "with CUDA_VISIBLE_DEVICES=, those of the GPU as \"[cuda]~[stand-in]\".");
#ifdef NEML2_HOOKS
  // Registered only when first needed: if both exist, LibTorch prefers this device to the GPU.
  static const bool registered = (c10::register_privateuse1_backend("standin"),
                                  at::RegisterPrivateUse1HooksInterface(new Hooks),
                                  true);
  (void)registered;
#endif
  return {standing_in, 0};
}

std::set<std::string>
waits_of(const std::function<void()> & f)
{
  waited.take();
  f();
  return waited.take();
}
} // namespace neml2::test
