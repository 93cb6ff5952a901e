// SPDX-License-Identifier: MIT
#include "neml2/core/operands.h"

#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/types.h>

#include <functional>

#include "support/catch.h"

namespace operands_test
{
using namespace neml2;
using test::described;
using test::error_of;

TEST_CASE("bad operands are refused with the operation, the shapes and the remedy",
          "[core][operands]")
{
  const auto C = SSR4::ones({2}), C0 = SSR4::ones();
  const auto s = SR2::ones({1000}), six = SR2::ones({6}), f = SR2::ones({2}, kFloat32);
  const auto meta = SR2::ones({2}, TensorOptions(kFloat64).device("meta"));
  const auto v = Vec::ones({2});
  struct Row
  {
    std::function<void()> operation;
    std::string message;
  };
  const std::string remedy =
      " Make them equal, or make one of them 1 (batch_unsqueeze). The operands are ";
  const std::vector<Row> table = {
      // batch shapes
      {[&] { C * s; },
       "SSR4 * SR2: batch shapes [2] and [1000] do not broadcast: dimension -1 is 2 in one and "
       "1000 in the other." +
           remedy + "SSR4 (2; 6, 6) and SR2 (1000; 6)."},
      {[&] { C * six; },
       "SSR4 * SR2: batch shapes [2] and [6] do not broadcast: dimension -1 is 2 in one and 6 in "
       "the other." +
           remedy + "SSR4 (2; 6, 6) and SR2 (6; 6)."},
      {[&] {
         SR2::ones({2, 3}) + SR2::ones({4});
       },
       "+: batch shapes [2, 3] and [4] do not broadcast: dimension -1 is 3 in one and 4 in the "
       "other." +
           remedy + "SR2 (2, 3; 6) and SR2 (4; 6)."},
      {[&] {
         SR2::ones({2, 3}) / Scalar::ones({5, 1});
       },
       "/: batch shapes [2, 3] and [5, 1] do not broadcast: dimension -2 is 2 in one and 5 in the "
       "other." +
           remedy + "SR2 (2, 3; 6) and Scalar (5, 1;)."},
      {[&] { SR2::ones({0}) - SR2::ones({5}); },
       "-: batch shapes [0] and [5] do not broadcast: dimension -1 is 0 in one and 5 in the "
       "other." +
           remedy + "SR2 (0; 6) and SR2 (5; 6)."},
      {[&] { six.inner(s); },
       "inner: batch shapes [6] and [1000] do not broadcast: dimension -1 is 6 in one and 1000 in "
       "the other." +
           remedy + "SR2 (6; 6) and SR2 (1000; 6)."},
      {[&] { (void)Vec::fill(Scalar::ones({2}), Scalar::ones({2}), Scalar::ones({3})); },
       "Vec::fill: batch shapes [2] and [3] do not broadcast: dimension -1 is 2 in one and 3 in "
       "the other." +
           remedy + "Scalar (2;), Scalar (2;) and Scalar (3;)."},
      {[&] { (void)SSR4::isotropic_E_nu(Scalar::ones({2}), Scalar::ones({3})); },
       "batch shapes [2] and [3] do not broadcast"},
      // base shapes
      {[&] { Tensor::ones({2}, {3}) * Tensor::ones({2}, {4}); },
       "*: base shapes [3] and [4] do not broadcast. Make them equal, or make a size 1 "
       "(base_unsqueeze). The "
       "operands are Tensor (2; 3) and Tensor (2; 4)."},
      {[&] {
         SR2(torch::ones({4, 5}));
       },
       "Base shape mismatch: SR2 has base shape [6], but the shape [4, 5] does not end in it. "
       "Reshape the tensor, or "
       "choose the type of its last dimensions; types convert, as in SR2(R2(t)) for the symmetric "
       "parts of matrices."},
      {[&] {
         SR2(torch::ones({6, 100}));
       },
       "Base shape mismatch: SR2 has base shape [6], but the shape [6, 100] does not end in it. It "
       "begins with it: write "
       "t.movedim(0, -1), which moves these dimensions to the end. Reshaping would mix the rows."},
      {[&] {
         R2(torch::ones({3, 3, 7}));
       },
       "write t.movedim(0, -1).movedim(0, -1), which"},
      {[&] { R2(torch::ones({3})); }, "Reshape the tensor, or"},
      // undefined operands
      {[&] { SR2() + s; },
       "+: undefined tensor: an operand of type SR2 has no value. Assign it first."},
      {[&] { s * Scalar(); },
       "*: undefined tensor: an operand of type Scalar has no value. Assign it first."},
      {[&] { C * SR2(); },
       "SSR4 * SR2: undefined tensor: an operand of type SR2 has no value. Assign it first."},
      {[&] { 2 / SR2(); },
       "/: undefined tensor: an operand of type SR2 has no value. Assign it first."},
      {[&] { Tensor() - 1; },
       "-: undefined tensor: an operand of type Tensor has no value. Assign it first."},
      {[&] { SR2().dev(); },
       "dev: undefined tensor: an operand of type SR2 has no value. Assign it first."},
      // dtypes
      {[&] { C * f; },
       "SSR4 * SR2: operands of different dtypes: SSR4 (2; 6, 6) is float64 and SR2 (2; 6) is "
       "float32. Convert one "
       "with .to(dtype)."},
      {[&] { f.to(kInt64).dev(); },
       "dev: not defined for dtype int64 (SR2 (2; 6)). Expected a floating type; convert with "
       ".to(kFloat64)."},
      {[&] { v.to(c10::kBool).dot(v.to(c10::kBool)); },
       "inner: not defined for dtype bool (Vec (2; 3)). Expected an integer or floating type; "
       "convert with "
       ".to(kFloat64)."},
      {[&] { sqrt(Scalar::ones({2}, c10::kComplexDouble)); },
       "sqrt: not defined for dtype complex128 (Scalar (2;)). Expected a floating type; convert "
       "with .to(kFloat64)."},
      // devices
      {[&] { C * meta; },
       "SSR4 * SR2: operands on different devices: SSR4 (2; 6, 6) on cpu and SR2 (2; 6) on meta. "
       "Move one with "
       ".to(device)."},
      {[&] { meta + SR2::ones({2}); },
       "+: operands on different devices: SR2 (2; 6) on meta and SR2 (2; 6) on cpu. Move one with "
       ".to(device)."},
  };
  for (const auto & row : table)
  {
    const std::string message = error_of(row.operation);
    if (row.message.find(": ") == std::string::npos || row.message.rfind("batch shapes", 0) == 0)
      REQUIRE(message.find(row.message) != std::string::npos);
    else
      REQUIRE(message == row.message);
  }
}

TEST_CASE("a tensor reshaped in place behind its type is noticed", "[core][operands]")
{
  SR2 s = SR2::ones({4, 6});
  s.transpose_(0, 2).squeeze_();
  s.resize_({6, 4, 5});
  REQUIRE(error_of([&] { s + s; }) == "+: base shape mismatch: SR2 (6, 4; 5) does not end in the "
                                      "base shape [6] of its type; the tensor was "
                                      "reshaped in place.");
  SR2 fewer = SR2::ones({4, 6});
  fewer.resize_({6});
  REQUIRE(error_of([&] { fewer.dev(); }).find("dev: base shape mismatch") == 0);
}

TEST_CASE("an error of LibTorch is a NEMLException that names the operation", "[core][operands]")
{
  const auto b = Scalar::ones({2}, c10::kBool);
  REQUIRE(error_of([&] { b - b; }).rfind("-: ", 0) == 0);
  REQUIRE(error_of(
              [] {
                core::translate_errors("somewhere",
                                       [] { return torch::ones({2}) + torch::ones({3}); });
              })
              .rfind("somewhere: The size of tensor a (2)", 0) == 0);
  REQUIRE(core::translate_errors("somewhere", [] { return 3; }) == 3);
}

TEST_CASE("dtypes are named as users write them", "[core][operands]")
{
  REQUIRE(std::string(core::dtype_name(kFloat64)) == "float64");
  REQUIRE(std::string(core::dtype_name(kFloat32)) == "float32");
  REQUIRE(std::string(core::dtype_name(kFloat16)) == "float16");
  REQUIRE(std::string(core::dtype_name(c10::kBFloat16)) == "bfloat16");
  REQUIRE(std::string(core::dtype_name(kInt64)) == "int64");
  REQUIRE(std::string(core::dtype_name(kInt32)) == "int32");
  REQUIRE(std::string(core::dtype_name(kInt16)) == "int16");
  REQUIRE(std::string(core::dtype_name(kInt8)) == "int8");
  REQUIRE(std::string(core::dtype_name(kUInt8)) == "uint8");
  REQUIRE(std::string(core::dtype_name(c10::kBool)) == "bool");
}

TEST_CASE("A Tensor that stands for another type is called by its name", "[core][operands]")
{
  const SR2 s = SR2::zeros({5});
  core::names_in_messages().push_back(SR2::type_name);
  const Tensor t(core::Trusted(), s, 1, int32_t(core::names_in_messages().size()) - 1);
  const Tensor copy = t;
  REQUIRE(described(copy) == "SR2 (5; 6)");
  REQUIRE(error_of([&] { copy.batch_index({0, 0}); }).find("of SR2 (5; 6)") != std::string::npos);
  REQUIRE(described(Tensor(s)) == "Tensor (5; 6)");
}
} // namespace operands_test
