// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"
#include "support/operation.h"

/// Operations on neml2::Tensor, whose base shapes are known at run time only.
namespace neml2::test
{
/// t as a Tensor of this many base dimensions.
inline Tensor
with_base(const at::Tensor & t, size_t base_dim)
{
  return Tensor(t, t.defined() ? t.dim() - Size(base_dim) : 0);
}

/// An operation on Tensors of these base shapes.
inline Operation
operation_on_tensors(const std::string & name,
                     core::Accepts accepts,
                     const std::vector<TensorShape> & base,
                     const std::function<Tensor(const std::vector<Tensor> &)> & f,
                     const Formula & expected)
{
  return {name,
          accepts,
          base,
          [=](const Arguments & a)
          {
            std::vector<Tensor> t;
            for (size_t k = 0; k < a.size(); k++)
              t.push_back(with_base(a[k], base[k].size()));
            return f(t);
          },
          [](const Arguments &) { return false; },
          expected,
          {}};
}
} // namespace neml2::test
