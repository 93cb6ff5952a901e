// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The arguments of a kernel of a recorded formula. The source of the kernel and the code that launches it both use this header.
namespace neml2::recorded
{
/// The number of threads per block of a kernel.
constexpr int block_size = 128;
/// The largest number of batch dimensions of a kernel; dimensions that are contiguous with each other count as one.
constexpr int max_kernel_dims = 8;
/// The largest number of operands of a kernel: CUDA before 12.1 passes at most 4096 bytes of arguments.
constexpr int max_kernel_operands = 55;

/// An operand of a kernel. It is the value of a plain number, or a tensor on a device, in which the numbers of each row are adjacent.
struct KernelOperand
{
  union
  {
    void * data; ///< points to float64 or float32; all operands have the same type
    double number;
  };
  /// The distance from row to row along each batch dimension, in numbers; 0 along a dimension where all rows are the same.
  int64_t stride[max_kernel_dims];
};

/// The operands of a program (its arguments, then its results), and the batch dimensions along which their rows lie, beginning with the
/// outermost one. Along the innermost one the number of the row increases fastest.
template <int n>
struct KernelArguments
{
  static_assert(n <= max_kernel_operands);

  int64_t rows; ///< the product of the sizes
  int64_t dims; ///< at least 1
  int64_t size[max_kernel_dims];
  KernelOperand operand[n];
};
} // namespace neml2::recorded
