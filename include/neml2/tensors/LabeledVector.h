// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledTensor.h"

namespace neml2
{
/**
 * A vector with named entries, for example the state of a model. Shape (batch; size of the axis).
 */
class LabeledVector : public LabeledTensor<LabeledVector, 1>
{
public:
  static constexpr auto type_name = "LabeledVector";

  using LabeledTensor::LabeledTensor;

  /// Variables and their values: {{"stress", s}, {{"internal", "plastic_strain"}, e}}.
  using Values = std::vector<std::pair<LabeledAxisAccessor, Tensor>>;

  /// Makes a vector from the flattened values of variables; all other entries are 0. Nothing is written in place, so
  /// autograd can differentiate the vector with respect to the values. Batch shapes broadcast.
  /// @throws NEMLException if a variable is unknown or given twice, or if a value has another size.
  [[nodiscard]] static LabeledVector assemble(const LabeledAxis & axis, const Values & values);
  /// The variables in the order of the layout, each as a vector. (batch; n) -> (batch; size) for each variable.
  Values disassemble() const;

  /// The entries of a sub-axis as a view, labeled by that sub-axis.
  LabeledVector slice(const LabeledAxisAccessor & subaxis) const
  {
    const LabeledAxis & part = axis().subaxis(subaxis);
    return LabeledVector(base_index({subaxis}), {&part});
  }

  /// Copies from the other vector all variables that both vectors have.
  /// @throws NEMLException if a variable has different sizes, or if batch shapes do not fit; then nothing is written.
  void fill(const LabeledVector & other, bool recursive = true);
};

namespace utils
{
/// Whether all entries are close, |a - b| <= atol + rtol |b|; false if the axes or batch shapes differ.
/// @throws NEMLException for an undefined vector, or different dtypes or devices.
bool allclose(const LabeledVector & a, const LabeledVector & b, Real rtol = 1e-5, Real atol = 1e-8);
} // namespace utils
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/LabeledVector-inl.h"
#endif
