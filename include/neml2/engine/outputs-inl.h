// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/outputs.h"

#include "neml2/core/overlap.h"

#include <algorithm>
#include <vector>

namespace neml2::engine
{
/// The sorted offsets of a row's components from its first component, in elements. Empty if there are too many to compare.
NEML2_BODY std::vector<Size>
component_offsets(const Operand & o)
{
  const at::Tensor & t = *o.tensor;
  std::vector<Size> offsets{0};
  for (Size d = o.batch_dim; d < t.dim(); d++)
  {
    if (Size(offsets.size()) * t.size(d) > 65536)
      return {};
    const std::vector<Size> before = std::move(offsets);
    offsets.clear();
    for (Size i = 0; i < t.size(d); i++)
      for (const Size k : before)
        offsets.push_back(k + i * t.stride(d));
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

/// Whether the rows of two operands certainly share no element, as for two blocks of one matrix. Each row of b begins `distance` elements
/// after the row of a. `row` is the smallest distance between two rows of an operand, or 0 if each operand has only one row.
NEML2_BODY bool
are_different_components(const Operand & a, const Operand & b, Size distance, Size row)
{
  const std::vector<Size> x = component_offsets(a), y = component_offsets(b);
  if (x.empty() || y.empty())
    return false;
  if (row != 0 &&
      std::max(x.back(), y.back() + distance) - std::min(x.front(), y.front() + distance) >= row)
    return false;
  for (auto i = x.begin(), k = y.begin(); i != x.end() && k != y.end();)
  {
    if (*i == *k + distance)
      return false;
    *i < *k + distance ? ++i : ++k;
  }
  return true;
}

/// Whether two operands are different parts of the same rows, as two variables of one state vector are.
NEML2_BODY bool
are_disjoint_columns(const Operand & a, const Operand & b)
{
  const at::Tensor &s = *a.tensor, &t = *b.tensor;
  if (a.batch_dim != b.batch_dim || a.batch() != b.batch() || s.dtype() != t.dtype())
    return false;
  Size row = 0; // the smallest distance between two rows
  for (Size d = 0; d < a.batch_dim; d++)
    if (s.size(d) > 1)
    {
      if (s.stride(d) != t.stride(d) || s.stride(d) == 0)
        return false;
      row = row == 0 ? s.stride(d) : std::min(row, s.stride(d));
    }
  for (Size d = 0; d < a.batch_dim; d++)
    if (s.size(d) > 1 && s.stride(d) % row != 0)
      return false;
  const auto width = [](const Operand & o)
  {
    Size n = 1;
    for (Size d = o.batch_dim; d < o.tensor->dim(); d++)
      n += (o.tensor->size(d) - 1) * o.tensor->stride(d);
    return n;
  };
  const Size bytes = extent(t).first - extent(s).first, element = Size(s.element_size());
  if (bytes % element != 0)
    return false;
  const Size offset = row == 0 ? 0 : (bytes / element % row + row) % row;
  return (row != 0 && offset >= width(a) && offset + width(b) <= row) ||
         are_different_components(a, b, bytes / element, row);
}

NEML2_BODY bool
may_share_memory(const Operand & a, const Operand & b)
{
  const at::Tensor &s = *a.tensor, &t = *b.tensor;
  if (!s.has_storage() || !t.has_storage() || s.device() != t.device() || s.is_meta())
    return false;
  const auto x = extent(s), y = extent(t);
  return x.first < y.second && y.first < x.second && !are_disjoint_columns(a, b);
}

NEML2_BODY bool
are_the_same_rows(const Operand & a, const Operand & b)
{
  const at::Tensor &s = *a.tensor, &t = *b.tensor;
  return a.batch_dim == b.batch_dim && s.data_ptr() == t.data_ptr() && s.sizes() == t.sizes() &&
         s.strides() == t.strides();
}

/// Checks an output for a result of this batch shape.
NEML2_BODY void
check_output(const Operation & op,
             const Operand & out,
             TensorShapeRef batch,
             ArrayRef<Operand> inputs)
{
  check_operand(op, out);
  const at::Tensor & t = *out.tensor;
  NEML2_CHECK(out.batch() == batch,
              op.name,
              ": the output ",
              out,
              " does not have the result's batch shape ",
              batch,
              ". Make one with empty(batch shape).");
  for (const auto & x : inputs)
    if (x.tensor)
    {
      const bool is_integer = c10::isIntegralType(x.tensor->scalar_type(), /*includeBool=*/false);
      NEML2_CHECK(!is_integer || t.scalar_type() == kFloat64,
                  op.name,
                  ": the output ",
                  out,
                  " is of dtype ",
                  dtype_name(t.scalar_type()),
                  ". Expected float64, in which formulas compute integers.");
      if ((!is_integer && x.tensor->dtype() != t.dtype()) || x.tensor->device() != t.device())
        fail_mixed(op, x, out);
      NEML2_CHECK(
          !may_share_memory(out, x) || are_the_same_rows(out, x),
          op.name,
          ": the output ",
          out,
          " may share memory with the argument ",
          x,
          " without being the same tensor. Write to another tensor, or clone() the argument.");
      NEML2_CHECK(!c10::GradMode::is_enabled() || !x.tensor->requires_grad(),
                  op.name,
                  ": the argument ",
                  x,
                  " requires grad, and writing to an existing tensor records no gradient. Use the "
                  "function that returns a new tensor, or a NoGradGuard.");
    }
  NEML2_CHECK(!c10::GradMode::is_enabled() || !t.requires_grad(),
              op.name,
              ": the output ",
              out,
              " requires grad, and writing to it records no gradient. Use a NoGradGuard.");
  NEML2_CHECK(
      !overlaps_itself(t),
      op.name,
      ": the output ",
      out,
      " of strides ",
      t.strides(),
      " overlaps itself: several of its entries share one number in memory, as in an expanded "
      "tensor. clone() it first.");
}

NEML2_BODY void
check_outputs(const Operation & op,
              ArrayRef<Operand> outputs,
              TensorShapeRef batch,
              ArrayRef<Operand> inputs)
{
  for (size_t i = 0; i < outputs.size(); i++)
  {
    check_output(op, outputs[i], batch, inputs);
    for (size_t j = 0; j < i; j++)
      NEML2_CHECK(!may_share_memory(outputs[i], outputs[j]),
                  op.name,
                  ": the outputs ",
                  outputs[j],
                  " and ",
                  outputs[i],
                  " may share memory. Give each output its own tensor.");
  }
}
} // namespace neml2::engine
