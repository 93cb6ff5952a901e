// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledVariables.h"

#include "neml2/math/linalg.h"
#include "neml2/math/newton.h"
#include "neml2/tensors/tensors.h"
#include "support/operation.h"

#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

namespace LabeledVariables_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::difference;

namespace
{
/// Unknowns and equations of a plastic model; each axis has one entry more.
LabeledAxis
unknown_axis()
{
  LabeledAxis a;
  a.add<SR2>("stress").add<Scalar>({"internal", "slip"}).add<Vec>("other");
  a.setup_layout();
  return a;
}
LabeledAxis
equation_axis()
{
  LabeledAxis a;
  a.add<SR2>("elasticity").add<Scalar>("yield").add<Scalar>("none");
  a.setup_layout();
  return a;
}
constexpr auto equations = [](const auto & unknowns, const auto & strain, const auto & material)
{
  const auto & [stress, slip] = unknowns;
  const auto & [modulus, yield] = material;
  const auto n = norm(dev(stress));
  return std::tuple(stress / modulus + slip / n * dev(stress) - strain,
                    n / modulus - yield * (1.0 + slip));
};

template <class T>
T
random(at::IntArrayRef shape)
{
  return T(at::rand(shape, kFloat64) + 0.5);
}
struct Slips : PrimitiveTensor<Slips, 4>
{
  using PrimitiveTensor::PrimitiveTensor;
};
} // namespace

TEST_CASE("Variables of a program's own sizes are labeled as others", "[tensors][labels]")
{
  LabeledAxis axis;
  axis.add<Slips>("slips").add<Scalar>("hardening").setup_layout();
  const LabeledVariables<Slips, Scalar> v(axis, {"slips", "hardening"});
  const LabeledVector x(at::rand({7, 5}, kFloat64), {&axis});
  const auto f = [](const auto & unknowns)
  {
    const auto & [slips, hardening] = unknowns;
    return std::tuple(hardening * slips, norm(slips));
  };
  const auto [r, J] = v.value_and_jacobian<0>(v, f, v.of(x));
  const auto [slips, hardening] = v.of(x);
  REQUIRE(at::equal(r.reinterpret<Slips>({"slips"}), hardening * slips));
  const at::Tensor eye = at::eye(4, kFloat64);
  REQUIRE(at::equal(J.base_index({"slips", "slips"}), at::Tensor(hardening).view({7, 1, 1}) * eye));
  REQUIRE(at::equal(J.reinterpret<Slips>({"slips", "hardening"}), slips));
  REQUIRE(difference(J.reinterpret<Slips>({"hardening", "slips"}), slips / norm(slips), 1e-15) ==
          "");
}

TEST_CASE("Variables of a labeled vector by their types are views", "[tensors][labels]")
{
  const auto axis = unknown_axis();
  const LabeledVariables<Scalar, SR2> v(axis, {{"internal", "slip"}, "stress"});
  const LabeledVector x(at::rand({4, 10}, kFloat64), {&axis});
  const auto [slip, stress] = v.of(x);
  REQUIRE(at::equal(stress, x.reinterpret<SR2>({"stress"})));
  REQUIRE(at::equal(slip, x.reinterpret<Scalar>({{"internal", "slip"}})));
  REQUIRE(stress.is_alias_of(x.tensor()));

  const auto other = equation_axis();
  REQUIRE_THROWS_WITH(v.of(LabeledVector::zeros({}, {&other})),
                      ContainsSubstring("is not the axis of these variables"));
  using One = LabeledVariables<SR2>;
  REQUIRE_THROWS_WITH(One(axis, {"strain"}), ContainsSubstring("strain"));
  REQUIRE_THROWS_WITH(One(axis, {"other"}),
                      ContainsSubstring("'other' has 3 entries, a SR2 has 6"));
  REQUIRE_THROWS_WITH(One(axis, {"stress", "other"}), ContainsSubstring("2 names for 1 types"));
  REQUIRE_THROWS_WITH((LabeledVariables<SR2, SR2>(axis, {"stress", "stress"})),
                      ContainsSubstring("'stress' is given twice"));
}

TEST_CASE("A formula gives a labeled vector and its Jacobian in one pass", "[tensors][labels]")
{
  const auto columns = unknown_axis(), rows = equation_axis();
  const LabeledVariables<SR2, Scalar> unknowns(columns, {"stress", {"internal", "slip"}}),
      residual(rows, {"elasticity", "yield"});
  const TensorShape batch =
      GENERATE(TensorShape{}, TensorShape{0}, TensorShape{1}, TensorShape{5, 3});
  const bool recorded = GENERATE(false, true), composed = GENERATE(false, true);
  CAPTURE(batch, recorded, composed);
  const LabeledVector x(at::rand(utils::add_shapes(batch, 10), kFloat64) + 0.1, {&columns});
  SR2 strain = random<SR2>({3, 6});
  if (batch.size() == 1 || batch.empty())
    strain = random<SR2>({6});
  if (recorded)
    strain.requires_grad_();
  const std::tuple material(2.0, random<Scalar>({}));
  std::optional<c10::impl::IncludeDispatchKeyGuard> whole_batches;
  if (composed)
    whole_batches.emplace(c10::DispatchKey::AutocastCPU);

  const auto [value, jacobian] =
      neml2::value_and_jacobian<0>(equations, unknowns.of(x), strain, material);
  const auto [r, J] =
      residual.value_and_jacobian<0>(unknowns, equations, unknowns.of(x), strain, material);
  REQUIRE(r.requires_grad() == recorded);
  REQUIRE(J.requires_grad() == (recorded && !composed)); // the Jacobian of linear equations
  REQUIRE(r.axis() == rows);
  REQUIRE(J.axis(0) == rows);
  REQUIRE(J.axis(1) == columns);
  REQUIRE(r.batch_sizes() == TraceableTensorShape(batch));
  REQUIRE(at::equal(r.reinterpret<SR2>({"elasticity"}), std::get<0>(value)));
  REQUIRE(at::equal(r.reinterpret<Scalar>({"yield"}), std::get<1>(value)));
  REQUIRE(at::equal(r.base_index({"none"}), at::zeros(utils::add_shapes(batch, 1), kFloat64)));
  const auto & [of_elasticity, of_yield] = jacobian;
  REQUIRE(at::equal(J.reinterpret<SSR4>({"elasticity", "stress"}), std::get<0>(of_elasticity)));
  REQUIRE(at::equal(J.reinterpret<SR2>({"elasticity", {"internal", "slip"}}),
                    std::get<1>(of_elasticity)));
  REQUIRE(at::equal(J.reinterpret<SR2>({"yield", "stress"}), std::get<0>(of_yield)));
  REQUIRE(at::equal(J.reinterpret<Scalar>({"yield", {"internal", "slip"}}), std::get<1>(of_yield)));
  REQUIRE(J.base_index({"none", {}}).eq(0).all().item<bool>());
  REQUIRE(J.base_index({{}, "other"}).eq(0).all().item<bool>());

  const auto y = residual.vmap(equations, unknowns.of(x), strain, material);
  REQUIRE(difference(y.tensor(), r.tensor(), 1e-15) == "");
  REQUIRE(y.requires_grad() == recorded);
  const LabeledVariables<Scalar> norms(rows, {"none"});
  const auto z = norms.vmap([](const auto & s) { return norm(s); }, strain);
  REQUIRE(difference(z.reinterpret<Scalar>({"none"}), norm(strain), 1e-15) == "");
}

TEST_CASE("Newton's method on labeled vectors is newton's", "[tensors][labels][newton]")
{
  LabeledAxis axis;
  axis.add<SR2>("stress").add<Scalar>("slip").setup_layout();
  const LabeledVariables<SR2, Scalar> variables(axis, {"stress", "slip"});
  const SR2 strain = random<SR2>({20, 6});
  const std::tuple material(2.0, 0.1);
  auto x =
      LabeledVector::assemble(axis, {{"stress", strain}, {"slip", Scalar::zeros({}, kFloat64)}});
  for (int i = 0; i < 30; i++)
  {
    const auto [r, J] =
        variables.value_and_jacobian<0>(variables, equations, variables.of(x), strain, material);
    x = LabeledVector(x.tensor() - linalg::solve(J, r), {&axis});
  }
  const auto [stress, slip] = newton(equations, std::tuple(strain, 0.0), strain, material);
  REQUIRE(difference(std::get<0>(variables.of(x)), stress, 1e-11) == "");
  REQUIRE(difference(std::get<1>(variables.of(x)), slip, 1e-11) == "");
}
} // namespace LabeledVariables_test
