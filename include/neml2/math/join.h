// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/groups.h"

#include <initializer_list>
#include <iterator>

/**
 * Joins lists of tensors into one tensor, along a dimension that they have (cat) or along a new one (stack).
 *
 * A list is a std::vector or another container, or a brace list {a, b, c}. batch_ functions return the type of the
 * elements, base_ functions return Tensor. Batch shapes of the elements broadcast; base shapes must be equal, except
 * along the base dimension that base_cat joins. All elements must have the same dtype; every dtype is allowed.
 *
 * All throw NEMLException for an empty list, an undefined tensor, different dtypes or devices, shapes that
 * do not fit, and a dimension out of range.
 */
namespace neml2
{
namespace math
{
/// The type of the elements of a list of tensors.
template <class List>
using element_t = std::decay_t<decltype(*std::begin(std::declval<const List &>()))>;

/// Enables an overload for lists of tensors of this library.
template <class List>
using if_list = std::enable_if_t<is_tensor<element_t<List>>, int>;

template <class List>
std::vector<Operand>
elements(const Operation & op, const List & list)
{
  std::vector<Operand> o;
  for (const auto & t : list)
    o.push_back(operand(t));
  NEML2_CHECK(!o.empty(), op.name, ": the list is empty. Expected at least one tensor.");
  check_operands(op, o);
  return o;
}

/// Checks that base shapes are equal, except perhaps at one position.
inline void
check_same_base(const Operation & op, ArrayRef<Operand> o, Size except = -1)
{
  for (const auto & x : o)
  {
    bool same = x.base.size() == o[0].base.size();
    for (size_t i = 0; same && i < x.base.size(); i++)
      same = Size(i) == except || x.base[i] == o[0].base[i];
    if (!same)
      fail(op.name,
           ": base shapes ",
           o[0].base,
           " and ",
           x.base,
           except < 0 ? " differ" : " must be equal except along the joined dimension",
           ". Make them equal (base_expand, base_reshape). The operands are ",
           OperandsText{o},
           ".");
  }
}

/// The elements with their batch dimensions expanded.
inline std::vector<at::Tensor>
expanded(ArrayRef<Operand> o, TensorShapeRef batch)
{
  std::vector<at::Tensor> r;
  r.reserve(o.size());
  for (const auto & x : o)
    r.push_back(x.tensor->expand(utils::add_shapes(batch, x.base)));
  return r;
}

/// The elements, expanded to one batch shape of n dimensions, except along dimension p.
inline std::vector<at::Tensor>
expanded_but(const Operation & op, ArrayRef<Operand> o, Size p, Size n)
{
  const auto shape = [&](const Operand & x, Size size_at_p)
  {
    TensorShape s = utils::pad_prepend(x.batch(), n);
    s[size_t(p)] = size_at_p;
    return s;
  };
  TensorShape common = shape(o[0], 1);
  for (const auto & x : o)
    if (broadcast_into(common, shape(x, 1)) != 0)
      fail(op.name,
           ": batch shapes ",
           o[0].batch(),
           " and ",
           x.batch(),
           " must broadcast, except along dimension ",
           p,
           ", which is joined. Make their sizes equal or 1. The operands are ",
           OperandsText{o},
           ".");
  std::vector<at::Tensor> r;
  r.reserve(o.size());
  for (const auto & x : o)
  {
    common[size_t(p)] = utils::pad_prepend(x.batch(), n)[size_t(p)];
    r.push_back(x.tensor->expand(utils::add_shapes(common, x.base)));
  }
  return r;
}

/// The operand with the most batch dimensions.
inline const Operand &
deepest(ArrayRef<Operand> o)
{
  const Operand * r = &o[0];
  for (const auto & x : o)
    r = x.batch_dim > r->batch_dim ? &x : r;
  return *r;
}

inline std::pair<at::Tensor, Size>
cat_batch(const Operation & op, ArrayRef<Operand> o, Size d)
{
  check_same_base(op, o);
  const Operand & most = deepest(o);
  const Size p = batch_dimension(op, most, d);
  const auto parts = expanded_but(op, o, p, most.batch_dim);
  return {translate_errors(op.name, [&] { return at::cat(parts, p); }), most.batch_dim};
}

inline std::pair<at::Tensor, Size>
cat_base(const Operation & op, ArrayRef<Operand> o, Size d)
{
  const TensorShape batch = broadcast_batch(op, o);
  const Size n = Size(batch.size()), p = base_dimension(op, o[0], d) - o[0].batch_dim;
  check_same_base(op, o, p);
  const auto parts = expanded(o, batch);
  return {translate_errors(op.name, [&] { return at::cat(parts, n + p); }), n};
}

inline std::pair<at::Tensor, Size>
stack_batch(const Operation & op, ArrayRef<Operand> o, Size d)
{
  check_same_base(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  const Size p = new_batch_dimension(op, deepest(o), d);
  const auto parts = expanded(o, batch);
  return {translate_errors(op.name, [&] { return at::stack(parts, p); }), Size(batch.size()) + 1};
}

inline std::pair<at::Tensor, Size>
stack_base(const Operation & op, ArrayRef<Operand> o, Size d)
{
  check_same_base(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  const Size n = Size(batch.size());
  const Size p = new_base_dimension(op, o[0], d) - o[0].batch_dim;
  const auto parts = expanded(o, batch);
  return {translate_errors(op.name, [&] { return at::stack(parts, n + p); }), n};
}

/// Joins a list of tensors by f into an R.
template <class R, class List>
R
join(const char * name,
     std::pair<at::Tensor, Size> (*f)(const Operation &, ArrayRef<Operand>, Size),
     const List & list,
     Size d)
{
  const Operation op(name, Accepts::any);
  auto r = f(op, elements(op, list), d);
  return R(Trusted(), std::move(r.first), r.second);
}
} // namespace math

/// The tensors of a list joined along batch dimension d: (..., n, ...; base), (..., m, ...; base), ... ->
/// (..., n + m, ...; base). d counts among the batch dimensions of the element that has the most; an element
/// that lacks dimension d counts as one entry.
template <class List, math::if_list<List> = 0>
math::element_t<List>
batch_cat(const List & list, Size d = 0)
{
  return math::join<math::element_t<List>>("batch_cat", math::cat_batch, list, d);
}
template <class T, core::if_tensor<T> = 0>
T
batch_cat(std::initializer_list<T> list, Size d = 0)
{
  return math::join<T>("batch_cat", math::cat_batch, list, d);
}
inline Tensor
batch_cat(std::initializer_list<Tensor> list, Size d = 0)
{
  return math::join<Tensor>("batch_cat", math::cat_batch, list, d);
}

/// The tensors of a list joined along base dimension d: (...; n, base), (...; m, base), ... ->
/// (...; n + m, base) for d = 0.
template <class List, math::if_list<List> = 0>
Tensor
base_cat(const List & list, Size d = 0)
{
  return math::join<Tensor>("base_cat", math::cat_base, list, d);
}
inline Tensor
base_cat(std::initializer_list<Tensor> list, Size d = 0)
{
  return math::join<Tensor>("base_cat", math::cat_base, list, d);
}

/// The tensors of a list stacked along a new batch dimension at position d of the result, where -1 is the last: n tensors (...; base) ->
/// (..., n, ...; base)
template <class List, math::if_list<List> = 0>
math::element_t<List>
batch_stack(const List & list, Size d = 0)
{
  return math::join<math::element_t<List>>("batch_stack", math::stack_batch, list, d);
}
template <class T, core::if_tensor<T> = 0>
T
batch_stack(std::initializer_list<T> list, Size d = 0)
{
  return math::join<T>("batch_stack", math::stack_batch, list, d);
}
inline Tensor
batch_stack(std::initializer_list<Tensor> list, Size d = 0)
{
  return math::join<Tensor>("batch_stack", math::stack_batch, list, d);
}

/// The tensors of a list stacked along a new base dimension at position d of the result, where -1 is the last: three Scalars (...; ) ->
/// (...; 3) for d = -1
template <class List, math::if_list<List> = 0>
Tensor
base_stack(const List & list, Size d = 0)
{
  return math::join<Tensor>("base_stack", math::stack_base, list, d);
}
inline Tensor
base_stack(std::initializer_list<Tensor> list, Size d = 0)
{
  return math::join<Tensor>("base_stack", math::stack_base, list, d);
}
} // namespace neml2
