// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/LabeledVariables.h"

#include <algorithm>

namespace neml2::tensors
{
NEML2_BODY VariableRanges
variable_ranges(const LabeledAxis & axis,
                indexing::TensorLabelsRef names,
                ArrayRef<VariableType> types)
{
  NEML2_CHECK(names.size() == types.size(),
              "LabeledVariables: there are ",
              names.size(),
              " names for ",
              types.size(),
              " types. Give one name for each type.");
  VariableRanges ranges;
  Size entries = 0;
  for (size_t i = 0; i < names.size(); i++)
  {
    const Size size = axis.variable_size(names[i]),
               wanted = Size(c10::multiply_integers(types[i].base));
    NEML2_CHECK(size == wanted,
                "LabeledVariables: the variable '",
                names[i],
                "' has ",
                size,
                " entries, a ",
                types[i].name,
                " has ",
                wanted,
                ".");
    NEML2_CHECK(std::find(ranges.names.begin(), ranges.names.end(), names[i]) == ranges.names.end(),
                "LabeledVariables: '",
                names[i],
                "' is given twice.");
    ranges.names.push_back(names[i]);
    ranges.of.push_back(axis.range(names[i]));
    entries += size;
  }
  ranges.are_all = entries == axis.size();
  return ranges;
}

NEML2_BODY at::Tensor
variable_block(const Tensor & matrix,
               const AxisRange & rows,
               TensorShapeRef row_base,
               const AxisRange & columns,
               TensorShapeRef column_base)
{
  const Size d = matrix.batch_dim();
  TensorShape strides(matrix.strides().slice(0, size_t(d)));
  const auto append = [&strides](TensorShapeRef base, Size stride)
  {
    strides.resize(strides.size() + base.size());
    for (size_t i = 0; i < base.size(); i++, stride *= base[base.size() - i])
      strides[strides.size() - 1 - i] = stride;
  };
  append(row_base, matrix.stride(d));
  append(column_base, matrix.stride(d + 1));
  return matrix.as_strided(utils::add_shapes(matrix.batch_sizes(), row_base, column_base),
                           strides,
                           matrix.storage_offset() + rows.first * matrix.stride(d) +
                               columns.first * matrix.stride(d + 1));
}

NEML2_BODY
LabeledResult::LabeledResult(ArrayRef<Operand> arguments)
{
  const Operation op("LabeledVariables", Accepts::any);
  check_operands(op, arguments);
  batch = broadcast_batch(op, arguments);
  options = first_tensor(arguments).options().requires_grad(false);
  recorded = c10::GradMode::is_enabled() &&
             std::any_of(arguments.begin(),
                         arguments.end(),
                         [](const Operand & x) { return x.tensor && x.tensor->requires_grad(); });
}
} // namespace neml2::tensors
