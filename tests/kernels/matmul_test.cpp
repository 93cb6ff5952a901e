// SPDX-License-Identifier: MIT
#include "neml2/kernels/matmul.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;

TEST_CASE("matmul is the product of row-major matrices", "[kernels]")
{
  constexpr Components<double, 6> p(1, 2, 3, 4, 5, 6);                    // (2, 3)
  constexpr Components<double, 12> q(1, 0, 2, 1, 0, 1, 1, 3, 4, 0, 1, 2); // (3, 4)
  constexpr auto r = matmul<2, 3, 4, Components<double, 8>>(p, q);
  static_assert(close(r, Components<double, 8>(13, 2, 7, 13, 28, 5, 19, 31)));
  REQUIRE(r[7] == 4 * 1 + 5 * 3 + 6 * 2);
}
