// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/skew_products.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/skew_products.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM SkewAndSymToSym
{
  static constexpr auto name = "skew_and_sym_to_sym";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return kernels::skew_and_sym_to_sym(a, b);
  }
};

struct NEML2_ONE_A_PROGRAM MultiplyAndMakeSkew
{
  static constexpr auto name = "multiply_and_make_skew";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return kernels::multiply_and_make_skew(x, y);
  }
};
} // namespace tensors

NEML2_BODY SR2
skew_and_sym_to_sym(const SR2 & e, const WR2 & w)
{
  return engine::evaluate_leaf<SR2>(
      tensors::SkewAndSymToSym(), composed::skew_and_sym_to_sym, e, w);
}

NEML2_BODY SSR4
d_skew_and_sym_to_sym_d_sym(const WR2 & w)
{
  return engine::evaluate_leaf<SSR4>(
      "d_skew_and_sym_to_sym_d_sym",
      [](const auto & a) { return kernels::d_skew_and_sym_to_sym_d_sym(a); },
      composed::d_skew_and_sym_to_sym_d_sym,
      w);
}

NEML2_BODY SWR4
d_skew_and_sym_to_sym_d_skew(const SR2 & e)
{
  return engine::evaluate_leaf<SWR4>(
      "d_skew_and_sym_to_sym_d_skew",
      [](const auto & a) { return kernels::d_skew_and_sym_to_sym_d_skew(a); },
      composed::d_skew_and_sym_to_sym_d_skew,
      e);
}

NEML2_BODY WR2
multiply_and_make_skew(const SR2 & a, const SR2 & b)
{
  return engine::evaluate_leaf<WR2>(
      tensors::MultiplyAndMakeSkew(), composed::multiply_and_make_skew, a, b);
}

NEML2_BODY WSR4
d_multiply_and_make_skew_d_first(const SR2 & b)
{
  return engine::evaluate_leaf<WSR4>(
      "d_multiply_and_make_skew_d_first",
      [](const auto & x) { return kernels::d_multiply_and_make_skew_d_first(x); },
      composed::d_multiply_and_make_skew_d_first,
      b);
}

NEML2_BODY WSR4
d_multiply_and_make_skew_d_second(const SR2 & a)
{
  return engine::evaluate_leaf<WSR4>(
      "d_multiply_and_make_skew_d_second",
      [](const auto & x) { return kernels::d_multiply_and_make_skew_d_second(x); },
      composed::d_multiply_and_make_skew_d_second,
      a);
}
} // namespace neml2
