// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Pack.h"

namespace neml2::recorded
{
/// Converts conditions. An interpreter keeps a condition as a pack: all bits of a lane are 1 where the condition is true, otherwise 0. A
/// pack of a single number is 1 or 0.
template <class P>
struct ConditionPacks
{
  using Mask = typename P::Mask;
  static constexpr int W = P::width;

  NEML2_INLINE static P pack(const Mask & m)
  {
    if constexpr (W == 1)
      return P(m.m ? 1.0 : 0.0);
    else
      return P::of((typename P::V)m.m);
  }
  NEML2_INLINE static Mask mask(const P & p)
  {
    if constexpr (W == 1)
      return Mask(p.v != 0);
    else
      return Mask((typename Mask::M)p.v);
  }
};
} // namespace neml2::recorded
