// SPDX-License-Identifier: MIT
#include "neml2/tensors/functions/imap.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/R5.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/SSSSR8.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <ATen/ATen.h>

#include "support/catch.h"

using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
/// The same numbers as the identity matrix of all components.
template <class T>
bool
is_identity()
{
  constexpr Size n = T::const_base_numel;
  const at::Tensor I = imap_v<T>(kFloat64);
  return at::equal(I.reshape({n, n}), at::eye(n, at::kDouble)) && at::equal(I, imap<T>(kFloat64));
}
} // namespace

TEST_CASE("The identity map of a type is its derivative by itself", "[compat][imap]")
{
  REQUIRE(is_identity<Scalar>());
  REQUIRE(is_identity<Vec>());
  REQUIRE(is_identity<R2>());
  REQUIRE(is_identity<SR2>());
  REQUIRE(is_identity<SSR4>());
}

TEST_CASE("Identity maps have the shape of both, and the dtype they are asked for",
          "[compat][imap]")
{
  REQUIRE(described(Tensor(imap_v<Scalar>())) == "Tensor (;)");
  REQUIRE(described(imap_v<Vec>()) == "R2 (; 3, 3)");
  REQUIRE(described(imap_v<R2>()) == "R4 (; 3, 3, 3, 3)");
  REQUIRE(described(imap_v<SR2>()) == "SSR4 (; 6, 6)");
  REQUIRE(described(Tensor(imap_v<SSR4>())) == "Tensor (; 6, 6, 6, 6)");
  REQUIRE(imap_v<SR2>(kFloat32).scalar_type() == kFloat32);
  REQUIRE(imap_v<SR2>(TensorOptions(at::kMeta).dtype(kFloat64)).is_meta());
}

TEST_CASE("A type without an identity map says so", "[compat][imap][errors]")
{
  REQUIRE_THAT(error_of([] { imap_v<R5>(); }), ContainsSubstring("R5::identity_map"));
}
