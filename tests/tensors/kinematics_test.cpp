// SPDX-License-Identifier: MIT
#include "neml2/tensors/kinematics.h"
#include "support/battery.h"
#include "support/parity.h"
#include "support/reference.h"

#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/matrix_functions.h"
#include "support/catch.h"

namespace kinematics_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::full_of;
using test::operation;
using test::stored_of;

namespace
{
at::Tensor
right_of(const at::Tensor & F)
{
  return at::einsum("...ki,...kj->...ij", {F, F});
}

/// Σ f(σ_k) v_k v_k by the singular values of F.
template <class F_>
at::Tensor
of_stretch(const at::Tensor & F, const F_ & f)
{
  const auto [U, S, Vh] = at::linalg_svd(F);
  return at::matmul(Vh.transpose(-1, -2) * f(S).unsqueeze(-2), Vh);
}

at::Tensor
rotation_in(const at::Tensor & F)
{
  const auto [U, S, Vh] = at::linalg_svd(F);
  return at::matmul(U, Vh);
}

/// Operations with a derivative rule.
const test::Table &
operations()
{
  static const std::vector<test::Operation> all{
      operation<R2>(
          "polar_rotation",
          Accepts::floating,
          [](const R2 & F) { return polar_rotation(F); },
          [](const Arguments & a) { return rotation_in(a[0]); }),
      operation<R2>(
          "nearest_rotation",
          Accepts::floating,
          [](const R2 & A) { return nearest_rotation(A); },
          [](const Arguments & a)
          {
            const auto [U, S, Vh] = at::linalg_svd(a[0]);
            const auto sign = at::linalg_det(at::matmul(U, Vh));
            const auto one = at::ones_like(sign);
            return at::matmul(U * at::stack({one, one, sign}, -1).unsqueeze(-2), Vh);
          }),
      operation<R2>(
          "right_cauchy_green",
          Accepts::floating,
          [](const R2 & F) { return right_cauchy_green(F); },
          [](const Arguments & a) { return stored_of(right_of(a[0])); }),
      operation<R2>(
          "left_cauchy_green",
          Accepts::floating,
          [](const R2 & F) { return left_cauchy_green(F); },
          [](const Arguments & a) { return stored_of(right_of(a[0].transpose(-1, -2))); }),
      operation<R2>(
          "green_lagrange",
          Accepts::floating,
          [](const R2 & F) { return green_lagrange(F); },
          [](const Arguments & a) { return stored_of(right_of(a[0]) - test::delta()) / 2; }),
      operation<R2>(
          "hencky_strain",
          Accepts::floating,
          [](const R2 & F) { return hencky_strain(F); },
          [](const Arguments & a)
          { return stored_of(of_stretch(a[0], [](const at::Tensor & x) { return x.log(); })); })};
  return all;
}

/// Compositions of operations that have a derivative rule.
const test::Table &
others()
{
  const auto pushed = [](const at::Tensor & s, const at::Tensor & F) {
    return stored_of(at::einsum("...ik,...kl,...jl->...ij", {F, full_of(s), F}));
  };
  static const std::vector<test::Operation> all{
      operation<R2>(
          "polar_rotation",
          Accepts::floating,
          [](const R2 & F) { return polar(F).first; },
          [](const Arguments & a) { return rotation_in(a[0]); }),
      operation<R2>(
          "polar_rotation",
          Accepts::floating,
          [](const R2 & F) { return polar(F).second; },
          [](const Arguments & a)
          { return stored_of(of_stretch(a[0], [](const at::Tensor & x) { return x; })); }),
      operation<R2>(
          "principal_stretches",
          Accepts::floating,
          [](const R2 & F) { return principal_stretches(F); },
          [](const Arguments & a) { return std::get<1>(at::linalg_svd(a[0])).flip(-1); }),
      operation<R2>(
          "right_stretch",
          Accepts::floating,
          [](const R2 & F) { return right_stretch(F); },
          [](const Arguments & a)
          { return stored_of(of_stretch(a[0], [](const at::Tensor & x) { return x; })); }),
      operation<R2>(
          "left_stretch",
          Accepts::floating,
          [](const R2 & F) { return left_stretch(F); },
          [](const Arguments & a) {
            return stored_of(
                of_stretch(a[0].transpose(-1, -2), [](const at::Tensor & x) { return x; }));
          }),
      operation<SR2, R2>(
          "rotate",
          Accepts::floating,
          [](const SR2 & s, const R2 & F) { return push_forward(s, F); },
          [=](const Arguments & a) { return pushed(a[0], a[1]); }),
      operation<SR2, R2>(
          "pull_back",
          Accepts::floating,
          [](const SR2 & s, const R2 & F) { return pull_back(s, F); },
          [=](const Arguments & a) { return pushed(a[0], at::linalg_inv(a[1])); }),
      operation<SR2, R2>(
          "push_forward_covariant",
          Accepts::floating,
          [](const SR2 & s, const R2 & F) { return push_forward_covariant(s, F); },
          [=](const Arguments & a)
          { return pushed(a[0], at::linalg_inv(a[1]).transpose(-1, -2)); }),
      operation<SR2, R2>(
          "pull_back_covariant",
          Accepts::floating,
          [](const SR2 & s, const R2 & F) { return pull_back_covariant(s, F); },
          [=](const Arguments & a) { return pushed(a[0], a[1].transpose(-1, -2)); }),
      operation<SSR4, R2>(
          "rotate",
          Accepts::floating,
          [](const SSR4 & C, const R2 & F) { return push_forward(C, F); },
          [=](const Arguments & a)
          {
            return test::stored4_of(at::einsum("...im,...jn,...ko,...lp,...mnop->...ijkl",
                                               {a[1], a[1], a[1], a[1], test::full4_of(a[0])}));
          }),
      operation<SSR4, R2>(
          "pull_back",
          Accepts::floating,
          [](const SSR4 & C, const R2 & F) { return pull_back(C, F); },
          [=](const Arguments & a)
          {
            const auto f = at::linalg_inv(a[1]);
            return test::stored4_of(at::einsum("...im,...jn,...ko,...lp,...mnop->...ijkl",
                                               {f, f, f, f, test::full4_of(a[0])}));
          })};
  return all;
}

test::Table
all_operations()
{
  return test::together({operations(), test::without(test::own_rule, others())});
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Kinematics passes the battery", "[tensors][kinematics][cuda]")
{
  battery.check();
}

TEST_CASE("The polar decomposition is a rotation and a positive definite stretch",
          "[tensors][kinematics]")
{
  const R2 F(at::randn({200, 3, 3}, at::kDouble));
  const auto [R, U] = polar(F);
  const auto I = R2::identity().expand({200, 3, 3});
  REQUIRE(at::allclose(R.transpose() * R, I, 0, 1e-14));
  REQUIRE(at::equal(core::raw(R.det()).sign(), core::raw(F.det()).sign()));
  REQUIRE((at::linalg_eigvalsh(full(U)) > 0).all().item<bool>());
  REQUIRE(at::allclose(R * full(U), F, 1e-13, 1e-13));
  REQUIRE(at::allclose(full(left_stretch(F)) * R, F, 1e-13, 1e-13));
  REQUIRE(at::allclose(right_stretch(F), U, 1e-14, 1e-14));
  REQUIRE(at::allclose(U, sqrtm(right_cauchy_green(F)), 1e-7, 1e-9));
  REQUIRE(at::allclose(hencky_strain(F), logm(U), 1e-7, 1e-8));
  REQUIRE(polar(R2::zeros()).first.isnan().all().item<bool>());
}

TEST_CASE("Derivatives of kinematics are right for equal stretches",
          "[tensors][kinematics][autograd]")
{
  const auto Q = Rot::fill(0.3, -0.1, 0.2).euler_rodrigues();
  const at::Tensor weight = at::arange(9, at::kDouble).reshape({3, 3});
  for (const auto & F : {R2::identity(), Q, Q * 1.5})
    for (const bool rules : {true, false})
    {
      const auto derivatives = [&]
      {
        const R2 x(F.detach().clone().requires_grad_());
        const auto y = (core::raw(polar_rotation(x)) * weight).sum() +
                       (core::raw(full(hencky_strain(x))) * weight).sum();
        const auto g = torch::autograd::grad({y}, {x}, {}, true, true)[0];
        return at::stack({g, torch::autograd::grad({(g * weight).sum()}, {x})[0]});
      };
      const auto d = rules ? derivatives()
                           : [&]
      {
        const test::WithoutGradientRules composed;
        return derivatives();
      }();
      // dR = R skew(Rᵀ dF) / |U|, d log U = sym(Rᵀ dF) / |U| of F = |U| R
      const double stretch = at::linalg_matrix_norm(F, 2).item<double>();
      const at::Tensor R = core::raw(F) / stretch, RtW = at::matmul(R.t(), weight);
      const auto symmetric = (weight + weight.t()) / 2;
      const auto expected =
          (at::matmul(R, (RtW - RtW.t()) / 2) + at::matmul(R, symmetric)) / stretch;
      REQUIRE(at::allclose(d[0], expected, 1e-12, 1e-12));
      REQUIRE(d[1].isfinite().all().item<bool>());
      // the second derivative by differences of the first
      const double h = 1e-5;
      for (int k = 0; k < 9; k++)
      {
        const auto slope = [&](double step)
        {
          at::Tensor x = F.detach().clone();
          x.view(-1)[k] += step;
          x.requires_grad_();
          const auto y = (core::raw(polar_rotation(R2(x))) * weight).sum() +
                         (core::raw(full(hencky_strain(R2(x)))) * weight).sum();
          return (torch::autograd::grad({y}, {x})[0] * weight).sum().item<double>();
        };
        const double expected_second = (slope(h) - slope(-h)) / (2 * h);
        REQUIRE(std::abs(d[1].view(-1)[k].item<double>() - expected_second) <
                1e-6 * (1 + std::abs(expected_second)));
      }
    }
}

TEST_CASE("Small strains keep their digits", "[tensors][kinematics]")
{
  const double x = 0x1p-40;
  const R2 F = R2::fill(1 + x, x, 0, 0, 1, 0, 0, 0, 1 - x);
  const auto linear = SR2::fill(x, 0, -x, 0, 0, x / 2);
  for (const auto & strain : {green_lagrange(F), hencky_strain(F)})
    REQUIRE(at::allclose(strain, linear, 0, 4 * x * x));
}

TEST_CASE("The nearest rotation of a matrix has determinant 1 and the least distance",
          "[tensors][kinematics]")
{
  const R2 A(at::randn({200, 3, 3}, at::kDouble));
  const R2 tracked(A.detach().clone().requires_grad_());
  for (const R2 & a : {A, tracked})
  {
    const test::WithoutGradientRules composed;
    const R2 R = nearest_rotation(a);
    const auto [U, S, Vh] = at::linalg_svd(core::raw(A));
    const auto sign = at::linalg_det(at::matmul(U, Vh));
    const auto d = at::stack({at::ones_like(sign), at::ones_like(sign), sign}, -1);
    REQUIRE(at::allclose(R, at::matmul(U * d.unsqueeze(-2), Vh), 0, 1e-10));
    REQUIRE(at::allclose(det(R), at::ones({200}, at::kDouble), 0, 1e-13));
  }
  const R2 Q = Rot::fill(0.3, -0.1, 0.2).euler_rodrigues();
  REQUIRE(at::allclose(nearest_rotation(Q), Q, 0, 1e-15));
  REQUIRE(at::allclose(nearest_rotation(Q * 1e-200), Q, 0, 1e-15));
  // A reflection has no parameters of a rotation.
  REQUIRE(Rot::fill_matrix(-Q).isnan().all().item<bool>());
  REQUIRE(Quaternion::fill_matrix(R2(-core::raw(Q)).requires_grad_()).isnan().all().item<bool>());
  REQUIRE(at::allclose(
      Rot::fill_matrix(nearest_rotation(Q * 1.2)), Rot::fill(0.3, -0.1, 0.2), 0, 1e-15));
}

TEST_CASE("Principal stretches are singular values, the small ones too", "[tensors][kinematics]")
{
  const R2 Q = Rot::fill(0.3, -0.1, 0.2).euler_rodrigues(),
           P = Rot::fill(-0.2, 0.5, 0.1).euler_rodrigues();
  for (const double small : {1e-3, 1e-10})
    for (const double unit : {1e-180, 1.0, 1e200})
      for (const bool tracked : {false, true})
      {
        const test::WithoutGradientRules composed;
        const auto d = at::tensor({small, 1.0, 3.0}, at::kDouble) * unit;
        const R2 F(core::raw(Q * R2(at::diag(d)) * P).detach().requires_grad_(tracked));
        REQUIRE(at::allclose(core::raw(principal_stretches(F)) / unit, d / unit, 0, 1e-14));
      }
}
} // namespace kinematics_test
