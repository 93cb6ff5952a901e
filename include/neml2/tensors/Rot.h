// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/batch.h"
#include "neml2/kernels/Rot.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of rotations, for example the orientations of crystals.
 *
 * Shape (...; 3): any batch shape, then the modified Rodrigues parameters r_i = n_i tan(θ/4) of the
 * rotation by the angle θ about the unit axis n. No unit.
 * - Rotations are active: the matrix R of r turns the vector v into R_ij v_j, counterclockwise for
 *   θ > 0 where n points to the viewer.
 * - r * t is t first, then r.
 * - 0 is the identity, -r the inverse, |r| ≤ 1 an angle up to π. r and -r / (r_i r_i) are one
 *   rotation, by θ and by θ - 2π; an angle of 2π has no finite r.
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
  Rot() = default;

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
  /// The rotation of the matrix R, of an angle up to π. (...; 3, 3) -> (...; 3)
  /// R must be a rotation, orthogonal with determinant 1; this is not checked. At θ = π either of r
  /// and -r.
  ///
  /// By the unit quaternion of R; source: Shepperd (1978), J. Guid. Control 1, 223-224.
  [[nodiscard]] static Rot fill_matrix(const R2 & R);
  /// The rotation of the (classical) Rodrigues parameters n_i tan(θ/2). (...; ) three times -> (...; 3)
  [[nodiscard]] static Rot fill_rodrigues(const Scalar & rx, const Scalar & ry, const Scalar & rz);
  /// The rotation about the axis n, of any length but 0, by the angle θ in radians.
  /// (...; 3), (...; ) -> (...; 3)
  [[nodiscard]] static Rot axis_angle(const Vec & n, const Scalar & theta);

  /// tan²(θ/4) = r_i r_i. (...; 3) -> (...; )
  Scalar norm_sq() const;
  /// |tan(θ/4)| = √(r_i r_i). (...; 3) -> (...; ). Its gradient at r = 0 is 0.
  Scalar norm() const;
  /// The rotation back, -r. (...; 3) -> (...; 3)
  Rot inverse() const;
  /// Rotation matrix R_ij. (...; 3) -> (...; 3, 3)
  R2 euler_rodrigues() const;
  /// This rotation, then r: r * this. (...; 3), (...; 3) -> (...; 3)
  Rot rotate(const Rot & r) const;
};

template <>
struct core::batch_of_rows<kernels::Rot>
{
  using type = Rot;
};

/// Rotation matrix δ_ij + (4 (1 - s) W_ij + 8 W_ik W_kj) / (1 + s)², s = r_k r_k, W = skew(r).
/// (...; 3) -> (...; 3, 3)
R2 euler_rodrigues(const Rot & r);
/// r_i q_i of the parameters. (...; 3), (...; 3) -> (...; )
Scalar inner(const Rot & r, const Rot & q);
/// r_i r_i, tan²(θ/4). (...; 3) -> (...; )
Scalar norm_sq(const Rot & r);
/// √(r_i r_i), tan(θ/4). (...; 3) -> (...; )
Scalar norm(const Rot & r);
/// The rotation back, -r. (...; 3) -> (...; 3)
Rot inv(const Rot & r);
/// The rotation x, then r: r * x. (...; 3), (...; 3) -> (...; 3)
Rot rotate(const Rot & x, const Rot & r);

/// The rotation b, then a: ((1 - b·b) a + (1 - a·a) b + 2 a × b) / (1 + (a·a) (b·b) - 2 a·b).
/// The matrix of a * b is the product of the matrices. (...; 3), (...; 3) -> (...; 3)
/// Infinite or NaN where it is a rotation by 2π, such as twice a rotation by π.
template <class A, class B, core::if_types<A, Rot, B, Rot> = 0>
Rot operator*(const A & a, const B & b);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/core/algebra.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

namespace neml2
{
inline Rot
Rot::identity(const TensorOptions & options)
{
  return zeros(options);
}

inline Rot
Rot::fill(const Scalar & r0, const Scalar & r1, const Scalar & r2)
{
  return core::stack<Rot>(core::Operation("Rot::fill", core::Accepts::any), {r0, r1, r2});
}

inline Rot
Rot::fill_matrix(const R2 & R)
{
  return core::evaluate_leaf<Rot>(
      "Rot::fill_matrix",
      [](const auto & M) { return kernels::fill_matrix(M); },
      [](const R2 & M) // the same steps, so that both choose the same quaternion at θ = π
      {
        const at::Tensor transposed = core::raw(M).transpose(-1, -2);
        const at::Tensor t = core::raw(M(0, 0)) + core::raw(M(1, 1)) + core::raw(M(2, 2));
        const R2 skewed(core::raw(M) - transposed);
        const at::Tensor axis = at::stack({skewed(2, 1), skewed(0, 2), skewed(1, 0)}, -1);
        const at::Tensor u = (1 - t).unsqueeze(-1).unsqueeze(-1);
        const at::Tensor vector = core::raw(M) + transposed + u * at::eye(3, M.options());
        const at::Tensor rows = at::cat({at::cat({(1 + t).unsqueeze(-1), axis}, -1).unsqueeze(-2),
                                         at::cat({axis.unsqueeze(-1), vector}, -1)},
                                        -2);
        const at::Tensor largest = rows.diagonal(0, -2, -1).argmax(-1, /*keepdim=*/true);
        const at::Tensor q = rows.take_along_dim(largest.unsqueeze(-1), -2).squeeze(-2);
        const at::Tensor p = q * (1 - 2 * (q.slice(-1, 0, 1) < 0).to(q.scalar_type()));
        const at::Tensor norm = at::sqrt((p * p).sum(-1, /*keepdim=*/true));
        return Rot(p.slice(-1, 1, 4) / (norm + p.slice(-1, 0, 1)));
      },
      R);
}

inline Rot
Rot::fill_rodrigues(const Scalar & rx, const Scalar & ry, const Scalar & rz)
{
  return core::evaluate_leaf<Rot>(
      "Rot::fill_rodrigues",
      [](const auto & x, const auto & y, const auto & z)
      { return kernels::fill_rodrigues(x, y, z); },
      [](const Scalar & x, const Scalar & y, const Scalar & z)
      {
        const at::Tensor r = core::stack<Rot>({x, y, z});
        return Rot(r / (1 + at::sqrt(1 + (r * r).sum(-1, /*keepdim=*/true))));
      },
      rx,
      ry,
      rz);
}

inline Rot
Rot::axis_angle(const Vec & n, const Scalar & theta)
{
  const core::Operation op("Rot::axis_angle");
  core::check_operands(op, {core::operand(n), core::operand(theta)});
  core::broadcast_batch(op, {core::operand(n), core::operand(theta)});
  return core::translate_errors(
      op.name,
      [&]
      {
        const at::Tensor length = at::linalg_vector_norm(n, 2, at::IntArrayRef(-1), true);
        return Rot(core::raw(n) / length * (core::raw(theta) / 4).tan().unsqueeze(-1));
      });
}

inline R2
euler_rodrigues(const Rot & r)
{
  return core::evaluate_leaf<R2>(
      "euler_rodrigues",
      [](const auto & a) { return kernels::euler_rodrigues(a); },
      [](const Rot & a) { return R2(core::rotation_matrix(a)); },
      r);
}

inline Rot
inv(const Rot & r)
{
  core::check_defined("inv", r);
  return -r;
}

template <class A, class B, core::if_types<A, Rot, B, Rot>>
Rot
operator*(const A & a, const B & b)
{
  return core::evaluate_leaf<Rot>(
      "Rot * Rot",
      [](const auto & x, const auto & y) { return x * y; },
      [](const Rot & x, const Rot & y)
      {
        const auto n = std::max(x.dim(), y.dim()); // linalg_cross asks for equal dimensions
        const at::Tensor p = core::prepend_dims(x, n), q = core::prepend_dims(y, n);
        const auto dot = [](const at::Tensor & c, const at::Tensor & d)
        { return (c * d).sum(-1, /*keepdim=*/true); };
        const at::Tensor s = dot(p, p), t = dot(q, q);
        const at::Tensor numerator = (1 - t) * p + (1 - s) * q + 2 * at::linalg_cross(p, q, -1);
        return Rot(numerator / (1 + s * t - 2 * dot(p, q)));
      },
      a,
      b);
}

inline Rot
rotate(const Rot & x, const Rot & r)
{
  return r * x;
}

inline Scalar
inner(const Rot & r, const Rot & q)
{
  return inner(Vec(r), Vec(q));
}

inline Scalar
norm_sq(const Rot & r)
{
  return norm_sq(Vec(r));
}

inline Scalar
norm(const Rot & r)
{
  return norm(Vec(r));
}

inline Scalar
Rot::norm_sq() const
{
  return neml2::norm_sq(*this);
}

inline Scalar
Rot::norm() const
{
  return neml2::norm(*this);
}

inline Rot
Rot::inverse() const
{
  return inv(*this);
}

inline R2
Rot::euler_rodrigues() const
{
  return neml2::euler_rodrigues(*this);
}

inline Rot
Rot::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}
} // namespace neml2
