// SPDX-License-Identifier: MIT
// A shared library that hides its symbols and differentiates operations without including their rules.
#include "library.h"

#include "neml2/tensors/tensors.h"

#include <torch/csrc/autograd/function.h>

using namespace neml2;

namespace
{
SR2
threes()
{
  auto s = SR2::full(3.0);
  s.requires_grad_();
  return s;
}
} // namespace

const char *
node_of_dev()
{
  static const std::string name = dev(threes()).grad_fn()->name();
  return name.c_str();
}

const char *
node_of_sinh()
{
  static const std::string name = sinh(threes()).grad_fn()->name();
  return name.c_str();
}

double
gradient_of_norm_sq()
{
  const SR2 s = threes();
  norm_sq(s).backward();
  return s.grad().sum().item<double>();
}
