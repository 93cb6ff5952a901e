// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SR2.h"
#include "neml2/recorded/jacobian.h"

/// Records functions of the eigenvalues of a symmetric tensor. Their derivatives are exact also at and near equal eigenvalues; the formulas
/// and their sources are in kernels/isotropic.h.
namespace neml2::recorded
{
/// If f returns one number, the result is f(λ), which must be symmetric in the eigenvalues λ; its derivative along e is
/// Σ_i ∂f/∂λ_i v_i · e v_i. If f returns three numbers, the result is Σ_i f_i(λ) v_i v_i.
std::vector<Number> record_of_eigenvalues(const NumberFunction & f, const kernels::SR2<Number> & s);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/isotropic-inl.h"
#endif
