// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/TraceableTensorShape.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace neml2
{
template <class Derived>
class TensorBase;

namespace core
{
/// A type of this library's tensors: derived from TensorBase<T>.
template <class T>
constexpr bool is_tensor = std::is_base_of_v<TensorBase<T>, T>;

/// Grows `shape` to its broadcast with `other`, both aligned at the last size. On failure returns the
/// offending position from the right (1 is the last) and leaves `shape` half grown.
inline Size
broadcast_into(TensorShape & shape, TensorShapeRef other)
{
  const Size n = Size(other.size());
  if (n > Size(shape.size()))
    shape.insert(shape.begin(), n - Size(shape.size()), 1);
  Size * const aligned = shape.end() - n;
  for (Size i = n - 1; i >= 0; i--)
    if (aligned[i] == 1)
      aligned[i] = other[i];
    else if (other[i] != 1 && other[i] != aligned[i])
      return n - i;
  return 0;
}
} // namespace core

/// Functions on shapes. Shapes are aligned at their last size; two sizes are compatible if they are
/// equal, one is 1, or one is missing. 0 is a size like any other.
namespace utils
{
/// Number of entries: the product of the sizes, 1 for the empty shape.
inline Size
numel(TensorShapeRef shape)
{
  Size n = 1;
  for (const Size s : shape)
    n *= s;
  return n;
}

/// Number of entries, under the name of NEML2 2.0.
inline Size
storage_size(TensorShapeRef shape)
{
  return numel(shape);
}

/// Concatenation; a bare integer counts as one size: add_shapes({4, 2}, 7, {1}, 6) is [4, 2, 7, 1, 6].
inline TensorShape
add_shapes(TensorShapeRef a,
           TensorShapeRef b = {},
           TensorShapeRef c = {},
           TensorShapeRef d = {},
           TensorShapeRef e = {},
           TensorShapeRef f = {},
           TensorShapeRef g = {},
           TensorShapeRef h = {})
{
  TensorShape r(a.begin(), a.end());
  for (const TensorShapeRef s : {b, c, d, e, f, g, h})
    r.append(s.begin(), s.end());
  return r;
}

/// `pad` inserted on the left until there are `dim` sizes: ({4, 2}, 3) is [1, 4, 2].
/// @throws NEMLException if the shape is longer than that.
inline TensorShape
pad_prepend(TensorShapeRef shape, Size dim, Size pad = 1)
{
  NEML2_CHECK(Size(shape.size()) <= dim,
              "pad_prepend: shape ",
              shape,
              " is already longer than ",
              dim,
              " sizes.");
  TensorShape r(size_t(dim) - shape.size(), pad);
  r.append(shape.begin(), shape.end());
  return r;
}

/// `pad` appended on the right until there are `dim` sizes: ({4, 2}, 3) is [4, 2, 1].
/// @throws NEMLException if the shape is longer than that.
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

/// Whether the shapes broadcast with one another.
inline bool
sizes_broadcastable(std::initializer_list<TensorShapeRef> shapes)
{
  TensorShape r;
  for (const TensorShapeRef s : shapes)
    if (core::broadcast_into(r, s))
      return false;
  return true;
}
template <class... Shapes>
bool
sizes_broadcastable(TensorShapeRef first, const Shapes &... rest)
{
  return sizes_broadcastable({first, TensorShapeRef(rest)...});
}
inline bool
sizes_broadcastable(TensorShapeRef a, TensorShapeRef b)
{
  return sizes_broadcastable({a, b});
}

/// The shape that all shapes broadcast to: per dimension the size that is not 1.
/// @throws NEMLException if they do not broadcast.
inline TensorShape
broadcast_sizes(std::initializer_list<TensorShapeRef> shapes)
{
  TensorShape r;
  for (const TensorShapeRef s : shapes)
  {
    const TensorShape before = r;
    if (const Size d = core::broadcast_into(r, s))
      core::fail("broadcast_sizes: shapes ",
                 before,
                 " and ",
                 s,
                 " do not broadcast: dimension -",
                 d,
                 " is ",
                 before[before.size() - size_t(d)],
                 " in one and ",
                 s[s.size() - size_t(d)],
                 " in the other. Make them equal, or make one of them 1 (unsqueeze).");
  }
  return r;
}
template <class... Shapes>
TensorShape
broadcast_sizes(TensorShapeRef first, const Shapes &... rest)
{
  return broadcast_sizes({first, TensorShapeRef(rest)...});
}
inline TensorShape
broadcast_sizes(TensorShapeRef a, TensorShapeRef b)
{
  return broadcast_sizes({a, b});
}

/// Position of dimension d of a group that occupies dimensions [lo, hi); negative d counts from hi.
/// @throws NEMLException if it is outside the group.
inline Size
normalize_dim(Size d, Size lo, Size hi)
{
  NEML2_CHECK(lo - hi <= d && d < hi - lo,
              "The dimension ",
              d,
              " is out of range: expected one in [",
              lo - hi,
              ", ",
              hi - lo,
              ").");
  return d >= 0 ? lo + d : hi + d;
}

/// Position at which to insert into such a group: there is one more than there are dimensions.
/// @throws NEMLException if it is outside the group.
inline Size
normalize_itr(Size d, Size lo, Size hi)
{
  NEML2_CHECK(lo - hi - 1 <= d && d <= hi - lo,
              "The dimension ",
              d,
              " is out of range: expected a position to insert at in [",
              lo - hi - 1,
              ", ",
              hi - lo,
              "].");
  return d >= 0 ? lo + d : hi + d + 1;
}

/// Whether the batch shapes of the tensors broadcast.
template <class... T>
bool
batch_broadcastable(const T &... tensors)
{
  return sizes_broadcastable(
      {TensorShapeRef(tensors.sizes().slice(0, size_t(tensors.batch_dim())))...});
}

/// Whether the base shapes of the tensors broadcast.
template <class... T>
bool
base_broadcastable(const T &... tensors)
{
  return sizes_broadcastable({tensors.base_sizes()...});
}

/// Whether the batch shapes broadcast and the base shapes are equal.
template <class First, class... T>
bool
broadcastable(const First & first, const T &... rest)
{
  return ((first.base_sizes() == rest.base_sizes()) && ...) && batch_broadcastable(first, rest...);
}

/// Number of batch dimensions after broadcasting.
template <class... T>
Size
broadcast_batch_dim(const T &... tensors)
{
  return std::max({tensors.batch_dim()...});
}
} // namespace utils

namespace core
{
template <class... T>
void
assert_broadcastable(bool ok, const T &... tensors)
{
  if (ok)
    return;
  std::ostringstream shapes;
  ((shapes << ' ' << tensors.batch_sizes() << tensors.base_sizes()), ...);
  fail("The ",
       sizeof...(T),
       " operands are not broadcastable. Their batch and base shapes are",
       shapes.str(),
       ".");
}
} // namespace core

/// @throws NEMLException unless the batch shapes broadcast and the base shapes are equal.
template <class... T>
void
neml_assert_broadcastable(const T &... tensors)
{
  core::assert_broadcastable(utils::broadcastable(tensors...), tensors...);
}

/// @throws NEMLException unless the batch shapes broadcast.
template <class... T>
void
neml_assert_batch_broadcastable(const T &... tensors)
{
  core::assert_broadcastable(utils::batch_broadcastable(tensors...), tensors...);
}

/// @throws NEMLException unless the base shapes broadcast.
template <class... T>
void
neml_assert_base_broadcastable(const T &... tensors)
{
  core::assert_broadcastable(utils::base_broadcastable(tensors...), tensors...);
}

// The same where NDEBUG is not defined, else nothing.
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_broadcastable_dbg([[maybe_unused]] const T &... tensors)
{
  if constexpr (Active)
    neml_assert_broadcastable(tensors...);
}
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_batch_broadcastable_dbg([[maybe_unused]] const T &... tensors)
{
  if constexpr (Active)
    neml_assert_batch_broadcastable(tensors...);
}
template <bool Active = NEML2_DEBUG_ASSERTIONS, class... T>
void
neml_assert_base_broadcastable_dbg([[maybe_unused]] const T &... tensors)
{
  if constexpr (Active)
    neml_assert_base_broadcastable(tensors...);
}
} // namespace neml2
