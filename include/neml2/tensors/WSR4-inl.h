// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/WSR4.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/WSR4.h"

namespace neml2
{
template <class T, std::enable_if_t<std::is_same_v<T, R4>, int>>
WSR4::WSR4(const T & t) : WSR4(engine::composed<WSR4>("WSR4(R4)", composed::skew_by_sym, t))
{
}
} // namespace neml2
