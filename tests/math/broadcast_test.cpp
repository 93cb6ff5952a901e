// SPDX-License-Identifier: MIT
#include "neml2/math/broadcast.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "support/device.h"

#include "support/catch.h"

namespace broadcast_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;

namespace
{
at::Tensor
ones(at::IntArrayRef sizes)
{
  return at::ones(sizes, at::kDouble);
}

/// Whether t is a view of s: nothing was copied.
bool
is_view(const at::Tensor & t, const at::Tensor & s)
{
  return t.is_alias_of(s) && t.data_ptr() == s.data_ptr();
}
} // namespace

TEST_CASE("Ranks are matched by sizes of 1 on the left", "[math][broadcast]")
{
  const auto x = ones({5, 3}), y = ones({3});
  auto a = x, b = y;
  expand_to_match_ranks(a, b);
  REQUIRE((a.sizes() == at::IntArrayRef({5, 3}) && b.sizes() == at::IntArrayRef({1, 3})));
  REQUIRE((is_view(a, x) && is_view(b, y)));
  expand_to_match_ranks(b, a); // already matched
  REQUIRE(b.sizes() == at::IntArrayRef({1, 3}));
  auto zero_dim = ones({}), c = ones({2, 0});
  expand_to_match_ranks(zero_dim, c);
  REQUIRE(zero_dim.sizes() == at::IntArrayRef({1, 1}));
  const auto [p, q] = with_matching_ranks(x, ones({2, 2, 2})); // sizes need not match
  REQUIRE((p.sizes() == at::IntArrayRef({1, 5, 3}) && x.dim() == 2));

  SR2 s = SR2::zeros({2});
  Scalar k = Scalar::zeros({4, 3});
  expand_to_match_ranks(s, k);
  REQUIRE((s.batch_sizes() == TensorShape{1, 2} && s.base_sizes() == TensorShape{6}));
  Tensor t(ones({2, 3, 4}), 1), u(ones({5, 1, 4}), 2);
  expand_to_match_ranks(t, u);
  REQUIRE((t.batch_sizes() == TensorShape{1, 2} && t.base_sizes() == TensorShape{3, 4}));
  REQUIRE((u.batch_sizes() == TensorShape{5, 1} && u.base_sizes() == TensorShape{1, 4}));
}

TEST_CASE("A tensor is broadcast to a shape as a view", "[math][broadcast]")
{
  const auto x = ones({3, 1});
  auto a = x;
  broadcast_to_match(a, TensorShape{2, 3, 4});
  REQUIRE((a.sizes() == at::IntArrayRef({2, 3, 4}) && is_view(a, x)));
  REQUIRE(broadcasted(x, TensorShape{3, 0}).sizes() == at::IntArrayRef({3, 0}));
  REQUIRE(broadcasted(ones({}), TensorShape{}).dim() == 0);
  SR2 s = SR2::ones({3, 1});
  broadcast_to_match(s, TensorShape{2, 3, 4});
  REQUIRE((s.batch_sizes() == TensorShape{2, 3, 4} && s.base_sizes() == TensorShape{6}));
}

TEST_CASE("Two and three tensors are broadcast to one another", "[math][broadcast]")
{
  const auto x = ones({5, 3, 4, 1}), y = ones({3, 1, 1}), z = ones({2});
  auto a = x, b = y, c = z;
  broadcast_to_match(a, b);
  REQUIRE((a.sizes() == at::IntArrayRef({5, 3, 4, 1}) && b.sizes() == a.sizes()));
  broadcast_to_match(a, b, c);
  for (const auto & t : {a, b, c})
    REQUIRE(t.sizes() == at::IntArrayRef({5, 3, 4, 2}));
  REQUIRE((is_view(a, x) && is_view(b, y) && is_view(c, z)));
  const auto [p, q] = broadcasted(ones({2, 1}), ones({3}));
  REQUIRE((p.sizes() == q.sizes() && p.sizes() == at::IntArrayRef({2, 3})));
}

TEST_CASE("Batch and base dimensions are matched apart", "[math][broadcast]")
{
  SSR4 C = SSR4::zeros({2});
  SR2 e = SR2::zeros({1000, 2});
  Scalar k = Scalar::zeros({});
  broadcast_to_match(C, e, k);
  REQUIRE((C.batch_sizes() == TensorShape{1000, 2} && C.base_sizes() == TensorShape{6, 6}));
  REQUIRE((e.batch_sizes() == TensorShape{1000, 2} && e.base_sizes() == TensorShape{6}));
  REQUIRE((k.batch_sizes() == TensorShape{1000, 2} && k.base_dim() == 0));
  Tensor t(ones({2, 3, 1}), 1), u(ones({5, 1, 4}), 2);
  broadcast_to_match(t, u);
  REQUIRE((t.batch_sizes() == TensorShape{5, 2} && t.base_sizes() == TensorShape{3, 4}));
  REQUIRE((u.batch_sizes() == TensorShape{5, 2} && u.base_sizes() == TensorShape{3, 4}));
  SR2 six = SR2::zeros({6});
  SSR4 two = SSR4::zeros({2});
  REQUIRE_FALSE(can_broadcast_to_match(six, two)); // torch would align 6 with a base dimension
  REQUIRE_THROWS_AS(broadcast_to_match(six, two), NEMLException);
}

TEST_CASE("Whether tensors broadcast is known before", "[math][broadcast]")
{
  REQUIRE(can_broadcast_to_match(ones({5, 1}), ones({4})));
  REQUIRE(can_broadcast_to_match(ones({}), ones({4})));
  REQUIRE(can_broadcast_to_match(ones({0}), ones({1})));
  REQUIRE_FALSE(can_broadcast_to_match(ones({0}), ones({5})));
  REQUIRE(can_broadcast_to_match(SR2::zeros({3, 1}), Scalar::zeros({5})));
  REQUIRE(can_broadcast_to_match(Tensor(ones({2, 3}), 1), Tensor(ones({3}), 0)));
  REQUIRE_FALSE(can_broadcast_to_match(Tensor(ones({2, 3}), 1), Tensor(ones({2, 4}), 1)));
  REQUIRE(broadcast_shapes({5, 1}, {4}) == TensorShape{5, 4});
  REQUIRE(broadcast_shapes({5, 1}, {4}, {1, 1, 1}, {2, 1, 1}) == TensorShape{2, 5, 4});
  REQUIRE_THROWS_AS(broadcast_shapes({2}, {3}), NEMLException);
}

TEST_CASE("Tensors that do not broadcast are refused, and nothing is changed",
          "[math][broadcast][errors]")
{
  auto a = ones({2, 3}), b = ones({4}), c = ones({2, 1});
  REQUIRE_THROWS_WITH(broadcast_to_match(a, b),
                      ContainsSubstring("dimension -1 is 3 in one and 4"));
  REQUIRE_THROWS_AS(broadcast_to_match(c, a, b), NEMLException);
  REQUIRE((a.sizes() == at::IntArrayRef({2, 3}) && c.sizes() == at::IntArrayRef({2, 1})));
  REQUIRE_THROWS_WITH(broadcast_to_match(a, TensorShape{3}),
                      ContainsSubstring("(2, 3;) does not broadcast to the shape [3]"));
  REQUIRE_THROWS_AS(broadcast_to_match(a, TensorShape{2, 1}), NEMLException);
  REQUIRE_THROWS_AS(broadcast_to_match(a, TensorShape{-1, 3}), NEMLException);
  at::Tensor none;
  REQUIRE_THROWS_WITH(broadcast_to_match(a, none), ContainsSubstring("undefined tensor"));
  REQUIRE_THROWS_AS(expand_to_match_ranks(none, a), NEMLException);
  REQUIRE_THROWS_AS(can_broadcast_to_match(none, a), NEMLException);
  SR2 s = SR2::zeros({2}), t = SR2::zeros({3}), undefined;
  REQUIRE_THROWS_WITH(broadcast_to_match(s, t), ContainsSubstring("SR2 (2; 6) and SR2 (3; 6)"));
  REQUIRE_THROWS_AS(broadcast_to_match(s, undefined), NEMLException);
  REQUIRE_THROWS_WITH(broadcasted(Tensor(ones({2, 3}), 1), Tensor(ones({2, 4}), 1)),
                      ContainsSubstring("base shapes do not broadcast"));
}

TEST_CASE("Any dtype, device and strides are broadcast", "[math][broadcast]")
{
  for (const auto dtype : {at::kFloat, at::kLong, at::kBool, at::kHalf})
  {
    at::Tensor a = at::ones({4, 3}, dtype).transpose(0, 1), b = at::ones({2, 1, 1}, dtype);
    const at::Tensor x = a;
    broadcast_to_match(a, b);
    REQUIRE((a.sizes() == at::IntArrayRef({2, 3, 4}) && a.is_alias_of(x)));
  }
  const auto [a, b] = broadcasted(at::ones({2, 1}, at::kMeta), at::ones({3}, at::kMeta));
  REQUIRE(a.sizes() == at::IntArrayRef({2, 3}));
  const SR2 s(at::ones({2, 6}, at::kDouble).requires_grad_());
  REQUIRE(broadcasted(s, TensorShape{4, 2}).requires_grad());
}

TEST_CASE("Broadcasting stays on the device", "[math][broadcast][cuda]")
{
  const auto [a, b] = broadcasted(at::ones({2, 1}, test::device()), at::ones({3}, test::device()));
  REQUIRE((a.device() == test::device() && b.sizes() == at::IntArrayRef({2, 3})));
}

// ---- The examples of PyTorch's page on broadcasting, with x and y as there; all dimensions are batch dimensions ----

namespace
{
Scalar
scalars(at::IntArrayRef batch)
{
  return Scalar(ones(batch));
}
} // namespace

TEST_CASE("Page on broadcasting 3.1: the same shape can be broadcast", "[math][broadcast][page]")
{
  const auto z = scalars({5, 7, 3}) + scalars({5, 7, 3});
  REQUIRE(z.batch_sizes() == TensorShape{5, 7, 3});
}

TEST_CASE("Page on broadcasting 3.2: a size of 0 does not broadcast with 3",
          "[math][broadcast][page]")
{
  REQUIRE_THROWS_AS(scalars({0}) + scalars({5, 7, 3}), NEMLException);
  REQUIRE_FALSE(can_broadcast_to_match(ones({0}), ones({5, 7, 3})));
  // Torch no longer follows the page's rule "at least one dimension": a tensor without dimensions broadcasts.
  REQUIRE((scalars({}) + scalars({5, 7, 3})).batch_sizes() == TensorShape{5, 7, 3});
}

TEST_CASE("Page on broadcasting 3.3: missing dimensions and sizes of 1 broadcast",
          "[math][broadcast][page]")
{
  REQUIRE((scalars({5, 3, 4, 1}) + scalars({3, 1, 1})).batch_sizes() == TensorShape{5, 3, 4, 1});
}

TEST_CASE("Page on broadcasting 3.4: sizes 2 and 3 do not broadcast", "[math][broadcast][page]")
{
  REQUIRE_THROWS_WITH(scalars({5, 2, 4, 1}) + scalars({3, 1, 1}),
                      ContainsSubstring("dimension -3 is 2 in one and 3 in the other"));
}

TEST_CASE("Page on broadcasting 3.5: dimensions are added in front", "[math][broadcast][page]")
{
  REQUIRE((scalars({5, 2, 4, 1}) + scalars({1, 1})).batch_sizes() == TensorShape{5, 2, 4, 1});
}

TEST_CASE("Page on broadcasting 4: an in-place operation keeps the shape of its left side",
          "[math][broadcast][page]")
{
  Scalar x = Scalar::full({1, 3, 1}, 2.0);
  const Scalar y = Scalar::ones({3, 1, 7});
  REQUIRE_THROWS_WITH(x += y, ContainsSubstring("would enlarge the left side"));
  REQUIRE_THROWS_AS(x -= y, NEMLException);
  REQUIRE_THROWS_AS(x *= y, NEMLException);
  REQUIRE_THROWS_AS(x /= y, NEMLException);
  REQUIRE_THROWS_AS(x.copy_(y), NEMLException);
  REQUIRE((x.eq(2).all().item<bool>() && x.batch_sizes() == TensorShape{1, 3, 1}));
  x += Scalar::ones({3, 1}); // the right side broadcasts
  REQUIRE(x.eq(3).all().item<bool>());
}

// ---- The examples of the page on matching functions ---------------------------------------------

TEST_CASE("Page on matching: singleton dimensions are inserted into the tensor of lower rank",
          "[math][broadcast][page]")
{
  auto a = ones({4}), b = ones({2, 3, 4});
  expand_to_match_ranks(a, b);
  REQUIRE((a.sizes() == at::IntArrayRef({1, 1, 4}) && b.sizes() == at::IntArrayRef({2, 3, 4})));
}

TEST_CASE("Page on matching: neither of the conditions holds, an exception is thrown",
          "[math][broadcast][page]")
{
  auto a = ones({2, 4}), b = ones({3, 4}), c = ones({4});
  REQUIRE_THROWS_AS(broadcast_to_match(a, TensorShape{3, 4}), NEMLException);
  REQUIRE_THROWS_AS(broadcast_to_match(a, b), NEMLException);
  REQUIRE_THROWS_AS(broadcast_to_match(c, a, b), NEMLException);
  REQUIRE_FALSE(can_broadcast_to_match(a, b));
  REQUIRE(can_broadcast_to_match(a, c));
}
} // namespace broadcast_test
