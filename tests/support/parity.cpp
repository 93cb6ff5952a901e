// SPDX-License-Identifier: MIT
#include "support/parity.h"

#include <algorithm>

namespace neml2::test
{
namespace
{
/// t with its dimensions in this order in memory.
at::Tensor
in_memory_order(const at::Tensor & t, const std::vector<int64_t> & order)
{
  std::vector<int64_t> back(order.size());
  for (size_t d = 0; d < order.size(); d++)
    back[size_t(order[d])] = int64_t(d);
  return t.permute(order).contiguous().permute(back);
}
} // namespace

at::Tensor
lay_out(Layout layout, const at::Tensor & t, size_t base_dim)
{
  const auto n = size_t(t.dim()), batch_dim = n - base_dim;
  std::vector<int64_t> order(n);
  for (size_t d = 0; d < n; d++)
    order[d] = int64_t(d);
  const auto begin = order.begin(), base = begin + int64_t(batch_dim), end = order.end();
  switch (layout)
  {
  case Layout::contiguous:
    return t;
  case Layout::transposed_base:
    std::reverse(base, end);
    return in_memory_order(t, order);
  case Layout::transposed_batch:
    std::reverse(begin, base);
    return in_memory_order(t, order);
  case Layout::base_outermost:
    std::rotate(begin, base, end);
    return in_memory_order(t, order);
  case Layout::expanded:
  {
    at::Tensor first = t;
    for (size_t d = 0; d < batch_dim; d++)
      first = first.slice(int64_t(d), 0, 1);
    return first.expand(t.sizes());
  }
  case Layout::sliced:
  default:
  {
    std::vector<int64_t> sizes;
    for (const auto s : t.sizes())
      sizes.push_back(2 * s + 1);
    at::Tensor r = at::full(sizes, -1e3, t.options());
    for (int64_t d = 0; d < t.dim(); d++)
      r = r.slice(d, 1, sizes[size_t(d)], 2);
    return r.copy_(t);
  }
  }
}

Verdict
same_on_both_paths(const Operation & op)
{
  const at::AutoGradMode grad(true);
  const WithoutGradientRules composes_what_is_tracked;
  for (const auto dtype : {at::kDouble, at::kFloat})
    for (const auto & batches : batches_for(op))
      for (int layout = 0; layout < layouts; layout++)
        for (size_t mixed = 0; mixed < std::min<size_t>(2, op.count()); mixed++)
        {
          Arguments plain = arguments(op, batches, dtype), tracked;
          for (size_t k = 0; k < plain.size(); k++)
          {
            plain[k] =
                lay_out(Layout((layout + int(mixed * k)) % layouts), plain[k], op.base[k].size());
            tracked.push_back(plain[k].detach().requires_grad_());
          }
          if (!op.fuses(plain))
            return no(op.name, " does not take the fused path for", describe(plain));
          if (op.fuses(tracked))
            return no(op.name, " takes the fused path although a gradient is needed");
          const auto fused = op.call(plain), composed = op.call(tracked);
          if (fused.requires_grad() || !composed.requires_grad())
            return no(op.name, " loses the graph of autograd on the composed path");
          if (fused.batch_dim() != composed.batch_dim())
            return no(op.name,
                      " has ",
                      fused.batch_dim(),
                      " or ",
                      composed.batch_dim(),
                      " batch dimensions");
          if (const auto d = difference(fused, composed, dtype == at::kDouble ? 1e-13 : 1e-5);
              !d.empty())
            return no(op.name, " fused and composed give ", d, "\nfor", describe(plain));
        }
  return {};
}
} // namespace neml2::test
