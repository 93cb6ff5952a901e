// SPDX-License-Identifier: MIT
// Code as on the pages about broadcasting, compiled with include/ alone.
#include <torch/torch.h>

#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include <iostream>

int
main()
{
  using namespace neml2;
  set_default_dtype(kFloat64);
  Size nm = 2, ns = 1000;
  auto E = Scalar::create({1e5, 2e5});
  auto nu = Scalar::create({0.2, 0.25});
  auto C = SSR4::isotropic_E_nu(E, nu);
  auto e = SR2(torch::rand({ns, nm, 6}, kFloat64));
  auto s = C * e;
  std::cout << C.batch_sizes() << C.base_sizes() << '\n';
  std::cout << e.batch_sizes() << e.base_sizes() << '\n';
  std::cout << s.batch_sizes() << s.base_sizes() << '\n';
  auto e2 = SR2(torch::rand({ns, 1, 6}, kFloat64));
  neml_assert((C * e2).batch_sizes() == TensorShape{1000, 2}, "a batch dimension of size 1");
  for (Size n : {1000, 6})
  {
    bool refused = false;
    try
    {
      (void)(C * SR2(torch::rand({n, 6}, kFloat64)));
    }
    catch (const NEMLException &)
    {
      refused = true;
    }
    neml_assert(refused, "batch sizes ", n, " and 2 do not broadcast");
  }
}
