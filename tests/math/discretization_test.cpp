// SPDX-License-Identifier: MIT
#include "neml2/math/discretization.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/device.h"
#include "support/derivatives.h"
#include "support/errors.h"

#include "support/catch.h"

namespace discretization_test
{
using namespace neml2;
using namespace neml2::discretization;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
/// Three elements in a row, of two nodes each.
Tensor
line()
{
  return Tensor(at::tensor({0, 1, 1, 2, 2, 3}, at::kLong).reshape({3, 2}), 2);
}

at::Tensor
random(at::IntArrayRef shape)
{
  return at::rand(shape, at::kDouble);
}
} // namespace

TEST_CASE("scatter gives each entry its degree of freedom, assemble adds them up",
          "[math][discretization]")
{
  const at::Tensor v = at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble);
  const Tensor scattered = scatter(v, line());
  REQUIRE(described(scattered) == "Tensor (3, 2;)");
  REQUIRE(at::equal(scattered,
                    at::tensor({1.0, 2.0, 2.0, 3.0, 3.0, 4.0}, at::kDouble).reshape({3, 2})));
  REQUIRE(at::equal(assemble(scattered, line(), 4), at::tensor({1.0, 4.0, 6.0, 4.0}, at::kDouble)));
  REQUIRE(at::equal(assemble(scattered, line(), 6),
                    at::tensor({1.0, 4.0, 6.0, 4.0, 0.0, 0.0}, at::kDouble)));
  at::Tensor sum = at::ones({4}, at::kDouble);
  assemble_(sum, scattered, line());
  REQUIRE(at::equal(sum, at::tensor({2.0, 5.0, 7.0, 5.0}, at::kDouble)));
  assemble_(sum.slice(0, 0, 4), scattered, line());
  REQUIRE(at::equal(sum, at::tensor({3.0, 9.0, 13.0, 9.0}, at::kDouble)));
}

TEST_CASE("assemble is the transpose of scatter", "[math][discretization]")
{
  const Tensor map(at::randint(0, 10, {4, 3, 2}, at::kInt), 2);
  const at::Tensor v = random({10}), w = random({4, 3, 2});
  const Tensor s = scatter(v, map);
  REQUIRE(described(s) == "Tensor (4, 3; 2)");
  REQUIRE(std::abs((s * Tensor(w, 2)).sum().item<double>() -
                   (v * assemble(w, map, 10)).sum().item<double>()) < 1e-13);
  REQUIRE(described(scatter(v, Tensor(at::zeros({0, 2}, at::kLong), 2))) == "Tensor (0, 2;)");
  REQUIRE(at::equal(
      assemble(at::zeros({0, 2}, at::kDouble), Tensor(at::zeros({0, 2}, at::kLong), 2), 3),
      at::zeros({3}, at::kDouble)));
  REQUIRE(at::equal(assemble(at::ones({3, 2}, at::kLong), line(), 4),
                    at::tensor({1, 2, 2, 1}, at::kLong)));
}

TEST_CASE("interpolate sums basis functions times degrees of freedom", "[math][discretization]")
{
  for (const TensorShape & base : {TensorShape{}, TensorShape{3}, TensorShape{2, 2}})
  {
    const at::Tensor u = random({5, 4, 2}),
                     phi = at::rand(utils::add_shapes({4, 2, 7}, base), at::kDouble);
    const Tensor r = interpolate(Tensor(u, 3), Tensor(phi, 3));
    REQUIRE(TensorShape(r.batch_sizes()) == TensorShape{5, 4, 7});
    REQUIRE(r.base_sizes() == TensorShapeRef(base));
    REQUIRE(at::allclose(r, at::einsum("ned,edq...->neq...", {u, phi})));
  }
  // Interpolation of a linear field is exact at the middle of each element.
  const Tensor nodes = scatter(at::tensor({0.0, 1.0, 2.0, 3.0}, at::kDouble), line());
  const Tensor middle = interpolate(nodes, Tensor::full({3, 2, 1}, {}, 0.5, kFloat64));
  REQUIRE(at::equal(middle, at::tensor({0.5, 1.5, 2.5}, at::kDouble).unsqueeze(-1)));
  REQUIRE(described(interpolate(Tensor::ones({0, 2}, {}, kFloat64),
                                Vec::ones({0, 2, 7}, kFloat64))) == "Tensor (0, 7; 3)");
  REQUIRE(described(interpolate(Scalar::ones({3, 2}, kFloat64),
                                Tensor::ones({6, 1, 3, 2, 7}, {}, kFloat64))) ==
          "Tensor (6, 1, 3, 7;)");
}

TEST_CASE("Scattering, assembling and interpolating can be differentiated twice",
          "[math][discretization][autograd]")
{
  REQUIRE(test::derivatives_are_right<Vec>(
      [](const Vec & t)
      {
        const at::Tensor v = t.flatten();
        const Tensor map(at::tensor({0, 1, 1, 4, 2, 0}, at::kLong).reshape({3, 2}), 2);
        const Tensor u = scatter(v * v, map);
        const Tensor phi(at::arange(30, at::kDouble).reshape({3, 2, 5}), 3);
        const Tensor r = interpolate(u, phi);
        const Tensor places(
            at::tensor({0, 2, 1, 0, 2, 1, 1, 0, 2, 0, 1, 2, 0, 2, 1}, at::kLong).reshape({3, 5}),
            2);
        return Scalar(assemble(r, places, 3));
      }));
}

TEST_CASE("Scattering, assembling and interpolating give shapes on the meta device",
          "[math][discretization]")
{
  const auto meta = [](at::IntArrayRef shape, Dtype dtype)
  { return at::empty(shape, at::TensorOptions(at::kMeta).dtype(dtype)); };
  const Tensor map(meta({3, 2}, kInt64), 2);
  const Tensor u = scatter(meta({4}, kFloat64), map);
  REQUIRE(described(u) == "Tensor (3, 2;)");
  REQUIRE(assemble(u, map, 4).sizes() == TensorShapeRef({4}));
  REQUIRE(described(interpolate(u, Tensor(meta({3, 2, 7, 3}, kFloat64), 3))) == "Tensor (3, 7; 3)");
}

TEST_CASE("Scattering, assembling and interpolating are the same on a device",
          "[math][discretization][cuda]")
{
  const at::Tensor v = random({4}), phi = random({3, 2, 7});
  const auto all = [&](Device device)
  {
    const Tensor map(line().at::Tensor::to(device), 2), basis(phi.to(device), 3);
    const Tensor u = scatter(v.to(device), map);
    return std::pair(assemble(u, map, 4).cpu(), interpolate(u, basis).cpu());
  };
  const auto expected = all(kCPU), result = all(test::device());
  REQUIRE(at::allclose(result.first, expected.first));
  REQUIRE(at::allclose(result.second, expected.second));
}

TEST_CASE("A map that leaves the degrees of freedom, or does not fit, is refused",
          "[math][discretization][errors]")
{
  const at::Tensor v = at::ones({3}, at::kDouble), w = at::ones({3, 2}, at::kDouble);
  REQUIRE_THAT(error_of([&] { scatter(v, line()); }),
               ContainsSubstring("discretization::scatter: the map Tensor (3, 2;) has indices from "
                                 "0 to 3. Expected them in [0, 3)"));
  REQUIRE_THAT(error_of([&] { scatter(w, line()); }), ContainsSubstring("Expected one dimension"));
  REQUIRE_THAT(error_of([&] { scatter(at::Tensor(), line()); }),
               ContainsSubstring("discretization::scatter: undefined tensor"));
  REQUIRE_THAT(error_of([&] { scatter(v, Tensor()); }),
               ContainsSubstring("discretization::scatter: undefined tensor"));
  REQUIRE_THAT(error_of([&] { scatter(v, Tensor(w, 2)); }),
               ContainsSubstring("is float64. Expected integers"));
  REQUIRE_THAT(error_of(
                   [&] {
                     scatter(v, Tensor(at::tensor({-1, 0}, at::kLong), 1));
                   }),
               ContainsSubstring("indices from -1 to 0"));
  REQUIRE_THAT(error_of([&] { assemble(w, line(), 3); }), ContainsSubstring("from 0 to 3"));
  REQUIRE_THAT(error_of([&] { assemble(w, line(), -1); }), ContainsSubstring("-1 is negative"));
  REQUIRE_THAT(error_of(
                   [&] {
                     assemble(at::ones({2, 3}, at::kDouble), line(), 4);
                   }),
               ContainsSubstring("discretization::assemble: the values have the shape [2, 3]"));
  const at::Tensor sum = at::zeros({4}, at::kDouble), before = sum.clone();
  REQUIRE_THAT(error_of([&] { assemble_(sum, w.to(at::kFloat), line()); }),
               ContainsSubstring("discretization::assemble_: operands of different dtypes"));
  REQUIRE_THAT(error_of([&] { assemble_(at::zeros({1}, at::kDouble).expand({4}), w, line()); }),
               ContainsSubstring("overlaps itself"));
  REQUIRE_THAT(error_of([&] { assemble_(v, w, line()); }), ContainsSubstring("from 0 to 3"));
  REQUIRE(at::equal(sum, before));
  REQUIRE(at::equal(v, at::ones({3}, at::kDouble)));
}

TEST_CASE("interpolate refuses shapes that do not fit", "[math][discretization][errors]")
{
  const Tensor u = Tensor::ones({3, 2}, {}, kFloat64);
  const auto error = [&](const Tensor & a, TensorShapeRef batch, TensorShapeRef base)
  { return error_of([&] { interpolate(a, Tensor::ones(batch, base, kFloat64)); }); };
  for (const auto & message : {error(u, {4, 2, 7}, {}),
                               error(u, {3, 1, 7}, {}),
                               error(u, {3, 2}, {7}),
                               error(Tensor(u, 1), {3, 2, 7}, {}),
                               error(Tensor::ones({2}, {}, kFloat64), {3, 2, 7}, {})})
    REQUIRE_THAT(message,
                 ContainsSubstring("discretization::interpolate: ") &&
                     ContainsSubstring("do not fit. Expected (..., elements, d; )"));
  REQUIRE_THAT(error(Tensor::ones({4, 3, 2}, {}, kFloat64), {5, 3, 2, 7}, {}),
               ContainsSubstring("do not broadcast"));
}
} // namespace discretization_test
