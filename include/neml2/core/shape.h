// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/TraceableTensorShape.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace neml2
{
template <class Derived>
class TensorBase;

namespace core
{
/// Whether T is a tensor type of this library: it derives from TensorBase<T>.
template <class T>
constexpr bool is_tensor = std::is_base_of_v<TensorBase<T>, T>;

/// Extends `shape` to its broadcast with `other`, both aligned at the last size. Returns 0 on success. On failure it
/// returns the position, from the right (1 is the last), of the size that does not broadcast, and leaves `shape` partly
/// extended.
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
/// equal, if one is 1, or if one is missing. 0 is a size like any other.
namespace utils
{
/// Number of entries: the product of the sizes, 1 for the empty shape.
/// @throws NEMLException if 64 bits do not hold it.
inline Size
numel(TensorShapeRef shape)
{
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  constexpr Size most = std::numeric_limits<Size>::max();
  Size n = 1;
  for (const Size s : shape)
  {
    NEML2_CHECK(n <= most / std::max<Size>(s, 1),
                "The shape ",
                shape,
                " has more entries than 64 bits can count.");
    n *= s;
  }
  return n;
}

/// Concatenates shapes; a bare integer counts as one size: add_shapes({4, 2}, 7, {1}, 6) is [4, 2, 7, 1, 6].
inline TensorShape
add_shapes(core::ShapePart a,
           core::ShapePart b = {},
           core::ShapePart c = {},
           core::ShapePart d = {},
           core::ShapePart e = {},
           core::ShapePart f = {},
           core::ShapePart g = {},
           core::ShapePart h = {})
{
  TensorShape r(a.begin(), a.end());
  for (const core::ShapePart & s : {b, c, d, e, f, g, h})
    r.append(s.begin(), s.end());
  return r;
}

/// The shape with `pad` inserted on the left until it has `dim` sizes: pad_prepend({4, 2}, 3) is [1, 4, 2].
/// @throws NEMLException if the shape is longer than `dim`.
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

/// The shape to which all shapes broadcast: per dimension the size that is not 1.
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
} // namespace utils
} // namespace neml2

// ---- Whether the shapes of tensors broadcast. ----

#include "neml2/core/broadcastable.h"
