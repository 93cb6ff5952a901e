// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledVector.h"

namespace neml2
{
/**
 * A matrix with named rows and columns, for example a Jacobian. Shape (batch; size of axis 0, size of axis 1).
 */
class LabeledMatrix : public LabeledTensor<LabeledMatrix, 2>
{
public:
  static constexpr auto type_name = "LabeledMatrix";

  using LabeledTensor::LabeledTensor;

  /// A block: row variable, column variable, value. LabeledMatrix::assemble(rows, columns, {{"r", "s", C}}) makes a
  /// matrix with one block.
  struct Block
  {
    LabeledAxisAccessor row, column;
    Tensor value;
  };

  /// Makes a matrix from blocks. Each block is reshaped to (size of its row variable, size of its column variable);
  /// all other entries are 0. Nothing is written in place, so autograd can differentiate the matrix with respect to the
  /// values. Batch shapes broadcast.
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

  /// Copies from the other matrix the rows of all variables that both matrices have; the axes of the columns must be
  /// the same.
  /// @throws NEMLException if the axes of the columns or the sizes of variables differ, or if the batch does not fit;
  /// then nothing is written.
  void fill(const LabeledMatrix & other, bool recursive = true);

  /// Chain rule: the matrix product A_ij B_jk of derivatives. Axis 1 of this matrix must equal axis 0 of the other
  /// matrix. (batch; m, k), (batch; k, n) -> (batch; m, n)
  LabeledMatrix chain(const LabeledMatrix & other) const;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/LabeledMatrix-inl.h"
#endif
