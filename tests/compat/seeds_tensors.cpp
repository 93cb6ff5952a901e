// SPDX-License-Identifier: MIT
// Code as on the page about tensors and labels.
#include "neml2/misc/math.h"
#include "neml2/tensors/LabeledMatrix.h"
#include "neml2/tensors/LabeledVector.h"

int
main()
{
  using namespace neml2;
  auto a = Tensor(torch::rand({5, 3, 6, 6}), 2);
  neml_assert(a.batch_sizes() == TensorShape{5, 3} && a.base_sizes() == TensorShape{6, 6});
  auto b = SR2::zeros({5, 3}, default_tensor_options().requires_grad(true));
  neml_assert(b.requires_grad() && b.is_leaf());
  auto z = Tensor::zeros({4}, {2, 3}, kFloat32);
  neml_assert(z.scalar_type() == kFloat32 && z.batch_dim() == 1);
  auto f = Scalar::full({2}, 1.5);
  neml_assert(f.batch_sizes() == TensorShape{2});
  auto l = Tensor::full_like(a, 3);
  neml_assert(l.sizes() == a.sizes() && l.batch_dim() == 2);
  auto k = Scalar::linspace(Scalar::full(0.0), Scalar::full(1.0), 100);
  neml_assert(k.batch_sizes() == TensorShape{100});
  auto q = Scalar::logspace(Scalar::full(0.0), Scalar::full(3.0), 4);
  neml_assert(torch::allclose(q, torch::tensor({1.0, 10.0, 100.0, 1000.0}, kFloat64)));
  auto n = Tensor(torch::tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}), 1);
  neml_assert(n.batch_index({indexing::Slice(0, 2)}).batch_sizes() == TensorShape{2});
  neml_assert(n.base_index({indexing::Slice(1, 3)}).base_sizes() == TensorShape{2});
  n.base_index_put_({indexing::Slice(1, 3)}, torch::ones({3, 2}));
  neml_assert(n[2][2].item<int64_t>() == 1);

  LabeledAxis A;
  A.add<Scalar>("a").add<SR2>("b").add<Scalar>(LabeledAxisAccessor{"sub", "c"});
  A.setup_layout();
  auto v = LabeledVector::zeros({3}, {&A});
  v.base_index_put_({"b"}, SR2::fill(1, 2, 3).batch_expand({3}));
  auto sb = v.reinterpret<SR2>({"b"});
  neml_assert(torch::allclose(sb, SR2::fill(1, 2, 3).batch_expand({3})));
  auto M = LabeledMatrix::zeros({3}, {&A, &A});
  auto blk = M.base_index({"b", "a"});
  neml_assert(blk.batch_sizes() == TensorShape{3} && blk.base_sizes() == TensorShape{6, 1});
}
