// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/exponential_map.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/exponential_map.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM ExpMap : GainsFromAvx512
{
  static constexpr auto name = "exp_map";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::exp_map(a);
  }
};
} // namespace tensors

NEML2_BODY Rot
exp_map(const WR2 & w)
{
  return engine::evaluate_leaf<Rot>(tensors::ExpMap(), composed::exp_map, w);
}

NEML2_BODY R2
dexp_map(const WR2 & w)
{
  return engine::evaluate_leaf<R2>(
      "dexp_map",
      [](const auto & a) { return kernels::dexp_map(a); },
      composed::exp_map_derivative,
      w);
}

NEML2_BODY WR2
log_map(const Rot & r)
{
  return engine::evaluate_leaf<WR2>("log_map",
                                    packs::Wide([](const auto & a) { return kernels::log_map(a); }),
                                    composed::log_map,
                                    r);
}

NEML2_BODY Rot
WR2::exp_map() const
{
  return neml2::exp_map(*this);
}

NEML2_BODY R2
WR2::dexp_map() const
{
  return neml2::dexp_map(*this);
}

NEML2_BODY Rot
WR2::exp() const
{
  return exp_map();
}

NEML2_BODY R2
WR2::dexp() const
{
  return dexp_map();
}

NEML2_BODY WR2
Rot::log_map() const
{
  return neml2::log_map(*this);
}
} // namespace neml2
