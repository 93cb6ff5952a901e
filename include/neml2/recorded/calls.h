// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/gradient.h"
#include "neml2/kernels/newton.h"
#include "neml2/recorded/isotropic.h"
#include "neml2/recorded/jacobian.h"
#include "neml2/recorded/newton.h"

/// The functions that newton, isotropic, gradient, jacobian and hessian call while a C++ formula is recorded.
namespace neml2::recorded
{
/// The numbers of some tensors in one list.
template <class... R>
std::vector<Number>
listed(const R &... r)
{
  std::vector<Number> x;
  (kernels::for_each_number(r, [&](const auto & c) { x.push_back(Number(c)); }), ...);
  return x;
}

template <class D, size_t K, class A>
decltype(auto)
argument_of(const A & a, const std::vector<Number> & variables)
{
  constexpr int place = D::template first_of<K>();
  if constexpr (place < 0)
    return (a);
  else
    return kernels::from_numbers<A>(variables.data() + place);
}
template <class D, class F, class... A, size_t... K>
auto
call_with_variables(const F & f,
                    const std::vector<Number> & variables,
                    std::index_sequence<K...>,
                    const A &... a)
{
  return f(argument_of<D, K>(a, variables)...);
}
/// Computes the value of f, and its derivatives with respect to the arguments I.
template <size_t... I, class F, class... A>
void
record_differential(kernels::Differential<std::index_sequence<I...>, F, A...> & d,
                    const F & f,
                    const A &... a)
{
  using D = kernels::Differential<std::index_sequence<I...>, F, A...>;
  const auto at = [&](const std::vector<Number> & variables)
  { return listed(call_with_variables<D>(f, variables, std::index_sequence_for<A...>(), a...)); };
  const auto [y, J] = record_value_and_jacobian(at, listed(std::get<I>(std::tie(a...))...));
  for (size_t i = 0; i < y.size(); i++)
  {
    d.value[i] = y[i];
    for (size_t j = 0; j < size_t(D::n); j++)
      d.partials[i * size_t(D::padded) + j] = J[i * size_t(D::n) + j];
  }
}

/// Records isotropic(f, s, a...).
template <class F, class... A>
auto
record_isotropic_function(const F & f, const kernels::SR2<Number> & s, const A &... a)
{
  using Returned = decltype(f(std::declval<const kernels::Vec<Number> &>(), a...));
  const auto at = [&](const std::vector<Number> & l)
  { return listed(f(kernels::from_numbers<kernels::Vec<Number>>(l.data()), a...)); };
  const std::vector<Number> y = record_of_eigenvalues(at, s);
  if constexpr (kernels::is_row<std::decay_t<Returned>>::value)
    return kernels::from_numbers<kernels::SR2<Number>>(y.data());
  else
    return y[0];
}

/// Records newton_report(f, guess, a..., options). The norm of the residual at the solution is computed only if Report is true.
template <bool Report, class F, class X, class... A>
auto
record_newton_of(std::bool_constant<Report>,
                 const F & f,
                 const X & guess,
                 const kernels::NewtonOptions & options,
                 const A &... a)
{
  using Unknown = kernels::with_numbers_t<X, Number>;
  const auto & unknowns = kernels::unknowns_of<X>;
  const auto equations = [&](const std::vector<Number> & x)
  { return listed(f(kernels::from_numbers<Unknown>(x.data()), a...)); };
  const auto found = record_newton<kernels::number_count<X>>(
      equations, listed(guess), std::vector<int>(unknowns.begin(), unknowns.end()), options);
  const Unknown solution = kernels::from_numbers<Unknown>(found.solution.data());
  Number left(0.0);
  if constexpr (Report)
  {
    const auto values = [](const auto & x)
    {
      return kernels::converted<Number>(
          x, [](const auto & c) { return Number(kernels::innermost(c)); });
    };
    left = kernels::residual_norm<Number>(f, values(solution), values(a)...);
  }
  return kernels::NewtonReport<Unknown, Number, Condition>{
      solution, Number(found.iterations), found.converged, left};
}
} // namespace neml2::recorded
