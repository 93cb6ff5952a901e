// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/numbers.h"
#include "neml2/math/operators.h"

/// Values in equal steps along a new batch dimension.
namespace neml2
{
template <class Derived>
Derived
TensorBase<Derived>::linspace(const Derived & start, const Derived & end, Size nstep, Size dim)
{
  NEML2_CHECK(nstep > 0, "linspace: expected at least one step, got ", nstep, ".");
  const core::Operation op("linspace");
  const std::array<core::Operand, 2> o{core::operand(start), core::operand(end)};
  core::check_operands(op, o);
  const TensorShape batch = core::broadcast_batch(op, o);
  math::check_base_broadcast(op, start, end);
  const Size n = Size(batch.size());
  const auto base = utils::broadcast_sizes(start.base_sizes(), end.base_sizes());
  NEML2_CHECK_AS(IndexException,
                 -n - 1 <= dim && dim <= n,
                 "linspace: The dimension ",
                 dim,
                 " is out of range for the batch shape ",
                 TensorShapeRef(batch),
                 ": expected a position to insert at in [",
                 -n - 1,
                 ", ",
                 n,
                 "].");
  const Size position = dim < 0 ? dim + n + 1 : dim;
  const auto at_dim = [&](const Derived & t)
  {
    return core::align_base(t, t.batch_dim(), Size(base.size()))
        .expand(utils::add_shapes(batch, base))
        .unsqueeze(position);
  };
  const at::Tensor a = at_dim(start), b = at_dim(end);
  TensorShape steps(size_t(n) + 1 + base.size(), 1);
  steps[size_t(position)] = nstep;
  if (nstep == 1)
    return wrap(a.clone(), n + 1);
  const at::Tensor k = // counted in float64, because float16 ends at 65504
      at::arange(nstep, a.options().dtype(kFloat64)).div(double(nstep - 1)).to(a.scalar_type());
  return wrap(((b - a) * k.reshape(steps)).add_(a), n + 1);
}

template <class Derived>
Derived
TensorBase<Derived>::logspace(
    const Derived & start, const Derived & end, Size nstep, Size dim, Real base)
{
  const Derived exponents = linspace(start, end, nstep, dim);
  const at::Tensor power = engine::evaluate_numbers(
      "pow",
      Derived::type_name,
      math::Pow(),
      [](double b, const at::Tensor & n) { return at::pow(CScalar(b), n); },
      double(base),
      static_cast<const at::Tensor &>(exponents));
  return wrap(power, exponents.batch_dim());
}
} // namespace neml2
