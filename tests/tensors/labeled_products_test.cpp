// SPDX-License-Identifier: MIT
#include "neml2/tensors/labeled_products.h"
#include "neml2/tensors/LabeledMatrix.h"
#include "support/labels.h"

#include "support/catch.h"

namespace labeled_products_test
{
using namespace neml2;
using test::labels::columns;
using test::labels::numbers;

TEST_CASE("Products take labeled tensors", "[tensors][labels]")
{
  const auto axis = columns();
  const LabeledMatrix J(numbers({3, 7, 7}), {&axis, &axis});
  const LabeledVector r(numbers({3, 7}), {&axis});
  REQUIRE(at::equal(bmm(J, J), bmm(J.tensor(), J.tensor())));
  REQUIRE(at::equal(bmv(J, r), bmv(J.tensor(), r.tensor())));
  REQUIRE(at::equal(bmv(J, r.tensor()), bmv(J.tensor(), r)));
  REQUIRE(at::equal(bvv(r, r), bvv(r.tensor(), r.tensor())));
  REQUIRE(at::allclose(linalg::vector_norm(r), sqrt(bvv(r, r))));
  REQUIRE_THROWS_AS(bmv(J, LabeledVector(numbers({2, 7}), {&axis})), NEMLException);
}
} // namespace labeled_products_test
