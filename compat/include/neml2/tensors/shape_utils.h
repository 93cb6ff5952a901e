// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

/// Functions on shapes, and on common shapes of several tensors. There are no intermediate dimensions: dynamic dimensions are
/// batch dimensions, static ones are base dimensions.
namespace neml2
{
namespace utils
{
/// Number of entries, numel(shape).
inline Size
storage_size(TensorShapeRef shape)
{
  return numel(shape);
}

/// `pad` appended on the right until there are `dim` sizes: ({4, 2}, 3) is [4, 2, 1].
/// @throws NEMLException if the shape has more than `dim` sizes.
inline TensorShape
pad_append(TensorShapeRef shape, Size dim, Size pad = 1)
{
  NEML2_CHECK(Size(shape.size()) <= dim,
              "pad_append: shape ",
              shape,
              " is already longer than ",
              dim,
              " sizes.");
  TensorShape r(shape.begin(), shape.end());
  r.append(size_t(dim) - shape.size(), pad);
  return r;
}

/// Whether all shapes are equal.
template <class... Shapes>
bool
sizes_same(TensorShapeRef first, const Shapes &... rest)
{
  return ((first == TensorShapeRef(rest)) && ...);
}
inline bool
sizes_same(TensorShapeRef a, TensorShapeRef b)
{
  return a == b;
}

/// Position of dimension d of a group that occupies dimensions [lo, hi); negative d counts from hi.
/// @throws NEMLException if the position is outside the group.
inline Size
normalize_dim(Size d, Size lo, Size hi)
{
  NEML2_CHECK_AS(IndexException,
                 lo - hi <= d && d < hi - lo,
                 "The dimension ",
                 d,
                 " is out of range: expected one in [",
                 lo - hi,
                 ", ",
                 hi - lo,
                 ").");
  return d >= 0 ? lo + d : hi + d;
}

/// Position at which to insert a dimension into a group that occupies dimensions [lo, hi): the group has one more
/// such position than dimensions. Negative d counts from the last position.
/// @throws NEMLException if the position is outside the group.
inline Size
normalize_itr(Size d, Size lo, Size hi)
{
  NEML2_CHECK_AS(IndexException,
                 lo - hi - 1 <= d && d <= hi - lo,
                 "The dimension ",
                 d,
                 " is out of range: expected a position to insert at in [",
                 lo - hi - 1,
                 ", ",
                 hi - lo,
                 "].");
  return d >= 0 ? lo + d : hi + d + 1;
}

/// Positions of several dimensions of a group that occupies dimensions [lo, hi).
/// @throws NEMLException if a position is outside the group.
inline TensorShape
normalize_dims(TensorShapeRef dims, Size lo, Size hi)
{
  TensorShape r;
  for (const Size d : dims)
    r.push_back(normalize_dim(d, lo, hi));
  return r;
}

/// Positions at which to insert dimensions into a group that occupies dimensions [lo, hi).
/// @throws NEMLException if a position is outside the group.
inline TensorShape
normalize_itrs(TensorShapeRef dims, Size lo, Size hi)
{
  TensorShape r;
  for (const Size d : dims)
    r.push_back(normalize_itr(d, lo, hi));
  return r;
}

/// add_shapes of a list: sum_array(std::array{a, b}) has the sizes of a, then the sizes of b.
template <class Shapes>
TensorShape
sum_array(const Shapes & shapes)
{
  TensorShape r;
  for (const TensorShapeRef s : shapes)
    r.append(s.begin(), s.end());
  return r;
}

/// Shapes that own their sizes, from references.
template <size_t N>
std::array<TensorShape, N>
shape_refs_to_shapes(const std::array<TensorShapeRef, N> & refs)
{
  std::array<TensorShape, N> shapes;
  for (size_t i = 0; i < N; i++)
    shapes[i].append(refs[i].begin(), refs[i].end());
  return shapes;
}
inline std::vector<TensorShape>
shape_refs_to_shapes(const std::vector<TensorShapeRef> & refs)
{
  std::vector<TensorShape> shapes;
  for (const auto & s : refs)
    shapes.emplace_back(s.begin(), s.end());
  return shapes;
}

/// References to shapes; the shapes must outlive the references.
template <size_t N>
std::array<TensorShapeRef, N>
shapes_to_shape_refs(const std::array<TensorShape, N> & shapes)
{
  std::array<TensorShapeRef, N> refs;
  std::copy(shapes.begin(), shapes.end(), refs.begin());
  return refs;
}
inline std::vector<TensorShapeRef>
shapes_to_shape_refs(const std::vector<TensorShape> & shapes)
{
  return {shapes.begin(), shapes.end()};
}
template <class... T>
bool
dynamic_broadcastable(const T &... tensors)
{
  return batch_broadcastable(tensors...);
}
template <class... T>
bool
intmd_broadcastable(const T &...)
{
  return true;
}

template <class... T>
Size
broadcast_dynamic_dim(const T &... tensors)
{
  return broadcast_batch_dim(tensors...);
}
template <class... T>
Size
broadcast_intmd_dim(const T &...)
{
  return 0;
}

/// The batch shape to which all tensors broadcast. Undefined tensors are skipped; the shape is [] for an empty list.
/// @throws NEMLException if they do not broadcast.
inline TraceableTensorShape
broadcast_batch_sizes(const std::vector<neml2::Tensor> & tensors)
{
  TensorShape r;
  for (const auto & t : tensors)
    if (t.defined())
      r = broadcast_sizes(r, t.batch_sizes());
  return r;
}
inline TraceableTensorShape
broadcast_dynamic_sizes(const std::vector<neml2::Tensor> & tensors)
{
  return broadcast_batch_sizes(tensors);
}
/// Always empty: there are no intermediate dimensions.
inline TensorShape
broadcast_intmd_sizes(const std::vector<neml2::Tensor> &)
{
  return {};
}
} // namespace utils

namespace core
{
/// t with size-1 base dimensions inserted on the left until there are n base dimensions.
template <class T>
T
with_base_dim(const T & t, Size n)
{
  check_defined("align_static_dim", t);
  if constexpr (std::is_same_v<T, Tensor>)
    return T(Trusted(), align_base(t, t.batch_dim(), n), t.batch_dim());
  else
    NEML2_CHECK(t.base_dim() == n,
                "align_static_dim: ",
                operand(t),
                " would get ",
                n,
                " base dimensions, which its type does not have. Convert it to Tensor.");
  return t;
}
} // namespace core

namespace utils
{
/// The tensors with equally many intermediate dimensions, and the number of these dimensions. Here the
/// tensors are unchanged, and the number is 0.
template <class T, class... Ts, std::enable_if_t<core::is_tensor<T>, int> = 0>
std::tuple<T, Ts..., Size>
align_intmd_dim(const T & a, const Ts &... more)
{
  return {a, more..., 0};
}
template <class T>
std::pair<std::vector<T>, Size>
align_intmd_dim(const std::vector<T> & tensors)
{
  return {tensors, 0};
}

/// The tensors with equally many base dimensions: missing dimensions are added on the left with size 1. The
/// last result is the number of intermediate dimensions, 0.
/// @throws NEMLException if a type fixes fewer base dimensions.
template <class T, class... Ts, std::enable_if_t<core::is_tensor<T>, int> = 0>
std::tuple<T, Ts..., Size>
align_static_dim(const T & a, const Ts &... more)
{
  const Size n = broadcast_base_dim(a, more...);
  return {core::with_base_dim(a, n), core::with_base_dim(more, n)..., 0};
}
template <class T>
std::pair<std::vector<T>, Size>
align_static_dim(const std::vector<T> & tensors)
{
  Size n = 0;
  for (const auto & t : tensors)
    n = std::max(n, t.base_dim());
  std::vector<T> aligned;
  for (const auto & t : tensors)
    aligned.push_back(core::with_base_dim(t, n));
  return {std::move(aligned), 0};
}
} // namespace utils
} // namespace neml2
