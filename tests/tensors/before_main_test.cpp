// SPDX-License-Identifier: MIT
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include "support/catch.h"

namespace before_main_test
{
using namespace neml2;

namespace
{
const SSR4 stiffness = SSR4::isotropic_E_nu(100.0, 0.3);
const SR2 strain = SR2::fill(1.0, 2.0, 3.0).dev();
} // namespace

TEST_CASE("Tensors may be computed before main", "[tensors]")
{
  REQUIRE(stiffness.sizes() == TensorShape{6, 6});
  REQUIRE(strain.sizes() == TensorShape{6});
  REQUIRE(at::allclose(stiffness, SSR4::isotropic_E_nu(100.0, 0.3)));
  REQUIRE(at::allclose(strain, SR2::fill(-1.0, 0.0, 1.0)));
}
} // namespace before_main_test
