// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/WWR4.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/WWR4.h"

namespace neml2
{
template <class T, std::enable_if_t<std::is_same_v<T, R4>, int>>
WWR4::WWR4(const T & t) : WWR4(engine::composed<WWR4>("WWR4(R4)", composed::skew_by_skew, t))
{
}

NEML2_BODY WWR4
WWR4::identity(const TensorOptions & options)
{
  return from_values({1, 0, 0, 0, 1, 0, 0, 0, 1}, options);
}
} // namespace neml2
