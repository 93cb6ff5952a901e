// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"
#include "neml2/tensors/tensors.h"

/// The derivative of a tensor by itself, as a function of the tensor's type.
namespace neml2
{
/// The derivative of a T by itself, T::identity_map: 1 for Scalar, δ_ij for Vec, δ_ik δ_jl for R2,
/// the symmetric identity for SR2. Unbatched.
/// @throws NEMLException for a type without identity_map.
template <class T>
auto
imap_v(const TensorOptions & options = default_tensor_options())
{
  static_assert(core::is_primitive<T>,
                "imap_v is for types whose base shape is known, such as SR2; use "
                "Tensor::identity(n) for others");
  return T::identity_map(options);
}

/// Another name for imap_v<T>(options).
template <class T>
auto
imap(const TensorOptions & options = default_tensor_options())
{
  return imap_v<T>(options);
}
} // namespace neml2
