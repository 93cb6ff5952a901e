// SPDX-License-Identifier: MIT
#include "neml2/packs/at_point.h"

#include "neml2/kernels/invariants.h"
#include "neml2/math/gradient.h"
#include "neml2/math/newton.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"
#include "neml2/tensors/invariants.h"

#include <torch/types.h>

#include <cmath>
#include <limits>

#include "support/catch.h"

namespace at_point_test
{
using namespace neml2;
using Row = kernels::SR2<double>;

namespace
{
template <class S, class A>
struct State
{
  S plastic;
  A alpha;
};
template <class S, class A>
State(S, A) -> State<S, A>;

/// Von Mises plasticity; the overstress is proportional to dp + 1e3 dp³.
constexpr auto update =
    [](const auto & strain, const auto & old, const auto & G, const auto & yield)
{
  const auto trial = 2.0 * G * dev(strain - old.plastic);
  const auto mises = maximum(von_mises(trial), 1e-12);
  const auto residual = [](const auto & dp, const auto & f, const auto & g)
  { return 3.0 * g * (dp + 1e3 * dp * dp * dp) - f; };
  const auto dp = newton(residual, 0.0, macaulay(mises - yield - 10.0 * old.alpha), G);
  const auto flow = trial * (1.5 * dp / mises);
  return std::tuple(trial - 2.0 * G * flow + 300.0 * vol(strain),
                    State{old.plastic + flow, old.alpha + dp});
};
constexpr auto with_functions = [](const auto & s, const auto & n)
{ return s * (exp(0.1 * s(0)) * pow(norm(s), n) + sin(s(1)) * log(1.0 + norm_sq(s))); };

Row
row_of(const at::Tensor & t, int64_t k)
{
  Row r;
  for (int i = 0; i < 6; i++)
    r[i] = t[k][i].item<double>();
  return r;
}
template <class R>
void
require_row(const R & row, const at::Tensor & entry, double tolerance = 0)
{
  const at::Tensor flat = entry.contiguous().flatten();
  REQUIRE(flat.numel() == R::n);
  for (int i = 0; i < R::n; i++)
  {
    const double x = flat[i].item<double>();
    REQUIRE(std::abs(row[i] - x) <= tolerance * (1 + std::abs(x)));
  }
}
} // namespace

TEST_CASE("a formula at a point has the value and the Jacobian of the point in a batch",
          "[at_point]")
{
  const int64_t n = 37;
  const at::Tensor strain = torch::rand({n, 6}, kFloat64) - 0.5,
                   plastic = 0.1 * (torch::rand({n, 6}, kFloat64) - 0.5),
                   alpha = torch::rand({n}, kFloat64);
  const auto [results, slope] =
      value_and_jacobian<0, 0>(update, SR2(strain), State{SR2(plastic), Scalar(alpha)}, 80.0, 20.0);
  const auto & [stress, state] = results;
  for (int64_t k = 0; k < n; k++)
  {
    const State old{row_of(plastic, k), alpha[k].item<double>()};
    const auto [s, now] = at_point(update, row_of(strain, k), old, 80.0, 20.0);
    static_assert(std::is_same_v<std::decay_t<decltype(s)>, Row>);
    static_assert(std::is_same_v<std::decay_t<decltype(now)>, State<Row, double>>);
    require_row(s, at::Tensor(stress)[k]);
    require_row(now.plastic, at::Tensor(state.plastic)[k]);
    REQUIRE(now.alpha == state.alpha[k].template item<double>());
    const auto [both, J] =
        value_and_jacobian_at_point<0, 0>(update, row_of(strain, k), old, 80.0, 20.0);
    static_assert(std::is_same_v<std::decay_t<decltype(J)>, kernels::SSR4<double>>);
    require_row(std::get<0>(both), at::Tensor(stress)[k]);
    require_row(J, at::Tensor(slope)[k]);
  }
}

TEST_CASE("elementary functions at a point may differ in the last bits", "[at_point]")
{
  const at::Tensor s = torch::rand({20, 6}, kFloat64) - 0.4;
  const at::Tensor value = vmap(with_functions, SR2(s), 2.3);
  for (int64_t k = 0; k < 20; k++)
  {
    require_row(at_point(with_functions, row_of(s, k), 2.3), value[k], 4e-16);
    const auto [y, by_number] = value_and_jacobian_at_point<1>(with_functions, row_of(s, k), 2.3);
    require_row(y, value[k], 4e-16);
    const double h = 1e-6;
    for (int i = 0; i < 6; i++)
      REQUIRE(std::abs(by_number[i] - (at_point(with_functions, row_of(s, k), 2.3 + h)[i] -
                                       at_point(with_functions, row_of(s, k), 2.3 - h)[i]) /
                                          (2 * h)) < 1e-9);
  }
}

TEST_CASE("arguments at a point are numbers, rows and groups, and so are results", "[at_point]")
{
  const kernels::Vec<double> v(1, 2, 3);
  const kernels::R2<double> A(1, 2, 3, 4, 5, 6, 7, 8, 10);
  REQUIRE(at_point([](auto x, auto y) { return x * y; }, 3, 2.5f) == 7.5);
  const auto [first, second] =
      at_point([](auto a, auto x) { return std::pair(a * x, std::tuple(det(a), x)); }, A, v);
  require_row(first, torch::tensor({14., 32., 53.}, kFloat64));
  REQUIRE(std::abs(std::get<0>(second) + 3) < 1e-14);
  REQUIRE(std::get<1>(second)[2] == 3);
  double scale = 2; // a captured variable
  REQUIRE(at_point([&](auto x) { return x[2] * scale; }, v) == 6);
  // derivatives in the formula
  constexpr auto energy = [](const auto & C, const auto & mu) { return mu * log(det(C)); };
  const Row C(1.2, 1.1, 0.9, 0.1, 0.05, -0.1);
  const auto S = at_point(
      [](const auto & c, const auto & mu)
      {
        return 2.0 *
               gradient<0>([](const auto & x, const auto & m) { return m * log(det(x)); }, c, mu);
      },
      C,
      1.5);
  const auto [W, dW] = value_and_jacobian_at_point<0>(energy, C, 1.5);
  REQUIRE(W == at_point(energy, C, 1.5));
  for (int i = 0; i < 6; i++)
    REQUIRE(std::abs(S[i] - 2 * dW[i]) < 1e-15);
}

TEST_CASE("where newton does not converge at a point the result is NaN", "[at_point]")
{
  const auto root = [](const auto & a)
  { return newton([](const auto & x, const auto & b) { return x * x + b; }, 1.0, a); };
  REQUIRE(std::isnan(at_point(root, 1.0)));
  REQUIRE(std::abs(at_point(root, -4.0) - 2) < 1e-15);
  const auto spoilt = at_point(update,
                               Row(std::numeric_limits<double>::quiet_NaN(), 0, 0, 0, 0, 0),
                               State{Row(), 0.0},
                               80.0,
                               20.0);
  REQUIRE(std::isnan(std::get<0>(spoilt)[0]));
}

TEST_CASE("the derivative of a stress by a deformation gradient at a point", "[at_point]")
{
  constexpr auto of_F = [](const auto & F, const auto & mu) { return mu * sym(F * transpose(F)); };
  kernels::R2<double> F(1.1, 0.1, 0.0, 0.2, 0.9, -0.1, 0.0, 0.3, 1.2);
  const auto [s, J] = value_and_jacobian_at_point<0>(of_F, F, 2.0);
  static_assert(std::is_same_v<std::decay_t<decltype(J)>, kernels::SFFR4<double>>);
  for (int j = 0; j < 9; j++)
  {
    auto moved = F;
    moved[j] += 1e-6;
    const auto next = at_point(of_F, moved, 2.0);
    for (int i = 0; i < 6; i++)
      REQUIRE(std::abs((next[i] - s[i]) / 1e-6 - J[9 * i + j]) < 1e-5);
  }
}
} // namespace at_point_test
