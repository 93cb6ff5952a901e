// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/options.h"

#include <limits>
#include <string>

namespace neml2
{
/// Tolerances of NEML2 2.x. This library does not use them.
NEML2_ONE_A_PROGRAM inline Real &
machine_precision()
{
  static Real value = 1e-15;
  return value;
}
NEML2_ONE_A_PROGRAM inline Real &
tolerance()
{
  static Real value = 1e-6;
  return value;
}
NEML2_ONE_A_PROGRAM inline Real &
tighter_tolerance()
{
  static Real value = 1e-12;
  return value;
}

/// Distance from 1 to the next number of a floating type: float64 2.2e-16, float32 1.2e-7, float16 9.8e-4.
/// @throws NEMLException for any other type.
inline double
machine_precision(Dtype dtype)
{
  switch (dtype)
  {
  case kFloat64:
    return std::numeric_limits<double>::epsilon();
  case kFloat32:
    return std::numeric_limits<float>::epsilon();
  case kFloat16:
    return 9.7656e-4;
  default:
    core::fail("machine_precision: expected kFloat64, kFloat32 or kFloat16, got ", dtype, ".");
  }
}

// Variables that models of NEML2 2.0 read and set; this library does not use them.

/// Whether a nonlinear system is being solved; initially false.
NEML2_ONE_A_PROGRAM inline bool &
currently_solving_nonlinear_system()
{
  static bool value = false;
  return value;
}

/// The separator between the names of a model and of its buffer; initially ".".
NEML2_ONE_A_PROGRAM inline std::string &
buffer_name_separator()
{
  static std::string value = ".";
  return value;
}

/// The separator between the names of a model and of its parameter; initially ".".
NEML2_ONE_A_PROGRAM inline std::string &
parameter_name_separator()
{
  static std::string value = ".";
  return value;
}
} // namespace neml2
