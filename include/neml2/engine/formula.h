// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/engine/evaluate.h"
#include "neml2/kernels/captures.h"
#include "neml2/kernels/fields.h"

/// Formulas of the caller: checks of their arguments and results.
namespace neml2::engine
{
template <class R>
struct row_template
{
  using batch = void;
};
template <template <class> class R, class T>
struct row_template<R<T>>
{
  using batch = typename batch_of_rows<R>::type;
};

/// Whether R is the row type of PrimitiveTensor, which names its batched type as R::batch.
template <class R, class = void>
constexpr bool names_its_batch = false;
template <class R>
constexpr bool names_its_batch<R, std::void_t<typename R::batch>> = true;

/// Whether R may be a component: a number, a pack of numbers, or a dual.
template <class R>
constexpr bool is_component =
    std::is_arithmetic_v<R> || std::is_base_of_v<kernels::Component<R>, R>;

/// The batched type whose rows have the type R; void if R is not a type of rows. A row is one tensor of a batch.
template <class R>
constexpr auto
batch_of_row()
{
  if constexpr (is_component<R>)
    return static_cast<Scalar *>(nullptr);
  else if constexpr (names_its_batch<R>)
    return static_cast<typename R::batch *>(nullptr);
  else if constexpr (kernels::is_row<R>::value)
    return static_cast<typename row_template<R>::batch *>(nullptr);
  else
    return static_cast<void *>(nullptr);
}
template <class R>
using batch_of_row_t = std::remove_pointer_t<decltype(batch_of_row<R>())>;

/// For the type that a formula returns: the batched types of its results, and the type that holds all results.
template <class Returned>
struct formula_results
{
  using types = Types<batch_of_row_t<Returned>>;
  using type = batch_of_row_t<Returned>;
  static constexpr bool valid = !std::is_void_v<type>;
};
template <class... R>
struct formula_results<std::tuple<R...>>
{
  using types = Types<batch_of_row_t<std::decay_t<R>>...>;
  using type = std::tuple<batch_of_row_t<std::decay_t<R>>...>;
  static constexpr bool valid = (!std::is_void_v<batch_of_row_t<std::decay_t<R>>> && ...);
};

template <class A>
constexpr bool is_formula_argument = is_primitive<A> ||
                                     (std::is_arithmetic_v<A> && !std::is_same_v<A, bool>);

/// Checks the formula F for arguments of types A. Returns its formula_results, or void if the formula cannot be evaluated, so that no
/// further errors are reported.
template <class F, class... A>
constexpr auto
check_formula()
{
  static_assert(
      (is_formula_argument<A> && ...),
      "vmap: every argument must be a tensor whose type fixes its base shape (Scalar, Vec, "
      "SR2, SSR4, ...) or a plain number, or a group of them: a std::tuple, or a struct that is a "
      "template of the types of its fields");
  constexpr bool tensors = (is_primitive<A> || ...), allowed = (is_formula_argument<A> && ...);
  static_assert(tensors || !allowed, "vmap: at least one argument must be a tensor");
  if constexpr (tensors && allowed)
  {
    constexpr bool callable = std::is_invocable_v<const F &, const row_t<A, Pack<1>> &...>;
    constexpr bool changes = !callable && std::is_invocable_v<F &, const row_t<A, Pack<1>> &...>;
    static_assert(!changes,
                  "vmap: the formula changes itself (a mutable lambda, or a call operator without "
                  "const). It is called for several points at once, by several threads, and must "
                  "depend on its arguments only");
    static_assert(
        callable || changes,
        "vmap: the formula cannot be called with these arguments. If an error before this one says "
        "why (a name that is not declared lacks its header), fix that; otherwise the formula must "
        "take as many arguments, each as auto or const auto &");
    if constexpr (callable)
    {
      using Returned = std::decay_t<std::invoke_result_t<const F &, const row_t<A, Pack<1>> &...>>;
      static_assert(formula_results<Returned>::valid,
                    "vmap: the formula must return a tensor, a number, or a group of them: a "
                    "std::tuple, or a struct that is a template of the types of its fields");
      if constexpr (formula_results<Returned>::valid && kernels::is_of_values<Returned>())
      {
        constexpr bool fits =
            sizeof...(A) + size_t(formula_results<Returned>::types::count) <= size_t(max_operands);
        static_assert(fits, "vmap: at most 128 arguments and results are allowed in total");
        if constexpr (fits)
          return formula_results<Returned>();
      }
    }
  }
}

template <class F, class... A>
constexpr bool is_formula = !std::is_void_v<decltype(check_formula<F, A...>())>;

/// Whether a formula is computed in float32 for tensors of float32, as in_float32(f) is.
template <class F, class = void>
constexpr bool is_in_float32 = false;
template <class F>
constexpr bool is_in_float32<F, std::void_t<decltype(F::in_float32)>> = F::in_float32;

/// Whether a row of A is one number.
template <class A>
constexpr bool is_one_number = argument_t<A>::base_shape.size() == 0;

/// A formula for arguments of types A.
template <class F, class... A>
struct Formula
{
  using Checked = decltype(check_formula<F, A...>());
  using Results = typename Checked::types;
  using Result = typename Checked::type;
  using Tile = FormulaTile<F, Results, Types<A...>>;
  static constexpr size_t count = size_t(Results::count);
  using Tensors = std::array<at::Tensor, count>;

  static RowFormula rows(const F & f)
  {
    if constexpr (is_in_float32<F>)
    {
      constexpr bool numbers = (is_one_number<A> && ...) && are_one_number(Results());
      static_assert(
          numbers,
          "in_float32: every argument of the formula, and its only result, must be a scalar or a "
          "plain number: formulas of tensors, or with several results, are computed in float64");
      if constexpr (numbers)
        return row_formula_in_float32<Tile, int(sizeof...(A))>(f);
    }
    return row_formula<Tile>(f);
  }

private:
  template <class... R>
  static constexpr bool are_one_number(Types<R...>)
  {
    return sizeof...(R) == 1 && (is_one_number<R> && ...);
  }
};

/// The base shapes of some types.
template <class... R>
std::array<TensorShapeRef, sizeof...(R)>
base_shapes(Types<R...>)
{
  return {TensorShapeRef(R::base_shape)...};
}

/// The argument in the form in which a formula's operands hold it: a plain number becomes a double.
template <class A>
decltype(auto)
formula_argument(const A & a)
{
  if constexpr (std::is_arithmetic_v<A>)
    return double(a);
  else
    return (a);
}

/// Converts tensors to the batched types R.
template <class... R, size_t... I>
auto
as_batches(Types<R...>, const at::Tensor * t, std::index_sequence<I...>)
{
  return std::tuple<R...>(R(t[I])...);
}
template <class Result, class Types_>
Result
as_results(const at::Tensor * t)
{
  auto r = as_batches(Types_(), t, std::make_index_sequence<size_t(Types_::count)>());
  if constexpr (is_tuple<Result>)
    return r;
  else
    return std::get<0>(std::move(r));
}

/// Makes an argument of type A from the tensor kept by autograd's node.
template <class A>
A
kept_argument(const at::Tensor & t)
{
  if constexpr (std::is_arithmetic_v<A>)
    return t.item<A>();
  else
    return A(t);
}

/// Whether the gradients of a formula are computed in a fused pass, as the gradients of with_gradient(f) are.
template <class F, class = void>
constexpr bool has_gradient = false;
template <class F>
constexpr bool has_gradient<F, std::void_t<decltype(F::has_fused_gradient)>> =
    F::has_fused_gradient;

/// Whether a formula may be kept until its gradient is computed. A lambda with captures may not, because a captured reference may then
/// refer to a variable that no longer exists.
template <class F, class = void>
constexpr bool is_kept = kernels::holds_only_numbers<F>();
template <class F>
constexpr bool is_kept<F, std::void_t<decltype(F::owns_what_it_holds)>> = F::owns_what_it_holds;

/// The name of a formula in messages: an operation's own name, otherwise vmap.
template <class F>
constexpr const char *
formula_name()
{
  if constexpr (has_name<F>)
    return F::name;
  else
    return "vmap";
}
} // namespace neml2::engine
