// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/drotate.h"
#include "neml2/math/arithmetic.h"
#include "neml2/kernels/Vec.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of vectors, for example a displacement or a crystal direction.
 *
 * Shape (...; 3): any batch shape, then (v0, v1, v2).
 * Units: the caller's choice, the same for all components.
 *
 * Elsewhere: skew(v) in R2.h; the rotation about an axis, and from one direction to another, in Rot.h; the rotation by
 * a quaternion in Quaternion.h; directions in crystals in MillerIndex.h and crystallography.h.
 */
class Vec : public PrimitiveTensor<Vec, 3>
{
public:
  static constexpr auto type_name = "Vec";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::Vec<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(Vec)
  Vec() = default;

  using PrimitiveTensor::fill;
  /// Makes one vector, without batch dimensions, from three numbers. (; 3)
  [[nodiscard]] static Vec fill(const CScalar & v0,
                                const CScalar & v1,
                                const CScalar & v2,
                                const TensorOptions & options = default_tensor_options())
  {
    return from_values({v0, v1, v2}, options);
  }
  /// Makes a batch from three batches of components; their batch shapes broadcast.
  /// (...; ) three times -> (...; 3)
  [[nodiscard]] static Vec fill(const Scalar & v0, const Scalar & v1, const Scalar & v2);

  /// Derivative of a vector with respect to itself, δ_ij. (; 3, 3)
  [[nodiscard]] static R2 identity_map(const TensorOptions & options = default_tensor_options());

  /// See norm_sq(v).
  Scalar norm_sq() const;
  /// See norm(v).
  Scalar norm() const;
  /// See inner(v, w).
  Scalar dot(const Vec & w) const;
  /// See cross(v, w).
  Vec cross(const Vec & w) const;
  /// See outer(v, w).
  R2 outer(const Vec & w) const;
  /// See self_outer(v).
  SR2 self_outer() const;
  /// See rotate(v, R) and rotate(v, r).
  Vec rotate(const R2 & R) const;
  Vec rotate(const Rot & r) const;
  /// See drotate(v, R).
  R3 drotate(const R2 & R) const;
  /// See drotate(v, r).
  R2 drotate(const Rot & r) const;
  /// See transform(v, T).
  Vec transform(const R2 & T) const;
};

template <>
struct core::batch_of_rows<kernels::Vec>
{
  using type = Vec;
};

namespace tensors
{
template <class T>
constexpr bool is_vector =
    std::is_same_v<T, Vec> || std::is_same_v<T, Rot> || std::is_same_v<T, WR2>;
/// Enables an overload for two vectors, at least one of them a Rot or WR2.
template <class A, class B>
using if_vectors = std::enable_if_t<is_vector<A> && is_vector<B> &&
                                        !(std::is_same_v<A, Vec> && std::is_same_v<B, Vec>),
                                    int>;
} // namespace tensors

/// v_i v_i. (...; 3) -> (...; ), in the square of the unit of v.
Scalar norm_sq(const Vec & v);
/// √(v_i v_i + epsilon), epsilon in the square of the unit of v. (...; 3) -> (...; ), in the unit of v. Its
/// gradient at v = 0 is 0 (for epsilon = 0, one choice among the subgradients).
Scalar norm(const Vec & v, Real epsilon = 0);
/// v / √(v_i v_i + epsilon), without unit. (...; 3) -> (...; 3). NaN where the quotient is 0 / 0.
Vec unit(const Vec & v, Real epsilon = 0);
/// v_i w_i. (...; 3), (...; 3) -> (...; ), unit of v × unit of w.
Scalar inner(const Vec & v, const Vec & w);
/// v_i w_i, as inner(v, w); LibTorch's vdot has no batches. (...; 3), (...; 3) -> (...; )
Scalar vdot(const Vec & v, const Vec & w);
/// ε_ijk v_j w_k. (...; 3), (...; 3) -> (...; 3), unit of v × unit of w.
Vec cross(const Vec & v, const Vec & w);
/// v_i w_j. (...; 3), (...; 3) -> (...; 3, 3), unit of v × unit of w.
R2 outer(const Vec & v, const Vec & w);
/// v_i v_j. (...; 3) -> (...; 3, 3), in the square of the unit of v.
R2 outer(const Vec & v);
/// v_i v_j as a symmetric tensor. (...; 3) -> (...; 6), in the square of the unit of v.
SR2 self_outer(const Vec & v);
// These overloads of cross and outer use rotations and spins as vectors of their components. They are templates, so
// that they need no conversion of their arguments. Otherwise overload resolution would choose LibTorch's functions of
// these names, which treat batch dimensions as base dimensions.
/// ε_ijk v_j w_k for the components of two rotations, spins or vectors. (...; 3), (...; 3) -> (...; 3)
template <class A, class B, tensors::if_vectors<A, B> = 0>
Vec cross(const A & v, const B & w);
/// v_i w_j for the components of two rotations, spins or vectors. (...; 3), (...; 3) -> (...; 3, 3)
template <class A, class B, tensors::if_vectors<A, B> = 0>
R2 outer(const A & v, const B & w);
/// R_ij v_j: v rotated (active) by the rotation matrix R. (...; 3), (...; 3, 3) -> (...; 3), in the unit of v.
Vec rotate(const Vec & v, const R2 & R);
/// R_ij v_j: v rotated (active) by r, where R is the matrix of r. (...; 3), (...; 3) -> (...; 3), in the unit of v.
Vec rotate(const Vec & v, const Rot & r);
/// ∂(R_il v_l)/∂R_jk = δ_ij v_k, in the unit of v. (...; 3), (...; 3, 3) -> (...; 3, 3, 3)
R3 drotate(const Vec & v, const R2 & R);
/// ∂(R_ij v_j)/∂r_k with the matrix R of r, in the unit of v. (...; 3), (...; 3) -> (...; 3, 3)
R2 drotate(const Vec & v, const Rot & r);
/// T_ij v_j, for any linear map T. (...; 3), (...; 3, 3) -> (...; 3), unit of T × unit of v.
Vec transform(const Vec & v, const R2 & T);

// linalg contains cross and outer, too.
namespace linalg
{
/// See neml2::cross(v, w). (...; 3), (...; 3) -> (...; 3)
Vec cross(const Vec & v, const Vec & w);
/// See neml2::outer(v, w). (...; 3), (...; 3) -> (...; 3, 3)
R2 outer(const Vec & v, const Vec & w);
} // namespace linalg
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/Vec-inl.h"
#endif
