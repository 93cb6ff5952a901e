// SPDX-License-Identifier: MIT
#include "neml2/math/numbers_of.h"

#include "neml2/math/jacobian.h"
#include "neml2/tensors/tensors.h"
#include "support/errors.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "support/catch.h"

namespace numbers_of_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;

namespace
{
class Slips : public PrimitiveTensor<Slips, 4>
{
public:
  static constexpr auto type_name = "Slips";
  using PrimitiveTensor::PrimitiveTensor;
};

at::Tensor
random(at::IntArrayRef shape)
{
  return at::rand(shape, at::kDouble);
}

/// The sum of each number times its place.
constexpr auto weighted = [](const auto & s, const auto & a, const auto & g, const auto & F)
{
  auto x = numbers_of(s, a, g, F, 2.0);
  double weight = 1;
  for (auto & number : x)
  {
    number = weight * number;
    weight++;
  }
  const scalar_of<decltype(s)> last = x[20];
  const auto [t, b, h, G, two] = tensors_of<SR2, Scalar, Slips, R2, Scalar>(x);
  return std::tuple(t, b, h, G, two * last);
};

bool
is_weighted(const at::Tensor & found, const at::Tensor & of, int64_t first)
{
  const auto w = at::arange(first, first + of[0].numel(), at::kDouble).reshape(of[0].sizes());
  return at::allclose(found, (of * w).expand_as(found), 1e-15, 0);
}
} // namespace

TEST_CASE("Tensors of a formula become numbers and tensors again, fused or composed",
          "[math][numbers_of]")
{
  const SR2 s(random({5, 6}));
  const Scalar a(random({5}));
  const Slips g(random({5, 4}));
  const R2 F(random({5, 3, 3}));
  const auto check = [&](const auto & results)
  {
    const auto & [t, b, h, G, two] = results;
    REQUIRE(is_weighted(t, s, 1));
    REQUIRE(is_weighted(b, a, 7));
    REQUIRE(is_weighted(h, g, 8));
    REQUIRE(is_weighted(G, F, 12));
    REQUIRE(at::allclose(two, at::full({5}, 42.0 * 42.0, at::kDouble)));
  };
  check(vmap(weighted, s, a, g, F));
  const auto [t, b, h, G, two] = weighted(s, a, g, F);
  check(std::tuple(t, b, h, G, Scalar(two.expand({5}))));
  // Stored components: the shear of Mandel components is not divided by its √2
  REQUIRE(at::equal(numbers_of(s, a)[3], s.select(-1, 3)));
  REQUIRE(numbers_of(s, a).size() == 7);
}

TEST_CASE("Numbers of tensors carry derivatives and batches that broadcast", "[math][numbers_of]")
{
  const auto swapped = [](const auto & s, const auto & v)
  {
    const auto x = numbers_of(s, v);
    const std::array<scalar_of<decltype(s)>, 6> y{x[1], x[0], x[2], x[5] * x[6], x[4], x[3]};
    return tensors_of<SR2>(y);
  };
  const SR2 s(random({4, 1, 6}));
  const Vec v(random({3, 3}));
  const auto [t, tangent] = value_and_jacobian<0>(swapped, s, v);
  REQUIRE(t.batch_sizes() == TensorShape{4, 3});
  REQUIRE(at::allclose(t, swapped(s, v)));
  const SR2 tracked(s.clone().requires_grad_());
  const auto g = torch::autograd::grad({swapped(tracked, v).select(-1, 3).sum()}, {tracked})[0];
  REQUIRE(at::allclose(g, tangent.select(-2, 3).sum(1, true)));
  REQUIRE(at::allclose(g.select(-1, 5).squeeze(-1), v.select(-1, 0).sum().expand({4})));
}

TEST_CASE("scalar_of names the scalars of a formula", "[math][numbers_of]")
{
  static_assert(std::is_same_v<scalar_of<SR2>, Scalar>);
  static_assert(std::is_same_v<scalar_of<const Scalar &>, Scalar>);
  static_assert(std::is_same_v<scalar_of<const kernels::SR2<double> &>, double>);
  static_assert(std::is_same_v<scalar_of<double>, double>);
  const SR2 s(random({5, 6}));
  const auto largest = [](const auto & x)
  {
    std::array<scalar_of<decltype(x)>, 3> normal{x(0, 0), x(1, 1), x(2, 2)};
    return maximum(normal[0], maximum(normal[1], normal[2]));
  };
  REQUIRE(at::equal(vmap(largest, s), std::get<0>(s.slice(-1, 0, 3).max(-1))));
  REQUIRE(at::equal(vmap(largest, s), largest(s)));
}

TEST_CASE("Numbers that do not broadcast are refused", "[math][numbers_of]")
{
  const std::array<Scalar, 3> x{Scalar::ones({2}), Scalar::ones({3}), Scalar::ones()};
  REQUIRE_THAT(test::error_of([&] { (void)tensors_of<Vec>(x); }),
               ContainsSubstring("tensors_of: batch shapes [2] and [3] do not broadcast"));
  REQUIRE_THAT(test::error_of([&] { (void)numbers_of(SR2(), 1.0); }),
               ContainsSubstring("numbers_of: undefined tensor"));
}
} // namespace numbers_of_test
