// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

#include <limits>

/**
 * Sums over all components, computed by LibTorch calls.
 *
 * The headers of composed/ contain the bodies of operations for whole batches. They do not call fused operations of the library, because
 * then every program that uses an operation would also compile the operations that its body calls. Batch dimensions broadcast as in
 * matmul and mul.
 */
namespace neml2::composed
{
using namespace core; // the names of core/, which this room (folder of headers) includes

/// t with size-1 dimensions inserted on the left until it has n dimensions.
inline at::Tensor
prepend_dims(const at::Tensor & t, Size n)
{
  at::Tensor r = t;
  while (r.dim() < n)
    r = r.unsqueeze(0);
  return r;
}

/// t with n size-1 dimensions on the right.
inline at::Tensor
append_dims(const at::Tensor & t, Size n)
{
  at::Tensor r = t;
  for (Size d = 0; d < n; d++)
    r = r.unsqueeze(-1);
  return r;
}

/// A_ik B_kj of each pair of matrices. (..., n, k), (..., k, m) -> (..., n, m). A product has the same bits alone as in a batch,
/// except where a batch shares one matrix and the product takes 400 multiplications or more. The functions by which at::matmul computes
/// one pair, or pairs that share a matrix, round differently from its function for many pairs.
inline at::Tensor
matrix_product(const at::Tensor & a, const at::Tensor & b)
{
  constexpr Size few = 400; // multiplications; for fewer, LibTorch reads a shared matrix in place
  const bool one_a = a.dim() == 2, one_b = b.dim() == 2;
  if (one_a != one_b && a.size(-2) * a.size(-1) * b.size(-1) >= few)
    return at::matmul(a, b);
  const at::Tensor r = at::matmul(one_a ? a.unsqueeze(0) : a, one_b ? b.unsqueeze(0) : b);
  return one_a && one_b ? r.squeeze(0) : r;
}

/// Σ a_i b_i over all base components of batches with the same base shape, by LibTorch.
inline at::Tensor
contracted(const at::Tensor & a, const at::Tensor & b, Size base_dim)
{
  const at::Tensor product = a * b;
  return base_dim == 0 ? product
                       : product.contiguous()
                             .flatten(product.dim() - base_dim)
                             .sum(-1, /*keepdim=*/false, product.scalar_type());
}

/// The largest |x_i|, which autograd treats as a constant, but 1 where it is 0 or not finite. The squares of x divided by it neither
/// overflow nor all underflow. (..., n) -> (..., 1)
inline at::Tensor
scale_of(const at::Tensor & x)
{
  const at::Tensor a = x.detach();
  const at::Tensor largest =
      a.amax(-1, /*keepdim=*/true).maximum(-a.amin(-1, /*keepdim=*/true)); // does not copy a
  const auto finite = largest.lt(std::numeric_limits<double>::infinity());
  return largest.masked_fill(largest.gt(0).bitwise_and(finite).bitwise_not(), 1);
}

/// √(Σ a_i a_i + epsilon) over all base components. Where a and epsilon are 0, its gradient is 0.
inline at::Tensor
frobenius(const at::Tensor & a, Size base_dim, double epsilon)
{
  if (epsilon != 0)
    return at::sqrt(contracted(a, a, base_dim) + epsilon);
  const at::Tensor line = base_dim == 0 ? a.unsqueeze(-1) : a.flatten(a.dim() - base_dim);
  if (!c10::isFloatingType(line.scalar_type()) || line.size(-1) == 0)
    return at::linalg_vector_norm(line, 2, at::IntArrayRef(-1));
  if (line.size(-1) == 1)
  {
    const at::Tensor x = line.squeeze(-1);
    return x.maximum(-x); // at::abs has no meta kernel
  }
  const at::Tensor scale = scale_of(line);
  return at::linalg_vector_norm(line / scale, 2, at::IntArrayRef(-1)) * scale.squeeze(-1);
}

/// a / √(Σ a_i a_i + epsilon) over all base components.
inline at::Tensor
over_frobenius(const at::Tensor & a, Size base_dim, double epsilon)
{
  if (epsilon == 0 && base_dim > 0 && c10::isFloatingType(a.scalar_type()) && a.numel() > 0)
  {
    const at::Tensor u =
        a / append_dims(scale_of(a.flatten(a.dim() - base_dim)).squeeze(-1), base_dim);
    return u / append_dims(at::sqrt(contracted(u, u, base_dim)), base_dim);
  }
  return a / append_dims(at::sqrt(contracted(a, a, base_dim) + epsilon), base_dim);
}

/// a_i b_i. (..., n), (..., n) -> (..., 1)
inline at::Tensor
dot_last(const at::Tensor & a, const at::Tensor & b)
{
  return (a * b).sum(-1, /*keepdim=*/true);
}

/// √x, whose derivatives are 0 where x is 0.
inline at::Tensor
root_or_zero(const at::Tensor & x)
{
  const at::Tensor zero = x.eq(0).to(x.scalar_type());
  return at::sqrt(x + zero) * (1 - zero);
}

/// √(x_i x_i), whose derivatives are 0 where the root is 0. (..., n) -> (..., 1)
inline at::Tensor
length_or_zero(const at::Tensor & x)
{
  return root_or_zero(dot_last(x, x));
}

/// x_i / |x|, NaN where x is 0. (..., n) -> (..., n)
inline at::Tensor
unit_or_nan(const at::Tensor & x)
{
  const at::Tensor u = x / scale_of(x);
  return u / at::linalg_vector_norm(u, 2, at::IntArrayRef(-1), /*keepdim=*/true);
}
} // namespace neml2::composed
