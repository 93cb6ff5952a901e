// SPDX-License-Identifier: MIT
#include "neml2/math/jacobian.h"

#include "neml2/math/vmap_out.h"
#include "neml2/tensors/tensors.h"
#include "support/errors.h"
#include "support/formulas.h"

#include <ATen/ops/_add_batch_dim.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/types.h>

#include "support/catch.h"

namespace jacobian_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::difference;
using test::error_of;
using torch::autograd::grad;

namespace
{
struct Nothing : PrimitiveTensor<Nothing, 0>
{
  static constexpr auto type_name = "Nothing";
  using PrimitiveTensor::PrimitiveTensor;
};

at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::rand(shape, kFloat64).add(0.5).to(dtype);
}

/// All components of each batch entry. (n, ...) -> (n, m)
at::Tensor
listed(const at::Tensor & t)
{
  return t.dim() == 1 ? t.unsqueeze(-1) : t.flatten(1);
}

/// Value and Jacobian as a function of the one argument by which the Jacobian is taken.
struct Differentiated
{
  std::function<at::Tensor(const at::Tensor &)> value;
  std::function<std::pair<at::Tensor, at::Tensor>(const at::Tensor &)> both;
};

template <class X, class F>
Differentiated
differentiated(const F & f)
{
  return {[f](const at::Tensor & x) -> at::Tensor { return f(X(x)); },
          [f](const at::Tensor & x)
          {
            const auto r = value_and_jacobian<0>(f, X(x));
            return std::pair<at::Tensor, at::Tensor>(r.first, r.second);
          }};
}

/// ∂y/∂x of batches of x by central differences. (n, x) -> (n, y, x)
at::Tensor
quotient(const Differentiated & f, const at::Tensor & x)
{
  constexpr double h = 1e-5;
  const at::Tensor columns = listed(x);
  std::vector<at::Tensor> by;
  for (Size i = 0; i < columns.size(1); i++)
  {
    const auto shifted = [&](double step)
    {
      const at::Tensor z = columns.clone();
      z.select(1, i).add_(step);
      return listed(f.value(z.view(x.sizes())));
    };
    by.push_back((shifted(h) - shifted(-h)) / (2 * h));
  }
  return torch::stack(by, -1);
}

/// ∂y/∂x by autograd, one component of y after the other.
at::Tensor
by_autograd(const Differentiated & f, const at::Tensor & x)
{
  const auto z = x.detach().requires_grad_();
  const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
  const at::Tensor y = listed(f.value(z));
  std::vector<at::Tensor> rows;
  for (Size i = 0; i < y.size(1); i++)
  {
    const auto g = y.requires_grad() ? grad({y.select(1, i).sum()}, {z}, {}, true, false, true)[0]
                                     : at::Tensor();
    rows.push_back(listed(g.defined() ? g : torch::zeros_like(z)));
  }
  return torch::stack(rows, 1);
}

/// Whether the fused and the composed Jacobian agree with central differences and autograd.
test::Verdict
is_right(const Differentiated & f, const at::Tensor & x)
{
  for (const auto & batch : {x, x.slice(0, 0, 1), x.slice(0, 0, 0), x.repeat_interleave(13, 0)})
  {
    const auto [value, jacobian] = f.both(batch);
    const at::Tensor flat =
        jacobian.reshape({batch.size(0), listed(value).size(1), listed(batch).size(1)});
    if (const auto d = difference(value, f.value(batch), 1e-13); !d.empty())
      return test::no("The value has ", d);
    if (const auto d = difference(flat, quotient(f, batch), 1e-7); !d.empty())
      return test::no("The Jacobian and its difference quotient have ", d);
    if (const auto d = difference(flat, by_autograd(f, batch), 1e-10); !d.empty())
      return test::no("The Jacobian and autograd's have ", d);
    const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
    const auto [v, j] = f.both(batch);
    if (const auto d = difference(v, value, 1e-12) + difference(j, jacobian, 1e-10); !d.empty())
      return test::no("The composed path has ", d);
  }
  return {};
}

/// Values at which all formulas below are smooth. (5, base)
at::Tensor
values(TensorShapeRef base)
{
  return test::values({5}, base, kFloat64);
}

template <class Expected, class Found>
bool
is(const Found &)
{
  return std::is_same_v<Expected, Found>;
}

/// Checks the type, the shape and the values of the Jacobian of f by its argument.
template <class J, class X, class F>
void
require(const F & f, const char * shape)
{
  const X x(values(X::const_base_sizes));
  const auto r = value_and_jacobian<0>(f, x);
  INFO("by " << X::type_name);
  REQUIRE(is<J>(r.second));
  REQUIRE(described(r.second) == shape);
  REQUIRE(r.second.batch_dim() == 1);
  REQUIRE(is_right(differentiated<X>(f), x));
}
} // namespace

TEST_CASE("Jacobians have the type of their base shape, and are right", "[math][jacobian]")
{
  const auto root = [](auto a) { return sqrt(a) * exp(a) + pow(a, 2.5); };
  require<Scalar, Scalar>(root, "Scalar (5;)");
  require<Vec, Vec>([](auto v) { return norm(v); }, "Vec (5; 3)");
  require<R2, R2>([](auto A) { return det(A); }, "R2 (5; 3, 3)");
  require<SR2, SR2>([](auto s) { return norm(dev(s)) + det(s); }, "SR2 (5; 6)");
  require<SSR4, SSR4>([](auto C) { return norm_sq(C); }, "SSR4 (5; 6, 6)");

  require<R2, Vec>([](auto v) { return cross(v, norm(v) * v + 1.0); }, "R2 (5; 3, 3)");
  require<R3, Vec>([](auto v) { return outer(v, v) * skew(v) + norm(v) * skew(v); },
                   "R3 (5; 3, 3, 3)");
  require<SSR4, SR2>([](auto s) { return inv(s) + tr(s) * s; }, "SSR4 (5; 6, 6)");
  require<Tensor, Vec>([](auto v) { return self_outer(v) / norm(v); }, "Tensor (5; 6, 3)");
  require<R4, R2>([](auto A) { return inv(A) * A * A; }, "R4 (5; 3, 3, 3, 3)");
  require<Tensor, R2>([](auto A) { return sym(A * A); }, "Tensor (5; 6, 3, 3)");
  require<Tensor, SR2>([](auto s) { return full(s) * full(s); }, "Tensor (5; 3, 3, 6)");
  require<Tensor, SR2>([](auto s) { return outer(s, s); }, "Tensor (5; 6, 6, 6)");

  // by a scalar the Jacobian has the shape of the value; all points share the other argument
  const auto by_scalar = [](const auto & fixed, auto f, const char * shape)
  {
    using Y = std::decay_t<decltype(fixed)>;
    const Scalar a(values({}));
    const auto [value, jacobian] = value_and_jacobian<1>(f, fixed, a);
    REQUIRE(is<Y>(value));
    REQUIRE(is<Y>(jacobian));
    REQUIRE(described(jacobian) == shape);
    REQUIRE(torch::allclose(jacobian, at::Tensor(value * 2.0 / a), 1e-12, 1e-12));
  };
  const auto square = [](auto x, auto a) { return a * a * x; };
  by_scalar(Vec(random({3})), square, "Vec (5; 3)");
  by_scalar(R2(random({3, 3})), square, "R2 (5; 3, 3)");
  by_scalar(SR2(random({6})), square, "SR2 (5; 6)");
  by_scalar(SSR4(random({6, 6})), square, "SSR4 (5; 6, 6)");
}

TEST_CASE("the Jacobian by any argument, of any result", "[math][jacobian]")
{
  const SSR4 C(values({6, 6}));
  const SR2 e(values({6})), s(values({6}));
  const auto f = [](auto K, auto a, auto b) { return std::tuple(K * a, inner(a, b), K, 2.0); };
  const auto [value, jacobian] = value_and_jacobian<1>(f, C, e, s);
  REQUIRE(is<std::tuple<SR2, Scalar, SSR4, Scalar>>(value));
  REQUIRE(is<std::tuple<SSR4, SR2, Tensor, SR2>>(jacobian));
  REQUIRE(torch::allclose(std::get<0>(value), C * e));
  REQUIRE(torch::equal(std::get<2>(value), C));
  REQUIRE(torch::equal(std::get<3>(value), torch::full({5}, 2., kFloat64)));
  REQUIRE(torch::allclose(std::get<0>(jacobian), C));
  REQUIRE(torch::allclose(std::get<1>(jacobian), s));
  REQUIRE(described(std::get<2>(jacobian)) == "Tensor (5; 6, 6, 6)");
  REQUIRE(torch::equal(std::get<2>(jacobian), torch::zeros({5, 6, 6, 6}, kFloat64)));
  REQUIRE(torch::equal(std::get<3>(jacobian), torch::zeros({5, 6}, kFloat64)));

  const auto by_last = value_and_jacobian<2>(f, C, e, s).second;
  REQUIRE(torch::equal(std::get<0>(by_last), torch::zeros({5, 6, 6}, kFloat64)));
  REQUIRE(torch::allclose(std::get<1>(by_last), e));

  const auto [stress, by_C] = value_and_jacobian<0>([](auto K, auto a) { return K * a; }, C, e);
  REQUIRE(described(by_C) == "Tensor (5; 6, 6, 6)");
  REQUIRE(torch::allclose(by_C,
                          torch::einsum("ij,nk->nijk", {torch::eye(6, kFloat64), at::Tensor(e)})));
}

TEST_CASE("every batch entry has its own Jacobian where arguments are broadcast",
          "[math][jacobian]")
{
  const auto f = [](auto k, auto s) { return k * inner(s, s); };
  for (const auto dtype : {kFloat64, kFloat32})
    for (const Size n : {1, 31, 32, 33, 300})
    {
      const Scalar k(random({4, 1}, dtype));
      const SR2 s(random({n, 6}, dtype));
      const auto [value, by_s] = value_and_jacobian<1>(f, k, s);
      const auto by_k = value_and_jacobian<0>(f, k, s).second;
      REQUIRE((by_s.dtype() == dtype && by_k.dtype() == dtype && value.dtype() == dtype));
      REQUIRE(torch::allclose(by_s, at::Tensor(2 * k * s), 1e-6));
      REQUIRE(torch::allclose(by_k, at::Tensor(s.norm_sq()).expand({4, n}), 1e-6));
      REQUIRE(torch::allclose(value, k * s.norm_sq(), 1e-6));
    }
  const auto [v, j] = value_and_jacobian<1>(f, 2.0, SR2(random({3, 6})).batch_expand({4, 3}));
  REQUIRE(described(j) == "SR2 (4, 3; 6)");
  REQUIRE(described(value_and_jacobian<1>(f, Scalar::ones({0}), SR2::ones({1})).second) ==
          "SR2 (0; 6)");
  REQUIRE(described(value_and_jacobian<1>(f, Scalar::ones(), SR2::ones()).second) == "SR2 (; 6)");
  // strided arguments
  const SR2 columns(random({6, 40}).t());
  REQUIRE(torch::allclose(value_and_jacobian<1>(f, 3, columns).second, 6 * columns));
}

TEST_CASE("Jacobians are composed where the loop cannot run", "[math][jacobian]")
{
  const auto f = [](auto k, auto s) { return std::tuple(k * norm_sq(s), k * s); };
  const SR2 s(random({3, 6}));
  const auto b =
      value_and_jacobian<1>(f, Scalar::full(2, c10::kBFloat16), SR2(s.to(c10::kBFloat16)));
  REQUIRE(std::get<0>(b.second).scalar_type() == c10::kBFloat16);
  REQUIRE(torch::allclose(std::get<0>(b.second).to(kFloat64), 4 * s, 0.05, 0.05));
  REQUIRE(!std::get<0>(b.first).requires_grad());
  const auto m = value_and_jacobian<1>(f, 2.0, SR2(s.to(at::kMeta)));
  REQUIRE(described(std::get<0>(m.second)) == "SR2 (3; 6)");
  REQUIRE(described(std::get<1>(m.second)) == "SSR4 (3; 6, 6)");
  REQUIRE(std::get<1>(m.second).is_meta());
  at::Tensor many = random({3, 3, 3, 3, 3, 3, 3, 3, 3, 6});
  for (int d = 0; d < 9; d++)
    many = many.slice(d, 0, 3, 2);
  const auto n = value_and_jacobian<1>(f, 2.0, SR2(many));
  REQUIRE(torch::allclose(std::get<0>(n.second), 4 * many));
  {
    const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
    const Scalar k(random({4, 1}));
    const auto [value, jacobian] = value_and_jacobian<0>(f, k, s); // by a broadcast argument
    REQUIRE(described(std::get<0>(jacobian)) == "Scalar (4, 3;)");
    REQUIRE(torch::allclose(std::get<0>(jacobian), at::Tensor(s.norm_sq()).expand({4, 3})));
    REQUIRE(torch::allclose(std::get<1>(jacobian), at::Tensor(s).expand({4, 3, 6})));
    REQUIRE((!std::get<0>(value).requires_grad() && !std::get<0>(jacobian).requires_grad()));
  }
  const auto constant = [](auto, auto x) { return 2.0 * x; }; // with respect to its first argument
  const SR2 half(s.to(c10::kBFloat16));
  const auto by_first = value_and_jacobian<0>(constant, half, half).second;
  REQUIRE(described(by_first) == "SSR4 (3; 6, 6)");
  REQUIRE(!by_first.any().item<bool>());
  const torch::NoGradGuard guard; // the composed path needs autograd nevertheless
  const auto c =
      value_and_jacobian<1>(f, Scalar::full(2, c10::kBFloat16), SR2(s.to(c10::kBFloat16)));
  REQUIRE(torch::allclose(std::get<0>(c.second).to(kFloat64), 4 * s, 0.05, 0.05));
}

TEST_CASE("value and Jacobian can be differentiated where an argument requires grad",
          "[math][jacobian][autograd]")
{
  const auto f = [](auto k, auto s) { return k * norm_sq(s) * s; };
  const auto plain = value_and_jacobian<1>(f, Scalar(random({3})), SR2(random({3, 6})));
  REQUIRE((!plain.first.requires_grad() && !plain.second.requires_grad()));
  for (const bool by_k : {true, false})
  {
    const Scalar k(random({3}).set_requires_grad(by_k));
    const SR2 s(random({3, 6}).set_requires_grad(!by_k));
    const at::Tensor x = by_k ? at::Tensor(k) : at::Tensor(s);
    const auto [value, jacobian] = value_and_jacobian<1>(f, k, s);
    const at::Tensor v = s, one = torch::eye(6, kFloat64), kk = at::Tensor(k).unsqueeze(-1);
    const at::Tensor expected =
        kk.unsqueeze(-1) *
        (2 * v.unsqueeze(-1) * v.unsqueeze(-2) + (v * v).sum(-1).unsqueeze(-1).unsqueeze(-1) * one);
    const at::Tensor w = random({3, 6, 6});
    REQUIRE(torch::allclose(jacobian, expected));
    REQUIRE(torch::allclose(grad({(jacobian * w).sum()}, {x}, {}, true)[0],
                            grad({(expected * w).sum()}, {x}, {}, true)[0]));
    REQUIRE(torch::allclose(grad({value.sum()}, {x}, {}, true)[0],
                            grad({(kk * (v * v).sum(-1, true) * v).sum()}, {x}, {}, true)[0]));
    const torch::NoGradGuard guard;
    const auto again = value_and_jacobian<1>(f, k, s);
    REQUIRE((!again.first.requires_grad() && torch::allclose(again.second, expected)));
  }
}

TEST_CASE("the tangent of the radial return is consistent in all states", "[math][jacobian]")
{
  const double E = 2, nu = 0.25, two_mu = E / (1 + nu), lambda3 = E / (1 - 2 * nu), yield = 0.5;
  const auto update = [=](auto strain, auto plastic)
  { return std::get<0>(test::radial_return(strain, plastic, E, nu, yield)); };
  const auto tangent = [&](const SR2 & strain)
  {
    const SR2 none(torch::zeros({6}, kFloat64));
    const auto found = value_and_jacobian<0>(update, strain, none).second;
    const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
    REQUIRE(
        torch::allclose(value_and_jacobian<0>(update, strain, none).second, found, 1e-10, 1e-12));
    return found;
  };
  const at::Tensor elastic =
      at::Tensor(SSR4::identity_vol() * lambda3) + at::Tensor(SSR4::identity_dev() * two_mu);
  const auto direction = SR2(torch::tensor({1., -1., 0., 0.5, 0.25, -2.}, kFloat64));
  const at::Tensor n = unit(direction), I = torch::tensor({1., 1., 1., 0., 0., 0.}, kFloat64);
  const double corner = yield / two_mu; // the deviatoric strain at the yield surface
  for (const double factor : {0.0, 0.3, 1 - 1e-9})
    REQUIRE(torch::allclose(tangent(SR2(n * (factor * corner) + 0.1 * I)), elastic));
  for (const double factor : {1 + 1e-9, 1.5, 10.0})
  {
    const double beta = 1 / factor; // Simo & Hughes (1998), box 3.2
    const at::Tensor expected =
        at::Tensor(SSR4::identity_vol() * lambda3) +
        two_mu * beta * (at::Tensor(SSR4::identity_dev()) - n.unsqueeze(-1) * n);
    REQUIRE(torch::allclose(tangent(SR2(n * (factor * corner) + 0.1 * I)), expected, 1e-7, 1e-9));
  }
  // at the corner itself: either tangent, up to rounding
  const at::Tensor found = tangent(SR2(n * corner));
  const at::Tensor plastic = elastic - two_mu * n.unsqueeze(-1) * n;
  REQUIRE((torch::allclose(found, elastic) || torch::allclose(found, plastic)));
  // exactly at the corner: over > 0 is false
  const SR2 exact(torch::tensor({0.25, -0.25, 0., 0., 0., 0.}, kFloat64));
  const auto at_corner = value_and_jacobian<0>(
      test::radial_return, exact, SR2(torch::zeros({6}, kFloat64)), E, nu, (exact * two_mu).norm());
  REQUIRE(torch::allclose(std::get<0>(at_corner.second), elastic));
  // the derivative of the norm at zero
  const auto at_zero = value_and_jacobian<0>([](auto s) { return norm(dev(s)); }, SR2::zeros({3}));
  REQUIRE(torch::equal(at_zero.second, torch::zeros({3, 6}, kFloat64)));
}

TEST_CASE("Jacobians are right in inference mode, on either path", "[math][jacobian]")
{
  const auto f = [](auto s) { return norm_sq(s); };
  const SR2 s(random({3, 6}));
  const auto check = [&](const SR2 & x)
  {
    const auto [value, jacobian] = value_and_jacobian<0>(f, x);
    REQUIRE(torch::allclose(value, x.norm_sq()));
    REQUIRE(torch::allclose(jacobian, 2 * at::Tensor(x)));
    REQUIRE((!value.requires_grad() && !jacobian.requires_grad()));
  };
  const c10::InferenceMode guard;
  for (const auto & x : {s, SR2(s.clone())}) // made outside of inference mode, inside
  {
    check(x);
    const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
    check(x);
  }
}

TEST_CASE("value_and_jacobian refuses what vmap refuses", "[math][jacobian]")
{
  const auto f = [](auto a, auto b) { return a * b; };
  const SR2 s(random({2, 6}));
  const auto message = [&](const Scalar & k)
  { return error_of([&] { value_and_jacobian<1>(f, k, s); }); };
  REQUIRE_THAT(message(Scalar()), ContainsSubstring("value_and_jacobian: undefined tensor"));
  REQUIRE_THAT(message(Scalar::ones(kFloat32)),
               ContainsSubstring("value_and_jacobian: operands of different dtypes"));
  REQUIRE_THAT(message(Scalar::ones({3})),
               ContainsSubstring("value_and_jacobian: batch shapes [3] and [2] do not broadcast"));
}

TEST_CASE("value and Jacobian depend on every argument that requires grad", "[math][jacobian]")
{
  for (const auto dtype : {at::kDouble, at::kBFloat16})
  {
    const SR2 s(at::ones({3, 6}, dtype));
    const Scalar E(at::ones({3}, dtype).requires_grad_());
    const auto [y, J] = value_and_jacobian<0>([](auto x, auto e) { return x * e; }, s, E);
    REQUIRE(y.requires_grad());
    REQUIRE(J.requires_grad());
  }
}

TEST_CASE("value and Jacobian carry the tangents of forward mode", "[math][jacobian]")
{
  const at::Tensor x = at::rand({3, 6}, at::kDouble), t = at::rand({3, 6}, at::kDouble);
  const auto f = [](const auto & s) { return inner(s, s) * s; };
  const auto level = torch::autograd::ForwardADLevel::get_next_idx();
  {
    const SR2 dual(torch::_make_dual(x, t, int64_t(level)));
    const auto [value, J] = value_and_jacobian<0>(f, dual);
    const auto tangent = [&](double h) { return value_and_jacobian<0>(f, SR2(x + h * t)); };
    const auto [above, J_above] = tangent(1e-6);
    const auto [below, J_below] = tangent(-1e-6);
    REQUIRE(at::allclose(value._fw_grad(level), (above - below) / 2e-6, 1e-7, 1e-7));
    REQUIRE(at::allclose(J._fw_grad(level), (J_above - J_below) / 2e-6, 1e-7, 1e-7));
  }
  torch::autograd::ForwardADLevel::release_idx(level);
}

TEST_CASE(
    "Of a formula that takes and returns tuples, the results that are named are differentiated",
    "[math][jacobian]")
{
  const auto f = [](const auto & s, const auto & state, const auto & E)
  {
    const auto & [plastic, p] = state;
    return std::tuple(E * (s - plastic), std::tuple(p * s, p + norm_sq(s)), tr(s));
  };
  const SR2 s(values(SR2::const_base_sizes)), plastic(values(SR2::const_base_sizes));
  const Scalar p(values({}));
  const auto state = std::tuple(plastic, p);
  const auto check = [&]
  {
    const auto [all, jacobians] = value_and_jacobian<0>(f, s, state, 3.0);
    const auto [stress, states, trace] = all;
    const auto [tangent, of_state, of_trace] = jacobians;
    REQUIRE(is<SSR4>(tangent));
    REQUIRE(is<SR2>(std::get<1>(of_state)));
    REQUIRE(torch::allclose(stress, 3 * (s - plastic)));
    REQUIRE(torch::allclose(std::get<1>(states), p + norm_sq(s)));
    REQUIRE(torch::allclose(tangent, 3 * SSR4::identity_sym().batch_expand({5})));
    REQUIRE(torch::allclose(std::get<0>(of_state), p * SSR4::identity_sym()));
    REQUIRE(torch::allclose(std::get<1>(of_state), 2 * s));
    REQUIRE(torch::allclose(of_trace, SR2::identity().batch_expand({5})));

    const auto [values_, first] = value_and_jacobian<0, 0>(f, s, state, 3.0);
    REQUIRE(is<SSR4>(first));
    REQUIRE(torch::equal(first, tangent));
    REQUIRE(torch::equal(std::get<0>(std::get<1>(values_)), std::get<0>(states)));
    const auto [again, two] = value_and_jacobian<0, 2, 1>(f, s, state, 3.0);
    REQUIRE(torch::equal(std::get<0>(two), of_trace));
    REQUIRE(torch::equal(std::get<1>(std::get<1>(two)), std::get<1>(of_state)));
    REQUIRE(torch::equal(std::get<2>(again), trace));
  };
  check();
  const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
  check();
}

TEST_CASE(
    "value_and_jacobian_out writes what value_and_jacobian gives, and nothing where it refuses",
    "[math][jacobian]")
{
  const auto f = [](const auto & s, const auto & state, const auto & E)
  {
    const auto & [plastic, p] = state;
    return std::tuple(E * (s - plastic), std::tuple(p * s, p + norm_sq(s)));
  };
  const SR2 s(values(SR2::const_base_sizes)), plastic(values(SR2::const_base_sizes));
  const Scalar p(values({}));
  const auto state = std::tuple(plastic, p);
  const auto [expected, jacobians] = value_and_jacobian<0, 0, 1>(f, s, state, 3.0);
  const auto check = [&]
  {
    SR2 stress = SR2::zeros({5}, kFloat64), scaled(at::zeros({6, 5}, kFloat64).t());
    Scalar q = Scalar::zeros({5}, kFloat64);
    SSR4 tangent = SSR4::zeros({5}, kFloat64);
    value_and_jacobian_out<0, 0>(std::tie(stress, scaled, q, tangent), f, s, state, 3.0);
    REQUIRE(torch::allclose(stress, std::get<0>(expected)));
    REQUIRE(torch::allclose(scaled, std::get<0>(std::get<1>(expected))));
    REQUIRE(torch::allclose(q, std::get<1>(std::get<1>(expected))));
    REQUIRE(torch::allclose(tangent, std::get<0>(jacobians)));
    SR2 of_q = SR2::zeros({5}, kFloat64);
    SSR4 of_scaled = SSR4::zeros({5}, kFloat64);
    value_and_jacobian_out<0, 1>(std::tie(stress, scaled, q, of_scaled, of_q), f, s, state, 3.0);
    REQUIRE(torch::allclose(of_scaled, std::get<0>(std::get<1>(jacobians))));
    REQUIRE(torch::allclose(of_q, std::get<1>(std::get<1>(jacobians))));
    vmap_out(std::tie(stress, of_q, q), f, s, state, 2.0);
    REQUIRE(torch::allclose(stress, 2.0 / 3.0 * std::get<0>(expected)));

    SR2 small = SR2::full({4}, 7.0, kFloat64);
    REQUIRE_THAT(error_of(
                     [&] {
                       value_and_jacobian_out<0, 0>(
                           std::tie(stress, small, q, tangent), f, s, state, 3.0);
                     }),
                 ContainsSubstring("value_and_jacobian_out: ") && ContainsSubstring("(4; 6)"));
    REQUIRE(small.eq(7).all().item<bool>());
    REQUIRE(torch::allclose(stress, 2.0 / 3.0 * std::get<0>(expected)));
  };
  check();
  const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
  check();
}

TEST_CASE("Formulas of tensors without components have results without", "[math][jacobian]")
{
  const auto sum = [](const auto & a, const auto & b) { return a + 2.0 * b; };
  const auto product = [](const auto & a, const auto & s) { return s * a; };
  for (const Dtype dtype : {kFloat64, kFloat32})
    for (const Size n : {0, 1, 3, 100000})
    {
      const Nothing x(at::zeros({n, 0}, dtype)), y(at::zeros({1, 0}, dtype));
      const Scalar s(at::ones({n}, dtype));
      REQUIRE(vmap(sum, x, y).sizes() == at::IntArrayRef({n, 0}));
      REQUIRE(vmap(product, x, s).sizes() == at::IntArrayRef({n, 0}));
      Nothing out(at::zeros({n, 0}, dtype));
      vmap_out(out, sum, x, x);
      const auto [v, J] = value_and_jacobian<0>(sum, x, y);
      REQUIRE((v.batch_sizes() == TensorShape{n} && J.sizes() == at::IntArrayRef({n, 0, 0})));
      REQUIRE(value_and_jacobian<1>(product, x, s).second.sizes() == at::IntArrayRef({n, 0}));

      Nothing a = x.clone(), b = y.clone();
      a.requires_grad_();
      b.requires_grad_();
      const auto g = grad({vmap(sum, a, b).sum()}, {a, b});
      REQUIRE((g[0].sizes() == x.sizes() && g[1].sizes() == y.sizes()));
    }
}

TEST_CASE("value_and_jacobian of the entries of a vmap of torch is that of the batch",
          "[math][jacobian]")
{
  const at::Tensor x = at::rand({4, 2, 6}, kFloat64), y = at::rand({4, 2}, kFloat64);
  const auto f = [](const auto & s, const auto & a) { return a * s * a; };
  const SR2 s(at::_add_batch_dim(x, 0, 1)); // each entry of the first dimension separately
  const Scalar a(at::_add_batch_dim(y, 0, 1));
  const auto [value, J] = value_and_jacobian<0>(f, s, a);
  const auto [each, expected] = value_and_jacobian<0>(f, SR2(x), Scalar(y)); // the whole batch
  REQUIRE(at::allclose(at::_remove_batch_dim(value, 1, 4, 0), each));
  REQUIRE(at::allclose(at::_remove_batch_dim(J, 1, 4, 0), expected));
}

TEST_CASE("value_and_jacobian returns tensors of their own", "[math][jacobian]")
{
  const auto carries = [](const auto & s, const auto & state)
  { return std::tuple(2.0 * s, state); };
  const auto check = [&]
  {
    const Scalar s(random({3})), state(random({3})), shared(random({}));
    const at::Tensor before = at::Tensor(state).clone();
    for (const Scalar & x : {state, shared})
    {
      const auto [values, jacobians] = value_and_jacobian<0, 0>(carries, s, x);
      at::Tensor(std::get<1>(values)).fill_(7);
    }
    REQUIRE(at::equal(state, before));
    REQUIRE(at::Tensor(shared).ne(7).all().item<bool>());
  };
  check();
  const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
  check();
}
} // namespace jacobian_test
