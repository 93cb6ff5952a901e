// SPDX-License-Identifier: MIT
// Written like programs for NEML2 between 2.0 and 2.1: one header per function.
#include "neml2/base/LabeledAxis.h"
#include "neml2/tensors/crystallography.h"
#include "neml2/tensors/functions/bmm.h"
#include "neml2/tensors/functions/cat.h"
#include "neml2/tensors/functions/linalg/vecdot.h"
#include "neml2/tensors/functions/mean.h"
#include "neml2/tensors/functions/stack.h"
#include "neml2/tensors/functions/sum.h"
#include "neml2/tensors/shape_utils.h"

int
main()
{
  using namespace neml2;
  using namespace neml2::indexing;
  const auto & DTO = default_tensor_options();
  R2 X(at::rand({4, 3, 3}, DTO));
  SR2 S = X;
  Vec u = Vec::fill(1, 2, 3);
  auto w = linalg::vecdot(u, u);
  neml_assert(w.item<double>() == 14);
  auto s3 = base_stack({w, w, w}, -1);
  neml_assert(s3.base_sizes() == TensorShape{3} && s3.batch_dim() == 0);
  auto bs = batch_cat({S, S}, 0);
  neml_assert(bs.batch_sizes() == TensorShape{8});
  auto c = batch_sum(S, -1) + batch_mean(S);
  neml_assert(c.batch_dim() == 0 && at::allclose(c, S.sum(0) * 1.25));
  neml_assert(base_sum(Tensor(S), 0).batch_sizes() == TensorShape{4});
  neml_assert(S.base_flatten().base_sizes() == TensorShape{6});
  neml_assert(S.batch_slice(0, Slice(0, 2)).batch_sizes() == TensorShape{2});
  neml_assert(S.batch_unsqueeze(0).batch_expand(7, 0).batch_sizes() == TensorShape{7, 4});
  neml_assert(w.batch_expand_as(S).batch_sizes() == TensorShape{4});
  neml_assert(S.batch_sizes().concrete() == TensorShape{4} && S.batch_size(0).concrete() == 4);
  neml_assert(utils::broadcast_batch_sizes({S, w}) == TensorShape{4});
  neml_assert(utils::batch_broadcastable(S, w));
  auto euler = Rot::fill_euler_angles(Vec::fill(30, 50, 40), "bunge", "degrees");
  neml_assert(at::allclose(euler, Vec::fill(-0.241626, 0.02113954, -0.2983446), 0, 1e-7));
  neml_assert(Rot::fill_random(10).batch_sizes() == TensorShape{10});
  neml_assert(crystallography::symmetry_operations_from_orbifold("432").batch_sizes() ==
              TensorShape{24});
  neml_assert(at::equal(MillerIndex::fill(2, 2, 6).reduce(), MillerIndex::fill(1, 1, 3)));
  LabeledAxis ax;
  ax.add_variable<SR2>("x");
  ax.add_subaxis("sub").add_variable<Scalar>("y");
  ax.setup_layout();
  neml_assert(ax.slice("x").stop() == 6);
  neml_assert(ax.variable_id("x") == 0);
  neml_assert(ax.subaxis("sub").qualify("y") == LabeledAxisAccessor("sub", "y"));
}
