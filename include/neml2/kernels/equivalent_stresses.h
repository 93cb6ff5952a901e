// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/invariants.h"
#include "neml2/kernels/isotropic.h"

#include <cmath>

/**
 * Equivalent stresses, which are homogeneous of degree one. Each formula is written once, in a function for rows (single tensors) and
 * whole batches. Powers are taken of stresses divided by their largest difference D, so that no power overflows: f(s) = D f(s / D). The
 * derivatives of D cancel.
 */
namespace neml2::kernels
{
constexpr double sqrt6 = 2.4494897427831780982; ///< √6
constexpr double rounded_from =
    25.0 * pi / 180.0; ///< mohr_coulomb is rounded where |Lode angle| is at least this

/// a, or a positive number where a is zero, so that divisions and roots are defined.
template <class C, class T>
NEML2_CALLS_FORMULA auto
or_one(const C & is_zero, const T & a)
{
  return where(is_zero, a + 1.0, a);
}

/// √(F (s11 - s22)² + G (s22 - s00)² + H (s00 - s11)² + 2 L s12² + 2 M s02² + 2 N s01²)
struct Hill
{
  template <class S, class P>
  NEML2_CALLS_FORMULA auto operator()(const S & s, const P & parameters) const
  {
    const auto & [F, G, H, L, M, N] = parameters;
    const auto x = s(1, 1) - s(2, 2), y = s(2, 2) - s(0, 0), z = s(0, 0) - s(1, 1);
    const auto a = s(1, 2), b = s(0, 2), c = s(0, 1);
    const auto D =
        maximum(maximum(maximum(abs(x), abs(y)), abs(z)), maximum(maximum(abs(a), abs(b)), abs(c)));
    const auto is_zero = D == 0.0;
    const auto scale = or_one(is_zero, D);
    const auto square = [&scale](const auto & stress)
    {
      const auto ratio = stress / scale;
      return ratio * ratio;
    };
    const auto sum = F * square(x) + G * square(y) + H * square(z) +
                     2.0 * (L * square(a) + M * square(b) + N * square(c));
    return where(is_zero, 0.0 * sum, D * sqrt(or_one(is_zero, sum)));
  }
};

/// ((|l0 - l1|^a + |l1 - l2|^a + |l2 - l0|^a) / 2)^(1/a) of principal stresses in ascending order.
struct PrincipalHosford
{
  template <class V, class A>
  NEML2_CALLS_FORMULA auto operator()(const V & l, const A & a) const
  {
    using std::pow;
    const auto D = l(2) - l(0);
    const auto is_zero = D == 0.0;
    const auto scale = or_one(is_zero, D);
    const auto sum = 1.0 + pow((l(1) - l(0)) / scale, a) + pow((l(2) - l(1)) / scale, a);
    return where(is_zero, 0.0 * D, D * pow(0.5 * sum, 1.0 / a));
  }
};
struct Hosford
{
  template <class S, class A>
  NEML2_CALLS_FORMULA auto operator()(const S & s, const A & a) const
  {
    return isotropic(PrincipalHosford(), s, a);
  }
};

struct DruckerPrager
{
  template <class S, class A>
  NEML2_CALLS_FORMULA auto operator()(const S & s, const A & alpha) const
  {
    return von_mises(s) + sqrt3 * alpha * tr(s);
  }
};

/// 2/3 tr(s) sin φ + 2 √J2 K(θ). K is cos θ - sin φ sin θ / √3 between the corners, and A - B sin 3θ near them.
struct MohrCoulomb
{
  template <class S, class P, class T>
  NEML2_CALLS_FORMULA auto operator()(const S & s, const P & phi, const T & transition) const
  {
    using std::asin;
    using std::cos;
    using std::sin;
    const auto d = dev(s);
    const auto r = norm(d); // √(2 J2)
    const auto sin_3theta = -3.0 * sqrt6 * det(d / or_one(r == 0.0, r));
    const auto is_corner = abs(sin_3theta) >= sin(3.0 * transition);
    const auto part = sin(phi) / sqrt3;
    const auto theta = asin(where(is_corner, 0.0 * sin_3theta, sin_3theta)) / 3.0;
    const auto between = cos(theta) - part * sin(theta);
    const auto side = where(sin_3theta < 0.0, 0.0 * sin_3theta - 1.0, 0.0 * sin_3theta + 1.0);
    const auto sin_end = side * sin(transition);
    const auto B = (sin_end + part * cos(transition)) / (3.0 * cos(3.0 * transition));
    const auto near =
        cos(transition) - part * sin_end + B * (side * sin(3.0 * transition) - sin_3theta);
    return 2.0 / 3.0 * sin(phi) * tr(s) + sqrt2 * r * where(is_corner, near, between);
  }
};

/// (Σ_ij |l_i - m_j|^a / 4)^(1/a) of two lists of principal values in ascending order.
struct PrincipalYld2004
{
  template <class V, class W, class A>
  NEML2_CALLS_FORMULA auto operator()(const V & l, const W & m, const A & a) const
  {
    using std::pow;
    const auto D = maximum(m(2) - l(0), l(2) - m(0));
    const auto is_zero = D == 0.0;
    const auto scale = or_one(is_zero, D);
    // abs(d) has the slope 0 at d = 0, so the second derivative of its square would be 0 there instead of 2
    const auto power = [&scale, &a](const auto & d)
    { return pow(where(d < 0.0, -d, d) / scale, a); };
    auto sum = power(l(0) - m(0));
    for (int k = 1; k < 9; k++)
      sum = sum + power(l(k / 3) - m(k % 3));
    return where(is_zero, 0.0 * D, D * pow(0.25 * or_one(is_zero, sum), 1.0 / a));
  }
};
struct SecondOfYld2004
{
  template <class V, class S, class A>
  NEML2_CALLS_FORMULA auto operator()(const V & l, const S & s, const A & a) const
  {
    return isotropic(Swapped(), s, l, a);
  }

private:
  struct Swapped
  {
    template <class W, class V, class A>
    NEML2_CALLS_FORMULA auto operator()(const W & m, const V & l, const A & a) const
    {
      return PrincipalYld2004()(l, m, a);
    }
  };
};
/// Fill makes a symmetric tensor from its components.
template <class Fill>
struct Yld2004
{
  template <class S, class P, class Q, class A>
  NEML2_CALLS_FORMULA auto
  operator()(const S & s, const P & first, const Q & second, const A & a) const
  {
    return isotropic(SecondOfYld2004(), transformed(s, first), transformed(s, second), a);
  }

private:
  template <class S, class P>
  NEML2_CALLS_FORMULA static auto transformed(const S & s, const P & c)
  {
    const auto & [c12, c13, c21, c23, c31, c32, c44, c55, c66] = c;
    const auto x = (s(0, 0) - s(1, 1)) / 3.0, y = (s(1, 1) - s(2, 2)) / 3.0,
               z = (s(2, 2) - s(0, 0)) / 3.0;
    const auto d0 = x - z, d1 = y - x, d2 = z - y; // the deviator
    return Fill()(-(c12 * d1 + c13 * d2),
                  -(c21 * d0 + c23 * d2),
                  -(c31 * d0 + c32 * d1),
                  c44 * s(1, 2),
                  c55 * s(0, 2),
                  c66 * s(0, 1));
  }
};
struct FillSR2
{
  template <class... T>
  NEML2_CALLS_FORMULA auto operator()(const T &... components) const
  {
    return fill_SR2(components...);
  }
};

template <class T, class P>
NEML2_CALLS_FORMULA auto
hill(const SR2<T> & s, const P & parameters)
{
  return Hill()(s, parameters);
}
template <class T, class A>
NEML2_CALLS_FORMULA auto
hosford(const SR2<T> & s, const A & a)
{
  return Hosford()(s, a);
}
template <class T, class A>
NEML2_CALLS_FORMULA auto
drucker_prager(const SR2<T> & s, const A & alpha)
{
  return DruckerPrager()(s, alpha);
}
template <class T, class P, class A = double>
NEML2_CALLS_FORMULA auto
mohr_coulomb(const SR2<T> & s, const P & phi, const A & transition = rounded_from)
{
  return MohrCoulomb()(s, phi, transition);
}
template <class T, class P, class Q, class A>
NEML2_CALLS_FORMULA auto
yld2004(const SR2<T> & s, const P & first, const Q & second, const A & a)
{
  return Yld2004<FillSR2>()(s, first, second, a);
}
} // namespace neml2::kernels
