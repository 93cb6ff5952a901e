// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/TensorDataContainer.h"
#include "neml2/core/dimensions.h"
#include "neml2/core/factories.h"
#include "neml2/core/index.h"
#include "neml2/core/strictness.h"

namespace neml2
{
class Tensor;
class Scalar;

#ifdef NEML2_COMPILED // the types that have loops are in tensors/fwd.h
template <>
inline constexpr bool core::has_loops<Tensor> = true;
template <>
inline constexpr bool core::has_loops<Scalar> = true;
#endif

namespace core
{
/// Whether N is a plain number: an arithmetic type or a type that converts to CScalar, except tensors.
template <class N>
constexpr bool is_number = is_plain_number<N> && !std::is_base_of_v<at::TensorBase, N>;
template <class N>
using if_number = std::enable_if_t<is_number<N>, int>;

/// Enables an overload for tensors of this library.
template <class T>
using if_tensor = std::enable_if_t<is_tensor<T>, int>;

/// Enables an overload for integers if core::Strictness is relaxed.
template <class I, class S>
using if_relaxed = std::enable_if_t<std::is_integral_v<I> && S::relaxed, int>;
} // namespace core

namespace core
{
/// Refuses F(0, 1) = x and t.batch_index({0}) = x, which would set a temporary instead of an entry of F
/// or t.
template <class X, bool Refused = true>
constexpr void
refuse_assignment_to_part()
{
  static_assert(!Refused,
                "a part of a tensor cannot be assigned to: write with base_index_put_ or "
                "batch_index_put_, or make a new tensor, such as R2::fill(...)");
}
} // namespace core

// The copies and assignments of a tensor type: the target of an assignment must be an lvalue.
#define NEML2_ASSIGNED_WHOLE(Type)                                                                 \
  Type(const Type &) = default;                                                                    \
  Type(Type &&) = default;                                                                         \
  Type & operator=(const Type &) & = default;                                                      \
  Type & operator=(Type &&) & = default;                                                           \
  template <class X>                                                                               \
  void operator=(const X &) &&                                                                     \
  {                                                                                                \
    core::refuse_assignment_to_part<X>();                                                          \
  }

/**
 * The common base of all tensors of this library: an at::Tensor whose first batch_dim() dimensions are batch dimensions
 * and whose other dimensions are base dimensions.
 *
 * A shape is written (batch; base), for example (1000, 2; 6, 6). Batch dimensions broadcast with batch
 * dimensions only, never with base dimensions.
 *
 * core/DynamicDims.h has other names for batch and base dimensions, and core/factories.h has the _like factories.
 *
 * In the scope of this class the name `Tensor` is at::Tensor; the library's own type is neml2::Tensor.
 */
template <class Derived>
class TensorBase : public at::Tensor,
                   public DynamicDims<Derived>,
                   public core::mixins::LikeFactories<Derived>
{
public:
  /// An undefined tensor without batch dimensions.
  TensorBase() = default;
  /// From a raw tensor, whose first batch_dim dimensions are batch dimensions. Shares storage.
  /// @throws NEMLException if batch_dim is negative or more than t.dim().
  TensorBase(at::Tensor t, Size batch_dim);
  /// From a raw tensor with the batch sizes batch_shape, which are checked. Shares storage.
  TensorBase(at::Tensor t, const TraceableTensorShape & batch_shape);
  TensorBase(at::Tensor t, std::initializer_list<Size> batch_shape)
    : TensorBase(std::move(t), TraceableTensorShape(batch_shape))
  {
  }
  /// From a raw tensor with dynamic_dim batch dimensions and intmd_dim intermediate ones, which must be 0.
  TensorBase(at::Tensor t, Size dynamic_dim, Size intmd_dim) : TensorBase(std::move(t), dynamic_dim)
  {
    core::check_no_intmd(Derived::type_name, intmd_dim);
  }
  TensorBase(at::Tensor t, const TraceableTensorShape & dynamic_shape, Size intmd_dim)
    : TensorBase(std::move(t), dynamic_shape)
  {
    core::check_no_intmd(Derived::type_name, intmd_dim);
  }
  TensorBase(at::Tensor t, std::initializer_list<Size> dynamic_shape, Size intmd_dim)
    : TensorBase(std::move(t), TraceableTensorShape(dynamic_shape), intmd_dim)
  {
  }
  TensorBase(core::Trusted, at::Tensor t, Size batch_dim) noexcept
    : at::Tensor(std::move(t)), _batch_dim(int32_t(batch_dim))
  {
  }

  // ---- Factories (definitions: math/linspace.h) ------------------------------------------------

  /// start + (end - start) k / (nstep - 1), k = 0 ... nstep - 1, along a new batch dimension of the
  /// result at position dim. (batch; base), (batch; base) -> (..., nstep, ...; base); nstep = 1 gives start.
  /// @throws NEMLException if nstep < 1 or the shapes do not broadcast.
  [[nodiscard]] static Derived
  linspace(const Derived & start, const Derived & end, Size nstep, Size dim = 0);
  /// base^linspace(start, end, nstep, dim)
  [[nodiscard]] static Derived
  logspace(const Derived & start, const Derived & end, Size nstep, Size dim = 0, Real base = 10);
  /// linspace whose result is given batch_dim batch dimensions; a negative batch_dim does not change their number. Exists only
  /// if core::Strictness is relaxed.
  /// @throws NEMLException also for a batch_dim that does not fit the result.
  template <class I, class S = core::Strictness, core::if_relaxed<I, S> = 0>
  [[nodiscard]] static Derived
  linspace(const Derived & start, const Derived & end, Size nstep, Size dim, I batch_dim)
  {
    const Derived r = linspace(start, end, nstep, dim);
    return batch_dim < 0 ? r : Derived(static_cast<const at::Tensor &>(r), Size(batch_dim));
  }
  /// base^linspace(start, end, nstep, dim, batch_dim). An integer as the fifth argument is batch_dim, never the base. Exists
  /// only if core::Strictness is relaxed.
  template <class I, class S = core::Strictness, core::if_relaxed<I, S> = 0>
  [[nodiscard]] static Derived logspace(
      const Derived & start, const Derived & end, Size nstep, Size dim, I batch_dim, Real base = 10)
  {
    const Derived r = logspace(start, end, nstep, dim, base);
    return batch_dim < 0 ? r : Derived(static_cast<const at::Tensor &>(r), Size(batch_dim));
  }

  // ---- Shape ---------------------------------------------------------------------------------

  bool batched() const { return batch_dim() > 0; }
  /// The name of this type in messages.
  static const char * name_in_messages() { return Derived::type_name; }
  /// 0 if the tensor is undefined, as a moved-from tensor is.
  Size batch_dim() const { return defined() ? std::min<Size>(_batch_dim, dim()) : 0; }
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
  Size base_storage() const { return utils::numel(base_sizes()); }

  // ---- Copies --------------------------------------------------------------------------------

  /// A copy with its own storage.
  Derived clone(at::MemoryFormat format = at::MemoryFormat::Contiguous) const
  {
    core::check_defined("clone", self());
    return core::translate_errors(
        "clone", [&] { return wrap(at::Tensor::clone(format)); }, core::operand(self()));
  }
  /// A tensor with the same storage, but outside the graph of autograd.
  Derived detach() const
  {
    core::check_defined("detach", self());
    return wrap(at::Tensor::detach());
  }
  /// A tensor of the same values in this dtype and on this device.
  Derived to(const TensorOptions & options) const
  {
    core::check_defined("to", self());
    return core::translate_errors(
        "to", [&] { return wrap(at::Tensor::to(options)); }, core::operand(self()));
  }
  /// A tensor with the same storage, but outside the graph of autograd and with its own version counter.
  Derived variable_data() const
  {
    core::check_defined("variable_data", self());
    return wrap(at::Tensor::variable_data());
  }
  /// A tensor of the same values in contiguous memory; copies only if they are not contiguous.
  Derived contiguous() const
  {
    core::check_defined("contiguous", self());
    return core::translate_errors(
        "contiguous", [&] { return wrap(at::Tensor::contiguous()); }, core::operand(self()));
  }
  /// Copies from another tensor of this library, whose batch and base shapes broadcast to those of this tensor.
  /// @throws NEMLException if they do not; this tensor is then unchanged.
  template <class B, core::if_tensor<B> = 0>
  Derived & copy_(const B & other, bool non_blocking = false);
  /// Copies from a raw tensor by torch's rules; all dimensions are aligned at the last one.
  Derived & copy_(const at::Tensor & other, bool non_blocking = false)
  {
    core::update_view(*this);
    core::translate_errors("copy_", [&] { at::Tensor::copy_(other, non_blocking); });
    return self();
  }
  /// Writes by torch's rules. Indices count all dimensions, batch dimensions first.
  using at::Tensor::index_put_;
  Derived & index_put_(ArrayRef<indexing::TensorIndex> indices, const at::Tensor & other)
  {
    core::update_view(*this);
    at::Tensor::index_put_(indices, other);
    return self();
  }
  Derived & index_put_(ArrayRef<indexing::TensorIndex> indices, const CScalar & other)
  {
    core::update_view(*this);
    at::Tensor::index_put_(indices, other);
    return self();
  }
  Derived & index_put_(std::initializer_list<indexing::TensorIndex> indices,
                       const at::Tensor & other)
  {
    return index_put_(ArrayRef<indexing::TensorIndex>(indices), other);
  }
  Derived & index_put_(std::initializer_list<indexing::TensorIndex> indices, const CScalar & other)
  {
    return index_put_(ArrayRef<indexing::TensorIndex>(indices), other);
  }

  // ---- Views: indices ------------------------------------------------------------------------

  /// Indexes the batch dimensions; base dimensions are kept. An integer drops a dimension, None adds
  /// one, a Slice keeps it. The result is a view wherever torch's indexing returns a view.
  /// @throws NEMLException for more indices than batch dimensions, or for an index out of range.
  Derived batch_index(indexing::TensorIndicesRef indices) const
  {
    const auto all = core::batch_indices("batch_index", core::operand(self()), indices);
    const at::Tensor r = core::index("batch_index", *this, all);
    return wrap(r, r.dim() - base_dim());
  }
  /// Indexes the base dimensions; batch dimensions are kept.
  neml2::Tensor base_index(indexing::TensorIndicesRef indices) const;
  /// Entries [start, stop) of batch dimension dim, in steps of `step`.
  Derived batch_slice(Size dim, const indexing::Slice & slice) const
  {
    return wrap(core::slice(batch_group("batch_slice"), dim, slice));
  }
  neml2::Tensor base_slice(Size dim, const indexing::Slice & slice) const;
  /// Writes into batch_index(indices); `other` broadcasts by torch's rules and is converted to the dtype of this
  /// tensor.
  /// @throws NEMLException if `other` does not fit; this tensor is then unchanged.
  void batch_index_put_(indexing::TensorIndicesRef indices, const at::Tensor & other)
  {
    const auto all = core::batch_indices("batch_index_put_", core::operand(self()), indices);
    core::index_put("batch_index_put_", *this, all, other);
  }
  void batch_index_put_(indexing::TensorIndicesRef indices, const CScalar & value)
  {
    core::check_defined("batch_index_put_", self());
    batch_index_put_(indices, core::full_scalar("batch_index_put_", value, options()));
  }
  /// Writes into base_index(indices).
  void base_index_put_(indexing::TensorIndicesRef indices, const at::Tensor & other)
  {
    const auto all = core::base_indices("base_index_put_", core::operand(self()), indices);
    core::index_put("base_index_put_", *this, all, other);
  }
  void base_index_put_(indexing::TensorIndicesRef indices, const CScalar & value)
  {
    core::check_defined("base_index_put_", self());
    base_index_put_(indices, core::full_scalar("base_index_put_", value, options()));
  }

  // ---- Views: shapes -------------------------------------------------------------------------

  /// (batch; base) -> (shape; base): expands sizes of 1, and may add dimensions on the left.
  Derived batch_expand(const TraceableTensorShape & shape) const
  {
    return wrap(core::expand(batch_group("batch_expand"), shape), Size(shape.size()));
  }
  Derived batch_expand(const TraceableTensorShape & dynamic, TensorShapeRef intmd) const
  {
    core::check_no_intmd("batch_expand", intmd);
    return batch_expand(dynamic);
  }
  /// Expands one batch dimension to n. The type of dim is a template parameter (any integer type), so that {} as the second
  /// argument is a shape.
  template <class I, core::if_integer<I> = 0>
  Derived batch_expand(TraceableSize n, I dim) const
  {
    return wrap(core::expand(batch_group("batch_expand"), n, Size(dim)));
  }
  neml2::Tensor base_expand(TensorShapeRef shape) const;
  neml2::Tensor base_expand(Size n, Size dim) const;
  /// Expands to the batch shape of other, a tensor of any type.
  template <class B, core::if_tensor<B> = 0>
  Derived batch_expand_as(const B & other) const
  {
    core::check_defined("batch_expand_as", other);
    return batch_expand(other.batch_sizes());
  }
  template <class B, core::if_tensor<B> = 0>
  neml2::Tensor base_expand_as(const B & other) const;
  /// A copy of batch_expand(shape), with its own storage.
  Derived batch_expand_copy(const TraceableTensorShape & shape) const
  {
    return batch_expand(shape).clone();
  }
  neml2::Tensor base_expand_copy(TensorShapeRef shape) const;

  /// (batch; base) -> (shape; base), with as many entries as before.
  Derived batch_reshape(const TraceableTensorShape & shape) const
  {
    return wrap(core::reshape(batch_group("batch_reshape"), shape), Size(shape.size()));
  }
  Derived batch_reshape(const TraceableTensorShape & dynamic, TensorShapeRef intmd) const
  {
    core::check_no_intmd("batch_reshape", intmd);
    return batch_reshape(dynamic);
  }
  neml2::Tensor base_reshape(TensorShapeRef shape) const;
  /// Inserts n batch dimensions of size 1 at position d; -1 appends them: (2, 5; 3) -> (2, 5, 1; 3).
  Derived batch_unsqueeze(Size d, Size n = 1) const
  {
    return wrap(core::unsqueeze(batch_group("batch_unsqueeze"), d, n), batch_dim() + n);
  }
  neml2::Tensor base_unsqueeze(Size d, Size n = 1) const;
  /// Removes batch dimension d.
  /// @throws NEMLException unless its size is 1.
  Derived batch_squeeze(Size d) const
  {
    return wrap(core::squeeze(batch_group("batch_squeeze"), d), batch_dim() - 1);
  }
  neml2::Tensor base_squeeze(Size d) const;
  Derived batch_transpose(Size d1, Size d2) const
  {
    return wrap(core::transpose(batch_group("batch_transpose"), d1, d2));
  }
  neml2::Tensor base_transpose(Size d1, Size d2) const;
  /// Moves batch dimension `from` to position `to`; the others keep their order.
  Derived batch_movedim(Size from, Size to) const
  {
    return wrap(core::movedim(batch_group("batch_movedim"), from, to));
  }
  neml2::Tensor base_movedim(Size from, Size to) const;
  /// (batch; base) -> (n; base) with n the product of the batch sizes.
  Derived batch_flatten() const
  {
    return wrap(core::flatten(batch_group("batch_flatten"), 0, -1), 1);
  }
  /// Merges base dimensions start ... end into one: by default (batch; base) -> (batch; n), n = base_storage().
  neml2::Tensor base_flatten(Size start = 0, Size end = -1) const;

  // ---- Arithmetic (math/operators.h, math/in_place.h) -----------------------------------------

  Derived operator-() const
  {
    core::check_defined("-", self());
    return core::translate_errors("-", [&] { return wrap(at::Tensor::neg()); });
  }
  /// + - * / in place. The right side broadcasts to the left side, which keeps its shape and dtype.
  /// @throws NEMLException if this is not possible; the left side is then unchanged.
  template <class B>
  Derived & operator+=(const B & b);
  template <class B>
  Derived & operator-=(const B & b);
  template <class B>
  Derived & operator*=(const B & b);
  template <class B>
  Derived & operator/=(const B & b);

protected:
  /// Makes t a tensor of this type, with the same number of batch dimensions as this tensor.
  Derived wrap(at::Tensor t) const { return wrap(std::move(t), batch_dim()); }
  static Derived wrap(at::Tensor t, Size batch_dim)
  {
    return Derived(core::Trusted(), std::move(t), batch_dim);
  }
  Derived & self() { return static_cast<Derived &>(*this); }
  const Derived & self() const { return static_cast<const Derived &>(*this); }

private:
  core::Group batch_group(const char * where) const
  {
    return core::batch_group(where, core::operand(self()));
  }
  core::Group base_group(const char * where) const
  {
    return core::base_group(where, core::operand(self()));
  }
  template <class B, class F>
  Derived & in_place(const char * name, const B & b, const F & f);

  friend class neml2::Tensor;
  int32_t _batch_dim = 0;
  int32_t _name = 0; ///< only Tensor uses it; it takes no space, because it fills padding
};

// ---- Definitions that need no other type; those that return Tensor are in core/Tensor.h. ----

template <class Derived>
TensorBase<Derived>::TensorBase(at::Tensor t, Size batch_dim)
  : at::Tensor(std::move(t)), _batch_dim(int32_t(batch_dim))
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

namespace core
{
/// Prints a tensor for <<, under the name of its type.
inline std::ostream &
print(std::ostream & os, const Operand & o)
{
  os << o;
  const at::Tensor & t = *o.tensor;
  if (!t.defined())
    return os;
  os << ' ' << dtype_name(t.scalar_type()) << ' ' << t.device() << '\n';
  if (t.is_meta()) // has no values
    return os;
  if (t.is_complex()) // LibTorch would print the real parts only
    return os << "real and imaginary parts, along the last dimension:\n"
              << at::view_as_real(t.resolve_conj());
  return os << t;
}
} // namespace core

/// Prints type, shape, dtype and device, as in SR2 (1000, 2; 6) float64 cpu, then the values as LibTorch prints them.
template <class Derived>
std::ostream &
operator<<(std::ostream & os, const TensorBase<Derived> & t)
{
  return core::print(os, core::operand(static_cast<const Derived &>(t)));
}
} // namespace neml2
