// SPDX-License-Identifier: MIT
// One test for every type of a list, as tests of the 2.1 releases are written: tensors.h brings the lists.
#include "neml2/tensors/tensors.h"

#include <tuple>

#include "support/catch.h"

using namespace neml2;

#define TYPE_IDENTITY(T) T
#define TYPE_NAME(T) T::type_name

TEMPLATE_TEST_CASE("A type of the first list is a vector",
                   "[lists]",
                   FOR_ALL_VECBASE_COMMA(TYPE_IDENTITY))
{
  REQUIRE(TestType::const_base_sizes == TensorShape{3});
}

TEMPLATE_TEST_CASE("R2 is alone in its list", "[lists]", FOR_ALL_R2BASE_COMMA(TYPE_IDENTITY))
{
  REQUIRE(std::is_same_v<TestType, R2>);
}

TEMPLATE_TEST_CASE("Primitive types fix their base shape",
                   "[lists]",
                   FOR_ALL_PRIMITIVETENSOR_COMMA(TYPE_IDENTITY))
{
  const auto t = TestType::zeros({2, 1});
  REQUIRE(t.base_sizes() == TensorShapeRef(TestType::const_base_sizes));
  REQUIRE((t + t).batch_sizes() == TensorShape{2, 1});
}

TEMPLATE_TEST_CASE("All types are tensors", "[lists]", FOR_ALL_TENSORBASE_COMMA(TYPE_IDENTITY))
{
  REQUIRE(std::is_base_of_v<TensorBase<TestType>, TestType>);
}

TEST_CASE("The lists have the types of NEML2 2.1", "[lists]")
{
  using Types = std::tuple<FOR_ALL_PRIMITIVETENSOR_COMMA(TYPE_IDENTITY)>;
  REQUIRE(std::tuple_size_v<Types> == 17);
  REQUIRE(std::tuple_size_v<std::tuple<FOR_ALL_TENSORBASE_COMMA(TYPE_IDENTITY)>> == 18);
  const std::string names[] = {FOR_ALL_TENSORBASE_COMMA(TYPE_NAME)};
  REQUIRE(names[0] == "Tensor");
  std::set<std::string> all(std::begin(names), std::end(names));
  REQUIRE(all.size() == 18);
  for (const auto * name : {"Scalar",
                            "Vec",
                            "Rot",
                            "WR2",
                            "R2",
                            "SR2",
                            "R3",
                            "SFR3",
                            "R4",
                            "SSR4",
                            "SFFR4",
                            "WFFR4",
                            "SWR4",
                            "WSR4",
                            "WWR4",
                            "Quaternion",
                            "MillerIndex"})
    REQUIRE(all.count(name) == 1);
}

TEST_CASE("The header of all types brings the lists with semicolons too", "[lists]")
{
  int n = 0;
#define COUNT(T) n += T::const_base_dim >= 0
  FOR_ALL_PRIMITIVETENSOR(COUNT);
  REQUIRE(n == int(TensorType::kTensor)); // the types of all releases, as in TensorType
}
