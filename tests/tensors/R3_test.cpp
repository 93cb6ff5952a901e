// SPDX-License-Identifier: MIT
#include "neml2/tensors/R3.h"
#include "support/battery.h"
#include "support/reference.h"

#include "support/catch.h"

namespace R3_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::operation;

namespace
{
/// The component 120, a view.
test::Operation
component()
{
  return operation<R3>(
      "()",
      Accepts::any,
      [](const R3 & T) { return T(1, 2, 0); },
      [](const Arguments & a)
      { return a[0].flatten(-3).index_select(-1, at::tensor({15}, at::kLong)).squeeze(-1); });
}

const test::Table &
operations()
{
  static const std::vector<test::Operation> all{
      component().without(test::own_rule),
      operation<R3, Scalar>(
          "*",
          Accepts::any,
          [](const R3 & T, const Scalar & a) { return T * a; },
          [](const Arguments & a) {
            return at::einsum("...ijk,...->...ijk", {a[0], a[1]});
          })
          .without({Check::refusals})
          .without(test::own_rule),
      operation<R3, Vec>(
          "contract_k",
          Accepts::numbers,
          [](const R3 & T, const Vec & v) { return T.contract_k(v); },
          [](const Arguments & a) {
            return at::einsum("...ijk,...k->...ij", {a[0], a[1]});
          })
          .without(test::own_rule),
      operation<R3, R3>(
          "-",
          Accepts::any,
          [](const R3 & T, const R3 & U) { return T - U; },
          [](const Arguments & a) { return a[0] - a[1]; })
          .without({Check::refusals})
          .without(test::own_rule)};
  return all;
}
const test::Battery battery(operations);
} // namespace

TEST_CASE("Operations of R3 pass the battery", "[tensors][R3][cuda]")
{
  battery.check();
}

TEST_CASE("The permutation tensor contracted with a vector is its skew tensor", "[tensors][R3]")
{
  const Vec v(at::rand({4, 3}, at::kDouble));
  REQUIRE(at::allclose(R3::levi_civita().contract_k(v), -R2::skew(v)));
  REQUIRE(at::equal(contract_k(R3::levi_civita(), v), R3::levi_civita().contract_k(v)));
}

TEST_CASE("A component of R3 is out of range beyond 2", "[tensors][R3][errors]")
{
  const auto e = R3::levi_civita();
  REQUIRE(at::equal(e(-1, 0, 1), e(2, 0, 1)));
  REQUIRE_THROWS_AS(e(0, 3, 0), NEMLException);
  REQUIRE_THROWS_AS(e(0, 0, -4), NEMLException);
  REQUIRE_THROWS_AS(R3()(0, 0, 0), NEMLException);
  REQUIRE_THROWS_AS(R3(at::ones({3, 3})), NEMLException);
}

TEST_CASE("The permutation tensor is that of the book", "[tensors][R3]")
{
  const auto e = R3::levi_civita();
  REQUIRE(at::equal(e, test::permutation()));
  REQUIRE(e.batch_dim() == 0);
  REQUIRE(R3::levi_civita(kFloat32).scalar_type() == kFloat32);
  REQUIRE(R3::levi_civita(kInt64).scalar_type() == kInt64);
  REQUIRE(R3::levi_civita(default_tensor_options().requires_grad(true)).is_leaf());
  // ε_ijk ε_ilm = δ_jl δ_km - δ_jm δ_kl
  const auto d = test::delta();
  REQUIRE(at::equal(at::einsum("ijk,ilm->jklm", {e, e}),
                    at::einsum("jl,km->jklm", {d, d}) - at::einsum("jm,kl->jklm", {d, d})));
}
} // namespace R3_test
