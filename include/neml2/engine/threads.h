// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

#ifdef __unix__
#include <unistd.h>
#endif

/// Loops on several threads.
namespace neml2::engine
{
#ifdef __unix__
/// The number of the process that loaded the library.
inline const pid_t loading_process = getpid();

/// Whether this process was forked from the process that loaded the library.
inline bool
is_forked()
{
  return getpid() != loading_process;
}
#else
inline bool
is_forked()
{
  return false;
}
#endif

/// Calls f(begin, end) for parts of the range [0, count) on LibTorch's threads. There are at most count / grain parts, rounded up. In a
/// forked process f is called once for the whole range, because OpenMP would wait for threads that exist only in the parent.
template <class F>
void
in_parallel(Size count, Size grain, const F & f)
{
  at::parallel_for(0, count, is_forked() ? count : grain, f);
}
} // namespace neml2::engine
