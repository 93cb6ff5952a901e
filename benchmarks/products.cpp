// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"

#include "support/compositions.h"
#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>

#include <map>

/// Products of matrices: stiffness and strain, stiffness and stiffness, R2 and R2.
using namespace neml2;
using peers::empty;
using peers::Peers;
using peers::rand;

namespace
{
struct Inputs
{
  SSR4 C, C2;    // (; 6, 6), (2; 6, 6)
  SR2 s, strain; // (N; 6), (N, 2; 6)
  R2 A, B;       // (N; 3, 3)
  SSR4 f_C;      // float32
  SR2 f_s;
};

const Inputs &
inputs(Size N)
{
  static std::map<Size, Inputs> all;
  auto & x = all[N];
  if (!x.C.defined())
  {
    x.C = SSR4(rand({6, 6}));
    x.C2 = SSR4(rand({2, 6, 6}));
    x.s = SR2(rand({N, 6}));
    x.strain = SR2(rand({N, 2, 6}));
    x.A = R2(rand({N, 3, 3}));
    x.B = R2(rand({N, 3, 3}));
    x.f_C = SSR4(x.C.to(at::kFloat));
    x.f_s = SR2(x.s.to(at::kFloat));
  }
  return x;
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
      peers::floor({e}, {{N, 2, 6}}),
      {"hand",
       [=]
       {
         const double * const c = C.data_ptr<double>();
         const auto f = [=](const double * a, double * r)
         {
           hand::multiply(c, a, r);
           hand::multiply(c + 36, a + 6, r + 6);
         };
         return hand::Loop<12, 12>::run({N, 2, 6}, f, e);
       }},
      {"obvious", [=] { return at::matmul(C, e.unsqueeze(-1)).squeeze(-1); }},
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
      {"bmm columns",
       [=] {
         return at::bmm(C, e.permute({1, 2, 0})).permute({2, 0, 1});
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
      {"mm block-diagonal columns",
       [=] {
         return at::block_diag({C[0], C[1]}).mm(e.view({N, 12}).t()).t().unflatten(1, {2, 6});
       }},
  };
}

/// One C for all points, in float64 or float32.
template <class T>
Peers
shared_product(const SSR4 & stiffness, const SR2 & strain)
{
  const Size N = strain.size(0);
  at::Tensor C = stiffness, e = strain, out = empty({N, 6}, e.scalar_type());
  return {
      {"neml2", [=] { return stiffness * strain; }},
      peers::floor({e}, {{N, 6}}),
      {"hand",
       [=]
       {
         const T * const c = C.data_ptr<T>();
         const auto f = [=](const T * a, T * r) { hand::multiply(c, a, r); };
         return hand::Loop<6, 6>::run<T>({N, 6}, f, e);
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

/// A product of two batches of n×n matrices, into fresh or preallocated memory, and in columns.
std::vector<peers::Peer>
products(const at::Tensor & A, const at::Tensor & B)
{
  const Size N = A.size(0), n = A.size(1);
  at::Tensor out = empty({N, n, n});
  const auto columns = [](const at::Tensor & a, const at::Tensor & b)
  {
    return peers::column_product(a.permute({1, 2, 0}).contiguous(),
                                 b.permute({1, 2, 0}).contiguous())
        .permute({2, 0, 1});
  };
  return {
      {"obvious", [=] { return at::matmul(A, B); }},
      {"einsum",
       [=] {
         return at::einsum("nij,njk->nik", {A, B});
       }},
      {"bmm out=", [=]() mutable { return at::bmm_out(out, A, B); }},
      {"columns", [=] { return columns(A, B); }},
      {"columns chunks",
       [=]
       {
         return peers::chunks(
             {N, n, n}, 1024, {A, B}, [&](const auto & p) { return columns(p[0], p[1]); });
       }},
  };
}

Peers
operator+(Peers a, const Peers & b)
{
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Peers
matrix_product(Size N)
{
  const R2 x = inputs(N).A, y = inputs(N).B;
  const at::Tensor A = x, B = y;
  return Peers{{"neml2", [=] { return x * y; }},
               peers::floor({A, B}, {{N, 3, 3}}),
               {"hand",
                [=]
                {
                  const auto f = [](const double * a, const double * b, double * r)
                  { hand::multiply_square<3>(a, b, r); };
                  return hand::Loop<9, 9, 9>::run({N, 3, 3}, f, A, B);
                }}} +
         products(A, B);
}

Peers
stiffness_product(Size N)
{
  static std::map<Size, std::pair<SSR4, SSR4>> all;
  auto & operands = all[N];
  if (!operands.first.defined())
    operands = {SSR4(rand({N, 6, 6})), SSR4(rand({N, 6, 6}))};
  const SSR4 x = operands.first, y = operands.second;
  const at::Tensor A = x, B = y;
  return Peers{{"neml2", [=] { return x * y; }},
               peers::floor({A, B}, {{N, 6, 6}}),
               {"hand",
                [=]
                {
                  const auto f = [](const double * a, const double * b, double * r)
                  { hand::multiply_square<6>(a, b, r); };
                  return hand::Loop<36, 36, 36>::run({N, 6, 6}, f, A, B);
                }}} +
         products(A, B);
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("C(2) * strain", tutorial_product);
  peers::add("C * strain", [](Size N) { return shared_product<double>(inputs(N).C, inputs(N).s); });
  peers::add("C * strain float",
             [](Size N) { return shared_product<float>(inputs(N).f_C, inputs(N).f_s); });
  peers::add("R2 * R2", matrix_product);
  peers::add("SSR4 * SSR4", stiffness_product, 100'000);
  return peers::run(argc, argv);
}
