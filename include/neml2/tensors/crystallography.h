// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/options.h"
#include "neml2/tensors/fwd.h"

#include <string>

/**
 * Symmetry of crystals: the rotations that map a crystal lattice onto itself.
 *
 * A class is named by its orbifold: 432 cubic, with fourfold axes along x, y and z, and its subgroup
 * 23; 622 hexagonal, with the sixfold axis along z and twofold axes along x and y, and its subgroups
 * 6, 32 with a twofold axis along y, and 3; 42 tetragonal, with the fourfold axis along z, and its
 * subgroups 4, 222 and 2, a twofold axis along y; 1 is no symmetry. An orientation r takes vectors of
 * the sample to the crystal's frame, as the passive matrices of Bunge's Euler angles do; S r with any
 * symmetry S is an equivalent one.
 *
 * Elsewhere: Miller indices in MillerIndex.h, Euler angles in Rot.h, reflections in Transformable.h.
 */
namespace neml2::crystallography
{
/// The rotations of the largest classes as unit quaternions; those of others are some of them.
namespace crystal_symmetry_operators
{
constexpr Real a = invsqrt2;
constexpr Real b = 0.8660254037844386; ///< √3 / 2
constexpr Real h = 0.5;
constexpr Real o = 1.0;
constexpr Real z = 0.0;

/// The 8 rotations of a square prism as unit quaternions. (8; 4)
Quaternion tetragonal(const TensorOptions & options = default_tensor_options());
/// The 12 rotations of a hexagonal prism as unit quaternions. (12; 4)
Quaternion hexagonal(const TensorOptions & options = default_tensor_options());
/// The 24 rotations of a cube as unit quaternions. (24; 4)
Quaternion cubic(const TensorOptions & options = default_tensor_options());
} // namespace crystal_symmetry_operators

/// The rotations of a class as unit quaternions, the identity first. (n; 4)
/// @throws NEMLException for an unknown class or an integer dtype.
Quaternion symmetry_quaternions(const std::string & orbifold,
                                const TensorOptions & options = default_tensor_options());
/// The rotations of a class as matrices, the identity first. (n; 3, 3). Their entries, 0, ±1/2, ±√3/2
/// and ±1, are exact but for the rounding of √3/2.
/// @throws NEMLException for an unknown class or an integer dtype.
R2 symmetry(const std::string & orbifold, const TensorOptions & options = default_tensor_options());

/// The directions that are equivalent to v by the operations T, v and -v counted as one: T_ij v_j
/// without repetitions, in their order, of the unit of v. (n; 3, 3), (; 3) -> (m; 3), 1 ≤ m ≤ n.
/// Equal means equal up to 1e-5 of the length. m depends on the values: a GPU is waited for.
/// @throws NEMLException also if v is batched, T has other than one batch dimension, or there are no
/// values (the meta device).
Vec unique_bidirectional(const R2 & T, const Vec & v);

/// Misorientation: the smallest angle in [0, π], in radians, of the rotations S q that are equivalent
/// to q seen from r, min over S of the angle of R(r)_ki S_kl R(q)_lj. (...; 3), (...; 3) -> (...; )
/// The batch shapes of r and q broadcast. Its derivatives are 0 where it is 0.
///
/// By unit quaternions, whose angle is accurate where the arc cosine of the trace is not: near 0 by
/// 1e-16 instead of 1e-8.
/// @throws NEMLException also for an unknown class.
Scalar misorientation(const Rot & r, const Rot & q, const std::string & orbifold = "1");

/// Of the orientations S r that are equivalent to r the one closest to a reference, of an angle up to
/// π. (...; 3), (...; 3) -> (...; 3). The batch shapes of r and the reference broadcast. At a tie the
/// first in the order of the operators.
/// @throws NEMLException also for an unknown class.
Rot move_to_fundamental_zone(const Rot & r, const std::string & orbifold, const Rot & reference);
/// See move_to_fundamental_zone(r, orbifold, reference): here with the reference (0, 0, 0.005), close to
/// the identity but not on a boundary of the zone. (...; 3) -> (...; 3)
Rot move_to_fundamental_zone(const Rot & r, const std::string & orbifold);
} // namespace neml2::crystallography

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/composed/crystallography.h"
#include "neml2/kernels/crystallography.h"
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

namespace neml2::crystallography
{
inline Quaternion
crystal_symmetry_operators::tetragonal(const TensorOptions & options)
{
  core::check_floating("crystal_symmetry_operators::tetragonal", options);
  return Quaternion::create({{o, z, z, z},
                             {z, z, o, z},
                             {z, o, z, z},
                             {z, z, z, o},
                             {a, z, z, -a},
                             {a, z, z, a},
                             {z, a, a, z},
                             {z, -a, a, z}},
                            options);
}

inline Quaternion
crystal_symmetry_operators::hexagonal(const TensorOptions & options)
{
  core::check_floating("crystal_symmetry_operators::hexagonal", options);
  return Quaternion::create({{o, z, z, z},
                             {-h, z, z, b},
                             {h, z, z, b},
                             {b, z, z, -h},
                             {z, z, z, o},
                             {b, z, z, h},
                             {z, -h, b, z},
                             {z, o, z, z},
                             {z, h, b, z},
                             {z, b, h, z},
                             {z, z, o, z},
                             {z, b, -h, z}},
                            options);
}

inline Quaternion
crystal_symmetry_operators::cubic(const TensorOptions & options)
{
  core::check_floating("crystal_symmetry_operators::cubic", options);
  return Quaternion::create({{o, z, z, z},   {h, h, h, h},    {-h, h, h, h},  {h, -h, h, h},
                             {h, h, -h, h},  {-h, -h, -h, h}, {h, -h, -h, h}, {-h, -h, h, h},
                             {-h, h, -h, h}, {z, z, o, z},    {z, z, z, o},   {z, o, z, z},
                             {z, -a, z, a},  {z, a, z, a},    {a, z, a, z},   {a, z, -a, z},
                             {z, z, -a, a},  {a, a, z, z},    {a, -a, z, z},  {z, z, a, a},
                             {z, -a, a, z},  {a, z, z, -a},   {z, a, a, z},   {a, z, z, a}},
                            options);
}

inline Quaternion
symmetry_quaternions(const std::string & orbifold, const TensorOptions & options)
{
  namespace of = crystal_symmetry_operators;
  const auto some = [&](const Quaternion & all, std::initializer_list<std::pair<Size, Size>> ranges)
  {
    std::vector<at::Tensor> parts;
    for (const auto & [begin, end] : ranges)
      parts.push_back(all.slice(0, begin, end));
    return Quaternion(at::cat(parts, 0).detach().set_requires_grad(options.requires_grad()));
  };
  if (orbifold == "432")
    return of::cubic(options);
  if (orbifold == "23")
    return some(of::cubic(options), {{0, 12}});
  if (orbifold == "622")
    return of::hexagonal(options);
  if (orbifold == "32")
    return some(of::hexagonal(options), {{0, 3}, {9, 12}});
  if (orbifold == "6")
    return some(of::hexagonal(options), {{0, 6}});
  if (orbifold == "3")
    return some(of::hexagonal(options), {{0, 3}});
  if (orbifold == "42")
    return of::tetragonal(options);
  if (orbifold == "4")
    return some(of::tetragonal(options), {{0, 1}, {3, 6}});
  if (orbifold == "222")
    return some(of::tetragonal(options), {{0, 4}});
  if (orbifold == "2")
    return some(of::tetragonal(options), {{0, 2}});
  if (orbifold == "1")
    return some(of::tetragonal(options), {{0, 1}});
  core::fail("Unknown crystal class \"",
             orbifold,
             "\". Expected one of 1, 2, 222, 3, 32, 4, 42, 6, 622, 23 and 432.");
}

inline R2
symmetry(const std::string & orbifold, const TensorOptions & options)
{
  return core::translate_errors("symmetry",
                                [&]
                                {
                                  const at::Tensor S =
                                      symmetry_quaternions(orbifold, options.requires_grad(false));
                                  const at::Tensor R = composed::symmetry_matrices(S);
                                  return R2(R.set_requires_grad(options.requires_grad()));
                                });
}

inline Vec
unique_bidirectional(const R2 & T, const Vec & v)
{
  const char * const where = "unique_bidirectional";
  core::check_operands(where, {core::operand(T), core::operand(v)});
  NEML2_CHECK(T.batch_dim() == 1 && v.batch_dim() == 0,
              where,
              ": expected one batch of operations (n; 3, 3) and one vector (; 3), got ",
              core::operand(T),
              " and ",
              core::operand(v),
              ".");
  NEML2_CHECK(
      core::has_known_values(T) && core::has_known_values(v),
      where,
      ": how many directions there are depends on the values of ",
      core::operand(v),
      ", which meta and fake tensors do not have, and traces and torch.func must not ask for. "
      "Compute it before, outside of them.");
  return core::translate_errors(where, [&] { return Vec(composed::unique_directions(T, v)); });
}
} // namespace neml2::crystallography

namespace neml2::tensors
{
/// The operators as the kernels read them; they must outlive it. None where no kernel runs.
inline kernels::Symmetries
symmetries(const Quaternion & operators)
{
  const void * const data = has_known_values(operators) ? operators.data_ptr() : nullptr;
  return {static_cast<const double *>(data), int(operators.size(0))};
}
} // namespace neml2::tensors

namespace neml2::crystallography
{
inline Scalar
misorientation(const Rot & r, const Rot & q, const std::string & orbifold)
{
  const auto operators = symmetry_quaternions(orbifold, TensorOptions(kFloat64));
  return engine::evaluate_leaf<Scalar>(
      "misorientation",
      [S = tensors::symmetries(operators)](const auto & x, const auto & y)
      { return kernels::misorientation(x, y, S); },
      [&](const at::Tensor & x, const at::Tensor & y)
      { return composed::misorientation(x, y, operators); },
      r,
      q);
}

inline Rot
move_to_fundamental_zone(const Rot & r, const std::string & orbifold, const Rot & reference)
{
  const auto operators = symmetry_quaternions(orbifold, TensorOptions(kFloat64));
  return engine::evaluate_leaf<Rot>(
      "move_to_fundamental_zone",
      [S = tensors::symmetries(operators)](const auto & x, const auto & near)
      { return kernels::move_to_fundamental_zone(x, S, near); },
      [&](const at::Tensor & x, const at::Tensor & near)
      { return composed::closest_orientation(x, near, operators); },
      r,
      reference);
}

inline Rot
move_to_fundamental_zone(const Rot & r, const std::string & orbifold)
{
  core::check_defined("move_to_fundamental_zone", r);
  const auto reference = Rot::fill(0, 0, 0.005, r.options().requires_grad(false));
  return move_to_fundamental_zone(r, orbifold, reference);
}
} // namespace neml2::crystallography
