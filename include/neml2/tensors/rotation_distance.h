// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/elementwise.h"
#include "neml2/tensors/Rot.h"

/// How far apart rotations are, and the two names that each of them has: bodies of what Rot.h declares.
namespace neml2
{
inline Rot
shadow(const Rot & r)
{
  return engine::evaluate_leaf<Rot>(
      "shadow",
      [](const auto & a) { return kernels::shadow(a); },
      [](const Rot & a)
      { return Rot(-core::raw(a) / (core::raw(a) * core::raw(a)).sum(-1, true)); },
      r);
}

inline R2
dshadow(const Rot & r)
{
  return engine::evaluate_leaf<R2>(
      "dshadow",
      [](const auto & a) { return kernels::dshadow(a); },
      [](const Rot & a)
      {
        const at::Tensor row = a.unsqueeze(-1), column = a.unsqueeze(-2);
        const at::Tensor s = (row * row).sum(-2, /*keepdim=*/true);
        return R2((2 * row * column / s - at::eye(3, a.options())) / s);
      },
      r);
}

inline Scalar
gdist(const Rot & a, const Rot & b)
{
  return engine::evaluate_leaf<Scalar>(
      "gdist",
      [](const auto & x, const auto & y) { return kernels::gdist(x, y); },
      [](const Rot & x, const Rot & y)
      {
        const auto [sine, cosine] = composed::quarter_angle(x, y);
        return Scalar(4 * sine.atan2(cosine).squeeze(-1));
      },
      a,
      b);
}

inline Scalar
dist(const Rot & a, const Rot & b)
{
  return engine::evaluate_leaf<Scalar>(
      "dist",
      [](const auto & x, const auto & y) { return kernels::dist(x, y); },
      [](const Rot & x, const Rot & y)
      {
        const auto [sine, cosine] = composed::quarter_angle(x, y);
        const at::Tensor less = sine < cosine;
        const at::Tensor least = math::select(less, sine, cosine),
                         most = math::select(less, cosine, sine);
        return Scalar(4 * least.atan2(most).squeeze(-1));
      },
      a,
      b);
}

inline Scalar
dV(const Rot & r)
{
  return engine::composed<Scalar>(
      "dV",
      [](const at::Tensor & x)
      {
        const at::Tensor s = (x * x).sum(-1) + 1;
        return 8 / pi / (s * s * s);
      },
      r);
}

inline Rot
Rot::shadow() const
{
  return neml2::shadow(*this);
}

inline R2
Rot::dshadow() const
{
  return neml2::dshadow(*this);
}

inline Scalar
Rot::gdist(const Rot & q) const
{
  return neml2::gdist(*this, q);
}

inline Scalar
Rot::dist(const Rot & q) const
{
  return neml2::dist(*this, q);
}

inline Scalar
Rot::dV() const
{
  return neml2::dV(*this);
}
} // namespace neml2
