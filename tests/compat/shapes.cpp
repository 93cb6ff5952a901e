// SPDX-License-Identifier: MIT
#include "neml2/tensors/shape_utils.h"

#include "neml2/tensors/SSR4.h"
#include "support/errors.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::utils;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace
{
Tensor
made(const TraceableTensorShape & batch, TensorShapeRef base)
{
  return Tensor::zeros(batch, base);
}
} // namespace

TEST_CASE("storage_size is numel", "[compat][shape]")
{
  REQUIRE(storage_size({2, 3}) == 6);
  constexpr Size large = Size(1) << 40;
  REQUIRE_THAT(error_of(
                   [] {
                     utils::storage_size({large, large});
                   }),
               ContainsSubstring("The shape [1099511627776, 1099511627776] has more entries than"));
}

TEST_CASE("pad_append adds sizes on the right until there are enough", "[compat][shape]")
{
  REQUIRE(pad_append({4, 2}, 3) == TensorShape{4, 2, 1});
  REQUIRE(pad_append({}, 2, 5) == TensorShape{5, 5});
  REQUIRE(error_of(
              [] {
                pad_append({4, 2}, 0);
              }) == "pad_append: shape [4, 2] is already longer than 0 sizes.");
}

TEST_CASE("sizes_same compares any number of shapes", "[compat][shape]")
{
  REQUIRE(sizes_same({1, 2}, {1, 2}));
  REQUIRE(!sizes_same({1, 2}, {2}));
  const TensorShape a{1, 2}, b{1, 2}, c{2, 1};
  REQUIRE(sizes_same(a, b, b));
  REQUIRE(!sizes_same(a, b, c));
}

TEST_CASE("normalize_dim gives the position of a dimension within its group", "[compat][shape]")
{
  REQUIRE(normalize_dim(0, 2, 5) == 2);
  REQUIRE(normalize_dim(2, 2, 5) == 4);
  REQUIRE(normalize_dim(-1, 2, 5) == 4);
  REQUIRE(normalize_dim(-3, 2, 5) == 2);
  REQUIRE_THAT(error_of([] { normalize_dim(3, 2, 5); }),
               ContainsSubstring("The dimension 3 is out of range") &&
                   ContainsSubstring("[-3, 3)"));
  REQUIRE_THAT(error_of([] { normalize_dim(-4, 2, 5); }),
               ContainsSubstring("The dimension -4 is out of range"));
  REQUIRE_THAT(error_of([] { normalize_dim(0, 2, 2); }),
               ContainsSubstring("The dimension 0 is out of range"));
}

TEST_CASE("normalize_itr gives a position to insert at, one more than there are dimensions",
          "[compat][shape]")
{
  REQUIRE(normalize_itr(0, 2, 5) == 2);
  REQUIRE(normalize_itr(3, 2, 5) == 5);
  REQUIRE(normalize_itr(-1, 2, 5) == 5);
  REQUIRE(normalize_itr(-4, 2, 5) == 2);
  REQUIRE(normalize_itr(0, 2, 2) == 2);
  REQUIRE_THAT(error_of([] { normalize_itr(4, 2, 5); }),
               ContainsSubstring("The dimension 4 is out of range") &&
                   ContainsSubstring("[-4, 3]"));
  REQUIRE_THAT(error_of([] { normalize_itr(-5, 2, 5); }),
               ContainsSubstring("The dimension -5 is out of range"));
}

TEST_CASE("lists of dimensions are normalized one by one", "[compat][shape]")
{
  REQUIRE(normalize_dims({0, -1, 1}, 2, 5) == TensorShape{2, 4, 3});
  REQUIRE(normalize_itrs({0, -1, 3}, 2, 5) == TensorShape{2, 5, 5});
  REQUIRE(normalize_dims({}, 2, 5).empty());
  REQUIRE_THAT(error_of(
                   [] {
                     normalize_dims({0, 3}, 2, 5);
                   }),
               ContainsSubstring("The dimension 3 is out of range"));
  REQUIRE_THAT(error_of(
                   [] {
                     normalize_itrs({0, 4}, 2, 5);
                   }),
               ContainsSubstring("The dimension 4 is out of range"));
}

TEST_CASE("lists of shapes are concatenated, owned and referred to", "[compat][shape]")
{
  const std::array<TensorShape, 3> owned{TensorShape{4, 2}, TensorShape{}, TensorShape{7}};
  REQUIRE(sum_array(owned) == TensorShape{4, 2, 7});
  const auto refs = shapes_to_shape_refs(owned);
  REQUIRE(refs[0].data() == owned[0].data());
  REQUIRE(refs[1].empty());
  REQUIRE(sum_array(refs) == TensorShape{4, 2, 7});
  const auto copies = shape_refs_to_shapes(refs);
  REQUIRE(copies == owned);
  REQUIRE(copies[0].data() != owned[0].data());
  const std::vector<TensorShape> list(owned.begin(), owned.end());
  REQUIRE(shapes_to_shape_refs(list)[2] == TensorShape{7});
  REQUIRE(shape_refs_to_shapes(shapes_to_shape_refs(list)) == list);
  REQUIRE(sum_array(std::vector<TensorShape>()).empty());
}

TEST_CASE("dynamic dimensions are batch dimensions, static ones base dimensions, and intermediate "
          "ones none",
          "[compat][shape]")
{
  const auto a = made({5, 1}, {2}), b = made({4}, {2, 3});
  REQUIRE(dynamic_broadcastable(a, b));
  REQUIRE(!dynamic_broadcastable(b, made({3}, {})));
  REQUIRE(intmd_broadcastable(a, made({3}, {})));
  REQUIRE(broadcast_dynamic_dim(a, b) == 2);
  REQUIRE(broadcast_intmd_dim(a, b) == 0);
  REQUIRE(broadcast_base_dim(a, b) == 2);
  REQUIRE(broadcast_dynamic_sizes({a, b, Tensor()}) == TensorShape{5, 4});
  REQUIRE(broadcast_intmd_sizes({a, b}).empty());
}

TEST_CASE("aligning gives all tensors the base dimensions of the largest", "[compat][shape]")
{
  const auto a = Tensor::ones({5, 1}, {2, 3}), b = Tensor::ones({4}, {3});
  const auto [x, y, n] = align_static_dim(a, b);
  REQUIRE(test::described(x) == "Tensor (5, 1; 2, 3)");
  REQUIRE(test::described(y) == "Tensor (4; 1, 3)");
  REQUIRE(n == 0);
  const auto s = SR2::ones({2});
  const auto [p, q, k, m] = align_intmd_dim(s, a, b);
  REQUIRE(std::is_same_v<std::decay_t<decltype(p)>, SR2>);
  REQUIRE((p.data_ptr() == s.data_ptr() && q.sizes() == a.sizes() && k.sizes() == b.sizes()));
  REQUIRE(m == 0);
  const auto [list, none] = align_static_dim(std::vector<Tensor>{a, b});
  REQUIRE((list[1].base_sizes() == TensorShape{1, 3} && none == 0));
  REQUIRE(align_intmd_dim(std::vector<SR2>{s, s}).first.size() == 2);
  REQUIRE(align_static_dim(std::vector<Tensor>()).first.empty());
  REQUIRE(std::get<1>(align_static_dim(s, s)).base_dim() == 1);
  REQUIRE(error_of([&] { align_static_dim(a, s); }) ==
          "align_static_dim: SR2 (2; 6) would get 2 base dimensions, which its type does not have. "
          "Convert it to Tensor.");
  REQUIRE_THAT(error_of([&] { align_static_dim(a, Tensor()); }),
               ContainsSubstring("align_static_dim: undefined tensor"));
}

TEST_CASE("broadcast_batch_sizes skips undefined tensors", "[compat][shape]")
{
  REQUIRE(broadcast_batch_sizes({SR2::zeros({5, 1}), Tensor(), Scalar::zeros({3})}) ==
          TensorShape{5, 3});
  REQUIRE(broadcast_batch_sizes({}).empty());
  REQUIRE(broadcast_batch_sizes({Tensor()}).empty());
  REQUIRE_THAT(error_of(
                   [] {
                     broadcast_batch_sizes({SR2::zeros({5}), Scalar::zeros({3})});
                   }),
               ContainsSubstring("shapes [5] and [3] do not broadcast"));
}

TEST_CASE(
    "assertions of dynamic dimensions are those of the batch, of static ones those of the base",
    "[compat][shape]")
{
  const auto a = made({5}, {2}), b = made({3}, {2}), c = made({5}, {3});
  REQUIRE_THAT(error_of([&] { neml_assert_dynamic_broadcastable(a, b); }),
               ContainsSubstring("[5][2] [3][2]"));
  REQUIRE(error_of([&] { neml_assert_dynamic_broadcastable(a, c); }) == "no error");
  REQUIRE_THAT(error_of([&] { neml_assert_static_broadcastable(a, c); }),
               ContainsSubstring("[5][2] [5][3]"));
  REQUIRE(error_of([&] { neml_assert_static_broadcastable(a, b); }) == "no error");
  REQUIRE(error_of([&] { neml_assert_intmd_broadcastable(a, b, c); }) == "no error");
}

TEST_CASE("their _dbg assertions are on without NDEBUG only", "[compat][shape]")
{
  const auto a = made({5}, {2}), b = made({3}, {3});
  REQUIRE(error_of([&] { neml_assert_dynamic_broadcastable_dbg<true>(a, b); }) != "no error");
  REQUIRE(error_of([&] { neml_assert_dynamic_broadcastable_dbg<false>(a, b); }) == "no error");
  REQUIRE(error_of([&] { neml_assert_static_broadcastable_dbg<true>(a, b); }) != "no error");
  REQUIRE(error_of([&] { neml_assert_static_broadcastable_dbg<false>(a, b); }) == "no error");
  REQUIRE(error_of([&] { neml_assert_intmd_broadcastable_dbg<true>(a, b); }) == "no error");
}
