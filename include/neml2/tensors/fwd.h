// SPDX-License-Identifier: MIT
#pragma once

/// Every tensor type by name, for headers that only mention it.
namespace neml2
{
class Tensor;
class Scalar;
class Vec;
class Rot;
class WR2;
class R2;
class SR2;
class R3;
class SFR3;
class R4;
class SSR4;
class SFR4;
class SFFR4;
class WFR4;
class WFFR4;
class SWR4;
class WSR4;
class WWR4;
class R5;
class SSFR5;
class R8;
class SSSSR8;
class Quaternion;
class MillerIndex;

#ifdef NEML2_COMPAT // what vectors, and what second order tensors, had in common in NEML2 2.x
template <class Derived>
using VecBase = Derived;
template <class Derived>
using R2Base = Derived;
#endif
} // namespace neml2
