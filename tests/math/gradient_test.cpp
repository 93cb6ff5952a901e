// SPDX-License-Identifier: MIT
#include "neml2/math/gradient.h"

#include "neml2/math/newton.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/isotropic.h"
#include "neml2/tensors/tensors.h"
#include "support/errors.h"
#include "support/formulas.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "support/difference.h"
#include "support/catch.h"

namespace gradient_test
{
using namespace neml2;
using test::described;
using test::difference;
using torch::autograd::grad;

namespace
{
/// mu/2 (tr C - 3) - mu log J + mu/2 log² J, J² = det C
constexpr auto energy = [](const auto & C, const auto & mu)
{
  const auto log_J = 0.5 * log(det(C));
  return 0.5 * mu * (tr(C) - 3.0) - mu * log_J + 0.5 * mu * log_J * log_J;
};
constexpr auto stress = [](const auto & C, const auto & mu)
{ return 2.0 * gradient<0>(energy, C, mu); };

/// 2 ∂energy/∂C in closed form.
SR2
closed_stress(const SR2 & C, const Scalar & mu)
{
  const SR2 inverse = inv(C);
  const Scalar log_J = 0.5 * log(det(C));
  return mu * (SR2::fill(1.0) - inverse) + mu * log_J * inverse;
}
SSR4
closed_tangent(const SR2 & C, const Scalar & mu)
{
  const SR2 inverse = inv(C);
  const Scalar log_J = 0.5 * log(det(C));
  // -C^-1_ik C^-1_jl symmetrised is the derivative of the inverse.
  const at::Tensor of_inverse = jacobian<0>([](const auto & c) { return inv(c); }, C);
  return SSR4(at::Tensor(mu * (log_J - 1.0)).unsqueeze(-1).unsqueeze(-1) * of_inverse +
              at::Tensor(0.5 * mu).unsqueeze(-1).unsqueeze(-1) *
                  at::Tensor(outer(inverse, inverse)));
}

SR2
strains(at::IntArrayRef batch)
{
  const at::Tensor t =
      0.3 * torch::rand(utils::add_shapes(TensorShapeRef(batch), Size(6)), kFloat64);
  t.narrow(-1, 0, 3).add_(1.0);
  return SR2(t);
}
Scalar
moduli(at::IntArrayRef batch)
{
  return Scalar(torch::rand(batch, kFloat64).add(1.0));
}
} // namespace

TEST_CASE("a stress is the gradient of an energy in a formula, and its Jacobian the tangent",
          "[gradient]")
{
  struct Case
  {
    std::vector<int64_t> strain, modulus, result;
  };
  for (const auto & c : {Case{{}, {}, {}},
                         Case{{0}, {}, {0}},
                         Case{{37}, {37}, {37}},
                         Case{{5, 7}, {7}, {5, 7}},
                         Case{{5, 1}, {7}, {5, 7}},
                         Case{{}, {3}, {3}}})
  {
    const SR2 C = strains(c.strain);
    const Scalar mu = moduli(c.modulus);
    const SR2 expected = closed_stress(C, mu);
    REQUIRE(at::Tensor(expected).sizes().slice(0, c.result.size()) == at::IntArrayRef(c.result));
    const SR2 S = vmap(stress, C, mu);
    REQUIRE(S.batch_sizes() == at::IntArrayRef(c.result));
    REQUIRE(difference(S, expected) < 1e-12);
    const SR2 of_batches = 2.0 * gradient<0>(energy, C, mu);
    REQUIRE(difference(of_batches, expected) < 1e-12);
    const auto [value, D] = value_and_jacobian<0>(stress, C, mu);
    REQUIRE(difference(value, expected) < 1e-12);
    const SSR4 tangent = closed_tangent(C, mu);
    REQUIRE(difference(D, tangent) < 1e-12);
    REQUIRE(difference(4.0 * hessian<0>(energy, C, mu), 2.0 * tangent) < 1e-12);
    REQUIRE(difference(jacobian<0>(stress, C, mu), tangent) < 1e-12);
    const auto [W, by] = value_and_gradient<1, 0>(energy, C, mu);
    REQUIRE(difference(W, vmap(energy, C, mu)) < 1e-12);
    REQUIRE(difference(2.0 * std::get<1>(by), expected) < 1e-12);
    REQUIRE(difference(std::get<0>(by), gradient<1>(energy, C, mu)) < 1e-12);
  }
  const SR2 C = strains({4});
  REQUIRE(difference(vmap(stress, C, 1.5), closed_stress(C, Scalar::full(1.5))) <
          1e-12); // a number
}

TEST_CASE("gradients of formulas have the type of the argument", "[gradient]")
{
  const auto square = [](const auto & a) { return norm_sq(a); };
  const auto require =
      [&](const auto & x, const std::string & of_gradient, const std::string & of_hessian)
  {
    const auto g = gradient<0>(square, x);
    static_assert(std::is_same_v<std::decay_t<decltype(g)>, std::decay_t<decltype(x)>>);
    REQUIRE(described(g) == of_gradient);
    REQUIRE(difference(g, 2.0 * x) < 1e-14);
    REQUIRE(described(hessian<0>(square, x)) == of_hessian);
    const auto in_formula = vmap(
        [](const auto & a) { return gradient<0>([](const auto & b) { return norm_sq(b); }, a); },
        x);
    REQUIRE(torch::equal(in_formula, g));
    const auto second = vmap(
        [](const auto & a) { return hessian<0>([](const auto & b) { return norm_sq(b); }, a); }, x);
    REQUIRE(described(second) == of_hessian);
  };
  require(SR2(torch::rand({5, 6}, kFloat64)), "SR2 (5; 6)", "SSR4 (5; 6, 6)");
  require(R2(torch::rand({5, 3, 3}, kFloat64)), "R2 (5; 3, 3)", "R4 (5; 3, 3, 3, 3)");
  require(Vec(torch::rand({5, 3}, kFloat64)), "Vec (5; 3)", "R2 (5; 3, 3)");
  require(WR2(torch::rand({5, 3}, kFloat64)), "WR2 (5; 3)", "R2 (5; 3, 3)");
  const Scalar x(torch::rand({5}, kFloat64));
  REQUIRE(difference(gradient<0>([](auto a) { return a * a; }, x), 2.0 * x) < 1e-14);
  REQUIRE(difference(hessian<0>([](auto a) { return a * a * a; }, x), 6.0 * x) < 1e-14);
  const auto g = gradient<0>([](const auto & s) { return std::get<0>(s) * tr(std::get<1>(s)); },
                             std::tuple(x, strains({5})));
  REQUIRE(described(std::get<0>(g)) == "Scalar (5;)");
  REQUIRE(difference(std::get<1>(g), x * SR2::fill(1.0)) < 1e-14);
}

TEST_CASE("autograd's gradients of such formulas: fused, and on whole batches", "[gradient]")
{
  const at::Tensor C = at::Tensor(strains({6})).clone().requires_grad_(true),
                   mu = at::Tensor(moduli({6})).clone().requires_grad_(true),
                   weight = torch::rand({6, 6}, kFloat64);
  const auto of = [&](const SR2 & S, bool create_graph) {
    return grad({(at::Tensor(S) * weight).sum()}, {C, mu}, {}, true, create_graph);
  };
  const auto fused = of(vmap(with_gradient(stress), SR2(C), Scalar(mu)), false),
             composed = of(vmap(stress, SR2(C), Scalar(mu)), true),
             closed = of(closed_stress(SR2(C), Scalar(mu)), true);
  for (size_t i : {0, 1})
  {
    REQUIRE(torch::allclose(fused[i], closed[i], 1e-10, 1e-12));
    REQUIRE(torch::allclose(composed[i], closed[i], 1e-10, 1e-12));
  }
  // second derivatives
  const auto second = [&](const at::Tensor & first)
  { return grad({first.square().sum()}, {C})[0]; };
  REQUIRE(torch::allclose(second(composed[0]), second(closed[0]), 1e-9, 1e-10));
  // the gradient of batches that autograd records
  const SR2 S = 2.0 * gradient<0>(energy, SR2(C), Scalar(mu));
  REQUIRE(torch::allclose(of(S, false)[0], closed[0], 1e-10, 1e-12));
}

TEST_CASE("float32 and half precision", "[gradient]")
{
  const SR2 C = strains({9});
  const Scalar mu = moduli({9});
  const SR2 S = vmap(stress, SR2(C.to(kFloat32)), Scalar(mu.to(kFloat32)));
  REQUIRE(S.scalar_type() == kFloat32);
  REQUIRE(torch::allclose(S.to(kFloat64), closed_stress(C, mu), 1e-4, 1e-5));
  const auto tangent = jacobian<0>(stress, SR2(C.to(kFloat32)), Scalar(mu.to(kFloat32)));
  REQUIRE(torch::allclose(tangent.to(kFloat64), closed_tangent(C, mu), 1e-4, 1e-5));
  const auto slope = [](const auto & a)
  { return gradient<0>([](const auto & x) { return exp(x) * x; }, a); };
  const at::Tensor x = torch::rand({20}, kFloat64);
  const at::Tensor expected = x.exp() * (1 + x);
  REQUIRE(torch::allclose(
      vmap(in_float32(slope), Scalar(x.to(kFloat32))).to(kFloat64), expected, 1e-5, 1e-5));
  REQUIRE(
      torch::allclose(vmap(slope, Scalar(x.to(at::kBFloat16))).to(kFloat64), expected, 3e-2, 3e-2));
}

TEST_CASE("newton with a gradient in its residual has a consistent tangent", "[gradient]")
{
  const auto solved = [](const auto & guess, const auto & S, const auto & mu)
  {
    return newton([](const auto & C, const auto & s, const auto & m)
                  { return 2.0 * gradient<0>(energy, C, m) - s; },
                  guess,
                  S,
                  mu);
  };
  const SR2 C = strains({8});
  const Scalar mu = moduli({8});
  const SR2 S = closed_stress(C, mu);
  const auto [found, compliance] = value_and_jacobian<1>(solved, SR2::fill(1.0), S, mu);
  REQUIRE(difference(found, C) < 1e-10);
  REQUIRE(difference(closed_tangent(C, mu) * compliance, SSR4::identity_sym().batch_expand({8})) <
          1e-9);
  // on whole batches
  const at::Tensor s = at::Tensor(S).clone().requires_grad_(true);
  const SR2 x = vmap(solved, SR2::fill(1.0), SR2(s), mu);
  REQUIRE(difference(SR2(at::Tensor(x).detach()), C) < 1e-10);
  const at::Tensor g = grad({at::Tensor(x).sum()}, {s})[0];
  REQUIRE(torch::allclose(g, at::Tensor(compliance).sum(1), 1e-8, 1e-9));
}

TEST_CASE("newton in a function that is differentiated", "[gradient]")
{
  // u³ + u = a has u' = 1/(3u² + 1) = d, and by differentiating this the next derivatives -6 u d³ and -6 d⁴ + 108 u² d⁵
  const auto root = [](const auto & a)
  { return newton([](const auto & u, const auto & x) { return u * u * u + u - x; }, a, a); };
  const auto slope = [](const auto & a)
  {
    return gradient<0>(
        [](const auto & b)
        { return newton([](const auto & u, const auto & x) { return u * u * u + u - x; }, b, b); },
        a);
  };
  const auto curvature = [](const auto & a)
  {
    return hessian<0>(
        [](const auto & b)
        { return newton([](const auto & u, const auto & x) { return u * u * u + u - x; }, b, b); },
        a);
  };
  const at::Tensor u = torch::linspace(-3, 3, 13, kFloat64);
  const at::Tensor a = u * u * u + u, d = 1 / (3 * u * u + 1);
  const at::Tensor second = -6 * u * d.pow(3), third = -6 * d.pow(4) + 108 * u.square() * d.pow(5);
  const auto close = [](const at::Tensor & x, const at::Tensor & y)
  { return torch::allclose(x, y, 1e-9, 1e-12); };
  REQUIRE(close(vmap(root, Scalar(a)), u));
  REQUIRE(close(vmap(slope, Scalar(a)), d));
  REQUIRE(close(vmap(curvature, Scalar(a)), second));
  // recorded
  const at::Tensor x = a.clone().requires_grad_(true);
  const at::Tensor first = vmap(slope, Scalar(x));
  REQUIRE(close(first.detach(), d));
  const at::Tensor again = grad({first.sum()}, {x}, {}, true, true)[0];
  REQUIRE(close(again.detach(), second));
  REQUIRE(close(grad({again.sum()}, {x})[0], third));
  const at::Tensor curved = vmap(curvature, Scalar(x));
  REQUIRE(close(curved.detach(), second));
  REQUIRE(close(grad({curved.sum()}, {x})[0], third));
}

TEST_CASE("integers among the arguments are numbers, as on batches", "[gradient]")
{
  constexpr auto power = [](const auto & x, const auto & n) { return pow(x, (n - 1) / n); };
  constexpr auto in_group = [](const auto & x, const auto & n)
  { return pow(x, (std::get<1>(n) - std::get<0>(n)) / std::get<1>(n)); };
  constexpr auto flow = [](const auto & s, const auto & over, const auto & n)
  { return s + 0.1 * pow(s, 1 / n) - over; };
  constexpr auto of_stretches = [](const auto & l, const auto & n)
  { return pow(l(0), 1 / n) + pow(l(1), 1 / n) + pow(l(2), 1 / n); };
  const Scalar a(torch::linspace(1, 2, 5, kFloat64));
  const auto same = [](const at::Tensor & x, const at::Tensor & y)
  { return torch::allclose(x, y, 1e-14, 1e-14); };
  REQUIRE(same(vmap([&](const auto & x) { return gradient<0>(power, x, 5); }, a),
               0.8 * at::Tensor(a).pow(-0.2)));
  REQUIRE(same(vmap([&](const auto & x) { return hessian<0>(power, x, 5); }, a),
               -0.16 * at::Tensor(a).pow(-1.2)));
  REQUIRE(same(vmap([&](const auto & x) { return gradient<0>(in_group, x, std::tuple(1, 5)); }, a),
               0.8 * at::Tensor(a).pow(-0.2)));
  REQUIRE(same(vmap([&](const auto & x) { return value_and_jacobian<0>(power, x, 5).second; }, a),
               0.8 * at::Tensor(a).pow(-0.2)));
  const Scalar solution = newton(flow, a, a, 3);
  REQUIRE(same(vmap([&](const auto & x) { return newton(flow, x, x, 3); }, a), solution));
  REQUIRE(same(solution + 0.1 * pow(solution, 1.0 / 3.0), a));
  const SR2 s = SR2::fill(1.0, 2.0, 3.0);
  REQUIRE(same(vmap([&](const auto & x) { return isotropic(of_stretches, x, 2); }, s),
               isotropic(of_stretches, s, 2)));
}
} // namespace gradient_test
