// SPDX-License-Identifier: MIT
#include "neml2/core/DynamicDims.h"

#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace DynamicDims_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using indexing::Slice;
using test::described;
using test::error_of;

namespace
{
/// SR2 (2, 5; 6) of 0, 1, 2, ...
SR2
counting()
{
  return SR2(torch::arange(60, kFloat64).reshape({2, 5, 6}));
}
} // namespace

TEST_CASE("dynamic sizes are batch sizes, static ones base sizes, intermediate ones none",
          "[core][DynamicDims]")
{
  const auto s = counting();
  REQUIRE(s.dynamic_dim() == 2);
  REQUIRE(s.dynamic_sizes() == TensorShape{2, 5});
  REQUIRE(s.dynamic_size(-1) == 5);
  REQUIRE(s.intmd_dim() == 0);
  REQUIRE(s.intmd_sizes().empty());
  REQUIRE(s.static_dim() == 1);
  REQUIRE(s.static_sizes() == TensorShape{6});
  REQUIRE(s.static_size(0) == 6);
  REQUIRE_THAT(error_of([&] { s.intmd_size(0); }),
               ContainsSubstring("intmd_size: The dimension 0 is out of range for SR2 (2, 5; 6)"));
}

TEST_CASE("dynamic views are batch views", "[core][DynamicDims]")
{
  const auto s = counting();
  REQUIRE(torch::equal(s.dynamic_index({0, Slice(1, 3)}), s.batch_index({0, Slice(1, 3)})));
  REQUIRE(described(s.dynamic_slice(1, Slice(0, 2))) == "SR2 (2, 2; 6)");
  REQUIRE(described(s.dynamic_reshape({10})) == "SR2 (10; 6)");
  REQUIRE(described(s.dynamic_unsqueeze(0, 2)) == "SR2 (1, 1, 2, 5; 6)");
  REQUIRE(described(s.dynamic_unsqueeze(-1)) == "SR2 (2, 5, 1; 6)");
  REQUIRE(described(s.dynamic_unsqueeze(0).dynamic_squeeze(0)) == "SR2 (2, 5; 6)");
  REQUIRE(torch::equal(s.dynamic_transpose(0, 1), s.batch_transpose(0, 1)));
  REQUIRE(torch::equal(s.dynamic_movedim(0, 1), s.batch_movedim(0, 1)));
  REQUIRE(described(s.dynamic_flatten()) == "SR2 (10; 6)");
  const auto one = SR2::ones({1});
  REQUIRE(described(one.dynamic_expand({3, 4})) == "SR2 (3, 4; 6)");
  REQUIRE(described(one.dynamic_expand(4, 0)) == "SR2 (4; 6)");
  REQUIRE(described(one.dynamic_expand_as(Scalar::ones({2, 7}))) == "SR2 (2, 7; 6)");
  static_assert(std::is_same_v<decltype(s.dynamic_index({0})), SR2>);
}

TEST_CASE("dynamic puts write into the tensor", "[core][DynamicDims]")
{
  auto s = SR2::zeros({2, 5});
  s.dynamic_index_put_({0}, 1);
  s.dynamic_index_put_({1, 0}, torch::full({6}, 2.0));
  REQUIRE(s.sum().item<double>() == 42);
  s.intmd_index_put_({}, 3);
  REQUIRE(s.sum().item<double>() == 180);
}

TEST_CASE("static views are base views", "[core][DynamicDims]")
{
  const auto r = R2::ones({4});
  REQUIRE(described(r.static_reshape({}, {9})) == "Tensor (4; 9)");
  REQUIRE(described(r.static_flatten()) == "Tensor (4; 9)");
  REQUIRE(described(r.static_expand({}, {2, 3, 3})) == "Tensor (4; 2, 3, 3)");
}

TEST_CASE("an empty intermediate shape is accepted and changes nothing", "[core][DynamicDims]")
{
  const auto s = counting();
  REQUIRE(torch::equal(s.intmd_index({}), s));
  REQUIRE(torch::equal(s.intmd_index({indexing::Ellipsis}), s));
  REQUIRE(torch::equal(s.intmd_expand({}), s));
  REQUIRE(torch::equal(s.intmd_reshape({}), s));
  REQUIRE(described(SR2::ones({1}).batch_expand({4}, {})) == "SR2 (4; 6)"); // not one dimension
  REQUIRE(described(SR2::ones().batch_expand({}, {})) == "SR2 (; 6)");
  REQUIRE(described(s.batch_reshape({10}, {})) == "SR2 (10; 6)");
  REQUIRE(described(s.batch_expand(s.dynamic_sizes(), s.intmd_sizes())) == "SR2 (2, 5; 6)");
  REQUIRE(described(SR2::ones({1}).batch_expand(4, 0)) == "SR2 (4; 6)");
  REQUIRE(described(SR2::ones({1}).batch_expand(4, Size(-1))) == "SR2 (4; 6)");
}

TEST_CASE("intermediate dimensions are refused, and the message says what to do",
          "[core][DynamicDims]")
{
  auto s = counting();
  const auto refused = [](const std::string & where, const auto & f)
  {
    return error_of(f) == where + ": the intermediate shape [3] was requested, but no intermediate "
                                  "dimensions are supported. Append it to the dynamic shape. A "
                                  "batch shape is one argument, such as {2, 3}.";
  };
  REQUIRE(refused("intmd_expand", [&] { s.intmd_expand({3}); }));
  REQUIRE(refused("intmd_reshape", [&] { s.intmd_reshape({3}); }));
  REQUIRE(refused("static_expand", [&] { s.static_expand({3}, {6}); }));
  REQUIRE(refused("static_reshape", [&] { s.static_reshape({3}, {2}); }));
  REQUIRE(refused("batch_expand", [&] { s.batch_expand({2, 5}, {3}); }));
  REQUIRE(refused("batch_reshape", [&] { s.batch_reshape({2}, {3}); }));
  const std::string none = "no intermediate dimensions are supported: there is none to index";
  REQUIRE_THAT(error_of([&] { s.intmd_index({0}); }), ContainsSubstring("intmd_index: " + none));
  REQUIRE_THAT(error_of([&] { s.intmd_index({indexing::None}); }), ContainsSubstring(none));
  REQUIRE_THAT(error_of([&] { s.intmd_index_put_({0}, 1); }),
               ContainsSubstring("intmd_index_put_: " + none));
  REQUIRE(torch::equal(s, counting()));
  REQUIRE_THAT(error_of([&] { s.intmd_slice(0, Slice()); }),
               ContainsSubstring("intmd_slice: The dimension 0 is out of range"));
}

TEST_CASE("a tensor is made of a dynamic dimension or shape, and 0 intermediate dimensions",
          "[core][DynamicDims]")
{
  const auto raw = torch::rand({5, 3, 6});
  REQUIRE(described(Tensor(raw, 2, 0)) == "Tensor (5, 3; 6)");
  REQUIRE(described(Tensor(raw, TraceableTensorShape{5, 3}, 0)) == "Tensor (5, 3; 6)");
  REQUIRE(described(Tensor(raw, {5}, 0)) == "Tensor (5; 3, 6)");
  REQUIRE(described(Tensor(raw, {}, 0)) == "Tensor (; 5, 3, 6)");
  REQUIRE(described(SR2(raw, 2, 0)) == "SR2 (5, 3; 6)");
  REQUIRE(described(SR2(raw, {5, 3}, 0)) == "SR2 (5, 3; 6)");
  REQUIRE(described(SR2(raw, TraceableTensorShape{5, 3}, 0)) == "SR2 (5, 3; 6)");
  REQUIRE(described(SR2(raw[0][0], 0, 0)) == "SR2 (; 6)");
  REQUIRE(!SR2(at::Tensor(), 0, 0).defined());
  REQUIRE(error_of([&] { Tensor(raw, 1, 1); }) ==
          "Tensor: 1 intermediate dimensions were requested, but none are supported. Make them the "
          "last dynamic dimensions.");
  REQUIRE_THAT(error_of([&] { SR2(raw, 1, 1); }), ContainsSubstring("intermediate dimensions"));
  REQUIRE_THAT(error_of([&] { SR2(raw, {5}, 1); }), ContainsSubstring("Base shape mismatch"));
  REQUIRE_THAT(error_of([&] { SR2(raw, 1, 0); }), ContainsSubstring("Base shape mismatch"));
  REQUIRE_THAT(error_of([&] { Tensor(raw, {3}, 0); }),
               ContainsSubstring("does not begin with the batch shape [3]"));
}

TEST_CASE("create takes a dynamic dimension, and 0 intermediate ones", "[core][DynamicDims]")
{
  REQUIRE(described(Tensor::create({{1, 2, 3}, {4, 5, 6}}, 1, 0)) == "Tensor (2; 3)");
  REQUIRE(Tensor::create({{1, 2}}, 1, 0, kFloat32).scalar_type() == kFloat32);
  REQUIRE_THAT(error_of(
                   [] {
                     (void)Tensor::create({{1, 2}}, 0, 1);
                   }),
               ContainsSubstring("Tensor::create: 1 intermediate dimensions"));
  REQUIRE(described(Scalar::create({1, 2}, 0)) == "Scalar (2;)");
  REQUIRE(described(Scalar::create({1, 2}, 1, kFloat32)) == "Scalar (2;)");
  REQUIRE_THAT(error_of(
                   [] {
                     (void)Scalar::create({1, 2}, 2);
                   }),
               ContainsSubstring("Base shape mismatch"));
}
} // namespace DynamicDims_test
