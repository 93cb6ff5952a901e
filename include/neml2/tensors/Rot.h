// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/rotation_distance.h"
#include "neml2/kernels/axis_angle.h"
#include "neml2/kernels/euler_angles.h"
#include "neml2/math/arithmetic.h"
#include "neml2/kernels/Rot.h"
#include "neml2/tensors/fwd.h"

#include <string>

namespace neml2
{
/**
 * Batch of rotations, for example the orientations of crystals.
 *
 * Shape (...; 3): any batch shape, then the modified Rodrigues parameters r_i = n_i tan(θ/4) of the
 * rotation by the angle θ about the unit axis n. The parameters have no physical unit.
 * - Rotations are active: the matrix R of r turns the vector v into R_ij v_j, counterclockwise for θ > 0 if n points
 *   to the viewer.
 * - r * t is the rotation by t, then by r.
 * - 0 is the identity, and -r is the inverse of r; |r| ≤ 1 means an angle up to π. r and -r / (r_i r_i) are the same
 *   rotation, with the angles θ and θ - 2π; an angle of 2π has no finite r.
 *
 * Elsewhere: exponential and logarithm in exponential_map.h; conversions of Euler angles in
 * euler_angles.h; quaternions in Quaternion.h; symmetry of crystals and misorientation in
 * crystallography.h; reflections in Transformable.h.
 *
 * Source: Schaub and Junkins (1996), J. Astronaut. Sci. 44, 1-19.
 */
class Rot : public PrimitiveTensor<Rot, 3>
{
public:
  static constexpr auto type_name = "Rot";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::Rot<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(Rot)
  Rot() = default;
  template <class R, std::enable_if_t<std::is_same_v<R, R2>, int> = 0>
  explicit Rot(const R &) = delete; // For a matrix R, use Rot::fill_matrix(R).
  template <class Q, std::enable_if_t<std::is_same_v<Q, Quaternion>, int> = 0>
  explicit Rot(const Q &) = delete; // For a quaternion q, use q.to_rot().

  using PrimitiveTensor::fill;
  /// Makes one rotation, without batch dimensions, from its three parameters. (; 3)
  [[nodiscard]] static Rot fill(const CScalar & r0,
                                const CScalar & r1,
                                const CScalar & r2,
                                const TensorOptions & options = default_tensor_options())
  {
    return from_values({r0, r1, r2}, options);
  }
  /// Makes a batch from three batches of parameters; their batch shapes broadcast. (...; ) three times -> (...; 3)
  [[nodiscard]] static Rot fill(const Scalar & r0, const Scalar & r1, const Scalar & r2);
  /// No rotation: r = 0. (; 3)
  [[nodiscard]] static Rot identity(const TensorOptions & options = default_tensor_options());
  /// Derivative of the parameters with respect to themselves, δ_ij. (; 3, 3)
  [[nodiscard]] static R2 identity_map(const TensorOptions & options = default_tensor_options());
  /// The rotation whose matrix is R. Its angle is at most π. (...; 3, 3) -> (...; 3)
  /// R must be orthogonal with determinant 1. Orthogonality is not checked. The result is NaN where the determinant
  /// is not positive, as for a reflection. At θ = π the result is either r or -r.
  ///
  /// r is computed from the unit quaternion of R. Source: Shepperd (1978), J. Guid. Control 1, 223-224.
  [[nodiscard]] static Rot fill_matrix(const R2 & R);
  /// The rotation whose (classical) Rodrigues parameters are n_i tan(θ/2). Its angle is at most π.
  /// (...; ) three times -> (...; 3)
  [[nodiscard]] static Rot fill_rodrigues(const Scalar & rx, const Scalar & ry, const Scalar & rz);

  // ---- Axis and angle, in axis_angle-inl.h ----

  /// n_i tan(θ/4) / |n|: the rotation about the axis n, of any length except 0, by the angle θ in radians.
  /// (...; 3), (...; ) -> (...; 3)
  [[nodiscard]] static Rot axis_angle(const Vec & n, const Scalar & theta);
  [[nodiscard]] static Rot from_axis_angle(const Vec & n, const Scalar & theta);
  /// The rotation about the axis n, of any length except 0, by the angle θ in radians. θ is first reduced to [-π, π]
  /// by whole turns, so that |r| ≤ 1. (...; 3), (...; ) -> (...; 3)
  [[nodiscard]] static Rot axis_angle_standard(const Vec & n, const Scalar & theta);
  [[nodiscard]] static Rot from_axis_angle_standard(const Vec & n, const Scalar & theta);
  /// The rotation about a × b that turns the direction of a into the direction of b; a and b may have any length
  /// whose fourth power neither overflows nor underflows. (...; 3), (...; 3) -> (...; 3)
  /// Where a and b are opposite up to rounding, the result is the half turn about one of the axes orthogonal to a. This
  /// rotation is correct, but has no derivative; autograd differentiates the axis as a function of a.
  [[nodiscard]] static Rot rotation_from_to(const Vec & a, const Vec & b);

  /// Unit axis r_i / |r|; (0, 0, 1) where there is no rotation, with the derivative 0.
  /// (...; 3) -> (...; 3)
  Vec axis() const;
  /// Angle 4 atan(|r|) in [0, 2π), in radians. (...; 3) -> (...; ). Its derivative at r = 0 is 0.
  /// axis_angle(r.axis(), r.angle()) is r.
  Scalar angle() const;
  /// See log_map(r).
  WR2 log_map() const;

  // ---- Euler angles, in euler_angles.h ----

  /// The rotation with three Euler angles. Its angle is at most π. (...; 3) -> (...; 3)
  ///
  /// The convention is "kocks" (Ψ, Θ, φ), "bunge" (φ1, Φ, φ2) or "roe" (ψ, θ, φ); the type is "degrees" or "radians".
  /// If a, b, c are the angles of Kocks, and ca is cos a and sa is sin a, the matrix is
  ///   [[-sc sa - cc ca cb,  sc ca - cc sa cb, cc sb],
  ///    [ cc sa - sc ca cb, -cc ca - sc sa cb, sc sb],
  ///    [            ca sb,             sa sb,    cb]];
  /// Roe's last angle is π - c; Bunge's angles are a + π/2, b, π/2 - c. The matrix turns components in the frame of
  /// the sample into components in the frame of the crystal. Source: Kocks, Tomé, Wenk (1998), Texture and
  /// Anisotropy, ch. 2, table 1.
  ///
  /// The convention may also name the axes of three successive rotations. Capital letters, such as "ZXZ", are axes
  /// that turn with the body; small letters, such as "xyz" (roll, pitch, yaw), are fixed axes. With the same angles,
  /// the rotations of "ZXZ" and of "bunge" are inverse to each other.
  /// @throws NEMLException also for any other convention or type.
  [[nodiscard]] static Rot
  fill_euler_angles(const Vec & angles, const std::string & convention, const std::string & type);
  /// Euler angles of the rotation, the inverse of fill_euler_angles. (...; 3) -> (...; 3)
  ///
  /// The middle angle b is in [0, π]. Where it is neither 0 nor π, the angles a and c of Kocks are in [-π/2, 3π/2),
  /// and Bunge's φ1 is in [0, 2π) and φ2 in (-π, π]. For b = 0 only a - c is determined; then c is in [0, π), and a
  /// is -c. For b = π only a + c is determined; then c is 0, and a is in (-π, π]. At b = 0 and b = π the angles have
  /// no derivative, and autograd gives finite numbers.
  ///
  /// If the convention names axes, the middle angle is in [0, π] if the first and the last axis are the same,
  /// otherwise in [-π/2, π/2]; the other angles are in [-π, π). Where the middle angle is at an end of its range, the
  /// last angle is 0, and autograd gives a finite derivative there, too. Source: Bernardes and Viollet (2022), PLoS
  /// ONE 17, e0276302.
  /// @throws NEMLException also for any other convention or type.
  Vec to_euler_angles(const std::string & convention, const std::string & type) const;

  // ---- Random rotations, in random_rotations-inl.h ----

  /// n rotations of angles up to π, uniformly distributed (by the Haar measure). (n; 3)
  /// If the seed is ≥ 0, the rotations depend only on n and the seed, and LibTorch's generator does not advance.
  /// Otherwise they come from LibTorch's generator, which at::manual_seed seeds.
  ///
  /// Source: Shoemake (1992), Uniform random rotations, Graphics Gems III, 124-132.
  [[nodiscard]] static Rot
  fill_random(Size n, Size seed = -1, const TensorOptions & options = default_tensor_options());
  /// One uniformly distributed rotation (by the Haar measure) from LibTorch's generator. Its angle is at most π. (; 3)
  [[nodiscard]] static Rot rand();
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Rot rand(const O & options)
  {
    return rand(TraceableTensorShape(), options);
  }
  /// Uniformly distributed rotations (by the Haar measure) from LibTorch's generator. Their angles are at most π.
  /// (batch; 3)
  template <class... O, core::if_optional<O...> = 0>
  [[nodiscard]] static Rot rand(const TraceableTensorShape & batch, const O &... o)
  {
    return rand(batch, TraceableTensorShape(), core::options_or_default(o...));
  }
  /// Uniformly distributed rotations (by the Haar measure) from LibTorch's generator. Their angles are at most π, and
  /// their batch shape is `dynamic`; `intermediate` must be empty. (dynamic; 3)
  [[nodiscard]] static Rot rand(const TraceableTensorShape & dynamic,
                                const TraceableTensorShape & intermediate,
                                const TensorOptions & options = default_tensor_options());

  // ---- The parameters as a vector ----

  /// See norm_sq(r).
  Scalar norm_sq() const;
  /// See norm(r).
  Scalar norm() const;
  /// r_i v_i. (...; 3), (...; 3) -> (...; ), in the unit of v.
  Scalar dot(const Vec & v) const;
  /// ε_ijk r_j v_k. (...; 3), (...; 3) -> (...; 3), in the unit of v.
  Rot cross(const Vec & v) const;
  /// r_i v_j. (...; 3), (...; 3) -> (...; 3, 3), in the unit of v.
  R2 outer(const Vec & v) const;

  // ---- As a rotation ----

  /// See inv(r).
  Rot inverse() const;
  /// See euler_rodrigues(r).
  R2 euler_rodrigues() const;
  /// See deuler_rodrigues(r).
  R3 deuler_rodrigues() const;
  /// See rotate(x, r).
  Rot rotate(const Rot & r) const;
  /// See drotate(x, r).
  R2 drotate(const Rot & r) const;
  /// See drotate_self(x, r).
  R2 drotate_self(const Rot & r) const;
  /// See shadow(r).
  Rot shadow() const;
  /// See dshadow(r).
  R2 dshadow() const;
  /// See gdist(a, b).
  Scalar gdist(const Rot & q) const;
  /// See dist(a, b).
  Scalar dist(const Rot & q) const;
  /// See dV(r).
  Scalar dV() const;
};

template <>
struct core::batch_of_rows<kernels::Rot>
{
  using type = Rot;
};

/// Rotation matrix δ_ij + (4 (1 - s) W_ij + 8 W_ik W_kj) / (1 + s)² with s = r_k r_k and W = skew(r).
/// (...; 3) -> (...; 3, 3)
R2 euler_rodrigues(const Rot & r);
/// ∂R_ij/∂r_k with the rotation matrix R = euler_rodrigues(r). (...; 3) -> (...; 3, 3, 3)
R3 deuler_rodrigues(const Rot & r);
/// r_i q_i of the parameters. (...; 3), (...; 3) -> (...; )
Scalar inner(const Rot & r, const Rot & q);
/// r_i r_i = tan²(θ/4). (...; 3) -> (...; )
Scalar norm_sq(const Rot & r);
/// √(r_i r_i) = |tan(θ/4)|. (...; 3) -> (...; ). Its gradient at r = 0 is 0.
Scalar norm(const Rot & r);
/// The inverse rotation, -r. (...; 3) -> (...; 3)
Rot inv(const Rot & r);
/// The rotation by x, then by r: r * x. (...; 3), (...; 3) -> (...; 3)
Rot rotate(const Rot & x, const Rot & r);
/// ∂rotate(x, r)_i/∂r_j = ((1 - s) δ_ij - 2 x_i r_j - 2 c_i (s r_j - x_j) + 2 ε_ijk x_k) / d,
/// with s = x · x, c = r * x, d = 1 + s (r · r) - 2 x · r. (...; 3), (...; 3) -> (...; 3, 3)
/// Infinite or NaN where x and r add up to a turn by 2π, because c is infinite there.
R2 drotate(const Rot & x, const Rot & r);
/// ∂rotate(x, r)_i/∂x_j = ((1 - s) δ_ij - 2 r_i x_j - 2 c_i (s x_j - r_j) - 2 ε_ijk r_k) / d,
/// with s = r · r, c = r * x, d = 1 + s (x · x) - 2 x · r. (...; 3), (...; 3) -> (...; 3, 3)
/// Infinite or NaN where x and r add up to a turn by 2π, because c is infinite there.
R2 drotate_self(const Rot & x, const Rot & r);
/// The other parameters of the rotation r, -r_i / (r_k r_k). (...; 3) -> (...; 3)
/// NaN at r = 0, because the other angle is 2π there.
Rot shadow(const Rot & r);
/// ∂shadow(r)_i/∂r_j = (2 r_i r_j / s - δ_ij) / s with s = r_k r_k. (...; 3) -> (...; 3, 3). NaN at r = 0.
R2 dshadow(const Rot & r);
/// Angle of the rotation a * b^-1 for the parameters as given: 4 asin(|a - b| / √((1 + a·a) (1 + b·b))) in [0, 2π].
/// (...; 3), (...; 3) -> (...; ), in radians. The angle is computed by the arc tangent, which is accurate at both ends of
/// this range. The function has a kink at both ends; autograd uses 0 as the derivative there.
Scalar gdist(const Rot & a, const Rot & b);
/// Angle between two rotations: the smaller of θ and 2π - θ with θ = gdist(a, b). It is the same for both sets of
/// parameters of a rotation. (...; 3), (...; 3) -> (...; ), in radians, in [0, π]. dist is also defined for the
/// identity, which has no shadow.
/// For equal rotations, autograd uses 0 as the derivative.
Scalar dist(const Rot & a, const Rot & b);
/// Volume of rotations per volume of parameters, 8 / (π (1 + r_i r_i)³). (...; 3) -> (...; )
/// Its integral over |r| < 1, which contains all rotations, is π.
Scalar dV(const Rot & r);

/// The rotation by b, then by a: ((1 - b·b) a + (1 - a·a) b + 2 a × b) / (1 + (a·a) (b·b) - 2 a·b).
/// The matrix of a * b is the product of the matrices. (...; 3), (...; 3) -> (...; 3)
/// Infinite or NaN where a and b add up to a turn by 2π, as two half turns about the same axis do: the numerator and
/// the denominator are 0 there. Digits are lost close to such a turn. In both cases replace a or b by its shadow,
/// -r / |r|².
template <class A, class B, math::if_types<A, Rot, B, Rot> = 0>
Rot operator*(const A & a, const B & b);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "neml2/tensors/WR2.h"
#include "neml2/tensors/euler_angles.h"
#include "neml2/tensors/exponential_map.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/Rot-inl.h"
#include "neml2/tensors/axis_angle-inl.h"
#include "neml2/tensors/random_rotations-inl.h"
#include "neml2/tensors/rotation_distance-inl.h"
#endif
