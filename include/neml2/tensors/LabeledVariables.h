// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/jacobian.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/LabeledMatrix.h"

/// Labeled variables as arguments and results of formulas. Labels cost no more than a view.
namespace neml2
{
namespace tensors
{
/// The type of a variable: the name of the type, and its base shape.
struct VariableType
{
  const char * name;
  TensorShapeRef base;
};

/// Some variables of an axis: their ranges and names, and whether they cover the whole axis.
struct VariableRanges
{
  std::vector<AxisRange> of;
  std::vector<LabeledAxisAccessor> names;
  bool are_all;
};
/// Finds variables by name, and checks their sizes.
/// @throws NEMLException if there is not exactly one name per type, if the axis has no variable of one of the names, if
/// a name is given twice, or if a variable does not have as many entries as its type.
VariableRanges variable_ranges(const LabeledAxis & axis,
                               indexing::TensorLabelsRef names,
                               ArrayRef<VariableType> types);

/// A view of the block of a row variable and a column variable. It has the base shapes of both variables:
/// (batch; m, n) -> (batch; row_base, column_base).
at::Tensor variable_block(const Tensor & matrix,
                          const AxisRange & rows,
                          TensorShapeRef row_base,
                          const AxisRange & columns,
                          TensorShapeRef column_base);

/// Properties of the result of a formula of labeled variables: batch shape, options, and whether autograd records the
/// result.
struct LabeledResult
{
  TensorShape batch;
  TensorOptions options;
  bool recorded;

  explicit LabeledResult(ArrayRef<Operand> arguments);
};

/// A new vector or matrix, filled with zeros unless all of it will be written.
template <class L>
L
labeled_result(const LabeledResult & r, bool is_written, const typename L::AxisPointers & axes)
{
  return is_written ? L::empty(r.batch, axes, r.options) : L::zeros(r.batch, axes, r.options);
}
} // namespace tensors

/**
 * Some variables of an axis, selected by name and type. Formulas read them from labeled vectors, and write them into labeled
 * vectors and matrices, in one pass.
 *
 *     const LabeledVariables<SR2, Scalar> unknowns(state, {"stress", {"internal", "plastic_strain"}});
 *     const LabeledVariables<SR2, Scalar> equations(residual, {"elasticity", "yield"});
 *     const auto [r, J] = equations.value_and_jacobian<0>(unknowns, system, unknowns.of(x), strain);
 */
template <class... T>
class LabeledVariables
{
  static_assert(
      (core::is_primitive<T> && ...) && sizeof...(T) > 0,
      "LabeledVariables<T...>: name types that fix their base shapes (Scalar, Vec, SR2, ...)");

public:
  /// @throws NEMLException if there is not exactly one name per type, if the axis has no variable of one of the names, if
  /// a name is given twice, if a variable does not have as many entries as its type, or before setup_layout().
  LabeledVariables(const LabeledAxis & axis, indexing::TensorLabelsRef names)
    : _axis(axis), _ranges(tensors::variable_ranges(axis, names, types()))
  {
  }

  const LabeledAxis & axis() const { return _axis; }

  /// The variables of a vector, as views. (batch; size of the axis) -> (batch; base of T) for each T
  /// @throws NEMLException if the vector is labeled by another axis.
  std::tuple<T...> of(const LabeledVector & x) const
  {
    NEML2_CHECK(x.axis() == _axis,
                "LabeledVariables: the axis of the vector is not the axis of these variables.");
    return of(x, std::index_sequence_for<T...>());
  }

  /// Evaluates a formula by vmap. Returns a new vector with the results as these variables; all other entries are 0.
  /// (batch; ...) -> (batch; size of the axis)
  /// @throws NEMLException as vmap does.
  template <class F, class... A>
  [[nodiscard]] LabeledVector vmap(const F & f, const A &... a) const
  {
    const auto result = evaluation_of(a...);
    if (result.recorded) // vmap_out throws if autograd would have to record the result
      return assembled(neml2::vmap(f, a...), std::index_sequence_for<T...>());
    const auto y = tensors::labeled_result<LabeledVector>(result, _ranges.are_all, {&_axis});
    auto variables = of(y);
    if constexpr (engine::is_group<engine::returned_t<F, A...>>)
      vmap_out(kernels::fields(variables), f, a...);
    else
      vmap_out(std::get<0>(variables), f, a...);
    return y;
  }

  /// Evaluates a formula and its exact Jacobian with respect to argument I, which is the std::tuple of the unknowns.
  /// Returns a new vector with the results as these variables, and a new matrix with the blocks of the Jacobian at their
  /// places. All other entries are 0.
  /// (batch; ...) -> (batch; m), (batch; m, n) for axes of sizes m and n
  /// @throws NEMLException as value_and_jacobian does.
  template <size_t I, class... X, class F, class... A>
  [[nodiscard]] std::pair<LabeledVector, LabeledMatrix>
  value_and_jacobian(const LabeledVariables<X...> & unknowns, const F & f, const A &... a) const
  {
    constexpr bool fits =
        std::is_same_v<std::tuple_element_t<I, std::tuple<A...>>, std::tuple<X...>>;
    static_assert(fits,
                  "value_and_jacobian<I>(unknowns, ...): argument I of the formula must be the "
                  "std::tuple of the "
                  "unknowns, as unknowns.of(x)");
    if constexpr (fits)
    {
      constexpr auto rows = std::index_sequence_for<T...>();
      constexpr auto columns = std::index_sequence_for<X...>();
      const auto result = evaluation_of(a...);
      if (result.recorded)
      {
        const auto [value, jacobian] = neml2::value_and_jacobian<I>(f, a...);
        return {assembled(value, rows), assembled_matrix(unknowns, jacobian)};
      }
      const bool are_all = _ranges.are_all && unknowns._ranges.are_all;
      const auto y = tensors::labeled_result<LabeledVector>(result, _ranges.are_all, {&_axis});
      const auto J =
          tensors::labeled_result<LabeledMatrix>(result, are_all, {&_axis, &unknowns._axis});
      auto outputs = std::tuple_cat(of(y), blocks(unknowns, J, rows, columns));
      value_and_jacobian_out<I>(kernels::fields(outputs), f, a...);
      return {y, J};
    }
  }

private:
  template <class... Y>
  friend class LabeledVariables;

  static std::array<tensors::VariableType, sizeof...(T)> types()
  {
    return {tensors::VariableType{T::type_name, T::base_shape}...};
  }

  template <class... A>
  static tensors::LabeledResult evaluation_of(const A &... a)
  {
    return std::apply(
        [](const auto &... leaf)
        {
          const core::Operand o[] = {core::operand(leaf)...};
          return tensors::LabeledResult(o);
        },
        engine::all_leaves(a...));
  }

  template <size_t... I>
  std::tuple<T...> of(const LabeledVector & x, std::index_sequence<I...>) const
  {
    return {tensors::block_as<T>(tensors::block_of(x.tensor(), std::array{_ranges.of[I]}))...};
  }

  /// Views of the blocks of the matrix: all blocks of the first row variable, then all blocks of the second, and so on.
  template <class... X, size_t... I, size_t... J>
  auto blocks(const LabeledVariables<X...> & unknowns,
              const LabeledMatrix & matrix,
              std::index_sequence<I...>,
              std::index_sequence<J...> columns) const
  {
    return std::tuple_cat(row_of_blocks<T>(unknowns, matrix, _ranges.of[I], columns)...);
  }
  template <class Y, class... X, size_t... J>
  static std::tuple<math::jacobian_t<Y, X>...>
  row_of_blocks(const LabeledVariables<X...> & unknowns,
                const LabeledMatrix & matrix,
                const AxisRange & rows,
                std::index_sequence<J...>)
  {
    const Size batch_dim = matrix.tensor().batch_dim();
    return {math::jacobian_t<Y, X>(
        tensors::variable_block(
            matrix.tensor(), rows, Y::base_shape, unknowns._ranges.of[J], X::base_shape),
        batch_dim)...};
  }

  template <class Value, size_t... I>
  LabeledVector assembled(const Value & value, std::index_sequence<I...>) const
  {
    const auto leaves = engine::Group<Value>::leaves(value);
    return LabeledVector::assemble(_axis, {{_ranges.names[I], Tensor(std::get<I>(leaves))}...});
  }
  template <class... X, class Jacobian>
  LabeledMatrix assembled_matrix(const LabeledVariables<X...> & unknowns,
                                 const Jacobian & jacobian) const
  {
    std::vector<LabeledMatrix::Block> blocks;
    std::apply(
        [&](const auto &... leaf)
        {
          size_t k = 0;
          ((blocks.push_back({_ranges.names[k / sizeof...(X)],
                              unknowns._ranges.names[k % sizeof...(X)],
                              Tensor(leaf)}),
            k++),
           ...);
        },
        engine::Group<Jacobian>::leaves(jacobian));
    return LabeledMatrix::assemble(_axis, unknowns._axis, blocks);
  }

  LabeledAxis _axis;
  tensors::VariableRanges _ranges;
};
} // namespace neml2

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/LabeledVariables-inl.h"
#endif
