// SPDX-License-Identifier: MIT
#include "neml2/math/elementwise.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/derivatives.h"
#include "support/parity.h"
#include "support/refusals.h"

#include <cmath>

#include "support/catch.h"

using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
using NumberFunction = double (*)(double);

/// A function of one argument, and the same of a number by the standard library.
struct Function
{
  test::Operation op;
  NumberFunction number;
};

template <class T>
std::vector<Function>
functions_of()
{
  const auto make = [](const char * name, Accepts accepts, auto f, NumberFunction number) {
    return Function{operation<T>(name, accepts, f), number};
  };
  constexpr auto floating = Accepts::floating;
  return {make(
              "abs", Accepts::numbers, [](const T & a) { return abs(a); }, std::abs),
          make(
              "sqrt", floating, [](const T & a) { return sqrt(a); }, std::sqrt),
          make(
              "exp", floating, [](const T & a) { return exp(a); }, std::exp),
          make(
              "log", floating, [](const T & a) { return log(a); }, std::log),
          make(
              "sin", floating, [](const T & a) { return sin(a); }, std::sin),
          make(
              "cos", floating, [](const T & a) { return cos(a); }, std::cos),
          make(
              "tan", floating, [](const T & a) { return tan(a); }, std::tan),
          make(
              "asin", floating, [](const T & a) { return asin(a); }, std::asin),
          make(
              "acos", floating, [](const T & a) { return acos(a); }, std::acos)};
}

/// Functions of one argument: of a type without, with one and with two base dimensions.
const std::vector<Function> &
functions()
{
  static const std::vector<Function> all = []
  {
    std::vector<Function> f = functions_of<Scalar>();
    for (const auto & more : {functions_of<Vec>(), functions_of<SSR4>()})
      f.insert(f.end(), more.begin(), more.end());
    return f;
  }();
  return all;
}

/// One more dimension for each base dimension, for arguments of one number a batch entry.
at::Tensor
column(const at::Tensor & t, int n)
{
  return n == 0 ? t : column(t.unsqueeze(-1), n - 1);
}

/// Functions of an A and a B, each with its reference; n and m: the base dimensions they lack.
template <class A, class B>
std::vector<test::Operation>
binary_functions_of(int n, int m)
{
  return {operation<A, B>(
              "pow",
              Accepts::numbers,
              [](const A & a, const B & b) { return pow(a, b); },
              [=](const Arguments & a)
              { return at::exp(column(a[1], m) * at::log(column(a[0], n))); }),
          operation<A, B>(
              "maximum",
              Accepts::numbers,
              [](const A & a, const B & b) { return maximum(a, b); },
              [=](const Arguments & a) { return at::maximum(column(a[0], n), column(a[1], m)); }),
          operation<A, B>(
              "minimum",
              Accepts::numbers,
              [](const A & a, const B & b) { return minimum(a, b); },
              [=](const Arguments & a) { return at::minimum(column(a[0], n), column(a[1], m)); })};
}

const std::vector<test::Operation> &
binary_functions()
{
  static const std::vector<test::Operation> all = []
  {
    std::vector<test::Operation> f = binary_functions_of<Scalar, Scalar>(0, 0);
    for (const auto & more : {binary_functions_of<Vec, Vec>(0, 0),
                              binary_functions_of<SR2, Scalar>(0, 1),
                              binary_functions_of<Scalar, SSR4>(2, 0)})
      f.insert(f.end(), more.begin(), more.end());
    const auto angle = [](const Arguments & a) { // arg(x + i y)
      return at::imag(at::log(at::complex(a[1], a[0])));
    };
    f.push_back(operation<Scalar, Scalar>(
        "atan2",
        Accepts::floating,
        [](const Scalar & y, const Scalar & x) { return atan2(y, x); },
        angle));
    f.push_back(operation<SR2, SR2>(
        "atan2",
        Accepts::floating,
        [](const SR2 & y, const SR2 & x) { return atan2(y, x); },
        angle));
    return f;
  }();
  return all;
}

/// The function agrees with the standard library's on every entry, whatever the memory layout.
test::Verdict
agrees_on_every_entry(const Function & f)
{
  for (const auto dtype : {kFloat64, kFloat32})
    for (const auto & batches : test::batches_for(f.op))
      for (int layout = 0; layout < test::layouts; layout++)
      {
        const auto x = test::lay_out(
            test::Layout(layout), test::arguments(f.op, batches, dtype)[0], f.op.base[0].size());
        at::Tensor expected = x.to(kFloat64).contiguous().clone();
        double * const p = expected.data_ptr<double>();
        for (int64_t i = 0; i < expected.numel(); i++)
          p[i] = f.number(p[i]);
        const auto y = f.op.call({x});
        const double tolerance = dtype == kFloat64 ? 1e-13 : 1e-5;
        if (y.dtype() != dtype || y.sizes() != x.sizes() ||
            TensorShape(y.batch_sizes()) != batches[0] ||
            !at::allclose(
                y.to(TensorOptions(kFloat64)), expected, tolerance, tolerance, /*equal_nan=*/true))
          return test::no(f.op.name, " gives ", y, "expected\n", expected);
      }
  return {};
}

Scalar
numbers(std::initializer_list<double> v)
{
  return Scalar(at::tensor(std::vector<double>(v), at::kDouble));
}

/// The same numbers, NaN equal to NaN.
bool
same(const at::Tensor & a, std::initializer_list<double> b)
{
  return at::allclose(a, numbers(b), 0, 1e-15, /*equal_nan=*/true);
}

/// Derivatives of Σ y by each x.
Arguments
slopes(const at::Tensor & y, const Arguments & x)
{
  return torch::autograd::grad({y.sum()}, x, {}, true, true);
}
} // namespace

TEST_CASE("Functions of one argument are the standard library's, entry by entry", "[math]")
{
  for (const auto & f : functions())
    REQUIRE(agrees_on_every_entry(f));
}

TEST_CASE("Functions of one argument have the derivatives of their difference quotients",
          "[math][autograd]")
{
  for (const auto & f : functions_of<Scalar>())
  {
    REQUIRE(test::first_derivatives_are_right(f.op));
    REQUIRE(test::second_derivatives_are_right(f.op));
  }
  for (const auto & f : functions_of<Vec>()) // from (-1, 1) into where all are smooth
    REQUIRE(test::derivatives_are_right<Vec>([&](const Vec & a)
                                             { return Vec(f.op.call({a * 0.3 + 0.5})); }));
}

TEST_CASE("Functions of one argument give shapes on the meta device", "[math]")
{
  for (const auto & f : functions())
    REQUIRE(test::gives_shapes_on_meta(f.op));
}

TEST_CASE("Functions of one argument refuse bad operands and say why", "[math][errors]")
{
  for (const auto & f : functions())
    REQUIRE(test::refuses_bad_operands(f.op));
}

TEST_CASE("Functions of two arguments agree with their definitions", "[math]")
{
  for (const auto & op : binary_functions())
    if (op.name != "pow" || op.base[0].empty()) // a power of a negative number is NaN
      REQUIRE(test::agrees_with_reference(op));
}

TEST_CASE("Functions of two arguments do not depend on the memory layout", "[math]")
{
  for (const auto & op : binary_functions())
    for (int layout = 1; layout < test::layouts; layout++)
      for (const auto dtype : {kFloat64, kFloat32})
      {
        auto a = test::arguments(op, {{2, 3}, {3}}, dtype);
        for (size_t k = 0; k < a.size(); k++)
          a[k] = test::lay_out(test::Layout(layout), a[k], op.base[k].size());
        const auto x = op.call(a), y = op.call({a[0].contiguous(), a[1].contiguous()});
        INFO(op.name << " in layout " << layout);
        REQUIRE(x.dtype() == dtype);
        REQUIRE(at::allclose(x, y, 1e-6, 1e-6, /*equal_nan=*/true));
      }
}

TEST_CASE("Functions of two arguments have the derivatives of their difference quotients",
          "[math][autograd]")
{
  for (const auto & op : binary_functions())
    if ((op.name != "pow" && op.name != "atan2") || op.base[0].empty())
    {
      REQUIRE(test::first_derivatives_are_right(op));
      REQUIRE(test::second_derivatives_are_right(op));
    }
  REQUIRE(test::derivatives_are_right<SR2, SR2>([](const SR2 & y, const SR2 & x)
                                                { return atan2(y, exp(0.3 * x)); }));
  REQUIRE(test::derivatives_are_right<SR2, Scalar>([](const SR2 & a, const Scalar & n)
                                                   { return pow(exp(a * 0.3), n); }));
  REQUIRE(test::derivatives_are_right<Vec>([](const Vec & a) { return pow(a, 3) + pow(2.5, a); }));
}

TEST_CASE("Functions of two arguments give shapes on the meta device", "[math]")
{
  for (const auto & op : binary_functions())
    REQUIRE(test::gives_shapes_on_meta(op));
  const auto a = SR2::ones({4}, TensorOptions(kFloat32).device(at::kMeta));
  for (const auto & r : {pow(a, 2), pow(2.0, a), maximum(a, 0.0), minimum(0, a)})
  {
    REQUIRE(r.is_meta());
    REQUIRE(r.batch_sizes() == TensorShape{4});
    REQUIRE(r.scalar_type() == kFloat32);
  }
}

TEST_CASE("Functions of two arguments refuse bad operands and say why", "[math][errors]")
{
  for (const auto & op : binary_functions())
    REQUIRE(test::refuses_bad_operands(op));
}

TEST_CASE("abs, minimum and maximum of integers are exact", "[math]")
{
  for (const auto & op : binary_functions())
    if (op.name == "minimum" || op.name == "maximum")
      REQUIRE(test::is_exact_on_integers(op));
  for (const auto & f : functions())
    if (f.op.name == "abs")
      REQUIRE(test::is_exact_on_integers(f.op));
  const Scalar i(at::tensor(std::vector<int64_t>{-2, 3, 9007199254740993}, kInt64));
  REQUIRE(
      at::equal(maximum(i, 4), at::tensor(std::vector<int64_t>{4, 4, 9007199254740993}, kInt64)));
  REQUIRE(at::equal(pow(i, 2).slice(0, 0, 2), at::tensor(std::vector<int64_t>{4, 9}, kInt64)));
}

TEST_CASE("The values of the tables", "[math]")
{
  const double e = 2.718281828459045, r = std::sqrt(0.5);
  REQUIRE(same(exp(numbers({0, 1, -INFINITY, INFINITY, NAN})), {1, e, 0, INFINITY, NAN}));
  REQUIRE(same(log(numbers({1, e, 0, -1, INFINITY})), {0, 1, -INFINITY, NAN, INFINITY}));
  REQUIRE(same(sin(numbers({0, pi / 6, pi / 2, -pi / 4, INFINITY})), {0, 0.5, 1, -r, NAN}));
  REQUIRE(same(cos(numbers({0, pi / 3, pi, pi / 4, INFINITY})), {1, 0.5, -1, r, NAN}));
  REQUIRE(same(tan(numbers({0, pi / 4, -pi / 4, INFINITY})), {0, 1, -1, NAN}));
  REQUIRE(same(asin(numbers({0, 1, -0.5, 1.1})), {0, pi / 2, -pi / 6, NAN}));
  REQUIRE(same(acos(numbers({0, -1, 0.5, -1.1})), {pi / 2, pi, pi / 3, NAN}));
  REQUIRE(same(atan2(numbers({0, 1, 1, -1, 0}), numbers({0, 1, -1, -1, -1})),
               {0, pi / 4, 0.75 * pi, -0.75 * pi, pi}));
  REQUIRE(same(pow(numbers({0, 2, -2, -2, 4}), numbers({0, 10, 3, 0.5, -0.5})),
               {1, 1024, -8, NAN, 0.5}));
  REQUIRE(same(pow(numbers({3, 4}), -1), {1.0 / 3, 0.25}));
  REQUIRE(same(pow(2, numbers({3, -1, 0.5})), {8, 0.5, 1.4142135623730951}));
}

TEST_CASE("sqrt and abs keep to the real numbers", "[math]")
{
  const auto a = numbers({-4, -0.25, 0, 0.25, 4, INFINITY, NAN});
  REQUIRE(same(sqrt(a), {NAN, NAN, 0, 0.5, 2, INFINITY, NAN}));
  REQUIRE(same(abs(a), {4, 0.25, 0, 0.25, 4, INFINITY, NAN}));
  const auto x = numbers({-2, 0, 2}).requires_grad_();
  REQUIRE(same(slopes(abs(Scalar(x)), {x})[0], {-1, 0, 1}));
}

TEST_CASE("The functions keep the identities between them", "[math]")
{
  const auto u = at::rand({5, 6}, kFloat64);
  const SR2 x(u + 0.1), y(u.flip(0) - 0.5);
  REQUIRE(at::allclose(exp(log(x)), x));
  REQUIRE(at::allclose(pow(sin(x), 2) + pow(cos(x), 2), SR2::ones({5})));
  REQUIRE(at::allclose(tan(x), sin(x) / cos(x)));
  REQUIRE(at::allclose(asin(y) + acos(y), SR2::full({5}, pi / 2)));
  REQUIRE(at::allclose(pow(x, 0.5), sqrt(x)));
  REQUIRE(at::allclose(pow(x, 1.7), exp(1.7 * log(x))));
  REQUIRE(at::allclose(atan2(sin(y), cos(y)), y));
  REQUIRE(at::equal(maximum(x, y) + minimum(x, y), x + y));
  REQUIRE(at::equal(maximum(y, -y), abs(y)));
}

TEST_CASE("maximum and minimum with a number are those with a tensor of it", "[math]")
{
  const SR2 a(at::rand({5, 6}, kFloat64) - 0.5);
  const auto n = SR2::full({5}, 0.1);
  REQUIRE(at::equal(maximum(a, 0.1), maximum(a, n)));
  REQUIRE(at::equal(maximum(0.1, a), maximum(n, a)));
  REQUIRE(at::equal(minimum(a, 0.1), minimum(a, n)));
  REQUIRE(at::equal(minimum(0.1, a), minimum(n, a)));
  REQUIRE(maximum(a.to(kFloat32), 0.1).scalar_type() == kFloat32);
}

TEST_CASE("At a tie the derivative of maximum and minimum goes to the second one",
          "[math][autograd]")
{
  const auto x = numbers({-1, 0, 2}).requires_grad_(), y = numbers({-2, 0, 3}).requires_grad_();
  const Scalar a(x), b(y);
  const auto larger = slopes(maximum(a, b), {x, y}), smaller = slopes(minimum(a, b), {x, y});
  REQUIRE(same(larger[0], {1, 0, 0}));
  REQUIRE(same(larger[1], {0, 1, 1}));
  REQUIRE(same(smaller[0], {0, 0, 1}));
  REQUIRE(same(smaller[1], {1, 1, 0}));
  REQUIRE(same(slopes(maximum(a, 0.0), {x})[0], {0, 0, 1}));
  REQUIRE(same(slopes(maximum(0.0, a), {x})[0], {0, 1, 1}));
  REQUIRE(same(slopes(minimum(a, 0.0), {x})[0], {1, 0, 0}));
  REQUIRE(same(slopes(minimum(0.0, a), {x})[0], {1, 1, 0}));
}

TEST_CASE("maximum and minimum are NaN where either argument is", "[math]")
{
  for (const bool differentiated : {false, true})
    for (const auto dtype : {kFloat64, kFloat32})
    {
      const auto tracked = [=](const at::Tensor & t)
      { return Scalar(t.to(dtype).requires_grad_(differentiated)); };
      const auto a = tracked(numbers({NAN, 1, NAN, INFINITY})),
                 b = tracked(numbers({1, NAN, NAN, -INFINITY}));
      REQUIRE(same(maximum(a, b).to(kFloat64), {NAN, NAN, NAN, INFINITY}));
      REQUIRE(same(minimum(a, b).to(kFloat64), {NAN, NAN, NAN, -INFINITY}));
      for (const auto & r : {maximum(a, 0.0), maximum(0.0, a), minimum(a, 2), minimum(2, a)})
        REQUIRE(at::equal(r.isnan(), a.isnan()));
      for (const auto & r : {maximum(a, NAN), maximum(NAN, a), minimum(a, NAN), minimum(NAN, a)})
      {
        REQUIRE(r.scalar_type() == dtype);
        REQUIRE(r.isnan().all().item<bool>());
      }
    }
}

TEST_CASE("maximum and minimum have the same values whether differentiated or not", "[math]")
{
  const auto a = at::rand({300, 6}, kFloat64) - 0.5, b = at::rand({6}, kFloat64) - 0.5;
  const SR2 s(a), t(b), u(a.clone().requires_grad_());
  REQUIRE(at::equal(maximum(s, t), maximum(u, t)));
  REQUIRE(at::equal(minimum(s, t), minimum(u, t)));
  REQUIRE(at::equal(maximum(s, 0.1), maximum(u, 0.1)));
  REQUIRE(at::equal(maximum(0.1, s), maximum(0.1, u)));
  REQUIRE(at::equal(minimum(s, 0.1), minimum(u, 0.1)));
  REQUIRE(at::equal(minimum(0.1, s), minimum(0.1, u)));
}

TEST_CASE("Base dimensions of a Tensor are aligned with base dimensions only", "[math]")
{
  const at::Tensor u = at::rand({3, 2}, kFloat64), v = at::rand({3, 4, 2}, kFloat64);
  const neml2::Tensor a(u, 1), b(v, 1); // (3; 2) and (3; 4, 2)
  const auto r = maximum(a, b);
  REQUIRE(r.batch_sizes() == TensorShape{3});
  REQUIRE(at::equal(r, at::maximum(u.unsqueeze(1), v)));
  REQUIRE(at::equal(pow(b, a), at::pow(v, u.unsqueeze(1))));
  REQUIRE(at::equal(atan2(a, b), at::atan2(u.unsqueeze(1), v)));
  const Scalar n(at::rand({3}, kFloat64));
  REQUIRE(at::equal(minimum(b, n), at::minimum(v, n.reshape({3, 1, 1}))));
  const auto c = n > 0.5;
  REQUIRE(at::equal(where(c, a, b), at::where(c.reshape({3, 1, 1}), u.unsqueeze(1), v)));
  REQUIRE(exp(b).batch_dim() == 1);
  const neml2::Tensor wrong(at::ones({3, 4, 5}, kFloat64), 1);
  for (const auto & message : {test::error_of([&] { maximum(b, wrong); }),
                               test::error_of([&] { pow(b, wrong); }),
                               test::error_of([&] { atan2(b, wrong); }),
                               test::error_of([&] { where(c, b, wrong); })})
    REQUIRE_THAT(message,
                 Catch::Matchers::ContainsSubstring("base shapes [4, 2] and [4, 5] do not"));
}

TEST_CASE("Numbers that a function cannot take are refused", "[math][errors]")
{
  const Scalar a(2, kFloat64), i(2, kInt64);
  const CScalar complex(c10::complex<double>(0, 1));
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { pow(a, complex); }), "pow: the number"},
      {test::error_of([&] { pow(complex, a); }), "pow: the number"},
      {test::error_of([&] { maximum(a, complex); }), "maximum: the number"},
      {test::error_of([&] { minimum(complex, a); }), "minimum: the number"},
      {test::error_of([&] { pow(i, -1); }), "pow: Integers to negative integer powers"}};
  for (const auto & [message, part] : cases)
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(part));
}

TEST_CASE("where chooses whole entries of the batch", "[math]")
{
  const SR2 a(at::rand({2, 3, 6}, kFloat64)), b(at::rand({3, 6}, kFloat64));
  const Scalar x(at::tensor({0.2, 0.7, 0.4}, kFloat64));
  const auto c = x > 0.5;
  const auto r = where(c, a, b);
  REQUIRE(r.batch_sizes() == TensorShape{2, 3});
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      REQUIRE(at::equal(r[i][j], j == 1 ? a[i][j] : b[j]));
  REQUIRE(at::equal(where(Scalar(c), a, b), r));
  REQUIRE(at::equal(where(neml2::Tensor(c, 1), a, b), r));
  REQUIRE(at::equal(where(c, a, 0), where(c, a, SR2::zeros())));
  REQUIRE(at::equal(where(c, 0.5, b), where(c, SR2::full(0.5), b)));
  REQUIRE(where(c, a.to(kFloat32), 0.5).scalar_type() == kFloat32);
}

TEST_CASE("where takes the first where its condition holds and broadcasts all three", "[math]")
{
  const auto a = numbers({1, 2, 3}), b = numbers({-1, -2, -3});
  REQUIRE(same(where(numbers({1, 0, 1}) > 0.5, a, b), {1, -2, 3}));
  const auto c = at::tensor({1.0, 0.0}, kFloat64).reshape({2, 1}) > 0.5;
  const auto s = where(c, a, Scalar(9, kFloat64));
  REQUIRE(s.batch_sizes() == TensorShape{2, 3});
  REQUIRE(same(s.flatten(), {1, 2, 3, 9, 9, 9}));
  const auto v = where(c, Vec::ones(), Vec::zeros({0}));
  REQUIRE(v.batch_sizes() == TensorShape{2, 0});
  REQUIRE(where(c, Vec::ones(), 0).batch_sizes() == TensorShape{2, 1});
  REQUIRE(where(c, Scalar(1, kInt64), Scalar(2, kInt64)).scalar_type() == kInt64);
  REQUIRE(where(c, Scalar(1, c10::kBool), Scalar(0, c10::kBool)).scalar_type() == c10::kBool);
}

TEST_CASE("where keeps NaN to the entries that choose it", "[math]")
{
  const auto x = numbers({NAN, 1, NAN});
  REQUIRE(same(where(x > 0, x, 0), {0, 1, 0}));
  REQUIRE(same(where(x > 0, 2, x), {NAN, 2, NAN}));
}

TEST_CASE("where passes the gradient to the one it took", "[math][autograd]")
{
  const auto x = numbers({1, 2}).requires_grad_(), y = numbers({3, 4}).requires_grad_();
  const auto c = numbers({1, 0}) > 0.5;
  const auto g = slopes(where(c, Scalar(x) * Scalar(x), Scalar(y)), {x, y});
  REQUIRE(same(g[0], {2, 0}));
  REQUIRE(same(g[1], {0, 1}));
  REQUIRE(same(slopes(g[0], {x})[0], {2, 0}));
  REQUIRE(test::derivatives_are_right<SR2, SR2>(
      [&](const SR2 & a, const SR2 & b) {
        return where(at::tensor({1.0, 0.0, 1.0}, kFloat64) > 0.5, exp(a), sin(b));
      }));
  REQUIRE(test::derivatives_are_right<SR2>([&](const SR2 & a)
                                           { return where(c, exp(a), 0) + where(c, 1, sin(a)); }));
}

TEST_CASE("where gives shapes on the meta device", "[math]")
{
  const auto meta = TensorOptions(kFloat32).device(at::kMeta);
  const auto a = SR2::ones({3}, meta);
  const auto c = Scalar::ones({2, 1}, meta) > 0;
  for (const auto & r : {where(c, a, SR2::zeros(meta)), where(c, a, 0), where(c, 0.5, a)})
  {
    REQUIRE(r.is_meta());
    REQUIRE(r.batch_sizes() == TensorShape{2, 3});
    REQUIRE(r.scalar_type() == kFloat32);
  }
}

TEST_CASE("where refuses bad operands and says why", "[math][errors]")
{
  const auto a = numbers({1, 2}), longer = numbers({1, 2, 3});
  const SR2 s = SR2::ones({2});
  const at::Tensor yes = a > 0;
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { where(at::Tensor(), a, a); }), "undefined tensor"},
      {test::error_of([&] { where(yes, Scalar(), a); }), "undefined tensor"},
      {test::error_of([&] { where(yes, 0, Scalar()); }), "undefined tensor"},
      {test::error_of([&] { where(a, a, a); }), "the condition is float64, expected bool"},
      {test::error_of([&] { where(yes, a, a.to(kFloat32)); }), "different dtypes"},
      {test::error_of([&] { where(yes.to(at::kMeta), a, a); }), "different devices"},
      {test::error_of([&] { where(yes, a, longer); }), "[2] and [3] do not broadcast"},
      {test::error_of([&] { where(yes, longer, longer); }), "[2] and [3] do not broadcast"},
      {test::error_of([&] { where(yes, longer, 0); }), "[2] and [3] do not broadcast"},
      {test::error_of([&] { where(s > 0, s, s); }), "[2, 6] and [2] do not broadcast"},
      {test::error_of([&] { where(neml2::Tensor(s > 0, 1), s, s); }),
       "the condition Tensor (2; 6) has base dimensions"}};
  for (const auto & [message, part] : cases)
  {
    REQUIRE_THAT(message, Catch::Matchers::StartsWith("where: "));
    REQUIRE_THAT(message, Catch::Matchers::ContainsSubstring(part));
  }
}
