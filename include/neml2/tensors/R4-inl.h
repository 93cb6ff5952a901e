// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/R4.h"

#include "neml2/engine/evaluate.h"
#include "neml2/math/Components.h"
#include "neml2/tensors/operations.h"
#include "neml2/composed/R4.h"

namespace neml2
{
template <>
inline constexpr bool packs::gains_from_avx512<tensors::Inv, R4> = true;
template <class B>
constexpr bool packs::gains_from_avx512<tensors::Rotate, R4, B> = true;

namespace tensors
{
struct NEML2_ONE_A_PROGRAM R4TimesR2
{
  static constexpr auto name = "R4 * R2";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return x * y;
  }
};

struct NEML2_ONE_A_PROGRAM R2TimesR4
{
  static constexpr auto name = "R2 * R4";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return x * y;
  }
};

struct NEML2_ONE_A_PROGRAM R4TimesR4
{
  static constexpr auto name = "R4 * R4";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return x * y;
  }
};
} // namespace tensors

template <class T, std::enable_if_t<std::is_same_v<T, SSR4>, int>>
R4::R4(const T & C) : R4(neml2::full(C))
{
}

template <class T, std::enable_if_t<std::is_same_v<T, WWR4>, int>>
R4::R4(const T & w) : R4(engine::composed<R4>("R4(WWR4)", composed::full_skew_pairs, w))
{
}

NEML2_BODY R4
full(const SSR4 & C)
{
  return engine::evaluate_leaf<R4>(tensors::Full(), composed::full_pairs, C);
}

NEML2_BODY SSR4
sym(const R4 & T)
{
  return engine::evaluate_leaf<SSR4>(tensors::Sym(), composed::sym_fourth, T);
}

NEML2_BODY R4
rotate(const R4 & T, const R2 & R)
{
  return engine::evaluate_leaf<R4>(tensors::Rotate(), composed::rotate_fourth, T, R);
}

NEML2_BODY R4
rotate(const R4 & T, const Rot & r)
{
  return engine::evaluate_leaf<R4>(tensors::Rotate(), composed::rotate_fourth_by_parameters, T, r);
}

NEML2_BODY R4
transpose_minor(const R4 & T)
{
  core::check_defined("transpose_minor", T);
  return R4(core::Trusted(), core::raw(T).transpose(-4, -3).transpose(-2, -1), T.batch_dim());
}

NEML2_BODY R4
transpose_major(const R4 & T)
{
  core::check_defined("transpose_major", T);
  return R4(core::Trusted(), core::raw(T).transpose(-4, -2).transpose(-3, -1), T.batch_dim());
}

NEML2_BODY R4
inv(const R4 & T)
{
  return engine::evaluate_leaf<R4>(tensors::Inv(), composed::inv_fourth, T);
}

NEML2_BODY Scalar
inner(const R4 & T, const R4 & U)
{
  return math::inner<Scalar, core::Accepts::numbers>(T, U);
}

NEML2_BODY Scalar
norm_sq(const R4 & T)
{
  return math::norm_sq<Scalar, core::Accepts::numbers>(T);
}

NEML2_BODY Scalar
norm(const R4 & T, Real epsilon)
{
  return math::norm<Scalar>(T, epsilon);
}

template <class A, class B, math::if_types<A, R4, B, R2>>
R2
operator*(const A & T, const B & a)
{
  return engine::evaluate_leaf<R2, core::Accepts::numbers>(
      tensors::R4TimesR2(), composed::fourth_times_second, T, a);
}

template <class A, class B, math::if_types<A, R2, B, R4>>
R2
operator*(const A & a, const B & T)
{
  return engine::evaluate_leaf<R2, core::Accepts::numbers>(
      tensors::R2TimesR4(), composed::second_times_fourth, a, T);
}

template <class A, class B, math::if_types<A, R4, B, R4>>
R4
operator*(const A & T, const B & U)
{
  return engine::evaluate_leaf<R4, core::Accepts::numbers>(
      tensors::R4TimesR4(), composed::fourth_times_fourth, T, U);
}

NEML2_BODY R4
R4::rotate(const R2 & R) const
{
  return neml2::rotate(*this, R);
}

NEML2_BODY R4
R4::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

NEML2_BODY R5
R4::drotate(const Rot & r) const
{
  return engine::composed<R5>("R4::drotate", composed::drotate_fourth_by_parameters, *this, r);
}

NEML2_BODY R8
R4::drotate_self(const Rot & r) const
{
  return engine::composed<R8>("R4::drotate_self", composed::drotate_self_fourth, *this, r);
}

NEML2_BODY R4
R4::transpose(Size d1, Size d2) const
{
  const auto dim = [this](Size d)
  { return core::position("R4::transpose", *this, d, batch_dim(), this->dim()); };
  return R4(core::Trusted(), at::Tensor::transpose(dim(d1), dim(d2)), batch_dim());
}

NEML2_BODY R4
R4::transpose_minor() const
{
  return neml2::transpose_minor(*this);
}

NEML2_BODY R4
R4::transpose_major() const
{
  return neml2::transpose_major(*this);
}

NEML2_BODY R4
R4::inverse() const
{
  return inv(*this);
}

NEML2_BODY Scalar
R4::inner(const R4 & U) const
{
  return neml2::inner(*this, U);
}

NEML2_BODY Scalar
R4::norm_sq() const
{
  return neml2::norm_sq(*this);
}

NEML2_BODY Scalar
R4::norm(Real epsilon) const
{
  return neml2::norm(*this, epsilon);
}
} // namespace neml2
