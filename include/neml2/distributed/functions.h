// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/distributed/tree_sum.h"

#include <functional>

/**
 * Functions of a tensor that all processes have, or that is divided among them. Autograd records a derivative for each
 * function: gather and part are the derivatives of each other, and add and expand are, too. The divided dimension is
 * always the first.
 */
namespace neml2::distributed
{
using Derivative = std::function<at::Tensor(const at::Tensor &)>;

/// A node of autograd's graph for a function of one tensor.
class DistributedNode : public torch::autograd::Node
{
public:
  DistributedNode(const char * name, Derivative derivative, const at::Tensor & x)
    : _name(name), _derivative(std::move(derivative))
  {
    set_next_edges({torch::autograd::impl::gradient_edge(x)});
  }
  std::string name() const override { return _name; }
  torch::autograd::variable_list apply(torch::autograd::variable_list && gradients) override
  {
    // An undefined gradient means zero. The derivative is still computed, because other processes may wait for it.
    const at::Tensor & g = gradients[0];
    return {_derivative(g.defined() ? g : input_metadata(0).zeros_like())};
  }

private:
  const char * _name;
  Derivative _derivative;
};

inline bool
is_recorded(const at::Tensor & x)
{
  return c10::GradMode::is_enabled() && x.requires_grad();
}

/// f(x), for which autograd records the given derivative.
template <class F>
at::Tensor
differentiated(const char * name, const at::Tensor & x, const F & f, Derivative derivative)
{
  at::Tensor result;
  {
    const at::NoGradGuard no_grad;
    result = f(x.detach()).detach();
  }
  if (is_recorded(x))
  {
    const auto node = engine::make_node<engine::FusedNode::Pointer, DistributedNode>(
        name, std::move(derivative), x);
    torch::autograd::impl::set_gradient_edge(result, {node, node->add_input_metadata(result)});
  }
  return result;
}

/// The position of the first entry of process k.
inline Size
begin_of(const Counts & counts, int k)
{
  return std::accumulate(counts.begin(), counts.begin() + k, Size(0));
}

/// The shape and dtype of a part as text, with n in place of the number of entries.
inline std::string
described(const at::Tensor & part, Size n_at = 0)
{
  std::ostringstream s;
  s << '(';
  for (Size i = 0; i < part.dim(); i++)
    if (i == n_at)
      s << (i ? ", n" : "n");
    else
      s << (i ? ", " : "") << part.size(i);
  s << ") " << core::dtype_name(part.scalar_type());
  return s.str();
}

/// Checks that all processes compute the same derivative. Messages of the returned processes contain the derivative's name.
inline Processes
in_derivative(const Processes & p, const char * name, const at::Tensor & g, const Counts & counts)
{
  std::ostringstream s;
  s << name << " of a gradient " << described(g) << ", parts of";
  for (const Size n : counts)
    s << ' ' << n;
  const Processes q = p.named(name);
  q.agree(s.str());
  return q;
}

at::Tensor part(const Processes & p, const at::Tensor & x, const Counts & counts);
at::Tensor expand(const Processes & p, const at::Tensor & x, const Counts & counts);

/// All parts, joined in the order of the ranks.
inline at::Tensor
gather(const Processes & p, const at::Tensor & x, const Counts & counts)
{
  return differentiated(
      "gather_batch",
      x,
      [&](const at::Tensor & y) { return p.gather(y, counts); },
      [=](const at::Tensor & g) { return part(p, g, counts); });
}

/// The part of this process.
inline at::Tensor
part(const Processes & p, const at::Tensor & x, const Counts & counts)
{
  return differentiated(
      "scatter_batch",
      x,
      [&](const at::Tensor & y)
      { return y.narrow(0, begin_of(counts, p.rank()), counts[size_t(p.rank())]); },
      [=](const at::Tensor & g)
      { return gather(in_derivative(p, "backward of scatter_batch", g, counts), g, counts); });
}

/// Σ over all parts.
inline at::Tensor
add(const Processes & p, const at::Tensor & x, const Counts & counts)
{
  return differentiated(
      "batch_sum",
      x,
      [&](const at::Tensor & y) { return tree_sum(p, y, counts); },
      [=](const at::Tensor & g) { return expand(p, g, counts); });
}

/// Σ over all parts, computed in float32 for float16 and bfloat16, and in int64 for integers.
inline at::Tensor
accumulate(const Processes & p, const at::Tensor & x, const Counts & counts)
{
  const auto dtype = x.scalar_type();
  if (dtype == kFloat16 || dtype == c10::kBFloat16)
    return add(p, x.to(kFloat32), counts).to(dtype);
  return add(p, c10::isIntegralType(dtype, /*includeBool=*/true) ? x.to(kInt64) : x, counts);
}

/// Repeats a tensor that all processes have, once per entry of this process.
inline at::Tensor
expand(const Processes & p, const at::Tensor & x, const Counts & counts)
{
  return differentiated(
      "expand_batch",
      x,
      [&](const at::Tensor & y)
      {
        TensorShape shape(y.sizes().begin(), y.sizes().end());
        shape.insert(shape.begin(), counts[size_t(p.rank())]);
        return y.expand(shape);
      },
      [=](const at::Tensor & g)
      { return accumulate(in_derivative(p, "backward of expand_batch", g, counts), g, counts); });
}

/// The largest or smallest value in all parts, which must not all be empty; equal values share the derivative.
inline at::Tensor
extremum(const Processes & p, const at::Tensor & x, const Counts & counts, bool largest)
{
  const auto of = [largest](const at::Tensor & y) { return largest ? y.amax(0) : y.amin(0); };
  Counts found;
  for (const Size n : counts)
    found.push_back(n > 0);
  const at::Tensor mine = x.detach();
  const at::Tensor result = of(p.gather(x.size(0) ? of(mine).unsqueeze(0) : mine, found));
  if (!is_recorded(x))
    return result;
  const at::Tensor equal = mine.eq(result);
  const Counts one(size_t(p.size()), 1);
  const at::Tensor number = p.gather(equal.sum(0).unsqueeze(0), one).sum(0);
  return differentiated(
      p.name(),
      x,
      [&](const at::Tensor &) { return result; },
      [=](const at::Tensor & g) { return expand(p, g, counts) * equal / number; });
}

/// This process's part of the tensor x of the source. In the other processes x is an empty stand-in for that tensor.
inline at::Tensor
part_from(const Processes & p, const at::Tensor & x, const Counts & counts, int source)
{
  return differentiated(
      "scatter_batch",
      x,
      [&](const at::Tensor & y)
      {
        TensorShape shape(y.sizes().begin(), y.sizes().end());
        shape[0] = counts[size_t(p.rank())];
        return p.scatter(y, at::empty(shape, y.options()), counts, source);
      },
      [=, is_source = p.rank() == source](const at::Tensor & g)
      {
        NEML2_CHECK(!c10::GradMode::is_enabled(),
                    "scatter_batch: with a source it has only first derivatives. Scatter a batch "
                    "that all processes have, or call grad without create_graph.");
        const at::Tensor whole =
            in_derivative(p, "backward of scatter_batch", g, counts).gather_to(g, counts, source);
        return is_source ? whole : g.slice(0, 0, 0);
      });
}
} // namespace neml2::distributed
