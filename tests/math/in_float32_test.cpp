// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"

#include "neml2/math/autograd.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/operators.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/Scalar.h"

#include "support/guards.h"

#include <ATen/ATen.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.h"

namespace in_float32_test
{
using namespace neml2;

namespace
{
/// Rate of a flow rule with a power and an exponential.
constexpr auto flow_rule = [](const auto & stress, const auto & n)
{ return 1e-3 * pow(stress / 0.5, n) * exp(-2.0 * stress); };

at::Tensor
composed_flow_rule(const at::Tensor & s, const at::Tensor & n)
{
  return 1e-3 * at::pow(s / 0.5, n) * at::exp(-2.0 * s);
}

/// A formula whose digits cancel, which shows the dtype in which it is computed.
constexpr auto small_part = [](const auto & x) { return (1.0 + x) - 1.0; };

/// A function of two tensors of float32 (it may ignore the second), LibTorch's result in float64, and the relative error
/// that is allowed for float32, in units of half its epsilon: two, a unit in the last place, for a function.
struct Case
{
  std::string name;
  std::function<at::Tensor(const at::Tensor &, const at::Tensor &)> call, expected;
  double largest_error = 2;
};

template <class F>
auto
of_scalars(const F & f)
{
  return [f](const at::Tensor & a, const at::Tensor & b)
  { return at::Tensor(f(Scalar(a), Scalar(b))); };
}

std::vector<Case>
cases()
{
  using T = const at::Tensor &;
  using S = const Scalar &;
  return {
      {"sinh", of_scalars([](S a, S) { return sinh(a); }), [](T a, T) { return a.sinh(); }},
      {"cosh", of_scalars([](S a, S) { return cosh(a); }), [](T a, T) { return a.cosh(); }},
      {"atanh", of_scalars([](S a, S) { return atanh(a); }), [](T a, T) { return a.atanh(); }},
      {"cbrt", of_scalars([](S a, S) { return cbrt(a); }), [](T a, T) { return a.pow(1.0 / 3.0); }},
      {"pow", of_scalars([](S a, S b) { return pow(a, b); }), [](T a, T b) { return a.pow(b); }},
      {"pow(., 2.3)",
       of_scalars([](S a, S) { return pow(a, 2.3); }),
       [](T a, T) { return a.pow(double(2.3f)); }},
      {"pow(2.3, .)",
       of_scalars([](S a, S) { return pow(2.3, a); }),
       [](T a, T) { return at::pow(double(2.3f), a); }},
      {"atan2",
       of_scalars([](S a, S b) { return atan2(a, b); }),
       [](T a, T b) { return a.atan2(b); }},
      {"hypot",
       of_scalars([](S a, S b) { return hypot(a, b); }),
       [](T a, T b) { return (a * a + b * b).sqrt(); }},
      {"flow rule",
       of_scalars([](S a, S b) { return vmap(in_float32(flow_rule), a, b); }),
       composed_flow_rule,
       7}, // two functions, two products and the number 1e-3
      {"flow rule of a number",
       of_scalars([](S a, S) { return vmap(in_float32(flow_rule), a, 3); }),
       [](T a, T) { return composed_flow_rule(a, at::full({}, 3, kFloat64)); },
       7}};
}

/// The largest relative error of `r` of float32, in units of half its epsilon. (LibTorch's own float32 is not a
/// reference: the functions that it calls, and so its last bits, depend on the machine.)
double
error(const at::Tensor & r, const at::Tensor & exact)
{
  REQUIRE(r.sizes() == exact.sizes());
  REQUIRE(r.scalar_type() == kFloat32);
  REQUIRE(exact.scalar_type() == kFloat64);
  if (r.numel() == 0)
    return 0;
  constexpr double half_epsilon = std::numeric_limits<float>::epsilon() / 2.0;
  return ((r.to(kFloat64) - exact) / exact).abs().max().item<double>() / half_epsilon;
}

/// The case's error at these numbers.
double
error(const Case & c, const at::Tensor & a, const at::Tensor & b)
{
  return error(c.call(a, b), c.expected(a.to(kFloat64), b.to(kFloat64)));
}

at::Tensor
positive(at::IntArrayRef sizes)
{
  return (0.05 + 0.9 * at::rand(sizes, kFloat64)).to(kFloat32);
}

bool
same(const at::Tensor & a, const at::Tensor & b)
{
  return test::same_bits(a, b);
}
} // namespace

TEST_CASE("Functions of float32 are right to a unit in the last place", "[math][float32]")
{
  for (const auto & c : cases())
  {
    INFO(c.name);
    for (int64_t n = 0; n <= 70; n++)
    {
      INFO(n << " numbers");
      const at::Tensor a = positive({n}), b = positive({n});
      const at::Tensor r = c.call(a, b);
      REQUIRE(error(c, a, b) <= c.largest_error);
      for (int64_t i = 0; i < n; i++) // at any position
        REQUIRE(same(r[i], c.call(a[i], b[i])));
    }
    const at::Tensor a = positive({100'000}), b = positive({100'000});
    REQUIRE(error(c, a, b) <= c.largest_error);
  }
}

TEST_CASE(
    "Numbers of float32 have the same bits in any layout of memory and on any number of threads",
    "[math][float32]")
{
  for (const auto & c : cases())
  {
    INFO(c.name);
    const at::Tensor a = positive({37, 41}), b = positive({37, 41}), r = c.call(a, b);
    const auto sliced = [](const at::Tensor & t)
    {
      at::Tensor big = at::full({75, 84}, -1e3, kFloat32);
      return big.slice(0, 1, 75, 2).slice(1, 2, 84, 2).copy_(t);
    };
    const auto transposed = [](const at::Tensor & t) { return t.t().contiguous().t(); };
    const auto part = [](const at::Tensor & t) { return t.slice(1, 3, 40); };
    REQUIRE(same(r, c.call(sliced(a), b)));
    REQUIRE(same(r, c.call(a, sliced(b))));
    REQUIRE(same(r, c.call(transposed(a), transposed(b))));
    REQUIRE(same(r, c.call(transposed(a), b)));
    REQUIRE(same(part(r), c.call(part(a), part(b))));

    // operands that rows share
    const at::Tensor row = positive({41}), column = positive({37, 1}), one = positive({});
    REQUIRE(same(c.call(a, row), c.call(a, row.expand({37, 41}).contiguous())));
    REQUIRE(same(c.call(row, a).expand({37, 41}), c.call(row.expand({37, 41}).contiguous(), a)));
    REQUIRE(same(c.call(a, column), c.call(a, column.expand({37, 41}).contiguous())));
    REQUIRE(same(c.call(a, one), c.call(a, one.expand({37, 41}).contiguous())));
    REQUIRE(same(c.call(one, a).expand({37, 41}), c.call(one.expand({37, 41}).contiguous(), a)));

    const at::Tensor x = positive({300'001}), y = positive({300'001});
    at::Tensor first;
    for (const int threads : {1, 2, 3})
    {
      const test::Threads set(threads);
      const at::Tensor z = c.call(x, y);
      if (threads == 1)
        first = z;
      REQUIRE(same(z, first));
    }
  }
}

TEST_CASE("Numbers of float32 raise no floating-point exception", "[math][float32]")
{
  for (const auto & c : cases())
    for (const int64_t n : {1, 5, 16, 23, 64})
    {
      const at::Tensor a = positive({n}), b = positive({n});
      std::feclearexcept(FE_ALL_EXCEPT);
      c.call(a, b);
      INFO(c.name);
      REQUIRE(test::raised() == "");
    }
}

TEST_CASE("vmap computes in float32 where it is told to, and the tensors are", "[math][float32]")
{
  const Scalar x(at::full({40}, 1e-9, kFloat32)), d(at::full({40}, 1e-9, kFloat64));
  REQUIRE(same(vmap(in_float32(small_part), x), at::zeros({40}, kFloat32)));
  REQUIRE_FALSE(same(vmap(small_part, x), at::zeros({40}, kFloat32)));
  REQUIRE(same(vmap(in_float32(small_part), d), vmap(small_part, d)));
}

TEST_CASE("vmap_out computes in float32 too, also into its argument", "[math][float32]")
{
  const at::Tensor a = positive({53}), n = positive({53});
  const Scalar expected = vmap(in_float32(flow_rule), Scalar(a), Scalar(n));
  Scalar stress(a.clone()), part(at::zeros({53}, kFloat32));
  vmap_out(stress, in_float32(flow_rule), stress, Scalar(n));
  REQUIRE(same(stress, expected));
  vmap_out(part, in_float32(small_part), Scalar(at::full({53}, 1e-9, kFloat32)));
  REQUIRE(same(part, at::zeros({53}, kFloat32)));
  const Scalar every_other(at::zeros({106}, kFloat32).slice(0, 0, 106, 2));
  Scalar strided = every_other;
  vmap_out(strided, in_float32(flow_rule), Scalar(a), Scalar(n));
  REQUIRE(same(every_other, expected));
}

TEST_CASE("A formula in float32 may take a group of numbers", "[math][float32]")
{
  const auto rate = [](const auto & state)
  { return flow_rule(std::get<0>(state), std::get<1>(state)); };
  const Scalar a(positive({53})), n(positive({53}));
  REQUIRE(same(vmap(in_float32(rate), std::tuple(a, n)), vmap(in_float32(flow_rule), a, n)));
  const auto part = [](const auto & state) { return small_part(std::get<0>(state)); };
  REQUIRE(same(vmap(in_float32(part), std::tuple(Scalar(at::full({9}, 1e-9, kFloat32)), 1.0)),
               at::zeros({9}, kFloat32)));
}

TEST_CASE("A formula in float32 may return a plain number, or one it holds", "[math][float32]")
{
  const Scalar x(positive({19}));
  REQUIRE(
      same(vmap(in_float32([](const auto &) { return 0.1; }), x), at::full({19}, 0.1, kFloat32)));
  const double factor = 3;
  const Scalar r = vmap(in_float32([&](const auto & y) { return factor * y; }), x);
  REQUIRE(same(r, 3 * at::Tensor(x)));
}

TEST_CASE("A plain number that float32 cannot hold makes a formula one of float64",
          "[math][float32]")
{
  const Scalar x(at::full({19}, 0.5, kFloat32));
  const auto scaled = [](const auto & y, const auto & huge) { return pow(huge, 0.01) * y; };
  for (const double number : {1e300, 1e-300})
    REQUIRE(at::allclose(vmap(in_float32(scaled), x, number),
                         at::full({19}, 0.5 * std::pow(number, 0.01), kFloat32)));
}

TEST_CASE("Derivatives of a formula in float32 are computed in float64, as for any formula",
          "[math][float32]")
{
  const at::Tensor a = positive({23}), n = positive({23});
  const auto [value, slope] = value_and_jacobian<0>(in_float32(flow_rule), Scalar(a), Scalar(n));
  const auto [value_, slope_] = value_and_jacobian<0>(flow_rule, Scalar(a), Scalar(n));
  REQUIRE(same(value, value_));
  REQUIRE(same(slope, slope_));

  const auto gradient = [&](const auto & f)
  {
    const at::AutoGradMode grad(true);
    const at::Tensor x = a.detach().requires_grad_();
    const Scalar y = vmap(f, Scalar(x), Scalar(n));
    REQUIRE(y.grad_fn());
    return torch::autograd::grad({at::Tensor(y).sum()}, {x})[0];
  };
  const at::Tensor expected = gradient(with_gradient(flow_rule));
  REQUIRE(same(gradient(with_gradient(in_float32(flow_rule))), expected));
  REQUIRE(same(gradient(in_float32(with_gradient(flow_rule))), expected));
  REQUIRE(at::allclose(gradient(in_float32(flow_rule)), expected));

  const Scalar x(at::full({40}, 1e-9, kFloat32).requires_grad_()); // the forward pass is in float32
  const at::AutoGradMode grad(true);
  REQUIRE(same(vmap(with_gradient(in_float32(small_part)), x).detach(), at::zeros({40}, kFloat32)));
  REQUIRE(same(vmap(in_float32(with_gradient(small_part)), x).detach(), at::zeros({40}, kFloat32)));
}

TEST_CASE("A formula in float32 of other types is the formula", "[math][float32]")
{
  const Scalar x(positive({19}).to(kFloat16)), y(positive({19}).to(kFloat16));
  REQUIRE(same(vmap(in_float32(flow_rule), x, y), vmap(flow_rule, x, y)));
}
} // namespace in_float32_test
