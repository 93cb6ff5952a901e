// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/mandel.h"
#include "neml2/core/aten.h"
#include "neml2/core/only_version.h"

#include <limits>
#include <type_traits>

namespace neml2
{
using Size = int64_t;                          ///< one size, index or count
using TensorShape = c10::SmallVector<Size, 8>; ///< a shape that owns its sizes
using TensorShapeRef =
    c10::ArrayRef<Size>; ///< a view of sizes that it does not own: never store a brace list in one

using ATensor = at::Tensor;  ///< LibTorch's tensor, which does not know its batch dimension
using CScalar = c10::Scalar; ///< a plain number of any kind: integer, floating, bool
using Real = double;         ///< a plain number
using Integer = int64_t;

template <class T, unsigned N = c10::CalculateSmallVectorDefaultInlinedElements<T>::value>
using SmallVector = c10::SmallVector<T, N>;
template <class T>
using ArrayRef = c10::ArrayRef<T>;
template <class T>
using OptionalArrayRef = c10::OptionalArrayRef<T>;

/// The options that factories and to() take: a dtype, a device, and whether autograd records.
using TensorOptions = c10::TensorOptions;
using Dtype = c10::ScalarType; ///< kFloat64, kFloat32, kInt64 and the others below
using Device = c10::Device;    ///< Device(kCPU), Device(kCUDA, 0)
using DeviceIndex = c10::DeviceIndex;

constexpr auto kUInt8 = c10::kByte;
constexpr auto kInt8 = c10::kChar;
constexpr auto kInt16 = c10::kShort;
constexpr auto kInt32 = c10::kInt;
constexpr auto kInt64 = c10::kLong;
constexpr auto kFloat16 = c10::kHalf;
constexpr auto kFloat32 = c10::kFloat;
constexpr auto kFloat64 = c10::kDouble;
using c10::kBFloat16;
using c10::kBool;
constexpr auto kStrided = c10::kStrided;
constexpr auto kSparse = c10::kSparse;
constexpr auto kCPU = c10::DeviceType::CPU;
constexpr auto kCUDA = c10::DeviceType::CUDA;

namespace core
{
/// Whether N is a plain number. CScalar has no unsigned numbers in LibTorch 1.
template <class N>
constexpr bool is_plain_number =
    std::is_arithmetic_v<N> || std::is_convertible_v<const N &, CScalar>;

template <class N>
CScalar
number(const N & n)
{
  if constexpr (std::is_convertible_v<const N &, CScalar>)
    return n;
  else if constexpr (std::is_integral_v<N>)
    return int64_t(n);
  else
    return double(n);
}

/// Whether the elementwise operations of a type have loops over its rows (the tensors of a batch). With neml2::compiled only the types
/// named in tensors/fwd.h have them. Operations of other types work number by number, with the same results.
#ifdef NEML2_COMPILED
template <class T>
inline constexpr bool has_loops = false;
#else
template <class T>
inline constexpr bool has_loops = true;
#endif

/// The tensor as an argument of LibTorch's own operators, which treat all dimensions alike and use no fused loop.
inline const at::Tensor &
raw(const at::Tensor & t)
{
  return t;
}
} // namespace core

constexpr Real eps = std::numeric_limits<Real>::epsilon(); ///< machine epsilon of float64
using kernels::invsqrt2;
using kernels::sqrt2;
constexpr Real pi = 3.141592653589793;
} // namespace neml2
