// SPDX-License-Identifier: MIT
#include "neml2/tensors/kronecker.h"
#include "neml2/composed/SSR4.h"
#include "support/battery.h"
#include "support/rotation.h"

#include "support/catch.h"

namespace kronecker_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// The matrix of an argument.
at::Tensor
matrix(const at::Tensor & a)
{
  return a.size(-1) == 6 ? test::full_of(a) : a;
}

at::Tensor
product(const char * equation, const Arguments & a)
{
  return at::einsum(equation, {matrix(a[0]), matrix(a[1])});
}

template <class A, class B>
void
add_operations(test::Table & all)
{
  all.push_back(operation<A, B>(
      "kron",
      Accepts::floating,
      [](const A & a, const B & b) { return kron(a, b); },
      [](const Arguments & a) { return product("...ik,...jl->...ijkl", a); }));
  all.push_back(operation<A, B>(
      "kron_transposed",
      Accepts::floating,
      [](const A & a, const B & b) { return kron_transposed(a, b); },
      [](const Arguments & a) { return product("...il,...jk->...ijkl", a); }));
  all.push_back(operation<A, B>(
      "sym_kron",
      Accepts::floating,
      [](const A & a, const B & b) { return sym_kron(a, b); },
      [](const Arguments & a)
      {
        return test::stored4_of(
            (product("...ik,...jl->...ijkl", a) + product("...il,...jk->...ijkl", a) +
             product("...jl,...ik->...ijkl", a) + product("...jk,...il->...ijkl", a)) /
            4);
      }));
}

const test::Table &
operations()
{
  static const auto all = []
  {
    test::Table o;
    add_operations<R2, R2>(o);
    add_operations<SR2, SR2>(o);
    add_operations<SR2, R2>(o);
    add_operations<R2, SR2>(o);
    return o;
  }();
  return all;
}
const test::Battery battery(operations);

/// Random tensors.
R2
any(TensorShapeRef batch)
{
  return R2(test::values(batch, {3, 3}, at::kDouble));
}
} // namespace

TEST_CASE("Kronecker products pass the battery", "[tensors][kronecker][cuda]")
{
  battery.check();
}

TEST_CASE("A product of Kronecker products is that of the products", "[tensors][kronecker]")
{
  const R2 A = any({5}), B = any({5}), C = any({4, 1}), D = any({}), K = any({5});
  REQUIRE(at::allclose(kron(A, B) * kron(C, D), kron(A * C, B * D)));
  REQUIRE(at::allclose(kron(A, B) * K, A * K * B.transpose()));
  REQUIRE(at::allclose(kron_transposed(A, B) * K, A * K.transpose() * B.transpose()));
  REQUIRE(at::allclose(kron(A, B).inverse(), kron(A.inverse(), B.inverse())));
  REQUIRE(at::allclose(kron(A, B).transpose_major(), kron(A.transpose(), B.transpose())));
  const R2 I = R2::identity();
  REQUIRE(at::equal(kron(I, I) * K, K));
  REQUIRE(at::equal(kron_transposed(I, I) * K, K.transpose()));
}

TEST_CASE("The symmetric Kronecker product maps symmetric tensors to symmetric parts",
          "[tensors][kronecker]")
{
  const R2 A = any({5}), B = any({4, 1});
  const SR2 K(at::rand({5, 6}, at::kDouble)), S(at::rand({5, 6}, at::kDouble));
  REQUIRE(at::allclose(sym_kron(A, B) * K, SR2(A * R2(K) * B.transpose())));
  REQUIRE(at::allclose(sym_kron(A, B), sym_kron(B, A)));
  REQUIRE(at::allclose(sym_kron(A, A) * sym_kron(B, B), sym_kron(A * B, A * B)));
  REQUIRE(at::allclose(sym_kron(A, A).inverse(), sym_kron(A.inverse(), A.inverse())));
  REQUIRE(at::allclose(sym_kron(A, B), SSR4(kron(A, B))));
  // 2 sym_kron(S, I) K = S K + K S
  REQUIRE(
      at::allclose(R2(2.0 * (sym_kron(S, SR2::identity()) * K)), R2(S) * R2(K) + R2(K) * R2(S)));
}

TEST_CASE("The symmetric Kronecker product of a rotation turns Mandel components",
          "[tensors][kronecker]")
{
  const Rot r(0.5 * at::rand({5, 3}, at::kDouble));
  const R2 R = r.euler_rodrigues();
  const SSR4 Q = sym_kron(R, R), C(at::rand({6, 6}, at::kDouble));
  REQUIRE(at::allclose(Q, composed::mandel_rotation(core::raw(R))));
  REQUIRE(at::allclose(Q * Q.transpose_major(), SSR4::identity_sym().expand({5, 6, 6}), 0, 1e-14));
  REQUIRE(at::allclose(Q * C * Q.transpose_major(), C.rotate(r)));
  REQUIRE(at::equal(sym_kron(R2::identity(), R2::identity()), SSR4::identity_sym()));
  REQUIRE(at::allclose(sym_kron(SR2::identity(), SR2::identity()), SSR4::identity_sym()));
}

TEST_CASE("The derivative of an inverse is a Kronecker product", "[tensors][kronecker][autograd]")
{
  // ∂A^-1_ij/∂A_kl = -A^-1_ik A^-1_lj, and of a symmetric tensor -sym_kron(S^-1, S^-1)
  const R2 A(any({}).requires_grad_());
  const auto d = kron(A.inverse(), A.inverse().transpose());
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      REQUIRE(at::allclose(torch::autograd::grad({A.inverse()(i, j)}, {A})[0], -d[i][j]));
  const SR2 S(test::values({}, {6}, at::kDouble).requires_grad_());
  const auto ds = sym_kron(S.inverse(), S.inverse());
  for (int k = 0; k < 6; k++)
    REQUIRE(at::allclose(torch::autograd::grad({S.inverse()(k)}, {S})[0], -ds[k]));
}
} // namespace kronecker_test
