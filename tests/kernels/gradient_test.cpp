// SPDX-License-Identifier: MIT
#include "neml2/kernels/gradient.h"

#include "neml2/kernels/WR2.h"
#include "neml2/kernels/axis_angle.h"
#include "neml2/kernels/interpolation.h"
#include "neml2/kernels/invariants.h"
#include "neml2/kernels/kinematics.h"
#include "neml2/kernels/newton.h"
#include "neml2/kernels/solve.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/functions.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2::kernels;
using namespace neml2::test::functions;
using neml2::test::close;
using neml2::test::slope;

namespace
{
template <class F>
struct HessianOf
{
  const F & f;

  template <class T>
  auto operator()(const T & t) const
  {
    return hessian<0>(f, t);
  }
};

/// Compares second derivatives with central differences of first derivatives.
template <class F>
void
require_unary(const std::string & name, const F & f, const std::vector<double> & at)
{
  for (const double x : at)
  {
    INFO(name << " at " << x);
    const auto [value, first] = value_and_gradient<0>(f, x);
    REQUIRE(close(value, f(x), 1e-15));
    REQUIRE(close(first, slope(f, x), 1e-8));
    const double second = slope([&](double t) { return gradient<0>(f, t); }, x);
    REQUIRE(close(hessian<0>(f, x), second, 1e-8));
    // The third derivative, by three levels of duals.
    REQUIRE(close(differentiate_scalar<0>(HessianOf<F>{f}, x).second,
                  slope([&](double t) { return hessian<0>(f, t); }, x),
                  1e-7));
  }
}
template <class F>
void
require_binary(const std::string & name,
               const F & f,
               const std::vector<double> & first,
               const std::vector<double> & second)
{
  for (const double x : first)
    for (const double y : second)
    {
      INFO(name << " at " << x << ", " << y);
      const auto by_x = [&](double a, double b) { return gradient<0>(f, a, b); },
                 by_y = [&](double a, double b) { return gradient<1>(f, a, b); };
      REQUIRE(close(by_x(x, y), slope([&](double t) { return f(t, y); }, x), 1e-8));
      REQUIRE(close(by_y(x, y), slope([&](double t) { return f(x, t); }, y), 1e-8));
      const double xx = slope([&](double t) { return by_x(t, y); }, x),
                   xy = slope([&](double t) { return by_x(x, t); }, y),
                   yx = slope([&](double t) { return by_y(t, y); }, x),
                   yy = slope([&](double t) { return by_y(x, t); }, y);
      REQUIRE(close(hessian<0>(f, x, y), xx, 1e-8));
      REQUIRE(close(hessian<1>(f, x, y), yy, 1e-8));
      REQUIRE(close(differentiate_scalar<1>(RowGradient<0, F>{f}, x, y).second, xy, 1e-7));
      REQUIRE(close(differentiate_scalar<0>(RowGradient<1, F>{f}, x, y).second, yx, 1e-7));
    }
}

#define FORMULA(name, ...)                                                                         \
  constexpr auto name = []([[maybe_unused]] const auto & a) { return __VA_ARGS__; }
#define FORMULA_OF_TWO(name, ...)                                                                  \
  constexpr auto name = [](const auto & a, const auto & b) { return __VA_ARGS__; }
#define UNARY(name, at, ...)                                                                       \
  do                                                                                               \
  {                                                                                                \
    FORMULA(formula, __VA_ARGS__);                                                                 \
    require_unary(name, formula, at);                                                              \
  } while (false)

/// Compares Hessians of a scalar formula of a row with central differences of gradients, which are
/// checked, too.
template <template <class> class Row, class F>
void
require_row(const std::string & name, const Row<double> & x, const F & f, double tolerance = 1e-7)
{
  constexpr int n = Row<double>::n;
  const auto g = gradient<0>(f, x);
  static_assert(std::is_same_v<std::decay_t<decltype(g)>, Row<double>>);
  const auto H = hessian<0>(f, x);
  for (int j = 0; j < n; j++)
  {
    const auto moved = [&](double t)
    {
      auto z = x;
      z[j] = t;
      return z;
    };
    INFO(name << " by component " << j);
    REQUIRE(close(g[j], slope([&](double t) { return f(moved(t)); }, x[j]), tolerance));
    for (int i = 0; i < n; i++)
    {
      INFO("of component " << i << " of the gradient");
      REQUIRE(close(H[n * i + j],
                    slope([&](double t) { return gradient<0>(f, moved(t))[i]; }, x[j]),
                    tolerance));
    }
  }
}

/// A weighted sum, which makes a scalar formula of a row.
template <template <class> class Row, class T>
T
weighted(const Row<T> & r)
{
  T s = r[0] * 0.3 + r[1] * r[2];
  for (int i = 1; i < Row<T>::n; i++)
    s = s + r[i] * std::sin(2.3 * i + 1.0) + r[i] * r[i - 1] * 0.1;
  return s;
}

const SR2<double> near_identity(1.1, 1.2, 0.9, 0.1, -0.05, 0.2), far(2.0, 0.7, 5.0, 0.4, -0.3, 0.6),
    same(2.0, 2.0, 2.0, 0.0, 0.0, 0.0), pair(2.0, 2.0, 3.0, 0.0, 0.0, 0.0),
    identity(1.0, 1.0, 1.0, 0.0, 0.0, 0.0);
const R2<double> F_(1.1, 0.2, -0.1, 0.05, 0.9, 0.15, -0.2, 0.1, 1.3);

struct NeoHooke
{
  template <class T, class M>
  auto operator()(const SR2<T> & C, const M & mu) const
  {
    const auto log_J = 0.5 * log(det(C));
    return 0.5 * mu * (tr(C) - 3.0) - mu * log_J + 0.5 * mu * log_J * log_J;
  }
};
} // namespace

namespace
{
/// The square of the root of x³ + x = a b: its derivatives follow by implicit differentiation.
struct Root
{
  template <class A, class B>
  auto operator()(const A & a, const B & b) const
  {
    const auto x =
        newton([](const auto & u, const auto & c, const auto & d) { return u * u * u + u - c * d; },
               1.0,
               a,
               b);
    return x * x * b;
  }
};

struct Norm
{
  template <class T>
  auto operator()(const SR2<T> & s) const
  {
    return norm_sq(newton([](const auto & e, const auto & t) { return e * (1.0 + norm_sq(e)) - t; },
                          SR2<double>(),
                          s));
  }
};

struct Table
{
  template <class T>
  auto operator()(const T & x) const
  {
    constexpr std::array<double, 4> xs{0, 1, 3, 4}, ys{1, 2, 5, 5.5};
    return interpolate(x, xs, ys, neml2::Interpolant::monotone_cubic) * x;
  }
};
} // namespace

TEST_CASE("elementary functions have second and third derivatives", "[kernels][gradient]")
{
  const std::vector<double> any{-2.5, -1, 0.3, 7}, positive{0.3, 1, 20}, inside{-0.6, 0.1, 0.5},
      not_zero{-2.5, -0.2, 0.3, 7};
  UNARY("-", any, -a);
  UNARY("2 a / 3 - 1", any, 2 * a / 3 - 1);
  UNARY("1 / a", not_zero, 1 / a);
  UNARY("a a", any, a * a);
  UNARY("sqrt", positive, sqrt(a));
  UNARY("norm_of_square", positive, norm_of_square(a));
  UNARY("abs", not_zero, abs(a) * a);
  UNARY("exp", (std::vector<double>{-2.5, 0, 0.3, 2}), exp(a));
  UNARY("expm1", (std::vector<double>{-2.5, 0, 0.3, 2}), expm1(a));
  UNARY("log1p", positive, log1p(a));
  UNARY("log", positive, log(a));
  UNARY("log10", positive, log10(a));
  UNARY("sin", any, sin(a));
  UNARY("cos", any, cos(a));
  UNARY("tan", inside, tan(a));
  UNARY("asin", inside, asin(a));
  UNARY("acos", inside, acos(a));
  UNARY("atan", any, atan(a));
  UNARY("sinh", (std::vector<double>{-2.5, 0, 0.3, 2}), sinh(a));
  UNARY("cosh", (std::vector<double>{-2.5, 0, 0.3, 2}), cosh(a));
  UNARY("tanh", any, tanh(a));
  UNARY("asinh", any, asinh(a));
  UNARY("acosh", (std::vector<double>{1.5, 2, 20}), acosh(a));
  UNARY("atanh", inside, atanh(a));
  UNARY("cbrt", (std::vector<double>{-2.5, 0.3, 7}), cbrt(a));
  UNARY("sign", not_zero, sign(a) * a);
  UNARY("heaviside", not_zero, heaviside(a) * a);
  UNARY("macaulay", not_zero, macaulay(a) * a);
  UNARY("deg2rad", any, deg2rad(a) * a);
  UNARY("rad2deg", any, rad2deg(a) * a);
  UNARY("clamp", (std::vector<double>{-2.5, 0.3, 7}), clamp(a, -0.7, 2.0) * a);
  UNARY("pow 3", any, pow(a, 3));
  UNARY("pow 0", any, pow(a, 0) * a);
  UNARY("pow 2.5", positive, pow(a, 2.5));
  UNARY("pow of 2", any, pow(2.0, a));
  UNARY("where", any, where(a > 0.0, a * a, -a));
  UNARY("maximum", (std::vector<double>{-2.5, 0.3, 7}), maximum(a, 0.0) * minimum(1.0, a));
  UNARY("fmod", (std::vector<double>{0.7, 4.0}), fmod(a, 3.0) * a);
  UNARY("atan2", not_zero, atan2(a, 2.0) + atan2(1.0, a));
  UNARY("hypot", any, hypot(a, 2.0) + hypot(1.0, a));
}

TEST_CASE("functions of two numbers have second derivatives", "[kernels][gradient]")
{
  const std::vector<double> not_zero{-2.5, -0.2, 0.3, 4}, positive{0.3, 1, 4};
  FORMULA_OF_TWO(of_sum, a * a + b * a - b);
  require_binary("+ - *", of_sum, not_zero, not_zero);
  FORMULA_OF_TWO(of_quotient, a / b);
  require_binary("/", of_quotient, not_zero, not_zero);
  FORMULA_OF_TWO(of_arc, atan2(a, b));
  require_binary("atan2", of_arc, not_zero, not_zero);
  FORMULA_OF_TWO(of_length, hypot(a, b));
  require_binary("hypot", of_length, not_zero, not_zero);
  FORMULA_OF_TWO(of_power, pow(a, b));
  require_binary("pow", of_power, positive, not_zero);
  FORMULA_OF_TWO(of_remainder, fmod(a, b) * a);
  require_binary("fmod", of_remainder, {0.7, 7}, {2.2, 3});
  FORMULA_OF_TWO(of_largest, maximum(a, b) * a + minimum(a, b) * b);
  require_binary("maximum", of_largest, {-1, 2}, {0.5, 3});
  FORMULA_OF_TWO(of_choice, where(a < b, a * b * b, a - b * b));
  require_binary("where", of_choice, {-1, 2}, {0.5, 3});
}

TEST_CASE("special points have the derivatives of their side, at each level", "[kernels][gradient]")
{
  FORMULA(of_length, norm_of_square(a * a));
  REQUIRE(gradient<0>(of_length, 0.0) == 0);
  REQUIRE(hessian<0>(of_length, 0.0) == 0);
  FORMULA(of_norm, norm(a));
  for (const double g : gradient<0>(of_norm, SR2<double>()).v)
    REQUIRE(g == 0);
  for (const double h : hessian<0>(of_norm, SR2<double>()).v)
    REQUIRE(h == 0);
  FORMULA_OF_TWO(of_hypot, hypot(a, b));
  REQUIRE((gradient<0>(of_hypot, 0.0, 0.0) == 0 && gradient<1>(of_hypot, 0.0, 0.0) == 0));
  REQUIRE((hessian<0>(of_hypot, 0.0, 0.0) == 0 && hessian<1>(of_hypot, 0.0, 0.0) == 0));
  // b²/h³ at 3-4-5
  REQUIRE(neml2::test::close(hessian<0>(of_hypot, 3e-300, 4e-300) * 1e-300, 0.128, 1e-14));
  REQUIRE(neml2::test::close(hessian<0>(of_hypot, 3e300, 4e300) * 1e300, 0.128, 1e-14));
  FORMULA(of_size, abs(a));
  REQUIRE((gradient<0>(of_size, 0.0) == 0 && hessian<0>(of_size, 0.0) == 0));
  FORMULA(of_ramp, macaulay(a));
  REQUIRE((gradient<0>(of_ramp, 0.0) == 0.5 && hessian<0>(of_ramp, 0.0) == 0));
  FORMULA(of_squared_ramp, macaulay(a) * macaulay(a));
  REQUIRE((gradient<0>(of_squared_ramp, 0.0) == 0 && hessian<0>(of_squared_ramp, 0.0) == 0.5));
  // at a tie the second operand counts, in all derivatives
  FORMULA_OF_TWO(of_largest, maximum(a * a, b * b * b));
  REQUIRE((hessian<0>(of_largest, 1.0, 1.0) == 0 && hessian<1>(of_largest, 1.0, 1.0) == 6));
  // a side that where() does not choose may have no derivatives
  FORMULA(of_root, where(a > 0.0, sqrt(where(a > 0.0, a, 1.0)), 0.0));
  REQUIRE((gradient<0>(of_root, 0.0) == 0 && hessian<0>(of_root, 0.0) == 0));
  FORMULA(of_nothing, where(a > 0.0, sqrt(a), 0.0 * a));
  REQUIRE((gradient<0>(of_nothing, 0.0) == 0 && hessian<0>(of_nothing, 0.0) == 0));
  FORMULA(of_square, pow(a, 2.0));
  REQUIRE((gradient<0>(of_square, 0.0) == 0 && hessian<0>(of_square, 0.0) == 2));
  FORMULA(of_itself, pow(a, 1.0));
  REQUIRE((gradient<0>(of_itself, 0.0) == 1 && hessian<0>(of_itself, 0.0) == 0));
  FORMULA(of_constant, 3.0 + 0.0 * 1.0);
  REQUIRE((gradient<0>(of_constant, 2.0) == 0 && hessian<0>(of_constant, 2.0) == 0));
}

TEST_CASE("tensors have second derivatives", "[kernels][gradient]")
{
  FORMULA(of_det, det(a) * norm(a));
  FORMULA(of_inverse, weighted(inv(a)));
  FORMULA(of_von_mises, von_mises(a));
  FORMULA(of_length, norm(a, 0.1) + norm(unit(a) + a));
  FORMULA(of_eigenvalues, weighted(eigenvalues(a)));
  FORMULA(of_vectors, weighted(eigh(a).second));
  for (const auto & s : {near_identity, far})
  {
    require_row("det", s, of_det);
    require_row("inv", s, of_inverse);
    require_row("von_mises", s, of_von_mises);
    require_row("norm", s, of_length);
    require_row("eigenvalues", s, of_eigenvalues, 1e-6);
    require_row("eigh", s, of_vectors, 1e-5);
  }
  require_row("det", same, of_det);
  require_row("det of R2", F_, of_det);
  require_row("inv of R2", F_, of_inverse);
  FORMULA(of_rotation, weighted(polar_rotation(a)));
  require_row("polar_rotation", F_, of_rotation);
  FORMULA(of_stretch, weighted(right_stretch(a)));
  require_row("right_stretch", F_, of_stretch);
  FORMULA(of_hencky, weighted(hencky_strain(a)));
  require_row("hencky_strain", F_, of_hencky);
  require_row("hencky_strain of I", R2<double>(1, 0, 0, 0, 1, 0, 0, 0, 1), of_hencky);
  FORMULA(of_solution,
          weighted(solve(a, Vec<double>(1, 2, 3))) + weighted(solve(transpose(a) * a, row(a, 1))));
  require_row("solve", F_, of_solution);
  FORMULA(of_exp, weighted(expm(a)));
  FORMULA(of_log, weighted(logm(a)));
  FORMULA(of_sqrt, weighted(sqrtm(a)));
  require_row("expm of R2", F_, of_exp);
  require_row("logm of R2", F_, of_log);
  require_row("sqrtm of R2", F_, of_sqrt);
  FORMULA(of_axis, weighted(axis_angle(a, a[0] + 7.0)) + axis_angle_standard(a, 9.0 * a[1])[1]);
  require_row("axis_angle", Vec<double>(0.3, -0.5, 0.9), of_axis, 1e-6);
}

TEST_CASE("isotropic functions have second derivatives at repeated eigenvalues",
          "[kernels][gradient]")
{
  FORMULA(of_exp, weighted(expm(a)));
  FORMULA(of_log, weighted(logm(a)));
  FORMULA(of_sqrt, weighted(sqrtm(a)));
  FORMULA(of_power, weighted(powm(a, 1.7)));
  FORMULA(of_own_power, weighted(powm(a, a[3] + 1.2)));
  for (const auto & s : {near_identity, far, same, pair, identity})
  {
    require_row("expm", s, of_exp, 2e-7);
    require_row("logm", s, of_log);
    require_row("sqrtm", s, of_sqrt);
    require_row("powm", s, of_power);
    require_row("powm", s, of_own_power);
  }
}

TEST_CASE("and third ones", "[kernels][gradient]")
{
  FORMULA(of_exp, hessian<0>([](const auto & x) { return weighted(expm(x)); }, a)(3, 0));
  FORMULA(of_log, hessian<0>([](const auto & x) { return weighted(logm(x)); }, a)(5, 3));
  FORMULA(of_sqrt, hessian<0>([](const auto & x) { return weighted(sqrtm(x)); }, a)(1, 0));
  FORMULA(of_power, hessian<0>([](const auto & x) { return weighted(powm(x, 1.7)); }, a)(1, 0));
  FORMULA(of_slope, gradient<0>([](const auto & x) { return weighted(dexpm(x, x * x[1])); }, a)[2]);
  const auto require = [](const SR2<double> & s, const auto & f)
  {
    const auto g = gradient<0>(f, s);
    for (int j = 0; j < 6; j++)
    {
      const auto moved = [&](double t)
      {
        auto z = s;
        z[j] = t;
        return f(z);
      };
      REQUIRE(close(g[j], slope(moved, s[j]), 1e-7));
    }
  };
  for (const auto & s : {near_identity, same, pair})
  {
    require(s, of_exp);
    require(s, of_log);
    require(s, of_sqrt);
    require(s, of_power);
    require(s, of_slope);
  }
}

TEST_CASE("second derivatives that do not exist between equal eigenvalues are NaN",
          "[kernels][gradient]")
{
  FORMULA(of_eigenvalue, eigenvalues(a)[0]);
  FORMULA(of_largest, eigenvalues(a)[2]);
  REQUIRE(gradient<0>(of_eigenvalue, pair)[0] + gradient<0>(of_eigenvalue, pair)[1] == 1);
  REQUIRE(std::isnan(hessian<0>(of_eigenvalue, pair)(5, 5)));
  REQUIRE(close(hessian<0>(of_largest, pair)(4, 4), 1.0)); // 1 / (3 - 2)
  REQUIRE(std::isnan(hessian<0>(of_largest, same)(4, 4)));
}

TEST_CASE("a stress is twice the gradient of an energy by C, a tangent its Jacobian",
          "[kernels][gradient]")
{
  constexpr auto stress = [](const auto & C, const auto & mu)
  { return 2.0 * gradient<0>(NeoHooke(), C, mu); };
  const double mu = 1.7;
  const auto [S, D] = value_and_jacobian<0>(stress, far, mu);
  static_assert(std::is_same_v<std::decay_t<decltype(D)>, SSR4<double>>);
  const SR2<double> inverse = inv(far);
  const double log_J = 0.5 * std::log(det(far));
  REQUIRE(close(S, SR2<double>(identity * mu - inverse * (mu * (1.0 - log_J)))));
  SSR4<double> expected;
  for (int k = 0; k < 6; k++)
  {
    SR2<double> e;
    e[k] = 1;
    const SR2<double> of_inverse = rotate(e, full(inverse)) * -1.0;
    const SR2<double> column =
        of_inverse * (-mu * (1.0 - log_J)) + inverse * (mu * 0.5 * inverse[k]);
    for (int i = 0; i < 6; i++)
      expected(i, k) = column[i];
  }
  REQUIRE(close(D, expected));
  REQUIRE(close(SSR4<double>(4.0 * hessian<0>(NeoHooke(), far, mu)), SSR4<double>(2.0 * D)));
  const auto [first, second] = gradient<0, 1>(NeoHooke(), far, mu);
  REQUIRE(close(SR2<double>(2.0 * first), S));
  REQUIRE(close(second, gradient<1>(NeoHooke(), far, mu)));
  const auto [W, by] = value_and_gradient<1, 0>(NeoHooke(), far, mu);
  REQUIRE(close(W, NeoHooke()(far, mu)));
  REQUIRE(close(std::get<1>(by), first));
}

namespace
{
template <class S, class A>
struct State
{
  S stress;
  A alpha;
};
} // namespace

TEST_CASE("Jacobians have the types of their shapes, gradients those of their arguments",
          "[kernels][gradient]")
{
  const Vec<double> v(0.3, -0.5, 0.9);
  FORMULA(of_cube, a * norm_sq(a));
  const auto [value, J] = value_and_jacobian<0>(of_cube, v);
  static_assert(std::is_same_v<std::decay_t<decltype(J)>, R2<double>>);
  REQUIRE(close(value, of_cube(v)));
  REQUIRE(close(J(0, 1), 2 * v[0] * v[1]));
  static_assert(std::is_same_v<decltype(jacobian<0>(of_cube, F_)), R4<double>>);
  static_assert(std::is_same_v<decltype(jacobian<0>(of_cube, far)), SSR4<double>>);
  FORMULA_OF_TWO(of_scaled, a * b * b);
  static_assert(std::is_same_v<decltype(jacobian<1>(of_scaled, F_, 2.0)), R2<double>>);
  static_assert(std::is_same_v<decltype(jacobian<0>(of_scaled, 2.0, norm(v))), double>);
  FORMULA(of_trace, tr(a));
  static_assert(std::is_same_v<decltype(jacobian<0>(of_trace, F_)), R2<double>>);
  static_assert(std::is_same_v<decltype(gradient<0>(of_scaled, 2.0, 3.0)), double>);
  FORMULA(of_skew, norm_sq(a));
  static_assert(std::is_same_v<decltype(gradient<0>(of_skew, WR2<double>())), WR2<double>>);
  static_assert(std::is_same_v<decltype(hessian<0>(of_skew, WR2<double>())), R2<double>>);
  // groups of values
  FORMULA(of_state, inner(a.stress, a.stress) * a.alpha);
  const State<SR2<double>, double> state{far, 1.5};
  const auto g = gradient<0>(of_state, state);
  static_assert(std::is_same_v<std::decay_t<decltype(g)>, State<SR2<double>, double>>);
  REQUIRE(close(g.stress, SR2<double>(3.0 * far)));
  REQUIRE(close(g.alpha, norm_sq(far)));
  const auto H = hessian<0>(of_state, state);
  REQUIRE(close(H.stress.alpha, SR2<double>(2.0 * far)));
  REQUIRE(close(H.alpha.stress, SR2<double>(2.0 * far)));
  REQUIRE(H.stress.stress(1, 1) == 3);
  REQUIRE(H.alpha.alpha == 0);
  constexpr auto both = [](const auto & s, const auto & x)
  { return std::tuple(s * x, x * x * tr(s)); };
  const auto [results, by_s] = value_and_jacobian<0>(both, far, 3.0);
  REQUIRE(close(std::get<1>(results), 9 * tr(far)));
  REQUIRE(
      (std::get<0>(by_s)(2, 2) == 3 && std::get<0>(by_s)(2, 1) == 0 && std::get<1>(by_s)[0] == 9));
  REQUIRE(value_and_jacobian<1, 1>(both, far, 3.0).second == 6 * tr(far));
}

TEST_CASE("residuals of newton have gradients, and what it solves is differentiated",
          "[kernels][gradient]")
{
  // The C at which the stress of a neo-Hookean solid is S, for the shear modulus mu.
  constexpr auto strain = [](const auto & S, const auto & mu)
  {
    return newton([](const auto & C, const auto & s, const auto & m)
                  { return 2.0 * gradient<0>(NeoHooke(), C, m) - s; },
                  SR2<double>(1.0, 1.0, 1.0, 0.0, 0.0, 0.0),
                  S,
                  mu);
  };
  constexpr auto stress = [](const auto & C, const auto & mu)
  { return 2.0 * gradient<0>(NeoHooke(), C, mu); };
  const SR2<double> S = stress(near_identity, 1.7);
  const auto [C, compliance] = value_and_jacobian<0>(strain, S, 1.7);
  REQUIRE(close(C, near_identity, 1e-12));
  const SSR4<double> D = jacobian<0>(stress, near_identity, 1.7);
  const SSR4<double> product = D * compliance;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      REQUIRE(close(product(i, j), i == j ? 1.0 : 0.0, 1e-12));
  const auto by_mu = jacobian<1>(strain, S, 1.7);
  for (int i = 0; i < 6; i++)
    REQUIRE(close(by_mu[i], slope([&](double t) { return strain(S, t)[i]; }, 1.7), 1e-8));
}

TEST_CASE("newton within a gradient is exact at each level", "[kernels][gradient]")
{
  // x³ + x = a b: derivatives by implicit differentiation, against central differences
  require_binary("a root", Root(), {0.5, 2}, {0.7, 1.3});
  // three levels of duals
  constexpr auto second = [](const auto & a) { return hessian<0>(Root(), a, 1.3); };
  REQUIRE(close(gradient<0>(second, 2.0), slope(second, 2.0), 1e-8));
  // several unknowns, with a matrix that changes with them
  require_row("a system", near_identity, Norm());
}

TEST_CASE("tables have second derivatives", "[kernels][gradient]")
{
  require_unary("interpolate", Table(), {0.4, 2.2, 3.7});
}
