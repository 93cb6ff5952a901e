// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace neml2
{
/**
 * A constant tensor, such as an index map or a factor, made once for each dtype and device.
 *
 *     static TensorCache half([](const TensorOptions & o) { return Tensor::full({}, 0.5, o); });
 *     x * half(x.options());
 *
 * Tensors cannot be made before main() starts; a cache makes them on first use. Threads may share one cache, because a
 * lock protects it (about 20 ns per call). With a thread_local cache, each thread would keep a copy. The
 * returned tensor is shared: never write to it.
 */
class TensorCache
{
public:
  using Maker = std::function<Tensor(const TensorOptions &)>;

  /// The cache calls the maker once for each dtype and device, with options that name both. If several threads ask at the same
  /// time, each may call the maker, and the first result is kept. The maker may use other caches.
  explicit TensorCache(Maker maker) : _maker(std::move(maker)) {}

  /// The tensor for the dtype and device of the options, which are the default options if none are given. The reference
  /// is valid as long as the cache lives.
  /// @throws NEMLException if the maker returns an undefined tensor, and the maker's own exceptions; the next
  /// call then calls the maker again.
  const Tensor & operator()(const TensorOptions & options = default_tensor_options())
  {
    const Key key = key_of(options);
    {
      const std::lock_guard<std::mutex> lock(_mutex);
      if (const auto found = _tensors.find(key); found != _tensors.end())
        return found->second;
    }
    Tensor made = make(key); // without the lock, so that the maker may use this cache
    const std::lock_guard<std::mutex> lock(_mutex);
    return _tensors.try_emplace(key, std::move(made)).first->second;
  }

private:
  using Key = std::tuple<Dtype, c10::DeviceType, DeviceIndex>;

  static Key key_of(const TensorOptions & options)
  {
    const Dtype dtype = c10::typeMetaToScalarType(core::with_dtype(options).dtype());
    const Device device = options.device();
    if (device.is_cpu())
      return {dtype, kCPU, DeviceIndex(-1)};
    if (device.has_index())
      return {dtype, device.type(), device.index()};
    // The current device, which may be another one in the next call.
    const Device current = core::translate_errors(
        "TensorCache", [&] { return at::empty({0}, options.dtype(dtype)).device(); });
    return {dtype, current.type(), current.index()};
  }

  Tensor make(const Key & key) const
  {
    const auto & [dtype, type, index] = key;
    const c10::InferenceMode off(false); // autograd could not save tensors made in inference mode
    const core::OutsideOfModes
        no_modes; // a fake tensor, or one of torch.func, is invalid after its mode has ended
    Tensor t = _maker(TensorOptions().dtype(dtype).device(Device(type, index)));
    core::check_defined("TensorCache", t);
    return t;
  }

  Maker _maker;
  std::mutex _mutex;
  std::map<Key, Tensor> _tensors; ///< a map, so that references to entries stay valid
};
} // namespace neml2
