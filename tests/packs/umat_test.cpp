// SPDX-License-Identifier: MIT
#include "neml2/packs/umat.h"

#include "neml2/packs/at_point.h"

#include <cmath>

#include "support/catch.h"

namespace umat_test
{
using neml2::kernels::SR2;
using neml2::kernels::SSR4;

namespace
{
/// The data of one point in a solver, for elements with three normal components and this many shear
/// components.
struct Solver
{
  int nshr, n = 3 + nshr;
  double stress[6]{}, statev[8]{}, ddsdde[36]{},
      pnewdt = 1, stran[6]{}, dstran[6]{}, time[2] = {1.0, 5.0}, dtime = 0.25, temp = 300,
      dtemp = 5, props[2] = {2.0, 3.0}, drot[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, dfgrd0[9]{},
      dfgrd1[9]{};

  explicit Solver(int shear = 3) : nshr(shear) {}
  neml2::Umat call(int ndi = 3)
  {
    return {stress,
            statev,
            ddsdde,
            &pnewdt,
            stran,
            dstran,
            time,
            &dtime,
            &temp,
            &dtemp,
            props,
            drot,
            dfgrd0,
            dfgrd1,
            ndi,
            nshr,
            8,
            2};
  }
};
} // namespace

TEST_CASE("UMAT's numbers are tensors", "[umat]")
{
  Solver s;
  for (int i = 0; i < 6; i++)
  {
    s.stran[i] = i + 1; // 11, 22, 33, 12, 13, 23
    s.dstran[i] = 10 * (i + 1);
    s.stress[i] = 100 * (i + 1);
  }
  for (int i = 0; i < 9; i++)
  {
    s.dfgrd0[i] = i; // stored by columns
    s.dfgrd1[i] = 10 * i;
  }
  const auto c = s.call();
  const auto before = c.strain_before(), increment = c.strain_increment(), strain = c.strain();
  const auto stress = c.stress_before();
  const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++)
  {
    const auto [i, j] = at[k];
    const double half = k < 3 ? 1.0 : 0.5; // shear strains are engineering shears
    REQUIRE(before(i, j) == Approx(half * (k + 1)).epsilon(1e-15));
    REQUIRE(increment(i, j) == Approx(half * 10 * (k + 1)).epsilon(1e-15));
    REQUIRE(strain(i, j) == Approx(half * 11 * (k + 1)).epsilon(1e-15));
    REQUIRE(stress(i, j) == Approx(100.0 * (k + 1)).epsilon(1e-15));
  }
  const auto F = c.deformation_gradient(), F0 = c.deformation_gradient_before();
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
    {
      REQUIRE(F(i, j) == 10 * (3 * j + i));
      REQUIRE(F0(i, j) == 3 * j + i);
    }
  REQUIRE(c.time_step() == 0.25);
  REQUIRE(c.time() == 5.25);
  REQUIRE(c.temperature() == 305.0);
}

TEST_CASE("UMAT gets stress and tangent in its components", "[umat]")
{
  // Linear elasticity: in Voigt's notation the shear entries of the tangent are the shear modulus, not twice the shear modulus.
  const double lambda = 3.0, mu = 2.0;
  for (const int shears : {1, 2, 3})
  {
    Solver s(shears);
    for (int i = 0; i < s.n; i++)
      s.dstran[i] = 0.1 * (i + 1);
    const auto elastic = [](const auto & e, const auto & l, const auto & m)
    { return l * 3.0 * vol(e) + 2.0 * m * e; };
    const auto call = s.call();
    REQUIRE(call.fits(8, 2));
    const auto [stress, C] =
        neml2::value_and_jacobian_at_point<0>(elastic, call.strain(), lambda, mu);
    call.give(stress, C);
    const double tr = 0.1 * (1 + 2 + 3);
    for (int i = 0; i < s.n; i++)
    {
      REQUIRE(
          s.stress[i] ==
          Approx(i < 3 ? lambda * tr + 2 * mu * 0.1 * (i + 1) : mu * 0.1 * (i + 1)).epsilon(1e-14));
      for (int j = 0; j < s.n; j++)
      {
        const double expected =
            i < 3 && j < 3 ? lambda + (i == j ? 2 * mu : 0.0) : (i == j ? mu : 0.0);
        REQUIRE(s.ddsdde[s.n * j + i] == Approx(expected).margin(1e-14));
      }
    }
  }
}

TEST_CASE("UMAT's matrices are by columns", "[umat]")
{
  Solver s;
  SSR4<double> C{};
  C[6 * 0 + 1] = 5.0; // dS11/dE22
  s.call().give(SR2<double>{}, C);
  REQUIRE(s.ddsdde[6 * 1 + 0] == 5.0);
  REQUIRE(s.ddsdde[6 * 0 + 1] == 0.0);
}

TEST_CASE("DROT turns tensors of the state", "[umat]")
{
  Solver s;
  const double quarter[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1}; // about z, by columns: x becomes y
  for (int i = 0; i < 9; i++)
    s.drot[i] = quarter[i];
  s.statev[1] = 7.0; // xx
  const auto e = s.call().read<SR2<double>>(1);
  REQUIRE(e(1, 1) == 7.0);
  REQUIRE(e(0, 0) == 0.0);
  s.call().write(1, e);
  REQUIRE(s.statev[2] == 7.0);
  REQUIRE(s.statev[1] == 0.0);
}

TEST_CASE("UMAT asks for a smaller step, or none", "[umat]")
{
  Solver s;
  s.call().retry();
  REQUIRE(s.pnewdt == 0.5);
  s.call().retry(0.25);
  s.call().retry(0.75);
  REQUIRE(s.pnewdt == 0.25);
  REQUIRE_FALSE(s.call().fits(9, 2));
  REQUIRE(std::isnan(s.stress[0]));
  REQUIRE(std::isnan(s.ddsdde[35]));
  REQUIRE_FALSE(s.call().fits(8, 3));
  Solver plane(1);
  REQUIRE_FALSE(plane.call(2).fits(0, 0));
  REQUIRE(std::isnan(plane.stress[2]));
  REQUIRE(plane.stress[3] == 0.0); // after the three components of plane stress
  REQUIRE(std::isnan(plane.ddsdde[8]));
  REQUIRE(plane.ddsdde[9] == 0.0);
}
} // namespace umat_test
