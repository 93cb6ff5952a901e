// SPDX-License-Identifier: MIT
#include "neml2/tensors/R8.h"
#include "support/parity.h"

#include "neml2/tensors/R5.h"
#include "neml2/tensors/SSFR5.h"
#include "neml2/tensors/SSSSR8.h"
#include "neml2/tensors/SWR4.h"
#include "neml2/tensors/WSR4.h"
#include "neml2/tensors/WWR4.h"
#include "support/catch.h"

namespace R8_test
{
using namespace neml2;

namespace
{
/// Factories, arithmetic and conversions of a type that has only the members of all types.
template <class T>
void
check(const TensorShape & base)
{
  const auto shape = [&](TensorShapeRef batch) { return utils::add_shapes(batch, base); };
  REQUIRE(T::const_base_sizes == base);
  const T zero = T::zeros({2, 3}), one = T::ones({3}), full = T::full(2.5, kFloat32);
  REQUIRE(zero.sizes() == shape({2, 3}));
  REQUIRE(zero.batch_sizes() == TensorShape{2, 3});
  REQUIRE(full.sizes() == base);
  REQUIRE(full.scalar_type() == kFloat32);
  REQUIRE(full.max().template item<double>() == 2.5);
  REQUIRE(at::equal(zero + one, one.expand(shape({2, 3}))));
  const Scalar s = Scalar::create({2.0, 3.0, 4.0});
  const T scaled = one * s;
  for (int i = 0; i < 3; i++)
    REQUIRE(at::equal(scaled[i], at::full(base, i + 2.0, at::kDouble)));
  REQUIRE(at::equal(-one, T::full(TensorShape{3}, -1)));
  const T raw(at::rand(shape({4}), at::kDouble));
  REQUIRE(raw.batch_dim() == 1);
  REQUIRE(Tensor(raw).base_sizes() == TensorShapeRef(base));
  REQUIRE_THROWS_AS(T(at::ones({2, 2})), NEMLException);
  REQUIRE_THROWS_AS(T::zeros({2}) + T::zeros({3}), NEMLException);
}
} // namespace

TEST_CASE("Types of derivatives have factories and arithmetic", "[tensors][R8]")
{
  check<R5>({3, 3, 3, 3, 3});
  check<R8>({3, 3, 3, 3, 3, 3, 3, 3});
  check<SSFR5>({6, 6, 3});
  check<SSSSR8>({6, 6, 6, 6});
  check<SWR4>({6, 3});
  check<WSR4>({3, 6});
  check<WWR4>({3, 3});
}
} // namespace R8_test
