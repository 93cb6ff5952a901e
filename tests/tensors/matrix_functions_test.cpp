// SPDX-License-Identifier: MIT
#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/kinematics.h"
#include "support/battery.h"
#include "support/matrix_references.h"
#include "support/parity.h"
#include "support/reference.h"

#include <map>

#include "support/catch.h"

namespace matrix_functions_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::full_of;
using test::operation;
using test::stored_of;

namespace
{
/// V f(Λ) Vᵀ, for distinct eigenvalues.
template <class F>
at::Tensor
by_eigenvalues(const at::Tensor & s, const F & f)
{
  const auto [l, V] = at::linalg_eigh(full_of(s));
  return stored_of(at::matmul(V * f(l).unsqueeze(-2), V.transpose(-1, -2)));
}

/// The derivative along e: V (Γ ∘ Vᵀ e V) Vᵀ.
template <class F, class DF>
at::Tensor
slope_by_eigenvalues(const at::Tensor & s, const at::Tensor & e, const F & f, const DF & df)
{
  const auto [l, V] = at::linalg_eigh(full_of(s));
  const auto a = l.unsqueeze(-1), b = l.unsqueeze(-2);
  const auto diagonal = at::eye(3, at::kDouble);
  const auto quotients =
      (f(a) - f(b)) / (a - b + diagonal) * (1 - diagonal) + at::diag_embed(df(l));
  const auto Vt = V.transpose(-1, -2);
  return stored_of(
      at::matmul(V, at::matmul(quotients * at::matmul(Vt, at::matmul(full_of(e), V)), Vt)));
}

/// The derivatives along all unit directions in the last dimension.
template <class F, class DF>
at::Tensor
derivative_by_eigenvalues(const at::Tensor & s, const F & f, const DF & df)
{
  return slope_by_eigenvalues(s.unsqueeze(-2), at::eye(6, at::kDouble), f, df);
}

const auto exp_of = [](const at::Tensor & x) { return at::exp(x); };
const auto log_of = [](const at::Tensor & x) { return at::log(x); };
const auto root_of = [](const at::Tensor & x) { return at::sqrt(x); };
const auto slope_of_log = [](const at::Tensor & x) { return 1 / x; };
const auto slope_of_root = [](const at::Tensor & x) { return 0.5 / at::sqrt(x); };

/// The function by the eigenvalues of a general matrix, which are complex.
template <class F>
at::Tensor
by_complex_eigenvalues(const at::Tensor & A, const F & f)
{
  if (A.numel() == 0)
    return A;
  const auto [l, V] = at::linalg_eig(A);
  return at::real(at::matmul(V * f(l).unsqueeze(-2), at::linalg_inv(V)));
}

/// The upper right block of f([[A, E], [0, A]]).
template <class F>
at::Tensor
slope_by_block(const at::Tensor & A, const at::Tensor & E, const F & f)
{
  const auto block = at::cat({at::cat({A, E}, -1), at::cat({at::zeros_like(A), A}, -1)}, -2);
  return f(block).slice(-2, 0, 3).slice(-1, 3, 6);
}

/// Functions that have derivative rules.
const test::Table &
functions()
{
  static const std::vector<test::Operation> all{
      operation<SR2>(
          "expm",
          Accepts::floating,
          [](const SR2 & s) { return expm(s); },
          [](const Arguments & a) { return by_eigenvalues(a[0], exp_of); }),
      operation<SR2>(
          "logm",
          Accepts::floating,
          [](const SR2 & s) { return logm(s); },
          [](const Arguments & a) { return by_eigenvalues(a[0], log_of); }),
      operation<SR2>(
          "sqrtm",
          Accepts::floating,
          [](const SR2 & s) { return sqrtm(s); },
          [](const Arguments & a) { return by_eigenvalues(a[0], root_of); }),
      operation<SR2, Scalar>(
          "powm",
          Accepts::floating,
          [](const SR2 & s, const Scalar & p) { return powm(s, p); },
          [](const Arguments & a)
          {
            return by_eigenvalues(
                a[0], [&](const at::Tensor & l) { return at::pow(l, a[1].unsqueeze(-1)); });
          }),
      operation<SR2>(
          "powm",
          Accepts::floating,
          [](const SR2 & s) { return powm(s, -0.5); },
          [](const Arguments & a)
          { return by_eigenvalues(a[0], [](const at::Tensor & l) { return at::rsqrt(l); }); }),
      operation<R2>(
          "expm",
          Accepts::floating,
          [](const R2 & A) { return expm(A); },
          [](const Arguments & a) { return at::linalg_matrix_exp(a[0]); }),
      operation<R2>(
          "logm",
          Accepts::floating,
          [](const R2 & A) { return logm(A); },
          [](const Arguments & a) { return by_complex_eigenvalues(a[0], log_of); }),
      operation<R2>(
          "sqrtm",
          Accepts::floating,
          [](const R2 & A) { return sqrtm(A); },
          [](const Arguments & a) { return by_complex_eigenvalues(a[0], root_of); })};
  return all;
}

/// Their derivatives, which have no derivative rules.
const test::Table &
derivatives_of_functions()
{
  static const auto power = [](const at::Tensor & p)
  {
    return [=](const at::Tensor & l)
    { return at::pow(l, p.reshape(p.sizes().vec()).unsqueeze(-1).unsqueeze(-1)); };
  };
  static const std::vector<test::Operation> all{
      operation<SR2, SR2>(
          "dexpm",
          Accepts::floating,
          [](const SR2 & s, const SR2 & e) { return dexpm(s, e); },
          [](const Arguments & a) { return slope_by_eigenvalues(a[0], a[1], exp_of, exp_of); }),
      operation<SR2, SR2>(
          "dlogm",
          Accepts::floating,
          [](const SR2 & s, const SR2 & e) { return dlogm(s, e); },
          [](const Arguments & a)
          { return slope_by_eigenvalues(a[0], a[1], log_of, slope_of_log); }),
      operation<SR2, SR2>(
          "dsqrtm",
          Accepts::floating,
          [](const SR2 & s, const SR2 & e) { return dsqrtm(s, e); },
          [](const Arguments & a)
          { return slope_by_eigenvalues(a[0], a[1], root_of, slope_of_root); }),
      operation<SR2, Scalar, SR2>(
          "dpowm",
          Accepts::floating,
          [](const SR2 & s, const Scalar & p, const SR2 & e) { return dpowm(s, p, e); },
          [](const Arguments & a)
          {
            const auto p = a[1].unsqueeze(-1);
            return slope_by_eigenvalues(a[0],
                                        a[2],
                                        power(a[1]),
                                        [&](const at::Tensor & l)
                                        { return p * at::pow(l, p - 1); });
          }),
      operation<SR2>(
          "dexpm",
          Accepts::floating,
          [](const SR2 & s) { return dexpm(s); },
          [](const Arguments & a) { return derivative_by_eigenvalues(a[0], exp_of, exp_of); }),
      operation<SR2>(
          "dlogm",
          Accepts::floating,
          [](const SR2 & s) { return dlogm(s); },
          [](const Arguments & a)
          { return derivative_by_eigenvalues(a[0], log_of, slope_of_log); }),
      operation<SR2>(
          "dsqrtm",
          Accepts::floating,
          [](const SR2 & s) { return dsqrtm(s); },
          [](const Arguments & a)
          { return derivative_by_eigenvalues(a[0], root_of, slope_of_root); }),
      operation<SR2>(
          "dpowm",
          Accepts::floating,
          [](const SR2 & s) { return dpowm(s, 2.0); },
          [](const Arguments & a)
          {
            return derivative_by_eigenvalues(
                a[0],
                [](const at::Tensor & l) { return l * l; },
                [](const at::Tensor & l) { return 2 * l; });
          }),
      operation<R2, R2>(
          "dexpm",
          Accepts::floating,
          [](const R2 & A, const R2 & E) { return dexpm(A, E); },
          [](const Arguments & a)
          {
            return slope_by_block(
                a[0], a[1], [](const at::Tensor & x) { return at::linalg_matrix_exp(x); });
          }),
      operation<R2>(
          "dexpm",
          Accepts::floating,
          [](const R2 & A) { return dexpm(A); },
          [](const Arguments & a)
          {
            std::vector<at::Tensor> columns;
            for (int k = 0; k < 9; k++)
              columns.push_back(
                  slope_by_block(a[0],
                                 at::eye(9, at::kDouble)[k].reshape({3, 3}).expand(a[0].sizes()),
                                 [](const at::Tensor & x) { return at::linalg_matrix_exp(x); }));
            const auto x = at::stack(columns, -1);
            return x.unflatten(-1, {3, 3});
          })};
  return all;
}

/// A derivative of a function along E must agree with the function on dual numbers.
const test::Table &
derivatives_along()
{
  static const std::vector<test::Operation> all{
      operation<R2, R2>(
          "dlogm", Accepts::floating, [](const R2 & A, const R2 & E) { return dlogm(A, E); }),
      operation<R2, R2>(
          "dsqrtm", Accepts::floating, [](const R2 & A, const R2 & E) { return dsqrtm(A, E); }),
      operation<R2>("dlogm", Accepts::floating, [](const R2 & A) { return dlogm(A); }),
      operation<R2>("dsqrtm", Accepts::floating, [](const R2 & A) { return dsqrtm(A); })};
  return all;
}

test::Table
all_operations()
{
  return test::together({functions(),
                         test::without(test::own_rule, derivatives_of_functions()),
                         test::without({Check::reference, Check::rule}, derivatives_along())});
}
const test::Battery battery(all_operations);

/// Tensors with eigenvalues 0.7, 0.7 + gap and 0.7 + gap + other and the same eigenvectors, for gaps from zero
/// on. (n; 6)
SR2
nearly_equal(double other)
{
  const auto Q = std::get<0>(at::linalg_qr(
      at::tensor({0.3, -1.1, 0.4, 0.9, 0.2, 0.5, -0.6, 0.8, 1.3}, at::kDouble).reshape({3, 3})));
  const auto gap =
      at::tensor({0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3}, at::kDouble);
  const auto l = 0.7 + at::stack({0 * gap, gap, gap + other}, -1);
  return SR2(stored_of(at::matmul(Q * l.unsqueeze(-2), Q.t())));
}

const SR2 direction = SR2::fill(0.3, -0.5, 0.2, 0.4, 0.1, -0.6);

/// Each function of symmetric tensors with its derivative along e and its derivative.
struct Function
{
  const char * name;
  std::function<SR2(const SR2 &)> f;
  std::function<SR2(const SR2 &, const SR2 &)> along;
  std::function<SSR4(const SR2 &)> derivative;
};
const std::vector<Function> &
symmetric_functions()
{
  static const std::vector<Function> all{{"expm",
                                          [](const SR2 & s) { return expm(s); },
                                          [](const SR2 & s, const SR2 & e) { return dexpm(s, e); },
                                          [](const SR2 & s) { return dexpm(s); }},
                                         {"logm",
                                          [](const SR2 & s) { return logm(s); },
                                          [](const SR2 & s, const SR2 & e) { return dlogm(s, e); },
                                          [](const SR2 & s) { return dlogm(s); }},
                                         {"sqrtm",
                                          [](const SR2 & s) { return sqrtm(s); },
                                          [](const SR2 & s, const SR2 & e) { return dsqrtm(s, e); },
                                          [](const SR2 & s) { return dsqrtm(s); }},
                                         {"powm",
                                          [](const SR2 & s) { return powm(s, -1.3); },
                                          [](const SR2 & s, const SR2 & e)
                                          { return dpowm(s, -1.3, e); },
                                          [](const SR2 & s) { return dpowm(s, -1.3); }}};
  return all;
}
} // namespace

TEST_CASE("Matrix functions pass the battery", "[tensors][matrix_functions][cuda]")
{
  battery.check();
}

TEST_CASE("Derivatives are right between equal and nearly equal eigenvalues, on both paths",
          "[tensors][matrix_functions][autograd]")
{
  for (const double other : {0.0, 1e-9, 0.8})
  {
    const SR2 s = nearly_equal(other), tracked(s.detach().clone().requires_grad_());
    for (const auto & x : symmetric_functions())
    {
      INFO(x.name << " for a third eigenvalue " << other << " away");
      const auto close = [](const at::Tensor & a, const at::Tensor & b)
      { return at::allclose(a, b, 1e-12, 1e-12); };
      REQUIRE(close(x.f(s), x.f(tracked)));
      {
        const test::WithoutGradientRules composed;
        REQUIRE(close(x.f(s), x.f(tracked)));
        REQUIRE(close(x.along(s, direction), x.along(tracked, direction)));
        REQUIRE(close(x.derivative(s), x.derivative(tracked)));
      }
      REQUIRE(close(x.derivative(s) * direction, x.along(s, direction)));
      // The second derivative, by autograd and by differences of the fused first one
      const auto g = torch::autograd::grad(
          {x.f(tracked)}, {tracked}, {direction.expand(s.sizes())}, true, true)[0];
      REQUIRE(close(g, x.along(s, direction)));
      const auto second = torch::autograd::grad({g}, {tracked}, {direction.expand(s.sizes())})[0];
      const double h = 1e-4;
      for (int k = 0; k < 6; k++)
      {
        const SR2 step(h * at::eye(6, at::kDouble)[k]);
        const auto rise = x.along(s + step, direction) - x.along(s - step, direction);
        const auto slope = (core::raw(rise) * direction).sum(-1) / (2 * h);
        REQUIRE(at::allclose(second.select(-1, k), slope, 1e-6, 1e-6));
      }
    }
  }
}

TEST_CASE("A large direction or stiffness does not spoil the derivative",
          "[tensors][matrix_functions]")
{
  const SR2 s = nearly_equal(0.8), tracked(s.detach().clone().requires_grad_());
  for (const double factor : {1e-12, 1e12})
    for (const auto & x : symmetric_functions())
    {
      const SR2 e = direction * factor;
      REQUIRE(at::allclose(x.along(s, e), x.along(tracked, e), 1e-11, 1e-12 * factor));
    }
  REQUIRE(at::equal(dexpm(tracked, SR2::zeros()), at::zeros({9, 6}, at::kDouble)));
}

TEST_CASE("Roots and logarithms hold for all units and condition numbers, on both paths",
          "[tensors][matrix_functions]")
{
  for (const double unit : {1e-9, 1.0, 1e9})
    for (const double ratio : {1e-3, 1e-6, 1e-10})
    {
      const auto s = SR2::fill(1, ratio, 0.3, 0, 0, 0).rotate(Rot::fill(0.1, -0.2, 0.3)) * unit;
      const SR2 tracked(s.detach().clone().requires_grad_());
      const test::WithoutGradientRules composed;
      REQUIRE(at::allclose(sqrtm(tracked), sqrtm(s), 1e-10, 1e-15 / ratio * std::sqrt(unit)));
      REQUIRE(at::allclose(logm(tracked), logm(s), 1e-10, 1e-14 / ratio));
      REQUIRE(at::allclose(
          sqrtm(full(tracked)), full(sqrtm(s)), 1e-10, 1e-15 / ratio * std::sqrt(unit)));
    }
}

TEST_CASE("Functions outside their domain are NaN on both paths", "[tensors][matrix_functions]")
{
  const auto s = SR2(at::tensor({-1.0, 1.0,  2.0, 0.1, 0.2, 0.3, //
                                 -1.0, -1.0, 2.0, 0.0, 0.0, 0.0, //
                                 0.0,  1.0,  2.0, 0.0, 0.0, 0.0, //
                                 0.0,  0.0,  0.0, 0.0, 0.0, 0.0, //
                                 1.0,  2.0,  3.0, 0.0, 0.1, 0.0},
                                at::kDouble)
                         .reshape({5, 6}));
  const auto nan = at::tensor({1.0, 1.0, 1.0, 1.0, 0.0}, at::kDouble) == 1;
  for (const bool tracks : {false, true})
  {
    const test::WithoutGradientRules composed;
    const SR2 x(s.detach().clone().requires_grad_(tracks));
    const auto is_nan = [](const at::Tensor & t) { return t.isnan().any(-1); };
    REQUIRE(at::equal(is_nan(logm(x)), nan));
    REQUIRE(at::equal(is_nan(sqrtm(x)), nan));
    REQUIRE(at::equal(is_nan(powm(x, 0.5)), nan));
    REQUIRE(at::equal(is_nan(logm(full(x)).flatten(-2)), nan));
    REQUIRE(at::equal(is_nan(sqrtm(full(x)).flatten(-2)), nan));
    REQUIRE_FALSE(expm(x).isnan().any().item<bool>());
  }
}

TEST_CASE("Powers to numbers and to scalars are the same", "[tensors][matrix_functions]")
{
  const SR2 s = nearly_equal(0.8);
  REQUIRE(at::equal(powm(s, 0.3), powm(s, Scalar(0.3, kFloat64))));
  REQUIRE(at::equal(dpowm(s, 0.3, direction), dpowm(s, Scalar(0.3, kFloat64), direction)));
  REQUIRE(at::equal(dpowm(s, 0.3), dpowm(s, Scalar(0.3, kFloat64))));
  REQUIRE(at::allclose(powm(s, 2), sym(full(s) * full(s))));
  REQUIRE(at::allclose(powm(s, 0.5), sqrtm(s)));
}

namespace
{
at::Tensor
of_matrices(const std::string & name, const R2 & A)
{
  const R2 E(at::tensor(at::ArrayRef<double>(test::direction_of_references, 9), at::kDouble)
                 .reshape({3, 3}));
  if (name == "det")
    return core::raw(det(A)).unsqueeze(-1);
  const R2 r = name == "inv"              ? inv(A)
               : name == "polar_rotation" ? polar_rotation(A)
               : name == "right_stretch"  ? full(right_stretch(A))
               : name == "hencky_strain"  ? full(hencky_strain(A))
               : name == "sqrtm"          ? sqrtm(A)
               : name == "logm"           ? logm(A)
               : name == "expm"           ? expm(A)
               : name == "dsqrtm"         ? dsqrtm(A, E)
                                          : dlogm(A, E);
  return core::raw(r).flatten(-2);
}
} // namespace

TEST_CASE("Functions of a matrix are right to rounding times their condition, on both paths",
          "[tensors][matrix_functions]")
{
  std::map<std::string, std::vector<const test::MatrixReference *>> all;
  for (const test::MatrixReference & x : test::matrix_references)
    all[x.function].push_back(&x);
  for (const auto & [name, rows] : all)
  {
    std::vector<double> A;
    for (const auto * x : rows)
      A.insert(A.end(), x->A, x->A + 9);
    const auto n = int64_t(rows.size());
    const R2 batch(at::tensor(A, at::kDouble).reshape({n, 3, 3}));
    const R2 tracked(batch.detach().clone().requires_grad_());
    for (const bool composed : {false, true})
    {
      const test::WithoutGradientRules rules;
      const at::Tensor y = of_matrices(name, composed ? tracked : batch).detach();
      for (int64_t k = 0; k < n; k++)
      {
        const test::MatrixReference & x = *rows[size_t(k)];
        const auto f = at::tensor(at::ArrayRef<double>(x.f, name == "det" ? 1 : 9), at::kDouble);
        const double size = f.abs().max().item<double>(),
                     error = (y[k] / size - f / size).abs().max().item<double>(),
                     bound = 50 * 2.3e-16 * std::max(1.0, x.condition);
        INFO(name << (composed ? " composed" : " fused") << " of " << batch[k] << ": error "
                  << error << ", condition " << x.condition);
        REQUIRE((error <= bound || (std::isnan(error) && bound > 1)));
      }
    }
  }
}

TEST_CASE("The derivative of a power of a small tensor is that of one of size 1, to any order",
          "[tensors][matrix_functions][autograd]")
{
  const SR2 s = nearly_equal(0.8)[3];
  const auto derivatives = [&](double unit)
  {
    const SR2 x((core::raw(s) * unit).detach().requires_grad_());
    const auto g = torch::autograd::grad(
        {(core::raw(powm(x, 0.5)) * direction).sum()}, {x}, {}, true, true)[0];
    const auto h = torch::autograd::grad({(g * direction).sum()}, {x})[0];
    return std::make_pair(g.detach() * std::sqrt(unit), h * std::pow(unit, 1.5));
  };
  const auto [g, h] = derivatives(1);
  for (const double unit : {1e-14, 1e-9, 1e12})
  {
    const auto [a, b] = derivatives(unit);
    INFO("unit " << unit);
    REQUIRE(at::allclose(a, g, 1e-10, 1e-12));
    REQUIRE(at::allclose(b, h, 1e-9, 1e-11));
  }
}
} // namespace matrix_functions_test
