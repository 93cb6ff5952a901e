// SPDX-License-Identifier: MIT
#include "neml2/kernels/mandel.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;

TEST_CASE("Mandel's indices are one table and its reverse", "[kernels]")
{
  for (int k = 0; k < 6; k++)
  {
    const int i = mandel_index[k][0], j = mandel_index[k][1];
    REQUIRE(i <= j);
    REQUIRE(mandel_reverse_index[i][j] == k);
    REQUIRE(mandel_reverse_index[j][i] == k);
  }
  static_assert(close(sqrt2 * sqrt2, 2) && close(sqrt2 * invsqrt2, 1));
}
