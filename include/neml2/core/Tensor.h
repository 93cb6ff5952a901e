// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/TensorBase.h"

namespace neml2
{
template <class Derived, Size... S>
class PrimitiveTensor;

/**
 * Batch of tensors whose base shape is known at run time only.
 *
 * Shape (batch; base), both arbitrary. + - * / are elementwise; both operands' batch shapes broadcast
 * with one another, and so do their base shapes, each aligned at its own last dimension.
 */
class Tensor : public TensorBase<Tensor>
{
public:
  static constexpr auto type_name = "Tensor";
  static TensorShapeRef expected_base_sizes(const Tensor & t) { return t.base_sizes(); }

  using TensorBase<Tensor>::TensorBase;
  Tensor() = default;
  /// Any primitive tensor; keeps its batch dimension.
  template <class Derived, Size... S>
  Tensor(const PrimitiveTensor<Derived, S...> & t)
    : TensorBase<Tensor>(core::Trusted(), static_cast<const at::Tensor &>(t), t.batch_dim())
  {
  }

  // ---- Factories: of a base shape without batch, or of (batch; base) --------------------------

  /// From nested brace lists: create({{1, 2}, {3, 4}}) is (; 2, 2).
  [[nodiscard]] static Tensor create(const TensorDataContainer & data,
                                     const TensorOptions & options = default_tensor_options())
  {
    return {data.to_tensor(options), 0};
  }
  /// The same, its first batch_dim levels being batch dimensions.
  [[nodiscard]] static Tensor create(const TensorDataContainer & data,
                                     Size batch_dim,
                                     const TensorOptions & options = default_tensor_options())
  {
    return {data.to_tensor(options), batch_dim};
  }

  /// Values not set.
  [[nodiscard]] static Tensor empty(TensorShapeRef base) { return empty({}, base); }
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Tensor empty(TensorShapeRef base, const O & options)
  {
    return empty({}, base, options);
  }
  [[nodiscard]] static Tensor empty(const TraceableTensorShape & batch,
                                    TensorShapeRef base,
                                    const TensorOptions & options = default_tensor_options())
  {
    return make("Tensor::empty",
                batch,
                base,
                options,
                [](auto shape, const auto & o) { return at::empty(shape, o); });
  }

  [[nodiscard]] static Tensor zeros(TensorShapeRef base) { return zeros({}, base); }
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Tensor zeros(TensorShapeRef base, const O & options)
  {
    return zeros({}, base, options);
  }
  [[nodiscard]] static Tensor zeros(const TraceableTensorShape & batch,
                                    TensorShapeRef base,
                                    const TensorOptions & options = default_tensor_options())
  {
    return make("Tensor::zeros",
                batch,
                base,
                options,
                [](auto shape, const auto & o) { return at::zeros(shape, o); });
  }

  [[nodiscard]] static Tensor ones(TensorShapeRef base) { return ones({}, base); }
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Tensor ones(TensorShapeRef base, const O & options)
  {
    return ones({}, base, options);
  }
  [[nodiscard]] static Tensor ones(const TraceableTensorShape & batch,
                                   TensorShapeRef base,
                                   const TensorOptions & options = default_tensor_options())
  {
    return make("Tensor::ones",
                batch,
                base,
                options,
                [](auto shape, const auto & o) { return at::ones(shape, o); });
  }

  [[nodiscard]] static Tensor full(TensorShapeRef base, const CScalar & value)
  {
    return full({}, base, value);
  }
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Tensor full(TensorShapeRef base, const CScalar & value, const O & options)
  {
    return full({}, base, value, options);
  }
  [[nodiscard]] static Tensor full(const TraceableTensorShape & batch,
                                   TensorShapeRef base,
                                   const CScalar & value,
                                   const TensorOptions & options = default_tensor_options())
  {
    return make("Tensor::full",
                batch,
                base,
                options,
                [&](auto shape, const auto & o) { return at::full(shape, value, o); });
  }

  /// The n×n identity, (; n, n).
  [[nodiscard]] static Tensor identity(Size n,
                                       const TensorOptions & options = default_tensor_options())
  {
    return identity({}, n, options);
  }
  /// (batch; n, n), each with its own storage.
  [[nodiscard]] static Tensor identity(const TraceableTensorShape & batch,
                                       Size n,
                                       const TensorOptions & options = default_tensor_options())
  {
    return make("Tensor::identity",
                batch,
                {n, n},
                options,
                [n](auto shape, const auto & o)
                { return at::eye(n, o).expand(shape).clone(at::MemoryFormat::Contiguous); });
  }

  /// Appends size-1 base dimensions until there are n of them.
  Tensor base_unsqueeze_to(Size n) const;

private:
  template <class F>
  static Tensor make(const char * where,
                     const TraceableTensorShape & batch,
                     TensorShapeRef base,
                     const TensorOptions & options,
                     const F & f)
  {
    return {core::Trusted(),
            core::make(where, utils::add_shapes(batch, base), options, f),
            Size(batch.size())};
  }
};

// ---- Definitions. Tensor is complete from here on. ----

inline Tensor
Tensor::base_unsqueeze_to(Size n) const
{
  core::check_defined("base_unsqueeze_to", *this);
  at::Tensor r = *this;
  for (Size d = base_dim(); d < n; d++)
    r = r.unsqueeze(-1);
  return {core::Trusted(), std::move(r), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_index(indexing::TensorIndicesRef indices) const
{
  const auto all = base_indices("base_index", indices);
  const at::Tensor r = core::index("base_index", *this, all);
  // Index tensors that are not neighbours put their dimensions first: bring them behind the batch.
  const core::IndexTensors found(all, dim());
  if (found.adjacent || batch_dim() == 0)
    return {core::Trusted(), r, batch_dim()};
  TensorShape from, to;
  for (Size d = 0; d < found.dims; d++)
  {
    from.push_back(d);
    to.push_back(batch_dim() + d);
  }
  return {core::Trusted(), r.movedim(from, to), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_slice(Size dim, const indexing::Slice & slice) const
{
  indexing::TensorIndices i;
  i.append(size_t(core::position("base_slice", self(), dim, batch_dim(), this->dim())),
           indexing::Slice());
  i.push_back(slice);
  return {core::Trusted(), core::index("base_slice", *this, i), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_expand(TensorShapeRef shape) const
{
  core::check_defined("base_expand", self());
  const auto aligned = core::align_base(*this, batch_dim(), Size(shape.size()));
  return core::translate_errors(
      "base_expand",
      [&]
      {
        return neml2::Tensor(
            core::Trusted(), aligned.expand(utils::add_shapes(batch_sizes(), shape)), batch_dim());
      });
}

template <class Derived>
Tensor
TensorBase<Derived>::base_expand(Size n, Size dim) const
{
  core::check_defined("base_expand", self());
  TensorShape shape(base_sizes().begin(), base_sizes().end());
  shape[size_t(core::position("base_expand", self(), dim, 0, base_dim()))] = n;
  return base_expand(shape);
}

template <class Derived>
template <class B, core::if_tensor<B>>
Tensor
TensorBase<Derived>::base_expand_as(const B & other) const
{
  return base_expand(other.base_sizes());
}

template <class Derived>
Tensor
TensorBase<Derived>::base_expand_copy(TensorShapeRef shape) const
{
  return base_expand(shape).clone();
}

template <class Derived>
Tensor
TensorBase<Derived>::base_reshape(TensorShapeRef shape) const
{
  core::check_defined("base_reshape", self());
  return core::translate_errors(
      "base_reshape",
      [&]
      {
        return neml2::Tensor(
            core::Trusted(), reshape(utils::add_shapes(batch_sizes(), shape)), batch_dim());
      });
}

template <class Derived>
Tensor
TensorBase<Derived>::base_unsqueeze(Size d) const
{
  const Size at = core::position("base_unsqueeze", self(), d, batch_dim(), dim() + 1);
  return {core::Trusted(), unsqueeze(at), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_transpose(Size d1, Size d2) const
{
  return {core::Trusted(),
          at::Tensor::transpose(core::position("base_transpose", self(), d1, batch_dim(), dim()),
                                core::position("base_transpose", self(), d2, batch_dim(), dim())),
          batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_flatten() const
{
  core::check_defined("base_flatten", self());
  return base_reshape({base_storage()});
}

namespace utils
{
/// The batch shape all tensors broadcast to; undefined ones are skipped, an empty list gives [].
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
} // namespace utils
} // namespace neml2
