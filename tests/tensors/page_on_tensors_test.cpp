// SPDX-License-Identifier: MIT
// The page on tensors, line by line: its examples and its promises.
#include "neml2/neml2.h"

#include <torch/types.h>

#include "support/catch.h"

namespace page_on_tensors_test
{
using namespace neml2;
using namespace neml2::indexing;

TEST_CASE("Page on tensors: a Tensor is made from a tensor and a batch dimension",
          "[tensors][page]")
{
  Tensor A(torch::rand({1, 1, 5, 2}), 2);
  auto batch_sz = A.batch_sizes();
  neml2_assert(batch_sz == TensorShape{1, 1});
  auto base_sz = A.base_sizes();
  neml2_assert(base_sz == TensorShape{5, 2});
  REQUIRE((batch_sz == TensorShape{1, 1} && base_sz == TensorShape{5, 2}));
  REQUIRE(std::is_base_of_v<torch::Tensor, Tensor>);
}

TEST_CASE("Page on tensors: the table of types has these base shapes", "[tensors][page]")
{
  REQUIRE(Scalar::const_base_sizes == TensorShape{});
  REQUIRE(Vec::const_base_sizes == TensorShape{3});
  REQUIRE(R2::const_base_sizes == TensorShape{3, 3});
  REQUIRE(SR2::const_base_sizes == TensorShape{6});
  REQUIRE(WR2::const_base_sizes == TensorShape{3});
  REQUIRE(R3::const_base_sizes == TensorShape{3, 3, 3});
  REQUIRE(SFR3::const_base_sizes == TensorShape{6, 3});
  REQUIRE(R4::const_base_sizes == TensorShape{3, 3, 3, 3});
  REQUIRE(SSR4::const_base_sizes == TensorShape{6, 6});
  REQUIRE(R5::const_base_sizes == TensorShape{3, 3, 3, 3, 3});
  REQUIRE(SSFR5::const_base_sizes == TensorShape{6, 6, 3});
  REQUIRE(Rot::const_base_sizes == TensorShape{3});
  REQUIRE(Quaternion::const_base_sizes == TensorShape{4});
  REQUIRE(MillerIndex::const_base_sizes == TensorShape{3});
}

TEST_CASE("Page on tensors: factories take options last", "[tensors][page]")
{
  auto a = SR2::zeros(
      {5, 3},
      torch::TensorOptions().device(torch::kCPU).layout(torch::kStrided).dtype(torch::kFloat32));
  REQUIRE((a.batch_sizes() == TensorShape{5, 3} && a.scalar_type() == kFloat32));
  REQUIRE((a.device().is_cpu() && a.layout() == kStrided && !a.requires_grad()));
  REQUIRE(a.eq(0).all().item<bool>());
  for (const auto dtype : {kUInt8, kInt8, kInt16, kInt32, kInt64, kFloat32, kFloat64})
    REQUIRE(Scalar::ones({2}, dtype).scalar_type() == dtype);
  REQUIRE(SR2::ones({2}, default_tensor_options().requires_grad(true)).requires_grad());
}

TEST_CASE("Page on tensors: batch shapes broadcast from the last batch dimension, never with base "
          "dimensions",
          "[tensors][page]")
{
  REQUIRE((SR2::ones({5, 3}) + SR2::ones({3})).batch_sizes() == TensorShape{5, 3});
  REQUIRE((SR2::ones({5, 1}) + SR2::ones({3})).batch_sizes() == TensorShape{5, 3});
  REQUIRE((SR2::ones({5, 3}) + SR2::ones()).batch_sizes() == TensorShape{5, 3});
  REQUIRE_THROWS_AS(SR2::ones({5, 3}) + SR2::ones({5}), NEMLException);
  // For Tensors both batch and base shapes must broadcast, for primitive types only the batch
  // shapes.
  const auto t = Tensor::ones({2}, {3, 4}) + Tensor::ones({5, 1}, {4});
  REQUIRE((t.batch_sizes() == TensorShape{5, 2} && t.base_sizes() == TensorShape{3, 4}));
  REQUIRE_THROWS_AS(Tensor::ones({2}, {3}) + Tensor::ones({2}, {4}), NEMLException);
  REQUIRE((SSR4::ones({2}) * SR2::ones({5, 1})).batch_sizes() == TensorShape{5, 2});
}

TEST_CASE("Page on tensors: indices of batch and base, and writing through them", "[tensors][page]")
{
  Tensor A(torch::tensor({{2, 3, 4}, {-1, -2, 3}, {6, 9, 7}}), 1);
  Tensor B = A.batch_index({indexing::Slice(0, 2)});
  REQUIRE(torch::equal(B, torch::tensor({{2, 3, 4}, {-1, -2, 3}})));
  Tensor C = A.base_index({indexing::Slice(1, 3)});
  REQUIRE(torch::equal(C, torch::tensor({{3, 4}, {-2, 3}, {9, 7}})));
  REQUIRE((B.is_alias_of(A) && C.is_alias_of(A))); // views, not copies
  A.base_index_put_({Slice(1, 3)}, torch::ones({3, 2}));
  REQUIRE(torch::equal(A, torch::tensor({{2, 1, 1}, {-1, 1, 1}, {6, 1, 1}})));
  A.batch_index_put_({Slice(0, 2)}, torch::zeros({2, 3}));
  REQUIRE(torch::equal(A, torch::tensor({{0, 0, 0}, {0, 0, 0}, {6, 1, 1}})));
}

TEST_CASE("Page on tensors: a labeled view of a vector of nine", "[tensors][page]")
{
  // Labels have no white space; variables are laid out in the order of their names.
  LabeledAxis axis;
  axis.add<Scalar>("equivalent_plastic_strain")
      .add<SR2>("cauchy_stress")
      .add<Scalar>("temperature");
  axis.add<Scalar>("time").setup_layout();
  REQUIRE(axis.size() == 9);
  LabeledVector v(torch::tensor({-2.1, 0.0, 1.3, -1.1, 2.5, 2.5, 2.1, 102.9, 3.6}, kFloat64),
                  {&axis});
  const auto stress = v.reinterpret<SR2>({"cauchy_stress"});
  REQUIRE(torch::equal(stress, torch::tensor({-2.1, 0.0, 1.3, -1.1, 2.5, 2.5}, kFloat64)));
  REQUIRE(v.reinterpret<Scalar>({"temperature"}).item<double>() == 102.9);
  REQUIRE(stress.is_alias_of(v.tensor()));
}

TEST_CASE("Page on tensors: an axis of 15 entries with four items, one a sub-axis",
          "[tensors][page]")
{
  LabeledAxis axis;
  axis.add<SR2>("a").add<Scalar>("b").add<Scalar>("c");
  axis.add<SR2>({"sub", "a"}).add<Scalar>({"sub", "b"}); // the same names on another level
  axis.setup_layout();
  REQUIRE(axis.size() == 15);
  REQUIRE((axis.nvariable(false) == 3 && axis.nsubaxis() == 1));
  REQUIRE(axis.has_variable<SR2>("a"));
  REQUIRE(axis.has_variable<Scalar>("b"));
  REQUIRE(axis.has_variable<Scalar>("c"));
  REQUIRE(axis.subaxis("sub").size() == 7);
  REQUIRE(axis.subaxis("sub").variable_names().size() == 2);
  REQUIRE(LabeledAxisAccessor("sub", "b").str() == "sub/b"); // fully qualified
  REQUIRE(axis.has_variable({"sub", "b"}));
}

TEST_CASE("Page on tensors: labels are unique on a level", "[tensors][page]")
{
  LabeledAxis axis;
  axis.add<SR2>("a");
  REQUIRE_THROWS_AS(axis.add<Scalar>("a"), NEMLException);
  REQUIRE_THROWS_AS(axis.add<LabeledAxis>("a"), NEMLException);
}

TEST_CASE("Page on tensors: a label has no white space, quote, slash or new line",
          "[tensors][page]")
{
  for (const auto * bad : {"cauchy stress", "a'", "a\"", "a/b", "a\nb", "a\tb"})
    REQUIRE_THROWS_AS(LabeledAxisAccessor(bad), NEMLException);
}

TEST_CASE("Page on tensors: an axis cannot be modified after it is set up", "[tensors][page]")
{
  LabeledAxis axis;
  axis.add<SR2>("a").setup_layout();
  REQUIRE_THROWS_AS(axis.add<Scalar>("b"), NEMLException);
  REQUIRE_THROWS_AS(axis.add<LabeledAxis>("b"), NEMLException);
}

namespace
{
/// Every primitive type as a variable: of its storage size, and back by reinterpret.
template <class... T>
void
registers_as_variable()
{
  LabeledAxis axis;
  (axis.add<T>(T::type_name), ...);
  axis.setup_layout();
  REQUIRE(axis.size() == (T::const_base_storage + ...));
  const LabeledVector v(torch::rand({2, axis.size()}, kFloat64), {&axis});
  REQUIRE((axis.has_variable<T>(T::type_name) && ...));
  const auto same = [&](const char * name, const Tensor & value)
  { return torch::equal(value.base_flatten(), v.base_index({name})); };
  REQUIRE((same(T::type_name, v.reinterpret<T>({T::type_name})) && ...));
}
} // namespace

TEST_CASE("Page on tensors: every primitive type registers as a variable, flattened",
          "[tensors][page]")
{
  registers_as_variable<Scalar,
                        Vec,
                        R2,
                        SR2,
                        WR2,
                        R3,
                        SFR3,
                        R4,
                        SSR4,
                        R5,
                        SSFR5,
                        Rot,
                        Quaternion,
                        MillerIndex>();
  LabeledAxis axis;
  axis.add<SSR4>("C").setup_layout();
  const LabeledVector v(torch::rand({5, 36}, kFloat64), {&axis});
  const auto C = v.reinterpret<SSR4>({"C"});
  REQUIRE((C.batch_sizes() == TensorShape{5} && C.base_sizes() == TensorShape{6, 6}));
}
} // namespace page_on_tensors_test
