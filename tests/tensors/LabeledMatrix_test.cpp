// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledMatrix.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "support/labels.h"

#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

namespace LabeledMatrix_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::labels::columns;
using test::labels::numbers;
using test::labels::rows;

TEST_CASE("fill copies the rows that both matrices have", "[tensors][labels]")
{
  const auto axis = rows(), other = columns();
  LabeledAxis wanted;
  wanted.add<SR2>("b").add<Scalar>("z").add<Scalar>({"sub", "x"});
  wanted.setup_layout();
  const LabeledMatrix A(numbers({3, 44, 7}), {&axis, &other});
  auto B = LabeledMatrix::zeros({3}, {&wanted, &other});
  B.fill(A);
  REQUIRE(at::equal(B.base_index({"b", {}}), A.base_index({"b", {}})));
  auto D = LabeledMatrix::zeros({3}, {&wanted, &wanted});
  REQUIRE_THROWS_AS(D.fill(A), NEMLException);
}

TEST_CASE("Matrices chain as derivatives do", "[tensors][labels]")
{
  LabeledAxis i, p, j;
  i.add<SR2>("i").setup_layout();
  p.add<SR2>("p").add<Scalar>("q").setup_layout();
  j.add<SR2>("j").setup_layout();
  const LabeledMatrix A(numbers({2, 6, 7}), {&i, &p}), B(numbers({2, 7, 6}), {&p, &j});
  const auto AB = A.chain(B);
  REQUIRE(at::allclose(AB, at::matmul(A.tensor(), B.tensor())));
  REQUIRE((AB.axis(0) == i && AB.axis(1) == j && AB.batch_dim() == 1));
  REQUIRE_THROWS_WITH(A.chain(A), ContainsSubstring("not labeled as the rows"));
  REQUIRE_THROWS_WITH(A.chain(LabeledMatrix::zeros({3}, {&p, &j})),
                      ContainsSubstring("do not broadcast"));
  const auto I = LabeledMatrix::identity({2}, p);
  REQUIRE(at::equal(I.chain(B), B));
  REQUIRE(at::equal(I.tensor()[1], at::eye(7, at::kDouble)));
}

TEST_CASE("A matrix is assembled from its blocks, with gradients", "[tensors][labels][autograd]")
{
  const auto axis = rows(), other = columns();
  const SSR4 C(numbers({3, 6, 6}).requires_grad_());
  const SR2 s(numbers({6}).requires_grad_());
  const auto M =
      LabeledMatrix::assemble(axis, other, {{"b", "e", C}, {"b", "a", s}, {"a", "e", s}});
  REQUIRE(M.sizes() == at::IntArrayRef({3, 44, 7}));
  REQUIRE(at::equal(M.reinterpret<SSR4>({"b", "e"}), C));
  REQUIRE(at::equal(M.reinterpret<SR2>({"b", "a"}), s.batch_expand({3})));
  REQUIRE(at::equal(M.reinterpret<SR2>({"a", "e"}), s.batch_expand({3})));
  REQUIRE(M.base_index({"sub", {}}).eq(0).all().item<bool>());
  const auto g = torch::autograd::grad({M.tensor().sum()}, {C, s});
  REQUIRE(at::equal(g[0], at::ones_like(C)));
  REQUIRE(at::equal(g[1], 6 * at::ones_like(s)));
  REQUIRE_THROWS_WITH(LabeledMatrix::assemble(axis, other, {{"b", "e", C}, {"b", "e", C}}),
                      ContainsSubstring("('b', 'e') is given twice"));
  REQUIRE_THROWS_AS(LabeledMatrix::assemble(axis, other, {{"b", "a", C}}), NEMLException);
  REQUIRE_THROWS_AS(LabeledMatrix::assemble(axis, other, {}), NEMLException);
}
} // namespace LabeledMatrix_test
