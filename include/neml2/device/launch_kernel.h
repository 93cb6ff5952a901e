// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/LoadedKernel.h"
#include "neml2/engine/plan.h"

/// The launch of a kernel.
namespace neml2::device
{
/// Launches a kernel for the operands of a plan on the current stream of their device. For each operand that is a plain number, `numbers`
/// contains the address of its value; for each tensor it contains null.
void launch_kernel(LoadedKernel & kernel,
                   const Plan & plan,
                   ArrayRef<const double *> numbers,
                   c10::Device device);

/// Whether the numbers of each row (a row is one tensor of the batch) are adjacent in memory, as kernels require.
bool has_adjacent_components(const at::Tensor & t, Size batch_dim);

/// A copy of a tensor in which the numbers of each row are adjacent. Along an expanded dimension only one row is copied.
at::Tensor with_adjacent_components(const at::Tensor & t, Size batch_dim);
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/launch_kernel-inl.h"
#endif
