// SPDX-License-Identifier: MIT
// A program with one file compiled from the headers alone, with the derivative rules, and another file
// compiled with neml2::compiled: both have the same operations, the same rules and the same node of
// autograd.
#include "mixed.h"

#include <cmath>
#include <cstdio>

Seen
compiled::see(const neml2::SR2 & s)
{
  return seen_here(s);
}

int
main()
{
  neml2::SR2 s = neml2::SR2::fill(1, 2, 4);
  s.requires_grad_();
  const Seen a = headers::see(s), b = compiled::see(s);
  const bool same = a.nodes == b.nodes && a.energy == b.energy && a.rule == b.rule &&
                    a.rule != nullptr && a.record == b.record;
  const bool right = b.nodes == "devBackward sinhBackward *Backward VmapBackward" &&
                     std::abs(b.energy - 14.0 / 3.0) < 1e-14;
  if (!same || !right)
    std::printf("headers: %s, %.17g\ncompiled: %s, %.17g\n",
                a.nodes.c_str(),
                a.energy,
                b.nodes.c_str(),
                b.energy);
  return !same || !right;
}
