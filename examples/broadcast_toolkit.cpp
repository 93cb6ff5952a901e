// SPDX-License-Identifier: MIT
// Matching shapes by hand: functions for the steps by which an operator matches its operands. Nothing is copied.
#include "neml2/math/broadcast.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"

#include <ATen/ops/ones.h>

#include <iostream>

using namespace neml2;

int
main()
{
  // begin raw
  at::Tensor a = at::ones({5, 3, 4, 1}), b = at::ones({3, 1, 1}), c = at::ones({2});
  expand_to_match_ranks(a, b);
  std::cout << "ranks matched:    " << a.sizes() << " " << b.sizes() << "\n";
  broadcast_to_match(a, b, c);
  std::cout << "all matched:      " << a.sizes() << " " << b.sizes() << " " << c.sizes() << "\n";
  std::cout << "strides of b:     " << b.strides() << ", nothing was copied\n";
  // end raw

  // begin typed
  SSR4 C = SSR4::isotropic_E_nu(200e3, 0.3).batch_expand({2});
  SR2 strain = SR2::zeros({1000, 1});
  std::cout << "C and strain:     " << C.batch_sizes() << C.base_sizes() << " "
            << strain.batch_sizes() << strain.base_sizes() << "\n";
  broadcast_to_match(C, strain);
  std::cout << "batches matched:  " << C.batch_sizes() << C.base_sizes() << " "
            << strain.batch_sizes() << strain.base_sizes() << "\n";
  // end typed

  std::cout << "[6] with [2]?     " << can_broadcast_to_match(SR2::zeros({6}), SSR4::zeros({2}))
            << ", the 6 is a batch dimension, not a base dimension\n";
  std::cout << "broadcast shape:  " << broadcast_shapes({1000, 1}, {2}) << "\n";
  try
  {
    broadcast_to_match(strain, TensorShape{3});
  }
  catch (const NEMLException & e)
  {
    std::cout << e.what() << "\n";
  }
}
