// SPDX-License-Identifier: MIT
#pragma once

#include "support/random_chain.h"

#include <optional>

/// Cases of the random program: chains drawn from all operations that have a reference.
namespace neml2::test
{
/// Counts of the checks so far; `chains` counts the gradients through whole chains.
struct Tally
{
  size_t operations = 0, gradients = 0, chains = 0;
  size_t refused = 0; ///< references that LibTorch does not differentiate, as linalg_eig sometimes
  std::set<const Operation *> used;
};

/// The message of an exception, without LibTorch's list of callers.
inline std::string
message(const std::exception & e)
{
  const auto * const of_torch = dynamic_cast<const c10::Error *>(&e);
  return of_torch ? of_torch->what_without_backtrace() : e.what();
}

class RandomChain
{
public:
  RandomChain(const std::vector<Operation> & all, uint64_t seed, Tally & tally)
    : _all(all), _choose(seed), _tally(tally)
  {
    at::manual_seed(seed);
    _dtype = _choose.once_in(2) ? kFloat32 : kFloat64;
    for (auto n = _choose.from_to(0, 3); n > 0; n--)
      _batch.push_back(_choose.from_to(1, 4));
    if (_choose.once_in(5))
      _batch = {_choose.from_to(5, 40)};
    if (_choose.once_in(40))
      _batch = {_choose.from_to(100, 600)};
    if (_choose.once_in(25))
      _batch.push_back(0);
  }

  /// Runs all checks: of the result of each step and often of its derivatives, sometimes of the derivatives
  /// of all steps together.
  Verdict passes()
  {
    const auto length = _choose.once_in(100) ? _choose.from_to(60, 80) : _choose.from_to(3, 8);
    for (int64_t n = 0; n < length; n++)
      if (auto v = step(); !v)
        return no("step ", n, ", ", v.problem);
    return _dtype == kFloat64 && _choose.once_in(8) ? gradient_of_all() : Verdict();
  }

private:
  const std::vector<Operation> & _all;
  Choices _choose;
  Tally & _tally;
  Dtype _dtype;
  TensorShape _batch; ///< the shapes of new tensors are parts of it
  std::vector<Link> _links;
  std::vector<Step> _makers; ///< of each link; without operation for the first links

  double tolerance() const { return _dtype == kFloat64 ? 1e-11 : 2e-5; }

  /// A new tensor whose shape broadcasts with the batch, with at most this many rows.
  size_t new_tensor(TensorShapeRef beside, Size most)
  {
    const auto missing = _choose.once_in(3) ? _choose.from_to(0, Size(_batch.size())) : 0;
    TensorShape batch(_batch.begin() + missing, _batch.end());
    for (auto & n : batch)
      if (_choose.once_in(4) || n > most)
        n = 1;
    if (!utils::sizes_broadcastable(beside, batch))
      batch.clear();
    const auto t = 6.3 * at::rand(utils::add_shapes(batch, _choose.from_to(1, 9)), kFloat64);
    _links.push_back({t.to(_dtype), Size(batch.size())});
    _makers.push_back({});
    return _links.size() - 1;
  }

  /// Mostly the last result or one of the latest results, if it broadcasts with the arguments so
  /// far.
  size_t any_link(TensorShapeRef batch, Size most)
  {
    for (int attempt = 0; attempt < 3 && !_links.empty(); attempt++)
    {
      const auto back = _choose.once_in(2) ? 0 : _choose.below(std::min<size_t>(_links.size(), 9));
      const auto link = _links.size() - 1 - back;
      if (utils::sizes_broadcastable(batch, _links[link].batch()) &&
          utils::numel(utils::broadcast_sizes(batch, _links[link].batch())) <= most)
        return link;
    }
    return new_tensor(batch, most);
  }

  Step any_step()
  {
    Step s{&_all[_choose.below(_all.size())], {}, {}};
    TensorShape batch;
    Size components = 0;
    for (const auto & base : s.op->base)
      components += utils::numel(base);
    const Size most = std::max<Size>(3000 / components, 24); // rows: references stay quick
    for (size_t k = 0; k < s.op->count(); k++)
    {
      const auto same = k == 0 ? 0 : _choose.below(k);
      if (k > 0 && s.op->base[k] == s.op->base[same] && _choose.once_in(8))
      {
        s.argument.push_back(s.argument[same]);
        continue;
      }
      const auto link = any_link(batch, most);
      batch = utils::broadcast_sizes(batch, _links[link].batch());
      s.argument.push_back(s.uses.size());
      s.uses.push_back({link,
                        _choose.from_to(0, 9),
                        0.01 * double(_choose.below(628)),
                        int(_choose.below(all_layouts)),
                        _choose.below(1000)});
    }
    return s;
  }

  /// The arguments of the step, made from these links.
  static Arguments used(const Step & s, const std::vector<Link> & links, Dtype dtype)
  {
    Arguments a(s.uses.size());
    for (size_t k = 0; k < s.argument.size(); k++)
      if (const auto n = s.argument[k]; !a[n].defined())
        a[n] = use(links[s.uses[n].link], s.uses[n], s.op->base[k], dtype);
    return a;
  }

  Verdict step()
  {
    const Step s = any_step();
    const Arguments u = used(s, _links, _dtype);
    const auto fails = [&](const std::string & problem)
    {
      std::ostringstream shapes;
      for (const auto & base : s.op->base)
        shapes << " (; " << base << ")";
      return no(
          s.op->name, " of", shapes.str(), ": ", problem, "\narguments", describe(s.arguments(u)));
    };
    try
    {
      const Tensor y = s.op->call(s.arguments(u));
      Comparison value([&](double noise) { return Arguments{s.expected(u, noise)}; }, tolerance());
      const auto dtype = value.expected()[0].scalar_type();
      if (y.scalar_type() != (dtype == kFloat64 ? _dtype : dtype))
        return fails(std::string("The result is ") + c10::toString(y.scalar_type()));
      if (auto text = value.with({y}); !text.empty())
        return fails(text);
      _tally.operations++;
      _tally.used.insert(s.op);
      if (const auto v = gradients(s, u, y); !v)
        return fails(v.problem);
      if (y.isfinite().all().item<bool>())
      {
        _links.push_back({y, y.batch_dim()});
        _makers.push_back(s);
      }
    }
    catch (const std::exception & e)
    {
      return fails("it throws " + message(e));
    }
    return {};
  }

  /// Sometimes checks the derivatives of a step by some of its arguments, and sometimes also the
  /// second derivatives.
  Verdict gradients(const Step & s, const Arguments & u, const Tensor & y)
  {
    if (!_choose.once_in(3) || !y.is_floating_point() || !y.isfinite().all().item<bool>())
      return {};
    Differentiation d;
    for (size_t k = 0; k < u.size(); k++)
      if (!_choose.once_in(3))
        d.needed.push_back(k);
    d.twice = _dtype == kFloat64 && _choose.once_in(6);
    d.weight = laid_out(int(_choose.below(all_layouts)),
                        _choose.below(1000),
                        at::rand(y.sizes(), kFloat64).to(_dtype) + 0.5,
                        size_t(y.base_dim()));
    Arguments doubles, x;
    for (const auto & t : u)
      doubles.push_back(t.to(kFloat64));
    for (const auto & t : u)
      x.push_back(t.detach());
    for (const auto k : d.needed)
      x[k].requires_grad_();
    const auto found = d.of(s.op->call(s.arguments(x)), x);
    _tally.gradients++;
    return {differs(
        found,
        [&](double noise)
        {
          const auto z = tracked(doubles);
          return d.of(s.expected(z, noise), z);
        },
        10 * tolerance())};
  }

  /// The difference between the derivatives found and those of the reference, if LibTorch has them.
  std::string differs(const Arguments & found, const Expected & reference, double tolerance)
  {
    std::optional<Comparison> slopes;
    try
    {
      slopes.emplace(reference, tolerance);
    }
    catch (const c10::Error &)
    {
      _tally.refused++;
      return {};
    }
    return slopes->with(found);
  }

  /// Gradient of a weighted sum of all results by all tensors that the chain began with.
  Verdict gradient_of_all()
  {
    Arguments begins, weights;
    std::string names;
    for (size_t k = 0; k < _links.size(); k++)
    {
      weights.push_back(at::rand(_links[k].values.sizes(), kFloat64) + 0.5);
      if (_makers[k].op)
        names += " " + _makers[k].op->name + ",";
      else
        begins.push_back(_links[k].values);
    }
    const auto sum_and_gradient = [&](const auto & run)
    {
      const auto x = tracked(begins);
      std::vector<Link> links;
      at::Tensor sum = at::zeros({}, kFloat64);
      for (size_t k = 0, next = 0; k < _links.size(); k++)
        if (const Step & s = _makers[k]; s.op)
        {
          links.push_back({run(s, used(s, links, _dtype)), _links[k].batch_dim});
          sum = sum + (links[k].values * weights[k]).sum();
        }
        else
          links.push_back({x[next++], _links[k].batch_dim});
      Arguments r = gradient(sum, x, false);
      r.insert(r.begin(), sum.detach());
      return r;
    };
    const auto found = sum_and_gradient([](const Step & s, const Arguments & u)
                                        { return at::Tensor(s.op->call(s.arguments(u))); });
    _tally.chains++;
    auto text = differs(
        found,
        [&](double noise)
        {
          return sum_and_gradient([&](const Step & s, const Arguments & u)
                                  { return s.expected(u, noise); });
        },
        100 * tolerance());
    return {text.empty() ? text : "the whole chain," + names + " " + text};
  }
};
} // namespace neml2::test
