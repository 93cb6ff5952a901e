// SPDX-License-Identifier: MIT
#include "neml2/math/extremum.h"
#include "support/battery.h"
#include "support/pairs.h"
#include "support/parity.h"
#include "support/values.h"

#include <cmath>

#include "support/catch.h"

namespace extremum_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::integers;
using test::numbers;
using test::operation;
using test::same;
using test::slopes;

namespace
{
const test::Table &
operations()
{
  static const test::Table all = []
  {
    test::Table f;
    test::add_pairs(
        f,
        "maximum",
        [](const auto & a, const auto & b) { return maximum(a, b); },
        [](const at::Tensor & a, const at::Tensor & b) { return at::maximum(a, b); });
    test::add_pairs(
        f,
        "minimum",
        [](const auto & a, const auto & b) { return minimum(a, b); },
        [](const at::Tensor & a, const at::Tensor & b) { return at::minimum(a, b); });
    return f;
  }();
  return all;
}

/// Operations on three arguments: a type with two bounds of that type, or with a Scalar as one of them, or Tensors.
const test::Table &
clamps()
{
  static const test::Table all = []
  {
    const auto f = [](const auto & a, const auto & l, const auto & u) { return clamp(a, l, u); };
    const auto expected = [](const at::Tensor & a, const at::Tensor & l, const at::Tensor & u)
    { return at::minimum(u, at::maximum(l, a)); };
    constexpr auto accepts = Accepts::numbers;
    return test::Table{
        operation<Scalar, Scalar, Scalar>(
            "clamp", accepts, f, [=](const Arguments & a) { return expected(a[0], a[1], a[2]); }),
        operation<Vec, Vec, Scalar>("clamp",
                                    accepts,
                                    f,
                                    [=](const Arguments & a)
                                    { return expected(a[0], a[1], test::column(a[2], 1)); }),
        operation<SSR4, Scalar, SSR4>("clamp",
                                      accepts,
                                      f,
                                      [=](const Arguments & a)
                                      { return expected(a[0], test::column(a[1], 2), a[2]); }),
        test::operation_on_tensors(
            "clamp",
            accepts,
            std::array<TensorShape, 3>{TensorShape{2, 2}, TensorShape{2}, TensorShape{2, 1}},
            f,
            [=](const Arguments & a) { return expected(a[0], a[1].unsqueeze(-2), a[2]); })};
  }();
  return all;
}

test::Table
all_operations()
{
  return test::without(test::own_rule, test::together({operations(), clamps()}));
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Extrema and bounds pass the battery", "[math][cuda]")
{
  battery.check();
}

TEST_CASE("maximum and minimum do not depend on the memory layout", "[math]")
{
  for (const auto & op : operations())
    for (int layout = 1; layout < test::layouts; layout++)
      for (const auto dtype : {kFloat64, kFloat32})
      {
        auto a = test::arguments(op, {{2, 3}, {3}}, dtype);
        for (size_t k = 0; k < a.size(); k++)
          a[k] = test::lay_out(test::Layout(layout), a[k], op.base[k].size());
        const auto x = op.call(a), y = op.call({a[0].contiguous(), a[1].contiguous()});
        INFO(op.name << " in layout " << layout);
        REQUIRE(x.dtype() == dtype);
        REQUIRE(at::allclose(x, y, 1e-6, 1e-6, /*equal_nan=*/true));
      }
}

TEST_CASE("maximum and minimum with a number are those with a tensor of it", "[math]")
{
  const SR2 a(at::rand({5, 6}, kFloat64) - 0.5);
  const auto n = SR2::full({5}, 0.1);
  REQUIRE(at::equal(maximum(a, 0.1), maximum(a, n)));
  REQUIRE(at::equal(maximum(0.1, a), maximum(n, a)));
  REQUIRE(at::equal(minimum(a, 0.1), minimum(a, n)));
  REQUIRE(at::equal(minimum(0.1, a), minimum(n, a)));
  REQUIRE(maximum(a.to(kFloat32), 0.1).scalar_type() == kFloat32);
}

TEST_CASE("At a tie the derivative of maximum and minimum goes to the second one",
          "[math][autograd]")
{
  const auto x = numbers({-1, 0, 2}).requires_grad_(), y = numbers({-2, 0, 3}).requires_grad_();
  const Scalar a(x), b(y);
  const auto larger = slopes(maximum(a, b), {x, y}), smaller = slopes(minimum(a, b), {x, y});
  REQUIRE(same(larger[0], {1, 0, 0}));
  REQUIRE(same(larger[1], {0, 1, 1}));
  REQUIRE(same(smaller[0], {0, 0, 1}));
  REQUIRE(same(smaller[1], {1, 1, 0}));
  REQUIRE(same(slopes(maximum(a, 0.0), {x})[0], {0, 0, 1}));
  REQUIRE(same(slopes(maximum(0.0, a), {x})[0], {0, 1, 1}));
  REQUIRE(same(slopes(minimum(a, 0.0), {x})[0], {1, 0, 0}));
  REQUIRE(same(slopes(minimum(0.0, a), {x})[0], {1, 1, 0}));
}

TEST_CASE("maximum and minimum are NaN where either argument is", "[math]")
{
  for (const bool differentiated : {false, true})
    for (const auto dtype : {kFloat64, kFloat32})
    {
      const auto tracked = [=](const at::Tensor & t)
      { return Scalar(t.to(dtype).requires_grad_(differentiated)); };
      const auto a = tracked(numbers({NAN, 1, NAN, INFINITY})),
                 b = tracked(numbers({1, NAN, NAN, -INFINITY}));
      REQUIRE(same(maximum(a, b).to(kFloat64), {NAN, NAN, NAN, INFINITY}));
      REQUIRE(same(minimum(a, b).to(kFloat64), {NAN, NAN, NAN, -INFINITY}));
      for (const auto & r : {maximum(a, 0.0), maximum(0.0, a), minimum(a, 2), minimum(2, a)})
        REQUIRE(at::equal(r.isnan(), a.isnan()));
      for (const auto & r : {maximum(a, NAN), maximum(NAN, a), minimum(a, NAN), minimum(NAN, a)})
      {
        REQUIRE(r.scalar_type() == dtype);
        REQUIRE(r.isnan().all().item<bool>());
      }
    }
}

TEST_CASE("maximum and minimum have the same values whether differentiated or not", "[math]")
{
  const auto a = at::rand({300, 6}, kFloat64) - 0.5, b = at::rand({6}, kFloat64) - 0.5;
  const SR2 s(a), t(b), u(a.clone().requires_grad_());
  REQUIRE(at::equal(maximum(s, t), maximum(u, t)));
  REQUIRE(at::equal(minimum(s, t), minimum(u, t)));
  REQUIRE(at::equal(maximum(s, 0.1), maximum(u, 0.1)));
  REQUIRE(at::equal(maximum(0.1, s), maximum(0.1, u)));
  REQUIRE(at::equal(minimum(s, 0.1), minimum(u, 0.1)));
  REQUIRE(at::equal(minimum(0.1, s), minimum(0.1, u)));
}

TEST_CASE("clamp keeps to its bounds, the upper one where they are in the wrong order", "[math]")
{
  const auto a = numbers({-2, 0.25, 3, NAN, INFINITY});
  REQUIRE(same(clamp(a, 0.0, 1.0), {0, 0.25, 1, NAN, 1}));
  REQUIRE(same(clip(a, 0, 1), {0, 0.25, 1, NAN, 1}));
  REQUIRE(same(clamp(a, 1.0, 0.0), {0, 0, 0, NAN, 0}));
  REQUIRE(same(clamp(a, numbers({-3, 1, 0, 0, 0}), 2), {-2, 1, 2, NAN, 2}));
  REQUIRE(same(clamp(a, 0, numbers({1, 0.125, 1, 1, NAN})), {0, 0.125, 1, NAN, NAN}));
  REQUIRE(same(clamp(a, NAN, 1.0), {NAN, NAN, NAN, NAN, NAN}));
  REQUIRE(clamp(a.to(kFloat32), 0.0, 1.0).scalar_type() == kFloat32);
  const SR2 s(at::rand({6, 6}, kFloat64));
  const Scalar bound(at::linspace(0, 1, 6, kFloat64)); // one bound per batch entry
  REQUIRE(at::equal(clamp(s, bound, 1.0), at::maximum(bound.unsqueeze(-1), s)));
  REQUIRE(clip(s, bound.batch_unsqueeze(-1), s).batch_sizes() == TensorShape{6, 6});
}

TEST_CASE("At a bound the derivative of clamp is that of the tensor", "[math][autograd]")
{
  const auto x = numbers({-1, 0, 0.5, 1, 2}).requires_grad_();
  const auto lower = numbers({0, 0, 0, 0, 0}).requires_grad_(),
             upper = numbers({1, 1, 1, 1, 1}).requires_grad_();
  const auto g = slopes(clamp(Scalar(x), Scalar(lower), Scalar(upper)), {x, lower, upper});
  REQUIRE(same(g[0], {0, 1, 1, 1, 0}));
  REQUIRE(same(g[1], {1, 0, 0, 0, 0}));
  REQUIRE(same(g[2], {0, 0, 0, 0, 1}));
  REQUIRE(same(slopes(clamp(Scalar(x), 0, 1), {x})[0], {0, 1, 1, 1, 0}));
}

TEST_CASE("minimum, maximum and clamp by a number are exact on integers", "[math]")
{
  const auto i = integers({-2, 3, 9007199254740993});
  REQUIRE(at::equal(maximum(i, 4), integers({4, 4, 9007199254740993})));
  REQUIRE(at::equal(clamp(i, 0, 9007199254740992), integers({0, 3, 9007199254740992})));
}
} // namespace extremum_test
