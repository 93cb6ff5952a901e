// SPDX-License-Identifier: MIT
#include "neml2/kernels/isotropic.h"

#include "neml2/kernels/invariants.h"
#include "neml2/kernels/newton.h"

#include <cmath>
#include <string>
#include <utility>

#include "support/functions.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2::kernels;
using namespace neml2::test::functions;
using neml2::test::close;

namespace
{
/// Tensors that differ in how many of their eigenvalues are equal or nearly equal.
const std::pair<const char *, SR2<double>> cases[] = {
    {"different", {1.4, 0.7, 2.0, 0.3, -0.2, 0.25}},
    {"identity", {1, 1, 1, 0, 0, 0}},
    {"all equal", {2, 2, 2, 0, 0, 0}},
    {"first two equal", {2, 2, 3, 0, 0, 0}},
    {"last two equal", {0.5, 3, 3, 0, 0, 0}},
    {"two equal, turned", {2.25, 2.75, 2, 0, 0, std::sqrt(0.375)}},
    {"nearly equal", {1, 1 + 1e-9, 1 - 2e-9, 1e-9, 0, 3e-10}},
    {"two nearly equal", {1, 1 + 1e-7, 2, 0, 1e-8, 0}}};
const SR2<double> direction(0.3, -0.7, 0.4, 0.2, 0.9, -0.5);

struct Ogden
{
  template <class L, class M, class A>
  auto operator()(const L & l, const M & mu, const A & alpha) const
  {
    const auto p = 0.5 * alpha;
    return mu / alpha * (pow(l[0], p) + pow(l[1], p) + pow(l[2], p) - 3.0);
  }
};
struct OgdenByPowers
{
  template <class S, class M, class A>
  auto operator()(const S & C, const M & mu, const A & alpha) const
  {
    return mu / alpha * (tr(powm(C, 0.5 * alpha)) - 3.0);
  }
};
struct OwnOgden
{
  template <class S, class M, class A>
  auto operator()(const S & C, const M & mu, const A & alpha) const
  {
    return isotropic(Ogden(), C, mu, alpha);
  }
};

/// Checks that value, gradients and second derivatives of f and g are equal.
template <class F, class G, class... A>
void
require_same(const F & f, const G & g, double tolerance, const SR2<double> & s, const A &... a)
{
  REQUIRE(close(f(s, a...), g(s, a...), tolerance));
  REQUIRE(close(gradient<0>(f, s, a...), gradient<0>(g, s, a...), tolerance));
  REQUIRE(close(hessian<0>(f, s, a...), hessian<0>(g, s, a...), tolerance));
}

struct DetByEigenvalues
{
  template <class S>
  auto operator()(const S & s) const
  {
    return isotropic([](const auto & l) { return l[0] * l[1] * l[2]; }, s);
  }
};
struct Det
{
  template <class S>
  auto operator()(const S & s) const
  {
    return det(s);
  }
};
struct ExpByEigenvalues
{
  template <class S>
  auto operator()(const S & s) const
  {
    return isotropic(
        [](const auto & l)
        {
          auto y = l;
          for (int i = 0; i < 3; i++)
            y[i] = exp(l[i]);
          return y;
        },
        s);
  }
};
struct Exp
{
  template <class S>
  auto operator()(const S & s) const
  {
    return expm(s);
  }
};
/// c s tr s: each of its eigenvalues depends on all eigenvalues of s.
struct Coupled
{
  template <class S, class C>
  auto operator()(const S & s, const C & c) const
  {
    return isotropic(
        [](const auto & l, const auto & d) { return l * ((l[0] + l[1] + l[2]) * d); }, s, c);
  }
};
struct CoupledByTrace
{
  template <class S, class C>
  auto operator()(const S & s, const C & c) const
  {
    return s * (tr(s) * c);
  }
};

/// Σ_ij (l_i - m_j)², where l and m are the eigenvalues of two tensors.
struct OfTwo
{
  template <class S, class U>
  auto operator()(const S & s, const U & u) const
  {
    return isotropic(
        [](const auto & l, const auto & other)
        {
          return isotropic(
              [](const auto & m, const auto & k)
              {
                auto sum = (k[0] - m[0]) * (k[0] - m[0]);
                for (int i = 1; i < 9; i++)
                  sum = sum + (k[i / 3] - m[i % 3]) * (k[i / 3] - m[i % 3]);
                return sum;
              },
              other,
              l);
        },
        s,
        u);
  }
};
struct OfTwoByInvariants
{
  template <class S, class U>
  auto operator()(const S & s, const U & u) const
  {
    return 3.0 * norm_sq(s) + 3.0 * norm_sq(u) - 2.0 * tr(s) * tr(u);
  }
};

/// An energy of the two tensors s and s²; if Energy is a function of eigenvalues, such functions are nested.
template <class Energy>
struct OfTwoOf
{
  template <class S>
  auto operator()(const S & s) const
  {
    const S u = sym(full(s) * full(s));
    if constexpr (std::is_same_v<Energy, OwnOgden>)
      return OfTwo()(s, u);
    else
      return OfTwoByInvariants()(s, u);
  }
};

/// More functions of eigenvalues than are kept between the passes of a derivative; one of them is of another tensor, with its own order
/// of eigenvalues.
template <class Energy>
struct Sum
{
  template <class S, class A>
  auto operator()(const S & C, const A & alpha) const
  {
    auto sum = 0.3 * Energy()(C, 1.5, alpha) * Energy()(C, 0.5, -1.0);
    for (int k = 1; k < 5; k++)
      sum = sum + Energy()(C * double(k), 1.0 / k, 1.0 + k) * tr(C);
    return sum + OfTwoOf<Energy>()(C);
  }
};

struct ByFirst
{
  template <class S, class U>
  auto operator()(const S & s, const U & u) const
  {
    return gradient<0>(OfTwo(), s, u);
  }
};

template <class Energy>
struct Stress
{
  template <class S, class M, class A>
  auto operator()(const S & C, const M & mu, const A & alpha) const
  {
    return 2.0 * gradient<0>(Energy(), C, mu, alpha);
  }
};
template <class Energy>
struct StressOf
{
  template <class S, class A>
  auto operator()(const S & C, const A & alpha) const
  {
    return gradient<0>(Energy(), C, alpha);
  }
};
/// A derivative by three numbers: as many as there are eigenvalues, by which the inner derivatives are taken.
template <class Energy>
struct StressAlong
{
  template <class S, class V>
  auto operator()(const S & C, const V & v) const
  {
    return inner(gradient<0>(Energy(), C, v[0] + v[1] * v[2]), direction);
  }
};
/// The C at which the stress is t, found by Newton's method.
template <class Energy>
struct Inverse
{
  template <class S, class M>
  auto operator()(const S & t, const M & mu) const
  {
    return newton(
        [](const auto & C, const auto & u, const auto & m)
        {
          const auto e = C * 1.0 - SR2<double>(1, 1, 1, 0, 0, 0);
          return Stress<Energy>()(C, m, 3.0) + e - u;
        },
        SR2<double>(1, 1, 1, 0, 0, 0),
        t,
        mu);
  }
};
} // namespace

TEST_CASE("isotropic scalars and their derivatives are exact at and near equal eigenvalues",
          "[kernels][isotropic]")
{
  for (const auto & [name, s] : cases)
  {
    INFO(name);
    require_same(DetByEigenvalues(), Det(), 1e-13, s);
    for (const double alpha : {2.0, -1.0, 5.0})
      require_same(OwnOgden(), OgdenByPowers(), 1e-12, s, 1.5, alpha);
  }
}

TEST_CASE("isotropic scalars have derivatives by their other arguments", "[kernels][isotropic]")
{
  for (const auto & [name, s] : cases)
  {
    INFO(name);
    const auto a = gradient<0, 1, 2>(OwnOgden(), s, 1.5, 3.0),
               b = gradient<0, 1, 2>(OgdenByPowers(), s, 1.5, 3.0);
    REQUIRE(close(std::get<0>(a), std::get<0>(b), 1e-13));
    REQUIRE(close(std::get<1>(a), std::get<1>(b), 1e-13));
    REQUIRE(close(std::get<2>(a), std::get<2>(b), 1e-13));
    REQUIRE(close(
        hessian<2>(OwnOgden(), s, 1.5, 3.0), hessian<2>(OgdenByPowers(), s, 1.5, 3.0), 1e-13));
    // derivatives by alpha of the stress, and by C of ∂W/∂α
    const auto mixed = jacobian<2>(Stress<OwnOgden>(), s, 1.5, 3.0);
    REQUIRE(close(mixed, jacobian<2>(Stress<OgdenByPowers>(), s, 1.5, 3.0), 1e-12));
  }
}

TEST_CASE("isotropic tensors and their derivative are exact at and near equal eigenvalues",
          "[kernels][isotropic]")
{
  for (const auto & [name, s] : cases)
  {
    INFO(name);
    const auto [value, slope] = value_and_jacobian<0>(ExpByEigenvalues(), s);
    REQUIRE(close(value, expm(s), 1e-14));
    REQUIRE(close(
        SR2<double>(slope * direction), dexpm(s, direction), 1e-10)); // nearly equal eigenvalues
    const auto a = value_and_jacobian<0>(Coupled(), s, 0.7),
               b = value_and_jacobian<0>(CoupledByTrace(), s, 0.7);
    REQUIRE(close(a.first, b.first, 1e-14));
    REQUIRE(close(a.second, b.second, 1e-13));
    REQUIRE(close(jacobian<1>(Coupled(), s, 0.7), jacobian<1>(CoupledByTrace(), s, 0.7), 1e-14));
  }
}

TEST_CASE("an isotropic function of two tensors is one in another", "[kernels][isotropic]")
{
  for (const auto & [name, s] : cases)
    for (const auto & [other, u] : cases)
    {
      INFO(name << ", " << other);
      const auto a = gradient<0, 1>(OfTwo(), s, u), b = gradient<0, 1>(OfTwoByInvariants(), s, u);
      REQUIRE(close(std::get<0>(a), std::get<0>(b), 1e-12));
      REQUIRE(close(std::get<1>(a), std::get<1>(b), 1e-12));
      REQUIRE(close(hessian<0>(OfTwo(), s, u), hessian<0>(OfTwoByInvariants(), s, u), 1e-12));
      REQUIRE(close(hessian<1>(OfTwo(), s, u), hessian<1>(OfTwoByInvariants(), s, u), 1e-12));
      // the mixed second derivatives are -2 δ δ
      const SR2<double> one(1, 1, 1, 0, 0, 0);
      REQUIRE(close(SR2<double>(jacobian<1>(ByFirst(), s, u) * direction),
                    SR2<double>(one * (-2.0 * tr(direction))),
                    1e-12));
    }
}

TEST_CASE("isotropic functions are told from one another in the parts of a derivative",
          "[kernels][isotropic]")
{
  for (const auto & [name, s] : cases)
  {
    INFO(name);
    require_same(Sum<OwnOgden>(), Sum<OgdenByPowers>(), 1e-12, s, 3.0);
    REQUIRE(close(jacobian<1>(StressOf<Sum<OwnOgden>>(), s, 3.0),
                  jacobian<1>(StressOf<Sum<OgdenByPowers>>(), s, 3.0),
                  1e-12));
    const Vec<double> v(1.0, 2.0, 1.0);
    REQUIRE(close(gradient<1>(StressAlong<Sum<OwnOgden>>(), s, v),
                  gradient<1>(StressAlong<Sum<OgdenByPowers>>(), s, v),
                  1e-12));
  }
}

TEST_CASE("a residual of newton has gradients of isotropic energies", "[kernels][isotropic]")
{
  const SR2<double> t(0.2, -0.1, 0.05, 0.1, 0.02, -0.04);
  for (const auto & stress : {t, SR2<double>(), SR2<double>(0.1, 0.1, 0.1, 0, 0, 0)})
  {
    const auto a = value_and_jacobian<0>(Inverse<OwnOgden>(), stress, 1.5),
               b = value_and_jacobian<0>(Inverse<OgdenByPowers>(), stress, 1.5);
    REQUIRE(close(a.first, b.first, 1e-12));
    REQUIRE(close(a.second, b.second, 1e-11));
  }
}

TEST_CASE("eigenvectors of equal eigenvalues have no derivatives", "[kernels][isotropic]")
{
  constexpr auto exp_by_vectors = [](const auto & s)
  {
    const auto [l, V] = eigh(s);
    auto y = l;
    for (int i = 0; i < 3; i++)
      y[i] = exp(l[i]);
    return ieigh(y, V);
  };
  const SR2<double> different(1.4, 0.7, 2.0, 0.3, -0.2, 0.25), pair(2, 2, 3, 0, 0, 0);
  REQUIRE(close(jacobian<0>(exp_by_vectors, different), dexpm(different), 1e-12));
  const auto J = jacobian<0>(exp_by_vectors, pair);
  REQUIRE(std::isnan(J(5, 5))); // 0 would leave out the shear between the two eigenvectors
  // a result that does not depend on the tensor has a derivative of zero
  constexpr auto scaled = [](const auto & s, const auto & c)
  {
    const auto [l, V] = eigh(s);
    return ieigh(l, V) * c;
  };
  REQUIRE(close(jacobian<1>(scaled, pair, 2.0), pair, 1e-14));
  constexpr auto along = [](const auto & c, const auto & s)
  { return eigh(s * (c - c + 1.0)).second; };
  for (const double d : jacobian<0>(along, 2.0, pair).v)
    REQUIRE(d == 0);
}
