// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include "support/compositions.h"
#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>

#include <map>

/// Operations with little arithmetic: sums, and scalar functions of one symmetric tensor.
using namespace neml2;
using peers::empty;
using peers::Peers;
using peers::rand;

namespace
{
struct Inputs
{
  SR2 s, t;          // (N; 6)
  Scalar a;          // (N; )
  SR2 rows, columns; // (M, 1; 6) and (K; 6), K up to 100, M K = N
  SR2 f;             // (N; 6), float32
};

const Inputs &
inputs(Size N)
{
  static std::map<Size, Inputs> all;
  auto & x = all[N];
  const Size K = std::min<Size>(N, 100);
  if (!x.s.defined())
  {
    x = {SR2(rand({N, 6})),
         SR2(rand({N, 6})),
         Scalar(rand({N})),
         SR2(rand({N / K, 1, 6})),
         SR2(rand({K, 6})),
         SR2()};
    x.f = SR2(x.s.to(at::kFloat));
  }
  return x;
}

Peers
sum(Size N)
{
  const SR2 x = inputs(N).s, y = inputs(N).t;
  at::Tensor s = x, t = y, out = empty({N, 6});
  return {
      {"neml2", [=] { return x + y; }},
      peers::floor({s, t}, {{N, 6}}),
      {"hand",
       [=]
       {
         const auto add = [](const double * a, const double * b, double * r)
         {
           for (int k = 0; k < 6; k++)
             r[k] = a[k] + b[k];
         };
         return hand::Loop<6, 6, 6>::run({N, 6}, add, s, t);
       }},
      {"obvious", [=] { return s + t; }},
      {"add out=", [=]() mutable { return at::add_out(out, s, t); }},
  };
}

/// The layout in memory with the components outermost.
Peers
column_sum(Size N)
{
  const at::Tensor s = at::rand({6, N}, at::kDouble).t(), t = at::rand({6, N}, at::kDouble).t();
  const SR2 x(s), y(t);
  return {{"neml2", [=] { return x + y; }},
          peers::floor({s.t(), t.t()}, {{N, 6}}),
          {"obvious", [=] { return s + t; }}};
}

Peers
deviator_of_columns(Size N)
{
  const at::Tensor s = at::rand({6, N}, at::kDouble).t(), P = peers::dev_matrix();
  const SR2 x(s);
  return {{"neml2", [=] { return dev(x); }},
          peers::floor({s.t()}, {{N, 6}}),
          {"obvious", [=] { return s.mm(P); }},
          {"mm columns", [=] { return P.mm(s.t()).t(); }}};
}

Peers
contraction_of_columns(Size N)
{
  const at::Tensor s = at::rand({6, N}, at::kDouble).t(), t = at::rand({6, N}, at::kDouble).t();
  const SR2 x(s), y(t);
  return {
      {"neml2", [=] { return inner(x, y); }},
      peers::floor({s.t(), t.t()}, {{N}}),
      {"obvious", [=] { return (s * t).sum(-1); }},
      {"vecdot", [=] { return at::linalg_vecdot(s, t); }},
      {"columns chunks", [=] {
         return peers::chunks(
             {N}, 4096, {s, t}, [&](const auto & p) { return (p[0] * p[1]).sum(-1); });
       }}};
}

Peers
broadcast_sum(Size N)
{
  const SR2 x = inputs(N).rows, y = inputs(N).columns;
  const Size M = x.size(0), K = y.size(0);
  at::Tensor s = x, t = y, out = empty({M, K, 6});
  return {
      {"neml2", [=] { return x + y; }},
      peers::floor({s}, {{M, K, 6}}),
      {"hand",
       [=]
       {
         const double * const b = t.data_ptr<double>();
         const auto add = [=](const double * a, double * r)
         {
           for (Size j = 0; j < K; j++)
             for (int k = 0; k < 6; k++)
               r[6 * j + k] = a[k] + b[6 * j + k];
         };
         at::Tensor result = empty({M, K, 6});
         const double * const a = s.data_ptr<double>();
         double * const r = result.data_ptr<double>();
         at::parallel_for(0,
                          M,
                          20,
                          [=](Size begin, Size end)
                          {
                            for (Size i = begin; i < end; i++)
                              add(a + 6 * i, r + 6 * K * i);
                          });
         return result;
       }},
      {"obvious", [=] { return s + t; }},
      {"add out=", [=]() mutable { return at::add_out(out, s, t); }},
      {"flat", // two dimensions instead of three
       [=] {
         return (s.repeat({1, 1, K}).view({M, 6 * K}) + t.view({6 * K})).view({M, K, 6});
       }},
      {"mm",
       [=]
       {
         const at::Tensor I = at::eye(6, at::kDouble).repeat({1, K});
         return at::addmm(t.view({6 * K}), s.view({M, 6}), I).view({M, K, 6});
       }},
  };
}

Peers
scaled(Size N)
{
  const SR2 x = inputs(N).s;
  const Scalar y = inputs(N).a;
  at::Tensor s = x, a = y, out = empty({N, 6});
  return {
      {"neml2", [=] { return y * x; }},
      peers::floor({a, s}, {{N, 6}}),
      {"hand",
       [=]
       {
         const auto scale = [](const double * c, const double * b, double * r)
         {
           for (int k = 0; k < 6; k++)
             r[k] = *c * b[k];
         };
         return hand::Loop<6, 1, 6>::run({N, 6}, scale, a, s);
       }},
      {"obvious", [=] { return a.unsqueeze(-1) * s; }},
      {"mul out=", [=]() mutable { return at::mul_out(out, a.unsqueeze(-1), s); }},
      {"columns", [=] { return (s.t() * a).t(); }},
      {"einsum",
       [=] {
         return at::einsum("n,ni->ni", {a, s});
       }},
  };
}

Peers
trace(Size N)
{
  const SR2 x = inputs(N).s;
  at::Tensor s = x, w = at::tensor({1., 1., 1., 0., 0., 0.}, at::kDouble), out = empty({N});
  return {
      {"neml2", [=] { return tr(x); }},
      peers::floor({s}, {{N}}),
      {"hand",
       [=]
       {
         const auto f = [](const double * a, double * r) { *r = a[0] + a[1] + a[2]; };
         return hand::Loop<1, 6>::run({N}, f, s);
       }},
      {"obvious", [=] { return s.slice(-1, 0, 3).sum(-1); }},
      {"sum out=", [=]() mutable { return at::sum_out(out, s.slice(-1, 0, 3), -1); }},
      {"mv", [=] { return s.mv(w); }},
      {"mv out=", [=]() mutable { return at::mv_out(out, s, w); }},
      {"mm columns",
       [=] {
         return w.view({1, 6}).mm(s.t()).view({N});
       }},
      {"select", [=] { return (s.select(1, 0) + s.select(1, 1)).add_(s.select(1, 2)); }},
      {"select out=",
       [=]() mutable
       { return at::add_out(out, s.select(1, 0), s.select(1, 1)).add_(s.select(1, 2)); }},
  };
}

/// The same operation in float64 or float32.
template <class T>
Peers
deviator(const SR2 & x)
{
  const Size N = x.size(0);
  at::Tensor s = x, P = peers::dev_matrix().to(s.scalar_type()),
             out = empty({N, 6}, s.scalar_type());
  return {
      {"neml2", [=] { return dev(x); }},
      peers::floor({s}, {{N, 6}}),
      {"hand",
       [=]
       {
         return hand::Loop<6, 6>::run<T>(
             {N, 6}, [](const T * a, T * r) { hand::dev(a, r); }, s);
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
      peers::floor({s, t}, {{N}}),
      {"hand",
       [=]
       {
         const auto f = [](const double * a, const double * b, double * r)
         { *r = hand::inner(a, b); };
         return hand::Loop<1, 6, 6>::run({N}, f, s, t);
       }},
      {"obvious", [=] { return (s * t).sum(-1); }},
      {"vecdot", [=] { return at::linalg_vecdot(s, t); }},
      {"einsum",
       [=] {
         return at::einsum("ni,ni->n", {s, t});
       }},
      {"bmm", [=] { return at::bmm(s.unsqueeze(1), t.unsqueeze(2)).view({N}); }},
      {"mul mv", [=] { return (s * t).mv(ones); }},
      {"mul mv out=", [=]() mutable { return at::mv_out(out, at::mul_out(tmp, s, t), ones); }},
      {"mul mv chunks",
       [=]
       {
         return peers::chunks(
             {N}, 4096, {s, t}, [&](const auto & p) { return (p[0] * p[1]).mv(ones); });
       }},
  };
}

Peers
frobenius_norm(Size N)
{
  const SR2 x = inputs(N).s;
  at::Tensor s = x, ones = at::ones({6}, at::kDouble), tmp = empty({N, 6}), out = empty({N});
  return {
      {"neml2", [=] { return norm(x); }},
      peers::floor({s}, {{N}}),
      {"hand",
       [=]
       {
         const auto f = [](const double * a, double * r) { *r = std::sqrt(hand::inner(a, a)); };
         return hand::Loop<1, 6>::run({N}, f, s);
       }},
      {"obvious", [=] { return (s * s).sum(-1).sqrt(); }},
      {"vector_norm", [=] { return at::linalg_vector_norm(s, 2, {-1}); }},
      {"vector_norm out=", [=]() mutable { return at::linalg_vector_norm_out(out, s, 2, {-1}); }},
      {"mul mv", [=] { return (s * s).mv(ones).sqrt_(); }},
      {"mul mv out=",
       [=]() mutable { return at::mv_out(out, at::mul_out(tmp, s, s), ones).sqrt_(); }},
      {"mul mv chunks",
       [=]
       {
         return peers::chunks(
             {N}, 4096, {s}, [&](const auto & p) { return (p[0] * p[0]).mv(ones).sqrt_(); });
       }},
  };
}

constexpr auto von_mises_of = [](const auto & s) { return std::sqrt(1.5) * norm(dev(s)); };

Peers
von_mises(Size N)
{
  const SR2 x = inputs(N).s;
  at::Tensor s = x, out = empty({N}), tmp = empty({N, 5}), ones = at::ones({5}, at::kDouble);
  const at::Tensor B = peers::dev_basis() * std::sqrt(1.5), Bt = B.t().contiguous();
  return {
      {"neml2", [=] { return vmap(von_mises_of, x); }},
      {"neml2 op by op", [=] { return von_mises_of(x); }},
      peers::floor({s}, {{N}}),
      {"hand",
       [=]
       {
         const auto f = [](const double * a, double * r) { *r = hand::von_mises(a); };
         return hand::Loop<1, 6>::run({N}, f, s);
       }},
      {"obvious",
       [=]
       {
         const auto normal = s.slice(-1, 0, 3);
         const auto mean = normal.mean(-1, true).expand_as(normal);
         const auto d = s - at::cat({mean, at::zeros_like(normal)}, -1);
         return (1.5 * (d * d).sum(-1)).sqrt();
       }},
      {"mm norm", [=] { return at::linalg_vector_norm(s.mm(B), 2, {-1}); }},
      {"mm norm out=",
       [=]() mutable { return at::linalg_vector_norm_out(out, at::mm_out(tmp, s, B), 2, {-1}); }},
      {"mm columns norm",
       [=] { return at::linalg_vector_norm(Bt.mm(s.t()), 2, at::IntArrayRef(0)); }},
      {"mm columns mul",
       [=]
       {
         const auto d = Bt.mm(s.t());
         return ones.view({1, 5}).mm(d.mul_(d)).view({N}).sqrt_();
       }},
      {"mm mul mv out=",
       [=]() mutable
       {
         at::mm_out(tmp, s, B);
         return at::mv_out(out, tmp.mul_(tmp), ones).sqrt_();
       }},
      {"mm columns chunks",
       [=]
       {
         return peers::chunks({N},
                              4096,
                              {s},
                              [&](const auto & p)
                              {
                                const auto d = Bt.mm(p[0].t());
                                return ones.view({1, 5}).mm(d.mul_(d)).view({-1}).sqrt_();
                              });
       }},
  };
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("SR2 + SR2", sum);
  peers::add("SR2 + SR2 columns", column_sum);
  peers::add("SR2 dev columns", deviator_of_columns);
  peers::add("SR2 inner columns", contraction_of_columns);
  peers::add("SR2 + SR2 broadcast", broadcast_sum);
  peers::add("Scalar * SR2", scaled);
  peers::add("SR2 tr", trace);
  peers::add("SR2 dev", [](Size N) { return deviator<double>(inputs(N).s); });
  peers::add("SR2 dev float", [](Size N) { return deviator<float>(inputs(N).f); });
  peers::add("SR2 inner", double_contraction);
  peers::add("SR2 norm", frobenius_norm);
  peers::add("von Mises", von_mises);
  return peers::run(argc, argv);
}
