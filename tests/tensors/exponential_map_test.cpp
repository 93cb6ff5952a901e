// SPDX-License-Identifier: MIT
#include "neml2/tensors/exponential_map.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/WR2.h"
#include "support/battery.h"
#include "support/parity.h"
#include "support/quaternion.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "neml2/kernels/Dual.h"
#include "support/catch.h"

namespace exponential_map_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// w tan(|w| / 4) / |w|
at::Tensor
turn_of(const at::Tensor & w)
{
  const auto theta = at::sqrt((w * w).sum(-1, true));
  return w * at::tan(theta / 4) / theta;
}

/// Angles up to √3 or, for Factor 3, three times as large: on both sides of the switch to the
/// series.
template <int Factor>
at::Tensor
times(const at::Tensor & w)
{
  return w.defined() && w.is_floating_point() ? w * Factor : w;
}

template <int Factor>
void
add_maps(test::Table & o)
{
  o.push_back(operation<WR2>(
                  "exp_map",
                  Accepts::floating,
                  [](const WR2 & w) { return WR2(times<Factor>(w)).exp_map(); },
                  [](const Arguments & a) { return turn_of(times<Factor>(a[0])); })
                  .without(Factor == 1 ? test::Checks() : test::own_rule));
  o.push_back(operation<WR2>(
                  "dexp_map",
                  Accepts::floating,
                  [](const WR2 & w) { return WR2(times<Factor>(w)).dexp_map(); },
                  [](const Arguments & a) { return test::jacobian(turn_of, times<Factor>(a[0])); })
                  .without(test::own_rule));
  o.push_back(operation<Rot>(
                  "log_map",
                  Accepts::floating,
                  [](const Rot & r) { return Rot(times<Factor>(r)).log_map(); },
                  [](const Arguments & a)
                  {
                    const auto r = times<Factor>(a[0]), n = at::sqrt((r * r).sum(-1, true));
                    return 4 * at::atan(n) * r / n;
                  })
                  .without(test::own_rule));
}

test::Table
operations()
{
  test::Table all;
  add_maps<1>(all);
  add_maps<3>(all);
  return all;
}
const test::Battery battery(operations);

/// Angles in (0, 2π), close to the switch of the series and to the ends.
const std::vector<double> angles{1e-200,
                                 1e-12,
                                 1e-6,
                                 1e-3,
                                 0.1,
                                 0.7,
                                 1 - 1e-15,
                                 1.0,
                                 1.0001,
                                 1.5,
                                 2.0,
                                 3.0,
                                 3.14,
                                 4.71,
                                 6.0,
                                 6.28};

/// The axis (2, -3, 6) / 7 times each angle. (n; 3)
WR2
of_angles(const std::vector<double> & theta)
{
  return at::tensor(theta, at::kDouble).unsqueeze(-1) *
         at::tensor({2.0 / 7, -3.0 / 7, 6.0 / 7}, at::kDouble);
}
} // namespace

TEST_CASE("The exponential map and its inverse pass the battery", "[tensors][WR2][cuda]")
{
  battery.check();
}

TEST_CASE("The exponential map gives the rotation of the matrix exponential", "[tensors][WR2]")
{
  const auto x = of_angles({0.0, 1e-9, 0.3, 1.0, 3.0, 6.2, 2 * M_PI, 7.0, 9.5, 12.0});
  const auto R = x.exp_map().euler_rodrigues();
  REQUIRE(at::allclose(R, at::matrix_exp(full(x)), 0, 1e-13));
  // A turn by 2π has no finite parameters, but its matrix is the identity
  REQUIRE(x.exp_map().norm().select(0, 6).item<double>() > 1e14);
}

TEST_CASE("The exponential map and its derivative are exact to rounding", "[tensors][WR2]")
{
  for (const double theta : angles)
  {
    const long double t = theta, u = t / 4, tangent = std::tan(u), g = tangent / t;
    const long double square = t * t, u2 = u * u;
    // at 0.001 the quotient in long double has a relative error of 1e-13
    const long double h = theta < 1e-2 ? (1.0L / 96) * (1 + u2 * (4.0L / 5 + u2 * 17.0L / 35))
                                       : ((1 + tangent * tangent) / 4 - g) / square;
    const kernels::WR2<double> x(0, theta, 0);
    const auto r = kernels::exp_map(x);
    REQUIRE(std::abs(double((r[1] - t * g) / (t * g))) < 5e-16);
    const auto D = kernels::dexp_map(x);
    const double scale = std::max(1.0, double(g + h * square));
    REQUIRE(std::abs(double(D(0, 0) - g)) < 1e-15 * scale);
    REQUIRE(std::abs(double(D(1, 1) - (g + h * square))) < 1e-15 * scale * scale);
    const auto E = kernels::dexp_map(kernels::WR2<double>(0.6 * theta, 0, 0.8 * theta));
    REQUIRE(std::abs(double(E(0, 2) - 0.48L * h * square)) < 1e-15 * scale * scale);
  }
  REQUIRE(at::equal(WR2::zeros().exp_map(), at::zeros({3}, at::kDouble)));
  REQUIRE(at::equal(WR2::zeros().dexp_map(), at::eye(3, at::kDouble) / 4));
  const auto tiny = WR2::fill(1e-12, 0, 0);
  REQUIRE(at::allclose(tiny.exp_map(), Rot::fill(2.5e-13, 0, 0), 1e-15, 0));
  REQUIRE(at::allclose(tiny.dexp_map(), at::eye(3, at::kDouble) / 4, 1e-15, 0));
}

TEST_CASE("The derivative of the exponential map is that of autograd and of dual numbers",
          "[tensors][WR2][autograd]")
{
  const auto x = of_angles(angles);
  const auto expected = x.dexp_map();
  const auto close = [](const at::Tensor & a, const at::Tensor & b)
  { return at::allclose(a, b, 1e-13, 1e-15); };
  REQUIRE(
      close(test::jacobian([](const at::Tensor & z) { return WR2(z).exp_map(); }, x), expected));
  {
    const test::WithoutGradientRules composed;
    REQUIRE(
        close(test::jacobian([](const at::Tensor & z) { return WR2(z).exp_map(); }, x), expected));
  }
  using Dual = kernels::Dual<double, 3>;
  for (int64_t n = 0; n < x.size(0); n++)
  {
    kernels::WR2<Dual> z;
    for (int i = 0; i < 3; i++)
    {
      z[i] = Dual(x[n][i].item<double>());
      z[i].d[i] = 1;
    }
    const auto r = kernels::exp_map(z);
    const auto back = kernels::log_map(r);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
      {
        const double d = expected[n][i][j].item<double>();
        REQUIRE(std::abs(r[i].d[j] - d) <= 1e-15 + 1e-13 * std::abs(d));
        // log_map(exp_map(w)) = w; close to 2π the rounding of r is large
        if (angles[size_t(n)] < 6.1)
          REQUIRE(std::abs(back[i].d[j] - (i == j)) < 1e-12);
      }
  }
}

TEST_CASE("Derivatives of the exponential map and its inverse are finite and right at 0",
          "[tensors][WR2][autograd]")
{
  const test::WithoutGradientRules composed;
  const auto zeros = at::zeros({1, 3}, at::kDouble);
  const auto up = [&](const std::function<at::Tensor(const at::Tensor &)> & f, int order)
  {
    const auto z = zeros.detach().requires_grad_();
    auto y = f(z).select(-1, 0).sum();
    at::Tensor g;
    for (int k = 0; k < order; k++)
    {
      g = torch::autograd::grad({y}, {z}, {}, true, /*create_graph=*/true)[0];
      y = g.sum();
    }
    return g.flatten();
  };
  const auto exp = [](const at::Tensor & z) { return WR2(z).exp_map(); };
  const auto log = [](const at::Tensor & z) { return Rot(z).log_map(); };
  REQUIRE(at::equal(up(exp, 1), at::tensor({0.25, 0.0, 0.0}, at::kDouble)));
  REQUIRE(at::equal(up(exp, 2), at::zeros({3}, at::kDouble)));
  REQUIRE(at::equal(up(log, 1), at::tensor({4.0, 0.0, 0.0}, at::kDouble)));
  REQUIRE(at::equal(up(log, 2), at::zeros({3}, at::kDouble)));
  // exp(w) = w (1/4 + w·w / 192 + ...), whose third derivatives along (1, 1, 1) of r_0 are these
  REQUIRE(at::allclose(up(exp, 3), at::tensor({10.0, 4.0, 4.0}, at::kDouble) / 192));
}

TEST_CASE("The logarithm of a rotation is the inverse of the exponential", "[tensors][WR2]")
{
  const auto x = of_angles({0.0, 1e-200, 1e-9, 0.3, 0.99, 1.0, 1.01, 3.0, 3.2, 6.0});
  REQUIRE(at::allclose(x.exp_map().log_map(), x, 1e-13, 0));
  const Rot r(at::rand({50, 3}, at::kDouble) * 3);
  REQUIRE(at::allclose(r.log_map().exp_map(), r, 1e-13, 0));
  REQUIRE(at::allclose(r.log_map().norm(), r.angle(), 1e-14, 0));
  const Rot floats = r.to(kFloat32);
  REQUIRE(at::allclose(floats.log_map().exp_map(), floats, 1e-5, 0));
}
} // namespace exponential_map_test
