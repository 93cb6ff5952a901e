// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/kinematics.h"

/// Keeps a function from being inlined. This is possible here, because the source of a formula and all functions that it calls are compiled
/// for a single instruction set.
#ifdef NEML2_ON_DEVICE
#define NEML2_KEEP_CALL __noinline__
#elif defined(__GNUC__) || defined(__clang__)
#define NEML2_KEEP_CALL __attribute__((noinline))
#else
#define NEML2_KEEP_CALL
#endif

/// Derivatives of functions of a matrix, for the sources of recorded formulas. A Jacobian calls each function nine times. If these calls
/// were inlined, the source would take eight times as long to compile.
namespace neml2::recorded
{
template <class P>
NEML2_KEEP_CALL kernels::R2<P>
call_dexpm(const kernels::R2<P> & A, const kernels::R2<P> & E)
{
  return kernels::dexpm(A, E);
}
template <class P>
NEML2_KEEP_CALL kernels::R2<P>
call_dlogm(const kernels::R2<P> & A, const kernels::R2<P> & E)
{
  return kernels::dlogm(A, E);
}
template <class P>
NEML2_KEEP_CALL kernels::R2<P>
call_dsqrtm(const kernels::R2<P> & A, const kernels::R2<P> & E)
{
  return kernels::dsqrtm(A, E);
}
} // namespace neml2::recorded
