// SPDX-License-Identifier: MIT
#include "neml2/math/elementwise.h"
#include "neml2/math/newton.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/WR2.h"
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/kinematics.h"
#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/exponential_map.h"
#include "neml2/tensors/solve.h"
#include "neml2/tensors/spectral.h"
#include "support/parity.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

/// Derivatives where a function has none, or where parts of it have none, are the same by derivative rules, by the recording of a
/// formula, and by LibTorch's derivatives of single operations. docs/gradients.md lists them.
namespace special_points_test
{
using namespace neml2;
using torch::autograd::grad;

namespace
{
using Function = std::function<at::Tensor(const at::Tensor &)>;
struct Case
{
  std::string name;
  std::vector<at::Tensor> points;
  Function operation; ///< on batches
  Function formula;
};

template <class T, class F>
Case
entry(const std::string & name, const std::vector<at::Tensor> & points, const F & f)
{
  return {name,
          points,
          [f](const at::Tensor & x) { return at::Tensor(f(T(x))); },
          [f](const at::Tensor & x) { return at::Tensor(vmap(f, T(x))); }};
}

template <class T, class F>
Case
formula(const std::string & name, const std::vector<at::Tensor> & points, const F & f)
{
  return {name, points, {}, [f](const at::Tensor & x) { return at::Tensor(vmap(f, T(x))); }};
}

at::Tensor
numbers(const std::vector<double> & x)
{
  return at::tensor(x, at::kDouble);
}
at::Tensor
diagonal(double a, double b, double c)
{
  return numbers({a, 0, 0, 0, b, 0, 0, 0, c}).view({3, 3});
}

/// The derivative of a weighted sum of f(x), or the derivative of a weighted sum of this derivative.
at::Tensor
derivative(const Function & f, const at::Tensor & point, int order = 1)
{
  const auto weighted = [](const at::Tensor & y, double first)
  { return (y * (first + at::arange(double(y.numel()), at::kDouble).view(y.sizes()))).sum(); };
  const at::Tensor x = point.clone().set_requires_grad(true);
  const at::Tensor g = grad({weighted(f(x), 0.7)}, {x}, {}, true, order > 1, true)[0];
  if (order == 1)
    return g.defined() ? g : at::zeros_like(x);
  const at::Tensor h = grad({weighted(g, 0.3)}, {x}, {}, true, false, true)[0];
  return h.defined() ? h : at::zeros_like(x);
}
at::Tensor
by_libtorch(const Function & f, const at::Tensor & point, int order = 1)
{
  const test::WithoutGradientRules composed;
  return derivative(f, point, order);
}

/// Equal up to round-off; NaN and infinity count as equal.
void
check(const at::Tensor & a, const at::Tensor & expected)
{
  CAPTURE(a, expected);
  REQUIRE(at::equal(a.isfinite(), expected.isfinite()));
  REQUIRE(at::allclose(a.nan_to_num(0, 0, 0), expected.nan_to_num(0, 0, 0), 1e-8, 1e-10));
}

std::vector<at::Tensor>
scalars()
{
  std::vector<at::Tensor> all;
  for (const double x : {0.0, 1.0, -1.0, 0.3, -0.3, 0.5, 3.0})
    all.push_back(at::full({}, x, at::kDouble));
  return all;
}
std::vector<at::Tensor>
symmetric()
{
  return {numbers({1, 0.2, -0.4, 0.3, 0.5, 0.7}),
          numbers({0, 0, 0, 0, 0, 0}),
          numbers({1, 1, 1, 0, 0, 0}),
          numbers({-3, 1, 1, 0, 0, 0}),
          numbers({3, 1, 1, 0, 0, 0}),
          numbers({1, 2, 3, 0, 0, 0}),
          numbers({0, 0, 0, 0, 0, 1}),
          numbers({1, 0, 0, 0, 0, 0})};
}
std::vector<at::Tensor>
matrices()
{
  return {numbers({1, 0.2, -0.4, 0.3, 0.5, 0.7, 0.1, -0.2, 1.3}).view({3, 3}),
          diagonal(1, 1, 1),
          diagonal(-1, -1, -1),
          diagonal(0, 0, 0),
          diagonal(1, 2, 3),
          diagonal(1, 0, 0)};
}
std::vector<at::Tensor>
vectors()
{
  return {numbers({1, 0.2, -0.4}), numbers({0, 0, 0}), numbers({1, 0, 0}), numbers({0, 0, -1})};
}
std::vector<at::Tensor>
quaternions()
{
  return {numbers({1, 0, 0, 0}),
          numbers({-1, 0, 0, 0}),
          numbers({0.5, 0.5, 0.5, 0.5}),
          numbers({0, 1, 0, 0})};
}

std::vector<Case>
functions()
{
  std::vector<Case> all;
  const auto of_scalars = [&](const char * name, const auto & f)
  { all.push_back(entry<Scalar>(name, scalars(), f)); };
  const auto of_symmetric = [&](const char * name, const auto & f)
  { all.push_back(entry<SR2>(name, symmetric(), f)); };
  const auto of_matrices = [&](const char * name, const auto & f)
  { all.push_back(entry<R2>(name, matrices(), f)); };
  of_scalars("sqrt", [](const auto & a) { return sqrt(a); });
  of_scalars("cbrt", [](const auto & a) { return cbrt(a); });
  of_scalars("abs", [](const auto & a) { return abs(a); });
  of_scalars("macaulay", [](const auto & a) { return macaulay(a); });
  of_scalars("log1p", [](const auto & a) { return log1p(a); });
  of_scalars("pow(a, 0)", [](const auto & a) { return pow(a, 0.0); });
  of_scalars("pow(a, a)", [](const auto & a) { return pow(a, a); });
  of_scalars("pow(0, a)", [](const auto & a) { return pow(0.0, a); });
  of_scalars("hypot", [](const auto & a) { return hypot(a, 2.0 * a); });
  of_scalars("atan2", [](const auto & a) { return atan2(a, 0.5 * a * a); });
  of_scalars("maximum", [](const auto & a) { return maximum(a, 0.3); });
  of_scalars("minimum", [](const auto & a) { return minimum(-a, a); });
  of_scalars("product of roots", [](const auto & a) { return sqrt(a) * sqrt(a); });
  of_scalars("square of an angle",
             [](const auto & a)
             {
               const auto angle = acos(1.0 - abs(a));
               return angle * angle;
             });
  of_symmetric("norm", [](const auto & a) { return norm(a); });
  of_symmetric("von_mises", [](const auto & a) { return von_mises(a); });
  of_symmetric("lode_angle", [](const auto & a) { return lode_angle(a); });
  of_symmetric("J3", [](const auto & a) { return J3(a); });
  of_symmetric("det", [](const auto & a) { return det(a); });
  of_symmetric("eigenvalues", [](const auto & a) { return eigenvalues(a); });
  of_symmetric("expm", [](const auto & a) { return expm(a); });
  of_matrices("det", [](const auto & a) { return det(a); });
  of_matrices("polar_rotation", [](const auto & a) { return polar_rotation(a); });
  of_matrices("nearest_rotation", [](const auto & a) { return nearest_rotation(a); });
  of_matrices("principal_stretches", [](const auto & a) { return principal_stretches(a); });
  all.push_back(entry<Vec>("norm", vectors(), [](const auto & a) { return norm(a); }));
  all.push_back(entry<WR2>("exp_map", vectors(), [](const auto & a) { return exp_map(a); }));
  all.push_back(entry<Rot>("gdist", vectors(), [](const auto & a) { return gdist(a, a); }));
  all.push_back(entry<Rot>("dist", vectors(), [](const auto & a) { return dist(a, a); }));
  all.push_back(
      entry<Quaternion>("log_map", quaternions(), [](const auto & a) { return log_map(a); }));
  all.push_back(
      entry<Quaternion>("dist", quaternions(), [](const auto & a) { return dist(a, a); }));
  return all;
}

/// Formulas with sides that have no finite derivative where they are not taken.
std::vector<Case>
sides()
{
  std::vector<Case> all;
  const auto of_scalars = [&](const char * name, const auto & f)
  { all.push_back(formula<Scalar>(name, scalars(), f)); };
  const auto of_symmetric = [&](const char * name, const auto & f)
  { all.push_back(formula<SR2>(name, symmetric(), f)); };
  of_scalars("root", [](const auto & a) { return where(a > 0.0, sqrt(a), 0.0 * a); });
  of_scalars("second side", [](const auto & a) { return where(a <= 0.0, 0.0 * a, sqrt(a)); });
  of_scalars("quotient", [](const auto & a) { return where(abs(a) > 0.0, sin(a) / a, 1.0); });
  of_scalars("overflow", [](const auto & a) { return where(a >= 0.0, exp(-1000.0 * a), a); });
  of_scalars("nested",
             [](const auto & a)
             {
               const auto inner = where(a < 0.7, sqrt(0.7 - a) + log(a), cbrt(a - 0.7));
               return where(a > 0.0, inner, a * a);
             });
  of_scalars("one condition for several",
             [](const auto & a)
             {
               const auto is_positive = a > 0.0;
               const auto root = sqrt(a);
               return where(is_positive, root, a) * a + where(is_positive, 2.0 / root, a);
             });
  of_scalars("solution",
             [](const auto & a)
             {
               const auto residual = [](const auto & x, const auto & b) { return x * x - b; };
               return where(a > 0.0, newton(residual, 1.0, a), a);
             });
  of_symmetric("direction", [](const auto & a) { return where(norm(a) > 0.0, a / norm(a), a); });
  of_symmetric("inverse", [](const auto & a) { return where(det(a) > 0.5, inv(a), a); });
  of_symmetric("eigenvectors",
               [](const auto & a)
               {
                 const auto [l, V] = eigh(a);
                 return where(minimum(l(1) - l(0), l(2) - l(1)) > 0.0, ieigh(2.0 * l, V), a);
               });
  of_symmetric("ratio",
               [](const auto & a)
               { return where(von_mises(a) > 0.0, triaxiality(a), 0.0 * tr(a)); });
  all.push_back(formula<R2>("solution",
                            matrices(),
                            [](const auto & a)
                            { return where(det(a) > 0.1, solve(a, a * a), a); }));
  all.push_back(formula<R2>("rotation",
                            matrices(),
                            [](const auto & a)
                            { return where(abs(det(a)) > 0.1, polar_rotation(a), a); }));
  return all;
}
} // namespace

TEST_CASE("Derivatives at special points do not depend on how they are computed",
          "[tensors][autograd][special_points]")
{
  for (const auto & f : functions())
    for (const auto & x : f.points)
    {
      CAPTURE(f.name, x);
      const at::Tensor expected = derivative(f.operation, x);
      check(by_libtorch(f.operation, x), expected);
      check(derivative(f.formula, x), expected);
      check(by_libtorch(f.formula, x), expected);
    }
}

TEST_CASE("In formulas the derivatives of sides that are not taken have no effect",
          "[tensors][autograd][special_points]")
{
  for (const auto & f : sides())
    for (const auto & x : f.points)
      for (const int order : {1, 2})
      {
        CAPTURE(f.name, x, order);
        if (order == 2 && f.name == "eigenvectors")
          continue; // by LibTorch, eigenvalues that the condition needs, too, have no second derivative
        const at::Tensor expected = derivative(f.formula, x, order);
        if (order == 1)
          REQUIRE(expected.isfinite().all().item<bool>());
        check(by_libtorch(f.formula, x, order), expected);
      }
}

TEST_CASE("The second derivatives of determinants at singular tensors are exact",
          "[tensors][autograd][special_points]")
{
  const auto third_invariant = [](const auto & a) { return J3(a); };
  const auto determinant = [](const auto & a) { return det(a); };
  for (const auto & f : {entry<SR2>("J3", symmetric(), third_invariant),
                         entry<SR2>("det", symmetric(), determinant),
                         entry<R2>("det", matrices(), determinant)})
    for (const auto & x : f.points)
    {
      CAPTURE(f.name, x);
      const at::Tensor expected = derivative(f.formula, x, 2);
      check(by_libtorch(f.formula, x, 2), expected);
      check(derivative(f.operation, x, 2), expected);
    }
  // By hand: with the weights w = (0.3, 1.3, 2.3) and the deviator d = (-1, 0, 1), the weighted gradient w · dev(d_1 d_2, d_0 d_2, d_0 d_1)
  // is d_1 (d_0 - d_2), whose gradient is the deviator of (0, d_0 - d_2, 0).
  const at::Tensor H =
      by_libtorch(formula<SR2>("", {}, third_invariant).formula, numbers({1, 2, 3, 0, 0, 0}), 2);
  check(1.5 / 0.7 * H.slice(0, 0, 3), numbers({1, -2, 1}));
}

TEST_CASE("Eigenvectors of equal eigenvalues have no derivative, even if its factor is 0",
          "[tensors][autograd][special_points]")
{
  const auto f = entry<SR2>("",
                            {},
                            [](const auto & a)
                            {
                              const auto [l, V] = eigh(a);
                              return ieigh(l, V);
                            });
  for (const auto & x : symmetric())
  {
    CAPTURE(x);
    const at::Tensor l = at::Tensor(eigenvalues(SR2(x)));
    const bool is_repeated = (l.slice(0, 1) - l.slice(0, 0, 2)).eq(0).any().item<bool>();
    for (const at::Tensor & g : {derivative(f.formula, x), by_libtorch(f.formula, x)})
      if (is_repeated)
        REQUIRE(g.isnan().any().item<bool>());
      else
        check(g, derivative([](const at::Tensor & y) { return y; }, x));
  }
  // no part in results of the weight 0
  const at::Tensor x = at::stack({symmetric()[2], symmetric()[5]}).set_requires_grad(true);
  const at::Tensor y = f.formula(x);
  const at::Tensor g = grad({y.select(0, 1).sum()}, {x})[0];
  check(g, at::stack({at::zeros({6}, at::kDouble), at::ones({6}, at::kDouble)}));
}

TEST_CASE("Rows that are not finite do not spoil derivatives of others, by LibTorch's derivatives",
          "[tensors][autograd][special_points]")
{
  const Function f = [](const at::Tensor & s) { return at::Tensor(expm(SR2(s))); };
  const at::Tensor large = numbers({10, 0, 0, 0, 0, 0}), good = numbers({1, 0.2, -0.4, 0, 0, 0});
  for (const double bad : {std::nan(""), HUGE_VAL})
  {
    const at::Tensor s =
        at::stack({good, large, at::full({6}, bad, at::kDouble)}).set_requires_grad(true);
    const test::WithoutGradientRules composed;
    const at::Tensor g = grad({f(s).slice(0, 0, 2).sum()}, {s})[0];
    for (const auto & [row, i] : {std::pair(good, 0), std::pair(large, 1)})
    {
      const at::Tensor alone = row.clone().set_requires_grad(true);
      REQUIRE(at::allclose(g[i], grad({f(alone).sum()}, {alone})[0], 1e-12, 1e-12));
    }
  }
}

TEST_CASE("A matrix without rotation or inverse spoils no other, by LibTorch's derivatives",
          "[tensors][autograd][special_points]")
{
  const at::Tensor good = matrices()[0];
  const at::Tensor nan = at::full({3, 3}, std::nan(""), at::kDouble);
  const Function rotation = [](const at::Tensor & A)
  { return at::Tensor(nearest_rotation(R2(A))); };
  const Function solution = [](const at::Tensor & A)
  { return at::Tensor(solve(R2(A), R2(A.detach() * A.detach()))); };
  for (const auto & f : {rotation, solution})
    for (const at::Tensor & bad : {diagonal(0, 0, 0), diagonal(1, 0, 0), nan})
    {
      CAPTURE(bad);
      const at::Tensor A = at::stack({good, bad, good}).set_requires_grad(true);
      const test::WithoutGradientRules composed;
      const at::Tensor y = f(A);
      REQUIRE(at::allclose(y[0], f(good)));
      REQUIRE(y[1].isnan().any().item<bool>());
      const at::Tensor g = grad({y.sum()}, {A})[0];
      const at::Tensor alone = good.clone().set_requires_grad(true);
      const at::Tensor expected = grad({f(alone).sum()}, {alone})[0];
      REQUIRE(at::allclose(g[0], expected));
      REQUIRE(at::allclose(g[2], expected));
    }
}
} // namespace special_points_test
