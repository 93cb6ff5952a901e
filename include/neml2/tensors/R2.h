// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/drotate.h"
#include "neml2/math/arithmetic.h"
#include "neml2/kernels/R2.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of second order tensors, for example a deformation gradient or a rotation matrix.
 *
 * Shape (...; 3, 3): any batch shape, then A_ij in row i, column j.
 * Units: the caller's choice, the same for all components.
 *
 * Elsewhere: the symmetric part in SR2.h, the skew part in WR2.h; expm, logm and sqrtm in
 * matrix_functions.h; polar decomposition and strains in kinematics.h; kron in kronecker.h;
 * reflections in Transformable.h.
 */
class R2 : public PrimitiveTensor<R2, 3, 3>
{
public:
  static constexpr auto type_name = "R2";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::R2<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(R2)
  R2() = default;
  /// All nine components of a symmetric tensor. (...; 6) -> (...; 3, 3)
  R2(const SR2 & S);
  /// All nine components of a skew tensor. (...; 3) -> (...; 3, 3)
  R2(const WR2 & W);
  /// The rotation matrix of r, see euler_rodrigues(r). (...; 3) -> (...; 3, 3)
  explicit R2(const Rot & r);

  /// a δ_ij. A number gives (; 3, 3). (...; ) -> (...; 3, 3)
  [[nodiscard]] static R2 fill(const CScalar & a,
                               const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static R2 fill(const Scalar & a);
  /// Diagonal tensor. Three numbers give (; 3, 3). (...; ) three times -> (...; 3, 3)
  [[nodiscard]] static R2 fill(const CScalar & a00,
                               const CScalar & a11,
                               const CScalar & a22,
                               const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static R2 fill(const Scalar & a00, const Scalar & a11, const Scalar & a22);
  /// Symmetric tensor from its components in Mandel's order, without √2. Six numbers give (; 3, 3). (...; ) six times -> (...; 3, 3)
  [[nodiscard]] static R2 fill(const CScalar & a00,
                               const CScalar & a11,
                               const CScalar & a22,
                               const CScalar & a12,
                               const CScalar & a02,
                               const CScalar & a01,
                               const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static R2 fill(const Scalar & a00,
                               const Scalar & a11,
                               const Scalar & a22,
                               const Scalar & a12,
                               const Scalar & a02,
                               const Scalar & a01);
  /// Makes a tensor from all components, row by row. Nine numbers give (; 3, 3). (...; ) nine times -> (...; 3, 3)
  [[nodiscard]] static R2 fill(const CScalar & a00,
                               const CScalar & a01,
                               const CScalar & a02,
                               const CScalar & a10,
                               const CScalar & a11,
                               const CScalar & a12,
                               const CScalar & a20,
                               const CScalar & a21,
                               const CScalar & a22,
                               const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static R2 fill(const Scalar & a00,
                               const Scalar & a01,
                               const Scalar & a02,
                               const Scalar & a10,
                               const Scalar & a11,
                               const Scalar & a12,
                               const Scalar & a20,
                               const Scalar & a21,
                               const Scalar & a22);
  /// fill for formulas of vmap, from one, three, six or nine components. Each component is a scalar of the formula or
  /// a number. If all are numbers, a tensor of the formula must follow as the last argument, in place of options.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto fill(const V &... v)
  {
    return core::fill_in_formula<1, 3, 6, 9>([](const auto &... s) { return R2::fill(s...); },
                                             [](const auto &... x)
                                             { return kernels::fill_R2(x...); },
                                             v...);
  }

  /// See skew(v).
  [[nodiscard]] static R2 skew(const Vec & v);
  /// δ_ij. (; 3, 3)
  [[nodiscard]] static R2 identity(const TensorOptions & options = default_tensor_options());
  /// δ_ij in a formula; `like` is a tensor or a scalar of the formula.
  template <class Like, core::if_like<Like> = 0>
  [[nodiscard]] static auto identity(const Like & like)
  {
    return fill(1.0, like);
  }
  /// Derivative of a tensor with respect to itself, δ_ik δ_jl. (; 3, 3, 3, 3)
  [[nodiscard]] static R4 identity_map(const TensorOptions & options = default_tensor_options());

  /// See row(A, i) and col(A, j).
  Vec row(Size i) const;
  Vec col(Size j) const;

  /// See rotate(A, R) and rotate(A, r).
  R2 rotate(const R2 & R) const;
  R2 rotate(const Rot & r) const;
  /// See drotate(A, R).
  R4 drotate(const R2 & R) const;
  /// See drotate(A, r).
  R3 drotate(const Rot & r) const;
  /// See transpose(A).
  R2 transpose() const;
  /// See inv(A).
  R2 inverse() const;
  /// See det(A).
  Scalar det() const;
  /// See tr(A).
  Scalar tr() const;
  /// See vol(A).
  R2 vol() const;
  /// See dev(A).
  R2 dev() const;
  /// See inner(A, B).
  Scalar inner(const R2 & B) const;
  /// See outer(A, B).
  R4 outer(const R2 & B) const;
  /// See norm_sq(A).
  Scalar norm_sq() const;
  /// See norm(A, epsilon).
  Scalar norm(Real epsilon = 0) const;
};

template <>
struct core::batch_of_rows<kernels::R2>
{
  using type = R2;
};

/// A_kk. (...; 3, 3) -> (...; ), in the unit of A.
Scalar tr(const R2 & A);
/// Volumetric part A_kk δ_ij / 3. (...; 3, 3) -> (...; 3, 3), in the unit of A.
R2 vol(const R2 & A);
/// Deviator A_ij - A_kk δ_ij / 3. (...; 3, 3) -> (...; 3, 3), in the unit of A.
R2 dev(const R2 & A);
/// Determinant. Its relative error is the unit round-off times the condition number of A. The determinant is computed by cofactors
/// where these lose no digits. (...; 3, 3) -> (...; ), in the cube of the unit of A.
Scalar det(const R2 & A);
/// A^-1. Its relative error is the unit round-off times the condition number of A. The result is infinite or NaN where A is
/// singular. (...; 3, 3) -> (...; 3, 3), in the inverse of the unit of A.
R2 inv(const R2 & A);
/// A_ji. (...; 3, 3) -> (...; 3, 3)
R2 transpose(const R2 & A);
/// Row i (A_ij for all j) or column j (A_ij for all i), as a view. (...; 3, 3) -> (...; 3)
/// @throws IndexException for an index that is not in [-3, 3).
Vec row(const R2 & A, Size i);
Vec col(const R2 & A, Size j);
/// A_ij B_ij. (...; 3, 3), (...; 3, 3) -> (...; ), unit of A × unit of B.
Scalar inner(const R2 & A, const R2 & B);
/// A_ij B_kl. (...; 3, 3), (...; 3, 3) -> (...; 3, 3, 3, 3), unit of A × unit of B.
R4 outer(const R2 & A, const R2 & B);
/// A_ij A_kl. (...; 3, 3) -> (...; 3, 3, 3, 3), in the square of the unit of A.
R4 outer(const R2 & A);
/// A_ij A_ij. (...; 3, 3) -> (...; ), in the square of the unit of A.
Scalar norm_sq(const R2 & A);
/// √(A_ij A_ij + epsilon), epsilon in the square of the unit of A. (...; 3, 3) -> (...; ), in the unit of
/// A. Its gradient at A = 0 is 0 (for epsilon = 0, one choice among the subgradients).
Scalar norm(const R2 & A, Real epsilon = 0);
/// A / √(A_ij A_ij + epsilon), without unit. (...; 3, 3) -> (...; 3, 3). NaN where the quotient is 0 / 0.
R2 unit(const R2 & A, Real epsilon = 0);
/// W_ij = -ε_ijk v_k, so that W a = v × a. (...; 3) -> (...; 3, 3), in the unit of v.
R2 skew(const Vec & v);
/// R_ik A_kl R_jl: A rotated (active) by the rotation matrix R. (...; 3, 3), (...; 3, 3) -> (...; 3, 3), in the unit
/// of A. R need not be a rotation: any matrix is allowed.
R2 rotate(const R2 & A, const R2 & R);
/// R_ik A_kl R_jl: A rotated (active) by r, where R is the matrix of r. (...; 3, 3), (...; 3) -> (...; 3, 3), in the
/// unit of A.
R2 rotate(const R2 & A, const Rot & r);
/// ∂(R_im A_mn R_jn)/∂R_kl = δ_ik R_jn A_ln + δ_jk R_im A_ml, in the unit of A.
/// (...; 3, 3), (...; 3, 3) -> (...; 3, 3, 3, 3)
R4 drotate(const R2 & A, const R2 & R);
/// ∂(R_il A_lm R_jm)/∂r_k with the matrix R of r, in the unit of A.
/// (...; 3, 3), (...; 3) -> (...; 3, 3, 3)
R3 drotate(const R2 & A, const Rot & r);

/// A_ik B_kj. (...; 3, 3), (...; 3, 3) -> (...; 3, 3), unit of A × unit of B.
template <class A, class B, math::if_types<A, R2, B, R2> = 0>
R2 operator*(const A & a, const B & b);
/// A_ik b_k. (...; 3, 3), (...; 3) -> (...; 3), unit of A × unit of b.
template <class A, class B, math::if_types<A, R2, B, Vec> = 0>
Vec operator*(const A & a, const B & b);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "neml2/tensors/WR2.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/R2-inl.h"
#endif
