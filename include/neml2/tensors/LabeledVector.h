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

  /// A new vector with these variables, flattened; all other entries are 0. Out of place: gradients flow from it to
  /// the values. Batch shapes broadcast.
  /// @throws NEMLException for an unknown variable, one given twice, or a value of another size.
  [[nodiscard]] static LabeledVector assemble(const LabeledAxis & axis, const Values & values);
  /// The variables in the order of the layout, each as a vector. (batch; n) -> (batch; size) each.
  Values disassemble() const;

  /// The part on a sub-axis, labeled by that sub-axis. A view.
  LabeledVector slice(const LabeledAxisAccessor & subaxis) const
  {
    const LabeledAxis & part = axis().subaxis(subaxis);
    return LabeledVector(base_index({subaxis}), {&part});
  }

  /// Copies all variables that both axes have from the other vector into this one.
  /// @throws NEMLException if a variable has different sizes, or batch shapes do not fit; nothing is then written.
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

#ifndef NEML2_COMPILED // otherwise the library has the bodies
#include "neml2/tensors/LabeledVector-inl.h"
#endif
