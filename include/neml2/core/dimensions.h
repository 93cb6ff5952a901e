// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/indexing.h"
#include "neml2/core/operands.h"

/// Functions that return views of a tensor with other batch or other base dimensions. The members of TensorBase share these functions.
namespace neml2::core
{
/// t with base dimensions of size 1 inserted on the left until it has `base_dim` base dimensions.
inline at::Tensor
align_base(const at::Tensor & t, Size batch_dim, Size base_dim)
{
  at::Tensor r = t;
  for (Size d = t.dim() - batch_dim; d < base_dim; d++)
    r = r.unsqueeze(batch_dim);
  return r;
}

/// The batch dimensions or the base dimensions of an operand: [first, last) of all dimensions. `where` names the
/// operation that changes them.
struct Group
{
  const char * where;
  Operand o;
  Size first, last;

  Size dim() const { return last - first; }
  TensorShapeRef sizes() const
  {
    return o.tensor->sizes().slice(size_t(first), size_t(last - first));
  }
  /// Position of dimension d among all dimensions.
  Size position(Size d) const { return core::position(where, o, d, first, last); }
  /// All sizes of the tensor, with `shape` in place of the group's sizes.
  TensorShape with(TensorShapeRef shape) const
  {
    const auto all = o.tensor->sizes();
    return utils::add_shapes(all.slice(0, size_t(first)), shape, all.slice(size_t(last)));
  }
};

inline Group
batch_group(const char * where, const Operand & o)
{
  check_operand(Operation(where, Accepts::any), o);
  return {where, o, 0, o.batch_dim};
}

inline Group
base_group(const char * where, const Operand & o)
{
  check_operand(Operation(where, Accepts::any), o);
  return {where, o, o.batch_dim, o.tensor->dim()};
}

inline at::Tensor
slice(const Group & g, Size d, const indexing::Slice & s)
{
  indexing::TensorIndices i;
  i.append(size_t(g.position(d)), indexing::Slice());
  i.push_back(s);
  return translate_errors(
      g.where, [&] { return g.o.tensor->index(i); }, g.o);
}

inline at::Tensor
expand(const Group & g, TensorShapeRef shape)
{
  at::Tensor r = *g.o.tensor;
  for (Size d = g.dim(); d < Size(shape.size()); d++)
    r = r.unsqueeze(g.first);
  return translate_errors(
      g.where, [&] { return r.expand(g.with(shape)); }, g.o);
}

/// Expands one dimension to n.
inline at::Tensor
expand(const Group & g, Size n, Size d)
{
  TensorShape shape(g.sizes().begin(), g.sizes().end());
  shape[size_t(g.position(d) - g.first)] = n;
  return expand(g, shape);
}

inline at::Tensor
reshape(const Group & g, TensorShapeRef shape)
{
  return translate_errors(
      g.where, [&] { return g.o.tensor->reshape(g.with(shape)); }, g.o);
}

/// Inserts n dimensions of size 1 at position d, which may also be the position after the last dimension.
inline at::Tensor
unsqueeze(const Group & g, Size d, Size n)
{
  NEML2_CHECK(0 <= n && n <= 64, // LibTorch iterates over at most 64 dimensions
              g.where,
              ": cannot insert ",
              n,
              " dimensions into ",
              g.o,
              ". Expected between 0 and 64.");
  const Size at = position(g.where, g.o, d, g.first, g.last + 1);
  at::Tensor r = *g.o.tensor;
  for (Size i = 0; i < n; i++)
    r = r.unsqueeze(at);
  return r;
}

inline at::Tensor
squeeze(const Group & g, Size d)
{
  const Size at = g.position(d), n = g.o.tensor->size(at);
  NEML2_CHECK(
      n == 1,
      g.where,
      ": dimension ",
      d,
      " of ",
      g.o,
      " has the size ",
      n,
      "; only a dimension of size 1 can be removed. Choose an entry by index, or sum over it.");
  return g.o.tensor->squeeze(at);
}

inline at::Tensor
transpose(const Group & g, Size d1, Size d2)
{
  return g.o.tensor->transpose(g.position(d1), g.position(d2));
}

inline at::Tensor
movedim(const Group & g, Size from, Size to)
{
  return g.o.tensor->movedim(g.position(from), g.position(to));
}

/// Merges dimensions start ... end into one; a group without dimensions gets one of size 1.
inline at::Tensor
flatten(const Group & g, Size start, Size end)
{
  if (g.dim() == 0 && start == 0 && end == -1)
    return g.o.tensor->unsqueeze(g.first);
  const Size a = g.position(start), b = g.position(end);
  NEML2_CHECK(a <= b,
              g.where,
              ": the dimensions ",
              start,
              " to ",
              end,
              " of ",
              g.o,
              " are in the wrong order.");
  return translate_errors(
      g.where, [&] { return g.o.tensor->flatten(a, b); }, g.o);
}
} // namespace neml2::core
