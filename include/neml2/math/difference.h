// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/componentwise.h"
#include "neml2/math/groups.h"

/// Differences of neighbours along a dimension, and evenly spaced values along a new dimension.
namespace neml2
{
namespace math
{
/// Takes the difference of neighbours n times.
inline at::Tensor
differences(const Operation & op, const at::Tensor & x, Size n, Size d)
{
  NEML2_CHECK(n >= 0, op.name, ": cannot take differences ", n, " times. Expected 0 or more.");
  at::Tensor r = x;
  for (Size i = 0; i < n && r.size(d) > 0; i++)
    r = r.slice(d, 1) - r.slice(d, 0, -1);
  return r;
}
} // namespace math

/// a_k+1 - a_k along batch dimension d, taken n times: (..., m, ...; base) -> (..., m - n, ...; base), or of size 0 if
/// n > m; in the unit of a. For integers and floating types.
/// @throws NEMLException also for n < 0, for d out of range, and if a has no batch dimension.
template <class T, core::if_tensor<T> = 0>
T
batch_diff(const T & a, Size n = 1, Size d = -1)
{
  const core::Operation op("batch_diff", core::Accepts::numbers);
  return math::along_batch(
      op, a, d, 0, [&](const at::Tensor & x, Size p) { return math::differences(op, x, n, p); });
}

/// a_k+1 - a_k along base dimension d, taken n times: (...; m) -> (...; m - n), or of size 0 if n > m; in the unit of
/// a. For integers and floating types.
/// @throws NEMLException also for n < 0, for d out of range, and if a has no base dimension.
template <class T, core::if_tensor<T> = 0>
Tensor
base_diff(const T & a, Size n = 1, Size d = -1)
{
  const core::Operation op("base_diff", core::Accepts::numbers);
  return math::along_base(
      op, a, d, [&](const at::Tensor & x, Size p) { return math::differences(op, x, n, p); });
}

/// a_k+1 - a_k along dimension d, taken n times. d counts among all dimensions: -1 is the last base dimension, or the
/// last batch dimension of a Scalar. (..., m, ...) -> (..., m - n, ...)
/// @throws NEMLException also for n < 0, for d out of range, and for a base dimension whose size the type fixes: see
/// base_diff.
template <class T, core::if_tensor<T> = 0>
T
diff(const T & a, Size n = 1, Size d = -1)
{
  const core::Operation op("diff", core::Accepts::numbers);
  core::check_operand(op, core::operand(a));
  const Size p = core::position("diff", a, d, 0, a.dim());
  NEML2_CHECK(!core::is_primitive<T> || n == 0 || p < a.batch_dim(),
              "diff: dimension ",
              d,
              " of ",
              core::operand(a),
              " is a base dimension, whose size the type fixes. Use base_diff, which returns a "
              "Tensor, or batch_diff.");
  return T(core::Trusted(),
           core::translate_errors("diff", [&] { return math::differences(op, a, n, p); }),
           a.batch_dim());
}

/// start + (end - start) k/(nstep - 1), k = 0 ... nstep - 1, along a new batch dimension at position d of the result,
/// as in T::linspace. (...; base), (...; base) -> (..., nstep, ...; base)
template <class T, core::if_tensor<T> = 0>
T
batch_linspace(const T & start, const T & end, Size nstep, Size d = 0)
{
  return T::linspace(start, end, nstep, d);
}

/// start + (end - start) k/(nstep - 1), k = 0 ... nstep - 1, along a new base dimension at position d of the result:
/// (...; base), (...; base) -> (...; nstep, base) for d = 0. Batch shapes and base shapes broadcast.
/// @throws NEMLException if nstep < 1, shapes do not broadcast or d is out of range.
template <class T, core::if_tensor<T> = 0>
Tensor
base_linspace(const T & start, const T & end, Size nstep, Size d = 0)
{
  const core::Operation op("base_linspace");
  const auto r = math::check_together(op, math::tensors_among(start, end));
  NEML2_CHECK(nstep > 0, op.name, ": expected at least one step, got ", nstep, ".");
  const TensorShape batch = utils::broadcast_sizes(start.batch_sizes(), end.batch_sizes());
  const auto whole = [&](const T & t) // with all dimensions as batch dimensions
  {
    const at::Tensor x = math::aligned(t, r.base_dim()).expand(utils::add_shapes(batch, r.base));
    return Tensor(core::Trusted(), x, x.dim());
  };
  const Tensor a = whole(start), b = whole(end);
  const core::Operand ends{&a, start.name_in_messages(), r.batch_dim, r.base};
  const Size p = math::new_base_dimension(op, ends, d);
  return Tensor(core::Trusted(), Tensor::linspace(a, b, nstep, p), r.batch_dim);
}

/// base^batch_linspace(start, end, nstep, d), for exponents without unit. (...; base), (...; base) ->
/// (..., nstep, ...; base)
template <class T, core::if_tensor<T> = 0>
T
batch_logspace(const T & start, const T & end, Size nstep, Size d = 0, Real base = 10)
{
  return T::logspace(start, end, nstep, d, base);
}

/// base^base_linspace(start, end, nstep, d), for exponents without unit. (...; base), (...; base) ->
/// (...; nstep, base) for d = 0.
template <class T, core::if_tensor<T> = 0>
Tensor
base_logspace(const T & start, const T & end, Size nstep, Size d = 0, Real base = 10)
{
  return pow(base, base_linspace(start, end, nstep, d));
}
} // namespace neml2
