// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Vec.h"

namespace neml2::gradients
{
/// -ε_ijk A_ij, the adjoint of skew: A : skew(v) = skew_adjoint(A) · v.
template <class T>
NEML2_INLINE kernels::Vec<T>
skew_adjoint(const kernels::R2<T> & A)
{
  return {A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)};
}
struct NEML2_ONE_A_PROGRAM SkewAdjoint
{
  static constexpr auto name = "skew_adjoint";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return skew_adjoint(a);
  }
};
inline Vec
skew_adjoint(const R2 & A)
{
  return evaluate_leaf<Vec>(
      SkewAdjoint(),
      [](const R2 & a)
      {
        const auto difference = [&](int i, int j) { return raw(a(i, j)) - raw(a(j, i)); };
        return stack<Vec, at::Tensor>({difference(2, 1), difference(0, 2), difference(1, 0)});
      },
      A);
}

/// The parameters of a rotation as a vector, because * of two rotations would compose them.
template <class T>
NEML2_INLINE kernels::Vec<T>
vector(const kernels::Rot<T> & r)
{
  return {r[0], r[1], r[2]};
}
inline Vec
vector(const Rot & r)
{
  return r;
}

/// Gradient with respect to the parameters r, from the gradient G with respect to their matrix I + a W + b W², where W = skew(r),
/// s = r · r, a = 4 (1 - s) / (1 + s)² and b = 8 / (1 + s)². W² is r r - s I.
struct GradientByParameters
{
  template <class G, class R>
  NEML2_INLINE auto operator()(const G & g, const R & parameters) const
  {
    const auto r = vector(parameters), w = skew_adjoint(g), gr = g * r;
    const auto s = norm_sq(r), t = tr(g);
    const auto i = 1.0 / (1.0 + s), b = 8.0 * i * i;
    const auto by_s = (s - 3.0) * inner(w, r) - 4.0 * (inner(r, gr) - s * t);
    return (w * (0.5 * (1.0 - s)) + gr + transpose(g) * r + r * (i * by_s - 2.0 * t)) * b;
  }
};

/// Gradient of R_ik A_kl R_jl with respect to R.
struct GradientByRotation
{
  template <class G, class A, class R>
  NEML2_INLINE auto operator()(const G & g, const A & a, const R & r) const
  {
    return g * (r * transpose(a)) + transpose(g) * (r * a);
  }
};
} // namespace neml2::gradients
