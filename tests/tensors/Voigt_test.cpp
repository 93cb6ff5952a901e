// SPDX-License-Identifier: MIT
#include "neml2/tensors/Voigt.h"
#include "support/battery.h"
#include "support/reference.h"

#include "neml2/tensors/R2.h"
#include "support/catch.h"

namespace Voigt_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// The components 11, 22, 33, 23, 13, 12 of a full tensor, shear components times a factor. (...,
/// 3, 3) -> (..., 6)
at::Tensor
picked(const at::Tensor & A, double factor)
{
  const auto entry = [&](int i, int j) { return A.select(-2, i - 1).select(-1, j - 1); };
  return at::stack({entry(1, 1),
                    entry(2, 2),
                    entry(3, 3),
                    factor * entry(2, 3),
                    factor * entry(1, 3),
                    factor * entry(1, 2)},
                   -1);
}

/// The same for both index pairs. (..., 3, 3, 3, 3) -> (..., 6, 6)
at::Tensor
picked_pairs(const at::Tensor & C, double factor)
{
  const auto last = picked(C, factor); // (..., 3, 3, 6)
  return picked(last.movedim(-1, -3), factor).transpose(-1, -2);
}

/// Full tensors of Voigt's components. (..., 6) -> (..., 3, 3)
at::Tensor
placed(const at::Tensor & v, double factor)
{
  const auto n = [&](int i) { return v.select(-1, i); };
  const auto s = [&](int i) { return v.select(-1, i) / factor; };
  return at::stack({n(0), s(5), s(4), s(5), n(1), s(3), s(4), s(3), n(2)}, -1)
      .unflatten(-1, {3, 3});
}

/// (..., 6, 6) -> (..., 3, 3, 3, 3)
at::Tensor
placed_pairs(const at::Tensor & v, double factor)
{
  const auto last = placed(v, factor).movedim(-3, -1); // (..., 3, 3, 6)
  return placed(last, factor).movedim(-4, -1).movedim(-4, -1);
}

/// A tensor in Voigt's notation, which the checks pass as the type of the same shape.
Tensor
voigt(const at::Tensor & t, Size base)
{
  return t.defined() ? Tensor(t, t.dim() - base) : Tensor();
}

const test::Table &
operations()
{
  static const std::vector<test::Operation> all{
      operation<SR2>(
          "from_voigt_stress",
          Accepts::floating,
          [](const SR2 & v) { return from_voigt_stress(voigt(v, 1)); },
          [](const Arguments & a) { return test::stored_of(placed(a[0], 1)); }),
      operation<SR2>(
          "from_voigt_strain",
          Accepts::floating,
          [](const SR2 & v) { return from_voigt_strain(voigt(v, 1)); },
          [](const Arguments & a) { return test::stored_of(placed(a[0], 2)); }),
      operation<SR2>(
          "to_voigt_stress",
          Accepts::floating,
          [](const SR2 & s) { return to_voigt_stress(s); },
          [](const Arguments & a) { return picked(test::full_of(a[0]), 1); }),
      operation<SR2>(
          "to_voigt_strain",
          Accepts::floating,
          [](const SR2 & s) { return to_voigt_strain(s); },
          [](const Arguments & a) { return picked(test::full_of(a[0]), 2); }),
      operation<SSR4>(
          "stiffness_from_voigt",
          Accepts::floating,
          [](const SSR4 & v) { return stiffness_from_voigt(voigt(v, 2)); },
          [](const Arguments & a) { return test::stored4_of(placed_pairs(a[0], 1)); }),
      operation<SSR4>(
          "compliance_from_voigt",
          Accepts::floating,
          [](const SSR4 & v) { return compliance_from_voigt(voigt(v, 2)); },
          [](const Arguments & a) { return test::stored4_of(placed_pairs(a[0], 2)); }),
      operation<SSR4>(
          "stiffness_to_voigt",
          Accepts::floating,
          [](const SSR4 & C) { return stiffness_to_voigt(C); },
          [](const Arguments & a) { return picked_pairs(test::full4_of(a[0]), 1); }),
      operation<SSR4>(
          "compliance_to_voigt",
          Accepts::floating,
          [](const SSR4 & S) { return compliance_to_voigt(S); },
          [](const Arguments & a) { return picked_pairs(test::full4_of(a[0]), 2); })};
  return all;
}
const test::Battery battery([] { return test::without(test::own_rule, operations()); });

/// Matrix times vector of raw tensors.
at::Tensor
times(const at::Tensor & M, const at::Tensor & v)
{
  return at::matmul(M, v.unsqueeze(-1)).squeeze(-1);
}
} // namespace

TEST_CASE("Conversions of Voigt's notation pass the battery", "[tensors][Voigt][cuda]")
{
  battery.check();
}

TEST_CASE("Conversions of Voigt's notation refuse bad operands and say why",
          "[tensors][Voigt][errors]")
{
  REQUIRE_THROWS_AS(from_voigt_stress(at::ones({3, 5}, at::kDouble)), NEMLException);
  REQUIRE_THROWS_AS(from_voigt_strain(Tensor(at::ones({6}, at::kDouble), 1)), NEMLException);
  REQUIRE_THROWS_AS(stiffness_from_voigt(at::ones({6}, at::kDouble)), NEMLException);
}

TEST_CASE("Voigt's notation has the isotropic stiffness of the book", "[tensors][Voigt]")
{
  // λ + 2μ, λ, μ: no factor at the shear entries; 1/E, -ν/E, 1/μ of the compliance
  const double E = 100, nu = 0.3, mu = E / 2.6, l = E * nu / (1.3 * 0.4);
  const auto C = SSR4::isotropic_E_nu(E, nu);
  const auto expected = [](double a, double b, double c)
  {
    auto M = at::zeros({6, 6}, at::kDouble);
    M.slice(0, 0, 3).slice(1, 0, 3).fill_(b);
    M.diagonal().copy_(at::tensor({a, a, a, c, c, c}, at::kDouble));
    return M;
  };
  REQUIRE(at::allclose(stiffness_to_voigt(C), expected(l + 2 * mu, l, mu)));
  REQUIRE(at::allclose(compliance_to_voigt(C.inverse()), expected(1 / E, -nu / E, 1 / mu)));
  REQUIRE(at::allclose(stiffness_from_voigt(expected(l + 2 * mu, l, mu)), C));
}

TEST_CASE("A law in Voigt's notation is the law in Mandel's", "[tensors][Voigt]")
{
  const auto C_voigt = test::values({5}, {6, 6}, at::kDouble);
  const auto e_voigt = at::rand({5, 6}, at::kDouble);
  const SSR4 C = stiffness_from_voigt(C_voigt);
  const SR2 e = from_voigt_strain(e_voigt), s = C * e;
  REQUIRE(at::allclose(to_voigt_stress(s), times(C_voigt, e_voigt)));
  REQUIRE(at::allclose(s.inner(e), (times(C_voigt, e_voigt) * e_voigt).sum(-1)));
  REQUIRE(at::allclose(compliance_to_voigt(C.inverse()), at::linalg_inv(C_voigt)));
  REQUIRE(at::allclose(compliance_from_voigt(at::linalg_inv(C_voigt)), C.inverse()));
}

TEST_CASE("Voigt's notation and back is the identity", "[tensors][Voigt]")
{
  const SR2 s(at::rand({5, 6}, at::kDouble));
  const SSR4 C(at::rand({5, 6, 6}, at::kDouble));
  REQUIRE(at::allclose(from_voigt_stress(to_voigt_stress(s)), s));
  REQUIRE(at::allclose(from_voigt_strain(to_voigt_strain(s)), s));
  REQUIRE(at::allclose(stiffness_from_voigt(stiffness_to_voigt(C)), C));
  REQUIRE(at::allclose(compliance_from_voigt(compliance_to_voigt(C)), C));
  REQUIRE(to_voigt_stress(s).batch_sizes() == TensorShape{5});
  REQUIRE(from_voigt_stress(core::raw(s)).batch_sizes() == TensorShape{5}); // a raw tensor
  const auto shear = SR2::fill(0, 0, 0, 23, 13, 12);
  REQUIRE(at::allclose(to_voigt_stress(shear), at::tensor({0, 0, 0, 23, 13, 12}, at::kDouble)));
  REQUIRE(at::allclose(to_voigt_strain(shear), at::tensor({0, 0, 0, 46, 26, 24}, at::kDouble)));
}
} // namespace Voigt_test
