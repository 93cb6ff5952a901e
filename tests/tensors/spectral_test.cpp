// SPDX-License-Identifier: MIT
#include "neml2/tensors/spectral.h"
#include "support/battery.h"
#include "support/device.h"
#include "support/parity.h"
#include "support/reference.h"

#include "neml2/math/vmap.h"
#include "neml2/tensors/matrix_functions.h"
#include "support/catch.h"

namespace spectral_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::full_of;
using test::operation;
using test::stored_of;

namespace
{
/// Tensors whose eigenvalues are far from one another.
template <class T>
T
spread(const T & s)
{
  if (!s.defined() || !s.is_floating_point())
    return s;
  const auto by = at::eye(3, s.size(-1), s.options().requires_grad(false));
  return T(core::raw(s) + 3 * by[1] + 6 * by[2]);
}

at::Tensor
eigenvalues_of(const at::Tensor & s)
{
  return at::linalg_eigvalsh(full_of(spread(s)));
}

/// Every operation with a derivative rule.
const test::Table &
operations()
{
  static const std::vector<test::Operation> all{
      operation<SR2>(
          "eigenvalues",
          Accepts::floating,
          [](const SR2 & s) { return eigenvalues(spread(s)); },
          [](const Arguments & a) { return eigenvalues_of(a[0]); }),
      operation<Vec, R2>(
          "ieigh",
          Accepts::floating,
          [](const Vec & l, const R2 & V) { return linalg::ieigh(l, V); },
          [](const Arguments & a) {
            return stored_of(at::einsum("...k,...ik,...jk->...ij", {a[0], a[1], a[1]}));
          })};
  return all;
}

const test::Table &
others()
{
  static const std::vector<test::Operation> all{
      operation<SR2>(
          "eigh",
          Accepts::floating,
          [](const SR2 & s) { return linalg::eigh(spread(s)).first; },
          [](const Arguments & a) { return eigenvalues_of(a[0]); }),
      operation<SR2>(
          "eigh",
          Accepts::floating,
          [](const SR2 & s) { return linalg::eigh(spread(s)).second; },
          [](const Arguments & a)
          {
            const auto V = std::get<1>(at::linalg_eigh(full_of(spread(a[0]))));
            const auto i = V.abs().argmax(-2, true);
            auto signs = V.gather(-2, i).sign();
            const auto first = V * signs;
            return at::cat(
                {first.slice(-1, 0, 2),
                 first.slice(-1, 2, 3) * at::linalg_det(first).sign().unsqueeze(-1).unsqueeze(-1)},
                -1);
          }),
      operation<Vec, R2, Vec, Vec>(
          "dsptrf",
          Accepts::floating,
          [](const Vec & l, const R2 & V, const Vec & f, const Vec & df)
          { return linalg::dsptrf(spread(l), V, f, df); },
          [](const Arguments & a)
          {
            const auto l = spread(a[0]);
            const auto difference = [](const at::Tensor & x)
            { return x.unsqueeze(-1) - x.unsqueeze(-2); };
            const auto I = at::eye(3, at::kDouble);
            const auto theta =
                difference(a[2]) / (difference(l) + I) * (1 - I) + at::diag_embed(a[3]);
            const auto full = at::einsum("...mn,...im,...jn,...km,...ln->...ijkl",
                                         {theta, a[1], a[1], a[1], a[1]});
            return test::stored4_of(full);
          })};
  return all;
}

test::Table
all_operations()
{
  return test::together({operations(), test::without(test::own_rule, others())});
}
const test::Battery battery(all_operations);

/// Symmetric tensors of all kinds. (n; 6)
SR2
samples()
{
  const auto random = at::randn({40, 6}, at::kDouble);
  const auto integers = at::randn({40, 6}, at::kDouble).round();
  const auto graded = random * at::pow(10.0, -16 * at::rand({40, 6}, at::kDouble));
  const auto nearly = at::tensor({1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, at::kDouble) +
                      random * at::pow(10.0, -16 * at::rand({40, 1}, at::kDouble));
  return SR2(at::cat({random, integers, graded, nearly, at::zeros({1, 6}, at::kDouble)}, 0));
}

/// f(s) = Σ sinh(λ_k) v_k v_k with its derivative, as a user would write it.
const auto sinh_of = [](const SR2 & s)
{
  const auto [l, V] = linalg::eigh(s);
  return linalg::ieigh(Vec(core::raw(l).sinh()), V);
};
const auto dsinh_of = [](const SR2 & s)
{
  const auto [l, V] = linalg::eigh(s);
  return linalg::dsptrf(l, V, Vec(core::raw(l).sinh()), Vec(core::raw(l).cosh()));
};
} // namespace

TEST_CASE("A large batch on a device is decomposed as on the CPU", "[tensors][spectral][cuda]")
{
  at::manual_seed(1);
  const at::Tensor s = at::rand({2, 4099, 6}, kFloat64); // in parts of 4096
  std::vector<at::Tensor> found;
  for (const Device & device : {Device(kCPU), test::device()})
  {
    const at::AutoGradMode grad(true); // composed
    const SR2 x(s.to(device).requires_grad_(), 2);
    const auto [l, V] = linalg::eigh(x);
    const at::Tensor sum = (at::Tensor(l) * at::Tensor(l)).sum();
    found.push_back(l.detach().cpu());
    found.push_back(core::raw(V).detach().cpu());
    found.push_back(torch::autograd::grad({sum}, {x})[0].cpu());
  }
  for (size_t k = 0; k < 3; k++)
    REQUIRE(at::allclose(found[k + 3], found[k], 1e-12, 1e-12));
}

TEST_CASE("Spectral operations pass the battery", "[tensors][spectral][cuda]")
{
  battery.check();
}

TEST_CASE("Eigenvalues and eigenvectors make up the tensor, on both paths", "[tensors][spectral]")
{
  const SR2 s = samples();
  for (const auto dtype : {kFloat64, kFloat32})
    for (const bool tracked : {false, true})
    {
      const SR2 x(s.to(dtype).detach().clone().requires_grad_(tracked));
      const auto [l, V] = linalg::eigh(x);
      const double tolerance = dtype == kFloat64 ? 2e-15 : 1e-6;
      const auto scale = at::linalg_vector_norm(x, 2, at::IntArrayRef(-1), true);
      const auto error =
          at::linalg_vector_norm(core::raw(linalg::ieigh(l, V)) - x, 2, at::IntArrayRef(-1), true);
      REQUIRE((error <= 3 * tolerance * scale).all().item<bool>());
      REQUIRE(
          at::allclose(V.transpose() * V, R2::identity(dtype).expand(V.sizes()), 0, 3 * tolerance));
      REQUIRE(at::allclose(V.det(), at::ones({s.size(0)}, dtype), 0, 3 * tolerance));
      REQUIRE((core::raw(l).diff() >= 0).all().item<bool>());
      REQUIRE(at::allclose(eigenvalues(x), l, 0, 0) == !tracked);
      REQUIRE(at::allclose(principal_values(x), eigenvalues(x), 0, 0));
    }
}

TEST_CASE("A tensor that is not finite has no eigenvalues, and does not stop the others",
          "[tensors][spectral]")
{
  at::Tensor t = at::eye(3, at::kDouble).repeat({1, 2}).index_select(1, at::arange(6));
  t = at::cat({t, t, t}, 0).contiguous();
  t[1][2] = std::numeric_limits<double>::quiet_NaN();
  t[4][3] = std::numeric_limits<double>::infinity();
  for (const bool tracked : {false, true})
  {
    const auto [l, V] = eigh(SR2(t.clone().requires_grad_(tracked)));
    for (int i = 0; i < 9; i++)
    {
      const bool bad = i == 1 || i == 4;
      REQUIRE(l[i].isnan().all().item<bool>() == bad);
      REQUIRE(V[i].isnan().any().item<bool>() == bad);
    }
  }
}

TEST_CASE("The gradient of eigenvalues is defined between equal ones",
          "[tensors][spectral][autograd]")
{
  const SR2 s(SR2::fill(2.0, 2.0, 2.0).expand({2, 6}).clone().requires_grad_());
  const auto g = torch::autograd::grad({eigenvalues(s).sum()}, {s})[0];
  REQUIRE(at::allclose(g, SR2::identity().expand({2, 6})));
  const test::WithoutGradientRules composed;
  REQUIRE(at::allclose(torch::autograd::grad({eigenvalues(s).sum()}, {s})[0],
                       SR2::identity().expand({2, 6})));
}

TEST_CASE("A tensor function of the user has its derivative by dsptrf", "[tensors][spectral]")
{
  const auto Q = Rot::fill(0.3, 0.2, -0.4);
  for (const double gap :
       {0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1.0})
  {
    const auto s = SR2::fill(0.8, 0.8 + gap, 1.5, 0, 0, 0).rotate(Q);
    // sinh s = (e^s - e^-s) / 2
    REQUIRE(at::allclose(sinh_of(s), (expm(s) - expm(-s)) / 2, 1e-14, 1e-14));
    REQUIRE(at::allclose(
        dsinh_of(s), core::raw(dexpm(s)) / 2 + core::raw(dexpm(-s)) / 2, 1e-10, 1e-10));
    // The same in float32; the tolerance accounts for the rounding of the values.
    const auto single = s.to(kFloat32);
    REQUIRE(at::allclose(dsinh_of(single).to(kFloat64), core::raw(dsinh_of(s)), 1e-4, 1e-4));
    const SR2 tracked(s.detach().clone().requires_grad_());
    REQUIRE(at::allclose(dsinh_of(tracked), dsinh_of(s), 1e-10, 1e-10));
  }
  const Vec one(at::ones({3}, at::kDouble));
  REQUIRE(at::allclose(linalg::dsptrf(one, Q.euler_rodrigues(), one, one), SSR4::identity_sym()));
}

TEST_CASE("Formulas take eigenvalues and eigenvectors", "[tensors][spectral]")
{
  const SR2 s(samples().slice(0, 0, 40));
  const auto largest = vmap(
      [](auto x)
      {
        const auto e = eigh(x);
        return std::tuple(e.first, ieigh(e.first, e.second));
      },
      s);
  REQUIRE(at::equal(std::get<0>(largest), eigenvalues(s)));
  REQUIRE(at::allclose(std::get<1>(largest), s, 1e-14, 1e-14));
}
} // namespace spectral_test
