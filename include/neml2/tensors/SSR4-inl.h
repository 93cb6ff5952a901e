// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/SSR4.h"

#include "neml2/engine/evaluate.h"
#include "neml2/math/Components.h"
#include "neml2/kernels/drotate.h"
#include "neml2/tensors/operations.h"
#include "neml2/composed/SSR4.h"

namespace neml2
{
template <>
inline constexpr bool packs::gains_from_avx512<tensors::Inv, SSR4> = true;

namespace tensors
{
struct NEML2_ONE_A_PROGRAM SSR4TimesSR2
{
  static constexpr auto name = "SSR4 * SR2";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return a * b;
  }
};

struct NEML2_ONE_A_PROGRAM SSR4TimesR2
{
  static constexpr auto name = "SSR4 * R2",
                        source = "[](const auto & a, const auto & b) { return a * sym(b); }";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return a * kernels::sym(b);
  }
};

struct NEML2_ONE_A_PROGRAM SR2TimesSSR4
{
  static constexpr auto name = "SR2 * SSR4";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    return a * b;
  }
};

struct NEML2_ONE_A_PROGRAM SSR4TimesSSR4
{
  static constexpr auto name = "SSR4 * SSR4";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return x * y;
  }
};
} // namespace tensors

template <class T, std::enable_if_t<std::is_same_v<T, R4>, int>>
SSR4::SSR4(const T & t) : SSR4(neml2::sym(t))
{
}

NEML2_BODY SSR4
SSR4::identity(const TensorOptions & options)
{
  return fill_C1_C2_C3(1, 1, 0, options);
}

NEML2_BODY SSR4
SSR4::identity_sym(const TensorOptions & options)
{
  return fill_C1_C2_C3(1, 0, 1, options);
}

NEML2_BODY SSR4
SSR4::identity_vol(const TensorOptions & options)
{
  core::check_floating("SSR4::identity_vol", options);
  return fill_C1_C2_C3(1.0 / 3.0, 1.0 / 3.0, 0, options);
}

NEML2_BODY SSR4
SSR4::identity_dev(const TensorOptions & options)
{
  core::check_floating("SSR4::identity_dev", options);
  return fill_C1_C2_C3(2.0 / 3.0, -1.0 / 3.0, 1, options);
}

NEML2_BODY SSR4
SSR4::identity_C1(const TensorOptions & options)
{
  return fill_C1_C2_C3(1, 0, 0, options);
}

NEML2_BODY SSR4
SSR4::identity_C2(const TensorOptions & options)
{
  return fill_C1_C2_C3(0, 1, 0, options);
}

NEML2_BODY SSR4
SSR4::identity_C3(const TensorOptions & options)
{
  return fill_C1_C2_C3(0, 0, 1, options);
}

NEML2_BODY SSSSR8
SSR4::identity_map(const TensorOptions & options)
{
  return core::make("SSR4::identity_map",
                    SSSSR8::base_shape,
                    options,
                    [](auto shape, const auto & o) { return at::eye(36, o).reshape(shape); });
}

NEML2_BODY Scalar
SSR4::operator()(Size i, Size j, Size k, Size l) const
{
  const auto pair = [](Size a, Size b)
  {
    constexpr const char * where = "SSR4(i, j, k, l)";
    return kernels::mandel_reverse_index[core::component(where, a, 3)]
                                        [core::component(where, b, 3)];
  };
  const int p = pair(i, j), q = pair(k, l);
  const double factor = (p < 3 ? 1.0 : kernels::invsqrt2) * (q < 3 ? 1.0 : kernels::invsqrt2);
  const Scalar stored = (*this)(p, q);
  return factor == 1.0 ? stored : stored * factor;
}

NEML2_BODY Scalar
det(const SSR4 & C)
{
  return engine::evaluate_leaf<Scalar>(tensors::Det(), composed::det_of_any, C);
}

NEML2_BODY SSR4
inv(const SSR4 & C)
{
  return engine::evaluate_leaf<SSR4>(tensors::Inv(), composed::inverse_or_nan, C);
}

NEML2_BODY SSR4
transpose_major(const SSR4 & C)
{
  core::check_defined("transpose_major", C);
  return SSR4(C.transpose(-1, -2), C.batch_dim());
}

NEML2_BODY SSR4
rotate(const SSR4 & C, const R2 & R)
{
  return engine::evaluate_leaf<SSR4>(tensors::Rotate(), composed::rotate_mandel_pairs, C, R);
}

NEML2_BODY SSR4
rotate(const SSR4 & C, const Rot & r)
{
  return engine::evaluate_leaf<SSR4>(
      tensors::Rotate(), composed::rotate_mandel_pairs_by_parameters, C, r);
}

NEML2_BODY SSFR5
drotate(const SSR4 & C, const Rot & r)
{
  return engine::evaluate_leaf<SSFR5>(
      "drotate",
      packs::Wide([](const auto & a, const auto & b) { return kernels::drotate(a, b); }),
      composed::drotate_mandel_pairs_by_parameters,
      C,
      r);
}

NEML2_BODY Scalar
inner(const SSR4 & A, const SSR4 & B)
{
  return math::inner<Scalar, core::Accepts::numbers>(A, B);
}

NEML2_BODY Scalar
norm_sq(const SSR4 & C)
{
  return math::norm_sq<Scalar, core::Accepts::numbers>(C);
}

NEML2_BODY Scalar
norm(const SSR4 & C, Real epsilon)
{
  return math::norm<Scalar>(C, epsilon);
}

NEML2_BODY SSR4
unit(const SSR4 & C, Real epsilon)
{
  return math::unit(C, epsilon);
}

template <class A, class B, math::if_types<A, SSR4, B, SR2>>
SR2
operator*(const A & C, const B & e)
{
  return engine::evaluate_leaf<SR2, core::Accepts::numbers>(
      tensors::SSR4TimesSR2(), composed::matrix_vector, C, e);
}

template <class A, class B, math::if_types<A, SSR4, B, R2>>
SR2
operator*(const A & C, const B & e)
{
  return engine::evaluate_leaf<SR2>(tensors::SSR4TimesR2(), composed::mandel_pairs_matrix, C, e);
}

template <class A, class B, math::if_types<A, SR2, B, SSR4>>
SR2
operator*(const A & e, const B & C)
{
  return engine::evaluate_leaf<SR2, core::Accepts::numbers>(
      tensors::SR2TimesSSR4(), composed::vector_matrix, e, C);
}

template <class A, class B, math::if_types<A, SSR4, B, SSR4>>
SSR4
operator*(const A & a, const B & b)
{
  return engine::evaluate_leaf<SSR4, core::Accepts::numbers>(
      tensors::SSR4TimesSSR4(), at::matmul, a, b);
}

NEML2_BODY Scalar
SSR4::det() const
{
  return neml2::det(*this);
}

NEML2_BODY SSR4
SSR4::inverse() const
{
  return inv(*this);
}

NEML2_BODY SSR4
SSR4::rotate(const R2 & R) const
{
  return neml2::rotate(*this, R);
}

NEML2_BODY SSR4
SSR4::rotate(const Rot & r) const
{
  return neml2::rotate(*this, r);
}

NEML2_BODY SSFR5
SSR4::drotate(const Rot & r) const
{
  return neml2::drotate(*this, r);
}

NEML2_BODY SSSSR8
SSR4::drotate_self(const Rot & r) const
{
  return engine::composed<SSSSR8>(
      "SSR4::drotate_self", composed::drotate_self_mandel_pairs, *this, r);
}

NEML2_BODY SSSSR8
SSR4::dinverse() const
{
  return engine::composed<SSSSR8>("SSR4::dinverse", composed::dinverse_or_nan, *this);
}

NEML2_BODY SSR4
SSR4::transpose_minor() const
{
  core::check_defined("SSR4::transpose_minor", *this);
  return *this;
}

NEML2_BODY SSR4
SSR4::transpose_major() const
{
  return neml2::transpose_major(*this);
}
} // namespace neml2
