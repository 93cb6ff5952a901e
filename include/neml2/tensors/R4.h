// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/R4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors, for example the derivative of an R2 with respect to an R2.
 *
 * Shape (...; 3, 3, 3, 3): any batch shape, then T_ijkl, whose last index varies fastest.
 * Units: the caller's choice, the same for all components.
 *
 * Elsewhere: outer(A, B) of R2 in R2.h; kron in kronecker.h; stiffnesses as SSR4 in SSR4.h.
 */
class R4 : public PrimitiveTensor<R4, 3, 3, 3, 3>
{
public:
  static constexpr auto type_name = "R4";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::R4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(R4)
  R4() = default;
  /// See full(C). (...; 6, 6) -> (...; 3, 3, 3, 3). The constructor is a template, so that a type that converts to
  /// SSR4 does not also convert to R4.
  template <class T, std::enable_if_t<std::is_same_v<T, SSR4>, int> = 0>
  R4(const T & C);
  /// All 81 components of a tensor that is skew in both pairs. (...; 3, 3) -> (...; 3, 3, 3, 3)
  /// For w = WWR4(T) they are T_ijkl - T_jikl - T_ijlk + T_jilk. The constructor is a template, because otherwise an
  /// R2 would be accepted as a WWR4, which has the same shape.
  template <class T, std::enable_if_t<std::is_same_v<T, WWR4>, int> = 0>
  R4(const T & w);

  /// See rotate(T, R) and rotate(T, r).
  R4 rotate(const R2 & R) const;
  R4 rotate(const Rot & r) const;
  /// Derivative of rotate(T, r) with respect to the parameters of r, in the unit of T. The last index runs over the
  /// parameters.
  /// (...; 3, 3, 3, 3), (...; 3) -> (...; 3, 3, 3, 3, 3)
  R5 drotate(const Rot & r) const;
  /// Derivative of rotate(T, r) with respect to T: R_im R_jn R_ko R_lp at (i, j, k, l, m, n, o, p), expanded to the
  /// common batch shape of T and r. (...; 3, 3, 3, 3), (...; 3) -> (...; 3, 3, 3, 3, 3, 3, 3, 3)
  R8 drotate_self(const Rot & r) const;
  /// Exchanges two of the four indices, as a view. (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3)
  /// @throws IndexException for an index that is not in [-4, 4).
  R4 transpose(Size d1, Size d2) const;
  /// See transpose_minor(T).
  R4 transpose_minor() const;
  /// See transpose_major(T).
  R4 transpose_major() const;
  /// See inv(T).
  R4 inverse() const;
  /// See inner(T, U).
  Scalar inner(const R4 & U) const;
  /// See norm_sq(T).
  Scalar norm_sq() const;
  /// See norm(T, epsilon).
  Scalar norm(Real epsilon = 0) const;
};

template <>
struct core::batch_of_rows<kernels::R4>
{
  using type = R4;
};

/// R_im R_jn R_ko R_lp T_mnop: T rotated (active) by the rotation matrix R, in the unit of T.
/// (...; 3, 3, 3, 3), (...; 3, 3) -> (...; 3, 3, 3, 3)
R4 rotate(const R4 & T, const R2 & R);
/// R_im R_jn R_ko R_lp T_mnop: T rotated (active) by r, where R is the matrix of r, in the unit of T.
/// (...; 3, 3, 3, 3), (...; 3) -> (...; 3, 3, 3, 3)
R4 rotate(const R4 & T, const Rot & r);
/// T_jilk, as a view. (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3)
R4 transpose_minor(const R4 & T);
/// T_klij, as a view. (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3)
R4 transpose_major(const R4 & T);
/// T^-1 with T^-1_ijmn T_mnkl = δ_ik δ_jl; NaN where a pivot of the 9×9 matrix is exactly 0.
/// (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3), in the inverse of the unit of T.
R4 inv(const R4 & T);
/// T_ijkl U_ijkl. (...; 3, 3, 3, 3), (...; 3, 3, 3, 3) -> (...; ), unit of T × unit of U.
Scalar inner(const R4 & T, const R4 & U);
/// T_ijkl T_ijkl. (...; 3, 3, 3, 3) -> (...; ), in the square of the unit of T.
Scalar norm_sq(const R4 & T);
/// √(T_ijkl T_ijkl + epsilon), epsilon in the square of the unit of T. (...; 3, 3, 3, 3) -> (...; ), in the
/// unit of T. Its gradient at T = 0 is 0 (for epsilon = 0, one choice among the subgradients).
Scalar norm(const R4 & T, Real epsilon = 0);
/// All 81 components C_ijkl. (...; 6, 6) -> (...; 3, 3, 3, 3)
R4 full(const SSR4 & C);
/// The part with both minor symmetries, (T_ijkl + T_jikl + T_ijlk + T_jilk) / 4.
/// (...; 3, 3, 3, 3) -> (...; 6, 6)
SSR4 sym(const R4 & T);

/// T_ijkl A_kl. (...; 3, 3, 3, 3), (...; 3, 3) -> (...; 3, 3), unit of T × unit of A.
template <class A, class B, math::if_types<A, R4, B, R2> = 0>
R2 operator*(const A & T, const B & a);
/// A_ij T_ijkl. (...; 3, 3), (...; 3, 3, 3, 3) -> (...; 3, 3)
template <class A, class B, math::if_types<A, R2, B, R4> = 0>
R2 operator*(const A & a, const B & T);
/// T_ijmn U_mnkl. (...; 3, 3, 3, 3), (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3)
template <class A, class B, math::if_types<A, R4, B, R4> = 0>
R4 operator*(const A & T, const B & U);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R5.h"
#include "neml2/tensors/R8.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/WWR4.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/R4-inl.h"
#endif
