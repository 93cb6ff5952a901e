// SPDX-License-Identifier: MIT
#pragma once

// Includes the library's own header of this name: the path contains the folder kernels/, which only the library has.
#include "neml2/kernels/../tensors/crystallography.h"

namespace neml2::crystallography
{
namespace symmetry_operators = crystal_symmetry_operators;

/// See symmetry(orbifold).
inline R2
symmetry_operations_from_orbifold(const std::string & orbifold,
                                  const TensorOptions & options = default_tensor_options())
{
  return symmetry(orbifold, options);
}
} // namespace neml2::crystallography
