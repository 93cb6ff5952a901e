// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/spectral.h"

namespace neml2::kernels
{
constexpr double sqrt3 = 1.7320508075688772935;            ///< √3
constexpr double sqrt_of_3_halves = 1.2247448713915890491; ///< √(3/2)

/// s_kk
template <class T>
NEML2_INLINE constexpr T
I1(const SR2<T> & s)
{
  return tr(s);
}

/// Sum of the principal minors.
template <class T>
NEML2_INLINE constexpr T
I2(const SR2<T> & s)
{
  return T(s[0] * s[1] + s[1] * s[2] + s[2] * s[0] -
           0.5 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/// s_kk / 3
template <class T>
NEML2_INLINE constexpr T
hydrostatic(const SR2<T> & s)
{
  return T(tr(s) * (1.0 / 3.0));
}

/// The deviator, computed from differences of the normal components. These differences are exact where the components are close, whereas
/// dev has the round-off of the mean as its error.
template <class T>
NEML2_INLINE constexpr SR2<T>
dev_of_differences(const SR2<T> & s)
{
  const T x = s[0] - s[1], y = s[1] - s[2], z = s[2] - s[0];
  return {(x - z) * (1.0 / 3.0), (y - x) * (1.0 / 3.0), (z - y) * (1.0 / 3.0), s[3], s[4], s[5]};
}

/// det s
template <class T>
NEML2_INLINE constexpr T
I3(const SR2<T> & s)
{
  return det(s);
}

/// d_ij d_ij / 2 of the deviator d
template <class T>
NEML2_INLINE constexpr T
J2(const SR2<T> & s)
{
  return T(norm_sq(dev_of_differences(s)) * 0.5);
}

/// det d of the deviator d
template <class T>
NEML2_INLINE constexpr T
J3(const SR2<T> & s)
{
  return det(dev_of_differences(s));
}

/// √(3 J2)
template <class T>
NEML2_INLINE T
von_mises(const SR2<T> & s)
{
  return T(norm(dev_of_differences(s)) * sqrt_of_3_halves);
}

/// hydrostatic / von_mises
template <class T>
NEML2_INLINE T
triaxiality(const SR2<T> & s)
{
  return T(hydrostatic(s) / von_mises(s));
}

/// The angle in [0, π/3] with tan θ = √3 (λ_1 - λ_0) / (2 λ_2 - λ_1 - λ_0), where λ are the eigenvalues; 0 where
/// they are equal.
template <class T>
NEML2_INLINE T
lode_angle(const SR2<T> & s)
{
  const Vec<T> l = eigenvalues(s);
  const T x = T((l[2] - l[1]) + (l[2] - l[0])), y = T((l[1] - l[0]) * sqrt3);
  const auto is_zero = equals_zero(x);
  const T ratio = T(where(is_zero, T(0.0), y) / where(is_zero, T(1.0), x));
  using std::atan2;
  return atan2(ratio, T(1.0));
}
} // namespace neml2::kernels
