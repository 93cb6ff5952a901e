// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/batch.h"
#include "neml2/kernels/matrix_functions.h"
#include "neml2/tensors/fwd.h"

/**
 * Exponential, logarithm, square root and powers of second order tensors, as of matrices, and their
 * derivatives. (exp, log, sqrt and pow are the functions of the components.)
 *
 * Those of symmetric tensors are f(s) = Σ_k f(λ_k) v_k v_k with the eigenvalues and eigenvectors of s, and
 * derivatives are exact also between equal and nearly equal eigenvalues. Under autograd derivatives of
 * any order are right and finite.
 *
 * Domain: logarithm, root and powers are those of positive definite symmetric tensors, and NaN of others;
 * of R2 the principal ones, whose eigenvalues are in the right half plane (root) or have an imaginary
 * part in (-π, π) (logarithm), and NaN where an eigenvalue is on the negative real axis, 0 included, or
 * too close to it.
 *
 * The fused loop computes symmetric ones by eigenvalues, whose logarithm near I has the relative accuracy
 * of s - I; elsewhere they are products and inverses in float64, accurate to rounding times the condition
 * number.
 *
 * Source: Higham (2008), Functions of Matrices.
 */
namespace neml2
{
/// e^s, of s without unit. (...; 6) -> (...; 6)
SR2 expm(const SR2 & s);
/// Derivative of expm at s along e, which is symmetric in the sense of a : dexpm(s, b) = b : dexpm(s, a).
/// (...; 6), (...; 6) -> (...; 6), in the unit of e.
SR2 dexpm(const SR2 & s, const SR2 & e);
/// Derivative of expm by s, with both minor and the major symmetry. (...; 6) -> (...; 6, 6)
SSR4 dexpm(const SR2 & s);

/// The u with e^u = s, of s without unit. (...; 6) -> (...; 6). NaN where s is not positive definite.
SR2 logm(const SR2 & s);
/// Derivative of logm at s along e. (...; 6), (...; 6) -> (...; 6), unit of e / unit of s.
SR2 dlogm(const SR2 & s, const SR2 & e);
/// Derivative of logm by s. (...; 6) -> (...; 6, 6), in the inverse of the unit of s.
SSR4 dlogm(const SR2 & s);

/// The positive definite u with u_ik u_kj = s_ij. (...; 6) -> (...; 6), in the square root of the unit of
/// s. NaN where s is not positive definite.
SR2 sqrtm(const SR2 & s);
/// Derivative of sqrtm at s along e. (...; 6), (...; 6) -> (...; 6)
SR2 dsqrtm(const SR2 & s, const SR2 & e);
/// Derivative of sqrtm by s. (...; 6) -> (...; 6, 6)
SSR4 dsqrtm(const SR2 & s);

/// s^p = e^(p log s), the inverse square root for p = -1/2. (...; 6), (...; ) or a number -> (...; 6), in
/// the unit of s to the p. NaN where s is not positive definite.
SR2 powm(const SR2 & s, const Scalar & p);
SR2 powm(const SR2 & s, Real p);
/// Derivative of powm at s along e, p constant. (...; 6), (...; ) or a number, (...; 6) -> (...; 6)
SR2 dpowm(const SR2 & s, const Scalar & p, const SR2 & e);
SR2 dpowm(const SR2 & s, Real p, const SR2 & e);
/// Derivative of powm by s. (...; 6), (...; ) or a number -> (...; 6, 6)
SSR4 dpowm(const SR2 & s, const Scalar & p);
SSR4 dpowm(const SR2 & s, Real p);

/// e^A = Σ_n A^n / n!, of A without unit. (...; 3, 3) -> (...; 3, 3)
R2 expm(const R2 & A);
/// Derivative of expm at A along E. (...; 3, 3), (...; 3, 3) -> (...; 3, 3), in the unit of E.
R2 dexpm(const R2 & A, const R2 & E);
/// ∂(e^A)_ij / ∂A_kl. (...; 3, 3) -> (...; 3, 3, 3, 3)
R4 dexpm(const R2 & A);

/// The principal logarithm of A without unit. (...; 3, 3) -> (...; 3, 3)
R2 logm(const R2 & A);
/// Derivative of logm at A along E. (...; 3, 3), (...; 3, 3) -> (...; 3, 3)
R2 dlogm(const R2 & A, const R2 & E);
/// ∂(log A)_ij / ∂A_kl. (...; 3, 3) -> (...; 3, 3, 3, 3)
R4 dlogm(const R2 & A);

/// The principal square root, X with X_ik X_kj = A_ij. (...; 3, 3) -> (...; 3, 3), in the square root of
/// the unit of A.
R2 sqrtm(const R2 & A);
/// Derivative of sqrtm at A along E. (...; 3, 3), (...; 3, 3) -> (...; 3, 3)
R2 dsqrtm(const R2 & A, const R2 & E);
/// ∂(√A)_ij / ∂A_kl. (...; 3, 3) -> (...; 3, 3, 3, 3)
R4 dsqrtm(const R2 & A);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/core/matrix_functions.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"

namespace neml2
{
namespace core
{
/// One power for all matrices, or one for each: with a dimension for what follows that of the batch.
inline double
exponent(double p, Size)
{
  return p;
}
inline at::Tensor
exponent(const Scalar & p, Size dims)
{
  at::Tensor r = p;
  for (Size d = 0; d < dims; d++)
    r = r.unsqueeze(-1);
  return r;
}

template <class P>
SR2
powm(const SR2 & s, const P & p)
{
  return evaluate_leaf<SR2>(
      "powm",
      [](const auto & a, const auto & n) { return kernels::powm(a, n); },
      [](const SR2 & a, const P & n)
      {
        const auto power = exponent(n, 0);
        return SR2(isotropic_function(
            [&](const at::Tensor & A, Size size) { return matrix_power(A, size, power); }, a));
      },
      s,
      p);
}
template <class P>
SR2
dpowm(const SR2 & s, const P & p, const SR2 & e)
{
  return evaluate_leaf<SR2>(
      "dpowm",
      [](const auto & a, const auto & n, const auto & b) { return kernels::dpowm(a, n, b); },
      [](const SR2 & a, const P & n, const SR2 & b)
      {
        const auto power = exponent(n, 0);
        return SR2(isotropic_function_along(
            [&](const at::Tensor & A, Size size) { return matrix_power(A, size, power); }, a, b));
      },
      s,
      p,
      e);
}
template <class P>
SSR4
dpowm(const SR2 & s, const P & p)
{
  return evaluate_leaf<SSR4>(
      "dpowm",
      [](const auto & a, const auto & n) { return kernels::dpowm(a, n); },
      [](const SR2 & a, const P & n)
      {
        const auto power = exponent(n, 1);
        return SSR4(isotropic_derivative(
            [&](const at::Tensor & A, Size size) { return matrix_power(A, size, power); }, a));
      },
      s,
      p);
}
} // namespace core

inline SR2
expm(const SR2 & s)
{
  return core::evaluate_leaf<SR2>(
      "expm",
      [](const auto & a) { return kernels::expm(a); },
      [](const SR2 & a) { return SR2(core::isotropic_function(core::matrix_exp, a)); },
      s);
}

inline SR2
dexpm(const SR2 & s, const SR2 & e)
{
  return core::evaluate_leaf<SR2>(
      "dexpm",
      [](const auto & a, const auto & b) { return kernels::dexpm(a, b); },
      [](const SR2 & a, const SR2 & b)
      { return SR2(core::isotropic_function_along(core::matrix_exp, a, b)); },
      s,
      e);
}

inline SSR4
dexpm(const SR2 & s)
{
  return core::evaluate_leaf<SSR4>(
      "dexpm",
      [](const auto & a) { return kernels::dexpm(a); },
      [](const SR2 & a) { return SSR4(core::isotropic_derivative(core::matrix_exp, a)); },
      s);
}

inline SR2
logm(const SR2 & s)
{
  return core::evaluate_leaf<SR2>(
      "logm",
      [](const auto & a) { return kernels::logm(a); },
      [](const SR2 & a) { return SR2(core::isotropic_function(core::matrix_log, a)); },
      s);
}

inline SR2
dlogm(const SR2 & s, const SR2 & e)
{
  return core::evaluate_leaf<SR2>(
      "dlogm",
      [](const auto & a, const auto & b) { return kernels::dlogm(a, b); },
      [](const SR2 & a, const SR2 & b)
      { return SR2(core::isotropic_function_along(core::matrix_log, a, b)); },
      s,
      e);
}

inline SSR4
dlogm(const SR2 & s)
{
  return core::evaluate_leaf<SSR4>(
      "dlogm",
      [](const auto & a) { return kernels::dlogm(a); },
      [](const SR2 & a) { return SSR4(core::isotropic_derivative(core::matrix_log, a)); },
      s);
}

inline SR2
sqrtm(const SR2 & s)
{
  return core::evaluate_leaf<SR2>(
      "sqrtm",
      [](const auto & a) { return kernels::sqrtm(a); },
      [](const SR2 & a) { return SR2(core::isotropic_function(core::matrix_sqrt, a)); },
      s);
}

inline SR2
dsqrtm(const SR2 & s, const SR2 & e)
{
  return core::evaluate_leaf<SR2>(
      "dsqrtm",
      [](const auto & a, const auto & b) { return kernels::dsqrtm(a, b); },
      [](const SR2 & a, const SR2 & b)
      { return SR2(core::isotropic_function_along(core::matrix_sqrt, a, b)); },
      s,
      e);
}

inline SSR4
dsqrtm(const SR2 & s)
{
  return core::evaluate_leaf<SSR4>(
      "dsqrtm",
      [](const auto & a) { return kernels::dsqrtm(a); },
      [](const SR2 & a) { return SSR4(core::isotropic_derivative(core::matrix_sqrt, a)); },
      s);
}

inline SR2
powm(const SR2 & s, const Scalar & p)
{
  return core::powm(s, p);
}

inline SR2
powm(const SR2 & s, Real p)
{
  return core::powm(s, p);
}

inline SR2
dpowm(const SR2 & s, const Scalar & p, const SR2 & e)
{
  return core::dpowm(s, p, e);
}

inline SR2
dpowm(const SR2 & s, Real p, const SR2 & e)
{
  return core::dpowm(s, p, e);
}

inline SSR4
dpowm(const SR2 & s, const Scalar & p)
{
  return core::dpowm(s, p);
}

inline SSR4
dpowm(const SR2 & s, Real p)
{
  return core::dpowm(s, p);
}

inline R2
expm(const R2 & A)
{
  return core::evaluate_leaf<R2>(
      "expm",
      [](const auto & a) { return kernels::expm(a); },
      [](const R2 & a) { return R2(core::matrix_function(core::matrix_exp, a)); },
      A);
}

inline R2
dexpm(const R2 & A, const R2 & E)
{
  return core::evaluate_leaf<R2>(
      "dexpm",
      [](const auto & a, const auto & b) { return kernels::dexpm(a, b); },
      [](const R2 & a, const R2 & b)
      { return R2(core::matrix_function_along(core::matrix_exp, a, b)); },
      A,
      E);
}

inline R4
dexpm(const R2 & A)
{
  return core::evaluate_leaf<R4>(
      "dexpm",
      [](const auto & a) { return kernels::dexpm(a); },
      [](const R2 & a) { return R4(core::matrix_derivative(core::matrix_exp, a)); },
      A);
}

inline R2
logm(const R2 & A)
{
  return core::evaluate_leaf<R2>(
      "logm",
      [](const auto & a) { return kernels::logm(a); },
      [](const R2 & a) { return R2(core::matrix_function(core::matrix_log, a)); },
      A);
}

inline R2
dlogm(const R2 & A, const R2 & E)
{
  return core::evaluate_leaf<R2>(
      "dlogm",
      [](const auto & a, const auto & b) { return kernels::dlogm(a, b); },
      [](const R2 & a, const R2 & b)
      { return R2(core::matrix_function_along(core::matrix_log, a, b)); },
      A,
      E);
}

inline R4
dlogm(const R2 & A)
{
  return core::evaluate_leaf<R4>(
      "dlogm",
      [](const auto & a) { return kernels::dlogm(a); },
      [](const R2 & a) { return R4(core::matrix_derivative(core::matrix_log, a)); },
      A);
}

inline R2
sqrtm(const R2 & A)
{
  return core::evaluate_leaf<R2>(
      "sqrtm",
      [](const auto & a) { return kernels::sqrtm(a); },
      [](const R2 & a) { return R2(core::matrix_function(core::matrix_sqrt, a)); },
      A);
}

inline R2
dsqrtm(const R2 & A, const R2 & E)
{
  return core::evaluate_leaf<R2>(
      "dsqrtm",
      [](const auto & a, const auto & b) { return kernels::dsqrtm(a, b); },
      [](const R2 & a, const R2 & b)
      { return R2(core::matrix_function_along(core::matrix_sqrt, a, b)); },
      A,
      E);
}

inline R4
dsqrtm(const R2 & A)
{
  return core::evaluate_leaf<R4>(
      "dsqrtm",
      [](const auto & a) { return kernels::dsqrtm(a); },
      [](const R2 & a) { return R4(core::matrix_derivative(core::matrix_sqrt, a)); },
      A);
}
} // namespace neml2
