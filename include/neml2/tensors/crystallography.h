// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/crystallography.h"
#include "neml2/core/options.h"
#include "neml2/tensors/fwd.h"

#include <string>

/**
 * Symmetry of crystals: the rotations that map a crystal lattice onto itself.
 *
 * A class is named by its orbifold. 432 is cubic, with fourfold axes along x, y and z; its subgroup is 23.
 * 622 is hexagonal, with the sixfold axis along z and twofold axes along x and y; its subgroups are 6, 32
 * (with a twofold axis along y) and 3. 42 is tetragonal, with the fourfold axis along z; its subgroups are
 * 4, 222 and 2 (a twofold axis along y). 1 is the class without symmetry. rotation_group lists the point
 * groups that may be named instead, such as "m-3m" and "6/mmm" of EBSD files. An orientation r takes vectors
 * of the sample to the crystal's frame, as the passive matrices of Bunge's Euler angles do; S r with any
 * symmetry S is an equivalent orientation.
 *
 * Elsewhere: slip and twin systems in slip_systems.h, Miller indices in MillerIndex.h, Euler angles in Rot.h, reflections in
 * Transformable.h.
 */
namespace neml2::crystallography
{
/// The rotations of the largest classes as unit quaternions; smaller classes have some of these.
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

/// The name of the class of rotations to which a point group belongs, such as "432" for "m-3m", "-43m", "m3m" and "432". They are the
/// rotations of its Laue group, which is the point group with the inversion added. The 32 point groups have their international
/// (Hermann-Mauguin) names, written with / and -, with or without spaces: "m-3m" or "m -3 m". The names 43, 62 and 22 of .ang files mean
/// "432", "622" and "222". The monoclinic axis is y, and twofold axes of trigonal classes are as in "32"; if a file has other axes,
/// rotate its orientations.
///
/// Source: Hahn (2005), International Tables for Crystallography A, table 10.1.2.4 (names of the point groups).
/// @throws NEMLException for any other name, with a list of the known ones.
std::string rotation_group(const std::string & crystal_class);
/// The rotations of a class as unit quaternions, the identity first. (n; 4). The classes are "1" (triclinic, n = 1), "2"
/// (monoclinic, 2), "222" (orthorhombic, 4), "3" and "32" (trigonal, 3 and 6), "4" and "42" (tetragonal, 4 and 8), "6" and "622"
/// (hexagonal, 6 and 12), "23" and "432" (cubic, 12 and 24), and the other names that rotation_group takes.
/// @throws NEMLException for an unknown class or an integer dtype.
Quaternion symmetry_quaternions(const std::string & orbifold,
                                const TensorOptions & options = default_tensor_options());
/// The rotations of a class, "1" to "432" as for symmetry_quaternions, as matrices, the identity first. (n; 3, 3). Their entries, 0,
/// ±1/2, ±√3/2 and ±1, are exact except for the rounding of √3/2.
/// @throws NEMLException for an unknown class or an integer dtype.
R2 symmetry(const std::string & orbifold, const TensorOptions & options = default_tensor_options());

/// The directions that are equivalent to v by the operations T, where v and -v count as one: T_ij
/// v_j without repetitions, in their order, in the unit of v. (n; 3, 3), (; 3) -> (m; 3), 1 ≤ m ≤
/// n. Equal means equal up to 1e-5 of the length. m depends on the values, so the function
/// synchronises with a GPU.
/// @throws NEMLException also if v is batched, T does not have exactly one batch dimension, or there are no
/// values (the meta device).
Vec unique_bidirectional(const R2 & T, const Vec & v);

/// Misorientation: the smallest angle in [0, π], in radians, between r and the rotations S q that are
/// equivalent to q: min over S of the angle of R(r)_ki S_kl R(q)_lj. (...; 3), (...; 3) -> (...; )
/// The batch shapes of r and q broadcast. Its derivatives are 0 where it is 0.
///
/// Computed by unit quaternions, whose angle has an error of 1e-16 near 0, where that of the arc cosine of the
/// trace has 1e-8.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Scalar misorientation(const Rot & r, const Rot & q, const std::string & orbifold = "1");
/// Misorientation of crystals of two phases, r of the first class and q of the second: the smallest angle in [0, π], in
/// radians, min over S of the second class and P of the first of the angle of R(r)_ki P_lk S_lm R(q)_mj.
/// (...; 3), (...; 3) -> (...; ). The batch shapes of r and q broadcast. Its derivatives are 0 where it is 0.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Scalar misorientation(const Rot & r,
                      const Rot & q,
                      const std::string & orbifold_of_r,
                      const std::string & orbifold_of_q);
/// Disorientation: the rotation of smallest angle among S R(q) R(r)ᵀ, S in the class, which take components in the axes of crystal r to
/// those in the axes of an equivalent of crystal q. (...; 3), (...; 3) -> (...; 3). The batch shapes of r and q broadcast.
///
/// Its angle() is misorientation(r, q, orbifold). Its axis() has the same components in the axes of both crystals. The axis is one
/// of several equivalent ones: for any P of the class, P D Pᵀ, whose axis is P times that of D, is as good as D. At a tie of angles
/// it is the first in the order of the operators.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Rot disorientation(const Rot & r, const Rot & q, const std::string & orbifold = "1");
/// Disorientation of crystals of two phases: the rotation of smallest angle among S R(q) R(r)ᵀ Pᵀ, S in the class of q and P in that of
/// r. (...; 3), (...; 3) -> (...; 3). See disorientation(r, q, orbifold): its axis has the same components in the axes of one of the
/// equivalents of each crystal.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Rot disorientation(const Rot & r,
                   const Rot & q,
                   const std::string & orbifold_of_r,
                   const std::string & orbifold_of_q);

/// The orientation, of all equivalent ones S r, that is closest to a reference, as a rotation by an angle up
/// to π. (...; 3), (...; 3) -> (...; 3). The batch shapes of r and the reference broadcast. At a tie it is
/// the first in the order of the operators.
/// @throws NEMLException also for a class that symmetry_quaternions does not have.
Rot move_to_fundamental_zone(const Rot & r, const std::string & orbifold, const Rot & reference);
/// See move_to_fundamental_zone(r, orbifold, reference): here with the reference (0, 0, 0.005), close to
/// the identity but not on a boundary of the zone. (...; 3) -> (...; 3)
Rot move_to_fundamental_zone(const Rot & r, const std::string & orbifold);
} // namespace neml2::crystallography

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // otherwise the library has the bodies
#include "neml2/tensors/crystallography-inl.h"
#endif
