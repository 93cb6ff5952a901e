// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/core/shape.h"
#include "neml2/core/strings.h"

namespace neml2::internal
{
using utils::stream_all;
} // namespace neml2::internal
