// SPDX-License-Identifier: MIT
#include "neml2/tensors/R4.h"
#include "support/battery.h"
#include "support/rotation.h"

#include "neml2/tensors/SWR4.h"
#include "neml2/tensors/WSR4.h"
#include "support/catch.h"

namespace R4_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::full4_of;
using test::operation;
using test::stored4_of;

namespace
{
/// Tensors that are far from singular as 9×9 matrices.
at::Tensor
regular(const at::Tensor & T)
{
  if (!T.defined() || !T.is_floating_point())
    return T;
  return core::raw(T) * 0.3 + 2 * at::eye(9, T.options()).reshape({3, 3, 3, 3});
}

/// The components of the part that is skew in both pairs, times 4.
at::Tensor
axials(const at::Tensor & T)
{
  const auto e = test::permutation();
  return at::einsum("aij,bkl,...ijkl->...ab", {e, e, T});
}

/// Derivative of the rotated tensor by r, from the derivative of the matrix by central differences
/// of four points.
at::Tensor
drotated(const at::Tensor & T, const at::Tensor & r)
{
  constexpr double h = 1e-3;
  std::vector<at::Tensor> by_r;
  for (int k = 0; k < 3; k++)
  {
    const auto at_step = [&](double step)
    {
      const auto shift = at::zeros({3}, at::kDouble);
      shift[k] = step;
      return test::rotated4(T, test::rotation_of(r + shift));
    };
    const auto d1 = (at_step(h) - at_step(-h)) / (2 * h),
               d2 = (at_step(2 * h) - at_step(-2 * h)) / (4 * h),
               d3 = (at_step(3 * h) - at_step(-3 * h)) / (6 * h);
    by_r.push_back(1.5 * d1 - 0.6 * d2 + 0.1 * d3);
  }
  return at::stack(by_r, -1);
}

/// Operations that run fused and have derivative rules.
const test::Table &
with_rules()
{
  static const std::vector<test::Operation> all{
      operation<SSR4>(
          "full",
          Accepts::floating,
          [](const SSR4 & C) { return R4(C); },
          [](const Arguments & a) { return full4_of(a[0]); }),
      operation<R4>(
          "sym",
          Accepts::floating,
          [](const R4 & T) { return SSR4(T); },
          [](const Arguments & a) { return stored4_of(a[0]); }),
      operation<R4, R2>(
          "R4 * R2",
          Accepts::numbers,
          [](const R4 & T, const R2 & A) { return T * A; },
          [](const Arguments & a) {
            return at::einsum("...ijkl,...kl->...ij", {a[0], a[1]});
          }),
      operation<R2, R4>(
          "R2 * R4",
          Accepts::numbers,
          [](const R2 & A, const R4 & T) { return A * T; },
          [](const Arguments & a) {
            return at::einsum("...ij,...ijkl->...kl", {a[0], a[1]});
          }),
      operation<R4, R4>(
          "R4 * R4",
          Accepts::numbers,
          [](const R4 & T, const R4 & U) { return T * U; },
          [](const Arguments & a) {
            return at::einsum("...ijmn,...mnkl->...ijkl", {a[0], a[1]});
          })};
  return all;
}

/// Operations that run fused.
const test::Table &
fused()
{
  const auto square = [](const Arguments & a) { return test::sum_last(a[0] * a[0], 4); };
  static const std::vector<test::Operation> all{
      operation<R4, R2>(
          "rotate",
          Accepts::floating,
          [](const R4 & T, const R2 & R) { return T.rotate(R); },
          [](const Arguments & a) { return test::rotated4(a[0], a[1]); }),
      operation<R4, Rot>(
          "rotate",
          Accepts::floating,
          [](const R4 & T, const Rot & r) { return T.rotate(r); },
          [](const Arguments & a) { return test::rotated4(a[0], test::rotation_of(a[1])); }),
      operation<R4, R4>(
          "inner",
          Accepts::numbers,
          [](const R4 & T, const R4 & U) { return T.inner(U); },
          [](const Arguments & a) {
            return at::einsum("...ijkl,...ijkl->...", {a[0], a[1]});
          }),
      operation<R4>(
          "norm_sq", Accepts::numbers, [](const R4 & T) { return T.norm_sq(); }, square),
      operation<R4>(
          "norm",
          Accepts::floating,
          [](const R4 & T) { return T.norm(0.25); },
          [=](const Arguments & a) { return at::sqrt(square(a) + 0.25); })};
  return all;
}

/// Operations that are a few calls of LibTorch.
const test::Table &
composed()
{
  const auto permuted = [](const char * equation)
  { return [=](const Arguments & a) { return at::einsum(equation, {a[0]}); }; };
  static const std::vector<test::Operation> all{
      operation<WWR4>(
          "R4(WWR4)",
          Accepts::floating,
          [](const WWR4 & w) { return R4(w); },
          [](const Arguments & a)
          {
            const auto e = test::permutation();
            return at::einsum("aij,bkl,...ab->...ijkl", {e, e, a[0]});
          }),
      operation<R4>(
          "WWR4(R4)",
          Accepts::floating,
          [](const R4 & T) { return WWR4(T); },
          [](const Arguments & a) { return axials(a[0]); }),
      operation<R4>(
          "SWR4(R4)",
          Accepts::floating,
          [](const R4 & T) { return SWR4(T); },
          [](const Arguments & a)
          {
            const auto both = at::einsum("...ijkl,pij->...pkl", {2 * a[0], test::mandel_basis()});
            return at::stack({both.select(-2, 2).select(-1, 1),
                              both.select(-2, 0).select(-1, 2),
                              both.select(-2, 1).select(-1, 0)},
                             -1);
          }),
      operation<R4>(
          "WSR4(R4)",
          Accepts::floating,
          [](const R4 & T) { return WSR4(T); },
          [](const Arguments & a)
          {
            const auto of = at::einsum("...ijkl,pkl->...ijp", {a[0], test::mandel_basis()});
            return at::stack({of.select(-3, 2).select(-2, 1),
                              of.select(-3, 0).select(-2, 2),
                              of.select(-3, 1).select(-2, 0)},
                             -2);
          }),
      operation<R4>(
          "inv",
          Accepts::floating,
          [](const R4 & T) { return R4(regular(T)).inverse(); },
          [](const Arguments & a)
          {
            return at::linalg_inv(regular(a[0]).flatten(-2).flatten(-3, -2))
                .unflatten(-1, {3, 3})
                .unflatten(-3, {3, 3});
          }),
      operation<R4, Rot>(
          "R4::drotate_self",
          Accepts::floating,
          [](const R4 & T, const Rot & r) { return T.drotate_self(r); },
          [](const Arguments & a)
          {
            const auto R = test::rotation_of(a[1]);
            return at::einsum("...im,...jn,...ko,...lp->...ijklmnop", {R, R, R, R});
          }),
      operation<R4>(
          "transpose_minor",
          Accepts::any,
          [](const R4 & T) { return T.transpose_minor(); },
          permuted("...ijkl->...jilk")),
      operation<R4>(
          "transpose_major",
          Accepts::any,
          [](const R4 & T) { return T.transpose_major(); },
          permuted("...ijkl->...klij")),
      operation<R4>(
          "R4::transpose",
          Accepts::any,
          [](const R4 & T) { return T.transpose(0, -2); },
          permuted("...ijkl->...kjil")),
      operation<R4>(
          "()",
          Accepts::any,
          [](const R4 & T) { return T(1, 2, 0, 1); },
          [](const Arguments & a)
          { return a[0].flatten(-4).index_select(-1, at::tensor({46}, at::kLong)).squeeze(-1); })};
  return all;
}

/// The derivative by a rotation; its reference is computed by differences.
test::Operation
drotate()
{
  return operation<R4, Rot>(
      "R4::drotate",
      Accepts::floating,
      [](const R4 & T, const Rot & r) { return T.drotate(r); },
      [](const Arguments & a) { return drotated(a[0], a[1]); });
}

test::Table
all_fused()
{
  return test::together({with_rules(), test::without(test::own_rule, fused())});
}
test::Table
all_operations()
{
  return test::together({all_fused(), test::without(test::own_rule, composed())});
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Operations of R4 pass the battery", "[tensors][R4][cuda]")
{
  battery.check();
  test::check_operations({drotate().without({Check::reference, Check::rule})});
}

TEST_CASE("The derivative of a rotated R4 is that of its differences", "[tensors][R4]")
{
  const R4 T(at::rand({2, 1, 3, 3, 3, 3}, at::kDouble));
  const Rot r(at::rand({4, 3}, at::kDouble));
  const auto d = T.drotate(r);
  REQUIRE(d.batch_sizes() == TensorShape{2, 4});
  REQUIRE(at::allclose(d, drotated(T, r), 1e-9, 1e-9));
  REQUIRE(at::allclose(T.drotate(Rot::identity()).batch_index({0, 0}),
                       drotated(T.batch_index({0, 0}), at::full({3}, 1e-12, at::kDouble)),
                       1e-9,
                       1e-9));
}

TEST_CASE("The derivative of a rotated R4 by itself maps it to the rotated one", "[tensors][R4]")
{
  const R4 T(at::rand({5, 3, 3, 3, 3}, at::kDouble));
  const Rot r(at::rand({3}, at::kDouble));
  const auto d = T.drotate_self(r);
  REQUIRE(d.batch_sizes() == TensorShape{5});
  REQUIRE(at::allclose(at::einsum("...ijklmnop,...mnop->...ijkl", {d, T}), T.rotate(r)));
}

TEST_CASE("The inverse of R4 undoes it and is NaN where there is none", "[tensors][R4]")
{
  const R4 T(regular(at::rand({5, 3, 3, 3, 3}, at::kDouble)));
  const auto d = test::delta();
  const auto I = at::einsum("ik,jl->ijkl", {d, d});
  REQUIRE(at::allclose(T.inverse() * T, I.expand({5, 3, 3, 3, 3}), 0, 1e-13));
  const R2 A(at::rand({3, 3}, at::kDouble));
  REQUIRE(at::allclose(T.inverse() * (T * A), A.expand({5, 3, 3})));
  REQUIRE(R4(SSR4::identity_sym()).inverse().isnan().all().item<bool>()); // maps skew tensors to 0
}

TEST_CASE("SSR4 and R4 convert into each other", "[tensors][R4]")
{
  const SSR4 C(at::rand({5, 6, 6}, at::kDouble));
  const R4 T = C;
  const SSR4 back = T;
  REQUIRE(at::allclose(back, C));
  REQUIRE(at::allclose(T(0, 1, 2, 0), C(0, 1, 2, 0)));
  REQUIRE(
      at::allclose(R4(back.rotate(Rot::fill(0.1, 0.2, 0.3))), T.rotate(Rot::fill(0.1, 0.2, 0.3))));
  // Components that are dropped by the part with both minor symmetries do not come back.
  const R4 any(at::rand({3, 3, 3, 3}, at::kDouble));
  REQUIRE(at::allclose(SSR4(any), SSR4(any.transpose_minor())));
  REQUIRE(at::allclose(SSR4(any), SSR4(any.transpose(0, 1))));
  REQUIRE_FALSE(at::allclose(R4(SSR4(any)), any));
}

TEST_CASE("WWR4 holds four times the part of R4 that is skew in both pairs", "[tensors][R4]")
{
  const R4 T(at::rand({5, 3, 3, 3, 3}, at::kDouble));
  const auto t = [&](const char * e) { return at::einsum(e, {T}); };
  const R4 skewed(core::raw(T) - t("...ijkl->...jikl") - t("...ijkl->...ijlk") +
                  t("...ijkl->...jilk"));
  REQUIRE(at::allclose(R4(WWR4(T)), skewed));
  REQUIRE(at::allclose(WWR4(skewed), 4 * core::raw(WWR4(T))));
  REQUIRE(at::equal(WWR4::identity(), at::eye(3, at::kDouble)));
  REQUIRE(WWR4::identity(kFloat32).scalar_type() == kFloat32);
}

TEST_CASE("Derivatives by a skew tensor are by its axial vector", "[tensors][R4]")
{
  // A skew W ↦ W e - e W and a symmetric s ↦ s b - b s have the derivatives of axial components
  const auto d = test::delta(), e = test::permutation();
  const R2 E(SR2(at::rand({6}, at::kDouble)));
  const R4 F(at::einsum("ia,bj->ijab", {d, E}) - at::einsum("ia,jb->ijab", {E, d}));
  const auto w = at::rand({3}, at::kDouble), W = -at::einsum("ijk,k->ij", {e, w});
  const auto X = at::matmul(W, E) - at::matmul(E, W);
  REQUIRE(at::allclose(at::matmul(SWR4(F), w), test::stored_of(X)));
  const SR2 s(at::rand({6}, at::kDouble));
  const auto Y = at::matmul(R2(s), E) - at::matmul(E, R2(s));
  REQUIRE(at::allclose(at::matmul(WSR4(F), s), -0.5 * at::einsum("ijk,jk->i", {e, Y})));
}

TEST_CASE("Two indices of R4 change places by number", "[tensors][R4]")
{
  const R4 T(at::rand({2, 3, 3, 3, 3}, at::kDouble));
  REQUIRE(at::equal(T.transpose(0, 2).transpose(1, 3), T.transpose_major()));
  REQUIRE(at::equal(T.transpose(0, 1).transpose(-1, -2), T.transpose_minor()));
  REQUIRE(T.transpose(0, 1).is_alias_of(T));
  REQUIRE_THROWS_AS(T.transpose(0, 4), NEMLException);
  REQUIRE_THROWS_AS(T.transpose(-5, 0), NEMLException);
  REQUIRE_THROWS_AS(R4().transpose(0, 1), NEMLException);
}

TEST_CASE("Integers have no Mandel components", "[tensors][R4][errors]")
{
  REQUIRE_THROWS_AS(R4(SSR4::ones(kInt64)), NEMLException);
  REQUIRE_THROWS_AS(SSR4(R4::ones(kInt64)), NEMLException);
}
} // namespace R4_test
