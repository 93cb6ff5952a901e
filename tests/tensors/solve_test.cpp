// SPDX-License-Identifier: MIT
#include "neml2/tensors/solve.h"
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/parity.h"
#include "support/reference.h"

#include "neml2/math/jacobian.h"
#include "neml2/tensors/cholesky.h"
#include "neml2/math/linalg.h"
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/spectral.h"
#include "neml2/tensors/stiffness.h"

#include <limits>

#include "support/catch.h"

namespace solve_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::operation;

namespace
{
/// Types of a program: four slips of any kind, and the interaction between them.
class Slips : public PrimitiveTensor<Slips, 4>
{
public:
  static constexpr auto type_name = "Slips";
  using PrimitiveTensor::PrimitiveTensor;
};
class Loads : public PrimitiveTensor<Loads, 4, 2>
{
public:
  static constexpr auto type_name = "Loads";
  using PrimitiveTensor::PrimitiveTensor;
};
class Interaction : public PrimitiveTensor<Interaction, 4, 4>
{
public:
  static constexpr auto type_name = "Interaction";
  using PrimitiveTensor::PrimitiveTensor;
};
class Large : public PrimitiveTensor<Large, 14, 14>
{
public:
  using PrimitiveTensor::PrimitiveTensor;
};
class LargeVector : public PrimitiveTensor<LargeVector, 14>
{
public:
  using PrimitiveTensor::PrimitiveTensor;
};

/// Matrices that are far from singular.
at::Tensor
regular(const at::Tensor & t)
{
  if (!t.defined() || !t.is_floating_point())
    return t;
  const auto by = 5 * at::eye(9, t.options().requires_grad(false));
  return t + by.reshape({3, 3, 3, 3});
}

at::Tensor
solved(const at::Tensor & A, const at::Tensor & b)
{
  return at::linalg_solve(A, b.unsqueeze(-1)).squeeze(-1);
}
at::Tensor
pairs(const at::Tensor & t)
{
  return t.flatten(-2).flatten(-3, -2);
}

constexpr auto solve_it = [](const auto & a, const auto & b) { return solve(a, b); };

/// Every operation with a derivative rule.
test::Table
operations()
{
  const auto vector = [](const Arguments & a) { return solved(a[0], a[1]); };
  const auto matrix = [](const Arguments & a) { return at::linalg_solve(a[0], a[1]); };
  return {operation<R2, Vec>("solve", Accepts::floating, solve_it, vector),
          operation<R2, R2>("solve", Accepts::floating, solve_it, matrix),
          operation<SSR4, SR2>("solve", Accepts::floating, solve_it, vector),
          operation<SSR4, SSR4>("solve", Accepts::floating, solve_it, matrix),
          operation<R4, R2>(
              "solve",
              Accepts::floating,
              [](const R4 & T, const R2 & b) { return solve(R4(regular(T)), b); },
              [](const Arguments & a) {
                return solved(pairs(regular(a[0])), a[1].flatten(-2)).unflatten(-1, {3, 3});
              }),
          operation<R4, R4>(
              "solve",
              Accepts::floating,
              [](const R4 & T, const R4 & b) { return solve(R4(regular(T)), b); },
              [](const Arguments & a)
              {
                return at::linalg_solve(pairs(regular(a[0])), pairs(a[1]))
                    .unflatten(-1, {3, 3})
                    .unflatten(-3, {3, 3});
              })};
}

/// The operations on types that a program defines.
test::Table
others()
{
  return {operation<Interaction, Slips>("solve",
                                        Accepts::floating,
                                        solve_it,
                                        [](const Arguments & a) { return solved(a[0], a[1]); }),
          operation<Interaction, Loads>("solve",
                                        Accepts::floating,
                                        solve_it,
                                        [](const Arguments & a)
                                        { return at::linalg_solve(a[0], a[1]); }),
          operation<Interaction>(
              "inv",
              Accepts::floating,
              [](const Interaction & A) { return inv(A); },
              [](const Arguments & a) { return at::linalg_inv(a[0]); }),
          operation<Interaction>(
              "det",
              Accepts::floating,
              [](const Interaction & A) { return det(A); },
              [](const Arguments & a) { return at::linalg_det(a[0]); })};
}

test::Table
all_operations()
{
  return test::together({operations(), test::without(test::own_rule, others())});
}
const test::Battery battery(all_operations);

/// The largest residual of A x = b relative to |A| |x|.
double
residual(const at::Tensor & A, const at::Tensor & x, const at::Tensor & b)
{
  const auto r = at::matmul(A, x.unsqueeze(-1)).squeeze(-1) - b;
  const auto scale = at::linalg_matrix_norm(A) * at::linalg_vector_norm(x, 2, at::IntArrayRef(-1));
  return (at::linalg_vector_norm(r, 2, at::IntArrayRef(-1)) / scale).max().item<double>();
}

/// n×n matrices that are regular except in the listed entries, where the last row equals the first.
at::Tensor
singular_at(Size n, Size count, std::initializer_list<Size> where)
{
  const auto A = at::rand({count, n, n}, at::kDouble) + 2 * at::eye(n, at::kDouble);
  for (const Size i : where)
    A[i].zero_(); // LAPACK and the loop round in different ways; zeros need no rounding
  return A;
}
} // namespace

TEST_CASE("solve passes the battery", "[tensors][solve][cuda]")
{
  battery.check();
}

TEST_CASE("The strain of a stress by solve is that by the compliance", "[tensors][solve]")
{
  const SSR4 C = SSR4::orthotropic(10, 20, 30, 0.2, 0.25, 0.3, 4, 5, 6);
  const SR2 s(at::rand({7, 6}, at::kDouble));
  REQUIRE(at::allclose(C * solve(C, s), s, 1e-14, 1e-14));
  REQUIRE(at::allclose(solve(C, s), inv(C) * s, 1e-13, 1e-14));
  // Hooke's law, Young's modulus 200 and Poisson's ratio 0.25, under uniaxial stress 1
  const SR2 e = solve(SSR4::isotropic_E_nu(200, 0.25), SR2::fill(1, 0, 0));
  REQUIRE(at::allclose(e, SR2::fill(0.005, -0.00125, -0.00125), 1e-14, 1e-18));
}

TEST_CASE("Matrices whose pivots are not on the diagonal are solved", "[tensors][solve]")
{
  const auto permuted = [](Size n)
  {
    std::vector<at::Tensor> all;
    for (Size k = 0; k < 40; k++)
      all.push_back(at::eye(n, at::kDouble).index_select(0, at::randperm(n)));
    return at::stack(all);
  };
  const R2 P(permuted(3));
  const Vec v(at::rand({40, 3}, at::kDouble));
  REQUIRE(at::equal(solve(P, v), transpose(P) * v));
  const SSR4 Q(permuted(6));
  const SR2 s(at::rand({40, 6}, at::kDouble));
  REQUIRE(at::equal(solve(Q, s), s * Q));
  REQUIRE(at::equal(solve(Q, SSR4::identity_sym()), transpose_major(Q)));
  REQUIRE(at::allclose(det(Q), at::linalg_det(Q), 0, 1e-14));
  const Interaction A(permuted(4));
  REQUIRE(at::equal(inv(A), A.transpose(-1, -2)));
  REQUIRE(at::equal(det(A), at::linalg_det(A).round()));
}

TEST_CASE("The residual of solve is small whatever the condition of the matrix", "[tensors][solve]")
{
  const auto ill = [](Size n)
  {
    const auto graded = at::pow(10.0, -14 * at::rand({500, 1, n}, at::kDouble));
    return at::matmul(at::randn({500, n, n}, at::kDouble) * graded,
                      at::randn({500, n, n}, at::kDouble));
  };
  const R2 A(ill(3));
  const Vec v(at::randn({500, 3}, at::kDouble));
  REQUIRE(residual(A, solve(A, v), v) < 1e-15);
  const SSR4 C(ill(6));
  const SR2 s(at::randn({500, 6}, at::kDouble));
  REQUIRE(residual(C, solve(C, s), s) < 2e-15);
}

TEST_CASE("A singular matrix gives NaN alone, wherever it lies", "[tensors][solve]")
{
  for (Size place = 0; place < 9; place++)
    for (const bool tracked : {false, true})
    {
      const auto check = [&](const at::Tensor & A, const at::Tensor & x, const at::Tensor & b)
      {
        const auto nan = x.isnan().flatten(1);
        REQUIRE(nan.select(0, place).all().item<bool>());
        REQUIRE(nan.sum().item<int64_t>() == nan.size(1));
        const auto others = at::arange(9).ne(place);
        const auto product = at::matmul(A, b.dim() == 2 ? x.unsqueeze(-1) : x);
        REQUIRE(at::allclose((b.dim() == 2 ? product.squeeze(-1) : product).index({others}),
                             b.index({others}),
                             1e-12,
                             1e-13));
      };
      const auto tensor = [&](at::Tensor t) { return t.requires_grad_(tracked); };
      const R2 A(tensor(singular_at(3, 9, {place})));
      const Vec v(at::rand({9, 3}, at::kDouble));
      check(A, solve(A, v), v);
      const R2 B(at::rand({9, 3, 3}, at::kDouble));
      check(A, solve(A, B), B);
      const SSR4 C(tensor(singular_at(6, 9, {place})));
      const SR2 s(at::rand({9, 6}, at::kDouble));
      check(C, solve(C, s), s);
      const Interaction M(tensor(singular_at(4, 9, {place})));
      const Slips b(at::rand({9, 4}, at::kDouble));
      check(M, solve(M, b), b);
      REQUIRE(det(M)[place].item<double>() == 0);
      REQUIRE(det(C)[place].item<double>() == 0);
      REQUIRE(at::allclose(det(C), at::linalg_det(C)));
    }
}

TEST_CASE("The derivatives of solve are exact, of one matrix of a batch too", "[tensors][solve]")
{
  const SSR4 C(singular_at(6, 9, {4}));
  const SR2 s(at::rand({9, 6}, at::kDouble));
  const auto [x, dx] = value_and_jacobian<1>(solve_it, C, s);
  const auto regular = at::arange(9).ne(4);
  REQUIRE(at::allclose(dx.index({regular}), at::linalg_inv(C.index({regular})), 1e-13, 1e-13));
  REQUIRE(dx[4].isnan().all().item<bool>());
  const auto [y, dy] = value_and_jacobian<0>(solve_it, C, s);
  const auto expected =
      -at::einsum("nik,nl->nikl", {at::linalg_inv(C.index({regular})), x.index({regular})});
  REQUIRE(at::allclose(y.index({regular}), x.index({regular})));
  REQUIRE(at::allclose(dy.reshape({9, 6, 6, 6}).index({regular}), expected, 1e-13, 1e-13));
  const Interaction A(at::rand({5, 4, 4}, at::kDouble) + 2 * at::eye(4, at::kDouble));
  const auto [X, dX] = value_and_jacobian<0>([](const auto & a) { return inv(a); }, A);
  REQUIRE(at::allclose(
      dX.reshape({5, 4, 4, 4, 4}), -at::einsum("nik,nlj->nijkl", {X, X}), 1e-13, 1e-13));
  const auto [d, dd] = value_and_jacobian<0>([](const auto & a) { return det(a); }, A);
  REQUIRE(at::allclose(dd, d.reshape({5, 1, 1}) * X.transpose(-1, -2)));
  const SSR4 D(test::values({5}, {6, 6}, at::kDouble));
  const auto [e, de] = value_and_jacobian<0>([](const auto & a) { return det(a); }, D);
  REQUIRE(at::allclose(de, e * inv(D).transpose_major()));
}

TEST_CASE("solve in a formula is solve on batches", "[tensors][solve]")
{
  const auto f = [](const auto & C, const auto & s, const auto & A, const auto & v)
  { return std::tuple(solve(C, s), solve(A, v), det(C), solve(C, C * C), solve(A, A * A)); };
  const SSR4 C(test::values({7}, {6, 6}, at::kDouble));
  const SR2 s(at::rand({3, 1, 6}, at::kDouble));
  const R2 A(test::values({7}, {3, 3}, at::kDouble));
  const Vec v(at::rand({3}, at::kDouble));
  const auto fused = vmap(f, C, s, A, v);
  const auto composed = f(C, s, A, v);
  REQUIRE(at::allclose(std::get<0>(fused), std::get<0>(composed), 1e-13, 1e-14));
  REQUIRE(
      at::allclose(std::get<1>(fused), std::get<1>(composed).batch_expand({3, 7}), 1e-13, 1e-14));
  REQUIRE(
      at::allclose(std::get<2>(fused), std::get<2>(composed).batch_expand({3, 7}), 1e-13, 1e-14));
  REQUIRE(at::allclose(std::get<3>(fused), C.batch_expand({3, 7}), 1e-13, 1e-13));
  REQUIRE(at::allclose(std::get<4>(fused), A.batch_expand({3, 7}), 1e-13, 1e-13));
}

TEST_CASE("Matrices whose elimination is not unrolled are solved too", "[tensors][solve]")
{
  const Large A(at::rand({9, 14, 14}, at::kDouble) + 2 * at::eye(14, at::kDouble).flip(0));
  const LargeVector b(at::rand({9, 14}, at::kDouble));
  REQUIRE(at::allclose(solve(A, b), solved(A, b), 1e-11, 1e-11));
  REQUIRE(at::allclose(inv(A), at::linalg_inv(A), 1e-11, 1e-11));
  REQUIRE(at::allclose(det(A), at::linalg_det(A), 1e-11, 0));
  const Large S(at::matmul(A, A.transpose(-1, -2)));
  REQUIRE(at::allclose(cholesky(S), at::linalg_cholesky(S), 1e-9, 1e-9));
  A[3].fill_(1);
  REQUIRE(solve(A, b).isnan().any(-1).sum().item<int64_t>() == 1);
}

TEST_CASE("solve is linalg::solve of the types' tensors", "[tensors][solve]")
{
  for (const auto dtype : {kFloat64, kFloat32})
  {
    const SSR4 C(test::values({7}, {6, 6}, dtype));
    const SR2 s(test::values({7}, {6}, dtype));
    REQUIRE(solve(C, s).scalar_type() == dtype);
    REQUIRE(at::allclose(solve(C, s), linalg::solve(C, s), 1e-6, 1e-6));
  }
}

TEST_CASE("The determinant of an isotropic stiffness is 3 K (2 G)^5", "[tensors][solve]")
{
  const auto C = isotropic_K_G(Scalar::full(2.0), Scalar::full(1.5));
  REQUIRE(at::allclose(det(C), Scalar::full(6.0 * 243.0), 1e-14, 0));
  const R2 R = Rot::fill(0.1, -0.2, 0.3).euler_rodrigues();
  const SSR4 D(test::values({5}, {6, 6}, at::kDouble));
  REQUIRE(at::allclose(det(rotate(D, R)), det(D), 1e-13, 0));
  REQUIRE(at::equal(D.det(), det(D)));
}

TEST_CASE("solve broadcasts batches only, and refuses what does not fit", "[tensors][solve]")
{
  const SSR4 C = SSR4::identity_sym();
  REQUIRE(solve(C, SR2::ones({1000, 2})).batch_sizes() == TensorShape{1000, 2});
  REQUIRE(solve(C.batch_expand({2}), SR2::ones({1000, 1})).batch_sizes() == TensorShape{1000, 2});
  REQUIRE(solve(C.batch_expand({6}), SR2::ones({6})).batch_sizes() == TensorShape{6});
  REQUIRE_THAT(test::error_of([&] { (void)solve(C.batch_expand({2}), SR2::ones({6})); }),
               Catch::Matchers::StartsWith("solve: batch shapes [2] and [6] do not broadcast"));
  REQUIRE_THAT(test::error_of([&] { (void)solve(R2(), Vec::ones()); }),
               Catch::Matchers::StartsWith("solve: undefined tensor"));
}

TEST_CASE("Operations of LAPACK are refused for float16 and bfloat16, by their names",
          "[tensors][solve]")
{
  for (const auto dtype : {kFloat16, kBFloat16})
  {
    const SR2 s(SR2::identity().to(dtype));
    const R2 A(R2::identity().to(dtype));
    const Vec v(Vec::ones().to(dtype));
    const SSR4 C(SSR4::identity_sym().to(dtype));
    const Tensor T(at::eye(4, dtype), 0), pivots(at::ones({4}, at::kInt), 0);
    const std::string what = std::string(": not defined for dtype ") + core::dtype_name(dtype) +
                             ". Expected float32 or float64; convert with .to(kFloat32).";
    const auto refuses = [&](const char * name, const auto & f)
    {
      INFO(name);
      REQUIRE(test::error_of([&] { (void)f(); }) == name + what);
    };
    refuses("eigenvalues", [&] { return eigenvalues(s); });
    refuses("eigh", [&] { return linalg::eigh(s); });
    refuses("det", [&] { return det(C); });
    refuses("inv", [&] { return inv(C); });
    refuses("solve", [&] { return solve(A, v); });
    refuses("solve", [&] { return solve(C, s); });
    refuses("cholesky", [&] { return cholesky(A); });
    refuses("cholesky", [&] { return cholesky(s); });
    refuses("cholesky", [&] { return cholesky(C); });
    refuses("lode_angle", [&] { return lode_angle(s); });
    refuses("inv", [&] { return inv(T); });
    refuses("det", [&] { return det(T); });
    refuses("linalg::inv", [&] { return linalg::inv(T); });
    refuses("linalg::slogdet", [&] { return std::get<0>(linalg::slogdet(T)); });
    refuses("linalg::solve", [&] { return linalg::solve(T, T); });
    refuses("linalg::lu_factor", [&] { return linalg::lu_factor(T); });
    refuses("linalg::lu_solve", [&] { return linalg::lu_solve(T, pivots, T); });
  }
}
} // namespace solve_test
