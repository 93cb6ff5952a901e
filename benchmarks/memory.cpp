// SPDX-License-Identifier: MIT
#include "neml2/math/elementwise.h"
#include "neml2/math/vmap_out.h"

#include "support/j2.h"
#include "support/peers.h"

/// The cost of a fresh result, and the time saved by writing into an existing one; see
/// docs/memory.md. The option --default_malloc and the environment choose the settings of malloc.
using namespace neml2;
using peers::Peers;

namespace
{
Peers
sum(Size N)
{
  const auto & x = j2::inputs(N);
  const SR2 a = x.strain, b = x.plastic_strain;
  const at::Tensor s = a, t = b;
  SR2 existing(peers::empty({N, 6}));
  at::Tensor out = peers::empty({N, 6});
  return {
      {"neml2", [=] { return a + b; }},
      {"neml2 vmap_out",
       [=]() mutable
       {
         vmap_out(
             existing, [](const auto & u, const auto & v) { return u + v; }, a, b);
         return at::Tensor(existing);
       }},
      {"at::add", [=] { return s + t; }},
      {"at::add_out", [=]() mutable { return at::add_out(out, s, t); }},
  };
}

Peers
deviator(Size N)
{
  const SR2 s = j2::inputs(N).strain;
  SR2 existing(peers::empty({N, 6}));
  return {
      {"neml2", [=] { return dev(s); }},
      {"neml2 vmap_out",
       [=]() mutable
       {
         vmap_out(
             existing, [](const auto & a) { return dev(a); }, s);
         return at::Tensor(existing);
       }},
  };
}

Peers
stress_update(Size N)
{
  const auto & x = j2::inputs(N);
  SR2 existing(peers::empty({N, 6}));
  return {
      {"neml2",
       [=]
       {
         return vmap(j2::radial_return,
                     x.strain,
                     x.plastic_strain,
                     x.alpha,
                     x.E,
                     x.nu,
                     x.yield,
                     x.hardening);
       }},
      {"neml2 vmap_out",
       [=]() mutable
       {
         vmap_out(existing,
                  j2::radial_return,
                  x.strain,
                  x.plastic_strain,
                  x.alpha,
                  x.E,
                  x.nu,
                  x.yield,
                  x.hardening);
         return at::Tensor(existing);
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("SR2 + SR2", sum);
  peers::add("SR2 dev", deviator);
  peers::add("J2", stress_update);
  return peers::run(argc, argv);
}
