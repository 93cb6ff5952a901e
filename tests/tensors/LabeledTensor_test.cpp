// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledTensor.h"
#include "neml2/tensors/LabeledMatrix.h"
#include "neml2/tensors/LabeledTensor3D.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/SWR4.h"
#include "neml2/tensors/WR2.h"
#include "neml2/tensors/WSR4.h"
#include "support/device.h"
#include "support/labels.h"

#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

namespace LabeledTensor_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using indexing::Slice;
using test::labels::columns;
using test::labels::numbers;
using test::labels::rows;

TEST_CASE("A labeled tensor has the sizes of its axes", "[tensors][labels]")
{
  const auto axis = rows(), other = columns();
  const auto v = LabeledVector::zeros({2, 3}, {&axis});
  REQUIRE(v.batch_sizes() == TensorShape{2, 3});
  REQUIRE(v.base_sizes() == TensorShape{44});
  REQUIRE((v.batch_dim() == 2 && v.base_dim() == 1 && v.dim() == 3 && v.batched()));
  REQUIRE((v.size(0) == 2 && v.batch_size(-1) == 3 && v.base_size(0) == 44));
  REQUIRE((v.base_storage() == 44 && v.scalar_type() == kFloat64 && v.device().is_cpu()));
  REQUIRE(v.options().dtype() == kFloat64);
  const auto M = LabeledMatrix::empty({}, {&axis, &other}, kFloat32);
  REQUIRE(M.sizes() == at::IntArrayRef({44, 7}));
  REQUIRE(M.scalar_type() == kFloat32);
  REQUIRE(LabeledMatrix::zeros(5, {&axis, &other}).batch_sizes() == TensorShape{5});
  REQUIRE(LabeledVector(at::ones({4, 44}), {&axis}).batch_dim() == 1); // a raw tensor
  REQUIRE_FALSE(LabeledVector().defined());
  REQUIRE(LabeledVector(numbers({3, 44}, at::kLong), {&axis}).scalar_type() == kInt64);
}

TEST_CASE("A labeled tensor is printed as a Tensor under its own name", "[tensors][labels]")
{
  const auto axis = rows(), other = columns();
  const auto printed = [](const auto & t)
  {
    std::ostringstream s;
    s << t;
    return s.str();
  };
  const auto M = LabeledMatrix(numbers({2, 44, 7}), {&axis, &other});
  REQUIRE(printed(M) == "LabeledMatrix (2; 44, 7) float64 cpu\n" +
                            printed(static_cast<const at::Tensor &>(M.tensor())));
  REQUIRE(printed(LabeledVector::zeros({3}, {&other}, kFloat32))
              .rfind("LabeledVector (3; 7) float32 cpu\n 0", 0) == 0);
  REQUIRE(printed(LabeledTensor3D::zeros({}, {&other, &other, &axis}))
              .rfind("LabeledTensor3D (; 7, 7, 44) float64 cpu\n", 0) == 0);
  REQUIRE(printed(LabeledVector()) == "LabeledVector undefined");
}

TEST_CASE("A tensor that does not fit its axes is refused", "[tensors][labels][errors]")
{
  const auto axis = rows();
  REQUIRE_THROWS_WITH(
      LabeledVector(at::ones({4, 43}), {&axis}),
      ContainsSubstring("LabeledTensor: base dimension 0 does not have the size of its axis: the "
                        "axis has size 44, the tensor is Tensor (4; 43)"));
  REQUIRE_THROWS_WITH(LabeledMatrix(at::ones({44}), {&axis, &axis}),
                      ContainsSubstring("fewer than 2 dimensions"));
  REQUIRE_THROWS_WITH(LabeledVector(Tensor(at::ones({4, 44}), 0), {&axis}),
                      ContainsSubstring("has 2 base dimensions, expected 1"));
  LabeledAxis open;
  open.add<Scalar>("a");
  REQUIRE_THROWS_WITH(LabeledVector::zeros({}, {&open}), ContainsSubstring("no layout yet"));
  REQUIRE_THROWS_WITH(LabeledVector::zeros({}, {nullptr}), ContainsSubstring("null pointer"));
  REQUIRE_THROWS_AS(LabeledVector::zeros({}, {&axis}).axis(1), NEMLException);
  REQUIRE_THROWS_AS(LabeledVector().options(), NEMLException);
  REQUIRE_THROWS_AS(LabeledVector().base_index({"a"}), NEMLException);
  REQUIRE_THROWS_AS(LabeledVector().zero_(), NEMLException);
}

TEST_CASE("A labeled tensor keeps its axes alive", "[tensors][labels]")
{
  LabeledVector v;
  {
    const auto axis = rows();
    v = LabeledVector::zeros({2}, {&axis});
  }
  REQUIRE(v.axis() == rows());
  const auto w = LabeledVector(v.tensor(), v.axes());
  REQUIRE(w.base_index({{"sub", "x"}}).base_sizes() == TensorShape{1});
}

TEST_CASE("Labeled views share storage", "[tensors][labels]")
{
  const auto axis = rows(), other = columns();
  for (const auto dtype : {at::kDouble, at::kFloat, at::kLong})
    for (const at::Tensor & raw : {numbers({44}, dtype),
                                   numbers({0, 44}, dtype),
                                   numbers({1, 44}, dtype),
                                   numbers({2, 3, 44}, dtype),
                                   numbers({44, 5}, dtype).transpose(0, 1),
                                   numbers({5, 88}, dtype).slice(1, 0, 88, 2)})
    {
      LabeledVector v(raw, {&axis});
      const auto b = v.base_index({"b"});
      REQUIRE(b.is_alias_of(raw));
      REQUIRE(at::equal(b, raw.slice(-1, 1, 7)));
      REQUIRE(b.batch_dim() == v.batch_dim());
      const auto C = v.reinterpret<SSR4>({{"sub", "C"}});
      REQUIRE(C.is_alias_of(raw));
      REQUIRE(at::equal(C.flatten(-2), raw.slice(-1, 7, 43)));
      const auto a = v.reinterpret<Scalar>({"a"});
      REQUIRE(at::equal(a, raw.select(-1, 0)));
      a.zero_();
      REQUIRE(raw.select(-1, 0).eq(0).all().item<bool>());
      REQUIRE(at::equal(v.base_index({{}}), raw));
    }
  const auto raw = numbers({3, 44, 7});
  const LabeledMatrix M(raw, {&axis, &other});
  REQUIRE(at::equal(M.base_index({"b", "e"}), raw.slice(1, 1, 7).slice(2, 1, 7)));
  REQUIRE(M.reinterpret<SSR4>({"b", "e"}).is_alias_of(raw));
  REQUIRE(at::equal(M.reinterpret<SR2>({"b", "a"}), raw.slice(1, 1, 7).select(2, 0)));
  REQUIRE(at::equal(M.reinterpret<Scalar>({"a", "a"}), raw.select(1, 0).select(1, 0)));
  REQUIRE(M.base_index({{}, "e"}).base_sizes() == TensorShape{44, 6});
}

TEST_CASE("A labeled view of a graph is part of it", "[tensors][labels][autograd]")
{
  const auto axis = rows();
  const LabeledVector v(numbers({2, 44}).requires_grad_(), {&axis});
  const auto y = v.reinterpret<SR2>({"b"}).norm_sq().sum();
  const auto g = torch::autograd::grad({y}, {v.tensor()})[0];
  REQUIRE(at::allclose(g.slice(1, 1, 7), 2 * v.base_index({"b"})));
  REQUIRE(g.slice(1, 7, 44).eq(0).all().item<bool>());
}

TEST_CASE("Values are written through labels", "[tensors][labels]")
{
  const auto axis = rows(), other = columns();
  auto v = LabeledVector::zeros({3}, {&axis});
  v.base_index_put_({"b"}, SR2::fill(1, 2, 3)); // the batch broadcasts
  REQUIRE(at::equal(v.reinterpret<SR2>({"b"}), SR2::fill(1, 2, 3).batch_expand({3})));
  const SSR4 C(numbers({3, 6, 6}));
  v.base_index_put_({{"sub", "C"}}, C);
  REQUIRE(at::equal(v.reinterpret<SSR4>({{"sub", "C"}}), C));
  v.base_index_put_({"a"}, 7);
  REQUIRE(v.reinterpret<Scalar>({"a"}).eq(7).all().item<bool>());
  REQUIRE(v.base_index({{"sub", "x"}}).eq(0).all().item<bool>());
  auto M = LabeledMatrix::zeros({3}, {&axis, &other});
  M.base_index_put_({"b", "e"}, C);
  REQUIRE(at::equal(M.reinterpret<SSR4>({"b", "e"}), C));
  M.batch_index_put_({0}, at::ones({44, 7}));
  REQUIRE(M.batch_index({0}).tensor().eq(1).all().item<bool>());
  REQUIRE(M.batch_index({Slice(0, 2)}).axis(1) == other);
}

TEST_CASE("A value that does not fit its label is refused, and nothing is written",
          "[tensors][labels][errors]")
{
  const auto axis = rows();
  auto v = LabeledVector::zeros({3}, {&axis});
  REQUIRE_THROWS_WITH(v.base_index_put_({"b"}, Scalar::full(1.0)),
                      ContainsSubstring("has 1 base entries, the block"));
  REQUIRE_THROWS_AS(v.base_index_put_({"b"}, SR2::ones({4})), NEMLException);
  REQUIRE_THROWS_AS(v.base_index_put_({"b"}, SR2::ones({2, 3})), NEMLException);
  REQUIRE_THROWS_AS(v.base_index_put_({"b"}, SR2()), NEMLException);
  REQUIRE_THROWS_WITH(v.base_index_put_({"q"}, SR2::ones()), ContainsSubstring("no item 'q'"));
  REQUIRE_THROWS_WITH(v.base_index({"a", "b"}),
                      ContainsSubstring("2 labels for 1 base dimensions"));
  REQUIRE_THROWS_WITH(v.base_index(indexing::TensorLabelsRef()), ContainsSubstring("0 labels"));
  REQUIRE_THROWS_WITH(v.reinterpret<SR2>({"a"}), ContainsSubstring("has 1 entries, a SR2 has 6"));
  LabeledVector expanded(at::zeros({44}, at::kDouble).expand({3, 44}), {&axis});
  REQUIRE_THROWS_WITH(expanded.base_index_put_({"b"}, SR2::ones()),
                      ContainsSubstring("overlaps itself"));
  REQUIRE_THROWS_WITH(expanded.base_index_put_({"b"}, 1.0), ContainsSubstring("overlaps itself"));
  REQUIRE(v.tensor().eq(0).all().item<bool>());
  LabeledVector leaf(at::zeros({44}, at::kDouble).requires_grad_(), {&axis});
  REQUIRE_THROWS_AS(leaf.base_index_put_({"b"}, SR2::ones()), NEMLException);
}

TEST_CASE("A block of the transposed shape is refused", "[tensors][labels][errors]")
{
  LabeledAxis axis, other, nine;
  axis.add<SR2>("s").add<Scalar>("x").setup_layout();
  other.add<WR2>("w").add<SR2>("t").setup_layout();
  nine.add<R2>("F").add<SSR4>("C").setup_layout();
  auto M = LabeledMatrix::zeros({2}, {&axis, &other});
  const auto transposed = ContainsSubstring("would move to other rows and columns");
  REQUIRE_THROWS_WITH(M.base_index_put_({"s", "w"}, WSR4::ones()), transposed);
  REQUIRE_THROWS_WITH(M.base_index_put_({"s", "w"}, Tensor::ones({3, 6})), transposed);
  REQUIRE_THROWS_WITH(M.base_index_put_({"s", "w"}, Tensor::ones({2}, {3, 3, 2})), transposed);
  REQUIRE(M.tensor().eq(0).all().item<bool>());
  REQUIRE_THROWS_WITH(M.reinterpret<WSR4>({"s", "w"}), transposed);
  REQUIRE_THROWS_WITH(LabeledMatrix::assemble(axis, other, {{"s", "w", WSR4::ones()}}), transposed);

  const SWR4 A(numbers({2, 6, 3}));
  M.base_index_put_({"s", "w"}, A);
  REQUIRE(at::equal(M.reinterpret<SWR4>({"s", "w"}), A));
  M.base_index_put_({"s", "w"}, Tensor(A).base_reshape({18})); // in storage order
  REQUIRE(at::equal(M.reinterpret<SWR4>({"s", "w"}), A));
  M.base_index_put_({"x", "t"}, Tensor::ones({6, 1})); // the block has one column
  REQUIRE(M.reinterpret<SR2>({"x", "t"}).eq(1).all().item<bool>());
  REQUIRE(M.base_index({"s", "t"}).eq(0).all().item<bool>());

  auto N = LabeledMatrix::zeros({2}, {&nine, &nine});
  const R4 D(numbers({2, 3, 3, 3, 3})); // each axis split into several dimensions
  N.base_index_put_({"F", "F"}, D);
  REQUIRE(at::equal(N.reinterpret<R4>({"F", "F"}), D));
  REQUIRE(at::equal(LabeledMatrix::assemble(nine, nine, {{"F", "F", D}}).tensor(), N.tensor()));
  const Tensor E(numbers({36, 3, 3}), 0);
  N.base_index_put_({"C", "F"}, E);
  REQUIRE_THROWS_WITH(N.base_index_put_({"F", "C"}, E), transposed);
}

TEST_CASE("Labeled tensors copy, convert and negate as tensors do", "[tensors][labels]")
{
  const auto axis = rows();
  LabeledVector v(numbers({3, 44}), {&axis});
  const auto copy = v.clone();
  REQUIRE(at::equal(copy, v));
  REQUIRE_FALSE(copy.tensor().is_alias_of(v.tensor()));
  REQUIRE(at::equal(-v, -v.tensor()));
  REQUIRE((-v).axis() == axis);
  REQUIRE(v.to(kFloat32).scalar_type() == kFloat32);
  const LabeledVector shared = v;
  v.zero_();
  REQUIRE(shared.tensor().eq(0).all().item<bool>());
  v.copy_(copy);
  REQUIRE(utils::allclose(v, copy));
  REQUIRE_FALSE(utils::allclose(v, -copy));
  v.requires_grad_();
  REQUIRE(v.requires_grad());
  REQUIRE_FALSE(v.detach().requires_grad());
  v.detach_();
  REQUIRE_FALSE(v.requires_grad());
  const auto other = columns();
  REQUIRE_THROWS_AS(v.copy_(LabeledVector::zeros({3}, {&other})), NEMLException);
  REQUIRE_FALSE(utils::allclose(v, LabeledVector::zeros({3}, {&other})));
  const Tensor t = v;
  const at::Tensor raw = v;
  REQUIRE(t.batch_dim() == 1);
  REQUIRE(raw.is_alias_of(t));
}

TEST_CASE("Labeled tensors copy raw ones and those without labels", "[tensors][labels]")
{
  const auto axis = columns();
  auto v = LabeledVector::zeros({2}, {&axis});
  const auto raw = numbers({2, 7});
  v.copy_(raw);
  REQUIRE(at::equal(v, raw));
  v.copy_(neml2::Tensor(raw[0], 0));
  REQUIRE(at::equal(v, raw[0].expand({2, 7})));
  REQUIRE_THROWS_AS(v.copy_(numbers({2, 6})), NEMLException);
  REQUIRE(at::equal(v, raw[0].expand({2, 7})));
}

TEST_CASE("Labeled tensors have shapes on the meta device", "[tensors][labels]")
{
  const auto axis = rows();
  const auto meta = default_tensor_options().device(at::kMeta);
  auto v = LabeledVector::zeros({3}, {&axis}, meta);
  REQUIRE(v.reinterpret<SSR4>({{"sub", "C"}}).sizes() == at::IntArrayRef({3, 6, 6}));
  v.base_index_put_({"b"}, SR2::zeros({3}, meta));
  const auto w = LabeledVector::assemble(axis, {{"b", SR2::zeros({3}, meta)}});
  REQUIRE(w.sizes() == v.sizes());
}

TEST_CASE("Labeled tensors are the same on a device", "[tensors][labels][cuda]")
{
  const auto axis = rows();
  const LabeledVector v(numbers({3, 44}), {&axis});
  const auto there = v.to(v.options().device(test::device()));
  REQUIRE(at::equal(there.reinterpret<SSR4>({{"sub", "C"}}).cpu(),
                    v.reinterpret<SSR4>({{"sub", "C"}})));
  auto to = LabeledVector::zeros({3}, {&axis}, there.options());
  to.fill(there);
  REQUIRE(at::equal(to.tensor().cpu(), v.tensor()));
}
} // namespace LabeledTensor_test
