// SPDX-License-Identifier: MIT
#include "neml2/tensors/SR2.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/jacobian.h"
#include "support/rotation.h"

#include <cmath>

#include "support/catch.h"

namespace SR2_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::full_of;
using test::operation;
using test::stored_of;

namespace
{
/// Every operation that may run fused, with its reference for arguments a of equal batch shapes;
/// the reference uses full tensors wherever possible.
const test::Table &
operations()
{
  const auto square = [](const Arguments & a)
  { return test::sum_last(full_of(a[0]) * full_of(a[0]), 2); };
  static const std::vector<test::Operation> all{
      operation<Scalar>(
          "SR2::fill",
          Accepts::floating,
          [](const Scalar & a) { return SR2::fill(a); },
          [](const Arguments & a) {
            return stored_of(at::einsum("...,ij->...ij", {a[0], test::delta()}));
          })
          .without(test::own_rule),
      operation<Scalar, Scalar, Scalar>(
          "SR2::fill",
          Accepts::floating,
          [](const Scalar & a, const Scalar & b, const Scalar & c) { return SR2::fill(a, b, c); },
          [](const Arguments & a) { return stored_of(at::diag_embed(at::stack(a, -1))); })
          .without(test::own_rule),
      operation<Scalar, Scalar, Scalar, Scalar, Scalar, Scalar>(
          "SR2::fill",
          Accepts::floating,
          [](const auto &... a) { return SR2::fill(a...); },
          [](const Arguments & a)
          {
            return stored_of(at::stack({a[0], a[5], a[4], a[5], a[1], a[3], a[4], a[3], a[2]}, -1)
                                 .unflatten(-1, {3, 3}));
          })
          .without(test::own_rule),
      operation<SR2>(
          "full",
          Accepts::floating,
          [](const SR2 & s) { return R2(s); },
          [](const Arguments & a) { return full_of(a[0]); }),
      operation<R2>(
          "sym",
          Accepts::floating,
          [](const R2 & A) { return SR2(A); },
          [](const Arguments & a) { return stored_of((a[0] + a[0].transpose(-1, -2)) / 2); }),
      operation<SR2>(
          "tr",
          Accepts::numbers,
          [](const SR2 & s) { return s.tr(); },
          [](const Arguments & a) { return at::einsum("...ii->...", {full_of(a[0])}); }),
      operation<SR2>(
          "vol",
          Accepts::floating,
          [](const SR2 & s) { return s.vol(); },
          [](const Arguments & a) { return stored_of(test::volumetric(full_of(a[0]))); }),
      operation<SR2>(
          "dev",
          Accepts::floating,
          [](const SR2 & s) { return s.dev(); },
          [](const Arguments & a) { return a[0] - stored_of(test::volumetric(full_of(a[0]))); }),
      operation<SR2>(
          "det",
          Accepts::floating,
          [](const SR2 & s) { return s.det(); },
          [](const Arguments & a) { return at::linalg_det(full_of(a[0])); }),
      operation<SR2>(
          "inv",
          Accepts::floating,
          [](const SR2 & s) { return s.inverse(); },
          [](const Arguments & a) { return stored_of(at::linalg_inv(full_of(a[0]))); }),
      operation<SR2>(
          "norm_sq", Accepts::floating, [](const SR2 & s) { return s.norm_sq(); }, square),
      operation<SR2>(
          "norm",
          Accepts::floating,
          [](const SR2 & s) { return s.norm(); },
          [=](const Arguments & a) { return at::sqrt(square(a)); }),
      operation<SR2>(
          "norm",
          Accepts::floating,
          [](const SR2 & s) { return s.norm(0.25); },
          [=](const Arguments & a) { return at::sqrt(square(a) + 0.25); }),
      operation<SR2>(
          "unit",
          Accepts::floating,
          [](const SR2 & s) { return unit(s, 0.25); },
          [=](const Arguments & a) { return a[0] / at::sqrt(square(a) + 0.25).unsqueeze(-1); }),
      operation<SR2, SR2>(
          "inner",
          Accepts::floating,
          [](const SR2 & s, const SR2 & t) { return s.inner(t); },
          [](const Arguments & a) {
            return at::einsum("...ij,...ij->...", {full_of(a[0]), full_of(a[1])});
          }),
      operation<SR2, SR2>(
          "outer",
          Accepts::floating,
          [](const SR2 & s, const SR2 & t) { return s.outer(t); },
          [](const Arguments & a) {
            return test::stored4_of(
                at::einsum("...ij,...kl->...ijkl", {full_of(a[0]), full_of(a[1])}));
          }),
      operation<SR2, R2>(
          "rotate",
          Accepts::floating,
          [](const SR2 & s, const R2 & R) { return s.rotate(R); },
          [](const Arguments & a) {
            return stored_of(at::einsum("...ik,...kl,...jl->...ij", {a[1], full_of(a[0]), a[1]}));
          }),
      operation<SR2, Rot>(
          "rotate",
          Accepts::floating,
          [](const SR2 & x, const Rot & r) { return x.rotate(r); },
          [](const Arguments & a)
          { return stored_of(test::rotated2(full_of(a[0]), test::rotation_of(a[1]))); }),
      operation<SR2, R2>(
          "drotate",
          Accepts::floating,
          [](const SR2 & s, const R2 & R) { return s.drotate(R); },
          [](const Arguments & a)
          {
            const auto sR = at::einsum("...ln,...jn->...lj", {full_of(a[0]), a[1]});
            const auto both = at::einsum("ik,...lj->...ijkl", {test::delta(), sR}) +
                              at::einsum("jk,...li->...ijkl", {test::delta(), sR});
            return at::einsum("...ijkl,pij->...pkl", {both, test::mandel_basis()});
          })
          .without(test::own_rule),
      operation<SR2, Rot>(
          "drotate",
          Accepts::floating,
          [](const SR2 & x, const Rot & r) { return x.drotate(r); },
          [](const Arguments & a)
          {
            return test::jacobian(
                [&](const at::Tensor & r)
                { return stored_of(test::rotated2(full_of(a[0]), test::rotation_of(r))); },
                a[1],
                1,
                1);
          })
          .without(test::own_rule)};
  return all;
}

/// Operations that are views of their argument, or a view times a number.
const test::Table &
views()
{
  const auto entry = [](const at::Tensor & t, int64_t i)
  { return t.index_select(-1, at::tensor({i}, at::kLong)).squeeze(-1); };
  static const std::vector<test::Operation> all{
      operation<SR2>(
          "()",
          Accepts::any,
          [](const SR2 & s) { return s(4); },
          [=](const Arguments & a) { return entry(a[0], 4); }),
      operation<SR2>(
          "()",
          Accepts::any,
          [](const SR2 & s) { return s(1, 1); },
          [=](const Arguments & a) { return entry(full_of(a[0]).flatten(-2), 4); }),
      operation<SR2>(
          "transpose",
          Accepts::any,
          [](const SR2 & s) { return transpose(s); },
          [](const Arguments & a) { return a[0]; })};
  return all;
}

test::Table
all_operations()
{
  const auto component = operation<SR2>(
      "()",
      Accepts::floating,
      [](const SR2 & s) { return s(2, 0); },
      [](const Arguments & a) {
        return full_of(a[0]).flatten(-2).index_select(-1, at::tensor({2}, at::kLong)).squeeze(-1);
      });
  return test::together({operations(),
                         test::without(test::own_rule, views()),
                         {component.without({Check::rule, Check::refusals})}});
}
const test::Battery battery(all_operations);

// The symmetric tensor of the check values.
const SR2 S = SR2::fill(1, 2, 3, 0.4, 0.5, 0.6);
const R2 A = R2::fill(1, 2, 3, 4, 5, 6, 7, 8, 10);
const R2 R = R2::fill(0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6); // a rotation

/// Equal to the eight digits of the check values.
bool
is(const at::Tensor & t, const std::vector<double> & expected)
{
  return at::allclose(
      t.flatten(), at::tensor(expected, at::kDouble), 0, 1e-8 * t.abs().max().item<double>());
}

} // namespace

TEST_CASE("Operations of SR2 pass the battery", "[tensors][SR2][cuda]")
{
  battery.check();
}

TEST_CASE("SR2 has the check values of the reference", "[tensors][SR2]")
{
  REQUIRE(is(SR2(A), {1, 5, 10, 9.89949494, 7.07106781, 4.24264069}));
  REQUIRE(is(S, {1, 2, 3, 0.56568542, 0.70710678, 0.84852814}));
  REQUIRE(is(S.tr(), {6}));
  REQUIRE(is(S.det(), {4.5}));
  REQUIRE(is(S.norm(), {3.94208067}));
  REQUIRE(is(S.dev(), {-1, 0, 1, 0.56568542, 0.70710678, 0.84852814}));
  REQUIRE(
      is(S.inverse(), {1.29777778, 0.61111111, 0.36444444, -0.03142697, -0.23884496, -0.50283149}));
  // Rotated by the matrix of the Rodrigues parameters (0.1, -0.2, 0.3)
  const auto Rr = R2::fill(0.19975377,
                           -0.91720529,
                           -0.34472145,
                           0.67097568,
                           0.38442598,
                           -0.63404124,
                           0.71406587,
                           -0.10464758,
                           0.69221299);
  REQUIRE(is(S.rotate(Rot::fill(0.1, -0.2, 0.3)),
             {2.04315792, 1.64090871, 2.31593337, -0.92857414, -1.52768858, -0.33659263}));
  const auto derivative = S.drotate(Rot::fill(0.1, -0.2, 0.3));
  REQUIRE(is(derivative[0], {-3.04986536, -6.13348147, 3.65160772}));
  REQUIRE(is(derivative[3], {-4.1684162, 2.47813039, -4.22262818}));
  REQUIRE(at::allclose(
      S.rotate(Rr),
      at::tensor({2.04315792, 1.64090871, 2.31593337, -0.92857414, -1.52768858, -0.33659263},
                 at::kDouble),
      0,
      5e-8)); // the matrix is given to eight digits
}

TEST_CASE("SR2::fill of numbers takes one, three or six tensor components", "[tensors][SR2]")
{
  const double r = std::sqrt(2.0);
  REQUIRE(at::equal(SR2::fill(2), at::tensor({2.0, 2.0, 2.0, 0.0, 0.0, 0.0}, at::kDouble)));
  REQUIRE(at::equal(SR2::fill(1, 2.5, 3), at::tensor({1.0, 2.5, 3.0, 0.0, 0.0, 0.0}, at::kDouble)));
  REQUIRE(at::equal(SR2::fill(1, 2, 3, 4, 5, 6),
                    at::tensor({1.0, 2.0, 3.0, 4 * r, 5 * r, 6 * r}, at::kDouble)));
  REQUIRE(SR2::fill(2, kFloat32).scalar_type() == kFloat32);
  REQUIRE(SR2::fill(1, 2, 3, kFloat32).scalar_type() == kFloat32);
  REQUIRE(SR2::fill(1, 2, 3, 4, 5, 6, kFloat32).scalar_type() == kFloat32);
  const auto leaf = SR2::fill(1, 2, 3, 4, 5, 6, default_tensor_options().requires_grad(true));
  REQUIRE(leaf.requires_grad());
  REQUIRE(leaf.is_leaf());
}

TEST_CASE("SR2::fill of scalars broadcasts them", "[tensors][SR2]")
{
  const auto x = SR2::fill(Scalar::create({1, 2}), Scalar::full(3), Scalar::full({3, 1}, 4));
  REQUIRE(x.batch_sizes() == TensorShape{3, 2});
  REQUIRE(at::equal(x[2][1], SR2::fill(2, 3, 4)));
}

TEST_CASE("The identity is δ, and the derivative by itself the symmetric identity",
          "[tensors][SR2]")
{
  REQUIRE(at::equal(R2(SR2::identity()), at::eye(3, at::kDouble)));
  REQUIRE(SR2::identity(kFloat32).scalar_type() == kFloat32);
  REQUIRE(at::equal(SR2::identity_map(), at::eye(6, at::kDouble)));
  REQUIRE(at::equal(SR2::identity_map() * S, S));
}

TEST_CASE("Components of SR2 are those of the symmetric matrix", "[tensors][SR2]")
{
  const double expected[3][3] = {{1, 0.6, 0.5}, {0.6, 2, 0.4}, {0.5, 0.4, 3}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
    {
      REQUIRE(std::abs(S(i, j).item<double>() - expected[i][j]) < 1e-15);
      REQUIRE(at::equal(S(i - 3, j - 3), S(i, j)));
    }
  REQUIRE(std::abs(S(3).item<double>() - 0.4 * std::sqrt(2.0)) < 1e-15);
  REQUIRE(test::error_of([] { (void)S(3, 0); }).rfind("SR2(i, j): the component index 3", 0) == 0);
  REQUIRE(test::error_of([] { (void)S(0, -4); }).rfind("SR2(i, j): the component index -4", 0) ==
          0);
  REQUIRE_THROWS_AS(S(6), NEMLException);
  REQUIRE_THROWS_AS(SR2()(0, 0), NEMLException);
}

TEST_CASE("Mandel's notation is an isometry and its own inverse", "[tensors][SR2]")
{
  const SR2 s(at::rand({4, 6}, at::kDouble)), t(at::rand({2, 1, 6}, at::kDouble));
  REQUIRE(at::allclose(s.inner(t), R2(s).inner(R2(t))));
  REQUIRE(at::allclose(SR2(R2(s)), s));
  const R2 M(at::rand({4, 3, 3}, at::kDouble));
  REQUIRE(at::allclose(R2(SR2(M)), (M + M.transpose()) / 2));
}

TEST_CASE("Conversions between R2 and SR2 are implicit", "[tensors][SR2]")
{
  const auto trace = [](const SR2 & s) { return s.tr(); };
  const auto matrix_trace = [](const R2 & m) { return m.tr(); };
  REQUIRE(at::equal(trace(A), A.tr()));
  REQUIRE(at::equal(matrix_trace(S), S.tr()));
  const SR2 assigned = A;
  REQUIRE(assigned.base_sizes() == TensorShapeRef({6}));
}

TEST_CASE("det is multiplicative and inverse is the inverse of SR2", "[tensors][SR2]")
{
  const SR2 s(test::values({5}, {6}, at::kDouble)), t(test::values({3, 1}, {6}, at::kDouble));
  REQUIRE(at::allclose((R2(s) * R2(t)).det(), s.det() * t.det()));
  REQUIRE(at::allclose(R2(s) * R2(s.inverse()), R2::identity().expand({5, 3, 3})));
  REQUIRE(at::allclose(s.inverse().inverse(), s));
  REQUIRE_FALSE(SR2::fill(1, 2, 0).inverse().isfinite().all().item<bool>());
}

TEST_CASE("dev has no trace and is orthogonal to vol of SR2", "[tensors][SR2]")
{
  const SR2 s(at::rand({5, 6}, at::kDouble)), t(at::rand({5, 6}, at::kDouble));
  const auto zero = at::zeros({5}, at::kDouble);
  REQUIRE(at::allclose(s.dev().tr(), zero, 0, 1e-14));
  REQUIRE(at::allclose(s.dev().inner(t.vol()), zero, 0, 1e-14));
  REQUIRE(at::allclose(s.dev() + s.vol(), s));
  REQUIRE(at::allclose(s.dev().dev(), s.dev()));
}

TEST_CASE("A rotation keeps the invariants of SR2", "[tensors][SR2]")
{
  const SR2 s(test::values({5}, {6}, at::kDouble));
  REQUIRE(at::allclose(s.rotate(R).tr(), s.tr()));
  REQUIRE(at::allclose(s.rotate(R).det(), s.det()));
  REQUIRE(at::allclose(s.rotate(R).norm(), s.norm()));
  REQUIRE(at::allclose(s.rotate(R).rotate(R.transpose()), s));
  REQUIRE(at::allclose(s.rotate(R).inverse(), s.inverse().rotate(R)));

  const Rot r(at::rand({4, 1, 3}, at::kDouble));
  REQUIRE(at::allclose(s.rotate(r), s.rotate(r.euler_rodrigues())));
  REQUIRE(at::allclose(s.rotate(r).norm(), s.norm().expand({4, 5})));
  REQUIRE(at::allclose(s.rotate(r).rotate(r.inverse()), s.expand({4, 5, 6})));
}

TEST_CASE("The functions of SR2 under other names are the same", "[tensors][SR2]")
{
  const SR2 s(test::values({4}, {6}, at::kDouble)), t(test::values({2, 1}, {6}, at::kDouble));
  const R2 M(test::values({4}, {3, 3}, at::kDouble));
  REQUIRE(at::equal(tr(s), s.tr()));
  REQUIRE(at::equal(vol(s), s.vol()));
  REQUIRE(at::equal(dev(s), s.dev()));
  REQUIRE(at::equal(det(s), s.det()));
  REQUIRE(at::equal(inv(s), s.inverse()));
  REQUIRE(at::equal(transpose(s), s));
  REQUIRE(at::equal(s.transpose(), s));
  REQUIRE(at::equal(inner(s, t), s.inner(t)));
  REQUIRE(at::equal(norm_sq(s), s.norm_sq()));
  REQUIRE(at::equal(norm(s), s.norm()));
  REQUIRE(at::equal(norm(s, 2), s.norm(2)));
  REQUIRE(at::equal(outer(s, t), s.outer(t)));
  REQUIRE(at::equal(outer(s), s.outer(s)));
  REQUIRE(at::equal(rotate(s, M), s.rotate(M)));
  const Rot r(at::rand({4, 3}, at::kDouble));
  REQUIRE(at::equal(rotate(s, r), s.rotate(r)));
  REQUIRE(at::equal(drotate(s, M), s.drotate(M)));
  REQUIRE(at::equal(drotate(s, r), s.drotate(r)));
  REQUIRE(at::equal(full(s), R2(s)));
  REQUIRE(at::equal(sym(M), SR2(M)));
}

TEST_CASE("The norm of a zero SR2 has gradient zero", "[tensors][SR2][autograd]")
{
  const SR2 zero(at::zeros({2, 6}, at::kDouble).requires_grad_());
  const auto g = torch::autograd::grad({zero.norm().sum()}, {zero}, {}, true, true)[0];
  REQUIRE(at::equal(g, at::zeros({2, 6}, at::kDouble)));
  const auto h = torch::autograd::grad({zero.norm(0.25).sum()}, {zero}, {}, true, true)[0];
  REQUIRE(at::equal(h, at::zeros({2, 6}, at::kDouble)));
  REQUIRE(at::allclose(torch::autograd::grad({h.sum()}, {zero})[0],
                       at::full({2, 6}, 2.0, at::kDouble)));
  // The equivalent stress of a zero deviator, which occurs in every plasticity model
  const auto d = torch::autograd::grad({zero.dev().norm().sum()}, {zero})[0];
  REQUIRE(at::equal(d, at::zeros({2, 6}, at::kDouble)));
}

TEST_CASE("SR2 and Scalar broadcast in their batch dimensions only", "[tensors][SR2]")
{
  REQUIRE((SR2::ones({4}) + Scalar::ones({4})).batch_sizes() == TensorShape{4});
  REQUIRE((SR2::ones({4}) - Scalar::ones({4})).batch_sizes() == TensorShape{4});
  REQUIRE((SR2::ones({4}) / Scalar::ones({4})).batch_sizes() == TensorShape{4});
  REQUIRE((SR2::ones({3, 1}) * Scalar::ones({5})).batch_sizes() == TensorShape{3, 5});
  REQUIRE((SR2::ones({0}) * Scalar::ones({1})).batch_sizes() == TensorShape{0});
  // The six batch entries are scaled one by one, not the components.
  const auto scaled = SR2::ones({6}) * Scalar(at::arange(6).to(at::kDouble));
  REQUIRE(scaled.batch_sizes() == TensorShape{6});
  REQUIRE(at::equal(scaled, at::arange(6).to(at::kDouble).unsqueeze(-1).expand({6, 6})));
  REQUIRE_THROWS_AS(SR2::ones({4}) * Scalar::ones({6}), NEMLException);
}
} // namespace SR2_test
