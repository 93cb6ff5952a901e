// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/Gradient.h"
#include "neml2/engine/limits.h"

#ifndef AT_PER_OPERATOR_HEADERS // without it, autograd's headers include every operator
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

#include <mutex>

/// The node of a fused evaluation in autograd's graph. Only this header includes autograd's headers.
namespace neml2::engine
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
  /// Computes the gradients: autograd differentiates the results of compose(). The gradients are differentiable if grad mode is on.
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
      { // a new variable for each argument, so that an argument given twice is not counted twice
        arguments[k] = as_variable(arguments[k], create_graph);
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

// Several shared libraries of a program may contain this variable; only the first library sets record_gradient.
inline const bool records_gradients = []
{
  RecordGradient none = nullptr;
  return record_gradient.compare_exchange_strong(none, record_fused) || true;
}();
} // namespace neml2::engine
