// SPDX-License-Identifier: MIT
#include "neml2/core/options.h"

#include "neml2/tensors/SR2.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace options_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace
{
/// Restores all defaults, including those of torch.
struct Restore
{
  const Dtype ours = default_dtype();
  const Dtype integer = default_integer_dtype();
  const Device device = default_device();
  const caffe2::TypeMeta torchs = c10::get_default_dtype();
  ~Restore()
  {
    default_dtype() = ours;
    default_integer_dtype() = integer;
    default_device() = device;
    c10::set_default_dtype(torchs);
  }
};
} // namespace

TEST_CASE("the defaults start at float64, int64 and the CPU, and leave torch's alone",
          "[core][options]")
{
  REQUIRE(get_default_dtype() == kFloat64);
  REQUIRE(get_default_integer_dtype() == kInt64);
  REQUIRE(default_device() == Device(kCPU));
  REQUIRE(default_tensor_options().dtype() == kFloat64);
  REQUIRE(default_tensor_options().device() == Device(kCPU));
  REQUIRE(!default_tensor_options().requires_grad());
  REQUIRE(default_integer_tensor_options().dtype() == kInt64);
  REQUIRE(SR2::zeros({2}).scalar_type() == kFloat64);
  REQUIRE(torch::rand({2}).scalar_type() == kFloat32);
}

TEST_CASE("set_default_dtype changes the library's factories and torch's", "[core][options]")
{
  const Restore restore;
  set_default_dtype(kFloat32);
  REQUIRE(get_default_dtype() == kFloat32);
  REQUIRE(default_tensor_options().dtype() == kFloat32);
  REQUIRE(SR2::zeros({2}).scalar_type() == kFloat32);
  REQUIRE(Scalar::create({1, 2}).scalar_type() == kFloat32);
  set_default_dtype(kFloat64);
  REQUIRE(SR2::zeros({2}).scalar_type() == kFloat64);
  REQUIRE(torch::rand({2}).scalar_type() == kFloat64);
}

TEST_CASE("default_dtype can be assigned, and options made later follow", "[core][options]")
{
  const Restore restore;
  const auto & before = default_tensor_options();
  default_dtype() = kFloat32;
  REQUIRE(before.dtype() == kFloat64);
  REQUIRE(default_tensor_options().dtype() == kFloat32);
  REQUIRE(SR2::identity().scalar_type() == kFloat32);
}

TEST_CASE("a default that is not of its kind is refused and changes nothing", "[core][options]")
{
  const Restore restore;
  REQUIRE_THAT(
      error_of([] { set_default_dtype(kInt32); }),
      ContainsSubstring("set_default_dtype: expected a floating type such as kFloat64, got Int"));
  REQUIRE_THAT(error_of([] { set_default_integer_dtype(kFloat32); }),
               ContainsSubstring("set_default_integer_dtype: expected an integer type"));
  REQUIRE_THAT(error_of([] { set_default_integer_dtype(c10::kBool); }),
               ContainsSubstring("got Bool"));
  REQUIRE(get_default_dtype() == kFloat64);
  REQUIRE(get_default_integer_dtype() == kInt64);
  set_default_integer_dtype(kInt32);
  REQUIRE(default_integer_tensor_options().dtype() == kInt32);
}

TEST_CASE("options that do not say a dtype get the library's, not torch's", "[core][options]")
{
  REQUIRE(SR2::zeros({2}, kCPU).scalar_type() == kFloat64);
  REQUIRE(Tensor::ones({2}, TensorOptions().requires_grad(true)).scalar_type() == kFloat64);
  REQUIRE(Scalar::create({1.0, 2.0}, TensorOptions()).scalar_type() == kFloat64);
  REQUIRE(Tensor::identity(3, kCPU).scalar_type() == kFloat64);
}

TEST_CASE("factories make tensors on the default device", "[core][options]")
{
  const Restore restore;
  default_device() = Device("meta");
  REQUIRE(SR2::zeros({2}).is_meta());
  REQUIRE(Tensor::full({2}, 1.0).is_meta());
}
} // namespace options_test
