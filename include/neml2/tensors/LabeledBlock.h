// SPDX-License-Identifier: MIT
#pragma once

/// Blocks of a labeled tensor: functions that find blocks by labels (bound once, or looked up in each call), read them and
/// write them.
#include "neml2/core/PrimitiveTensor.h"
#include "neml2/tensors/fwd.h"
#include "neml2/tensors/LabeledAxis.h"

#include <algorithm>
#include <array>

namespace neml2
{
namespace tensors
{
/// An item of an axis, looked up once: its range, and the axis to which it belongs.
class BoundLabel
{
public:
  /// @throws NEMLException if there is no such item, or before setup_layout().
  explicit BoundLabel(const LabeledAxis & axis, const LabeledAxisAccessor & label)
    : _axis(axis), _range(axis.range(label))
  {
  }

  const LabeledAxis & axis() const { return _axis; }
  const AxisRange & range() const { return _range; }

private:
  LabeledAxis _axis;
  AxisRange _range;
};

/// The ranges of the block with these labels, one label per axis.
/// @throws NEMLException if the number of labels is not D, or if a label does not exist.
template <size_t D>
std::array<AxisRange, D>
ranges_of(const char * where,
          const std::array<LabeledAxis, D> & axes,
          indexing::TensorLabelsRef labels)
{
  NEML2_CHECK_AS(
      IndexException,
      labels.size() == D,
      where,
      ": ",
      labels.size(),
      " labels for ",
      D,
      " base dimensions. Give one label for each; an empty label stands for the whole axis.");
  std::array<AxisRange, D> ranges;
  for (size_t i = 0; i < D; i++)
    ranges[i] = axes[i].range(labels[i]);
  return ranges;
}
/// The ranges of the block with these labels, one label per axis.
/// @throws NEMLException if a label is bound to another axis.
template <size_t D>
std::array<AxisRange, D>
ranges_of(const char * where,
          const std::array<LabeledAxis, D> & axes,
          const std::array<BoundLabel, D> & labels)
{
  std::array<AxisRange, D> ranges;
  for (size_t i = 0; i < D; i++)
  {
    NEML2_CHECK(
        labels[i].axis() == axes[i],
        where,
        ": label ",
        i,
        " is bound to another axis than this tensor's. Bind the label to the tensor's axis.");
    ranges[i] = labels[i].range();
  }
  return ranges;
}

/// A view of the block that consists of the entries [begin, end) of each base dimension.
template <size_t D>
Tensor
block_of(const Tensor & tensor, const std::array<AxisRange, D> & ranges)
{
  at::Tensor t = tensor;
  for (size_t i = 0; i < D; i++)
    t = t.slice(tensor.batch_dim() + Size(i), ranges[i].first, ranges[i].second);
  return Tensor(t, tensor.batch_dim());
}

/// Whether a tensor of shape `base` fits a block of shape `block` in storage order, without moving an entry to
/// another axis: each dimension of the block must be the product of one or several consecutive base dimensions. For
/// example, (3, 3, 6) fits (9, 6), but (3, 6) does not fit (6, 3). If the base or the block has one dimension, the
/// tensor always fits.
inline bool
is_taken_apart(TensorShapeRef base, TensorShapeRef block)
{
  if (std::count_if(base.begin(), base.end(), [](Size n) { return n != 1; }) < 2)
    return true;
  size_t i = 0;
  for (const Size n : block)
  {
    Size product = 1;
    while (i < base.size() && product != n)
      product *= base[i++];
    if (product != n)
      return false;
  }
  return true;
}
inline void
check_order(const char * where, const Operand & value, TensorShapeRef base, TensorShapeRef block)
{
  NEML2_CHECK(utils::numel(block) == 0 || is_taken_apart(base, block),
              where,
              ": the base shape ",
              base,
              " of ",
              value,
              " does not fit the block's shape ",
              block,
              ": entries would move to other rows and columns. Transpose it, or swap the labels.");
}

/// Checks that a block can be read as a tensor with this base shape; `what` is the type with its article.
/// @throws NEMLException if the block has another number of entries, or if entries would move to other rows and columns.
inline void
check_readable_as(const std::string & what, TensorShapeRef base, const Tensor & block)
{
  NEML2_CHECK(block.base_storage() == utils::numel(base),
              "reinterpret: the block ",
              operand(block),
              " has ",
              block.base_storage(),
              " entries, ",
              what,
              " has ",
              utils::numel(base),
              ".");
  NEML2_CHECK(block.base_storage() == 0 || is_taken_apart(base, block.base_sizes()),
              "reinterpret: ",
              what,
              " has the base shape ",
              base,
              ", which does not fit the block ",
              operand(block),
              ": entries would move to other rows and columns. Swap the labels, or read it as the "
              "type of its shape.");
}

/// A view of the entries of a block as a tensor of type T.
/// @throws NEMLException if the block does not fit; see check_readable_as.
template <class T>
T
block_as(const Tensor & block)
{
  const TensorShapeRef base(T::base_shape.data(), T::base_shape.size());
  check_readable_as(std::string("a ") + T::type_name, base, block);
  return translate_errors(
      "reinterpret", [&] { return T(block.view(utils::add_shapes(block.batch_sizes(), base))); });
}

/// Writes the base entries of a value into a block, in storage order. The batch of the value broadcasts.
/// @throws NEMLException if the value does not fit; then nothing is written.
template <class T>
void
write_block(Tensor block, const T & value)
{
  NEML2_CHECK(value.base_storage() == block.base_storage(),
              "base_index_put_: the value ",
              operand(value),
              " has ",
              value.base_storage(),
              " base entries, the block ",
              operand(block),
              " has ",
              block.base_storage(),
              ".");
  check_order("base_index_put_", operand(value), value.base_sizes(), block.base_sizes());
  block.copy_(value.base_reshape(block.base_sizes()));
}
} // namespace tensors

/// Looks up an item of an axis once, for repeated use. Pass LabeledVector::BoundLabels{bind(axis, "a")} as labels to
/// base_index, reinterpret and base_index_put_, which then need no lookup.
/// @throws NEMLException if there is no such item, or before setup_layout().
inline tensors::BoundLabel
bind(const LabeledAxis & axis, const LabeledAxisAccessor & label)
{
  return tensors::BoundLabel(axis, label);
}
} // namespace neml2
