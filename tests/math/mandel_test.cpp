// SPDX-License-Identifier: MIT
#include "neml2/math/mandel.h"
#include "neml2/math/mandel_maps.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/reference.h"
#include "support/tensors.h"

#include "support/catch.h"

namespace mandel_test
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

/// Entry (i, j) of the dimensions 1 and 2 of four base dimensions.
at::Tensor
entry(const at::Tensor & t, Size i, Size j)
{
  return t.select(-3, i).select(-2, j);
}

/// The skew matrices of the axial vectors in dimension 1 of three base dimensions.
at::Tensor
skew_matrix(const at::Tensor & w)
{
  return -at::einsum("ijk,...akb->...aijb", {test::permutation(), w});
}

const std::vector<test::Operation> &
operations()
{
  static const std::vector<test::Operation> all{
      operation_on_tensors(
          "full_to_mandel",
          Accepts::floating,
          {{2, 3, 3, 4}},
          [](const Tensors & t) { return full_to_mandel(t[0], 1); },
          [](const Arguments & a)
          {
            const at::Tensor & A = a[0];
            const auto shear = [&](Size i, Size j) { return std::sqrt(2.0) * entry(A, i, j); };
            return at::stack({entry(A, 0, 0),
                              entry(A, 1, 1),
                              entry(A, 2, 2),
                              shear(1, 2),
                              shear(0, 2),
                              shear(0, 1)},
                             -2);
          }),
      operation_on_tensors(
          "mandel_to_full",
          Accepts::floating,
          {{2, 6, 4}},
          [](const Tensors & t) { return mandel_to_full(t[0], 1); },
          [](const Arguments & a) {
            return at::einsum("...akb,kij->...aijb", {a[0], test::mandel_basis()});
          }),
      operation_on_tensors(
          "full_to_skew",
          Accepts::numbers,
          {{2, 3, 3, 4}},
          [](const Tensors & t) { return full_to_skew(t[0], 1); },
          [](const Arguments & a) {
            return at::stack({entry(a[0], 2, 1), entry(a[0], 0, 2), entry(a[0], 1, 0)}, -2);
          }),
      operation_on_tensors(
          "skew_to_full",
          Accepts::numbers,
          {{2, 3, 4}},
          [](const Tensors & t) { return skew_to_full(t[0], 1); },
          [](const Arguments & a) { return skew_matrix(a[0]); })};
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

TEST_CASE("Mandel and skew components pass the battery", "[math][mandel][cuda]")
{
  battery.check();
}

TEST_CASE("Any two neighbouring base dimensions of sizes 3 and 3 are reduced", "[math][mandel]")
{
  const Tensor t = zeros({5, 7}, {2, 9, 3, 3, 2, 3});
  REQUIRE(described(full_to_mandel(t, 2)) == "Tensor (5, 7; 2, 9, 6, 2, 3)");
  REQUIRE(described(full_to_mandel(t, -4)) == "Tensor (5, 7; 2, 9, 6, 2, 3)");
  REQUIRE(described(full_to_skew(t, 2)) == "Tensor (5, 7; 2, 9, 3, 2, 3)");
  REQUIRE(described(mandel_to_full(zeros({5, 7}, {2, 9, 6, 2, 3}), 2)) ==
          "Tensor (5, 7; 2, 9, 3, 3, 2, 3)");
  REQUIRE(described(skew_to_full(zeros({5, 7}, {2, 9, 3, 2, 3}), 2)) ==
          "Tensor (5, 7; 2, 9, 3, 3, 2, 3)");
  REQUIRE(described(full_to_mandel(zeros({}, {3, 3}))) == "Tensor (; 6)");
  REQUIRE(described(mandel_to_full(zeros({6}, {6}), -1)) == "Tensor (6; 3, 3)");
}

TEST_CASE("There and back is the identity, and Mandel components are those of SR2",
          "[math][mandel]")
{
  const SR2 s(at::rand({5, 6}, at::kDouble));
  REQUIRE(at::allclose(mandel_to_full(s), R2(s)));
  REQUIRE(at::allclose(full_to_mandel(R2(s)), s));
  const Tensor w(at::rand({5, 3}, at::kDouble), 1);
  REQUIRE(at::equal(full_to_skew(skew_to_full(w)), w));
  // Not symmetrised: of A = [[1, 2, 3], [4, 5, 6], [7, 8, 10]] the upper entries count
  const Tensor A = Tensor::create({{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}, kFloat64);
  REQUIRE(
      at::allclose(full_to_mandel(A),
                   at::tensor({1.0, 5.0, 10.0, 8.48528137, 4.24264069, 2.82842712}, at::kDouble)));
  REQUIRE(at::equal(full_to_skew(A), at::tensor({8.0, 3.0, 4.0}, at::kDouble)));
}

TEST_CASE("The tables of components are those of the conventions", "[math][mandel]")
{
  const at::Tensor basis = test::mandel_basis(), epsilon = test::permutation();
  for (int k = 0; k < 6; k++)
  {
    const auto [i, j] = mandel_index[k];
    REQUIRE(mandel_reverse_index[i][j] == k);
    REQUIRE(mandel_reverse_index[j][i] == k);
    REQUIRE(std::abs(basis[k][i][j].item<double>() * mandel_factor(k) - 1) < 1e-15);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        REQUIRE(-epsilon[i][j][k].item<double>() ==
                (skew_reverse_index[i][j] == k ? skew_factor[i][j] : 0));
  static_assert(mandel_factor(2) == 1 && mandel_factor(5) == sqrt2);
  REQUIRE_THAT(error_of([] { mandel_factor(6); }), ContainsSubstring("component 6"));
  REQUIRE_THAT(error_of([] { mandel_factor(-1); }), ContainsSubstring("component -1"));
}

TEST_CASE("The maps and factors are made once for each dtype and device", "[math][mandel]")
{
  const Tensor & map = full_to_mandel_map();
  REQUIRE(map.scalar_type() == kInt64);
  REQUIRE(&full_to_mandel_map(kInt64) == &map);
  REQUIRE(&full_to_mandel_map(kInt32) != &map);
  REQUIRE(full_to_mandel_map(kInt32).scalar_type() == kInt32);
  const Tensor & factor = mandel_to_full_factor(kFloat32);
  REQUIRE(factor.scalar_type() == kFloat32);
  REQUIRE(&mandel_to_full_factor(TensorOptions(kFloat32).requires_grad(true)) == &factor);
  REQUIRE(!factor.requires_grad());
  REQUIRE_THAT(error_of([] { full_to_skew_map(kFloat64); }),
               ContainsSubstring("full_to_skew_map: expected options of an integer dtype"));
  REQUIRE_THAT(error_of([] { mandel_to_full_factor(kInt64); }),
               ContainsSubstring("mandel_to_full_factor: expected options of a floating dtype"));
}

TEST_CASE("Any map and factors reduce, as those of the conventions do", "[math][mandel]")
{
  const Tensor full(at::rand({5, 2, 3, 3, 4}, at::kDouble), 1);
  const Tensor & map = full_to_mandel_map();
  REQUIRE(
      at::equal(full_to_reduced(full, map, full_to_mandel_factor(), 1), full_to_mandel(full, 1)));
  REQUIRE(at::equal(full_to_reduced(full, full_to_skew_map(), full_to_skew_factor(), 1),
                    full_to_skew(full, 1)));
  const Tensor mandel(at::rand({5, 2, 6, 4}, at::kDouble), 1),
      skew(at::rand({5, 2, 3, 4}, at::kDouble), 1);
  REQUIRE(at::equal(reduced_to_full(mandel, mandel_to_full_map(), mandel_to_full_factor(), 1),
                    mandel_to_full(mandel, 1)));
  REQUIRE(at::equal(reduced_to_full(skew, skew_to_full_map(), skew_to_full_factor(), 1),
                    skew_to_full(skew, 1)));
  const Tensor two(at::tensor({4, 0}, at::kInt), 0), ones = Tensor::ones({2}, kFloat64);
  REQUIRE(described(full_to_reduced(full, two, ones, -3)) == "Tensor (5; 2, 2, 4)");

  REQUIRE_THAT(error_of(
                   [&] {
                     full_to_reduced(full, Tensor::create({9, 0}, kInt64), ones, 1);
                   }),
               ContainsSubstring("indices from 0 to 9. Expected them in [0, 9)"));
  REQUIRE_THAT(error_of(
                   [&] {
                     full_to_reduced(full, Tensor::create({-1, 0}, kInt64), ones, 1);
                   }),
               ContainsSubstring("indices from -1 to 0"));
  REQUIRE_THAT(error_of([&] { full_to_reduced(full, ones, ones, 1); }),
               ContainsSubstring("is float64. Expected integers"));
  REQUIRE_THAT(error_of([&] { full_to_reduced(full, map, ones, 1); }),
               ContainsSubstring("do not belong together"));
  REQUIRE_THAT(error_of([&] { full_to_reduced(full, two, ones.to(kFloat32), 1); }),
               ContainsSubstring("full_to_reduced: operands of different dtypes"));
  REQUIRE_THAT(error_of([&] { reduced_to_full(mandel, two, ones, 1); }),
               ContainsSubstring("has 2 entries. Expected nine"));
}

TEST_CASE("Dimensions other than 3 and 3, or 6, are not reduced or expanded",
          "[math][mandel][errors]")
{
  const Tensor t = zeros({3, 3}, {2, 3, 3});
  REQUIRE_THAT(
      error_of([&] { full_to_mandel(t); }),
      ContainsSubstring("full_to_mandel: the base dimensions 0 and 1 of Tensor (3, 3; 2, 3, 3)"));
  REQUIRE_THAT(error_of([&] { full_to_skew(t, 2); }), ContainsSubstring("Expected 3 and 3"));
  REQUIRE_THAT(error_of([&] { full_to_mandel(t, 3); }),
               ContainsSubstring("full_to_mandel: The dimension 3 is out of range"));
  REQUIRE_THAT(error_of([&] { mandel_to_full(t, 1); }),
               ContainsSubstring("mandel_to_full: the base dimension 1 of") &&
                   ContainsSubstring("has the size 3. Expected 6"));
  REQUIRE_THAT(error_of([&] { skew_to_full(zeros({3}, {})); }),
               ContainsSubstring("skew_to_full: The dimension 0 is out of range"));
}
} // namespace mandel_test
