// SPDX-License-Identifier: MIT
#include "neml2/tensors/invariants.h"
#include "support/battery.h"
#include "support/parity.h"
#include "support/reference.h"

#include <cmath>

#include "support/catch.h"

namespace invariants_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::full_of;
using test::operation;

namespace
{
at::Tensor
diagonal_sum(const at::Tensor & A)
{
  return at::einsum("...ii->...", {A});
}

at::Tensor
deviator(const at::Tensor & s)
{
  return full_of(s) - test::volumetric(full_of(s));
}

at::Tensor
second(const at::Tensor & s)
{
  return diagonal_sum(at::matmul(deviator(s), deviator(s))) / 2;
}

at::Tensor
third(const at::Tensor & s)
{
  return diagonal_sum(at::matmul(deviator(s), at::matmul(deviator(s), deviator(s)))) / 3;
}

/// Tensors whose Lode angle is far from the ends of its range.
template <class T>
T
sheared(const T & s)
{
  if (!s.defined() || !s.is_floating_point())
    return s;
  const auto by = at::eye(3, 6, s.options().requires_grad(false));
  return T(core::raw(s) + 4 * (by[2] - by[0]));
}

const test::Table &
operations()
{
  static const std::vector<test::Operation> all{
      operation<SR2>(
          "I2",
          Accepts::floating,
          [](const SR2 & s) { return I2(s); },
          [](const Arguments & a)
          {
            const auto A = full_of(a[0]);
            return (diagonal_sum(A) * diagonal_sum(A) - diagonal_sum(at::matmul(A, A))) / 2;
          }),
      operation<SR2>(
          "J2",
          Accepts::floating,
          [](const SR2 & s) { return J2(s); },
          [](const Arguments & a) { return second(a[0]); }),
      operation<SR2>(
          "J3",
          Accepts::floating,
          [](const SR2 & s) { return J3(s); },
          [](const Arguments & a) { return third(a[0]); }),
      operation<SR2>(
          "hydrostatic",
          Accepts::floating,
          [](const SR2 & s) { return hydrostatic(s); },
          [](const Arguments & a) { return diagonal_sum(full_of(a[0])) / 3; }),
      operation<SR2>(
          "von_mises",
          Accepts::floating,
          [](const SR2 & s) { return von_mises(s); },
          [](const Arguments & a) { return at::sqrt(3 * second(a[0])); }),
      operation<SR2>(
          "triaxiality",
          Accepts::floating,
          [](const SR2 & s) { return triaxiality(sheared(s)); },
          [](const Arguments & a)
          {
            const auto s = sheared(a[0]);
            return diagonal_sum(full_of(s)) / 3 / at::sqrt(3 * second(s));
          }),
      operation<SR2>(
          "lode_angle",
          Accepts::floating,
          [](const SR2 & s) { return lode_angle(sheared(s)); },
          [](const Arguments & a)
          {
            const auto s = sheared(a[0]);
            return at::acos(1.5 * std::sqrt(3.0) * third(s) / at::pow(second(s), 1.5)) / 3;
          })};
  return all;
}
const test::Battery battery(operations);
} // namespace

TEST_CASE("Invariants pass the battery", "[tensors][invariants][cuda]")
{
  battery.check();
}

TEST_CASE("Invariants do not change with the frame", "[tensors][invariants]")
{
  const SR2 s(at::randn({20, 6}, at::kDouble));
  const auto t = s.rotate(Rot::fill(0.3, -0.2, 0.5));
  const auto same = [](const at::Tensor & a, const at::Tensor & b)
  { return at::allclose(a, b, 1e-12, 1e-12); };
  REQUIRE(same(I1(s), I1(t)));
  REQUIRE(same(I2(s), I2(t)));
  REQUIRE(same(I3(s), I3(t)));
  REQUIRE(same(J2(s), J2(t)));
  REQUIRE(same(J3(s), J3(t)));
  REQUIRE(same(von_mises(s), von_mises(t)));
  REQUIRE(same(lode_angle(s), lode_angle(t)));
  // and s satisfies its characteristic equation
  const R2 A = full(s);
  const auto I = R2::identity();
  REQUIRE(same(A * A * A + A * I2(s), A * A * I1(s) + I * I3(s)));
  REQUIRE(same(core::raw(eigenvalues(s)).sum(-1), I1(s)));
}

TEST_CASE("Invariants of tension, shear, compression and pressure", "[tensors][invariants]")
{
  const auto Q = Rot::fill(0.1, 0.7, -0.2);
  const auto of = [&](double a, double b, double c) { return SR2::fill(a, b, c).rotate(Q); };
  const auto is = [](const Scalar & x, double y)
  { return std::abs(x.item<double>() - y) < 2e-15 * (1 + std::abs(y)); };
  REQUIRE(is(von_mises(of(200, 0, 0)), 200));
  REQUIRE(is(von_mises(SR2::fill(0, 0, 0, 0, 0, 10)), 10 * std::sqrt(3.0)));
  REQUIRE(is(lode_angle(of(200, 0, 0)), 0));
  REQUIRE(is(lode_angle(of(-200, 0, 0)), M_PI / 3));
  REQUIRE(is(lode_angle(of(5, 1, -3)), M_PI / 6));
  REQUIRE(is(hydrostatic(of(3, 1, 2)), 2));
  REQUIRE(is(triaxiality(of(200, 0, 0)), 1.0 / 3.0));
  REQUIRE(is(triaxiality(of(-200, 0, 0)), -1.0 / 3.0));
  REQUIRE(is(triaxiality(of(5, 5, 0)), 2.0 / 3.0));
  REQUIRE(is(triaxiality(SR2::fill(0, 0, 0, 0, 0, 10)), 0));
  REQUIRE(std::isinf(triaxiality(SR2::fill(7)).item<double>()));
  REQUIRE(std::isnan(triaxiality(SR2::fill(0)).item<double>()));
  REQUIRE(is(J2(SR2::fill(7)), 0));
  REQUIRE(is(lode_angle(SR2::fill(7)), 0));
}

TEST_CASE("Gradients of invariants are finite where they have a kink",
          "[tensors][invariants][autograd]")
{
  const auto Q = Rot::fill(0.1, 0.7, -0.2);
  for (const auto & s :
       {SR2::fill(7), SR2::fill(0), SR2::fill(3, 1, 1).rotate(Q), SR2::fill(-3, 1, 1)})
    for (const bool rules : {true, false})
    {
      const SR2 x(s.detach().clone().requires_grad_());
      const auto gradient = [&](const Scalar & y) { return torch::autograd::grad({y}, {x})[0]; };
      const auto both = [&] {
        return at::stack({gradient(lode_angle(x)), gradient(von_mises(x))});
      };
      const auto g = rules ? both()
                           : [&]
      {
        const test::WithoutGradientRules composed;
        return both();
      }();
      REQUIRE(g.isfinite().all().item<bool>());
      REQUIRE((g.abs() < 2).all().item<bool>());
      if (J2(s).item<double>() == 0)
        REQUIRE(at::equal(g, at::zeros({2, 6}, at::kDouble)));
    }
}
} // namespace invariants_test
