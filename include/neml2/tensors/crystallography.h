// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/crystallography.h"
#include "neml2/core/options.h"
#include "neml2/tensors/fwd.h"

#include <string>

/**
 * Symmetry of crystals: the rotations that map a crystal lattice onto itself.
 *
 * A class is named by its orbifold. 432 is cubic, with fourfold axes along x, y and z; its subgroup is 23. 622 is
 * hexagonal, with the sixfold axis along z and twofold axes along x and y; its subgroups are 6, 32 (with a twofold
 * axis along y) and 3. 42 is tetragonal, with the fourfold axis along z; its subgroups are 4, 222 and 2 (with a
 * twofold axis along y). 1 is the class without symmetry. rotation_group lists the point groups that may be named
 * instead, such as "m-3m" and "6/mmm" of EBSD files.
 *
 * The matrix of an orientation r maps components in the sample's axes to components in the crystal's axes, as the
 * passive matrices of Bunge's Euler angles do. For any rotation S of the class, S r is an equivalent orientation.
 *
 * slip_systems.h has slip and twin systems, MillerIndex.h Miller indices, Rot.h Euler angles, and Transformable.h
 * reflections.
 */
namespace neml2::crystallography
{
/// The rotations of the largest classes as unit quaternions; the smaller classes are subsets of these.
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

/// The name of the class of rotations to which a point group belongs, such as "432" for "m-3m", "-43m", "m3m" and "432".
/// The class consists of the rotations of the Laue group, which is the point group with the inversion added. The 32 point
/// groups have their international (Hermann-Mauguin) names, written with / and -, with or without spaces: "m-3m" or
/// "m -3 m". The names 43, 62 and 22 of .ang files mean "432", "622" and "222". The monoclinic axis is y, and the twofold
/// axes of trigonal classes are those of "32". If a file has other axes, rotate its orientations.
///
/// Source: Hahn (2005), International Tables for Crystallography A, table 10.1.2.4 (names of the point groups).
/// @throws NEMLException for any other name, with a list of the known ones.
std::string rotation_group(const std::string & crystal_class);
/// The rotations of a class as unit quaternions; the identity is first. (n; 4). The classes are "1" (triclinic, n = 1), "2"
/// (monoclinic, 2), "222" (orthorhombic, 4), "3" and "32" (trigonal, 3 and 6), "4" and "42" (tetragonal, 4 and 8), "6" and
/// "622" (hexagonal, 6 and 12), "23" and "432" (cubic, 12 and 24). The other names that rotation_group takes are allowed,
/// too.
/// @throws NEMLException for an unknown class or an integer dtype.
Quaternion symmetry_quaternions(const std::string & orbifold,
                                const TensorOptions & options = default_tensor_options());
/// The rotations of a class as matrices; the identity is first. (n; 3, 3). The classes are the same as for
/// symmetry_quaternions. The entries 0, ±1/2, ±√3/2 and ±1 are exact except for the rounding of √3/2.
/// @throws NEMLException for an unknown class or an integer dtype.
R2 symmetry(const std::string & orbifold, const TensorOptions & options = default_tensor_options());

/// The directions T_ij v_j that the operations T make from v, without repetitions, in the order of T.
/// (n; 3, 3), (; 3) -> (m; 3), 1 ≤ m ≤ n, in the unit of v. A direction and its opposite count as one. Two directions
/// are equal if they differ by at most 1e-5 of their length. m depends on the values, so the function synchronises
/// with a GPU.
/// @throws NEMLException also if v is batched, if T does not have exactly one batch dimension, or if the values
/// are not known (meta and fake tensors, traces, torch.func).
Vec unique_bidirectional(const R2 & T, const Vec & v);

/// Misorientation: the smallest angle in [0, π], in radians, between r and the orientations S q that are equivalent to
/// q. It is the smallest angle of the rotations R(r)_ki S_kl R(q)_lj, with S in the class. (...; 3), (...; 3) -> (...; )
/// The batch shapes of r and q broadcast. Where the misorientation is 0, its derivatives are 0.
///
/// It is computed from unit quaternions. Near 0 the error of the angle is about 1e-16, whereas the arc cosine of the
/// trace would have an error of about 1e-8.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Scalar misorientation(const Rot & r, const Rot & q, const std::string & orbifold = "1");
/// Misorientation of crystals of two phases, where r is of the first class and q of the second: the smallest angle in
/// [0, π], in radians, of the rotations R(r)_ki P_lk S_lm R(q)_mj, with P in the first class and S in the second.
/// (...; 3), (...; 3) -> (...; ). The batch shapes of r and q broadcast. Where the misorientation is 0, its derivatives
/// are 0.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Scalar misorientation(const Rot & r,
                      const Rot & q,
                      const std::string & orbifold_of_r,
                      const std::string & orbifold_of_q);
/// Disorientation: the rotation of smallest angle among S R(q) R(r)ᵀ, with S in the class. These rotations map components
/// in the axes of crystal r to components in the axes of an equivalent of crystal q. (...; 3), (...; 3) -> (...; 3). The
/// batch shapes of r and q broadcast.
///
/// Its angle() is misorientation(r, q, orbifold). Its axis() has the same components in the axes of both crystals. The
/// result D is one of several equivalent rotations: for any P of the class, P D Pᵀ has the same angle, and its axis is P
/// times the axis of D. If several S give the same angle, the first one in the order of the operators is used.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Rot disorientation(const Rot & r, const Rot & q, const std::string & orbifold = "1");
/// Disorientation of crystals of two phases: the rotation of smallest angle among S R(q) R(r)ᵀ Pᵀ, with S in the class of q
/// and P in the class of r. (...; 3), (...; 3) -> (...; 3). Its axis has the same components in the axes of an equivalent
/// of each crystal. See disorientation(r, q, orbifold).
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Rot disorientation(const Rot & r,
                   const Rot & q,
                   const std::string & orbifold_of_r,
                   const std::string & orbifold_of_q);

/// The equivalent orientation S r that is closest to a reference, as a rotation by an angle of at most π.
/// (...; 3), (...; 3) -> (...; 3). The batch shapes of r and the reference broadcast. If several orientations are equally
/// close, the result is the first one in the order of the operators.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Rot move_to_fundamental_zone(const Rot & r, const std::string & orbifold, const Rot & reference);
/// move_to_fundamental_zone(r, orbifold, reference) with the reference (0, 0, 0.005), which is close to the
/// identity, but not on a boundary of the zone. (...; 3) -> (...; 3)
Rot move_to_fundamental_zone(const Rot & r, const std::string & orbifold);
} // namespace neml2::crystallography

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/crystallography-inl.h"
#endif
