// SPDX-License-Identifier: MIT
#include "neml2/math/recorded_gradient.h"

#include "neml2/engine/autograd.h"
#include "neml2/kernels/kinematics.h"
#include "neml2/math/columns.h"
#include "neml2/recorded/isotropic.h"
#include "neml2/recorded/matrix_functions.h"
#include "neml2/recorded/newton.h"
#include "neml2/recorded/Ruled.h" // its elements and rows
#include "neml2/recorded/systems.h"

#include "support/catch.h"

namespace recorded_gradient_test
{
using namespace neml2;
using engine::RecordedFormula;
using recorded::Number;
using Numbers = std::vector<Number>;
using Formula = std::shared_ptr<const RecordedFormula>;
using Places = std::vector<size_t>;

namespace
{
RecordedFormula::Tensor
tensor_of(const Numbers & x, const TensorShape & base)
{
  RecordedFormula::Tensor t;
  t.base = base;
  for (const Number & a : x)
  {
    t.values.push_back(a.x.id);
    t.partials.push_back(a.d[0].id);
  }
  return t;
}

/// The formula that f records; it has one result.
template <class F>
Formula
formula_of(const std::vector<TensorShape> & bases, const TensorShape & base, const F & f)
{
  recorded::Recording r;
  std::vector<RecordedFormula::Tensor> arguments, results;
  {
    const recorded::Recording::Scope scope(r);
    std::vector<Numbers> all;
    for (const auto & b : bases)
    {
      Numbers x;
      for (Size i = 0; i < c10::multiply_integers(b); i++)
      {
        x.emplace_back(recorded::Symbol::input());
        x.back().d[0] = recorded::Symbol::input();
        r.set_partial(x.back().x.id, x.back().d[0].id);
      }
      arguments.push_back(tensor_of(x, b));
      all.push_back(x);
    }
    results.push_back(tensor_of(f(all), base));
  }
  return std::make_shared<const RecordedFormula>(
      std::move(r), std::move(arguments), std::move(results));
}

/// Arguments as operands.
class Operands
{
public:
  std::vector<core::Operand> all;
  TensorShape batch;

  Operands(const Formula & f, std::vector<at::Tensor> x) : _x(std::move(x))
  {
    for (size_t k = 0; k < _x.size(); k++)
    {
      const TensorShapeRef base(f->arguments()[k].base);
      all.push_back({&_x[k], "argument", _x[k].dim() - Size(base.size()), base});
    }
    batch = core::broadcast_batch("test", all);
  }

private:
  std::vector<at::Tensor> _x;
};

at::Tensor
evaluated(const Formula & f, const std::vector<at::Tensor> & x)
{
  const Operands o(f, x);
  at::Tensor y;
  math::evaluate_recorded("test", f, o.all, o.batch, &y);
  return y;
}
at::Tensor
on_columns(const Formula & f, const std::vector<at::Tensor> & x)
{
  const Operands o(f, x);
  at::Tensor y;
  math::evaluate_on_columns(f->value(), o.all, o.batch, f->bases(), &y);
  return y;
}

using torch::autograd::grad;

/// The derivatives of Σ y², and of the sum of the squares of these: up to the given order.
std::vector<at::Tensor>
derivatives(const at::Tensor & y, const std::vector<at::Tensor> & x, int order)
{
  std::vector<at::Tensor> all;
  at::Tensor sum = y.square().sum();
  for (int k = 1; k <= order; k++)
  {
    at::Tensor next = at::zeros({}, y.options().requires_grad(false));
    for (const auto & g : grad({sum}, x, {}, /*retain_graph=*/true, /*create_graph=*/k < order))
    {
      all.push_back(g.detach());
      next = next + g.square().sum();
    }
    sum = next;
  }
  return all;
}

void
check_close(const std::vector<at::Tensor> & found, const std::vector<at::Tensor> & expected)
{
  REQUIRE(found.size() == expected.size());
  for (size_t k = 0; k < found.size(); k++)
  {
    INFO(k << ": " << (found[k] - expected[k]).abs().max());
    REQUIRE(at::allclose(found[k], expected[k], 1e-9, 1e-9, /*equal_nan=*/true));
  }
}

/// The formula in one pass, on columns, and on columns with the gradient of the formula: the same values, first and second derivatives.
void
check_all_ways(const Formula & f, const std::vector<at::Tensor> & x, int order = 2)
{
  std::vector<at::Tensor> variables, others;
  for (const auto & t : x)
  {
    variables.push_back(t.clone().requires_grad_());
    others.push_back(t.clone().requires_grad_());
  }
  const at::Tensor y = evaluated(f, variables), z = on_columns(f, others);
  REQUIRE(y.sizes() == z.sizes());
  check_close({z.detach()}, {y.detach()});
  const auto expected = derivatives(y, variables, order);
  check_close(derivatives(z, others, order), expected);

  std::vector<at::Tensor> weights{at::rand_like(y)}, by_loop(x.size()), by_columns(x.size());
  const Operands o(f, x);
  const std::unique_ptr<bool[]> needed(new bool[x.size()]);
  std::fill_n(needed.get(), x.size(), true);
  const ArrayRef<bool> all(needed.get(), x.size());
  const auto operands = f->with_weights(o.all, weights);
  REQUIRE(f->backward(operands, all, by_loop.data()));
  math::backward_on_columns(*f, operands, all, by_columns.data());
  check_close(by_columns, by_loop);
}

at::Tensor
rows(at::IntArrayRef batch, Size n)
{
  return n == 0 ? at::rand(batch, kFloat64) : at::rand(utils::add_shapes(batch, {n}), kFloat64);
}

const Formula &
many_operations()
{
  static const Formula f = formula_of(
      {{3}, {}},
      {2},
      [](const std::vector<Numbers> & x)
      {
        const Number &a = x[0][0], &b = x[0][1], &c = x[0][2], &k = x[1][0];
        const Number s = sqrt(a * a + b) + cbrt(c + 1.0) * exp(-k) + log1p(b) * sin(c) - atan(k),
                     t = where(a > b, a * b - c, pow(a + 1.0, 1.5)) / (1.0 + c * c) +
                         maximum(a, c) * minimum(b, k) + macaulay(a - 0.5) + hypot(a, b),
                     u = abs(b - 0.5) * tanh(k) + expm1(a) * cosh(b) + log10(c + 2.0) +
                         atan2(a + 0.1, b + 0.1) + norm_of_square(a * a + c * c);
        return Numbers{s + t, t * u};
      });
  return f;
}
} // namespace

TEST_CASE("a formula on columns has the values and derivatives of the loop", "[recorded_gradient]")
{
  check_all_ways(many_operations(), {rows({7}, 3), rows({7}, 0)});
  check_all_ways(many_operations(), {rows({}, 3), rows({}, 0)});
  check_all_ways(many_operations(), {rows({4, 1}, 3), rows({3}, 0)});
  REQUIRE(on_columns(many_operations(), {rows({0}, 3), rows({}, 0)}).sizes() ==
          TensorShapeRef({0, 2}));
}

TEST_CASE("systems and functions of matrices run on columns as on rows", "[recorded_gradient]")
{
  const at::Tensor A = rows({5}, 16) + 2.0 * at::eye(4, kFloat64).flatten();
  const auto solve =
      formula_of({{16}, {4}},
                 {4},
                 [](const std::vector<Numbers> & x) { return recorded::solve<4>(x[0], x[1]); });
  check_all_ways(solve, {A, rows({5}, 4)});

  const auto of_a_matrix = [](const auto & f)
  {
    return formula_of({{9}},
                      {9},
                      [&](const std::vector<Numbers> & x)
                      { return recorded::elements(f(recorded::row_of<kernels::R2>(x[0]))); });
  };
  const at::Tensor B = 0.2 * rows({5}, 9) + at::eye(3, kFloat64).flatten();
  check_all_ways(of_a_matrix([](const auto & a) { return kernels::inv(a); }), {B});
  check_all_ways(of_a_matrix([](const auto & a) { return kernels::polar_rotation(a); }), {B});
  const auto exponential = of_a_matrix([](const auto & a) { return recorded::expm(a); });
  check_all_ways(exponential, {B}, 1);
  // Formulas refuse the second derivative.
  const at::Tensor x = B.clone().requires_grad_();
  check_close(derivatives(evaluated(exponential, {x}), {x}, 2),
              derivatives(at::linalg_matrix_exp(x.view({5, 3, 3})), {x}, 2));
}

TEST_CASE("functions of symmetric tensors on columns are exact at equal eigenvalues",
          "[recorded_gradient]")
{
  const auto of_a_tensor = [](const auto & f)
  {
    return formula_of({{6}},
                      {6},
                      [&](const std::vector<Numbers> & x)
                      { return recorded::elements(f(recorded::row_of<kernels::SR2>(x[0]))); });
  };
  at::Tensor s = 0.1 * rows({4}, 6) +
                 at::full({6}, 1.0, kFloat64) * at::arange(6, kFloat64).lt(3).to(kFloat64);
  s[0] = at::arange(6, kFloat64).lt(3).to(kFloat64); // the identity
  check_all_ways(of_a_tensor([](const auto & a) { return recorded::expm(a); }), {s});
  check_all_ways(of_a_tensor([](const auto & a) { return recorded::logm(a); }), {s});
  check_all_ways(of_a_tensor([](const auto & a) { return recorded::sqrtm(a); }), {s});
  check_all_ways(of_a_tensor([](const auto & a) { return recorded::powm(a, Number(a[0])); }), {s});
  const auto hencky = formula_of(
      {{9}},
      {6},
      [](const std::vector<Numbers> & x)
      { return recorded::elements(recorded::hencky_strain(recorded::row_of<kernels::R2>(x[0]))); });
  check_all_ways(hencky, {0.2 * rows({5}, 9) + at::eye(3, kFloat64).flatten()});
}

TEST_CASE("newton on columns finds the roots of the loop, with their derivatives",
          "[recorded_gradient]")
{
  const auto one = formula_of(
      {{}},
      {},
      [](const std::vector<Numbers> & a)
      {
        const auto r = [&](const Numbers & x) { return Numbers{x[0] * x[0] * x[0] - a[0][0]}; };
        return recorded::record_newton<1>(r, {Number(1.0)}, {0}, {}).solution;
      });
  check_all_ways(one, {rows({6}, 0) + 0.5}, 3);
  const auto four =
      formula_of({{4}},
                 {4},
                 [](const std::vector<Numbers> & a)
                 {
                   const auto r = [&](const Numbers & x)
                   {
                     Numbers left;
                     for (size_t i = 0; i < 4; i++)
                       left.push_back(x[i] * x[i] + 0.3 * x[(i + 1) % 4] - a[0][i]);
                     return left;
                   };
                   const Numbers guess(4, Number(1.0));
                   return recorded::record_newton<4>(r, guess, {0, 1, 1, 2}, {}).solution;
                 });
  check_all_ways(four, {rows({3, 2}, 4) + 0.5}, 3);
  const at::Tensor beyond = at::full({2}, -1.0, kFloat64);
  REQUIRE(on_columns(four, {at::full({2, 4}, -9.0, kFloat64)}).isnan().all().item<bool>());
  check_close({on_columns(one, {beyond})}, {beyond});
}

TEST_CASE("a batch that no loop can run has the gradient of the formula", "[recorded_gradient]")
{
  // The dimensions do not merge, and there are more than the loop takes.
  std::vector<Size> sizes(10, 2), order(11);
  sizes.push_back(3);
  for (Size d = 0; d < 11; d++)
    order[size_t(d)] = d < 10 ? 9 - d : d;
  const at::Tensor x = at::rand(sizes, kFloat64).permute(order).requires_grad_(),
                   k = rows({}, 0).requires_grad_(),
                   flat = x.detach().contiguous().clone().requires_grad_(),
                   l = k.detach().clone().requires_grad_();
  const at::Tensor y = evaluated(many_operations(), {x, k});
  REQUIRE(y.grad_fn()->name() == "VmapBackward");
  check_close(derivatives(y, {x, k}, 2),
              derivatives(evaluated(many_operations(), {flat, l}), {flat, l}, 2));
}

TEST_CASE("Jacobians of a recorded formula, and their derivatives", "[recorded_gradient]")
{
  const Formula & f = many_operations();
  const auto results = [&](std::vector<at::Tensor> x)
  {
    const Operands o(f, std::move(x));
    std::vector<at::Tensor> t(3);
    math::evaluate_recorded_jacobians("test", f, Places{0, 1}, Places{0}, o.all, o.batch, t.data());
    return t;
  };
  const at::Tensor a = rows({5}, 3), k = rows({5}, 0);
  const auto found = results({a, k});
  REQUIRE(found[1].sizes() == TensorShapeRef({5, 2, 3}));
  const at::Tensor x = a.clone().requires_grad_(), l = k.clone().requires_grad_();
  const at::Tensor y = evaluated(f, {x, l});
  for (Size i = 0; i < 2; i++)
  {
    const auto slope = grad({y.select(-1, i).sum()}, {x, l}, {}, true);
    check_close({found[1].select(1, i), found[2].select(-1, i)}, slope);
  }
  const auto again = results({x, l});
  check_close({again[0].detach(), again[1].detach()}, {found[0], found[1]});
  at::Tensor rows_of_jacobian = at::zeros({}, kFloat64);
  for (Size i = 0; i < 2; i++)
    rows_of_jacobian =
        rows_of_jacobian +
        grad({y.select(-1, i).sum()}, {x}, {}, true, /*create_graph=*/true)[0].square().sum();
  check_close(grad({again[1].square().sum()}, {x, l}), grad({rows_of_jacobian}, {x, l}));
}

TEST_CASE("half precision is computed in float32, integers in float64", "[recorded_gradient]")
{
  const Formula & f = many_operations();
  const at::Tensor a = rows({5}, 3), k = rows({5}, 0);
  for (const Dtype dtype : {kFloat16, Dtype(c10::kBFloat16)})
  {
    const at::Tensor x = a.to(dtype), l = k.to(dtype), y = evaluated(f, {x, l});
    REQUIRE(y.scalar_type() == dtype);
    REQUIRE(at::equal(y, evaluated(f, {x.to(kFloat32), l.to(kFloat32)}).to(dtype)));
  }
  const at::Tensor y = evaluated(f, {at::ones({2, 3}, kInt64), at::ones({2}, kInt64)});
  REQUIRE(at::equal(y, evaluated(f, {at::ones({2, 3}, kFloat64), at::ones({2}, kFloat64)})));
}

TEST_CASE("without values a formula on columns has the shapes of the results",
          "[recorded_gradient]")
{
  const auto meta = at::TensorOptions(kFloat64).device(c10::kMeta);
  const at::Tensor y =
      evaluated(many_operations(), {at::empty({4, 1, 3}, meta), at::empty({2}, meta)});
  REQUIRE(y.is_meta());
  REQUIRE(y.sizes() == TensorShapeRef({4, 2, 2}));
}
} // namespace recorded_gradient_test
