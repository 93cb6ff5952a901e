// SPDX-License-Identifier: MIT
#include "neml2/math/jacrev.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/device.h"
#include "support/errors.h"

#include "support/catch.h"

namespace jacrev_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
/// Random numbers that require a gradient.
Tensor
variable(TensorShapeRef batch, TensorShapeRef base, Dtype dtype = kFloat64)
{
  const at::Tensor t = at::rand(utils::add_shapes(batch, base), dtype) + 0.5;
  return Tensor(t.set_requires_grad(true), Size(batch.size()));
}

/// y_ij = x_i x_i z_j: (batch; 2), (batch; 3) -> (batch; 2, 3)
Tensor
squares_times(const Tensor & x, const Tensor & z)
{
  return Tensor(at::einsum("...i,...i,...j->...ij", {x, x, z}), x.batch_dim());
}

/// ∂y_ij/∂x_k = 2 x_i z_j δ_ik
at::Tensor
by_first(const Tensor & x, const Tensor & z)
{
  return 2 * at::einsum("...i,...j,ik->...ijk", {x, z, at::eye(2, x.options())});
}

/// ∂y_ij/∂z_k = x_i x_i δ_jk
at::Tensor
by_second(const Tensor & x, const Tensor & z)
{
  return at::einsum("...i,...i,jk->...ijk", {x, x, at::eye(3, z.options())});
}

/// Counts how often autograd visits a tensor.
struct Visits
{
  explicit Visits(const at::Tensor & t)
  {
    t.register_hook([this](const at::Tensor &) { count++; });
  }
  int count = 0;
};
} // namespace

TEST_CASE("jacrev gives the derivatives of each batch entry by itself", "[math][jacrev]")
{
  for (const TensorShape & batch :
       {TensorShape{}, TensorShape{0}, TensorShape{1}, TensorShape{4, 5}})
  {
    const Tensor x = variable(batch, {2}), z = variable(batch, {3}), y = squares_times(x, z);
    const Tensor dx = jacrev(y, x, /*retain_graph=*/true);
    REQUIRE(TensorShape(dx.batch_sizes()) == batch);
    REQUIRE(dx.base_sizes() == TensorShapeRef({2, 3, 2}));
    REQUIRE(at::allclose(dx, by_first(x, z)));
    const auto both = jacrev(y, {x, z});
    REQUIRE(both.size() == 2);
    REQUIRE(TensorShape(both[1].batch_sizes()) == batch);
    REQUIRE(at::equal(both[0], dx));
    REQUIRE(at::allclose(both[1], by_second(x, z)));
    REQUIRE(!dx.requires_grad());
  }
}

TEST_CASE("jacrev has the base dimensions of y, then those of x", "[math][jacrev]")
{
  const auto shape = [](TensorShapeRef y, TensorShapeRef x)
  {
    const Tensor v = variable({4}, x);
    const at::Tensor sum = v.base_flatten().sum(-1);
    at::Tensor t = sum;
    for (size_t d = 0; d < y.size(); d++)
      t = t.unsqueeze(-1);
    return described(jacrev(Tensor(t.expand(utils::add_shapes({4}, y)), 1), v));
  };
  REQUIRE(shape({6}, {3}) == "Tensor (4; 6, 3)");
  REQUIRE(shape({}, {}) == "Tensor (4;)");
  REQUIRE(shape({}, {3, 2}) == "Tensor (4; 3, 2)");
  REQUIRE(shape({2, 5}, {}) == "Tensor (4; 2, 5)");
  REQUIRE(shape({0}, {3}) == "Tensor (4; 0, 3)");
}

TEST_CASE("jacrev of the library's own operations and types is exact", "[math][jacrev]")
{
  const SR2 s(at::rand({5, 6}, at::kDouble).set_requires_grad(true));
  const SSR4 C = SSR4::isotropic_E_nu(100, 0.3);
  const Tensor dy = jacrev(C * s, s);
  REQUIRE(described(dy) == "Tensor (5; 6, 6)");
  REQUIRE(at::allclose(dy, C.batch_expand({5})));
  REQUIRE(at::allclose(jacrev(s.norm_sq(), s), 2 * s));
  REQUIRE(at::equal(jacrev(s, s), at::eye(6, at::kDouble).expand({5, 6, 6})));
}

TEST_CASE("jacrev asks autograd once for each base entry of y, for all x together",
          "[math][jacrev]")
{
  const Tensor x = variable({4}, {2}), z = variable({4}, {3}), y = squares_times(x, z);
  const Visits visits(y);
  jacrev(y, {x, z});
  REQUIRE(visits.count == 6);
}

TEST_CASE("jacrev keeps the graph of y only if it is told to", "[math][jacrev]")
{
  const Tensor x = variable({4}, {2}), z = variable({4}, {3}), y = squares_times(x, z);
  const Tensor first = jacrev(y, x, /*retain_graph=*/true);
  REQUIRE(at::equal(jacrev(y, x), first)); // the graph is then freed
  REQUIRE_THAT(error_of([&] { jacrev(y, x); }), ContainsSubstring("jacrev: "));
}

TEST_CASE("The derivatives of jacrev are second derivatives, if it creates a graph",
          "[math][jacrev]")
{
  const Tensor x = variable({4}, {2}), z = variable({4}, {3}), y = squares_times(x, z);
  const Tensor dx = jacrev(y, x, false, /*create_graph=*/true);
  REQUIRE(dx.requires_grad());
  const auto second = jacrev(dx, {x, z});
  const at::Tensor I = at::eye(2, at::kDouble), J = at::eye(3, at::kDouble);
  REQUIRE(at::allclose(second[0], 2 * at::einsum("ik,...j,il->...ijkl", {I, z, I})));
  REQUIRE(at::allclose(second[1], 2 * at::einsum("...i,ik,jl->...ijkl", {x, I, J})));
  // Also for fused operations: d²(s_k s_k)/ds_i ds_j = 2 δ_ij
  const SR2 s(at::rand({5, 6}, at::kDouble).set_requires_grad(true));
  const Tensor g = jacrev(s.norm_sq(), s, false, true);
  REQUIRE(at::allclose(jacrev(g, s), 2 * at::eye(6, at::kDouble).expand({5, 6, 6})));
}

TEST_CASE("An x that y does not depend on gives zeros where that is allowed", "[math][jacrev]")
{
  const Tensor x = variable({4}, {2}), z = variable({4}, {3}), other = variable({4}, {5}),
               y = squares_times(x, z);
  REQUIRE_THAT(error_of([&] { jacrev(y, {x, other}, true); }), ContainsSubstring("jacrev: "));
  const auto J = jacrev(y, {other, x}, false, false, /*allow_unused=*/true);
  REQUIRE(described(J[0]) == "Tensor (4; 2, 3, 5)");
  REQUIRE(at::equal(J[0], at::zeros({4, 2, 3, 5}, at::kDouble)));
  REQUIRE(at::allclose(J[1], by_first(x, z)));
}

TEST_CASE("A constant has undefined derivatives", "[math][jacrev]")
{
  const Tensor x = variable({4}, {2}), y(at::rand({4, 3}, at::kDouble), 1);
  REQUIRE(!jacrev(y, x).defined());
  const auto J = jacrev(y, {x, x});
  REQUIRE((J.size() == 2 && !J[0].defined() && !J[1].defined()));
  REQUIRE(jacrev(squares_times(x, variable({4}, {3})), std::vector<Tensor>{}).empty());
}

TEST_CASE("An x that is given twice has the same derivatives twice", "[math][jacrev]")
{
  const Tensor x = variable({4}, {2}), z = variable({4}, {3});
  const auto J = jacrev(squares_times(x, z), {x, x});
  REQUIRE(at::allclose(J[0], by_first(x, z)));
  REQUIRE(at::equal(J[0], J[1]));
}

TEST_CASE("jacrev works where gradients are not recorded, and on views and other dtypes",
          "[math][jacrev]")
{
  const Tensor x = variable({4}, {2}, kFloat32), z = variable({4}, {3}, kFloat32),
               y = squares_times(x, z);
  const Tensor turned = y.base_transpose(0, 1);
  const at::NoGradGuard guard;
  const Tensor J = jacrev(turned, x, /*retain_graph=*/true);
  REQUIRE(J.scalar_type() == kFloat32);
  REQUIRE(at::allclose(J, by_first(x, z).transpose(1, 2)));
  REQUIRE(!jacrev(turned, x, /*retain_graph=*/true).requires_grad());
  REQUIRE(jacrev(turned, x, false, /*create_graph=*/true).requires_grad());
}

TEST_CASE("jacrev gives shapes on the meta device", "[math][jacrev]")
{
  const Tensor x(
      at::empty({4, 2}, at::TensorOptions(at::kMeta).dtype(at::kDouble)).requires_grad_(), 1);
  const Tensor y(x.unsqueeze(-1) * x.unsqueeze(-2), 1);
  const Tensor J = jacrev(y, x);
  REQUIRE(J.is_meta());
  REQUIRE(described(J) == "Tensor (4; 2, 2, 2)");
}

TEST_CASE("jacrev is the same on a device", "[math][jacrev][cuda]")
{
  const Tensor x = variable({4}, {2}), z = variable({4}, {3});
  const Tensor X(x.detach().to(test::device()).requires_grad_(), 1),
      Z(z.detach().to(test::device()).requires_grad_(), 1);
  REQUIRE(at::allclose(jacrev(squares_times(X, Z), X).cpu(), by_first(x, z)));
}

TEST_CASE("jacrev refuses what it cannot do", "[math][jacrev][errors]")
{
  const Tensor x = variable({4}, {2}), z = variable({4}, {3}), y = squares_times(x, z);
  REQUIRE_THAT(error_of([&] { jacrev(y, variable({1}, {2})); }),
               ContainsSubstring("jacrev: batch shapes [4] of y and [1] of x differ") &&
                   ContainsSubstring("Tensor (4; 2, 3) and Tensor (1; 2)") &&
                   ContainsSubstring("batch_expand"));
  REQUIRE_THAT(error_of([&] { jacrev(Tensor(y, 0), x); }),
               ContainsSubstring("batch shapes [] of y and [4] of x differ"));
  REQUIRE_THAT(error_of([&] { jacrev(Tensor(), x); }),
               ContainsSubstring("jacrev: undefined tensor"));
  REQUIRE_THAT(error_of([&] { jacrev(y, Tensor()); }),
               ContainsSubstring("jacrev: undefined tensor"));
  const Tensor integers(at::ones({4, 2}, at::kLong), 1);
  REQUIRE_THAT(error_of([&] { jacrev(integers, x); }),
               ContainsSubstring("jacrev: not defined for dtype int64"));
  REQUIRE_THAT(error_of([&] { jacrev(y, integers); }),
               ContainsSubstring("jacrev: not defined for dtype int64"));
  REQUIRE_THAT(error_of(
                   [&] {
                     jacrev(y, Tensor(at::rand({4, 2}, at::kDouble), 1));
                   }),
               ContainsSubstring("does not require grad") && ContainsSubstring("requires_grad_()"));
}
} // namespace jacrev_test
