// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/neml2.h"
#include "neml2/packs/Pack.h"
#include "support/operation.h"

#include <torch/types.h>

#include "support/catch.h"

/// Every name in the table of docs/vmap.md, called in formulas: scripts/check_docs.py compares them. A formula must give the same
/// result on whole batches, on rows of packs, and on rows with derivatives.
namespace vocabulary_test
{
using namespace neml2;

namespace
{
using P = packs::Pack<1>;
using D = kernels::Dual<P, 1>;

double
plain(const P & x)
{
  return x.v;
}
double
plain(const D & x)
{
  return x.x.v;
}
/// The numbers of a formula's result for rows.
template <class R>
void
append(std::vector<double> & numbers, const R & row)
{
  if constexpr (kernels::is_row<R>::value)
    for (int i = 0; i < R::n; i++)
      numbers.push_back(plain(row[i]));
  else
    numbers.push_back(plain(row));
}
template <class... R>
void
append(std::vector<double> & numbers, const std::tuple<R...> & results)
{
  std::apply([&](const auto &... r) { (append(numbers, r), ...); }, results);
}

/// The numbers of entry k of its result for batches of three.
template <class R>
void
append_entry(std::vector<double> & numbers, const R & batch, int64_t k)
{
  if constexpr (std::is_arithmetic_v<R>)
    numbers.push_back(batch);
  else
  {
    const at::Tensor whole = batch.batch_expand({3}).detach();
    const at::Tensor entry = whole[k].contiguous().flatten();
    numbers.insert(
        numbers.end(), entry.data_ptr<double>(), entry.data_ptr<double>() + entry.numel());
  }
}
template <class... R>
void
append_entry(std::vector<double> & numbers, const std::tuple<R...> & results, int64_t k)
{
  std::apply([&](const auto &... r) { (append_entry(numbers, r, k), ...); }, results);
}

template <class T, class X>
auto
row_of(const at::Tensor & batch, int64_t k)
{
  const at::Tensor entry = batch[k].contiguous().flatten();
  auto row = packs::unset_row<T, X>();
  for (int64_t i = 0; i < entry.numel(); i++)
    packs::components(row)[i] = X(entry.data_ptr<double>()[i]);
  return row;
}

/// The difference between the formula on rows of numbers X and on batches.
template <class X, class... T, class F>
double
distance(const F & f, const T &... t)
{
  const auto composed = f(t...);
  double largest = 0;
  for (int64_t k = 0; k < 3; k++)
  {
    std::vector<double> found, expected;
    append(found, f(row_of<T, X>(t, k)...));
    append_entry(expected, composed, k);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); i++)
    {
      const double d = std::fabs(found[i] - expected[i]);
      INFO("number " << i << " of entry " << k << ": " << found[i] << " and " << expected[i]);
      REQUIRE(d < 1e-10 * (1 + std::fabs(expected[i])));
      largest = std::max(largest, d);
    }
  }
  return largest;
}

/// Checks that the formula gives the same result on rows and on batches, for tensors of types T for which every function is defined.
template <class... T, class F>
void
check(const F & f)
{
  at::manual_seed(1);
  const std::tuple<T...> t(T(test::values({3}, T::base_shape, at::kDouble))...);
  std::apply(
      [&](const auto &... a)
      {
        distance<P>(f, a...);
        distance<D>(f, a...);
      },
      t);
}
} // namespace

TEST_CASE("Arithmetic of formulas", "[math][vocabulary]")
{
  check<SR2, Scalar, R2, Vec, SSR4>(
      [](const auto & s, const auto & a, const auto & A, const auto & v, const auto & C)
      {
        return std::tuple(
            s + s - 2.0 * s / a, -(a * s), 1.0 / (a + 2.0), A * A, A * v, C * s, s * C, C * C);
      });
  check<Rot, Quaternion, R4, R2>([](const auto & r, const auto & q, const auto & T, const auto & A)
                                 { return std::tuple(r * r, q * q, T * A, A * T, T * T); });
}

TEST_CASE("Tensors of formulas", "[math][vocabulary]")
{
  check<SR2, SR2>(
      [](const auto & s, const auto & t)
      {
        return std::tuple(tr(s),
                          dev(s),
                          vol(s),
                          det(s),
                          inv(s),
                          transpose(s),
                          inner(s, t),
                          outer(s, t),
                          norm(s),
                          norm_sq(s),
                          unit(s),
                          full(s),
                          sym_kron(s, t),
                          cholesky(s));
      });
  check<R2, R2>(
      [](const auto & A, const auto & B)
      {
        return std::tuple(tr(A) + det(A) + inner(A, B),
                          vol(A) - dev(A),
                          inv(A),
                          transpose(A),
                          outer(A, B),
                          sym(A),
                          skew_part(A),
                          row(A, 1),
                          col(A, -1),
                          kron(A, B),
                          kron_transposed(A, B),
                          solve(A, B),
                          cholesky(A));
      });
  check<Vec, Vec, R2, Rot>(
      [](const auto & v, const auto & w, const auto & A, const auto & r)
      {
        return std::tuple(vdot(v, w),
                          cross(v, w),
                          outer(v, w),
                          self_outer(v),
                          skew(v),
                          rotate(v, A),
                          rotate(v, r),
                          drotate(v, A),
                          drotate(v, r),
                          solve(A, v));
      });
  check<SSR4, SR2, R2, R4>(
      [](const auto & C, const auto & s, const auto & A, const auto & T)
      {
        return std::tuple(inv(C),
                          det(C),
                          transpose_major(C),
                          solve(C, s),
                          cholesky(C),
                          rotate(C, A),
                          rotate(s, A),
                          drotate(s, A),
                          full(C),
                          transpose_minor(T),
                          sym(T));
      });
  check<R3, Vec>([](const auto & T, const auto & v) { return contract_k(T, v); });
}

TEST_CASE("Functions of tensors of formulas", "[math][vocabulary]")
{
  check<SR2>(
      [](const auto & s)
      {
        return std::tuple(
            I1(s), I2(s), I3(s), J2(s), J3(s), von_mises(s), hydrostatic(s), triaxiality(s));
      });
  check<SR2>(
      [](const auto & s)
      {
        const auto [l, V] = eigh(s);
        return std::tuple(lode_angle(s),
                          eigenvalues(s),
                          principal_values(s),
                          l,
                          ieigh(l, V),
                          isotropic([](const auto & x) { return x(0) * x(1) * x(2); }, s),
                          isotropic([](const auto & x) { return x * (x(0) + x(1) + x(2)); }, s));
      });
  check<SR2, SR2>(
      [](const auto & s, const auto & e)
      {
        return std::tuple(expm(s),
                          logm(s),
                          sqrtm(s),
                          powm(s, 0.3),
                          dexpm(s, e),
                          dlogm(s, e),
                          dsqrtm(s, e),
                          dpowm(s, 0.3, e));
      });
  check<R2>(
      [](const auto & F)
      {
        const auto [R, U] = polar(F);
        return std::tuple(R,
                          U,
                          polar_rotation(F),
                          nearest_rotation(F),
                          principal_stretches(F),
                          right_stretch(F),
                          left_stretch(F),
                          right_cauchy_green(F),
                          left_cauchy_green(F),
                          green_lagrange(F),
                          hencky_strain(F));
      });
  check<SR2, SSR4, R2>(
      [](const auto & s, const auto & C, const auto & F)
      {
        return std::tuple(push_forward(s, F),
                          pull_back(s, F),
                          push_forward_covariant(s, F),
                          pull_back_covariant(s, F),
                          push_forward(C, F),
                          pull_back(C, F));
      });
  check<SR2, SR2, WR2>(
      [](const auto & a, const auto & b, const auto & w)
      {
        return std::tuple(multiply_and_make_skew(a, b),
                          d_multiply_and_make_skew_d_first(b),
                          d_multiply_and_make_skew_d_second(a),
                          skew_and_sym_to_sym(a, w),
                          d_skew_and_sym_to_sym_d_sym(w),
                          d_skew_and_sym_to_sym_d_skew(a),
                          transpose(w));
      });
}

TEST_CASE("Functions of eigenvalues of formulas", "[math][vocabulary]")
{
  check<SR2, Scalar>(
      [](const auto & s, const auto & a)
      {
        const auto exponent = 6.0 + a;
        const std::tuple six(a, 0.5, 0.6, 1.5, 1.5, 1.0 + a);
        const std::tuple nine(a, 1.0, 0.9, 1.0, 1.0, 1.1, 1.0, 1.0, 1.0 + a),
            ones(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
        return std::tuple(isotropic([](const auto & l) { return l(2) * l(1) * l(0); }, s),
                          hill(s, six),
                          hosford(s, exponent),
                          drucker_prager(s, a),
                          mohr_coulomb(s, a),
                          yld2004(s, nine, ones, exponent));
      });
}

TEST_CASE("Stiffnesses of formulas", "[math][vocabulary]")
{
  check<Scalar, Scalar>(
      [](const auto & a, const auto & b)
      {
        const auto E1 = 10.0 + a, E2 = 12.0 + b, G = 5.0 + a, nu = 0.5 * b;
        return std::tuple(isotropic_E_nu(E1, nu),
                          isotropic_K_G(E1, G),
                          isotropic_lambda_mu(E1, G),
                          cubic(E2, a, G),
                          transversely_isotropic(E1, E2, nu, nu, G),
                          orthotropic(E1, E2, E1, nu, nu, nu, G, G, G));
      });
}

TEST_CASE("Rotations of formulas", "[math][vocabulary]")
{
  check<Rot, Rot, WR2>(
      [](const auto & r, const auto & p, const auto & w)
      {
        return std::tuple(inv(r),
                          rotate(p, r),
                          drotate(p, r),
                          drotate_self(p, r),
                          euler_rodrigues(r),
                          deuler_rodrigues(r),
                          exp_map(w),
                          dexp_map(w),
                          log_map(r),
                          shadow(r),
                          dshadow(r),
                          gdist(r, p),
                          dist(r, p));
      });
  check<Quaternion, Quaternion, Vec>(
      [](const auto & x, const auto & y, const auto & v)
      {
        const auto q = unit(x), p = unit(y);
        return std::tuple(conjugate(q),
                          rotation_matrix(q),
                          to_rot(q),
                          slerp(q, p, Scalar::fill(0.3, q)),
                          rotate(v, q),
                          log_map(q),
                          inv(q),
                          dist(q, p));
      });
}

TEST_CASE("Scalars of formulas", "[math][vocabulary]")
{
  check<Scalar, Scalar>(
      [](const auto & a, const auto & b)
      {
        return std::tuple(abs(-a),
                          sqrt(a) + cbrt(b),
                          exp(a) + log(b) + log10(a) + expm1(a) + log1p(b),
                          pow(a, b) + pow(a, 2.0) + pow(2.0, b),
                          sin(a) + cos(a) + tan(a),
                          asin(a) + acos(a) + atan(a) + atan2(a, b) + hypot(a, b),
                          sinh(a) + cosh(a) + tanh(a),
                          asinh(a) + acosh(1.0 + a) + atanh(a),
                          minimum(a, b) + maximum(a, b) + clamp(a, 0.2, 0.3),
                          sign(a) + heaviside(b) + macaulay(a - 0.2) + dmacaulay(a - 0.2),
                          fmod(a, 0.15),
                          deg2rad(a) + rad2deg(b));
      });
}

TEST_CASE("Choices, loops and components of formulas", "[math][vocabulary]")
{
  check<Scalar, SR2, Vec, R2, SSR4>(
      [](const auto & a, const auto & s, const auto & v, const auto & A, const auto & C)
      {
        auto x = 0.0 * a;
        for (int i = 0; i < 10; i++)
        {
          const auto below = x < a;
          if (!any(below) || all(x > 1.0))
            break;
          x = where(below, x + 0.1, x);
        }
        return std::tuple(x,
                          where((a > 0.2 && a <= 0.3) || !(a >= 0.25), s, 2.0 * s),
                          where(a == a, v(0), v(-1)),
                          s(0, 1) + s(3),
                          A(0, 2) + C(0, 1, 2, 2) + C(1, 5));
      });
}

namespace
{
class Slips : public PrimitiveTensor<Slips, 4>
{
public:
  static constexpr auto type_name = "Slips";
  using PrimitiveTensor::PrimitiveTensor;
};
class Hardening : public PrimitiveTensor<Hardening, 4, 4>
{
public:
  static constexpr auto type_name = "Hardening";
  using PrimitiveTensor::PrimitiveTensor;
};
} // namespace

TEST_CASE("Tensors are built in formulas", "[math][vocabulary]")
{
  check<Scalar, Scalar>(
      [](const auto & a, const auto & b)
      {
        return std::tuple(Vec::fill(a, 0.0, b),
                          SR2::fill(a),
                          SR2::fill(a, 1.0, 2),
                          SR2::fill(a, b, 0.0, 1.0, b, 2.0),
                          R2::fill(a, b, 1.0),
                          R2::fill(0.0, a, b, a, b, 1.0),
                          R2::fill(1.0, a, b, a, b, a, b, a, b),
                          Rot::fill(a, b, 0.0),
                          Quaternion::fill(1.0, a, b, 0.0),
                          SSR4::fill_C1_C2_C3(a, 0.0, b),
                          Slips::fill(a, b, 1.0, 2.0));
      });
  check<SR2, Scalar>(
      [](const auto & s, const auto & a)
      {
        const auto I = SR2::identity(s);
        return std::tuple(I,
                          R2::identity(s),
                          R2::identity(a),
                          SSR4::identity(s),
                          SSR4::identity_sym(s) * s,
                          SSR4::identity_vol(s) * s,
                          SSR4::identity_dev(s) * s,
                          SR2::fill(1.0, 2.0, 3.0, 0.5, 0.0, 0.0, s) * a,
                          Vec::fill(1.0, 2.0, 3.0, a),
                          Scalar::fill(0.5, s) * a,
                          WR2::fill(1, 2, 3, s));
      });
  check<Scalar, Hardening>(
      [](const auto & a, const auto & H)
      {
        const auto square = [](const auto & x, const auto & b) { return x * x - b; };
        const auto report = newton_report(square, 1.0, a);
        return std::tuple(newton(square, a, a),
                          report.solution,
                          report.iterations,
                          interpolate(a, std::array{0.0, 1.0, 2.0}, std::array{1.0, 3.0, 4.0}),
                          H * a);
      });
  check<SR2, Scalar>(
      [](const auto & s, const auto & a)
      {
        const auto energy = [](const auto & e, const auto & b) { return b * b * norm_sq(e); };
        const auto stress = [](const auto & e, const auto & b) { return b * tr(e) * e; };
        const auto [W, S] = value_and_gradient<0>(energy, s, a);
        const auto [T, C] = value_and_jacobian<0>(stress, s, a);
        return std::tuple(gradient<1>(energy, s, a),
                          hessian<0>(energy, s, a),
                          jacobian<1>(stress, s, a),
                          W,
                          S,
                          T,
                          C);
      });
  check<SR2, Scalar>(
      [](const auto & s, const auto & a)
      {
        const auto x = numbers_of(a, s);
        const scalar_of<decltype(s)> last = x[6];
        const auto [b, t] = tensors_of<Scalar, SR2>(x);
        return std::tuple(b, t, last);
      });
  check<Hardening, Slips>(
      [](const auto & H, const auto & g)
      { return std::tuple(solve(H, g), inv(H), det(H), cholesky(H), g(3) + H(1, 2)); });
}

TEST_CASE("Tensors that are built in a formula run fused, with derivatives", "[math][vocabulary]")
{
  const auto f = [](const auto & s, const auto & a)
  {
    const auto A = R2::identity(s) + full(SR2::fill(s(0, 0), a, 1.0));
    return A * Vec::fill(tr(s), 0.5, a);
  };
  const SR2 s(test::values({4, 1}, {6}, at::kDouble));
  const Scalar a(test::values({3}, {}, at::kDouble));
  const auto [v, dv] = value_and_jacobian<0>(f, s, a);
  REQUIRE(at::equal(v, vmap(f, s, a)));
  REQUIRE(at::allclose(v, f(s, a)));
  const SR2 ds(at::rand({4, 1, 6}, at::kDouble));
  const at::Tensor slope = (f(s + 1e-6 * ds, a) - f(s - 1e-6 * ds, a)) / 2e-6;
  REQUIRE(at::allclose(at::matmul(dv, ds.unsqueeze(-1)).squeeze(-1), slope, 1e-8, 1e-8));
}

TEST_CASE("Numbers among the values of fill have the dtype of the others", "[math][vocabulary]")
{
  const Scalar a = Scalar::full({2, 1}, 0.5, kFloat32), b = Scalar::full({3}, 2.0, kFloat32);
  const SR2 s = SR2::fill(a, 1, b, 0.0, a, 0.25);
  REQUIRE(s.scalar_type() == kFloat32);
  REQUIRE(s.batch_sizes() == TensorShape{2, 3});
  REQUIRE(at::equal(s, SR2::fill(0.5, 1, 2, 0, 0.5, 0.25, kFloat32).batch_expand({2, 3})));
  REQUIRE(SR2::identity(s).scalar_type() == kFloat32);
  REQUIRE(SR2::identity(s).batch_dim() == 0);
  REQUIRE(at::equal(SSR4::identity_dev(s), SSR4::identity_dev(kFloat32)));
  REQUIRE(at::equal(R2::fill(1.0, 2.0, 3.0, s), R2::fill(1, 2, 3, kFloat32)));
  REQUIRE(Vec::fill(Scalar::full({2}, 1, kInt64), 2, 3).scalar_type() == kInt64);
  REQUIRE_THROWS_AS(SR2::fill(Scalar(), 1.0, 2.0), NEMLException);
  // A factor that is tracked keeps its gradient
  const Scalar k = Scalar(at::full({2}, 0.5, at::kDouble).requires_grad_());
  REQUIRE(Vec::fill(k, 1.0, 0.0).requires_grad());
}
} // namespace vocabulary_test
