// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledTensor3D.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "support/cuda.h"

#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using indexing::Slice;

namespace
{
/// a 0-1, b 1-7, sub/C 7-43, sub/x 43-44
LabeledAxis
rows()
{
  LabeledAxis axis;
  axis.add<Scalar>("a").add<SR2>("b").add<SSR4>({"sub", "C"}).add<Scalar>({"sub", "x"});
  axis.setup_layout();
  return axis;
}

/// a 0-1, e 1-7
LabeledAxis
columns()
{
  LabeledAxis axis;
  axis.add<Scalar>("a").add<SR2>("e");
  axis.setup_layout();
  return axis;
}

at::Tensor
numbers(at::IntArrayRef sizes, Dtype dtype = at::kDouble)
{
  return at::rand(sizes, at::kDouble).mul(100).to(dtype);
}
} // namespace

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

TEST_CASE("A tensor that does not fit its axes is refused", "[tensors][labels][errors]")
{
  const auto axis = rows();
  REQUIRE_THROWS_WITH(
      LabeledVector(at::ones({4, 43}), {&axis}),
      ContainsSubstring("LabeledTensor does not have the right size at dimension 0: the axis has "
                        "size 44, the tensor Tensor (4; 43)"));
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

TEST_CASE("A bound label selects what the label does", "[tensors][labels]")
{
  const auto axis = rows(), other = columns();
  auto M = LabeledMatrix(numbers({3, 44, 7}), {&axis, &other});
  const LabeledMatrix::BoundLabels label{bind(axis, "b"), bind(other, "e")};
  REQUIRE(at::equal(M.base_index(label), M.base_index({"b", "e"})));
  REQUIRE(at::equal(M.reinterpret<SSR4>(label), M.reinterpret<SSR4>({"b", "e"})));
  M.base_index_put_(label, SSR4::identity_sym());
  REQUIRE(at::equal(M.reinterpret<SSR4>(label), SSR4::identity_sym().batch_expand({3})));
  REQUIRE_THROWS_WITH(M.base_index(LabeledMatrix::BoundLabels{bind(other, "a"), bind(other, "e")}),
                      ContainsSubstring("label 0 is bound to an axis other than that"));
  REQUIRE_THROWS_AS(bind(axis, "q"), NEMLException);
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

TEST_CASE("Products take labeled tensors", "[tensors][labels]")
{
  const auto axis = columns();
  const LabeledMatrix J(numbers({3, 7, 7}), {&axis, &axis});
  const LabeledVector r(numbers({3, 7}), {&axis});
  REQUIRE(at::equal(bmm(J, J), bmm(J.tensor(), J.tensor())));
  REQUIRE(at::equal(bmv(J, r), bmv(J.tensor(), r.tensor())));
  REQUIRE(at::equal(bmv(J, r.tensor()), bmv(J.tensor(), r)));
  REQUIRE(at::equal(bvv(r, r), bvv(r.tensor(), r.tensor())));
  REQUIRE(at::allclose(linalg::vector_norm(r), sqrt(bvv(r, r))));
  REQUIRE_THROWS_AS(bmv(J, LabeledVector(numbers({2, 7}), {&axis})), NEMLException);
}

TEST_CASE("A slice of a vector is labeled by the sub-axis, and a view", "[tensors][labels]")
{
  const auto axis = rows();
  const LabeledVector v(numbers({3, 44}), {&axis});
  const auto sub = v.slice("sub");
  REQUIRE(sub.axis() == axis.subaxis("sub"));
  REQUIRE(at::equal(sub.reinterpret<SSR4>({"C"}), v.reinterpret<SSR4>({{"sub", "C"}})));
  REQUIRE(sub.tensor().is_alias_of(v.tensor()));
  REQUIRE_THROWS_WITH(v.slice("a"), ContainsSubstring("no sub-axis 'a'"));
}

TEST_CASE("fill copies the variables that both have", "[tensors][labels]")
{
  const auto axis = rows();
  LabeledAxis wanted;
  wanted.add<SR2>("b").add<Scalar>("z").add<Scalar>({"sub", "x"});
  wanted.setup_layout();
  const LabeledVector from(numbers({3, 44}), {&axis});
  auto to = LabeledVector::zeros({3}, {&wanted});
  to.fill(from);
  REQUIRE(at::equal(to.base_index({"b"}), from.base_index({"b"})));
  REQUIRE(at::equal(to.base_index({{"sub", "x"}}), from.base_index({{"sub", "x"}})));
  REQUIRE(to.base_index({"z"}).eq(0).all().item<bool>());
  to.zero_();
  to.fill(from, /*recursive=*/false);
  REQUIRE(at::equal(to.base_index({"b"}), from.base_index({"b"})));
  REQUIRE(to.base_index({{"sub", "x"}}).eq(0).all().item<bool>());
  to.zero_();
  to.fill(LabeledVector(from.tensor().batch_index({0}), {&axis})); // the batch broadcasts
  REQUIRE(at::equal(to.base_index({"b"})[2], from.base_index({"b"})[0]));

  LabeledAxis clash;
  clash.add<SR2>("a").add<SR2>("b");
  clash.setup_layout();
  auto wrong = LabeledVector::zeros({3}, {&clash});
  REQUIRE_THROWS_WITH(wrong.fill(from),
                      ContainsSubstring("'a' has size 6 here and 1 in the other tensor"));
  LabeledAxis deep;
  deep.add<SR2>("b").add<SR2>({"sub", "x"});
  deep.setup_layout();
  auto nested = LabeledVector::zeros({3}, {&deep});
  REQUIRE_THROWS_WITH(nested.fill(from), ContainsSubstring("'sub/x' has size 6 here and 1 in"));
  REQUIRE(nested.tensor().eq(0).all().item<bool>());
  auto part = LabeledVector::zeros({3}, {&deep.subaxis("sub")});
  REQUIRE_THROWS_WITH(part.fill(LabeledVector(numbers({3, 37}), {&axis.subaxis("sub")})),
                      ContainsSubstring("'x' has size 6 here and 1 in"));
  REQUIRE_THROWS_WITH(to.fill(LabeledVector(numbers({4, 44}), {&axis})),
                      ContainsSubstring("do not broadcast"));
  auto one = LabeledVector::zeros({}, {&wanted});
  REQUIRE_THROWS_WITH(one.fill(from), ContainsSubstring("does not fit"));
  REQUIRE(wrong.tensor().eq(0).all().item<bool>());
  REQUIRE(one.tensor().eq(0).all().item<bool>());

  const auto other = columns();
  const LabeledMatrix A(numbers({3, 44, 7}), {&axis, &other});
  auto B = LabeledMatrix::zeros({3}, {&wanted, &other});
  B.fill(A);
  REQUIRE(at::equal(B.base_index({"b", {}}), A.base_index({"b", {}})));
  auto D = LabeledMatrix::zeros({3}, {&wanted, &wanted});
  REQUIRE_THROWS_AS(D.fill(A), NEMLException);
  const LabeledTensor3D T(numbers({2, 44, 7, 7}), {&axis, &other, &other});
  auto U = LabeledTensor3D::zeros({2}, {&wanted, &other, &other});
  U.fill(T);
  REQUIRE(
      at::equal(U.base_index({{"sub", "x"}, "a", "e"}), T.base_index({{"sub", "x"}, "a", "e"})));
  auto V = LabeledTensor3D::zeros({2}, {&wanted, &other, &wanted});
  REQUIRE_THROWS_AS(V.fill(T), NEMLException);
}

TEST_CASE("fill from a view of the same memory writes what was there", "[tensors][labels]")
{
  LabeledAxis source, target;
  source.add<Scalar>("x").add<Scalar>("y");
  source.setup_layout();
  target.add<Scalar>("x").add<Scalar>("xx").add<Scalar>("y");
  target.setup_layout();
  const at::Tensor memory = numbers({4});
  const at::Tensor before = memory.clone();
  LabeledVector to(memory.slice(0, 1, 4), {&target});
  to.fill(LabeledVector(memory.slice(0, 0, 2), {&source}));
  REQUIRE(at::equal(to.base_index({"x"})[0], before[0]));
  REQUIRE(at::equal(to.base_index({"y"})[0], before[1]));
}

TEST_CASE("allclose refuses what cannot be compared", "[tensors][labels][errors]")
{
  const auto axis = rows();
  const auto a = LabeledVector::zeros({2}, {&axis});
  REQUIRE(utils::allclose(a, a));
  REQUIRE_FALSE(utils::allclose(a, LabeledVector::zeros({3}, {&axis})));
  REQUIRE_THROWS_WITH(utils::allclose(a, a.to(kFloat32)),
                      ContainsSubstring("allclose: operands of different dtypes"));
  REQUIRE_THROWS_WITH(utils::allclose(a, LabeledVector()),
                      ContainsSubstring("allclose: undefined"));
}

TEST_CASE("Matrices chain as derivatives do", "[tensors][labels]")
{
  LabeledAxis i, p, j;
  i.add<SR2>("i").setup_layout();
  p.add<SR2>("p").add<Scalar>("q").setup_layout();
  j.add<SR2>("j").setup_layout();
  const LabeledMatrix A(numbers({2, 6, 7}), {&i, &p}), B(numbers({2, 7, 6}), {&p, &j});
  const auto AB = A.chain(B);
  REQUIRE(at::allclose(AB, at::matmul(A.tensor(), B.tensor())));
  REQUIRE((AB.axis(0) == i && AB.axis(1) == j && AB.batch_dim() == 1));
  REQUIRE_THROWS_WITH(A.chain(A), ContainsSubstring("not labeled as the rows"));
  REQUIRE_THROWS_WITH(A.chain(LabeledMatrix::zeros({3}, {&p, &j})),
                      ContainsSubstring("do not broadcast"));
  const auto I = LabeledMatrix::identity({2}, p);
  REQUIRE(at::equal(I.chain(B), B));
  REQUIRE(at::equal(I.tensor()[1], at::eye(7, at::kDouble)));

  // Of u(w(x)): u_i,pq w_p,j w_q,k + u_i,p w_p,jk; numbers up to 10^8
  const LabeledTensor3D A2(numbers({2, 6, 7, 7}), {&i, &p, &p}),
      B2(numbers({2, 7, 6, 6}), {&p, &j, &j});
  const auto C2 = A2.chain(B2, A, B);
  const auto expected = at::einsum("bipq,bpj,bqk->bijk", {A2.tensor(), B.tensor(), B.tensor()}) +
                        at::einsum("bip,bpjk->bijk", {A.tensor(), B2.tensor()});
  REQUIRE(at::allclose(C2, expected));
  REQUIRE((C2.axis(0) == i && C2.axis(1) == j && C2.axis(2) == j));
  REQUIRE_THROWS_WITH(A2.chain(B2, B, A), ContainsSubstring("the axes do not fit"));
}

TEST_CASE("A vector is assembled from its variables, with gradients, and taken apart",
          "[tensors][labels][autograd]")
{
  const auto axis = rows();
  const SR2 b(numbers({3, 6}).requires_grad_());
  const SSR4 C(numbers({6, 6}).requires_grad_());
  const auto v = LabeledVector::assemble(axis, {{{"sub", "C"}, C}, {"b", b}});
  REQUIRE(v.batch_sizes() == TensorShape{3});
  REQUIRE(at::equal(v.reinterpret<SR2>({"b"}), b));
  REQUIRE(at::equal(v.reinterpret<SSR4>({{"sub", "C"}}), C.batch_expand({3})));
  REQUIRE(v.base_index({"a"}).eq(0).all().item<bool>());
  const auto g = torch::autograd::grad({v.tensor().pow(2).sum()}, {b, C});
  REQUIRE(at::allclose(g[0], 2 * b));
  REQUIRE(at::allclose(g[1], 6 * C));
  const auto parts = v.disassemble();
  REQUIRE(parts.size() == 4);
  REQUIRE(parts[1].first == LabeledAxisAccessor("b"));
  REQUIRE(at::equal(parts[1].second, b));
  REQUIRE(at::equal(LabeledVector::assemble(axis, parts), v));

  REQUIRE_THROWS_WITH(LabeledVector::assemble(axis, {{"q", b}}),
                      ContainsSubstring("no variable 'q'"));
  REQUIRE_THROWS_WITH(LabeledVector::assemble(axis, {{"b", b}, {"b", b}}),
                      ContainsSubstring("twice"));
  REQUIRE_THROWS_WITH(LabeledVector::assemble(axis, {{"b", C}}),
                      ContainsSubstring("the variable 6"));
  REQUIRE_THROWS_AS(LabeledVector::assemble(axis, {}), NEMLException);
  REQUIRE_THROWS_AS(LabeledVector::assemble(axis, {{"b", SR2()}}), NEMLException);
  REQUIRE_THROWS_AS(LabeledVector::assemble(axis, {{"b", b}, {"a", Scalar::zeros({4})}}),
                    NEMLException);
  REQUIRE_THROWS_AS(LabeledVector::assemble(axis, {{"b", b}, {"a", Scalar::zeros(kFloat32)}}),
                    NEMLException);
}

TEST_CASE("A matrix is assembled from its blocks, with gradients", "[tensors][labels][autograd]")
{
  const auto axis = rows(), other = columns();
  const SSR4 C(numbers({3, 6, 6}).requires_grad_());
  const SR2 s(numbers({6}).requires_grad_());
  const auto M =
      LabeledMatrix::assemble(axis, other, {{"b", "e", C}, {"b", "a", s}, {"a", "e", s}});
  REQUIRE(M.sizes() == at::IntArrayRef({3, 44, 7}));
  REQUIRE(at::equal(M.reinterpret<SSR4>({"b", "e"}), C));
  REQUIRE(at::equal(M.reinterpret<SR2>({"b", "a"}), s.batch_expand({3})));
  REQUIRE(at::equal(M.reinterpret<SR2>({"a", "e"}), s.batch_expand({3})));
  REQUIRE(M.base_index({"sub", {}}).eq(0).all().item<bool>());
  const auto g = torch::autograd::grad({M.tensor().sum()}, {C, s});
  REQUIRE(at::equal(g[0], at::ones_like(C)));
  REQUIRE(at::equal(g[1], 6 * at::ones_like(s)));
  REQUIRE_THROWS_WITH(LabeledMatrix::assemble(axis, other, {{"b", "e", C}, {"b", "e", C}}),
                      ContainsSubstring("('b', 'e') is given twice"));
  REQUIRE_THROWS_AS(LabeledMatrix::assemble(axis, other, {{"b", "a", C}}), NEMLException);
  REQUIRE_THROWS_AS(LabeledMatrix::assemble(axis, other, {}), NEMLException);
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

TEST_CASE("Labeled tensors are the same on the GPU", "[tensors][labels][cuda]")
{
  if (test::without_cuda())
    return;
  const auto axis = rows();
  const LabeledVector v(numbers({3, 44}), {&axis});
  const auto gpu = v.to(v.options().device(kCUDA));
  REQUIRE(
      at::equal(gpu.reinterpret<SSR4>({{"sub", "C"}}).cpu(), v.reinterpret<SSR4>({{"sub", "C"}})));
  auto to = LabeledVector::zeros({3}, {&axis}, gpu.options());
  to.fill(gpu);
  REQUIRE(at::equal(to.tensor().cpu(), v.tensor()));
}
