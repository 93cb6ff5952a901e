// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/WR2.h"

#include <cmath>

/// Maps from skew tensors to rotations, and back.
namespace neml2::kernels
{
/// c_0 + c_1 x + c_2 x² + ...; x may also be a tensor of LibTorch.
template <class T, int N>
NEML2_INLINE T
polynomial(const double (&c)[N], const T & x)
{
  T r = x * c[N - 1];
  NEML2_UNROLL
  for (int k = N - 2; k > 0; k--)
    r = (r + c[k]) * x;
  return r + c[0];
}

// tan(√u) / √u and its derivative with respect to u, with a relative error of 1e-16 for u < 1 / 16; source:
// Abramowitz and Stegun (1964), Handbook of Mathematical Functions, 4.3.67.
inline constexpr double tangent_series[] = {1.0,
                                            1.0 / 3,
                                            2.0 / 15,
                                            17.0 / 315,
                                            62.0 / 2835,
                                            1382.0 / 155925,
                                            21844.0 / 6081075,
                                            929569.0 / 638512875,
                                            6404582.0 / 10854718875,
                                            443861162.0 / 1856156927625,
                                            18888466084.0 / 194896477400625};
inline constexpr double tangent_slope_series[] = {1.0 / 3,
                                                  4.0 / 15,
                                                  17.0 * 3 / 315,
                                                  62.0 * 4 / 2835,
                                                  1382.0 * 5 / 155925,
                                                  21844.0 * 6 / 6081075,
                                                  929569.0 * 7 / 638512875,
                                                  6404582.0 * 8 / 10854718875,
                                                  443861162.0 * 9 / 1856156927625,
                                                  18888466084.0 * 10 / 194896477400625};
// atan(√s) / √s, with a relative error of 1e-16 for s < 1 / 16.
inline constexpr double arctangent_series[] = {1.0,
                                               -1.0 / 3,
                                               1.0 / 5,
                                               -1.0 / 7,
                                               1.0 / 9,
                                               -1.0 / 11,
                                               1.0 / 13,
                                               -1.0 / 15,
                                               1.0 / 17,
                                               -1.0 / 19,
                                               1.0 / 21,
                                               -1.0 / 23,
                                               1.0 / 25,
                                               -1.0 / 27};

/// exp_map and dexp_map use the series where w · w is below this value, because the quotients lose digits
/// there.
constexpr double exp_map_switch = 1;
/// log_map uses the series where r · r is below this value.
constexpr double log_map_switch = 1.0 / 16;

/// The rotation with the matrix e^W: w tan(θ/4) / θ with θ = |w|.
template <class T>
NEML2_INLINE Rot<T>
exp_map(const WR2<T> & w)
{
  using std::tan;
  const T s = norm_sq(w);
  const auto small = s < exp_map_switch;
  const T theta = sqrt(T(where(small, T(1.0), s)));
  const T near = 0.25 * polynomial(tangent_series, T(0.0625 * where(small, s, T(0.0))));
  const T g = where(small, near, T(tan(T(0.25 * theta)) / theta));
  return {g * w[0], g * w[1], g * w[2]};
}

/// The derivative of exp_map: g δ_ij + h w_i w_j with t = tan(θ/4), g = t / θ and h = ((1 + t²) / 4 - g) / θ².
template <class T>
NEML2_INLINE R2<T>
dexp_map(const WR2<T> & w)
{
  using std::tan;
  const T s = norm_sq(w);
  const auto small = s < exp_map_switch;
  const T u = T(0.0625 * where(small, s, T(0.0))), square = where(small, T(1.0), s);
  const T theta = sqrt(square), t = tan(T(0.25 * theta)), q = t / theta;
  const T g = where(small, T(0.25 * polynomial(tangent_series, u)), q);
  const T h = where(small,
                    T(0.03125 * polynomial(tangent_slope_series, u)),
                    T((0.25 + 0.25 * t * t - q) / square));
  const T x = h * w[0], y = h * w[1], z = h * w[2], xy = x * w[1], xz = x * w[2], yz = y * w[2];
  return {g + x * w[0], xy, xz, xy, g + y * w[1], yz, xz, yz, g + z * w[2]};
}

/// The skew tensor whose exponential is the matrix of r: 4 atan(|r|) r / |r|, with an angle of at most
/// 2π.
template <class T>
NEML2_INLINE WR2<T>
log_map(const Rot<T> & r)
{
  using std::atan2;
  const T s = norm_sq(r);
  const auto small = s < log_map_switch;
  const T n = sqrt(T(where(small, T(1.0), s)));
  const T near = 4.0 * polynomial(arctangent_series, T(where(small, s, T(0.0))));
  const T f = where(small, near, T(4.0 * atan2(n, T(1.0)) / n));
  return {f * r[0], f * r[1], f * r[2]};
}
} // namespace neml2::kernels
