// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"

#include <utility>

namespace neml2
{
namespace core
{
template <class Derived, Size... S>
std::integer_sequence<Size, S...> base_shape_of(const PrimitiveTensor<Derived, S...> *);

template <class T, class = void>
constexpr bool is_primitive = false;
/// A type whose base shape is part of it.
template <class T>
constexpr bool is_primitive<T, std::void_t<decltype(base_shape_of(std::declval<const T *>()))>> =
    true;

/// A primitive type other than Derived with this base shape.
template <class B, class Derived, class Shape>
constexpr bool
is_another_of_shape()
{
  if constexpr (is_tensor<B> && !std::is_same_v<B, Derived>)
  {
    if constexpr (is_primitive<B>)
      return std::is_same_v<typename B::base_sizes_sequence, Shape>;
    else
      return false;
  }
  else
    return false;
}

/// A tensor of LibTorch, or what converts to one, but no tensor of this library: those convert by
/// their types, not by whatever shape they happen to have.
template <class T>
using if_raw_tensor =
    std::enable_if_t<std::is_convertible_v<const T &, const at::Tensor &> && !is_tensor<T>, int>;

/// The type whose rows are R<T>: every type says so of its own.
template <template <class> class R>
struct batch_of_rows
{
  using type = void;
};

/// Scalar, where the name must depend on a template parameter because the type is not complete yet.
template <class>
struct dependent_scalar
{
  using type = Scalar;
};
template <class T>
using dependent_scalar_t = typename dependent_scalar<T>::type;
} // namespace core

/**
 * Batch of tensors whose base shape is part of their type: what SR2, SSR4 and the others derive from.
 *
 * Shape (batch; S...). The base shape is checked whenever one is made from a raw tensor.
 */
template <class Derived, Size... S>
class PrimitiveTensor : public TensorBase<Derived>
{
public:
  static constexpr std::array<Size, sizeof...(S)> base_shape = {S...};
  static inline const TensorShape const_base_sizes = {S...}; ///< not before main: base_shape is
  static constexpr Size const_base_dim = sizeof...(S);
  static constexpr Size const_base_numel = (Size(1) * ... * S);
  static constexpr Size const_base_storage = const_base_numel;
  using base_sizes_sequence = std::integer_sequence<Size, S...>;
  static TensorShapeRef expected_base_sizes(const Derived &) { return base(); }

  PrimitiveTensor() = default;
  PrimitiveTensor(core::Trusted, at::Tensor t, Size batch_dim) noexcept
    : TensorBase<Derived>(core::Trusted(), std::move(t), batch_dim)
  {
  }

  /// The last dimensions of t are its base dimensions, all others batch dimensions. Shares storage.
  /// @throws NEMLException ("Base shape mismatch ...") unless t's shape ends in the base shape.
  template <class T, core::if_raw_tensor<T> = 0>
  PrimitiveTensor(const T & t) : PrimitiveTensor(Inferred(), static_cast<const at::Tensor &>(t))
  {
  }
  /// The same; t must have batch_dim more dimensions than the base. 0 leaves it to be inferred.
  PrimitiveTensor(const at::Tensor & t, Size batch_dim) : PrimitiveTensor(Inferred(), t)
  {
    NEML2_CHECK(batch_dim == 0 || !t.defined() || batch_dim == this->batch_dim(),
                "Base shape mismatch: ",
                Derived::type_name,
                " has base shape ",
                base(),
                ", but ",
                batch_dim,
                " batch dimensions leave something else of the shape ",
                t.sizes(),
                ".");
  }
  /// The same, and the batch sizes must be these.
  PrimitiveTensor(const at::Tensor & t, const TraceableTensorShape & batch_shape)
    : PrimitiveTensor(Inferred(), t)
  {
    NEML2_CHECK(!t.defined() || this->batch_sizes() == batch_shape,
                "Base shape mismatch: a tensor of shape ",
                t.sizes(),
                " is not ",
                Derived::type_name,
                " of batch shape ",
                batch_shape,
                ", base shape ",
                base(),
                ".");
  }
  PrimitiveTensor(const at::Tensor & t, std::initializer_list<Size> batch_shape)
    : PrimitiveTensor(t, TraceableTensorShape(batch_shape))
  {
  }
  /// Keeps the batch dimension of t. A template, because other primitive types convert to Tensor too.
  template <class T, std::enable_if_t<std::is_same_v<T, neml2::Tensor>, int> = 0>
  PrimitiveTensor(const T & t) : PrimitiveTensor(Inferred(), static_cast<const at::Tensor &>(t))
  {
    NEML2_CHECK(t.batch_dim() == this->batch_dim(),
                "Base shape mismatch: ",
                core::operand(t),
                " is not a ",
                Derived::type_name,
                ", whose base shape is ",
                base(),
                ".");
  }
  /// Another primitive type of the same base shape: the same numbers under another name.
  template <
      class B,
      std::enable_if_t<core::is_another_of_shape<B, Derived, std::integer_sequence<Size, S...>>(),
                       int> = 0>
  PrimitiveTensor(const B & t)
    : TensorBase<Derived>(core::Trusted(), static_cast<const at::Tensor &>(t), t.batch_dim())
  {
  }
  // ---- Factories: unbatched, or of a batch shape ----------------------------------------------

  /// From nested brace lists; what is outside the base shape is batch: Scalar::create({1, 2}) is (2;).
  [[nodiscard]] static Derived create(const TensorDataContainer & data,
                                      const TensorOptions & options = default_tensor_options())
  {
    return Derived(data.to_tensor(options));
  }

  /// Values not set.
  [[nodiscard]] static Derived empty() { return empty(TraceableTensorShape()); }
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Derived empty(const O & options)
  {
    return empty(TraceableTensorShape(), options);
  }
  [[nodiscard]] static Derived empty(const TraceableTensorShape & batch,
                                     const TensorOptions & options = default_tensor_options())
  {
    return make(
        "empty", batch, options, [](auto shape, const auto & o) { return at::empty(shape, o); });
  }

  [[nodiscard]] static Derived zeros() { return zeros(TraceableTensorShape()); }
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Derived zeros(const O & options)
  {
    return zeros(TraceableTensorShape(), options);
  }
  [[nodiscard]] static Derived zeros(const TraceableTensorShape & batch,
                                     const TensorOptions & options = default_tensor_options())
  {
    return make(
        "zeros", batch, options, [](auto shape, const auto & o) { return at::zeros(shape, o); });
  }

  [[nodiscard]] static Derived ones() { return ones(TraceableTensorShape()); }
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Derived ones(const O & options)
  {
    return ones(TraceableTensorShape(), options);
  }
  [[nodiscard]] static Derived ones(const TraceableTensorShape & batch,
                                    const TensorOptions & options = default_tensor_options())
  {
    return make(
        "ones", batch, options, [](auto shape, const auto & o) { return at::ones(shape, o); });
  }

  [[nodiscard]] static Derived full(const CScalar & value)
  {
    return full(TraceableTensorShape(), value);
  }
  template <class O, core::if_options<O> = 0>
  [[nodiscard]] static Derived full(const CScalar & value, const O & options)
  {
    return full(TraceableTensorShape(), value, options);
  }
  [[nodiscard]] static Derived full(const TraceableTensorShape & batch,
                                    const CScalar & value,
                                    const TensorOptions & options = default_tensor_options())
  {
    return make("full",
                batch,
                options,
                [&](auto shape, const auto & o) { return at::full(shape, value, o); });
  }

  /// Derivative of a value by itself; the types that have one say so.
  /// @throws NEMLException here.
  [[nodiscard]] static neml2::Tensor identity_map(const TensorOptions & = default_tensor_options())
  {
    core::fail(Derived::type_name, "::identity_map: Not implemented");
  }

  /// One stored component, one index a base dimension. (...; S...) -> (...; )
  template <
      class... I,
      std::enable_if_t<sizeof...(I) == sizeof...(S) && (sizeof...(I) > 0) &&
                           ((std::is_convertible_v<I, Size> && !std::is_floating_point_v<I>)&&...),
                       int> = 0>
  typename core::dependent_scalar<std::tuple<I...>>::type operator()(I... i) const
  {
    using Result = typename core::dependent_scalar<std::tuple<I...>>::type;
    core::check_defined("()", this->self());
    at::Tensor r = *this;
    for (const Size k : {Size(i)...})
    {
      const Size n = r.size(this->batch_dim());
      NEML2_CHECK(-n <= k && k < n,
                  Derived::type_name,
                  ": the component index ",
                  k,
                  " is out of range: expected one in [",
                  -n,
                  ", ",
                  n,
                  ").");
      r = r.select(this->batch_dim(), k);
    }
    return Result(core::Trusted(), std::move(r), this->batch_dim());
  }

protected:
  /// A tensor of the given values in storage order, unbatched. (; S...)
  static Derived from_values(std::initializer_list<CScalar> values, const TensorOptions & options)
  {
    TensorDataContainer data(std::vector<CScalar>(values.begin(), values.end()));
    return Derived(data.to_tensor(options, base()));
  }

private:
  struct Inferred
  {
  };
  PrimitiveTensor(Inferred, const at::Tensor & t)
    : TensorBase<Derived>(core::Trusted(), t, inferred_batch_dim(t))
  {
  }

  static TensorShapeRef base() { return {base_shape.data(), base_shape.size()}; }

  static Size inferred_batch_dim(const at::Tensor & t)
  {
    if (!t.defined())
      return 0;
    const Size n = t.dim() - const_base_dim;
    NEML2_CHECK(
        n >= 0 && t.sizes().slice(size_t(n)) == base(),
        "Base shape mismatch: ",
        Derived::type_name,
        " has base shape ",
        base(),
        ", but the shape ",
        t.sizes(),
        " does not end in it. Reshape the tensor, or choose the type of its last dimensions.");
    return n;
  }

  template <class F>
  static Derived make(const char * where,
                      const TraceableTensorShape & batch,
                      const TensorOptions & options,
                      const F & f)
  {
    return Derived(core::Trusted(),
                   core::make(where, utils::add_shapes(batch, base()), options, f),
                   Size(batch.size()));
  }
};
} // namespace neml2

// ---- Definitions. PrimitiveTensor is complete from here on. ----

#include "neml2/core/operators.h"
