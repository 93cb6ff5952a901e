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
 * rotation by the angle θ about the unit axis n. No unit.
 * - Rotations are active: the matrix R of r turns the vector v into R_ij v_j, counterclockwise for
 *   θ > 0 where n points to the viewer.
 * - r * t is the rotation by t, then by r.
 * - 0 is the identity, -r the inverse; |r| ≤ 1 means an angle up to π. r and -r / (r_i r_i) are the
 * same rotation, by θ and by θ - 2π; an angle of 2π has no finite r.
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
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::Rot<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(Rot)
  Rot() = default;
  template <class R, std::enable_if_t<std::is_same_v<R, R2>, int> = 0>
  explicit Rot(const R &) = delete; // The rotation of a matrix R is Rot::fill_matrix(R),
  template <class Q, std::enable_if_t<std::is_same_v<Q, Quaternion>, int> = 0>
  explicit Rot(const Q &) = delete; // that of a quaternion q is q.to_rot().

  using PrimitiveTensor::fill;
  /// From the three parameters, unbatched. (; 3)
  [[nodiscard]] static Rot fill(const CScalar & r0,
                                const CScalar & r1,
                                const CScalar & r2,
                                const TensorOptions & options = default_tensor_options())
  {
    return from_values({r0, r1, r2}, options);
  }
  /// From three batches of parameters; their batch shapes broadcast. (...; ) three times -> (...; 3)
  [[nodiscard]] static Rot fill(const Scalar & r0, const Scalar & r1, const Scalar & r2);
  /// No rotation, 0. (; 3)
  [[nodiscard]] static Rot identity(const TensorOptions & options = default_tensor_options());
  /// Derivative of the parameters by themselves, δ_ij. (; 3, 3)
  [[nodiscard]] static R2 identity_map(const TensorOptions & options = default_tensor_options());
  /// The rotation of the matrix R, of an angle up to π. (...; 3, 3) -> (...; 3)
  /// R must be a rotation, orthogonal with determinant 1. NaN where its determinant is not above 0, as for a reflection; whether it is
  /// orthogonal is not checked. At θ = π the result is either r or -r.
  ///
  /// Computed by the unit quaternion of R; source: Shepperd (1978), J. Guid. Control 1, 223-224.
  [[nodiscard]] static Rot fill_matrix(const R2 & R);
  /// The rotation of the (classical) Rodrigues parameters n_i tan(θ/2), of an angle up to π.
  /// (...; ) three times -> (...; 3)
  [[nodiscard]] static Rot fill_rodrigues(const Scalar & rx, const Scalar & ry, const Scalar & rz);

  // ---- Axis and angle, in axis_angle-inl.h ----

  /// n_i tan(θ/4) / |n|: the rotation about the axis n, of any length except 0, by the angle θ in radians.
  /// (...; 3), (...; ) -> (...; 3)
  [[nodiscard]] static Rot axis_angle(const Vec & n, const Scalar & theta);
  [[nodiscard]] static Rot from_axis_angle(const Vec & n, const Scalar & theta);
  /// The rotation about the axis n, of any length except 0, by the angle θ in radians, which is reduced to
  /// [-π, π] by whole turns, so that |r| ≤ 1. (...; 3), (...; ) -> (...; 3)
  [[nodiscard]] static Rot axis_angle_standard(const Vec & n, const Scalar & theta);
  [[nodiscard]] static Rot from_axis_angle_standard(const Vec & n, const Scalar & theta);
  /// The rotation about a × b that turns the direction of a into that of b, both of any length except 0.
  /// (...; 3), (...; 3) -> (...; 3)
  /// Where they are opposite up to rounding, it is the half turn about one axis orthogonal to a. That
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

  /// The rotation, of an angle up to π, of three Euler angles. (...; 3) -> (...; 3)
  ///
  /// Convention "kocks" (Ψ, Θ, φ), "bunge" (φ1, Φ, φ2) or "roe" (ψ, θ, φ); type "degrees" or "radians".
  /// With the angles a, b, c of Kocks, ca for cos a and sa for sin a, the matrix is
  ///   [[-sc sa - cc ca cb,  sc ca - cc sa cb, cc sb],
  ///    [ cc sa - sc ca cb, -cc ca - sc sa cb, sc sb],
  ///    [            ca sb,             sa sb,    cb]];
  /// Roe's last angle is π - c; Bunge's angles are a + π/2, b, π/2 - c. The matrix turns components
  /// in the frame of the sample into those in the frame of the crystal. Source: Kocks, Tomé, Wenk
  /// (1998), Texture and Anisotropy, ch. 2, table 1.
  ///
  /// Convention may also be the axes of three rotations that follow one another: capital letters, as "ZXZ", are axes that turn with the
  /// body, small ones, as "xyz" (roll, pitch, yaw), fixed axes. The rotation of "ZXZ" by Bunge's angles is the inverse of "bunge".
  /// @throws NEMLException also for any other convention or type.
  [[nodiscard]] static Rot
  fill_euler_angles(const Vec & angles, const std::string & convention, const std::string & type);
  /// Euler angles of the rotation, the inverse of fill_euler_angles. (...; 3) -> (...; 3)
  ///
  /// The middle angle b is in [0, π]. Where it is neither 0 nor π, the angles a and c of Kocks are in
  /// [-π/2, 3π/2), and Bunge's in [0, 2π) and (-π, π]. For b = 0 only a - c is determined; c is in
  /// [0, π), and a is -c. For b = π only a + c is determined; c is 0, and a is in (-π, π]. The angles
  /// have no derivative at b = 0 and b = π: autograd gives a finite one.
  ///
  /// For axes as letters the middle angle is in [0, π] if the first and the last axis are the same, otherwise in [-π/2, π/2], and the
  /// others are in [-π, π). Where the middle angle is at an end of its range the last angle is 0, and autograd gives a finite derivative
  /// there, too. Source: Bernardes and Viollet (2022), PLoS ONE 17, e0276302.
  /// @throws NEMLException also for any other convention or type.
  Vec to_euler_angles(const std::string & convention, const std::string & type) const;

  // ---- Random rotations, in random_rotations-inl.h ----

  /// n rotations of angles up to π, uniformly distributed (by the Haar measure). (n; 3)
  /// With a seed ≥ 0 they depend only on n and the seed, and LibTorch's generator does not advance;
  /// otherwise they come from LibTorch's generator, which at::manual_seed seeds.
  ///
  /// Source: Shoemake (1992), Uniform random rotations, Graphics Gems III, 124-132.
  [[nodiscard]] static Rot
  fill_random(Size n, Size seed = -1, const TensorOptions & options = default_tensor_options());
  /// One rotation, of an angle up to π and uniformly distributed (by the Haar measure), from LibTorch's
  /// generator. (; 3)
  [[nodiscard]] static Rot rand();
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Rot rand(const O & options)
  {
    return rand(TraceableTensorShape(), options);
  }
  /// Rotations of angles up to π, uniformly distributed (by the Haar measure), from LibTorch's generator.
  /// (batch; 3)
  template <class... O, core::if_optional<O...> = 0>
  [[nodiscard]] static Rot rand(const TraceableTensorShape & batch, const O &... o)
  {
    return rand(batch, TraceableTensorShape(), core::options_or_default(o...));
  }
  /// Rotations of angles up to π, uniformly distributed (by the Haar measure), from LibTorch's generator:
  /// with the batch shape `dynamic`; `intermediate` must be empty. (dynamic; 3)
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

/// Rotation matrix δ_ij + (4 (1 - s) W_ij + 8 W_ik W_kj) / (1 + s)², s = r_k r_k, W = skew(r).
/// (...; 3) -> (...; 3, 3)
R2 euler_rodrigues(const Rot & r);
/// ∂R_ij/∂r_k of the rotation matrix R = euler_rodrigues(r). (...; 3) -> (...; 3, 3, 3)
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
/// s = x · x, c = r * x, d = 1 + s (r · r) - 2 x · r. (...; 3), (...; 3) -> (...; 3, 3)
/// Infinite or NaN where x and r add up to a turn by 2π, since c is infinite there.
R2 drotate(const Rot & x, const Rot & r);
/// ∂rotate(x, r)_i/∂x_j = ((1 - s) δ_ij - 2 r_i x_j - 2 c_i (s x_j - r_j) - 2 ε_ijk r_k) / d,
/// s = r · r, c = r * x, d = 1 + s (x · x) - 2 x · r. (...; 3), (...; 3) -> (...; 3, 3)
/// Infinite or NaN where x and r add up to a turn by 2π, since c is infinite there.
R2 drotate_self(const Rot & x, const Rot & r);
/// The other parameters of the rotation r, -r_i / (r_k r_k). (...; 3) -> (...; 3)
/// NaN at r = 0, whose other angle is 2π.
Rot shadow(const Rot & r);
/// ∂shadow(r)_i/∂r_j = (2 r_i r_j / s - δ_ij) / s, s = r_k r_k. (...; 3) -> (...; 3, 3). NaN at r = 0.
R2 dshadow(const Rot & r);
/// Angle of a * b^-1 for the parameters as given, 4 asin(|a - b| / √((1 + a·a) (1 + b·b))) in [0, 2π].
/// (...; 3), (...; 3) -> (...; ), in radians. Computed by the arc tangent, which is accurate at both ends.
/// At both ends the function has a kink; autograd takes 0, a subgradient, for the derivative there.
Scalar gdist(const Rot & a, const Rot & b);
/// Angle between two rotations, the same for both sets of parameters of each rotation: the smaller one of
/// θ and 2π - θ, θ = gdist(a, b). (...; 3), (...; 3) -> (...; ), in radians, in [0, π]. Defined for the
/// identity too; the derivative for equal rotations is taken as 0.
Scalar dist(const Rot & a, const Rot & b);
/// Volume of rotations per volume of parameters, 8 / (π (1 + r_i r_i)³). (...; 3) -> (...; )
/// Its integral over |r| < 1, which contains all rotations, is π.
Scalar dV(const Rot & r);

/// The rotation by b, then by a: ((1 - b·b) a + (1 - a·a) b + 2 a × b) / (1 + (a·a) (b·b) - 2 a·b).
/// The matrix of a * b is the product of the matrices. (...; 3), (...; 3) -> (...; 3)
/// Infinite or NaN where the parameters add up to a turn by 2π, such as two half turns about the same
/// axis: numerator and denominator are 0 there, and close to it digits are lost. In that case replace
/// one of the two by its shadow, -r / |r|².
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
#ifndef NEML2_COMPILED // otherwise the library has the bodies
#include "neml2/tensors/Rot-inl.h"
#include "neml2/tensors/axis_angle-inl.h"
#include "neml2/tensors/random_rotations-inl.h"
#include "neml2/tensors/rotation_distance-inl.h"
#endif
