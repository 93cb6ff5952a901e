// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/TensorBase.h"

#include <vector>

namespace neml2
{
template <class Derived, Size... S>
class PrimitiveTensor;

namespace core
{
/// The names of Tensors in messages: "Tensor", then the names of types that some Tensors stand for. Programs that pass
/// tensors of other types as Tensors add the names of these types before the first use.
inline std::vector<const char *> &
names_in_messages()
{
  static std::vector<const char *> names{"Tensor"};
  return names;
}
} // namespace core

/**
 * Batch of tensors whose base shape is known at run time only.
 *
 * Shape (batch; base), both arbitrary. + - * / are elementwise; both operands' batch shapes broadcast
 * with one another, and so do their base shapes, each aligned at its own last dimension.
 */
class NEML2_ONE_A_PROGRAM Tensor : public TensorBase<Tensor>,
                                   public core::mixins::AnyBaseFactories<Tensor>
{
public:
  static constexpr auto type_name = "Tensor";
  static TensorShapeRef expected_base_sizes(const Tensor & t) { return t.base_sizes(); }

  using TensorBase<Tensor>::TensorBase;
  NEML2_ASSIGNED_WHOLE(Tensor)
  Tensor() = default;
  /// A batch of another type, made a Tensor so that it can be passed to functions of tensors of any type. Messages use the name of the
  /// other type, which is entry `name` of core::names_in_messages().
  Tensor(core::Trusted, at::Tensor t, Size batch_dim, int32_t name) noexcept
    : TensorBase<Tensor>(core::Trusted(), std::move(t), batch_dim)
  {
    _name = name;
  }
  /// From any primitive tensor; keeps its batch dimensions.
  template <class Derived, Size... S>
  Tensor(const PrimitiveTensor<Derived, S...> & t)
    : TensorBase<Tensor>(core::Trusted(), static_cast<const at::Tensor &>(t), t.batch_dim())
  {
  }

  // ---- Factories: more in core/factories.h -----------------------------------------------------

  /// From nested brace lists: create({{1, 2}, {3, 4}}) is (; 2, 2).
  [[nodiscard]] static Tensor create(const TensorDataContainer & data,
                                     const TensorOptions & options = default_tensor_options())
  {
    return {data.to_tensor(options), 0};
  }
  /// From nested brace lists whose first batch_dim levels are batch dimensions.
  [[nodiscard]] static Tensor create(const TensorDataContainer & data,
                                     Size batch_dim,
                                     const TensorOptions & options = default_tensor_options())
  {
    return {data.to_tensor(options), batch_dim};
  }

  /// From nested brace lists, with dynamic_dim batch dimensions and intmd_dim intermediate ones, which must be 0.
  [[nodiscard]] static Tensor create(const TensorDataContainer & data,
                                     Size dynamic_dim,
                                     Size intmd_dim,
                                     const TensorOptions & options = default_tensor_options())
  {
    core::check_no_intmd("Tensor::create", intmd_dim);
    return create(data, dynamic_dim, options);
  }

  /// The n×n identity, (; n, n).
  [[nodiscard]] static Tensor identity(Size n,
                                       const TensorOptions & options = default_tensor_options())
  {
    return identity({}, n, options);
  }
  /// A batch of identities, (batch; n, n), each with its own storage.
  [[nodiscard]] static Tensor identity(const TraceableTensorShape & batch,
                                       Size n,
                                       const TensorOptions & options = default_tensor_options())
  {
    const TensorShape shape = utils::add_shapes(batch, n, n);
    return {core::Trusted(),
            core::make("Tensor::identity",
                       shape,
                       options,
                       [n](auto s, const auto & o)
                       { return at::eye(n, o).expand(s).clone(at::MemoryFormat::Contiguous); }),
            Size(batch.size())};
  }

  /// Appends base dimensions of size 1 until the tensor has n base dimensions.
  /// @throws NEMLException if it has more than n.
  Tensor base_unsqueeze_to(Size n) const;

  /// The name of this tensor's type in messages.
  const char * name_in_messages() const
  {
    return _name == 0 ? type_name : core::names_in_messages()[size_t(_name)];
  }
};

/// A list of tensors of any types: {strain, stress}. Does not own them.
using TensorList = c10::ArrayRef<Tensor>;

// ---- Definitions. Tensor is complete from here on. ----

inline Tensor
Tensor::base_unsqueeze_to(Size n) const
{
  core::check_defined("base_unsqueeze_to", *this);
  NEML2_CHECK(base_dim() <= n,
              "base_unsqueeze_to: ",
              core::operand(*this),
              " has more than ",
              n,
              " base dimensions already.");
  return base_unsqueeze(-1, n - base_dim());
}

template <class Derived>
Tensor
TensorBase<Derived>::base_index(indexing::TensorIndicesRef indices) const
{
  return {core::Trusted(), core::base_index(core::operand(self()), indices), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_slice(Size dim, const indexing::Slice & slice) const
{
  return {core::Trusted(), core::slice(base_group("base_slice"), dim, slice), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_expand(TensorShapeRef shape) const
{
  return {core::Trusted(), core::expand(base_group("base_expand"), shape), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_expand(Size n, Size dim) const
{
  return {core::Trusted(), core::expand(base_group("base_expand"), n, dim), batch_dim()};
}

template <class Derived>
template <class B, core::if_tensor<B>>
Tensor
TensorBase<Derived>::base_expand_as(const B & other) const
{
  core::check_defined("base_expand_as", other);
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
  return {core::Trusted(), core::reshape(base_group("base_reshape"), shape), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_unsqueeze(Size d, Size n) const
{
  return {core::Trusted(), core::unsqueeze(base_group("base_unsqueeze"), d, n), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_squeeze(Size d) const
{
  return {core::Trusted(), core::squeeze(base_group("base_squeeze"), d), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_transpose(Size d1, Size d2) const
{
  return {core::Trusted(), core::transpose(base_group("base_transpose"), d1, d2), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_movedim(Size from, Size to) const
{
  return {core::Trusted(), core::movedim(base_group("base_movedim"), from, to), batch_dim()};
}

template <class Derived>
Tensor
TensorBase<Derived>::base_flatten(Size start, Size end) const
{
  return {core::Trusted(), core::flatten(base_group("base_flatten"), start, end), batch_dim()};
}

template <class Derived>
Tensor
DynamicDims<Derived>::static_expand(TensorShapeRef intmd, TensorShapeRef base) const
{
  core::check_no_intmd("static_expand", intmd);
  return self().base_expand(base);
}

template <class Derived>
Tensor
DynamicDims<Derived>::static_reshape(TensorShapeRef intmd, TensorShapeRef base) const
{
  core::check_no_intmd("static_reshape", intmd);
  return self().base_reshape(base);
}

template <class Derived>
Tensor
DynamicDims<Derived>::static_flatten() const
{
  return self().base_flatten();
}
} // namespace neml2
