// SPDX-License-Identifier: MIT
#include "neml2/tensors/Quaternion.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/vmap.h"
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/rotation.h"

#include <cmath>

#include "neml2/gradients/Quaternion.h"
#include "support/catch.h"

namespace Quaternion_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::operation;

namespace
{
/// Scalar part and vector part.
std::pair<at::Tensor, at::Tensor>
parts(const at::Tensor & q)
{
  return {q.select(-1, 0), q.slice(-1, 1, 4)};
}

at::Tensor
sum(const at::Tensor & a, const at::Tensor & b)
{
  return (a * b).sum(-1);
}

/// The unit quaternion of q shifted towards (1, 0, 0, 0), away from half turns.
at::Tensor
turn(const at::Tensor & q)
{
  const auto p = q + 2.5 * at::eye(1, 4, q.options())[0];
  return p / p.norm(2, -1, true);
}

/// The same for a batch of the library; the operand of a test that expects an error stays
/// unchanged.
Quaternion
turned(const Quaternion & q)
{
  return q.defined() && q.is_floating_point() && !q.is_meta() ? Quaternion(turn(q)) : q;
}

/// The matrix of the product q p of a fixed q: (..., 4, 4).
at::Tensor
left_matrix(const at::Tensor & q)
{
  // i j = k and its cyclic permutations, i i = -1
  at::Tensor table = at::zeros({4, 4, 4}, at::kDouble);
  for (int i = 0; i < 4; i++)
  {
    table[i][i][0] = i == 0 ? 1 : -1;
    table[i][0][i] = table[0][i][i] = 1;
  }
  for (int i = 0; i < 3; i++)
  {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    table[i + 1][j + 1][k + 1] = 1;
    table[j + 1][i + 1][k + 1] = -1;
  }
  return at::einsum("...i,ijk->...kj", {q, table});
}

at::Tensor
product(const at::Tensor & q, const at::Tensor & p)
{
  return at::einsum("...ij,...j->...i", {left_matrix(q), p});
}

at::Tensor
conjugated(const at::Tensor & q)
{
  return q * at::tensor({1.0, -1.0, -1.0, -1.0}, at::kDouble);
}

/// q v q* as a matrix, by the products with 1, i, j, k: for q of any length it is the formula of
/// degree 2 without normalisation.
at::Tensor
matrix(const at::Tensor & q)
{
  const auto I = at::eye(3, at::kDouble);
  const auto [s, u] = parts(q);
  const auto W = -at::einsum("ijk,...k->...ij", {test::permutation(), u});
  return I + 2 * at::einsum("...,...ij->...ij", {s, W}) + 2 * at::matmul(W, W);
}

/// 2 acos(min(|p · q|, 1)), which loses half of its digits where it is small.
at::Tensor
arc(const at::Tensor & p, const at::Tensor & q)
{
  return 2 * at::acos(sum(p, q).abs().clamp_max(1));
}

/// The sign of a number, 1 or -1; it is 1 for 0.
at::Tensor
sign_or_one(const at::Tensor & s)
{
  return at::where(s < 0, -at::ones_like(s), at::ones_like(s));
}

at::Tensor
of_rotation_vector(const at::Tensor & w)
{
  const auto theta = at::sqrt((w * w).sum(-1, true));
  return at::cat({(theta / 2).cos(), w / theta * (theta / 2).sin()}, -1);
}

/// Every operation that may run fused, with its reference on arguments a of equal batch shapes.
const test::Table &
fused()
{
  static const std::vector<test::Operation> all{
      operation<Quaternion, Quaternion>(
          "Quaternion * Quaternion",
          Accepts::floating,
          [](const Quaternion & q, const Quaternion & p) { return q * p; },
          [](const Arguments & a) { return product(a[0], a[1]); }),
      operation<Quaternion>(
          "conjugate",
          Accepts::floating,
          [](const Quaternion & q) { return q.conjugate(); },
          [](const Arguments & a) { return conjugated(a[0]); }),
      operation<Quaternion>(
          "inv",
          Accepts::floating,
          [](const Quaternion & q) { return q.inverse(); },
          [](const Arguments & a) { return conjugated(a[0]) / (a[0] * a[0]).sum(-1, true); }),
      operation<Quaternion>(
          "rotation_matrix",
          Accepts::floating,
          [](const Quaternion & q) { return q.rotation_matrix(); },
          [](const Arguments & a) { return matrix(a[0]); }),
      operation<Vec, Quaternion>(
          "rotate",
          Accepts::floating,
          [](const Vec & v, const Quaternion & q) { return rotate(v, q); },
          [](const Arguments & a) { return test::rotated(a[0], matrix(a[1])); }),
      operation<Rot>(
          "Quaternion(Rot)",
          Accepts::floating,
          [](const Rot & r) { return Quaternion(r); },
          [](const Arguments & a)
          {
            const auto length = at::sqrt((a[0] * a[0]).sum(-1, true)), half = 2 * at::atan(length);
            return at::cat({half.cos(), a[0] / length * half.sin()}, -1);
          }),
      operation<Quaternion>(
          "to_rot",
          Accepts::floating,
          [](const Quaternion & q) { return q.to_rot(); },
          [](const Arguments & a)
          {
            const auto [s, u] = parts(a[0]);
            const auto length = at::sqrt((u * u).sum(-1));
            const auto f =
                sign_or_one(s) / length * at::tan(at::atan2(length, s * sign_or_one(s)) / 2);
            return u * f.unsqueeze(-1);
          }),
      operation<Quaternion, Quaternion>(
          "inner",
          Accepts::numbers,
          [](const Quaternion & q, const Quaternion & p) { return q.dot(p); },
          [](const Arguments & a) { return sum(a[0], a[1]); }),
      operation<Quaternion>(
          "norm_sq",
          Accepts::numbers,
          [](const Quaternion & q) { return q.norm_sq(); },
          [](const Arguments & a) { return sum(a[0], a[0]); }),
      operation<Quaternion>(
          "norm",
          Accepts::floating,
          [](const Quaternion & q) { return q.norm(); },
          [](const Arguments & a) { return at::sqrt(sum(a[0], a[0])); }),
      operation<Quaternion>(
          "unit",
          Accepts::floating,
          [](const Quaternion & q) { return unit(q); },
          [](const Arguments & a) { return a[0] / at::sqrt((a[0] * a[0]).sum(-1, true)); })};
  return all;
}

/// Operations that run fused but have no derivative rule: autograd differentiates the operations of
/// LibTorch.
const test::Table &
without_rule()
{
  static const std::vector<test::Operation> all{
      operation<Vec>(
          "Quaternion::exp_map",
          Accepts::floating,
          [](const Vec & w) { return Quaternion::exp_map(w); },
          [](const Arguments & a) { return of_rotation_vector(a[0]); }),
      operation<Quaternion>(
          "log_map",
          Accepts::floating,
          [](const Quaternion & q) { return q.log_map(); },
          [](const Arguments & a)
          {
            const auto [s, u] = parts(a[0]);
            const auto length = at::sqrt((u * u).sum(-1));
            return u * (2 * sign_or_one(s) * at::atan2(length, s * sign_or_one(s)) / length)
                           .unsqueeze(-1);
          }),
      operation<Quaternion, Quaternion>(
          "dist",
          Accepts::floating,
          [](const Quaternion & p, const Quaternion & q) { return p.dist(q); },
          [](const Arguments & a) { return arc(a[0], a[1]); })
          .without({Check::both_paths}),
      operation<Quaternion, Quaternion, Scalar>(
          "slerp",
          Accepts::floating,
          [](const Quaternion & q, const Quaternion & p, const Scalar & t)
          { return slerp(turned(q), turned(p), t); },
          [](const Arguments & a)
          {
            const auto q = turn(a[0]), other = turn(a[1]);
            const auto p = other * sign_or_one(sum(q, other)).unsqueeze(-1);
            const auto length = [](const at::Tensor & x) { return at::sqrt(sum(x, x)); };
            const auto angle = 2 * at::atan2(length(q - p), length(q + p)).unsqueeze(-1),
                       t = a[2].unsqueeze(-1);
            const auto part = [&](const at::Tensor & of)
            { return at::where(angle.eq(0), of, at::sin(of * angle) / at::sin(angle)); };
            return part(1 - t) * q + part(t) * p;
          }),
      operation<R2>(
          "Quaternion::fill_matrix",
          Accepts::floating,
          [](const R2 & M) { return Quaternion::fill_matrix(M); },
          [](const Arguments & a) // the largest component is the scalar of these matrices
          {
            const auto scalar = 1 + at::einsum("...ii->...", {a[0]}).unsqueeze(-1);
            const auto vector = -at::einsum("ijk,...jk->...i", {test::permutation(), a[0]});
            return turn(at::cat({scalar, vector}, -1) -
                        at::tensor({2.5, 0.0, 0.0, 0.0}, at::kDouble));
          })};
  return all;
}

/// Operations that are one or a few calls of LibTorch.
const test::Table &
others()
{
  static const std::vector<test::Operation> all{
      operation<Scalar, Scalar, Scalar, Scalar>(
          "Quaternion::fill",
          Accepts::any,
          [](const auto &... a) { return Quaternion::fill(a...); },
          [](const Arguments & a) { return at::stack(a, -1); }),
      operation<Vec, Scalar>(
          "Quaternion::axis_angle",
          Accepts::floating,
          [](const Vec & n, const Scalar & theta) { return Quaternion::axis_angle(n, theta); },
          [](const Arguments & a)
          {
            const auto n = a[0] / at::sqrt((a[0] * a[0]).sum(-1, true));
            return of_rotation_vector(n * a[1].unsqueeze(-1));
          }),
      operation<Quaternion>(
          "Quaternion::angle",
          Accepts::floating,
          [](const Quaternion & q) { return q.angle(); },
          [](const Arguments & a)
          { return 2 * at::acos(a[0].select(-1, 0).abs() / at::sqrt(sum(a[0], a[0]))); }),
      operation<Quaternion>(
          "Quaternion::axis",
          Accepts::floating,
          [](const Quaternion & q) { return q.axis(); },
          [](const Arguments & a)
          {
            const auto [s, u] = parts(a[0]);
            return u * (sign_or_one(s) / at::sqrt(sum(u, u))).unsqueeze(-1);
          })};
  return all;
}

test::Table
all_operations()
{
  return test::together(
      {fused(), test::without(test::own_rule, test::together({without_rule(), others()}))});
}
const test::Battery battery(all_operations);

const Rot r = Rot::fill(0.1, -0.2, 0.3), r2 = Rot::fill(0.25, 0.05, -0.1);

bool
close(const at::Tensor & a, const at::Tensor & b, double tolerance = 1e-14)
{
  return at::allclose(a, b, 0, tolerance);
}

Quaternion
random_quaternions(Size n)
{
  return unit(Quaternion(at::randn({n, 4}, at::kDouble)));
}

/// Whether the first and second derivatives of f at x are finite on the composed path, which is the
/// one that autograd differentiates twice.
template <class F>
bool
derivatives_are_finite(const F & f, const at::Tensor & at_)
{
  const at::Tensor x = at_.detach().requires_grad_(true), y = f(x);
  const auto g = torch::autograd::grad({y.sum() + (y * y).sum()}, {x}, {}, true, true)[0];
  const auto h = torch::autograd::grad({(g * g).sum() + g.sum()}, {x}, {}, true, false, true)[0];
  return g.isfinite().all().item<bool>() && (!h.defined() || h.isfinite().all().item<bool>());
}
} // namespace

TEST_CASE("Operations of Quaternion pass the battery", "[tensors][Quaternion][cuda]")
{
  battery.check();
}

TEST_CASE("A Quaternion has the check values of the reference", "[tensors][Quaternion]")
{
  const Quaternion q = r; // implicit
  const auto expected = at::tensor({0.75438596, 0.1754386, -0.35087719, 0.52631579}, at::kDouble);
  REQUIRE(close(q, expected, 5.1e-9));
  REQUIRE(close(q.to_R2(), r.euler_rodrigues()));
  REQUIRE(close(q.to_rot(), r));
}

TEST_CASE("Quaternion::fill of numbers is one quaternion of the options", "[tensors][Quaternion]")
{
  const auto q = Quaternion::fill(1, 2, 3, 4);
  REQUIRE(at::equal(q, at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble)));
  REQUIRE(q(2).item<double>() == 3);
  REQUIRE(q.batch_dim() == 0);
  REQUIRE(Quaternion::fill(1, 2, 3, 4, kFloat32).scalar_type() == kFloat32);
  REQUIRE(at::equal(Quaternion::identity(), at::tensor({1.0, 0.0, 0.0, 0.0}, at::kDouble)));
  REQUIRE(Quaternion::identity(kFloat32).scalar_type() == kFloat32);
  REQUIRE_THROWS_AS(q(4), NEMLException);
}

TEST_CASE("The product of quaternions is that of Hamilton and of rotations",
          "[tensors][Quaternion]")
{
  const auto i = Quaternion::fill(0, 1, 0, 0), j = Quaternion::fill(0, 0, 1, 0),
             k = Quaternion::fill(0, 0, 0, 1);
  REQUIRE(at::equal(i * j, k));
  REQUIRE(at::equal(i * j * k, -Quaternion::identity()));
  const auto q = random_quaternions(20), p = Quaternion(random_quaternions(5).unsqueeze(1));
  REQUIRE(close((q * p).rotation_matrix(), q.rotation_matrix() * p.rotation_matrix()));
  REQUIRE(close((q * p).norm(), at::ones({5, 20}, at::kDouble)));
  REQUIRE(close(q * q.inverse(), Quaternion::identity().expand({20, 4})));
  REQUIRE(close((q * p).inverse(), p.inverse() * q.inverse()));
  REQUIRE(close(q.inverse(), q.conjugate()));
  REQUIRE(close(Quaternion(r * r2), Quaternion(r) * Quaternion(r2)));
  REQUIRE((q * p).batch_sizes() == TensorShape{5, 20});
  REQUIRE_THROWS_AS(random_quaternions(3) * random_quaternions(2), NEMLException);
}

TEST_CASE("The matrix of a quaternion is a rotation, and turns vectors as it does",
          "[tensors][Quaternion]")
{
  const auto q = random_quaternions(50);
  const R2 R = q.rotation_matrix();
  REQUIRE(close(R * R.transpose(), R2::identity().expand({50, 3, 3})));
  REQUIRE(close(R.det(), at::ones({50}, at::kDouble)));
  REQUIRE(close((-q).rotation_matrix(), R));
  const Vec v = Vec::fill(1, 2, 3);
  REQUIRE(close(rotate(v, q), R * v));
  const auto conjugated_v = q * Quaternion::fill(0, 1, 2, 3) * q.conjugate();
  REQUIRE(close(conjugated_v.slice(-1, 1, 4), R * v));
}

TEST_CASE("A quaternion and a matrix are one rotation at any angle about any axis",
          "[tensors][Quaternion]")
{
  const auto axes = at::cat(
      {at::eye(3, at::kDouble), 1 - at::eye(3, at::kDouble), at::randn({50, 3}, at::kDouble)});
  const auto angles = Scalar::create({{0.0},
                                      {1e-9},
                                      {1.0},
                                      {-2.0},
                                      {3.0},
                                      {pi - 1e-9},
                                      {pi},
                                      {-pi},
                                      {pi + 1e-3},
                                      {5.0},
                                      {2 * pi}});
  const auto q = Quaternion::axis_angle(Vec(axes).batch_unsqueeze(0), angles);
  const R2 R = q.rotation_matrix();
  for (const bool tracked : {false, true}) // on both paths
  {
    const auto p = Quaternion::fill_matrix(R2(R.detach().requires_grad_(tracked)));
    REQUIRE(close(p.rotation_matrix(), R));
    REQUIRE(close(p.norm(), at::ones({11, 56}, at::kDouble)));
    REQUIRE((p(0) >= 0).all().item<bool>());
    REQUIRE(close(p, Quaternion::fill_matrix(R)));
    const auto x = Quaternion(q.detach().requires_grad_(tracked)).to_rot();
    REQUIRE(close(x.euler_rodrigues(), R));
    REQUIRE((x.norm_sq() <= 1 + 1e-14).all().item<bool>());
    REQUIRE(close(Quaternion(x).rotation_matrix(), R));
  }
}

TEST_CASE("The rotation of a quaternion is exact near a full turn", "[tensors][Quaternion]")
{
  const auto q = Quaternion::fill(-1, 1e-12, 0, -3e-12);
  REQUIRE(close(q.to_rot(), at::tensor({-5e-13, 0.0, 1.5e-12}, at::kDouble), 1e-27));
  REQUIRE(at::equal((-Quaternion::identity()).to_rot(), at::zeros({3}, at::kDouble)));
  REQUIRE(close((q * 7).to_rot(), q.to_rot(), 1e-27)); // of any length
}

TEST_CASE("Angle, axis and rotation vector are those given", "[tensors][Quaternion]")
{
  const Vec n(at::randn({40, 3}, at::kDouble));
  const auto theta = Scalar(at::linspace(1e-3, 3.14, 40, at::kDouble));
  const auto q = Quaternion::axis_angle(n, theta);
  REQUIRE(close(q.angle(), theta));
  REQUIRE(close(q.axis(), unit(n), 1e-12));
  const Vec w = unit(n) * theta;
  REQUIRE(close(Quaternion::exp_map(w), q));
  REQUIRE(close(q.log_map(), w, 1e-12)); // the sign of a quaternion does not matter
  REQUIRE(close((-q).log_map(), w, 1e-12));
  REQUIRE(close((q * 3).log_map(), w, 1e-12));
  REQUIRE(Quaternion::identity().angle().item<double>() == 0);
  REQUIRE(Quaternion::identity().axis().isnan().all().item<bool>());
  const auto quarter = Quaternion::axis_angle(Vec::fill(0, 0, 2), Scalar(pi / 2, kFloat64));
  REQUIRE(close(rotate(Vec::fill(1, 0, 5), quarter), Vec::fill(0, 1, 5)));
}

TEST_CASE("exp_map and log_map are inverse and accurate at any angle up to π",
          "[tensors][Quaternion]")
{
  const auto lengths = at::tensor(
      {0.0, 1e-300, 1e-12, 1e-4, 0.01, 0.0199, 0.0201, 0.0632, 0.0633, 0.3, 2.0, 3.14, pi},
      at::kDouble);
  const Vec n = unit(Vec::fill(1, -2, 0.5));
  const Vec w(lengths.unsqueeze(-1) * n);
  for (const bool tracked : {false, true})
  {
    const Quaternion q = Quaternion::exp_map(Vec(w.detach().requires_grad_(tracked)));
    REQUIRE(close(q.norm(), at::ones({13}, at::kDouble), 4e-16));
    const at::Tensor half = lengths / 2;
    REQUIRE(close(q(0), half.cos(), 4e-16));
    REQUIRE(at::allclose(q.slice(-1, 1, 4), half.sin().unsqueeze(-1) * n, 2e-15, 0));
    REQUIRE(at::allclose(log_map(q).slice(0, 0, 12), w.slice(0, 0, 12), 4e-15, 0)); // π or -π
  }
  REQUIRE(close(Quaternion::exp_map(Vec(2 * pi * core::raw(n))), -Quaternion::identity(), 3e-16));
  // R(exp w) is the exponential of the skew tensor of w
  REQUIRE(close(Quaternion::exp_map(w).rotation_matrix(),
                at::matrix_exp(-at::einsum("ijk,...k->...ij", {test::permutation(), w})),
                1e-11)); // the accuracy of matrix_exp in LibTorch 1
}

TEST_CASE("dist is the angle of the rotation between, accurate where it is small",
          "[tensors][Quaternion]")
{
  const auto q = random_quaternions(30);
  const auto angles = Scalar::create({{0.0}, {1e-14}, {1e-9}, {1e-3}, {1.0}, {3.0}, {pi}});
  const auto p = Quaternion::axis_angle(Vec::fill(1, 2, -1), angles) * q;
  REQUIRE(close(q.dist(p), at::Tensor(angles).expand({7, 30}), 1e-15 * 4));
  REQUIRE(close(q.dist(-p), q.dist(p)));
  REQUIRE(close(p.dist(q), q.dist(p)));
  REQUIRE(close(unit(q * 2).dist(unit(p * 5)), q.dist(p)));
  REQUIRE(at::equal(q.dist(q), at::zeros({30}, at::kDouble)));
  REQUIRE(at::equal(q.dist(-q), at::zeros({30}, at::kDouble)));
}

TEST_CASE("dist does not normalise quaternions that are of another length",
          "[tensors][Quaternion][autograd]")
{
  at::manual_seed(1);
  const auto q = random_quaternions(30), p = random_quaternions(30);
  const auto formula = [](const auto & a, const auto & b) { return dist(a, b); };
  for (const double length : {1 + 1e-12, 1 + 1e-7, 0.999, 2.0, 0.5, 1e-3, 0.0, 7.0})
    for (const double other : {1.0, 0.3})
      for (const auto dtype : {kFloat64, kFloat32})
      {
        const double tolerance = dtype == kFloat64 ? 1e-12 : 1e-4;
        const Quaternion a = (q * length).to(dtype), b = (p * other).to(dtype);
        const at::Tensor x = a.detach().requires_grad_(), y = b.detach().requires_grad_();
        const at::Tensor expected = arc(x, y), composed = dist(Quaternion(x), Quaternion(y));
        REQUIRE(close(a.dist(b), expected, tolerance));
        REQUIRE(close(b.dist(a), expected, tolerance));
        REQUIRE(close(composed, expected, tolerance));
        REQUIRE(close(vmap(formula, a, b), expected, tolerance));
        if (dtype == kFloat32 || length == 0) // the slope has few digits; there is a kink
          continue;
        const auto slopes = torch::autograd::grad({composed.sum()}, {x, y}, {}, true, true);
        const auto expected_slopes = torch::autograd::grad({expected.sum()}, {x, y});
        REQUIRE(close(slopes[0], expected_slopes[0], 1e-9));
        REQUIRE(close(slopes[1], expected_slopes[1], 1e-9));
        REQUIRE(close(std::get<1>(value_and_jacobian<0>(formula, a, b)), expected_slopes[0], 1e-9));
      }
  REQUIRE((q * 2).dist(q).count_nonzero().item<int64_t>() == 0);
  REQUIRE((q * 1e200).dist(q * 1e200).count_nonzero().item<int64_t>() == 0);
  REQUIRE(close(Quaternion::zeros().dist(q), at::full({30}, pi, at::kDouble)));
  REQUIRE((q * std::nan("")).dist(p).isnan().all().item<bool>());
  REQUIRE(Quaternion(q.mul(std::nan("")).requires_grad_()).dist(p).isnan().all().item<bool>());
}

TEST_CASE("dist of unit quaternions has the slopes of 2 acos |p · q|, also across the sphere",
          "[tensors][Quaternion][autograd]")
{
  const auto q = random_quaternions(30), p = random_quaternions(30);
  const at::Tensor x = q.detach().requires_grad_(), y = p.detach().requires_grad_();
  const auto slope = [&](const at::Tensor & angle)
  {
    const auto g = torch::autograd::grad({angle.sum()}, {x, y}, {}, true, true);
    const auto h = torch::autograd::grad({(g[0] * g[1]).sum()}, {x, y}, {}, true);
    return at::cat({g[0], g[1], h[0], h[1]}, -1);
  };
  const at::Tensor expected = slope(arc(x, y));
  REQUIRE(at::allclose(slope(dist(Quaternion(x), Quaternion(y))), expected, 1e-9, 1e-9));
  const auto formula = [](const auto & a, const auto & b) { return dist(a, b); };
  REQUIRE(at::allclose(slope(vmap(formula, Quaternion(x), Quaternion(y))), expected, 1e-9, 1e-9));
}

TEST_CASE("dist is accurate where it is small, for quaternions rounded to float32",
          "[tensors][Quaternion]")
{
  const auto q = random_quaternions(30);
  const auto angles = Scalar::create({{0.0}, {1e-3}, {1.0}});
  const auto p = Quaternion::axis_angle(Vec::fill(1, 2, -1), angles) * q;
  const Quaternion a = unit(q.to(kFloat32)), b = unit(p.to(kFloat32));
  const at::Tensor expected = at::Tensor(angles).expand({3, 30}).to(kFloat32);
  REQUIRE(close(a.dist(b), expected, 1e-6));
  REQUIRE(close(Quaternion(a.detach().requires_grad_()).dist(b), expected, 1e-6));
  REQUIRE(close(vmap([](const auto & x, const auto & y) { return dist(unit(x), unit(y)); }, a, b),
                expected,
                1e-6));
}

TEST_CASE("dist has derivative 0 where it is 0", "[tensors][Quaternion][autograd]")
{
  const auto p = random_quaternions(4);
  const auto f = [&](const at::Tensor & x) { return at::Tensor(dist(Quaternion(x), p)); };
  const at::Tensor x = p.detach().requires_grad_(true);
  REQUIRE(at::equal(torch::autograd::grad({f(x).sum()}, {x})[0], at::zeros({4, 4}, at::kDouble)));
  REQUIRE(derivatives_are_finite(f, p));
  REQUIRE(derivatives_are_finite(f, -p));
}

TEST_CASE("slerp turns at constant speed along the shorter arc", "[tensors][Quaternion]")
{
  const auto q = random_quaternions(50), p = random_quaternions(50);
  const auto at_ = [&](double t) { return slerp(q, p, Scalar(t, kFloat64)); };
  const Quaternion end(core::raw(p) * core::raw(q.dot(p)).sign().unsqueeze(-1));
  REQUIRE(close(at_(0), q, 1e-15));
  REQUIRE(close(at_(1), end, 1e-15));
  REQUIRE(close(at_(0.3).norm(), at::ones({50}, at::kDouble), 1e-15));
  for (const double t : {0.1, 0.5, 0.9})
  {
    REQUIRE(close(at_(t).dist(q), q.dist(p) * t));
    REQUIRE(close(at_(t).dist(p), q.dist(p) * (1 - t)));
    REQUIRE(close(at_(t), slerp(end, q, Scalar(1 - t, kFloat64))));
    // q exp(t log(q^-1 p))
    const Vec w = (q.inverse() * p).log_map();
    REQUIRE(close(at_(t), q * Quaternion::exp_map(w * t), 1e-13));
  }
  REQUIRE(close(at_(1.5), q * Quaternion::exp_map((q.inverse() * p).log_map() * 1.5), 1e-13));
}

TEST_CASE("slerp is accurate at any distance, on both sides of where it is a series",
          "[tensors][Quaternion]")
{
  const Vec n = unit(Vec::fill(1, -2, 0.5));
  const auto q = Quaternion(r);
  const auto angles = at::tensor(
      {0.0, 1e-300, 1e-12, 1e-6, 1e-3, 0.05, 0.06, 0.063, 0.064, 0.07, 3.1}, at::kDouble);
  const Quaternion p = q * Quaternion::exp_map(Vec(angles.unsqueeze(-1) * n));
  for (const double t : {0.0, 0.25, 1.0, -0.5, 3.0, -8.0, 9.0})
    for (const bool tracked : {false, true})
    {
      const auto x = slerp(q, Quaternion(p.detach().requires_grad_(tracked)), Scalar(t, kFloat64));
      REQUIRE(close(x,
                    q * Quaternion::exp_map(Vec(t * angles.unsqueeze(-1) * n)),
                    t < -1 || t > 3 ? 1e-12 : 3e-15));
      REQUIRE(slerp(q, p, Scalar(t < 0 ? -8.01 : 9.01, kFloat64)).isnan().all().item<bool>());
    }
}

TEST_CASE("Derivatives of quaternions are finite and right where formulas have limits",
          "[tensors][Quaternion][autograd]")
{
  const auto one = Quaternion::identity();
  const auto half_turn = Quaternion::fill(0, 0.6, 0, 0.8);
  const auto t = Scalar(0.3, kFloat64);
  for (const Quaternion & q : {one, -one, half_turn, -half_turn, Quaternion(r)})
  {
    for (const Quaternion & p : {q, -q, one, half_turn})
    {
      REQUIRE(derivatives_are_finite(
          [&](const at::Tensor & x) { return at::Tensor(slerp(Quaternion(x), p, t)); }, q));
      REQUIRE(derivatives_are_finite(
          [&](const at::Tensor & x) { return at::Tensor(slerp(q, p, Scalar(x))); }, t));
      REQUIRE(derivatives_are_finite(
          [&](const at::Tensor & x) { return at::Tensor(dist(Quaternion(x), p)); }, q));
    }
    REQUIRE(derivatives_are_finite(
        [](const at::Tensor & x) { return at::Tensor(Quaternion(x).to_rot()); }, q));
    REQUIRE(derivatives_are_finite(
        [](const at::Tensor & x) { return at::Tensor(Quaternion(x).log_map()); }, q));
    REQUIRE(derivatives_are_finite(
        [](const at::Tensor & x) { return at::Tensor(Quaternion(x).angle()); }, q));
    REQUIRE(derivatives_are_finite([](const at::Tensor & x)
                                   { return at::Tensor(Quaternion::fill_matrix(R2(x))); },
                                   q.rotation_matrix()));
  }
  for (const double length : {0.0, 1e-200, 1e-9, 0.0632, 0.0633, pi, 2 * pi})
    REQUIRE(derivatives_are_finite([](const at::Tensor & x)
                                   { return at::Tensor(Quaternion::exp_map(Vec(x))); },
                                   Vec::fill(0.6 * length, 0, -0.8 * length)));
  REQUIRE(derivatives_are_finite(
      [](const at::Tensor & x) { return at::Tensor(Quaternion(Rot(x))); }, Rot::identity()));

  // At w = 0 ∂q/∂w = (0, I/2) and ∂²s/∂w_i ∂w_j = -δ_ij / 4; and back
  const Vec zero(at::zeros({3}, at::kDouble).requires_grad_());
  const auto q = Quaternion::exp_map(zero);
  for (int i = 0; i < 3; i++)
    REQUIRE(at::equal(torch::autograd::grad({q(i + 1)}, {zero}, {}, true)[0],
                      at::eye(3, at::kDouble)[i] / 2));
  const auto slope = torch::autograd::grad({q(0)}, {zero}, {}, true, true)[0];
  for (int i = 0; i < 3; i++)
    REQUIRE(close(torch::autograd::grad({slope[i]}, {zero}, {}, true)[0],
                  -at::eye(3, at::kDouble)[i] / 4));
  const Quaternion tracked(one.detach().requires_grad_());
  for (int i = 0; i < 3; i++)
    REQUIRE(at::equal(torch::autograd::grad({tracked.log_map()(i)}, {tracked})[0],
                      at::eye(4, at::kDouble)[i + 1] * 2));
}

TEST_CASE("Derivatives of slerp and of log_map are right on both sides of where they are series",
          "[tensors][Quaternion][autograd]")
{
  const Vec n = unit(Vec::fill(1, -2, 0.5));
  for (const double angle : {1e-3, 0.0199, 0.0201, 0.05, 0.0609, 0.0611, 0.07})
  {
    const auto near = Quaternion::exp_map(Vec(angle * core::raw(n)));
    const auto shifted = [&](const Quaternion & q)
    { return Quaternion(core::raw(q) * 1e-3 + near); };
    REQUIRE(test::derivatives_are_right<Quaternion, Scalar>(
        [&](const Quaternion & q, const Scalar & t)
        { return slerp(shifted(q), Quaternion::identity(), t); }));
    REQUIRE(test::derivatives_are_right<Quaternion>([&](const Quaternion & q)
                                                    { return shifted(q).log_map(); }));
    REQUIRE(test::derivatives_are_right<Vec>(
        [&](const Vec & w)
        { return Quaternion::exp_map(Vec(core::raw(w) * 1e-3 + angle * core::raw(n))); }));
  }
}

TEST_CASE("The functions of Quaternion under other names are the same", "[tensors][Quaternion]")
{
  const auto q = random_quaternions(3), p = random_quaternions(3);
  REQUIRE(at::equal(rotation_matrix(q), q.to_R2()));
  REQUIRE(at::equal(rotation_matrix(q), q.rotation_matrix()));
  REQUIRE(at::equal(inner(q, p), q.dot(p)));
  REQUIRE(at::equal(dist(q, p), q.dist(p)));
  REQUIRE(at::equal(inv(q), q.inverse()));
  REQUIRE(at::equal(conjugate(q), q.conjugate()));
  REQUIRE(at::equal(to_rot(q), q.to_rot()));
  REQUIRE(at::equal(log_map(q), q.log_map()));
  REQUIRE(at::equal(norm(q), q.norm()));
  REQUIRE(at::equal(norm_sq(q), q.norm_sq()));
}

TEST_CASE("Only a Rot converts to a Quaternion", "[tensors][Quaternion]")
{
  static_assert(std::is_convertible_v<Rot, Quaternion>);
  static_assert(!std::is_constructible_v<Quaternion, Vec>);
  static_assert(!std::is_constructible_v<Rot, Quaternion>);
  const Quaternion q = Rot::fill(0.1, -0.2, 0.3);
  REQUIRE(close(q.dist(r), at::zeros({}, at::kDouble)));
}
} // namespace Quaternion_test
