// SPDX-License-Identifier: MIT
#include "neml2/math/show.h"

#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

#include "support/catch.h"

namespace show_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("show lists the operations of a formula", "[math][formula]")
{
  const Vec w(at::ones({3}, kFloat64));
  const auto size = [](const auto & v) { return sqrt(v(0) * v(0) + v(1) * v(1)); };
  const std::string text = show(size, w);
  CAPTURE(text);
  REQUIRE_THAT(text,
               ContainsSubstring("= x0[0] * x0[0]\n") &&
                   ContainsSubstring("= multiply_add(x0[1], x0[1], v"));
  REQUIRE_THAT(text, ContainsSubstring("= sqrt(v") && ContainsSubstring("\ny0 = v"));
  const double captured = 2.5;
  const auto scaled = [captured](const auto & v, const auto & pair)
  { return std::tuple(captured * v, std::get<0>(pair) * std::get<1>(pair)); };
  REQUIRE_THAT(show(scaled, w, std::tuple(Scalar(at::ones({}, kFloat64)), 3)),
               ContainsSubstring("2.5"));
}
} // namespace show_test
