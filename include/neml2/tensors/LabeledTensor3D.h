// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledMatrix.h"

namespace neml2
{
/**
 * A tensor with three named base dimensions, for example a second derivative.
 * Shape (batch; size of axis 0, size of axis 1, size of axis 2).
 */
class LabeledTensor3D : public LabeledTensor<LabeledTensor3D, 3>
{
public:
  static constexpr auto type_name = "LabeledTensor3D";

  using LabeledTensor::LabeledTensor;

  /// Copies from the other tensor the entries of all variables that both tensors have on axis 0; axes 1 and 2 must be
  /// the same.
  /// @throws NEMLException if axes 1 and 2 or the sizes of variables differ, or if the batch does not fit; then
  /// nothing is written.
  void fill(const LabeledTensor3D & other, bool recursive = true);

  /// Chain rule of second derivatives, A_ipq B_pj B_qk + C_ip D_pjk. A is this tensor, and C (dself) is the matching
  /// first derivative; D is the other tensor, and B (dother) is the matching first derivative.
  /// (batch; m, p, p), (batch; p, n, n), (batch; m, p), (batch; p, n) -> (batch; m, n, n)
  LabeledTensor3D chain(const LabeledTensor3D & other,
                        const LabeledMatrix & dself,
                        const LabeledMatrix & dother) const;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/LabeledTensor3D-inl.h"
#endif
