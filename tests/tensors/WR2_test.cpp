// SPDX-License-Identifier: MIT
#include "neml2/tensors/WR2.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/parity.h"
#include "support/quaternion.h"
#include "support/rotation.h"

#include <cmath>

#include "neml2/kernels/Dual.h"
#include "support/catch.h"

using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// W_ij of axial vectors. (..., 3) -> (..., 3, 3)
at::Tensor
matrix_of(const at::Tensor & w)
{
  return -at::einsum("ijk,...k->...ij", {test::permutation(), w});
}

/// Axial vectors of skew parts. (..., 3, 3) -> (..., 3)
at::Tensor
axial_of(const at::Tensor & A)
{
  return -0.5 * at::einsum("kij,...ij->...k", {test::permutation(), A});
}

/// w tan(|w| / 4) / |w|
at::Tensor
turn_of(const at::Tensor & w)
{
  const auto theta = at::sqrt((w * w).sum(-1, true));
  return w * at::tan(theta / 4) / theta;
}

/// Angles up to √3 and, three times as large, on both sides of the switch to the series.
template <int Factor>
at::Tensor
times(const at::Tensor & w)
{
  return w.defined() && w.is_floating_point() ? w * Factor : w;
}

template <int Factor>
void
add_maps(test::Table & o)
{
  o.push_back(operation<WR2>(
      "exp_map",
      Accepts::floating,
      [](const WR2 & w) { return WR2(times<Factor>(w)).exp_map(); },
      [](const Arguments & a) { return turn_of(times<Factor>(a[0])); }));
  o.push_back(operation<WR2>(
      "dexp_map",
      Accepts::floating,
      [](const WR2 & w) { return WR2(times<Factor>(w)).dexp_map(); },
      [](const Arguments & a) { return test::jacobian(turn_of, times<Factor>(a[0])); }));
  o.push_back(operation<Rot>(
      "log_map",
      Accepts::floating,
      [](const Rot & r) { return Rot(times<Factor>(r)).log_map(); },
      [](const Arguments & a)
      {
        const auto r = times<Factor>(a[0]), n = at::sqrt((r * r).sum(-1, true));
        return 4 * at::atan(n) * r / n;
      }));
}

/// Every operation that is a fused one of WR2's own.
const test::Table &
operations()
{
  static const test::Table all = []
  {
    test::Table o{operation<R2>(
        "skew_part",
        Accepts::floating,
        [](const R2 & A) { return WR2(A); },
        [](const Arguments & a) { return axial_of(a[0]); })};
    add_maps<1>(o);
    add_maps<3>(o);
    return o;
  }();
  return all;
}

/// Operations that are those of the axial vector.
const test::Table &
others()
{
  static const std::vector<test::Operation> all{
      operation<WR2, Rot>(
          "rotate",
          Accepts::floating,
          [](const WR2 & w, const Rot & r) { return w.rotate(r); },
          [](const Arguments & a)
          { return axial_of(test::rotated2(matrix_of(a[0]), test::rotation_of(a[1]))); }),
      operation<WR2, R2>(
          "R2 * Vec",
          Accepts::numbers,
          [](const WR2 & w, const R2 & R) { return w.rotate(R); },
          [](const Arguments & a) { return test::rotated(a[0], a[1]); }),
      operation<WR2, Rot>(
          "drotate",
          Accepts::floating,
          [](const WR2 & w, const Rot & r) { return w.drotate(r); },
          [](const Arguments & a)
          {
            const auto turned = [&](const at::Tensor & r)
            {
              const auto q = test::quaternion_of(r), v = at::zeros_like(q);
              auto p = at::cat({at::zeros_like(a[0].slice(-1, 0, 1)), a[0]}, -1);
              const auto back = at::cat({q.slice(-1, 0, 1), -q.slice(-1, 1, 4)}, -1);
              p = test::quaternion_product(test::quaternion_product(q, p), back);
              return p.slice(-1, 1, 4);
            };
            return test::jacobian(turned, a[1]);
          }),
      operation<WR2, Vec>(
          "inner",
          Accepts::numbers,
          [](const WR2 & w, const Vec & v) { return w.dot(v); },
          [](const Arguments & a) { return (a[0] * a[1]).sum(-1); }),
      operation<WR2>(
          "norm_sq",
          Accepts::numbers,
          [](const WR2 & w) { return w.norm_sq(); },
          [](const Arguments & a) {
            return at::einsum("...ij,...ij->...", {matrix_of(a[0]), matrix_of(a[0])}) / 2;
          }),
      operation<WR2>(
          "norm",
          Accepts::floating,
          [](const WR2 & w) { return w.norm(); },
          [](const Arguments & a) { return at::sqrt((a[0] * a[0]).sum(-1)); }),
      operation<WR2, WR2>(
          "cross",
          Accepts::numbers,
          [](const WR2 & w, const WR2 & v) { return w.cross(v); },
          [](const Arguments & a)
          {
            const auto W = matrix_of(a[0]), V = matrix_of(a[1]);
            return axial_of(at::matmul(W, V) - at::matmul(V, W));
          }),
      operation<WR2, Vec>(
          "outer",
          Accepts::numbers,
          [](const WR2 & w, const Vec & v) { return w.outer(v); },
          [](const Arguments & a) {
            return at::einsum("...i,...j->...ij", {a[0], a[1]});
          }),
      operation<WR2>(
          "skew",
          Accepts::numbers,
          [](const WR2 & w) { return full(w); },
          [](const Arguments & a) { return matrix_of(a[0]); }),
      operation<WR2>(
          "()",
          Accepts::any,
          [](const WR2 & w) { return w(0, 2); },
          [](const Arguments & a) { return matrix_of(a[0]).select(-2, 0).select(-1, 2); }),
      operation<WR2>(
          "transpose",
          Accepts::any,
          [](const WR2 & w) { return w.transpose(); },
          [](const Arguments & a) { return axial_of(matrix_of(a[0]).transpose(-1, -2)); }),
      operation<Scalar, Scalar, Scalar>(
          "WR2::fill",
          Accepts::any,
          [](const auto &... a) { return WR2::fill(a...); },
          [](const Arguments & a) { return at::stack(a, -1); })};
  return all;
}

test::Table
all_operations()
{
  return test::together({operations(), test::without(test::fused_path, others())});
}
const test::Battery battery(all_operations);

const WR2 w = WR2::fill(0.3, -0.4, 0.5); // of the check values

/// Equal to the eight digits of the check values.
bool
is(const at::Tensor & x, const std::vector<double> & expected)
{
  return at::allclose(x.flatten(), at::tensor(expected, at::kDouble), 0, 5.1e-9);
}

/// Angles in (0, 2π), close to the switch of the series and to the ends.
const std::vector<double> angles{1e-200,
                                 1e-12,
                                 1e-6,
                                 1e-3,
                                 0.1,
                                 0.7,
                                 1 - 1e-15,
                                 1.0,
                                 1.0001,
                                 1.5,
                                 2.0,
                                 3.0,
                                 3.14,
                                 4.71,
                                 6.0,
                                 6.28};

/// The axis (2, -3, 6) / 7 times each angle. (n; 3)
WR2
of_angles(const std::vector<double> & theta)
{
  return at::tensor(theta, at::kDouble).unsqueeze(-1) *
         at::tensor({2.0 / 7, -3.0 / 7, 6.0 / 7}, at::kDouble);
}
} // namespace

TEST_CASE("Operations of WR2 pass the battery", "[tensors][WR2][cuda]")
{
  battery.check();
}

TEST_CASE("WR2 has the check values of the reference", "[tensors][WR2]")
{
  const WR2 skew = R2::fill(1, 2, 3, 4, 5, 6, 7, 8, 10);
  REQUIRE(is(skew, {1, -2, 1}));
  REQUIRE(is(w.exp(), {0.07579114, -0.10105485, 0.12631857}));
  REQUIRE(is(w.dexp(),
             {0.25359853,
              -0.00128185,
              0.00160232,
              -0.00128185,
              0.25434627,
              -0.00213642,
              0.00160232,
              -0.00213642,
              0.25530766}));
}

TEST_CASE("The components of a WR2 are those of its matrix", "[tensors][WR2]")
{
  const WR2 x(at::rand({2, 4, 3}, at::kDouble));
  const R2 W = full(x);
  for (int i = -3; i < 3; i++)
    for (int j = -3; j < 3; j++)
      REQUIRE(at::equal(x(i, j), W(i, j)));
  REQUIRE(at::equal(x(1), W(0, 2)));
  REQUIRE(test::error_of([&] { x(3, 0); }).find("index 3 is out of range") != std::string::npos);
  REQUIRE(test::error_of([&] { x(0, -4); }).find("index -4 is out of range") != std::string::npos);
  const Vec v = Vec::fill(1, 2, 3);
  REQUIRE(at::allclose(W * v, cross(Vec(x), v))); // W v = w × v
  REQUIRE(at::allclose(R2(x), W));
  REQUIRE(at::allclose(WR2(W), x));
}

TEST_CASE("A skew tensor has no trace, no determinant and no volumetric part", "[tensors][WR2]")
{
  const WR2 x(at::rand({2, 4, 3}, at::kDouble));
  REQUIRE(at::equal(x.tr(), at::zeros({2, 4}, at::kDouble)));
  REQUIRE(at::equal(x.det(), at::zeros({2, 4}, at::kDouble)));
  REQUIRE(at::allclose(full(x).det(), x.det(), 0, 1e-15));
  REQUIRE(at::equal(x.vol(), at::zeros({2, 4, 3}, at::kDouble)));
  REQUIRE(at::equal(x.dev(), x));
  REQUIRE(at::equal(full(x.transpose()), full(x).transpose()));
  for (const auto & message : {test::error_of([] { WR2().tr(); }),
                               test::error_of([] { WR2().det(); }),
                               test::error_of([] { WR2().vol(); }),
                               test::error_of([] { WR2().dev(); })})
    REQUIRE(message.find("undefined tensor") != std::string::npos);
}

TEST_CASE("The derivative of a turned WR2 by the matrix is δ_ij w_k", "[tensors][WR2]")
{
  const WR2 x(at::rand({2, 1, 3}, at::kDouble));
  const R2 R(at::rand({5, 3, 3}, at::kDouble));
  const auto expected = at::einsum("ij,...k->...ijk", {at::eye(3, at::kDouble), x});
  REQUIRE(at::equal(x.drotate(R), expected.expand({2, 5, 3, 3, 3})));
}

// ---- The exponential map -----------------------------------------------------------------------

TEST_CASE("The exponential map gives the rotation of the matrix exponential", "[tensors][WR2]")
{
  const auto x = of_angles({0.0, 1e-9, 0.3, 1.0, 3.0, 6.2, 2 * M_PI, 7.0, 9.5, 12.0});
  const auto R = x.exp_map().euler_rodrigues();
  REQUIRE(at::allclose(R, at::matrix_exp(full(x)), 0, 1e-13));
  // A turn by 2π has no finite parameters, but its matrix is the identity
  REQUIRE(x.exp_map().norm().select(0, 6).item<double>() > 1e14);
}

TEST_CASE("The exponential map and its derivative are exact to rounding", "[tensors][WR2]")
{
  for (const double theta : angles)
  {
    const long double t = theta, u = t / 4, tangent = std::tan(u), g = tangent / t;
    const long double square = t * t, u2 = u * u;
    // 0.001 in long double leaves the quotient 1e-13 of itself
    const long double h = theta < 1e-2 ? (1.0L / 96) * (1 + u2 * (4.0L / 5 + u2 * 17.0L / 35))
                                       : ((1 + tangent * tangent) / 4 - g) / square;
    const kernels::WR2<double> x(0, theta, 0);
    const auto r = kernels::exp_map(x);
    REQUIRE(std::abs(double((r[1] - t * g) / (t * g))) < 5e-16);
    const auto D = kernels::dexp_map(x);
    const double scale = std::max(1.0, double(g + h * square));
    REQUIRE(std::abs(double(D(0, 0) - g)) < 1e-15 * scale);
    REQUIRE(std::abs(double(D(1, 1) - (g + h * square))) < 1e-15 * scale * scale);
    const auto E = kernels::dexp_map(kernels::WR2<double>(0.6 * theta, 0, 0.8 * theta));
    REQUIRE(std::abs(double(E(0, 2) - 0.48L * h * square)) < 1e-15 * scale * scale);
  }
  REQUIRE(at::equal(WR2::zeros().exp_map(), at::zeros({3}, at::kDouble)));
  REQUIRE(at::equal(WR2::zeros().dexp_map(), at::eye(3, at::kDouble) / 4));
  const auto tiny = WR2::fill(1e-12, 0, 0);
  REQUIRE(at::allclose(tiny.exp_map(), Rot::fill(2.5e-13, 0, 0), 1e-15, 0));
  REQUIRE(at::allclose(tiny.dexp_map(), at::eye(3, at::kDouble) / 4, 1e-15, 0));
}

TEST_CASE("The derivative of the exponential map is that of autograd and of dual numbers",
          "[tensors][WR2][autograd]")
{
  const auto x = of_angles(angles);
  const auto expected = x.dexp_map();
  const auto close = [](const at::Tensor & a, const at::Tensor & b)
  { return at::allclose(a, b, 1e-13, 1e-15); };
  REQUIRE(
      close(test::jacobian([](const at::Tensor & z) { return WR2(z).exp_map(); }, x), expected));
  {
    const test::WithoutGradientRules composed;
    REQUIRE(
        close(test::jacobian([](const at::Tensor & z) { return WR2(z).exp_map(); }, x), expected));
  }
  using Dual = kernels::Dual<double, 3>;
  for (int64_t n = 0; n < x.size(0); n++)
  {
    kernels::WR2<Dual> z;
    for (int i = 0; i < 3; i++)
    {
      z[i] = Dual(x[n][i].item<double>());
      z[i].d[i] = 1;
    }
    const auto r = kernels::exp_map(z);
    const auto back = kernels::log_map(r);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
      {
        const double d = expected[n][i][j].item<double>();
        REQUIRE(std::abs(r[i].d[j] - d) <= 1e-15 + 1e-13 * std::abs(d));
        // log_map(exp_map(w)) = w; close to 2π rounding of r is large
        if (angles[size_t(n)] < 6.1)
          REQUIRE(std::abs(back[i].d[j] - (i == j)) < 1e-12);
      }
  }
}

TEST_CASE("Derivatives of the exponential map and its inverse are finite and right at 0",
          "[tensors][WR2][autograd]")
{
  const test::WithoutGradientRules composed;
  const auto zeros = at::zeros({1, 3}, at::kDouble);
  const auto up = [&](const std::function<at::Tensor(const at::Tensor &)> & f, int order)
  {
    const auto z = zeros.detach().requires_grad_();
    auto y = f(z).select(-1, 0).sum();
    at::Tensor g;
    for (int k = 0; k < order; k++)
    {
      g = torch::autograd::grad({y}, {z}, {}, true, /*create_graph=*/true)[0];
      y = g.sum();
    }
    return g.flatten();
  };
  const auto exp = [](const at::Tensor & z) { return WR2(z).exp_map(); };
  const auto log = [](const at::Tensor & z) { return Rot(z).log_map(); };
  REQUIRE(at::equal(up(exp, 1), at::tensor({0.25, 0.0, 0.0}, at::kDouble)));
  REQUIRE(at::equal(up(exp, 2), at::zeros({3}, at::kDouble)));
  REQUIRE(at::equal(up(log, 1), at::tensor({4.0, 0.0, 0.0}, at::kDouble)));
  REQUIRE(at::equal(up(log, 2), at::zeros({3}, at::kDouble)));
  // exp(w) = w (1/4 + w·w / 192 + ...), whose third derivatives along (1, 1, 1) of r_0 are these
  REQUIRE(at::allclose(up(exp, 3), at::tensor({10.0, 4.0, 4.0}, at::kDouble) / 192));
}

TEST_CASE("The logarithm of a rotation is the inverse of the exponential", "[tensors][WR2]")
{
  const auto x = of_angles({0.0, 1e-200, 1e-9, 0.3, 0.99, 1.0, 1.01, 3.0, 3.2, 6.0});
  REQUIRE(at::allclose(x.exp_map().log_map(), x, 1e-13, 0));
  const Rot r(at::rand({50, 3}, at::kDouble) * 3);
  REQUIRE(at::allclose(r.log_map().exp_map(), r, 1e-13, 0));
  REQUIRE(at::allclose(r.log_map().norm(), r.angle(), 1e-14, 0));
  const Rot floats = r.to(kFloat32);
  REQUIRE(at::allclose(floats.log_map().exp_map(), floats, 1e-5, 0));
}

TEST_CASE("The functions of WR2 under other names are the same", "[tensors][WR2]")
{
  const Rot r = Rot::fill(0.1, -0.2, 0.3);
  const R2 R = r.euler_rodrigues();
  REQUIRE(at::equal(exp_map(w), w.exp()));
  REQUIRE(at::equal(w.exp_map(), w.exp()));
  REQUIRE(at::equal(dexp_map(w), w.dexp()));
  REQUIRE(at::equal(w.dexp_map(), w.dexp()));
  REQUIRE(at::equal(log_map(r), r.log_map()));
  REQUIRE(at::equal(skew_part(R), WR2(R)));
  REQUIRE(at::equal(rotate(w, r), w.rotate(r)));
  REQUIRE(at::equal(rotate(w, R), w.rotate(R)));
  REQUIRE(at::equal(inner(w, WR2(r)), w.inner(r)));
  REQUIRE(at::equal(norm(w), w.norm()));
  REQUIRE(at::equal(norm_sq(w), w.norm_sq()));
  REQUIRE(at::equal(tr(w), w.tr()));
  REQUIRE(at::equal(det(w), w.det()));
  REQUIRE(at::equal(vol(w), w.vol()));
  REQUIRE(at::equal(dev(w), w.dev()));
  REQUIRE(at::equal(transpose(w), w.transpose()));
  REQUIRE(at::equal(WR2::identity_map(), at::eye(3, at::kDouble)));
  REQUIRE(at::equal(WR2::fill(1, 2, 3, kFloat32), at::tensor({1.0f, 2.0f, 3.0f})));
}
