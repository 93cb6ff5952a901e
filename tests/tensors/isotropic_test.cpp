// SPDX-License-Identifier: MIT
#include "neml2/tensors/isotropic.h"

#include "neml2/math/autograd.h"
#include "neml2/math/gradient.h"
#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/tensors.h"
#include "support/errors.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "support/difference.h"
#include "support/catch.h"

namespace isotropic_test
{
using namespace neml2;
using test::difference;
using torch::autograd::grad;

namespace
{
constexpr auto ogden = [](const auto & l, const auto & mu, const auto & alpha)
{
  const auto p = 0.5 * alpha;
  return mu / alpha * (pow(l(0), p) + pow(l(1), p) + pow(l(2), p) - 3.0);
};
constexpr auto energy = [](const auto & C, const auto & mu, const auto & alpha)
{ return isotropic(ogden, C, mu, alpha); };
constexpr auto by_powers = [](const auto & C, const auto & mu, const auto & alpha)
{ return mu / alpha * (tr(powm(C, 0.5 * alpha)) - 3.0); };
constexpr auto scaled = [](const auto & l, const auto & c)
{ return l * ((l(0) + l(1) + l(2)) * c); };

SR2
stretches(at::IntArrayRef batch)
{
  const at::Tensor t =
      0.3 * torch::rand(utils::add_shapes(TensorShapeRef(batch), Size(6)), kFloat64);
  t.narrow(-1, 0, 3).add_(1.0);
  return SR2(t);
}
} // namespace

TEST_CASE("isotropic is the function of the eigenvalues, of any batch", "[isotropic]")
{
  struct Case
  {
    std::vector<int64_t> tensor, modulus;
  };
  for (const auto & c :
       {Case{{}, {}}, Case{{0}, {}}, Case{{37}, {37}}, Case{{5, 1}, {7}}, Case{{}, {3}}})
  {
    const SR2 C = stretches(c.tensor);
    const Scalar mu(torch::rand(c.modulus, kFloat64).add(1.0));
    REQUIRE(difference(isotropic(ogden, C, mu, 2.6), vmap(by_powers, C, mu, 2.6)) < 1e-13);
    REQUIRE(difference(isotropic(scaled, C, mu),
                       vmap([](auto s, auto m) { return s * (tr(s) * m); }, C, mu)) < 1e-13);
    const auto found = gradient<0, 1>(energy, C, mu, 2.6),
               expected = gradient<0, 1>(by_powers, C, mu, 2.6);
    REQUIRE(difference(std::get<0>(found), std::get<0>(expected)) < 1e-12);
    REQUIRE(difference(std::get<1>(found), std::get<1>(expected)) < 1e-12);
    REQUIRE(difference(hessian<0>(energy, C, mu, 2.6), hessian<0>(by_powers, C, mu, 2.6)) < 1e-11);
  }
  const SR2 strided(torch::rand({6, 8}, kFloat64).add(0.5).t().slice(0, 0, 8, 2)),
      copied(at::Tensor(strided).contiguous());
  REQUIRE(torch::equal(isotropic(scaled, strided, 2.0), isotropic(scaled, copied, 2.0)));
  const SR2 small(at::Tensor(copied).to(kFloat32));
  REQUIRE(difference(at::Tensor(isotropic(scaled, small, 2.0)).to(kFloat64),
                     isotropic(scaled, copied, 2.0)) < 1e-6);
}

TEST_CASE("isotropic has exact derivatives at equal eigenvalues, and NaN stays in its row",
          "[isotropic]")
{
  const SR2 C(torch::tensor({{1., 1., 1., 0., 0., 0.},
                             {2., 2., 3., 0., 0., 0.},
                             {1.4, 0.7, 2.0, 0.3, -0.2, 0.25},
                             {1., 1. + 1e-9, 1. - 1e-9, 1e-9, 0., 0.}},
                            kFloat64));
  const SSR4 expected = hessian<0>(by_powers, C, 1.5, 5.0);
  REQUIRE(difference(hessian<0>(energy, C, 1.5, 5.0), expected) < 1e-12);
  at::Tensor spoilt = at::Tensor(C).clone();
  spoilt.index_put_({torch::tensor(2), torch::tensor(4)}, std::nan(""));
  const at::Tensor H = hessian<0>(energy, SR2(spoilt), 1.5, 5.0);
  REQUIRE(H[2].isnan().any().item<bool>());
  for (const int row : {0, 1, 3})
    REQUIRE(difference(H[row], at::Tensor(expected)[row]) < 1e-12);
}

TEST_CASE("autograd differentiates isotropic, fused and on whole batches", "[isotropic]")
{
  const at::Tensor leaf = at::Tensor(stretches({5})).requires_grad_();
  const SR2 C(leaf);
  const auto gradient_of = [&](const Scalar & W, bool create_graph)
  { return grad({at::Tensor(W).sum()}, {leaf}, {}, true, create_graph)[0]; };
  const at::Tensor expected = gradient_of(vmap(by_powers, C, 1.5, 2.6), true);
  const at::Tensor composed = gradient_of(isotropic(ogden, C, 1.5, 2.6), true);
  REQUIRE(difference(composed, expected) < 1e-12);
  REQUIRE(difference(gradient_of(vmap(with_gradient(energy), C, 1.5, 2.6), false), expected) <
          1e-12);
  REQUIRE(difference(grad({composed.pow(2).sum()}, {leaf})[0],
                     grad({expected.pow(2).sum()}, {leaf})[0]) < 1e-11);
  // A function that returns a Vec, on whole batches: the result is built from the eigenvectors.
  const SR2 t = isotropic(scaled, C, 2.0);
  REQUIRE(difference(grad({at::Tensor(t).sum()}, {leaf})[0],
                     grad({at::Tensor(2.0 * tr(C) * C).sum()}, {leaf})[0]) < 1e-12);
}

TEST_CASE("isotropic says what is wrong with its arguments", "[isotropic]")
{
  REQUIRE_THROWS_WITH(isotropic(ogden, stretches({3}), Scalar::full({4}, 1.5), 2.0),
                      Catch::Matchers::Contains("[3] and [4] do not broadcast"));
  REQUIRE_THROWS_AS(isotropic(ogden, SR2(), 1.5, 2.0), NEMLException);
}
} // namespace isotropic_test
