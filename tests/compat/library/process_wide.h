// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/misc/error.h"
#include "neml2/misc/types.h"

#include <vector>

/// The addresses of the values that exist once per process.
inline std::vector<const void *>
places()
{
  using namespace neml2;
  return {&currently_solving_nonlinear_system(),
          &buffer_name_separator(),
          &parameter_name_separator(),
          &default_dtype(),
          &default_integer_dtype(),
          &default_device(),
          &machine_precision(),
          &tolerance(),
          &tighter_tolerance()};
}
