// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"
#include "neml2/core/strictness.h"
#include "neml2/kernels/Components.h"
#include "neml2/kernels/Scalar.h"

#include <string>
#include <utility>

namespace neml2
{
namespace core
{
template <class Derived, Size... S>
std::integer_sequence<Size, S...> base_shape_of(const PrimitiveTensor<Derived, S...> *);

template <class T, class = void>
constexpr bool is_primitive = false;
/// Whether T is a type that fixes its base shape.
template <class T>
constexpr bool is_primitive<T, std::void_t<decltype(base_shape_of(std::declval<const T *>()))>> =
    true;

/// Whether B is a primitive type other than Derived with this base shape.
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

/// Enables an overload for tensors of LibTorch and classes that convert to them, except tensors of this library: tensors of this
/// library convert by their types, not by their shapes.
template <class T>
using if_raw_tensor =
    std::enable_if_t<std::is_convertible_v<const T &, const at::Tensor &> && !is_tensor<T>, int>;

/// The unused last parameter of constructors from other tensors. Without it, clang before 15 hides these constructors if a
/// type has a constructor template of one parameter.
struct Implicit
{
  explicit constexpr Implicit(const char *) {}
};

/// The batch type whose rows are R<T>; a row is one tensor of a batch. Each type specialises this template.
template <template <class> class R>
struct batch_of_rows
{
  using type = void;
};

/// Scalar, under a name that depends on a template parameter, because Scalar is not complete in this header.
template <class>
struct dependent_scalar
{
  using type = Scalar;
};
template <class T>
using dependent_scalar_t = typename dependent_scalar<T>::type;

/// Whether V are n Scalars, or n numbers that options may follow.
template <Size n, class... V>
constexpr bool
are_components()
{
  if constexpr (n == 0 || sizeof...(V) < n || sizeof...(V) > n + 1)
    return false;
  else
  {
    constexpr bool numbers[] = {is_number<V>...};
    bool all_numbers = true;
    if constexpr (sizeof...(V) == n + 1) // the last argument is the options
    {
      constexpr bool options[] = {std::is_convertible_v<const V &, TensorOptions>...};
      all_numbers = options[n] && !numbers[n];
    }
    for (Size i = 0; i < n; i++)
      all_numbers = all_numbers && numbers[i];
    return all_numbers || (sizeof...(V) == n && (std::is_same_v<V, Scalar> && ...));
  }
}
/// Whether V is a type of values in formulas: a number of a formula (a number with derivatives, a pack or a symbol), a row of
/// such numbers, or a whole batch.
template <class V>
constexpr bool is_of_formula =
    is_tensor<V> || kernels::is_row<V>::value || std::is_base_of_v<kernels::Component<V>, V>;
template <class V>
using if_like = std::enable_if_t<is_of_formula<V>, int>;
/// Enables an overload for values of a formula and plain numbers, unless all are plain numbers or all are Scalars.
template <class... V>
using if_in_formula =
    std::enable_if_t<((is_number<V> || is_of_formula<V>)&&...) && !(is_number<V> && ...) &&
                         !(std::is_same_v<V, Scalar> && ...),
                     int>;

/// Enables an overload for the components of a tensor of base shape S.
template <class Shape, class... V>
struct Components;
template <Size... S, class... V>
struct Components<std::integer_sequence<Size, S...>, V...>
  : std::enable_if<are_components<(Size(1) * ... * S), V...>(), int>
{
};
} // namespace core

/**
 * Batch of tensors whose base shape is part of their type: the base class of SR2, SSR4 and the others.
 *
 * Shape (batch; S...). The base shape is checked whenever a batch is made from a raw tensor.
 */
template <class Derived, Size... S>
class PrimitiveTensor : public TensorBase<Derived>, public core::mixins::FixedBaseFactories<Derived>
{
public:
  static constexpr auto type_name = "PrimitiveTensor"; ///< the name in messages if Derived has none
  static constexpr std::array<Size, sizeof...(S)> base_shape = {S...};
  static inline const TensorShape const_base_sizes = {
      S...}; ///< may be unset before main begins; use base_shape until then
  static constexpr Size const_base_dim = sizeof...(S);
  static constexpr Size const_base_numel = (Size(1) * ... * S);
  static constexpr Size const_base_storage = const_base_numel;
  using base_sizes_sequence = std::integer_sequence<Size, S...>;

  /// A row, that is, one tensor of the batch in a formula, for types that declare no row type of their own. Its components have
  /// one index per base dimension.
  template <class T>
  struct Row : kernels::Components<T, int(const_base_numel)>
  {
    using batch = Derived;
    using shape = base_sizes_sequence;
    using kernels::Components<T, int(const_base_numel)>::Components;
    using kernels::Components<T, int(const_base_numel)>::operator();

    template <class... I,
              std::enable_if_t<sizeof...(I) == sizeof...(S) && (sizeof...(S) > 1), int> = 0>
    NEML2_INLINE constexpr const T & operator()(I... i) const
    {
      return this->v[kernels::component_place<int(S)...>(i...)];
    }
  };

  static TensorShapeRef expected_base_sizes(const Derived &) { return base(); }

  PrimitiveTensor() = default;
  PrimitiveTensor(core::Trusted, at::Tensor t, Size batch_dim) noexcept
    : TensorBase<Derived>(core::Trusted(), std::move(t), batch_dim)
  {
  }

  /// From a raw tensor, whose last dimensions are base dimensions; all others are batch dimensions. Shares storage.
  /// @throws NEMLException ("Base shape mismatch ...") unless t's shape ends in the base shape.
  template <class T, core::if_raw_tensor<T> = 0>
  PrimitiveTensor(const T & t, core::Implicit = core::Implicit(""))
    : PrimitiveTensor(Inferred(), static_cast<const at::Tensor &>(t))
  {
  }
  /// From a raw tensor; checks that it has batch_dim batch dimensions, or infers their number if batch_dim is 0. Shares
  /// storage.
  PrimitiveTensor(const at::Tensor & t, Size batch_dim) : PrimitiveTensor(Inferred(), t)
  {
    NEML2_CHECK(batch_dim == 0 || !t.defined() || batch_dim == this->batch_dim(),
                "Base shape mismatch: ",
                Derived::type_name,
                " has base shape ",
                base(),
                ", but ",
                batch_dim,
                " batch dimensions leave other base dimensions of the shape ",
                t.sizes(),
                ".");
  }
  /// From a raw tensor with the batch sizes batch_shape, which are checked. Shares storage.
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
  /// From a raw tensor with dynamic_dim batch dimensions. intmd_dim, the number of intermediate dimensions, must be 0.
  PrimitiveTensor(const at::Tensor & t, Size dynamic_dim, Size intmd_dim)
    : PrimitiveTensor(neml2::Tensor(t, dynamic_dim, intmd_dim))
  {
  }
  PrimitiveTensor(const at::Tensor & t, const TraceableTensorShape & dynamic_shape, Size intmd_dim)
    : PrimitiveTensor(t, dynamic_shape)
  {
    core::check_no_intmd(Derived::type_name, intmd_dim);
  }
  PrimitiveTensor(const at::Tensor & t, std::initializer_list<Size> dynamic_shape, Size intmd_dim)
    : PrimitiveTensor(t, TraceableTensorShape(dynamic_shape), intmd_dim)
  {
  }
  /// From a Tensor; keeps its batch dimensions. This constructor is a template, because other primitive types convert to Tensor too. If
  /// core::Strictness is relaxed, t's last dimensions are base dimensions and all others are batch dimensions, whatever t.batch_dim() is:
  /// Scalar(Tensor::zeros({}, {4})) is (4; ).
  template <class T, std::enable_if_t<std::is_same_v<T, neml2::Tensor>, int> = 0>
  PrimitiveTensor(const T & t, core::Strictness = core::Strictness(""))
    : PrimitiveTensor(Inferred(), static_cast<const at::Tensor &>(t))
  {
    NEML2_CHECK(core::Strictness::relaxed || t.batch_dim() == this->batch_dim(),
                "Base shape mismatch: ",
                core::operand(t),
                " is not a ",
                Derived::type_name,
                ", whose base shape is ",
                base(),
                ".");
  }
  /// From a tensor of another primitive type with the same base shape: the same numbers under another name.
  template <
      class B,
      std::enable_if_t<core::is_another_of_shape<B, Derived, std::integer_sequence<Size, S...>>(),
                       int> = 0>
  PrimitiveTensor(const B & t, core::Implicit = core::Implicit(""))
    : TensorBase<Derived>(core::Trusted(), static_cast<const at::Tensor &>(t), t.batch_dim())
  {
  }

  // ---- Factories: more in core/factories.h -----------------------------------------------------

  /// From nested brace lists; dimensions outside the base shape are batch dimensions: Scalar::create({1, 2}) is (2;).
  [[nodiscard]] static Derived create(const TensorDataContainer & data,
                                      const TensorOptions & options = default_tensor_options())
  {
    return Derived(data.to_tensor(options));
  }

  /// create(data), with a check that the result has batch_dim batch dimensions; 0 means no check.
  [[nodiscard]] static Derived create(const TensorDataContainer & data,
                                      Size batch_dim,
                                      const TensorOptions & options = default_tensor_options())
  {
    return Derived(data.to_tensor(options), batch_dim);
  }

  /// From one argument per stored component, in row-major order. Numbers give (; S...); options may follow
  /// them. Scalars (...; ) give (...; S...); their batch shapes broadcast. Types such as SR2, whose
  /// stored components differ from the usual ones, define another fill.
  template <class... V,
            typename core::Components<std::integer_sequence<Size, S...>, V...>::type = 0>
  [[nodiscard]] static Derived fill(const V &... v);
  /// fill inside a formula of vmap. Each stored component has one argument, a scalar of the formula or a number. If all are numbers, a
  /// tensor of the formula must follow as the last argument, in place of options.
  template <class... V, core::if_in_formula<V...> = 0>
  [[nodiscard]] static auto fill(const V &... v);

  /// Einstein's sum over equal letters: R2::einsum("...ij,...jk->...ik", {A, B}) is A_ij B_jk. The letters of each
  /// tensor are its base dimensions, and the leading "..." is its batch; batches broadcast. (...; base) of each ->
  /// (...; S...)
  /// @throws NEMLException also if the equation does not fit the tensors, or its result does not
  /// fit this type.
  [[nodiscard]] static Derived einsum(const std::string & equation, TensorList tensors);

  /// The derivative of a tensor with respect to itself. Types that have this derivative override the function.
  /// @throws NEMLException for the other types.
  [[nodiscard]] static neml2::Tensor identity_map(const TensorOptions & = default_tensor_options())
  {
    core::fail(Derived::type_name, "::identity_map: Not implemented");
  }

  /// One stored component, which one index per base dimension selects. (...; S...) -> (...; )
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
      r = r.select(this->batch_dim(),
                   core::component(Derived::type_name, k, r.size(this->batch_dim())));
    return Result(core::Trusted(), std::move(r), this->batch_dim());
  }

protected:
  /// An unbatched tensor (; S...) of the given values in storage order.
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
    NEML2_CHECK(n >= 0 && t.sizes().slice(size_t(n)) == base(),
                "Base shape mismatch: ",
                Derived::type_name,
                " has base shape ",
                base(),
                ", but the shape ",
                t.sizes(),
                " does not end in it. ",
                remedy(t.sizes()));
    return n;
  }
  NEML2_COLD static std::string remedy(TensorShapeRef shape)
  {
    const size_t k = base().size();
    if (shape.size() <= k || shape.slice(0, k) != base())
      return "Reshape the tensor, or choose the type of its last dimensions; types convert, as in "
             "SR2(R2(t)) for the symmetric parts of matrices.";
    std::string text = "It begins with it: write t";
    for (size_t i = 0; i < k; i++)
      text += ".movedim(0, -1)";
    return text + ", which moves these dimensions to the end. Reshaping would mix the rows.";
  }
};
} // namespace neml2

// ---- Definitions. PrimitiveTensor is complete from here on. ----

#include "neml2/core/fill.h"
