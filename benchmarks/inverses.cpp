// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"

#include "support/compositions.h"
#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>

#include <map>

/// Determinants, inverses, and tensors made from other tensors.
using namespace neml2;
using peers::cofactors;
using peers::empty;
using peers::Peers;
using peers::rand;

namespace
{
struct Inputs
{
  SR2 s;        // (N; 6)
  R2 A;         // (N; 3, 3)
  Scalar E, nu; // (N; )
};

const Inputs &
inputs(Size N)
{
  static std::map<Size, Inputs> all;
  auto & x = all[N];
  if (!x.s.defined())
    x = {SR2::identity() + SR2(rand({N, 6})) * 0.2,
         R2::identity() + R2(rand({N, 3, 3})) * 0.2,
         Scalar(rand({N})) + 1.0,
         Scalar(rand({N})) * 0.4};
  return x;
}

Peers
det_symmetric(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x, K = peers::cofactor_matrix_SR2(), Kt = K.t().contiguous(),
                   weights = at::tensor({1., 0., 0., 0., .5, .5}, at::kDouble);
  return {
      {"neml2", [=] { return det(x); }},
      peers::floor({s}, {{N}}),
      {"hand",
       [=]
       {
         const auto f = [](const double * a, double * r) { *r = hand::det_symmetric(a); };
         return hand::Loop<1, 6>::run({N}, f, s);
       }},
      {"obvious", [=] { return at::linalg_det(peers::obvious_full(s)); }},
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
det_matrix(Size N)
{
  const R2 x = inputs(N).A;
  const at::Tensor A = x;
  const auto formula = [](const at::Tensor & a) // of the nine components
  {
    const auto minor = [&](int i, int j, int k, int l)
    { return at::mul(a[i], a[j]).addcmul_(a[k], a[l], -1); };
    auto r = minor(4, 8, 5, 7).mul_(a[0]);
    r.addcmul_(a[1], minor(5, 6, 3, 8));
    return r.addcmul_(a[2], minor(3, 7, 4, 6));
  };
  return {
      {"neml2", [=] { return det(x); }},
      peers::floor({A}, {{N}}),
      {"hand",
       [=]
       {
         const auto f = [](const double * a, double * r) { *r = hand::det(a); };
         return hand::Loop<1, 9>::run({N}, f, A);
       }},
      {"obvious", [=] { return at::linalg_det(A); }},
      {"cross",
       [=]
       {
         const auto a = A.unbind(-2);
         return at::linalg_vecdot(a[0], at::linalg_cross(a[1], a[2]));
       }},
      {"formula",
       [=] {
         return formula(A.view({N, 9}).t());
       }},
      {"formula columns",
       [=] {
         return formula(A.view({N, 9}).t().contiguous());
       }},
      {"formula chunks",
       [=]
       {
         return peers::chunks({N},
                              4096,
                              {A.view({N, 9})},
                              [&](const auto & p) { return formula(p[0].t().contiguous()); });
       }},
  };
}

Peers
inverse_symmetric(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x, K = peers::cofactor_matrix_SR2(), Kt = K.t().contiguous(),
                   weights = at::tensor({1., 0., 0., 0., .5, .5}, at::kDouble);
  const auto columns = [=](const at::Tensor & a)
  {
    auto c = cofactors(Kt.mm(a.t()), 0);
    return c.div_(weights.view({1, 6}).mm(c * a.t())).t();
  };
  return {
      {"neml2", [=] { return inv(x); }},
      peers::floor({s}, {{N, 6}}),
      {"hand",
       [=] {
         return hand::Loop<6, 6>::run({N, 6}, hand::inverse_symmetric, s);
       }},
      {"obvious", [=] { return peers::obvious_sym(at::linalg_inv(peers::obvious_full(s))); }},
      {"mm",
       [=]
       {
         auto c = cofactors(s.mm(K), 1);
         return c.div_((c * s).mv(weights).unsqueeze(-1));
       }},
      {"mm columns", [=] { return columns(s); }},
      {"mm columns chunks",
       [=] {
         return peers::chunks({N, 6}, 2048, {s}, [&](const auto & p) { return columns(p[0]); });
       }},
  };
}

/// The inverse in columns, (3, 3, N).
at::Tensor
column_inverse(const at::Tensor & Kt, const at::Tensor & A)
{
  const auto a = A.reshape({9, A.size(2)});
  auto c = cofactors(Kt.mm(a), 0);
  return c.div_((c.slice(0, 0, 3) * a.slice(0, 0, 3)).sum(0)).view({3, 3, -1}).transpose(0, 1);
}

Peers
inverse_matrix(Size N)
{
  const R2 x = inputs(N).A;
  const at::Tensor A = x, K = peers::cofactor_matrix_R2(), Kt = K.t().contiguous();
  const auto columns = [=](const at::Tensor & a9)
  {
    const auto a = a9.t();
    auto c = cofactors(Kt.mm(a), 0);
    return c.div_((c.slice(0, 0, 3) * a.slice(0, 0, 3)).sum(0)).t().unflatten(-1, {3, 3}).mT();
  };
  return {
      {"neml2", [=] { return inv(x); }},
      peers::floor({A}, {{N, 3, 3}}),
      {"hand",
       [=] {
         return hand::Loop<9, 9>::run({N, 3, 3}, hand::inverse, A);
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
       [=] {
         return columns(A.view({N, 9}));
       }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 3, 3}, 2048, {A.view({N, 9})}, [&](const auto & p) { return columns(p[0]); });
       }},
  };
}

/// The inverse of [A B; C D] by 3×3 blocks, in columns: S = D - C A^-1 B.
at::Tensor
block_inverse(const at::Tensor & Kt, const at::Tensor & M)
{
  using peers::column_product;
  const auto m = M.permute({1, 2, 0}).contiguous();
  const auto block = [](const at::Tensor & x, int i, int j)
  { return x.narrow(0, 3 * i, 3).narrow(1, 3 * j, 3); };
  const auto Ai = column_inverse(Kt, block(m, 0, 0));
  const auto CAi = column_product(block(m, 1, 0), Ai), AiB = column_product(Ai, block(m, 0, 1));
  const auto Si = column_inverse(Kt, block(m, 1, 1) - column_product(CAi, block(m, 0, 1)));
  const auto SiCAi = column_product(Si, CAi);
  at::Tensor r = at::empty_like(m);
  auto r00 = block(r, 0, 0), r01 = block(r, 0, 1), r10 = block(r, 1, 0), r11 = block(r, 1, 1);
  at::add_out(r00, column_product(AiB, SiCAi), Ai);
  at::neg_out(r01, column_product(AiB, Si));
  at::neg_out(r10, SiCAi);
  r11.copy_(Si);
  return r.permute({2, 0, 1});
}

Peers
inverse_stiffness(Size N)
{
  static std::map<Size, SSR4> all;
  auto & x = all[N];
  if (!x.defined())
    x = SSR4(SSR4::identity_sym() + SSR4(rand({N, 6, 6})) * 0.3);
  const SSR4 C = x;
  at::Tensor A = x, Kt = peers::cofactor_matrix_R2().t().contiguous(), out = empty({N, 6, 6}),
             info = at::empty({N}, at::kInt);
  return {
      {"neml2", [=] { return inv(C); }},
      peers::floor({A}, {{N, 6, 6}}),
      {"hand",
       [=] {
         return hand::Loop<36, 36>::run({N, 6, 6}, hand::inverse_6x6, A);
       }},
      {"obvious", [=] { return at::linalg_inv(A); }},
      {"inv_ex", [=] { return std::get<0>(at::linalg_inv_ex(A)); }},
      {"inv_ex out=", [=]() mutable { return std::get<0>(at::linalg_inv_ex_out(out, info, A)); }},
      {"blocks", [=] { return block_inverse(Kt, A); }},
      {"blocks chunks",
       [=]
       {
         return peers::chunks(
             {N, 6, 6}, 1024, {A}, [&](const auto & p) { return block_inverse(Kt, p[0]); });
       }},
  };
}

Peers
symmetric_part(Size N)
{
  const R2 x = inputs(N).A;
  at::Tensor A = x, M = peers::sym_matrix(), out = empty({N, 6});
  return {
      {"neml2", [=] { return SR2(x); }},
      peers::floor({A}, {{N, 6}}),
      {"hand",
       [=] {
         return hand::Loop<6, 9>::run({N, 6}, hand::sym, A);
       }},
      {"obvious", [=] { return peers::obvious_sym(A); }},
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
      peers::floor({E, nu}, {{N, 6, 6}}),
      {"hand",
       [=] {
         return hand::Loop<36, 1, 1>::run({N, 6, 6}, hand::isotropic_E_nu, E, nu);
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
  peers::add("SR2 det", det_symmetric);
  peers::add("R2 det", det_matrix);
  peers::add("SR2 inverse", inverse_symmetric);
  peers::add("R2 inverse", inverse_matrix);
  peers::add("SSR4 inverse", inverse_stiffness, 100'000);
  peers::add("R2 to SR2", symmetric_part);
  peers::add("isotropic E, nu", isotropic_stiffness, 100'000);
  return peers::run(argc, argv);
}
