// SPDX-License-Identifier: MIT
#include "neml2/tensors/cholesky.h"
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/parity.h"
#include "support/reference.h"

#include "neml2/math/jacobian.h"

#include "support/catch.h"

namespace cholesky_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
class Covariance : public PrimitiveTensor<Covariance, 4, 4>
{
public:
  static constexpr auto type_name = "Covariance";
  using PrimitiveTensor::PrimitiveTensor;
};

constexpr auto factor = [](const auto & A) { return cholesky(A); };

at::Tensor
factor_of(const at::Tensor & A)
{
  return at::linalg_cholesky(0.5 * (A + A.transpose(-1, -2)));
}

/// Every operation with a derivative rule.
test::Table
operations()
{
  const auto matrix = [](const Arguments & a) { return factor_of(a[0]); };
  return {operation<R2>("cholesky", Accepts::floating, factor, matrix),
          operation<SSR4>("cholesky", Accepts::floating, factor, matrix),
          operation<SR2>("cholesky",
                         Accepts::floating,
                         factor,
                         [](const Arguments & a) { return factor_of(test::full_of(a[0])); })};
}

test::Table
all_operations()
{
  return test::together({operations(),
                         {operation<Covariance>("cholesky",
                                                Accepts::floating,
                                                factor,
                                                [](const Arguments & a) { return factor_of(a[0]); })
                              .without(test::own_rule)}});
}
const test::Battery battery(all_operations);

/// Matrices that are positive definite except in one place.
at::Tensor
definite_but_at(Size n, Size count, Size place)
{
  const auto B = at::rand({count, n, n}, at::kDouble);
  auto A = at::matmul(B, B.transpose(-1, -2)) + 0.1 * at::eye(n, at::kDouble);
  A[place][n - 1][n - 1] = -1;
  return A;
}
} // namespace

TEST_CASE("cholesky passes the battery", "[tensors][cholesky][cuda]")
{
  battery.check();
}

TEST_CASE("cholesky gives the factor of the literature", "[tensors][cholesky]")
{
  // A matrix of integers whose factor has integers too; its condition number is 7e3.
  const auto A = R2::fill(4, 37, 98, -43, -16, 12), L = R2::fill(2, 0, 0, 6, 1, 0, -8, 5, 3);
  REQUIRE(at::allclose(cholesky(A), L, 1e-14, 1e-14));
  REQUIRE(at::allclose(cholesky(SR2(A)), L, 1e-11, 1e-11));
  // The energy is a sum of squares
  const SSR4 C = SSR4::isotropic_E_nu(100, 0.3);
  const SR2 e(at::rand({5, 6}, at::kDouble));
  REQUIRE(at::allclose(e.inner(C * e), norm_sq(e * cholesky(C)), 1e-14, 0));
}

TEST_CASE("Where a matrix is not positive definite its factor alone is NaN", "[tensors][cholesky]")
{
  for (Size place = 0; place < 9; place++)
    for (const bool tracked : {false, true})
    {
      const auto check = [&](const at::Tensor & A, const at::Tensor & L)
      {
        const auto nan = L.isnan().flatten(1);
        REQUIRE(nan.select(0, place).all().item<bool>());
        REQUIRE(nan.sum().item<int64_t>() == nan.size(1));
        const auto others = at::arange(9).ne(place);
        REQUIRE(
            at::allclose(at::matmul(L, L.transpose(-1, -2)).index({others}), A.index({others})));
      };
      const R2 A(definite_but_at(3, 9, place).requires_grad_(tracked));
      check(A, cholesky(A));
      const SSR4 C(definite_but_at(6, 9, place).requires_grad_(tracked));
      check(C, cholesky(C));
      const Covariance D(definite_but_at(4, 9, place).requires_grad_(tracked));
      check(D, cholesky(D));
    }
  REQUIRE(cholesky(SSR4::zeros()).isnan().all().item<bool>());
  REQUIRE(cholesky(SSR4::identity()).isnan().all().item<bool>()); // semidefinite
}

TEST_CASE("The derivatives of cholesky are those of differences, and symmetric",
          "[tensors][cholesky]")
{
  const SSR4 C(test::values({5}, {6, 6}, at::kDouble));
  const auto [L, dL] = value_and_jacobian<0>(factor, C);
  const auto d = dL.reshape({5, 6, 6, 6, 6});
  REQUIRE(at::allclose(d, d.transpose(-1, -2), 0, 1e-14));
  const SSR4 h(at::rand({5, 6, 6}, at::kDouble));
  const double eps = 1e-5;
  const at::Tensor slope = (cholesky(C + eps * h) - cholesky(C - eps * h)) / (2 * eps);
  REQUIRE(at::allclose(at::einsum("nijkl,nkl->nij", {d, h}), slope, 1e-8, 1e-8));
  SSR4 bad = C.clone();
  bad[2] = -C[2];
  const auto [M, dM] = value_and_jacobian<0>(factor, bad);
  REQUIRE(dM.select(0, 2).isnan().all().item<bool>());
  REQUIRE(at::equal(dM.select(0, 3), dL.select(0, 3)));
}

TEST_CASE("cholesky refuses undefined tensors", "[tensors][cholesky]")
{
  REQUIRE_THAT(test::error_of([] { (void)cholesky(R2()); }),
               Catch::Matchers::StartsWith("cholesky: undefined tensor"));
  REQUIRE_THAT(test::error_of([] { (void)cholesky(SSR4::ones(kInt64)); }),
               Catch::Matchers::StartsWith("cholesky: not defined for dtype int64"));
}
} // namespace cholesky_test
