// SPDX-License-Identifier: MIT
// Random shapes and strides against an index-by-index reference that shares nothing with the library.
#include "neml2/math/broadcast.h"
#include "neml2/math/where.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include <ATen/MemoryOverlap.h>
#include <functional>
#include <optional>
#include <random>
#include <sstream>

#include "support/catch.h"

namespace broadcast_random_test
{
using namespace neml2;

namespace
{
using Shape = std::vector<Size>;

class Generator
{
public:
  explicit Generator(unsigned seed) : _engine(seed) {}

  int up_to(int n) { return int(_engine() % unsigned(n + 1)); }
  bool once_in(int n) { return up_to(n - 1) == 0; }

  /// n shapes of up to max_dim sizes that broadcast, except for one size in a few cases.
  std::vector<Shape> shapes(int n, int max_dim)
  {
    Shape common;
    for (int d = up_to(max_dim); d > 0; d--)
      common.push_back(once_in(12) ? 0 : 1 + up_to(2));
    std::vector<Shape> all;
    for (int k = 0; k < n; k++)
    {
      Shape s(common.begin() + up_to(int(common.size())), common.end());
      for (auto & size : s)
        if (once_in(3))
          size = 1;
      if (!s.empty() && once_in(8))
        s[size_t(up_to(int(s.size()) - 1))] = 2 + up_to(2);
      all.push_back(s);
    }
    return all;
  }

  /// Integers as float64, in random memory order, sliced or expanded.
  at::Tensor tensor(const Shape & shape, bool may_expand = true)
  {
    std::vector<int64_t> order(shape.size()), back(shape.size());
    for (size_t d = 0; d < shape.size(); d++)
      order[d] = int64_t(d);
    std::shuffle(order.begin(), order.end(), _engine);
    Shape in_memory, step;
    for (const auto d : order)
    {
      back[size_t(d)] = int64_t(in_memory.size());
      step.push_back(1 + up_to(1));
      in_memory.push_back(shape[size_t(d)] * step.back());
    }
    at::Tensor t = at::randint(-4, 5, in_memory, at::kDouble);
    for (size_t d = 0; d < step.size(); d++)
      t = t.slice(int64_t(d), 0, in_memory[d], step[d]);
    t = t.permute(back);
    if (may_expand && !shape.empty() && once_in(6))
    {
      const auto d = int64_t(up_to(int(shape.size()) - 1));
      if (t.size(d) > 0)
        t = t.narrow(d, 0, 1).expand(shape);
    }
    return t;
  }

private:
  std::mt19937 _engine;
};

/// The shape that shapes broadcast to, computed size by size from the right; nothing if they do not broadcast.
std::optional<Shape>
broadcast(const std::vector<Shape> & shapes)
{
  size_t n = 0;
  for (const auto & s : shapes)
    n = std::max(n, s.size());
  Shape result(n, 1);
  for (size_t d = 1; d <= n; d++)
    for (const auto & s : shapes)
      if (d <= s.size() && s[s.size() - d] != 1)
      {
        Size & r = result[n - d];
        if (r != 1 && r != s[s.size() - d])
          return {};
        r = s[s.size() - d];
      }
  return result;
}

/// The entry of t at an index of the result; indices of dimensions that t lacks, or that have size 1, are ignored.
double
entry(const at::Tensor & t, const Shape & index, size_t first, size_t count)
{
  const auto n = size_t(t.dim());
  const double * p = t.data_ptr<double>();
  for (size_t d = 0; d < n; d++)
  {
    const size_t i = first + count - n + d;
    if (t.size(int64_t(d)) != 1)
      p += index[i] * t.stride(int64_t(d));
  }
  return *p;
}

/// A tensor of batch and base dimensions, without the library.
struct Sample
{
  Shape batch, base;
  at::Tensor t;

  double at(const Shape & index, size_t batch_dim, size_t base_dim) const
  {
    const double * p = t.data_ptr<double>();
    for (size_t d = 0; d < batch.size(); d++)
      if (batch[d] != 1)
        p += index[batch_dim - batch.size() + d] * t.stride(int64_t(d));
    for (size_t d = 0; d < base.size(); d++)
      if (base[d] != 1)
        p += index[batch_dim + base_dim - base.size() + d] * t.stride(int64_t(batch.size() + d));
    return *p;
  }
};

Shape
joined(const Shape & a, const Shape & b)
{
  Shape r = a;
  r.insert(r.end(), b.begin(), b.end());
  return r;
}

/// Whether t has these sizes and entries f(index).
bool
holds(const at::Tensor & t, const Shape & sizes, const std::function<double(const Shape &)> & f)
{
  if (Shape(t.sizes().begin(), t.sizes().end()) != sizes)
    return false;
  Shape index(sizes.size(), 0);
  for (int64_t n = t.numel(); n > 0; n--)
  {
    if (entry(t, index, 0, sizes.size()) != f(index))
      return false;
    for (size_t d = sizes.size(); d-- > 0;)
    {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
    }
  }
  return true;
}

template <class F>
bool
refuses(const F & f)
{
  try
  {
    f();
    return false;
  }
  catch (const NEMLException &)
  {
    return true;
  }
}

/// The reason why the library disagrees with the reference about a pair; empty if it agrees.
std::string
check_pair(Generator & random)
{
  const auto batches = random.shapes(2, 4), bases = random.shapes(2, 2);
  Sample a{batches[0], bases[0], random.tensor(joined(batches[0], bases[0]))};
  Sample b{batches[1], bases[1], random.tensor(joined(batches[1], bases[1]))};
  const Tensor x(a.t, Size(a.batch.size())), y(b.t, Size(b.batch.size()));
  const auto batch = broadcast(batches), base = broadcast(bases);
  const bool fits = batch && base;

  if (utils::sizes_broadcastable(a.batch, b.batch) != batch.has_value() ||
      utils::batch_broadcastable(x, y) != batch.has_value() ||
      utils::base_broadcastable(x, y) != base.has_value() || can_broadcast_to_match(x, y) != fits ||
      can_broadcast_to_match(at::Tensor(x), at::Tensor(y)) !=
          broadcast({joined(a.batch, a.base), joined(b.batch, b.base)}).has_value())
    return "what can be broadcast";
  if (batch && broadcast_shapes(a.batch, b.batch) != TensorShape(batch->begin(), batch->end()))
    return "the broadcast shape";
  if (!fits)
  {
    const at::Tensor before = a.t.clone();
    Tensor left = x;
    if (!refuses([&] { (void)(x + y); }) || !refuses([&] { (void)(x * y); }) ||
        !refuses([&] { left += y; }) || !refuses([&] { left.copy_(y); }) ||
        !refuses([&] { (void)broadcasted(x, y); }))
      return "a refusal";
    return at::equal(a.t, before) ? "" : "the left side after a refusal";
  }

  const size_t m = batch->size(), n = base->size();
  const Shape sizes = joined(*batch, *base);
  const auto left = [&](const Shape & i) { return a.at(i, m, n); };
  const auto right = [&](const Shape & i) { return b.at(i, m, n); };
  const auto sum = x + y, product = x * y;
  if (sum.batch_dim() != Size(m) ||
      !holds(sum, sizes, [&](auto & i) { return left(i) + right(i); }))
    return "+";
  if (!holds(product, sizes, [&](auto & i) { return left(i) * right(i); }))
    return "*";
  const auto [p, q] = broadcasted(x, y);
  if (!holds(p, sizes, left) || !holds(q, sizes, right) || !p.is_alias_of(x) || !q.is_alias_of(y))
    return "broadcast_to_match";

  const bool enlarges = *batch != a.batch || *base != a.base;
  const bool overlaps = at::has_internal_overlap(a.t) == at::MemOverlap::Yes;
  const at::Tensor before = a.t.clone(), addend = b.t.clone();
  Tensor target = x;
  if (enlarges || overlaps)
  {
    if (!refuses([&] { target += y; }) || !refuses([&] { target.copy_(y); }) ||
        !at::equal(a.t, before))
      return "the refusal of an in-place operation";
    return "";
  }
  target += y;
  if (!at::equal(at::Tensor(target), at::Tensor(sum)))
    return "+=";
  target -= y;
  if (!at::equal(at::Tensor(target), before))
    return "-=";
  target *= y;
  if (!at::equal(at::Tensor(target), at::Tensor(product)) || !at::equal(b.t, addend))
    return "*=";
  target.copy_(y);
  return at::equal(at::Tensor(target), at::Tensor(q)) ? "" : "copy_";
}

/// The same for a condition and two SR2, whose base dimension does not broadcast.
std::string
check_triple(Generator & random)
{
  const auto batches = random.shapes(3, 5);
  Sample a{batches[0], {6}, random.tensor(joined(batches[0], {6}))};
  Sample b{batches[1], {6}, random.tensor(joined(batches[1], {6}))};
  Sample c{batches[2], {}, random.tensor(batches[2])};
  const SR2 x(a.t), y(b.t);
  const Scalar k(c.t);
  const Scalar condition(c.t > 0);
  const auto batch = broadcast(batches);
  const auto pair = broadcast({batches[0], batches[2]});
  if (utils::sizes_broadcastable(a.batch, b.batch, c.batch) != batch.has_value())
    return "what can be broadcast";
  if (pair)
  {
    const auto product = k * x;
    if (!holds(product,
               joined(*pair, {6}),
               [&](auto & i) { return a.at(i, pair->size(), 1) * c.at(i, pair->size(), 1); }))
      return "Scalar * SR2";
  }
  else if (!refuses([&] { (void)(x * k); }))
    return "the refusal of SR2 * Scalar";
  if (!batch)
    return refuses([&] { (void)where(condition, x, y); }) &&
                   refuses([&] { (void)broadcasted(x, y, k); })
               ? ""
               : "a refusal";
  const size_t m = batch->size();
  const auto chosen = where(condition, x, y);
  if (chosen.batch_dim() != Size(m) ||
      !holds(chosen,
             joined(*batch, {6}),
             [&](auto & i) { return c.at(i, m, 1) > 0 ? a.at(i, m, 1) : b.at(i, m, 1); }))
    return "where";
  const auto [p, q, r] = broadcasted(x, y, k);
  if (!holds(p, joined(*batch, {6}), [&](auto & i) { return a.at(i, m, 1); }) ||
      !holds(r, *batch, [&](auto & i) { return c.at(i, m, 0); }) ||
      Shape(q.sizes().begin(), q.sizes().end()) != joined(*batch, {6}))
    return "broadcast_to_match of three";
  return "";
}

std::string
run(std::string (*check)(Generator &), int count, unsigned seed)
{
  const at::NoGradGuard guard;
  Generator random(seed);
  at::manual_seed(seed);
  for (int n = 0; n < count; n++)
    if (const auto what = check(random); !what.empty())
    {
      std::ostringstream s;
      s << what << " in sample " << n << " of seed " << seed;
      return s.str();
    }
  return "";
}
} // namespace

TEST_CASE("Sixty thousand random pairs of shapes give what their indices say", "[math][broadcast]")
{
  REQUIRE(run(check_pair, 60000, 1) == "");
}

TEST_CASE("Forty thousand random triples of shapes give what their indices say",
          "[math][broadcast]")
{
  REQUIRE(run(check_triple, 40000, 2) == "");
}
} // namespace broadcast_random_test
