// SPDX-License-Identifier: MIT
#include "neml2/math/invariants.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Scalar.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/tensors.h"

#include "support/catch.h"

namespace invariants_test
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

/// A_kk δ_ij / n
at::Tensor
volumetric(const at::Tensor & A)
{
  const auto n = A.size(-1);
  return at::einsum("...kk,ij->...ij", {A, at::eye(n, at::kDouble)}) / n;
}

std::vector<test::Operation>
operations_of(Size n)
{
  constexpr auto floating = Accepts::floating;
  const std::vector<TensorShape> base{{n, n}};
  return {operation_on_tensors(
              "tr",
              Accepts::numbers,
              base,
              [](const Tensors & t) { return Tensor(tr(t[0])); },
              [](const Arguments & a) { return at::einsum("...ii->...", {a[0]}); }),
          operation_on_tensors(
              "det",
              floating,
              base,
              [](const Tensors & t) { return Tensor(det(t[0])); },
              [](const Arguments & a) { return at::real(at::linalg_eigvals(a[0]).prod(-1)); }),
          operation_on_tensors(
              "vol",
              floating,
              base,
              [](const Tensors & t) { return vol(t[0]); },
              [](const Arguments & a) { return volumetric(a[0]); }),
          operation_on_tensors(
              "dev",
              floating,
              base,
              [](const Tensors & t) { return dev(t[0]); },
              [](const Arguments & a) { return a[0] - volumetric(a[0]); }),
          operation_on_tensors(
              "inv",
              floating,
              base,
              [](const Tensors & t) { return inv(t[0]); },
              [](const Arguments & a) { return at::linalg_inv(a[0]); })};
}

const std::vector<test::Operation> &
operations()
{
  static const std::vector<test::Operation> all = []
  {
    auto both = operations_of(3);
    for (const auto & op : operations_of(4))
      both.push_back(op);
    return both;
  }();
  return all;
}

/// The inverse of maps of 2×2 matrices that are near 5 times the identity.
test::Operation
inverse_of_maps()
{
  const at::Tensor identity = 5 * at::eye(4, at::kDouble).reshape({2, 2, 2, 2});
  return operation_on_tensors(
      "inv",
      Accepts::floating,
      {{2, 2, 2, 2}},
      [=](const Tensors & t)
      { return inv(Tensor(t[0] + identity.to(t[0].options()), t[0].batch_dim())); },
      [=](const Arguments & a)
      {
        const at::Tensor C = a[0] + identity;
        return at::linalg_inv(C.flatten(-2).flatten(-3, -2)).reshape(C.sizes());
      });
}

test::Table
all_operations()
{
  return test::without(test::fused_path, operations());
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Invariants of square matrices pass the battery", "[math][invariants][cuda]")
{
  battery.check();
  test::check_operations({inverse_of_maps().without(
      {test::Check::both_paths, test::Check::rule, test::Check::refusals})});
}

TEST_CASE("Invariants need square matrices", "[math][invariants][errors]")
{
  const Tensor A = Tensor::ones({2}, {3, 4}, kFloat64), v = Tensor::ones({3, 3}, {3}, kFloat64);
  for (const std::function<void(const Tensor &)> & f :
       std::vector<std::function<void(const Tensor &)>>{[](const Tensor & t) { tr(t); },
                                                        [](const Tensor & t) { det(t); },
                                                        [](const Tensor & t) { vol(t); },
                                                        [](const Tensor & t) { dev(t); },
                                                        [](const Tensor & t) { inv(t); }})
  {
    REQUIRE_THAT(error_of([&] { f(A); }),
                 ContainsSubstring("Tensor (2; 3, 4) is not square: its base shape is [3, 4]"));
    REQUIRE_THAT(error_of([&] { f(v); }),
                 ContainsSubstring("Tensor (3, 3; 3) has 1 base dimensions, expected 2"));
  }
  REQUIRE_THAT(error_of(
                   [&] {
                     inv(Tensor::ones({2, 3, 2, 3}, kFloat64));
                   }),
               ContainsSubstring("Expected n×n×n×n"));
}

TEST_CASE("A singular matrix has no finite inverse, and the others are inverted",
          "[math][invariants]")
{
  for (const Size n : {2, 3, 4})
  {
    const Tensor A(at::stack({at::eye(n, at::kDouble), at::ones({n, n}, at::kDouble)}), 1);
    const Tensor inverse = inv(A);
    REQUIRE(at::equal(inverse[0], at::eye(n, at::kDouble)));
    REQUIRE(!inverse[1].isfinite().any().item<bool>());
    REQUIRE(det(A)[1].item<double>() == 0);
  }
}

TEST_CASE("Invariants of a Tensor of 3×3 matrices are those of R2", "[math][invariants]")
{
  const R2 A(at::rand({2, 5, 3, 3}, at::kDouble));
  const Tensor t = A;
  REQUIRE(described(det(t)) == "Scalar (2, 5;)");
  REQUIRE(at::allclose(tr(t), tr(A)));
  REQUIRE(at::allclose(det(t), det(A)));
  REQUIRE(at::allclose(vol(t), vol(A)));
  REQUIRE(at::allclose(dev(t), dev(A)));
  REQUIRE(at::allclose(inv(t), inv(A)));
}
} // namespace invariants_test
