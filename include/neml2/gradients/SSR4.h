// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/SSR4.h"
#include "neml2/gradients/SR2.h"

namespace neml2::gradients
{
/// The matrix that rotates Mandel components.
template <class T>
NEML2_INLINE kernels::SSR4<T>
mandel_matrix(const kernels::R2<T> & R)
{
  return kernels::mandel_rotation(R);
}
inline SSR4
mandel_matrix(const R2 & R)
{
  return SSR4(composed::mandel_rotation(R));
}

/// Gradient by R from Q by its mandel_matrix: 2 Q_ijkl R_jl.
template <class T>
NEML2_INLINE kernels::R2<T>
by_matrix(const kernels::SSR4<T> & Q, const kernels::R2<T> & R)
{
  kernels::R2<T> r;
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    NEML2_UNROLL
  for (int q = 0; q < 6; q++)
  {
    const int i = kernels::mandel_index[p][0], j = kernels::mandel_index[p][1],
              k = kernels::mandel_index[q][0], l = kernels::mandel_index[q][1];
    const double factor = 2 * (p < 3 ? 1 : kernels::invsqrt2) * (q < 3 ? 1 : kernels::invsqrt2);
    const T x = T(Q(p, q) * factor);
    r(i, k) = r(i, k) + x * R(j, l);
    if (p >= 3)
      r(j, k) = r(j, k) + x * R(i, l);
    if (q >= 3)
      r(i, l) = r(i, l) + x * R(j, k);
    if (p >= 3 && q >= 3)
      r(j, l) = r(j, l) + x * R(i, k);
  }
  return r;
}
inline R2
by_matrix(const SSR4 & Q, const R2 & R)
{
  return R2(composed::mandel_rotation_gradient(Q, R));
}

inline const bool has_SSR4_rules = []
{
  add_scalar_rules<SSR4>();
  add_contraction_rules<SSR4>();
  // As of R2, also for the matrices of components
  add_gradient_rule<tensors::Inv, SSR4, SSR4>(
      [](const SSR4 & g, const SSR4 & C)
      {
        return evaluate<SSR4>(
            "inv",
            [](const auto & h, const auto & a)
            {
              const auto x = transpose_major(inv(a));
              return -(x * h * x);
            },
            g,
            C);
      });
  add_gradient_rule<tensors::SSR4TimesSR2, SR2, SSR4, SR2>(
      [](const SR2 & g, const SSR4 &, const SR2 & e) { return outer(g, e); },
      [](const SR2 & g, const SSR4 & C, const SR2 &) { return g * C; });
  add_gradient_rule<tensors::SSR4TimesR2, SR2, SSR4, R2>(
      [](const SR2 & g, const SSR4 &, const R2 & e) { return outer(g, sym(e)); },
      [](const SR2 & g, const SSR4 & C, const R2 &) { return full(g * C); });
  add_gradient_rule<tensors::SR2TimesSSR4, SR2, SR2, SSR4>(
      [](const SR2 & g, const SR2 &, const SSR4 & C) { return C * g; },
      [](const SR2 & g, const SR2 & e, const SSR4 &) { return outer(e, g); });
  add_gradient_rule<tensors::SSR4TimesSSR4, SSR4, SSR4, SSR4>(
      [](const SSR4 & g, const SSR4 &, const SSR4 & b) { return g * transpose_major(b); },
      [](const SSR4 & g, const SSR4 & a, const SSR4 &) { return transpose_major(a) * g; });
  // By Q of Q C Qᵀ: g Q Cᵀ + gᵀ Q C
  const auto by_R = [](const SSR4 & g, const SSR4 & C, const R2 & R)
  {
    return evaluate<R2>(
        "rotate",
        [](const auto & h, const auto & a, const auto & r)
        {
          const auto Q = mandel_matrix(r);
          return by_matrix(h * (Q * transpose_major(a)) + transpose_major(h) * (Q * a), r);
        },
        g,
        C,
        R);
  };
  add_gradient_rule<tensors::Rotate, SSR4, SSR4, R2>(
      [](const SSR4 & g, const SSR4 &, const R2 & R) { return rotate(g, transpose(R)); }, by_R);
  add_gradient_rule<tensors::Rotate, SSR4, SSR4, Rot>(
      [](const SSR4 & g, const SSR4 &, const Rot & r)
      { return rotate(g, transpose(euler_rodrigues(r))); }, // compiled for R2 anyway
      [by_R](const SSR4 & g, const SSR4 & C, const Rot & r) {
        return evaluate<Vec>("rotate", GradientByParameters(), by_R(g, C, euler_rodrigues(r)), r);
      });
  return true;
}();
} // namespace neml2::gradients
