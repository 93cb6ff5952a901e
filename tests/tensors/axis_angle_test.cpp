// SPDX-License-Identifier: MIT
#include "neml2/tensors/Rot.h"
#include "neml2/math/vmap.h"
#include "support/battery.h"
#include "support/parity.h"
#include "support/reference.h"

#include <cmath>

#include "support/catch.h"

namespace axis_angle_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Vectors with components from 1 to 3.
template <class T>
T
shifted(const T & v)
{
  return v.defined() && v.is_floating_point() ? T(core::raw(v) + 2) : v;
}

test::Table
operations()
{
  test::Table o;
  const auto turn = [](const Arguments & a)
  {
    const auto n = shifted(a[0]) / at::sqrt((shifted(a[0]) * shifted(a[0])).sum(-1, true));
    return n * at::tan(a[1] / 4).unsqueeze(-1);
  };
  o.push_back(operation<Vec, Scalar>(
      "Rot::axis_angle",
      Accepts::floating,
      [](const Vec & n, const Scalar & theta) { return Rot::from_axis_angle(shifted(n), theta); },
      turn));
  o.push_back(operation<Vec, Scalar>(
      "Rot::axis_angle_standard",
      Accepts::floating,
      [](const Vec & n, const Scalar & theta)
      { return Rot::from_axis_angle_standard(shifted(n), theta); },
      turn));
  o.push_back(operation<Vec, Vec>(
      "Rot::rotation_from_to",
      Accepts::floating,
      [](const Vec & a, const Vec & b) { return Rot::rotation_from_to(shifted(a), shifted(b)); },
      [](const Arguments & a)
      {
        const auto u = shifted(a[0]), v = shifted(a[1]);
        const auto n = at::einsum("ijk,...j,...k->...i", {test::permutation(), u, v});
        const auto dot = [](const at::Tensor & x, const at::Tensor & y)
        { return (x * y).sum(-1, true); };
        // by the quaternion (|u| |v| + u · v, u × v), normalised
        const auto real = at::sqrt(dot(u, u) * dot(v, v)) + dot(u, v);
        return n / (at::sqrt(real * real + dot(n, n)) + real);
      }));
  o.push_back(operation<Rot>(
      "Rot::axis",
      Accepts::floating,
      [](const Rot & r) { return r.axis(); },
      [](const Arguments & a) { return a[0] / at::sqrt((a[0] * a[0]).sum(-1, true)); }));
  o.push_back(operation<Rot>(
      "Rot::angle",
      Accepts::floating,
      [](const Rot & r) { return r.angle(); },
      [](const Arguments & a) { return 4 * at::atan(at::sqrt((a[0] * a[0]).sum(-1))); }));
  return test::without(test::own_rule, o);
}
const test::Battery battery(operations);

const at::Tensor zeros = at::zeros({3}, at::kDouble);
} // namespace

TEST_CASE("Conversions of axis and angle pass the battery", "[tensors][Rot][cuda]")
{
  battery.check();
}

TEST_CASE("Axis and angle of a rotation are those it was made of", "[tensors][Rot]")
{
  const Vec n(at::tensor({0.6, 0.0, -0.8}, at::kDouble));
  const auto theta = Scalar::create({1e-300, 1e-9, 0.5, 3.0, 3.5, 6.2});
  const auto r = Rot::axis_angle(n, theta);
  REQUIRE(at::allclose(r.axis(), core::raw(n).expand({6, 3}), 0, 1e-15));
  REQUIRE(at::allclose(r.angle(), theta, 1e-14, 0));
  REQUIRE(at::allclose(Rot::axis_angle(r.axis(), r.angle()), r, 1e-13, 0));
  REQUIRE(at::allclose(Rot(-core::raw(r)).angle(), theta, 1e-14, 0));
  const Rot floats = r.to(kFloat32);
  REQUIRE(at::allclose(floats.angle().slice(0, 1), theta.to(kFloat32).slice(0, 1), 1e-6, 0));
}

TEST_CASE("No rotation has the angle 0 about the last axis, with finite derivatives",
          "[tensors][Rot][autograd]")
{
  const Rot none(at::zeros({2, 3}, at::kDouble).requires_grad_());
  REQUIRE(at::equal(none.angle(), at::zeros({2}, at::kDouble)));
  REQUIRE(at::equal(none.axis(), at::tensor({0.0, 0.0, 1.0}, at::kDouble).expand({2, 3})));
  const auto g = torch::autograd::grad(
      {none.angle().sum() + none.axis().sum()}, {none}, {}, true, /*create_graph=*/true)[0];
  REQUIRE(at::equal(g, at::zeros({2, 3}, at::kDouble)));
  REQUIRE(torch::autograd::grad({g.pow(2).sum()}, {none})[0].isfinite().all().item<bool>());
}

TEST_CASE("Standard axis and angle give the same rotation, of an angle up to π", "[tensors][Rot]")
{
  const auto theta = Scalar(at::arange(-20, 21, at::kDouble) * 0.7);
  const Vec n = Vec::fill(1, -2, 2);
  const auto r = Rot::axis_angle(n, theta), s = Rot::axis_angle_standard(n, theta);
  REQUIRE(at::allclose(s.euler_rodrigues(), r.euler_rodrigues(), 0, 1e-13));
  REQUIRE((s.norm() <= 1).all().item<bool>());
  const auto half = Scalar::create({-3.0, -1.0, 0.0, 2.0, 3.1});
  REQUIRE(at::allclose(Rot::axis_angle_standard(n, half), Rot::axis_angle(n, half), 1e-15, 0));
  // Rodrigues parameters n tan(θ/2) and modified ones n tan(θ/4), where the former are finite
  const auto rho = core::raw(n) / 3 * at::tan(core::raw(half) / 2).unsqueeze(-1);
  REQUIRE(at::allclose(Rot::fill_rodrigues(Scalar(rho.select(-1, 0)),
                                           Scalar(rho.select(-1, 1)),
                                           Scalar(rho.select(-1, 2))),
                       Rot::axis_angle_standard(n, half)));
}

TEST_CASE("The rotation from one direction to another takes it there", "[tensors][Rot]")
{
  for (const auto dtype : {kFloat64, kFloat32})
  {
    const double tolerance = dtype == kFloat64 ? 1e-14 : 1e-6;
    const Vec a(at::randn({100, 3}, dtype)), b(at::randn({100, 3}, dtype));
    const auto r = Rot::rotation_from_to(a, b);
    REQUIRE(at::allclose(unit(a).rotate(r), unit(b), 0, 10 * tolerance));
    REQUIRE((r.norm() <= 1 + tolerance).all().item<bool>());
    REQUIRE(at::allclose(r.dot(a), at::zeros({100}, dtype), 0, 10 * tolerance));
    REQUIRE(at::allclose(Rot::rotation_from_to(a, a), at::zeros({100, 3}, dtype), 0, tolerance));
  }
}

TEST_CASE("The rotation between opposite directions is a half turn about an orthogonal axis",
          "[tensors][Rot][autograd]")
{
  const auto axes = at::cat({at::eye(3, at::kDouble),
                             -at::eye(3, at::kDouble),
                             at::ones({1, 3}, at::kDouble),
                             at::randn({50, 3}, at::kDouble)});
  for (const double off : {0.0, 1e-17, 1e-15, 1e-13, 1e-9, 1e-5})
    for (const auto dtype : {kFloat64, kFloat32})
    {
      const Vec a(axes.to(dtype).detach().requires_grad_()),
          b((-axes + off * at::randn({57, 3}, at::kDouble)).to(dtype).requires_grad_());
      const auto r = Rot::rotation_from_to(a, b);
      const double tolerance = dtype == kFloat64 ? 1e-13 : 1e-5;
      REQUIRE(at::allclose(unit(a).rotate(r), unit(b), 0, tolerance));
      REQUIRE(at::allclose(r.norm(), at::ones({57}, dtype), 0, tolerance + 2 * off * 100));
      for (const auto & g : torch::autograd::grad({r.sum()}, {a, b}))
        REQUIRE(g.isfinite().all().item<bool>());
    }
}

TEST_CASE("There is no rotation from or to a vector of no direction", "[tensors][Rot]")
{
  REQUIRE(Rot::rotation_from_to(Vec(zeros), Vec::fill(1, 0, 0)).isnan().any().item<bool>());
  REQUIRE(Rot::axis_angle(Vec(zeros), Scalar(1.0, kFloat64)).isnan().all().item<bool>());
}

TEST_CASE("In a formula, whole turns have no derivative of any order", "[tensors][Rot][autograd]")
{
  const auto standard = [](const auto & n, const auto & t) { return axis_angle_standard(n, t); };
  const auto reduced = [](const auto & n, const auto & t) { return axis_angle(n, t - 4.0 * M_PI); };
  const Vec n(at::randn({20, 3}, kFloat64));
  const at::Tensor start = at::rand({20}, kFloat64) + 4 * M_PI;
  const auto derivatives = [&](const auto & f)
  {
    const at::Tensor t = start.clone().set_requires_grad(true);
    std::vector<at::Tensor> all{at::Tensor(vmap(f, n, Scalar(t))).square().sum()};
    for (int order = 0; order < 3; order++)
      all.push_back(torch::autograd::grad({all.back().sum()}, {t}, {}, true, true)[0]);
    return all;
  };
  const auto expected = derivatives(reduced);
  const auto check = [&]
  {
    const auto found = derivatives(standard);
    for (size_t order = 0; order < expected.size(); order++)
      REQUIRE(at::allclose(found[order], expected[order], 1e-10, 1e-10));
  };
  check();
  const test::WithoutGradientRules by_the_operations_of_LibTorch;
  check();
}
} // namespace axis_angle_test
