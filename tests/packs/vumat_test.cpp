// SPDX-License-Identifier: MIT
#include "neml2/packs/vumat.h"

#include "neml2/packs/at_point.h"

#include <cmath>

#include "support/catch.h"

namespace vumat_test
{
using neml2::kernels::SR2;
using neml2::packs::Pack;
using neml2::packs::VumatPoints;

namespace
{
constexpr int n = 7, states = 8; // points, numbers of the state

/// The data of a block in a solver, for elements with three normal components and this many shear components. Each number is different.
struct Solver
{
  int nshr;
  double stress[6 * n]{}, state[(states + 1) * n]{}, internal[n]{}, inelastic[n]{};
  double props[2] = {2.0, 3.0}, density[n], strain_inc[6 * n], stretch_old[6 * n],
         stress_old[6 * n], state_old[(states + 1) * n], internal_old[n], inelastic_old[n],
         temp_new[n], stretch_new[6 * n];

  explicit Solver(int shear = 3) : nshr(shear)
  {
    for (int i = 0; i < 6 * n; i++)
    {
      strain_inc[i] = 0.01 * (i + 1);
      stress_old[i] = 100 + i;
      stretch_old[i] = 1000 + i;
      stretch_new[i] = 2000 + i;
    }
    for (int i = 0; i < (states + 1) * n; i++)
      state_old[i] = 3000 + i;
    for (int i = 0; i < n; i++)
    {
      density[i] = 4.0 + i;
      internal_old[i] = 5.0 + i;
      inelastic_old[i] = 6.0 + i;
      temp_new[i] = 300.0 + i;
    }
  }
  neml2::Vumat block(int ndir = 3)
  {
    return {stress,     state,       internal,   inelastic, props,        density,
            strain_inc, stretch_old, stress_old, state_old, internal_old, inelastic_old,
            temp_new,   stretch_new, 1.5,        2.5,       0.25,         n,
            ndir,       nshr,        states,     2};
  }
};

constexpr int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

double
first(double x)
{
  return x;
}
double
first(const Pack<4> & x)
{
  return x.lane(0);
}

/// Checks the tensors that point i reads, as numbers or in the first lane of a pack.
template <class P>
void
check_reading(Solver & s, int i)
{
  const auto block = s.block();
  const VumatPoints<P> points{block, i};
  const auto increment = points.strain_increment(), stress = points.stress_before();
  const auto U = points.deformation_gradient(), U0 = points.deformation_gradient_before();
  for (int k = 0; k < 3 + s.nshr; k++)
  {
    const auto [a, b] = at[k];
    REQUIRE(first(increment(a, b)) == Approx(s.strain_inc[n * k + i]).epsilon(1e-15));
    REQUIRE(first(stress(a, b)) == Approx(s.stress_old[n * k + i]).epsilon(1e-15));
    for (const auto & [row, column] : {std::pair(a, b), std::pair(b, a)})
    {
      REQUIRE(first(U(row, column)) == Approx(s.stretch_new[n * k + i]).epsilon(1e-15));
      REQUIRE(first(U0(row, column)) == Approx(s.stretch_old[n * k + i]).epsilon(1e-15));
    }
  }
  if (s.nshr == 1)
    REQUIRE(first(increment(1, 2)) == 0.0);
  REQUIRE(first(points.temperature()) == 300.0 + i);
  REQUIRE(first(points.state(2)) == s.state_old[n * 2 + i]);
  const auto before = points.strain_before(1), strain = points.strain(1);
  for (int k = 0; k < 6; k++)
  {
    REQUIRE(first(before[k]) == s.state_old[n * (1 + k) + i]);
    REQUIRE(first(strain[k]) == first(before[k] + increment[k]));
  }
}
} // namespace

TEST_CASE("VUMAT's numbers are tensors", "[vumat]")
{
  for (const int shears : {1, 3})
  {
    Solver s(shears);
    for (int i = 0; i < n; i++)
    {
      check_reading<double>(s, i);
      check_reading<Pack<4>>(s, i);
    }
  }
  const auto block = Solver().block();
  REQUIRE(block.time_step() == 0.25);
  REQUIRE(block.time() == 2.5);
}

TEST_CASE("Lanes behind the end of a block of VUMAT repeat the last point, and write nothing",
          "[vumat]")
{
  Solver s;
  const auto block = s.block();
  for (int i = 0; i < n; i += 4)
  {
    const VumatPoints<Pack<4>> points{block, i};
    const auto T = points.temperature();
    for (int w = 0; w < 4; w++)
      REQUIRE(T.lane(w) == 300.0 + std::min(i + w, n - 1));
    points.state(states - 1, T);
  }
  for (int i = 0; i < n; i++)
  {
    REQUIRE(s.state[n * (states - 1) + i] == 300.0 + i);
    REQUIRE(s.state[n * states + i] == 0.0);
  }
}

TEST_CASE("VUMAT gets the stress in its components, and the work of the stress", "[vumat]")
{
  for (const int shears : {1, 3})
  {
    Solver s(shears);
    const auto block = s.block();
    for (int i = 0; i < n; i++)
    {
      const auto point = block.at(i);
      point.give(point.stress_before() * 3.0);
      point.write(1, point.strain_increment());
      double work = 0;
      for (int k = 0; k < 3 + shears; k++)
      {
        REQUIRE(s.stress[n * k + i] == Approx(3.0 * s.stress_old[n * k + i]).epsilon(1e-15));
        work += (k < 3 ? 1 : 2) * 2.0 * s.stress_old[n * k + i] * s.strain_inc[n * k + i];
      }
      REQUIRE(s.internal[i] == Approx(5.0 + i + work / (4.0 + i)).epsilon(1e-14));
      REQUIRE(s.inelastic[i] == 6.0 + i);
      REQUIRE(s.state[n + i] == s.strain_inc[i]);
    }
    if (shears == 1)
      REQUIRE(s.stress[n * 4] == 0.0); // after the four components
  }
}

TEST_CASE("VUMAT keeps states", "[vumat]")
{
  Solver s;
  s.block().keep_states(2);
  for (int i = 0; i < (states + 1) * n; i++)
    REQUIRE(s.state[i] == (i >= 2 * n && i < states * n ? s.state_old[i] : 0.0));
}

TEST_CASE("The first call of VUMAT is an initial check", "[vumat]")
{
  auto block = Solver().block();
  REQUIRE_FALSE(block.is_initial_check());
  block.stepTime = 0;
  REQUIRE_FALSE(block.is_initial_check()); // the first call of a later step
  block.totalTime = 0;
  REQUIRE(block.is_initial_check());
}

TEST_CASE("VUMAT refuses elements that do not fit", "[vumat]")
{
  Solver s;
  REQUIRE(s.block().fits(states, 2));
  REQUIRE_FALSE(s.block().fits(states + 1, 2));
  for (const double x : s.stress)
    REQUIRE(std::isnan(x));
  REQUIRE(s.state[0] == s.state_old[0]);
  REQUIRE(s.internal[1] == 6.0);
  REQUIRE(s.inelastic[1] == 7.0);
  REQUIRE_FALSE(s.block().fits(states, 3));
  Solver plane(1);
  REQUIRE_FALSE(plane.block(2).fits(0, 0));
  REQUIRE(std::isnan(plane.stress[3 * n - 1]));
  REQUIRE(plane.stress[3 * n] == 0.0); // after the three components of plane stress
}

namespace
{
constexpr auto hypoelastic =
    [](const auto & before, const auto & increment, const auto & lambda, const auto & mu)
{ return before + lambda * 3.0 * vol(increment) + 2.0 * mu * increment; };
} // namespace

NEML2_VUMAT_NAMED(hypoelastic_, block)
{
  for (int i = 0; i < block.nblock; i++)
  {
    const auto point = block.at(i);
    point.give(neml2::at_point(hypoelastic,
                               point.stress_before(),
                               point.strain_increment(),
                               block.props[0],
                               block.props[1]));
  }
}

TEST_CASE("A subroutine VUMAT gets the arguments of its solver", "[vumat]")
{
  Solver s;
  const int points = n, three = 3, all = states, none = 0, two = 2;
  const double step_time = 1.5, total_time = 2.5, dt = 0.25;
  hypoelastic_(&points,
               &three,
               &three,
               &all,
               &none,
               &two,
               &none,
               &step_time,
               &total_time,
               &dt,
               "MODEL",
               nullptr,
               nullptr,
               s.props,
               s.density,
               s.strain_inc,
               nullptr,
               nullptr,
               s.stretch_old,
               nullptr,
               nullptr,
               s.stress_old,
               s.state_old,
               s.internal_old,
               s.inelastic_old,
               s.temp_new,
               s.stretch_new,
               nullptr,
               nullptr,
               s.stress,
               s.state,
               s.internal,
               s.inelastic);
  for (int i = 0; i < n; i++)
  {
    const double * const e = s.strain_inc + i;
    const double tr = e[0] + e[n] + e[2 * n];
    for (int k = 0; k < 6; k++)
      REQUIRE(s.stress[n * k + i] ==
              Approx(s.stress_old[n * k + i] + (k < 3 ? 2.0 * tr : 0.0) + 6.0 * e[n * k])
                  .epsilon(1e-14));
  }
}
} // namespace vumat_test
