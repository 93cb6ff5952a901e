// SPDX-License-Identifier: MIT
#include "neml2/tensors/functions/dynamic.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/errors.h"
#include "support/values.h"

#include <ATen/ATen.h>

#include "support/catch.h"

using namespace neml2;
using test::numbers;

TEST_CASE("Joins along dynamic dimensions are those of the batch, along intermediate ones refused",
          "[compat]")
{
  const SR2 s(at::rand({2, 6}, kFloat64));
  REQUIRE(at::equal(dynamic_cat({s, s}), batch_cat({s, s})));
  REQUIRE(at::equal(dynamic_cat(std::vector<SR2>{s, s}), batch_cat({s, s})));
  REQUIRE(at::equal(dynamic_stack({s, s}, -1), batch_stack({s, s}, -1)));
  REQUIRE(at::equal(dynamic_stack(std::vector<SR2>{s, s}, -1), at::stack({s, s}, 1)));
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of(
           [&] {
             intmd_cat({s, s});
           }),
       "intmd_cat: tensors have no intermediate dimensions here"},
      {test::error_of(
           [&] {
             intmd_cat(std::vector<SR2>{s, s});
           }),
       "intmd_cat: tensors have no"},
      {test::error_of(
           [&] {
             intmd_stack({s, s}, -1);
           }),
       "intmd_stack: tensors have no"},
      {test::error_of([&] { intmd_stack(std::vector<SR2>{s}); }), "intmd_stack: tensors have no"}};
  for (const auto & [message, part] : cases)
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(part));
}

TEST_CASE("Diagonals, differences and steps along dynamic dimensions are those of the batch",
          "[compat]")
{
  const SR2 s(at::rand({2, 5, 6}, kFloat64));
  REQUIRE(at::equal(dynamic_diagonalize(s), batch_diag_embed(s)));
  REQUIRE(at::equal(dynamic_diff(s, 2, 1), batch_diff(s, 2, 1)));
  const Scalar a = numbers({0, 1}), b = numbers({3, 2});
  REQUIRE(at::equal(dynamic_linspace(a, b, 4, -1), Scalar::linspace(a, b, 4, -1)));
  REQUIRE(at::equal(dynamic_logspace(a, b, 4), Scalar::logspace(a, b, 4)));
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { intmd_diagonalize(s); }), "intmd_diagonalize: tensors have no"},
      {test::error_of([&] { intmd_diff(s); }), "intmd_diff: tensors have no intermediate"},
      {test::error_of([&] { intmd_linspace(s, s, 3); }), "intmd_linspace: tensors have no"},
      {test::error_of([&] { intmd_logspace(s, s, 3); }), "intmd_logspace: tensors have no"}};
  for (const auto & [message, part] : cases)
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(part));
}

TEST_CASE("dynamic_sum_to_size is batch_sum_to_size, and intermediate shapes are empty", "[compat]")
{
  const SR2 s(at::rand({4, 2, 5, 6}, kFloat64));
  for (const auto & shape : std::vector<TensorShape>{
           {4, 2, 5}, {4, 1, 5}, {2, 5}, {1, 5}, {2, 1}, {5}, {1}, {}, {1, 1, 1}})
    REQUIRE(at::equal(dynamic_sum_to_size(s, shape), batch_sum_to_size(s, shape)));
  REQUIRE(at::equal(intmd_sum_to_size(s, {}), s));
}

TEST_CASE(
    "Reductions along dynamic dimensions are those of the batch, along intermediate ones refused",
    "[compat]")
{
  const SR2 s(at::rand({2, 5, 6}, kFloat64));
  REQUIRE(at::equal(dynamic_sum(s, 1), batch_sum(s, 1)));
  REQUIRE(at::equal(dynamic_mean(s, 1), batch_mean(s, 1)));
  REQUIRE(at::equal(dynamic_max(s, 1), batch_max(s, 1)));
  REQUIRE(at::equal(dynamic_min(s, 1), batch_min(s, 1)));
  REQUIRE(at::equal(dynamic_argmax(s, 1), batch_argmax(s, 1)));
  REQUIRE(at::equal(dynamic_argmin(s, 1), batch_argmin(s, 1)));
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { intmd_sum(s); }), "intmd_sum"},
      {test::error_of([&] { intmd_mean(s); }), "intmd_mean"},
      {test::error_of([&] { intmd_max(s); }), "intmd_max"},
      {test::error_of([&] { intmd_min(s); }), "intmd_min"},
      {test::error_of([&] { intmd_argmax(s, 0); }), "intmd_argmax"},
      {test::error_of([&] { intmd_argmin(s, 0); }), "intmd_argmin"},
      {test::error_of([&] { intmd_sum_to_size(s, {1}); }), "intmd_sum_to_size"}};
  for (const auto & [message, name] : cases)
    REQUIRE_THAT(
        message,
        Catch::Matchers::StartsWith(name + ": tensors have no intermediate dimensions here"));
}
