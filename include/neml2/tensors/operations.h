// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

/**
 * Operations that several tensor types share. Each operation is a type with a name for messages and a formula for
 * rows (single tensors of a batch); kernels/ has the formula of each tensor type. An operation of only one type or topic
 * is in the header of that type or topic. The bodies for batches are in composed/. The compiler finds the derivative
 * rules in gradients/ by the types of the operations.
 */
namespace neml2::tensors
{
struct NEML2_ONE_A_PROGRAM Det
{
  static constexpr auto name = "det";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return det(a);
  }
};

struct NEML2_ONE_A_PROGRAM Dev
{
  static constexpr auto name = "dev";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return dev(a);
  }
};

struct NEML2_ONE_A_PROGRAM Full
{
  static constexpr auto name = "full";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return full(a);
  }
};

struct NEML2_ONE_A_PROGRAM Inv
{
  static constexpr auto name = "inv";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return inv(a);
  }
};

struct NEML2_ONE_A_PROGRAM Outer
{
  static constexpr auto name = "outer";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return outer(a, b);
  }
};

struct NEML2_ONE_A_PROGRAM Rotate
{
  static constexpr auto name = "rotate";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return rotate(a, b);
  }
};

struct NEML2_ONE_A_PROGRAM Skew
{
  static constexpr auto name = "skew";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return skew(a);
  }
};

struct NEML2_ONE_A_PROGRAM Sym
{
  static constexpr auto name = "sym";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return sym(a);
  }
};

struct NEML2_ONE_A_PROGRAM Tr
{
  static constexpr auto name = "tr";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return tr(a);
  }
};

struct NEML2_ONE_A_PROGRAM Vol
{
  static constexpr auto name = "vol";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return vol(a);
  }
};
} // namespace neml2::tensors
