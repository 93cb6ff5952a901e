// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/WR2.h"

#include "support/compositions.h"
#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>

/// Derivatives of rotations by modified Rodrigues parameters, and the exponential map.
using namespace neml2;
using peers::Peers;
using peers::rand;

namespace
{
struct Inputs
{
  Rot x, r; // (N; 3)
  WR2 w;    // (N; 3), of angles on both sides of the switch to the series
};

const Inputs &
inputs(Size N)
{
  static std::map<Size, Inputs> all;
  auto & i = all[N];
  if (!i.x.defined())
    i = {Rot(rand({N, 3}) * 0.6 - 0.3), Rot(rand({N, 3}) * 0.6), WR2(rand({N, 3}) * 3 - 1)};
  return i;
}

// ---- By hand -----------------------------------------------------------------------------------

void
product_derivative_by_hand(const double * x, const double * r, double * D)
{
  const double s = x[0] * x[0] + x[1] * x[1] + x[2] * x[2],
               t = r[0] * r[0] + r[1] * r[1] + r[2] * r[2],
               q = 1 / (1 + s * t - 2 * (x[0] * r[0] + x[1] * r[1] + x[2] * r[2]));
  const double cross[3] = {
      r[1] * x[2] - r[2] * x[1], r[2] * x[0] - r[0] * x[2], r[0] * x[1] - r[1] * x[0]};
  for (int i = 0; i < 3; i++)
  {
    const double c = ((1 - s) * r[i] + (1 - t) * x[i] + 2 * cross[i]) * q;
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = -2 * q * (x[i] * r[j] + c * (s * r[j] - x[j]));
    D[4 * i] += (1 - s) * q;
  }
  const double d = 2 * q;
  D[1] += d * x[2];
  D[2] -= d * x[1];
  D[3] -= d * x[2];
  D[5] += d * x[0];
  D[6] += d * x[1];
  D[7] -= d * x[0];
}

void
exp_map_by_hand(const double * w, double * r)
{
  const double theta = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const double g = theta < 1e-8 ? 0.25 : std::tan(theta / 4) / theta;
  for (int i = 0; i < 3; i++)
    r[i] = g * w[i];
}

void
dexp_map_by_hand(const double * w, double * D)
{
  const double s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], theta = std::sqrt(s),
               t = std::tan(theta / 4);
  const double g = theta < 1e-8 ? 0.25 : t / theta,
               h = theta < 1e-2 ? 1.0 / 96 + s / 1920 : (0.25 + 0.25 * t * t - g) / s;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = h * w[i] * w[j] + (i == j ? g : 0);
}

// ---- By LibTorch -------------------------------------------------------------------------------

/// ∂(r * x)/∂r by the formula as books print it.
at::Tensor
obvious_product_derivative(const at::Tensor & x, const at::Tensor & r)
{
  const auto s = (x * x).sum(-1, true), t = (r * r).sum(-1, true),
             d = 1 + s * t - 2 * (x * r).sum(-1, true);
  const auto c = ((1 - s) * r + (1 - t) * x + 2 * at::linalg_cross(r, x)) / d;
  const auto k = x.unbind(-1);
  const auto zero = at::zeros_like(k[0]);
  const auto W = at::stack({zero, -k[2], k[1], k[2], zero, -k[0], -k[1], k[0], zero}, -1)
                     .unflatten(-1, {3, 3});
  const auto outer = [](const at::Tensor & a, const at::Tensor & b)
  { return a.unsqueeze(-1) * b.unsqueeze(-2); };
  return (-outer(c, 2 * s * r - 2 * x) - 2 * outer(x, r) +
          (1 - s).unsqueeze(-1) * at::eye(3, x.options()) - 2 * W) /
         d.unsqueeze(-1);
}

/// The same derivative in columns, in place. (N, 3), (N, 3) -> (9, N)
at::Tensor
product_derivative_by_columns(const at::Tensor & x, const at::Tensor & r)
{
  const auto p = x.t().contiguous(), q = r.t().contiguous();
  const auto s = (p * p).sum(0), t = (q * q).sum(0);
  const auto i = at::addcmul(1 - 2 * (p * q).sum(0), s, t).reciprocal_(), u = (1 - s).mul_(i);
  auto c = at::linalg_cross(q, p, 0).mul_(2);
  c.addcmul_(q, 1 - s).addcmul_(p, 1 - t).mul_(i);
  const auto e = at::addcmul(-p, q, s).mul_(i).mul_(-2), f = (q * i).mul_(-2), k = (p * i).mul_(2);
  auto D = c.unsqueeze(1) * e.unsqueeze(0);
  D.addcmul_(p.unsqueeze(1), f.unsqueeze(0));
  D = D.view({9, -1});
  for (const int diagonal : {0, 4, 8})
    D[diagonal].add_(u);
  D[1].add_(k[2]);
  D[3].sub_(k[2]);
  D[2].sub_(k[1]);
  D[6].add_(k[1]);
  D[5].add_(k[0]);
  D[7].sub_(k[0]);
  return D;
}

/// tan(θ/4) / θ and (1 / (4 cos²) - tan(θ/4) / θ) / θ² as functions of s = θ²; by their series
/// where θ is small.
std::pair<at::Tensor, at::Tensor>
factors(const at::Tensor & s)
{
  const auto small = s < 1e-4;
  const auto theta = at::where(small, 1, s).sqrt(), t = (theta / 4).tan();
  const auto q = t / theta;
  return {at::where(small, 0.25 + s * (1.0 / 192 + s / 7680), q),
          at::where(small, 1.0 / 96 + s / 1920, (0.25 + 0.25 * t * t - q) / (theta * theta))};
}

at::Tensor
obvious_exp_map(const at::Tensor & w)
{
  return w * factors((w * w).sum(-1, true)).first;
}

at::Tensor
obvious_dexp_map(const at::Tensor & w)
{
  const auto [g, h] = factors((w * w).sum(-1, true).unsqueeze(-1));
  return g * at::eye(3, w.options()) + h * w.unsqueeze(-1) * w.unsqueeze(-2);
}

at::Tensor
exp_map_by_columns(const at::Tensor & w)
{
  auto x = w.t().contiguous();
  const auto s = (x * x).sum(0), theta = s.sqrt();
  const auto g = (theta / 4).tan_().div_(theta);
  return x.mul_(at::where(s < 1e-16, 0.25, g)).t();
}

at::Tensor
dexp_map_by_columns(const at::Tensor & w)
{
  const auto x = w.t().contiguous();
  const auto [g, h] = factors((x * x).sum(0));
  auto D = ((x * h).unsqueeze(1) * x.unsqueeze(0)).view({9, -1});
  for (const int diagonal : {0, 4, 8})
    D[diagonal].add_(g);
  return D;
}

// ---- Peers -------------------------------------------------------------------------------------

Peers
rotation_derivative(Size N)
{
  const Rot p = inputs(N).x, q = inputs(N).r;
  const at::Tensor x = p, r = q;
  return {
      {"neml2", [=] { return p.drotate(q); }},
      peers::floor({x, r}, {{N, 3, 3}}),
      {"hand",
       [=] {
         return hand::Loop<9, 3, 3>::run({N, 3, 3}, product_derivative_by_hand, x, r);
       }},
      {"obvious", [=] { return obvious_product_derivative(x, r); }},
      {"columns",
       [=] {
         return product_derivative_by_columns(x, r).t().unflatten(1, {3, 3});
       }},
      {"columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 3, 3},
             2048,
             {x, r},
             [](const auto & c) {
               return product_derivative_by_columns(c[0], c[1]).t().unflatten(1, {3, 3});
             });
       }},
  };
}

Peers
exponential_map(Size N)
{
  const WR2 x = inputs(N).w;
  const at::Tensor w = x;
  return {
      {"neml2", [=] { return x.exp_map(); }},
      peers::floor({w}, {{N, 3}}),
      {"hand",
       [=] {
         return hand::Loop<3, 3>::run({N, 3}, exp_map_by_hand, w);
       }},
      {"obvious", [=] { return obvious_exp_map(w); }},
      {"columns", [=] { return exp_map_by_columns(w); }},
      {"columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 3}, 2048, {w}, [](const auto & c) { return exp_map_by_columns(c[0]); });
       }},
  };
}

Peers
exponential_map_derivative(Size N)
{
  const WR2 x = inputs(N).w;
  const at::Tensor w = x;
  return {
      {"neml2", [=] { return x.dexp_map(); }},
      peers::floor({w}, {{N, 3, 3}}),
      {"hand",
       [=] {
         return hand::Loop<9, 3>::run({N, 3, 3}, dexp_map_by_hand, w);
       }},
      {"obvious", [=] { return obvious_dexp_map(w); }},
      {"columns",
       [=] {
         return dexp_map_by_columns(w).t().unflatten(1, {3, 3});
       }},
      {"columns chunks",
       [=]
       {
         return peers::chunks({N, 3, 3},
                              2048,
                              {w},
                              [](const auto & c) {
                                return dexp_map_by_columns(c[0]).t().unflatten(1, {3, 3});
                              });
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("Rot drotate", rotation_derivative);
  peers::add("WR2 exp_map", exponential_map);
  peers::add("WR2 dexp_map", exponential_map_derivative);
  return peers::run(argc, argv);
}
