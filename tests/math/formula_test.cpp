// SPDX-License-Identifier: MIT
#include "neml2/math/formula.h"

#include "neml2/device/KernelFormula.h"
#include "neml2/math/gradient.h"
#include "neml2/math/newton.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/interpolation.h"
#include "neml2/tensors/tensors.h"
#include "support/host_compiler.h"

#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

namespace formula_test
{
using namespace neml2;

namespace
{
constexpr double yield_stress = 0.1;
constexpr std::array<double, 3> strains{{0.0, 0.5, 2.0}}, stresses{{1.0, 1.25, 1.5}};

constexpr auto shear_modulus = [](const auto & E, const auto & nu)
{ return E / (2.0 * (1.0 + nu)); };

/// Stress, plastic strain and its norm of perfect plasticity that softens.
constexpr auto radial_return =
    [](const auto & strain, const auto & plastic_strain, const auto & E, const auto & nu)
{
  const auto mu = shear_modulus(E, nu), kappa = E / (3.0 * (1.0 - 2.0 * nu));
  const auto trial = 2.0 * mu * dev(strain - plastic_strain);
  const auto size = norm(trial);
  const auto yield = yield_stress * interpolate(norm(plastic_strain), strains, stresses);
  const auto increment = trial * (maximum(size - yield, 0.0) / (2.0 * mu * maximum(size, 1e-12)));
  return std::tuple(3.0 * kappa * vol(strain) + trial - 2.0 * mu * increment,
                    plastic_strain + increment,
                    norm(increment));
};

/// A formula that makes tensors, and contains a loop that ends by a condition.
constexpr auto rotated = [](const auto & s, const auto & r, const auto & v, const auto & C)
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
};

template <class S, class A>
struct State
{
  S plastic_strain;
  A alpha;
};
/// A formula whose arguments and results are groups: a material that hardens.
constexpr auto hardening = [](const auto & strain, const auto & state, const auto & material)
{
  const auto & [E, nu] = material;
  const auto flow = dev(strain - state.plastic_strain) * nu;
  const auto alpha = state.alpha + norm(flow);
  using S = std::decay_t<decltype(flow)>;
  using A = std::decay_t<decltype(alpha)>;
  return std::tuple(E * (strain - flow), State<S, A>{flow, alpha});
};

struct Pair : PrimitiveTensor<Pair, 2>
{
  using PrimitiveTensor::PrimitiveTensor;
};
constexpr auto of_ones_own = [](const auto & a, const auto & x)
{ return std::tuple(a * x(0), x + a, x(1) * a); };

/// The root of x³ + factor x = a, and the derivative of an energy by a tensor: a formula that holds a number.
struct Solves
{
  double factor;

  template <class A, class S>
  auto operator()(const A & a, const S & s) const
  {
    const auto x =
        newton([](const auto & y, const auto & b, const auto & c) { return y * y * y + c * y - b; },
               1.0,
               a,
               factor);
    const auto energy = [](const auto & e, const auto & k)
    { return 0.5 * k * inner(e, e) + exp(tr(e)); };
    return std::tuple(x, gradient<0>(energy, s, x));
  }
};

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

TEST_CASE("A formula is one kernel on a device", "[math][formula][stand-in]")
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
  REQUIRE(device_kernels().back().name == "vmap(SR2, SR2, Scalar, number)");
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

TEST_CASE("A formula that captures numbers is one kernel on a device", "[math][formula][stand-in]")
{
  const test::WithHostCompiler setting;
  for (const double k : {2.0, 3.0, 2.0})
  {
    const auto law = [k, &a = yield_stress](const auto & strain, const auto & E)
    { return k * E * dev(strain) * a; };
    same_on_both(
        setting,
        [&](const Case & c)
        {
          const auto [s, J] = value_and_jacobian<0>(law, c.strain, c.E);
          return Results{vmap(law, c.strain, c.E), s, J};
        },
        2);
    same_on_both(
        setting,
        [&](const Case & c)
        {
          const SR2 strain(c.strain.detach().set_requires_grad(true));
          const Scalar E(c.E.detach().set_requires_grad(true));
          return Results(torch::autograd::grad({vmap(law, strain, E).square().sum()}, {strain, E}));
        },
        3);
  }
}

TEST_CASE("newton and derivatives within a formula are parts of its kernel",
          "[math][formula][stand-in]")
{
  const test::WithHostCompiler setting;
  same_on_both(
      setting,
      [](const Case & c)
      {
        const auto [x, s] = vmap(Solves{0.5}, c.E, c.strain);
        const auto [value, J] = value_and_jacobian<0, 1>(Solves{1.5}, c.E, c.strain);
        const Scalar root =
            newton([](const auto & y, const auto & a) { return y * y - a; }, c.E, c.E + 1.0);
        return Results{x, s, std::get<1>(value), J, root};
      },
      3);
}

TEST_CASE("Formulas that do the same share a recording", "[math][formula]")
{
  using S = SR2;
  const auto scaled = [](const double & k) { return [&k](const auto & s) { return k * s; }; };
  const double two = 2, also_two = 2, three = 3;
  const auto first = engine::recorded_formula<S>(scaled(two));
  REQUIRE(first == engine::recorded_formula<S>(scaled(also_two)));
  REQUIRE(first != engine::recorded_formula<S>(scaled(three)));
  double changed = 2;
  const auto f = scaled(changed);
  REQUIRE(engine::recorded_formula<S>(f) == first);
  changed = 3;
  REQUIRE(engine::recorded_formula<S>(f) != first);
  const auto known = engine::recorded_formula<Scalar, S>(Solves{2});
  REQUIRE(known == engine::recorded_formula<Scalar, S>(Solves{2}));
  REQUIRE(known != engine::recorded_formula<Scalar, S>(Solves{3}));
  for (int k = 10; k < 50; k++) // only the last ones are kept
    REQUIRE(engine::recorded_formula<Scalar, S>(Solves{double(k)}) != known);
  REQUIRE(engine::recorded_formula<Scalar, S>(Solves{2}) != known);
}

TEST_CASE("A formula is called with symbols, once", "[math][formula]")
{
  int calls = 0;
  const auto f = [&calls](const auto & x)
  {
    if constexpr (std::is_same_v<std::decay_t<decltype(x)>, recorded::Number>)
      calls++;
    return x * x;
  };
  const Scalar x(at::rand({5}, kFloat64));
  (void)vmap(f, x);
  REQUIRE(calls == 0);
  const Scalar half(x.to(kFloat16));
  REQUIRE(at::allclose(vmap(f, half), half * half));
  REQUIRE(calls == 1);
  static int recordings = 0;
  const auto g = [](const auto & y)
  {
    if constexpr (std::is_same_v<std::decay_t<decltype(y)>, recorded::Number>)
      recordings++;
    return 2.0 * y;
  };
  for (int i = 0; i < 3; i++)
    (void)vmap(g, half);
  REQUIRE(recordings == 1);
}
} // namespace formula_test
