// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SR2.h"
#include "neml2/recorded/jacobian.h"

/// Functions of the eigenvalues of a symmetric tensor, recorded with derivatives that are exact at and near equal eigenvalues, by the
/// formulas of kernels/isotropic.h, which names the sources.
namespace neml2::recorded
{
/// If f returns one number: f(λ), which is symmetric in λ; its derivative along e is Σ_i ∂f/∂λ_i v_i · e v_i. If f returns three numbers:
/// Σ_i f_i(λ) v_i v_i.
std::vector<Number> record_of_eigenvalues(const NumberFunction & f, const kernels::SR2<Number> & s);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/isotropic-inl.h"
#endif
