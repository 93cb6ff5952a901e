// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxisPicture.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"

#include "support/catch.h"

namespace LabeledAxisPicture_test
{
using namespace neml2;

TEST_CASE("An axis draws its layout", "[tensors][labels]")
{
  LabeledAxis axis;
  axis.add<SR2>({"sub", "a"}).add<Scalar>({"sub", "b"});
  axis.add<SR2>("a").add<Scalar>("b").add<Scalar>("c");
  axis.setup_layout();
  REQUIRE(picture(axis) == " 0 1 2 3 4 5   6   7   8 9 10 11 12 13   14\n"
                           "|           | | | | | |---------------| |--|\n"
                           "|           | | | | |         a          b\n"
                           "|-----------| |-| |-| |--------------------|\n"
                           "      a        b   c           sub\n");
  LabeledAxis large;
  large.add<SSR4>("C");
  REQUIRE(picture(large) == " 0 ... 35\n|--------|\n    C\n");
  REQUIRE(picture(LabeledAxis()).find_first_not_of('\n') == std::string::npos);
}
} // namespace LabeledAxisPicture_test
