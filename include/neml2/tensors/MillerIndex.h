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
 * Elsewhere: planes and directions that are equivalent by the symmetry of the crystal, in crystallography.h.
 */
class MillerIndex : public PrimitiveTensor<MillerIndex, 3>
{
public:
  static constexpr auto type_name = "MillerIndex";

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(MillerIndex)
  MillerIndex() = default;

  /// From three integers, unbatched. (; 3)
  /// @throws NEMLException for fractions, which an integer dtype would cut off.
  [[nodiscard]] static MillerIndex
  fill(const CScalar & h,
       const CScalar & k,
       const CScalar & l,
       const TensorOptions & options = default_integer_tensor_options());
  /// From three batches of indices of one dtype; their batch shapes broadcast.
  /// (...; ) three times -> (...; 3)
  [[nodiscard]] static MillerIndex fill(const Scalar & h, const Scalar & k, const Scalar & l);

  /// From nested brace lists of integers: MillerIndex::create({{1, 0, 0}, {1, 1, 0}}) has the shape (2; 3). The other
  /// factories (zeros, full, ...) use default_tensor_options(), as they do for other types.
  /// @throws NEMLException also for fractions.
  [[nodiscard]] static MillerIndex
  create(const TensorDataContainer & data,
         const TensorOptions & options = default_integer_tensor_options());

  /// The smallest integers of the same direction: all divided by their greatest common divisor, which
  /// is positive. (...; 3) -> (...; 3), of the same dtype. (0, 0, 0) is not changed.
  /// @throws NEMLException for a floating dtype: round and convert first.
  MillerIndex reduce() const;

  /// The indices as components of a vector with these options; without options, of the default floating
  /// dtype on the device of the indices. (...; 3) -> (...; 3)
  Vec to_vec() const;
  Vec to_vec(const TensorOptions & options) const;
  /// The unit vector of to_vec(), with these options; without options, of the default floating dtype. (...; 3) ->
  /// (...; 3). NaN for (0, 0, 0).
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
