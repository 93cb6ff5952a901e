// SPDX-License-Identifier: MIT
#include "neml2/math/formula.h"

#include "neml2/engine/KernelFormula.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/interpolation.h"
#include "neml2/tensors/tensors.h"
#include "support/host_compiler.h"
#include "support/warnings.h"

#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

namespace formula_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;

#define TEST_TWO 2.0

namespace
{
constexpr double yield_stress = 0.1;
constexpr std::array<double, 3> strains{{0.0, 0.5, 2.0}}, stresses{{1.0, 1.25, 1.5}};

namespace elastic
{
constexpr auto shear_modulus = NEML2_FORMULA(
    [](const auto & E, const auto & nu)
    {
      return E / (TEST_TWO * (1.0 + nu)); // half of E / (1 + ν)
    });
}

/// Stress, plastic strain and its norm of perfect plasticity that softens.
constexpr auto radial_return = NEML2_FORMULA_USING(
    (elastic::shear_modulus, yield_stress, strains, stresses),
    [](const auto & strain, const auto & plastic_strain, const auto & E, const auto & nu)
    {
      const auto mu = elastic::shear_modulus(E, nu), kappa = E / (3.0 * (1.0 - 2.0 * nu));
      const auto trial = 2.0 * mu * dev(strain - plastic_strain);
      const auto size = norm(trial);
      const auto yield = yield_stress * interpolate(norm(plastic_strain), strains, stresses);
      const auto increment =
          trial * (maximum(size - yield, 0.0) / (2.0 * mu * maximum(size, 1e-12)));
      return std::tuple(3.0 * kappa * vol(strain) + trial - 2.0 * mu * increment,
                        plastic_strain + increment,
                        norm(increment));
    });
constexpr auto as_lambda =
    [](const auto & strain, const auto & plastic_strain, const auto & E, const auto & nu)
{ return radial_return(strain, plastic_strain, E, nu); };

/// A formula that makes tensors, and contains a loop that ends by a condition.
constexpr auto rotated = NEML2_FORMULA(
    [](const auto & s, const auto & r, const auto & v, const auto & C)
    {
      const auto unit_tensor = SR2::identity(s);
      auto n = v;
      for (int i = 0; i < 3; i++)
      {
        const auto is_long = norm(n) > 1.0;
        if (!any(is_long))
          break;
        n = where(is_long, n / norm(n), n);
      }
      const auto t = rotate(C * (s + 0.5 * unit_tensor), r);
      return std::tuple(t, SR2::fill(n(0), n(1), n(2)), Vec::fill(t(0, 1), 0.0, inner(n, v)));
    });

NEML2_STRUCT(
    State, template <class S, class A> struct State {
      S plastic_strain;
      A alpha;
    });
/// A formula whose arguments and results are groups: a material that hardens.
constexpr auto hardening = NEML2_FORMULA(
    [](const auto & strain, const auto & state, const auto & material)
    {
      const auto & [E, nu] = material;
      const auto flow = dev(strain - state.plastic_strain) * nu;
      const auto alpha = state.alpha + norm(flow);
      using S = std::decay_t<decltype(flow)>;
      using A = std::decay_t<decltype(alpha)>;
      return std::tuple(E * (strain - flow), State<S, A>{flow, alpha});
    });

struct Pair : PrimitiveTensor<Pair, 2>
{
  using PrimitiveTensor::PrimitiveTensor;
};
constexpr auto of_ones_own = NEML2_FORMULA([](const auto & a, const auto & x)
                                           { return std::tuple(a * x(0), x + a, x(1) * a); });

struct Case
{
  SR2 strain, plastic_strain;
  Scalar E;
  double nu = 0.3;

  /// Arguments that are broadcast, and have strides, on a device.
  Case(Device device, Dtype dtype, const TensorShape & batch)
  {
    at::manual_seed(7);
    const auto options = TensorOptions(kFloat64);
    auto shared = batch;
    if (!shared.empty())
      shared.front() = 1;
    const auto numbers = [&](const TensorShape & of, Size n)
    {
      TensorShape shape = of;
      shape.push_back(2 * n);
      return at::rand(shape, options).to(dtype).to(device);
    };
    const Size dim = Size(batch.size());
    strain = SR2(numbers(batch, 6).slice(-1, 0, 12, 2)); // gaps between the numbers of a row
    at::Tensor p = numbers(batch, 6).slice(-1, 0, 6) * 0.3;
    if (dim == 2) // the first dimension is the inner one
      p = p.transpose(0, 1).contiguous().transpose(0, 1);
    plastic_strain = SR2(p);
    E = Scalar(numbers(shared, 1).select(-1, 0) + 1);
  }
};

void
same(const at::Tensor & found, const at::Tensor & expected, double tolerance)
{
  REQUIRE(found.device() == test::stand_in());
  REQUIRE(found.scalar_type() == expected.scalar_type());
  REQUIRE(found.sizes() == expected.sizes());
  REQUIRE(at::allclose(found.cpu(), expected, tolerance, tolerance));
}

/// Checks that f of the case on the stand-in, by this many kernels, is f on the CPU.
template <class F>
void
same_on_both(const test::WithHostCompiler & setting, const F & f, size_t kernels)
{
  for (const auto dtype : {kFloat64, kFloat32})
    for (const auto & batch : {TensorShape{}, TensorShape{5}, TensorShape{3, 4}, TensorShape{0}})
    {
      const double tolerance = dtype == kFloat64 ? 1e-12 : 1e-5;
      const auto expected = f(Case(kCPU, dtype, batch));
      const size_t before = setting.compiler->launches;
      const auto found = f(Case(test::stand_in(), dtype, batch));
      if (batch != TensorShape{0})
        REQUIRE(setting.compiler->launches - before == kernels);
      REQUIRE(found.size() == expected.size());
      for (size_t i = 0; i < found.size(); i++)
        same(found[i], expected[i], tolerance);
    }
}
using Results = std::vector<at::Tensor>;
} // namespace

TEST_CASE("A formula with its text is the lambda on the CPU", "[math][formula]")
{
  STATIC_REQUIRE(std::is_empty_v<std::decay_t<decltype(radial_return)>>);
  STATIC_REQUIRE(kernels::holds_only_numbers<std::decay_t<decltype(radial_return)>>());
  const Case c(kCPU, kFloat64, {7});
  const auto [s, p, n] = vmap(radial_return, c.strain, c.plastic_strain, c.E, c.nu);
  const auto [t, q, m] = vmap(as_lambda, c.strain, c.plastic_strain, c.E, c.nu);
  REQUIRE(at::equal(s, t));
  REQUIRE(at::equal(p, q));
  REQUIRE(at::equal(n, m));
  REQUIRE(elastic::shear_modulus(2.6, 0.3) == 1.0);
}

TEST_CASE("A formula's text has its macros expanded, and no comments", "[math][formula]")
{
  using F = std::decay_t<decltype(elastic::shear_modulus)>;
  const std::string text = engine::TextOf<F>::text.text;
  REQUIRE(text == "[](const auto & E, const auto & nu) { return E / (2.0 * (1.0 + nu)); }");
}

TEST_CASE("A formula with its text is one kernel on a device", "[math][formula][stand-in]")
{
  const test::WithHostCompiler setting;
  same_on_both(
      setting,
      [](const Case & c)
      {
        const auto [s, p, n] = vmap(radial_return, c.strain, c.plastic_strain, c.E, c.nu);
        return Results{s, p, n};
      },
      1);
  const auto kernels = device_kernels();
  REQUIRE_THAT(kernels.back().name, ContainsSubstring("[](const auto & strain"));
}

TEST_CASE("Its Jacobian is one kernel on a device, and so is each gradient",
          "[math][formula][stand-in]")
{
  const test::WithHostCompiler setting;
  same_on_both(
      setting,
      [](const Case & c)
      {
        const auto [value, J] =
            value_and_jacobian<0, 0, 2>(radial_return, c.strain, c.plastic_strain, c.E, c.nu);
        return Results{std::get<0>(value), std::get<2>(value), std::get<0>(J), std::get<1>(J)};
      },
      1);
  same_on_both(
      setting,
      [](const Case & c)
      {
        const SR2 strain(c.strain.detach().set_requires_grad(true));
        const Scalar E(c.E.detach().set_requires_grad(true));
        const auto [s, p, n] =
            vmap(with_gradient(radial_return), strain, c.plastic_strain, E, c.nu);
        const auto w = at::arange(1, 7, s.options());
        const at::Tensor energy = (s * w).sum() + (n * n).sum();
        return Results(torch::autograd::grad({energy}, {strain, E}));
      },
      3);
}

TEST_CASE("It writes into existing tensors on a device", "[math][formula][stand-in]")
{
  const test::WithHostCompiler setting;
  same_on_both(
      setting,
      [](const Case & c)
      {
        const auto like = c.strain + c.plastic_strain;
        SR2 s(at::empty_like(like)), p(at::empty_like(like));
        Scalar n(at::empty_like(like.select(-1, 0)));
        vmap_out(std::tie(s, p, n), radial_return, c.strain, c.plastic_strain, c.E, c.nu);
        return Results{s, p, n};
      },
      1);
}

TEST_CASE("Any types of rows are those of a device", "[math][formula][stand-in]")
{
  const test::WithHostCompiler setting;
  same_on_both(
      setting,
      [](const Case & c)
      {
        const Rot r(at::Tensor(c.plastic_strain).slice(-1, 0, 3));
        const Vec v(at::Tensor(c.strain).slice(-1, 3, 6) * 2);
        const SSR4 C(at::Tensor(c.strain).unsqueeze(-1) *
                     at::Tensor(c.plastic_strain).unsqueeze(-2));
        const auto [t, s, w] = vmap(rotated, c.strain, r, v, C);
        const Pair pair(at::Tensor(c.strain).slice(-1, 0, 2));
        const auto [x, y, z] = vmap(of_ones_own, pair, pair);
        return Results{t, s, w, x, y, z};
      },
      2);
}

TEST_CASE("Groups of tensors are those of a device", "[math][formula][stand-in]")
{
  const test::WithHostCompiler setting;
  same_on_both(
      setting,
      [](const Case & c)
      {
        const State<SR2, Scalar> state{c.plastic_strain, c.E};
        const auto [stress, after] = vmap(hardening, c.strain, state, std::tuple(c.E, c.nu));
        const auto [value, J] =
            value_and_jacobian<1, 0>(hardening, c.strain, state, std::tuple(c.E, c.nu));
        return Results{stress,
                       after.plastic_strain,
                       after.alpha,
                       std::get<0>(value),
                       J.plastic_strain,
                       J.alpha};
      },
      2);
}

TEST_CASE("A formula that a device does not compile is composed, and a warning says why",
          "[math][formula][stand-in]")
{
  const test::WithHostCompiler setting;
  const auto f = NEML2_FORMULA([](const auto & x) { return x * yield_stress; }); // no list
  const test::Warnings warnings;
  const Scalar x(at::arange(4, TensorOptions(kFloat64)).to(test::stand_in()));
  for (int i = 0; i < 2; i++)
    REQUIRE(at::allclose(vmap(f, x).cpu(), x.cpu() * yield_stress));
  REQUIRE(warnings.messages.size() == 1);
  REQUIRE_THAT(warnings.messages[0], ContainsSubstring("yield_stress"));
}
} // namespace formula_test
