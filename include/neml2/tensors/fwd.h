// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// Forward declarations of all tensor types. A program has only one of each type, and therefore one list of
/// derivative rules per type, even if its shared libraries hide their symbols.
namespace neml2
{
class Tensor;
class NEML2_ONE_A_PROGRAM Scalar;
class NEML2_ONE_A_PROGRAM Vec;
class NEML2_ONE_A_PROGRAM Rot;
class NEML2_ONE_A_PROGRAM WR2;
class NEML2_ONE_A_PROGRAM R2;
class NEML2_ONE_A_PROGRAM SR2;
class NEML2_ONE_A_PROGRAM R3;
class NEML2_ONE_A_PROGRAM SFR3;
class NEML2_ONE_A_PROGRAM R4;
class NEML2_ONE_A_PROGRAM SSR4;
class NEML2_ONE_A_PROGRAM SFR4;
class NEML2_ONE_A_PROGRAM SFFR4;
class NEML2_ONE_A_PROGRAM WFR4;
class NEML2_ONE_A_PROGRAM WFFR4;
class NEML2_ONE_A_PROGRAM SWR4;
class NEML2_ONE_A_PROGRAM WSR4;
class NEML2_ONE_A_PROGRAM WWR4;
class NEML2_ONE_A_PROGRAM R5;
class NEML2_ONE_A_PROGRAM SSFR5;
class NEML2_ONE_A_PROGRAM R8;
class NEML2_ONE_A_PROGRAM SSSSR8;
class NEML2_ONE_A_PROGRAM Quaternion;
class NEML2_ONE_A_PROGRAM MillerIndex;
} // namespace neml2

#ifdef NEML2_COMPILED
namespace neml2
{
template <>
inline constexpr bool core::has_loops<Vec> = true;
template <>
inline constexpr bool core::has_loops<Rot> = true;
template <>
inline constexpr bool core::has_loops<WR2> = true;
template <>
inline constexpr bool core::has_loops<R2> = true;
template <>
inline constexpr bool core::has_loops<SR2> = true;
template <>
inline constexpr bool core::has_loops<R3> = true;
template <>
inline constexpr bool core::has_loops<SFR3> = true;
template <>
inline constexpr bool core::has_loops<R4> = true;
template <>
inline constexpr bool core::has_loops<SSR4> = true;
template <>
inline constexpr bool core::has_loops<SFR4> = true;
template <>
inline constexpr bool core::has_loops<SFFR4> = true;
template <>
inline constexpr bool core::has_loops<WFR4> = true;
template <>
inline constexpr bool core::has_loops<WFFR4> = true;
template <>
inline constexpr bool core::has_loops<SWR4> = true;
template <>
inline constexpr bool core::has_loops<WSR4> = true;
template <>
inline constexpr bool core::has_loops<WWR4> = true;
template <>
inline constexpr bool core::has_loops<R5> = true;
template <>
inline constexpr bool core::has_loops<SSFR5> = true;
template <>
inline constexpr bool core::has_loops<R8> = true;
template <>
inline constexpr bool core::has_loops<SSSSR8> = true;
template <>
inline constexpr bool core::has_loops<Quaternion> = true;
template <>
inline constexpr bool core::has_loops<MillerIndex> = true;
} // namespace neml2
#endif

/// Further declarations that the headers of tensors/ share.
namespace neml2
{
namespace core
{
}
namespace packs
{
}
namespace engine
{
}
namespace math
{
}
namespace tensors
{
using namespace core; // tensors/ uses the names of these namespaces
using namespace packs;
using namespace engine;
using namespace math;
} // namespace tensors
} // namespace neml2
