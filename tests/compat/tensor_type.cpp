// SPDX-License-Identifier: MIT
#include "neml2/tensors/tensors.h"

#include <sstream>

#include "support/catch.h"

using namespace neml2;

namespace
{
std::string
printed(TensorType type)
{
  std::ostringstream text;
  text << type;
  return text.str();
}

/// Whether the value of T prints as T's name.
template <class T>
bool
is_named()
{
  return printed(TensorTypeEnum<T>::value) == T::type_name;
}
} // namespace

TEST_CASE("The value of a tensor type prints as its name", "[compat]")
{
  REQUIRE((is_named<Scalar>() && is_named<Vec>() && is_named<Rot>() && is_named<WR2>()));
  REQUIRE((is_named<R2>() && is_named<SR2>() && is_named<R3>() && is_named<SFR3>()));
  REQUIRE((is_named<R4>() && is_named<SSR4>() && is_named<SFR4>() && is_named<SFFR4>()));
  REQUIRE((is_named<WFR4>() && is_named<WFFR4>() && is_named<SWR4>() && is_named<WSR4>()));
  REQUIRE((is_named<WWR4>() && is_named<R5>() && is_named<SSFR5>() && is_named<R8>()));
  REQUIRE((is_named<SSSSR8>() && is_named<Quaternion>() && is_named<MillerIndex>()));
  REQUIRE(is_named<neml2::Tensor>());
  REQUIRE(printed(TensorType::kSR2) == "SR2");
}

TEST_CASE("A type that is not a tensor type of this library is unknown", "[compat]")
{
  REQUIRE(TensorTypeEnum<double>::value == TensorType::kUknown);
  REQUIRE(TensorTypeEnum<at::Tensor>::value == TensorType::kUknown);
  REQUIRE(printed(TensorType::kUknown) == "Unknown");
}
