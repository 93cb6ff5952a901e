// SPDX-License-Identifier: MIT
#include "neml2/tensors/kinematics.h"
#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/spectral.h"

#include "support/compositions.h"
#include "support/peers.h"

#include <ATen/ATen.h>

#include <map>

/// Eigenvalues, functions of tensors, and the kinematics of finite deformation.
using namespace neml2;
using peers::Peers;
using peers::pick;
using peers::rand;

namespace
{
struct Inputs
{
  SR2 s;  // (N; 6), positive definite
  R2 F;   // (N; 3, 3), of positive determinant
  SSR4 C; // (N; 6, 6)
};

const Inputs &
inputs(Size N)
{
  static std::map<Size, Inputs> all;
  auto & x = all[N];
  if (!x.s.defined())
    x = {SR2(rand({N, 6}) + at::tensor({2.0, 2.5, 3.0, 0.0, 0.0, 0.0}, at::kDouble)),
         R2(rand({N, 3, 3}) + 2 * at::eye(3, at::kDouble)),
         SSR4(N <= 100'000 ? rand({N, 6, 6}) : rand({1, 6, 6}))};
  return x;
}

/// All components by one matrix product.
at::Tensor
full_by_mm(const at::Tensor & s)
{
  static const at::Tensor F = peers::full_matrix();
  return s.mm(F).view({-1, 3, 3});
}

at::Tensor
sym_by_mm(const at::Tensor & A)
{
  static const at::Tensor M = peers::sym_matrix();
  return A.reshape({-1, 9}).mm(M);
}

Peers
eigen(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x;
  return {
      {"neml2", [=] { return eigh(x).first; }},
      peers::floor({s}, {{N, 3}, {N, 3, 3}}),
      {"obvious", [=] { return std::get<0>(at::linalg_eigh(peers::obvious_full(s))); }},
      {"mm", [=] { return std::get<0>(at::linalg_eigh(full_by_mm(s))); }},
  };
}

/// V f(Λ) Vᵀ.
template <class F>
at::Tensor
by_eigenvalues(const at::Tensor & s, const F & f)
{
  const auto [l, V] = at::linalg_eigh(full_by_mm(s));
  return sym_by_mm(at::bmm(V * f(l).unsqueeze(1), V.mT()));
}

Peers
exponential(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x;
  return {
      {"neml2", [=] { return expm(x); }},
      peers::floor({s}, {{N, 6}}),
      {"obvious",
       [=] { return peers::obvious_sym(at::linalg_matrix_exp(peers::obvious_full(s))); }},
      {"mm", [=] { return sym_by_mm(at::linalg_matrix_exp(full_by_mm(s))); }},
      {"mm eigh", [=] { return by_eigenvalues(s, [](const auto & l) { return at::exp(l); }); }},
  };
}

Peers
logarithm(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x;
  return {
      {"neml2", [=] { return logm(x); }},
      peers::floor({s}, {{N, 6}}),
      {"mm eigh", [=] { return by_eigenvalues(s, [](const auto & l) { return at::log(l); }); }},
  };
}

Peers
root(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x;
  return {
      {"neml2", [=] { return sqrtm(x); }},
      peers::floor({s}, {{N, 6}}),
      {"mm eigh", [=] { return by_eigenvalues(s, [](const auto & l) { return at::sqrt(l); }); }},
  };
}

Peers
derivative_of_exponential(Size N)
{
  const SR2 x = inputs(N).s;
  const at::Tensor s = x, basis = peers::full_matrix().view({6, 3, 3});
  return {
      {"neml2", [=] { return dexpm(x); }},
      peers::floor({s}, {{N, 6, 6}}),
      {"mm eigh",
       [=]
       {
         const auto [l, V] = at::linalg_eigh(full_by_mm(s));
         const auto e = at::exp(l), d = l.unsqueeze(1) - l.unsqueeze(2);
         const auto same = d.abs() < 1e-7;
         const auto quotients = at::where(
             same, e.unsqueeze(1), (e.unsqueeze(1) - e.unsqueeze(2)) / at::where(same, 1.0, d));
         const auto W = V.unsqueeze(1);
         const auto y = at::matmul(at::matmul(W.mT(), basis), W) * quotients.unsqueeze(1);
         return sym_by_mm(at::matmul(at::matmul(W, y), W.mT())).view({-1, 6, 6});
       }},
      {"matrix_exp",
       [=]
       {
         const auto A = full_by_mm(s).unsqueeze(1).expand({-1, 6, 3, 3});
         const auto E = basis.expand_as(A);
         const auto block = at::cat({at::cat({A, E}, -1), at::cat({at::zeros_like(A), A}, -1)}, -2);
         const auto D = at::linalg_matrix_exp(block).slice(-2, 0, 3).slice(-1, 3, 6);
         return sym_by_mm(D).view({-1, 6, 6});
       }},
  };
}

Peers
rotation_in_polar(Size N)
{
  const R2 x = inputs(N).F;
  const at::Tensor F = x;
  return {
      {"neml2", [=] { return polar_rotation(x); }},
      peers::floor({F}, {{N, 3, 3}}),
      {"obvious",
       [=]
       {
         const auto [U, S, Vh] = at::linalg_svd(F);
         return at::matmul(U, Vh);
       }},
      {"eigh",
       [=]
       {
         const auto [l, V] = at::linalg_eigh(at::bmm(F.mT(), F));
         return at::bmm(F, at::bmm(V * at::rsqrt(l).unsqueeze(1), V.mT()));
       }},
  };
}

Peers
strain(Size N)
{
  const R2 x = inputs(N).F;
  const at::Tensor F = x;
  return {
      {"neml2", [=] { return hencky_strain(x); }},
      peers::floor({F}, {{N, 6}}),
      {"eigh",
       [=]
       {
         const auto [l, V] = at::linalg_eigh(at::bmm(F.mT(), F));
         return sym_by_mm(at::bmm(V * at::log(l).mul_(0.5).unsqueeze(1), V.mT()));
       }},
  };
}

Peers
pushed_stress(Size N)
{
  const SR2 x = inputs(N).s;
  const R2 y = inputs(N).F;
  const at::Tensor s = x, F = y;
  const auto by_bmm = [](const at::Tensor & a, const at::Tensor & f)
  { return sym_by_mm(at::bmm(at::bmm(f, full_by_mm(a)), f.mT())); };
  const auto by_columns = [](const at::Tensor & a, const at::Tensor & f)
  {
    const auto columns = f.permute({1, 2, 0}).contiguous();
    const auto A = peers::full_matrix().t().mm(a.t()).view({3, 3, -1});
    const auto r =
        peers::column_product(peers::column_product(columns, A), columns.transpose(0, 1));
    return peers::sym_matrix().t().mm(r.view({9, -1})).t();
  };
  return {
      {"neml2", [=] { return push_forward(x, y); }},
      peers::floor({s, F}, {{N, 6}}),
      {"obvious",
       [=]
       { return peers::obvious_sym(at::matmul(at::matmul(F, peers::obvious_full(s)), F.mT())); }},
      {"mm bmm", [=] { return by_bmm(s, F); }},
      {"columns", [=] { return by_columns(s, F); }},
      {"columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 6}, 2048, {s, F}, [&](const auto & p) { return by_columns(p[0], p[1]); });
       }},
  };
}

/// Q_ab = F_ik F_jl + F_il F_jk of pairs a = ij and b = kl, up to factors: four selections of the
/// nine components of F, 9×144.
at::Tensor
mandel_map()
{
  constexpr double sqrt2 = 1.4142135623730951;
  constexpr int I[6] = {0, 1, 2, 1, 0, 0}, J[6] = {0, 1, 2, 2, 2, 1};
  std::vector<int64_t> ik, jl, il, jk;
  std::vector<double> first, second, one(36, 1.0);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
    {
      ik.push_back(3 * I[a] + I[b]);
      jl.push_back(3 * J[a] + J[b]);
      il.push_back(3 * I[a] + J[b]);
      jk.push_back(3 * J[a] + I[b]);
      first.push_back((a < 3) == (b < 3) ? 1 : sqrt2);
      second.push_back(a < 3 || b < 3 ? 0 : 1);
    }
  return at::cat({pick(9, ik, first), pick(9, jl, one), pick(9, il, second), pick(9, jk, one)}, 1);
}

Peers
pushed_stiffness(Size N)
{
  const SSR4 x = inputs(N).C;
  const R2 y = inputs(N).F;
  const at::Tensor C = x, F = y, map = mandel_map(), full = peers::full_matrix();
  const auto by_bmm = [=](const at::Tensor & c, const at::Tensor & f)
  {
    const auto q = f.reshape({-1, 9}).mm(map).chunk(4, 1);
    const auto Q = at::mul(q[0], q[1]).addcmul_(q[2], q[3]).view({-1, 6, 6});
    return at::bmm(at::bmm(Q, c), Q.mT());
  };
  const auto by_columns = [=](const at::Tensor & c, const at::Tensor & f)
  {
    const auto q = map.t().mm(f.reshape({-1, 9}).t()).chunk(4, 0);
    const auto Q = at::mul(q[0], q[1]).addcmul_(q[2], q[3]).view({6, 6, -1});
    const auto D = c.permute({1, 2, 0}).contiguous();
    return peers::column_product(peers::column_product(Q, D), Q.transpose(0, 1)).permute({2, 0, 1});
  };
  return {
      {"neml2", [=] { return push_forward(x, y); }},
      peers::floor({C, F}, {{N, 6, 6}}),
      {"obvious", // with all indices, F_im F_jn F_ko F_lp C_mnop, one after the other
       [=]
       {
         auto c = at::matmul(at::matmul(full.t(), C), full).view({N, 3, 3, 3, 3});
         c = at::einsum("nim,nmjkl->nijkl", {F, c});
         c = at::einsum("njm,nimkl->nijkl", {F, c});
         c = at::einsum("nkm,nijml->nijkl", {F, c});
         c = at::einsum("nlm,nijkm->nijkl", {F, c});
         return at::matmul(at::matmul(full, c.reshape({N, 9, 9})), full.t());
       }},
      {"mm bmm", [=] { return by_bmm(C, F); }},
      {"mm bmm chunks",
       [=]
       {
         return peers::chunks(
             {N, 6, 6}, 512, {C, F}, [&](const auto & p) { return by_bmm(p[0], p[1]); });
       }},
      {"columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 6, 6}, 512, {C, F}, [&](const auto & p) { return by_columns(p[0], p[1]); });
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("SR2 eigh", eigen, 100'000);
  peers::add("SR2 expm", exponential, 100'000);
  peers::add("SR2 logm", logarithm, 100'000);
  peers::add("SR2 sqrtm", root, 100'000);
  peers::add("SR2 dexpm", derivative_of_exponential, 10'000);
  peers::add("R2 polar_rotation", rotation_in_polar, 100'000);
  peers::add("R2 hencky_strain", strain, 100'000);
  peers::add("SR2 push_forward", pushed_stress);
  peers::add("SSR4 push_forward", pushed_stiffness, 100'000);
  return peers::run(argc, argv);
}
