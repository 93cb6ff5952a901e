// SPDX-License-Identifier: MIT
#include "neml2/kernels/equivalent_stresses.h"

#include "neml2/kernels/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/equivalent_stresses.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2::kernels;
using neml2::test::close;

namespace
{
using Six = std::tuple<double, double, double, double, double, double>;
using Nine = std::tuple<double, double, double, double, double, double, double, double, double>;
constexpr Six isotropic_six(0.5, 0.5, 0.5, 1.5, 1.5, 1.5), sheet(0.25, 0.6, 0.4, 1.2, 1.7, 1.4);
constexpr Nine ones(1, 1, 1, 1, 1, 1, 1, 1, 1);
// The parameters of aluminium 2090-T3 in Barlat et al. (2005), Int. J. Plasticity 21, 1009-1039.
constexpr Nine first(
    -0.069888, 0.936408, 0.079143, 1.003060, 0.524741, 1.363180, 1.023770, 1.069060, 0.954322);
constexpr Nine second(
    0.981171, 0.476741, 0.575316, 0.866827, 1.145010, -0.079294, 1.051660, 1.147100, 1.404620);

// Functions of a stress alone: the parameters are members.
struct Mises
{
  template <class S>
  auto operator()(const S & s) const
  {
    return von_mises(s);
  }
};
struct HillOf
{
  template <class S>
  auto operator()(const S & s) const
  {
    return hill(s, sheet);
  }
};
struct HosfordOf
{
  double a;
  template <class S>
  auto operator()(const S & s) const
  {
    return hosford(s, a);
  }
};
struct Cone
{
  double alpha;
  template <class S>
  auto operator()(const S & s) const
  {
    return drucker_prager(s, alpha);
  }
};
struct Pyramid
{
  double phi, transition;
  template <class S>
  auto operator()(const S & s) const
  {
    return mohr_coulomb(s, phi, transition);
  }
};
struct Barlat
{
  double a;
  template <class S>
  auto operator()(const S & s) const
  {
    return yld2004(s, first, second, a);
  }
};
struct BarlatOfOnes
{
  double a;
  template <class S>
  auto operator()(const S & s) const
  {
    return yld2004(s, ones, ones, a);
  }
};
struct HillOfIsotropic
{
  template <class S>
  auto operator()(const S & s) const
  {
    return hill(s, isotropic_six);
  }
};

template <class Check>
void
for_each_function(const Check & check)
{
  check("hill", HillOf());
  for (const double a : {2.0, 6.0, 8.0, 20.0, 100.0})
    check("hosford " + std::to_string(a), HosfordOf{a});
  for (const double alpha : {0.0, 0.1, 0.3})
    check("drucker_prager " + std::to_string(alpha), Cone{alpha});
  for (const double phi : {0.0, 0.3, 0.6, 0.9})
    for (const double transition : {0.0, 0.3, rounded_from})
      check("mohr_coulomb " + std::to_string(phi) + " " + std::to_string(transition),
            Pyramid{phi, transition});
  for (const double a : {2.0, 8.0, 100.0})
    check("yld2004 " + std::to_string(a), Barlat{a});
}

/// Stresses that differ in how many of their principal values are equal or nearly equal, and random ones.
std::vector<SR2<double>>
stresses()
{
  std::vector<SR2<double>> all = {{1, 0, 0, 0, 0, 0},
                                  {-1, 0, 0, 0, 0, 0},
                                  {1, 1, 0, 0, 0, 0},
                                  {0, 0, 0, 0, 0, 1},
                                  {2, 2, 3, 0, 0, 0},
                                  {2.25, 2.75, 2, 0, 0, std::sqrt(0.375)},
                                  {1, 1 + 1e-7, 2, 0, 1e-8, 0}};
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20; i++)
  {
    SR2<double> s;
    for (int k = 0; k < 6; k++)
      s[k] = normal(random);
    all.push_back(s);
  }
  return all;
}

double
largest(const SSR4<double> & H)
{
  double m = 0;
  for (const double h : H.v)
    m = std::max(m, std::abs(h));
  return m;
}

/// The smallest eigenvalue of a symmetric 6 × 6 matrix, by Jacobi's rotations.
double
smallest_eigenvalue(SSR4<double> A)
{
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 5; p++)
      for (int q = p + 1; q < 6; q++)
      {
        if (A(p, q) == 0)
          continue;
        const double angle = 0.5 * std::atan2(2 * A(p, q), A(q, q) - A(p, p));
        const double c = std::cos(angle), s = std::sin(angle);
        for (int k = 0; k < 6; k++)
        {
          const double x = A(k, p), y = A(k, q);
          A(k, p) = c * x - s * y;
          A(k, q) = s * x + c * y;
        }
        for (int k = 0; k < 6; k++)
        {
          const double x = A(p, k), y = A(q, k);
          A(p, k) = c * x - s * y;
          A(q, k) = s * x + c * y;
        }
      }
  double least = A(0, 0);
  for (int k = 1; k < 6; k++)
    least = std::min(least, A(k, k));
  return least;
}

template <class F, class G>
void
require_same(const F & f, const G & g, const SR2<double> & s, double tolerance)
{
  REQUIRE(close(f(s), g(s), 1e-13));
  REQUIRE(close(gradient<0>(f, s), gradient<0>(g, s), tolerance));
  double off = 0;
  const SSR4<double> H = hessian<0>(f, s), K = hessian<0>(g, s);
  for (int k = 0; k < 36; k++)
    off = std::max(off, std::abs(H[k] - K[k]) / (1 + largest(K)));
  INFO("stress " << s[0] << " " << s[1] << " " << s[2] << " " << s[5]);
  REQUIRE(off < 10 * tolerance);
}

/// The stress of uniaxial tension at an angle to axis 0, in the plane of axes 0 and 1. It also projects a strain
/// on that direction.
SR2<double>
tension(double angle)
{
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * c, s * s, 0, 0, 0, std::sqrt(2.0) * c * s};
}
} // namespace

TEST_CASE("equivalent stresses are those of the sources in many digits",
          "[kernels][equivalent_stresses]")
{
  for (const auto & row : neml2::test::equivalent_stresses)
  {
    SR2<double> s;
    std::copy_n(row.stress, 6, s.v);
    const std::string name = row.name;
    INFO(name << " of " << s[0] << " " << s[1]);
    const double found = name == "hill"             ? HillOf()(s)
                         : name == "hosford 8"      ? HosfordOf{8}(s)
                         : name == "hosford 100"    ? HosfordOf{100}(s)
                         : name == "drucker_prager" ? Cone{0.2}(s)
                         : name == "mohr_coulomb"   ? mohr_coulomb(s, 0.5)
                         : name == "yld2004 8"      ? Barlat{8}(s)
                         : name == "yld2004 100"    ? Barlat{100}(s)
                                                    : 0;
    REQUIRE(std::abs(found / row.value - 1) < 1e-14);
  }
}

TEST_CASE("equivalent stresses are that of von Mises in their isotropic cases",
          "[kernels][equivalent_stresses]")
{
  constexpr auto of_shear = [](const auto & s) { return 0.5 * sqrt3 * mohr_coulomb(s, 0.0, 0.0); };
  for (const SR2<double> & s : stresses())
  {
    require_same(HillOfIsotropic(), Mises(), s, 1e-13);
    require_same(Cone{0}, Mises(), s, 1e-13);
    require_same(of_shear, Mises(), s, 1e-13);
    const bool is_near = std::abs(s[0] - s[1]) == 1e-7; // quotients of rounded differences
    for (const double a : {2.0, 4.0})
    {
      require_same(HosfordOf{a}, Mises(), s, is_near ? 1e-8 : 1e-12);
      require_same(BarlatOfOnes{a}, Mises(), s, is_near ? 1e-8 : 1e-12);
    }
    for (const double a : {8.0, 100.0})
      require_same(BarlatOfOnes{a}, HosfordOf{a}, s, is_near ? 1e-6 : 1e-11);
  }
}

TEST_CASE("equivalent stresses are homogeneous of degree one", "[kernels][equivalent_stresses]")
{
  for_each_function(
      [](const std::string & name, const auto & f)
      {
        for (const SR2<double> & s : stresses())
        {
          INFO(name << " of " << s[0] << " " << s[1] << " " << s[2] << " " << s[5]);
          const auto [value, slope] = value_and_gradient<0>(f, s);
          for (const double factor : {3.0, 1e-150, 1e150, 1e-6})
          {
            const auto [scaled, same] = value_and_gradient<0>(f, s * factor);
            REQUIRE(close(scaled / factor, value, 1e-13));
            REQUIRE(close(same, slope, 1e-7)); // equal, except at nearly equal principal stresses
          }
          // Euler: s : ∂f/∂s = f, and so ∂²f/∂s² : s = 0
          REQUIRE(close(inner(s, slope), value, 1e-13));
          const SSR4<double> H = hessian<0>(f, s);
          const SR2<double> none = H * s;
          for (const double x : none.v)
            REQUIRE(std::abs(x) < 1e-13 * (1 + largest(H)));
          for (int i = 0; i < 6; i++)
            for (int j = 0; j < i; j++)
              REQUIRE(std::abs(H(i, j) - H(j, i)) < 1e-7 * (1 + largest(H)));
          REQUIRE(std::abs(tr(slope)) <
                  (name.rfind("drucker", 0) == 0 || name.rfind("mohr", 0) == 0 ? 10 : 1e-13));
        }
      });
}

TEST_CASE("equivalent stresses are convex", "[kernels][equivalent_stresses]")
{
  for_each_function(
      [](const std::string & name, const auto & f)
      {
        if (name == "mohr_coulomb 0.900000 0.000000") // there φ is above the limit sin φ = 3√3/8
          return;
        for (const SR2<double> & s : stresses())
        {
          const SSR4<double> H = hessian<0>(f, s);
          INFO(name << " of " << s[0] << " " << s[1] << " " << s[2] << " " << s[5]);
          REQUIRE(smallest_eigenvalue(H) > -1e-7 * (1 + largest(H)));
        }
      });
}

TEST_CASE("derivatives of equivalent stresses are those of differences",
          "[kernels][equivalent_stresses]")
{
  for_each_function(
      [](const std::string & name, const auto & f)
      {
        for (const SR2<double> & s : stresses())
        {
          if (std::abs(s[0] - s[1]) == 1e-7) // closer than the step of the differences
            continue;
          INFO(name << " of " << s[0] << " " << s[1] << " " << s[2] << " " << s[5]);
          const SR2<double> slope = gradient<0>(f, s);
          const SSR4<double> H = hessian<0>(f, s);
          const double h = 1e-4 * 8 / (8 + largest(H));
          for (int k = 0; k < 6; k++)
          {
            const auto at = [&](double step)
            {
              SR2<double> x = s;
              x[k] += step;
              return x;
            };
            const double once =
                (8 * (f(at(h)) - f(at(-h))) - (f(at(2 * h)) - f(at(-2 * h)))) / (12 * h);
            REQUIRE(std::abs(once - slope[k]) < 2e-6 * (1 + largest(H)));
          }
        }
      });
}

TEST_CASE("second derivatives of equivalent stresses are those of their gradients",
          "[kernels][equivalent_stresses]")
{
  const auto check = [](const std::string & name, const auto & f)
  {
    for (const SR2<double> & s : stresses())
    {
      if (std::abs(s[0] - s[1]) == 1e-7)
        continue;
      INFO(name << " of " << s[0] << " " << s[1] << " " << s[2] << " " << s[5]);
      const SSR4<double> H = hessian<0>(f, s);
      for (int k = 0; k < 6; k++)
      {
        const double h = 1e-5;
        SR2<double> up = s, down = s;
        up[k] += h;
        down[k] -= h;
        const SR2<double> a = gradient<0>(f, up), b = gradient<0>(f, down);
        for (int i = 0; i < 6; i++)
          REQUIRE(std::abs((a[i] - b[i]) / (2 * h) - H(i, k)) < 1e-5 * (1 + largest(H)));
      }
    }
  };
  check("hill", HillOf());
  check("hosford", HosfordOf{8});
  check("drucker_prager", Cone{0.2});
  check("mohr_coulomb", Pyramid{0.5, rounded_from});
  check("yld2004", Barlat{8});
}

TEST_CASE("yield stresses and r-values of Hill's sheet are those of closed forms",
          "[kernels][equivalent_stresses]")
{
  const auto [F, G, H, L, M, N] = sheet;
  (void)L, (void)M;
  for (int degrees = 0; degrees <= 90; degrees += 15)
  {
    const double angle = degrees * pi / 180, c = std::cos(angle), s = std::sin(angle);
    const SR2<double> pulled = tension(angle);
    const auto [value, flow] = value_and_gradient<0>(HillOf(), pulled);
    REQUIRE(close(value * value,
                  F * s * s * s * s + G * c * c * c * c + H * (c * c - s * s) * (c * c - s * s) +
                      2 * N * s * s * c * c,
                  1e-14));
    const double across = inner(tension(angle + pi / 2), flow);
    // Hill (1950), The Mathematical Theory of Plasticity, chapter XII
    REQUIRE(close(across / flow[2],
                  (H + (2 * N - F - G - 4 * H) * s * s * c * c) / (F * s * s + G * c * c),
                  1e-13));
  }
  REQUIRE(close(hill(SR2<double>(0, 0, 0, 1, 0, 0), sheet), std::sqrt(L), 1e-15)); // √2 s_12 is 1
  REQUIRE(close(hill(SR2<double>(0, 0, 0, 0, 1, 0), sheet), std::sqrt(M), 1e-15));
  REQUIRE(close(hill(SR2<double>(0, 0, 0, 0, 0, 1), sheet), std::sqrt(N), 1e-15));
  // one of F, G and H may be negative
  const Six negative(-0.1, 0.6, 0.4, 1, 1, 1);
  REQUIRE(close(hill(SR2<double>(1, 0, 0, 0, 0, 0), negative), 1.0, 1e-15));
}

TEST_CASE("Hosford's equivalent stress becomes Tresca's", "[kernels][equivalent_stresses]")
{
  for (const SR2<double> & s : stresses())
  {
    const Vec<double> l = eigenvalues(s);
    const double D = l[2] - l[0], x = l[1] - l[0], y = l[2] - l[1];
    REQUIRE(close(hosford(s, 8.0),
                  std::pow((std::pow(D, 8) + std::pow(x, 8) + std::pow(y, 8)) / 2, 1 / 8.0),
                  1e-14));
    REQUIRE(close(hosford(s, 1.0), D, 1e-14));
    for (const double a : {100.0, 1e4})
    {
      REQUIRE(hosford(s, a) <= D * (1 + 1e-15));
      REQUIRE(hosford(s, a) >= D * std::pow(0.5, 1 / a) * (1 - 1e-15));
    }
  }
}

TEST_CASE("Mohr's and Coulomb's equivalent stress is its pyramid except near the edges",
          "[kernels][equivalent_stresses]")
{
  int inside = 0;
  for (const SR2<double> & s : stresses())
    for (const double phi : {0.0, 0.4, 0.9})
    {
      const Vec<double> l = eigenvalues(s);
      const double exact = (l[2] - l[0]) + (l[2] + l[0]) * std::sin(phi);
      const double sin_3theta = -1.5 * sqrt3 * J3(s) / std::pow(J2(s), 1.5);
      const bool is_inside = std::abs(sin_3theta) < std::sin(3 * rounded_from);
      inside += is_inside;
      if (is_inside)
        REQUIRE(close(mohr_coulomb(s, phi), exact, 1e-13));
      else // the rounded pyramid is inside the exact one, and close to it
      {
        REQUIRE(mohr_coulomb(s, phi) > exact - 1e-13);
        REQUIRE(mohr_coulomb(s, phi) < exact + 0.06 * von_mises(s));
      }
    }
  REQUIRE(inside > 10);
  // value and slope are continuous at the transition
  const auto at = [](double theta)
  {
    SR2<double> s;
    for (int i = 0; i < 3; i++)
      s[i] = std::sin(theta + 2 * pi / 3 * (1 - i));
    return s;
  };
  for (const double side : {-1.0, 1.0})
  {
    const SR2<double> a = at(side * (rounded_from - 1e-9)), b = at(side * (rounded_from + 1e-9));
    const auto x = value_and_gradient<0>(Pyramid{0.6, rounded_from}, a),
               y = value_and_gradient<0>(Pyramid{0.6, rounded_from}, b);
    REQUIRE(close(x.first, y.first, 1e-8));
    REQUIRE(close(x.second, y.second, 1e-7));
  }
}

TEST_CASE("Drucker's and Prager's cones touch Mohr's and Coulomb's pyramid",
          "[kernels][equivalent_stresses]")
{
  for (const double phi : {0.2, 0.6, 1.0})
  {
    const double sin_phi = std::sin(phi);
    // the stresses at which the pyramid yields with c = 1: in compression, (l_2 - l_0) + (l_2 + l_0) sin φ = 2 cos φ
    const double compression = 2 * std::cos(phi) / (1 - sin_phi),
                 stretched = 2 * std::cos(phi) / (1 + sin_phi);
    for (const double p : {0.0, 0.5, 3.0}) // superposed pressure
      for (const double sign : {-1.0, 1.0})
      {
        const double more = sign < 0 ? -compression - 2 * p * sin_phi / (1 - sin_phi)
                                     : stretched + 2 * p * sin_phi / (1 + sin_phi);
        const SR2<double> s(more - p, -p, -p, 0, 0, 0);
        const double alpha = 2 * sin_phi / (sqrt3 * (3 + sign * sin_phi));
        const double k = 6 * std::cos(phi) / (3 + sign * sin_phi);
        REQUIRE(close(drucker_prager(s, alpha), k, 1e-13));
      }
  }
}

TEST_CASE("Barlat's equivalent stress has the measured yield stresses and r-values of 2090-T3",
          "[kernels][equivalent_stresses]")
{
  // Directions at 0, 15, ... 90° to the rolling direction. Source: Barlat et al. (2005), Int. J. Plasticity 21, 1009-1039.
  const double stress[] = {1.0, 0.9605, 0.9102, 0.8114, 0.8096, 0.8815, 0.9102},
               r[] = {0.2115, 0.3269, 0.6923, 1.5769, 1.0385, 0.5384, 0.6923};
  for (int i = 0; i < 7; i++)
  {
    const double angle = i * pi / 12;
    const auto [value, flow] = value_and_gradient<0>(Barlat{8}, tension(angle));
    INFO(15 * i << "°");
    REQUIRE(std::abs(1 / value - stress[i]) < 0.012);
    REQUIRE(std::abs(inner(tension(angle + pi / 2), flow) / flow[2] - r[i]) < 0.06);
  }
  const auto [value, flow] = value_and_gradient<0>(Barlat{8}, SR2<double>(1, 1, 0, 0, 0, 0));
  REQUIRE(std::abs(1 / value - 1.035) < 0.01);
  REQUIRE(std::abs(flow[1] / flow[0] - 0.67) < 0.01);
  // the coefficients belong to the right shears
  Nine sheared = ones;
  std::get<6>(sheared) = 1.3;
  REQUIRE(close(yld2004(SR2<double>(0, 0, 0, 1, 0, 0), sheared, sheared, 8.0),
                1.3 * hosford(SR2<double>(0, 0, 0, 1, 0, 0), 8.0),
                1e-14));
  REQUIRE(close(yld2004(SR2<double>(0, 0, 0, 0, 1, 1), sheared, sheared, 8.0),
                hosford(SR2<double>(0, 0, 0, 0, 1, 1), 8.0),
                1e-14));
}

TEST_CASE("equivalent stresses without a deviator have no derivatives except the pressure's",
          "[kernels][equivalent_stresses]")
{
  for (const double p : {0.0, 3.0})
  {
    const SR2<double> s(p, p, p, 0, 0, 0), one(1, 1, 1, 0, 0, 0);
    for_each_function(
        [&](const std::string & name, const auto & f)
        {
          INFO(name);
          const auto [value, slope] = value_and_gradient<0>(f, s);
          const double by_pressure = tr(slope) / 3;
          REQUIRE(close(slope, one * by_pressure, 1e-15));
          REQUIRE(close(value, 3 * by_pressure * p, 1e-15));
          if (name.rfind("drucker", 0) != 0 && name.rfind("mohr", 0) != 0)
            REQUIRE(by_pressure == 0);
          REQUIRE(largest(hessian<0>(f, s)) == 0);
        });
  }
}

TEST_CASE("equivalent stresses of NaN are NaN", "[kernels][equivalent_stresses]")
{
  for (int k = 0; k < 6; k++)
  {
    SR2<double> s(1, 2, 4, 0.5, 0.2, 0.3);
    s[k] = std::numeric_limits<double>::quiet_NaN();
    for_each_function(
        [&](const std::string & name, const auto & f)
        {
          INFO(name << ", component " << k);
          REQUIRE(std::isnan(f(s)));
        });
  }
}

TEST_CASE("parameters of equivalent stresses have derivatives", "[kernels][equivalent_stresses]")
{
  constexpr auto f = [](const auto & s, const auto & p, const auto & q, const auto & a)
  { return yld2004(s, p, q, a); };
  const SR2<double> s(1.4, 0.7, 2.0, 0.3, -0.2, 0.25);
  const auto [by_p, by_a] = gradient<1, 3>(f, s, first, second, 8.0);
  const double h = 1e-6;
  Nine up = first, down = first;
  std::get<1>(up) += h;
  std::get<1>(down) -= h;
  REQUIRE(
      close(std::get<1>(by_p), (f(s, up, second, 8.0) - f(s, down, second, 8.0)) / (2 * h), 1e-8));
  REQUIRE(
      close(by_a, (f(s, first, second, 8.0 + h) - f(s, first, second, 8.0 - h)) / (2 * h), 1e-8));
  constexpr auto of_hill = [](const auto & t, const auto & p) { return hill(t, p); };
  const auto by_six = gradient<1>(of_hill, s, sheet);
  REQUIRE(close(std::get<5>(by_six), s[5] * s[5] / (2 * hill(s, sheet)), 1e-14)); // N (√2 s_01)²
}

TEST_CASE("a residual of newton has a flow rule of an equivalent stress",
          "[kernels][equivalent_stresses]")
{
  // One implicit step; the direction of flow is that at its end: s = t - x ∂f/∂s, f = 1.
  const SR2<double> t(1.5, 0.1, 0.2, 0.3, -0.2, 0.4);
  constexpr auto solved = [](const auto & trial)
  {
    return newton(
        [](const auto & x, const auto & u)
        {
          const auto & [s, multiplier] = x;
          const auto [value, flow] =
              value_and_gradient<0>([](const auto & y) { return hosford(y, 8.0); }, s);
          return std::tuple(s - u + flow * multiplier, value - 1.0);
        },
        std::tuple(trial, 0.0 * trial[0]),
        trial);
  };
  const auto [s, multiplier] = solved(t);
  REQUIRE(close(hosford(s, 8.0), 1.0, 1e-9));
  REQUIRE(close(s + gradient<0>(HosfordOf{8}, s) * multiplier, t, 1e-9));
}
