// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/solve.h"
#include "neml2/tensors/fwd.h"

/**
 * Solves systems of linear equations, one per batch entry, for example for a step of Newton's method, or for the strain
 * that belongs to a stress.
 *
 * All functions here use elimination with row pivoting. If the matrix of a batch entry is singular, so that a pivot is
 * exactly 0, the solution of that entry is NaN; a matrix that is singular up to round-off gives large numbers. solve(A, b)
 * is more accurate than inv(A) * b, and for 6×6 and larger matrices also faster.
 *
 * For a matrix type of your own, `class Matrix : public PrimitiveTensor<Matrix, n, n>`, there are solve, inv and det here,
 * and cholesky in cholesky.h. Its right-hand sides have a type derived from `PrimitiveTensor<X, n>`, or from
 * `PrimitiveTensor<X, n, m>` for m right-hand sides at once.
 *
 * math/linalg.h is for matrices whose size is known only at run time. R2.h, SR2.h and SSR4.h have inv and det of their
 * types; R4.h has inv.
 */
namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM Solve
{
  static constexpr auto name = "solve";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return kernels::solve(a, b);
  }
};
} // namespace tensors

/// x_j with A_ij x_j = b_i. (...; 3, 3), (...; 3) -> (...; 3), unit of b / unit of A. NaN where A is singular.
template <class A, class B, math::if_types<A, R2, B, Vec> = 0>
Vec solve(const A & a, const B & b);
/// X_kj with A_ik X_kj = B_ij: the columns of B are three right-hand sides. (...; 3, 3), (...; 3, 3) -> (...; 3, 3),
/// unit of B / unit of A. NaN where A is singular.
template <class A, class B, math::if_types<A, R2, B, R2> = 0>
R2 solve(const A & a, const B & b);
/// e_kl with C_ijkl e_kl = s_ij, for example the strain from a stress. (...; 6, 6), (...; 6) -> (...; 6),
/// unit of s / unit of C. NaN where C is singular.
template <class A, class B, math::if_types<A, SSR4, B, SR2> = 0>
SR2 solve(const A & C, const B & s);
/// X_mnkl with A_ijmn X_mnkl = B_ijkl. (...; 6, 6), (...; 6, 6) -> (...; 6, 6), unit of B / unit of A. NaN where A is singular.
template <class A, class B, math::if_types<A, SSR4, B, SSR4> = 0>
SSR4 solve(const A & a, const B & b);
/// X_kl with T_ijkl X_kl = B_ij. (...; 3, 3, 3, 3), (...; 3, 3) -> (...; 3, 3), unit of B / unit of T. NaN where T is
/// singular. Every T with a minor symmetry is singular.
template <class A, class B, math::if_types<A, R4, B, R2> = 0>
R2 solve(const A & t, const B & b);
/// X_mnkl with T_ijmn X_mnkl = B_ijkl. (...; 3, 3, 3, 3), (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3), unit of B / unit of T.
/// NaN where T is singular. Every T with a minor symmetry is singular.
template <class A, class B, math::if_types<A, R4, B, R4> = 0>
R4 solve(const A & t, const B & b);

/// x_j with A_ij x_j = b_i, or X_jk with A_ij X_jk = B_ik, for types of your own. (...; n, n), (...; n) -> (...; n), or
/// (...; n, n), (...; n, m) -> (...; n, m), unit of b / unit of A. NaN where A is singular.
template <class A, class B, kernels::if_own_system<A, B> = 0>
B solve(const A & a, const B & b);
/// Inverse A^-1 of a matrix of your own type; NaN where A is singular. (...; n, n) -> (...; n, n), in the inverse of the unit of A.
template <class A, kernels::if_own_batch<A> = 0>
A inv(const A & a);
/// Determinant of a matrix of your own type. (...; n, n) -> (...; ), in the nth power of the unit of A.
template <class A, kernels::if_own_batch<A> = 0>
Scalar det(const A & a);

/// Does not compile: solve is not defined for other tensors.
template <class A, class B>
auto
solve(const TensorBase<A> &, const TensorBase<B> &)
{
  static_assert(math::false_for<std::pair<A, B>>,
                "solve(A, b) is defined for R2 with Vec or R2, SSR4 with SR2 or SSR4, R4 with R2 "
                "or R4, and n×n matrices of your own with right sides of n or n×m numbers: "
                "convert to one of them, or use linalg::solve of neml2::Tensor");
}
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/composed/solve.h"
#include "neml2/engine/evaluate.h"
#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/solve-inl.h"
#endif

namespace neml2
{
template <class A, class B, kernels::if_own_system<A, B>>
B
solve(const A & a, const B & b)
{
  return engine::evaluate_leaf<B>(
      tensors::Solve(),
      [](const A & x, const B & y)
      {
        if constexpr (B::const_base_dim == 1)
          return composed::solve_vector(x, y);
        else
          return composed::solve_matrix(x, y);
      },
      a,
      b);
}

template <class A, kernels::if_own_batch<A>>
A
inv(const A & a)
{
  return engine::evaluate_leaf<A>(
      "inv", [](const auto & x) { return kernels::inv(x); }, composed::inverse_or_nan, a);
}

template <class A, kernels::if_own_batch<A>>
Scalar
det(const A & a)
{
  return engine::evaluate_leaf<Scalar>(
      "det", [](const auto & x) { return kernels::det(x); }, composed::det_of_any, a);
}
} // namespace neml2
