// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula.h"
#include "neml2/engine/slabs.h"
#include "neml2/engine/vector_jacobian.h"

/// Gradients of the caller's formulas, computed with dual numbers.
namespace neml2::engine
{
/// The gradients of a formula, computed with dual numbers in one fused pass per argument.
template <class F, class... A>
class DualGradient : public FormulaGradient<F, A...>
{
public:
  using FormulaGradient<F, A...>::FormulaGradient;

  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const override
  {
    return backward(results, arguments, needed, gradients, std::index_sequence_for<A...>());
  }

private:
  using Call = Formula<F, A...>;
  template <size_t I>
  using Tile = VectorJacobianTile<F, int(I), typename Call::Results, Types<A...>>;

  /// Whether this machine has a loop for the gradient by argument I.
  template <size_t I>
  static bool has_loop()
  {
    if constexpr (std::is_arithmetic_v<std::tuple_element_t<I, std::tuple<A...>>>)
      return true;
    else
      return tile_loop<Tile<I>>().run != nullptr;
  }

  static_assert(sizeof...(A) + Call::count < size_t(max_operands),
                "with_gradient: there may be 127 arguments and results in all");

  template <size_t... I>
  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients,
                std::index_sequence<I...>) const
  {
    const std::tuple<A...> a(kept_argument<A>(arguments[I])...);
    SmallVector<Operand, max_operands> o{operand(std::get<I>(a))...};
    const TensorShape batch = broadcast_batch("vmap", o);
    const auto bases = base_shapes(typename Call::Results());
    std::array<at::Tensor, Call::count> g;
    for (size_t i = 0; i < Call::count; i++)
    {
      g[i] = results[i].defined() ? results[i] : at::zeros(bases[i], first_tensor(o).options());
      o.push_back({&g[i], "gradient", g[i].dim() - Size(bases[i].size()), bases[i]});
    }
    const bool on_cpu = (has_loop<I>() && ...) && choose_path(o) == Path::fused;
    if ((!on_cpu && choose_device_path(o) != Path::fused) || batch.size() > size_t(max_dims))
      return false;
    return ((!needed[I] || backward_by<I>(o, batch, on_cpu, gradients[I])) && ...);
  }

  /// Returns false on a device without a kernel.
  template <size_t I>
  bool
  backward_by(ArrayRef<Operand> o, TensorShapeRef batch, bool on_cpu, at::Tensor & gradient) const
  {
    using Argument = std::tuple_element_t<I, std::tuple<A...>>;
    if constexpr (!std::is_arithmetic_v<Argument>)
    {
      const RowFormula formula = row_formula<Tile<I>>(this->_f);
      if (on_cpu)
        gradient = gradient_over_batch(formula, o, batch, I);
      else if (const DeviceFormula * const d = device_formula(formula))
        gradient = d->gradient(o, batch, I, formula.numbers);
    }
    return gradient.defined() || std::is_arithmetic_v<Argument>;
  }
};

/// A formula whose gradient is fused too.
template <class F>
struct WithGradient
{
  static constexpr bool has_fused_gradient = true, in_float32 = is_in_float32<F>;
  static_assert(
      kernels::holds_only_numbers<F>() || (is_in_float32<F> && is_kept<F>),
      "with_gradient: the formula must not capture: captured values may be gone when the "
      "gradient is computed. Pass parameters as arguments, or write a struct whose fields are "
      "plain numbers");
  F f;

  template <class... A>
  NEML2_CALLS_FORMULA auto operator()(const A &... a) const
  {
    return f(a...);
  }
  /// The gradient of a function g, which is this formula or calls it.
  template <class... A, class G>
  std::shared_ptr<const Gradient> gradient_by_duals(const G & g) const
  {
    return std::make_shared<DualGradient<G, A...>>(g);
  }
};
template <class F>
struct TextOf<WithGradient<F>> : TextOf<F>
{
};
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library contains autograd's node
#include "neml2/engine/autograd.h"
#endif
