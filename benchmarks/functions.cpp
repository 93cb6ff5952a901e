// SPDX-License-Identifier: MIT
#include "neml2/math/elementwise.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/operators.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/Scalar.h"

#include "support/peers.h"

#include <ATen/ATen.h>

#include <cmath>

/// Elementary functions of scalars, a flow rule composed of them, and the flow rule with its slope.
using namespace neml2;
using peers::Peers;
using peers::Results;

namespace
{
at::Tensor
numbers(Size N, at::ScalarType dtype, double from, double to)
{
  return at::rand({N}, at::kDouble).mul_(to - from).add_(from).to(dtype);
}

/// One function, as an operation of the library and of LibTorch.
template <class F, class Aten>
void
add_function(const char * name, const F & f, const Aten & aten, at::ScalarType dtype)
{
  peers::add(std::string(name) + (dtype == at::kFloat ? " float" : ""),
             [=](Size N)
             {
               const at::Tensor x = numbers(N, dtype, 0.1, 2.0);
               const Scalar s(x);
               return Peers{{"neml2", [=] { return at::Tensor(f(s)); }},
                            peers::floor({x}, {{N}}),
                            {"obvious", [=] { return aten(x); }}};
             });
}

/// Rate of a flow rule with a power and an exponential.
constexpr auto flow_rule = [](const auto & stress, const auto & n)
{ return 1e-3 * pow(stress / 0.5, n) * exp(-2.0 * stress); };

template <class T, class F>
Peers
flow(Size N, const F & f)
{
  constexpr auto dtype = c10::CppTypeToScalarType<T>::value;
  const at::Tensor s = numbers(N, dtype, 0.1, 2.0), n = numbers(N, dtype, 1.0, 6.0);
  const Scalar stress(s), exponent(n);
  at::Tensor a = at::empty_like(s), b = at::empty_like(s);
  return {{"neml2", [=] { return vmap(f, stress, exponent); }},
          peers::floor({s, n}, {{N}}),
          {"hand",
           [=]
           {
             const at::Tensor r = at::empty_like(s);
             const T *x = s.data_ptr<T>(), *y = n.data_ptr<T>();
             T * to = r.data_ptr<T>();
             for (Size i = 0; i < N; i++)
               to[i] = T(1e-3) * std::pow(x[i] / T(0.5), y[i]) * std::exp(T(-2) * x[i]);
             return r;
           }},
          {"obvious", [=] { return 1e-3 * at::pow(s / 0.5, n) * at::exp(-2.0 * s); }},
          {"in place",
           [=] { return at::div(s, 0.5).pow_(n).mul_(at::mul(s, -2.0).exp_()).mul_(1e-3); }},
          {"out=",
           [=]() mutable
           {
             at::pow_out(a, at::div_out(a, s, 0.5), n);
             at::exp_out(b, at::mul_out(b, s, -2.0));
             return at::mul_out(a, a, b).mul_(1e-3);
           }}};
}

Peers
flow_and_slope(Size N)
{
  const at::Tensor s = numbers(N, at::kDouble, 0.1, 2.0), n = numbers(N, at::kDouble, 1.0, 6.0);
  const Scalar stress(s), exponent(n);
  return {{"neml2",
           [=]
           {
             const auto [rate, slope] = value_and_jacobian<0>(flow_rule, stress, exponent);
             return Results(rate, slope);
           }},
          peers::floor({s, n}, {{N}, {N}}),
          {"obvious",
           [=]
           {
             const at::Tensor rate = 1e-3 * at::pow(s / 0.5, n) * at::exp(-2.0 * s);
             return Results(rate, rate * (n / s - 2.0));
           }},
          {"in place",
           [=]
           {
             const at::Tensor rate =
                 at::div(s, 0.5).pow_(n).mul_(at::mul(s, -2.0).exp_()).mul_(1e-3);
             return Results(rate, at::div(n, s).sub_(2.0).mul_(rate));
           }}};
}
} // namespace

int
main(int argc, char ** argv)
{
  for (const auto dtype : {at::kDouble, at::kFloat})
  {
    add_function(
        "exp",
        [](const Scalar & x) { return exp(x); },
        [](const auto & x) { return x.exp(); },
        dtype);
    add_function(
        "log",
        [](const Scalar & x) { return log(x); },
        [](const auto & x) { return x.log(); },
        dtype);
    add_function(
        "sin",
        [](const Scalar & x) { return sin(x); },
        [](const auto & x) { return x.sin(); },
        dtype);
    add_function(
        "tanh",
        [](const Scalar & x) { return tanh(x); },
        [](const auto & x) { return x.tanh(); },
        dtype);
    add_function(
        "pow",
        [](const Scalar & x) { return pow(x, 2.3); },
        [](const auto & x) { return x.pow(2.3); },
        dtype);
  }
  peers::add("flow rule", [](Size N) { return flow<double>(N, flow_rule); });
  peers::add("flow rule float", [](Size N) { return flow<float>(N, flow_rule); });
  peers::add("flow rule float, in_float32",
             [](Size N) { return flow<float>(N, in_float32(flow_rule)); });
  peers::add("flow rule and slope", flow_and_slope);
  return peers::run(argc, argv);
}
