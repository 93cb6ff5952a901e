// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

#include "peers.h"

#include <map>

using namespace neml2;
using peers::Peers;

/**
 * Operations of the types, each against the best ATen compositions that we could find.
 *
 * How compositions gain: constants folded into a small matrix, so that one matrix product does what
 * many slices would ("mm"); results preallocated ("out="); data turned so that the batch is the
 * innermost dimension, over which ATen vectorises ("columns": the result then is a transposed view).
 * Suggestions for faster ones are welcome: a line each.
 */
namespace
{
struct Inputs
{
  SSR4 C, C2;       // (; 6, 6), (2; 6, 6)
  SR2 strain, s, t; // (N, 2; 6), (N; 6), (N; 6)
  R2 A, B;          // (N; 3, 3)
  Scalar E, nu;     // (N; )
};

at::Tensor
rand(at::IntArrayRef shape)
{
  return at::rand(shape, at::kDouble);
}

at::Tensor
empty(at::IntArrayRef shape)
{
  return at::empty(shape, at::kDouble);
}

const Inputs &
inputs(Size N)
{
  static std::map<Size, Inputs> all;
  auto & x = all[N];
  if (!x.C.defined())
    x = {SSR4(rand({6, 6})),
         SSR4(rand({2, 6, 6})),
         SR2(rand({N, 2, 6})),
         SR2::identity() + SR2(rand({N, 6})) * 0.2,
         SR2(rand({N, 6})),
         R2::identity() + R2(rand({N, 3, 3})) * 0.2,
         R2(rand({N, 3, 3})),
         Scalar(rand({N})) + 1.0,
         Scalar(rand({N})) * 0.4};
  return x;
}

/// A linear map as a matrix on flat components: map(x) = x.mm(matrix).
at::Tensor
dev_matrix()
{
  return dev(SR2(at::eye(6, at::kDouble)));
}

at::Tensor
full_matrix()
{
  return full(SR2(at::eye(6, at::kDouble))).view({6, 9});
}

at::Tensor
sym_matrix()
{
  return sym(R2(at::eye(9, at::kDouble).view({9, 3, 3})));
}

/// Column k picks component index[k] of n, times factor[k].
at::Tensor
pick(int64_t n, at::ArrayRef<int64_t> index, at::ArrayRef<double> factor)
{
  return at::one_hot(at::tensor(index), n).t() * at::tensor(factor, at::kDouble);
}

/// Cofactors of a symmetric tensor are x y - z w of these four sets of components.
at::Tensor
cofactor_matrix_SR2()
{
  constexpr double i = 0.7071067811865475;
  return at::cat({pick(6, {1, 0, 0, 4, 3, 3}, {1, 1, 1, i, i, i}),
                  pick(6, {2, 2, 1, 5, 5, 4}, {1, 1, 1, 1, 1, 1}),
                  pick(6, {3, 4, 5, 0, 1, 2}, {.5, .5, .5, 1, 1, 1}),
                  pick(6, {3, 4, 5, 3, 4, 5}, {1, 1, 1, 1, 1, 1})},
                 1);
}

/// The same of a matrix: c_ij = x y - z w.
at::Tensor
cofactor_matrix_R2()
{
  std::vector<int64_t> x, y, z, w;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
    {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      x.push_back(3 * i1 + j1);
      y.push_back(3 * i2 + j2);
      z.push_back(3 * i1 + j2);
      w.push_back(3 * i2 + j1);
    }
  const std::vector<double> one(9, 1.0);
  return at::cat({pick(9, x, one), pick(9, y, one), pick(9, z, one), pick(9, w, one)}, 1);
}

/// x y - z w of four equal parts along a dimension.
at::Tensor
cofactors(const at::Tensor & parts, int64_t dim)
{
  const auto p = parts.chunk(4, dim);
  return at::mul(p[0], p[1]).addcmul_(p[2], p[3], -1);
}

/// a b for 3×3 matrices whose batch dimension is the last, (3, 3, N).
at::Tensor
column_product(const at::Tensor & a, const at::Tensor & b)
{
  at::Tensor r = empty({3, 3, a.size(2)});
  at::mul_out(r, a.narrow(1, 0, 1), b.narrow(0, 0, 1));
  r.addcmul_(a.narrow(1, 1, 1), b.narrow(0, 1, 1));
  return r.addcmul_(a.narrow(1, 2, 1), b.narrow(0, 2, 1));
}

at::Tensor
obvious_full(const at::Tensor & s)
{
  const auto c = s.unbind(-1);
  const auto s12 = c[3] / sqrt2, s02 = c[4] / sqrt2, s01 = c[5] / sqrt2;
  return at::stack({c[0], s01, s02, s01, c[1], s12, s02, s12, c[2]}, -1).view({-1, 3, 3});
}

at::Tensor
obvious_sym(const at::Tensor & A)
{
  const auto a = [&](int i, int j) { return A.select(-2, i).select(-1, j); };
  return at::stack({a(0, 0),
                    a(1, 1),
                    a(2, 2),
                    (a(1, 2) + a(2, 1)) / sqrt2,
                    (a(0, 2) + a(2, 0)) / sqrt2,
                    (a(0, 1) + a(1, 0)) / sqrt2},
                   -1);
}

/// C of batch (2), strain (N, 2; 6): the broadcasting tutorial's product.
Peers
tutorial_product(Size N)
{
  const SSR4 C2 = inputs(N).C2;
  const SR2 strain = inputs(N).strain;
  at::Tensor C = C2, e = strain, out = empty({N, 2, 6});
  return {
      {"neml2", [=] { return C2 * strain; }},
      {"floor",
       [=] {
         return peers::floor(e, {}, {N, 2, 6});
       }},
      {"obvious", [=] { return at::matmul(C, e.unsqueeze(-1)).squeeze(-1); }},
      {"mul sum", [=] { return (C * e.unsqueeze(-2)).sum(-1); }},
      {"einsum",
       [=] {
         return at::einsum("bij,nbj->nbi", {C, e});
       }},
      {"bmm", [=] { return at::bmm(e.transpose(0, 1), C.mT()).transpose(0, 1); }},
      {"bmm out=",
       [=]
       {
         at::Tensor view = out.transpose(0, 1);
         at::bmm_out(view, e.transpose(0, 1), C.mT());
         return out;
       }},
      {"mm out= each",
       [=]
       {
         for (int b = 0; b < 2; b++)
         {
           at::Tensor view = out.select(1, b);
           at::mm_out(view, e.select(1, b), C.select(0, b).t());
         }
         return out;
       }},
      {"mm block-diagonal",
       [=] {
         return e.view({N, 12}).mm(at::block_diag({C[0].t(), C[1].t()})).view({N, 2, 6});
       }},
  };
}

/// One C for all points.
Peers
shared_product(Size N)
{
  const SSR4 stiffness = inputs(N).C;
  const SR2 strain = inputs(N).s;
  at::Tensor C = stiffness, e = strain, out = empty({N, 6});
  return {
      {"neml2", [=] { return stiffness * strain; }},
      {"floor",
       [=] {
         return peers::floor(e, {}, {N, 6});
       }},
      {"obvious", [=] { return at::matmul(C, e.unsqueeze(-1)).squeeze(-1); }},
      {"mm", [=] { return e.mm(C.t()); }},
      {"linear", [=] { return at::linear(e, C); }},
      {"einsum",
       [=] {
         return at::einsum("ij,nj->ni", {C, e});
       }},
      {"mm columns", [=] { return C.mm(e.t()).t(); }},
      {"mm out=", [=]() mutable { return at::mm_out(out, e, C.t()); }},
  };
}

Peers
deviator(Size N)
{
  const SR2 x = inputs(N).s;
  at::Tensor s = x, out = empty({N, 6}), P = dev_matrix();
  return {
      {"neml2", [=] { return dev(x); }},
      {"floor",
       [=] {
         return peers::floor(s, {}, {N, 6});
       }},
      {"obvious",
       [=]
       {
         const auto normal = s.slice(-1, 0, 3);
         const auto mean = normal.mean(-1, true).expand_as(normal);
         return s - at::cat({mean, at::zeros_like(normal)}, -1);
       }},
      {"clone sub_",
       [=]
       {
         auto r = s.clone();
         auto normal = r.slice(-1, 0, 3);
         normal.sub_(normal.mean(-1, true));
         return r;
       }},
      {"mm", [=] { return s.mm(P); }},
      {"mm columns", [=] { return P.mm(s.t()).t(); }},
      {"mm out=", [=]() mutable { return at::mm_out(out, s, P); }},
  };
}

Peers
double_contraction(Size N)
{
  const SR2 x = inputs(N).s, y = inputs(N).t;
  at::Tensor s = x, t = y, ones = at::ones({6}, at::kDouble), tmp = empty({N, 6}), out = empty({N});
  return {
      {"neml2", [=] { return inner(x, y); }},
      {"floor", [=] { return peers::floor(s, t, {N}); }},
      {"obvious", [=] { return (s * t).sum(-1); }},
      {"vecdot", [=] { return at::linalg_vecdot(s, t); }},
      {"einsum",
       [=] {
         return at::einsum("ni,ni->n", {s, t});
       }},
      {"bmm", [=] { return at::bmm(s.unsqueeze(1), t.unsqueeze(2)).view({N}); }},
      {"mul mv", [=] { return (s * t).mv(ones); }},
      {"mul mv out=", [=]() mutable { return at::mv_out(out, at::mul_out(tmp, s, t), ones); }},
  };
}

Peers
frobenius_norm(Size N)
{
  const SR2 x = inputs(N).s;
  at::Tensor s = x, ones = at::ones({6}, at::kDouble), tmp = empty({N, 6}), out = empty({N});
  return {
      {"neml2", [=] { return norm(x); }},
      {"floor", [=] { return peers::floor(s, {}, {N}); }},
      {"obvious", [=] { return (s * s).sum(-1).sqrt(); }},
      {"vector_norm", [=] { return at::linalg_vector_norm(s, 2, {-1}); }},
      {"vector_norm out=", [=]() mutable { return at::linalg_vector_norm_out(out, s, 2, {-1}); }},
      {"mul mv", [=] { return (s * s).mv(ones).sqrt_(); }},
      {"mul mv out=",
       [=]() mutable { return at::mv_out(out, at::mul_out(tmp, s, s), ones).sqrt_(); }},
  };
}

Peers
sum(Size N)
{
  const SR2 x = inputs(N).s, y = inputs(N).t;
  at::Tensor s = x, t = y, out = empty({N, 6});
  return {
      {"neml2", [=] { return x + y; }},
      {"floor",
       [=] {
         return peers::floor(s, t, {N, 6});
       }},
      {"obvious", [=] { return s + t; }},
      {"add out=", [=]() mutable { return at::add_out(out, s, t); }},
  };
}

Peers
det_symmetric(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x, F = full_matrix(), K = cofactor_matrix_SR2(), Kt = K.t().contiguous(),
                   weights = at::tensor({1., 0., 0., 0., .5, .5}, at::kDouble);
  return {
      {"neml2", [=] { return det(x); }},
      {"floor", [=] { return peers::floor(s, {}, {N}); }},
      {"obvious", [=] { return at::linalg_det(obvious_full(s)); }},
      {"mm linalg_det",
       [=] {
         return at::linalg_det(s.mm(F).view({N, 3, 3}));
       }},
      {"mm", [=] { return cofactors(s.mm(K), 1).mul_(s).mv(weights); }},
      {"mm columns",
       [=] {
         return weights.view({1, 6}).mm(cofactors(Kt.mm(s.t()), 0).mul_(s.t())).view({N});
       }},
      {"formula",
       [=]
       {
         const auto a = s.unbind(-1);
         auto r = a[3] * a[4] * a[5] * invsqrt2;
         r.addcmul_(a[0], at::addcmul(a[1] * a[2], a[3], a[3], -0.5));
         r.addcmul_(a[1], a[4] * a[4], -0.5);
         return r.addcmul_(a[2], a[5] * a[5], -0.5);
       }},
  };
}

Peers
inverse_symmetric(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x, F = full_matrix(), M = sym_matrix(), K = cofactor_matrix_SR2(),
                   Kt = K.t().contiguous(),
                   weights = at::tensor({1., 0., 0., 0., .5, .5}, at::kDouble);
  return {
      {"neml2", [=] { return inv(x); }},
      {"floor",
       [=] {
         return peers::floor(s, {}, {N, 6});
       }},
      {"obvious", [=] { return obvious_sym(at::linalg_inv(obvious_full(s))); }},
      {"mm linalg_inv",
       [=] {
         return std::get<0>(at::linalg_inv_ex(s.mm(F).view({N, 3, 3}))).reshape({N, 9}).mm(M);
       }},
      {"mm",
       [=]
       {
         auto c = cofactors(s.mm(K), 1);
         return c.div_((c * s).mv(weights).unsqueeze(-1));
       }},
      {"mm columns",
       [=]
       {
         auto c = cofactors(Kt.mm(s.t()), 0);
         return c.div_(weights.view({1, 6}).mm(c * s.t())).t();
       }},
  };
}

Peers
matrix_product(Size N)
{
  const R2 x = inputs(N).A, y = inputs(N).B;
  at::Tensor A = x, B = y, out = empty({N, 3, 3});
  return {
      {"neml2", [=] { return x * y; }},
      {"floor",
       [=] {
         return peers::floor(A, B, {N, 3, 3});
       }},
      {"obvious", [=] { return at::matmul(A, B); }},
      {"einsum",
       [=] {
         return at::einsum("nij,njk->nik", {A, B});
       }},
      {"bmm out=", [=]() mutable { return at::bmm_out(out, A, B); }},
      {"mul sum", [=] { return (A.unsqueeze(-1) * B.unsqueeze(-3)).sum(-2); }},
      {"columns",
       [=] {
         return column_product(A.permute({1, 2, 0}), B.permute({1, 2, 0})).permute({2, 0, 1});
       }},
      {"columns copied",
       [=]
       {
         return column_product(A.permute({1, 2, 0}).contiguous(), B.permute({1, 2, 0}).contiguous())
             .permute({2, 0, 1});
       }},
  };
}

Peers
inverse_matrix(Size N)
{
  const R2 x = inputs(N).A;
  const at::Tensor A = x, K = cofactor_matrix_R2(), Kt = K.t().contiguous();
  return {
      {"neml2", [=] { return inv(x); }},
      {"floor",
       [=] {
         return peers::floor(A, {}, {N, 3, 3});
       }},
      {"obvious", [=] { return at::linalg_inv(A); }},
      {"inv_ex", [=] { return std::get<0>(at::linalg_inv_ex(A)); }},
      {"cross",
       [=]
       {
         const auto a = A.unbind(-2);
         const auto c0 = at::linalg_cross(a[1], a[2]);
         const auto c =
             at::stack({c0, at::linalg_cross(a[2], a[0]), at::linalg_cross(a[0], a[1])}, -1);
         return c / at::linalg_vecdot(a[0], c0).view({N, 1, 1});
       }},
      {"mm",
       [=]
       {
         auto c = cofactors(A.view({N, 9}).mm(K), 1).view({N, 3, 3});
         return c.div_((c.select(1, 0) * A.select(1, 0)).sum(-1).view({N, 1, 1})).mT();
       }},
      {"mm columns",
       [=]
       {
         const auto a = A.view({N, 9}).t();
         auto c = cofactors(Kt.mm(a), 0);
         return c.div_((c.slice(0, 0, 3) * a.slice(0, 0, 3)).sum(0)).t().unflatten(-1, {3, 3}).mT();
       }},
  };
}

Peers
symmetric_part(Size N)
{
  const R2 x = inputs(N).A;
  at::Tensor A = x, M = sym_matrix(), out = empty({N, 6});
  return {
      {"neml2", [=] { return SR2(x); }},
      {"floor",
       [=] {
         return peers::floor(A, {}, {N, 6});
       }},
      {"obvious", [=] { return obvious_sym(A); }},
      {"mm",
       [=] {
         return A.view({N, 9}).mm(M);
       }},
      {"mm columns",
       [=] {
         return M.t().mm(A.view({N, 9}).t()).t();
       }},
      {"mm out=",
       [=]() mutable {
         return at::mm_out(out, A.view({N, 9}), M);
       }},
  };
}

Peers
rotation(Size N)
{
  const SR2 x = inputs(N).s;
  const R2 y = inputs(N).A;
  const at::Tensor s = x, R = y, F = full_matrix(), M = sym_matrix(), Ft = F.t().contiguous();
  return {
      {"neml2", [=] { return rotate(x, y); }},
      {"floor",
       [=] {
         return peers::floor(s, R, {N, 6});
       }},
      {"obvious", [=] { return obvious_sym(at::matmul(at::matmul(R, obvious_full(s)), R.mT())); }},
      {"mm bmm",
       [=] {
         return at::bmm(at::bmm(R, s.mm(F).view({N, 3, 3})), R.mT()).view({N, 9}).mm(M);
       }},
      {"mm einsum",
       [=]
       {
         const auto r = at::einsum("nik,nkl,njl->nij", {R, s.mm(F).view({N, 3, 3}), R});
         return r.reshape({N, 9}).mm(M);
       }},
      {"mm columns",
       [=]
       {
         const auto r = R.permute({1, 2, 0}).contiguous();
         const auto a = column_product(r, Ft.mm(s.t()).view({3, 3, N}));
         return M.t().mm(column_product(a, r.transpose(0, 1)).view({9, N})).t();
       }},
  };
}

Peers
isotropic_stiffness(Size N)
{
  const Scalar modulus = inputs(N).E, ratio = inputs(N).nu;
  at::Tensor E = modulus, nu = ratio, out = empty({N, 36});
  const at::Tensor C1 = SSR4::identity_C1(), C2 = SSR4::identity_C2(), C3 = SSR4::identity_C3();
  const at::Tensor basis = at::stack({SSR4::identity(), SSR4::identity_sym()}).view({2, 36});
  const auto lame = [=](int64_t dim) // λ and 2μ
  {
    const auto mu2 = E / (nu + 1);
    return at::stack({(mu2 * nu).div_(at::rsub(nu, 1, 2)), mu2}, dim);
  };
  return {
      {"neml2", [=] { return SSR4::isotropic_E_nu(modulus, ratio); }},
      {"floor",
       [=] {
         return peers::floor(E, nu, {N, 6, 6});
       }},
      {"obvious",
       [=]
       {
         const auto p = (E / ((1 + nu) * (1 - 2 * nu))).view({N, 1, 1}), v = nu.view({N, 1, 1});
         return (1 - v) * p * C1 + v * p * C2 + (1 - 2 * v) * p * C3;
       }},
      {"mm",
       [=] {
         return lame(1).mm(basis).view({N, 6, 6});
       }},
      {"mm turned",
       [=] {
         return lame(0).t().mm(basis).view({N, 6, 6});
       }},
      {"mm columns",
       [=] {
         return basis.t().mm(lame(0)).t().unflatten(1, {6, 6});
       }},
      {"mm out=",
       [=]() mutable {
         return at::mm_out(out, lame(0).t(), basis).view({N, 6, 6});
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("C(2) * strain", tutorial_product);
  peers::add("C * strain", shared_product);
  peers::add("SR2 dev", deviator);
  peers::add("SR2 inner", double_contraction);
  peers::add("SR2 norm", frobenius_norm);
  peers::add("SR2 + SR2", sum);
  peers::add("SR2 det", det_symmetric);
  peers::add("SR2 inverse", inverse_symmetric);
  peers::add("SR2 rotate by R2", rotation);
  peers::add("R2 * R2", matrix_product);
  peers::add("R2 inverse", inverse_matrix);
  peers::add("R2 to SR2", symmetric_part);
  peers::add("isotropic E, nu", isotropic_stiffness);
  return peers::run(argc, argv);
}
