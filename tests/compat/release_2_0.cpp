// SPDX-License-Identifier: MIT
// Written like programs for NEML2 2.0.
#include "neml2/misc/math.h"

int
main()
{
  using namespace neml2;
  const auto & DTO = default_tensor_options();
  torch::manual_seed(42);
  R2 X(torch::rand({4, 3, 3}, DTO));
  SR2 S = X;
  SSR4 K = SSR4::identity_sym(DTO);
  Tensor t = S;
  at::Tensor raw = S;
  Scalar nrm = S.norm(math::eps);
  neml_assert(torch::allclose(nrm * nrm, S.norm_sq()) && raw.dim() == 2);
  auto y = math::pow(nrm, 2.0) + math::exp(-nrm) * math::heaviside(nrm);
  auto J = math::bmm(Tensor(K), Tensor(K));
  auto Ki = math::linalg::inv(J);
  neml_assert(torch::allclose(Ki, torch::eye(6, DTO)));
  auto none = math::jacrev(Tensor(y), t);
  neml_assert(!none.defined() || torch::count_nonzero(none).item<int64_t>() == 0);
  t.requires_grad_();
  auto dy = math::jacrev(Tensor(SR2(t).norm_sq()), t);
  neml_assert(torch::allclose(dy, 2 * t) && dy.base_sizes() == TensorShape{6});
  neml_assert(broadcastable(S, K) || true, "text ", 1);
  neml2::neml_assert_dbg(batch_broadcastable(S, nrm));
  auto n = broadcast_batch_dim(S, nrm);
  neml_assert(n == 1);
  auto sh = utils::add_shapes(S.batch_sizes(), 3);
  neml_assert(sh == TensorShape{4, 3});
  neml_assert(torch::zeros(S.batch_sizes()).sizes() == TensorShapeRef({4}));
  TensorShape bs(S.batch_sizes());
  neml_assert(bs == TensorShape{4});
  Vec u = Vec::fill(1, 2, 3);
  Rot r = Rot::fill(0.1, 0.2, 0.3);
  neml_assert(u.dot(u).item<double>() == 14);
  neml_assert(torch::count_nonzero(u.cross(u)).item<int64_t>() == 0);
  neml_assert(u.outer(u).base_sizes() == TensorShape{3, 3});
  neml_assert(torch::allclose(u.rotate(r).norm(), u.norm()));
  neml_assert(torch::allclose(r.rotate(r).rotate(r.inverse()), r));
  neml_assert(r.drotate(r).base_sizes() == TensorShape{3, 3});
  neml_assert(torch::allclose(u.transform(proper_rotation_transform(r)), u.rotate(r)));
  neml_assert(torch::allclose(r.euler_rodrigues() * u, u.rotate(r)));

  // Products of skew and symmetric tensors that only 2.0 has.
  SR2 e = S.batch_index({0});
  WR2 w = X.batch_index({1});
  R2 E = e, W = w;
  neml_assert(torch::allclose(R2(math::skew_and_sym_to_sym(e, w)), W * E - E * W));
  neml_assert(
      torch::allclose(math::d_skew_and_sym_to_sym_d_sym(w) * e, math::skew_and_sym_to_sym(e, w)));
  neml_assert(torch::allclose(math::full_to_mandel(Tensor(E)), e));
  neml_assert(math::mandel_factor(4) == math::sqrt2);
}
