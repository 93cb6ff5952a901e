// SPDX-License-Identifier: MIT
#include "neml2/math/comparison.h"

#include "neml2/math/elementwise.h"
#include "neml2/tensors/MillerIndex.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "support/errors.h"
#include "support/operation.h"
#include "support/refusals.h"

#include <torch/types.h>

#include <limits>

#include "support/catch.h"

namespace comparison_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
/// A relation as an operator, as a function, and for integers in plain C++.
struct Row
{
  std::string name;
  Tensor (*of_tensors)(const Tensor &, const Tensor &);
  SR2 (*of_type)(const SR2 &, const SR2 &);
  SR2 (*with_scalar)(const SR2 &, const Scalar &);
  SR2 (*scalar_first)(const Scalar &, const SR2 &);
  SR2 (*with_number)(const SR2 &, const double &);
  SR2 (*number_first)(const double &, const SR2 &);
  SR2 (*function)(const SR2 &, const SR2 &);
  bool (*expected)(const double &, const double &);
};

/// The same lambda as functions of all types.
template <class F, class G>
Row
row(const char * name, const F & f, const G & function)
{
  return {name, f, f, f, f, f, f, function, f};
}

const std::vector<Row> &
relations()
{
  static const std::vector<Row> all = {
      row(
          ">",
          [](const auto & a, const auto & b) { return a > b; },
          [](const SR2 & a, const SR2 & b) { return gt(a, b); }),
      row(
          "<",
          [](const auto & a, const auto & b) { return a < b; },
          [](const SR2 & a, const SR2 & b) { return lt(a, b); }),
      row(
          ">=",
          [](const auto & a, const auto & b) { return a >= b; },
          [](const SR2 & a, const SR2 & b) { return ge(a, b); }),
      row(
          "<=",
          [](const auto & a, const auto & b) { return a <= b; },
          [](const SR2 & a, const SR2 & b) { return le(a, b); }),
      row(
          "==",
          [](const auto & a, const auto & b) { return a == b; },
          [](const SR2 & a, const SR2 & b) { return eq(a, b); }),
      row(
          "!=",
          [](const auto & a, const auto & b) { return a != b; },
          [](const SR2 & a, const SR2 & b) { return ne(a, b); }),
      row(
          "&&",
          [](const auto & a, const auto & b) { return a && b; },
          [](const SR2 & a, const SR2 & b) { return logical_and(a, b); }),
      row(
          "||",
          [](const auto & a, const auto & b) { return a || b; },
          [](const SR2 & a, const SR2 & b) { return logical_or(a, b); })};
  return all;
}

/// Few different values, so that ties and zeros are frequent.
at::Tensor
whole(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::randint(-1, 3, shape, torch::kInt64).to(dtype);
}

/// f of each pair of entries of two tensors that LibTorch broadcasts.
at::Tensor
entry_by_entry(const at::Tensor & a,
               const at::Tensor & b,
               bool (*f)(const double &, const double &))
{
  const auto pair = torch::broadcast_tensors({a.to(kFloat64), b.to(kFloat64)});
  const auto x = pair[0].contiguous(), y = pair[1].contiguous();
  auto r = torch::zeros(x.sizes(), torch::kBool);
  for (int64_t i = 0; i < x.numel(); i++)
    r.view(-1)[i] = f(x.view(-1)[i].item<double>(), y.view(-1)[i].item<double>());
  return r;
}

template <class T>
bool
is(const T & result, const std::string & shape, const at::Tensor & expected)
{
  return described(result) == shape && torch::equal(result, expected);
}
} // namespace

TEST_CASE("relations hold entry by entry, batch aligned with batch", "[core][comparison]")
{
  for (const auto & r : relations())
  {
    INFO(r.name);
    const SR2 a(whole({2, 1, 6})), b(whole({3, 6}));
    const Scalar k(whole({3}));
    const auto pairs = [&](const at::Tensor & x, const at::Tensor & y)
    { return entry_by_entry(x, y, r.expected); };
    REQUIRE(is(r.of_type(a, b), "SR2 (2, 3; 6)", pairs(a, b)));
    REQUIRE(is(r.function(a, b), "SR2 (2, 3; 6)", pairs(a, b)));
    REQUIRE(is(r.with_scalar(a, k), "SR2 (2, 3; 6)", pairs(a, k.unsqueeze(-1))));
    REQUIRE(is(r.scalar_first(k, a), "SR2 (2, 3; 6)", pairs(k.unsqueeze(-1), a)));
    for (const double n : {0.0, 1.0, 0.5})
    {
      REQUIRE(is(r.with_number(b, n), "SR2 (3; 6)", pairs(b, torch::tensor(n, kFloat64))));
      REQUIRE(is(r.number_first(n, b), "SR2 (3; 6)", pairs(torch::tensor(n, kFloat64), b)));
    }
    const Tensor s(whole({2, 3, 4}), 1), t(whole({5, 1, 4}), 2);
    REQUIRE(is(r.of_tensors(s, t), "Tensor (5, 2; 3, 4)", pairs(s, t.unsqueeze(2))));
  }
}

TEST_CASE("a type and Tensor compare as Tensors, batch aligned with batch and base with base",
          "[core][comparison]")
{
  const SR2 a(whole({2, 1, 6}));
  const R2 m(whole({3, 3, 3}, kInt64));
  const Tensor row(whole({3, 6}), 1), one(whole({3, 1}), 1), none(whole({3}), 1),
      more(whole({4, 6}), 0), square(whole({3, 3, 3}), 1);
  const auto check = [&](const auto & f, const auto & function)
  {
    const auto pairs = [&](const at::Tensor & x, const at::Tensor & y)
    { return entry_by_entry(x, y, f); };
    REQUIRE(is(f(a, row), "Tensor (2, 3; 6)", pairs(a, row)));
    REQUIRE(is(f(row, a), "Tensor (2, 3; 6)", pairs(row, a)));
    REQUIRE(is(function(a, row), "Tensor (2, 3; 6)", pairs(a, row)));
    REQUIRE(is(f(a, one), "Tensor (2, 3; 6)", pairs(a, one)));
    REQUIRE(is(f(a, none), "Tensor (2, 3; 6)", pairs(a, none.unsqueeze(-1))));
    REQUIRE(is(f(a, more), "Tensor (2, 1; 4, 6)", pairs(a.unsqueeze(-2), more)));
    // the batch of three is aligned with the batch, though it would fit a base dimension
    REQUIRE(is(f(m, none), "Tensor (3; 3, 3)", pairs(m, none.view({3, 1, 1}))));
    REQUIRE(is(f(m, square), "Tensor (3; 3, 3)", pairs(m, square)));
    REQUIRE_THAT(error_of(
                     [&] {
                       f(SR2(whole({4, 6})), row);
                     }),
                 ContainsSubstring("batch shapes [4] and [3] do not broadcast"));
    REQUIRE_THAT(error_of([&] { f(a, square); }),
                 ContainsSubstring("base shapes [6] and [3, 3] do not broadcast"));
    REQUIRE_THAT(error_of([&] { f(a, square); }),
                 ContainsSubstring("SR2 (2, 1; 6) and Tensor (3; 3, 3)"));
    REQUIRE_THAT(error_of([&] { f(a, Tensor()); }), ContainsSubstring("undefined tensor"));
  };
  check([](const auto & x, const auto & y) { return x > y; },
        [](const SR2 & x, const Tensor & y) { return gt(x, y); });
  check([](const auto & x, const auto & y) { return x < y; },
        [](const SR2 & x, const Tensor & y) { return lt(x, y); });
  check([](const auto & x, const auto & y) { return x >= y; },
        [](const SR2 & x, const Tensor & y) { return ge(x, y); });
  check([](const auto & x, const auto & y) { return x <= y; },
        [](const SR2 & x, const Tensor & y) { return le(x, y); });
  check([](const auto & x, const auto & y) { return x == y; },
        [](const SR2 & x, const Tensor & y) { return eq(x, y); });
  check([](const auto & x, const auto & y) { return x != y; },
        [](const SR2 & x, const Tensor & y) { return ne(x, y); });
  static_assert(std::is_same_v<decltype(a <= row), Tensor>);
  static_assert(std::is_same_v<decltype(row > a), Tensor>);
}

TEST_CASE("relations are defined for every dtype, and dtypes mix", "[core][comparison]")
{
  for (const auto & r : relations())
    for (const auto x : {kFloat32, kInt64, kInt32, c10::kBool})
      for (const auto y : {kFloat64, kInt64, c10::kBool})
      {
        INFO(r.name << " of " << x << " and " << y);
        const SR2 a(whole({4, 6}, x)), b(whole({4, 6}, y));
        REQUIRE(is(r.of_type(a, b), "SR2 (4; 6)", entry_by_entry(a, b, r.expected)));
        REQUIRE(is(r.with_number(a, 1),
                   "SR2 (4; 6)",
                   entry_by_entry(a, torch::ones({}, kFloat64), r.expected)));
      }
}

TEST_CASE("relations keep the type, of dtype bool", "[core][comparison]")
{
  const SR2 s = SR2::ones({2});
  const Scalar k = Scalar::ones({2});
  const Tensor t = s;
  static_assert(std::is_same_v<decltype(s == s), SR2>);
  static_assert(std::is_same_v<decltype(s != 1), SR2>);
  static_assert(std::is_same_v<decltype(1.5f < s), SR2>);
  static_assert(std::is_same_v<decltype(k >= s), SR2>);
  static_assert(std::is_same_v<decltype(k && k), Scalar>);
  static_assert(std::is_same_v<decltype(t <= k), Tensor>);
  static_assert(std::is_same_v<decltype(!t), Tensor>);
  static_assert(std::is_same_v<decltype(eq(k, 3)), Scalar>);
  REQUIRE((s == s).scalar_type() == c10::kBool);
  REQUIRE((s && s).scalar_type() == c10::kBool);
  REQUIRE((!s).scalar_type() == c10::kBool);
}

TEST_CASE("with a raw tensor on either side the operators are LibTorch's", "[core][comparison]")
{
  const SR2 s(whole({2, 6}));
  const at::Tensor raw = whole({6});
  static_assert(std::is_same_v<decltype(s == raw), at::Tensor>);
  static_assert(std::is_same_v<decltype(raw < s), at::Tensor>);
  static_assert(std::is_same_v<decltype(raw != raw), at::Tensor>);
  static_assert(std::is_same_v<decltype(at::gt(s, raw)), at::Tensor>);
  REQUIRE(torch::equal(s == raw, s.eq(raw)));
  REQUIRE(torch::equal(raw < s, raw.lt(s)));
}

TEST_CASE("empty batches compare to empty batches", "[core][comparison]")
{
  for (const auto & r : relations())
  {
    REQUIRE(described(r.of_type(SR2::ones({0}), SR2::ones({1}))) == "SR2 (0; 6)");
    REQUIRE(described(r.with_scalar(SR2::ones({2, 1}), Scalar::ones({0}))) == "SR2 (2, 0; 6)");
    REQUIRE(described(r.with_number(SR2::ones({0}), 0)) == "SR2 (0; 6)");
  }
  REQUIRE(described(!SR2::ones({0})) == "SR2 (0; 6)");
}

TEST_CASE("nothing but inequality holds for NaN, which is true", "[core][comparison]")
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Scalar a = Scalar::full({1}, nan), b = Scalar::ones({1});
  for (const auto & y : {a, b})
  {
    REQUIRE(!(a == y).item<bool>());
    REQUIRE(!(a < y).item<bool>());
    REQUIRE(!(a >= y).item<bool>());
    REQUIRE((a != y).item<bool>());
    REQUIRE((a && y).item<bool>());
  }
  REQUIRE((b != nan).item<bool>());
  REQUIRE(!(nan == b).item<bool>());
  REQUIRE((b && nan).item<bool>());
  REQUIRE(!(!a).item<bool>());
}

TEST_CASE("relations take strided and expanded tensors, and such that require grad",
          "[core][comparison]")
{
  const SR2 a(whole({6, 4}).transpose(0, 1)), b = SR2(whole({1, 6})).batch_expand({4});
  for (const auto & r : relations())
    REQUIRE(is(r.of_type(a, b), "SR2 (4; 6)", entry_by_entry(a, b, r.expected)));
  const Scalar x(torch::tensor({1.0, -2.0}, kFloat64).set_requires_grad(true));
  REQUIRE(!(x > 0).requires_grad());
  where(x > 0, x * 3, x * 5).sum().backward();
  REQUIRE(torch::equal(x.grad(), torch::tensor({3.0, 5.0}, kFloat64)));
}

TEST_CASE("relations give shapes on the meta device", "[core][comparison]")
{
  const SR2 a = SR2::ones({2, 1}, TensorOptions(kFloat64).device("meta"));
  const SR2 b = SR2::ones({3}, TensorOptions(kFloat64).device("meta"));
  for (const auto & r : relations())
  {
    REQUIRE((r.of_type(a, b).is_meta() && described(r.of_type(a, b)) == "SR2 (2, 3; 6)"));
    REQUIRE(described(r.with_number(a, 1)) == "SR2 (2, 1; 6)");
  }
  REQUIRE(described(!a) == "SR2 (2, 1; 6)");
}

TEST_CASE("relations refuse undefined operands, other devices and shapes that do not broadcast",
          "[core][comparison]")
{
  for (const auto & r : relations())
  {
    const auto op = test::operation<SR2, SR2>(r.name, core::Accepts::any, r.of_type);
    REQUIRE(test::refuses(op, {whole({2, 6}), whole({3, 6})}, {"[2] and [3] do not broadcast"}));
    REQUIRE(test::refuses(op, {whole({6, 6}), whole({2, 6})}, {"[6] and [2] do not broadcast"}));
    REQUIRE(test::refuses(
        op, {whole({2, 6}), whole({2, 6}).to("meta")}, {"different devices", "cpu", "meta"}));
    REQUIRE_THAT(error_of([&] { r.of_type(SR2(), SR2::ones()); }),
                 ContainsSubstring(r.name + ": undefined tensor"));
    REQUIRE_THAT(error_of([&] { r.scalar_first(Scalar(), SR2::ones()); }),
                 ContainsSubstring(r.name + ": undefined tensor"));
    REQUIRE_THAT(error_of([&] { r.number_first(1, SR2()); }), ContainsSubstring("undefined"));
    REQUIRE_THAT(error_of([&] { r.of_tensors(Tensor::ones({2}), Tensor::ones({3})); }),
                 ContainsSubstring(r.name + ": base shapes [2] and [3] do not broadcast"));
  }
  REQUIRE_THAT(error_of([] { !SR2(); }), ContainsSubstring("!: undefined tensor"));
  REQUIRE_THAT(error_of([] { gt(Scalar(), 1); }), ContainsSubstring("gt: undefined tensor"));
}

TEST_CASE("truth values choose, select and count", "[core][comparison]")
{
  const Scalar a = Scalar::create({1, 0, 3}), b = Scalar::create({1, 2, 3});
  const SR2 x = SR2::ones({3}), y = SR2::zeros({3});
  REQUIRE(torch::equal(where(a == b, x, y).base_index({0}), torch::tensor({1., 0., 1.}, kFloat64)));
  REQUIRE(torch::equal(where(a > 0 && b < 3, x, y).sum(-1), torch::tensor({6., 0., 0.}, kFloat64)));
  REQUIRE(!(a == b).all().item<bool>());
  REQUIRE(at::all(a <= b).item<bool>());
  Scalar dx = Scalar::create({1e-3, 0, 1});
  const double tolerance = 1e-2;
  dx.index_put_({dx < tolerance}, tolerance);
  REQUIRE(torch::equal(dx, torch::tensor({1e-2, 1e-2, 1.0}, kFloat64)));
  REQUIRE(torch::equal(a + (a == 0), torch::tensor({1., 1., 3.}, kFloat64)));
  const MillerIndex m(torch::tensor({{1, 1, 3}, {1, 1, 2}}));
  REQUIRE(torch::equal((m == MillerIndex(torch::tensor({1, 1, 3}))).all(-1),
                       torch::tensor({true, false})));
  const R2 r = R2::fill(0.5);
  REQUIRE((r <= 1).all().item<bool>());
  REQUIRE((r >= 0).all().item<bool>());
}
} // namespace comparison_test
