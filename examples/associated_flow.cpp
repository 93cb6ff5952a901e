// SPDX-License-Identifier: MIT
// Associated flow of an anisotropic sheet: plastic strain along the gradient of an equivalent stress, in an implicit step of plasticity.
// The example predicts the yield stresses and the r-values of strips cut at angles to the direction of rolling, by Hill (1948), Hosford
// (1972) and Barlat's Yld2004-18p, and prints them beside the values measured on the aluminium 2090-T3.

#include "neml2/neml2.h"

#include <cmath>
#include <cstdio>

using namespace neml2;

// begin sheet
constexpr std::tuple first_transform(
    -0.069888, 0.936408, 0.079143, 1.003060, 0.524741, 1.363180, 1.023770, 1.069060, 0.954322);
constexpr std::tuple second_transform(
    0.981171, 0.476741, 0.575316, 0.866827, 1.145010, -0.079294, 1.051660, 1.147100, 1.404620);
constexpr auto r_values = hill_parameters(0.2115, 1.5769, 0.6923);

struct ByHill
{
  template <class S>
  auto operator()(const S & stress) const
  {
    return hill(stress, r_values);
  }
};
struct ByHosford
{
  template <class S>
  auto operator()(const S & stress) const
  {
    return hosford(stress, 8.0);
  }
};
struct ByBarlat
{
  template <class S>
  auto operator()(const S & stress) const
  {
    return yld2004(stress, first_transform, second_transform, 8.0);
  }
};
// end sheet

constexpr double yield_stress = 280.0, modulus = 1000.0; // MPa, along the direction of rolling

// begin step
/// The equations at the end of a step for the stress and the increment of the equivalent plastic
/// strain.
template <class Equivalent>
struct Residual
{
  template <class X, class S, class A, class C>
  auto operator()(const X & x, const S & trial, const A & alpha, const C & stiffness) const
  {
    const auto & [stress, increment] = x;
    const auto [value, direction] = value_and_gradient<0>(Equivalent(), stress);
    const auto yield = yield_stress + modulus * (alpha + increment);
    const auto is_elastic = Equivalent()(trial) <= yield_stress + modulus * alpha;
    return std::tuple((stress - trial + stiffness * (direction * increment)) / 70e3,
                      where(is_elastic, increment, (value - yield) / 70e3));
  }
};

/// An implicit step: stress, plastic strain and equivalent plastic strain at its end.
template <class Equivalent>
struct Step
{
  template <class S, class P, class A>
  auto operator()(const S & strain, const P & plastic_strain, const A & alpha) const
  {
    const auto stiffness = isotropic_E_nu(70e3 + 0.0 * alpha, 0.33 + 0.0 * alpha); // MPa
    const auto trial = stiffness * (strain - plastic_strain);
    const auto [stress, increment] =
        newton(Residual<Equivalent>(), std::tuple(trial, 0.0 * alpha), trial, alpha, stiffness);
    return std::tuple(
        stress, plastic_strain + gradient<0>(Equivalent(), stress) * increment, alpha + increment);
  }
};
// end step

/// Unit tension at an angle to the direction of rolling, or perpendicular to that direction.
SR2
pulled(const Scalar & angle)
{
  const Scalar c = cos(angle), s = sin(angle), none = 0.0 * angle;
  return SR2::fill(c * c, s * s, none, none, none, c * s);
}

template <class Equivalent>
void
show(const char * name, const Equivalent & equivalent)
{
  const Scalar degrees = Scalar::create({0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0}),
               angle = degrees * (3.14159265358979323846 / 180.0);
  const auto [value, flow] = value_and_gradient<0>(equivalent, pulled(angle));
  const Scalar stress = 1.0 / value,
               r = inner(pulled(angle + 0.5 * 3.14159265358979323846), flow) / flow(2);

  // A step with the elastic and plastic strains of tension must end in tension.
  const Scalar alpha = 0.0 * angle, increment = alpha + 0.02;
  const SR2 end = pulled(angle) * (stress * (yield_stress + modulus * increment)),
            strain = inv(SSR4::isotropic_E_nu(70e3, 0.33)) * end + flow * increment;
  const auto [found, plastic, grown] = vmap(Step<Equivalent>(), strain, SR2::zeros({7}), alpha);
  const double error =
      (at::Tensor(found) - at::Tensor(end)).abs().max().item<double>() / yield_stress;
  std::printf(error < 1e-7 ? "%s: the step ends in tension, to 1e-7\n"
                           : "%s: NO, the step is off by %.0e\n",
              name,
              error);
  std::printf("  yield stress over that at 0°");
  for (Size i = 0; i < 7; i++)
    std::printf("%8.3f", stress.batch_index({i}).item<double>());
  std::printf("\n  r-value                     ");
  for (Size i = 0; i < 7; i++)
    std::printf("%8.3f", r.batch_index({i}).item<double>());
  std::printf("\n");
}

int
main()
{
  std::printf(
      "                         degrees       0      15      30      45      60      75      90\n");
  // Source: Barlat, Aretz, Yoon, Karabin, Brem and Dick (2005), Int. J. Plasticity 21, 1009-1039.
  std::printf(
      "Measured on 2090-T3\n"
      "  yield stress over that at 0°   1.000   0.961   0.910   0.811   0.810   0.882   0.910\n"
      "  r-value                        0.212   0.327   0.692   1.577   1.039   0.538   0.692\n");
  show("Hill 1948", ByHill());
  show("Hosford", ByHosford());
  show("Yld2004-18p", ByBarlat());
}
