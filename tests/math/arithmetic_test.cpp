// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic.h"
#include "neml2/math/operators.h"

#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace arithmetic_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::rand(shape, dtype) + 0.5;
}

bool
close(const at::Tensor & a, const at::Tensor & b)
{
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         torch::allclose(a, b, 1e-12, 1e-12);
}

} // namespace

TEST_CASE("numbers of every kind are operands", "[core][operators]")
{
  const SR2 s = SR2::full(2);
  const auto value = [](const SR2 & r) { return r.base_index({0}).item<double>(); };
  REQUIRE(value(s + 1) == 3);
  REQUIRE(value(s + 1l) == 3);
  REQUIRE(value(s + 1u) == 3);
  REQUIRE(value(s + size_t(1)) == 3);
  REQUIRE(value(s + Size(1)) == 3);
  REQUIRE(value(s + char(1)) == 3);
  REQUIRE(value(s + 1.5) == 3.5);
  REQUIRE(value(s + 1.5f) == 3.5);
  REQUIRE(value(s * true) == 2);
  REQUIRE(value(false * s) == 0);
  REQUIRE(value(s / CScalar(4)) == 0.5);
  REQUIRE(value(CScalar(4.0) / s) == 2);
  const TraceableSize n = 3;
  REQUIRE(value(s * Size(n)) == 6);
  REQUIRE_THAT(error_of([&] { s * CScalar(c10::complex<double>(1, 1)); }),
               ContainsSubstring("*: the number") && ContainsSubstring("complex"));
}

TEST_CASE("a number does not change a floating dtype", "[core][operators]")
{
  const auto f = SR2::ones({2}, kFloat32);
  REQUIRE((f * 2.5).scalar_type() == kFloat32);
  REQUIRE((2.5 / f).scalar_type() == kFloat32);
  REQUIRE((Tensor(f) - 0.1).scalar_type() == kFloat32);
  REQUIRE(torch::equal(f * 0.1, torch::ones({2, 6}) * 0.1));
}

TEST_CASE("dtypes promote as promote_types says, whatever the ranks", "[core][operators]")
{
  struct Row
  {
    Dtype a, b;
  };
  for (const auto & r : {Row{kFloat32, kFloat64},
                         Row{kFloat64, kFloat32},
                         Row{kInt64, kFloat32},
                         Row{kFloat32, kInt64},
                         Row{kInt32, kInt64},
                         Row{kUInt8, kInt8},
                         Row{c10::kBool, kInt32},
                         Row{kFloat16, kFloat32}})
  {
    const auto expected = c10::promoteTypes(r.a, r.b);
    const auto s = SR2::ones({3}, r.a);
    // torch alone would let the dimensioned operand win over a 0-dimensional one
    for (const auto & k : {Scalar::ones(r.b), Scalar::ones({3}, r.b)})
    {
      REQUIRE((s + k).scalar_type() == expected);
      REQUIRE((k * s).scalar_type() == expected);
      REQUIRE((Tensor(s) * k).scalar_type() == expected);
    }
    REQUIRE((s + SR2::ones(r.b)).scalar_type() == expected);
    REQUIRE((SR2::ones(r.b) + s).scalar_type() == expected);
  }
  const auto mixed = SR2::full({2}, 0.1, kFloat32) + Scalar::full(0.1);
  REQUIRE(torch::equal(mixed, torch::full({2, 6}, 0.1f).to(kFloat64) + 0.1));
}

TEST_CASE("division of integers is true division", "[core][operators]")
{
  const auto a = Vec::fill(1, 2, 3, kInt64);
  REQUIRE((a / 2).scalar_type() == kFloat32); // torch's default dtype
  REQUIRE(torch::equal(a / 2, torch::tensor({0.5f, 1.0f, 1.5f})));
  REQUIRE(torch::equal(a / Scalar::full(2, kInt64), torch::tensor({0.5f, 1.0f, 1.5f})));
  REQUIRE(torch::equal(a / a, torch::ones({3})));
  REQUIRE(torch::allclose(6 / a, torch::tensor({6.0f, 3.0f, 2.0f})));
  REQUIRE((a + 2).scalar_type() == kInt64);
  REQUIRE(torch::equal(a * 2, torch::tensor({2, 4, 6}, torch::kInt64)));
  REQUIRE((a * 2.5).scalar_type() == kFloat32);
}

TEST_CASE("integers keep all digits", "[core][operators]")
{
  const int64_t big = (int64_t(1) << 53) + 1;
  const auto a = Scalar::full({2}, 1, kInt64);
  REQUIRE((a * big).batch_index({0}).item<int64_t>() == big);
  REQUIRE((Scalar::full(big, kInt64) + a).batch_index({1}).item<int64_t>() == big + 1);
}

TEST_CASE("a raw tensor as operand makes it LibTorch's operation", "[core][operators]")
{
  const auto s = SR2::ones({2});
  const auto raw = random({2, 6});
  REQUIRE(std::is_same_v<decltype(s + raw), at::Tensor>);
  REQUIRE(std::is_same_v<decltype(raw * Scalar::ones()), at::Tensor>);
  REQUIRE(torch::equal(s + raw, raw + 1));
}

TEST_CASE("dimensions combine as documented", "[core][operators]")
{
  const auto C = SSR4::ones({2}), C0 = SSR4::ones();
  REQUIRE(described(C * SR2::ones({1000, 2})) == "SR2 (1000, 2; 6)");
  REQUIRE(described(C * SR2::ones({1000, 1})) == "SR2 (1000, 2; 6)");
  REQUIRE(described(SR2::ones({1000, 2}) * C) == "SR2 (1000, 2; 6)");
  REQUIRE(described(C0 * SR2::ones({4})) == "SR2 (4; 6)");
  REQUIRE(described(SR2::ones({0}) * Scalar::ones({1})) == "SR2 (0; 6)");
  REQUIRE(described(SR2::ones({3, 1}) * Scalar::ones({5})) == "SR2 (3, 5; 6)");
  REQUIRE(described(R2::ones({5}) * Vec::ones({7, 1})) == "Vec (7, 5; 3)");
  REQUIRE(described(R2::ones({5}) * R2::ones({7, 1})) == "R2 (7, 5; 3, 3)");
  REQUIRE(described(SSR4::ones({5}) * SSR4::ones({7, 1})) == "SSR4 (7, 5; 6, 6)");
  REQUIRE_THAT(error_of([&] { C * SR2::ones({1000}); }),
               ContainsSubstring("batch shapes [2] and [1000]"));
  REQUIRE_THAT(error_of([&] { Tensor::ones({2}, {3}) + Tensor::ones({2}, {4}); }),
               ContainsSubstring("base shapes [3] and [4] do not broadcast"));
}

TEST_CASE("a batch of six is a batch, never the six components", "[core][operators]")
{
  const auto s = SR2::ones({6});
  const Scalar k = Scalar::create({0, 1, 2, 3, 4, 5});
  const auto r = s * k;
  REQUIRE(described(r) == "SR2 (6; 6)");
  for (Size i = 0; i < 6; i++)
    REQUIRE(torch::equal(r.batch_index({i}), torch::full({6}, i, kFloat64)));
  REQUIRE(torch::equal(k - s, (at::Tensor(k) - 1).unsqueeze(1).expand({6, 6})));
  REQUIRE_THAT(error_of([&] { SSR4::ones({2}) * s; }),
               ContainsSubstring("batch shapes [2] and [6]"));
  REQUIRE_THAT(error_of([&] { s + SR2::ones({2}); }),
               ContainsSubstring("batch shapes [6] and [2]"));
  REQUIRE_THAT(error_of([&] { Tensor(s) * Tensor::ones({2}, {6}); }),
               ContainsSubstring("batch shapes [6] and [2]"));
  REQUIRE_THAT(error_of([&] { s * Scalar::ones({2}); }),
               ContainsSubstring("batch shapes [6] and [2]"));
  REQUIRE_THAT(error_of([&] { Vec::ones({3}) * Scalar::ones({5}); }),
               ContainsSubstring("batch shapes [3] and [5]"));
}

TEST_CASE("empty batches go through every operator", "[core][operators]")
{
  for (const auto dtype : {kFloat64, kFloat32, kInt64})
  {
    const auto s = SR2::ones({0, 3}, dtype);
    REQUIRE(described(s + s) == "SR2 (0, 3; 6)");
    REQUIRE(described(s - 1) == "SR2 (0, 3; 6)");
    REQUIRE(described(s * Scalar::ones({2, 1, 1}, dtype)) == "SR2 (2, 0, 3; 6)");
    REQUIRE(described(Scalar::ones({1}, dtype) / s) == "SR2 (0, 3; 6)");
  }
  REQUIRE_THAT(error_of([] { SR2::ones({0}) + SR2::ones({5}); }),
               ContainsSubstring("dimension -1 is 0 in one and 5 in the other"));
}

TEST_CASE("gradients flow through every operator, also to broadcast operands",
          "[core][operators][autograd]")
{
  const auto s = SR2(random({4, 3, 6}).set_requires_grad(true));
  const auto k = Scalar(random({3}).set_requires_grad(true));
  const auto t = SR2(random({4, 1, 6}).set_requires_grad(true));
  const auto check = [&](const SR2 & ours, const at::Tensor & torchs)
  {
    REQUIRE(ours.requires_grad());
    const auto w = random({4, 3, 6});
    const auto a =
        torch::autograd::grad({(ours * SR2(w)(0) + ours).sum()}, {s, k, t}, {}, true, false, true);
    const auto b = torch::autograd::grad({(torchs * w.select(-1, 0).unsqueeze(-1) + torchs).sum()},
                                         {s, k, t},
                                         {},
                                         true,
                                         false,
                                         true);
    for (size_t i = 0; i < 3; i++)
    {
      REQUIRE(a[i].defined() == b[i].defined());
      REQUIRE((!a[i].defined() || close(a[i], b[i])));
    }
  };
  const at::Tensor x = s, y = t, z = k.unsqueeze(-1);
  check(s + t, x + y);
  check(s - t, x - y);
  check(s / t, x / y);
  check(s * k, x * z);
  check(k * s, x * z);
  check(s / k, x / z);
  check(k / s, z / x);
  check(k - s, z - x);
  check(2 - s * 3, 2 - x * 3);
  check(2 / s, 2 / x);
  check(-s, -x);
}

TEST_CASE("operators can be differentiated twice", "[core][operators][autograd]")
{
  const auto k = Scalar(random({3}).set_requires_grad(true));
  const auto y = (k * k * k / 2).sum();
  const auto g = torch::autograd::grad({y}, {k}, {}, true, /*create_graph=*/true)[0];
  REQUIRE(close(g, 1.5 * at::Tensor(k) * k));
  REQUIRE(close(torch::autograd::grad({g.sum()}, {k})[0], 3 * at::Tensor(k)));
}
} // namespace arithmetic_test
