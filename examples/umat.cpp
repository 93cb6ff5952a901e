// SPDX-License-Identifier: MIT
// A user subroutine UMAT of Abaqus/Standard: a formula at one point, without LibTorch. It needs the headers alone:
//
//     c++ -std=c++17 -O2 -Iinclude -c examples/umat.cpp
//
// main() calls UMAT as the solver does, in steps of strain, and compares the tangent with
// differences.

#include "neml2/packs/at_point.h"
#include "neml2/packs/umat.h"

#include "neml2/kernels/invariants.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

using neml2::kernels::SR2;

namespace
{
// begin update
/// Von Mises plasticity with Voce's hardening: stress and new state from the strain, the old state and the material.
constexpr auto update = [](const auto & strain, const auto & old, const auto & material)
{
  const auto & [plastic, alpha] = old;
  const auto & [G, K, yield, Q, b] = material;
  const auto trial = 2.0 * G * dev(strain - plastic);
  const auto mises = maximum(von_mises(trial), 1e-12);
  const auto over = [](const auto & dp, const auto & q, const auto & a, const auto & m)
  {
    const auto & [shear, bulk, first, more, rate] = m;
    return (q - 3.0 * shear * dp - first - more * (1.0 - exp(-rate * (a + dp)))) / first;
  };
  const auto flows = over(0.0, mises, alpha, material) > 0.0;
  const auto dp = where(flows, newton(over, 0.0, mises, alpha, material), 0.0);
  const auto flow = trial * (1.5 * dp / mises);
  return std::tuple(3.0 * K * vol(strain) + trial - 2.0 * G * flow,
                    std::tuple(plastic + flow, alpha + dp));
};
// end update
} // namespace

// begin umat
NEML2_UMAT(call)
{
  if (!call.fits(7, 5, "umat"))
    return;
  const std::tuple old(call.read<SR2<double>>(0), call.statev[6]);
  const double * const p = call.props;
  const std::tuple material(p[0], p[1], p[2], p[3], p[4]);

  const auto [results, tangent] =
      neml2::value_and_jacobian_at_point<0, 0>(update, call.strain(), old, material);
  const auto & [stress, state] = results;
  const auto & [plastic, alpha] = state;

  if (std::isnan(alpha)) // Newton's method did not converge
    return call.retry();
  call.give(stress, tangent);
  call.write(0, plastic);
  call.statev[6] = alpha;
}
// end umat

namespace
{
/// The arguments that a solver passes.
struct Point
{
  double stress[6]{}, statev[7]{}, ddsdde[36]{}, strain[6]{};

  void step(const double * increment)
  {
    const double none[9]{}, props[] = {77e3, 167e3, 250, 120, 15},
                            drot[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double spare[6], pnewdt = 1;
    const int n[] = {3, 3, 6, 7, 5};
    umat_(stress,
          statev,
          ddsdde,
          spare,
          spare,
          spare,
          spare,
          spare,
          spare,
          spare,
          strain,
          increment,
          none,
          none,
          none,
          none,
          none,
          none,
          "VOCE",
          n,
          n + 1,
          n + 2,
          n + 3,
          props,
          n + 4,
          none,
          drot,
          &pnewdt,
          none,
          none,
          none,
          n,
          n,
          n,
          n,
          n,
          n);
    for (int i = 0; i < 6; i++)
      strain[i] += increment[i];
  }
};
} // namespace

int
main()
{
  Point p;
  std::printf("strain 11    stress 11  stress 12    dS11/dE11  dS12/dE12, GPa\n");
  for (int k = 1; k <= 6; k++)
  {
    const double increment[] = {2e-3, -8e-4, -8e-4, 1e-3, 0, 0};
    p.step(increment);
    std::printf("%9.4f  %11.2f %10.2f  %11.2f %10.2f\n",
                p.strain[0],
                p.stress[0],
                p.stress[3],
                p.ddsdde[0] / 1e3,
                p.ddsdde[3 * 6 + 3] / 1e3);
  }
  double error = 0, size = 0;
  for (int j = 0; j < 6; j++)
  {
    Point up = p, down = p, at = p;
    double increment[] = {2e-3, -8e-4, -8e-4, 1e-3, 5e-4, -2e-4};
    at.step(increment);
    const double h = 1e-7, middle = increment[j];
    increment[j] = middle + h;
    up.step(increment);
    increment[j] = middle - h;
    down.step(increment);
    for (int i = 0; i < 6; i++)
    {
      const double slope = (up.stress[i] - down.stress[i]) / (2 * h);
      error = std::max(error, std::abs(slope - at.ddsdde[6 * j + i]));
      size = std::max(size, std::abs(slope));
    }
  }
  std::printf(error < 1e-6 * size ? "DDSDDE agrees with differences, to 1e-06\n"
                                  : "DDSDDE differs from differences by %.0e\n",
              error / size);
}
