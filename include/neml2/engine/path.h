// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"
#include "neml2/core/modes.h"
#include "neml2/engine/limits.h"
#include "neml2/packs/instruction_set.h"

/// The choice between one fused pass and LibTorch's operations.
namespace neml2::engine
{
/// How to evaluate an operation on some operands.
enum class Path
{
  fused,
  recorded, ///< fused, with a node for autograd
  composed
};

/// Chooses the path for operands; is_readable says whether an operand can be read in place.
template <class IsReadable>
Path
choose_path(ArrayRef<Operand> operands, const IsReadable & is_readable)
{
  const at::Tensor * first = nullptr;
  bool recorded = false;
  const bool grad_mode =
      c10::GradMode::is_enabled() && !c10::impl::tls_local_dispatch_key_set().excluded_.has(
                                         c10::DispatchKey::AutogradFunctionality);
  for (const auto & x : operands)
    if (x.tensor)
    {
      const at::Tensor & t = *x.tensor;
      const auto dtype = t.scalar_type();
      if (first ? dtype != first->scalar_type() : dtype != kFloat64 && dtype != kFloat32)
        return Path::composed;
      if (!is_readable(t))
        return Path::composed;
      recorded = recorded || (grad_mode && t.requires_grad());
      first = &t;
    }
  if (!dispatches_plainly())
    return Path::composed;
  return recorded ? Path::recorded : Path::fused;
}

inline Path
choose_path(ArrayRef<Operand> operands)
{
  return choose_path(operands, [](const at::Tensor & t) { return is_plain(t); });
}

/// Chooses the path for operands on a device other than the CPU whose kernels are compiled while a program runs.
inline Path
choose_device_path(ArrayRef<Operand> operands)
{
  return choose_path(operands, [](const at::Tensor & t) { return is_plain_on_device(t); });
}

/// Whether these operands take the fused loop without recording a gradient.
inline bool
are_fusible(ArrayRef<Operand> operands)
{
  return choose_path(operands) == Path::fused;
}

/// Whether an operation on these tensors would take the fused loop without recording a gradient. It is for tests and benchmarks: the
/// results of the fused loop and of LibTorch's operations differ only by round-off.
template <class... A>
bool
can_fuse(const A &... a)
{
  return has_loop() && are_fusible({operand(a)...});
}
} // namespace neml2::engine
