// SPDX-License-Identifier: MIT
// With neml2::compiled, operations and elementwise functions have their derivative rules without another
// include.
#include "neml2/math/elementwise.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

#include <cstdio>

using namespace neml2;

int
main()
{
  SR2 s = SR2::full(3.0);
  s.requires_grad_();
  const std::string found = dev(s).grad_fn()->name() + " " + sinh(s).grad_fn()->name() + " " +
                            (s * norm(s)).grad_fn()->name();
  if (found == "devBackward sinhBackward *Backward")
    return 0;
  std::printf("recorded by %s\n", found.c_str());
  return 1;
}
