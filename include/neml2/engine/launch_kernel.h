// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/LoadedKernel.h"
#include "neml2/engine/plan.h"

/// The launch of a kernel.
namespace neml2::engine
{
/// Puts a kernel of planned operands on the stream of their device. `numbers` contains the value of each operand that is a plain
/// number, and null for the others.
void launch_kernel(LoadedKernel & kernel,
                   const Plan & plan,
                   ArrayRef<const double *> numbers,
                   c10::Device device);

/// Whether the numbers of each row are adjacent, as kernels need them.
bool has_adjacent_components(const at::Tensor & t, Size batch_dim);

/// A copy of the rows of a tensor with the numbers of each row adjacent; along an expanded dimension, a copy of one row.
at::Tensor with_adjacent_components(const at::Tensor & t, Size batch_dim);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/launch_kernel-inl.h"
#endif
