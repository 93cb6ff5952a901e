// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// Every tensor type by name, for headers that only mention it. A program has one of each, and so one list of
/// derivative rules for it, also where its shared libraries hide their symbols.
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

/// What the headers of this room share besides.
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
using namespace core; // the names of lower rooms
using namespace packs;
using namespace engine;
using namespace math;
} // namespace tensors
} // namespace neml2
