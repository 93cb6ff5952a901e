// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/MillerIndex.h"

#include "neml2/composed/MillerIndex.h"
#include "neml2/composed/Quaternion.h"

namespace neml2
{
namespace tensors
{
/// Throws if the dtype is an integer dtype that would change a number: a fraction, or a number outside the range of the
/// dtype.
NEML2_BODY void
check_exact(const char * where, const TensorDataContainer & data, const TensorOptions & options)
{
  const auto dtype = c10::typeMetaToScalarType(with_dtype(options).dtype());
  if (!c10::isIntegralType(dtype, /*includeBool=*/true))
    return;
  const OutsideOfModes numbers_only;
  const at::Tensor values = data.to_tensor(kFloat64), stored = data.to_tensor(dtype);
  NEML2_CHECK(
      values.equal(stored.to(kFloat64)),
      where,
      ": Miller indices are integers, and ",
      dtype_name(dtype),
      " cannot hold one of the given numbers. Give whole numbers in its range, or options of "
      "another dtype.");
}

NEML2_BODY void
check_integers(const char * where, const MillerIndex & m)
{
  NEML2_CHECK(c10::isIntegralType(m.scalar_type(), /*includeBool=*/false),
              where,
              ": expected integers, got ",
              dtype_name(m.scalar_type()),
              " (",
              operand(m),
              "). Round, and convert with .to(kInt64).");
}
} // namespace tensors

NEML2_BODY MillerIndex
MillerIndex::fill(const CScalar & h,
                  const CScalar & k,
                  const CScalar & l,
                  const TensorOptions & options)
{
  tensors::check_exact("MillerIndex::fill", std::vector<CScalar>{h, k, l}, options);
  return from_values({h, k, l}, options);
}

NEML2_BODY MillerIndex
MillerIndex::fill(const Scalar & h, const Scalar & k, const Scalar & l)
{
  const core::Operation op("MillerIndex::fill", core::Accepts::numbers);
  const auto m = core::stack<MillerIndex>(op, {h, k, l});
  tensors::check_integers(op.name, m);
  return m;
}

NEML2_BODY MillerIndex
MillerIndex::create(const TensorDataContainer & data, const TensorOptions & options)
{
  tensors::check_exact("MillerIndex::create", data, options);
  return Base::create(data, options);
}

NEML2_BODY MillerIndex
MillerIndex::reduce() const
{
  const core::Operation op("MillerIndex::reduce", core::Accepts::numbers);
  core::check_operand(op, core::operand(*this));
  tensors::check_integers(op.name, *this);
  return core::translate_errors(op.name,
                                [&] { return MillerIndex(composed::over_common_divisor(*this)); });
}

NEML2_BODY Vec
MillerIndex::to_vec() const
{
  return to_vec(TensorOptions(default_dtype()));
}

NEML2_BODY Vec
MillerIndex::to_vec(const TensorOptions & options) const
{
  const core::Operation op("MillerIndex::to_vec", core::Accepts::numbers);
  core::check_operand(op, core::operand(*this));
  return core::translate_errors(
      op.name,
      [&]
      {
        const at::Tensor v = core::raw(*this).to(core::with_dtype(options).requires_grad(false));
        return Vec(options.requires_grad() ? v.detach().clone().set_requires_grad(true) : v);
      });
}

NEML2_BODY Vec
MillerIndex::to_normalized_vec() const
{
  return to_normalized_vec(TensorOptions(default_dtype()));
}

NEML2_BODY Vec
MillerIndex::to_normalized_vec(const TensorOptions & options) const
{
  core::check_floating("MillerIndex::to_normalized_vec", options);
  const Vec v = to_vec(options.requires_grad(false));
  const at::Tensor n = core::translate_errors("MillerIndex::to_normalized_vec",
                                              [&] { return composed::unit_or_nan(v); });
  return Vec(options.requires_grad() ? n.detach().set_requires_grad(true) : n);
}
} // namespace neml2
