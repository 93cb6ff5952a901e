// SPDX-License-Identifier: MIT
#pragma once

#include "support/derivatives.h"
#include "support/parity.h"

#include <cmath>
#include <limits>
#include <random>
#include <set>

/// Random chains of operations, each compared with its reference in plain ATen.
namespace neml2::test
{
/// Random choices, which are the same for a seed on every platform.
class Choices
{
public:
  explicit Choices(uint64_t seed) : _engine(seed) {}

  /// A random integer from 0 to n - 1.
  size_t below(size_t n) { return size_t(_engine() % n); }
  int64_t from_to(int64_t first, int64_t last)
  {
    return first + int64_t(below(size_t(last - first + 1)));
  }
  bool once_in(size_t n) { return below(n) == 0; }
  template <class Iterator>
  void shuffle(Iterator begin, Iterator end)
  {
    for (auto n = size_t(end - begin); n > 1; n--)
      std::swap(begin[n - 1], begin[below(n)]);
  }

private:
  std::mt19937_64 _engine;
};

/// Whether there is memory for gaps along every dimension.
inline bool
has_room(const at::Tensor & t)
{
  return t.dim() <= 6;
}

/// t in a random order of memory, with gaps between its entries and before the first.
inline at::Tensor
scattered(const at::Tensor & t, uint64_t seed)
{
  Choices choose(seed);
  std::vector<int64_t> order, back(size_t(t.dim())), sizes;
  for (int64_t d = 0; d < t.dim(); d++)
    order.push_back(d);
  choose.shuffle(order.begin(), order.end());
  for (size_t d = 0; d < order.size(); d++)
  {
    back[size_t(order[d])] = int64_t(d);
    sizes.push_back(t.size(order[d]));
  }
  std::vector<int64_t> step, room = sizes;
  for (auto & n : room)
  {
    step.push_back(has_room(t) ? choose.from_to(1, 2) : 1);
    n = n * step.back() + 1;
  }
  at::Tensor r = at::full(room, -1e3, t.options().requires_grad(false));
  for (size_t d = 0; d < step.size(); d++)
    r = r.slice(int64_t(d), 1, 1 + sizes[d] * step[d], step[d]);
  return r.permute(back).copy_(t);
}

constexpr int all_layouts = layouts + 1;

/// t in one of the layouts; the last choice is scattered.
inline at::Tensor
laid_out(int layout, uint64_t seed, const at::Tensor & t, size_t base_dim)
{
  const bool scatter = layout >= layouts || (Layout(layout) == Layout::sliced && !has_room(t));
  return scatter ? scattered(t, seed) : lay_out(Layout(layout), t, base_dim);
}

/// A tensor of the chain, and the number of its batch dimensions.
struct Link
{
  at::Tensor values;
  int64_t batch_dim;

  TensorShapeRef batch() const { return values.sizes().slice(0, size_t(batch_dim)); }
};

/// How a tensor of the chain becomes an argument.
struct Use
{
  size_t link;
  int64_t first; ///< the component to begin with; after the last one, component 0 follows
  double phase;
  int layout;
  uint64_t memory;
};

/// An argument of this base shape made from any tensor: a smooth function of it, with values for which
/// any operation is defined.
inline at::Tensor
use(const Link & link, const Use & how, TensorShapeRef base, Dtype dtype)
{
  at::Tensor all = link.values.to(kFloat64);
  all = link.batch_dim == all.dim() ? all.unsqueeze(-1) : all.flatten(link.batch_dim);
  const auto n = at::arange(utils::numel(base), kInt64);
  const at::Tensor some = all.index_select(-1, n.add(how.first).remainder(all.size(-1)));
  const at::Tensor u = 0.5 + 0.5 * at::sin(some + (how.phase + 1.7 * n));
  const at::Tensor x = likeable(u.reshape(utils::add_shapes(link.batch(), base)), base).to(dtype);
  return laid_out(how.layout, how.memory, x, base.size());
}

/// One operation, and its arguments: positions in `uses`, where one position may occur several
/// times.
struct Step
{
  const Operation * op;
  std::vector<Use> uses;
  std::vector<size_t> argument;

  Arguments arguments(const Arguments & used) const
  {
    Arguments a;
    for (const auto k : argument)
      a.push_back(used[k]);
    return a;
  }

  /// The reference, for arguments converted to float64 and one batch shape; each entry is changed at random
  /// by up to `noise` times itself.
  at::Tensor expected(const Arguments & used, double noise) const
  {
    const auto a = arguments(used);
    const auto batch = common_batch(*op, a);
    Arguments equal;
    for (size_t k = 0; k < a.size(); k++)
    {
      const at::Tensor x = a[k].to(kFloat64).expand(utils::add_shapes(batch, op->base[k]));
      equal.push_back(noise > 0 ? x * (1 - noise + 2 * noise * at::rand(x.sizes(), kFloat64))
                                : x.contiguous());
    }
    return op->expected(equal);
  }
};

/// The differentiation of a result: the tensors by which it is differentiated, and the gradient by
/// the result.
struct Differentiation
{
  std::vector<size_t> needed;
  at::Tensor weight;
  bool twice = false;

  /// The result y, its derivatives by the needed x, and second derivatives: those of a weighted sum of the
  /// first ones.
  Arguments of(const at::Tensor & y, const Arguments & x) const
  {
    const at::Tensor w = weight.to(y.scalar_type()).detach().requires_grad_(twice);
    Arguments by, r{y.detach()}, g;
    for (const auto k : needed)
      by.push_back(x[k]);
    if (!by.empty() && y.requires_grad())
      g = torch::autograd::grad({y}, by, {w}, true, twice, true);
    g.resize(by.size());
    for (size_t k = 0; k < by.size(); k++)
    {
      if (!g[k].defined())
        g[k] = at::zeros_like(by[k]);
      r.push_back(g[k].detach()); // detached, since it would keep the graph
    }
    if (!twice)
      return r;
    Arguments directions;
    for (const auto & t : g)
      directions.push_back((at::arange(t.numel(), kFloat64).reshape(t.sizes()) + 0.5).sin());
    by.push_back(w);
    for (const auto & t : gradient(project(g, directions), by, false))
      r.push_back(t);
    return r;
  }
};

/// Expected tensors, computed with the noise given.
using Expected = std::function<Arguments(double)>;

/// The distances of the entries: 0 where both are NaN, infinite where one is.
inline at::Tensor
distance(const at::Tensor & a, const at::Tensor & b)
{
  const at::Tensor x = a.detach().to(kFloat64), y = b.detach().to(kFloat64),
                   same = x.eq(y).logical_or(x.ne(x).logical_and(y.ne(y))), d = (x - y).abs();
  return at::where(same, at::zeros_like(d), at::nan_to_num(d, HUGE_VAL, HUGE_VAL));
}

/// Compares results of the library with a reference. They may differ by the tolerance times 1 plus the largest entry
/// of the reference; near a singularity or a jump also by ten times the change of the reference under noise of a tenth
/// of the tolerance. Where the reference is NaN a result must be NaN, but a derivative may have any value, as that of
/// the distance of a rotation from itself.
class Comparison
{
public:
  Comparison(Expected expected, double tolerance)
    : _expected(std::move(expected)), _values(_expected(0)), _tolerance(tolerance)
  {
  }

  const Arguments & expected() const { return _values; }

  /// The difference, as text; empty if there is none.
  std::string with(const Arguments & found)
  {
    for (size_t k = 0; k < found.size(); k++)
      if (auto text = difference(found[k], k); !text.empty())
        return (k == 0 ? "The result" : "Derivative " + std::to_string(k - 1)) + text;
    return {};
  }

private:
  Expected _expected;
  Arguments _values;
  double _tolerance;
  std::vector<Arguments> _nearby;

  std::string difference(const at::Tensor & found, size_t k)
  {
    std::ostringstream s;
    const at::Tensor & expected = _values[k];
    if (found.sizes() != expected.sizes())
      s << " has the shape " << found.sizes() << ", expected " << expected.sizes();
    else if (found.numel() > 0)
    {
      at::Tensor d = distance(found, expected);
      if (k > 0)
        d = d.masked_fill(expected.isnan(), 0);
      const at::Tensor exact =
          _tolerance * (1 + at::nan_to_num(expected.detach().abs(), 0.0, 0.0, 0.0).max());
      at::Tensor allowed = exact;
      for (const size_t samples : {8, 64}) // at a jump a few samples may all be on one side
        if (d.gt(allowed).any().item<bool>())
          allowed = at::maximum(allowed, exact + 10 * sensitivity(k, samples));
      const at::Tensor wrong = d.gt(allowed);
      if (wrong.any().item<bool>())
      {
        const auto n = at::where(wrong, d, at::zeros_like(d)).argmax().item<int64_t>();
        const auto entry = [&](const at::Tensor & t)
        { return t.detach().flatten()[n].to(kFloat64).item<double>(); };
        s.precision(17);
        s << " of shape " << found.sizes() << " is wrong in " << wrong.sum().item<int64_t>()
          << " entries; number " << n << " is " << entry(found) << ", expected " << entry(expected);
      }
    }
    return s.str();
  }

  /// The change of the expected values: that of the value that changes most, or infinite.
  at::Tensor sensitivity(size_t k, size_t samples)
  {
    while (_nearby.size() < samples)
      _nearby.push_back(_expected(0.1 * _tolerance));
    at::Tensor s = at::zeros(_values[k].sizes(), kFloat64);
    for (const auto & near : _nearby)
      s = at::maximum(s, distance(near[k], _values[k]));
    const at::Tensor finite = s.isfinite();
    return at::where(finite, at::where(finite, s, at::zeros_like(s)).max(), s);
  }
};
} // namespace neml2::test
