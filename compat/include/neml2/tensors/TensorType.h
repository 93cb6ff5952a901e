// SPDX-License-Identifier: MIT
#pragma once

// Includes the library's own header of this name: the path contains the folder kernels/, which only the library has.
#include "neml2/kernels/../tensors/tensors.h"

#include <cstdint>
#include <ostream>

namespace neml2
{
/// A tensor type as a value.
enum class TensorType : std::int8_t
{
  kScalar,
  kVec,
  kRot,
  kWR2,
  kR2,
  kSR2,
  kR3,
  kSFR3,
  kR4,
  kSSR4,
  kSFR4,
  kSFFR4,
  kWFR4,
  kWFFR4,
  kSWR4,
  kWSR4,
  kWWR4,
  kR5,
  kSSFR5,
  kR8,
  kSSSSR8,
  kQuaternion,
  kMillerIndex,
  kTensor,
  kUknown ///< NEML2 2.x has this spelling
};

namespace tensors
{
/// The names of the types in a list, and the positions of types in the list.
template <class List>
struct ByTensorType;
template <class... T>
struct ByTensorType<TypeList<T...>>
{
  static constexpr const char * names[] = {T::type_name..., "Unknown"};

  /// The position of U in the list; the length of the list if U is not in it.
  template <class U>
  static constexpr int position()
  {
    int n = 0;
    (void)((std::is_same_v<T, U> || (n++, false)) || ...);
    return n;
  }
};

/// All types in the order of TensorType.
using TensorTypes = ByTensorType<AllTypes>;
} // namespace tensors

/// The value of a type; kUknown for types that are not tensor types of this library.
template <class T>
struct TensorTypeEnum
{
  static constexpr TensorType value = TensorType(tensors::TensorTypes::position<T>());
};

/// The name of the type, or Unknown.
inline std::ostream &
operator<<(std::ostream & os, TensorType type)
{
  return os << tensors::TensorTypes::names[int(type)];
}
} // namespace neml2
