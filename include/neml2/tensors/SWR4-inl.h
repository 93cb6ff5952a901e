// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/SWR4.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/SWR4.h"

namespace neml2
{
template <class T, std::enable_if_t<std::is_same_v<T, R4>, int>>
SWR4::SWR4(const T & t) : SWR4(engine::composed<SWR4>("SWR4(R4)", composed::sym_by_skew, t))
{
}
} // namespace neml2
