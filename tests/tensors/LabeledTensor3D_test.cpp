// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledTensor3D.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/labels.h"

#include "support/catch.h"

namespace LabeledTensor3D_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::labels::columns;
using test::labels::numbers;
using test::labels::rows;

TEST_CASE("fill copies what two tensors have in common on the first axis", "[tensors][labels]")
{
  const auto axis = rows(), other = columns();
  LabeledAxis wanted;
  wanted.add<SR2>("b").add<Scalar>("z").add<Scalar>({"sub", "x"});
  wanted.setup_layout();
  const LabeledTensor3D T(numbers({2, 44, 7, 7}), {&axis, &other, &other});
  auto U = LabeledTensor3D::zeros({2}, {&wanted, &other, &other});
  U.fill(T);
  REQUIRE(
      at::equal(U.base_index({{"sub", "x"}, "a", "e"}), T.base_index({{"sub", "x"}, "a", "e"})));
  auto V = LabeledTensor3D::zeros({2}, {&wanted, &other, &wanted});
  REQUIRE_THROWS_AS(V.fill(T), NEMLException);
}

TEST_CASE("Second derivatives chain as those of a function of a function do", "[tensors][labels]")
{
  LabeledAxis i, p, j;
  i.add<SR2>("i").setup_layout();
  p.add<SR2>("p").add<Scalar>("q").setup_layout();
  j.add<SR2>("j").setup_layout();
  const LabeledMatrix A(numbers({2, 6, 7}), {&i, &p}), B(numbers({2, 7, 6}), {&p, &j});
  // The second derivative of u(w(x)) is u_i,pq w_p,j w_q,k + u_i,p w_p,jk; numbers are up to 10^8.
  const LabeledTensor3D A2(numbers({2, 6, 7, 7}), {&i, &p, &p}),
      B2(numbers({2, 7, 6, 6}), {&p, &j, &j});
  const auto C2 = A2.chain(B2, A, B);
  const auto expected = at::einsum("bipq,bpj,bqk->bijk", {A2.tensor(), B.tensor(), B.tensor()}) +
                        at::einsum("bip,bpjk->bijk", {A.tensor(), B2.tensor()});
  REQUIRE(at::allclose(C2, expected));
  REQUIRE((C2.axis(0) == i && C2.axis(1) == j && C2.axis(2) == j));
  REQUIRE_THROWS_WITH(A2.chain(B2, B, A), ContainsSubstring("the axes do not fit"));
}
} // namespace LabeledTensor3D_test
