// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SR2.h"
#include "neml2/kernels/Vec.h"
#include "neml2/recorded/Symbol.h"

#include <utility>

/**
 * Functions of tensors that would lose digits or terms if they were differentiated operation by operation. Each has a Rule by which its
 * results are differentiated. A formula that calls such a function gets these overloads while it is recorded.
 */
namespace neml2::recorded
{
/// Returns the value of a. The derivatives of the result, of any order, are 0.
Symbol without_derivative(const Symbol & a);
Symbol det(const kernels::R2<Symbol> & A);
Symbol det(const kernels::SR2<Symbol> & A);
kernels::SR2<Symbol> inv(const kernels::SR2<Symbol> & A);
/// The derivative along d where a function has no derivative: NaN, or 0 if d is the constant 0.
Symbol undefined_along(const kernels::SR2<Symbol> & d);
std::pair<kernels::Vec<Symbol>, kernels::R2<Symbol>> eigh(const kernels::SR2<Symbol> & s);
kernels::R2<Symbol> nearest_rotation(const kernels::R2<Symbol> & A);

kernels::SR2<Symbol> expm(const kernels::SR2<Symbol> & s);
kernels::SR2<Symbol> logm(const kernels::SR2<Symbol> & s);
kernels::SR2<Symbol> sqrtm(const kernels::SR2<Symbol> & s);
kernels::SR2<Number> expm(const kernels::SR2<Number> & s);
kernels::SR2<Number> logm(const kernels::SR2<Number> & s);
kernels::SR2<Number> sqrtm(const kernels::SR2<Number> & s);
kernels::SR2<Number> powm(const kernels::SR2<Number> & s, const Number & p);
kernels::SR2<Number> hencky_strain(const kernels::R2<Number> & F);

/// powm with a plain number as exponent, or of a tensor of plain numbers.
template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0>
kernels::SR2<Number>
powm(const kernels::SR2<Number> & s, const N & p)
{
  return powm(s, Number(double(p)));
}
template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0>
kernels::SR2<Number>
powm(const kernels::SR2<N> & s, const Number & p)
{
  return powm(kernels::converted<Number>(s, [](const N & c) { return Number(double(c)); }), p);
}

// The derivatives of expm, logm and sqrtm along a tensor.
kernels::SR2<Symbol> dexpm(const kernels::SR2<Symbol> & s, const kernels::SR2<Symbol> & along);
kernels::SR2<Symbol> dlogm(const kernels::SR2<Symbol> & s, const kernels::SR2<Symbol> & along);
kernels::SR2<Symbol> dsqrtm(const kernels::SR2<Symbol> & s, const kernels::SR2<Symbol> & along);
kernels::SR2<Number> dexpm(const kernels::SR2<Number> & s, const kernels::SR2<Number> & along);
kernels::SR2<Number> dlogm(const kernels::SR2<Number> & s, const kernels::SR2<Number> & along);
kernels::SR2<Number> dsqrtm(const kernels::SR2<Number> & s, const kernels::SR2<Number> & along);

#define NEML2_RECORD_ALONG_NUMBERS(f)                                                              \
  template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0>                           \
  kernels::SR2<Number> f(const kernels::SR2<Number> & s, const kernels::SR2<N> & along)            \
  {                                                                                                \
    return f(s, kernels::converted<Number>(along, [](const N & c) { return Number(double(c)); })); \
  }
NEML2_RECORD_ALONG_NUMBERS(dexpm)
NEML2_RECORD_ALONG_NUMBERS(dlogm)
NEML2_RECORD_ALONG_NUMBERS(dsqrtm)
#undef NEML2_RECORD_ALONG_NUMBERS
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/rules-inl.h"
#endif
