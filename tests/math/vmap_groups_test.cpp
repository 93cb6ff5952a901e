// SPDX-License-Identifier: MIT
#include "neml2/math/autograd.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/newton.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/tensors.h"
#include "support/errors.h"
#include "support/operation.h"

#include <torch/types.h>

#include "support/catch.h"

namespace vmap_groups_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::difference;
using test::error_of;
using torch::autograd::grad;

namespace
{
template <class S, class A>
struct State
{
  S plastic;
  A hardening;
};
template <class S, class A>
State(S, A) -> State<S, A>;

template <class E, class N, class Y>
struct Material
{
  E modulus;
  N ratio;
  Y yield;
};
template <class E, class N, class Y>
Material(E, N, Y) -> Material<E, N, Y>;

template <class S, class T>
struct Point
{
  S state;
  T temperature;
};
template <class S, class T>
Point(S, T) -> Point<S, T>;

/// A formula whose arguments and results are nested structs and a tuple.
constexpr auto update = [](const auto & strain, const auto & point, const auto & material)
{
  const auto & [state, T] = point;
  const auto two_mu = material.modulus / (1.0 + material.ratio);
  const auto stress = two_mu * dev(strain - state.plastic) * T;
  return std::tuple(
      stress,
      Point{State{state.plastic + stress / material.yield, state.hardening + norm(stress)},
            T * inner(stress, strain)});
};
/// The same formula with single tensors.
constexpr auto flat = [](const auto & strain,
                         const auto & plastic,
                         const auto & hardening,
                         const auto & T,
                         const auto & modulus,
                         const auto & ratio,
                         const auto & yield)
{
  const auto [stress, point] =
      update(strain, Point{State{plastic, hardening}, T}, Material{modulus, ratio, yield});
  return std::tuple(stress, point.state.plastic, point.state.hardening, point.temperature);
};

template <class T>
T
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return T(torch::rand(shape, kFloat64).add(0.5).to(dtype));
}

/// Arguments of update whose batch shapes differ.
struct Arguments
{
  SR2 strain = random<SR2>({5, 1, 6}), plastic = random<SR2>({3, 6});
  Scalar hardening = random<Scalar>({5, 3}), T = random<Scalar>({}), modulus = random<Scalar>({3}),
         ratio = random<Scalar>({5, 1});

  auto point() const { return Point{State{plastic, hardening}, T}; }
  auto material() const { return Material{modulus, ratio, 2}; }
};

template <class A, class B>
bool
same(const A & a, const B & b)
{
  return std::is_same_v<A, B> && at::equal(a, b);
}
} // namespace

TEST_CASE("A struct of tensors is an argument and a result of vmap, and may hold others",
          "[math][groups]")
{
  const Arguments a;
  const auto [stress, point] = vmap(update, a.strain, a.point(), a.material());
  static_assert(std::is_same_v<std::decay_t<decltype(point)>, Point<State<SR2, Scalar>, Scalar>>);
  const auto [s, plastic, hardening, T] =
      vmap(flat, a.strain, a.plastic, a.hardening, a.T, a.modulus, a.ratio, 2);
  REQUIRE(same(stress, s));
  REQUIRE(same(point.state.plastic, plastic));
  REQUIRE(same(point.state.hardening, hardening));
  REQUIRE(same(point.temperature, T));

  // A struct alone, of one field, and without a batch; an argument that is returned
  const auto one = vmap(
      [](const auto & x) {
        return State{x.plastic, x.hardening};
      },
      State{SR2::identity(kFloat64), 2.5});
  REQUIRE(same(one.plastic, SR2::identity(kFloat64)));
  REQUIRE(one.hardening.batch_dim() == 0);
  REQUIRE(one.hardening.item<double>() == 2.5);
  REQUIRE_THROWS_AS(vmap(update, random<SR2>({2, 1, 6}), a.point(), a.material()), NEMLException);
}

TEST_CASE("Structs of tensors pass the composed path, and autograd", "[math][groups][autograd]")
{
  Arguments a;
  a.plastic.requires_grad_();
  a.modulus.requires_grad_();
  const auto sum = [&](const auto & f)
  {
    const auto [stress, point] = vmap(f, a.strain, a.point(), a.material());
    return at::Tensor(stress).sum() + at::Tensor(point.state.plastic).square().sum() +
           at::Tensor(point.temperature).sum() + at::Tensor(point.state.hardening).sum();
  };
  const auto gradients = [&](const at::Tensor & y) { return grad({y}, {a.plastic, a.modulus}); };
  const auto composed = gradients(sum(update)), fused = gradients(sum(with_gradient(update)));
  REQUIRE(difference(composed[0], fused[0], 1e-12) == "");
  REQUIRE(difference(composed[1], fused[1], 1e-12) == "");
  const auto [stress, point] = vmap(update,
                                    a.strain.to(torch::kMeta),
                                    Point{State{SR2(a.plastic.to(torch::kMeta)), 1.0}, 2.0},
                                    Material{1.0, 0.3, 2.0});
  REQUIRE(point.state.hardening.sizes() == at::IntArrayRef({5, 3}));
}

TEST_CASE("Outputs may be structs", "[math][groups][vmap_out]")
{
  const Arguments a;
  const TensorShape batch{5, 3};
  SR2 stress = SR2::empty(batch, kFloat64);
  Point point{State{SR2::empty(batch, kFloat64), Scalar::empty(batch, kFloat64)},
              Scalar::empty(batch, kFloat64)};
  vmap_out(std::tie(stress, point), update, a.strain, a.point(), a.material());
  const auto [s, p] = vmap(update, a.strain, a.point(), a.material());
  REQUIRE(same(stress, s));
  REQUIRE(same(point.state.plastic, p.state.plastic));
  REQUIRE(same(point.temperature, p.temperature));

  State state{SR2::zeros(batch, kFloat64), Scalar::zeros(batch, kFloat64)};
  vmap_out(
      state,
      [](const auto & x, const auto & d) {
        return State{x.plastic + d, x.hardening + norm(d)};
      },
      state,
      s);
  REQUIRE(same(state.plastic, s));

  SSR4 tangent = SSR4::empty(batch);
  value_and_jacobian_out<0, 0>(
      std::tie(stress, point, tangent), update, a.strain, a.point(), a.material());
  const auto [value, expected] =
      value_and_jacobian<0, 0>(update, a.strain, a.point(), a.material());
  REQUIRE(same(tangent, expected));
  REQUIRE(same(point.temperature, std::get<1>(value).temperature));
  const at::Tensor before = at::Tensor(state.plastic).clone();
  state.hardening = Scalar::zeros({2}, kFloat64);
  const auto both = [](const auto & x) { return State{x, norm(x)}; };
  REQUIRE_THAT(error_of([&] { vmap_out(state, both, s); }),
               ContainsSubstring("the output Scalar (2;) does not have the result's batch shape"));
  REQUIRE(at::equal(state.plastic, before));
}

TEST_CASE("Jacobians by several arguments are those by each", "[math][groups][jacobian]")
{
  const Arguments a;
  const Material material{a.modulus, a.ratio, random<Scalar>({})};
  const bool recorded = GENERATE(false, true);
  CAPTURE(recorded);
  const auto each = [](const auto & strain,
                       const auto & point,
                       const auto & modulus,
                       const auto & ratio,
                       const auto & yield) {
    return update(strain, point, Material{modulus, ratio, yield});
  };
  const auto [value, by] = value_and_jacobian<2>(update, a.strain, a.point(), material);
  const auto check = [&](const auto & one, const auto & get)
  {
    REQUIRE(difference(get(std::get<0>(by)), std::get<0>(one), 1e-14) == "");
    REQUIRE(difference(get(std::get<1>(by).state.plastic), std::get<1>(one).state.plastic, 1e-14) ==
            "");
    REQUIRE(difference(get(std::get<1>(by).temperature), std::get<1>(one).temperature, 1e-14) ==
            "");
  };
  check(value_and_jacobian<2>(each, a.strain, a.point(), a.modulus, a.ratio, material.yield).second,
        [](const auto & m) { return m.modulus; });
  check(value_and_jacobian<3>(each, a.strain, a.point(), a.modulus, a.ratio, material.yield).second,
        [](const auto & m) { return m.ratio; });
  check(value_and_jacobian<4>(each, a.strain, a.point(), a.modulus, a.ratio, material.yield).second,
        [](const auto & m) { return m.yield; });

  // 8 numbers of three shapes at once, with differentiable results too
  Point point{State{a.plastic, a.hardening}, a.T};
  if (recorded)
    point.temperature.requires_grad_();
  const auto [v, J] = value_and_jacobian<1, 0>(update, a.strain, point, material);
  static_assert(std::is_same_v<std::decay_t<decltype(J)>, Point<State<SSR4, SR2>, SR2>>);
  const auto loose = [](const auto & strain, const auto & plastic, const auto & T, const auto & m) {
    return std::get<0>(update(strain, Point{State{plastic, 1.0}, T}, m));
  };
  const auto [x, P] = value_and_jacobian<1>(loose, a.strain, a.plastic, a.T, material);
  const auto [y, Q] = value_and_jacobian<2>(loose, a.strain, a.plastic, a.T, material);
  REQUIRE(J.temperature.requires_grad() == recorded);
  REQUIRE(difference(J.state.plastic, P, 1e-13) == "");
  REQUIRE(difference(J.temperature, Q, 1e-13) == "");
  REQUIRE(at::Tensor(J.state.hardening).abs().max().item<double>() == 0);
  REQUIRE(J.state.hardening.batch_sizes() == TensorShapeRef({5, 3}));
}

namespace
{
struct Seven : PrimitiveTensor<Seven, 7>
{
  using PrimitiveTensor::PrimitiveTensor;
};
} // namespace

TEST_CASE("Numbers of derivatives that no chunk divides", "[math][groups][jacobian]")
{
  // by 7 and by 7 + 1 + 9 numbers: ∂(k a·a Aᵀ)/∂... against differences
  const auto f = [](const auto & a, const auto & k, const auto & A)
  { return k * inner(a, a) * transpose(A); };
  const Seven a = random<Seven>({4, 7});
  const Scalar k = random<Scalar>({4});
  const R2 A = random<R2>({4, 3, 3});
  const auto [value, J] = value_and_jacobian<0>(
      [&](const auto & x)
      {
        const auto & [b, c, B] = x;
        return c * inner(b, b) * transpose(B);
      },
      std::tuple(a, k, A));
  const auto & [by_a, by_k, by_A] = J;
  const at::Tensor T = at::Tensor(A).transpose(1, 2), aa = (at::Tensor(a) * at::Tensor(a)).sum(1);
  REQUIRE(difference(by_a,
                     2 * (at::Tensor(k).view({4, 1, 1}) * T).unsqueeze(-1) *
                         at::Tensor(a).view({4, 1, 1, 7}),
                     1e-13) == "");
  REQUIRE(difference(by_k, aa.view({4, 1, 1}) * T, 1e-13) == "");
  const at::Tensor swap = at::eye(9, kFloat64).view({3, 3, 3, 3}).transpose(0, 1);
  REQUIRE(difference(by_A, (at::Tensor(k) * aa).view({4, 1, 1, 1, 1}) * swap, 1e-13) == "");
  const auto [value_, alone] = value_and_jacobian<0>(f, a, k, A);
  REQUIRE(difference(alone, by_a, 1e-14) == "");
  REQUIRE(at::equal(value_, value));

  // and the fused gradient
  Seven v(at::Tensor(a).clone());
  v.requires_grad_();
  const at::Tensor g = grad({at::Tensor(vmap(with_gradient(f), v, k, A)).sum()}, {v})[0];
  REQUIRE(difference(g, at::Tensor(by_a).sum({1, 2}), 1e-12) == "");
}

TEST_CASE("The unknown of newton may be a struct, and its residual", "[math][groups][newton]")
{
  static constexpr auto residual = [](const auto & x, const auto & a) {
    return State{x.plastic * a.hardening - a.plastic, x.hardening * x.hardening - a.hardening};
  };
  const State a{random<SR2>({3, 6}), random<Scalar>({4, 1})};
  const State guess{SR2::zeros({}, kFloat64), 1.0};
  const auto report = newton_report(residual, guess, a, NewtonOptions().bounds_of(1, 0, 10));
  REQUIRE(difference(report.solution.hardening, at::sqrt(a.hardening).expand({4, 3}), 1e-13) == "");
  REQUIRE(difference(report.solution.plastic, SR2(a.plastic / a.hardening), 1e-13) == "");
  REQUIRE(at::Tensor(report.converged).all().item<bool>());

  const auto f = [](const auto & b, const auto & c)
  {
    const auto x = newton(residual, State{0.0 * b, 1.0 + 0.0 * c}, State{b, c});
    return x.hardening * x.plastic;
  };
  const auto [value, J] = value_and_jacobian<1>(f, a.plastic, a.hardening);
  const at::Tensor expected =
      -0.5 * at::Tensor(a.plastic) * at::pow(at::Tensor(a.hardening), -1.5).unsqueeze(-1);
  REQUIRE(difference(J, expected, 1e-12) == "");
}

namespace
{
struct PowerLaw
{
  double rate, exponent;
  template <class T>
  auto operator()(const T & s) const
  {
    return rate * pow(norm(s), exponent) * s;
  }
};
struct Nested
{
  struct
  {
    double a, b;
  } inner;
};
struct Refers
{
  const double & a;
};
struct Points
{
  double a;
  const double * b;
};
} // namespace

TEST_CASE("A formula may hold plain numbers where gradients are recorded",
          "[math][groups][autograd]")
{
  using kernels::holds_only_numbers;
  static_assert(holds_only_numbers<PowerLaw>() && !holds_only_numbers<Nested>());
  static_assert(!holds_only_numbers<Refers>() && !holds_only_numbers<Points>());
  double n = 3;
  const auto by_value = [n](const auto & x) { return n * x; };
  static_assert(!holds_only_numbers<decltype(by_value)>());
  struct Table
  {
    double of[4];
    int64_t n;
  };
  static_assert(holds_only_numbers<Table>());

  SR2 s = random<SR2>({7, 6});
  s.requires_grad_();
  at::Tensor fused, composed;
  {
    const PowerLaw law{2.0, n};
    fused = vmap(with_gradient(law), s).square().sum();
    composed = PowerLaw(law)(s).square().sum();
  }
  n = 0;
  REQUIRE(difference(grad({fused}, {s})[0], grad({composed}, {s})[0], 1e-11) == "");
}
} // namespace vmap_groups_test
