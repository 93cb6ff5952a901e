// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Symbol.h"

/// Exponential, logarithm and root of an R2 in recordings. Each is recorded as one operation, because the number of its steps depends on
/// the values. A formula that calls expm, logm or sqrtm gets these overloads while it is recorded.
namespace neml2::recorded
{
kernels::R2<Number> expm(const kernels::R2<Number> & A);
kernels::R2<Number> logm(const kernels::R2<Number> & A);
kernels::R2<Number> sqrtm(const kernels::R2<Number> & A);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/matrix_functions-inl.h"
#endif
