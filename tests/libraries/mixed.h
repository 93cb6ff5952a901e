// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include <string>

/// What both source files of the program define, each in its namespace.
struct Seen
{
  std::string nodes;   ///< that autograd records
  double energy;       ///< of a formula over the batch
  const void * rule;   ///< of dev
  const void * record; ///< where it is said what records
};
namespace headers
{
Seen see(const neml2::SR2 & s);
}
namespace compiled
{
Seen see(const neml2::SR2 & s);
}
