// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/cholesky.h"
#include "neml2/tensors/fwd.h"

/**
 * The Cholesky factor L of symmetric positive definite matrices, one matrix per batch entry: A = L Lᵀ with lower triangular L,
 * L_ii > 0.
 *
 * Only the symmetric part of a matrix is used, so the derivatives with respect to A_ij and A_ji are equal. Where the symmetric
 * part is not positive definite, all components of L are NaN.
 *
 * Source: Golub and Van Loan (2013), Matrix Computations, 4th ed., section 4.2.
 */
namespace neml2
{
/// L with L_ik L_jk = A_ij and L_ij = 0 for j > i. (...; 3, 3) -> (...; 3, 3), in the square root of the unit of A.
/// NaN where A is not positive definite.
R2 cholesky(const R2 & A);
/// L with L_ik L_jk = s_ij and L_ij = 0 for j > i. (...; 6) -> (...; 3, 3), in the square root of the unit of s.
/// NaN where s is not positive definite.
R2 cholesky(const SR2 & s);
/// L with L_IK L_JK = C_IJ in Mandel components and L_IJ = 0 for J > I, so that e : C : e = |Lᵀ e|². (...; 6, 6) ->
/// (...; 6, 6), in the square root of the unit of C. NaN where C is not positive definite.
SSR4 cholesky(const SSR4 & C);
/// L with L_ik L_jk = A_ij and L_ij = 0 for j > i, for a matrix of your own type (see solve.h). (...; n, n) -> (...; n, n),
/// in the square root of the unit of A. NaN where A is not positive definite.
template <class A, kernels::if_own_batch<A> = 0>
A cholesky(const A & a);

/// Does not compile. Without this overload, LibTorch's cholesky would factorise the last two dimensions of any other
/// tensor.
template <class D>
auto
cholesky(const TensorBase<D> &)
{
  static_assert(
      math::false_for<D>,
      "cholesky is defined for R2, SR2, SSR4 and n×n matrices of your own: convert to one of them");
}
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/composed/cholesky.h"
#include "neml2/engine/evaluate.h"
#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/cholesky-inl.h"
#endif

namespace neml2
{
template <class A, kernels::if_own_batch<A>>
A
cholesky(const A & a)
{
  return engine::evaluate_leaf<A>(
      "cholesky", [](const auto & x) { return kernels::cholesky(x); }, composed::cholesky, a);
}
} // namespace neml2
