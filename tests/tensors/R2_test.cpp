// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/jacobian.h"
#include "support/parity.h"
#include "support/rotation.h"

#include "support/catch.h"

namespace R2_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Every operation that may run fused, with its reference on arguments a of equal batch shapes.
const test::Table &
operations()
{
  const auto square = [](const Arguments & a) { return test::sum_last(a[0] * a[0], 2); };
  static const std::vector<test::Operation> all{
      operation<Scalar>(
          "R2::fill",
          Accepts::any,
          [](const Scalar & a) { return R2::fill(a); },
          [](const Arguments & a) {
            return at::einsum("...,ij->...ij", {a[0], test::delta()});
          })
          .without(test::own_rule),
      operation<Scalar, Scalar, Scalar>(
          "R2::fill",
          Accepts::any,
          [](const Scalar & a, const Scalar & b, const Scalar & c) { return R2::fill(a, b, c); },
          [](const Arguments & a) { return at::diag_embed(at::stack(a, -1)); })
          .without(test::own_rule),
      operation<Scalar, Scalar, Scalar, Scalar, Scalar, Scalar>(
          "R2::fill",
          Accepts::any,
          [](const auto &... a) { return R2::fill(a...); },
          [](const Arguments & a)
          {
            return at::stack({a[0], a[5], a[4], a[5], a[1], a[3], a[4], a[3], a[2]}, -1)
                .unflatten(-1, {3, 3});
          })
          .without(test::own_rule),
      operation<Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar>(
          "R2::fill",
          Accepts::any,
          [](const auto &... a) { return R2::fill(a...); },
          [](const Arguments & a) {
            return at::stack(a, -1).unflatten(-1, {3, 3});
          })
          .without(test::own_rule),
      operation<Vec>(
          "skew",
          Accepts::numbers,
          [](const Vec & v) { return R2::skew(v); },
          [](const Arguments & a) {
            return -at::einsum("ijk,...k->...ij", {test::permutation(), a[0]});
          }),
      operation<R2>(
          "tr",
          Accepts::numbers,
          [](const R2 & A) { return A.tr(); },
          [](const Arguments & a) { return at::einsum("...ii->...", {a[0]}); }),
      operation<R2>(
          "vol",
          Accepts::floating,
          [](const R2 & A) { return A.vol(); },
          [](const Arguments & a) { return test::volumetric(a[0]); }),
      operation<R2>(
          "dev",
          Accepts::floating,
          [](const R2 & A) { return A.dev(); },
          [](const Arguments & a) { return a[0] - test::volumetric(a[0]); }),
      operation<R2>(
          "det",
          Accepts::numbers,
          [](const R2 & A) { return A.det(); },
          [](const Arguments & a) { return at::linalg_det(a[0]); }),
      operation<R2>(
          "inv",
          Accepts::floating,
          [](const R2 & A) { return A.inverse(); },
          [](const Arguments & a) { return at::linalg_inv(a[0]); }),
      operation<R2>(
          "norm_sq", Accepts::numbers, [](const R2 & A) { return A.norm_sq(); }, square),
      operation<R2>(
          "norm",
          Accepts::floating,
          [](const R2 & A) { return A.norm(); },
          [=](const Arguments & a) { return at::sqrt(square(a)); }),
      operation<R2>(
          "norm",
          Accepts::floating,
          [](const R2 & A) { return A.norm(0.25); },
          [=](const Arguments & a) { return at::sqrt(square(a) + 0.25); }),
      operation<R2>(
          "unit",
          Accepts::floating,
          [](const R2 & A) { return unit(A, 0.25); },
          [=](const Arguments & a)
          { return a[0] / at::sqrt(square(a) + 0.25).unsqueeze(-1).unsqueeze(-1); }),
      operation<R2, R2>(
          "inner",
          Accepts::numbers,
          [](const R2 & A, const R2 & B) { return A.inner(B); },
          [](const Arguments & a) {
            return at::einsum("...ij,...ij->...", {a[0], a[1]});
          }),
      operation<R2, R2>(
          "rotate",
          Accepts::numbers,
          [](const R2 & A, const R2 & R) { return A.rotate(R); },
          [](const Arguments & a) {
            return at::einsum("...ik,...kl,...jl->...ij", {a[1], a[0], a[1]});
          }),
      operation<R2, Rot>(
          "rotate",
          Accepts::floating,
          [](const R2 & x, const Rot & r) { return x.rotate(r); },
          [](const Arguments & a) { return test::rotated2(a[0], test::rotation_of(a[1])); }),
      operation<R2, R2>(
          "drotate",
          Accepts::numbers,
          [](const R2 & A, const R2 & R) { return A.drotate(R); },
          [](const Arguments & a)
          {
            return at::einsum("ik,...jn,...ln->...ijkl", {test::delta(), a[1], a[0]}) +
                   at::einsum("jk,...im,...ml->...ijkl", {test::delta(), a[1], a[0]});
          })
          .without(test::own_rule),
      operation<R2, Rot>(
          "drotate",
          Accepts::floating,
          [](const R2 & x, const Rot & r) { return x.drotate(r); },
          [](const Arguments & a)
          {
            return test::jacobian([&](const at::Tensor & r)
                                  { return test::rotated2(a[0], test::rotation_of(r)); },
                                  a[1],
                                  2,
                                  1);
          })
          .without(test::own_rule),
      operation<R2, R2>(
          "outer",
          Accepts::numbers,
          [](const R2 & A, const R2 & B) { return A.outer(B); },
          [](const Arguments & a) {
            return at::einsum("...ij,...kl->...ijkl", {a[0], a[1]});
          })
          .without(test::own_rule),
      operation<R2, R2>(
          "R2 * R2",
          Accepts::numbers,
          [](const R2 & A, const R2 & B) { return A * B; },
          [](const Arguments & a) {
            return at::einsum("...ik,...kj->...ij", {a[0], a[1]});
          }),
      operation<R2, Vec>(
          "R2 * Vec",
          Accepts::numbers,
          [](const R2 & A, const Vec & v) { return A * v; },
          [](const Arguments & a) {
            return at::einsum("...ik,...k->...i", {a[0], a[1]});
          })};
  return all;
}

/// Operations that are views of their argument.
const test::Table &
views()
{
  static const std::vector<test::Operation> all{
      operation<R2>(
          "transpose",
          Accepts::any,
          [](const R2 & A) { return A.transpose(); },
          [](const Arguments & a) { return at::einsum("...ij->...ji", {a[0]}); }),
      operation<R2>(
          "row",
          Accepts::any,
          [](const R2 & A) { return A.row(1); },
          [](const Arguments & a)
          { return a[0].index_select(-2, at::tensor({1}, at::kLong)).squeeze(-2); }),
      operation<R2>(
          "col",
          Accepts::any,
          [](const R2 & A) { return A.col(-1); },
          [](const Arguments & a)
          { return a[0].index_select(-1, at::tensor({2}, at::kLong)).squeeze(-1); }),
      operation<R2>(
          "()",
          Accepts::any,
          [](const R2 & A) { return A(1, 2); },
          [](const Arguments & a)
          { return a[0].flatten(-2).index_select(-1, at::tensor({5}, at::kLong)).squeeze(-1); })};
  return all;
}

test::Table
all_operations()
{
  return test::together({operations(), test::without(test::own_rule, views())});
}
const test::Battery battery(all_operations);

const R2 A = R2::fill(1, 2, 3, 4, 5, 6, 7, 8, 10);
const R2 R = R2::fill(0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6); // a rotation

} // namespace

TEST_CASE("Operations of R2 pass the battery", "[tensors][R2][cuda]")
{
  battery.check();
}

TEST_CASE("R2::fill of numbers takes one, three, six or nine of them", "[tensors][R2]")
{
  const auto matrix = [](std::vector<double> v) {
    return at::tensor(v, at::kDouble).reshape({3, 3});
  };
  REQUIRE(at::equal(R2::fill(2), matrix({2, 0, 0, 0, 2, 0, 0, 0, 2})));
  REQUIRE(at::equal(R2::fill(1, 2.5, 3), matrix({1, 0, 0, 0, 2.5, 0, 0, 0, 3})));
  REQUIRE(
      at::equal(R2::fill(1, 2, 3, 0.4, 0.5, 0.6), matrix({1, 0.6, 0.5, 0.6, 2, 0.4, 0.5, 0.4, 3})));
  REQUIRE(at::equal(R2::fill(0, -1.2, 0.8, 1, 2, 3, 4, 5, 6),
                    matrix({0, -1.2, 0.8, 1, 2, 3, 4, 5, 6})));
  REQUIRE(R2::fill(2, kFloat32).scalar_type() == kFloat32);
  REQUIRE(R2::fill(1, 2, 3, kFloat32).scalar_type() == kFloat32);
  REQUIRE(R2::fill(1, 2, 3, 4, 5, 6, kFloat32).scalar_type() == kFloat32);
  REQUIRE(
      at::equal(R2::fill(1, 2, 3, 4, 5, 6, 7, 8, 9, kInt64), at::arange(1, 10).reshape({3, 3})));
  REQUIRE(R2::fill(2, default_tensor_options().requires_grad(true)).is_leaf());
  REQUIRE(R2::fill(2, default_tensor_options().requires_grad(true)).requires_grad());
}

TEST_CASE("R2::fill of scalars broadcasts them", "[tensors][R2]")
{
  const auto x = R2::fill(Scalar::create({1, 2}), Scalar::full(3), Scalar::full({3, 1}, 4));
  REQUIRE(x.batch_sizes() == TensorShape{3, 2});
  REQUIRE(at::equal(x[1][0], R2::fill(1, 3, 4)));
  REQUIRE(at::equal(x[2][1], R2::fill(2, 3, 4)));
}

TEST_CASE("The identity is δ and neutral", "[tensors][R2]")
{
  REQUIRE(at::equal(R2::identity(), at::eye(3, at::kDouble)));
  REQUIRE(R2::identity(kFloat32).scalar_type() == kFloat32);
  REQUIRE(at::equal(R2::identity_map(), at::eye(9, at::kDouble).reshape({3, 3, 3, 3})));
  REQUIRE(R2::identity_map(kFloat32).scalar_type() == kFloat32);
  REQUIRE(R2::identity_map(default_tensor_options().requires_grad(true)).is_leaf());
  REQUIRE(R2::identity_map(default_tensor_options().requires_grad(true)).requires_grad());
  REQUIRE_THROWS_AS(R2::identity_map(TensorOptions(kInt64).requires_grad(true)), NEMLException);
  REQUIRE(at::equal(R2::identity() * A, A));
  REQUIRE(at::equal(A * R2::identity(), A));
}

TEST_CASE("A component, row or column of an R2 is out of range beyond 2", "[tensors][R2][errors]")
{
  REQUIRE(A(0, 1).item<double>() == 2);
  REQUIRE(at::equal(A.row(-1), Vec::fill(7, 8, 10)));
  REQUIRE(at::equal(A.col(0), Vec::fill(1, 4, 7)));
  REQUIRE_THROWS_AS(A(0, 3), NEMLException);
  REQUIRE_THROWS_AS(A(-4, 0), NEMLException);
  REQUIRE(test::error_of([] { (void)A.row(3); }).rfind("row: the component index 3", 0) == 0);
  REQUIRE(test::error_of([] { (void)A.col(-4); }).rfind("col: the component index -4", 0) == 0);
}

TEST_CASE("A WR2 becomes an R2 implicitly, a Rot explicitly", "[tensors][R2]")
{
  const auto matrix = [](const R2 & M) { return M; };
  const WR2 W(at::rand({4, 3}, at::kDouble));
  REQUIRE(at::equal(matrix(W), R2::skew(Vec(W))));
  static_assert(!std::is_convertible_v<Rot, R2>);
  const Rot r(at::rand({4, 3}, at::kDouble));
  REQUIRE(at::equal(R2(r), r.euler_rodrigues()));
}

TEST_CASE("Determinant and inverse of R2 obey their laws", "[tensors][R2]")
{
  const R2 M(test::values({5}, {3, 3}, at::kDouble)), N(test::values({4, 1}, {3, 3}, at::kDouble));
  REQUIRE(at::allclose(A.det(), at::full({}, -3.0, at::kDouble)));
  REQUIRE(at::allclose((M * N).det(), M.det() * N.det()));
  REQUIRE(at::allclose(M.transpose().det(), M.det()));
  REQUIRE(at::allclose(M * M.inverse(), R2::identity().expand({5, 3, 3})));
  REQUIRE(at::allclose((M * N).inverse(), N.inverse() * M.inverse()));
  REQUIRE(at::allclose(A.inverse() * A, R2::identity()));
}

TEST_CASE("A singular R2 has no finite inverse", "[tensors][R2]")
{
  REQUIRE_FALSE(R2::fill(1, 2, 0).inverse().isfinite().all().item<bool>());
}

TEST_CASE("skew of a vector crosses with it", "[tensors][R2]")
{
  const Vec v(at::rand({5, 3}, at::kDouble)), a(at::rand({2, 1, 3}, at::kDouble));
  REQUIRE(at::allclose(R2::skew(v) * a, v.cross(a)));
  REQUIRE(at::equal(R2::skew(Vec::fill(1, 2, 3)), R2::fill(0, -3, 2, 3, 0, -1, -2, 1, 0)));
}

TEST_CASE("A rotation keeps the invariants of R2", "[tensors][R2]")
{
  REQUIRE(at::allclose(R * R.transpose(), R2::identity()));
  const R2 T(test::values({5}, {3, 3}, at::kDouble));
  REQUIRE(at::allclose(T.rotate(R).tr(), T.tr()));
  REQUIRE(at::allclose(T.rotate(R).det(), T.det()));
  REQUIRE(at::allclose(T.rotate(R).norm(), T.norm()));
  REQUIRE(at::allclose(T.rotate(R).inverse(), T.inverse().rotate(R)));
  REQUIRE(at::allclose(T.rotate(R).rotate(R.transpose()), T));

  const Rot r(at::rand({4, 1, 3}, at::kDouble));
  REQUIRE(at::allclose(T.rotate(r), T.rotate(r.euler_rodrigues())));
  REQUIRE(at::allclose(T.rotate(r).det(), T.det().expand({4, 5})));
  REQUIRE(at::allclose(T.rotate(r).rotate(r.inverse()), T.expand({4, 5, 3, 3})));
}

TEST_CASE("The derivative of a rotated R2 is that of its vectors", "[tensors][R2]")
{
  const Vec a(at::rand({4, 3}, at::kDouble)), b(at::rand({4, 3}, at::kDouble));
  const Rot r(at::rand({4, 3}, at::kDouble));
  REQUIRE(at::allclose(a.outer(b).drotate(r),
                       at::einsum("...ik,...j->...ijk", {a.drotate(r), b.rotate(r)}) +
                           at::einsum("...i,...jk->...ijk", {a.rotate(r), b.drotate(r)})));
  // At r = 0 a rotation dr changes a by 4 dr × a to first order.
  REQUIRE(at::allclose(a.drotate(Rot::identity()), R2::skew(a) * -4));
}

TEST_CASE("dev has no trace and is orthogonal to vol", "[tensors][R2]")
{
  const R2 T(test::values({5}, {3, 3}, at::kDouble));
  const auto zero = at::zeros({5}, at::kDouble);
  REQUIRE(at::allclose(T.dev().tr(), zero, 0, 1e-14));
  REQUIRE(at::allclose(T.dev().inner(T.vol()), zero, 0, 1e-14));
  REQUIRE(at::allclose(T.dev() + T.vol(), T));
}

TEST_CASE("The functions of R2 under other names are the same", "[tensors][R2]")
{
  const R2 M(test::values({4}, {3, 3}, at::kDouble)), N(test::values({2, 1}, {3, 3}, at::kDouble));
  const Vec v(at::rand({4, 3}, at::kDouble));
  REQUIRE(at::equal(tr(M), M.tr()));
  REQUIRE(at::equal(vol(M), M.vol()));
  REQUIRE(at::equal(dev(M), M.dev()));
  REQUIRE(at::equal(det(M), M.det()));
  REQUIRE(at::equal(inv(M), M.inverse()));
  REQUIRE(at::equal(transpose(M), M.transpose()));
  REQUIRE(at::equal(inner(M, N), M.inner(N)));
  REQUIRE(at::equal(norm_sq(M), M.norm_sq()));
  REQUIRE(at::equal(norm(M), M.norm()));
  REQUIRE(at::equal(norm(M, 2), M.norm(2)));
  REQUIRE(at::equal(skew(v), R2::skew(v)));
  REQUIRE(at::equal(outer(M, N), M.outer(N)));
  REQUIRE(at::equal(outer(M), M.outer(M)));
  REQUIRE(at::equal(drotate(M, N), M.drotate(N)));
  REQUIRE(at::equal(drotate(M, Rot(v)), M.drotate(Rot(v))));
  REQUIRE(at::equal(rotate(M, N), M.rotate(N)));
  REQUIRE(at::equal(rotate(M, Rot(v)), M.rotate(Rot(v))));
}

TEST_CASE("The norm of a zero R2 has gradient zero", "[tensors][R2][autograd]")
{
  const R2 zero(at::zeros({2, 3, 3}, at::kDouble).requires_grad_());
  const auto g = torch::autograd::grad({zero.norm().sum()}, {zero}, {}, true, true)[0];
  REQUIRE(at::equal(g, at::zeros({2, 3, 3}, at::kDouble)));
}

TEST_CASE("R2 and Vec broadcast in their batch dimensions only", "[tensors][R2]")
{
  const auto product = R2::ones({5}) * Vec::ones({7, 1});
  REQUIRE(product.batch_sizes() == TensorShape{7, 5});
  REQUIRE(product.base_sizes() == TensorShapeRef({3}));
  REQUIRE((R2::ones({3}) * Vec::ones()).batch_sizes() == TensorShape{3});
  REQUIRE_THROWS_AS(R2::ones({3}) * Vec::ones({2}), NEMLException);
  REQUIRE_THROWS_AS(R2::ones({3}) * Vec::ones({3, 2}), NEMLException);
}

TEST_CASE("A determinant or inverse is right wherever it is a number, on both paths",
          "[tensors][R2]")
{
  const auto check = [](double a, double b, double c)
  {
    for (const bool tracked : {false, true})
    {
      const test::WithoutGradientRules composed;
      const auto d = at::tensor({a, b, c}, at::kDouble);
      const auto Q = Rot::fill(0.1, 0.2, -0.3).euler_rodrigues();
      const R2 A(at::diag(d).requires_grad_(tracked)),
          B(core::raw(Q * R2(at::diag(d))).detach().requires_grad_(tracked));
      REQUIRE(at::allclose(inv(A), at::diag(1 / d), 1e-15, 0));
      if (std::abs(c / a) < 10)
      {
        REQUIRE(at::allclose(core::raw(B * inv(B)), at::eye(3, at::kDouble), 0, 1e-14));
        REQUIRE(std::abs(det(B).item<double>() / (a * b * c) - 1) < 1e-14);
      }
      const SR2 s = sym(A);
      REQUIRE(at::allclose(core::raw(inv(s)).slice(-1, 0, 3), 1 / d, 1e-15, 0));
      const double product = a * c * b;
      REQUIRE(std::abs(det(A).item<double>() / product - 1) < 1e-15);
    }
  };
  check(1e-100, 1e-100, 2e-100);
  check(1e102, 3e102, -1e102);
  check(1e-200, 5e-1, 1e200);
  check(-1e-290, 1e290, 1e10);
}
} // namespace R2_test
