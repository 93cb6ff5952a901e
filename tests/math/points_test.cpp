// SPDX-License-Identifier: MIT
#include "neml2/math/autograd.h"

#include "neml2/math/newton.h"
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/tensors.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "support/catch.h"

/// Derivatives at points where a derivative is easily lost.
namespace points_test
{
using namespace neml2;

namespace
{
at::Tensor
gradient(const at::Tensor & y, const at::Tensor & x, bool create_graph = false)
{
  return torch::autograd::grad({y.sum()}, {x}, {}, /*retain_graph=*/true, create_graph)[0];
}
} // namespace

TEST_CASE("the gradient of von_mises at hydrostatic stress is 0 on every path", "[math]")
{
  for (const double p : {0.1, 0.3, 1.0 / 3, 200.7, -1e5})
    for (const bool whole : {false, true})
    {
      const SR2 s(SR2::fill(p, p, p, 0.0, 0.0, 0.0).batch_expand({3}).clone().requires_grad_());
      const auto f = [](const auto & x) { return von_mises(x); };
      REQUIRE(gradient(von_mises(s), s, whole).eq(0).all().item<bool>());
      REQUIRE(gradient(vmap(with_gradient(f), s), s, whole).eq(0).all().item<bool>());
    }
}

TEST_CASE("the derivative of newton where it did not converge is NaN on every path", "[math]")
{
  const auto root = [](const auto & a, const auto & b) // √(-a b); there is none for a > 0
  {
    return newton([](const auto & x, const auto & p, const auto & q) { return x * x + p * q; },
                  1.0 + 0.0 * a,
                  a,
                  b);
  };
  const at::Tensor is_lost = at::tensor({0, 1, 0}).to(at::kBool);
  for (const bool whole : {false, true})
  {
    const Scalar a(at::tensor({-4.0, 1.0, -9.0}, at::kDouble).requires_grad_()),
        shared(at::tensor(1.0, at::kDouble).requires_grad_());
    const Scalar x = whole ? root(a, shared) : vmap(with_gradient(root), a, shared);
    REQUIRE(x.isnan().equal(is_lost));
    for (const bool create_graph : {false, true})
    {
      const at::Tensor g = gradient(x, a, create_graph);
      INFO(whole << create_graph << g);
      REQUIRE(g.isnan().equal(is_lost));
      REQUIRE(std::abs(g[0].item<double>() + 0.25) < 1e-12);
      REQUIRE(std::abs(g[2].item<double>() + 1.0 / 6) < 1e-12);
      REQUIRE(gradient(x, shared, create_graph).isnan().item<bool>());
      // results to which a point without a solution does not contribute
      const at::Tensor kept = at::where(is_lost, 0.0, at::Tensor(x));
      REQUIRE(gradient(kept, a, create_graph).isfinite().all().item<bool>());
      REQUIRE(std::abs(gradient(kept, shared, create_graph).item<double>() - 2.5) < 1e-12);
    }
  }
}

TEST_CASE("the derivative of dpowm by the exponent is right at exponent 0", "[math]")
{
  const SR2 s = SR2::fill(2.0, 3.0, 5.0, 0.1, 0.2, -0.3),
            e = SR2::fill(1.0, -0.5, 0.7, 0.3, 0.2, 0.1);
  const auto f = [](const auto & a, const auto & p, const auto & b) { return dpowm(a, p, b); };
  const double h = 1e-5;
  for (const double p : {0.0, -0.0, 0.5, -0.7})
  {
    const Scalar n(at::tensor(p, at::kDouble).requires_grad_());
    const at::Tensor slope = (dpowm(s, p + h, e) - dpowm(s, p - h, e)) / (2 * h);
    for (int i = 0; i < 6; i++)
      REQUIRE(std::abs(gradient(vmap(with_gradient(f), s, n, e)(i), n).item<double>() -
                       slope[i].item<double>()) < 1e-8);
  }
}
} // namespace points_test
