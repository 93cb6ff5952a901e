// SPDX-License-Identifier: MIT
#include "neml2/tensors/stiffness.h"
#include "support/battery.h"
#include "support/reference.h"

#include "neml2/math/vmap.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SR2.h"
#include "support/catch.h"

namespace stiffness_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::operation;

namespace
{
/// The 6×6 matrix of entries with one common batch shape; entries that are left out are 0.
at::Tensor
matrix(const std::vector<std::pair<std::pair<int, int>, at::Tensor>> & entries)
{
  auto rows = std::vector<at::Tensor>(36, at::zeros_like(entries[0].second));
  for (const auto & [at, value] : entries)
  {
    rows[size_t(6 * at.first + at.second)] = value;
    rows[size_t(6 * at.second + at.first)] = value;
  }
  return at::stack(rows, -1).unflatten(-1, {6, 6});
}

/// Inverse of the compliance as books print it, for E1, E2, E3, ν12, ν13, ν23, G12, G13, G23.
at::Tensor
orthotropic_by_compliance(const Arguments & a)
{
  return at::linalg_inv(matrix({{{0, 0}, 1 / a[0]},
                                {{1, 1}, 1 / a[1]},
                                {{2, 2}, 1 / a[2]},
                                {{0, 1}, -a[3] / a[0]},
                                {{0, 2}, -a[4] / a[0]},
                                {{1, 2}, -a[5] / a[1]},
                                {{5, 5}, 1 / (2 * a[6])},
                                {{4, 4}, 1 / (2 * a[7])},
                                {{3, 3}, 1 / (2 * a[8])}}));
}

at::Tensor
cubic_of(const at::Tensor & C1, const at::Tensor & C2, const at::Tensor & C3)
{
  return matrix({{{0, 0}, C1},
                 {{1, 1}, C1},
                 {{2, 2}, C1},
                 {{0, 1}, C2},
                 {{0, 2}, C2},
                 {{1, 2}, C2},
                 {{3, 3}, C3},
                 {{4, 4}, C3},
                 {{5, 5}, C3}});
}

/// Factories that are linear in their constants, and have derivative rules.
const test::Table &
linear()
{
  static const std::vector<test::Operation> all{
      operation<Scalar, Scalar>(
          "SSR4::isotropic_K_G",
          Accepts::floating,
          [](const Scalar & K, const Scalar & G) { return SSR4::isotropic_K_G(K, G); },
          [](const Arguments & a)
          { return cubic_of(a[0] + 4 * a[1] / 3, a[0] - 2 * a[1] / 3, 2 * a[1]); }),
      operation<Scalar, Scalar>(
          "SSR4::isotropic_lambda_mu",
          Accepts::floating,
          [](const Scalar & l, const Scalar & m) { return SSR4::isotropic_lambda_mu(l, m); },
          [](const Arguments & a) { return cubic_of(a[0] + 2 * a[1], a[0], 2 * a[1]); }),
      operation<Scalar, Scalar, Scalar>(
          "SSR4::cubic",
          Accepts::floating,
          [](const auto &... C) { return SSR4::cubic(C...); },
          [](const Arguments & a) { return cubic_of(a[0], a[1], 2 * a[2]); })};
  return all;
}

/// The other factories; numbers within (0.1, 0.4) make positive definite stiffnesses of similar
/// moduli.
const test::Table &
others()
{
  static const std::vector<test::Operation> all{
      operation<Scalar, Scalar, Scalar, Scalar, Scalar>(
          "SSR4::transversely_isotropic",
          Accepts::floating,
          [](const auto & p, const auto & t, const auto &... rest)
          { return SSR4::transversely_isotropic(p + 1.0, t + 1.0, rest...); },
          [](const Arguments & a)
          {
            const auto p = a[0] + 1, t = a[1] + 1;
            return orthotropic_by_compliance(
                {p, p, t, a[2], a[3], a[3], p / (2 * (1 + a[2])), a[4], a[4]});
          }),
      operation<Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar>(
          "SSR4::orthotropic",
          Accepts::floating,
          [](const auto & a, const auto & b, const auto & c, const auto &... rest)
          { return SSR4::orthotropic(a + 1.0, b + 1.0, c + 1.0, rest...); },
          [](const Arguments & a)
          {
            return orthotropic_by_compliance(
                {a[0] + 1, a[1] + 1, a[2] + 1, a[3], a[4], a[5], a[6], a[7], a[8]});
          })};
  return all;
}

test::Table
all_operations()
{
  return test::together({linear(), test::without({Check::rule, Check::refusals}, others())});
}
const test::Battery battery(all_operations);

Scalar
number(double x)
{
  return Scalar(x, kFloat64);
}

bool
positive_definite(const SSR4 & C)
{
  return at::equal(C, C.transpose_major()) &&
         (at::linalg_eigvalsh(core::raw(C)) > 0).all().item<bool>();
}

/// Young's modulus along a direction, 1 / (n n : C^-1 : n n).
double
youngs_modulus(const SSR4 & C, const Vec & direction)
{
  const SR2 nn = outer(Vec(direction / direction.norm()));
  return 1 / nn.inner(C.inverse() * nn).item<double>();
}
} // namespace

TEST_CASE("Stiffnesses pass the battery", "[tensors][stiffness][cuda]")
{
  battery.check();
}

TEST_CASE("Stiffnesses refuse bad constants and say why", "[tensors][stiffness][errors]")
{
  const auto x = Scalar::ones();
  REQUIRE_THROWS_AS(SSR4::transversely_isotropic(x, x, x, x, Scalar()), NEMLException);
  REQUIRE_THROWS_AS(SSR4::orthotropic(x, x, x, x, x, x, Scalar::ones({2}), x, Scalar::ones({3})),
                    NEMLException);
  REQUIRE_THROWS_AS(SSR4::orthotropic(1, 1, 1, 0, 0, 0, 1, 1, 1, kInt64), NEMLException);
}

TEST_CASE("The isotropic stiffness is the same from any two constants", "[tensors][stiffness]")
{
  const auto E = Scalar::create({210.0, 70.0}), nu = Scalar::create({0.3, 0.34});
  const Scalar G = E / (2.0 * (1.0 + nu)), K = E / (3.0 * (1.0 - 2.0 * nu)),
               l = K - G * (2.0 / 3.0);
  const auto C = SSR4::isotropic_E_nu(E, nu);
  REQUIRE(at::allclose(SSR4::isotropic_K_G(K, G), C));
  REQUIRE(at::allclose(SSR4::isotropic_lambda_mu(l, G), C));
  REQUIRE(at::allclose(SSR4::isotropic_K_G(K, G),
                       3.0 * K * SSR4::identity_vol() + 2.0 * G * SSR4::identity_dev()));
  REQUIRE(at::allclose(SSR4::isotropic_lambda_mu(l, G),
                       l * SSR4::identity() + 2.0 * G * SSR4::identity_sym()));
  REQUIRE(at::allclose(SSR4::cubic(l + 2.0 * G, l, G), C));
  REQUIRE(at::allclose(SSR4::transversely_isotropic(E, E, nu, nu, G), C));
  REQUIRE(at::allclose(SSR4::orthotropic(E, E, E, nu, nu, nu, G, G, G), C));
}

TEST_CASE("Copper is as stiff along its axes as books say", "[tensors][stiffness]")
{
  // C11 = 168.4, C12 = 121.4, C44 = 75.4 GPa: 66.7, 130.3 and 191.1 GPa along [100], [110] and
  // [111]; source: Hosford (1993), The Mechanics of Crystals and Textured Polycrystals, chapter 2
  const auto C = SSR4::cubic(168.4, 121.4, 75.4);
  REQUIRE(positive_definite(C));
  REQUIRE(std::abs(youngs_modulus(C, Vec::fill(1, 0, 0)) - 66.7) < 0.05);
  REQUIRE(std::abs(youngs_modulus(C, Vec::fill(1, 1, 0)) - 130.3) < 0.05);
  REQUIRE(std::abs(youngs_modulus(C, Vec::fill(1, 1, 1)) - 191.1) < 0.06);
  REQUIRE(C(1, 2, 1, 2).item<double>() == Approx(75.4)); // the component, not Mandel's entry
  REQUIRE(
      at::allclose(C.rotate(Rot::axis_angle(Vec::fill(0, 0, 1), number(M_PI / 2))), C, 0, 1e-12));
  REQUIRE_FALSE(positive_definite(SSR4::cubic(100, 121.4, 75.4)));
}

TEST_CASE("The engineering constants of magnesium give back its stiffness", "[tensors][stiffness]")
{
  // Slutsky and Garland (1957), Phys. Rev. 107, 972-976, in GPa; C66 = (C11 - C12) / 2
  const double C11 = 59.7, C12 = 26.2, C13 = 21.7, C33 = 61.7, C44 = 16.4;
  const auto t = [](double x) { return at::full({}, x, at::kDouble); };
  const auto C = matrix({{{0, 0}, t(C11)},
                         {{1, 1}, t(C11)},
                         {{2, 2}, t(C33)},
                         {{0, 1}, t(C12)},
                         {{0, 2}, t(C13)},
                         {{1, 2}, t(C13)},
                         {{3, 3}, t(2 * C44)},
                         {{4, 4}, t(2 * C44)},
                         {{5, 5}, t(C11 - C12)}});
  // Moduli of hexagonal crystals; source: Nye (1985), Physical Properties of Crystals, table 9
  const double d = (C11 + C12) * C33 - 2 * C13 * C13;
  const double E_t = d / (C11 + C12), E_p = d * (C11 - C12) / (C11 * C33 - C13 * C13);
  const double nu_p = (C12 * C33 - C13 * C13) / (C11 * C33 - C13 * C13);
  const double nu_pt = C13 * (C11 - C12) / (C11 * C33 - C13 * C13);
  const auto of_constants = SSR4::transversely_isotropic(E_p, E_t, nu_p, nu_pt, C44);
  REQUIRE(at::allclose(of_constants, C));
  REQUIRE(positive_definite(of_constants));
  // The plane is isotropic; no other plane is.
  REQUIRE(at::allclose(
      of_constants.rotate(Rot::axis_angle(Vec::fill(0, 0, 1), number(0.7))), C, 0, 1e-12));
  REQUIRE_FALSE(
      at::allclose(of_constants.rotate(Rot::axis_angle(Vec::fill(1, 0, 0), number(0.7))), C, 0.01));
  REQUIRE(youngs_modulus(of_constants, Vec::fill(0, 0, 1)) == Approx(E_t));
  REQUIRE(youngs_modulus(of_constants, Vec::fill(0.6, -0.8, 0)) == Approx(E_p));
}

TEST_CASE("The compliance of an orthotropic material has the entries of the book",
          "[tensors][stiffness]")
{
  // Carbon fibres in epoxy, T300/5208, in GPa: 181, 10.3, ν12 = 0.28, G12 = 7.17; source: Tsai and
  // Hahn
  // (1980), Introduction to Composite Materials, table 1.7. ν23 and G23 = E2 / 2 (1 + ν23) are
  // guesses.
  const double E1 = 181, E2 = 10.3, nu12 = 0.28, nu23 = 0.4, G12 = 7.17, G23 = E2 / 2.8;
  const auto C = SSR4::orthotropic(E1, E2, E2, nu12, nu12, nu23, G12, G12, G23);
  REQUIRE(positive_definite(C));
  const auto S = C.inverse();
  const auto entry = [&](int i, int j) { return S(i, j).item<double>(); };
  REQUIRE(entry(0, 0) == Approx(1 / E1));
  REQUIRE(entry(1, 1) == Approx(1 / E2));
  REQUIRE(entry(2, 2) == Approx(1 / E2));
  REQUIRE(entry(0, 1) == Approx(-nu12 / E1));
  REQUIRE(entry(2, 0) == Approx(-nu12 / E1));
  REQUIRE(entry(1, 2) == Approx(-nu23 / E2));
  REQUIRE(entry(3, 3) == Approx(1 / (2 * G23)));
  REQUIRE(entry(4, 4) == Approx(1 / (2 * G12)));
  REQUIRE(entry(5, 5) == Approx(1 / (2 * G12)));
  // Plane stress: Q11 = 181.8, Q22 = 10.34, Q12 = 2.897 GPa, ibid., table 1.8
  const at::Tensor plane = core::raw(S).slice(0, 0, 2).slice(1, 0, 2);
  const auto Q = at::linalg_inv(plane);
  REQUIRE(Q[0][0].item<double>() == Approx(181.8).epsilon(2e-4));
  REQUIRE(Q[1][1].item<double>() == Approx(10.34).epsilon(1e-3));
  REQUIRE(Q[0][1].item<double>() == Approx(2.897).epsilon(1e-3));
  // A rotation about the fibres changes nothing: E2 = E3, G12 = G13, G23 = E2 / 2 (1 + ν23)
  REQUIRE(at::allclose(C.rotate(Rot::axis_angle(Vec::fill(1, 0, 0), number(0.4))), C, 0, 1e-11));
}

TEST_CASE("The orthotropic constants of olivine give back its stiffness", "[tensors][stiffness]")
{
  // Forsterite, Graham and Barsch (1969), J. Geophys. Res. 74, 5949-5960, in GPa
  const auto t = [](double x) { return at::full({}, x, at::kDouble); };
  const auto C = matrix({{{0, 0}, t(328.4)},
                         {{1, 1}, t(199.8)},
                         {{2, 2}, t(235.3)},
                         {{0, 1}, t(63.9)},
                         {{0, 2}, t(68.8)},
                         {{1, 2}, t(73.8)},
                         {{3, 3}, t(2 * 65.15)},
                         {{4, 4}, t(2 * 81.2)},
                         {{5, 5}, t(2 * 80.88)}});
  const auto S = at::linalg_inv(C);
  const auto s = [&](int i, int j) { return Scalar(S[i][j]); };
  const auto G = [&](int i) { return Scalar(C[i][i] / 2); };
  const auto E1 = 1.0 / s(0, 0), E2 = 1.0 / s(1, 1), E3 = 1.0 / s(2, 2);
  const auto of_constants =
      SSR4::orthotropic(E1, E2, E3, -s(0, 1) * E1, -s(0, 2) * E1, -s(1, 2) * E2, G(5), G(4), G(3));
  REQUIRE(at::allclose(of_constants, C, 1e-12, 1e-11));
  REQUIRE(positive_definite(of_constants));
}

TEST_CASE("Stiffnesses of numbers are those of scalars", "[tensors][stiffness]")
{
  const auto n = number;
  REQUIRE(at::equal(SSR4::isotropic_K_G(2, 1), SSR4::isotropic_K_G(n(2), n(1))));
  REQUIRE(at::equal(SSR4::isotropic_lambda_mu(2, 1), SSR4::isotropic_lambda_mu(n(2), n(1))));
  REQUIRE(at::equal(SSR4::cubic(4, 1, 2), SSR4::cubic(n(4), n(1), n(2))));
  REQUIRE(at::equal(SSR4::transversely_isotropic(4, 2, 0.3, 0.2, 1),
                    SSR4::transversely_isotropic(n(4), n(2), n(0.3), n(0.2), n(1))));
  REQUIRE(at::equal(SSR4::orthotropic(4, 3, 2, 0.3, 0.2, 0.1, 1, 2, 3),
                    SSR4::orthotropic(n(4), n(3), n(2), n(0.3), n(0.2), n(0.1), n(1), n(2), n(3))));
  REQUIRE(at::equal(isotropic_K_G(n(2), n(1)), SSR4::isotropic_K_G(2, 1)));
  REQUIRE(at::equal(isotropic_lambda_mu(n(2), n(1)), SSR4::isotropic_lambda_mu(2, 1)));
  REQUIRE(at::equal(isotropic_E_nu(n(2), n(0.3)), SSR4::isotropic_E_nu(2, 0.3)));
  REQUIRE(at::equal(transversely_isotropic(n(4), n(2), n(0.3), n(0.2), n(1)),
                    SSR4::transversely_isotropic(4, 2, 0.3, 0.2, 1)));
  const auto options = default_tensor_options().dtype(kFloat32).requires_grad(true);
  for (const auto & C : {SSR4::isotropic_K_G(2, 1, options),
                         SSR4::isotropic_lambda_mu(2, 1, options),
                         SSR4::cubic(4, 1, 2, options),
                         SSR4::transversely_isotropic(4, 2, 0.3, 0.2, 1, options),
                         SSR4::orthotropic(4, 3, 2, 0.3, 0.2, 0.1, 1, 2, 3, options)})
  {
    REQUIRE(C.requires_grad());
    REQUIRE(C.is_leaf());
    REQUIRE(C.scalar_type() == kFloat32);
  }
}

TEST_CASE("Formulas of vmap take stiffnesses", "[tensors][stiffness][vmap]")
{
  const auto stress = [](const auto & E1, const auto & nu, const auto & G, const auto & e)
  { return (orthotropic(E1, E1, E1, nu, nu, nu, G, G, G) + cubic(E1, nu, G)) * e; };
  const Scalar E(1 + at::rand({5}, at::kDouble)), nu(0.3 * at::rand({5}, at::kDouble)),
      G(at::rand({5}, at::kDouble));
  const SR2 e(at::rand({5, 6}, at::kDouble));
  REQUIRE(at::allclose(vmap(stress, E, nu, G, e), stress(E, nu, G, e)));
}
} // namespace stiffness_test
