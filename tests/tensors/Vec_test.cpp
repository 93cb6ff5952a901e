// SPDX-License-Identifier: MIT
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/jacobian.h"
#include "support/parity.h"
#include "support/rotation.h"

#include "support/catch.h"

namespace Vec_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Every operation, with its reference on arguments a of equal batch shapes.
const test::Table &
operations()
{
  const auto dot = [](const Arguments & a) { return (a[0] * a[1]).sum(-1); };
  const auto outer = [](const Arguments & a) {
    return at::einsum("...i,...j->...ij", {a[0], a[1]});
  };
  static const std::vector<test::Operation> all{
      operation<Scalar, Scalar, Scalar>(
          "Vec::fill",
          Accepts::any,
          [](const Scalar & x, const Scalar & y, const Scalar & z) { return Vec::fill(x, y, z); },
          [](const Arguments & a) { return at::stack(a, -1); })
          .without(test::own_rule),
      operation<Vec>(
          "norm_sq",
          Accepts::numbers,
          [](const Vec & v) { return v.norm_sq(); },
          [](const Arguments & a) { return (a[0] * a[0]).sum(-1); }),
      operation<Vec>(
          "norm",
          Accepts::floating,
          [](const Vec & v) { return v.norm(); },
          [](const Arguments & a) { return at::sqrt((a[0] * a[0]).sum(-1)); }),
      operation<Vec>(
          "norm",
          Accepts::floating,
          [](const Vec & v) { return norm(v, 0.25); },
          [](const Arguments & a) { return at::sqrt((a[0] * a[0]).sum(-1) + 0.25); }),
      operation<Vec>(
          "unit",
          Accepts::floating,
          [](const Vec & v) { return unit(v, 0.25); },
          [](const Arguments & a) { return a[0] / at::sqrt((a[0] * a[0]).sum(-1, true) + 0.25); }),
      operation<Vec, Vec>(
          "inner", Accepts::numbers, [](const Vec & v, const Vec & w) { return v.dot(w); }, dot),
      operation<Vec, Vec>(
          "cross",
          Accepts::numbers,
          [](const Vec & v, const Vec & w) { return v.cross(w); },
          [](const Arguments & a) {
            return at::einsum("ijk,...j,...k->...i", {test::permutation(), a[0], a[1]});
          }),
      operation<Vec, Vec>(
          "outer",
          Accepts::numbers,
          [](const Vec & v, const Vec & w) { return v.outer(w); },
          outer),
      operation<Vec>(
          "self_outer",
          Accepts::floating,
          [](const Vec & v) { return v.self_outer(); },
          [=](const Arguments & a) {
            return test::stored_of(outer({a[0], a[0]}));
          }),
      operation<R2, Vec>(
          "R2 * Vec",
          Accepts::numbers,
          [](const R2 & R, const Vec & v) { return v.rotate(R); },
          [](const Arguments & a) {
            return at::einsum("...ij,...j->...i", {a[0], a[1]});
          }),
      operation<Vec, Rot>(
          "rotate",
          Accepts::floating,
          [](const Vec & x, const Rot & r) { return x.rotate(r); },
          [](const Arguments & a) { return test::rotated(a[0], test::rotation_of(a[1])); }),
      operation<Vec, R2>(
          "drotate",
          Accepts::numbers,
          [](const Vec & x, const R2 & R) { return x.drotate(R); },
          [](const Arguments & a) {
            return at::einsum("ij,...k->...ijk", {test::delta(), a[0]});
          })
          .without(test::own_rule),
      operation<Vec, Rot>(
          "drotate",
          Accepts::floating,
          [](const Vec & x, const Rot & r) { return x.drotate(r); },
          [](const Arguments & a)
          {
            return test::jacobian([&](const at::Tensor & r)
                                  { return test::rotated(a[0], test::rotation_of(r)); },
                                  a[1],
                                  1,
                                  1);
          })
          .without(test::own_rule)};
  return all;
}
const test::Battery battery(operations);

const Vec v = Vec::fill(1, 2, 3), w = Vec::fill(-4, 5, 0.5);

} // namespace

TEST_CASE("Operations of Vec pass the battery", "[tensors][Vec][cuda]")
{
  battery.check();
}

TEST_CASE("Vec::fill of numbers is one vector of the options", "[tensors][Vec]")
{
  REQUIRE(at::equal(v, at::tensor({1.0, 2.0, 3.0}, at::kDouble)));
  REQUIRE(v.batch_dim() == 0);
  REQUIRE(Vec::fill(1, 2.5, 3, kFloat32).scalar_type() == kFloat32);
  REQUIRE(at::equal(Vec::fill(1, -2, 3, kInt64), at::tensor({1, -2, 3}, at::kLong)));
  const auto leaf = Vec::fill(1, 2, 3, default_tensor_options().requires_grad(true));
  REQUIRE(leaf.requires_grad());
  REQUIRE(leaf.is_leaf());
  REQUIRE_FALSE(v.requires_grad());
}

TEST_CASE("Vec::fill of scalars broadcasts them", "[tensors][Vec]")
{
  const auto x = Vec::fill(Scalar::create({1, 2}), Scalar::full(3), Scalar::full({3, 1}, 4));
  REQUIRE(x.batch_sizes() == TensorShape{3, 2});
  REQUIRE(at::equal(x.select(0, 2),
                    at::tensor({1.0, 3.0, 4.0, 2.0, 3.0, 4.0}, at::kDouble).reshape({2, 3})));
}

TEST_CASE("The derivative of a vector by itself is the identity", "[tensors][Vec]")
{
  REQUIRE(at::equal(Vec::identity_map(), at::eye(3, at::kDouble)));
  REQUIRE(Vec::identity_map(kFloat32).scalar_type() == kFloat32);
}

TEST_CASE("A component of a Vec is a Scalar of its batch", "[tensors][Vec]")
{
  const Vec x(at::rand({4, 5, 3}, at::kDouble));
  for (int i = 0; i < 3; i++)
    REQUIRE(at::equal(x(i), x.select(-1, i)));
  REQUIRE(x(1).batch_sizes() == TensorShape{4, 5});
  REQUIRE(at::equal(x(-1), x(2)));
  REQUIRE_THROWS_AS(x(3), NEMLException);
  REQUIRE_THROWS_AS(Vec()(0), NEMLException);
}

TEST_CASE("The cross product is that of the book", "[tensors][Vec]")
{
  REQUIRE(at::allclose(v.cross(w), at::tensor({-14.0, -12.5, 13.0}, at::kDouble)));
  REQUIRE(at::allclose(v.cross(w), -w.cross(v)));
  REQUIRE(v.cross(w).dot(v).item<double>() == 0);
  // |v × w|² + (v · w)² = |v|² |w|²
  REQUIRE(at::allclose(v.cross(w).norm_sq() + v.dot(w) * v.dot(w), v.norm_sq() * w.norm_sq()));
}

TEST_CASE("A rotation keeps lengths and angles of vectors", "[tensors][Vec]")
{
  const auto R = R2::fill(0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6);
  REQUIRE(at::allclose(v.rotate(R).norm(), v.norm()));
  REQUIRE(at::allclose(v.rotate(R).dot(w.rotate(R)), v.dot(w)));
  REQUIRE(at::allclose(v.rotate(R).cross(w.rotate(R)), v.cross(w).rotate(R)));
  REQUIRE(at::allclose(v.rotate(R), at::tensor({-1.08, 0.4, 3.56}, at::kDouble)));

  const auto r = Rot::fill(0.1, -0.2, 0.3);
  REQUIRE(at::allclose(v.rotate(r),
                       at::tensor({-2.66882118, -0.46229609, 2.58140966}, at::kDouble),
                       0,
                       5e-9)); // the check value
  const auto derivative = at::tensor({5.10386462,
                                      7.58236002,
                                      -1.06267516,
                                      -10.77038549,
                                      4.42781315,
                                      -5.84147349,
                                      3.34785872,
                                      8.63207573,
                                      -2.14478949},
                                     at::kDouble);
  REQUIRE(at::allclose(v.drotate(r).flatten(), derivative, 0, 5e-9));
  REQUIRE(at::allclose(v.rotate(r), v.rotate(r.euler_rodrigues())));
  REQUIRE(at::allclose(v.rotate(r).rotate(r.inverse()), v));
  REQUIRE(at::allclose(v.rotate(r).cross(w.rotate(r)), v.cross(w).rotate(r)));
}

TEST_CASE("The functions of Vec under other names are the same", "[tensors][Vec]")
{
  const Vec a(at::rand({4, 3}, at::kDouble)), b(at::rand({2, 1, 3}, at::kDouble));
  const R2 R(at::rand({4, 3, 3}, at::kDouble));
  REQUIRE(at::equal(vdot(a, b), a.dot(b)));
  REQUIRE(at::equal(inner(a, b), a.dot(b)));
  REQUIRE(at::equal(cross(a, b), a.cross(b)));
  REQUIRE(at::equal(outer(a, b), a.outer(b)));
  REQUIRE(at::equal(outer(a), a.outer(a)));
  REQUIRE(at::equal(self_outer(a), a.self_outer()));
  REQUIRE(at::equal(norm_sq(a), a.norm_sq()));
  REQUIRE(at::equal(norm(a), a.norm()));
  REQUIRE(at::equal(rotate(a, R), a.rotate(R)));
  REQUIRE(at::equal(rotate(a, Rot(b)), a.rotate(Rot(b))));
  REQUIRE(at::equal(drotate(a, R), a.drotate(R)));
  REQUIRE(at::equal(drotate(a, Rot(b)), a.drotate(Rot(b))));
  REQUIRE(at::equal(a.transform(R), R * a));
  REQUIRE(at::equal(transform(a, R), R * a));
  REQUIRE(at::allclose(R2(self_outer(a)), outer(a)));
}

TEST_CASE("The norm of a zero vector has gradient zero", "[tensors][Vec][autograd]")
{
  const Vec zero(at::zeros({2, 3}, at::kDouble).requires_grad_());
  const auto g = torch::autograd::grad({zero.norm().sum()}, {zero}, {}, true, true)[0];
  REQUIRE(at::equal(g, at::zeros({2, 3}, at::kDouble)));
  const auto h = torch::autograd::grad({norm(zero, 0.25).sum()}, {zero}, {}, true, true)[0];
  REQUIRE(at::equal(h, at::zeros({2, 3}, at::kDouble)));
  // Second derivative of √(v·v + ε) at 0: δ_ij / √ε
  REQUIRE(at::allclose(torch::autograd::grad({h.sum()}, {zero})[0],
                       at::full({2, 3}, 2.0, at::kDouble)));
}

TEST_CASE("unit has length 1, and NaN only where the vector is zero", "[tensors][Vec]")
{
  REQUIRE(at::allclose(unit(v).norm(), at::ones({}, at::kDouble)));
  REQUIRE(at::allclose(unit(v).cross(v), at::zeros({3}, at::kDouble)));
  REQUIRE(unit(Vec::zeros()).isnan().all().item<bool>());
  REQUIRE(at::equal(unit(Vec::zeros(), 1e-12), at::zeros({3}, at::kDouble)));
}

TEST_CASE("Vectors of any length have a norm and a direction, on both paths", "[tensors][Vec]")
{
  const auto direction = at::tensor({2.0, -1.0, 2.0}, at::kDouble) / 3;
  for (const double length : {3e-308, 1e-180, 1.0, 1e200, 1.5e308})
    for (const bool tracked : {false, true})
    {
      const test::WithoutGradientRules composed;
      const Vec x((direction * length).detach().requires_grad_(tracked));
      REQUIRE(std::abs(norm(x).item<double>() / length - 1) < 1e-15);
      REQUIRE(at::allclose(unit(x), direction, 0, 1e-15));
      const Vec shorter(at::full({3}, length, at::kDouble).requires_grad_(tracked));
      REQUIRE(at::allclose(Rot::axis_angle(shorter, Scalar(1.0, kFloat64)),
                           at::full({3}, std::tan(0.25) / std::sqrt(3.0), at::kDouble),
                           0,
                           1e-15));
    }
  REQUIRE(std::isinf(norm(Vec::fill(INFINITY, 1, 2)).item<double>()));
}
} // namespace Vec_test
