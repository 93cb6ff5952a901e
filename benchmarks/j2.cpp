// SPDX-License-Identifier: MIT
#include "neml2/math/elementwise.h"
#include "neml2/math/vmap_out.h"

#include "support/j2.h"
#include "support/peers.h"

/// The stress update of support/j2.h, in float64 and float32.
using namespace neml2;
using peers::Peers;

namespace
{
template <class T>
Peers
stress_update(Size N)
{
  constexpr auto dtype = c10::CppTypeToScalarType<T>::value;
  const auto & x = j2::inputs(N, dtype);
  const auto [strain, plastic_strain, alpha] = std::tuple(x.strain, x.plastic_strain, x.alpha);
  const auto [E, nu, yield, hardening] = std::tuple(x.E, x.nu, x.yield, x.hardening);
  const at::Tensor e = strain, p = plastic_strain, a = alpha;
  const at::Tensor Et = E, nut = nu, yt = yield, ht = hardening;
  const j2::Folded folded(dtype);
  const double H = j2::hardening;
  SR2 existing(peers::empty({N, 6}, dtype));

  const auto in_place = [=](const at::Tensor & elastic, const at::Tensor & alpha_)
  {
    const auto y = folded.map_t.mm(elastic.t());
    const auto d = y.slice(0, 0, 6), r = y.slice(0, 6);
    const auto q = folded.ones.mm(d * d).sqrt_();
    const auto limit = at::add(yt, alpha_, H).mul_(j2::c * std::sqrt(2.0 / 3.0));
    return r.addcmul_(d, limit.div_(q.view({-1})).clamp_max_(1)).t();
  };
  at::Tensor elastic = peers::empty({N, 6}, dtype), both = peers::empty({N, 12}, dtype),
             five = peers::empty({N, 5}, dtype), q = peers::empty({N}, dtype),
             limit = peers::empty({N}, dtype), out = peers::empty({N, 6}, dtype);
  return {
      {"neml2",
       [=]
       { return vmap(j2::radial_return, strain, plastic_strain, alpha, E, nu, yield, hardening); }},
      {"neml2 op by op",
       [=] { return j2::radial_return(strain, plastic_strain, alpha, E, nu, yield, hardening); }},
      {"neml2 vmap_out",
       [=]() mutable
       {
         vmap_out(
             existing, j2::radial_return, strain, plastic_strain, alpha, E, nu, yield, hardening);
         return at::Tensor(existing);
       }},
      peers::floor({e, p, a}, {{N, 6}}),
      {"hand",
       [=]
       {
         const double y = yt.item<double>();
         const auto f =
             [=](const T * strain_, const T * plastic_strain_, const T * alpha_, T * stress)
         { j2::Point<T>(strain_, plastic_strain_, alpha_, y, stress); };
         return hand::Loop<6, 6, 6, 1>::run<T>({N, 6}, f, e, p, a);
       }},
      {"obvious", [=] { return j2::obvious(e, p, a, Et, nut, yt, ht); }},
      {"mm", [=] { return folded.rows(e - p, at::add(yt, a, H)); }},
      {"mm out=",
       [=]() mutable
       {
         at::sub_out(elastic, e, p);
         at::mm_out(both, elastic, folded.map);
         at::linalg_vector_norm_out(q, at::mm_out(five, elastic, folded.basis), 2, {-1});
         at::add_out(limit, yt, a, H).div_(q).clamp_max_(1);
         return at::addcmul_out(out, both.slice(1, 6), both.slice(1, 0, 6), limit.unsqueeze(-1));
       }},
      {"mm columns", [=] { return folded.columns(e - p, at::add(yt, a, H)); }},
      {"mm columns in place", [=] { return in_place(e - p, a); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks({N, 6},
                              2048,
                              {e, p, a},
                              [&](const auto & x_) { return in_place(x_[0] - x_[1], x_[2]); });
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("J2", stress_update<double>);
  peers::add("J2 float", stress_update<float>);
  return peers::run(argc, argv);
}
