// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/TensorDataContainer.h"
#include "neml2/core/indexing.h"
#include "neml2/core/operands.h"

namespace neml2
{
class Tensor;
class Scalar;

namespace core
{
/// Marks a tensor as checked already.
struct Trusted
{
};

/// Enables an overload for plain numbers: what converts to CScalar and is no tensor.
template <class N>
constexpr bool is_number = is_plain_number<N> && !std::is_base_of_v<at::TensorBase, N>;
template <class N>
using if_number = std::enable_if_t<is_number<N>, int>;

/// Enables an overload for tensors of this library.
template <class T>
using if_tensor = std::enable_if_t<is_tensor<T>, int>;

/// t with size-1 base dimensions inserted on the left until it has `base_dim` of them.
at::Tensor align_base(const at::Tensor & t, Size batch_dim, Size base_dim);
} // namespace core

/**
 * What all tensors of this library have in common: an at::Tensor whose first batch_dim() dimensions
 * are batch dimensions and whose others are base dimensions.
 *
 * A shape is written (batch; base), for example (1000, 2; 6, 6). Batch dimensions broadcast with batch
 * dimensions only, never with base dimensions.
 *
 * In the scope of this class the name `Tensor` is at::Tensor; ours is neml2::Tensor.
 */
template <class Derived>
class TensorBase : public at::Tensor
{
public:
  /// Undefined, with no batch dimension.
  TensorBase() = default;
  /// The first batch_dim dimensions of t are its batch dimensions. Shares t's storage.
  /// @throws NEMLException if batch_dim is negative or more than t.dim().
  TensorBase(at::Tensor t, Size batch_dim);
  /// The same, and the batch sizes must be these.
  TensorBase(at::Tensor t, const TraceableTensorShape & batch_shape);
  TensorBase(at::Tensor t, std::initializer_list<Size> batch_shape)
    : TensorBase(std::move(t), TraceableTensorShape(batch_shape))
  {
  }
  TensorBase(core::Trusted, at::Tensor t, Size batch_dim) noexcept
    : at::Tensor(std::move(t)), _batch_dim(batch_dim)
  {
  }

  // ---- Factories -----------------------------------------------------------------------------

  /// A tensor of the same shape, dtype and device as other; its values are not set.
  [[nodiscard]] static Derived empty_like(const Derived & other);
  [[nodiscard]] static Derived zeros_like(const Derived & other);
  [[nodiscard]] static Derived ones_like(const Derived & other);
  [[nodiscard]] static Derived full_like(const Derived & other, const CScalar & value);

  /// start + (end - start) k / (nstep - 1), k = 0 ... nstep - 1, along a new batch dimension of the
  /// result at position dim. (batch; base), (batch; base) -> (..., nstep, ...; base); nstep = 1 is start.
  /// @throws NEMLException if nstep < 1 or the shapes do not broadcast.
  [[nodiscard]] static Derived
  linspace(const Derived & start, const Derived & end, Size nstep, Size dim = 0);
  /// base^linspace(start, end, nstep, dim)
  [[nodiscard]] static Derived
  logspace(const Derived & start, const Derived & end, Size nstep, Size dim = 0, Real base = 10);

  // ---- Shape ---------------------------------------------------------------------------------

  bool batched() const { return batch_dim() > 0; }
  /// 0 if undefined (a moved-from tensor is).
  Size batch_dim() const { return defined() ? std::min(_batch_dim, dim()) : 0; }
  Size base_dim() const { return defined() ? dim() - batch_dim() : 0; }
  TraceableTensorShape batch_sizes() const { return {*this, batch_dim()}; }
  TensorShapeRef base_sizes() const
  {
    return defined() ? sizes().slice(size_t(batch_dim())) : TensorShapeRef();
  }
  /// Size of batch dimension i; negative i counts from the last one.
  TraceableSize batch_size(Size i) const
  {
    return size(core::position("batch_size", self(), i, 0, batch_dim()));
  }
  /// Size of base dimension i; negative i counts from the last one.
  Size base_size(Size i) const
  {
    return size(core::position("base_size", self(), i, batch_dim(), dim()));
  }
  /// Number of base entries.
  Size base_storage() const { return utils::storage_size(base_sizes()); }

  // ---- Copies --------------------------------------------------------------------------------

  /// A copy with its own storage.
  Derived clone(at::MemoryFormat format = at::MemoryFormat::Contiguous) const
  {
    core::check_defined("clone", self());
    return core::translate_errors("clone", [&] { return wrap(at::Tensor::clone(format)); });
  }
  /// The same values outside the graph of autograd; shares storage.
  Derived detach() const
  {
    core::check_defined("detach", self());
    return wrap(at::Tensor::detach());
  }
  /// The same values in this dtype and on this device.
  Derived to(const TensorOptions & options) const
  {
    core::check_defined("to", self());
    return core::translate_errors("to", [&] { return wrap(at::Tensor::to(options)); });
  }
  /// The values, sharing storage but neither graph nor version counter.
  Derived variable_data() const
  {
    core::check_defined("variable_data", self());
    return wrap(at::Tensor::variable_data());
  }
  /// The same values with adjacent entries; copies only if they are not.
  Derived contiguous() const
  {
    core::check_defined("contiguous", self());
    return core::translate_errors("contiguous", [&] { return wrap(at::Tensor::contiguous()); });
  }
  /// Copies from another tensor of this library, whose batch and base shape broadcast to this one's.
  /// @throws NEMLException if they do not; this tensor is then unchanged.
  template <class B, core::if_tensor<B> = 0>
  Derived & copy_(const B & other, bool non_blocking = false);
  /// Copies from a raw tensor by torch's rules, all dimensions aligned at the last.
  Derived & copy_(const at::Tensor & other, bool non_blocking = false)
  {
    core::translate_errors("copy_", [&] { at::Tensor::copy_(other, non_blocking); });
    return self();
  }

  // ---- Views: indices ------------------------------------------------------------------------

  /// Indexes the batch dimensions; base dimensions are kept. An integer drops a dimension, None adds
  /// one, a Slice keeps it. A view wherever torch's indexing is one.
  /// @throws NEMLException for more indices than batch dimensions, or one out of range.
  Derived batch_index(indexing::TensorIndicesRef indices) const;
  /// Indexes the base dimensions; batch dimensions are kept.
  neml2::Tensor base_index(indexing::TensorIndicesRef indices) const;
  /// Entries [start, stop) by step of batch dimension dim.
  Derived batch_slice(Size dim, const indexing::Slice & slice) const;
  neml2::Tensor base_slice(Size dim, const indexing::Slice & slice) const;
  /// Writes into batch_index(indices); other broadcasts by torch's rules and takes this dtype.
  /// @throws NEMLException if it does not fit; this tensor is then unchanged.
  void batch_index_put_(indexing::TensorIndicesRef indices, const at::Tensor & other);
  void batch_index_put_(indexing::TensorIndicesRef indices, const CScalar & value);
  /// Writes into base_index(indices).
  void base_index_put_(indexing::TensorIndicesRef indices, const at::Tensor & other);
  void base_index_put_(indexing::TensorIndicesRef indices, const CScalar & value);

  // ---- Views: shapes -------------------------------------------------------------------------

  /// (batch; base) -> (shape; base), sizes of 1 become n; dimensions may be added on the left.
  Derived batch_expand(const TraceableTensorShape & shape) const;
  /// Expands one batch dimension to n.
  Derived batch_expand(TraceableSize n, Size dim) const;
  neml2::Tensor base_expand(TensorShapeRef shape) const;
  neml2::Tensor base_expand(Size n, Size dim) const;
  /// Expands to the batch shape of other, a tensor of any type.
  template <class B, core::if_tensor<B> = 0>
  Derived batch_expand_as(const B & other) const;
  template <class B, core::if_tensor<B> = 0>
  neml2::Tensor base_expand_as(const B & other) const;
  /// batch_expand with its own storage.
  Derived batch_expand_copy(const TraceableTensorShape & shape) const;
  neml2::Tensor base_expand_copy(TensorShapeRef shape) const;

  /// (batch; base) -> (shape; base), as many entries as before.
  Derived batch_reshape(const TraceableTensorShape & shape) const;
  neml2::Tensor base_reshape(TensorShapeRef shape) const;
  /// A batch dimension of size 1 at position d; -1 appends: (2, 5; 3) -> (2, 5, 1; 3).
  Derived batch_unsqueeze(Size d) const;
  neml2::Tensor base_unsqueeze(Size d) const;
  Derived batch_transpose(Size d1, Size d2) const;
  neml2::Tensor base_transpose(Size d1, Size d2) const;
  /// (batch; base) -> (batch; n) with n = base_storage().
  neml2::Tensor base_flatten() const;

  // ---- Arithmetic (binary operators: core/operators.h) ---------------------------------------

  Derived operator-() const;
  /// In place, by the rules of +: the right side broadcasts to the left, which keeps shape and dtype.
  /// @throws NEMLException if it cannot; the left side is then unchanged.
  template <class B>
  Derived & operator+=(const B & b);
  template <class B>
  Derived & operator-=(const B & b);
  template <class B>
  Derived & operator*=(const B & b);
  template <class B>
  Derived & operator/=(const B & b);

protected:
  /// A result of the same type and batch dimension.
  Derived wrap(at::Tensor t) const { return wrap(std::move(t), batch_dim()); }
  static Derived wrap(at::Tensor t, Size batch_dim)
  {
    return Derived(core::Trusted(), std::move(t), batch_dim);
  }
  /// This tensor with its base dimensions kept and the given batch indices, or the other way round.
  indexing::TensorIndices batch_indices(const char * where,
                                        indexing::TensorIndicesRef indices) const;
  indexing::TensorIndices base_indices(const char * where,
                                       indexing::TensorIndicesRef indices) const;
  Derived & self() { return static_cast<Derived &>(*this); }
  const Derived & self() const { return static_cast<const Derived &>(*this); }

private:
  template <class B, class F>
  Derived & in_place(const char * name, const B & b, const F & f);

  Size _batch_dim = 0;
};

// ---- Definitions that need no other type; those that return Tensor are in core/Tensor.h. ----

namespace core
{
inline at::Tensor
align_base(const at::Tensor & t, Size batch_dim, Size base_dim)
{
  at::Tensor r = t;
  for (Size d = t.dim() - batch_dim; d < base_dim; d++)
    r = r.unsqueeze(batch_dim);
  return r;
}

inline void
check_shape(const char * where, TensorShapeRef shape)
{
  for (const Size s : shape)
    NEML2_CHECK(
        s >= 0, where, ": a tensor cannot have the shape ", shape, ": sizes are not negative.");
}

/// The tensor f(shape, options) of a factory: a leaf if the options request grad, of the library's
/// default dtype if they name none.
template <class F>
at::Tensor
make(const char * where, TensorShapeRef shape, const TensorOptions & options, const F & f)
{
  check_shape(where, shape);
  return translate_errors(where,
                          [&]
                          {
                            const at::Tensor t = f(shape, with_dtype(options).requires_grad(false));
                            return options.requires_grad() ? t.set_requires_grad(true) : t;
                          });
}

/// Refuses to write where one number in memory stands for several entries.
inline void
check_writable(const char * where, const at::Tensor & t)
{
  NEML2_CHECK(t.layout() != kStrided || at::has_internal_overlap(t) != at::MemOverlap::Yes,
              where,
              ": the left side, of shape ",
              t.sizes(),
              " and strides ",
              t.strides(),
              ", is expanded: one number in memory is several of its entries. clone() it first.");
}

/// Refuses to store a result in a tensor of a narrower kind.
inline void
check_storable(const char * where, Dtype result, const at::Tensor & t)
{
  NEML2_CHECK(c10::canCast(result, t.scalar_type()),
              where,
              ": a result of dtype ",
              dtype_name(result),
              " does not fit the left side's dtype ",
              dtype_name(t.scalar_type()),
              ". Convert the left side with .to(dtype), or use the operation that returns.");
}

/// One value, to be written by a put.
inline at::Tensor
full_scalar(const char * where, const CScalar & value, const TensorOptions & options)
{
  return translate_errors(where, [&] { return at::full({}, value, options); });
}

/// t indexed; torch's refusals become NEMLExceptions.
inline at::Tensor
index(const char * where, const at::Tensor & t, const indexing::TensorIndices & indices)
{
  return translate_errors(where, [&] { return indices.empty() ? t.alias() : t.index(indices); });
}

/// Writes into t indexed; value takes t's dtype and device.
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
                     const auto v = value.to(t.options());
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

/// The index tensors among indices to a tensor of n dimensions.
struct IndexTensors
{
  Size dims = 0;        ///< how many dimensions they have together
  bool adjacent = true; ///< whether torch leaves these in place; else it puts them first

  IndexTensors(const indexing::TensorIndices & indices, Size n)
  {
    for (const auto & i : indices)
      n -= consumed_dims(i);
    Size position = 0, end = -1;
    for (const auto & i : indices)
    {
      const bool mask = is_mask(i);
      if (i.is_integer() ||
          (i.is_tensor() && !mask && i.tensor().dim() == 0)) // drops its dimension
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
} // namespace core

template <class Derived>
TensorBase<Derived>::TensorBase(at::Tensor t, Size batch_dim)
  : at::Tensor(std::move(t)), _batch_dim(batch_dim)
{
  if (!defined())
    _batch_dim = 0;
  else
    NEML2_CHECK(0 <= batch_dim && batch_dim <= dim(),
                Derived::type_name,
                ": a tensor of shape ",
                sizes(),
                " cannot have ",
                batch_dim,
                " batch dimensions. Expected between 0 and ",
                dim(),
                ".");
}

template <class Derived>
TensorBase<Derived>::TensorBase(at::Tensor t, const TraceableTensorShape & batch_shape)
  : TensorBase(std::move(t), Size(batch_shape.size()))
{
  NEML2_CHECK(!defined() || batch_sizes() == batch_shape,
              Derived::type_name,
              ": a tensor of shape ",
              defined() ? sizes() : TensorShapeRef(),
              " does not begin with the batch shape ",
              batch_shape,
              ".");
}

template <class Derived>
Derived
TensorBase<Derived>::empty_like(const Derived & other)
{
  core::check_defined("empty_like", other);
  return wrap(at::empty(other.sizes(), other.options()), other.batch_dim());
}

template <class Derived>
Derived
TensorBase<Derived>::zeros_like(const Derived & other)
{
  core::check_defined("zeros_like", other);
  return wrap(at::zeros(other.sizes(), other.options()), other.batch_dim());
}

template <class Derived>
Derived
TensorBase<Derived>::ones_like(const Derived & other)
{
  core::check_defined("ones_like", other);
  return wrap(at::ones(other.sizes(), other.options()), other.batch_dim());
}

template <class Derived>
Derived
TensorBase<Derived>::full_like(const Derived & other, const CScalar & value)
{
  core::check_defined("full_like", other);
  return core::translate_errors(
      "full_like",
      [&] { return wrap(at::full(other.sizes(), value, other.options()), other.batch_dim()); });
}

template <class Derived>
indexing::TensorIndices
TensorBase<Derived>::batch_indices(const char * where, indexing::TensorIndicesRef indices) const
{
  core::check_defined(where, self());
  Size consumed = 0;
  bool ellipsis = false;
  for (const auto & i : indices)
  {
    consumed += core::consumed_dims(i);
    ellipsis = ellipsis || i.is_ellipsis();
  }
  NEML2_CHECK(consumed <= batch_dim(),
              where,
              ": ",
              consumed,
              " indices for the ",
              batch_dim(),
              " batch dimensions of ",
              core::operand(self()),
              ". Use base_index for base dimensions.");
  indexing::TensorIndices all(indices.begin(), indices.end());
  if (ellipsis) // stands for batch dimensions only: name the base dimensions
    all.append(size_t(base_dim()), indexing::Slice());
  return all;
}

template <class Derived>
indexing::TensorIndices
TensorBase<Derived>::base_indices(const char * where, indexing::TensorIndicesRef indices) const
{
  core::check_defined(where, self());
  Size consumed = 0;
  for (const auto & i : indices)
    consumed += core::consumed_dims(i);
  NEML2_CHECK(consumed <= base_dim(),
              where,
              ": ",
              consumed,
              " indices for the ",
              base_dim(),
              " base dimensions of ",
              core::operand(self()),
              ". Use batch_index for batch dimensions.");
  indexing::TensorIndices all;
  all.append(size_t(batch_dim()), indexing::Slice());
  all.append(indices.begin(), indices.end());
  return all;
}

template <class Derived>
Derived
TensorBase<Derived>::batch_index(indexing::TensorIndicesRef indices) const
{
  const at::Tensor r = core::index("batch_index", *this, batch_indices("batch_index", indices));
  return wrap(r, r.dim() - base_dim());
}

template <class Derived>
Derived
TensorBase<Derived>::batch_slice(Size dim, const indexing::Slice & slice) const
{
  indexing::TensorIndices i;
  i.append(size_t(core::position("batch_slice", self(), dim, 0, batch_dim())), indexing::Slice());
  i.push_back(slice);
  return wrap(core::index("batch_slice", *this, i));
}

template <class Derived>
void
TensorBase<Derived>::batch_index_put_(indexing::TensorIndicesRef indices, const at::Tensor & other)
{
  core::index_put("batch_index_put_", *this, batch_indices("batch_index_put_", indices), other);
}

template <class Derived>
void
TensorBase<Derived>::batch_index_put_(indexing::TensorIndicesRef indices, const CScalar & value)
{
  core::check_defined("batch_index_put_", self());
  batch_index_put_(indices, core::full_scalar("batch_index_put_", value, options()));
}

template <class Derived>
void
TensorBase<Derived>::base_index_put_(indexing::TensorIndicesRef indices, const at::Tensor & other)
{
  core::index_put("base_index_put_", *this, base_indices("base_index_put_", indices), other);
}

template <class Derived>
void
TensorBase<Derived>::base_index_put_(indexing::TensorIndicesRef indices, const CScalar & value)
{
  core::check_defined("base_index_put_", self());
  base_index_put_(indices, core::full_scalar("base_index_put_", value, options()));
}

template <class Derived>
Derived
TensorBase<Derived>::batch_expand(const TraceableTensorShape & shape) const
{
  core::check_defined("batch_expand", self());
  return core::translate_errors(
      "batch_expand",
      [&] { return wrap(expand(utils::add_shapes(shape, base_sizes())), Size(shape.size())); });
}

template <class Derived>
Derived
TensorBase<Derived>::batch_expand(TraceableSize n, Size dim) const
{
  core::check_defined("batch_expand", self());
  TensorShape shape = batch_sizes().concrete();
  shape[size_t(core::position("batch_expand", self(), dim, 0, batch_dim()))] = n;
  return batch_expand(shape);
}

template <class Derived>
template <class B, core::if_tensor<B>>
Derived
TensorBase<Derived>::batch_expand_as(const B & other) const
{
  core::check_defined("batch_expand_as", other);
  return batch_expand(other.batch_sizes());
}

template <class Derived>
Derived
TensorBase<Derived>::batch_expand_copy(const TraceableTensorShape & shape) const
{
  return batch_expand(shape).clone();
}

template <class Derived>
Derived
TensorBase<Derived>::batch_reshape(const TraceableTensorShape & shape) const
{
  core::check_defined("batch_reshape", self());
  return core::translate_errors(
      "batch_reshape",
      [&] { return wrap(reshape(utils::add_shapes(shape, base_sizes())), Size(shape.size())); });
}

template <class Derived>
Derived
TensorBase<Derived>::batch_unsqueeze(Size d) const
{
  return wrap(unsqueeze(core::position("batch_unsqueeze", self(), d, 0, batch_dim() + 1)),
              batch_dim() + 1);
}

template <class Derived>
Derived
TensorBase<Derived>::batch_transpose(Size d1, Size d2) const
{
  return wrap(at::Tensor::transpose(core::position("batch_transpose", self(), d1, 0, batch_dim()),
                                    core::position("batch_transpose", self(), d2, 0, batch_dim())));
}

template <class Derived>
Derived
TensorBase<Derived>::operator-() const
{
  core::check_defined("-", self());
  return core::translate_errors("-", [&] { return wrap(at::Tensor::neg()); });
}

/// SR2 (1000, 2; 6) float64 cpu, then the values as LibTorch prints them.
template <class Derived>
std::ostream &
operator<<(std::ostream & os, const TensorBase<Derived> & t)
{
  os << core::operand(static_cast<const Derived &>(t));
  if (!t.defined())
    return os;
  os << ' ' << core::dtype_name(t.scalar_type()) << ' ' << t.device() << '\n';
  return t.is_meta() ? os : os << static_cast<const at::Tensor &>(t); // meta tensors have no values
}
} // namespace neml2
