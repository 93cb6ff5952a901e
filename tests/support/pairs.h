// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Vec.h"
#include "support/values.h"

/// Functions of two arguments whose base shapes differ.
namespace neml2::test
{
/// One more dimension for each base dimension, for arguments of one number per batch entry.
inline at::Tensor
column(const at::Tensor & t, int n)
{
  return n == 0 ? t : column(t.unsqueeze(-1), n - 1);
}

/// The function of two arguments: of one type without, with one and with two base dimensions, of a
/// type and Scalar, and of two Tensors whose base dimensions differ in number. `expected` takes
/// aligned arguments.
template <class F>
void
add_pairs(Table & all,
          const char * name,
          const F & f,
          const std::function<at::Tensor(const at::Tensor &, const at::Tensor &)> & expected,
          core::Accepts accepts = core::Accepts::numbers)
{
  const auto aligned = [=](int n, int m)
  { return [=](const Arguments & a) { return expected(column(a[0], n), column(a[1], m)); }; };
  all.push_back(operation<Scalar, Scalar>(name, accepts, f, aligned(0, 0)));
  all.push_back(operation<Vec, Vec>(name, accepts, f, aligned(0, 0)));
  all.push_back(operation<SR2, Scalar>(name, accepts, f, aligned(0, 1)));
  all.push_back(operation<Scalar, SSR4>(name, accepts, f, aligned(2, 0)));
  const std::array<TensorShape, 2> bases{TensorShape{2}, TensorShape{4, 1}};
  const auto tensors = [=](const Arguments & a) { return expected(a[0].unsqueeze(-2), a[1]); };
  all.push_back(operation_on_tensors(name, accepts, bases, f, tensors));
}
} // namespace neml2::test
