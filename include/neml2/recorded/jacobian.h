// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Symbol.h"

#include <functional>
#include <utility>

/// Derivatives in a recording. The derivatives of a function of numbers are again numbers with partials.
namespace neml2::recorded
{
using NumberFunction = std::function<std::vector<Number>(const std::vector<Number> &)>;

/**
 * f at x, and ∂f_i/∂x_j, row by row.
 *
 * f is recorded with new variables; the partials of its results are linear in the seeds of these variables. Then x replaces the
 * variables, and the derivatives are replayed with the partials of x. Therefore a Jacobian can be differentiated like any other
 * operation, and f may contain Jacobians.
 */
std::pair<std::vector<Number>, std::vector<Number>>
record_value_and_jacobian(const NumberFunction & f, const std::vector<Number> & x);
std::vector<Number> record_jacobian(const NumberFunction & f, const std::vector<Number> & x);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/jacobian-inl.h"
#endif
