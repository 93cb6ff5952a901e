// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SSR4.h"
#include "neml2/composed/where.h"

#include <utility>
#include <vector>

/// Eigenvalues and eigenvectors of symmetric tensors, and functions composed of them, computed by LibTorch calls.
namespace neml2::composed
{
/// The sign, ±1, that makes the largest component of each column of v positive, as in kernels::with_positive_largest.
/// (..., 3, n) -> (..., 1, n)
inline at::Tensor
sign_of_largest(const at::Tensor & v)
{
  at::Tensor m = v.slice(-2, 0, 1);
  for (int i = 1; i < 3; i++)
  {
    const at::Tensor x = v.slice(-2, i, i + 1);
    m = select((x * x).sqrt() * 0.999 > (m * m).sqrt(), x, m);
  }
  return 1 - 2 * (m < 0).to(v.scalar_type());
}

/// Does the same as at::linalg_eigh, but decomposes a large batch on a device in parts: with 10⁵ matrices cuSOLVER reports an internal
/// error, and with 10⁶ it requests 500 GB. (..., n, n) -> (..., n), (..., n, n)
inline std::pair<at::Tensor, at::Tensor>
eigh_by_parts(const at::Tensor & M)
{
  constexpr Size part = 4096;
  const Size n = M.size(-1);
  const auto whole = [](const at::Tensor & m)
  {
    const auto [l, V] = at::linalg_eigh(m);
    return std::pair(l, V);
  };
  if (M.is_cpu() || M.is_meta() || M.numel() <= part * n * n)
    return whole(M);
  std::vector<at::Tensor> values, vectors;
  for (const auto & m : M.reshape({-1, n, n}).split(part))
  {
    const auto [l, V] = whole(m);
    values.push_back(l);
    vectors.push_back(V);
  }
  return {at::cat(values).view(M.sizes().slice(0, M.dim() - 1)), at::cat(vectors).view(M.sizes())};
}

/// Eigenvalues and eigenvectors by LibTorch; NaN with their derivatives where s is not finite, because LibTorch would throw for the whole
/// batch.
/// (..., 6) -> (..., 3), (..., 3, 3)
inline std::pair<at::Tensor, at::Tensor>
eigen_decomposition(const at::Tensor & s)
{
  const at::Tensor bad = (s - s).sum(-1).ne(0).unsqueeze(-1), bad_matrix = bad.unsqueeze(-1);
  const auto [l, V] = eigh_by_parts(for_lapack(full(s).masked_fill(bad_matrix, 0)));
  const at::Tensor v = V.detach();
  const at::Tensor first = sign_of_largest(v.slice(-1, 0, 2)), x = v.slice(-1, 0, 2) * first;
  const at::Tensor z = at::linalg_cross(x.select(-1, 0), x.select(-1, 1), -1);
  const at::Tensor volume = (z * v.select(-1, 2)).sum(-1).unsqueeze(-1).unsqueeze(-1);
  const at::Tensor signs = at::cat({first, 1 - 2 * (volume < 0).to(v.scalar_type())}, -1);
  const auto dtype = s.scalar_type();
  const at::Tensor lost = only_where(bad.bitwise_not(), 0 * s).sum(-1).unsqueeze(-1); // 0 or NaN
  return {l.to(dtype) + lost, (V * signs).to(dtype) + lost.unsqueeze(-1)};
}

/// Eigenvalues in ascending order. (..., 6) -> (..., 3)
inline at::Tensor
eigenvalues(const at::Tensor & s)
{
  return eigen_decomposition(s).first;
}

/// Σ_k l_k V_ik V_jk. (..., 3), (..., 3, 3) -> (..., 6)
inline at::Tensor
ieigh(const at::Tensor & l, const at::Tensor & V)
{
  return sym(at::matmul(V * l.unsqueeze(-2), V.transpose(-1, -2)));
}

/// Divided differences as in kernels::divided_difference, for the pairs 12, 02, 01. (..., 3) -> (..., 3)
inline at::Tensor
divided_differences(const at::Tensor & l,
                    const at::Tensor & f,
                    const at::Tensor & df,
                    double epsilon)
{
  const auto pick = [](const at::Tensor & t, Size i, Size j, Size k) {
    return at::stack({t.select(-1, i), t.select(-1, j), t.select(-1, k)}, -1);
  };
  const auto first = [&](const at::Tensor & t) { return pick(t, 1, 0, 0); };
  const auto second = [&](const at::Tensor & t) { return pick(t, 2, 2, 1); };
  const auto size = [](const at::Tensor & t) { return t.maximum(t.neg()); };
  const at::Tensor h = first(l) - second(l), change = first(f) - second(f);
  const at::Tensor mean = 0.5 * (first(df) + second(df));
  const at::Tensor noise = 4 * epsilon * (size(first(f)) + size(second(f)));
  const at::Tensor lost = (size(change - h * mean) <= noise).bitwise_or(h.eq(0));
  return select(lost, mean, change / h.masked_fill(lost, 1));
}

/// Derivative with respect to s of Σ_k f(λ_k) v_k v_k. It is Q_ik d_k Q_jk, where Q is the Mandel rotation by V, and d contains the slopes
/// and the divided differences. (..., 3), (..., 3, 3), (..., 3), (..., 3) -> (..., 6, 6)
inline at::Tensor
dsptrf(const at::Tensor & l,
       const at::Tensor & V,
       const at::Tensor & f,
       const at::Tensor & df,
       double epsilon)
{
  const at::Tensor shear = divided_differences(l, f, df, epsilon);
  const at::Tensor d = at::cat({df.expand(shear.sizes()), shear}, -1);
  const at::Tensor Q = mandel_rotation(V);
  return at::matmul(Q * d.unsqueeze(-2), Q.transpose(-1, -2));
}
} // namespace neml2::composed
