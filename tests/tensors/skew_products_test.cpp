// SPDX-License-Identifier: MIT
#include "neml2/tensors/skew_products.h"
#include "support/battery.h"
#include "support/reference.h"

#include "neml2/tensors/R4.h"
#include "support/catch.h"

namespace skew_products_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::full_of;
using test::operation;

namespace
{
/// W_ij = -ε_ijk w_k
at::Tensor
skew_of(const at::Tensor & w)
{
  return -at::einsum("ijk,...k->...ij", {test::permutation(), w});
}

/// (W_21, W_02, W_10) of the skew part.
at::Tensor
axial_of(const at::Tensor & W)
{
  return -0.5 * at::einsum("ijk,...jk->...i", {test::permutation(), W});
}

at::Tensor
turned(const at::Tensor & e, const at::Tensor & w)
{
  const auto E = full_of(e), W = skew_of(w);
  return test::stored_of(at::matmul(W, E) - at::matmul(E, W));
}

at::Tensor
made_skew(const at::Tensor & a, const at::Tensor & b)
{
  const auto A = full_of(a), B = full_of(b);
  return axial_of(at::matmul(A, B) - at::matmul(B, A));
}

/// The matrix of a function that is linear in one argument of n components, column by column.
template <class F>
at::Tensor
matrix_of(int64_t n, const F & linear)
{
  std::vector<at::Tensor> columns;
  for (int64_t k = 0; k < n; k++)
    columns.push_back(linear(at::eye(n, at::kDouble)[k]));
  return at::stack(columns, -1);
}

/// The two products, which have derivative rules.
const test::Table &
products()
{
  static const std::vector<test::Operation> all{
      operation<SR2, WR2>(
          "skew_and_sym_to_sym",
          Accepts::floating,
          [](const SR2 & e, const WR2 & w) { return skew_and_sym_to_sym(e, w); },
          [](const Arguments & a) { return turned(a[0], a[1]); }),
      operation<SR2, SR2>(
          "multiply_and_make_skew",
          Accepts::floating,
          [](const SR2 & a, const SR2 & b) { return multiply_and_make_skew(a, b); },
          [](const Arguments & a) { return made_skew(a[0], a[1]); })};
  return all;
}

/// Their derivatives.
const test::Table &
derivatives()
{
  static const std::vector<test::Operation> all{
      operation<WR2>(
          "d_skew_and_sym_to_sym_d_sym",
          Accepts::floating,
          [](const WR2 & w) { return d_skew_and_sym_to_sym_d_sym(w); },
          [](const Arguments & a)
          { return matrix_of(6, [&](const at::Tensor & e) { return turned(e, a[0]); }); }),
      operation<SR2>(
          "d_skew_and_sym_to_sym_d_skew",
          Accepts::floating,
          [](const SR2 & e) { return d_skew_and_sym_to_sym_d_skew(e); },
          [](const Arguments & a)
          { return matrix_of(3, [&](const at::Tensor & w) { return turned(a[0], w); }); }),
      operation<SR2>(
          "d_multiply_and_make_skew_d_first",
          Accepts::floating,
          [](const SR2 & b) { return d_multiply_and_make_skew_d_first(b); },
          [](const Arguments & a)
          { return matrix_of(6, [&](const at::Tensor & x) { return made_skew(x, a[0]); }); }),
      operation<SR2>(
          "d_multiply_and_make_skew_d_second",
          Accepts::floating,
          [](const SR2 & a) { return d_multiply_and_make_skew_d_second(a); },
          [](const Arguments & a)
          { return matrix_of(6, [&](const at::Tensor & x) { return made_skew(a[0], x); }); })};
  return all;
}

test::Table
all_operations()
{
  return test::together({products(), test::without(test::own_rule, derivatives())});
}
const test::Battery battery(all_operations);

/// Derivatives of f at x by central differences; the n components of x are the last dimension.
template <class F>
at::Tensor
differences(const at::Tensor & x, const F & f)
{
  return matrix_of(
      x.size(-1), [&](const at::Tensor & e) { return (f(x + 1e-3 * e) - f(x - 1e-3 * e)) / 2e-3; });
}
} // namespace

TEST_CASE("Products of skew and symmetric tensors pass the battery",
          "[tensors][skew_products][cuda]")
{
  battery.check();
}

TEST_CASE("Derivatives of the products are those of their differences", "[tensors][skew_products]")
{
  const SR2 a(at::rand({4, 6}, at::kDouble)), b(at::rand({4, 6}, at::kDouble));
  const WR2 w(at::rand({4, 3}, at::kDouble));
  const auto same = [](const at::Tensor & x, const at::Tensor & y)
  { return at::allclose(x, y, 0, 1e-12); };
  REQUIRE(
      same(d_skew_and_sym_to_sym_d_sym(w),
           differences(a, [&](const at::Tensor & x) { return skew_and_sym_to_sym(SR2(x), w); })));
  REQUIRE(
      same(d_skew_and_sym_to_sym_d_skew(a),
           differences(w, [&](const at::Tensor & x) { return skew_and_sym_to_sym(a, WR2(x)); })));
  REQUIRE(same(
      d_multiply_and_make_skew_d_first(b),
      differences(a, [&](const at::Tensor & x) { return multiply_and_make_skew(SR2(x), b); })));
  REQUIRE(same(
      d_multiply_and_make_skew_d_second(a),
      differences(b, [&](const at::Tensor & x) { return multiply_and_make_skew(a, SR2(x)); })));
}

TEST_CASE("Derivatives of the products are the projections of the full ones",
          "[tensors][skew_products]")
{
  const SR2 e(at::rand({6}, at::kDouble));
  const WR2 w(at::rand({3}, at::kDouble));
  const auto d = test::delta(), E = full_of(e), W = skew_of(w);
  const auto kron = [](const at::Tensor & A, const at::Tensor & B) {
    return at::einsum("ia,jb->ijab", {A, B});
  };
  REQUIRE(at::allclose(d_skew_and_sym_to_sym_d_sym(w), SSR4(R4(kron(W, d) - kron(d, W.t())))));
  REQUIRE(at::allclose(d_skew_and_sym_to_sym_d_skew(e), SWR4(R4(kron(d, E) - kron(E, d)))));
  REQUIRE(at::allclose(d_multiply_and_make_skew_d_first(e), WSR4(R4(kron(d, E) - kron(E, d)))));
  REQUIRE(at::allclose(d_multiply_and_make_skew_d_second(e), WSR4(R4(kron(E, d) - kron(d, E)))));
}

TEST_CASE("Symmetric tensors commute where they share principal axes, and spins leave invariants",
          "[tensors][skew_products]")
{
  const SR2 e(at::rand({5, 6}, at::kDouble));
  const WR2 w(at::rand({5, 3}, at::kDouble));
  const SR2 square(R2(e) * R2(e));
  REQUIRE(
      at::allclose(multiply_and_make_skew(e, square), at::zeros({5, 3}, at::kDouble), 0, 1e-15));
  REQUIRE(at::allclose(
      multiply_and_make_skew(e, SR2::identity()), at::zeros({5, 3}, at::kDouble), 0, 1e-16));
  const SR2 rate = skew_and_sym_to_sym(e, w);
  REQUIRE(at::allclose(rate.tr(), at::zeros({5}, at::kDouble), 0, 1e-15));
  REQUIRE(at::allclose(rate.inner(e), at::zeros({5}, at::kDouble), 0, 1e-15));
  REQUIRE(at::allclose(rate.inner(square), at::zeros({5}, at::kDouble), 0, 1e-14));
}
} // namespace skew_products_test
