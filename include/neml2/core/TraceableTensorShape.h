// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/core/types.h"

#include <array>
#include <type_traits>
#include <vector>

namespace neml2
{
class Scalar;

/// One batch size.
class TraceableSize
{
public:
  TraceableSize(Size size = 0) : _size(size) {}

  operator Size() const { return _size; }
  /// Functions of LibTorch take it as a number, too. Only t[size] of a raw tensor is ambiguous: write
  /// t[size.concrete()].
  operator CScalar() const { return _size; }
  Size concrete() const { return _size; }
  /// Always null, since sizes are never traced.
  const at::Tensor * traceable() const { return nullptr; }
  /// The size as a tensor. () int64
  at::Tensor as_tensor() const { return at::full({}, _size, kInt64); }
  /// The size as a Scalar. (; ) int64. The type is a template parameter because Scalar is not complete in this header.
  template <class S = Scalar>
  S as_scalar() const
  {
    return S(as_tensor());
  }

private:
  Size _size;
};

namespace core
{
template <class I>
using if_integer = std::enable_if_t<std::is_integral_v<I>, int>;
}

inline bool
operator==(const TraceableSize & a, const TraceableSize & b)
{
  return a.concrete() == b.concrete();
}
inline bool
operator!=(const TraceableSize & a, const TraceableSize & b)
{
  return !(a == b);
}
// Exact matches for integers: without them the class's comparison and the built-in one would be ambiguous.
template <class I, core::if_integer<I> = 0>
bool
operator==(const TraceableSize & a, I b)
{
  return a.concrete() == Size(b);
}
template <class I, core::if_integer<I> = 0>
bool
operator==(I a, const TraceableSize & b)
{
  return b == a;
}
template <class I, core::if_integer<I> = 0>
bool
operator!=(const TraceableSize & a, I b)
{
  return !(a == b);
}
template <class I, core::if_integer<I> = 0>
bool
operator!=(I a, const TraceableSize & b)
{
  return !(b == a);
}
inline std::ostream &
operator<<(std::ostream & os, const TraceableSize & s)
{
  return os << s.concrete();
}

/**
 * The batch shape of a tensor: a vector of sizes that owns them.
 *
 * Converts to TensorShapeRef. After `TensorShapeRef s = x.batch_sizes();` s refers to the sizes of x, not to a copy of them, and is valid
 * while x lives. The same holds for a slice of the shape. Even if x no longer exists, the sizes are valid until the end of the
 * statement, because the temporary shape keeps the tensor alive.
 */
class TraceableTensorShape : public c10::SmallVector<TraceableSize, 8>
{
  using Base = c10::SmallVector<TraceableSize, 8>;
  using Size = neml2::Size; // the base class has a member of that name
  static_assert(sizeof(TraceableSize) == sizeof(Size) && std::is_standard_layout_v<TraceableSize>,
                "a vector of TraceableSize is read as a vector of Size");
  template <class Shape>
  using if_other_shape = std::enable_if_t<std::is_convertible_v<const Shape &, TensorShapeRef> &&
                                              !std::is_base_of_v<TraceableTensorShape, Shape>,
                                          int>;

public:
  TraceableTensorShape() = default;
  TraceableTensorShape(TensorShapeRef shape) { append(shape.begin(), shape.end()); }
  /// The first n sizes of t.
  TraceableTensorShape(const at::Tensor & t, Size n) : _source(t)
  {
    const auto shape = t.sizes().slice(0, size_t(n));
    append(shape.begin(), shape.end());
  }
  TraceableTensorShape(const TensorShape & shape) { append(shape.begin(), shape.end()); }
  TraceableTensorShape(const std::vector<Size> & shape) { append(shape.begin(), shape.end()); }
  template <size_t N>
  TraceableTensorShape(const std::array<Size, N> & shape)
  {
    append(shape.begin(), shape.end());
  }
  TraceableTensorShape(std::initializer_list<Size> shape) { append(shape.begin(), shape.end()); }
  TraceableTensorShape(Size size) { push_back(size); }
  TraceableTensorShape(const TraceableSize & size) { push_back(size); }
  /// From a 1-d int64 tensor of sizes.
  explicit TraceableTensorShape(const at::Tensor & shape)
  {
    NEML2_CHECK(shape.defined() && shape.dim() == 1 && shape.scalar_type() == kInt64,
                "TraceableTensorShape: expected a 1-d int64 tensor of sizes.");
    for (Size i = 0; i < shape.size(0); i++)
      push_back(shape[i].item<Size>());
  }
  // A shape refers to the tensor that returned it; a copy of the shape does not, because it may be kept longer.
  TraceableTensorShape(const TraceableTensorShape & other) : Base(other) {}
  TraceableTensorShape(TraceableTensorShape && other) noexcept
    : Base(std::move(static_cast<Base &>(other)))
  {
  }
  TraceableTensorShape & operator=(const TraceableTensorShape & other)
  {
    Base::operator=(other);
    _source.reset();
    return *this;
  }
  TraceableTensorShape & operator=(TraceableTensorShape && other) noexcept
  {
    Base::operator=(std::move(static_cast<Base &>(other)));
    _source.reset();
    return *this;
  }

  operator TensorShapeRef() const & { return own(); }
  operator TensorShapeRef() &&
  {
    if (_source.defined() && size_t(_source.dim()) >= _first + size())
      if (const auto sizes = _source.sizes().slice(_first, size()); sizes == own())
        return sizes;
    return own();
  }

  /// The sizes as plain numbers.
  TensorShape concrete() const { return TensorShape(own().begin(), own().end()); }
  std::vector<Size> vec() const { return own().vec(); }
  /// The sizes as a tensor. (n) int64
  at::Tensor as_tensor() const { return at::tensor(own(), kInt64); }

  /// The shape without the first n sizes.
  TraceableTensorShape slice(Size n) const { return slice(n, Size(size())); }
  /// Sizes [begin, end); negative positions count from the end.
  TraceableTensorShape slice(Size begin, Size end) const
  {
    const Size n = Size(size());
    const Size b = begin < 0 ? begin + n : begin;
    const Size e = end < 0 ? end + n : end;
    NEML2_CHECK(0 <= b && b <= e && e <= n,
                "TraceableTensorShape::slice: [",
                begin,
                ", ",
                end,
                ") is not within the ",
                n,
                " sizes of the shape.");
    TraceableTensorShape s;
    s.append(this->begin() + b, this->begin() + e);
    s._source = _source;
    s._first = _first + size_t(b);
    return s;
  }

  // These operators are friends, so that the compiler does not consider them unless an operand is a TraceableTensorShape.
  friend bool operator==(const TraceableTensorShape & a, const TraceableTensorShape & b)
  {
    return a.own().equals(b.own());
  }
  friend bool operator!=(const TraceableTensorShape & a, const TraceableTensorShape & b)
  {
    return !(a == b);
  }
  /// Compares also with shapes and vectors of sizes.
  template <class Shape, if_other_shape<Shape> = 0>
  friend bool operator==(const TraceableTensorShape & a, const Shape & b)
  {
    return a.own().equals(b);
  }
  template <class Shape, if_other_shape<Shape> = 0>
  friend bool operator==(const Shape & a, const TraceableTensorShape & b)
  {
    return b.own().equals(a);
  }
  template <class Shape, if_other_shape<Shape> = 0>
  friend bool operator!=(const TraceableTensorShape & a, const Shape & b)
  {
    return !a.own().equals(b);
  }
  template <class Shape, if_other_shape<Shape> = 0>
  friend bool operator!=(const Shape & a, const TraceableTensorShape & b)
  {
    return !b.own().equals(a);
  }

private:
  TensorShapeRef own() const { return {reinterpret_cast<const Size *>(data()), size()}; }

  at::Tensor _source; ///< the tensor that returned this shape; undefined in copies
  size_t _first = 0;  ///< the dimension of that tensor where this shape begins
};

namespace core
{
/// Refers to an argument that is a shape or one size. TensorShapeRef is not the base class, because
/// LibTorch 1 does not allow that.
class ShapePart
{
public:
  ShapePart() = default;
  ShapePart(const Size & size) : _shape(size) {}
  ShapePart(const TraceableSize & size) : _shape(reinterpret_cast<const Size &>(size)) {}
  ShapePart(std::initializer_list<Size> shape) : _shape(shape) {}
  ShapePart(const TraceableTensorShape & shape) : _shape(shape.operator TensorShapeRef()) {}
  template <class Shape,
            std::enable_if_t<!std::is_arithmetic_v<Shape> &&
                                 std::is_convertible_v<const Shape &, TensorShapeRef>,
                             int> = 0>
  ShapePart(const Shape & shape) : _shape(shape)
  {
  }

  auto begin() const { return _shape.begin(); }
  auto end() const { return _shape.end(); }

private:
  TensorShapeRef _shape;
};
} // namespace core

/// Prints a shape as [1000, 2], and the empty shape as [].
inline std::ostream &
operator<<(std::ostream & os, const TraceableTensorShape & shape)
{
  return os << TensorShapeRef(shape);
}
} // namespace neml2
