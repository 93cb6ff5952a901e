// SPDX-License-Identifier: MIT
// Solids defined by energies: stresses and tangents are derivatives in formulas. A tension test then solves equations that contain
// such a stress.

#include "neml2/neml2.h"

#include <cstdio>

using namespace neml2;

// begin energies
/// log J, with J² = det C; energies of a change of volume depend on it.
constexpr auto log_J = [](const auto & C) { return 0.5 * log(det(C)); };

/// Source: Bonet and Wood (2008), Nonlinear Continuum Mechanics for Finite Element Analysis, eq. 6.27.
constexpr auto neo_hooke = [](const auto & C, const auto & mu, const auto & lambda)
{
  const auto change = log_J(C);
  return 0.5 * mu * (tr(C) - 3.0) - mu * change + 0.5 * lambda * change * change;
};

/// One term of Ogden's energy: the squares of the stretches are the eigenvalues of C, and the sum of their powers is the trace of a
/// power of C. Source: Ogden (1972), Proc. R. Soc. Lond. A 326, 565-584.
constexpr auto ogden = [](const auto & C, const auto & mu, const auto & alpha, const auto & lambda)
{
  const auto change = log_J(C), half = 0.5 * alpha;
  return mu / alpha * (tr(powm(C, half)) - 3.0) - mu * change + 0.5 * lambda * change * change;
};

/// The same term as a function of the eigenvalues of C, the squares of the stretches.
constexpr auto of_squares =
    [](const auto & l, const auto & mu, const auto & alpha, const auto & lambda)
{
  const auto change = 0.5 * log(l(0) * l(1) * l(2)), half = 0.5 * alpha;
  const auto powers = pow(l(0), half) + pow(l(1), half) + pow(l(2), half);
  return mu / alpha * (powers - 3.0) - mu * change + 0.5 * lambda * change * change;
};
constexpr auto ogden_by_stretches = [](const auto & C, const auto &... parameters)
{ return isotropic(of_squares, C, parameters...); };
// end energies

// begin stresses
/// S = 2 ∂W/∂C, the second Piola-Kirchhoff stress.
constexpr auto stress_of_neo_hooke = [](const auto & C, const auto &... parameters)
{ return 2.0 * gradient<0>(neo_hooke, C, parameters...); };
constexpr auto stress_of_ogden = [](const auto & C, const auto &... parameters)
{ return 2.0 * gradient<0>(ogden, C, parameters...); };
constexpr auto stress_by_stretches = [](const auto & C, const auto &... parameters)
{ return 2.0 * gradient<0>(ogden_by_stretches, C, parameters...); };
// end stresses

// begin tension
/// The stretch across a specimen that is pulled, whose sides are free of stress.
constexpr auto across = [](const auto & stretch, const auto & mu, const auto & lambda)
{
  const auto side = [](const auto & x, const auto & l, const auto & m, const auto & k)
  {
    const auto square = x * x;
    return stress_of_neo_hooke(SR2::fill(l * l, square, square), m, k)(1, 1) / m;
  };
  return newton(side, 1.0 / sqrt(stretch), stretch, mu, lambda);
};
// end tension

void
check(const char * what, const at::Tensor & a, const at::Tensor & b)
{
  const double error = ((a - b).abs().max() / b.abs().max()).item<double>();
  std::printf(error < 1e-12 ? "%s, to 1e-12\n" : "%s: NO, but to %.0e\n", what, error);
}

int
main()
{
  const Scalar shear = Scalar::create({0.0, 0.1, 0.2, 0.3, 0.4}); // (5; ), from no strain on
  const SR2 C = SR2::fill(1.0) + shear * SR2::fill(0.9, 0.2, -0.3, 0.4, -0.2, 0.6);
  const double mu = 0.4, lambda = 2.0; // MPa

  // begin tangent
  const auto [S, slope] = value_and_jacobian<0>(stress_of_neo_hooke, C, mu, lambda);
  const SSR4 tangent = 2.0 * slope;
  // end tangent
  const SR2 inverse = inv(C);
  const Scalar change = 0.5 * log(det(C));
  check("neo-Hooke: the stress is that written by hand",
        S,
        mu * (SR2::fill(1.0) - inverse) + lambda * change * inverse);
  check("neo-Hooke: the tangent is the Hessian of the energy",
        tangent,
        4.0 * hessian<0>(neo_hooke, C, mu, lambda));
  check("neo-Hooke: the tangent without strain is that of Hooke's law",
        tangent.batch_index({0}),
        SSR4::isotropic_K_G(lambda + 2.0 / 3.0 * mu, mu));

  // With exponent 2 Ogden's solid is the neo-Hookean one, including its derivatives at equal
  // eigenvalues.
  const auto [T, by] = value_and_jacobian<0>(stress_of_ogden, C, mu, 2.0, lambda);
  check("Ogden: the stress of exponent 2 is neo-Hooke's", T, S);
  check("Ogden: the tangent of exponent 2 is neo-Hooke's", 2.0 * by, tangent);
  const auto [P, slope_of_P] = value_and_jacobian<0>(stress_of_ogden, C, mu, 5.0, lambda);
  const auto [Q, slope_of_Q] = value_and_jacobian<0>(stress_by_stretches, C, mu, 5.0, lambda);
  check("Ogden: the stress is the same by the stretches", Q, P);
  check("Ogden: the tangent is the same by the stretches", slope_of_Q, slope_of_P);

  const Scalar stretch = Scalar::create({1.0, 1.5, 2.0, 3.0, 4.0});
  const auto [x, slope_of_x] = value_and_jacobian<0>(across, stretch, mu, lambda);
  const Scalar volume = 0.5 * log(stretch * stretch * x * x * x * x);
  check("tension: mu (x² - 1) + lambda log J is 0", mu * x * x + lambda * volume, mu + 0.0 * x);
  std::printf("\nstretch   across   its slope\n");
  for (Size i = 0; i < 5; i++)
    std::printf("%7.1f  %7.4f  %10.4f\n",
                stretch.batch_index({i}).item<double>(),
                x.batch_index({i}).item<double>(),
                slope_of_x.batch_index({i}).item<double>());
}
