// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/exponential_map.h"
#include "neml2/tensors/WR2.h"

/// Skew tensors to rotations, and back. Quaternion.h has the exponential and logarithm of quaternions.
namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM ExpMap
{
  static constexpr auto name = "exp_map";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::exp_map(a);
  }
};
} // namespace tensors

/// The rotation of the matrix e^W, by the angle θ = |w| in radians about w: r = w tan(θ/4) / θ, by its
/// series for θ < 1. (...; 3) -> (...; 3)
/// Exact for any w: |r| > 1 for θ in (π, 3π). At θ = 2π, which has no finite r, it is infinite (with
/// rounding, about 1e16); close to 2π, |r| is about 4 / (2π - θ).
Rot exp_map(const WR2 & w);
/// ∂exp_map_i/∂w_j = g δ_ij + h w_i w_j, g = t / θ, h = ((1 + t²) / 4 - g) / θ², t = tan(θ/4), by their
/// series for θ < 1: δ_ij / 4 at w = 0. (...; 3) -> (...; 3, 3), per radian.
R2 dexp_map(const WR2 & w);
/// The skew tensor of angle 4 atan(|r|), at most 2π, whose exponential is the matrix of r:
/// 4 atan(|r|) r_i / |r|, by its series for |r| < 1/4. (...; 3) -> (...; 3), in radians.
/// exp_map(log_map(r)) is r; log_map(exp_map(w)) is w where |w| < 2π.
WR2 log_map(const Rot & r);

inline Rot
exp_map(const WR2 & w)
{
  return engine::evaluate_leaf<Rot>(tensors::ExpMap(), composed::exp_map, w);
}

inline R2
dexp_map(const WR2 & w)
{
  return engine::evaluate_leaf<R2>(
      "dexp_map",
      [](const auto & a) { return kernels::dexp_map(a); },
      composed::exp_map_derivative,
      w);
}

inline WR2
log_map(const Rot & r)
{
  return engine::evaluate_leaf<WR2>(
      "log_map", [](const auto & a) { return kernels::log_map(a); }, composed::log_map, r);
}

inline Rot
WR2::exp_map() const
{
  return neml2::exp_map(*this);
}

inline R2
WR2::dexp_map() const
{
  return neml2::dexp_map(*this);
}

inline Rot
WR2::exp() const
{
  return exp_map();
}

inline R2
WR2::dexp() const
{
  return dexp_map();
}

inline WR2
Rot::log_map() const
{
  return neml2::log_map(*this);
}
} // namespace neml2
