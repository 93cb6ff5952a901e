// SPDX-License-Identifier: MIT
#include "neml2/math/lists.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

namespace lists_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
/// a_i B_jk, with the dimensions of a derivative of a by B. (...; 3), (...; 3, 3) -> (...; 3, 3, 3)
R3
derivative(const Vec & a, const R2 & b)
{
  return R3(at::einsum("...i,...jk->...ijk", {a, b}));
}

template <class T>
T
random(at::IntArrayRef batch)
{
  return T(at::rand(utils::add_shapes(batch, T::base_shape), at::kDouble));
}
} // namespace

TEST_CASE("A list in the first place becomes the first base dimension", "[math][lists]")
{
  const auto a = random<Vec>({5, 7, 6});
  const auto b = random<R2>({5, 7});
  const Tensor r = list_derivative_outer_product_a(derivative, a, b);
  REQUIRE(described(r) == "Tensor (5, 7; 6, 3, 3, 3)");
  for (Size k = 0; k < 6; k++)
    REQUIRE(at::equal(r.base_index({k}), derivative(a.batch_index({indexing::Ellipsis, k}), b)));
}

TEST_CASE("A list in the second place comes behind the base dimensions of the first",
          "[math][lists]")
{
  const auto a = random<Vec>({5, 7});
  const auto b = random<R2>({5, 7, 4});
  const Tensor r = list_derivative_outer_product_b(derivative, a, b);
  REQUIRE(described(r) == "Tensor (5, 7; 3, 4, 3, 3)");
  for (Size k = 0; k < 4; k++)
    REQUIRE(at::equal(r.base_index({indexing::Slice(), k}),
                      derivative(a, b.batch_index({indexing::Ellipsis, k}))));
}

TEST_CASE("Of two lists each entry meets each", "[math][lists]")
{
  const auto a = random<Vec>({5, 7, 6});
  const auto b = random<R2>({5, 7, 4});
  const Tensor r = list_derivative_outer_product_ab(derivative, a, b);
  REQUIRE(described(r) == "Tensor (5, 7; 6, 3, 4, 3, 3)");
  for (Size k = 0; k < 6; k++)
    for (Size m = 0; m < 4; m++)
      REQUIRE(at::equal(r.base_index({k, indexing::Slice(), m}),
                        derivative(a.batch_index({indexing::Ellipsis, k}),
                                   b.batch_index({indexing::Ellipsis, m}))));
}

TEST_CASE("Lists of no and of one entry, and batches that broadcast, are lists too",
          "[math][lists]")
{
  REQUIRE(described(list_derivative_outer_product_a(
              derivative, random<Vec>({0}), random<R2>({}))) == "Tensor (; 0, 3, 3, 3)");
  REQUIRE(described(list_derivative_outer_product_b(
              derivative, random<Vec>({2, 1}), random<R2>({5, 1}))) == "Tensor (2, 5; 3, 1, 3, 3)");
  REQUIRE(described(list_derivative_outer_product_ab(
              derivative, random<Vec>({6}), random<R2>({5, 4}))) == "Tensor (5; 6, 3, 4, 3, 3)");
}

TEST_CASE("The result of a function of lists can be differentiated", "[math][lists][autograd]")
{
  const Vec a(at::rand({5, 6, 3}, at::kDouble).set_requires_grad(true));
  const auto b = random<R2>({5});
  const auto sum = list_derivative_outer_product_a(derivative, a, b).sum();
  const auto g = torch::autograd::grad({sum}, {a})[0];
  REQUIRE(at::allclose(g, b.sum(-1).sum(-1).unsqueeze(-1).unsqueeze(-1).expand({5, 6, 3})));
}

TEST_CASE("A list needs a batch dimension", "[math][lists][errors]")
{
  const auto a = random<Vec>({});
  const auto b = random<R2>({});
  REQUIRE_THAT(
      error_of([&] { list_derivative_outer_product_a(derivative, a, b); }),
      ContainsSubstring("list_derivative_outer_product_a: the list Vec (; 3) has no batch"));
  REQUIRE_THAT(error_of([&] { list_derivative_outer_product_b(derivative, a, b); }),
               ContainsSubstring("list_derivative_outer_product_b: the list R2 (; 3, 3)"));
  REQUIRE_THAT(error_of([&] { list_derivative_outer_product_ab(derivative, random<Vec>({2}), b); }),
               ContainsSubstring("list_derivative_outer_product_ab: the list R2 (; 3, 3)"));
  REQUIRE_THAT(error_of([&] { list_derivative_outer_product_a(derivative, Vec(), b); }),
               ContainsSubstring("undefined tensor"));
  const auto constant = [](const Vec &, const R2 &) { return R2::identity(); };
  REQUIRE_THAT(error_of([&] { list_derivative_outer_product_a(constant, random<Vec>({2}), b); }),
               ContainsSubstring("the function returned R2 (; 3, 3)"));
}
} // namespace lists_test
