// SPDX-License-Identifier: MIT
#include "compositions.h"

#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"

#include <ATen/ATen.h>

using namespace neml2;

namespace peers
{
at::Tensor
rand(at::IntArrayRef shape)
{
  return at::rand(shape, at::kDouble);
}

at::Tensor
empty(at::IntArrayRef shape, at::ScalarType dtype)
{
  return at::empty(shape, dtype);
}

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

at::Tensor
dev_basis()
{
  const double a = std::sqrt(0.5), b = std::sqrt(1.0 / 6.0);
  at::Tensor B = at::zeros({6, 5}, at::kDouble);
  B.select(1, 0).slice(0, 0, 3).copy_(at::tensor({a, -a, 0.}, at::kDouble));
  B.select(1, 1).slice(0, 0, 3).copy_(at::tensor({b, b, -2 * b}, at::kDouble));
  B.slice(0, 3).slice(1, 2).copy_(at::eye(3, at::kDouble));
  return B;
}

at::Tensor
pick(int64_t n, at::ArrayRef<int64_t> index, at::ArrayRef<double> factor)
{
  return at::one_hot(at::tensor(index), n).t() * at::tensor(factor, at::kDouble);
}

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

at::Tensor
cofactors(const at::Tensor & parts, int64_t dim)
{
  const auto p = parts.chunk(4, dim);
  return at::mul(p[0], p[1]).addcmul_(p[2], p[3], -1);
}

at::Tensor
column_product(const at::Tensor & a, const at::Tensor & b)
{
  const int64_t n = a.size(0);
  at::Tensor r = at::empty({n, n, a.size(2)}, a.options());
  at::mul_out(r, a.narrow(1, 0, 1), b.narrow(0, 0, 1));
  for (int64_t k = 1; k < n; k++)
    r.addcmul_(a.narrow(1, k, 1), b.narrow(0, k, 1));
  return r;
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

at::Tensor
chunks(at::IntArrayRef shape,
       int64_t rows,
       const std::vector<at::Tensor> & inputs,
       const std::function<at::Tensor(const std::vector<at::Tensor> &)> & f)
{
  if (shape[0] <= rows)
    return f(inputs);
  at::Tensor result = at::empty(shape, inputs[0].options());
  std::vector<at::Tensor> pieces(inputs.size());
  for (int64_t begin = 0; begin < shape[0]; begin += rows)
  {
    const int64_t count = std::min(rows, shape[0] - begin);
    for (size_t i = 0; i < inputs.size(); i++)
      pieces[i] = inputs[i].narrow(0, begin, count);
    result.narrow(0, begin, count).copy_(f(pieces));
  }
  return result;
}
} // namespace peers
