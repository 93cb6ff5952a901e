// SPDX-License-Identifier: MIT
#include "neml2/tensors/gradients.h"
#include "neml2/gradients/rotation.h"
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/parity.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>

#include "support/catch.h"

namespace gradients_test
{
using namespace neml2;
using core::Accepts;
using test::Check;
using test::operation;
using torch::autograd::grad;

namespace
{
/// The Scalar s with the base dimensions of a.
at::Tensor
beside(const at::Tensor & s, const at::Tensor & a)
{
  return s.reshape(
      utils::add_shapes(s.sizes(), TensorShape(size_t(std::max<Size>(0, a.dim() - s.dim())), 1)));
}

/// f of T and Scalar, or of Scalar and T, with f of their raw tensors as the reference.
template <class A, class B, class F>
test::Operation
with_scalar(const char * name, const F & f)
{
  const auto op = operation<A, B>(name,
                                  Accepts::any,
                                  f,
                                  [=](const test::Arguments & a)
                                  { return f(beside(a[0], a[1]), beside(a[1], a[0])); })
                      .without({Check::refusals}); // mixed dtypes are promoted
  return op.name == "/" ? op.without({Check::integers}) : op;
}

/// + - * / of T and Scalar, in both orders.
template <class T>
test::Table
with_scalar()
{
  return {with_scalar<T, Scalar>("+", [](const auto & a, const auto & s) { return a + s; }),
          with_scalar<T, Scalar>("-", [](const auto & a, const auto & s) { return a - s; }),
          with_scalar<T, Scalar>("*", [](const auto & a, const auto & s) { return a * s; }),
          with_scalar<T, Scalar>("/", [](const auto & a, const auto & s) { return a / s; }),
          with_scalar<Scalar, T>("+", [](const auto & s, const auto & a) { return s + a; }),
          with_scalar<Scalar, T>("-", [](const auto & s, const auto & a) { return s - a; }),
          with_scalar<Scalar, T>("*", [](const auto & s, const auto & a) { return s * a; }),
          with_scalar<Scalar, T>("/",
                                 [](const auto & s, const auto & a)
                                 {
                                   using Type = std::decay_t<decltype(a)>;
                                   return s / Type(at::Tensor(a).mul(0.1).add_(2)); // far from 0
                                 })};
}
const test::Battery battery(with_scalar<SR2>);

/// Passes values on, but no gradient back.
struct WithoutGradient : torch::autograd::Function<WithoutGradient>
{
  static at::Tensor forward(torch::autograd::AutogradContext *, const at::Tensor & x)
  {
    return x.clone();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext *,
                                                 const torch::autograd::variable_list &)
  {
    return {at::Tensor()};
  }
};

R2
leaf()
{
  return R2(test::values({5}, {3, 3}, at::kDouble).requires_grad_());
}

std::string
node(const at::Tensor & t)
{
  return t.grad_fn() ? t.grad_fn()->name() : "";
}
} // namespace

TEST_CASE("Arithmetic with a scalar passes the battery", "[tensors][autograd][cuda]")
{
  battery.check();
  for (const auto & table : {with_scalar<Vec>(),
                             with_scalar<R2>(),
                             with_scalar<SSR4>(),
                             with_scalar<WR2>(),
                             with_scalar<Rot>(),
                             with_scalar<Quaternion>()})
    test::check_operations(table);
}

TEST_CASE("The adjoint of skew is the same fused and composed", "[tensors][autograd]")
{
  const auto adjoint = [](const R2 & A) { return gradients::skew_adjoint(A); };
  REQUIRE(test::same_on_both_paths<R2>(adjoint));
  REQUIRE(test::derivatives_are_right<R2>(adjoint));
  const R2 A(at::rand({5, 3, 3}, kFloat64));
  const Vec v(at::rand({5, 3}, kFloat64));
  REQUIRE(at::allclose(A.inner(R2::skew(v)), adjoint(A).dot(v)));
}

TEST_CASE("A recorded operation is one node with the result's edge", "[tensors][autograd]")
{
  const R2 x = leaf();
  const auto y = inv(x);
  REQUIRE(y.requires_grad());
  REQUIRE_FALSE(y.is_leaf());
  REQUIRE(node(y) == "invBackward");
  REQUIRE(y.grad_fn()->next_edges().size() == 1);
  REQUIRE(node(x * inv(x.detach())) == "R2 * R2Backward");
  REQUIRE_FALSE(inv(x.detach()).requires_grad());
}

TEST_CASE("Nothing is recorded where gradients are off", "[tensors][autograd]")
{
  const R2 x = leaf();
  const at::NoGradGuard guard;
  const auto y = inv(x);
  REQUIRE_FALSE(y.requires_grad());
  REQUIRE(node(y).empty());
}

TEST_CASE("Without the rules an operation is composed", "[tensors][autograd]")
{
  const R2 x = leaf();
  const test::WithoutGradientRules guard;
  REQUIRE(inv(x).requires_grad());
  REQUIRE(node(inv(x)) != "invBackward");
}

TEST_CASE("A graph can be kept, and is gone if it is not", "[tensors][autograd]")
{
  const R2 x = leaf();
  const auto y = det(x).sum();
  const auto first = grad({y}, {x}, {}, /*retain_graph=*/true)[0];
  REQUIRE(at::equal(grad({y}, {x}, {}, true)[0], first));
  REQUIRE(at::equal(grad({y}, {x})[0], first));
  REQUIRE_THROWS_AS(grad({y}, {x}), c10::Error);
}

TEST_CASE("Changing a saved argument in place is refused", "[tensors][autograd]")
{
  const R2 x = leaf();
  R2 y = x * Scalar(at::full({}, 2.0, at::kDouble));
  const auto z = det(y).sum();
  y.add_(1);
  REQUIRE_THROWS_AS(grad({z}, {x}), c10::Error);
}

TEST_CASE("An argument given twice counts twice", "[tensors][autograd]")
{
  const R2 x = leaf();
  const auto y = x * x;
  REQUIRE(node(y) == "R2 * R2Backward");
  const R2 g(at::rand({5, 3, 3}, at::kDouble));
  REQUIRE(at::allclose(grad({y}, {x}, {g})[0], g * x.transpose() + x.transpose() * g));

  const auto first = grad({(x * x).sum()}, {x}, {}, true, /*create_graph=*/true)[0];
  const test::WithoutGradientRules guard;
  const auto composed = grad({(x * x).sum()}, {x}, {}, true, true)[0];
  REQUIRE(at::allclose(grad({first.pow(2).sum()}, {x})[0], grad({composed.pow(2).sum()}, {x})[0]));
}

TEST_CASE("Gradients accumulate in leaves, and through expanded ones", "[tensors][autograd]")
{
  const R2 shared(test::values({}, {3, 3}, at::kDouble).requires_grad_());
  const R2 x = leaf();
  (shared * x).sum().backward();
  (shared * x).sum().backward();
  REQUIRE(shared.grad().sizes() == shared.sizes());
  REQUIRE(at::allclose(
      shared.grad(), 2 * at::matmul(at::ones({3, 3}, at::kDouble), x.transpose().sum(0).detach())));
}

TEST_CASE("No gradient comes out where none comes in", "[tensors][autograd]")
{
  const R2 x = leaf(), unused = leaf();
  const auto y = WithoutGradient::apply(core::raw(inv(x)));
  REQUIRE_FALSE(grad({y.sum()}, {x}, {}, true, false, /*allow_unused=*/true)[0].defined());
  const auto g = grad({y.sum() + det(x).sum()}, {x, unused}, {}, false, false, true);
  REQUIRE(at::equal(g[0], grad({det(x).sum()}, {x})[0]));
  REQUIRE_FALSE(g[1].defined());
}

TEST_CASE("Only what is asked for is differentiated", "[tensors][autograd]")
{
  const R2 x = leaf(), y = leaf();
  const auto z = (x * y).sum();
  REQUIRE(at::allclose(grad({z}, {y})[0],
                       at::matmul(x.transpose().detach(), at::ones({3, 3}, at::kDouble))));
}

TEST_CASE("The gradients of norms at zero are zero by their rules, also the second ones",
          "[tensors][autograd]")
{
  const auto vanish = [](const auto & a)
  {
    const auto n = norm(a);
    REQUIRE(node(n) == "normBackward");
    const auto g = grad({n.sum()}, {a}, {}, true, /*create_graph=*/true)[0];
    REQUIRE(at::equal(g, at::zeros_like(a)));
    REQUIRE(at::equal(grad({g.sum()}, {a})[0], at::zeros_like(a)));
  };
  vanish(Vec(at::zeros({2, 3}, at::kDouble).requires_grad_()));
  vanish(R2(at::zeros({2, 3, 3}, at::kDouble).requires_grad_()));
  vanish(SR2(at::zeros({2, 6}, at::kDouble).requires_grad_()));
  vanish(SSR4(at::zeros({2, 6, 6}, at::kDouble).requires_grad_()));
}

TEST_CASE("NaN stays NaN in gradients of norms", "[tensors][autograd]")
{
  const SR2 a(at::full({1, 6}, NAN, at::kDouble).requires_grad_());
  REQUIRE(grad({norm(a).sum()}, {a})[0].isnan().all().item<bool>());
}

TEST_CASE("The determinant's gradient is finite where the tensor is singular",
          "[tensors][autograd]")
{
  const R2 A(R2::fill(1, 2, 0).requires_grad_());
  REQUIRE(at::equal(grad({det(A)}, {A})[0], R2::fill(0, 0, 2)));
  const SR2 s(SR2::fill(1, 2, 0).requires_grad_());
  REQUIRE(at::equal(grad({det(s)}, {s})[0], SR2::fill(0, 0, 2)));
}

TEST_CASE("Third derivatives are those of the composed path", "[tensors][autograd]")
{
  const R2 x = leaf();
  const auto third = [&]
  {
    at::Tensor y = inv(x).sum();
    for (int order = 0; order < 3; order++)
      y = grad({y}, {x}, {}, true, /*create_graph=*/true)[0].pow(2).sum();
    return y;
  };
  const auto fused = third();
  const test::WithoutGradientRules guard;
  REQUIRE(at::allclose(fused, third(), 1e-10));
}
} // namespace gradients_test
