// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/isotropic_functions.h"
#include "neml2/kernels/matrix_functions.h"
#include "neml2/tensors/fwd.h"

/**
 * The matrix exponential, logarithm, square root and powers of second order tensors, and their derivatives.
 * (exp, log, sqrt and pow act on each component.)
 *
 * Functions of a symmetric tensor s are f(s) = Σ_k f(λ_k) v_k v_k with the eigenvalues λ_k and eigenvectors v_k
 * of s. Their derivatives are exact, also for equal and nearly equal eigenvalues. Under autograd, derivatives
 * of any order are correct and finite.
 *
 * The logarithm, square root and powers of a symmetric tensor are defined where the tensor is positive
 * definite, and NaN elsewhere. The logarithm and square root of an R2 are the principal ones: the eigenvalues
 * of the square root are in the right half plane, and the eigenvalues of the logarithm have an imaginary part
 * in (-π, π). Both are NaN where an eigenvalue of the R2 is on the negative real axis, 0 included, or too close
 * to it.
 *
 * The fused loop computes functions of symmetric tensors from eigenvalues; for s near I, the relative error of the
 * logarithm is as small as the relative error of s - I. Outside the fused loop the functions are computed by
 * products and inverses in float64, with an error of the unit round-off times the condition number.
 *
 * Source: Higham (2008), Functions of Matrices.
 */
namespace neml2
{
/// e^s, for s without unit. (...; 6) -> (...; 6)
SR2 expm(const SR2 & s);
/// Derivative of expm at s along e. It is symmetric: a : dexpm(s, b) = b : dexpm(s, a). (...; 6), (...; 6) ->
/// (...; 6), in the unit of e.
SR2 dexpm(const SR2 & s, const SR2 & e);
/// Derivative of expm by s, for s without unit. It has both minor symmetries and the major symmetry.
/// (...; 6) -> (...; 6, 6)
SSR4 dexpm(const SR2 & s);

/// The tensor u with e^u = s, for s without unit. (...; 6) -> (...; 6). NaN where s is not positive definite.
SR2 logm(const SR2 & s);
/// Derivative of logm at s along e. (...; 6), (...; 6) -> (...; 6), unit of e / unit of s.
SR2 dlogm(const SR2 & s, const SR2 & e);
/// Derivative of logm by s. (...; 6) -> (...; 6, 6), in the inverse of the unit of s.
SSR4 dlogm(const SR2 & s);

/// The positive definite tensor u with u_ik u_kj = s_ij. (...; 6) -> (...; 6), in the square root of the unit of s.
/// NaN where s is not positive definite.
SR2 sqrtm(const SR2 & s);
/// Derivative of sqrtm at s along e. (...; 6), (...; 6) -> (...; 6), unit of e / square root of the unit of s.
SR2 dsqrtm(const SR2 & s, const SR2 & e);
/// Derivative of sqrtm by s. (...; 6) -> (...; 6, 6), in the inverse square root of the unit of s.
SSR4 dsqrtm(const SR2 & s);

/// s^p = e^(p log s); for p = -1/2 it is the inverse square root. (...; 6), (...; ) or a number -> (...; 6), in
/// the unit of s to the power p. NaN where s is not positive definite.
SR2 powm(const SR2 & s, const Scalar & p);
SR2 powm(const SR2 & s, Real p);
/// Derivative of powm at s along e, for constant p. (...; 6), (...; ) or a number, (...; 6) -> (...; 6), unit
/// of e × unit of s to the power p - 1.
SR2 dpowm(const SR2 & s, const Scalar & p, const SR2 & e);
SR2 dpowm(const SR2 & s, Real p, const SR2 & e);
/// Derivative of powm by s, for constant p. (...; 6), (...; ) or a number -> (...; 6, 6), in the unit of s to
/// the power p - 1.
SSR4 dpowm(const SR2 & s, const Scalar & p);
SSR4 dpowm(const SR2 & s, Real p);

/// e^A = Σ_n A^n / n!, for A without unit. (...; 3, 3) -> (...; 3, 3)
R2 expm(const R2 & A);
/// Derivative of expm at A along E. (...; 3, 3), (...; 3, 3) -> (...; 3, 3), in the unit of E.
R2 dexpm(const R2 & A, const R2 & E);
/// Derivative of expm by A, ∂(e^A)_ij / ∂A_kl, for A without unit. (...; 3, 3) -> (...; 3, 3, 3, 3)
R4 dexpm(const R2 & A);

/// The principal logarithm of A, for A without unit. Its eigenvalues have imaginary parts in (-π, π).
/// (...; 3, 3) -> (...; 3, 3). NaN where A has an eigenvalue on the negative real axis, 0 included, or too
/// close to it.
R2 logm(const R2 & A);
/// Derivative of logm at A along E. (...; 3, 3), (...; 3, 3) -> (...; 3, 3), unit of E / unit of A.
R2 dlogm(const R2 & A, const R2 & E);
/// Derivative of logm by A, ∂(log A)_ij / ∂A_kl. (...; 3, 3) -> (...; 3, 3, 3, 3), in the inverse of the unit of A.
R4 dlogm(const R2 & A);

/// The principal square root of A: the tensor X with X_ik X_kj = A_ij and eigenvalues in the right half plane.
/// (...; 3, 3) -> (...; 3, 3), in the square root of the unit of A. NaN where A has an eigenvalue on the
/// negative real axis, 0 included, or too close to it.
R2 sqrtm(const R2 & A);
/// Derivative of sqrtm at A along E. (...; 3, 3), (...; 3, 3) -> (...; 3, 3), unit of E / square root of
/// the unit of A.
R2 dsqrtm(const R2 & A, const R2 & E);
/// Derivative of sqrtm by A, ∂(√A)_ij / ∂A_kl. (...; 3, 3) -> (...; 3, 3, 3, 3), in the inverse square root of the unit of A.
R4 dsqrtm(const R2 & A);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/matrix_functions-inl.h"
#include "neml2/tensors/isotropic_functions-inl.h"
#endif
