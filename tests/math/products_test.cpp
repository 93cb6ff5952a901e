// SPDX-License-Identifier: MIT
#include "neml2/math/products.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/refusals.h"
#include "support/tensors.h"

#include "support/catch.h"

namespace products_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using core::Accepts;
using test::Arguments;
using test::described;
using test::error_of;
using test::operation_on_tensors;

namespace
{
using Tensors = std::vector<Tensor>;

/// Plain ATen's sum of products.
test::Formula
sum_of(const std::string & equation)
{
  return [=](const Arguments & a) { return at::einsum(equation, a); };
}

const std::vector<test::Operation> &
operations()
{
  constexpr auto numbers = Accepts::numbers;
  const auto norm_with = [](double epsilon)
  {
    return [=](const Arguments & a)
    { return at::sqrt((a[0] * a[0]).flatten(-2).sum(-1) + epsilon); };
  };
  static const std::vector<test::Operation> all{
      operation_on_tensors(
          "bmm",
          numbers,
          {{4, 4}, {4, 4}},
          [](const Tensors & t) { return bmm(t[0], t[1]); },
          sum_of("...ik,...kj->...ij")),
      operation_on_tensors(
          "mm",
          numbers,
          {{2, 2}, {2, 2}},
          [](const Tensors & t) { return mm(t[0], t[1]); },
          sum_of("...ik,...kj->...ij")),
      operation_on_tensors(
          "bmv",
          numbers,
          {{4, 4}, {4}},
          [](const Tensors & t) { return bmv(t[0], t[1]); },
          sum_of("...ik,...k->...i")),
      operation_on_tensors(
          "mv",
          numbers,
          {{2, 2}, {2}},
          [](const Tensors & t) { return mv(t[0], t[1]); },
          sum_of("...ik,...k->...i")),
      operation_on_tensors(
          "bvv",
          numbers,
          {{4}, {4}},
          [](const Tensors & t) { return Tensor(bvv(t[0], t[1])); },
          sum_of("...k,...k->...")),
      operation_on_tensors(
          "vdot",
          numbers,
          {{2}, {2}},
          [](const Tensors & t) { return Tensor(vdot(t[0], t[1])); },
          sum_of("...k,...k->...")),
      operation_on_tensors(
          "inner",
          numbers,
          {{2, 2}, {2, 2}},
          [](const Tensors & t) { return Tensor(inner(t[0], t[1])); },
          sum_of("...ij,...ij->...")),
      operation_on_tensors(
          "inner",
          numbers,
          {{}, {}},
          [](const Tensors & t) { return Tensor(inner(t[0], t[1])); },
          sum_of("...,...->...")),
      operation_on_tensors(
          "norm_sq",
          numbers,
          {{2, 2}},
          [](const Tensors & t) { return Tensor(norm_sq(t[0])); },
          [](const Arguments & a) { return (a[0] * a[0]).flatten(-2).sum(-1); }),
      operation_on_tensors(
          "norm",
          Accepts::floating,
          {{2, 2}},
          [](const Tensors & t) { return Tensor(norm(t[0])); },
          norm_with(0)),
      operation_on_tensors(
          "norm",
          Accepts::floating,
          {{2, 2}},
          [](const Tensors & t) { return Tensor(norm(t[0], 0.5)); },
          norm_with(0.5)),
      operation_on_tensors(
          "norm",
          Accepts::floating,
          {{}},
          [](const Tensors & t) { return Tensor(norm(t[0])); },
          [](const Arguments & a) { return a[0].abs(); }),
      operation_on_tensors(
          "unit",
          Accepts::floating,
          {{2, 2}},
          [](const Tensors & t) { return unit(t[0], 0.5); },
          [=](const Arguments & a)
          { return a[0] / norm_with(0.5)(a).unsqueeze(-1).unsqueeze(-1); }),
      operation_on_tensors(
          "outer",
          numbers,
          {{2}, {2, 2}},
          [](const Tensors & t) { return outer(t[0], t[1]); },
          sum_of("...i,...jk->...ijk")),
      operation_on_tensors(
          "outer",
          numbers,
          {{2}},
          [](const Tensors & t) { return outer(t[0]); },
          [](const Arguments & a) {
            return at::einsum("...i,...j->...ij", {a[0], a[0]});
          }),
      operation_on_tensors(
          "einsum",
          Accepts::any,
          {{2, 2}, {2}, {2}},
          [](const Tensors & t) { return einsum("...ij, ...j, ...k -> ...ki", t); },
          sum_of("...ij,...j,...k->...ki")),
      test::operation<R3, R3>(
          "inner",
          numbers,
          [](const R3 & a, const R3 & b) { return inner(a, b); },
          sum_of("...ijk,...ijk->..."))};
  return all;
}

Tensor
zeros(TensorShapeRef batch, TensorShapeRef base)
{
  return Tensor::zeros(batch, base, kFloat64);
}

test::Table
all_operations()
{
  return test::without(test::fused_path, operations());
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Products of tensors of any base shape pass the battery", "[math][products][cuda]")
{
  battery.check();
}

TEST_CASE("Products contract base dimensions and broadcast batch dimensions", "[math][products]")
{
  REQUIRE(described(bmm(zeros({5}, {3, 4}), zeros({2, 1}, {4, 2}))) == "Tensor (2, 5; 3, 2)");
  REQUIRE(described(bmm(zeros({}, {3, 4}), zeros({0}, {4, 2}))) == "Tensor (0; 3, 2)");
  REQUIRE(described(bmm(zeros({3, 4}, {1, 4}), zeros({}, {4, 1}))) == "Tensor (3, 4; 1, 1)");
  REQUIRE(described(bmv(zeros({5}, {3, 4}), zeros({2, 1}, {4}))) == "Tensor (2, 5; 3)");
  REQUIRE(described(bmv(zeros({4}, {4, 4}), zeros({}, {4}))) == "Tensor (4; 4)");
  REQUIRE(described(bvv(zeros({5}, {4}), zeros({2, 1}, {4}))) == "Scalar (2, 5;)");
  REQUIRE(described(inner(zeros({5}, {4, 2}), zeros({2, 1}, {4, 2}))) == "Scalar (2, 5;)");
  REQUIRE(described(outer(zeros({5}, {3, 4}), zeros({2, 1}, {6}))) == "Tensor (2, 5; 3, 4, 6)");
  REQUIRE(described(outer(zeros({5}, {}), zeros({2, 1}, {6}))) == "Tensor (2, 5; 6)");
  REQUIRE(described(bmm(zeros({2}, {3, 0}), zeros({2}, {0, 4}))) == "Tensor (2; 3, 4)");
}

TEST_CASE("Products do not take base dimensions of other sizes or numbers",
          "[math][products][errors]")
{
  const Tensor A = zeros({5}, {3, 4}), v = zeros({5}, {4});
  REQUIRE_THAT(error_of([&] { bmm(A, A); }),
               ContainsSubstring("bmm: the contracted base dimensions have the sizes 4 and 3") &&
                   ContainsSubstring("Tensor (5; 3, 4) and Tensor (5; 3, 4)"));
  REQUIRE_THAT(error_of([&] { bmm(A, v); }),
               ContainsSubstring("bmm: Tensor (5; 4) has 1 base dimensions, expected 2"));
  REQUIRE_THAT(error_of([&] { bmv(v, v); }),
               ContainsSubstring("bmv: Tensor (5; 4) has 1 base dimensions, expected 2"));
  REQUIRE_THAT(error_of([&] { bmv(A, A); }),
               ContainsSubstring("has 2 base dimensions, expected 1"));
  REQUIRE_THAT(error_of([&] { bmv(A, zeros({5}, {1})); }), ContainsSubstring("sizes 4 and 1"));
  REQUIRE_THAT(error_of([&] { bvv(v, A); }), ContainsSubstring("bvv: Tensor (5; 3, 4) has 2"));
  REQUIRE_THAT(error_of([&] { bvv(v, zeros({5}, {1})); }), ContainsSubstring("sizes 4 and 1"));
  REQUIRE_THAT(error_of([&] { inner(v, zeros({5}, {1})); }),
               ContainsSubstring("inner: base shapes [4] and [1] differ"));
}

TEST_CASE("Types of the library take part in products of any base shape", "[math][products]")
{
  const R2 A(at::rand({5, 3, 3}, at::kDouble));
  const Vec v(at::rand({2, 1, 3}, at::kDouble));
  REQUIRE(at::allclose(bmm(A, A), A * A));
  REQUIRE(at::allclose(bmv(A, v), A * v));
  REQUIRE(at::allclose(bvv(v, v), v.dot(v)));
  REQUIRE(at::allclose(inner(A, Tensor(A)), inner(A, A)));
  REQUIRE(described(outer(v, A)) == "Tensor (2, 5; 3, 3, 3)");
  REQUIRE(described(outer(v, v)) == "R2 (2, 1; 3, 3)");
  REQUIRE(described(unit(R3::ones({4}))) == "R3 (4; 3, 3, 3)");
}

TEST_CASE("The norm of zero has the gradient zero", "[math][products][autograd]")
{
  for (const TensorShape & base : {TensorShape{}, TensorShape{4}, TensorShape{2, 2}})
  {
    const Tensor z = Tensor::zeros({2}, base, TensorOptions(kFloat64).requires_grad(true));
    const auto g = torch::autograd::grad({norm(z).sum()}, {z})[0];
    REQUIRE(at::equal(g, at::zeros_like(g)));
  }
}

TEST_CASE("einsum's letters are base dimensions", "[math][products]")
{
  const Tensor A(at::rand({5, 3, 4}, at::kDouble), 1), v(at::rand({2, 1, 4}, at::kDouble), 2);
  const auto expected = at::einsum("...ij,...j->...i", {A, v});
  REQUIRE(at::allclose(einsum("...ij,...j->...i", {A, v}), expected));
  REQUIRE(at::allclose(einsum("...ij,...j", {A, v}), expected));
  REQUIRE(described(einsum("...ij,...j->...i", {A, v})) == "Tensor (2, 5; 3)");
  REQUIRE(described(einsum("...ij->...ji", {A})) == "Tensor (5; 4, 3)");
  REQUIRE(described(einsum("...ij->...", {A})) == "Tensor (5;)");
  const R2 T(at::rand({2, 3, 3}, at::kDouble));
  REQUIRE(at::allclose(einsum("...ii", {T}), T.tr()));
  REQUIRE(at::allclose(einsum("...ij,j->...i", {T, Vec::fill(1, 2, 3)}), T * Vec::fill(1, 2, 3)));
}

TEST_CASE("einsum refuses an equation that does not fit", "[math][products][errors]")
{
  const Tensor A = zeros({5}, {3, 4}), v = zeros({5}, {4});
  for (const char * equation :
       {"...ij->...ij", "...ijk,...j->...i", "...ij,...i->...j", "ij,j->i", "...ij,...j->i", ""})
    REQUIRE_THAT(error_of([&] { einsum(equation, {A, v}); }), ContainsSubstring("einsum: "));
  REQUIRE_THAT(error_of([&] { einsum("", {}); }), ContainsSubstring("einsum: "));
  // LibTorch would broadcast the base dimension of size 1.
  REQUIRE_THAT(error_of(
                   [&] {
                     einsum("...ij,...j->...i", {A, zeros({5}, {1})});
                   }),
               ContainsSubstring("the letter j of ...ij,...j->...i stands for base dimensions of "
                                 "the sizes 4 and 1"));
  REQUIRE_THAT(error_of(
                   [&] {
                     einsum("...ii", {zeros({}, {3, 1})});
                   }),
               ContainsSubstring("the letter i of ...ii"));
}
} // namespace products_test
