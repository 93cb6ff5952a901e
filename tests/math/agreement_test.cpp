// SPDX-License-Identifier: MIT
#include "neml2/math/autograd.h"

#include "neml2/math/comparison.h"
#include "neml2/math/elementwise.h"
#include "neml2/math/extremum.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/where.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/SR2.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <sstream>

#include "support/catch.h"

namespace agreement_test
{
using namespace neml2;

namespace
{
/// A random formula of two numbers: each operation takes two of the values so far.
struct Expression
{
  static constexpr int operations = 10, kinds = 12, inputs = 6;
  uint64_t first, second; ///< five operations each: a kind and two places, of four bits each

  int code(int k) const { return int((k < 5 ? first >> 12 * k : second >> 12 * (k - 5)) & 4095); }

  template <class A, class B>
  auto operator()(const A & a, const B & b) const
  {
    using V = std::decay_t<decltype(a + b)>;
    V v[inputs + operations];
    v[0] = V(a + 0.0 * b);
    v[1] = V(b + 0.0 * a);
    v[2] = V(v[0] - v[0]);
    v[3] = V(v[2] + 1.0);
    v[4] = V(v[2] - 0.5);
    v[5] = V(v[1] * 3.0);
    for (int k = 0; k < operations; k++)
    {
      const int c = code(k), n = inputs + k;
      const V x = v[(c >> 4 & 15) % n], y = v[(c >> 8) % n];
      switch ((c & 15) % kinds)
      {
      case 0:
        v[n] = V(x + y);
        break;
      case 1:
        v[n] = V(x - y);
        break;
      case 2:
      case 3:
        v[n] = V(x * y);
        break;
      case 4:
      case 5:
        v[n] = V(x / y);
        break;
      case 6:
        v[n] = V(maximum(x, y));
        break;
      case 7:
        v[n] = V(minimum(x, y));
        break;
      case 8:
        v[n] = V(where(x < y, x, y * 2.0));
        break;
      case 9:
        v[n] = V(where(x <= y, x + y, x));
        break;
      case 10:
        v[n] = V(abs(x) - 0.1 / y);
        break;
      default:
        v[n] = V(x * y - x * x);
      }
    }
    return v[inputs + operations - 1];
  }
};

/// Pairs of numbers in which ties and zeros are frequent.
struct Points
{
  at::Tensor a, b;

  explicit Points(std::mt19937_64 & random)
  {
    const double kinks[] = {-2, -1, -0.5, 0, 0.5, 1, 2, 1e-310};
    std::vector<double> x, y;
    for (const double p : kinks)
      for (const double q : kinks)
      {
        const bool rounds = random() % 2;
        std::uniform_real_distribution<> any(-3, 3);
        x.push_back(rounds ? any(random) : p);
        y.push_back(rounds && random() % 4 ? any(random) : rounds ? x.back() : q);
      }
    a = at::tensor(x, at::kDouble);
    b = at::tensor(y, at::kDouble);
  }
};

bool
same_bits(const at::Tensor & x, const at::Tensor & y)
{
  return x.eq(y).logical_or(x.isnan().logical_and(y.isnan())).all().item<bool>();
}
/// Whether two results are equal up to rounding where both are finite.
bool
close(const at::Tensor & x, const at::Tensor & y)
{
  const at::Tensor both = x.isfinite().logical_and(y.isfinite());
  return (x - y)
      .abs()
      .le(1e-9 * (1 + x.abs() + y.abs()))
      .logical_or(both.logical_not())
      .all()
      .item<bool>();
}

int
count()
{
  const char * const n = std::getenv("NEML2_CASES");
  return n ? std::atoi(n) : 300;
}
} // namespace

TEST_CASE("random expressions give the same bits in a formula and on batches, ties included",
          "[math][vmap]")
{
  std::mt19937_64 random(1);
  for (int k = 0; k < count(); k++)
  {
    const Expression f{random(), random()};
    const Points p(random);
    INFO("expression " << k << ": " << f.first << ' ' << f.second);
    const Scalar fused = vmap(f, Scalar(p.a), Scalar(p.b)), batch = f(Scalar(p.a), Scalar(p.b));
    const at::Tensor wrong =
        fused.ne(batch).logical_and(fused.eq(fused).logical_or(batch.eq(batch)));
    INFO(p.a.masked_select(wrong) << p.b.masked_select(wrong) << fused.masked_select(wrong)
                                  << batch.masked_select(wrong));
    REQUIRE(same_bits(fused, batch));
  }
}

TEST_CASE("random expressions have the same two derivatives in a formula and on batches",
          "[math][vmap]")
{
  std::mt19937_64 random(2);
  for (int k = 0; k < count(); k++)
  {
    const Expression f{random(), random()};
    const Points p(random);
    INFO("expression " << k << ": " << f.first << ' ' << f.second);
    std::vector<at::Tensor> found[2], second[2];
    for (const bool fused : {true, false})
    {
      const Scalar a(p.a.clone().set_requires_grad(true)), b(p.b.clone().set_requires_grad(true));
      const auto value = [&] { return fused ? vmap(with_gradient(f), a, b) : f(a, b); };
      const at::Tensor one = at::ones_like(p.a);
      found[fused] = torch::autograd::grad({value()}, {a, b}, {one});
      const auto again =
          torch::autograd::grad({value()}, {a, b}, {one}, /*retain_graph=*/true, true, true);
      for (const at::Tensor & g : again)
      {
        std::vector<at::Tensor> each(2);
        if (g.defined() && g.requires_grad())
          each = torch::autograd::grad({g}, {a, b}, {one}, /*retain_graph=*/true, false, true);
        for (const at::Tensor & h : each)
          second[fused].push_back(h.defined() ? h : at::zeros_like(p.a));
      }
    }
    for (size_t i = 0; i < 2; i++)
    {
      const at::Tensor &x = found[0][i], &y = found[1][i];
      INFO("by argument " << i << ": a, b, on batches, fused\n" << at::stack({p.a, p.b, x, y}, 1));
      REQUIRE(close(x, y));
    }
    for (size_t i = 0; i < 4; i++)
    {
      const at::Tensor &x = second[0][i], &y = second[1][i];
      INFO("second derivative " << i << ": a, b, on batches, fused\n"
                                << at::stack({p.a, p.b, x, y}, 1));
      REQUIRE(close(x, y));
    }
  }
}

TEST_CASE("s[i] in a formula is the stored component i on every path", "[math][vmap]")
{
  const auto second = [](const auto & x) { return 2.0 * x[1]; };
  const SR2 s(at::rand({4, 6}, at::kDouble)), half(s.to(at::kHalf)), x = s.clone();
  REQUIRE(vmap(second, s).equal(2.0 * s(1)));
  REQUIRE(vmap(second, half).equal(2.0 * half(1)));
  const SR2 variable(x.requires_grad_());
  const auto g = torch::autograd::grad({vmap(second, variable).sum()}, {variable})[0];
  REQUIRE(g.equal(at::tensor({0.0, 2.0, 0.0, 0.0, 0.0, 0.0}, at::kDouble).expand({4, 6})));
  REQUIRE(half[0].equal(at::Tensor(half).select(0, 0))); // outside of a formula it is LibTorch's
}

TEST_CASE("A component that a formula writes is written on every path", "[math][vmap]")
{
  const auto f = [](const auto & a)
  {
    auto F = a;
    for (int i = 0; i < 3; i++)
      F(i, i) = F(i, i) + a(0, 1);
    F[1] = 2.0 * F[1];
    return det(F);
  };
  const at::Tensor x = at::rand({4, 3, 3}, at::kDouble);
  const R2 A(x.clone().requires_grad_());
  at::Tensor expected = x.clone();
  for (Size i = 0; i < 3; i++)
    expected.select(-1, i).select(-1, i).add_(x.select(-2, 0).select(-1, 1));
  expected.select(-2, 0).select(-1, 1).mul_(2.0);
  expected = at::linalg_det(expected);
  REQUIRE(at::allclose(vmap(f, R2(x)), expected));
  REQUIRE(at::allclose(vmap(f, R2(x.to(at::kHalf))).to(at::kDouble), expected, 1e-2, 1e-2));
  const auto by_gradient = [&](bool create_graph)
  { return torch::autograd::grad({vmap(f, A).sum()}, {A}, {}, true, create_graph)[0]; };
  const at::Tensor J = value_and_jacobian<0>(f, R2(x)).second;
  REQUIRE(at::allclose(by_gradient(false), J));
  REQUIRE(at::allclose(by_gradient(true), J));
}

TEST_CASE("an index that is out of range is refused in a formula as on batches", "[math][vmap]")
{
  const auto read = [](const auto & A) { return A(3, 0); };
  const R2 A(at::rand({4, 3, 3}, at::kDouble));
  REQUIRE_THROWS_AS(vmap(read, A), IndexException);
  REQUIRE_THROWS_AS(vmap(read, R2(A.to(at::kHalf))), IndexException);
  REQUIRE_THROWS_WITH(vmap(read, A),
                      Catch::Matchers::ContainsSubstring(
                          "the component index 3 is out of range: expected one in [-3, 3)."));
  const auto last = [](const auto & B) { return B(-1, -1); };
  REQUIRE(vmap(last, A).equal(A(2, 2)));
}
} // namespace agreement_test
