// SPDX-License-Identifier: MIT
#include "support/derivatives.h"

namespace neml2::test
{
namespace
{
/// The gradient by central differences: exact except for rounding and a term in the third
/// derivative.
Arguments
difference_quotient(const Formula & y, const Arguments & x)
{
  constexpr double h = 1e-5;
  Arguments g;
  for (size_t k = 0; k < x.size(); k++)
  {
    g.push_back(at::zeros_like(x[k]));
    for (int64_t i = 0; i < x[k].numel(); i++)
    {
      const auto shifted = [&](double step)
      {
        Arguments z;
        for (const auto & t : x)
          z.push_back(t.detach().clone());
        z[k].view(-1)[i] += step;
        return y(z).item<double>();
      };
      g[k].view(-1)[i] = (shifted(h) - shifted(-h)) / (2 * h);
    }
  }
  return g;
}

Arguments
like(const Arguments & tensors)
{
  Arguments r;
  for (const auto & t : tensors)
    r.push_back(at::rand(t.sizes(), at::kDouble) + 0.5);
  return r;
}

Verdict
compare_gradients(const char * which,
                  const Operation & op,
                  const Arguments & a,
                  const Arguments & b)
{
  for (size_t k = 0; k < a.size(); k++)
    if (const auto d = difference(a[k], b[k], 1e-7); !d.empty())
      return no("The ",
                which,
                " derivative of ",
                op.name,
                " by argument ",
                k,
                " and its difference quotient have ",
                d);
  return {};
}

/// Arguments of two batch entries; two or more arguments broadcast with one another. They are the same
/// in every run: random ones would sometimes be closer to a kink than the step of a difference
/// quotient.
Arguments
differentiated_arguments(const Operation & op)
{
  at::manual_seed(1);
  return arguments(op, op.count() > 1 ? Batches{{2, 1}, {3}} : Batches{{2}});
}
} // namespace

at::Tensor
project(const Arguments & tensors, const Arguments & weights)
{
  at::Tensor sum = at::zeros({}, at::kDouble);
  for (size_t k = 0; k < tensors.size(); k++)
    sum = sum + (tensors[k] * weights[k]).sum();
  return sum;
}

Arguments
gradient(const at::Tensor & y, const Arguments & x, bool create_graph)
{
  Arguments g;
  if (y.requires_grad())
    g = torch::autograd::grad(
        {y}, x, {}, /*retain_graph=*/true, create_graph, /*allow_unused=*/true);
  g.resize(x.size());
  for (size_t k = 0; k < x.size(); k++)
    if (!g[k].defined())
      g[k] = at::zeros_like(x[k]);
  return g;
}

Arguments
tracked(const Arguments & x)
{
  Arguments r;
  for (const auto & t : x)
    r.push_back(t.detach().requires_grad_());
  return r;
}

Verdict
first_derivatives_are_right(const Operation & op)
{
  const auto x = differentiated_arguments(op);
  const auto weight = like({op.call(x)});
  const Formula projection = [&](const Arguments & z) { return project({op.call(z)}, weight); };
  const auto z = tracked(x);
  return compare_gradients(
      "first", op, gradient(projection(z), z, false), difference_quotient(projection, x));
}

Verdict
second_derivatives_are_right(const Operation & op)
{
  const auto x = differentiated_arguments(op);
  const auto weight = like({op.call(x)}), direction = like(x);
  const Formula slope = [&](const Arguments & z)
  {
    const auto t = z[0].requires_grad() ? z : tracked(z);
    return project(gradient(project({op.call(t)}, weight), t, true), direction);
  };
  const auto z = tracked(x);
  return compare_gradients(
      "second", op, gradient(slope(z), z, false), difference_quotient(slope, x));
}
} // namespace neml2::test
