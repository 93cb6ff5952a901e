// error: write a struct of up to 16 public fields that are numbers or enumerations
// SPDX-License-Identifier: MIT
#include "neml2/math/autograd.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

struct Many
{
  double a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;

  template <class S>
  auto operator()(const S & s) const
  {
    return a * s;
  }
};

void
f(const SR2 & s)
{
  vmap(with_gradient(Many{}), s);
}
