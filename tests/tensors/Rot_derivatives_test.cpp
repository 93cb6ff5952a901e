// SPDX-License-Identifier: MIT
#include "neml2/tensors/Rot.h"
#include "support/battery.h"
#include "support/quaternion.h"
#include "support/rotation.h"

#include <cmath>

#include "neml2/tensors/R3.h"
#include "support/catch.h"

namespace Rot_derivatives_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Rotations by less than π/2, whose products are far from 2π.
template <class T>
T
small(const T & r)
{
  return r.defined() && r.is_floating_point() ? T(core::raw(r) * 0.2) : r;
}

/// ∂R_ij/∂r_k with every term written out, W = skew(r), s = r · r:
/// 8 (s - 3) q³ W_ij r_k - 32 q³ (W²)_ij r_k - 4 (1 - s) q² ε_kij - 8 q² (ε_kim W_mj + W_im ε_kmj),
/// q = 1 / (1 + s).
at::Tensor
matrix_derivative(const at::Tensor & r)
{
  const auto e = test::permutation();
  const auto W = -at::einsum("ijk,...k->...ij", {e, r});
  const auto s = (r * r).sum(-1).unsqueeze(-1).unsqueeze(-1).unsqueeze(-1), q = 1 / (1 + s);
  return 8 * (s - 3) * q.pow(3) * at::einsum("...ij,...k->...ijk", {W, r}) -
         32 * q.pow(3) * at::einsum("...im,...mj,...k->...ijk", {W, W, r}) -
         4 * (1 - s) * q * q * at::einsum("kij->ijk", {e}) -
         8 * q * q *
             (at::einsum("kim,...mj->...ijk", {e, W}) + at::einsum("...im,kmj->...ijk", {W, e}));
}

/// ∂(r * x)_i/∂r_j (of_first) or ∂(r * x)_i/∂x_j, computed by quaternions.
at::Tensor
product_derivative(const at::Tensor & x, const at::Tensor & r, bool of_first)
{
  const auto product = [&](const at::Tensor & varied)
  {
    const auto p = test::quaternion_of(of_first ? varied : r),
               q = test::quaternion_of(of_first ? x : varied);
    return test::parameters_of_quaternion(test::quaternion_product(p, q));
  };
  return test::jacobian(product, of_first ? r : x);
}

const test::Table &
operations()
{
  static const std::vector<test::Operation> all{
      operation<Rot>(
          "deuler_rodrigues",
          Accepts::floating,
          [](const Rot & r) { return r.deuler_rodrigues(); },
          [](const Arguments & a) { return matrix_derivative(a[0]); })
          .without(test::own_rule),
      operation<Rot, Rot>(
          "drotate",
          Accepts::floating,
          [](const Rot & x, const Rot & r) { return small(x).drotate(small(r)); },
          [](const Arguments & a) { return product_derivative(small(a[0]), small(a[1]), true); })
          .without(test::own_rule),
      operation<Rot, Rot>(
          "drotate_self",
          Accepts::floating,
          [](const Rot & x, const Rot & r) { return small(x).drotate_self(small(r)); },
          [](const Arguments & a) { return product_derivative(small(a[0]), small(a[1]), false); })
          .without(test::own_rule)};
  return all;
}
const test::Battery battery(operations);

// The rotations of the check values.
const Rot r = Rot::fill(0.1, -0.2, 0.3), t = Rot::fill(0.25, 0.05, -0.1);

/// Equal to the eight digits of the check values.
bool
is(const at::Tensor & x, const std::vector<double> & expected)
{
  return at::allclose(x.flatten(), at::tensor(expected, at::kDouble), 0, 5.1e-9);
}

/// ∂f(x)/∂x by central differences; the index of x is the last one.
at::Tensor
differences(const std::function<at::Tensor(const Rot &)> & f, const Rot & x)
{
  constexpr double h = 1e-5;
  std::vector<at::Tensor> slopes;
  for (int k = 0; k < 3; k++)
  {
    const auto step = at::eye(3, at::kDouble)[k] * h;
    slopes.push_back((f(core::raw(x) + step) - f(core::raw(x) - step)) / (2 * h));
  }
  return at::stack(slopes, -1);
}
} // namespace

TEST_CASE("Derivatives of rotations pass the battery", "[tensors][Rot][cuda]")
{
  battery.check();
}

TEST_CASE("Derivatives of rotations have the check values of the reference", "[tensors][Rot]")
{
  REQUIRE(is(r.deuler_rodrigues()[0],
             {0.28078815,
              1.90071979,
              -2.85107968,
              -0.72464942,
              -0.39742323,
              -1.12747242,
              2.09079177,
              2.1588289,
              1.34778312}));
  REQUIRE(is(r.drotate(t),
             {0.81419474,
              0.45327153,
              0.57622096,
              -0.51800217,
              0.96505557,
              -0.02720756,
              -0.51880576,
              -0.25221305,
              0.93146546}));
  REQUIRE(is(r.drotate_self(t),
             {0.97421558,
              0.32404578,
              -0.11537766,
              -0.34159547,
              0.87075323,
              -0.43876532,
              -0.04037583,
              0.45188141,
              0.92821692}));
}

TEST_CASE("Derivatives of rotations are those of difference quotients", "[tensors][Rot]")
{
  const Rot x(at::rand({6, 3}, at::kDouble) - 0.5), y(at::rand({6, 3}, at::kDouble) - 0.5);
  const auto same = [](const at::Tensor & a, const at::Tensor & b)
  { return at::allclose(a, b, 0, 2e-8); };
  REQUIRE(same(x.deuler_rodrigues(),
               differences([](const Rot & z) { return z.euler_rodrigues(); }, x)));
  const Rot p = small(x), q = small(y);
  REQUIRE(same(p.drotate(q), differences([&](const Rot & z) { return p.rotate(z); }, q)));
  REQUIRE(same(p.drotate_self(q), differences([&](const Rot & z) { return z.rotate(q); }, p)));
}

TEST_CASE("Derivatives of rotations at the identity are those of small rotations", "[tensors][Rot]")
{
  const Rot none = Rot::identity();
  REQUIRE(at::equal(none.deuler_rodrigues(), -4 * test::permutation())); // R = δ + 4 skew(r) + ...
  REQUIRE(at::equal(none.drotate(none), at::eye(3, at::kDouble)));
  REQUIRE(at::equal(none.drotate_self(none), at::eye(3, at::kDouble)));
  REQUIRE(at::equal(none.drotate(r), at::eye(3, at::kDouble)));      // r * 0 = r
  REQUIRE(at::equal(r.drotate_self(none), at::eye(3, at::kDouble))); // 0 * r = r
}

TEST_CASE("The derivatives of a product and of its matrix agree by the chain rule",
          "[tensors][Rot]")
{
  // R(q * p) = R(q) R(p), differentiated by q
  const Rot p = t, q = r;
  const auto left = at::einsum("ijm,mk->ijk", {p.rotate(q).deuler_rodrigues(), p.drotate(q)});
  const auto right = at::einsum("imk,mj->ijk", {q.deuler_rodrigues(), p.euler_rodrigues()});
  REQUIRE(at::allclose(left, right, 0, 1e-14));
}

TEST_CASE("Functions for derivatives of rotations under other names are the same", "[tensors][Rot]")
{
  REQUIRE(at::equal(deuler_rodrigues(r), r.deuler_rodrigues()));
  REQUIRE(at::equal(drotate(r, t), r.drotate(t)));
  REQUIRE(at::equal(drotate_self(r, t), r.drotate_self(t)));
  REQUIRE(at::equal(Rot::identity_map(), at::eye(3, at::kDouble)));
  REQUIRE(Rot::identity_map(kFloat32).scalar_type() == kFloat32);
}
} // namespace Rot_derivatives_test
