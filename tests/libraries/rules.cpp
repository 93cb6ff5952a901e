// SPDX-License-Identifier: MIT
// A shared library that hides its symbols and contains the derivative rules; it is built twice.
#include "library.h"

#include "neml2/tensors/gradients.h"

using namespace neml2;

const void *
place_of_rule()
{
  return &engine::gradient_rule<tensors::Dev, SR2>;
}

const void *
rule()
{
  return engine::gradient_rule<tensors::Dev, SR2>;
}
