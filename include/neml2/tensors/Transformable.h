// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Transformable.h"
#include "neml2/core/options.h"
#include "neml2/tensors/fwd.h"

/**
 * Linear maps of space as matrices T_ij, for example the symmetry operations of a crystal. transform(v, T) applies a map
 * to a Vec, and rotate(A, T) applies it to an R2 or an SR2. The operations of crystal classes are in crystallography.h.
 */
namespace neml2
{
/**
 * Base class for your own types that can be transformed, for code that takes any such type.
 *
 * The library's own types do not derive from this class; of them, only Vec has a member transform(T).
 */
template <class Derived>
class Transformable
{
public:
  virtual ~Transformable() = default;
  /// T_ij v_j for vectors, T_ik A_kl T_jl for second order tensors, and so on.
  virtual Derived transform(const R2 & T) const = 0;

protected:
  Transformable() = default;
  Transformable(const Transformable &) = default;
  Transformable & operator=(const Transformable &) = default;
};

/// See rotation_matrix(q). (...; 4) -> (...; 3, 3)
R2 transform_from_quaternion(const Quaternion & q);
/// δ_ij. (; 3, 3)
R2 identity_transform(const TensorOptions & options = default_tensor_options());
/// See euler_rodrigues(r). (...; 3) -> (...; 3, 3)
R2 proper_rotation_transform(const Rot & r);
/// The rotation by r, then the reflection in the plane normal to the axis of r: R_ik (δ_kj - 2 n_k n_j) with n = r / |r|.
/// (...; 3) -> (...; 3, 3). NaN for r = 0, which has no axis.
R2 improper_rotation_transform(const Rot & r);
/// The reflection in the plane with the unit normal n, δ_ij - 2 n_i n_j. (...; 3) -> (...; 3, 3)
/// The function does not normalise n: for a normal of any other length, pass unit(n).
R2 reflection_transform(const Vec & n);
/// The inversion through the origin, -δ_ij. (; 3, 3)
R2 inversion_transform(const TensorOptions & options = default_tensor_options());
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/Transformable-inl.h"
#endif
