// SPDX-License-Identifier: MIT
#include "support/gradients.h"
#include "support/derivatives.h"
#include "support/parity.h"

#include <torch/csrc/autograd/function.h>

namespace neml2::test
{
namespace
{
/// One case: the arguments, those of them that need a gradient (all, or one), and the gradient by
/// the result.
struct Differentiated
{
  Arguments plain;
  std::vector<size_t> needed;
  at::Tensor weight;
};

/// Case n for these arguments: the layouts in memory and the arguments that need gradients depend on n.
Differentiated
differentiated(const Operation & op, const Batches & batches, Dtype dtype, size_t n)
{
  Differentiated d{arguments(op, batches, dtype), {}, {}};
  for (size_t k = 0; k < op.count(); k++)
  {
    if (n % (op.count() + 1) == op.count() || n % (op.count() + 1) == k)
      d.needed.push_back(k);
    d.plain[k] = lay_out(Layout((n + k) % layouts), d.plain[k], op.base[k].size());
  }
  const auto y = op.call(d.plain);
  const at::Tensor weight = at::rand(y.sizes(), at::kDouble).to(dtype) + 0.5;
  d.weight = lay_out(Layout((n / 2) % layouts), weight, size_t(y.base_dim()));
  return d;
}

/// Derivatives of the operation from its node in autograd's graph.
struct Derivatives
{
  std::string node;
  Arguments first;  ///< gradients by the needed arguments
  Arguments second; ///< gradients of a weighted sum of them, by the needed arguments and the weight
};

Derivatives
derivatives(const Operation & op, const Differentiated & d, bool twice)
{
  Arguments a = d.plain, x;
  for (auto & t : a)
    t = t.detach();
  for (const auto k : d.needed)
    x.push_back(a[k].requires_grad_());
  const at::Tensor weight = d.weight.detach().requires_grad_(twice), y = op.call(a);
  Derivatives r;
  r.node = y.grad_fn() ? y.grad_fn()->name() : "";
  r.first = torch::autograd::grad({y}, x, {weight}, true, twice, true);
  if (!twice)
    return r;
  at::Tensor slope = at::zeros({}, weight.options());
  for (const auto & g : r.first)
    if (g.defined())
      slope = slope + (g * (at::arange(g.numel(), g.options()).reshape(g.sizes()) + 1)).mean();
  x.push_back(weight);
  r.second = gradient(slope, x, false);
  return r;
}

Verdict
compare_derivatives(const char * which,
                    const Operation & op,
                    const Differentiated & d,
                    const Arguments & fused,
                    const Arguments & composed)
{
  const double tolerance = d.weight.scalar_type() == at::kDouble ? 1e-10 : 1e-3;
  for (size_t i = 0; i < fused.size(); i++)
  {
    if (fused[i].defined() != composed[i].defined())
      return no("The ", which, " gradient of ", op.name, " is undefined on one path only");
    if (!fused[i].defined())
      continue;
    if (const auto text = difference(fused[i], composed[i], tolerance); !text.empty())
      return no("The ",
                which,
                " derivative ",
                i,
                " of ",
                op.name,
                " by its rule and composed are ",
                text,
                "\nfor",
                describe(d.plain),
                " and the gradient",
                describe({d.weight}));
  }
  return {};
}
} // namespace

Verdict
gradients_are_fused_and_right(const Operation & op)
{
  const at::AutoGradMode grad(true);
  size_t n = 0;
  for (const auto dtype : {at::kDouble, at::kFloat})
    for (const auto & batches : batches_for(op))
      for (int layout = 0; layout < layouts; layout++, n++)
      {
        const auto d = differentiated(op, batches, dtype, n);
        const bool twice = dtype == at::kDouble && (layout == 0 || layout == int(n / 7) % layouts);
        const auto fused = derivatives(op, d, twice);
        if (fused.node != op.name + "Backward")
          return no(op.name, " is recorded as ", fused.node, " for", describe(d.plain));
        const auto composed = [&]
        {
          const WithoutGradientRules guard;
          return derivatives(op, d, twice);
        }();
        if (composed.node == fused.node)
          return no(op.name, " takes the fused path although there are no rules");
        if (auto v = compare_derivatives("first", op, d, fused.first, composed.first); !v)
          return v;
        if (auto v = compare_derivatives("second", op, d, fused.second, composed.second); !v)
          return v;
      }
  return {};
}
} // namespace neml2::test
