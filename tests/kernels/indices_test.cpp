// SPDX-License-Identifier: MIT
#include "neml2/kernels/Quaternion.h"
#include "neml2/kernels/R3.h"
#include "neml2/kernels/SFFR4.h"
#include "neml2/kernels/SFR3.h"
#include "neml2/kernels/SSFR5.h"
#include "neml2/kernels/SSR4.h"
#include "neml2/kernels/SWR4.h"
#include "neml2/kernels/WFFR4.h"
#include "neml2/kernels/WR2.h"
#include "neml2/kernels/WSR4.h"
#include "neml2/kernels/WWR4.h"
#include "neml2/kernels/errors.h"

#include <string>

#include "support/catch.h"

using namespace neml2::kernels;

namespace
{
template <class R, class... I>
std::string
message(const R & r, I... i)
{
  try
  {
    (void)r(i...);
    return "";
  }
  catch (const neml2::IndexException & e)
  {
    return e.what();
  }
}

/// Reads each place of r by all spellings of its indices; indices that are one too large are
/// refused.
template <int... n, class R>
void
check(const R &)
{
  R numbers;
  constexpr int D = sizeof...(n), size[] = {n...};
  for (int k = 0; k < R::n; k++)
    numbers[k] = k;
  const R & r = numbers;
  const auto at = [&](const auto & x, const int * i)
  {
    if constexpr (D == 1)
      return x(i[0]);
    else if constexpr (D == 2)
      return x(i[0], i[1]);
    else if constexpr (D == 3)
      return x(i[0], i[1], i[2]);
    else
      return x(i[0], i[1], i[2], i[3]);
  };
  for (int k = 0; k < R::n; k++)
  {
    int i[D], rest = k;
    for (int d = D; d-- > 0; rest /= size[d])
      i[d] = rest % size[d];
    REQUIRE(at(r, i) == k);
    REQUIRE(at(numbers, i) == k);
    for (int d = 0; d < D; d++)
      i[d] -= size[d];
    REQUIRE(at(r, i) == k);
    REQUIRE(at(numbers, i) == k);
  }
  for (int d = 0; d < D; d++)
    for (const int wrong : {size[d], -size[d] - 1, 1 << 30})
    {
      int i[D] = {};
      i[d] = wrong;
      REQUIRE_THROWS_AS(at(r, i), neml2::IndexException);
      REQUIRE_THROWS_AS(at(numbers, i), neml2::IndexException);
    }
}
} // namespace

TEST_CASE("indices of a formula count from either end and are checked, of all types", "[kernels]")
{
  check<3>(Vec<double>());
  check<3>(Rot<double>());
  check<3>(WR2<double>());
  check<4>(Quaternion<double>());
  check<6>(SR2<double>());
  check<3, 3>(R2<double>());
  check<3, 3, 3>(R3<double>());
  check<3, 3, 3, 3>(R4<double>());
  check<6, 6>(SSR4<double>());
  check<6, 3>(SWR4<double>());
  check<3, 6>(WSR4<double>());
  check<3, 3>(WWR4<double>());
  check<6, 3>(SFR3<double>());
  check<6, 3, 3>(SFFR4<double>());
  check<3, 3, 3>(WFFR4<double>());
  check<6, 6, 3>(SSFR5<double>());
  REQUIRE(message(R2<double>(), 0, 3) ==
          "in a formula: the component index 3 is out of range: expected one in [-3, 3).");
  REQUIRE(message(SR2<double>(), -4, 0) ==
          "in a formula: the component index -4 is out of range: expected one in [-3, 3).");
}
