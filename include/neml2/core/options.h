// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/core/types.h"

namespace neml2
{
/// The floating type that factories use when no options are given; kFloat64 unless changed. Assigning to it does not
/// change torch's own default; set_default_dtype changes both. It is not synchronised: set it before threads start.
NEML2_ONE_A_PROGRAM inline Dtype &
default_dtype()
{
  static Dtype dtype = kFloat64;
  return dtype;
}

/// Sets the default dtype of this library and of torch. Later calls of factories use it.
/// @throws NEMLException if it is not a floating type.
inline void
set_default_dtype(Dtype dtype)
{
  NEML2_CHECK(c10::isFloatingType(dtype),
              "set_default_dtype: expected a floating type such as kFloat64, got ",
              dtype,
              ". Integer factories take their dtype from their options.");
  default_dtype() = dtype;
  c10::set_default_dtype(c10::scalarTypeToTypeMeta(dtype));
}

inline Dtype
get_default_dtype()
{
  return default_dtype();
}

/// The integer type of integer factories; kInt64 unless changed.
NEML2_ONE_A_PROGRAM inline Dtype &
default_integer_dtype()
{
  static Dtype dtype = kInt64;
  return dtype;
}

/// Sets the default dtype of integer factories.
/// @throws NEMLException if it is not an integer type.
inline void
set_default_integer_dtype(Dtype dtype)
{
  NEML2_CHECK(c10::isIntegralType(dtype, /*includeBool=*/false),
              "set_default_integer_dtype: expected an integer type such as kInt64, got ",
              dtype,
              ".");
  default_integer_dtype() = dtype;
}

inline Dtype
get_default_integer_dtype()
{
  return default_integer_dtype();
}

/// The device that factories use when no options are given; the CPU unless changed.
NEML2_ONE_A_PROGRAM inline Device &
default_device()
{
  static Device device = c10::Device(kCPU);
  return device;
}

/// Options of the factories: the current default dtype and device.
inline TensorOptions
default_tensor_options()
{
  return TensorOptions().dtype(default_dtype()).device(default_device());
}

/// Options of integer factories.
inline TensorOptions
default_integer_tensor_options()
{
  return TensorOptions().dtype(default_integer_dtype()).device(default_device());
}

namespace core
{
/// The options, with this library's default dtype (not torch's) if they name no dtype.
inline TensorOptions
with_dtype(const TensorOptions & options)
{
  return options.has_dtype() ? options : options.dtype(default_dtype());
}

/// Refuses options of an integer dtype, for factories whose values are fractions.
inline void
check_floating(const char * where, const TensorOptions & options)
{
  NEML2_CHECK(c10::isFloatingType(c10::typeMetaToScalarType(with_dtype(options).dtype())),
              where,
              ": expected options of a floating dtype such as kFloat64, got ",
              with_dtype(options).dtype(),
              ".");
}

/// A bound for the relative rounding error of numbers of a dtype.
inline double
epsilon_of(Dtype dtype)
{
  return dtype == kFloat64   ? eps
         : dtype == kFloat32 ? double(std::numeric_limits<float>::epsilon())
                             : 0x1p-8; // float16 and bfloat16
}

/// A plain number as a double, the form in which every formula takes it.
inline double
real_value(const char * where, const CScalar & n)
{
  NEML2_CHECK(
      !n.isComplex(), where, ": the number ", n, " is complex; only real ones are supported.");
  return n.toDouble();
}

/// Enables an overload for types that convert to TensorOptions. Options are a template parameter, so that a bare {}
/// selects the overload whose parameter is a shape.
template <class O>
using if_options = std::enable_if_t<std::is_convertible_v<const O &, TensorOptions>, int>;
} // namespace core
} // namespace neml2
