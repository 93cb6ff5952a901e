// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/interpolation.h"

#include "neml2/composed/interpolation.h"
#include "neml2/math/base_dims.h"

namespace neml2
{
namespace tensors
{
/// One call of interpolate. It checks the arguments and converts them for LibTorch.
class TableCall
{
public:
  explicit TableCall(std::initializer_list<const TableArgument *> arguments)
  {
    for (const auto * a : arguments)
      if (a->operand.tensor)
        _operands.push_back(a->operand);
      else
        _has_constants = true;
    core::check_operands(op, _operands);
    _batch = core::broadcast_batch(op, _operands);
  }

  /// The number of abscissae.
  Size count(const TableArgument & xs) const
  {
    if (xs.is_general)
      math::check_base_dim(op, xs.operand, 1);
    const Size n = size_of(xs);
    NEML2_CHECK(n >= 2,
                op.name,
                ": expected a table of at least two points, got ",
                n,
                ". The operands are ",
                core::OperandsText{_operands},
                ".");
    return n;
  }

  /// @throws NEMLException unless there is one value per point.
  void check_values(const TableArgument & values, Size n, const char * points) const
  {
    NEML2_CHECK(size_of(values) == n,
                op.name,
                ": the table has ",
                n,
                " ",
                points,
                ", but ",
                size_of(values),
                " values for them. The operands are ",
                core::OperandsText{_operands},
                ".");
  }

  /// Whether the abscissae are known to be finite and to increase strictly. Only the abscissae of a Tensor are checked
  /// here.
  /// @throws NEMLException if the abscissae of a Tensor are not finite and increasing.
  bool are_in_order(const TableArgument & xs) const
  {
    if (!xs.operand.tensor)
      return true;
    const at::Tensor & t = *xs.operand.tensor;
    if (!xs.is_general || !core::has_known_values(t))
      return false;
    constexpr Size few = 4096; // up to this size a loop is faster than a call of LibTorch
    const bool ok =
        t.is_cpu() && t.numel() <= few
            ? disorder(t) < 0
            : core::translate_errors(op.name,
                                     [&] { return composed::are_in_order(t).all().item<bool>(); });
    if (!ok)
      refuse(xs.operand);
    return true;
  }

  /// An argument as a batch of numbers.
  at::Tensor number(const TableArgument & x) const
  {
    const at::Tensor t = x.operand.tensor ? own(x) : constants(x).reshape({});
    return composed::prepend_dims(t, Size(_batch.size()));
  }
  at::Tensor table(const TableArgument & ys) const
  {
    at::Tensor t = ys.operand.tensor ? own(ys) : constants(ys);
    if (ys.operand.tensor && ys.operand.base.size() != 1)
      t = t.reshape(utils::add_shapes(ys.operand.batch(), size_of(ys)));
    return composed::prepend_dims(t, Size(_batch.size()) + 1);
  }

  Scalar result(c10::function_ref<at::Tensor()> f) const
  {
    const auto dtype = core::first_tensor(_operands).scalar_type();
    return Scalar(core::Trusted(),
                  core::translate_errors(
                      op.name, [&] { return f().to(dtype); }, _operands),
                  Size(_batch.size()));
  }

private:
  static constexpr core::Operation op{"interpolate"};

  static Size size_of(const TableArgument & a)
  {
    return a.operand.tensor ? utils::numel(a.operand.base) : Size(a.constants.size());
  }

  /// The tensor of an argument. It is converted to float64 if another argument consists of constants, because the fused
  /// pass then computes in float64, too.
  at::Tensor own(const TableArgument & a) const
  {
    return _has_constants ? a.operand.tensor->to(kFloat64) : *a.operand.tensor;
  }
  at::Tensor constants(const TableArgument & a) const
  {
    const at::Tensor t = [&]
    {
      const core::OutsideOfModes guard;
      return at::tensor(a.constants, TensorOptions(kFloat64));
    }();
    return core::lifted(t).to(
        core::first_tensor(_operands).device(), kFloat64, /*non_blocking=*/true);
  }

  static at::Tensor read(const at::Tensor & t)
  {
    return core::translate_errors(
        op.name, [&] { return t.detach().to(kCPU, kFloat64).resolve_neg().contiguous(); });
  }

  /// Finds the first two adjacent abscissae that are not finite and increasing, and returns the index of the second one;
  /// -1 if all are valid.
  static Size disorder(const at::Tensor & xs)
  {
    const at::Tensor all = read(xs);
    const double * t = all.data_ptr<double>();
    const Size n = all.size(-1), count = all.numel();
    for (Size i = 0; i < count; i++)
      if (i % n != 0 && !kernels::in_order(t[i - 1], t[i]))
        return i;
    return -1;
  }

  [[noreturn]] static NEML2_COLD void refuse(const core::Operand & xs)
  {
    const Size i = disorder(*xs.tensor), n = xs.base[0];
    const at::Tensor t = read(*xs.tensor);
    const double * x = t.data_ptr<double>() + i;
    core::fail(
        op.name, ": ", kernels::abscissae_message(i % n, x[-1], x[0]), " They are ", xs, ".");
  }

  SmallVector<core::Operand, 5> _operands;
  TensorShape _batch;
  bool _has_constants = false;
};

NEML2_BODY Scalar
interpolate(const TableArgument & x,
            const TableArgument & abscissae,
            const TableArgument & ordinates,
            Interpolant interpolant,
            Beyond beyond)
{
  const TableCall call({&x, &abscissae, &ordinates});
  if (ordinates.is_general)
    math::check_base_dim("interpolate", ordinates.operand, 1);
  call.check_values(ordinates, call.count(abscissae), "abscissae");
  const bool in_order = call.are_in_order(abscissae);
  return call.result(
      [&]
      {
        return composed::interpolate(call.number(x),
                                     call.table(abscissae),
                                     call.table(ordinates),
                                     interpolant,
                                     beyond,
                                     in_order);
      });
}

NEML2_BODY Scalar
interpolate(const TableArgument & x,
            const TableArgument & y,
            const TableArgument & x_abscissae,
            const TableArgument & y_abscissae,
            const TableArgument & values,
            Beyond beyond)
{
  const TableCall call({&x, &y, &x_abscissae, &y_abscissae, &values});
  const Size n = call.count(x_abscissae), m = call.count(y_abscissae);
  if (values.is_general)
  {
    math::check_base_dim("interpolate", values.operand, 2);
    NEML2_CHECK(values.operand.base[0] == n && values.operand.base[1] == m,
                "interpolate: the table has ",
                n,
                " and ",
                m,
                " abscissae, but its values are ",
                values.operand,
                ". Expected (...; ",
                n,
                ", ",
                m,
                "): the first index counts the x abscissae.");
  }
  call.check_values(values, n * m, "points");
  const bool x_in_order = call.are_in_order(x_abscissae),
             y_in_order = call.are_in_order(y_abscissae);
  return call.result(
      [&]
      {
        return composed::interpolate(call.number(x),
                                     call.number(y),
                                     call.table(x_abscissae),
                                     call.table(y_abscissae),
                                     call.table(values),
                                     beyond,
                                     x_in_order,
                                     y_in_order);
      });
}
} // namespace tensors

NEML2_BODY Scalar
interpolate(const Scalar & x,
            const Tensor & abscissae,
            const Tensor & ordinates,
            Interpolant interpolant,
            Beyond beyond)
{
  using tensors::table_argument;
  return tensors::interpolate(
      table_argument(x), table_argument(abscissae), table_argument(ordinates), interpolant, beyond);
}
NEML2_BODY Scalar
interpolate(const Scalar & x, const Tensor & abscissae, const Tensor & ordinates, Beyond beyond)
{
  return interpolate(x, abscissae, ordinates, Interpolant::linear, beyond);
}

NEML2_BODY Scalar
interpolate(const Scalar & x,
            const Scalar & y,
            const Tensor & x_abscissae,
            const Tensor & y_abscissae,
            const Tensor & values,
            Beyond beyond)
{
  using tensors::table_argument;
  return tensors::interpolate(table_argument(x),
                              table_argument(y),
                              table_argument(x_abscissae),
                              table_argument(y_abscissae),
                              table_argument(values),
                              beyond);
}
} // namespace neml2
