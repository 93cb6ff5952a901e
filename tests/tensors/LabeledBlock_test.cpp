// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledBlock.h"
#include "neml2/tensors/LabeledMatrix.h"
#include "neml2/tensors/SSR4.h"
#include "support/labels.h"

#include "support/catch.h"

namespace LabeledBlock_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::labels::columns;
using test::labels::numbers;
using test::labels::rows;

TEST_CASE("A bound label selects what the label does", "[tensors][labels]")
{
  const auto axis = rows(), other = columns();
  auto M = LabeledMatrix(numbers({3, 44, 7}), {&axis, &other});
  const LabeledMatrix::BoundLabels label{bind(axis, "b"), bind(other, "e")};
  REQUIRE(at::equal(M.base_index(label), M.base_index({"b", "e"})));
  REQUIRE(at::equal(M.reinterpret<SSR4>(label), M.reinterpret<SSR4>({"b", "e"})));
  M.base_index_put_(label, SSR4::identity_sym());
  REQUIRE(at::equal(M.reinterpret<SSR4>(label), SSR4::identity_sym().batch_expand({3})));
  REQUIRE_THROWS_WITH(M.base_index(LabeledMatrix::BoundLabels{bind(other, "a"), bind(other, "e")}),
                      ContainsSubstring("label 0 is bound to another axis than this tensor's"));
  REQUIRE_THROWS_AS(bind(axis, "q"), NEMLException);
}
} // namespace LabeledBlock_test
