// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/slabs.h"
#include "neml2/engine/vector_jacobian.h"
#include "neml2/math/recorded_gradient.h"

/// Gradients of the caller's formulas, computed with dual numbers, which are numbers with derivatives.
namespace neml2::math
{
/// The gradients of a formula, computed with dual numbers in one fused pass per argument. With create_graph, or where no loop can run, the
/// gradients of the formula's recording are computed instead.
template <class F, class... A>
class DualGradient final : public RecordedGradient
{
public:
  explicit DualGradient(const F & f) : _f(f) {}

  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const override
  {
    return (!c10::GradMode::is_enabled() &&
            backward_by_duals(
                results, arguments, needed, gradients, std::index_sequence_for<A...>())) ||
           RecordedGradient::backward(results, arguments, needed, gradients);
  }

protected:
  std::shared_ptr<const RecordedFormula> formula() const override
  {
    return engine::recorded_formula<A...>(_f);
  }

private:
  F _f;

  using Call = engine::Formula<F, A...>;
  template <size_t I>
  using Tile = packs::VectorJacobianTile<F, int(I), typename Call::Results, engine::Types<A...>>;

  /// Whether this machine has a loop for the gradient with respect to argument I.
  template <size_t I>
  static bool has_loop()
  {
    if constexpr (std::is_arithmetic_v<std::tuple_element_t<I, std::tuple<A...>>>)
      return true;
    else
      return packs::tile_loop<Tile<I>>().run != nullptr;
  }

  static_assert(sizeof...(A) + Call::count < size_t(engine::max_operands),
                "with_gradient: at most 127 arguments and results are allowed in total");

  template <size_t... I>
  bool backward_by_duals(ArrayRef<at::Tensor> results,
                         ArrayRef<at::Tensor> arguments,
                         ArrayRef<bool> needed,
                         at::Tensor * gradients,
                         std::index_sequence<I...>) const
  {
    const std::tuple<A...> a(engine::kept_argument<A>(arguments[I])...);
    SmallVector<Operand, engine::max_operands> o{operand(std::get<I>(a))...};
    const TensorShape batch = broadcast_batch("vmap", o);
    const auto bases = engine::base_shapes(typename Call::Results());
    std::array<at::Tensor, Call::count> g;
    for (size_t i = 0; i < Call::count; i++)
    {
      g[i] = results[i].defined() ? results[i]
                                  : at::zeros(bases[i], engine::first_tensor(o).options());
      o.push_back({&g[i], "gradient", g[i].dim() - Size(bases[i].size()), bases[i]});
    }
    if (!(has_loop<I>() && ...) || engine::choose_path(o) != engine::Path::fused ||
        batch.size() > size_t(engine::max_dims))
      return false;
    (backward_by<I>(o, batch, needed[I], gradients[I]), ...);
    return true;
  }

  template <size_t I>
  void backward_by(ArrayRef<Operand> o,
                   TensorShapeRef batch,
                   bool is_needed,
                   at::Tensor & gradient) const
  {
    if constexpr (!std::is_arithmetic_v<std::tuple_element_t<I, std::tuple<A...>>>)
      if (is_needed)
        gradient = engine::gradient_over_batch(engine::row_formula<Tile<I>>(_f), o, batch, I);
  }
};

/// A formula whose gradients are computed in fused passes, like its value.
template <class F>
struct WithGradient
{
  using FormulaWithin = F;
  static constexpr bool has_fused_gradient = true, owns_what_it_holds = true,
                        in_float32 = engine::is_in_float32<F>;
  static_assert(
      kernels::holds_only_numbers<F>() || (engine::is_in_float32<F> && engine::is_kept<F>),
      "with_gradient: the formula must not capture values: they may be gone when the "
      "gradient is computed. Pass parameters as arguments, or write a struct of up to 16 public "
      "fields that are numbers or enumerations");
  F f;

  template <class... A>
  NEML2_CALLS_FORMULA auto operator()(const A &... a) const
  {
    return f(a...);
  }
  /// The gradient of a function g, which is this formula or calls it.
  template <class... A, class G>
  std::shared_ptr<const engine::Gradient> gradient_by_duals(const G & g) const
  {
    return std::make_shared<DualGradient<G, A...>>(g);
  }
};
} // namespace neml2::math
