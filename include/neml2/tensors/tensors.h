// SPDX-License-Identifier: MIT
#pragma once

/// Includes every tensor type. Prefer the headers of the types that you use.
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
#include "neml2/tensors/slip_systems.h"

namespace neml2
{
namespace tensors
{
template <class... T>
struct TypeList
{
};

template <class... T>
TypeList<T..., Tensor> with_tensor(TypeList<T...>);

/// Every type whose base shape is fixed.
using FixedTypes = TypeList<Scalar,
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
                            MillerIndex>;

/// Every type.
using AllTypes = decltype(with_tensor(FixedTypes()));
} // namespace tensors
} // namespace neml2
