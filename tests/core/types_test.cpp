// SPDX-License-Identifier: MIT
#include "neml2/core/types.h"

#include <type_traits>

#include "support/catch.h"

namespace types_test
{
using namespace neml2;

TEST_CASE("sizes and shapes are LibTorch's", "[core][types]")
{
  REQUIRE(std::is_same_v<Size, int64_t>);
  REQUIRE(std::is_same_v<TensorShape, c10::SmallVector<int64_t, 8>>);
  REQUIRE(std::is_same_v<TensorShapeRef, at::IntArrayRef>);
  REQUIRE(std::is_same_v<ATensor, at::Tensor>);
  REQUIRE(std::is_same_v<CScalar, c10::Scalar>);
  REQUIRE(std::is_same_v<SmallVector<int, 3>, c10::SmallVector<int, 3>>);
  REQUIRE(std::is_same_v<ArrayRef<int>, c10::ArrayRef<int>>);
  REQUIRE(std::is_same_v<OptionalArrayRef<int64_t>, c10::OptionalArrayRef<int64_t>>);
  REQUIRE(std::is_same_v<Real, double>);
  REQUIRE(std::is_same_v<Integer, int64_t>);
}

TEST_CASE("the dtype constants have the width their names say", "[core][types]")
{
  REQUIRE(c10::elementSize(kUInt8) == 1);
  REQUIRE(c10::elementSize(kInt8) == 1);
  REQUIRE(c10::elementSize(kInt16) == 2);
  REQUIRE(c10::elementSize(kInt32) == 4);
  REQUIRE(c10::elementSize(kInt64) == 8);
  REQUIRE(c10::elementSize(kFloat16) == 2);
  REQUIRE(c10::elementSize(kFloat32) == 4);
  REQUIRE(c10::elementSize(kFloat64) == 8);
  REQUIRE(kInt8 != kUInt8);
}

TEST_CASE("layout and device constants are options like any other", "[core][types]")
{
  const auto options = TensorOptions().dtype(kInt16).layout(kStrided).device(kCPU);
  REQUIRE(options.dtype() == kInt16);
  REQUIRE(options.layout() == kStrided);
  REQUIRE(options.device().is_cpu());
  REQUIRE(TensorOptions(kSparse).layout() == c10::kSparse);
  REQUIRE(Device(kCUDA, DeviceIndex(1)).index() == 1);
}

TEST_CASE("the numbers are exact to the last digit of a double", "[core][types]")
{
  REQUIRE(1.0 + eps > 1.0);
  REQUIRE(1.0 + eps / 2 == 1.0);
  REQUIRE(sqrt2 == std::sqrt(2.0));
  REQUIRE(std::abs(invsqrt2 - 1 / std::sqrt(2.0)) <= eps);
  REQUIRE(std::abs(std::sin(pi)) < eps);
}
} // namespace types_test
