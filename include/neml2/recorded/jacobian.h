// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Symbol.h"

#include <functional>
#include <utility>

/// Derivatives of functions inside a recorded formula. The derivatives are again numbers with partials, which can be differentiated.
namespace neml2::recorded
{
using NumberFunction = std::function<std::vector<Number>(const std::vector<Number> &)>;

/**
 * Returns f(x), and ∂f_i/∂x_j row by row.
 *
 * f is recorded with new variables, and so are its derivatives with respect to these variables. Both are then recorded again with x, which
 * may itself carry partials, in place of the variables. Therefore a Jacobian can be differentiated like any other operation, and f may
 * contain Jacobians.
 */
std::pair<std::vector<Number>, std::vector<Number>>
record_value_and_jacobian(const NumberFunction & f, const std::vector<Number> & x);
std::vector<Number> record_jacobian(const NumberFunction & f, const std::vector<Number> & x);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/jacobian-inl.h"
#endif
