// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Scalar.h"

#include "support/operation.h"

#include <torch/csrc/autograd/autograd.h>

/// Tables of values: the results of a function for some numbers, and its slopes there.
namespace neml2::test
{
inline Scalar
numbers(std::initializer_list<double> v)
{
  return Scalar(at::tensor(std::vector<double>(v), at::kDouble));
}

inline Scalar
integers(std::initializer_list<int64_t> v)
{
  return Scalar(at::tensor(std::vector<int64_t>(v), at::kLong));
}

/// Whether the numbers are the same up to rounding; NaN equals NaN.
inline bool
same(const at::Tensor & a, std::initializer_list<double> b)
{
  return at::allclose(a, numbers(b), 0, 1e-15, /*equal_nan=*/true);
}

/// Derivatives of Σ y by each x.
inline Arguments
slopes(const at::Tensor & y, const Arguments & x)
{
  return torch::autograd::grad({y.sum()}, x, {}, true, true);
}

/// The operation on Tensors of these base shapes, like operation<T...> for primitive types.
template <size_t N, class F>
Operation
operation_on_tensors(std::string name,
                     core::Accepts accepts,
                     const std::array<TensorShape, N> & bases,
                     const F & f,
                     Formula expected = {})
{
  const auto tensors = [=](const Arguments & a)
  {
    std::array<Tensor, N> t;
    for (size_t k = 0; k < N; k++)
      t[k] = a[k].defined() ? Tensor(a[k], a[k].dim() - Size(bases[k].size())) : Tensor();
    return t;
  };
  return {std::move(name),
          accepts,
          {bases.begin(), bases.end()},
          [=](const Arguments & a) { return Tensor(std::apply(f, tensors(a))); },
          [=](const Arguments & a) {
            return std::apply([](const auto &... t) { return engine::can_fuse(t...); }, tensors(a));
          },
          std::move(expected),
          {}};
}
} // namespace neml2::test
