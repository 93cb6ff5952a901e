// SPDX-License-Identifier: MIT
#include "neml2/math/in_place.h"
#include "neml2/math/operators.h"

#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace in_place_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using indexing::Slice;
using test::described;
using test::error_of;

namespace
{
SR2
counting()
{
  return SR2(torch::arange(1, 37, kFloat64).reshape({2, 3, 6}));
}

/// Whether f is refused with this message, and s keeps its value, dtype and shape.
template <class T, class F>
bool
refused(T & s, const F & f, const std::string & message)
{
  const at::Tensor before = at::Tensor(s).clone();
  const auto dtype = s.scalar_type();
  const std::string text = error_of(f);
  if (text.find(message) == std::string::npos)
    FAIL(text);
  return torch::equal(s, before) && s.scalar_type() == dtype && s.sizes() == before.sizes();
}
} // namespace

TEST_CASE("in-place operators with numbers write into the same memory", "[core][operators]")
{
  SR2 s = counting();
  const auto * const memory = s.data_ptr();
  const at::Tensor x = counting();
  REQUIRE(torch::equal(s += 1, x + 1));
  REQUIRE(torch::equal(s -= 2.5, x - 1.5));
  REQUIRE(torch::equal(s *= 2.0f, x * 2 - 3));
  REQUIRE(torch::equal(s /= 4, (x * 2 - 3) / 4));
  REQUIRE(s.data_ptr() == memory);
  REQUIRE(std::is_same_v<decltype(s += 1), SR2 &>);
  REQUIRE(&(s += true) == &s);
  Tensor t(torch::ones({2, 3}), 1);
  REQUIRE(torch::equal(t *= 3, torch::full({2, 3}, 3.0f)));
}

TEST_CASE("in-place operators align batch with batch dimensions", "[core][operators]")
{
  Vec v(torch::rand({3, 3}, kFloat64) + 1);
  const at::Tensor x = v.clone();
  v /= v.norm(); // (3;) against (3; 3): at::Tensor's would divide columns
  REQUIRE(torch::allclose(v, x / x.norm(2, -1, true)));
  REQUIRE(torch::allclose(v.norm(), torch::ones({3}, kFloat64)));
  SR2 s = counting();
  const at::Tensor y = counting();
  const Scalar k = Scalar::create({1, 2, 4});
  const at::Tensor z = k.unsqueeze(-1);
  REQUIRE(torch::equal(s += k, y + z));
  REQUIRE(torch::equal(s -= k, y));
  REQUIRE(torch::equal(s *= k, y * z));
  REQUIRE(torch::equal(s /= k, y));
  REQUIRE(torch::equal(s += SR2::ones({2, 1}), y + 1));
  REQUIRE(torch::equal(s -= SR2::ones(), y));
  REQUIRE(torch::equal(s /= counting(), torch::ones({2, 3, 6}, kFloat64)));
  Tensor t(torch::ones({2, 3, 4}, kFloat64), 1);
  t *= Tensor::full({2}, {4}, 3);
  t += Tensor::ones({1}, {3, 1});
  REQUIRE(torch::equal(t, torch::full({2, 3, 4}, 4, kFloat64)));
  Scalar a = Scalar::full({2}, 3);
  REQUIRE(torch::equal(a *= a, torch::full({2}, 9, kFloat64)));
}

TEST_CASE("in-place operators write through views", "[core][operators]")
{
  SR2 s = counting();
  auto view = s.batch_index({0, Slice(0, 2)});
  view *= Scalar::create({0, 10});
  const at::Tensor y = counting();
  REQUIRE(torch::equal(s.batch_index({0, 0}), torch::zeros({6}, kFloat64)));
  REQUIRE(torch::equal(s.batch_index({0, 1}), y[0][1] * 10));
  REQUIRE(torch::equal(s.batch_index({1}), y[1]));
  auto column = s.base_index({2});
  column += 100;
  REQUIRE(s.batch_index({1, 1}).base_index({2}).item<double>() == y[1][1][2].item<double>() + 100);
}

TEST_CASE("the right side of an in-place operator may be a view of the left one",
          "[core][operators]")
{
  Vec v(torch::tensor({{2., 4., 8.}, {5., 10., 20.}}, kFloat64));
  v /= v(0);
  REQUIRE(torch::equal(v, torch::tensor({{1., 2., 4.}, {1., 2., 4.}}, kFloat64)));
  SR2 s = counting();
  const at::Tensor x = counting();
  s += s.batch_slice(1, Slice(0, 1));
  REQUIRE(torch::equal(s, x + x.slice(1, 0, 1)));
  SR2 r = counting();
  auto tail = r.batch_slice(1, Slice(1, 3));
  tail -= r.batch_slice(1, Slice(0, 2));
  REQUIRE(torch::equal(r.slice(1, 1, 3), x.slice(1, 1, 3) - x.slice(1, 0, 2)));
  SR2 m = counting();
  m += m;
  REQUIRE(torch::equal(m, x * 2));
}

TEST_CASE("in-place operators keep the left dtype, whatever the right one, if it holds the result",
          "[core][operators]")
{
  SR2 f = SR2::ones({2}, kFloat32);
  f += SR2::full({2}, 0.5, kFloat64);
  REQUIRE(f.scalar_type() == kFloat32);
  REQUIRE(f.eq(1.5f).all().item<bool>());
  f *= Scalar::full({2}, 2, kInt64);
  REQUIRE(f.eq(3.0f).all().item<bool>());
  SR2 n = SR2::ones({2}, kInt64);
  n += SR2::full({2}, 2, kInt32);
  n *= 4;
  REQUIRE(torch::equal(n, torch::full({2, 6}, 12, torch::kInt64)));
  const auto half = SR2::full({2}, 0.5);
  REQUIRE(refused(
      n,
      [&] { n += half; },
      "+=: a result of dtype float64 does not fit the left side's dtype int64"));
  REQUIRE(refused(
      n, [&] { n *= 0.5; }, "*=: "));
  REQUIRE(refused(
      n, [&] { n /= 2; }, "/=: "));
  REQUIRE(refused(
      n, [&] { n /= SR2::ones({2}, kInt64); }, "/=: "));
  SR2 b = SR2::ones({2}, c10::kBool);
  REQUIRE(refused(
      b, [&] { b += n; }, "+=: a result of dtype int64 does not fit the left side's dtype bool"));
}

TEST_CASE("an in-place operator never enlarges its left side", "[core][operators]")
{
  SR2 s = SR2::ones({2, 1});
  REQUIRE(refused(
      s,
      [&] {
        s += SR2::ones({2, 3});
      },
      "+=: the right side SR2 (2, 3; 6) would enlarge the left side SR2 (2, 1; 6). An in-place "
      "operation keeps the left side's shape: use the operation that returns."));
  REQUIRE(refused(
      s,
      [&] {
        s *= Scalar::ones({4, 2, 1});
      },
      "*=: the right side Scalar (4, 2, 1;) would enlarge"));
  REQUIRE(refused(
      s, [&] { s -= Scalar::ones({0}); }, "-=: the right side Scalar (0;) would enlarge"));
  REQUIRE(refused(
      s,
      [&] {
        s /= Scalar::ones({3, 1});
      },
      "/=: batch shapes [2, 1] and [3, 1] do not broadcast"));
  Tensor t = Tensor::ones({2}, {1, 3});
  REQUIRE(refused(
      t,
      [&] {
        t += Tensor::ones({2}, {4, 3});
      },
      "+=: the right side Tensor (2; 4, 3) would enlarge"));
  REQUIRE(refused(
      t,
      [&] {
        t += Tensor::ones({2}, {2, 1, 3});
      },
      "would enlarge"));
  REQUIRE(refused(
      t, [&] { t += Tensor::ones({2}, {4}); }, "+=: base shapes [1, 3] and [4] do not broadcast"));
}

TEST_CASE("an expanded left side is refused", "[core][operators]")
{
  SR2 s = SR2::ones({1}).batch_expand({3});
  REQUIRE(refused(
      s,
      [&] { s += SR2::ones({3}); },
      "+=: the left side, of shape [3, 6] and strides [0, 1], overlaps itself"));
  REQUIRE(refused(
      s, [&] { s *= 2; }, "*=: the left side"));
  REQUIRE(refused(
      s, [&] { s.copy_(SR2::zeros({3})); }, "copy_: the left side"));
}

TEST_CASE("a left side whose entries overlap by its strides is refused", "[core][operators]")
{
  const at::Tensor numbers = torch::arange(20, at::kDouble);
  SR2 windows(numbers.as_strided({4, 6}, {3, 1}));
  const auto overlaps = "the left side, of shape [4, 6] and strides [3, 1], overlaps itself";
  REQUIRE(refused(
      windows, [&] { windows += SR2::ones({4}); }, overlaps));
  REQUIRE(refused(
      windows, [&] { windows *= 2; }, overlaps));
  REQUIRE(refused(
      windows, [&] { windows.copy_(SR2::zeros({4})); }, overlaps));
  REQUIRE(refused(
      windows, [&] { windows.batch_index_put_({0}, SR2::zeros()); }, overlaps));
  REQUIRE(refused(
      windows, [&] { windows.base_index_put_({0}, at::zeros({4})); }, overlaps));
  // These only seem to overlap: every entry is a different number in memory.
  Tensor interleaved(numbers.as_strided({3, 2}, {2, 3}), 1);
  interleaved += 1;
  REQUIRE(at::equal(interleaved, numbers.as_strided({3, 2}, {2, 3})));
  REQUIRE(numbers[0].item<double>() == 1);
}

TEST_CASE("in-place operators refuse undefined operands", "[core][operators]")
{
  SR2 u, s = SR2::ones();
  REQUIRE_THAT(error_of([&] { u += s; }),
               ContainsSubstring("+=: undefined tensor: an operand of type SR2"));
  REQUIRE_THAT(error_of([&] { u *= 2; }), ContainsSubstring("*=: undefined tensor"));
  REQUIRE(refused(
      s, [&] { s -= u; }, "-=: undefined tensor"));
  REQUIRE(refused(
      s, [&] { s /= Scalar(); }, "/=: undefined tensor: an operand of type Scalar"));
  REQUIRE(refused(
      s, [&] { s.copy_(u); }, "copy_: undefined tensor"));
}

TEST_CASE("in-place operators are part of the graph", "[core][operators][autograd]")
{
  const Scalar k(torch::tensor({2., 3.}, kFloat64).set_requires_grad(true));
  SR2 s = SR2::full({2}, 5);
  s *= k;
  s += k;
  s.sum().backward();
  REQUIRE(torch::equal(k.grad(), torch::full({2}, 36, kFloat64)));
  SR2 leaf = SR2::ones({2}, default_tensor_options().requires_grad(true));
  REQUIRE(refused(
      leaf, [&] { leaf += 1; }, "+=: "));
  REQUIRE(refused(
      leaf, [&] { leaf *= Scalar::ones({2}); }, "*=: "));
}

TEST_CASE("a raw right side follows LibTorch's rules", "[core][operators]")
{
  SR2 s = SR2::ones({2});
  s += torch::arange(6, kFloat64);
  REQUIRE(torch::equal(s, (torch::arange(6, kFloat64) + 1).expand({2, 6})));
  REQUIRE(refused(
      s, [&] { s += torch::ones({5}, kFloat64); }, "+=: "));
}

TEST_CASE("copy_ aligns batch with batch dimensions and keeps dtype and memory",
          "[core][operators]")
{
  SR2 s = SR2::zeros({2, 3});
  const auto * const memory = s.data_ptr();
  s.copy_(SR2(torch::arange(6, kFloat32)));
  REQUIRE(torch::equal(s, torch::arange(6, kFloat64).expand({2, 3, 6})));
  s.copy_(Scalar::create({1, 2, 3}));
  REQUIRE(torch::equal(s, torch::tensor({1., 2., 3.}, kFloat64).unsqueeze(-1).expand({2, 3, 6})));
  REQUIRE(s.data_ptr() == memory);
  REQUIRE(&s.copy_(counting()) == &s);
  REQUIRE(refused(
      s,
      [&] {
        s.copy_(SR2::ones({4, 2, 3}));
      },
      "copy_: the right side SR2 (4, 2, 3; 6) would enlarge"));
  REQUIRE(refused(
      s, [&] { s.copy_(SR2::ones({2})); }, "copy_: batch shapes [2, 3] and [2] do not broadcast"));
  s.copy_(torch::ones({6}));
  REQUIRE(s.eq(1).all().item<bool>());
  REQUIRE(refused(
      s, [&] { s.copy_(torch::ones({5})); }, "copy_: "));
  SR2 n = SR2::ones({2}, kInt64);
  n.copy_(SR2::full({2}, 2.5)); // converts, as LibTorch's own and the put functions do
  REQUIRE(n.eq(2).all().item<bool>());
}

TEST_CASE("copy_ copies between devices", "[core][operators]")
{
  SR2 there = SR2::zeros({2}, TensorOptions(kFloat64).device("meta"));
  REQUIRE(error_of([&] { there.copy_(SR2::ones({2})); }) == "no error");
  REQUIRE_THAT(error_of([&] { there += SR2::ones({2}); }),
               ContainsSubstring("+=: operands on different devices"));
}
} // namespace in_place_test
