// error: or a group of them: a std::tuple, or a struct that is a template of the types of its fields
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

struct Material
{
  Scalar E;
  double nu;
};

void
f(const SR2 & s, const Material & m)
{
  vmap([](const auto & e, const auto & x) { return x.E * e; }, s, m);
}
