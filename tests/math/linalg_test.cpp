// SPDX-License-Identifier: MIT
#include "neml2/math/linalg.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/refusals.h"
#include "support/tensors.h"

#include "support/catch.h"

namespace linalg_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::described;
using test::error_of;
using test::operation_on_tensors;

namespace
{
using Tensors = std::vector<Tensor>;

Tensor
solved_by_factors(const Tensor & A, const Tensor & B, bool left, bool adjoint)
{
  const auto [LU, pivots] = linalg::lu_factor(A);
  return linalg::lu_solve(LU, pivots, B, left, adjoint);
}

const std::vector<test::Operation> &
operations()
{
  constexpr auto floating = Accepts::floating;
  static const std::vector<test::Operation> all{
      operation_on_tensors(
          "linalg::vector_norm",
          floating,
          {{4}},
          [](const Tensors & t) { return Tensor(linalg::vector_norm(t[0])); },
          [](const Arguments & a) { return at::sqrt((a[0] * a[0]).sum(-1)); }),
      operation_on_tensors(
          "linalg::vector_norm",
          floating,
          {{}},
          [](const Tensors & t) { return Tensor(linalg::vector_norm(t[0])); },
          [](const Arguments & a) { return a[0].abs(); }),
      operation_on_tensors(
          "linalg::vecdot",
          Accepts::numbers,
          {{4}, {4}},
          [](const Tensors & t) { return Tensor(linalg::vecdot(t[0], t[1])); },
          [](const Arguments & a) { return (a[0] * a[1]).sum(-1); }),
      operation_on_tensors(
          "linalg::inv",
          floating,
          {{4, 4}},
          [](const Tensors & t) { return linalg::inv(t[0]); },
          [](const Arguments & a) { return at::linalg_inv(a[0]); }),
      operation_on_tensors(
          "linalg::slogdet",
          floating,
          {{4, 4}},
          [](const Tensors & t) { return Tensor(std::get<1>(linalg::slogdet(t[0]))); },
          [](const Arguments & a) { return at::linalg_det(a[0]).abs().log(); }),
      operation_on_tensors(
          "linalg::slogdet",
          floating,
          {{3, 3}},
          [](const Tensors & t) { return Tensor(std::get<0>(linalg::slogdet(t[0]))); },
          [](const Arguments & a) { return at::linalg_det(a[0]).sign(); }),
      operation_on_tensors(
          "linalg::solve",
          floating,
          {{4, 4}, {4}},
          [](const Tensors & t) { return linalg::solve(t[0], t[1]); },
          [](const Arguments & a)
          { return at::matmul(at::linalg_inv(a[0]), a[1].unsqueeze(-1)).squeeze(-1); }),
      operation_on_tensors(
          "linalg::solve",
          floating,
          {{3, 3}, {3, 3}},
          [](const Tensors & t) { return linalg::solve(t[0], t[1]); },
          [](const Arguments & a) { return at::matmul(at::linalg_inv(a[0]), a[1]); })};
  return all;
}

/// lu_solve of the result of lu_factor, from the left and from the right, for the matrix and its
/// transpose.
const std::vector<test::Operation> &
factored()
{
  static const std::vector<test::Operation> all = []
  {
    std::vector<test::Operation> r;
    for (const bool left : {true, false})
      for (const bool adjoint : {true, false})
        r.push_back(operation_on_tensors(
            "linalg::lu_solve",
            Accepts::floating,
            {{4, 4}, {4, 4}},
            [=](const Tensors & t) { return solved_by_factors(t[0], t[1], left, adjoint); },
            [=](const Arguments & a)
            {
              const at::Tensor A = at::linalg_inv(adjoint ? a[0].mT() : a[0]);
              return left ? at::matmul(A, a[1]) : at::matmul(a[1], A);
            }));
    return r;
  }();
  return all;
}

Tensor
zeros(TensorShapeRef batch, TensorShapeRef base)
{
  return Tensor::zeros(batch, base, kFloat64);
}

/// Unit matrices.
Tensor
units(TensorShapeRef batch, Size n)
{
  return Tensor::identity(batch, n, kFloat64);
}

test::Table
all_operations()
{
  return test::without(
      test::fused_path,
      test::together({operations(), test::without({test::Check::refusals}, factored())}));
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Linear algebra passes the battery", "[math][linalg][cuda]")
{
  battery.check();
}

TEST_CASE("The right side of solve is a vector or a matrix by its base dimensions",
          "[math][linalg]")
{
  // Cases that sizes alone cannot decide: LibTorch would take each vector here for a matrix, and each matrix for a vector.
  REQUIRE(described(linalg::solve(units({3}, 3), zeros({}, {3, 3}))) == "Tensor (3; 3, 3)");
  REQUIRE(described(linalg::solve(units({3}, 3), zeros({3}, {3}))) == "Tensor (3; 3)");
  REQUIRE(described(linalg::solve(units({}, 3), zeros({3}, {3}))) == "Tensor (3; 3)");
  REQUIRE(described(linalg::solve(units({5}, 3), zeros({2, 1}, {3}))) == "Tensor (2, 5; 3)");
  REQUIRE(described(linalg::solve(units({2, 5}, 3), zeros({5}, {3, 7}))) == "Tensor (2, 5; 3, 7)");
  REQUIRE(described(linalg::solve(units({0}, 3), zeros({1}, {3, 7}))) == "Tensor (0; 3, 7)");
  const at::Tensor b = at::arange(9, at::kDouble).reshape({3, 3});
  REQUIRE(at::equal(linalg::solve(units({3}, 3), Tensor(b, 0)), b.expand({3, 3, 3})));
}

TEST_CASE("A singular matrix gives NaN, or an error that counts them", "[math][linalg][errors]")
{
  const Tensor A(at::stack({at::eye(3, at::kDouble),
                            at::zeros({3, 3}, at::kDouble),
                            at::diag_embed(at::tensor({1.0, 0.0, 1.0}, at::kDouble))}),
                 1);
  const Tensor b = zeros({}, {3});
  const Tensor x = linalg::solve(A, b);
  REQUIRE(at::equal(x[0], b));
  REQUIRE(x.slice(0, 1).isnan().all().item<bool>());
  REQUIRE_THAT(
      error_of([&] { linalg::solve(A, b, /*check_errors=*/true); }),
      ContainsSubstring("linalg::solve: 2 of the 3 matrices in Tensor (3; 3, 3) are singular, "
                        "the first at the index [1] of the batch."));
  REQUIRE_THAT(
      error_of(
          [&] {
            linalg::lu_factor(Tensor(at::stack({at::Tensor(units({3}, 3)), at::Tensor(A)}), 2));
          }),
      ContainsSubstring("the first at the index [1, 1] of the batch."));
  REQUIRE(at::equal(linalg::solve(units({4}, 3), b, true), at::zeros({4, 3}, at::kDouble)));
  REQUIRE_THROWS_AS(linalg::solve(A, b, true), SingularException);
  REQUIRE_THROWS_AS(linalg::lu_factor(A), SingularException);
  REQUIRE(linalg::inv(A)[1].isfinite().logical_not().all().item<bool>());
}

TEST_CASE("slogdet holds where the determinant overflows or underflows", "[math][linalg]")
{
  // det(x 1) = x^100 of matrices of 100 rows, and the determinants of a reflection and of singular matrices.
  const Scalar x = Scalar::create({1e-300, 1e-10, 2.0, 1e300}, kFloat64);
  const Tensor A(at::eye(100, at::kDouble) * at::Tensor(x).view({4, 1, 1}), 1);
  const auto [sign, logarithm] = linalg::slogdet(A);
  REQUIRE(described(sign) == "Scalar (4;)");
  REQUIRE(sign.eq(1).all().item<bool>());
  REQUIRE(at::allclose(logarithm, 100 * at::Tensor(x).log(), 1e-15));
  const R2 B = R2(at::stack({at::diag_embed(at::tensor({2.0, -1.0, 1.0}, at::kDouble)),
                             at::ones({3, 3}, at::kDouble),
                             at::zeros({3, 3}, at::kDouble)}));
  const auto [signs, logarithms] = linalg::slogdet(B);
  REQUIRE(at::equal(signs, at::tensor({-1.0, 0.0, 0.0}, at::kDouble)));
  REQUIRE(logarithms[0].item<double>() == std::log(2.0));
  REQUIRE(logarithms.slice(0, 1).eq(-INFINITY).all().item<bool>());
}

TEST_CASE("LU factors multiply to the matrix with its rows interchanged", "[math][linalg]")
{
  const Tensor A(at::rand({5, 4, 4}, at::kDouble), 1);
  const auto [LU, pivots] = linalg::lu_factor(A);
  REQUIRE(described(LU) == "Tensor (5; 4, 4)");
  REQUIRE(described(pivots) == "Tensor (5; 4)");
  REQUIRE(pivots.scalar_type() == kInt32);
  for (Size i = 0; i < 5; i++)
  {
    at::Tensor B = A[i].clone();
    for (Size k = 0; k < 4; k++)
    {
      const auto other = pivots[i][k].item<int64_t>() - 1;
      const at::Tensor row = B[k].clone();
      B[k].copy_(B[other].clone());
      B[other].copy_(row);
    }
    REQUIRE(at::allclose(
        at::matmul(LU[i].tril(-1) + at::eye(4, at::kDouble), LU[i].triu()), B, 0, 1e-14));
  }
  const auto [wide, rows] = linalg::lu_factor(Tensor(at::rand({2, 3, 5}, at::kDouble), 1));
  REQUIRE(described(wide) == "Tensor (2; 3, 5)");
  REQUIRE(described(rows) == "Tensor (2; 3)");
}

TEST_CASE("Linear algebra refuses base dimensions that do not fit", "[math][linalg][errors]")
{
  const Tensor I = units({2}, 3);
  REQUIRE_THAT(error_of([&] { linalg::vector_norm(I); }), ContainsSubstring("one or none"));
  REQUIRE_THAT(error_of([&] { linalg::vecdot(zeros({}, {3}), zeros({}, {4})); }),
               ContainsSubstring("linalg::vecdot: the contracted"));
  REQUIRE_THAT(error_of(
                   [&] {
                     linalg::inv(zeros({2}, {3, 4}));
                   }),
               ContainsSubstring("linalg::inv: Tensor (2; 3, 4) is not square"));
  REQUIRE_THAT(error_of(
                   [&] {
                     linalg::inv(zeros({}, {3, 3, 3, 3}));
                   }),
               ContainsSubstring("has 4 base dimensions, expected 2"));
  REQUIRE_THAT(error_of(
                   [&] {
                     linalg::slogdet(zeros({2}, {3, 4}));
                   }),
               ContainsSubstring("linalg::slogdet: Tensor (2; 3, 4) is not square"));
  REQUIRE_THAT(error_of([&] { linalg::solve(I, zeros({2}, {4})); }),
               ContainsSubstring("has 4 rows, but the matrix has 3"));
  REQUIRE_THAT(error_of([&] { linalg::solve(I, zeros({2}, {})); }),
               ContainsSubstring("Expected one (a vector) or two (a matrix)"));
  REQUIRE_THAT(error_of([&] { linalg::lu_factor(zeros({2}, {3})); }),
               ContainsSubstring("linalg::lu_factor: Tensor (2; 3) has 1 base dimensions"));
  const auto [LU, pivots] = linalg::lu_factor(I);
  const Tensor factors = LU, rows = pivots; // structured bindings cannot be captured
  REQUIRE_THAT(error_of([&] { linalg::lu_solve(factors, rows, zeros({2}, {3})); }),
               ContainsSubstring("linalg::lu_solve: Tensor (2; 3) has 1 base dimensions"));
  REQUIRE_THAT(error_of(
                   [&] {
                     linalg::lu_solve(factors, rows, zeros({2}, {4, 3}));
                   }),
               ContainsSubstring("4 rows, but the matrix has 3"));
  REQUIRE_THAT(error_of(
                   [&] {
                     linalg::lu_solve(factors, rows, zeros({2}, {3, 4}), false);
                   }),
               ContainsSubstring("4 columns, but the matrix has 3"));
  REQUIRE_THAT(error_of(
                   [&] {
                     linalg::lu_solve(factors, rows.to(kInt64), zeros({2}, {3, 3}));
                   }),
               ContainsSubstring("of dtype int64"));
  for (const int bad : {0, 4})
    REQUIRE_THAT(
        error_of(
            [&] {
              linalg::lu_solve(factors, Tensor::full({2}, {3}, bad, at::kInt), zeros({2}, {3, 3}));
            }),
        ContainsSubstring("Expected the pivots that lu_factor returned"));
  REQUIRE_THAT(error_of(
                   [&] {
                     linalg::lu_solve(factors, Tensor(), zeros({2}, {3, 3}));
                   }),
               ContainsSubstring("linalg::lu_solve: undefined tensor"));
}

TEST_CASE("linalg::cross and linalg::outer of vectors are those of Vec", "[math][linalg]")
{
  const Vec a(at::rand({5, 3}, at::kDouble)), b(at::rand({2, 1, 3}, at::kDouble));
  REQUIRE(at::equal(linalg::cross(a, b), a.cross(b)));
  REQUIRE(at::equal(linalg::outer(a, b), a.outer(b)));
  REQUIRE(described(linalg::outer(a, b)) == "R2 (2, 5; 3, 3)");
}
} // namespace linalg_test
