// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/math/operators.h"

#include <tuple>

/**
 * Functions that match the shapes of tensors, without arithmetic. Results are views: nothing is copied.
 *
 * All dimensions of raw tensors are aligned at the last one. For tensors of this library, batch dimensions are aligned
 * with batch dimensions, at the last batch dimension. Base dimensions of Tensors are aligned in the same way; primitive
 * types keep their base dimensions. Shapes match as in NumPy: two sizes are compatible if they are equal, or if one
 * of them is 1 or missing; source: NumPy user guide, "Broadcasting".
 *
 * A function that throws changes none of its arguments.
 */
namespace neml2
{
namespace math
{
template <class T>
constexpr bool is_raw = std::is_same_v<T, at::Tensor>;
template <class T>
using if_any_tensor = std::enable_if_t<is_raw<T> || is_tensor<T>, int>;

/// The dimensions that are aligned: all as one group for a raw tensor; batch and base as two groups
/// for a tensor of this library.
template <class T>
Operand
shape_operand(const char * where, const T & t)
{
  if constexpr (is_tensor<T>)
  {
    check_defined(where, t);
    return operand(t);
  }
  else
  {
    NEML2_CHECK(t.defined(), where, ": undefined tensor. Assign it first.");
    return {&t, "Tensor", t.dim(), {}};
  }
}

/// Whether the base dimensions of these types are aligned, too.
template <class... T>
constexpr bool aligns_base = (std::is_same_v<T, Tensor> && ...);

/// The shape of a group of dimensions, with ones in front until it has n sizes.
inline TensorShape
padded(TensorShapeRef shape, size_t n)
{
  return n > shape.size() ? utils::pad_prepend(shape, Size(n)) : TensorShape(shape);
}

/// A view of the operand, of type T, expanded to these batch and base shapes.
template <class T>
T
expanded(const Operand & o, TensorShapeRef batch, TensorShapeRef base)
{
  at::Tensor r = align_base(*o.tensor, o.batch_dim, Size(base.size()));
  for (Size n = o.batch_dim; n < Size(batch.size()); n++)
    r = r.unsqueeze(0);
  r = r.expand(utils::add_shapes(batch, base));
  if constexpr (is_raw<T>)
    return r;
  else
    return T(Trusted(), r, Size(batch.size()));
}

/// The base shape to which each operand is broadcast. It is the base shape of the operand's type if base dimensions are not aligned.
template <class... T>
std::array<TensorShape, sizeof...(T)>
broadcast_bases(const char * where, ArrayRef<Operand> o)
{
  std::array<TensorShape, sizeof...(T)> bases;
  for (size_t k = 0; k < sizeof...(T); k++)
    bases[k] = TensorShape(o[k].base);
  if constexpr (aligns_base<T...>)
  {
    TensorShape common;
    for (const auto & x : o)
      NEML2_CHECK(broadcast_into(common, x.base) == 0,
                  where,
                  ": base shapes do not broadcast. The tensors are ",
                  OperandsText{o},
                  ".");
    bases.fill(common);
  }
  return bases;
}

template <class... T, size_t... I>
std::tuple<T...>
broadcast_all(const char * where, std::index_sequence<I...>, const T &... t)
{
  const Operand o[] = {shape_operand(where, t)...};
  const TensorShape batch = broadcast_batch(where, o);
  const auto bases = broadcast_bases<T...>(where, o);
  return {expanded<T>(o[I], batch, bases[I])...};
}
} // namespace math

/// The shape to which up to four shapes broadcast: per dimension the size that is not 1.
/// @throws NEMLException if they do not broadcast.
inline TensorShape
broadcast_shapes(TensorShapeRef a, TensorShapeRef b, TensorShapeRef c = {}, TensorShapeRef d = {})
{
  return utils::broadcast_sizes({a, b, c, d});
}

/// Views of a and b with the same number of dimensions: dimensions of size 1 are inserted on the left, in each group.
/// (5, 3), (3) -> (5, 3), (1, 3)
template <class A, class B, math::if_any_tensor<A> = 0, math::if_any_tensor<B> = 0>
std::pair<A, B>
with_matching_ranks(const A & a, const B & b)
{
  const char * const where = "expand_to_match_ranks";
  const core::Operand x = math::shape_operand(where, a), y = math::shape_operand(where, b);
  const size_t batch = std::max(x.batch().size(), y.batch().size());
  const size_t base = math::aligns_base<A, B> ? std::max(x.base.size(), y.base.size()) : 0;
  return {math::expanded<A>(x, math::padded(x.batch(), batch), math::padded(x.base, base)),
          math::expanded<B>(y, math::padded(y.batch(), batch), math::padded(y.base, base))};
}
/// Gives a and b the same number of dimensions: each is replaced by its view from with_matching_ranks(a, b).
template <class A, class B, math::if_any_tensor<A> = 0, math::if_any_tensor<B> = 0>
void
expand_to_match_ranks(A & a, B & b)
{
  std::tie(a, b) = with_matching_ranks(a, b);
}

/// A view of a with this shape, which is the shape of all dimensions for a raw tensor, and the batch shape for a tensor
/// of this library.
/// @throws NEMLException if a does not broadcast to the shape, for example because a has more dimensions.
template <class A, math::if_any_tensor<A> = 0>
A
broadcasted(const A & a, TensorShapeRef shape)
{
  const char * const where = "broadcast_to_match";
  core::check_shape(where, shape);
  const core::Operand o = math::shape_operand(where, a);
  TensorShape common(shape);
  NEML2_CHECK(core::broadcast_into(common, o.batch()) == 0 && TensorShapeRef(common) == shape,
              where,
              ": ",
              o,
              " does not broadcast to the shape ",
              shape,
              ". Each of its sizes, aligned at the last, must be 1 or that of the shape.");
  return math::expanded<A>(o, shape, o.base);
}
/// Views of all arguments, expanded to the shape to which they broadcast. (5, 1), (3) -> (5, 3), (5, 3)
/// @throws NEMLException if they do not broadcast.
template <class A, class B, math::if_any_tensor<A> = 0, math::if_any_tensor<B> = 0>
std::tuple<A, B>
broadcasted(const A & a, const B & b)
{
  return math::broadcast_all("broadcast_to_match", std::index_sequence_for<A, B>(), a, b);
}
template <class A,
          class B,
          class C,
          math::if_any_tensor<A> = 0,
          math::if_any_tensor<B> = 0,
          math::if_any_tensor<C> = 0>
std::tuple<A, B, C>
broadcasted(const A & a, const B & b, const C & c)
{
  return math::broadcast_all("broadcast_to_match", std::index_sequence_for<A, B, C>(), a, b, c);
}

/// Broadcasts in place: the arguments become the views that broadcasted(...) returns.
/// @throws NEMLException if they do not broadcast; the arguments are then unchanged.
template <class A, math::if_any_tensor<A> = 0>
void
broadcast_to_match(A & a, TensorShapeRef shape)
{
  a = broadcasted(a, shape);
}
template <class A, class B, math::if_any_tensor<A> = 0, math::if_any_tensor<B> = 0>
void
broadcast_to_match(A & a, B & b)
{
  std::tie(a, b) = broadcasted(a, b);
}
template <class A,
          class B,
          class C,
          math::if_any_tensor<A> = 0,
          math::if_any_tensor<B> = 0,
          math::if_any_tensor<C> = 0>
void
broadcast_to_match(A & a, B & b, C & c)
{
  std::tie(a, b, c) = broadcasted(a, b, c);
}

/// Whether the shapes of a and b broadcast, so that broadcast_to_match(a, b) would succeed.
template <class A, class B, math::if_any_tensor<A> = 0, math::if_any_tensor<B> = 0>
bool
can_broadcast_to_match(const A & a, const B & b)
{
  const char * const where = "can_broadcast_to_match";
  const core::Operand x = math::shape_operand(where, a), y = math::shape_operand(where, b);
  return utils::sizes_broadcastable(x.batch(), y.batch()) &&
         (!math::aligns_base<A, B> || utils::sizes_broadcastable(x.base, y.base));
}
} // namespace neml2
