// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"

/// Checks of index tensors. LibTorch checks indices late: on a GPU an index out of range aborts the program.
namespace neml2::math
{
/// @throws NEMLException unless the map has integers in [0, n). Synchronises with a GPU.
inline void
check_index_map(const Operation & op, const Operand & map, Size n)
{
  check_operand(Operation(op.name, Accepts::any), map);
  const at::Tensor & t = *map.tensor;
  NEML2_CHECK(c10::isIntegralType(t.scalar_type(), /*includeBool=*/false),
              op.name,
              ": the map ",
              map,
              " is ",
              dtype_name(t.scalar_type()),
              ". Expected integers.");
  if (!has_known_values(t) || t.numel() == 0)
    return;
  const auto least = t.min().item<int64_t>(), greatest = t.max().item<int64_t>();
  NEML2_CHECK(0 <= least && greatest < n,
              op.name,
              ": the map ",
              map,
              " has indices from ",
              least,
              " to ",
              greatest,
              ". Expected them in [0, ",
              n,
              ").");
}

/// Entries map[i] of dimension d.
inline at::Tensor
entries(const at::Tensor & t, Size d, const at::Tensor & map)
{
  if (!t.is_meta())
    return t.index_select(d, map);
  indexing::TensorIndices i; // index_select has no meta kernel
  i.append(size_t(d), indexing::Slice());
  i.push_back(map);
  return t.index(i);
}
} // namespace neml2::math
