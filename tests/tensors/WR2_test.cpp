// SPDX-License-Identifier: MIT
#include "neml2/tensors/WR2.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/quaternion.h"
#include "support/rotation.h"

#include "support/catch.h"

namespace WR2_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::operation;

namespace
{
/// W_ij of axial vectors. (..., 3) -> (..., 3, 3)
at::Tensor
matrix_of(const at::Tensor & w)
{
  return -at::einsum("ijk,...k->...ij", {test::permutation(), w});
}

/// Axial vectors of skew parts. (..., 3, 3) -> (..., 3)
at::Tensor
axial_of(const at::Tensor & A)
{
  return -0.5 * at::einsum("kij,...ij->...k", {test::permutation(), A});
}

/// Every fused operation that only WR2 has.
const test::Table &
operations()
{
  static const std::vector<test::Operation> all{operation<R2>(
      "skew_part",
      Accepts::floating,
      [](const R2 & A) { return WR2(A); },
      [](const Arguments & a) { return axial_of(a[0]); })};
  return all;
}

/// Operations that equal those of the axial vector.
const test::Table &
others()
{
  static const std::vector<test::Operation> all{
      operation<WR2, Rot>(
          "rotate",
          Accepts::floating,
          [](const WR2 & w, const Rot & r) { return w.rotate(r); },
          [](const Arguments & a)
          { return axial_of(test::rotated2(matrix_of(a[0]), test::rotation_of(a[1]))); }),
      operation<WR2, R2>(
          "R2 * Vec",
          Accepts::numbers,
          [](const WR2 & w, const R2 & R) { return w.rotate(R); },
          [](const Arguments & a) { return test::rotated(a[0], a[1]); })
          .without({Check::refusals}),
      operation<WR2, Rot>(
          "drotate",
          Accepts::floating,
          [](const WR2 & w, const Rot & r) { return w.drotate(r); },
          [](const Arguments & a)
          {
            const auto turned = [&](const at::Tensor & r)
            {
              const auto q = test::quaternion_of(r), v = at::zeros_like(q);
              auto p = at::cat({at::zeros_like(a[0].slice(-1, 0, 1)), a[0]}, -1);
              const auto back = at::cat({q.slice(-1, 0, 1), -q.slice(-1, 1, 4)}, -1);
              p = test::quaternion_product(test::quaternion_product(q, p), back);
              return p.slice(-1, 1, 4);
            };
            return test::jacobian(turned, a[1]);
          })
          .without(test::own_rule),
      operation<WR2, Vec>(
          "inner",
          Accepts::numbers,
          [](const WR2 & w, const Vec & v) { return w.dot(v); },
          [](const Arguments & a) { return (a[0] * a[1]).sum(-1); }),
      operation<WR2>(
          "norm_sq",
          Accepts::numbers,
          [](const WR2 & w) { return w.norm_sq(); },
          [](const Arguments & a) {
            return at::einsum("...ij,...ij->...", {matrix_of(a[0]), matrix_of(a[0])}) / 2;
          }),
      operation<WR2>(
          "norm",
          Accepts::floating,
          [](const WR2 & w) { return w.norm(); },
          [](const Arguments & a) { return at::sqrt((a[0] * a[0]).sum(-1)); }),
      operation<WR2, WR2>(
          "cross",
          Accepts::numbers,
          [](const WR2 & w, const WR2 & v) { return w.cross(v); },
          [](const Arguments & a)
          {
            const auto W = matrix_of(a[0]), V = matrix_of(a[1]);
            return axial_of(at::matmul(W, V) - at::matmul(V, W));
          }),
      operation<WR2, Vec>(
          "outer",
          Accepts::numbers,
          [](const WR2 & w, const Vec & v) { return w.outer(v); },
          [](const Arguments & a) {
            return at::einsum("...i,...j->...ij", {a[0], a[1]});
          }),
      operation<WR2>(
          "skew",
          Accepts::numbers,
          [](const WR2 & w) { return full(w); },
          [](const Arguments & a) { return matrix_of(a[0]); }),
      operation<WR2>(
          "()",
          Accepts::any,
          [](const WR2 & w) { return w(0, 2); },
          [](const Arguments & a) { return matrix_of(a[0]).select(-2, 0).select(-1, 2); })
          .without(test::own_rule),
      operation<WR2>(
          "transpose",
          Accepts::any,
          [](const WR2 & w) { return w.transpose(); },
          [](const Arguments & a) { return axial_of(matrix_of(a[0]).transpose(-1, -2)); })
          .without(test::own_rule),
      operation<Scalar, Scalar, Scalar>(
          "WR2::fill",
          Accepts::any,
          [](const auto &... a) { return WR2::fill(a...); },
          [](const Arguments & a) { return at::stack(a, -1); })
          .without(test::own_rule)};
  return all;
}

test::Table
all_operations()
{
  return test::together({operations(), others()});
}
const test::Battery battery(all_operations);

const WR2 w = WR2::fill(0.3, -0.4, 0.5); // of the check values

/// Equal to the eight digits of the check values.
bool
is(const at::Tensor & x, const std::vector<double> & expected)
{
  return at::allclose(x.flatten(), at::tensor(expected, at::kDouble), 0, 5.1e-9);
}
} // namespace

TEST_CASE("Operations of WR2 pass the battery", "[tensors][WR2][cuda]")
{
  battery.check();
}

TEST_CASE("WR2 has the check values of the reference", "[tensors][WR2]")
{
  const WR2 skew = R2::fill(1, 2, 3, 4, 5, 6, 7, 8, 10);
  REQUIRE(is(skew, {1, -2, 1}));
  REQUIRE(is(w.exp(), {0.07579114, -0.10105485, 0.12631857}));
  REQUIRE(is(w.dexp(),
             {0.25359853,
              -0.00128185,
              0.00160232,
              -0.00128185,
              0.25434627,
              -0.00213642,
              0.00160232,
              -0.00213642,
              0.25530766}));
}

TEST_CASE("The components of a WR2 are those of its matrix", "[tensors][WR2]")
{
  const WR2 x(at::rand({2, 4, 3}, at::kDouble));
  const R2 W = full(x);
  for (int i = -3; i < 3; i++)
    for (int j = -3; j < 3; j++)
      REQUIRE(at::equal(x(i, j), W(i, j)));
  REQUIRE(at::equal(x(1), W(0, 2)));
  REQUIRE(test::error_of([&] { x(3, 0); }).find("index 3 is out of range") != std::string::npos);
  REQUIRE(test::error_of([&] { x(0, -4); }).find("index -4 is out of range") != std::string::npos);
  const Vec v = Vec::fill(1, 2, 3);
  REQUIRE(at::allclose(W * v, cross(Vec(x), v))); // W v = w × v
  REQUIRE(at::allclose(R2(x), W));
  REQUIRE(at::allclose(WR2(W), x));
}

TEST_CASE("A skew tensor has no trace, no determinant and no volumetric part", "[tensors][WR2]")
{
  const WR2 x(at::rand({2, 4, 3}, at::kDouble));
  REQUIRE(at::equal(x.tr(), at::zeros({2, 4}, at::kDouble)));
  REQUIRE(at::equal(x.det(), at::zeros({2, 4}, at::kDouble)));
  REQUIRE(at::allclose(full(x).det(), x.det(), 0, 1e-15));
  REQUIRE(at::equal(x.vol(), at::zeros({2, 4, 3}, at::kDouble)));
  REQUIRE(at::equal(x.dev(), x));
  REQUIRE(at::equal(full(x.transpose()), full(x).transpose()));
  for (const auto & message : {test::error_of([] { WR2().tr(); }),
                               test::error_of([] { WR2().det(); }),
                               test::error_of([] { WR2().vol(); }),
                               test::error_of([] { WR2().dev(); })})
    REQUIRE(message.find("undefined tensor") != std::string::npos);
}

TEST_CASE("The derivative of a turned WR2 by the matrix is δ_ij w_k", "[tensors][WR2]")
{
  const WR2 x(at::rand({2, 1, 3}, at::kDouble));
  const R2 R(at::rand({5, 3, 3}, at::kDouble));
  const auto expected = at::einsum("ij,...k->...ijk", {at::eye(3, at::kDouble), x});
  REQUIRE(at::equal(x.drotate(R), expected.expand({2, 5, 3, 3, 3})));
}

TEST_CASE("The functions of WR2 under other names are the same", "[tensors][WR2]")
{
  const Rot r = Rot::fill(0.1, -0.2, 0.3);
  const R2 R = r.euler_rodrigues();
  REQUIRE(at::equal(exp_map(w), w.exp()));
  REQUIRE(at::equal(w.exp_map(), w.exp()));
  REQUIRE(at::equal(dexp_map(w), w.dexp()));
  REQUIRE(at::equal(w.dexp_map(), w.dexp()));
  REQUIRE(at::equal(log_map(r), r.log_map()));
  REQUIRE(at::equal(skew_part(R), WR2(R)));
  REQUIRE(at::equal(rotate(w, r), w.rotate(r)));
  REQUIRE(at::equal(rotate(w, R), w.rotate(R)));
  REQUIRE(at::equal(inner(w, WR2(r)), w.inner(r)));
  REQUIRE(at::equal(norm(w), w.norm()));
  REQUIRE(at::equal(norm_sq(w), w.norm_sq()));
  REQUIRE(at::equal(tr(w), w.tr()));
  REQUIRE(at::equal(det(w), w.det()));
  REQUIRE(at::equal(vol(w), w.vol()));
  REQUIRE(at::equal(dev(w), w.dev()));
  REQUIRE(at::equal(transpose(w), w.transpose()));
  REQUIRE(at::equal(WR2::identity_map(), at::eye(3, at::kDouble)));
  REQUIRE(at::equal(WR2::fill(1, 2, 3, kFloat32), at::tensor({1.0f, 2.0f, 3.0f})));
}
} // namespace WR2_test
