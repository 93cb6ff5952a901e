// SPDX-License-Identifier: MIT
#include "neml2/recorded/Replay.h"

#include "neml2/recorded/isotropic.h"
#include "neml2/recorded/jacobian.h"
#include "neml2/recorded/newton.h"
#include "neml2/recorded/systems.h"
#include "recorded/RecordedFunction.h"

#include "support/catch.h"

namespace Replay_test
{
using namespace neml2;
using recorded::NumberFunction;
using recorded::record_jacobian;
using test::Number;
using test::RecordedFunction;
using Row = std::vector<double>;

namespace
{
/// Compares the Jacobian of the derivative of f, a recording, with differences of that derivative.
void
check_second_derivative(const NumberFunction & f, const Row & x, double error)
{
  const auto n = int(x.size());
  RecordedFunction formula(n, [&](const std::vector<Number> & v) { return record_jacobian(f, v); });
  const test::Program first = formula.value(), second = formula.jacobian();
  const recorded::Evaluator g(formula.recording, first), H(formula.recording, second);
  const Row found = test::run(H, {x}, 1);
  const double h = 1e-5;
  for (size_t j = 0; j < x.size(); j++)
  {
    Row plus = x, minus = x;
    plus[j] += h;
    minus[j] -= h;
    const Row a = test::run(g, {plus}, 1), b = test::run(g, {minus}, 1);
    for (size_t i = 0; i < a.size(); i++)
      REQUIRE(std::abs(found[i * x.size() + j] - (a[i] - b[i]) / (2 * h)) < error);
  }
}

std::vector<Number>
numbers(const Number & x)
{
  return {x};
}
} // namespace

TEST_CASE("the derivative of a recording is differentiated again", "[recorded]")
{
  check_second_derivative(
      [](const auto & x)
      {
        const Number p = pow(Number(x[0] + 2.0), Number(x[1])), q = atan2(x[1], x[0]);
        return std::vector{Number(p * exp(q) / x[1]),
                           Number(where(x[0] > x[1], sqrt(p), fmod(p, Number(x[1] * 0.3)) * p)),
                           Number(maximum(p, q) * minimum(p, x[0]) + abs(q) * x[0])};
      },
      {0.3, 0.7},
      1e-8);
}

TEST_CASE("a replaced node is replaced in all nodes made from it", "[recorded]")
{
  recorded::Recording r;
  const recorded::Recording::Scope scope(r);
  const recorded::Symbol x = recorded::Symbol::input(), y = recorded::Symbol::input();
  const recorded::Symbol f = x * x + sin(y);
  Number other(y + 1.0);
  other.d[0] = recorded::Symbol::input();
  recorded::Replay replay(r);
  replay.set(x.id, other);
  const Number found = replay.of({f.id})[0];
  REQUIRE(found.x.id == recorded::Symbol(other.x * other.x + sin(y)).id);
  REQUIRE(r.node(found.d[0].id).op == recorded::Op::add);
  // A node that does not depend on the variable is not recorded again, and has no partial.
  const Number same = recorded::Replay(r).of({f.id})[0];
  REQUIRE(same.x.id == f.id);
  REQUIRE(r.is_constant(same.d[0].id, 0));
}

TEST_CASE("functions of tensors have second derivatives, also at equal eigenvalues", "[recorded]")
{
  const auto of = [](const auto & f)
  {
    return [f](const std::vector<Number> & x)
    {
      const auto s = recorded::row_of<kernels::SR2>(x);
      const kernels::SR2<Number> weights(0.3, -0.5, 0.7, 0.2, -0.4, 0.6);
      return numbers(inner(f(s), weights));
    };
  };
  const auto each = [&](const auto & use)
  {
    use(of([](const auto & s) { return expm(s); }));
    use(of([](const auto & s) { return logm(s); }));
    use(of([](const auto & s) { return sqrtm(s); }));
    use(of([](const auto & s) { return recorded::powm(s, Number(1.3) * s[0]); }));
    use(of([](const auto & s) { return inv(s); }));
    use(of([](const auto & s) { return s * det(s); }));
  };
  for (const Row & s : {Row{1.3, 0.9, 1.1, 0.1, -0.2, 0.05},
                        Row{1.3, 1.3, 0.8, 0, 0, 0},
                        Row{1, 1, 1, 0, 0, 0},
                        Row{1.05, 1.05, 1.05, 0.3, 0.3, 0.3}})
    each([&](const NumberFunction & f) { check_second_derivative(f, s, 1e-7); });
}

TEST_CASE("functions of eigenvalues have second derivatives, also where they are equal",
          "[recorded]")
{
  const auto of_eigenvalues = [](const std::vector<Number> & l)
  {
    Number sum(0.0), product(1.0);
    for (const Number & x : l)
    {
      sum = sum + pow(x, Number(1.3));
      product = product * x;
    }
    return numbers(sum + 0.5 * log(product) * log(product));
  };
  const auto by_eigenvalues = [&](const std::vector<Number> & x)
  { return recorded::record_of_eigenvalues(of_eigenvalues, recorded::row_of<kernels::SR2>(x)); };
  const auto by_functions = [](const std::vector<Number> & x)
  {
    const auto s = recorded::row_of<kernels::SR2>(x), p = recorded::powm(s, Number(1.3));
    const Number logarithm = log(det(s));
    return numbers(p[0] + p[1] + p[2] + 0.5 * logarithm * logarithm);
  };
  const auto hessian = [](const NumberFunction & f, const Row & x)
  {
    RecordedFunction formula(6,
                             [&](const std::vector<Number> & v) { return record_jacobian(f, v); });
    const test::Program second = formula.jacobian();
    return test::run(recorded::Evaluator(formula.recording, second), {x}, 1);
  };
  for (const Row & s : {Row{1.3, 0.9, 1.1, 0.1, -0.2, 0.05},
                        Row{1.3, 1.3, 0.8, 0, 0, 0},
                        Row{1.3, 1.3 + 1e-9, 0.8, 0, 0, 0},
                        Row{1, 1, 1, 0, 0, 0}})
  {
    const Row found = hessian(by_eigenvalues, s), expected = hessian(by_functions, s);
    for (size_t i = 0; i < 36; i++)
      REQUIRE(std::abs(found[i] - expected[i]) < 1e-13);
  }
}

TEST_CASE("systems have second derivatives", "[recorded]")
{
  Row x;
  for (int i = 0; i < 20; i++)
    x.push_back((i % 5 == 0 && i < 16 ? 2.0 : 0.0) + 0.1 * std::sin(i * i + 1.0));
  check_second_derivative(
      [](const std::vector<Number> & v)
      {
        const std::vector<Number> A(v.begin(), v.begin() + 16), b(v.begin() + 16, v.end());
        const std::vector<Number> y = recorded::solve<4>(A, b);
        return numbers(y[0] * y[1] + y[2] * b[3] + y[3] * y[3]);
      },
      x,
      1e-7);
}

TEST_CASE("a residual may have derivatives in it", "[recorded]")
{
  // d/du (u⁴ / 4 + u² / 2) = a
  const auto root = [](const std::vector<Number> & a)
  {
    const auto residual = [&](const std::vector<Number> & u)
    {
      const Number slope =
          record_jacobian([](const std::vector<Number> & v)
                          { return numbers(0.25 * pow(v[0], Number(4.0)) + 0.5 * v[0] * v[0]); },
                          u)[0];
      return numbers(slope - a[0]);
    };
    return recorded::record_newton<1>(residual, {Number(1.0)}, {0}, {}).solution;
  };
  RecordedFunction formula(1, root);
  const test::Program value = formula.value(), jacobian = formula.jacobian();
  const recorded::Evaluator f(formula.recording, value), J(formula.recording, jacobian);
  for (const double a : {0.0, 0.3, -2.0, 40.0})
  {
    const double u = test::run(f, {{a}}, 1)[0];
    REQUIRE(std::abs(u * u * u + u - a) < 1e-13 * (1 + std::abs(a)));
    REQUIRE(std::abs(test::run(J, {{a}}, 1)[0] * (3 * u * u + 1) - 1) < 1e-12);
  }
}

TEST_CASE("a function that is differentiated may call newton", "[recorded]")
{
  // u² = a b with the guess a: u = √(a b)
  const auto root = [](const std::vector<Number> & a)
  {
    const auto residual = [&](const std::vector<Number> & u)
    { return numbers(u[0] * u[0] - a[0] * a[1]); };
    return recorded::record_newton<1>(residual, {a[0]}, {0}, {}).solution;
  };
  for (const double a : {0.5, 1.0, 9.0})
    check_second_derivative(root, {a, 2.0}, 1e-8);
  RecordedFunction formula(2, [&](const auto & v) { return record_jacobian(root, v); });
  const test::Program slopes = formula.value();
  const Row found = test::run(recorded::Evaluator(formula.recording, slopes), {{2.0, 8.0}}, 1);
  REQUIRE(std::abs(found[0] - 1) < 1e-12); // √(b/a) / 2
  REQUIRE(std::abs(found[1] - 0.25) < 1e-12);
}
} // namespace Replay_test
