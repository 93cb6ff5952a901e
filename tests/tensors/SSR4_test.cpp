// SPDX-License-Identifier: MIT
#include "neml2/tensors/SSR4.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/stiffness.h"
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/parity.h"
#include "support/rotation.h"

#include <cmath>

#include "support/catch.h"

namespace SSR4_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::full4_of;
using test::full_of;
using test::operation;
using test::stored4_of;
using test::stored_of;

namespace
{
/// C1 on the normal diagonal, C2 between normals, C3 on the shear diagonal, entry by entry.
at::Tensor
cubic(const at::Tensor & C1, const at::Tensor & C2, const at::Tensor & C3)
{
  std::vector<at::Tensor> entries;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      entries.push_back(i == j ? (i < 3 ? C1 : C3) : (i < 3 && j < 3 ? C2 : at::zeros_like(C1)));
  return at::stack(entries, -1).unflatten(-1, {6, 6});
}

/// λ δ_ij δ_kl + 2 μ (δ_ik δ_jl + δ_il δ_jk) / 2, with Lamé's λ and μ of E and ν.
at::Tensor
isotropic(const at::Tensor & E, const at::Tensor & nu)
{
  const auto lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu));
  const auto d = test::delta();
  const auto volumetric = at::einsum("ij,kl->ijkl", {d, d});
  const auto symmetric =
      (at::einsum("ik,jl->ijkl", {d, d}) + at::einsum("il,jk->ijkl", {d, d})) / 2;
  return stored4_of(at::einsum("...,ijkl->...ijkl", {lambda, volumetric}) +
                    at::einsum("...,ijkl->...ijkl", {2 * mu, symmetric}));
}

/// Every operation that may run fused, with its reference for arguments a of equal batch shapes;
/// the reference uses full tensors wherever possible.
const test::Table &
operations()
{
  const auto square = [](const Arguments & a)
  { return test::sum_last(full4_of(a[0]) * full4_of(a[0]), 4); };
  static const std::vector<test::Operation> all{
      operation<Scalar, Scalar, Scalar>(
          "SSR4::fill_C1_C2_C3",
          Accepts::numbers,
          [](const auto &... C) { return SSR4::fill_C1_C2_C3(C...); },
          [](const Arguments & a) { return cubic(a[0], a[1], a[2]); }),
      operation<Scalar, Scalar>(
          "SSR4::isotropic_E_nu",
          Accepts::floating,
          [](const Scalar & E, const Scalar & nu) { return SSR4::isotropic_E_nu(E, nu); },
          [](const Arguments & a) { return isotropic(a[0], a[1]); }),
      operation<SSR4, SR2>(
          "SSR4 * SR2",
          Accepts::numbers,
          [](const SSR4 & C, const SR2 & e) { return C * e; },
          [](const Arguments & a) {
            return stored_of(at::einsum("...ijkl,...kl->...ij", {full4_of(a[0]), full_of(a[1])}));
          }),
      operation<SSR4, R2>(
          "SSR4 * R2",
          Accepts::floating,
          [](const SSR4 & C, const R2 & A) { return C * A; },
          [](const Arguments & a) {
            return stored_of(at::einsum("...ijkl,...kl->...ij", {full4_of(a[0]), a[1]}));
          }),
      operation<SR2, SSR4>(
          "SR2 * SSR4",
          Accepts::numbers,
          [](const SR2 & e, const SSR4 & C) { return e * C; },
          [](const Arguments & a) {
            return stored_of(at::einsum("...ij,...ijkl->...kl", {full_of(a[0]), full4_of(a[1])}));
          }),
      operation<SSR4, SSR4>(
          "SSR4 * SSR4",
          Accepts::numbers,
          [](const SSR4 & A, const SSR4 & B) { return A * B; },
          [](const Arguments & a) {
            return stored4_of(
                at::einsum("...ijmn,...mnkl->...ijkl", {full4_of(a[0]), full4_of(a[1])}));
          }),
      operation<SSR4>(
          "inv",
          Accepts::floating,
          [](const SSR4 & C) { return C.inverse(); },
          [](const Arguments & a)
          { return at::linalg_solve(a[0], at::eye(6, at::kDouble).expand_as(a[0])); }),
      operation<SSR4, R2>(
          "rotate",
          Accepts::floating,
          [](const SSR4 & C, const R2 & R) { return C.rotate(R); },
          [](const Arguments & a) { return stored4_of(test::rotated4(full4_of(a[0]), a[1])); }),
      operation<SSR4, Rot>(
          "rotate",
          Accepts::floating,
          [](const SSR4 & x, const Rot & r) { return x.rotate(r); },
          [](const Arguments & a)
          { return stored4_of(test::rotated4(full4_of(a[0]), test::rotation_of(a[1]))); }),
      operation<SSR4, SSR4>(
          "inner",
          Accepts::numbers,
          [](const SSR4 & A, const SSR4 & B) { return inner(A, B); },
          [](const Arguments & a) {
            return at::einsum("...ijkl,...ijkl->...", {full4_of(a[0]), full4_of(a[1])});
          }),
      operation<SSR4>(
          "norm_sq", Accepts::numbers, [](const SSR4 & C) { return norm_sq(C); }, square),
      operation<SSR4>(
          "norm",
          Accepts::floating,
          [](const SSR4 & C) { return norm(C); },
          [=](const Arguments & a) { return at::sqrt(square(a)); }),
      operation<SSR4>(
          "norm",
          Accepts::floating,
          [](const SSR4 & C) { return norm(C, 0.25); },
          [=](const Arguments & a) { return at::sqrt(square(a) + 0.25); }),
      operation<SSR4>(
          "unit",
          Accepts::floating,
          [](const SSR4 & C) { return unit(C, 0.25); },
          [=](const Arguments & a)
          { return a[0] / at::sqrt(square(a) + 0.25).unsqueeze(-1).unsqueeze(-1); })};
  return all;
}

/// Operations that are views of their argument.
const test::Table &
others()
{
  const auto component = [](const Arguments & a, int64_t i)
  { return full4_of(a[0]).flatten(-4).index_select(-1, at::tensor({i}, at::kLong)).squeeze(-1); };
  static const std::vector<test::Operation> all{
      operation<SSR4>(
          "transpose_major",
          Accepts::any,
          [](const SSR4 & C) { return C.transpose_major(); },
          [](const Arguments & a)
          { return stored4_of(at::einsum("...ijkl->...klij", {full4_of(a[0])})); }),
      operation<SSR4>(
          "SSR4::transpose_minor",
          Accepts::any,
          [](const SSR4 & C) { return C.transpose_minor(); },
          [](const Arguments & a)
          { return stored4_of(at::einsum("...ijkl->...jikl", {full4_of(a[0])})); }),
      operation<SSR4>(
          "()",
          Accepts::any,
          [](const SSR4 & C) { return C(1, 1, 2, 2); },
          [=](const Arguments & a) { return component(a, 1 * 27 + 1 * 9 + 2 * 3 + 2); })};
  return all;
}

/// The derivative of the rotated tensor by r, from the derivative of the matrix by central
/// differences of six points.
at::Tensor
drotated(const at::Tensor & C, const at::Tensor & r)
{
  constexpr double h = 1e-3;
  std::vector<at::Tensor> by_r;
  for (int k = 0; k < 3; k++)
  {
    const auto slope = [&](int n)
    {
      const auto shift = at::zeros({3}, at::kDouble);
      shift[k] = n * h;
      return (test::rotated4(full4_of(C), test::rotation_of(r + shift)) -
              test::rotated4(full4_of(C), test::rotation_of(r - shift))) /
             (2 * n * h);
    };
    by_r.push_back(stored4_of(1.5 * slope(1) - 0.6 * slope(2) + 0.1 * slope(3)));
  }
  return at::stack(by_r, -1);
}

/// The derivative by a rotation, which runs fused; its reference is computed by differences.
test::Operation
drotate_operation()
{
  return operation<SSR4, Rot>(
      "drotate",
      Accepts::floating,
      [](const SSR4 & C, const Rot & r) { return C.drotate(r); },
      [](const Arguments & a) { return drotated(a[0], a[1]); });
}

/// Derivatives of base shape (6, 6, 6, 6), a few calls of LibTorch.
const test::Table &
large_derivatives()
{
  static const std::vector<test::Operation> all{
      operation<SSR4, Rot>(
          "SSR4::drotate_self",
          Accepts::floating,
          [](const SSR4 & C, const Rot & r) { return C.drotate_self(r); },
          [](const Arguments & a)
          {
            const auto R = test::rotation_of(a[1]), b = test::mandel_basis();
            const auto Q = at::einsum("pij,...ik,...jl,qkl->...pq", {b, R, R, b});
            return at::einsum("...ik,...jl->...ijkl", {Q, Q});
          }),
      operation<SSR4>(
          "SSR4::dinverse",
          Accepts::floating,
          [](const SSR4 & C) { return C.dinverse(); },
          [](const Arguments & a)
          {
            const auto X = at::linalg_inv(a[0]);
            return -at::einsum("...ik,...lj->...ijkl", {X, X});
          })};
  return all;
}

test::Table
all_operations()
{
  return test::together({operations(), test::without(test::own_rule, others())});
}
const test::Battery battery(all_operations);

const SR2 S = SR2::fill(1, 2, 3, 0.4, 0.5, 0.6);

/// Stored entries 1 ... 36.
SSR4
counted()
{
  return SSR4(at::arange(1, 37).to(at::kDouble).reshape({6, 6}));
}

/// Equal to the eight digits of the check values.
bool
is(const at::Tensor & t, const std::vector<double> & expected)
{
  return at::allclose(
      t.flatten(), at::tensor(expected, at::kDouble), 0, 1e-8 * t.abs().max().item<double>());
}
} // namespace

TEST_CASE("Operations of SSR4 pass the battery", "[tensors][SSR4][cuda]")
{
  battery.check();
  test::check_operations(test::without(test::own_rule, large_derivatives()));
  test::check_operations({drotate_operation().without({Check::reference, Check::rule})});
}

TEST_CASE("The derivative of a rotated SSR4 is that of its differences", "[tensors][SSR4]")
{
  const SSR4 C(at::rand({2, 1, 6, 6}, at::kDouble));
  const Rot r(at::rand({4, 3}, at::kDouble));
  const auto d = C.drotate(r);
  REQUIRE(d.batch_sizes() == TensorShape{2, 4});
  REQUIRE(at::allclose(d, drotated(C, r), 1e-9, 1e-9));
  REQUIRE(at::allclose(C.drotate(Rot::identity()).batch_index({1, 0}),
                       drotated(C.batch_index({1, 0}), at::full({3}, 1e-12, at::kDouble)),
                       1e-9,
                       1e-9));
  // The same derivative by autograd
  const Rot tracked(r.batch_index({0}).clone().requires_grad_());
  const auto g = torch::autograd::grad({C.batch_index({0, 0}).rotate(tracked)(2, 4)}, {tracked})[0];
  REQUIRE(at::allclose(g, core::raw(d)[0][0][2][4]));
}

TEST_CASE("Derivatives of SSR4 by itself map its rates", "[tensors][SSR4]")
{
  const SSR4 C(test::values({5}, {6, 6}, at::kDouble)), dC(at::rand({5, 6, 6}, at::kDouble));
  const Rot r(at::rand({3}, at::kDouble));
  const auto mapped = [&](const SSSSR8 & d) { return at::einsum("...ijkl,...kl->...ij", {d, dC}); };
  REQUIRE(C.drotate_self(r).batch_sizes() == TensorShape{5});
  REQUIRE(at::allclose(mapped(C.drotate_self(r)), dC.rotate(r)));
  REQUIRE(at::allclose(mapped(C.dinverse()), -(C.inverse() * dC * C.inverse())));
  REQUIRE(at::equal(mapped(SSR4::identity_map()), dC));
  REQUIRE(SSR4::identity_map(kFloat32).scalar_type() == kFloat32);
  REQUIRE(SSR4::identity_map().batch_dim() == 0);
  REQUIRE(SSR4::identity_map(default_tensor_options().requires_grad(true)).is_leaf());
  REQUIRE_FALSE(SSR4::identity_C1().dinverse().isfinite().any().item<bool>());
}

TEST_CASE("SSR4 has the check values of the reference", "[tensors][SSR4]")
{
  const auto C = SSR4::isotropic_E_nu(100, 0.3);
  REQUIRE(is(C * S, {423.07692308, 500, 576.92307692, 43.51426346, 54.39282932, 65.27139519}));
  REQUIRE(is(C(0, 0), {134.61538462}));
  REQUIRE(is(C(0, 1), {57.69230769}));
  REQUIRE(is(C(3, 3), {76.92307692}));
  REQUIRE(is(counted()(0, 1, 2, 1), {17}));
  REQUIRE(is(counted()(0, 0, 1, 2), {2.82842712}));
  REQUIRE(is(counted().rotate(Rot::fill(0.1, -0.2, 0.3))[0],
             {6.80339166, 1.5772137, 11.39903825, 3.85487198, -14.31126207, -5.36204739}));
}

TEST_CASE("The identities of SSR4 are those of the full tensor", "[tensors][SSR4]")
{
  const auto d = test::delta();
  const auto volumetric = stored4_of(at::einsum("ij,kl->ijkl", {d, d}));
  const auto symmetric =
      stored4_of((at::einsum("ik,jl->ijkl", {d, d}) + at::einsum("il,jk->ijkl", {d, d})) / 2);
  REQUIRE(at::allclose(SSR4::identity(), volumetric));
  REQUIRE(at::allclose(SSR4::identity_sym(), symmetric));
  REQUIRE(at::allclose(SSR4::identity_vol(), volumetric / 3));
  REQUIRE(at::allclose(SSR4::identity_dev(), symmetric - volumetric / 3));
  const auto one = at::ones({}, at::kDouble), zero = at::zeros({}, at::kDouble);
  REQUIRE(at::equal(SSR4::identity_C1(), cubic(one, zero, zero)));
  REQUIRE(at::equal(SSR4::identity_C2(), cubic(zero, one, zero)));
  REQUIRE(at::equal(SSR4::identity_C3(), cubic(zero, zero, one)));
  for (const auto & I : {SSR4::identity(kFloat32),
                         SSR4::identity_sym(kFloat32),
                         SSR4::identity_vol(kFloat32),
                         SSR4::identity_dev(kFloat32),
                         SSR4::identity_C1(kFloat32),
                         SSR4::identity_C2(kFloat32),
                         SSR4::identity_C3(kFloat32)})
  {
    REQUIRE(I.scalar_type() == kFloat32);
    REQUIRE(I.batch_dim() == 0);
  }
}

TEST_CASE("The identities of SSR4 project on the whole, volumetric and deviatoric tensor",
          "[tensors][SSR4]")
{
  const SR2 s(at::rand({5, 6}, at::kDouble));
  REQUIRE(at::equal(SSR4::identity_sym() * s, s));
  REQUIRE(at::allclose(SSR4::identity_vol() * s, s.vol()));
  REQUIRE(at::allclose(SSR4::identity_dev() * s, s.dev()));
  REQUIRE(at::allclose(SSR4::identity() * s, 3.0 * s.vol()));
  REQUIRE(at::allclose(SSR4::identity_vol() * SSR4::identity_dev(), SSR4::zeros(), 0, 1e-15));
  REQUIRE(at::allclose(SSR4::identity_dev() * SSR4::identity_dev(), SSR4::identity_dev()));
}

TEST_CASE("The isotropic stiffness is 3K on volumetric tensors and 2G on deviators",
          "[tensors][SSR4]")
{
  const auto E = Scalar::create({1e5, 2e5}), nu = Scalar::create({0.2, 0.25});
  const auto C = SSR4::isotropic_E_nu(E, nu);
  const Scalar K = E / (3.0 * (1.0 - 2.0 * nu)), G = E / (2.0 * (1.0 + nu));
  REQUIRE(C.batch_sizes() == TensorShape{2});
  REQUIRE(at::allclose(C, 3.0 * K * SSR4::identity_vol() + 2.0 * G * SSR4::identity_dev()));
  REQUIRE(at::equal(C, C.transpose_major()));
  // Uniaxial stress E along axis 0 stretches it by 1 and shrinks the others by ν.
  const auto zero = Scalar::zeros();
  REQUIRE(at::allclose(
      C.inverse() * SR2::fill(E, zero, zero), SR2::fill(Scalar::ones(), -nu, -nu), 1e-12, 1e-15));
}

TEST_CASE("A modulus may be a number beside scalars, on batches and in formulas", "[tensors][SSR4]")
{
  const Scalar E = Scalar::create({100.0, 200.0}), n = Scalar::create(0.25);
  const auto same = [](const SSR4 & a, const SSR4 & b)
  { return at::equal(a, b) && a.batch_sizes() == TensorShape{2}; };
  REQUIRE(same(SSR4::isotropic_E_nu(E, 0.25), SSR4::isotropic_E_nu(E, n)));
  REQUIRE(same(isotropic_E_nu(E, 0.25), isotropic_E_nu(E, n)));
  REQUIRE(same(isotropic_K_G(0.25, E), isotropic_K_G(n, E)));
  REQUIRE(same(isotropic_lambda_mu(E, 0.25), isotropic_lambda_mu(E, n)));
  REQUIRE(same(cubic(E, 0.25, E), cubic(E, n, E)));
  REQUIRE(same(transversely_isotropic(E, E, 0.25, 0.25, E), transversely_isotropic(E, E, n, n, E)));
  REQUIRE(same(orthotropic(E, E, E, 0.25, n, n, E, E, E), orthotropic(E, E, E, n, n, n, E, E, E)));
  REQUIRE(isotropic_E_nu(E.to(kFloat32), 0.25).scalar_type() == kFloat32);
  const SR2 e = SR2::fill(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
  const SR2 s = vmap([](const auto & a, const auto & x)
                     { return SSR4::isotropic_E_nu(a, 0.25) * x + SSR4::cubic(3, 2.0, 1, a) * x; },
                     E,
                     e);
  REQUIRE(at::allclose(s, isotropic_E_nu(E, 0.25) * e + SSR4::cubic(3, 2, 1) * e));
}

TEST_CASE("The stiffnesses of numbers are those of scalars", "[tensors][SSR4]")
{
  const auto scalar = [](double x) { return Scalar(x, kFloat64); };
  REQUIRE(
      at::equal(SSR4::isotropic_E_nu(100, 0.3), SSR4::isotropic_E_nu(scalar(100), scalar(0.3))));
  REQUIRE(at::equal(SSR4::fill_C1_C2_C3(4, 1, 2),
                    SSR4::fill_C1_C2_C3(scalar(4), scalar(1), scalar(2))));
  REQUIRE(SSR4::isotropic_E_nu(100, 0.3, kFloat32).scalar_type() == kFloat32);
  REQUIRE(SSR4::fill_C1_C2_C3(4, 1, 2, kInt64).scalar_type() == kInt64);
  const auto options = default_tensor_options().requires_grad(true);
  for (const auto & C :
       {SSR4::isotropic_E_nu(100, 0.3, options), SSR4::fill_C1_C2_C3(4, 1, 2, options)})
  {
    REQUIRE(C.requires_grad());
    REQUIRE(C.is_leaf());
  }
}

TEST_CASE("Components of SSR4 are those of the full tensor", "[tensors][SSR4]")
{
  const auto C = counted();
  const auto full = full4_of(C);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
        {
          const double expected = full[i][j][k][l].item<double>();
          REQUIRE(std::abs(C(i, j, k, l).item<double>() - expected) < 1e-13);
          REQUIRE(at::equal(C(i - 3, j, k - 3, l), C(j, i, l, k)));
        }
  REQUIRE(C(2, 4).item<double>() == 17);
  REQUIRE(test::error_of([&] { (void)C(0, 0, 0, 5); }) ==
          "SSR4(i, j, k, l): the component index 5 is out of range: expected one in [-3, 3).");
  REQUIRE_THROWS_AS(C(0, 0, 3, 0), NEMLException);
  REQUIRE_THROWS_AS(C(6, 0), NEMLException);
  REQUIRE_THROWS_AS(SSR4()(0, 0, 0, 0), NEMLException);
}

TEST_CASE("Components of SSR4 keep batch and gradient", "[tensors][SSR4][autograd]")
{
  const SSR4 C(at::rand({4, 6, 6}, at::kDouble).requires_grad_());
  REQUIRE(C(0, 1, 0, 0).batch_sizes() == TensorShape{4});
  const auto g = torch::autograd::grad({C(0, 1, 0, 0).sum()}, {C})[0];
  REQUIRE(std::abs(g[2][5][0].item<double>() - 1 / std::sqrt(2.0)) < 1e-15);
  REQUIRE(std::abs(g.sum().item<double>() - 4 / std::sqrt(2.0)) < 1e-14);
}

TEST_CASE("The inverse of SSR4 undoes it", "[tensors][SSR4]")
{
  const SSR4 C(test::values({5}, {6, 6}, at::kDouble)),
      D(test::values({3, 1}, {6, 6}, at::kDouble));
  const SR2 s(at::rand({5, 6}, at::kDouble));
  const auto I = SSR4::identity_sym();
  REQUIRE(at::allclose(C.inverse() * C, I.expand({5, 6, 6}), 0, 1e-14));
  REQUIRE(at::allclose(C * C.inverse(), I.expand({5, 6, 6}), 0, 1e-14));
  REQUIRE(at::allclose(C.inverse() * (C * s), s));
  REQUIRE(at::allclose((C * D).inverse(), D.inverse() * C.inverse()));
}

TEST_CASE("The inverse of SSR4 needs no regular block", "[tensors][SSR4]")
{
  const SSR4 P(at::eye(6, at::kDouble).flip(0));
  REQUIRE(at::equal(P.inverse(), P));
  const SSR4 C(at::cat(
      {at::rand({4, 3, 6}, at::kDouble) * at::tensor({0.0, 1.0}, at::kDouble).repeat_interleave(3),
       at::rand({4, 3, 6}, at::kDouble) + 2 * at::eye(3, 6, at::kDouble)},
      -2));
  REQUIRE(at::allclose(C.inverse(), at::linalg_inv(C), 1e-9, 1e-9));
}

TEST_CASE("A singular SSR4 has no finite inverse on either path", "[tensors][SSR4]")
{
  const auto finite = [](const SSR4 & C) { return C.inverse().isfinite().all().item<bool>(); };
  for (const auto & C : {SSR4::zeros(), SSR4::identity(), SSR4::identity_C3(), outer(S)})
  {
    REQUIRE_FALSE(finite(C));
    REQUIRE_FALSE(finite(SSR4(C.clone().requires_grad_())));
  }
  // In a batch only the result of the singular entry is not finite.
  const auto C = SSR4::fill_C1_C2_C3(Scalar::create({1, 4}), Scalar::ones(), Scalar::ones());
  REQUIRE_FALSE(finite(C[0]));
  REQUIRE(at::allclose(C.inverse()[1], at::linalg_inv(C[1])));
}

TEST_CASE("A rotated SSR4 maps rotated strains to rotated stresses", "[tensors][SSR4]")
{
  const SSR4 C(at::rand({5, 6, 6}, at::kDouble)), D(test::values({5}, {6, 6}, at::kDouble));
  const SR2 e(at::rand({5, 6}, at::kDouble));
  const Rot r(at::rand({4, 1, 3}, at::kDouble)), t(0.3 * at::rand({3}, at::kDouble));
  const R2 R = r.euler_rodrigues();
  REQUIRE(at::allclose((C * e).rotate(r), C.rotate(r) * e.rotate(r)));
  REQUIRE(at::allclose(C.rotate(r), C.rotate(R)));
  REQUIRE(at::allclose(norm(C.rotate(r)), norm(C).expand({4, 5})));
  REQUIRE(at::allclose(C.rotate(r).rotate(r.inverse()), C.expand({4, 5, 6, 6})));
  REQUIRE(at::allclose(C.rotate(t).rotate(r), C.rotate(R * t.euler_rodrigues())));
  REQUIRE(at::allclose(D.rotate(r).inverse(), D.inverse().rotate(r)));
  REQUIRE(at::allclose(outer(e).rotate(R), outer(e.rotate(R))));
  const auto isotropic_stiffness = SSR4::isotropic_E_nu(100, 0.3);
  REQUIRE(at::allclose(isotropic_stiffness.rotate(t), isotropic_stiffness, 1e-12, 1e-12));
}

TEST_CASE("Products of SSR4 associate, and transpose_major exchanges the sides", "[tensors][SSR4]")
{
  const SSR4 C(at::rand({5, 6, 6}, at::kDouble)), D(at::rand({3, 1, 6, 6}, at::kDouble));
  const SR2 s(at::rand({5, 6}, at::kDouble));
  REQUIRE(at::allclose((D * C) * s, D * (C * s)));
  REQUIRE(at::allclose(s * C, C.transpose_major() * s));
  REQUIRE(at::allclose((C * D).transpose_major(), D.transpose_major() * C.transpose_major()));
  REQUIRE(at::allclose(outer(s, s) * s, s * norm_sq(s)));
}

TEST_CASE("The functions of SSR4 under other names are the same", "[tensors][SSR4]")
{
  const SSR4 C(test::values({4}, {6, 6}, at::kDouble));
  REQUIRE(at::equal(inv(C), C.inverse()));
  REQUIRE(at::equal(transpose_major(C), C.transpose_major()));
  const Rot r(at::rand({4, 3}, at::kDouble));
  const R2 R = r.euler_rodrigues();
  REQUIRE(at::equal(rotate(C, R), C.rotate(R)));
  REQUIRE(at::equal(rotate(C, r), C.rotate(r)));
  REQUIRE(at::equal(C.transpose_minor(), C));
}

TEST_CASE("Fourth order tensors and strains broadcast in their batch dimensions only",
          "[tensors][SSR4]")
{
  const auto C = SSR4::ones({2});
  const auto sizes = [](const SR2 & s) { return TensorShape(s.batch_sizes()); };
  REQUIRE(sizes(C * SR2::ones({1000, 2})) == TensorShape{1000, 2});
  REQUIRE(sizes(C * SR2::ones({1000, 1})) == TensorShape{1000, 2});
  REQUIRE(sizes(SSR4::ones() * SR2::ones({4})) == TensorShape{4});
  const std::pair<SR2, std::string> bad[] = {{SR2::ones({1000}), "[2] and [1000]"},
                                             {SR2::ones({6}), "[2] and [6]"}};
  for (const auto & [e, shapes] : bad)
  {
    const auto message = test::error_of([&, &strain = e] { (void)(C * strain); });
    REQUIRE_THAT(
        message,
        Catch::Matchers::StartsWith("SSR4 * SR2: batch shapes " + shapes + " do not broadcast"));
    REQUIRE_THAT(message,
                 Catch::Matchers::ContainsSubstring("The operands are SSR4 (2; 6, 6) and SR2 ("));
  }
  REQUIRE_THROWS_AS(SR2::ones({6}) * C, NEMLException);
  REQUIRE_THROWS_AS(SSR4::ones({6}) * C, NEMLException);
}

TEST_CASE("A user's function of several operations is the same fused and composed",
          "[tensors][SSR4]")
{
  const auto equivalent_stress = [](const SSR4 & C, const SR2 & e) { return (C * e).dev().norm(); };
  REQUIRE(test::same_on_both_paths<SSR4, SR2>(equivalent_stress));
  REQUIRE(test::derivatives_are_right<SSR4, SR2>(equivalent_stress));
}

TEST_CASE("The elastic energy has the stress as its derivative", "[tensors][SSR4][autograd]")
{
  const auto C = SSR4::isotropic_E_nu(100, 0.3);
  const SR2 e(at::rand({4, 6}, at::kDouble).requires_grad_());
  const auto energy = 0.5 * e.inner(C * e);
  const auto stress = torch::autograd::grad({energy.sum()}, {e}, {}, true, true)[0];
  REQUIRE(at::allclose(stress, C * e));
  const auto tangent = torch::autograd::grad({stress.select(-1, 0).sum()}, {e})[0];
  REQUIRE(at::allclose(tangent, C.select(0, 0).expand({4, 6})));
}
} // namespace SSR4_test
