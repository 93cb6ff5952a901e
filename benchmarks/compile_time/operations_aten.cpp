// SPDX-License-Identifier: MIT
#define AT_PER_OPERATOR_HEADERS
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_vecdot.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

/// The ten operations of operations_neml2.cpp, written as short as possible.
using at::Tensor;

Tensor
product(const Tensor & C, const Tensor & e)
{
  return at::matmul(C, e.unsqueeze(-1)).squeeze(-1);
}
Tensor
deviator(const Tensor & s)
{
  const Tensor normal = s.slice(-1, 0, 3), mean = normal.mean(-1, true).expand_as(normal);
  return s - at::cat({mean, at::zeros_like(normal)}, -1);
}
Tensor
length(const Tensor & s)
{
  return at::linalg_vector_norm(s, 2, at::IntArrayRef(-1));
}
Tensor
full(const Tensor & s)
{
  const Tensor s12 = s.select(-1, 3) / 1.4142135623730951,
               s02 = s.select(-1, 4) / 1.4142135623730951,
               s01 = s.select(-1, 5) / 1.4142135623730951;
  return at::stack(
             {s.select(-1, 0), s01, s02, s01, s.select(-1, 1), s12, s02, s12, s.select(-1, 2)}, -1)
      .unflatten(-1, at::IntArrayRef({3, 3}));
}
Tensor
turned(const Tensor & s, const Tensor & R)
{
  const Tensor t = at::matmul(at::matmul(R, full(s)), R.mT());
  const auto a = [&](int i, int j) { return t.select(-2, i).select(-1, j); };
  return at::stack({a(0, 0),
                    a(1, 1),
                    a(2, 2),
                    a(1, 2) * 1.4142135623730951,
                    a(0, 2) * 1.4142135623730951,
                    a(0, 1) * 1.4142135623730951},
                   -1);
}
Tensor
contraction(const Tensor & s, const Tensor & t)
{
  return at::linalg_vecdot(s, t);
}
Tensor
inverse(const Tensor & A)
{
  return at::linalg_inv(A);
}
Tensor
image(const Tensor & A, const Tensor & v)
{
  return at::matmul(A, v.unsqueeze(-1)).squeeze(-1);
}
Tensor
stiffness(const Tensor & E, const Tensor & nu)
{
  const Tensor p = E / ((1 + nu) * (1 - 2 * nu)), a = (1 - nu) * p, b = nu * p,
               c = (1 - 2 * nu) * p, o = at::zeros_like(a);
  return at::stack({a, b, b, o, o, o, b, a, b, o, o, o, b, b, a, o, o, o,
                    o, o, o, c, o, o, o, o, o, o, c, o, o, o, o, o, o, c},
                   -1)
      .unflatten(-1, at::IntArrayRef({6, 6}));
}
Tensor
trace(const Tensor & s)
{
  return s.slice(-1, 0, 3).sum(-1);
}
Tensor
composed(const Tensor & A, const Tensor & B)
{
  return at::matmul(A, B);
}

int
main()
{
  const Tensor s = at::tensor({1., 2., 3., 0., 0., 0.});
  const Tensor e = product(stiffness(at::tensor(1.), at::tensor(0.3)), s);
  const Tensor A = composed(inverse(full(s)), full(e));
  const Tensor t = turned(deviator(e), A);
  return (trace(t) + length(t) * contraction(s, t) + image(A, A.select(-2, 0)).select(-1, 0))
             .item<double>() > 0;
}
