// SPDX-License-Identifier: MIT
#include "neml2/recorded/linear.h"

#include "neml2/recorded/Replay.h"
#include "neml2/recorded/rules.h"
#include "recorded/RecordedFunction.h"

#include "support/catch.h"

namespace linear_test
{
using namespace neml2;
using test::Number;
using test::RecordedFunction;
using Row = std::vector<double>;

namespace
{
const auto f = [](const auto & x)
{
  using T = std::decay_t<decltype(x[0])>;
  const T p = pow(T(x[0] + T(2.0)), T(1.5)), q = x[0] * x[1] / (T(1.0) + x[2] * x[2]);
  return std::vector{T(p * exp(q)), T(where(x[1] > x[2], q, p)), T(x[2] - x[0])};
};

Row
jacobian_by_differences(const Row & x)
{
  const auto at = [](const Row & v)
  {
    std::vector<kernels::Dual<double, 1>> d(v.begin(), v.end());
    return f(d);
  };
  Row J(9);
  for (size_t j = 0; j < 3; j++)
  {
    const double h = 1e-6;
    Row plus = x, minus = x;
    plus[j] += h;
    minus[j] -= h;
    const auto a = at(plus), b = at(minus);
    for (size_t i = 0; i < 3; i++)
      J[3 * i + j] = (a[i].x - b[i].x) / (2 * h);
  }
  return J;
}
} // namespace

TEST_CASE("the Jacobian of a recording is that of differences", "[recorded]")
{
  RecordedFunction formula(3, f);
  const test::Program jacobian = formula.jacobian();
  const recorded::Evaluator e(formula.recording, jacobian);
  for (const Row & x : {Row{0.3, 0.7, -0.4}, Row{-0.5, 0.1, 0.9}})
  {
    const Row found = test::run(e, {x}, 1), expected = jacobian_by_differences(x);
    for (size_t i = 0; i < 9; i++)
      REQUIRE(std::abs(found[i] - expected[i]) < 1e-8);
  }
}

TEST_CASE("the gradient of a recording is its Jacobian transposed", "[recorded]")
{
  RecordedFunction formula(3, f), other(3, f);
  const test::Program jacobian = formula.jacobian(), gradient = other.gradient();
  const recorded::Evaluator J(formula.recording, jacobian), g(other.recording, gradient);
  const Row x{0.3, 0.7, -0.4}, w{0.5, -2.0, 3.0};
  const Row of = test::run(J, {x}, 1), found = test::run(g, {x, w}, 1);
  for (size_t j = 0; j < 3; j++)
    REQUIRE(std::abs(found[j] - w[0] * of[j] - w[1] * of[3 + j] - w[2] * of[6 + j]) < 1e-14);
}

TEST_CASE("a weight of zero adds nothing, even to what is infinite", "[recorded]")
{
  RecordedFunction formula(1,
                           [](const auto & x) {
                             return std::vector{Number(sqrt(x[0])), Number(x[0] * x[0])};
                           });
  const test::Program gradient = formula.gradient();
  const recorded::Evaluator g(formula.recording, gradient);
  REQUIRE(test::run(g, {{0.0}, {0.0, 1.0}}, 1)[0] == 0.0);
  REQUIRE(test::run(g, {{4.0}, {0.0, 1.0}}, 1)[0] == 8.0);
}

namespace
{
/// The program for Σ_j v_j ∂g_j/∂(x, w), where g is the gradient: its arguments are x, w, and the weights v of g.
test::Program
gradient_again(RecordedFunction & formula)
{
  recorded::Recording & r = formula.recording;
  const recorded::Recording::Scope scope(r);
  recorded::Components weights, seeds = formula.seeds, outer;
  for (size_t k = 0; k < formula.x.size(); k++)
    r.set_partial(formula.x[k], formula.seeds[k]);
  for (size_t i = 0; i < formula.y.size(); i++)
  {
    weights.push_back(r.input());
    seeds.push_back(r.input());
    r.set_partial(weights.back(), seeds.back());
  }
  const recorded::LinearMap map(r, formula.seeds, formula.partials, /*by_rules=*/true);
  recorded::Components partials;
  for (const Number & g : recorded::Replay(r).of(map.transposed(weights)))
    partials.push_back(g.d[0].id);
  for (size_t k = 0; k < formula.x.size(); k++)
    outer.push_back(r.input());
  const recorded::LinearMap again(r, seeds, partials);
  return {{formula.x, weights, outer}, {again.transposed(outer)}, {}};
}

/// Compares gradient_again with differences of the gradient.
template <class F>
void
check_again(const F & function, const Row & x, const Row & w, const Row & v)
{
  RecordedFunction formula(int(x.size()), function), other(int(x.size()), function);
  const test::Program first = formula.gradient(), second = gradient_again(other);
  const recorded::Evaluator g(formula.recording, first), again(other.recording, second);
  const Row found = test::run(again, {x, w, v}, 1);
  const auto along_v = [&](const Row & at, const Row & weights)
  {
    const Row slope = test::run(g, {at, weights}, 1);
    double sum = 0;
    for (size_t j = 0; j < v.size(); j++)
      sum += v[j] * slope[j];
    return sum;
  };
  for (size_t k = 0; k < x.size() + w.size(); k++)
  {
    CAPTURE(k);
    Row plus[] = {x, w}, minus[] = {x, w};
    const size_t part = k < x.size() ? 0 : 1, i = part == 0 ? k : k - x.size();
    const double h = 1e-5;
    plus[part][i] += h;
    minus[part][i] -= h;
    const double expected = (along_v(plus[0], plus[1]) - along_v(minus[0], minus[1])) / (2 * h);
    REQUIRE(std::abs(found[k] - expected) < 2e-8 * (1 + std::abs(expected)));
  }
}
} // namespace

TEST_CASE("a gradient is differentiated again, by the arguments and by the weights", "[recorded]")
{
  const Row v{0.4, -1.1, 0.8};
  check_again(f, {0.3, 0.7, -0.4}, {0.5, -2.0, 3.0}, v);
  check_again(f, {0.3, 0.7, -0.4}, {0.0, 0.0, 0.0}, v); // weights of zero have derivatives
}

TEST_CASE("a branch that is not taken adds nothing to second derivatives", "[recorded]")
{
  const auto chosen = [](const auto & x)
  {
    using T = std::decay_t<decltype(x[0])>;
    return std::vector{T(where(x[0] > 1.0, x[1] * sqrt(x[0] - 1.0), x[1] * x[0] * x[0]))};
  };
  check_again(chosen, {3.0, 0.7}, {0.6}, {0.4, -1.1});
  check_again(chosen, {0.5, 0.7}, {0.6}, {0.4, -1.1}); // the root of a negative number
  RecordedFunction formula(2, chosen);
  const test::Program second = gradient_again(formula);
  const recorded::Evaluator again(formula.recording, second);
  const Row found =
      test::run(again, {{1.0, 0.7}, {0.6}, {0.4, -1.1}}, 1); // the slope of the root is infinite
  REQUIRE(std::abs(found[0] - 0.6 * (2 * 0.7 * 0.4 - 2 * 1.1)) < 1e-15);
}

TEST_CASE("a function of a matrix in a branch that is not taken adds nothing", "[recorded]")
{
  const auto chosen = [](const auto & x)
  {
    const auto s = recorded::row_of<kernels::SR2>(x);
    const Number otherwise = x[0] * x[0] * x[1];
    return std::vector{Number(where(x[0] > 0.0, tr(logm(s)) * x[3], otherwise)),
                       Number(where(x[0] > 0.0, tr(powm(s, x[4])), otherwise))};
  };
  const Row v{0.4, -1.1, 0.8, 0.2, -0.3, 0.6}, w{0.5, -2.0};
  check_again(chosen, {1.2, 0.9, 1.1, 0.1, -0.2, 0.05}, w, v);
  check_again(chosen, {-1.2, 0.9, 1.1, 0.1, -0.2, 0.05}, w, v); // the logarithm is NaN
}

TEST_CASE("functions of symmetric tensors are transposed by their rules", "[recorded]")
{
  const auto on = [](const auto & function)
  {
    return [function](const auto & x)
    { return recorded::elements(function(recorded::row_of<kernels::SR2>(x), Number(0.5 * x[0]))); };
  };
  const Row w{0.5, -2.0, 3.0, 0.3, 0.9, -0.7}, v{0.4, -1.1, 0.8, 0.2, -0.3, 0.6};
  for (const Row & x : {Row{1.2, 0.9, 1.1, 0.1, -0.2, 0.05},
                        Row{1.0, 1.0, 1.0, 0.0, 0.0, 0.0},
                        Row{1.3, 1.3, 0.8, 0.0, 0.0, 0.0}})
  {
    check_again(on([](const auto & s, const auto &) { return logm(s); }), x, w, v);
    check_again(on([](const auto & s, const auto &) { return sqrtm(s); }), x, w, v);
    check_again(on([](const auto & s, const auto &) { return expm(s); }), x, w, v);
    check_again(on([](const auto & s, const auto & p) { return powm(s, p); }), x, w, v);
  }
}
} // namespace linear_test
