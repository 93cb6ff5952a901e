// SPDX-License-Identifier: MIT
#include "neml2/math/newton.h"

#include "neml2/math/autograd.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"
#include "support/battery.h"
#include "support/errors.h"
#include "../../examples/viscoplasticity.h"
#include "support/formulas.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/types.h>

#include "support/catch.h"

namespace newton_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::difference;
using test::error_of;
using test::vmapped;
using torch::autograd::grad;

namespace
{
at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::rand(shape, kFloat64).add(0.5).to(dtype);
}

constexpr auto square = [](const auto & x, const auto & a) { return x * x - a; };

/// Kepler's equation for the eccentric anomaly.
constexpr auto kepler = [](const auto & E, const auto & M, const auto & e)
{ return E - e * sin(E) - M; };

/// Square root of a tensor: X X = A, of symmetric tensors.
constexpr auto tensor_root = [](const auto & x, const auto & a)
{ return sym(full(x) * full(x)) - a; };

/// Two unknowns of two types: |v| = a, v along w.
constexpr auto length_along = [](const auto & x, const auto & w, const auto & a)
{
  const auto & [v, k] = x;
  return std::tuple(v - k * w, norm(v) - a);
};

/// Plastic flow with linear hardening, both unknown: the stress's deviator, scaled by the shear modulus, and the flow.
constexpr auto plastic = [](const auto & x, const auto & trial, const auto & yield)
{
  const auto & [s, slip] = x;
  return std::tuple(s - trial + 2.0 * slip * s / norm(s), norm(s) - yield - 0.5 * slip);
};
constexpr auto update = [](const auto & strain, const auto & yield)
{
  const auto trial = 2.0 * dev(strain);
  const auto n = norm(trial);
  const auto [s, slip] = newton(plastic, std::tuple(trial, 0.0 * n), trial, yield);
  const auto flows = n > yield;
  return std::tuple(where(flows, s, trial), where(flows, slip, 0.0));
};
/// The same in closed form.
constexpr auto radial = [](const auto & strain, const auto & yield)
{
  const auto trial = 2.0 * dev(strain);
  const auto n = norm(trial), slip = maximum(n - yield, 0.0) / 2.5;
  return std::tuple(trial * (1.0 - 2.0 * slip / n), slip);
};

const std::vector<test::Operation> &
formulas()
{
  static const std::vector<test::Operation> all{
      vmapped<Scalar>("square root", [](auto a) { return newton(square, 1.0, a); }),
      vmapped<Scalar, Scalar>("Kepler", [](auto M, auto e) { return newton(kepler, M, M, e); }),
      vmapped<SR2>("root of a tensor",
                   [](auto a)
                   {
                     const auto A = sym(full(a) * full(a));
                     return newton(tensor_root, a, A, NewtonOptions().max_iterations(30));
                   }),
      vmapped<Vec, Scalar>("length along",
                           [](auto w, auto a)
                           { return newton(length_along, std::tuple(w, 0.0 * a), w, a); }),
      vmapped<SR2, Scalar>("plastic flow", update)};
  return all;
}
const test::Battery battery(
    []
    {
      return test::without({test::Check::rule, test::Check::refusals, test::Check::integers},
                           formulas());
    });
} // namespace

TEST_CASE("Formulas with newton pass the battery", "[math][newton][cuda]")
{
  battery.check();
}

TEST_CASE("newton on batches solves at each point, whatever the batch", "[math][newton]")
{
  for (const auto & shape : std::vector<std::vector<Size>>{{}, {0}, {1}, {5}, {3, 1}, {130}})
    for (const auto dtype : {kFloat64, kFloat32})
    {
      const Scalar a(random(shape, dtype));
      const Scalar x = newton(square, 1.0, a);
      REQUIRE(x.scalar_type() == dtype);
      REQUIRE(x.batch_sizes() == a.batch_sizes());
      REQUIRE(at::allclose(x, a.sqrt(), 1e-6, 1e-6));
      const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
      REQUIRE(at::allclose(newton(square, 1.0, a), x, 1e-6, 1e-6));
    }
  const Scalar M(random({4, 1})), e(at::rand({3}, kFloat64) * 0.9);
  const Scalar E = newton(kepler, M, M, e);
  REQUIRE(described(E) == "Scalar (4, 3;)");
  REQUIRE(at::allclose(E - e * sin(E), M.batch_expand({4, 3}), 1e-14, 1e-14));
}

TEST_CASE("The unknown may be a tensor or a tuple, and so may arguments", "[math][newton]")
{
  const SR2 strain(at::rand({200, 6}, kFloat64) - 0.5);
  const Scalar yield(random({200}) * 0.1);
  const SR2 trial = 2.0 * dev(strain);
  const auto [s, slip] =
      newton(plastic, std::tuple(trial, Scalar::zeros_like(yield)), trial, yield);
  const auto [expected, flow] = radial(strain, yield);
  const at::Tensor flows = norm(trial).gt(at::Tensor(yield));
  REQUIRE(flows.sum().item<int64_t>() > 50);
  REQUIRE(at::allclose(s.index({flows}), expected.index({flows}), 1e-12, 1e-12));
  REQUIRE(at::allclose(slip.index({flows}), flow.index({flows}), 1e-12, 1e-12));

  static constexpr auto of_tuples = [](const auto & x, const auto & both)
  {
    const auto & [a, b] = both;
    return x * x * b - a;
  };
  REQUIRE(at::allclose(newton(of_tuples, 1.0, std::tuple(yield, 4.0)), yield.sqrt() / 2.0));
  // with a plain number beside one that carries derivatives
  const auto root = [](const auto & a) { return newton(of_tuples, 1.0, std::tuple(a, 4.0)); };
  const Scalar a(at::Tensor(yield).clone().requires_grad_());
  const auto check = [&](const Scalar & x)
  {
    REQUIRE(at::allclose(x, a.sqrt() / 2.0));
    const auto gradients = grad({x.sum()}, {a}, {}, true, true);
    REQUIRE(at::allclose(gradients[0], 0.25 / a.sqrt()));
    REQUIRE(at::allclose(grad({gradients[0].sum()}, {a})[0], -0.125 * a.pow(-1.5)));
  };
  check(vmap(root, a));
  check(vmap(with_gradient(root), a));
}

TEST_CASE("newton_report says how often it iterated and whether it converged", "[math][newton]")
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Scalar a(torch::tensor({1.0, 2.0, -1.0, nan, 1e300, 0.25, 9.0}, kFloat64));
  for (const bool fused : {true, false})
  {
    INFO("fused: " << fused);
    c10::optional<c10::impl::IncludeDispatchKeyGuard> composed;
    if (!fused)
      composed.emplace(c10::DispatchKey::AutocastCPU);
    const auto r = newton_report(square, 1.0, a, NewtonOptions().max_iterations(20));
    REQUIRE(described(r.solution) == "Scalar (7;)");
    REQUIRE(
        torch::equal(r.converged, torch::tensor({true, true, false, false, false, true, true})));
    REQUIRE(torch::equal(r.solution.isnan(), r.converged.logical_not()));
    REQUIRE(torch::equal(r.iterations, torch::tensor({1., 5., 20., 1., 20., 6., 3.}, kFloat64)));
    REQUIRE(described(r.residual) == "Scalar (7;)");
    REQUIRE(torch::equal(r.residual.isnan(), r.converged.logical_not()));
    REQUIRE(r.residual.nan_to_num().max().item<double>() < 1e-14);
    const auto short_ =
        newton_report(square, 3.0, a, NewtonOptions().max_iterations(1).keep_unconverged());
    REQUIRE(torch::allclose(
        short_.residual, (short_.solution * short_.solution - a).abs(), 1e-14, 0, true));
    const Scalar kept =
        newton(square, 1.0, a, NewtonOptions().max_iterations(20).keep_unconverged());
    REQUIRE(kept.isnan().sum().item<int64_t>() == 1);
  }
}

TEST_CASE("A point's solution is bitwise the same whatever its neighbours", "[math][newton]")
{
  const SR2 strain(at::rand({37, 6}, kFloat64) - 0.5);
  const Scalar yield(random({37}) * 0.3);
  const auto [s, slip] = vmap(update, strain, yield);
  for (Size i = 0; i < 37; i++)
  {
    const auto [one, flow] =
        vmap(update, SR2(strain.slice(0, i, i + 1)), Scalar(yield.slice(0, i, i + 1)));
    REQUIRE(torch::equal(one[0], s[i]));
    REQUIRE(torch::equal(flow[0], slip[i]));
  }
}

TEST_CASE("The tangent through newton is that of the closed form, and elastic points spoil none",
          "[math][newton][autograd]")
{
  const SR2 strain(at::rand({1000, 6}, kFloat64) - 0.5);
  const Scalar yield(random({1000}));
  const auto [found, jacobians] = value_and_jacobian<0>(update, strain, yield);
  const auto [expected, others] = value_and_jacobian<0>(radial, strain, yield);
  REQUIRE(std::get<1>(expected).gt(0).sum().item<int64_t>() > 100);
  REQUIRE(std::get<1>(expected).eq(0).sum().item<int64_t>() > 100);
  REQUIRE(at::allclose(std::get<0>(found), std::get<0>(expected), 1e-12, 1e-12));
  REQUIRE(at::allclose(std::get<0>(jacobians), std::get<0>(others), 1e-10, 1e-10));
  REQUIRE(at::allclose(std::get<1>(jacobians), std::get<1>(others), 1e-10, 1e-10));

  // One yield stress for all points: its gradient is a sum over all points, to which elastic points must add 0.
  const SR2 e(strain.detach().clone().requires_grad_());
  const Scalar y(torch::tensor(1.0, kFloat64).requires_grad_());
  const auto gradients = [&](const auto & f)
  {
    const auto [s, slip] = vmap(f, e, y);
    return grad({inner(s, s).sum() + slip.sum()}, {e, y});
  };
  const auto closed = gradients(radial);
  for (const auto & g : {gradients(update), gradients(with_gradient(update))})
    for (size_t k = 0; k < 2; k++)
      REQUIRE(at::allclose(g[k], closed[k], 1e-10, 1e-10));
}

TEST_CASE("newton on batches has derivatives up to the seventh", "[math][newton][autograd]")
{
  const auto check = [](const auto & f)
  {
    const Scalar a(random({6}).requires_grad_());
    const Scalar x = newton(f, 1.0, a);
    at::Tensor derivative = x;
    double factor = 1; // of the root of a
    for (int order = 1; order <= 7; order++)
    {
      CAPTURE(order);
      derivative = grad({derivative.sum()}, {a}, {}, true, true)[0];
      factor *= 1.5 - order;
      const double digits = std::pow(10.0, std::min(order, 4) - 12);
      REQUIRE(at::allclose(derivative, factor * a.pow(0.5 - order), digits, 0.0));
    }
  };
  check(square);
  check(with_gradient(square));
}

TEST_CASE("Points that do not converge have no part in gradients of shared arguments",
          "[math][newton][autograd]")
{
  const Scalar a(torch::tensor({1.0, -1.0, 4.0}, kFloat64)),
      k(torch::tensor(1.0, kFloat64).requires_grad_());
  constexpr auto scaled = [](const auto & x, const auto & b, const auto & c)
  { return c * x * x - b; };
  for (const bool fused : {true, false})
  {
    const Scalar x = fused ? newton(with_gradient(scaled), 1.0, a, k) : newton(scaled, 1.0, a, k);
    const at::Tensor taken = at::where(a.gt(0), at::Tensor(x), at::zeros_like(x));
    REQUIRE(at::allclose(grad({taken.sum()}, {k})[0], torch::tensor(-1.5, kFloat64)));
  }
}

TEST_CASE("Bounds, the longest step and the line search are kept", "[math][newton]")
{
  constexpr auto logarithm = [](const auto & x, const auto & a) { return log(x) - a; };
  constexpr auto arctangent = [](const auto & x, const auto & a) { return atan(x) - a; };
  const Scalar a(torch::tensor({-3.0, 0.0, 2.0}, kFloat64)), zero = Scalar::zeros({2}, kFloat64);
  for (const bool fused : {true, false})
  {
    c10::optional<c10::impl::IncludeDispatchKeyGuard> composed;
    if (!fused)
      composed.emplace(c10::DispatchKey::AutocastCPU);
    // From 5 a full step goes to 5 - 5 (log 5 + 3) < 0, where there is no logarithm.
    const Scalar x = newton(logarithm, 5.0, a, NewtonOptions().bounds(0.0, 100.0));
    REQUIRE(at::allclose(x, a.exp(), 1e-12));
    // From 3 Newton's method diverges; with halved steps or with short steps it converges.
    const Scalar guess(torch::tensor({3.0, -20.0}, kFloat64));
    const auto converges = [&](const NewtonOptions & o)
    { return !at::Tensor(newton(arctangent, guess, zero, o)).isnan().any().item<bool>(); };
    REQUIRE(!converges(NewtonOptions().line_search(false)));
    REQUIRE(converges(NewtonOptions()));
    REQUIRE(converges(NewtonOptions().line_search(false).max_step(1.0)));
    REQUIRE(newton_report(arctangent, guess, zero, NewtonOptions().line_search(false).max_step(0.5))
                .iterations[1]
                .item<double>() >= 39);
  }
}

TEST_CASE("newton refuses what it cannot take, and says why", "[math][newton]")
{
  const Scalar a = Scalar::ones({3}, kFloat64);
  REQUIRE_THAT(error_of([&] { newton(square, 1.0, Scalar()); }),
               ContainsSubstring("newton: undefined tensor"));
  REQUIRE_THAT(error_of([&] { newton(square, Scalar::ones({2}, kFloat64), a); }),
               ContainsSubstring("newton: ") && ContainsSubstring("broadcast"));
  REQUIRE_THAT(error_of([&] { newton(square, a.to(kFloat32), a); }),
               ContainsSubstring("newton: operands of different dtypes"));
  REQUIRE_THROWS_WITH(NewtonOptions().max_iterations(0), ContainsSubstring("at least 1"));
  REQUIRE_THROWS_WITH(NewtonOptions().tolerance(-1), ContainsSubstring("tolerance"));
  REQUIRE_THROWS_WITH(NewtonOptions().bounds(1, 0), ContainsSubstring("lower bound"));
  REQUIRE_THROWS_WITH(NewtonOptions().max_step(0), ContainsSubstring("above 0"));
  REQUIRE_THROWS_WITH(NewtonOptions().bounds_of(8, 0, 1), ContainsSubstring("first 8"));
}

TEST_CASE("Extreme states either converge to the solution or are NaN", "[math][newton]")
{
  const Size N = 20000;
  const at::Tensor exponents = at::rand({N, 1}, kFloat64) * 24 - 16;
  const SR2 strain((at::rand({N, 6}, kFloat64) - 0.5) * at::pow(10.0, exponents));
  const Scalar yield(at::pow(10.0, at::rand({N}, kFloat64) * 16 - 8));
  const auto [s, slip] = vmap(update, strain, yield);
  const auto [expected, flow] = vmap(radial, strain, yield);
  const at::Tensor found = at::Tensor(s).isfinite().all(-1);
  REQUIRE(found.sum().item<int64_t>() >= N - N / 1000);
  const at::Tensor error =
      (at::Tensor(s) - expected).norm(2, -1) / at::Tensor(expected).norm(2, -1);
  REQUIRE(error.index({found}).max().item<double>() < 1e-9);
}

TEST_CASE("The viscoplastic model of the examples flows with any exponent and any rate",
          "[math][newton]")
{
  const Size N = 400;
  const at::Tensor size = at::pow(10.0, at::linspace(-6, -1.5, N, kFloat64)).unsqueeze(-1);
  const SR2 strain(size * at::sin(1.7 * at::arange(6.0 * N, kFloat64)).reshape({N, 6}));
  const std::tuple virgin(
      SR2::zeros({}, kFloat64), SR2::zeros({}, kFloat64), Scalar(0.0, kFloat64));
  for (const double n : {1.0, 5.0, 20.0, 100.0})
    for (const double dt : {1e-4, 1.0, 1e6})
    {
      const double K = 80.0, yield = 100.0, G = 80e3;
      const std::tuple material(G, 160e3, yield, 0.0, 0.0, 0.0, 0.0, K, n);
      const auto [stress, state] = vmap(viscoplasticity::update, strain, virgin, material, dt);
      const at::Tensor p = std::get<2>(state),
                       mises = std::sqrt(1.5) * at::Tensor(dev(stress)).norm(2, -1);
      REQUIRE(at::isfinite(mises).all().item<bool>());
      // Without hardening the flow law holds for the stress found.
      const at::Tensor over = at::clamp_min(mises - yield, 0.0);
      const at::Tensor trial = std::sqrt(1.5) * 2 * G * at::Tensor(dev(strain)).norm(2, -1);
      const at::Tensor error = mises + 3 * G * dt * at::pow(over / K, n) - trial;
      REQUIRE((at::abs(error) / (trial + 3 * G * dt * n * at::pow(over / K, n - 1)))
                  .max()
                  .item<double>() < 1e-9);
      REQUIRE((at::abs(mises + 3 * G * p - trial) / trial).max().item<double>() < 1e-9);
      REQUIRE((p > 0).sum().item<int64_t>() > 150);
    }
}

TEST_CASE("newton has tangents of forward mode", "[math][newton][autograd]")
{
  const auto root = [](const auto & a)
  { return newton([](const auto & x, const auto & b) { return x * x * x - b; }, a, a); };
  const at::Tensor a = torch::tensor({0.5, 2.0, 8.0}, kFloat64),
                   t = torch::tensor({1.0, 2.0, 3.0}, kFloat64);
  const auto level = torch::autograd::ForwardADLevel::get_next_idx();
  {
    const Scalar dual(torch::_make_dual(a, t, int64_t(level)));
    const Scalar x = vmap(root, dual);
    REQUIRE(torch::allclose(x._fw_grad(level), t * a.pow(-2.0 / 3.0) / 3.0, 1e-8, 1e-8));
  }
  torch::autograd::ForwardADLevel::release_idx(level);
}
} // namespace newton_test
