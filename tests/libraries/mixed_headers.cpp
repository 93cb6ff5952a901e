// SPDX-License-Identifier: MIT
// The part of a program that is compiled from the headers alone, the rules it needs included.
#include "mixed.h"

#include "neml2/gradients/SR2.h"
#include "neml2/gradients/elementwise.h"
#include "neml2/engine/Gradient.h"
#include "neml2/math/autograd.h"
#include "neml2/math/elementwise.h"
#include "neml2/tensors/operations.h"

#include <torch/csrc/autograd/function.h>

Seen
headers::see(const neml2::SR2 & s)
{
  const neml2::Scalar e =
      neml2::vmap(neml2::with_gradient([](const auto & x) { return inner(dev(x), x); }), s);
  return {dev(s).grad_fn()->name() + " " + sinh(s).grad_fn()->name() + " " +
              (2.0 * s * norm(s)).grad_fn()->name() + " " + e.grad_fn()->name(),
          e.item<double>(),
          neml2::engine::gradient_rule<neml2::tensors::Dev, neml2::SR2>,
          &neml2::engine::record_gradient};
}
