// SPDX-License-Identifier: MIT
#include "neml2/core/PrimitiveTensor.h"

#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace PrimitiveTensor_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
class Pair : public PrimitiveTensor<Pair, 2>
{
public:
  using PrimitiveTensor::PrimitiveTensor;
};
} // namespace

TEST_CASE("a primitive type knows its base shape", "[core][PrimitiveTensor]")
{
  REQUIRE(Scalar::const_base_sizes == TensorShape{});
  REQUIRE(SR2::const_base_sizes == TensorShape{6});
  REQUIRE(SSR4::const_base_sizes == TensorShape{6, 6});
  REQUIRE(std::is_same_v<std::decay_t<decltype(SR2::const_base_sizes)>, TensorShape>);
  static_assert(Scalar::const_base_dim == 0 && SR2::const_base_dim == 1 &&
                SSR4::const_base_dim == 2);
  static_assert(Scalar::const_base_numel == 1 && Vec::const_base_numel == 3 &&
                SSR4::const_base_numel == 36);
  static_assert(SSR4::const_base_storage == 36);
  REQUIRE(std::is_same_v<R2::base_sizes_sequence, std::integer_sequence<Size, 3, 3>>);
}

TEST_CASE("a type of a program needs no more than its base shape", "[core][PrimitiveTensor]")
{
  const auto p = Pair::ones({3});
  REQUIRE(torch::equal(p + p, torch::full({3, 2}, 2.0, default_tensor_options())));
  REQUIRE((p * 2.0).batch_sizes() == TensorShape{3});
  REQUIRE_THAT(error_of([] { Pair(torch::ones({3})); }),
               ContainsSubstring("PrimitiveTensor has base shape [2]"));
}

TEST_CASE("a raw tensor becomes a primitive one, its batch inferred", "[core][PrimitiveTensor]")
{
  const at::Tensor raw = torch::rand({4, 2, 6}, kFloat64);
  const SR2 s = raw;
  REQUIRE(described(s) == "SR2 (4, 2; 6)");
  REQUIRE(s.data_ptr() == raw.data_ptr());
  REQUIRE(described(SR2(torch::rand({6}))) == "SR2 (; 6)");
  REQUIRE(described(Scalar(raw)) == "Scalar (4, 2, 6;)");
  REQUIRE(described(SR2(raw, 2)) == "SR2 (4, 2; 6)");
  REQUIRE(described(SR2(raw, 0)) == "SR2 (4, 2; 6)"); // 0: the number is inferred
  REQUIRE(described(SR2(raw, TraceableTensorShape{4, 2})) == "SR2 (4, 2; 6)");
  REQUIRE(described(SR2(raw.transpose(0, 1))) == "SR2 (2, 4; 6)");
  REQUIRE(described(SR2(torch::rand({0, 6}))) == "SR2 (0; 6)");
  const auto reads = [](const SR2 & x) { return x.batch_dim(); };
  REQUIRE(reads(raw) == 2);
  REQUIRE(reads(Tensor(raw, 2)) == 2);
}

TEST_CASE("construction keeps dtype, strides and storage whatever they are",
          "[core][PrimitiveTensor]")
{
  const auto raw = torch::arange(12, torch::kInt32).reshape({6, 2}).transpose(0, 1);
  const SR2 s(raw);
  REQUIRE(s.scalar_type() == kInt32);
  REQUIRE(s.strides() == raw.strides());
  REQUIRE(s.data_ptr() == raw.data_ptr());
}

TEST_CASE("a tensor whose shape does not end in the base shape is refused",
          "[core][PrimitiveTensor]")
{
  REQUIRE(error_of(
              [] {
                SR2(torch::rand({4, 5}));
              }) == "Base shape mismatch: SR2 has base shape [6], but the shape [4, 5] does not "
                    "end in it. Reshape "
                    "the tensor, or choose the type of its last dimensions; types convert, as in "
                    "SR2(R2(t)) for the symmetric parts of matrices.");
  const auto starts = [](const auto & f)
  { return error_of(f).rfind("Base shape mismatch", 0) == 0; };
  REQUIRE(starts([] { SR2(torch::rand({})); }));
  REQUIRE(starts([] { SSR4(torch::rand({6})); }));
  REQUIRE(starts([] { R2(torch::rand({3, 3, 2})); }));
  REQUIRE(starts([] { SR2(torch::rand({4, 2, 6}), 1); }));
  REQUIRE(starts([] { SR2(torch::rand({4, 2, 6}), 3); }));
  REQUIRE(starts([] { SR2(torch::rand({4, 6}), TraceableTensorShape{5}); }));
  REQUIRE(starts([] { SR2(Tensor::ones({4, 2}, {3})); }));
  REQUIRE(starts([] { SR2(Tensor::ones({4}, {2, 6})); })); // the 2 is a base dimension
  REQUIRE(starts([] { SR2(Tensor::ones({4, 6}, {})); }));
}

TEST_CASE("an undefined tensor makes an undefined one", "[core][PrimitiveTensor]")
{
  for (const auto & s : {SR2(), SR2(at::Tensor()), SR2(at::Tensor(), 2), SR2(Tensor())})
  {
    REQUIRE(!s.defined());
    REQUIRE(s.batch_dim() == 0);
    REQUIRE(s.base_dim() == 0);
  }
}

TEST_CASE("Tensor and primitive types convert into each other, keeping the batch",
          "[core][PrimitiveTensor]")
{
  const auto s = SR2::ones({4, 2});
  const Tensor t = s;
  const SR2 back = t;
  REQUIRE(described(back) == "SR2 (4, 2; 6)");
  REQUIRE(back.data_ptr() == s.data_ptr());
  const Scalar k = Tensor::ones({4}, {});
  REQUIRE(described(k) == "Scalar (4;)");
  const at::Tensor raw = s;
  const at::Tensor & same = s;
  REQUIRE(raw.data_ptr() == s.data_ptr());
  REQUIRE(&same == &s);
}

TEST_CASE("which types convert is decided at compile time", "[core][PrimitiveTensor]")
{
  REQUIRE(std::is_convertible_v<at::Tensor, SR2>);
  REQUIRE(std::is_convertible_v<const at::Tensor &, SR2>);
  REQUIRE(std::is_convertible_v<Tensor, SR2>);
  REQUIRE(std::is_convertible_v<SR2, Tensor>);
  REQUIRE(std::is_convertible_v<SR2, at::Tensor>);
  REQUIRE(std::is_constructible_v<SR2, at::Tensor, Size>);
  REQUIRE(std::is_constructible_v<SR2, R2>); // which takes the symmetric part
  REQUIRE(!std::is_convertible_v<Vec, SR2>);
  REQUIRE(!std::is_constructible_v<SR2, Vec>);
  REQUIRE(!std::is_constructible_v<SR2, SSR4>);
  REQUIRE(!std::is_constructible_v<SR2, Scalar>);
  REQUIRE(!std::is_constructible_v<Vec, SR2>);
  REQUIRE(!std::is_constructible_v<Scalar, SR2>);
  REQUIRE(!std::is_constructible_v<SR2, double>);
  REQUIRE(!std::is_constructible_v<SR2, int>);
  REQUIRE(!std::is_constructible_v<Scalar, double>);
  REQUIRE(!std::is_constructible_v<Scalar, int>);
  REQUIRE(std::is_constructible_v<Scalar, double, TensorOptions>);
  REQUIRE(!std::is_constructible_v<SR2, double, TensorOptions>);
  REQUIRE(std::is_nothrow_move_constructible_v<SR2>);
  REQUIRE(sizeof(SR2) == sizeof(Tensor));
}

TEST_CASE("create infers the batch from the nesting", "[core][PrimitiveTensor]")
{
  REQUIRE(described(Scalar::create(3.0)) == "Scalar (;)");
  REQUIRE(described(Scalar::create({1e5, 2e5})) == "Scalar (2;)");
  REQUIRE(described(SR2::create({1, 2, 3, 4, 5, 6})) == "SR2 (; 6)");
  const auto s = SR2::create({{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}});
  REQUIRE(described(s) == "SR2 (2; 6)");
  REQUIRE(torch::equal(s, torch::arange(1, 13, kFloat64).reshape({2, 6})));
  REQUIRE(s.scalar_type() == kFloat64); // integer literals, default dtype
  REQUIRE(described(R2::create({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})) == "R2 (; 3, 3)");
  REQUIRE(Scalar::create({1, 2}, kInt64).scalar_type() == kInt64);
  const auto leaf = Scalar::create({1, 2}, TensorOptions(kFloat32).requires_grad(true));
  REQUIRE((leaf.requires_grad() && leaf.is_leaf() && leaf.scalar_type() == kFloat32));
  REQUIRE_THAT(error_of(
                   [] {
                     (void)SR2::create({1, 2, 3});
                   }),
               ContainsSubstring("Base shape mismatch: SR2"));
  REQUIRE_THAT(error_of(
                   [] {
                     (void)R2::create({{1, 2, 3}, {4, 5, 6}, {7, 8}});
                   }),
               ContainsSubstring("ragged"));
}

TEST_CASE("empty, zeros and ones take nothing, options, a batch, or both",
          "[core][PrimitiveTensor]")
{
  const auto opts = TensorOptions().dtype(kFloat32);
  REQUIRE(described(SR2::empty()) == "SR2 (; 6)");
  REQUIRE(described(SR2::empty(opts)) == "SR2 (; 6)");
  REQUIRE(described(SR2::empty({5, 3})) == "SR2 (5, 3; 6)");
  REQUIRE(described(SR2::empty({5, 3}, opts)) == "SR2 (5, 3; 6)");
  REQUIRE(SR2::empty(kFloat32).scalar_type() == kFloat32);
  REQUIRE(torch::equal(SR2::zeros(), torch::zeros({6}, kFloat64)));
  REQUIRE(torch::equal(SR2::zeros(kFloat32), torch::zeros({6})));
  REQUIRE(torch::equal(SR2::zeros({5, 3}, opts), torch::zeros({5, 3, 6})));
  REQUIRE(torch::equal(SR2::zeros(5, opts), torch::zeros({5, 6})));
  REQUIRE(torch::equal(SR2::ones(), torch::ones({6}, kFloat64)));
  REQUIRE(torch::equal(SR2::ones(kInt64), torch::ones({6}, torch::kInt64)));
  REQUIRE(torch::equal(SR2::ones({2}), torch::ones({2, 6}, kFloat64)));
  REQUIRE(torch::equal(SSR4::ones({2}, kFloat32), torch::ones({2, 6, 6})));
  REQUIRE(described(SR2::zeros({})) == "SR2 (; 6)");
  REQUIRE(described(SR2::zeros({0, 2})) == "SR2 (0, 2; 6)");
  const auto s = SR2::zeros({4, 2});
  REQUIRE(described(Vec::zeros(s.batch_sizes(), s.options())) == "Vec (4, 2; 3)");
  REQUIRE(described(Vec::zeros(TensorShape{4, 2})) == "Vec (4, 2; 3)");
}

TEST_CASE("full takes a value, before it a batch, after it options", "[core][PrimitiveTensor]")
{
  REQUIRE(torch::equal(Scalar::full(1.5), torch::tensor(1.5, kFloat64)));
  REQUIRE(torch::equal(Scalar::full(2, kFloat32), torch::tensor(2.0f))); // 2 is a value
  REQUIRE(torch::equal(Scalar::full({2}, 1.5), torch::full({2}, 1.5, kFloat64)));
  REQUIRE(torch::equal(SR2::full({2, 3}, 4, kInt64), torch::full({2, 3, 6}, 4, torch::kInt64)));
  REQUIRE(torch::equal(SR2::full({}, 1.5), torch::full({6}, 1.5, kFloat64)));
  const auto like = SR2::full_like(SR2::zeros({3}, kFloat32), 2);
  REQUIRE(torch::equal(like, torch::full({3, 6}, 2.0f)));
  REQUIRE(described(SSR4::zeros_like(SSR4::ones({3}))) == "SSR4 (3; 6, 6)");
}

TEST_CASE("factories make leaves that require grad when asked", "[core][PrimitiveTensor]")
{
  const auto o = default_tensor_options().requires_grad(true);
  for (const auto & s : {SR2::empty(o),
                         SR2::zeros(o),
                         SR2::ones(o),
                         SR2::full(2, o),
                         SR2::empty({5, 3}, o),
                         SR2::zeros({5, 3}, o),
                         SR2::ones({5, 3}, o),
                         SR2::full({2}, 1, o),
                         SR2::create({1, 2, 3, 4, 5, 6}, o),
                         SR2::fill(1, 2, 3, o)})
    REQUIRE((s.requires_grad() && s.is_leaf()));
}

TEST_CASE("factories refuse negative sizes and options that do not fit", "[core][PrimitiveTensor]")
{
  REQUIRE_THAT(error_of(
                   [] {
                     (void)SR2::zeros({2, -1});
                   }),
               ContainsSubstring("zeros: a tensor cannot have the shape [2, -1, 6]"));
  REQUIRE_THAT(error_of([] { (void)SR2::ones({2}, TensorOptions(kInt64).requires_grad(true)); }),
               ContainsSubstring("ones: ") && ContainsSubstring("can require gradients"));
}

TEST_CASE("identity_map of a type that has none says so", "[core][PrimitiveTensor]")
{
  REQUIRE_THAT(error_of([] { (void)PrimitiveTensor<SSR4, 6, 6>::identity_map(); }),
               ContainsSubstring("SSR4::identity_map: Not implemented"));
}

TEST_CASE("a stored component is a view, its indices counted from either end",
          "[core][PrimitiveTensor]")
{
  const SSR4 C(torch::arange(72, kFloat64).reshape({2, 6, 6}));
  REQUIRE(described(C(0, 1)) == "Scalar (2;)");
  REQUIRE(torch::equal(C(0, 1), torch::tensor({1.0, 37.0}, kFloat64)));
  REQUIRE(torch::equal(C(-1, -2), torch::tensor({34.0, 70.0}, kFloat64)));
  const Vec v = Vec::fill(1, 2, 3);
  v(1).fill_(7);
  REQUIRE(torch::equal(v, torch::tensor({1.0, 7.0, 3.0}, kFloat64)));
  REQUIRE_THAT(
      error_of([&] { v(3); }),
      ContainsSubstring("Vec: the component index 3 is out of range: expected one in [-3, 3)."));
  REQUIRE_THAT(error_of([] { Vec()(0); }), ContainsSubstring("undefined tensor"));
}

TEST_CASE("A type of a program has the elementwise operators", "[core]")
{
  const Pair a(at::rand({4, 2}, kFloat64)), b(at::rand({3, 1, 2}, kFloat64));
  const Scalar s(at::rand({3, 4}, kFloat64));
  const at::Tensor column = s.unsqueeze(-1);
  REQUIRE(at::equal(a + b, at::add(a, b)));
  REQUIRE(at::equal(a / b, at::div(a, b)));
  REQUIRE((a - s).batch_sizes() == TensorShape{3, 4});
  REQUIRE(at::equal(a - s, at::sub(a, column)));
  REQUIRE(at::equal(s * a, at::mul(column, a)));
  REQUIRE(at::equal(2.0 * a, at::mul(a, 2.0)));
  REQUIRE(at::allclose(1.0 / a, at::reciprocal(a)));
  REQUIRE_THROWS_AS(a + Pair::zeros({3}), NEMLException);
}
} // namespace PrimitiveTensor_test
