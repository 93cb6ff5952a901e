// SPDX-License-Identifier: MIT
// This program compiles in a third of the time of examples/broadcasting.cpp, since it does not
// include torch/torch.h.
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include <torch/version.h> // in LibTorch's second include folder

#include <iostream>

int
main()
{
  using namespace neml2;
  const auto strain = Scalar::create({1.0, 2.0}) * SR2::fill(4.0, 1.0, 1.0);
  std::cout << norm(dev(strain)) << "\n";
}
