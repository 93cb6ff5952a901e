// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/arithmetic.h"
#include "neml2/gradients/rotation.h"
#include "neml2/tensors/Rot-inl.h"

namespace neml2::gradients
{
/// Gradient of the rotation a * b with respect to a (sign 1) or b (sign -1). x is this factor, and y is the other factor.
struct GradientByFactor
{
  double sign;

  template <class G, class X, class Y>
  NEML2_INLINE auto operator()(const G & g_, const X & x_, const Y & y_) const
  {
    const auto g = vector(g_), x = vector(x_), y = vector(y_);
    const auto s = norm_sq(x), t = norm_sq(y), xy = inner(x, y);
    const auto i = 1.0 / (1.0 + s * t - 2.0 * xy);
    const auto gx = inner(g, x), gy = inner(g, y), mixed = sign * inner(g, cross(x, y));
    const auto gc = ((1.0 - t) * gx + (1.0 - s) * gy + 2.0 * mixed) * i; // g · (a * b)
    return (g * (1.0 - t) + cross(y, g) * (2.0 * sign) - x * (2.0 * (gy + gc * t)) +
            y * (2.0 * gc)) *
           i;
  }
};

/// Gradient with respect to a rotation matrix R, in storage order. h(k, l) is the gradient with respect to entry (k, l) of the
/// matrix 4 q_k q_l, where q is the unit quaternion of R. This matrix is linear in R.
template <class V, class H>
NEML2_INLINE std::array<V, 9>
by_quaternion_matrix(const H & h)
{
  const auto both = [&](int k, int l) { return V(h(k, l) + h(l, k)); };
  const V x = h(1, 1), y = h(2, 2), z = h(3, 3), n = h(0, 0);
  const V A = both(0, 1), B = both(0, 2), C = both(0, 3), YZ = both(2, 3), XZ = both(1, 3),
          XY = both(1, 2);
  return {V(n + x - y - z),
          V(XY - C),
          V(XZ + B),
          V(XY + C),
          V(n - x + y - z),
          V(YZ - A),
          V(XZ - B),
          V(YZ + A),
          V(n - x - y + z)};
}

/// Gradient with respect to a rotation matrix, from the gradient g with respect to its parameters r = σ (q_1, q_2, q_3) / D. Here q is
/// the row of numbers that kernels::quaternion_row chooses, D = |q| + |q_0|, and σ is the sign of q_0.
template <class G, class T>
NEML2_INLINE kernels::R2<kernels::product_t<G, T>>
by_rotation_matrix(const kernels::Rot<G> & g, const kernels::R2<T> & M)
{
  using kernels::abs;
  using kernels::side_of;
  using kernels::sqrt;
  using V = kernels::product_t<G, T>;
  const auto row = kernels::quaternion_row(M);
  const T * const q = row.q;
  const T norm = sqrt(T(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
  const T sign = side_of(q[0]), size = T(1.0 / (norm + abs(q[0])));
  const T i = T(sign * size);                                          // σ / D
  const V f = V((g[0] * q[1] + g[1] * q[2] + g[2] * q[3]) * i / norm); // g · r / |q|
  const V h[4] = {V(-f * sign),
                  V(g[0] * i - f * q[1] * size),
                  V(g[1] * i - f * q[2] * size),
                  V(g[2] * i - f * q[3] * size)};
  const auto by_R = by_quaternion_matrix<V>([&](int k, int l) { return V(row.place[k] * h[l]); });
  kernels::R2<V> r{kernels::Unset()};
  for (int k = 0; k < 9; k++)
    r[k] = by_R[size_t(k)];
  return r;
}

inline R2
by_rotation_matrix(const Rot & g, const R2 & M)
{
  return evaluate_leaf<R2>(
      "Rot::fill_matrix",
      [](const auto & h, const auto & m) { return by_rotation_matrix(h, m); },
      [](const Rot & h, const R2 & m)
      {
        const at::Tensor K = composed::quaternion_rows(m);
        const at::Tensor largest = K.diagonal(0, -2, -1).argmax(-1, /*keepdim=*/true);
        const at::Tensor q = K.take_along_dim(largest.unsqueeze(-1), -2).squeeze(-2);
        const at::Tensor chosen = at::arange(4, largest.options()).eq(largest).to(q.scalar_type());
        const at::Tensor q0 = q.slice(-1, 0, 1), v = q.slice(-1, 1, 4);
        const at::Tensor sign = 1 - 2 * (q0 < 0).to(q.scalar_type());
        const at::Tensor norm = at::sqrt((q * q).sum(-1, /*keepdim=*/true));
        const at::Tensor size = norm + sign * q0,
                         f = (raw(h) * v).sum(-1, true) * sign / (size * norm);
        const at::Tensor by_q = at::cat({-sign * f, sign * raw(h) / size - f * v / size}, -1);
        const auto by_R = by_quaternion_matrix<at::Tensor>(
            [&](int k, int l) { return chosen.select(-1, k) * by_q.select(-1, l); });
        return R2(
            at::stack(at::TensorList(by_R.data(), 9), -1).unflatten(-1, at::IntArrayRef({3, 3})));
      },
      g,
      M);
}

inline const bool has_Rot_rules = []
{
  add_scalar_rules<Rot>();
  // The gradient of ρ / (1 + n), where n = √(1 + ρ · ρ)
  const auto by_rho = [](const Rot & g, const Scalar & x, const Scalar & y, const Scalar & z)
  {
    return evaluate<Vec>(
        "Rot::fill_rodrigues",
        [](const auto & h, const auto & rho)
        {
          using kernels::sqrt;
          const auto n = sqrt(1.0 + norm_sq(rho)), i = 1.0 / (1.0 + n);
          return (vector(h) - rho * (inner(vector(h), rho) * i / n)) * i;
        },
        g,
        Vec::fill(x, y, z));
  };
  add_gradient_rule<tensors::RotFillRodrigues, Rot, Scalar, Scalar, Scalar>(
      [by_rho](const Rot & g, const auto &... rho) { return by_rho(g, rho...)(0); },
      [by_rho](const Rot & g, const auto &... rho) { return by_rho(g, rho...)(1); },
      [by_rho](const Rot & g, const auto &... rho) { return by_rho(g, rho...)(2); });
  add_gradient_rule<tensors::EulerRodrigues, R2, Rot>(
      [](const R2 & g, const Rot & r)
      { return evaluate<Vec>("euler_rodrigues", GradientByParameters(), g, r); });
  add_gradient_rule<tensors::RotFillMatrix, Rot, R2>([](const Rot & g, const R2 & M)
                                                     { return by_rotation_matrix(g, M); });
  add_gradient_rule<tensors::RotTimesRot, Rot, Rot, Rot>(
      [](const Rot & g, const Rot & a, const Rot & b)
      { return evaluate<Vec>("Rot * Rot", GradientByFactor{1}, g, a, b); },
      [](const Rot & g, const Rot & a, const Rot & b)
      { return evaluate<Vec>("Rot * Rot", GradientByFactor{-1}, g, b, a); });
  return true;
}();
} // namespace neml2::gradients
