// SPDX-License-Identifier: MIT
#include "neml2/gradients/SR2.h"
#include "neml2/gradients/elementwise.h"
#include "neml2/math/autograd.h"
#include "neml2/math/elementwise.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/jacrev.h"

#include <torch/csrc/autograd/function.h>

#include "support/catch.h"

/// A program of headers alone: autograd records its calls, and its derivatives agree with one
/// another.
namespace autograd_test
{
using namespace neml2;

namespace
{
constexpr auto update = [](const auto & s, const auto & a)
{ return a * dev(s) * pow(norm(s), 1.5) + inv(s); };

SR2
points()
{
  return SR2(at::arange(36, at::kDouble).reshape({6, 6}).sin() * 0.1) + SR2::fill(2, 3, 4);
}
} // namespace

TEST_CASE("A program of headers alone records one node an operation", "[headers]")
{
  SR2 s = points();
  s.requires_grad_();
#ifdef NEML2_SIMD
  if (!packs::has_avx2()) // nothing is fused
  {
    REQUIRE(dev(s).grad_fn()->name() == "SubBackward0");
    return;
  }
#endif
  REQUIRE(dev(s).grad_fn()->name() == "devBackward");
  REQUIRE(cosh(s).grad_fn()->name() == "coshBackward");
  REQUIRE((s * norm(s)).grad_fn()->name() == "*Backward");
  REQUIRE(vmap(update, s, Scalar::full(2.0)).grad_fn()->name() == "VmapBackward");
}

TEST_CASE("Jacobians by duals, by rules and by fused gradients are equal", "[headers]")
{
  SR2 s = points();
  const Scalar a = Scalar::full(2.0);
  const auto [value, jacobian] = value_and_jacobian<0>(update, s, a);
  s.requires_grad_();
  const SR2 by_rules = update(s, a), fused = vmap(with_gradient(update), s, a);
  REQUIRE(at::allclose(value, by_rules, 1e-13));
  REQUIRE(at::allclose(value, fused, 1e-13));
  REQUIRE(at::allclose(jacobian, jacrev(by_rules, s), 1e-12));
  REQUIRE(at::allclose(jacobian, jacrev(fused, s), 1e-12));
  const double h = 1e-6; // and by central differences
  const at::NoGradGuard values_only;
  for (Size k = 0; k < 6; k++)
  {
    SR2 e = SR2::zeros();
    e.index_put_({k}, h);
    const SR2 difference = (update(s + e, a) - update(s - e, a)) / (2 * h);
    REQUIRE(at::allclose(jacobian.select(-1, k), difference, 1e-7, 1e-7));
  }
}
} // namespace autograd_test
