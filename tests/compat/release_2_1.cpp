// SPDX-License-Identifier: MIT Written like programs for NEML2 2.1.
#include "neml2/neml2.h"
#include "neml2/tensors/crystallography.h"
#include "neml2/tensors/functions/cross.h"
#include "neml2/tensors/functions/dev.h"
#include "neml2/tensors/functions/imap.h"
#include "neml2/tensors/functions/inner.h"
#include "neml2/tensors/functions/linalg/eigh.h"
#include "neml2/tensors/functions/linalg/solve.h"
#include "neml2/tensors/functions/logical.h"
#include "neml2/tensors/functions/mm.h"
#include "neml2/tensors/functions/mv.h"
#include "neml2/tensors/functions/sum.h"

int
main()
{
  using namespace neml2;
  R2 X(at::rand({4, 3, 3}, default_tensor_options()) + at::eye(3, kFloat64));
  SR2 S = X;
  Scalar nrm = norm(S);
  Vec u = Vec::fill(1, 2, 3);
  auto d = S.dynamic_sizes();
  neml_assert(d == TensorShape{4} && S.static_sizes() == TensorShape{6} && S.intmd_dim() == 0);
  neml_assert(S.dynamic_index({0}).batch_dim() == 0);
  neml_assert(S.dynamic_unsqueeze(0, 2).batch_sizes() == TensorShape{1, 1, 4});
  auto g = dynamic_sum(S, 0);
  neml_assert(g.batch_dim() == 0 && at::allclose(g, S.sum(0)));
  neml_assert(at::allclose(tr(dev(S)), at::zeros({4}, kFloat64), 0, 1e-14));
  neml_assert(at::allclose(det(X) * det(inv(X)), at::ones({4}, kFloat64)));
  neml_assert(at::allclose(inner(S, S), norm(S) * norm(S)));
  neml_assert(vdot(u, u).item<double>() == 14);
  neml_assert(outer(u).base_dim() <= 2 && cross(u, u).base_sizes() == TensorShape{3});
  neml_assert(at::equal(Tensor(imap_v<SR2>(S.options())), at::eye(6, kFloat64)));
  neml_assert(at::allclose(mm(Tensor(X), Tensor(X)), X * X));
  neml_assert(at::allclose(mv(Tensor(X), Tensor(u)), X * u));
  neml_assert(at::all(gt(nrm, 0.5) == (nrm > 0.5)).item<bool>());
  SR2 p(at::rand({5, 6}), 0);
  neml_assert(p.batch_sizes() == TensorShape{5});
  neml_assert(SR2::rand({5}, {}).batch_sizes() == TensorShape{5});
  auto z = Tensor::zeros({5}, {}, {2});
  neml_assert(z.batch_dim() == 1 && z.base_sizes() == TensorShape{2});
  neml_assert(R2::fill(1, 2, 3, 4, 5, 6, 7, 8, 9)(1, 2).item<double>() == 6);
  auto x = linalg::solve(Tensor(X), Tensor(u));
  neml_assert(at::allclose(X * Vec(x), u.batch_expand({4})));
  auto [values, vectors] = linalg::eigh(S);
  neml_assert(at::allclose(S.tr(), values.sum(-1)) && vectors.base_dim() == 2);
  neml_assert(crystallography::symmetry("432").batch_sizes() == TensorShape{24});
  neml_assert(at::equal(crystallography::symmetry("432"),
                        crystallography::symmetry_operations_from_orbifold("432")));
  neml_assert(at::equal(crystallography::symmetry_operators::cubic(),
                        crystallography::crystal_symmetry_operators::cubic()));
  neml_assert(utils::normalize_dim(-1, 0, 3) == 2);
  neml_assert(machine_precision(kFloat64) == eps);
}
