// SPDX-License-Identifier: MIT
#include "neml2/tensors/Rot.h"
#include "support/battery.h"
#include "support/quaternion.h"

#include <cmath>

#include "support/catch.h"

namespace rotation_distance_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Rotations by less than π/2.
template <class T>
T
small(const T & r)
{
  return r.defined() && r.is_floating_point() ? T(core::raw(r) * 0.2) : r;
}

/// Rotations by more than 7/4 π.
template <class T>
T
large(const T & r)
{
  return r.defined() && r.is_floating_point() ? T(core::raw(r) * 3 + 6) : r;
}

/// Angle of the rotation between a and b by their quaternions, in [0, 2π].
at::Tensor
angle_between(const at::Tensor & a, const at::Tensor & b)
{
  const auto p = test::quaternion_of(a), q = test::quaternion_of(b);
  const auto length = [](const at::Tensor & x) { return at::sqrt((x * x).sum(-1)); };
  return 4 * at::atan2(length(p - q), length(p + q));
}

const test::Table &
operations()
{
  static const std::vector<test::Operation> all{
      operation<Rot>(
          "shadow",
          Accepts::floating,
          [](const Rot & r) { return large(r).shadow(); },
          [](const Arguments & a)
          { return test::parameters_of_quaternion(-test::quaternion_of(large(a[0]))); }),
      operation<Rot>(
          "dshadow",
          Accepts::floating,
          [](const Rot & r) { return large(r).dshadow(); },
          [](const Arguments & a)
          {
            const auto of = [](const at::Tensor & x)
            { return test::parameters_of_quaternion(-test::quaternion_of(x)); };
            return test::jacobian(of, large(a[0]));
          }),
      operation<Rot, Rot>(
          "gdist",
          Accepts::floating,
          [](const Rot & r, const Rot & q) { return r.gdist(large(q)); },
          [](const Arguments & a) { return angle_between(a[0], large(a[1])); }),
      operation<Rot, Rot>(
          "dist",
          Accepts::floating,
          [](const Rot & r, const Rot & q) { return small(r).dist(small(q)); },
          [](const Arguments & a) { return angle_between(small(a[0]), small(a[1])); }),
      operation<Rot, Rot>(
          "dist",
          Accepts::floating,
          [](const Rot & r, const Rot & q) { return small(r).dist(large(q)); },
          [](const Arguments & a) { return 2 * M_PI - angle_between(small(a[0]), large(a[1])); })};
  return all;
}

test::Operation
volume()
{
  return operation<Rot>(
      "dV",
      Accepts::floating,
      [](const Rot & r) { return r.dV(); },
      [](const Arguments & a) { return 8 / (M_PI * (1 + (a[0] * a[0]).sum(-1)).pow(3)); });
}

test::Table
all_operations()
{
  return test::without(test::own_rule, test::together({operations(), {volume()}}));
}
const test::Battery battery(all_operations);

// The rotations of the check values.
const Rot r = Rot::fill(0.1, -0.2, 0.3), t = Rot::fill(0.25, 0.05, -0.1);

/// Equal to the eight digits of the check values.
bool
is(const at::Tensor & x, const std::vector<double> & expected)
{
  return at::allclose(x.flatten(), at::tensor(expected, at::kDouble), 0, 5.1e-9);
}

/// Rotations of any angle up to 2π.
Rot
random_rotations(Size n)
{
  const auto axes = at::randn({n, 3}, at::kDouble);
  return Rot(axes / at::sqrt((axes * axes).sum(-1, true)) *
             at::tan(M_PI / 2 * at::rand({n, 1}, at::kDouble)));
}
} // namespace

TEST_CASE("Distances of rotations pass the battery", "[tensors][Rot][cuda]")
{
  battery.check();
}

TEST_CASE("Distances of rotations have the check values of the reference", "[tensors][Rot]")
{
  REQUIRE(is(r.shadow(), {-0.71428571, 1.42857143, -2.14285714}));
  REQUIRE(is(r.gdist(t), {1.85418241}));
  REQUIRE(is(r.dV(), {1.71880085}));
}

TEST_CASE("The distance by parameters is the arc sine of their chord", "[tensors][Rot]")
{
  const Rot x = random_rotations(200), y = random_rotations(200);
  const auto chord = at::sqrt(norm_sq(Rot(core::raw(x) - core::raw(y))) /
                              ((1 + core::raw(x.norm_sq())) * (1 + core::raw(y.norm_sq()))));
  REQUIRE(at::allclose(x.gdist(y), 4 * at::asin(chord), 0, 1e-6)); // arc sine: half of the digits
  REQUIRE(at::equal(x.gdist(y), y.gdist(x)));
}

TEST_CASE("The distance of rotations is the angle between their matrices", "[tensors][Rot]")
{
  const Rot x = random_rotations(200), y = random_rotations(200);
  const R2 between = x.euler_rodrigues() * y.inverse().euler_rodrigues();
  const auto angle = at::acos(((core::raw(between.tr()) - 1) / 2).clamp(-1, 1));
  REQUIRE(at::allclose(x.dist(y), angle, 0, 1e-7)); // the arc cosine loses half of the digits
  REQUIRE(at::equal(x.dist(y), y.dist(x)));
  REQUIRE((x.dist(y) <= M_PI + 1e-14).all().item<bool>());
  REQUIRE(at::allclose(x.dist(y), at::minimum(x.gdist(y), 2 * M_PI - core::raw(x.gdist(y)))));
}

TEST_CASE("The distance of rotations does not depend on which of their parameters are given",
          "[tensors][Rot]")
{
  const Rot x = random_rotations(50), y = random_rotations(50);
  REQUIRE(at::allclose(x.dist(y), x.shadow().dist(y), 0, 1e-13));
  REQUIRE(at::allclose(x.dist(y), x.shadow().dist(y.shadow()), 0, 1e-13));
  REQUIRE(at::allclose(x.gdist(x.shadow()), 2 * M_PI + at::zeros({50}, at::kDouble), 0, 1e-13));
  // The distance does not depend on a rotation that follows both, either.
  REQUIRE(at::allclose(small(x).rotate(small(t)).dist(small(y).rotate(small(t))),
                       small(x).dist(small(y)),
                       0,
                       1e-13));
}

TEST_CASE("Distances from the identity are angles", "[tensors][Rot]")
{
  const auto none = Rot::identity();
  const Rot x = Rot::axis_angle(Vec::fill(1, 2, -2), Scalar::create({0.0, 1e-150, 1e-9, 1.0, 3.0}));
  REQUIRE(
      at::allclose(none.dist(x), at::tensor({0.0, 1e-150, 1e-9, 1.0, 3.0}, at::kDouble), 1e-14, 0));
  REQUIRE(at::allclose(x.gdist(none), none.dist(x), 1e-14, 0));
  REQUIRE(none.dist(none).item<double>() == 0);
  REQUIRE(r.dist(r).item<double>() == 0);
  REQUIRE(r.gdist(r).item<double>() == 0);
}

TEST_CASE("Derivatives of distances are finite at equal rotations, at the identity and at 2π",
          "[tensors][Rot][autograd]")
{
  const Rot a(at::stack({r, r, at::zeros({3}, at::kDouble), at::zeros({3}, at::kDouble)})),
      b(at::stack({r, r.shadow(), r, at::zeros({3}, at::kDouble)}));
  for (const bool between : {false, true})
  {
    const Rot x(a.detach().requires_grad_()), y(b.detach().requires_grad_());
    const auto d = between ? x.dist(y) : x.gdist(y);
    const auto g = torch::autograd::grad({d.sum()}, {x, y}, {}, true, true);
    for (const auto & first : g)
    {
      REQUIRE(first.isfinite().all().item<bool>());
      REQUIRE(at::equal(first[0], at::zeros({3}, at::kDouble)));
      REQUIRE(at::equal(first[3], at::zeros({3}, at::kDouble)));
    }
    // From the identity to r the angle grows at the rate 4 / (1 + r·r) along r.
    const auto n = core::raw(r) / core::raw(r.norm());
    REQUIRE(at::allclose(g[1][2], 4 / 1.14 * n, 0, 1e-14));
    for (const auto & second :
         torch::autograd::grad({g[0].pow(2).sum() + g[1].pow(2).sum()}, {x, y}))
      REQUIRE(second.isfinite().all().item<bool>());
  }
}

TEST_CASE("The other parameters of a rotation have its matrix", "[tensors][Rot]")
{
  const Rot x = random_rotations(50);
  REQUIRE(at::allclose(x.shadow().euler_rodrigues(), x.euler_rodrigues(), 0, 1e-13));
  REQUIRE(at::allclose(x.shadow().shadow(), x, 1e-14, 0));
  REQUIRE(at::allclose(x.dshadow() * x.shadow().dshadow(), R2::identity().expand({50, 3, 3})));
  REQUIRE(Rot::identity().shadow().isnan().all().item<bool>()); // as documented
}

TEST_CASE("The volume of all rotations is π", "[tensors][Rot]")
{
  // ∫ dV 4π ρ² dρ over ρ in [0, 1], by Simpson's rule
  constexpr Size n = 400;
  const auto rho = at::linspace(0, 1, n + 1, at::kDouble);
  const Rot x(rho.unsqueeze(-1) * at::tensor({1.0, 0.0, 0.0}, at::kDouble));
  auto weight = 2 + 2 * (at::arange(n + 1) % 2).to(at::kDouble);
  weight[0] = weight[n] = 1;
  const auto integral = (core::raw(x.dV()) * 4 * M_PI * rho * rho * weight).sum() / (3.0 * n);
  REQUIRE(at::allclose(integral, at::tensor(M_PI, at::kDouble), 0, 1e-9));
}

TEST_CASE("Functions for distances of rotations under other names are the same", "[tensors][Rot]")
{
  REQUIRE(at::equal(shadow(r), r.shadow()));
  REQUIRE(at::equal(dshadow(r), r.dshadow()));
  REQUIRE(at::equal(gdist(r, t), r.gdist(t)));
  REQUIRE(at::equal(dist(r, t), r.dist(t)));
  REQUIRE(at::equal(dV(r), r.dV()));
}
} // namespace rotation_distance_test
