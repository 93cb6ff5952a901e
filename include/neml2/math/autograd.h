// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/dual_tiles.h"
#include "neml2/math/vmap.h"

#ifndef AT_PER_OPERATOR_HEADERS // autograd's headers bring every operator without it
#define AT_PER_OPERATOR_HEADERS
#define NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#endif
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>
#ifdef NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#undef AT_PER_OPERATOR_HEADERS
#undef NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#endif

#include <algorithm>
#include <mutex>

/**
 * Gradients of what the fused loop evaluates.
 *
 * One inclusion in a program, in a source file that is linked into it, is enough to have vmap's forward
 * fused also where autograd records it; with_gradient(f) fuses the backward too.
 */
namespace neml2
{
namespace core
{
/// The node of one evaluation in autograd's graph.
class FusedNode : public torch::autograd::Node
{
public:
  using Pointer = decltype(torch::autograd::Edge::function);

  FusedNode(std::shared_ptr<const Gradient> gradient, ArrayRef<at::Tensor> arguments)
    : _gradient(std::move(gradient))
  {
    torch::autograd::edge_list edges;
    edges.reserve(arguments.size());
    _saved.reserve(arguments.size());
    for (const auto & a : arguments)
    {
      edges.push_back(a.requires_grad() ? torch::autograd::impl::gradient_edge(a)
                                        : torch::autograd::Edge());
      _saved.emplace_back(a, /*is_output=*/false);
    }
    set_next_edges(std::move(edges));
  }

  std::string name() const override { return _gradient->name(); }

  void release_variables() override
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto & s : _saved)
      s.reset_data();
  }

  torch::autograd::variable_list apply(torch::autograd::variable_list && results) override
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t n = _saved.size();
    torch::autograd::variable_list arguments, gradients(n);
    SmallVector<bool, max_operands> needed;
    for (size_t k = 0; k < n; k++)
    {
      arguments.push_back(_saved[k].unpack());
      needed.push_back(task_should_compute_output(k));
    }
    bool any = false;
    for (const auto & g : results)
      any = any || g.defined();
    if (any && !_gradient->backward(results, arguments, needed, gradients.data()))
    {
      gradients.assign(n, at::Tensor());
      differentiate(results, arguments, needed, gradients);
    }
    return gradients;
  }

private:
  /// The gradients by autograd's own operations, differentiable if grad mode is on.
  void differentiate(const torch::autograd::variable_list & results,
                     torch::autograd::variable_list arguments,
                     ArrayRef<bool> needed,
                     torch::autograd::variable_list & gradients) const
  {
    const bool create_graph = c10::GradMode::is_enabled();
    const at::AutoGradMode record(true);
    torch::autograd::variable_list inputs, values(results.size()), outputs, weights;
    for (size_t k = 0; k < arguments.size(); k++)
      if (needed[k])
      { // its own node: an argument given twice must not be counted twice
        arguments[k] = create_graph ? arguments[k].view_as(arguments[k])
                                    : arguments[k].detach().set_requires_grad(true);
        inputs.push_back(arguments[k]);
      }
      else if (!create_graph)
        arguments[k] = arguments[k].detach();
    _gradient->compose(arguments, values.data());
    for (size_t i = 0; i < results.size(); i++)
      if (results[i].defined() && values[i].requires_grad())
      {
        outputs.push_back(values[i]);
        weights.push_back(results[i]);
      }
    if (outputs.empty())
      return;
    const auto found = torch::autograd::grad(outputs,
                                             inputs,
                                             weights,
                                             /*retain_graph=*/create_graph,
                                             create_graph,
                                             /*allow_unused=*/true);
    for (size_t k = 0, i = 0; k < arguments.size(); k++)
      if (needed[k])
        gradients[k] = found[i++];
  }

  std::shared_ptr<const Gradient> _gradient;
  std::vector<torch::autograd::SavedVariable> _saved;
};

/// LibTorch 2.12 and older share nodes by std::shared_ptr, newer ones by c10::intrusive_ptr.
template <class Pointer, class N, class... A>
Pointer
make_node(A &&... a)
{
  if constexpr (std::is_same_v<Pointer, std::shared_ptr<torch::autograd::Node>>)
    return Pointer(new N(std::forward<A>(a)...), [](auto * node) { deleteNode(node); });
  else
    return c10::make_intrusive<N>(std::forward<A>(a)...);
}

inline void
record_fused(std::shared_ptr<const Gradient> gradient,
             ArrayRef<at::Tensor> arguments,
             at::Tensor * results,
             size_t count)
{
  const auto node = make_node<FusedNode::Pointer, FusedNode>(std::move(gradient), arguments);
  for (size_t i = 0; i < count; i++)
    torch::autograd::impl::set_gradient_edge(results[i],
                                             {node, node->add_input_metadata(results[i])});
}

inline const bool records_gradients = [] // by the first of several shared libraries
{
  RecordGradient none = nullptr;
  return record_gradient.compare_exchange_strong(none, record_fused) || true;
}();

/// The gradients of an operation by its derivative rule: for each argument a function of the result's
/// gradient and all arguments, on whole batches, which autograd can record again. Plain numbers have
/// nullptr.
template <class Result, class Arguments, class Functions>
class RuleGradient;
template <class Result, class... A, class... Functions>
class RuleGradient<Result, Types<A...>, Types<Functions...>> : public Gradient
{
  static_assert(sizeof...(A) == sizeof...(Functions), "a rule needs a function for each argument");

public:
  explicit RuleGradient(const char * operation, const Functions &... f)
    : _name(std::string(operation) + "Backward"), _functions(f...)
  {
  }
  const char * name() const override { return _name.c_str(); }
  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const override
  {
    backward(Result(results[0]), arguments, needed, gradients, std::index_sequence_for<A...>());
    return true;
  }
  void compose(ArrayRef<at::Tensor>, at::Tensor *) const override {} // never asked for

private:
  template <class T>
  static constexpr Size numbers_of()
  {
    if constexpr (is_primitive<T>)
      return T::const_base_numel;
    else
      return 1;
  }
  static constexpr Size numbers = std::max({numbers_of<Result>(), numbers_of<A>()...});

  /// What slab s has of an argument.
  template <class T>
  static T of(const Slabs & slabs, const T & x, Size s)
  {
    if constexpr (std::is_arithmetic_v<T>)
      return x;
    else
      return slabs.count == 1 ? x : T(slabs.of(x, x.batch_dim(), s));
  }

  template <size_t... I>
  void backward(const Result & g,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients,
                std::index_sequence<I...>) const
  {
    const std::tuple<A...> a(kept_argument<A>(arguments[I])...);
    const Operand o[] = {operand(g), operand(std::get<I>(a))...};
    // A graph is recorded of whole batches.
    const bool may_cut = !c10::GradMode::is_enabled() && choose_path(o) != Path::composed;
    const auto one = [&](const auto & f, size_t k)
    {
      if constexpr (!std::is_null_pointer_v<std::decay_t<decltype(f)>>)
        if (needed[k])
        {
          const Slabs slabs(o[0].batch(), o[k + 1].batch(), numbers);
          gradients[k] =
              may_cut && slabs.dim != 0
                  ? sum_of_slabs(
                        slabs,
                        arguments[k],
                        o[k + 1].batch_dim,
                        [&](Size s)
                        { return at::Tensor(f(of(slabs, g, s), of(slabs, std::get<I>(a), s)...)); })
                  : at::Tensor(f(g, std::get<I>(a)...)).sum_to_size(arguments[k].sizes());
        }
    };
    (one(std::get<I>(_functions), I), ...);
  }

  std::string _name;
  std::tuple<Functions...> _functions;
};

/// Gives the operation of this name a rule, unless a shared library has done so before; see tensors/gradients.h.
template <class Result, class... A, class... Functions>
bool
add_gradient_rule(const char * operation, const Functions &... f)
{
  using Rule = RuleGradient<Result, Types<A...>, Types<Functions...>>;
  auto & rules = gradient_rules<Result, A...>;
  if (find_rule(rules, operation))
    return true;
  auto * rule = new GradientRule{operation, std::make_shared<Rule>(operation, f...), rules.load()};
  while (!rules.compare_exchange_weak(rule->next, rule)) // never freed: as long as the program
    ;
  return true;
}

/// The gradients of a formula by dual numbers, one fused pass an argument.
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
  static_assert(sizeof...(A) + Call::count < size_t(max_operands),
                "with_gradient: there may be 15 arguments and results in all");

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
    if (choose_path(o) != Path::fused || batch.size() > size_t(max_dims))
      return false;
    (backward_by<I>(o, batch, needed[I], gradients[I]), ...);
    return true;
  }

  template <size_t I>
  void
  backward_by(ArrayRef<Operand> o, TensorShapeRef batch, bool needed, at::Tensor & gradient) const
  {
    using Argument = std::tuple_element_t<I, std::tuple<A...>>;
    if constexpr (!std::is_arithmetic_v<Argument>)
    {
      using Tile = VectorJacobianTile<F, int(I), typename Call::Results, Types<A...>>;
      const RowFormula formula = row_formula<Tile>(this->_f);
      if (!needed)
        return;
      const Slabs slabs(batch, o[I].batch(), Tile::numbers);
      gradient =
          slabs.dim == 0
              ? vector_jacobian(formula, o, batch, o[I])
              : sum_of_slabs(slabs,
                             *o[I].tensor,
                             o[I].batch_dim,
                             [&](Size s) { return gradient_of_slab(formula, o, I, slabs, s); });
    }
  }

  /// The gradient by argument k of slab s of the operands.
  static at::Tensor gradient_of_slab(
      const RowFormula & formula, ArrayRef<Operand> o, size_t k, const Slabs & slabs, Size s)
  {
    std::array<at::Tensor, max_operands> tensors;
    SmallVector<Operand, max_operands> part(o.begin(), o.end());
    for (size_t i = 0; i < o.size(); i++)
      if (o[i].tensor)
      {
        tensors[i] = slabs.of(*o[i].tensor, o[i].batch_dim, s);
        part[i].tensor = &tensors[i];
      }
    return vector_jacobian(formula, part, broadcast_batch("vmap", part), part[k]);
  }
};

/// A formula whose gradient is fused too.
template <class F>
struct WithGradient
{
  using gradient_of = F;
  static_assert(
      std::is_empty_v<F>,
      "with_gradient: the formula must not capture: what it captures may be gone when the "
      "gradient is computed. Pass parameters as arguments");
  F f;

  template <class... A>
  NEML2_INLINE auto operator()(const A &... a) const
  {
    return f(a...);
  }
  template <class... A>
  std::shared_ptr<const Gradient> gradient() const
  {
    return std::make_shared<DualGradient<F, A...>>(f);
  }
};
} // namespace core

/**
 * The formula f, for vmap to compute its gradients fused as well: exact vector-Jacobian products by
 * dual numbers, one pass over memory for each argument that requires grad.
 *
 * Higher derivatives (create_graph) are LibTorch's own of the formula on whole batches. Costs compile
 * time: a derivative of the formula for each argument. f must not capture: pass parameters as arguments.
 */
template <class F>
core::WithGradient<F>
with_gradient(const F & f)
{
  return {f};
}
} // namespace neml2
