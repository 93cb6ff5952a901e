// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/axis_angle.h"
#include "neml2/math/arithmetic.h"
#include "neml2/kernels/Quaternion.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of quaternions, for example the orientations of crystals.
 *
 * Shape (...; 4): any batch shape, then (s, x, y, z), with the scalar part s first; (s, u) for short. The components
 * have no physical unit.
 * - The unit quaternion (cos θ/2, n sin θ/2) is the rotation by the angle θ about the unit axis n,
 *   active as in Rot; q and -q are the same rotation.
 * - q * p is Hamilton's product. For rotations, it is the rotation by p, then by q: R(q * p) = R(q) R(p).
 * - A function normalises q only if its documentation says so, as the documentation of unit(q) does.
 * - neml2::exp and log work component by component, as for every type; the exponential of a rotation vector is
 *   exp_map, and the inverse of exp_map is log_map.
 * - To use Euler angles, make a Rot from them; a Rot converts implicitly to a Quaternion.
 *
 * crystallography.h has the rotations of crystal classes.
 *
 * Source: Shuster (1993), J. Astronaut. Sci. 41, 439-517, whose scalar is last and whose product is
 * in the other order.
 */
class Quaternion : public PrimitiveTensor<Quaternion, 4>
{
public:
  static constexpr auto type_name = "Quaternion";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::Quaternion<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(Quaternion)
  Quaternion() = default;
  /// The unit quaternion (1 - r · r, 2 r) / (1 + r · r) of a rotation. (...; 3) -> (...; 4)
  /// The constructor is a template, so that a Vec is not accepted as a rotation.
  template <class R, std::enable_if_t<std::is_same_v<R, Rot>, int> = 0>
  Quaternion(const R & r);

  using PrimitiveTensor::fill;
  /// Makes one quaternion, without batch dimensions, from its four components. (; 4)
  [[nodiscard]] static Quaternion fill(const CScalar & s,
                                       const CScalar & x,
                                       const CScalar & y,
                                       const CScalar & z,
                                       const TensorOptions & options = default_tensor_options())
  {
    return from_values({s, x, y, z}, options);
  }
  /// Makes a batch from four batches of components; their batch shapes broadcast. (...; ) four times -> (...; 4)
  [[nodiscard]] static Quaternion
  fill(const Scalar & s, const Scalar & x, const Scalar & y, const Scalar & z);
  /// No rotation, (1, 0, 0, 0). (; 4)
  [[nodiscard]] static Quaternion
  identity(const TensorOptions & options = default_tensor_options());
  /// The unit quaternion of the rotation matrix R, with s ≥ 0. (...; 3, 3) -> (...; 4)
  /// R must be orthogonal with determinant 1. Orthogonality is not checked. The result is NaN where the determinant
  /// is not positive, as for a reflection. At θ = π the result is either q or -q.
  ///
  /// Source: Shepperd (1978), J. Guid. Control 1, 223-224.
  [[nodiscard]] static Quaternion fill_matrix(const R2 & R);
  /// (cos θ/2, n sin θ/2 / |n|) for the axis n, of any length except 0, and the angle θ in radians.
  /// (...; 3), (...; ) -> (...; 4)
  [[nodiscard]] static Quaternion axis_angle(const Vec & n, const Scalar & theta);
  /// The exponential of w / 2 with the rotation vector w = n θ, in radians. The result is
  /// (cos θ/2, n sin θ/2). (...; 3) -> (...; 4). The function is smooth, also at w = 0.
  [[nodiscard]] static Quaternion exp_map(const Vec & w);

  /// See rotation_matrix(q).
  R2 rotation_matrix() const;
  /// See rotation_matrix(q). to_R2 is another name for it.
  R2 to_R2() const;
  /// See to_rot(q).
  Rot to_rot() const;
  /// See log_map(q).
  Vec log_map() const;
  /// The angle θ in [0, π] of the rotation, 2 atan2(|u|, |s|) with (s, u) = q, in radians. (...; 4) -> (...; )
  /// Its derivative at θ = 0 is 0.
  Scalar angle() const;
  /// The unit axis n of the rotation by angle(), ± u / |u| with (s, u) = q. (...; 4) -> (...; 3). NaN where the angle is 0.
  Vec axis() const;

  /// See conjugate(q).
  Quaternion conjugate() const;
  /// See inv(q).
  Quaternion inverse() const;
  /// See norm_sq(q).
  Scalar norm_sq() const;
  /// See norm(q).
  Scalar norm() const;
  /// See inner(q, p).
  Scalar dot(const Quaternion & p) const;
  /// See dist(p, q).
  Scalar dist(const Quaternion & p) const;
};

template <>
struct core::batch_of_rows<kernels::Quaternion>
{
  using type = Quaternion;
};

/// Hamilton's product (s, u) (t, w) = (s t - u · w, s w + t u + u × w). (...; 4), (...; 4) -> (...; 4)
template <class A, class B, math::if_types<A, Quaternion, B, Quaternion> = 0>
Quaternion operator*(const A & q, const B & p);
/// (s, -u) for q = (s, u); for a unit quaternion, the inverse rotation. (...; 4) -> (...; 4)
Quaternion conjugate(const Quaternion & q);
/// (s, -u) / (s² + u · u) for q = (s, u), so that q * inv(q) = 1. (...; 4) -> (...; 4). NaN where q = 0.
Quaternion inv(const Quaternion & q);
/// q_i p_i. For unit quaternions it is ± the cosine of half the angle dist(p, q) between their rotations.
/// (...; 4), (...; 4) -> (...; )
Scalar inner(const Quaternion & q, const Quaternion & p);
/// q_i q_i. (...; 4) -> (...; )
Scalar norm_sq(const Quaternion & q);
/// √(q_i q_i + epsilon). (...; 4) -> (...; ). Its gradient at q = 0 is 0.
Scalar norm(const Quaternion & q, Real epsilon = 0);
/// q / √(q_i q_i + epsilon). (...; 4) -> (...; 4). NaN where the quotient is 0 / 0.
Quaternion unit(const Quaternion & q, Real epsilon = 0);

/// The rotation matrix δ_ij + 2 s W_ij + 2 W_ik W_kj with q = (s, u) and W = skew(u). q must be a unit quaternion; the
/// function does not normalise it. (...; 4) -> (...; 3, 3)
R2 rotation_matrix(const Quaternion & q);
/// The rotation of q, with an angle up to π: u / (|q| + s) for (s, u) = q or -q, whichever has s ≥ 0.
/// (...; 4) -> (...; 3). q may have any length whose square neither overflows nor underflows; NaN for the length 0.
Rot to_rot(const Quaternion & q);
/// R_ij v_j = v + 2 s (u × v) + 2 u × (u × v) with the rotation matrix R of q = (s, u). q must be a unit quaternion; the
/// function does not normalise it. (...; 3), (...; 4) -> (...; 3), in the unit of v.
Vec rotate(const Vec & v, const Quaternion & q);
/// The rotation vector n θ = 2 atan2(|u|, s) u / |u| in radians, where (s, u) is q or -q, whichever has s ≥ 0; thus
/// 0 ≤ θ ≤ π. (...; 4) -> (...; 3). q may have any length as in to_rot. The function is smooth for
/// θ < π, also at θ = 0.
Vec log_map(const Quaternion & q);
/// 2 acos(min(|p · q|, 1)) in radians: for unit quaternions the angle in [0, π] of the rotation from p to q.
/// (...; 4), (...; 4) -> (...; )
/// The function does not normalise p and q: if their lengths are not 1, the result is not an angle; then use
/// dist(unit(p), unit(q)). If |p|² and |q|² are 1 up to 16 times the machine epsilon of their dtype, the result is
/// accurate for small angles, too. Where the angle is 0, autograd uses 0 as its derivatives.
///
/// Where the result is an angle, it is computed as 4 atan2(|p - q|, |p + q|). Source: Kahan (2006), How futile are
/// mindless assessments of roundoff in floating-point computation?, section 12.
Scalar dist(const Quaternion & p, const Quaternion & q);
/// The point t on the arc of unit quaternions from q (t = 0) to the nearer one of p and -p (t = 1):
/// (sin((1 - t) Ω) q ± sin(t Ω) p) / sin Ω, with cos Ω = |q · p|. The rotation turns at constant speed.
/// (...; 4), (...; 4), (...; ) -> (...; 4). For t outside of [0, 1] the point continues along the arc; it is NaN
/// unless -8 ≤ t ≤ 9. The function is smooth for Ω < π/2, also at q = ±p. Where Ω is π/2, p and -p are equally near, and
/// p is used.
///
/// Source: Shoemake (1985), Computer Graphics 19(3), 245-254.
Quaternion slerp(const Quaternion & q, const Quaternion & p, const Scalar & t);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/Quaternion-inl.h"
#endif
