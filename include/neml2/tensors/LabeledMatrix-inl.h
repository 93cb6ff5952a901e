// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledMatrix.h"

#include "neml2/tensors/LabeledVector-inl.h"

namespace neml2
{
NEML2_BODY LabeledMatrix
LabeledMatrix::assemble(const LabeledAxis & rows,
                        const LabeledAxis & columns,
                        const std::vector<Block> & blocks)
{
  NEML2_CHECK(!blocks.empty(),
              "assemble: there are no blocks, so the dtype is unknown; use zeros instead.");
  std::map<std::pair<LabeledAxisAccessor, LabeledAxisAccessor>, const Tensor *> given;
  std::vector<core::Operand> o;
  for (const auto & block : blocks)
  {
    rows.variable_size(block.row);
    columns.variable_size(block.column);
    NEML2_CHECK(given.emplace(std::pair(block.row, block.column), &block.value).second,
                "assemble: the block ('",
                block.row,
                "', '",
                block.column,
                "') is given twice.");
    o.push_back(core::operand(block.value));
  }
  const core::Operation op("assemble", core::Accepts::any);
  core::check_operands(op, o);
  const TensorShape batch = core::broadcast_batch(op, o);
  const auto options = blocks.front().value.options().requires_grad(false);
  std::vector<at::Tensor> strips;
  for (const auto & row : rows.variable_names())
  {
    const Size m = rows.variable_size(row);
    std::vector<at::Tensor> parts;
    for (const auto & column : columns.variable_names())
    {
      const Size n = columns.variable_size(column);
      const auto found = given.find({row, column});
      const auto name = row.append(column);
      if (found != given.end())
        tensors::check_order(
            "assemble", core::operand(*found->second), found->second->base_sizes(), {m, n});
      parts.push_back(found != given.end() ? tensors::flat_value(*found->second, m * n, name, batch)
                                                 .reshape(utils::add_shapes(batch, m, n))
                                           : at::zeros(utils::add_shapes(batch, m, n), options));
    }
    strips.push_back(at::cat(parts, -1));
  }
  return LabeledMatrix(Tensor(at::cat(strips, -2), Size(batch.size())), {&rows, &columns});
}

NEML2_BODY LabeledMatrix
LabeledMatrix::identity(const TraceableTensorShape & batch,
                        const LabeledAxis & axis,
                        const TensorOptions & options)
{
  return LabeledMatrix(Tensor::identity(batch, axis.size(), options), {&axis, &axis});
}

NEML2_BODY void
LabeledMatrix::fill(const LabeledMatrix & other, bool recursive)
{
  NEML2_CHECK(axis(1) == other.axis(1),
              "fill: the columns of the two matrices have different labels.");
  tensors::fill_slices(
      tensor(), other.tensor(), tensors::fill_ranges(axis(0), other.axis(0), recursive));
}

NEML2_BODY LabeledMatrix
LabeledMatrix::chain(const LabeledMatrix & other) const
{
  const core::Operation op("chain");
  const core::Operand o[] = {core::operand(tensor()), core::operand(other.tensor())};
  core::check_operands(op, o);
  NEML2_CHECK(
      axis(1) == other.axis(0),
      "chain: the columns of the left matrix are not labeled as the rows of the right one.");
  const Size n = Size(core::broadcast_batch(op, o).size());
  return LabeledMatrix(Tensor(at::matmul(tensor(), other.tensor()), n), {&axis(0), &other.axis(1)});
}
} // namespace neml2
