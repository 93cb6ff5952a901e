// SPDX-License-Identifier: MIT
#include "neml2/math/autograd.h"

#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/spectral.h"
#include "neml2/tensors/tensors.h"
#include "support/formulas.h"
#include "support/parity.h"

#include <torch/csrc/autograd/function.h>
#include <torch/types.h>

#include <thread>

#include "support/catch.h"

namespace autograd_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::Arguments;
using test::Verdict;
using torch::autograd::grad;

namespace
{
at::Tensor
random(at::IntArrayRef shape, Dtype dtype = kFloat64)
{
  return torch::rand(shape, kFloat64).add(0.5).to(dtype);
}

at::Tensor
variable(at::IntArrayRef shape)
{
  return random(shape).requires_grad_();
}

/// One formula, evaluated in three ways.
struct Formula
{
  test::Operation vmap, with_gradient, composed;
};

template <class... T, class F>
Formula
formula(const std::string & name, const F & f)
{
  return {test::composed<T...>(name, [f](const T &... t) { return vmap(f, t...); }),
          test::composed<T...>(name + " with_gradient",
                               [f](const T &... t) { return vmap(with_gradient(f), t...); }),
          test::composed<T...>(name + " composed", f)};
}

constexpr auto elastic = [](auto C, auto e) { return C * e; };
constexpr auto product = [](auto a, auto b) { return a * b * b; };

const std::vector<Formula> &
formulas()
{
  static const std::vector<Formula> all{
      formula<SSR4, SR2>("elastic law", elastic),
      formula<SR2, SR2, Scalar, Scalar, Scalar>("radial return", test::radial_return),
      formula<R2, Vec>("vectors",
                       [](const auto & A, const auto & v)
                       { return std::tuple(inner(v, A * v), cross(v, A * v) / norm(v), inv(A)); }),
      formula<Scalar, Scalar>("functions",
                              [](auto a, auto b)
                              {
                                return exp(a) * log(b) + sin(a) / cos(b) - pow(a, b) + tan(a) +
                                       sqrt(b) * atan2(a, b) + asin(a) * acos(b) + maximum(a, 0.2) -
                                       minimum(b, a) + abs(a - b);
                              })};
  return all;
}

/// Gradients of a projection of the operation's results.
Verdict
gradients(const test::Operation & op,
          const Arguments & a,
          const at::Tensor & weight,
          Arguments & found)
{
  Arguments x;
  for (const auto & t : a)
    x.push_back(t.detach().requires_grad_());
  const at::Tensor y = op.call(x);
  found = grad({(y * weight.to(y.dtype())).sum()}, x);
  for (size_t k = 0; k < a.size(); k++)
    if (found[k].sizes() != a[k].sizes() || found[k].dtype() != a[k].dtype())
      return test::no(
          op.name, " gives a gradient of ", found[k].sizes(), " for", test::describe(a));
  return {};
}

/// Whether the gradients of both nodes of vmap are those of the composed formula.
Verdict
gradients_agree(const Formula & f, const Arguments & a, double tolerance)
{
  Arguments wide, expected;
  for (const auto & t : a)
    wide.push_back(t.to(kFloat64));
  const auto weight = torch::rand_like(at::Tensor(f.composed.call(wide)));
  if (auto v = gradients(f.composed, wide, weight, expected); !v)
    return v;
  for (const auto & op : {f.vmap, f.with_gradient})
  {
    Arguments found;
    if (auto v = gradients(op, a, weight, found); !v)
      return v;
    for (size_t k = 0; k < a.size(); k++)
      if (const auto d = test::difference(found[k].to(kFloat64), expected[k], tolerance);
          !d.empty())
        return test::no(op.name, " by argument ", k, " has ", d, "\nfor", test::describe(a));
  }
  return {};
}

std::string
node_of(const at::Tensor & t)
{
  return t.grad_fn() ? t.grad_fn()->name() : "none";
}
} // namespace

TEST_CASE("gradients of vmap are those of the composed formula, for all batches",
          "[math][autograd]")
{
  const std::vector<test::Batches> all{{{}},
                                       {{1}},
                                       {{127}},
                                       {{128}},
                                       {{129}},
                                       {{1000}},
                                       {{2, 3}},
                                       {{0}},
                                       {{3, 1}, {5}},
                                       {{5}, {3, 1}},
                                       {{}, {300}},
                                       {{1000}, {}},
                                       {{1}, {129}},
                                       {{129}, {1}},
                                       {{2, 1, 4}, {3, 1}},
                                       {{2, 130, 3}, {130, 1}, {}, {3}},
                                       {{40, 1}, {1, 40}, {1, 1}},
                                       {{1}, {0}},
                                       {{70000}, {}, {1}}};
  for (const auto & f : formulas())
    for (const auto & batches : all)
      REQUIRE(gradients_agree(f, arguments(f.composed, batches), 1e-10));
}

TEST_CASE("gradients of vmap are right for arguments of any layout, and for float32",
          "[math][autograd]")
{
  for (const auto & f : formulas())
    for (const auto & batches : {test::Batches{{33}}, test::Batches{{5, 1}, {7}}})
      for (int layout = 0; layout < test::layouts; layout++)
        for (const auto dtype : {kFloat64, kFloat32})
        {
          auto a = arguments(f.composed, batches, dtype);
          for (size_t k = 0; k < a.size(); k++)
            a[k] = lay_out(
                test::Layout((layout + int(k)) % test::layouts), a[k], f.composed.base[k].size());
          REQUIRE(gradients_agree(f, a, dtype == kFloat64 ? 1e-10 : 1e-5));
        }
}

TEST_CASE("second derivatives of vmap are those of the composed formula", "[math][autograd]")
{
  for (const auto & f : formulas())
    for (const auto & batches : {test::Batches{{2}}, test::Batches{{2, 1}, {3}}})
    {
      const auto a = arguments(f.composed, batches);
      const auto weight = torch::rand_like(at::Tensor(f.composed.call(a)));
      Arguments direction;
      for (const auto & t : a)
        direction.push_back(torch::rand_like(t));
      const auto second = [&](const test::Operation & op)
      {
        Arguments x;
        for (const auto & t : a)
          x.push_back(t.detach().requires_grad_());
        const at::Tensor y = op.call(x);
        const auto g = grad({(y * weight).sum()}, x, {}, true, /*create_graph=*/true);
        at::Tensor slope = torch::zeros({}, kFloat64);
        for (size_t k = 0; k < x.size(); k++)
          slope = slope + (g[k] * direction[k]).sum();
        if (!slope.requires_grad())
          return Arguments();
        return grad({slope}, x, {}, true, true, /*allow_unused=*/true);
      };
      const auto expected = second(f.composed);
      for (const auto & op : {f.vmap, f.with_gradient})
      {
        const auto found = second(op);
        REQUIRE(found.size() == expected.size());
        for (size_t k = 0; k < found.size(); k++)
        {
          INFO(op.name << " by argument " << k);
          const auto zero = torch::zeros_like(a[k]);
          REQUIRE(test::difference(found[k].defined() ? found[k] : zero,
                                   expected[k].defined() ? expected[k] : zero,
                                   1e-10) == "");
        }
      }
    }
}

TEST_CASE("third derivatives go through vmap too", "[math][autograd]")
{
  const Scalar x(variable({3}));
  const at::Tensor y = vmap(with_gradient([](auto a) { return a * a * a * a; }), x);
  const auto first = grad({y.sum()}, {x}, {}, true, true)[0];
  const auto second = grad({first.sum()}, {x}, {}, true, true)[0];
  const auto third = grad({second.sum()}, {x}, {}, true, true)[0];
  REQUIRE(torch::allclose(first, 4 * x.pow(3)));
  REQUIRE(torch::allclose(second, 12 * x.pow(2)));
  REQUIRE(torch::allclose(third, at::Tensor(24 * x)));
}

TEST_CASE("vmap is one node of the graph", "[math][autograd]")
{
  const SR2 e(variable({4, 6}));
  const SSR4 C(random({6, 6}));
  REQUIRE(node_of(vmap(elastic, C, e)) == "VmapBackward");
  REQUIRE(node_of(vmap(with_gradient(elastic), C, e)) == "VmapBackward");
  const auto [stress, slip] = vmap(with_gradient(test::radial_return), e, e, 2.0, 0.3, 0.5);
  REQUIRE(node_of(stress) == "VmapBackward");
  REQUIRE(stress.grad_fn() == slip.grad_fn());
  REQUIRE((stress.output_nr() == 0 && slip.output_nr() == 1));
  const double k = 2;
  REQUIRE(node_of(vmap([k](auto x) { return k * x; }, e)) == "VmapBackward");
  const SR2 b(e.detach().to(c10::kBFloat16).requires_grad_());
  REQUIRE(node_of(vmap(with_gradient([](auto x) { return 2.0 * x; }), b)) != "VmapBackward");
}

TEST_CASE("no gradient is recorded where none is wanted", "[math][autograd]")
{
  const SR2 x(variable({4, 6}));
  const auto f = with_gradient([](auto a) { return 2.0 * a; });
  REQUIRE(!vmap(f, SR2(x.detach())).requires_grad());
  {
    const torch::NoGradGuard guard;
    REQUIRE(!vmap(f, x).requires_grad());
  }
  {
    const c10::InferenceMode guard;
    const SR2 r = vmap(f, x);
    REQUIRE((!r.requires_grad() && r.is_inference()));
  }
  REQUIRE(vmap(f, x).requires_grad());
}

TEST_CASE("only the gradients that are needed are computed", "[math][autograd]")
{
  const auto f = with_gradient(product);
  for (const bool first : {true, false})
  {
    const Scalar a(random({3, 1}).set_requires_grad(first)),
        b(random({4}).set_requires_grad(!first));
    const Scalar r = vmap(f, a, b);
    r.sum().backward();
    REQUIRE(a.grad().defined() == first);
    REQUIRE(b.grad().defined() == !first);
    if (first)
      REQUIRE(torch::allclose(a.grad(), (b * b).sum().expand({3, 1})));
    else
      REQUIRE(torch::allclose(b.grad(), at::Tensor(2 * b * a.sum())));
  }
  const Scalar a(variable({3})), b(variable({3}));
  const auto only = grad({at::Tensor(vmap(f, a, b)).sum()}, {b})[0];
  REQUIRE(torch::allclose(only, at::Tensor(2 * a * b)));
  REQUIRE(!a.grad().defined());
}

TEST_CASE("numbers may be arguments where gradients are recorded", "[math][autograd]")
{
  const Scalar b(variable({300}));
  for (const auto & r : {vmap(product, 3, b),
                         vmap(with_gradient(product), 3, b),
                         vmap(with_gradient(product), 3.0f, b)})
    REQUIRE(torch::allclose(grad({r.sum()}, {b})[0], at::Tensor(6 * b)));
  REQUIRE(torch::allclose(grad({vmap(with_gradient(product), b, 0.1).sum()}, {b})[0],
                          torch::full({300}, 0.01, kFloat64)));
}

TEST_CASE("an argument may be given twice", "[math][autograd]")
{
  const Scalar x(variable({200}));
  for (const auto & r : {vmap(product, x, x), vmap(with_gradient(product), x, x)})
    for (const bool create_graph : {false, true})
      REQUIRE(
          torch::allclose(grad({r.sum()}, {x}, {}, true, create_graph)[0], 3 * at::Tensor(x * x)));
  const Scalar y(vmap(with_gradient(product), x, x));
  const Scalar z(vmap(with_gradient(product), y, x)); // x⁵ through two nodes
  REQUIRE(torch::allclose(grad({z.sum()}, {x})[0], 5 * x.pow(4)));
}

TEST_CASE("incoming gradients may be strided, expanded, lazy or undefined", "[math][autograd]")
{
  const auto f =
      with_gradient([](auto a, auto v) { return std::tuple(a * v, inner(v, v) * a, 3.0 * v); });
  const Scalar a(variable({33}));
  const Vec v(variable({33, 3}));
  const auto w = random({33, 3}), u = random({33});
  const auto result = [&] { return vmap(f, a, v); };
  const auto same = [&](const at::Tensor & y, const at::Tensor & expected)
  {
    const auto found = grad({y}, {a, v}, {}, false, false, true),
               right = grad({expected}, {a, v}, {}, true, false, true);
    const Arguments zero{torch::zeros_like(a), torch::zeros_like(v)};
    for (size_t k = 0; k < 2; k++)
      if (!torch::allclose(found[k].defined() ? found[k] : zero[k],
                           right[k].defined() ? right[k] : zero[k],
                           1e-12,
                           1e-12))
        return false;
    return true;
  };
  const at::Tensor x = at::Tensor(a).unsqueeze(-1) * v, y = (at::Tensor(v) * v).sum(-1) * a,
                   z = 3 * at::Tensor(v);
  // only one result or two: the gradients of the others are undefined
  REQUIRE(same(at::Tensor(std::get<0>(result())).sum(), x.sum()));
  REQUIRE(same(at::Tensor(std::get<1>(result())).sum(), y.sum()));
  REQUIRE(same(at::Tensor(std::get<2>(result())).sum(), z.sum()));
  REQUIRE(same((at::Tensor(std::get<0>(result())) * w).sum(), (x * w).sum()));
  // transposed, every second entry, expanded
  REQUIRE(same((at::Tensor(std::get<0>(result())).t().contiguous() * w.t()).pow(2).sum(),
               (x * w).pow(2).sum()));
  REQUIRE(same(at::Tensor(std::get<0>(result())).slice(0, 0, 33, 2).select(1, 1).sum(),
               x.slice(0, 0, 33, 2).select(1, 1).sum()));
  const auto with = [&](const at::Tensor & g)
  {
    const auto found = grad({std::get<0>(result())}, {a, v}, {g}),
               right = grad({x}, {a, v}, {g.resolve_neg().contiguous()}, true);
    return torch::allclose(found[0], right[0]) && torch::allclose(found[1], right[1]);
  };
  REQUIRE(with(random({1}).expand({33, 3})));
  REQUIRE(with(random({3, 33}).t()));
  REQUIRE(with(random({66, 6}).slice(0, 0, 66, 2).slice(1, 1, 6, 2)));
  REQUIRE(with(torch::_neg_view(w))); // composed
  // all three results
  const auto [p, q, r] = result();
  REQUIRE(same((at::Tensor(p) * w).sum() + (at::Tensor(q) * u).sum() + at::Tensor(r).prod(),
               (x * w).sum() + (y * u).sum() + z.prod()));
}

TEST_CASE("a graph may be kept for another backward, and is gone otherwise", "[math][autograd]")
{
  const Scalar a(variable({3})), b(variable({3}));
  for (const bool dual : {true, false})
  {
    const Scalar r = dual ? vmap(with_gradient(product), a, b) : vmap(product, a, b);
    const at::Tensor y = r.sum();
    const auto first = grad({y}, {a}, {}, /*retain_graph=*/true)[0];
    REQUIRE(torch::equal(first, grad({y}, {a})[0]));
    REQUIRE_THROWS_WITH(grad({y}, {a}), ContainsSubstring("second time"));
  }
}

TEST_CASE("an argument that was modified in place is noticed", "[math][autograd]")
{
  for (const bool dual : {true, false})
  {
    const Scalar a(variable({3}));
    Scalar b(random({3}));
    const Scalar r = dual ? vmap(with_gradient(product), a, b) : vmap(product, a, b);
    b.mul_(2);
    REQUIRE_THROWS_WITH(r.sum().backward(), ContainsSubstring("modified by an inplace"));
  }
  const Scalar a(variable({3})), b(random({3}));
  const Scalar r = vmap(with_gradient(product), a, b);
  r.mul_(2); // the node does not save the result
  REQUIRE(torch::allclose(grad({r.sum()}, {a})[0], at::Tensor(2 * b * b)));
}

TEST_CASE("captured formulas have their gradients too", "[math][autograd]")
{
  const SR2 x(variable({7, 6}));
  at::Tensor y;
  {
    const double k = 3;
    const auto f = [k](auto a) { return k * norm_sq(a); };
    y = vmap(f, x);
  }
  REQUIRE(torch::allclose(grad({y.sum()}, {x})[0], at::Tensor(6 * x)));
}

TEST_CASE("vmap's results are tensors like any other of autograd", "[math][autograd]")
{
  const SSR4 C(variable({6, 6}));
  const SR2 e(variable({50, 6}));
  const auto loss = [&](const SR2 & stress)
  {
    const at::Tensor s = stress;
    return torch::relu(s.matmul(s.t()) - 1).mean() + torch::cumsum(s, 0).pow(2).mean();
  };
  const auto input = SR2(torch::sin(e)); // its node precedes vmap's
  const auto found = grad({loss(vmap(with_gradient(elastic), C, input))}, {C, e}),
             expected = grad({loss(C * SR2(torch::sin(e)))}, {C, e});
  REQUIRE(torch::allclose(found[0], expected[0], 1e-11, 1e-12));
  REQUIRE(torch::allclose(found[1], expected[1], 1e-11, 1e-12));
  // accumulated over two backwards
  vmap(with_gradient(elastic), C, e).sum().backward();
  vmap(with_gradient(elastic), C, e).sum().backward();
  REQUIRE(torch::allclose(C.grad(), (2 * e.detach().sum(0)).expand({6, 6})));
  const SR2 kept = vmap(with_gradient(elastic), C, e);
  kept.retain_grad();
  kept.sum().backward();
  REQUIRE(torch::equal(kept.grad(), torch::ones({50, 6}, kFloat64)));
}

TEST_CASE("backward may run on other threads, and on several at once", "[math][autograd]")
{
  const SR2 e(variable({3000, 6}));
  const SSR4 C(variable({6, 6}));
  const at::Tensor y = vmap(with_gradient(elastic), C, e).sum();
  const auto expected = grad({y}, {C, e}, {}, true);
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (auto & count : right)
    threads.emplace_back(
        [&]
        {
          for (int i = 0; i < 5; i++)
          {
            const auto shared = grad({y}, {C, e}, {}, true); // the same node
            const auto own = grad({vmap(with_gradient(elastic), C, e).sum()}, {C, e});
            for (size_t k = 0; k < 2; k++)
              count += torch::allclose(shared[k], expected[k], 1e-12, 1e-12) &&
                       torch::allclose(own[k], expected[k], 1e-12, 1e-12);
          }
        });
  for (auto & t : threads)
    t.join();
  REQUIRE(right == std::vector<int>(4, 10));
}

TEST_CASE("the gradient at the yield corner and at zero is one of the subgradients",
          "[math][autograd]")
{
  const auto zero = torch::zeros({3, 6}, kFloat64).requires_grad_();
  const auto n = vmap(with_gradient([](auto s) { return norm(dev(s)); }), SR2(zero));
  REQUIRE(torch::equal(grad({n.sum()}, {zero})[0], torch::zeros({3, 6}, kFloat64)));
  const auto f = formula<SR2, SR2, Scalar, Scalar, Scalar>("radial return", test::radial_return);
  const auto s = torch::tensor({{0.25, -0.25, 0., 0., 0., 0.}, {0., 0., 0., 0., 0., 0.}}, kFloat64);
  const at::Tensor E = torch::full({}, 2.0, kFloat64), nu = torch::full({}, 0.25, kFloat64),
                   yield = (2.0 / 1.25) * s[0].norm();
  REQUIRE(gradients_agree(f, {s, torch::zeros({6}, kFloat64), E, nu, yield}, 1e-10));
}

TEST_CASE("functions of tensors have two derivatives at equal eigenvalues", "[math][autograd]")
{
  const SR2 s(at::tensor({1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, kFloat64).requires_grad_());
  const SR2 e(at::tensor({0.3, -0.2, 0.5, 0.7, -0.4, 0.6}, kFloat64));
  const auto along = [&](const auto & f)
  {
    const auto g = torch::autograd::grad({vmap(f, s)}, {s}, {}, true, /*create_graph=*/true)[0];
    return torch::autograd::grad({(g * e).sum()}, {s})[0];
  };
  const at::Tensor identity = SR2::identity();
  REQUIRE(torch::allclose(along([](const auto & x) { return tr(expm(x)); }), e * std::exp(1.0)));
  REQUIRE(torch::allclose(along([](const auto & x) { return tr(powm(x, 1.5)); }), 0.75 * e));
  REQUIRE(torch::allclose(along([](const auto & x) { return tr(powm(x, 3)); }), 6.0 * e));
  REQUIRE(torch::allclose(along([](const auto & x) { return det(x); }),
                          tr(e).item<double>() * identity - e));
  const SR2 distinct(at::tensor({1.0, 2.0, 4.0, 0.1, 0.2, 0.3}, kFloat64).requires_grad_());
  const auto frame = [](const auto & x) { return eigh(x).second; };
  const at::Tensor w = at::arange(9, kFloat64).reshape({3, 3});
  const auto found = torch::autograd::grad({(vmap(frame, distinct) * w).sum()}, {distinct})[0],
             expected = torch::autograd::grad({(frame(distinct) * w).sum()}, {distinct})[0];
  REQUIRE(torch::allclose(found, expected));
}

TEST_CASE("a batch of too many dimensions for a plan has its gradient composed", "[math][autograd]")
{
  at::Tensor many = random({3, 3, 3, 3, 3, 3, 3, 3, 3});
  for (int d = 0; d < 9; d++)
    many = many.slice(d, 0, 3, 2);
  const Scalar x(many.detach().requires_grad_());
  const Scalar b(random({2}));
  REQUIRE(torch::allclose(grad({vmap(with_gradient(product), b, x).sum()}, {x})[0],
                          at::Tensor(2 * b * x)));
}

TEST_CASE("a gradient that is zero is zero where the backward is not fused", "[math][autograd]")
{
  // Ten dimensions that merge in the forward pass, but not in the backward pass, where the gradient is permuted
  const std::vector<int64_t> twos(10, 2), back{9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  const auto x = at::rand(twos, at::kDouble).requires_grad_(),
             y = at::rand(twos, at::kDouble).requires_grad_();
  const auto r =
      vmap(with_gradient([](auto a, auto b) { return a * 2.0 + where(b > 10.0, b, 0.0) * 0.0; }),
           Scalar(x),
           Scalar(y));
  const auto w = at::rand(twos, at::kDouble).permute(back);
  const auto g = grad({r}, {x, y}, {w});
  REQUIRE(at::allclose(g[0], 2 * w));
  REQUIRE(at::equal(g[1], at::zeros(twos, at::kDouble)));
}

TEST_CASE("tensors of inference mode take part in what autograd records", "[math][autograd]")
{
  SR2 inside;
  {
    const c10::InferenceMode guard;
    inside = SR2(at::ones({3, 6}, at::kDouble));
  }
  const auto E = at::full({3}, 2.0, at::kDouble).requires_grad_();
  const auto r = vmap(with_gradient([](auto s, auto e) { return s * e; }), inside, Scalar(E));
  REQUIRE(at::equal(grad({r.sum()}, {E})[0], at::full({3}, 6.0, at::kDouble)));
}

enum class Curve
{
  linear,
  quadratic
};
struct Hardening
{
  Curve curve;
  double modulus;

  template <class T>
  T operator()(const T & strain) const
  {
    return curve == Curve::linear ? T(modulus * strain) : T(modulus * strain * strain);
  }
};

TEST_CASE("a formula may hold a value of an enumeration", "[math][autograd]")
{
  const auto x = at::full({3}, 2.0, at::kDouble).requires_grad_();
  for (int turn = 0; turn < 2; turn++) // the second time from the recordings that are known
    for (const auto & [curve, slope] :
         {std::pair(Curve::linear, 5.0), std::pair(Curve::quadratic, 20.0)})
    {
      const Hardening f{curve, 5.0};
      const auto expected = at::full({3}, slope, at::kDouble);
      REQUIRE(at::equal(grad({vmap(with_gradient(f), Scalar(x)).sum()}, {x})[0], expected));
      REQUIRE(at::equal(grad({vmap(f, Scalar(x)).sum()}, {x})[0], expected));
    }
}
} // namespace autograd_test
