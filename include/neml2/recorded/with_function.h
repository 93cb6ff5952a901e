// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"
#include "neml2/recorded/Node.h"

namespace neml2::recorded
{
/// Calls one(f) or two(f) with the function f of an operation, depending on its number of arguments. f accepts numbers of any type.
/// Returns false for other operations, such as comparisons, `where`, and the operations of loops and systems.
template <class One, class Two>
NEML2_INLINE bool
with_function(Op op, const One & one, const Two & two)
{
  switch (op)
  {
  case Op::negate:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return -a; });
    return true;
  case Op::abs:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return abs(a); });
    return true;
  case Op::sqrt:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return sqrt(a); });
    return true;
  case Op::norm_of_square:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return norm_of_square(a); });
    return true;
  case Op::macaulay:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return macaulay(a); });
    return true;
  case Op::cbrt:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return cbrt(a); });
    return true;
  case Op::exp:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return exp(a); });
    return true;
  case Op::expm1:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return expm1(a); });
    return true;
  case Op::log:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return log(a); });
    return true;
  case Op::log1p:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return log1p(a); });
    return true;
  case Op::log10:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return log10(a); });
    return true;
  case Op::sin:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return sin(a); });
    return true;
  case Op::cos:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return cos(a); });
    return true;
  case Op::tan:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return tan(a); });
    return true;
  case Op::asin:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return asin(a); });
    return true;
  case Op::acos:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return acos(a); });
    return true;
  case Op::atan:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return atan(a); });
    return true;
  case Op::sinh:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return sinh(a); });
    return true;
  case Op::cosh:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return cosh(a); });
    return true;
  case Op::tanh:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return tanh(a); });
    return true;
  case Op::asinh:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return asinh(a); });
    return true;
  case Op::acosh:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return acosh(a); });
    return true;
  case Op::atanh:
    one([](const auto & a) NEML2_INLINE_LAMBDA { return atanh(a); });
    return true;
  case Op::add:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return a + b; });
    return true;
  case Op::subtract:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return a - b; });
    return true;
  case Op::multiply:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return a * b; });
    return true;
  case Op::divide:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return a / b; });
    return true;
  case Op::pow:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return pow(a, b); });
    return true;
  case Op::atan2:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return atan2(a, b); });
    return true;
  case Op::hypot:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return hypot(a, b); });
    return true;
  case Op::fmod:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return fmod(a, b); });
    return true;
  case Op::minimum:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return minimum(a, b); });
    return true;
  case Op::maximum:
    two([](const auto & a, const auto & b) NEML2_INLINE_LAMBDA { return maximum(a, b); });
    return true;
  default:
    return false;
  }
}
} // namespace neml2::recorded
