// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of Miller indices of crystal planes or directions.
 *
 * Shape (...; 3): any batch shape, then (h, k, l). The indices are integers without unit: fill and create use
 * default_integer_dtype() if no options are given. Conversion to a Vec is explicit.
 *
 * crystallography.h finds planes and directions that are equivalent by the symmetry of the crystal.
 */
class MillerIndex : public PrimitiveTensor<MillerIndex, 3>
{
public:
  static constexpr auto type_name = "MillerIndex";

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(MillerIndex)
  MillerIndex() = default;

  /// Makes one index, without batch dimensions, from three integers. (; 3)
  /// @throws NEMLException if an integer dtype would change a number: a fraction, or a number outside its range.
  [[nodiscard]] static MillerIndex
  fill(const CScalar & h,
       const CScalar & k,
       const CScalar & l,
       const TensorOptions & options = default_integer_tensor_options());
  /// Makes a batch from three batches of integers of one dtype; their batch shapes broadcast.
  /// (...; ) three times -> (...; 3)
  /// @throws NEMLException for a floating dtype: round and convert first.
  [[nodiscard]] static MillerIndex fill(const Scalar & h, const Scalar & k, const Scalar & l);

  /// Makes a batch from nested brace lists of integers: MillerIndex::create({{1, 0, 0}, {1, 1, 0}}) has the shape (2; 3).
  /// The other factories (zeros, full, ...) use default_tensor_options(), as they do for other types.
  /// @throws NEMLException also if an integer dtype would change a number, as for fill.
  [[nodiscard]] static MillerIndex
  create(const TensorDataContainer & data,
         const TensorOptions & options = default_integer_tensor_options());

  /// The smallest integers of the same direction: the indices divided by their (positive) greatest common divisor.
  /// (...; 3) -> (...; 3), of the same dtype. (0, 0, 0) is not changed.
  /// @throws NEMLException for a floating dtype: round and convert first.
  MillerIndex reduce() const;

  /// A vector whose components are the indices. It has the given options, or otherwise the default floating dtype and
  /// the device of the indices. (...; 3) -> (...; 3)
  Vec to_vec() const;
  Vec to_vec(const TensorOptions & options) const;
  /// The unit vector in the direction of to_vec(). It has the given options, or otherwise the default floating dtype.
  /// (...; 3) -> (...; 3). NaN for (0, 0, 0).
  /// @throws NEMLException also for options of an integer dtype.
  Vec to_normalized_vec() const;
  Vec to_normalized_vec(const TensorOptions & options) const;

private:
  using Base = PrimitiveTensor<MillerIndex, 3>;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/MillerIndex-inl.h"
#endif
