// SPDX-License-Identifier: MIT
#include "neml2/tensors/interpolation.h"

#include "neml2/math/autograd.h"
#include "neml2/math/jacobian.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/formulas.h"
#include "support/guards.h"
#include "support/values.h"

#include "support/catch.h"

namespace interpolation_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::Checks;
using test::described;
using test::error_of;
using test::vmapped;
using torch::autograd::grad;

namespace
{
constexpr auto linear = Interpolant::linear, cubic = Interpolant::monotone_cubic;
constexpr auto constant = Beyond::constant, extrapolate = Beyond::extrapolate;

/// Five points of a table, and the values of a table of two abscissae.
struct Points : PrimitiveTensor<Points, 5>
{
  using PrimitiveTensor::PrimitiveTensor;
};
struct Grid : PrimitiveTensor<Grid, 5, 3>
{
  using PrimitiveTensor::PrimitiveTensor;
};

/// Scalars of the battery are within (0.1, 0.4).
constexpr std::array<double, 5> knots{0.13, 0.19, 0.2, 0.32, 0.37}, moduli{210, 205, 190, 193, 120};
constexpr std::array<double, 3> others{0.12, 0.3, 0.35};

/// A table for each combination of options, by a formula that captures nothing.
template <Interpolant interpolant, Beyond beyond>
struct Table
{
  template <class X, class Xs, class Ys>
  auto operator()(const X & x, const Xs & xs, const Ys & ys) const
  {
    return interpolate(x, xs, ys, interpolant, beyond);
  }
  template <class X, class Ys>
  auto operator()(const X & x, const Ys & ys) const
  {
    return interpolate(x, knots, ys, interpolant, beyond);
  }
  template <class X>
  auto operator()(const X & x) const
  {
    return interpolate(x, knots, moduli, interpolant, beyond);
  }
};

/// f for each combination of options.
template <class F>
void
for_all_options(const F & f)
{
  f(Table<linear, constant>());
  f(Table<linear, extrapolate>());
  f(Table<linear, Beyond::nan>());
  f(Table<cubic, constant>());
  f(Table<cubic, extrapolate>());
  f(Table<cubic, Beyond::nan>());
}

test::Table
formulas()
{
  return test::without(
      {Check::rule, Check::refusals, Check::integers},
      {vmapped<Scalar, Points>("linear table", Table<linear, constant>()),
       vmapped<Scalar, Points>("linear table, extrapolated", Table<linear, extrapolate>()),
       vmapped<Scalar, Points>("cubic table", Table<cubic, constant>()),
       vmapped<Scalar, Points>("cubic table, extrapolated", Table<cubic, extrapolate>()),
       vmapped<Scalar>("table of constants", Table<cubic, constant>()),
       vmapped<Scalar, Scalar, Grid>("bilinear table",
                                     [](auto x, auto y, const auto & values)
                                     { return interpolate(x, y, knots, others, values); }),
       vmapped<SR2, Scalar>("law of a table",
                            [](auto strain, auto T)
                            { return interpolate(T, knots, moduli, cubic) * dev(strain); })});
}
const test::Battery battery(formulas);

/// The constants as a tensor like x.
template <size_t n>
Tensor
tensor_of(const std::array<double, n> & a, const at::Tensor & x)
{
  const at::Tensor t = at::tensor(std::vector<double>(a.begin(), a.end()), at::kDouble);
  return {x.defined() ? t.to(x.options().requires_grad(false)) : t, 0};
}

/// The value of a table is the first ordinate plus the sum of the contributions of the intervals.
at::Tensor
sum_of_hinges(const Arguments & a)
{
  at::Tensor y = a[1].select(-1, 0);
  for (size_t i = 1; i < knots.size(); i++)
  {
    const double h = knots[i] - knots[i - 1];
    y = y + (a[1].select(-1, int64_t(i)) - a[1].select(-1, int64_t(i) - 1)) / h *
                (a[0] - knots[i - 1]).clamp(0, h);
  }
  return y;
}

test::Table
operations()
{
  const auto of = [](Interpolant interpolant, Beyond beyond, const test::Formula & expected = {})
  {
    return test::operation<Scalar, Points>(
        "interpolate",
        Accepts::floating,
        [=](const Scalar & x, const Points & ys)
        { return interpolate(x, tensor_of(knots, x), Tensor(ys), interpolant, beyond); },
        expected);
  };
  const auto bilinear = test::operation<Scalar, Scalar, Grid>(
      "interpolate",
      Accepts::floating,
      [](const Scalar & x, const Scalar & y, const Grid & values)
      { return interpolate(x, y, tensor_of(knots, x), tensor_of(others, x), Tensor(values)); });
  const Checks fused_only{Check::both_paths, Check::rule},
      without_reference{Check::both_paths, Check::rule, Check::reference};
  return {of(linear, constant, sum_of_hinges).without(fused_only),
          of(linear, extrapolate).without(without_reference),
          of(cubic, constant).without(without_reference),
          of(cubic, extrapolate).without(without_reference),
          bilinear.without(without_reference)};
}

at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return at::rand(shape, at::kDouble).to(dtype);
}

/// Increasing abscissae, within (0, 5) or a little beyond.
Points
abscissae(TensorShape batch, Dtype dtype = kFloat64)
{
  batch.push_back(5);
  return Points((random(batch) * 0.8 + 0.2).cumsum(-1).to(dtype));
}
Points
ordinates(TensorShape batch, Dtype dtype = kFloat64)
{
  batch.push_back(5);
  return Points(random(batch, dtype) - 0.5);
}
Scalar
places(TensorShape batch, Dtype dtype = kFloat64)
{
  return Scalar(random(batch, dtype) * 5 - 0.5);
}

/// The result of f on whole batches.
template <class F>
auto
composed(const F & f)
{
  const c10::impl::IncludeDispatchKeyGuard guard(c10::DispatchKey::AutocastCPU);
  return f();
}

bool
near(const at::Tensor & a, const at::Tensor & b, double tolerance)
{
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         at::allclose(a, b, tolerance, tolerance, /*equal_nan=*/true);
}

bool
is_close(double a, double b, double tolerance)
{
  return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

/// Derivatives of Σ w y by each x, w fixed numbers.
Arguments
gradients(const at::Tensor & y, const Arguments & x, bool create_graph = false)
{
  const at::Tensor w = at::linspace(1, 2, y.numel(), at::kDouble).reshape(y.sizes());
  return grad({(w * y).sum()}, x, {}, true, create_graph);
}
} // namespace

TEST_CASE("Tables in formulas pass the battery", "[tensors][interpolation][cuda]")
{
  battery.check();
}

TEST_CASE("Tables of any size pass the battery", "[tensors][interpolation][cuda]")
{
  test::check_operations(operations());
}

TEST_CASE("A table gives the same fused, on whole batches, and of any size",
          "[tensors][interpolation]")
{
  const std::vector<TensorShape> shapes{{}, {0}, {1}, {7}, {2, 3}, {301}};
  for (const auto dtype : {kFloat64, kFloat32})
    for (const auto & batch : shapes)
      for (const auto & of_table : {TensorShape{}, batch})
        for (const auto & of_ordinates : {TensorShape{}, batch})
          for_all_options(
              [&](const auto & f)
              {
                const double tolerance = dtype == kFloat64 ? 1e-12 : 2e-5;
                const Scalar x = places(batch, dtype);
                const Points xs = abscissae(of_table, dtype), ys = ordinates(of_ordinates, dtype);
                INFO(described(x) << ", " << described(xs) << ", " << described(ys));
                const Scalar fused = vmap(f, x, xs, ys),
                             by_batches = composed([&] { return vmap(f, x, xs, ys); });
                REQUIRE(fused.batch_sizes() == batch);
                REQUIRE(near(fused, by_batches, tolerance));
                REQUIRE(near(fused, f(x, xs, ys), tolerance));
                REQUIRE(near(fused, f(x, Tensor(xs), Tensor(ys)), tolerance));
                REQUIRE(near(vmap(f, x, ys), composed([&] { return vmap(f, x, ys); }), tolerance));
                REQUIRE(near(vmap(f, x), composed([&] { return vmap(f, x); }), tolerance));
              });
}

TEST_CASE("A bilinear table gives the same fused, on whole batches, and of any size",
          "[tensors][interpolation]")
{
  const auto f = [](auto x, auto y, const auto & xs, const auto & ys, const auto & values)
  { return interpolate(x, y, xs, ys, values, Beyond::extrapolate); };
  for (const auto dtype : {kFloat64, kFloat32})
  {
    const Scalar x = places({40}, dtype), y = places({2, 1}, dtype);
    const Points xs = abscissae({}, dtype);
    const Vec ys(at::tensor({0.5, 1.5, 3.0}, at::kDouble).to(dtype));
    const Grid values(random({40, 5, 3}, dtype));
    const Scalar fused = vmap(f, x, y, xs, ys, values);
    REQUIRE(described(fused) == "Scalar (2, 40;)");
    const double tolerance = dtype == kFloat64 ? 1e-12 : 1e-4;
    REQUIRE(near(fused, composed([&] { return vmap(f, x, y, xs, ys, values); }), tolerance));
    REQUIRE(near(fused, f(x, y, Tensor(xs), Tensor(ys), Tensor(values)), tolerance));
  }
}

TEST_CASE("A table is exact at its points, and beyond its ends as chosen",
          "[tensors][interpolation]")
{
  const Points xs = abscissae({6}), ys = ordinates({6});
  const at::Tensor at_points = at::Tensor(xs).transpose(0, 1); // a view
  const at::Tensor expected = at::Tensor(ys).transpose(0, 1);
  for_all_options(
      [&](const auto & f)
      {
        REQUIRE(at::equal(vmap(f, Scalar(at_points), xs, ys), expected));
        REQUIRE(at::equal(f(Scalar(at_points), Tensor(xs), Tensor(ys)), expected));
      });
  const Scalar far(at::tensor({-1.0, 9.0, double(INFINITY), double(-INFINITY)}, at::kDouble));
  const Tensor a = tensor_of(knots, far), m = tensor_of(moduli, far);
  for (const auto interpolant : {linear, cubic})
  {
    REQUIRE(at::equal(interpolate(far, a, m, interpolant),
                      at::tensor({210.0, 120.0, 120.0, 210.0}, at::kDouble)));
    REQUIRE(interpolate(far, a, m, interpolant, Beyond::nan).isnan().all().item<bool>());
  }
  REQUIRE(at::equal(interpolate(far, a, m), interpolate(far, a, m, linear, Beyond::constant)));
  REQUIRE(at::equal(interpolate(far, a, m, Beyond::extrapolate),
                    interpolate(far, a, m, linear, Beyond::extrapolate)));
  REQUIRE(near(interpolate(far, a, m, Beyond::extrapolate).slice(0, 0, 2),
               at::tensor({210 + 5 * 1.13 / 0.06, 120 - 73 * 8.63 / 0.05}, at::kDouble),
               1e-12));
}

TEST_CASE("Tables of many points are searched, whoever's they are", "[tensors][interpolation]")
{
  const Scalar x = Scalar(random({50, 20}) * 1100 - 50);
  const at::Tensor t = (random({1000}) + 0.5).cumsum(0);
  const Tensor xs(t, 0), ys(t.sin(), 0), one_each(t.expand({20, 1000}).contiguous(), 1);
  for (const auto interpolant : {linear, cubic})
    for (const auto beyond : {constant, extrapolate})
    {
      const Scalar y = interpolate(x, xs, ys, interpolant, beyond);
      REQUIRE(near(y, interpolate(x, one_each, ys, interpolant, beyond), 1e-12));
      REQUIRE(
          near(y, interpolate(Scalar(x.t().contiguous().t()), xs, ys, interpolant, beyond), 1e-12));
      REQUIRE(near(y[3][4], interpolate(Scalar(x[3][4]), xs, ys, interpolant, beyond), 1e-12));
    }
  // the interpolant follows the sine
  const Tensor fine(at::linspace(0, 10, 1001, at::kDouble), 0), sine(fine.sin(), 0);
  const Scalar z(random({100}) * 10);
  REQUIRE(near(interpolate(z, fine, sine), z.sin(), 2e-5));
  REQUIRE(near(interpolate(z, fine, sine, cubic), z.sin(), 1e-5));
}

TEST_CASE("Tables may be strided, expanded and sliced", "[tensors][interpolation]")
{
  const Scalar x = places({4, 3});
  const Points xs = abscissae({4, 3}), ys = ordinates({4, 3});
  for_all_options(
      [&](const auto & f)
      {
        const Scalar y = f(x, Tensor(xs), Tensor(ys));
        const auto shuffled = [](const at::Tensor & t)
        { return t.transpose(0, -1).contiguous().transpose(0, -1); };
        const Scalar z(shuffled(x));
        const Points zs(shuffled(xs)), ws(at::stack({ys, ys}, -1).select(-1, 1));
        REQUIRE(near(vmap(f, z, zs, ws), y, 1e-12));
        REQUIRE(near(f(z, zs, ws), y, 1e-12));
        REQUIRE(near(f(z, Tensor(zs), Tensor(ws)), y, 1e-12));
        REQUIRE(near(f(x.batch_expand({2, 4, 3}), Tensor(xs), Tensor(ys)),
                     y.batch_expand({2, 4, 3}),
                     1e-12));
      });
}

TEST_CASE("Batch shapes of tables broadcast", "[tensors][interpolation]")
{
  const Scalar x = places({3, 1, 1});
  const Points xs = abscissae({4, 1}), ys = ordinates({2});
  const auto check = [&](const Scalar & y)
  {
    REQUIRE(described(y) == "Scalar (3, 4, 2;)");
    for (Size i = 0; i < 3; i++)
      for (Size j = 0; j < 4; j++)
        for (Size k = 0; k < 2; k++)
          REQUIRE(near(y[i][j][k],
                       interpolate(Scalar(x[i][0][0]), Tensor(xs[j][0], 0), Tensor(ys[k], 0)),
                       1e-12));
  };
  check(interpolate(x, Tensor(xs), Tensor(ys)));
  check(interpolate(x, xs, ys));
  check(vmap([](auto t, auto a, auto b) { return interpolate(t, a, b); }, x, xs, ys));
  REQUIRE(described(interpolate(Scalar::full({}, 0.2), knots, ordinates({1, 1}))) ==
          "Scalar (1, 1;)");
  REQUIRE(described(interpolate(Scalar::full({1, 1, 1}, 0.2), xs, ordinates({}))) ==
          "Scalar (1, 4, 1;)");
  REQUIRE(described(interpolate(0.2, knots, ordinates({0}))) == "Scalar (0;)");
  REQUIRE(described(interpolate(places({0}), Tensor(xs[0], 1), Tensor(ys[0], 0))) == "Scalar (0;)");
}

TEST_CASE("Jacobians of tables are those of central differences", "[tensors][interpolation]")
{
  const Scalar x = places({53});
  const Points xs = abscissae({53}), ys = ordinates({53});
  constexpr double h = 1e-6;
  const auto quotient = [](const auto & f, const at::Tensor & t)
  {
    std::vector<at::Tensor> columns;
    const at::Tensor flat = t.reshape({t.size(0), -1});
    for (Size k = 0; k < flat.size(1); k++)
    {
      const auto shifted = [&](double step)
      {
        const at::Tensor s = flat.clone();
        s.select(1, k).add_(step);
        return at::Tensor(f(s.reshape(t.sizes())));
      };
      columns.push_back((shifted(h) - shifted(-h)) / (2 * h));
    }
    return at::stack(columns, -1).reshape(t.sizes());
  };
  const auto check = [&](const auto & f)
  {
    const at::Tensor by_x = quotient(
                         [&](const at::Tensor &t) { return vmap(f, Scalar(t), xs, ys); }, x),
                     by_xs = quotient(
                         [&](const at::Tensor &t) { return vmap(f, x, Points(t), ys); }, xs),
                     by_ys = quotient(
                         [&](const at::Tensor &t) { return vmap(f, x, xs, Points(t)); }, ys);
    const auto jacobians = [&]
    {
      return std::tuple(value_and_jacobian<0>(f, x, xs, ys),
                        value_and_jacobian<1>(f, x, xs, ys),
                        value_and_jacobian<2>(f, x, xs, ys));
    };
    for (const auto & [j_x, j_xs, j_ys] : {jacobians(), composed(jacobians)})
    {
      REQUIRE(near(j_x.first, vmap(f, x, xs, ys), 1e-12));
      REQUIRE(near(j_x.second, by_x, 1e-6));
      REQUIRE(near(j_xs.second, by_xs, 1e-6));
      REQUIRE(near(j_ys.second, by_ys, 1e-6));
    }
  };
  check(Table<linear, constant>());
  check(Table<linear, extrapolate>());
  check(Table<cubic, constant>());
  check(Table<cubic, extrapolate>());
}

TEST_CASE("Derivatives at the points of a table are the same fused and on whole batches",
          "[tensors][interpolation]")
{
  const Points xs = abscissae({}), ys = ordinates({});
  const Scalar at_points(at::cat({at::Tensor(xs), at::Tensor(xs) + 9, at::Tensor(xs) - 9}));
  for_all_options(
      [&](const auto & f)
      {
        const auto check = [](const auto & fused, const auto & by_batches)
        { REQUIRE(near(fused.second, by_batches.second, 1e-11)); };
        const auto by_x = [&] { return value_and_jacobian<0>(f, at_points, xs, ys); };
        const auto by_xs = [&] { return value_and_jacobian<1>(f, at_points, xs, ys); };
        const auto by_ys = [&] { return value_and_jacobian<2>(f, at_points, xs, ys); };
        check(by_x(), composed(by_x));
        check(by_xs(), composed(by_xs));
        check(by_ys(), composed(by_ys));
      });
}

TEST_CASE("Autograd differentiates tables of any size, twice", "[tensors][interpolation][autograd]")
{
  // two batches of x share a table, a third has its own
  const auto check = [](const at::Tensor & x0,
                        const at::Tensor & xs0,
                        const at::Tensor & ys0,
                        Interpolant interpolant,
                        Beyond beyond)
  {
    const auto of = [&](const Arguments & a)
    {
      return interpolate(Scalar(a[0]),
                         Tensor(a[1], a[1].dim() - 1),
                         Tensor(a[2], a[2].dim() - 1),
                         interpolant,
                         beyond);
    };
    const auto first = [&](const Arguments & a, bool graph)
    {
      Arguments t;
      for (const auto & x : a)
        t.push_back(graph ? x : x.detach().requires_grad_());
      return gradients(of(t), t, graph);
    };
    const Arguments a{
        x0.clone().requires_grad_(), xs0.clone().requires_grad_(), ys0.clone().requires_grad_()};
    const Arguments g = first(a, true);
    at::Tensor projected = at::zeros({}, at::kDouble);
    Arguments weights;
    for (const auto & t : g)
    {
      weights.push_back(at::rand_like(t));
      projected = projected + (weights.back() * t).sum();
    }
    const Arguments second = grad({projected}, a, {}, true, false, true);
    constexpr double h = 1e-6;
    for (size_t k = 0; k < a.size(); k++)
    {
      const at::Tensor direction = at::rand_like(a[k]) - 0.5;
      const auto moved = [&](double step)
      {
        Arguments b;
        for (const auto & t : a)
          b.push_back(t.detach().clone());
        b[k].add_(direction, step);
        return b;
      };
      const auto value = [&](double step)
      {
        const at::Tensor y = of(moved(step));
        return (at::linspace(1, 2, y.numel(), at::kDouble).reshape(y.sizes()) * y)
            .sum()
            .item<double>();
      };
      REQUIRE(is_close(
          (g[k] * direction).sum().item<double>(), (value(h) - value(-h)) / (2 * h), 1e-6));
      const auto slope = [&](double step)
      {
        const Arguments d = first(moved(step), false);
        double s = 0;
        for (size_t i = 0; i < d.size(); i++)
          s += (d[i] * weights[i]).sum().item<double>();
        return s;
      };
      const double found = second[k].defined() ? (second[k] * direction).sum().item<double>() : 0;
      REQUIRE(is_close(found, (slope(h) - slope(-h)) / (2 * h), 1e-5));
    }
  };
  for (const auto interpolant : {linear, cubic})
    for (const auto beyond : {constant, extrapolate})
    {
      check(places({17}), abscissae({}), ordinates({}), interpolant, beyond);
      check(places({17}), abscissae({17}), ordinates({17}), interpolant, beyond);
      check(places({3, 1}), abscissae({4}), ordinates({}), interpolant, beyond);
    }
}

TEST_CASE("Fused gradients of tables are autograd's", "[tensors][interpolation][autograd]")
{
  for_all_options(
      [&](const auto & f)
      {
        const Points xs = abscissae({}), ys = ordinates({37});
        const at::Tensor ends = xs;
        const Scalar x(ends[0] + random({37}) * (ends[4] - ends[0])); // none is NaN
        const auto of = [&](const auto & g)
        {
          const Arguments a{
              x.clone().requires_grad_(), xs.clone().requires_grad_(), ys.clone().requires_grad_()};
          return gradients(vmap(g, Scalar(a[0]), Points(a[1]), Points(a[2])), a);
        };
        const auto plain = of(f), fused = of(with_gradient(f));
        for (size_t k = 0; k < 3; k++)
          REQUIRE(near(plain[k], fused[k], 1e-11));
      });
}

TEST_CASE("A bad table or point gives NaN at its place alone", "[tensors][interpolation]")
{
  constexpr Size rows = 9; // two packs of four and a remainder
  const Points xs = abscissae({rows}), ys = ordinates({rows});
  const Scalar x(at::Tensor(xs).select(-1, 1) + 0.1);
  for_all_options(
      [&](const auto & f)
      {
        const at::Tensor good = vmap(f, x, xs, ys);
        REQUIRE(!good.isnan().any().item<bool>());
        const auto check = [&](const Scalar & t, const Points & a, const Points & b, Size bad)
        {
          const auto value = [&] { return vmap(f, t, a, b); };
          for (const at::Tensor & y :
               {at::Tensor(value()), at::Tensor(composed(value)), at::Tensor(f(t, a, b))})
          {
            REQUIRE(y[bad].isnan().item<bool>());
            const at::Tensor others_ = at::cat({y.slice(0, 0, bad), y.slice(0, bad + 1)});
            REQUIRE(near(others_, at::cat({good.slice(0, 0, bad), good.slice(0, bad + 1)}), 1e-12));
          }
          const at::Tensor y = value();
          for (Size i = 0; i < rows; i++)
            REQUIRE((i == bad || test::same_bits(y[i], good[i])));
        };
        for (Size bad = 0; bad < rows; bad++)
        {
          at::Tensor t = at::Tensor(x).clone();
          t[bad] = NAN;
          check(Scalar(t), xs, ys, bad);
          for (Size k = 0; k < 5; k++)
            for (const double no : {double(NAN),
                                    double(INFINITY),
                                    -double(INFINITY),
                                    xs[bad][k == 0 ? 1 : k - 1].item<double>()})
            {
              at::Tensor a = at::Tensor(xs).clone();
              a[bad][k] = no;
              check(x, Points(a), ys, bad);
            }
          at::Tensor b = at::Tensor(ys).clone();
          b[bad].fill_(NAN);
          check(x, xs, Points(b), bad);
        }
      });
}

TEST_CASE("Tables of other dtypes and devices are composed", "[tensors][interpolation]")
{
  for (const auto dtype : {kFloat16, c10::kBFloat16})
  {
    const Scalar x(at::tensor({0.5, 1.5, 3.0}, at::kDouble).to(dtype));
    const Vec xs(at::tensor({0.0, 1.0, 2.0}, at::kDouble).to(dtype)), ys(xs * 2);
    const at::Tensor expected = at::tensor({1.0, 3.0, 4.0}, at::kDouble).to(dtype);
    REQUIRE(at::equal(interpolate(x, xs, ys), expected));
    REQUIRE(at::equal(interpolate(x, Tensor(xs), Tensor(ys), cubic), expected));
    REQUIRE(at::equal(vmap(
                          [](auto t) {
                            return interpolate(t, std::array{0, 1, 2}, std::array{0, 2, 4});
                          },
                          x),
                      expected));
  }
  // constants are not rounded to float32, in which the first two would be equal
  const std::array<double, 3> fine{1, 1 + 1e-9, 2}, values{3, 4, 5};
  const auto f = [&](auto x) { return interpolate(x, fine, values); };
  const Scalar x = Scalar::full({5}, 1.5, kFloat32);
  REQUIRE(near(vmap(f, x), composed([&] { return vmap(f, x); }), 1e-6));
  REQUIRE(vmap(f, x).scalar_type() == kFloat32);
  REQUIRE(vmap(f, x)[0].item<float>() == 4.5f);

  const auto meta = TensorOptions(kFloat64).device("meta");
  const Scalar y = interpolate(Scalar::ones({4, 1}, meta),
                               Tensor::zeros({}, {6}, meta),
                               Tensor::zeros({3}, {6}, meta),
                               cubic);
  REQUIRE((y.is_meta() && described(y) == "Scalar (4, 3;)"));
  REQUIRE(described(vmap(f, Scalar::ones({4}, meta))) == "Scalar (4;)");
}

TEST_CASE("interpolate refuses arguments that are not a table, and says why",
          "[tensors][interpolation]")
{
  const Scalar x = Scalar::full({2}, 0.2);
  const auto table = [](std::vector<double> v, at::IntArrayRef shape, Size batch_dim)
  { return Tensor(at::tensor(v, at::kDouble).reshape(shape), batch_dim); };
  const auto message = [&](const auto &... a) { return error_of([&] { interpolate(a...); }); };
  const Tensor good = table({0, 1, 2}, {3}, 0);
  REQUIRE_THAT(
      message(x, table({0, 2, 2.5, 2}, {4}, 0), table({1, 2, 3, 4}, {4}, 0)),
      ContainsSubstring("interpolate: the abscissae of a table must be finite and increase "
                        "strictly, but entry 3 is 2 after 2.5. Sort the points, and leave "
                        "out repeated points. They are Tensor (; 4)."));
  REQUIRE_THAT(message(x, table({0, 1, 2, 5, 5, 6}, {2, 3}, 1), good),
               ContainsSubstring("entry 1 is 5 after 5."));
  REQUIRE_THAT(message(x, table({0, 1, NAN}, {3}, 0), good),
               ContainsSubstring("entry 2 is nan after 1."));
  REQUIRE_THAT(message(x, table({0, 1, INFINITY}, {3}, 0), good),
               ContainsSubstring("entry 2 is inf after 1."));
  REQUIRE_THAT(message(x, table({NAN, 1, 2}, {3}, 0), good),
               ContainsSubstring("entry 1 is 1 after nan."));
  at::Tensor many = at::arange(6000, at::kDouble).reshape({2, 3000}).clone();
  many[1][2000] = 17;
  REQUIRE_THAT(message(x, Tensor(many, 1), Tensor(many, 1)),
               ContainsSubstring("entry 2000 is 17 after 4999."));
  REQUIRE_THAT(
      message(x, good, table({0, 1}, {2}, 0)),
      ContainsSubstring("interpolate: the table has 3 abscissae, but 2 values for them. The "
                        "operands are Scalar (2;), Tensor (; 3) and Tensor (; 2)."));
  REQUIRE_THAT(message(x, knots, table({0, 1}, {2}, 0)), ContainsSubstring("5 abscissae, but 2"));
  REQUIRE_THAT(message(x, table({0}, {1}, 0), table({0}, {1}, 0)),
               ContainsSubstring("interpolate: expected a table of at least two points, got 1."));
  REQUIRE_THAT(message(x, table({0, 1, 2, 3}, {2, 2}, 0), good),
               ContainsSubstring("Tensor (; 2, 2) has 2 base dimensions, expected 1."));
  REQUIRE_THAT(message(x, good, table({0, 1}, {2}, 1)),
               ContainsSubstring("Tensor (2;) has 0 base dimensions, expected 1."));
  REQUIRE_THAT(message(Scalar(), good, good), ContainsSubstring("interpolate: undefined tensor"));
  REQUIRE_THAT(message(x, Tensor(), good), ContainsSubstring("interpolate: undefined tensor"));
  REQUIRE_THAT(message(x, good, Tensor(good.to(kFloat32), 0)),
               ContainsSubstring("different dtypes"));
  REQUIRE_THAT(message(Scalar::ones({2}, kInt64), good, good),
               ContainsSubstring("not defined for dtype int64"));
  REQUIRE_THAT(message(x, knots, Points::zeros(kFloat32)), ContainsSubstring("different dtypes"));
  REQUIRE_THAT(message(x, table({0, 1, 2, 0, 1, 2, 0, 1, 2}, {3, 3}, 1), good),
               ContainsSubstring("interpolate: batch shapes [2] and [3] do not broadcast"));

  const Tensor two = table({0, 1}, {2}, 0), values = table({0, 1, 2, 3, 4, 5}, {3, 2}, 0);
  REQUIRE(is_close(interpolate(x, x, good, two, values)[0].item<double>(), 0.6, 1e-12));
  REQUIRE_THAT(message(x, x, two, good, values),
               ContainsSubstring("interpolate: the table has 2 and 3 abscissae, but its values are "
                                 "Tensor (; 3, 2). Expected (...; 2, 3)"));
  REQUIRE_THAT(message(x, x, good, two, good), ContainsSubstring("1 base dimensions, expected 2"));
  REQUIRE_THAT(message(x, x, good, table({1, 1}, {2}, 0), values),
               ContainsSubstring("entry 1 is 1 after 1."));
  REQUIRE_THAT(message(x, x, good, two, std::array{1, 2, 3, 4}),
               ContainsSubstring("interpolate: the table has 6 points, but 4 values for them."));

  static constexpr std::array<double, 3> bad{1, 3, 2};
  const auto f = [](auto t) { return interpolate(t, bad, others); };
  REQUIRE_THROWS_AS(vmap(f, x), std::invalid_argument);
  REQUIRE_THROWS_AS(composed([&] { return vmap(f, x); }), std::invalid_argument);
  REQUIRE_THROWS_AS(interpolate(x, x, others, bad, std::array<double, 9>{}), std::invalid_argument);
}
} // namespace interpolation_test
