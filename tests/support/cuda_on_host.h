// SPDX-License-Identifier: MIT
#pragma once

/// CUDA sources compiled for the host: a kernel is a function, which a loop calls for each thread.
#define __global__

struct Dim3
{
  unsigned x;
};
inline thread_local Dim3 gridDim, blockDim, blockIdx, threadIdx;

/// Calls a kernel for the threads of this many blocks.
template <class Kernel, class Arguments>
void
launch(const Kernel & kernel, unsigned blocks, unsigned threads, const Arguments & arguments)
{
  gridDim.x = blocks;
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
    for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)
      kernel(arguments);
}
