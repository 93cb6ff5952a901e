// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/indexing.h"
#include "neml2/core/operands.h"
#include "neml2/core/overlap.h"

#include <algorithm>

/// Functions that read and write parts of a tensor by index. The members of TensorBase share these functions.
namespace neml2::core
{
/// One value as a tensor, to be written by index_put.
inline at::Tensor
full_scalar(const char * where, const CScalar & value, const TensorOptions & options)
{
  return translate_errors(where, [&] { return at::full({}, value, options); });
}

/// The indexed part of t; errors of torch become NEMLExceptions.
inline at::Tensor
index(const char * where, const at::Tensor & t, const indexing::TensorIndices & indices)
{
  return translate_errors(where, [&] { return indices.empty() ? t.alias() : t.index(indices); });
}

/// Writes the value, converted to the dtype and device of t, into the indexed part of t.
inline void
index_put(const char * where,
          at::Tensor & t,
          const indexing::TensorIndices & indices,
          const at::Tensor & value)
{
  NEML2_CHECK(t.defined() && value.defined(), where, ": undefined tensor. Assign it first.");
  check_writable(where, t);
  translate_errors(where,
                   [&]
                   {
                     at::Tensor v = value.to(t.options());
                     if (v.has_storage() && t.has_storage() && v.is_alias_of(t))
                       v = v.clone(); // otherwise overwritten entries would be read
                     indices.empty() ? t.copy_(v) : t.index_put_(indices, v);
                   });
}

inline bool
is_mask(const indexing::TensorIndex & i)
{
  return i.is_boolean() || (i.is_tensor() && (i.tensor().scalar_type() == c10::kBool ||
                                              i.tensor().scalar_type() == c10::kByte));
}

/// How many dimensions an index consumes.
inline Size
consumed_dims(const indexing::TensorIndex & i)
{
  if (i.is_none() || i.is_ellipsis())
    return 0;
  if (is_mask(i))
    return i.is_tensor() ? i.tensor().dim() : 0;
  return 1;
}
inline Size
consumed_dims(indexing::TensorIndicesRef indices)
{
  Size n = 0;
  for (const auto & i : indices)
    n += consumed_dims(i);
  return n;
}

/// Refuses a second Ellipsis: among batch indices it would stand for base dimensions, and among base indices for batch dimensions.
inline void
check_one_ellipsis(const char * where, indexing::TensorIndicesRef indices)
{
  const auto n =
      std::count_if(indices.begin(), indices.end(), [](const auto & i) { return i.is_ellipsis(); });
  NEML2_CHECK_AS(IndexException,
                 n < 2,
                 where,
                 ": the indices contain Ellipsis ",
                 n,
                 " times. Expected it at most once.");
}

/// Extends indices of the batch dimensions to indices of all dimensions. The result keeps the base dimensions.
inline indexing::TensorIndices
batch_indices(const char * where, const Operand & o, indexing::TensorIndicesRef indices)
{
  check_operand(Operation(where, Accepts::any), o);
  check_one_ellipsis(where, indices);
  const Size consumed = consumed_dims(indices);
  NEML2_CHECK_AS(IndexException,
                 consumed <= o.batch_dim,
                 where,
                 ": ",
                 consumed,
                 " indices for the ",
                 o.batch_dim,
                 " batch dimensions of ",
                 o,
                 ". Use base_index for base dimensions.");
  indexing::TensorIndices all(indices.begin(), indices.end());
  if (std::any_of(all.begin(), all.end(), [](const auto & i) { return i.is_ellipsis(); }))
    all.append(o.base.size(), indexing::Slice()); // an Ellipsis stands for batch dimensions only
  return all;
}

/// Extends indices of the base dimensions to indices of all dimensions. The result keeps the batch dimensions.
inline indexing::TensorIndices
base_indices(const char * where, const Operand & o, indexing::TensorIndicesRef indices)
{
  check_operand(Operation(where, Accepts::any), o);
  check_one_ellipsis(where, indices);
  const Size consumed = consumed_dims(indices);
  NEML2_CHECK_AS(IndexException,
                 consumed <= Size(o.base.size()),
                 where,
                 ": ",
                 consumed,
                 " indices for the ",
                 o.base.size(),
                 " base dimensions of ",
                 o,
                 ". Use batch_index for batch dimensions.");
  indexing::TensorIndices all;
  all.append(size_t(o.batch_dim), indexing::Slice());
  all.append(indices.begin(), indices.end());
  return all;
}

/// The index tensors among the indices of a tensor of n dimensions.
struct IndexTensors
{
  Size dims = 0;        ///< how many dimensions of the result they make
  bool adjacent = true; ///< whether torch leaves them in place; otherwise it puts them first

  IndexTensors(const indexing::TensorIndices & indices, Size n)
  {
    n -= consumed_dims(indices);
    Size position = 0, end = -1;
    for (const auto & i : indices)
    {
      const bool mask = is_mask(i);
      if (i.is_integer() ||
          (i.is_tensor() && !mask && i.tensor().dim() == 0)) // such an index drops a dimension
        continue;
      const Size first = position;
      position += i.is_ellipsis() ? n : mask ? std::max<Size>(1, consumed_dims(i)) : 1;
      if (!mask && !i.is_tensor())
        continue;
      adjacent = adjacent && (end < 0 || end == first);
      end = position;
      dims = std::max(dims, mask ? 1 : i.tensor().dim());
    }
  }
};

/// Indexes the base dimensions.
inline at::Tensor
base_index(const Operand & o, indexing::TensorIndicesRef indices)
{
  const auto all = base_indices("base_index", o, indices);
  const at::Tensor r = index("base_index", *o.tensor, all);
  // If index tensors are not adjacent, torch puts their dimensions first: move these behind the batch.
  const IndexTensors found(all, o.tensor->dim());
  if (found.adjacent || o.batch_dim == 0)
    return r;
  TensorShape from, to;
  for (Size d = 0; d < found.dims; d++)
  {
    from.push_back(d);
    to.push_back(o.batch_dim + d);
  }
  return r.movedim(from, to);
}
} // namespace neml2::core
