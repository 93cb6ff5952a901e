// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/Gradient.h"
#include "neml2/math/autograd.h"
#include "neml2/math/elementwise.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/operations.h"

#include <torch/csrc/autograd/function.h>

#include <string>

/// The results and addresses that a source file of the program gets from the library.
struct Seen
{
  std::string nodes;   ///< names of the nodes that autograd records
  double energy;       ///< of a formula over the batch
  const void * rule;   ///< derivative rule of dev
  const void * record; ///< address of engine::record_gradient
};

/// Compiled in each source file, with the options of that file.
static Seen
seen_here(const neml2::SR2 & s)
{
  const neml2::Scalar e =
      neml2::vmap(neml2::with_gradient([](const auto & x) { return inner(dev(x), x); }), s);
  return {dev(s).grad_fn()->name() + " " + sinh(s).grad_fn()->name() + " " +
              (2.0 * s * norm(s)).grad_fn()->name() + " " + e.grad_fn()->name(),
          e.item<double>(),
          neml2::engine::gradient_rule<neml2::tensors::Dev, neml2::SR2>,
          &neml2::engine::record_gradient};
}

// The function that both source files define, each in its namespace.

namespace headers
{
Seen see(const neml2::SR2 & s);
}
namespace compiled
{
Seen see(const neml2::SR2 & s);
}
