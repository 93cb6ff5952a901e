// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/formula_into.h"
#include "neml2/math/recorded_gradient.h"
#include "neml2/packs/jacobian_tile.h"

/// Values and Jacobians of the caller's formulas.
namespace neml2
{
// Types that Jacobians may have; their own headers define them.
class Vec;
class R2;
class SR2;
class SSR4;
class R3;
class R4;

namespace math
{
/// The type with base shape S...: Tensor, except for the shapes specialised below.
template <Size... S>
struct type_of_base_shape
{
  using type = neml2::Tensor;
};
template <>
struct type_of_base_shape<>
{
  using type = Scalar;
};
template <>
struct type_of_base_shape<3>
{
  using type = Vec;
};
template <>
struct type_of_base_shape<6>
{
  using type = SR2;
};
template <>
struct type_of_base_shape<3, 3>
{
  using type = R2;
};
template <>
struct type_of_base_shape<6, 6>
{
  using type = SSR4;
};
template <>
struct type_of_base_shape<3, 3, 3>
{
  using type = R3;
};
template <>
struct type_of_base_shape<3, 3, 3, 3>
{
  using type = R4;
};

template <Size... A, Size... B>
typename type_of_base_shape<A..., B...>::type joined_type(std::integer_sequence<Size, A...>,
                                                          std::integer_sequence<Size, B...>);

/// The type of the derivative of a Y with respect to an X. Its base shape is the base shape of Y, then that of X.
template <class Y, class X>
using jacobian_t =
    decltype(joined_type(typename Y::base_sizes_sequence(), typename X::base_sizes_sequence()));

template <class T>
struct tuple_of;
template <class... T>
struct tuple_of<engine::Types<T...>>
{
  using type = std::tuple<T...>;
};

template <class Y, class X>
constexpr auto
join_base_shapes()
{
  std::array<Size, Y::base_shape.size() + X::base_shape.size()> s{};
  for (size_t i = 0; i < s.size(); i++)
    s[i] = i < Y::base_shape.size() ? Y::base_shape[i] : X::base_shape[i - Y::base_shape.size()];
  return s;
}
template <class Y, class X>
constexpr auto jacobian_base_shape = join_base_shapes<Y, X>();

/// The Jacobian of a Y with respect to an X.
template <class Y, class X>
struct JacobianOf
{
  using type = jacobian_t<Y, X>;
  static constexpr const auto & base_shape = jacobian_base_shape<Y, X>;
};
/// The Jacobians of all Y with respect to all X: first all Jacobians of the first Y, then all of the next.
template <class Y, class... X>
std::tuple<JacobianOf<Y, X>...> jacobians_of(engine::Types<X...>);
template <class... Y, class Xs>
auto jacobians_of(engine::Types<Y...>, Xs x) -> decltype(std::tuple_cat(jacobians_of<Y>(x)...));

/// The base shapes of all results, then of the Jacobians.
template <class... R, class... J>
std::array<TensorShapeRef, sizeof...(R) + sizeof...(J)>
value_and_jacobian_bases(engine::Types<R...>, std::tuple<J...>)
{
  return {TensorShapeRef(R::base_shape)..., TensorShapeRef(J::base_shape)...};
}

template <class... J>
engine::Types<typename J::type...> jacobian_types(std::tuple<J...>);

template <class... J, size_t... I>
auto
as_jacobians(engine::Types<J...>, const at::Tensor * t, Size batch_dim, std::index_sequence<I...>)
{
  return std::tuple<J...>(J(t[I], batch_dim)...);
}

/// The value of a formula and the Jacobians of the results listed in Of with respect to the arguments V, as one operation.
template <class V, class Of, class F, class... A>
struct Differentiation;
template <size_t... V, size_t... Of, class F, class... A>
struct Differentiation<std::index_sequence<V...>, std::index_sequence<Of...>, F, A...>
{
  using Call = engine::Formula<F, A...>;
  using Results = typename Call::Results;
  using Each = typename tuple_of<Results>::type;
  using Tile = packs::JacobianTile<F,
                                   std::index_sequence<V...>,
                                   Results,
                                   engine::Types<A...>,
                                   std::index_sequence<Of...>>;
  using Pairs =
      decltype(jacobians_of(engine::Types<std::tuple_element_t<Of, Each>...>(),
                            engine::Types<std::tuple_element_t<V, std::tuple<A...>>...>()));
  using Jacobians = decltype(jacobian_types(std::declval<Pairs>()));
  using All = decltype(std::tuple_cat(std::declval<Each>(),
                                      std::declval<typename tuple_of<Jacobians>::type>()));
  static constexpr size_t count = Call::count, jacobians = sizeof...(Of) * sizeof...(V);
  static_assert(sizeof...(A) + count + jacobians <= size_t(engine::max_operands),
                "value_and_jacobian: too many arguments and results");

  static auto bases() { return value_and_jacobian_bases(Results(), Pairs()); }

  /// Calls use(operation, operands, batch, rows, composed). composed(results) evaluates the formula where no loop and no kernel can run.
  template <class Use>
  static void with(const char * name, const Use & use, const F & f, const A &... a)
  {
    const Operation op(name, core::Accepts::numbers);
    const Operand o[] = {operand(a)...};
    check_operands(op, o);
    const TensorShape batch = broadcast_batch(op, o);
    const auto record = [&] { return engine::recorded_formula<A...>(f); };
    const Recording recording(record);
    const auto composed = [&](at::Tensor * r)
    { evaluate_recorded_jacobians(op, recording.formula(), {V...}, {Of...}, o, batch, r); };
    const auto rows = engine::with_device_formula(engine::row_formula<Tile>(f), recording);
    use(op, ArrayRef<Operand>(o), batch, rows, composed);
  }

private:
  struct Recording final : CallRecording
  {
    using CallRecording::CallRecording;
    const engine::RecordedProgram & program() const override
    {
      return this->formula()->jacobian({V...}, {Of...});
    }
  };
};

/// The results of a formula, and a tuple of Jacobians: those of the results listed in Of with respect to the arguments V, first all
/// Jacobians of the first result, then all of the next.
template <class V, class Of, class F, class... A>
auto
differentiate_formula(const F & f, const A &... a)
{
  using D = Differentiation<V, Of, F, A...>;
  std::array<at::Tensor, D::count + D::jacobians> t;
  Size batch_dim = 0;
  const auto bases = D::bases();
  D::with(
      "value_and_jacobian",
      [&](const Operation & op,
          ArrayRef<Operand> o,
          const TensorShape & batch,
          const engine::RowFormula & rows,
          const auto & composed)
      {
        engine::evaluate({op, o, batch, rows, bases, composed, engine::no_gradient}, t.data());
        batch_dim = Size(batch.size());
      },
      f,
      a...);
  return std::pair(engine::as_results<typename D::Call::Result, typename D::Results>(t.data()),
                   as_jacobians(typename D::Jacobians(),
                                t.data() + D::count,
                                batch_dim,
                                std::make_index_sequence<D::jacobians>()));
}

/// Evaluates into existing tensors: the results, then the Jacobians.
template <class V, class Of, class F, class... R, class... A>
void
differentiate_formula_into(const F & f, const std::tuple<R &...> & out, const A &... a)
{
  Differentiation<V, Of, F, A...>::with(
      "value_and_jacobian_out",
      [&](const Operation & op,
          ArrayRef<Operand> o,
          const TensorShape & batch,
          const engine::RowFormula & rows,
          const auto & composed)
      { evaluate_rows_into(op, o, batch, rows, outputs_of(out), composed); },
      f,
      a...);
}
} // namespace math
} // namespace neml2
