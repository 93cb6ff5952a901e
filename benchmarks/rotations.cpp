// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Vec.h"

#include "support/compositions.h"
#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>

#include <map>

/// Rotations by modified Rodrigues parameters, and by matrices.
using namespace neml2;
using peers::column_product;
using peers::empty;
using peers::Peers;
using peers::pick;
using peers::rand;

namespace
{
struct Inputs
{
  SR2 s;    // (N; 6)
  Rot r, q; // (N; 3)
  R2 A;     // (N; 3, 3)
  Vec v;    // (N; 3)
};

const Inputs &
inputs(Size N)
{
  static std::map<Size, Inputs> all;
  auto & x = all[N];
  if (!x.s.defined())
    x = {SR2(rand({N, 6})),
         Rot(rand({N, 3}) * 0.6 - 0.3),
         Rot(rand({N, 3}) * 0.6),
         R2(rand({N, 3, 3})),
         Vec(rand({N, 3}))};
  return x;
}

/// The matrix of r by the formula as books print it, for a batch of any size.
at::Tensor
obvious_matrix(const at::Tensor & r)
{
  const auto c = r.unbind(-1);
  const auto zero = at::zeros_like(c[0]);
  const auto W = at::stack({zero, -c[2], c[1], c[2], zero, -c[0], -c[1], c[0], zero}, -1)
                     .unflatten(-1, {3, 3});
  const auto s = (r * r).sum(-1).unsqueeze(-1).unsqueeze(-1);
  return at::eye(3, r.options()) + (4 * (1 - s) * W + 8 * at::matmul(W, W)) / ((1 + s) * (1 + s));
}

/// The rotation matrix is a linear map of the products q_i q_j of the unit quaternion, 16×9.
at::Tensor
quaternion_map()
{
  at::Tensor K = at::zeros({16, 9}, at::kDouble);
  auto * const k = K.data_ptr<double>();
  const auto add = [&](int i, int j, int row, int col, double x)
  { k[9 * (4 * i + j) + 3 * row + col] += x; };
  for (int row = 0; row < 3; row++)
  {
    add(0, 0, row, row, 1);
    for (int i = 0; i < 3; i++)
      add(i + 1, i + 1, row, row, i == row ? 1 : -1);
    const int next = (row + 1) % 3, last = (row + 2) % 3;
    for (const int col : {next, last})
      add(row + 1, col + 1, row, col, 2);
    add(0, last + 1, row, next, -2);
    add(0, next + 1, row, last, 2);
  }
  return K;
}

/// Flat rotation matrices by one matrix product. (N, 3) -> (N, 9)
at::Tensor
matrix_by_mm(const at::Tensor & r, const at::Tensor & K)
{
  const auto s = (r * r).sum(-1, true);
  const auto q = at::cat({1 - s, 2 * r}, -1).div_(s + 1);
  return (q.unsqueeze(2) * q.unsqueeze(1)).view({-1, 16}).mm(K);
}

/// The same matrices in columns. (N, 3) -> (9, N)
at::Tensor
matrix_by_columns(const at::Tensor & r, const at::Tensor & Kt)
{
  const auto x = r.t().contiguous();
  const auto s = (x * x).sum(0, true);
  const auto q = at::cat({1 - s, 2 * x}, 0).div_(s + 1);
  return Kt.mm((q.unsqueeze(1) * q.unsqueeze(0)).view({16, -1}));
}

Peers
matrix(Size N)
{
  const Rot x = inputs(N).r;
  const at::Tensor r = x, K = quaternion_map(), Kt = K.t().contiguous();
  return {
      {"neml2", [=] { return euler_rodrigues(x); }},
      peers::floor({r}, {{N, 3, 3}}),
      {"hand",
       [=] {
         return hand::Loop<9, 3>::run({N, 3, 3}, hand::rotation_matrix, r);
       }},
      {"obvious", [=] { return obvious_matrix(r); }},
      {"cross",
       [=]
       {
         const auto s = (r * r).sum(-1).view({-1, 1, 1}), I = at::eye(3, r.options());
         const auto W = at::linalg_cross(r.unsqueeze(-1), I.unsqueeze(0), -2);
         return I + (4 * (1 - s) * W + 8 * at::bmm(W, W)).div_((1 + s).square());
       }},
      {"mm",
       [=] {
         return matrix_by_mm(r, K).view({N, 3, 3});
       }},
      {"mm columns",
       [=] {
         return matrix_by_columns(r, Kt).t().unflatten(1, {3, 3});
       }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks({N, 3, 3},
                              2048,
                              {r},
                              [&](const auto & p) {
                                return matrix_by_columns(p[0], Kt).t().unflatten(1, {3, 3});
                              });
       }},
  };
}

/// R s R^T with the matrix in columns, (9, N).
at::Tensor
rotate_columns(const at::Tensor & s,
               const at::Tensor & R,
               const at::Tensor & Ft,
               const at::Tensor & M)
{
  const auto r = R.view({3, 3, -1});
  const auto a = column_product(r, Ft.mm(s.t()).view({3, 3, -1}));
  return M.t().mm(column_product(a, r.transpose(0, 1)).view({9, -1})).t();
}

Peers
rotation(Size N)
{
  const SR2 x = inputs(N).s;
  const Rot y = inputs(N).r;
  const at::Tensor s = x, r = y, F = peers::full_matrix(), M = peers::sym_matrix(),
                   Ft = F.t().contiguous(), K = quaternion_map(), Kt = K.t().contiguous();
  return {
      {"neml2", [=] { return rotate(x, y); }},
      peers::floor({s, r}, {{N, 6}}),
      {"hand",
       [=] {
         return hand::Loop<6, 6, 3>::run({N, 6}, hand::rotate, s, r);
       }},
      {"obvious",
       [=]
       {
         const auto R = obvious_matrix(r);
         return peers::obvious_sym(at::matmul(at::matmul(R, peers::obvious_full(s)), R.mT()));
       }},
      {"mm bmm",
       [=]
       {
         const auto R = matrix_by_mm(r, K).view({N, 3, 3});
         return at::bmm(at::bmm(R, s.mm(F).view({N, 3, 3})), R.mT()).view({N, 9}).mm(M);
       }},
      {"mm columns", [=] { return rotate_columns(s, matrix_by_columns(r, Kt), Ft, M); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks({N, 6},
                              2048,
                              {s, r},
                              [&](const auto & p)
                              { return rotate_columns(p[0], matrix_by_columns(p[1], Kt), Ft, M); });
       }},
  };
}

Peers
rotation_by_matrix(Size N)
{
  const SR2 x = inputs(N).s;
  const R2 y = inputs(N).A;
  const at::Tensor s = x, R = y, F = peers::full_matrix(), M = peers::sym_matrix(),
                   Ft = F.t().contiguous();
  const auto columns = [=](const at::Tensor & a, const at::Tensor & b) {
    return rotate_columns(a, b.reshape({-1, 9}).t().contiguous(), Ft, M);
  };
  return {
      {"neml2", [=] { return rotate(x, y); }},
      peers::floor({s, R}, {{N, 6}}),
      {"hand",
       [=] {
         return hand::Loop<6, 6, 9>::run({N, 6}, hand::rotate_by_matrix, s, R);
       }},
      {"obvious",
       [=]
       { return peers::obvious_sym(at::matmul(at::matmul(R, peers::obvious_full(s)), R.mT())); }},
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
      {"mm columns", [=] { return columns(s, R); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 6}, 2048, {s, R}, [&](const auto & p) { return columns(p[0], p[1]); });
       }},
  };
}

/// Q_ab = R_ik R_jl + R_il R_jk of pairs a = ij and b = kl, up to factors: four selections of the
/// nine components of R, 9×144. Q is the product of the first two selections plus the product of
/// the other two.
at::Tensor
mandel_map()
{
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
      first.push_back(a < 3 && b < 3 ? 1 : a < 3 ? sqrt2 : b < 3 ? sqrt2 : 1);
      second.push_back(b < 3 ? 0 : a < 3 ? 0 : 1);
    }
  return at::cat({pick(9, ik, first), pick(9, jl, one), pick(9, il, second), pick(9, jk, one)}, 1);
}

Peers
stiffness_rotation(Size N)
{
  static std::map<Size, SSR4> all;
  auto & stiffness = all[N];
  if (!stiffness.defined())
    stiffness = SSR4(rand({N, 6, 6}));
  const SSR4 x = stiffness;
  const Rot y = inputs(N).r;
  const at::Tensor C = x, r = y, K = quaternion_map(), Kt = K.t().contiguous(), Q9 = mandel_map(),
                   Q9t = Q9.t().contiguous(), F = peers::full_matrix();
  at::Tensor t = empty({N, 6, 6}), out = empty({N, 6, 6});
  const auto by_bmm = [=](const at::Tensor & a, const at::Tensor & b)
  {
    const auto q = matrix_by_mm(b, K).mm(Q9).chunk(4, 1);
    const auto Q = at::mul(q[0], q[1]).addcmul_(q[2], q[3]).view({-1, 6, 6});
    return at::bmm(at::bmm(Q, a), Q.mT());
  };
  const auto by_columns = [=](const at::Tensor & a, const at::Tensor & b)
  {
    const auto q = Q9t.mm(matrix_by_columns(b, Kt)).chunk(4, 0);
    const auto Q = at::mul(q[0], q[1]).addcmul_(q[2], q[3]).view({6, 6, -1});
    return column_product(column_product(Q, a.permute({1, 2, 0}).contiguous()), Q.transpose(0, 1))
        .permute({2, 0, 1});
  };
  return {
      {"neml2", [=] { return rotate(x, y); }},
      peers::floor({C, r}, {{N, 6, 6}}),
      {"hand",
       [=] {
         return hand::Loop<36, 36, 3>::run({N, 6, 6}, hand::rotate_6x6, C, r);
       }},
      {"obvious", // with all indices, R_im R_jn R_ko R_lp C_mnop, one after the other
       [=]
       {
         const auto R = obvious_matrix(r);
         auto c = at::matmul(at::matmul(F.t(), C), F).view({N, 3, 3, 3, 3});
         c = at::einsum("nim,nmjkl->nijkl", {R, c});
         c = at::einsum("njm,nimkl->nijkl", {R, c});
         c = at::einsum("nkm,nijml->nijkl", {R, c});
         c = at::einsum("nlm,nijkm->nijkl", {R, c});
         return at::matmul(at::matmul(F, c.reshape({N, 9, 9})), F.t());
       }},
      {"mm bmm", [=] { return by_bmm(C, r); }},
      {"mm bmm out=",
       [=]() mutable
       {
         const auto q = matrix_by_mm(r, K).mm(Q9).chunk(4, 1);
         const auto Q = at::mul(q[0], q[1]).addcmul_(q[2], q[3]).view({-1, 6, 6});
         at::bmm_out(t, Q, C);
         return at::bmm_out(out, t, Q.mT());
       }},
      {"mm bmm chunks",
       [=]
       {
         return peers::chunks(
             {N, 6, 6}, 512, {C, r}, [&](const auto & p) { return by_bmm(p[0], p[1]); });
       }},
      {"columns", [=] { return by_columns(C, r); }},
      {"columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 6, 6}, 512, {C, r}, [&](const auto & p) { return by_columns(p[0], p[1]); });
       }},
  };
}

/// ∂R_ij/∂r_k by the formula as books print it, term by term.
at::Tensor
obvious_derivative(const at::Tensor & r)
{
  const at::Tensor e = R3::levi_civita(), W = -at::einsum("ijk,nk->nij", {e, r}),
                   WW = at::matmul(W, W), s = (r * r).sum(-1).view({-1, 1, 1, 1}), d = 1 + s,
                   rk = r.view({-1, 1, 1, 3});
  const auto pairs = at::einsum("kim,nmj->nijk", {e, W}) + at::einsum("nim,kmj->nijk", {W, e});
  return 8 * (s - 3) / d.pow(3) * W.unsqueeze(-1) * rk - 32 / d.pow(3) * WW.unsqueeze(-1) * rk -
         4 * (1 - s) / d.square() * at::einsum("kij->ijk", {e}) - 8 / d.square() * pairs;
}

/// The spin by the rate of r, a linear map of the products of (1, q), q the unit quaternion: 25×9.
at::Tensor
spin_map()
{
  at::Tensor K = at::zeros({25, 9}, at::kDouble);
  auto * const k = K.data_ptr<double>();
  const auto add = [&](int i, int j, int row, int col, double x)
  { k[9 * (5 * i + j) + 3 * row + col] += x; };
  for (int row = 0; row < 3; row++)
  {
    const int next = (row + 1) % 3, last = (row + 2) % 3;
    for (int one_or_q0 = 0; one_or_q0 < 2; one_or_q0++)
    {
      add(one_or_q0, 1, row, row, 2);
      add(one_or_q0, 2 + last, row, next, -2);
      add(one_or_q0, 2 + next, row, last, 2);
    }
    for (int col = 0; col < 3; col++)
      add(2 + row, 2 + col, row, col, 2);
  }
  return K;
}

/// Derivatives of rotated tensors: the turned components times the spin, by matrix products.
class DerivativeInColumns
{
public:
  /// From the derivatives of a basis at the identity, where the spin is four times the rate of r: (n;
  /// m, 3).
  explicit DerivativeInColumns(const at::Tensor & at_identity)
    : _turn((at_identity.flatten(1) / 4).t().contiguous()), _shape(at_identity.sizes().vec())
  {
  }

  /// The derivative of turned components in columns, (n, N), by r, (N, 3). -> (N, m, 3)
  at::Tensor operator()(const at::Tensor & turned, const at::Tensor & r) const
  {
    const auto x = r.t().contiguous(), one = at::ones({1, r.size(0)}, at::kDouble);
    const auto s = (x * x).sum(0, true);
    const auto q = at::cat({one, at::cat({1 - s, 2 * x}, 0).div_(s + 1)}, 0);
    const auto J = _spin.mm((q.unsqueeze(1) * q.unsqueeze(0)).view({25, -1})).view({3, 3, -1});
    const auto L = _turn.mm(turned).view({-1, 3, r.size(0)});
    auto d = L.select(1, 0).unsqueeze(1) * J.select(0, 0);
    for (int l = 1; l < 3; l++)
      d.addcmul_(L.select(1, l).unsqueeze(1), J.select(0, l));
    auto shape = _shape;
    shape.erase(shape.begin());
    return d.permute({2, 0, 1}).unflatten(1, at::IntArrayRef(shape).slice(0, shape.size() - 1));
  }

private:
  at::Tensor _turn, _spin = spin_map().t().contiguous();
  std::vector<int64_t> _shape;
};

Peers
vector_derivative(Size N)
{
  const Vec x = inputs(N).v;
  const Rot y = inputs(N).r;
  const at::Tensor v = x, r = y, K = quaternion_map(), Kt = K.t().contiguous();
  const DerivativeInColumns derivative(Vec(at::eye(3, at::kDouble)).drotate(Rot::zeros({3})));
  const auto columns = [=](const at::Tensor & a, const at::Tensor & b)
  {
    const auto R = matrix_by_columns(b, Kt).view({3, 3, -1});
    return derivative((R * a.t().unsqueeze(0)).sum(1), b);
  };
  return {
      {"neml2", [=] { return drotate(x, y); }},
      peers::floor({v, r}, {{N, 3, 3}}),
      {"hand",
       [=] {
         return hand::Loop<9, 3, 3>::run({N, 3, 3}, hand::drotate_vector, v, r);
       }},
      {"obvious",
       [=] {
         return at::einsum("nijk,nj->nik", {obvious_derivative(r), v});
       }},
      {"mm columns", [=] { return columns(v, r); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 3, 3}, 2048, {v, r}, [&](const auto & p) { return columns(p[0], p[1]); });
       }},
  };
}

Peers
matrix_derivative(Size N)
{
  const R2 x = inputs(N).A;
  const Rot y = inputs(N).r;
  const at::Tensor A = x, r = y, K = quaternion_map(), Kt = K.t().contiguous();
  const auto basis = R2(at::eye(9, at::kDouble).view({9, 3, 3}));
  const DerivativeInColumns derivative(basis.drotate(Rot::zeros({9})));
  const auto columns = [=](const at::Tensor & a, const at::Tensor & b)
  {
    const auto R = matrix_by_columns(b, Kt).view({3, 3, -1});
    const auto turned =
        column_product(column_product(R, a.permute({1, 2, 0}).contiguous()), R.transpose(0, 1));
    return derivative(turned.view({9, -1}), b);
  };
  return {
      {"neml2", [=] { return drotate(x, y); }},
      peers::floor({A, r}, {{N, 3, 3, 3}}),
      {"hand",
       [=] {
         return hand::Loop<27, 9, 3>::run({N, 3, 3, 3}, hand::drotate_matrix, A, r);
       }},
      {"obvious",
       [=]
       {
         const auto F = obvious_derivative(r), R = obvious_matrix(r);
         return at::einsum("nilk,nlj->nijk", {F, at::matmul(A, R.mT())}) +
                at::einsum("nim,njmk->nijk", {at::matmul(R, A), F});
       }},
      {"mm columns", [=] { return columns(A, r); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 3, 3, 3}, 1024, {A, r}, [&](const auto & p) { return columns(p[0], p[1]); });
       }},
  };
}

Peers
symmetric_derivative(Size N)
{
  const SR2 x = inputs(N).s;
  const Rot y = inputs(N).r;
  const at::Tensor s = x, r = y, F = peers::full_matrix(), M = peers::sym_matrix(),
                   Ft = F.t().contiguous(), K = quaternion_map(), Kt = K.t().contiguous();
  const DerivativeInColumns derivative(SR2(at::eye(6, at::kDouble)).drotate(Rot::zeros({6})));
  const auto columns = [=](const at::Tensor & a, const at::Tensor & b)
  { return derivative(rotate_columns(a, matrix_by_columns(b, Kt), Ft, M).t(), b); };
  return {
      {"neml2", [=] { return drotate(x, y); }},
      peers::floor({s, r}, {{N, 6, 3}}),
      {"hand",
       [=] {
         return hand::Loop<18, 6, 3>::run({N, 6, 3}, hand::drotate_symmetric, s, r);
       }},
      {"obvious",
       [=]
       {
         const auto R = obvious_matrix(r);
         const auto half = at::einsum(
             "nilk,nlj->nkij", {obvious_derivative(r), at::matmul(peers::obvious_full(s), R.mT())});
         return peers::obvious_sym(half + half.mT()).mT();
       }},
      {"mm columns", [=] { return columns(s, r); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 6, 3}, 1024, {s, r}, [&](const auto & p) { return columns(p[0], p[1]); });
       }},
  };
}

/// Numerator and denominator of a * b are a linear map of the products of (1, a, a·a) and (1, b, b·b),
/// 25×4.
at::Tensor
composition_map()
{
  at::Tensor K = at::zeros({25, 4}, at::kDouble);
  auto * const k = K.data_ptr<double>();
  const auto add = [&](int i, int j, int result, double x) { k[4 * (5 * i + j) + result] += x; };
  for (int i = 0; i < 3; i++)
  {
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    add(1 + i, 0, i, 1);
    add(1 + i, 4, i, -1);
    add(0, 1 + i, i, 1);
    add(4, 1 + i, i, -1);
    add(1 + next, 1 + last, i, 2);
    add(1 + last, 1 + next, i, -2);
    add(1 + i, 1 + i, 3, -2);
  }
  add(0, 0, 3, 1);
  add(4, 4, 3, 1);
  return K;
}

Peers
composition(Size N)
{
  const Rot x = inputs(N).r, y = inputs(N).q;
  const at::Tensor a = x, b = y, K = composition_map(), Kt = K.t().contiguous();
  const auto columns = [](const at::Tensor & c, const at::Tensor & d)
  {
    const auto p = c.t().contiguous(), q = d.t().contiguous();
    const auto s = (p * p).sum(0), t = (q * q).sum(0), dot = (p * q).sum(0);
    auto r = at::linalg_cross(p, q, 0).mul_(2);
    r.addcmul_(p, 1 - t).addcmul_(q, 1 - s);
    return r.div_(at::addcmul(1 - 2 * dot, s, t)).t();
  };
  const auto mm_columns = [=](const at::Tensor & c, const at::Tensor & d)
  {
    const auto one = at::ones({1, c.size(0)}, at::kDouble);
    const auto monomials = [&](const at::Tensor & x_)
    {
      const auto p = x_.t().contiguous();
      return at::cat({one, p, (p * p).sum(0, true)}, 0);
    };
    const auto v = Kt.mm((monomials(c).unsqueeze(1) * monomials(d).unsqueeze(0)).view({25, -1}));
    return v.slice(0, 0, 3).div(v.select(0, 3)).t();
  };
  return {
      {"neml2", [=] { return x * y; }},
      peers::floor({a, b}, {{N, 3}}),
      {"hand",
       [=] {
         return hand::Loop<3, 3, 3>::run({N, 3}, hand::compose, a, b);
       }},
      {"obvious",
       [=]
       {
         const auto s = (a * a).sum(-1, true), t = (b * b).sum(-1, true), d = (a * b).sum(-1, true);
         return ((1 - t) * a + (1 - s) * b + 2 * at::linalg_cross(a, b)) / (1 + s * t - 2 * d);
       }},
      {"in place",
       [=]
       {
         const auto s = at::linalg_vecdot(a, a).unsqueeze(-1),
                    t = at::linalg_vecdot(b, b).unsqueeze(-1),
                    d = at::linalg_vecdot(a, b).unsqueeze(-1);
         auto r = at::linalg_cross(a, b).mul_(2).add_(a).add_(b);
         r.addcmul_(a, t, -1).addcmul_(b, s, -1);
         return r.div_(d.mul_(-2).add_(1).addcmul_(s, t));
       }},
      {"mm",
       [=]
       {
         const auto one = at::ones({N, 1}, at::kDouble);
         const auto p = at::cat({one, a, (a * a).sum(-1, true)}, 1),
                    q = at::cat({one, b, (b * b).sum(-1, true)}, 1);
         const auto v = (p.unsqueeze(2) * q.unsqueeze(1)).view({N, 25}).mm(K);
         return v.slice(1, 0, 3) / v.slice(1, 3);
       }},
      {"columns", [=] { return columns(a, b); }},
      {"columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 3}, 2048, {a, b}, [&](const auto & p) { return columns(p[0], p[1]); });
       }},
      {"mm columns", [=] { return mm_columns(a, b); }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks(
             {N, 3}, 2048, {a, b}, [&](const auto & p) { return mm_columns(p[0], p[1]); });
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("Rot to matrix", matrix);
  peers::add("SR2 rotate by R2", rotation_by_matrix);
  peers::add("SR2 rotate by Rot", rotation);
  peers::add("SSR4 rotate by Rot", stiffness_rotation, 100'000);
  peers::add("Rot * Rot", composition);
  peers::add("Vec drotate by Rot", vector_derivative);
  peers::add("R2 drotate by Rot", matrix_derivative, 100'000);
  peers::add("SR2 drotate by Rot", symmetric_derivative);
  return peers::run(argc, argv);
}
