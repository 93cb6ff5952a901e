// SPDX-License-Identifier: MIT
#include "neml2/math/logic.h"

#include "neml2/math/comparison.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace logic_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
/// Few different values, so that zeros are frequent.
at::Tensor
whole(at::IntArrayRef shape)
{
  return torch::randint(-1, 3, shape, torch::kInt64).to(kFloat64);
}

template <class T>
bool
is(const T & result, const std::string & shape, const at::Tensor & expected)
{
  return described(result) == shape && torch::equal(result, expected);
}
} // namespace

TEST_CASE("exclusive or and not are of truth values, where what is not 0 is true",
          "[core][comparison]")
{
  const SR2 a(whole({3, 6})), b(whole({3, 6}));
  const at::Tensor x = a.ne(0), y = b.ne(0);
  REQUIRE(is(logical_xor(a, b), "SR2 (3; 6)", x.ne(y)));
  REQUIRE(is(logical_xor(a, true), "SR2 (3; 6)", a.eq(0)));
  REQUIRE(is(logical_xor(2, a), "SR2 (3; 6)", a.eq(0)));
  REQUIRE(is(!a, "SR2 (3; 6)", a.eq(0)));
  REQUIRE(is(logical_not(a), "SR2 (3; 6)", a.eq(0)));
  REQUIRE(is(!!a, "SR2 (3; 6)", x));
  REQUIRE(is(!(a == b), "SR2 (3; 6)", a.ne(b)));
  REQUIRE(is(a > 0 && b > 0, "SR2 (3; 6)", a.gt(0).bitwise_and(b.gt(0))));
}

TEST_CASE("& | ^ ~ are logic of truth values and bit by bit of integers, batch aligned with batch",
          "[core][comparison]")
{
  const Scalar a = Scalar::create({1, 0, 3}), b = Scalar::create({1, 2, 0});
  REQUIRE(is((a > 0) & (b > 0), "Scalar (3;)", torch::tensor({true, false, false})));
  REQUIRE(is((a > 0) | (b > 0), "Scalar (3;)", torch::tensor({true, true, true})));
  REQUIRE(is((a > 0) ^ (b > 0), "Scalar (3;)", torch::tensor({false, true, true})));
  REQUIRE(is(~(a > 0), "Scalar (3;)", torch::tensor({false, true, false})));
  const SR2 s = SR2::full({3}, 6, kInt64);
  const Scalar m = Scalar::create({2, 1, 7}, kInt64);
  REQUIRE(is(
      s & m, "SR2 (3; 6)", torch::tensor({2, 0, 6}, torch::kInt64).unsqueeze(-1).expand({3, 6})));
  REQUIRE(is(1 | s, "SR2 (3; 6)", torch::full({3, 6}, 7, torch::kInt64)));
  REQUIRE(is(~m, "Scalar (3;)", torch::tensor({-3, -2, -8}, torch::kInt64)));
  static_assert(std::is_same_v<decltype(~s), SR2>);
  REQUIRE(error_of([&] { a & b; }).rfind("&: ", 0) == 0); // not for floating numbers
  REQUIRE(error_of([&] { ~a; }).rfind("~: ", 0) == 0);
  REQUIRE_THAT(error_of([] { ~SR2(); }), ContainsSubstring("~: undefined tensor"));
  REQUIRE_THAT(error_of([&] { s & Scalar::ones({2}, kInt64); }),
               ContainsSubstring("&: batch shapes [3] and [2] do not broadcast"));
}

TEST_CASE("a truth value of bool is not an alias of its operand", "[core][comparison]")
{
  const SR2 t = SR2::ones({2}, c10::kBool);
  auto both = t && true;
  both.zero_();
  REQUIRE(t.all().item<bool>());
}

TEST_CASE("any and all are one truth value of a condition", "[core][comparison]")
{
  const Scalar x = Scalar(at::arange(6, at::kDouble).reshape({2, 3}));
  REQUIRE(any(x > 4.0));
  REQUIRE(!any(x > 5.0));
  REQUIRE(all(x < 6.0));
  REQUIRE(!all(x < 5.0));
  REQUIRE((any(x == 3.0 && x != 2.0) && !all(!(x >= 0.0) || x > 0.0)));
  const Scalar none = Scalar::zeros({0});
  REQUIRE((!any(none > 0.0) && all(none > 0.0)));
  REQUIRE(any(SR2::fill(0, 0, 1) == 1.0));
  REQUIRE_THROWS_WITH(
      any(x),
      ContainsSubstring("any: expected a condition, of dtype bool, not Scalar (2, 3;) of dtype "
                        "float64. Compare it with something."));
  REQUIRE_THROWS_AS(all(Scalar()), NEMLException);
}
} // namespace logic_test
