// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/DeviceFormula.h"
#include "neml2/device/LoadedKernel.h"

#include <mutex>

namespace neml2::device
{
/**
 * A formula whose kernel is made from source text. The first call for a dtype and a device compiles the source, or reads the compiled
 * kernel from the cache; equal sources share one kernel. If compiling or a launch fails, one warning says why, and nothing is evaluated.
 * After a failure that is_transient the next call tries again.
 *
 * The environment variable NEML2_DEVICE_KERNELS=0 turns all kernels off; NEML2_DEVICE_KERNELS=verbose prints each new kernel.
 */
class KernelFormula : public DeviceFormula
{
public:
  explicit KernelFormula(std::string name) : _name(std::move(name)) {}

  /// The source of the kernel. It defines the function neml2_kernel, which takes recorded::KernelArguments. The operands are float32 if
  /// is_float is true, otherwise float64.
  virtual std::string source(bool is_float) const = 0;

  bool evaluate(const Operation & op,
                ArrayRef<Operand> operands,
                TensorShapeRef batch,
                ArrayRef<TensorShapeRef> bases,
                at::Tensor * results) const override;
  bool evaluate_into(ArrayRef<Operand> operands,
                     TensorShapeRef batch,
                     ArrayRef<at::Tensor> results) const override;

  at::Tensor
  gradient(ArrayRef<Operand> operands, TensorShapeRef batch, size_t k, Size numbers) const override;

private:
  struct Made
  {
    std::shared_ptr<DeviceCompiler> compiler;
    c10::Device device;
    bool is_float;
    std::shared_ptr<LoadedKernel> kernel;
  };

  std::string _name;
  mutable std::mutex _mutex;
  mutable std::vector<Made> _made;

  std::shared_ptr<LoadedKernel> kernel(const at::Tensor & like) const;
  at::Tensor part_of_gradient(ArrayRef<Operand> operands, const Operand & argument) const;
};
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/KernelFormula-inl.h"
#endif
