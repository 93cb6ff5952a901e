// SPDX-License-Identifier: MIT
#include "neml2/math/jacobian.h"
#include "neml2/tensors/interpolation.h"

#include "support/compositions.h"
#include "support/peers.h"

#include <ATen/ATen.h>

/// A table of eight points that all rows share: value, and derivative by x.
using namespace neml2;
using peers::Peers;

namespace
{
struct Points : PrimitiveTensor<Points, 8>
{
  using PrimitiveTensor::PrimitiveTensor;
};
constexpr std::array<double, 8> temperatures{20, 100, 200, 300, 400, 500, 600, 700},
    moduli{210, 207, 202, 194, 185, 174, 160, 141};

template <Interpolant interpolant>
struct Table
{
  template <class X, class Xs, class Ys>
  auto operator()(const X & x, const Xs & xs, const Ys & ys) const
  {
    return interpolate(x, xs, ys, interpolant);
  }
  template <class X>
  auto operator()(const X & x) const
  {
    return interpolate(x, temperatures, moduli, interpolant);
  }
};

at::Tensor
tensor_of(const std::array<double, 8> & a)
{
  return at::tensor(std::vector<double>(a.begin(), a.end()), at::kDouble);
}

template <Interpolant interpolant>
Peers
values(Size N)
{
  constexpr Table<interpolant> f;
  const Scalar x = Scalar(peers::rand({N}) * 800);
  const at::Tensor t = x, a = tensor_of(temperatures), m = tensor_of(moduli),
                   inner = a.slice(0, 1, 7).contiguous();
  const Points xs(a), ys(m);
  const Tensor any_xs(a, 0), any_ys(m, 0);
  Peers all{{"neml2", [=] { return vmap(f, x, xs, ys); }},
            {"neml2 constants", [=] { return vmap(f, x); }},
            {"neml2 of any size", [=] { return f(x, any_xs, any_ys); }},
            peers::floor({t}, {{N}})};
  if (interpolant == Interpolant::linear)
    all.push_back({"obvious",
                   [=]
                   {
                     const auto i = at::searchsorted(inner, t, false, true), j = i + 1;
                     const auto xa = a.index_select(0, i), ya = m.index_select(0, i);
                     const auto slope = (m.index_select(0, j) - ya) / (a.index_select(0, j) - xa);
                     return ya + (t.clamp(20, 700) - xa) * slope;
                   }});
  if (interpolant == Interpolant::linear)
    all.push_back({"obvious in place",
                   [=, slopes = m.diff() / a.diff()]
                   {
                     const auto i = at::searchsorted(inner, t, false, true);
                     return t.clamp(20, 700)
                         .sub_(a.index_select(0, i))
                         .mul_(slopes.index_select(0, i))
                         .add_(m.index_select(0, i));
                   }});
  return all;
}

Peers
with_derivative(Size N)
{
  constexpr Table<Interpolant::monotone_cubic> f;
  const Scalar x = Scalar(peers::rand({N}) * 800);
  const at::Tensor t = x;
  const Points xs(tensor_of(temperatures)), ys(tensor_of(moduli));
  const auto results = [](const auto & r) { return peers::Results(r.first, r.second); };
  return {{"neml2", [=] { return results(value_and_jacobian<0>(f, x, xs, ys)); }},
          {"neml2 constants", [=] { return results(value_and_jacobian<0>(f, x)); }},
          peers::floor({t}, {{N}, {N}})};
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("Table linear", values<Interpolant::linear>, 10'000);
  peers::add("Table cubic", values<Interpolant::monotone_cubic>, 10'000);
  peers::add("Table cubic with derivative", with_derivative, 10'000);
  return peers::run(argc, argv);
}
