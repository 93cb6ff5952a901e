// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"

#include "neml2/math/jacobian.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/tensors.h"
#include "support/battery.h"
#include "support/errors.h"
#include "support/formulas.h"
#include "support/parity.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/types.h>

#include <atomic>
#include <thread>

#include "support/catch.h"

namespace vmap_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::Check;
using test::described;
using test::error_of;
using test::vmapped;

namespace
{
at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::rand(shape, kFloat64).add(0.5).to(dtype);
}

template <class Expected, class Found>
bool
is(const Found &)
{
  return std::is_same_v<Expected, Found>;
}

/// Formulas, and the types of their arguments; scalars are within (0.1, 0.4).
const std::vector<test::Operation> &
formulas()
{
  static const std::vector<test::Operation> all{
      vmapped<SSR4, SR2>("elastic law", [](auto C, auto e) { return C * e; }),
      vmapped<SR2, Scalar, Scalar>("isotropic stress", test::isotropic_stress),
      vmapped<SSR4, SSR4, Scalar, Scalar>("isotropic stiffness",
                                          [](auto J, auto K, auto kappa, auto mu)
                                          { return 3.0 * kappa * J + 2.0 * mu * K; }),
      vmapped<SR2>("von Mises", test::von_mises),
      vmapped<SR2, SR2, Scalar, Scalar, Scalar>("radial return", test::radial_return),
      vmapped<SR2, R2>("rotate",
                       [](const auto & s, const auto & R) { return rotate(s, R * transpose(R)); }),
      vmapped<R2, Vec, Vec>("vectors",
                            [](auto A, auto v, auto w)
                            { return std::tuple(inner(v, A * w), cross(v, w), outer(v, w) - A); }),
      vmapped<R2>("polynomial",
                  [](auto A) { return std::tuple(inv(A) * det(A), tr(A * A), sym(A), dev(A)); }),
      vmapped<Scalar, Scalar>("functions",
                              [](auto a, auto b)
                              {
                                return std::tuple(exp(a) + log(b) * sin(a) - cos(b) / tan(a),
                                                  pow(a, b) + pow(a, 2) + pow(2.0, b),
                                                  atan2(a, b) + asin(a) * acos(b),
                                                  maximum(a, b) - minimum(a, 0.2) + abs(a - b),
                                                  sqrt(a * b));
                              }),
      vmapped<Scalar, SR2>("conditions",
                           [](auto a, auto s)
                           {
                             const auto both = (a > 0.2) & (tr(s) <= 9.0), one = (a < 0.15) | both;
                             return std::tuple(
                                 where(both, s, 2.0 * s), where(~one, a, 1.0), where(one, 0.0, a));
                           }),
      vmapped<SSR4, R2>("fourth order",
                        [](auto C, auto R) { return inv(C) * rotate(C, R) - transpose_major(C); })};
  return all;
}

/// A function object of a user.
struct Times
{
  double k;
  template <class X>
  auto operator()(const X & x) const
  {
    return k * dev(x);
  }
};

/// Counts its calls by recordings.
struct Counted
{
  std::atomic<int> * recordings;

  template <class X>
  auto operator()(const X & x) const
  {
    if constexpr (std::is_same_v<typename X::value_type, recorded::Number>)
      ++*recordings;
    return 2.0 * dev(x);
  }
};

/// How often vmap records a formula that captures; -1 if the result is wrong.
int
recordings(const SR2 & s)
{
  std::atomic<int> n{0};
  const SR2 r = vmap(Counted{&n}, s);
  const double rounding = s.scalar_type() == c10::kBFloat16 ? 1e-2 : 1e-5;
  const at::Tensor expected = 2 * dev(SR2(s.detach().to(kFloat64)));
  if (!s.is_meta() && !torch::allclose(r.detach().to(kFloat64), expected, rounding))
    return -1;
  return n;
}

class SlipRates : public PrimitiveTensor<SlipRates, 12>
{
public:
  using PrimitiveTensor::PrimitiveTensor;
};
struct Schmid : PrimitiveTensor<Schmid, 12, 3, 2>
{
  using PrimitiveTensor::PrimitiveTensor;
};

test::Table
all_operations()
{
  return test::without({test::Check::rule, test::Check::refusals, test::Check::integers},
                       formulas());
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Formulas of vmap pass the battery", "[math][vmap][cuda]")
{
  battery.check();
}

TEST_CASE("vmap reads any layout of float64 and float32, and the composed path agrees",
          "[math][vmap]")
{
  for (const auto & f : formulas())
    for (const auto dtype : {kFloat64, kFloat32})
      for (const auto & batches : test::batches_for(f))
        for (int layout = 0; layout < test::layouts; layout++)
        {
          test::Arguments a = arguments(f, batches, dtype), wide;
          for (size_t k = 0; k < a.size(); k++)
          {
            a[k] = lay_out(test::Layout((layout + int(k)) % test::layouts), a[k], f.base[k].size());
            wide.push_back(a[k].to(kFloat64));
          }
          INFO(f.name << " of" << test::describe(a));
          REQUIRE(f.fuses(a));
          const at::Tensor r = f.call(a);
          REQUIRE(r.scalar_type() == dtype);
          // float32 is computed in float64: the results differ by rounding
          REQUIRE(test::difference(r, f.call(wide).to(dtype), 1e-6) == "");
          const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
          REQUIRE(!f.fuses(wide));
          REQUIRE(test::difference(
                      f.call(wide), r.to(kFloat64), dtype == kFloat64 ? 1e-12 : 1e-6) == "");
        }
}

TEST_CASE("vmap gives the types that the formula returns, and all results the whole batch shape",
          "[math][vmap]")
{
  const SR2 s(random({4, 1, 6}));
  const SSR4 C(random({6, 6}));
  const Vec v(random({3, 3}));
  REQUIRE(is<SR2>(vmap([](auto a) { return a; }, s)));
  REQUIRE(is<Scalar>(vmap([](auto a) { return tr(a); }, s)));
  REQUIRE(is<R2>(vmap([](auto a) { return full(a); }, s)));
  REQUIRE(is<Scalar>(vmap([](auto) { return 1; }, s)));
  REQUIRE(is<std::tuple<SR2>>(vmap([](auto a) { return std::tuple(a); }, s)));
  const auto [a, b, c, d] = vmap([](const auto & x, const auto & y, const auto & z)
                                 { return std::tuple(x * y, z, norm(z), 2.5f); },
                                 C,
                                 s,
                                 v);
  REQUIRE((is<SR2>(a) && is<Vec>(b) && is<Scalar>(c) && is<Scalar>(d)));
  REQUIRE(described(a) == "SR2 (4, 3; 6)");
  REQUIRE(described(b) == "Vec (4, 3; 3)");
  REQUIRE(described(c) == "Scalar (4, 3;)");
  REQUIRE(torch::equal(a, (C * s).batch_expand({4, 3})));
  REQUIRE(torch::equal(b, v.batch_expand({4, 3})));
  REQUIRE(torch::equal(d, Scalar::full({4, 3}, 2.5)));
}

TEST_CASE("An argument or result of vmap may be a tuple, of tuples too", "[math][vmap]")
{
  const auto f = [](const auto & s, const auto & state, const auto & parameters)
  {
    const auto & [plastic, p] = state;
    const auto & [E, others] = parameters;
    const auto & [n, yield] = others;
    const auto stress = E * (s - plastic);
    return std::tuple(stress, std::tuple(n * stress, std::tuple(p + yield * tr(s))));
  };
  const SR2 s(random({4, 6})), plastic(random({6}));
  const Scalar p(random({3, 1})), yield(random({3, 1}));
  const auto check = [&](const auto & stress, const auto & state)
  {
    REQUIRE(is<SR2>(stress));
    const auto & [scaled, rest] = state;
    REQUIRE(described(scaled) == "SR2 (3, 4; 6)");
    REQUIRE(torch::allclose(stress, (2.0 * (s - plastic)).expand({3, 4, 6})));
    REQUIRE(torch::allclose(scaled, 3.0 * stress));
    REQUIRE(torch::allclose(std::get<0>(rest), p + yield * tr(s)));
  };
  const auto call = [&](const auto & a)
  { return vmap(f, a, std::tuple(plastic, p), std::tuple(2, std::tuple(3.0, yield))); };
  const auto [stress, state] = call(s);
  check(stress, state);
  {
    const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
    const auto [composed_stress, composed_state] = call(s);
    check(composed_stress, composed_state);
  }
  const SR2 tracked(s.clone().requires_grad_());
  const auto [tracked_stress, tracked_state] = call(tracked);
  check(tracked_stress.detach(), tracked_state);
  const auto g = torch::autograd::grad({at::Tensor(tracked_stress).sum()}, {tracked})[0];
  REQUIRE(torch::allclose(g, torch::full_like(s, 6.0)));

  // More than 16 arguments, which was the limit once.
  const Scalar a(random({5}));
  const auto four = std::tuple(a, a, a, a);
  const auto [sum, parts] = vmap(
      [](const auto & x, const auto & y)
      {
        const auto add = [](const auto &... v) { return (v + ...); };
        const auto sums = [&](const auto &... t) { return (std::apply(add, t) + ...); };
        return std::tuple(std::apply(sums, x) + std::apply(sums, y), x);
      },
      std::tuple(four, four, four, four),
      std::tuple(four, four, four, four));
  REQUIRE(torch::allclose(sum, 32 * a));
  REQUIRE(torch::equal(std::get<3>(std::get<3>(parts)), a));
}

TEST_CASE("A type of a program's own size is an argument and a result as any other", "[math][vmap]")
{
  const SlipRates g(random({5, 12}));
  const Schmid P(random({12, 3, 2}));
  const auto resolved = [](const auto & rates, const auto & schmid)
  {
    auto sum = 0.0 * rates(0) * schmid(0, 0, 0);
    for (int a = 0; a < 12; a++)
      sum = sum + rates(a) * schmid(a, 2, -1);
    return std::tuple(sum, 2.0 * rates, norm(rates));
  };
  const at::Tensor expected = at::Tensor(g).matmul(at::Tensor(P).select(-1, 1).select(-1, 2));
  for (const bool fused : {true, false})
  {
    c10::optional<c10::impl::IncludeDispatchKeyGuard> composed;
    if (!fused)
      composed.emplace(c10::DispatchKey::AutocastCPU);
    const auto [sum, twice, length] = vmap(resolved, g, P);
    REQUIRE(is<SlipRates>(twice));
    REQUIRE(torch::allclose(sum, expected));
    REQUIRE(torch::equal(twice, 2 * g));
    REQUIRE(torch::allclose(length, at::Tensor(g).norm(2, -1)));
  }
}

TEST_CASE("vmap takes plain numbers of any type as scalars", "[math][vmap]")
{
  const SR2 s(random({5, 6}));
  const auto f = [](auto k, auto x, auto n) { return k * x / n; };
  for (const auto dtype : {kFloat64, kFloat32, c10::kBFloat16})
  {
    const SR2 x = s.to(dtype);
    const at::Tensor expected = (3 * x) / 2;
    for (const auto & r : {vmap(f, 3, x, 2.0),
                           vmap(f, 3.0f, x, 2),
                           vmap(f, int64_t(3), x, 2u),
                           vmap(f, Scalar(3, x.options()), x, short(2))})
    {
      REQUIRE(r.scalar_type() == dtype);
      REQUIRE(torch::allclose(r, expected, 1e-2, 1e-2));
      if (dtype != c10::kBFloat16)
        REQUIRE(torch::allclose(r, expected, 1e-6));
    }
  }
  REQUIRE(vmap([](auto a, auto b) { return a * b; }, Scalar::ones(), 0.1).item<double>() == 0.1);
}

TEST_CASE("vmap takes lambdas with captures, function objects and references", "[math][vmap]")
{
  const SR2 s(random({130, 6}));
  const double k = 3;
  const at::Tensor expected = 3 * dev(s);
  REQUIRE(torch::equal(vmap([k](auto x) { return k * dev(x); }, s), expected));
  REQUIRE(torch::equal(vmap([&](const auto & x) { return k * dev(x); }, s), expected));
  REQUIRE(torch::equal(vmap([&](auto && x) { return k * dev(x); }, s), expected));
  REQUIRE(torch::equal(vmap(Times{3}, s), expected));
  const Times f{3};
  REQUIRE(torch::equal(vmap(f, s), expected));
  {
    const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
    REQUIRE(torch::allclose(vmap(f, s), expected));
  }
}

TEST_CASE("vmap runs the formula where it fuses, and records it elsewhere", "[math][vmap]")
{
  const SR2 s(random({40, 6}));
  REQUIRE(recordings(s) == 0);
  REQUIRE(recordings(s.to(kFloat32)) == 0);
  REQUIRE(recordings(SR2(random({6, 40}).t())) == 0);
  REQUIRE(recordings(SR2(random({6})).batch_expand({4, 5})) == 0);
  REQUIRE(recordings(SR2(random({0, 6}))) == 0);
  const SR2 tracked(s.clone().set_requires_grad(true));
  REQUIRE(recordings(tracked) == 1); // captured variables may be gone in the backward pass
  {
    const torch::NoGradGuard guard;
    REQUIRE(recordings(tracked) == 0);
  }
  {
    const c10::InferenceMode guard;
    REQUIRE(recordings(tracked) == 0);
  }
  REQUIRE(recordings(s.to(c10::kBFloat16)) == 1);
  REQUIRE(recordings(SR2(torch::_neg_view(s))) == 1);
  REQUIRE(recordings(s.to(at::kMeta)) == 1);
  {
    const c10::impl::IncludeDispatchKeyGuard guard(c10::DispatchKey::AutocastCPU);
    REQUIRE(recordings(s) == 1);
  }
  at::Tensor many = torch::ones({3, 3, 3, 3, 3, 3, 3, 3, 3, 6}, kFloat64);
  for (int d = 0; d < 9; d++)
    many = many.slice(d, 0, 3, 2);
  REQUIRE(recordings(SR2(many)) == 1); // more dimensions than a plan holds
  REQUIRE(recordings(SR2(many.select(0, 0))) == 0);
}

TEST_CASE("vmap composes what the loop cannot read", "[math][vmap]")
{
  const auto twice = [](auto a, auto b) { return a + b; };
  const SR2 i(torch::arange(12, kInt64).reshape({2, 6}));
  REQUIRE(torch::equal(vmap(twice, i, i), i.to(kFloat64) * 2));
  REQUIRE(vmap([](auto) { return 2.5; }, i).scalar_type() == kFloat64);
  const auto m = SR2::ones({4, 1}, TensorOptions(kFloat64).device("meta"));
  const auto [stress, slip] = vmap(
      test::radial_return, m, m, Scalar::ones({3}, m.options()), 0.3, Scalar::ones(m.options()));
  REQUIRE(described(stress) == "SR2 (4, 3; 6)");
  REQUIRE(described(slip) == "SR2 (4, 3; 6)");
  REQUIRE((stress.is_meta() && slip.is_meta()));
}

TEST_CASE("vmap carries the tangents of forward mode", "[math][vmap][autograd]")
{
  const auto s = random({3, 6}), t = random({3, 6});
  const auto level = torch::autograd::ForwardADLevel::get_next_idx();
  {
    const SR2 dual(torch::_make_dual(s, t, int64_t(level)));
    const auto [r, n] = vmap([](auto a) { return std::tuple(3.0 * dev(a), tr(a)); }, dual);
    REQUIRE(torch::allclose(r._fw_grad(level), 3 * SR2(t).dev()));
    REQUIRE(torch::allclose(n._fw_grad(level), SR2(t).tr()));
  }
  torch::autograd::ForwardADLevel::release_idx(level);
}

TEST_CASE("vmap has the gradients of the same function called with batches",
          "[math][vmap][autograd]")
{
  const double k = 3;
  const auto check = [](const auto & f)
  {
    const SR2 x(random({4, 1, 6}).set_requires_grad(true));
    const Scalar y(random({3}).set_requires_grad(true));
    const auto gradients = [&](const SR2 & r) {
      return torch::autograd::grad({inner(r, r).sum()}, {x, y});
    };
    const auto found = gradients(vmap(f, x, y)), expected = gradients(f(x, y));
    for (size_t i = 0; i < 2; i++)
      REQUIRE(torch::allclose(found[i], expected[i], 1e-12, 1e-12));
  };
  check([k](auto a, auto b) { return k * b * dev(a); });
  check([](auto a, auto b) { return 3.0 * b * dev(a); });
}

TEST_CASE("vmap refuses what does not fit, and says why", "[math][vmap]")
{
  const auto f = [](auto a, auto b) { return b * a; };
  const SR2 s(random({2, 6}));
  const auto message = [&](const SR2 & a, const Scalar & b)
  { return error_of([&] { vmap(f, a, b); }); };
  REQUIRE_THAT(message(SR2(), Scalar::ones()),
               ContainsSubstring("vmap: undefined tensor: an operand of type SR2"));
  REQUIRE_THAT(message(s, Scalar()), ContainsSubstring("operand of type Scalar"));
  REQUIRE_THAT(message(s, Scalar::ones(kFloat32)),
               ContainsSubstring("vmap: operands of different dtypes: SR2 (2; 6) is float64 and "
                                 "Scalar (;) is float32"));
  REQUIRE_THAT(message(s, Scalar::ones(TensorOptions(kFloat64).device("meta"))),
               ContainsSubstring("vmap: operands on different devices"));
  REQUIRE_THAT(message(s, Scalar::ones({3})),
               ContainsSubstring("vmap: batch shapes [2] and [3] do not broadcast"));
  SR2 reshaped = s.clone();
  reshaped.resize_({4, 3});
  REQUIRE_THAT(message(reshaped, Scalar::ones()), ContainsSubstring("vmap: base shape mismatch"));
  REQUIRE_THAT(error_of([&] { vmap(f, SR2(s.to_sparse()), Scalar::ones()); }),
               ContainsSubstring("vmap: SR2 (2; 6) is sparse. Expected dense tensors: to_dense()"));
  const auto twice = [](auto a) { return 2.0 * a; };
  REQUIRE_THAT(error_of([&] { vmap(twice, SR2(torch::complex(s, s))); }),
               ContainsSubstring("vmap: not defined for dtype complex128"));
  REQUIRE_THAT(error_of([&] { vmap(twice, SR2(s > 0.5)); }),
               ContainsSubstring("vmap: not defined for dtype bool"));
}

namespace
{
struct OfTheUser : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

/// Whether f lets an exception of the user pass unchanged.
template <class F>
bool
throws_of_the_user(const F & f)
{
  try
  {
    f();
  }
  catch (const OfTheUser & e)
  {
    return std::string(e.what()) == "mine";
  }
  return false;
}
} // namespace

TEST_CASE("an exception of a formula keeps its type, fused or composed", "[math][vmap]")
{
  const auto g = [](const auto & s)
  {
    throw OfTheUser("mine");
    return s + s;
  };
  const SR2 plain(random({40000, 6})), half(random({5, 6}, kFloat16)), meta = plain.to(at::kMeta);
  for (const SR2 & s : {plain, half, meta, SR2(plain.clone().requires_grad_())})
  {
    REQUIRE(throws_of_the_user([&] { vmap(g, s); }));
    REQUIRE(throws_of_the_user([&] { value_and_jacobian<0>(g, s); }));
    SR2 out = SR2(at::empty_like(s));
    const at::NoGradGuard no_grad;
    REQUIRE(throws_of_the_user([&] { vmap_out(out, g, s); }));
  }
}

TEST_CASE("several threads call vmap at once, and their number does not change the result",
          "[math][vmap]")
{
  const SR2 strain(random({5000, 6})), plastic(random({6}));
  const auto update = [&]
  { return std::get<0>(vmap(test::radial_return, strain, plastic, 2.0, 0.3, 0.5)); };
  const at::Tensor expected = update();
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (auto & count : right)
    threads.emplace_back(
        [&]
        {
          for (int i = 0; i < 20; i++)
            count += torch::equal(update(), expected);
        });
  for (auto & t : threads)
    t.join();
  REQUIRE(right == std::vector<int>(4, 20));
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const SR2 large(random({60001, 6}));
  const at::Tensor one = vmap(test::von_mises, large);
  at::set_num_threads(2);
  REQUIRE(torch::equal(vmap(test::von_mises, large), one));
  at::set_num_threads(before);
}

TEST_CASE("vmap never returns its argument", "[math][vmap]")
{
  for (const auto dtype : {at::kDouble, at::kBFloat16})
  {
    const SR2 s(at::ones({3, 6}, dtype));
    auto r = vmap([](auto x) { return x; }, s);
    auto [first, second] =
        vmap([](auto x, auto y) { return std::tuple(x, y); }, s, Scalar(at::ones({4, 1}, dtype)));
    r += 1;
    first += 1;
    second += 1;
    REQUIRE(at::equal(s, at::ones({3, 6}, dtype)));
    REQUIRE(described(second) == "Scalar (4, 3;)");
  }
}

TEST_CASE("vmap records nothing below autograd", "[math][vmap][autograd]")
{
  const SR2 s(at::ones({3, 6}, at::kDouble).requires_grad_());
  const at::AutoDispatchBelowAutograd guard;
  REQUIRE(!vmap([](auto x) { return x * 2.0; }, s).requires_grad());
}

TEST_CASE("a formula ends its loop where all points agree, and a point's result does not depend on "
          "the others",
          "[math][vmap]")
{
  // Heron's method, until each point has converged
  const auto root = [](const auto & a)
  {
    auto x = a + 1.0;
    for (int i = 0; i < 100; i++)
    {
      const auto wrong = abs(x * x - a) > 1e-14 * a && a > 0.0;
      if (!any(wrong))
        return where(wrong, a, x);
      x = where(wrong, 0.5 * (x + a / x), x);
    }
    return x;
  };
  const Scalar a = Scalar(at::logspace(-8, 8, 37, 10, at::kDouble));
  const Scalar x = vmap(root, a);
  REQUIRE(at::allclose(x * x, a, 1e-13, 0));
  for (Size i = 0; i < 37; i++)
    REQUIRE(at::equal(vmap(root, a.batch_index({indexing::Slice(i, i + 1)})),
                      x.batch_index({indexing::Slice(i, i + 1)})));
  const Scalar composed = vmap(root, Scalar(a.to(kFloat32)));
  REQUIRE(at::allclose(composed, x.to(kFloat32), 1e-6, 0));
}

TEST_CASE("a loop that only any() ends is refused where the formula is recorded", "[math][vmap]")
{
  const auto halved = [](const auto & a)
  {
    auto x = a;
    while (any(x > 1.0))
      x = where(x > 1.0, 0.5 * x, x);
    return x;
  };
  const auto waits = [](const auto & a)
  {
    while (any(a > 1.0))
      ;
    return a;
  };
  const Scalar a(at::full({3}, 40.0, at::kDouble)), half(a.to(at::kHalf));
  REQUIRE(at::equal(vmap(halved, a), at::full({3}, 0.625, at::kDouble)));
  REQUIRE_THROWS_AS(vmap(halved, half), NEMLException);
  REQUIRE_THROWS_WITH(vmap(waits, half), ContainsSubstring("a maximum number of iterations"));
}

TEST_CASE("results that are the same number have memory of their own", "[math][vmap]")
{
  const auto twice = [](const auto & x)
  {
    const auto y = x * x;
    return std::tuple(y, y);
  };
  const Scalar x(torch::_neg_view(at::ones({3}, at::kDouble)));
  auto [first, second] = vmap(twice, x);
  first.mul_(2);
  REQUIRE(at::equal(second, at::ones({3}, at::kDouble)));
}

TEST_CASE("formulas read components as batches do", "[math][vmap]")
{
  const auto f = [](const auto & s, const auto & v, const auto & C, const auto & w, const auto & A)
  {
    return s(0, 1) + 2.0 * s(3) + 3.0 * v(-1) + 4.0 * C(0, 1, 2, 0) + 5.0 * C(4, 5) +
           6.0 * w(2, 0) + 7.0 * A(0, 2) + where(s(0) == v(0), s(1), s(2));
  };
  const auto numbers = [](Size n, TensorShape shape)
  { return at::arange(n, at::kDouble).sin().reshape(shape); };
  const SR2 s(numbers(30, {5, 6}));
  const Vec v(numbers(15, {5, 3}));
  const SSR4 C(numbers(180, {5, 6, 6}));
  const WR2 w(numbers(15, {5, 3}));
  const R2 A(numbers(45, {5, 3, 3}));
  const Scalar fused = vmap(f, s, v, C, w, A);
  REQUIRE(at::allclose(fused, f(s, v, C, w, A), 1e-14));
  const auto outside = [](const auto & x) { return x(0, 3); };
  REQUIRE_THROWS_WITH(vmap(outside, s), ContainsSubstring("component index"));
  REQUIRE_THROWS_WITH(outside(s), ContainsSubstring("component index"));
}

TEST_CASE("where chooses between plain numbers of a formula, on every path", "[math][vmap]")
{
  const auto f = [](const auto & x) { return x * where(x > 1.0, 3, 0.5) + where(x < 0.0, 1.0, x); };
  const at::Tensor x = at::tensor({-2.0, 0.5, 1.0, 4.0, NAN}, at::kDouble);
  const auto expected = at::tensor({0.0, 0.75, 1.5, 16.0, NAN}, at::kDouble),
             slope = at::tensor({0.5, 1.5, 1.5, 4.0, 1.5}, at::kDouble);
  REQUIRE(at::allclose(vmap(f, Scalar(x)), expected, 0, 0, /*equal_nan=*/true));
  for (const auto dtype : {kFloat32, at::kHalf})
    REQUIRE(at::allclose(vmap(f, Scalar(x.to(dtype))).to(kFloat64), expected, 0, 0, true));
  const auto leaf = x.clone().requires_grad_();
  REQUIRE(at::equal(torch::autograd::grad({vmap(f, Scalar(leaf)).sum()}, {leaf})[0], slope));
  REQUIRE(at::equal(std::get<1>(value_and_jacobian<0>(f, Scalar(x))), slope));
}
} // namespace vmap_test
