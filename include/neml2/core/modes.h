// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// The modes that may intercept a call before it reaches the CPU: functorch, traces, fake tensors, tangents of
/// forward-mode differentiation.
namespace neml2::core
{
/// Whether a loop over rows (the tensors of a batch) may read this tensor's memory: it is a dense CPU tensor, and nothing except
/// autograd intercepts operations on it.
inline bool
is_plain(const at::Tensor & t)
{
  constexpr c10::DispatchKeySet plain_keys({c10::DispatchKey::CPU,
                                            c10::DispatchKey::ADInplaceOrView,
                                            c10::DispatchKey::AutogradCPU,
                                            c10::DispatchKey::AutocastCPU});
  return plain_keys.has_all(t.key_set()) && !t._fw_grad(0).defined();
}

/// Whether a kernel may read this tensor's memory: it is a dense tensor on a device other than the CPU, and nothing except autograd
/// intercepts operations on it.
inline bool
is_plain_on_device(const at::Tensor & t)
{
  const auto type = t.device().type();
  if (type != kCUDA && type != c10::DeviceType::PrivateUse1)
    return false;
  const auto dense = type == kCUDA ? c10::DispatchKey::CUDA : c10::DispatchKey::PrivateUse1;
  const auto backend = c10::toBackendComponent(dense);
  const auto plain_keys = c10::DispatchKeySet(dense) |
                          c10::DispatchKeySet(c10::DispatchKey::ADInplaceOrView) |
                          c10::getAutogradRelatedKeySetFromBackend(backend) |
                          c10::getAutocastRelatedKeySetFromBackend(backend);
  return plain_keys.has_all(t.key_set()) && !t._fw_grad(0).defined();
}

/// Whether no mode (functorch, tracing, Python) intercepts a call before it reaches the CPU.
inline bool
dispatches_plainly()
{
  return c10::default_included_set.has_all(c10::impl::tls_local_dispatch_key_set().included_);
}

/// While an object of this class lives, no mode sees the operations of its thread: new tensors are plain.
class OutsideOfModes
{
  c10::impl::ForceDispatchKeyGuard _plain{without_modes()};

  static c10::impl::LocalDispatchKeySet without_modes()
  {
    c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
    keys.excluded_ = keys.excluded_ | (keys.included_ - c10::default_included_set);
    keys.included_ = keys.included_ & c10::default_included_set;
    return keys;
  }
};

/// Whether a tensor is one entry of a batch inside torch.func.vmap. Such an entry never reports that it requires a gradient, though the
/// batch may require one.
inline bool
is_entry_of_vmap(const at::Tensor & t)
{
  constexpr c10::DispatchKeySet keys(
      {c10::DispatchKey::FuncTorchBatched, c10::DispatchKey::Batched});
  return t.defined() && t.key_set().has_any(keys);
}

/// Whether functorch transforms a tensor, or the tensor has a tangent of forward-mode differentiation.
inline bool
is_transformed(const at::Tensor & t)
{
  constexpr c10::DispatchKeySet keys({c10::DispatchKey::FuncTorchBatched,
                                      c10::DispatchKey::FuncTorchGradWrapper,
                                      c10::DispatchKey::Batched});
  return t.key_set().has_any(keys) || t._fw_grad(0).defined();
}

/// Whether the values of a tensor can be read: meta and fake tensors have none, and results that are traced
/// or transformed by functorch must not depend on them.
inline bool
has_known_values(const at::Tensor & t)
{
  return dispatches_plainly() && !t.is_meta() && !t.key_set().has(c10::DispatchKey::Python);
}

/// Prepares a constant made earlier for use in an operation, so that a mode that makes all tensors fake, or
/// tracks them, sees the constant as well.
inline at::Tensor
lifted(const at::Tensor & constant)
{
  return dispatches_plainly() ? constant : at::lift_fresh(constant);
}
} // namespace neml2::core
