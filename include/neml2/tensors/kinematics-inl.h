// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/kinematics.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/kinematics.h"
#include "neml2/tensors/spectral.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM PolarRotation : GainsFromAvx512
{
  static constexpr auto name = "polar_rotation";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::polar_rotation(a);
  }
};

struct NEML2_ONE_A_PROGRAM NearestRotation : GainsFromAvx512
{
  static constexpr auto name = "nearest_rotation";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::nearest_rotation(a);
  }
};

struct NEML2_ONE_A_PROGRAM RightCauchyGreen
{
  static constexpr auto name = "right_cauchy_green";
  template <class A>
  NEML2_INLINE auto operator()(const A & f) const
  {
    return kernels::right_cauchy_green(f);
  }
};

struct NEML2_ONE_A_PROGRAM LeftCauchyGreen
{
  static constexpr auto name = "left_cauchy_green";
  template <class A>
  NEML2_INLINE auto operator()(const A & f) const
  {
    return kernels::left_cauchy_green(f);
  }
};

struct NEML2_ONE_A_PROGRAM GreenLagrange
{
  static constexpr auto name = "green_lagrange";
  template <class A>
  NEML2_INLINE auto operator()(const A & f) const
  {
    return kernels::green_lagrange(f);
  }
};

struct NEML2_ONE_A_PROGRAM HenckyStrain : GainsFromAvx512
{
  static constexpr auto name = "hencky_strain";
  template <class A>
  NEML2_INLINE auto operator()(const A & f) const
  {
    return kernels::hencky_strain(f);
  }
};
} // namespace tensors

NEML2_BODY R2
polar_rotation(const R2 & F)
{
  return engine::evaluate_leaf<R2>(tensors::PolarRotation(), composed::polar_rotation, F);
}

NEML2_BODY std::pair<R2, SR2>
polar(const R2 & F)
{
  const R2 R = polar_rotation(F);
  return {R,
          engine::evaluate<SR2>(
              "polar", [](const auto & r, const auto & f) { return sym(transpose(r) * f); }, R, F)};
}

NEML2_BODY R2
nearest_rotation(const R2 & A)
{
  return engine::evaluate_leaf<R2>(tensors::NearestRotation(), composed::nearest_rotation, A);
}

NEML2_BODY Vec
principal_stretches(const R2 & F)
{
  return engine::evaluate<Vec>(
      "principal_stretches",
      packs::Wide([](const auto & f) { return eigh(sym(transpose(polar_rotation(f)) * f)).first; }),
      F);
}

NEML2_BODY SR2
right_stretch(const R2 & F)
{
  return engine::evaluate<SR2>(
      "right_stretch",
      packs::Wide([](const auto & f) { return sym(transpose(polar_rotation(f)) * f); }),
      F);
}

NEML2_BODY SR2
left_stretch(const R2 & F)
{
  return engine::evaluate<SR2>(
      "left_stretch",
      packs::Wide([](const auto & f) { return sym(f * transpose(polar_rotation(f))); }),
      F);
}

NEML2_BODY SR2
right_cauchy_green(const R2 & F)
{
  return engine::evaluate_leaf<SR2>(tensors::RightCauchyGreen(), composed::right_cauchy_green, F);
}

NEML2_BODY SR2
left_cauchy_green(const R2 & F)
{
  return engine::evaluate_leaf<SR2>(tensors::LeftCauchyGreen(), composed::left_cauchy_green, F);
}

NEML2_BODY SR2
green_lagrange(const R2 & F)
{
  return engine::evaluate_leaf<SR2>(tensors::GreenLagrange(), composed::green_lagrange, F);
}

NEML2_BODY SR2
hencky_strain(const R2 & F)
{
  return engine::evaluate_leaf<SR2>(tensors::HenckyStrain(), composed::hencky_strain, F);
}

NEML2_BODY SR2
push_forward(const SR2 & s, const R2 & F)
{
  return rotate(s, F); // rotate accepts any matrix F
}

NEML2_BODY SR2
pull_back(const SR2 & s, const R2 & F)
{
  return engine::evaluate<SR2>(
      "pull_back", [](const auto & a, const auto & f) { return rotate(a, inv(f)); }, s, F);
}

NEML2_BODY SR2
push_forward_covariant(const SR2 & e, const R2 & F)
{
  return engine::evaluate<SR2>(
      "push_forward_covariant",
      [](const auto & a, const auto & f) { return rotate(a, transpose(inv(f))); },
      e,
      F);
}

NEML2_BODY SR2
pull_back_covariant(const SR2 & e, const R2 & F)
{
  return engine::evaluate<SR2>(
      "pull_back_covariant",
      [](const auto & a, const auto & f) { return rotate(a, transpose(f)); },
      e,
      F);
}

NEML2_BODY SSR4
push_forward(const SSR4 & C, const R2 & F)
{
  return rotate(C, F);
}

NEML2_BODY SSR4
pull_back(const SSR4 & C, const R2 & F)
{
  return engine::evaluate<SSR4>(
      "pull_back", [](const auto & a, const auto & f) { return rotate(a, inv(f)); }, C, F);
}
} // namespace neml2
