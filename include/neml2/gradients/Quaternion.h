// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/arithmetic.h"
#include "neml2/gradients/rotation.h"
#include "neml2/tensors/Quaternion-inl.h"

namespace neml2::gradients
{
/// Gradient with respect to q = (s, u), from the gradient G with respect to its matrix
/// δ_ij + 2 s W_ij + 2 u_i u_j - 2 u_k u_k δ_ij, where W = skew(u). With w_i = -ε_ijk G_jk, the gradient with respect to s is
/// 2 w · u, and the gradient with respect to u is 2 s w + 2 (G + Gᵀ) u - 4 tr(G) u.
template <class A, class B>
NEML2_INLINE auto
by_quaternion(const kernels::R2<A> & G, const kernels::Quaternion<B> & q)
{
  const kernels::Vec<B> u{q[1], q[2], q[3]};
  const auto w = skew_adjoint(G);
  const auto v = w * q[0] + G * u + transpose(G) * u - u * (2.0 * tr(G));
  return kernels::Quaternion<kernels::product_t<A, B>>{inner(w, u), v[0], v[1], v[2]} * 2.0;
}
inline at::Tensor
by_quaternion(const at::Tensor & G, const at::Tensor & q)
{
  const auto [s, u] = composed::scalar_and_vector(q);
  const at::Tensor twice = G + G.transpose(-1, -2), D = G - G.transpose(-1, -2);
  const auto entry = [&](Size i, Size j) { return D.select(-2, i).select(-1, j); };
  const at::Tensor w = at::stack({entry(2, 1), entry(0, 2), entry(1, 0)}, -1);
  const at::Tensor trace = twice.diagonal(0, -2, -1).sum(-1, /*keepdim=*/true);
  const at::Tensor v = s * w + at::matmul(twice, u.unsqueeze(-1)).squeeze(-1) - trace * u;
  return 2 * at::cat({composed::dot_last(w, u).expand_as(v.slice(-1, 0, 1)), v}, -1);
}

inline const bool has_Quaternion_rules = []
{
  add_scalar_rules<Quaternion>();
  add_contraction_rules<Quaternion>();
  add_gradient_rule<tensors::QuaternionTimesQuaternion, Quaternion, Quaternion, Quaternion>(
      [](const Quaternion & g, const Quaternion &, const Quaternion & p)
      { return g * conjugate(p); },
      [](const Quaternion & g, const Quaternion & q, const Quaternion &)
      { return conjugate(q) * g; });
  add_gradient_rule<tensors::Conjugate, Quaternion, Quaternion>(
      [](const Quaternion & g, const Quaternion &) { return conjugate(g); });
  // The inverse is c / n with c = (s, -u) and n = q · q; its gradient is (conjugate(g) - 2 q (g · c) / n) / n
  add_gradient_rule<tensors::Inv, Quaternion, Quaternion>(
      [](const Quaternion & g, const Quaternion & q)
      {
        return evaluate_leaf<Quaternion>(
            "inv",
            [](const auto & h, const auto & x)
            {
              const auto i = 1.0 / norm_sq(x);
              return (conjugate(h) - x * (2.0 * i * inner(h, conjugate(x)))) * i;
            },
            [](const Quaternion & h, const Quaternion & x)
            {
              const at::Tensor c = composed::quaternion_conjugate(h), n = composed::dot_last(x, x);
              return Quaternion((c - 2 * raw(x) * composed::dot_last(c, x) / n) / n);
            },
            g,
            q);
      });
  add_gradient_rule<tensors::RotationMatrix, R2, Quaternion>(
      [](const R2 & g, const Quaternion & q)
      {
        return evaluate_leaf<Quaternion>(
            "rotation_matrix",
            [](const auto & h, const auto & x) { return by_quaternion(h, x); },
            [](const R2 & h, const Quaternion & x) { return Quaternion(by_quaternion(raw(h), x)); },
            g,
            q);
      });
  add_gradient_rule<tensors::Rotate, Vec, Vec, Quaternion>(
      [](const Vec & g, const Vec &, const Quaternion & q) { return rotate(g, conjugate(q)); },
      [](const Vec & g, const Vec & a, const Quaternion & q)
      {
        return evaluate_leaf<Quaternion>(
            "rotate",
            [](const auto & h, const auto & v, const auto & x)
            { return by_quaternion(outer(h, v), x); },
            [](const Vec & h, const Vec & v, const Quaternion & x)
            { return Quaternion(by_quaternion(h.unsqueeze(-1) * v.unsqueeze(-2), x)); },
            g,
            a,
            q);
      });
  // The quaternion is 2 (1, r) / n - (1, 0) with n = 1 + r · r; its gradient from g = (h, k) is (k - 2 r (h + k · r) / n) 2 / n
  add_gradient_rule<tensors::QuaternionOfRot, Quaternion, Rot>(
      [](const Quaternion & g, const Rot & r)
      {
        return evaluate_leaf<Vec>(
            "Quaternion(Rot)",
            [](const auto & h, const auto & parameters)
            {
              const auto x = vector(parameters);
              const kernels::Vec<std::decay_t<decltype(h[0])>> k{h[1], h[2], h[3]};
              const auto i = 2.0 / (1.0 + norm_sq(x));
              return (k - x * (i * (h[0] + inner(k, x)))) * i;
            },
            [](const Quaternion & h, const Rot & x)
            {
              const auto [s, k] = composed::scalar_and_vector(h);
              const at::Tensor i = 2 / (1 + composed::dot_last(x, x));
              return Vec((k - raw(x) * (i * (s + composed::dot_last(k, x)))) * i);
            },
            g,
            r);
      });
  // The parameters are u / d with d = n + s and n = |q|, if s ≥ 0, and those of -q otherwise. The gradient with respect to s is
  // -(g · u) (1 + s / n) / d², and the gradient with respect to u is g / d - (g · u) u / (n d²)
  add_gradient_rule<tensors::ToRot, Rot, Quaternion>(
      [](const Rot & g, const Quaternion & q)
      {
        return evaluate_leaf<Quaternion>(
            "to_rot",
            [](const auto & h, const auto & x)
            {
              using T = std::decay_t<decltype(h[0] * x[0])>;
              const auto sign = where(x[0] < 0.0, -1.0 + 0.0 * x[0], 1.0 + 0.0 * x[0]);
              const auto n = norm(x), i = sign / (n + sign * x[0]);
              const auto j = i * i * (h[0] * x[1] + h[1] * x[2] + h[2] * x[3]);
              const auto k = sign * j / n;
              return kernels::Quaternion<T>{
                  -j - k * x[0], h[0] * i - k * x[1], h[1] * i - k * x[2], h[2] * i - k * x[3]};
            },
            [](const Rot & h, const Quaternion & x)
            {
              const auto [s, u] = composed::scalar_and_vector(x);
              const at::Tensor sign = composed::side_of(s), n = at::sqrt(composed::dot_last(x, x)),
                               i = sign / (n + sign * s);
              const at::Tensor j = i * i * composed::dot_last(h, u), k = sign * j / n,
                               v = raw(h) * i - k * u;
              return Quaternion(at::cat({-j - k * s, v}, -1));
            },
            g,
            q);
      });
  return true;
}();
} // namespace neml2::gradients
