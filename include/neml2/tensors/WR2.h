// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/WR2.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of skew second order tensors, for example spins.
 *
 * Shape (...; 3): any batch shape, then the axial vector (W_21, W_02, W_10), so that W v = w × v.
 * W_ij W_ij is twice the product w_i w_i of the stored numbers.
 * Units: the caller's choice, the same for all components.
 *
 * exponential_map.h has the exponential map, and skew_products.h has products with symmetric tensors.
 */
class WR2 : public PrimitiveTensor<WR2, 3>
{
public:
  static constexpr auto type_name = "WR2";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::WR2<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(WR2)
  WR2() = default;
  /// Skew part (A_ij - A_ji) / 2. (...; 3, 3) -> (...; 3)
  WR2(const R2 & A);

  using PrimitiveTensor::fill;
  /// Makes one skew tensor, without batch dimensions, from its axial vector. (; 3)
  [[nodiscard]] static WR2 fill(const CScalar & w0,
                                const CScalar & w1,
                                const CScalar & w2,
                                const TensorOptions & options = default_tensor_options())
  {
    return from_values({w0, w1, w2}, options);
  }
  /// Makes a batch from three batches of components of the axial vector; their batch shapes broadcast. (...; ) three times -> (...; 3)
  [[nodiscard]] static WR2 fill(const Scalar & w0, const Scalar & w1, const Scalar & w2);
  /// Derivative of the axial vector by itself, δ_ij. (; 3, 3)
  [[nodiscard]] static R2 identity_map(const TensorOptions & options = default_tensor_options());

  using PrimitiveTensor::operator();
  /// Component W_ij of the tensor. (...; 3) -> (...; )
  /// @throws IndexException for an index that is not in [-3, 3).
  Scalar operator()(Size i, Size j) const;

  // ---- Functions of the axial vector ----

  /// See norm_sq(w).
  Scalar norm_sq() const;
  /// See norm(w).
  Scalar norm() const;
  /// w_i v_i. (...; 3), (...; 3) -> (...; ), unit of w × unit of v.
  Scalar inner(const Vec & v) const;
  Scalar dot(const Vec & v) const;
  /// ε_ijk w_j v_k. (...; 3), (...; 3) -> (...; 3), unit of w × unit of v.
  /// If v is the axial vector of a skew tensor V, this is the axial vector of the commutator W V - V W.
  WR2 cross(const Vec & v) const;
  /// w_i v_j. (...; 3), (...; 3) -> (...; 3, 3), unit of w × unit of v.
  R2 outer(const Vec & v) const;

  /// See rotate(w, R) and rotate(w, r).
  WR2 rotate(const R2 & R) const;
  WR2 rotate(const Rot & r) const;
  /// ∂rotate(w, r)_i/∂r_k = ∂R_ij/∂r_k w_j, in the unit of w. (...; 3), (...; 3) -> (...; 3, 3)
  R2 drotate(const Rot & r) const;
  /// ∂rotate(w, R)_i/∂R_jk = δ_ij w_k, in the unit of w. (...; 3), (...; 3, 3) -> (...; 3, 3, 3)
  R3 drotate(const R2 & R) const;

  // ---- Functions of the skew tensor ----

  /// See tr(w) and det(w).
  Scalar tr() const;
  Scalar det() const;
  /// See vol(w) and dev(w).
  WR2 vol() const;
  WR2 dev() const;
  /// See transpose(w).
  WR2 transpose() const;

  /// See exp_map(w).
  Rot exp_map() const;
  /// See dexp_map(w).
  R2 dexp_map() const;
  /// Other names of exp_map() and dexp_map().
  Rot exp() const;
  R2 dexp() const;
};

template <>
struct core::batch_of_rows<kernels::WR2>
{
  using type = WR2;
};

/// All nine components W_ij. (...; 3) -> (...; 3, 3)
R2 full(const WR2 & w);
/// Skew part (A_ij - A_ji) / 2. (...; 3, 3) -> (...; 3)
WR2 skew_part(const R2 & A);
/// w_i v_i of the axial vectors, half of W_ij V_ij. (...; 3), (...; 3) -> (...; ), unit of w × unit of v.
Scalar inner(const WR2 & w, const WR2 & v);
/// w_i w_i of the axial vector, half of W_ij W_ij. (...; 3) -> (...; ), in the square of the unit of w.
Scalar norm_sq(const WR2 & w);
/// √(w_i w_i) of the axial vector. (...; 3) -> (...; ), in the unit of w. Its gradient at w = 0 is 0.
Scalar norm(const WR2 & w);
/// R_ij w_j: w rotated (active) by the rotation matrix R. The result is the axial vector of R_ik W_kl R_jl.
/// (...; 3), (...; 3, 3) -> (...; 3), in the unit of w. If R is not a rotation matrix, the result is still R_ij w_j.
WR2 rotate(const WR2 & w, const R2 & R);
/// R_ij w_j: w rotated (active) by r, whose matrix is R. The result is the axial vector of R_ik W_kl R_jl.
/// (...; 3), (...; 3) -> (...; 3), in the unit of w.
WR2 rotate(const WR2 & w, const Rot & r);
/// Trace W_kk = 0. (...; 3) -> (...; )
Scalar tr(const WR2 & w);
/// Determinant det W = 0. (...; 3) -> (...; )
Scalar det(const WR2 & w);
/// Volumetric part W_kk δ_ij / 3 = 0. (...; 3) -> (...; 3)
WR2 vol(const WR2 & w);
/// Deviator W_ij - W_kk δ_ij / 3 = W_ij. (...; 3) -> (...; 3)
WR2 dev(const WR2 & w);
/// W_ji = -W_ij. (...; 3) -> (...; 3)
WR2 transpose(const WR2 & w);

} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "neml2/tensors/exponential_map.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/WR2-inl.h"
#endif
