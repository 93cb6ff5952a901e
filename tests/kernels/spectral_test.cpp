// SPDX-License-Identifier: MIT
#include "neml2/kernels/spectral.h"
#include "neml2/kernels/invariants.h"
#include "neml2/kernels/isotropic_functions.h"
#include "neml2/kernels/kinematics.h"
#include "neml2/kernels/matrix_functions.h"
#include "neml2/kernels/stiffness.h"
#include "support/number.h"

#include <limits>
#include <random>

#include "support/catch.h"

using namespace neml2::kernels;
using test_dual = Dual<double, 6>;

namespace
{
using neml2::test::close;

const SR2<double> S(1.2, 0.7, 0.9, 0.3, -0.2, 0.4);
const R2<double> I(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
const R2<double> A(0.9, 0.5, -0.3, -0.2, 1.1, 0.6, 0.4, -0.7, 1.3);

/// A rotation whose axis is not close to a coordinate axis.
const R2<double> Q = []
{
  const double c = std::cos(0.7), s = std::sin(0.7), d = std::cos(1.9), t = std::sin(1.9);
  const R2<double> x(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c), z(d, -t, 0.0, t, d, 0.0, 0.0, 0.0, 1.0);
  return x * z;
}();

/// The tensor with these eigenvalues in the frame of Q.
SR2<double>
tensor_of(double a, double b, double c)
{
  return ieigh(Vec<double>(a, b, c), Q);
}

/// The components of s as duals: the derivative of each component by itself is 1.
SR2<test_dual>
vary(const SR2<double> & s)
{
  SR2<test_dual> r;
  for (int k = 0; k < 6; k++)
  {
    r[k] = test_dual(s[k]);
    r[k].d[k] = 1;
  }
  return r;
}

/// The derivative that duals carry, as a fourth order tensor.
SSR4<double>
derivative_in(const SR2<test_dual> & f)
{
  SSR4<double> r;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      r(i, k) = f[i].d[k];
  return r;
}

SSR4<double>
identity()
{
  return fill_C1_C2_C3(1.0, 0.0, 1.0);
}

bool
has_nan(const SR2<double> & s)
{
  for (int i = 0; i < 6; i++)
    if (!(s[i] == s[i]))
      return true;
  return false;
}

constexpr double gaps[] = {0, 1e-300, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.1};
} // namespace

TEST_CASE("Eigenvalues and eigenvectors of a tensor are those of the reference",
          "[kernels][spectral]")
{
  const auto [l, V] = eigh(S);
  REQUIRE(
      close(l, Vec<double>(0.43569368109554983, 1.0318221389547017, 1.3324841799497484), 1e-15));
  REQUIRE(close(ieigh(l, V), S, 1e-15));
  REQUIRE(close(transpose(V) * V, I, 1e-15));
  REQUIRE(close(det(V), 1, 1e-15));
}

TEST_CASE("Eigenvalues are exact for diagonal tensors of any size", "[kernels][spectral]")
{
  for (const double x : {1.0, 1e-300, 1e150, 1e-20})
  {
    const auto [l, V] = eigh(SR2<double>(3 * x, -x, 2 * x, 0.0, 0.0, 0.0));
    REQUIRE(l[0] == -x);
    REQUIRE(l[1] == 2 * x);
    REQUIRE(l[2] == 3 * x);
    REQUIRE(close(V, R2<double>(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0), 0));
    for (int i = 0; i < 3; i++)
      REQUIRE(eigenvalues(SR2<double>(x, x, x, 0.0, 0.0, 0.0))[i] == x);
    // accurate up to round-off where all components have that size
    const auto scaled = eigenvalues(S * x), plain = eigenvalues(S);
    for (int i = 0; i < 3; i++)
      REQUIRE(std::abs(scaled[i] / x - plain[i]) < 1e-15);
  }
  const auto [l, V] = eigh(SR2<double>());
  REQUIRE(close(l, Vec<double>(), 0));
  REQUIRE(close(V, I, 0));
  // If components differ much in size, small eigenvalues have their own relative accuracy.
  const auto graded = eigenvalues(SR2<double>(1.0, 1e-20, 1e-40, 0.0, 0.0, 1e-11 * sqrt2));
  REQUIRE(std::abs(graded[0] / 1e-40 - 1) < 1e-14);
  REQUIRE(std::abs(graded[1] / (1e-20 - 1e-22) - 1) < 1e-14);
}

TEST_CASE("Jacobi's sweeps are enough for all tensors", "[kernels][spectral]")
{
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> power(-16, 0);
  double residual = 0, orthogonality = 0;
  for (int n = 0; n < 20000; n++)
  {
    SR2<double> s;
    for (int k = 0; k < 6; k++)
      s[k] = n % 5 == 4 ? std::round(normal(engine)) : normal(engine);
    const double small = std::pow(10, power(engine));
    for (int k = 0; k < 6; k++)
      if (n % 5 == 1 || (n % 5 == 2 && k >= 3) || (n % 5 == 3 && k < 3))
        s[k] *= n % 5 == 1 ? std::pow(10, power(engine)) : small;
    if (n % 5 == 3)
      s = s + SR2<double>(1.0, 1.0, 1.0, 0.0, 0.0, 0.0);
    const auto [l, V] = eigh(s);
    REQUIRE((l[0] <= l[1] && l[1] <= l[2]));
    residual = std::max(residual, norm(ieigh(l, V) - s) / std::max(norm(s), 1e-300));
    orthogonality = std::max(orthogonality, norm(transpose(V) * V - I));
  }
  REQUIRE(residual < 4e-15);
  REQUIRE(orthogonality < 4e-15);
}

TEST_CASE("A tensor that is not finite has no eigenvalues", "[kernels][spectral]")
{
  for (int k = 0; k < 6; k++)
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    {
      SR2<double> s = S;
      s[k] = bad;
      const auto l = eigenvalues(s);
      for (int i = 0; i < 3; i++)
        REQUIRE_FALSE(l[i] == l[i]);
    }
}

TEST_CASE("Duals of eigenvalues and eigenvectors are their derivatives", "[kernels][spectral]")
{
  const auto [l, V] = eigh(vary(S));
  const double h = 1e-6;
  for (int k = 0; k < 6; k++)
  {
    SR2<double> up = S, down = S;
    up[k] += h;
    down[k] -= h;
    const auto a = eigh(up), b = eigh(down);
    for (int i = 0; i < 3; i++)
      REQUIRE(close(l[i].d[k], (a.first[i] - b.first[i]) / (2 * h), 1e-9));
    for (int i = 0; i < 9; i++)
      REQUIRE(close(V[i].d[k], (a.second[i] - b.second[i]) / (2 * h), 1e-8));
  }
  // For equal eigenvalues Σ dλ is still the derivative of the trace; eigenvectors have no
  // derivative
  const auto same = eigh(vary(tensor_of(2, 2, 2)));
  for (int k = 0; k < 6; k++)
  {
    double sum = 0;
    for (int i = 0; i < 3; i++)
      sum += same.first[i].d[k];
    REQUIRE(close(sum, k < 3));
    for (int i = 0; i < 9; i++)
      REQUIRE(std::isnan(same.second[i].d[k]));
  }
}

TEST_CASE("Functions of tensors have the values of the reference", "[kernels][matrix_functions]")
{
  const double t = 2e-15;
  REQUIRE(close(expm(S),
                SR2<double>(3.4572498564748725,
                            2.1529813210751999,
                            2.5324262397013339,
                            0.61240412861194774,
                            -0.47663242998383047,
                            1.0144108591620036),
                t));
  REQUIRE(close(logm(S),
                SR2<double>(0.12273776498210037,
                            -0.47334238550244763,
                            -0.16183991756134135,
                            0.44504597253455003,
                            -0.26158396302378621,
                            0.49176145397295316),
                t));
  REQUIRE(close(sqrtm(S),
                SR2<double>(1.0815054802655424,
                            0.8121327799796343,
                            0.93655195534928007,
                            0.18156234868053633,
                            -0.11303089579618315,
                            0.21889679967214931),
                t));
  REQUIRE(close(powm(S, -0.7),
                SR2<double>(0.96023805020691759,
                            1.4638466001897743,
                            1.1610407437721605,
                            -0.42340247566336878,
                            0.23355947560383814,
                            -0.42355225126547271),
                t));
  REQUIRE(close(expm(A),
                R2<double>(2.2109206704641644,
                           1.5143275126285002,
                           -0.38565366962436901,
                           -0.14279800096209718,
                           2.2679903373356501,
                           1.8857756824266895,
                           1.2857598996479969,
                           -1.8142941260900519,
                           2.8394300087508054),
                t));
  REQUIRE(close(logm(A),
                R2<double>(0.00012805064799653896,
                           0.35853025942063796,
                           -0.33759118177432534,
                           -0.25183084820407321,
                           0.27203644411796201,
                           0.41417427509205174,
                           0.26942366830607046,
                           -0.57355227463724204,
                           0.42347956599257405),
                5 * t));
  REQUIRE(close(sqrtm(A),
                R2<double>(0.976049103595718,
                           0.21554226707101698,
                           -0.16400317059590759,
                           -0.11691529632148975,
                           1.0986492868603713,
                           0.25410281093068956,
                           0.16750691163940522,
                           -0.3220352706633736,
                           1.1871401484660435),
                t));
}

TEST_CASE("Derivatives of functions of tensors lose nothing between nearly equal eigenvalues",
          "[kernels][matrix_functions]")
{
  // (f(b) - f(a)) / (b - a) for a = 1.5 and b - a = 1e-3, 1e-8, 1e-13
  const auto quotient = [](const SSR4<double> & d)
  {
    const SR2<double> mixed(0.0, 0.0, 0.0, 0.0, 0.0, 1.0); // in the frame of Q
    return inner(rotate(mixed, Q), d * rotate(mixed, Q));
  };
  constexpr double gap[3] = {1e-3, 1e-8, 1e-13},
                   exps[3] = {4.4839306620081864, 4.48168909274651011, 4.48168907033828873},
                   logs[3] = {0.666444543160520174, 0.666666664444444468, 0.666666666666644462},
                   roots[3] = {0.408180271753133844, 0.408248289783449205, 0.408248290463856218},
                   powers[3] = {0.225816704135396228, 0.225869386564342516, 0.225869387091365815};
  for (int i = 0; i < 3; i++)
  {
    const auto s = tensor_of(1.5, 1.5 + gap[i], 0.8);
    REQUIRE(close(quotient(dexpm(s)), exps[i], 4e-15));
    REQUIRE(close(quotient(dlogm(s)), logs[i], 4e-15));
    REQUIRE(close(quotient(dsqrtm(s)), roots[i], 4e-15));
    REQUIRE(close(quotient(dpowm(s, 0.3)), powers[i], 4e-15));
  }
  // the same for functions that are given by values and slopes
  for (const double g : gaps)
  {
    const Vec<double> l(1.5, 1.5 + g, 2.5), f(std::exp(l[0]), std::exp(l[1]), std::exp(l[2]));
    REQUIRE(close(dsptrf(l, Q, f, f), dexpm(ieigh(l, Q)), g == 1e-5 || g == 1e-7 ? 1e-9 : 1e-10));
  }
  REQUIRE(close(
      dsptrf(
          Vec<double>(2.0, 2.0, 2.0), Q, Vec<double>(8.0, 8.0, 8.0), Vec<double>(12.0, 12.0, 12.0)),
      identity() * 12.0,
      1e-14));
}

TEST_CASE("Functions of tensors and their inverses have inverse derivatives",
          "[kernels][matrix_functions]")
{
  for (const double g : gaps)
    for (const double h : {0.0, 1e-12, 1e-4, 1.0})
    {
      const auto s = tensor_of(0.4, 0.4 + g, 0.4 + g + h), e = expm(s);
      REQUIRE(close(logm(e), s, 1e-14));
      REQUIRE(close(dlogm(e) * dexpm(s), identity(), 2e-14));
      const auto u = sqrtm(s);
      REQUIRE(close(sym(full(u) * full(u)), s, 2e-15));
      REQUIRE(close(dsqrtm(s) * dpowm(u, 2.0), identity(), 2e-14));
      REQUIRE(close(powm(powm(s, 0.37), 1 / 0.37), s, 1e-14));
      REQUIRE(close(dpowm(powm(s, 0.37), 1 / 0.37) * dpowm(s, 0.37), identity(), 3e-14));
      REQUIRE(close(powm(s, -1.0), inv(s), 1e-14));
      REQUIRE(close(dpowm(s, 1.0), identity(), 1e-14));
      REQUIRE(close(dpowm(s, 0.0), SSR4<double>(), 1e-14));
      // derivatives along one direction, and by duals
      const SR2<double> e1(0.3, -0.2, 0.5, 0.7, -0.4, 0.1);
      REQUIRE(close(dexpm(s, e1), dexpm(s) * e1, 1e-14));
      REQUIRE(close(dlogm(s, e1), dlogm(s) * e1, 1e-14));
      REQUIRE(close(dsqrtm(s, e1), dsqrtm(s) * e1, 1e-14));
      REQUIRE(close(dpowm(s, -0.3, e1), dpowm(s, -0.3) * e1, 1e-14));
      REQUIRE(close(derivative_in(expm(vary(s))), dexpm(s), 1e-14));
      REQUIRE(close(derivative_in(logm(vary(s))), dlogm(s), 1e-14));
      REQUIRE(close(derivative_in(sqrtm(vary(s))), dsqrtm(s), 1e-14));
      REQUIRE(close(derivative_in(powm(vary(s), -0.3)), dpowm(s, -0.3), 1e-14));
    }
}

TEST_CASE("Second derivatives of functions of tensors are exact between equal and nearly equal "
          "eigenvalues",
          "[kernels][matrix_functions]")
{
  const SR2<double> e(0.3, -0.2, 0.5, 0.7, -0.4, 0.1), h(-0.6, 0.8, 0.2, -0.1, 0.9, 0.5);
  // f of s with derivatives along h, for fixed e
  const auto along_h = [&](const SR2<double> & s)
  {
    SR2<Dual<double, 1>> r;
    for (int i = 0; i < 6; i++)
    {
      r[i] = Dual<double, 1>(s[i]);
      r[i].d[0] = h[i];
    }
    return r;
  };
  const auto second = [](const SR2<Dual<double, 1>> & x) { return partials_of(x, 0); };
  for (const double g : {0.0, 1e-14, 1e-10, 1e-6, 1e-3, 0.05, 0.2, 0.7, 3.0})
    for (const double k : {0.0, 1e-12, 1e-4, 0.1, 2.0})
    {
      const auto s = tensor_of(0.4, 0.4 + g, 0.4 + g + k);
      const auto x = along_h(s);
      const R2<double> E = full(e), H = full(h), M = full(s);
      REQUIRE(close(second(dpowm(x, 2.0, e)), sym(E * H + H * E), 1e-14));
      REQUIRE(close(second(dpowm(x, 3.0, e)),
                    sym(E * H * M + E * M * H + H * E * M + H * M * E + M * E * H + M * H * E),
                    1e-13));
      // D²g[Df e, Df h] + Dg[D²f[e, h]] = 0 of g(f(s)) = s
      const auto inverse = [&](const auto & f, const auto & df, const auto & dg)
      {
        const SR2<double> y = f(s), ye = df(s, e), yh = df(s, h), yeh = second(df(x, e));
        SR2<Dual<double, 1>> z;
        for (int i = 0; i < 6; i++)
        {
          z[i] = Dual<double, 1>(y[i]);
          z[i].d[0] = yh[i];
        }
        const SR2<double> outer = second(dg(z, ye)), inner = dg(y, yeh);
        const double size = 1 + norm(outer);
        for (int i = 0; i < 6; i++)
          REQUIRE(std::abs(outer[i] + inner[i]) < 2e-12 * size);
      };
      inverse([](const auto & t) { return expm(t); },
              [](const auto & t, const auto & d) { return dexpm(t, d); },
              [](const auto & t, const auto & d) { return dlogm(t, d); });
      inverse([](const auto & t) { return logm(t); },
              [](const auto & t, const auto & d) { return dlogm(t, d); },
              [](const auto & t, const auto & d) { return dexpm(t, d); });
      inverse([](const auto & t) { return sqrtm(t); },
              [](const auto & t, const auto & d) { return dsqrtm(t, d); },
              [](const auto & t, const auto & d) { return dpowm(t, 2.0, d); });
      inverse([](const auto & t) { return powm(t, -0.6); },
              [](const auto & t, const auto & d) { return dpowm(t, -0.6, d); },
              [](const auto & t, const auto & d) { return dpowm(t, -1 / 0.6, d); });
      // the derivatives of all of dexpm, by each component
      const auto D = dexpm(vary(s));
      for (int i = 0; i < 6; i++)
      {
        double sum = 0;
        for (int j = 0; j < 6; j++)
          for (int l = 0; l < 6; l++)
            sum += D(i, j).d[l] * e[j] * h[l];
        REQUIRE(std::abs(sum - second(dexpm(x, e))[i]) < 1e-13 * (1 + norm(second(dexpm(x, e)))));
      }
    }
  // where the value is NaN, derivatives are NaN, too
  const auto negative = along_h(tensor_of(-0.4, -0.4, -0.5));
  for (int i = 0; i < 6; i++)
  {
    REQUIRE(std::isnan(second(dlogm(negative, e))[i]));
    REQUIRE(std::isnan(second(dsqrtm(negative, e))[i]));
    REQUIRE(std::isnan(second(dpowm(negative, 0.3, e))[i]));
  }
}

TEST_CASE("Powers are differentiated by their exponent too", "[kernels][matrix_functions]")
{
  test_dual p(0.6);
  p.d[2] = 2;
  const auto by_exponent = powm(S, p), by_both = powm(vary(S), p);
  const auto expected = sym(full(logm(S)) * full(powm(S, 0.6)));
  for (int i = 0; i < 6; i++)
  {
    REQUIRE(close(by_exponent[i].x, powm(S, 0.6)[i]));
    REQUIRE(close(by_exponent[i].d[2], 2 * expected[i]));
    REQUIRE(by_exponent[i].d[1] == 0);
    REQUIRE(close(by_both[i].d[2], 2 * expected[i] + dpowm(S, 0.6)(i, 2)));
    REQUIRE(close(by_both[i].d[1], dpowm(S, 0.6)(i, 1)));
  }
}

TEST_CASE("Functions of tensors hold at the ends of what numbers hold",
          "[kernels][matrix_functions]")
{
  const SR2<double> one(1.0, 1.0, 1.0, 0.0, 0.0, 0.0);
  REQUIRE(close(expm(SR2<double>()), one, 0));
  REQUIRE(close(dexpm(SR2<double>()), identity(), 0));
  REQUIRE(close(logm(one), SR2<double>(), 0));
  REQUIRE(close(dlogm(one), identity(), 0));
  // The logarithm near I has the relative accuracy of x = s - I: log(I + x) = x - x²/2 + ...
  const SR2<double> x = tensor_of(0.3, -0.7, 0.5) * 1e-9;
  SR2<double> near = one + x;
  const auto exact = near - one; // exact, since near is close to one
  REQUIRE(norm(logm(near) - exact + sym(full(exact) * full(exact)) * 0.5) < 1e-15 * norm(x));
  // Very unequal eigenvalues: e^-800 is 0, and neither overflow nor underflow spoils the others
  const auto wide = tensor_of(-800, 1, 2);
  REQUIRE(close(expm(wide), tensor_of(0, std::exp(1), std::exp(2)), 1e-11));
  REQUIRE(norm(dexpm(wide)) < 10);
  REQUIRE(std::abs(dlogm(SR2<double>(1e-300, 1.0, 1e150, 0.0, 0.0, 0.0))(0, 0) / 1e300 - 1) <
          1e-14);
  const auto d = dpowm(SR2<double>(1e-100, 1.0, 1e100, 0.0, 0.0, 0.0), 0.5);
  REQUIRE(std::abs(d(0, 0) / 0.5e50 - 1) < 1e-13);
  REQUIRE(std::abs(d(4, 4) / 1e-50 - 1) < 1e-13);
  // Outside the domain the result is NaN
  for (const auto & s :
       {tensor_of(-1, 1, 2), tensor_of(-1, -1, 2), tensor_of(-3, -2, -1), SR2<double>()})
  {
    REQUIRE(has_nan(logm(s)));
    REQUIRE(has_nan(sqrtm(s)));
    REQUIRE(has_nan(powm(s, 2.0)));
    REQUIRE(has_nan(powm(s, 0.5)));
  }
  for (const auto & B : {I * -1.0,
                         full(tensor_of(-1, 1, 2)),
                         R2<double>(),
                         R2<double>(-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0)})
  {
    REQUIRE_FALSE(norm(logm(B)) >= 0);
    REQUIRE_FALSE(norm(sqrtm(B)) >= 0);
  }
}

TEST_CASE("Functions of any tensor agree with those of symmetric ones",
          "[kernels][matrix_functions]")
{
  for (const double g : gaps)
  {
    const auto s = tensor_of(0.5, 0.5 + g, 1.9);
    REQUIRE(close(expm(full(s)), full(expm(s)), 1e-14));
    REQUIRE(close(logm(full(s)), full(logm(s)), 2e-14));
    REQUIRE(close(sqrtm(full(s)), full(sqrtm(s)), 2e-14));
    const SR2<double> e(0.3, -0.2, 0.5, 0.7, -0.4, 0.1);
    REQUIRE(close(dexpm(full(s), full(e)), full(dexpm(s, e)), 2e-14));
    REQUIRE(close(dlogm(full(s), full(e)), full(dlogm(s, e)), 4e-14));
    REQUIRE(close(dsqrtm(full(s), full(e)), full(dsqrtm(s, e)), 4e-14));
  }
}

TEST_CASE("The exponential of a skew tensor is a rotation, its logarithm the way back",
          "[kernels][matrix_functions]")
{
  const Vec<double> axis(0.6, -0.48, 0.64);
  for (const double angle : {0.0, 1e-12, 1e-3, 1.0, 2.0, 3.0, 3.1})
  {
    const auto W = skew(axis * angle);
    const auto R = expm(W);
    REQUIRE(close(transpose(R) * R, I, 1e-14));
    REQUIRE(close(tr(R), 1 + 2 * std::cos(angle), 1e-14));
    REQUIRE(norm(logm(R) - W) <= 1e-12 * angle * (angle > 3 ? 10 : 1));
  }
  // Jordan blocks have no eigenvectors
  const R2<double> N(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0);
  const R2<double> e(1.0, 1.0, 0.5, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0);
  REQUIRE(close(expm(N), e, 1e-15));
  REQUIRE(close(logm(e), N, 1e-14));
  REQUIRE(close(expm(N * 1e6), I + N * 1e6 + N * N * 0.5e12, 1e-9));
}

TEST_CASE("The full derivative of a function of any tensor is that along each component",
          "[kernels][matrix_functions]")
{
  const R4<double> exps = dexpm(A), logs = dlogm(A), roots = dsqrtm(A);
  for (int k = 0; k < 9; k++)
  {
    R2<double> E;
    E[k] = 1;
    const auto x = dexpm(A, E), y = dlogm(A, E), z = dsqrtm(A, E);
    for (int i = 0; i < 9; i++)
    {
      REQUIRE(close(exps[9 * i + k], x[i]));
      REQUIRE(close(logs[9 * i + k], y[i]));
      REQUIRE(close(roots[9 * i + k], z[i]));
    }
    const double h = 1e-5;
    REQUIRE(close(x, (expm(A + E * h) - expm(A - E * h)) / (2 * h), 1e-9));
    REQUIRE(close(y, (logm(A + E * h) - logm(A - E * h)) / (2 * h), 1e-9));
    REQUIRE(close(sqrtm(A) * z + z * sqrtm(A), E, 1e-14));
  }
}

TEST_CASE("Invariants have the values of the reference", "[kernels][invariants]")
{
  REQUIRE(close(I1(S), 2.8));
  REQUIRE(close(I2(S), 2.405));
  REQUIRE(close(I3(S), 0.5990294372515228));
  REQUIRE(close(J2(S), 0.20833333333333334));
  REQUIRE(close(J3(S), -0.019563155341069738));
  REQUIRE(close(von_mises(S), 0.79056941504209484));
  REQUIRE(close(lode_angle(S), 0.71157318452237761));
  // A large pressure does not reduce the accuracy of the deviator
  const SR2<double> p(1e9, 1e9 + 1, 1e9 + 3, 0.0, 0.0, 0.0);
  REQUIRE(close(J2(p), 7.0 / 3.0, 1e-15));
}

TEST_CASE("The Lode angle is that of tension, shear and compression", "[kernels][invariants]")
{
  REQUIRE(close(lode_angle(tensor_of(5, 1, 1)), 0, 2e-15));
  REQUIRE(close(lode_angle(tensor_of(1, 0, -1)), pi / 6, 1e-15));
  REQUIRE(close(lode_angle(tensor_of(-5, 1, 1)), pi / 3, 1e-15));
  REQUIRE(lode_angle(SR2<double>(2.0, 2.0, 2.0, 0.0, 0.0, 0.0)) == 0);
  REQUIRE(lode_angle(SR2<double>()) == 0);
  for (const double x : {1e-300, 1e150})
    REQUIRE(close(lode_angle(S * x), 0.71157318452237761, 1e-14));
  for (int k = 0; k < 6; k++)
  {
    REQUIRE(lode_angle(vary(SR2<double>())).d[k] == 0);
    REQUIRE(std::abs(lode_angle(vary(tensor_of(5, 1, 1))).d[k]) < 1);
    REQUIRE(von_mises(vary(SR2<double>())).d[k] == 0);
  }
}

TEST_CASE("The polar decomposition is that of the reference", "[kernels][kinematics]")
{
  const auto [R, U] = polar(A);
  REQUIRE(close(R,
                R2<double>(0.91370181819749151,
                           0.35096145804495228,
                           -0.20487811593618136,
                           -0.21023971158334605,
                           0.83966701648102045,
                           0.5007579905575279,
                           0.34777615084411645,
                           -0.41446997044517342,
                           0.84099131535541283),
                2e-15));
  REQUIRE(close(U,
                SR2<double>(1.0034900390320582,
                            1.3892434264632201,
                            1.4552069390774078,
                            -0.19841301602025711,
                            0.073333512091458998,
                            -0.025252309423271762),
                2e-15));
  REQUIRE(close(hencky_strain(A),
                SR2<double>(0.0023663699096296091,
                            0.32372403869069839,
                            0.3695536521582046,
                            -0.13966612367199276,
                            0.059486221197824923,
                            -0.018176091783370774),
                2e-15));
  REQUIRE(close(left_stretch(A), rotate(U, R), 2e-15));
  REQUIRE(close(right_stretch(A), U, 1e-15));
}

TEST_CASE("The rotation is orthogonal for all but singular tensors", "[kernels][kinematics]")
{
  std::mt19937 engine(2);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> power(-15, 0);
  double worst = 0, wrong = 0;
  for (int n = 0; n < 5000; n++)
  {
    R2<double> F;
    for (int k = 0; k < 9; k++)
      F[k] = normal(engine);
    if (n % 2)
      F = F * R2<double>(1.0,
                         0.0,
                         0.0,
                         0.0,
                         n % 4 == 1 ? 1.0 : std::pow(10, power(engine)),
                         0.0,
                         0.0,
                         0.0,
                         std::pow(10, power(engine)));
    const auto [R, U] = polar(F);
    worst = std::max(worst, norm(transpose(R) * R - I));
    wrong = std::max(wrong, norm(R * full(U) - F) / norm(F));
    REQUIRE((n % 2 || det(R) * det(F) > 0));
  }
  REQUIRE(worst < 4e-15);
  REQUIRE(wrong < 1e-13);
  REQUIRE_FALSE(norm(polar_rotation(R2<double>())) >= 0);
}

TEST_CASE("Small strains have the relative accuracy of the displacement gradient",
          "[kernels][kinematics]")
{
  const double x = 0x1p-40;
  const R2<double> F(1 + x, x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1 - x);
  // E = (H + Hᵀ + Hᵀ H) / 2 and log U = E - E² + ... of H = F - I
  const SR2<double> H(x, 0.0, -x, 0.0, 0.0, x * invsqrt2);
  REQUIRE(norm(green_lagrange(F) - H) < 2 * x * x);
  REQUIRE(norm(hencky_strain(F) - H) < 4 * x * x);
  REQUIRE(norm(hencky_strain(F) - H) > 0.1 * x * x);
}

TEST_CASE("Kinematics of a rotation has no strain, also in its derivatives",
          "[kernels][kinematics]")
{
  REQUIRE(close(hencky_strain(Q), SR2<double>(), 1e-15));
  REQUIRE(close(green_lagrange(Q), SR2<double>(), 1e-15));
  REQUIRE(close(polar_rotation(Q), Q, 1e-15));
  R2<Dual<double, 9>> F;
  for (int k = 0; k < 9; k++)
  {
    F[k] = Dual<double, 9>(I[k]);
    F[k].d[k] = 1;
  }
  const auto strain = hencky_strain(F);
  const auto R = polar_rotation(F);
  for (int k = 0; k < 9; k++)
  {
    R2<double> E, rotation;
    E[k] = 1;
    for (int i = 0; i < 9; i++)
      rotation[i] = R[i].d[k];
    SR2<double> slope;
    for (int i = 0; i < 6; i++)
      slope[i] = strain[i].d[k];
    REQUIRE(close(slope, sym(E), 1e-15));
    REQUIRE(close(rotation, (E - transpose(E)) * 0.5, 1e-15));
  }
}

TEST_CASE("Pull-back undoes push-forward", "[kernels][kinematics]")
{
  REQUIRE(close(pull_back(push_forward(S, A), A), S));
  REQUIRE(close(pull_back_covariant(push_forward_covariant(S, A), A), S));
  const auto C = outer(S, S) + identity();
  REQUIRE(close(pull_back(push_forward(C, A), A), C, 1e-13));
  // the contraction of a covariant with a contravariant tensor does not change
  REQUIRE(close(inner(push_forward(S, A), push_forward_covariant(S, A)), inner(S, S)));
  REQUIRE(close(push_forward(C, A) * push_forward_covariant(S, A), push_forward(C * S, A), 1e-13));
}
