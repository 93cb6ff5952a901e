// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/rules.h"

#include "neml2/kernels/isotropic_functions.h"
#include "neml2/kernels/kinematics.h"
#include "neml2/recorded/Ruled.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace neml2::recorded
{
// ---- Functions of matrices ----

/// Records f(A) for symbols. Its rule calls f again, for numbers with partials.
template <class F, template <class> class R>
auto
record_function(const F & f, const R<Symbol> & A, Whole whole)
{
  Ruled ruled;
  const auto r = f(A);
  ruled.differentiate(
      values_in(A.v),
      values_in(elements(r)),
      [f](const std::vector<Number> & x) { return elements(f(row_of<R>(x))); },
      whole);
  return r;
}
NEML2_BODY Symbol
without_derivative(const Symbol & a)
{
  if (Recording::now().is_constant(a.id))
    return a;
  Ruled ruled;
  const Symbol copy = Symbol::of(Recording::now().copy(a.id));
  ruled.differentiate(
      {a.id},
      {copy.id},
      [](const std::vector<Number> & x)
      { return std::vector<Number>{Number(without_derivative(x[0].x))}; },
      Whole::without_derivative);
  return copy;
}
NEML2_BODY Symbol
det(const kernels::R2<Symbol> & A)
{
  return record_function([](const auto & a) { return kernels::det(a); }, A, Whole::det);
}
NEML2_BODY Symbol
det(const kernels::SR2<Symbol> & A)
{
  return record_function([](const auto & a) { return kernels::det(a); }, A, Whole::det);
}
NEML2_BODY kernels::SR2<Symbol>
inv(const kernels::SR2<Symbol> & A)
{
  return record_function([](const auto & a) { return kernels::inv(a); }, A, Whole::inv);
}
/// The derivative along d where a function has no derivative: NaN, or 0 if d is the constant 0. It is recorded as NaN times the sum of
/// the components of d, because recorded partials must be linear in the partials of the arguments.
NEML2_BODY Symbol
undefined_along(const kernels::SR2<Symbol> & d)
{
  const auto is_zero = [](const Symbol & c) { return Recording::now().is_constant(c.id, 0); };
  if (std::all_of(std::begin(d.v), std::end(d.v), is_zero))
    return 0.0;
  return std::numeric_limits<double>::quiet_NaN() * (d[0] + d[1] + d[2] + d[3] + d[4] + d[5]);
}
NEML2_BODY std::pair<kernels::Vec<Symbol>, kernels::R2<Symbol>>
eigh(const kernels::SR2<Symbol> & s)
{
  return record_function([](const auto & a) { return kernels::eigh(a); }, s, Whole::eigh);
}
NEML2_BODY kernels::R2<Symbol>
nearest_rotation(const kernels::R2<Symbol> & A)
{
  return record_function(
      [](const auto & a) { return kernels::nearest_rotation(a); }, A, Whole::nearest_rotation);
}

// ---- Isotropic functions of symmetric tensors: first and second derivatives, computed from divided differences ----

template <class X>
using number_in = typename std::decay_t<X>::value_type;

/// Numbers with these values and without partials. A differentiation that needs their partials throws an error with this reason.
NEML2_BODY kernels::SR2<Number>
with_refused_partials(const kernels::SR2<Symbol> & values, const char * reason)
{
  const Symbol none = Symbol::of(Recording::now().refused_partial(reason));
  kernels::SR2<Number> r{kernels::Unset()};
  for (int i = 0; i < 6; i++)
  {
    r[i].x = values[i];
    r[i].d[0] = none;
  }
  return r;
}

/// Computes the partials of a derivative. x contains the arguments of the derivative, then their partials. The results have no partials
/// of their own, because such partials would lose terms at equal eigenvalues.
template <class Derivative>
struct SlopeOfDerivative
{
  Derivative derivative;

  kernels::SR2<Number> operator()(const std::vector<Number> & x) const
  {
    return with_refused_partials((*this)(symbols_of(values_in(x))),
                                 "gradient: the third derivative of a function of a symmetric "
                                 "tensor (expm, logm, sqrtm, powm, "
                                 "hencky_strain) is not available in formulas");
  }
  kernels::SR2<Symbol> operator()(const std::vector<Symbol> & x) const
  {
    const size_t n = x.size() / 2;
    std::vector<Number> arguments;
    for (size_t k = 0; k < n; k++)
    {
      arguments.emplace_back(x[k]);
      arguments.back().d[0] = x[n + k];
    }
    Ruled ruled;
    const kernels::SR2<Number> along = derivative(arguments);
    kernels::SR2<Symbol> r{kernels::Unset()};
    for (int i = 0; i < 6; i++)
      r[i] = along[i].d[0];
    ruled.differentiate_linear(values_in(x), n, values_in(r.v), *this, {n, 2 * n - 6});
    return r;
  }
};

/// Records derivative(x). x contains the symbols or numbers of a tensor, of parameters, and of the direction of the derivative, in this
/// order.
template <class Derivative, class T>
kernels::SR2<T>
record_derivative(Whole whole, const Derivative & derivative, const std::vector<T> & x)
{
  Ruled ruled;
  const kernels::SR2<T> r = derivative(x);
  ruled.differentiate(
      values_in(x),
      values_in(r.v),
      [whole, derivative](const std::vector<Number> & y)
      { return elements(record_derivative(whole, derivative, y)); },
      whole);
  if constexpr (std::is_same_v<T, Number>)
    ruled.differentiate_linear(joined(values_in(x), partials_in(x)),
                               x.size(),
                               partials_in(r.v),
                               SlopeOfDerivative<Derivative>{derivative},
                               {x.size(), 2 * x.size() - 6}); // the tensor and the direction
  return r;
}

/// The value of Whole for the derivative of `function` along a tensor, if the derivative has no arguments besides the tensor and the
/// direction; otherwise not_differentiated.
constexpr Whole
along_of(Whole function)
{
  return function == Whole::expm    ? Whole::dexpm
         : function == Whole::logm  ? Whole::dlogm
         : function == Whole::sqrtm ? Whole::dsqrtm
                                    : Whole::not_differentiated;
}

/// Records function(x) for symbols or numbers x. The partials of numbers are derivative(x, partials of x). With `of_symmetric`, x begins
/// with a symmetric tensor, and the matrix of the derivative with respect to this tensor is symmetric, as for functions that have a
/// potential.
template <class Function, class Derivative, class T>
kernels::SR2<T>
record_isotropic(Whole whole,
                 const Function & function,
                 const Derivative & derivative,
                 const std::vector<T> & x,
                 bool of_symmetric = true)
{
  Ruled ruled;
  const kernels::SR2<T> r = function(x);
  ruled.differentiate(
      values_in(x),
      values_in(r.v),
      [whole, function, derivative, of_symmetric](const std::vector<Number> & y)
      { return elements(record_isotropic(whole, function, derivative, y, of_symmetric)); },
      whole);
  if constexpr (std::is_same_v<T, Number>)
  {
    std::vector<size_t> symmetric;
    if (of_symmetric)
      symmetric.push_back(x.size());
    ruled.differentiate_linear(joined(values_in(x), partials_in(x)),
                               x.size(),
                               partials_in(r.v),
                               derivative,
                               symmetric,
                               along_of(whole));
  }
  return r;
}

/// Defines the function f of a symmetric tensor of T (symbols or numbers), and its derivative df along a tensor.
#define NEML2_RECORD_ISOTROPIC(f, T)                                                               \
  NEML2_BODY kernels::SR2<T> d##f(const kernels::SR2<T> & s, const kernels::SR2<T> & along)        \
  {                                                                                                \
    return record_derivative(                                                                      \
        Whole::d##f,                                                                               \
        [](const auto & x)                                                                         \
        { return kernels::d##f(row_of<kernels::SR2>(x), row_of<kernels::SR2>(x, 6)); },            \
        elements(s, along));                                                                       \
  }                                                                                                \
  NEML2_BODY kernels::SR2<T> f(const kernels::SR2<T> & s)                                          \
  {                                                                                                \
    return record_isotropic(                                                                       \
        Whole::f,                                                                                  \
        [](const auto & x)                                                                         \
        { return kernels::f<number_in<decltype(x)>>(row_of<kernels::SR2>(x)); },                   \
        [](const auto & x) { return d##f(row_of<kernels::SR2>(x), row_of<kernels::SR2>(x, 6)); },  \
        elements(s));                                                                              \
  }
NEML2_RECORD_ISOTROPIC(expm, Symbol)
NEML2_RECORD_ISOTROPIC(expm, Number)
NEML2_RECORD_ISOTROPIC(logm, Symbol)
NEML2_RECORD_ISOTROPIC(logm, Number)
NEML2_RECORD_ISOTROPIC(sqrtm, Symbol)
NEML2_RECORD_ISOTROPIC(sqrtm, Number)
#undef NEML2_RECORD_ISOTROPIC

/// s^p; x contains the numbers of s, then p.
struct PowerOf
{
  template <class T>
  kernels::SR2<T> operator()(const std::vector<T> & x) const
  {
    return kernels::powm<T, T>(row_of<kernels::SR2>(x), x[6]);
  }
};
/// Computes the partials of a power. x contains the numbers of s, then p, then the partials of s and p.
struct SlopeOfPower
{
  template <class T>
  kernels::SR2<T> operator()(const std::vector<T> & x) const
  {
    const auto s = row_of<kernels::SR2>(x);
    const std::vector<T> values(x.begin(), x.begin() + 7);
    std::vector<T> along(values);
    along.insert(along.end(), x.begin() + 7, x.begin() + 13);
    const auto by_tensor = record_derivative(
        Whole::dpowm,
        [](const auto & y)
        { return kernels::dpowm(row_of<kernels::SR2>(y), y[6], row_of<kernels::SR2>(y, 7)); },
        along);
    const auto power = record_isotropic(Whole::powm, PowerOf(), SlopeOfPower(), values);
    return by_tensor + sym(full(logm(s)) * full(power)) * x[13];
  }
};
NEML2_BODY kernels::SR2<Number>
powm(const kernels::SR2<Number> & s, const Number & p)
{
  std::vector<Number> x = elements(s);
  x.push_back(p);
  return record_isotropic(Whole::powm, PowerOf(), SlopeOfPower(), x);
}

/// log(F_ki F_kj) / 2
NEML2_BODY kernels::SR2<Number>
hencky_strain(const kernels::R2<Number> & F)
{
  return record_isotropic(
      Whole::hencky_strain,
      [](const auto & x)
      { return kernels::hencky_strain<number_in<decltype(x)>>(row_of<kernels::R2>(x)); },
      [](const auto & x)
      {
        const auto f = row_of<kernels::R2>(x), along = row_of<kernels::R2>(x, 9);
        return dlogm(
            right_cauchy_green(f),
            sym(transpose(f) * along)); // half the derivative of log C along dC = 2 sym(Fᵀ dF)
      },
      elements(F),
      /*of_symmetric=*/false);
}
} // namespace neml2::recorded
