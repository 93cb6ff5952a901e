// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/drotate.h"
#include "neml2/math/arithmetic.h"
#include "neml2/kernels/SR2.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of symmetric second order tensors, for example stress or strain.
 *
 * Shape (...; 6): any batch shape, then the Mandel components
 * (s00, s11, s22, √2 s12, √2 s02, √2 s01). The √2 makes the storage isometric:
 * a_ij b_ij is the dot product of the six numbers.
 * Units: the caller's choice, the same for all six components.
 *
 * Elsewhere: eigenvalues in spectral.h; invariants in invariants.h; expm, logm, sqrtm and powm in
 * matrix_functions.h; stretches, strains and push-forward in kinematics.h; products with a WR2 in
 * skew_products.h; sym_kron in kronecker.h; Voigt's notation in Voigt.h.
 *
 * Source: Mandel (1965), Int. J. Solids Struct. 1, 273-295.
 */
class SR2 : public PrimitiveTensor<SR2, 6>
{
public:
  static constexpr auto type_name = "SR2";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::SR2<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(SR2)
  SR2() = default;
  /// Symmetric part (A_ij + A_ji) / 2. (...; 3, 3) -> (...; 6)
  SR2(const R2 & A);

  /// a δ_ij. A number gives (; 6). (...; ) -> (...; 6)
  [[nodiscard]] static SR2 fill(const CScalar & a,
                                const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static SR2 fill(const Scalar & a);
  /// Diagonal tensor. Three numbers give (; 6). (...; ) three times -> (...; 6)
  [[nodiscard]] static SR2 fill(const CScalar & s00,
                                const CScalar & s11,
                                const CScalar & s22,
                                const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static SR2 fill(const Scalar & s00, const Scalar & s11, const Scalar & s22);
  /// Makes a tensor from its components; the shear components are stored times √2. Six numbers give (; 6). (...; ) six times -> (...; 6)
  /// @throws NEMLException also for an integer dtype.
  [[nodiscard]] static SR2 fill(const CScalar & s00,
                                const CScalar & s11,
                                const CScalar & s22,
                                const CScalar & s12,
                                const CScalar & s02,
                                const CScalar & s01,
                                const TensorOptions & options = default_tensor_options());
  [[nodiscard]] static SR2 fill(const Scalar & s00,
                                const Scalar & s11,
                                const Scalar & s22,
                                const Scalar & s12,
                                const Scalar & s02,
                                const Scalar & s01);

  /// fill for formulas of vmap, from one, three or six components. Each component is a scalar of the formula or a
  /// number. If all are numbers, a tensor of the formula must follow as the last argument, in place of options.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto fill(const V &... v)
  {
    return core::fill_in_formula<1, 3, 6>([](const auto &... s) { return SR2::fill(s...); },
                                          [](const auto &... x) { return kernels::fill_SR2(x...); },
                                          v...);
  }

  /// δ_ij. (; 6)
  [[nodiscard]] static SR2 identity(const TensorOptions & options = default_tensor_options());
  /// δ_ij in a formula; `like` is a tensor or a scalar of the formula.
  template <class Like, core::if_like<Like> = 0>
  [[nodiscard]] static auto identity(const Like & like)
  {
    return fill(1.0, like);
  }
  /// Derivative of a symmetric tensor with respect to itself, the symmetric identity. (; 6, 6)
  [[nodiscard]] static SSR4 identity_map(const TensorOptions & options = default_tensor_options());

  using PrimitiveTensor::operator();
  /// Component s_ij of the tensor, without the √2. (...; 6) -> (...; )
  /// @throws IndexException for an index that is not in [-3, 3).
  Scalar operator()(Size i, Size j) const;

  /// See rotate(s, R) and rotate(s, r).
  SR2 rotate(const R2 & R) const;
  SR2 rotate(const Rot & r) const;
  /// See drotate(s, R).
  SFFR4 drotate(const R2 & R) const;
  /// See drotate(s, r).
  SFR3 drotate(const Rot & r) const;
  /// See tr(s).
  Scalar tr() const;
  /// See vol(s).
  SR2 vol() const;
  /// See dev(s).
  SR2 dev() const;
  /// See det(s).
  Scalar det() const;
  /// See inner(s, t).
  Scalar inner(const SR2 & t) const;
  /// See norm_sq(s).
  Scalar norm_sq() const;
  /// See norm(s, epsilon).
  Scalar norm(Real epsilon = 0) const;
  /// See outer(s, t).
  SSR4 outer(const SR2 & t) const;
  /// See inv(s).
  SR2 inverse() const;
  /// See transpose(s).
  SR2 transpose() const;
};

template <>
struct core::batch_of_rows<kernels::SR2>
{
  using type = SR2;
};

/// s_kk. (...; 6) -> (...; ), in the unit of s.
Scalar tr(const SR2 & s);
/// Volumetric part s_kk δ_ij / 3. (...; 6) -> (...; 6), in the unit of s.
SR2 vol(const SR2 & s);
/// Deviator s_ij - s_kk δ_ij / 3. (...; 6) -> (...; 6), in the unit of s.
SR2 dev(const SR2 & s);
/// Determinant of the 3×3 tensor. (...; 6) -> (...; ), in the cube of the unit of s.
Scalar det(const SR2 & s);
/// Double contraction s_ij t_ij. (...; 6), (...; 6) -> (...; ), unit of s × unit of t.
Scalar inner(const SR2 & s, const SR2 & t);
/// s_ij s_ij. (...; 6) -> (...; ), in the square of the unit of s.
Scalar norm_sq(const SR2 & s);
/// √(s_ij s_ij + epsilon), epsilon in the square of the unit of s. (...; 6) -> (...; ), in the unit of
/// s. Its gradient at s = 0 is 0 (for epsilon = 0, one choice among the subgradients).
Scalar norm(const SR2 & s, Real epsilon = 0);
/// s / √(s_ij s_ij + epsilon), without unit. (...; 6) -> (...; 6). NaN where the quotient is 0 / 0.
SR2 unit(const SR2 & s, Real epsilon = 0);
/// s_ij t_kl. (...; 6), (...; 6) -> (...; 6, 6), unit of s × unit of t.
SSR4 outer(const SR2 & s, const SR2 & t);
/// s_ij s_kl. (...; 6) -> (...; 6, 6), in the square of the unit of s.
SSR4 outer(const SR2 & s);
/// s^-1. Its relative error is the unit round-off times the condition number of s. The result is infinite or NaN where s is
/// singular. (...; 6) -> (...; 6), in the inverse of the unit of s.
SR2 inv(const SR2 & s);
/// s_ji = s_ij. (...; 6) -> (...; 6)
SR2 transpose(const SR2 & s);
/// R_ik s_kl R_jl: s rotated (active) by the rotation matrix R. (...; 6), (...; 3, 3) -> (...; 6), in the unit of s.
/// R need not be a rotation: any matrix is allowed.
SR2 rotate(const SR2 & s, const R2 & R);
/// R_ik s_kl R_jl: s rotated (active) by r, where R is the matrix of r. (...; 6), (...; 3) -> (...; 6), in the unit
/// of s.
SR2 rotate(const SR2 & s, const Rot & r);
/// ∂(R_im s_mn R_jn)/∂R_kl = δ_ik R_jn s_nl + δ_jk R_in s_nl, in the unit of s.
/// (...; 6), (...; 3, 3) -> (...; 6, 3, 3)
SFFR4 drotate(const SR2 & s, const R2 & R);
/// ∂(R_il s_lm R_jm)/∂r_k with the matrix R of r, in the unit of s.
/// (...; 6), (...; 3) -> (...; 6, 3)
SFR3 drotate(const SR2 & s, const Rot & r);
/// All nine components s_ij. (...; 6) -> (...; 3, 3)
R2 full(const SR2 & s);
/// Symmetric part (A_ij + A_ji) / 2. (...; 3, 3) -> (...; 6)
SR2 sym(const R2 & A);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SFFR4.h"
#include "neml2/tensors/SFR3.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/SR2-inl.h"
#endif
