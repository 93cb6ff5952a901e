// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/exponential_map.h"

#include "neml2/composed/exponential_map.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM ExpMap
{
  static constexpr auto name = "exp_map";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::exp_map(a);
  }
};
} // namespace tensors

inline Rot
exp_map(const WR2 & w)
{
  return engine::evaluate_leaf<Rot>(tensors::ExpMap(), composed::exp_map, w);
}

inline R2
dexp_map(const WR2 & w)
{
  return engine::evaluate_leaf<R2>(
      "dexp_map",
      [](const auto & a) { return kernels::dexp_map(a); },
      composed::exp_map_derivative,
      w);
}

inline WR2
log_map(const Rot & r)
{
  return engine::evaluate_leaf<WR2>(
      "log_map", [](const auto & a) { return kernels::log_map(a); }, composed::log_map, r);
}

inline Rot
WR2::exp_map() const
{
  return neml2::exp_map(*this);
}

inline R2
WR2::dexp_map() const
{
  return neml2::dexp_map(*this);
}

inline Rot
WR2::exp() const
{
  return exp_map();
}

inline R2
WR2::dexp() const
{
  return dexp_map();
}

inline WR2
Rot::log_map() const
{
  return neml2::log_map(*this);
}
} // namespace neml2
