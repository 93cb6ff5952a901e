// SPDX-License-Identifier: MIT
#pragma once

/// Every tensor type. Prefer the header of the types you use.
#include "neml2/core/Tensor.h"
#include "neml2/tensors/MillerIndex.h"
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/R5.h"
#include "neml2/tensors/R8.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SFFR4.h"
#include "neml2/tensors/SFR3.h"
#include "neml2/tensors/SFR4.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSFR5.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/SSSSR8.h"
#include "neml2/tensors/SWR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Transformable.h"
#include "neml2/tensors/Vec.h"
#include "neml2/tensors/WFFR4.h"
#include "neml2/tensors/WFR4.h"
#include "neml2/tensors/WR2.h"
#include "neml2/tensors/WSR4.h"
#include "neml2/tensors/WWR4.h"
#include "neml2/tensors/crystallography.h"

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
  kUknown ///< spelled as in NEML2 2.x
};

namespace tensors
{
template <class... T>
struct TypeList
{
  static constexpr const char * names[] = {T::type_name..., "Unknown"};

  /// Of U in the list; the length of the list where it is not there.
  template <class U>
  static constexpr int position()
  {
    int n = 0;
    (void)((std::is_same_v<T, U> || (n++, false)) || ...);
    return n;
  }
};

/// In the order of TensorType.
using AllTypes = TypeList<Scalar,
                          Vec,
                          Rot,
                          WR2,
                          R2,
                          SR2,
                          R3,
                          SFR3,
                          R4,
                          SSR4,
                          SFR4,
                          SFFR4,
                          WFR4,
                          WFFR4,
                          SWR4,
                          WSR4,
                          WWR4,
                          R5,
                          SSFR5,
                          R8,
                          SSSSR8,
                          Quaternion,
                          MillerIndex,
                          Tensor>;
} // namespace tensors

/// The value of a type; kUknown for what is no tensor type of this library.
template <class T>
struct TensorTypeEnum
{
  static constexpr TensorType value = TensorType(tensors::AllTypes::position<T>());
};

/// The name of the type, or Unknown.
inline std::ostream &
operator<<(std::ostream & os, TensorType type)
{
  return os << tensors::AllTypes::names[int(type)];
}
} // namespace neml2
