// SPDX-License-Identifier: MIT
#include "neml2/recorded/matrix_functions.h"

#include "neml2/kernels/kinematics.h"
#include "neml2/recorded/listing.h"
#include "neml2/recorded/newton.h"
#include "neml2/recorded/source.h"
#include "recorded/RecordedFunction.h"

#include "support/catch.h"

namespace matrix_functions_test
{
using namespace neml2;
using kernels::R2;
using kernels::R4;
using test::Number;
using test::RecordedFunction;
using Row = std::vector<double>;
using Catch::Matchers::ContainsSubstring;

namespace
{
template <class T>
R2<T>
matrix(const T * x)
{
  R2<T> A{kernels::Unset()};
  std::copy(x, x + 9, A.v);
  return A;
}
template <class F>
RecordedFunction
recorded_of(const F & f)
{
  return RecordedFunction(9,
                          [&](const std::vector<Number> & x)
                          {
                            const auto y = f(matrix(x.data()));
                            return std::vector<Number>(std::begin(y.v), std::end(y.v));
                          });
}

/// Matrices that have logarithms: with distinct, equal and complex eigenvalues, defective, close to I, large and small, almost
/// singular.
Row
matrices()
{
  Row all = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (const Row & A : {Row{2, 1, 0, 0, 2, 1, 0, 0, 2},
                        Row{2, 0.1, 0.3, -0.2, 3, 0.5, 0.1, -0.4, 1.5},
                        Row{0.1, -2, 0, 2, 0.1, 0, 0, 0, 1},
                        Row{1 + 1e-9, 1e-9, 0, 0, 1, 1e-8, 0, 0, 1},
                        Row{300, 20, 0, 10, 500, 30, 0, 20, 400},
                        Row{1e-3, 0, 0, 2e-4, 2e-3, 0, 0, 0, 1e-3},
                        Row{1, 30, 0, 0, 1, 0, 0, 0, 1e-6},
                        Row{1, 1, 1, 1, 1 + 1e-5, 1, 1, 1, 1 + 2e-5}})
    all.insert(all.end(), A.begin(), A.end());
  return all;
}

bool
is_near(double a, double b, double size)
{
  return std::isnan(b) ? std::isnan(a) : a == b || std::abs(a - b) <= size;
}
template <class M>
double
size_of(const M & A)
{
  double size = 0;
  for (const double a : A.v)
    size = std::max(size, std::isnan(a) ? 0.0 : std::abs(a));
  return size;
}

/// Checks that f of recorded numbers, and its derivatives in both modes, are those of the kernels.
template <class F, class DF>
void
check(const F & f, const DF & df, double factor)
{
  RecordedFunction formula = recorded_of(f), other = recorded_of(f);
  const test::Program value = formula.value(), jacobian = formula.jacobian(),
                      gradient = other.gradient();
  const recorded::Evaluator e(formula.recording, value), J(formula.recording, jacobian),
      g(other.recording, gradient);
  Row x = matrices();
  for (double & a : x)
    a *= factor;
  const size_t rows = x.size() / 9;
  Row w;
  for (size_t k = 0; k < x.size(); k++)
    w.push_back(std::sin(double(3 * k + 1)));
  const Row y = test::run(e, {x}, int64_t(rows)), slopes = test::run(J, {x}, int64_t(rows)),
            back = test::run(g, {x, w}, int64_t(rows));
  for (size_t r = 0; r < rows; r++)
  {
    const R2<double> A = matrix(x.data() + 9 * r), expected = f(A);
    const R4<double> D = df(A);
    INFO("matrix " << r);
    const double eps = r + 1 < rows ? 1e-9 : 1e-6; // the last matrix is almost singular
    for (size_t i = 0; i < 9; i++)
      REQUIRE(is_near(y[9 * r + i], expected[int(i)], eps * size_of(expected)));
    for (size_t i = 0; i < 81; i++)
      REQUIRE(is_near(slopes[81 * r + i], D[int(i)], eps * size_of(D)));
    for (size_t k = 0; k < 9; k++)
    {
      double sum = 0;
      for (size_t i = 0; i < 9; i++)
        sum += w[9 * r + i] * D[int(9 * i + k)];
      REQUIRE(is_near(back[9 * r + k], sum, eps * size_of(D)));
    }
  }
}

const auto exp_of = [](const auto & A) { return expm(A); };
const auto log_of = [](const auto & A) { return logm(A); };
const auto root_of = [](const auto & A) { return sqrtm(A); };
const auto inverse_of = [](const auto & A) { return inv(A); };
const auto rotation_of = [](const auto & A) { return polar_rotation(A); };

/// ∂f/∂A of a function of duals.
template <class F>
auto
derivative_by_duals(const F & f)
{
  return [=](const R2<double> & A) { return kernels::derivative_of(f, A); };
}
} // namespace

TEST_CASE("recorded functions of a matrix are those of the kernels, with their derivatives",
          "[recorded]")
{
  for (const double factor : {1.0, 1e-3})
    check(
        exp_of, [](const R2<double> & A) { return dexpm(A); }, factor);
  for (const double factor : {1.0, 1e-5, 1e5})
  {
    check(
        log_of, [](const R2<double> & A) { return dlogm(A); }, factor);
    check(
        root_of, [](const R2<double> & A) { return dsqrtm(A); }, factor);
    check(inverse_of, derivative_by_duals(inverse_of), factor);
    check(rotation_of, derivative_by_duals(rotation_of), factor);
  }
}

TEST_CASE("a matrix without a root is NaN in its row alone", "[recorded]")
{
  const RecordedFunction formula = recorded_of(root_of);
  const recorded::Evaluator e(formula.recording, formula.value());
  Row x;
  for (int copies = 0; copies < 20; copies++)
  {
    const Row all = matrices();
    x.insert(x.end(), all.begin(), all.end());
  }
  const size_t rows = x.size() / 9;
  const Row whole = test::run(e, {x}, int64_t(rows));
  for (size_t r = 0; r < rows; r += 3)
    for (size_t k = 0; k < 9; k++)
      x[9 * r + k] = k % 4 == 0 ? -1.0 : 0.0;
  const Row some = test::run(e, {x}, int64_t(rows));
  for (size_t i = 0; i < x.size(); i++)
    if (i / 9 % 3 == 0)
      REQUIRE(std::isnan(some[i]));
    else
      REQUIRE(some[i] == whole[i]);
}

TEST_CASE("a weight of zero adds nothing to the gradient of what has no logarithm", "[recorded]")
{
  RecordedFunction formula = recorded_of(log_of);
  const test::Program gradient = formula.gradient();
  const recorded::Evaluator g(formula.recording, gradient);
  for (const double d : test::run(g, {Row(9, 0.0), Row(9, 0.0)}, 1))
    REQUIRE(d == 0);
}

TEST_CASE("newton solves for what an exponential is of", "[recorded]")
{
  // e^(x A) has the component c at 0, 0; the derivative of the solution x is 1 / (A e^(x A))_00.
  const R2<double> A(0.5, 0.2, 0.0, -0.3, 0.4, 0.1, 0.2, 0.0, 0.6);
  RecordedFunction formula(
      1,
      [&](const std::vector<Number> & c)
      {
        const auto residual = [&](const std::vector<Number> & x)
        {
          R2<Number> B{kernels::Unset()};
          for (int i = 0; i < 9; i++)
            B[i] = x[0] * Number(A[i]);
          return std::vector<Number>{Number(expm(B)[0] - c[0])};
        };
        return recorded::record_newton<1>(residual, {Number(0.5)}, {0}, {}).solution;
      });
  const test::Program value = formula.value(), jacobian = formula.jacobian();
  const recorded::Evaluator e(formula.recording, value), J(formula.recording, jacobian);
  const Row c = {1.1, 1.5, 2.0, 3.0, 0.9}, x = test::run(e, {c}, 5), slope = test::run(J, {c}, 5);
  for (size_t r = 0; r < c.size(); r++)
  {
    const R2<double> F = expm(A * x[r]);
    REQUIRE(std::abs(F[0] - c[r]) < 1e-12);
    REQUIRE(std::abs(slope[r] * (A * F)[0] - 1) < 1e-10);
  }
}

TEST_CASE("a function of a matrix is one operation of each text", "[recorded]")
{
  RecordedFunction formula =
      recorded_of([](const auto & A) { return expm(logm(A) * 0.5) * expm(A * 0.0); });
  const recorded::Evaluator e(formula.recording, formula.value());
  size_t needed = 0;
  for (const auto & s : e.operations.systems)
    needed += e.operations.is_needed(size_t(s.node));
  REQUIRE(needed == 3);
  REQUIRE_THAT(recorded::listing(e), ContainsSubstring(" = logm(x0[0], x0[1], "));
  for (const std::string & text : {recorded::cpp_source(e), recorded::cuda_source(e, false)})
  {
    REQUIRE_THAT(text, ContainsSubstring("#include \"neml2/recorded/matrix_derivatives.h\""));
    REQUIRE_THAT(text, ContainsSubstring(" = logm(kernels::R2<P>(x[0], x[1], "));
  }
  const test::Program gradient = formula.gradient();
  const recorded::Evaluator g(formula.recording, gradient);
  REQUIRE_THAT(recorded::cpp_source(g), ContainsSubstring("= call_dexpm(kernels::R2<P>("));
}
} // namespace matrix_functions_test
