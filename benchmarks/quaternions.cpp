// SPDX-License-Identifier: MIT
#include "neml2/tensors/Quaternion.h"

#include "support/compositions.h"
#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>

#include <map>

/// Rotations by unit quaternions.
using namespace neml2;
using peers::empty;
using peers::Peers;
using peers::rand;

namespace
{
struct Inputs
{
  Quaternion q, p; // (N; 4)
  Scalar t;        // (N;)
};

const Inputs &
inputs(Size N)
{
  static std::map<Size, Inputs> all;
  auto & x = all[N];
  const auto unit = [](const at::Tensor & t) { return t / t.norm(2, 1, true); };
  if (!x.q.defined())
    x = {Quaternion(unit(rand({N, 4}) - 0.5)),
         Quaternion(unit(rand({N, 4}) - 0.5)),
         Scalar(rand({N}))};
  return x;
}

/// All products q_i p_j. (N, 4) -> (N, 16)
at::Tensor
monomials(const at::Tensor & q, const at::Tensor & p)
{
  return (q.unsqueeze(2) * p.unsqueeze(1)).view({-1, 16});
}

/// The same products in columns. (4, N) -> (16, N)
at::Tensor
column_monomials(const at::Tensor & q, const at::Tensor & p)
{
  return (q.unsqueeze(1) * p.unsqueeze(0)).view({16, -1});
}

/// The product as a linear map of the products of components, 16×4.
at::Tensor
product_map()
{
  at::Tensor K = at::zeros({4, 4, 4}, at::kDouble);
  for (int i = 0; i < 4; i++)
  {
    K[i][i][0] = i == 0 ? 1 : -1;
    K[i][0][i] = K[0][i][i] = 1;
  }
  for (int i = 0; i < 3; i++)
  {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    K[i + 1][j + 1][k + 1] = 1;
    K[j + 1][i + 1][k + 1] = -1;
  }
  return K.view({16, 4});
}

/// The rotation matrix of a unit quaternion as a linear map of the products of components, 16×9.
at::Tensor
matrix_map()
{
  at::Tensor K = at::zeros({4, 4, 3, 3}, at::kDouble);
  for (int i = 0; i < 3; i++)
  {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    K[0][0][i][i] = 1;
    for (int l = 0; l < 3; l++)
      K[l + 1][l + 1][i][i] = l == i ? 1 : -1;
    for (const int l : {j, k})
      K[i + 1][l + 1][i][l] = 2;
    K[0][k + 1][i][j] = -2;
    K[0][j + 1][i][k] = 2;
  }
  return K.view({16, 9});
}

void
product_by_hand(const double * q, const double * p, double * r)
{
  r[0] = q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3];
  r[1] = q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2];
  r[2] = q[0] * p[2] + q[2] * p[0] + q[3] * p[1] - q[1] * p[3];
  r[3] = q[0] * p[3] + q[3] * p[0] + q[1] * p[2] - q[2] * p[1];
}

Peers
product(Size N)
{
  const Quaternion x = inputs(N).q, y = inputs(N).p;
  const at::Tensor q = x, p = y, K = product_map(), Kt = K.t().contiguous();
  // The matrix of the product with q, linear in q: 4×16
  const at::Tensor L = K.view({4, 4, 4}).transpose(1, 2).reshape({4, 16});
  const auto by_columns = [](const at::Tensor & a, const at::Tensor & b)
  {
    const auto c = a.unbind(-1), d = b.unbind(-1);
    return at::stack({c[0] * d[0] - c[1] * d[1] - c[2] * d[2] - c[3] * d[3],
                      c[0] * d[1] + c[1] * d[0] + c[2] * d[3] - c[3] * d[2],
                      c[0] * d[2] + c[2] * d[0] + c[3] * d[1] - c[1] * d[3],
                      c[0] * d[3] + c[3] * d[0] + c[1] * d[2] - c[2] * d[1]},
                     -1);
  };
  const auto mm_columns = [=](const at::Tensor & a, const at::Tensor & b)
  { return Kt.mm(column_monomials(a.t().contiguous(), b.t().contiguous())).t(); };
  return {
      {"neml2", [=] { return x * y; }},
      peers::floor({q, p}, {{N, 4}}),
      {"hand",
       [=] {
         return hand::Loop<4, 4, 4>::run({N, 4}, product_by_hand, q, p);
       }},
      {"obvious",
       [=]
       {
         const auto s = q.slice(-1, 0, 1), t = p.slice(-1, 0, 1), u = q.slice(-1, 1),
                    w = p.slice(-1, 1);
         return at::cat({s * t - (u * w).sum(-1, true), s * w + t * u + at::linalg_cross(u, w)},
                        -1);
       }},
      {"components", [=] { return by_columns(q, p); }},
      {"components chunks",
       [=]
       {
         return peers::chunks(
             {N, 4},
             2048,
             {q, p},
             [&](const auto & part)
             { return by_columns(part[0].t().contiguous().t(), part[1].t().contiguous().t()); });
       }},
      {"mm", [=] { return monomials(q, p).mm(K); }},
      {"mm bmm",
       [=] {
         return at::bmm(q.mm(L).view({N, 4, 4}), p.unsqueeze(2)).squeeze(2);
       }},
      {"mm columns", [=] { return mm_columns(q, p); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 4}, 2048, {q, p}, [&](const auto & part) { return mm_columns(part[0], part[1]); });
       }},
  };
}

void
matrix_by_hand(const double * q, double * R)
{
  const double x = 2 * q[1], y = 2 * q[2], z = 2 * q[3];
  R[0] = 1 - y * q[2] - z * q[3];
  R[1] = x * q[2] - z * q[0];
  R[2] = x * q[3] + y * q[0];
  R[3] = x * q[2] + z * q[0];
  R[4] = 1 - x * q[1] - z * q[3];
  R[5] = y * q[3] - x * q[0];
  R[6] = x * q[3] - y * q[0];
  R[7] = y * q[3] + x * q[0];
  R[8] = 1 - x * q[1] - y * q[2];
}

Peers
matrix(Size N)
{
  const Quaternion x = inputs(N).q;
  const at::Tensor q = x, K = matrix_map(), Kt = K.t().contiguous();
  const auto mm_columns = [=](const at::Tensor & a)
  {
    const auto c = a.t().contiguous();
    return Kt.mm(column_monomials(c, c)).t().unflatten(1, {3, 3});
  };
  const auto components = [](const at::Tensor & a)
  {
    const auto c = a.unbind(-1);
    const auto xx = c[1] * c[1], yy = c[2] * c[2], zz = c[3] * c[3], xy = c[1] * c[2],
               xz = c[1] * c[3], yz = c[2] * c[3], sx = c[0] * c[1], sy = c[0] * c[2],
               sz = c[0] * c[3];
    return at::stack({1 - 2 * (yy + zz),
                      2 * (xy - sz),
                      2 * (xz + sy),
                      2 * (xy + sz),
                      1 - 2 * (xx + zz),
                      2 * (yz - sx),
                      2 * (xz - sy),
                      2 * (yz + sx),
                      1 - 2 * (xx + yy)},
                     -1)
        .unflatten(-1, {3, 3});
  };
  return {
      {"neml2", [=] { return rotation_matrix(x); }},
      peers::floor({q}, {{N, 3, 3}}),
      {"hand",
       [=] {
         return hand::Loop<9, 4>::run({N, 3, 3}, matrix_by_hand, q);
       }},
      {"obvious", [=] { return components(q); }},
      {"components chunks",
       [=]
       {
         return peers::chunks({N, 3, 3},
                              2048,
                              {q},
                              [&](const auto & part)
                              { return components(part[0].t().contiguous().t()); });
       }},
      {"mm",
       [=] {
         return monomials(q, q).mm(K).view({N, 3, 3});
       }},
      {"mm columns", [=] { return mm_columns(q); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 3, 3}, 2048, {q}, [&](const auto & part) { return mm_columns(part[0]); });
       }},
  };
}

void
slerp_by_hand(const double * q, const double * p, const double * t, double * r)
{
  double dot = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3], sign = 1;
  if (dot < 0)
  {
    dot = -dot;
    sign = -1;
  }
  double a = 1 - *t, b = *t;
  if (dot < 1 - 1e-8)
  {
    const double angle = std::acos(dot), i = 1 / std::sqrt(1 - dot * dot);
    a = std::sin(a * angle) * i;
    b = std::sin(b * angle) * i;
  }
  for (int k = 0; k < 4; k++)
    r[k] = a * q[k] + sign * b * p[k];
}

Peers
interpolation(Size N)
{
  const Quaternion x = inputs(N).q, y = inputs(N).p;
  const Scalar z = inputs(N).t;
  const at::Tensor q = x, p = y, t = z;
  /// Weighted sums along dimension d of the components.
  const auto weighted =
      [](const at::Tensor & a, const at::Tensor & b, const at::Tensor & f, int64_t d)
  {
    const auto dot = (a * b).sum(d, true), c = dot.abs().clamp_max_(1), angle = c.acos();
    const auto i = (1 - c * c).sqrt_().reciprocal_();
    const auto u = (angle * (1 - f)).sin_().mul_(i), v = (angle * f).sin_().mul_(i);
    const auto near = c > 1 - 1e-8;
    return at::where(near, 1 - f, u) * a + (at::where(near, f, v) * dot.sign()) * b;
  };
  const auto columns = [=](const at::Tensor & a, const at::Tensor & b, const at::Tensor & f)
  { return weighted(a.t().contiguous(), b.t().contiguous(), f.unsqueeze(0), 0).t(); };
  return {
      {"neml2", [=] { return slerp(x, y, z); }},
      peers::floor({q, p, t}, {{N, 4}}),
      {"hand",
       [=] {
         return hand::Loop<4, 4, 4, 1>::run({N, 4}, slerp_by_hand, q, p, t);
       }},
      {"obvious", [=] { return weighted(q, p, t.unsqueeze(1), 1); }},
      {"columns", [=] { return columns(q, p, t); }},
      {"columns chunks",
       [=]
       {
         return peers::chunks({N, 4},
                              2048,
                              {q, p, t},
                              [&](const auto & part)
                              { return columns(part[0], part[1], part[2]); });
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("Quaternion * Quaternion", product);
  peers::add("Quaternion to matrix", matrix);
  peers::add("Quaternion slerp", interpolation);
  return peers::run(argc, argv);
}
