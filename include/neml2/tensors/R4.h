// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/Components.h"
#include "neml2/kernels/R4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors, for example the derivative of an R2 by an R2.
 *
 * Shape (...; 3, 3, 3, 3): any batch shape, then T_ijkl, the last index the fastest.
 * Units: the caller's choice, the same for all components.
 *
 * Elsewhere: outer(A, B) of R2 in R2.h; kron in kronecker.h; stiffnesses as SSR4 in SSR4.h.
 */
class R4 : public PrimitiveTensor<R4, 3, 3, 3, 3>
{
public:
  static constexpr auto type_name = "R4";
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::R4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  R4() = default;
  /// See full(C). (...; 6, 6) -> (...; 3, 3, 3, 3). A template: what converts to SSR4 is not converted on.
  template <class T, std::enable_if_t<std::is_same_v<T, SSR4>, int> = 0>
  R4(const T & C);
  /// All 81 components of a tensor that is skew in both pairs. (...; 3, 3) -> (...; 3, 3, 3, 3)
  /// Of WWR4(T) it is T_ijkl - T_jikl - T_ijlk + T_jilk. A template: an R2 would otherwise be taken for
  /// the WWR4 of its shape.
  template <class T, std::enable_if_t<std::is_same_v<T, WWR4>, int> = 0>
  R4(const T & w);

  /// See rotate(T, R) and rotate(T, r).
  R4 rotate(const R2 & R) const;
  R4 rotate(const Rot & r) const;
  /// Derivative of rotate(T, r) by the parameters of r, its index the last, in the unit of T.
  /// (...; 3, 3, 3, 3), (...; 3) -> (...; 3, 3, 3, 3, 3)
  R5 drotate(const Rot & r) const;
  /// Derivative of rotate(T, r) by T: R_im R_jn R_ko R_lp at (i, j, k, l, m, n, o, p), expanded to
  /// the batch shape of both. (...; 3, 3, 3, 3), (...; 3) -> (...; 3, 3, 3, 3, 3, 3, 3, 3)
  R8 drotate_self(const Rot & r) const;
  /// Exchanges two of the four indices, as a view. (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3)
  /// @throws IndexException where an index is not in [-4, 4).
  R4 transpose(Size d1, Size d2) const;
  /// See transpose_minor(T).
  R4 transpose_minor() const;
  /// See transpose_major(T).
  R4 transpose_major() const;
  /// See inv(T).
  R4 inverse() const;
  /// See inner(T, U).
  Scalar inner(const R4 & U) const;
  /// See norm_sq(T).
  Scalar norm_sq() const;
  /// See norm(T, epsilon).
  Scalar norm(Real epsilon = 0) const;
};

template <>
struct core::batch_of_rows<kernels::R4>
{
  using type = R4;
};

/// R_im R_jn R_ko R_lp T_mnop, T turned (active) by the rotation matrix R, in the unit of T.
/// (...; 3, 3, 3, 3), (...; 3, 3) -> (...; 3, 3, 3, 3)
R4 rotate(const R4 & T, const R2 & R);
/// R_im R_jn R_ko R_lp T_mnop, T turned (active) by r, whose matrix is R, in the unit of T.
/// (...; 3, 3, 3, 3), (...; 3) -> (...; 3, 3, 3, 3)
R4 rotate(const R4 & T, const Rot & r);
/// T_jilk, as a view. (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3)
R4 transpose_minor(const R4 & T);
/// T_klij, as a view. (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3)
R4 transpose_major(const R4 & T);
/// T^-1 with T^-1_ijmn T_mnkl = δ_ik δ_jl; NaN where a pivot of the 9×9 matrix is exactly 0.
/// (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3), in the inverse of the unit of T.
R4 inv(const R4 & T);
/// T_ijkl U_ijkl. (...; 3, 3, 3, 3), (...; 3, 3, 3, 3) -> (...; ), unit of T × unit of U.
Scalar inner(const R4 & T, const R4 & U);
/// T_ijkl T_ijkl. (...; 3, 3, 3, 3) -> (...; ), in the square of the unit of T.
Scalar norm_sq(const R4 & T);
/// √(T_ijkl T_ijkl + epsilon), epsilon in the square of the unit of T. (...; 3, 3, 3, 3) -> (...; ), in the
/// unit of T. Its gradient at T = 0 is 0 (for epsilon = 0, one choice among the subgradients).
Scalar norm(const R4 & T, Real epsilon = 0);
/// All 81 components C_ijkl. (...; 6, 6) -> (...; 3, 3, 3, 3)
R4 full(const SSR4 & C);
/// The part with both minor symmetries, (T_ijkl + T_jikl + T_ijlk + T_jilk) / 4.
/// (...; 3, 3, 3, 3) -> (...; 6, 6)
SSR4 sym(const R4 & T);

/// T_ijkl A_kl. (...; 3, 3, 3, 3), (...; 3, 3) -> (...; 3, 3), unit of T × unit of A.
template <class A, class B, math::if_types<A, R4, B, R2> = 0>
R2 operator*(const A & T, const B & a);
/// A_ij T_ijkl. (...; 3, 3), (...; 3, 3, 3, 3) -> (...; 3, 3)
template <class A, class B, math::if_types<A, R2, B, R4> = 0>
R2 operator*(const A & a, const B & T);
/// T_ijmn U_mnkl. (...; 3, 3, 3, 3), (...; 3, 3, 3, 3) -> (...; 3, 3, 3, 3)
template <class A, class B, math::if_types<A, R4, B, R4> = 0>
R4 operator*(const A & T, const B & U);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/operations.h"
#include "neml2/math/operators.h"
#include "neml2/composed/R4.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R5.h"
#include "neml2/tensors/R8.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/WWR4.h"

namespace neml2
{
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

inline R4
full(const SSR4 & C)
{
  return engine::evaluate_leaf<R4>(tensors::Full(), composed::full_pairs, C);
}

inline SSR4
sym(const R4 & T)
{
  return engine::evaluate_leaf<SSR4>(tensors::Sym(), composed::sym_fourth, T);
}

inline R4
rotate(const R4 & T, const R2 & R)
{
  return engine::evaluate_leaf<R4>(tensors::Rotate(), composed::rotate_fourth, T, R);
}

inline R4
rotate(const R4 & T, const Rot & r)
{
  return engine::evaluate_leaf<R4>(tensors::Rotate(), composed::rotate_fourth_by_parameters, T, r);
}

inline R4
transpose_minor(const R4 & T)
{
  core::check_defined("transpose_minor", T);
  return R4(core::Trusted(), core::raw(T).transpose(-4, -3).transpose(-2, -1), T.batch_dim());
}

inline R4
transpose_major(const R4 & T)
{
  core::check_defined("transpose_major", T);
  return R4(core::Trusted(), core::raw(T).transpose(-4, -2).transpose(-3, -1), T.batch_dim());
}

inline R4
inv(const R4 & T)
{
  return engine::evaluate_leaf<R4>(tensors::Inv(), composed::inv_fourth, T);
}

inline Scalar
inner(const R4 & T, const R4 & U)
{
  return math::inner<Scalar, core::Accepts::numbers>(T, U);
}

inline Scalar
norm_sq(const R4 & T)
{
  return math::norm_sq<Scalar, core::Accepts::numbers>(T);
}

inline Scalar
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

inline R4
R4::rotate(const R2 & R) const
{
  return neml2::rotate(*this, R);
}

inline R4
R4::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

inline R5
R4::drotate(const Rot & r) const
{
  return engine::composed<R5>("R4::drotate", composed::drotate_fourth_by_parameters, *this, r);
}

inline R8
R4::drotate_self(const Rot & r) const
{
  return engine::composed<R8>("R4::drotate_self", composed::drotate_self_fourth, *this, r);
}

inline R4
R4::transpose(Size d1, Size d2) const
{
  const auto dim = [this](Size d)
  { return core::position("R4::transpose", *this, d, batch_dim(), this->dim()); };
  return R4(core::Trusted(), at::Tensor::transpose(dim(d1), dim(d2)), batch_dim());
}

inline R4
R4::transpose_minor() const
{
  return neml2::transpose_minor(*this);
}

inline R4
R4::transpose_major() const
{
  return neml2::transpose_major(*this);
}

inline R4
R4::inverse() const
{
  return inv(*this);
}

inline Scalar
R4::inner(const R4 & U) const
{
  return neml2::inner(*this, U);
}

inline Scalar
R4::norm_sq() const
{
  return neml2::norm_sq(*this);
}

inline Scalar
R4::norm(Real epsilon) const
{
  return neml2::norm(*this, epsilon);
}
} // namespace neml2
