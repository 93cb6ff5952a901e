// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledVector.h"

namespace neml2
{
/**
 * A matrix with named rows and columns, for example a Jacobian. Shape (batch; size of axis 0, of axis 1).
 */
class LabeledMatrix : public LabeledTensor<LabeledMatrix, 2>
{
public:
  static constexpr auto type_name = "LabeledMatrix";

  using LabeledTensor::LabeledTensor;

  /// A block: row variable, column variable, value. LabeledMatrix::assemble(rows, columns, {{"r", "s", C}}) takes
  /// one block.
  struct Block
  {
    LabeledAxisAccessor row, column;
    Tensor value;
  };

  /// A new matrix with these blocks, each flattened to (size of row, size of column); all other entries are 0. Out of
  /// place: gradients flow from it to the values. Batch shapes broadcast.
  /// @throws NEMLException for an unknown variable, a block given twice, or a value of another size or of
  /// the transposed shape.
  [[nodiscard]] static LabeledMatrix assemble(const LabeledAxis & rows,
                                              const LabeledAxis & columns,
                                              const std::vector<Block> & blocks);

  /// Ones on the diagonal: δ_ij. (batch; n, n)
  [[nodiscard]] static LabeledMatrix
  identity(const TraceableTensorShape & batch,
           const LabeledAxis & axis,
           const TensorOptions & options = default_tensor_options());

  /// Copies from the other matrix the rows that both have; the columns must be the same.
  /// @throws NEMLException if the columns or the sizes of rows differ, or the batch does not fit;
  /// nothing is written.
  void fill(const LabeledMatrix & other, bool recursive = true);

  /// Chain rule: the matrix product A_ij B_jk of derivatives. Axis 1 of this matrix must be axis 0 of
  /// the other. (batch; m, k), (batch; k, n) -> (batch; m, n)
  LabeledMatrix chain(const LabeledMatrix & other) const;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#ifndef NEML2_COMPILED // otherwise the library has the bodies
#include "neml2/tensors/LabeledMatrix-inl.h"
#endif
