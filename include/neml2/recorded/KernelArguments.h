// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// What a kernel of a recorded formula takes: its texts and who launches it agree by this header.
namespace neml2::recorded
{
/// Threads in a block of a kernel.
constexpr int block_size = 128;
/// Batch dimensions that a kernel tells apart; those that lie behind each other in memory count as one.
constexpr int max_kernel_dims = 8;
/// Operands of a kernel: a device passes 4096 bytes of arguments.
constexpr int max_kernel_operands = 55;

/// Where the rows of an operand lie on a device, the numbers of each side by side; or the value of a plain number.
struct KernelOperand
{
  union
  {
    void * data; ///< of float64 or float32, the same for all operands
    double number;
  };
  int64_t stride[max_kernel_dims]; ///< from row to row, in numbers; 0 where all rows are one
};

/// The operands of a program, its arguments, then its results, and the dimensions that their rows are counted by: from the outermost, the
/// last one fastest.
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
