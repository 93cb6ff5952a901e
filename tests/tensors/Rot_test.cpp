// SPDX-License-Identifier: MIT
#include "neml2/tensors/Rot.h"
#include "support/battery.h"
#include "support/parity.h"
#include "support/rotation.h"

#include <cmath>
#include <torch/csrc/autograd/function.h>

#include "neml2/tensors/SR2.h"
#include "support/catch.h"

namespace Rot_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;
using test::rotation_of;

namespace
{
/// Rotations by less than π/2, whose products are far from 2π.
template <class T>
T
small(const T & r)
{
  return r.defined() && r.is_floating_point() ? T(core::raw(r) * 0.2) : r;
}

/// Axes whose length is far from 0.
template <class T>
T
large(const T & n)
{
  return n.defined() && n.is_floating_point() ? T(core::raw(n) + 2) : n;
}

/// r = n tan(θ/4) by the axis and the angle of matrices near the identity, from their logarithm.
at::Tensor
parameters_of(const at::Tensor & R)
{
  const auto axial = -0.5 * at::einsum("ijk,...jk->...i", {test::permutation(), R}); // n sin θ
  const auto sine = at::sqrt((axial * axial).sum(-1, true));
  const auto cosine = (at::einsum("...ii->...", {R}).unsqueeze(-1) - 1) / 2;
  return axial / sine * at::tan(at::atan2(sine, cosine) / 4);
}

/// By the quaternion, whose scalar part is its largest component for the matrices in these checks.
at::Tensor
by_quaternion(const at::Tensor & M)
{
  const auto scalar = 1 + at::einsum("...ii->...", {M}).unsqueeze(-1);
  const auto vector = -at::einsum("ijk,...jk->...i", {test::permutation(), M});
  return vector / (scalar + at::sqrt(scalar * scalar + (vector * vector).sum(-1, true)));
}

/// Every operation that may run fused, with its reference on arguments a of equal batch shapes.
const test::Table &
operations()
{
  const auto product = [](const at::Tensor & a, const at::Tensor & b)
  { return parameters_of(at::matmul(rotation_of(small(a)), rotation_of(small(b)))); };
  static const std::vector<test::Operation> all{
      operation<Rot>(
          "euler_rodrigues",
          Accepts::floating,
          [](const Rot & r) { return r.euler_rodrigues(); },
          [](const Arguments & a) { return rotation_of(a[0]); }),
      operation<Rot, Rot>(
          "Rot * Rot",
          Accepts::floating,
          [](const Rot & r, const Rot & t) { return small(r) * small(t); },
          [=](const Arguments & a) { return product(a[0], a[1]); }),
      operation<Rot, Rot>(
          "Rot * Rot",
          Accepts::floating,
          [](const Rot & r, const Rot & t) { return small(t).rotate(small(r)); },
          [=](const Arguments & a) { return product(a[0], a[1]); }),
      operation<R2>(
          "Rot::fill_matrix",
          Accepts::floating,
          [](const R2 & M) { return Rot::fill_matrix(M); },
          [](const Arguments & a) { return by_quaternion(a[0]); }),
      operation<Scalar, Scalar, Scalar>(
          "Rot::fill_rodrigues",
          Accepts::floating,
          [](const auto &... a) { return Rot::fill_rodrigues(a...); },
          [](const Arguments & a)
          {
            const auto rho = at::stack(a, -1), length = at::sqrt((rho * rho).sum(-1, true));
            return rho / length * at::tan(at::atan(length) / 2);
          })};
  return all;
}

/// Operations that are one or a few calls of LibTorch.
const test::Table &
others()
{
  static const std::vector<test::Operation> all{
      operation<Scalar, Scalar, Scalar>(
          "Rot::fill",
          Accepts::any,
          [](const auto &... a) { return Rot::fill(a...); },
          [](const Arguments & a) { return at::stack(a, -1); })
          .without(test::own_rule),
      operation<Rot>(
          "norm_sq",
          Accepts::numbers,
          [](const Rot & r) { return r.norm_sq(); },
          [](const Arguments & a) { return (a[0] * a[0]).sum(-1); }),
      operation<Rot>(
          "norm",
          Accepts::floating,
          [](const Rot & r) { return r.norm(); },
          [](const Arguments & a) { return at::sqrt((a[0] * a[0]).sum(-1)); }),
      operation<Rot>(
          "inv",
          Accepts::any,
          [](const Rot & r) { return r.inverse(); },
          [](const Arguments & a) { return -a[0]; })
          .without(test::own_rule),
      operation<Vec, Scalar>(
          "Rot::axis_angle",
          Accepts::floating,
          [](const Vec & n, const Scalar & theta) { return Rot::axis_angle(large(n), theta); },
          [](const Arguments & a)
          {
            const auto n = large(a[0]) / at::sqrt((large(a[0]) * large(a[0])).sum(-1, true));
            return n * at::tan(a[1] / 4).unsqueeze(-1);
          })
          .without(test::own_rule)};
  return all;
}

test::Table
all_operations()
{
  return test::together({operations(), others()});
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

/// n rotations of any angle up to 1.1 π about any axis.
Rot
random_rotations(Size n)
{
  const Vec axes(at::randn({n, 3}, at::kDouble));
  return Rot::axis_angle(axes, Scalar(1.1 * M_PI * at::rand({n}, at::kDouble)));
}

/// Axes along and across the coordinates. (10, 3)
at::Tensor
axes()
{
  return at::cat(
      {at::eye(3, at::kDouble),
       1 - at::eye(3, at::kDouble),
       at::tensor({1.0, -2.0, 0.5, -1.0, 1.0, 1.0, -1.0, -3.0, 0.0, 1e-9, 1.0, 1e-3}, at::kDouble)
           .reshape({4, 3})});
}
} // namespace

TEST_CASE("Operations of Rot pass the battery", "[tensors][Rot][cuda]")
{
  battery.check();
}

TEST_CASE("Rot has the check values of the reference", "[tensors][Rot]")
{
  REQUIRE(is(r.euler_rodrigues(),
             {0.19975377,
              -0.91720529,
              -0.34472145,
              0.67097568,
              0.38442598,
              -0.63404124,
              0.71406587,
              -0.10464758,
              0.69221299}));
  REQUIRE(is(r * t, {0.30514176, 0.02691014, 0.28976454}));
  REQUIRE(is(r.rotate(t), {0.28592023, -0.29985584, 0.07832773}));
}

TEST_CASE("The matrix of a rotation is orthogonal and of determinant 1", "[tensors][Rot]")
{
  const Rot x = random_rotations(50);
  const R2 R = x.euler_rodrigues();
  REQUIRE(at::allclose(R * R.transpose(), R2::identity().expand({50, 3, 3}), 0, 1e-14));
  REQUIRE(at::allclose(R.det(), at::ones({50}, at::kDouble), 0, 1e-14));
  REQUIRE(at::allclose(R.transpose(), x.inverse().euler_rodrigues(), 0, 1e-15));
  REQUIRE(at::allclose(R * Vec(x), x, 0, 1e-14)); // the axis stays
}

TEST_CASE("The matrix of a product of rotations is the product of their matrices", "[tensors][Rot]")
{
  const Rot x = small(random_rotations(20)), y(small(random_rotations(5)).unsqueeze(1));
  REQUIRE(at::allclose((x * y).euler_rodrigues(), x.euler_rodrigues() * y.euler_rodrigues()));
  REQUIRE(at::allclose(x.rotate(y), y * x));
  REQUIRE(at::allclose((x * y).inverse(), y.inverse() * x.inverse()));
  REQUIRE(at::allclose(x * x.inverse(), at::zeros({20, 3}, at::kDouble), 0, 1e-16));
  REQUIRE(at::equal(x * Rot::identity(), x));
  REQUIRE(at::equal(Rot::identity() * x, x));
}

TEST_CASE("The identity turns nothing", "[tensors][Rot]")
{
  REQUIRE(at::equal(Rot::identity(), at::zeros({3}, at::kDouble)));
  REQUIRE(Rot::identity(kFloat32).scalar_type() == kFloat32);
  REQUIRE(at::equal(Rot::identity().euler_rodrigues(), R2::identity()));
}

TEST_CASE("Axis and angle turn counterclockwise about the axis", "[tensors][Rot]")
{
  const auto quarter = Rot::axis_angle(Vec::fill(0, 0, 2), Scalar(M_PI / 2, kFloat64));
  REQUIRE(at::allclose(Vec::fill(1, 0, 5).rotate(quarter), Vec::fill(0, 1, 5), 0, 1e-15));
  REQUIRE(at::allclose(quarter * quarter, Vec::fill(0, 0, 1), 0, 1e-15));
  const auto turns =
      Rot::axis_angle(Vec(axes()).batch_unsqueeze(0), Scalar::create({{0.0}, {1.0}}));
  REQUIRE(turns.batch_sizes() == TensorShape{2, 10});
  REQUIRE(at::equal(turns[0], at::zeros({10, 3}, at::kDouble)));
}

TEST_CASE("Rodrigues parameters n tan(θ/2) and n tan(θ/4) are one rotation", "[tensors][Rot]")
{
  const Vec n(axes());
  const Vec unit_axes = unit(n);
  const auto theta = Scalar(at::linspace(-3, 3, 10, at::kDouble));
  const Vec rho(core::raw(unit_axes) * at::tan(core::raw(theta) / 2).unsqueeze(-1));
  REQUIRE(at::allclose(Rot::fill_rodrigues(rho(0), rho(1), rho(2)), Rot::axis_angle(n, theta)));
}

TEST_CASE("The rotation of a matrix has that matrix, at any angle about any axis", "[tensors][Rot]")
{
  const auto angles = Scalar::create({{0.0},
                                      {1e-200},
                                      {1e-9},
                                      {1e-3},
                                      {1.0},
                                      {-2.0},
                                      {3.0},
                                      {M_PI - 1e-3},
                                      {M_PI - 1e-9},
                                      {M_PI},
                                      {-M_PI}});
  const auto x = Rot::axis_angle(Vec(axes()).batch_unsqueeze(0), angles);
  const R2 R = x.euler_rodrigues();
  for (const bool tracked : {false, true}) // on both paths
  {
    const auto y = Rot::fill_matrix(R2(R.detach().requires_grad_(tracked)));
    REQUIRE(at::allclose(y.euler_rodrigues(), R, 0, 1e-14));
    REQUIRE((y.norm_sq() <= 1 + 1e-15).all().item<bool>());
    REQUIRE(at::allclose(y.slice(0, 0, 9), x.slice(0, 0, 9), 1e-14, 1e-15));
    REQUIRE(at::allclose(Rot::fill_matrix(R), y, 0, 1e-15)); // and the same one of r and -r
  }
  const Rot some = random_rotations(1000);
  REQUIRE(at::allclose(Rot::fill_matrix(some.euler_rodrigues()).euler_rodrigues(),
                       some.euler_rodrigues(),
                       0,
                       1e-14));
  const Rot floats = some.to(kFloat32);
  REQUIRE(at::allclose(Rot::fill_matrix(floats.euler_rodrigues()).euler_rodrigues(),
                       floats.euler_rodrigues(),
                       0,
                       1e-6));
}

TEST_CASE("The gradient of a rotation by its matrix is finite everywhere",
          "[tensors][Rot][autograd]")
{
  const auto angles = Scalar::create({{0.0}, {1e-12}, {1.0}, {M_PI - 1e-9}, {M_PI}});
  const R2 R(Rot::axis_angle(Vec(axes()).batch_unsqueeze(0), angles)
                 .euler_rodrigues()
                 .detach()
                 .requires_grad_());
  const auto g = torch::autograd::grad({Rot::fill_matrix(R).sum()}, {R}, {}, true, true)[0];
  REQUIRE(g.isfinite().all().item<bool>());
  REQUIRE((g.abs() < 1).all().item<bool>());
  REQUIRE(torch::autograd::grad({g.pow(2).sum()}, {R})[0].isfinite().all().item<bool>());
  // At the identity ∂r_i/∂R_jk = -ε_ijk / 8
  const R2 I(R2::identity().requires_grad_());
  for (int i = 0; i < 3; i++)
    REQUIRE(at::equal(torch::autograd::grad({Rot::fill_matrix(I)(i)}, {I})[0],
                      -test::permutation()[i] / 8));
}

TEST_CASE("The gradient of a rotation by its matrix is fused and right at any angle",
          "[tensors][Rot][autograd]")
{
  const R2 R(Rot::axis_angle(Vec(at::randn({200, 3}, at::kDouble)),
                             Scalar(3.5 * at::rand({200}, at::kDouble)))
                 .euler_rodrigues()
                 .detach()
                 .requires_grad_());
  const auto weight = at::randn({200, 3}, at::kDouble).requires_grad_();
  const auto derivatives = [&]
  {
    const auto y = Rot::fill_matrix(R);
    const auto g = torch::autograd::grad({y}, {R}, {weight}, true, /*create_graph=*/true)[0];
    const auto second = torch::autograd::grad({g.pow(2).sum()}, {R, weight});
    return std::vector<at::Tensor>{g, second[0], second[1]};
  };
  REQUIRE(Rot::fill_matrix(R).grad_fn()->name() == "Rot::fill_matrixBackward");
  const auto by_rule = derivatives();
  const test::WithoutGradientRules guard;
  const auto composed = derivatives();
  for (size_t i = 0; i < composed.size(); i++)
    REQUIRE(at::allclose(by_rule[i], composed[i], 1e-11, 1e-12));
}

TEST_CASE("The derivative of a matrix and back is the identity", "[tensors][Rot][autograd]")
{
  const Rot x(small(random_rotations(5)).requires_grad_());
  for (int i = 0; i < 3; i++)
  {
    const auto y = Rot::fill_matrix(x.euler_rodrigues());
    const auto g = torch::autograd::grad({y(i).sum()}, {x})[0];
    REQUIRE(at::allclose(g, at::eye(3, at::kDouble)[i].expand({5, 3}), 0, 1e-14));
  }
}

TEST_CASE("A Rot is a Vec under another name, both ways", "[tensors][Rot]")
{
  const Vec v = r;
  REQUIRE(at::equal(v, r));
  REQUIRE(v.is_alias_of(r));
  const Rot back = v;
  REQUIRE(at::equal(back.euler_rodrigues(), r.euler_rodrigues()));
  REQUIRE(r(1).item<double>() == -0.2);
  REQUIRE(at::equal(r.cross(t), neml2::cross(v, t)));
  REQUIRE(at::equal(r.outer(t), neml2::outer(v, t)));
  REQUIRE(Rot::fill(0.1, -0.2, 0.3, kFloat32).scalar_type() == kFloat32);
}

TEST_CASE("Rotations and spins are vectors for functions of vectors, not tensors for LibTorch's",
          "[tensors][Rot]")
{
  const at::Tensor a = at::rand({3, 3}, kFloat64), b = at::rand({2, 1, 3}, kFloat64);
  const Vec v(a), w(b);
  const auto c = neml2::cross(v, w);
  for (const auto & x : {cross(Rot(a), Rot(b)),
                         cross(Rot(a), w),
                         cross(v, Rot(b)),
                         cross(WR2(a), WR2(b)),
                         cross(WR2(a), Rot(b)),
                         cross(v, WR2(b))})
    REQUIRE(at::equal(x, c));
  const auto o = neml2::outer(v, w);
  for (const auto & x : {outer(Rot(a), Rot(b)),
                         outer(Rot(a), w),
                         outer(v, Rot(b)),
                         outer(WR2(a), WR2(b)),
                         outer(WR2(a), Rot(b)),
                         outer(v, WR2(b))})
    REQUIRE(at::equal(x, o));
  const auto n = inner(v, w);
  for (const auto & x :
       {vdot(v, w), vdot(Rot(a), w), vdot(WR2(a), WR2(b)), inner(Rot(a), Rot(b)), inner(WR2(a), w)})
    REQUIRE(at::equal(x, n));
  REQUIRE(at::equal(norm_sq(WR2(a)), norm_sq(v)));
  REQUIRE(at::equal(norm(Rot(a)), norm(v)));
}

TEST_CASE("The functions of Rot under other names are the same", "[tensors][Rot]")
{
  REQUIRE(at::equal(euler_rodrigues(r), r.euler_rodrigues()));
  REQUIRE(at::equal(inv(r), r.inverse()));
  REQUIRE(at::equal(rotate(r, t), r.rotate(t)));
  REQUIRE(at::equal(rotate(r, t), t * r));
}

TEST_CASE("Rotations broadcast in their batch dimensions only", "[tensors][Rot]")
{
  REQUIRE((Rot::ones({5}) * Rot::zeros()).batch_sizes() == TensorShape{5});
  REQUIRE((Rot::zeros({3}) * Rot::zeros({2, 1})).batch_sizes() == TensorShape{2, 3});
  REQUIRE((Rot::zeros({0}) * Rot::zeros({1})).batch_sizes() == TensorShape{0});
  REQUIRE_THROWS_AS(Rot::zeros({3}) * Rot::zeros({2}), NEMLException);
}
} // namespace Rot_test
