// SPDX-License-Identifier: MIT
#include "neml2/math/elementwise.h"
#include "neml2/math/jacobian.h"

#include "support/j2.h"
#include "support/peers.h"

#include <torch/csrc/autograd/autograd.h>

#include <mutex>

/// Derivatives of the stress update of support/j2.h: forward and backward under autograd, and the
/// stress with its consistent tangent.
using namespace neml2;
using peers::Peers;
using peers::Results;

namespace
{
/// The stress, and the gradient of gradient:stress by a variable.
Results
stress_and_gradient(const at::Tensor & stress,
                    const at::Tensor & variable,
                    const at::Tensor & gradient)
{
  return {torch::autograd::grad({stress}, {variable}, {gradient})[0], stress.detach()};
}

Peers
by_strain(Size N)
{
  const auto & x = j2::inputs(N);
  const auto [plastic_strain, alpha] = std::tuple(x.plastic_strain, x.alpha);
  const auto [E, nu, yield, hardening] = std::tuple(x.E, x.nu, x.yield, x.hardening);
  const at::Tensor e = x.strain_of_graph, p = plastic_strain, a = alpha, g = x.gradient;
  const at::Tensor Et = E, nut = nu, yt = yield, ht = hardening;
  const SR2 strain(e);
  const j2::Folded folded;
  const double H = j2::hardening;
  return {
      {"neml2",
       [=]
       {
         const auto stress = vmap(with_gradient(j2::radial_return),
                                  strain,
                                  plastic_strain,
                                  alpha,
                                  E,
                                  nu,
                                  yield,
                                  hardening);
         return stress_and_gradient(stress, e, g);
       }},
      {"neml2 op by op",
       [=]
       {
         const auto stress =
             j2::radial_return(strain, plastic_strain, alpha, E, nu, yield, hardening);
         return stress_and_gradient(stress, e, g);
       }},
      peers::floor({e.detach(), p, a, g}, {{N, 6}, {N, 6}}),
      {"hand",
       [=]() -> Results
       {
         at::Tensor stress = peers::empty({N, 6});
         const double y = yt.item<double>();
         double * const s = stress.data_ptr<double>();
         const double * const a0 = a.data_ptr<double>();
         const auto f = [=](const double * strain_,
                            const double * plastic_strain_,
                            const double * alpha_,
                            const double * g_,
                            double * r)
         {
           using namespace j2;
           const Point<double> point(strain_, plastic_strain_, alpha_, y, s + 6 * (alpha_ - a0));
           const double q = point.mises,
                        slope = point.yields() ? -1.5 * c * point.limit / (q * q * q) : 0;
           const double along = slope * hand::inner(point.trial, g_);
           double t[6];
           for (int i = 0; i < 6; i++)
             t[i] = 2 * mu * (point.factor * g_[i] + along * point.trial[i]);
           hand::dev(t, r);
           const double pressure = kappa * (g_[0] + g_[1] + g_[2]);
           for (int i = 0; i < 3; i++)
             r[i] += pressure;
         };
         at::Tensor r = hand::Loop<6, 6, 6, 1, 6>::run({N, 6}, f, e, p, a, g);
         return {r, stress};
       }},
      {"obvious", [=] { return stress_and_gradient(j2::obvious(e, p, a, Et, nut, yt, ht), e, g); }},
      {"mm", [=] { return stress_and_gradient(folded.rows(e - p, at::add(yt, a, H)), e, g); }},
      {"mm columns",
       [=] { return stress_and_gradient(folded.columns(e - p, at::add(yt, a, H)), e, g); }},
      {"mm columns chunks",
       [=]
       {
         const auto both =
             peers::chunks({N, 12},
                           2048,
                           {e.detach(), p, a, g},
                           [&](const auto & x_)
                           {
                             const at::Tensor piece = x_[0].detach().set_requires_grad(true);
                             const auto stress =
                                 folded.columns(piece - x_[1], at::add(yt, x_[2], H));
                             const Results r = stress_and_gradient(stress, piece, x_[3]);
                             return at::cat({r.first, r.second}, 1);
                           });
         return Results(both.slice(1, 0, 6), both.slice(1, 6));
       }},
  };
}

Peers
by_yield_stress(Size N)
{
  const auto & x = j2::inputs(N);
  const auto [strain, plastic_strain, alpha] = std::tuple(x.strain, x.plastic_strain, x.alpha);
  const auto [E, nu, hardening] = std::tuple(x.E, x.nu, x.hardening);
  const at::Tensor e = strain, p = plastic_strain, a = alpha, g = x.gradient;
  const at::Tensor Et = E, nut = nu, yt = x.yield_of_graph, ht = hardening;
  const Scalar yield(yt);
  const j2::Folded folded;
  const double H = j2::hardening;
  return {
      {"neml2",
       [=]
       {
         const auto stress = vmap(with_gradient(j2::radial_return),
                                  strain,
                                  plastic_strain,
                                  alpha,
                                  E,
                                  nu,
                                  yield,
                                  hardening);
         return stress_and_gradient(stress, yt, g);
       }},
      {"neml2 op by op",
       [=]
       {
         const auto stress =
             j2::radial_return(strain, plastic_strain, alpha, E, nu, yield, hardening);
         return stress_and_gradient(stress, yt, g);
       }},
      peers::floor({e, p, a, g}, {{N, 6}}),
      {"hand",
       [=]() -> Results
       {
         const double y = yt.item<double>();
         at::Tensor total = at::zeros({}, at::kDouble);
         std::mutex mutex;
         const double * const g0 = g.data_ptr<double>();
         const double * const a0 = a.data_ptr<double>();
         const double * const e0 = e.data_ptr<double>();
         const double * const p0 = p.data_ptr<double>();
         at::Tensor stress = peers::empty({N, 6});
         double * const s = stress.data_ptr<double>();
         hand::Loop<6>::rows(
             N,
             [&](Size begin, Size end)
             {
               double sum = 0;
               for (Size n = begin; n < end; n++)
               {
                 const j2::Point<double> point(e0 + 6 * n, p0 + 6 * n, a0 + n, y, s + 6 * n);
                 if (point.yields())
                   sum += j2::c * hand::inner(point.trial, g0 + 6 * n) / point.mises;
               }
               const std::lock_guard<std::mutex> lock(mutex);
               *total.data_ptr<double>() += sum;
             });
         return {total, stress};
       }},
      {"obvious",
       [=] { return stress_and_gradient(j2::obvious(e, p, a, Et, nut, yt, ht), yt, g); }},
      {"mm", [=] { return stress_and_gradient(folded.rows(e - p, at::add(yt, a, H)), yt, g); }},
      {"mm columns",
       [=] { return stress_and_gradient(folded.columns(e - p, at::add(yt, a, H)), yt, g); }},
      {"mm columns chunks",
       [=]
       {
         at::Tensor total = at::zeros({}, at::kDouble);
         const auto stress =
             peers::chunks({N, 6},
                           2048,
                           {e, p, a, g},
                           [&](const auto & x_)
                           {
                             const Results r = stress_and_gradient(
                                 folded.columns(x_[0] - x_[1], at::add(yt, x_[2], H)), yt, x_[3]);
                             total.add_(r.first);
                             return r.second;
                           });
         return Results(total, stress);
       }},
  };
}

/// Six backward passes, one per component of the stress.
Results
tangent_by_rows(const at::Tensor & stress, const at::Tensor & e)
{
  std::vector<at::Tensor> rows;
  for (int i = 0; i < 6; i++)
    rows.push_back(torch::autograd::grad({stress.select(-1, i).sum()}, {e}, {}, true)[0]);
  return {at::stack(rows, -2), stress.detach()};
}

/// One backward pass of six copies of the batch.
template <class F>
Results
tangent_of_copies(Size N, const at::Tensor & e, const F & f)
{
  const at::Tensor copies = e.detach().repeat({6, 1}).set_requires_grad(true);
  const at::Tensor units =
      at::eye(6, at::kDouble).unsqueeze(1).expand({6, N, 6}).reshape({6 * N, 6});
  const at::Tensor stress = f(copies);
  return {torch::autograd::grad({stress}, {copies}, {units})[0].view({6, N, 6}).transpose(0, 1),
          stress.detach().slice(0, 0, N)};
}

Peers
tangent(Size N)
{
  const auto & x = j2::inputs(N);
  const auto [strain, plastic_strain, alpha] = std::tuple(x.strain, x.plastic_strain, x.alpha);
  const auto [E, nu, yield, hardening] = std::tuple(x.E, x.nu, x.yield, x.hardening);
  const at::Tensor e = strain, p = plastic_strain, a = alpha, eg = x.strain_of_graph;
  const at::Tensor Et = E, nut = nu, yt = yield, ht = hardening;
  const j2::Folded folded;
  const double H = j2::hardening;
  const at::Tensor P = peers::dev_matrix(), I = at::eye(6, at::kDouble);
  const at::Tensor C1 = (I - P) * (3 * j2::kappa) + P * (2 * j2::mu * (1 - j2::c)),
                   C2 = P * (2 * j2::mu * j2::c), maps = at::cat({P * (2 * j2::mu), C1}, 1);
  // The tangent derived with pen and paper: C1 + m C2 - [q > Y] 3μ c Y / q³ t t^T.
  const auto by_hand = [=](const at::Tensor & elastic, const at::Tensor & alpha_) -> Results
  {
    const Size n = elastic.size(0);
    const auto y = elastic.mm(maps);
    const auto t = y.slice(1, 0, 6);
    const auto q = at::linalg_vector_norm(t, 2, {-1}).mul_(std::sqrt(1.5));
    const auto ratio = at::add(yt, alpha_, H).div_(q), m = at::clamp_max(ratio, 1).unsqueeze(-1);
    const auto w = ((ratio < 1) * ratio).div_(q).div_(q).mul_(-3 * j2::mu * j2::c).unsqueeze(-1);
    auto T = at::addmm(C1.view({36}), m, C2.view({1, 36})).view({n, 6, 6});
    T.addcmul_((w * t).unsqueeze(2), t.unsqueeze(1));
    return {T, at::addcmul(y.slice(1, 6), t, m, j2::c)};
  };
  return {
      {"neml2",
       [=]
       {
         const auto [stress, T] = value_and_jacobian<0>(
             j2::radial_return, strain, plastic_strain, alpha, E, nu, yield, hardening);
         return Results(T, stress);
       }},
      peers::floor({e, p, a}, {{N, 6}, {N, 6, 6}}),
      {"hand",
       [=]() -> Results
       {
         at::Tensor stress = peers::empty({N, 6});
         const double y = yt.item<double>();
         double * const s = stress.data_ptr<double>();
         const double * const a0 = a.data_ptr<double>();
         const auto f = [=](const double * strain_,
                            const double * plastic_strain_,
                            const double * alpha_,
                            double * r)
         {
           using namespace j2;
           const Point<double> point(strain_, plastic_strain_, alpha_, y, s + 6 * (alpha_ - a0));
           const double q = point.mises,
                        w = point.yields() ? -3 * mu * c * point.limit / (q * q * q) : 0,
                        d = 2 * mu * point.factor;
           for (int i = 0; i < 6; i++)
             for (int j = 0; j < 6; j++)
               r[6 * i + j] = w * point.trial[i] * point.trial[j] + (i == j ? d : 0) +
                              (i < 3 && j < 3 ? kappa - d / 3 : 0);
         };
         at::Tensor T = hand::Loop<36, 6, 6, 1>::run({N, 6, 6}, f, e, p, a);
         return {T, stress};
       }},
      {"obvious", [=] { return tangent_by_rows(j2::obvious(eg, p, a, Et, nut, yt, ht), eg); }},
      {"mm columns, six backward",
       [=] { return tangent_by_rows(folded.columns(eg - p, at::add(yt, a, H)), eg); }},
      {"mm columns, six copies",
       [=]
       {
         return tangent_of_copies(N,
                                  e,
                                  [&](const at::Tensor & copies)
                                  {
                                    const auto limit = at::add(yt, a, H).repeat(6);
                                    return folded.columns(copies - p.repeat({6, 1}), limit);
                                  });
       }},
      {"by hand", [=] { return by_hand(e - p, a); }},
      {"by hand chunks",
       [=]
       {
         at::Tensor stress = peers::empty({N, 6});
         Size begin = 0;
         const auto T = peers::chunks({N, 6, 6},
                                      1024,
                                      {e, p, a},
                                      [&](const auto & x_)
                                      {
                                        const Results r = by_hand(x_[0] - x_[1], x_[2]);
                                        stress.narrow(0, begin, r.second.size(0)).copy_(r.second);
                                        begin += r.second.size(0);
                                        return r.first;
                                      });
         return Results(T, stress);
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("J2 and backward to strain", by_strain);
  peers::add("J2 and backward to yield stress", by_yield_stress);
  peers::add("J2 and tangent", tangent, 100'000);
  return peers::run(argc, argv);
}
