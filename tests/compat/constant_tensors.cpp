// SPDX-License-Identifier: MIT
#include "neml2/tensors/ConstantTensors.h"

#include "support/catch.h"

using namespace neml2;

TEST_CASE("ConstantTensors has the maps and factors of the default dtype", "[compat]")
{
  using C = ConstantTensors;
  REQUIRE(&C::full_to_mandel_map() == &full_to_mandel_map());
  REQUIRE(&C::full_to_mandel_factor() == &full_to_mandel_factor(kFloat64));
  REQUIRE(&C::mandel_to_full_map() == &mandel_to_full_map());
  REQUIRE(&C::mandel_to_full_factor() == &mandel_to_full_factor(kFloat64));
  REQUIRE(&C::full_to_skew_map() == &full_to_skew_map());
  REQUIRE(&C::full_to_skew_factor() == &full_to_skew_factor(kFloat64));
  REQUIRE(&C::skew_to_full_map() == &skew_to_full_map());
  REQUIRE(&C::skew_to_full_factor() == &skew_to_full_factor(kFloat64));
}
