// SPDX-License-Identifier: MIT
#include "../examples/viscoplasticity.h"

#include "neml2/tensors/LabeledVariables.h"

#include "support/peers.h"

#include <ATen/ATen.h>

#include <benchmark/benchmark.h>

/// The cost of labels: setting up an axis of 100,000 variables, looking one up, the overhead of views over LibTorch's own
/// slice and copy, and the overhead of labeled vectors and matrices in a formula and its Jacobian.
using namespace neml2;

namespace
{
LabeledAxisAccessor
name(int i)
{
  return {"s" + std::to_string(i % 100), "t" + std::to_string(i % 7), "v" + std::to_string(i)};
}

LabeledAxis
large_axis(int n)
{
  LabeledAxis axis;
  for (int i = 0; i < n; i++)
    axis.add_variable(name(i), 6);
  axis.setup_layout();
  return axis;
}

template <class F>
void
time(const char * title, const F & f)
{
  benchmark::RegisterBenchmark(title,
                               [&f](benchmark::State & state)
                               {
                                 for (auto _ : state)
                                   benchmark::DoNotOptimize(f());
                               })
      ->UseRealTime();
}
} // namespace

int
main(int argc, char ** argv)
{
  at::set_num_threads(1);
  const auto axis = large_axis(100000), small = large_axis(100);
  const auto path = name(4711), there = name(47);
  const auto v = LabeledVector::zeros({}, {&small});
  auto w = LabeledVector::zeros({}, {&small});
  const LabeledVector::BoundLabels bound{bind(small, there)};
  const auto [begin, end] = small.range(there);

  const auto set_up = [&] { return large_axis(100000); };
  const auto look_up = [&] { return axis.range(path); };
  const auto look_up_bound = [&] { return bound[0].range(); };
  const auto view = [&] { return v.reinterpret<SR2>({there}); };
  const auto view_bound = [&] { return v.reinterpret<SR2>(bound); };
  const auto slice = [&, b = begin, e = end] { return v.tensor().slice(0, b, e); };
  const auto fill = [&]
  {
    w.fill(v);
    return w.tensor().dim();
  };
  const auto copy = [&] { return w.tensor().at::Tensor::copy_(v.tensor()).dim(); };
  time("labels/1/1/set up 100,000 variables", set_up);
  time("labels/1/1/look up one of them", look_up);
  time("labels/1/1/look up, bound", look_up_bound);
  time("labels/1/1/reinterpret<SR2>", view);
  time("labels/1/1/reinterpret<SR2>, bound", view_bound);
  time("labels/1/1/at::Tensor::slice", slice);
  time("labels/1/1/fill 100 variables", fill);
  time("labels/1/1/at::Tensor::copy_", copy);

  LabeledAxis axis13;
  axis13.add<SR2>("deviator").add<SR2>("backstress").add<Scalar>("flow").setup_layout();
  const LabeledVariables<SR2, SR2, Scalar> variables(axis13, {"deviator", "backstress", "flow"});
  const Size N = 10000;
  const LabeledVector x(at::rand({N, 13}, kFloat64) + 0.5, {&axis13});
  const SR2 trial(at::rand({N, 6}, kFloat64) * 300), old_X(at::rand({N, 6}, kFloat64));
  const Scalar old_p(at::rand({N}, kFloat64));
  const auto material = std::tuple(80e3, 160e3, 100.0, 50.0, 20.0, 20e3, 200.0, 80.0, 5.0);
  const auto unknowns = std::apply(
      [](const auto &... u) { return std::tuple(std::decay_t<decltype(u)>(u.contiguous())...); },
      variables.of(x));
  using viscoplasticity::equations;
  const auto formula = [&]
  { return vmap(equations, unknowns, trial, old_X, old_p, material, 1.0); };
  const auto labeled = [&]
  { return variables.vmap(equations, variables.of(x), trial, old_X, old_p, material, 1.0).dim(); };
  const auto jacobian = [&]
  { return value_and_jacobian<0>(equations, unknowns, trial, old_X, old_p, material, 1.0); };
  const auto labeled_jacobian = [&]
  {
    return variables
        .value_and_jacobian<0>(
            variables, equations, variables.of(x), trial, old_X, old_p, material, 1.0)
        .second.dim();
  };
  time("labels/1/10000/13 equations, formula", formula);
  time("labels/1/10000/13 equations, labeled", labeled);
  time("labels/1/10000/13 equations with Jacobian, formula", jacobian);
  time("labels/1/10000/13 equations with Jacobian, labeled", labeled_jacobian);
  return peers::run(argc, argv);
}
