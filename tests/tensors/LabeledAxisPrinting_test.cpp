// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxisPrinting.h"
#include "support/labels.h"

#include "support/catch.h"

namespace LabeledAxisPrinting_test
{
using namespace neml2;
using test::labels::example;
using test::labels::text;

TEST_CASE("An axis prints a line a variable", "[tensors][labels]")
{
  REQUIRE(text(example()) == "    a: 0:1:1\n"
                             "    b: 1:7:1\n"
                             "  S/w: 7:13:1\n"
                             "  S/x: 13:14:1\n"
                             "S/t/y: 14:15:1");
  REQUIRE(text(LabeledAxis()).empty());
}
} // namespace LabeledAxisPrinting_test
